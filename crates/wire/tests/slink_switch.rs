// SPDX-License-Identifier: Apache-2.0
//! Two ends of an SLink change the mode of the line with operations of both under way: each row of
//! the table in `cores/slink/README.md`, "Change of the line's mode". No operation is cut, every
//! byte is compared, and in the end both ends are in the same mode.

#[path = "common/slink_changes.rs"]
mod changes;
#[path = "common/slink.rs"]
mod common;

use changes::{Link, NARROW, PATIENCE, PERIOD, SLOW, START, TRIES, mode, modes, settings};
use common::{BASE, Book, READS, is_request, numbered, on, says, write};
use rand_core::{Rng, SeedableRng};
use ropewalk_testkit::expect_file;
use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::endpoint::GAP;
use ropewalk_wire::slink::regs::{Change, Coding};
use ropewalk_wire::slink::{
    AskError, Endpoint, Failure, Greeting, Header, Item, Kind, LineMode, Matter, Message, Notice,
    Operation, Packet, Rate, Request, StartError, Switch,
};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

#[test]
fn any_mode_follows_any_other_one_and_no_operation_is_cut() {
    let mut link = Link::new();
    let mut now = START;
    let mut good = 0;
    for turn in 0..60 {
        link.traffic = [0, 1, 8, 200][turn % 4];
        let before = link.below(1500);
        link.steps(before.into());
        let all: Vec<_> = modes().into_iter().filter(|mode| *mode != now).collect();
        let wanted = all[link.below(all.len() as u32) as usize];
        let end = link.below(2) as usize;
        assert_eq!(link.change(end, wanted), Change::Done);
        assert_eq!(link.meet(), wanted);
        for end in 0..2 {
            assert_eq!(link.results[end].len(), turn + 1);
            assert_eq!(link.results[end][turn], Change::Done);
        }
        now = wanted;
        good = link.judge(false);
        assert_eq!(link.pair.counters().map(|it| it.retries), [0; 2]);
    }
    let sessions = link.pair.counters().map(|counters| counters.sessions);
    assert_eq!(sessions, [61, 61]);
    println!("{good} operations");
}

#[test]
fn what_an_end_does_not_have_is_refused_and_nothing_changes() {
    let able = |fast, blocks, lanes| {
        let start = LineMode { lanes, ..SLOW };
        let mut settings = settings(9);
        settings.switch = Some(Switch {
            start,
            fast,
            blocks,
            tries: TRIES,
        });
        settings
    };
    let slow = |lanes, coding| mode(Rate::Slow, lanes, coding);
    for lacking in 0..2 {
        for (fast, blocks, wanted) in [
            (false, true, START),
            (true, false, slow(Lanes::X4, Coding::Code64b66b)),
        ] {
            let mut ends = [(); 2].map(|()| able(true, true, Lanes::X4));
            ends[lacking] = able(fast, blocks, Lanes::X4);
            let mut link = Link::of(ends);
            link.traffic = 20;
            assert_eq!(link.change(0, wanted), Change::Refused);
            // This end asks nobody for what it does not have itself.
            let asked = link.messages(0, Message::Ask);
            assert_eq!(asked, usize::from(lacking == 1));
            assert_eq!(link.meet(), slow(Lanes::X4, Coding::Code8b10b));
            assert_eq!(link.results, [vec![Change::Refused], vec![]]);
            // What both have.
            let both = slow(Lanes::X1, Coding::Code8b10b);
            assert_eq!(link.change(1, both), Change::Done);
            assert_eq!(link.meet(), both);
            link.judge(false);
        }
    }
    let ends = [(); 2].map(|()| able(true, true, Lanes::X2));
    let mut link = Link::of(ends);
    let wide = slow(Lanes::X4, Coding::Code8b10b);
    assert_eq!(link.change(0, wide), Change::Refused);
    assert_eq!(link.meet().lanes, Lanes::X2);
}

#[test]
fn the_mode_in_which_both_are_is_done_at_once() {
    let mut link = Link::new();
    let sent = link.pair.sent.len();
    assert_eq!(link.change(0, START), Change::Done);
    link.steps(2 * PERIOD);
    assert_eq!(link.pair.sent.len(), sent);
    assert_eq!(link.meet(), START);
}

