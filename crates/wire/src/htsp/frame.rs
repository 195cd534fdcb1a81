// SPDX-License-Identifier: Apache-2.0
//! Layout of an HTSP frame as it lies between the Ethernet preamble and the FCS.
//!
//! ```text
//! header 64 bytes
//! header 64 bytes | payload, 1 to 1023 beats of 64 bytes | footer 6 bytes
//! ```
//!
//! | header byte | field |
//! |---|---|
//! | 0-5 | destination MAC |
//! | 6-11 | source MAC |
//! | 12-13 | EtherType |
//! | 14 | version |
//! | 15 | TID: number of the frame, modulo 256 |
//! | 16-17 | pause: bit v = send nothing on channel v |
//! | 18 | channel, 0xff in a frame of a header alone |
//! | 19 | bit 0: the payload starts a user's frame |
//! | 20 | bit 0: the op-code is valid |
//! | 21 | bit 0: the sender's receiver has a link |
//! | 22 | TUSER of the first beat, where the payload starts a user's frame |
//! | 23 | bit 0: the sender takes TUSER of the last beat |
//! | 24-29 | reserved, zero |
//! | 30-31 | checksum |
//! | 32-47 | op-code |
//! | 48-63 | user data |
//!
//! | footer byte | field |
//! |---|---|
//! | 0 | valid bytes of the last beat, 1 to 64; bit 7: bit 6 of TUSER of the last beat |
//! | 1 | bit 0: the user's frame ends, bit 1: it ends in error, bits 7-2: bits 5-0 of that TUSER |
//! | 2-3 | pause, every bit that was set since the header |
//! | 4-5 | valid bytes of the payload |
//!
//! Pause, checksum and payload size have their low byte first. MAC addresses are written here in
//! the order of the wire, the EtherType as Ethernet reads it (high byte first). The FCS is the
//! business of the Ethernet MAC.
//!
//! TUSER is what the published core does not carry: its ends send zeros there, and look at none of
//! it. The footer has it towards a peer that takes it only.
//!
//! Source: the paper, tables 2 and 3, and the published core where it differs:
//! `docs/src/htsp-wire.md`.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;
use thiserror::Error;

/// Bytes of a beat: the payload comes in whole beats.
pub const BEAT: usize = 64;
/// Bytes of a header, one beat.
pub const HEADER: usize = BEAT;
/// Bytes of a footer.
pub const FOOTER: usize = 6;
/// Channels that the format has pause bits for.
pub const MAX_CHANNELS: u8 = 16;
/// Channel of a frame that is a header alone.
pub const NULL_CHANNEL: u8 = 0xff;
/// Version that the format defines.
pub const VERSION: u8 = 1;
/// Bytes of payload that the footer can count.
pub const MAX_PAYLOAD: usize = u16::MAX as usize;

const CHECKSUM: Range<usize> = 30..32;
const OPCODE: Range<usize> = 32..48;
const USER_DATA: Range<usize> = 48..64;

/// Op-code or user data, in the order of the wire.
pub type Word = [u8; 16];

/// TUSER of a user's frame: what an AXI stream carries beside its first and its last beat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Tuser {
    /// Of the first beat.
    pub first: u8,
    /// Of the last beat, seven bits. The error mark is not among them.
    pub last: u8,
}

/// A MAC address, in the order of the wire.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// All bits set.
    pub const BROADCAST: Mac = Mac([0xff; 6]);
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl fmt::Debug for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What is wrong with the bytes of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FrameError {
    /// No whole header.
    #[error("{0} bytes: a frame has {HEADER} or more")]
    Short(usize),
    /// The header is damaged.
    #[error("header checksum {found:#06x}: the other bytes of the header give {expected:#06x}")]
    Checksum {
        /// What the header says.
        found: u16,
        /// What it should say.
        expected: u16,
    },
    /// Payload behind the header of a frame without payload.
    #[error("{0} bytes behind a header of channel 0xff: such a header stands alone")]
    NullPayload(usize),
    /// No whole beats and a footer behind the header.
    #[error("{0} bytes behind the header: accepted are 64, 128, 192, .. bytes and a footer of 6")]
    Length(usize),
    /// The footer's count of the last beat.
    #[error("{0} valid bytes in the last beat: accepted are 1 to 64")]
    LastBeat(u8),
    /// The user's frame goes on behind a beat that is not full.
    #[error(
        "{0} valid bytes in the last beat of a payload that does not end a user's frame: accepted are 64"
    )]
    Unfilled(u8),
    /// The footer's count of the payload.
    #[error("payload size {found}: the beats hold {expected} bytes")]
    Size {
        /// What the footer says.
        found: u16,
        /// What the beats and the count of the last one give.
        expected: usize,
    },
    /// A payload that no frame can carry.
    #[error("payload of {0} bytes: accepted are 1 to {MAX_PAYLOAD}")]
    Payload(usize),
}

