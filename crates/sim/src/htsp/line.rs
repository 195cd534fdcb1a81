// SPDX-License-Identifier: Apache-2.0
//! What lies between the streams of two cores in one direction: the MAC's overhead, delay, lost and
//! damaged frames.
//!
//! The MAC is not simulated: a damaged frame arrives with the error mark that its check sequence
//! would give it, and preamble, check sequence and gap are line time.

use std::collections::VecDeque;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::CLOCK_HZ;
use super::end::{Beat, WORD};

/// Bytes of preamble, frame check sequence and gap, for each frame.
const OVERHEAD: f64 = 24.0;

/// A line in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineConfig {
    /// Cycles from a core to the other.
    pub delay: u32,
    /// Bytes that the line carries in a cycle, overhead included; infinite for mere wires.
    pub bytes_per_cycle: f64,
    /// Probability that a frame is lost.
    pub drop: f64,
    /// Probability that a bit is flipped.
    pub ber: f64,
}

impl LineConfig {
    /// Wires with two registers: what the published figures of the core alone were measured with.
    pub const WIRES: Self = Self {
        delay: 2,
        bytes_per_cycle: f64::INFINITY,
        drop: 0.0,
        ber: 0.0,
    };

    /// The same, with as many bytes as Ethernet of this rate carries in a cycle.
    #[must_use]
    pub const fn ethernet(gbps: f64) -> Self {
        Self {
            bytes_per_cycle: gbps * 1e9 / 8.0 / CLOCK_HZ,
            ..Self::WIRES
        }
    }
}

/// One direction of the line.
#[derive(Debug)]
pub(super) struct Line {
    config: LineConfig,
    random: Xoshiro256PlusPlus,
    /// On the way: when it arrives, and what.
    way: VecDeque<(u64, Beat)>,
    /// Bytes that the line is ahead of what was put on it.
    credit: f64,
    first: bool,
    dropped: bool,
    damaged: bool,
    /// Bits until the next error.
    next_error: u64,
    /// Frames lost and damaged so far.
    pub lost: u64,
    pub hurt: u64,
}

impl Line {
    pub(super) fn new(config: LineConfig, seed: u64) -> Self {
        let mut line = Self {
            config,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            way: VecDeque::new(),
            credit: 0.0,
            first: true,
            dropped: false,
            damaged: false,
            next_error: u64::MAX,
            lost: 0,
            hurt: 0,
        };
        line.next_error = line.distance();
        line
    }

    /// A number from 0 to below 1.
    fn fraction(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Bits up to the next error: geometrically distributed.
    fn distance(&mut self) -> u64 {
        if self.config.ber <= 0.0 {
            return u64::MAX;
        }
        ((1.0 - self.fraction()).ln() / (-self.config.ber).ln_1p()) as u64
    }

    /// Whether a beat can be put on the line in the next cycle.
    pub(super) fn ready(&self) -> bool {
        self.credit >= 0.0
    }

    /// A cycle passes; `sent` is what the core has put on the line in it.
    pub(super) fn pass(&mut self, now: u64, sent: Option<Beat>) {
        let cost = |beat: &Beat| f64::from(beat.bytes) + if beat.last { OVERHEAD } else { 0.0 };
        if self.config.bytes_per_cycle.is_finite() {
            let spent = sent.as_ref().map_or(0.0, cost);
            self.credit = (self.credit + self.config.bytes_per_cycle - spent).min(WORD as f64);
        }
        let Some(mut beat) = sent else { return };
        if self.first {
            self.dropped = self.config.drop > 0.0 && self.fraction() < self.config.drop;
            self.damaged = false;
            self.lost += u64::from(self.dropped);
        }
        self.first = beat.last;
        let bits = 8 * u64::from(beat.bytes);
        let mut at = 0;
        while self.next_error < bits - at {
            at += self.next_error;
            beat.data[(at / 8) as usize] ^= 1 << (at % 8);
            self.hurt += u64::from(!self.damaged && !self.dropped);
            self.damaged = true;
            at += 1;
            self.next_error = self.distance();
        }
        if self.next_error != u64::MAX {
            self.next_error -= bits - at;
        }
        beat.error = beat.last && self.damaged;
        if !self.dropped {
            self.way
                .push_back((now + u64::from(self.config.delay), beat));
        }
    }

    /// What arrives in this cycle.
    pub(super) fn arrives(&mut self, now: u64) -> Option<Beat> {
        match self.way.front() {
            Some((due, _)) if *due <= now => self.way.pop_front().map(|(_, beat)| beat),
            _ => None,
        }
    }
}
