// SPDX-License-Identifier: Apache-2.0
//! What the state of one end of a RIFL link means, in words, and what becomes of it over time.
//!
//! It holds for an end whatever it is read from: the status outputs of simulated RTL, or the
//! registers of a core (`docs/src/rifl-registers.md`).

use ropewalk_wire::rifl::regs::{LinkReason, SessionReason, SessionState};

use crate::state::{LaneState, Reason};
use crate::timeline::{Kind, Timeline};

/// Flags of a lane (`lane.status`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaneFlags {
    /// The aligner has found the frames.
    pub aligned: bool,
    /// The receiver is used.
    pub up: bool,
    /// The receiver waits for a retransmission.
    pub error: bool,
    /// The peer requests a pause: its receiver is not up.
    pub pause_req: bool,
    /// The peer requests a retransmission.
    pub retrans_req: bool,
    /// Where in the words of the line the frames begin, in bits; holds while aligned.
    pub slip: u8,
}

impl LaneFlags {
    /// State of the direction towards this end.
    #[must_use]
    pub fn state(&self) -> LaneState {
        match self {
            Self { up: false, .. } => LaneState::Down,
            Self { error: true, .. } => LaneState::Recovering,
            _ => LaneState::Up,
        }
    }
}

/// The session of the extended mode (`session`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session {
    /// How far it is.
    pub state: SessionState,
    /// Why it is not up.
    pub reason: SessionReason,
    /// The same as the peer says it.
    pub peer_reason: SessionReason,
    /// Number of the own session.
    pub own: u16,
    /// Number of the peer's session; 0: none.
    pub peer: u16,
}

/// One end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// It is held in reset.
    pub reset: bool,
    /// User data flow.
    pub up: bool,
    /// Its lanes.
    pub lanes: Vec<LaneFlags>,
    /// Its session.
    pub session: Session,
}

impl End {
    /// What keeps the end from being up, by the rule of the register `link.reason`: the first that
    /// applies.
    #[must_use]
    pub fn link_reason(&self) -> LinkReason {
        let waiting = matches!(
            self.session.state,
            SessionState::Hello | SessionState::Ready | SessionState::Refused
        );
        if self.reset {
            LinkReason::InReset
        } else if !self.lanes.iter().all(|lane| lane.aligned) {
            LinkReason::NoAlignment
        } else if !self.lanes.iter().all(|lane| lane.up) {
            LinkReason::Settling
        } else if waiting {
            LinkReason::Session
        } else if self.lanes.iter().any(|lane| lane.pause_req) {
            LinkReason::PeerNotUp
        } else if self.up {
            LinkReason::Up
        } else {
            LinkReason::Starting
        }
    }
}

/// Numbers of lanes as words.
fn named(lanes: impl Iterator<Item = usize>) -> String {
    let numbers: Vec<String> = lanes.map(|lane| lane.to_string()).collect();
    match &numbers[..] {
        [one] => format!("lane {one}"),
        _ => format!("lanes {}", numbers.join(", ")),
    }
}

/// Words of a reason of the session.
fn session_words(reason: SessionReason) -> &'static str {
    match reason {
        SessionReason::None => "the session is being set up",
        SessionReason::NoSignal => "the receiver of a lane is not up",
        SessionReason::NoPeer => "announcements of the peer are missing",
        SessionReason::FrameWidth => "the frame widths of both ends differ",
        SessionReason::IdWidth => "the frame-id widths of both ends differ",
        SessionReason::Lanes => "the numbers of lanes of both ends differ",
        SessionReason::LaneOrder => {
            "lanes are swapped: one is connected to a lane of another number"
        }
        SessionReason::UserWidth => "the user widths of both ends differ",
        SessionReason::Rate => "the line rates of both ends differ",
        SessionReason::RoundTrip => "the round trip is longer than the replay buffer covers",
        SessionReason::Peers => "the lanes lead to different peers",
        SessionReason::PeerRefuses => "the peer refuses",
        SessionReason::Published => "the published protocol runs",
        SessionReason::StrongCode => "only one end has the stronger code",
    }
}

