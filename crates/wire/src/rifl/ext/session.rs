// SPDX-License-Identifier: Apache-2.0
//! Session of an end: one state machine for all of its lanes.
//!
//! ```text
//!             all lanes: peer HELLO or READY,       all lanes: peer READY or UP,
//!             echo = own number, one peer, fits     that peer, echo = own number
//!  ┌► HELLO ──────────────────────────► READY ──────────────────────► UP
//!  │   │ ▲ ▲                              │ other number or echo,      │ two announcements in a row that do not belong
//!  │   │ │ └──────────────────────────────┘ or REFUSED                 │ to the session; eight plain control frames; two
//!  │   ▼ │ fits again                                                  │ asks that cannot be served
//!  │  REFUSED (with a reason) ◄──────── the round trip has grown ──────┤
//!  └──────────────── a new number, everything cleared ◄────────────────┘
//! ```
//!
//! Nothing is sent or delivered before UP, so the way back from READY and REFUSED keeps the number.
//! An end in HELLO that receives eight plain control frames in a row on every lane has a published
//! core for a peer and works in the compatible mode, until two announcements in a row come on any
//! lane. An end with the stronger code refuses such a peer.

use super::announcement::{Announcement, Capabilities, Phase, Reason};

/// Plain control frames in a row by which a published peer is known.
pub const PLAIN_RUN: u8 = 8;
/// Announcements in a row that end a session which they do not belong to, or the compatible mode.
pub const OFFENCES: u8 = 2;
/// Weight of the round trips in a row that are too long by which the peer is refused: two that were
/// measured without any disturbance (8 each), or sixteen others (1 each).
pub const LONG_ROUND_TRIPS: u8 = 16;

/// What the session needs to know of one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaneView {
    /// Frame boundaries are known.
    pub aligned: bool,
    /// The last announcement since the lane was aligned.
    pub peer: Option<Announcement>,
    /// What the peer is built with, as its present session told it.
    pub capabilities: Option<Capabilities>,
    /// Control frames in a row without announcement, saturating.
    pub plain: u8,
    /// Announcements in a row, saturating.
    pub announced: u8,
    /// Announcements in a row that do not belong to the session, saturating.
    pub offences: u8,
    /// Asks in a row that cannot be served, saturating.
    pub strays: u8,
    /// The round trip, additions included, fits the ids; `None` while unknown.
    pub round_trip_fits: Option<bool>,
    /// Weight of the round trips in a row that were too long, saturating.
    pub too_long: u8,
    /// Number of this lane.
    pub lane: u8,
    /// This end's capabilities.
    pub own: Capabilities,
}

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The peer is in another session, or restarted its own.
    Peer,
    /// The peer is a published core.
    Plain,
    /// The peer asked for frames that it cannot be missing.
    Stray,
    /// The round trip has become too long.
    RoundTrip,
    /// Announcements on a link in compatible mode.
    Announced,
}

/// A change of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// Data may flow between these two sessions.
    Up {
        /// Own number.
        own: u16,
        /// The peer's number.
        peer: u16,
    },
    /// The compatible mode begins.
    Compatible,
    /// A session, or the compatible mode, has ended: what is between the users is discarded.
    Ended(Cause),
}

/// State of the session of one end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// As announced.
    Phase(Phase),
    /// Working with a published core; announced as HELLO.
    Compatible,
}

/// Session of one end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    state: State,
    own: u16,
    peer: u16,
    reason: Reason,
    ended: u64,
    pub(crate) rules: Rules,
}

/// Rules of the session, each of which a test can switch off to show what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Announcements of another session end this one.
    pub(crate) offences: bool,
    /// Asks that cannot be served end the session.
    pub(crate) strays: bool,
}

const RULES: Rules = Rules {
    offences: true,
    strays: true,
};

impl Session {
    /// A session after reset. The numbers of its sessions follow each other from `seed` on, so that
    /// none returns before all were used. They have to differ from those that this end had before
    /// the reset, as far as they may still be on the line.
    #[must_use]
    pub fn new(seed: u16) -> Self {
        let mut session = Session {
            state: State::Phase(Phase::Hello),
            own: seed,
            peer: 0,
            reason: Reason::None,
            ended: 0,
            rules: RULES,
        };
        session.draw();
        session
    }

    /// The next number, which is never 0.
    fn draw(&mut self) {
        self.own = self.own.checked_add(1).unwrap_or(1);
    }

