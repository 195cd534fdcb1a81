// SPDX-License-Identifier: Apache-2.0
//! The CRC/FEC stage: protects each sub-packet of a frame. It is the one to be offloaded where there is hardware for it.

use super::{Cargo, Work};
use ropewalk_stripes::{Input, Now, Output, Stage, StageError, Turn};
use ropewalk_wire::chunk::guard::LaneWriter;
use ropewalk_wire::chunk::subpacket::SubHeader;

/// Protects frames.
pub struct Check {
    /// Frames.
    pub input: Input<Cargo>,
    /// Frames as they go out.
    pub output: Output<Cargo>,
    payload: usize,
    writer: LaneWriter,
}

impl Check {
    /// For a lane, with payloads of so many bytes.
    #[must_use]
    pub fn new(
        input: Input<Cargo>,
        output: Output<Cargo>,
        payload: u16,
        writer: LaneWriter,
    ) -> Self {
        Check {
            input,
            output,
            payload: payload.into(),
            writer,
        }
    }

    /// Writes all frames.
    fn check(&mut self, cargo: &mut Cargo) {
        let payload = self.payload;
        let mut works = cargo.works.iter();
        cargo.bytes.reserve(cargo.segment * cargo.frames.len());
        for (header, count) in &cargo.frames {
            if *count == 0 {
                let end = cargo.end.map(u32::to_be_bytes);
                let body = end.as_ref().map_or(&[][..], |end| end);
                let _ = self.writer.control(header, body, &mut cargo.bytes);
                continue;
            }
            // Frames that cannot be sealed any more are as good as lost.
            if !self.writer.frame(header, &mut cargo.bytes) {
                break;
            }
            for Work { run, load } in works.by_ref().take(*count) {
                for number in run.first..run.first + run.count {
                    let at = usize::from(number) * payload;
                    let length = (load.bytes - at).min(payload);
                    let sub = SubHeader {
                        chunk: run.chunk,
                        number,
                        length: length as u16,
                        last: at + length == load.bytes,
                        round: run.round,
                    };
                    let data = &load.memory[at..at + length];
                    self.writer.sub_packet(&sub, data, &mut cargo.bytes);
                }
            }
        }
        // The memory of chunks is not kept for what has been copied.
        cargo.works.clear();
    }
}

impl Stage for Check {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        if self.output.room() > 0
            && let Some(mut cargo) = self.input.pop()
        {
            self.check(&mut cargo);
            if !cargo.bytes.is_empty() {
                let _ = self.output.push(cargo);
            }
        }
        Ok(if self.input.is_finished() {
            Turn::Done
        } else {
            Turn::Idle
        })
    }
}
