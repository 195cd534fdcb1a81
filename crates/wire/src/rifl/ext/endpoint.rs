// SPDX-License-Identifier: Apache-2.0
//! One end of an extended link: N lanes under one session, each with its receive buffer, up to the
//! user.
//!
//! Once per frame time: [`Endpoint::receive`] for each frame that has come, [`Endpoint::step`],
//! then [`Endpoint::take`] and [`Endpoint::send`] for each lane. Lanes carry streams of segments of
//! their own; how packets are spread over lanes is not this module's business.
//!
//! When a session ends, whatever is between the users is discarded. A packet of which the receiving
//! user has got a part ends with [`Aborted`]; the rest of a packet of which the sending
//! user has handed over a part is taken and thrown away. [`Endpoint::session`] counts the sessions
//! that ended.

use super::super::clock_comp::ClockComp;
use super::super::fc::FlowBuffer;
use super::super::frame::{Control, Frame, Kind, Segment};
use super::super::params::LaneParams;
use super::super::rx::Receiver;
use super::super::tx::{Transmitter, TxInputs};
use super::announcement::{Announcement, Capabilities, Detail, Phase};
use super::rx::{LaneReceiver, Pair};
use super::session::{Event, LaneView, Session, State};
use super::tx::{LaneInputs, LaneTick, LaneTransmitter};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use thiserror::Error;

/// A parameter of an end outside its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum EndError {
    /// Number of lanes.
    #[error("{0} lanes: accepted are 1, 2, 4 or 8")]
    Lanes(usize),
    /// Number of lane groups.
    #[error(
        "{groups} groups of {lanes} lanes: accepted are 1, 2, 4 or 8, at most as many as lanes"
    )]
    Groups {
        /// As asked for.
        groups: usize,
        /// Number of lanes.
        lanes: usize,
    },
    /// Frame width that an announcement cannot tell.
    #[error("frame width {0} in the extended mode: accepted are 128, 256, 512, 1024 and 2048 bits")]
    FrameWidth(u16),
}

/// What an end is built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndParams {
    lane: LaneParams,
    lanes: usize,
    groups: usize,
    rate: u16,
    extended: bool,
    delayed_release: bool,
}

impl EndParams {
    /// An end of `lanes` equal lanes in one group, line rate not told, extended mode on.
    ///
    /// # Errors
    /// Names the value and what would be accepted.
    pub fn new(lane: LaneParams, lanes: usize) -> Result<Self, EndError> {
        if ![1, 2, 4, 8].contains(&lanes) {
            return Err(EndError::Lanes(lanes));
        }
        let bits = lane.frame().bits();
        if !bits.is_power_of_two() {
            return Err(EndError::FrameWidth(bits));
        }
        Ok(EndParams {
            lane,
            lanes,
            groups: 1,
            rate: 0,
            extended: true,
            delayed_release: false,
        })
    }

    /// The same end with its lanes in `groups` groups (frame width times lanes over user width).
    ///
    /// # Errors
    /// [`EndError::Groups`] unless it is 1, 2, 4 or 8 and at most the number of lanes.
    pub fn with_groups(self, groups: usize) -> Result<Self, EndError> {
        let lanes = self.lanes;
        if !groups.is_power_of_two() || groups > lanes {
            return Err(EndError::Groups { groups, lanes });
        }
        Ok(EndParams { groups, ..self })
    }

    /// The same end, telling its line rate in units of 10 Mb/s (0 for not).
    #[must_use]
    pub const fn with_rate(self, rate: u16) -> Self {
        EndParams { rate, ..self }
    }

    /// The same end with the extended mode on or off. Off, it is a published core with our repairs.
    #[must_use]
    pub const fn with_extended(self, extended: bool) -> Self {
        EndParams { extended, ..self }
    }

    /// The same end with delayed release on or off: a frame is delivered only when the one behind
    /// it is good, too.
    #[must_use]
    pub const fn with_delayed_release(self, delayed_release: bool) -> Self {
        EndParams {
            delayed_release,
            ..self
        }
    }

