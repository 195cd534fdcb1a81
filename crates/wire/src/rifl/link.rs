// SPDX-License-Identifier: Apache-2.0
//! Two endpoints, a faulty channel and a scoreboard, one step per frame time.
//!
//! The channel delivers a frame a whole number of frame times after it was sent; the delays of both
//! directions, which include all pipelines, add up to the round trip that the limit
//! [`super::IdWidth::rtt_limit`] is about. The caller damages frames bit by bit, so the real code
//! check runs. Loss of alignment is abstracted: the headers are watched as in the aligner, and once
//! the lock is lost the receiver sees noise for a while, as during a search.
//!
//! Deterministic: the same [`LinkConfig`] and the same faults give the same run.

use super::aligner::{HeaderWatch, legal_header};
use super::clock_comp::ClockComp;
use super::fc::FlowBuffer;
use super::frame::{Frame, MAX_SEGMENT, Segment};
use super::params::{LaneParams, ParamError};
use super::rx::{Receiver, RxFlags};
use super::tx::{Transmitter, TxInputs, TxState, TxTick};
use alloc::collections::VecDeque;

/// Small deterministic random numbers (SplitMix64), for traffic and faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Random(u64);

impl Random {
    /// Numbers that follow from `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `n`; 0 for `n` = 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// `true` `n` times out of 256.
    #[inline]
    pub fn chance(&mut self, n: u16) -> bool {
        (self.bits() >> 56) < u64::from(n)
    }

    /// A number of trials before the next hit of probability `p`, geometrically distributed.
    pub fn gap(&mut self, p: f64) -> u64 {
        // 53 random bits as a number above 0 and up to 1.
        let uniform = ((self.bits() >> 11) + 1) as f64 / 9_007_199_254_740_992.0;
        let trials = uniform.ln() / (-p).ln_1p();
        if trials.is_finite() {
            trials as u64
        } else {
            u64::MAX
        }
    }
}

pub(crate) const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Direction of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From end 0 to end 1.
    AToB,
    /// From end 1 to end 0.
    BToA,
}

impl Direction {
    /// Index of the sending end.
    #[must_use]
    pub const fn from(self) -> usize {
        match self {
            Direction::AToB => 0,
            Direction::BToA => 1,
        }
    }
}

/// What a link is built with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkConfig {
    /// Both lanes.
    pub lane: LaneParams,
    /// Frame times from a transmitter's decision to the reaction of the peer, by direction, 1 or
    /// more.
    pub delay: [u32; 2],
    /// How much faster end 1 is than end 0, parts per million, -1000 to 1000.
    pub ppm: i32,
    /// How often the users offer a segment, of 256, by sending end.
    pub offer: [u16; 2],
    /// How often the users take a segment, of 256, by receiving end.
    pub accept: [u16; 2],
    /// Seed of traffic and handshakes.
    pub seed: u64,
}

impl LinkConfig {
    /// Saturated traffic both ways over equal delays that make up `round_trip`.
    #[must_use]
    pub const fn saturated(lane: LaneParams, round_trip: u32, seed: u64) -> Self {
        let there = round_trip.div_ceil(2);
        let delay = [there, round_trip - there];
        LinkConfig {
            lane,
            delay,
            ppm: 0,
            offer: [256; 2],
            accept: [256; 2],
            seed,
        }
    }
}

/// Counts of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Score {
    /// Segments taken from the sending user.
    pub sent: u64,
    /// Segments delivered in order and unchanged.
    pub delivered: u64,
    /// Segments that were under way when a session ended (extended mode); reported, so not lost.
    pub aborted: u64,
    /// Segments skipped by a later one.
    pub lost: u64,
    /// Segments delivered again.
    pub duplicated: u64,
    /// Skipped segments that came later.
    pub reordered: u64,
    /// Segments that were never sent like this.
    pub corrupted: u64,
    /// Segments that found a full buffer.
    pub overflowed: u64,
}

impl Score {
    /// Whether nothing went wrong so far.
    #[must_use]
    pub const fn clean(&self) -> bool {
        self.lost + self.duplicated + self.reordered + self.corrupted + self.overflowed == 0
    }
}

