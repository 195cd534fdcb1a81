// SPDX-License-Identifier: Apache-2.0
//! What an error, a bit error rate and a reset cost, in the extended and in the compatible mode.
//! Run with `cargo run --release -p ropewalk-wire --example recovery [SEED]`.
//!
//! One lane of 256-bit frames, id width 6, 35 words of cable in each direction (83 m at 28 Gb/s and
//! 5 ns/m) and four frames of pipeline in each: a round trip of 26 frames. Saturated traffic both
//! ways, readers that always read. Unit: frames (9.14 ns at 28 Gb/s).

use ropewalk_wire::rifl::ext::EndParams;
use ropewalk_wire::rifl::ext::link::{Link, LinkConfig};
use ropewalk_wire::rifl::link::{Direction, Faults, Random};
use ropewalk_wire::rifl::{FrameWidth, IdWidth, LaneParams};
use std::error::Error;

/// Words of cable in a direction, words of a frame, frames of pipeline in a direction.
const CABLE_WORDS: u32 = 35;
const FRAME_WORDS: u32 = 4;
const PIPELINE: u32 = 4;
const ROUND_TRIP: u32 = 2 * (CABLE_WORDS.div_ceil(FRAME_WORDS) + PIPELINE);

/// Single errors that are looked at, and the frames in which each of them is over.
const ERRORS: u64 = 200;
const SPAN: u64 = 1000;

/// Damaged frames in a run at a bit error rate, in each direction.
const DAMAGED: f64 = 250.0;

const MODES: [(&str, bool); 2] = [("compatible", false), ("extended", true)];

fn main() -> Result<(), Box<dyn Error>> {
    let seed = match std::env::args().nth(1) {
        Some(text) => text
            .parse()
            .map_err(|_| format!("seed {text}: accepted is a whole number from 0 to 2^64 - 1"))?,
        None => 1,
    };
    let mut random = Random::new(seed);
    println!("round trip {ROUND_TRIP} frames, 64 ids, seed {seed}");
    for (name, extended) in MODES {
        let lane = LaneParams::new(FrameWidth::W256, IdWidth::MIN);
        let end = EndParams::new(lane, 1)?.with_extended(extended);
        link_up(name, end, &mut random)?;
        stalls(name, end, &mut random)?;
        for ber in [1e-7, 1e-6, 1e-5, 1e-4] {
            goodput(name, end, ber, &mut random)?;
        }
    }
    Ok(())
}

/// Saturated and up.
fn running(end: EndParams, random: &mut Random) -> Result<Link, String> {
    let mut link = Link::new(LinkConfig::saturated(end, ROUND_TRIP, random.bits()));
    while link.score(Direction::AToB).delivered == 0 || link.score(Direction::BToA).delivered == 0 {
        link.run(1, |_, _, _, _| {});
        if link.frames() > 100_000 {
            return Err("the link does not come up".into());
        }
    }
    link.run(500, |_, _, _, _| {});
    Ok(link)
}

/// Frames from the reset of both ends, and of one end, until data are delivered in both directions.
fn link_up(name: &str, end: EndParams, random: &mut Random) -> Result<(), String> {
    let mut link = Link::new(LinkConfig::saturated(end, ROUND_TRIP, random.bits()));
    let both = delivering(&mut link).ok_or("the link does not come up")?;
    print!("{name:<11} link up: {both} frames after a reset of both ends");
    if end.extended() {
        link.run(500, |_, _, _, _| {});
        link.reset(0);
        let one = delivering(&mut link).ok_or("the link does not come back")?;
        print!(", {one} after a reset of one end");
    }
    println!(", the search for the frame boundary aside");
    Ok(())
}

/// Frames until both users get something that was sent from now on.
fn delivering(link: &mut Link) -> Option<u64> {
    // What is under way now is delivered within a round trip.
    let quiet = 2 * u64::from(ROUND_TRIP);
    let scores = |link: &Link| {
        [Direction::AToB, Direction::BToA].map(|direction| link.score(direction).delivered)
    };
    for frames in 1..100_000 {
        let before = scores(link);
        link.run(1, |_, _, _, _| {});
        let now = scores(link);
        if frames > quiet && now[0] > before[0] && now[1] > before[1] {
            return Some(frames);
        }
    }
    None
}

/// What one flipped bit from A to B costs: the longest time without a delivery, and the frames
/// without one altogether.
fn stalls(name: &str, end: EndParams, random: &mut Random) -> Result<(), String> {
    let mut link = running(end, random)?;
    let mut gaps = [0; 2];
    let mut missed = [0; 2];
    for _ in 0..ERRORS {
        let place = random.below(256) as usize;
        let mut damage = true;
        let mut gap = [0; 2];
        let before = [Direction::AToB, Direction::BToA].map(|d| link.score(d).delivered);
        let mut last = before;
        for _ in 0..SPAN {
            link.run(1, |direction, _, _, frame| {
                if direction == Direction::AToB && std::mem::take(&mut damage) {
                    frame.words_mut()[place / 64] ^= 1 << (place % 64);
                }
            });
            for (i, direction) in [Direction::AToB, Direction::BToA].into_iter().enumerate() {
                let delivered = link.score(direction).delivered;
                gap[i] = if delivered > last[i] { 0 } else { gap[i] + 1 };
                last[i] = delivered;
                gaps[i] = gaps[i].max(gap[i]);
            }
        }
        for i in 0..2 {
            missed[i] += SPAN - (last[i] - before[i]);
        }
        link.run(random.below(100), |_, _, _, _| {});
    }
    check(&link)?;
    let mean = missed.map(|missed| missed as f64 / ERRORS as f64);
    println!(
        "{name:<11} one bit error: sink stalls {} frames, opposite sink {}; cost {:.1} and {:.1} frames",
        gaps[0], gaps[1], mean[0], mean[1]
    );
    Ok(())
}

/// Delivered segments per frame time, both directions, at a bit error rate.
fn goodput(name: &str, end: EndParams, ber: f64, random: &mut Random) -> Result<(), String> {
    let mut link = running(end, random)?;
    let ticks = (DAMAGED / (256.0 * ber)) as u64;
    let ticks = ticks.max(100_000);
    let mut faults = [0, 1].map(|_| Faults::bits(random.bits(), ber));
    let delivered =
        |link: &Link| link.score(Direction::AToB).delivered + link.score(Direction::BToA).delivered;
    let before = delivered(&link);
    link.run(ticks, |direction, _, _, frame| {
        faults[direction.from()].apply(frame);
    });
    let ratio = (delivered(&link) - before) as f64 / (2 * ticks) as f64;
    let damaged = faults[0].damaged + faults[1].damaged;
    check(&link)?;
    println!(
        "{name:<11} bit error rate {ber:e}: goodput {ratio:.4} of the error-free one ({damaged} damaged frames)"
    );
    Ok(())
}

/// Nothing may be wrong, unless damage passed the code.
fn check(link: &Link) -> Result<(), String> {
    if link.clean() || link.unseen() > 0 {
        Ok(())
    } else {
        Err(format!("not lossless: {:?}", link.score(Direction::AToB)))
    }
}
