// SPDX-License-Identifier: Apache-2.0
//! Packets, user beats and segments.
//!
//! The user's stream has beats of F/8 bytes, a frame carries P/8 = F/8 - 2 bytes. [`Converter`]
//! re-cuts one into the other exactly as `axis_width` in `cores/axis` does, clock by clock, so that
//! it can predict the RTL; [`segments`] and [`Reassembler`] do the same for whole packets where
//! only the bytes matter. A packet always starts in a new beat and in a new segment.

use super::frame::{MAX_SEGMENT, Segment};
use super::params::FrameWidth;
use alloc::vec::Vec;
use core::fmt;

/// A beat of an AXI-Stream: bytes from lane 0 on, all lanes used unless it is the last of a packet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    bytes: [u8; MAX_SEGMENT],
    len: u16,
    last: bool,
}

impl Beat {
    /// A beat of a stream `width` bytes wide (at most 256).
    ///
    /// `None` when the bytes do not fit, or do not fill the stream and the beat is not the last. A
    /// last beat may be empty (null).
    #[must_use]
    pub fn new(width: usize, data: &[u8], last: bool) -> Option<Self> {
        if width > MAX_SEGMENT || data.len() > width || (data.len() < width && !last) {
            return None;
        }
        let mut bytes = [0; MAX_SEGMENT];
        bytes[..data.len()].copy_from_slice(data);
        Some(Beat {
            bytes,
            len: data.len() as u16,
            last,
        })
    }

    /// The valid bytes, lane 0 first.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// TLAST.
    #[must_use]
    pub const fn last(&self) -> bool {
        self.last
    }
}

impl fmt::Debug for Beat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Beat({:02x?}{})",
            self.bytes(),
            if self.last { ", last" } else { "" }
        )
    }
}

impl From<Segment> for Beat {
    fn from(segment: Segment) -> Self {
        let mut bytes = [0; MAX_SEGMENT];
        bytes[..segment.bytes().len()].copy_from_slice(segment.bytes());
        Beat {
            bytes,
            len: segment.bytes().len() as u16,
            last: segment.end(),
        }
    }
}

/// Width converter between two streams, clock-exact with `axis_width`.
///
/// In each clock: [`Converter::output`] is what stands at the output, [`Converter::ready`] whether
/// the input is taken, [`Converter::clock`] ends the clock. The output is combinational from the
/// input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converter {
    input_bytes: usize,
    output_bytes: usize,
    residue: [u8; 2 * MAX_SEGMENT],
    count: usize,
    /// The residue is the end of a packet.
    flush: bool,
}

impl Converter {
    /// A converter between widths of 1 to 256 bytes. `None` for other widths.
    #[must_use]
    pub fn new(input_bytes: usize, output_bytes: usize) -> Option<Self> {
        let legal = 1..=MAX_SEGMENT;
        if !legal.contains(&input_bytes) || !legal.contains(&output_bytes) {
            return None;
        }
        Some(Converter {
            input_bytes,
            output_bytes,
            residue: [0; 2 * MAX_SEGMENT],
            count: 0,
            flush: false,
        })
    }

    /// The transmit side of a lane: user beats to segments.
    #[must_use]
    pub fn to_segments(width: FrameWidth) -> Option<Self> {
        Converter::new(width.user_bytes(), width.payload_bytes())
    }

    /// The receive side of a lane: segments to user beats.
    #[must_use]
    pub fn to_user(width: FrameWidth) -> Option<Self> {
        Converter::new(width.payload_bytes(), width.user_bytes())
    }

    /// Even a full input beat leaves the output beat short; it is taken whatever the sink does.
    fn room(&self) -> bool {
        !self.flush && self.count + self.input_bytes < self.output_bytes
    }

    /// The residue goes out alone.
    fn hold(&self) -> bool {
        self.flush || (self.input_bytes >= self.output_bytes && self.count >= self.output_bytes)
    }

    /// Whether the input beat is taken in this clock, which does not depend on the beat.
    #[must_use]
    pub fn ready(&self, output_ready: bool) -> bool {
        if self.input_bytes < self.output_bytes {
            output_ready || self.room()
        } else {
            output_ready && !self.hold()
        }
    }

