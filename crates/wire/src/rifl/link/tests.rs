// SPDX-License-Identifier: Apache-2.0
//! The protocol against an adversary: errors, bursts and cuts where they hurt most. Each repair of
//! the published protocol is switched off once to show that these tests notice.

use super::super::code;
use super::super::frame::{Control, Kind};
use super::super::params::{FrameWidth, IdWidth};
use super::*;
use Direction::{AToB, BToA};

impl Random {
    /// Fresh numbers for a test; `SEED` in the environment repeats a run. The seed is printed.
    pub(crate) fn fresh(name: &str) -> Self {
        use std::hash::{BuildHasher, RandomState};
        let seed = match std::env::var("SEED") {
            Ok(text) => text.parse().expect("SEED is a number"),
            Err(_) => RandomState::new().hash_one(name),
        };
        println!("{name}: SEED={seed}");
        Random::new(seed)
    }
}

const BOTH: [Direction; 2] = [AToB, BToA];

fn lane(frame: FrameWidth, id: u32) -> LaneParams {
    LaneParams::new(frame, IdWidth::new(id).unwrap())
        .with_up_frames(32)
        .unwrap()
}

/// K = 64, limit 32.
fn small() -> LaneParams {
    lane(FrameWidth::W256, 6)
}

fn none(_: Direction, _: &TxTick, _: &mut Frame) {}

fn flip(frame: &mut Frame, random: &mut Random) {
    let words = frame.words_mut();
    let place = random.below(words.len() as u64) as usize;
    words[place] ^= 1 << random.below(64);
}

fn noise(frame: &mut Frame, random: &mut Random) {
    frame
        .words_mut()
        .iter_mut()
        .for_each(|word| *word = random.bits());
}

/// Up, and with a full buffer of user data behind it.
fn running(config: LinkConfig) -> Link {
    let mut link = Link::new(config).unwrap();
    let frames = u64::from(config.lane.id().frames());
    assert!(link.bring_up(4000 + 20 * frames), "no link: {config:?}");
    link.run(2 * frames, none);
    link
}

/// Why a run is not lossless, if it is not. A run with damage that the code cannot see is no
/// evidence.
fn failure(link: &mut Link) -> Option<String> {
    let frames = u64::from(link.config.lane.id().frames());
    let settled = link.settle(20_000 + 40 * frames);
    if (settled && link.clean()) || link.ends.iter().any(|end| end.unseen() > 0) {
        return None;
    }
    let behind = [link.end(0).most_behind(), link.end(1).most_behind()];
    Some(format!(
        "settled {settled}, behind {behind:?}, {:?}, {:?}, {:?}",
        link.score(AToB),
        link.score(BToA),
        link.config
    ))
}

fn assert_lossless(link: &mut Link, what: &dyn std::fmt::Debug) {
    if let Some(failure) = failure(link) {
        panic!("{what:?}: {failure}");
    }
}

/// What happens to the frame that a direction sends in a tick.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Damage {
    Bit,
    /// Bit of the id in the code: the frame is undamaged, but names another one.
    Name(u64),
    /// Frames of noise.
    Noise(u64),
    /// Frames of zeros.
    Cut(u64),
}

/// Runs `ticks` with damage at given ticks.
fn run_plan(link: &mut Link, plan: &[(Direction, u64, Damage)], ticks: u64, random: &mut Random) {
    let mut now = [0, 0];
    link.run(ticks, |direction, _, frame| {
        let tick = now[direction.from()];
        now[direction.from()] += 1;
        for &(_, start, damage) in plan.iter().filter(|item| item.0 == direction) {
            match damage {
                Damage::Bit if tick == start => flip(frame, random),
                Damage::Name(bit) if tick == start => frame.set_code(frame.code() ^ 1 << bit),
                Damage::Noise(n) if (start..start + n).contains(&tick) => noise(frame, random),
                Damage::Cut(n) if (start..start + n).contains(&tick) => frame.words_mut().fill(0),
                _ => {}
            }
        }
    });
}

