// SPDX-License-Identifier: Apache-2.0
//! Parity without instructions of a certain processor: the product with a constant is the sum of
//! its products with each bit of a byte. The compiler makes of it what it can.

use super::gf::{self, POINTS};
use super::rs::{LINE, Line, Rows};
use super::transform::{self, Word};

/// Calculates the parity of a header and the lines of `data`; false if it was compared and differs.
pub(super) fn parity(head: &[u8], data: &[Line], rows: Rows<'_>) -> bool {
    transform::parity::<Bytes>(head, data, rows)
}

/// A whole line.
#[derive(Clone, Copy)]
struct Bytes(Line);

impl Word for Bytes {
    const PARTS: usize = 1;

    fn zero() -> Self {
        Bytes([0; LINE])
    }

    fn load(line: &Line, _: usize) -> Self {
        Bytes(*line)
    }

    fn store(self, line: &mut Line, _: usize) {
        *line = self.0;
    }

    fn plus(self, other: Self) -> Self {
        Bytes(std::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }

    fn times(self, point: usize) -> Self {
        let mut sum = [0; LINE];
        for bit in 0..8 {
            let product = gf::times(POINTS[point], 1 << bit);
            for (sum, byte) in sum.iter_mut().zip(self.0) {
                *sum ^= (byte >> bit & 1).wrapping_neg() & product;
            }
        }
        Bytes(sum)
    }

    fn or_differs(self, a: Self, b: Self) -> Self {
        Bytes(std::array::from_fn(|i| self.0[i] | a.0[i] ^ b.0[i]))
    }

    fn is_zero(self) -> bool {
        self.0 == [0; LINE]
    }
}
