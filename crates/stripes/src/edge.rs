// SPDX-License-Identifier: Apache-2.0
//! Streams between two stages: bounded, one writer, one reader, in order, each item once.
//!
//! A port that is dropped closes its stream: the reader finds the end behind the last item
//! ([`Input::is_finished`]), the writer finds that nobody listens ([`Refused::Closed`]).

use crate::ring::{Reader, Ring, Writer, ring};
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};

thread_local! {
    /// A port of this thread has moved something since its thread last looked.
    static MOVED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a port of this thread has moved something since the last call.
pub(crate) fn take_moved() -> bool {
    MOVED.take()
}

/// What a ring counts by itself.
trait Counts: Send + Sync {
    fn pushed(&self) -> u64;
    fn popped(&self) -> u64;
}

impl<T: Send> Counts for Ring<T> {
    fn pushed(&self) -> u64 {
        self.pushed()
    }
    fn popped(&self) -> u64 {
        self.popped()
    }
}

/// What both ends of a stream and those who watch it share.
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) capacity: usize,
    ring: Arc<dyn Counts>,
    writer_gone: AtomicBool,
    reader_gone: AtomicBool,
    bytes: AtomicU64,
    high_water: AtomicU64,
    refused: AtomicU64,
}

/// Counters of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Counters {
    /// Items that were written.
    pub pushed: u64,
    /// Items that were read.
    pub popped: u64,
    /// Bytes that were written, if the stream knows how to weigh its items.
    pub bytes: u64,
    /// Most items that the reader found waiting, or the capacity if the writer found the stream
    /// full.
    pub high_water: u64,
    /// How often the writer found it full.
    pub refused: u64,
}

impl State {
    /// The counters now. Items in flight are `pushed - popped`.
    pub(crate) fn counters(&self) -> Counters {
        // In this order, so that never more comes out than went in.
        let popped = self.ring.popped();
        Counters {
            pushed: self.ring.pushed(),
            popped,
            bytes: self.bytes.load(Relaxed),
            high_water: self.high_water.load(Relaxed),
            refused: self.refused.load(Relaxed),
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Edge")
            .field("name", &self.name)
            .field("capacity", &self.capacity)
            .field("counters", &self.counters())
            .finish()
    }
}

/// Raises a number that only this thread changes.
fn raise(to: &AtomicU64, value: u64) {
    if to.load(Relaxed) < value {
        to.store(value, Relaxed);
    }
}

/// What an item weighs in bytes.
pub(crate) type Weigh<T> = fn(&T) -> u64;

/// A stream that is not connected yet. [`crate::Ports`] gives its two ends to stages.
pub struct Edge<T> {
    pub(crate) index: usize,
    pub(crate) state: Arc<State>,
    weigh: Option<Weigh<T>>,
    writer: Cell<Option<Writer<T>>>,
    reader: Cell<Option<Reader<T>>>,
}

impl<T> fmt::Debug for Edge<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.fmt(f)
    }
}

impl<T: Send + 'static> Edge<T> {
    pub(crate) fn new(index: usize, name: &str, capacity: usize, weigh: Option<Weigh<T>>) -> Self {
        let (writer, reader) = ring(capacity);
        let counts: Arc<Ring<T>> = Arc::clone(writer.ring());
        Self {
            index,
            state: Arc::new(State {
                name: name.to_owned(),
                capacity: capacity.max(1),
                ring: counts,
                writer_gone: AtomicBool::new(false),
                reader_gone: AtomicBool::new(false),
                bytes: AtomicU64::new(0),
                high_water: AtomicU64::new(0),
                refused: AtomicU64::new(0),
            }),
            weigh,
            writer: Cell::new(Some(writer)),
            reader: Cell::new(Some(reader)),
        }
    }

    /// The end to write to, once.
    pub(crate) fn output(&self) -> Option<Output<T>> {
        let writer = self.writer.take()?;
        Some(Output {
            writer,
            state: Arc::clone(&self.state),
            weigh: self.weigh,
        })
    }

    /// The end to read from, once.
    pub(crate) fn input(&self) -> Option<Input<T>> {
        let reader = self.reader.take()?;
        Some(Input {
            reader,
            state: Arc::clone(&self.state),
        })
    }
}

/// Why an item was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused<T> {
    /// There is no room now.
    Full(T),
    /// The reader is gone.
    Closed(T),
}

/// Where a stage writes a stream.
#[derive(Debug)]
pub struct Output<T> {
    writer: Writer<T>,
    state: Arc<State>,
    weigh: Option<Weigh<T>>,
}

impl<T> Output<T> {
    /// Writes an item.
    ///
    /// # Errors
    /// The item, if there is no room or no reader.
    pub fn push(&mut self, item: T) -> Result<(), Refused<T>> {
        if self.room() == 0 {
            return Err(if self.is_closed() {
                Refused::Closed(item)
            } else {
                Refused::Full(item)
            });
        }
        self.extend(&mut std::iter::once(item));
        Ok(())
    }

    /// Takes as many items as there is room for, and not one more, and shows them to the reader
    /// together; returns how many.
    pub fn extend(&mut self, items: &mut impl Iterator<Item = T>) -> usize {
        let (mut count, mut bytes) = (0, 0);
        while self.writer.room(1) > 0 {
            let Some(item) = items.next() else { break };
            bytes += self.weigh.map_or(0, |weigh| weigh(&item));
            self.writer.put(item);
            count += 1;
        }
        if count > 0 {
            if bytes > 0 {
                let sum = self.state.bytes.load(Relaxed) + bytes;
                self.state.bytes.store(sum, Relaxed);
            }
            self.writer.publish();
            MOVED.set(true);
        }
        count
    }