/// The fields of a header, without its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Who is to take the frame.
    pub destination: Mac,
    /// Who sent it.
    pub source: Mac,
    /// EtherType, as Ethernet reads it.
    pub ethertype: u16,
    /// Version of the format.
    pub version: u8,
    /// Number of the frame, modulo 256. Frames of a header alone count.
    pub tid: u8,
    /// Bit v: send nothing on channel v.
    pub pause: u16,
    /// Channel of the payload; [`NULL_CHANNEL`] without payload.
    pub channel: u8,
    /// The payload starts a user's frame.
    pub start: bool,
    /// The op-code is valid.
    pub opcode_valid: bool,
    /// The sender's receiver has a link.
    pub link_ready: bool,
    /// TUSER of the first beat, with `start`.
    pub first_tuser: u8,
    /// The sender takes TUSER of the last beat.
    pub takes_tuser: bool,
    /// Zero; a receiver takes any value.
    pub reserved: [u8; 6],
    /// Op-code, sent whether valid or not.
    pub opcode: Word,
    /// User data, sent in every header.
    pub user_data: Word,
}

impl Header {
    /// The header on the wire.
    #[must_use]
    pub fn encode(&self) -> [u8; HEADER] {
        let mut beat = [0; HEADER];
        beat[..6].copy_from_slice(&self.destination.0);
        beat[6..12].copy_from_slice(&self.source.0);
        beat[12..14].copy_from_slice(&self.ethertype.to_be_bytes());
        beat[14] = self.version;
        beat[15] = self.tid;
        beat[16..18].copy_from_slice(&self.pause.to_le_bytes());
        beat[18] = self.channel;
        beat[19] = u8::from(self.start);
        beat[20] = u8::from(self.opcode_valid);
        beat[21] = u8::from(self.link_ready);
        beat[22] = self.first_tuser;
        beat[23] = u8::from(self.takes_tuser);
        beat[24..30].copy_from_slice(&self.reserved);
        beat[OPCODE].copy_from_slice(&self.opcode);
        beat[USER_DATA].copy_from_slice(&self.user_data);
        let sum = checksum(&beat);
        beat[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
        beat
    }

    /// The fields of a header, whatever its checksum says ([`Header::verify`]).
    #[must_use]
    pub fn decode(beat: &[u8; HEADER]) -> Self {
        let mac = |first: usize| Mac(core::array::from_fn(|i| beat[first + i]));
        Header {
            destination: mac(0),
            source: mac(6),
            ethertype: u16::from_be_bytes([beat[12], beat[13]]),
            version: beat[14],
            tid: beat[15],
            pause: u16::from_le_bytes([beat[16], beat[17]]),
            channel: beat[18],
            start: beat[19] & 1 != 0,
            opcode_valid: beat[20] & 1 != 0,
            link_ready: beat[21] & 1 != 0,
            first_tuser: beat[22],
            takes_tuser: beat[23] & 1 != 0,
            reserved: core::array::from_fn(|i| beat[24 + i]),
            opcode: core::array::from_fn(|i| beat[OPCODE.start + i]),
            user_data: core::array::from_fn(|i| beat[USER_DATA.start + i]),
        }
    }

    /// Whether the checksum of a header fits its other bytes.
    ///
    /// # Errors
    /// [`FrameError::Checksum`] if it does not.
    pub fn verify(beat: &[u8; HEADER]) -> Result<(), FrameError> {
        let found = u16::from_le_bytes([beat[CHECKSUM.start], beat[CHECKSUM.start + 1]]);
        let expected = checksum(beat);
        if found == expected {
            Ok(())
        } else {
            Err(FrameError::Checksum { found, expected })
        }
    }
}

/// Checksum of a header: the inverted sum of its bytes other than those of the checksum. It does
/// not see bytes that change places, nor changes that cancel out: the FCS is what protects a frame.
#[must_use]
pub fn checksum(beat: &[u8; HEADER]) -> u16 {
    let sum: u16 = beat.iter().map(|&byte| u16::from(byte)).sum();
    let own: u16 = beat[CHECKSUM].iter().map(|&byte| u16::from(byte)).sum();
    !(sum - own)
}

/// The fields of a footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footer {
    /// Valid bytes of the last beat.
    pub last_beat: u8,
    /// The user's frame ends with this payload.
    pub end: bool,
    /// The user's frame ends in error, with `end` or without.
    pub error: bool,
    /// TUSER of the last beat, seven bits.
    pub tuser: u8,
    /// Bit v: channel v was to pause at some time since the header.
    pub pause: u16,
    /// Valid bytes of the payload, modulo 65536.
    pub size: u16,
}

