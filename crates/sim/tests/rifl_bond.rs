// SPDX-License-Identifier: Apache-2.0
//! Bonded lanes of real RTL: nothing is lost, and every lane carries what the model says.
//!
//! Every run draws a fresh seed and prints it; `SEED=n` repeats a run.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_sim::rifl::{
    LinkConfig, Model, Now, Observer, RunConfig, RunResult, Traffic, run, run_observed,
};
use ropewalk_sim::testing::seed;
use ropewalk_sim::{ChannelConfig, Cut, CutKind};
use ropewalk_wire::rifl::aligner::Aligner;
use ropewalk_wire::rifl::bond::{Bond, Collector, Distributor};
use ropewalk_wire::rifl::{FrameWidth, IdWidth, LaneParams, Receiver, Segment};

/// Lanes, user width, frame width.
fn model(lanes: u8, user_width: u16, frame_width: u16) -> Model {
    Model {
        lanes,
        frame_width,
        user_width,
        id_width: 6,
        extended: false,
        strong_code: false,
    }
}

/// A wire for every lane, each with a delay of its own of up to `skew` words, a bit slip of its
/// own, and errors.
fn wires(lanes: u8, skew: u64, ber: f64, rng: &mut Xoshiro256PlusPlus) -> Vec<ChannelConfig> {
    (0..lanes)
        .map(|_| ChannelConfig {
            delay_bits: 64 * (rng.next_u64() % (skew + 1)),
            slip_bits: (rng.next_u64() % 64) as u8,
            ber,
            seed: rng.next_u64(),
            ..ChannelConfig::default()
        })
        .collect()
}

fn random_traffic(packets: u64, min: u32, max: u32, seed: u64) -> [Traffic; 2] {
    [0, 1].map(|i| Traffic::Random {
        packets,
        min,
        max,
        seed: seed.wrapping_add(10 + i),
    })
}

/// Runs and demands that everything came through.
fn lossless(what: &str, cfg: RunConfig) -> RunResult {
    let setup = format!("{what}: {:?}", cfg.link);
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
    result
}

#[test]
fn every_way_of_bonding_is_lossless() {
    let seed = seed("bonding");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let models = [
        (model(4, 256, 256), 1500),
        (model(4, 512, 256), 1500),
        (model(2, 256, 128), 1000),
        (model(8, 4096, 512), 1200),
        (model(1, 2048, 2048), 300),
    ];
    let (mut bit_errors, mut retransmissions) = (0, 0);
    for (model, packets) in models {
        let scale = f64::from(model.frame_width) / 256.0;
        for (ber, ppm, stall) in [
            (0.0, 0.0, 0.0),
            (2e-6 / scale, 100.0, 0.2),
            (5e-6 / scale, -100.0, 0.5),
        ] {
            let cfg = RunConfig {
                link: LinkConfig {
                    model,
                    ppm,
                    frame_phase: (rng.next_u64() % model.frame_cycles()) as u8,
                    a_to_b: wires(model.lanes, 12, ber, &mut rng),
                    b_to_a: wires(model.lanes, 12, ber, &mut rng),
                    ..LinkConfig::default()
                },
                traffic: random_traffic(packets, 1, 2000, rng.next_u64()),
                source_gap: [0.0, stall],
                sink_stall: [stall, 0.0],
                seed: rng.next_u64(),
                ..RunConfig::default()
            };
            let result = lossless("bonding", cfg);
            bit_errors += result.bit_errors.iter().sum::<u64>();
            retransmissions += result.retransmissions.iter().sum::<u64>();
        }
    }
    // Some two hundred; a run alone may have none.
    assert!(bit_errors > 0 && retransmissions > 0);
}

/// A cut of one lane holds the packets back; nothing is lost, and the other lanes do not notice
/// errors.
#[test]
fn one_lane_is_cut() {
    let seed = seed("one lane");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut exceptions = 0;
    for model in [model(4, 256, 256), model(4, 512, 256)] {
        for (lane, words) in [(0, 4), (3, 40), (1, 400), (2, 3000)] {
            let kind = [CutKind::Zero, CutKind::One, CutKind::Stuck, CutKind::Noise]
                [rng.next_u64() as usize % 4];
            let mut a_to_b = wires(model.lanes, 8, 0.0, &mut rng);
            a_to_b[lane].cuts.push(Cut {
                start_word: 9000,
                words,
                kind,
            });
            let cfg = RunConfig {
                link: LinkConfig {
                    model,
                    a_to_b,
                    b_to_a: wires(model.lanes, 8, 0.0, &mut rng),
                    ..LinkConfig::default()
                },
                traffic: random_traffic(250, 1, 2000, rng.next_u64()),
                ..RunConfig::default()
            };
            let setup = format!("{:?}", cfg.link);
            let result = run(cfg, &mut |_| ()).unwrap();
            assert!(result.finished && !result.stalled, "{setup}");
            // One stretch of random bits in 4096 passes the code of the format.
            if !result.is_lossless() {
                println!("exception, {setup}: {:?}", result.directions);
                exceptions += 1;
            }
            let [forward, _] = &result.lanes;
            assert!(forward[lane].retransmissions > 0, "{setup}");
            for (other, result) in forward
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != lane)
            {
                assert_eq!(result.retransmissions, 0, "lane {other}, {setup}");
            }
        }
    }
    assert!(exceptions <= 1, "{exceptions} exceptions, see above");
}

