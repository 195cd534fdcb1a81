// SPDX-License-Identifier: Apache-2.0
//! What a link carries.

use ropewalk_channel::Settings;
use ropewalk_sim::chunk::{Line, Link};
use ropewalk_wire::chunk::{Pace, Params, ReceiverSettings, SenderSettings};
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

/// Chunks that are short beside the receiver's buffer, four of which are on their way for three
/// round trips: what is lost of one is known soon after its end, and not only when no more may be
/// sent.
#[test]
fn loss_in_short_chunks() {
    const CHUNKS: usize = 200;
    let params = Params {
        per_chunk: 512,
        chunks: 4,
        ..Params::PAPER
    };
    let rate = 1_000_000_000;
    let channel = Settings {
        rate: Some(rate),
        queue: 2 * params.frame_bytes(),
        delay: Duration::from_millis(3),
        ..Settings::default()
    };
    let send = SenderSettings {
        pace: Pace::Free,
        buffer: 1 << 26,
        ..SenderSettings::default()
    };
    for (loss, least) in [(0.0, 0.98), (0.01, 0.95)] {
        let mut link = Link::new(params, send, ReceiverSettings::default(), &channel, 1);
        link.receiver.discard(loss, 1);
        link.transfer(CHUNKS, params.chunk_bytes(), Duration::from_secs(60));
        let bits = (CHUNKS * params.chunk_bytes() * 8) as f64;
        let goodput = bits / link.delivered[CHUNKS - 1].1.as_secs_f64() / rate as f64;
        let (sent, received) = (link.sender.counters(), link.receiver.counters());
        println!(
            "{loss}: {goodput:.4}, {} reports, {sent:?}",
            received.reports
        );
        assert!(goodput > least * params.efficiency());
        assert_eq!(sent.duplicates, 0);
        assert!(received.reports < 5 * CHUNKS as u64);
    }
}

/// The paces of a line that the sender does not see: queues of half of what fills it, and of twice
/// that.
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
