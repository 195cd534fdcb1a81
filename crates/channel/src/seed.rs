// SPDX-License-Identifier: Apache-2.0
//! One number from which every random decision of a run follows.

use std::hash::{BuildHasher, Hasher, RandomState};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

/// A fresh seed: 32 bits, so that it is short enough to type again and exact in every JSON reader.
#[must_use]
pub fn fresh() -> u64 {
    // The standard library seeds its hash maps from the random source of the operating system.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(u64::from(std::process::id()));
    hasher.finish() & 0xffff_ffff
}

/// Independent seeds for the parts of a run (SplitMix64).
#[derive(Debug, Clone)]
pub struct Seeds(SplitMix64);

impl Seeds {
    /// The sequence that belongs to this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// The next one.
    pub fn next_seed(&mut self) -> u64 {
        self.0.next_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_reproducible_and_differ() {
        let mut first = Seeds::new(7);
        let mut second = Seeds::new(7);
        let a: Vec<u64> = (0..100).map(|_| first.next_seed()).collect();
        let b: Vec<u64> = (0..100).map(|_| second.next_seed()).collect();
        assert_eq!(a, b);
        let mut sorted = a.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 100);
        // The published first output of SplitMix64 for seed 0.
        assert_eq!(Seeds::new(0).next_seed(), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn fresh_seeds_differ() {
        assert!(
            (0..8)
                .map(|_| fresh())
                .collect::<std::collections::HashSet<_>>()
                .len()
                > 1
        );
    }
}
