// SPDX-License-Identifier: Apache-2.0
//! Frames of a lane between the aggregator, which says what they carry, and the CRC/FEC stage,
//! which writes them.

use super::frame::FrameHeader;
use super::generator::Work;
use super::session::LaneWriter;
use super::subpacket::{ParityHeader, SubHeader};

/// Frames on their way from stage to stage.
#[derive(Debug)]
pub struct Cargo<B> {
    /// Headers of the frames, and how many of the works each carries.
    pub frames: Vec<(FrameHeader, usize)>,
    /// What they carry.
    pub works: Vec<Work<B>>,
    /// A number in the body of a frame without works.
    pub end: Option<u32>,
    /// Bytes of all frames but the last.
    pub segment: usize,
    /// The frames as they go out, made by the CRC/FEC stage.
    pub bytes: Vec<u8>,
}

impl<B> Default for Cargo<B> {
    fn default() -> Self {
        Cargo {
            frames: Vec::new(),
            works: Vec::new(),
            end: None,
            segment: 0,
            bytes: Vec::new(),
        }
    }
}

impl<B> Cargo<B> {
    /// Removes all frames; their memory is used again.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.works.clear();
        self.bytes.clear();
        (self.end, self.segment) = (None, 0);
    }
}

impl LaneWriter {
    /// The CRC/FEC stage: writes the frames, with what protects them. Those that cannot be sealed
    /// any more are as good as lost; says how many there are.
    pub fn write<B: AsRef<[u8]>>(&mut self, cargo: &mut Cargo<B>) -> usize {
        let (mut works, mut written) = (cargo.works.iter(), 0);
        cargo.bytes.reserve(cargo.segment * cargo.frames.len());
        for (header, count) in &cargo.frames {
            if *count == 0 {
                let end = cargo.end.map(u32::to_be_bytes);
                let body = end.as_ref().map_or(&[][..], |end| end);
                written += usize::from(self.control(header, body, &mut cargo.bytes));
                continue;
            }
            if !self.frame(header, &mut cargo.bytes) {
                break;
            }
            for work in works.by_ref().take(*count) {
                self.run(work, &mut cargo.bytes);
            }
            written += 1;
        }
        // The memory of chunks is not kept for what has been copied.
        cargo.works.clear();
        written
    }

    /// Adds the sub-packets of a run to the frame that was begun.
    fn run<B: AsRef<[u8]>>(&mut self, work: &Work<B>, bytes: &mut Vec<u8>) {
        let Work { run, load, parity } = work;
        let (payload, all) = (self.payload(), load.bytes);
        let numbers = run.first..run.first + run.count;
        if let Some(parity) = parity {
            let count = all.div_ceil(payload);
            for number in numbers {
                let sub = ParityHeader {
                    chunk: run.chunk,
                    number,
                    count: count as u16,
                    last: (all - (count - 1) * payload) as u16,
                };
                self.parity(&sub, parity.get(number), bytes);
            }
            return;
        }
        let memory = load.memory.as_ref();
        for number in numbers {
            let at = usize::from(number) * payload;
            let length = (all - at).min(payload);
            let sub = SubHeader {
                chunk: run.chunk,
                number,
                length: length as u16,
                last: at + length == all,
                round: run.round,
            };
            self.sub_packet(&sub, &memory[at..at + length], bytes);
        }
    }
}
