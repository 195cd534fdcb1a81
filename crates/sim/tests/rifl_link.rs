// SPDX-License-Identifier: Apache-2.0
//! Two RIFL endpoints, real RTL, over every kind of wire: nothing may be lost, repeated, reordered
//! or damaged.
//!
//! Every run draws a fresh seed and prints it; `SEED=n` repeats a run.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_sim::rifl::{LinkConfig, Model, RunConfig, RunResult, SimError, Traffic, run};
use ropewalk_sim::testing::seed;
use ropewalk_sim::{Burst, ChannelConfig, Cut, CutKind};

/// The models that the tests share: each one is built once and takes some seconds.
const MODELS: [(u16, u8); 4] = [(256, 6), (256, 8), (512, 6), (128, 12)];

/// Longest one-way wire delay in bits for which the round trip, pipelines included, is K - 32
/// frames.
fn longest_delay(frame: u16, id: u8) -> u64 {
    // Decision of a frame to the decision that its content leads to at the other end, without wire.
    let pipeline = if frame == 256 { 4 } else { 3 };
    ((1 << id) - 32 - 2 * pipeline) * u64::from(frame) / 2
}

fn both(channel: &ChannelConfig, seed: u64) -> [ChannelConfig; 2] {
    [0, 1].map(|i| ChannelConfig {
        seed: seed.wrapping_add(i),
        ..channel.clone()
    })
}

fn random_traffic(packets: u64, min: u32, max: u32, seed: u64) -> [Traffic; 2] {
    [0, 1].map(|i| Traffic::Random {
        packets,
        min,
        max,
        seed: seed.wrapping_add(10 + i),
    })
}

fn link(frame_width: u16, id_width: u8, [a_to_b, b_to_a]: [ChannelConfig; 2]) -> LinkConfig {
    LinkConfig {
        model: Model::one_lane(frame_width, id_width),
        a_to_b: vec![a_to_b],
        b_to_a: vec![b_to_a],
        ..LinkConfig::default()
    }
}

/// Runs and demands that everything came through.
fn lossless(what: &str, cfg: RunConfig) -> RunResult {
    let setup = format!("{what}: {:?}", cfg.link);
    let result = complete(what, cfg);
    assert!(result.is_lossless(), "{setup}: {:?}", result.directions);
    for d in &result.directions {
        assert_eq!(
            (d.packets_sent, d.bytes_sent),
            (d.packets_delivered, d.bytes_delivered),
            "{setup}"
        );
    }
    result
}

/// Runs and demands that the link came up, carried on to the end and never overflowed.
fn complete(what: &str, cfg: RunConfig) -> RunResult {
    let setup = format!("{what}: {:?}", cfg.link);
    let result = run(cfg, &mut |_| ()).unwrap();
    assert!(
        !result.stalled && result.finished,
        "{setup}: stalled, link up at {:?}, {:?}",
        result.link_up_ns,
        result.directions
    );
    assert_eq!(result.rx_overflow, [false; 2], "{setup}");
    result
}

/// Runs over wires on which whole stretches of bits are replaced.
///
/// The 12-bit code of the format finds every error of a few bits, but takes one in 4096 frames of
/// random bits for the awaited one. Only the first damaged frame of a stretch can pass like this;
/// behind it sixteen frames would have to. So one stretch in 4096 may damage a packet, in RTL and
/// published core alike: rare exceptions are counted here, not forbidden one by one.
#[derive(Default)]
struct Stretches {
    exceptions: u32,
}

impl Stretches {
    fn lossless(&mut self, what: &str, cfg: RunConfig) -> RunResult {
        let setup = format!("{what}: {:?}", cfg.link);
        let result = complete(what, cfg);
        if !result.is_lossless() {
            println!("exception, {setup}: {:?}", result.directions);
            self.exceptions += 1;
        }
        result
    }

    /// Each test has less than 400 stretches, that is 0.1 exceptions; more than 3 happen once in
    /// 10^6 runs.
    fn end(self) {
        assert!(
            self.exceptions <= 3,
            "{} exceptions, see above",
            self.exceptions
        );
    }
}

#[test]
fn bytes_are_identical_at_every_error_rate_and_delay() {
    let seed = seed("identical");
    for (frame, id) in [(256, 6), (256, 8), (512, 6)] {
        let limit = longest_delay(frame, id);
        for (ber, packets) in [(0.0, 100), (1e-7, 2000), (1e-6, 300), (1e-5, 60)] {
            let mut errors = 0;
            for delay_bits in [0, limit / 3 + 17, limit] {
                let wire = ChannelConfig {
                    ber,
                    delay_bits,
                    ..ChannelConfig::default()
                };
                let result = lossless(
                    "identical",
                    RunConfig {
                        link: link(frame, id, both(&wire, seed ^ delay_bits)),
                        traffic: random_traffic(packets, 1, 8192, seed),
                        ..RunConfig::default()
                    },
                );
                errors += result.bit_errors.iter().sum::<u64>();
                if ber > 0.0 {
                    assert!(
                        result.retransmissions.iter().sum::<u64>()
                            >= result.bit_errors.iter().sum::<u64>().min(1)
                    );
                }
            }
            assert_eq!(errors > 0, ber > 0.0, "{errors} errors at {ber}");
        }
    }
}

