// SPDX-License-Identifier: Apache-2.0
//! Layout of a frame: 24 bytes of header, then sub-packets one after the other.
//!
//! ```text
//!  byte  0        version (high 4 bits), kind (low 4)
//!        1        lane
//!        2        number of sub-packets
//!        3 ..  6  sequence number of the frame on its lane, big endian
//!        6 .. 14  session
//!       14 .. 16  length of the datagram, bytes
//!       16 .. 20  time of sending, us (wraps)
//!       20 .. 24  CRC-32C of the 20 bytes before
//! ```
//!
//! A frame without sub-packets ends with a CRC-32C of all before it, begun with a secret of the
//! session; sealed, with a tag of 16 bytes over its header and its encrypted body
//! ([`super::session`]).
//!
//! The first six bytes are what resolution E6 asks of a frame; the other eighteen are the envelope
//! of a datagram, which on raw Ethernet the MAC header (14 bytes) and the FCS (4) replace. So a
//! frame costs 24 bytes in both.

use super::crc::crc;
use thiserror::Error;

/// Bytes of the header of a frame.
pub const FRAME_HEADER: usize = 24;
/// Version of the format.
pub const VERSION: u8 = 1;

/// What a frame is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Sub-packets.
    Data,
    /// Sub-packets, or none; the receiver shall report now.
    Ask,
    /// Report of the receiver.
    Report,
    /// End of the stream: four bytes, the number of chunks (big endian). Asks for a report.
    Fin,
    /// The sender has seen the report that answers [`Kind::Fin`].
    Bye,
    /// Start of a session; not of a pipeline.
    Handshake,
}

impl Kind {
    const fn code(self) -> u8 {
        match self {
            Kind::Data => 0,
            Kind::Ask => 1,
            Kind::Report => 2,
            Kind::Fin => 3,
            Kind::Bye => 4,
            Kind::Handshake => 5,
        }
    }

    const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Kind::Data,
            1 => Kind::Ask,
            2 => Kind::Report,
            3 => Kind::Fin,
            4 => Kind::Bye,
            5 => Kind::Handshake,
            _ => return None,
        })
    }
}

/// Sequence number of a frame on its lane: 24 bits, compared as serial numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FrameSeq(u32);

impl FrameSeq {
    const MASK: u32 = 0xff_ffff;

    /// The low 24 bits.
    #[must_use]
    pub const fn new(value: u32) -> Self {
        FrameSeq(value & Self::MASK)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The one after it.
    #[must_use]
    pub const fn next(self) -> Self {
        Self::new(self.0 + 1)
    }

    /// How far this one lies behind `earlier`; negative if before it.
    #[must_use]
    pub const fn since(self, earlier: FrameSeq) -> i32 {
        ((self.0.wrapping_sub(earlier.0) << 8) as i32) >> 8
    }
}

/// Header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHeader {
    /// What it is for.
    pub kind: Kind,
    /// Lane that it was sent on.
    pub lane: u8,
    /// Sub-packets.
    pub count: u8,
    /// Number on this lane and in this direction.
    pub seq: FrameSeq,
    /// Session.
    pub session: u64,
    /// Bytes of the datagram.
    pub length: u16,
    /// When it was sent by the sender's clock, us.
    pub time: u32,
}

/// Why a datagram is not a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FrameError {
    /// Shorter than a header.
    #[error("{0} bytes: a frame has {FRAME_HEADER} or more")]
    Short(usize),
    /// Damaged, or not ours.
    #[error("header check failed")]
    Check,
    /// Of another version.
    #[error("version {0}: accepted is {VERSION}")]
    Version(u8),
    /// Unknown kind.
    #[error("kind {0}: accepted are 0 to 5")]
    Kind(u8),
    /// Cut or lengthened on its way.
    #[error("{actual} bytes of {told}")]
    Length {
        /// Bytes that arrived.
        actual: usize,
        /// Bytes that the header names.
        told: u16,
    },
}

impl FrameHeader {
    /// The same of a frame without sub-packets, with `bytes` bytes behind it.
    #[must_use]
    pub(crate) fn of_control(&self, bytes: usize) -> Self {
        FrameHeader {
            count: 0,
            length: (FRAME_HEADER + bytes) as u16,
            ..*self
        }
    }

    /// Writes it.
    #[must_use]
    pub fn encode(&self) -> [u8; FRAME_HEADER] {
        let mut bytes = [0; FRAME_HEADER];
        bytes[0] = VERSION << 4 | self.kind.code();
        bytes[1] = self.lane;
        bytes[2] = self.count;
        bytes[3..6].copy_from_slice(&self.seq.get().to_be_bytes()[1..]);
        bytes[6..14].copy_from_slice(&self.session.to_be_bytes());
        bytes[14..16].copy_from_slice(&self.length.to_be_bytes());
        bytes[16..20].copy_from_slice(&self.time.to_be_bytes());
        let check = crc(0, &bytes[..20]);
        bytes[20..].copy_from_slice(&check.to_be_bytes());
        bytes
    }