/// Why an end is not up; none while it is.
#[must_use]
pub fn down_reason(name: &str, end: &End) -> Option<Reason> {
    let lanes = |bad: fn(&LaneFlags) -> bool| {
        let all = end.lanes.iter().enumerate();
        named(all.filter(|(_, lane)| bad(lane)).map(|(number, _)| number))
    };
    let why = end.link_reason();
    let text = match why {
        LinkReason::Up => return None,
        LinkReason::InReset => format!("{name} is held in reset"),
        LinkReason::NoAlignment => {
            format!(
                "{name} finds no frames on {}: cable, peer or transceiver",
                lanes(|lane| !lane.aligned)
            )
        }
        LinkReason::Settling => format!(
            "{name} has found the frames of {} again and waits until they have lasted",
            lanes(|lane| !lane.up)
        ),
        LinkReason::PeerNotUp => format!(
            "the peer of {name} receives nothing: it requests a pause on {}",
            lanes(|lane| lane.pause_req)
        ),
        LinkReason::Starting => format!("{name} sends the first frames without user data"),
        LinkReason::Session => {
            let session = &end.session;
            // Where the peer refuses, its own reason says more.
            let reason = match (session.reason, session.peer_reason) {
                (SessionReason::PeerRefuses, peer) if peer != SessionReason::None => peer,
                (own, _) => own,
            };
            let text = format!("{name}: {}", session_words(reason));
            let code = match reason {
                SessionReason::None | SessionReason::NoPeer | SessionReason::NoSignal => "session",
                specific => specific.name(),
            };
            return Some(Reason::new(code, text));
        }
    };
    Some(Reason::new(why.name(), text))
}

/// How much a reason explains: where several follow each other while a link is down, the one that
/// explains most is kept.
fn weight(code: &str) -> u8 {
    match code {
        "starting" | "session" => 0,
        "settling" | "peer_not_up" => 1,
        "no_alignment" => 2,
        _ => 3,
    }
}

/// What goes on at a lane.
#[derive(Debug, Clone, Copy, Default)]
struct LaneEvents {
    /// Event of the time without alignment.
    unaligned: Option<u64>,
    /// Event of the time in which it waits for a retransmission, and its beginning.
    recovering: Option<(u64, f64)>,
    /// Somebody has said why.
    explained: bool,
    /// Where the frames were last.
    slip: u8,
}

/// Follows one end, and writes what happens to it into a timeline.
#[derive(Debug)]
pub struct Follower {
    name: String,
    before: Option<End>,
    /// Event of the present link-down, and the reason in it.
    down: Option<(u64, Reason)>,
    /// It has been up.
    met: bool,
    lanes: Vec<LaneEvents>,
    recoveries: Vec<u64>,
    /// Link-ups, link-downs, sessions of its own.
    counts: [u64; 3],
    peer: u16,
}

impl Follower {
    /// Follows an end of this name.
    #[must_use]
    pub fn new(name: &str, lanes: usize) -> Self {
        Self {
            name: name.to_owned(),
            before: None,
            down: None,
            met: false,
            lanes: vec![LaneEvents::default(); lanes],
            recoveries: vec![0; lanes],
            counts: [0; 3],
            peer: 0,
        }
    }

    /// Requests of retransmission so far on each lane.
    #[must_use]
    pub fn recoveries(&self) -> &[u64] {
        &self.recoveries
    }

    /// Since when a lane waits for a retransmission; none: it does not.
    #[must_use]
    pub fn recovering_since(&self, lane: usize) -> Option<f64> {
        let event = self.lanes.get(lane).and_then(|lane| lane.recovering);
        event.map(|(_, since)| since)
    }

    /// Whether a lane is in trouble of which nobody has said why.
    #[must_use]
    pub fn wants_explanation(&self, lane: usize) -> bool {
        let lane = self.lanes.get(lane).copied().unwrap_or_default();
        !lane.explained && (lane.unaligned.is_some() || lane.recovering.is_some())
    }

    /// Says why a lane is in trouble; who sees its line knows more than its receiver.
    pub fn explain(&mut self, lane: usize, reason: &Reason, timeline: &mut Timeline) {
        let Some(lane) = self.lanes.get_mut(lane) else {
            return;
        };
        lane.explained = true;
        let recovering = lane.recovering.map(|(event, _)| event);
        for event in lane.unaligned.into_iter().chain(recovering) {
            timeline.explain(event, reason.clone());
        }
    }

    /// Times the end has gone up.
    #[must_use]
    pub fn ups(&self) -> u64 {
        self.counts[0]
    }

    /// Times the end has gone down.
    #[must_use]
    pub fn downs(&self) -> u64 {
        self.counts[1]
    }

    /// Sessions that have come up.
    #[must_use]
    pub fn sessions(&self) -> u64 {
        self.counts[2]
    }

