// SPDX-License-Identifier: Apache-2.0
//! Receiver of a lane: verification, delivery in order, request and flow-control flags (paper,
//! section 4.B and Listing 1, in the order of its text: compare, then count).
//!
//! The receiver keeps the id E of the next data frame and the id T of the next frame to deliver. A
//! frame that does not verify against E rolls E back to T-16 and raises the error flag; delivery
//! goes on only when the 16 frames before T have verified again, so no damaged frame passes for
//! another one. Damaged control frames count like damaged data frames.
//!
//! Repairs (the wire is the same):
//! * The error flag is cleared as soon as frame T-1 has verified, not when T is delivered. A peer
//!   with nothing new to send would otherwise be asked for ever.
//! * T starts at 0 like E, not at 16: a peer that sends user data among its first frames loses
//!   none. What comes before id 0 in a buffer that is sent again are the frames that it was cleared
//!   with; they are the sixteen to verify after an error.
//! * A control frame with an undefined key, behind a frame that lets the key be trusted, is damaged
//!   whatever its code says. A line that repeats one control frame for ever would otherwise look
//!   healthy, and what the peer sends meanwhile would be lost.

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

const RULES: Rules = Rules {
    clear_before_delivery: true,
    defined_keys: true,
};

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
            threshold: 0,
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

    /// Makes a fresh receiver wait for id 16 like the published core.
    #[cfg(test)]
    pub(crate) fn deliver_from_16(&mut self) {
        self.threshold = ROLLBACK;
    }

    /// Makes the receiver believe in Retransmit requests that nobody sent.
    #[cfg(test)]
    pub(crate) fn force_retrans_req(&mut self) {
        self.monitor.force_retrans_req();
    }

    /// Takes a frame as it came from the line. `aligned` is the aligner's verdict on the frame,
    /// its own header included.
    ///
    /// A frame with another number of words than the lane's is a programming error of the caller;
    /// it is treated as a damaged frame.
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

        let mut received = Received {
            good,
            plausible,
            segment: None,
            delivered: false,
        };
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
            let seen = Seen {
                data: frame.is_data(),
                control: frame.is_control(),
                plausible,
                key,
            };
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

#[cfg(test)]
mod tests {
    use super::super::params::{FrameWidth, IdWidth};
    use super::super::scrambler::Scrambler;
    use super::*;
    use crate::rifl::link::Random;
    use proptest::prelude::*;

    const WIDTH: FrameWidth = FrameWidth::W256;

    /// A receiver, the sender's scrambler, and a way to send it anything with any id.
    struct Bench {
        receiver: Receiver,
        scrambler: Scrambler,
    }

    impl Bench {
        fn new(id: u32) -> Self {
            let lane = LaneParams::new(WIDTH, IdWidth::new(id).unwrap());
            let receiver = Receiver::new(lane.with_up_frames(1).unwrap());
            let mut bench = Bench {
                receiver,
                scrambler: Scrambler::default(),
            };
            // The frame that makes it up is not verified.
            assert!(!bench.control(Control::Idle, 33).delivered);
            assert!(bench.receiver.flags().up && !bench.receiver.flags().error);
            bench
        }

        fn send(&mut self, plain: Frame, id: u16) -> Received {
            let mut frame = plain;
            self.scrambler.frame(&mut frame);
            code::seal(&mut frame, id);
            self.receiver.frame(&frame, true)
        }

        fn data(&mut self, id: u16) -> Received {
            let segment = Segment::new(WIDTH, &id.to_be_bytes(), true).unwrap();
            let mask = self.receiver.params.id().mask();
            let received = self.send(Frame::user(WIDTH, &segment), id & mask);
            assert!(received.segment.is_none_or(|got| got == segment));
            received
        }

        fn control(&mut self, control: Control, id: u16) -> Received {
            self.send(Frame::control(WIDTH, control), id)
        }

        fn damaged(&mut self) {
            let mut frame = Frame::invalid(WIDTH);
            self.scrambler.frame(&mut frame);
            code::seal(&mut frame, 0xfff);
            assert!(!self.receiver.frame(&frame, true).good);
        }
    }

