// SPDX-License-Identifier: Apache-2.0
//! The end of a RIFL link by its registers.

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_watch::rifl::{End, LaneFlags, Session, down_reason};
use ropewalk_watch::{Channel, Interval, Kind, Lane, LaneState, Reason, State};
use ropewalk_wire::regs::Register;
use ropewalk_wire::rifl::regs::{self, SessionReason, SessionState, observe};

use super::super::{Page, Trouble};
use super::{Block, titled};
use crate::cli::WatchRegisters;

/// Frames that the extended mode adds to the round trip (`lane.status.round_trip`).
const MARGIN: u64 = 9;

/// A core behind its registers.
struct Core {
    block: Block,
    lanes: usize,
    frame_width: u64,
    id_width: u64,
    /// Units of `clock_offset` for a million.
    offset_units: f64,
}

impl Core {
    fn new(block: Block) -> Self {
        let parameters = block.get(&regs::PARAMETERS);
        let lanes = regs::parameters::LANES.get(parameters) as usize;
        let window = regs::parameters::OFFSET_WINDOW.get(parameters);
        Self {
            lanes: lanes.min(observe::lane::COUNT),
            frame_width: regs::parameters::FRAME_WIDTH.get(parameters),
            id_width: regs::parameters::ID_WIDTH.get(parameters),
            offset_units: 1e6 / (1u64 << window) as f64,
            block,
        }
    }

    fn get(&self, register: &Register) -> u64 {
        self.block.get(register)
    }

    fn lane(&self, register: &Register, lane: usize) -> u64 {
        self.get(&register.element(lane, observe::lane::STRIDE))
    }

    fn end(&self) -> End {
        use observe::lane::status;
        let lanes = (0..self.lanes).map(|lane| {
            let word = self.lane(&observe::lane::STATUS, lane);
            LaneFlags {
                aligned: status::ALIGNED.get(word) != 0,
                up: status::UP.get(word) != 0,
                error: status::ERROR.get(word) != 0,
                pause_req: status::PAUSE_REQ.get(word) != 0,
                retrans_req: status::RETRANS_REQ.get(word) != 0,
                slip: status::SLIP.get(word) as u8,
            }
        });
        let lanes = lanes.collect();
        let word = self.get(&observe::SESSION);
        let reason = |bits| SessionReason::from_bits(bits).unwrap_or(SessionReason::None);
        use observe::session;
        End {
            reset: regs::status::RESET_ACTIVE.get(self.get(&regs::STATUS)) != 0,
            up: observe::link::UP.get(self.get(&observe::LINK)) != 0,
            lanes,
            session: Session {
                state: SessionState::from_bits(session::STATE.get(word))
                    .unwrap_or(SessionState::Absent),
                reason: reason(session::REASON.get(word)),
                peer_reason: reason(session::PEER_REASON.get(word)),
                own: session::OWN_NUMBER.get(word) as u16,
                peer: session::PEER_NUMBER.get(word) as u16,
            },
        }
    }
}

/// A core and its page.
pub(super) struct Watched {
    core: Core,
    page: Page,
    frame_s: Option<f64>,
    /// Times that the link has gone up, as it was before the first look.
    ups: Option<u64>,
    link_ups: Trouble,
    /// Retransmissions, losses of alignment of each lane.
    lanes: Vec<[Trouble; 2]>,
    peer: u16,
}

impl Watched {
    pub fn open(block: Block, options: &WatchRegisters) -> Result<Self, Failure> {
        let core = Core::new(block);
        let facts = vec![
            format::lanes(core.lanes as u8),
            format!("frame width {}", core.frame_width),
            format!("id width {}", core.id_width),
        ];
        let first = titled("RIFL", options, facts);
        Ok(Self {
            page: Page::open(options.listen, false, first)?,
            frame_s: options.line_rate.map(|rate| core.frame_width as f64 / rate),
            ups: None,
            link_ups: Trouble::default(),
            lanes: vec![Default::default(); core.lanes],
            peer: 0,
            core,
        })
    }

