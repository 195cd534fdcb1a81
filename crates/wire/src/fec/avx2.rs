// SPDX-License-Identifier: Apache-2.0
//! Parity with byte shuffles on words of 32 bytes: the product with a constant is the sum of two look-ups, one for each
//! half of a byte, in tables of 16. Each line has its own constants, so that as many rows as fit the registers are calculated
//! without the others.

use super::gf;
use super::rs::{LINE, Line, Rows, padded};
use super::scalar;
use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_loadu_si256,
    _mm256_or_si256, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_srli_epi64, _mm256_storeu_si256, _mm256_testz_si256, _mm256_xor_si256,
};

/// Most rows that are calculated at once.
const ROWS: usize = 8;

/// Bytes of a word.
const WORD: usize = 32;

/// Products of a constant with all low halves, and with all high halves.
type Halves = [[u8; 16]; 2];

/// Tables of the coefficients.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    /// For each group of 8 or, at the end, of 4 or 2 rows: the number of rows in it and its tables, line by line.
    groups: Vec<(usize, Vec<Halves>)>,
}

impl Tables {
    /// Whether this processor has the instructions.
    pub(super) fn available() -> bool {
        is_x86_feature_detected!("avx2")
    }

    /// For `2t` lines of parity and so many lines in front of them; none on a processor without the instructions.
    pub(super) fn new(t: usize, lines: usize) -> Option<Self> {
        let coefficients = scalar::coefficients(t, lines);
        let rows = 2 * t;
        let mut groups = Vec::new();
        let mut first = 0;
        while first < rows {
            let count = ROWS.min(1 << (rows - first).ilog2());
            let group = first..first + count;
            // From the first line to the last: the farther behind, the earlier.
            let factors = coefficients
                .iter()
                .rev()
                .flat_map(|line| &line[group.clone()]);
            groups.push((count, factors.map(|&factor| halves(factor)).collect()));
            first += count;
        }
        Self::available().then_some(Tables { groups })
    }

    /// Calculates the parity of a header and the lines of `data`; false if it was compared and differs.
    pub(super) fn parity(&self, head: &[u8], data: &[Line], rows: Rows<'_>) -> bool {
        let head = &padded(head);
        let mut rows = rows;
        let mut same = true;
        for (count, tables) in &self.groups {
            let (part, rest) = rows.split_at(*count);
            rows = rest;
            // SAFETY: tables exist only on a processor that has the instructions.
            same &= unsafe {
                match count {
                    8 => parity::<8>(tables, head, data, part),
                    4 => parity::<4>(tables, head, data, part),
                    _ => parity::<2>(tables, head, data, part),
                }
            };
        }
        same
    }
}

fn halves(factor: u8) -> Halves {
    [
        std::array::from_fn(|low| gf::times(factor, low as u8)),
        std::array::from_fn(|high| gf::times(factor, (high as u8) << 4)),
    ]
}

/// [`Tables::parity`] for a group of `R` rows.
#[target_feature(enable = "avx2")]
fn parity<const R: usize>(
    tables: &[Halves],
    head: &Line,
    data: &[Line],
    mut rows: Rows<'_>,
) -> bool {
    let (tables, _) = tables.as_chunks::<R>();
    let low_half = _mm256_set1_epi8(0x0f);
    let mut left = _mm256_setzero_si256();
    for half in 0..LINE / WORD {
        let mut sums = [_mm256_setzero_si256(); R];
        for (line, tables) in std::iter::once(head).chain(data).zip(tables) {
            let line = load(line, half);
            let low = _mm256_and_si256(line, low_half);
            let high = _mm256_and_si256(_mm256_srli_epi64::<4>(line), low_half);
            for (sum, [of_low, of_high]) in sums.iter_mut().zip(tables) {
                let low = _mm256_shuffle_epi8(table(of_low), low);
                let high = _mm256_shuffle_epi8(table(of_high), high);
                *sum = _mm256_xor_si256(*sum, _mm256_xor_si256(low, high));
            }
        }
        match &mut rows {
            Rows::Write(rows) => {
                for (row, sum) in rows.iter_mut().zip(sums) {
                    store(row, half, sum);
                }
            }
            Rows::Compare(rows) => {
                for (row, sum) in rows.iter().zip(sums) {
                    left = _mm256_or_si256(left, _mm256_xor_si256(load(row, half), sum));
                }
            }
        }
    }
    _mm256_testz_si256(left, left) != 0
}

#[inline]
#[target_feature(enable = "avx2")]
fn table(half: &[u8; 16]) -> __m256i {
    // SAFETY: 16 bytes are read from a reference to 16 bytes; the instruction asks for no alignment.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(half.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(line: &Line, half: usize) -> __m256i {
    let (words, _) = line.as_chunks::<WORD>();
    // SAFETY: 32 bytes are read from a reference to 32 bytes; the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(words[half].as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(line: &mut Line, half: usize, value: __m256i) {
    let (words, _) = line.as_chunks_mut::<WORD>();
    // SAFETY: 32 bytes are written through a reference to 32 bytes; the instruction asks for no alignment.
    unsafe { _mm256_storeu_si256(words[half].as_mut_ptr().cast(), value) }
}
