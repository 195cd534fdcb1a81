// SPDX-License-Identifier: Apache-2.0
//! Layout of a frame (paper, section 3, with the codes of the published core).
//!
//! | bits | field |
//! |---|---|
//! | F-1 .. F-2 | sync: 01 data frame, 10 control frame; never scrambled |
//! | F-3 .. F-4 | meta code: 00 no user data, 01 full, 10 end and partial, 11 end and full |
//! | F-5 .. 12 | payload, first user byte at the top |
//! | 19 .. 12 | last payload byte: number of valid bytes of a partial frame |
//! | 11 .. 0 | code, see [`crate::rifl::code`]; never scrambled |
//!
//! In a control frame a 16-bit key follows the sync bits, the rest down to bit 12 is zero. (Table 1
//! of the paper exchanges the meta codes 10 and 11.)
//!
//! With the stronger code ([`FrameWidth::with_strong_code`]) bits 27 .. 12 are a second code in
//! every frame, not scrambled either, and the payload ends at bit 28.

use super::params::{FrameWidth, MAX_WORDS, WORD_BITS};
use core::fmt;

/// Bits of the code.
pub const CODE_BITS: u32 = 12;
/// The code in the last word.
pub const CODE_MASK: u64 = (1 << CODE_BITS) - 1;
/// Bits of the stronger code, above the code.
pub const STRONG_BITS: u32 = 16;
/// Room for the bytes of the longest segment, a whole number of words.
pub const MAX_SEGMENT: usize = MAX_WORDS * WORD_BITS / 8;

const SYNC_SHIFT: u32 = 62;
const META_SHIFT: u32 = 60;
const KEY_SHIFT: u32 = 46;
/// Reserved bits of a control frame that lie in its second word; the other 46 end the first one.
const RESERVED_BELOW: u32 = 50;
/// The payload starts this many bits below the top of the frame.
const PAYLOAD_SKIP: u32 = 4;
const SYNC_DATA: u64 = 1;
const SYNC_CONTROL: u64 = 2;
const FLOW_STOP: u8 = 1;
const FLOW_RESUME: u8 = 2;

/// Bits of one frame, scrambled or not. Word 0 is the first on the line and holds the top bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Words behind `len` are zero.
    words: [u64; MAX_WORDS],
    /// Words in use, 2 to `MAX_WORDS`.
    len: u8,
    /// It has the stronger code.
    strong: bool,
}

/// The three kinds of control frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Control {
    /// Fills the line; asks for nothing.
    Idle,
    /// "My receiver is not up: send nothing but Idle."
    PauseRequest,
    /// "My receiver has met an error: send your buffer again."
    RetransmitRequest,
}

impl Control {
    /// The 16-bit key behind the sync bits.
    #[must_use]
    pub const fn key(self) -> u16 {
        match self {
            Control::Idle => 0x0001,
            Control::PauseRequest => 0x0010,
            Control::RetransmitRequest => 0x1000,
        }
    }

    /// The control frame that a key stands for.
    #[must_use]
    pub const fn from_key(key: u16) -> Option<Self> {
        match key {
            0x0001 => Some(Control::Idle),
            0x0010 => Some(Control::PauseRequest),
            0x1000 => Some(Control::RetransmitRequest),
            _ => None,
        }
    }
}

/// What an unscrambled frame says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Data frame without user data: keeps the ids moving.
    Invalid,
    /// Data frame: the receiver's buffer fills up, send no user data.
    FlowStop,
    /// Data frame: send user data again.
    FlowResume,
    /// Data frame without user data and with an undefined last byte; receivers ignore it.
    Reserved(u8),
    /// Data frame with `bytes` user bytes, the last of a packet if `end`.
    User {
        /// Valid bytes, from the top of the payload.
        bytes: u8,
        /// Last of its packet.
        end: bool,
    },
    /// Control frame with a known key.
    Control(Control),
    /// Control frame with an undefined key.
    UnknownControl(u16),
    /// Sync bits 00 or 11.
    IllegalSync,
}

