// SPDX-License-Identifier: Apache-2.0
//! Two ends of an SLink with one, two or four operations under way at each of them, over both line
//! codes: each ends as its own, and writes with CRC are executed once and in order.

#[path = "common/slink.rs"]
mod common;

use common::{BASE, BYTES, Pair, is_done, is_request, on, pattern, settings};
use rand_core::Rng;
use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::dissect::Coding;
use ropewalk_wire::slink::{Endpoint, Failure, Operation, Outstanding, StartError};
use std::collections::BTreeMap;

const CODINGS: [Coding; 2] = [Coding::Symbols, Coding::Blocks];
/// Nobody writes here; what is read is known.
const READS: u32 = BASE + BYTES as u32 / 2;

/// A write of `bytes` bytes whose first word is its number.
fn numbered(number: u32, bytes: usize) -> Vec<u8> {
    let mut data = pattern(bytes, number as u8);
    data[..4].copy_from_slice(&number.to_le_bytes());
    data
}

fn write(at: u32, data: &[u8]) -> Operation {
    Operation::Write {
        address: at,
        data: data.to_vec(),
    }
}

/// What an end has started, by the number that it gave, and how it ended.
#[derive(Default)]
struct Book {
    started: BTreeMap<u64, (Operation, bool)>,
    ended: BTreeMap<u64, Result<Vec<u8>, Failure>>,
    most: usize,
}

impl Book {
    fn start(&mut self, end: &mut Endpoint, operation: Operation, crc: bool, lanes: Lanes) -> bool {
        match end.start(operation.clone(), crc, lanes) {
            Ok(id) => {
                self.started.insert(id, (operation, crc));
                self.most = self.most.max(self.started.len() - self.ended.len());
                true
            }
            Err(StartError::Busy | StartError::Down) => false,
            Err(error) => panic!("{error}"),
        }
    }

    fn look(&mut self, end: &mut Endpoint) {
        while let Some((id, outcome)) = end.outcome() {
            assert!(self.started.contains_key(&id), "{id} was never started");
            assert!(self.ended.insert(id, outcome).is_none(), "{id} ended twice");
        }
    }

    fn is_done(&self) -> bool {
        self.started.len() == self.ended.len()
    }
}

impl Pair {
    /// Both ends go on until what they have started has ended.
    fn settle(&mut self, books: &mut [Book; 2]) {
        for _ in 0..4_000_000 {
            self.step();
            for (book, end) in books.iter_mut().zip(&mut self.ends) {
                book.look(end);
            }
            if books.iter().all(Book::is_done) && self.queue.iter().all(|it| it.is_empty()) {
                return self.steps(500);
            }
        }
        panic!("operations that do not end");
    }

    /// Every operation of an end has come to what it says it has, and writes with CRC were executed
    /// in the order of their starts.
    fn check(&self, end: usize, book: &Book, without_noise: bool) {
        let mut last = None;
        for (id, (operation, crc)) in &book.started {
            match operation {
                Operation::Read { address, words } => {
                    if let Ok(data) = &book.ended[id] {
                        let known = self.ram[1 - end].at(*address, 8 * *words as usize);
                        assert_eq!(data, known);
                    }
                }
                Operation::Write { address, data } => {
                    let first = &data[..data.len().min(2048)];
                    let log = self.ram[1 - end].log.iter().enumerate();
                    let found = log.filter(|(_, (at, bytes))| at == address && bytes == first);
                    let places: Vec<usize> = found.map(|(place, _)| place).collect();
                    assert!(places.len() <= 1, "{id} was executed twice");
                    if !crc {
                        assert!(places.len() == 1 || !without_noise, "{id} was lost");
                        continue;
                    }
                    assert!(
                        book.ended[id].is_err() || places.len() == 1,
                        "{id} was lost"
                    );
                    if let Some(&place) = places.first() {
                        assert!(last.is_none_or(|last| last < place), "{id} is out of order");
                        last = Some(place);
                    }
                }
            }
        }
    }
}

