// SPDX-License-Identifier: Apache-2.0
//! Latency, efficiency and recovery of the RTL against the figures of the published core.

use ropewalk_sim::rifl::{Endpoint, Link, LinkConfig, Model, Now, RunConfig, Traffic, Users, run};
use ropewalk_sim::testing::seed;
use ropewalk_sim::{ChannelConfig, LatencyHistogram};

/// Packets of one length, no errors, no wire, B's frame clock `phase` GT cycles behind A's.
fn latency(frame_width: u16, phase: u8, bytes: u32, gap: f64) -> [LatencyHistogram; 2] {
    let traffic = |seed| Traffic::Random {
        packets: 150,
        min: bytes,
        max: bytes,
        seed,
    };
    let cfg = RunConfig {
        link: LinkConfig {
            model: Model::one_lane(frame_width, 6),
            frame_phase: phase,
            ..LinkConfig::default()
        },
        traffic: [traffic(1), traffic(2)],
        source_gap: [gap; 2],
        ..RunConfig::default()
    };
    let result = run(cfg, &mut |_| ()).unwrap();
    assert!(result.is_lossless());
    result.directions.map(|d| d.latency)
}

/// A frame of N words is accepted at T, on the line from T+1, checked and stored at T+N+2, seen by
/// the other clock two GT cycles later, in the output register at the first frame clock from T+N+5
/// on, and taken one frame later.
fn expected_latency(words: u64, phase: u64) -> u64 {
    let mut registered = phase;
    while registered < words + 5 {
        registered += words;
    }
    registered + words
}

#[test]
fn latency_is_exact_at_every_phase_of_the_frame_clocks() {
    for (frame, published) in [(256u16, [24, 28]), (512, [40, 48])] {
        let words = u64::from(frame) / 64;
        let segment = u32::from(frame) / 8 - 2;
        for phase in 0..words {
            // One byte more than a segment is a packet of one beat and two segments.
            for (bytes, later, published) in [
                (1, 0, published[0]),
                (segment, 0, published[0]),
                (segment + 1, words, published[1]),
            ] {
                let measured = latency(frame, phase as u8, bytes, 0.95);
                // Seen from B, A's frame clock is late by the rest of a frame.
                for (h, phase) in measured.iter().zip([phase, (words - phase) % words]) {
                    let expected = expected_latency(words, phase) + later;
                    assert_eq!(
                        (h.min_cycles(), h.max_cycles(), h.count()),
                        (expected, expected, 150),
                        "F={frame} phase {phase}, {bytes} bytes"
                    );
                    // The published figures are of frame clocks in phase.
                    assert!(
                        phase != 0 || expected < published,
                        "the published core has {published}"
                    );
                }
            }
        }
        // Back to back, a beat may wait for one before it to be cut into segments.
        for bytes in [100, 1000] {
            let saturated = &latency(frame, 0, bytes, 0.0)[0];
            assert!(
                saturated.max_cycles() < published[1],
                "{bytes} bytes: {}",
                saturated.max_cycles()
            );
        }
    }
    let in_phase = latency(256, 0, 30, 0.95);
    assert!(in_phase[0].max_cycles() <= 16 && in_phase[1].max_cycles() <= 16);
}

#[test]
fn efficiency_is_not_below_the_published_core() {
    let sizes = [1u32, 16, 30, 32, 64, 256, 1024, 1500, 8192];
    let published = [
        (
            256u16,
            [
                0.0313, 0.5003, 0.9381, 0.5003, 0.6670, 0.8892, 0.9144, 0.9376, 0.9344,
            ],
        ),
        (
            512,
            [
                0.0156, 0.2502, 0.4691, 0.5003, 0.5003, 0.8005, 0.9414, 0.9380, 0.9625,
            ],
        ),
    ];
    let seed = seed("efficiency");
    for (frame, published) in published {
        for (bytes, published) in sizes.into_iter().zip(published) {
            let words = u64::from(frame) / 64;
            let (beat, segment) = (u32::from(frame) / 8, u32::from(frame) / 8 - 2);
            let frames = bytes.div_ceil(segment).max(bytes.div_ceil(beat));
            let packets = 300_000 / (u64::from(frames) * words);
            let traffic = |seed| Traffic::Random {
                packets,
                min: bytes,
                max: bytes,
                seed,
            };
            let cfg = RunConfig {
                link: LinkConfig {
                    model: Model::one_lane(frame, 6),
                    ..LinkConfig::default()
                },
                traffic: [traffic(seed), traffic(seed + 1)],
                ..RunConfig::default()
            };
            let result = run(cfg, &mut |_| ()).unwrap();
            assert!(result.is_lossless());
            // A frame carries at most `segment` bytes of one packet.
            let bound = f64::from(bytes) / f64::from(frames * beat);
            for d in &result.directions {
                println!(
                    "F={frame} {bytes} bytes: {:.4}, published {published:.4}, bound {bound:.4}",
                    d.efficiency
                );
                assert!(
                    d.efficiency > bound * (1.0 - 4e-4),
                    "{bytes} bytes: {} of {bound}",
                    d.efficiency
                );
                // Both windows begin and end somewhere in a packet; the published one was shorter.
                assert!(
                    d.efficiency > published - 1e-3,
                    "{bytes} bytes: {} of {published}",
                    d.efficiency
                );
            }
        }
    }
}

