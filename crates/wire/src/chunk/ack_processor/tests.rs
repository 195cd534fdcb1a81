// SPDX-License-Identifier: Apache-2.0

use super::super::report::{Heard, Summary, Writer};
use super::*;

/// A chunk of 16 sub-packets and `parity` of parity is in flight.
fn started(parity: u16) -> AckProcessor<Vec<u8>> {
    let params = Params {
        payload: 64,
        per_chunk: 16,
        fec: match parity {
            0 => Fec::None,
            parity => Fec::Restore(16, parity),
        },
        ..Params::PAPER
    };
    let mut acks = AckProcessor::new(params, Vec::new(), 0);
    acks.started(load());
    acks
}

fn load() -> Arc<Load<Vec<u8>>> {
    let (memory, bytes) = (Vec::new(), 16 * 64);
    Arc::new(Load { memory, bytes })
}

fn next(acks: &mut AckProcessor<Vec<u8>>) -> Option<Run> {
    acks.next_work(8).map(|work| work.run)
}

fn run(first: u16, count: u16, parity: bool) -> Run {
    Run {
        chunk: 0,
        first,
        count,
        round: 0,
        parity,
    }
}

/// A report of 16 sub-packets: the first `bytes` bytes of the bitmap `there`, and nothing of
/// the rest.
fn report(acks: &mut AckProcessor<Vec<u8>>, there: u16, bytes: u16) {
    let mut body = Vec::new();
    let limit = 36 + 8 + usize::from(bytes);
    let mut writer = Writer::new(&mut body, limit, [Heard::default()].into_iter());
    writer.section(0, 0, 2, |index| there.to_le_bytes()[usize::from(index)]);
    writer.finish(Summary {
        whole: bytes == 2,
        ..Summary::default()
    });
    acks.report(&Report::parse(&body).unwrap(), 1);
}

#[test]
fn what_is_lost_waits_for_the_parity_of_its_chunk() {
    let mut acks = started(4);
    report(&mut acks, 0xfe7f, 2);
    assert_eq!(acks.settle(run(0, 8, false)), 0);
    // Of a lane that has failed.
    assert_eq!(acks.lose(run(0, 2, true)), 0);
    assert_eq!(acks.settle(run(8, 8, false)), 0);
    assert!(!acks.has_resends());
    // One of the two has been restored.
    report(&mut acks, 0xfeff, 2);
    assert_eq!(acks.settle(run(2, 2, true)), 1);
    assert_eq!(
        next(&mut acks).map(|run| (run.first, run.count, run.round, run.parity)),
        Some((8, 1, 1, false))
    );
    assert!(!acks.has_resends());
    // From now on at once.
    let again = Run {
        round: 1,
        ..run(8, 1, false)
    };
    assert_eq!(acks.settle(again), 1);
    assert_eq!(next(&mut acks).map(|run| run.round), Some(2));
}

#[test]
fn what_has_arrived_after_all_is_not_sent_again() {
    let mut acks = started(0);
    report(&mut acks, 0xfffc, 2);
    assert_eq!(acks.settle(run(0, 16, false)), 2);
    report(&mut acks, 0xfffd, 2);
    assert!(acks.has_resends());
    let again = next(&mut acks).map(|run| (run.first, run.count));
    assert_eq!(again, Some((1, 1)));
    assert!(!acks.has_resends());
    assert_eq!(next(&mut acks), None);
}

#[test]
fn what_no_report_speaks_of_is_waited_for() {
    let mut acks = started(1);
    report(&mut acks, 0x00ff, 1);
    acks.settle(run(0, 8, false));
    acks.settle(run(8, 8, false));
    assert_eq!(acks.settle(run(0, 1, true)), 0);
    assert!(acks.is_unclear() && !acks.has_resends());
    report(&mut acks, 0x7fff, 2);
    assert!(!acks.is_unclear());
    assert_eq!(
        next(&mut acks).map(|run| (run.first, run.count)),
        Some((15, 1))
    );
}

