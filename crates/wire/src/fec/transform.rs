// SPDX-License-Identifier: Apache-2.0
//! Parity by additive Fourier transforms, the same for all words that a processor can calculate
//! with.
//!
//! A codeword is a polynomial over the field, given by its values: at [`POINTS`]`[p]` for place p.
//! Places are cut into blocks of M, the power of two that holds the rows of parity; parity is in
//! the first block, the lines are in the others. All polynomials of less than 256 - M coefficients,
//! in the basis of Lin, Chung and Han, are codewords. So the last M coefficients of a codeword are
//! 0, and they are the sum over all blocks of the M coefficients that the M values of a block have
//! on their own. Hence parity is what the sum over the other blocks becomes when it is transformed
//! back to values. A transform of M words takes M/2 log2 M products, where division by the
//! generator polynomial takes M/2 for each line.
//!
//! Source: S.-J. Lin, W.-H. Chung, Y. S. Han: Novel polynomial basis and its application to
//! Reed-Solomon erasure codes, 2014; with the basis of D. G. Cantor, 1989, in which the factors of
//! the transform are points.

use super::gf::POINTS;
use super::rs::{LINE, Line, Rows};

/// Words that are transformed without going through memory.
const HAND: usize = 16;

/// What is added and multiplied at once: a line or a part of one.
///
/// All of it is inlined into functions for processors that have the instructions, and must not be
/// called elsewhere.
pub(super) trait Word: Copy {
    /// Words of a line.
    const PARTS: usize;
    /// All zeros.
    fn zero() -> Self;
    fn load(line: &Line, part: usize) -> Self;
    fn store(self, line: &mut Line, part: usize);
    fn plus(self, other: Self) -> Self;
    /// Product with a point.
    fn times(self, point: usize) -> Self;
    /// Bits that are set, or in which two others differ.
    fn or_differs(self, a: Self, b: Self) -> Self;
    fn is_zero(self) -> bool;
    /// Of at most a line, with zeros behind it.
    #[inline(always)]
    fn load_head(head: &[u8], part: usize) -> Self {
        let mut line = [0; LINE];
        line[..head.len()].copy_from_slice(head);
        Self::load(&line, part)
    }
}

/// Calculates the parity of a header and the lines of `data`; false if it was compared and differs.
#[inline(always)]
pub(super) fn parity<W: Word>(head: &[u8], data: &[Line], rows: Rows<'_>) -> bool {
    match block(rows.count()) {
        2 => parity_of::<W, 2>(head, data, rows),
        4 => parity_of::<W, 4>(head, data, rows),
        8 => parity_of::<W, 8>(head, data, rows),
        16 => parity_of::<W, 16>(head, data, rows),
        _ => parity_of::<W, 32>(head, data, rows),
    }
}

/// Places of a block for `rows` rows of parity.
pub(super) const fn block(rows: usize) -> usize {
    rows.next_power_of_two()
}

#[inline(always)]
fn parity_of<W: Word, const M: usize>(head: &[u8], data: &[Line], mut rows: Rows<'_>) -> bool {
    let (blocks, rest) = data.as_chunks::<M>();
    let last = M * (1 + blocks.len());
    let mut same = true;
    for part in 0..W::PARTS {
        let head = W::load_head(head, part);
        // The last block is seldom full: what is known to be zero is left out.
        let mut sum = match (rest.len() + 1).next_power_of_two() {
            1 => last_block::<W, M, 1>(rest, head, part, last),
            2 => last_block::<W, M, 2>(rest, head, part, last),
            4 => last_block::<W, M, 4>(rest, head, part, last),
            8 => last_block::<W, M, 8>(rest, head, part, last),
            16 => last_block::<W, M, 16>(rest, head, part, last),
            _ => last_block::<W, M, 32>(rest, head, part, last),
        };
        for (block, first) in blocks.iter().zip((M..).step_by(M)) {
            let mut values = [W::zero(); M];
            for (value, line) in values.iter_mut().zip(block) {
                *value = W::load(line, part);
            }
            inverse(&mut values, first);
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum = sum.plus(value);
            }
        }
        forward(&mut sum);
        match &mut rows {
            Rows::Write(rows) => {
                for (row, word) in rows.iter_mut().zip(sum) {
                    word.store(row, part);
                }
            }
            Rows::Compare(rows) => {
                let mut left = W::zero();
                for (row, word) in rows.iter().zip(sum) {
                    left = left.or_differs(word, W::load(row, part));
                }
                same &= left.is_zero();
            }
        }
    }
    same
}

