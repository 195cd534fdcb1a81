// SPDX-License-Identifier: Apache-2.0
//! Lanes back to slots: blocks, markers, skew, order, and what is wrong with a link.

use super::transmit::{lane_of, parity_in};
use super::{
    Block, CONTROL, DATA, Kind, LANES, PERIOD, Place, Row, Scrambler, Slot, decode, parity,
};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Legal headers in a row that lock, headers of a window, illegal ones of it that lose the lock
/// (figure 82-10).
const LOCK: (u32, u32, u32) = (64, 1024, 65);
/// Markers that do not come in a row lose the lock (figure 82-11).
const MISSES: u32 = 4;
/// Rounds of markers in which the lanes may meet.
const PATIENCE: u32 = 3;

/// What a link is measured by.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Blocks from marker to marker.
    pub period: usize,
    /// Most skew, in blocks.
    pub skew: usize,
    /// Rows in which illegal headers are counted: 500 us.
    pub window: usize,
    /// Illegal headers of a window that are too many.
    pub illegal: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            period: PERIOD,
            skew: 30,
            window: 39_062,
            illegal: 97,
        }
    }
}

/// How far a link is, or why it is not up; of lanes the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A lane has no signal.
    NoSignal(usize),
    /// A lane has no blocks.
    NoBlockLock(usize),
    /// A lane has no markers.
    NoMarker(usize),
    /// A lane has the number of one before it.
    SameNumber(usize),
    /// All lanes are there.
    Aligning,
    /// And do not meet.
    SkewExceeded,
    /// Too many illegal headers.
    HighBer,
    /// The link is up.
    Up,
}

/// Blocks and markers of a lane.
#[derive(Debug, Clone, Default)]
struct Lane {
    signal: bool,
    /// Bits that are no block yet, the oldest in the lowest place.
    bits: u128,
    filled: u32,
    locked: bool,
    seen: u32,
    bad: u32,
    marks: Option<Marks>,
    /// Blocks since a marker, with "is a marker".
    waiting: VecDeque<(Block, bool)>,
    parity_errors: u64,
}

/// The markers of a lane.
#[derive(Debug, Clone, Copy)]
struct Marks {
    number: usize,
    inverted: bool,
    locked: bool,
    missed: u32,
    count: usize,
    parity: u8,
}

impl Lane {
    fn bit(&mut self, bit: bool) -> Option<Block> {
        self.bits |= u128::from(bit) << self.filled;
        self.filled += 1;
        if self.filled < 66 {
            return None;
        }
        let block = self.bits;
        (self.bits, self.filled) = (0, 0);
        let legal = matches!(block & 0b11, DATA | CONTROL);
        self.seen += 1;
        self.bad += u32::from(!legal);
        let (run, window, limit) = LOCK;
        if self.bad == if self.locked { limit } else { 1 } {
            // The next block begins a bit later.
            self.bits = block >> 1;
            self.filled = 65;
            self.locked = false;
            (self.seen, self.bad) = (0, 0);
        } else if self.seen == if self.locked { window } else { run } {
            self.locked = true;
            (self.seen, self.bad) = (0, 0);
        }
        if !self.locked || !self.signal {
            self.marks = None;
        }
        Some(block)
    }

    /// A block with its marker, if markers are found.
    fn mark(&mut self, block: Block, period: usize) -> Option<(Block, bool)> {
        if !self.locked || !self.signal {
            return None;
        }
        let inverted = self
            .marks
            .map_or(block & 0b11 == DATA, |marks| marks.inverted);
        let block = if inverted {
            !block & ((1 << 66) - 1)
        } else {
            block
        };
        let number = lane_of(block);
        let Some(marks) = &mut self.marks else {
            self.marks = number.map(|number| Marks {
                number,
                inverted,
                locked: false,
                missed: 0,
                count: 0,
                parity: parity(block),
            });
            return None;
        };
        marks.count += 1;
        let due = marks.count == period;
        if !due {
            marks.parity ^= parity(block);
            return Some((block, false));
        }
        if number == Some(marks.number) {
            if marks.locked && parity_in(block) != marks.parity {
                self.parity_errors += 1;
            }
            (marks.locked, marks.missed) = (true, 0);
        } else {
            marks.missed += 1;
        }
        (marks.count, marks.parity) = (0, parity(block));
        if !marks.locked || marks.missed == MISSES {
            self.marks = None;
        }
        Some((block, true))
    }

    fn number(&self) -> Option<usize> {
        self.marks
            .filter(|marks| marks.locked)
            .map(|marks| marks.number)
    }
}

/// Bits of lanes in, slots out.
#[derive(Debug, Clone)]
pub struct Receiver {
    limits: Limits,
    lanes: Vec<Lane>,
    /// The physical lane of each number, while all are there.
    source: Option<[usize; LANES]>,
    deskewed: bool,
    tries: u32,
    rows: usize,
    illegal: usize,
    high: bool,
    words: Slots,
}