    /// The beat at the output, given the beat that stands at the input.
    #[must_use]
    pub fn output(&self, input: Option<&Beat>) -> Option<Beat> {
        let input = if self.hold() { None } else { input };
        if input.is_none() && !self.hold() {
            return None;
        }
        let added = input.map_or(&[][..], Beat::bytes);
        let ends = self.flush || input.is_some_and(Beat::last);
        let total = self.count + added.len();
        if total < self.output_bytes && !ends {
            return None;
        }
        let len = total.min(self.output_bytes);
        let mut bytes = [0; MAX_SEGMENT];
        let kept = self.count.min(len);
        bytes[..kept].copy_from_slice(&self.residue[..kept]);
        bytes[kept..len].copy_from_slice(&added[..len - kept]);
        Some(Beat {
            bytes,
            len: len as u16,
            last: ends && total <= self.output_bytes,
        })
    }

    /// Ends a clock in which `input` stood at the input and the sink was ready or not. Returns
    /// whether the input beat was taken.
    pub fn clock(&mut self, input: Option<&Beat>, output_ready: bool) -> bool {
        let taken = if self.ready(output_ready) {
            input
        } else {
            None
        };
        let held = self.hold();
        let sent = if output_ready {
            self.output(input)
        } else {
            None
        };
        // While the residue goes out alone, a beat taken at the same time starts a new residue.
        if held && let Some(beat) = sent {
            self.drop_front(&beat);
            self.flush = self.flush && !beat.last;
        }
        if let Some(beat) = taken {
            let end = self.count + beat.bytes().len();
            self.residue[self.count..end].copy_from_slice(beat.bytes());
            self.count = end;
            self.flush = beat.last;
            if let (Some(out), false) = (sent, held) {
                self.drop_front(&out);
                self.flush = beat.last && !out.last;
            }
        }
        taken.is_some()
    }

    /// Takes the bytes of a sent beat off the residue.
    fn drop_front(&mut self, sent: &Beat) {
        let len = usize::from(sent.len);
        self.residue.copy_within(len..self.count, 0);
        self.count -= len;
    }
}

/// The segments of a packet, in order. A packet without bytes is one null segment.
pub fn segments(width: FrameWidth, packet: &[u8]) -> impl Iterator<Item = Segment> + '_ {
    let full = width.payload_bytes().min(MAX_SEGMENT);
    let count = packet.len().div_ceil(full).max(1);
    (0..count).filter_map(move |i| {
        let end = i + 1 == count;
        let upper = if end { packet.len() } else { (i + 1) * full };
        Segment::new(width, packet.get(i * full..upper)?, end)
    })
}

/// Puts packets together from segments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reassembler {
    packet: Vec<u8>,
}

impl Reassembler {
    /// Takes the next segment; gives the packet that it completes.
    pub fn segment(&mut self, segment: &Segment) -> Option<Vec<u8>> {
        self.packet.extend_from_slice(segment.bytes());
        segment.end().then(|| core::mem::take(&mut self.packet))
    }