    /// The state.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// The phase that is announced.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        match self.state {
            State::Phase(phase) => phase,
            State::Compatible => Phase::Hello,
        }
    }

    /// Whether the session is up.
    #[must_use]
    pub fn up(&self) -> bool {
        self.state == State::Phase(Phase::Up)
    }

    /// Own number.
    #[must_use]
    pub const fn own(&self) -> u16 {
        self.own
    }

    /// Number of the peer that this end got ready with; meaningful in READY and UP.
    #[must_use]
    pub const fn peer(&self) -> u16 {
        self.peer
    }

    /// Why the peer is refused.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// Sessions ended since the reset.
    #[must_use]
    pub const fn ended(&self) -> u64 {
        self.ended
    }

    fn end(&mut self, phase: Phase, reason: Reason, cause: Cause) -> Option<Event> {
        self.state = State::Phase(phase);
        self.reason = reason;
        self.ended += 1;
        self.draw();
        Some(Event::Ended(cause))
    }

    /// Takes the state of all lanes behind the frames of a frame time; at most one change results.
    pub fn step(&mut self, lanes: &[LaneView]) -> Option<Event> {
        let misfit = lanes.iter().map(misfit).find(|&r| r != Reason::None);
        match self.state {
            State::Phase(Phase::Hello) => {
                let plain = lanes.iter().all(|lane| lane.plain >= PLAIN_RUN);
                let strong = lanes.iter().any(|lane| lane.own.strong_code);
                if plain && !strong {
                    self.state = State::Compatible;
                    return Some(Event::Compatible);
                }
                // The compatible mode has no stronger code.
                if let Some(reason) = misfit.or(plain.then_some(Reason::StrongCode)) {
                    self.reason = reason;
                    self.state = State::Phase(Phase::Refused);
                } else if let Some(peer) = self.agreed(lanes) {
                    self.peer = peer;
                    self.state = State::Phase(Phase::Ready);
                }
                None
            }
            State::Phase(Phase::Refused) => {
                if misfit.is_none() && lanes.iter().all(fits) {
                    self.reason = Reason::None;
                    self.state = State::Phase(Phase::Hello);
                }
                None
            }
            State::Phase(Phase::Ready) => {
                let own = self.own;
                let known = |lane: &LaneView| lane.peer.filter(|_| lane.aligned);
                let ours = |a: &Announcement| a.session == self.peer && a.echo == own;
                let back = |a: &Announcement| !ours(a) || a.phase == Phase::Refused;
                let on = |a: &Announcement| ours(a) && matches!(a.phase, Phase::Ready | Phase::Up);
                if lanes
                    .iter()
                    .any(|lane| known(lane).is_some_and(|a| back(&a)))
                {
                    self.state = State::Phase(Phase::Hello);
                    None
                } else if lanes.iter().all(|lane| known(lane).is_some_and(|a| on(&a))) {
                    self.state = State::Phase(Phase::Up);
                    Some(Event::Up {
                        own,
                        peer: self.peer,
                    })
                } else {
                    None
                }
            }
            State::Phase(Phase::Up) => {
                let any = |bad: fn(&LaneView) -> bool| lanes.iter().any(bad);
                if self.rules.offences && any(|lane| lane.offences >= OFFENCES) {
                    self.end(Phase::Hello, Reason::None, Cause::Peer)
                } else if any(|lane| lane.plain >= PLAIN_RUN) {
                    self.end(Phase::Hello, Reason::None, Cause::Plain)
                } else if self.rules.strays && any(|lane| lane.strays >= OFFENCES) {
                    self.end(Phase::Hello, Reason::None, Cause::Stray)
                } else if any(|lane| lane.too_long >= LONG_ROUND_TRIPS) {
                    self.end(Phase::Refused, Reason::RoundTrip, Cause::RoundTrip)
                } else {
                    None
                }
            }
            State::Compatible => {
                if lanes.iter().any(|lane| lane.announced >= OFFENCES) {
                    self.end(Phase::Hello, Reason::None, Cause::Announced)
                } else {
                    None
                }
            }
        }
    }

    /// The number of the one peer that all lanes hear, if everything is as HELLO wants it.
    fn agreed(&self, lanes: &[LaneView]) -> Option<u16> {
        let peer = lanes.first()?.peer?.session;
        let agrees = |lane: &LaneView| {
            lane.peer.is_some_and(|a| {
                let early = matches!(a.phase, Phase::Hello | Phase::Ready);
                early && a.echo == self.own && a.session == peer
            })
        };
        let all = lanes.iter().all(|lane| agrees(lane) && fits(lane));
        all.then_some(peer)
    }
}

/// Whether a lane is known to fit.
fn fits(lane: &LaneView) -> bool {
    let known = lane.aligned && lane.capabilities.is_some();
    known && misfit(lane) == Reason::None && lane.round_trip_fits == Some(true)
}

/// Why a lane is known not to fit.
fn misfit(lane: &LaneView) -> Reason {
    let (Some(peer), Some(capabilities), true) = (lane.peer, lane.capabilities, lane.aligned)
    else {
        return Reason::None;
    };
    match lane.own.misfit(&capabilities) {
        Reason::None if peer.lane != lane.lane => Reason::LaneOrder,
        Reason::None if lane.too_long >= LONG_ROUND_TRIPS => Reason::RoundTrip,
        reason => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::super::announcement::Detail;
    use super::*;

    /// Both have each other's number, and the peer is not ready yet: it has not measured its round
    /// trip, or waits for another lane.
    #[test]
    fn a_peer_that_is_not_ready_is_waited_for() {
        let mut session = Session::new(6);
        let own = session.own();
        let own_capabilities = LaneView::default().own;
        let lane = |phase| LaneView {
            aligned: true,
            capabilities: Some(own_capabilities),
            round_trip_fits: Some(true),
            peer: Some(Announcement {
                phase,
                session: 9,
                echo: own,
                lane: 0,
                ping: false,
                pong: false,
                stop: false,
                stop_seen: false,
                detail: Detail::Capabilities(own_capabilities),
            }),
            ..LaneView::default()
        };
        assert_eq!(session.step(&[lane(Phase::Hello)]), None);
        assert_eq!(session.phase(), Phase::Ready);
        for _ in 0..3 {
            assert_eq!(session.step(&[lane(Phase::Hello)]), None);
            assert_eq!(session.phase(), Phase::Ready);
        }
        let up = Event::Up { own, peer: 9 };
        assert_eq!(session.step(&[lane(Phase::Ready)]), Some(up));
    }
}
