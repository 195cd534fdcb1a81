// SPDX-License-Identifier: Apache-2.0
//! The end of an HTSP link by its registers, and by those of its PCS.

use ropewalk_console::failure::Failure;
use ropewalk_watch::{Channel, Interval, Kind, Lane, Reason, State};
use ropewalk_wire::htsp::frame::Mac;
use ropewalk_wire::htsp::regs::{self, DownReason, observe};
use ropewalk_wire::regs::Register;

use super::super::state_of;
use super::super::{Page, Trouble, Troubles};
use super::pcs::Pcs;
use super::{Block, titled};
use crate::cli::WatchRegisters;

/// What may go wrong while the link is up: code, and words behind a number.
const TROUBLES: [(&str, &str); 5] = [
    ("frames_lost", "frames are missing"),
    ("frames_damaged", "frames were damaged"),
    ("frames_late", "frames came again or late"),
    ("orphans", "frames of packets that are not open"),
    ("uncorrectable", "codewords could not be corrected"),
];
/// A core and its page.
pub(super) struct Watched {
    core: Block,
    pcs: Option<Pcs>,
    page: Page,
    link_ups: Trouble,
    troubles: Troubles<5>,
}

impl Watched {
    pub fn open(core: Block, options: &WatchRegisters) -> Result<Self, Failure> {
        let pcs = options.pcs.map(|base| Pcs::below(options, base));
        let parameters = core.get(&regs::PARAMETERS);
        let facts = vec![
            format!("{} channels", regs::parameters::CHANNELS.get(parameters)),
            format!("words of {} bytes", regs::parameters::WIDTH.get(parameters)),
        ];
        let first = titled("HTSP", options, facts);
        Ok(Self {
            pcs: pcs.transpose()?,
            core,
            page: Page::open(options.listen, false, first)?,
            link_ups: Trouble::default(),
            troubles: Troubles::of_a_core(TROUBLES),
        })
    }

    fn sum(&self, registers: &[&Register]) -> u64 {
        registers.iter().map(|it| self.core.get(it)).sum()
    }

    fn counts(&self) -> [u64; 5] {
        use observe::{CHECKSUM, DAMAGED, FEC_UNCORRECTED, FOOTER_BAD, LOST, ORPHANS, STALE};
        [
            self.sum(&[&LOST]),
            self.sum(&[&DAMAGED, &CHECKSUM, &FOOTER_BAD]),
            self.sum(&[&STALE]),
            self.sum(&[&ORPHANS]),
            self.sum(&[&FEC_UNCORRECTED]),
        ]
    }

    /// Why user data do not flow both ways; `below`: why the PCS is not up.
    fn reason(&self, link: u64, below: Option<&Reason>) -> Option<Reason> {
        use observe::link::{DOWN_REASON, PHY_RX_READY, PHY_TX_READY, REMOTE_READY, UP};
        let is = |field: ropewalk_wire::regs::Field| field.get(link) != 0;
        if is(UP) && is(REMOTE_READY) {
            return None;
        }
        if regs::status::RESET_ACTIVE.get(self.core.get(&regs::STATUS)) != 0 {
            return Some(Reason::new("in_reset", "this end is held in reset"));
        }
        if below.is_some() {
            return below.cloned();
        }
        let [code, text] = if !is(PHY_RX_READY) {
            ["line_down", "the receiving line is not ready"]
        } else if is(UP) {
            ["peer_not_ready", "the peer does not hear this end"]
        } else if !is(PHY_TX_READY) {
            ["line_down", "the transmitting line is not ready"]
        } else {
            match DownReason::from_bits(DOWN_REASON.get(link)) {
                Some(DownReason::Silent) => ["peer_silent", "no good header of the peer comes"],
                Some(DownReason::Phy) => ["peer_silent", "none since the line is ready again"],
                Some(DownReason::Reset) => ["peer_silent", "none since the reset of this end"],
                Some(DownReason::None) | None => {
                    ["no_peer", "no good header of a peer has come yet"]
                }
            }
        };
        Some(Reason::new(code, text))
    }

