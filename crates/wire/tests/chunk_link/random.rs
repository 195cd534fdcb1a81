// SPDX-License-Identifier: Apache-2.0
//! Links with everything at random.

use super::lane::{Habits, fraction};
use super::link::{Link, seed};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_wire::chunk::{AckTimer, Pace, Params, Phases, ReceiverSettings, SenderSettings};
use std::time::Duration;

#[test]
fn every_byte_arrives_once() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed());
    for _ in 0..200 {
        let seed = random.next_u64();
        one(seed);
    }
}

fn one(seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut pick = |choices: &[u64]| choices[random.next_u64() as usize % choices.len()];
    let params = Params {
        payload: pick(&[64, 640, 1216, 1408]) as u16,
        per_frame: pick(&[1, 2, 8]) as u8,
        per_chunk: pick(&[8, 64, 400, 2000]) as u16,
        chunks: pick(&[1, 2, 5, 16]) as u16,
        lanes: pick(&[1, 1, 2, 3, 8]) as u8,
    };
    let micros = Duration::from_micros;
    let habits = Habits {
        rate: [None, Some(1e9), Some(1e10), Some(1e8)][pick(&[0, 1, 2, 3]) as usize],
        queue: pick(&[20_000, 1_000_000]) as usize,
        delay: micros(pick(&[1, 10, 1000, 20_000])),
        jitter: micros(pick(&[0, 0, 5, 100, 3000])),
        loss: [0.0, 0.001, 0.05, 0.3][pick(&[0, 1, 2, 3]) as usize],
        damage: [0.0, 0.001, 0.05, 0.3][pick(&[0, 1, 2, 3]) as usize],
        duplication: [0.0, 0.05, 1.0][pick(&[0, 1, 2]) as usize],
        gap: 0,
        dead: false,
    };
    let separate = pick(&[0, 0, 1]) == 1;
    let first = pick(&[0, u64::from(u32::MAX)]) as u32;
    let send = SenderSettings {
        phases: if separate {
            Phases::Separate
        } else {
            Phases::Overlapped
        },
        pace: [Pace::Found, Pace::Free, Pace::Capped(500_000_000)][pick(&[0, 1, 2]) as usize],
        buffer: pick(&[100_000, 1 << 20]) as usize,
        first,
    };
    let timer = AckTimer {
        first: micros(pick(&[30, 1000, 10_000])),
        longest: Duration::from_millis(500),
    };
    let receive = ReceiverSettings {
        timer,
        first,
        ..ReceiverSettings::default()
    };
    println!("{seed}: {params:?} {habits:?} {send:?} {receive:?}");
    let mut link = Link::new(params, send, receive, habits, seed);
    let mut left = 1 + (fraction(&mut link.random) * 6.0) as usize;
    link.run(Duration::from_secs(3000), |link| {
        while left > 0 && link.sender.wants_chunk() {
            let bytes = 1 + link.random.next_u64() as usize % link.params.chunk_bytes();
            link.offer(bytes);
            left -= 1;
            if left == 0 {
                link.sender.finish();
            }
            link.settle();
        }
        link.sender.is_finished()
    });
    assert!(link.receiver.is_finished());
}
