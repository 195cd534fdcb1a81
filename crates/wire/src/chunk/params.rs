// SPDX-License-Identifier: Apache-2.0
//! Sizes that both ends of a pipeline agree on, and what follows from them.

use super::frame::{CONTROL_CHECK, FRAME_HEADER};
use super::report;
use super::seal::TAG_BYTES;
use super::subpacket::{FIELDS, SUB_HEADER};
use crate::fec::erasure::{self, ErasureError, Layout};
use crate::fec::rs::{self, CodeError};
use std::fmt;
use thiserror::Error;

/// Most lanes of one pipeline.
pub const MAX_LANES: u8 = 32;
/// Longest payload of a sub-packet, bytes.
pub const MAX_PAYLOAD: u16 = 8192;
/// Payloads are multiples of a cache line, so that every sub-packet begins at one in the memory of
/// a chunk.
pub const LINE: u16 = 64;
/// Most sub-packets of a frame.
pub const MAX_PER_FRAME: u8 = 52;
/// Most sub-packets of a chunk.
pub const MAX_PER_CHUNK: u16 = 65_472;
/// Most chunks that a receiver holds at once.
pub const MAX_CHUNKS: u16 = 1024;
/// Longest frame, bytes: what a datagram of IPv4 carries.
pub const MAX_FRAME: usize = 65_507;

/// Bytes of a datagram that every path carries: what IPv4 promises, less its headers and those of
/// UDP, and a tunnel's. A report of 16 lanes has room for a bitmap in it.
pub const LEAST_DATAGRAM: usize = 512;

/// A parameter outside its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ParamError {
    /// Payload of a sub-packet.
    #[error(
        "sub-packets of {0} bytes: accepted are multiples of {LINE} from {LINE} to {MAX_PAYLOAD}"
    )]
    Payload(u16),
    /// Sub-packets of a frame.
    #[error("{0} sub-packets in a frame: accepted are 1 to {MAX_PER_FRAME}")]
    PerFrame(u8),
    /// Frame that no datagram carries.
    #[error(
        "frames of {0} bytes: accepted are at most {MAX_FRAME}; take fewer or shorter sub-packets"
    )]
    Frame(usize),
    /// Sub-packets of a chunk.
    #[error("{0} sub-packets in a chunk: accepted are multiples of 8 from 8 to {MAX_PER_CHUNK}")]
    PerChunk(u16),
    /// Chunks that a receiver holds.
    #[error("{0} chunks at a time: accepted are 1 to {MAX_CHUNKS}")]
    Chunks(u16),
    /// Lanes.
    #[error("{0} lanes: accepted are 1 to {MAX_LANES}")]
    Lanes(u8),
    /// A code that mends.
    #[error(transparent)]
    Mend(#[from] CodeError),
    /// A code that restores.
    #[error(transparent)]
    Restore(#[from] ErasureError),
    /// More parity than it has numbers.
    #[error(
        "{0} sub-packets of parity for a chunk: accepted are at most {MAX_PER_CHUNK}; take less parity, or larger blocks"
    )]
    Parity(u32),
    /// Sizes of frames that are sealed for an end that seals none, or the other way round.
    #[error("sizes of frames that are {}, for an end whose frames are {}", sealed(*.0), sealed(!.0))]
    Sealed(bool),
}

fn sealed(is: bool) -> &'static str {
    if is { "sealed" } else { "not sealed" }
}

/// Forward error correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fec {
    /// None.
    None,
    /// [`crate::fec::rs`]: number of bytes of each codeword that are mended.
    Mend(u8),
    /// [`crate::fec::erasure`]: number of sub-packets in a block, and of parity.
    Restore(u16, u16),
}

/// As in `--fec`.
impl fmt::Display for Fec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fec::None => write!(f, "none"),
            Fec::Mend(t) => write!(f, "rs:{t}"),
            Fec::Restore(data, parity) => write!(f, "erasure:{data}+{parity}"),
        }
    }
}

