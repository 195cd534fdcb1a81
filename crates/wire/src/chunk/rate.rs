// SPDX-License-Identifier: Apache-2.0
//! How fast a lane may send: the round-trip time, the rate that arrives, and the moment of the next
//! frame.
//!
//! A lane is not slowed by loss alone: it sends at the rate at which its frames arrive, and tries
//! now and then whether there is more. So random loss costs what is lost, and a lane that is full
//! is found by what arrives no faster. Where much more is lost than by chance, and frames wait on
//! their way, the line carries less than it did: what arrived fastest counts no longer.
//!
//! An end on a busy machine comes late. What arrives of frames that went out late is no measure of
//! the lane: it makes a lane faster, and never slower.

use std::collections::VecDeque;
use std::time::Duration;

/// How the rate of a lane is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    /// As fast as its frames arrive.
    #[default]
    Found,
    /// At most this number of bits per second of frames, and no faster than they arrive.
    Capped(u64),
    /// As fast as the channel takes frames.
    Free,
}

/// Time for which what arrived fastest counts, at least.
const MEMORY: Duration = Duration::from_millis(500);
/// Round trips for which it counts, at least.
const ROUNDS: u32 = 10;
/// Time for which the shortest round trip counts.
const RTT_MEMORY: Duration = Duration::from_secs(10);
/// What a lane that was kept waiting may catch up.
const SLACK: Duration = Duration::from_micros(250);
/// What an end comes late at once, beyond what it may catch up, from which on it was busy with
/// something else: sending takes its time as well.
const PAUSE: Duration = Duration::from_micros(500);
/// Share of a round for which an end came late from which on what arrived says nothing of the lane.
const LATE: f64 = 0.125;
/// Most of a round that is taken off for lateness.
const MOST_LATE: f64 = 0.9;
/// Share of it that is taken off when the rate no longer grows by each round: what has waited on
/// its way arrives in the meantime.
const LATE_COUNTS: f64 = 0.5;
/// Weight of a new measurement of the loss by chance.
const CHANCE_WEIGHT: f64 = 0.25;
/// Most loss that is put down to chance.
const MOST_CHANCE: f64 = 0.7;
/// Loss beyond that by chance from which on a lane has been given too much.
const OVERFLOW: f64 = 0.1;
/// Round trip, in shortest ones, from which on frames wait on their way.
const WAITS: f64 = 1.25;
/// What arrives, in what arrived fastest, from which on the lane carries more than it did.
const MORE: f64 = 1.1;
/// Frames of a round, at least.
const SAMPLE: u64 = 16;
/// What goes out at once takes no longer than this on a lane of the rate that was found,
const BURST: Duration = Duration::from_millis(1);
/// and no longer than this share of a round trip: queues are often no longer than what a round trip
/// fills. It may always take so long: where a round trip is shorter than that, batches of a frame
/// or two would cost more than they spare.
const BURST_SHARE: u32 = 4;
const BURST_LEAST: Duration = Duration::from_micros(50);
/// Frames that may always go out in a round trip.
const LEAST: f64 = 0.5;
/// Gain while the rate still grows by each round.
const START: f64 = 2.885;
/// Gain of a try, and of the round after it, which empties the queue that the try may have made.
const TRY: [f64; 2] = [1.25, 0.75];

/// Estimate of the round-trip time of a lane.
#[derive(Debug, Clone, Copy, Default)]
pub struct RoundTrip {
    smoothed: Option<Duration>,
    deviation: Duration,
}

impl RoundTrip {
    /// A frame took so long there and back.
    pub fn sample(&mut self, rtt: Duration) {
        match self.smoothed {
            None => (self.smoothed, self.deviation) = (Some(rtt), rtt / 2),
            Some(smoothed) => {
                self.deviation = (self.deviation * 3 + smoothed.abs_diff(rtt)) / 4;
                self.smoothed = Some((smoothed * 7 + rtt) / 8);
            }
        }
    }

    /// Smoothed, if it has been measured.
    #[must_use]
    pub fn smoothed(&self) -> Option<Duration> {
        self.smoothed
    }

    /// One that hardly any frame exceeds.
    #[must_use]
    pub fn long(&self) -> Option<Duration> {
        let spread = 4 * self.deviation.max(Duration::from_micros(10));
        self.smoothed.map(|rtt| rtt + spread)
    }
}

/// State of the rate of one lane.
#[derive(Debug, Clone)]
pub struct Rate {
    pace: Pace,
    round_trip: RoundTrip,
    shortest: (Duration, Duration),
    /// Rates of rounds, bytes/s, falling, with their times: the first is the greatest of the
    /// memory.
    fastest: VecDeque<(Duration, f64)>,
    /// Loss by chance: while the rate grows the least of any round, then what is lost of rounds
    /// that let the queue run empty.
    chance: Option<f64>,
    drain: Option<Drain>,
    frame_bytes: usize,
    starting: bool,
    plateau: (f64, u32),
    round: Option<Round>,
    /// For how long frames have gone out later than they might have, since the round began.
    late: Duration,
    /// The same of the round before, as a share of it: its frames arrive a round trip after.
    late_before: f64,
    /// Rate of a round that lost too much, until one that was not limited did not.
    crowded: Option<f64>,
    phase: u32,
    next: Duration,
}

