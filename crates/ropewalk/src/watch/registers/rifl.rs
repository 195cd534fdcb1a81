// SPDX-License-Identifier: Apache-2.0
//! `ropewalk watch registers`: the end of a RIFL link by its registers, on a live page.
//!
//! Between two looks much can happen; what counters say of it becomes an event.

use std::path::Path;

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::stop::{stop_on_signal, stopped};
use ropewalk_io::registers::Registers;
use ropewalk_watch::rifl::{End, LaneFlags, Session, down_reason};
use ropewalk_watch::{Channel, Interval, Kind, Lane, LaneState, Reason, State};
use ropewalk_wire::regs::Register;
use ropewalk_wire::rifl::regs::{self, SessionReason, SessionState, observe};

use super::{EVERY, Page, Trouble};
use crate::cli::WatchRegisters;

/// What every core has in `magic`.
const MAGIC: u64 = regs::magic::VALUE.reset;
/// The map that is known here.
const MAP: u64 = regs::version::MAP_MAJOR.reset;
/// Frames that the extended mode adds to the round trip (`lane.status.round_trip`).
const MARGIN: u64 = 9;

/// A core behind its registers.
struct Core {
    registers: Registers,
    lanes: usize,
    frame_width: u64,
    id_width: u64,
    /// Units of `clock_offset` for a million.
    offset_units: f64,
}

impl Core {
    fn open(path: &Path, base: u64) -> Result<Self, Failure> {
        let registers = Registers::open(path, base, regs::SIZE as usize)
            .map_err(|error| Failure::read(path, error))?;
        let refuse = |what: &str, found: u64, accepted: u64| {
            Failure::BadInput(format!(
                "{} at {base:#x}: {what} {found:#x}; accepted: {accepted:#x}, that of a RIFL core",
                path.display()
            ))
        };
        let mut core = Self {
            registers,
            lanes: 0,
            frame_width: 0,
            id_width: 0,
            offset_units: 0.0,
        };
        let magic = core.get(&regs::MAGIC);
        if magic != MAGIC {
            return Err(refuse("magic", magic, MAGIC));
        }
        let map = regs::version::MAP_MAJOR.get(core.get(&regs::VERSION));
        if map != MAP {
            return Err(refuse("register map", map, MAP));
        }
        let parameters = core.get(&regs::PARAMETERS);
        let lanes = regs::parameters::LANES.get(parameters) as usize;
        core.lanes = lanes.min(observe::lane::COUNT);
        core.frame_width = regs::parameters::FRAME_WIDTH.get(parameters);
        core.id_width = regs::parameters::ID_WIDTH.get(parameters);
        let window = regs::parameters::OFFSET_WINDOW.get(parameters);
        core.offset_units = 1e6 / (1u64 << window) as f64;
        Ok(core)
    }

    fn get(&self, register: &Register) -> u64 {
        crate::commands::registers::read(&self.registers, register)
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

    /// Why the core says nothing, if it does not.
    fn silence(&self) -> Option<Reason> {
        if self.get(&regs::MAGIC) != MAGIC {
            let text = "the core does not answer any more: it is gone, or without power";
            return Some(Reason::new("core_gone", text));
        }
        (self.get(&observe::LINK) == u64::MAX).then(|| {
            let text = "the user clock of the core stands still, and its counters cannot be read";
            Reason::new("clock_stopped", text)
        })
    }
}

/// A core and its page.
struct Watched {
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
    fn open(options: &WatchRegisters) -> Result<Self, Failure> {
        let core = Core::open(&options.file, options.base)?;
        let first = State {
            facts: vec![
                format::lanes(core.lanes as u8),
                format!("frame width {}", core.frame_width),
                format!("id width {}", core.id_width),
            ],
            ..State::new(format!(
                "RIFL core at {:#x} of {}",
                options.base,
                options.file.display()
            ))
        };
        let mut watched = Self {
            page: Page::open(options.listen, false, first)?,
            frame_s: options.line_rate.map(|rate| core.frame_width as f64 / rate),
            ups: None,
            link_ups: Trouble::default(),
            lanes: vec![Default::default(); core.lanes],
            peer: 0,
            core,
        };
        watched.look();
        Ok(watched)
    }

    /// Reads everything, and publishes it.
    fn look(&mut self) {
        let time_s = self.page.time_s();
        if let Some(reason) = self.core.silence() {
            self.page.follow(time_s, false, || reason);
            let state = self.page.state(time_s);
            return self.page.publish(state);
        }
        let end = self.core.end();
        let first = self.ups.is_none();
        self.counters(time_s, first);
        let reason = down_reason("this end", &end);
        self.page.follow(time_s, reason.is_none(), || {
            reason.unwrap_or_else(|| Reason::new("down", "the link is down"))
        });
        if end.session.state == SessionState::Up && end.session.peer != self.peer {
            if self.peer != 0 {
                let text =
                    "the peer has begun a new session, because of a reset or to leave a broken one";
                let reason = Reason::new("new_session", text);
                self.page.timeline.note(time_s, Kind::Session, reason);
            }
            self.peer = end.session.peer;
        }
        let state = self.state(&end, time_s);
        self.page.publish(state);
    }