/// Sizes of one pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// Payload of a sub-packet, bytes: a multiple of 64. The last one of a chunk may hold less.
    pub payload: u16,
    /// Sub-packets of a frame.
    pub per_frame: u8,
    /// Sub-packets of a chunk: a multiple of 8, so that its bitmap is whole bytes.
    pub per_chunk: u16,
    /// Chunks that the receiver holds at a time.
    pub chunks: u16,
    /// Lanes.
    pub lanes: u8,
    /// Frames are sealed; else they have checks.
    pub sealed: bool,
    /// Error correction.
    pub fec: Fec,
}

impl Params {
    /// The sizes of the paper (section IV.B), one lane: 8 sub-packets of 1216 bytes in a frame of
    /// 9880, chunks of 16 780 800 bytes.
    pub const PAPER: Params = Params {
        payload: 1216,
        per_frame: 8,
        per_chunk: 13_800,
        chunks: 2,
        lanes: 1,
        sealed: false,
        fec: Fec::None,
    };

    /// The same with a quarter as many sub-packets, four times as long. A datagram is lost as a
    /// whole, so short ones save nothing where no code mends them, and each costs a seal or a
    /// check.
    pub const LONG: Params = Params {
        payload: 4864,
        per_frame: 2,
        per_chunk: 3456,
        ..Params::PAPER
    };

    /// The sizes to begin with for a code.
    #[must_use]
    pub const fn of_code(fec: Fec) -> Params {
        let sizes = match fec {
            Fec::None => Params::LONG,
            Fec::Mend(_) | Fec::Restore(..) => Params::PAPER,
        };
        Params { fec, ..sizes }
    }

    /// Whether all of them are in range.
    ///
    /// # Errors
    /// The first one that is not.
    pub fn check(&self) -> Result<(), ParamError> {
        if self.payload == 0 || self.payload > MAX_PAYLOAD || !self.payload.is_multiple_of(LINE) {
            return Err(ParamError::Payload(self.payload));
        }
        match self.fec {
            Fec::None => (),
            Fec::Mend(t) => rs::check(t.into(), usize::from(self.payload / LINE))?,
            Fec::Restore(data, parity) => erasure::check(data, parity)?,
        }
        if !(1..=MAX_PER_FRAME).contains(&self.per_frame) {
            return Err(ParamError::PerFrame(self.per_frame));
        }
        if self.frame_bytes() > MAX_FRAME {
            return Err(ParamError::Frame(self.frame_bytes()));
        }
        if !(8..=MAX_PER_CHUNK).contains(&self.per_chunk) || !self.per_chunk.is_multiple_of(8) {
            return Err(ParamError::PerChunk(self.per_chunk));
        }
        let parity = self.layout(self.per_chunk).map_or(0, |it| it.parity());
        if parity > u32::from(MAX_PER_CHUNK) {
            return Err(ParamError::Parity(parity));
        }
        if !(1..=MAX_CHUNKS).contains(&self.chunks) {
            return Err(ParamError::Chunks(self.chunks));
        }
        if !(1..=MAX_LANES).contains(&self.lanes) {
            return Err(ParamError::Lanes(self.lanes));
        }
        Ok(())
    }

    /// Bytes of a sub-packet in front of its payload.
    #[must_use]
    pub const fn sub_header(&self) -> usize {
        if self.sealed {
            FIELDS + TAG_BYTES
        } else {
            SUB_HEADER
        }
    }

    /// How a chunk of `count` sub-packets is dealt out to blocks; none if there is no parity over
    /// sub-packets.
    #[must_use]
    pub fn layout(&self, count: u16) -> Option<Layout> {
        match self.fec {
            Fec::Restore(data, parity) => Layout::new(count, data, parity).ok(),
            _ => None,
        }
    }

    /// Sub-packets of parity of a chunk of `count` sub-packets. The parameters are in range.
    #[must_use]
    pub fn parity_of(&self, count: u16) -> u16 {
        self.layout(count).map_or(0, |it| it.parity() as u16)
    }

