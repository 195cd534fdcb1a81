// SPDX-License-Identifier: Apache-2.0
//! The CRC/FEC stage: protects each sub-packet of a frame. It is the one to be offloaded where
//! there is hardware for it ([`Protect`]).

use super::{Cargo, Protect};
use ropewalk_stripes::{Input, Now, Output, Stage, StageError, Turn};
use std::time::Duration;

/// Time between two looks at what is under way.
pub const LOOK: Duration = Duration::from_micros(20);

/// Protects frames.
pub struct Check {
    /// Frames.
    pub input: Input<Cargo>,
    /// Frames as they go out.
    pub output: Output<Cargo>,
    protect: Box<dyn Protect>,
    /// What there was no room for.
    waiting: Option<Cargo>,
}

impl Check {
    /// For a lane.
    #[must_use]
    pub fn new(input: Input<Cargo>, output: Output<Cargo>, protect: Box<dyn Protect>) -> Self {
        Check {
            input,
            output,
            protect,
            waiting: None,
        }
    }
}

impl Stage for Check {
    fn turn(&mut self, now: Now) -> Result<Turn, StageError> {
        if let Some(cargo) = self.waiting.take().or_else(|| self.input.pop()) {
            self.waiting = self.protect.submit(cargo).err();
        }
        while self.output.room() > 0
            && let Some(cargo) = self.protect.poll()
        {
            // Nothing is left of frames that cannot be sealed any more.
            if !cargo.bytes.is_empty() {
                let _ = self.output.push(cargo);
            }
        }
        let busy = self.waiting.is_some() || !self.protect.is_empty();
        Ok(if busy {
            Turn::Until(now.time + LOOK)
        } else if self.input.is_finished() {
            Turn::Done
        } else {
            Turn::Idle
        })
    }
}
