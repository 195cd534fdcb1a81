// SPDX-License-Identifier: Apache-2.0
//! The 64b/66b code of `cores/line`: four words of 16 bits, data or control, in a block of 66 bits.
//!
//! Exact as `line_64b66b_enc` and `line_64b66b_dec` are. A data block has its four words as they
//! are. A control block begins with a type, a bit for each control word; kinds stand in the place
//! of these words, and the byte that gave way to the type stands behind the first kind. Type and
//! kinds are four bits in a byte of a Hamming code with parity, of distance four.
//!
//! Bit 0 of header and payload is first on the line. The payload is scrambled, x^58 + x^39 + 1; the
//! header is not.
//!
//! Source: `cores/line/README.md`; headers, scrambler and order of bits as in IEEE Std 802.3,
//! clause 49.

/// Words of a block.
pub const WORDS: usize = 4;
/// Bits of a block on the line.
pub const BLOCK_BITS: u64 = 66;
/// Header of a block that has a control word.
pub const CONTROL: u8 = 0b01;
/// Header of a block of data words alone.
pub const DATA: u8 = 0b10;

/// Sync headers in a row behind which a place is taken for that of the blocks.
const LOCK: u32 = 64;
const ORDER: u32 = 58;
const TAP: u32 = 39;

/// A word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Word {
    /// 16 bits.
    Data(u16),
    /// One of 16 kinds, whose meaning is the protocol's. The upper four bits do not count.
    Control(u8),
}

/// Four bits in a byte, any two of which differ in four bits or more.
const fn protect(value: u8) -> u8 {
    let [a, b, c, d] = [value & 1, value >> 1 & 1, value >> 2 & 1, value >> 3 & 1];
    let code = (value & 15) | (a ^ b ^ d) << 4 | (a ^ c ^ d) << 5 | (b ^ c ^ d) << 6;
    code | ((code.count_ones() & 1) as u8) << 7
}

/// The four bits of such a byte.
fn intact(code: u8) -> Option<u8> {
    (protect(code) == code).then_some(code & 15)
}

/// Header and payload of four words, not scrambled.
#[must_use]
pub fn encode(words: [Word; WORDS]) -> (u8, u64) {
    let mut bytes = [0; 2 * WORDS];
    let mut kinds = 0_u8;
    for (place, word) in words.into_iter().enumerate() {
        let pair = match word {
            Word::Data(value) => value.to_le_bytes(),
            Word::Control(kind) => {
                kinds |= 1 << place;
                [protect(kind & 15), 0]
            }
        };
        bytes[2 * place..][..2].copy_from_slice(&pair);
    }
    if kinds == 0 {
        return (DATA, u64::from_le_bytes(bytes));
    }
    // The byte in the place of the type.
    bytes[2 * kinds.trailing_zeros() as usize + 1] = bytes[0];
    bytes[0] = protect(kinds);
    (CONTROL, u64::from_le_bytes(bytes))
}

/// The words of a descrambled block; none: it means nothing.
#[must_use]
pub fn decode(header: u8, payload: u64) -> [Option<Word>; WORDS] {
    let bytes = payload.to_le_bytes();
    let word = |place: usize| u16::from_le_bytes([bytes[2 * place], bytes[2 * place + 1]]);
    if header == DATA {
        return core::array::from_fn(|place| Some(Word::Data(word(place))));
    }
    let kinds = intact(bytes[0]).filter(|&kinds| header == CONTROL && kinds != 0);
    let Some(kinds) = kinds else {
        return [None; WORDS];
    };
    let first = kinds.trailing_zeros() as usize;
    core::array::from_fn(|place| {
        if kinds >> place & 1 == 1 {
            let (kind, spare) = if place == 0 {
                (bytes[1], 0)
            } else {
                (bytes[2 * place], bytes[2 * place + 1])
            };
            // Behind the first kind stands the low byte of word 0, if that is data.
            let used = place == first && place > 0;
            intact(kind)
                .filter(|_| used || spare == 0)
                .map(Word::Control)
        } else if place == 0 {
            Some(Word::Data(u16::from_le_bytes([
                bytes[2 * first + 1],
                bytes[1],
            ])))
        } else {
            Some(Word::Data(word(place)))
        }
    })
}

/// Scrambler or descrambler of the payloads of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scrambler {
    /// The last 58 bits of the line, the newest in bit 57.
    state: u64,
}

impl Scrambler {
    /// Behind these bits of the line, the newest in bit 57.
    #[must_use]
    pub const fn with_state(state: u64) -> Self {
        Scrambler {
            state: state & ((1 << ORDER) - 1),
        }
    }

    fn push(&mut self, line: u64) {
        self.state = self.state >> 1 | line << (ORDER - 1);
    }

    /// What the history adds to the next bit.
    const fn next(self) -> u64 {
        (self.state ^ self.state >> (ORDER - TAP)) & 1
    }

    /// A payload for the line.
    pub fn scramble(&mut self, payload: u64) -> u64 {
        (0..u64::BITS).fold(0, |out, bit| {
            let line = (payload >> bit & 1) ^ self.next();
            self.push(line);
            out | line << bit
        })
    }

    /// A payload from the line.
    pub fn descramble(&mut self, line: u64) -> u64 {
        // Each bit has the one that came 39 and the one that came 58 bits before it added.
        let all = u128::from(line) << ORDER | u128::from(self.state);
        self.state = (all >> u64::BITS) as u64;
        line ^ all as u64 ^ (all >> (ORDER - TAP)) as u64
    }
}