#[test]
fn without_an_answer_nothing_changes() {
    for (from, lost) in [(0, Message::Ask), (1, Message::Agree), (1, Message::Refuse)] {
        let mut ends = [settings(5), settings(9)];
        if lost == Message::Refuse {
            ends[1].switch.as_mut().expect("changes").blocks = false;
        }
        let mut link = Link::of(ends);
        link.pair.fault = Box::new(move |end, packet, words| {
            if end == from && says(packet) == Some(lost) {
                words.clear();
            }
        });
        let begun = link.pair.now;
        assert_eq!(link.change(0, NARROW), Change::Silent, "{lost:?}");
        // A question in each period; the answer to the last one may take as long.
        let asked = link.messages(0, Message::Ask) as u64;
        assert_eq!(asked, 2 * u64::from(TRIES));
        if lost == Message::Ask {
            let took = link.pair.now - begun;
            let limit = 2 * u64::from(TRIES) * PERIOD;
            assert!((limit..limit + 4).contains(&took), "{took}");
        }
        assert_eq!(link.meet(), START);
        assert_eq!(link.results, [vec![Change::Silent], vec![]]);
        link.judge(false);
        link.pair.fault = Box::new(|_, _, _| {});
        assert_eq!(link.change(1, SLOW), Change::Done);
        assert_eq!(link.meet(), SLOW);
    }
}

#[test]
fn an_end_that_does_not_know_the_question_goes_on_as_before() {
    let mut fixed = settings(9);
    fixed.switch = None;
    let mut link = Link::of([settings(5), fixed]);
    link.traffic = 30;
    link.steps(2 * PERIOD);
    link.pair.ends[0].ask(SLOW).expect("idle");
    // Data that arrive may keep an answer waiting, but not for ever.
    link.steps(PATIENCE);
    assert!(link.is_busy(0));
    assert_eq!(link.result(0, 0), Change::Silent);
    assert_eq!(link.mode(0), START);
    link.traffic = 0;
    link.steps(3 * PERIOD);
    assert!(link.books.iter().all(Book::is_done));
    assert!(link.judge(false) > 20);
    let [_, fixed] = &mut link.pair.ends;
    assert_eq!(fixed.line(), None);
    assert_eq!(fixed.changed(), None);
    assert_eq!(fixed.ask(SLOW), Err(AskError::Fixed));
    assert_eq!(link.pair.counters()[1].damaged, 0);
}

/// Some of the first messages of each kind, and of the hellos of each end, get lost or are damaged:
/// the change is done all the same.
#[test]
fn messages_may_get_lost_or_be_damaged() {
    let kinds = [Message::Ask, Message::Wait, Message::Agree].map(Some);
    let mut met = [0; 4];
    for (kind, met) in kinds.into_iter().chain([None]).zip(&mut met) {
        for case in 0..5 * 2 * 2 * 2 * 2 {
            let (which, damaged) = (case / 16, case % 2 == 0);
            // A mode has three periods to come up in, of which the first hello may have needed one.
            let times = 1 + case / 2 % 2 * usize::from(kind.is_some());
            let (asks, from) = (case / 4 % 2, case / 8 % 2);
            let mut link = Link::new();
            // The other end has a reason to wait: three requests get lost first.
            link.start(1 - asks, Lanes::X1);
            let (mut requests, mut seen) = (0, 0);
            let hits = Rc::new(Cell::new(0));
            let hit = hits.clone();
            link.pair.fault = Box::new(move |end, packet, words| {
                let hello = matches!(packet.header.kind, Kind::Notice(Notice::Hello { .. }));
                if is_request(end, packet) && requests < 3 {
                    requests += 1;
                    words.clear();
                } else if end == from && kind.map_or(hello, |kind| says(packet) == Some(kind)) {
                    if (which..which + times).contains(&seen) {
                        hit.set(hit.get() + 1);
                        match damaged {
                            true => common::change(words, 2),
                            false => words.clear(),
                        }
                    }
                    seen += 1;
                }
            });
            assert_eq!(link.change(asks, NARROW), Change::Done, "{kind:?} {case}");
            assert_eq!(link.meet(), NARROW);
            assert_eq!(link.results, [vec![Change::Done], vec![Change::Done]]);
            assert!(link.pair.now > 3 * PERIOD);
            link.judge(false);
            *met += hits.get();
        }
    }
    let [ask, wait, agree, hello] = met;
    assert!(ask > 30 && wait > 20 && agree > 5 && hello > 20, "{met:?}");
}