    /// What counters say of the time since the last look.
    fn counters(&mut self, time_s: f64, counts: [u64; 5]) {
        let grown = self
            .link_ups
            .look(time_s, self.core.get(&observe::LINK_UPS));
        if self.page.was_up && grown.is_some() {
            let text = "the link went down and came up again between two looks";
            let reason = Reason::new("brief_down", text);
            self.page.timeline.note(time_s, Kind::Down, reason);
        }
        let timeline = &mut self.page.timeline;
        self.troubles.look(time_s, counts, timeline);
    }

    fn state(&self, link: u64, [lost, damaged, ..]: [u64; 5], time_s: f64) -> State {
        let mut state = self.page.state(time_s);
        let [a, b, c, d, e, f, ..] = self.core.get(&observe::REMOTE_MAC).to_le_bytes();
        let peer = Mac([a, b, c, d, e, f]);
        if peer != Mac::default() {
            state.facts.push(format!("peer {peer}"));
        }
        state.reasons.extend(self.troubles.recent(time_s));
        use observe::{DOWNS_PHY, DOWNS_RESET, DOWNS_SILENT, LINK_UPS, RX_FRAMES, RX_HEADERS};
        state.ups = self.core.get(&LINK_UPS);
        state.downs = self.sum(&[&DOWNS_PHY, &DOWNS_RESET, &DOWNS_SILENT]);
        let (seen, errors) = (
            self.sum(&[&RX_FRAMES, &RX_HEADERS]) + lost,
            // The damaged ones are among those that are missing.
            lost.max(damaged),
        );
        let is_up = observe::link::UP.get(link) != 0;
        state.lanes.push(Lane {
            name: "received".to_owned(),
            state: state_of(is_up),
            reason: state.reasons.first().filter(|_| !is_up).cloned(),
            seen,
            errors,
            unit: "frames",
            error_rate: Interval::wilson(errors, seen),
            recoveries: 0,
        });
        let paused = |mask: u64, who: &str| {
            let channels = (0..16).filter(|channel| mask >> channel & 1 != 0);
            let channels: Vec<String> = channels.map(|channel| channel.to_string()).collect();
            match channels.is_empty() || !is_up {
                true => String::new(),
                false => format!("{who} a pause of {}", channels.join(", ")),
            }
        };
        use observe::link::{LOCAL_PAUSE, REMOTE_PAUSE};
        let channel = |name: &str, bytes, frames, note| Channel {
            name: name.to_owned(),
            bytes: self.core.get(bytes),
            packets: self.core.get(frames),
            note,
            ..Channel::default()
        };
        use observe::{RX_BYTES, TX_BYTES, TX_FRAMES};
        let asked = paused(REMOTE_PAUSE.get(link), "the peer asks for");
        let asks = paused(LOCAL_PAUSE.get(link), "this end asks for");
        state.channels = vec![
            channel("sent, all channels", &TX_BYTES, &TX_FRAMES, asked),
            channel("received, all channels", &RX_BYTES, &RX_FRAMES, asks),
        ];
        state
    }
}

impl super::Watched for Watched {
    fn core(&self) -> (&Block, &'static Register) {
        (&self.core, &observe::CYCLES)
    }

    fn page(&mut self) -> &mut Page {
        &mut self.page
    }