/// A saturated source at A that numbers its beats, an always ready sink at B that checks the
/// numbers and measures the longest time without a beat.
#[derive(Debug, Default)]
struct Counting {
    offered: u64,
    delivered: u64,
    last: Option<u64>,
    gap: u64,
}

impl Users for Counting {
    fn before_clock(&mut self, now: Now, end: usize, endpoint: &Endpoint) {
        if end == 0 && endpoint.source_valid() && endpoint.source_ready() {
            self.offered += 1;
        }
        if let (1, Some(beat)) = (end, endpoint.delivered()) {
            let bytes = beat.bytes().expect("legal TKEEP");
            let number = u64::from_le_bytes(bytes[..8].try_into().unwrap());
            assert_eq!(number, self.delivered, "beats are delivered in order, once");
            self.delivered += 1;
            if let Some(last) = self.last.replace(now.cycle) {
                self.gap = self.gap.max(now.cycle - last);
            }
        }
    }

    fn after_clock(&mut self, _now: Now, end: usize, endpoint: &mut Endpoint) {
        if end == 0 {
            let mut beat = [0; 64];
            beat[..8].copy_from_slice(&self.offered.to_le_bytes());
            // Packets of one segment: one beat per frame, no pauses.
            endpoint.offer(&beat[..endpoint.beat_bytes() - 2], true);
        }
        endpoint.set_sink_ready(true);
    }
}

/// Longest time without a beat at B around one bit error on the way from A, over all places in a
/// frame.
fn stall(frame_width: u16, id_width: u8, delay_words: u64) -> u64 {
    let wire = ChannelConfig {
        delay_bits: 64 * delay_words,
        ..ChannelConfig::default()
    };
    let config = LinkConfig {
        model: Model::one_lane(frame_width, id_width),
        a_to_b: vec![wire.clone()],
        b_to_a: vec![wire],
        ..LinkConfig::default()
    };
    let mut link = Link::new(&config).unwrap();
    let mut users = Counting::default();
    let words = u64::from(frame_width) / 64;
    let recovery = 8 * (words << id_width) + 16 * delay_words;
    while users.delivered < 1000 {
        link.tick(&mut users);
        assert!(link.cycles() < 1_000_000, "no traffic");
    }
    let mut worst = 0;
    for place in (0..u64::from(frame_width)).step_by(7) {
        users.gap = 0;
        link.channels_mut(0)[0].flip(place);
        for _ in 0..recovery {
            link.tick(&mut users);
        }
        assert!(users.gap > words, "bit {place}: the error had an effect");
        // Whole frames, so that the next error is elsewhere in its frame.
        for _ in 0..words - recovery % words {
            link.tick(&mut users);
        }
        let (gap, delivered) = (std::mem::take(&mut users.gap), users.delivered);
        for _ in 0..words * 10 {
            link.tick(&mut users);
        }
        assert!(
            users.delivered >= delivered + 9,
            "bit {place}: traffic goes on"
        );
        worst = worst.max(gap);
    }
    assert_eq!(
        link.channels(0)[0].errors(),
        u64::from(frame_width).div_ceil(7)
    );
    worst
}

#[test]
fn one_bit_error_stalls_no_longer_than_in_the_published_core() {
    for (frame, id, delay, published) in [
        (256, 6, 0, 448),
        (256, 6, 35, 380),
        (512, 6, 0, 912),
        (256, 9, 0, 4032),
    ] {
        let gap = stall(frame, id, delay);
        println!(
            "F={frame} K={} D={delay}: {gap} cycles, published core {published}",
            1 << id
        );
        assert!(
            gap <= published,
            "F={frame} K={} D={delay}: {gap} > {published}",
            1 << id
        );
    }
}
