// SPDX-License-Identifier: Apache-2.0
//! Recorded lanes as somebody sees them who has no part in the link: where symbols or blocks begin,
//! which words of the lanes belong together, and the packets on them.
//!
//! A receiver looks for commas as they come. Here all of a lane is known, so a boundary of 8b/10b
//! holds from the first of two commas on that agree, and an error in between is none of them; one
//! of 64b/66b from the first of as many blocks on with legal headers as lock a receiver.

use super::frame::{COM, Damage, Deframer, IDL, Item, STP};
use super::header::Header;
use super::pairs;
use crate::line::blocks::{self, BLOCK_BITS, CONTROL, DATA, Scrambler};
use crate::line::code::{Decoder, Encoder};
use crate::line::stripe::{LANES, SYMBOLS};
use crate::line::{Character, Disparity};

/// Bits of a symbol.
const SYMBOL: u64 = 10;
/// Bits of a word: COM is in the first symbol of one only.
const WORD: u64 = SYMBOL * SYMBOLS as u64;
/// Blocks with legal headers that lock, the window in which illegal ones are counted, and as many
/// of them as lose the lock: those of `line_block_lock`.
const LOCK_BLOCKS: u64 = 64;
const LOSE_BLOCKS: u64 = 16;
/// Words by which a lane may be later or earlier than the first one. Commas of idle times are 32
/// apart.
const SKEW: usize = 15;

/// The code of the lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coding {
    /// 8b/10b.
    #[default]
    Symbols,
    /// 64b/66b.
    Blocks,
}

/// Bits of a lane.
#[derive(Debug, Clone, Copy)]
pub struct Bits<'a> {
    words: &'a [u64],
    count: u64,
}

impl<'a> Bits<'a> {
    /// The first `count` bits of these words of 64, bit 0 first; no more than there are.
    #[must_use]
    pub fn new(words: &'a [u64], count: u64) -> Self {
        let most = words.len() as u64 * u64::from(u64::BITS);
        Bits {
            words,
            count: count.min(most),
        }
    }

    /// The symbol that begins at a bit.
    fn symbol(self, bit: u64) -> Option<u16> {
        if bit + SYMBOL > self.count {
            return None;
        }
        let (at, shift) = ((bit / 64) as usize, bit % 64);
        let low = u128::from(self.words[at]);
        let high = u128::from(self.words.get(at + 1).copied().unwrap_or(0));
        Some(((high << 64 | low) >> shift) as u16 & 1023)
    }

    /// Some bits from one on; zeros behind the end.
    fn word(self, bit: u64) -> u64 {
        let (at, shift) = ((bit / 64) as usize, bit % 64);
        let word = |at: usize| u128::from(self.words.get(at).copied().unwrap_or(0));
        ((word(at + 1) << 64 | word(at)) >> shift) as u64
    }

    /// Where blocks begin, and how many follow each other.
    fn stretches(self) -> Vec<(u64, u64)> {
        let legal = |bit: u64| {
            let header = (self.word(bit) & 3) as u8;
            header == DATA || header == CONTROL
        };
        let mut found = Vec::new();
        let mut bit = 0;
        while bit + LOCK_BLOCKS * BLOCK_BITS <= self.count {
            if !(0..LOCK_BLOCKS).all(|block| legal(bit + block * BLOCK_BITS)) {
                bit += 1;
                continue;
            }
            let first = bit;
            let (mut blocks, mut bad) = (0, 0);
            while bit + BLOCK_BITS <= self.count && bad < LOSE_BLOCKS {
                bad += u64::from(!legal(bit));
                blocks += 1;
                bit += BLOCK_BITS;
                if blocks % LOCK_BLOCKS == 0 {
                    bad = 0;
                }
            }
            found.push((first, blocks));
        }
        found
    }

    /// The words of the lane in blocks. The bits in front of the first block are not known, with
    /// which it was scrambled.
    fn words_of_blocks(self) -> Vec<LaneWord> {
        let mut words = Vec::new();
        for (first, blocks) in self.stretches() {
            let mut scrambler = Scrambler::with_state(0);
            for block in 0..blocks {
                let bit = first + block * BLOCK_BITS;
                let plain = scrambler.descramble(self.word(bit + 2));
                if block == 0 {
                    continue;
                }
                let decoded = blocks::decode((self.word(bit) & 3) as u8, plain);
                for (place, word) in (0..).zip(decoded) {
                    let characters = pairs::decode(word);
                    words.push(LaneWord {
                        bit: bit + 2 + 16 * place,
                        characters: characters.unwrap_or([Character::DAMAGED; SYMBOLS]),
                        errors: [characters.is_none(); SYMBOLS],
                    });
                }
            }
        }
        words
    }

