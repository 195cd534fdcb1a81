// SPDX-License-Identifier: Apache-2.0
//! Two HTSP ends: traffic on all channels, over lines that lose and damage frames.

use ropewalk_sim::htsp::{BEATS, Coding, LineConfig, Model, PhyConfig, RunConfig, RunResult, run};
use ropewalk_sim::testing;

fn config(test: &str) -> RunConfig {
    RunConfig {
        model: Model::default(),
        null_interval: 127,
        alive: 30_000,
        burst: 128,
        line: LineConfig::WIRES,
        phy: None,
        packets: 200,
        sizes: (1, 20_000),
        stall: 0.0,
        blocked: 0,
        one_way: false,
        op_codes: 0,
        seed: testing::seed(test),
    }
}

fn clean(result: &RunResult) {
    let total = result.total();
    assert!(result.ok(), "{:?}", result.channels);
    assert_eq!(total.frames_delivered, total.frames_sent);
    assert_eq!((total.errored, total.lost), (0, 0));
}

#[test]
fn everything_arrives() {
    for stall in [0.0, 0.6] {
        let config = RunConfig {
            stall,
            ..config("everything_arrives")
        };
        let result = run(&config, &mut |_| ()).unwrap();
        clean(&result);
        assert!(result.link_up_cycles <= 20, "{}", result.link_up_cycles);
    }
}

/// Header and footer are all that is not payload; the line of 100 Gb/s takes a little more.
#[test]
fn efficiency() {
    for (bytes, words) in [(64, 1), (256, 4), (1024, 16), (8192, 128)] {
        for paced in [false, true] {
            let mut config = RunConfig {
                sizes: (bytes, bytes),
                packets: 100_000 / u64::from(bytes) + 200,
                one_way: true,
                ..config("efficiency")
            };
            config.model.channels = 1;
            if paced {
                config.line.bytes_per_cycle = 100e9 / 8.0 / 195.66e6;
            }
            let result = run(&config, &mut |_| ()).unwrap();
            clean(&result);
            let limit = f64::from(words) / f64::from(words + 2);
            let line = 63.886 / 64.0 * f64::from(bytes) / f64::from(bytes + 94);
            let want = if paced { limit.min(line) } else { limit };
            let got = result.efficiency();
            println!("{bytes} bytes, paced {paced}: {got:.4}, limit {want:.4}");
            assert!(got > 0.985 * want && got <= want, "{got} of {want}");
        }
    }
}

/// Narrow streams: a burst costs the beats of its header, and one for its footer; the first word
/// waits for its beats, for those of the header and for those behind it on the line.
#[test]
fn narrow_streams() {
    for bytes in [16, 32] {
        let beats = u64::from(64 / bytes);
        let mut config = RunConfig {
            sizes: (8192, 8192),
            one_way: true,
            ..config("narrow_streams")
        };
        config.model.channels = 1;
        config.model.bytes = bytes;
        let result = run(&config, &mut |_| ()).unwrap();
        clean(&result);
        let words = 128.0 * beats as f64;
        let limit = words / (words + beats as f64 + 1.0);
        let got = result.efficiency();
        println!("{bytes} bytes: {got:.4}, limit {limit:.4}");
        assert!(got > 0.985 * limit && got <= limit, "{got} of {limit}");

        config.packets = 1;
        let cycles = run(&config, &mut |_| ()).unwrap().latency.max_cycles();
        let most = 9 + 4 * (beats - 1);
        assert!((8..=most).contains(&cycles), "{bytes} bytes: {cycles}");

        // All channels, both ways, any sizes, users that refuse.
        config.model.channels = 3;
        config.stall = 0.3;
        for sizes in [(1, 9000), (1, 40)] {
            let config = RunConfig {
                sizes,
                packets: 300,
                one_way: false,
                op_codes: 100,
                ..config.clone()
            };
            let result = run(&config, &mut |_| ()).unwrap();
            clean(&result);
            assert_eq!(result.op_codes.arrived, 200);
        }
    }
}

/// Op-codes go beside full bursts, and where there is nothing else: each once, in order, unchanged.
/// One waits for the burst under way and for the one that was taken before it.
#[test]
fn op_codes() {
    for (packets, burst, most) in [(400, 128, 2 * 130 + 20), (400, 4, 40), (1, 128, 300)] {
        let config = RunConfig {
            packets,
            burst,
            op_codes: 300,
            ..config("op_codes")
        };
        let result = run(&config, &mut |_| ()).unwrap();
        clean(&result);
        let counts = result.op_codes;
        assert_eq!((counts.sent, counts.arrived), (600, 600));
        assert_eq!((counts.lost, counts.corrupted), (0, 0));
        let (least, longest) = (
            result.op_code_latency.min_cycles(),
            result.op_code_latency.max_cycles(),
        );
        println!("{packets} packets, bursts of {burst}: {least} to {longest} cycles");
        assert!(least >= 5 && longest <= most, "{least} to {longest}");
    }
}

/// An op-code in a frame that is lost or damaged is lost, and the count of missing frames says so.
#[test]
fn op_codes_of_lost_frames() {
    for bytes in BEATS {
        let mut config = RunConfig {
            packets: 300,
            sizes: (1, 3000),
            burst: 16,
            op_codes: 1000,
            ..config("op_codes_of_lost_frames")
        };
        config.model.bytes = bytes;
        config.line.drop = 0.02;
        config.line.ber = 1e-6;
        let result = run(&config, &mut |_| ()).unwrap();
        let counts = result.op_codes;
        println!("{bytes} bytes: {counts:?}, {} told", result.told_lost);
        assert!(result.ok(), "{counts:?} {:?}", result.channels);
        assert_eq!(counts.arrived + counts.lost, counts.sent);
        assert!(counts.lost > 0 && counts.arrived > counts.sent / 2);
    }
}

