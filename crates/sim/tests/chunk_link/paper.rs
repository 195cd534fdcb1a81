// SPDX-License-Identifier: Apache-2.0
//! The figures of the paper, in its sizes. Seeds are fixed: every figure is exact.

use ropewalk_sim::chunk::paper::Pipeline;
use ropewalk_wire::chunk::Phases;
use std::time::Duration;

/// Loss, sub-packets sent again, time of a chunk on 1 and on 8 lanes, ms: what follows from the
/// turn-around of 42.5 us that the tables of the paper have, and from the number of rounds to be
/// expected.
const TABLE: [(f64, f64, f64, f64); 6] = [
    (0.0, 0.0, 13.705, 1.750),
    (0.001, 14.0, 13.761, 1.795),
    (0.01, 140.0, 13.918, 1.842),
    (0.05, 727.0, 14.547, 1.964),
    (0.1, 1532.0, 15.387, 2.105),
    (0.2, 3452.0, 17.369, 2.424),
];

#[test]
fn loss_table() {
    for (loss, resent, one, eight) in TABLE {
        for (lanes, expected) in [(1, one), (8, eight)] {
            let pipeline = Pipeline {
                lanes,
                loss,
                ..Pipeline::PAPER
            };
            let carried = pipeline.carry(6, 1);
            let each = carried.chunk.as_secs_f64() * 1e3;
            println!(
                "{lanes} lanes, {loss}: {each:.3} of {expected} ms, {:.1} of {resent} again",
                carried.resent
            );
            assert!((each / expected - 1.0).abs() < 0.05);
            assert!((carried.resent - resent).abs() <= 0.05 * resent + 5.0);
            // Frames of rounds that are not full cost their headers.
            assert!(
                (262_200.0..262_200.0 + 0.01 * resent * 1232.0 + 0.1).contains(&carried.overhead)
            );
        }
    }
}

#[test]
fn overlapped_phases_hide_the_turn_around() {
    for (loss, _, _, two_phases) in TABLE {
        let pipeline = Pipeline {
            lanes: 8,
            loss,
            phases: Phases::Overlapped,
            ..Pipeline::PAPER
        };
        let each = pipeline.carry(6, 1).chunk.as_secs_f64() * 1e3;
        let least = pipeline.line_time().as_secs_f64() * 1e3 / (1.0 - loss);
        println!("{loss}: {each:.4} ms, at least {least:.4}, two phases {two_phases}");
        assert!(each < 1.01 * least && each < 0.99 * two_phases);
    }
}

#[test]
fn latency_is_shared_by_lanes() {
    let turns: Vec<Duration> = (1..=8)
        .map(|lanes| {
            let pipeline = Pipeline {
                lanes,
                ..Pipeline::PAPER
            };
            let carried = pipeline.carry(2, 1);
            assert_eq!(carried.overhead, 262_200.0);
            carried.chunk - pipeline.line_time()
        })
        .collect();
    println!("{turns:?}");
    let apart = turns.iter().map(|turn| turn.abs_diff(turns[0])).max();
    assert!(apart < Some(Duration::from_micros(10)));
}
