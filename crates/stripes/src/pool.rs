// SPDX-License-Identifier: Apache-2.0
//! Big buffers that are allocated and touched once, and go round for ever after.
//!
//! ```text
//! Pool::new: map, touch     try_take --> Buffer --> anywhere, any thread --> drop --> free again --> wakes who found none
//! ```
//!
//! The free buffers form a stack in two words of memory each, changed by compare-and-swap; the head carries a count of all changes, so that
//! a buffer that was taken and returned in between is noticed.

use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, fence};
use std::sync::{Arc, Mutex, PoisonError};

use crate::stage::Waker;

/// Where a buffer begins: a multiple of this.
const ALIGNMENT: usize = 4096;
/// Bytes of a huge page.
const HUGE: usize = 1 << 21;
/// No buffer.
const NONE: u32 = u32::MAX;

/// What a pool could not be made of.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// The numbers make no sense.
    #[error(
        "{count} buffers of {size} bytes; accepted: at least one of each, and 2^48 bytes together"
    )]
    Size {
        /// How many.
        count: usize,
        /// Of how many bytes.
        size: usize,
    },
    /// The system has not so much.
    #[error("no memory for {bytes} bytes of buffers: {source}")]
    Memory {
        /// How much.
        bytes: usize,
        /// Why.
        source: io::Error,
    },
}

/// Pages that a pool stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// Ordinary ones.
    Small,
    /// Huge ones, if the system has them set aside; else it is asked to make some.
    Huge,
}

/// Memory of its own, from the system.
struct Mapping {
    base: NonNull<u8>,
    bytes: usize,
    /// Huge pages that were set aside.
    huge: bool,
}

