// SPDX-License-Identifier: Apache-2.0
//! Two ends with their memories, and the lanes between them; cycle by cycle.

use std::ops::Range;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_wire::line::Lanes;
use ropewalk_wire::line::stripe::LANES;
use ropewalk_wire::slink::mode::{LineMode, Rate};
use ropewalk_wire::slink::regs::{self, Change, Coding};

use super::clock::Clocks;
use super::end::{End, Words};
use super::ffi::RawModel;
use super::host::{Errand, Host};
use super::line::{Lane, MIN_DELAY, Meter, PORT_BITS, Packets};
use super::memory::Memory;
use super::model::Model;
use super::program::{self, Registers, Status};
use crate::error::uncut;
use crate::{ChannelConfig, CutKind, SimError};

/// The end that starts operations in [`super::run()`].
pub const A: usize = 0;
/// The other one.
pub const B: usize = 1;

/// Bytes of a page of the window.
pub(super) const PAGE: u32 = 4096;
/// Cycles of a reset: both synchronisers have seen it.
const RESET: u32 = 8;
/// More cycles than any access to a register takes.
const ACCESS: u32 = 100;
/// Largest difference of the clocks. Real references differ by up to 200 ppm.
const MAX_PPM: f64 = 1000.0;
/// Largest share of pauses.
const MAX_STALL: f64 = 0.99;

/// A time in which the receiver of a direction does not see the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCut {
    /// From [`A`] or from [`B`].
    pub direction: usize,
    /// One lane; none: all of them.
    pub lane: Option<usize>,
    /// Beginning and length in femtoseconds.
    pub start_fs: u64,
    /// At least one bit of the line.
    pub length_fs: u64,
    /// What the receiver sees.
    pub kind: CutKind,
}

/// A reset of an end by its pin. Its registers are set again behind it, as a chip does that starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndReset {
    /// [`A`] or [`B`].
    pub end: usize,
    /// Beginning and length in femtoseconds.
    pub start_fs: u64,
    /// Any.
    pub length_fs: u64,
}

/// A change of the line's mode that an end asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// [`A`] or [`B`].
    pub end: usize,
    /// When, in femtoseconds.
    pub start_fs: u64,
    /// What.
    pub mode: LineMode,
}

/// A pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PairConfig {
    /// Both ends.
    pub model: Model,
    /// Lanes that are wired.
    pub lanes: Lanes,
    /// Speed of both ends behind a reset.
    pub speed: Rate,
    /// Line code in whose cycles `delay` is counted.
    pub coding: Coding,
    /// Cycles from an end to the other, at least 3.
    pub delay: u32,
    /// Bits by which each lane is late beyond it.
    pub skew: [u32; LANES],
    /// Probability that a bit is flipped on the line.
    pub ber: f64,
    /// How much faster B's clock is than A's, in parts per million, -1000 to 1000.
    pub ppm: f64,
    /// Share of the cycles in which each channel of the memories' buses pauses, 0 to 0.99.
    pub stall: f64,
    /// Cuts of lanes.
    pub cuts: Vec<LineCut>,
    /// Resets of ends.
    pub resets: Vec<EndReset>,
    /// Changes of the line's mode.
    pub switches: Vec<Ask>,
    /// Seed of flipped bits and pauses.
    pub seed: u64,
    /// Keep the words of this number of bits that B receives, for [`Pair::take_words`].
    pub keep_words: Option<u32>,
}

impl Default for PairConfig {
    /// Four lanes at 5 Gb/s without errors.
    fn default() -> Self {
        Self {
            model: Model::default(),
            lanes: Lanes::X4,
            speed: Rate::Fast,
            coding: Coding::Code8b10b,
            delay: 8,
            skew: [0; LANES],
            ber: 0.0,
            ppm: 0.0,
            stall: 0.0,
            cuts: Vec::new(),
            resets: Vec::new(),
            switches: Vec::new(),
            seed: 1,
            keep_words: None,
        }
    }
}

