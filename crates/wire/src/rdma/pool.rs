// SPDX-License-Identifier: Apache-2.0
//! Numbers that nobody uses, given out in the order in which they came back: the longest rest for
//! each.

use alloc::collections::VecDeque;

/// A pool of transaction or flow numbers.
#[derive(Debug, Clone)]
pub struct Pool {
    first: u16,
    step: u16,
    free: VecDeque<u16>,
    out: Vec<bool>,
}

impl Pool {
    /// `count` numbers from `first` on, `step` apart, all free.
    ///
    /// # Panics
    /// If `step` is zero or the last number passes 2^16 - 1: a pool is laid out by the program, not
    /// by its input.
    #[must_use]
    pub fn new(count: u16, first: u16, step: u16) -> Self {
        assert!(step > 0, "step of 0");
        let number = |i: u16| u16::try_from(u32::from(first) + u32::from(i) * u32::from(step));
        Pool {
            first,
            step,
            free: (0..count).map(|i| number(i).expect("16 bits")).collect(),
            out: vec![false; usize::from(count)],
        }
    }

    /// The number that rested longest.
    pub fn take(&mut self) -> Option<u16> {
        let id = self.free.pop_front()?;
        let slot = self.slot(id)?;
        self.out[slot] = true;
        Some(id)
    }

    /// Takes a number back; false, and nothing happens, if it is not of this pool or was not out.
    pub fn put(&mut self, id: u16) -> bool {
        let Some(slot) = self.slot(id).filter(|&slot| self.out[slot]) else {
            return false;
        };
        self.out[slot] = false;
        self.free.push_back(id);
        true
    }

    /// Free numbers.
    #[must_use]
    pub fn free(&self) -> usize {
        self.free.len()
    }

    fn slot(&self, id: u16) -> Option<usize> {
        let from = id.checked_sub(self.first)?;
        let slot = usize::from(from / self.step);
        (from % self.step == 0 && slot < self.out.len()).then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_turn_and_no_number_twice() {
        let mut pool = Pool::new(3, 192, 4);
        assert_eq!([pool.take(), pool.take()], [Some(192), Some(196)]);
        assert!(pool.put(196));
        assert!(!pool.put(196), "back already");
        assert!(!pool.put(200), "never out");
        assert!(
            !pool.put(193) && !pool.put(188) && !pool.put(204),
            "not of this pool"
        );
        assert_eq!(pool.free(), 2);
        assert_eq!(
            [pool.take(), pool.take(), pool.take()],
            [Some(200), Some(196), None]
        );
        assert!(pool.put(192));
        assert_eq!(pool.take(), Some(192));
    }
}
