// SPDX-License-Identifier: Apache-2.0
//! Links with everything at random.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_channel::Settings;
use ropewalk_sim::chunk::{Filter, Link};
use ropewalk_sim::testing::seed;
use ropewalk_wire::chunk::{
    AckTimer, Fec, FrameSeq, Pace, Params, Phases, ReceiverSettings, SenderSettings,
};
use std::time::Duration;

/// Longest that any of these links may take: the slowest lane, at the worst loss, at the longest
/// waits.
const LIMIT: Duration = Duration::from_secs(3000);

#[test]
fn every_byte_arrives_once() {
    many(200);
}

/// A long run, for `make soak`.
#[test]
#[ignore = "minutes"]
fn every_byte_arrives_once_in_many_links() {
    many(5000);
}

fn many(links: u32) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed("chunk links"));
    for _ in 0..links {
        one(random.next_u64(), Box::new(|_| true));
    }
}

/// A link, and traffic over it to its end.
pub fn one(seed: u64, filter: Filter) -> Link {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut pick = |choices: &[u64]| choices[random.next_u64() as usize % choices.len()];
    let params = Params {
        payload: pick(&[64, 640, 1216, 1408]) as u16,
        per_frame: pick(&[1, 2, 8]) as u8,
        per_chunk: pick(&[8, 64, 400, 2000, 20_000]) as u16,
        chunks: pick(&[1, 2, 5, 16]) as u16,
        lanes: pick(&[1, 1, 2, 3, 8]) as u8,
        sealed: pick(&[0, 1]) == 1,
        fec: [
            Fec::None,
            Fec::Mend(1),
            Fec::Mend(8),
            Fec::Restore(8, 3),
            Fec::Restore(128, 16),
            Fec::Restore(1, 1),
        ][pick(&[0, 0, 1, 2, 3, 4, 5]) as usize],
    };
    let micros = Duration::from_micros;
    let mut cut = || {
        let begin = micros(pick(&[0, 100, 5000, 200_000]));
        let long = micros(pick(&[0, 0, 0, 300, 30_000, 2_000_000]));
        (!long.is_zero()).then(|| begin..begin + long)
    };
    let cuts: Vec<_> = (0..2 * params.lanes).map(|_| cut()).collect();
    let mut lane = |cut: &Option<std::ops::Range<Duration>>| Settings {
        rate: [
            None,
            Some(1_000_000_000),
            Some(10_000_000_000),
            Some(100_000_000),
        ][pick(&[0, 1, 2, 3]) as usize],
        queue: pick(&[20_000, 1_000_000]) as usize,
        delay: micros(pick(&[1, 10, 1000, 20_000])),
        jitter: micros(pick(&[0, 0, 5, 100, 3000])),
        loss: [0.0, 0.001, 0.05, 0.3][pick(&[0, 1, 2, 3]) as usize],
        burst: [0.0, 0.001][pick(&[0, 1]) as usize],
        ber: [0.0, 1e-6, 1e-5][pick(&[0, 1, 2]) as usize],
        duplicate: [0.0, 0.05, 1.0][pick(&[0, 1, 2]) as usize],
        reorder: [0.0, 0.05][pick(&[0, 1]) as usize],
        held: micros(pick(&[10, 1000, 50_000])),
        cuts: cut.clone().into_iter().collect(),
        ..Settings::default()
    };
    let lanes: Vec<_> = cuts.iter().map(&mut lane).collect();
    let alike = pick(&[0, 1]) == 1;
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
        peer_timeout: None,
        first,
        // A sealed lane begins at its first number.
        first_frame: FrameSeq::new(if params.sealed {
            0
        } else {
            pick(&[0, 0xff_fff0]) as u32
        }),
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
    let (discard, waits) = (pick(&[0, 0, 1, 300]), pick(&[0, 1]) == 1);
    // Either user is away for a while, every so often.
    let (offers_at, takes_at) = (micros(pick(&[0, 20_000])), micros(pick(&[0, 20_000])));
    // Enough for a bitmap that is longer than a report.
    let most = if params.payload == 64 {
        params.chunk_bytes()
    } else {
        params.chunk_bytes().min(300_000)
    };
    println!(
        "{seed}: {params:?} {send:?} {receive:?} {discard} {waits} {offers_at:?} {takes_at:?} {alike} {lanes:?}"
    );
    let (forth, back) = lanes.split_at(usize::from(params.lanes));
    let mut link = if alike {
        Link::new(params, send, receive, &lanes[0], seed)
    } else {
        Link::with_lanes(params, send, receive, forth, back, seed)
    };
    link.waits = waits;
    link.filter = filter;
    link.receiver.discard(discard as f64 / 1000.0, seed);
    link.keep = !takes_at.is_zero();
    let mut left = 1 + link.random.next_u64() % 6;
    let (mut offers, mut takes) = (offers_at, takes_at);
    let end = link.now + LIMIT;
    while !link.sender.is_finished() {
        assert!(link.now < end, "{:?}", link.sender);
        while left > 0 && link.now >= offers && link.sender.wants_chunk() {
            let bytes = 1 + link.random.next_u64() as usize % most;
            link.offer(bytes);
            left -= 1;
            offers = link.now + offers_at;
            if left == 0 {
                link.sender.finish();
            }
        }
        if link.now >= takes {
            takes = link.now + takes_at;
            while let Some(memory) = link.kept.pop() {
                link.receiver.give_back(memory);
            }
        }
        link.settle();
        // The users wake up by themselves.
        let users = [
            (left > 0).then_some(offers),
            (!link.kept.is_empty()).then_some(takes),
        ];
        let wakes = users.into_iter().flatten().filter(|&at| at > link.now);
        let wake = wakes.min().unwrap_or(end);
        if !link.step(wake.min(end)) {
            assert!(wake < end, "nothing happens any more: {:?}", link.sender);
            link.now = link.now.max(wake);
        }
    }
    link.check_end();
    link
}
