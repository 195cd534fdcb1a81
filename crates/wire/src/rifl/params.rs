// SPDX-License-Identifier: Apache-2.0
//! Parameters of a lane and everything that follows from them: payload, buffer sizes, thresholds
//! and the longest round trip that the retransmission buffer can cover.
//!
//! Both ends must use the same frame width and id width; nothing on the wire tells a mismatch.

use core::fmt;
use thiserror::Error;

/// Bits of one word of the raw lane (the PHY contract).
pub const WORD_BITS: usize = 64;
/// Words of the widest frame that [`crate::rifl::Frame`] can hold.
pub const MAX_WORDS: usize = 32;
/// Data frames before the awaited one that must verify after an error (paper, Listing 1).
pub const ROLLBACK: u16 = 16;
/// Frames that the retransmission buffer holds beyond a round trip: [`ROLLBACK`] of history, and as
/// many until [`REQUEST_RUN`] requests that alternate with data have been seen.
pub const SPARE_FRAMES: f64 = 32.0;
/// Equal requests in a row that raise a request flag (paper, section 4.B).
pub const REQUEST_RUN: u8 = 8;
/// Data or Idle frames in a row after which a data frame clears both request flags.
pub const REGULAR_RUN: u8 = 16;

/// A parameter outside its range.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ParamError {
    /// Frame width that the format does not define.
    #[error("frame width {0}: accepted are multiples of 128 from 128 to 2048 bits")]
    FrameWidth(u32),
    /// Frame width for which there is no stronger code.
    #[error("frame width {0} with the stronger code: accepted are 1024 and 2048 bits")]
    StrongCode(u16),
    /// Id width out of range.
    #[error("id width {0}: accepted are 6 to 12 bits")]
    IdWidth(u32),
    /// Cable length that is not a number of metres.
    #[error("cable length {0} m: accepted is a finite length of 0 m or more")]
    CableLength(f64),
    /// Line rate that is not a positive number.
    #[error("line rate {0} Gb/s: accepted is a finite rate above 0 Gb/s")]
    LineRate(f64),
    /// Delay that is not a number of nanoseconds.
    #[error("delay {0} ns: accepted is a finite delay of 0 ns or more")]
    Delay(f64),
    /// Cable too long for the widest id.
    #[error(
        "cable length {metres} m at {gbps} Gb/s with {frame}-bit frames needs an id of {needed} bits: at most 12 bits are possible ({limit:.0} m)"
    )]
    CableTooLong {
        /// Asked length, metres.
        metres: f64,
        /// Line rate, Gb/s.
        gbps: f64,
        /// Frame width, bits.
        frame: u16,
        /// Bits that the length would need.
        needed: u32,
        /// Longest cable that 12 bits cover, metres.
        limit: f64,
    },
    /// Number of aligned frames before "up".
    #[error("up frames {0}: accepted are 1 frame or more")]
    UpFrames(u32),
}

/// Width of a frame in bits, a multiple of 128 from 128 to 2048, and how much of it the
/// verification code takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameWidth {
    bits: u16,
    strong: bool,
}

impl FrameWidth {
    /// 256 bits: 30 bytes of payload, efficiency 0.9375.
    pub const W256: FrameWidth = FrameWidth::plain(256);
    /// 512 bits: 62 bytes of payload, efficiency 0.96875.
    pub const W512: FrameWidth = FrameWidth::plain(512);

    const fn plain(bits: u16) -> Self {
        FrameWidth {
            bits,
            strong: false,
        }
    }

    /// A width in bits.
    ///
    /// # Errors
    /// [`ParamError::FrameWidth`] unless `bits` is a multiple of 128 from 128 to 2048.
    pub fn new(bits: u32) -> Result<Self, ParamError> {
        match u16::try_from(bits) {
            Ok(width @ 128..=2048) if width % 128 == 0 => Ok(FrameWidth::plain(width)),
            _ => Err(ParamError::FrameWidth(bits)),
        }
    }

