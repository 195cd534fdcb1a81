// SPDX-License-Identifier: Apache-2.0
//! What the CRC/FEC stage of a lane leaves its work to: this processor, or an accelerator.

use super::{Cargo, Work};
use ropewalk_wire::chunk::guard::LaneWriter;
use ropewalk_wire::chunk::subpacket::{ParityHeader, SubHeader};

/// Writes the frames of a lane, with what protects them. It takes batches of frames, and gives each back when it is done: at once, as
/// [`Processor`] does, or later, as an accelerator would.
///
/// * None is lost, doubled or made up, and they come back in the order in which they were taken: the numbers of sealed frames may only rise.
/// * What comes back has in [`Cargo::bytes`] what [`Processor::write`] writes of it, byte for byte, and no [`Cargo::works`] any more, so
///   that the memory of chunks is not held longer than it is read.
/// * Nothing here waits. The stage looks again every [`super::check::LOOK`] while something is under way.
pub trait Protect: Send {
    /// Takes a batch.
    ///
    /// # Errors
    /// There is no room now: the batch.
    fn submit(&mut self, cargo: Cargo) -> Result<(), Cargo>;

    /// The next batch, if it is done.
    fn poll(&mut self) -> Option<Cargo>;

    /// Whether all that was taken has been given back.
    fn is_empty(&self) -> bool;
}

/// Does it on this processor.
#[derive(Debug)]
pub struct Processor {
    payload: usize,
    writer: LaneWriter,
    done: Option<Cargo>,
}

impl Processor {
    /// For a lane, with payloads of `payload` bytes.
    #[must_use]
    pub fn new(payload: u16, writer: LaneWriter) -> Self {
        Processor {
            payload: payload.into(),
            writer,
            done: None,
        }
    }

    /// Writes the frames of a batch.
    pub fn write(&mut self, cargo: &mut Cargo) {
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
            for Work { run, load, parity } in works.by_ref().take(*count) {
                if let Some(parity) = parity {
                    let count = load.bytes.div_ceil(self.payload);
                    for number in run.first..run.first + run.count {
                        let sub = ParityHeader {
                            chunk: run.chunk,
                            number,
                            count: count as u16,
                            last: (load.bytes - (count - 1) * self.payload) as u16,
                        };
                        self.writer
                            .parity(&sub, parity.get(number), &mut cargo.bytes);
                    }
                    continue;
                }
                for number in run.first..run.first + run.count {
                    let at = usize::from(number) * self.payload;
                    let length = (load.bytes - at).min(self.payload);
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

impl Protect for Processor {
    fn submit(&mut self, mut cargo: Cargo) -> Result<(), Cargo> {
        if self.done.is_some() {
            return Err(cargo);
        }
        self.write(&mut cargo);
        self.done = Some(cargo);
        Ok(())
    }

    fn poll(&mut self) -> Option<Cargo> {
        self.done.take()
    }

    fn is_empty(&self) -> bool {
        self.done.is_none()
    }
}
