// SPDX-License-Identifier: Apache-2.0

use super::*;

/// A round trip that is a whole part of a second in binary, so that rates come out exactly.
const RTT: Duration = Duration::from_nanos(15_625_000);
const NANO: Duration = Duration::from_nanos(1);
/// Bytes per second of 16 frames of 1000 bytes in a round trip.
const SLOW: f64 = 16.0 * 1000.0 * 64.0;

/// Frames of 1000 bytes; a first round is open.
fn begun(pace: Pace) -> Rate {
    let mut rate = Rate::new(pace, 1000);
    rate.rtt_sample(Duration::ZERO, RTT);
    rate.delivered(Duration::ZERO, 0, 0, 0, false);
    rate
}

/// Gives a rate rounds of one round trip each.
struct Rounds {
    rate: Rate,
    now: Duration,
    arrived: u64,
    known: u64,
}

impl Rounds {
    fn new() -> Self {
        Rounds {
            rate: begun(Pace::Found),
            now: Duration::ZERO,
            arrived: 0,
            known: 0,
        }
    }

    /// The rate grows no longer by each round: 100 frames came in the best round, then half of
    /// them, and the next round lets the queue run empty.
    fn full() -> Self {
        let mut rounds = Rounds::new();
        rounds.next(100, 100, false);
        rounds.next(50, 100, false);
        assert!(!rounds.rate.is_starting());
        assert_eq!((rounds.rate.phase, rounds.rate.drain.is_some()), (1, true));
        // What chance takes is looked at in tests of its own.
        rounds.rate.drain = None;
        rounds
    }

    fn next(&mut self, arrived: u64, known: u64, limited: bool) {
        self.now += RTT;
        self.arrived += arrived;
        self.known += known;
        self.rate
            .delivered(self.now, self.arrived, self.known, 0, limited);
    }

    /// Frames wait on their way from now on: every round trip takes twice as long as the shortest.
    fn wait(&mut self) {
        for _ in 0..100 {
            self.rate.rtt_sample(self.now, RTT * 2);
        }
        // Rounds of the tests take one of the shortest none the less.
        self.now += RTT;
    }

    fn best(&self) -> f64 {
        self.rate.bandwidth().unwrap() / 64.0 / 1000.0
    }
}

#[test]
fn round_trips_are_smoothed() {
    let us = Duration::from_micros;
    let mut trip = RoundTrip::default();
    assert_eq!((trip.smoothed(), trip.long()), (None, None));
    trip.sample(us(100));
    assert_eq!(
        (trip.smoothed(), trip.long()),
        (Some(us(100)), Some(us(300)))
    );
    trip.sample(us(180));
    let long = us(110) + Duration::from_nanos(4 * 57_500);
    assert_eq!((trip.smoothed(), trip.long()), (Some(us(110)), Some(long)));
    let mut trip = RoundTrip::default();
    trip.sample(us(10));
    assert_eq!(trip.long(), Some(us(10 + 40)));
}

#[test]
fn the_shortest_round_trip_counts_for_ten_seconds() {
    let mut rate = begun(Pace::Found);
    assert_eq!((rate.bandwidth(), rate.in_flight()), (None, None));
    rate.delivered(RTT, 16, 16, 0, false);
    assert_eq!(
        (rate.bandwidth(), rate.in_flight()),
        (Some(SLOW), Some(16_000))
    );
    let second = Duration::from_secs(1);
    // As short a one makes it count from then on.
    rate.rtt_sample(second, RTT);
    rate.rtt_sample(second + RTT_MEMORY, RTT * 2);
    assert_eq!(rate.in_flight(), Some(16_000));
    rate.rtt_sample(second + RTT_MEMORY + NANO, RTT * 2);
    assert_eq!(rate.in_flight(), Some(32_000));
    rate.rtt_sample(second, Duration::ZERO);
    assert_eq!(rate.in_flight(), Some(1));
}

/// As long as a round trip, and no shorter than 100 us; of 16 frames at least.
#[test]
fn a_round_is_long_enough() {
    for (rtt_us, least_us) in [(10, 100), (1000, 1000)] {
        let mut rate = Rate::new(Pace::Found, 1000);
        // Without a round trip there is no round.
        rate.delivered(Duration::ZERO, 1, 1, 0, false);
        rate.rtt_sample(Duration::ZERO, Duration::from_micros(rtt_us));
        rate.delivered(Duration::ZERO, 0, 4, 0, false);
        let least = Duration::from_micros(least_us);
        assert!(rate.is_unknown());
        rate.delivered(least - NANO, 16, 20, 0, false);
        rate.delivered(least, 15, 19, 0, false);
        assert!(rate.is_unknown());
        rate.delivered(least, 16, 20, 0, false);
        assert!(!rate.is_unknown());
    }
}

