// SPDX-License-Identifier: Apache-2.0
//! Covering arrays: lanes x frame width x user width x mode x stronger code x skew x ppm.
//!
//! Every byte of every link is compared, and its time to link-up is held against what the search
//! for the frames may take. `each_value_in_both_modes` has every number of lanes, frame width, skew
//! and ppm in each mode; the soak has every pair of values, and all combinations.
//!
//! A model is built for each (lanes, frame width, user width, stronger code); mode, skew and ppm
//! are inputs at run time. Building is what costs, so pairs that an already chosen model can cover
//! are left to it.
//!
//! Every run draws a fresh seed and prints it; `SEED=n` repeats a run.

use std::collections::BTreeSet;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_sim::ChannelConfig;
use ropewalk_sim::rifl::{FRAME_WIDTHS, LANES, LinkConfig, Model, RunConfig, Traffic, run};
use ropewalk_sim::testing::seed;

/// Words by which lanes arrive apart at most. One lane has no other to be late against.
const SKEWS: [u64; 3] = [0, 7, 40];
const PPMS: [i32; 3] = [-100, 0, 100];
/// Tests that share the array, so that they run side by side.
const PARTS: usize = 4;
/// Link-up that is asked for at a line rate of 28 Gb/s.
const LINK_UP_NS: f64 = 8000.0;

/// One link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Case {
    model: Model,
    skew: u64,
    ppm: i32,
}

/// A factor and its value.
type Level = (&'static str, i64);

impl Case {
    fn levels(&self) -> [Level; 7] {
        let Model {
            lanes,
            frame_width,
            user_width,
            extended,
            strong_code,
            ..
        } = self.model;
        [
            ("lanes", lanes.into()),
            ("frame width", frame_width.into()),
            ("user width", user_width.into()),
            ("extended", extended.into()),
            ("strong code", strong_code.into()),
            ("skew", self.skew as i64),
            ("ppm", self.ppm.into()),
        ]
    }

    fn pairs(&self) -> impl Iterator<Item = [Level; 2]> {
        let levels = self.levels();
        (0..levels.len()).flat_map(move |a| (0..a).map(move |b| [levels[a], levels[b]]))
    }

    /// What has to be built for it: the same for both modes.
    fn build(&self) -> Model {
        Model {
            extended: true,
            ..self.model
        }
    }
}

/// Every link that there is.
fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for (lanes, frame_width) in LANES.into_iter().flat_map(|l| FRAME_WIDTHS.map(|f| (l, f))) {
        for user_width in Model::user_widths(lanes, frame_width) {
            let modes = [(false, false), (true, false), (true, true)].into_iter();
            for ((extended, strong_code), skew) in modes.flat_map(|m| SKEWS.map(|s| (m, s))) {
                if lanes == 1 && skew > 0 || strong_code && frame_width < 1024 {
                    continue;
                }
                let model = Model {
                    lanes,
                    frame_width,
                    user_width,
                    id_width: 6,
                    extended,
                    strong_code,
                };
                cases.extend(PPMS.map(|ppm| Case { model, skew, ppm }));
            }
        }
    }
    cases
}

/// Enough of them to have every pair of values that any of them has and that is wanted: greedily
/// the one with the most new pairs for what it costs, a new model costing as many runs as it has
/// frames of 128 bits in its lanes.
fn array(wanted: impl Fn(&[Level; 2]) -> bool) -> Vec<Case> {
    let all = all();
    let pairs = all.iter().flat_map(Case::pairs);
    let mut missing: BTreeSet<[Level; 2]> = pairs.filter(wanted).collect();
    let mut chosen: Vec<Case> = Vec::new();
    while !missing.is_empty() {
        let worth = |case: &Case| {
            let gain = case.pairs().filter(|pair| missing.contains(pair)).count();
            let built = chosen.iter().any(|one| one.build() == case.build());
            let frames = u64::from(case.model.lanes) * u64::from(case.model.frame_width) / 128;
            1_000_000 * gain as u64 / (4 + if built { 0 } else { 8 + frames })
        };
        let best = *all
            .iter()
            .rev()
            .max_by_key(|case| worth(case))
            .expect("there are cases");
        assert!(best.pairs().any(|pair| missing.contains(&pair)));
        best.pairs().for_each(|pair| _ = missing.remove(&pair));
        chosen.push(best);
    }
    chosen
}

/// Pairs of a mode with anything but the width of a user's word, of which each other value of lanes
/// or of the frame width has its own: five models have them all.
fn of_a_mode(pair: &[Level; 2]) -> bool {
    let named = |name| pair.iter().any(|level| level.0 == name);
    named("extended") && !named("user width")
}

#[test]
fn the_array_has_every_pair() {
    let (all, array) = (all(), array(|_| true));
    let covered: BTreeSet<_> = array.iter().flat_map(Case::pairs).collect();
    let wanted: BTreeSet<_> = all.iter().flat_map(Case::pairs).collect();
    assert!(wanted.iter().all(|pair| covered.contains(pair)));
    // What must be among them, or the list of all is wrong.
    for pair in [
        [("extended", 1), ("lanes", 8)],
        [("extended", 1), ("frame width", 2048)],
        [("frame width", 2048), ("lanes", 8)],
        [("extended", 0), ("frame width", 1024)],
        [("strong code", 1), ("lanes", 8)],
        [("strong code", 1), ("frame width", 1024)],
        [("skew", 40), ("lanes", 2)],
        [("ppm", -100), ("skew", 40)],
        [("user width", 16384), ("frame width", 2048)],
    ] {
        assert!(covered.contains(&pair), "{pair:?}");
    }
    let mut models: Vec<Model> = array.iter().map(Case::build).collect();
    models.sort_by_key(|m| (m.lanes, m.frame_width, m.user_width, m.strong_code));
    models.dedup();
    println!(
        "{} pairs, {} links of {}, {} models:",
        wanted.len(),
        array.len(),
        all.len(),
        models.len()
    );
    for model in models {
        println!(
            "  {} lanes, frame width {}, user width {}{}",
            model.lanes,
            model.frame_width,
            model.user_width,
            if model.strong_code {
                ", stronger code"
            } else {
                ""
            }
        );
    }
}

