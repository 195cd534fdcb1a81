// SPDX-License-Identifier: Apache-2.0
//! One direction of a channel for datagrams, as sans-IO code in virtual time: datagrams and times
//! in, datagrams out. A whole transfer takes as long as its processor time.
//!
//! It is a crate of its own because the protocols (`crates/wire`), which have no randomness, are
//! tested with it, and lanes (`crates/io`) are built on it.
//!
//! What happens to a datagram, in this order:
//!
//! 1. **Length.** Longer than the MTU: lost.
//! 2. **Queue and line.** The line sends at its rate, the queue in front of it holds
//!    [`Settings::queue`] bytes: what finds no room is lost.
//! 3. **Loss**, of single datagrams and of bursts. They have taken their time on the line.
//! 4. **Bit errors.** Each bit is flipped with a probability.
//! 5. **Duplication.** A second copy, errors included, goes the same way with a delay of its own.
//! 6. **Delay** and jitter, which keep the order; single datagrams are held back for longer and
//!    overtaken.
//! 7. **Death.** What is sent or under way while the channel is dead is lost.
//!
//! Everything random is drawn from independent generators made from one seed: switching one effect
//! on does not move the others.

mod gaps;
pub mod seed;

pub use gaps::Gaps;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::time::Duration;
use thiserror::Error;

/// Bits per second of the fastest line, 1e15, and of the slowest, 1: times are exact to a
/// picosecond.
const RATES: Range<u64> = 1..1_000_000_000_000_001;
/// Longest delay of any kind.
const LONGEST: Duration = Duration::from_secs(3600);

/// What a channel does. The default is a perfect one without delay.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Bits per second of the line; without a limit if `None`.
    pub rate: Option<u64>,
    /// Bytes that a datagram takes on the line beyond its own, such as headers, preamble and gap.
    pub overhead: usize,
    /// Bytes that wait for the line, or are being sent.
    pub queue: usize,
    /// Longest datagram, bytes.
    pub mtu: usize,
    /// Probability of a datagram to be lost.
    pub loss: f64,
    /// Probability that a burst of losses begins at a datagram.
    pub burst: f64,
    /// Datagrams that a burst takes.
    pub burst_length: u64,
    /// Probability of a bit to be flipped.
    pub ber: f64,
    /// Probability of a datagram to come twice.
    pub duplicate: f64,
    /// From the end of a datagram on the line to its arrival.
    pub delay: Duration,
    /// Most that is added to the delay, uniformly distributed. The order is kept.
    pub jitter: Duration,
    /// Probability of a datagram to be held back, so that others overtake it.
    pub reorder: f64,
    /// For how long it is held back.
    pub held: Duration,
    /// Times in which the channel is dead; ascending, not overlapping.
    pub cuts: Vec<Range<Duration>>,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rate: None,
            overhead: 0,
            queue: usize::MAX,
            mtu: 65_507,
            loss: 0.0,
            burst: 0.0,
            burst_length: 10,
            ber: 0.0,
            duplicate: 0.0,
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            reorder: 0.0,
            held: Duration::from_millis(1),
            cuts: Vec::new(),
            seed: 1,
        }
    }
}

/// A setting that is out of range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("channel: {name} is {value}; accepted: {accepted}")]
pub struct SettingError {
    /// Field.
    pub name: &'static str,
    /// What it is.
    pub value: String,
    /// What would be accepted.
    pub accepted: &'static str,
}

impl Settings {
    /// Checks every field.
    ///
    /// # Errors
    /// Names the first one that is out of range.
    pub fn validate(&self) -> Result<(), SettingError> {
        let wrong = |name, value: String, accepted| {
            Err(SettingError {
                name,
                value,
                accepted,
            })
        };
        for (name, value) in [
            ("loss", self.loss),
            ("burst", self.burst),
            ("ber", self.ber),
            ("duplicate", self.duplicate),
            ("reorder", self.reorder),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return wrong(name, value.to_string(), "a probability, 0 to 1");
            }
        }
        for (name, value) in [
            ("delay", self.delay),
            ("jitter", self.jitter),
            ("held", self.held),
        ] {
            if value > LONGEST {
                return wrong(name, format!("{value:?}"), "an hour or less");
            }
        }
        if let Some(rate) = self.rate
            && !RATES.contains(&rate)
        {
            return wrong("rate", rate.to_string(), "1 to 1e15 bits per second");
        }
        if self.mtu == 0 {
            return wrong("mtu", "0".into(), "1 byte or more");
        }
        if self.burst > 0.0 && self.burst_length == 0 {
            return wrong("burst_length", "0".into(), "1 datagram or more");
        }
        let mut free = Duration::ZERO;
        for cut in &self.cuts {
            if cut.start < free || cut.is_empty() {
                let accepted = "times that end after they begin, and begin after the one before";
                return wrong("cuts", format!("{cut:?}"), accepted);
            }
            free = cut.end;
        }
        Ok(())
    }
}

