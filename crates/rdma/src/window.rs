// SPDX-License-Identifier: Apache-2.0
//! Memory that the engine may reach: windows, and buffers in them.
//!
//! A window is memory that is registered for one page: the engine sends from it, and other nodes
//! may read it, write it or both. The engine knows some windows of each page only (four, as it is
//! built now), so what transfers use is a buffer, a piece of a window. **A window stays registered
//! until it and all its buffers are dropped**, those that a transfer uses included.
//!
//! The memory of a buffer is copied in and out. It is never lent as a slice: where other nodes may
//! write, it changes at any time.

use crate::engine::Inner;
use crate::ranges::Ranges;
use crate::{Error, Remote};
use parking_lot::Mutex;
use std::sync::Arc;

/// Where windows begin: a multiple of a word of the engine's memory.
const ALIGN: u64 = 64;

/// What other nodes of the same domain may do with a window. A transfer of this node may be sent
/// from any window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    read: bool,
    write: bool,
}

impl Rights {
    /// Others may read.
    pub const READ: Self = Self {
        read: true,
        write: false,
    };
    /// Others may write, and what this node reads from others can be put there.
    pub const WRITE: Self = Self {
        read: false,
        write: true,
    };
    /// Both.
    pub const BOTH: Self = Self {
        read: true,
        write: true,
    };

    /// These; at least one.
    ///
    /// # Errors
    /// None of both.
    pub fn new(read: bool, write: bool) -> Result<Self, Error> {
        if read || write {
            Ok(Self { read, write })
        } else {
            Err(Error::NoRights)
        }
    }
}

/// Memory that is registered for a page.
#[derive(Debug, Clone)]
pub struct Window(Arc<Registered>);

#[derive(Debug)]
struct Registered {
    engine: Arc<Inner>,
    page: u8,
    slot: u8,
    first: u64,
    bytes: u64,
    rights: Rights,
    free: Mutex<Ranges>,
}

impl Window {
    pub(crate) fn register(
        engine: &Arc<Inner>,
        page: u8,
        bytes: u64,
        rights: Rights,
    ) -> Result<Self, Error> {
        let first = {
            let mut memory = engine.memory.lock();
            take(&mut memory, bytes, ALIGN, "the memory of the device")?
        };
        let range = first..first + bytes;
        let slot = match engine.add_window(page, range, (rights.read, rights.write)) {
            Ok(slot) => slot,
            Err(error) => {
                // A device that failed half-way may have the window: its memory is not used again
                // then.
                if matches!(error, Error::Windows { .. }) {
                    engine.memory.lock().give(first, bytes);
                }
                return Err(error);
            }
        };
        Ok(Self(Arc::new(Registered {
            engine: Arc::clone(engine),
            page,
            slot,
            first,
            bytes,
            rights,
            free: Mutex::new(Ranges::new(first, bytes)),
        })))
    }

    /// A piece of it, from a multiple of `align` on, which is a power of two. It holds what was
    /// there before.
    ///
    /// # Errors
    /// No piece is large enough.
    ///
    /// # Panics
    /// `align` is no power of two.
    pub fn buffer(&self, bytes: u64, align: u64) -> Result<Buffer, Error> {
        assert!(align.is_power_of_two(), "align {align}");
        let first = take(&mut self.0.free.lock(), bytes, align, "a window")?;
        Ok(Buffer {
            window: Arc::clone(&self.0),
            first,
            bytes,
            lost: false,
        })
    }

    /// Its first byte, as other nodes name it.
    #[must_use]
    pub fn address(&self) -> Remote {
        Remote::of(self.0.engine.node, self.0.first)
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.0.bytes
    }
}

fn take(free: &mut Ranges, bytes: u64, align: u64, of: &'static str) -> Result<u64, Error> {
    let place = (bytes > 0).then(|| free.take(bytes, align)).flatten();
    place.ok_or_else(|| Error::Memory {
        asked: bytes,
        of,
        largest: free.largest(align),
    })
}

impl Drop for Registered {
    fn drop(&mut self) {
        // If it cannot be taken away, others may reach it: then the memory is nobody's any more.
        if self.engine.remove_window(self.page, self.slot).is_ok() {
            self.engine.memory.lock().give(self.first, self.bytes);
        }
    }
}

/// A piece of a window that one owner uses.
#[derive(Debug)]
pub struct Buffer {
    window: Arc<Registered>,
    first: u64,
    bytes: u64,
    /// The engine may write to it at any time: it is not given to somebody else as long as the
    /// window is registered.
    lost: bool,
}

impl Buffer {
    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes
    }

    /// A byte of it, as other nodes name it, and notifications.
    ///
    /// # Errors
    /// It has no such byte.
    pub fn address(&self, at: u64) -> Result<Remote, Error> {
        Ok(Remote::of(self.window.engine.node, self.place(at, 1)?))
    }

    /// Copies into it. Where other nodes may write too, who is the last wins, byte by byte.
    ///
    /// # Errors
    /// It is shorter.
    pub fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), Error> {
        let place = self.place(at, bytes.len() as u64)?;
        let device = &self.window.engine.device;
        // SAFETY: a piece of the device's memory that belongs to this buffer, which nobody else has
        // while it is borrowed.
        unsafe { device.write_memory(place, bytes) };
        Ok(())
    }

    /// Copies out of it.
    ///
    /// # Errors
    /// It is shorter.
    pub fn read(&self, at: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let place = self.place(at, bytes.len() as u64)?;
        let device = &self.window.engine.device;
        // SAFETY: a piece of the device's memory that belongs to this buffer; `write` needs it
        // alone.
        unsafe { device.read_memory(place, bytes) };
        Ok(())
    }

    /// All of it.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(self.bytes).unwrap_or(0)];
        // All of it is inside.
        let _ = self.read(0, &mut bytes);
        bytes
    }

    /// Address of some of its bytes at this node.
    pub(crate) fn place(&self, at: u64, bytes: u64) -> Result<u64, Error> {
        match at.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(self.first + at),
            _ => Err(Error::Outside {
                at,
                bytes,
                size: self.bytes,
            }),
        }
    }

    /// Whether transfers of a page may use it.
    pub(crate) fn of(&self, engine: &Arc<Inner>, page: u8) -> Result<(), Error> {
        let found = self.window.page;
        if found != page || !Arc::ptr_eq(&self.window.engine, engine) {
            return Err(Error::Domain { found, page });
        }
        Ok(())
    }

    /// Whether others may write to it.
    pub(crate) fn writable(&self) -> bool {
        self.window.rights.write
    }

    /// The engine may use it still: nobody has it until its window is gone.
    pub(crate) fn lose(mut self) {
        self.lost = true;
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if !self.lost {
            self.window.free.lock().give(self.first, self.bytes);
        }
    }
}
