// SPDX-License-Identifier: Apache-2.0
//! The Ack Processor: knows what of each chunk has arrived, and what has to be sent again.
//!
//! A sub-packet is sent again when the frame that carried it last is settled, that is, older than
//! something that has arrived on the same lane, and no report has it. So each loss costs one
//! transmission, however many reports tell of it and however long they travel.
//!
//! Of a chunk with parity over sub-packets nothing is sent again before all of it, parity included,
//! is settled: until then what is lost may be restored.

use super::aggregator::way;
use super::bitmap::Bitmap;
use super::frame::{FrameHeader, Kind};
use super::generator::{Load, Run, Work};
use super::params::{Fec, Params};
use super::rate::RoundTrip;
use super::report::{Heard, Report, Section};
use super::session::LaneReader;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug)]
struct Chunk<B> {
    load: Option<Arc<Load<B>>>,
    count: u16,
    arrived: Bitmap,
    queued: Bitmap,
    round: u16,
    complete: bool,
    /// Sub-packets that are not settled yet, parity included, before which nothing is sent again.
    /// None where there is no parity.
    awaited: u32,
    /// What has been found to be lost until then.
    held: Vec<Run>,
}

/// What is known of a lane.
#[derive(Debug, Clone, Copy, Default)]
struct Health {
    /// What the last report said of it.
    heard: Heard,
    /// When a report last brought news of it.
    answered: Duration,
    round_trip: RoundTrip,
    /// It is not answered, for longer than this, which an answer may take.
    silent: Option<Duration>,
}

/// What a datagram has brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// A report.
    News(Learned),
    /// A report that is older than one that was read.
    Known,
    /// No report of this session.
    Foreign,
}

/// What a report has brought, beside what it says of lanes and chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Learned {
    /// Chunks before it may be sent; none where more are named than there are to be.
    pub credit: Option<u32>,
    /// Sub-packets that are found to be lost.
    pub lost: u32,
    /// Sub-packets that had arrived already.
    pub duplicates: u32,
    /// Some that were sent again had only been late.
    pub reordered: bool,
    /// Nothing has come for the time of the receiver's timer.
    pub idle: bool,
    /// The receiver has everything.
    pub finished: bool,
}

/// What of each chunk has arrived, and what has to be sent again.
#[derive(Debug)]
pub struct AckProcessor<B> {
    params: Params,
    /// Of each lane.
    readers: Vec<LaneReader>,
    lanes: Vec<Health>,
    serial: Option<u32>,
    duplicates: u32,
    body: Vec<u8>,
    base: u32,
    chunks: VecDeque<Chunk<B>>,
    queued: u32,
    resent: bool,
    spare: Vec<Chunk<B>>,
    coverage: Coverage,
    /// Settled, but the last report does not speak of all of it.
    unclear: VecDeque<Run>,
}

/// How far the last report spoke of each chunk.
#[derive(Debug, Clone, Default)]
struct Coverage {
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

impl<B> AckProcessor<B> {
    /// Begins with chunk `first`; `readers`: of the reports, one for each lane.
    #[must_use]
    pub fn new(params: Params, readers: Vec<LaneReader>, first: u32) -> Self {
        AckProcessor {
            params,
            lanes: vec![Health::default(); readers.len()],
            readers,
            serial: None,
            duplicates: 0,
            body: Vec::new(),
            base: first,
            chunks: VecDeque::new(),
            queued: 0,
            resent: false,
            spare: Vec::new(),
            coverage: Coverage::default(),
            unclear: VecDeque::new(),
        }
    }

    /// A chunk is in flight: the one after the last.
    pub fn started(&mut self, load: Arc<Load<B>>) {
        let count = self.params.sub_packets(load.bytes) as u16;
        let parity = self.params.parity_of(count);
        let mut chunk = self.spare.pop().unwrap_or_else(|| Chunk {
            load: None,
            count,
            arrived: Bitmap::new(self.params.per_chunk),
            queued: Bitmap::new(self.params.per_chunk),
            round: 0,
            complete: false,
            awaited: 0,
            held: Vec::new(),
        });
        (chunk.load, chunk.count) = (Some(load), count);
        if parity > 0 {
            chunk.awaited = u32::from(count) + u32::from(parity);
        }
        self.chunks.push_back(chunk);
    }

    /// Takes a datagram of the receiver. `sent`: the first chunk of which not all has been sent.
    pub fn receive(&mut self, now: Duration, datagram: &[u8], sent: u32) -> Reading {
        // Taken out while it is read.
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        if let Ok((header, _)) = FrameHeader::parse(datagram)
            && header.kind == Kind::Report
            && let Some(reader) = self.readers.get_mut(usize::from(header.lane))
            && let Some(read) = reader.control(&header, datagram)
        {
            body.extend_from_slice(read);
        }
        let report = Report::parse(&body);
        let reading = report.map_or(Reading::Foreign, |report| self.read(now, &report, sent));
        self.body = body;
        reading
    }

