// SPDX-License-Identifier: Apache-2.0
//! Engines in this process, for tests of programs that have none: port, states, windows and
//! registers keep the rules of `cores/rdma`, what is between two engines is a copy. Nothing here
//! says how fast anything is.
//!
//! Time is what users do: with each read of states, and each round of a loop that waits, every
//! transfer comes a little nearer to its end. How long one takes differs, so ends come in another
//! order than beginnings.

use crate::device::{Device, DeviceError, PAGE, STATES};
use parking_lot::Mutex;
use ropewalk_wire::rdma::descriptor::{LINE, Lines, NODE_BITS};
use ropewalk_wire::rdma::{Descriptor, Work, regs};
use ropewalk_wire::regs::Register;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Pages of each engine.
pub const PAGES: u8 = 16;
/// Intra-priorities of each engine.
pub const PRIORITIES: u8 = 4;
/// Windows of each page.
pub const WINDOWS: u8 = 4;
/// Where memory begins.
pub const MEMORY: u64 = 0x10_0000;

/// Registers that can be read: settings, and rates of pages behind a gap.
const SETTINGS: Range<u32> = 0..regs::RECEIVE.offset + 4;
const PAGE_RATES: Range<u32> = regs::PAGE_RATE.offset..regs::PAGE_RATE.offset + 4 * PAGES as u32;

fn is_register(offset: u32) -> bool {
    (SETTINGS.contains(&offset) || PAGE_RATES.contains(&offset)) && offset.is_multiple_of(4)
}

/// Engines that reach each other. Copies are the same network.
#[derive(Debug, Clone)]
pub struct Network(Arc<Mutex<World>>);

/// One engine of a network.
#[derive(Debug)]
pub struct Software {
    world: Arc<Mutex<World>>,
    node: usize,
    memory: Range<u64>,
}

#[derive(Debug)]
struct World {
    nodes: Vec<Node>,
    held: bool,
    failing: u32,
    /// Of how long transfers take.
    random: u32,
}

#[derive(Debug)]
struct Node {
    registers: HashMap<u32, u32>,
    windows: HashMap<(u8, u8), (Range<u64>, bool, bool)>,
    memory: Vec<u8>,
    pages: Vec<Page>,
    running: Vec<Running>,
}

#[derive(Debug, Clone)]
struct Page {
    begun: Option<Begun>,
    /// 0 idle, 1 ongoing, 2 done, 3 error.
    states: [u8; 64],
    /// Even channels whose descriptor has two lines.
    long: [bool; 32],
    refused: u64,
}

/// A descriptor that is half written.
#[derive(Debug, Clone)]
struct Begun {
    channel: u8,
    long: bool,
    first: Option<[u8; LINE]>,
    words: u8,
    line: [u8; LINE],
}

#[derive(Debug)]
struct Running {
    page: u8,
    channel: u8,
    descriptor: Descriptor,
    left: u32,
}

impl Network {
    /// `nodes` engines, each with `memory` bytes of memory. Node `n` reaches all others by their
    /// numbers, once they are started.
    #[must_use]
    pub fn new(nodes: u16, memory: usize) -> Self {
        let node = || Node {
            registers: [
                regs::TIMEOUT,
                regs::RETRIES,
                regs::READ_TIMEOUT,
                regs::SERVICE,
                regs::CONGESTION,
                regs::RECEIVE,
            ]
            .map(|it| (it.offset, it.reset() as u32))
            .into(),
            windows: HashMap::new(),
            memory: vec![0; memory],
            pages: vec![Page::new(); usize::from(PAGES)],
            running: Vec::new(),
        };
        Self(Arc::new(Mutex::new(World {
            nodes: (0..nodes).map(|_| node()).collect(),
            held: false,
            failing: 0,
            random: 1,
        })))
    }

    /// One of them. A second one of the same is a second user of the same engine.
    ///
    /// # Panics
    /// There is none with this number.
    #[must_use]
    pub fn node(&self, number: u16) -> Software {
        let node = usize::from(number);
        let memory = self.0.lock().nodes[node].memory.len() as u64;
        Software {
            world: Arc::clone(&self.0),
            node,
            memory: MEMORY..MEMORY + memory,
        }
    }

