// SPDX-License-Identifier: Apache-2.0
//! Sequence numbers of transactions. Each transaction number has a counter of its own, one step for
//! every issue of a block under it, first or repeated.
//!
//! The thesis counts all blocks with one counter. Then a number that rests while half the number
//! space goes by takes the new block for an old one; and with 512 numbers that come back in turn,
//! the same pair of transaction and sequence number comes again after as few uses as the space is
//! larger than 512. With a counter for each number the pair comes again after the whole space.

use core::cmp::Ordering;

/// Bits of a sequence number.
pub const BITS: u32 = 14;
const MASK: u16 = (1 << BITS) - 1;
const HALF: u16 = 1 << (BITS - 1);

/// A sequence number, modulo 2^14.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sequence(u16);

/// What a number is, compared with the newest one that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// Before it.
    Old,
    /// The same.
    Same,
    /// Behind it.
    New,
}

impl Sequence {
    /// The number with these low 14 bits.
    #[must_use]
    pub const fn new(value: u16) -> Self {
        Sequence(value & MASK)
    }

    /// Its value, below 2^14.
    #[must_use]
    pub const fn value(self) -> u16 {
        self.0
    }

    /// The number behind it.
    #[must_use]
    pub const fn next(self) -> Self {
        Sequence::new(self.0 + 1)
    }

    /// What it is beside the newest one known, right while the two are fewer than 2^13 steps apart.
    #[must_use]
    pub fn age(self, newest: Sequence) -> Age {
        let ahead = self.0.wrapping_sub(newest.0) & MASK;
        match ahead.cmp(&0) {
            Ordering::Equal => Age::Same,
            _ if ahead < HALF => Age::New,
            _ => Age::Old,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_through_the_wrap() {
        let mut newest = Sequence::new(MASK - 3);
        for _ in 0..10 {
            let next = newest.next();
            assert_eq!(next.age(newest), Age::New);
            assert_eq!(newest.age(next), Age::Old);
            assert_eq!(next.age(next), Age::Same);
            newest = next;
        }
        assert_eq!(newest.value(), 6);
        assert_eq!(Sequence::new(HALF - 1).age(Sequence::new(0)), Age::New);
        assert_eq!(Sequence::new(HALF).age(Sequence::new(0)), Age::Old);
    }

    /// 512 numbers from a pool, each acknowledged at once: with the one counter of the thesis the
    /// pair comes again after 2^14 / 512 uses, with counters of their own after 2^14.
    #[test]
    fn pairs_come_again_late() {
        let uses_until = |own: bool| {
            let (mut all, mut of_one) = (0u32, 0u32);
            for uses in 1u32.. {
                all += 512;
                of_one += 1;
                let value = if own { of_one } else { all };
                if Sequence::new(value as u16).value() == 0 {
                    return uses;
                }
            }
            unreachable!()
        };
        assert_eq!(uses_until(false), 32);
        assert_eq!(uses_until(true), 1 << BITS);
    }
}