/// Traffic of one direction and its scoreboard. Segment n is a function of seed and n, so nothing
/// has to be remembered.
#[derive(Debug, Clone)]
pub(crate) struct Traffic {
    seed: u64,
    lane: LaneParams,
    pub(crate) score: Score,
    /// Number of the segment to be delivered next.
    pub(crate) next: u64,
    /// Numbers of skipped segments.
    missing: Vec<u64>,
    /// The segment that the user offers.
    pub(crate) offered: Option<Segment>,
}

impl Traffic {
    pub(crate) fn new(lane: LaneParams, seed: u64) -> Self {
        let (score, missing) = (Score::default(), Vec::new());
        Traffic {
            seed: mix(seed),
            lane,
            score,
            next: 0,
            missing,
            offered: None,
        }
    }

    /// Segment `n`: a quarter ends a packet, at any length.
    pub(crate) fn segment(&self, n: u64) -> Option<Segment> {
        let mut random = Random::new(self.seed ^ n.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let full = self.lane.frame().payload_bytes();
        let end = random.chance(64);
        let len = if end {
            random.below(full as u64 + 1) as usize
        } else {
            full
        };
        let mut bytes = [0; MAX_SEGMENT];
        for chunk in bytes.chunks_exact_mut(8).take(len.div_ceil(8)) {
            chunk.copy_from_slice(&random.bits().to_le_bytes());
        }
        Segment::new(self.lane.frame(), &bytes[..len], end)
    }

    pub(crate) fn offer(&mut self) {
        if self.offered.is_none() {
            self.offered = self.segment(self.score.sent);
        }
    }

    /// Gives up what is before segment `n` and not delivered: a session has ended.
    pub(crate) fn abort_before(&mut self, n: u64) {
        self.score.aborted += n.saturating_sub(self.next);
        self.next = self.next.max(n);
    }

    pub(crate) fn taken(&mut self) {
        self.offered = None;
        self.score.sent += 1;
    }

    pub(crate) fn deliver(&mut self, segment: &Segment) {
        if self.next < self.score.sent && self.segment(self.next).as_ref() == Some(segment) {
            self.next += 1;
            self.score.delivered += 1;
        } else {
            self.misplaced(segment);
        }
    }

    #[cold]
    fn misplaced(&mut self, segment: &Segment) {
        let is = |n: u64| self.segment(n).as_ref() == Some(segment);
        let reach = 4 * u64::from(self.lane.id().frames());
        let before = self.next.saturating_sub(reach)..self.next;
        let behind = self.next..self.score.sent.min(self.next + reach);
        // Very short segments resemble each other too much to be recognised out of place.
        if segment.bytes().len() < 8 {
            self.score.corrupted += 1;
        } else if let Some(n) = before.rev().find(|&n| is(n)) {
            if let Some(place) = self.missing.iter().position(|&m| m == n) {
                self.missing.swap_remove(place);
                self.score.lost -= 1;
                self.score.reordered += 1;
            } else {
                self.score.duplicated += 1;
            }
        } else if let Some(n) = behind.clone().find(|&n| is(n)) {
            self.score.lost += n - self.next;
            self.missing.extend(self.next..n);
            self.score.delivered += 1;
            self.next = n + 1;
        } else {
            self.score.corrupted += 1;
        }
    }
}

/// A frame on the line.
#[derive(Debug, Clone, Copy)]
struct OnLine {
    arrival: u64,
    frame: Frame,
    damaged: bool,
}

/// Depth of the crossing from the receiver's to the user's clock, segments.
const CROSSING: u16 = 16;

/// One end of a link.
#[derive(Debug, Clone)]
pub struct End {
    pub(crate) tx: Transmitter,
    pub(crate) rx: Receiver,
    watch: HeaderWatch,
    /// Frames of noise left before the search has come back to the right place.
    searching: u32,
    crossing: u16,
    flow: FlowBuffer,
    comp: ClockComp,
    /// Frames received.
    received: u64,
    /// Frames on the line towards this end.
    line: VecDeque<OnLine>,
    random: Random,
    /// Own time of the next tick and own frame time.
    time: u64,
    period: u64,
    stalled: bool,
    last: Option<TxTick>,
    retransmissions: u64,
    most_behind: u16,
    unseen: u64,
    /// Test switch: wishes of the clock compensation are heard.
    compensating: bool,
}

impl End {
    /// The transmitter.
    #[must_use]
    pub fn tx(&self) -> &Transmitter {
        &self.tx
    }

