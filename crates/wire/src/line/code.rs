// SPDX-License-Identifier: Apache-2.0
//! The 8b/10b code: a byte or one of twelve control characters in a symbol of ten bits.
//!
//! Exact as `line_8b10b_enc` and `line_8b10b_dec` are: the same symbol for every character at every
//! running disparity, the same verdict on every word of ten bits. The decoder here is a look-up in
//! what the encoder sends.
//!
//! Bit 0 of a symbol (`a`) is sent first, bit 9 (`j`) last.
//!
//! Source: IEEE Std 802.3, clause 36.2.4; A. X. Widmer and P. A. Franaszek, IBM J. Res. Dev. 27(5),
//! 1983.

use std::sync::LazyLock;

/// What an encoder takes and a decoder gives: a data byte or a control character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Character {
    byte: u8,
    control: bool,
}

impl Character {
    /// What a symbol that is impossible reads as: K30.7, which no protocol here sends.
    pub const DAMAGED: Character = Character::control_or_panic(0xfe);

    /// A data byte.
    #[must_use]
    pub const fn data(byte: u8) -> Self {
        Character {
            byte,
            control: false,
        }
    }

    /// A control character, if there is one with this value: K28.0 to K28.7, K23.7, K27.7, K29.7
    /// and K30.7.
    #[must_use]
    pub const fn control(byte: u8) -> Option<Self> {
        match (byte & 31, byte >> 5) {
            (28, _) | (23 | 27 | 29 | 30, 7) => Some(Character {
                byte,
                control: true,
            }),
            _ => None,
        }
    }

    /// For constants: a value that is none does not compile.
    ///
    /// # Panics
    /// If there is no control character with this value.
    #[must_use]
    pub const fn control_or_panic(byte: u8) -> Self {
        match Character::control(byte) {
            Some(character) => character,
            None => panic!("one of the twelve control characters"),
        }
    }

    /// Its value.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self.byte
    }

    /// Whether it is a control character.
    #[must_use]
    pub const fn is_control(self) -> bool {
        self.control
    }

    /// All 268.
    pub fn all() -> impl Iterator<Item = Character> {
        let data = (0..=u8::MAX).map(Character::data);
        data.chain((0..=u8::MAX).filter_map(Character::control))
    }
}

/// Running disparity: whether the line has had more ones than zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Disparity {
    /// Where a transmitter begins.
    #[default]
    Negative,
    /// One more.
    Positive,
}

impl Disparity {
    const BOTH: [Disparity; 2] = [Disparity::Negative, Disparity::Positive];

    const fn other(self) -> Self {
        match self {
            Disparity::Negative => Disparity::Positive,
            Disparity::Positive => Disparity::Negative,
        }
    }

    const fn is_positive(self) -> bool {
        matches!(self, Disparity::Positive)
    }
}

/// The ten bits of a character on the line.
pub type Symbol = u16;

/// What is wrong with a received symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// No character is sent so, at any disparity.
    Code,
    /// The character is not sent so at the present disparity.
    Disparity,
}

/// Sub-blocks of six bits at negative disparity, `a` first as the standard prints them.
const SIX: [&[u8; 6]; 32] = [
    b"100111", b"011101", b"101101", b"110001", b"110101", b"101001", b"011001", b"111000",
    b"111001", b"100101", b"010101", b"110100", b"001101", b"101100", b"011100", b"010111",
    b"011011", b"100011", b"010011", b"110010", b"001011", b"101010", b"011010", b"111010",
    b"110011", b"100110", b"010110", b"110110", b"001110", b"101110", b"011110", b"101011",
];
const SIX_K28: &[u8; 6] = b"001111";
/// Sub-blocks of four bits at negative disparity, of data and of control characters.
const FOUR: [&[u8; 4]; 8] = [
    b"1011", b"1001", b"0101", b"1100", b"1101", b"1010", b"0110", b"1110",
];
const FOUR_K: [&[u8; 4]; 8] = [
    b"1011", b"0110", b"1010", b"1100", b"1101", b"0101", b"1001", b"0111",
];

fn block(printed: &[u8]) -> Symbol {
    printed
        .iter()
        .enumerate()
        .fold(0, |bits, (i, digit)| bits | Symbol::from(digit & 1) << i)
}

/// A block as it is sent at a disparity, and the disparity behind it. `always`: it is inverted
/// although it is neutral.
fn place(printed: &[u8], rd: Disparity, always: bool) -> (Symbol, Disparity) {
    let bits = block(printed);
    let half = printed.len() as u32 / 2;
    // Balanced, and still with a form for each disparity: D.7 and D.x.3.
    let two_forms = printed == SIX[7] || printed == FOUR[3];
    let neutral = bits.count_ones() == half;
    let inverted = rd.is_positive() && (always || two_forms || !neutral);
    let mask = (1 << printed.len()) - 1;
    (
        if inverted { !bits & mask } else { bits },
        if neutral { rd } else { rd.other() },
    )
}

fn symbol(character: Character, rd: Disparity) -> (Symbol, Disparity) {
    let (x, y) = (
        usize::from(character.byte & 31),
        usize::from(character.byte >> 5),
    );
    let k = character.control;
    let (six, middle) = place(if k && x == 28 { SIX_K28 } else { SIX[x] }, rd, false);
    // D.x.7 takes the other form where five equal bits in a row would become six.
    let alternate = y == 7
        && match middle {
            Disparity::Negative => matches!(x, 17 | 18 | 20),
            Disparity::Positive => matches!(x, 11 | 13 | 14),
        };
    let table = if k || alternate { &FOUR_K } else { &FOUR };
    let (four, end) = place(table[y], middle, k);
    (four << 6 | six, end)
}

