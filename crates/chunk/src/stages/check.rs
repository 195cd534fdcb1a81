// SPDX-License-Identifier: Apache-2.0
//! The CRC/FEC stage: computes the check of each sub-packet of a frame. It is the one to be offloaded where there is hardware for it.

use super::{Cargo, Piece};
use ropewalk_stripes::{Input, Now, Output, Stage, StageError, Turn};
use ropewalk_wire::chunk::frame::{FRAME_HEADER, control};
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

    /// Makes the headers of all frames.
    fn check(&self, cargo: &mut Cargo) {
        let payload = usize::from(self.params.payload);
        let mut next = 0;
        for (header, works) in &cargo.frames {
            let start = cargo.heads.len();
            if *works == 0 {
                let body = cargo.end.map(u32::to_be_bytes);
                let bytes = control(
                    self.tag.secret,
                    header,
                    body.as_ref().map_or(&[][..], |body| body),
                );
                cargo.heads.extend(bytes);
                let head = cargo.heads.len() - start;
                cargo.pieces.push(Piece {
                    head,
                    work: None,
                    at: 0,
                    length: 0,
                });
                continue;
            }
            cargo.heads.extend(header.encode());
            let mut head = FRAME_HEADER;
            for work in next..next + works {
                let (run, load) = (cargo.works[work].run, &cargo.works[work].load);
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
                    let bytes = sub.encode(self.tag, &load.memory[at..at + length]);
                    cargo.heads.extend(bytes);
                    cargo.pieces.push(Piece {
                        head: head + bytes.len(),
                        work: Some(work),
                        at,
                        length,
                    });
                    head = 0;
                }
            }
            next += works;
        }
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