    /// The receiver.
    #[must_use]
    pub fn rx(&self) -> &Receiver {
        &self.rx
    }

    /// The flow-control buffer.
    #[must_use]
    pub fn flow(&self) -> &FlowBuffer {
        &self.flow
    }

    /// The last decision of the transmitter, `None` before the first.
    #[must_use]
    pub fn last(&self) -> Option<&TxTick> {
        self.last.as_ref()
    }

    /// Retransmissions started.
    #[must_use]
    pub fn retransmissions(&self) -> u64 {
        self.retransmissions
    }

    /// The most frames that this end's transmitter has been ahead of the peer's deliveries.
    /// Delivery needs 16 more in the buffer, so K - 17 is the most that can be repaired.
    #[must_use]
    pub fn most_behind(&self) -> u16 {
        self.most_behind
    }

    /// Damaged frames that verified by chance. A code of 12 bits misses one garbage frame in 2^12,
    /// and no protocol on top of it can help; a run in which this happened proves nothing.
    #[must_use]
    pub fn unseen(&self) -> u64 {
        self.unseen
    }

    /// Stops or restarts the user's reading.
    pub fn stall(&mut self, stalled: bool) {
        self.stalled = stalled;
    }
}

/// Two endpoints and the line between them.
#[derive(Debug, Clone)]
pub struct Link {
    config: LinkConfig,
    ends: [End; 2],
    traffic: [Traffic; 2],
    offering: [bool; 2],
    frames: u64,
}

/// Length of a frame time of end 0 in units of link time.
const PERIOD: u64 = 1_000_000;

impl Link {
    /// A link after reset of both ends.
    ///
    /// # Errors
    /// None at present: the parameters are checked where they are made. Delays below one frame
    /// count as one, offsets beyond 1000 ppm as 1000.
    pub fn new(config: LinkConfig) -> Result<Self, ParamError> {
        let ppm = config.ppm.clamp(-1000, 1000);
        let end = |index: usize| {
            let faster = if index == 0 { 0 } else { ppm };
            End {
                tx: Transmitter::new(config.lane),
                rx: Receiver::new(config.lane),
                watch: HeaderWatch::default(),
                searching: 0,
                crossing: 0,
                flow: FlowBuffer::new(config.lane.id()),
                comp: ClockComp::default(),
                received: 0,
                line: VecDeque::with_capacity(config.delay[1 - index] as usize + 2),
                random: Random::new(mix(config.seed) ^ index as u64),
                time: 0,
                period: PERIOD.saturating_add_signed(-i64::from(faster)),
                stalled: false,
                last: None,
                retransmissions: 0,
                most_behind: 0,
                unseen: 0,
                compensating: true,
            }
        };
        let traffic = |index: u64| Traffic::new(config.lane, config.seed.wrapping_add(index + 1));
        Ok(Link {
            config,
            ends: [end(0), end(1)],
            traffic: [traffic(0), traffic(1)],
            offering: [true; 2],
            frames: 0,
        })
    }

    /// An end, 0 or 1 (other numbers count as 1).
    #[must_use]
    pub fn end(&self, index: usize) -> &End {
        &self.ends[index.min(1)]
    }

    /// An end, 0 or 1 (other numbers count as 1).
    pub fn end_mut(&mut self, index: usize) -> &mut End {
        &mut self.ends[index.min(1)]
    }

    /// Counts of a direction.
    #[must_use]
    pub fn score(&self, direction: Direction) -> Score {
        let to = &self.ends[1 - direction.from()];
        let score = self.traffic[direction.from()].score;
        Score {
            overflowed: score.overflowed + to.flow.overflows(),
            ..score
        }
    }

    /// Whether nothing went wrong so far in either direction.
    #[must_use]
    pub fn clean(&self) -> bool {
        self.score(Direction::AToB).clean() && self.score(Direction::BToA).clean()
    }

    /// Whether both ends take user data.
    #[must_use]
    pub fn link_up(&self) -> bool {
        self.ends
            .iter()
            .all(|end| end.last.is_some_and(|tick| tick.link_up))
    }

