// SPDX-License-Identifier: Apache-2.0
//! Two ends of an SLink with one, two or four operations under way at each of them, over both line
//! codes: each ends as its own, and writes with CRC are executed once and in order.

#[path = "common/slink.rs"]
mod common;

use common::{
    BASE, BYTES, Book, Pair, READS, RETRIES, TIMEOUT, is_done, is_request, numbered, on, pattern,
    settings, write,
};
use rand_core::{Rng, SeedableRng};
use ropewalk_testkit::expect_file;
use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::regs::Coding;
use ropewalk_wire::slink::{Endpoint, Failure, Operation, Outstanding};

/// Random operations of both ends, as many at a time as they may be.
fn traffic(outstanding: Outstanding, coding: Coding, ber: f64, operations: usize) {
    let pair = Pair::with(outstanding, coding);
    of_pair(pair, (outstanding, coding), ber, operations);
}

fn of_pair(
    mut pair: Pair,
    (outstanding, coding): (Outstanding, Coding),
    ber: f64,
    operations: usize,
) -> Pair {
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
    pair
}

#[test]
fn packets_and_writes_are_what_was_recorded() {
    let mut rows = String::new();
    for outstanding in Outstanding::ALL {
        for coding in Coding::ALL.iter().copied() {
            for (seed, ber) in (0..).zip([0.0, 2e-6, 1e-5]) {
                let mut pair = Pair::with(outstanding, coding);
                pair.random = SeedableRng::seed_from_u64(seed);
                let pair = of_pair(pair, (outstanding, coding), ber, 60);
                rows += &format!("{outstanding:?} {coding:?} {ber:e} {}", pair.done());
            }
        }
    }
    expect_file!["recorded/slink.txt"].assert_eq(&rows);
}

#[test]
fn each_ends_as_its_own() {
    for outstanding in Outstanding::ALL {
        for coding in Coding::ALL.iter().copied() {
            traffic(outstanding, coding, 0.0, 120);
        }
    }
}

#[test]
fn over_noise_writes_are_executed_once_and_in_order() {
    for outstanding in Outstanding::ALL {
        for coding in Coding::ALL.iter().copied() {
            for ber in [1e-6, 1e-5] {
                traffic(outstanding, coding, ber, 120);
            }
        }
    }
}

/// Four writes, of which packets get lost.
fn four_writes(change: impl FnOnce(&mut Pair)) -> (Pair, [Book; 2]) {
    let mut pair = Pair::with(Outstanding::Four, Coding::Code8b10b);
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
    let mut pair = Pair::with(Outstanding::Four, Coding::Code8b10b);
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
        let mut pair = Pair::with(outstanding, Coding::Code8b10b);
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
    let mut pair = Pair::with(Outstanding::Two, Coding::Code8b10b);
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
    let mut pair = Pair::with(Outstanding::Four, Coding::Code8b10b);
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

/// An operation that waits for a session which does not come ends as any other that nobody answers;
/// one whose session comes before that begins in it, and was sent once.
#[test]
fn one_that_was_not_sent_waits_for_a_session_as_long_as_for_an_answer() {
    for heals in [Some(5), None] {
        let mut pair = Pair::with(Outstanding::Two, Coding::Code8b10b);
        pair.until_up();
        pair.write(0, 0, &pattern(4096, 1), true, Lanes::X1);
        pair.write(0, 8192, &pattern(64, 2), true, Lanes::X1);
        pair.steps(300);
        // Its first hello is the last that is heard of it.
        pair.ends[1] = Endpoint::new(settings(77, Outstanding::Two));
        let mut hellos = 0;
        pair.fault = Box::new(move |from, _, words| {
            hellos += u32::from(from == 1);
            if hellos > 1 || from == 0 {
                words.clear();
            }
        });
        assert_eq!(pair.outcome(0), Err(Failure::Reset));
        let begun = pair.now;
        if let Some(timeouts) = heals {
            pair.steps(timeouts * TIMEOUT as usize);
            assert!(pair.ends[0].is_busy());
            pair.fault = Box::new(|_, _, _| {});
            assert_eq!(pair.outcome(0), Ok(Vec::new()));
            let (at, data) = &pair.ram[1].log[0];
            assert_eq!((*at, &data[..]), (BASE + 8192, &pattern(64, 2)[..]));
        } else {
            assert_eq!(pair.outcome(0), Err(Failure::TimedOut));
            // Each timeout begins with the look at the time behind the one before.
            let (took, tries) = (pair.now - begun, u64::from(RETRIES) + 1);
            let wanted = TIMEOUT * tries..=(TIMEOUT + 1) * tries + 1;
            assert!(wanted.contains(&took), "{took}, not {wanted:?}");
            assert!(pair.ram[1].writes.is_empty());
            // And the link comes back.
            pair.fault = Box::new(|_, _, _| {});
            pair.until_up();
            pair.write_is_executed_once(64, Lanes::X1);
        }
        assert_eq!(pair.counters()[0].retries, 0);
    }
}
