// SPDX-License-Identifier: Apache-2.0
//! The memory of a node, as an AXI slave of 512 bits.

use std::collections::VecDeque;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::WORD;
use super::ffi::Ports;

/// Bursts that wait to be read.
const READS: usize = 16;
/// Responses on the bus: good, and refused.
const OKAY: u8 = 0;
const REFUSED: u8 = 2;

/// A memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryConfig {
    /// Bytes, from address 0 on; what lies behind is refused.
    pub bytes: usize,
    /// Cycles from an address to its first word, and from the last word written to the response.
    pub latency: u32,
    /// Probability that a channel of the bus pauses in a cycle.
    pub stall: f64,
}

impl Default for MemoryConfig {
    /// 1 MiB of memory on the chip, which never pauses.
    fn default() -> Self {
        Self {
            bytes: 1 << 20,
            latency: 2,
            stall: 0.0,
        }
    }
}

/// A word that the engine has written, wholly or in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Of its first byte, a multiple of 64.
    pub address: u64,
    /// Which of its bytes, byte 0 lowest.
    pub bytes: u64,
}

/// A burst: where its next word is, and how many are left.
#[derive(Debug, Clone, Copy)]
struct Burst {
    due: u64,
    address: u64,
    words: u16,
}

/// The memory of a node.
#[derive(Debug)]
pub struct Memory {
    /// Its bytes.
    pub bytes: Vec<u8>,
    latency: u64,
    stall: u64,
    random: Xoshiro256PlusPlus,
    reads: VecDeque<Burst>,
    writes: VecDeque<Burst>,
    /// When each write is answered, and how.
    answers: VecDeque<(u64, u8)>,
    refused: bool,
    reading: bool,
    answering: bool,
    watched: Option<Vec<Written>>,
}

impl Memory {
    pub(super) fn new(config: &MemoryConfig, seed: u64) -> Self {
        Self {
            bytes: vec![0; config.bytes],
            latency: config.latency.into(),
            stall: (config.stall * 2f64.powi(16)) as u64,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            answers: VecDeque::new(),
            refused: false,
            reading: false,
            answering: false,
            watched: None,
        }
    }

    /// Its side of the bus is reset: what is under way is over, its bytes stay.
    pub(super) fn reset(&mut self) {
        self.reads.clear();
        self.writes.clear();
        self.answers.clear();
        self.refused = false;
        self.reading = false;
        self.answering = false;
    }

    /// From now on every write of the engine is kept for [`Memory::written`].
    pub fn watch(&mut self) {
        self.watched.get_or_insert_default();
    }

    /// What the engine has written since this was asked the last time.
    pub fn written(&mut self) -> impl Iterator<Item = Written> + '_ {
        self.watched
            .iter_mut()
            .flat_map(|watched| watched.drain(..))
    }

    /// The place of a word, if all of it is there.
    fn word(&self, address: u64) -> Option<usize> {
        let at = usize::try_from(address).ok()? & !(WORD - 1);
        (at + WORD <= self.bytes.len()).then_some(at)
    }

    /// Sets what the engine sees.
    #[inline]
    pub(super) fn drive(&mut self, now: u64, ports: &Ports) {
        let mut random = if self.stall == 0 {
            u64::MAX
        } else {
            self.random.next_u64()
        };
        let stall = self.stall;
        let mut goes = || {
            random = random.rotate_left(13);
            random & 0xffff >= stall
        };
        // A word that was offered is offered until it is taken.
        self.reading =
            self.reads.front().is_some_and(|burst| burst.due <= now) && (self.reading || goes());
        self.answering = self.answers.front().is_some_and(|answer| answer.0 <= now)
            && (self.answering || goes());
        let address_ready = self.reads.len() < READS && goes();
        let word_ready = !self.writes.is_empty() && goes();
        let write_ready = self.writes.len() < READS && goes();
        // SAFETY: ports of a live instance, the data of 64 bytes.
        unsafe {
            *ports.mem_arready = address_ready.into();
            *ports.mem_awready = write_ready.into();
            *ports.mem_wready = word_ready.into();
            *ports.mem_rvalid = self.reading.into();
            if self.reading {
                let burst = self.reads[0];
                *ports.mem_rlast = u8::from(burst.words == 1);
                *ports.mem_rresp = match self.word(burst.address) {
                    Some(at) => {
                        let word = self.bytes[at..at + WORD].as_ptr();
                        word.copy_to_nonoverlapping(ports.mem_rdata, WORD);
                        OKAY
                    }
                    None => REFUSED,
                };
            }
            *ports.mem_bvalid = self.answering.into();
            if self.answering {
                *ports.mem_bresp = self.answers[0].1;
            }
        }
    }

    /// Takes what moves with the next edge.
    #[inline]
    pub(super) fn sample(&mut self, now: u64, ports: &Ports) {
        let burst = |address: *const u8, words: *const u8| Burst {
            due: now + self.latency,
            // SAFETY: ports of a live instance, the address of up to eight bytes.
            address: unsafe { address.cast::<u64>().read_unaligned() },
            // SAFETY: as above.
            words: u16::from(unsafe { *words }) + 1,
        };
        // SAFETY: ports of a live instance.
        unsafe {
            if *ports.mem_arvalid != 0 && *ports.mem_arready != 0 {
                self.reads
                    .push_back(burst(ports.mem_araddr, ports.mem_arlen));
            }
            if self.reading && *ports.mem_rready != 0 {
                self.reading = false;
                let front = &mut self.reads[0];
                front.address = (front.address & !(WORD as u64 - 1)) + WORD as u64;
                front.words -= 1;
                if front.words == 0 {
                    self.reads.pop_front();
                }
            }
            if self.answering && *ports.mem_bready != 0 {
                self.answering = false;
                self.answers.pop_front();
            }
            let write = (*ports.mem_awvalid != 0 && *ports.mem_awready != 0)
                .then(|| burst(ports.mem_awaddr, ports.mem_awlen));
            if *ports.mem_wvalid != 0 && *ports.mem_wready != 0 {
                let data = ports.mem_wdata.cast::<[u8; WORD]>().read_unaligned();
                let bytes = ports.mem_wstrb.cast::<u64>().read_unaligned();
                self.write(now, &data, bytes);
            }
            self.writes.extend(write);
        }
    }

    fn write(&mut self, now: u64, data: &[u8; WORD], bytes: u64) {
        let burst = self.writes[0];
        match self.word(burst.address) {
            Some(at) => {
                let word = &mut self.bytes[at..at + WORD];
                if bytes == u64::MAX {
                    word.copy_from_slice(data);
                } else {
                    for (i, (old, new)) in word.iter_mut().zip(data).enumerate() {
                        if bytes >> i & 1 != 0 {
                            *old = *new;
                        }
                    }
                }
                if let Some(watched) = &mut self.watched {
                    let address = at as u64;
                    watched.push(Written { address, bytes });
                }
            }
            None => self.refused = true,
        }
        let front = &mut self.writes[0];
        front.address = (front.address & !(WORD as u64 - 1)) + WORD as u64;
        front.words -= 1;
        if front.words == 0 {
            self.writes.pop_front();
            let response = if self.refused { REFUSED } else { OKAY };
            self.refused = false;
            self.answers.push_back((now + self.latency, response));
        }
    }
}
