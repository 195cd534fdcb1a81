// SPDX-License-Identifier: Apache-2.0
//! The Sub-Packet Aggregator of one lane: puts sub-packets into frames, numbers them, and remembers
//! what each has carried until the receiver has heard of it or of a later one.

use super::cargo::Cargo;
use super::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind};
use super::generator::{Run, Work};
use super::params::{MAX_FRAME, MAX_PER_FRAME, Params};
use super::rate::{Pace, Rate};
use super::report::Heard;
use std::collections::VecDeque;
use std::time::Duration;

/// First wait for an answer of a lane of which nothing is known.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Shortest wait for an answer.
const SHORTEST_WAIT: Duration = Duration::from_millis(2);
/// Longest wait for an answer.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// Waits without an answer after which a lane has failed.
const PATIENCE: u32 = 4;
/// Frames on their way while nothing is known of a lane, and at least.
const FIRST: usize = 16;
/// Bytes on their way beyond what fills the lane twice, at most, while the rate still grows and
/// that is not more itself.
const MORE_AT_FIRST: usize = 1 << 19;
/// For how long an end on a busy machine may be busy with something else, without stopping the
/// other one.
const ABSENCE: Duration = Duration::from_millis(10);
/// Most frames on their way: a quarter of their numbers, so that old and new are never mistaken for
/// each other.
const MAX_OUTSTANDING: usize = 1 << 22;
/// Most frames that a lane may have got out of order.
const MAX_REORDER: i32 = 1024;
/// Shortest time between two questions of a lane that is full.
const ASK_TIME: Duration = Duration::from_millis(1);
/// Round trips without anything out of order after which half as much of it is expected.
const REORDER_ROUNDS: u32 = 100;

/// Where an aggregator takes what it sends.
pub trait Supply<B> {
    /// The next sub-packets of one chunk, at most `room`: those to be sent again before others.
    fn next(&mut self, room: u16) -> Option<Work<B>>;

    /// Whether some to be sent again wait.
    fn has_again(&mut self) -> bool;

    /// Whether none wait.
    fn is_empty(&mut self) -> bool;
}

/// What a lane has to say of the end of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Nothing.
    Open,
    /// All before this chunk was sent: that is said once.
    Sent(u32),
    /// All before this chunk has arrived: that is said until the receiver has confirmed it.
    Arrived(u32),
    /// The receiver has everything, and knows that it is all.
    Confirmed,
}

/// What a lane needs to know of its pipeline.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Sizes.
    pub params: Params,
    /// What stands in the headers of its frames.
    pub session: u64,
    /// Its number.
    pub lane: u8,
    /// How its rate is set.
    pub pace: Pace,
    /// Bytes that its receiver can hold and has not looked at; none: only the channel holds the
    /// lane back, and frames of sub-packets ask for no report.
    pub buffer: Option<usize>,
    /// Number of its first frame.
    pub first: FrameSeq,
}

/// A frame that is on its way, or part of it.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    frame: FrameSeq,
    at: Duration,
    /// What it carries.
    pub run: Run,
}

/// There and back, as a report says that is read at a time in microseconds. What is older than 2^31
/// us, or comes from the future, is no round trip.
#[must_use]
pub fn way(micros: u32, heard: &Heard) -> Option<Duration> {
    heard.highest?;
    let rtt = micros.wrapping_sub(heard.echo).wrapping_sub(heard.hold);
    (rtt < 1 << 31).then(|| Duration::from_micros(rtt.into()))
}

/// The sending side of one lane.
#[derive(Debug, Clone)]
pub struct Aggregator {
    /// How fast it may send.
    pub rate: Rate,
    terms: Terms,
    frame_bytes: usize,
    next: FrameSeq,
    /// The frame after the highest that was heard of.
    heard: FrameSeq,
    /// Frames of which something is known, and those of them that have arrived.
    known: u64,
    arrived: u64,
    /// The receiver's count of them, as it last told.
    told: u32,
    flight: VecDeque<Sent>,
    reorder: i32,
    /// When `reorder` has changed.
    reordered: Duration,
    unasked: usize,
    limited: bool,
    /// Something else than its rate has held it back since the last frame.
    held: bool,
    waits: u32,
    last_sent: Duration,
    /// Of an answer, or that one was missed.
    last_heard: Duration,
    /// It has told the end of the stream.
    has_told: bool,
    /// Sub-packets sent again.
    resent: u64,
}

impl Aggregator {
    /// A lane that has sent nothing.
    #[must_use]
    pub fn new(terms: Terms, now: Duration) -> Self {
        let (frame_bytes, first) = (terms.params.frame_bytes(), terms.first);
        Aggregator {
            rate: Rate::new(terms.pace, frame_bytes),
            terms,
            frame_bytes,
            next: first,
            heard: first,
            known: 0,
            arrived: 0,
            told: 0,
            flight: VecDeque::new(),
            reorder: 0,
            reordered: now,
            unasked: 0,
            limited: false,
            held: false,
            waits: 0,
            last_sent: now,
            last_heard: now,
            has_told: false,
            resent: 0,
        }
    }

