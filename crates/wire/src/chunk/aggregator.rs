// SPDX-License-Identifier: Apache-2.0
//! The Sub-Packet Aggregator of one lane: puts sub-packets into frames, numbers them, and remembers what each has carried until the
//! receiver has heard of it or of a later one.

use super::frame::FrameSeq;
use super::generator::Run;
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
/// Bytes on their way beyond what fills the lane twice, at most, while the rate still grows and that is not more itself.
const MORE_AT_FIRST: usize = 1 << 19;
/// For how long an end on a busy machine may be busy with something else, without stopping the other one.
const ABSENCE: Duration = Duration::from_millis(10);
/// Most frames on their way: a quarter of their numbers, so that old and new are never mistaken for each other.
const MAX_OUTSTANDING: usize = 1 << 22;
/// Most frames that a lane may have got out of order.
const MAX_REORDER: i32 = 1024;
/// Shortest time between two questions of a lane that is full.
const ASK_TIME: Duration = Duration::from_millis(1);
/// Round trips without anything out of order after which half as much of it is expected.
const REORDER_ROUNDS: u32 = 100;

/// A frame that is on its way, or part of it.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    frame: FrameSeq,
    at: Duration,
    /// What it carries.
    pub run: Run,
}

/// There and back, as a report says that is read at a time in microseconds. What is older than 2^31 us, or comes from the future, is no round trip.
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
    frame_bytes: usize,
    buffer: Option<usize>,
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
    /// Of an answer.
    answered: Duration,
}

impl Aggregator {
    /// A lane with frames of `frame_bytes` bytes, numbered from `first` on, whose receiver can hold
    /// `buffer` bytes that it has not looked at; none: only the channel holds the lane back.
    #[must_use]
    pub fn new(
        pace: Pace,
        frame_bytes: usize,
        buffer: Option<usize>,
        first: FrameSeq,
        now: Duration,
    ) -> Self {
        Aggregator {
            rate: Rate::new(pace, frame_bytes),
            frame_bytes,
            buffer,
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
            answered: now,
        }
    }

    /// Frames of which nothing is known yet.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.next.since(self.heard).max(0) as usize
    }

    /// Bytes that may be on their way: what fills the lane, and as much again, so that a late report stops nothing; where the way is short, what
    /// comes in [`ABSENCE`], but half of what the receiver can hold at most. More would only wait in queues on the way, which lose what
    /// they cannot hold: the rate that was found may be somewhat too high. A channel that sets the rate itself has no such queues.
    fn limit(&self) -> usize {
        let Some(buffer) = self.buffer else {
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

    /// When something has to be asked of the receiver; `blocked`: because the sender waits for it, though all that it sent has arrived.
    #[must_use]
    pub fn next_ask(&self, blocked: bool) -> Option<Duration> {
        let waits =
            blocked || self.outstanding() > 0 || !self.flight.is_empty() || self.has_failed();
        waits.then(|| self.last_sent.max(self.last_heard) + self.wait())
    }

    fn first_wait(&self) -> Duration {
        let known = self.rate.long_rtt().unwrap_or(FIRST_WAIT / 2);
        (known * 2).max(SHORTEST_WAIT)
    }

    fn wait(&self) -> Duration {
        self.first_wait()
            .saturating_mul(1 << self.waits.min(10))
            .min(LONGEST_WAIT)
    }

    /// Whether the next full frame has to ask for a report: some two of them shall be on their way when the lane is full, and no more than one in
    /// `ASK_TIME` where the way is short. The last one that may go out asks.
    #[must_use]
    pub fn must_ask(&self) -> bool {
        let flight = self.rate.in_flight().unwrap_or(0) as usize / 2;
        let time = self.rate.bandwidth().unwrap_or(0.0) * ASK_TIME.as_secs_f64();
        let least = FIRST * self.frame_bytes / 8;
        let most = flight.max(time as usize).max(least).min(self.limit() / 8);
        self.unasked + self.frame_bytes >= most || self.room() == 1
    }

    /// A frame goes out; says its number.
    pub fn frame(&mut self, now: Duration, bytes: usize, runs: &[Run], asks: bool) -> FrameSeq {
        let frame = self.next;
        self.next = frame.next();
        self.flight.extend(runs.iter().map(|&run| Sent {
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

    /// Whether this lane has been answered on after another one should have been: it is that one which is dead, and neither the receiver nor this end
    /// was just busy.
    #[must_use]
    pub fn outlives(&self, other: &Aggregator) -> bool {
        self.answered > other.answered + other.first_wait()
    }

    /// The time for an answer has passed: the caller asks again.
    pub fn missed(&mut self, now: Duration) {
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
            (self.last_heard, self.answered) = (now, now);
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

    /// The receiver says that it has waited in vain: all that would have been there when it said so, as it was sent no later than `until`, is settled. Nothing
    /// of it has arrived, which counts as an answer that has not come if it has been so for as long: else a dead lane would be given the same again
    /// for ever, and a lane whose last sub-packets were damaged a few times would pass for dead.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(highest: u32, frames: u32) -> Heard {
        Heard {
            highest: Some(FrameSeq::new(highest)),
            frames,
            echo: 0,
            hold: 0,
        }
    }

    /// What the receiver counts cannot be more than was sent, and never becomes less.
    #[test]
    fn a_count_that_is_not_believed() {
        let at = Duration::from_millis;
        let mut lane = Aggregator::new(
            Pace::default(),
            1000,
            Some(1 << 20),
            FrameSeq::new(0),
            at(0),
        );
        for sent in 0..100 {
            lane.frame(at(sent), 1000, &[], false);
        }
        assert!(lane.report(at(101), 0, &heard(9, 50)));
        assert_eq!(lane.frames(), (10, 10));
        assert!(lane.report(at(102), 0, &heard(19, 55)));
        assert_eq!(lane.frames(), (20, 15));
        assert!(lane.report(at(103), 0, &heard(29, 3)));
        assert_eq!(lane.frames(), (30, 15));
        assert!(lane.report(at(104), 0, &heard(39, 8)));
        assert_eq!(lane.frames(), (40, 20));
        assert!(lane.report(at(105), 0, &heard(49, u32::MAX)));
        assert_eq!(lane.frames(), (50, 20));
    }

    #[test]
    fn the_time_that_a_frame_was_held_is_no_way() {
        let held = Heard {
            echo: 100,
            hold: 300,
            ..heard(0, 1)
        };
        assert_eq!(way(1000, &held), Some(Duration::from_micros(600)));
        assert_eq!(way(399, &held), None);
        assert_eq!(way(1000, &Heard::default()), None);
    }
}
