// SPDX-License-Identifier: Apache-2.0
//! A page: a protection domain with 64 channels, and one owner.

use crate::channels::{CHANNELS, Hold, State, Table};
use crate::device::{DeviceError, PAGE};
use crate::engine::Inner;
use crate::transfer::Transfer;
use crate::wait::Wait;
use crate::{Buffer, Error, NotPosted, Rights, Window};
use ropewalk_wire::rdma::descriptor::{LINE, NODE_BITS};
use ropewalk_wire::rdma::{Class, Descriptor, DescriptorError, Work, descriptor};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// A byte of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Remote(u64);

impl Remote {
    /// Byte `address` of `node`.
    ///
    /// # Errors
    /// The address is not below 2^48.
    pub fn new(node: u16, address: u64) -> Result<Self, Error> {
        if address >> NODE_BITS != 0 {
            return Err(Error::Address(address));
        }
        Ok(Self::of(node, address))
    }

    pub(crate) fn of(node: u16, address: u64) -> Self {
        Self(u64::from(node) << NODE_BITS | address)
    }

    /// Which node.
    #[must_use]
    pub fn node(self) -> u16 {
        (self.0 >> NODE_BITS) as u16
    }

    /// Which byte there.
    #[must_use]
    pub fn address(self) -> u64 {
        self.0 & ((1 << NODE_BITS) - 1)
    }
}

/// Who is told when everything has arrived, beside the one who posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notify {
    /// Where 8 bytes are written: of a write or message at the node of the destination, of a read
    /// in its buffer. A multiple of 8.
    pub at: Remote,
    /// What is written; without it the size in bits 31:0, the transfer in 42:32, the node that
    /// posted it in 63:48. Writes only.
    pub value: Option<u64>,
}

/// How a transfer is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How it is scheduled; messages are [`Class::Small`].
    pub class: Class,
    /// Within the class, 0 first.
    pub priority: u8,
    /// For the network, below 2^22.
    pub qos: u32,
    /// Who else is told.
    pub notify: Option<Notify>,
}

impl Default for Options {
    /// Class small, first priority, QoS 0, nobody is told.
    fn default() -> Self {
        Self {
            class: Class::Small,
            priority: 0,
            qos: 0,
            notify: None,
        }
    }
}

/// A page that this owner alone uses. It can be used by several threads at once.
///
/// When it is dropped, transfers under way go on; what they use is kept until
/// [`crate::Engine::open`] of the same page has seen their end, or for ever.
#[derive(Debug)]
pub struct Page {
    pub(crate) engine: Arc<Inner>,
    pub(crate) number: u8,
}

impl Page {
    pub(crate) fn open(engine: &Arc<Inner>, number: u8, time: Duration) -> Result<Self, Error> {
        let pages = engine.tables.len() as u8;
        if number >= pages {
            let (page, last) = (number, pages.saturating_sub(1));
            return Err(Error::Page { page, last });
        }
        let mut table = engine.tables[usize::from(number)].lock();
        if table.open || table.handles() {
            return Err(Error::PageTaken(number));
        }
        engine.device.forget(number)?;
        // What an earlier owner has left: ends that nobody read go with the first read, the others
        // are waited for.
        let mut wait = Wait::new(time, "transfers of an earlier owner of the page do not end");
        while engine.collect(number, &mut table)? != [0; 2] || table.under_way() != 0 {
            wait.turn(&*engine.device)?;
        }
        table.recover();
        table.open = true;
        drop(table);
        let engine = Arc::clone(engine);
        Ok(Self { engine, number })
    }

    /// Its number.
    #[must_use]
    pub fn number(&self) -> u8 {
        self.number
    }

    /// Registers memory of the device, `bytes` of it.
    ///
    /// # Errors
    /// The device has no such piece free, or the page no window; the device has ended.
    pub fn window(&self, bytes: u64, rights: Rights) -> Result<Window, Error> {
        Window::register(&self.engine, self.number, bytes, rights)
    }

