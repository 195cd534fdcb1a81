// SPDX-License-Identifier: Apache-2.0
//! Parity with the Galois-field instructions on words of 64 bytes: a product with a constant is a product with
//! a matrix of 8 by 8 bits, one instruction for a whole line, whatever the polynomial of the field.
//!
//! The remainders of all columns are divided by the generator polynomial at once, two lines a step. They stay in registers, and
//! as the generator reads the same from both ends, a line needs `t` products for its `2t` rows.

use super::gf;
use super::rs::{LINE, Line, MAX_T, Rows};
use super::scalar;
use std::arch::x86_64::{
    __m512i, _mm512_gf2p8affine_epi64_epi8, _mm512_loadu_si512, _mm512_maskz_loadu_epi8,
    _mm512_or_si512, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_storeu_si512,
    _mm512_ternarylogic_epi64, _mm512_test_epi8_mask, _mm512_xor_si512,
};

/// Exclusive or of three.
const XOR3: i32 = 0x96;

/// Matrices of the generator polynomial.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    t: usize,
    /// For the coefficients of x^(2t - 1) down to x^t.
    matrices: [u64; MAX_T],
}

impl Tables {
    /// Whether this processor has the instructions.
    pub(super) fn available() -> bool {
        is_x86_feature_detected!("gfni")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
    }

    /// For `2t` lines of parity; none on a processor without the instructions.
    pub(super) fn new(t: usize) -> Option<Self> {
        let mut matrices = [0; MAX_T];
        let generator = scalar::generator(t);
        for (to, &factor) in matrices[..t].iter_mut().zip(generator.iter().rev().skip(1)) {
            *to = matrix(factor);
        }
        Self::available().then_some(Tables { t, matrices })
    }

    /// Calculates the parity of a header and the lines of `data`; false if it was compared and differs.
    pub(super) fn parity(&self, head: &[u8], data: &[Line], rows: Rows<'_>) -> bool {
        macro_rules! for_each_t {
            ($($t:literal)*) => {
                match self.t {
                    // SAFETY: tables exist only on a processor that has the instructions.
                    $($t => unsafe { parity::<$t, { 2 * $t }>(&self.matrices, head, data, rows) },)*
                    other => unreachable!("t = {other}"),
                }
            };
        }
        for_each_t!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    }
}

/// The matrix by which the instruction multiplies with `factor`: byte 7 - i holds the bits of a byte that make up bit i of
/// its product.
fn matrix(factor: u8) -> u64 {
    let mut bytes = [0_u8; 8];
    for column in 0..8 {
        let product = gf::times(factor, 1 << column);
        for (row, byte) in bytes.iter_mut().rev().enumerate() {
            *byte |= (product >> row & 1) << column;
        }
    }
    u64::from_le_bytes(bytes)
}

/// [`Tables::parity`] for one strength; `R` = 2 `T` rows.
#[target_feature(enable = "gfni,avx512f,avx512bw")]
fn parity<const T: usize, const R: usize>(
    matrices: &[u64; MAX_T],
    head: &[u8],
    data: &[Line],
    rows: Rows<'_>,
) -> bool {
    let head = load_part(head);
    // Lines of zeros in front change nothing, so the number of lines can be made even.
    let (first, second, rest) = match data.split_first() {
        Some((second, rest)) if rest.len().is_multiple_of(2) => (head, load(second), rest),
        _ => (_mm512_setzero_si512(), head, data),
    };
    let mut remainder = [_mm512_setzero_si512(); R];
    two_steps::<T, R>(&mut remainder, matrices, first, second);
    for [first, second] in rest.as_chunks::<2>().0 {
        two_steps::<T, R>(&mut remainder, matrices, load(first), load(second));
    }
    match rows {
        Rows::Write(rows) => {
            for (row, part) in rows.iter_mut().zip(remainder) {
                store(row, part);
            }
            true
        }
        Rows::Compare(rows) => {
            let mut left = _mm512_setzero_si512();
            for (row, part) in rows.iter().zip(remainder) {
                left = _mm512_or_si512(left, _mm512_xor_si512(load(row), part));
            }
            _mm512_test_epi8_mask(left, left) == 0
        }
    }
}

/// Takes two lines into the remainder, whose highest power of x is in front.
///
/// What a line and the top of the remainder add up to comes back in every row, times the coefficient of the generator there; the
/// last row gets it as it is, because the lowest coefficient is 1.
#[inline]
#[target_feature(enable = "gfni,avx512f,avx512bw")]
fn two_steps<const T: usize, const R: usize>(
    remainder: &mut [__m512i; R],
    matrices: &[u64; MAX_T],
    first: __m512i,
    second: __m512i,
) {
    let first = _mm512_xor_si512(first, remainder[0]);
    let mut of_first = times(first, matrices[0]);
    let second = xor3(second, remainder[1], of_first);
    // Rows i and R - 2 - i have their products in common. They are made where they are needed, from both ends to the
    // middle, so that registers are enough. A row above is overwritten two rows before its old value is needed.
    let mut before = first;
    let mut old = [_mm512_setzero_si512(), remainder[R - 1]];
    for i in 0..T - 1 {
        let of_second = times(second, matrices[i]);
        let next = times(first, matrices[i + 1]);
        remainder[i] = xor3(remainder[i + 2], next, of_second);
        let mirrored = &mut remainder[R - 2 - i];
        let above = *mirrored;
        *mirrored = xor3(old[0], before, of_second);
        old = [old[1], above];
        (before, of_first) = (of_first, next);
    }
    remainder[T - 1] = xor3(old[0], before, times(second, matrices[T - 1]));
    remainder[R - 1] = second;
}

#[inline]
#[target_feature(enable = "gfni,avx512f")]
fn times(line: __m512i, matrix: u64) -> __m512i {
    _mm512_gf2p8affine_epi64_epi8::<0>(line, _mm512_set1_epi64(matrix.cast_signed()))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn xor3(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<XOR3>(a, b, c)
}

/// At most 64 bytes, with zeros behind them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_part(bytes: &[u8]) -> __m512i {
    let mask = u64::MAX
        .checked_shr((LINE - bytes.len()) as u32)
        .unwrap_or(0);
    // SAFETY: the mask has a bit for each byte of the slice, of which there are at most 64, and nothing else is read.
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(line: &Line) -> __m512i {
    // SAFETY: 64 bytes are read from a reference to 64 bytes; the instruction asks for no alignment.
    unsafe { _mm512_loadu_si512(line.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(line: &mut Line, value: __m512i) {
    // SAFETY: 64 bytes are written through a reference to 64 bytes; the instruction asks for no alignment.
    unsafe { _mm512_storeu_si512(line.as_mut_ptr().cast(), value) }
}
