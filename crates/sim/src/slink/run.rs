// SPDX-License-Identifier: Apache-2.0
//! Operations of one end, one after the other, and what has become of every byte of both memories.

use std::ops::Range;

use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::mode::{LineMode, Rate};
use ropewalk_wire::slink::regs::{Change, Coding};

use super::line::Packets;
use super::memory::Write;
use super::model::Model;
use super::pair::{A, Ask, B, EndReset, LineCut, Pair, Switched};
use super::program::{self, Operation, Outcome, Status};
use super::several;
use super::wanted::{BEAT, Wanted, is_part, twice};
use crate::SimError;
use crate::error::uncut;

/// Smallest memory.
const MEMORY: u32 = 1 << 16;
/// More cycles than anything takes between two writes of an operation, beside the way: alignment,
/// stores, and a block under its code.
pub(super) const QUIET: u64 = 2048;
/// An operation that takes `PATIENCE` times as long as all of its retries is stuck.
pub(super) const PATIENCE: u64 = 4;
/// Retries of the core, and the first try.
pub(super) const TRIES: u64 = 17;

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
    /// Line code.
    pub coding: Coding,
    /// Words of 8 bytes of an operation, 1 to 65 536.
    pub words: u32,
    /// Operations of each end that starts some.
    pub operations: u64,
    /// Operations of an end that may be under way, 1, 2 or 4 and no more than the model has.
    pub outstanding: u8,
    /// B starts operations too.
    pub both: bool,
    /// Cycles from an end to the other.
    pub delay: u32,
    /// Lanes are late by up to `skew` bits.
    pub skew: u32,
    /// Probability that a bit is flipped on the line.
    pub ber: f64,
    /// How much faster B's clock is than A's, in parts per million.
    pub ppm: f64,
    /// Share of the time in which the memories pause.
    pub stall: f64,
    /// Cuts of lanes.
    pub cuts: Vec<LineCut>,
    /// Resets of ends.
    pub resets: Vec<EndReset>,
    /// Changes of the line's mode.
    pub switches: Vec<Ask>,
    /// Of everything random.
    pub seed: u64,
    /// Keep the words that B receives, in [`RunResult::words`].
    pub keep_words: bool,
}

impl Default for RunConfig {
    /// 100 writes of 4096 bytes in CRC mode over four lanes of 5 Gb/s, and nothing goes wrong.
    fn default() -> Self {
        Self {
            model: Model::default(),
            read: false,
            crc: true,
            lanes: Lanes::X4,
            rate: Rate::Fast,
            coding: Coding::Code8b10b,
            words: 512,
            operations: 100,
            outstanding: 1,
            both: false,
            delay: 8,
            skew: 0,
            ber: 0.0,
            ppm: 0.0,
            stall: 0.0,
            cuts: Vec::new(),
            resets: Vec::new(),
            switches: Vec::new(),
            seed: 1,
            keep_words: false,
        }
    }
}

impl RunConfig {
    /// The mode of the line in which the operations begin.
    #[must_use]
    pub fn mode(&self) -> LineMode {
        LineMode {
            rate: self.rate,
            lanes: self.lanes,
            coding: self.coding,
        }
    }

    /// Nothing goes wrong on the lanes, and no end is reset.
    pub(super) fn clean(&self) -> bool {
        self.ber == 0.0 && self.cuts.is_empty() && self.resets.is_empty()
    }

    /// Cycles in which nothing has to move, beside those of the operations.
    pub(super) fn away(&self) -> u64 {
        let cuts = self.cuts.iter().map(|cut| cut.length_fs);
        let resets = self.resets.iter().map(|reset| reset.length_fs);
        cuts.chain(resets).sum::<u64>() / self.mode().cycle_fs()
    }

    fn validate(&self) -> Result<(), SimError> {
        let bad = |name, message| Err(SimError::BadParameter { name, message });
        if !(1..=65_536).contains(&self.words) {
            return bad("words", format!("{} is not in 1 to 65536", self.words));
        }
        let most = self.model.outstanding;
        if ![1, 2, 4].contains(&self.outstanding) || self.outstanding > most {
            let message = format!("{} is not 1, 2 or 4, at most {most}", self.outstanding);
            return bad("outstanding", message);
        }
        Ok(())
    }
}