    /// Writes `range` of a buffer to another node. The buffer cannot be written or freed until the
    /// end was seen, as [`Arc::get_mut`] wants it alone.
    ///
    /// # Errors
    /// A rule is broken; all channels are in use; the port refuses.
    pub fn write(
        &self,
        source: &Arc<Buffer>,
        range: Range<u64>,
        to: Remote,
        options: &Options,
    ) -> Result<Transfer, Error> {
        source.of(&self.engine, self.number)?;
        let (at, size) = piece(source, &range)?;
        let work = Work::Write {
            source: Remote::of(self.engine.node, at).0,
            size,
        };
        let hold = Hold::Source(Arc::clone(source));
        self.post(work, to, options, hold)
            .map_err(|(error, _)| error)
    }

    /// Reads from another node into a buffer, from byte `at` on. The buffer is the engine's until
    /// the end was seen, and comes back with it. **If the read fails the buffer is gone**, as the
    /// other node may be writing to it still, until its window is.
    ///
    /// # Errors
    /// A rule is broken; the window of the buffer has not the right to be written; all channels are
    /// in use; the port refuses. The buffer comes back, unless the device has ended meanwhile.
    pub fn read(
        &self,
        from: Remote,
        size: u32,
        buffer: Buffer,
        at: u64,
        options: &Options,
    ) -> Result<Transfer<Buffer>, NotPosted> {
        let place = match self.readable(&buffer, at, size, options) {
            Ok(place) => place,
            Err(error) => {
                let buffer = Some(buffer);
                return Err(NotPosted { error, buffer });
            }
        };
        let (work, to) = (
            Work::Read {
                source: from.0,
                size,
            },
            Remote::of(self.engine.node, place),
        );
        self.post(work, to, options, Hold::Target(buffer))
            .map_err(|(error, hold)| {
                let buffer = match hold {
                    Some(Hold::Target(buffer)) => Some(buffer),
                    _ => None,
                };
                NotPosted { error, buffer }
            })
    }

    fn readable(
        &self,
        buffer: &Buffer,
        at: u64,
        size: u32,
        options: &Options,
    ) -> Result<u64, Error> {
        buffer.of(&self.engine, self.number)?;
        if !buffer.writable() {
            return Err(Error::Rights);
        }
        if let Some(Notify { at, .. }) = options.notify {
            let place = at.0.checked_sub(buffer.address(0)?.0);
            if place.is_none_or(|place| buffer.place(place, 8).is_err()) {
                return Err(Error::Notification(at.0));
            }
        }
        buffer.place(at, size.into())
    }

    /// Sends 1 to 32 bytes, which the descriptor holds.
    ///
    /// # Errors
    /// A rule is broken; all channels are in use; the port refuses.
    pub fn inline(&self, data: &[u8], to: Remote, options: &Options) -> Result<Transfer, Error> {
        if data.len() > descriptor::LONG_MESSAGE {
            let size = u32::try_from(data.len()).unwrap_or(u32::MAX);
            return Err(DescriptorError::Message(size).into());
        }
        let work = Work::Inline(data.to_vec());
        self.post(work, to, options, Hold::Nothing)
            .map_err(|(error, _)| error)
    }

    /// One collective read: the states of all 64 channels. Returns those that are over and whose
    /// handles have not said so yet, a bit each: for them [`Transfer::take`] has the end, without
    /// another access.
    ///
    /// # Errors
    /// The device has ended.
    pub fn collect(&self) -> Result<u64, Error> {
        let mut table = self.table();
        self.engine.collect(self.number, &mut table)?;
        Ok(table.over())
    }

    /// Waits until all of `transfers` are over, with collective reads. Their ends are then in their
    /// handles.
    ///
    /// # Errors
    /// Not within `time`; the device has ended.
    pub fn wait_all<T>(&self, transfers: &[Transfer<T>], time: Duration) -> Result<(), Error> {
        let here = |transfer: &&Transfer<T>| transfer.is_of(&self.engine, self.number);
        let wanted = transfers.iter().filter(here);
        let wanted = wanted.fold(0, |mask, transfer| mask | transfer.bit());
        let mut wait = Wait::new(time, "transfers have not ended");
        while self.collect()? & wanted != wanted {
            wait.turn(&*self.engine.device)?;
        }
        Ok(())
    }