    /// While it is set nothing ends.
    pub fn hold(&self, held: bool) {
        self.0.lock().held = held;
    }

    /// The next `count` transfers end with an error.
    pub fn fail(&self, count: u32) {
        self.0.lock().failing = count;
    }
}

impl Page {
    fn new() -> Self {
        Self {
            begun: None,
            states: [0; 64],
            long: [false; 32],
            refused: 0,
        }
    }

    /// A word of a line: nothing, the descriptor that is whole with it, or that it is refused.
    fn word(&mut self, offset: u16, word: u64) -> Result<Option<(u8, Descriptor)>, ()> {
        let long = offset as usize >= PAGE / 2;
        let line = (offset as usize / LINE % 64) as u8;
        let (channel, second) = if long {
            (line & !1, line & 1 == 1)
        } else {
            (line, false)
        };
        let idle = |channel: u8| self.states[usize::from(channel)] == 0;
        let shadowed =
            channel & 1 == 1 && !idle(channel - 1) && self.long[usize::from(channel / 2)];
        if !idle(channel) || shadowed || (long && !idle(channel + 1)) {
            return Err(());
        }
        let fresh = Begun {
            channel,
            long,
            first: None,
            words: 0,
            line: [0; LINE],
        };
        let mut begun = self.begun.clone().unwrap_or(fresh);
        if (begun.channel, begun.long, begun.first.is_some()) != (channel, long, second) {
            return Err(());
        }
        let place = offset as usize % LINE;
        begun.line[place..place + 8].copy_from_slice(&word.to_le_bytes());
        begun.words |= 1 << (place / 8);
        if begun.words != 15 {
            self.begun = Some(begun);
            return Ok(None);
        }
        self.begun = None;
        let lines = match begun.first {
            None if long => {
                // Whether it keeps the rules is found with its first line.
                let second = Some([0; LINE]);
                let first = begun.line;
                Descriptor::decode(&Lines { first, second }).map_err(|_| ())?;
                begun.first = Some(first);
                begun.words = 0;
                self.begun = Some(begun);
                return Ok(None);
            }
            None => Lines {
                first: begun.line,
                second: None,
            },
            Some(first) => Lines {
                first,
                second: Some(begun.line),
            },
        };
        let descriptor = Descriptor::decode(&lines).map_err(|_| ())?;
        if descriptor.priority >= PRIORITIES {
            return Err(());
        }
        self.states[usize::from(channel)] = 1;
        if channel & 1 == 0 {
            self.long[usize::from(channel / 2)] = long;
        }
        Ok(Some((channel, descriptor)))
    }

    /// What is shown of some channels, which makes those idle that are over.
    fn show(&mut self, channels: Range<usize>) -> u64 {
        let states = &mut self.states[channels];
        let word = states
            .iter()
            .rev()
            .fold(0, |word, &state| word << 2 | u64::from(state));
        for state in states.iter_mut().filter(|state| **state >= 2) {
            *state = 0;
        }
        word
    }
}

impl Node {
    fn value(&self, register: &Register) -> u64 {
        let word = |offset| Ok::<_, ()>(self.registers.get(&offset).copied().unwrap_or(0));
        register.read(word).unwrap_or(0)
    }

    fn ready(&self) -> bool {
        self.value(&regs::CONTROL) & 1 == 1
    }

    /// Whether a range lies in a window of a page with one of these rights.
    fn allowed(&self, page: u8, address: u64, size: u64, (read, write): (bool, bool)) -> bool {
        let has = |((domain, _), (range, r, w)): (&(u8, u8), &(Range<u64>, bool, bool))| {
            let inside = range.start <= address && address + size <= range.end;
            *domain == page && inside && (read && *r || write && *w)
        };
        self.windows.iter().any(has)
    }

    /// Some of its memory, if it has it.
    fn bytes(&mut self, address: u64, size: usize) -> Option<&mut [u8]> {
        let first = usize::try_from(address.checked_sub(MEMORY)?).ok()?;
        self.memory.get_mut(first..first.checked_add(size)?)
    }