    /// Where commas are, with the disparity in front of each.
    fn commas(self) -> Vec<(u64, Disparity)> {
        let forms = [Disparity::Negative, Disparity::Positive]
            .map(|rd| (Encoder::with_disparity(rd).encode(COM), rd));
        let places = 0..self.count.saturating_sub(SYMBOL - 1);
        places
            .filter_map(|bit| {
                let symbol = self.symbol(bit)?;
                let form = forms.iter().find(|form| form.0 == symbol)?;
                Some((bit, form.1))
            })
            .collect()
    }

    /// Where words begin from which bit on, by the commas: each boundary with the disparity in
    /// front of its first word.
    fn boundaries(self) -> Vec<(u64, Disparity)> {
        let commas = self.commas();
        let mut found: Vec<(u64, Disparity)> = Vec::new();
        for (place, &(bit, rd)) in commas.iter().enumerate() {
            let agrees = |other: u64| other % WORD == bit % WORD;
            if found.last().is_some_and(|last| agrees(last.0)) {
                continue;
            }
            let next = commas.get(place + 1);
            if next.map_or(found.is_empty(), |next| agrees(next.0)) {
                found.push((bit, rd));
            }
        }
        found
    }

    /// The words of the lane.
    fn words(self) -> Vec<LaneWord> {
        let boundaries = self.boundaries();
        let mut words = Vec::new();
        for (place, &(first, rd)) in boundaries.iter().enumerate() {
            let end = boundaries.get(place + 1).map_or(self.count, |next| next.0);
            let mut decoder = Decoder::with_disparity(rd);
            let mut bit = first;
            while bit + WORD <= end {
                let mut word = LaneWord {
                    bit,
                    characters: [IDL; SYMBOLS],
                    errors: [false; SYMBOLS],
                };
                for symbol in 0..SYMBOLS {
                    let raw = self.symbol(bit + SYMBOL * symbol as u64).unwrap_or(0);
                    let (character, fault) = decoder.decode(raw);
                    word.characters[symbol] = character;
                    word.errors[symbol] = fault.is_some();
                }
                words.push(word);
                bit += WORD;
            }
        }
        words
    }
}

/// A word of one lane.
#[derive(Debug, Clone, Copy)]
struct LaneWord {
    bit: u64,
    characters: [Character; SYMBOLS],
    errors: [bool; SYMBOLS],
}

impl LaneWord {
    fn is_comma(&self) -> bool {
        self.characters[0] == COM && !self.errors[0]
    }
}

/// How a packet ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// As it has to. Without check codes: `clean`, all symbols were possible.
    Whole {
        /// No error was seen.
        clean: bool,
    },
    /// Damaged.
    Damaged(Damage),
    /// The recording ends before.
    Open,
}

/// A packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Bit of the first lane at which the word with its start begins.
    pub bit: u64,
    /// None: it was damaged before its header was complete, or the header is.
    pub header: Option<Header>,
    /// Its data, as far as they were found good; without check codes as they came.
    pub data: Vec<u8>,
    /// How it ended.
    pub ending: Ending,
}

/// What the lanes had beside packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Words of all lanes together that were looked at.
    pub words: u64,
    /// Those of them that ask the other end to hold data back.
    pub holds: u64,
    /// Symbols of all lanes that are impossible; in 64b/66b those of words that are none.
    pub impossible: u64,
    /// Times that symbols or blocks of a lane were found at another place.
    pub slips: u64,
}

/// Lanes that follow each other word by word: which word of each belongs to that of the first.
struct Deskew {
    lanes: Vec<Vec<LaneWord>>,
    offsets: Vec<Option<isize>>,
    /// An offset that was seen once, to be confirmed.
    seen: Vec<Option<isize>>,
}

impl Deskew {
    fn new(lanes: Vec<Vec<LaneWord>>) -> Self {
        let count = lanes.len();
        let mut deskew = Deskew {
            lanes,
            offsets: vec![None; count],
            seen: vec![None; count],
        };
        // What is in front of the first commas that agree has the skew of those.
        for index in 0..deskew.lanes.first().map_or(0, Vec::len) {
            if deskew.offsets[1..].iter().all(Option::is_some) {
                break;
            }
            deskew.look(index);
        }
        deskew
    }

