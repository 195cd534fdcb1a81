// SPDX-License-Identifier: Apache-2.0
//! Several operations of an end under way at a time, of one end or of both, and what has become of
//! every byte of both memories.
//!
//! Each end polls `queue`, as a host does that starts more than one. Its own data are in the lower
//! half of its memory, and what it uses of its peer's memory in the upper half, each operation in a
//! region that no other one under way has: so what a memory has to hold does not depend on the
//! order in which operations that have none are executed.

use std::collections::VecDeque;
use std::ops::Range;

use ropewalk_wire::slink::regs;

use super::memory::Write;
use super::pair::{A, B, PAGE, Pair};
use super::program::{self, Operation};
use super::run::{Ended, PATIENCE, QUIET, RunConfig, RunResult, TRIES};
use super::wanted::{BEAT, Wanted, is_part, twice};
use crate::SimError;

/// Regions for each operation that may be under way: what is late may still come while the next one
/// has begun.
const REGIONS: u32 = 2;
/// Smallest half of a memory.
const HALF: u32 = 1 << 15;

/// An operation that was started and is not judged yet.
struct Active {
    number: u64,
    operation: Operation,
    begun: u64,
    data: Vec<u8>,
    /// Where it writes.
    to: Range<usize>,
    /// How often each beat was written.
    counts: Vec<u32>,
    /// When the program read how it has ended, and how.
    ended: Option<(u64, regs::Outcome)>,
    /// Last cycle in which it wrote.
    wrote: u64,
}

impl Active {
    fn complete(&self) -> bool {
        self.counts.iter().all(|count| *count > 0)
    }
}

/// The operations that an end starts.
struct Queue {
    end: usize,
    started: u64,
    active: VecDeque<Active>,
}

impl Queue {
    /// The ends whose memories an operation reads and writes.
    fn ends(&self, read: bool) -> (usize, usize) {
        let other = 1 - self.end;
        if read {
            (other, self.end)
        } else {
            (self.end, other)
        }
    }
}

struct Several<'a> {
    pair: Pair,
    config: &'a RunConfig,
    wanted: Wanted,
    result: RunResult,
    /// Bytes of a half of a memory.
    half: u32,
    /// The last cycle in which something was started, ended or written.
    moved: u64,
    /// Cycle of the first start, and of the last write.
    first: Option<u64>,
    last: u64,
}

/// Runs it, as [`super::run()`] does.
pub(super) fn run(config: &RunConfig, tell: &mut dyn FnMut(u64)) -> Result<RunResult, SimError> {
    let regions = REGIONS * u32::from(config.model.outstanding);
    let half = regions * (BEAT * config.words).next_multiple_of(PAGE);
    let half = half.next_power_of_two().max(HALF);
    let mut wanted = Wanted::new(2 * half, config.seed);
    let mut several = Several {
        pair: Pair::new(&wanted.pair(config), wanted.memories.clone())?,
        config,
        wanted,
        result: RunResult::default(),
        half,
        moved: 0,
        first: None,
        last: 0,
    };
    for end in [A, B] {
        several.pair.open_window(end, &(half..2 * half))?;
    }
    let starters: &[usize] = if config.both { &[A, B] } else { &[A] };
    let mut queues: Vec<Queue> = starters
        .iter()
        .map(|&end| Queue {
            end,
            started: 0,
            active: VecDeque::new(),
        })
        .collect();
    let up = several.pair.wait_up(several.patience())?;
    several.result.up_cycles = up.then(|| several.pair.now());
    several.result.stuck = !up;
    several.moved = several.pair.now();
    for end in [A, B] {
        several.pair.take_packets(end);
    }
    while !several.result.stuck
        && queues
            .iter()
            .any(|queue| queue.started < config.operations || !queue.active.is_empty())
    {
        for queue in &mut queues {
            several.serve(queue)?;
        }
        several.sort(&mut queues);
        for queue in &mut queues {
            several.judge(queue);
        }
        tell(several.result.operations);
        several.result.stuck = several.pair.now() - several.moved > several.patience();
    }
    Ok(several.finish(starters))
}

