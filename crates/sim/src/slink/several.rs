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
use super::run::{Ended, PATIENCE, QUIET, RunConfig, RunResult, TRIES, come_up, keep_mode, paused};
use super::wanted::{BEAT, Wanted, is_part, twice};
use crate::SimError;
use crate::error::uncut;

/// Regions for each operation that may be under way: what is late may still come while the next one
/// has begun.
const REGIONS: u32 = 2;
/// Smallest half of a memory.
const HALF: u32 = 1 << 15;

/// An operation that was started and is not judged yet.
struct Active {
    number: u64,
    operation: Operation,
    begun_fs: u64,
    data: Vec<u8>,
    /// Where it writes.
    to: Range<usize>,
    /// How often each beat was written.
    counts: Vec<u32>,
    /// When the program read how it has ended, and how; none: a reset of its end has cut it.
    ended: Option<(u64, Option<regs::Outcome>)>,
    /// Times of its first and of its last write.
    wrote: Option<(u64, u64)>,
    /// No other one was under way when it began.
    alone: bool,
}

impl Active {
    fn complete(&self) -> bool {
        self.counts.iter().all(|count| *count > 0)
    }

    /// It was refused since a change of the line's mode has left fewer lanes than it uses.
    fn lacks_lanes(&self, pair: &Pair) -> bool {
        let refused = |(_, outcome)| outcome == Some(regs::Outcome::Refused);
        self.ended.is_some_and(refused) && self.operation.lanes > pair.fewest_lanes()
    }
}

/// The operations that an end starts.
struct Queue {
    end: usize,
    started: u64,
    /// Of them, before the last reset of the end, behind which the core counts from 0 on.
    earlier: u64,
    resets: u64,
    /// Refused for their lanes, and to be started again.
    again: u64,
    active: VecDeque<Active>,
}

impl Queue {
    fn new(end: usize) -> Self {
        Self {
            end,
            started: 0,
            earlier: 0,
            resets: 0,
            again: 0,
            active: VecDeque::new(),
        }
    }

    /// More are to be started.
    fn lacks(&self, operations: u64) -> bool {
        self.started < operations + self.again
    }

    /// The end was reset: what was under way is given up.
    fn cut(&mut self, now: u64, resets: u64) {
        (self.earlier, self.resets) = (self.started, resets);
        for active in &mut self.active {
            active.ended.get_or_insert((now, None));
        }
    }

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
    /// Time of the first start, and of the last write.
    first: Option<u64>,
    last: u64,
}

