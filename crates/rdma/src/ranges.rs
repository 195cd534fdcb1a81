// SPDX-License-Identifier: Apache-2.0
//! Pieces of an address range that nobody uses: first fit, neighbours joined.

use std::collections::BTreeMap;

/// What is free: first byte, and how many.
#[derive(Debug, Default)]
pub(crate) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// All of it is free.
    pub(crate) fn new(first: u64, bytes: u64) -> Self {
        Self((bytes > 0).then_some((first, bytes)).into_iter().collect())
    }

    /// Takes a piece that begins at a multiple of `align`, a power of two.
    pub(crate) fn take(&mut self, bytes: u64, align: u64) -> Option<u64> {
        let fits = |(&first, &free): (&u64, &u64)| {
            let place = first.checked_next_multiple_of(align)?;
            let end = place.checked_add(bytes)?;
            (end <= first + free).then_some((first, free, place))
        };
        let (first, free, place) = self.0.iter().find_map(fits)?;
        self.0.remove(&first);
        if place > first {
            self.0.insert(first, place - first);
        }
        let (end, last) = (place + bytes, first + free);
        if last > end {
            self.0.insert(end, last - end);
        }
        Some(place)
    }

    /// Gives back what was taken.
    pub(crate) fn give(&mut self, mut first: u64, mut bytes: u64) {
        if let Some((&before, &free)) = self.0.range(..first).next_back()
            && before + free == first
        {
            self.0.remove(&before);
            (first, bytes) = (before, bytes + free);
        }
        if let Some(behind) = self.0.remove(&(first + bytes)) {
            bytes += behind;
        }
        self.0.insert(first, bytes);
    }

    /// Bytes of the largest piece that begins at a multiple of `align`.
    pub(crate) fn largest(&self, align: u64) -> u64 {
        let room = |(&first, &free): (&u64, &u64)| {
            let place = first.checked_next_multiple_of(align)?;
            (first + free).checked_sub(place)
        };
        self.0.iter().filter_map(room).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces() {
        let mut ranges = Ranges::new(100, 1000);
        assert_eq!(ranges.largest(64), 972);
        assert_eq!(ranges.take(10, 64), Some(128));
        assert_eq!(ranges.take(28, 4), Some(100));
        assert_eq!(ranges.take(963, 1), None);
        assert_eq!(ranges.take(962, 1), Some(138));
        assert_eq!((ranges.take(1, 1), ranges.largest(1)), (None, 0));
        ranges.give(128, 10);
        ranges.give(100, 28);
        assert_eq!(ranges.largest(1), 38);
        ranges.give(138, 962);
        assert_eq!(ranges.0, Ranges::new(100, 1000).0);
    }

    #[test]
    fn the_end_of_all_addresses() {
        let mut ranges = Ranges::new(u64::MAX - 10, 10);
        assert_eq!(ranges.take(1, 64), None);
        assert_eq!(ranges.take(u64::MAX, 1), None);
        assert_eq!(ranges.take(10, 1), Some(u64::MAX - 10));
    }
}
