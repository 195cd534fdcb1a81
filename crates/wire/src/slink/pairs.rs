// SPDX-License-Identifier: Apache-2.0
//! The two symbols of a lane's word as a word of 64b/66b, and back: data stand for themselves, and
//! eight pairs with control characters have a kind each. Source: `cores/slink/README.md`,
//! "64b/66b".

use super::frame::{COM, END, HLD, IDL, PAD, STP};
use crate::line::stripe::SYMBOLS;
use crate::line::{Character, blocks};

/// The symbols of a lane's word.
pub type Pair = [Character; SYMBOLS];

/// Pairs by the kinds of control words.
const PAIRS: [Pair; 8] = [
    [IDL, IDL],
    [IDL, STP],
    [COM, IDL],
    [HLD, HLD],
    [PAD, PAD],
    [END, PAD],
    [IDL, END],
    [IDL, PAD],
];

/// The word of a pair; none: it has control characters and is none of the eight.
#[must_use]
pub fn encode(pair: Pair) -> Option<blocks::Word> {
    if !pair.iter().any(|character| character.is_control()) {
        let data = u16::from_le_bytes(pair.map(Character::byte));
        return Some(blocks::Word::Data(data));
    }
    let (kind, _) = (0..).zip(PAIRS).find(|(_, known)| *known == pair)?;
    Some(blocks::Word::Control(kind))
}

/// The pair of a word; none: there is no such kind, or the block has no such word.
#[must_use]
pub fn decode(word: Option<blocks::Word>) -> Option<Pair> {
    match word? {
        blocks::Word::Data(data) => Some(data.to_le_bytes().map(Character::data)),
        blocks::Word::Control(kind) => PAIRS.get(usize::from(kind)).copied(),
    }
}