    /// A lane.
    #[must_use]
    pub const fn lane(self) -> LaneParams {
        self.lane
    }

    /// Number of lanes.
    #[must_use]
    pub const fn lanes(self) -> usize {
        self.lanes
    }

    /// Whether the extended mode is on.
    #[must_use]
    pub const fn extended(self) -> bool {
        self.extended
    }

    fn capabilities(self) -> Capabilities {
        Capabilities {
            lanes: self.lanes.ilog2() as u8,
            frame_width: (self.lane.frame().bits() / 128).ilog2() as u8,
            groups: self.groups.ilog2() as u8,
            id_width: self.lane.id().bits(),
            rate: self.rate,
            reason: super::Reason::None,
            strong_code: self.lane.frame().strong_code(),
        }
    }
}

/// The packet that was begun ends here, incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aborted;

/// What the receiving user gets: the next part of a packet, or its end.
pub type Delivery = Result<Segment, Aborted>;

/// The two halves of a lane in the compatible mode.
#[derive(Debug, Clone)]
struct Compatible {
    tx: Transmitter,
    rx: Receiver,
}

impl Compatible {
    fn new(params: LaneParams) -> Self {
        Compatible {
            tx: Transmitter::new(params),
            rx: Receiver::new(params),
        }
    }
}

/// One lane of an end.
#[derive(Debug, Clone)]
pub struct Lane {
    pub(crate) rx: LaneReceiver,
    pub(crate) tx: LaneTransmitter,
    compatible: Option<Compatible>,
    flow: FlowBuffer,
    buffer: VecDeque<Segment>,
    /// Segments that came since the last frame time.
    pushed: u16,
    comp: ClockComp,
    received: u64,
    /// The receiving user has got a part of a packet, and has not been told its end yet.
    open_out: bool,
    abort: bool,
    /// The sending user has handed over a part of a packet, and the rest is to be thrown away.
    open_in: bool,
    discard: bool,
    overflows: u64,
    aborts: u64,
}

impl Lane {
    fn new(params: LaneParams, lane: u8, own: u16) -> Self {
        Lane {
            rx: LaneReceiver::new(params, lane, own),
            tx: LaneTransmitter::new(params),
            compatible: None,
            flow: FlowBuffer::new(params.id()),
            buffer: VecDeque::new(),
            pushed: 0,
            comp: ClockComp::default(),
            received: 0,
            open_out: false,
            abort: false,
            open_in: false,
            discard: false,
            overflows: 0,
            aborts: 0,
        }
    }

    /// The receiver.
    #[must_use]
    pub const fn rx(&self) -> &LaneReceiver {
        &self.rx
    }

    /// The transmitter.
    #[must_use]
    pub const fn tx(&self) -> &LaneTransmitter {
        &self.tx
    }

    /// Segments that wait for the user.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.buffer.len()
    }

    /// Segments that found a full buffer; never any, whatever the line does.
    #[must_use]
    pub const fn overflows(&self) -> u64 {
        self.overflows + self.flow.overflows()
    }

    /// Packets cut at the receiving user.
    #[must_use]
    pub const fn aborts(&self) -> u64 {
        self.aborts
    }

    fn view(&self, lane: u8, own: Capabilities) -> LaneView {
        let (plain, announced, offences) = self.rx.runs();
        let (too_long, strays) = self.tx.complaints();
        LaneView {
            aligned: self.rx.aligned(),
            peer: self.rx.peer(),
            capabilities: self.rx.capabilities(),
            plain,
            announced,
            offences,
            strays,
            round_trip_fits: self.tx.round_trip().map(|r| r <= self.tx.longest()),
            too_long,
            lane,
            own,
        }
    }

    /// Drops everything between the users.
    fn discard(&mut self, params: LaneParams) {
        self.buffer.clear();
        self.pushed = 0;
        self.overflows += self.flow.overflows();
        self.flow = FlowBuffer::new(params.id());
        self.abort |= self.open_out;
        self.open_out = false;
        self.discard |= self.open_in;
        self.open_in = false;
    }
}

