// SPDX-License-Identifier: Apache-2.0
//! What an engine looks like to a program: registers, descriptor port, memory. Nothing here knows
//! what they are for.

use std::ops::Range;
use thiserror::Error;

/// Bytes that a page has of descriptors, and of states.
pub const PAGE: usize = 4096;
/// Where in the states of a page those of channels 0 to 31 are; those of 32 to 63 are 8 bytes
/// behind.
pub const STATES: u16 = 0x400;

/// Why an access did not work.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeviceError {
    /// The engine answered with SLVERR. Only devices that see the answer say so.
    #[error("{what} {offset:#x}: refused by the engine")]
    Refused {
        /// What was accessed.
        what: &'static str,
        /// Byte.
        offset: u32,
    },
    /// The device has ended.
    #[error("the device has ended: {0}")]
    Ended(String),
}

/// One engine, as its bus shows it.
///
/// The library calls it from several threads, and does not rely on more than what each method
/// promises.
pub trait Device: Send + Sync + std::fmt::Debug {
    /// Reads a register of 32 bits.
    ///
    /// # Errors
    /// There is none at this offset, or the device has ended.
    fn read_register(&self, offset: u32) -> Result<u32, DeviceError>;

    /// Writes a register of 32 bits. Such writes arrive in the order of the calls, and before later
    /// reads of registers.
    ///
    /// # Errors
    /// There is none that can be written at this offset, or the device has ended.
    fn write_register(&self, offset: u32, value: u32) -> Result<(), DeviceError>;

    /// Writes words to the descriptors of a page, from a byte offset that is a multiple of 8 on.
    /// Each word arrives as a whole, that is with all eight strobes, once; words of the same call
    /// in any order; all of them before those of later calls, and after what was written to memory
    /// before.
    ///
    /// # Errors
    /// A word was refused, if the device can see that; or it has ended.
    fn write_descriptor(&self, page: u8, offset: u16, words: &[u64]) -> Result<(), DeviceError>;

    /// Makes a page forget the descriptor that is half written.
    ///
    /// # Errors
    /// The device has ended.
    fn forget(&self, page: u8) -> Result<(), DeviceError>;

    /// Reads 8 bytes of the states of a page, in one access, after all descriptors that were
    /// written before. What the caller reads from memory afterwards is as new as the state.
    ///
    /// # Errors
    /// Nothing can be read there, or the device has ended.
    fn read_state(&self, page: u8, offset: u16) -> Result<u64, DeviceError>;

    /// Reads the states of all 64 channels of a page: in one access of 16 bytes if the port is wide
    /// enough, else in two of 8.
    ///
    /// # Errors
    /// As [`Device::read_state`]. What was read until then must not be lost: only the first access
    /// may fail, or the device has ended.
    fn read_states(&self, page: u8) -> Result<[u64; 2], DeviceError> {
        Ok([
            self.read_state(page, STATES)?,
            self.read_state(page, STATES + 8)?,
        ])
    }

    /// Addresses of the memory that engine and program share, as the engine sees them. Empty if
    /// there is none: then only messages can be sent.
    fn memory(&self) -> Range<u64>;

    /// Copies out of this memory.
    ///
    /// # Safety
    /// The range lies in [`Device::memory`], and no other call of this program writes to it
    /// meanwhile. The engine may.
    unsafe fn read_memory(&self, address: u64, bytes: &mut [u8]);

    /// Copies into this memory.
    ///
    /// # Safety
    /// The range lies in [`Device::memory`], and no other call of this program touches it
    /// meanwhile. The engine may.
    unsafe fn write_memory(&self, address: u64, bytes: &[u8]);

    /// Lets some time pass in a loop that waits, for the `round`-th time.
    fn relax(&self, round: u32) {
        if round < 100 {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
