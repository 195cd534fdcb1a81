// SPDX-License-Identifier: Apache-2.0
//! Layout of a sub-packet: 16 bytes of header, then its payload. It tells by itself where it belongs, so that one that arrives whole
//! in a damaged frame is used.
//!
//! ```text
//!  byte  0 ..  4  sequence number of the chunk, big endian
//!        4 ..  6  number in the chunk
//!        6 ..  8  length of the payload, bytes
//!        8 .. 10  flags: bit 15 last of its chunk, bit 14 sent again, bits 11 .. 0 how often (stays at 4095)
//!       10 .. 12  low bits of the session
//!       12 .. 16  CRC-32C of these 12 bytes and the payload, begun with a secret of the session
//! ```
//!
//! Resolution E5. The CRC begins with 32 bits that only the ends of a session know: what another session has left in the network,
//! or a stranger sends, passes once in 2^32.

use super::frame::crc;

/// Bytes of the header of a sub-packet.
pub const SUB_HEADER: usize = 16;

/// Where a sub-packet belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubHeader {
    /// Sequence number of its chunk.
    pub chunk: u32,
    /// Its number in the chunk.
    pub number: u16,
    /// Bytes of payload.
    pub length: u16,
    /// The chunk ends with it.
    pub last: bool,
    /// How often it was sent before, at most [`SubHeader::MAX_ROUND`].
    pub round: u16,
}

/// What the ends of a session share to know their sub-packets by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag {
    /// Session.
    pub session: u64,
    /// What every CRC begins with.
    pub secret: u32,
}

impl SubHeader {
    /// Where counting rounds ends.
    pub const MAX_ROUND: u16 = 0xfff;
    const LAST: u16 = 1 << 15;
    const AGAIN: u16 = 1 << 14;

    /// Adds the sub-packet to `bytes`: the header with the CRC, and the payload, which is copied and summed up while it is at hand.
    pub fn write(&self, tag: Tag, payload: &[u8], bytes: &mut Vec<u8>) {
        let round = self.round.min(Self::MAX_ROUND);
        let mut flags = round;
        if self.last {
            flags |= Self::LAST;
        }
        if round > 0 {
            flags |= Self::AGAIN;
        }
        let mut header = [0; SUB_HEADER];
        header[..4].copy_from_slice(&self.chunk.to_be_bytes());
        header[4..6].copy_from_slice(&self.number.to_be_bytes());
        header[6..8].copy_from_slice(&self.length.to_be_bytes());
        header[8..10].copy_from_slice(&flags.to_be_bytes());
        header[10..12].copy_from_slice(&(tag.session as u16).to_be_bytes());
        let check = crc(crc(tag.secret, &header[..12]), payload);
        header[12..].copy_from_slice(&check.to_be_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(payload);
    }

    /// Reads the sub-packet at the start of `bytes`, if it is whole and of this session.
    #[must_use]
    pub fn parse(tag: Tag, bytes: &[u8]) -> Option<(SubHeader, &[u8])> {
        let (header, rest) = bytes.split_first_chunk::<SUB_HEADER>()?;
        let half = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
        let length = half(6);
        let payload = rest.get(..usize::from(length))?;
        if half(10) != tag.session as u16 {
            return None;
        }
        let check = u32::from_be_bytes([header[12], header[13], header[14], header[15]]);
        if check != crc(crc(tag.secret, &header[..12]), payload) {
            return None;
        }
        let flags = half(8);
        let parsed = SubHeader {
            chunk: u32::from_be_bytes([header[0], header[1], header[2], header[3]]),
            number: half(4),
            length,
            last: flags & Self::LAST != 0,
            round: flags & Self::MAX_ROUND,
        };
        Some((parsed, payload))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TAG: Tag = Tag {
        session: 0x0123_4567_89ab_cdef,
        secret: 0xfeed_beef,
    };

    proptest! {
        #[test]
        fn whole_again(chunk: u32, number: u16, last: bool, round in 0u16..5000, payload in prop::collection::vec(any::<u8>(), 0..2000)) {
            let header = SubHeader { chunk, number, length: payload.len() as u16, last, round };
            let mut bytes = Vec::new();
            header.write(TAG, &payload, &mut bytes);
            let expected = SubHeader { round: round.min(0xfff), ..header };
            prop_assert_eq!(SubHeader::parse(TAG, &bytes), Some((expected, &payload[..])));
            for other in [Tag { secret: 1, ..TAG }, Tag { session: 1, ..TAG }] {
                prop_assert_eq!(SubHeader::parse(other, &bytes), None);
            }
        }

        #[test]
        fn no_flipped_bit_passes(at in 0usize..8 * (16 + 64)) {
            let payload = [0x5a; 64];
            let header = SubHeader { chunk: 3, number: 4, length: 64, last: false, round: 0 };
            let mut bytes = Vec::new();
            header.write(TAG, &payload, &mut bytes);
            bytes[at / 8] ^= 1 << (at % 8);
            prop_assert_eq!(SubHeader::parse(TAG, &bytes), None);
        }

        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(SubHeader::parse(TAG, &bytes), None);
        }
    }
}