/// One end of a link.
#[derive(Debug, Clone)]
pub struct Endpoint {
    params: EndParams,
    session: Session,
    lanes: Vec<Lane>,
}

impl Endpoint {
    /// An end after reset. Its session numbers follow `seed`, which has to make them differ from
    /// those of the last resets.
    #[must_use]
    pub fn new(params: EndParams, seed: u16) -> Self {
        let session = Session::new(seed);
        let mut lanes: Vec<Lane> = (0..params.lanes)
            .map(|lane| Lane::new(params.lane, lane as u8, session.own()))
            .collect();
        for lane in &mut lanes {
            lane.rx.set_delayed_release(params.delayed_release);
            if !params.extended {
                lane.compatible = Some(Compatible::new(params.lane));
            }
        }
        Endpoint {
            params,
            session,
            lanes,
        }
    }

    /// What the end is built with.
    #[must_use]
    pub const fn params(&self) -> EndParams {
        self.params
    }

    /// The session.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// The lanes.
    #[must_use]
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    #[cfg(test)]
    pub(crate) fn lanes_mut(&mut self) -> &mut [Lane] {
        &mut self.lanes
    }

    #[cfg(test)]
    pub(crate) fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Whether the end works like a published core.
    #[must_use]
    pub fn compatible(&self) -> bool {
        !self.params.extended || self.session.state() == State::Compatible
    }

    /// Both session numbers while the session is up; `None` in the compatible mode.
    #[must_use]
    pub fn pair(&self) -> Option<Pair> {
        self.session.up().then(|| Pair {
            own: self.session.own(),
            peer: self.session.peer(),
        })
    }

    /// Whether user data is accepted whenever its turn comes.
    #[must_use]
    pub fn ready(&self) -> bool {
        self.session.up() && self.lanes.iter().all(|lane| lane.rx.peer_up())
    }

    /// Takes a frame that came on a lane; `true` if the code says that it is the next in order.
    /// `aligned` is the aligner's verdict.
    pub fn receive(&mut self, lane: usize, frame: &Frame, aligned: bool) -> bool {
        let Some(lane) = self.lanes.get_mut(lane) else {
            return false;
        };
        lane.received += 1;
        let received = lane.rx.frame(frame, aligned);
        let (segment, good) = match &mut lane.compatible {
            Some(compatible) => {
                let received = compatible.rx.frame(frame, aligned);
                (received.segment, received.good && compatible.rx.up())
            }
            None => (received.segment, received.delivered),
        };
        if let Some(segment) = segment {
            lane.pushed += 1;
            lane.buffer.push_back(segment);
        }
        good
    }

    /// Looks at what all lanes have heard, and changes the state of the session if it is time.
    pub fn step(&mut self) -> Option<Event> {
        if !self.params.extended {
            return None;
        }
        let views: Vec<LaneView> = self
            .lanes
            .iter()
            .enumerate()
            .map(|(i, lane)| lane.view(i as u8, self.params.capabilities()))
            .collect();
        let event = self.session.step(&views)?;
        for lane in &mut self.lanes {
            match event {
                Event::Up { own, peer } => {
                    lane.rx.up(Pair { own, peer });
                    lane.tx.up();
                }
                Event::Compatible => lane.compatible = Some(Compatible::new(self.params.lane)),
                Event::Ended(_) => {
                    lane.compatible = None;
                    lane.rx.restart(self.session.own());
                    lane.tx.restart();
                    lane.discard(self.params.lane);
                }
            }
        }
        Some(event)
    }

