// SPDX-License-Identifier: Apache-2.0
//! A bounded queue with one writer and one reader, without locks and without allocation after it
//! was made.
//!
//! ```text
//! head <= tail <= head + capacity         items head .. tail lie in slots[index % slots.len()]
//! writer: writes slot tail, then moves tail       reader: takes slot head, then moves head
//! ```
//!
//! Both indices count from 0 and never wrap (64 bits), so they are the numbers of items that went
//! in and out, and whoever measures the stream reads them from outside. Each end keeps a copy of
//! the other end's index and looks again only when the copy says that there is nothing to do: the
//! cache line of an index crosses between two cores once a batch, not once an item.

use super::sync::{Arc, AtomicU64, UnsafeCell};
use std::mem::MaybeUninit;
use std::sync::atomic::Ordering::{Acquire, Release};

/// A value that shares its cache lines with nothing: two lines, as neighbours are fetched in pairs.
#[repr(align(128))]
#[derive(Debug)]
struct Alone<T>(T);

/// The queue.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    slots: Box<[UnsafeCell<MaybeUninit<T>>]>,
    capacity: u64,
    tail: Alone<AtomicU64>,
    head: Alone<AtomicU64>,
}

// SAFETY: an item is reached by the writer before `tail` has passed it and by the reader after
// that, never by both.
unsafe impl<T: Send> Sync for Ring<T> {}
// SAFETY: the items are owned by the ring.
unsafe impl<T: Send> Send for Ring<T> {}

impl<T> Ring<T> {
    fn slot(&self, index: u64) -> &UnsafeCell<MaybeUninit<T>> {
        // The number of slots is a power of two.
        &self.slots[index as usize & (self.slots.len() - 1)]
    }

    /// Items that went in since the ring was made.
    pub(crate) fn pushed(&self) -> u64 {
        self.tail.0.load(Acquire)
    }

    /// Items that went out.
    pub(crate) fn popped(&self) -> u64 {
        self.head.0.load(Acquire)
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        for index in self.popped()..self.pushed() {
            // SAFETY: both ends are gone, and these items were written and not taken.
            self.slot(index)
                .with_mut(|slot| unsafe { (*slot).assume_init_drop() });
        }
    }
}

/// The end that writes.
#[derive(Debug)]
pub(crate) struct Writer<T> {
    ring: Arc<Ring<T>>,
    tail: u64,
    /// The reader's index as last seen.
    head: u64,
}

/// The end that reads.
#[derive(Debug)]
pub(crate) struct Reader<T> {
    ring: Arc<Ring<T>>,
    head: u64,
    /// The writer's index as last seen.
    tail: u64,
}

/// A new queue for `capacity` items, at least one.
pub(crate) fn ring<T>(capacity: usize) -> (Writer<T>, Reader<T>) {
    let capacity = capacity.max(1);
    let slots = (0..capacity.next_power_of_two()).map(|_| UnsafeCell::new(MaybeUninit::uninit()));
    let ring = Arc::new(Ring {
        slots: slots.collect(),
        capacity: capacity as u64,
        tail: Alone(AtomicU64::new(0)),
        head: Alone(AtomicU64::new(0)),
    });
    let writer = Writer {
        ring: Arc::clone(&ring),
        tail: 0,
        head: 0,
    };
    let reader = Reader {
        ring,
        head: 0,
        tail: 0,
    };
    (writer, reader)
}

impl<T> Writer<T> {
    /// The queue.
    pub(crate) fn ring(&self) -> &Arc<Ring<T>> {
        &self.ring
    }

    /// How many items can be put; looks at the reader only if there seems to be no room for
    /// `wanted`.
    pub(crate) fn room(&mut self, wanted: u64) -> u64 {
        let room = |head: u64| self.ring.capacity - (self.tail - head);
        if room(self.head) < wanted {
            self.head = self.ring.head.0.load(Acquire);
        }
        self.ring.capacity - (self.tail - self.head)
    }

    /// Puts an item behind the others; the reader sees it after [`Writer::publish`]. There has to
    /// be room.
    pub(crate) fn put(&mut self, item: T) {
        assert!(
            self.tail - self.head < self.ring.capacity,
            "room was asked for"
        );
        // SAFETY: there is room, so the reader has left this slot, and it does not come back before
        // `tail` has passed it.
        self.ring
            .slot(self.tail)
            .with_mut(|slot| unsafe { (*slot).write(item) });
        self.tail += 1;
    }

    /// Shows the reader all that was put.
    pub(crate) fn publish(&self) {
        self.ring.tail.0.store(self.tail, Release);
    }
}

impl<T> Drop for Writer<T> {
    fn drop(&mut self) {
        // What was put and never shown, because somebody panicked in between, goes with the rest.
        self.publish();
    }
}

impl<T> Reader<T> {
    /// How many items there are; looks at the writer only if there seem to be less than `wanted`.
    pub(crate) fn available(&mut self, wanted: u64) -> u64 {
        if self.tail - self.head < wanted {
            self.tail = self.ring.tail.0.load(Acquire);
        }
        self.tail - self.head
    }

    /// The first item. There has to be one.
    pub(crate) fn first(&self) -> &T {
        assert!(self.head < self.tail, "items were asked for");
        // SAFETY: the item was written and shown, and is not taken while this borrow lasts, as
        // taking needs `&mut self`.
        self.ring
            .slot(self.head)
            .with(|slot| unsafe { (*slot).assume_init_ref() })
    }

    /// Takes the first item; its place is free after [`Reader::release`]. There has to be one.
    pub(crate) fn take(&mut self) -> T {
        assert!(self.head < self.tail, "items were asked for");
        // SAFETY: the item was written and shown, and is read once, as `head` passes it.
        let item = self
            .ring
            .slot(self.head)
            .with(|slot| unsafe { (*slot).assume_init_read() });
        self.head += 1;
        item
    }

    /// Gives the writer the places of all items that were taken.
    pub(crate) fn release(&self) {
        self.ring.head.0.store(self.head, Release);
    }
}

impl<T> Drop for Reader<T> {
    fn drop(&mut self) {
        // Else the ring would drop what was taken.
        self.release();
    }
}