#[test]
fn a_clean_line_carries_a_segment_in_every_frame() {
    for frame in [FrameWidth::W256, FrameWidth::W512] {
        let mut link = running(LinkConfig::saturated(lane(frame, 6), 20, 1));
        let before = link.score(AToB).delivered;
        link.run(10_000, none);
        assert_eq!(link.score(AToB).delivered - before, 10_000);
        assert_lossless(&mut link, &frame);
        assert_eq!(
            link.end(0).retransmissions() + link.end(1).retransmissions(),
            0
        );
    }
}

#[test]
fn the_scoreboard_notices() {
    let traffic = || {
        let mut traffic = Traffic::new(small(), 5);
        traffic.score.sent = 100;
        traffic
    };
    let segments: Vec<Segment> = (0..100).map(|n| traffic().segment(n).unwrap()).collect();
    let long: Vec<usize> = (0..100)
        .filter(|&n| segments[n].bytes().len() >= 8)
        .collect();
    let score = |order: &[usize]| {
        let mut traffic = traffic();
        order.iter().for_each(|&n| traffic.deliver(&segments[n]));
        traffic.score
    };
    let first: Vec<usize> = (0..long[20]).collect();
    assert!(score(&first).clean());
    let skipped = first
        .iter()
        .chain(&[long[20] + 1, long[22]])
        .copied()
        .collect::<Vec<_>>();
    assert!(score(&skipped).lost + score(&skipped).corrupted > 0);
    let again = first.iter().chain(&[long[3]]).copied().collect::<Vec<_>>();
    assert_eq!(score(&again).duplicated, 1);
    let swapped = first
        .iter()
        .chain(&[long[21], long[20]])
        .copied()
        .collect::<Vec<_>>();
    assert_eq!(
        (score(&swapped).reordered, score(&swapped).lost),
        (1, (long[21] - long[20]) as u64 - 1)
    );
    let mut changed = traffic();
    let mut bytes = segments[long[0]].bytes().to_vec();
    bytes[3] ^= 1;
    changed.deliver(&Segment::new(FrameWidth::W256, &bytes, true).unwrap());
    assert_eq!(changed.score.corrupted, 1);
    let mut unsent = traffic();
    unsent.score.sent = 0;
    unsent.deliver(&segments[0]);
    assert_eq!(unsent.score.corrupted, 1);
}

#[test]
fn an_error_in_each_slot_of_a_retransmission() {
    let mut random = Random::fresh("slots");
    for round_trip in [2, 17, 32] {
        for second in 1..230 {
            for direction in BOTH {
                let mut link = running(LinkConfig::saturated(small(), round_trip, random.bits()));
                let plan = [(AToB, 0, Damage::Bit), (direction, second, Damage::Bit)];
                run_plan(&mut link, &plan, 300, &mut random);
                assert!(link.end(0).retransmissions() > 0);
                assert_lossless(&mut link, &(round_trip, plan));
            }
        }
    }
}

/// Such a frame, data or control, may even be the one that the receiver looks for after an error;
/// then the next is not.
#[test]
fn a_frame_that_names_another_one_loses_nothing() {
    let mut random = Random::fresh("names");
    for round_trip in [2, 17, 32] {
        for second in 1..230 {
            for direction in BOTH {
                let mut link = running(LinkConfig::saturated(small(), round_trip, random.bits()));
                let [first, other] = [(); 2].map(|()| Damage::Name(random.below(6)));
                let plan = [(AToB, 0, first), (direction, second, other)];
                run_plan(&mut link, &plan, 300, &mut random);
                assert!(link.end(0).retransmissions() > 0);
                assert!(link.settle(20_000) && link.clean(), "{plan:?}");
            }
        }
    }
}

#[test]
fn errors_in_both_directions_at_all_phase_offsets() {
    let mut random = Random::fresh("phases");
    for round_trip in [2, 9, 32] {
        for offset in 0..150 {
            let mut link = running(LinkConfig::saturated(small(), round_trip, random.bits()));
            let third = (
                BOTH[random.below(2) as usize],
                random.below(300),
                Damage::Bit,
            );
            let plan = [(AToB, 0, Damage::Bit), (BToA, offset, Damage::Bit), third];
            run_plan(&mut link, &plan, 400, &mut random);
            assert_lossless(&mut link, &(round_trip, plan));
        }
    }
}

