// SPDX-License-Identifier: Apache-2.0
//! Layout of a sub-packet: 16 bytes of header, then its payload. It tells by itself where it
//! belongs, so that one that arrives whole in a damaged frame is used.
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
//! Bit 13 of the flags: the payload is parity over sub-packets of its chunk ([`super::parity`]),
//! and full. Then
//!
//! ```text
//!  byte  4 ..  6  number among the parity of the chunk
//!        6 ..  8  sub-packets of the chunk, parity not counted
//!        8 .. 10  flags: bit 13; bits 12 .. 0 bytes of the last sub-packet of the chunk, less 1
//! ```
//!
//! Sealed sub-packets have a tag of 16 bytes in the place of the CRC, and parity may follow the
//! payload: [`super::session`].
//!
//! Resolution E5. The CRC begins with 32 bits that only the ends of a session know: what another
//! session has left in the network, or a stranger sends, passes once in 2^32.

use super::crc::crc;
use super::params::Params;

/// Bytes of the header of a sub-packet, with the CRC.
pub const SUB_HEADER: usize = 16;
/// Bytes of it that stand in front of the CRC, or of the tag.
pub const FIELDS: usize = 12;

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

/// Where parity over sub-packets belongs, and all that says which they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParityHeader {
    /// Sequence number of the chunk.
    pub chunk: u32,
    /// Its number among the parity of the chunk.
    pub number: u16,
    /// Sub-packets of the chunk.
    pub count: u16,
    /// Bytes of the last one, 1 to 8192.
    pub last: u16,
}

/// What stands in front of the payload of a sub-packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sub {
    /// A piece of a chunk.
    Data(SubHeader),
    /// Parity over pieces of a chunk.
    Parity(ParityHeader),
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
    const PARITY: u16 = 1 << 13;

    /// Whether its place and length are some that a chunk of these sizes has: all sub-packets but
    /// the last are full. To be asked before anything is written to the chunk.
    #[must_use]
    #[inline]
    pub fn fits(&self, params: &Params) -> bool {
        let full = self.length == params.payload;
        self.number < params.per_chunk
            && (full || self.last && (1..params.payload).contains(&self.length))
    }

    /// What stands in front of the check.
    #[must_use]
    #[inline]
    pub fn fields(&self, session: u64) -> [u8; FIELDS] {
        let round = self.round.min(Self::MAX_ROUND);
        let mut flags = round;
        if self.last {
            flags |= Self::LAST;
        }
        if round > 0 {
            flags |= Self::AGAIN;
        }
        fields(self.chunk, [self.number, self.length, flags], session)
    }
}

impl ParityHeader {
    /// What stands in front of the check.
    #[must_use]
    pub fn fields(&self, session: u64) -> [u8; FIELDS] {
        let flags = SubHeader::PARITY | self.last.wrapping_sub(1) & (SubHeader::PARITY - 1);
        fields(self.chunk, [self.number, self.count, flags], session)
    }
}

#[inline]
fn fields(chunk: u32, [number, length, flags]: [u16; 3], session: u64) -> [u8; FIELDS] {
    // In words: bytes that are written one by one and read as a word at once have to reach the
    // cache in between.
    let word = u64::from(chunk) << 32 | u64::from(number) << 16 | u64::from(length);
    let rest = u32::from(flags) << 16 | u32::from(session as u16);
    let mut fields = [0; FIELDS];
    fields[..8].copy_from_slice(&word.to_be_bytes());
    fields[8..].copy_from_slice(&rest.to_be_bytes());
    fields
}

/// Adds a sub-packet to `bytes`: its fields with the CRC, and the payload, which is copied and
/// summed up while it is at hand.
#[inline]
pub fn write(fields: &[u8; FIELDS], secret: u32, payload: &[u8], bytes: &mut Vec<u8>) {
    let check = crc(crc(secret, fields), payload);
    bytes.extend_from_slice(fields);
    bytes.extend_from_slice(&check.to_be_bytes());
    bytes.extend_from_slice(payload);
}

impl Sub {
    /// Reads what stands in front of the check, if it may be of this session.
    #[must_use]
    #[inline]
    pub fn from_fields(session: u64, fields: &[u8; FIELDS]) -> Option<Sub> {
        let half = |at: usize| u16::from_be_bytes([fields[at], fields[at + 1]]);
        let chunk = u32::from_be_bytes([fields[0], fields[1], fields[2], fields[3]]);
        let flags = half(8);
        if half(10) != session as u16 {
            return None;
        }
        Some(if flags & SubHeader::PARITY == 0 {
            Sub::Data(SubHeader {
                chunk,
                number: half(4),
                length: half(6),
                last: flags & SubHeader::LAST != 0,
                round: flags & SubHeader::MAX_ROUND,
            })
        } else {
            Sub::Parity(ParityHeader {
                chunk,
                number: half(4),
                count: half(6),
                last: (flags & (SubHeader::PARITY - 1)) + 1,
            })
        })
    }

    /// The payload, of what stands behind the check; none if it is too short.
    #[must_use]
    #[inline]
    pub fn payload<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]> {
        match self {
            Sub::Data(sub) => rest.get(..usize::from(sub.length)),
            Sub::Parity(_) => Some(rest),
        }
    }

    /// Reads the sub-packet that `bytes` are, or at whose start it is if it is no parity, if it is
    /// whole and of this session.
    #[must_use]
    #[inline]
    pub fn parse(tag: Tag, bytes: &[u8]) -> Option<(Sub, &[u8])> {
        let (fields, rest) = bytes.split_first_chunk::<FIELDS>()?;
        let (check, rest) = rest.split_first_chunk()?;
        let sub = Self::from_fields(tag.session, fields)?;
        let payload = sub.payload(rest)?;
        let whole = u32::from_be_bytes(*check) == crc(crc(tag.secret, fields), payload);
        whole.then_some((sub, payload))
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
            write(&header.fields(TAG.session), TAG.secret, &payload, &mut bytes);
            let expected = Sub::Data(SubHeader { round: round.min(0xfff), ..header });
            prop_assert_eq!(Sub::parse(TAG, &bytes), Some((expected, &payload[..])));
            for other in [Tag { secret: 1, ..TAG }, Tag { session: 1, ..TAG }] {
                prop_assert_eq!(Sub::parse(other, &bytes), None);
            }
        }

        #[test]
        fn parity_whole_again(chunk: u32, number: u16, count: u16, last in 1u16..=8192, payload in prop::collection::vec(any::<u8>(), 64)) {
            let header = ParityHeader { chunk, number, count, last };
            let mut bytes = Vec::new();
            write(&header.fields(TAG.session), TAG.secret, &payload, &mut bytes);
            prop_assert_eq!(Sub::parse(TAG, &bytes), Some((Sub::Parity(header), &payload[..])));
            prop_assert_eq!(Sub::parse(TAG, &bytes[..79]), None);
        }

        #[test]
        fn no_flipped_bit_passes(at in 0usize..8 * (16 + 64)) {
            let payload = [0x5a; 64];
            let header = SubHeader { chunk: 3, number: 4, length: 64, last: false, round: 0 };
            let mut bytes = Vec::new();
            write(&header.fields(TAG.session), TAG.secret, &payload, &mut bytes);
            bytes[at / 8] ^= 1 << (at % 8);
            prop_assert_eq!(Sub::parse(TAG, &bytes), None);
        }

        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(Sub::parse(TAG, &bytes), None);
        }
    }
}
