// SPDX-License-Identifier: Apache-2.0
//! What a fuzzer makes, taken piece by piece; behind its end everything is zero.

/// The rest of an input.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    /// Nothing is left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next `count` bytes, or what is left.
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// A fixed number of bytes.
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let taken = self.take(N);
        let mut bytes = [0; N];
        bytes[..taken.len()].copy_from_slice(taken);
        bytes
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        self.array::<1>()[0]
    }

    /// Two bytes.
    pub fn half(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    /// Eight bytes.
    pub fn long(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }

    /// The bytes of a record, behind their 16-bit count.
    pub fn record(&mut self) -> &'a [u8] {
        let count = self.half();
        self.take(count.into())
    }

    /// Changes bytes: at each place that the input names, as it says.
    pub fn change(&mut self, bytes: &mut [u8]) {
        for _ in 0..self.byte() & 7 {
            let (place, with) = (usize::from(self.half()), self.byte());
            if let Some(byte) = bytes.get_mut(place) {
                *byte ^= with;
            }
        }
    }
}

/// Adds what [`Input::record`] takes.
///
/// # Panics
/// More than 65 535 bytes.
pub fn record(input: &mut Vec<u8>, bytes: &[u8]) {
    let count = u16::try_from(bytes.len()).expect("a record");
    input.extend(count.to_le_bytes());
    input.extend(bytes);
}

/// A folder of its own, in memory where the system has such: nothing of it is to last.
///
/// # Panics
/// The system makes none.
#[must_use]
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .expect("a folder")
}
