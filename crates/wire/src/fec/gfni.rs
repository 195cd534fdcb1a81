// SPDX-License-Identifier: Apache-2.0
//! Parity with the Galois-field instructions on words of 64 bytes: a product with a constant is a
//! product with a matrix of 8 by 8 bits, one instruction for a whole line, whatever the polynomial
//! of the field.

use super::gf::{self, POINTS};
use super::rs::{LINE, Line, Rows};
use super::transform::{self, Word};
use std::arch::x86_64::{
    __m512i, _mm512_gf2p8affine_epi64_epi8, _mm512_loadu_si512, _mm512_maskz_loadu_epi8,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_storeu_si512, _mm512_ternarylogic_epi64,
    _mm512_test_epi8_mask, _mm512_xor_si512,
};

/// The matrix of each point.
static MATRICES: [u64; 256] = matrices();

/// Knows that this processor has the instructions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit(());

impl Unit {
    /// None on a processor without the instructions.
    pub(super) fn new() -> Option<Self> {
        let there = is_x86_feature_detected!("gfni")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw");
        there.then_some(Unit(()))
    }

    /// Calculates the parity of a header and the lines of `data`; false if it was compared and
    /// differs.
    pub(super) fn parity(self, head: &[u8], data: &[Line], rows: Rows<'_>) -> bool {
        // SAFETY: there is a unit only on a processor that has the instructions.
        unsafe { parity(head, data, rows) }
    }
}

/// [`Unit::parity`].
#[target_feature(enable = "gfni,avx512f,avx512bw")]
fn parity(head: &[u8], data: &[Line], rows: Rows<'_>) -> bool {
    transform::parity::<Lines>(head, data, rows)
}

const fn matrices() -> [u64; 256] {
    let mut table = [0; 256];
    let mut point = 0;
    while point < table.len() {
        table[point] = matrix(POINTS[point]);
        point += 1;
    }
    table
}

/// The matrix by which the instruction multiplies with `factor`: byte 7 - i holds the bits of a
/// byte that make up bit i of its product.
const fn matrix(factor: u8) -> u64 {
    let mut matrix = 0;
    let mut column = 0;
    while column < 8 {
        let product = gf::product(factor, 1 << column);
        let mut row = 0;
        while row < 8 {
            matrix |= ((product >> row & 1) as u64) << (8 * (7 - row) + column);
            row += 1;
        }
        column += 1;
    }
    matrix
}

/// A whole line.
#[derive(Clone, Copy)]
struct Lines(__m512i);

// SAFETY of all calls: only functions for processors that have the instructions call these.
impl Word for Lines {
    const PARTS: usize = 1;

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: see above.
        Lines(unsafe { _mm512_setzero_si512() })
    }

    #[inline(always)]
    fn load(line: &Line, _: usize) -> Self {
        // SAFETY: 64 bytes are read from a reference to 64 bytes; the instruction asks for no
        // alignment.
        Lines(unsafe { _mm512_loadu_si512(line.as_ptr().cast()) })
    }

    #[inline(always)]
    fn load_head(head: &[u8], _: usize) -> Self {
        let mask = u64::MAX
            .checked_shr((LINE - head.len()) as u32)
            .unwrap_or(0);
        // SAFETY: the mask has a bit for each byte of the slice, of which there are at most 64, and
        // nothing else is read.
        Lines(unsafe { _mm512_maskz_loadu_epi8(mask, head.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, line: &mut Line, _: usize) {
        // SAFETY: 64 bytes are written through a reference to 64 bytes; the instruction asks for no
        // alignment.
        unsafe { _mm512_storeu_si512(line.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: see above.
        Lines(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn times(self, point: usize) -> Self {
        let matrix = MATRICES[point].cast_signed();
        // SAFETY: see above.
        Lines(unsafe { _mm512_gf2p8affine_epi64_epi8::<0>(self.0, _mm512_set1_epi64(matrix)) })
    }

    #[inline(always)]
    fn or_differs(self, a: Self, b: Self) -> Self {
        /// a | (b ^ c)
        const OR_XOR: i32 = 0xf6;
        // SAFETY: see above.
        Lines(unsafe { _mm512_ternarylogic_epi64::<OR_XOR>(self.0, a.0, b.0) })
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm512_test_epi8_mask(self.0, self.0) == 0 }
    }
}
