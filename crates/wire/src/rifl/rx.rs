// SPDX-License-Identifier: Apache-2.0
//! Receiver of a lane: verification, delivery in order, request and flow-control flags (paper,
//! section 4.B and Listing 1, in the order of its text: compare, then count).
//!
//! The receiver keeps the id E of the next data frame and the id T of the next frame to deliver.
//! A frame that does not verify against E rolls E back to T-16 and raises the error flag; delivery goes
//! on only when the 16 frames before T have verified again, so no damaged frame passes for
//! another one. Damaged control frames count like damaged data frames.
//!
//! Repairs (the wire is the same):
//! * The error flag is cleared as soon as frame T-1 has verified, not when T is delivered. A peer with
//!   nothing new to send would otherwise be asked for ever.
//! * A control frame with an undefined key, behind a frame that lets the key be trusted, is damaged whatever
//!   its code says. A line that repeats one control frame for ever would otherwise look healthy,
//!   and what the peer sends meanwhile would be lost.

use super::code;
use super::frame::{Control, Frame, Segment, key_of};
use super::monitor::{Monitor, Seen};
use super::params::{LaneParams, ROLLBACK};
use super::scrambler::Descrambler;

/// State of a receiver as its transmitter sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RxFlags {
    /// Frame boundaries are known.
    pub aligned: bool,
    /// Aligned for long enough; frames are verified.
    pub up: bool,
    /// A frame is damaged or missing.
    pub error: bool,
    /// The peer wants Idle frames only.
    pub pause_req: bool,
    /// The peer wants the retransmission buffer.
    pub retrans_req: bool,
    /// The peer's buffer is filling up: send no user data.
    pub remote_fc: bool,
}

/// What became of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received {
    /// The code says that the frame is undamaged and the expected one. Meaningless unless up.
    pub good: bool,
    /// The code belongs to some id.
    pub plausible: bool,
    /// The user segment, if the frame is the next in order and carries one.
    pub segment: Option<Segment>,
    /// The frame is the next in order (user data or not).
    pub delivered: bool,
}

/// Receiver of one lane, from aligned frames to segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receiver {
    params: LaneParams,
    descrambler: Descrambler,
    monitor: Monitor,
    aligned: bool,
    /// Aligned frames in a row, up to `up_frames`.
    up_count: u32,
    /// E.
    expected: u16,
    /// T.
    threshold: u16,
    error: bool,
    remote_fc: bool,
    pub(crate) rules: Rules,
}

/// Repairs of the published protocol, each of which a test can switch off to show what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// The error flag goes off before the delivery, not with it.
    pub(crate) clear_before_delivery: bool,
    /// A control frame must have a defined key.
    pub(crate) defined_keys: bool,
}

const RULES: Rules = Rules { clear_before_delivery: true, defined_keys: true };

impl Receiver {
    /// A receiver after reset.
    #[must_use]
    pub fn new(params: LaneParams) -> Self {
        Receiver {
            params,
            descrambler: Descrambler::default(),
            monitor: Monitor::default(),
            aligned: false,
            up_count: 0,
            expected: 0,
            threshold: ROLLBACK & params.id().mask(),
            error: false,
            remote_fc: false,
            rules: RULES,
        }
    }

    /// Whether frames are verified.
    #[inline]
    #[must_use]
    pub fn up(&self) -> bool {
        self.up_count == self.params.up_frames()
    }

    /// The flags behind the last frame.
    #[inline]
    #[must_use]
    pub fn flags(&self) -> RxFlags {
        RxFlags {
            aligned: self.aligned,
            up: self.up(),
            error: self.error,
            pause_req: self.monitor.pause_req(),
            retrans_req: self.monitor.retrans_req(),
            remote_fc: self.remote_fc,
        }
    }

    /// Id of the next data frame, E.
    #[must_use]
    pub fn expected(&self) -> u16 {
        self.expected
    }

    /// Id of the next frame to deliver, T.
    #[must_use]
    pub fn threshold(&self) -> u16 {
        self.threshold
    }

    /// Makes the receiver believe in Retransmit requests that nobody sent.
    #[cfg(test)]
    pub(crate) fn force_retrans_req(&mut self) {
        self.monitor.force_retrans_req();
    }

    /// Takes a frame as it came from the line. `aligned` is the aligner's verdict on the frame,
    /// its own header included.
    ///
    /// A frame with another number of words than the lane's is a programming error of the caller; it
    /// is treated as a damaged frame.
    #[inline]
    pub fn frame(&mut self, frame: &Frame, aligned: bool) -> Received {
        let id = self.params.id();
        let up = self.up() && aligned;
        let legal = frame.is_data() || frame.is_control();
        let whole = frame.words().len() == self.params.frame().words();
        let syndrome = code::syndrome(frame);
        let plausible = legal && whole && syndrome & !id.mask() == 0;
        let key = key_of(self.descrambler.peek(frame.words()[0]));
        let repeated = self.rules.defined_keys
            && frame.is_control()
            && self.monitor.trusted()
            && Control::from_key(key).is_none();
        let good = plausible && syndrome == self.expected && !repeated;

        let mut received = Received { good, plausible, segment: None, delivered: false };
        if up {
            if !good {
                self.expected = self.threshold.wrapping_sub(ROLLBACK) & id.mask();
                self.error = true;
            } else if frame.is_data() {
                let delivered = self.expected == self.threshold;
                let next = (self.expected + 1) & id.mask();
                let caught_up = if self.rules.clear_before_delivery {
                    next == self.threshold
                } else {
                    delivered
                };
                self.error &= !caught_up;
                self.expected = next;
                if delivered {
                    self.threshold = next;
                }
                received.delivered = delivered;
            }
        }

        if aligned {
            let seen = Seen { data: frame.is_data(), control: frame.is_control(), plausible, key };
            self.monitor.frame(seen);
            self.up_count = (self.up_count + 1).min(self.params.up_frames());
        } else {
            self.monitor = Monitor::default();
            self.up_count = 0;
        }
        self.aligned = aligned;

        if received.delivered {
            let mut plain = *frame;
            self.descrambler.frame(&mut plain);
            if plain.meta() != 0 {
                received.segment = plain.segment();
            } else {
                match plain.last_byte() {
                    1 => self.remote_fc = true,
                    2 => self.remote_fc = false,
                    _ => {}
                }
            }
        } else {
            self.descrambler.skip(frame);
        }
        received
    }
}