// SAFETY: the mapping belongs to the process; who may use which part of it is the pool's matter.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    fn new(bytes: usize, pages: Pages) -> io::Result<Self> {
        let map = |bytes: usize, more: libc::c_int| {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | more;
            // SAFETY: a new mapping, which replaces nothing.
            let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0) };
            if base == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            NonNull::new(base.cast()).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))
        };
        #[cfg(target_os = "linux")]
        if pages == Pages::Huge {
            let whole = bytes.next_multiple_of(HUGE);
            if let Ok(base) = map(
                whole,
                libc::MAP_HUGETLB | libc::MAP_HUGE_2MB | libc::MAP_POPULATE,
            ) {
                return Ok(Self {
                    base,
                    bytes: whole,
                    huge: true,
                });
            }
        }
        let mapping = Self {
            base: map(bytes, 0)?,
            bytes,
            huge: false,
        };
        #[cfg(target_os = "linux")]
        if pages == Pages::Huge && bytes >= HUGE {
            // SAFETY: our own mapping; the call only gives advice.
            unsafe { libc::madvise(mapping.base.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
        }
        mapping.touch();
        Ok(mapping)
    }

    /// Writes to every page, so that none has to be found later.
    fn touch(&self) {
        for offset in (0..self.bytes).step_by(ALIGNMENT) {
            // SAFETY: inside of the mapping, which nobody else knows yet. Volatile: the writes are what this is about.
            unsafe { self.base.add(offset).write_volatile(0) };
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: our own mapping; all buffers are gone, as each of them holds the pool.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

struct Inner {
    memory: Mapping,
    count: usize,
    size: usize,
    stride: usize,
    /// Number of changes, and the first free buffer.
    head: AtomicU64,
    /// The free buffer behind each free buffer.
    next: Box<[AtomicU32]>,
    free: AtomicUsize,
    /// Somebody found none.
    hungry: AtomicBool,
    wakers: Mutex<Vec<Waker>>,
}

fn first(head: u64) -> u32 {
    head as u32
}

fn changed(head: u64, first: u32) -> u64 {
    (((head >> 32) + 1) << 32) | u64::from(first)
}

impl Inner {
    fn pop(&self) -> Option<u32> {
        let mut head = self.head.load(Acquire);
        loop {
            let index = first(head);
            if index == NONE {
                return None;
            }
            let next = self.next[index as usize].load(Relaxed);
            match self
                .head
                .compare_exchange_weak(head, changed(head, next), AcqRel, Acquire)
            {
                Ok(_) => return Some(index),
                Err(now) => head = now,
            }
        }
    }

    fn push(&self, index: u32) {
        let mut head = self.head.load(Relaxed);
        loop {
            self.next[index as usize].store(first(head), Relaxed);
            match self
                .head
                .compare_exchange_weak(head, changed(head, index), AcqRel, Relaxed)
            {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }
}

/// Buffers of one size.
#[derive(Clone)]
pub struct Pool(Arc<Inner>);

impl Pool {
    /// `count` buffers of `size` bytes, all zero at first, each beginning at a multiple of 4096.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn new(count: usize, size: usize, pages: Pages) -> Result<Self, PoolError> {
        let stride = size.checked_next_multiple_of(ALIGNMENT);
        let bytes = stride.and_then(|stride| stride.checked_mul(count));
        let bytes = bytes.filter(|&bytes| bytes > 0 && bytes <= 1 << 48 && count < NONE as usize);
        let (Some(stride), Some(bytes)) = (stride, bytes) else {
            return Err(PoolError::Size { count, size });
        };
        let memory =
            Mapping::new(bytes, pages).map_err(|source| PoolError::Memory { bytes, source })?;
        let next = (1..count as u32).chain([NONE]).map(AtomicU32::new);
        Ok(Self(Arc::new(Inner {
            memory,
            count,
            size,
            stride,
            head: AtomicU64::new(0),
            next: next.collect(),
            free: AtomicUsize::new(count),
            hungry: AtomicBool::new(false),
            wakers: Mutex::default(),
        })))
    }

    /// A buffer with what its last owner left in it; none if all are in use. Who registered a waker is then woken when one comes back.
    #[must_use]
    pub fn try_take(&self) -> Option<Buffer> {
        let index = self.0.pop().or_else(|| {
            // A buffer that comes back after the fence is told; one that came back before is found now.
            self.0.hungry.store(true, Relaxed);
            fence(SeqCst);
            self.0.pop()
        })?;
        self.0.free.fetch_sub(1, Relaxed);
        // SAFETY: the offset lies in the mapping.
        let data = unsafe { self.0.memory.base.add(index as usize * self.0.stride) };
        Some(Buffer {
            data,
            index,
            pool: Arc::clone(&self.0),
        })
    }

    /// To be called, from any thread, when a buffer comes back after somebody found none. For set-up.
    pub fn wakes(&self, waker: Waker) {
        let wakers = self.0.wakers.lock();
        wakers.unwrap_or_else(PoisonError::into_inner).push(waker);
    }

    /// Buffers in all.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.count
    }

    /// Bytes of a buffer.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// Buffers that are free now, more or less.
    #[must_use]
    pub fn free(&self) -> usize {
        self.0.free.load(Relaxed)
    }

    /// Whether it stands on huge pages that the system had set aside.
    #[must_use]
    pub fn is_huge(&self) -> bool {
        self.0.memory.huge
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (free, count, size) = (self.free(), self.count(), self.size());
        write!(f, "Pool({free} of {count} free, {size} bytes each)")
    }
}

/// A buffer of a pool. It goes back when it is dropped.
pub struct Buffer {
    data: NonNull<u8>,
    index: u32,
    pool: Arc<Inner>,
}

// SAFETY: the buffer is reached through this only.
unsafe impl Send for Buffer {}
// SAFETY: shared references only read.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Its bytes, for those who share them out by rules of their own. The pointer may be written through as long as no reference
    /// to the bytes exists.
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `size` bytes of the mapping, which belong to this buffer; all of them were written when the pool was made.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.pool.size) }
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and there is no other reference.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.pool.size) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let pool = &self.pool;
        pool.free.fetch_add(1, Relaxed);
        pool.push(self.index);
        fence(SeqCst);
        if pool.hungry.load(Relaxed) && pool.hungry.swap(false, AcqRel) {
            let wakers = pool.wakers.lock().unwrap_or_else(PoisonError::into_inner);
            wakers.iter().for_each(|waker| waker());
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} of {} bytes)", self.index, self.pool.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn buffers_are_aligned_apart_and_come_back() {
        for pages in [Pages::Small, Pages::Huge] {
            let pool = Pool::new(3, 5000, pages).unwrap();
            let mut taken: Vec<Buffer> = std::iter::from_fn(|| pool.try_take()).collect();
            assert_eq!((taken.len(), pool.free()), (3, 0));
            for (value, buffer) in (1..).zip(&mut taken) {
                assert_eq!(buffer.as_ptr() as usize % 4096, 0);
                assert_eq!(buffer.len(), 5000);
                buffer.fill(value);
            }
            for (value, buffer) in (1..).zip(&taken) {
                assert!(buffer.iter().all(|&byte| byte == value));
            }
            taken.pop();
            assert_eq!(pool.free(), 1);
            drop(pool);
            // The memory lives as long as a buffer.
            assert_eq!(taken[0][4999], 1);
        }
    }

    #[test]
    fn who_found_none_is_woken_once() {
        let pool = Pool::new(1, 1, Pages::Small).unwrap();
        let calls = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&calls);
        pool.wakes(Arc::new(move || {
            count.fetch_add(1, SeqCst);
        }));
        let buffer = pool.try_take();
        drop(buffer);
        assert_eq!(calls.load(SeqCst), 0);
        let buffer = pool.try_take();
        assert!(pool.try_take().is_none());
        drop(buffer);
        assert_eq!(calls.load(SeqCst), 1);
    }

    #[test]
    fn nonsense_is_refused() {
        for (count, size) in [(0, 1), (1, 0), (1, usize::MAX), (1 << 40, 1 << 40)] {
            let error = Pool::new(count, size, Pages::Small).unwrap_err();
            assert!(error.to_string().contains("accepted"), "{error}");
        }
        let error = Pool::new(1, 1 << 47, Pages::Small).unwrap_err();
        assert!(error.to_string().contains("no memory"), "{error}");
    }

    /// Threads take and return; a buffer that two of them had at once would show the other one's number.
    #[test]
    fn nobody_shares_a_buffer() {
        let pool = Pool::new(4, 64, Pages::Small).unwrap();
        std::thread::scope(|scope| {
            for number in 1..=4 {
                let pool = pool.clone();
                scope.spawn(move || {
                    for _ in 0..20_000 {
                        let mut held: Vec<Buffer> =
                            (0..2).filter_map(|_| pool.try_take()).collect();
                        for buffer in &mut held {
                            buffer.fill(number);
                        }
                        for buffer in &held {
                            assert!(buffer.iter().all(|&byte| byte == number));
                        }
                    }
                });
            }
        });
        assert_eq!(pool.free(), 4);
        assert_eq!(
            std::iter::from_fn(|| pool.try_take())
                .collect::<Vec<_>>()
                .len(),
            4
        );
    }
}