#[test]
fn payload_is_the_file() {
    let seed = seed("file");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut file = vec![0; 300_000];
    rng.fill_bytes(&mut file);
    // Long runs of equal bytes, as in real files.
    file[50_000..150_000].fill(0);
    let packets = || Traffic::Packets(file.chunks(1500).map(<[u8]>::to_vec).collect());
    let wire = ChannelConfig {
        ber: 1e-6,
        ..ChannelConfig::default()
    };
    let (frame, id) = MODELS[0];
    let result = lossless(
        "file",
        RunConfig {
            link: link(frame, id, both(&wire, seed)),
            traffic: [packets(), packets()],
            keep_payload: true,
            sample_interval: 1000,
            ..RunConfig::default()
        },
    );
    for (i, d) in result.directions.iter().enumerate() {
        assert!(d.payload.as_deref() == Some(&file[..]));
        let sampled: f64 = result.series.iter().map(|s| s.goodput_gbps[i]).sum();
        let bytes = sampled * 1000.0 * 64.0 / 28.0 / 8.0;
        // The rest was delivered after the last full interval.
        assert!(
            (file.len() as f64 - bytes).abs() < 4500.0,
            "the series adds up to {bytes} bytes"
        );
        let sampled: u64 = result.series.iter().map(|s| s.bit_errors[i]).sum();
        assert!(sampled <= result.bit_errors[i] && sampled + 8 >= result.bit_errors[i]);
        assert_eq!(
            result.lanes[i][0].error_times_ns.len() as u64,
            result.bit_errors[i],
            "one bit each at this rate"
        );
    }
}

#[test]
fn every_bit_slip() {
    let seed = seed("slips");
    // The other direction has another slip; over the loop it takes all values too.
    let other = |slip: u8| slip.wrapping_mul(37).wrapping_add(11) % 64;
    let mut worst = 0.0f64;
    for (frame, id) in [(256, 6), (512, 6)] {
        for slip in 0..64 {
            let wire = |slip_bits, seed| ChannelConfig {
                slip_bits,
                delay_bits: 64 * (seed % 40),
                seed,
                ..Default::default()
            };
            let mut cfg = RunConfig {
                link: link(frame, id, [wire(slip, seed), wire(other(slip), seed + 1)]),
                traffic: random_traffic(20, 1, 500, seed),
                ..RunConfig::default()
            };
            cfg.link.frame_phase = slip % 4;
            worst = worst.max(lossless("slip", cfg).link_up_ns.unwrap());
        }
    }
    println!("link up after at most {worst:.0} ns");
}

#[test]
fn every_length() {
    let seed = seed("lengths");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for (frame, id) in [(256, 6), (512, 6)] {
        let mut packets = || {
            let mut lengths: Vec<usize> = (1..=8192).step_by(8).chain(1..=700).collect();
            lengths
                .iter_mut()
                .filter(|n| **n > 700)
                .for_each(|n| *n += (rng.next_u64() % 8) as usize);
            for i in (1..lengths.len()).rev() {
                lengths.swap(i, rng.next_u64() as usize % (i + 1));
            }
            let make = |n: usize| {
                let mut packet = vec![0; n];
                rng.fill_bytes(&mut packet);
                packet
            };
            Traffic::Packets(lengths.into_iter().map(make).collect())
        };
        let traffic = [packets(), packets()];
        let wire = ChannelConfig {
            ber: 1e-7,
            ..ChannelConfig::default()
        };
        lossless(
            "lengths",
            RunConfig {
                link: link(frame, id, both(&wire, seed)),
                traffic,
                ..RunConfig::default()
            },
        );
    }
}

#[test]
fn every_model_carries_packets() {
    let mut stretches = Stretches::default();
    let seed = seed("models");
    for (frame, id) in MODELS {
        let delay_bits = longest_delay(frame, id);
        let frame_words = u64::from(frame) / 64;
        // Each error costs some K frames, so the rate that a link can bear goes down with K.
        let ber = 0.016 / f64::from(u32::from(frame) << id);
        // The link is up after the search for the frames (12 000 words seen), K frames of
        // initialisation, K data frames and a few wire delays.
        let start_word = 3 * (frame_words << id) + 4 * delay_bits / 64 + 16_000;
        let cuts = vec![Cut {
            start_word,
            words: 40,
            kind: CutKind::Noise,
        }];
        let wire = ChannelConfig {
            ber,
            delay_bits,
            cuts,
            ..ChannelConfig::default()
        };
        let packets = 350 + (2 << id) * u64::from(frame) / 8 / 1500;
        let cfg = RunConfig {
            link: link(frame, id, both(&wire, seed)),
            traffic: random_traffic(packets, 1, 3000, seed),
            ..RunConfig::default()
        };
        let result = stretches.lossless("model", cfg);
        assert!(
            result.retransmissions.iter().all(|n| *n > 0),
            "{frame}x{id}: {:?}",
            result.retransmissions
        );
    }
    stretches.end();
}