    /// Frames decided by both ends together.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// One frame time of end 0 (and of end 1, but for the clock offset). `fault` may damage each
    /// frame as it enters the line; it is told the direction and the sender's decision.
    #[inline]
    pub fn tick(&mut self, fault: &mut impl FnMut(Direction, &TxTick, &mut Frame)) {
        loop {
            let index = usize::from(self.ends[1].time < self.ends[0].time);
            self.tick_end(index, fault);
            if index == 0 {
                // End 1 follows within the same frame time unless its clock is ahead.
                while self.ends[1].time < self.ends[0].time {
                    self.tick_end(1, fault);
                }
                return;
            }
        }
    }

    fn tick_end(&mut self, index: usize, fault: &mut impl FnMut(Direction, &TxTick, &mut Frame)) {
        let end = &mut self.ends[index];
        let now = end.time;
        while end.line.front().is_some_and(|item| item.arrival <= now) {
            let Some(item) = end.line.pop_front() else {
                break;
            };
            let traffic = &mut self.traffic[1 - index];
            if let Some(segment) = end.receive(item) {
                traffic.deliver(&segment);
                if end.crossing == CROSSING {
                    traffic.score.overflowed += 1;
                } else {
                    end.crossing += 1;
                }
            }
        }
        let pushed = end.crossing.min(1);
        end.crossing -= pushed;
        let accept = !end.stalled && end.random.chance(self.config.accept[index]);
        let stop = end.flow.stop();
        let taken = u16::from(accept && end.flow.level() + pushed > 0);
        end.flow.tick(pushed, taken);

        let traffic = &mut self.traffic[index];
        if self.offering[index] && end.random.chance(self.config.offer[index]) {
            traffic.offer();
        }
        let RxFlags {
            up,
            error,
            pause_req,
            retrans_req,
            remote_fc,
            ..
        } = end.rx.flags();
        let tick = end.tx.tick(&TxInputs {
            rx_up: up,
            rx_error: error,
            pause_req,
            retrans_req,
            local_fc: stop,
            remote_fc,
            compensate: end.compensating && end.comp.compensate(),
            user: traffic.offered.as_ref(),
        });
        if tick.user_taken {
            traffic.taken();
        }
        end.comp.tick(end.received, tick.slack, up);
        end.retransmissions += u64::from(tick.retransmission_start);
        end.last = Some(tick);
        end.time += end.period;
        let head = end.tx.head();
        self.frames += 1;

        let direction = if index == 0 {
            Direction::AToB
        } else {
            Direction::BToA
        };
        let mut frame = tick.frame;
        fault(direction, &tick, &mut frame);
        let arrival = now + u64::from(self.config.delay[index].max(1)) * PERIOD;
        let peer = &mut self.ends[1 - index];
        peer.line.push_back(OnLine {
            arrival,
            frame,
            damaged: frame != tick.frame,
        });
        if tick.link_up {
            let behind = head.wrapping_sub(peer.rx.threshold()) & self.config.lane.id().mask();
            let end = &mut self.ends[index];
            end.most_behind = end.most_behind.max(behind);
        }
    }

    /// `ticks` frame times with faults.
    pub fn run(&mut self, ticks: u64, mut fault: impl FnMut(Direction, &TxTick, &mut Frame)) {
        for _ in 0..ticks {
            self.tick(&mut fault);
        }
    }

    /// Runs without faults until both ends take user data; `false` if that takes more than `ticks`.
    pub fn bring_up(&mut self, ticks: u64) -> bool {
        for _ in 0..ticks {
            if self.link_up() {
                return true;
            }
            self.run(1, |_, _, _| {});
        }
        self.link_up()
    }

