// SPDX-License-Identifier: Apache-2.0

use super::*;

fn heard(highest: u32, frames: u32) -> Heard {
    Heard {
        highest: Some(FrameSeq::new(highest)),
        frames,
        echo: 0,
        hold: 0,
    }
}

fn lane(buffer: Option<usize>) -> Aggregator {
    let terms = Terms {
        params: Params::PAPER,
        session: 7,
        lane: 0,
        pace: Pace::default(),
        buffer,
        first: FrameSeq::new(0),
    };
    Aggregator::new(terms, Duration::ZERO)
}

/// While nothing is known of a lane; where its channel alone holds it back, a quarter of the
/// numbers.
#[test]
fn frames_that_may_be_in_flight() {
    let at = Duration::from_millis;
    for (buffer, most) in [(Some(1 << 20), FIRST), (None, MAX_OUTSTANDING)] {
        let mut lane = lane(buffer);
        assert_eq!((lane.outstanding(), lane.room()), (0, most));
        for sent in 0..5 {
            lane.frame(at(sent), 1000, None, false);
        }
        assert_eq!((lane.outstanding(), lane.room()), (5, most - 5));
        assert!(lane.report(at(6), 0, &heard(2, 3)));
        assert_eq!((lane.outstanding(), lane.room()), (2, most - 2));
    }
}

/// What the receiver counts cannot be more than was sent, and never becomes less.
#[test]
fn a_count_that_is_not_believed() {
    let at = Duration::from_millis;
    let mut lane = lane(Some(1 << 20));
    for sent in 0..100 {
        lane.frame(at(sent), 1000, None, false);
    }
    assert!(lane.report(at(101), 0, &heard(9, 50)));
    assert_eq!(lane.frames(), (10, 10));
    assert!(lane.report(at(102), 0, &heard(19, 55)));
    assert_eq!(lane.frames(), (20, 15));
    assert!(lane.report(at(103), 0, &heard(29, 3)));
    assert_eq!(lane.frames(), (30, 15));
    assert!(lane.report(at(104), 0, &heard(39, 8)));
    assert_eq!(lane.frames(), (40, 20));
    assert!(lane.report(at(105), 0, &heard(49, u32::MAX)));
    assert_eq!(lane.frames(), (50, 20));
}

#[test]
fn the_time_that_a_frame_was_held_is_no_way() {
    let held = Heard {
        echo: 100,
        hold: 300,
        ..heard(0, 1)
    };
    assert_eq!(way(1000, &held), Some(Duration::from_micros(600)));
    assert_eq!(way(399, &held), None);
    assert_eq!(way(1000, &Heard::default()), None);
}

/// Bytes of a frame in the paper's sizes.
const FRAME: usize = 9880;
/// Times that are whole parts of a second in binary, so that rates come out exactly.
const LONG: Duration = Duration::from_nanos(15_625_000);
const SHORT: Duration = Duration::from_nanos(1_953_125);

fn paced(pace: Pace, buffer: usize) -> Aggregator {
    let lane = lane(Some(buffer));
    let terms = Terms { pace, ..lane.terms };
    Aggregator::new(terms, Duration::ZERO)
}

/// A lane over which `frames` frames came in its first round trip, of `rtt`.
fn measured(pace: Pace, buffer: usize, rtt: Duration, frames: u64) -> Aggregator {
    let mut lane = paced(pace, buffer);
    lane.rate.rtt_sample(Duration::ZERO, rtt);
    lane.rate.delivered(Duration::ZERO, 0, 0, 0, false);
    lane.rate.delivered(rtt, frames, frames, 0, false);
    lane
}

/// Its rate grows no longer by each round.
fn full(buffer: usize, rtt: Duration, frames: u64) -> Aggregator {
    let mut lane = measured(Pace::Found, buffer, rtt, frames);
    lane.rate
        .delivered(rtt * 2, frames + frames / 2, 2 * frames, 0, false);
    assert!(!lane.rate.is_starting());
    lane
}