/// One that was limited says of the lane that it carries as much, and not that it carries no more.
#[test]
fn a_limited_round_counts_where_it_is_the_fastest() {
    let mut rounds = Rounds::new();
    rounds.next(100, 100, true);
    assert_eq!(rounds.best(), 100.0);
    rounds.next(50, 50, true);
    rounds.next(90, 90, false);
    rounds.next(120, 120, true);
    assert_eq!(rounds.rate.fastest.len(), 1);
    assert_eq!(rounds.best(), 120.0);
    // It is limited if it ever was, and as fast is no faster.
    let (now, arrived, known) = (rounds.now, rounds.arrived, rounds.known);
    rounds.rate.delivered(now + NANO, arrived, known, 0, true);
    rounds.next(120, 120, false);
    assert_eq!(rounds.rate.fastest[0].0, now);
    rounds.next(120, 120, false);
    assert_eq!(rounds.rate.fastest[0].0, now + 2 * RTT);
    rounds.next(80, 80, false);
    assert_eq!(rounds.rate.fastest.len(), 2);
}

/// What arrived fastest counts for half a second, or ten round trips.
#[test]
fn the_fastest_round_is_forgotten() {
    for (rtt, memory) in [(RTT, MEMORY), (RTT * 8, RTT * 80)] {
        let mut rate = begun(Pace::Found);
        let rates: [(Duration, f64); 4] = [
            (Duration::ZERO, 5.0),
            (NANO, 4.0),
            (memory, 1.0),
            (memory + NANO, 2.0),
        ];
        let best = rates.map(|(now, it)| {
            rate.remember(now, it, rtt);
            rate.bandwidth().unwrap()
        });
        assert_eq!(best, [5.0, 5.0, 5.0, 4.0]);
        assert_eq!(rate.fastest.len(), 2);
        rate.remember(memory + 2 * NANO, 2.0, rtt);
        let left = [(memory + 2 * NANO, 2.0)];
        assert_eq!(rate.fastest, left);
    }
}

/// Three rounds that are not a quarter faster than the plateau end the start; limited ones do not.
#[test]
fn a_lane_that_grows_no_longer() {
    let mut rounds = Rounds::new();
    for (arrived, limited, starting) in [
        (100, false, true),
        (126, false, true),
        (150, false, true),
        (157, false, true),
        (157, true, true),
        (158, false, true),
        (197, false, true),
        (197, false, true),
        (100, false, false),
    ] {
        rounds.next(arrived, arrived, limited);
        assert_eq!(rounds.rate.is_starting(), starting, "{arrived}");
    }
    assert!(!begun(Pace::Free).is_starting());
}

/// While the rate grows, loss beyond that by chance ends it, and the next round empties the queue.
#[test]
fn loss_ends_the_start() {
    for (lost, starting) in [(10, true), (11, false)] {
        let mut rounds = Rounds::new();
        rounds.next(100, 100, false);
        rounds.next(100 - lost, 100, false);
        assert_eq!(rounds.rate.is_starting(), starting);
        assert_eq!(rounds.rate.chance, Some(0.0));
        assert_eq!(rounds.rate.gain(), if starting { START } else { 0.75 });
    }
    // Chance takes a quarter, as it has from the beginning.
    for (arrived, starting) in [(65, true), (64, false)] {
        let mut rounds = Rounds::new();
        rounds.next(75, 100, false);
        rounds.next(arrived, 100, false);
        assert_eq!(rounds.rate.is_starting(), starting);
        assert_eq!(rounds.rate.chance, Some(0.25));
    }
}

#[test]
fn what_is_lost_of_frames() {
    assert_eq!((lost(100, 100), lost(75, 100)), (0.0, 0.25));
    assert_eq!(
        (lost(0, 100), lost(0, 0), lost(3, 2)),
        (MOST_CHANCE, MOST_CHANCE, 0.0)
    );
}

/// A try, the round that empties its queue, and six of the rate that was found.
#[test]
fn rounds_take_turns() {
    let mut rounds = Rounds::full();
    let mut gains = Vec::new();
    for _ in 0..9 {
        gains.push(rounds.rate.gain());
        rounds.next(100, 100, false);
    }
    assert_eq!(gains, [0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.25, 0.75]);
    // More than a tenth more than the best: the next round tries again.
    for (arrived, phase) in [(110, 3), (122, 0)] {
        rounds.rate.phase = 2;
        rounds.next(arrived, arrived, false);
        assert_eq!(rounds.rate.phase, phase);
    }
    rounds.rate.phase = 2;
    rounds.next(200, 200, true);
    assert_eq!(rounds.rate.phase, 3);
}