impl Receiver {
    /// Nothing has come yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let lane = Lane {
            signal: true,
            ..Lane::default()
        };
        Receiver {
            limits,
            lanes: alloc::vec![lane; LANES],
            source: None,
            deskewed: false,
            tries: 0,
            rows: 0,
            illegal: 0,
            high: false,
            words: Slots::default(),
        }
    }

    /// Whether a lane has a signal.
    ///
    /// # Panics
    /// A lane that does not exist; so do the other functions.
    pub fn signal(&mut self, lane: usize, there: bool) {
        self.lanes[lane].signal = there;
        if !there {
            self.lanes[lane].marks = None;
        }
    }

    /// Takes a bit of a physical lane; slots that are complete are appended.
    pub fn bit(&mut self, lane: usize, bit: bool, slots: &mut Vec<Slot>) {
        let Some(block) = self.lanes[lane].bit(bit) else {
            return;
        };
        let marked = self.lanes[lane].mark(block, self.limits.period);
        self.numbers();
        if let (Some((block, marker)), true) = (marked, self.source.is_some()) {
            self.block(lane, block, marker);
            while let Some(row) = self.next_row() {
                self.words.row(&row, self.high, slots);
            }
        }
    }

    /// State of the link.
    #[must_use]
    pub fn state(&self) -> State {
        let first = |wrong: fn(&Lane) -> bool| self.lanes.iter().position(wrong);
        if let Some(lane) = first(|lane| !lane.signal) {
            return State::NoSignal(lane);
        }
        if let Some(lane) = first(|lane| !lane.locked) {
            return State::NoBlockLock(lane);
        }
        if let Some(lane) = first(|lane| lane.number().is_none()) {
            return State::NoMarker(lane);
        }
        let number = |lane: usize| self.lanes[lane].number();
        if let Some(lane) = (0..LANES).find(|&l| (0..l).any(|m| number(m) == number(l))) {
            return State::SameNumber(lane);
        }
        match (self.deskewed, self.high) {
            (false, _) if self.tries >= PATIENCE => State::SkewExceeded,
            (false, _) => State::Aligning,
            (true, true) => State::HighBer,
            (true, false) => State::Up,
        }
    }

    /// Number and polarity of a physical lane.
    #[must_use]
    pub fn found(&self, lane: usize) -> Option<(usize, bool)> {
        let marks = self.lanes[lane].marks.filter(|marks| marks.locked)?;
        Some((marks.number, marks.inverted))
    }

    /// Markers of a physical lane whose parity was not that of its blocks.
    #[must_use]
    pub fn parity_errors(&self, lane: usize) -> u64 {
        self.lanes[lane].parity_errors
    }

    /// Are all lanes there, with numbers of their own?
    fn numbers(&mut self) {
        let mut source = [None; LANES];
        for (at, lane) in self.lanes.iter().enumerate() {
            if let (Some(number), true) = (lane.number(), lane.signal) {
                source[number] = Some(at);
            }
        }
        let all = source.iter().all(Option::is_some);
        if all && self.source.is_none() {
            self.tries = 0;
            self.part();
        }
        self.source = all.then(|| source.map(Option::unwrap_or_default));
        if !all {
            self.part();
        }
    }

    /// The lanes are not in step, or no more.
    fn part(&mut self) {
        self.deskewed = false;
        (self.rows, self.illegal, self.high) = (0, 0, false);
        self.words = Slots::default();
        for lane in &mut self.lanes {
            lane.waiting.clear();
        }
    }

    fn block(&mut self, lane: usize, block: Block, marker: bool) {
        let waiting = &mut self.lanes[lane].waiting;
        if self.deskewed || !waiting.is_empty() || marker {
            waiting.push_back((block, marker));
        }
        if waiting.len() > self.limits.skew + 1 {
            self.part();
            self.tries += 1;
        } else if self.lanes.iter().all(|lane| !lane.waiting.is_empty()) {
            (self.deskewed, self.tries) = (true, 0);
        }
    }

    /// A row of data, in the order of numbers.
    fn next_row(&mut self) -> Option<Row> {
        let source = self.source.filter(|_| self.deskewed)?;
        loop {
            if self.lanes.iter().any(|lane| lane.waiting.is_empty()) {
                return None;
            }
            let taken = source.map(|at| self.lanes[at].waiting.pop_front().unwrap_or_default());
            self.rows += 1;
            let illegal = |(block, _): &&(Block, bool)| !matches!(block & 0b11, DATA | CONTROL);
            self.illegal += taken.iter().filter(illegal).count();
            if self.illegal >= self.limits.illegal {
                self.high = true;
            }
            if self.rows == self.limits.window {
                self.high = self.illegal >= self.limits.illegal;
                (self.rows, self.illegal) = (0, 0);
            }
            if !taken.iter().any(|&(_, marker)| marker) {
                return Some(taken.map(|(block, _)| block));
            }
        }
    }
}

/// Rows of data in, slots out: descrambled, decoded, in order.
#[derive(Debug, Clone)]
pub struct Slots {
    scrambler: Option<Scrambler>,
    place: Place,
    held: Option<(Kind, Slot)>,
}

impl Default for Slots {
    fn default() -> Self {
        Slots {
            scrambler: None,
            place: Place::Outside,
            held: None,
        }
    }
}

impl Slots {
    /// Takes a row; with `fault`, local fault stands for every slot of it. The first block of all
    /// fills the descrambler.
    pub fn row(&mut self, row: &Row, fault: bool, slots: &mut Vec<Slot>) {
        for &block in row {
            let line = (block >> 2) as u64;
            let Some(scrambler) = &mut self.scrambler else {
                let mut scrambler = Scrambler::default();
                scrambler.descramble(line);
                self.scrambler = Some(scrambler);
                continue;
            };
            let plain = u128::from(scrambler.descramble(line)) << 2 | block & 0b11;
            let (kind, slot) = decode(plain);
            if let Some((held, before)) = self.held.replace((kind, slot)) {
                let ends = matches!(kind, Kind::Start | Kind::Control);
                let held = if held == Kind::Terminate && !ends {
                    Kind::Error
                } else {
                    held
                };
                self.place = self.place.behind(held);
                slots.push(if fault {
                    Slot::LOCAL_FAULT
                } else if self.place == Place::Failed {
                    Slot::ERROR
                } else {
                    before
                });
            }
        }
    }
}