/// The disparity behind any ten bits: the last block decides that is not neutral.
fn behind(bits: Symbol, rd: Disparity) -> Disparity {
    let after = |block: Symbol, half: u32, low: Symbol, rd: Disparity| {
        let ones = block.count_ones();
        if ones > half || block == !low & ((1 << (2 * half)) - 1) {
            Disparity::Positive
        } else if ones < half || block == low {
            Disparity::Negative
        } else {
            rd
        }
    };
    let middle = after(bits & 63, 3, block(SIX[7]), rd);
    after(bits >> 6, 2, block(FOUR[3]), middle)
}

struct Tables {
    /// By disparity and character, control characters in the upper half.
    encode: [[(Symbol, Disparity); 512]; 2],
    /// By disparity and word.
    decode: [[(Character, Option<Fault>, Disparity); 1024]; 2],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut encode = [[(0, Disparity::Negative); 512]; 2];
    let mut decode = [[(Character::DAMAGED, Some(Fault::Code), Disparity::Negative); 1024]; 2];
    for rd in Disparity::BOTH {
        for word in 0..1024u16 {
            decode[rd as usize][usize::from(word)].2 = behind(word, rd);
        }
    }
    for character in Character::all() {
        for rd in Disparity::BOTH {
            let (word, end) = symbol(character, rd);
            encode[rd as usize][index(character)] = (word, end);
            let slot = &mut decode[rd as usize][usize::from(word)];
            (slot.0, slot.1) = (character, None);
        }
    }
    // What exists at the other disparity only.
    let whole = decode;
    for rd in Disparity::BOTH {
        let others = &whole[rd.other() as usize];
        for (here, there) in decode[rd as usize].iter_mut().zip(others) {
            if here.1.is_some() && there.1.is_none() {
                (here.0, here.1) = (there.0, Some(Fault::Disparity));
            }
        }
    }
    Tables { encode, decode }
});

fn index(character: Character) -> usize {
    usize::from(character.control) << 8 | usize::from(character.byte)
}

/// Encoder of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Encoder {
    rd: Disparity,
}

impl Encoder {
    /// An encoder that has sent what leads to this disparity.
    #[must_use]
    pub const fn with_disparity(rd: Disparity) -> Self {
        Encoder { rd }
    }

    /// Running disparity behind the last symbol.
    #[must_use]
    pub const fn disparity(self) -> Disparity {
        self.rd
    }

    /// The symbol of a character.
    #[inline]
    pub fn encode(&mut self, character: Character) -> Symbol {
        let (word, rd) = TABLES.encode[self.rd as usize][index(character)];
        self.rd = rd;
        word
    }
}

/// Decoder of a lane. It may begin with any disparity: the first symbol that is not neutral puts it
/// right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Decoder {
    rd: Disparity,
}

impl Decoder {
    /// A decoder that has received what leads to this disparity.
    #[must_use]
    pub const fn with_disparity(rd: Disparity) -> Self {
        Decoder { rd }
    }

    /// Running disparity behind the last symbol.
    #[must_use]
    pub const fn disparity(self) -> Disparity {
        self.rd
    }

    /// The character of a word (bits above the tenth do not count), and what is wrong with it. With
    /// [`Fault::Code`] the character is [`Character::DAMAGED`].
    #[inline]
    pub fn decode(&mut self, word: Symbol) -> (Character, Option<Fault>) {
        let (character, fault, rd) = TABLES.decode[self.rd as usize][usize::from(word & 1023)];
        self.rd = rd;
        (character, fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_comes_back_at_both_disparities() {
        assert_eq!(Character::all().count(), 268);
        for character in Character::all() {
            for rd in Disparity::BOTH {
                let (mut tx, mut rx) = (Encoder::with_disparity(rd), Decoder::with_disparity(rd));
                let word = tx.encode(character);
                assert_eq!(rx.decode(word), (character, None));
                assert_eq!(rx.disparity(), tx.disparity());
                let ones = i64::from(word.count_ones());
                let change = i64::from(tx.disparity() as u8) - i64::from(rd as u8);
                assert_eq!(ones, 5 + change, "{character:?} at {rd:?}");
            }
        }
    }

    #[test]
    fn symbols_that_everybody_knows() {
        let mut tx = Encoder::default();
        let comma = Character::control_or_panic(0xbc);
        // K28.5: 001111 1010, then 110000 0101, first bit on the left.
        assert_eq!(tx.encode(comma), 0b01_0111_1100);
        assert_eq!(tx.disparity(), Disparity::Positive);
        assert_eq!(tx.encode(comma), 0b10_1000_0011);
        assert_eq!(tx.disparity(), Disparity::Negative);
    }

    #[test]
    fn there_are_twelve_control_characters() {
        assert_eq!(Character::control(0x00), None);
        assert_eq!(Character::control(0xf6), None);
        assert_eq!(Character::control(0xbd), None);
        assert_eq!((0..=u8::MAX).filter_map(Character::control).count(), 12);
    }

    #[test]
    fn a_flipped_bit_is_seen_or_leaves_another_disparity() {
        for character in Character::all() {
            for rd in Disparity::BOTH {
                let mut tx = Encoder::with_disparity(rd);
                let word = tx.encode(character);
                for bit in 0..10 {
                    let mut rx = Decoder::with_disparity(rd);
                    let (_, fault) = rx.decode(word ^ 1 << bit);
                    assert!(fault.is_some() || rx.disparity() != tx.disparity());
                }
            }
        }
    }
}