/// Where much is lost and frames wait, twice, what arrived fastest counts no longer.
#[test]
fn a_lane_that_carries_less() {
    let mut rounds = Rounds::full();
    // Frames that do not wait are lost by chance.
    rounds.next(50, 100, false);
    rounds.next(50, 100, false);
    assert_eq!((rounds.best(), rounds.rate.crowded), (100.0, None));
    rounds.wait();
    rounds.rate.phase = 3;
    let mut round = |arrived, known| {
        rounds.now += RTT;
        rounds.next(arrived, known, false);
        (rounds.best(), rounds.rate.crowded, rounds.rate.phase)
    };
    // 40 and 60 frames in two of the shortest round trips.
    round(95, 100);
    let crowded = Some(20.0 * 64.0 * 1000.0);
    assert_eq!(round(40, 100), (100.0, crowded, 5));
    // One between them that lost no more than by chance, but was not limited.
    assert_eq!(round(90, 100), (100.0, None, 6));
    assert_eq!(round(40, 100), (100.0, crowded, 7));
    assert_eq!(round(60, 100), (30.0, None, 1));
    let times: Vec<_> = rounds.rate.fastest.iter().map(|it| it.0).collect();
    assert_eq!(times, [rounds.now]);
}

/// A round that was limited says nothing of whether the lane still carries less.
#[test]
fn a_limited_round_between() {
    let mut rounds = Rounds::full();
    rounds.wait();
    rounds.now += RTT;
    rounds.next(40, 100, false);
    rounds.now += RTT;
    rounds.next(90, 100, true);
    assert!(rounds.rate.crowded.is_some());
}

/// What chance takes is learned from the frames of a round that lets the queue run empty: a quarter
/// of the difference.
#[test]
fn chance_is_learned_where_the_queue_is_empty() {
    let mut rate = begun(Pace::Found);
    rate.delivered(RTT, 100, 100, 0, false);
    // It begins with those that are sent from now on, of which 40 fly now.
    rate.delivered(RTT * 2, 150, 200, 40, false);
    assert_eq!(rate.gain(), 0.75);
    let drain = |rate: &Rate| rate.drain.map(|it| (it.first, it.end, it.begun));
    assert_eq!(drain(&rate), Some((240, None, None)));
    rate.delivered(RTT * 2 + NANO, 180, 239, 0, false);
    assert_eq!(drain(&rate), Some((240, None, None)));
    rate.delivered(RTT * 2 + NANO, 180, 240, 0, false);
    assert_eq!(drain(&rate), Some((240, None, Some((180, 240)))));
    // The round after it: 60 fly, and are the last.
    rate.delivered(RTT * 3, 220, 280, 60, false);
    assert_eq!((rate.gain(), rate.chance), (1.0, Some(0.0)));
    assert_eq!(drain(&rate), Some((240, Some(340), Some((180, 240)))));
    rate.delivered(RTT * 4, 250, 339, 99, false);
    assert_eq!(drain(&rate), Some((240, Some(340), Some((180, 240)))));
    // Of 100 half have arrived.
    rate.delivered(RTT * 4 + NANO, 230, 340, 0, false);
    assert_eq!(
        (drain(&rate), rate.chance),
        (None, Some(0.5 * CHANCE_WEIGHT))
    );
}

#[test]
fn what_chance_takes_comes_on_top() {
    for (pace, phase, chance, allowed) in [
        (Pace::Found, 2, None, Some(SLOW)),
        (Pace::Found, 2, Some(0.5), Some(2.0 * SLOW)),
        (Pace::Found, 0, Some(0.5), Some(2.5 * SLOW)),
        (Pace::Found, 1, Some(0.5), Some(0.75 * SLOW)),
        (Pace::Capped(8000), 2, None, Some(1000.0)),
        (Pace::Capped(1 << 40), 2, None, Some(SLOW)),
        (Pace::Free, 2, None, None),
    ] {
        let mut rate = begun(pace);
        rate.delivered(RTT, 16, 16, 0, false);
        (rate.starting, rate.phase, rate.chance) = (false, phase, chance);
        assert_eq!(rate.allowed(), allowed, "{pace:?} {phase}");
    }
    // Half a frame in a round trip, at least.
    let mut rate = begun(Pace::Found);
    rate.remember(RTT, 1.0, RTT);
    assert_eq!(rate.allowed(), Some(0.5 * 1000.0 * 64.0));
    let unknown = |pace| Rate::new(pace, 1000).allowed();
    assert_eq!(unknown(Pace::Found), None);
    assert_eq!(unknown(Pace::Capped(8000)), Some(1000.0));
}