#[test]
fn a_chunk_that_follows_begins_anew() {
    let mut acks = started(4);
    report(&mut acks, 0xfffe, 2);
    acks.settle(run(0, 16, false));
    report(&mut acks, 0xffff, 2);
    assert_eq!(acks.poll_complete().map(|(chunk, _)| chunk), Some(0));
    acks.params.fec = Fec::None;
    acks.started(load());
    let all = Run {
        chunk: 1,
        ..run(0, 16, false)
    };
    assert_eq!(acks.lose(all), 16);
    // What is still heard of the parity of the first.
    assert_eq!(acks.settle(run(0, 4, true)), 0);
}

fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

/// A report of these lanes, with what `write` adds.
fn body(lanes: &[Heard], summary: Summary, write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut body = Vec::new();
    let mut writer = Writer::new(&mut body, 1000, lanes.iter().copied());
    write(&mut writer);
    writer.finish(summary);
    body
}

/// An ack processor of two lanes whose chunks of 16 sub-packets begin with number 5; `open` of them
/// are in flight.
fn two_lanes(fec: Fec, open: u32) -> AckProcessor<Vec<u8>> {
    let params = Params {
        payload: 64,
        per_chunk: 16,
        chunks: 4,
        fec,
        ..Params::PAPER
    };
    let mut acks = AckProcessor::new(params, Vec::new(), 5);
    acks.lanes = vec![Health::default(); 2];
    (0..open).for_each(|_| acks.started(load()));
    acks
}

fn read(acks: &mut AckProcessor<Vec<u8>>, now: Duration, body: &[u8], sent: u32) -> Reading {
    acks.read(now, &Report::parse(body).unwrap(), sent)
}

fn heard(highest: u32, echo: u32, hold: u32) -> Heard {
    Heard {
        highest: Some(super::super::frame::FrameSeq::new(highest)),
        frames: 1,
        echo,
        hold,
    }
}

#[test]
fn reports_that_bring_news() {
    let mut acks = two_lanes(Fec::None, 2);
    let none = [Heard::default(); 2];
    let summary = Summary {
        serial: 3,
        base: 5,
        credit: 9,
        duplicates: 2,
        idle: true,
        ..Summary::default()
    };
    let learned = Learned {
        credit: Some(9),
        lost: 0,
        duplicates: 2,
        reordered: false,
        idle: true,
        finished: false,
    };
    let first = body(&none, summary, |_| ());
    assert_eq!(read(&mut acks, ms(0), &first, 7), Reading::News(learned));
    assert_eq!(read(&mut acks, ms(0), &first, 7), Reading::Known);
    // More cannot be complete than was sent.
    let summary = |serial, base, credit| Summary {
        serial,
        base,
        credit,
        duplicates: 2,
        finished: true,
        ..Summary::default()
    };
    let beyond = body(&none, summary(4, 8, 9), |_| ());
    assert_eq!(read(&mut acks, ms(0), &beyond, 7), Reading::Foreign);
    assert_eq!((acks.open(), acks.base()), (2, 5));
    // Credit for no more chunks than there are at a time.
    for (serial, credit, believed) in [(4, 11, Some(11)), (5, 12, None)] {
        let report = body(&none, summary(serial, 7, credit), |_| ());
        let learned = Learned {
            credit: believed,
            duplicates: 0,
            idle: false,
            finished: true,
            ..learned
        };
        assert_eq!(read(&mut acks, ms(0), &report, 7), Reading::News(learned));
    }
    let complete: Vec<_> = std::iter::from_fn(|| acks.poll_complete()).collect();
    assert_eq!(complete.iter().map(|it| it.0).collect::<Vec<_>>(), [5, 6]);
    assert_eq!((acks.open(), acks.base()), (0, 7));
}

/// Duplicates show that what was sent again had only been late, unless parity had restored it.
#[test]
fn what_had_only_been_late() {
    for (fec, resends, duplicates, reordered) in [
        (Fec::None, true, 1, true),
        (Fec::None, false, 1, false),
        (Fec::None, true, 0, false),
        (Fec::Restore(16, 1), true, 1, false),
        (Fec::Mend(1), true, 1, true),
    ] {
        let mut acks = two_lanes(fec, 1);
        acks.resent = resends;
        let summary = Summary {
            base: 5,
            duplicates,
            ..Summary::default()
        };
        let report = body(&[Heard::default(); 2], summary, |_| ());
        let Reading::News(learned) = read(&mut acks, ms(0), &report, 5) else {
            panic!("no news");
        };
        assert_eq!(learned.reordered, reordered, "{fec:?} {duplicates}");
    }
}