    /// As [`Sender::lengthen`](super::sender::Sender::lengthen).
    pub fn lengthen(&mut self, limit: usize) {
        let params = &mut self.terms.params;
        let fit = limit.min(MAX_FRAME).saturating_sub(FRAME_HEADER) / params.stride();
        params.per_frame = params.per_frame.max(fit.min(MAX_PER_FRAME.into()) as u8);
        self.frame_bytes = params.frame_bytes();
        self.rate = Rate::new(self.terms.pace, self.frame_bytes);
    }

    /// Bytes of a full frame.
    #[must_use]
    pub fn frame_bytes(&self) -> usize {
        self.frame_bytes
    }

    /// Frames of which nothing is known yet.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.next.since(self.heard).max(0) as usize
    }

    /// Bytes that may be on their way: what fills the lane, and as much again, so that a late
    /// report stops nothing; where the way is short, what comes in [`ABSENCE`], but half of what
    /// the receiver can hold at most. More would only wait in queues on the way, which lose what
    /// they cannot hold: the rate that was found may be somewhat too high. A channel that sets the
    /// rate itself has no such queues.
    fn limit(&self) -> usize {
        let Some(buffer) = self.terms.buffer else {
            return MAX_OUTSTANDING * self.frame_bytes;
        };
        if self.rate.is_unknown() {
            return FIRST * self.frame_bytes;
        }
        let flight = self.rate.in_flight().unwrap_or(0) as usize;
        let more = if self.rate.is_free() {
            flight + buffer / 2
        } else if self.rate.is_starting() {
            flight + flight.max(MORE_AT_FIRST).min(buffer / 2)
        } else {
            let absent = self.rate.bandwidth().unwrap_or(0.0) * ABSENCE.as_secs_f64();
            flight.max((absent as usize).max(MORE_AT_FIRST).min(buffer / 2))
        };
        (flight + more).clamp(FIRST * self.frame_bytes, MAX_OUTSTANDING * self.frame_bytes)
    }

    /// Frames that may be sent before something is heard of those on their way.
    #[must_use]
    pub fn room(&self) -> usize {
        (self.limit() / self.frame_bytes).saturating_sub(self.outstanding())
    }

    /// Frames that may go out now, `most` at once.
    #[must_use]
    pub fn due(&self, now: Duration, most: usize) -> usize {
        if now < self.rate.next() {
            return 0;
        }
        self.room().min(most).min(self.rate.burst())
    }

    /// When the next frame may go out; none until something is heard.
    #[must_use]
    pub fn ready(&self) -> Option<Duration> {
        (self.room() > 0).then(|| self.rate.next())
    }

    /// Whether the lane waits for an answer that has not come for too long.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.waits >= PATIENCE
    }

    /// When something has to be asked of the receiver; `blocked`: because the sender waits for it,
    /// though all that it sent has arrived.
    #[must_use]
    pub fn next_ask(&self, blocked: bool) -> Option<Duration> {
        let waits =
            blocked || self.outstanding() > 0 || !self.flight.is_empty() || self.has_failed();
        waits.then(|| self.last_sent.max(self.last_heard) + self.wait())
    }

    /// For how long an answer may take.
    #[must_use]
    pub fn first_wait(&self) -> Duration {
        let known = self.rate.long_rtt().unwrap_or(FIRST_WAIT / 2);
        (known * 2).max(SHORTEST_WAIT)
    }

    fn wait(&self) -> Duration {
        self.first_wait()
            .saturating_mul(1 << self.waits.min(10))
            .min(LONGEST_WAIT)
    }

    /// Whether the next full frame has to ask for a report: some two of them shall be on their way
    /// when the lane is full, and no more than one in `ASK_TIME` where the way is short. The last
    /// one that may go out asks.
    #[must_use]
    pub fn must_ask(&self) -> bool {
        let flight = self.rate.in_flight().unwrap_or(0) as usize / 2;
        let time = self.rate.bandwidth().unwrap_or(0.0) * ASK_TIME.as_secs_f64();
        let least = FIRST * self.frame_bytes / 8;
        let most = flight.max(time as usize).max(least).min(self.limit() / 8);
        self.unasked + self.frame_bytes >= most || self.room() == 1
    }

    /// Fills `cargo` with the frames that may go out now, `most` at most, each as full as can be:
    /// one that is not can only be the last. False: there is room for more.
    pub fn fill<B>(
        &mut self,
        now: Duration,
        most: usize,
        supply: &mut impl Supply<B>,
        cargo: &mut Cargo<B>,
    ) -> bool {
        let (due, params) = (self.due(now, most), self.terms.params);
        let full = u16::from(params.per_frame);
        while cargo.frames.len() < due {
            let begun = cargo.works.len();
            let (mut count, mut bytes, mut is_whole) = (0, FRAME_HEADER, true);
            while count < full
                && is_whole
                && let Some(work) = supply.next(full - count)
            {
                let Run {
                    first, count: more, ..
                } = work.run;
                let most = usize::from(more) * usize::from(params.payload);
                let data = if work.run.parity {
                    most
                } else {
                    most.min(work.load.bytes - usize::from(first) * usize::from(params.payload))
                };
                count += more;
                bytes += usize::from(more) * params.sub_overhead() + data;
                // Only the last sub-packet of a frame may be short.
                is_whole = data == most;
                if work.run.round > 0 {
                    self.resent += u64::from(more);
                }
                cargo.works.push(work);
            }
            if count == 0 {
                return false;
            }
            let works = &cargo.works[begun..];
            let asks = self.terms.buffer.is_some()
                && (supply.is_empty()
                    || is_awaited(&params, works, !supply.has_again())
                    || self.must_ask());
            let kind = if asks { Kind::Ask } else { Kind::Data };
            let runs = works.iter().map(|work| work.run);
            let header = self.header(now, kind, count as u8, bytes, runs);
            self.add(header, works.len(), cargo);
            if bytes != self.frame_bytes {
                break;
            }
        }
        true
    }

    /// Fills `cargo` with a frame without sub-packets, if one is due. `blocked`: as in
    /// [`Aggregator::next_ask`].
    pub fn control<B>(&mut self, now: Duration, blocked: bool, end: End, cargo: &mut Cargo<B>) {
        let due = self.next_ask(blocked).is_some_and(|at| now >= at);
        let (kind, end) = match end {
            End::Confirmed => (Kind::Bye, None),
            End::Sent(end) | End::Arrived(end) if !self.has_told => (Kind::Fin, Some(end)),
            End::Arrived(end) if due || self.outstanding() == 0 => (Kind::Fin, Some(end)),
            _ if due => (Kind::Ask, None),
            _ => return,
        };
        self.has_told |= kind == Kind::Fin;
        if due {
            self.missed(now);
        }
        let bytes = FRAME_HEADER + end.map_or(0, |_| 4) + self.terms.params.control_check();
        let header = self.header(now, kind, 0, bytes, None);
        cargo.end = end;
        self.add(header, 0, cargo);
    }

    fn add<B>(&self, header: FrameHeader, works: usize, cargo: &mut Cargo<B>) {
        if cargo.frames.is_empty() {
            cargo.segment = header.length.into();
        }
        cargo.frames.push((header, works));
    }

    /// Header of a frame that goes out.
    fn header(
        &mut self,
        now: Duration,
        kind: Kind,
        count: u8,
        bytes: usize,
        runs: impl IntoIterator<Item = Run>,
    ) -> FrameHeader {
        let asks = kind != Kind::Data;
        FrameHeader {
            kind,
            lane: self.terms.lane,
            count,
            seq: self.frame(now, bytes, runs, asks),
            session: self.terms.session,
            length: bytes as u16,
            time: now.as_micros() as u32,
        }
    }

    /// Whether the end of the stream was told on this lane.
    #[must_use]
    pub fn has_told(&self) -> bool {
        self.has_told
    }

    /// Sub-packets that were sent again over it.
    #[must_use]
    pub fn resent(&self) -> u64 {
        self.resent
    }

    /// A frame goes out; says its number.
    pub fn frame(
        &mut self,
        now: Duration,
        bytes: usize,
        runs: impl IntoIterator<Item = Run>,
        asks: bool,
    ) -> FrameSeq {
        let frame = self.next;
        self.next = frame.next();
        self.flight.extend(runs.into_iter().map(|run| Sent {
            frame,
            at: now,
            run,
        }));
        self.unasked = if asks { 0 } else { self.unasked + bytes };
        self.last_sent = now;
        self.rate.sent(now, bytes, std::mem::take(&mut self.held));
        frame
    }

    /// What was filled last has gone out by now.
    pub fn gone(&mut self, now: Duration) {
        self.last_sent = self.last_sent.max(now);
    }

    /// There was nothing to send, though the lane had room.
    pub fn starved(&mut self) {
        (self.limited, self.held) = (true, true);
    }

    /// The channel takes nothing now.
    pub fn held(&mut self) {
        self.held = true;
    }

    #[cfg(test)]
    pub(crate) fn is_held(&self) -> bool {
        self.held
    }

    /// Nothing can be asked, as the channel takes nothing: an answer that has not come for as long
    /// as one may take is missed all the same.
    pub fn unasked(&mut self, now: Duration) {
        if self.next_ask(true).is_some_and(|at| now >= at) {
            self.missed(now);
        }
    }

    /// It is known not to answer.
    pub fn fail(&mut self, now: Duration) {
        (self.waits, self.last_heard) = (PATIENCE, now);
    }

    /// The time for an answer has passed: the caller asks again.
    fn missed(&mut self, now: Duration) {
        self.waits += 1;
        self.last_heard = now;
    }

    /// Takes what a report says of the lane, and says whether there is news.
    pub fn report(&mut self, now: Duration, micros: u32, heard: &Heard) -> bool {
        let Some(highest) = heard.highest else {
            return false;
        };
        let (after, news) = (highest.next(), highest.next().since(self.heard));
        // Of frames that were never sent nothing can be known.
        if self.next.since(after) < 0 || news < 0 {
            return false;
        }
        if news > 0 {
            self.held |= self.room() == 0;
            self.heard = after;
            self.waits = 0;
            self.last_heard = now;
            if let Some(rtt) = way(micros, heard) {
                self.rate.rtt_sample(now, rtt);
            }
            self.known += news as u64;
            // A path that doubles, somebody who repeats, a peer that lies: no more can have arrived
            // than was sent, or the rate would be taken for a multiple of what it is.
            let more = heard.frames.wrapping_sub(self.told) as i32;
            self.told = heard.frames;
            self.arrived = (self.arrived + more.max(0) as u64).min(self.known);
            let memory = self.rate.rtt().unwrap_or(FIRST_WAIT) * REORDER_ROUNDS;
            if self.reorder > 0 && now > self.reordered + memory {
                (self.reorder, self.reordered) = (self.reorder / 2, now);
            }
            let limited = std::mem::take(&mut self.limited);
            let flying = self.outstanding() as u64;
            let (arrived, known) = (self.arrived, self.known);
            self.rate.delivered(now, arrived, known, flying, limited);
        }
        true
    }

    /// The receiver says that it has waited in vain: all that would have been there when it said
    /// so, as it was sent no later than `until`, is settled. Nothing of it has arrived, which
    /// counts as an answer that has not come if it has been so for as long: else a dead lane would
    /// be given the same again for ever, and a lane whose last sub-packets were damaged a few times
    /// would pass for dead.
    pub fn silence(&mut self, now: Duration, until: Duration) {
        if self.outstanding() > 0 && self.last_sent <= until {
            self.heard = self.next;
            if now >= self.last_heard + self.wait() {
                self.missed(now);
            }
        }
    }

    /// The oldest part of a frame that is settled: heard of, or older than one that was.
    #[must_use]
    pub fn settled(&self, now: Duration) -> Option<Run> {
        let front = self.flight.front()?;
        let behind = self.heard.since(front.frame) - 1;
        (behind >= self.reorder || (behind >= 0 && now >= self.late(front))).then_some(front.run)
    }

    /// The oldest part of a frame of which nothing is known.
    #[must_use]
    pub fn oldest(&self) -> Option<Run> {
        self.flight.front().map(|sent| sent.run)
    }

    /// That part is dealt with.
    pub fn settle(&mut self) {
        self.flight.pop_front();
    }

    /// When a frame that others have overtaken has to be there.
    fn late(&self, sent: &Sent) -> Duration {
        sent.at + self.rate.long_rtt().unwrap_or(FIRST_WAIT) * 5 / 4
    }

    /// When a frame that others have overtaken counts as lost.
    #[must_use]
    pub fn next_late(&self) -> Option<Duration> {
        let front = self.flight.front()?;
        (self.heard.since(front.frame) > 0).then(|| self.late(front))
    }

    /// Something was sent again that had only been late.
    pub fn was_reordered(&mut self, now: Duration) {
        self.reorder = (self.reorder * 2 + 2).min(MAX_REORDER);
        self.reordered = now;
    }

    /// All that is on its way, given up.
    pub fn abandon(&mut self) -> impl Iterator<Item = Run> + '_ {
        self.flight.drain(..).map(|sent| sent.run)
    }

    /// Frames of which something is known, and how many of them have arrived.
    #[must_use]
    pub fn frames(&self) -> (u64, u64) {
        (self.known, self.arrived)
    }
}

/// Whether works end a chunk, its parity, or what is to be sent again (`all_again`: no more of it
/// waits): what is lost of them is to be known soon, as their chunk keeps its place in the
/// receiver's memory until then.
fn is_awaited<B>(params: &Params, works: &[Work<B>], all_again: bool) -> bool {
    works.iter().any(|Work { run, load, .. }| {
        if run.round > 0 {
            return all_again;
        }
        let count = params.sub_packets(load.bytes) as u16;
        let all = if run.parity {
            params.parity_of(count)
        } else {
            count
        };
        run.first + run.count == all
    })
}

#[cfg(test)]
mod tests;