/// What became of the datagrams. All that were pushed are in `sent`; each of those is in `arrived`,
/// in one of the losses, or under way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pushed.
    pub sent: u64,
    /// Popped, the copies included.
    pub arrived: u64,
    /// Lost: longer than the MTU.
    pub too_long: u64,
    /// Lost: no room in the queue.
    pub overflows: u64,
    /// Lost by chance, one by one or in bursts.
    pub lost: u64,
    /// Lost: the channel was dead, the copies included.
    pub dead: u64,
    /// Bits flipped.
    pub flipped: u64,
    /// Copies made.
    pub copies: u64,
    /// Held back.
    pub held: u64,
}

/// Events at datagrams or bits that are counted from 0 on.
#[derive(Debug, Clone)]
struct Events {
    gaps: Gaps,
    count: u64,
    next: u64,
}

impl Events {
    fn new(probability: f64, rng: Xoshiro256PlusPlus) -> Self {
        let mut gaps = Gaps::new(probability, rng);
        let next = gaps.next(0);
        Self {
            gaps,
            count: 0,
            next,
        }
    }

    /// Calls `each` with the place of every event among the next `places`.
    fn pass(&mut self, places: u64, mut each: impl FnMut(u64)) {
        let end = self.count + places;
        while self.next < end {
            each(self.next - self.count);
            self.next = self.gaps.next(self.next + 1);
        }
        self.count = end;
    }

    /// Whether there is an event at the next place.
    fn one(&mut self) -> bool {
        let mut any = false;
        self.pass(1, |_| any = true);
        any
    }
}

/// A datagram under way. Ordered by arrival; those of the same time as they were sent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Flying {
    arrival: Duration,
    serial: u64,
    bytes: Vec<u8>,
}

/// One direction of a channel at work. Times must not go back.
#[derive(Debug, Clone)]
pub struct Channel {
    settings: Settings,
    flying: BinaryHeap<Reverse<Flying>>,
    serial: u64,
    /// When the line has sent everything, picoseconds.
    free: u128,
    /// Arrival of the last one that was not held back.
    latest: Duration,
    losses: Events,
    bursts: Events,
    /// Datagrams that the burst under way still takes.
    burst_left: u64,
    flips: Events,
    copies: Events,
    holds: Events,
    jitter: Xoshiro256PlusPlus,
    alive: bool,
    counts: Counts,
}

impl Channel {
    /// An empty channel.
    ///
    /// # Errors
    /// A setting is out of range.
    pub fn new(settings: &Settings) -> Result<Self, SettingError> {
        settings.validate()?;
        let mut seeds = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
        let mut generator = || Xoshiro256PlusPlus::seed_from_u64(seeds.next_u64());
        Ok(Self {
            flying: BinaryHeap::new(),
            serial: 0,
            free: 0,
            latest: Duration::ZERO,
            losses: Events::new(settings.loss, generator()),
            bursts: Events::new(settings.burst, generator()),
            burst_left: 0,
            flips: Events::new(settings.ber, generator()),
            copies: Events::new(settings.duplicate, generator()),
            holds: Events::new(settings.reorder, generator()),
            jitter: generator(),
            alive: true,
            counts: Counts::default(),
            settings: settings.clone(),
        })
    }

    /// What became of the datagrams.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Datagrams under way.
    #[must_use]
    pub fn flying(&self) -> usize {
        self.flying.len()
    }

    /// Whether the queue has room for a datagram of `bytes` bytes. A sender whose own interface is
    /// the narrowest place waits until it has.
    #[must_use]
    pub fn has_room(&self, now: Duration, bytes: usize) -> bool {
        let Some(rate) = self.settings.rate else {
            return true;
        };
        let ahead = self.free.saturating_sub(picoseconds(now));
        let waiting = (ahead * u128::from(rate)).div_ceil(8_000_000_000_000);
        let room = (self.settings.queue as u128).saturating_sub(waiting);
        // An empty queue takes everything, so that a small one does not lock the channel.
        waiting == 0 || room >= (bytes + self.settings.overhead) as u128
    }