/// A lane is answered where its highest frame is another one; it is outlived when another lane is
/// answered after its own answer should have come.
#[test]
fn lanes_that_are_answered() {
    let mut acks = two_lanes(Fec::None, 1);
    let mut serial = 0;
    let mut answer = |acks: &mut AckProcessor<Vec<u8>>, now, lanes: [Heard; 2]| {
        serial += 1;
        let summary = Summary {
            serial,
            base: 5,
            ..Summary::default()
        };
        let report = body(&lanes, summary, |_| ());
        assert!(matches!(read(acks, ms(now), &report, 5), Reading::News(_)));
    };
    answer(&mut acks, 10, [heard(1, 0, 0), Heard::default()]);
    assert_eq!(
        (acks.heard(0), acks.heard(1)),
        (heard(1, 0, 0), Heard::default())
    );
    assert_eq!(
        (acks.lanes[0].answered, acks.lanes[1].answered),
        (ms(10), ms(0))
    );
    assert_eq!(acks.lanes[0].round_trip.smoothed(), Some(ms(10)));
    assert_eq!(acks.lanes[1].round_trip.smoothed(), None);
    acks.silent(0, ms(5));
    assert_eq!((acks.is_silent(0), acks.is_silent(1)), (true, false));
    // The same frame again is no answer.
    answer(&mut acks, 15, [heard(1, 0, 0), heard(1, 15_000, 0)]);
    assert!(acks.is_silent(0) && !acks.is_outlived(0));
    answer(&mut acks, 16, [heard(1, 0, 0), heard(2, 16_000, 0)]);
    assert!(acks.is_outlived(0) && !acks.is_outlived(1));
    // Where the other is as silent, nothing is known.
    acks.silent(1, ms(5));
    assert!(!acks.is_outlived(0) && !acks.is_outlived(1));
    answer(&mut acks, 30, [heard(2, 0, 0), heard(2, 16_000, 0)]);
    assert!(!acks.is_silent(0) && acks.is_silent(1));
    assert!(!acks.is_outlived(0) && acks.is_outlived(1));
}

/// The receiver read what a lane has heard of it then; frames may take longer than that one, and
/// those of a lane of which none was heard a round trip longer.
#[test]
fn what_was_sent_until_an_idle_report() {
    let mut acks = two_lanes(Fec::None, 1);
    assert_eq!(acks.settled_until(ms(100)), []);
    let us = Duration::from_micros;
    acks.lanes[0].round_trip.sample(us(800));
    // Known is how long frames take, but of none when it was sent.
    assert_eq!(acks.settled_until(ms(100)), []);
    acks.lanes[0].heard = heard(1, 98_000, 900);
    // A way of 1.1 ms; a long round trip is 1.6 ms longer.
    let nearest = ms(100) - us(1100 + 1600);
    assert_eq!(acks.settled_until(ms(100)), [nearest, nearest - us(800)]);
    acks.lanes[1].heard = heard(1, 98_500, 0);
    let until = [nearest, ms(100) - us(1500 + 1600)];
    assert_eq!(acks.settled_until(ms(100)), until);
    assert_eq!(acks.settled_until(ms(99)).len(), 2);
}

#[test]
fn coverage_of_chunks() {
    for (whole, other) in [(true, u16::MAX), (false, 0)] {
        let coverage = Coverage {
            mentioned: vec![(5, 8), (6, 3)],
            whole,
        };
        assert_eq!([4, 5, 6].map(|it| coverage.of(it)), [other, 8, 3]);
    }
}