#[test]
fn a_mode_without_a_session_is_left_again() {
    fn two_lanes(mode: LineMode) -> bool {
        mode.lanes < Lanes::X4
    }
    fn symbols(mode: LineMode) -> bool {
        mode.coding == Coding::Code8b10b
    }
    fn slow(mode: LineMode) -> bool {
        mode.rate == Rate::Slow
    }
    let first = mode(Rate::Slow, Lanes::X1, Coding::Code8b10b);
    for (carries, wanted) in [
        (two_lanes as fn(_) -> _, SLOW),
        (symbols, mode(Rate::Slow, Lanes::X1, Coding::Code64b66b)),
        (slow, mode(Rate::Fast, Lanes::X1, Coding::Code8b10b)),
    ] {
        for ways in 1..4 {
            for end in 0..2 {
                let mut link = Link::new();
                assert_eq!(link.change(1, first), Change::Done);
                assert_eq!(link.meet(), first);
                link.pair.carries = [1, 2].map(|way| {
                    let whole: fn(_) -> _ = |_| true;
                    if ways & way != 0 { carries } else { whole }
                });
                link.traffic = 20;
                assert_eq!(link.change(end, wanted), Change::FellBack);
                assert_eq!(link.meet(), first);
                // The mode before is not that of the start, and both know how it went.
                let results = vec![Change::Done, Change::FellBack];
                assert_eq!(link.results, [results.clone(), results]);
                link.judge(false);
                link.pair.carries = [|_| true; 2];
                assert_eq!(link.change(end, wanted), Change::Done);
                assert_eq!(link.meet(), wanted);
            }
        }
    }
}

/// Both ask, one up to twice the way there and back behind the other end.
#[test]
fn both_ask_at_once() {
    for sessions in [[5, 9], [9, 5], [5, 5]] {
        for wanted in [[NARROW, NARROW], [NARROW, SLOW], [SLOW, NARROW]] {
            for late in 0..90 {
                for first in 0..2 {
                    let mut link = Link::of(sessions.map(settings));
                    link.traffic = [0, 20][late % 2];
                    link.pair.ends[first].ask(wanted[first]).expect("idle");
                    link.steps(late as u64);
                    let asked = link.pair.ends[1 - first].ask(wanted[1 - first]);
                    let got = link.result(first, 0);
                    let mode = link.meet();
                    for end in 0..2 {
                        let results = &link.results[end];
                        let last = *results.last().expect("a result");
                        // With equal sessions both fall silent, also who did not hear the question
                        // of the other end any more: it asks on when that one is back.
                        let again = sessions == [5, 5] && results[0] == Change::FellBack;
                        assert_eq!(results.len(), 1 + usize::from(again));
                        if wanted[end] == mode {
                            assert_eq!(last, Change::Done);
                        } else if end == first || asked.is_ok() {
                            assert_eq!(last, Change::Overruled, "{sessions:?} {wanted:?} {late}");
                        } else {
                            // It was about the change already.
                            assert_eq!((asked, last), (Err(AskError::Busy), Change::Done));
                        }
                    }
                    assert!(got != Change::Silent && got != Change::Refused);
                    if late == 0 {
                        let order = [0, 1].map(|end| (sessions[end], wanted[end].bits()));
                        assert_eq!(mode, wanted[usize::from(order[1] > order[0])]);
                    }
                    link.judge(false);
                }
            }
        }
    }
}

/// One end is reset at any time of a change: both come together in the mode of the start, or the
/// other one asks on.
#[test]
fn one_end_is_reset() {
    let mut modes = BTreeSet::new();
    for moment in (0..400).step_by(5) {
        for end in 0..2 {
            let mut link = Link::new();
            let wanted = [NARROW, SLOW][moment as usize / 5 % 2];
            link.pair.ends[0].ask(wanted).expect("idle");
            (0..2).for_each(|end| link.start(end, Lanes::X1));
            link.steps(moment);
            link.reset(end, 77);
            let met = link.meet();
            modes.insert(met.bits());
            assert!([START, wanted].contains(&met));
            link.judge(true);
            let next = mode(Rate::Slow, Lanes::X1, Coding::Code64b66b);
            assert_eq!(link.change(end, next), Change::Done);
            assert_eq!(link.meet(), next);
        }
    }
    assert!(modes.len() > 1, "{modes:?}");
}