    /// Ends the traffic and runs without faults, users reading at once, until everything sent has
    /// been delivered and both ends are back to normal; `false` if that takes more than `ticks`.
    pub fn settle(&mut self, ticks: u64) -> bool {
        let accept = core::mem::replace(&mut self.config.accept, [256; 2]);
        self.offering = [false; 2];
        self.traffic
            .iter_mut()
            .for_each(|traffic| traffic.offered = None);
        self.ends.iter_mut().for_each(|end| end.stalled = false);
        let quiet = |link: &Link| {
            link.traffic
                .iter()
                .all(|t| t.score.delivered + t.score.lost == t.score.sent)
                && link.ends.iter().all(|end| {
                    let flags = end.rx.flags();
                    end.last.is_some_and(|tick| tick.state == TxState::Normal)
                        && end.flow.level() == 0
                        && !flags.error
                        && !flags.retrans_req
                        && !flags.pause_req
                })
        };
        // Quiet must last: what is still on the line could stir it up again.
        let patience = 4 * u64::from(self.config.lane.id().frames());
        let mut quiet_for = 0;
        for _ in 0..ticks {
            if quiet_for == patience {
                break;
            }
            self.run(1, |_, _, _| {});
            quiet_for = if quiet(self) { quiet_for + 1 } else { 0 };
        }
        self.offering = [true; 2];
        self.config.accept = accept;
        quiet_for == patience
    }
}

/// Random faults of one direction: single bits, bursts of noise and cuts.
#[derive(Debug, Clone)]
pub struct Faults {
    random: Random,
    /// Share of flipped bits.
    pub bit_error_rate: f64,
    /// Share of frames with which a burst of noise begins.
    pub burst_rate: f64,
    /// Longest burst of noise, frames.
    pub burst_frames: u64,
    /// Share of frames with which a cut begins: nothing but zeros, ones or one word repeated.
    pub cut_rate: f64,
    /// Longest cut, frames.
    pub cut_frames: u64,
    bits_left: u64,
    outage: Outage,
    outage_left: u64,
    /// Frames damaged so far.
    pub damaged: u64,
}

#[derive(Debug, Clone, Copy)]
enum Outage {
    Noise,
    Stuck(u64),
}

impl Faults {
    /// Single bit errors only.
    #[must_use]
    pub fn bits(seed: u64, bit_error_rate: f64) -> Self {
        let mut random = Random::new(seed);
        let bits_left = random.gap(bit_error_rate);
        Faults {
            random,
            bit_error_rate,
            burst_rate: 0.0,
            burst_frames: 0,
            cut_rate: 0.0,
            cut_frames: 0,
            bits_left,
            outage: Outage::Noise,
            outage_left: 0,
            damaged: 0,
        }
    }

    /// Damages the next frame of the direction, or not.
    pub fn apply(&mut self, frame: &mut Frame) {
        let before = *frame;
        let bits = frame.words().len() as u64 * 64;
        if self.outage_left == 0 && self.burst_rate + self.cut_rate > 0.0 {
            let dice = (self.random.bits() >> 11) as f64 / 9_007_199_254_740_992.0;
            if dice < self.burst_rate {
                self.outage = Outage::Noise;
                self.outage_left = 1 + self.random.below(self.burst_frames);
            } else if dice < self.burst_rate + self.cut_rate {
                let word = self.random.bits();
                self.outage = Outage::Stuck([0, u64::MAX, word, word][(word & 3) as usize]);
                self.outage_left = 1 + self.random.below(self.cut_frames);
            }
        }
        if self.outage_left > 0 {
            self.outage_left -= 1;
            for word in frame.words_mut() {
                *word = match self.outage {
                    Outage::Noise => self.random.bits(),
                    Outage::Stuck(word) => word,
                };
            }
        }
        let mut position = 0;
        while self.bits_left < bits - position {
            position += self.bits_left;
            frame.words_mut()[(position / 64) as usize] ^= 1 << (position % 64);
            position += 1;
            self.bits_left = self.random.gap(self.bit_error_rate);
            if position >= bits {
                break;
            }
        }
        self.bits_left = self.bits_left.saturating_sub(bits - position);
        self.damaged += u64::from(*frame != before);
    }
}

impl End {
    /// Most frames that a search may take in this model.
    const LONGEST_SEARCH: u64 = 600;

    #[inline]
    fn receive(&mut self, item: OnLine) -> Option<Segment> {
        let OnLine {
            mut frame,
            mut damaged,
            ..
        } = item;
        self.received += 1;
        if self.searching > 0 {
            self.searching -= 1;
            damaged = true;
            frame
                .words_mut()
                .iter_mut()
                .for_each(|word| *word = self.random.bits());
        }
        let was_aligned = self.watch.aligned();
        self.watch.header(legal_header(frame.words()[0]));
        let aligned = self.watch.aligned();
        if was_aligned && !aligned {
            self.searching = self.random.below(Self::LONGEST_SEARCH) as u32;
        }
        let received = self.rx.frame(&frame, aligned);
        self.unseen += u64::from(damaged && received.good && self.rx.up());
        received.segment
    }
}

#[cfg(test)]
mod published;
#[cfg(test)]
mod tests;