    fn read(&mut self, time_s: f64) -> State {
        let (counts, link) = (self.counts(), self.core.get(&observe::LINK));
        let below = self.pcs.as_ref().and_then(Pcs::reason);
        self.counters(time_s, counts);
        self.page.follow(time_s, self.reason(link, below.as_ref()));
        let mut state = self.state(link, counts, time_s);
        let pcs = self.pcs.as_mut();
        let lanes = pcs.map(|pcs| pcs.lanes(below.as_ref()));
        state.lanes.extend(lanes.unwrap_or_default());
        state
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{BASE, Image, PCS, looked, options};
    use super::*;
    use ropewalk_watch::LaneState;
    use ropewalk_wire::pcs::regs as pcs;

    /// Up, the peer ready, both lines ready.
    const SOUND: u64 = 0xf;

    #[test]
    fn a_core_is_read_and_every_change_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("resource0");
        let image = Image::new(&path, &regs::MAP);
        image.head(PCS, &pcs::MAP);
        image.set(BASE, &regs::PARAMETERS, 4 | 64 << 8);
        image.set(BASE, &observe::REMOTE_MAC, 0x0605_0403_0201);
        image.set(BASE, &observe::LINK, SOUND | 5 << 32);
        image.set(BASE, &observe::LINK_UPS, 1);
        image.set(BASE, &observe::RX_FRAMES, 90);
        image.set(BASE, &observe::LOST, 10);
        image.set(BASE, &observe::RX_BYTES, 5000);
        image.set(PCS, &pcs::BUILD, 1 | 4 << 8);
        image.set(PCS, &pcs::observe::STATE, pcs::State::Up as u64);
        image.set(PCS, &pcs::observe::NOW, 1000);
        let options = WatchRegisters {
            pcs: Some(PCS),
            ..options(&path)
        };
        let core = Block::open(&path, BASE).expect("mapped");
        let mut watched = Watched::open(core, &options).expect("opened");
        let mut look = |code: &str| looked(&mut watched, code);
        let now = look("");
        assert!(now.up && now.reasons.is_empty() && now.events.is_empty());
        assert!(now.facts.contains(&"peer 01:02:03:04:05:06".to_owned()));
        assert_eq!((now.lanes[0].seen, now.lanes[0].errors), (100, 10));
        assert_eq!((now.lanes.len(), now.channels[1].bytes), (6, 5000));
        assert!(now.channels[0].note.ends_with("a pause of 0, 2"), "{now:?}");

        let (_, third) = &pcs::observe::SYMBOLS.elements()[2];
        image.set(PCS, third, 7);
        image.set(PCS, &pcs::observe::NOW, 2000);
        let now = look("");
        assert_eq!((now.lanes[3].seen, now.lanes[3].errors), (8000, 7));
        assert_eq!(now.lanes[1].errors, 0);
        image.set(PCS, third, 3); // cleared by somebody
        assert_eq!(look("").lanes[3].errors, 0);
        for (register, code) in [
            (&observe::LOST, "frames_lost"),
            (&observe::CHECKSUM, "frames_damaged"),
            (&observe::STALE, "frames_late"),
            (&observe::ORPHANS, "orphans"),
            (&observe::FEC_UNCORRECTED, "uncorrectable"),
            (&observe::LINK_UPS, "brief_down"),
        ] {
            image.set(BASE, register, 50);
            look(code);
        }
        for (link, code) in [
            (0xd, "peer_not_ready"),
            (0x4, "line_down"),
            (0x8, "line_down"),
            (0xc, "no_peer"),
            (0x1c, "peer_silent"),
            (0x2c, "peer_silent"),
            (0x3c, "peer_silent"),
        ] {
            image.set(BASE, &observe::LINK, link);
            let now = look(code);
            assert_eq!((now.up, &*now.reasons[0].code), (false, code));
        }
        for &state in pcs::State::ALL.iter().filter(|&&it| it != pcs::State::Up) {
            image.set(PCS, &pcs::observe::STATE, state as u64 | 3 << 8);
            let now = look(state.name());
            assert_eq!(now.reasons[0].code, state.name());
            assert_eq!(now.lanes[1].state, LaneState::Down);
        }
        // Built with both: which of them has no FEC is in the state.
        image.set(PCS, &pcs::BUILD, pcs::Fec::Selectable as u64 | 20 << 8);
        for (coded, lanes, who) in [(1, 6, "the peer has no FEC"), (0, 21, "the peer has FEC")] {
            let state = pcs::State::PeerMode as u64 | coded << 40;
            image.set(PCS, &pcs::observe::STATE, state);
            let now = look("peer_mode");
            assert!(now.reasons[0].text.contains(who), "{:?}", now.reasons);
            assert_eq!(now.lanes.len(), lanes);
        }
        image.set(BASE, &regs::STATUS, 2);
        assert_eq!(look("in_reset").reasons[0].code, "in_reset");
        image.set(BASE, &observe::CYCLES, u64::MAX);
        look("clock_stopped");
        image.set(BASE, &regs::MAGIC, u64::MAX);
        look("core_gone");
    }
}
