// SPDX-License-Identifier: Apache-2.0
//! Which sub-packets of a chunk are there.

/// A set of the numbers below a fixed one, with the count of its members.
///
/// Bit `n` of the wire is bit `n % 8` of byte `n / 8`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bitmap {
    words: Vec<u64>,
    members: u32,
}

impl Bitmap {
    /// Nothing, of numbers below `size`.
    #[must_use]
    pub fn new(size: u16) -> Self {
        Bitmap {
            words: vec![0; usize::from(size).div_ceil(64)],
            members: 0,
        }
    }

    /// Members.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.members
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members == 0
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.words.fill(0);
        self.members = 0;
    }

    /// Whether the number is a member.
    #[must_use]
    pub fn contains(&self, number: u16) -> bool {
        self.words[usize::from(number) / 64] >> (number % 64) & 1 == 1
    }

    /// Adds it, and says whether it is new.
    pub fn insert(&mut self, number: u16) -> bool {
        let word = &mut self.words[usize::from(number) / 64];
        let bit = 1 << (number % 64);
        if *word & bit != 0 {
            return false;
        }
        *word |= bit;
        self.members += 1;
        true
    }

    /// Removes it, and says whether it was there.
    pub fn remove(&mut self, number: u16) -> bool {
        let word = &mut self.words[usize::from(number) / 64];
        let bit = 1 << (number % 64);
        if *word & bit == 0 {
            return false;
        }
        *word &= !bit;
        self.members -= 1;
        true
    }

    /// Adds all of `from..to`, and says how many are new.
    pub fn insert_range(&mut self, from: u16, to: u16) -> u32 {
        let before = self.members;
        let mut at = usize::from(from);
        while at < usize::from(to) {
            let bits = (64 - at % 64).min(usize::from(to) - at);
            let mask = (u64::MAX >> (64 - bits)) << (at % 64);
            self.merge(at / 64, mask);
            at += bits;
        }
        self.members - before
    }

    /// Adds the members that byte `index` of the wire has, and says how many are new.
    pub fn insert_byte(&mut self, index: u16, byte: u8) -> u32 {
        let before = self.members;
        self.merge(usize::from(index) / 8, u64::from(byte) << (index % 8 * 8));
        self.members - before
    }

    fn merge(&mut self, index: usize, bits: u64) {
        let word = &mut self.words[index];
        self.members += (bits & !*word).count_ones();
        *word |= bits;
    }

    /// The first member from `from` on.
    #[must_use]
    pub fn next_member(&self, from: u16) -> Option<u16> {
        self.scan(from, |word| word)
    }

    /// The first number from `from` on that is no member; it may lie beyond the size.
    #[must_use]
    pub fn next_gap(&self, from: u16) -> u16 {
        self.scan(from, |word| !word)
            .unwrap_or((self.words.len() * 64) as u16)
    }

    fn scan(&self, from: u16, of: impl Fn(u64) -> u64) -> Option<u16> {
        let first = usize::from(from) / 64;
        let mut mask = u64::MAX << (from % 64);
        for (index, &word) in self.words.iter().enumerate().skip(first) {
            let found = of(word) & mask;
            if found != 0 {
                return Some((index * 64) as u16 + found.trailing_zeros() as u16);
            }
            mask = u64::MAX;
        }
        None
    }

    /// Byte `index` of the wire.
    #[must_use]
    pub fn byte(&self, index: u16) -> u8 {
        (self.words[usize::from(index) / 8] >> (index % 8 * 8)) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn like_a_set(steps in prop::collection::vec((any::<bool>(), 0u16..200), 0..400), from in 0u16..200) {
            let (mut bitmap, mut set) = (Bitmap::new(200), BTreeSet::new());
            for (insert, number) in steps {
                if insert {
                    prop_assert_eq!(bitmap.insert(number), set.insert(number));
                } else {
                    prop_assert_eq!(bitmap.remove(number), set.remove(&number));
                }
                prop_assert_eq!(bitmap.len() as usize, set.len());
            }
            prop_assert_eq!(bitmap.next_member(from), set.range(from..).next().copied());
            prop_assert_eq!(bitmap.next_gap(from), (from..).find(|number| !set.contains(number)).unwrap());
            let (mut range, mut byte) = (bitmap.clone(), bitmap.clone());
            let new = (from..200).filter(|number| !set.contains(number)).count();
            prop_assert_eq!(range.insert_range(from, 200) as usize, new);
            prop_assert_eq!((range.len() as usize, range.next_gap(from)), (set.len() + new, 200));
            let pattern = (from * 7) as u8;
            byte.insert_byte(from / 8, pattern);
            prop_assert_eq!(byte.byte(from / 8), bitmap.byte(from / 8) | pattern);
            for number in 0..200u16 {
                prop_assert_eq!(bitmap.contains(number), set.contains(&number));
                prop_assert_eq!(bitmap.byte(number / 8) >> (number % 8) & 1 == 1, set.contains(&number));
            }
        }
    }
}
