// SPDX-License-Identifier: Apache-2.0
//! The sender's end of a lane as a stage.

use super::Cargo;
use ropewalk_io::lane::Lane;
use ropewalk_stripes::{Input, Now, Output, Sleeper, Stage, StageError, Turn, Waker};
use std::io::{self, IoSlice};
use std::time::Duration;

/// Sends frames, and takes reports.
pub struct Port {
    /// Frames.
    pub cargo: Input<Cargo>,
    /// Datagrams that have arrived. What finds no room is lost: there will be others.
    pub reports: Output<Vec<u8>>,
    lane: Box<dyn Lane>,
    waiting: Option<Cargo>,
}

impl Port {
    /// On a lane.
    #[must_use]
    pub fn new(cargo: Input<Cargo>, reports: Output<Vec<u8>>, lane: Box<dyn Lane>) -> Self {
        Port {
            cargo,
            reports,
            lane,
            waiting: None,
        }
    }
}

impl Stage for Port {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        let reports = &mut self.reports;
        let mut moved = self.lane.receive(&mut |datagram| {
            let _ = reports.push(datagram.to_vec());
        })?;
        if let Some(cargo) = self.waiting.take().or_else(|| self.cargo.pop()) {
            if self
                .lane
                .send(&[IoSlice::new(&cargo.bytes)], cargo.segment)?
            {
                moved = true;
            } else {
                self.waiting = Some(cargo);
                // There is no telling when there will be room.
                return Ok(Turn::Worked);
            }
        }
        if self.cargo.is_finished() && self.waiting.is_none() {
            return Ok(Turn::Done);
        }
        Ok(if moved { Turn::Worked } else { Turn::Idle })
    }

    fn sleeper(&mut self) -> Option<&mut dyn Sleeper> {
        Some(self)
    }
}

impl Sleeper for Port {
    fn wait(&mut self, timeout: Duration) -> io::Result<()> {
        self.lane.wait(timeout, self.waiting.is_some())
    }

    fn waker(&self) -> Waker {
        self.lane.waker()
    }
}
