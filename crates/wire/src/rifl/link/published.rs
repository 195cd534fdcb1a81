// SPDX-License-Identifier: Apache-2.0
//! Our receiver behind a published transmitter, which replays its whole buffer from the oldest
//! frame and ends with a tail of half a buffer, whatever our requests say meanwhile: if they are
//! still seen then, all of it is replayed again, and the first frame of that has the id of the next
//! new one.
//!
//! The peer's receiver is ours: what matters here is when requests are noticed, and that is the
//! same.

use super::super::params::{FrameWidth, IdWidth};
use super::super::tx::Rules;
use super::*;
use Direction::{AToB, BToA};

fn lane(id: u32) -> LaneParams {
    LaneParams::new(FrameWidth::W256, IdWidth::new(id).unwrap())
        .with_up_frames(32)
        .unwrap()
}

fn none(_: Direction, _: &TxTick, _: &mut Frame) {}

/// End 0 sends like the published core; up, and with a full buffer of user data behind it.
fn running(lane: LaneParams, round_trip: u32, seed: u64) -> Link {
    let mut link = Link::new(LinkConfig::saturated(lane, round_trip, seed)).unwrap();
    link.ends[0].tx.rules = Rules::PUBLISHED;
    let frames = u64::from(lane.id().frames());
    assert!(link.bring_up(4000 + 20 * frames), "no link");
    link.run(3 * frames, none);
    link
}

/// What end 1 got when the frames of `damaged` ticks were damaged, and whether the link settled
/// then.
fn score(lane: LaneParams, round_trip: u32, damaged: &[(Direction, u64)]) -> (Score, bool) {
    let mut link = running(lane, round_trip, u64::from(round_trip));
    let mut ticks = [0; 2];
    let last = damaged.iter().map(|hit| hit.1).max().unwrap_or(0);
    link.run(last + 1, |direction, _, frame| {
        let tick = &mut ticks[direction.from()];
        if damaged.contains(&(direction, *tick)) {
            frame.words_mut()[1] ^= 1 << 17;
        }
        *tick += 1;
    });
    let settled = link.settle(30 * u64::from(lane.id().frames()) + 20 * u64::from(round_trip));
    (link.score(AToB), settled)
}

/// The peer is quiet because of an error of its own when frame `n` of it is damaged: it has sent
/// nothing that is missing, so the replay brings nothing, and its last frame ends our requests as
/// late as possible.
fn quiet_peer(lane: LaneParams, round_trip: u32, n: u64) -> (Score, bool) {
    score(lane, round_trip, &[(BToA, 0), (AToB, n)])
}

#[test]
fn nothing_is_lost_or_duplicated_within_the_limit() {
    for (id, step) in [(6, 3), (7, 7), (8, 23)] {
        let lane = lane(id);
        let limit = u32::from(lane.id().published_rtt_limit());
        for round_trip in [2, limit / 2, limit] {
            let end = u64::from(round_trip) + 3 * u64::from(lane.id().frames());
            for n in (1..end).step_by(step) {
                for damaged in [
                    vec![(BToA, 0), (AToB, n)],
                    vec![(AToB, 0), (AToB, n)],
                    vec![(AToB, 0), (BToA, n), (AToB, n + 9)],
                ] {
                    let (score, settled) = score(lane, round_trip, &damaged);
                    assert!(
                        score.clean() && settled,
                        "id width {id}, round trip {round_trip}, damaged {damaged:?}: {score:?}"
                    );
                }
            }
        }
    }
}

/// Between two of our ends such a round trip is within the limit.
#[test]
fn beyond_the_limit_frames_are_delivered_twice() {
    for id in 7..=9 {
        let lane = lane(id);
        let (limit, ours) = (lane.id().published_rtt_limit(), lane.id().rtt_limit());
        for round_trip in [limit + 6, ours] {
            let (score, _) = quiet_peer(lane, u32::from(round_trip), u64::from(round_trip) / 2 + 8);
            assert!(score.duplicated > 0, "{round_trip} of {limit}: {score:?}");
        }
    }
}

/// Why no rule of a receiver tells the two apart by the frame itself: a replay that nobody needs
/// and new data begin with the same bits. What follows does not decide either: the Idle frame of a
/// replay may be one of the clock compensation behind new data.
#[test]
fn a_second_replay_and_new_data_begin_with_the_same_bits() {
    let lane = lane(6);
    let stale = Segment::new(FrameWidth::W256, &[7; 30], true).unwrap();
    let mut tx = Transmitter::new(lane);
    tx.rules = Rules::PUBLISHED;
    let up = TxInputs {
        rx_up: true,
        user: Some(&stale),
        ..TxInputs::default()
    };
    for _ in 0..4 * lane.id().frames() {
        tx.tick(&up);
    }
    let asked = TxInputs {
        retrans_req: true,
        ..up
    };
    // A whole procedure, K data frames of which are replayed.
    let procedure = (0..5 * lane.id().frames() / 2 + 1).map(|_| tx.tick(&asked));
    assert_eq!(procedure.filter(|tick| tick.replay).count(), 64);
    let mut new = tx.clone();
    let first = [tx.tick(&asked), new.tick(&up)];
    assert!(first[0].replay && first[1].user_taken);
    assert_eq!(first[0].frame, first[1].frame);
    let second = TxInputs {
        compensate: true,
        ..up
    };
    let second = [tx.tick(&asked), new.tick(&second)];
    assert_eq!(second[0].frame, second[1].frame);
}