impl Footer {
    /// The footer on the wire.
    #[must_use]
    pub fn encode(&self) -> [u8; FOOTER] {
        let [pause_low, pause_high] = self.pause.to_le_bytes();
        let [size_low, size_high] = self.size.to_le_bytes();
        let flags = u8::from(self.end) | u8::from(self.error) << 1 | self.tuser << 2;
        [
            self.last_beat | self.tuser >> 6 << 7,
            flags,
            pause_low,
            pause_high,
            size_low,
            size_high,
        ]
    }

    /// The fields of a footer, sensible or not.
    #[must_use]
    pub fn decode(bytes: &[u8; FOOTER]) -> Self {
        Footer {
            last_beat: bytes[0] & 0x7f,
            end: bytes[1] & 1 != 0,
            error: bytes[1] & 2 != 0,
            tuser: bytes[1] >> 2 | bytes[0] >> 7 << 6,
            pause: u16::from_le_bytes([bytes[2], bytes[3]]),
            size: u16::from_le_bytes([bytes[4], bytes[5]]),
        }
    }

    /// The valid bytes among those of the beats in front of the footer.
    fn payload<'a>(&self, beats: &'a [u8]) -> Result<&'a [u8], FrameError> {
        let last = usize::from(self.last_beat);
        if !(1..=BEAT).contains(&last) {
            return Err(FrameError::LastBeat(self.last_beat));
        }
        if last < BEAT && !self.end && !self.error {
            return Err(FrameError::Unfilled(self.last_beat));
        }
        let expected = (beats.len() + last).saturating_sub(BEAT);
        if usize::from(self.size) != expected {
            return Err(FrameError::Size {
                found: self.size,
                expected,
            });
        }
        beats.get(..expected).ok_or(FrameError::Length(beats.len()))
    }
}

/// A frame with nothing wrong in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its header.
    pub header: Header,
    /// Valid bytes and footer, unless the header stands alone.
    pub payload: Option<(&'a [u8], Footer)>,
}

impl<'a> Frame<'a> {
    /// Takes a frame apart. Addresses, EtherType, version and range of the channel are the
    /// receiver's business.
    ///
    /// # Errors
    /// What is wrong with the bytes; nothing in them can be relied on then.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, FrameError> {
        let (beat, body) = bytes
            .split_first_chunk()
            .ok_or(FrameError::Short(bytes.len()))?;
        Header::verify(beat)?;
        let header = Header::decode(beat);
        if body.is_empty() {
            return Ok(Frame {
                header,
                payload: None,
            });
        }
        if header.channel == NULL_CHANNEL {
            return Err(FrameError::NullPayload(body.len()));
        }
        let (beats, footer) = body
            .split_last_chunk()
            .filter(|(beats, _)| !beats.is_empty() && beats.len().is_multiple_of(BEAT))
            .ok_or(FrameError::Length(body.len()))?;
        let footer = Footer::decode(footer);
        let payload = footer.payload(beats)?;
        Ok(Frame {
            header,
            payload: Some((payload, footer)),
        })
    }
}

