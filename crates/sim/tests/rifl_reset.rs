// SPDX-License-Identifier: Apache-2.0
//! Resets in full flight: what the scoreboard says about them, and that a link begins anew behind
//! them.
//!
//! Every run draws a fresh seed and prints it; `SEED=n` repeats a run.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_sim::ChannelConfig;
use ropewalk_sim::rifl::{LinkConfig, Model, Reset, RunConfig, RunResult, SimError, Traffic, run};
use ropewalk_sim::testing::seed;

fn model(lanes: u8, user_width: u16) -> Model {
    Model {
        lanes,
        user_width,
        ..Model::default()
    }
}

fn config(
    model: Model,
    packets: u64,
    resets: Vec<Reset>,
    rng: &mut Xoshiro256PlusPlus,
) -> RunConfig {
    let mut wires = || {
        (0..model.lanes)
            .map(|_| ChannelConfig {
                delay_bits: rng.next_u64() % 1000,
                slip_bits: (rng.next_u64() % 64) as u8,
                ber: 1e-6,
                seed: rng.next_u64(),
                ..ChannelConfig::default()
            })
            .collect()
    };
    let (a_to_b, b_to_a) = (wires(), wires());
    let traffic = [0, 1].map(|_| Traffic::Random {
        packets,
        min: 1,
        max: 2000,
        seed: rng.next_u64(),
    });
    RunConfig {
        link: LinkConfig {
            model,
            a_to_b,
            b_to_a,
            resets,
            ..LinkConfig::default()
        },
        traffic,
        sink_stall: [0.2, 0.0],
        seed: rng.next_u64(),
        watchdog_cycles: 100_000,
        ..RunConfig::default()
    }
}

/// What was handed over and did not come is told, and everything else came once, in order,
/// unchanged.
fn assert_told(setup: &str, result: &RunResult) {
    for d in &result.directions {
        assert_eq!(
            (d.lost, d.duplicated, d.reordered, d.corrupted),
            (0, 0, 0, 0),
            "{setup}: {d:?}"
        );
        // A packet that was handed over in part counts as cut and not as sent, at most one per
        // reset.
        let missing = d.packets_sent - d.packets_delivered;
        assert!(
            (missing..=missing + 3).contains(&d.cut),
            "{setup}: {missing} missing, {} cut",
            d.cut
        );
    }
}

#[test]
fn a_reset_of_both_ends_cuts_what_was_on_its_way_and_nothing_else() {
    let seed = seed("both ends");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut cut = 0;
    for model in [model(1, 256), model(4, 256), model(4, 512)] {
        for _ in 0..4 {
            // Three times, perhaps before the link is up. The first wire words of the old life are
            // gone by the end.
            let mut at = 0;
            let mut resets = Vec::new();
            for _ in 0..3 {
                at += 2000 + rng.next_u64() % 8000;
                resets.extend([0, 1].map(|end| Reset {
                    end,
                    start_cycle: at,
                    cycles: 100,
                }));
            }
            let cfg = config(model, 250 * u64::from(model.lanes), resets, &mut rng);
            let setup = format!("{:?}", cfg.link);
            let result = run(cfg, &mut |_| ()).unwrap();
            assert!(result.finished && !result.stalled, "{setup}: {result:?}");
            assert_told(&setup, &result);
            cut += result.directions.iter().map(|d| d.cut).sum::<u64>();
        }
    }
    assert!(cut > 12, "resets in full flight cut packets: {cut}");
}

/// In the extended mode either end may be reset alone, for as long as it likes, and its user lives
/// on.
#[test]
fn in_the_extended_mode_a_reset_of_one_end_is_told() {
    let seed = seed("extended");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut cut, mut aborted) = (0, 0);
    for model in [model(1, 256), model(4, 512)] {
        let model = Model {
            extended: true,
            ..model
        };
        for _ in 0..6 {
            let mut at = 4000;
            let mut resets = Vec::new();
            for _ in 0..3 {
                at += rng.next_u64() % 8000;
                let cycles = Reset::least_cycles(&model) + rng.next_u64() % 3000;
                resets.push(Reset {
                    end: (rng.next_u64() % 2) as usize,
                    start_cycle: at,
                    cycles,
                });
                at += cycles + 1;
            }
            let mut cfg = config(model, 300 * u64::from(model.lanes), resets, &mut rng);
            cfg.max_cycles = Some(1_000_000);
            let setup = format!("{:?}", cfg.link);
            let result = run(cfg, &mut |_| ()).unwrap();
            assert!(result.finished && !result.stalled, "{setup}: {result:?}");
            assert_told(&setup, &result);
            for d in &result.directions {
                assert_eq!(d.cut, d.packets_sent - d.packets_delivered, "{setup}");
                cut += d.cut;
                aborted += d.aborted;
            }
        }
    }
    assert!(cut > 12 && aborted > 0, "{cut} cut, {aborted} aborted");
}

/// After a reset of one end only, the wire format of the published core cannot tell stale frames
/// from new ones: the link may hang, or hand out what it should not. Whatever it does, it is
/// counted.
#[test]
fn a_reset_of_one_end_does_not_go_unnoticed() {
    let seed = seed("one end");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for end in [0, 1] {
        let reset = Reset {
            end,
            start_cycle: 8000 + rng.next_u64() % 4000,
            cycles: 100,
        };
        let cfg = config(model(1, 256), 400, vec![reset], &mut rng);
        let setup = format!("{:?}", cfg.link);
        let result = run(cfg, &mut |_| ()).unwrap();
        let damage = |d: &ropewalk_sim::rifl::Direction| {
            d.lost + d.duplicated + d.reordered + d.corrupted + d.cut
        };
        assert!(
            result.stalled || result.directions.iter().map(damage).sum::<u64>() > 0,
            "{setup}: {result:?}"
        );
    }
}

#[test]
fn resets_are_checked() {
    let refused = |resets: &[Reset]| {
        let link = LinkConfig {
            resets: resets.to_vec(),
            ..LinkConfig::default()
        };
        match link.validate() {
            Err(SimError::BadParameter { name, message }) => {
                assert_eq!(name, "reset");
                message
            }
            other => panic!("{resets:?}: {other:?}"),
        }
    };
    let reset = Reset {
        end: 0,
        start_cycle: 100,
        cycles: 50,
    };
    assert!(
        refused(&[Reset {
            cycles: 31,
            ..reset
        }])
        .contains("accepted: 32 or more")
    );
    assert!(refused(&[Reset { end: 2, ..reset }]).contains("end 2"));
    let second = Reset {
        start_cycle: 150,
        ..reset
    };
    assert!(refused(&[second, reset]).contains("ends at 151"));
}