/// An operation that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// When the program began it, in femtoseconds.
    pub begun_fs: u64,
    /// Femtoseconds until the program read that it is over.
    pub fs: u64,
    /// How often it was sent again.
    pub retries: u32,
    /// It ended well; else the program was told that it failed.
    pub done: bool,
}

/// What has become of everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunResult {
    /// Cycles of A in all.
    pub cycles: u64,
    /// Femtoseconds from the first start to the last beat in a memory, where several operations
    /// may be under way: then the registers report no retries.
    pub span_fs: Option<u64>,
    /// Femtoseconds until both ends knew each other, in the mode of the run.
    pub up_fs: Option<u64>,
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
    /// Started again, since they were refused for their lanes, of which a change of the line's
    /// mode has left fewer.
    pub restarted: u64,
    /// Resets of ends.
    pub resets: u64,
    /// Cuts of lanes.
    pub cut: usize,
    /// Cuts, resets and changes of the line's mode that come behind the end of the run.
    pub not_reached: usize,
    /// Changes of the line's mode that have ended.
    pub switched: Vec<Switched>,
    /// The modes of both ends in the end.
    pub modes: Option<[LineMode; 2]>,
    /// The packets that brought data, repeated ones too.
    pub packets: Packets,
    /// Bytes of operations that ended well.
    pub bytes: u64,
    /// Femtoseconds of each operation that ended well at once, and had no other one in front of
    /// it: from its beginning to the first beat in the memory, and to the last. Its beginning is
    /// the first beat that is read from the memory, or of a read the start of the request on the
    /// lanes.
    pub latency: Vec<(u64, u64)>,
    /// Each operation that has ended, in their order.
    pub ended: Vec<Ended>,
    /// A word of each wired lane for each cycle, bit 0 first on the line, as B received them; if
    /// [`RunConfig::keep_words`] was set. Only those with as many bits as words have in the mode of
    /// the run ([`super::LineMode::word_bits`]).
    pub words: Vec<Vec<u32>>,
}

impl RunResult {
    pub(super) fn add(&mut self, packets: Packets) {
        self.packets.words += packets.words;
        self.packets.bytes += packets.bytes;
        self.packets.line_fs += packets.line_fs;
    }

    /// What the pair knows in the end.
    pub(super) fn finish(&mut self, pair: &mut Pair) {
        self.cycles = pair.now();
        self.bit_errors = pair.bit_errors();
        self.switched = pair.switched().to_vec();
        self.resets = pair.resets(A) + pair.resets(B);
        self.modes = Some([pair.mode(A), pair.mode(B)]);
        (self.cut, self.not_reached) = pair.events_left();
        self.words = pair.take_words();
    }

    /// Every operation is correct or was reported, none was executed twice, and nothing was written
    /// elsewhere.
    #[must_use]
    pub fn ok(&self) -> bool {
        !self.stuck && self.wrong == 0 && self.twice == 0 && self.outside == 0
    }