impl PairConfig {
    /// The mode behind a reset.
    fn start(&self) -> LineMode {
        LineMode {
            rate: self.speed,
            lanes: self.lanes,
            coding: Coding::Code8b10b,
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// [`SimError::BadParameter`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SimError> {
        let bad = |name, message| Err(SimError::BadParameter { name, message });
        self.model.validate()?;
        if self.delay < MIN_DELAY {
            return bad(
                "delay",
                format!("{} is not at least {MIN_DELAY} cycles", self.delay),
            );
        }
        if !(-MAX_PPM..=MAX_PPM).contains(&self.ppm) {
            return bad(
                "ppm",
                format!("{} is not in -{MAX_PPM} to {MAX_PPM}", self.ppm),
            );
        }
        if !(0.0..=MAX_STALL).contains(&self.stall) {
            return bad(
                "stall",
                format!("{} is not in 0 to {MAX_STALL}", self.stall),
            );
        }
        let wired = self.lanes.count();
        let lane = |cut: &LineCut| cut.lane.is_some_and(|lane| lane >= wired);
        if let Some(cut) = self.cuts.iter().find(|cut| lane(cut)) {
            let lane = cut.lane.unwrap_or_default();
            return bad(
                "cut",
                format!("lane {lane} is not one of the {wired} wired"),
            );
        }
        if let Some(ask) = self.switches.iter().find(|ask| ask.mode.lanes > self.lanes) {
            let lanes = ask.mode.lanes.count();
            return bad(
                "switch",
                format!("{lanes} lanes are more than the {wired} wired"),
            );
        }
        let mut resets = self.resets.clone();
        resets.sort_by_key(|reset| (reset.end, reset.start_fs));
        for two in resets.windows(2) {
            let end = two[0].start_fs.saturating_add(two[0].length_fs);
            if two[0].end == two[1].end && two[1].start_fs <= end {
                let ns = |fs: u64| fs as f64 * 1e-6;
                let message = format!(
                    "one begins at {} ns, but the one before it ends at {} ns",
                    ns(two[1].start_fs),
                    ns(end)
                );
                return bad("reset", message);
            }
        }
        let codes = self.coding == Coding::Code64b66b;
        if !self.model.switch && (codes || !self.switches.is_empty()) {
            return bad("switch", "the model is built without it".to_owned());
        }
        Ok(())
    }
}

/// How a change of the line's mode went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switched {
    /// The end that asked.
    pub end: usize,
    /// What it asked for.
    pub wanted: LineMode,
    /// When it asked, and when it read that the change is over, in femtoseconds.
    pub begun_fs: u64,
    /// As above.
    pub ended_fs: u64,
    /// How it went; none: the end was reset meanwhile.
    pub result: Change,
}

/// What happens at a time.
#[derive(Debug, Clone, Copy)]
enum Event {
    Cut(LineCut),
    Reset(usize, bool),
    Ask(usize, LineMode),
}

/// Two ends.
#[derive(Debug)]
pub struct Pair {
    ends: [End; 2],
    hosts: [Host; 2],
    /// By direction and lane: from A, from B.
    lanes: [Vec<Lane>; 2],
    meters: [Meter; 2],
    clocks: Clocks,
    /// Speed, lanes and line code of each end, as its ports have them.
    ports: [[u8; 3]; 2],
    modes: [LineMode; 2],
    /// The ends differ in speed or line code.
    apart: bool,
    noise: Xoshiro256PlusPlus,
    /// What is to happen, the next one last.
    events: Vec<(u64, Event)>,
    next_event: u64,
    switched: Vec<Switched>,
    fewest: Lanes,
    cuts: usize,
    now: u64,
    /// Bits of the words that are kept, and those that B has received; none: they are not kept.
    words: Option<(u32, Vec<Vec<u32>>)>,
    time_fs: u64,
}

impl Pair {
    /// Both ends after reset, with what is in their memories; they run, and `B` and `A` need some
    /// time to know each other.
    ///
    /// # Errors
    /// A parameter is out of range, or the simulator cannot be built.
    pub fn new(config: &PairConfig, memories: [Vec<u8>; 2]) -> Result<Self, SimError> {
        config.validate()?;
        let raw = RawModel::load(&config.model.recipe(), &mut |_| ())?;
        let context = raw.context();
        let [a, b] = memories;
        let mut seeds = Xoshiro256PlusPlus::seed_from_u64(config.seed);
        let mut end = |name, bytes| {
            let memory = Memory::new(bytes, config.model.bus_bits);
            let memory = memory.with_pauses(config.stall, seeds.next_u64());
            End::new(&context, name, raw, memory)
        };
        let start = config.start();
        let mut pair = Self {
            ends: [end("a", a)?, end("b", b)?],
            hosts: [A, B].map(|_| Host::new(start)),
            lanes: [wires(config, A)?, wires(config, B)?],
            meters: [Meter::new(), Meter::new()],
            clocks: Clocks::new(start.cycle_fs(), config.ppm),
            ports: [[0; 3]; 2],
            modes: [start; 2],
            apart: false,
            noise: seeds,
            events: events(config),
            next_event: u64::MAX,
            switched: Vec::new(),
            fewest: {
                let asked = config.switches.iter().map(|ask| ask.mode.lanes);
                asked.fold(config.lanes, Lanes::min)
            },
            cuts: 0,
            now: 0,
            words: config.keep_words.map(|bits| (bits, Vec::new())),
            time_fs: 0,
        };
        for _ in 0..RESET {
            pair.step();
        }
        for end in &mut pair.ends {
            end.set_reset(false);
        }
        for _ in 0..RESET {
            pair.step();
        }
        for end in [A, B] {
            for (address, value) in pair.hosts[end].settings() {
                pair.registers(end).write(address, value)?;
            }
        }
        pair.next_event = pair.events.last().map_or(u64::MAX, |next| next.0);
        Ok(pair)
    }

