// SPDX-License-Identifier: Apache-2.0

use super::super::report::{LEAST_BITMAP, Report, least};
use super::*;

/// Where a report holds one chunk of three, they take turns.
#[test]
fn reports_that_cannot_hold_all_go_round() {
    let params = Params {
        chunks: 3,
        ..Params::PAPER
    };
    let mut acks = AckGenerator::new(params, AckTimer::default(), 7);
    for chunk in 7..10 {
        let sub = SubHeader {
            chunk,
            number: 0,
            length: params.payload,
            last: false,
            round: 0,
        };
        assert_eq!(acks.usable(Duration::ZERO, &sub), Use::New);
    }
    let (now, mut order) = (Duration::ZERO, Vec::new());
    let limit = least(1) - LEAST_BITMAP + 1;
    for _ in 0..5 {
        let mut body = Vec::new();
        acks.ask();
        assert!(acks.poll_report(now, now, limit, [Heard::default()].into_iter(), &mut body));
        let report = Report::parse(&body).unwrap();
        assert!(!report.summary.whole);
        order.extend(report.sections().map(|section| section.chunk));
    }
    assert_eq!(order, [7, 8, 9, 7, 8]);
}

/// The end is announced as soon as all is sent: what is on its way still comes, and nothing beyond.
#[test]
fn the_end_is_told_before_all_is_there() {
    let params = Params::PAPER;
    let mut acks = AckGenerator::new(params, AckTimer::default(), 7);
    let only = |chunk| SubHeader {
        chunk,
        number: 0,
        length: params.payload,
        last: true,
        round: 0,
    };
    for wrong in [6, 7 + u32::from(params.chunks) + 1, 7 + (1 << 31)] {
        assert!(!acks.fin(wrong), "{wrong}");
    }
    assert_eq!(acks.usable(Duration::ZERO, &only(8)), Use::New);
    // A chunk has come that would be beyond it.
    assert!(!acks.fin(8));
    assert!(acks.fin(9) && !acks.is_finished());
    assert!(!acks.fin(10));
    assert_eq!(acks.usable(Duration::ZERO, &only(9)), Use::Elsewhere);
    assert_eq!(acks.usable(Duration::ZERO, &only(7)), Use::New);
    assert!(acks.is_finished());
    assert!(acks.fin(9) && !acks.fin(10));
    assert_eq!(acks.usable(Duration::ZERO, &only(9)), Use::Elsewhere);
}

/// Eight chunks of eight sub-packets of 64 bytes at a time, from chunk 7 on.
const PARAMS: Params = Params {
    payload: 64,
    per_chunk: 8,
    chunks: 8,
    fec: super::super::params::Fec::Restore(8, 2),
    ..Params::PAPER
};

fn sub(chunk: u32, number: u16) -> SubHeader {
    SubHeader {
        chunk,
        number,
        length: 64,
        last: false,
        round: 0,
    }
}

/// The last of its chunk, with `length` bytes.
fn last(chunk: u32, number: u16, length: u16) -> SubHeader {
    SubHeader {
        length,
        last: true,
        ..sub(chunk, number)
    }
}

fn generator() -> AckGenerator {
    AckGenerator::new(PARAMS, AckTimer::default(), 7)
}

fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

/// Summary, and chunk, prefix and bitmap of each section, of the report that is due.
type Said = (Summary, Vec<(u32, u16, Vec<u8>)>);

fn said(acks: &mut AckGenerator, now: Duration) -> Option<Said> {
    let (mut body, lanes) = (Vec::new(), [Heard::default()].into_iter());
    acks.poll_report(now, now, 1000, lanes, &mut body).then(|| {
        let report = Report::parse(&body).unwrap();
        let sections = report.sections();
        let sections = sections.map(|it| (it.chunk, it.prefix, it.bitmap.to_vec()));
        (report.summary, sections.collect())
    })
}