    /// Data that arrived well over what the lanes could carry, after line coding, while packets
    /// were sent.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        self.bytes as f64 / self.packets.bytes.max(1) as f64
    }

    /// The same in Gb/s.
    #[must_use]
    pub fn bandwidth_gbps(&self) -> f64 {
        8e6 * self.bytes as f64 / self.packets.line_fs.max(1) as f64
    }

    /// Median femtoseconds to the first and to the last beat.
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
    config.validate()?;
    if config.both || config.outstanding > 1 {
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
    let patience = runner.patience();
    let up = come_up(&mut runner.pair, config, patience)?;
    runner.result.up_fs = up.then(|| runner.pair.time_fs());
    runner.result.stuck = !up;
    runner.pair.take_packets(runner.source());
    while !runner.result.stuck && runner.result.operations < config.operations {
        if !keep_mode(&mut runner.pair, config, patience)? {
            runner.result.stuck = true;
            break;
        }
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
    result.add(pair.take_packets(if config.read { B } else { A }));
    result.finish(&mut pair);
    Ok(result)
}

/// Waits until both ends know each other in the mode of the run; whether they do.
pub(super) fn come_up(
    pair: &mut Pair,
    config: &RunConfig,
    patience: u64,
) -> Result<bool, SimError> {
    let up = pair.wait_up(patience)?;
    if up && pair.mode(A) != config.mode() {
        return pair.switch(A, config.mode(), patience);
    }
    Ok(up)
}

/// Behind a reset or a long loss of the lanes, which bring both ends to the mode of the start, asks
/// for the last one again that was reached; whether both ends are in it.
pub(super) fn keep_mode(
    pair: &mut Pair,
    config: &RunConfig,
    patience: u64,
) -> Result<bool, SimError> {
    let reached = pair
        .switched()
        .iter()
        .rfind(|switched| switched.result == Change::Done);
    let mode = reached.map_or(config.mode(), |switched| switched.wanted);
    let there = [A, B].map(|end| pair.mode(end)) == [mode; 2];
    if there || pair.switching() {
        return Ok(true);
    }
    pair.switch(A, mode, patience)
}

/// Cycles that the memories take for what they could do in `cycles`.
pub(super) fn paused(config: &RunConfig, cycles: u64) -> u64 {
    (cycles as f64 / (1.0 - config.stall)) as u64
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
        let packet = paused(self.config, u64::from(BEAT * self.config.words)) + 64;
        let once =
            u64::from(self.config.model.timeout) + packet + u64::from(self.config.delay) + QUIET;
        PATIENCE * TRIES * once + self.config.away()
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
        let packets = self.pair.take_packets(source);
        self.result.add(packets);
        if source != A {
            self.pair.take_packets(A);
        }

        let (begun, begun_fs) = (self.pair.now(), self.pair.time_fs());
        let Some((status, cut)) = self.execute(operation, begun, tell)? else {
            self.result.stuck = true;
            return Ok(());
        };
        self.result.operations += 1;
        self.result.retries += u64::from(status.retries());
        let done = status.outcome() == Some(Outcome::Done);
        let clean = done && status.retries() == 0;
        self.result.ended.push(Ended {
            begun_fs,
            fs: self.pair.time_fs() - begun_fs,
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
            self.pair.take_packets(A).first
        } else {
            self.pair.memory(A).first_read()
        };
        let mut logs = self.written();
        let log = std::mem::take(&mut logs[target]);
        self.result.outside += logs[source].len() as u64;
        // The program was not told how it ended, though its end was not reset.
        self.result.wrong += u64::from(status.outcome().is_none() && !cut);
        self.judge(operation, status, &data, &to, &log);
        if let (true, Some(begin), Some(first), Some(last)) =
            (clean, begin, log.first(), log.last())
        {
            let since = |write: &Write| write.time_fs.saturating_sub(begin);
            self.result.latency.push((since(first), since(last)));
        }
        Ok(())
    }

    /// Starts it, and waits for its end: the status, and whether a reset of A has cut it; none: it
    /// does not end.
    fn execute(
        &mut self,
        operation: &Operation,
        begun: u64,
        tell: &mut dyn FnMut(u64),
    ) -> Result<Option<(Status, bool)>, SimError> {
        let resets = self.pair.resets(A);
        loop {
            let lanes = operation.lanes.min(self.pair.mode(A).lanes);
            let operation = Operation {
                lanes,
                ..*operation
            };
            let mut registers = self.pair.registers(A);
            let mut status =
                uncut(program::start(&mut registers, false, &operation))?.map(|()| Status::BUSY);
            while status.is_some_and(Status::busy) {
                status = uncut(program::poll(&mut self.pair.registers(A)))?;
                tell(self.result.operations);
                if self.pair.now() - begun > self.patience() {
                    return Ok(None);
                }
            }
            let status = status.unwrap_or(Status(0));
            let cut = self.pair.resets(A) != resets;
            let fewer = lanes > self.pair.fewest_lanes();
            if cut || status.outcome() != Some(Outcome::Refused) || !fewer {
                return Ok(Some((status, cut)));
            }
            self.result.restarted += 1;
        }
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
