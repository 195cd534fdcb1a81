// SPDX-License-Identifier: Apache-2.0
//! Two ends of an SLink, each of which is the RTL or the model of `ropewalk-wire`: they speak to
//! each other in raw words of the lanes, and the headers that each sends are written down.
//!
//! Lines have no skew, slips or errors here: what is compared is what the ends say. Each has the
//! clock of its mode; ends in different modes hear noise.

use std::collections::VecDeque;
use std::convert::Infallible;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_wire::line::Lanes;
use ropewalk_wire::line::stripe::LANES;
use ropewalk_wire::regs::Field;
use ropewalk_wire::slink::endpoint::Outstanding;
use ropewalk_wire::slink::mode::{LineMode, Rate};
use ropewalk_wire::slink::regs::{self, Change, Coding};
use ropewalk_wire::slink::{Failure, Settings, Switch};

use super::behaviour::{ModelEnd, Receiver};
use super::clock::Clocks;
use super::end::{End, Words};
use super::ffi::RawModel;
use super::line::PORT_BITS;
use super::memory::Memory;
use super::model::Model;
use super::program::{self, Operation, Outcome, Registers, Status};
use crate::SimError;

/// The mode of both ends behind their reset.
pub const START: LineMode = LineMode {
    rate: Rate::Fast,
    lanes: Lanes::X4,
    coding: Coding::Code8b10b,
};
/// Cycles from one end to the other.
const WAY: usize = 8;
/// Periods of the core in which a mode has to come up.
const TRIES: u32 = 8;

/// What an end is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// The RTL.
    Core,
    /// The model; the number of its session.
    Model(u16),
}

/// What an end and its transceivers are able to do beside the mode of the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Able {
    /// 5 Gb/s.
    pub fast: bool,
    /// 64b/66b.
    pub blocks: bool,
}

/// The RTL with a program: one access to a register at a time.
struct Core {
    end: End,
    /// Accesses that wait: registers, with the values of those that are written.
    script: VecDeque<(u32, Option<u32>)>,
    running: Option<(u32, Option<u32>)>,
    operating: bool,
    changing: bool,
    outcomes: VecDeque<Outcome>,
    changes: VecDeque<Change>,
    last: Change,
    up: bool,
}

/// Takes the writes of the published program.
struct Script<'a>(&'a mut VecDeque<(u32, Option<u32>)>);

impl Registers for Script<'_> {
    type Error = Infallible;

    fn write(&mut self, address: u32, value: u32) -> Result<(), Infallible> {
        self.0.push_back((address, Some(value)));
        Ok(())
    }

    fn read(&mut self, address: u32) -> Result<u32, Infallible> {
        self.0.push_back((address, None));
        Ok(0)
    }
}

impl Core {
    /// What its program does in a cycle: it writes what is to be written, and looks at `status` and
    /// `line` in turn.
    fn serve(&mut self) {
        if let Some((address, written)) = self.running {
            let Some((value, _)) = self.end.finished() else {
                return;
            };
            self.running = None;
            match (address, written) {
                (address, None) if address == regs::STATUS.offset => {
                    let status = Status(value);
                    self.up = status.up();
                    if self.operating && !status.busy() {
                        self.operating = false;
                        self.outcomes.extend(status.outcome());
                    }
                    self.script.push_back((regs::LINE.offset, None));
                }
                (_, None) => {
                    let field = |field: Field| field.get(value.into());
                    if field(regs::line::BUSY) == 0 {
                        let result = Change::from_bits(field(regs::line::RESULT));
                        self.last = result.unwrap_or(Change::None);
                        self.changes.extend(self.changing.then_some(self.last));
                        self.changing = false;
                    }
                    self.script.push_back((regs::STATUS.offset, None));
                }
                (address, Some(value)) => {
                    self.operating |= address == regs::CONTROL.offset && starts(value);
                    self.changing |= address == regs::WANTED.offset;
                }
            }
        }
        if let Some((address, value)) = self.script.pop_front() {
            self.running = Some((address, value));
            match value {
                Some(value) => self.end.begin_write(address, value),
                None => self.end.begin_read(address),
            }
        }
    }
}

/// Whether a value of `control` starts an operation.
fn starts(value: u32) -> bool {
    regs::control::START.get(value.into()) != 0
}

enum Side {
    Core(Box<Core>),
    Model(Box<ModelEnd>),
}

impl Side {
    fn mode(&self) -> LineMode {
        match self {
            Self::Core(core) => core.end.mode().unwrap_or(START),
            Self::Model(model) => model.mode(),
        }
    }