    /// What counters say of the time since the last look.
    fn counters(&mut self, time_s: f64) {
        let link_ups = self.core.get(&observe::LINK_UPS);
        let grown = self.link_ups.look(time_s, link_ups);
        self.ups.get_or_insert(link_ups);
        // A link that was up before and is up again has been down in between.
        if self.page.was_up && grown.is_some() {
            let text = "the link went down and came up again between two looks";
            let reason = Reason::new("brief_down", text);
            self.page.timeline.note(time_s, Kind::Down, reason);
        }
        let core = &self.core;
        for (number, troubles) in self.lanes.iter_mut().enumerate() {
            let counts = [&observe::lane::ERRORS, &observe::lane::ALIGNMENT_LOSSES]
                .map(|register| core.lane(register, number));
            for (place, (trouble, count)) in troubles.iter_mut().zip(counts).enumerate() {
                let Some(grown) = trouble.look(time_s, count) else {
                    continue;
                };
                let (kind, code, what) = match place {
                    0 => (Kind::Recovery, "bit_errors", "requests of retransmission"),
                    _ => (Kind::Lane, "no_alignment", "losses of alignment"),
                };
                let text = format!("lane {number}: {grown} {what}");
                self.page
                    .timeline
                    .note(time_s, kind, Reason::new(code, text));
            }
        }
    }

    fn state(&self, end: &End, time_s: f64) -> State {
        let mut state = self.page.state(time_s);
        let core = &self.core;
        state.sessions = Some(core.get(&observe::SESSIONS));
        state.ups = core.get(&observe::LINK_UPS);
        state.downs = state.ups.saturating_sub(u64::from(state.up));
        for (number, flags) in end.lanes.iter().enumerate() {
            state.lanes.push(self.lane(number, flags));
            if self.lanes[number][0].is_recent(time_s).is_some() {
                let text = format!("damaged frames on lane {number}");
                state.reasons.push(Reason::new("bit_errors", text));
            }
        }
        let status = (0..core.lanes).map(|lane| core.lane(&observe::lane::STATUS, lane));
        let status: Vec<u64> = status.collect();
        let round_trip = |word: &u64| observe::lane::status::ROUND_TRIP.get(*word);
        let frames = status.iter().map(round_trip).max().unwrap_or(0);
        state.round_trip_s = self
            .frame_s
            .filter(|_| frames > MARGIN)
            .map(|frame_s| (frames - MARGIN) as f64 * frame_s);
        let offset = status.first().filter(|_| state.up).map(|word| {
            observe::lane::status::CLOCK_OFFSET.get_signed(*word) as f64 * core.offset_units
        });
        state.clock_offset_ppm = offset;
        let channel = |name: &str, bytes, packets, aborted| Channel {
            name: name.to_owned(),
            bytes: core.get(bytes),
            packets: core.get(packets),
            aborted: core.get(aborted),
            ..Channel::default()
        };
        use observe::{RX_ABORTS, RX_BYTES, RX_PACKETS, TX_ABORTS, TX_BYTES, TX_PACKETS};
        state.channels = vec![
            channel("sent", &TX_BYTES, &TX_PACKETS, &TX_ABORTS),
            channel("received", &RX_BYTES, &RX_PACKETS, &RX_ABORTS),
        ];
        state
    }

    fn lane(&self, number: usize, flags: &LaneFlags) -> Lane {
        let count = |register| self.core.lane(register, number);
        let (seen, errors) = (
            count(&observe::lane::FRAMES),
            count(&observe::lane::BAD_FRAMES),
        );
        let state = flags.state();
        let reason = (state == LaneState::Down).then(|| match flags.aligned {
            true => Reason::new("settling", "frames have to last for a while first"),
            false => Reason::new("no_alignment", "no frames are found"),
        });
        Lane {
            name: format!("received, lane {number}"),
            state,
            reason,
            seen,
            errors,
            unit: "frames",
            error_rate: Interval::wilson(errors, seen),
            recoveries: count(&observe::lane::ERRORS),
        }
    }
}

impl super::Watched for Watched {
    fn core(&self) -> (&Block, &'static Register) {
        (&self.core.block, &observe::LINK)
    }

    fn page(&mut self) -> &mut Page {
        &mut self.page
    }

