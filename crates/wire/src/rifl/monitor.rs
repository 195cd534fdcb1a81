// SPDX-License-Identifier: Apache-2.0
//! Control-event monitor: recognises runs of Pause and Retransmit requests (paper, section 4.B; run
//! rules of the published core).
//!
//! Eight equal requests in a row among the control frames raise their flag and clear the other one;
//! a control frame that is no request clears both. Data frames in between neither count nor clear,
//! until 16 frames in a row were data or Idle: then a data frame clears both.
//!
//! Repairs (the wire is the same):
//! * A control frame is believed only if its code belongs to some id and so did that of the frame
//!   before it, because an error in the last 33 scrambled bits of a frame damages the key of the
//!   next one. The published core believes every key.
//! * A run of the other request clears a flag only when it is complete. In the published core its
//!   first frame does, so that between Pause and Retransmit requests a transmitter falls back to
//!   sending new data for seven frames, which a short buffer may not be able to repeat.

use super::frame::Control;
use super::params::{REGULAR_RUN, REQUEST_RUN};

/// What the monitor needs to know of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Sync bits 01.
    pub data: bool,
    /// Sync bits 10.
    pub control: bool,
    /// Sync bits legal and code plausible.
    pub plausible: bool,
    /// Descrambled key.
    pub key: u16,
}

/// Recognises requests in a stream of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Monitor {
    /// Equal requests in a row so far, up to 8, and which.
    count: u8,
    counting: Option<Control>,
    /// The request in force.
    flag: Option<Control>,
    regular: u8,
    before_plausible: bool,
}

impl Monitor {
    /// Whether Pause requests are in force.
    #[inline]
    #[must_use]
    pub fn pause_req(&self) -> bool {
        self.flag == Some(Control::PauseRequest)
    }

    /// Whether Retransmit requests are in force.
    #[inline]
    #[must_use]
    pub fn retrans_req(&self) -> bool {
        self.flag == Some(Control::RetransmitRequest)
    }

    /// Whether the next frame's key can be trusted: the frame before it was plausible, so the
    /// descrambler was in step. Not after a loss of alignment.
    #[inline]
    #[must_use]
    pub const fn trusted(&self) -> bool {
        self.before_plausible
    }

    /// Raises the Retransmit flag as if requests had been seen.
    #[cfg(test)]
    pub(crate) fn force_retrans_req(&mut self) {
        self.flag = Some(Control::RetransmitRequest);
        self.regular = 0;
    }

    /// Takes the next frame of an aligned receiver. Without alignment, start over with
    /// [`Monitor::default`].
    #[inline]
    pub fn frame(&mut self, seen: Seen) {
        let believed = seen.control && seen.plausible && self.before_plausible;
        self.before_plausible = seen.plausible;
        let key = if believed {
            Control::from_key(seen.key)
        } else {
            None
        };
        let request = key.filter(|&key| key != Control::Idle);
        if request.is_some() {
            self.count = if self.counting == request {
                (self.count + 1).min(REQUEST_RUN)
            } else {
                1
            };
            self.counting = request;
            if self.count == REQUEST_RUN {
                self.flag = request;
            }
        } else if believed || (seen.data && self.regular == REGULAR_RUN) {
            self.count = 0;
            self.counting = None;
            self.flag = None;
        }
        if seen.data || key == Some(Control::Idle) {
            self.regular = (self.regular + 1).min(REGULAR_RUN);
        } else {
            self.regular = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: Seen = Seen {
        data: true,
        control: false,
        plausible: true,
        key: 0,
    };
    const BAD: Seen = Seen {
        data: false,
        control: true,
        plausible: false,
        key: 0x1000,
    };

    fn control(control: Control) -> Seen {
        Seen {
            data: false,
            control: true,
            plausible: true,
            key: control.key(),
        }
    }

    fn run(monitor: &mut Monitor, seen: Seen, times: usize) {
        for _ in 0..times {
            monitor.frame(seen);
        }
    }

    #[test]
    fn eight_in_a_row_raise_and_one_other_clears() {
        let (pause, retransmit) = (
            control(Control::PauseRequest),
            control(Control::RetransmitRequest),
        );
        let mut monitor = Monitor::default();
        // The first frame has no plausible frame before it.
        run(&mut monitor, retransmit, 8);
        assert!(!monitor.retrans_req());
        run(&mut monitor, retransmit, 1);
        assert!(monitor.retrans_req() && !monitor.pause_req());
        // The other request takes over without a gap.
        run(&mut monitor, pause, 7);
        assert!(monitor.retrans_req() && !monitor.pause_req());
        run(&mut monitor, pause, 1);
        assert!(!monitor.retrans_req() && monitor.pause_req());
        run(&mut monitor, control(Control::Idle), 1);
        assert!(!monitor.pause_req());
        let unknown = Seen {
            key: 0x1001,
            ..retransmit
        };
        run(&mut monitor, retransmit, 8);
        run(&mut monitor, unknown, 1);
        assert!(!monitor.retrans_req());
    }

    #[test]
    fn data_in_between_is_transparent_until_sixteen_regular_frames() {
        let retransmit = control(Control::RetransmitRequest);
        let mut monitor = Monitor::default();
        run(&mut monitor, DATA, 1);
        for _ in 0..8 {
            assert!(!monitor.retrans_req());
            run(&mut monitor, retransmit, 1);
            run(&mut monitor, DATA, 5);
        }
        assert!(monitor.retrans_req());
        // The sixteenth regular frame in a row does not clear yet, the next data frame does.
        run(&mut monitor, DATA, 11);
        assert!(monitor.retrans_req());
        run(&mut monitor, DATA, 1);
        assert!(!monitor.retrans_req());
    }

    #[test]
    fn damaged_control_frames_are_not_believed() {
        let retransmit = control(Control::RetransmitRequest);
        let mut monitor = Monitor::default();
        run(&mut monitor, DATA, 1);
        run(&mut monitor, retransmit, 7);
        run(&mut monitor, BAD, 20);
        assert!(!monitor.retrans_req());
        // The frame behind a damaged one is not believed either, whatever it says.
        run(&mut monitor, control(Control::Idle), 1);
        run(&mut monitor, retransmit, 1);
        assert!(monitor.retrans_req());
        // A damaged frame breaks the regular run.
        run(&mut monitor, DATA, 16);
        run(&mut monitor, BAD, 1);
        run(&mut monitor, DATA, 16);
        assert!(monitor.retrans_req());
        run(&mut monitor, DATA, 1);
        assert!(!monitor.retrans_req());
    }
}
