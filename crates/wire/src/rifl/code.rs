// SPDX-License-Identifier: Apache-2.0
//! Verification code: CRC-12 of the scrambled frame, combined with the frame id.
//!
//! * Polynomial x^12 + x^5 + x^3 + x^2 + x + 1 (0x02f), top bit first, no reflection, starts at 0.
//! * Over all F bits after scrambling, sync bits included, the code field taken as zero: the direct
//!   form, that is M * x^24 mod P for the F-12 bits M above the code.
//! * code = CRC ^ id, the id zero-extended to 12 bits.
//!
//! What it detects and what not is searched in `tests/detection.rs` and counted in
//! [`crate::rifl::plan::detection`].
//!
//! # The stronger code
//!
//! An option of the extended mode for frames of 1024 and 2048 bits
//! ([`super::FrameWidth::with_strong_code`]): a second CRC in the 16 bits above the code.
//!
//! * Polynomial x^16 + x^12 + x^10 + x^7 + x^5 + x^4 + x^3 + x + 1 (0x14bb), top bit first, no
//!   reflection; over the F-28 bits in front of it after scrambling: M * x^16 mod P.
//! * It starts like the code, at the newest scrambled bits in front of a data frame, which are the
//!   stronger code of the frame before, and at 0 for a control frame.
//! * The code covers it like all bits above.
//!
//! Together the 28 bits see every pattern of up to five flipped bits at both widths. 186 of the
//! 32768 polynomials with a last term of 1 do so with this code; of these, this one leaves the
//! fewest patterns of six at both widths. The third powers of the roots of its factor of degree 11
//! are those of the code's, as in a BCH code.
//!
//! Source: published core (the paper, Listing 1, names neither polynomial nor coverage).

use super::frame::{CODE_BITS, CODE_MASK, Frame, STRONG_BITS};

/// The polynomial without its leading term.
pub const POLYNOMIAL: u16 = 0x02f;

/// The polynomial of the stronger code without its leading term.
pub const STRONG_POLYNOMIAL: u16 = 0x14bb;

/// A polynomial of at most 16 bits, for arithmetic modulo it.
struct Modulus {
    bits: u32,
    /// Without its leading term.
    terms: u16,
}

const CODE: Modulus = Modulus {
    bits: CODE_BITS,
    terms: POLYNOMIAL,
};
const STRONG: Modulus = Modulus {
    bits: STRONG_BITS,
    terms: STRONG_POLYNOMIAL,
};

static TABLES: [[u16; 256]; 8] = CODE.tables();
static STRONG_TABLES: [[u16; 256]; 8] = STRONG.tables();

impl Modulus {
    /// `tables[j][b]` = b * x^(8j + bits): what byte j of a word, counted from its low end, adds.
    const fn tables(&self) -> [[u16; 256]; 8] {
        let mut tables = [[0; 256]; 8];
        let mut byte = 0;
        while byte < 256 {
            let mut value = self.times_x(byte as u16, self.bits);
            let mut table = 0;
            while table < 8 {
                tables[table][byte] = value;
                value = self.times_x(value, 8);
                table += 1;
            }
            byte += 1;
        }
        tables
    }

    /// value * x^times, by long division.
    const fn times_x(&self, mut value: u16, times: u32) -> u16 {
        let mut step = 0;
        while step < times {
            let carry = value >> (self.bits - 1) & 1;
            value = ((value << 1) ^ (carry * self.terms)) & (u16::MAX >> (16 - self.bits));
            step += 1;
        }
        value
    }
}

/// The stronger code of a scrambled frame: the CRC over what stands above both codes, which is
/// taken in pieces of 64 bits from its end on, the first one filled up with zeros.
#[inline]
fn strong_from(frame: &Frame, start: u16) -> u16 {
    const BELOW: u32 = CODE_BITS + STRONG_BITS;
    let (mut crc, mut carry) = (0u16, 0u64);
    for (i, &word) in frame.words().iter().enumerate() {
        let start = if i == 0 { u64::from(start) } else { 0 };
        // The start stands at the top bits of the frame.
        let piece = carry << (64 - BELOW) | (word ^ start << 48) >> BELOW;
        let bytes = (piece ^ u64::from(crc) << 48).to_le_bytes();
        crc = 0;
        for (table, byte) in STRONG_TABLES.iter().zip(bytes) {
            crc ^= table[usize::from(byte)];
        }
        carry = word & ((1 << BELOW) - 1);
    }
    crc
}

/// CRC-12 of a scrambled frame, its code field taken as zero.
#[inline]
#[must_use]
pub fn crc(frame: &Frame) -> u16 {
    crc_from(frame, 0)
}