    /// Looks at a word of the first lane: a comma there has commas on the other lanes.
    fn look(&mut self, index: usize) {
        let Some((first, others)) = self.lanes.split_first() else {
            return;
        };
        if !first.get(index).is_some_and(LaneWord::is_comma) {
            return;
        }
        for (place, lane) in (1..).zip(others) {
            let comma = |offset: isize| {
                let at = index.checked_add_signed(offset);
                at.and_then(|at| lane.get(at))
                    .is_some_and(LaneWord::is_comma)
            };
            let now = self.offsets[place];
            if now.is_some_and(comma) {
                self.seen[place] = None;
                continue;
            }
            let bit = first[index].bit;
            let around = now.unwrap_or_else(|| {
                let same = lane.partition_point(|word| word.bit < bit);
                same.cast_signed() - index.cast_signed()
            });
            let most = SKEW as isize;
            let nearest = (0..=most)
                .flat_map(|far| [around + far, around - far])
                .find(|&offset| comma(offset));
            if nearest.is_some() && (now.is_none() || self.seen[place] == nearest) {
                self.offsets[place] = nearest;
                self.seen[place] = None;
            } else {
                self.seen[place] = nearest;
            }
        }
    }

    /// The words that belong to one of the first lane; lanes that are not there are idle.
    fn word(&self, index: usize) -> ([[Character; SYMBOLS]; LANES], [[bool; SYMBOLS]; LANES]) {
        let (mut words, mut errors) = ([[IDL; SYMBOLS]; LANES], [[false; SYMBOLS]; LANES]);
        for (place, lane) in self.lanes.iter().enumerate() {
            let offset = self.offsets[place].unwrap_or(0);
            let word = index.checked_add_signed(offset).and_then(|at| lane.get(at));
            if let Some(word) = word {
                (words[place], errors[place]) = (word.characters, word.errors);
            }
        }
        (words, errors)
    }
}

/// Calls `take` with each packet on up to four lanes that were recorded together, the first one
/// in front; gives what else there was.
///
/// # Errors
/// The number of the first lane that has no commas, or no blocks.
pub fn dissect(
    lanes: &[Bits],
    coding: Coding,
    mut take: impl FnMut(Found),
) -> Result<Counts, usize> {
    let mut counts = Counts::default();
    let mut words = Vec::new();
    for (number, lane) in lanes.iter().take(LANES).enumerate() {
        let (boundaries, lane) = match coding {
            Coding::Symbols => (lane.boundaries().len(), lane.words()),
            Coding::Blocks => (lane.stretches().len(), lane.words_of_blocks()),
        };
        if boundaries == 0 {
            return Err(number);
        }
        counts.slips += boundaries as u64 - 1;
        let errors = lane.iter().flat_map(|word| word.errors);
        counts.impossible += errors.filter(|&error| error).count() as u64;
        words.push(lane);
    }
    let mut deskew = Deskew::new(words);
    let mut deframer = match coding {
        Coding::Symbols => Deframer::default(),
        Coding::Blocks => Deframer::in_blocks(),
    };
    let mut items = Vec::new();
    let mut open: Option<Found> = None;
    let mut start = 0;
    for index in 0..deskew.lanes.first().map_or(0, Vec::len) {
        counts.words += 1;
        deskew.look(index);
        let (word, errors) = deskew.word(index);
        deframer.word(&word, &errors, &mut items);
        let bit = deskew.lanes[0][index].bit;
        for item in items.drain(..) {
            let begun = |header| Found {
                bit: start,
                header,
                data: Vec::new(),
                ending: Ending::Open,
            };
            match item {
                Item::Header(header) => open = Some(begun(Some(header))),
                Item::Hold => counts.holds += 1,
                Item::Block(bytes) => {
                    if let Some(found) = &mut open {
                        found.data.extend(bytes);
                    }
                }
                Item::End { clean } => {
                    let ending = Ending::Whole { clean };
                    open.take()
                        .into_iter()
                        .for_each(|found| take(Found { ending, ..found }));
                }
                Item::Damaged(header, damage) => {
                    let found = open.take().unwrap_or_else(|| begun(header));
                    take(Found {
                        ending: Ending::Damaged(damage),
                        ..found
                    });
                }
            }
        }
        if word[0][1] == STP && !errors[0][1] {
            start = bit;
        }
    }
    open.into_iter().for_each(take);
    Ok(counts)
}
