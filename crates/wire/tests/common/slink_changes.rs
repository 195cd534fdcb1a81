// SPDX-License-Identifier: Apache-2.0
//! Two ends of an SLink that change the mode of the line, with operations of both: every one of
//! them is accounted for.

use crate::common::{self, BASE, BYTES, Book, Pair, READS, numbered, pattern, says, write};
use rand_core::Rng;
use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::regs::{Change, Coding};
use ropewalk_wire::slink::{
    Endpoint, Failure, LineMode, Message, Operation, Outstanding, Rate, Settings, Switch,
};
use std::collections::BTreeSet;

/// Words from a question to the next. Longer than the packets of these tests, but for one.
pub const PERIOD: u64 = 1200;
pub const TRIES: u32 = 3;
/// More steps than any change takes: two words of 5 Gb/s are one of 2.5 Gb/s.
pub const PATIENCE: u64 = 16 * TRIES as u64 * PERIOD;

/// More steps than any of these tests takes.
const LIMIT: u64 = 2_000_000;

pub const fn mode(rate: Rate, lanes: Lanes, coding: Coding) -> LineMode {
    LineMode {
        rate,
        lanes,
        coding,
    }
}

pub const START: LineMode = mode(Rate::Fast, Lanes::X4, Coding::Code8b10b);
/// Modes of both codes, one with fewer lanes, one with another speed.
pub const NARROW: LineMode = mode(Rate::Fast, Lanes::X2, Coding::Code64b66b);
pub const SLOW: LineMode = mode(Rate::Slow, Lanes::X4, Coding::Code8b10b);

pub fn modes() -> Vec<LineMode> {
    (0..64).filter_map(LineMode::from_bits).collect()
}

pub fn settings(session: u16) -> Settings {
    Settings {
        timeout: PERIOD,
        switch: Some(Switch {
            start: START,
            fast: true,
            blocks: true,
            tries: TRIES,
        }),
        ..common::settings(session, Outstanding::Four)
    }
}

/// Two ends with operations.
pub struct Link {
    pub pair: Pair,
    pub books: [Book; 2],
    /// Those over more than one lane.
    pub wide: [BTreeSet<u64>; 2],
    pub results: [Vec<Change>; 2],
    /// Of 256 steps those in which an end starts an operation.
    pub traffic: u32,
    pub number: u32,
}

impl Link {
    pub fn new() -> Self {
        Self::of([settings(5), settings(9)])
    }

    pub fn of(settings: [Settings; 2]) -> Self {
        let mut pair = Pair::of(settings, Coding::Code8b10b);
        let known = pattern(BYTES / 2, 77);
        for ram in &mut pair.ram {
            ram.bytes[BYTES / 2..].copy_from_slice(&known);
        }
        pair.until_up();
        Link {
            pair,
            books: Default::default(),
            wide: Default::default(),
            results: Default::default(),
            traffic: 0,
            number: 0,
        }
    }

    pub fn below(&mut self, limit: u32) -> u32 {
        self.pair.random.next_u32() % limit
    }

    pub fn mode(&self, end: usize) -> LineMode {
        self.pair.ends[end].line().expect("a mode").mode
    }

    pub fn is_busy(&self, end: usize) -> bool {
        self.pair.ends[end].line().expect("a mode").busy
    }

    pub fn step(&mut self) {
        assert!(self.pair.now < LIMIT, "it does not end: {:?}", self.results);
        for end in 0..2 {
            if self.traffic > 0 && self.below(256) < self.traffic {
                let lanes = Lanes::ALL[self.below(3) as usize];
                self.start(end, lanes);
            }
        }
        self.pair.step();
        for end in 0..2 {
            self.books[end].look(&mut self.pair.ends[end]);
            self.results[end].extend(std::iter::from_fn(|| self.pair.ends[end].changed()));
        }
    }

    pub fn steps(&mut self, steps: u64) {
        (0..steps).for_each(|_| self.step());
    }

