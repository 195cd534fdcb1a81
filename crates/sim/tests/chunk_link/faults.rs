// SPDX-License-Identifier: Apache-2.0
//! All that can go wrong, case by case. Nothing here is left to chance: every seed is fixed.

use ropewalk_channel::Settings;
use ropewalk_sim::chunk::{Link, Passing, TAG};
use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameHeader, Kind, control_body};
use ropewalk_wire::chunk::report::Report;
use ropewalk_wire::chunk::subpacket::SUB_HEADER;
use ropewalk_wire::chunk::{
    AckTimer, Batch, Fec, FrameSeq, Pace, Params, Phases, ReceiverSettings, Sender, SenderEvent,
    SenderSettings, Session, Tag,
};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// Chunks of half a megabyte: 4 ms each on one lane.
const PARAMS: Params = Params {
    per_chunk: 400,
    ..Params::PAPER
};

/// 1 Gb/s, a tenth of a millisecond away.
fn lane() -> Settings {
    Settings {
        rate: Some(1_000_000_000),
        queue: 2 * 9880,
        delay: Duration::from_micros(100),
        ..Settings::default()
    }
}

fn link(params: Params) -> Link {
    link_over(params, &lane())
}

fn link_over(params: Params, lane: &Settings) -> Link {
    let send = SenderSettings::default();
    Link::new(params, send, ReceiverSettings::default(), lane, 1)
}

fn all(link: &mut Link, chunks: usize, limit: Duration) {
    link.transfer(chunks, link.params.chunk_bytes(), limit);
}

fn kind(passing: &Passing<'_>) -> Option<Kind> {
    FrameHeader::parse(passing.bytes)
        .ok()
        .map(|(header, _)| header.kind)
}

fn carries_data(passing: &Passing<'_>) -> bool {
    passing.forth && passing.bytes.len() > FRAME_HEADER + SUB_HEADER
}

/// Whether it is a report that tells the end.
fn tells_end(passing: &Passing<'_>) -> bool {
    !passing.forth
        && control_body(TAG.secret, passing.bytes)
            .is_some_and(|body| Report::parse(body).is_ok_and(|report| report.summary.finished))
}