    /// The same width with the [stronger code](crate::rifl::code#the-stronger-code).
    ///
    /// # Errors
    /// [`ParamError::StrongCode`] unless the width is 1024 or 2048.
    pub const fn with_strong_code(self) -> Result<Self, ParamError> {
        match self.bits {
            1024 | 2048 => Ok(FrameWidth {
                strong: true,
                ..self
            }),
            bits => Err(ParamError::StrongCode(bits)),
        }
    }

    /// Whether frames have the stronger code.
    #[must_use]
    pub const fn strong_code(self) -> bool {
        self.strong
    }

    /// Bits of a frame, F.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.bits
    }

    /// 64-bit words of a frame.
    #[must_use]
    pub const fn words(self) -> usize {
        self.bits as usize / WORD_BITS
    }

    /// Bits of payload, P = F - 16, and 16 fewer with the stronger code.
    #[must_use]
    pub const fn payload_bits(self) -> u16 {
        self.bits - if self.strong { 32 } else { 16 }
    }

    /// Bytes of payload, the length of a full segment.
    #[must_use]
    pub const fn payload_bytes(self) -> usize {
        self.payload_bits() as usize / 8
    }

    /// Bytes of a user beat, F/8.
    #[must_use]
    pub const fn user_bytes(self) -> usize {
        self.bits as usize / 8
    }

    /// Payload bits per line bit, the upper bound of the efficiency (paper, Table 3).
    #[must_use]
    pub fn efficiency(self) -> f64 {
        f64::from(self.payload_bits()) / f64::from(self.bits)
    }
}

impl fmt::Display for FrameWidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bits.fmt(f)
    }
}

/// Width of a frame id in bits, 6 to 12. K = 2^width is the number of frames that can be sent
/// again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdWidth(u8);

impl IdWidth {
    /// The narrowest id: K = 64 frames.
    pub const MIN: IdWidth = IdWidth(6);
    /// The widest id, as wide as the code: K = 4096 frames.
    pub const MAX: IdWidth = IdWidth(12);

    /// A width in bits.
    ///
    /// # Errors
    /// [`ParamError::IdWidth`] unless `bits` is 6 to 12.
    pub fn new(bits: u32) -> Result<Self, ParamError> {
        match u8::try_from(bits) {
            Ok(width @ 6..=12) => Ok(IdWidth(width)),
            _ => Err(ParamError::IdWidth(bits)),
        }
    }

    /// The width that the published core derives from cable and rate:
    /// `clog2(16 + 16 + round(RTT * rate / F))` with `RTT = 2 * (80 ns + 3.34 ns/m * length)`.
    /// Both ends must come to the same width, so this formula is part of the format. Shorter than 6
    /// bits never results (32 + at least one frame).
    ///
    /// # Errors
    /// Names the value when the length or the rate is not usable, and the longest possible cable
    /// when 12 bits do not suffice.
    #[cfg(feature = "std")]
    pub fn for_cable(metres: f64, gbps: f64, frame: FrameWidth) -> Result<Self, ParamError> {
        if !(metres.is_finite() && metres >= 0.0) {
            return Err(ParamError::CableLength(metres));
        }
        if !(gbps.is_finite() && gbps > 0.0) {
            return Err(ParamError::LineRate(gbps));
        }
        let needed = Self::published_bits(metres, gbps, frame);
        let bits = f64::from(frame.bits());
        IdWidth::new(needed).map_err(|_| ParamError::CableTooLong {
            metres,
            gbps,
            frame: frame.bits(),
            needed,
            limit: (((f64::from(1 << 12) - 32.0) * bits / gbps) / 2.0 - 80.0) / 3.34,
        })
    }

    /// The formula of [`IdWidth::for_cable`] without its upper bound, for a length and a rate in
    /// range.
    #[cfg(feature = "std")]
    pub(super) fn published_bits(metres: f64, gbps: f64, frame: FrameWidth) -> u32 {
        let round_trip_ns = 2.0 * (80.0 + 3.34 * metres);
        Self::bits_for(SPARE_FRAMES + (round_trip_ns * gbps / f64::from(frame.bits())).round())
    }