    /// Takes note of the state of the end at a time; does nothing where it is the one of before.
    pub fn update(&mut self, time_s: f64, end: &End, timeline: &mut Timeline) {
        if self.before.as_ref() == Some(end) {
            return;
        }
        self.lanes(time_s, end, timeline);
        self.session(time_s, end, timeline);
        self.link(time_s, end, timeline);
        self.before = Some(end.clone());
    }

    fn lanes(&mut self, time_s: f64, end: &End, timeline: &mut Timeline) {
        for (number, lane) in end.lanes.iter().enumerate() {
            let Some(events) = self.lanes.get_mut(number) else {
                continue;
            };
            let name = format!("{}: lane {number}", self.name);
            // Before the link has come up for the first time all lanes look for their frames.
            match (lane.aligned, events.unaligned) {
                (false, None) if self.met && !end.reset => {
                    let reason = Reason::new("no_alignment", format!("{name} has lost its frames"));
                    events.unaligned = Some(timeline.begin(time_s, Kind::Lane, reason));
                }
                (true, Some(event)) => {
                    timeline.end(event, time_s);
                    if events.slip != lane.slip && !events.explained {
                        let by = (64 + lane.slip - events.slip) % 64;
                        let text = format!(
                            "{name} has found its frames again {by} bits (modulo 64) further on: a bit slip"
                        );
                        timeline.explain(event, Reason::new("bit_slip", text));
                    }
                    events.unaligned = None;
                }
                _ => {}
            }
            match (lane.error && lane.up, events.recovering) {
                (true, None) => {
                    let text = format!("{name} requests a retransmission: a frame was damaged");
                    let reason = Reason::new("bit_errors", text);
                    let event = timeline.begin(time_s, Kind::Recovery, reason);
                    events.recovering = Some((event, time_s));
                    self.recoveries[number] += 1;
                }
                (false, Some((event, _))) => {
                    timeline.end(event, time_s);
                    events.recovering = None;
                }
                _ => {}
            }
            if lane.aligned {
                events.slip = lane.slip;
            }
            events.explained &= events.unaligned.is_some() || events.recovering.is_some();
        }
    }

    fn session(&mut self, time_s: f64, end: &End, timeline: &mut Timeline) {
        let (now, name) = (&end.session, &self.name);
        let up = |session: &Session| session.state == SessionState::Up;
        let was_up = self.before.as_ref().is_some_and(|it| up(&it.session));
        self.counts[2] += u64::from(up(now) && !was_up);
        // While no session comes up an end may try many.
        if up(now) && now.peer != self.peer {
            if self.peer != 0 {
                let text = format!(
                    "{name}: the peer has begun a new session, because of a reset or to leave a broken one"
                );
                timeline.note(time_s, Kind::Session, Reason::new("new_session", text));
            }
            self.peer = now.peer;
        }
    }