#[test]
fn bytes_that_may_be_in_flight() {
    let free = |buffer, frames| measured(Pace::Free, buffer, LONG, frames);
    let starting = |buffer, frames| measured(Pace::Found, buffer, LONG, frames);
    for (lane, limit) in [
        (paced(Pace::Found, 1 << 20), FIRST * FRAME),
        (paced(Pace::Free, 1 << 20), 1 << 19),
        (paced(Pace::Free, 0), FIRST * FRAME),
        (free(1 << 20, 100), 2 * 988_000 + (1 << 19)),
        (starting(8 << 20, 100), 3 * 988_000),
        (starting(8 << 20, 20), 2 * 197_600 + MORE_AT_FIRST),
        (starting(1 << 19, 100), 2 * 988_000 + (1 << 18)),
        (starting(1 << 40, 3_000_000), MAX_OUTSTANDING * FRAME),
        (full(8 << 20, LONG, 100), 2 * 988_000),
        (full(8 << 20, LONG, 16), 158_080 + MORE_AT_FIRST),
        (full(512 << 20, SHORT, 1000), 9_880_000 + 50_585_600),
        (full(64 << 20, SHORT, 1000), 9_880_000 + (32 << 20)),
    ] {
        assert_eq!(lane.limit(), limit, "{lane:?}");
    }
}

#[test]
fn a_full_frame_asks_when_so_much_is_unasked() {
    for (mut lane, most) in [
        (paced(Pace::Found, 1 << 20), 2 * FRAME),
        (measured(Pace::Found, 8 << 20, LONG, 20), 98_800),
        (measured(Pace::Found, 8 << 20, LONG, 100), 370_500),
        (full(8 << 20, LONG, 100), 247_000),
        (full(512 << 20, SHORT, 1000), 5_058_560),
    ] {
        lane.unasked = most - FRAME - 1;
        assert!(!lane.must_ask(), "{most}");
        lane.unasked += 1;
        assert!(lane.must_ask(), "{most}");
    }
    let mut lane = paced(Pace::Found, 1 << 20);
    for room in (2..FIRST).rev() {
        lane.frame(Duration::ZERO, FRAME, None, true);
        assert_eq!((lane.room(), lane.must_ask()), (room, false));
    }
    lane.frame(Duration::ZERO, FRAME, None, true);
    assert!(lane.room() == 1 && lane.must_ask());
}

#[test]
fn frames_that_are_due() {
    let at = Duration::from_millis;
    let mut lane = paced(Pace::Found, 1 << 20);
    assert_eq!((lane.due(at(0), 5), lane.due(at(0), 100)), (5, FIRST));
    assert_eq!(lane.ready(), Some(at(0)));
    for _ in 0..FIRST {
        lane.frame(at(0), FRAME, None, false);
    }
    assert_eq!((lane.due(at(0), 5), lane.ready()), (0, None));
    // A frame in 10 ms, and then one at once.
    let mut lane = paced(Pace::Capped(8 * 100 * FRAME as u64), 1 << 20);
    lane.frame(at(0), FRAME, None, false);
    assert_eq!(lane.ready(), Some(at(10)));
    assert_eq!(lane.due(at(10) - Duration::from_nanos(1), 9), 0);
    assert_eq!(lane.due(at(10), 9), 1);
}

/// Each wait is twice the one before, and no longer than a second.
#[test]
fn waits_until_a_lane_fails() {
    let at = Duration::from_millis;
    let mut lane = lane(Some(1 << 20));
    assert_eq!(lane.next_ask(false), None);
    assert_eq!(lane.next_ask(true), Some(at(100)));
    lane.frame(at(3), FRAME, None, false);
    let mut now = at(3);
    for wait in [100, 200, 400, 800, 1000, 1000] {
        assert_eq!(lane.has_failed(), wait == 1000);
        now += at(wait);
        assert_eq!(lane.next_ask(false), Some(now));
        let mut cargo = Cargo::<()>::default();
        let early = now - Duration::from_nanos(1);
        lane.control(early, false, End::Open, &mut cargo);
        assert!(cargo.frames.is_empty());
        lane.control(now, false, End::Open, &mut cargo);
        let kinds: Vec<_> = cargo.frames.iter().map(|(header, _)| header.kind).collect();
        assert_eq!(kinds, [Kind::Ask]);
    }
    // Everything before it has arrived: it has failed none the less until it is heard of.
    lane.heard = lane.next;
    assert!(lane.has_failed() && lane.next_ask(false).is_some());
    lane.frame(now, FRAME, None, false);
    assert!(lane.report(now, 0, &heard(7, 1)) && !lane.has_failed());
    assert_eq!((lane.waits, lane.last_heard), (0, now));
    assert_eq!(lane.next_ask(false), None);
}

#[test]
fn the_first_wait_is_two_long_round_trips() {
    for (rtt_us, wait_us) in [(10_000, 60_000), (100, 2000)] {
        let mut lane = lane(Some(1 << 20));
        let rtt = Duration::from_micros(rtt_us);
        lane.rate.rtt_sample(Duration::ZERO, rtt);
        assert_eq!(lane.first_wait(), Duration::from_micros(wait_us));
    }
}