#[test]
fn operations_over_more_lanes_than_there_are_are_refused_by_their_own_end() {
    let mut link = Link::new();
    assert_eq!(link.change(1, NARROW), Change::Done);
    link.meet();
    let read = |words| Operation::Read {
        address: READS,
        words,
    };
    let sent = link.pair.sent.len();
    let id = link.pair.ends[0].start(read(3), true, Lanes::X4);
    let outcome = link.pair.ends[0].outcome();
    assert_eq!(outcome, Some((id.expect("a number"), Err(Failure::Lanes))));
    link.steps(100);
    assert_eq!(link.pair.sent.len(), sent);

    // What is started during a change is kept until it has ended, and has the lanes of then.
    let mut link = Link::new();
    link.pair.ends[0].ask(NARROW).expect("idle");
    let mut places = [3, 3];
    while link.is_busy(0) || link.mode(1) == START {
        for (end, places) in places.iter_mut().enumerate() {
            if *places > 0 && link.is_busy(end) {
                *places -= 1;
                link.start(end, Lanes::ALL[*places]);
            }
        }
        assert!(link.books.iter().all(|book| book.ended.is_empty()));
        link.step();
    }
    assert_eq!(link.meet(), NARROW);
    for book in &link.books {
        let ended: Vec<_> = book.ended.values().map(|it| it.clone().err()).collect();
        assert_eq!(ended[..3], [Some(Failure::Lanes), None, None]);
    }
    assert_eq!(link.judge(false), 2 * 3);
    assert!(
        link.pair
            .sent
            .iter()
            .all(|(_, it)| !is_request(0, it) || it.header.lanes <= Lanes::X2)
    );

    // No more than there are places.
    link.pair.ends[0].ask(START).expect("idle");
    for _ in 0..4 {
        link.start(0, Lanes::X1);
    }
    let more = link.pair.ends[0].start(read(1), true, Lanes::X1);
    assert_eq!(more, Err(StartError::Busy));
    assert_eq!(link.meet(), START);
    link.judge(false);
}

/// The cable is pulled at any time of a change, in one direction or both, and plugged in again
/// sooner or later.
#[test]
fn the_cable_is_pulled() {
    let times = [
        30,
        300,
        u64::from(TRIES) * PERIOD,
        5 * u64::from(TRIES) * PERIOD,
    ];
    let mut results = BTreeSet::new();
    for moment in (0..400).step_by(9) {
        for (turn, time) in times.into_iter().enumerate() {
            let mut link = Link::new();
            let wanted = [NARROW, SLOW][turn % 2];
            link.pair.ends[0].ask(wanted).expect("idle");
            link.traffic = [0, 4][moment as usize % 2];
            link.steps(moment);
            let ways = 1 + link.below(3);
            link.pair.carries = [1, 2].map(|way| {
                let whole: fn(_) -> _ = |_| ways_off();
                if ways & way != 0 { whole } else { |_| true }
            });
            link.steps(time);
            link.pair.carries = [|_| true; 2];
            results.insert(link.result(0, 0) as u8);
            let met = link.meet();
            assert!([START, wanted].contains(&met));
            link.judge(true);
            if met != START {
                assert_eq!(link.change(1, START), Change::Done);
                assert_eq!(link.meet(), START);
            }
        }
    }
    // Before the silence there is no answer, behind it no session.
    for result in [Change::Done, Change::Silent, Change::FellBack] {
        assert!(results.contains(&(result as u8)), "{result:?}");
    }
}

const OTHER: LineMode = mode(Rate::Slow, Lanes::X1, Coding::Code8b10b);

const fn ways_off() -> bool {
    false
}

