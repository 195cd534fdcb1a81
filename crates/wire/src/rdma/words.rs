// SPDX-License-Identifier: Apache-2.0
//! Framing in words: header and footer of a packet have a word of the network each, the payload
//! lies between them.
//!
//! The first word says all that a receiver has to know to write the payload as it arrives, under a
//! check of its own:
//!
//! | byte | what |
//! |---|---|
//! | 0 | header; in its word 1 the mark of this framing, 17, is 63:59, the bytes of payload 58:48 |
//! | 16 | first word of the footer, with the domain in 63:48 |
//! | 24 | CRC-32C of the 24 bytes before |
//!
//! The last word has the footer, whose CRC is that of the packet as [`super::packed`] has it, but
//! for the mark. In bytes that nothing is said of anything may be.

use super::packed::{WORD, Word};
use super::packet::{FOOTER, HEADER, LENGTH, MAX_PAYLOAD, Packet, PacketError};
use thiserror::Error;

/// In front of the length in a header.
const MARK: u16 = 17 << 11;
/// Of the first word: header and first word of the footer, which its CRC is behind.
const SAID: usize = HEADER + 8;

/// What is wrong with words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum WordsError {
    /// No packet of this framing begins with it: of the other one, of a version that had no check
    /// here, or none at all.
    #[error("{0:#06x} where a header has its mark and length: accepted are 0x8800 to 0x8c00")]
    NoHeader(u16),
    /// The first word is damaged.
    #[error("CRC {found:#010x} in the first word: its bytes give {expected:#010x}")]
    Front {
        /// What it says.
        found: u32,
        /// What it should say.
        expected: u32,
    },
    /// The packet has another number of words than its first one says.
    #[error("{found} words: the first one says {expected}")]
    Words {
        /// What is there.
        found: usize,
        /// What the first word says.
        expected: usize,
    },
    /// First and last word say something else of the packet.
    #[error(
        "{front:#018x} in the first word, {footer:#018x} in the footer: they have to be the same"
    )]
    Differs {
        /// What the first word says.
        front: u64,
        /// What the footer says.
        footer: u64,
    },
    /// The packet itself.
    #[error(transparent)]
    Packet(#[from] PacketError),
}

fn crc(bytes: &[u8]) -> u32 {
    crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32Iscsi, bytes) as u32
}

/// The words of a packet; TLAST is with the last one.
///
/// # Errors
/// A number that does not fit its field.
pub fn encode(packet: &Packet) -> Result<Vec<Word>, PacketError> {
    let bytes = packet.encode_framed(MARK)?;
    let (front, footer) = bytes.split_at(bytes.len() - FOOTER);
    let (header, payload) = front.split_at(HEADER);
    let mut first = [header, &footer[..8]].concat();
    first.extend(crc(&first).to_le_bytes());
    let parts = core::iter::once(&first[..])
        .chain(payload.chunks(WORD))
        .chain([footer]);
    Ok(parts
        .map(|part| {
            let mut word = [0; WORD];
            word[..part.len()].copy_from_slice(part);
            word
        })
        .collect())
}

/// What the first word of a packet tells before the others are there: the bytes of its payload.
/// Header and first word of the footer are then as they were sent.
///
/// # Errors
/// Why nothing may be done of it.
pub fn open(first: &Word) -> Result<usize, WordsError> {
    let field = u16::from_le_bytes([first[LENGTH.start], first[LENGTH.start + 1]]);
    let length = usize::from(field ^ MARK);
    if length > MAX_PAYLOAD {
        return Err(WordsError::NoHeader(field));
    }
    let found = u32::from_le_bytes(core::array::from_fn(|i| first[SAID + i]));
    let expected = crc(&first[..SAID]);
    if found != expected {
        return Err(WordsError::Front { found, expected });
    }
    Ok(length)
}

