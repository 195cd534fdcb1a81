// SPDX-License-Identifier: Apache-2.0
//! Transmitter of an extended lane: numbers, keeps and repeats data frames, and says in control
//! frames what the peer has to know.
//!
//! `head` is the id of the next new frame, `next` that of the next data frame on the line (equal to
//! `head` unless resending); all frames before `safe` have arrived. New data is accepted only while
//! `head - safe < 2^IdWidth - 1`, so that nothing which may still be asked for leaves the buffer,
//! whatever happens on the line.
//!
//! | what | when |
//! |---|---|
//! | control frame that answers an ask | the ask has a new number; `next = safe = wanted` |
//! | control frame | the session is up; an own incident, stop, the peer's stop, a ping or a pong is new |
//! | control frame in every fourth frame | an own incident or stop that the peer has not confirmed |
//! | control frame | clock compensation wants one |
//! | data frame from the buffer | while `next` differs from `head` |
//! | new data frame | there is some, the window is open, the peer has not said stop |
//! | control frame | otherwise |
//!
//! `safe` follows `next` as it was one round trip ago while the peer's frames are fresh: a peer
//! that missed one would have asked. The round trip is measured by ping and pong, again after each
//! incident of either direction; `safe` stands still until that is done. Added are [`MARGIN`]
//! frames.

use super::super::code;
use super::super::frame::{Control, Frame, Segment};
use super::super::params::LaneParams;
use super::super::scrambler::Scrambler;
use super::announcement::{Announcement, Detail, Phase, Sequence};
use super::rx::Report;
use alloc::vec;
use alloc::vec::Vec;

/// Unconfirmed news are repeated in every fourth frame.
pub const PERIOD: u8 = 4;
/// What a round trip that is too long counts if nothing was lost meanwhile; otherwise ping or pong
/// may have been lost, and it counts one.
const UNDISTURBED: u8 = 8;
/// Frames added to a measured round trip: the period of asks, four for the crossings of clocks, and
/// the frame that a receiver with delayed release keeps.
pub const MARGIN: u32 = PERIOD as u32 + 4 + 1;

/// Inputs of one frame time.
#[derive(Debug, Clone, Copy)]
pub struct LaneInputs<'a> {
    /// Phase of the session.
    pub phase: Phase,
    /// Own session number.
    pub session: u16,
    /// The peer has been seen in UP on all lanes.
    pub peer_up: bool,
    /// Number of the lane.
    pub lane: u8,
    /// What control frames say before UP.
    pub capabilities: super::Capabilities,
    /// What the receiver of this lane has seen.
    pub report: Report,
    /// The own receive buffer is filling up.
    pub stop: bool,
    /// Clock compensation wants a frame without data.
    pub compensate: bool,
    /// The next user segment, if there is one.
    pub user: Option<&'a Segment>,
}

/// What was decided for one frame time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneTick {
    /// The frame for the line.
    pub frame: Frame,
    /// The same before scrambling, code zero.
    pub plain: Frame,
    /// Id that the frame is sealed with.
    pub id: u16,
    /// A user segment would have been taken.
    pub user_ready: bool,
    /// The user segment was taken.
    pub user_taken: bool,
    /// The user segment was taken to be thrown away: the rest of a packet that was cut.
    pub user_thrown: bool,
    /// The frame is a control frame.
    pub slack: bool,
    /// The frame comes out of the buffer a second time.
    pub replay: bool,
    /// A resend starts with this frame.
    pub resume: bool,
}

/// A ping that is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Measurement {
    /// Frames since the ping.
    age: u32,
    /// The answer must not be used: an incident of the peer came in between.
    void: bool,
    /// A frame of the peer was missing or asked, so ping or pong may have been lost and the answer
    /// be late.
    disturbed: bool,
}

/// What the last control frame said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Told {
    incident: Option<u8>,
    stop: bool,
    stop_seen: bool,
    pong: bool,
    up: bool,
}

