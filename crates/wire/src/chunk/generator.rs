// SPDX-License-Identifier: Apache-2.0
//! The Sub-Packet Generator: cuts chunks into sub-packets, and numbers both.

use super::params::Params;
use super::parity::{Made, Maker};
use std::collections::VecDeque;
use std::sync::Arc;

/// Consecutive sub-packets of one chunk. What streams between the stages of a sender are runs, not
/// single sub-packets.
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

/// A chunk on its way out: the first bytes of its memory.
#[derive(Debug)]
pub struct Load<B> {
    /// Memory.
    pub memory: B,
    /// Bytes of the chunk.
    pub bytes: usize,
}

/// Sub-packets to be sent.
#[derive(Debug)]
pub struct Work<B> {
    /// Which.
    pub run: Run,
    /// Of what.
    pub load: Arc<Load<B>>,
    /// Its parity, if that is what is sent.
    pub parity: Option<Arc<Made>>,
}

impl<B> Work<B> {
    /// Its first sub-packets, at most `room`, and the rest.
    #[must_use]
    pub fn split(self, room: u16) -> (Self, Option<Self>) {
        let Work { run, load, parity } = self;
        if run.count <= room {
            return (Work { run, load, parity }, None);
        }
        let rest = Work {
            run: Run {
                first: run.first + room,
                count: run.count - room,
                ..run
            },
            load: Arc::clone(&load),
            parity: parity.clone(),
        };
        let run = Run { count: room, ..run };
        (Work { run, load, parity }, Some(rest))
    }
}

/// Cuts chunks into runs, and makes the parity over them.
#[derive(Debug)]
pub struct Generator<B> {
    params: Params,
    waiting: VecDeque<(Run, Arc<Load<B>>)>,
    next: u32,
    credit: u32,
    maker: Option<Maker>,
}

impl<B: AsRef<[u8]>> Generator<B> {
    /// Begins with chunk `first`; until more is known, there is credit for as many as agreed on.
    #[must_use]
    pub fn new(params: Params, first: u32) -> Self {
        Generator {
            params,
            waiting: VecDeque::new(),
            next: first,
            credit: first.wrapping_add(u32::from(params.chunks)),
            maker: Maker::new(params),
        }
    }

    /// Takes a chunk, and returns its number.
    pub fn offer(&mut self, load: Arc<Load<B>>) -> u32 {
        let chunk = self.next;
        self.next = chunk.wrapping_add(1);
        let count = self.params.sub_packets(load.bytes) as u16;
        for (count, parity) in [(count, false), (self.params.parity_of(count), true)] {
            if count > 0 {
                let run = Run {
                    chunk,
                    first: 0,
                    count,
                    round: 0,
                    parity,
                };
                self.waiting.push_back((run, Arc::clone(&load)));
            }
        }
        chunk
    }

    /// The first chunk of which not all has been sent, parity not counted: it cannot be complete.
    #[must_use]
    pub fn sent(&self) -> u32 {
        let unsent = self.waiting.iter().find(|(run, _)| !run.parity);
        unsent.map_or(self.next, |(run, _)| run.chunk)
    }

    /// A chunk is complete: its parity is not needed.
    pub fn complete(&mut self, chunk: u32) {
        let front = self.waiting.front();
        if front.is_some_and(|(run, _)| run.parity && run.chunk == chunk) {
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
        let ready = |chunk| self.credit.wrapping_sub(chunk).wrapping_sub(1) < 1 << 31;
        self.chunk().is_some_and(ready)
    }

    /// The chunk of the next run.
    #[must_use]
    pub fn chunk(&self) -> Option<u32> {
        self.waiting.front().map(|(run, _)| run.chunk)
    }

    /// The next sub-packets, at most `room`.
    pub fn next_work(&mut self, room: u16) -> Option<Work<B>> {
        if !self.is_ready() {
            return None;
        }
        let (front, load) = self.waiting.front_mut()?;
        let run = Run {
            count: front.count.min(room),
            ..*front
        };
        let load = Arc::clone(load);
        front.first += run.count;
        front.count -= run.count;
        if front.count == 0 {
            self.waiting.pop_front();
        }
        let mut parity = None;
        if let Some(maker) = &mut self.maker {
            if run.parity {
                parity = Some(Arc::clone(maker.made()));
            } else {
                let data = &load.memory.as_ref()[..load.bytes];
                maker.advance(run.chunk, data, run.first + run.count);
            }
        }
        Some(Work { run, load, parity })
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::Fec;
    use super::*;

    /// A chunk of so many sub-packets.
    fn load(count: usize) -> Arc<Load<Vec<u8>>> {
        let bytes = 64 * count;
        Arc::new(Load {
            memory: vec![0; bytes],
            bytes,
        })
    }

    #[test]
    fn cuts_within_its_credit() {
        let params = Params {
            payload: 64,
            chunks: 1,
            ..Params::PAPER
        };
        // Over the wrap of the sequence number.
        let mut generator = Generator::new(params, u32::MAX);
        assert_eq!(generator.offer(load(10)), u32::MAX);
        assert_eq!(generator.offer(load(3)), 0);
        let next = |generator: &mut Generator<Vec<u8>>| {
            let run = generator.next_work(8)?.run;
            assert!(run.round == 0 && !run.parity);
            Some((run.chunk, run.first, run.count))
        };
        assert_eq!(next(&mut generator), Some((u32::MAX, 0, 8)));
        assert_eq!(next(&mut generator), Some((u32::MAX, 8, 2)));
        assert_eq!((next(&mut generator), generator.chunk()), (None, Some(0)));
        generator.set_credit(1);
        // An old report.
        generator.set_credit(0);
        assert_eq!(next(&mut generator), Some((0, 0, 3)));
        assert_eq!(next(&mut generator), None);
    }

    #[test]
    fn parity_follows_its_chunk_until_that_is_complete() {
        let params = Params {
            payload: 64,
            per_chunk: 8,
            fec: Fec::Restore(8, 2),
            ..Params::PAPER
        };
        let mut generator = Generator::new(params, 7);
        generator.offer(load(3));
        generator.offer(load(1));
        let mut next = || {
            let work = generator.next_work(2)?;
            assert_eq!(work.parity.is_some(), work.run.parity);
            Some((work.run.chunk, work.run.first, work.run.parity))
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
        assert!(generator.chunk().is_none() && generator.next_work(2).is_none());
        generator.offer(load(1));
        assert_eq!(generator.sent(), 9);
    }

    #[test]
    fn a_work_is_split_where_a_frame_ends() {
        let run = Run {
            chunk: 1,
            first: 4,
            count: 5,
            round: 2,
            parity: false,
        };
        let work = |run| Work {
            run,
            load: load(9),
            parity: None,
        };
        let (all, rest) = work(run).split(5);
        assert!(all.run == run && rest.is_none());
        let (part, rest) = work(run).split(3);
        assert_eq!(part.run, Run { count: 3, ..run });
        let rest = rest.map(|it| it.run);
        assert_eq!(
            rest,
            Some(Run {
                first: 7,
                count: 2,
                ..run
            })
        );
    }
}