/// The transmitter of a lane: a block behind four words, 16 bits at a time.
#[derive(Debug, Clone)]
pub struct BlockEncoder {
    scrambler: Scrambler,
    bits: u128,
    count: u64,
    words: Vec<Word>,
}

impl Default for BlockEncoder {
    fn default() -> Self {
        Self {
            scrambler: Scrambler::with_state(u64::MAX),
            bits: 0,
            count: 0,
            words: Vec::with_capacity(WORDS),
        }
    }
}

impl BlockEncoder {
    /// Takes a word. Behind every fourth one there are 66 bits more, of which [`Self::raw`] has to
    /// take 16 before the next one: no more than 128 are kept.
    pub fn put(&mut self, word: Word) {
        self.words.push(word);
        let Ok(words) = <[Word; WORDS]>::try_from(&self.words[..]) else {
            return;
        };
        self.words.clear();
        let (header, payload) = encode(words);
        let line = self.scrambler.scramble(payload);
        self.bits |= (u128::from(header) | u128::from(line) << 2) << self.count;
        self.count += BLOCK_BITS;
    }

    /// 16 bits for the line, the first one lowest; none: there are fewer.
    pub fn raw(&mut self) -> Option<u16> {
        self.count = self.count.checked_sub(16)?;
        let raw = self.bits as u16;
        self.bits >>= 16;
        Some(raw)
    }
}

/// The receiver of a lane. It takes a place for that of the blocks behind 64 sync headers, and
/// gives it up at the first wrong one: it is for lines without errors, such as the port of a
/// transmitter.
#[derive(Debug, Clone)]
pub struct BlockDecoder {
    scrambler: Scrambler,
    bits: u128,
    count: u64,
    good: u32,
}

impl Default for BlockDecoder {
    fn default() -> Self {
        Self {
            scrambler: Scrambler::with_state(0),
            bits: 0,
            count: 0,
            good: 0,
        }
    }
}

impl BlockDecoder {
    /// Takes 16 bits of the line; the words of a block, if it ends with them.
    pub fn take(&mut self, raw: u16) -> Option<[Option<Word>; WORDS]> {
        self.bits |= u128::from(raw) << self.count;
        self.count += 16;
        while self.count >= BLOCK_BITS {
            let header = self.bits as u8 & 3;
            if header != DATA && header != CONTROL {
                self.good = 0;
                self.bits >>= 1;
                self.count -= 1;
                continue;
            }
            let payload = self.scrambler.descramble((self.bits >> 2) as u64);
            self.bits >>= BLOCK_BITS;
            self.count -= BLOCK_BITS;
            self.good = (self.good + 1).min(LOCK);
            if self.good == LOCK {
                return Some(decode(header, payload));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words() -> impl Strategy<Value = [Word; WORDS]> {
        let word = prop_oneof![
            any::<u16>().prop_map(Word::Data),
            (0..16_u8).prop_map(Word::Control)
        ];
        prop::array::uniform4(word)
    }

    proptest! {
        #[test]
        fn words_come_back(words in words(), state: u64, noise: u64) {
            let (header, payload) = encode(words);
            prop_assert_eq!(decode(header, payload), words.map(Some));
            let mut sender = Scrambler::with_state(state);
            let mut receiver = sender;
            let line = sender.scramble(payload);
            prop_assert_eq!(receiver.descramble(line), payload);
            prop_assert_eq!(sender, receiver);
            // A block later it does not matter where the receiver began.
            let mut other = Scrambler::with_state(noise);
            other.descramble(line);
            prop_assert_eq!(other, receiver);
        }

        #[test]
        fn what_is_accepted_is_what_is_sent(header in 0..4_u8, payload: u64) {
            let words = decode(header, payload);
            if let [Some(a), Some(b), Some(c), Some(d)] = words {
                prop_assert_eq!(encode([a, b, c, d]), (header, payload));
            }
        }
    }

    proptest! {
        #[test]
        fn words_arrive_behind_any_number_of_bits(
            sent in prop::collection::vec(words(), 600..700),
            noise in prop::collection::vec(any::<u16>(), 0..9),
        ) {
            let (mut encoder, mut decoder) = (BlockEncoder::default(), BlockDecoder::default());
            for raw in noise {
                decoder.take(raw);
            }
            let sent: Vec<_> = sent.into_iter().flatten().collect();
            let mut got = Vec::new();
            for word in &sent {
                encoder.put(*word);
                while let Some(raw) = encoder.raw() {
                    got.extend(decoder.take(raw).into_iter().flatten());
                }
            }
            // The last block may still be in the transmitter.
            let sent: Vec<_> = sent.into_iter().map(Some).collect();
            let ends = |rest: usize| sent[..sent.len() - rest].ends_with(&got);
            prop_assert!([0, WORDS, 2 * WORDS].into_iter().any(ends));
            // Each of 66 places lasts two blocks on average; that all take 400 has a chance below
            // 1e-40.
            prop_assert!(got.len() + WORDS * (400 + LOCK as usize) >= sent.len());
        }
    }

    #[test]
    fn codes_differ_in_four_bits() {
        for one in 0..16 {
            for other in 0..one {
                assert!((protect(one) ^ protect(other)).count_ones() >= 4);
            }
        }
    }
}
