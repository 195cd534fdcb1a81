// SPDX-License-Identifier: Apache-2.0
//! The stream of a channel in batches, and where something of it is missing.
//!
//! A position counts the bytes of a channel that were handed over before it. What is missing lies
//! between two positions that follow each other, so its own length, where that is known, does not
//! count. A batch never spans such a place: what is missing stands in front of its bytes.

use super::memory::{Memory, Pool};
use ropewalk_wire::htsp::{Arrived, Missing, Reason, Tuser};
use std::collections::VecDeque;
use std::time::Duration;

/// A place at which something of a channel is missing, or may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Channel.
    pub channel: u8,
    /// Position: bytes of the channel in front of it.
    pub offset: u64,
    /// Why, and how much.
    pub missing: Missing,
}

/// Bytes of a channel that followed each other without a gap, and what is missing in front of them.
#[derive(Debug)]
pub struct Batch {
    /// Channel.
    pub channel: u8,
    /// Position of the first byte.
    pub offset: u64,
    /// The bytes; none if nothing has come behind what is missing.
    pub bytes: Memory,
    /// The first byte begins a user frame.
    pub begins: bool,
    /// Behind which bytes of the batch a user frame ended well, ascending.
    pub ends: Vec<u64>,
    /// TUSER of each of these user frames.
    pub tusers: Vec<Tuser>,
    /// What is missing in front of the first byte.
    pub missing: Vec<Gap>,
}

impl Batch {
    fn new(channel: u8, offset: u64) -> Self {
        Batch {
            channel,
            offset,
            bytes: Pool::default().take(0),
            begins: false,
            ends: Vec::new(),
            tusers: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// Position behind the last byte.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.missing.is_empty()
    }

    /// Notes what is missing in front of the bytes, of which there are none yet.
    fn lack(&mut self, offset: u64, missing: Missing) {
        let again = self
            .missing
            .iter_mut()
            .any(|gap| gap.missing.merge(missing));
        // That the rest of a user frame has not come says nothing beside the reason for it.
        if again || missing.reason == Reason::Unfinished && !self.missing.is_empty() {
            return;
        }
        self.missing
            .retain(|gap| gap.missing.reason != Reason::Unfinished);
        self.missing.push(Gap {
            channel: self.channel,
            offset,
            missing,
        });
    }
}

/// Cuts the stream of a channel into batches.
#[derive(Debug)]
pub struct Stream {
    limit: usize,
    pool: Pool,
    open: Batch,
    /// TUSER of the first beat of the user frame that is open.
    first_tuser: u8,
    /// When the first of what is open came.
    since: Duration,
    ready: VecDeque<Batch>,
}

impl Stream {
    /// The stream of a channel from a position on, in batches of `limit` bytes at most, at least
    /// one. Before its first byte, behind position `known`, something may be missing: `reason` says
    /// why nothing is known of it.
    #[must_use]
    pub fn new(channel: u8, limit: usize, known: u64, offset: u64, reason: Reason) -> Self {
        let mut open = Batch::new(channel, offset);
        open.lack(known, Missing::unknown(reason));
        Stream {
            limit: limit.max(1),
            pool: Pool::default(),
            open,
            first_tuser: 0,
            since: Duration::ZERO,
            ready: VecDeque::new(),
        }
    }

    /// Channel.
    #[must_use]
    pub fn channel(&self) -> u8 {
        self.open.channel
    }

    /// Takes what came next.
    pub fn put(&mut self, now: Duration, arrived: Arrived) {
        let piece = match arrived {
            Arrived::Missing(missing) => {
                if !self.open.bytes.is_empty() {
                    self.close();
                }
                self.begin(now);
                return self.open.lack(self.open.offset, missing);
            }
            // What it holds is not specified. What is missing for that stood in front of it.
            Arrived::Piece(piece) if piece.error => return,
            Arrived::Piece(piece) => piece,
        };
        if piece.start {
            self.first_tuser = piece.tuser.first;
        }
        let mut rest = &piece.bytes[..];
        while !rest.is_empty() {
            self.begin(now);
            let open = &mut self.open;
            if open.bytes.is_empty() {
                open.bytes = self.pool.take(self.limit);
                open.begins = piece.start && rest.len() == piece.bytes.len();
            }
            let (part, later) = rest.split_at(rest.len().min(self.limit - open.bytes.len()));
            open.bytes.extend(part);
            rest = later;
            if rest.is_empty() && piece.end {
                open.ends.push(open.bytes.len() as u64);
                open.tusers.push(Tuser {
                    first: self.first_tuser,
                    last: piece.tuser.last,
                });
            }
            if open.bytes.len() == self.limit {
                self.close();
            }
        }
    }

    fn begin(&mut self, now: Duration) {
        if self.open.is_empty() {
            self.since = now;
        }
    }

    fn close(&mut self) {
        self.open.bytes.shrink();
        let next = Batch::new(self.open.channel, self.open.end());
        self.ready
            .push_back(std::mem::replace(&mut self.open, next));
    }

    /// Closes a batch that has waited for so long to become full.
    pub fn flush(&mut self, now: Duration, delay: Duration) {
        if !self.open.is_empty() && now.saturating_sub(self.since) >= delay {
            self.close();
        }
    }

    /// The oldest batch that is complete.
    pub fn pop(&mut self) -> Option<Batch> {
        self.ready.pop_front()
    }

    /// Puts back what [`Stream::pop`] gave.
    pub fn unpop(&mut self, batch: Batch) {
        self.ready.push_front(batch);
    }

    /// Whether no complete batch waits.
    #[must_use]
    pub fn is_drained(&self) -> bool {
        self.ready.is_empty()
    }
}
