// SPDX-License-Identifier: Apache-2.0
//! Self-synchronising scrambler 1 + x^13 + x^33 (paper, section 5.B), many bits at a time.
//!
//! `out(t) = in(t) ^ out(t-13) ^ out(t-33)`; the receiver forms `in = out(t) ^ out(t-13) ^
//! out(t-33)`. Time runs from the top bit of a frame to its bottom bit. Scrambled are the F-14 bits
//! between the sync bits and the code, in every frame; the state runs on from frame to frame.

use super::frame::{CODE_BITS, Frame};

/// Bits of history.
pub const ORDER: u32 = 33;
/// The nearer tap.
pub const TAP: u32 = 13;

const STATE_MASK: u64 = (1 << ORDER) - 1;

/// Scrambles a chunk of up to 64 bits, first bit at the top. `state` holds the line bits before it,
/// bit 0 the most recent. Bits of the result below the chunk mean nothing.
#[inline]
fn scramble(state: u64, chunk: u64) -> u64 {
    // What the history adds, then the chunk's own feedback 1/(1+p), p = D^13 + D^33, cut after 64
    // bits: (1+p)(1+p^2)(1+p^4) with p^2 = D^26 and p^4 = D^52 as far as 64 bits reach.
    let mut x = chunk ^ (state << (64 - TAP)) ^ (state << (64 - ORDER));
    x ^= (x >> TAP) ^ (x >> ORDER);
    x ^= x >> (2 * TAP);
    x ^ (x >> (4 * TAP))
}

/// The inverse of [`scramble`] on a chunk of line bits.
#[inline]
fn descramble(state: u64, chunk: u64) -> u64 {
    let tap = (chunk >> TAP) | (state << (64 - TAP));
    let order = (chunk >> ORDER) | (state << (64 - ORDER));
    chunk ^ tap ^ order
}

/// Scrambler of a transmitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scrambler {
    state: u64,
}

impl Scrambler {
    /// A scrambler whose last 33 line bits were `state` (bit 0 the most recent; upper bits
    /// ignored).
    #[must_use]
    pub const fn with_state(state: u64) -> Self {
        Scrambler {
            state: state & STATE_MASK,
        }
    }

    /// The last 33 line bits, bit 0 the most recent.
    #[must_use]
    pub const fn state(self) -> u64 {
        self.state & STATE_MASK
    }

    /// Scrambles a frame in place. Sync bits and codes stay as they are. A frame with the stronger
    /// code is [followed](Scrambler::follow) when that is in its place.
    #[inline]
    pub fn frame(&mut self, frame: &mut Frame) {
        let code = frame.code_mask();
        let (first, rest) = frame.split_mut();
        // 62 bits behind the sync bits.
        let out = scramble(self.state, *first << 2);
        *first = (*first & SYNC_MASK) | (out >> 2);
        let mut state = out >> 2;
        let Some((last, middle)) = rest.split_last_mut() else {
            return;
        };
        for word in middle {
            *word = scramble(state, *word);
            state = *word;
        }
        // 52 bits before the code.
        let out = scramble(state, *last) & !code;
        *last = out | (*last & code);
        self.state = *last >> CODE_BITS;
    }

    /// The state behind a frame as it is sent.
    #[inline]
    pub fn follow(&mut self, frame: &Frame) {
        self.state = frame.last_word() >> CODE_BITS;
    }
}

/// Descrambler of a receiver. After 33 line bits its state no longer depends on where it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Descrambler {
    state: u64,
}

const SYNC_MASK: u64 = 3 << 62;

impl Descrambler {
    /// A descrambler whose last 33 line bits were `state` (bit 0 the most recent; upper bits
    /// ignored).
    #[must_use]
    pub const fn with_state(state: u64) -> Self {
        Descrambler {
            state: state & STATE_MASK,
        }
    }

    /// The last 33 line bits, bit 0 the most recent.
    #[must_use]
    pub const fn state(self) -> u64 {
        self.state & STATE_MASK
    }

