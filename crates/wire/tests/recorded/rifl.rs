// SPDX-License-Identifier: Apache-2.0
//! Links of both modes with faults of all kinds.

use ropewalk_testkit::{Digest, expect_file};
use ropewalk_wire::rifl::ext;
use ropewalk_wire::rifl::ext::endpoint::EndParams;
use ropewalk_wire::rifl::ext::link::{Pattern, Slip};
use ropewalk_wire::rifl::link::{Direction, Faults, Link, LinkConfig, Random};
use ropewalk_wire::rifl::{FrameWidth, IdWidth, LaneParams};

const BOTH: [Direction; 2] = [Direction::AToB, Direction::BToA];

fn lane(random: &mut Random, widths: &[u32]) -> LaneParams {
    let width = widths[random.below(widths.len() as u64) as usize];
    let frame = FrameWidth::new(width).expect("a width");
    let id = IdWidth::new(6 + random.below(4) as u32).expect("an id width");
    let lane = LaneParams::new(frame, id);
    lane.with_up_frames(1 + random.below(200) as u32)
        .expect("frames")
}

/// Bit errors, and in half of the links noise and cuts.
fn faults(random: &mut Random) -> Faults {
    let ber = [1e-6, 1e-5, 1e-4][random.below(3) as usize];
    let mut faults = Faults::bits(random.bits(), ber);
    if random.chance(128) {
        (faults.burst_rate, faults.burst_frames) = (5e-4, 40);
        (faults.cut_rate, faults.cut_frames) = (1e-4, 300);
    }
    faults
}

fn shares(random: &mut Random) -> [u16; 2] {
    [(); 2].map(|()| [256, 200, 64][random.below(3) as usize])
}

fn compatible(seed: u64) -> String {
    let mut random = Random::new(seed);
    let lane = lane(&mut random, &[128, 256, 384, 512, 1024, 2048]);
    let longest = u64::from(lane.id().rtt_limit()) / 2;
    let mut link = Link::new(LinkConfig {
        lane,
        delay: [(); 2].map(|()| 1 + random.below(longest) as u32),
        ppm: random.below(401) as i32 - 200,
        offer: shares(&mut random),
        accept: shares(&mut random),
        seed,
    })
    .expect("a link");
    let (mut faults, mut digest) = ([(); 2].map(|()| faults(&mut random)), Digest::default());
    link.bring_up(5000);
    for turn in 0..4 {
        link.end_mut(random.below(2) as usize).stall(turn % 2 == 0);
        link.run(1000, |direction, tick, frame| {
            digest.words(frame.words());
            digest.words(&[tick.state as u64]);
            faults[direction.from()].apply(frame);
        });
    }
    let settled = link.settle(20_000);
    let mut row = format!(
        "{seed} {lane:?} {digest} {settled} {} frames\n",
        link.frames()
    );
    for direction in BOTH {
        let (score, end) = (link.score(direction), link.end(direction.from()));
        let damaged = faults[direction.from()].damaged;
        row += &format!(
            "  {score:?} {} resent, {} behind, {} unseen, {damaged} damaged\n",
            end.retransmissions(),
            end.most_behind(),
            end.unseen()
        );
    }
    row
}

fn extended(seed: u64) -> String {
    let mut random = Random::new(seed);
    let own = lane(&mut random, &[128, 256, 512, 1024]);
    let lanes = 1 << random.below(3);
    let end = EndParams::new(own, lanes).expect("lanes");
    let end = end
        .with_delayed_release(random.chance(128))
        .with_rate(random.below(3000) as u16);
    let longest = u64::from(own.id().extended_rtt_limit()) / 2;
    let mut delays = || {
        (0..lanes)
            .map(|_| 1 + random.below(longest) as u32)
            .collect()
    };
    let delay = [delays(), delays()];
    let mut link = ext::link::Link::new(ext::link::LinkConfig {
        ends: [end; 2],
        delay,
        ppm: random.below(401) as i32 - 200,
        offer: shares(&mut random),
        accept: shares(&mut random),
        seed,
    });
    let (mut faults, mut digest) = ([(); 2].map(|()| faults(&mut random)), Digest::default());
    link.bring_up(5000);
    for _ in 0..6 {
        let (direction, lane) = (
            BOTH[random.below(2) as usize],
            random.below(lanes as u64) as usize,
        );
        match random.below(8) {
            0 => link.reset(direction.from()),
            1 => {
                let pattern = Pattern::ALL[random.below(5) as usize];
                link.cut(direction, lane, pattern, random.below(600));
            }
            2 => link.plug(direction, lane, 1 + random.below(longest) as u32, lane),
            3 => link.slip(direction, lane, Slip::FrameLost),
            4 => link.slip(direction, lane, Slip::FrameRepeated),
            5 => link.slip(direction, lane, Slip::WordLost),
            6 => link.stall(direction.from(), random.chance(128)),
            _ => link.offer(direction.from(), random.chance(200)),
        }
        link.run(700, |direction, lane, tick, frame| {
            digest.words(frame.words());
            digest.words(&[lane as u64, tick.id.into()]);
            faults[direction.from()].apply(frame);
        });
    }
    let settled = link.settle(20_000);
    let (frames, unseen) = (link.frames(), link.unseen());
    let mut row =
        format!("{seed} {lanes} x {own:?} {digest} {settled} {frames} frames, {unseen} unseen\n");
    for direction in BOTH {
        let (score, events) = (link.score(direction), link.events(direction.from()));
        row += &format!("  {score:?} {events:?}\n");
    }
    row
}

#[test]
fn compatible_links() {
    let rows: String = (0..60).map(compatible).collect();
    expect_file!["rifl_compatible.txt"].assert_eq(&rows);
}

#[test]
fn extended_links() {
    let rows: String = (0..60).map(extended).collect();
    expect_file!["rifl_extended.txt"].assert_eq(&rows);
}