    /// Cycles of A so far.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Time so far, in femtoseconds.
    #[must_use]
    pub fn time_fs(&self) -> u64 {
        self.time_fs
    }

    /// The mode of an end's line, as its transceivers have it.
    #[must_use]
    pub fn mode(&self, end: usize) -> LineMode {
        self.modes[end]
    }

    /// Changes of the line's mode that have ended, in the order of their ends.
    #[must_use]
    pub fn switched(&self) -> &[Switched] {
        &self.switched
    }

    /// How often an end was reset by its pin.
    #[must_use]
    pub fn resets(&self, end: usize) -> u64 {
        self.hosts[end].resets
    }

    /// Cuts so far, and what has not begun: cuts, resets and changes of the line's mode.
    #[must_use]
    pub fn events_left(&self) -> (usize, usize) {
        let begins = |event: &&(u64, Event)| !matches!(event.1, Event::Reset(_, false));
        let left = self.events.iter().filter(begins).count();
        (self.cuts, left)
    }

    /// A change of the line's mode that was asked for at its time is under way.
    #[must_use]
    pub fn switching(&self) -> bool {
        self.hosts.iter().any(Host::switching)
    }

    /// The fewest lanes of the modes of this pair: operations over more may be refused.
    #[must_use]
    pub fn fewest_lanes(&self) -> Lanes {
        self.fewest
    }

    /// The memory of an end.
    #[must_use]
    pub fn memory(&mut self, end: usize) -> &mut Memory {
        &mut self.ends[end].memory
    }

