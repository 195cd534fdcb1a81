// SPDX-License-Identifier: Apache-2.0
//! The RTL in extended mode and with any number of lanes held against the model of `ropewalk-wire`,
//! transaction by transaction.
//!
//! Each receiver of the RTL has a model receiver beside it, which is given the same words. The
//! sessions are those that the RTL announces on the line. The model decides frame by frame what is
//! delivered, what is an incident, and, with the model of bonding behind the lanes, which packets
//! come out. The RTL must deliver these packets, in this order, and none else; it must announce
//! these incidents, each with its number and the id that is wanted; and both ends must name one
//! session by the same pair of numbers.
//!
//! What is not compared is the clock cycle. An end that is reset is left alone meanwhile, and so is
//! its model.

use std::collections::VecDeque;

use ropewalk_wire::rifl::aligner::Aligner;
use ropewalk_wire::rifl::bond::{Bond, Collector};
use ropewalk_wire::rifl::ext::announcement::{Announcement, Detail, Phase};
use ropewalk_wire::rifl::ext::rx::{LaneReceiver, Pair};
use ropewalk_wire::rifl::frame::{Frame, Kind};
use ropewalk_wire::rifl::scrambler::Descrambler;
use ropewalk_wire::rifl::{FrameWidth, IdWidth, LaneParams};

use crate::SimError;
use crate::rifl::{Endpoint, LinkConfig, Now, Observer};

/// Words of a receiver from a change of its reset to the first that it looks at, or no longer does:
/// the stages of the reset synchroniser.
const RESET_WORDS: u64 = 3;
/// Incidents of a lane that are remembered: their numbers are modulo this.
const INCIDENTS: usize = 16;
/// Frames after which an open incident must have been announced: it is at once, but for the
/// pipelines.
const ANNOUNCED_AFTER: u32 = 16;

/// An incident of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Incident {
    n: u8,
    wanted: u16,
}

/// One lane of an end.
#[derive(Debug)]
struct Lane {
    /// What the RTL's transmitter sends.
    sent: Aligner,
    plain: Descrambler,
    /// What its receiver gets.
    heard: Aligner,
    receiver: LaneReceiver,
    /// Aligned frames in a row, up to `UpFrames`: the RTL looks at the frames behind these only.
    aligned: u32,
    words: u64,
    incidents: VecDeque<Incident>,
    /// Frames for which the present incident has been open and not announced.
    unannounced: u32,
}

impl Lane {
    fn new(params: LaneParams, lane: u8) -> Self {
        Self {
            sent: Aligner::new(params.frame()),
            plain: Descrambler::default(),
            heard: Aligner::new(params.frame()),
            receiver: LaneReceiver::new(params, lane, 0),
            aligned: 0,
            words: 0,
            incidents: VecDeque::new(),
            unannounced: 0,
        }
    }
}

/// One end.
#[derive(Debug)]
struct End {
    params: LaneParams,
    bond: Bond,
    lanes: Vec<Lane>,
    /// Beginning and end of each reset, in GT cycles.
    resets: Vec<[u64; 2]>,
    session: Option<Pair>,
    own: u16,
    collector: Collector,
    /// Packets that the model delivered and the RTL has not.
    due: VecDeque<Vec<u8>>,
    /// The same of the session before: what stands in the registers of the user's side when a
    /// session ends still comes out.
    late: VecDeque<Vec<u8>>,
    packet: Vec<u8>,
    counts: Counts,
}

/// What has been compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Packets that the RTL delivered as the model does.
    pub packets: u64,
    /// Requests of the RTL for frames that the model misses.
    pub requests: u64,
    /// Incidents of the model.
    pub incidents: u64,
    /// Sessions that came up.
    pub sessions: u64,
}

impl End {
    /// While its reset passes the synchronisers the RTL still takes words: what the model makes of
    /// them is late, which the RTL need not deliver.
    fn in_reset(&self, cycle: u64) -> bool {
        self.resets.iter().any(|&[from, to]| {
            let seen = (from + RESET_WORDS).min(to.saturating_sub(1));
            (seen..to).contains(&cycle)
        })
    }

