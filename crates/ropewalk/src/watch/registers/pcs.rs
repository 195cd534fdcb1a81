// SPDX-License-Identifier: Apache-2.0
//! The PCS of 100G Ethernet by its registers: alone, or below an HTSP core.

use ropewalk_console::failure::Failure;
use ropewalk_watch::{Interval, Kind, Lane, Reason, State};
use ropewalk_wire::pcs::regs::{self, Fec, observe};
use ropewalk_wire::regs::{Field, Register};

use super::super::state_of;
use super::super::{Page, Trouble, Troubles};
use super::{Block, titled};
use crate::cli::WatchRegisters;

/// What may go wrong while the lanes are up: code, and words behind a number.
const TROUBLES: [(&str, &str); 2] = [
    ("uncorrectable", "codewords could not be corrected"),
    ("block_errors", "words have blocks of error characters"),
];
/// Symbols that a FEC lane brings in a cycle of the receiver's clock: 80 bits.
const SYMBOLS: u64 = 8;
/// What 33 cycles bring: codewords of 5280 bits, and rows of a block of each PCS lane.
const CODEWORDS: u64 = 2;
const ROWS: u64 = 8;

/// Counters since a page began, or since somebody has cleared them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Counts {
    cycles: u64,
    uncorrectable: u64,
    block_errors: u64,
    /// Symbols corrected, of each FEC lane.
    symbols: Vec<u64>,
    /// Wrong parities, of each PCS lane.
    parities: Vec<u64>,
}

impl Counts {
    fn of(block: &Block) -> Self {
        let all = |array: Register| {
            let elements = array.elements();
            elements.iter().map(|(_, it)| block.get(it)).collect()
        };
        Self {
            cycles: block.get(&observe::NOW),
            uncorrectable: block.get(&observe::UNCORRECTABLE),
            block_errors: block.get(&observe::BLOCK_ERRORS),
            symbols: all(observe::SYMBOLS),
            parities: all(observe::PARITY_ERRORS),
        }
    }

    fn pairs<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (u64, u64)> + 'a {
        let one = [
            (self.cycles, other.cycles),
            (self.uncorrectable, other.uncorrectable),
            (self.block_errors, other.block_errors),
        ];
        let lanes = self.symbols.iter().zip(&other.symbols);
        let lanes = lanes.chain(self.parities.iter().zip(&other.parities));
        one.into_iter()
            .chain(lanes.map(|(one, other)| (*one, *other)))
    }

    /// Somebody has cleared some of them since.
    fn begins_anew(&self, before: &Self) -> bool {
        self.pairs(before).any(|(now, before)| now < before)
    }
}

/// The registers of a PCS.
pub(super) struct Pcs {
    block: Block,
    /// Where they are counted from, and the last ones.
    counts: Option<[Counts; 2]>,
}

impl Pcs {
    fn new(block: Block) -> Self {
        let counts = None;
        Self { block, counts }
    }

    /// The one that `--pcs` names.
    pub fn below(options: &WatchRegisters, base: u64) -> Result<Self, Failure> {
        let block = Block::open(&options.file, base)?;
        if block.map.name != regs::MAP.name {
            return Err(Failure::BadInput(format!(
                "--pcs: {} at {base:#x}: a {} core; accepted: a pcs core",
                options.file.display(),
                block.map.name
            )));
        }
        Ok(Self::new(block))
    }

    fn state(&self, field: Field) -> u64 {
        field.get(self.block.get(&observe::STATE))
    }

    /// With FEC, now.
    fn coded(&self) -> bool {
        match Fec::from_bits(regs::build::FEC.get(self.block.get(&regs::BUILD))) {
            Some(Fec::Selectable) => self.state(observe::state::CODED) != 0,
            Some(Fec::Present) => true,
            Some(Fec::Absent) | None => false,
        }
    }

    /// A state that is not `Up` in words.
    fn words(&self, state: regs::State, lane: u64) -> Reason {
        let text = match state {
            regs::State::Up => "the lanes are up".to_owned(),
            regs::State::NoSignal => format!("lane {lane} has no signal"),
            regs::State::NoBlockLock => format!("lane {lane} has no border of blocks"),
            regs::State::NoMarker => format!("lane {lane} has no markers"),
            regs::State::SameNumber => format!("lane {lane} has the number of one before it"),
            regs::State::Aligning => "all lanes are there, and their markers have to meet".into(),
            regs::State::SkewExceeded => "the lanes are too far apart".into(),
            regs::State::NoCodeword => "no codeword can be corrected".into(),
            regs::State::HighSer => "too many wrong symbols".into(),
            regs::State::HighBer => "too many illegal headers".into(),
            regs::State::PeerMode if self.coded() => "the peer has no FEC, this end has".into(),
            regs::State::PeerMode => "the peer has FEC, this end has none".into(),
            regs::State::RemoteFault => "the peer has a fault, and receives nothing".into(),
        };
        Reason::new(state.name(), format!("PCS: {text}"))
    }