#[derive(Debug, Clone, Copy)]
struct Round {
    begun: Duration,
    /// Frames that had come, and frames of which something was known.
    arrived: u64,
    known: u64,
    limited: bool,
}

/// The frames of a round that lets the queue run empty.
#[derive(Debug, Clone, Copy)]
struct Drain {
    /// Number of the first, and of the one after the last when that is known.
    first: u64,
    end: Option<u64>,
    /// Frames that had come, and frames of which something was known, at the first report of them.
    begun: Option<(u64, u64)>,
}

/// The share of `known` known frames that has not arrived.
fn lost(arrived: u64, known: u64) -> f64 {
    (1.0 - arrived as f64 / known.max(1) as f64).clamp(0.0, MOST_CHANCE)
}

impl Rate {
    /// A lane of which nothing is known, with frames of `frame_bytes` bytes.
    #[must_use]
    pub fn new(pace: Pace, frame_bytes: usize) -> Self {
        Rate {
            pace,
            chance: None,
            drain: None,
            frame_bytes,
            round_trip: RoundTrip::default(),
            shortest: (Duration::MAX, Duration::ZERO),
            fastest: VecDeque::new(),
            starting: true,
            plateau: (0.0, 0),
            round: None,
            late: Duration::ZERO,
            late_before: 0.0,
            crowded: None,
            phase: 0,
            next: Duration::ZERO,
        }
    }