    /// Everything between the users is gone.
    fn end_session(&mut self, own: u16) {
        self.session = None;
        self.own = own;
        self.late.append(&mut self.due);
        self.collector = Collector::new(self.bond);
        for lane in &mut self.lanes {
            lane.receiver.restart(own);
            lane.incidents.clear();
            lane.unannounced = 0;
        }
    }

    /// The end is in reset.
    fn reset(&mut self, lane: usize) {
        if lane == 0 && self.session.is_some() {
            self.end_session(0);
        }
        self.lanes[lane] = Lane::new(self.params, lane as u8);
    }

    /// A word that the RTL sends.
    fn send(&mut self, lane: usize, word: u64) -> Result<(), String> {
        let from = &mut self.lanes[lane];
        let Some((frame, aligned)) = from.sent.word(word) else {
            return Ok(());
        };
        let mut plain = frame;
        from.plain.frame(&mut plain);
        match plain.kind() {
            Kind::Control(key) if aligned => match Announcement::decode(key, plain.reserved()) {
                Ok(announcement) => self.announced(lane, &announcement),
                Err(_) => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn announced(&mut self, lane: usize, announcement: &Announcement) -> Result<(), String> {
        let pair = (announcement.phase == Phase::Up).then_some(Pair {
            own: announcement.session,
            peer: announcement.echo,
        });
        if self.session.is_some() && pair != self.session || self.own != announcement.session {
            self.end_session(announcement.session);
        }
        if let (None, Some(pair)) = (self.session, pair) {
            self.session = Some(pair);
            self.counts.sessions += 1;
            self.lanes
                .iter_mut()
                .for_each(|lane| lane.receiver.up(pair));
        }
        if let Detail::Sequence(sequence) = announcement.detail
            && sequence.ask
        {
            let from = &mut self.lanes[lane];
            let asked = Incident {
                n: sequence.ask_n,
                wanted: sequence.wanted,
            };
            if !from.incidents.contains(&asked) {
                return Err(format!(
                    "lane {lane} requests {asked:?}; the model knows {:?}, T {}",
                    from.incidents,
                    from.receiver.threshold()
                ));
            }
            if from.incidents.back() == Some(&asked) {
                from.unannounced = 0;
            }
            self.counts.requests += 1;
        }
        Ok(())
    }

    /// A word that the RTL receives.
    fn receive(&mut self, lane: usize, word: u64) -> Result<(), String> {
        let to = &mut self.lanes[lane];
        to.words += 1;
        if to.words <= RESET_WORDS {
            return Ok(());
        }
        match to.heard.word(word) {
            Some((frame, aligned)) => self.frame(lane, &frame, aligned),
            None => Ok(()),
        }
    }

    fn frame(&mut self, lane: usize, frame: &Frame, aligned: bool) -> Result<(), String> {
        let to = &mut self.lanes[lane];
        let before = to.receiver.incidents();
        let up = aligned && to.aligned == self.params.up_frames();
        to.aligned = if aligned {
            (to.aligned + 1).min(self.params.up_frames())
        } else {
            0
        };
        let received = to.receiver.frame(frame, up);
        let report = to.receiver.report();
        if to.receiver.incidents() != before {
            if to.incidents.len() == INCIDENTS {
                to.incidents.pop_front();
            }
            to.incidents.push_back(Incident {
                n: report.n,
                wanted: report.wanted,
            });
            to.unannounced = 1;
            self.counts.incidents += 1;
        } else if to.unannounced > 0 && report.error {
            to.unannounced += 1;
            if to.unannounced > ANNOUNCED_AFTER {
                return Err(format!(
                    "lane {lane} does not request {:?}",
                    to.incidents.back()
                ));
            }
        }
        if let Some(segment) = received.segment {
            self.collector.push(lane, segment);
            self.due.extend(std::iter::from_fn(|| self.collector.pop()));
        }
        Ok(())
    }

    /// A beat that the RTL delivers.
    fn deliver(&mut self, beat: &crate::rifl::Beat<'_>) -> Result<(), String> {
        if beat.aborted {
            self.packet.clear();
            return Ok(());
        }
        let bytes = beat
            .bytes()
            .ok_or_else(|| format!("illegal TKEEP in {beat:x?}"))?;
        self.packet.extend_from_slice(bytes);
        if !beat.last {
            return Ok(());
        }
        if self.late.front() == Some(&self.packet) {
            self.late.pop_front();
            self.packet.clear();
            self.counts.packets += 1;
            return Ok(());
        }
        self.late.clear();
        let expected = self.due.pop_front();
        if expected.as_ref() != Some(&self.packet) {
            return Err(format!(
                "delivered {:x?}\n  model     {expected:x?}",
                self.packet
            ));
        }
        self.packet.clear();
        self.counts.packets += 1;
        Ok(())
    }
}

/// Models of both ends; give it to [`crate::rifl::run_observed`].
#[derive(Debug)]
pub struct Shadow {
    ends: [End; 2],
    mismatch: Option<String>,
}

impl Shadow {
    /// Models for a link.
    ///
    /// # Errors
    /// The link is not in extended mode, or the model cannot be built with these parameters.
    pub fn new(link: &LinkConfig) -> Result<Self, SimError> {
        let bad = |message: String| SimError::BadParameter {
            name: "link",
            message,
        };
        let model = link.model;
        if !model.extended {
            return Err(bad(format!("{model:?} is not in extended mode")));
        }
        let frame = FrameWidth::new(u32::from(model.frame_width));
        let frame = if model.strong_code {
            frame.and_then(FrameWidth::with_strong_code)
        } else {
            frame
        };
        let frame = frame.map_err(|e| bad(e.to_string()))?;
        let id = IdWidth::new(u32::from(model.id_width)).map_err(|e| bad(e.to_string()))?;
        let params = LaneParams::new(frame, id);
        let bond =
            Bond::new(model.lanes, model.group_lanes(), frame).map_err(|e| bad(e.to_string()))?;
        let end = |index: usize| End {
            params,
            bond,
            lanes: (0..model.lanes)
                .map(|lane| Lane::new(params, lane))
                .collect(),
            resets: link
                .resets
                .iter()
                .filter(|reset| reset.end == index)
                .map(|reset| {
                    [
                        reset.start_cycle,
                        reset.start_cycle.saturating_add(reset.cycles),
                    ]
                })
                .collect(),
            session: None,
            own: 0,
            collector: Collector::new(bond),
            due: VecDeque::new(),
            late: VecDeque::new(),
            packet: Vec::new(),
            counts: Counts::default(),
        };
        Ok(Self {
            ends: [end(0), end(1)],
            mismatch: None,
        })
    }

    /// What has been compared at an end (numbers but 0 count as 1).
    pub fn counts(&self, end: usize) -> Counts {
        self.ends[end.min(1)].counts
    }

    /// The first difference, if there was one.
    pub fn mismatch(&self) -> Option<&str> {
        self.mismatch.as_deref()
    }

    fn note(&mut self, now: Now, end: usize, result: Result<(), String>) {
        if let (Err(text), None) = (result, &self.mismatch) {
            let name = ["A", "B"][end];
            self.mismatch = Some(format!("end {name}, cycle {}: {text}", now.cycle));
        }
    }

    /// Two ends in a session are in the same one.
    fn sessions_agree(&self) -> Result<(), String> {
        match (self.ends[0].session, self.ends[1].session) {
            (Some(a), Some(b)) if a.own == b.peer && a.peer != b.own => {
                Err(format!("sessions differ: {a:?}, {b:?}"))
            }
            _ => Ok(()),
        }
    }
}

impl Observer for Shadow {
    fn before_clock(&mut self, now: Now, end: usize, endpoint: &Endpoint) {
        if let (Some(beat), true) = (endpoint.delivered(), endpoint.sink_ready()) {
            let result = self.ends[end].deliver(&beat);
            self.note(now, end, result);
        }
    }

    fn word(&mut self, now: Now, end: usize, lane: usize, sent: u64, received: u64) {
        let peer = 1 - end;
        let result = if self.ends[end].in_reset(now.cycle) {
            self.ends[end].reset(lane);
            Ok(())
        } else {
            self.ends[end].send(lane, sent)
        };
        self.note(now, end, result);
        if !self.ends[peer].in_reset(now.cycle) {
            let result = self.ends[peer].receive(lane, received);
            self.note(now, peer, result);
        }
        if lane == 0 {
            let result = self.sessions_agree();
            self.note(now, end, result);
        }
    }

    fn enough(&self) -> bool {
        self.mismatch.is_some()
    }
}