/// Of 13 sub-packets in 16: what a section says of the others counts for nothing.
#[test]
fn sections_of_a_chunk() {
    let section = |prefix, bitmap, cut| Section {
        chunk: 5,
        prefix,
        bitmap,
        cut,
    };
    let (end, whole) = (u16::MAX, [0xff, 0xff, 0xff]);
    for (section, sent, covered, arrived, complete) in [
        (section(0, &[], false), 1, end, 0, false),
        (section(13, &[], false), 1, end, 13, true),
        (section(13, &[], false), 0, end, 13, false),
        (section(14, &[], false), 1, 0, 0, false),
        (section(Section::COMPLETE, &[], false), 1, end, 0, true),
        (section(Section::COMPLETE, &[], false), 0, end, 0, false),
        (section(0, &whole[..1], true), 1, 8, 8, false),
        (section(0, &whole[..1], false), 1, end, 8, false),
        (section(0, &whole[..2], true), 1, 16, 13, true),
        (section(0, &whole, true), 1, 16, 13, true),
        (section(9, &[0x0f], true), 1, 16, 12, false),
        (section(9, &[0xe0], true), 1, 16, 9, false),
        (section(7, &[0, 1], false), 1, end, 8, false),
    ] {
        let mut acks = two_lanes(Fec::None, 0);
        let (memory, bytes) = (Vec::new(), 13 * 64 - 1);
        acks.started(Arc::new(Load { memory, bytes }));
        assert_eq!(acks.section(&section, sent), covered, "{section:?}");
        let chunk = &acks.chunks[0];
        let state = (chunk.arrived.len(), chunk.complete);
        assert_eq!(state, (arrived, complete), "{section:?}");
    }
    let mut acks = two_lanes(Fec::None, 1);
    let other = Section {
        chunk: 6,
        ..section(13, &[], false)
    };
    assert_eq!(acks.section(&other, 1), 0);
}

/// What is lost of several chunks: the oldest first, in runs of neighbours, and at most as many as
/// there is room for.
#[test]
fn works_of_what_is_lost() {
    let mut acks = two_lanes(Fec::None, 2);
    assert_eq!(next(&mut acks), None);
    let run = |chunk, first, count, round| Run {
        chunk,
        round,
        ..run(first, count, false)
    };
    acks.coverage.whole = true;
    for (lost, count) in [
        (run(6, 3, 2, 4), 2),
        (run(5, 0, 10, 0), 9),
        (run(5, 12, 1, 2), 1),
        (run(5, 12, 1, 2), 0),
        (run(7, 0, 1, 0), 0),
        (run(4, 0, 1, 0), 0),
    ] {
        acks.chunks[0].arrived.insert(9);
        assert_eq!(acks.settle(lost), count, "{lost:?}");
    }
    assert_eq!(acks.queued, 12);
    assert!(!acks.resent);
    // Of the greatest number of rounds of its chunk.
    assert_eq!(next(&mut acks), Some(run(5, 0, 8, 3)));
    assert!(acks.resent && acks.queued == 4);
    // It has arrived after all.
    acks.chunks[0].arrived.insert(8);
    acks.chunks[0].arrived.insert(12);
    assert_eq!(next(&mut acks), Some(run(6, 3, 2, 5)));
    assert!(acks.queued == 0 && !acks.has_resends());
    assert_eq!(next(&mut acks), None);
    // A run ends where its chunk does, and where one has arrived.
    acks.chunks[0].arrived.insert(14);
    assert_eq!(acks.settle(run(5, 13, 3, 0)), 2);
    assert_eq!(next(&mut acks), Some(run(5, 13, 1, 3)));
    assert_eq!(next(&mut acks), Some(run(5, 15, 1, 3)));
}