/// Random operations of both ends, as many at a time as they may be.
fn traffic(outstanding: Outstanding, coding: Coding, ber: f64, operations: usize) {
    let mut pair = Pair::with(outstanding, coding);
    pair.until_up();
    pair.ber = ber;
    let known = pattern(BYTES / 2, 77);
    for ram in &mut pair.ram {
        ram.bytes[BYTES / 2..].copy_from_slice(&known);
    }
    let mut books = [Book::default(), Book::default()];
    let mut number = 0;
    while books.iter().any(|book| book.started.len() < operations) {
        for (end, book) in books.iter_mut().enumerate() {
            let mut random = || pair.random.next_u32();
            if book.started.len() == operations || random() % 64 != 0 {
                continue;
            }
            let words = 1 + random() % 700;
            let lanes = Lanes::ALL[random() as usize % 3];
            // Nobody finds out what noise does to a read without a code.
            let crc = random() % 4 != 0 || (ber > 0.0 && random() % 2 == 0);
            let operation = if random() % 3 == 0 {
                let address = READS + 8 * (random() % 1000);
                Operation::Read { address, words }
            } else {
                number += 1;
                let at = BASE + 8 * (random() % 1000);
                write(at, &numbered(number, 8 * words as usize))
            };
            let crc = crc || (ber > 0.0 && matches!(operation, Operation::Read { .. }));
            book.start(&mut pair.ends[end], operation, crc, lanes);
        }
        pair.step();
        for (book, end) in books.iter_mut().zip(&mut pair.ends) {
            book.look(end);
        }
    }
    pair.settle(&mut books);
    let mut good = 0;
    for (end, book) in books.iter().enumerate() {
        assert_eq!(book.most, outstanding as usize);
        pair.check(end, book, ber == 0.0);
        good += book.ended.values().filter(|it| it.is_ok()).count();
    }
    let [a, b] = pair.counters();
    if ber == 0.0 {
        assert_eq!((good, a.retries + b.retries), (2 * operations, 0));
    }
    assert!(2 * good > operations, "{good} of {}", 2 * operations);
    println!("{outstanding:?} {coding:?} {ber:e}: {good} good, {a:?} {b:?}");
}

#[test]
fn each_ends_as_its_own() {
    for outstanding in Outstanding::ALL {
        for coding in CODINGS {
            traffic(outstanding, coding, 0.0, 120);
        }
    }
}

#[test]
fn over_noise_writes_are_executed_once_and_in_order() {
    for outstanding in Outstanding::ALL {
        for coding in CODINGS {
            for ber in [1e-6, 1e-5] {
                traffic(outstanding, coding, ber, 120);
            }
        }
    }
}

/// Four writes, of which packets get lost.
fn four_writes(change: impl FnOnce(&mut Pair)) -> (Pair, [Book; 2]) {
    let mut pair = Pair::with(Outstanding::Four, Coding::Symbols);
    pair.until_up();
    change(&mut pair);
    let mut books = [Book::default(), Book::default()];
    for number in 0..4 {
        let operation = write(BASE + 512 * number, &numbered(number, 512));
        assert!(books[0].start(&mut pair.ends[0], operation, true, Lanes::X1));
    }
    pair.settle(&mut books);
    (pair, books)
}

#[test]
fn any_requests_and_answers_may_get_lost_and_the_order_stays() {
    for lost in 0..16_u32 {
        for answers in [false, true] {
            let (pair, books) = four_writes(|pair| {
                let mut count = 0;
                pair.fault = Box::new(move |from, packet, words| {
                    let is_it = if answers { is_done } else { is_request };
                    if is_it(from, packet) {
                        if lost >> count & 1 != 0 {
                            words.clear();
                        }
                        count = (count + 1).min(31);
                    }
                });
            });
            pair.check(0, &books[0], true);
            assert!(books[0].ended.values().all(Result::is_ok));
            let repeated = pair.counters()[1].repeated > 0;
            assert_eq!(repeated, answers && lost != 0, "{lost:b}");
        }
    }
}

#[test]
fn a_damaged_write_comes_again_and_those_behind_it() {
    let (pair, books) = four_writes(|pair| {
        pair.fault = on(1, is_request, |words| common::change(words, 100));
    });
    pair.check(0, &books[0], true);
    // The one behind it was on its way, and was not taken.
    assert_eq!(pair.counters()[0].retries, 2);
    assert!(books[0].ended.values().all(Result::is_ok));
}

