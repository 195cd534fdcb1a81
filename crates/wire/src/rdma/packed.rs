// SPDX-License-Identifier: Apache-2.0
//! Packed framing: packets back to back in lanes of 16 bytes, four of them in a word of the
//! network.
//!
//! A packet takes a lane for its header, one for each 16 bytes of its payload, the last one filled
//! up with zeros, and one for its footer. The next packet begins in the lane behind. If nothing
//! follows, zeros fill the word, and the next packet begins with a word. A packet of 1024 bytes has
//! 66 lanes, 16.5 words; with a word each for header and footer it would have 18.
//!
//! The fields are those of [`super::packet`] but for two places, so that each header says where its
//! packet ends:
//!
//! | where | bits | field |
//! |---|---|---|
//! | header word 1 | 58:48 | bytes of payload, as in the footer |
//! | | 63:59 | 16: the mark of this framing |
//! | footer word 0 | 63:48 | protection domain |
//!
//! The CRC is that of header, payload and footer as they are here, without the zeros between them.
//! Framing in words ([`super::words`]) has another mark, so neither takes a packet of the other for
//! one of its own.

use super::packet::{HEADER, LENGTH, MAX_PAYLOAD, Packet, PacketError};
use alloc::collections::VecDeque;
use thiserror::Error;

/// Bytes of a lane.
pub const LANE: usize = 16;
/// Lanes of a word.
pub const WORD_LANES: usize = 4;
/// Bytes of a word.
pub const WORD: usize = LANE * WORD_LANES;
/// In front of the length in a header.
const MARK: u16 = 1 << 15;

/// A lane.
pub type Lane = [u8; LANE];
/// A word of the network.
pub type Word = [u8; WORD];

/// What is wrong with packed framing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PackedError {
    /// No packet begins where one has to.
    #[error("{0:#06x} where a header has its mark and length: accepted are 0x8000 to 0x8400")]
    NoHeader(u16),
    /// The packet has another number of lanes than its header says.
    #[error("{found} lanes: the header says {expected}")]
    Lanes {
        /// What is there.
        found: usize,
        /// What the header says.
        expected: usize,
    },
    /// Header and footer say different lengths.
    #[error(
        "payload of {header} bytes in the header, of {footer} in the footer: they have to be the same"
    )]
    Lengths {
        /// What the header says.
        header: usize,
        /// What the footer says.
        footer: usize,
    },
    /// TLAST is not where packets and words end together, or zeros follow.
    #[error("TLAST is {0} in a word: it tells that nothing of a packet follows")]
    Last(bool),
    /// The packet itself.
    #[error(transparent)]
    Packet(#[from] PacketError),
}

/// Lanes of the packet that this header begins.
pub(super) fn lanes_of(header: &Lane) -> Result<usize, PackedError> {
    let field = u16::from_le_bytes([header[LENGTH.start], header[LENGTH.start + 1]]);
    match usize::from(field ^ MARK) {
        length @ 0..=MAX_PAYLOAD => Ok(2 + length.div_ceil(LANE)),
        _ => Err(PackedError::NoHeader(field)),
    }
}

/// The lanes of a packet.
///
/// # Errors
/// A number that does not fit its field.
pub fn encode(packet: &Packet) -> Result<Vec<Lane>, PackedError> {
    let mut bytes = packet.encode_framed(MARK)?;
    let length = packet.payload.len();
    let footer = HEADER + length;
    let padding = length.next_multiple_of(LANE) - length;
    bytes.splice(footer..footer, core::iter::repeat_n(0, padding));
    Ok(bytes.as_chunks().0.to_vec())
}