    fn read(&mut self, now: Duration, report: &Report<'_>, sent: u32) -> Reading {
        let summary = report.summary;
        if !summary.is_news(self.serial) {
            return Reading::Known;
        }
        // Complete can only be what was sent: this is no report of ours.
        if summary.base.wrapping_sub(self.base) > sent.wrapping_sub(self.base) {
            return Reading::Foreign;
        }
        self.serial = Some(summary.serial);
        let duplicates = summary.duplicates.wrapping_sub(self.duplicates);
        self.duplicates = summary.duplicates;
        let mut heard = report.lanes();
        for lane in &mut self.lanes {
            let before = std::mem::replace(&mut lane.heard, heard.next().unwrap_or_default());
            if lane.heard.highest.is_some() && lane.heard.highest != before.highest {
                (lane.answered, lane.silent) = (now, None);
                if let Some(rtt) = way(now.as_micros() as u32, &lane.heard) {
                    lane.round_trip.sample(rtt);
                }
            }
        }
        // Where there is parity over sub-packets, some of what is sent again restores the rest
        // before that comes.
        let restores = matches!(self.params.fec, Fec::Restore(..));
        // Credit for more chunks than there were to be is no credit.
        let credit = summary.credit.wrapping_sub(summary.base) <= u32::from(self.params.chunks);
        Reading::News(Learned {
            credit: credit.then_some(summary.credit),
            lost: self.report(report, sent),
            duplicates,
            reordered: duplicates > 0 && self.resent && !restores,
            idle: summary.idle,
            finished: summary.finished,
        })
    }

    /// What the last report said of a lane.
    #[must_use]
    pub fn heard(&self, lane: usize) -> Heard {
        self.lanes[lane].heard
    }

    /// The receiver has waited in vain ([`Learned::idle`]): of each lane, what was sent until then
    /// would be there by now. When the receiver said so is known by the clock of this end, but for
    /// the way there: a report may be read long after it has come. None where no way is known.
    #[must_use]
    pub fn settled_until(&self, now: Duration) -> Vec<Duration> {
        let micros = now.as_micros() as u32;
        let lanes = self.lanes.iter();
        let ways: Vec<_> = lanes.map(|lane| way(micros, &lane.heard)).collect();
        let trips = self.lanes.iter().map(|lane| lane.round_trip);
        let trips = trips.filter_map(|trip| Some((trip.smoothed()?, trip.long()?)));
        let (Some(nearest), Some((rtt, long))) = (ways.iter().flatten().min(), trips.max()) else {
            return Vec::new();
        };
        // Frames may take longer than the one that was heard of, and how long those of a lane take
        // of which none was is not known.
        let until = |way: &Option<Duration>| {
            let way = way.unwrap_or(*nearest + rtt) + (long - rtt);
            now.saturating_sub(way)
        };
        ways.iter().map(until).collect()
    }

    /// A lane is not answered, though an answer takes no longer than this.
    pub fn silent(&mut self, lane: usize, wait: Duration) {
        self.lanes[lane].silent = Some(wait);
    }

    /// Whether a lane is not answered: nothing new goes over it.
    #[must_use]
    pub fn is_silent(&self, lane: usize) -> bool {
        self.lanes[lane].silent.is_some()
    }

