// SPDX-License-Identifier: Apache-2.0
//! Operations of one end, one after the other, and what has become of every byte of both memories.

use std::ops::Range;

use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::regs::Run;

use super::memory::Write;
use super::model::Model;
use super::pair::{A, B, Pair};
use super::program::{self, Operation, Outcome, Status};
use super::several;
use super::wanted::{BEAT, Wanted, is_part, twice};
use crate::SimError;

/// Smallest memory.
const MEMORY: u32 = 1 << 16;
/// More cycles than anything takes between two writes of an operation, beside the way: alignment,
/// stores, and a block under its code.
pub(super) const QUIET: u64 = 2048;
/// An operation that takes `PATIENCE` times as long as all of its retries is stuck.
pub(super) const PATIENCE: u64 = 4;
/// Retries of the core, and the first try.
pub(super) const TRIES: u64 = 17;

/// Speed of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rate {
    /// 2.5 Gb/s.
    Slow,
    /// 5 Gb/s.
    Fast,
}

impl Rate {
    /// On the line.
    #[must_use]
    pub fn gbps(self) -> f64 {
        match self {
            Self::Slow => 2.5,
            Self::Fast => 5.0,
        }
    }

    /// A cycle: two symbols of ten bits on each lane.
    #[must_use]
    pub fn cycle_ns(self) -> f64 {
        20.0 / self.gbps()
    }

    /// As the control register has it.
    #[must_use]
    pub fn run(self) -> Run {
        match self {
            Self::Slow => Run::Slow,
            Self::Fast => Run::Fast,
        }
    }
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunConfig {
    /// Both ends.
    pub model: Model,
    /// A reads from B; else it writes to B.
    pub read: bool,
    /// With check codes and repetition.
    pub crc: bool,
    /// Lanes that are wired and used.
    pub lanes: Lanes,
    /// Speed of a lane.
    pub rate: Rate,
    /// Words of 8 bytes of an operation, 1 to 65 536.
    pub words: u32,
    /// Operations of each end that starts some.
    pub operations: u64,
    /// B starts operations too.
    pub both: bool,
    /// Cycles from an end to the other.
    pub delay: u32,
    /// Lanes are late by up to `skew` bits.
    pub skew: u32,
    /// Probability that a bit is flipped on the line.
    pub ber: f64,
    /// Of everything random.
    pub seed: u64,
    /// Keep the words that B receives, in [`RunResult::words`].
    pub keep_words: bool,
}

/// An operation that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Cycle in which the program began it.
    pub begun: u64,
    /// Cycles until the program read that it is over.
    pub cycles: u64,
    /// How often it was sent again.
    pub retries: u32,
    /// It ended well; else the program was told that it failed.
    pub done: bool,
}

/// What has become of everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunResult {
    /// Cycles in all.
    pub cycles: u64,
    /// Cycles from the first start to the last beat in a memory, where several operations may be
    /// under way: then the registers report no retries, and there is no latency of one.
    pub span_cycles: Option<u64>,
    /// Cycles until both ends knew each other.
    pub up_cycles: Option<u64>,
    /// Operations that have ended.
    pub operations: u64,
    /// Those that ended well.
    pub done: u64,
    /// Those of which the program was told that they failed.
    pub reported: u64,
    /// Sent again, all of them together.
    pub retries: u64,
    /// Operations that ended well, and the memory is not as it should be; or that failed and have
    /// left what never was sent.
    pub wrong: u64,
    /// Words that one write wrote more than once.
    pub twice: u64,
    /// Words that were written where no operation wanted them.
    pub outside: u64,
    /// The session never came up, or an operation has not ended.
    pub stuck: bool,
    /// Bits flipped on the line.
    pub bit_errors: u64,
    /// Lane words of the packets that brought data, repeated ones too.
    pub line_words: u64,
    /// Bytes of operations that ended well.
    pub bytes: u64,
    /// Cycles of each operation that ended well at once: from its beginning to the first beat in
    /// the memory, and to the last. Its beginning is the first beat that is read from the memory,
    /// or of a read the start of the request on the lanes.
    pub latency: Vec<(u64, u64)>,
    /// Each operation that has ended, in their order.
    pub ended: Vec<Ended>,
    /// A word of 20 raw bits of each wired lane for each cycle, bit 0 first on the line, as B
    /// received them; if [`RunConfig::keep_words`] was set.
    pub words: Vec<Vec<u32>>,
}