/// Coefficients of the block at place `first` with at most P lines, the header behind them.
#[inline(always)]
fn last_block<W: Word, const M: usize, const P: usize>(
    lines: &[Line],
    head: W,
    part: usize,
    first: usize,
) -> [W; M] {
    let mut all = [W::zero(); M];
    let mut values = [W::zero(); P];
    for i in 0..P {
        if i < lines.len() {
            values[i] = W::load(&lines[i], part);
        } else if i == lines.len() {
            values[i] = head;
        }
    }
    inverse(&mut values, first);
    for (all, value) in all.iter_mut().zip(values) {
        *all = value;
    }
    spread::<W, M, P, 1>(&mut all, first);
    spread::<W, M, P, 2>(&mut all, first);
    spread::<W, M, P, 4>(&mut all, first);
    spread::<W, M, P, 8>(&mut all, first);
    spread::<W, M, P, 16>(&mut all, first);
    all
}

/// Coefficients instead of values of a block at place `first`. What is in hand at once fits the
/// registers.
#[inline(always)]
fn inverse<W: Word, const P: usize>(words: &mut [W; P], first: usize) {
    if P > HAND {
        for (hand, first) in words
            .as_chunks_mut()
            .0
            .iter_mut()
            .zip((first..).step_by(HAND))
        {
            inverse_hand::<W, HAND>(hand, first);
        }
        inverse_layer::<W, P, HAND>(words, first);
    } else {
        inverse_hand(words, first);
    }
}

#[inline(always)]
fn inverse_hand<W: Word, const P: usize>(words: &mut [W; P], first: usize) {
    inverse_layer::<W, P, 1>(words, first);
    inverse_layer::<W, P, 2>(words, first);
    inverse_layer::<W, P, 4>(words, first);
    inverse_layer::<W, P, 8>(words, first);
}

/// Takes pairs of words at a distance of D, if there are any.
#[inline(always)]
fn inverse_layer<W: Word, const P: usize, const D: usize>(words: &mut [W; P], first: usize) {
    if D < P {
        assert!(first + P <= POINTS.len());
        for pair in 0..P / 2 {
            let (group, at) = (pair / D * 2, pair % D);
            let (a, b) = (group * D + at, (group + 1) * D + at);
            words[b] = words[b].plus(words[a]);
            words[a] = words[a].plus(words[b].times(first / D + group));
        }
    }
}

/// [`inverse_layer`] where the second word of each pair, and all but the first D words, are zeros.
#[inline(always)]
fn spread<W: Word, const M: usize, const P: usize, const D: usize>(
    words: &mut [W; M],
    first: usize,
) {
    if P <= D && D < M {
        for a in 0..D {
            words[a + D] = words[a];
            // a + a x = a (1 + x), and the point behind x is 1 + x.
            words[a] = words[a].times(first / D + 1);
        }
    }
}

/// Values instead of coefficients of the first block.
#[inline(always)]
fn forward<W: Word, const M: usize>(words: &mut [W; M]) {
    if M > HAND {
        forward_layer::<W, M, HAND>(words, 0);
        for (hand, first) in words.as_chunks_mut().0.iter_mut().zip((0..).step_by(HAND)) {
            forward_hand::<W, HAND>(hand, first);
        }
    } else {
        forward_hand(words, 0);
    }
}

#[inline(always)]
fn forward_hand<W: Word, const M: usize>(words: &mut [W; M], first: usize) {
    forward_layer::<W, M, 8>(words, first);
    forward_layer::<W, M, 4>(words, first);
    forward_layer::<W, M, 2>(words, first);
    forward_layer::<W, M, 1>(words, first);
}

/// The inverse of [`inverse_layer`].
#[inline(always)]
fn forward_layer<W: Word, const M: usize, const D: usize>(words: &mut [W; M], first: usize) {
    if D < M {
        assert!(first + M <= POINTS.len());
        for pair in 0..M / 2 {
            let (group, at) = (pair / D * 2, pair % D);
            let (a, b) = (group * D + at, (group + 1) * D + at);
            // The first point is 0.
            if first + group > 0 {
                words[a] = words[a].plus(words[b].times(first / D + group));
            }
            words[b] = words[b].plus(words[a]);
        }
    }
}
