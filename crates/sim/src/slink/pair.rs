// SPDX-License-Identifier: Apache-2.0
//! Two ends with their memories, and the lanes between them; cycle by cycle.

use std::ops::Range;

use ropewalk_wire::line::Lanes;
use ropewalk_wire::line::stripe::LANES;
use ropewalk_wire::slink::regs::{self, Run};

use super::end::{End, Words};
use super::ffi::RawModel;
use super::line::{Lane, MIN_DELAY, Meter, WORD_BITS};
use super::memory::Memory;
use super::model::Model;
use super::program::{self, Registers};
use crate::{ChannelConfig, SimError};

/// The end that starts operations in [`super::run()`].
pub const A: usize = 0;
/// The other one.
pub const B: usize = 1;

/// Bytes of a page of the window.
pub(super) const PAGE: u32 = 4096;
/// Cycles of a reset: both synchronisers have seen it.
const RESET: u32 = 8;
/// More cycles than any access to a register takes.
const ACCESS: u32 = 100;

/// A pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PairConfig {
    /// Both ends.
    pub model: Model,
    /// Lanes that are wired.
    pub lanes: Lanes,
    /// Speed of both ends.
    pub speed: Run,
    /// Cycles from an end to the other, at least 3.
    pub delay: u32,
    /// Bits by which each lane is late beyond it.
    pub skew: [u32; LANES],
    /// Probability that a bit is flipped on the line.
    pub ber: f64,
    /// Seed of the flipped bits.
    pub seed: u64,
    /// Keep the words that B receives for [`Pair::take_words`].
    pub keep_words: bool,
}

impl Default for PairConfig {
    /// Four lanes at 5 Gb/s without errors.
    fn default() -> Self {
        Self {
            model: Model::default(),
            lanes: Lanes::X4,
            speed: Run::Fast,
            delay: 8,
            skew: [0; LANES],
            ber: 0.0,
            seed: 1,
            keep_words: false,
        }
    }
}

/// Two ends. Both have the same clock.
#[derive(Debug)]
pub struct Pair {
    ends: [End; 2],
    /// By direction and lane: from A, from B.
    lanes: [Vec<Lane>; 2],
    meters: [Meter; 2],
    now: u64,
    /// Words that B has received; none: they are not kept.
    words: Option<Vec<Vec<u32>>>,
}

impl Pair {
    /// Both ends after reset, with what is in their memories; they run, and `B` and `A` need some
    /// time to know each other.
    ///
    /// # Errors
    /// A parameter is out of range, or the simulator cannot be built.
    pub fn new(config: &PairConfig, memories: [Vec<u8>; 2]) -> Result<Self, SimError> {
        config.model.validate()?;
        let Some(further) = config.delay.checked_sub(MIN_DELAY) else {
            return Err(SimError::BadParameter {
                name: "delay",
                message: format!("{} is not at least {MIN_DELAY} cycles", config.delay),
            });
        };
        let raw = RawModel::load(&config.model.recipe(), &mut |_| ())?;
        let context = raw.context();
        let [a, b] = memories;
        let ends = [
            End::new(&context, "a", raw, a)?,
            End::new(&context, "b", raw, b)?,
        ];
        let direction = |from: usize| {
            (0..config.lanes.count())
                .map(|lane| {
                    let bits = u64::from(further) * u64::from(WORD_BITS);
                    Lane::new(&ChannelConfig {
                        delay_bits: bits + u64::from(config.skew[lane]),
                        ber: config.ber,
                        seed: config
                            .seed
                            .wrapping_mul(8)
                            .wrapping_add((from * LANES + lane) as u64),
                        ..ChannelConfig::default()
                    })
                })
                .collect::<Result<Vec<_>, _>>()
        };
        let mut pair = Self {
            ends,
            lanes: [direction(A)?, direction(B)?],
            meters: [Meter::new(), Meter::new()],
            now: 0,
            words: config.keep_words.then(Vec::new),
        };
        for _ in 0..RESET {
            pair.step();
        }
        for end in &mut pair.ends {
            end.set_reset(false);
        }
        for _ in 0..RESET {
            pair.step();
        }
        for end in [A, B] {
            let mut registers = pair.registers(end);
            let wired = (1 << config.lanes.count()) - 1;
            registers.write(regs::LANES.offset, wired)?;
            registers.write(regs::CONTROL.offset, config.speed as u32)?;
        }
        Ok(pair)
    }

