// SPDX-License-Identifier: Apache-2.0
//! Layout of a report, the aggregated acknowledgement: what the receiver has, as bitmaps, and how
//! far each lane has come.
//!
//! ```text
//!  byte  0 ..  4  serial number of the report, big endian, as all of it
//!        4 ..  8  base: all chunks before it are complete
//!        8 .. 12  credit: chunks before it may be sent
//!       12 .. 16  sub-packets that came more than once
//!       16        flags: bit 0 idle, bit 1 finished, bit 2 whole
//!       17        lanes
//!       18 .. 20  sections
//!  16 per lane    bit 31 heard, low 24 bits the highest frame; frames; echo of its time of sending; us since it came
//!   8 per section chunk, prefix, bit 15 cut and low 15 bits n; then n bytes of bitmap
//! ```
//!
//! It is the body of a frame without sub-packets, whose check or tag protects it.
//!
//! A section says of its chunk: the first `prefix` sub-packets are there; then the bitmap, from the
//! byte on that holds bit `prefix`; then none, or, where it is cut, nothing is said. A prefix of
//! 65535: all of it. A chunk from the base on without a section has nothing, if the report is
//! whole; else nothing is said of it.

use super::frame::FrameSeq;
use super::params::MAX_LANES;
use std::time::Duration;
use thiserror::Error;

const FIXED: usize = 20;
const LANE: usize = 16;
const SECTION: usize = 8;
const CUT: u16 = 1 << 15;
/// Bytes of a bitmap that a report has room for at least.
pub(super) const LEAST_BITMAP: usize = 64;

/// Bytes of a report that has something to say of a chunk.
pub(crate) const fn least(lanes: u8) -> usize {
    FIXED + LANE * lanes as usize + SECTION + LEAST_BITMAP
}

/// What the receiver knows of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Heard {
    /// The highest frame; none before the first.
    pub highest: Option<FrameSeq>,
    /// Frames with anything usable in them, or nothing in them at all.
    pub frames: u32,
    /// Time of sending of the highest frame, us of the sender's clock.
    pub echo: u32,
    /// How long it has been here, us.
    pub hold: u32,
}

impl Heard {
    /// The same, a while later.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        let micros = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
        Heard {
            hold: self.hold.saturating_add(micros),
            ..self
        }
    }
}

/// What the receiver has of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section<'a> {
    /// The chunk.
    pub chunk: u32,
    /// The first `prefix` are there; [`Section::COMPLETE`]: all.
    pub prefix: u16,
    /// Bitmap, from the byte on that holds bit `prefix`.
    pub bitmap: &'a [u8],
    /// Nothing is said of what lies behind the bitmap; otherwise it is missing.
    pub cut: bool,
}

impl Section<'_> {
    /// Prefix of a chunk that is complete.
    pub const COMPLETE: u16 = u16::MAX;
}

/// The fixed part of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Serial number of the report.
    pub serial: u32,
    /// All chunks before it are complete.
    pub base: u32,
    /// Chunks before it may be sent.
    pub credit: u32,
    /// Sub-packets that came more than once.
    pub duplicates: u32,
    /// Nothing has come for the time of the receiver's timer.
    pub idle: bool,
    /// The end of the stream is known, and all before it is complete.
    pub finished: bool,
    /// All chunks of which anything is there have a section.
    pub whole: bool,
}

impl Summary {
    /// Whether the report is later than the one with the number `known`, the last that was read.
    #[must_use]
    pub fn is_news(&self, known: Option<u32>) -> bool {
        known.is_none_or(|known| self.serial.wrapping_sub(known).wrapping_sub(1) < 1 << 31)
    }
}

/// Why bytes are not a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ReportError {
    /// Too short for what it says it holds.
    #[error("cut short")]
    Short,
    /// More lanes than there can be.
    #[error("{0} lanes: accepted are 1 to {MAX_LANES}")]
    Lanes(u8),
}

/// A report that is read.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The fixed part.
    pub summary: Summary,
    lanes: &'a [u8],
    sections: &'a [u8],
}