#[test]
fn one_that_is_refused_leaves_the_others_alone() {
    let mut pair = Pair::with(Outstanding::Four, Coding::Symbols);
    pair.until_up();
    let mut books = [Book::default(), Book::default()];
    for number in 0..4 {
        let at = if number == 1 {
            BASE - 512
        } else {
            BASE + 512 * number
        };
        let operation = write(at, &numbered(number, 512));
        assert!(books[0].start(&mut pair.ends[0], operation, true, Lanes::X1));
    }
    pair.settle(&mut books);
    let refused: Vec<bool> = books[0].ended.values().map(Result::is_err).collect();
    assert_eq!(refused, [false, true, false, false]);
    assert_eq!(books[0].ended[&1], Err(Failure::Refused));
    assert_eq!(pair.counters()[0].retries, 0);
}

/// A write without CRC outside the window is answered by nobody: its answer would be taken for one
/// to the next write, which has the number that it would have had.
#[test]
fn a_refusal_that_nobody_waits_for_does_not_meet_another_write() {
    for outstanding in Outstanding::ALL {
        let mut pair = Pair::with(outstanding, Coding::Symbols);
        pair.until_up();
        let mut books = [Book::default(), Book::default()];
        let outside = write(BASE - 64, &numbered(0, 64));
        assert!(books[0].start(&mut pair.ends[0], outside, false, Lanes::X1));
        while !books[0].is_done() {
            pair.step();
            books[0].look(&mut pair.ends[0]);
        }
        let inside = write(BASE, &numbered(1, 64));
        assert!(books[0].start(&mut pair.ends[0], inside, true, Lanes::X1));
        pair.settle(&mut books);
        assert_eq!(books[0].ended[&1], Ok(Vec::new()));
        assert_eq!(pair.counters()[1].refused, 1);
    }
}

#[test]
fn the_oldest_one_keeps_its_place_until_it_ends() {
    let mut pair = Pair::with(Outstanding::Two, Coding::Symbols);
    pair.until_up();
    pair.fault = on(3, is_request, Vec::clear);
    let mut books = [Book::default(), Book::default()];
    let read = |words| Operation::Read {
        address: READS,
        words,
    };
    let start =
        |book: &mut Book, end: &mut Endpoint, words| book.start(end, read(words), true, Lanes::X1);
    let [first, second] = &mut pair.ends;
    assert!(start(&mut books[0], first, 1) && start(&mut books[1], second, 3));
    assert!(start(&mut books[0], first, 2));
    assert!(!start(&mut books[0], first, 4));
    // The first three requests are lost. The read that is answered first is the first one again.
    pair.settle(&mut books);
    pair.check(0, &books[0], true);
    pair.fault = on(1, is_request, Vec::clear);
    let end = &mut pair.ends[0];
    assert!(start(&mut books[0], end, 5) && start(&mut books[0], end, 6));
    while !books[0].ended.contains_key(&3) {
        pair.step();
        books[0].look(&mut pair.ends[0]);
        assert!(!books[0].ended.contains_key(&2));
    }
    assert!(!start(&mut books[0], &mut pair.ends[0], 7));
    pair.settle(&mut books);
    assert!(start(&mut books[0], &mut pair.ends[0], 7));
}

#[test]
fn a_reset_is_told_to_those_that_were_sent_and_the_others_begin_in_the_new_session() {
    let mut pair = Pair::with(Outstanding::Four, Coding::Symbols);
    pair.until_up();
    let mut books = [Book::default(), Book::default()];
    for number in 0..4 {
        let operation = write(BASE + 8192 * number, &numbered(number, 8192));
        assert!(books[0].start(&mut pair.ends[0], operation, true, Lanes::X1));
    }
    // The second one is on its way.
    while pair
        .sent
        .iter()
        .filter(|(from, packet)| is_request(*from, packet))
        .count()
        < 2
    {
        pair.step();
    }
    books[0].look(&mut pair.ends[0]);
    assert!(books[0].ended.is_empty());
    pair.ends[1] = Endpoint::new(settings(77, Outstanding::Four));
    pair.settle(&mut books);
    let ended: Vec<_> = books[0].ended.values().cloned().collect();
    let reset = || Err(Failure::Reset);
    assert_eq!(ended, [reset(), reset(), Ok(Vec::new()), Ok(Vec::new())]);
    pair.check(0, &books[0], true);
}