/// No more than fits a millisecond, or a quarter of a round trip.
#[test]
fn frames_that_go_out_at_once() {
    let burst = |rtt, frames_per_s: f64| {
        let mut rate = Rate::new(Pace::Found, 1000);
        rate.rtt_sample(Duration::ZERO, rtt);
        rate.remember(Duration::ZERO, frames_per_s * 1000.0, rtt);
        rate.starting = false;
        rate.phase = 2;
        rate.burst()
    };
    assert_eq!(burst(RTT, 10_500.0), 10 + 1);
    assert_eq!(burst(Duration::from_micros(400), 105_000.0), 10 + 1);
    // Where there is next to no way, a batch is worth its call nevertheless.
    assert_eq!(burst(Duration::from_micros(8), 205_000.0), 10 + 1);
    assert_eq!(burst(RTT, 100.0), 1);
    assert_eq!(Rate::new(Pace::Found, 1000).burst(), usize::MAX);
}

/// A lane that was kept waiting catches up for a while; what it was late beyond a pause counts.
#[test]
fn frames_are_paced() {
    let us = Duration::from_micros;
    let mut rate = Rate::new(Pace::Capped(8_000_000), 1000);
    assert_eq!(rate.next(), us(0));
    for (now, held, next, late) in [
        (0, false, 1000, 0),
        (500, false, 2000, 0),
        (2250, false, 3000, 0),
        (2251 + 1000, false, 4001, 0),
        // Not more than a pause after what may be caught up.
        (4001 + 250 + 500, false, 5501, 0),
        (5501 + 250 + 501, true, 7002, 0),
        (7002 + 250 + 501, false, 8503, 501),
        (8503 + 250 + 600, false, 10_103, 1101),
    ] {
        rate.sent(us(now), 1000, held);
        assert_eq!((rate.next(), rate.late), (us(next), us(late)), "{now}");
    }
    // Nothing is known of a lane: nothing holds it back.
    let mut rate = Rate::new(Pace::Found, 1000);
    rate.sent(us(5), 1000, false);
    assert_eq!(rate.next(), us(0));
}

/// What comes of an end that was late in a round and the one before says more of the end than of
/// the lane.
#[test]
fn an_end_that_was_late() {
    // Half of a round, and the same of the round before.
    let late = |mut rounds: Rounds, shares: [u32; 2], arrived| {
        for (share, frames) in shares.into_iter().zip([16, arrived]) {
            rounds.rate.late = RTT * share / 16;
            rounds.next(frames, frames, false);
        }
        rounds
    };
    // While the rate grows it is taken off whole: the lesser of both, and no more than nine tenths.
    for (shares, best) in [
        ([8, 8], 64.0),
        ([4, 8], 32.0 / 0.75),
        ([8, 4], 32.0 / 0.75),
        ([32, 32], 32.0 / (1.0 - 0.9)),
    ] {
        let rounds = late(Rounds::new(), shares, 32);
        assert!((rounds.best() - best).abs() < 1e-9, "{shares:?}");
        assert_eq!(rounds.rate.late, Duration::ZERO);
    }
    // Then half of it, where frames do not wait.
    assert_eq!(late(Rounds::full(), [8, 8], 96).best(), 96.0 / 0.75);
    let mut waiting = Rounds::full();
    for _ in 0..100 {
        waiting.rate.rtt_sample(waiting.now, RTT.mul_f64(1.3));
    }
    waiting.rate.fastest.clear();
    waiting.rate.late_before = 0.5;
    waiting.rate.late = RTT / 2;
    waiting.now += RTT;
    waiting.next(64, 64, false);
    assert_eq!(waiting.best(), 32.0);
    // From an eighth on the round counts as limited: it is remembered where it is the fastest.
    for (shares, remembered) in [([2, 2], 2), ([3, 0], 1), ([0, 3], 1)] {
        let mut rounds = Rounds::full();
        rounds.rate.fastest.truncate(1);
        rounds.rate.late_before = f64::from(shares[0]) / 16.0;
        rounds.rate.late = RTT * shares[1] / 16;
        rounds.next(16, 16, false);
        assert_eq!(rounds.rate.fastest.len(), remembered, "{shares:?}");
    }
}