impl<'a> Report<'a> {
    /// Reads a report.
    ///
    /// # Errors
    /// It is no report.
    pub fn parse(body: &'a [u8]) -> Result<Self, ReportError> {
        let (fixed, rest) = body.split_at_checked(FIXED).ok_or(ReportError::Short)?;
        let count = fixed[17];
        if !(1..=MAX_LANES).contains(&count) {
            return Err(ReportError::Lanes(count));
        }
        let (lanes, sections) = rest
            .split_at_checked(usize::from(count) * LANE)
            .ok_or(ReportError::Short)?;
        let summary = Summary {
            serial: word(fixed, 0),
            base: word(fixed, 4),
            credit: word(fixed, 8),
            duplicates: word(fixed, 12),
            idle: fixed[16] & 1 != 0,
            finished: fixed[16] & 2 != 0,
            whole: fixed[16] & 4 != 0,
        };
        let report = Report {
            summary,
            lanes,
            sections,
        };
        // Every length is tried now, so that walking through the sections cannot fail.
        let mut left = sections;
        for _ in 0..half(fixed, 18) {
            let (_, rest) = section(left).ok_or(ReportError::Short)?;
            left = rest;
        }
        if !left.is_empty() {
            return Err(ReportError::Short);
        }
        Ok(report)
    }

    /// What is known of each lane.
    pub fn lanes(&self) -> impl Iterator<Item = Heard> + 'a {
        self.lanes.chunks_exact(LANE).map(|bytes| Heard {
            highest: (bytes[0] & 0x80 != 0).then(|| FrameSeq::new(word(bytes, 0))),
            frames: word(bytes, 4),
            echo: word(bytes, 8),
            hold: word(bytes, 12),
        })
    }

    /// What is known of chunks.
    pub fn sections(&self) -> impl Iterator<Item = Section<'a>> + 'a {
        let mut left = self.sections;
        std::iter::from_fn(move || {
            let (found, rest) = section(left)?;
            left = rest;
            Some(found)
        })
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn section(bytes: &[u8]) -> Option<(Section<'_>, &[u8])> {
    let (head, rest) = bytes.split_at_checked(SECTION)?;
    let length = half(head, 6);
    let (bitmap, rest) = rest.split_at_checked(usize::from(length & !CUT))?;
    let found = Section {
        chunk: word(head, 0),
        prefix: half(head, 4),
        bitmap,
        cut: length & CUT != 0,
    };
    Some((found, rest))
}

/// Writes a report, section by section, into at most `limit` bytes.
#[derive(Debug)]
pub struct Writer<'a> {
    bytes: &'a mut Vec<u8>,
    start: usize,
    limit: usize,
    sections: u16,
}

impl<'a> Writer<'a> {
    /// Begins a report behind what `bytes` hold; it takes at most `limit` bytes, if that is enough
    /// for the lanes.
    pub fn new(
        bytes: &'a mut Vec<u8>,
        limit: usize,
        lanes: impl ExactSizeIterator<Item = Heard>,
    ) -> Self {
        let start = bytes.len();
        bytes.resize(start + FIXED, 0);
        bytes[start + 17] = lanes.len() as u8;
        for lane in lanes {
            let highest = lane.highest.map_or(0, |seq| 1 << 31 | seq.get());
            for value in [highest, lane.frames, lane.echo, lane.hold] {
                bytes.extend(value.to_be_bytes());
            }
        }
        Writer {
            bytes,
            start,
            limit,
            sections: 0,
        }
    }

    /// Adds a section of up to `length` bytes of bitmap, as many as there is room for; false if
    /// there is none at all.
    pub fn section(
        &mut self,
        chunk: u32,
        prefix: u16,
        length: u16,
        byte: impl Fn(u16) -> u8,
    ) -> bool {
        let used = self.bytes.len() - self.start + SECTION;
        let Some(room) = self.limit.checked_sub(used) else {
            return false;
        };
        let fits = usize::from(length).min(room) as u16;
        if fits == 0 && length > 0 {
            return false;
        }
        let mark = if fits < length { CUT } else { 0 };
        self.bytes.extend(chunk.to_be_bytes());
        self.bytes.extend(prefix.to_be_bytes());
        self.bytes.extend((fits | mark).to_be_bytes());
        self.bytes
            .extend((0..fits).map(|index| byte(prefix / 8 + index)));
        self.sections += 1;
        fits == length
    }