    fn read(&mut self, time_s: f64) -> State {
        let end = self.core.end();
        self.counters(time_s);
        self.page.follow(time_s, down_reason("this end", &end));
        if end.session.state == SessionState::Up && end.session.peer != self.peer {
            if self.peer != 0 {
                let text =
                    "the peer has begun a new session, because of a reset or to leave a broken one";
                let reason = Reason::new("new_session", text);
                self.page.timeline.note(time_s, Kind::Session, reason);
            }
            self.peer = end.session.peer;
        }
        self.state(&end, time_s)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{BASE, Image, looked, options};
    use super::*;
    use std::path::Path;

    /// Of a lane, or of none of them.
    fn set(image: &Image, register: &Register, lane: usize, value: u64) {
        image.set(BASE, &register.element(lane, observe::lane::STRIDE), value);
    }

    fn sound(path: &Path) -> Image {
        let image = Image::new(path, &regs::MAP);
        let set = |register, lane, value| set(&image, register, lane, value);
        // Two lanes, id width 6, frames of 256 bits, 2^20 frames.
        set(&regs::PARAMETERS, 0, 2 | 6 << 4 | 256 << 8 | 20 << 24);
        set(&observe::LINK, 0, 1);
        set(&observe::SESSION, 0, 2 | 7 << 16 | 9 << 32);
        set(&observe::LINK_UPS, 0, 1);
        set(&observe::RX_BYTES, 0, 5000);
        for lane in 0..2 {
            // Aligned and up, a round trip of 29 frames, an offset of -105 units.
            set(&observe::lane::STATUS, lane, 3 | 29 << 32 | 0xff97 << 48);
            set(&observe::lane::FRAMES, lane, 1_000_000);
            set(&observe::lane::BAD_FRAMES, lane, 3);
            set(&observe::lane::ERRORS, lane, 3);
        }
        image
    }

    #[test]
    fn a_core_is_read_and_every_change_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("resource0");
        let image = sound(&path);
        let options = crate::cli::WatchRegisters {
            line_rate: Some(25.6e9),
            ..options(&path)
        };
        let core = Block::open(&path, BASE).expect("mapped");
        let mut watched = Watched::open(core, &options).expect("opened");
        let now = looked(&mut watched, "");
        assert!(
            now.up && now.reasons.is_empty() && now.events.is_empty(),
            "{now:?}"
        );
        // 20 frames of 10 ns; 105 units of 2^-20.
        assert!((now.round_trip_s.expect("known") - 200e-9).abs() < 1e-15);
        assert!((now.clock_offset_ppm.expect("known") + 100.1).abs() < 0.1);
        assert_eq!((now.lanes[1].seen, now.lanes[1].errors), (1_000_000, 3));
        assert_eq!(now.channels[1].bytes, 5000);

        let mut after = |change: &dyn Fn(&Image), code: &str| {
            change(&image);
            looked(&mut watched, code)
        };
        after(
            &|image| set(image, &observe::lane::ERRORS, 1, 5),
            "bit_errors",
        );
        after(
            &|image| set(image, &observe::lane::ALIGNMENT_LOSSES, 0, 1),
            "no_alignment",
        );
        after(&|image| set(image, &observe::LINK_UPS, 0, 2), "brief_down");
        after(
            &|image| set(image, &observe::SESSION, 0, 2 | 10 << 32),
            "new_session",
        );
        let lost = |image: &Image| {
            set(image, &observe::lane::STATUS, 1, 0);
            set(image, &observe::LINK, 0, 2 << 4);
        };
        let now = after(&lost, "no_alignment");
        assert!(!now.up && now.reasons[0].text.contains("lane 1"), "{now:?}");
        let swapped = |image: &Image| {
            set(image, &observe::lane::STATUS, 1, 3);
            set(image, &observe::SESSION, 0, 3 | 6 << 4);
        };
        assert_eq!(after(&swapped, "lane_order").reasons[0].code, "lane_order");
        let stopped = |image: &Image| set(image, &observe::LINK, 0, u64::MAX);
        after(&stopped, "clock_stopped");
        let gone = |image: &Image| set(image, &regs::MAGIC, 0, u64::MAX);
        after(&gone, "core_gone");
    }
}
