// SPDX-License-Identifier: Apache-2.0
//! A memory on an AXI bus of 64 or 128 bits that remembers what was written.

use std::collections::VecDeque;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Bytes of a word.
const WORD: usize = 8;
/// Most bytes of a beat.
pub(super) const MOST: usize = 16;
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
    /// The place of its next beat of this size in bytes.
    fn next(&mut self, bytes: usize) -> u32 {
        let address = self.address & !(bytes as u32 - 1);
        self.address = address.wrapping_add(bytes as u32);
        self.beats -= 1;
        address
    }
}

/// A word of 8 bytes that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Write {
    /// Its place.
    pub address: u32,
    /// When, in femtoseconds.
    pub time_fs: u64,
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
    pub data: Option<([u8; MOST], u8, bool)>,
    pub answer: Option<u8>,
}

/// Pauses of each channel of the bus by itself.
#[derive(Debug)]
struct Pauses {
    /// Of 2^32 cycles.
    share: u64,
    random: Xoshiro256PlusPlus,
    /// In this cycle: read addresses, write addresses, write data; read data, answers.
    now: [bool; 5],
}

/// A memory. It takes and gives a beat a cycle, except in pauses.
#[derive(Debug)]
pub struct Memory {
    bytes: Vec<u8>,
    /// Bytes of a beat.
    beat: usize,
    pauses: Option<Pauses>,
    /// Data, an answer are offered, and have to stay.
    offered: [bool; 2],
    reads: VecDeque<Burst>,
    writes: VecDeque<Burst>,
    answers: VecDeque<u8>,
    /// An answer of the burst that is being written, if it is an error.
    fault: bool,
    log: Vec<Write>,
    /// When the first beat was there to be read, since the log was last taken.
    first_read: Option<u64>,
}

impl Memory {
    /// A memory with these bytes, from address 0 on. Other addresses are answered with an error.
    pub(super) fn new(bytes: Vec<u8>, bus_bits: u32) -> Self {
        Self {
            bytes,
            beat: bus_bits as usize / 8,
            pauses: None,
            offered: [false; 2],
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            answers: VecDeque::new(),
            fault: false,
            log: Vec::new(),
            first_read: None,
        }
    }

    /// The same, which pauses for a share of the time.
    pub(super) fn with_pauses(self, share: f64, seed: u64) -> Self {
        let pauses = Pauses {
            share: (share * (1u64 << 32) as f64) as u64,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            now: [false; 5],
        };
        Self {
            pauses: (share > 0.0).then_some(pauses),
            ..self
        }
    }

    /// Its bus is reset; what is in it stays.
    pub(super) fn reset(&mut self) {
        self.reads.clear();
        self.writes.clear();
        self.answers.clear();
        (self.fault, self.offered) = (false, [false; 2]);
    }

