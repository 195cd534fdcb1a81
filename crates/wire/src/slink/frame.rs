// SPDX-License-Identifier: Apache-2.0
//! Packets as characters on the lanes, and back.
//!
//! ```text
//! word of L lanes      symbol 0        symbol 1
//! start                IDL on each     STP on each
//! header               8 bytes, low byte first
//! block                up to 2048 bytes of data
//! its code             CRC-16, high byte first       in CRC mode; PAD up to the end of the word if blocks follow
//! end                  END, then PAD up to the end of the word
//! ```
//!
//! HLD on all lanes is a word of no packet, wherever it comes. The code of the first block covers
//! the header as well. PAD may stand anywhere within a packet, where a transmitter had nothing to
//! send, and means nothing.

use super::crc::Crc16;
use super::header::{Header, HeaderError};
use super::regs::Coding;
use crate::line::stripe::{self, LANES, SYMBOLS};
use crate::line::{Character, Lanes, Word};
use core::mem;

/// Idle: between packets.
pub const IDL: Character = Character::control_or_panic(0x7c);
/// The comma: now and then between packets.
pub const COM: Character = Character::control_or_panic(0xbc);
/// Both symbols of all lanes, in any word: the other end shall hold data back for [`HOLD_WORDS`],
/// because a memory is slower than the line.
pub const HLD: Character = Character::control_or_panic(0x5c);
/// Padding within a packet.
pub const PAD: Character = Character::control_or_panic(0xf7);
/// Start of a packet.
pub const STP: Character = Character::control_or_panic(0xfb);
/// End of a packet.
pub const END: Character = Character::control_or_panic(0xfd);

/// Bytes of data under one code. Short enough that the code finds any two wrong bits.
pub const BLOCK: usize = 2048;

/// Words for which one HLD is obeyed.
pub const HOLD_WORDS: u64 = 64;

/// A header and its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// The header.
    pub header: Header,
    /// 8 bytes for each of its words if it has data, else none.
    pub data: Vec<u8>,
}

impl Packet {
    /// Words of the lanes, from the start to the end.
    #[must_use]
    pub fn words(&self) -> Vec<Word> {
        self.lay(false)
    }

    /// The same in 64b/66b: a code has a word of its own, whose rest is zero.
    #[must_use]
    pub fn words_in_blocks(&self) -> Vec<Word> {
        self.lay(true)
    }

    /// Those of a line code.
    #[must_use]
    pub fn words_in(&self, coding: Coding) -> Vec<Word> {
        self.lay(coding == Coding::Code64b66b)
    }

    fn lay(&self, blocks: bool) -> Vec<Word> {
        let lanes = self.header.lanes;
        let mut line = vec![IDL; lanes.count()];
        line.resize(lanes.piece(), STP);
        let mut crc = Crc16::default();
        let put = |line: &mut Vec<Character>, crc: &mut Crc16, bytes: &[u8]| {
            for &byte in bytes {
                crc.push(byte);
                line.push(Character::data(byte));
            }
        };
        put(&mut line, &mut crc, &self.header.to_bits().to_le_bytes());
        for block in self.data.chunks(BLOCK) {
            // Of the block before: the rest of the word that holds its code.
            line.resize(line.len().next_multiple_of(lanes.piece()), PAD);
            put(&mut line, &mut crc, block);
            if self.header.crc {
                line.extend(mem::take(&mut crc).bytes().map(Character::data));
                if blocks {
                    let word = line.len().next_multiple_of(lanes.piece());
                    line.resize(word, Character::data(0));
                }
            }
        }
        line.push(END);
        line.resize(line.len().next_multiple_of(lanes.piece()), PAD);
        let mut words = stripe::deal(&line, lanes, IDL);
        // Lanes that are not in use are idle all the time.
        for word in &mut words {
            word[lanes.count()..].fill([IDL; SYMBOLS]);
        }
        words
    }
}

/// Words of every lane that a packet with this header takes, from its start to its end.
#[must_use]
pub fn length(header: Header) -> u64 {
    let (piece, bytes) = (
        header.lanes.piece() as u64,
        if header.has_data() {
            8 * u64::from(header.words)
        } else {
            0
        },
    );
    let blocks = if header.crc && bytes > 0 {
        bytes.div_ceil(BLOCK as u64)
    } else {
        0
    };
    let tail = if blocks > 0 { 3 } else { 1u64 };
    1 + (8 + bytes).div_ceil(piece) + blocks.saturating_sub(1) + tail.div_ceil(piece)
}

/// What is wrong with a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Damage {
    /// Its header.
    Header(HeaderError),
    /// It came over another number of lanes than the header says.
    Lanes,
    /// A symbol that is impossible.
    Symbol,
    /// The code of a block.
    Code,
    /// It has more or fewer bytes than the header says.
    Length,
    /// Something else than a packet stood within it.
    Cut,
}

/// What a receiver finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A packet begins, with a good header.
    Header(Header),
    /// The other end's memory is behind. Of no packet; may come within one.
    Hold,
    /// Data of it, up to [`BLOCK`] bytes; in CRC mode found good.
    Block(Vec<u8>),
    /// It ended where it had to. Without CRC: whether all symbols were possible.
    End {
        /// No error was seen.
        clean: bool,
    },
    /// It ends here: of a packet whose header was good, or of one that nobody knows.
    Damaged(Option<Header>, Damage),
}

