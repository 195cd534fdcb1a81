// SPDX-License-Identifier: Apache-2.0
//! What the CRC/FEC stage of a lane leaves its work to: this processor, or an accelerator.

use super::Cargo;
use ropewalk_wire::chunk::session::LaneWriter;

/// Writes the frames of a lane, with what protects them. It takes batches of frames, and gives each
/// back when it is done: at once, as [`Processor`] does, or later, as an accelerator would.
///
/// * None is lost, doubled or made up, and they come back in the order in which they were taken:
///   the numbers of sealed frames may only rise.
/// * What comes back has in [`Cargo::bytes`] what [`LaneWriter::write`] writes of it, byte for
///   byte, and no [`Cargo::works`] any more, so that the memory of chunks is not held longer than
///   it is read.
/// * Nothing here waits. The stage looks again every [`super::check::LOOK`] while something is
///   under way.
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
    writer: LaneWriter,
    done: Option<Cargo>,
}

impl Processor {
    /// For a lane.
    #[must_use]
    pub fn new(writer: LaneWriter) -> Self {
        Processor { writer, done: None }
    }

    /// Writes the frames of a batch.
    pub fn write(&mut self, cargo: &mut Cargo) {
        self.writer.write(cargo);
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