/// Up to P/8 bytes of one packet: what one data frame carries.
///
/// Bytes behind the valid ones are zero, so that equal segments compare equal and nothing leaks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Segment {
    bytes: [u8; MAX_SEGMENT],
    len: u8,
    end: bool,
}

impl Segment {
    /// A segment of a lane of this frame width.
    ///
    /// `None` when the bytes do not fit the payload, or when they do not fill it and `end` is false
    /// (the format cannot express that). No bytes at all are possible with `end`: a null tail.
    #[must_use]
    pub fn new(width: FrameWidth, data: &[u8], end: bool) -> Option<Self> {
        let full = width.payload_bytes().min(MAX_SEGMENT);
        if data.len() > full || (data.len() < full && !end) {
            return None;
        }
        let mut bytes = [0; MAX_SEGMENT];
        bytes[..data.len()].copy_from_slice(data);
        Some(Segment {
            bytes,
            len: data.len() as u8,
            end,
        })
    }

    /// The valid bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Whether it is the last of its packet.
    #[must_use]
    pub const fn end(&self) -> bool {
        self.end
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Segment[{} bytes{}: ",
            self.len,
            if self.end { ", end" } else { "" }
        )?;
        for byte in self.bytes() {
            write!(f, "{byte:02x}")?;
        }
        write!(f, "]")
    }
}

impl Frame {
    /// All bits zero.
    #[inline]
    fn zero(width: FrameWidth) -> Self {
        Frame {
            words: [0; MAX_WORDS],
            len: width.words() as u8,
            strong: width.strong_code(),
        }
    }

    /// A frame of a width from its words, first word first. `None` for another number of words.
    #[must_use]
    pub fn of(width: FrameWidth, words: &[u64]) -> Option<Self> {
        let frame = Frame::from_words(words).filter(|_| words.len() == width.words())?;
        Some(Frame {
            strong: width.strong_code(),
            ..frame
        })
    }

    /// A frame without the stronger code from its words, first word first. `None` unless their
    /// number is even, 2 to [`MAX_WORDS`].
    #[must_use]
    pub fn from_words(words: &[u64]) -> Option<Self> {
        if words.is_empty() || words.len() > MAX_WORDS || !words.len().is_multiple_of(2) {
            return None;
        }
        let mut frame = Frame {
            words: [0; MAX_WORDS],
            len: words.len() as u8,
            strong: false,
        };
        frame.words[..words.len()].copy_from_slice(words);
        Some(frame)
    }

    /// A data frame without user data; sync bits set, code zero.
    #[must_use]
    pub fn invalid(width: FrameWidth) -> Self {
        let mut frame = Frame::zero(width);
        frame.words[0] = SYNC_DATA << SYNC_SHIFT;
        frame
    }

    /// A flow-control frame: `stop` or resume.
    #[must_use]
    pub fn flow(width: FrameWidth, stop: bool) -> Self {
        let mut frame = Frame::invalid(width);
        frame.set_last_byte(if stop { FLOW_STOP } else { FLOW_RESUME });
        frame
    }

    /// A control frame.
    #[must_use]
    pub fn control(width: FrameWidth, control: Control) -> Self {
        let mut frame = Frame::zero(width);
        frame.words[0] = SYNC_CONTROL << SYNC_SHIFT | u64::from(control.key()) << KEY_SHIFT;
        frame
    }

    /// A data frame that carries a segment. Unused payload bytes are zero.
    #[must_use]
    #[inline]
    pub fn user(width: FrameWidth, segment: &Segment) -> Self {
        let mut frame = Frame::zero(width);
        let len = usize::from(frame.len);
        let mut carry = 0;
        for (word, bytes) in frame.words[..len]
            .iter_mut()
            .zip(segment.bytes.chunks_exact(8))
        {
            let bytes = bytes
                .first_chunk()
                .map_or(0, |bytes| u64::from_be_bytes(*bytes));
            *word = carry << (64 - PAYLOAD_SKIP) | bytes >> PAYLOAD_SKIP;
            carry = bytes;
        }
        // Segments of a wider lane than this one lose what does not fit.
        frame.words[len - 1] &= !frame.code_mask();
        let full = usize::from(segment.len) >= width.payload_bytes();
        let meta = u64::from(segment.end) << 1 | u64::from(full);
        frame.words[0] |= SYNC_DATA << SYNC_SHIFT | meta << META_SHIFT;
        if !full {
            frame.set_last_byte(segment.len);
        }
        frame
    }