/// The packet that these lanes are. The bytes between payload and footer are not looked at.
///
/// # Errors
/// Why they are none.
pub fn decode(lanes: &[Lane]) -> Result<Packet, PackedError> {
    let [header, .., footer] = lanes else {
        return Err(PackedError::Packet(PacketError::Length(lanes.len() * LANE)));
    };
    let expected = lanes_of(header)?;
    if lanes.len() != expected {
        let found = lanes.len();
        return Err(PackedError::Lanes { found, expected });
    }
    let header_says = usize::from(u16::from_le_bytes([header[14], header[15]]) ^ MARK);
    let footer_says = usize::from(u16::from_le_bytes([footer[0], footer[1]]) & 0x7ff);
    if header_says != footer_says {
        return Err(PackedError::Lengths {
            header: header_says,
            footer: footer_says,
        });
    }
    let mut bytes = lanes.concat();
    bytes.drain(HEADER + header_says..(lanes.len() - 1) * LANE);
    Ok(Packet::decode_framed(bytes)?)
}

/// Takes words apart: the lanes of each packet.
#[derive(Debug, Clone, Default)]
pub struct Splitter {
    open: Vec<Lane>,
    wanted: usize,
}

impl Splitter {
    /// A word, and whether it is marked with TLAST: the packets that end in it, in order.
    ///
    /// # Errors
    /// What came is not packed framing. The begun packet is lost; what comes next begins a packet.
    pub fn push(&mut self, word: &Word, last: bool) -> Result<Vec<Vec<Lane>>, PackedError> {
        let result = self.take(word, last);
        if result.is_err() {
            self.open.clear();
        }
        result
    }

    fn take(&mut self, word: &Word, last: bool) -> Result<Vec<Vec<Lane>>, PackedError> {
        let mut packets = Vec::new();
        let lanes = word.as_chunks::<LANE>().0;
        for (i, lane) in lanes.iter().enumerate() {
            if self.open.is_empty() {
                if i > 0 && lanes[i..].iter().all(|lane| *lane == [0; LANE]) {
                    break;
                }
                self.wanted = lanes_of(lane)?;
            }
            self.open.push(*lane);
            if self.open.len() == self.wanted {
                packets.push(core::mem::take(&mut self.open));
            }
        }
        if last != self.open.is_empty() {
            return Err(PackedError::Last(last));
        }
        Ok(packets)
    }

    /// Whether no packet is begun.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

/// Puts packets into words.
#[derive(Debug, Clone, Default)]
pub struct Joiner {
    /// Lanes, and whether one is the last of its packet.
    lanes: VecDeque<(Lane, bool)>,
}

impl Joiner {
    /// A packet, behind the others.
    pub fn push(&mut self, packet: &[Lane]) {
        let end = packet.len().saturating_sub(1);
        let lanes = packet.iter().enumerate();
        self.lanes.extend(lanes.map(|(i, lane)| (*lane, i == end)));
    }

    /// Lanes that wait: with less than [`WORD_LANES`] the next word is filled with zeros.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.lanes.len()
    }

    /// The next word, and whether it is marked with TLAST; none if nothing waits.
    pub fn pop(&mut self) -> Option<(Word, bool)> {
        let mut word = [0; WORD];
        let mut last = None;
        for place in word.as_chunks_mut().0 {
            let Some((lane, ends)) = self.lanes.pop_front() else {
                break;
            };
            *place = lane;
            last = Some(ends);
        }
        last.map(|last| (word, last))
    }
}

#[cfg(test)]
mod tests {
    use super::super::packet::tests::of_a_block as packet;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn layout() {
        let lanes = encode(&packet((0..100).collect())).unwrap();
        assert_eq!(lanes.len(), 2 + 7);
        assert_eq!(lanes[0][14..], [100, 0x80]);
        assert_eq!(
            lanes[7],
            [96, 97, 98, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        );
        assert_eq!(lanes[8][6..8], [0x34, 0x12]);
        let bytes = lanes.concat();
        let covered = [&bytes[..116], &bytes[128..140]].concat();
        let sum = crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32Iscsi, &covered) as u32;
        assert_eq!(lanes[8][12..], sum.to_le_bytes());
    }

