// SPDX-License-Identifier: Apache-2.0
//! The RTL in the mode that ships, one lane and several, against the Rust model: packets, sessions,
//! incidents and requests, with errors, cuts and resets.
//!
//! Every run draws a fresh seed and prints it; `SEED=n` repeats a run.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_sim::rifl::{LinkConfig, Model, Reset, RunConfig, Traffic, run_observed};
use ropewalk_sim::shadow::{Counts, Shadow};
use ropewalk_sim::testing::seed;
use ropewalk_sim::{ChannelConfig, Cut, CutKind};

/// Lanes, frame and user width: the tests of faults build the same ones, but for the last, which
/// has the stronger code.
const MODELS: [(u8, u16, u16); 3] = [(1, 256, 256), (4, 256, 512), (1, 1024, 1024)];
/// Cycles of a run.
const CYCLES: u64 = 60_000;
/// Cycles without damage that a link needs to come up, with margin: what the session says before is
/// not modelled.
const QUIET: u64 = 6000;
/// Every reset takes fewer cycles.
const LONGEST: u64 = 3000;

/// A random link. Errors are cuts of at least one word, so that their times are known; none while
/// the link comes up.
fn random(rng: &mut Xoshiro256PlusPlus, resets: bool) -> RunConfig {
    let (lanes, frame_width, user_width) = MODELS[(rng.next_u64() % 3) as usize];
    let model = Model {
        lanes,
        frame_width,
        user_width,
        strong_code: frame_width == 1024,
        ..Model::default()
    };
    let mut wires = [0, 1].map(|_| -> Vec<ChannelConfig> {
        let wire = |_| ChannelConfig {
            delay_bits: rng.next_u64() % 1500,
            slip_bits: (rng.next_u64() % 64) as u8,
            seed: rng.next_u64(),
            ..ChannelConfig::default()
        };
        (0..lanes).map(wire).collect()
    });
    let mut events = Vec::new();
    let mut at = QUIET;
    while at < CYCLES {
        // Both ends begin a session behind it, before the run is over.
        let has_time = at + LONGEST + QUIET < CYCLES;
        if resets && rng.next_u64().is_multiple_of(16) && has_time {
            let cycles = Reset::least_cycles(&model) + rng.next_u64() % 2800;
            events.push(Reset {
                end: (rng.next_u64() % 2) as usize,
                start_cycle: at,
                cycles,
            });
            at += cycles + QUIET;
            continue;
        }
        // Mostly single words; what takes the alignment away, too. An end that is reset must not
        // find a cut.
        let words = match rng.next_u64() % 8 {
            0 => 40 + rng.next_u64() % 400,
            1 => 2 + rng.next_u64() % 30,
            _ => 1,
        };
        let kind = [CutKind::Noise, CutKind::Zero, CutKind::One, CutKind::Stuck]
            [(rng.next_u64() % 4) as usize];
        let lane = rng.next_u64() as usize % usize::from(lanes);
        wires[(rng.next_u64() % 2) as usize][lane].cuts.push(Cut {
            start_word: at,
            words,
            kind,
        });
        // Close together, so that recoveries meet, or far apart.
        at += words + [3, 60, 1000][(rng.next_u64() % 3) as usize] * (1 + rng.next_u64() % 4);
    }
    let [a_to_b, b_to_a] = wires;
    let traffic = [0, 1].map(|_| Traffic::Random {
        packets: u64::MAX,
        min: 1,
        max: [64, 300, 4000][(rng.next_u64() % 3) as usize],
        seed: rng.next_u64(),
    });
    let mut probability = || [0.0, 0.1, 0.5, 0.9][(rng.next_u64() % 4) as usize];
    RunConfig {
        traffic,
        source_gap: [probability(), probability()],
        sink_stall: [probability(), probability()],
        link: LinkConfig {
            model,
            ppm: [0.0, 100.0, -100.0][(rng.next_u64() % 3) as usize],
            frame_phase: (rng.next_u64() % 4) as u8,
            a_to_b,
            b_to_a,
            resets: events,
            ..LinkConfig::default()
        },
        seed: rng.next_u64(),
        max_cycles: Some(CYCLES),
        watchdog_cycles: 0,
        ..RunConfig::default()
    }
}

/// Runs a link with the models beside it.
fn compare(what: &str, cfg: RunConfig) -> Counts {
    let setup = format!("{what}: {:?}", cfg.link);
    let mut models = Shadow::new(&cfg.link).unwrap();
    let result = run_observed(cfg, &mut |_| (), &mut models).unwrap();
    assert!(
        models.mismatch().is_none(),
        "{setup}\n{}",
        models.mismatch().unwrap()
    );
    assert_eq!(result.rx_overflow, [false; 2], "{setup}");
    let [a, b] = [0, 1].map(|end| models.counts(end));
    let delivered: u64 = result.directions.iter().map(|d| d.packets_delivered).sum();
    assert_eq!(
        a.packets + b.packets,
        delivered,
        "{setup}: every packet is compared"
    );
    assert_eq!(a.sessions, b.sessions, "{setup}: a session has two ends");
    Counts {
        packets: delivered,
        requests: a.requests + b.requests,
        incidents: a.incidents + b.incidents,
        sessions: a.sessions,
    }
}

fn soak(what: &str, runs: u64, resets: bool) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed(what));
    let mut sum = Counts::default();
    for run in 0..runs {
        let cfg = random(&mut rng, resets);
        let planned = 1 + cfg.link.resets.len() as u64;
        let counts = compare(&format!("{what}, run {run}"), cfg);
        // Each reset begins a session, and nothing else does; one at the very end of the run may
        // not be over.
        assert!(
            (planned - 1..=planned).contains(&counts.sessions),
            "{what}, run {run}: {counts:?}, {planned} planned"
        );
        sum.packets += counts.packets;
        sum.requests += counts.requests;
        sum.incidents += counts.incidents;
        sum.sessions += counts.sessions;
    }
    println!("{what}: {runs} runs, {sum:?}");
    assert!(
        sum.packets > 50 * runs && sum.requests >= sum.incidents / 2 && sum.incidents > 5 * runs
    );
    assert!(sum.sessions >= runs);
}

#[test]
fn packets_and_incidents_are_those_of_the_model() {
    soak("errors and cuts", 16, false);
}

#[test]
fn sessions_are_those_of_the_model() {
    soak("resets", 16, true);
}

/// `cargo test --release -p ropewalk-sim --test rifl_shadow -- --ignored --nocapture`
#[test]
#[ignore = "a soak: thousands of links"]
fn thousands_of_links_equal_the_model() {
    soak("errors and cuts, soak", 1000, false);
    soak("resets, soak", 1000, true);
}

/// The comparison itself notices a difference: a model with another id width asks for other frames.
#[test]
fn a_difference_is_noticed() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed("difference"));
    let cfg = random(&mut rng, false);
    let mut other = cfg.link.clone();
    other.model.id_width += 1;
    let mut models = Shadow::new(&other).unwrap();
    run_observed(cfg, &mut |_| (), &mut models).unwrap();
    assert!(models.mismatch().is_some());
}