fn run(first: u16, count: u16, round: u16, parity: bool) -> Run {
    Run {
        chunk: 3,
        first,
        count,
        round,
        parity,
    }
}

fn work(run: Run, bytes: usize) -> Work<()> {
    Work {
        run,
        load: std::sync::Arc::new(super::super::generator::Load { memory: (), bytes }),
        parity: None,
    }
}

/// Works one after the other; when they are gone, `more` come later.
struct Works {
    works: VecDeque<Work<()>>,
    more: bool,
    again: bool,
}

impl Supply<()> for Works {
    fn next(&mut self, room: u16) -> Option<Work<()>> {
        let (work, rest) = self.works.pop_front()?.split(room);
        rest.into_iter().for_each(|it| self.works.push_front(it));
        Some(work)
    }

    fn has_again(&mut self) -> bool {
        self.again
    }

    fn is_empty(&mut self) -> bool {
        self.works.is_empty() && !self.more
    }
}

/// Kind, sub-packets, bytes and works of what is filled of these works, at most 5 frames.
fn filled(lane: &mut Aggregator, supply: &mut Works) -> (bool, Vec<(Kind, u8, u16, usize)>) {
    let mut cargo = Cargo::default();
    let all = lane.fill(Duration::from_secs(2), 5, supply, &mut cargo);
    let frames = cargo.frames.iter().map(|(header, works)| {
        assert_eq!((header.session, header.time), (7, 2_000_000));
        (header.kind, header.count, header.length, *works)
    });
    let frames: Vec<_> = frames.collect();
    assert_eq!(cargo.segment, frames.first().map_or(0, |it| it.2.into()));
    (all, frames)
}

fn supply(works: impl IntoIterator<Item = Work<()>>, more: bool, again: bool) -> Works {
    let works = works.into_iter().collect();
    Works { works, more, again }
}

#[test]
fn frames_are_filled() {
    let (whole, chunk) = (1232_u16, Params::PAPER.chunk_bytes());
    let length = |count: u16| 24 + count * whole;
    let full = (Kind::Data, 8, FRAME as u16, 1);
    // No room for more than five.
    let mut lane = measured(Pace::Free, 1 << 30, LONG, 1000);
    let mut works = supply([work(run(0, 48, 0, false), chunk)], true, false);
    assert_eq!(filled(&mut lane, &mut works), (true, vec![full; 5]));
    assert_eq!(works.works[0].run, run(40, 8, 0, false));
    // One that is not full is the last, and where no more waits it asks.
    works.works[0].run.count = 12;
    let expected = vec![full, (Kind::Data, 4, length(4), 1)];
    assert_eq!(filled(&mut lane, &mut works), (true, expected));
    assert_eq!(filled(&mut lane, &mut works), (false, vec![]));
    let mut works = supply([work(run(0, 12, 0, false), chunk)], false, false);
    let expected = vec![full, (Kind::Ask, 4, length(4), 1)];
    assert_eq!(filled(&mut lane, &mut works), (true, expected));
    // Nothing follows a short sub-packet in its frame; behind others there is room.
    let short = work(run(1, 1, 0, false), 1216 + 100);
    let mut works = supply([short, work(run(0, 8, 0, false), chunk)], true, false);
    let expected = vec![(Kind::Ask, 1, 24 + 16 + 100, 1)];
    assert_eq!(filled(&mut lane, &mut works), (true, expected));
    assert_eq!((works.works.len(), lane.resent()), (1, 0));
    let again = [(0, 3), (5, 6)].map(|(first, count)| work(run(first, count, 1, false), chunk));
    let mut works = supply(again, true, true);
    let expected = vec![
        (Kind::Data, 8, FRAME as u16, 2),
        (Kind::Data, 1, length(1), 1),
    ];
    // As long as more of it waits, what is sent again asks no more often than other frames.
    assert_eq!(filled(&mut lane, &mut works), (true, expected));
    assert_eq!(lane.resent(), 8 + 1);
    // Parity is as long as a full sub-packet, whatever the chunk.
    let mut works = supply([work(run(0, 2, 0, true), 5)], true, false);
    let expected = vec![(Kind::Data, 2, length(2), 1)];
    assert_eq!(filled(&mut lane, &mut works), (true, expected));
}

/// Where only the channel holds the lane back, no frame of sub-packets asks.
#[test]
fn frames_that_never_ask() {
    let mut lane = lane(None);
    let mut works = supply([work(run(0, 1, 0, false), 100)], false, false);
    let expected = vec![(Kind::Data, 1, 24 + 16 + 100, 1)];
    assert_eq!(filled(&mut lane, &mut works), (true, expected));
}