#[test]
fn damaged_requests() {
    let mut random = Random::fresh("requests");
    for round_trip in [2, 20, 32] {
        // Every n-th frame of the direction that carries the requests is damaged.
        for every in 2..40u64 {
            let mut link = running(LinkConfig::saturated(small(), round_trip, random.bits()));
            run_plan(&mut link, &[(AToB, 0, Damage::Bit)], 1, &mut random);
            let mut n = 0;
            link.run(600, |direction, _, frame| {
                n += u64::from(direction == BToA);
                if direction == BToA && n % every == 0 {
                    flip(frame, &mut random);
                }
            });
            assert_lossless(&mut link, &(round_trip, every));
        }
        // A long outage of that direction while the other one has an error.
        for length in [1, 7, 8, 9, 30, 100, 500] {
            for start in [0, 5, u64::from(round_trip)] {
                let mut link = running(LinkConfig::saturated(small(), round_trip, random.bits()));
                let plan = [(AToB, 3, Damage::Bit), (BToA, start, Damage::Noise(length))];
                run_plan(&mut link, &plan, 700, &mut random);
                assert_lossless(&mut link, &(round_trip, plan));
            }
        }
    }
}

/// A retransmission that nobody asked for, started `times` times.
fn unasked(link: &mut Link, times: u64) {
    for _ in 0..times {
        link.ends[0].rx.force_retrans_req();
        link.run(40, none);
    }
}

#[test]
fn requests_without_need() {
    let mut random = Random::fresh("unasked");
    for round_trip in 2..=32 {
        let mut link = running(LinkConfig::saturated(small(), round_trip, random.bits()));
        unasked(&mut link, 5);
        assert!(link.end(0).retransmissions() > 0);
        assert_lossless(&mut link, &round_trip);
    }
}

#[test]
fn cuts_at_any_moment_of_a_recovery() {
    let mut random = Random::fresh("cuts");
    for round_trip in [2, 20, 32] {
        for start in (0..200).step_by(3) {
            for (length, directions) in [
                (5, 1),
                (12, 2),
                (20, 3),
                (40, 1),
                (40, 3),
                (300, 2),
                (1500, 3),
            ] {
                let mut link = running(LinkConfig::saturated(small(), round_trip, random.bits()));
                let kind = if random.chance(128) {
                    Damage::Cut
                } else {
                    Damage::Noise
                };
                let mut plan = vec![(AToB, 0, Damage::Bit)];
                for direction in BOTH.into_iter().filter(|d| directions >> d.from() & 1 == 1) {
                    plan.push((direction, start, kind(length)));
                }
                // The line comes back and goes again, in the middle of the next attempt.
                if random.chance(128) {
                    let again = start + length + 700 + random.below(200);
                    plan.push((BOTH[random.below(2) as usize], again, kind(20)));
                }
                run_plan(&mut link, &plan, 2800, &mut random);
                assert_lossless(&mut link, &(round_trip, plan));
            }
        }
    }
}

/// Cuts that return as soon as the requests after the last one have been noticed, before anything
/// could be delivered: each time the peer may have sent something new.
fn repeated_cuts(link: &mut Link, times: usize, random: &mut Random) {
    let mut up_for = 0;
    let mut cut_left = 40;
    let mut cuts = 0;
    for _ in 0..40_000 {
        let up = link.end(1).rx().up();
        up_for = if up { up_for + 1 } else { 0 };
        if up_for == 30 && cut_left == 0 && cuts < times {
            cut_left = 30;
            cuts += 1;
        }
        let cut = cut_left > 0;
        cut_left -= u64::from(cut);
        link.run(1, |direction, _, frame| {
            if cut && direction == AToB {
                noise(frame, random);
            }
        });
    }
}

