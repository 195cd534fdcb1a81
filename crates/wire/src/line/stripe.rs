// SPDX-License-Identifier: Apache-2.0
//! Byte striping: character `i` of what is sent goes to lane `i mod L`, over 1, 2 or 4 lanes in
//! use.
//!
//! The lanes carry words of two characters. A piece is what the lanes in use take at once, `2 L`
//! characters; lanes that are not in use are sent idle characters.

use super::code::Character;

/// Lanes that there are.
pub const LANES: usize = 4;
/// Characters in a word of a lane.
pub const SYMBOLS: usize = 2;

/// A word of every lane; of each the character that is sent first in front.
pub type Word = [[Character; SYMBOLS]; LANES];

/// Lanes in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Lanes {
    /// Lane 0.
    #[default]
    X1,
    /// Lanes 0 and 1.
    X2,
    /// All four.
    X4,
}

impl Lanes {
    /// Every number of lanes.
    pub const ALL: [Lanes; 3] = [Lanes::X1, Lanes::X2, Lanes::X4];

    /// How many.
    #[must_use]
    pub const fn count(self) -> usize {
        1 << self as usize
    }

    /// Characters that these lanes take at once.
    #[must_use]
    pub const fn piece(self) -> usize {
        SYMBOLS * self.count()
    }
}

/// Deals characters out. What is missing of the last piece is `idle`, as are the lanes that are not
/// in use.
#[must_use]
pub fn deal(characters: &[Character], lanes: Lanes, idle: Character) -> Vec<Word> {
    characters
        .chunks(lanes.piece())
        .map(|piece| {
            let mut word = [[idle; SYMBOLS]; LANES];
            for (i, character) in piece.iter().enumerate() {
                word[i % lanes.count()][i / lanes.count()] = *character;
            }
            word
        })
        .collect()
}

/// The characters of the lanes in use, in the order in which they were sent.
pub fn collect(word: &Word, lanes: Lanes) -> impl Iterator<Item = Character> {
    (0..lanes.piece()).map(move |i| word[i % lanes.count()][i / lanes.count()])
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Character = Character::control_or_panic(0x7c);

    #[test]
    fn what_is_dealt_is_collected() {
        for lanes in Lanes::ALL {
            for length in 0..40 {
                let sent: Vec<Character> = (0..length).map(Character::data).collect();
                let words = deal(&sent, lanes, IDLE);
                assert_eq!(words.len(), sent.len().div_ceil(lanes.piece()));
                let mut got: Vec<Character> =
                    words.iter().flat_map(|w| collect(w, lanes)).collect();
                assert!(got.split_off(sent.len()).iter().all(|&c| c == IDLE));
                assert_eq!(got, sent);
            }
        }
    }

    #[test]
    fn the_first_characters_are_on_all_lanes_at_once() {
        let sent: Vec<Character> = (0..8).map(Character::data).collect();
        let data = |byte| Character::data(byte);
        assert_eq!(
            deal(&sent, Lanes::X4, IDLE),
            [[
                [data(0), data(4)],
                [data(1), data(5)],
                [data(2), data(6)],
                [data(3), data(7)]
            ]]
        );
        let two = deal(&sent, Lanes::X2, IDLE);
        assert_eq!(
            two[1],
            [
                [data(4), data(6)],
                [data(5), data(7)],
                [IDLE, IDLE],
                [IDLE, IDLE]
            ]
        );
        assert_eq!(deal(&sent, Lanes::X1, IDLE)[3][0], [data(6), data(7)]);
    }
}