    /// Reads the header of a datagram; the rest is the second part.
    ///
    /// # Errors
    /// It is not a whole frame of this version.
    pub fn parse(datagram: &[u8]) -> Result<(FrameHeader, &[u8]), FrameError> {
        let Some((header, rest)) = datagram.split_first_chunk::<FRAME_HEADER>() else {
            return Err(FrameError::Short(datagram.len()));
        };
        let word = |at: usize| {
            u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        if word(20) != crc(0, &header[..20]) {
            return Err(FrameError::Check);
        }
        if header[0] >> 4 != VERSION {
            return Err(FrameError::Version(header[0] >> 4));
        }
        let kind = Kind::from_code(header[0] & 15).ok_or(FrameError::Kind(header[0] & 15))?;
        let told = u16::from_be_bytes([header[14], header[15]]);
        if usize::from(told) != datagram.len() {
            return Err(FrameError::Length {
                actual: datagram.len(),
                told,
            });
        }
        let header = FrameHeader {
            kind,
            lane: header[1],
            count: header[2],
            seq: FrameSeq::new(word(2)),
            session: u64::from(word(6)) << 32 | u64::from(word(10)),
            length: told,
            time: word(16),
        };
        Ok((header, rest))
    }
}

/// Bytes of the check of a frame without sub-packets.
pub const CONTROL_CHECK: usize = 4;

/// Adds a frame without sub-packets to `bytes`; count and length of its header are set.
pub fn control(secret: u32, header: &FrameHeader, body: &[u8], bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.extend_from_slice(&header.of_control(body.len() + CONTROL_CHECK).encode());
    bytes.extend_from_slice(body);
    let check = crc(secret, &bytes[start..]);
    bytes.extend_from_slice(&check.to_be_bytes());
}

/// The body of a frame without sub-packets, if it is whole and of this session.
#[must_use]
pub fn control_body(secret: u32, datagram: &[u8]) -> Option<&[u8]> {
    let (before, check) = datagram.split_last_chunk::<CONTROL_CHECK>()?;
    (u32::from_be_bytes(*check) == crc(secret, before)).then(|| before.get(FRAME_HEADER..))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn serial_numbers() {
        let at = FrameSeq::new;
        assert_eq!(at(5).since(at(3)), 2);
        assert_eq!(at(3).since(at(5)), -2);
        assert_eq!(at(1).since(at(0xff_ffff)), 2);
        assert_eq!(at(0xff_ffff).since(at(1)), -2);
        assert_eq!(at(0xff_ffff).next(), at(0));
    }

    proptest! {
        #[test]
        fn whole_again(kind in 0u8..6, lane: u8, count: u8, seq in 0u32..1 << 24, session: u64, time: u32, rest in 0usize..300) {
            let kind = Kind::from_code(kind).unwrap();
            let length = (FRAME_HEADER + rest) as u16;
            let header = FrameHeader { kind, lane, count, seq: FrameSeq::new(seq), session, length, time };
            let mut bytes = header.encode().to_vec();
            bytes.resize(FRAME_HEADER + rest, 7);
            prop_assert_eq!(FrameHeader::parse(&bytes), Ok((header, &[7u8; 300][..rest])));
            bytes.push(0);
            let longer = matches!(FrameHeader::parse(&bytes), Err(FrameError::Length { .. }));
            prop_assert!(longer);
        }

        #[test]
        fn control_whole_again(body in prop::collection::vec(any::<u8>(), 0..8), flip: usize) {
            let header = FrameHeader { kind: Kind::Fin, lane: 1, count: 0, seq: FrameSeq::new(9), session: 3, length: 0, time: 5 };
            let mut bytes = Vec::new();
            control(7, &header, &body, &mut bytes);
            let (parsed, _) = FrameHeader::parse(&bytes).unwrap();
            prop_assert_eq!(usize::from(parsed.length), bytes.len());
            prop_assert_eq!(control_body(7, &bytes), Some(&body[..]));
            prop_assert_eq!(control_body(8, &bytes), None);
            let at = flip % (8 * bytes.len());
            bytes[at / 8] ^= 1 << (at % 8);
            prop_assert_eq!(control_body(7, &bytes), None);
        }

        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            // A random header passes with a probability of 2^-32.
            prop_assert!(FrameHeader::parse(&bytes).is_err());
        }
    }
}