    /// Bytes of a sub-packet behind its payload.
    #[must_use]
    pub const fn parity(&self) -> usize {
        match self.fec {
            Fec::Mend(t) => 2 * t as usize * LINE as usize,
            _ => 0,
        }
    }

    /// Bytes of a sub-packet that are not payload.
    #[must_use]
    pub const fn sub_overhead(&self) -> usize {
        self.sub_header() + self.parity()
    }

    /// Bytes of a whole sub-packet on the wire.
    #[must_use]
    pub const fn stride(&self) -> usize {
        self.sub_overhead() + self.payload as usize
    }

    /// Bytes that protect a frame without sub-packets.
    #[must_use]
    pub const fn control_check(&self) -> usize {
        if self.sealed {
            TAG_BYTES
        } else {
            CONTROL_CHECK
        }
    }

    /// Bytes of a full frame.
    #[must_use]
    pub const fn frame_bytes(&self) -> usize {
        FRAME_HEADER + self.per_frame as usize * self.stride()
    }

    /// Most bytes of the body of a report: it may be as long as a frame, or as what every path
    /// carries.
    #[must_use]
    pub fn report_bytes(&self) -> usize {
        let datagram = self.frame_bytes().max(LEAST_DATAGRAM);
        (datagram - FRAME_HEADER - self.control_check()).max(report::least(self.lanes))
    }

    /// Bytes of a full chunk.
    #[must_use]
    pub const fn chunk_bytes(&self) -> usize {
        self.per_chunk as usize * self.payload as usize
    }

    /// Sub-packets of parity of a full chunk.
    const fn parity_sub_packets(&self) -> usize {
        match self.fec {
            Fec::Restore(data, parity) => {
                (self.per_chunk as usize).div_ceil(data as usize) * parity as usize
            }
            _ => 0,
        }
    }

    /// Frames of a full chunk that is sent without loss.
    #[must_use]
    pub const fn frames(&self) -> usize {
        (self.per_chunk as usize + self.parity_sub_packets()).div_ceil(self.per_frame as usize)
    }

    /// Bytes of a full chunk that are not payload: headers of sub-packets and frames (section IV.B;
    /// 262 200 in the paper's sizes), and parity.
    #[must_use]
    pub const fn overhead(&self) -> usize {
        self.per_chunk as usize * self.sub_overhead()
            + self.parity_sub_packets() * self.stride()
            + self.frames() * FRAME_HEADER
    }

    /// Payload in all bytes of frames (resolution E1: of what is sent, not of the payload).
    #[must_use]
    pub const fn efficiency(&self) -> f64 {
        let payload = self.chunk_bytes() as f64;
        payload / (payload + self.overhead() as f64)
    }

    /// Sub-packets that `bytes` bytes fill; at least one.
    #[must_use]
    pub const fn sub_packets(&self, bytes: usize) -> usize {
        let needed = bytes.div_ceil(self.payload as usize);
        if needed == 0 { 1 } else { needed }
    }

