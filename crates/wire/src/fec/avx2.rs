// SPDX-License-Identifier: Apache-2.0
//! Parity with byte shuffles on words of 32 bytes: the product with a constant is the sum of two
//! look-ups, one for each half of a byte, in tables of 16.

use super::gf::{self, POINTS};
use super::rs::{LINE, Line, Rows};
use super::transform::{self, Word};
use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_loadu_si256,
    _mm256_or_si256, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_srli_epi64, _mm256_storeu_si256, _mm256_testz_si256, _mm256_xor_si256,
};

/// Bytes of a word.
const WORD: usize = 32;

/// Products of each point with all low halves, and with all high halves.
static HALVES: [[[u8; 16]; 2]; 256] = halves();

/// Knows that this processor has the instructions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit(());

impl Unit {
    /// None on a processor without the instructions.
    pub(super) fn new() -> Option<Self> {
        let there = is_x86_feature_detected!("avx2");
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
#[target_feature(enable = "avx2")]
fn parity(head: &[u8], data: &[Line], rows: Rows<'_>) -> bool {
    transform::parity::<Half>(head, data, rows)
}

const fn halves() -> [[[u8; 16]; 2]; 256] {
    let mut table = [[[0; 16]; 2]; 256];
    let mut point = 0;
    while point < table.len() {
        let mut half = 0;
        while half < 16 {
            table[point][0][half] = gf::product(POINTS[point], half as u8);
            table[point][1][half] = gf::product(POINTS[point], (half as u8) << 4);
            half += 1;
        }
        point += 1;
    }
    table
}

/// Half of a line.
#[derive(Clone, Copy)]
struct Half(__m256i);

// SAFETY of all calls: only functions for processors that have the instructions call these.
impl Word for Half {
    const PARTS: usize = LINE / WORD;

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: see above.
        Half(unsafe { _mm256_setzero_si256() })
    }

    #[inline(always)]
    fn load(line: &Line, part: usize) -> Self {
        let (words, _) = line.as_chunks::<WORD>();
        // SAFETY: 32 bytes are read from a reference to 32 bytes; the instruction asks for no
        // alignment.
        Half(unsafe { _mm256_loadu_si256(words[part].as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, line: &mut Line, part: usize) {
        let (words, _) = line.as_chunks_mut::<WORD>();
        // SAFETY: 32 bytes are written through a reference to 32 bytes; the instruction asks for no
        // alignment.
        unsafe { _mm256_storeu_si256(words[part].as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: see above.
        Half(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn times(self, point: usize) -> Self {
        let [of_low, of_high] = &HALVES[point];
        // SAFETY: see above; 16 bytes are read from a reference to 16 bytes.
        Half(unsafe {
            let table = |half: &[u8; 16]| {
                _mm256_broadcastsi128_si256(_mm_loadu_si128(half.as_ptr().cast()))
            };
            let low_half = _mm256_set1_epi8(0x0f);
            let low = _mm256_and_si256(self.0, low_half);
            let high = _mm256_and_si256(_mm256_srli_epi64::<4>(self.0), low_half);
            let low = _mm256_shuffle_epi8(table(of_low), low);
            _mm256_xor_si256(low, _mm256_shuffle_epi8(table(of_high), high))
        })
    }

    #[inline(always)]
    fn or_differs(self, a: Self, b: Self) -> Self {
        // SAFETY: see above.
        Half(unsafe { _mm256_or_si256(self.0, _mm256_xor_si256(a.0, b.0)) })
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm256_testz_si256(self.0, self.0) != 0 }
    }
}
