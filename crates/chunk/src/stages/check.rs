// SPDX-License-Identifier: Apache-2.0
//! The CRC/FEC stage: computes the check of each sub-packet of a frame. It is the one to be offloaded where there is hardware for it.

use super::{Cargo, Work};
use ropewalk_stripes::{Input, Now, Output, Stage, StageError, Turn};
use ropewalk_wire::chunk::frame::control;
use ropewalk_wire::chunk::subpacket::SubHeader;
use ropewalk_wire::chunk::{Params, Tag};

/// Computes checks.
pub struct Check {
    /// Frames without.
    pub input: Input<Cargo>,
    /// Frames with checks.
    pub output: Output<Cargo>,
    params: Params,
    tag: Tag,
}

impl Check {
    /// For a session.
    #[must_use]
    pub fn new(input: Input<Cargo>, output: Output<Cargo>, params: Params, tag: Tag) -> Self {
        Check {
            input,
            output,
            params,
            tag,
        }
    }

    /// Writes all frames.
    fn check(&self, cargo: &mut Cargo) {
        let payload = usize::from(self.params.payload);
        let mut works = cargo.works.iter();
        cargo.bytes.reserve(cargo.segment * cargo.frames.len());
        for (header, count) in &cargo.frames {
            if *count == 0 {
                let end = cargo.end.map(u32::to_be_bytes);
                let body = end.as_ref().map_or(&[][..], |end| end);
                cargo.bytes.extend(control(self.tag.secret, header, body));
                continue;
            }
            cargo.bytes.extend(header.encode());
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
                    sub.write(self.tag, data, &mut cargo.bytes);
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
            let _ = self.output.push(cargo);
        }
        Ok(if self.input.is_finished() {
            Turn::Done
        } else {
            Turn::Idle
        })
    }
}