    fn sent(&self) -> Words {
        match self {
            Self::Core(core) => core.end.sent(),
            Self::Model(model) => model.sent(),
        }
    }
}

/// What was sent in a cycle.
type Sent = (LineMode, Words);

/// Both ends.
pub struct Mixed {
    sides: [Side; 2],
    /// By sender.
    ways: [VecDeque<Sent>; 2],
    clocks: Clocks,
    modes: [LineMode; 2],
    /// By sender: reads at its transmitter.
    taps: [Receiver; 2],
    headers: [Vec<u64>; 2],
    /// By sender: lanes that are cut, as a mask.
    cut: [u8; 2],
    noise: Xoshiro256PlusPlus,
}

impl std::fmt::Debug for Mixed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mixed")
            .field("modes", &self.modes)
            .finish_non_exhaustive()
    }
}

impl Mixed {
    /// Two ends behind their reset, with what they are able to do and what is in their memories.
    ///
    /// # Errors
    /// The simulator cannot be built.
    pub fn new(made: [Made; 2], able: [Able; 2], memories: [Vec<u8>; 2]) -> Result<Self, SimError> {
        let model = Model::default();
        let raw = RawModel::load(&model.recipe(), &mut |_| ())?;
        let context = raw.context();
        let side = |which: usize, bytes: Vec<u8>| -> Result<Side, SimError> {
            let Able { fast, blocks } = able[which];
            Ok(match made[which] {
                Made::Core => {
                    let memory = Memory::new(bytes, model.bus_bits);
                    let mut end = End::new(&context, ["a", "b"][which], raw, memory)?;
                    end.set_able(fast, blocks);
                    Side::Core(Box::new(Core {
                        end,
                        script: VecDeque::new(),
                        running: None,
                        operating: false,
                        changing: false,
                        outcomes: VecDeque::new(),
                        changes: VecDeque::new(),
                        last: Change::None,
                        up: false,
                    }))
                }
                Made::Model(session) => {
                    let settings = Settings {
                        window: 0..bytes.len() as u64,
                        retries: 16,
                        timeout: model.timeout.into(),
                        outstanding: Outstanding::Four,
                        session,
                        switch: Some(Switch {
                            start: START,
                            fast,
                            blocks,
                            tries: TRIES,
                        }),
                    };
                    Side::Model(Box::new(ModelEnd::new(settings, bytes, START)))
                }
            })
        };
        let [a, b] = memories;
        let mut mixed = Self {
            sides: [side(0, a)?, side(1, b)?],
            ways: [(); 2].map(|()| VecDeque::from(vec![(START, [0; LANES]); WAY])),
            clocks: Clocks::new(START.cycle_fs(), 0.0),
            modes: [START; 2],
            taps: [Receiver::new(START), Receiver::new(START)],
            headers: Default::default(),
            cut: [0; 2],
            noise: Xoshiro256PlusPlus::seed_from_u64(1),
        };
        mixed.steps(8);
        for side in &mut mixed.sides {
            if let Side::Core(core) = side {
                core.end.set_reset(false);
                let run = START.rate.run() as u32;
                core.script.extend([
                    (regs::LANES.offset, Some((1 << LANES) - 1)),
                    (regs::CONTROL.offset, Some(run)),
                    (regs::STATUS.offset, None),
                ]);
            }
        }
        Ok(mixed)
    }

    /// The headers that an end has sent, as far as whoever reads at its transmitter has its lanes.
    pub fn take_headers(&mut self, end: usize) -> Vec<u64> {
        let tap = &mut self.taps[end];
        self.headers[end].append(&mut tap.headers);
        std::mem::take(&mut self.headers[end])
    }

    /// The mode of an end.
    #[must_use]
    pub fn mode(&self, end: usize) -> LineMode {
        self.modes[end]
    }

    /// Whether an end knows its peer; a core, when its program looked last.
    #[must_use]
    pub fn is_up(&self, end: usize) -> bool {
        match &self.sides[end] {
            Side::Core(core) => core.up,
            Side::Model(model) => model.endpoint.is_up(),
        }
    }

    /// The memory of an end.
    #[must_use]
    pub fn bytes(&self, end: usize) -> &[u8] {
        match &self.sides[end] {
            Side::Core(core) => core.end.memory.bytes(),
            Side::Model(model) => &model.ram.bytes,
        }
    }