impl RunResult {
    /// Every operation is correct or was reported, none was executed twice, and nothing was written
    /// elsewhere.
    #[must_use]
    pub fn ok(&self) -> bool {
        !self.stuck && self.wrong == 0 && self.twice == 0 && self.outside == 0
    }

    /// Data that arrived well over what the lanes could carry, after line coding, while packets
    /// were sent.
    #[must_use]
    pub fn efficiency(&self, lanes: Lanes) -> f64 {
        self.bytes as f64 / (self.line_words.max(1) * lanes.piece() as u64) as f64
    }

    /// Median cycles to the first and to the last beat.
    #[must_use]
    pub fn median_latency(&self) -> Option<(u64, u64)> {
        let median = |of: fn(&(u64, u64)) -> u64| {
            let mut all: Vec<u64> = self.latency.iter().map(of).collect();
            all.sort_unstable();
            all.get(all.len() / 2).copied()
        };
        Some((median(|l| l.0)?, median(|l| l.1)?))
    }
}

/// Runs it. `tell` hears now and then how many operations have ended; when it unwinds, the run
/// stops.
///
/// # Errors
/// A parameter is out of range, or the simulator cannot be built.
pub fn run(config: &RunConfig, tell: &mut dyn FnMut(u64)) -> Result<RunResult, SimError> {
    if !(1..=65_536).contains(&config.words) {
        return Err(SimError::BadParameter {
            name: "words",
            message: format!("{} is not in 1 to 65536", config.words),
        });
    }
    if config.both || config.model.outstanding > 1 {
        return several::run(config, tell);
    }
    let bytes = BEAT * config.words;
    let size = (4 * bytes).next_power_of_two().max(MEMORY);
    let window = size / 4..size / 4 * 3;
    let mut wanted = Wanted::new(size, config.seed);
    let mut runner = Runner {
        pair: Pair::new(&wanted.pair(config), wanted.memories.clone())?,
        config,
        wanted,
        result: RunResult::default(),
    };
    runner.pair.open_window(B, &window)?;
    let up = runner.pair.wait_up(runner.patience())?;
    runner.result.up_cycles = up.then(|| runner.pair.now());
    runner.result.stuck = !up;
    runner.pair.take_packets(runner.source());
    while !runner.result.stuck && runner.result.operations < config.operations {
        let operation = runner.wanted.operation(config, &(0..size), &window);
        runner.operation(&operation, tell)?;
        tell(runner.result.operations);
    }
    if !runner.result.stuck {
        // What nobody has asked for may still come.
        runner.settle(u64::MAX);
        runner.result.outside += runner
            .written()
            .map(|log| log.len() as u64)
            .iter()
            .sum::<u64>();
    }
    let Runner {
        mut pair,
        mut result,
        ..
    } = runner;
    result.line_words += pair.take_packets(if config.read { B } else { A }).0;
    result.cycles = pair.now();
    result.bit_errors = pair.bit_errors();
    result.words = pair.take_words();
    Ok(result)
}

struct Runner<'a> {
    pair: Pair,
    config: &'a RunConfig,
    wanted: Wanted,
    result: RunResult,
}