/// Transmitter of one lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneTransmitter {
    params: LaneParams,
    scrambler: Scrambler,
    /// Unscrambled data frames by their ids, code zero.
    buffer: Vec<Frame>,
    head: u16,
    next: u16,
    safe: u16,
    /// Incident of the peer that was served last.
    served: u8,
    /// `next` behind each of the last 2^IdWidth frames, by frame number.
    history: Vec<u16>,
    ticks: u64,
    /// Frames since `next` last went back, or since the session came up.
    straight: u32,
    ping: bool,
    peer_up: bool,
    measurement: Option<Measurement>,
    measure: bool,
    round_trip: Option<u32>,
    too_long: u8,
    strays: u8,
    /// Frames since the last control frame.
    since_control: u8,
    told: Told,
    /// Data frames numbered in this session, and resends.
    accepted: u64,
    resends: u64,
    pub(crate) rules: Rules,
}

/// Rules of the transmitter, each of which a test can switch off to show what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// After a resend began, `safe` stands still for a round trip.
    pub(crate) hold: bool,
    /// Frames added to the measured round trip.
    pub(crate) margin: i32,
    /// Each incident starts a measurement.
    pub(crate) measure_again: bool,
    /// What was measured before the peer was up is not trusted.
    pub(crate) measure_in_up: bool,
    /// An ask is served once.
    pub(crate) serve_once: bool,
    /// `safe` never passes what has not arrived; without it, only the buffer limits.
    pub(crate) window: bool,
    /// Unconfirmed news are repeated.
    pub(crate) repeat: bool,
}

const RULES: Rules = Rules {
    hold: true,
    margin: MARGIN as i32,
    measure_again: true,
    measure_in_up: true,
    serve_once: true,
    window: true,
    repeat: true,
};

impl LaneTransmitter {
    /// A transmitter after configuration.
    #[must_use]
    pub fn new(params: LaneParams) -> Self {
        let frames = usize::from(params.id().frames());
        LaneTransmitter {
            params,
            scrambler: Scrambler::default(),
            buffer: vec![Frame::invalid(params.frame()); frames],
            head: 0,
            next: 0,
            safe: 0,
            served: 0,
            history: vec![0; frames],
            ticks: 0,
            straight: 0,
            ping: false,
            peer_up: false,
            measurement: None,
            measure: true,
            round_trip: None,
            too_long: 0,
            strays: 0,
            since_control: 0,
            told: Told::default(),
            accepted: 0,
            resends: 0,
            rules: RULES,
        }
    }

    /// Forgets everything but the state of the scrambler: a new session number has been drawn.
    pub fn restart(&mut self) {
        let fresh = LaneTransmitter {
            scrambler: self.scrambler,
            rules: self.rules,
            ..LaneTransmitter::new(self.params)
        };
        *self = fresh;
    }

    /// The session is up: data may follow from id 0 on.
    pub fn up(&mut self) {
        self.straight = 0;
        self.peer_up = false;
    }

    /// Id of the next new data frame.
    #[must_use]
    pub const fn head(&self) -> u16 {
        self.head
    }

    /// Id of the next data frame on the line.
    #[must_use]
    pub const fn next_id(&self) -> u16 {
        self.next
    }

    /// Data frames accepted in this session.
    #[must_use]
    pub const fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Data frames of this session that are known to have arrived.
    #[must_use]
    pub fn safe(&self) -> u64 {
        self.accepted - u64::from(self.ahead(self.safe, self.head))
    }

    /// Resends begun in this session.
    #[must_use]
    pub const fn resends(&self) -> u64 {
        self.resends
    }

    /// The round trip in frames, additions included; `None` while it is not known.
    #[must_use]
    pub const fn round_trip(&self) -> Option<u32> {
        self.round_trip
    }

    /// The longest round trip, additions included, that the ids cover.
    #[must_use]
    pub fn longest(&self) -> u32 {
        u32::from(self.params.id().frames()) - 2
    }

    /// Weight of the measurements in a row that were too long, and asks in a row that could not be
    /// served, saturating.
    #[must_use]
    pub const fn complaints(&self) -> (u8, u8) {
        (self.too_long, self.strays)
    }