impl Several<'_> {
    /// Cycles after which a run in which nothing moves is stuck.
    fn patience(&self) -> u64 {
        let packet = u64::from(BEAT * self.config.words) + 64;
        let all = packet * u64::from(self.config.model.outstanding) * 2;
        let once = u64::from(self.config.model.timeout) + all + u64::from(self.config.delay);
        PATIENCE * TRIES * (once + QUIET)
    }

    /// Looks at the queue of an end, and starts what there is room for.
    fn serve(&mut self, queue: &mut Queue) -> Result<(), SimError> {
        let seen = program::queue(&mut self.pair.registers(queue.end))?;
        let now = self.pair.now();
        let most = u64::from(self.config.model.outstanding);
        for active in &mut queue.active {
            let outcome = seen.outcome(active.number);
            // Of an operation that another one has followed in its place nothing is read any more.
            if active.ended.is_none() && outcome != regs::Outcome::None {
                active.ended = Some((now, outcome));
                self.moved = now;
            }
        }
        let free = queue
            .active
            .iter()
            .all(|active| active.ended.is_some() || active.number + most > queue.started);
        let judged = (queue.active.len() as u64) < u64::from(REGIONS) * most;
        if !seen.full() && free && judged && queue.started < self.config.operations {
            self.start(queue)?;
        }
        Ok(())
    }

    /// The region of an operation in the half that begins at `from`.
    fn region(&self, number: u64, from: u32) -> Range<u32> {
        let regions = REGIONS * u32::from(self.config.model.outstanding);
        let bytes = self.half / regions;
        let start = from + (number % u64::from(regions)) as u32 * bytes;
        start..start + bytes
    }

    fn start(&mut self, queue: &mut Queue) -> Result<(), SimError> {
        let (number, config) = (queue.started, self.config);
        let regions = [0, self.half].map(|from| self.region(number, from));
        let operation = self.wanted.operation(config, &regions[0], &regions[1]);
        let (source, _) = queue.ends(config.read);
        let (data, to) = self.wanted.renew(&mut self.pair, source, &operation);
        let begun = self.pair.now();
        self.first.get_or_insert(begun);
        self.moved = begun;
        program::start(&mut self.pair.registers(queue.end), false, &operation)?;
        queue.started += 1;
        queue.active.push_back(Active {
            number,
            operation,
            begun,
            data,
            to,
            counts: vec![0; config.words as usize],
            ended: None,
            wrote: begun,
        });
        Ok(())
    }

    /// Finds the operations of what was written.
    fn sort(&mut self, queues: &mut [Queue]) {
        for target in [A, B] {
            for write in self.pair.memory(target).take_writes() {
                self.moved = write.cycle;
                self.last = write.cycle;
                if !count(queues, self.config.read, target, &write) {
                    self.result.outside += 1;
                }
            }
        }
    }

    /// Judges operations that have ended, the oldest first, when no more of them can come.
    fn judge(&mut self, queue: &mut Queue) {
        let quiet = QUIET + 2 * u64::from(self.config.delay);
        let now = self.pair.now();
        while let Some(active) = queue.active.front() {
            let Some((at, outcome)) = active.ended else {
                return;
            };
            let done = outcome == regs::Outcome::Done;
            // What was sent again may come again.
            let whole = done && self.config.ber == 0.0 && active.complete();
            if !whole && now - at.max(active.wrote) <= quiet {
                return;
            }
            if let Some(active) = queue.active.pop_front() {
                self.judge_one(queue.ends(self.config.read).1, &active, at, done);
            }
        }
    }

    fn judge_one(&mut self, target: usize, active: &Active, at: u64, done: bool) {
        let result = &mut self.result;
        result.operations += 1;
        result.ended.push(Ended {
            begun: active.begun,
            cycles: at - active.begun,
            retries: 0,
            done,
        });
        // A read takes all of the data again, so that they are of one reading.
        if !active.operation.read {
            result.twice += twice(&active.counts);
        }
        let is = &self.pair.memory(target).bytes()[active.to.clone()];
        let was = &mut self.wanted.memories[target][active.to.clone()];
        if done {
            result.done += 1;
            if is == active.data {
                result.bytes += is.len() as u64;
            } else {
                result.wrong += 1;
            }
        } else {
            result.reported += 1;
            // In part, wholly or not at all; without check codes whatever has come.
            let known = is_part(is, was, &active.data);
            result.wrong += u64::from(active.operation.crc && !known);
        }
        was.copy_from_slice(is);
    }

    /// What is left when all have ended.
    fn finish(mut self, starters: &[usize]) -> RunResult {
        if !self.result.stuck {
            // What nobody has asked for may still come.
            for _ in 0..QUIET + 2 * u64::from(self.config.delay) {
                self.pair.step();
            }
            for end in [A, B] {
                self.result.outside += self.pair.memory(end).take_writes().len() as u64;
                let same = self.pair.memory(end).bytes() == self.wanted.memories[end];
                self.result.outside += u64::from(!same);
            }
        }
        for starter in starters {
            let source = if self.config.read {
                1 - starter
            } else {
                *starter
            };
            self.result.line_words += self.pair.take_packets(source).0;
        }
        self.result.span_cycles = self.first.map(|first| self.last.saturating_sub(first));
        self.result.cycles = self.pair.now();
        self.result.bit_errors = self.pair.bit_errors();
        self.result.words = self.pair.take_words();
        self.result
    }
}

/// Counts a write for its operation; false: there is none.
fn count(queues: &mut [Queue], read: bool, target: usize, write: &Write) -> bool {
    let own = queues
        .iter_mut()
        .filter(|queue| queue.ends(read).1 == target);
    for active in own.flat_map(|queue| &mut queue.active) {
        let at = (write.address as usize).wrapping_sub(active.to.start) / BEAT as usize;
        if active.to.contains(&(write.address as usize))
            && write.good
            && let Some(count) = active.counts.get_mut(at)
        {
            *count += 1;
            active.wrote = write.cycle;
            return true;
        }
    }
    false
}