/// The same with another register to start from.
#[inline]
fn crc_from(frame: &Frame, mut crc: u16) -> u16 {
    let words = frame.words();
    let last = words.len() - 1;
    for (i, &word) in words.iter().enumerate() {
        let covered = if i == last { word & !CODE_MASK } else { word };
        // The CRC so far stands before the next word: add it to that word's top bits.
        let bytes = (covered ^ u64::from(crc) << (64 - CODE_BITS)).to_le_bytes();
        crc = 0;
        for (table, byte) in TABLES.iter().zip(bytes) {
            crc ^= table[usize::from(byte)];
        }
    }
    crc
}

/// Writes the code of a scrambled frame with this id.
#[inline]
pub fn seal(frame: &mut Frame, id: u16) {
    frame.set_code(crc(frame) ^ id);
}

/// The id that an undamaged frame was sealed with; for a damaged one, anything.
#[inline]
#[must_use]
pub fn syndrome(frame: &Frame) -> u16 {
    crc(frame) ^ frame.code()
}

/// Where the CRC of a frame in extended mode starts: for a data frame at the last twelve scrambled
/// bits in front of it, for a control frame at 0. `state` is the scrambler's or descrambler's state
/// before the frame.
///
/// A receiver that has missed whole frames would otherwise open the next one with a wrong history
/// and believe it, if the missing ones were control frames, or 2^IdWidth data frames.
#[inline]
fn start(frame: &Frame, state: u64) -> u16 {
    if frame.is_data() {
        (state & CODE_MASK) as u16
    } else {
        0
    }
}

/// The same for the stronger code: the newest 16 bits.
#[inline]
fn strong_start(frame: &Frame, state: u64) -> u16 {
    if frame.is_data() { state as u16 } else { 0 }
}

/// Whether the stronger code fits, in extended mode; a frame without it always does.
#[inline]
#[must_use]
pub fn strong_fits(frame: &Frame, state: u64) -> bool {
    !frame.strong_code() || strong_from(frame, strong_start(frame, state)) == frame.strong()
}

/// Writes the codes of a scrambled frame in extended mode.
#[inline]
pub fn seal_bound(frame: &mut Frame, id: u16, state: u64) {
    if frame.strong_code() {
        let strong = strong_from(frame, strong_start(frame, state));
        frame.set_strong(strong);
    }
    let start = start(frame, state);
    frame.set_code(crc_from(frame, start) ^ id);
}

/// The id that an undamaged frame in extended mode was sealed with, if what stands in front of it
/// is what stood there then; else anything.
#[inline]
#[must_use]
pub fn syndrome_bound(frame: &Frame, state: u64) -> u16 {
    crc_from(frame, start(frame, state)) ^ frame.code()
}

/// What a flip of one bit adds to the syndrome; bit 0 is the lowest bit of the code, bit F-1 the
/// first sync bit.
///
/// The bits of the code count as they are, x^bit; all others stand 12 bits higher, x^(bit+12),
/// because the code field is taken as zero and divided as well. Syndromes add, so an error pattern
/// goes unseen exactly if the effects of its bits cancel.
#[must_use]
pub fn effect(bit: u16) -> u16 {
    let power = u32::from(bit)
        + if u32::from(bit) < CODE_BITS {
            0
        } else {
            CODE_BITS
        };
    CODE.times_x(1, power)
}

/// What a flip of one bit adds to both codes of a frame with the stronger one: to the stronger code
/// from bit 12 on, below to the syndrome. The stronger code does not cover the code, and its own
/// bits count as they are.
#[must_use]
pub fn strong_effect(bit: u16) -> u32 {
    let above = u32::from(bit).checked_sub(CODE_BITS);
    let strong = above.map_or(0, |power| STRONG.times_x(1, power));
    u32::from(strong) << CODE_BITS | u32::from(effect(bit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rifl::link::Random;

    /// The definition, bit by bit.
    fn reference(frame: &Frame) -> u16 {
        let mut crc = 0;
        let last = frame.words().len() - 1;
        for (i, &word) in frame.words().iter().enumerate() {
            let word = if i == last { word & !CODE_MASK } else { word };
            for bit in (0..64).rev() {
                let top = crc >> 11 & 1 ^ (word >> bit & 1) as u16;
                crc = (crc << 1 & 0xfff) ^ if top == 1 { POLYNOMIAL } else { 0 };
            }
        }
        crc
    }

    #[test]
    fn equals_the_bit_serial_definition_at_every_width() {
        let mut random = Random::fresh("code");
        for words in [2, 4, 6, 8, 16, 32] {
            for _ in 0..500 {
                let bits: Vec<u64> = (0..words).map(|_| random.bits()).collect();
                let mut frame = Frame::from_words(&bits).unwrap();
                assert_eq!(crc(&frame), reference(&frame));
                let id = (random.bits() & 0xfff) as u16;
                seal(&mut frame, id);
                assert_eq!(syndrome(&frame), id);
            }
        }
    }
}