    /// Addresses of the words that were written to the memory of an end since the last call.
    pub fn take_writes(&mut self, end: usize) -> Vec<u32> {
        match &mut self.sides[end] {
            Side::Core(core) => {
                let writes = core.end.memory.take_writes().into_iter();
                writes.map(|write| write.address).collect()
            }
            Side::Model(model) => std::mem::take(&mut model.ram.writes),
        }
    }

    /// An end starts an operation; one at a time.
    pub fn start(&mut self, end: usize, operation: &Operation) {
        match &mut self.sides[end] {
            Side::Core(core) => {
                let Ok(()) = program::start(&mut Script(&mut core.script), false, operation);
            }
            Side::Model(model) => {
                assert!(model.start(operation), "the model takes no operation");
            }
        }
    }

    /// How the operation of an end went, when it has ended.
    pub fn outcome(&mut self, end: usize) -> Option<Outcome> {
        match &mut self.sides[end] {
            Side::Core(core) => core.outcomes.pop_front(),
            Side::Model(model) => Some(match model.outcomes.pop_front()? {
                Ok(()) => Outcome::Done,
                Err(Failure::TimedOut) => Outcome::Silent,
                Err(Failure::Refused | Failure::Lanes) => Outcome::Refused,
                Err(Failure::Reset) => Outcome::Reset,
                Err(Failure::RetriesExhausted | Failure::Damaged) => Outcome::Exhausted,
            }),
        }
    }

    /// An end asks for a mode.
    pub fn ask(&mut self, end: usize, wanted: LineMode) {
        match &mut self.sides[end] {
            Side::Core(core) => {
                let question = (regs::WANTED.offset, Some(wanted.wanted()));
                core.script.push_front(question);
            }
            Side::Model(model) => drop(model.endpoint.ask(wanted)),
        }
    }

    /// How the change went that an end has asked for, when it has ended. Of the model also those of
    /// the other end.
    pub fn changed(&mut self, end: usize) -> Option<Change> {
        match &mut self.sides[end] {
            Side::Core(core) => core.changes.pop_front(),
            Side::Model(model) => model.changes.pop_front(),
        }
    }

    /// How the last change of an end went, whoever wanted it; of a core, when its program looked
    /// last.
    #[must_use]
    pub fn last_change(&self, end: usize) -> Change {
        match &self.sides[end] {
            Side::Core(core) => core.last,
            Side::Model(model) => model.last,
        }
    }

    /// From now on these lanes from an end, bits of a mask, carry nothing.
    pub fn cut(&mut self, from: usize, lanes: u8) {
        self.cut[from] = lanes;
    }

    /// Lets edges of the clocks pass.
    pub fn steps(&mut self, edges: u64) {
        (0..edges).for_each(|_| self.step());
    }

    /// Lets the clock rise that rises next.
    pub fn step(&mut self) {
        let (rises, now) = self.clocks.advance();
        for from in [0, 1].into_iter().filter(|from| rises[*from]) {
            let words = self.carry(from);
            match &mut self.sides[1 - from] {
                Side::Core(core) => core.end.receive(&words),
                Side::Model(model) => model.receive(&words),
            }
        }
        for end in 0..2 {
            match &mut self.sides[end] {
                Side::Core(core) => {
                    core.end.step(now, rises[end], rises[1 - end]);
                    if rises[end] && !core.end.in_reset() {
                        core.serve();
                    }
                }
                Side::Model(model) if rises[end] => model.step(),
                Side::Model(_) => {}
            }
            let mode = self.sides[end].mode();
            if mode != self.modes[end] {
                self.modes[end] = mode;
                let tap = std::mem::replace(&mut self.taps[end], Receiver::new(mode));
                self.headers[end].extend(tap.headers);
                self.clocks.set(end, mode.cycle_fs());
            }
        }
    }

    /// What arrives of the words that an end sends in this cycle.
    fn carry(&mut self, from: usize) -> Words {
        let mode = self.modes[from];
        let mut words = self.sides[from].sent();
        // A transceiver that is off sends nothing.
        words[mode.lanes.count()..].fill(0);
        self.taps[from].take(&words);
        self.ways[from].push_back((mode, words));
        let (sent, mut words) = self.ways[from].pop_front().unwrap_or((mode, words));
        let there = self.modes[1 - from];
        for (lane, word) in words.iter_mut().enumerate() {
            *word *= u32::from(self.cut[from] >> lane & 1 == 0);
        }
        if (sent.rate, sent.coding) == (there.rate, there.coding) {
            return words;
        }
        words.map(|_| self.noise.next_u64() as u32 >> (u32::BITS - PORT_BITS))
    }
}