#[test]
fn repeated_cuts_do_not_exhaust_the_buffer() {
    let mut random = Random::fresh("repeated");
    for round_trip in 2..=32 {
        let mut link = running(LinkConfig::saturated(small(), round_trip, random.bits()));
        repeated_cuts(&mut link, 20, &mut random);
        assert_lossless(&mut link, &round_trip);
    }
}

#[test]
fn the_buffer_never_overflows_when_an_error_meets_a_stop() {
    let mut random = Random::fresh("stop");
    for round_trip in [2, 20, 32] {
        for offset in 0..160 {
            for first in BOTH {
                let mut config = LinkConfig::saturated(small(), round_trip, random.bits());
                // Data in one direction only, or both.
                config.offer[1] = if random.chance(128) { 256 } else { 0 };
                let mut link = running(config);
                // 65 segments until the buffer asks for a stop: errors from well before to well
                // after.
                link.end_mut(1).stall(true);
                let second = (
                    BOTH[random.below(2) as usize],
                    random.below(250),
                    Damage::Bit,
                );
                let plan = [(first, offset, Damage::Bit), second];
                run_plan(&mut link, &plan, 600, &mut random);
                assert!(link.end(1).flow().level() > 64);
                // Reading goes on and stops again at any moment.
                for _ in 0..6 {
                    link.end_mut(1).stall(random.chance(128));
                    run_plan(&mut link, &[second], random.below(200), &mut random);
                }
                assert_lossless(&mut link, &(round_trip, plan));
            }
        }
    }
}

#[test]
fn ids_wrap_on_a_quiet_line() {
    let mut random = Random::fresh("quiet");
    let mut config = LinkConfig::saturated(small(), 20, random.bits());
    config.offer = [0; 2];
    let mut link = running(config);
    for round in 0..200 {
        link.run(64 * 5 + round, none);
        run_plan(&mut link, &[(AToB, 0, Damage::Bit)], 200, &mut random);
        link.config.offer = [256; 2];
        link.run(round % 7, none);
        link.config.offer = [0; 2];
    }
    assert!(link.score(AToB).sent > 300);
    assert_lossless(&mut link, &"quiet");
}

#[test]
fn errors_during_start_up() {
    let mut random = Random::fresh("start-up");
    for round_trip in [2, 9, 32] {
        for start in 0..420 {
            let mut config = LinkConfig::saturated(small(), round_trip, random.bits());
            config.accept[1] = [256, 0][random.below(2) as usize];
            let mut link = Link::new(config).unwrap();
            let kind = |random: &mut Random| match random.below(4) {
                0 => Damage::Noise(1 + random.below(150)),
                1 => Damage::Cut(1 + random.below(150)),
                _ => Damage::Bit,
            };
            let mut plan = vec![(AToB, start, kind(&mut random))];
            for _ in 0..random.below(4) {
                let direction = BOTH[random.below(2) as usize];
                plan.push((direction, random.below(500), kind(&mut random)));
            }
            run_plan(&mut link, &plan, 1500, &mut random);
            link.config.accept[1] = 256;
            assert_lossless(&mut link, &(round_trip, plan));
        }
    }
}

/// Errors towards end 1 that keep it from sending data while its peer gets through the first K
/// frames, and a user at end 1 who does not read. End 0 delivers from id 16 on, like the published
/// core.
fn stop_among_the_first_frames(link: &mut Link, random: &mut Random) {
    let mut ready = false;
    for _ in 0..1500 {
        ready |= link.end(0).last().is_some_and(|tick| tick.link_up);
        let sending = link
            .end(0)
            .last()
            .is_some_and(|tick| tick.state >= TxState::Retrans);
        let flags = link.end(1).rx().flags();
        let hit = !ready && flags.up && !flags.error && sending && random.below(6) == 0;
        link.run(1, |direction, _, frame| {
            if hit && direction == AToB {
                flip(frame, random);
            }
        });
    }
}

fn start_up_stops(random: &mut Random, change: impl Fn(&mut Link)) -> Result<(), String> {
    for round in 0..600 {
        let mut config = LinkConfig::saturated(small(), 4 + round % 8, random.bits());
        config.accept = [256, 0];
        let mut link = Link::new(config).unwrap();
        link.ends[0].rx.deliver_from_16();
        change(&mut link);
        stop_among_the_first_frames(&mut link, random);
        if !link.clean() {
            return Err(format!("{:?}", link.score(AToB)));
        }
    }
    Ok(())
}