impl Runner<'_> {
    /// The end whose memory the data come from.
    fn source(&self) -> usize {
        if self.config.read { B } else { A }
    }

    /// Cycles after which something that has not ended is stuck.
    fn patience(&self) -> u64 {
        let packet = u64::from(BEAT * self.config.words) + 64;
        let once =
            u64::from(self.config.model.timeout) + packet + u64::from(self.config.delay) + QUIET;
        PATIENCE * TRIES * once
    }

    fn written(&mut self) -> [Vec<Write>; 2] {
        [A, B].map(|end| self.pair.memory(end).take_writes())
    }

    /// Lets time pass until `words` words are written to the target, or nothing has been for a
    /// while.
    fn settle(&mut self, words: u64) {
        let target = 1 - self.source();
        let quiet = QUIET + 2 * u64::from(self.config.delay);
        let (mut seen, mut since) = (0, self.pair.now());
        loop {
            let now = self.pair.memory(target).written();
            if now != seen {
                (seen, since) = (now, self.pair.now());
            }
            if now as u64 >= words || self.pair.now() - since > quiet {
                return;
            }
            self.pair.step();
        }
    }

    fn operation(
        &mut self,
        operation: &Operation,
        tell: &mut dyn FnMut(u64),
    ) -> Result<(), SimError> {
        let (source, target) = (self.source(), 1 - self.source());
        let (data, to) = self.wanted.renew(&mut self.pair, source, operation);
        let earlier = self.written();
        self.result.outside += earlier.map(|log| log.len() as u64).iter().sum::<u64>();
        self.result.line_words += self.pair.take_packets(source).0;
        if source != A {
            self.pair.take_packets(A);
        }

        let begun = self.pair.now();
        program::start(&mut self.pair.registers(A), false, operation)?;
        let status = loop {
            let status = program::poll(&mut self.pair.registers(A))?;
            tell(self.result.operations);
            if !status.busy() {
                break status;
            }
            if self.pair.now() - begun > self.patience() {
                self.result.stuck = true;
                return Ok(());
            }
        };
        self.result.operations += 1;
        self.result.retries += u64::from(status.retries());
        let done = status.outcome() == Some(Outcome::Done);
        let clean = done && status.retries() == 0;
        self.result.ended.push(Ended {
            begun,
            cycles: self.pair.now() - begun,
            retries: status.retries(),
            done,
        });
        // A write without an answer ends when it is sent. A copy that was not needed may still
        // come.
        self.settle(if clean {
            operation.words.into()
        } else {
            u64::MAX
        });
        let begin = if operation.read {
            self.pair.take_packets(A).1
        } else {
            self.pair.memory(A).first_read()
        };
        let mut logs = self.written();
        let log = std::mem::take(&mut logs[target]);
        self.result.outside += logs[source].len() as u64;
        self.judge(operation, status, &data, &to, &log);
        if let (true, Some(begin), Some(first), Some(last)) =
            (clean, begin, log.first(), log.last())
        {
            let since = |write: &Write| write.cycle.saturating_sub(begin);
            self.result.latency.push((since(first), since(last)));
        }
        Ok(())
    }

    /// Holds what was written against what was wanted.
    fn judge(
        &mut self,
        operation: &Operation,
        status: Status,
        data: &[u8],
        to: &Range<usize>,
        log: &[Write],
    ) {
        let (source, target) = (self.source(), 1 - self.source());
        if self.pair.memory(source).bytes() != self.wanted.memories[source] {
            self.result.outside += 1;
        }
        let mut counts = vec![0u32; operation.words as usize];
        for write in log {
            let at = (write.address as usize).wrapping_sub(to.start) / BEAT as usize;
            match counts.get_mut(at) {
                Some(count) if write.good => *count += 1,
                _ => self.result.outside += 1,
            }
        }
        // A read takes all of the data again, so that they are of one reading.
        if !operation.read {
            self.result.twice += twice(&counts);
        }
        let wanted = &mut self.wanted.memories[target];
        let memory = self.pair.memory(target).bytes();
        if status.outcome() == Some(Outcome::Done) {
            self.result.done += 1;
            wanted[to.clone()].copy_from_slice(data);
            if memory == wanted {
                self.result.bytes += data.len() as u64;
                return;
            }
            self.result.wrong += 1;
        } else {
            self.result.reported += 1;
            // In part, wholly or not at all; without check codes whatever has come.
            let known = is_part(&memory[to.clone()], &wanted[to.clone()], data);
            if operation.crc && !known {
                self.result.wrong += 1;
            }
        }
        wanted.copy_from_slice(memory);
    }
}
