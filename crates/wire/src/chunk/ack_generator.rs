// SPDX-License-Identifier: Apache-2.0
//! The Ack Generator: knows what of each chunk is there, and writes reports of it.

use super::bitmap::Bitmap;
use super::params::Params;
use super::report::{Heard, Section, Summary, Writer};
use super::subpacket::{ParityHeader, SubHeader};
use std::collections::VecDeque;
use std::time::Duration;

/// What to do with a sub-packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Copy it to its place.
    New,
    /// It is there already.
    Known,
    /// Its chunk is complete, or not yet to be sent: nowhere to put it.
    Elsewhere,
    /// It contradicts the sizes agreed on, or others of its chunk.
    Wrong,
}

/// When a receiver reports without being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AckTimer {
    /// After so long without a usable sub-packet, while there is something to report.
    pub first: Duration,
    /// Each further report waits twice as long as the one before, but no longer than this.
    pub longest: Duration,
}

impl Default for AckTimer {
    fn default() -> Self {
        AckTimer {
            first: Duration::from_millis(10),
            longest: Duration::from_millis(500),
        }
    }
}

#[derive(Debug, Clone)]
struct Chunk {
    there: Bitmap,
    /// Sub-packets; known when the last one has come.
    count: Option<u16>,
    bytes: usize,
    /// The number after the highest that is there.
    top: u16,
}

impl Chunk {
    fn is_complete(&self) -> bool {
        self.count
            .is_some_and(|count| self.there.len() == u32::from(count))
    }
}

/// What of each chunk is there.
#[derive(Debug, Clone)]
pub struct AckGenerator {
    params: Params,
    timer: AckTimer,
    base: u32,
    /// Complete chunks from `base` on are here until the ones before them are complete.
    chunks: VecDeque<Chunk>,
    credit: u32,
    announced: u32,
    /// Where the stream ends, if that is known.
    end: Option<u32>,
    serial: u32,
    again: u32,
    pending: bool,
    idle_at: Option<Duration>,
    idle_wait: Duration,
    cursor: u32,
    spare: Vec<Chunk>,
    complete: VecDeque<(u32, usize)>,
}

impl AckGenerator {
    /// Begins with chunk `first`.
    #[must_use]
    pub fn new(params: Params, timer: AckTimer, first: u32) -> Self {
        let credit = first.wrapping_add(u32::from(params.chunks));
        AckGenerator {
            params,
            timer,
            base: first,
            chunks: VecDeque::new(),
            credit,
            announced: credit,
            end: None,
            serial: 0,
            again: 0,
            pending: false,
            idle_at: None,
            idle_wait: timer.first,
            cursor: 0,
            spare: Vec::new(),
            complete: VecDeque::new(),
        }
    }

    /// All chunks before it are complete.
    #[must_use]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Chunks before it may be sent: there is memory for them, and no more than that are kept in
    /// mind.
    fn limit(&self) -> u32 {
        let memory = self.credit.wrapping_sub(self.base);
        self.base
            .wrapping_add(memory.min(u32::from(self.params.chunks)))
    }

    /// Number of chunks from `base` on that may still come.
    fn open(&self) -> usize {
        let most = self.limit().wrapping_sub(self.base);
        let left = self.end.map_or(most, |end| end.wrapping_sub(self.base));
        left.min(most) as usize
    }

    /// A sub-packet is whole: what is to be done with it.
    pub fn usable(&mut self, now: Duration, sub: &SubHeader) -> Use {
        let offset = sub.chunk.wrapping_sub(self.base) as usize;
        if offset >= self.open() {
            return self.repeated(now, sub, Use::Elsewhere);
        }
        if !sub.fits(&self.params) {
            return Use::Wrong;
        }
        self.reach(offset);
        let chunk = &mut self.chunks[offset];
        let beyond = |count| sub.number >= count || sub.last != (sub.number + 1 == count);
        if chunk.count.is_some_and(beyond) || sub.last && sub.number + 1 < chunk.top {
            return Use::Wrong;
        }
        if !chunk.there.insert(sub.number) {
            return self.repeated(now, sub, Use::Known);
        }
        chunk.bytes += usize::from(sub.length);
        chunk.top = chunk.top.max(sub.number + 1);
        if sub.last {
            chunk.count = Some(sub.number + 1);
        }
        if chunk.is_complete() {
            self.complete.push_back((sub.chunk, chunk.bytes));
            self.pending = true;
        }
        while self.chunks.front().is_some_and(Chunk::is_complete) {
            if let Some(mut chunk) = self.chunks.pop_front() {
                chunk.there.clear();
                (chunk.count, chunk.bytes, chunk.top) = (None, 0, 0);
                self.spare.push(chunk);
            }
            self.base = self.base.wrapping_add(1);
        }
        self.restart(now);
        Use::New
    }

    /// A sub-packet is whole, but another one is at its place, or about to be: that one counts, and
    /// this one only tells that the sender may have missed a report.
    pub fn known(&mut self, now: Duration, sub: &SubHeader) {
        let offset = sub.chunk.wrapping_sub(self.base) as usize;
        let there = self.there(sub.chunk);
        if offset >= self.open() || there.is_some_and(|there| there.contains(sub.number)) {
            self.repeated(now, sub, Use::Known);
        }
    }

    /// Chunks up to this one are kept in mind.
    fn reach(&mut self, offset: usize) {
        while self.chunks.len() <= offset {
            let chunk = self.spare.pop().unwrap_or_else(|| Chunk {
                there: Bitmap::new(self.params.per_chunk),
                count: None,
                bytes: 0,
                top: 0,
            });
            self.chunks.push_back(chunk);
        }
    }