    #[test]
    fn the_example_of_the_paper() {
        // Frames up to 67 are good, 68 is damaged: back to 52, and 52 to 67 must verify again.
        let mut bench = Bench::new(8);
        assert!((0..68).all(|id| bench.data(id).delivered));
        bench.damaged();
        assert_eq!(
            (bench.receiver.expected(), bench.receiver.threshold()),
            (52, 68)
        );
        assert!(bench.receiver.flags().error);
        // What was on its way, then a resend from an older frame on.
        for id in (69..80).chain(30..52) {
            assert!(!bench.data(id).good);
        }
        for id in 52..68 {
            assert!(bench.receiver.flags().error);
            let received = bench.data(id);
            assert!(received.good && !received.delivered);
        }
        assert!(!bench.receiver.flags().error, "cleared before the delivery");
        assert!(bench.control(Control::Idle, 68).good);
        assert!((68..90).all(|id| bench.data(id).delivered));
    }

    #[test]
    fn nothing_is_delivered_before_id_0_and_then_everything() {
        for damaged in [0, 1, 9, 45] {
            let mut bench = Bench::new(6);
            assert!(bench.control(Control::Idle, 0).good);
            for id in 0..48 {
                if id < damaged {
                    bench.damaged();
                } else {
                    assert_eq!(bench.data(id).delivered, damaged == 0);
                }
            }
            if damaged > 0 {
                // The peer sends its buffer again: first what it was cleared with.
                assert!(bench.receiver.flags().error);
                assert!((48..64).all(|id| !bench.data(id).delivered));
                assert!(!bench.receiver.flags().error);
                assert!((0..48).all(|id| bench.data(id).delivered));
            }
            assert!((48..200).all(|id| bench.data(id).delivered));
        }
    }

    #[test]
    fn a_damaged_control_frame_counts() {
        let mut bench = Bench::new(6);
        (0..20).for_each(|id| _ = bench.data(id));
        assert!(bench.control(Control::Idle, 20).good);
        assert!(
            !bench.control(Control::Idle, 21).good,
            "a control frame carries the next id"
        );
        assert!(bench.receiver.flags().error);
        assert_eq!(bench.receiver.expected(), 4);
    }

    #[test]
    fn flow_control_acts_when_delivered() {
        let mut bench = Bench::new(6);
        (0..20).for_each(|id| _ = bench.data(id));
        bench.send(Frame::flow(WIDTH, true), 20);
        assert!(bench.receiver.flags().remote_fc);
        bench.damaged();
        // Repeated while rolled back: no effect.
        (5..20).for_each(|id| _ = bench.data(id));
        bench.send(Frame::flow(WIDTH, false), 20);
        assert!(bench.receiver.flags().remote_fc && !bench.receiver.flags().error);
        bench.send(Frame::flow(WIDTH, false), 21);
        assert!(!bench.receiver.flags().remote_fc);
    }

    #[test]
    fn flags_go_with_the_alignment() {
        let mut bench = Bench::new(6);
        (0..9).for_each(|_| _ = bench.control(Control::RetransmitRequest, 0));
        assert!(bench.receiver.flags().retrans_req);
        let frame = Frame::invalid(WIDTH);
        bench.receiver.frame(&frame, false);
        assert_eq!(bench.receiver.flags(), RxFlags::default());
        bench.receiver.frame(&frame, true);
        assert!(bench.receiver.flags().up);
        // Other lengths than the lane's are damage, never a panic.
        let long = Frame::control(FrameWidth::W512, Control::Idle);
        assert!(!bench.receiver.frame(&long, true).good);
        assert!(bench.receiver.flags().error);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Arbitrary bits never panic, and what is delivered is a segment of the lane.
        #[test]
        fn any_bits_are_survived(seed: u64, id in 6u32..=12) {
            let mut random = Random::new(seed);
            let mut bench = Bench::new(id);
            for _ in 0..50 {
                let words: Vec<u64> = (0..4).map(|_| random.bits()).collect();
                let mut frame = Frame::from_words(&words).unwrap();
                if random.chance(128) {
                    // Make the code fit what is expected, so that the inside is looked at.
                    code::seal(&mut frame, bench.receiver.expected());
                }
                let received = bench.receiver.frame(&frame, random.chance(250));
                prop_assert!(received.segment.is_none() || received.delivered);
                prop_assert!(received.segment.is_none_or(|s| s.bytes().len() <= 30));
                prop_assert!(bench.receiver.expected() <= bench.receiver.params.id().mask());
            }
        }
    }
}