#[test]
fn a_stop_is_never_among_the_frames_that_nobody_delivers() {
    start_up_stops(&mut Random::fresh("first frames"), |_| {}).unwrap();
}

/// Both ends come up; end 0 still believes in Pause when noise hits it, and end 1 sends on.
fn error_in_pause(change: impl Fn(&mut Link), random: &mut Random) -> Option<String> {
    let mut link = Link::new(LinkConfig::saturated(small(), 10, 3)).unwrap();
    change(&mut link);
    let mut left = 300;
    link.run(2000, |direction, tick, frame| {
        // From the first frame on that is not a Pause request. The headers are those of control
        // frames, so the alignment holds; nothing else does.
        if direction == BToA && tick.state >= TxState::Pause && left > 0 {
            left -= 1;
            noise(frame, random);
            frame.words_mut()[0] = frame.words()[0] & !(3 << 62) | 2 << 62;
        }
    });
    failure(&mut link)
}

#[test]
fn an_error_in_pause_is_told() {
    let mut random = Random::fresh("pause");
    for _ in 0..20 {
        assert_eq!(error_in_pause(|_| {}, &mut random), None);
    }
}

/// The line towards end 1 repeats the last frame, an Idle frame, for a while.
fn repeated_frame(change: impl Fn(&mut Link), random: &mut Random) -> Option<String> {
    let mut link = running(LinkConfig::saturated(small(), 10, random.bits()));
    change(&mut link);
    let mut held = None;
    let mut left = 200;
    // An error in the other direction makes end 0 send Idle frames when it is over.
    run_plan(&mut link, &[(BToA, 0, Damage::Bit)], 1, random);
    let mut idle = 0;
    link.run(800, |direction, tick, frame| {
        if direction == BToA {
            return;
        }
        idle += u32::from(
            tick.state == TxState::Normal && tick.plain.kind() == Kind::Control(Control::Idle),
        );
        if idle == 50 && left > 0 {
            left -= 1;
            *frame = *held.get_or_insert(*frame);
        } else if held.is_some() && left > 0 {
            left -= 1;
            *frame = held.unwrap_or(*frame);
        }
    });
    // The repeated frame counts as damage that the code did not see; here that is the point.
    link.ends.iter_mut().for_each(|end| end.unseen = 0);
    failure(&mut link)
}

#[test]
fn a_line_that_repeats_a_frame_is_noticed() {
    let mut random = Random::fresh("repeat");
    for _ in 0..20 {
        assert_eq!(repeated_frame(|_| {}, &mut random), None);
    }
}

// ---- each repair is needed -----------------------------------------------------------------------

#[test]
fn sending_the_oldest_frame_again_duplicates() {
    let mut link = running(LinkConfig::saturated(small(), 20, 1));
    link.ends[0].tx.rules.skip_oldest = false;
    unasked(&mut link, 1);
    link.settle(5000);
    assert!(link.score(AToB).duplicated > 0, "{:?}", link.score(AToB));
}

#[test]
fn clearing_the_error_only_on_delivery_never_ends() {
    // The last frame before a long silence of data is damaged: nothing new is there to be
    // delivered.
    let mut config = LinkConfig::saturated(small(), 20, 1);
    config.accept = [256, 0];
    for cleared in [true, false] {
        let mut link = running(config);
        link.ends[1].rx.rules.clear_before_delivery = cleared;
        link.run(300, none);
        run_plan(
            &mut link,
            &[(AToB, 0, Damage::Bit)],
            3000,
            &mut Random::new(1),
        );
        assert_eq!(link.end(1).rx().flags().error, !cleared);
    }
}