#[derive(Debug, Clone)]
struct Inside {
    lanes: Lanes,
    header: Option<Header>,
    /// Bytes of the header, of a block, or of a code.
    bytes: Vec<u8>,
    /// Bytes of data that are still to come, behind those in `bytes`.
    rest: usize,
    /// The next two bytes are the code of a block of that many.
    code: Option<usize>,
    crc: Crc16,
    clean: bool,
}

/// The receiver of one end: words of the lanes in, items out.
#[derive(Debug, Clone, Default)]
pub struct Deframer {
    inside: Option<Inside>,
    /// The rest of a word behind a code means nothing, as in 64b/66b.
    blocks: bool,
}

/// Which characters of a word were impossible.
pub type Errors = [[bool; SYMBOLS]; LANES];

impl Deframer {
    /// For lanes in 64b/66b, as [`Packet::words_in_blocks`] has them.
    #[must_use]
    pub fn in_blocks() -> Self {
        Deframer {
            inside: None,
            blocks: true,
        }
    }

    /// For lanes in a line code.
    #[must_use]
    pub fn of(coding: Coding) -> Self {
        match coding {
            Coding::Code8b10b => Self::default(),
            Coding::Code64b66b => Self::in_blocks(),
        }
    }

    /// Takes a word of every lane; adds what it completes.
    pub fn word(&mut self, word: &Word, errors: &Errors, found: &mut Vec<Item>) {
        if let Some(lanes) = start(word, errors) {
            self.damaged(Damage::Cut, found);
            self.inside = Some(Inside {
                lanes,
                header: None,
                bytes: Vec::new(),
                rest: 0,
                code: None,
                crc: Crc16::default(),
                clean: true,
            });
            return;
        }
        if word[0] == [HLD; SYMBOLS] && errors[0] == [false; SYMBOLS] {
            found.push(Item::Hold);
            return;
        }
        let Some(lanes) = self.inside.as_ref().map(|inside| inside.lanes) else {
            return;
        };
        let coded = |deframer: &Self| {
            let inside = deframer.inside.as_ref();
            inside.is_some_and(|inside| inside.code.is_some())
        };
        for i in 0..lanes.piece() {
            let (lane, symbol) = (i % lanes.count(), i / lanes.count());
            let before = coded(self);
            self.character(word[lane][symbol], errors[lane][symbol], found);
            if self.blocks && before && !coded(self) {
                break;
            }
        }
    }

    fn damaged(&mut self, damage: Damage, found: &mut Vec<Item>) {
        if let Some(inside) = self.inside.take() {
            found.push(Item::Damaged(inside.header, damage));
        }
    }

    fn character(&mut self, character: Character, error: bool, found: &mut Vec<Item>) {
        let Some(inside) = &mut self.inside else {
            return;
        };
        if error {
            // Without CRC nobody sends data again: they go on, and are known to be wrong.
            let data = inside.rest > 0 && inside.header.is_some_and(|header| !header.crc);
            if !data {
                return self.damaged(Damage::Symbol, found);
            }
            inside.clean = false;
        }
        if character.is_control() && !error {
            let complete = inside.header.is_some() && inside.rest == 0 && inside.code.is_none();
            match character {
                PAD => {}
                END if complete && inside.bytes.is_empty() => {
                    found.push(Item::End {
                        clean: inside.clean,
                    });
                    self.inside = None;
                }
                END => self.damaged(Damage::Length, found),
                _ => self.damaged(Damage::Cut, found),
            }
            return;
        }
        if let Err(damage) = inside.byte(character.byte(), found) {
            self.damaged(damage, found);
        }
    }
}

impl Inside {
    fn byte(&mut self, byte: u8, found: &mut Vec<Item>) -> Result<(), Damage> {
        self.crc.push(byte);
        self.bytes.push(byte);
        let Some(header) = self.header else {
            let Ok(bytes) = <[u8; 8]>::try_from(self.bytes.as_slice()) else {
                return Ok(());
            };
            let header = Header::from_bits(u64::from_le_bytes(bytes)).map_err(Damage::Header)?;
            self.header = Some(header);
            if header.lanes != self.lanes {
                return Err(Damage::Lanes);
            }
            self.bytes.clear();
            if header.has_data() {
                self.rest = 8 * header.words as usize;
            }
            found.push(Item::Header(header));
            return Ok(());
        };
        if let Some(block) = self.code {
            if self.bytes.len() < block + 2 {
                return Ok(());
            }
            // The register is zero behind the code that belongs to it.
            if mem::take(&mut self.crc).bytes() != [0, 0] {
                return Err(Damage::Code);
            }
            self.code = None;
            self.bytes.truncate(block);
            found.push(Item::Block(mem::take(&mut self.bytes)));
            return Ok(());
        }
        if self.rest == 0 {
            return Err(Damage::Length);
        }
        self.rest -= 1;
        if self.rest == 0 || self.bytes.len() == BLOCK {
            if header.crc {
                self.code = Some(self.bytes.len());
            } else {
                found.push(Item::Block(mem::take(&mut self.bytes)));
            }
        }
        Ok(())
    }
}