    /// Parity of a chunk is whole: what is to be done with it. It tells how many sub-packets the
    /// chunk has, also if the last one is lost.
    pub fn parity(&mut self, now: Duration, sub: &ParityHeader) -> Use {
        self.restart(now);
        let offset = sub.chunk.wrapping_sub(self.base) as usize;
        if offset >= self.open() {
            return Use::Elsewhere;
        }
        let params = self.params;
        let layout = params.layout(sub.count);
        let in_range = layout.is_some_and(|it| u32::from(sub.number) < it.parity());
        if !in_range || sub.count > params.per_chunk || !(1..=params.payload).contains(&sub.last) {
            return Use::Wrong;
        }
        self.reach(offset);
        let chunk = &mut self.chunks[offset];
        if chunk.is_complete() {
            return Use::Elsewhere;
        }
        // Without the last one, which tells the number, a chunk of `sub.count` cannot be all there.
        let right = chunk
            .count
            .map_or(chunk.top < sub.count, |count| count == sub.count);
        if !right {
            return Use::Wrong;
        }
        chunk.count = Some(sub.count);
        Use::New
    }

    /// What of a chunk is there; none if that is nothing, or if it is complete and forgotten.
    #[must_use]
    pub fn there(&self, chunk: u32) -> Option<&Bitmap> {
        let chunk = self.chunks.get(chunk.wrapping_sub(self.base) as usize);
        chunk.map(|chunk| &chunk.there)
    }

    /// The sender has something that we have: it may have missed a report.
    fn repeated(&mut self, now: Duration, sub: &SubHeader, what: Use) -> Use {
        if sub.round > 0 {
            self.again = self.again.wrapping_add(1);
        }
        self.restart(now);
        what
    }

    fn restart(&mut self, now: Duration) {
        self.idle_wait = self.timer.first;
        self.idle_at = Some(now + self.idle_wait);
    }

    /// A report is to be sent now.
    pub fn ask(&mut self) {
        self.pending = true;
    }

    /// Whether the next report is sent because of something that has come, and not because nothing
    /// has.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.pending
    }

    /// The stream ends before chunk `end`. False if that cannot be: a sender says so when it has
    /// sent all before, and always the same.
    pub fn fin(&mut self, end: u32) -> bool {
        let left = end.wrapping_sub(self.base) as usize;
        if left < self.chunks.len() || left > self.open() || self.end.is_some_and(|it| it != end) {
            return false;
        }
        self.end = Some(end);
        self.pending = true;
        true
    }

    /// Whether the end of the stream is known and everything before it complete.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.end == Some(self.base)
    }

    /// The next complete chunk: its number and its bytes. Chunks may be complete out of order.
    pub fn poll_complete(&mut self) -> Option<(u32, usize)> {
        self.complete.pop_front()
    }

    /// The user has taken a chunk, and its memory may be used for another one.
    pub fn release(&mut self) {
        self.credit = self.credit.wrapping_add(1);
        // A sender that has used up its credit waits for this.
        if self.limit().wrapping_sub(self.announced) * 4 >= u32::from(self.params.chunks) {
            self.pending = true;
        }
    }

    /// Adds a report to `bytes` if one is due: it takes at most `limit` bytes, where that is enough
    /// for the lanes. `looked`: all that had arrived by then has been told. That nothing has come
    /// for a while is said only of a time that was over then: a busy end has what it has not looked
    /// at.
    pub fn poll_report(
        &mut self,
        now: Duration,
        looked: Duration,
        limit: usize,
        lanes: impl ExactSizeIterator<Item = Heard>,
        bytes: &mut Vec<u8>,
    ) -> bool {
        let idle = !self.pending && self.idle_at.is_some_and(|at| looked >= at);
        if !self.pending && !idle {
            return false;
        }
        if idle {
            self.idle_wait = (self.idle_wait * 2).min(self.timer.longest);
            self.idle_at = Some(now + self.idle_wait);
        }
        self.pending = false;
        let mut writer = Writer::new(bytes, limit, lanes);
        // Where one report cannot hold all, the next begins with what this one has left out.
        let count = self.chunks.len() as u32;
        let start = if self.cursor < count { self.cursor } else { 0 };
        let mut written = 0;
        for step in 0..count {
            let offset = (start + step) % count;
            let chunk = &self.chunks[offset as usize];
            let number = self.base.wrapping_add(offset);
            let whole = if chunk.is_complete() {
                writer.section(number, Section::COMPLETE, 0, |_| 0)
            } else {
                let prefix = chunk.there.next_gap(0);
                let length = chunk.top.div_ceil(8).saturating_sub(prefix / 8);
                writer.section(number, prefix, length, |index| chunk.there.byte(index))
            };
            if !whole {
                break;
            }
            written += 1;
        }
        self.cursor = if written == count {
            0
        } else {
            (start + written) % count
        };
        let summary = Summary {
            serial: self.serial,
            base: self.base,
            credit: self.limit(),
            duplicates: self.again,
            idle,
            finished: self.is_finished(),
            whole: written == count,
        };
        self.serial = self.serial.wrapping_add(1);
        self.announced = self.limit();
        writer.finish(summary);
        true
    }

    /// When a report is due, if nothing happens before.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Duration> {
        if self.pending {
            Some(Duration::ZERO)
        } else {
            self.idle_at
        }
    }
}

#[cfg(test)]
mod tests;