/// Drops the first `count` that are of a kind.
fn drop_first(
    link: &mut Link,
    count: usize,
    which: impl Fn(&Passing<'_>) -> bool + 'static,
) -> Rc<Cell<usize>> {
    let seen = Rc::new(Cell::new(0));
    let counter = seen.clone();
    link.filter = Box::new(move |passing| {
        if !which(&passing) {
            return true;
        }
        counter.set(counter.get() + 1);
        counter.get() > count
    });
    seen
}

fn receiver_goes_after(link: &mut Link) -> Duration {
    let from = link.now;
    link.run(20 * SECOND, |link| link.receiver.may_go(link.now));
    link.now - from
}

#[test]
fn end_is_told_however_often_it_is_lost() {
    for count in 0..4 {
        let mut link = link(PARAMS);
        let seen = drop_first(&mut link, count, tells_end);
        all(&mut link, 2, 10 * SECOND);
        assert!(seen.get() > count);
        // The sender has told it that it knows.
        assert!(receiver_goes_after(&mut link) < MS);
    }
}

#[test]
fn end_is_said_however_often_it_is_lost() {
    for count in 0..6 {
        let mut link = link(PARAMS);
        let seen = drop_first(&mut link, count, |passing| {
            passing.forth && kind(passing) == Some(Kind::Fin)
        });
        all(&mut link, 2, 10 * SECOND);
        assert!(seen.get() > count);
    }
}

#[test]
fn receiver_stays_where_bye_is_lost() {
    let mut link = link(PARAMS);
    drop_first(&mut link, usize::MAX, |passing| {
        passing.forth && kind(passing) == Some(Kind::Bye)
    });
    all(&mut link, 2, SECOND);
    let stayed = receiver_goes_after(&mut link);
    assert!(stayed > 2 * SECOND && stayed < 4 * SECOND, "{stayed:?}");
}

#[test]
fn old_reports_count_for_nothing() {
    let mut link = link(PARAMS);
    link.receiver.discard(0.2, 7);
    let old: Rc<RefCell<Vec<Vec<u8>>>> = Rc::default();
    let keep = old.clone();
    link.filter = Box::new(move |passing| {
        if !passing.forth {
            keep.borrow_mut().push(passing.bytes.clone());
        }
        true
    });
    for chunk in 0..8 {
        link.offer(link.params.chunk_bytes());
        link.run(SECOND, |link| {
            // At every moment another report of the past comes again.
            let old = old.borrow();
            if !old.is_empty() {
                let pick = link.now.as_nanos() as usize % old.len();
                link.inject(false, 0, &old[pick]);
            }
            link.delivered.len() > chunk
        });
    }
    link.sender.finish();
    link.run(SECOND, |link| link.sender.is_finished());
    let counters = link.sender.counters();
    assert_eq!(counters.resent, link.receiver.counters().damaged);
    assert_eq!(counters.duplicates, 0);
}

#[test]
fn late_sub_packets_of_a_chunk_whose_memory_is_used_again() {
    let params = Params {
        chunks: 1,
        ..PARAMS
    };
    let mut link = link(params);
    let first: Rc<RefCell<Vec<Vec<u8>>>> = Rc::default();
    let keep = first.clone();
    link.filter = Box::new(move |passing| {
        // They are sent again, and come when nobody waits for them any more.
        let late = carries_data(&passing) && keep.borrow().len() < 50;
        if late {
            keep.borrow_mut().push(passing.bytes.clone());
        }
        !late
    });
    link.offer(params.chunk_bytes());
    link.offer(params.chunk_bytes());
    link.run(SECOND, |link| link.delivered.len() == 1);
    link.run(SECOND, |link| link.receiver.counters().sub_packets > 500);
    for frame in first.borrow().iter() {
        link.receiver.receive(link.now, 0, frame);
    }
    link.run(SECOND, |link| link.delivered.len() == 2);
    assert_eq!(link.receiver.counters().elsewhere, 400);
}

#[test]
fn lanes_apart_by_more_than_a_chunk() {
    let params = Params {
        chunks: 1,
        lanes: 2,
        ..PARAMS
    };
    let late = Settings {
        delay: 40 * MS,
        ..lane()
    };
    let lanes = [lane(), late];
    let send = SenderSettings::default();
    let receive = ReceiverSettings::default();
    let mut link = Link::with_lanes(params, send, receive, &lanes, &lanes, 1);
    all(&mut link, 20, 10 * SECOND);
}

#[test]
fn numbers_wrap() {
    let first = u32::MAX - 1;
    let send = SenderSettings {
        first,
        first_frame: FrameSeq::new(0xff_ff80),
        ..SenderSettings::default()
    };
    let receive = ReceiverSettings {
        first,
        ..ReceiverSettings::default()
    };
    let lane = Settings {
        loss: 0.05,
        ..lane()
    };
    let mut link = Link::new(PARAMS, send, receive, &lane, 3);
    all(&mut link, 5, 10 * SECOND);
    let mut numbers: Vec<u32> = link.delivered.iter().map(|&(chunk, _)| chunk).collect();
    numbers.sort_by_key(|chunk| chunk.wrapping_sub(first));
    assert_eq!(numbers, [first, u32::MAX, 0, 1, 2]);
    assert!(link.sender.counters().frames > 256);
}

#[test]
fn each_loss_is_sent_once_however_long_reports_travel() {
    for delay in [0, 1, 50, 400] {
        let far = Settings {
            delay: delay * MS,
            ..lane()
        };
        let params = Params {
            chunks: 8,
            ..PARAMS
        };
        let mut link = link_over(params, &far);
        link.receiver.discard(0.05, 5);
        all(&mut link, 20, 60 * SECOND);
        let counters = link.sender.counters();
        let damaged = link.receiver.counters().damaged;
        assert!(damaged > 300);
        assert_eq!((counters.lost, counters.resent), (damaged, damaged));
        assert_eq!(counters.duplicates, 0);
    }
}

#[test]
fn all_of_a_chunk_is_lost() {
    for phases in [Phases::Overlapped, Phases::Separate] {
        let send = SenderSettings {
            phases,
            ..SenderSettings::default()
        };
        let mut link = Link::new(PARAMS, send, ReceiverSettings::default(), &lane(), 1);
        let seen = drop_first(&mut link, 50, carries_data);
        all(&mut link, 2, 3 * SECOND);
        assert!(seen.get() >= 150);
    }
}

#[test]
fn everything_comes_twice() {
    let twice = Settings {
        duplicate: 1.0,
        loss: 0.02,
        jitter: MS,
        ..lane()
    };
    let mut link = link_over(PARAMS, &twice);
    all(&mut link, 10, 10 * SECOND);
    assert_eq!(link.receiver.counters().chunks, 10);
}

/// A bottleneck with a short queue, which hands on each datagram twice: as many bytes get through
/// it as before, and the sender pours in no more. A sealed one, as whoever repeats needs no key.
#[test]
fn a_path_that_doubles_is_no_faster() {
    let poured = |duplicate| {
        let lane = Settings {
            rate: Some(200_000_000),
            queue: 100_000,
            delay: 2 * MS,
            duplicate,
            ..lane()
        };
        let params = Params {
            sealed: true,
            ..PARAMS
        };
        let mut link = link_over(params, &lane);
        link.waits = false;
        all(&mut link, 40, 30 * SECOND);
        (link.sender.counters().bytes, link.now)
    };
    let ((once, time), (doubled, longer)) = (poured(0.0), poured(1.0));
    assert!(
        doubled <= once + once / 50,
        "{once} bytes were sent, {doubled} where each comes twice"
    );
    assert!(longer <= time + time / 20, "{time:?}, {longer:?}");
}

#[test]
fn damage_at_every_byte_costs_the_sub_packet_that_it_hits() {
    // A damaged header of a frame costs nothing, as each sub-packet tells by itself where it
    // belongs; but for sealed ones, whose place in the frame and whose frame nobody knows then.
    // What mends costs nothing.
    damage_at_every_byte(false, Fec::None, |length| length - FRAME_HEADER);
    damage_at_every_byte(true, Fec::None, |length| length + FRAME_HEADER);
    damage_at_every_byte(false, Fec::Mend(1), |_| 0);
    damage_at_every_byte(true, Fec::Mend(1), |_| 2 * FRAME_HEADER);
}

fn damage_at_every_byte(sealed: bool, fec: Fec, resent: impl Fn(usize) -> usize) {
    let params = Params {
        payload: 64,
        per_frame: 2,
        sealed,
        fec,
        ..PARAMS
    };
    let mut link = link(params);
    let length = params.frame_bytes();
    let place = Rc::new(Cell::new(0));
    let at = place.clone();
    link.filter = Box::new(move |passing| {
        if carries_data(&passing) && at.get() < length {
            passing.bytes[at.get()] ^= 1 << (at.get() % 8);
            at.set(at.get() + 1);
        }
        true
    });
    all(&mut link, 3, 2 * SECOND);
    assert_eq!(place.get(), length);
    let counters = link.sender.counters();
    assert_eq!(counters.resent as usize, resent(length));
    let mended = link.receiver.counters().mended;
    let harmed = if fec == Fec::None {
        0
    } else {
        length - FRAME_HEADER
    };
    assert_eq!(
        (mended.sub_packets, mended.bytes),
        (harmed as u64, harmed as u64)
    );
    assert_eq!(counters.duplicates, 0);
}

/// One bit in 100 000 changes: a tenth of the sub-packets. None of them is sent again where the
/// format mends.
#[test]
fn changed_bits_cost_nothing_where_the_format_mends() {
    let noisy = Settings {
        ber: 1e-5,
        ..lane()
    };
    for (fec, least, most) in [(Fec::None, 200, 600), (Fec::Mend(4), 0, 0)] {
        let mut link = link_over(Params { fec, ..PARAMS }, &noisy);
        all(&mut link, 10, 10 * SECOND);
        let resent = link.sender.counters().resent;
        assert!((least..=most).contains(&resent), "{fec:?}: {resent}");
        let mended = link.receiver.counters().mended;
        assert_eq!(mended.sub_packets > 400, fec != Fec::None, "{mended:?}");
    }
}

#[test]
fn a_bitmap_longer_than_a_report() {
    // 20 000 bits do not fit into the 1232 bytes of a report here. The front is lost again and
    // again, so that the tail, of which reports do not speak, must not hold up what was sent after
    // it.
    let params = Params {
        payload: 64,
        per_frame: 8,
        per_chunk: 20_000,
        chunks: 1,
        ..PARAMS
    };
    let mut link = link(params);
    drop_first(&mut link, 40, |passing| {
        carries_data(passing) && passing.bytes[24..30] == [0; 6]
    });
    all(&mut link, 1, 100 * SECOND);
}

#[test]
fn one_lane_dies_and_comes_back() {
    let params = Params {
        lanes: 4,
        chunks: 4,
        ..PARAMS
    };
    let dead = 50 * MS..SECOND;
    for both in [false, true] {
        let cut = Settings {
            cuts: vec![dead.clone()],
            ..lane()
        };
        let forth = [lane(), lane(), cut.clone(), lane()];
        let back = [lane(), lane(), if both { cut } else { lane() }, lane()];
        let send = SenderSettings::default();
        let receive = ReceiverSettings::default();
        let mut link = Link::with_lanes(params, send, receive, &forth, &back, 1);
        let mut between = |from: Duration, to: Duration| {
            let mut count = 0;
            link.run(10 * SECOND, |link| {
                while link.sender.wants_chunk() {
                    link.offer(PARAMS.chunk_bytes());
                    link.settle();
                }
                count = link.delivered.iter().filter(|(_, at)| *at >= from).count();
                link.now >= to
            });
            count as f64 * PARAMS.chunk_bytes() as f64 * 8e-9 / (to - from).as_secs_f64()
        };
        let (three, four) = (between(500 * MS, 700 * MS), between(2500 * MS, 2700 * MS));
        // Gb/s of 2.95 and 3.94.
        assert!(three > 2.8 && three < 2.96, "{three}");
        assert!(four > 3.7, "{four}");
        let lane_events: Vec<_> = link
            .events
            .iter()
            .map(|(_, event)| event)
            .filter(|event| !matches!(event, SenderEvent::Complete { .. }))
            .collect();
        assert_eq!(
            lane_events,
            [&SenderEvent::LaneFailed(2), &SenderEvent::LaneBack(2)]
        );
    }
}

#[test]
fn one_lane_back_is_dead() {
    let params = Params {
        lanes: 3,
        chunks: 4,
        ..PARAMS
    };
    for dead in 0..3 {
        let mut link = link(params);
        link.back[dead].set_alive(false);
        all(&mut link, 60, 10 * SECOND);
        let rate = 60.0 * PARAMS.chunk_bytes() as f64 * 8e-9 / link.now.as_secs_f64();
        assert!(rate > 1.9, "{rate} Gb/s of 2.95");
    }
}

/// A lane stops at any moment around the end of a stream, one way or both: both ends leave all the
/// same, the receiver because of the farewell. Where all data have arrived the others ask once or
/// twice more, or the receiver's timer of 10 ms says so; what was on the lane is missed when it has
/// failed.
#[test]
fn a_lane_stops_as_the_stream_ends() {
    let params = Params {
        lanes: 3,
        chunks: 4,
        ..PARAMS
    };
    let run = |stop: Option<(Duration, usize, [bool; 2])>| {
        let mut link = link(params);
        let mut left = 8;
        link.run(SECOND, |link| {
            while left > 0 && link.sender.wants_chunk() {
                link.offer(PARAMS.chunk_bytes());
                left -= 1;
            }
            if left == 0 {
                link.sender.finish();
            }
            link.settle();
            if let Some((at, lane, [forth, back])) = stop
                && link.now >= at
            {
                link.forth[lane].set_alive(!forth);
                link.back[lane].set_alive(!back);
            }
            link.sender.is_finished() && link.receiver.may_go(link.now)
        });
        assert_eq!(link.delivered.len(), 8);
        (link.now, link.delivered[7].1)
    };
    let (end, arrived) = run(None);
    for lane in 0..3 {
        for ways in [[true, false], [false, true], [true, true]] {
            for micros in (0..1200).step_by(50) {
                let at = end - Duration::from_micros(micros);
                let (took, _) = run(Some((at, lane, ways)));
                let more = if at > arrived { 15 * MS } else { 100 * MS };
                assert!(
                    took < end + more,
                    "{took:?} of {end:?}, lane {lane} stops at {at:?}, {ways:?}"
                );
            }
        }
    }
}

#[test]
fn all_lanes_die_and_come_back() {
    let params = Params { lanes: 2, ..PARAMS };
    let back = 5 * SECOND + 20 * MS;
    let cut = Settings {
        cuts: vec![20 * MS..back],
        ..lane()
    };
    let mut link = link_over(params, &cut);
    all(&mut link, 40, 30 * SECOND);
    for lane in 0..2 {
        for event in [SenderEvent::LaneFailed(lane), SenderEvent::LaneBack(lane)] {
            assert!(link.events.iter().any(|(_, other)| *other == event));
        }
    }
    // It asks once a second.
    let again = link.delivered.iter().find(|(_, at)| *at > back).unwrap().1;
    assert!(again < back + 1100 * MS, "{again:?}");
}

#[test]
fn memory_is_kept_for_long_and_the_report_of_its_return_lost() {
    let mut link = link(PARAMS);
    link.keep = true;
    let until = Rc::new(Cell::new(Duration::ZERO));
    let silent = until.clone();
    link.filter = Box::new(move |passing| passing.forth || passing.now >= silent.get());
    for _ in 0..3 {
        link.offer(PARAMS.chunk_bytes());
    }
    link.run(SECOND, |link| link.delivered.len() == 2);
    let from = link.now;
    link.run(20 * SECOND, |link| link.now > from + 10 * SECOND);
    assert_eq!(
        (link.delivered.len(), link.receiver.counters().elsewhere),
        (2, 0)
    );
    until.set(link.now + SECOND);
    while let Some(memory) = link.kept.pop() {
        link.receiver.give_back(memory);
    }
    let from = link.now;
    link.run(5 * SECOND, |link| link.delivered.len() == 3);
    assert!(link.now > from + SECOND);
    let counters = link.sender.counters();
    assert_eq!((counters.resent, counters.lost), (0, 0));
}

#[test]
fn sender_with_little_to_say() {
    let mut link = link(PARAMS);
    for chunk in 0..5 {
        link.offer(1 + 1000 * chunk);
        link.run(SECOND, |link| link.delivered.len() == chunk + 1);
        // The receiver's timer goes off meanwhile.
        let from = link.now;
        link.run(SECOND, |link| link.now > from + 200 * MS);
    }
    link.sender.finish();
    link.run(SECOND, |link| link.sender.is_finished());
    let counters = link.sender.counters();
    assert_eq!((counters.resent, counters.lost), (0, 0));
}

/// The receiver hears that no more will come while the last chunk is still on its way, so it is the
/// report of that chunk that tells the end: half a round trip after the last byte. With that word
/// lost, or what the chunk lacks sent again, it takes longer, and no chunk is forgotten.
#[test]
fn the_end_is_told_as_soon_as_all_is_sent() {
    for lost in [None, Some(Kind::Fin), Some(Kind::Ask), Some(Kind::Data)] {
        for lanes in [1, 3] {
            let params = Params { lanes, ..PARAMS };
            let far = Settings {
                delay: 5 * MS,
                queue: 1 << 20,
                ..lane()
            };
            let mut link = link_over(params, &far);
            let seen = drop_first(&mut link, 1, move |passing| {
                passing.forth && lost.is_some() && kind(passing) == lost
            });
            all(&mut link, 3, SECOND);
            let (_, last) = link.delivered[2];
            let end = link.now - last;
            println!("{lanes} lanes, {lost:?} lost: the end {end:?} after the last byte");
            if lost.is_none() {
                assert!(end < 6 * MS);
            } else {
                assert!(seen.get() > 0);
            }
        }
    }
}

#[test]
fn half_of_the_reports_are_lost() {
    let lossy = Settings {
        loss: 0.5,
        ..lane()
    };
    let (send, receive) = (SenderSettings::default(), ReceiverSettings::default());
    let mut link = Link::with_lanes(PARAMS, send, receive, &[lane()], &[lossy], 1);
    link.receiver.discard(0.05, 1);
    all(&mut link, 20, 10 * SECOND);
    assert_eq!(
        link.sender.counters().resent,
        link.receiver.counters().damaged
    );
}

#[test]
fn frames_overtake_each_other() {
    let crooked = Settings {
        reorder: 0.05,
        held: 2 * MS,
        ..lane()
    };
    let params = Params {
        chunks: 8,
        ..PARAMS
    };
    let mut link = link_over(params, &crooked);
    all(&mut link, 100, 10 * SECOND);
    let counters = link.sender.counters();
    // 5 % are late. It learns that they are not lost.
    assert!(
        counters.duplicates * 100 < counters.sub_packets,
        "{counters:?}"
    );
}

#[test]
fn strangers_are_not_heard() {
    let mut link = link(PARAMS);
    link.offer(PARAMS.chunk_bytes());
    link.offer(PARAMS.chunk_bytes());
    link.sender.finish();
    let other = Tag { secret: 1, ..TAG };
    let tags = [
        other,
        Tag { session: 5, ..TAG },
        Tag {
            session: 5,
            secret: 1,
        },
    ];
    let mut strange = 0;
    for tag in tags {
        // The same numbers, other bytes.
        let mut stranger = Sender::new(
            PARAMS,
            Session::checked(tag),
            SenderSettings {
                pace: Pace::Free,
                ..SenderSettings::default()
            },
            Duration::ZERO,
        )
        .unwrap();
        stranger.offer(vec![0x55; PARAMS.chunk_bytes()], PARAMS.chunk_bytes());
        let mut batch = Batch::new();
        while stranger.poll_transmit(Duration::ZERO, 0, 1, &mut batch) {
            link.receiver.receive(link.now, 0, batch.bytes());
            link.sender.receive(link.now, batch.bytes());
            strange += 1;
        }
    }
    assert!(strange > 100);
    link.run(SECOND, |link| link.sender.is_finished());
    link.check_end();
    let counters = link.receiver.counters();
    assert_eq!(counters.sub_packets, 800);
    assert_eq!(link.sender.counters().foreign, strange);
}

/// With the quick timer of the paper's mode, a sub-packet that is damaged again and again leaves
/// one lane without news for some ten reports.
#[test]
fn a_sub_packet_damaged_again_and_again_is_no_dead_lane() {
    let params = Params { lanes: 2, ..PARAMS };
    let send = SenderSettings {
        phases: Phases::Separate,
        pace: Pace::Free,
        ..SenderSettings::default()
    };
    let receive = ReceiverSettings {
        timer: AckTimer {
            first: Duration::from_micros(250),
            longest: MS,
        },
        ..ReceiverSettings::default()
    };
    let mut link = Link::new(params, send, receive, &lane(), 1);
    let damaged = Rc::new(Cell::new(0));
    let count = damaged.clone();
    link.filter = Box::new(move |passing| {
        let stride = SUB_HEADER + usize::from(PARAMS.payload);
        if carries_data(&passing) && count.get() < 8 {
            for sub in passing.bytes[FRAME_HEADER..].chunks_mut(stride) {
                if sub[..6] == [0, 0, 0, 0, 0, 5] {
                    sub[SUB_HEADER] ^= 1;
                    count.set(count.get() + 1);
                }
            }
        }
        true
    });
    all(&mut link, 3, SECOND);
    assert_eq!(damaged.get(), 8);
    assert_eq!(link.sender.counters().resent, 8);
    let failed =
        |(_, event): &(Duration, SenderEvent<()>)| matches!(event, SenderEvent::LaneFailed(_));
    assert!(!link.events.iter().any(failed), "{:?}", link.events);
}
