// SPDX-License-Identifier: Apache-2.0
//! Transmitter of a lane: decides once per frame what is sent, keeps the last K = 2^IdWidth data
//! frames for retransmission, scrambles and seals (paper, section 4.A, 4.C; windows of K frames
//! from the published core).
//!
//! ```text
//! priority   state         sends
//! highest    Init          Pause request, K frames long, while the buffer is cleared
//!            SendPause     Pause request: the own receiver is not up
//!            Pause         no data: the peer's receiver is not up
//!            Retrans       the buffer again, then a tail of control frames
//!            SendRetrans   Retransmit request: the own receiver is in error
//! lowest     Normal        data frames
//! ```
//!
//! A higher state interrupts a retransmission; it goes on afterwards where it stopped. Ids count
//! data frames only; a control frame is sealed with the id of the next data frame.
//!
//! Repairs that leave the wire format alone:
//! * Once K data frames have been sent, the oldest entry is not sent again: its id equals that of
//!   the next new frame, and a receiver that is up to date would deliver it a second time. Before
//!   that every entry is a frame without user data, and all are sent so that a receiver that waits
//!   for id 0 finds it.
//! * A resend is back to back unless the own receiver is in error, and its tail ends as soon as the
//!   peer stops asking.
//! * Within a resend two Idle frames end the own requests. The published core, whose resend
//!   alternates with Idle frames anyway, would otherwise miss that they have ended and start a
//!   procedure that nobody asked for, with its oldest frame. It would miss one whose header is
//!   damaged, too.
//! * User data waits for K data frames really sent, not for as many frame times.
//! * A published receiver never delivers the first 16 data frames, so they are frames without
//!   content, whatever is due.
//! * In Pause an error of the own receiver is told by Retransmit requests. A peer that has come up
//!   already could otherwise send more than its buffer can repeat.
//! * New data waits for K Idle frames not only after an error of the own receiver, but also after
//!   Pause and SendPause, when the peer may not have told its errors yet.

use super::code;
use super::frame::{Control, Frame, Kind, Segment};
use super::params::{LaneParams, ROLLBACK};
use super::scrambler::Scrambler;
use alloc::vec;
use alloc::vec::Vec;

/// Idle frames that end own requests within a resend.
const REQUEST_ENDS: u8 = 2;

/// State that decides a frame, numbered as on the RTL port `tx_state_o`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum TxState {
    /// Clearing the retransmission buffer.
    Init = 0,
    /// The own receiver is not up.
    SendPause = 1,
    /// The peer's receiver is not up.
    Pause = 2,
    /// Sending the buffer again.
    Retrans = 3,
    /// The own receiver is in error.
    SendRetrans = 4,
    /// Sending new data.
    Normal = 5,
}

/// Inputs of one frame time.
#[derive(Debug, Clone, Copy, Default)]
pub struct TxInputs<'a> {
    /// The own receiver is up.
    pub rx_up: bool,
    /// The own receiver is in error.
    pub rx_error: bool,
    /// The peer wants Idle frames only.
    pub pause_req: bool,
    /// The peer wants the retransmission buffer.
    pub retrans_req: bool,
    /// The own flow-control buffer wants the peer to stop.
    pub local_fc: bool,
    /// The peer wants us to stop.
    pub remote_fc: bool,
    /// Clock compensation wants a frame without data.
    pub compensate: bool,
    /// The next user segment, if there is one.
    pub user: Option<&'a Segment>,
}

/// What was decided for one frame time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TxTick {
    /// The frame for the line.
    pub frame: Frame,
    /// The same before scrambling, code zero.
    pub plain: Frame,
    /// The state in force.
    pub state: TxState,
    /// Id that the frame is sealed with.
    pub id: u16,
    /// A user segment would have been taken.
    pub user_ready: bool,
    /// The user segment was taken.
    pub user_taken: bool,
    /// The frame is a control frame, which satisfies a wish of the clock compensation.
    pub slack: bool,
    /// The frame comes out of the retransmission buffer.
    pub replay: bool,
    /// A retransmission starts (or starts over) with this frame.
    pub retransmission_start: bool,
    /// User data is accepted whenever its turn comes.
    pub link_up: bool,
}

