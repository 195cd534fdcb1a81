// SPDX-License-Identifier: Apache-2.0
//! Small files, many of them in one chunk.

use super::super::head::{HEAD, Head, Kind};
use super::super::manifest::{BLOCK, shown};
use super::super::pack::{ITEM, PACK, front};
use super::super::source::Place;
use super::SendError;
use super::read::{Item, Reading, Shared, unreadable};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Longest time that a file waits for others.
const WAIT: Duration = Duration::from_millis(100);

/// Files that wait to be sent together.
pub(super) struct Packing<'a> {
    shared: &'a Shared<'a>,
    /// Of the chunk, with space for its head; none if nothing waits.
    memory: Option<Vec<u8>>,
    /// Bytes of it that are used.
    filled: usize,
    /// Bytes of files.
    bytes: u64,
    since: Instant,
}

impl<'a> Packing<'a> {
    pub fn new(shared: &'a Shared<'a>) -> Self {
        Packing {
            shared,
            memory: None,
            filled: HEAD,
            bytes: 0,
            since: Instant::now(),
        }
    }

    /// Adds a file; false if told to stop.
    pub fn add(&mut self, file: Item, bytes: u64) -> Result<bool, SendError> {
        let length = bytes as usize;
        let room = self.room(ITEM + length);
        let (Some(at), Some(memory)) = (room, &mut self.memory) else {
            return Ok(false);
        };
        let (item, rest) = memory[at..].split_at_mut(ITEM);
        item.copy_from_slice(&front(file.number, Some(length)));
        Reading::open(self.shared, file)?.all(&mut rest[..length])?;
        self.filled = at + ITEM + length;
        self.bytes += bytes;
        self.send_if_due();
        Ok(true)
    }

    /// Adds a link, of which this is the length; false if told to stop.
    pub fn add_link(&mut self, link: &Item, bytes: u64) -> Result<bool, SendError> {
        let place = link.place.as_ref();
        let (number, name) = (link.number, &link.entry.name);
        let link = place.map_or(Ok(Vec::new()), Place::link);
        let link = link.map_err(|error| unreadable(place, error))?;
        if link.len() as u64 != bytes {
            return Err(SendError::Changed(shown(name)));
        }
        let room = self.room(ITEM + link.len());
        if let (Some(at), Some(memory)) = (room, &mut self.memory) {
            let (item, rest) = memory[at..].split_at_mut(ITEM);
            item.copy_from_slice(&front(number, Some(link.len())));
            rest[..link.len()].copy_from_slice(&link);
            self.filled = at + ITEM + link.len();
            self.send_if_due();
        }
        Ok(room.is_some())
    }

    /// Adds a file that is as the receiver has told; false if told to stop.
    pub fn add_as_reported(&mut self, number: u32) -> bool {
        let start = self.room(ITEM);
        if let (Some(start), Some(memory)) = (start, &mut self.memory) {
            memory[start..start + ITEM].copy_from_slice(&front(number, None));
            self.filled = start + ITEM;
            self.send_if_due();
        }
        start.is_some()
    }

    /// Where that number of bytes has room; none if told to stop.
    fn room(&mut self, bytes: usize) -> Option<usize> {
        if self.filled + bytes > HEAD + BLOCK as usize {
            self.send();
        }
        if self.memory.is_none() {
            self.memory = Some(self.shared.memory()?);
            self.since = Instant::now();
        }
        Some(self.filled)
    }

    fn send_if_due(&mut self) {
        if self.filled >= PACK || self.since.elapsed() >= WAIT {
            self.send();
        }
    }

    /// Sends what waits.
    pub fn send(&mut self) {
        if let Some(mut memory) = self.memory.take() {
            Head::of(Kind::Pack).seal(&mut memory[..self.filled]);
            self.shared.push(memory, self.filled);
            self.shared.done.fetch_add(self.bytes, Ordering::Relaxed);
        }
        (self.filled, self.bytes) = (HEAD, 0);
    }
}