    /// The registers of an end. Time passes while they are used.
    pub fn registers(&mut self, end: usize) -> EndRegisters<'_> {
        EndRegisters { pair: self, end }
    }

    /// Opens these whole pages of the memory of an end to the other end, and no others; again
    /// behind each reset of this end.
    ///
    /// # Errors
    /// The bus answers with an error.
    pub fn open_window(&mut self, end: usize, bytes: &Range<u32>) -> Result<(), SimError> {
        let first = (bytes.start / PAGE) << regs::window_first::PAGE.low;
        let last = (bytes.end / PAGE - 1) << regs::window_last::PAGE.low;
        self.hosts[end].window = Some([first, last]);
        let mut registers = self.registers(end);
        registers.write(regs::WINDOW_FIRST.offset, first)?;
        registers.write(regs::WINDOW_LAST.offset, last)
    }

    /// Bits flipped so far.
    #[must_use]
    pub fn bit_errors(&self) -> u64 {
        self.lanes.iter().flatten().map(Lane::errors).sum()
    }

    /// What an end has sent of packets since the last call.
    pub fn take_packets(&mut self, end: usize) -> Packets {
        std::mem::take(&mut self.meters[end].packets)
    }

    /// Words of the wired lanes that B has received in each cycle, if they are kept.
    pub fn take_words(&mut self) -> Vec<Vec<u32>> {
        self.words.take().unwrap_or_default().1
    }

    /// Time of the first packet since the last call of [`Pair::take_packets`] or
    /// [`Pair::take_first`].
    pub(super) fn first_packet(&self, end: usize) -> Option<u64> {
        self.meters[end].packets.first
    }

    pub(super) fn take_first(&mut self, end: usize) {
        self.meters[end].packets.first = None;
    }

    /// Lets a cycle of A pass.
    pub fn step(&mut self) {
        while !self.tick()[A] {}
        self.now += 1;
        for end in [A, B] {
            self.serve(end);
        }
    }

    /// Lets the clocks rise that rise next.
    #[inline]
    fn tick(&mut self) -> [bool; 2] {
        let (rises, now) = self.clocks.advance();
        self.time_fs = now;
        while self.next_event <= now {
            self.happen();
        }
        let sent = [self.ends[A].sent(), self.ends[B].sent()];
        for from in [A, B] {
            if rises[from] {
                let words = self.carry(from, &sent[from]);
                if let (A, Some((bits, kept))) = (from, &mut self.words)
                    && *bits == self.modes[A].word_bits()
                {
                    // What comes from a line of another mode may have more.
                    let words = &words[..self.lanes[A].len()];
                    kept.push(words.iter().map(|word| word & ((1 << *bits) - 1)).collect());
                }
                self.ends[1 - from].receive(&words);
            }
        }
        for end in [A, B] {
            self.ends[end].step(now, rises[end], rises[1 - end]);
            if self.ports[end] != self.ends[end].mode_ports() {
                self.changed(end);
            }
        }
        rises
    }

    /// What arrives of the words that an end sends.
    #[inline]
    fn carry(&mut self, from: usize, sent: &Words) -> Words {
        let lanes = &mut self.lanes[from];
        match self.modes[from].coding {
            Coding::Code8b10b => self.meters[from].watch(self.time_fs, &sent[..lanes.len()]),
            Coding::Code64b66b => {
                let cycle = self.modes[from].cycle_fs();
                self.meters[from].watch_blocks(self.time_fs, cycle, sent[0]);
            }
        }
        let mut words: Words = [0; LANES];
        let used = self.ports[from][1];
        for (lane, wire) in lanes.iter_mut().enumerate() {
            // A transceiver that is off sends nothing.
            let word = if used >> lane & 1 == 1 { sent[lane] } else { 0 };
            words[lane] = wire.transfer(word);
            if self.apart {
                words[lane] = self.noise.next_u64() as u32 >> (u32::BITS - PORT_BITS);
            }
        }
        words
    }

    /// The transceivers of an end have another mode.
    fn changed(&mut self, end: usize) {
        self.ports[end] = self.ends[end].mode_ports();
        if let Some(mode) = self.ends[end].mode() {
            if mode.word_bits() != self.modes[end].word_bits() {
                let lanes = self.lanes[end].iter_mut();
                lanes.for_each(|lane| lane.set_width(mode.word_bits()));
            }
            self.modes[end] = mode;
            self.clocks.set(end, mode.cycle_fs());
        }
        self.meters[end].restart(self.modes[end]);
        let [a, b] = self.ports;
        self.apart = a[0] != 0 && b[0] != 0 && (a[0] != b[0] || a[2] != b[2]);
    }

    /// The next event.
    fn happen(&mut self) {
        let event = self.events.pop();
        self.next_event = self.events.last().map_or(u64::MAX, |next| next.0);
        match event {
            Some((_, Event::Cut(cut))) => {
                self.cuts += 1;
                let gbps = self.modes[cut.direction].rate.gbps();
                let bits = (cut.length_fs as f64 * 1e-6 * gbps) as u64;
                for (lane, wire) in self.lanes[cut.direction].iter_mut().enumerate() {
                    if cut.lane.is_none_or(|only| only == lane) {
                        wire.cut(bits, cut.kind);
                    }
                }
            }
            Some((_, Event::Reset(end, on))) => {
                self.ends[end].set_reset(on);
                if on {
                    let lost = self.hosts[end].reset(self.time_fs);
                    self.switched
                        .extend(lost.map(|switched| Switched { end, ..switched }));
                } else {
                    self.hosts[end].boot();
                }
            }
            Some((_, Event::Ask(end, mode))) => self.hosts[end].ask(mode),
            None => {}
        }
    }

    /// Lets the chip of an end do what it has to beside its program.
    fn serve(&mut self, end: usize) {
        let host = &mut self.hosts[end];
        if !host.has_errands() {
            return;
        }
        let (time, core) = (self.time_fs, &mut self.ends[end]);
        if host.running() {
            if let Some((value, _)) = core.finished() {
                let over = host.finished(time, value);
                self.switched
                    .extend(over.map(|switched| Switched { end, ..switched }));
            }
        } else if !core.accessed() && !core.in_reset() {
            match host.next(time) {
                Some(Errand::Write(address, value)) => core.begin_write(address, value),
                Some(Errand::Look) => core.begin_read(regs::LINE.offset),
                None => {}
            }
        }
    }

    /// Lets time pass until both ends know each other, at most `cycles` cycles; whether they do.
    ///
    /// # Errors
    /// The bus answers with an error.
    pub fn wait_up(&mut self, cycles: u64) -> Result<bool, SimError> {
        let until = self.now + cycles;
        while self.now < until {
            if self.both_up()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Both ends know each other.
    fn both_up(&mut self) -> Result<bool, SimError> {
        let mut up = true;
        for end in [A, B] {
            let status = uncut(program::poll(&mut self.registers(end)))?;
            up &= status.is_some_and(Status::up);
        }
        Ok(up)
    }

    /// Changes the line's mode, asked for by an end, and waits for the end of it, at most `cycles`
    /// cycles: whether both ends are in it and know each other.
    ///
    /// # Errors
    /// The bus answers with an error.
    pub fn switch(&mut self, end: usize, mode: LineMode, cycles: u64) -> Result<bool, SimError> {
        let until = self.now + cycles;
        while self.now < until {
            let mut registers = self.registers(end);
            let Some(line) = uncut(registers.read(regs::LINE.offset))? else {
                continue;
            };
            if regs::line::BUSY.get(line.into()) != 0 {
                continue;
            }
            if LineMode::of_register(line) != Some(mode) {
                uncut(registers.write(regs::WANTED.offset, mode.wanted()))?;
            } else if self.modes == [mode; 2] && self.both_up()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the program may use the registers of an end.
    fn ready(&self, end: usize) -> bool {
        let host = &self.hosts[end];
        !host.running() && !host.due(self.time_fs) && !self.ends[end].in_reset()
    }

    /// An access of the program, which waits until its end has left a reset.
    fn access(
        &mut self,
        end: usize,
        address: u32,
        begin: impl FnOnce(&mut End),
    ) -> Result<u32, SimError> {
        let resets = self.hosts[end].resets;
        while !self.ready(end) {
            self.step();
        }
        if self.hosts[end].resets != resets {
            return Err(SimError::Cut);
        }
        begin(&mut self.ends[end]);
        for _ in 0..ACCESS {
            self.step();
            if self.hosts[end].resets != resets {
                return Err(SimError::Cut);
            }
            match self.ends[end].finished() {
                Some((value, true)) => return Ok(value),
                Some((_, false)) => break,
                None => {}
            }
        }
        Err(SimError::Register { address })
    }
}

/// The lanes from an end.
fn wires(config: &PairConfig, from: usize) -> Result<Vec<Lane>, SimError> {
    let mode = LineMode {
        coding: config.coding,
        ..config.start()
    };
    let further = u64::from(config.delay - MIN_DELAY) * u64::from(mode.word_bits());
    let wire = |lane: usize| {
        let channel = ChannelConfig {
            delay_bits: further + u64::from(config.skew[lane]),
            ber: config.ber,
            seed: config
                .seed
                .wrapping_mul(8)
                .wrapping_add((from * LANES + lane) as u64),
            ..ChannelConfig::default()
        };
        Lane::new(&channel, config.start().word_bits())
    };
    (0..config.lanes.count()).map(wire).collect()
}

/// All that is to happen, the first last.
fn events(config: &PairConfig) -> Vec<(u64, Event)> {
    let mut events: Vec<(u64, Event)> = Vec::new();
    events.extend(
        config
            .cuts
            .iter()
            .map(|cut| (cut.start_fs, Event::Cut(*cut))),
    );
    for reset in &config.resets {
        let end = reset.start_fs.saturating_add(reset.length_fs);
        events.push((reset.start_fs, Event::Reset(reset.end, true)));
        events.push((end, Event::Reset(reset.end, false)));
    }
    let asks = config.switches.iter();
    events.extend(asks.map(|ask| (ask.start_fs, Event::Ask(ask.end, ask.mode))));
    events.sort_by_key(|event| std::cmp::Reverse(event.0));
    events
}

/// The registers of an end of a pair.
#[derive(Debug)]
pub struct EndRegisters<'a> {
    pair: &'a mut Pair,
    end: usize,
}

impl EndRegisters<'_> {
    /// The pair, whose time goes on with each access.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.pair.now
    }
}

impl Registers for EndRegisters<'_> {
    type Error = SimError;

    fn write(&mut self, address: u32, value: u32) -> Result<(), SimError> {
        self.pair
            .access(self.end, address, |end| end.begin_write(address, value))
            .map(|_| ())
    }

    fn read(&mut self, address: u32) -> Result<u32, SimError> {
        self.pair
            .access(self.end, address, |end| end.begin_read(address))
    }
}