    /// Bytes of the packet that is not complete yet.
    #[must_use]
    pub fn open(&self) -> &[u8] {
        &self.packet
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rifl::link::Random;

    fn beats(width: usize, packet: &[u8]) -> Vec<Beat> {
        let count = packet.len().div_ceil(width).max(1);
        (0..count)
            .map(|i| {
                let upper = packet.len().min((i + 1) * width);
                Beat::new(width, &packet[i * width..upper], i + 1 == count).unwrap()
            })
            .collect()
    }

    fn random_packets(random: &mut Random, count: usize) -> Vec<Vec<u8>> {
        (0..count)
            .map(|_| {
                let len = match random.below(4) {
                    0 => random.below(4),
                    1 => random.below(70),
                    2 => 30 * random.below(5),
                    _ => random.below(700),
                };
                (0..len).map(|_| random.bits() as u8).collect()
            })
            .collect()
    }

    #[test]
    fn converter_keeps_every_byte_under_any_handshake() {
        let mut random = Random::fresh("converter");
        for (a, b) in [
            (32, 30),
            (30, 32),
            (64, 62),
            (62, 64),
            (8, 8),
            (1, 7),
            (7, 1),
            (64, 3),
            (5, 64),
        ] {
            let packets = random_packets(&mut random, 60);
            let mut queue: Vec<Beat> = packets.iter().flat_map(|p| beats(a, p)).collect();
            queue.reverse();
            let mut converter = Converter::new(a, b).unwrap();
            let mut got = Vec::new();
            let mut open = Vec::new();
            let mut offered: Option<Beat> = None;
            let mut waits: Option<Beat> = None;
            let mut idle = 0;
            while idle < 300 {
                if offered.is_none() && random.below(3) > 0 {
                    offered = queue.pop();
                }
                let ready = random.below(3) > 0;
                let out = converter.output(offered.as_ref());
                // A beat that was offered and not taken stays as it is.
                assert!(waits.is_none_or(|beat| out == Some(beat)), "{a} {b}");
                waits = if ready { None } else { out };
                if let (Some(beat), true) = (out, ready) {
                    assert!(beat.bytes().len() == b || beat.last());
                    open.extend_from_slice(beat.bytes());
                    if beat.last() {
                        got.push(core::mem::take(&mut open));
                    }
                }
                idle = if out.is_some() || offered.is_some() {
                    0
                } else {
                    idle + 1
                };
                if converter.clock(offered.as_ref(), ready) {
                    offered = None;
                }
            }
            assert_eq!(got, packets, "{a} to {b}");
        }
    }

    #[test]
    fn a_packet_takes_as_many_clocks_as_its_wider_side_has_beats() {
        for (a, b) in [(32usize, 30usize), (30, 32), (64, 62), (62, 64)] {
            for len in 0..400 {
                // Three packets running; the middle one starts and ends back to back with others.
                let packet = vec![1; len];
                let mut queue: Vec<Beat> = beats(a, &packet).repeat(3);
                queue.reverse();
                let mut converter = Converter::new(a, b).unwrap();
                let mut clocks = 0;
                while !queue.is_empty() || converter.output(None).is_some() {
                    if converter.clock(queue.last(), true) {
                        queue.pop();
                    }
                    clocks += 1;
                }
                let each = len.div_ceil(a).max(len.div_ceil(b)).max(1);
                // The rest of a packet may leave while the next one enters, hence at most one more.
                assert!(
                    clocks <= 3 * each + usize::from(a < b),
                    "{a} {b} {len}: {clocks}"
                );
            }
        }
    }

    #[test]
    fn a_null_tail_ends_what_was_full() {
        let mut converter = Converter::new(32, 30).unwrap();
        let tail = Beat::new(32, &[], true).unwrap();
        assert_eq!(converter.output(Some(&tail)), Beat::new(30, &[], true));
        let full = Beat::new(32, &[7; 32], false).unwrap();
        assert!(converter.clock(Some(&full), true));
        assert_eq!(converter.output(Some(&tail)), Beat::new(30, &[7, 7], true));
    }

    #[test]
    fn packets_through_segments() {
        let mut random = Random::fresh("segments");
        for width in [FrameWidth::W256, FrameWidth::W512] {
            for packet in random_packets(&mut random, 200) {
                let mut reassembler = Reassembler::default();
                let mut converter = Converter::to_segments(width).unwrap();
                let mut via_beats = Vec::new();
                let mut queue = beats(width.user_bytes(), &packet);
                queue.reverse();
                while !queue.is_empty() || converter.output(None).is_some() {
                    let input = queue.last().copied();
                    via_beats.extend(converter.output(input.as_ref()));
                    if converter.clock(input.as_ref(), true) {
                        queue.pop();
                    }
                }
                let all: Vec<Segment> = segments(width, &packet).collect();
                assert_eq!(
                    all.iter().copied().map(Beat::from).collect::<Vec<_>>(),
                    via_beats
                );
                let (last, others) = all.split_last().unwrap();
                for segment in others {
                    assert_eq!(reassembler.segment(segment), None);
                }
                assert_eq!(reassembler.segment(last), Some(packet));
                assert!(reassembler.open().is_empty());
            }
        }
    }
}
