// SPDX-License-Identifier: Apache-2.0
//! Frames as a capture file, with times in nanoseconds.

use std::io::{self, Write};
use std::time::Duration;

/// Marks a file of this format with nanoseconds.
const MAGIC: u32 = 0xa1b2_3c4d;
/// Link type of Ethernet.
const ETHERNET: u32 = 1;
/// Longest frame that a file may have.
const SNAP: u32 = 65535;

/// Writes a capture file.
#[derive(Debug)]
pub struct Writer<W: Write>(W);

impl<W: Write> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(mut out: W) -> io::Result<Self> {
        let version = 2 | 4 << 16;
        for word in [MAGIC, version, 0, 0, SNAP, ETHERNET] {
            out.write_all(&word.to_le_bytes())?;
        }
        Ok(Self(out))
    }

    /// Adds a frame, with its time since 1970.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn frame(&mut self, time: Duration, bytes: &[u8]) -> io::Result<()> {
        let bytes = &bytes[..bytes.len().min(SNAP as usize)];
        let length = bytes.len() as u32;
        for word in [time.as_secs() as u32, time.subsec_nanos(), length, length] {
            self.0.write_all(&word.to_le_bytes())?;
        }
        self.0.write_all(bytes)
    }

    /// What it writes to.
    pub fn into_inner(self) -> W {
        self.0
    }

    /// Hands over what is still held back.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