    fn set_last_byte(&mut self, byte: u8) {
        let shift = self.code_bits();
        let last = &mut self.words[usize::from(self.len) - 1];
        *last = (*last & !(0xff << shift)) | u64::from(byte) << shift;
    }

    /// Bits at the end of the frame that are not scrambled.
    #[inline]
    const fn code_bits(&self) -> u32 {
        if self.strong {
            CODE_BITS + STRONG_BITS
        } else {
            CODE_BITS
        }
    }

    /// The same bits of the last word.
    #[inline]
    pub(crate) const fn code_mask(&self) -> u64 {
        (1 << self.code_bits()) - 1
    }

    /// The words, first on the line first.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words[..usize::from(self.len)]
    }

    /// The words, to be damaged by a channel.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words[..usize::from(self.len)]
    }

    #[inline]
    pub(crate) fn split_mut(&mut self) -> (&mut u64, &mut [u64]) {
        let len = usize::from(self.len);
        let (first, rest) = self.words.split_at_mut(1);
        (&mut first[0], &mut rest[..len - 1])
    }

    #[inline]
    pub(crate) fn last_word(&self) -> u64 {
        self.words[usize::from(self.len) - 1]
    }

    /// The sync bits: 1 data, 2 control, 0 and 3 illegal.
    #[inline]
    #[must_use]
    pub fn sync(&self) -> u8 {
        (self.words[0] >> SYNC_SHIFT) as u8
    }

    /// Whether the sync bits are 01.
    #[inline]
    #[must_use]
    pub fn is_data(&self) -> bool {
        u64::from(self.sync()) == SYNC_DATA
    }

    /// Whether the sync bits are 10.
    #[inline]
    #[must_use]
    pub fn is_control(&self) -> bool {
        u64::from(self.sync()) == SYNC_CONTROL
    }

    /// Meta code of an unscrambled data frame.
    #[inline]
    #[must_use]
    pub fn meta(&self) -> u8 {
        (self.words[0] >> META_SHIFT) as u8 & 3
    }

    /// Key of an unscrambled control frame.
    #[inline]
    #[must_use]
    pub fn key(&self) -> u16 {
        key_of(self.words[0])
    }

    /// Last payload byte of an unscrambled data frame.
    #[inline]
    #[must_use]
    pub fn last_byte(&self) -> u8 {
        (self.last_word() >> self.code_bits()) as u8
    }

    /// The 96 bits below the key of an unscrambled control frame, where the extended mode has its
    /// [announcement](crate::rifl::ext::announcement).
    #[inline]
    #[must_use]
    pub fn reserved(&self) -> u128 {
        let top = u128::from(self.words[0] & ((1 << KEY_SHIFT) - 1));
        top << RESERVED_BELOW | u128::from(self.words[1] >> (64 - RESERVED_BELOW))
    }

    /// Sets the 96 bits below the key (upper bits of `bits` are ignored).
    #[inline]
    pub fn set_reserved(&mut self, bits: u128) {
        let top = (bits >> RESERVED_BELOW) as u64 & ((1 << KEY_SHIFT) - 1);
        self.words[0] = self.words[0] & !((1 << KEY_SHIFT) - 1) | top;
        let low = (bits as u64) << (64 - RESERVED_BELOW);
        self.words[1] = self.words[1] & ((1 << (64 - RESERVED_BELOW)) - 1) | low;
    }

    /// The code field.
    #[inline]
    #[must_use]
    pub fn code(&self) -> u16 {
        (self.last_word() & CODE_MASK) as u16
    }

    /// Sets the code field (upper four bits of `code` are ignored).
    #[inline]
    pub fn set_code(&mut self, code: u16) {
        let last = &mut self.words[usize::from(self.len) - 1];
        *last = (*last & !CODE_MASK) | (u64::from(code) & CODE_MASK);
    }

    /// Whether the frame has the stronger code.
    #[must_use]
    pub const fn strong_code(&self) -> bool {
        self.strong
    }

    /// The field of the stronger code.
    #[inline]
    pub(crate) fn strong(&self) -> u16 {
        (self.last_word() >> CODE_BITS) as u16
    }

    /// Sets the field of the stronger code.
    #[inline]
    pub(crate) fn set_strong(&mut self, code: u16) {
        let mask = u64::from(u16::MAX) << CODE_BITS;
        let last = &mut self.words[usize::from(self.len) - 1];
        *last = (*last & !mask) | u64::from(code) << CODE_BITS;
    }

    /// Payload bytes of this frame's width.
    fn payload_bytes(&self) -> usize {
        usize::from(self.len) * 8 - if self.strong { 4 } else { 2 }
    }

    /// What an unscrambled frame says. Never fails: each bit pattern has a kind.
    ///
    /// A count above the payload, which no sender makes, reads as "all bytes", as in the published
    /// core. (Only the last byte and the meta code of frames without user data are looked at.)
    #[must_use]
    pub fn kind(&self) -> Kind {
        if self.is_control() {
            return match Control::from_key(self.key()) {
                Some(control) => Kind::Control(control),
                None => Kind::UnknownControl(self.key()),
            };
        }
        if !self.is_data() {
            return Kind::IllegalSync;
        }
        let full = self.payload_bytes() as u8;
        match (self.meta(), self.last_byte()) {
            (0, 0) => Kind::Invalid,
            (0, FLOW_STOP) => Kind::FlowStop,
            (0, FLOW_RESUME) => Kind::FlowResume,
            (0, byte) => Kind::Reserved(byte),
            (2, count) => Kind::User {
                bytes: count.min(full),
                end: true,
            },
            (meta, _) => Kind::User {
                bytes: full,
                end: meta & 2 != 0,
            },
        }
    }

    /// The segment of an unscrambled data frame, `None` if it carries no user data.
    #[must_use]
    #[inline]
    pub fn segment(&self) -> Option<Segment> {
        let Kind::User { bytes: len, end } = self.kind() else {
            return None;
        };
        let mut bytes = [0; MAX_SEGMENT];
        let words = usize::from(self.len);
        for (i, out) in bytes.chunks_exact_mut(8).enumerate().take(words) {
            let below = self.words.get(i + 1).copied().unwrap_or(0);
            let word = self.words[i] << PAYLOAD_SKIP | below >> (64 - PAYLOAD_SKIP);
            out.copy_from_slice(&word.to_be_bytes());
        }
        // Padding may hold anything (the published core sends stale user bytes).
        bytes[usize::from(len)..].fill(0);
        Some(Segment { bytes, len, end })
    }

    /// The same unscrambled frame with padding and code cleared: what two correct senders agree on.
    #[must_use]
    pub fn masked(&self, width: FrameWidth) -> Self {
        match (self.kind(), self.segment()) {
            (_, Some(segment)) => Frame::user(width, &segment),
            (Kind::Invalid, _) => Frame::invalid(width),
            (Kind::FlowStop, _) => Frame::flow(width, true),
            (Kind::FlowResume, _) => Frame::flow(width, false),
            (Kind::Control(control), _) => Frame::control(width, control),
            _ => *self,
        }
    }
}

