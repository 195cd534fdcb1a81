// SPDX-License-Identifier: Apache-2.0
//! The clocks of two ends, each with the length that its line's mode gives it.

/// Binary places of a femtosecond.
const PLACES: u32 = 32;

/// Edges of two clocks.
#[derive(Debug)]
pub(super) struct Clocks {
    /// Next edge and period of A and B in femtoseconds, with [`PLACES`].
    next: [u128; 2],
    period: [u128; 2],
    /// How long a period is of what its mode says.
    scale: [f64; 2],
}

impl Clocks {
    /// Clocks of this period; that of B is faster by this many parts per million.
    pub(super) fn new(cycle_fs: u64, ppm: f64) -> Self {
        let mut clocks = Self {
            next: [0; 2],
            period: [0; 2],
            scale: [1.0, 1.0 / (1.0 + ppm * 1e-6)],
        };
        for end in [0, 1] {
            clocks.set(end, cycle_fs);
        }
        clocks
    }

    /// From its next edge on an end has this period. Two ends with one clock keep step.
    pub(super) fn set(&mut self, end: usize, cycle_fs: u64) {
        let places = (1u64 << PLACES) as f64;
        self.period[end] = (cycle_fs as f64 * self.scale[end] * places).round() as u128;
        if self.period[0] == self.period[1] {
            self.next[1] = self.next[0];
        }
    }

    /// Which clocks rise next, and when.
    #[inline]
    pub(super) fn advance(&mut self) -> ([bool; 2], u64) {
        let due = self.next[0].min(self.next[1]);
        let rises = self.next.map(|next| next == due);
        for ((next, period), rises) in self.next.iter_mut().zip(self.period).zip(rises) {
            *next += if rises { period } else { 0 };
        }
        (rises, (due >> PLACES) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_two_clocks() {
        let mut clocks = Clocks::new(1000, 0.0);
        for i in 0..3 {
            assert_eq!(clocks.advance(), ([true; 2], 1000 * i));
        }
        clocks.set(0, 500);
        assert_eq!(clocks.advance(), ([true; 2], 3000));
        assert_eq!(clocks.advance(), ([true, false], 3500));
        clocks.set(1, 500);
        assert_eq!(clocks.advance(), ([true; 2], 4000));
        // A thousand parts per million: one edge more in a thousand.
        let mut clocks = Clocks::new(1000, 1000.0);
        let mut edges = [0; 2];
        while edges[0] < 100_000 {
            let (rises, _) = clocks.advance();
            edges[0] += u32::from(rises[0]);
            edges[1] += u32::from(rises[1]);
        }
        assert!((100_099..=100_100).contains(&edges[1]), "{edges:?}");
    }
}
