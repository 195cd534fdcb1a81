// SPDX-License-Identifier: Apache-2.0
//! One engine: its registers, its memory, its pages.

use crate::channels::Table;
use crate::device::{Device, DeviceError};
use crate::ranges::Ranges;
use crate::wait::Wait;
use crate::{Error, Page};
use parking_lot::Mutex;
use ropewalk_wire::rdma::regs;
use ropewalk_wire::regs::Register;
use std::sync::Arc;
use std::time::Duration;

/// Pages that an engine can have at most.
pub(crate) const PAGES: usize = 16;
/// The register map that this library knows.
const MAP: u64 = 1;
/// Reads of a register after a window was taken away, before its memory is used for something else:
/// what was let in before is on its way to memory then.
const SETTLE: u32 = 64;

/// Who an engine is, and its limits. What is `None` stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// Number of this node, below the number of senders that the others were built for.
    pub node: u16,
    /// Which life of this node, 0 to 15: one more than before its last reset, modulo 16.
    pub epoch: u8,
    /// Cycles from the last word of a block to its answer.
    pub timeout: Option<u32>,
    /// How often a block is sent again, 0 to 15.
    pub retries: Option<u8>,
    /// From the answer to a read request to the end of the read, in units of 16384 cycles, 2 to
    /// 262143.
    pub read_timeout: Option<u32>,
    /// How long a channel may be idle after its descriptor was written, before its transfer is
    /// [`Error::Lost`].
    pub patience: Duration,
}

impl Default for Start {
    /// Node 0 in its first life, limits as they are, 1 s.
    fn default() -> Self {
        Self {
            node: 0,
            epoch: 0,
            timeout: None,
            retries: None,
            read_timeout: None,
            patience: Duration::from_secs(1),
        }
    }
}

/// One engine. Copies are the same engine.
#[derive(Debug, Clone)]
pub struct Engine(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) device: Box<dyn Device>,
    pub(crate) node: u16,
    pub(crate) priorities: u8,
    pub(crate) map_minor: u8,
    windows: u8,
    pub(crate) patience: Duration,
    /// Memory in no window.
    pub(crate) memory: Mutex<Ranges>,
    /// Windows that each page has, a bit for each slot. Who holds it has the registers.
    pub(crate) slots: Mutex<[u16; PAGES]>,
    /// Channels of each page.
    pub(crate) tables: Vec<Mutex<Table>>,
}

impl Engine {
    /// Starts an engine, or joins one that runs as the same node: its windows are taken away, its
    /// pages are as they are.
    ///
    /// # Errors
    /// It is not an engine with a known register map; it runs as another node; a setting does not
    /// fit; it is not ready within `time`.
    pub fn start(
        device: impl Device + 'static,
        start: &Start,
        time: Duration,
    ) -> Result<Self, Error> {
        Self::start_boxed(Box::new(device), start, time)
    }

    /// [`Engine::start`] with a device of any kind.
    ///
    /// # Errors
    /// As there.
    pub fn start_boxed(
        device: Box<dyn Device>,
        start: &Start,
        time: Duration,
    ) -> Result<Self, Error> {
        let read = |register: &Register| register.read(|offset| device.read_register(offset));
        let expected = regs::magic::VALUE.reset as u32;
        let found = read(&regs::MAGIC)? as u32;
        if found != expected {
            return Err(Error::Magic { found, expected });
        }
        let version = read(&regs::VERSION)?;
        let found = regs::version::MAP_MAJOR.get(version);
        if found != MAP {
            let expected = MAP;
            return Err(Error::Map { found, expected });
        }
        let write = |register: &Register, value: u64| -> Result<(), Error> {
            Ok(device.write_register(register.offset, value as u32)?)
        };
        let asked = regs::identity::NODE.set(0, start.node.into())?;
        let identity = regs::identity::EPOCH.set(asked, start.epoch.into())?;
        let limits = [
            (
                &regs::TIMEOUT,
                &regs::timeout::CYCLES,
                start.timeout.map(u64::from),
            ),
            (
                &regs::RETRIES,
                &regs::retries::COUNT,
                start.retries.map(u64::from),
            ),
            (
                &regs::READ_TIMEOUT,
                &regs::read_timeout::TICKS,
                start.read_timeout.map(u64::from),
            ),
        ];
        // All that can be refused before anything is written.
        let mut values = Vec::new();
        for (register, field, value) in limits {
            if let Some(value) = value {
                values.push((register, field.set(0, value)?));
            }
        }
        let runs = regs::control::ENABLE.get(read(&regs::CONTROL)?) != 0;
        if runs {
            let found = regs::identity::NODE.get(read(&regs::IDENTITY)?) as u16;
            if found != start.node {
                let asked = start.node;
                return Err(Error::Node { asked, found });
            }
        } else {
            write(&regs::IDENTITY, identity)?;
        }
        for (register, value) in values {
            write(register, value)?;
        }
        if !runs {
            write(&regs::CONTROL, regs::control::ENABLE.mask())?;
        }
        let mut wait = Wait::new(time, "the engine is not ready");
        while regs::status::READY.get(read(&regs::STATUS)?) == 0 {
            wait.turn(&*device)?;
        }
        let parameters = read(&regs::PARAMETERS)?;
        let part = |field: &ropewalk_wire::regs::Field| field.get(parameters) as u8;
        let pages = part(&regs::parameters::PAGES).min(PAGES as u8);
        let memory = device.memory();
        let inner = Inner {
            node: start.node,
            priorities: part(&regs::parameters::PRIORITIES),
            map_minor: regs::version::MAP_MINOR.get(version) as u8,
            windows: part(&regs::parameters::WINDOWS),
            patience: start.patience,
            memory: Mutex::new(Ranges::new(
                memory.start,
                memory.end.saturating_sub(memory.start),
            )),
            slots: Mutex::default(),
            tables: (0..pages).map(|_| Mutex::default()).collect(),
            device,
        };
        // What an earlier program registered is not known here.
        for page in 0..pages {
            for slot in 0..inner.windows {
                inner.set_window(page, slot, 0..0, (false, false))?;
            }
        }
        inner.settle()?;
        Ok(Self(Arc::new(inner)))
    }