#[test]
fn back_pressure_and_gaps() {
    let seed = seed("back-pressure");
    for (frame, id) in [(256, 6), (512, 6)] {
        for stall in [0.1, 0.3, 0.5, 0.7, 0.9] {
            for ber in [0.0, 1e-5] {
                let wire = ChannelConfig {
                    ber,
                    delay_bits: longest_delay(frame, id),
                    ..ChannelConfig::default()
                };
                let cfg = RunConfig {
                    link: link(frame, id, both(&wire, seed)),
                    traffic: random_traffic(120, 1, 2000, seed),
                    sink_stall: [stall, 1.0 - stall],
                    source_gap: [0.0, 1.0 - stall],
                    seed,
                    ..RunConfig::default()
                };
                lossless("back-pressure", cfg);
            }
        }
    }
}

#[test]
fn clock_offset() {
    let seed = seed("ppm");
    for (frame, id) in [(256, 6), (512, 6)] {
        for ppm in [-200.0, -100.0, 100.0, 200.0] {
            for ber in [0.0, 1e-6] {
                let wire = ChannelConfig {
                    ber,
                    delay_bits: 64 * (seed % 40),
                    ..ChannelConfig::default()
                };
                let mut cfg = RunConfig {
                    link: link(frame, id, both(&wire, seed)),
                    traffic: random_traffic(350, 1, 8192, seed),
                    ..RunConfig::default()
                };
                cfg.link.ppm = ppm;
                let result = lossless("ppm", cfg);
                if ber == 0.0 {
                    for d in &result.directions {
                        // Idle frames for the slower end cost 200 ppm at most.
                        assert!(
                            d.efficiency > 0.925,
                            "{ppm} ppm: efficiency {}",
                            d.efficiency
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn cuts_of_every_kind_and_length() {
    let mut stretches = Stretches::default();
    let seed = seed("cuts");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for (frame, id) in [(256, 6), (512, 6)] {
        let last_frame = CutKind::Repeat((frame / 64) as u8);
        for kind in [
            CutKind::Zero,
            CutKind::One,
            CutKind::Alternating,
            CutKind::Stuck,
            last_frame,
            CutKind::Noise,
        ] {
            for words in [4, 40, 100, 400, 5000] {
                // A frame that is repeated verifies as long as its id is awaited, for ever if it is
                // a control frame; when K frames have passed meanwhile the format cannot tell.
                if kind == last_frame && words >= (u64::from(frame) / 64) << id {
                    continue;
                }
                for direction in 0..2 {
                    // Twice, the first time perhaps before the link is up.
                    let cuts = [
                        1000 + rng.next_u64() % 12_000,
                        20_000 + rng.next_u64() % 3000,
                    ]
                    .map(|start_word| Cut {
                        start_word,
                        words,
                        kind,
                    });
                    let mut wires = both(
                        &ChannelConfig {
                            delay_bits: 64 * (seed % 40),
                            ..Default::default()
                        },
                        rng.next_u64(),
                    );
                    wires[direction].cuts = cuts.to_vec();
                    let cfg = RunConfig {
                        link: link(frame, id, wires),
                        traffic: random_traffic(60, 1, 4000, rng.next_u64()),
                        ..RunConfig::default()
                    };
                    stretches.lossless("cut", cfg);
                }
            }
        }
    }
    stretches.end();
}

#[test]
fn bursts() {
    let mut stretches = Stretches::default();
    let seed = seed("bursts");
    for (frame, id) in [(256, 6), (512, 6)] {
        for (length_bits, rate_per_bit) in [(2, 2e-6), (20, 2e-6), (256, 1e-6), (3000, 1e-6)] {
            let burst = Some(Burst {
                rate_per_bit,
                length_bits,
                density: 0.5,
            });
            let wire = ChannelConfig {
                burst,
                ..ChannelConfig::default()
            };
            let cfg = RunConfig {
                link: link(frame, id, both(&wire, seed)),
                traffic: random_traffic(900, 1, 4000, seed),
                ..RunConfig::default()
            };
            assert!(stretches.lossless("bursts", cfg).bit_errors[0] > 0);
        }
    }
    stretches.end();
}

/// The measure of all of the above: a link that is asked for more than it can do must be seen to
/// fail.
#[test]
fn the_scoreboard_sees_a_stalled_link() {
    let (frame, id) = MODELS[0];
    let wire = ChannelConfig {
        cuts: vec![Cut {
            start_word: 8000,
            words: u64::MAX / 2,
            kind: CutKind::Noise,
        }],
        ..Default::default()
    };
    let cfg = RunConfig {
        link: link(frame, id, [wire, ChannelConfig::default()]),
        traffic: random_traffic(500, 100, 100, 1),
        watchdog_cycles: 20_000,
        ..RunConfig::default()
    };
    let result = run(cfg, &mut |_| ()).unwrap();
    assert!(result.stalled && !result.finished && !result.is_lossless());
    assert!(result.directions[0].packets_delivered < 500);
    assert!(
        result.directions[0].lost > 0,
        "what was accepted and never came is lost"
    );
}

#[test]
fn parameters_are_checked() {
    let (frame, id) = MODELS[0];
    let good = link(
        frame,
        id,
        [ChannelConfig::default(), ChannelConfig::default()],
    );
    let try_link = |link: LinkConfig| {
        run(
            RunConfig {
                link,
                max_cycles: Some(1),
                ..Default::default()
            },
            &mut |_| (),
        )
    };
    assert!(try_link(good.clone()).is_ok());
    let bad = |name: &str, link: LinkConfig| match try_link(link) {
        Err(SimError::BadParameter { name: found, .. }) => assert_eq!(found, name),
        other => panic!("{name}: {other:?}"),
    };
    bad(
        "frame_width",
        LinkConfig {
            model: Model {
                frame_width: 100,
                ..good.model
            },
            ..good.clone()
        },
    );
    bad(
        "lanes",
        LinkConfig {
            model: Model {
                lanes: 3,
                ..good.model
            },
            ..good.clone()
        },
    );
    bad(
        "user_width",
        LinkConfig {
            model: Model {
                user_width: 512,
                ..good.model
            },
            ..good.clone()
        },
    );
    bad(
        "b_to_a",
        LinkConfig {
            b_to_a: Vec::new(),
            ..good.clone()
        },
    );
    bad(
        "id_width",
        LinkConfig {
            model: Model {
                id_width: 13,
                ..good.model
            },
            ..good.clone()
        },
    );
    bad(
        "ppm",
        LinkConfig {
            ppm: 1e9,
            ..good.clone()
        },
    );
    bad(
        "ppm",
        LinkConfig {
            ppm: f64::NAN,
            ..good.clone()
        },
    );
    bad(
        "line_rate_gbps",
        LinkConfig {
            line_rate_gbps: 0.0,
            ..good.clone()
        },
    );
    bad(
        "frame_phase",
        LinkConfig {
            frame_phase: 8,
            ..good.clone()
        },
    );
    bad(
        "ber",
        LinkConfig {
            a_to_b: vec![ChannelConfig {
                ber: -1e-6,
                ..Default::default()
            }],
            ..good.clone()
        },
    );
    for (gap, stall) in [(1.0, 0.0), (0.0, -0.1)] {
        let cfg = RunConfig {
            link: good.clone(),
            source_gap: [gap; 2],
            sink_stall: [stall; 2],
            ..Default::default()
        };
        assert!(matches!(
            run(cfg, &mut |_| ()),
            Err(SimError::BadParameter { .. })
        ));
    }
    let absent = LinkConfig {
        trace: Some("/nonexistent/x.fst".into()),
        ..good
    };
    assert!(matches!(try_link(absent), Err(SimError::TraceFile { .. })));
}

#[test]
fn a_trace_is_written_and_changes_nothing() {
    let seed = seed("trace");
    for ppm in [0.0, 150.0] {
        let (frame, id) = MODELS[0];
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("trace_{ppm}_{}.fst", std::process::id()));
        let cfg = |trace| {
            let wire = ChannelConfig {
                ber: 1e-5,
                ..ChannelConfig::default()
            };
            let mut cfg = RunConfig {
                link: link(frame, id, both(&wire, seed)),
                traffic: random_traffic(u64::MAX, 1, 300, seed),
                max_cycles: Some(6000),
                ..RunConfig::default()
            };
            cfg.link.ppm = ppm;
            cfg.link.trace = trace;
            cfg
        };
        let traced = run(cfg(Some(path.clone())), &mut |_| ()).unwrap();
        let plain = run(cfg(None), &mut |_| ()).unwrap();
        assert_eq!(traced.directions, plain.directions);
        assert_eq!(traced.link_up_ns, plain.link_up_ns);
        let size = std::fs::metadata(&path).unwrap().len();
        assert!(size > 10_000, "the trace has {size} bytes");
        std::fs::remove_file(&path).unwrap();
    }
}