    fn command(&mut self, value: u32) {
        if u64::from(value) & regs::command::WINDOW.mask() == 0 || !self.ready() {
            return;
        }
        let which = self.value(&regs::WINDOW);
        let key = (
            regs::window::DOMAIN.get(which) as u8,
            regs::window::SLOT.get(which) as u8,
        );
        let rights = (
            regs::window::READ.get(which) == 1,
            regs::window::WRITE.get(which) == 1,
        );
        self.windows.remove(&key);
        if key.1 < WINDOWS && rights != (false, false) {
            let range = self.value(&regs::WINDOW_FIRST)..self.value(&regs::WINDOW_LAST) + 1;
            self.windows.insert(key, (range, rights.0, rights.1));
        }
    }
}

impl World {
    fn tick(&mut self) {
        if self.held {
            return;
        }
        for node in 0..self.nodes.len() {
            for job in &mut self.nodes[node].running {
                job.left -= 1;
            }
            let done = |job: &mut Running| job.left == 0;
            let over: Vec<_> = self.nodes[node].running.extract_if(.., done).collect();
            for job in over {
                let failing = self.failing > 0;
                self.failing -= u32::from(failing);
                let good = !failing && self.carry_out(node, &job).is_some();
                let page = &mut self.nodes[node].pages[usize::from(job.page)];
                page.states[usize::from(job.channel)] = 3 - u8::from(good);
            }
        }
    }

    /// All of it or nothing.
    fn carry_out(&mut self, node: usize, job: &Running) -> Option<()> {
        const ANY: (bool, bool) = (true, true);
        const READ: (bool, bool) = (true, false);
        const WRITE: (bool, bool) = (false, true);
        let place = |address: u64| {
            (
                (address >> NODE_BITS) as usize,
                address & ((1 << NODE_BITS) - 1),
            )
        };
        let (page, descriptor) = (job.page, &job.descriptor);
        let fetch = |world: &mut Self, source: u64, size: u32, rights| {
            let (from, at) = place(source);
            let giver = world.nodes.get_mut(from).filter(|it| it.ready())?;
            let allowed = giver.allowed(page, at, size.into(), rights);
            let bytes = giver.bytes(at, size as usize)?.to_vec();
            allowed.then_some((from, bytes))
        };
        let (to, at) = place(descriptor.destination);
        let (data, told) = match &descriptor.work {
            Work::Inline(data) => (data.clone(), to),
            Work::Write { source, size } => {
                let (from, data) = fetch(self, *source, *size, ANY)?;
                (from == node).then_some((data, to))?
            }
            Work::Read { source, size } => {
                let (_, data) = fetch(self, *source, *size, READ)?;
                (to == node).then_some((data, node))?
            }
        };
        let mut writes = vec![(to, at, data)];
        if let Some(notification) = descriptor.notification {
            let (target, at) = place(notification.address);
            let transfer = u64::from(page) << 7 | u64::from(job.channel);
            let value = u64::from(descriptor.size()) | transfer << 32 | (node as u64) << NODE_BITS;
            let value = notification.value.unwrap_or(value);
            (target == told).then_some(())?;
            writes.push((target, at, value.to_le_bytes().to_vec()));
        }
        for (target, at, data) in &writes {
            let taker = self.nodes.get_mut(*target).filter(|it| it.ready())?;
            let allowed = taker.allowed(page, *at, data.len() as u64, WRITE);
            (allowed && taker.bytes(*at, data.len()).is_some()).then_some(())?;
        }
        for (target, at, data) in &writes {
            let taker = &mut self.nodes[*target];
            taker.bytes(*at, data.len())?.copy_from_slice(data);
        }
        Some(())
    }
}

fn refused<T>(what: &'static str, offset: u32) -> Result<T, DeviceError> {
    Err(DeviceError::Refused { what, offset })
}