    /// Whether another lane has been answered after a silent one should have been: it is that one
    /// which is dead, and neither the receiver nor this end was just busy. What is on it goes over
    /// the others. Where all are as silent, it waits for an answer, which tells what of it has
    /// arrived.
    #[must_use]
    pub fn is_outlived(&self, lane: usize) -> bool {
        let Health {
            answered, silent, ..
        } = self.lanes[lane];
        let later = |wait| {
            let mut others = self.lanes.iter().filter(|other| other.silent.is_none());
            others.any(|other| other.answered > answered + wait)
        };
        silent.is_some_and(later)
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

    /// Whether there are settled frames of which no report has told what has arrived.
    #[must_use]
    pub fn is_unclear(&self) -> bool {
        !self.unclear.is_empty()
    }

    fn chunk_mut(&mut self, chunk: u32) -> Option<&mut Chunk<B>> {
        self.chunks.get_mut(chunk.wrapping_sub(self.base) as usize)
    }

    /// Takes what a report says of chunks, and says how many sub-packets are found to be lost.
    /// `sent`: the first chunk of which not all has been sent; neither it nor a later one can be
    /// complete. What is said of chunks that are not on their way counts for nothing.
    fn report(&mut self, report: &Report<'_>, sent: u32) -> u32 {
        self.coverage.mentioned.clear();
        self.coverage.whole = report.summary.whole;
        let sent = sent.wrapping_sub(self.base) as usize;
        let complete = report.summary.base.wrapping_sub(self.base) as usize;
        if complete <= sent {
            for chunk in self.chunks.iter_mut().take(complete) {
                chunk.complete = true;
            }
        }
        for section in report.sections() {
            let covered = self.section(&section, sent);
            self.coverage.mentioned.push((section.chunk, covered));
        }
        let mut lost = 0;
        for _ in 0..self.unclear.len() {
            if let Some(run) = self.unclear.pop_front() {
                lost += self.judge(run);
            }
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
        lost
    }

    /// Says before which sub-packet the section speaks of its chunk.
    fn section(&mut self, section: &Section<'_>, sent: usize) -> u16 {
        let may_be_complete = (section.chunk.wrapping_sub(self.base) as usize) < sent;
        let Some(chunk) = self.chunk_mut(section.chunk) else {
            return 0;
        };
        if section.prefix == Section::COMPLETE {
            chunk.complete |= may_be_complete;
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
            chunk.complete |= may_be_complete;
        }
        if section.cut {
            at.saturating_mul(8)
        } else {
            u16::MAX
        }
    }

    /// A frame that carried this run is settled: what of it has not arrived is to be sent again.
    /// Says how many those are, and what was held back until now.
    pub fn settle(&mut self, run: Run) -> u32 {
        self.ended(run, Self::judge)
    }

    /// All of this run that has not arrived is to be sent again; says how many those are, and what
    /// was held back until now. So it is with what was on a lane that has failed, whatever becomes
    /// of it there.
    pub fn lose(&mut self, run: Run) -> u32 {
        self.ended(run, Self::send_again)
    }

    /// A run is over: now, or with all of its chunk, that which is lost is sent again.
    fn ended(&mut self, run: Run, now: fn(&mut Self, Run) -> u32) -> u32 {
        let Some(chunk) = self.chunk_mut(run.chunk) else {
            return 0;
        };
        if chunk.awaited == 0 {
            return if run.parity { 0 } else { now(self, run) };
        }
        chunk.awaited = chunk.awaited.saturating_sub(run.count.into());
        let mut numbers = run.first..run.first + run.count;
        if !run.parity && numbers.any(|number| !chunk.arrived.contains(number)) {
            chunk.held.push(run);
        }
        if chunk.awaited > 0 {
            return 0;
        }
        let mut held = std::mem::take(&mut chunk.held);
        let lost = held.drain(..).map(|run| self.judge(run)).sum();
        // Its memory is used again.
        if let Some(chunk) = self.chunk_mut(run.chunk) {
            chunk.held = held;
        }
        lost
    }

    /// Where the last report does not speak of all of a run, one that does is waited for: nothing
    /// that was sent later may wait for that, as it may be what keeps the reports from speaking of
    /// this one.
    fn judge(&mut self, run: Run) -> u32 {
        if self.coverage.of(run.chunk) >= run.first + run.count {
            return self.send_again(run);
        }
        if self
            .chunk_mut(run.chunk)
            .is_some_and(|chunk| !chunk.complete)
        {
            self.unclear.push_back(run);
        }
        0
    }

    fn send_again(&mut self, run: Run) -> u32 {
        let Some(chunk) = self.chunk_mut(run.chunk).filter(|chunk| !chunk.complete) else {
            return 0;
        };
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
        lost
    }

    /// The next sub-packets to be sent again, at most `room`: the oldest first.
    pub fn next_work(&mut self, room: u16) -> Option<Work<B>> {
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
                    self.resent = true;
                    let run = Run {
                        chunk: self.base.wrapping_add(offset as u32),
                        first,
                        count,
                        round: chunk.round,
                        parity: false,
                    };
                    return Some(Work {
                        run,
                        load: Arc::clone(chunk.load.as_ref()?),
                        parity: None,
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

    /// The oldest chunk, if it is complete, with its number; it is forgotten here.
    pub fn poll_complete(&mut self) -> Option<(u32, Arc<Load<B>>)> {
        if !self.chunks.front()?.complete {
            return None;
        }
        let mut chunk = self.chunks.pop_front()?;
        let load = chunk.load.take()?;
        self.queued -= chunk.queued.len();
        chunk.arrived.clear();
        chunk.queued.clear();
        chunk.round = 0;
        chunk.complete = false;
        chunk.awaited = 0;
        chunk.held.clear();
        self.spare.push(chunk);
        let base = self.base;
        self.base = base.wrapping_add(1);
        Some((base, load))
    }
}

#[cfg(test)]
mod tests;