/// Where a retransmission stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Off,
    /// Buffered frames left to send; whether the last frame was a request.
    Replay {
        left: u16,
        request_sent: bool,
    },
    /// Control frames left before the procedure starts over.
    Tail {
        left: u16,
    },
    /// The published core's procedure: the frame of it that comes next
    /// ([`Rules::replay_on_demand`]).
    Scheduled {
        slot: u16,
    },
}

/// Transmitter of one lane, from segments to frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transmitter {
    params: LaneParams,
    scrambler: Scrambler,
    /// Unscrambled data frames by their ids, code zero.
    buffer: Vec<Frame>,
    init_left: u16,
    id: u16,
    /// Data frames sent in Normal, up to K.
    sent: u16,
    phase: Phase,
    /// Idle frames left before new data after an interruption.
    resume_left: u16,
    /// Flow-control state that the peer was told.
    fc_sent: bool,
    /// Idle frames that are still to say that own requests have ended.
    ends_left: u8,
    pub(crate) rules: Rules,
}

/// Repairs of the published protocol, each of which a test can switch off to show what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// The oldest of K sent frames is not sent again.
    pub(crate) skip_oldest: bool,
    /// The first 16 data frames, which a published receiver does not deliver, are invalid frames
    /// whatever is due.
    pub(crate) first_16_invalid: bool,
    /// An error of the own receiver is told in Pause, too.
    pub(crate) ask_in_pause: bool,
    /// New data waits after Pause and SendPause, too.
    pub(crate) resume_after_pause: bool,
    /// The replay has the length that it needs. Without: that of the published core, 2.5 K + 1
    /// frames whatever the peer says meanwhile; the first 2 K are data and control frames by turns,
    /// oldest first.
    pub(crate) replay_on_demand: bool,
}

const RULES: Rules = Rules {
    skip_oldest: true,
    first_16_invalid: true,
    ask_in_pause: true,
    resume_after_pause: true,
    replay_on_demand: true,
};

#[cfg(test)]
impl Rules {
    /// The published transmitter.
    pub(crate) const PUBLISHED: Rules = Rules {
        skip_oldest: false,
        first_16_invalid: false,
        ask_in_pause: false,
        resume_after_pause: false,
        replay_on_demand: false,
    };
}

impl Transmitter {
    /// A transmitter after configuration: buffer cleared over the first K ticks, scrambler state 0.
    #[must_use]
    pub fn new(params: LaneParams) -> Self {
        let frames = params.id().frames();
        Transmitter {
            params,
            scrambler: Scrambler::default(),
            buffer: vec![Frame::invalid(params.frame()); usize::from(frames)],
            init_left: frames,
            id: 0,
            sent: 0,
            phase: Phase::Off,
            resume_left: 0,
            fc_sent: false,
            ends_left: 0,
            rules: RULES,
        }
    }

    /// Sets the scrambler state, to follow a transmitter that runs already.
    pub fn set_scrambler(&mut self, scrambler: Scrambler) {
        self.scrambler = scrambler;
    }

    /// Id of the next data frame.
    #[must_use]
    pub fn next_id(&self) -> u16 {
        self.id
    }

    /// Id of the next new data frame; differs from [`Transmitter::next_id`] within a
    /// retransmission.
    #[must_use]
    pub fn head(&self) -> u16 {
        let left = match self.phase {
            Phase::Replay { left, .. } => left,
            Phase::Scheduled { slot } => self.params.id().frames().saturating_sub(slot.div_ceil(2)),
            Phase::Off | Phase::Tail { .. } => 0,
        };
        (self.id + left) & self.params.id().mask()
    }