    /// Sets the scrambler state, to follow a transmitter that runs already.
    pub fn set_scrambler(&mut self, scrambler: Scrambler) {
        self.scrambler = scrambler;
    }

    fn ahead(&self, from: u16, to: u16) -> u16 {
        to.wrapping_sub(from) & self.params.id().mask()
    }

    /// Scrambles and seals a frame that was decided elsewhere, for the compatible mode.
    pub(crate) fn seal(&mut self, plain: &Frame, id: u16) -> Frame {
        let mut frame = *plain;
        self.scrambler.frame(&mut frame);
        code::seal(&mut frame, id);
        frame
    }

    /// The same in extended mode: data frames are bound to what stands in front of them.
    fn seal_bound(&mut self, plain: &Frame, id: u16) -> Frame {
        let state = self.scrambler.state();
        let mut frame = *plain;
        self.scrambler.frame(&mut frame);
        code::seal_bound(&mut frame, id, state);
        self.scrambler.follow(&frame);
        frame
    }

    /// The announcement of a control frame.
    fn announcement(&self, inputs: &LaneInputs) -> Announcement {
        let report = &inputs.report;
        let detail = if inputs.phase == Phase::Up {
            Detail::Sequence(Sequence {
                ask: report.error,
                ask_n: report.n,
                wanted: report.wanted,
                answered: self.served,
                next: self.next,
            })
        } else {
            Detail::Capabilities(inputs.capabilities)
        };
        Announcement {
            phase: inputs.phase,
            session: inputs.session,
            echo: report.echo,
            lane: inputs.lane,
            ping: self.ping,
            pong: report.ping,
            stop: inputs.stop,
            stop_seen: report.stop,
            detail,
        }
    }

    /// Decides the frame of this frame time.
    pub fn tick(&mut self, inputs: &LaneInputs) -> LaneTick {
        let report = &inputs.report;
        let up = inputs.phase == Phase::Up;
        self.round_trip_tick(report, up);
        if inputs.peer_up && !self.peer_up {
            // Only from now on does the peer count incidents, and so tell of another cable.
            self.peer_up = true;
            if self.rules.measure_in_up {
                self.doubt(true);
            }
        }
        let served = up && self.serve(report);
        self.advance(report, up);

        let width = self.params.frame();
        let mut tick = LaneTick {
            frame: Frame::invalid(width),
            plain: Frame::invalid(width),
            id: self.next,
            user_ready: false,
            user_taken: false,
            user_thrown: false,
            slack: true,
            replay: false,
            resume: served,
        };
        let incident = report.error.then_some(report.n);
        let pinging = self.measure && self.measurement.is_none();
        let news = served
            || (incident.is_some() && incident != self.told.incident)
            || inputs.stop != self.told.stop
            || report.stop != self.told.stop_seen
            || report.ping != self.told.pong
            || !self.told.up
            || pinging;
        let stop = inputs.stop != report.stop_seen;
        let again = (report.error || stop) && self.since_control >= PERIOD - 1;
        let again = again && self.rules.repeat;
        let window =
            !self.rules.window || self.ahead(self.safe, self.head) < self.params.id().frames() - 1;
        let open = window && !report.stop && self.next == self.head;
        if !up || !inputs.peer_up || news || again || inputs.compensate {
            self.control(inputs, pinging, &mut tick);
        } else if self.next != self.head {
            tick.plain = self.buffer[usize::from(self.next)];
            tick.replay = true;
            self.data(&mut tick);
        } else {
            tick.user_ready = open;
            match inputs.user {
                Some(segment) if open => {
                    tick.user_taken = true;
                    tick.plain = Frame::user(width, segment);
                    self.buffer[usize::from(self.head)] = tick.plain;
                    self.head = (self.head + 1) & self.params.id().mask();
                    self.accepted += 1;
                    self.data(&mut tick);
                }
                _ => self.control(inputs, pinging, &mut tick),
            }
        }
        if let Some(measurement) = &mut self.measurement {
            measurement.age += 1;
        }
        self.ticks += 1;
        let place = self.place(0);
        self.history[place] = self.next;
        self.straight = self.straight.saturating_add(1);
        tick.frame = self.seal_bound(&tick.plain, tick.id);
        tick
    }