    /// Starts a random operation with CRC, if the end takes it.
    pub fn start(&mut self, end: usize, lanes: Lanes) {
        let words = 1 + self.below(120);
        let operation = if self.below(3) == 0 {
            let address = READS + 8 * self.below(1000);
            Operation::Read { address, words }
        } else {
            self.number += 1;
            let at = BASE + 8 * self.below(1000);
            write(at, &numbered(self.number, 8 * words as usize))
        };
        let id = self.books[end].started.len() as u64;
        let taken = self.books[end].start(&mut self.pair.ends[end], operation, true, lanes);
        if taken && lanes != Lanes::X1 {
            self.wide[end].insert(id);
        }
    }

    /// A change from its question to its result.
    pub fn change(&mut self, end: usize, wanted: LineMode) -> Change {
        let before = self.results[end].len();
        self.pair.ends[end].ask(wanted).expect("a question");
        self.result(end, before)
    }

    /// The result of an end that comes behind `before` others.
    pub fn result(&mut self, end: usize, before: usize) -> Change {
        for _ in 0..2 * PATIENCE {
            self.step();
            if let Some(result) = self.results[end].get(before) {
                return *result;
            }
        }
        panic!("the change does not end");
    }

    /// Waits until both ends know each other in the same mode and all operations have ended; both
    /// go well then, over all lanes there are. Which mode it is.
    pub fn meet(&mut self) -> LineMode {
        self.traffic = 0;
        for _ in 0..4 * PATIENCE {
            self.step();
            let met = self.mode(0) == self.mode(1) && !self.is_busy(0) && !self.is_busy(1);
            let up = self.pair.ends.iter().all(Endpoint::is_up);
            if met && up && self.books.iter().all(Book::is_done) {
                let lanes = self.mode(0).lanes;
                (0..2).for_each(|end| self.start(end, lanes));
                while !self.books.iter().all(Book::is_done) {
                    self.step();
                }
                for book in &self.books {
                    let (_, last) = book.ended.last_key_value().expect("an operation");
                    assert!(last.is_ok(), "{last:?}");
                }
                self.steps(100);
                assert_eq!(self.mode(0), self.mode(1));
                return self.mode(0);
            }
        }
        panic!("they do not meet: {:?}", self.pair.ends);
    }

    /// An end is reset: what was under way is forgotten, all else is as it should be.
    pub fn reset(&mut self, end: usize, session: u16) {
        let mut book = std::mem::take(&mut self.books[end]);
        book.started.retain(|id, _| book.ended.contains_key(id));
        self.judge_end(end, &book, true);
        self.wide[end].clear();
        self.pair.reset(end, settings(session));
    }

    /// Every operation of both ends: executed once, in order, and the bytes are right. What fails
    /// needs more lanes than there are, or may fail. The number of those that ended well.
    pub fn judge(&self, may_fail: bool) -> usize {
        let books = (0..).zip(&self.books);
        books
            .map(|(end, book)| self.judge_end(end, book, may_fail))
            .sum()
    }

    fn judge_end(&self, end: usize, book: &Book, may_fail: bool) -> usize {
        let mut good = 0;
        self.pair.check(end, book, true);
        for (id, outcome) in &book.ended {
            let Err(failure) = outcome else {
                good += 1;
                continue;
            };
            if *failure == Failure::Lanes {
                assert!(self.wide[end].contains(id));
                if let (Operation::Write { data, .. }, _) = &book.started[id] {
                    let log = &self.pair.ram[1 - end].log;
                    assert!(log.iter().all(|(_, bytes)| bytes != data));
                }
            } else {
                assert!(may_fail, "{id} of {end}: {failure}");
            }
        }
        good
    }

    pub fn messages(&self, end: usize, message: Message) -> usize {
        let sent = self.pair.sent.iter();
        sent.filter(|(from, packet)| *from == end && says(packet) == Some(message))
            .count()
    }
}