/// Key bits of the first word of an unscrambled control frame.
#[inline]
pub(crate) fn key_of(first: u64) -> u16 {
    (first >> KEY_SHIFT) as u16
}

/// Hexadecimal, top bit first, without separators: the form of the vector files.
impl fmt::LowerHex for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.words()
            .iter()
            .try_for_each(|word| write!(f, "{word:016x}"))
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({self:x})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn widths() -> impl Strategy<Value = FrameWidth> {
        let plain = [128u32, 256, 384, 512, 1024, 2048].map(|bits| FrameWidth::new(bits).unwrap());
        let strong = [4, 5].map(|i: usize| plain[i].with_strong_code().unwrap());
        prop::sample::select([&plain[..], &strong].concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn segments_round_trip(width in widths(), data in prop::collection::vec(any::<u8>(), 0..=254), end: bool) {
            let full = width.payload_bytes();
            let fits = data.len() == full || (data.len() < full && end);
            match Segment::new(width, &data, end) {
                None => prop_assert!(!fits),
                Some(segment) => {
                    prop_assert!(fits);
                    prop_assert_eq!(segment.bytes(), &data[..]);
                    let frame = Frame::user(width, &segment);
                    prop_assert_eq!(frame.code(), 0);
                    prop_assert_eq!(frame.segment(), Some(segment));
                    prop_assert_eq!(frame.kind(), Kind::User { bytes: data.len() as u8, end });
                    prop_assert_eq!(frame.masked(width), frame);
                }
            }
        }

        #[test]
        fn any_bits_decode(words in prop::collection::vec(any::<u64>(), 0..=34)) {
            let Some(frame) = Frame::from_words(&words) else {
                prop_assert!(words.is_empty() || words.len() > 32 || words.len() % 2 == 1);
                return Ok(());
            };
            let width = FrameWidth::new(words.len() as u32 * 64).unwrap();
            let kind = frame.kind();
            prop_assert_eq!(frame.segment().is_some(), matches!(kind, Kind::User { .. }));
            if let Some(segment) = frame.segment() {
                prop_assert!(segment.bytes().len() <= width.payload_bytes());
                prop_assert_eq!(frame.masked(width).segment(), Some(segment));
            }
            prop_assert_eq!(kind == Kind::IllegalSync, matches!(words[0] >> 62, 0 | 3));
        }
    }

    #[test]
    fn fields_stand_where_the_format_says() {
        let width = FrameWidth::W256;
        let data: Vec<u8> = (1..=30).collect();
        let full = Frame::user(width, &Segment::new(width, &data, false).unwrap());
        assert_eq!(
            format!("{full:x}"),
            "50102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e000"
        );
        let end = Frame::user(width, &Segment::new(width, &data, true).unwrap());
        assert_eq!(end.meta(), 3);
        let part = Frame::user(width, &Segment::new(width, &data[..3], true).unwrap());
        assert_eq!(part.words(), [0x6010_2030_0000_0000, 0, 0, 0x3000]);
        let tail = Frame::user(width, &Segment::new(width, &[], true).unwrap());
        assert_eq!(tail.words(), [0x6000_0000_0000_0000, 0, 0, 0]);
        assert_eq!(
            tail.kind(),
            Kind::User {
                bytes: 0,
                end: true
            }
        );
        let idle = Frame::control(width, Control::Idle);
        assert_eq!(idle.words(), [0x8000_4000_0000_0000, 0, 0, 0]);
        assert_eq!(
            Frame::control(width, Control::PauseRequest).words()[0],
            0x8004 << 48
        );
        assert_eq!(
            Frame::control(width, Control::RetransmitRequest).words()[0],
            0x8400 << 48
        );
        assert_eq!(Frame::flow(width, true).words(), [1 << 62, 0, 0, 0x1000]);
        assert_eq!(Frame::flow(width, false).words(), [1 << 62, 0, 0, 0x2000]);
        assert_eq!(Frame::flow(width, false).kind(), Kind::FlowResume);
        // A count beyond the payload reads as all bytes, a reserved byte as nothing.
        let mut odd = part;
        odd.set_last_byte(200);
        assert_eq!(
            odd.kind(),
            Kind::User {
                bytes: 30,
                end: true
            }
        );
        odd.words[0] = 1 << 62;
        assert_eq!(odd.kind(), Kind::Reserved(200));
        assert_eq!(odd.segment(), None);
    }

    #[test]
    fn keys() {
        for control in [
            Control::Idle,
            Control::PauseRequest,
            Control::RetransmitRequest,
        ] {
            assert_eq!(Control::from_key(control.key()), Some(control));
        }
        assert_eq!(
            (0..=u16::MAX)
                .filter(|&key| Control::from_key(key).is_some())
                .count(),
            3
        );
    }
}