/// Frames from the release of reset to link-up, wire excluded, in compatible and extended mode: the
/// search of the aligner (32 and 2), `UpFrames` (128), and what the ends have to tell each other:
/// the pause, K Idle and K data frames; or announcements, until the round trip is measured.
const UP_FRAMES: [f64; 2] = [34.0 + 128.0 + 128.0 + 64.0, 34.0 + 128.0 + 90.0];

/// Runs a link.
fn check(case: &Case, rng: &mut Xoshiro256PlusPlus) {
    let model = case.build();
    // One error in a thousand frames of all lanes together, so that most links come up without.
    let ber = 1e-3 / f64::from(model.frame_width);
    let mut wires = || -> Vec<ChannelConfig> {
        (0..model.lanes)
            .map(|lane| ChannelConfig {
                // The first lane and the last are as far apart as they can be.
                delay_bits: 64 * (case.skew * u64::from(lane) / u64::from(model.lanes - 1).max(1)),
                slip_bits: (rng.next_u64() % 64) as u8,
                ber: ber / f64::from(model.lanes),
                seed: rng.next_u64(),
                ..ChannelConfig::default()
            })
            .collect()
    };
    let (a_to_b, b_to_a) = (wires(), wires());
    let bytes = 40 * u32::from(model.user_width) / 8;
    let cfg = RunConfig {
        link: LinkConfig {
            model,
            ppm: case.ppm.into(),
            frame_phase: (rng.next_u64() % model.frame_cycles()) as u8,
            fall_back: !case.model.extended,
            brief: true,
            a_to_b,
            b_to_a,
            ..LinkConfig::default()
        },
        traffic: [0, 1].map(|_| Traffic::Random {
            packets: 150,
            min: 1,
            max: bytes / 4,
            seed: rng.next_u64(),
        }),
        source_gap: [0.0, 0.1],
        sink_stall: [0.1, 0.0],
        seed: rng.next_u64(),
        ..RunConfig::default()
    };
    let setup = format!("{case:?}: {:?}", cfg.link);
    let result = run(cfg, &mut |_| ()).unwrap();
    assert!(result.is_lossless(), "{setup}: {:?}", result.directions);
    assert_eq!(result.rx_overflow, [false; 2], "{setup}");
    for d in &result.directions {
        assert_eq!(
            (d.packets_sent, d.bytes_sent),
            (d.packets_delivered, d.bytes_delivered),
            "{setup}"
        );
    }
    let up = result
        .link_up_ns
        .expect("a link that carried packets was up");
    let frame_ns = f64::from(model.frame_width) / 28.0;
    let frames = UP_FRAMES[usize::from(case.model.extended)];
    // Four round trips.
    let most = frames * frame_ns + 8.0 * case.skew as f64 * 64.0 / 28.0;
    println!(
        "{} lanes, frame width {}, user width {}, extended {}, skew {}, {} ppm: link-up {up:.0} ns, {:.0} frames{}",
        model.lanes,
        model.frame_width,
        model.user_width,
        case.model.extended,
        case.skew,
        case.ppm,
        up / frame_ns,
        if up <= LINK_UP_NS {
            String::new()
        } else {
            format!(
                "; above 8 us, for 34 frames of search and 128 of UpFrames are {:.0} ns",
                162.0 * frame_ns
            )
        },
    );
    let early = |error: &f64| *error < up;
    let mut lanes = result.lanes.iter().flatten();
    let undisturbed = !lanes.any(|lane| lane.error_times_ns.iter().any(early));
    assert!(
        !undisturbed || up <= most,
        "{setup}: {up} ns, {most} at most"
    );
}

/// Every number of lanes, frame width, skew and ppm in each mode.
#[test]
fn each_value_in_both_modes() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed("each value"));
    for case in array(of_a_mode) {
        check(&case, &mut rng);
    }
}

fn part(part: usize) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed("covering array"));
    // Neighbours share a model.
    let mut cases = array(|_| true);
    cases.sort_by_key(|case| {
        (
            case.model.lanes,
            case.model.frame_width,
            case.model.user_width,
        )
    });
    let mut models: Vec<Model> = cases.iter().map(Case::build).collect();
    models.dedup();
    for case in &cases {
        let model = models.iter().position(|model| *model == case.build());
        if model.is_some_and(|index| index % PARTS == part) {
            check(case, &mut rng);
        }
    }
}

#[test]
#[ignore = "23 models, minutes to build: with `make soak` until its time on two idle cores is known"]
fn pairs_part_0() {
    part(0);
}

#[test]
#[ignore = "23 models, minutes to build: with `make soak` until its time on two idle cores is known"]
fn pairs_part_1() {
    part(1);
}

#[test]
#[ignore = "23 models, minutes to build: with `make soak` until its time on two idle cores is known"]
fn pairs_part_2() {
    part(2);
}

#[test]
#[ignore = "23 models, minutes to build: with `make soak` until its time on two idle cores is known"]
fn pairs_part_3() {
    part(3);
}

/// `cargo test --release -p ropewalk-sim --test rifl_cover -- --ignored --nocapture`
#[test]
#[ignore = "a soak: every combination, of which each model takes a minute to build"]
fn the_soak_runs_all_combinations() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed("all combinations"));
    for case in all() {
        check(&case, &mut rng);
    }
}