    /// Bits of an id that has at least `frames` values: the ceiling of the logarithm, 6 or more.
    #[must_use]
    pub fn bits_for(frames: f64) -> u32 {
        // Exact for every whole number below 2^53.
        (u32::from(Self::MIN.bits())..64)
            .find(|&width| frames <= (1u64 << width) as f64)
            .unwrap_or(64)
    }

    /// Bits of the id.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// K = 2^width: ids, and entries of the retransmission buffer.
    #[must_use]
    pub const fn frames(self) -> u16 {
        1 << self.0
    }

    /// Mask of the id bits.
    #[must_use]
    pub const fn mask(self) -> u16 {
        self.frames() - 1
    }

    /// Entries of the flow-control buffer, 2K.
    #[must_use]
    pub const fn flow_buffer(self) -> u16 {
        2 * self.frames()
    }

    /// The peer is told to stop when the buffer holds more than this, K. The other half takes what
    /// is still on its way: a round trip, and what is sent until requests are noticed when an error
    /// hits at that moment (repair; the published core leaves only a third).
    #[must_use]
    pub const fn stop_above(self) -> u16 {
        self.frames()
    }

    /// The peer is told to go on when the buffer holds less than this, floor(2K/3).
    #[must_use]
    pub const fn resume_below(self) -> u16 {
        (2 * self.frames() as u32 / 3) as u16
    }

    /// Control frames at the end of a retransmission before it starts again, K - 16. Longer than
    /// any permitted round trip, so a peer that has stopped asking is noticed in time.
    #[must_use]
    pub const fn tail(self) -> u16 {
        self.frames() - 16
    }

    /// The longest round trip in frames, pipelines of both ends included: K - 32. Sixteen frames of
    /// history must still be in the buffer, and up to sixteen more are sent until eight requests
    /// that alternate with data have been seen.
    #[must_use]
    pub const fn rtt_limit(self) -> u16 {
        self.frames() - 32
    }

    /// The same towards a published core: K/2 - 2, and never more than [`IdWidth::rtt_limit`]. Its
    /// tail is half a buffer long, whatever its peer says meanwhile. Requests that are still seen
    /// when it is over start another replay, of which the first frame has the id of the awaited new
    /// one and is delivered as that.
    #[must_use]
    pub const fn published_rtt_limit(self) -> u16 {
        let (tail, buffer) = (self.frames() / 2 - 2, self.rtt_limit());
        if tail < buffer { tail } else { buffer }
    }

    /// The same in extended mode, which measures it and adds nine frames: K - 11.
    #[must_use]
    pub const fn extended_rtt_limit(self) -> u16 {
        self.frames() - 11
    }
}

impl fmt::Display for IdWidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What one lane is built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneParams {
    frame: FrameWidth,
    id: IdWidth,
    up_frames: u32,
}

impl LaneParams {
    /// Frames that must be aligned in a row before the receiver is up, if nothing else is said.
    pub const UP_FRAMES: u32 = 128;

    /// A lane.
    #[must_use]
    pub const fn new(frame: FrameWidth, id: IdWidth) -> Self {
        LaneParams {
            frame,
            id,
            up_frames: Self::UP_FRAMES,
        }
    }

    /// The same lane with another number of aligned frames before "up".
    ///
    /// # Errors
    /// [`ParamError::UpFrames`] for 0.
    pub fn with_up_frames(self, up_frames: u32) -> Result<Self, ParamError> {
        if up_frames == 0 {
            return Err(ParamError::UpFrames(up_frames));
        }
        Ok(LaneParams { up_frames, ..self })
    }

    /// Frame width.
    #[must_use]
    pub const fn frame(self) -> FrameWidth {
        self.frame
    }

    /// Id width.
    #[must_use]
    pub const fn id(self) -> IdWidth {
        self.id
    }