/// No session any more in a mode that was changed to: back in that of the start, each by itself;
/// also one that is heard all the time.
#[test]
fn the_last_way_out_is_the_mode_of_the_start() {
    for ways in 1..4 {
        for wanted in [NARROW, SLOW] {
            let mut link = Link::new();
            assert_eq!(link.change(0, wanted), Change::Done);
            assert_eq!(link.meet(), wanted);
            link.pair.carries = [1, 2].map(|way| {
                let whole: fn(_) -> _ = |_| ways_off();
                if ways & way != 0 { whole } else { |_| true }
            });
            let before = link.pair.now;
            let deaf = usize::from(ways & 1 != 0);
            while link.is_busy(deaf) || link.mode(deaf) == wanted {
                link.step();
            }
            let word = if wanted.rate == Rate::Slow { 2 } else { 1 };
            let lost = (2 * u64::from(TRIES) - 1) * PERIOD * word;
            assert!(link.pair.now - before > lost, "{}", link.pair.now - before);
            // Sooner, or later than a mode has to come up.
            link.steps([0, 3][ways / 2] * u64::from(TRIES) * PERIOD);
            link.pair.carries = [|_| true; 2];
            assert_eq!(link.meet(), START);
            for end in 0..2 {
                assert_eq!(link.results[end], [Change::Done, Change::Lost]);
            }
            // From here on it is the mode before.
            link.pair.carries = [|mode| mode != OTHER; 2];
            assert_eq!(link.change(1, OTHER), Change::FellBack);
            assert_eq!(link.meet(), START);
            link.judge(true);
        }
    }
    // A change is wanted, but an operation waits for a session that does not come in this mode:
    // this end hears its peer, which was reset and needs more lanes.
    let mut link = Link::new();
    let narrow = mode(Rate::Fast, Lanes::X2, Coding::Code8b10b);
    assert_eq!(link.change(0, narrow), Change::Done);
    assert_eq!(link.meet(), narrow);
    link.reset(1, 77);
    let sent = link.pair.sent.len();
    while link.pair.sent.len() == sent {
        link.step();
    }
    // Its hello arrives while the first one is sent.
    for at in [0, 2048, 4096] {
        let long = write(BASE + at, &numbered(at, 2048));
        assert!(link.books[0].start(&mut link.pair.ends[0], long, true, Lanes::X1));
    }
    while link.pair.ends[0].is_up() {
        link.step();
    }
    assert!(!link.books[0].is_done());
    assert_eq!(link.change(0, SLOW), Change::Lost);
    assert_eq!(link.meet(), START);
    link.judge(true);

    // A short loss is none, and what is under way is done.
    for ways in 1..4 {
        let mut link = Link::new();
        assert_eq!(link.change(0, NARROW), Change::Done);
        link.traffic = 20;
        link.steps(500);
        link.pair.carries = [1, 2].map(|way| {
            let whole: fn(_) -> _ = |_| ways_off();
            if ways & way != 0 { whole } else { |_| true }
        });
        link.steps(u64::from(TRIES) * PERIOD);
        link.pair.carries = [|_| true; 2];
        link.steps(3 * u64::from(TRIES) * PERIOD);
        assert_eq!(link.meet(), NARROW);
        assert!(link.results.iter().all(|all| *all == [Change::Done]));
        link.judge(false);
    }
}

/// An operation of the other end takes longer than questions are asked: it says so, and data that
/// arrive say so, too.
#[test]
fn a_long_operation_of_the_other_end_is_waited_for() {
    let patience = 2 * u64::from(TRIES) * PERIOD;
    for data in [true, false] {
        for asks in [false, true] {
            let mut link = Link::new();
            let end = if asks { 0 } else { 1 };
            // Four words of a lane for each of 8 bytes.
            let words = if data { patience as usize / 2 } else { 8 };
            let long = write(BASE, &numbered(1, 8 * words));
            if !data {
                let times = patience / PERIOD + 3;
                link.pair.fault = on(
                    times as u32,
                    move |from, it| from == end && is_request(from, it),
                    Vec::clear,
                );
            }
            let begun = link.pair.now;
            let book = &mut link.books[end];
            assert!(book.start(&mut link.pair.ends[end], long, true, Lanes::X1));
            link.steps(50);
            assert_eq!(link.change(0, SLOW), Change::Done);
            assert!(link.pair.now - begun > patience);
            assert_eq!(link.meet(), SLOW);
            link.judge(false);
        }
    }
}

