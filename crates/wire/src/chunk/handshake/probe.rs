// SPDX-License-Identifier: Apache-2.0
//! Finds the longest datagram that a path carries: the question goes out at every length, answers
//! name the length that arrived.

use std::time::Duration;

/// First wait for an answer; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(200);
/// Shortest one where it is known how long an answer takes: the other end may have to reckon first.
const LEAST_WAIT: Duration = Duration::from_millis(50);
/// Longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Least time in which longer ones may still be answered.
const LEAST_SETTLE: Duration = Duration::from_millis(20);

/// When to send again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Retry {
    since: Duration,
    at: Duration,
    wait: Duration,
}

impl Retry {
    /// At once.
    pub(super) fn new(now: Duration) -> Self {
        Retry {
            since: now,
            at: now,
            wait: FIRST_WAIT,
        }
    }

    /// At once; an answer takes about `rtt`.
    pub(super) fn known(now: Duration, rtt: Duration) -> Self {
        Retry {
            wait: rtt.saturating_mul(3).clamp(LEAST_WAIT, FIRST_WAIT),
            ..Retry::new(now)
        }
    }

    /// Whether it is time; the next time is later.
    pub(super) fn due(&mut self, now: Duration) -> bool {
        if now < self.at {
            return false;
        }
        self.at = now + self.wait;
        self.wait = (2 * self.wait).min(LONGEST_WAIT);
        true
    }

    /// From now on it is time.
    pub(super) fn hurry(&mut self, now: Duration) {
        self.at = now;
    }

    /// When it will be.
    pub(super) fn at(&self) -> Duration {
        self.at
    }

    /// For how long there has been no answer.
    pub(super) fn waited(&self, now: Duration) -> Duration {
        now.saturating_sub(self.since)
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
    /// From the first question to the first answer.
    took: Duration,
    settle: Option<Duration>,
}

impl Probe {
    pub(super) fn new(now: Duration, lengths: Vec<u16>) -> Self {
        Probe::with(lengths, now, Retry::new(now))
    }

    /// Where an answer takes about `rtt`.
    pub(super) fn known(now: Duration, lengths: Vec<u16>, rtt: Duration) -> Self {
        Probe::with(lengths, now, Retry::known(now, rtt))
    }

    fn with(mut lengths: Vec<u16>, now: Duration, retry: Retry) -> Self {
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        Probe {
            lengths,
            retry,
            since: now,
            best: None,
            took: FIRST_WAIT,
            settle: None,
        }
    }

    /// A question of this length was answered.
    pub(super) fn answer(&mut self, now: Duration, length: u16) {
        if !self.lengths.contains(&length) {
            return;
        }
        if self.best.is_none() {
            self.took = now.saturating_sub(self.since);
        }
        self.best = self.best.max(Some(length));
        // Longer ones take longer on their way, but not twice as long.
        self.settle.get_or_insert(now + self.took.max(LEAST_SETTLE));
    }

    /// Whether any question was answered.
    pub(super) fn is_answered(&self) -> bool {
        self.best.is_some()
    }

    /// How long an answer took, the waits for those that did not come included.
    pub(super) fn took(&self) -> Duration {
        self.took
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
