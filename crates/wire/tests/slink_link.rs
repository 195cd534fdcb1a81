// SPDX-License-Identifier: Apache-2.0
//! Two ends of an SLink with one operation at a time: every way in which it can go wrong.

#[path = "common/slink.rs"]
mod common;

use common::{
    BASE, BYTES, Pair, RETRIES, Ram, TIMEOUT, change, is_data, is_done, is_request, on, pattern,
    settings,
};
use rand_core::Rng;
use ropewalk_wire::line::Lanes;
use ropewalk_wire::line::stripe::{LANES, SYMBOLS};
use ropewalk_wire::slink::frame::HLD;
use ropewalk_wire::slink::{
    Endpoint, Failure, Kind, Notice, Operation, Outstanding, Request, StartError,
};

#[test]
fn all_modes_carry_all_sizes() {
    let mut pair = Pair::up();
    for lanes in Lanes::ALL {
        for crc in [false, true] {
            for bytes in [8, 16, 504, 512, 4096] {
                let data = pattern(bytes, lanes as u8);
                pair.write(0, 512, &data, crc, lanes);
                assert_eq!(pair.outcome(0), Ok(Vec::new()));
                pair.steps(3000);
                assert_eq!(pair.ram[1].at(BASE + 512, bytes), data);
                pair.read(0, 512, bytes as u32 / 8, crc, lanes);
                assert_eq!(pair.outcome(0), Ok(data));
            }
        }
    }
    let counters = pair.counters();
    assert_eq!(counters[0].retries + counters[1].damaged, 0);
}

#[test]
fn an_answer_that_is_lost_or_damaged_is_asked_for_again_and_nothing_is_written_twice() {
    for times in [1, 2, u32::from(RETRIES)] {
        let mut pair = Pair::up();
        pair.fault = on(times, is_done, Vec::clear);
        pair.write_is_executed_once(512, Lanes::X2);
        assert_eq!(pair.counters()[0].retries, u64::from(times));
        assert_eq!(pair.counters()[1].repeated, u64::from(times));
    }
    let mut pair = Pair::up();
    pair.fault = on(3, is_done, |words| change(words, 2));
    pair.write_is_executed_once(512, Lanes::X1);
}

#[test]
fn a_repeated_write_does_not_undo_what_was_written_in_between() {
    let mut pair = Pair::up();
    pair.fault = on(1, is_done, Vec::clear);
    pair.write(0, 0, &pattern(64, 1), true, Lanes::X1);
    while pair.ram[1].writes.is_empty() {
        pair.step();
    }
    let local = pattern(64, 99);
    pair.ram[1].bytes[..64].copy_from_slice(&local);
    assert_eq!(pair.outcome(0), Ok(Vec::new()));
    assert_eq!(pair.ram[1].at(BASE, 64), local);
}

#[test]
fn damaged_blocks_are_sent_again_and_good_ones_not_written_again() {
    // The third block of four.
    for at in [3 + 2048 + 1, 100] {
        let mut pair = Pair::up();
        pair.fault = on(1, is_request, move |words| change(words, at));
        pair.write_is_executed_once(8192, Lanes::X1);
        assert_eq!(pair.counters()[0].retries, 1);
    }
}

#[test]
fn read_data_that_arrive_damaged_are_read_again() {
    let mut pair = Pair::up();
    let data = pattern(4096, 7);
    pair.ram[1].bytes[..4096].copy_from_slice(&data);
    pair.fault = on(2, is_data, |words| change(words, 1500));
    pair.read(0, 0, 512, true, Lanes::X1);
    assert_eq!(pair.outcome(0), Ok(data));
    // All of the data, of one reading.
    assert_eq!(pair.ram[1].reads, 3);

    // Its second block is damaged, and what is read is another by then.
    pair.fault = on(1, is_data, |words| change(words, 1500));
    pair.read(0, 0, 512, true, Lanes::X1);
    let damaged = pair.counters()[0].damaged;
    while pair.counters()[0].damaged == damaged {
        pair.step();
    }
    let data = pattern(4096, 8);
    pair.ram[1].bytes[..4096].copy_from_slice(&data);
    assert_eq!(pair.outcome(0), Ok(data));
}

