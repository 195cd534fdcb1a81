// SPDX-License-Identifier: Apache-2.0
use super::super::params::{FrameWidth, IdWidth};
use super::*;

impl Random {
    /// Fresh numbers for a test; `SEED` in the environment repeats a run. The seed is printed.
    pub(crate) fn fresh(name: &str) -> Self {
        Random::new(seed(name))
    }
}

fn seed(name: &str) -> u64 {
    use std::hash::{BuildHasher, RandomState};
    let seed = match std::env::var("SEED") {
        Ok(text) => text.parse().expect("SEED is a number"),
        Err(_) => RandomState::new().hash_one(name),
    };
    println!("{name}: SEED={seed}");
    seed
}

fn lane(frame: FrameWidth, id: u32) -> LaneParams {
    LaneParams::new(frame, IdWidth::new(id).unwrap()).unwrap().with_up_frames(32).unwrap()
}

fn none(_: Direction, _: &TxTick, _: &mut Frame) {}

fn assert_clean(link: &Link, what: &str) {
    for direction in [Direction::AToB, Direction::BToA] {
        let score = link.score(direction);
        assert!(score.clean(), "{what}: {direction:?} {score:?}");
    }
}

#[test]
fn clean_line() {
    for frame in [FrameWidth::W256, FrameWidth::W512] {
        let mut link = Link::new(LinkConfig::saturated(lane(frame, 6), 20, 1)).unwrap();
        assert!(link.bring_up(1000));
        let before = link.score(Direction::AToB).delivered;
        link.run(10_000, none);
        assert_clean(&link, "clean");
        // Saturated: a segment every frame.
        assert!(link.score(Direction::AToB).delivered - before >= 10_000 - 10);
        assert!(link.settle(2000));
        assert_eq!(link.end(0).retransmissions() + link.end(1).retransmissions(), 0);
    }
}

/// Flips one random bit.
fn flip(frame: &mut Frame, random: &mut Random) {
    let words = frame.words_mut();
    let place = random.below(words.len() as u64) as usize;
    words[place] ^= 1 << random.below(64);
}

/// Replaces a frame by noise.
fn trash(frame: &mut Frame, random: &mut Random) {
    frame.words_mut().iter_mut().for_each(|word| *word = random.next());
}

fn hopeful(config: LinkConfig) -> Link {
    let mut link = Link::new(config).unwrap();
    assert!(link.bring_up(20_000), "{config:?}");
    link
}

#[test]
fn explore_random() {
    let mut random = Random::fresh("explore");
    for round in 0..std::env::var("ROUNDS").map_or(400, |r| r.parse().unwrap()) {
        let id = 6 + random.below(3) as u32;
        let lane = lane(FrameWidth::W256, id);
        let limit = lane.id().rtt_limit() as u32;
        let rtt = 2 + random.below(limit as u64 - 1) as u32;
        let mut config = LinkConfig::saturated(lane, rtt, random.next());
        config.accept = [[256, 128, 20][random.below(3) as usize], 256];
        config.offer = [256, 100];
        let ber = [1e-6, 1e-5, 5e-5, 1e-4][random.below(4) as usize];
        let mut faults = [Faults::bits(random.next(), ber), Faults::bits(random.next(), ber)];
        for f in &mut faults { f.burst_rate = 1e-4; f.burst_frames = 20; f.cut_rate = 1e-4; f.cut_frames = 300; }
        let mut link = Link::new(config).unwrap();
        link.run(20_000, |d, _, f| faults[d.from()].apply(f));
        let ok = link.settle(20_000);
        if !ok || !link.clean() {
            println!("round {round}: unseen {} {} rtt {rtt} K {} ber {ber} settle {ok} {:?} {:?} behind {} {} hw {} {}",
            link.end(0).unseen(), link.end(1).unseen(), lane.id().frames(), link.score(Direction::AToB), link.score(Direction::BToA), link.end(0).most_behind(), link.end(1).most_behind(), link.end(0).flow().high_water(), link.end(1).flow().high_water());
        }
    }
}

#[test]
fn explore_w2() {
    let mut random = Random::fresh("w2");
    for rtt in (4..=16).cycle().take(5000) {
        let lane = lane(FrameWidth::W256, 6);
        let mut config = LinkConfig::saturated(lane, rtt, random.next());
        config.accept = [256, 0];
        let mut link = Link::new(config).unwrap();
        let mut done = false;
        for _ in 0..3000 {
            let b = link.end(1);
            done |= link.end(0).last().is_some_and(|t| t.link_up);
            let hit = !done && b.rx().up() && !b.rx().flags().error && link.end(0).last().is_some_and(|t| t.state >= TxState::Retrans) && random.below(6) == 0;
            link.run(1, |d, t, f| { if d == Direction::BToA && t.plain.kind() == super::super::frame::Kind::FlowStop {} if hit && d == Direction::AToB { flip(f, &mut random) }});
        }
        if !link.clean() {println!("rtt {rtt} done {done} {:?} first {:?}", link.score(Direction::AToB), link.end(1).most_behind()); }
    }
}