#[test]
fn sub_packets_that_are_of_use() {
    let mut acks = generator();
    for (sub, what) in [
        (sub(6, 0), Use::Elsewhere),
        (sub(15, 0), Use::Elsewhere),
        (sub(14, 0), Use::New),
        (sub(7, 8), Use::Wrong),
        (sub(7, 2), Use::New),
        (sub(7, 2), Use::Known),
        // The chunk cannot end before what is there.
        (last(7, 1, 64), Use::Wrong),
        (last(7, 4, 10), Use::New),
        (last(7, 4, 10), Use::Known),
        // It has an end: neither another one, nor anything behind it.
        (last(7, 3, 64), Use::Wrong),
        (sub(7, 4), Use::Wrong),
        (sub(7, 5), Use::Wrong),
        (sub(7, 0), Use::New),
        (sub(7, 1), Use::New),
        (sub(7, 3), Use::New),
        (sub(7, 3), Use::Elsewhere),
        // The one that was highest until then may be the last.
        (last(14, 0, 64), Use::Known),
        (sub(15, 0), Use::Elsewhere),
        (sub(9, 3), Use::New),
        (last(9, 2, 64), Use::Wrong),
        (last(9, 4, 64), Use::New),
    ] {
        assert_eq!(acks.usable(ms(0), &sub), what, "{sub:?}");
    }
    assert_eq!(
        (acks.base(), acks.poll_complete()),
        (8, Some((7, 4 * 64 + 10)))
    );
    assert_eq!(acks.poll_complete(), None);
    assert!(acks.is_pending());
    // What is forgotten is used again for the chunk that takes its place.
    acks.release();
    assert_eq!(acks.usable(ms(0), &last(15, 1, 64)), Use::New);
    assert!(!acks.there(15).unwrap().contains(0) && acks.there(7).is_none());
    let there = acks.there(14).map(Bitmap::len);
    assert_eq!(there, Some(1));
}

/// Complete chunks behind one that is not are kept until it is.
#[test]
fn chunks_out_of_order() {
    let mut acks = generator();
    for chunk in [8, 9] {
        assert_eq!(acks.usable(ms(0), &last(chunk, 0, 5)), Use::New);
    }
    let (summary, sections) = said(&mut acks, ms(0)).unwrap();
    assert_eq!((summary.base, summary.credit, acks.base()), (7, 15, 7));
    let complete = |chunk| (chunk, Section::COMPLETE, vec![]);
    assert_eq!(sections, [(7, 0, vec![]), complete(8), complete(9)]);
    assert_eq!(acks.usable(ms(0), &last(7, 0, 5)), Use::New);
    assert_eq!(acks.base(), 10);
    let order: Vec<_> = std::iter::from_fn(|| acks.poll_complete()).collect();
    assert_eq!(order, [(8, 5), (9, 5), (7, 5)]);
}

#[test]
fn bitmaps_of_reports() {
    let mut acks = AckGenerator::new(
        Params {
            per_chunk: 24,
            ..PARAMS
        },
        AckTimer::default(),
        7,
    );
    let mut there = |numbers: &[u16]| {
        for &number in numbers {
            assert_eq!(acks.usable(ms(0), &sub(7, number)), Use::New);
        }
        acks.ask();
        said(&mut acks, ms(0)).unwrap().1.remove(0)
    };
    assert_eq!(there(&[7]), (7, 0, vec![0x80]));
    assert_eq!(there(&[8]), (7, 0, vec![0x80, 1]));
    assert_eq!(there(&[0, 1, 2, 3, 4, 5, 6]), (7, 9, vec![1]));
    assert_eq!(there(&[9, 10, 11, 12, 13, 14]), (7, 15, vec![0x7f]));
    assert_eq!(there(&[15]), (7, 16, vec![]));
    assert_eq!(there(&[20]), (7, 16, vec![0x10]));
}

/// What is sent again though it is here says that a report was missed.
#[test]
fn what_is_here_already_is_counted() {
    let mut acks = generator();
    let again = |chunk, number, round| SubHeader {
        round,
        ..sub(chunk, number)
    };
    for (sub, count) in [
        (again(7, 0, 1), 0),
        (again(7, 0, 0), 0),
        (again(7, 0, 1), 1),
        (again(6, 0, 2), 2),
    ] {
        acks.usable(ms(0), &sub);
        assert_eq!(acks.again, count, "{sub:?}");
    }
    // Another one is at its place: only if that is here.
    for (sub, count) in [
        (again(7, 0, 1), 3),
        (again(7, 1, 1), 3),
        (again(14, 0, 1), 3),
        (again(15, 0, 1), 4),
    ] {
        acks.known(ms(0), &sub);
        assert_eq!(acks.again, count, "{sub:?}");
    }
    acks.ask();
    assert_eq!(said(&mut acks, ms(0)).unwrap().0.duplicates, 4);
}