/// How long the line is silent, and how long an end waits in the new mode.
#[test]
fn silence_and_patience_have_their_length() {
    let mut link = Link::new();
    link.pair.ends[0].ask(SLOW).expect("idle");
    let wait = |link: &mut Link, silent| {
        let begun = link.pair.now;
        while link.pair.ends[0].line().expect("a mode").silent != silent {
            link.step();
        }
        link.pair.now - begun
    };
    wait(&mut link, true);
    assert!(link.pair.ends[0].line().expect("a mode").mode == SLOW);
    assert_eq!(link.meet(), SLOW);
    // As in slink_switch.
    assert_eq!((link.pair.silent, GAP), ([GAP; 2], 512));

    link.pair.carries = [|mode| mode == SLOW; 2];
    link.pair.ends[0].ask(START).expect("idle");
    wait(&mut link, true);
    wait(&mut link, false);
    assert_eq!(wait(&mut link, true), u64::from(TRIES) * PERIOD);
    assert_eq!(link.meet(), SLOW);
    assert_eq!(link.results[0], [Change::Done, Change::FellBack]);
}

/// What an end says to this notice.
fn said(end: &mut Endpoint, now: u64, notice: Notice) -> Option<Header> {
    let header = Header {
        request: Request::Write,
        kind: Kind::Notice(notice),
        crc: true,
        lanes: Lanes::X1,
        words: 1,
        sequence: 0,
    };
    end.receive(Item::Header(header), &mut common::Ram::new());
    end.receive(Item::End { clean: true }, &mut common::Ram::new());
    end.tick(now);
    end.transmit(now).map(|packet: Packet| packet.header)
}

/// Messages count only with the sessions of both ends, and what no end can have is refused with
/// the bits that came.
#[test]
fn messages_are_of_the_session_of_both_ends() {
    let mut end = Endpoint::new(settings(5));
    end.set_aligned(true);
    let hello = Notice::Hello {
        own: 0x123,
        echo: 5,
        greeting: Greeting::Up,
    };
    said(&mut end, 0, hello);
    assert!(end.is_up() && said(&mut end, 1, hello).is_none());
    let change = |own, echo, message, number, line| Notice::Change {
        own,
        echo,
        message,
        matter: Matter { number, line },
    };
    let ask = |own, echo, line| change(own, echo, Message::Ask, 7, line);
    let line = NARROW.bits();
    for (own, echo) in [(0x123, 4), (0x122, 5), (5, 0x123), (0, 0)] {
        assert_eq!(said(&mut end, 2, ask(own, echo, line)), None);
    }
    let notice = |header: Option<Header>| match header.expect("an answer").kind {
        Kind::Notice(notice) => notice,
        other => panic!("{other:?}"),
    };
    for line in (0..64).filter(|line| LineMode::from_bits(*line).is_none()) {
        let refuse = change(5, 0x123, Message::Refuse, 7, line);
        assert_eq!(notice(said(&mut end, 3, ask(0x123, 5, line))), refuse);
    }
    assert!(!end.line().expect("a mode").busy);
    let agree = change(5, 0x123, Message::Agree, 7, line);
    assert_eq!(notice(said(&mut end, 4, ask(0x123, 5, line))), agree);
    // A refusal in between leaves the answer that is due.
    let odd = ask(0x123, 5, 0);
    let mut again = said(&mut end, 5, odd).expect("a refusal");
    again.kind = Kind::Notice(ask(0x123, 5, line));
    end.receive(Item::Header(again), &mut common::Ram::new());
    let refuse = change(5, 0x123, Message::Refuse, 7, 0);
    assert_eq!(notice(said(&mut end, 6, odd)), refuse);
    assert_eq!(notice(end.transmit(6).map(|it| it.header)), agree);

    // Answers to another question than the last one are none.
    let mut end = Endpoint::new(settings(5));
    end.set_aligned(true);
    said(&mut end, 0, hello);
    end.ask(START).expect("idle");
    end.ask(NARROW).expect("idle");
    assert_eq!(end.ask(SLOW), Err(AskError::Busy));
    end.tick(1);
    let mine = change(5, 0x123, Message::Ask, 2, line);
    assert_eq!(notice(end.transmit(1).map(|it| it.header)), mine);
    for (message, number, line) in [
        (Message::Agree, 1, line),
        (Message::Agree, 2, SLOW.bits()),
        (Message::Refuse, 3, line),
        (Message::Refuse, 2, START.bits()),
    ] {
        assert_eq!(
            said(&mut end, 2, change(0x123, 5, message, number, line)),
            None
        );
        assert!(end.line().is_some_and(|line| line.busy && !line.silent));
    }
    assert_eq!(end.changed(), Some(Change::Done));
    assert_eq!(
        said(&mut end, 3, change(0x123, 5, Message::Agree, 2, line)),
        None
    );
    assert!(
        end.line()
            .is_some_and(|line| line.silent && line.mode == NARROW)
    );
    // In the new session this end has not heard its peer, whose old number it knows. What is
    // started meanwhile is kept.
    let over = 3 + GAP;
    for now in 4..over {
        end.tick(now);
        assert!(end.line().is_some_and(|line| line.silent));
        assert_eq!(end.transmit(now), None);
    }
    end.tick(over);
    assert!(!end.is_up());
    let read = Operation::Read {
        address: READS,
        words: 1,
    };
    assert_eq!(end.start(read, true, Lanes::X1), Ok(0));
    let first = Notice::Hello {
        own: 6,
        echo: 0x123,
        greeting: Greeting::First,
    };
    let said = end.transmit(over).map(|it| it.header);
    assert_eq!(notice(said), first);
    assert_eq!(end.transmit(over), None);
}

