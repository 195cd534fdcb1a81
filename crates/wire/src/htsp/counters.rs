// SPDX-License-Identifier: Apache-2.0
//! What an end counts, arranged like registers: a block for each direction of the link, and one for
//! each channel in it.

use core::time::Duration;

/// Of a channel, sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TxChannel {
    /// User frames sent to their end.
    pub frames: u64,
    /// Bytes of them and of unfinished ones.
    pub bytes: u64,
    /// User frames given up in the middle because the link went down.
    pub cut: u64,
}

/// Of the link, sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TxLink {
    /// Frames with payload.
    pub data: u64,
    /// Frames of a header alone.
    pub headers: u64,
    /// Op-codes.
    pub opcodes: u64,
}

/// Of a channel, received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RxChannel {
    /// User frames that ended well.
    pub frames: u64,
    /// Bytes passed on, those of erroneous frames included.
    pub bytes: u64,
    /// User frames that ended in error.
    pub errors: u64,
    /// Bursts discarded because the start of their user frame is missing.
    pub orphans: u64,
}

/// Of the link, received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RxLink {
    /// Good frames.
    pub good: u64,
    /// Frames for someone else: another address or EtherType, or too short for a header.
    pub foreign: u64,
    /// Frames of another version.
    pub version: u64,
    /// Frames with a damaged header.
    pub checksum: u64,
    /// Frames that the Ethernet MAC called damaged, or that were cut.
    pub damaged: u64,
    /// Frames whose length or footer is wrong.
    pub malformed: u64,
    /// Good frames for a channel that this end does not have.
    pub unknown_channel: u64,
    /// Frames missing by the count of the numbers.
    pub lost: u64,
    /// Frames with an earlier number.
    pub stale: u64,
    /// Op-codes.
    pub opcodes: u64,
    /// Times that the link came up.
    pub ups: u64,
    /// Times that it went down because nothing came.
    pub downs_silent: u64,
    /// Times that it went down because the line did.
    pub downs_phy: u64,
}

/// How long something lasted, in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stopwatch {
    since: Option<Duration>,
    total: Duration,
}

impl Stopwatch {
    /// Starts or stops; nothing if it runs, or stands, already.
    pub fn set(&mut self, now: Duration, run: bool) {
        match (run, self.since) {
            (true, None) => self.since = Some(now),
            (false, Some(_)) => {
                self.total = self.total(now);
                self.since = None;
            }
            _ => {}
        }
    }

    /// The time until now.
    #[must_use]
    pub fn total(&self, now: Duration) -> Duration {
        self.total
            + self
                .since
                .map_or(Duration::ZERO, |since| now.saturating_sub(since))
    }
}