    #[inline]
    fn state(&self, inputs: &TxInputs) -> TxState {
        if self.init_left > 0 {
            TxState::Init
        } else if !inputs.rx_up {
            TxState::SendPause
        } else if inputs.pause_req {
            TxState::Pause
        } else if inputs.retrans_req || self.phase != Phase::Off {
            TxState::Retrans
        } else if inputs.rx_error {
            TxState::SendRetrans
        } else {
            TxState::Normal
        }
    }

    /// Decides the frame of this frame time.
    #[inline]
    pub fn tick(&mut self, inputs: &TxInputs) -> TxTick {
        let mut tick = self.decide(inputs);
        tick.frame = tick.plain;
        self.scrambler.frame(&mut tick.frame);
        code::seal(&mut tick.frame, tick.id);
        tick
    }

    /// The decision alone: `frame` is neither scrambled nor sealed.
    #[inline]
    pub(crate) fn decide(&mut self, inputs: &TxInputs) -> TxTick {
        let width = self.params.frame();
        let state = self.state(inputs);
        let mut tick = TxTick {
            frame: Frame::invalid(width),
            plain: Frame::invalid(width),
            state,
            id: self.id,
            user_ready: false,
            user_taken: false,
            slack: true,
            replay: false,
            retransmission_start: false,
            link_up: inputs.rx_up && self.filled(),
        };
        let interrupted = match state {
            TxState::Init => false,
            TxState::SendPause | TxState::Pause if self.rules.resume_after_pause => true,
            TxState::SendPause => false,
            _ => inputs.rx_error,
        };
        if interrupted {
            self.resume_left = self.params.id().frames();
        }

        let control = |control| Frame::control(width, control);
        tick.plain = match state {
            TxState::Init => {
                self.init_left -= 1;
                self.buffer[usize::from(self.init_left)] = Frame::invalid(width);
                control(Control::PauseRequest)
            }
            TxState::SendPause => control(Control::PauseRequest),
            TxState::Pause if self.rules.ask_in_pause && inputs.rx_error => {
                control(Control::RetransmitRequest)
            }
            TxState::Pause => control(Control::Idle),
            TxState::Retrans => self.retransmit(inputs, &mut tick),
            TxState::SendRetrans => control(Control::RetransmitRequest),
            TxState::Normal => self.normal(inputs, &mut tick),
        };
        match tick.plain.kind() {
            Kind::Control(Control::RetransmitRequest) => self.ends_left = REQUEST_ENDS,
            Kind::Control(Control::Idle) => self.ends_left = self.ends_left.saturating_sub(1),
            _ => {}
        }
        tick
    }

    #[inline]
    fn filled(&self) -> bool {
        self.sent == self.params.id().frames()
    }

    #[inline]
    fn step_id(&mut self, by: u16) {
        self.id = (self.id + by) & self.params.id().mask();
    }

    fn normal(&mut self, inputs: &TxInputs, tick: &mut TxTick) -> Frame {
        let width = self.params.frame();
        let plain = if inputs.compensate {
            return Frame::control(width, Control::Idle);
        } else if self.rules.first_16_invalid && self.sent < ROLLBACK {
            Frame::invalid(width)
        } else if inputs.local_fc != self.fc_sent {
            self.fc_sent = inputs.local_fc;
            Frame::flow(width, inputs.local_fc)
        } else if inputs.remote_fc || self.resume_left > 0 {
            self.resume_left = self.resume_left.saturating_sub(1);
            return Frame::control(width, Control::Idle);
        } else {
            tick.user_ready = self.filled();
            match inputs.user {
                Some(segment) if tick.user_ready => {
                    tick.user_taken = true;
                    Frame::user(width, segment)
                }
                _ => Frame::invalid(width),
            }
        };
        tick.slack = false;
        self.buffer[usize::from(self.id)] = plain;
        self.step_id(1);
        self.sent = (self.sent + 1).min(self.params.id().frames());
        plain
    }