/// Changes of both ends at random among operations of both; packets get lost, lanes are pulled,
/// ends are reset. Every operation is done, once, or its end hears why not; in the end both meet.
#[test]
fn over_losses_every_operation_is_done_or_told_and_the_ends_meet() {
    let mut results = [0_u32; 7];
    let mut all = 0;
    for run in 0..24 {
        let mut link = Link::new();
        all += changes_over_losses(&mut link, run);
        for result in link.results.iter().flatten() {
            results[*result as usize] += 1;
        }
    }
    println!("{all} operations; results of changes, none first: {results:?}");
    assert!(results[Change::Done as usize] > 50, "{results:?}");
}

#[test]
fn packets_and_changes_are_what_was_recorded() {
    let mut rows = String::new();
    for run in 0..24 {
        let mut link = Link::new();
        link.pair.random = SeedableRng::seed_from_u64(run as u64);
        changes_over_losses(&mut link, run);
        rows += &format!("{run} {}  {:?}\n", link.pair.done(), link.results);
    }
    expect_file!["recorded/slink_changes.txt"].assert_eq(&rows);
}

/// A run; its operations.
fn changes_over_losses(link: &mut Link, run: usize) -> usize {
    let (loss, ber) = [(0, 0.0), (40, 0.0), (0, 2e-6), (10, 1e-6)][run % 4];
    let mut random = link.pair.random.next_u32() | 1;
    link.pair.fault = Box::new(move |_, _, words| {
        random = random.wrapping_mul(0x9e37_79b1).rotate_left(13) ^ 0x55;
        if random % 256 < loss {
            words.clear();
        }
    });
    link.pair.ber = ber;
    link.traffic = 10;
    let mut told = loss > 0 || ber > 0.0;
    for turn in 0..12 {
        let mode = modes()[link.below(12) as usize];
        let end = link.below(2) as usize;
        let _ = link.pair.ends[end].ask(mode);
        let steps = link.below(4000);
        link.steps(steps.into());
        match (run % 3, link.below(6)) {
            (1, 0) => {
                let end = link.below(2) as usize;
                link.reset(end, 100 + turn);
                told = true;
            }
            (2, 0) => {
                link.pair.carries = [|_| ways_off(); 2];
                let steps = link.below(20_000);
                link.steps(steps.into());
                link.pair.carries = [|_| true; 2];
                told = true;
            }
            _ => {}
        }
    }
    link.pair.fault = Box::new(|_, _, _| {});
    link.pair.ber = 0.0;
    link.meet();
    link.judge(told)
}