#[test]
fn a_request_that_is_lost_or_damaged_comes_again() {
    for crc in [false, true] {
        let mut pair = Pair::up();
        let data = pattern(64, 2);
        pair.ram[1].bytes[..64].copy_from_slice(&data);
        pair.fault = on(2, is_request, |words| change(words, 2));
        pair.read(0, 0, 8, crc, Lanes::X1);
        assert_eq!(pair.outcome(0), Ok(data));
        assert_eq!(pair.counters()[0].retries, 2);
        assert_eq!(pair.ram[1].reads, 1);
    }
}

#[test]
fn every_word_of_a_packet_may_get_lost_or_come_twice() {
    for lanes in Lanes::ALL {
        let mut pair = Pair::up();
        pair.write(0, 64, &pattern(64, 3), true, lanes);
        pair.outcome(0).expect("a write");
        let whole = pair
            .sent
            .iter()
            .find(|(_, packet)| packet.header.has_data());
        let words = whole.expect("the write").1.words().len();
        for at in 0..words {
            for twice in [false, true] {
                let mut pair = Pair::up();
                pair.fault = on(1, is_request, move |words| {
                    let word = words.remove(at);
                    if twice {
                        words.splice(at..at, [word, word]);
                    }
                });
                pair.write_is_executed_once(64, lanes);
            }
        }
    }
}

#[test]
fn without_crc_a_damaged_header_writes_nowhere() {
    let mut pair = Pair::up();
    pair.fault = on(1, is_request, |words| change(words, 4));
    pair.write(0, 0, &pattern(64, 3), false, Lanes::X1);
    assert_eq!(pair.outcome(0), Ok(Vec::new()));
    pair.steps(500);
    assert!(pair.ram[1].writes.is_empty());
    assert_eq!(pair.counters()[1].damaged, 1);
}

#[test]
fn addresses_outside_the_window_are_refused() {
    let end = BYTES as u32;
    for crc in [false, true] {
        for offset in [0u32.wrapping_sub(8), end - 8, end, 0u32.wrapping_sub(BASE)] {
            let mut pair = Pair::up();
            let address = BASE.wrapping_add(offset);
            let data = pattern(16, 1);
            let write = Operation::Write { address, data };
            pair.ends[0].start(write, crc, Lanes::X1).expect("a start");
            let outcome = pair.outcome(0);
            assert_eq!(
                outcome,
                if crc {
                    Err(Failure::Refused)
                } else {
                    Ok(Vec::new())
                }
            );
            pair.steps(200);
            let read = Operation::Read { address, words: 2 };
            pair.ends[0].start(read, crc, Lanes::X1).expect("a start");
            assert_eq!(pair.outcome(0), Err(Failure::Refused));
            assert!(pair.ram[1].writes.is_empty());
            assert_eq!(pair.ram[1].reads, 0);
            assert_eq!(pair.counters()[1].refused, 2);
        }
    }
}

#[test]
fn both_ends_may_start_at_once() {
    for request in [Request::Write, Request::Read] {
        let mut pair = Pair::up();
        let data = [pattern(1024, 1), pattern(1024, 2)];
        for (end, data) in data.iter().enumerate() {
            match request {
                Request::Write => pair.write(end, 0, data, true, Lanes::X4),
                Request::Read => {
                    pair.ram[1 - end].bytes[..1024].copy_from_slice(data);
                    pair.read(end, 0, 128, true, Lanes::X4);
                }
            }
        }
        let mut outcomes = [None, None];
        for _ in 0..20_000 {
            pair.step();
            for (outcome, end) in outcomes.iter_mut().zip(&mut pair.ends) {
                *outcome = outcome.take().or_else(|| Some(end.outcome()?.1));
            }
        }
        for (end, data) in data.iter().enumerate() {
            let want = match request {
                Request::Write => Vec::new(),
                Request::Read => data.clone(),
            };
            assert_eq!(outcomes[end], Some(Ok(want)));
            assert_eq!(pair.ram[1 - end].at(BASE, 1024), data);
        }
    }
}