#[test]
fn a_stop_among_the_first_frames_is_lost_without_the_rule() {
    let result = start_up_stops(&mut Random::fresh("first frames, unguarded"), |link| {
        link.ends
            .iter_mut()
            .for_each(|end| end.tx.rules.first_16_invalid = false);
        // The wait after Pause hides the case in part.
        link.ends
            .iter_mut()
            .for_each(|end| end.tx.rules.resume_after_pause = false);
    });
    assert!(result.is_err());
}

#[test]
fn an_error_in_pause_is_fatal_without_the_rule() {
    let mut random = Random::fresh("pause, untold");
    let untold = |link: &mut Link| {
        link.ends
            .iter_mut()
            .for_each(|end| end.tx.rules.ask_in_pause = false);
    };
    assert!((0..20).any(|_| error_in_pause(untold, &mut random).is_some()));
}

#[test]
fn a_repeated_frame_loses_data_without_the_rule() {
    let mut random = Random::fresh("repeat, unseen");
    let blind = |link: &mut Link| {
        link.ends
            .iter_mut()
            .for_each(|end| end.rx.rules.defined_keys = false);
    };
    assert!((0..20).any(|_| repeated_frame(blind, &mut random).is_some()));
}

#[test]
fn a_round_trip_beyond_the_limit_fails() {
    let mut random = Random::fresh("beyond");
    let broken = (0..40).any(|_| {
        let mut link = running(LinkConfig::saturated(small(), 64, random.bits()));
        run_plan(&mut link, &[(AToB, 0, Damage::Bit)], 500, &mut random);
        failure(&mut link).is_some()
    });
    assert!(broken, "the limit is not tight at all");
}

// ---- clocks --------------------------------------------------------------------------------------

#[test]
fn clock_offsets_are_compensated() {
    let mut random = Random::fresh("ppm");
    for ppm in [-1000, -200, -1, 0, 1, 200, 1000] {
        let mut config = LinkConfig::saturated(small(), 20, random.bits());
        config.ppm = ppm;
        let mut faults = [
            Faults::bits(random.bits(), 1e-7),
            Faults::bits(random.bits(), 1e-7),
        ];
        let mut link = running(config);
        link.run(200_000, |direction, _, frame| {
            faults[direction.from()].apply(frame);
        });
        assert_lossless(&mut link, &ppm);
    }
    // The same without it: the crossing of the slower end runs over.
    let mut config = LinkConfig::saturated(small(), 20, 1);
    config.ppm = 1000;
    let mut link = running(config);
    link.ends
        .iter_mut()
        .for_each(|end| end.compensating = false);
    link.run(100_000, none);
    assert!(link.score(BToA).overflowed > 0);
}

// ---- at random -----------------------------------------------------------------------------------

/// A link with everything at random; `None` if nothing was lost.
fn random_link(seed: u64, ids: std::ops::RangeInclusive<u32>, ticks: u64) -> (Option<String>, u64) {
    let mut random = Random::new(seed);
    let id = ids.start() + random.below(u64::from(ids.end() - ids.start() + 1)) as u32;
    let width = [FrameWidth::W256, FrameWidth::W512][random.below(2) as usize];
    let lane = lane(width, id);
    let limit = u64::from(lane.id().rtt_limit());
    // The limit itself as often as anything below it.
    let round_trip = if random.chance(100) {
        limit
    } else {
        2 + random.below(limit - 1)
    };
    let mut config = LinkConfig::saturated(lane, round_trip as u32, random.bits());
    let rates = [256, 256, 200, 60, 4];
    config.offer = [
        rates[random.below(5) as usize],
        rates[random.below(5) as usize],
    ];
    config.accept = [
        rates[random.below(5) as usize],
        rates[random.below(5) as usize],
    ];
    let ber = [0.0, 1e-6, 1e-5, 5e-5, 2e-4][random.below(5) as usize];
    let mut faults = [
        Faults::bits(random.bits(), ber),
        Faults::bits(random.bits(), ber),
    ];
    for faults in &mut faults {
        faults.burst_rate = [0.0, 1e-4, 1e-3][random.below(3) as usize];
        faults.burst_frames = 1 + random.below(30);
        faults.cut_rate = [0.0, 1e-4, 5e-4][random.below(3) as usize];
        faults.cut_frames = 1 + random.below(300);
    }
    let mut link = Link::new(config).unwrap();
    link.run(ticks, |direction, _, frame| {
        faults[direction.from()].apply(frame)
    });
    let failure = failure(&mut link).map(|text| format!("{faults:?}: {text}"));
    (failure, link.frames())
}

