// SPDX-License-Identifier: Apache-2.0
//! Parity without vector instructions: division by the generator polynomial, a byte at a time. Each of the 64 columns keeps its
//! remainder, one byte a coefficient, in one or two words; what leaves a remainder at its top selects a row of
//! a table that is added to it.

use super::gf;
use super::rs::{LINE, Line, Rows, first_root, padded};

/// Bytes of a word of a remainder.
const WORD: usize = 16;

/// Multiples of the generator polynomial.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    rows: usize,
    /// `multiples[b]` = b times the generator without its leading coefficient, the highest degree in the lowest byte.
    multiples: Vec<[u128; 2]>,
}

impl Tables {
    /// For `2t` lines of parity.
    pub(super) fn new(t: usize) -> Self {
        let generator = generator(t);
        let multiples = (0..=255).map(|byte| {
            let mut bytes = [0; 2 * WORD];
            for (to, &from) in bytes.iter_mut().zip(generator.iter().rev().skip(1)) {
                *to = gf::times(byte, from);
            }
            let (words, _) = bytes.as_chunks::<WORD>();
            [u128::from_le_bytes(words[0]), u128::from_le_bytes(words[1])]
        });
        Tables {
            rows: 2 * t,
            multiples: multiples.collect(),
        }
    }

    /// Calculates the parity of a header and the lines of `data`; false if it was compared and differs.
    pub(super) fn parity(&self, head: &[u8], data: &[Line], rows: Rows<'_>) -> bool {
        if self.rows <= WORD {
            self.parity_words::<1>(head, data, rows)
        } else {
            self.parity_words::<2>(head, data, rows)
        }
    }

    fn parity_words<const WORDS: usize>(&self, head: &[u8], data: &[Line], rows: Rows<'_>) -> bool {
        let mut remainders = [[0_u128; WORDS]; LINE];
        for line in std::iter::once(&padded(head)).chain(data) {
            for (remainder, byte) in remainders.iter_mut().zip(line) {
                let multiple = &self.multiples[usize::from(remainder[0] as u8 ^ byte)];
                let mut above = 0;
                for (word, add) in remainder.iter_mut().zip(multiple).rev() {
                    let low = *word << (8 * (WORD - 1));
                    *word = *word >> 8 ^ above ^ add;
                    above = low;
                }
            }
        }
        let line = |row: usize| {
            remainders.map(|remainder| (remainder[row / WORD] >> (8 * (row % WORD))) as u8)
        };
        match rows {
            Rows::Write(rows) => {
                for (number, row) in rows.iter_mut().enumerate() {
                    *row = line(number);
                }
                true
            }
            Rows::Compare(rows) => rows
                .iter()
                .enumerate()
                .all(|(number, row)| *row == line(number)),
        }
    }
}

/// Product of (x - r) over the roots; coefficients from the lowest degree up.
pub(super) fn generator(t: usize) -> Vec<u8> {
    let mut product = vec![1];
    for root in (0..2 * t).map(|j| gf::power(first_root(t) + j)) {
        product.insert(0, 0);
        for i in 0..product.len() - 1 {
            product[i] ^= gf::times(root, product[i + 1]);
        }
    }
    product
}

/// Parity of a line of ones with `behind` lines of zeros behind it, for each `behind` below `lines`: what a line at that
/// place is multiplied with for each row of parity.
#[cfg(target_arch = "x86_64")]
pub(super) fn coefficients(t: usize, lines: usize) -> Vec<Vec<u8>> {
    let generator = generator(t);
    // x^2t modulo the generator, then times x again and again; the highest degree is in front.
    let unit: Vec<u8> = generator.iter().rev().skip(1).copied().collect();
    let mut remainder = unit.clone();
    let mut all = Vec::with_capacity(lines);
    for _ in 0..lines {
        all.push(remainder.clone());
        let top = remainder.remove(0);
        remainder.push(0);
        for (to, &from) in remainder.iter_mut().zip(&unit) {
            *to ^= gf::times(top, from);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::rs::MAX_T;
    use super::*;

    /// What the vector instructions rely on.
    #[test]
    fn generator_reads_the_same_from_both_ends() {
        for t in 1..=MAX_T {
            let generator = generator(t);
            assert_eq!(generator.len(), 2 * t + 1);
            assert_eq!(generator[0], 1);
            assert!(generator.iter().eq(generator.iter().rev()), "t = {t}");
        }
    }
}