/// Receive clock edges before the model of a receiver begins: the stages of the reset synchroniser.
const RESET_WORDS: u32 = 3;

/// Decodes every word that B receives, lane by lane, with the model.
struct Decoder {
    lanes: Vec<(u32, Aligner, Receiver, Vec<Segment>)>,
    collector: Collector,
    packets: Vec<Vec<u8>>,
}

impl Observer for Decoder {
    fn word(&mut self, _now: Now, end: usize, lane: usize, _sent: u64, received: u64) {
        if end != 0 {
            return;
        }
        let (words, aligner, receiver, segments) = &mut self.lanes[lane];
        *words += 1;
        if *words > RESET_WORDS
            && let Some((frame, aligned)) = aligner.word(received)
            && let Some(segment) = receiver.frame(&frame, aligned).segment
        {
            segments.push(segment);
            self.collector.push(lane, segment);
            self.packets
                .extend(std::iter::from_fn(|| self.collector.pop()));
        }
    }
}

#[test]
fn every_lane_carries_what_the_model_says() {
    let seed = seed("order");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for model in [
        model(4, 256, 256),
        model(4, 512, 256),
        model(2, 256, 128),
        model(8, 4096, 512),
    ] {
        let frame = FrameWidth::new(model.frame_width.into()).unwrap();
        let bond = Bond::new(model.lanes, model.group_lanes(), frame).unwrap();
        let segment = bond.segment_bytes();
        // Lengths around the boundaries of payloads, segments and beats.
        let packets: Vec<Vec<u8>> = (0..300)
            .map(|i| {
                let length = match i % 4 {
                    0 => 1 + rng.next_u64() as usize % (3 * segment),
                    1 => frame.payload_bytes() * (1 + i % 9) + i % 3 - 1,
                    2 => segment * (1 + i % 4) + i % 3 - 1,
                    _ => usize::from(model.user_width) / 8 * (1 + i % 3) + i % 3 - 1,
                };
                let mut packet = vec![0; length.max(1)];
                rng.fill_bytes(&mut packet);
                packet
            })
            .collect();
        let mut expected = vec![Vec::new(); usize::from(model.lanes)];
        let mut distributor = Distributor::new(bond);
        for packet in &packets {
            for (lane, segment) in distributor.packet(packet) {
                expected[lane].push(segment);
            }
        }
        let params = LaneParams::new(frame, IdWidth::new(model.id_width.into()).unwrap());
        let mut decoder = Decoder {
            lanes: (0..model.lanes)
                .map(|_| (0, Aligner::new(frame), Receiver::new(params), Vec::new()))
                .collect(),
            collector: Collector::new(bond),
            packets: Vec::new(),
        };
        let cfg = RunConfig {
            link: LinkConfig {
                model,
                a_to_b: wires(model.lanes, 12, 1e-6, &mut rng),
                b_to_a: wires(model.lanes, 12, 1e-6, &mut rng),
                ..LinkConfig::default()
            },
            traffic: [Traffic::Packets(packets.clone()), Traffic::None],
            source_gap: [0.1, 0.0],
            sink_stall: [0.1, 0.0],
            seed: rng.next_u64(),
            ..RunConfig::default()
        };
        let result = run_observed(cfg, &mut |_| (), &mut decoder).unwrap();
        assert!(result.is_lossless(), "{model:?}: {:?}", result.directions);
        for (lane, (expected, (.., segments))) in expected.iter().zip(&decoder.lanes).enumerate() {
            assert!(
                expected == segments,
                "{model:?}, lane {lane}: {} segments, expected {}; first difference at {:?}",
                segments.len(),
                expected.len(),
                expected.iter().zip(segments).position(|(a, b)| a != b)
            );
        }
        assert!(decoder.packets == packets, "{model:?}");
    }
}