    /// When the queue will have room for it.
    #[must_use]
    pub fn room_at(&self, now: Duration, bytes: usize) -> Duration {
        if self.has_room(now, bytes) {
            return now;
        }
        let rate = self.settings.rate.unwrap_or(1);
        let length = bytes + self.settings.overhead;
        let stay = self.settings.queue.saturating_sub(length) as u128 * 8_000_000_000_000;
        duration(self.free - (stay / u128::from(rate)).min(self.free)).max(now)
    }

    /// Kills the channel, or brings it to life. All that is under way is lost.
    pub fn set_alive(&mut self, alive: bool) {
        if !alive {
            self.counts.dead += self.flying.len() as u64;
            self.flying.clear();
        }
        self.alive = alive;
    }

    /// From now on datagrams are lost with this probability, 0 to 1; `seed`: of which ones.
    pub fn set_loss(&mut self, loss: f64, seed: u64) {
        let generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        self.losses = Events::new(loss.clamp(0.0, 1.0), generator);
    }

    /// A datagram that is sent.
    pub fn push(&mut self, now: Duration, bytes: &[u8]) {
        self.counts.sent += 1;
        if bytes.len() > self.settings.mtu {
            self.counts.too_long += 1;
            return;
        }
        if !self.has_room(now, bytes.len()) {
            self.counts.overflows += 1;
            return;
        }
        let mut left = now;
        if let Some(rate) = self.settings.rate {
            let bits = (bytes.len() + self.settings.overhead) as u128 * 8;
            let time = (bits * 1_000_000_000_000).div_ceil(u128::from(rate));
            self.free = self.free.max(picoseconds(now)) + time;
            left = duration(self.free);
        }
        if self.bursts.one() {
            self.burst_left = self.burst_left.max(self.settings.burst_length);
        }
        let in_burst = self.burst_left > 0;
        self.burst_left = self.burst_left.saturating_sub(1);
        if self.losses.one() || in_burst {
            self.counts.lost += 1;
            return;
        }
        let mut bytes = bytes.to_vec();
        let counts = &mut self.counts;
        self.flips.pass(8 * bytes.len() as u64, |bit| {
            bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
            counts.flipped += 1;
        });
        if self.copies.one() {
            self.counts.copies += 1;
            self.fly(now, left, bytes.clone());
        }
        self.fly(now, left, bytes);
    }

    /// A datagram that was sent at one time and has left the line at another.
    fn fly(&mut self, sent: Duration, left: Duration, bytes: Vec<u8>) {
        let mut arrival = left + self.settings.delay;
        if !self.settings.jitter.is_zero() {
            let most = self.settings.jitter.as_nanos() as u64;
            arrival += Duration::from_nanos(self.jitter.next_u64() % (most + 1));
        }
        arrival = arrival.max(self.latest);
        if self.holds.one() {
            self.counts.held += 1;
            arrival += self.settings.held;
        } else {
            self.latest = arrival;
        }
        let cut = |cut: &Range<Duration>| sent < cut.end && arrival >= cut.start;
        if !self.alive || self.settings.cuts.iter().any(cut) {
            self.counts.dead += 1;
            return;
        }
        self.serial += 1;
        let serial = self.serial;
        self.flying.push(Reverse(Flying {
            arrival,
            serial,
            bytes,
        }));
    }

    /// The next datagram that has arrived.
    pub fn pop(&mut self, now: Duration) -> Option<Vec<u8>> {
        if self.next_timeout()? > now {
            return None;
        }
        self.counts.arrived += 1;
        self.flying.pop().map(|Reverse(flying)| flying.bytes)
    }

    /// When the next datagram arrives that is under way.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Duration> {
        self.flying.peek().map(|Reverse(flying)| flying.arrival)
    }
}

fn picoseconds(time: Duration) -> u128 {
    time.as_nanos() * 1000
}

/// The time, rounded up to a nanosecond; at most half a millennium.
fn duration(picoseconds: u128) -> Duration {
    Duration::from_nanos(u64::try_from(picoseconds.div_ceil(1000)).unwrap_or(u64::MAX))
}