/// What one call adds at a time: kind, bytes, and the end.
fn said(lane: &mut Aggregator, now: u64, end: End) -> Option<(Kind, u16, Option<u32>)> {
    let mut cargo = Cargo::<()>::default();
    lane.control(Duration::from_millis(now), false, end, &mut cargo);
    let (header, works) = cargo.frames.pop()?;
    assert_eq!((header.count, works), (0, 0));
    assert_eq!(cargo.segment, usize::from(header.length));
    Some((header.kind, header.length, cargo.end))
}

#[test]
fn frames_without_sub_packets() {
    let mut lane = lane(Some(1 << 20));
    let fin = |end| Some((Kind::Fin, 24 + 4 + 4, Some(end)));
    assert_eq!(said(&mut lane, 0, End::Open), None);
    assert!(!lane.has_told());
    // What is sent is reported once, and requested when that is due.
    assert_eq!(said(&mut lane, 0, End::Sent(5)), fin(5));
    assert!(lane.has_told());
    assert_eq!(said(&mut lane, 0, End::Sent(5)), None);
    let ask = Some((Kind::Ask, 24 + 4, None));
    assert_eq!(said(&mut lane, 100, End::Sent(5)), ask);
    assert_eq!(lane.waits, 1);
    // What has arrived is reported when that is due, or when nothing is on its way.
    assert_eq!(said(&mut lane, 101, End::Arrived(5)), None);
    assert_eq!(said(&mut lane, 300, End::Arrived(5)), fin(5));
    assert_eq!(lane.waits, 2);
    assert!(lane.report(Duration::from_millis(301), 0, &heard(2, 3)));
    assert_eq!(said(&mut lane, 301, End::Arrived(5)), fin(5));
    assert_eq!(lane.waits, 0);
    let bye = Some((Kind::Bye, 24 + 4, None));
    assert_eq!(said(&mut lane, 301, End::Confirmed), bye);
}

/// A report of a frame that was not sent, or of nothing, is none; one of no later frame is no news.
#[test]
fn reports_that_are_believed() {
    let at = Duration::from_millis;
    let mut lane = lane(Some(1 << 20));
    for sent in 0..4 {
        lane.frame(at(sent), FRAME, None, false);
    }
    assert!(!lane.report(at(5), 0, &Heard::default()));
    assert!(!lane.report(at(5), 0, &heard(4, 1)));
    assert!(lane.report(at(5), 0, &heard(1, 2)));
    assert_eq!((lane.frames(), lane.last_heard), ((2, 2), at(5)));
    assert!(lane.report(at(6), 0, &heard(1, 2)));
    assert_eq!((lane.frames(), lane.last_heard), ((2, 2), at(5)));
    assert!(!lane.report(at(6), 0, &heard(0, 2)));
    assert!(lane.report(at(7), 0, &heard(3, 4)));
    assert_eq!((lane.frames(), lane.last_heard), ((4, 4), at(7)));
}

/// A lane that was full was held back by that, and not by the end that sends.
#[test]
fn what_holds_a_lane_back() {
    let at = Duration::from_millis;
    let mut lane = lane(Some(1 << 20));
    let unasked = [(false, 1000), (false, 2000), (true, 0), (false, 1000)];
    for (asks, bytes) in unasked {
        let mut next = lane.clone();
        next.frame(at(0), 1000, None, asks);
        assert_eq!(next.unasked, bytes);
        lane.unasked = bytes;
    }
    lane.frame(at(0), FRAME, None, false);
    assert!(lane.report(at(1), 0, &heard(0, 1)) && !lane.held);
    for _ in 0..FIRST {
        lane.frame(at(1), FRAME, None, false);
    }
    assert!(lane.report(at(2), 0, &heard(1, 2)) && lane.held);
    lane.frame(at(2), FRAME, None, false);
    assert!(!lane.held);
    lane.held();
    assert!(lane.held && !lane.limited);
    lane.frame(at(2), FRAME, None, false);
    lane.starved();
    assert!(lane.held && lane.limited);
    assert!(lane.report(at(3), 0, &heard(2, 3)) && !lane.limited);
    // A channel that took the frame later.
    lane.gone(at(9));
    lane.gone(at(8));
    assert_eq!(lane.last_sent, at(9));
}