    fn table(&self) -> parking_lot::MutexGuard<'_, Table> {
        self.engine.tables[usize::from(self.number)].lock()
    }

    /// All rules are checked before the first word is written. Who has the table writes
    /// descriptors: one is half written at a time. What is not used comes back with an error.
    fn post<T>(
        &self,
        work: Work,
        to: Remote,
        options: &Options,
        hold: Hold,
    ) -> Result<Transfer<T>, (Error, Option<Hold>)> {
        let lines = match self.lines(work, to, options) {
            Ok(lines) => lines,
            Err(error) => return Err((error, Some(hold))),
        };
        let (engine, page) = (&self.engine, self.number);
        let long = lines.second.is_some();
        let mut table = self.table();
        let mut channel = table.pick(long);
        if channel.is_none() {
            if let Err(error) = engine.collect(page, &mut table) {
                return Err((error, Some(hold)));
            }
            channel = table.pick(long);
        }
        let Some(channel) = channel else {
            return Err((Error::Full(page), Some(hold)));
        };
        match engine.write_lines(page, channel, &lines) {
            Ok(()) => {
                table.start(channel, long, hold);
                Ok(Transfer::new(Arc::clone(engine), page, channel))
            }
            Err(DeviceError::Refused { .. }) => {
                // A line that is not whole starts nothing.
                let forgotten = engine.device.forget(page);
                let refused = Error::Refused { page, channel };
                let error = forgotten.map_or_else(Error::from, |()| refused);
                Err((error, Some(hold)))
            }
            Err(error) => {
                table.retire(channel, long, hold);
                Err((error.into(), None))
            }
        }
    }

    fn lines(&self, work: Work, to: Remote, options: &Options) -> Result<descriptor::Lines, Error> {
        let descriptor = Descriptor {
            work,
            destination: to.0,
            class: options.class,
            priority: options.priority,
            qos: options.qos,
            notification: options.notify.map(|it| descriptor::Notification {
                address: it.at.0,
                value: it.value,
            }),
        };
        let lines = descriptor.encode()?;
        let (priority, built_in) = (options.priority, self.engine.priorities);
        if priority >= built_in {
            let last = built_in.saturating_sub(1);
            return Err(Error::Priority { priority, last });
        }
        Ok(lines)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let mut table = self.table();
        // What is over already is let go.
        let _ = self.engine.collect(self.number, &mut table);
        table.open = false;
    }
}

fn piece(buffer: &Buffer, range: &Range<u64>) -> Result<(u64, u32), Error> {
    let bytes = range.end.saturating_sub(range.start);
    let at = buffer.place(range.start, bytes)?;
    Ok((at, u32::try_from(bytes).map_err(|_| Error::Size(bytes))?))
}

impl Inner {
    /// Reads all states of a page and puts them where they belong.
    pub(crate) fn collect(&self, page: u8, table: &mut Table) -> Result<[u64; 2], Error> {
        let states = self.device.read_states(page)?;
        if states == [u64::MAX; 2] {
            // All in error; or nobody answers, and then a channel that was just made idle says so
            // too.
            self.state(page, 0)?;
        }
        for channel in 0..CHANNELS {
            let word = states[usize::from(channel / 32)];
            let state = State::of(word >> (2 * (channel % 32)));
            table.saw(channel, state, self.patience);
        }
        Ok(states)
    }

    /// Reads the state of one channel.
    pub(crate) fn state(&self, page: u8, channel: u8) -> Result<State, Error> {
        let state = self.device.read_state(page, u16::from(channel) * 8)?;
        if state > 3 {
            return Err(Error::Gone { page, state });
        }
        Ok(State::of(state))
    }

    fn write_lines(
        &self,
        page: u8,
        channel: u8,
        lines: &descriptor::Lines,
    ) -> Result<(), DeviceError> {
        let line = LINE as u16;
        let place = u16::from(channel) * line;
        let Some(second) = lines.second else {
            return self
                .device
                .write_descriptor(page, place, &words(&lines.first));
        };
        let place = PAGE as u16 / 2 + place;
        self.device
            .write_descriptor(page, place, &words(&lines.first))?;
        self.device
            .write_descriptor(page, place + line, &words(&second))
    }
}

fn words(line: &[u8; LINE]) -> [u64; LINE / 8] {
    std::array::from_fn(|i| u64::from_le_bytes(std::array::from_fn(|j| line[8 * i + j])))
}