#[test]
fn operations_begin_one_after_the_other_and_only_if_they_are_some() {
    let mut pair = Pair::new();
    let read = |address, words| Operation::Read { address, words };
    let start = |pair: &mut Pair, operation| pair.ends[0].start(operation, true, Lanes::X1);
    assert_eq!(start(&mut pair, read(BASE, 1)), Err(StartError::Down));
    pair.until_up();
    assert_eq!(start(&mut pair, read(4, 1)), Err(StartError::Address(4)));
    assert_eq!(start(&mut pair, read(0, 0)), Err(StartError::Length(0)));
    assert_eq!(
        start(&mut pair, read(0, 65_537)),
        Err(StartError::Length(524_296))
    );
    let odd = Operation::Write {
        address: 0,
        data: vec![0; 12],
    };
    assert_eq!(start(&mut pair, odd), Err(StartError::Length(12)));
    assert_eq!(start(&mut pair, read(BASE, 1)), Ok(0));
    assert_eq!(start(&mut pair, read(BASE, 1)), Err(StartError::Busy));
}

#[test]
fn a_line_that_is_dead_is_told_and_the_next_session_works() {
    let mut pair = Pair::up();
    let tries = u32::from(RETRIES) + 1;
    pair.fault = on(tries, |from, _| from == 0, Vec::clear);
    pair.write(0, 0, &pattern(64, 1), true, Lanes::X1);
    assert_eq!(pair.outcome(0), Err(Failure::TimedOut));
    pair.until_up();
    assert_eq!(pair.counters().map(|counters| counters.sessions), [2, 2]);
    pair.write_is_executed_once(64, Lanes::X1);

    // The answer says each time that the packet is damaged.
    let mut pair = Pair::up();
    pair.fault = on(
        tries,
        |from, packet| from == 0 && packet.header.has_data(),
        |words| {
            change(words, 10);
        },
    );
    pair.write(0, 0, &pattern(64, 1), true, Lanes::X1);
    assert_eq!(pair.outcome(0), Err(Failure::RetriesExhausted));
    assert!(pair.ram[1].writes.is_empty());
}

#[test]
fn a_reset_of_one_end_is_told_to_the_other_and_its_numbers_begin_anew() {
    // After any number of operations: the first one of the new session has number 0 as the first
    // one of the old.
    for before in [0, 1, 2, 16] {
        for reset in 0..2 {
            let mut pair = Pair::up();
            for i in 0..before {
                pair.write(0, 8 * i, &pattern(8, i as u8), true, Lanes::X1);
                pair.outcome(0).expect("a write");
            }
            pair.write(0, 1024, &pattern(2048, 1), true, Lanes::X1);
            pair.steps(300);
            // Another number, or the one that it had.
            let session = if before == 1 { 5 } else { 77 };
            pair.ends[reset] = Endpoint::new(settings(session, Outstanding::One));
            if reset == 1 {
                assert_eq!(pair.outcome(0), Err(Failure::Reset));
            }
            pair.until_up();
            pair.ram[1] = Ram::new();
            pair.write_is_executed_once(64, Lanes::X1);
        }
    }
}

#[test]
fn hellos_get_lost_too() {
    for which in 0..6 {
        let mut count = 0;
        let mut pair = Pair::new();
        pair.fault = Box::new(move |_, packet, words| {
            if matches!(packet.header.kind, Kind::Notice(Notice::Hello { .. })) {
                if count == which {
                    words.clear();
                }
                count += 1;
            }
        });
        pair.until_up();
        pair.write_is_executed_once(64, Lanes::X1);
    }
}