    /// Ends the report.
    pub fn finish(self, summary: Summary) {
        let fixed = &mut self.bytes[self.start..self.start + FIXED];
        fixed[..4].copy_from_slice(&summary.serial.to_be_bytes());
        fixed[4..8].copy_from_slice(&summary.base.to_be_bytes());
        fixed[8..12].copy_from_slice(&summary.credit.to_be_bytes());
        fixed[12..16].copy_from_slice(&summary.duplicates.to_be_bytes());
        fixed[16] =
            u8::from(summary.idle) | u8::from(summary.finished) << 1 | u8::from(summary.whole) << 2;
        fixed[18..20].copy_from_slice(&self.sections.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whole_again(
            words: [u32; 4],
            flags in 0u8..8,
            lanes in prop::collection::vec(any::<(bool, u32, u32, u32)>(), 1..6),
            sections in prop::collection::vec((any::<u32>(), 0u16..13_800, prop::collection::vec(any::<u8>(), 0..40)), 0..6),
        ) {
            let summary = Summary {
                serial: words[0],
                base: words[1],
                credit: words[2],
                duplicates: words[3],
                idle: flags & 1 != 0,
                finished: flags & 2 != 0,
                whole: flags & 4 != 0,
            };
            let heard: Vec<Heard> = lanes
                .iter()
                .map(|&(known, seq, frames, echo)| Heard {
                    highest: known.then(|| FrameSeq::new(seq)),
                    frames,
                    echo,
                    hold: !echo,
                })
                .collect();
            let mut bytes = vec![1, 2, 3];
            let mut writer = Writer::new(&mut bytes, 9000, heard.iter().copied());
            for (chunk, prefix, bitmap) in &sections {
                prop_assert!(writer.section(*chunk, *prefix, bitmap.len() as u16, |index| bitmap[usize::from(index - prefix / 8)]));
            }
            writer.finish(summary);
            let report = Report::parse(&bytes[3..]).unwrap();
            prop_assert_eq!(report.summary, summary);
            prop_assert_eq!(report.lanes().collect::<Vec<_>>(), heard);
            let read: Vec<_> = report.sections().map(|it| (it.chunk, it.prefix, it.bitmap.to_vec())).collect();
            prop_assert_eq!(read, sections);
        }

        #[test]
        fn hostile_lengths(body in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(report) = Report::parse(&body) {
                prop_assert!(report.lanes().count() <= 32);
                prop_assert!(report.sections().count() < 30);
            }
        }
    }

    #[test]
    fn serial_numbers_come_round() {
        let is_news = |serial, known| {
            let summary = Summary {
                serial,
                ..Summary::default()
            };
            summary.is_news(known)
        };
        assert!(is_news(7, None) && is_news(8, Some(7)) && is_news(0, Some(u32::MAX)));
        assert!(is_news(5, Some(u32::MAX - 5)) && is_news(1 << 31, Some(0)));
        assert!(!is_news(7, Some(7)) && !is_news(6, Some(7)) && !is_news(u32::MAX, Some(0)));
        assert!(!is_news(u32::MAX - 5, Some(5)) && !is_news((1 << 31) + 1, Some(0)));
    }

    #[test]
    fn never_longer_than_asked() {
        for limit in 36..200 {
            let mut bytes = Vec::new();
            let mut writer = Writer::new(&mut bytes, limit, [Heard::default()].into_iter());
            let all = writer.section(7, 12, 100, |_| 0xa5);
            let more = all && writer.section(8, 0, 0, |_| 0);
            writer.finish(Summary::default());
            assert!(bytes.len() <= limit);
            let report = Report::parse(&bytes).unwrap();
            if let Some(first) = report.sections().next() {
                assert_eq!(first.cut, !all);
            }
            assert_eq!(all, limit >= 36 + 8 + 100);
            assert_eq!(more, limit >= 36 + 8 + 100 + 8);
            assert_eq!(
                report.sections().count(),
                usize::from(limit > 36 + 8) + usize::from(more)
            );
        }
    }
}