    fn retransmit(&mut self, inputs: &TxInputs, tick: &mut TxTick) -> Frame {
        let request = if inputs.rx_error {
            Control::RetransmitRequest
        } else {
            Control::Idle
        };
        let request = Frame::control(self.params.frame(), request);
        match self.phase {
            Phase::Off if !self.rules.replay_on_demand => return self.scheduled(0, request, tick),
            Phase::Scheduled { slot } => return self.scheduled(slot, request, tick),
            Phase::Off => self.start(tick),
            Phase::Replay { .. } if inputs.compensate => {}
            Phase::Replay {
                left,
                request_sent: false,
            } if inputs.rx_error => {
                self.phase = Phase::Replay {
                    left,
                    request_sent: true,
                };
            }
            // Idle frames tell the peer at once that we no longer ask.
            Phase::Replay { .. } if self.ends_left > 0 && !inputs.rx_error => {}
            Phase::Replay { left, .. } => {
                tick.slack = false;
                tick.replay = true;
                let plain = self.buffer[usize::from(self.id)];
                self.step_id(1);
                self.phase = if left == 1 {
                    Phase::Tail {
                        left: self.params.id().tail(),
                    }
                } else {
                    Phase::Replay {
                        left: left - 1,
                        request_sent: false,
                    }
                };
                return plain;
            }
            Phase::Tail { .. } if !inputs.retrans_req => self.phase = Phase::Off,
            Phase::Tail { left: 0 } => self.start(tick),
            Phase::Tail { left } => self.phase = Phase::Tail { left: left - 1 },
        }
        request
    }

    /// A frame of the published core's procedure.
    fn scheduled(&mut self, slot: u16, request: Frame, tick: &mut TxTick) -> Frame {
        let frames = self.params.id().frames();
        tick.retransmission_start = slot == 0;
        self.phase = if slot == 2 * frames + frames / 2 {
            Phase::Off
        } else {
            Phase::Scheduled { slot: slot + 1 }
        };
        if slot >= 2 * frames || slot % 2 == 1 {
            return request;
        }
        tick.slack = false;
        tick.replay = true;
        let plain = self.buffer[usize::from(self.id)];
        self.step_id(1);
        plain
    }