    /// Cycles so far.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The memory of an end.
    #[must_use]
    pub fn memory(&mut self, end: usize) -> &mut Memory {
        &mut self.ends[end].memory
    }

    /// The registers of an end. Time passes while they are used.
    pub fn registers(&mut self, end: usize) -> EndRegisters<'_> {
        EndRegisters { pair: self, end }
    }

    /// Opens these whole pages of the memory of an end to the other end, and no others.
    ///
    /// # Errors
    /// The bus answers with an error.
    pub fn open_window(&mut self, end: usize, bytes: &Range<u32>) -> Result<(), SimError> {
        let first = (bytes.start / PAGE) << regs::window_first::PAGE.low;
        let last = (bytes.end / PAGE - 1) << regs::window_last::PAGE.low;
        let mut registers = self.registers(end);
        registers.write(regs::WINDOW_FIRST.offset, first)?;
        registers.write(regs::WINDOW_LAST.offset, last)
    }

    /// Bits flipped so far.
    #[must_use]
    pub fn bit_errors(&self) -> u64 {
        self.lanes.iter().flatten().map(Lane::errors).sum()
    }

    /// Lane words of packets that an end has sent, from start to end, since the last call, and the
    /// cycle of the first one.
    pub fn take_packets(&mut self, end: usize) -> (u64, Option<u64>) {
        let meter = &mut self.meters[end];
        (std::mem::take(&mut meter.words), meter.first.take())
    }

    /// Words of the wired lanes that B has received in each cycle, if they are kept.
    pub fn take_words(&mut self) -> Vec<Vec<u32>> {
        self.words.take().unwrap_or_default()
    }

    /// Lets a cycle pass.
    pub fn step(&mut self) {
        let sent = [self.ends[A].sent(), self.ends[B].sent()];
        for from in [A, B] {
            let mut words: Words = [0; LANES];
            let lanes = &mut self.lanes[from];
            self.meters[from].watch(self.now, &sent[from][..lanes.len()]);
            for ((lane, word), &sent) in lanes.iter_mut().zip(&mut words).zip(&sent[from]) {
                *word = lane.transfer(sent);
            }
            if let (A, Some(kept)) = (from, &mut self.words) {
                kept.push(words[..lanes.len()].to_vec());
            }
            self.ends[1 - from].receive(&words);
        }
        for end in &mut self.ends {
            end.step(self.now);
        }
        self.now += 1;
    }

    /// Lets time pass until both ends know each other, at most `cycles` cycles; whether they do.
    ///
    /// # Errors
    /// The bus answers with an error.
    pub fn wait_up(&mut self, cycles: u64) -> Result<bool, SimError> {
        let until = self.now + cycles;
        while self.now < until {
            let mut up = true;
            for end in [A, B] {
                up &= program::poll(&mut self.registers(end))?.up();
            }
            if up {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn access(&mut self, end: usize, address: u32) -> Result<u32, SimError> {
        for _ in 0..ACCESS {
            self.step();
            match self.ends[end].finished() {
                Some((value, true)) => return Ok(value),
                Some((_, false)) => break,
                None => {}
            }
        }
        Err(SimError::Register { address })
    }
}

/// The registers of an end of a pair.
#[derive(Debug)]
pub struct EndRegisters<'a> {
    pair: &'a mut Pair,
    end: usize,
}

impl EndRegisters<'_> {
    /// The pair, whose time goes on with each access.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.pair.now
    }
}

impl Registers for EndRegisters<'_> {
    type Error = SimError;

    fn write(&mut self, address: u32, value: u32) -> Result<(), SimError> {
        self.pair.ends[self.end].begin_write(address, value);
        self.pair.access(self.end, address).map(|_| ())
    }

    fn read(&mut self, address: u32) -> Result<u32, SimError> {
        self.pair.ends[self.end].begin_read(address);
        self.pair.access(self.end, address)
    }
}