/// Runs it, as [`super::run()`] does.
pub(super) fn run(config: &RunConfig, tell: &mut dyn FnMut(u64)) -> Result<RunResult, SimError> {
    let regions = REGIONS * u32::from(config.outstanding);
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
    let mut queues: Vec<Queue> = starters.iter().map(|&end| Queue::new(end)).collect();
    let patience = several.patience();
    let up = come_up(&mut several.pair, config, patience)?;
    several.result.up_fs = up.then(|| several.pair.time_fs());
    several.result.stuck = !up;
    several.moved = several.pair.now();
    for end in [A, B] {
        several.pair.take_packets(end);
    }
    while !several.result.stuck
        && queues
            .iter()
            .any(|queue| queue.lacks(config.operations) || !queue.active.is_empty())
    {
        if !keep_mode(&mut several.pair, config, patience)? {
            several.result.stuck = true;
            break;
        }
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
        let packet = paused(self.config, u64::from(BEAT * self.config.words)) + 64;
        let all = packet * u64::from(self.config.outstanding) * 2;
        let once = u64::from(self.config.model.timeout) + all + u64::from(self.config.delay);
        PATIENCE * TRIES * (once + QUIET) + self.config.away()
    }

    /// Looks at the queue of an end, and starts what there is room for.
    fn serve(&mut self, queue: &mut Queue) -> Result<(), SimError> {
        let seen = uncut(program::queue(&mut self.pair.registers(queue.end)))?;
        let now = self.pair.time_fs();
        if self.pair.resets(queue.end) != queue.resets {
            queue.cut(now, self.pair.resets(queue.end));
            self.moved = self.pair.now();
            return Ok(());
        }
        let Some(seen) = seen else { return Ok(()) };
        let most = u64::from(self.config.model.outstanding);
        // Of an operation that another one has followed in its place nothing is read any more.
        let active = queue.active.iter_mut();
        for active in active.filter(|active| active.ended.is_none()) {
            let outcome = seen.outcome(active.number - queue.earlier);
            if outcome != regs::Outcome::None {
                active.ended = Some((now, Some(outcome)));
                self.moved = self.pair.now();
                queue.again += u64::from(active.lacks_lanes(&self.pair));
            }
        }
        let under_way = queue.active.iter().filter(|active| active.ended.is_none());
        let mut free = under_way.clone().count() < usize::from(self.config.outstanding);
        free &= under_way
            .map(|active| active.number + most)
            .all(|next| next > queue.started);
        let judged = queue.active.len() as u64;
        let room = judged < u64::from(REGIONS) * u64::from(self.config.outstanding);
        if !seen.full() && free && room && queue.lacks(self.config.operations) {
            self.start(queue)?;
        }
        Ok(())
    }

    /// The region of an operation in the half that begins at `from`.
    fn region(&self, number: u64, from: u32) -> Range<u32> {
        let regions = REGIONS * u32::from(self.config.outstanding);
        let bytes = self.half / regions;
        let start = from + (number % u64::from(regions)) as u32 * bytes;
        start..start + bytes
    }

    fn start(&mut self, queue: &mut Queue) -> Result<(), SimError> {
        let (number, config) = (queue.started, self.config);
        let regions = [0, self.half].map(|from| self.region(number, from));
        let mut operation = self.wanted.operation(config, &regions[0], &regions[1]);
        operation.lanes = operation.lanes.min(self.pair.mode(queue.end).lanes);
        let (source, _) = queue.ends(config.read);
        let (data, to) = self.wanted.renew(&mut self.pair, source, &operation);
        let alone = queue.active.is_empty();
        if alone {
            self.pair.memory(source).forget_read();
            self.pair.take_first(queue.end);
        }
        let begun_fs = self.pair.time_fs();
        self.first.get_or_insert(begun_fs);
        self.moved = self.pair.now();
        let mut registers = self.pair.registers(queue.end);
        // Whether one that a reset cuts has begun is not known: it counts.
        uncut(program::start(&mut registers, false, &operation))?;
        queue.started += 1;
        queue.active.push_back(Active {
            number,
            operation,
            begun_fs,
            data,
            to,
            counts: vec![0; config.words as usize],
            ended: None,
            wrote: None,
            alone,
        });
        Ok(())
    }

    /// Finds the operations of what was written.
    fn sort(&mut self, queues: &mut [Queue]) {
        for target in [A, B] {
            let writes = self.pair.memory(target).take_log();
            for write in writes {
                self.moved = self.pair.now();
                self.last = write.time_fs;
                if !count(queues, self.config.read, target, &write) {
                    self.result.outside += 1;
                }
            }
        }
    }

    /// Judges operations that have ended, the oldest first, when no more of them can come.
    fn judge(&mut self, queue: &mut Queue) {
        let cycle = self.config.mode().cycle_fs();
        let quiet = (QUIET + 2 * u64::from(self.config.delay)) * cycle;
        let now = self.pair.time_fs();
        while let Some(active) = queue.active.front() {
            let Some((at, outcome)) = active.ended else {
                return;
            };
            let done = outcome == Some(regs::Outcome::Done);
            // What was sent again may come again.
            let whole = done && self.config.clean() && active.complete();
            let last = active.wrote.map_or(0, |wrote| wrote.1);
            if !whole && now - at.max(last) <= quiet {
                return;
            }
            if let Some(active) = queue.active.pop_front() {
                self.judge_one(queue, &active, at, outcome);
            }
        }
    }

    fn judge_one(
        &mut self,
        queue: &Queue,
        active: &Active,
        at: u64,
        outcome: Option<regs::Outcome>,
    ) {
        let (source, target) = queue.ends(self.config.read);
        let done = outcome == Some(regs::Outcome::Done);
        if done && active.alone && self.config.clean() && !self.config.both {
            self.time(queue.end, source, active);
        }
        if active.lacks_lanes(&self.pair) {
            self.result.restarted += 1;
            self.result.wrong += u64::from(active.counts.iter().any(|count| *count > 0));
            return;
        }
        let result = &mut self.result;
        result.operations += 1;
        result.ended.push(Ended {
            begun_fs: active.begun_fs,
            fs: at - active.begun_fs,
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

    /// The latency of an operation that was alone when it began.
    fn time(&mut self, end: usize, source: usize, active: &Active) {
        let begin = if active.operation.read {
            self.pair.first_packet(end)
        } else {
            self.pair.memory(source).first_read()
        };
        if let (Some(begin), Some((first, last))) = (begin, active.wrote) {
            let since = |time: u64| time.saturating_sub(begin);
            self.result.latency.push((since(first), since(last)));
        }
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
            let packets = self.pair.take_packets(source);
            self.result.add(packets);
        }
        self.result.span_fs = self.first.map(|first| self.last.saturating_sub(first));
        self.result.finish(&mut self.pair);
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
            let first = active.wrote.map_or(write.time_fs, |wrote| wrote.0);
            active.wrote = Some((first, write.time_fs));
            return true;
        }
    }
    false
}