/// Lanes take whole words.
#[test]
fn lanes_refuse_narrow_streams() {
    let mut config = lanes("lanes_refuse_narrow_streams", Coding::Kr4, 0.0);
    config.model.bytes = 32;
    let refused = run(&config, &mut |_| ()).unwrap_err();
    assert!(refused.to_string().contains("32 with lanes"), "{refused}");
}

/// The latency of the first word does not depend on the packet's length.
#[test]
fn cut_through() {
    for bytes in [1, 64, 8192, 100_000] {
        let mut config = RunConfig {
            sizes: (bytes, bytes),
            packets: 1,
            one_way: true,
            ..config("cut_through")
        };
        config.model.channels = 1;
        let result = run(&config, &mut |_| ()).unwrap();
        clean(&result);
        // One more if a header alone was on its way.
        let cycles = result.latency.max_cycles();
        assert!((8..=9).contains(&cycles), "{bytes} bytes: {cycles} cycles");
    }
}

/// A channel that nobody empties does not hold up the others, and loses nothing.
#[test]
fn blocked_channel() {
    let mut config = RunConfig {
        blocked: 1 << 2,
        burst: 16,
        packets: 3000,
        sizes: (64, 2000),
        ..config("blocked_channel")
    };
    config.model.rx_depth = 1024;
    let result = run(&config, &mut |_| ()).unwrap();
    clean(&result);
}

/// Lost and damaged frames: nothing wrong comes out as good, nothing is missing without being told.
#[test]
fn losses() {
    for channels in [1, 4, 16] {
        let mut config = RunConfig {
            packets: 2000 / u64::from(channels),
            sizes: (1, 9000),
            stall: 0.2,
            burst: 16,
            ..config("losses")
        };
        config.model = Model {
            rx_depth: 1024,
            channels,
            ..Model::default()
        };
        config.line.drop = 2e-3;
        config.line.ber = 3e-7;
        let result = run(&config, &mut |_| ()).unwrap();
        let total = result.total();
        println!(
            "{channels} channels: {total:?}, {} frames lost, {} damaged, {} told",
            result.frames_lost, result.frames_damaged, result.told_lost
        );
        assert!(result.ok(), "{:?}", result.channels);
        assert!(result.frames_lost > 0 && result.frames_damaged > 0);
        assert!(total.errored > 0);
        assert!(total.frames_delivered + total.errored + total.lost >= total.frames_sent);
    }
}

/// Lanes with markers close to each other, so that a link is up soon.
fn lanes(test: &str, coding: Coding, ber: f64) -> RunConfig {
    let phy = PhyConfig {
        period: 64,
        ber,
        ..PhyConfig::new(coding)
    };
    let mut config = RunConfig {
        phy: Some(phy),
        packets: 60,
        sizes: (1, 9000),
        ..config(test)
    };
    config.model.channels = 2;
    config
}

/// Any order, polarity and skew: all of it comes, at the rate of the line.
#[test]
fn lanes_carry_everything() {
    for coding in [Coding::Kr4, Coding::Lr4] {
        let mut config = lanes("lanes_carry_everything", coding, 0.0);
        config.sizes = (8192, 8192);
        let result = run(&config, &mut |_| ()).unwrap();
        clean(&result);
        let counts = result.phy.unwrap();
        assert_eq!((counts.flipped, counts.downs), (0, 0));
        // Of the line: frame with preamble, check sequence and gap, and a row of markers of 64.
        let limit = 63.886 / 64.0 * 8192.0 / (8192.0 + 94.0) * 63.0 / 64.0;
        let got = result.efficiency();
        println!("{coding:?}: {got:.4}, limit {limit:.4}");
        assert!(got > 0.97 * limit && got <= limit, "{got} of {limit}");
    }
}

/// With FEC nothing is lost up to 1e-4; without, every loss is reported.
#[test]
fn wrong_bits_of_lanes() {
    for (coding, ber) in [
        (Coding::Kr4, 1e-5),
        (Coding::Kr4, 1e-4),
        (Coding::Kr4, 6e-4),
        (Coding::Lr4, 1e-6),
        (Coding::Lr4, 1e-5),
    ] {
        let config = lanes("wrong_bits_of_lanes", coding, ber);
        let result = run(&config, &mut |_| ()).unwrap();
        let (total, counts) = (result.total(), result.phy.unwrap());
        println!(
            "{coding:?} {ber:e}: {total:?} {counts:?}, told {}",
            result.told_lost
        );
        assert!(result.ok(), "{:?}", result.channels);
        assert!(counts.flipped > 0);
        if coding == Coding::Kr4 && ber <= 1e-4 {
            clean(&result);
            assert!(counts.corrected > 0 && counts.uncorrectable == 0);
        } else if ber > 1e-6 {
            assert!(total.errored + total.lost > 0, "{total:?}");
        }
    }
}

/// A lane without a signal takes the link down, and it comes back: nothing wrong comes.
#[test]
fn lanes_go_and_return() {
    for coding in [Coding::Kr4, Coding::Lr4] {
        let mut config = lanes("lanes_go_and_return", coding, 0.0);
        config.packets = 400;
        config.op_codes = 400;
        if let Some(phy) = &mut config.phy {
            phy.losses = 3;
        }
        let result = run(&config, &mut |_| ()).unwrap();
        let (total, counts) = (result.total(), result.phy.unwrap());
        println!(
            "{coding:?}: {total:?} {counts:?}, cut off {}",
            result.cut_off
        );
        assert!(result.ok(), "{:?} {}", result.channels, result.cut_off);
        assert!(counts.losses >= 4 && counts.downs >= 4);
        assert!(total.errored > 0 && total.frames_delivered > total.frames_sent / 2);
    }
}