/// A frame with payload; the counts of its footer follow from the payload.
///
/// # Errors
/// [`FrameError::Payload`] unless there are 1 to [`MAX_PAYLOAD`] bytes, [`FrameError::Unfilled`]
/// unless they are whole beats or the user's frame ends.
pub fn encode(
    header: &Header,
    payload: &[u8],
    end: bool,
    error: bool,
    pause: u16,
) -> Result<Vec<u8>, FrameError> {
    let mut bytes = Vec::with_capacity(HEADER + payload.len().next_multiple_of(BEAT) + FOOTER);
    bytes.extend([0; HEADER]);
    bytes.extend(payload);
    complete(header, end, error, pause, &mut bytes)?;
    Ok(bytes)
}

/// Makes a frame of a payload that stands in `bytes` already, behind room for the header.
///
/// # Errors
/// As [`encode`]; `bytes` is unchanged then.
pub fn complete(
    header: &Header,
    end: bool,
    error: bool,
    pause: u16,
    bytes: &mut Vec<u8>,
) -> Result<(), FrameError> {
    let payload = bytes.len().saturating_sub(HEADER);
    let size = u16::try_from(payload)
        .ok()
        .filter(|&size| size > 0)
        .ok_or(FrameError::Payload(payload))?;
    let beats = payload.next_multiple_of(BEAT);
    let last_beat = (payload + BEAT - beats) as u8;
    if beats > payload && !end && !error {
        return Err(FrameError::Unfilled(last_beat));
    }
    let footer = Footer {
        last_beat,
        end,
        error,
        tuser: 0,
        pause,
        size,
    };
    bytes[..HEADER].copy_from_slice(&header.encode());
    bytes.resize(HEADER + beats, 0);
    bytes.extend(footer.encode());
    Ok(())
}

