// SPDX-License-Identifier: Apache-2.0
//! One direction of a lane in virtual time.

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

/// What a lane does to datagrams.
#[derive(Debug, Clone, Copy)]
pub struct Habits {
    /// Bits per second; none: no limit.
    pub rate: Option<f64>,
    /// Bytes that each datagram costs beside its own.
    pub gap: usize,
    /// Bytes that wait; what comes when it is full is lost.
    pub queue: usize,
    pub delay: Duration,
    /// Each datagram is late by up to so much.
    pub jitter: Duration,
    pub loss: f64,
    /// Each sub-packet of 1232 bytes is damaged so often.
    pub damage: f64,
    pub duplication: f64,
    pub dead: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Habits {
            rate: None,
            gap: 0,
            queue: usize::MAX,
            delay: Duration::from_micros(10),
            jitter: Duration::ZERO,
            loss: 0.0,
            damage: 0.0,
            duplication: 0.0,
            dead: false,
        }
    }
}

/// A lane.
pub struct Lane {
    pub habits: Habits,
    free_at: Duration,
    order: u64,
    flying: BTreeMap<Reverse<(Duration, u64)>, Vec<u8>>,
}

impl Lane {
    pub fn new(habits: Habits) -> Self {
        Lane {
            habits,
            free_at: Duration::ZERO,
            order: 0,
            flying: BTreeMap::new(),
        }
    }

    /// When the line is free again.
    pub fn free_at(&self) -> Duration {
        self.free_at
    }

    pub fn push(&mut self, now: Duration, random: &mut Xoshiro256PlusPlus, bytes: &[u8]) {
        let habits = self.habits;
        let begin = self.free_at.max(now);
        let mut end = now;
        if let Some(rate) = habits.rate {
            let waiting = (begin - now).as_secs_f64() * rate / 8.0;
            if waiting > habits.queue as f64 {
                return;
            }
            end = begin + Duration::from_secs_f64((bytes.len() + habits.gap) as f64 * 8.0 / rate);
            self.free_at = end;
        }
        if habits.dead || chance(random, habits.loss) {
            return;
        }
        let copies = if chance(random, habits.duplication) {
            2
        } else {
            1
        };
        for _ in 0..copies {
            let late = habits.jitter.mul_f64(fraction(random));
            let mut bytes = bytes.to_vec();
            for start in (24..bytes.len()).step_by(1232) {
                if chance(random, habits.damage) {
                    let length = (bytes.len() - start).min(1232);
                    let at = start + random.next_u64() as usize % length;
                    bytes[at] ^= 1 << (random.next_u64() % 8);
                }
            }
            self.order += 1;
            self.flying
                .insert(Reverse((end + habits.delay + late, self.order)), bytes);
        }
    }

    pub fn next(&self) -> Option<Duration> {
        self.flying.last_key_value().map(|(key, _)| key.0.0)
    }

    pub fn pop(&mut self, now: Duration) -> Option<Vec<u8>> {
        if self.next()? > now {
            return None;
        }
        self.flying.pop_last().map(|(_, bytes)| bytes)
    }
}

pub fn fraction(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

pub fn chance(random: &mut Xoshiro256PlusPlus, probability: f64) -> bool {
    probability > 0.0 && fraction(random) < probability
}
