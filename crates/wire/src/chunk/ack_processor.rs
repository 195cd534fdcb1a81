// SPDX-License-Identifier: Apache-2.0
//! The Ack Processor: knows what of each chunk has arrived, and what has to be sent again.
//!
//! A sub-packet is sent again when the frame that carried it last is settled, that is, older than something that has arrived on the
//! same lane, and no report has it. So each loss costs one transmission, however many reports tell of it and however long they
//! travel.

use super::bitmap::Bitmap;
use super::generator::Run;
use super::report::{Report, Section};
use std::collections::VecDeque;

#[derive(Debug, Clone)]
struct Chunk {
    count: u16,
    arrived: Bitmap,
    queued: Bitmap,
    round: u16,
    complete: bool,
}

/// What of each chunk has arrived, and what has to be sent again.
#[derive(Debug, Clone)]
pub struct AckProcessor {
    base: u32,
    chunks: VecDeque<Chunk>,
    per_chunk: u16,
    queued: u32,
    spare: Vec<Chunk>,
}

/// How far a report speaks of a chunk.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    mentioned: Vec<(u32, u16)>,
    whole: bool,
}

impl Coverage {
    /// Sub-packets before this one are spoken of.
    #[must_use]
    fn of(&self, chunk: u32) -> u16 {
        let mentioned = self.mentioned.iter().find(|entry| entry.0 == chunk);
        mentioned.map_or(if self.whole { u16::MAX } else { 0 }, |entry| entry.1)
    }
}

impl AckProcessor {
    /// Begins with chunk `first`.
    #[must_use]
    pub fn new(first: u32, per_chunk: u16) -> Self {
        AckProcessor {
            base: first,
            chunks: VecDeque::new(),
            per_chunk,
            queued: 0,
            spare: Vec::new(),
        }
    }

    /// A chunk of so many sub-packets is on its way: the one after the last.
    pub fn started(&mut self, count: u16) {
        let mut chunk = self.spare.pop().unwrap_or_else(|| Chunk {
            count,
            arrived: Bitmap::new(self.per_chunk),
            queued: Bitmap::new(self.per_chunk),
            round: 0,
            complete: false,
        });
        chunk.count = count;
        self.chunks.push_back(chunk);
    }

    /// Chunks on their way.
    #[must_use]
    pub fn open(&self) -> usize {
        self.chunks.len()
    }

    /// The oldest chunk on its way, or the next one to be.
    #[must_use]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Whether something has to be sent again.
    #[must_use]
    pub fn has_resends(&self) -> bool {
        self.queued > 0
    }

    fn chunk_mut(&mut self, chunk: u32) -> Option<&mut Chunk> {
        self.chunks.get_mut(chunk.wrapping_sub(self.base) as usize)
    }

    /// Takes what a report says of chunks; what it says of chunks that are not on their way counts for nothing.
    pub fn report(&mut self, report: &Report<'_>, coverage: &mut Coverage) {
        coverage.mentioned.clear();
        coverage.whole = report.summary.whole;
        let complete = report.summary.base.wrapping_sub(self.base) as usize;
        if complete <= self.chunks.len() {
            for chunk in self.chunks.iter_mut().take(complete) {
                chunk.complete = true;
            }
        }
        for section in report.sections() {
            let covered = self.section(&section);
            coverage.mentioned.push((section.chunk, covered));
        }
        // What has arrived after all is not sent again.
        let mut queued = 0;
        for chunk in &mut self.chunks {
            if chunk.complete {
                chunk.queued.clear();
            }
            queued += chunk.queued.len();
        }
        self.queued = queued;
    }

    fn section(&mut self, section: &Section<'_>) -> u16 {
        let Some(chunk) = self.chunk_mut(section.chunk) else {
            return 0;
        };
        if section.prefix == Section::COMPLETE {
            chunk.complete = true;
            return u16::MAX;
        }
        if section.prefix > chunk.count {
            return 0;
        }
        chunk.arrived.insert_range(0, section.prefix);
        let first = section.prefix / 8;
        let mut at = first;
        for &byte in section.bitmap {
            let Some(beyond) = chunk.count.checked_sub(at * 8).filter(|&left| left > 0) else {
                break;
            };
            let mask = if beyond >= 8 { 0xff } else { (1 << beyond) - 1 };
            if byte & mask != 0 {
                chunk.arrived.insert_byte(at, byte & mask);
            }
            at += 1;
        }
        if chunk.arrived.len() == u32::from(chunk.count) {
            chunk.complete = true;
        }
        if section.cut {
            at.saturating_mul(8)
        } else {
            u16::MAX
        }
    }

    /// A frame that carried this run is settled: what of it has not arrived is to be sent again. Says how many those are; none if the
    /// report does not speak of all of them, and the run remains to be settled.
    pub fn settle(&mut self, run: Run, coverage: &Coverage) -> Option<u32> {
        let covered = coverage.of(run.chunk);
        let Some(chunk) = self.chunk_mut(run.chunk).filter(|chunk| !chunk.complete) else {
            return Some(0);
        };
        if covered < run.first + run.count {
            return None;
        }
        let mut lost = 0;
        for number in run.first..run.first + run.count {
            if !chunk.arrived.contains(number) && chunk.queued.insert(number) {
                lost += 1;
            }
        }
        if lost > 0 {
            chunk.round = chunk.round.max(run.round.saturating_add(1));
            self.queued += lost;
        }
        Some(lost)
    }

    /// A lane has failed: all of this run that has not arrived is to be sent again, whatever becomes of it there.
    pub fn abandon(&mut self, run: Run) -> u32 {
        let all = Coverage {
            mentioned: Vec::new(),
            whole: true,
        };
        self.settle(run, &all).unwrap_or(0)
    }

    /// The next sub-packets to be sent again, at most `room`: the oldest first.
    pub fn next_run(&mut self, room: u16) -> Option<Run> {
        if self.queued == 0 {
            return None;
        }
        for (offset, chunk) in self.chunks.iter_mut().enumerate() {
            let mut from = 0;
            while let Some(first) = chunk.queued.next_member(from) {
                let mut count = 0;
                while count < room
                    && first + count < chunk.count
                    && chunk.queued.contains(first + count)
                    && !chunk.arrived.contains(first + count)
                {
                    chunk.queued.remove(first + count);
                    count += 1;
                }
                self.queued -= u32::from(count);
                if count > 0 {
                    let round = chunk.round;
                    return Some(Run {
                        chunk: self.base.wrapping_add(offset as u32),
                        first,
                        count,
                        round,
                    });
                }
                // It has arrived after all.
                chunk.queued.remove(first);
                self.queued -= 1;
                from = first;
            }
        }
        None
    }

    /// The oldest chunk, if it is complete; it is forgotten here.
    pub fn poll_complete(&mut self) -> Option<u32> {
        if !self.chunks.front()?.complete {
            return None;
        }
        let mut chunk = self.chunks.pop_front()?;
        self.queued -= chunk.queued.len();
        chunk.arrived.clear();
        chunk.queued.clear();
        chunk.round = 0;
        chunk.complete = false;
        self.spare.push(chunk);
        let base = self.base;
        self.base = base.wrapping_add(1);
        Some(base)
    }
}