    /// A cycle begins.
    #[inline]
    pub(super) fn turn(&mut self) {
        if let Some(pauses) = &mut self.pauses {
            for now in &mut pauses.now {
                *now = pauses.random.next_u64() >> 32 < pauses.share;
            }
            pauses.now[3] &= !self.offered[0];
            pauses.now[4] &= !self.offered[1];
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

    /// What was written since the last call, in its order; what is read from now on is read for the
    /// first time.
    pub fn take_writes(&mut self) -> Vec<Write> {
        self.forget_read();
        self.take_log()
    }

    pub(super) fn take_log(&mut self) -> Vec<Write> {
        std::mem::take(&mut self.log)
    }

    pub(super) fn forget_read(&mut self) {
        self.first_read = None;
    }

    /// Beats written since [`Memory::take_writes`].
    #[must_use]
    pub fn written(&self) -> usize {
        self.log.len()
    }

    /// When the first beat was there to be read since [`Memory::take_writes`], in
    /// femtoseconds.
    #[must_use]
    pub fn first_read(&self) -> Option<u64> {
        self.first_read
    }

    /// Bytes of a beat.
    pub(super) fn beat(&self) -> usize {
        self.beat
    }

    /// Where this number of bytes is, if it is there.
    fn place(&self, address: u32, bytes: usize) -> Option<std::ops::Range<usize>> {
        let at = address as usize;
        let whole = at.is_multiple_of(bytes) && at + bytes <= self.bytes.len();
        whole.then_some(at..at + bytes)
    }

    fn read(&self, address: u32) -> Option<[u8; MOST]> {
        let mut data = [0; MOST];
        let address = address & !(self.beat as u32 - 1);
        data[..self.beat].copy_from_slice(&self.bytes[self.place(address, self.beat)?]);
        Some(data)
    }

    pub(super) fn offer(&self) -> Offer {
        let paused = self.pauses.as_ref().map_or([false; 5], |pauses| pauses.now);
        let read = self.reads.front().filter(|_| !paused[3]);
        Offer {
            takes_read: !paused[0] && self.reads.len() < BURSTS,
            takes_write: !paused[1] && self.writes.len() < BURSTS,
            takes_data: !paused[2] && !self.writes.is_empty(),
            data: read.map(|burst| {
                let data = self.read(burst.address);
                let answer = if data.is_some() { OKAY } else { SLVERR };
                (data.unwrap_or_default(), answer, burst.beats == 1)
            }),
            answer: self.answers.front().copied().filter(|_| !paused[4]),
        }
    }

    /// A burst is asked for.
    pub(super) fn ask(&mut self, address: u32, len: u8) {
        let beats = u16::from(len) + 1;
        self.reads.push_back(Burst { address, beats });
    }

    /// Data are offered.
    pub(super) fn offered(&mut self, now: u64) {
        self.offered[0] = true;
        self.first_read.get_or_insert(now);
    }

    /// They are taken.
    pub(super) fn taken(&mut self) {
        self.offered[0] = false;
        let Some(burst) = self.reads.front_mut() else {
            return;
        };
        burst.next(self.beat);
        if burst.beats == 0 {
            self.reads.pop_front();
        }
    }

    /// A burst is announced.
    pub(super) fn announce(&mut self, address: u32, len: u8) {
        let beats = u16::from(len) + 1;
        self.writes.push_back(Burst { address, beats });
    }

    /// A beat of the first burst that was announced. Of a word all bytes or none are written.
    pub(super) fn write(&mut self, now: u64, data: &[u8; MOST], strobe: u16, last: bool) {
        let Some(burst) = self.writes.front_mut() else {
            return;
        };
        let address = burst.next(self.beat);
        let ends = burst.beats == 0;
        for (i, word) in data[..self.beat].chunks(WORD).enumerate() {
            let strobe = strobe >> (WORD * i) & 0xff;
            // On the narrow bus each beat is a word.
            if strobe == 0 && self.beat > WORD {
                continue;
            }
            let address = address + (WORD * i) as u32;
            let place = self
                .place(address, WORD)
                .filter(|_| strobe == 0xff && last == ends);
            let good = place.is_some();
            if let Some(place) = place {
                self.bytes[place].copy_from_slice(word);
            }
            self.fault |= !good;
            self.log.push(Write {
                address,
                time_fs: now,
                good,
            });
        }
        if ends {
            self.writes.pop_front();
            self.answers
                .push_back(if self.fault { SLVERR } else { OKAY });
            self.fault = false;
        }
    }

    /// An answer is offered, and taken or not.
    pub(super) fn answered(&mut self, taken: bool) {
        self.offered[1] = !taken;
        if taken {
            self.answers.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_are_written_read_and_remembered() {
        let mut memory = Memory::new(vec![0; 32], 64);
        memory.announce(8, 1);
        memory.write(1, &[0x11; MOST], 0xff, false);
        memory.write(2, &[0x22; MOST], 0xff, true);
        assert_eq!(memory.offer().answer, Some(OKAY));
        memory.answered(true);
        memory.ask(16, 0);
        let mut wanted = [0; MOST];
        wanted[..8].fill(0x22);
        assert_eq!(memory.offer().data, Some((wanted, OKAY, true)));
        memory.offered(3);
        memory.taken();
        assert_eq!(memory.first_read(), Some(3));
        let writes = memory.take_writes();
        assert_eq!(writes.len(), 2);
        assert_eq!((writes[1].address, writes[1].good), (16, true));
        // Behind its end there is nothing.
        memory.announce(32, 0);
        memory.write(4, &[1; MOST], 0xff, true);
        assert_eq!(memory.offer().answer, Some(SLVERR));
        assert!(!memory.take_writes()[0].good);
        memory.ask(32, 0);
        assert_eq!(memory.offer().data, Some(([0; MOST], SLVERR, true)));
    }

    #[test]
    fn a_wide_beat_has_two_words() {
        let mut memory = Memory::new(vec![0; 48], 128);
        memory.announce(8, 1);
        memory.write(1, &[0x11; MOST], 0xff00, false);
        memory.write(2, &[0x22; MOST], 0x00ff, true);
        let writes = memory.take_writes();
        let seen: Vec<_> = writes.iter().map(|w| (w.address, w.good)).collect();
        assert_eq!(seen, [(8, true), (16, true)]);
        assert_eq!(memory.bytes()[..8], [0; 8]);
        assert_eq!(memory.bytes()[8..24], [[0x11; 8], [0x22; 8]].concat());
        assert_eq!(memory.bytes()[24..], [0; 24]);
        // Half a word is no word.
        memory.announce(32, 0);
        memory.write(3, &[3; MOST], 0xff0f, true);
        assert_eq!(memory.take_writes().iter().filter(|w| w.good).count(), 1);
    }

    #[test]
    fn pauses_have_their_share_and_what_is_offered_stays() {
        let mut memory = Memory::new(vec![0; 8], 64).with_pauses(0.75, 5);
        let mut open = 0;
        for _ in 0..4000 {
            memory.turn();
            open += u32::from(memory.offer().takes_read);
        }
        assert!((900..1100).contains(&open), "{open}");
        memory.ask(0, 0);
        while memory.offer().data.is_none() {
            memory.turn();
        }
        memory.offered(1);
        for _ in 0..100 {
            memory.turn();
            assert!(memory.offer().data.is_some());
        }
        memory.reset();
        assert!(memory.offer().data.is_none());
    }
}
