// SPDX-License-Identifier: Apache-2.0
//! A memory on an AXI bus of 64 bits that remembers what was written.

use std::collections::VecDeque;

/// Bytes of a beat.
const BEAT: usize = 8;
/// Bursts of a direction that may wait.
const BURSTS: usize = 8;
/// What the bus answers.
const OKAY: u8 = 0;
const SLVERR: u8 = 2;

/// A burst of which beats are to come.
#[derive(Debug, Clone, Copy)]
struct Burst {
    address: u32,
    beats: u16,
}

impl Burst {
    /// The place of its next beat.
    fn next(&mut self) -> u32 {
        let address = self.address;
        self.address = address.wrapping_add(BEAT as u32);
        self.beats -= 1;
        address
    }
}

/// A beat that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Write {
    /// Its place.
    pub address: u32,
    /// When.
    pub cycle: u64,
    /// All of its bytes, and they are in the memory.
    pub good: bool,
}

/// What a memory offers in a cycle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offer {
    pub takes_read: bool,
    pub takes_write: bool,
    pub takes_data: bool,
    /// Data, response, last one of its burst.
    pub data: Option<(u64, u8, bool)>,
    pub answer: Option<u8>,
}

/// A memory. It takes and gives a beat a cycle.
#[derive(Debug)]
pub struct Memory {
    bytes: Vec<u8>,
    reads: VecDeque<Burst>,
    writes: VecDeque<Burst>,
    answers: VecDeque<u8>,
    /// An answer of the burst that is being written, if it is an error.
    fault: bool,
    log: Vec<Write>,
    /// Cycle in which the first beat was there to be read, since the log was last taken.
    first_read: Option<u64>,
}

impl Memory {
    /// A memory with these bytes, from address 0 on. Other addresses are answered with an error.
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            answers: VecDeque::new(),
            fault: false,
            log: Vec::new(),
            first_read: None,
        }
    }

    /// Everything in it.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, for its own chip to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// What was written since the last call, in its order.
    pub fn take_writes(&mut self) -> Vec<Write> {
        self.first_read = None;
        std::mem::take(&mut self.log)
    }

    /// Beats written since [`Memory::take_writes`].
    #[must_use]
    pub fn written(&self) -> usize {
        self.log.len()
    }

    /// When the first beat was there to be read since [`Memory::take_writes`].
    #[must_use]
    pub fn first_read(&self) -> Option<u64> {
        self.first_read
    }

    /// Where a beat is, if it is.
    fn place(&self, address: u32) -> Option<std::ops::Range<usize>> {
        let at = address as usize;
        (at.is_multiple_of(BEAT) && at + BEAT <= self.bytes.len()).then_some(at..at + BEAT)
    }

    fn word(&self, address: u32) -> Option<u64> {
        let mut word = [0; BEAT];
        word.copy_from_slice(&self.bytes[self.place(address)?]);
        Some(u64::from_le_bytes(word))
    }

    pub(super) fn offer(&self) -> Offer {
        Offer {
            takes_read: self.reads.len() < BURSTS,
            takes_write: self.writes.len() < BURSTS,
            takes_data: !self.writes.is_empty(),
            data: self.reads.front().map(|burst| {
                let word = self.word(burst.address);
                let answer = if word.is_some() { OKAY } else { SLVERR };
                (word.unwrap_or(0), answer, burst.beats == 1)
            }),
            answer: self.answers.front().copied(),
        }
    }

    /// A burst is asked for.
    pub(super) fn ask(&mut self, address: u32, len: u8) {
        let beats = u16::from(len) + 1;
        self.reads.push_back(Burst { address, beats });
    }

    /// Data are offered.
    pub(super) fn offered(&mut self, now: u64) {
        self.first_read.get_or_insert(now);
    }

    /// They are taken.
    pub(super) fn taken(&mut self) {
        let Some(burst) = self.reads.front_mut() else {
            return;
        };
        burst.next();
        if burst.beats == 0 {
            self.reads.pop_front();
        }
    }

    /// A burst is announced.
    pub(super) fn announce(&mut self, address: u32, len: u8) {
        let beats = u16::from(len) + 1;
        self.writes.push_back(Burst { address, beats });
    }

    /// A beat of the first burst that was announced.
    pub(super) fn write(&mut self, now: u64, data: u64, strobe: u8, last: bool) {
        let Some(burst) = self.writes.front_mut() else {
            return;
        };
        let address = burst.next();
        let ends = burst.beats == 0;
        let place = self
            .place(address)
            .filter(|_| strobe == 0xff && last == ends);
        let good = place.is_some();
        if let Some(place) = place {
            self.bytes[place].copy_from_slice(&data.to_le_bytes());
        }
        self.fault |= !good;
        self.log.push(Write {
            address,
            cycle: now,
            good,
        });
        if ends {
            self.writes.pop_front();
            self.answers
                .push_back(if self.fault { SLVERR } else { OKAY });
            self.fault = false;
        }
    }

    /// The offered answer is taken.
    pub(super) fn answered(&mut self) {
        self.answers.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_are_written_read_and_remembered() {
        let mut memory = Memory::new(vec![0; 32]);
        memory.announce(8, 1);
        memory.write(1, 0x11, 0xff, false);
        memory.write(2, 0x22, 0xff, true);
        assert_eq!(memory.offer().answer, Some(OKAY));
        memory.answered();
        memory.ask(16, 0);
        assert_eq!(memory.offer().data, Some((0x22, OKAY, true)));
        memory.offered(3);
        memory.taken();
        assert_eq!(memory.first_read(), Some(3));
        let writes = memory.take_writes();
        assert_eq!(writes.len(), 2);
        assert_eq!((writes[1].address, writes[1].good), (16, true));
        // Behind its end there is nothing.
        memory.announce(32, 0);
        memory.write(4, 1, 0xff, true);
        assert_eq!(memory.offer().answer, Some(SLVERR));
        assert!(!memory.take_writes()[0].good);
        memory.ask(32, 0);
        assert_eq!(memory.offer().data, Some((0, SLVERR, true)));
    }
}
