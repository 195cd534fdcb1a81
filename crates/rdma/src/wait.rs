// SPDX-License-Identifier: Apache-2.0
//! A loop that waits for the device, with a limit.

use crate::device::Device;
use crate::error::Error;
use std::time::{Duration, Instant};

/// Turns of a loop that waits no longer than it was told to. Any limit is one, [`Duration::MAX`]
/// too.
pub(crate) struct Wait {
    begun: Instant,
    time: Duration,
    round: u32,
    what: &'static str,
}

impl Wait {
    /// For so long from now on; `what`: what the error says has not happened by then.
    pub fn new(time: Duration, what: &'static str) -> Self {
        Wait {
            begun: Instant::now(),
            time,
            round: 0,
            what,
        }
    }

    /// Lets some time pass before the next look.
    ///
    /// # Errors
    /// There is none left.
    pub fn turn(&mut self, device: &dyn Device) -> Result<(), Error> {
        let (what, time) = (self.what, self.time);
        if self.begun.elapsed() >= time {
            return Err(Error::Deadline { what, time });
        }
        device.relax(self.round);
        self.round = self.round.saturating_add(1);
        Ok(())
    }
}