#[test]
fn random_links() {
    let mut random = Random::fresh("random links");
    let mut frames = 0;
    let mut inspected = 0;
    while frames < 12_000_000 {
        let seed = random.bits();
        let (failure, run) = random_link(seed, 6..=8, 20_000);
        assert_eq!(failure, None, "link seed {seed}");
        frames += run;
        inspected += 1;
    }
    println!("{inspected} links, {frames} frames, nothing lost");
}

#[test]
fn every_id_width_up_to_its_limit() {
    let mut random = Random::fresh("id widths");
    for id in 6..=12 {
        let lane = lane(FrameWidth::W256, id);
        let limit = u32::from(lane.id().rtt_limit());
        let step = if id == 6 { 1 } else { (limit - 2) / 3 };
        for round_trip in (2..=limit).rev().step_by(step.max(1) as usize) {
            let mut link = running(LinkConfig::saturated(lane, round_trip, random.bits()));
            // About one error in each procedure, so that they run into each other.
            let ber = 0.5 / 256.0 / f64::from(lane.id().frames());
            let mut faults = [
                Faults::bits(random.bits(), ber),
                Faults::bits(random.bits(), ber),
            ];
            let ticks = 40 * u64::from(lane.id().frames());
            link.run(ticks, |direction, _, frame| {
                faults[direction.from()].apply(frame)
            });
            assert_lossless(&mut link, &round_trip);
            assert!(link.end(0).most_behind() <= lane.id().frames() - 17);
        }
    }
}

#[test]
#[ignore = "a soak: a billion frames, minutes"]
fn soak() {
    let mut random = Random::fresh("soak");
    let total = std::env::var("FRAMES")
        .ok()
        .and_then(|text| text.parse().ok());
    let total: u64 = total.unwrap_or(1_000_000_000);
    let start = std::time::Instant::now();
    let mut frames = 0;
    let mut links = 0u64;
    while frames < total {
        let seed = random.bits();
        let (failure, run) = random_link(seed, 6..=12, 200_000);
        assert_eq!(failure, None, "link seed {seed}");
        frames += run;
        links += 1;
    }
    let rate = frames as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("{links} links, {frames} frames, nothing lost, {rate:.1} M frames/s");
}

/// The code, not luck, finds the damage: a frame on the line is never taken for another id.
#[test]
fn frames_on_the_line_carry_their_ids() {
    let mut link = running(LinkConfig::saturated(small(), 4, 9));
    link.run(500, |_, tick, frame| {
        assert_eq!(code::syndrome(frame), tick.id);
        assert_eq!(frame.sync(), tick.plain.sync());
    });
}

/// A burst is noise of as many frames as it may take, a cut one word again and again.
#[test]
fn faults_of_whole_frames() {
    let plain = Frame::from_words(&[0x5a; 4]).unwrap();
    let words = |faults: &mut Faults| {
        let mut frame = plain;
        faults.apply(&mut frame);
        frame.words().to_vec()
    };
    let quiet = Faults::bits(7, 0.0);
    assert_eq!(words(&mut quiet.clone()), plain.words());
    let mut noise = Faults {
        burst_rate: 1.0,
        burst_frames: 3,
        ..quiet.clone()
    };
    let mut cut = Faults {
        cut_rate: 1.0,
        cut_frames: 3,
        ..quiet
    };
    for _ in 0..100 {
        let [noisy, stuck] = [words(&mut noise), words(&mut cut)];
        assert!(
            noisy.windows(2).all(|pair| pair[0] != pair[1]),
            "{noisy:x?}"
        );
        assert!(
            stuck.windows(2).all(|pair| pair[0] == pair[1]),
            "{stuck:x?}"
        );
    }
    assert_eq!([noise.damaged, cut.damaged], [100, 100]);
}
