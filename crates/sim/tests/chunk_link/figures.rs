// SPDX-License-Identifier: Apache-2.0
//! What a link carries.

use ropewalk_sim::chunk::Line;
use ropewalk_wire::chunk::Params;
use std::time::Duration;

/// A tenth of 10 Gb/s, and chunks of a tenth: the same ratios as at 10 Gb/s.
const LINE: Line = Line {
    rate: 1_000_000_000,
    rtt: Duration::from_millis(10),
    loss: 0.0,
    chunks: 4,
    blind: None,
};

#[test]
fn goodput_of_a_full_line() {
    let bound = Params::PAPER.efficiency();
    for (chunks, least) in [(1, 0.55), (2, 0.995), (4, 0.995)] {
        let carried = Line { chunks, ..LINE }.carry(20, 1);
        println!("{chunks} chunks: {:.5} of {bound:.5}", carried.goodput);
        assert!(carried.goodput >= least * bound && carried.goodput <= bound + 1e-6);
        assert_eq!(carried.resent, 0.0);
    }
}

#[test]
fn loss_costs_what_is_lost() {
    for loss in [0.001, 0.01, 0.05, 0.2] {
        let line = Line {
            loss,
            chunks: 16,
            ..LINE
        };
        let carried = line.carry(60, 1);
        let bound = Params::PAPER.efficiency() * (1.0 - loss);
        println!("{loss}: {carried:?} of {bound:.5}");
        assert!(carried.goodput > 0.98 * bound && carried.goodput < 1.01 * bound);
        assert!((carried.resent - loss).abs() < 0.1 * loss + 0.0005);
        assert_eq!(carried.duplicates, 0.0);
    }
}

/// The paces of a line that the sender does not see: queues of half of what fills it, and of twice that.
#[test]
fn the_rate_is_found() {
    let milliseconds = Duration::from_millis;
    let lines = [
        (100_000_000, milliseconds(10)),
        (1_000_000_000, milliseconds(1)),
        (1_000_000_000, milliseconds(10)),
        (10_000_000_000, milliseconds(1)),
    ];
    for (rate, rtt) in lines {
        let fill = rate as f64 / 8.0 * rtt.as_secs_f64();
        for (queue, most) in [(fill / 2.0, 0.15), (fill * 2.0, 0.02)] {
            let queue = Some(queue as usize);
            let line = Line {
                rate,
                rtt,
                chunks: 8,
                blind: queue,
                ..LINE
            };
            let carried = line.carry(60, 1);
            println!("{rate} bit/s, {rtt:?}, {queue:?} bytes: {carried:?}");
            assert!(carried.goodput > 0.96 * Params::PAPER.efficiency());
            // Most of it is what the start costs, of a run that is some ten times as long.
            assert!(carried.resent < most);
            assert_eq!(carried.duplicates, 0.0);
        }
    }
}
