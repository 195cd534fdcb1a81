// SPDX-License-Identifier: Apache-2.0
//! The design calculator of RIFL: every equation at a few points, seven digits of each.

use ropewalk_testkit::expect_file;
use ropewalk_wire::rifl::plan::detection::Detection;
use ropewalk_wire::rifl::plan::recovery::{Recovery, pipeline};
use ropewalk_wire::rifl::plan::{Mode, Span, framing, paper};
use ropewalk_wire::rifl::{FrameWidth, IdWidth};
use std::fmt::Write;

const WIDTHS: [u32; 5] = [128, 256, 512, 1024, 2048];
const BERS: [f64; 3] = [1e-12, 1e-8, 3e-5];
const SIZES: [u32; 7] = [1, 30, 64, 100, 512, 1500, 9600];

/// A title, and numbers behind it.
fn row(text: &mut String, title: &str, numbers: &[f64]) {
    let numbers: String = numbers.iter().map(|it| format!(" {it:.6e}")).collect();
    let _ = writeln!(text, "{title}:{numbers}");
}

fn equations() -> String {
    let mut text = String::new();
    for frame in WIDTHS {
        for ber in BERS {
            let numbers = [
                paper::frame_error_ratio(frame, ber),
                paper::error_probability(frame, 0, ber),
                paper::error_probability(frame, 3, ber),
                paper::at_least(frame, 4, ber),
                paper::frame_failure_ratio(frame, 12, 4, ber),
                paper::mean_years(frame, 25.0, 1e-20),
                paper::survival_years(frame, 25.0, 1e-20),
                paper::efficiency_with_errors(
                    frame,
                    16,
                    300.0,
                    paper::frame_error_ratio(frame, ber),
                ),
            ];
            row(&mut text, &format!("frame {frame}, BER {ber:e}"), &numbers);
        }
        for (id, checksum) in [(8, 12), (13, 9), (4, 4), (16, 27)] {
            let verification = paper::verification_bits(id, checksum);
            let numbers = [
                f64::from(verification),
                f64::from(paper::header_bits(verification)),
                paper::framing_efficiency(frame, verification),
                paper::protected_bits(checksum) as f64,
                f64::from(paper::id_bits(frame, 25.0, 1000.0 * f64::from(id))),
            ];
            row(
                &mut text,
                &format!("frame {frame}, id {id}, checksum {checksum}"),
                &numbers,
            );
        }
    }
    let circuit = paper::circuit_ns(50.0, 30.0, 11.0);
    let round_trip = paper::round_trip_ns(circuit, paper::cable_ns(300.0, 5.0));
    let _ = writeln!(
        text,
        "{circuit} {round_trip} {}",
        paper::retransmission_bits(25.0, round_trip)
    );
    let _ = writeln!(text, "{:?}", paper::flow_control(25.0, 400.0));
    text
}

fn wires() -> String {
    let mut text = String::new();
    for frame in WIDTHS {
        let frame = FrameWidth::new(frame).expect("a width");
        for (rate, metres, each, circuit) in [
            (25.78125, 3.0, 5.0, 40.0),
            (10.3125, 10_000.0, 4.9, 0.0),
            (100.0, 80.5, 3.34, 250.0),
        ] {
            let span = Span::new(frame, rate, metres, each, circuit).expect("a wire");
            let mut numbers = vec![
                span.rate_gbps(),
                span.cable_m(),
                span.delay_bits() as f64,
                span.delay_ns(),
                span.frame_ns(),
                span.round_trip_frames() as f64,
                f64::from(span.published_id_bits()),
                f64::from(u8::from(span.published_reaches())),
            ];
            for mode in [Mode::Extended, Mode::Compatible, Mode::Published] {
                numbers.push(span.needed_id_bits(mode).into());
                for bits in [6, 8, 11] {
                    let id = IdWidth::new(bits).expect("an id width");
                    numbers.extend([mode.rtt_limit(id).into(), span.reach_m(id, mode)]);
                }
            }
            row(
                &mut text,
                &format!("{} bits, {rate} Gb/s, {metres} m", frame.bits()),
                &numbers,
            );
        }
    }
    text
}

fn errors() -> String {
    let mut text = String::new();
    for (bits, round_trip) in [(6, 20.0), (8, 120.5), (11, 900.0)] {
        let id = IdWidth::new(bits).expect("an id width");
        for (name, recovery) in [
            ("extended", Recovery::extended(round_trip)),
            ("compatible", Recovery::compatible(id, round_trip)),
            ("published", Recovery::published(id, round_trip)),
        ] {
            let _ = writeln!(text, "{name} {bits} {round_trip} {recovery:?}");
            for lanes in [1, 4] {
                for errors in [1e-9, 3e-6, 1e-4, 2e-3] {
                    let goodput = recovery.goodput_ratio(lanes, errors);
                    let late =
                        [0.5, 0.999, 0.999_99].map(|share| recovery.late_at(share, lanes, errors));
                    let _ = writeln!(text, "  {lanes} {errors:e} {goodput:.6e} {late:.6?}");
                }
            }
        }
    }
    for bits in [128, 256, 512] {
        let detection = Detection::of(FrameWidth::new(bits).expect("a width"));
        let unseen: Vec<u64> = (0..9).map(|flips| detection.unseen(flips)).collect();
        let _ = writeln!(text, "{bits} {} {unseen:?}", detection.distance());
        row(
            &mut text,
            "  unseen",
            &BERS.map(|ber| detection.failure_ratio(ber)),
        );
    }
    text
}

fn framings() -> String {
    let mut text = String::new();
    for bytes in SIZES {
        let mut numbers = vec![
            framing::aurora(1, bytes),
            framing::aurora(4, bytes),
            framing::interlaken(bytes),
            framing::ethernet(bytes).unwrap_or(0.0),
        ];
        for (frame, user) in [
            (128, 128),
            (256, 256),
            (256, 1024),
            (512, 512),
            (2048, 2048),
        ] {
            let width = FrameWidth::new(frame).expect("a width");
            numbers.push(framing::rifl(width, user, bytes));
            for lanes in [1, 4] {
                let words = pipeline(width, lanes, user, bytes);
                numbers.extend([words.least, words.most].map(f64::from));
            }
        }
        row(&mut text, &format!("{bytes} bytes"), &numbers);
    }
    text
}

#[test]
fn the_calculator() {
    let text = [equations(), wires(), errors(), framings()].concat();
    expect_file!["rifl_plan.txt"].assert_eq(&text);
}