/// The packet that these words are.
///
/// # Errors
/// Why they are none.
pub fn decode(words: &[Word]) -> Result<Packet, WordsError> {
    let [first, .., last] = words else {
        return Err(PacketError::Length(words.len() * WORD).into());
    };
    let length = open(first)?;
    let (found, expected) = (words.len(), 2 + length.div_ceil(WORD));
    if found != expected {
        return Err(WordsError::Words { found, expected });
    }
    let said = |word: &Word, at: usize| u64::from_le_bytes(core::array::from_fn(|i| word[at + i]));
    let (front, footer) = (said(first, HEADER), said(last, 0));
    if front != footer {
        return Err(WordsError::Differs { front, footer });
    }
    let payload = words[1..words.len() - 1].as_flattened();
    let bytes = [&first[..HEADER], &payload[..length], &last[..FOOTER]].concat();
    Ok(Packet::decode_framed(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::super::packed;
    use super::super::packet::mark;
    use super::super::packet::tests::of_a_block as packet;
    use super::*;
    use proptest::prelude::*;

    /// All that is said in the first word.
    const FRONT: usize = SAID + 4;

    fn words() -> Vec<Word> {
        encode(&packet((0..100).collect())).unwrap()
    }

    #[test]
    fn layout() {
        let words = words();
        assert_eq!(words.len(), 4);
        assert_eq!(words[0][14..16], [100, 0x88]);
        assert_eq!(words[0][22..24], [0x34, 0x12]);
        assert_eq!(words[0][16..24], words[3][..8]);
        assert_eq!(words[0][24..28], crc(&words[0][..24]).to_le_bytes());
        assert_eq!(words[0][28..], [0; 36]);
        assert_eq!(words[2][35..37], [99, 0]);
        assert_eq!(open(&words[0]), Ok(100));
    }

    #[test]
    fn damage_and_nonsense() {
        let good = words();
        assert_eq!(decode(&good), Ok(packet((0..100).collect())));
        for bit in 0..8 * FRONT {
            let mut first = good[0];
            first[bit / 8] ^= 1 << (bit % 8);
            let mark = (8 * LENGTH.start + 11..8 * LENGTH.end).contains(&bit);
            let found = open(&first);
            if mark {
                assert!(matches!(found, Err(WordsError::NoHeader(_))), "bit {bit}");
            } else {
                assert!(found.is_err(), "bit {bit}");
            }
        }
        for bit in (0..8 * WORD).chain(3 * 8 * WORD..3 * 8 * WORD + 8 * FOOTER) {
            let (word, bit) = (bit / (8 * WORD), bit % (8 * WORD));
            let mut bad = good.clone();
            bad[word.max(1)][bit / 8] ^= 1 << (bit % 8);
            let unmarked = word == 3 && bit == 86;
            assert_eq!(decode(&bad).is_ok(), unmarked, "word {word}, bit {bit}");
        }
        for found in 0..good.len() {
            assert!(decode(&good[..found]).is_err(), "{found} words");
        }
        let (found, expected) = (5, 4);
        let longer = [&good[..3], &good[2..]].concat();
        assert_eq!(decode(&longer), Err(WordsError::Words { found, expected }));
        // The footer of another packet.
        let mut bad = good.clone();
        bad[3] = encode(&packet((0..99).collect())).unwrap()[3];
        assert!(matches!(decode(&bad), Err(WordsError::Differs { .. })));
        // Bytes that nothing is said of, and the mark of the network.
        let mut other = good.clone();
        other[0][FRONT..].fill(7);
        other[2][36..].fill(7);
        other[3][FOOTER..].fill(7);
        assert_eq!(decode(&other), decode(&good));
        mark(&mut other[3]);
        assert!(decode(&other).unwrap().footer.marked);
    }

    /// The former version of this framing, with the domain in the header and no check of it, and
    /// packed framing.
    #[test]
    fn others_are_told_apart() {
        let bytes = packet((0..100).collect()).encode().unwrap();
        let mut former = [[0; WORD]; 4];
        former[0][..HEADER].copy_from_slice(&bytes[..HEADER]);
        assert_eq!(decode(&former), Err(WordsError::NoHeader(0x1234)));
        let lanes = packed::encode(&packet((0..100).collect())).unwrap();
        former[0][..HEADER].copy_from_slice(&lanes[0]);
        assert_eq!(decode(&former), Err(WordsError::NoHeader(0x8064)));
        let packed = packed::Splitter::default().push(&words()[0], false);
        assert_eq!(packed, Err(packed::PackedError::NoHeader(0x8864)));
    }

    proptest! {
        #[test]
        fn there_and_back(size in 0..=MAX_PAYLOAD, domain: u16) {
            let mut one = packet((0..size).map(|i| (i ^ size) as u8).collect());
            one.header.domain = domain;
            prop_assert_eq!(decode(&encode(&one).unwrap()), Ok(one));
        }

        #[test]
        fn any_words_are_survived(
            words in prop::collection::vec(any::<[u8; WORD]>(), 0..20),
            length: u16,
            sealed: bool,
        ) {
            let mut words = words;
            if let Some(first) = words.first_mut() {
                first[LENGTH].copy_from_slice(&(MARK | length & 0x7ff).to_le_bytes());
                if sealed {
                    let sum = crc(&first[..SAID]);
                    first[SAID..FRONT].copy_from_slice(&sum.to_le_bytes());
                }
            }
            prop_assert!(decode(&words).is_err());
        }
    }
}