/// What comes out of order is expected for a hundred round trips, then half as much.
#[test]
fn reordering_is_forgotten() {
    let at = Duration::from_millis;
    let nano = Duration::from_nanos(1);
    let mut lane = lane(Some(1 << 20));
    for _ in 0..8 {
        lane.frame(at(0), FRAME, None, false);
    }
    lane.was_reordered(at(10));
    lane.was_reordered(at(20));
    assert_eq!(lane.reorder, 6);
    // A round trip of 10 ms.
    for (now, highest, reorder) in [(1020, 0, 6), (1021, 1, 3), (2021, 2, 3), (2022, 3, 1)] {
        assert!(lane.report(at(now), 10_000, &heard(highest, highest + 1)));
        assert_eq!(lane.reorder, reorder, "{now} ms");
    }
    assert!(lane.report(at(3022) + nano, 10_000, &heard(4, 5)) && lane.reorder == 0);
    for _ in 0..20 {
        lane.was_reordered(at(0));
    }
    assert_eq!(lane.reorder, MAX_REORDER);
}

#[test]
fn frames_that_are_settled() {
    let at = Duration::from_millis;
    let nano = Duration::from_nanos(1);
    let mut lane = lane(Some(1 << 20));
    assert_eq!((lane.settled(at(0)), lane.next_late()), (None, None));
    let runs = [run(0, 8, 0, false), run(8, 2, 0, false)];
    for run in runs {
        lane.frame(at(1), FRAME, [run], false);
        lane.frame(at(1), FRAME, None, false);
    }
    // Nothing was heard of any: one that is only late is not settled.
    assert_eq!((lane.settled(at(9000)), lane.next_late()), (None, None));
    assert_eq!(lane.oldest(), Some(runs[0]));
    // Frames out of order are expected: this one waits for two later ones, or until it is late.
    lane.was_reordered(at(0));
    for (highest, overtaken) in [(0, false), (1, false), (2, true)] {
        lane.heard = FrameSeq::new(highest + 1);
        assert_eq!(lane.settled(at(126) - nano).is_some(), overtaken);
        assert_eq!(lane.settled(at(126)), Some(runs[0]));
        assert_eq!(lane.next_late(), Some(at(1 + 125)));
    }
    lane.settle();
    assert_eq!((lane.oldest(), lane.settled(at(2))), (Some(runs[1]), None));
    assert_eq!(lane.abandon().collect::<Vec<_>>(), [runs[1]]);
    assert_eq!(lane.oldest(), None);
}

/// What the receiver has waited for in vain is settled if it was sent by then, and counts as
/// unanswered if an answer should have come.
#[test]
fn a_receiver_that_has_waited_in_vain() {
    let at = Duration::from_millis;
    let nano = Duration::from_nanos(1);
    let mut lane = lane(Some(1 << 20));
    lane.silence(at(9000), at(9000));
    assert_eq!(lane.waits, 0);
    lane.frame(at(5), FRAME, [run(0, 8, 0, false)], false);
    lane.silence(at(9000), at(5) - nano);
    assert_eq!((lane.outstanding(), lane.waits), (1, 0));
    lane.silence(at(100) - nano, at(5));
    assert_eq!((lane.outstanding(), lane.waits), (0, 0));
    assert!(lane.settled(at(100)).is_some());
    lane.frame(at(6), FRAME, None, false);
    lane.silence(at(100), at(6));
    let state = (lane.outstanding(), lane.waits, lane.last_heard);
    assert_eq!(state, (0, 1, at(100)));
}

#[test]
fn works_whose_loss_is_to_be_known_soon() {
    let params = Params {
        fec: super::super::params::Fec::Restore(8, 2),
        ..Params::PAPER
    };
    let bytes = 3 * 1216;
    for (run, awaited) in [
        (run(0, 3, 0, false), true),
        (run(1, 2, 0, false), true),
        (run(0, 2, 0, false), false),
        (run(0, 2, 0, true), true),
        (run(0, 1, 0, true), false),
    ] {
        assert_eq!(is_awaited(&params, &[work(run, bytes)], true), awaited);
    }
    for all in [false, true] {
        let again = work(run(0, 3, 1, false), bytes);
        assert_eq!(is_awaited(&params, &[again], all), all);
        // Of several works one is enough.
        let two = [run(0, 1, 0, false), run(1, 2, 0, false)].map(|run| work(run, bytes));
        assert!(is_awaited(&params, &two, all));
    }
}

#[test]
fn a_round_trip_is_shorter_than_half_the_clock() {
    let at = |echo| Heard {
        echo,
        ..heard(0, 1)
    };
    let longest = (1 << 31) - 1;
    let long = Some(Duration::from_micros(longest.into()));
    assert_eq!(way(longest, &at(0)), long);
    assert_eq!(way(1 << 31, &at(0)), None);
    assert_eq!(way(5, &at(u32::MAX)), Some(Duration::from_micros(6)));
}