    /// Why it is not up.
    pub fn reason(&self) -> Option<Reason> {
        if let Some(reason) = self.block.no_answer(&observe::NOW) {
            return Some(reason);
        }
        let state = regs::State::from_bits(self.state(observe::state::STATE))?;
        (state != regs::State::Up).then(|| self.words(state, self.state(observe::state::LANE)))
    }

    /// Its lanes, with what was wrong since the page began or since somebody has cleared the
    /// counters: of each FEC lane the symbols that were corrected, and the codewords that could not
    /// be; without FEC the wrong parities of each PCS lane.
    pub fn lanes(&mut self, reason: Option<&Reason>) -> Vec<Lane> {
        let now = Counts::of(&self.block);
        // All ones: its clock stands still, or it is gone.
        if now.cycles == u64::MAX {
            return Vec::new();
        }
        let [from, last] = self
            .counts
            .get_or_insert_with(|| [now.clone(), now.clone()]);
        if now.begins_anew(last) {
            *from = now.clone();
        }
        last.clone_from(&now);
        let from = from.clone();
        let cycles = now.cycles - from.cycles;
        let lane = |name: String, unit, seen: u64, errors| Lane {
            name,
            state: state_of(reason.is_none()),
            reason: reason.cloned(),
            seen,
            errors,
            unit,
            error_rate: Interval::wilson(errors, seen.max(errors)),
            recoveries: 0,
        };
        let each = |what: &str, unit, seen: u64, now: &[u64], from: &[u64]| {
            let errors = now.iter().zip(from).map(|(now, from)| now - from);
            let named =
                |(number, errors)| lane(format!("received, {what} {number}"), unit, seen, errors);
            errors.enumerate().map(named).collect::<Vec<_>>()
        };
        if !self.coded() {
            let period = regs::build::PERIOD.get(self.block.get(&regs::BUILD)).max(1);
            let markers = cycles * ROWS / (33 * period);
            return each(
                "PCS lane",
                "markers",
                markers,
                &now.parities,
                &from.parities,
            );
        }
        let symbols = cycles * SYMBOLS;
        let mut lanes = each("FEC lane", "symbols", symbols, &now.symbols, &from.symbols);
        let uncorrectable = now.uncorrectable - from.uncorrectable;
        let codewords = cycles * CODEWORDS / 33;
        let name = "received, all FEC lanes".to_owned();
        lanes.push(lane(name, "codewords", codewords, uncorrectable));
        lanes
    }

    /// Which lane arrives where.
    fn order(&self) -> String {
        let coded = self.coded();
        let count = match regs::build::LANES.get(self.block.get(&regs::BUILD)) {
            _ if coded => 4,
            lanes => lanes as usize,
        };
        let lanes = observe::LANE.elements();
        let name = |(_, register): &(String, Register)| {
            let word = self.block.get(register);
            let turned = observe::lane::INVERTED.get(word) != 0;
            let number = observe::lane::LANE_NUMBER.get(word);
            format!("{number}{}", if turned { " (inverted)" } else { "" })
        };
        let names: Vec<String> = lanes.iter().take(count).map(name).collect();
        let kind = if coded { "FEC" } else { "PCS" };
        format!("{kind} lanes in the order of arrival: {}", names.join(", "))
    }
}

/// A PCS and its page.
pub(super) struct Watched {
    pcs: Pcs,
    page: Page,
    downs: Trouble,
    troubles: Troubles<2>,
}

impl Watched {
    pub fn open(block: Block, options: &WatchRegisters) -> Result<Self, Failure> {
        let build = block.get(&regs::BUILD);
        let fec = match Fec::from_bits(regs::build::FEC.get(build)) {
            Some(Fec::Absent) => "built without FEC",
            Some(Fec::Present) => "built with FEC",
            Some(Fec::Selectable) => "built with and without FEC",
            None => "built with a FEC that is not known",
        };
        Ok(Self {
            pcs: Pcs::new(block),
            page: Page::open(
                options.listen,
                false,
                titled("PCS", options, vec![fec.to_owned()]),
            )?,
            downs: Trouble::default(),
            troubles: Troubles::of_a_core(TROUBLES),
        })
    }