    /// Gives the user of a lane what is next, if `accept`, and keeps the level of the receive
    /// buffer.
    pub fn take(&mut self, lane: usize, accept: bool) -> Option<Delivery> {
        let lane = self.lanes.get_mut(lane)?;
        let pushed = core::mem::take(&mut lane.pushed);
        if !accept {
            lane.flow.tick(pushed, 0);
            return None;
        }
        if lane.abort {
            lane.abort = false;
            lane.aborts += 1;
            lane.flow.tick(pushed, 0);
            return Some(Err(Aborted));
        }
        let segment = lane.buffer.pop_front();
        lane.flow.tick(pushed, u16::from(segment.is_some()));
        lane.open_out = segment.map_or(lane.open_out, |segment| !segment.end());
        segment.map(Ok)
    }

    /// Decides the frame of a lane for this frame time. A lane that does not exist sends nothing.
    pub fn send(&mut self, lane: usize, user: Option<&Segment>) -> Option<LaneTick> {
        let number = lane as u8;
        let mut capabilities = self.params.capabilities();
        capabilities.reason = self.session.reason();
        let peer_up = self.lanes.iter().all(|lane| lane.rx.peer_up());
        let lane = self.lanes.get_mut(lane)?;
        // The rest of a packet that was cut.
        let thrown = user.filter(|_| lane.discard);
        lane.discard &= thrown.is_none_or(|segment| !segment.end());
        let mut inputs = LaneInputs {
            phase: self.session.phase(),
            session: self.session.own(),
            peer_up,
            lane: number,
            capabilities,
            report: lane.rx.report(),
            stop: lane.flow.stop(),
            compensate: lane.comp.compensate(),
            user: user.filter(|_| thrown.is_none()),
        };
        let (mut tick, enable) = match &mut lane.compatible {
            Some(compatible) => {
                let flags = compatible.rx.flags();
                let decided = compatible.tx.decide(&TxInputs {
                    rx_up: flags.up,
                    rx_error: flags.error,
                    pause_req: flags.pause_req,
                    retrans_req: flags.retrans_req,
                    local_fc: lane.flow.stop(),
                    remote_fc: flags.remote_fc,
                    compensate: inputs.compensate,
                    user: inputs.user,
                });
                let mut plain = decided.plain;
                if let Kind::Control(key) = plain.kind()
                    && self.params.extended
                {
                    plain.set_reserved(hello(&inputs).bits(key));
                }
                let tick = LaneTick {
                    frame: lane.tx.seal(&plain, decided.id),
                    plain,
                    id: decided.id,
                    user_ready: decided.user_ready,
                    user_taken: decided.user_taken,
                    user_thrown: false,
                    slack: decided.slack,
                    replay: decided.replay,
                    resume: decided.retransmission_start,
                };
                (tick, flags.up)
            }
            None => {
                inputs.compensate &= self.session.up();
                (lane.tx.tick(&inputs), lane.rx.aligned())
            }
        };
        lane.comp.tick(lane.received, tick.slack, enable);
        if tick.user_taken {
            lane.open_in = inputs.user.is_some_and(|segment| !segment.end());
        }
        tick.user_thrown = thrown.is_some();
        Some(tick)
    }
}

/// What an extended end announces in the compatible mode, for a peer that is extended after all.
fn hello(inputs: &LaneInputs) -> Announcement {
    Announcement {
        phase: Phase::Hello,
        session: inputs.session,
        echo: inputs.report.echo,
        lane: inputs.lane,
        ping: false,
        pong: inputs.report.ping,
        stop: false,
        stop_seen: false,
        detail: Detail::Capabilities(inputs.capabilities),
    }
}

/// Whether a control frame is one that asks to send again.
#[must_use]
pub fn asks(plain: &Frame) -> bool {
    let Kind::Control(key) = plain.kind() else {
        return false;
    };
    match Announcement::decode(key, plain.reserved()).map(|a| a.detail) {
        Ok(Detail::Sequence(sequence)) => sequence.ask,
        _ => key == Control::RetransmitRequest,
    }
}
