// SPDX-License-Identifier: Apache-2.0
//! Memory of batches, which goes round: fresh memory costs a page fault and a page of zeros for
//! every 4 KiB, which is more than it costs to fill it.

use parking_lot::Mutex;
use std::mem;
use std::ops::Deref;
use std::sync::Arc;

/// Most bytes that are kept for later batches, if two of them are not more.
const SPARE: usize = 1 << 26;

/// Memory that waits for later batches of one size.
#[derive(Debug, Clone, Default)]
pub struct Pool(Arc<Mutex<Vec<Vec<u8>>>>);

impl Pool {
    /// Memory without bytes, and with room for this number of them.
    #[must_use]
    pub fn take(&self, room: usize) -> Memory {
        let spare = self.0.lock().pop();
        let mut bytes = spare.unwrap_or_default();
        bytes.clear();
        bytes.reserve_exact(room);
        Memory {
            bytes,
            pool: self.clone(),
        }
    }

    /// Takes memory back.
    pub fn give(&self, bytes: Vec<u8>) {
        let mut spare = self.0.lock();
        let kept = (spare.len() + 1) * bytes.capacity();
        if bytes.capacity() > 0 && kept <= SPARE.max(2 * bytes.capacity()) {
            spare.push(bytes);
        }
    }
}

/// Bytes of a batch. Whoever drops it gives the memory back.
#[derive(Debug)]
pub struct Memory {
    bytes: Vec<u8>,
    pool: Pool,
}

impl Memory {
    /// Adds bytes, for which there is room.
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Memory of the size of its bytes in place of much more.
    pub(super) fn shrink(&mut self) {
        if self.bytes.len() < self.bytes.capacity() / 4 {
            let small = self.bytes.as_slice().to_vec();
            self.pool.give(mem::replace(&mut self.bytes, small));
            self.pool = Pool::default();
        }
    }

    /// The bytes, and where their memory is to be given back.
    #[must_use]
    pub fn into_parts(mut self) -> (Vec<u8>, Pool) {
        (mem::take(&mut self.bytes), self.pool.clone())
    }
}

impl Deref for Memory {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.pool.give(mem::take(&mut self.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_goes_round() {
        let pool = Pool::default();
        let mut memory = pool.take(1 << 20);
        memory.extend(&[7; 1 << 19]);
        let place = memory.as_ptr();
        drop(memory);
        let memory = pool.take(1 << 20);
        assert!(memory.is_empty() && memory.as_ptr() == place);
        let (bytes, back) = memory.into_parts();
        assert_eq!((bytes.as_ptr(), bytes.capacity()), (place, 1 << 20));
        back.give(bytes);
        assert_eq!(pool.take(1 << 20).as_ptr(), place);
        // A batch with few bytes does not keep a large piece of memory from others.
        let mut memory = pool.take(1 << 20);
        memory.extend(b"few");
        memory.shrink();
        assert_eq!((&*memory, memory.bytes.capacity()), (&b"few"[..], 3));
        assert_eq!(pool.take(1 << 20).as_ptr(), place);
        drop(memory);
        assert_eq!(pool.take(1 << 20).as_ptr(), place);
        // No more is kept than there is use for.
        let many: Vec<Memory> = (0..100).map(|_| pool.take(1 << 20)).collect();
        drop(many);
        assert_eq!(pool.0.lock().len(), 64);
        let (pool, room) = (Pool::default(), 1 << 26);
        let three: Vec<Memory> = (0..3).map(|_| pool.take(room)).collect();
        drop(three);
        assert_eq!(pool.0.lock().len(), 2);
    }
}
