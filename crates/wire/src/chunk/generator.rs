// SPDX-License-Identifier: Apache-2.0
//! The Sub-Packet Generator: cuts chunks into sub-packets, and numbers both.

use super::params::Params;
use std::collections::VecDeque;

/// Consecutive sub-packets of one chunk. What streams between the stages of a sender are runs, not single sub-packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Sequence number of the chunk.
    pub chunk: u32,
    /// First sub-packet.
    pub first: u16,
    /// Sub-packets.
    pub count: u16,
    /// How often they were sent before.
    pub round: u16,
    /// They are parity of the chunk, with numbers of their own.
    pub parity: bool,
}

/// Whether runs, each with the length of its chunk in bytes, end a chunk, its parity, or what is to
/// be sent again (`all_again`: no more of it waits): what is lost of them is to be known soon, as
/// their chunk keeps its place in the receiver's memory until then.
pub fn is_awaited(
    params: &Params,
    mut runs: impl Iterator<Item = (Run, usize)>,
    all_again: bool,
) -> bool {
    let ends = |run: Run, bytes| {
        let count = params.sub_packets(bytes) as u16;
        let all = if run.parity {
            params.parity_of(count)
        } else {
            count
        };
        run.first + run.count == all
    };
    runs.any(|(run, bytes)| {
        if run.round > 0 {
            all_again
        } else {
            ends(run, bytes)
        }
    })
}

/// Cuts chunks into runs.
#[derive(Debug, Clone)]
pub struct Generator {
    waiting: VecDeque<Run>,
    next: u32,
    credit: u32,
}

impl Generator {
    /// Begins with chunk `first`; none may be sent until there is credit.
    #[must_use]
    pub fn new(first: u32) -> Self {
        Generator {
            waiting: VecDeque::new(),
            next: first,
            credit: first,
        }
    }

    /// Takes a chunk of `count` sub-packets, with `parity` sub-packets of parity behind them, and
    /// returns its number.
    pub fn offer(&mut self, count: u16, parity: u16) -> u32 {
        let chunk = self.next;
        self.next = chunk.wrapping_add(1);
        for (count, parity) in [(count, false), (parity, true)] {
            if count > 0 {
                self.waiting.push_back(Run {
                    chunk,
                    first: 0,
                    count,
                    round: 0,
                    parity,
                });
            }
        }
        chunk
    }

    /// The first chunk of which not all has been sent, parity not counted: it cannot be complete.
    #[must_use]
    pub fn sent(&self) -> u32 {
        let unsent = self.waiting.iter().find(|run| !run.parity);
        unsent.map_or(self.next, |run| run.chunk)
    }

    /// A chunk is complete: its parity is not needed.
    pub fn complete(&mut self, chunk: u32) {
        if self
            .waiting
            .front()
            .is_some_and(|run| run.parity && run.chunk == chunk)
        {
            self.waiting.pop_front();
        }
    }

    /// Number of the next chunk that is offered.
    #[must_use]
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Chunks before `credit` may be sent. Credit never shrinks: what tries is an old report.
    pub fn set_credit(&mut self, credit: u32) {
        if credit.wrapping_sub(self.credit) < 1 << 31 {
            self.credit = credit;
        }
    }

    /// Whether there is a sub-packet that may be sent now.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.waiting
            .front()
            .is_some_and(|run| self.credit.wrapping_sub(run.chunk).wrapping_sub(1) < 1 << 31)
    }

    /// The chunk of the next run.
    #[must_use]
    pub fn chunk(&self) -> Option<u32> {
        self.waiting.front().map(|run| run.chunk)
    }

    /// The next sub-packets, at most `room`.
    pub fn next_run(&mut self, room: u16) -> Option<Run> {
        if !self.is_ready() {
            return None;
        }
        let front = self.waiting.front_mut()?;
        let run = Run {
            count: front.count.min(room),
            ..*front
        };
        front.first += run.count;
        front.count -= run.count;
        if front.count == 0 {
            self.waiting.pop_front();
        }
        Some(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_within_its_credit() {
        // Over the wrap of the sequence number.
        let mut generator = Generator::new(u32::MAX);
        assert_eq!(generator.offer(10, 0), u32::MAX);
        assert_eq!(generator.offer(3, 0), 0);
        assert_eq!(generator.next_run(8), None);
        generator.set_credit(0);
        let run = |chunk, first, count| {
            Some(Run {
                chunk,
                first,
                count,
                round: 0,
                parity: false,
            })
        };
        assert_eq!(generator.next_run(8), run(u32::MAX, 0, 8));
        assert_eq!(generator.next_run(8), run(u32::MAX, 8, 2));
        assert_eq!((generator.next_run(8), generator.chunk()), (None, Some(0)));
        generator.set_credit(1);
        // An old report.
        generator.set_credit(0);
        assert_eq!(generator.next_run(8), run(0, 0, 3));
        assert_eq!(generator.next_run(8), None);
    }

    #[test]
    fn parity_follows_its_chunk_until_that_is_complete() {
        let mut generator = Generator::new(7);
        generator.set_credit(9);
        generator.offer(3, 2);
        generator.offer(1, 2);
        let mut next = || {
            generator
                .next_run(2)
                .map(|run| (run.chunk, run.first, run.parity))
        };
        assert_eq!(next(), Some((7, 0, false)));
        assert_eq!(next(), Some((7, 2, false)));
        assert_eq!(next(), Some((7, 0, true)));
        assert_eq!(next(), Some((8, 0, false)));
        assert_eq!(generator.sent(), 9);
        // Another chunk's, or none any more.
        generator.complete(7);
        assert_eq!(generator.chunk(), Some(8));
        generator.complete(8);
        generator.complete(8);
        assert_eq!((generator.chunk(), generator.next_run(2)), (None, None));
        generator.offer(1, 1);
        assert_eq!(generator.sent(), 9);
    }
}
