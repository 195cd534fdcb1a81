// SPDX-License-Identifier: Apache-2.0
//! Finds the longest datagram that a path carries: the question goes out at every length, answers name the length that arrived.

use std::time::Duration;

/// First wait for an answer; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(200);
/// Longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Least time in which longer ones may still be answered.
const LEAST_SETTLE: Duration = Duration::from_millis(20);

/// When to send again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Retry {
    at: Duration,
    wait: Duration,
    sent: u32,
}

impl Retry {
    /// At once.
    pub(super) fn new(now: Duration) -> Self {
        Retry {
            at: now,
            wait: FIRST_WAIT,
            sent: 0,
        }
    }

    /// Whether it is time; the next time is later.
    pub(super) fn due(&mut self, now: Duration) -> bool {
        if now < self.at {
            return false;
        }
        self.at = now + self.wait;
        self.wait = (2 * self.wait).min(LONGEST_WAIT);
        self.sent += 1;
        true
    }

    /// When it will be.
    pub(super) fn at(&self) -> Duration {
        self.at
    }

    /// How often it was.
    pub(super) fn sent(&self) -> u32 {
        self.sent
    }
}

/// The search.
#[derive(Debug, Clone)]
pub(super) struct Probe {
    /// To try, the longest in front.
    pub lengths: Vec<u16>,
    pub retry: Retry,
    since: Duration,
    best: Option<u16>,
    settle: Option<Duration>,
}

impl Probe {
    pub(super) fn new(now: Duration, mut lengths: Vec<u16>) -> Self {
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        Probe {
            lengths,
            retry: Retry::new(now),
            since: now,
            best: None,
            settle: None,
        }
    }

    /// A question of this length was answered.
    pub(super) fn answer(&mut self, now: Duration, length: u16) {
        if !self.lengths.contains(&length) {
            return;
        }
        self.best = self.best.max(Some(length));
        // Longer ones take longer on their way, but not twice as long.
        let wait = now.saturating_sub(self.since).max(LEAST_SETTLE);
        self.settle.get_or_insert(now + wait);
    }

    /// The longest one that was answered, when no longer one is to be expected.
    pub(super) fn settled(&self, now: Duration) -> Option<u16> {
        let longest = self.best.is_some() && self.best == self.lengths.first().copied();
        let over = self.settle.is_some_and(|at| now >= at);
        if longest || over { self.best } else { None }
    }

    /// When to look again.
    pub(super) fn next_timeout(&self) -> Duration {
        self.settle.unwrap_or(self.retry.at()).min(self.retry.at())
    }
}