#[test]
fn over_noise_every_operation_is_right_or_told_and_none_is_executed_twice() {
    let mut pair = Pair::up();
    let mut good = 0;
    for (ber, operations) in [(1e-5, 40), (1e-4, 60)] {
        for _ in 0..operations {
            pair.ber = 0.0;
            pair.until_up();
            pair.ber = ber;
            pair.ram[1].writes.clear();
            let lanes = Lanes::ALL[(pair.random.next_u32() % 3) as usize];
            let bytes = 8 * (1 + pair.random.next_u32() as usize % 128);
            let offset = 8 * (pair.random.next_u32() % 4096);
            let data = pattern(bytes, pair.random.next_u32() as u8);
            let read = pair.random.next_u32().is_multiple_of(2);
            if read {
                pair.ram[1].bytes[offset as usize..][..bytes].copy_from_slice(&data);
                pair.read(0, offset, bytes as u32 / 8, true, lanes);
            } else {
                pair.write(0, offset, &data, true, lanes);
            }
            let outcome = pair.outcome(0);
            let writes = &pair.ram[1].writes;
            assert!(writes.values().all(|&count| count == 1), "executed twice");
            let inside = |&word: &u32| {
                (BASE + offset..)
                    .step_by(8)
                    .take(bytes / 8)
                    .any(|w| w == word)
            };
            assert!(writes.keys().all(inside), "written elsewhere");
            match outcome {
                Ok(got) if read => assert_eq!(got, data),
                Ok(_) => assert_eq!(pair.ram[1].at(BASE + offset, bytes), data),
                Err(_) => continue,
            }
            good += 1;
        }
    }
    assert!(good > 50, "{good} of 100");
    assert!(pair.counters()[1].damaged > 0);
}

#[test]
fn an_end_whose_peer_has_a_slow_memory_waits() {
    let mut pair = Pair::up();
    let mut random = pair.random.clone();
    let hold = [[HLD; SYMBOLS]; LANES];
    // Within packets of the other direction, and between them: of no packet, and nothing is lost.
    for turn in 0..40 {
        for from in 0..2 {
            let at = random.next_u64() as usize % (pair.queue[from].len() + 1);
            pair.queue[from].insert(at, hold);
        }
        if turn % 10 == 0 {
            let data = pattern(256, turn as u8);
            pair.write(0, 64, &data, true, Lanes::X2);
            assert_eq!(pair.outcome(0), Ok(Vec::new()));
            pair.read(0, 64, 32, true, Lanes::X1);
            assert_eq!(pair.outcome(0), Ok(data));
        }
    }
    assert_eq!(pair.counters()[0].retries + pair.counters()[1].damaged, 0);
    // No data begin while it holds, and a time-out does not count: it is longer than an operation
    // may take without.
    pair.steps(200);
    pair.write(0, 64, &pattern(64, 7), true, Lanes::X1);
    for _ in 0..3 * TIMEOUT as usize / 50 {
        pair.arrive(1, &hold);
        pair.steps(50);
    }
    assert!(pair.ends[0].is_busy() && pair.queue[0].is_empty());
    assert_eq!(pair.outcome(0), Ok(Vec::new()));
    // The answer is late, and the other end says that it is.
    pair.fault = on(1, is_done, Vec::clear);
    pair.write(0, 64, &pattern(64, 8), true, Lanes::X1);
    pair.steps(200);
    for _ in 0..3 * TIMEOUT as usize / 50 {
        pair.arrive(1, &hold);
        pair.steps(50);
    }
    assert_eq!(pair.counters()[0].retries, 0);
    assert_eq!(pair.outcome(0), Ok(Vec::new()));
    assert_eq!(pair.counters()[0].retries, 1);
}
