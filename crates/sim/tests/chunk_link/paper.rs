// SPDX-License-Identifier: Apache-2.0
//! The figures of the paper, in its sizes and with its two phases.

use ropewalk_channel::Settings;
use ropewalk_sim::chunk::Link;
use ropewalk_sim::testing::seed;
use ropewalk_wire::chunk::{AckTimer, Pace, Params, Phases, ReceiverSettings, SenderSettings};
use std::time::Duration;

/// The turn-around of papers-checked 1.2: what passes between the last byte of a phase and the first of the next.
const TURN: Duration = Duration::from_nanos(42_500);

fn two_phases(lanes: u8, damage: f64, seed: u64) -> Link {
    // A frame costs its 9880 bytes, 24 of them Ethernet's, and 20 of preamble and gap.
    let channel = Settings {
        rate: Some(10_000_000_000),
        queue: 2 * 9880,
        delay: Duration::from_micros(6),
        ..Settings::default()
    };
    let params = Params {
        lanes,
        chunks: 2,
        ..Params::PAPER
    };
    let send = SenderSettings {
        phases: Phases::Separate,
        pace: Pace::Free,
        ..SenderSettings::default()
    };
    let timer = AckTimer {
        first: TURN - Duration::from_micros(12),
        longest: Duration::from_millis(1),
    };
    let receive = ReceiverSettings {
        timer,
        ..ReceiverSettings::default()
    };
    let mut link = Link::new(params, send, receive, &channel, seed);
    link.receiver.discard(damage, seed);
    link
}

#[test]
fn loss_table() {
    let seed = seed("loss table");
    // Loss, sub-packets sent again, time of a chunk on 1 and on 8 lanes (papers-checked 1.2), ms. A report that is complete comes without
    // the timer, hence the first row is less than theirs by what that saves.
    let table = [
        (0.0, 0.0, 13.705, 1.750),
        (0.001, 14.0, 13.761, 1.795),
        (0.01, 140.0, 13.918, 1.842),
        (0.05, 727.0, 14.547, 1.964),
        (0.1, 1532.0, 15.387, 2.105),
        (0.2, 3452.0, 17.369, 2.424),
    ];
    for (loss, resent, one, eight) in table {
        for (lanes, expected) in [(1, one), (8, eight)] {
            let mut link = two_phases(lanes, loss, seed);
            let chunks = 6;
            link.transfer(chunks, link.params.chunk_bytes(), Duration::from_secs(10));
            let end = link.delivered.last().unwrap().1;
            let each = end.as_secs_f64() * 1e3 / chunks as f64;
            let again = link.sender.counters().resent as f64 / chunks as f64;
            println!(
                "{lanes} lanes, {loss}: {each:.3} of {expected} ms, {again:.1} of {resent} again"
            );
            assert!((again - resent).abs() <= 0.05 * resent + 5.0);
        }
    }
}
