// SPDX-License-Identifier: Apache-2.0
//! Op-codes of one direction: random ones at random times, and what has become of them.

use std::collections::VecDeque;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::LatencyHistogram;

/// Most cycles between an op-code that was taken and the next one: about two headers alone.
const MOST_GAP: u64 = 256;

/// Counts of op-codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpCodeCounts {
    /// Taken by the core.
    pub sent: u64,
    /// Arrived once, in order, unchanged.
    pub arrived: u64,
    /// Not arrived.
    pub lost: u64,
    /// Arrived, but not sent, or twice, or in another order.
    pub corrupted: u64,
}

impl std::ops::AddAssign for OpCodeCounts {
    fn add_assign(&mut self, other: Self) {
        self.sent += other.sent;
        self.arrived += other.arrived;
        self.lost += other.lost;
        self.corrupted += other.corrupted;
    }
}

/// The op-codes of one direction.
#[derive(Debug)]
pub(super) struct OpCodes {
    random: Xoshiro256PlusPlus,
    left: u64,
    /// The one that is offered, from when on.
    next: [u8; 16],
    next_at: u64,
    /// Taken, not arrived; with the cycle.
    under_way: VecDeque<([u8; 16], u64)>,
    counts: OpCodeCounts,
}

impl OpCodes {
    pub(super) fn new(count: u64, seed: u64) -> Self {
        let mut op_codes = Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            left: count,
            next: [0; 16],
            next_at: 0,
            under_way: VecDeque::new(),
            counts: OpCodeCounts::default(),
        };
        op_codes.draw(0);
        op_codes
    }

    /// Draws the next one.
    fn draw(&mut self, now: u64) {
        self.random.fill_bytes(&mut self.next);
        // One of two follows at once.
        let random = self.random.next_u64();
        self.next_at = now
            + if random & 1 == 0 {
                0
            } else {
                random >> 32 & (MOST_GAP - 1)
            };
    }

    /// The op-code that is offered to the core, if there is one.
    pub(super) fn offered(&self, now: u64) -> Option<&[u8; 16]> {
        (self.left > 0 && now >= self.next_at).then_some(&self.next)
    }

    /// The core has taken what was offered.
    pub(super) fn taken(&mut self, now: u64) {
        self.under_way.push_back((self.next, now));
        self.counts.sent += 1;
        self.left -= 1;
        self.draw(now);
    }

    /// One has come out.
    pub(super) fn came(&mut self, now: u64, op_code: &[u8; 16], latency: &mut LatencyHistogram) {
        let found = |(sent, _): &([u8; 16], u64)| sent == op_code;
        match self.under_way.iter().position(found) {
            Some(skipped) => {
                self.counts.lost += skipped as u64;
                self.counts.arrived += 1;
                latency.record(now - self.under_way[skipped].1);
                self.under_way.drain(..=skipped);
            }
            None => self.counts.corrupted += 1,
        }
    }

    /// Whether all were taken.
    pub(super) fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Whether all were taken, and have come or are known to be lost.
    pub(super) fn is_settled(&self) -> bool {
        self.is_done() && self.under_way.is_empty()
    }

    /// The counts at the end of a run: what has not come by then is lost.
    pub(super) fn finish(&self) -> OpCodeCounts {
        let mut counts = self.counts;
        counts.lost += self.under_way.len() as u64;
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Op-codes that are lost, come twice, or come in another order are counted as such.
    #[test]
    fn counts() {
        let mut latency = LatencyHistogram::default();
        let mut op_codes = OpCodes::new(4, 7);
        let mut sent = Vec::new();
        for now in 0..10_000 {
            if let Some(&op_code) = op_codes.offered(now) {
                sent.push(op_code);
                op_codes.taken(now);
            }
        }
        assert!(op_codes.is_done() && !op_codes.is_settled());
        op_codes.came(20_000, &sent[0], &mut latency);
        op_codes.came(20_000, &sent[0], &mut latency);
        op_codes.came(20_000, &sent[2], &mut latency);
        op_codes.came(20_000, &sent[1], &mut latency);
        let counts = op_codes.finish();
        assert_eq!((counts.sent, counts.arrived), (4, 2));
        assert_eq!((counts.lost, counts.corrupted), (2, 2));
        assert_eq!(latency.count(), 2);
    }
}