impl Device for Software {
    fn read_register(&self, offset: u32) -> Result<u32, DeviceError> {
        let mut world = self.world.lock();
        let node = &mut world.nodes[self.node];
        let parameters = [
            (regs::parameters::PAGES, u64::from(PAGES)),
            (regs::parameters::PRIORITIES, u64::from(PRIORITIES)),
            (regs::parameters::SENDERS, 64),
            (regs::parameters::WINDOWS, u64::from(WINDOWS)),
        ];
        let counters = regs::observe::REFUSED.offset..regs::SIZE;
        Ok(match offset {
            it if it == regs::MAGIC.offset => regs::MAGIC.reset() as u32,
            it if it == regs::VERSION.offset => regs::VERSION.reset() as u32,
            it if it == regs::PARAMETERS.offset => parameters
                .map(|(field, value)| value << field.low)
                .iter()
                .sum::<u64>() as u32,
            it if it == regs::STATUS.offset => node.ready().into(),
            it if it == regs::COMMAND.offset => 0,
            it if counters.contains(&it) && it % 4 == 0 => {
                let place = (it - counters.start) as usize;
                (node.pages[place / 8].refused >> (place % 8 * 8)) as u32
            }
            it if is_register(it) => node.registers.get(&it).copied().unwrap_or(0),
            it => return refused("register", it),
        })
    }

    fn write_register(&self, offset: u32, value: u32) -> Result<(), DeviceError> {
        let mut world = self.world.lock();
        let node = &mut world.nodes[self.node];
        let fixed = [regs::MAGIC, regs::VERSION, regs::PARAMETERS, regs::STATUS];
        if !is_register(offset) || fixed.iter().any(|it| it.offset == offset) {
            return refused("register", offset);
        }
        if offset == regs::COMMAND.offset {
            node.command(value);
        } else {
            node.registers.insert(offset, value);
        }
        Ok(())
    }

    fn write_descriptor(&self, page: u8, offset: u16, words: &[u64]) -> Result<(), DeviceError> {
        let mut world = self.world.lock();
        let mut good = true;
        for (i, &word) in words.iter().enumerate() {
            world.random = world
                .random
                .wrapping_mul(0x0019_660d)
                .wrapping_add(0x3c6e_f35f);
            let left = 1 + (world.random >> 24) % 8;
            let node = &mut world.nodes[self.node];
            let ready = node.ready();
            let place = &mut node.pages[usize::from(page)];
            match place.word(offset + 8 * i as u16, word) {
                Ok(Some((channel, descriptor))) if ready => node.running.push(Running {
                    page,
                    channel,
                    descriptor,
                    left,
                }),
                Ok(_) => {}
                Err(()) => {
                    place.refused += 1;
                    good = false;
                }
            }
        }
        if good {
            Ok(())
        } else {
            refused("descriptor", offset.into())
        }
    }

    fn forget(&self, page: u8) -> Result<(), DeviceError> {
        self.world.lock().nodes[self.node].pages[usize::from(page)].begun = None;
        Ok(())
    }

    fn read_state(&self, page: u8, offset: u16) -> Result<u64, DeviceError> {
        let mut world = self.world.lock();
        world.tick();
        let place = &mut world.nodes[self.node].pages[usize::from(page)];
        let channel = usize::from(offset / 8);
        match offset {
            0..512 if offset.is_multiple_of(8) => Ok(place.show(channel..channel + 1)),
            STATES => Ok(place.show(0..32)),
            it if it == STATES + 8 => Ok(place.show(32..64)),
            _ => refused("state", offset.into()),
        }
    }

    fn memory(&self) -> Range<u64> {
        self.memory.clone()
    }

    unsafe fn read_memory(&self, address: u64, bytes: &mut [u8]) {
        let mut world = self.world.lock();
        if let Some(memory) = world.nodes[self.node].bytes(address, bytes.len()) {
            bytes.copy_from_slice(memory);
        }
    }

    unsafe fn write_memory(&self, address: u64, bytes: &[u8]) {
        let mut world = self.world.lock();
        if let Some(memory) = world.nodes[self.node].bytes(address, bytes.len()) {
            memory.copy_from_slice(bytes);
        }
    }

    fn relax(&self, _: u32) {
        self.world.lock().tick();
        std::thread::yield_now();
    }
}