    #[test]
    fn a_packet_of_1024_bytes_has_16_and_a_half_words() {
        let mut joiner = Joiner::default();
        for _ in 0..33 {
            joiner.push(&encode(&packet(vec![7; 1024])).unwrap());
        }
        assert_eq!(joiner.waiting(), 33 * 33 * WORD_LANES / 2);
        let words = core::iter::from_fn(|| joiner.pop());
        assert_eq!(words.count(), 545);
    }

    #[test]
    fn damage_and_nonsense() {
        let good = encode(&packet((0..100).collect())).unwrap();
        assert_eq!(decode(&good), Ok(packet((0..100).collect())));
        for at in (0..116).chain(128..144) {
            let mut bad = good.clone();
            bad[at / LANE][at % LANE] ^= 1 << (at % 8);
            assert!(decode(&bad).is_err(), "byte {at}");
        }
        for found in 0..good.len() {
            assert!(decode(&good[..found]).is_err(), "{found} lanes");
        }
        let mut bad = good.clone();
        bad[0][15] = 0x12;
        assert_eq!(decode(&bad), Err(PackedError::NoHeader(0x1264)));
        let mut bad = good.clone();
        bad[8][0] = 99;
        let (header, footer) = (100, 99);
        assert_eq!(decode(&bad), Err(PackedError::Lengths { header, footer }));
    }

    #[test]
    fn words_that_are_not_packed() {
        let mut splitter = Splitter::default();
        let mut words = packet(vec![1; 64]).encode().unwrap();
        words.resize(3 * WORD, 0);
        let word: &Word = words.first_chunk().unwrap();
        let other = splitter.push(word, false);
        assert_eq!(other, Err(PackedError::NoHeader(0x1234)));
        // A packet that TLAST cuts, and one at whose end it lacks.
        let mut joiner = Joiner::default();
        joiner.push(&encode(&packet(vec![1; 32])).unwrap());
        joiner.push(&encode(&packet(vec![1; 64])).unwrap());
        let ((whole, last), (half, _)) = (joiner.pop().unwrap(), joiner.pop().unwrap());
        assert!(last);
        assert_eq!(splitter.push(&whole, false), Err(PackedError::Last(false)));
        assert_eq!(splitter.push(&half, true), Err(PackedError::Last(true)));
        assert_eq!(splitter.push(&whole, true).map(|p| p.len()), Ok(1));
        assert!(splitter.is_empty());
    }

    proptest! {
        #[test]
        fn there_and_back(
            sizes in prop::collection::vec((0..=MAX_PAYLOAD, any::<u16>(), any::<bool>()), 1..20)
        ) {
            let (mut joiner, mut splitter) = (Joiner::default(), Splitter::default());
            let (mut sent, mut found) = (Vec::new(), Vec::new());
            for (size, domain, flush) in sizes {
                let mut one = packet((0..size).map(|i| (i ^ size) as u8).collect());
                one.header.domain = domain;
                joiner.push(&encode(&one).unwrap());
                sent.push(one);
                while joiner.waiting() >= WORD_LANES || (flush && joiner.waiting() > 0) {
                    let (word, last) = joiner.pop().unwrap();
                    found.extend(splitter.push(&word, last).unwrap());
                }
            }
            while let Some((word, last)) = joiner.pop() {
                found.extend(splitter.push(&word, last).unwrap());
            }
            let found: Result<Vec<_>, _> = found.iter().map(|lanes| decode(lanes)).collect();
            prop_assert_eq!(found, Ok(sent));
        }

        #[test]
        fn any_words_are_survived(words in prop::collection::vec((any::<[u8; WORD]>(), any::<bool>(), any::<u16>()), 1..40)) {
            let mut splitter = Splitter::default();
            for (mut word, last, length) in words {
                word[LENGTH].copy_from_slice(&(MARK | length & 0x7f).to_le_bytes());
                for lanes in splitter.push(&word, last).unwrap_or_default() {
                    let _ = decode(&lanes);
                }
            }
        }
    }
}