    /// Aligned frames in a row before the receiver is up.
    #[must_use]
    pub const fn up_frames(self) -> u32 {
        self.up_frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_widths() {
        assert_eq!(FrameWidth::new(256), Ok(FrameWidth::W256));
        assert_eq!(FrameWidth::W512.payload_bytes(), 62);
        assert_eq!(FrameWidth::new(2048).unwrap().words(), 32);
        for bits in [0, 100, 127, 129, 192, 2176, 65536 + 256] {
            assert_eq!(FrameWidth::new(bits), Err(ParamError::FrameWidth(bits)));
        }
        let text = FrameWidth::new(100).unwrap_err().to_string();
        assert_eq!(
            text,
            "frame width 100: accepted are multiples of 128 from 128 to 2048 bits"
        );
        // Table 3 of the paper (its 93.25 is a misprint for 93.75).
        for (bits, percent) in [
            (128, 87.5),
            (256, 93.75),
            (512, 96.875),
            (1024, 98.4375),
            (2048, 99.21875),
        ] {
            assert!((FrameWidth::new(bits).unwrap().efficiency() * 100.0 - percent).abs() < 1e-9);
        }
    }

    #[test]
    fn id_widths_seen_in_the_published_core() {
        let width = |metres, frame| IdWidth::for_cable(metres, 28.0, frame).unwrap().bits();
        assert_eq!(width(10.0, FrameWidth::W256), 6);
        assert_eq!(width(100.0, FrameWidth::W256), 7);
        assert_eq!(width(300.0, FrameWidth::W256), 9);
        assert_eq!(width(10.0, FrameWidth::W512), 6);
        assert_eq!(width(0.0, FrameWidth::W512), 6);
    }

    #[test]
    fn id_width_limits() {
        let frame = FrameWidth::W256;
        let error = IdWidth::for_cable(10_000.0, 28.0, frame).unwrap_err();
        let ParamError::CableTooLong {
            needed: 13, limit, ..
        } = error
        else {
            panic!("{error}")
        };
        assert_eq!(
            IdWidth::for_cable(limit.floor(), 28.0, frame),
            Ok(IdWidth::MAX)
        );
        assert!(IdWidth::for_cable(limit + 2.0, 28.0, frame).is_err());
        assert!(matches!(
            IdWidth::for_cable(-1.0, 28.0, frame),
            Err(ParamError::CableLength(_))
        ));
        assert!(matches!(
            IdWidth::for_cable(f64::NAN, 28.0, frame),
            Err(ParamError::CableLength(_))
        ));
        assert!(matches!(
            IdWidth::for_cable(1.0, 0.0, frame),
            Err(ParamError::LineRate(_))
        ));
        assert!(matches!(
            IdWidth::for_cable(1.0, f64::INFINITY, frame),
            Err(ParamError::LineRate(_))
        ));
        // The formula leaves room for the round trip it was given: never above the limit.
        for metres in 0..5000 {
            let Ok(id) = IdWidth::for_cable(f64::from(metres), 28.0, frame) else {
                break;
            };
            let frames = (2.0 * (80.0 + 3.34 * f64::from(metres)) * 28.0 / 256.0).round();
            assert!(frames <= f64::from(id.rtt_limit()));
        }
        for bits in [0, 5, 13, 256 + 6] {
            assert_eq!(IdWidth::new(bits), Err(ParamError::IdWidth(bits)));
        }
    }

    #[test]
    fn sizes_that_follow() {
        let id = IdWidth::MIN;
        assert_eq!(
            (id.frames(), id.flow_buffer(), id.stop_above()),
            (64, 128, 64)
        );
        assert_eq!((id.resume_below(), id.tail(), id.rtt_limit()), (42, 48, 32));
        assert_eq!(
            (id.published_rtt_limit(), id.extended_rtt_limit()),
            (30, 53)
        );
        assert_eq!(IdWidth::MAX.resume_below(), 2730);
        for bits in [1024, 2048] {
            let strong = FrameWidth::new(bits).unwrap().with_strong_code().unwrap();
            assert_eq!(u32::from(strong.bits()), bits);
            assert_eq!(strong.payload_bytes() + 2, bits as usize / 8 - 2);
        }
        let none = FrameWidth::W512.with_strong_code();
        assert_eq!(none, Err(ParamError::StrongCode(512)));
        let lane = LaneParams::new(FrameWidth::W256, id);
        assert_eq!(lane.with_up_frames(0), Err(ParamError::UpFrames(0)));
        assert_eq!(lane.with_up_frames(3).unwrap().up_frames(), 3);
    }
}