/// A report that speaks of what has settled before finds what is lost; one that says that a chunk
/// is complete ends what was queued of it.
#[test]
fn reports_find_what_is_lost() {
    let mut acks = two_lanes(Fec::None, 2);
    let of = |chunk| Run {
        chunk,
        ..run(0, 16, false)
    };
    assert_eq!((acks.settle(of(5)), acks.settle(of(6))), (0, 0));
    assert!(acks.is_unclear());
    let none = [Heard::default(); 2];
    let report = |acks: &mut AckProcessor<Vec<u8>>, serial, base, prefix| {
        let summary = Summary {
            serial,
            base,
            ..Summary::default()
        };
        let report = body(&none, summary, |writer| {
            writer.section(6, prefix, 0, |_| 0);
        });
        match read(acks, ms(0), &report, 7) {
            Reading::News(learned) => learned.lost,
            _ => panic!("no news"),
        }
    };
    assert_eq!(report(&mut acks, 1, 5, 10), 6);
    assert_eq!(acks.unclear, [of(5)]);
    assert_eq!(acks.queued, 6);
    // The first is complete: nothing of it is lost, and so is nothing of it unclear.
    assert_eq!(report(&mut acks, 2, 6, 12), 0);
    assert_eq!((acks.queued, acks.unclear.len()), (6, 0));
    assert_eq!(
        next(&mut acks).map(|it| (it.first, it.count)),
        Some((12, 4))
    );
    assert_eq!(acks.settle(of(6)), 4);
    assert!(acks.has_resends());
    assert_eq!(report(&mut acks, 3, 7, Section::COMPLETE), 0);
    assert_eq!((acks.queued, next(&mut acks)), (0, None));
}

/// A datagram is a report where its kind, lane and check say so.
#[test]
fn datagrams_that_are_reports() {
    use super::super::session::Session;
    use super::super::subpacket::Tag;
    let params = Params {
        lanes: 2,
        ..Params::PAPER
    };
    let session = |session, secret| Session::checked(Tag { session, secret });
    let writer = |session: Session| session.receiver(&params).unwrap().remove(0).0;
    let datagram = |mut writer: super::super::session::LaneWriter, kind, lane| {
        let header = FrameHeader {
            kind,
            lane,
            count: 0,
            seq: super::super::frame::FrameSeq::default(),
            session: writer.session(),
            length: 0,
            time: 0,
        };
        let summary = Summary {
            base: 5,
            ..Summary::default()
        };
        let mut bytes = Vec::new();
        let body = body(&[Heard::default(); 2], summary, |_| ());
        assert!(writer.control(&header, &body, &mut bytes));
        bytes
    };
    let readers = session(7, 9).sender(&params).unwrap();
    let readers = readers.into_iter().map(|(_, reader)| reader).collect();
    let mut acks = AckProcessor::<Vec<u8>>::new(params, readers, 5);
    acks.started(load());
    for other in [
        datagram(writer(session(7, 9)), Kind::Ask, 0),
        datagram(writer(session(7, 9)), Kind::Report, 2),
        datagram(writer(session(7, 8)), Kind::Report, 0),
        datagram(writer(session(8, 9)), Kind::Report, 0),
        vec![],
    ] {
        assert_eq!(acks.receive(ms(0), &other, 5), Reading::Foreign);
    }
    let report = datagram(writer(session(7, 9)), Kind::Report, 1);
    assert!(matches!(acks.receive(ms(0), &report, 5), Reading::News(_)));
    assert_eq!(acks.receive(ms(0), &report, 5), Reading::Known);
}

/// All of a chunk with parity is awaited, and no more than that.
#[test]
fn parity_is_awaited() {
    let mut acks = started(4);
    assert_eq!(acks.chunks[0].awaited, 20);
    assert_eq!(started(0).chunks[0].awaited, 0);
    acks.coverage.whole = true;
    for (run, awaited, held) in [
        (run(0, 8, false), 12, 1),
        (run(0, 2, true), 10, 1),
        (run(8, 7, false), 3, 2),
        (run(2, 2, true), 1, 2),
    ] {
        assert_eq!(acks.settle(run), 0);
        let chunk = &acks.chunks[0];
        assert_eq!((chunk.awaited, chunk.held.len()), (awaited, held));
    }
    for number in 0..14 {
        acks.chunks[0].arrived.insert(number);
    }
    assert_eq!(acks.settle(run(15, 1, false)), 2);
    let chunk = &acks.chunks[0];
    assert_eq!((chunk.awaited, chunk.held.len(), acks.queued), (0, 0, 2));
}