    /// What counters say of the time since the last look.
    fn counters(&mut self, time_s: f64, is_up: bool) {
        let get = |register| self.pcs.block.get(register);
        let counts = [get(&observe::UNCORRECTABLE), get(&observe::BLOCK_ERRORS)];
        let grown = self.downs.look(time_s, get(&observe::DOWNS));
        if self.page.was_up && grown.is_some() && is_up {
            let state = regs::State::from_bits(self.pcs.state(observe::state::DOWN_STATE));
            let lane = self.pcs.state(observe::state::DOWN_LANE);
            let why = state.map_or_else(String::new, |it| self.pcs.words(it, lane).text);
            let text = format!("down and up again between two looks; the last time: {why}");
            let reason = Reason::new("brief_down", text);
            self.page.timeline.note(time_s, Kind::Down, reason);
        }
        let timeline = &mut self.page.timeline;
        self.troubles.look(time_s, counts, timeline);
    }
}

impl super::Watched for Watched {
    fn core(&self) -> (&Block, &'static Register) {
        (&self.pcs.block, &observe::NOW)
    }

    fn page(&mut self) -> &mut Page {
        &mut self.page
    }

    fn read(&mut self, time_s: f64) -> State {
        let reason = self.pcs.reason();
        self.counters(time_s, reason.is_none());
        self.page.follow(time_s, reason.clone());
        let mut state = self.page.state(time_s);
        state.downs = self.pcs.block.get(&observe::DOWNS);
        state.reasons.extend(self.troubles.recent(time_s));
        if reason.is_none() {
            state.facts.push(self.pcs.order());
        }
        let corrected = self.pcs.block.get(&observe::CORRECTED);
        if self.pcs.coded() {
            state.facts.push(format!("{corrected} codewords corrected"));
        }
        state.lanes = self.pcs.lanes(reason.as_ref());
        state
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{BASE, Image, looked, options};
    use super::*;
    use ropewalk_watch::LaneState;

    #[test]
    fn a_pcs_is_read_and_every_change_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("resource0");
        let image = Image::new(&path, &regs::MAP);
        let build = |fec: Fec| fec as u64 | 4 << 8 | 16384 << 16;
        image.set(BASE, &regs::BUILD, build(Fec::Present));
        image.set(BASE, &observe::STATE, regs::State::Up as u64);
        let arrival = observe::LANE.elements();
        for (lane, (_, register)) in arrival.iter().enumerate() {
            let turned = u64::from(lane == 1) << 8;
            image.set(BASE, register, turned | (lane as u64 ^ 3));
        }
        let core = Block::open(&path, BASE).expect("mapped");
        let mut watched = Watched::open(core, &options(&path)).expect("opened");
        let mut look = |code: &str| looked(&mut watched, code);
        let now = look("");
        assert!(now.up && now.reasons.is_empty() && now.lanes.len() == 5);
        let order = "FEC lanes in the order of arrival: 3, 2 (inverted), 1, 0";
        assert!(now.facts.contains(&order.to_owned()), "{:?}", now.facts);
        // 33 cycles: two codewords, eight rows.
        image.set(BASE, &observe::NOW, 330);
        image.set(BASE, &observe::UNCORRECTABLE, 3);
        let (_, second) = &observe::SYMBOLS.elements()[1];
        image.set(BASE, second, 9);
        let now = look("uncorrectable");
        assert_eq!((now.lanes[1].seen, now.lanes[1].errors), (2640, 9));
        assert_eq!((now.lanes[4].seen, now.lanes[4].errors), (20, 3));
        image.set(BASE, &observe::BLOCK_ERRORS, 1);
        look("block_errors");
        image.set(BASE, &observe::DOWNS, 1);
        let down = regs::State::NoMarker as u64;
        image.set(
            BASE,
            &observe::STATE,
            regs::State::Up as u64 | down << 24 | 2 << 32,
        );
        let events = look("brief_down").events;
        let text = &events.last().expect("one").reason.text;
        assert!(text.ends_with("PCS: lane 2 has no markers"), "{text}");

        image.set(BASE, &regs::BUILD, build(Fec::Absent));
        image.set(BASE, &observe::NOW, 330 + 33 * 16384);
        let (_, last) = &observe::PARITY_ERRORS.elements()[19];
        image.set(BASE, last, 4);
        let now = look("");
        assert_eq!(now.lanes.len(), 20);
        assert_eq!((now.lanes[19].seen, now.lanes[19].errors), (8, 4));
        let order = "PCS lanes in the order of arrival: 3, 2 (inverted), 1, 0";
        assert!(now.facts.contains(&order.to_owned()), "{:?}", now.facts);
        for &state in regs::State::ALL.iter().filter(|&&it| it != regs::State::Up) {
            image.set(BASE, &observe::STATE, state as u64 | 3 << 8);
            let now = look(state.name());
            assert_eq!(now.reasons[0].code, state.name());
            assert_eq!(now.lanes[0].state, LaneState::Down);
        }
        image.set(BASE, &observe::NOW, u64::MAX);
        look("clock_stopped");
        image.set(BASE, &regs::MAGIC, 0);
        look("core_gone");
    }
}