#[test]
fn parity_that_is_of_use() {
    let parity = |chunk, number, count, last| ParityHeader {
        chunk,
        number,
        count,
        last,
    };
    let mut acks = generator();
    for (parity, what) in [
        (parity(6, 0, 8, 64), Use::Elsewhere),
        (parity(15, 0, 8, 64), Use::Elsewhere),
        (parity(7, 2, 8, 64), Use::Wrong),
        (parity(7, 0, 9, 64), Use::Wrong),
        (parity(7, 0, 0, 64), Use::Wrong),
        (parity(7, 0, 8, 0), Use::Wrong),
        (parity(7, 0, 8, 65), Use::Wrong),
        (parity(7, 1, 8, 64), Use::New),
        (parity(7, 0, 8, 1), Use::New),
        (parity(7, 0, 7, 64), Use::Wrong),
        (parity(14, 0, 3, 64), Use::New),
    ] {
        assert_eq!(acks.parity(ms(0), &parity), what, "{parity:?}");
    }
    // Of a chunk of three the last is missing, or it would have said so itself.
    for number in 0..3 {
        assert_eq!(acks.usable(ms(0), &sub(8, number)), Use::New);
    }
    assert_eq!(acks.parity(ms(0), &parity(8, 0, 3, 64)), Use::Wrong);
    assert_eq!(acks.parity(ms(0), &parity(8, 0, 4, 64)), Use::New);
    assert_eq!(acks.usable(ms(0), &last(9, 0, 64)), Use::New);
    assert_eq!(acks.parity(ms(0), &parity(9, 0, 1, 64)), Use::Elsewhere);
    // A chunk without a last sub-packet is complete with the number that parity has told.
    for number in 0..7 {
        assert_eq!(acks.usable(ms(0), &sub(7, number)), Use::New);
    }
    assert_eq!(acks.usable(ms(0), &last(7, 7, 64)), Use::New);
    assert_eq!(acks.base(), 8);
    assert_eq!(acks.there(9).map(Bitmap::len), Some(1));
}

/// Ten milliseconds after the last that came, then after twice as long, and at last each half
/// second.
#[test]
fn a_receiver_that_is_idle_reports() {
    let mut acks = generator();
    assert_eq!(acks.next_timeout(), None);
    assert_eq!(said(&mut acks, ms(9000)), None);
    assert_eq!(acks.usable(ms(5), &sub(7, 0)), Use::New);
    let mut now = ms(5);
    for wait in [10, 20, 40, 80, 160, 320, 500, 500] {
        now += ms(wait);
        assert_eq!(acks.next_timeout(), Some(now));
        assert_eq!(said(&mut acks, now - Duration::from_nanos(1)), None);
        let (summary, _) = said(&mut acks, now).unwrap();
        assert!(summary.idle && summary.whole && !summary.finished);
    }
    // Of what has not been looked at nothing is said.
    now += ms(500);
    let (mut body, lanes) = (Vec::new(), [Heard::default()].into_iter());
    assert!(!acks.poll_report(now, now - ms(1), 1000, lanes, &mut body));
    // A report that is asked for, whatever the time, is not idle.
    acks.ask();
    assert!(acks.is_pending());
    assert_eq!(acks.next_timeout(), Some(ms(0)));
    let (summary, _) = said(&mut acks, now).unwrap();
    assert_eq!((summary.idle, summary.serial), (false, 8));
    assert!(!acks.is_pending());
    // Parity counts as something that came.
    let parity = ParityHeader {
        chunk: 7,
        number: 0,
        count: 8,
        last: 64,
    };
    assert_eq!(acks.parity(now, &parity), Use::New);
    assert_eq!(acks.next_timeout(), Some(now + ms(10)));
}

/// A quarter of the memory has become free, as far as it was not told: the sender may wait for it.
#[test]
fn credit_is_told() {
    let mut acks = generator();
    for chunk in 7..10 {
        assert_eq!(acks.usable(ms(0), &last(chunk, 0, 64)), Use::New);
    }
    assert_eq!(said(&mut acks, ms(0)).unwrap().0.credit, 15);
    acks.release();
    assert!(!acks.is_pending());
    acks.release();
    assert!(acks.is_pending());
    assert_eq!(said(&mut acks, ms(0)).unwrap().0.credit, 17);
    acks.release();
    assert!(!acks.is_pending());
    // No more than are kept in mind.
    acks.release();
    acks.release();
    acks.ask();
    assert_eq!(said(&mut acks, ms(0)).unwrap().0.credit, 18);
    assert_eq!(acks.usable(ms(0), &sub(17, 0)), Use::New);
    assert_eq!(acks.usable(ms(0), &sub(18, 0)), Use::Elsewhere);
}