/// Puts TUSER of the last beat into the footer of a whole frame.
pub fn set_tuser(frame: &mut [u8], last: u8) {
    if let Some(bytes) = frame.last_chunk_mut::<FOOTER>() {
        *bytes = Footer {
            tuser: last & 0x7f,
            ..Footer::decode(bytes)
        }
        .encode();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn header() -> Header {
        Header {
            destination: Mac::BROADCAST,
            source: Mac([0x00, 0x44, 0x56, 0x03, 0x02, 0x01]),
            ethertype: 0x0111,
            version: VERSION,
            tid: 0,
            pause: 0,
            channel: NULL_CHANNEL,
            start: false,
            opcode_valid: false,
            link_ready: true,
            first_tuser: 0,
            takes_tuser: false,
            reserved: [0; 6],
            opcode: [0; 16],
            user_data: [0; 16],
        }
    }

    /// Our own layout, byte by byte, on values that differ in every place.
    #[test]
    fn every_field_has_its_place() {
        let full = Header {
            destination: Mac([1, 2, 3, 4, 5, 6]),
            source: Mac([7, 8, 9, 10, 11, 12]),
            ethertype: 0x88b5,
            version: 13,
            tid: 14,
            pause: 0x100f,
            channel: 15,
            start: true,
            opcode_valid: true,
            link_ready: true,
            first_tuser: 20,
            takes_tuser: true,
            reserved: [22, 23, 24, 25, 26, 27],
            opcode: core::array::from_fn(|i| 0x40 + i as u8),
            user_data: core::array::from_fn(|i| 0x80 + i as u8),
        };
        let beat = full.encode();
        let start = [
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x88, 0xb5, 13, 14, 0x0f, 0x10, 15, 1, 1, 1, 20,
            1, 22,
        ];
        assert_eq!(beat[..25], start);
        assert_eq!((beat[29], beat[32], beat[47]), (27, 0x40, 0x4f));
        assert_eq!((beat[48], beat[63]), (0x80, 0x8f));
        assert_eq!(Header::decode(&beat), full);
        let footer = Footer {
            last_beat: 64,
            end: true,
            error: true,
            tuser: 0x55,
            pause: 0x8001,
            size: 0x1234,
        };
        assert_eq!(footer.encode(), [0xc0, 0x57, 0x01, 0x80, 0x34, 0x12]);
        assert_eq!(Footer::decode(&footer.encode()), footer);
    }

    #[test]
    fn checksums_of_the_page() {
        assert_eq!(header().encode()[30..32], [0x52, 0xf8]);
        let unready = Header {
            link_ready: false,
            ..header()
        };
        assert_eq!(unready.encode()[30..32], [0x53, 0xf8]);
    }

    #[test]
    fn lengths() {
        let data = Header {
            channel: 3,
            start: true,
            ..header()
        };
        for (size, length) in [
            (1, 134),
            (64, 134),
            (65, 198),
            (1024, 1094),
            (8192, 8262),
            (65_535, 65_606),
        ] {
            let bytes = encode(&data, &vec![7; size], true, false, 5).unwrap();
            assert_eq!(bytes.len(), length);
            let frame = Frame::decode(&bytes).unwrap();
            let (payload, footer) = frame.payload.unwrap();
            assert_eq!(payload, vec![7; size]);
            assert!(footer.end && !footer.error && footer.pause == 5);
        }
        for size in [0, 65_536] {
            let refused = encode(&data, &vec![0; size], true, false, 0);
            assert_eq!(refused, Err(FrameError::Payload(size)));
        }
        assert_eq!(
            FrameError::Payload(0).to_string(),
            "payload of 0 bytes: accepted are 1 to 65535"
        );
    }

    #[test]
    fn refusals() {
        let data = Header {
            channel: 3,
            ..header()
        };
        let good = encode(&data, &[9; 100], true, false, 0).unwrap();
        let changed = |place: usize, value: u8| {
            let mut bytes = good.clone();
            bytes[place] = value;
            Frame::decode(&bytes).unwrap_err()
        };
        assert!(matches!(changed(0, 0), FrameError::Checksum { .. }));
        assert!(matches!(changed(25, 1), FrameError::Checksum { .. }));
        let footer = good.len() - FOOTER;
        assert_eq!(changed(footer, 0), FrameError::LastBeat(0));
        assert_eq!(changed(footer, 65), FrameError::LastBeat(65));
        assert_eq!(changed(footer + 1, 0), FrameError::Unfilled(36));
        let refused = encode(&data, &[9; 100], false, false, 0);
        assert_eq!(refused, Err(FrameError::Unfilled(36)));
        let (found, expected) = (100, 101);
        assert_eq!(changed(footer, 37), FrameError::Size { found, expected });
        let (found, expected) = (99, 100);
        assert_eq!(
            changed(footer + 4, 99),
            FrameError::Size { found, expected }
        );
        assert_eq!(Frame::decode(&good[..63]), Err(FrameError::Short(63)));
        for (end, behind) in [(192, 128), (197, 133), (70, 6), (65, 1)] {
            assert_eq!(Frame::decode(&good[..end]), Err(FrameError::Length(behind)));
        }
        let null = encode(&header(), &[1], true, false, 0).unwrap();
        assert_eq!(Frame::decode(&null), Err(FrameError::NullPayload(70)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Arbitrary bytes never panic; a header that fits is told as it is.
        #[test]
        fn any_bytes_are_survived(mut bytes in prop::collection::vec(any::<u8>(), 0..400), seal: bool) {
            if seal && bytes.len() >= HEADER {
                let mut beat: [u8; HEADER] = core::array::from_fn(|i| bytes[i]);
                let sum = checksum(&beat).to_le_bytes();
                beat[CHECKSUM].copy_from_slice(&sum);
                bytes[..HEADER].copy_from_slice(&beat);
            }
            if let Ok(frame) = Frame::decode(&bytes) {
                prop_assert!(frame.payload.is_none() == (bytes.len() == HEADER));
            }
        }

        /// What is encoded is decoded.
        #[test]
        fn there_and_back(
            payload in prop::collection::vec(any::<u8>(), 1..300),
            end: bool, error: bool, pause: u16, tid: u8, channel in 0..MAX_CHANNELS,
        ) {
            let header = Header { tid, channel, start: end, pause: !pause, ..header() };
            let end = end || !error && !payload.len().is_multiple_of(BEAT);
            let bytes = encode(&header, &payload, end, error, pause).unwrap();
            let frame = Frame::decode(&bytes).unwrap();
            prop_assert_eq!(frame.header, header);
            let (got, footer) = frame.payload.unwrap();
            prop_assert_eq!(got, &payload[..]);
            prop_assert_eq!((footer.end, footer.error, footer.pause), (end, error, pause));
            prop_assert_eq!(usize::from(footer.size), payload.len());
        }
    }
}