    /// What counters say of the time since the last look.
    fn counters(&mut self, time_s: f64, first: bool) {
        let link_ups = self.core.get(&observe::LINK_UPS);
        let grown = self.link_ups.look(time_s, link_ups);
        self.ups.get_or_insert(link_ups);
        // A link that was up before and is up again has been down in between.
        if !first && self.page.was_up && grown.is_some() {
            let text = "the link went down and came up again between two looks";
            let reason = Reason::new("brief_down", text);
            self.page.timeline.note(time_s, Kind::Down, reason);
        }
        let core = &self.core;
        for (number, troubles) in self.lanes.iter_mut().enumerate() {
            let counts = [&observe::lane::ERRORS, &observe::lane::ALIGNMENT_LOSSES]
                .map(|register| core.lane(register, number));
            for (place, (trouble, count)) in troubles.iter_mut().zip(counts).enumerate() {
                let Some(grown) = trouble.look(time_s, count).filter(|_| !first) else {
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
            if first {
                // What was before nobody has watched.
                troubles.iter_mut().for_each(|trouble| trouble.last = None);
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

/// Runs the subcommand until it is interrupted.
///
/// # Errors
/// The file cannot be mapped or is no RIFL core, or the address cannot be listened at.
pub(crate) fn execute(options: &WatchRegisters) -> Result<u8, Failure> {
    stop_on_signal();
    let mut watched = Watched::open(options)?;
    while !stopped() {
        std::thread::sleep(EVERY);
        watched.look();
    }
    Err(Failure::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    /// Registers of a core in an ordinary file.
    struct Image(File);

    impl Image {
        fn set(&self, register: &Register, lane: usize, value: u64) {
            let register = register.element(lane, observe::lane::STRIDE);
            let bytes = value.to_le_bytes();
            let bytes = &bytes[..register.width as usize / 8];
            let place = 0x100 + u64::from(register.offset);
            self.0.write_all_at(bytes, place).expect("written");
        }
    }

    fn sound(path: &Path) -> Image {
        let image = Image(File::create(path).expect("made"));
        image.0.set_len(0x100 + u64::from(regs::SIZE)).expect("set");
        image.set(&regs::MAGIC, 0, MAGIC);
        image.set(&regs::VERSION, 0, MAP << 24);
        // Two lanes, id width 6, frames of 256 bits, 2^20 frames.
        image.set(&regs::PARAMETERS, 0, 2 | 6 << 4 | 256 << 8 | 20 << 24);
        image.set(&observe::LINK, 0, 1);
        image.set(&observe::SESSION, 0, 2 | 7 << 16 | 9 << 32);
        image.set(&observe::LINK_UPS, 0, 1);
        image.set(&observe::RX_BYTES, 0, 5000);
        for lane in 0..2 {
            // Aligned and up, a round trip of 29 frames, an offset of -105 units.
            image.set(&observe::lane::STATUS, lane, 3 | 29 << 32 | 0xff97 << 48);
            image.set(&observe::lane::FRAMES, lane, 1_000_000);
            image.set(&observe::lane::BAD_FRAMES, lane, 3);
            image.set(&observe::lane::ERRORS, lane, 3);
        }
        image
    }

    fn options(path: &Path) -> WatchRegisters {
        WatchRegisters {
            file: path.to_owned(),
            base: 0x100,
            line_rate: Some(25.6e9),
            listen: ([127, 0, 0, 1], 0).into(),
        }
    }

    fn state(watched: &Watched) -> State {
        let time_s = watched.page.time_s();
        watched
            .state(&watched.core.end(), time_s)
            .with(&watched.page.timeline)
    }

    #[test]
    fn a_core_is_read_and_every_change_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("resource0");
        let image = sound(&path);
        let mut watched = Watched::open(&options(&path)).expect("opened");
        let now = state(&watched);
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
            watched.look();
            let now = state(&watched);
            assert!(now.names(code), "{code}: {now:?}");
            now
        };
        after(
            &|image| image.set(&observe::lane::ERRORS, 1, 5),
            "bit_errors",
        );
        after(
            &|image| image.set(&observe::lane::ALIGNMENT_LOSSES, 0, 1),
            "no_alignment",
        );
        after(&|image| image.set(&observe::LINK_UPS, 0, 2), "brief_down");
        after(
            &|image| image.set(&observe::SESSION, 0, 2 | 10 << 32),
            "new_session",
        );
        let lost = |image: &Image| {
            image.set(&observe::lane::STATUS, 1, 0);
            image.set(&observe::LINK, 0, 2 << 4);
        };
        let now = after(&lost, "no_alignment");
        assert!(!now.up && now.reasons[0].text.contains("lane 1"), "{now:?}");
        let swapped = |image: &Image| {
            image.set(&observe::lane::STATUS, 1, 3);
            image.set(&observe::SESSION, 0, 3 | 6 << 4);
        };
        assert_eq!(after(&swapped, "lane_order").reasons[0].code, "lane_order");
        let stopped = |image: &Image| image.set(&observe::LINK, 0, u64::MAX);
        after(&stopped, "clock_stopped");
        let gone = |image: &Image| image.set(&regs::MAGIC, 0, u64::MAX);
        after(&gone, "core_gone");
    }

    #[test]
    fn what_is_no_core_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("resource0");
        let refused = |options: &WatchRegisters| match Watched::open(options) {
            Ok(_) => panic!("accepted"),
            Err(failure) => failure.to_string(),
        };
        assert!(refused(&options(&path)).contains("no such file"));
        let image = sound(&path);
        image.set(&regs::VERSION, 0, (MAP + 1) << 24);
        assert!(refused(&options(&path)).contains("register map 0x3; accepted: 0x2"));
        image.set(&regs::MAGIC, 0, 5);
        assert!(refused(&options(&path)).contains("magic 0x5; accepted: 0x5249464c"));
        let beyond = WatchRegisters {
            base: 0x200,
            ..options(&path)
        };
        assert!(
            refused(&beyond).contains("within its 0x1100 bytes"),
            "{}",
            refused(&beyond)
        );
    }
}