/// Whether a packet starts in this word, and over how many lanes: STP is on all of them.
fn start(word: &Word, errors: &Errors) -> Option<Lanes> {
    let here = |lane: usize| word[lane][1] == STP && !errors[lane][1];
    let mask = (0..LANES).fold(0, |mask, lane| mask | usize::from(here(lane)) << lane);
    Lanes::ALL
        .into_iter()
        .find(|lanes| mask == (1 << lanes.count()) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slink::header::{Kind, Request};

    fn packet(bytes: usize, crc: bool, lanes: Lanes) -> Packet {
        Packet {
            header: Header {
                request: Request::Write,
                kind: Kind::Request { address: 0x1000 },
                crc,
                lanes,
                words: (bytes / 8) as u32,
                sequence: 11,
            },
            data: (0..bytes).map(|i| (i * 7 + i / 256) as u8).collect(),
        }
    }

    fn items(words: &[Word]) -> Vec<Item> {
        let (mut deframer, mut found) = (Deframer::default(), Vec::new());
        for word in words {
            deframer.word(word, &Errors::default(), &mut found);
        }
        found
    }

    #[test]
    fn packets_come_back_in_blocks() {
        for lanes in Lanes::ALL {
            for crc in [false, true] {
                for bytes in [8, 16, 504, 512, 2040, 2048, 2056, 4096, 5000, 524_288] {
                    let packet = packet(bytes, crc, lanes);
                    let words = packet.words();
                    assert_eq!(words.len() as u64, length(packet.header));
                    let mut found = items(&words).into_iter();
                    assert_eq!(found.next(), Some(Item::Header(packet.header)));
                    for block in packet.data.chunks(BLOCK) {
                        assert_eq!(found.next(), Some(Item::Block(block.to_vec())));
                    }
                    assert_eq!(found.next(), Some(Item::End { clean: true }));
                    assert_eq!(found.next(), None);
                }
            }
        }
    }

    #[test]
    fn every_damaged_symbol_of_a_packet_is_told_and_the_next_one_comes() {
        for lanes in Lanes::ALL {
            let packet = packet(64, true, lanes);
            let words = packet.words();
            for at in 0..words.len() {
                for lane in 0..lanes.count() {
                    for symbol in 0..SYMBOLS {
                        let mut found = Vec::new();
                        let mut deframer = Deframer::default();
                        for (i, word) in words.iter().chain(&words).enumerate() {
                            let mut errors = Errors::default();
                            errors[lane][symbol] = i == at;
                            deframer.word(word, &errors, &mut found);
                        }
                        let ends = found
                            .iter()
                            .filter(|item| matches!(item, Item::End { .. }))
                            .count();
                        let harmless = at == 0 && symbol == 0
                            || at == words.len() - 1 && symbol * lanes.count() + lane > 0;
                        assert!(ends >= 1, "{lanes:?} {at} {lane} {symbol}: {found:?}");
                        if ends == 2 {
                            // The idle character in front, or padding behind the end.
                            assert!(harmless, "{lanes:?} {at} {lane} {symbol}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn lost_and_strange_words_are_told() {
        for lanes in Lanes::ALL {
            let packet = packet(64, true, lanes);
            let words = packet.words();
            let whole = items(&words).len();
            for at in 0..words.len() {
                let mut lost = words.clone();
                lost.remove(at);
                lost.extend(packet.words());
                let found = items(&lost);
                assert!(found.len() >= whole && found[found.len() - whole..] == items(&words));
                let ends = found
                    .iter()
                    .filter(|i| matches!(i, Item::End { .. }))
                    .count();
                assert_eq!(ends, 1, "{lanes:?} without word {at}");
                if at > 0 {
                    // PAD is no data and does not harm; IDL does.
                    let mut more = words.clone();
                    more.insert(at, [[PAD; SYMBOLS]; LANES]);
                    assert_eq!(items(&more), items(&words));
                    // HLD neither, and it is told.
                    more[at] = [[HLD; SYMBOLS]; LANES];
                    let mut found = items(&more);
                    found.retain(|item| *item != Item::Hold);
                    assert_eq!(found, items(&words));
                    assert_eq!(items(&more).len(), found.len() + 1);
                    more[at] = [[IDL; SYMBOLS]; LANES];
                    assert!(matches!(
                        items(&more).last(),
                        Some(Item::Damaged(_, Damage::Cut))
                    ));
                }
            }
        }
    }

    #[test]
    fn without_crc_a_wrong_symbol_is_known_but_passes() {
        let packet = packet(64, false, Lanes::X1);
        let mut found = Vec::new();
        let mut deframer = Deframer::default();
        for (i, word) in packet.words().iter().enumerate() {
            let mut errors = Errors::default();
            errors[0][0] = i == 10;
            deframer.word(word, &errors, &mut found);
        }
        assert_eq!(found.last(), Some(&Item::End { clean: false }));
    }
}