    /// Starts a retransmission. The control frame of this tick still carries the old id.
    fn start(&mut self, tick: &mut TxTick) {
        tick.retransmission_start = true;
        let skip = u16::from(self.filled() && self.rules.skip_oldest);
        self.step_id(skip);
        self.phase = Phase::Replay {
            left: self.params.id().frames() - skip,
            request_sent: false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::{FrameWidth, IdWidth};
    use super::*;

    const UP: TxInputs<'static> = TxInputs {
        rx_up: true,
        rx_error: false,
        pause_req: false,
        retrans_req: false,
        local_fc: false,
        remote_fc: false,
        compensate: false,
        user: None,
    };
    const IDLE: Kind = Kind::Control(Control::Idle);
    const REQUEST: Kind = Kind::Control(Control::RetransmitRequest);

    fn lane() -> LaneParams {
        LaneParams::new(FrameWidth::W256, IdWidth::MIN)
    }

    fn segment(byte: u8) -> Segment {
        Segment::new(FrameWidth::W256, &[byte; 30], true).unwrap()
    }

    /// The kinds of the next `n` frames under the same inputs.
    fn kinds(tx: &mut Transmitter, inputs: TxInputs, n: usize) -> Vec<Kind> {
        (0..n).map(|_| tx.tick(&inputs).plain.kind()).collect()
    }

    /// Ready for user data; ids 0 to 63 have been sent.
    fn ready() -> Transmitter {
        let mut tx = Transmitter::new(lane());
        kinds(&mut tx, TxInputs::default(), 64);
        assert_eq!(kinds(&mut tx, UP, 64), vec![Kind::Invalid; 64]);
        assert!(tx.tick(&UP).link_up);
        kinds(&mut tx, UP, 63);
        assert_eq!(tx.next_id(), 0);
        tx
    }

    #[test]
    fn states_by_priority() {
        let mut tx = Transmitter::new(lane());
        let all = TxInputs {
            rx_up: false,
            rx_error: true,
            pause_req: true,
            retrans_req: true,
            ..UP
        };
        for _ in 0..64 {
            assert_eq!(tx.tick(&all).state, TxState::Init);
        }
        assert_eq!(tx.tick(&all).state, TxState::SendPause);
        assert_eq!(
            tx.tick(&TxInputs { rx_up: true, ..all }).state,
            TxState::Pause
        );
        let error = TxInputs {
            rx_error: true,
            ..UP
        };
        assert_eq!(tx.tick(&error).state, TxState::SendRetrans);
        let both = TxInputs {
            retrans_req: true,
            ..error
        };
        assert_eq!(tx.tick(&both).state, TxState::Retrans);
        // A procedure once started is finished without the request.
        assert_eq!(tx.tick(&error).state, TxState::Retrans);
        assert_eq!(
            tx.tick(&TxInputs {
                pause_req: true,
                ..UP
            })
            .state,
            TxState::Pause
        );
        assert_eq!(tx.tick(&UP).state, TxState::Retrans);
    }

    #[test]
    fn a_resend_is_back_to_back_and_leaves_the_oldest_out() {
        let mut tx = ready();
        for byte in 0..70 {
            let user = segment(byte);
            assert!(
                tx.tick(&TxInputs {
                    user: Some(&user),
                    ..UP
                })
                .user_taken
            );
        }
        // Ids 0..69 mod 64: the next is 6, the oldest (byte 6) has id 6 as well.
        assert_eq!(tx.next_id(), 6);
        let asked = TxInputs {
            retrans_req: true,
            ..UP
        };
        let start = tx.tick(&asked);
        assert!(start.retransmission_start && start.plain.kind() == IDLE && start.id == 6);
        for byte in 7..70 {
            let tick = tx.tick(&asked);
            assert_eq!(tick.plain.segment(), Some(segment(byte)));
            assert_eq!(tick.id, u16::from(byte) % 64);
            assert!(tick.replay && tx.head() == 6);
        }
        // The tail, K - 16 frames and one, then all over; or the end as soon as nobody asks.
        let mut again = tx.clone();
        assert_eq!(kinds(&mut again, asked, 48), vec![IDLE; 48]);
        assert!(again.tick(&asked).retransmission_start);
        assert_eq!(tx.tick(&UP).state, TxState::Retrans);
        let tick = tx.tick(&UP);
        assert_eq!(
            (tick.state, tick.plain.kind(), tick.id),
            (TxState::Normal, Kind::Invalid, 6)
        );
    }

    #[test]
    fn a_resend_alternates_with_own_requests_and_pauses_for_the_clock() {
        let mut tx = ready();
        let both = TxInputs {
            retrans_req: true,
            rx_error: true,
            ..UP
        };
        tx.tick(&both);
        assert_eq!(
            kinds(&mut tx, both, 6),
            [
                REQUEST,
                Kind::Invalid,
                REQUEST,
                Kind::Invalid,
                REQUEST,
                Kind::Invalid
            ]
        );
        let compensate = TxInputs {
            compensate: true,
            ..both
        };
        assert_eq!(kinds(&mut tx, compensate, 2), [REQUEST, REQUEST]);
        assert_eq!(kinds(&mut tx, both, 2), [REQUEST, Kind::Invalid]);
        let asked = TxInputs {
            retrans_req: true,
            ..UP
        };
        assert_eq!(
            tx.tick(&TxInputs {
                compensate: true,
                ..asked
            })
            .plain
            .kind(),
            IDLE
        );
        assert_eq!(tx.tick(&asked).plain.kind(), IDLE);
        assert_eq!(kinds(&mut tx, asked, 59), vec![Kind::Invalid; 59]);
        assert_eq!(tx.tick(&asked).plain.kind(), IDLE);
    }

    #[test]
    fn two_idle_frames_end_own_requests_within_a_resend() {
        let mut tx = ready();
        let both = TxInputs {
            retrans_req: true,
            rx_error: true,
            ..UP
        };
        kinds(&mut tx, both, 4);
        let asked = TxInputs {
            retrans_req: true,
            ..UP
        };
        assert_eq!(kinds(&mut tx, asked, 3), [IDLE, IDLE, Kind::Invalid]);
        // Requests before the resend count, too; its first frame is one of the Idle frames.
        let mut tx = ready();
        kinds(
            &mut tx,
            TxInputs {
                rx_error: true,
                ..UP
            },
            3,
        );
        assert_eq!(kinds(&mut tx, asked, 3), [IDLE, IDLE, Kind::Invalid]);
        let mut tx = ready();
        tx.tick(&both);
        assert_eq!(kinds(&mut tx, asked, 3), [IDLE, IDLE, Kind::Invalid]);
    }

    #[test]
    fn before_k_frames_all_of_the_buffer_is_sent() {
        let mut tx = Transmitter::new(lane());
        kinds(&mut tx, TxInputs::default(), 64);
        kinds(&mut tx, UP, 20);
        let asked = TxInputs {
            retrans_req: true,
            ..UP
        };
        tx.tick(&asked);
        let ids: Vec<u16> = (0..64).map(|_| tx.tick(&asked).id).collect();
        assert_eq!(ids, (0..64).map(|n| (20 + n) % 64).collect::<Vec<_>>());
        assert!(!tx.tick(&asked).replay);
    }

    #[test]
    fn the_first_sixteen_frames_are_empty_whatever_is_due() {
        let mut tx = Transmitter::new(lane());
        kinds(&mut tx, TxInputs::default(), 65);
        let busy = TxInputs {
            local_fc: true,
            remote_fc: true,
            ..UP
        };
        assert_eq!(kinds(&mut tx, busy, 16), vec![Kind::Invalid; 16]);
        assert_eq!(kinds(&mut tx, busy, 3), [Kind::FlowStop, IDLE, IDLE]);
        assert_eq!(
            kinds(
                &mut tx,
                TxInputs {
                    remote_fc: true,
                    ..UP
                },
                2
            ),
            [Kind::FlowResume, IDLE]
        );
    }

    #[test]
    fn user_data_waits_for_a_window_of_idle_frames() {
        let user = segment(1);
        let offered = TxInputs {
            user: Some(&user),
            ..UP
        };
        for interruption in [
            TxInputs {
                rx_error: true,
                ..UP
            },
            TxInputs {
                pause_req: true,
                ..UP
            },
            TxInputs { rx_up: false, ..UP },
        ] {
            let mut tx = ready();
            tx.tick(&interruption);
            let waited = (0..200)
                .take_while(|_| !tx.tick(&offered).user_taken)
                .count();
            assert_eq!(waited, 64, "{interruption:?}");
        }
        // The clock's Idle frames do not count, those while the peer has us stopped do.
        let mut tx = ready();
        tx.tick(&TxInputs {
            rx_error: true,
            ..UP
        });
        kinds(
            &mut tx,
            TxInputs {
                compensate: true,
                ..offered
            },
            10,
        );
        kinds(
            &mut tx,
            TxInputs {
                remote_fc: true,
                ..offered
            },
            10,
        );
        assert_eq!(
            (0..200)
                .take_while(|_| !tx.tick(&offered).user_taken)
                .count(),
            54
        );
    }

    #[test]
    fn pause_tells_an_own_error() {
        let mut tx = ready();
        let paused = TxInputs {
            pause_req: true,
            ..UP
        };
        assert_eq!(tx.tick(&paused).plain.kind(), IDLE);
        let error = TxInputs {
            rx_error: true,
            ..paused
        };
        assert_eq!(tx.tick(&error).plain.kind(), REQUEST);
    }
}