    fn link(&mut self, time_s: f64, end: &End, timeline: &mut Timeline) {
        let Some(reason) = down_reason(&self.name, end) else {
            if let Some((event, _)) = self.down.take() {
                timeline.end(event, time_s);
            }
            if !self.before.as_ref().is_some_and(|it| it.up) {
                self.counts[0] += 1;
                self.met = true;
            }
            return;
        };
        match &mut self.down {
            None => {
                self.counts[1] += u64::from(self.met);
                let event = timeline.begin(time_s, Kind::Down, reason.clone());
                self.down = Some((event, reason));
            }
            Some((event, kept)) if weight(&reason.code) > weight(&kept.code) => {
                timeline.explain(*event, reason.clone());
                *kept = reason;
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound() -> End {
        let lane = LaneFlags {
            aligned: true,
            up: true,
            ..LaneFlags::default()
        };
        End {
            reset: false,
            up: true,
            lanes: vec![lane; 2],
            session: Session {
                state: SessionState::Up,
                reason: SessionReason::None,
                peer_reason: SessionReason::None,
                own: 1,
                peer: 2,
            },
        }
    }

    fn code(end: &End) -> Option<String> {
        down_reason("B", end).map(|reason| reason.code.to_string())
    }

    #[test]
    fn every_reason_has_its_name() {
        assert_eq!(code(&sound()), None);
        let with = |change: fn(&mut End)| {
            let mut end = sound();
            end.up = false;
            change(&mut end);
            code(&end).expect("down")
        };
        assert_eq!(with(|end| end.reset = true), "in_reset");
        assert_eq!(with(|end| end.lanes[1].aligned = false), "no_alignment");
        assert_eq!(with(|end| end.lanes[1].up = false), "settling");
        assert_eq!(with(|end| end.lanes[1].pause_req = true), "peer_not_up");
        assert_eq!(with(|_| ()), "starting");
        assert_eq!(
            with(|end| end.session.state = SessionState::Hello),
            "session"
        );
        for reason in SessionReason::ALL {
            let mut end = sound();
            end.session.state = SessionState::Refused;
            end.session.reason = *reason;
            let code = code(&end).expect("down");
            assert!(code == "session" || code == reason.name(), "{code}");
        }
        let mut end = sound();
        end.session.state = SessionState::Refused;
        end.session.reason = SessionReason::PeerRefuses;
        end.session.peer_reason = SessionReason::LaneOrder;
        let reason = down_reason("A", &end).expect("down");
        assert_eq!(reason.code, "lane_order");
        assert!(reason.text.contains("swapped"), "{reason:?}");
        end.lanes[1].aligned = false;
        let reason = down_reason("A", &end).expect("down");
        assert!(reason.text.contains("lane 1"), "{reason:?}");
    }

    #[test]
    fn a_life_of_an_end_is_told_in_order() {
        let (mut follower, mut timeline) = (Follower::new("B", 2), Timeline::default());
        let mut at = |time: f64, end: &End| follower.update(time, end, &mut timeline);
        let mut end = End {
            up: false,
            lanes: vec![LaneFlags::default(); 2],
            ..sound()
        };
        at(0.0, &end);
        at(1.0, &sound());
        // A damaged frame.
        end = sound();
        end.lanes[0].error = true;
        at(2.0, &end);
        at(3.0, &sound());
        // A cut, of which the pause is noticed first.
        end = sound();
        end.up = false;
        at(4.0, &end);
        end.lanes[1].aligned = false;
        end.lanes[1].up = false;
        at(5.0, &end);
        at(5.5, &end);
        // The peer begins anew.
        end = sound();
        end.session.peer = 9;
        at(6.0, &end);
        let told: Vec<_> = timeline
            .events()
            .into_iter()
            .map(|event| {
                (
                    event.kind,
                    event.reason.code.to_string(),
                    event.time_s,
                    event.duration_s,
                )
            })
            .collect();
        let event = |kind, code: &str, time, length| (kind, code.to_owned(), time, Some(length));
        assert_eq!(
            told,
            [
                event(Kind::Down, "no_alignment", 0.0, 1.0),
                event(Kind::Recovery, "bit_errors", 2.0, 1.0),
                event(Kind::Down, "no_alignment", 4.0, 2.0),
                event(Kind::Lane, "no_alignment", 5.0, 1.0),
                event(Kind::Session, "new_session", 6.0, 0.0),
            ]
        );
        assert_eq!(
            (follower.ups(), follower.downs(), follower.sessions()),
            (2, 1, 1)
        );
        assert_eq!(follower.recoveries(), [1, 0]);
        assert_eq!(follower.recovering_since(0), None);
    }

    #[test]
    fn who_sees_the_line_says_more_and_a_slip_is_seen_at_the_receiver() {
        let (mut follower, mut timeline) = (Follower::new("B", 2), Timeline::default());
        let mut lost = sound();
        lost.up = false;
        lost.lanes[1].aligned = false;
        follower.update(0.0, &sound(), &mut timeline);
        follower.update(1.0, &lost, &mut timeline);
        assert!(follower.wants_explanation(1) && !follower.wants_explanation(0));
        let why = Reason::new("line_zero", "all zero");
        follower.explain(1, &why, &mut timeline);
        assert!(!follower.wants_explanation(1));
        let mut slipped = sound();
        slipped.lanes[1].slip = 5;
        follower.update(2.0, &slipped, &mut timeline);
        lost.lanes[1].slip = 9;
        follower.update(3.0, &lost, &mut timeline);
        follower.update(4.0, &sound(), &mut timeline);
        let codes: Vec<String> = timeline
            .events()
            .into_iter()
            .filter(|event| event.kind == Kind::Lane)
            .map(|event| event.reason.code.to_string())
            .collect();
        // The first one was explained; the second one moved from 5 to 0.
        assert_eq!(codes, ["line_zero", "bit_slip"]);
        let events = timeline.events();
        let mut lanes = events.iter().filter(|event| event.kind == Kind::Lane);
        let text = &lanes.next_back().expect("an event").reason.text;
        assert!(text.contains("59 bits"), "{text}");
    }
}
