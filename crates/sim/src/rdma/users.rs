// SPDX-License-Identifier: Apache-2.0
//! What users ask for: transfers drawn by size, kind, class and priority.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_wire::rdma::Class;
use ropewalk_wire::rdma::descriptor::{LONG_MESSAGE, SHORT_MESSAGE};

/// How sizes are distributed between the smallest and the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distribution {
    /// Each power of two as often as the next one.
    Logarithmic,
    /// Each size as often as the next one.
    Uniform,
    /// Nine of ten are mice, up to 1024 bytes; the others are of the largest size.
    Elephants,
}

/// What users of both nodes ask for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workload {
    /// Transfers, of both nodes together.
    pub transfers: u64,
    /// Smallest and largest, bytes.
    pub sizes: (u32, u32),
    /// Distribution of sizes.
    pub distribution: Distribution,
    /// Priorities in use, from 0 on.
    pub priorities: u8,
    /// Share of reads; the rest are writes.
    pub reads: f64,
    /// Writes of up to 32 bytes have their data in the descriptor.
    pub inline: bool,
    /// Share of transfers that notify the destination.
    pub notify: f64,
    /// All transfers are of this class; `None`: each class as often as the others. Messages are
    /// always small.
    pub class: Option<Class>,
    /// Transfers of a node that are under way at a time.
    pub outstanding: u16,
    /// Node 1 asks for nothing.
    pub one_way: bool,
    /// Share of transfers within the node that asks for them: its packets come back to it.
    pub local: f64,
}

impl Workload {
    /// Nodes have transfers with themselves, which a reset of the other node leaves alone.
    pub(super) fn is_partly_local(&self) -> bool {
        self.local > 0.0
    }
}

/// One transfer, before it has a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wish {
    pub size: u32,
    pub read: bool,
    pub message: bool,
    pub class: Class,
    pub priority: u8,
    pub notify: bool,
    /// The notification has a value of its own.
    pub value: bool,
    /// The other end is the node itself.
    pub local: bool,
}

impl Wish {
    /// Whether its descriptor has two lines, and so two channels.
    pub(super) fn is_long(&self) -> bool {
        if self.message {
            self.size as usize > SHORT_MESSAGE
        } else {
            self.value
        }
    }
}

/// Random numbers.
#[derive(Debug)]
pub(super) struct Draw(Xoshiro256PlusPlus);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A number from 0 to below 1.
    fn fraction(&mut self) -> f64 {
        const SCALE: f64 = (1u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 / SCALE
    }

    fn chance(&mut self, share: f64) -> bool {
        share > 0.0 && self.fraction() < share
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(limit)) >> 64) as u64
    }

    pub(super) fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    pub(super) fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }

    fn logarithmic(&mut self, min: u32, max: u32) -> u32 {
        let (low, high) = (f64::from(min).ln(), (f64::from(max) + 1.0).ln());
        let size = (low + (high - low) * self.fraction()).exp() as u32;
        size.clamp(min, max)
    }

    fn size(&mut self, workload: &Workload) -> u32 {
        let (min, max) = workload.sizes;
        match workload.distribution {
            Distribution::Logarithmic => self.logarithmic(min, max),
            Distribution::Uniform => min + self.below(u64::from(max - min) + 1) as u32,
            Distribution::Elephants if self.below(10) == 0 => max,
            Distribution::Elephants => self.logarithmic(min, max.min(min.max(1024))),
        }
    }

    /// The next transfer.
    pub(super) fn wish(&mut self, workload: &Workload) -> Wish {
        let size = self.size(workload);
        let read = self.chance(workload.reads);
        let message = !read && workload.inline && size as usize <= LONG_MESSAGE;
        let any = [Class::Small, Class::OnePath, Class::FourPaths][self.below(3) as usize];
        let notify = self.chance(workload.notify);
        Wish {
            size,
            read,
            message,
            class: if message {
                Class::Small
            } else {
                workload.class.unwrap_or(any)
            },
            priority: self.below(workload.priorities.into()) as u8,
            notify,
            value: notify && !read && !message && self.chance(0.5),
            local: self.chance(workload.local),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn wishes_are_what_was_asked_for() {
        let mut draw = Draw::new(testing::seed("wishes"));
        for distribution in [
            Distribution::Logarithmic,
            Distribution::Uniform,
            Distribution::Elephants,
        ] {
            for sizes in [(1, 1), (1, 1 << 20), (5000, 6000)] {
                let workload = Workload {
                    transfers: 1,
                    sizes,
                    distribution,
                    priorities: 2,
                    reads: 0.3,
                    inline: true,
                    notify: 0.3,
                    class: None,
                    outstanding: 1,
                    one_way: false,
                    local: 0.2,
                };
                for _ in 0..1000 {
                    let wish = draw.wish(&workload);
                    assert!((sizes.0..=sizes.1).contains(&wish.size), "{wish:?}");
                    assert!(wish.priority < 2);
                    assert!(!wish.message || wish.size <= 32 && wish.class == Class::Small);
                    assert!(!(wish.value && (wish.read || wish.message)));
                }
            }
        }
    }
}
