// SPDX-License-Identifier: Apache-2.0
//! The RTL against the Rust model, frame for frame: random traffic, errors, back-pressure, cuts.
//!
//! Every run draws a fresh seed and prints it; `SEED=n` repeats a run.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_sim::lockstep::Lockstep;
use ropewalk_sim::rifl::{LinkConfig, Model, RunConfig, RunResult, Traffic, run_observed};
use ropewalk_sim::testing::seed;
use ropewalk_sim::{Burst, ChannelConfig, Cut, CutKind};

/// Frame widths and id widths of the links: some share their simulator with other tests.
const MODELS: [(u16, u8); 4] = [(256, 6), (256, 8), (512, 6), (128, 12)];

/// Runs a link with both models; the number of frames compared.
fn compare(what: &str, cfg: RunConfig) -> (u64, RunResult) {
    let link = cfg.link.clone();
    let mut models = Lockstep::new(&link).unwrap();
    let result = run_observed(cfg, &mut |_| (), &mut models).unwrap();
    assert!(
        models.mismatch().is_none(),
        "{what} ({link:?}):\n{}",
        models.mismatch().unwrap()
    );
    (models.frames(), result)
}

/// A random link with random traffic for `cycles` GT cycles.
fn random(rng: &mut Xoshiro256PlusPlus, model: (u16, u8), cycles: u64, ppm: f64) -> RunConfig {
    let mut pick = |limit: u64| rng.next_u64() % limit;
    let words_per_frame = u64::from(model.0) / 64;
    let bers = [0.0, 1e-7, 1e-6, 1e-5, 1e-4];
    // Half the limit of the round trip is left for the pipelines.
    let reach = ((1 << model.1) - 32) * u64::from(model.0) / 4;
    let mut channel = || ChannelConfig {
        delay_bits: pick(reach),
        slip_bits: pick(64) as u8,
        ber: bers[pick(5) as usize],
        burst: (pick(4) == 0).then(|| Burst {
            rate_per_bit: 1e-7,
            length_bits: 1 + pick(600) as u32,
            density: 0.5,
        }),
        cuts: (0..pick(4))
            .map(|i| Cut {
                start_word: (i + 1) * cycles / 5 + pick(cycles / 10),
                words: [4, 40, 100, 400, 2000][pick(5) as usize],
                kind: [CutKind::Zero, CutKind::One, CutKind::Stuck, CutKind::Noise]
                    [pick(4) as usize],
            })
            .collect(),
        seed: pick(u64::MAX),
    };
    let (a_to_b, b_to_a) = (channel(), channel());
    let lengths = [(1, 8192), (1, 64), (1, 1), (30, 32), (60, 64), (200, 300)];
    let mut traffic = || {
        let (min, max) = lengths[pick(6) as usize];
        Traffic::Random {
            packets: u64::MAX,
            min,
            max,
            seed: pick(u64::MAX),
        }
    };
    let traffic = [traffic(), traffic()];
    let mut probability = || [0.0, 0.1, 0.5, 0.9][pick(4) as usize];
    RunConfig {
        traffic,
        source_gap: [probability(), probability()],
        sink_stall: [probability(), probability()],
        link: LinkConfig {
            model: Model::one_lane(model.0, model.1),
            frame_phase: pick(words_per_frame) as u8,
            ppm,
            a_to_b: vec![a_to_b],
            b_to_a: vec![b_to_a],
            ..LinkConfig::default()
        },
        seed: pick(u64::MAX),
        max_cycles: Some(cycles),
        watchdog_cycles: 0,
        ..RunConfig::default()
    }
}

/// Random links until `frames` frames have been compared.
fn soak(what: &str, frames: u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed(what));
    let (mut done, mut errors, mut retransmissions, mut packets) = (0, 0, 0, 0);
    let mut runs = 0;
    while done < frames {
        // The ends have one clock in two runs of three; then the flags are compared as well.
        let ppm = if runs % 3 < 2 {
            0.0
        } else {
            (rng.next_u64() % 401) as f64 - 200.0
        };
        let model = MODELS[rng.next_u64() as usize % MODELS.len()];
        // The retransmission buffer fills once before anything happens: longer runs for wider ids.
        let cycles = 60_000 + (4u64 << model.1) * u64::from(model.0) / 64;
        let (compared, result) = compare(
            &format!("{what}, run {runs}"),
            random(&mut rng, model, cycles, ppm),
        );
        done += compared;
        errors += result.bit_errors.iter().sum::<u64>();
        retransmissions += result.retransmissions.iter().sum::<u64>();
        packets += result
            .directions
            .iter()
            .map(|d| d.packets_delivered)
            .sum::<u64>();
        runs += 1;
    }
    println!(
        "{what}: {done} frames in {runs} runs; {errors} bit errors, {retransmissions} retransmissions, {packets} packets"
    );
    // Not every single link can carry anything: some have a bit error in every third frame.
    assert!(errors > 0 && retransmissions > 0 && packets > runs);
}

#[test]
fn millions_of_frames_equal_the_model() {
    soak("lockstep", 2_000_000);
}

/// `cargo test --release -p ropewalk-sim --test rifl_lockstep -- --ignored --nocapture`
#[test]
#[ignore = "a soak: a hundred million frames take several minutes"]
fn a_hundred_million_frames_equal_the_model() {
    soak("lockstep soak", 100_000_000);
}

/// The comparison itself notices a difference: the model is told another scrambler, or another id
/// width.
#[test]
fn a_difference_is_noticed() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed("difference"));
    let (frame, id) = MODELS[0];
    let mut cfg = random(&mut rng, (frame, id), 20_000, 0.0);
    cfg.link.a_to_b[0].ber = 1e-4;
    let mut other = cfg.link.clone();
    other.model.id_width = if id == 12 { 11 } else { id + 1 };
    let mut models = Lockstep::new(&other).unwrap();
    run_observed(cfg, &mut |_| (), &mut models).unwrap();
    let text = models
        .mismatch()
        .expect("a transmitter with another id width sends other frames");
    assert!(
        text.contains("transmitter") || text.contains("receiver"),
        "{text}"
    );
}
