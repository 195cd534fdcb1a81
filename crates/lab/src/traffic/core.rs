// SPDX-License-Identifier: Apache-2.0
//! The player and the capture behind their registers.

use std::time::{Duration, Instant};

use ropewalk_console::failure::Failure;
use ropewalk_io::registers::Registers;
use ropewalk_wire::regs::Register;
use ropewalk_wire::traffic::regs::{self, observe};

use super::{Beat, Order};

/// How long the clock of the streams may keep orders waiting.
const PATIENCE: Duration = Duration::from_secs(2);

/// A register bus.
pub trait Bus {
    /// The word at a byte address.
    fn read32(&mut self, address: u32) -> u32;
    /// Writes the word at a byte address.
    fn write32(&mut self, address: u32, value: u32);
}

impl Bus for Registers {
    fn read32(&mut self, address: u32) -> u32 {
        Registers::read32(self, address)
    }

    fn write32(&mut self, address: u32, value: u32) {
        Registers::write32(self, address, value);
    }
}

/// A core.
#[derive(Debug)]
pub struct Core<B> {
    bus: B,
    /// Where it is, for messages.
    name: String,
    /// Bytes of a beat.
    pub width: usize,
    /// Beats of the memory of the player.
    pub play_depth: usize,
    /// Beats of the memory of the capture.
    pub capture_depth: usize,
    /// What a counter counts modulo, less one.
    largest: u64,
}

impl<B: Bus> Core<B> {
    /// The core at the beginning of a bus; `name` is what messages call it.
    ///
    /// # Errors
    /// What is there is no such core, or one with another map.
    pub fn new(mut bus: B, name: String) -> Result<Self, Failure> {
        let mut get = |register: &Register| {
            let word = register.read(|address| Ok::<_, ()>(bus.read32(address)));
            word.unwrap_or_default()
        };
        let refuse = |what: &str, found: u64, accepted: u64| {
            Err(Failure::BadInput(format!(
                "{name}: {what} {found:#x}; accepted: {accepted:#x}, that of a traffic core"
            )))
        };
        let (magic, known) = (get(&regs::MAGIC), regs::magic::VALUE.reset);
        if magic != known {
            return refuse("magic", magic, known);
        }
        let map = regs::version::MAP_MAJOR.get(get(&regs::VERSION));
        if map != regs::version::MAP_MAJOR.reset {
            return refuse("register map", map, regs::version::MAP_MAJOR.reset);
        }
        let shape = get(&regs::WIDTH);
        let (bytes, bits) = (
            regs::width::BYTES.get(shape),
            regs::width::COUNTERS.get(shape),
        );
        if bytes == 0 || !(8..=64).contains(&bits) {
            return refuse("width", shape, 1);
        }
        let depths = (get(&regs::PLAY_DEPTH), get(&regs::CAPTURE_DEPTH));
        Ok(Self {
            bus,
            name,
            width: bytes as usize,
            play_depth: depths.0 as usize,
            capture_depth: depths.1 as usize,
            largest: u64::MAX >> (64 - bits),
        })
    }

    /// A register.
    pub fn get(&mut self, register: &Register) -> u64 {
        let word = register.read(|address| Ok::<_, ()>(self.bus.read32(address)));
        word.unwrap_or_default()
    }

    /// Whether a count that was made here is what a counter of the core shows.
    pub fn counted(&self, count: u64, shown: u64) -> bool {
        count & self.largest == shown
    }

    /// The events that are set are forgotten.
    pub fn forget_events(&mut self) {
        let every = regs::EVENTS
            .fields
            .iter()
            .fold(0, |bits, f| bits | f.mask());
        self.bus.write32(regs::EVENTS.offset, every as u32);
    }

    fn stuck<T>(&self) -> Result<T, Failure> {
        Err(Failure::network(format!(
            "{}: the clock of the streams stands still",
            self.name
        )))
    }

    /// Gives orders, as fast as the core takes them.
    ///
    /// # Errors
    /// It takes none: the clock of the streams stands still.
    pub fn order(&mut self, orders: &[Order]) -> Result<(), Failure> {
        for &(address, value) in orders {
            let begin = Instant::now();
            while self.get(&regs::STATUS) & regs::status::ORDER_READY.mask() == 0 {
                if begin.elapsed() > PATIENCE {
                    return self.stuck();
                }
            }
            self.bus.write32(address, value);
        }
        Ok(())
    }

    /// Waits until all orders have had their effect, and what that made happen is in `events`.
    ///
    /// # Errors
    /// The clock of the streams stands still.
    pub fn settle(&mut self) -> Result<(), Failure> {
        let (given, begin) = (self.get(&regs::ORDERS), Instant::now());
        while self.get(&observe::ORDERS) != given {
            if begin.elapsed() > PATIENCE {
                return self.stuck();
            }
        }
        // An event crosses in as many cycles of both clocks as two reads take.
        for _ in 0..2 {
            self.get(&observe::NOW);
        }
        Ok(())
    }

    /// The same, and all of them were carried out.
    ///
    /// # Errors
    /// As [`Core::settle`], or the core has refused one of them.
    pub fn fence(&mut self) -> Result<(), Failure> {
        self.settle()?;
        let events = self.get(&regs::EVENTS);
        let set = |field: ropewalk_wire::regs::Field| field.get(events) != 0;
        if set(regs::events::CLEARED) {
            return Err(Failure::network(format!(
                "{}: the streams were reset meanwhile",
                self.name
            )));
        }
        if set(regs::events::REFUSED) || set(regs::events::ORDER_LOST) {
            return Err(Failure::refused(format!(
                "{}: the core has refused an order (events {events:#x})",
                self.name
            )));
        }
        Ok(())
    }

    /// One beat of the memory of the capture.
    ///
    /// # Errors
    /// As [`Core::fence`].
    pub fn shown(&mut self, index: usize) -> Result<Beat, Failure> {
        self.order(&[(regs::WINDOW.offset, index as u32)])?;
        self.fence()?;
        let head = self.get(&observe::window::BEAT);
        let mut data = Vec::with_capacity(self.width + 8);
        for k in 0..self.width.div_ceil(8) {
            let word = self.get(&observe::window::DATA.element(k, 8));
            data.extend_from_slice(&word.to_le_bytes());
        }
        data.truncate(observe::window::beat::BYTES.get(head) as usize);
        Ok(Beat {
            data,
            last: observe::window::beat::LAST.get(head) != 0,
            cycles: observe::window::beat::CYCLES.get(head) as u32,
            at: false,
            mark: observe::window::beat::MARK.get(head) != 0,
        })
    }

    /// The beats that were recorded.
    ///
    /// # Errors
    /// As [`Core::fence`].
    pub fn recorded(&mut self) -> Result<Vec<Beat>, Failure> {
        let count = self.get(&observe::CAPTURE_STORED) as usize;
        (0..count).map(|index| self.shown(index)).collect()
    }
}