    /// Number of this node.
    #[must_use]
    pub fn node(&self) -> u16 {
        self.0.node
    }

    /// How many pages there are.
    #[must_use]
    pub fn pages(&self) -> u8 {
        self.0.tables.len() as u8
    }

    /// Intra-priorities that are built in.
    #[must_use]
    pub fn priorities(&self) -> u8 {
        self.0.priorities
    }

    /// Windows that a page can have.
    #[must_use]
    pub fn windows(&self) -> u8 {
        self.0.windows
    }

    /// Opens a page for this owner alone. Waits at most `time` for transfers of an earlier owner to
    /// end.
    ///
    /// # Errors
    /// There is no such page; it is open; an earlier transfer of it does not end.
    pub fn open(&self, page: u8, time: Duration) -> Result<Page, Error> {
        Page::open(&self.0, page, time)
    }

    /// Reads a register, all of it. [`ropewalk_wire::rdma::regs`] has them.
    ///
    /// # Errors
    /// The device has ended.
    pub fn register(&self, register: &Register) -> Result<u64, Error> {
        // A register of 64 bits is read in two parts, by one reader at a time.
        let _alone = self.0.slots.lock();
        let device = &self.0.device;
        Ok(register.read(|offset| device.read_register(offset))?)
    }

    /// Lets a flow rest for `interval` / 16 cycles for each 64 bytes that it has sent; 0 is no
    /// limit. Flows have the numbers 128 to 255.
    ///
    /// # Errors
    /// No such flow; the device has ended.
    pub fn rate(&self, flow: u8, interval: u16) -> Result<(), Error> {
        let number = u64::from(flow).wrapping_sub(128);
        let word = regs::rate::FLOW.set(0, number)?;
        let word = regs::rate::INTERVAL.set(word, interval.into())?;
        let _alone = self.0.slots.lock();
        let device = &self.0.device;
        device.write_register(regs::RATE.offset, word as u32)?;
        device.write_register(regs::COMMAND.offset, regs::command::RATE.mask() as u32)?;
        Ok(())
    }
}

impl Inner {
    /// Registers a window: its slot.
    pub(crate) fn add_window(
        &self,
        page: u8,
        range: std::ops::Range<u64>,
        rights: (bool, bool),
    ) -> Result<u8, Error> {
        let mut slots = self.slots.lock();
        let taken = &mut slots[usize::from(page)];
        let slot = taken.trailing_ones() as u8;
        if slot >= self.windows {
            let limit = self.windows;
            return Err(Error::Windows { limit });
        }
        self.set_window(page, slot, range, rights)?;
        *taken |= 1 << slot;
        Ok(slot)
    }

    /// Takes a window away. When it is done, nothing of the window is read or written any more.
    pub(crate) fn remove_window(&self, page: u8, slot: u8) -> Result<(), DeviceError> {
        let mut slots = self.slots.lock();
        self.set_window(page, slot, 0..0, (false, false))?;
        self.settle()?;
        slots[usize::from(page)] &= !(1 << slot);
        Ok(())
    }

    fn set_window(
        &self,
        page: u8,
        slot: u8,
        range: std::ops::Range<u64>,
        (read, write): (bool, bool),
    ) -> Result<(), DeviceError> {
        let which = u64::from(page) << regs::window::DOMAIN.low
            | u64::from(slot) << regs::window::SLOT.low
            | u64::from(read) << regs::window::READ.low
            | u64::from(write) << regs::window::WRITE.low;
        let (first, last) = (range.start, range.end.saturating_sub(1));
        let words = [
            (regs::WINDOW.offset, which),
            (regs::WINDOW_FIRST.offset, first),
            (regs::WINDOW_FIRST.offset + 4, first >> 32),
            (regs::WINDOW_LAST.offset, last),
            (regs::WINDOW_LAST.offset + 4, last >> 32),
            (regs::COMMAND.offset, regs::command::WINDOW.mask()),
        ];
        for (offset, value) in words {
            self.device.write_register(offset, value as u32)?;
        }
        // Writes may be on their way still; a read is behind them.
        self.device.read_register(regs::STATUS.offset)?;
        Ok(())
    }

    fn settle(&self) -> Result<(), DeviceError> {
        for _ in 0..SETTLE {
            self.device.read_register(regs::STATUS.offset)?;
        }
        Ok(())
    }
}