    /// From now on it is set so; what has gone out before still counts at the rate it had.
    pub fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
    }

    /// Smoothed round-trip time, if it has been measured.
    #[must_use]
    pub fn rtt(&self) -> Option<Duration> {
        self.round_trip.smoothed()
    }

    /// Shortest round-trip time of the last while, if it has been measured: that of an empty path.
    #[must_use]
    pub fn shortest_rtt(&self) -> Option<Duration> {
        (self.shortest.0 != Duration::MAX).then_some(self.shortest.0)
    }

    /// Round-trip time that hardly any frame exceeds.
    #[must_use]
    pub fn long_rtt(&self) -> Option<Duration> {
        self.round_trip.long()
    }

    /// Rate that arrives, bytes per second, if it has been measured.
    #[must_use]
    pub fn bandwidth(&self) -> Option<f64> {
        self.fastest.front().map(|sample| sample.1)
    }

    /// Whether the channel alone sets the rate.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.pace == Pace::Free
    }

    /// Whether the rate is to be found, and still grows by each round.
    #[must_use]
    pub fn is_starting(&self) -> bool {
        !self.is_free() && self.starting
    }

    /// Bytes that are on their way when the lane is just full.
    #[must_use]
    pub fn in_flight(&self) -> Option<u64> {
        let bandwidth = self.bandwidth()?;
        (self.shortest.0 != Duration::MAX)
            .then_some((bandwidth * self.shortest.0.as_secs_f64()) as u64)
    }

    /// Whether the rate is to be found, and nothing is known of it yet.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        !self.is_free() && self.fastest.is_empty()
    }

    /// A frame took so long there and back.
    pub fn rtt_sample(&mut self, now: Duration, rtt: Duration) {
        let rtt = rtt.max(Duration::from_micros(1));
        self.round_trip.sample(rtt);
        if rtt <= self.shortest.0 || now > self.shortest.1 + RTT_MEMORY {
            self.shortest = (rtt, now);
        }
    }

    /// Something is known of `known` frames, `arrived` of them have arrived, and `flying` frames
    /// are in flight; `limited`: since the last time the lane had less to send than it could carry.
    pub fn delivered(
        &mut self,
        now: Duration,
        arrived: u64,
        known: u64,
        flying: u64,
        limited: bool,
    ) {
        let Some(rtt) = self.rtt() else {
            return;
        };
        self.drained(arrived, known);
        let Some(round) = &mut self.round else {
            self.round = Some(Round {
                begun: now,
                arrived,
                known,
                limited,
            });
            return;
        };
        round.limited |= limited;
        let elapsed = now.saturating_sub(round.begun);
        if elapsed < rtt.max(Duration::from_micros(100)) || known < round.known + SAMPLE {
            return;
        }
        let late = std::mem::take(&mut self.late).as_secs_f64() / elapsed.as_secs_f64();
        let late_before = std::mem::replace(&mut self.late_before, late);
        round.limited |= !self.starting && late.max(late_before) > LATE;
        let before = *round;
        self.round = Some(Round {
            begun: now,
            arrived,
            known,
            limited: false,
        });
        let arrived = arrived.saturating_sub(before.arrived);
        let loss = lost(arrived, known - before.known);
        let chance = self.chance.unwrap_or(loss);
        if self.starting {
            self.chance = Some(chance.min(loss));
        }
        let mut rate = arrived as f64 * self.frame_bytes as f64 / elapsed.as_secs_f64();
        let waits = rtt > self.shortest.0.mul_f64(WAITS);
        if self.starting || !waits {
            // An end that is mostly late would find no lane by what comes of all the time.
            let share = if self.starting { 1.0 } else { LATE_COUNTS };
            rate /= 1.0 - share * late.min(late_before).min(MOST_LATE);
        }
        let best = self.bandwidth().unwrap_or(0.0);
        if rate > best || !before.limited {
            self.remember(now, rate, rtt);
        }
        self.phase = self.phase.wrapping_add(1);
        let overflow = loss > chance + OVERFLOW;
        if self.starting && overflow {
            // More than the lane takes: the next round empties its queue.
            (self.starting, self.phase) = (false, 1);
        } else if !self.starting && overflow && waits {
            if let Some(rate_before) = self.crowded.take() {
                // A second time: the lane takes less than it did.
                self.fastest.clear();
                self.remember(now, rate.max(rate_before), rtt);
                self.phase = 1;
            } else {
                self.crowded = Some(rate);
            }
        } else if !self.starting && !before.limited {
            self.crowded = None;
            if rate > best * MORE {
                // There is more: the next round tries again.
                self.phase = 0;
            }
        } else if self.starting && !before.limited {
            if rate > self.plateau.0 * 1.25 {
                self.plateau = (rate, 0);
            } else {
                self.plateau.1 += 1;
                self.starting = self.plateau.1 < 3;
            }
        }
        let next = known + flying;
        if self.gain() < 1.0 {
            self.drain = Some(Drain {
                first: next,
                end: None,
                begun: None,
            });
        } else if let Some(drain) = &mut self.drain {
            drain.end.get_or_insert(next);
        }
    }

    fn gain(&self) -> f64 {
        if self.starting {
            START
        } else {
            TRY.get(self.phase as usize % 8).copied().unwrap_or(1.0)
        }
    }

    /// Learns what chance takes from the frames of a round that let the queue run empty.
    fn drained(&mut self, arrived: u64, known: u64) {
        let Some(drain) = self.drain.as_mut().filter(|drain| known >= drain.first) else {
            return;
        };
        let begun = *drain.begun.get_or_insert((arrived, known));
        if drain.end.is_some_and(|end| known >= end) && known > begun.1 {
            let loss = lost(arrived.saturating_sub(begun.0), known - begun.1);
            let before = self.chance.unwrap_or(loss);
            self.chance = Some(before + (loss - before) * CHANCE_WEIGHT);
            self.drain = None;
        }
    }

    fn remember(&mut self, now: Duration, rate: f64, rtt: Duration) {
        let memory = MEMORY.max(rtt * ROUNDS);
        while self
            .fastest
            .front()
            .is_some_and(|sample| sample.0 + memory < now)
        {
            self.fastest.pop_front();
        }
        while self.fastest.back().is_some_and(|sample| sample.1 <= rate) {
            self.fastest.pop_back();
        }
        self.fastest.push_back((now, rate));
    }

    /// Bytes per second that may be sent now; none: as many as the channel takes.
    fn allowed(&self) -> Option<f64> {
        let gain = self.gain();
        // What chance takes is sent on top of what shall arrive, but for the round that shows what
        // chance takes.
        let chance = self.chance.unwrap_or(0.0);
        let gain = if gain < 1.0 {
            gain
        } else {
            gain / (1.0 - chance)
        };
        let rtt = self.rtt().unwrap_or(Duration::MAX).as_secs_f64();
        let least = LEAST * self.frame_bytes as f64 / rtt;
        let found = self
            .bandwidth()
            .map(|bandwidth| (bandwidth * gain).max(least));
        match self.pace {
            Pace::Free => None,
            Pace::Found => found,
            Pace::Capped(bits) => {
                let cap = bits as f64 / 8.0;
                Some(found.map_or(cap, |found| found.min(cap)))
            }
        }
    }

    /// Frames that may go out at once.
    #[must_use]
    pub fn burst(&self) -> usize {
        let rtt = self.rtt().unwrap_or(Duration::MAX);
        let time = (rtt / BURST_SHARE).clamp(BURST_LEAST, BURST).as_secs_f64();
        self.allowed().map_or(usize::MAX, |allowed| {
            (allowed * time / self.frame_bytes as f64) as usize + 1
        })
    }

    /// When the next frame may go out.
    #[must_use]
    pub fn next(&self) -> Duration {
        self.next
    }

    /// `bytes` bytes have gone out; `held`: something else than this rate, or an end that was busy,
    /// has held them back.
    pub fn sent(&mut self, now: Duration, bytes: usize, held: bool) {
        if let Some(allowed) = self.allowed() {
            let from = self.next.max(now.saturating_sub(SLACK));
            let late = from - self.next;
            if !held && late > PAUSE {
                self.late += late;
            }
            self.next = from + Duration::from_secs_f64(bytes as f64 / allowed.max(1.0));
        }
    }
}

#[cfg(test)]
mod tests;