    /// The greatest payload and the most sub-packets for frames of at most `limit` bytes: those of
    /// [`Params::of_code`] if they fit, else what wastes least.
    #[must_use]
    pub fn for_frames(self, limit: usize) -> Option<Params> {
        let fit = |payload: u16| {
            let count =
                limit.checked_sub(FRAME_HEADER)? / (self.sub_overhead() + usize::from(payload));
            (count > 0).then(|| Params {
                payload,
                per_frame: count.min(usize::from(MAX_PER_FRAME)) as u8,
                ..self
            })
        };
        let usual = Params::of_code(self.fec);
        if let Some(fits) = fit(usual.payload)
            && fits.per_frame >= usual.per_frame
        {
            return Some(Params {
                per_frame: usual.per_frame,
                ..fits
            });
        }
        // Shorter ones pay for headers, much longer ones than the usual ask more of a code.
        let most = match self.fec {
            Fec::None => MAX_PAYLOAD / LINE,
            Fec::Mend(_) | Fec::Restore(..) => 24,
        };
        (1..=most)
            .filter_map(|lines| fit(lines * LINE))
            .max_by_key(|params| usize::from(params.per_frame) * usize::from(params.payload))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_paper() {
        let paper = Params::PAPER;
        assert_eq!(paper.check(), Ok(()));
        assert_eq!(paper.stride(), 1232);
        assert_eq!(paper.frame_bytes(), 9880);
        assert_eq!(paper.chunk_bytes(), 16_780_800);
        assert_eq!(paper.frames(), 1725);
        assert_eq!(paper.overhead(), 262_200);
        // 9.84615 Gb/s of 10 (resolution E1).
        assert!((paper.efficiency() - 0.984_615).abs() < 1e-6);
    }

    #[test]
    fn sizes_of_what_is_sealed_and_mended() {
        let paper = Params::PAPER;
        let sealed = Params {
            sealed: true,
            ..paper
        };
        assert_eq!((sealed.stride(), sealed.frame_bytes()), (1244, 9976));
        assert_eq!(sealed.overhead(), 262_200 + 12 * 13_800);
        for params in [paper, sealed] {
            let mends = Params {
                fec: Fec::Mend(8),
                ..params
            };
            assert_eq!(mends.stride(), params.stride() + 1024);
            assert_eq!(mends.overhead(), params.overhead() + 1024 * 13_800);
            let fits = mends.for_frames(9000).unwrap();
            assert!(fits.check().is_ok() && fits.frame_bytes() <= 9000);
        }
        // 13 800 sub-packets in 108 blocks.
        let restores = Params {
            fec: Fec::Restore(128, 16),
            ..paper
        };
        assert_eq!(restores.check(), Ok(()));
        assert_eq!(restores.parity_of(13_800), 1728);
        assert_eq!(restores.overhead(), 262_200 + 1728 * 1232 + 216 * 24);
        assert_eq!((restores.parity_of(129), restores.parity_of(128)), (32, 16));
        let told = |fec| Params { fec, ..paper }.check().unwrap_err().to_string();
        assert!(told(Fec::Restore(8, 256)).starts_with("441600 sub-packets of parity for a chunk"));
        assert!(told(Fec::Mend(17)).starts_with("17 bytes to mend"));
        assert!(told(Fec::Restore(8, 999)).starts_with("999 sub-packets of parity"));
    }

    #[test]
    fn ranges() {
        let paper = Params::PAPER;
        let told = |params: Params| params.check().unwrap_err().to_string();
        for payload in [0, 63, 100, 8256] {
            let text = told(Params { payload, ..paper });
            assert_eq!(
                text,
                format!(
                    "sub-packets of {payload} bytes: accepted are multiples of 64 from 64 to 8192"
                )
            );
        }
        assert!(
            told(Params {
                per_frame: 0,
                ..paper
            })
            .starts_with("0 sub-packets in a frame")
        );
        assert!(
            told(Params {
                payload: 8192,
                per_frame: 8,
                ..paper
            })
            .starts_with("frames of 65688 bytes")
        );
        assert!(
            told(Params {
                per_chunk: 13_801,
                ..paper
            })
            .starts_with("13801 sub-packets in a chunk")
        );
        assert!(told(Params { chunks: 0, ..paper }).starts_with("0 chunks"));
        assert!(told(Params { lanes: 33, ..paper }).starts_with("33 lanes"));
    }

    #[test]
    fn frames_for_a_path() {
        let fit = |limit| {
            Params::PAPER
                .for_frames(limit)
                .map(|params| (params.payload, params.per_frame))
        };
        assert_eq!(fit(65_507), Some((4864, 2)));
        assert_eq!(fit(9784), Some((4864, 2)));
        assert_eq!(fit(9783), Some((4800, 2)));
        assert_eq!(fit(8972), Some((4416, 2)));
        assert_eq!(fit(1472), Some((1408, 1)));
        assert_eq!(fit(1452), Some((1408, 1)));
        assert_eq!(fit(24 + 16 + 63), None);
        let coded = Params::of_code(Fec::Mend(8));
        assert_eq!(coded.for_frames(coded.frame_bytes()), Some(coded));
        assert_eq!(coded.for_frames(65_507), Some(coded));
        assert!(coded.for_frames(1472).unwrap().payload < 1216 + 384);
        let long = Params {
            sealed: true,
            ..Params::LONG
        };
        assert!(long.frame_bytes() <= Params::PAPER.frame_bytes());
        assert!(long.chunk_bytes() >= Params::PAPER.chunk_bytes());
        for limit in 104..10_000 {
            let params = Params::PAPER.for_frames(limit).unwrap();
            assert_eq!(params.check(), Ok(()));
            assert!(params.frame_bytes() <= limit);
        }
    }

    /// The least and the greatest of each are in range, and one more or less is not.
    #[test]
    fn ends_of_ranges() {
        let of = |change: fn(&mut Params)| {
            let mut params = Params::PAPER;
            change(&mut params);
            params
        };
        for (params, is_in_range) in [
            (of(|it| it.payload = 64), true),
            (of(|it| (it.payload, it.per_frame) = (8192, 1)), true),
            (of(|it| (it.payload, it.per_frame) = (8256, 1)), false),
            (of(|it| it.per_frame = 52), true),
            (of(|it| (it.payload, it.per_frame) = (64, 53)), false),
            (of(|it| it.per_chunk = 8), true),
            (of(|it| it.per_chunk = 0), false),
            (of(|it| it.per_chunk = 65_472), true),
            (of(|it| it.per_chunk = 65_480), false),
            (of(|it| it.chunks = 1), true),
            (of(|it| it.chunks = 1024), true),
            (of(|it| it.chunks = 1025), false),
            (of(|it| it.lanes = 1), true),
            (of(|it| it.lanes = 0), false),
            (of(|it| it.lanes = 32), true),
            // 65 472 sub-packets of parity, and a block of seven more.
            (
                of(|it| (it.per_chunk, it.fec) = (65_472, Fec::Restore(8, 8))),
                true,
            ),
            (
                of(|it| (it.per_chunk, it.fec) = (65_472, Fec::Restore(7, 7))),
                false,
            ),
            // Frames of 65 832 and 65 256 bytes.
            (of(|it| (it.payload, it.per_frame) = (7296, 9)), false),
            (of(|it| (it.payload, it.per_frame) = (7232, 9)), true),
        ] {
            assert_eq!(params.check().is_ok(), is_in_range, "{params:?}");
        }
    }

    #[test]
    fn bytes_of_reports_and_sub_packets() {
        let paper = Params::PAPER;
        assert_eq!(paper.report_bytes(), 9880 - 24 - 4);
        let sealed = Params {
            sealed: true,
            ..paper
        };
        assert_eq!(sealed.report_bytes(), 9976 - 24 - 16);
        let short = Params {
            payload: 64,
            per_frame: 1,
            ..paper
        };
        assert_eq!(short.report_bytes(), 512 - 24 - 4);
        let wide = Params { lanes: 32, ..short };
        assert_eq!(wide.report_bytes(), 20 + 32 * 16 + 8 + 64);
        let packets = [0, 1, 1216, 1217].map(|bytes| paper.sub_packets(bytes));
        assert_eq!(packets, [1, 1, 1, 2]);
        // Parity fills frames as data do.
        let restores = Params {
            per_chunk: 16,
            fec: Fec::Restore(8, 1),
            ..paper
        };
        assert_eq!(
            (
                restores.frames(),
                Params {
                    fec: Fec::None,
                    ..restores
                }
                .frames()
            ),
            (3, 2)
        );
        assert_eq!(
            restores.efficiency(),
            19456.0 / (19456.0 + 16.0 * 16.0 + 2.0 * 1232.0 + 72.0)
        );
    }
}