    /// How many items can be written now. None is counted as a refusal.
    pub fn room(&mut self) -> usize {
        let room = self.writer.room(self.state.capacity as u64);
        if room == 0 {
            let refused = self.state.refused.load(Relaxed) + 1;
            self.state.refused.store(refused, Relaxed);
            raise(&self.state.high_water, self.state.capacity as u64);
        }
        room as usize
    }

    /// Whether the reader is gone: whatever is written now goes nowhere.
    pub fn is_closed(&self) -> bool {
        self.state.reader_gone.load(Acquire)
    }
}

impl<T> Drop for Output<T> {
    fn drop(&mut self) {
        self.writer.publish();
        self.state.writer_gone.store(true, Release);
    }
}

/// Where a stage reads a stream.
#[derive(Debug)]
pub struct Input<T> {
    reader: Reader<T>,
    state: Arc<State>,
}

impl<T> Input<T> {
    /// How many items there are, at least this many being asked for.
    fn available(&mut self, wanted: u64) -> u64 {
        let count = self.reader.available(wanted);
        raise(&self.state.high_water, count);
        count
    }

    /// How many items are waiting.
    pub fn len(&mut self) -> usize {
        self.available(u64::MAX) as usize
    }

    /// Whether no item is waiting.
    pub fn is_empty(&mut self) -> bool {
        self.available(1) == 0
    }

    /// The first item, which stays where it is.
    pub fn peek(&mut self) -> Option<&T> {
        (self.available(1) > 0).then(|| self.reader.first())
    }

    /// Takes the first item.
    pub fn pop(&mut self) -> Option<T> {
        self.drain(1).next()
    }

    /// Takes up to `most` items that are there now. Their places are free when the iterator is
    /// dropped; what it has not given out then, stays.
    pub fn drain(&mut self, most: usize) -> Drain<'_, T> {
        let left = self.available(most as u64).min(most as u64);
        Drain {
            reader: &mut self.reader,
            left,
            moved: false,
        }
    }

    /// Whether the writer is gone and all that it wrote has been read.
    pub fn is_finished(&mut self) -> bool {
        // In this order: what was written before the end is seen after it.
        self.state.writer_gone.load(Acquire) && self.is_empty()
    }
}

impl<T> Drop for Input<T> {
    fn drop(&mut self) {
        self.state.reader_gone.store(true, Release);
    }
}

/// Items on their way out of a stream.
#[derive(Debug)]
pub struct Drain<'a, T> {
    reader: &'a mut Reader<T>,
    left: u64,
    moved: bool,
}

impl<T> Iterator for Drain<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        self.moved = true;
        Some(self.reader.take())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl<T> ExactSizeIterator for Drain<'_, T> {}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        if self.moved {
            self.reader.release();
            MOVED.set(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair<T: Send + 'static>(capacity: usize) -> (Output<T>, Input<T>) {
        let edge = Edge::new(0, "e", capacity, None);
        (edge.output().unwrap(), edge.input().unwrap())
    }

    #[test]
    fn bounded_and_in_order() {
        let (mut output, mut input) = pair(3);
        assert_eq!(output.extend(&mut (0..10)), 3);
        assert_eq!(output.push(3), Err(Refused::Full(3)));
        assert_eq!(input.peek(), Some(&0));
        assert_eq!(input.len(), 3);
        assert_eq!(input.pop(), Some(0));
        assert_eq!(output.push(3), Ok(()));
        assert_eq!(input.drain(10).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(input.is_empty() && !input.is_finished());
        let counters = output.state.counters();
        let seen = (counters.pushed, counters.popped, counters.refused);
        assert_eq!((seen, counters.high_water), ((4, 4, 1), 3));
    }

    #[test]
    fn what_a_drain_has_not_given_out_stays() {
        let (mut output, mut input) = pair(4);
        output.extend(&mut (0..4));
        assert_eq!(input.drain(3).take(2).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(input.pop(), Some(2));
        let mut rest = vec![9, 10, 11].into_iter();
        assert_eq!(output.extend(&mut rest), 3);
        let mut more = vec![12, 13].into_iter();
        assert_eq!(output.extend(&mut more), 0);
        assert_eq!(more.next(), Some(12));
        assert_eq!(input.drain(9).collect::<Vec<_>>(), [3, 9, 10, 11]);
    }

    #[test]
    fn both_ends_learn_that_the_other_one_is_gone() {
        let (mut output, mut input) = pair(4);
        output.push(1).unwrap();
        drop(output);
        assert!(!input.is_finished());
        assert_eq!(input.pop(), Some(1));
        assert!(input.is_finished());

        let (mut output, input) = pair(1);
        drop(input);
        assert!(output.is_closed());
        output.push(1).unwrap();
        assert_eq!(output.push(2), Err(Refused::Closed(2)));
    }

    #[test]
    fn every_item_is_dropped_once() {
        let item = Arc::new(());
        let (mut output, mut input) = pair(4);
        output.extend(&mut (0..4).map(|_| Arc::clone(&item)));
        drop(input.pop());
        drop(input.drain(2).next());
        assert_eq!(Arc::strong_count(&item), 3);
        drop((output, input));
        assert_eq!(Arc::strong_count(&item), 1);
    }

    #[test]
    fn bytes_are_counted_by_weight() {
        let edge = Edge::new(0, "e", 4, Some(|item: &Vec<u8>| item.len() as u64));
        let (mut output, _input) = (edge.output().unwrap(), edge.input().unwrap());
        output.extend(&mut [vec![0; 3], vec![0; 4]].into_iter());
        assert_eq!(edge.state.counters().bytes, 7);
    }
}
