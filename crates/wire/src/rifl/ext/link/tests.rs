// SPDX-License-Identifier: Apache-2.0
//! The extended mode against an adversary: errors, cuts, resets and other cables where they hurt most. Each rule is switched
//! off once to show that these tests notice.

use super::super::super::params::{FrameWidth, IdWidth, LaneParams};
use super::super::announcement::{Phase, Reason};
use super::super::session::{Cause, State};
use super::*;
use Direction::{AToB, BToA};

/// Less of everything where the compiler does not optimise.
const STEP: usize = if cfg!(debug_assertions) { 7 } else { 1 };

const BOTH: [Direction; 2] = [AToB, BToA];

/// The longest round trip that K = 64 covers.
const LONGEST: u32 = 64 - 2 - super::super::tx::MARGIN;

fn lane(frame: FrameWidth, id: u32) -> LaneParams {
    LaneParams::new(frame, IdWidth::new(id).unwrap())
        .unwrap()
        .with_up_frames(32)
        .unwrap()
}

/// One lane, K = 64.
fn small() -> EndParams {
    lanes(1)
}

fn lanes(lanes: usize) -> EndParams {
    EndParams::new(lane(FrameWidth::W256, 6), lanes).unwrap()
}

fn none(_: Direction, _: usize, _: &LaneTick, _: &mut Frame) {}

fn flip(frame: &mut Frame, random: &mut Random) {
    let words = frame.words_mut();
    let place = random.below(words.len() as u64) as usize;
    words[place] ^= 1 << random.below(64);
}

/// Up, with saturated traffic.
fn running(config: LinkConfig) -> Link {
    let mut link = Link::new(config);
    assert!(link.bring_up(3000), "no link: {:?}", link.config);
    link.run(200, none);
    link
}

/// Why a run is not lossless, if it is not. A run with damage that the code cannot see is no evidence.
fn failure(link: &mut Link) -> Option<String> {
    let settled = link.settle(30_000);
    if (settled && link.clean()) || link.unseen() > 0 {
        return None;
    }
    Some(format!(
        "settled {settled}, unsafe {}, {:?}, {:?}, states {:?} {:?}, events {:?}, {:?}",
        link.unsafe_ids(),
        link.score(AToB),
        link.score(BToA),
        link.end(0).session().state(),
        link.end(1).session().state(),
        link.events,
        link.config
    ))
}

fn assert_lossless(link: &mut Link, what: &dyn std::fmt::Debug) {
    if let Some(failure) = failure(link) {
        panic!("{what:?}: {failure}");
    }
}

/// Lossless, and without any session having ended.
fn assert_undisturbed(link: &mut Link, what: &dyn std::fmt::Debug) {
    assert_lossless(link, what);
    for index in 0..2 {
        assert_eq!(link.end(index).session().ended(), 0, "{what:?}");
    }
    assert_eq!(link.score(AToB).aborted + link.score(BToA).aborted, 0);
}

#[test]
fn a_clean_line_carries_a_segment_in_every_frame() {
    for frame in [128, 256, 512] {
        let frame = FrameWidth::new(frame).unwrap();
        for count in [1, 4] {
            for round_trip in [2, 21, LONGEST] {
                let end = EndParams::new(lane(frame, 6), count).unwrap();
                let mut link = running(LinkConfig::saturated(end, round_trip, 1));
                let before = link.score(AToB).delivered;
                link.run(5_000, none);
                let delivered = link.score(AToB).delivered - before;
                assert_eq!(delivered, 5_000 * count as u64, "round trip {round_trip}");
                assert_undisturbed(&mut link, &(frame, count, round_trip));
                assert_eq!(link.end(0).lanes()[0].rx().incidents(), 0);
                assert_eq!(link.end(0).lanes()[0].tx().resends(), 0);
            }
        }
    }
}