    /// Descrambles a frame in place. Sync bits and codes stay as they are.
    #[inline]
    pub fn frame(&mut self, frame: &mut Frame) {
        let mut state = self.state;
        let code = frame.code_mask();
        let (first, rest) = frame.split_mut();
        let line = *first << 2;
        *first = (*first & SYNC_MASK) | (descramble(state, line) >> 2);
        state = line >> 2;
        let Some((last, middle)) = rest.split_last_mut() else {
            return;
        };
        for word in middle {
            let line = *word;
            *word = descramble(state, line);
            state = line;
        }
        let line = *last;
        *last = (descramble(state, line) & !code) | (line & code);
        self.state = line >> CODE_BITS;
    }

    /// The first word of a frame, descrambled, without moving on.
    #[inline]
    #[must_use]
    pub fn peek(&self, first: u64) -> u64 {
        (first & SYNC_MASK) | (descramble(self.state, first << 2) >> 2)
    }

    /// Moves on behind a frame without descrambling it.
    #[inline]
    pub fn skip(&mut self, frame: &Frame) {
        self.state = frame.last_word() >> CODE_BITS;
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::FrameWidth;
    use super::*;
    use crate::rifl::link::Random;

    /// The definition, bit by bit.
    fn reference(state: &mut Vec<bool>, frame: &Frame, width: usize) -> Frame {
        let bit = |f: &Frame, i: usize| f.words()[(width - 1 - i) / 64] >> (i % 64) & 1 == 1;
        let mut words = frame.words().to_vec();
        for i in (12..width - 2).rev() {
            let n = state.len();
            let out = bit(frame, i) ^ state[n - 13] ^ state[n - 33];
            state.push(out);
            let mask = 1 << (i % 64);
            let word = &mut words[(width - 1 - i) / 64];
            *word = if out { *word | mask } else { *word & !mask };
        }
        Frame::from_words(&words).unwrap()
    }

    #[test]
    fn equals_the_bit_serial_definition_at_every_width() {
        let mut random = Random::fresh("scrambler");
        for bits in [128, 256, 384, 512] {
            let width = FrameWidth::new(bits).unwrap();
            let start = random.bits() & STATE_MASK;
            let mut history: Vec<bool> = (0..33).rev().map(|i| start >> i & 1 == 1).collect();
            let mut scrambler = Scrambler::with_state(start);
            let mut descrambler = Descrambler::with_state(start);
            for _ in 0..200 {
                let words: Vec<u64> = (0..width.words()).map(|_| random.bits()).collect();
                let frame = Frame::from_words(&words).unwrap();
                let expected = reference(&mut history, &frame, bits as usize);
                let mut line = frame;
                scrambler.frame(&mut line);
                assert_eq!(line, expected);
                let mut skipped = descrambler;
                assert_eq!(skipped.peek(line.words()[0]), frame.words()[0]);
                skipped.skip(&line);
                let mut back = line;
                descrambler.frame(&mut back);
                assert_eq!(back, frame);
                assert_eq!(skipped.state(), descrambler.state());
                assert_eq!(scrambler.state(), descrambler.state());
                let tail = history.iter().rev().take(33).enumerate();
                let state = tail.fold(0, |acc, (i, &b)| acc | u64::from(b) << i);
                assert_eq!(scrambler.state(), state);
            }
        }
    }

    #[test]
    fn descrambler_finds_the_state_within_one_frame() {
        let mut random = Random::fresh("descrambler");
        let mut scrambler = Scrambler::with_state(random.bits());
        let mut descrambler = Descrambler::with_state(random.bits());
        let width = FrameWidth::W256;
        for round in 0..3 {
            let words: Vec<u64> = (0..width.words()).map(|_| random.bits()).collect();
            let frame = Frame::from_words(&words).unwrap();
            let mut line = frame;
            scrambler.frame(&mut line);
            descrambler.frame(&mut line);
            // Beyond the first 33 scrambled bits nothing of the wrong start is left.
            assert_eq!(line.words()[1..], frame.words()[1..]);
            assert!(round == 0 || line == frame);
        }
    }
}