    fn data(&mut self, tick: &mut LaneTick) {
        tick.slack = false;
        self.next = (self.next + 1) & self.params.id().mask();
        self.since_control = self.since_control.saturating_add(1);
    }

    fn control(&mut self, inputs: &LaneInputs, pinging: bool, tick: &mut LaneTick) {
        if pinging {
            self.ping = !self.ping;
            self.measurement = Some(Measurement {
                age: 0,
                void: false,
                disturbed: false,
            });
            self.measure = false;
        }
        let report = &inputs.report;
        let key = match inputs.phase {
            Phase::Up if report.error => Control::RetransmitRequest,
            Phase::Up => Control::Idle,
            _ => Control::PauseRequest,
        };
        tick.plain = Frame::control(self.params.frame(), key);
        let announcement = self.announcement(inputs);
        tick.plain.set_reserved(announcement.bits(key));
        self.since_control = 0;
        self.told = Told {
            incident: report.error.then_some(report.n),
            stop: inputs.stop,
            stop_seen: report.stop,
            pong: report.ping,
            up: inputs.phase == Phase::Up,
        };
    }

    fn place(&self, ago: u32) -> usize {
        ((self.ticks - u64::from(ago)) & u64::from(self.params.id().mask())) as usize
    }

    /// Takes the pong, if it has come, and decides whether to measure again.
    fn round_trip_tick(&mut self, report: &Report, up: bool) {
        if let Some(measurement) = &mut self.measurement {
            measurement.disturbed |= !report.fresh;
        }
        if let Some(Measurement {
            age,
            void,
            disturbed,
        }) = self.measurement
            && report.pong == Some(self.ping)
        {
            self.measurement = None;
            let round_trip = age.saturating_add_signed(self.rules.margin);
            if round_trip > self.longest() {
                let weight = if disturbed { 1 } else { UNDISTURBED };
                self.too_long = self.too_long.saturating_add(weight);
                self.measure = true;
            } else if void {
                self.too_long = 0;
                self.measure = true;
            } else {
                self.too_long = 0;
                self.round_trip = Some(round_trip);
            }
        }
        // Before UP the round trip is measured all the time.
        self.measure |= !up && self.measurement.is_none();
        if report.broken && (self.rules.measure_again || !up) {
            self.doubt(false);
        }
    }

    /// The round trip may have changed: measure it again, and do not trust an answer that is under
    /// way if `void`.
    fn doubt(&mut self, void: bool) {
        self.round_trip = None;
        match &mut self.measurement {
            Some(measurement) => measurement.void |= void,
            None => self.measure = true,
        }
    }

    /// Goes back to what the peer asks for; whether it did.
    fn serve(&mut self, report: &Report) -> bool {
        let Some(ask) = report.ask else {
            return false;
        };
        if ask.n == self.served && self.rules.serve_once {
            return false;
        }
        let outside = self.ahead(self.safe, ask.wanted) > self.ahead(self.safe, self.head);
        if outside {
            self.strays = self.strays.saturating_add(1);
            return false;
        }
        self.strays = 0;
        self.served = ask.n;
        self.next = ask.wanted;
        self.safe = ask.wanted;
        self.resends += 1;
        if self.rules.hold {
            self.straight = 0;
        }
        if self.rules.measure_again {
            self.doubt(true);
        }
        true
    }

    /// Moves `safe` to where `next` was one round trip ago, if the peer has not complained.
    fn advance(&mut self, report: &Report, up: bool) {
        let Some(round_trip) = self.round_trip else {
            return;
        };
        if up && report.fresh && self.straight > round_trip {
            let then = self.history[self.place(round_trip)];
            // Never backward, never beyond what has been sent.
            if self.ahead(self.safe, then) <= self.ahead(self.safe, self.next) {
                self.safe = then;
            }
        }
    }
}
