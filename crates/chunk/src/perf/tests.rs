// SPDX-License-Identifier: Apache-2.0

use super::*;

const MS: Duration = Duration::from_millis(1);

#[test]
fn figures_of_a_measurement() {
    let figures = Figures {
        bytes: 3_000_000_000,
        seconds: 2.0,
        cpu_seconds: 6.0,
        latencies: (0..200).map(|it| MS * it).collect(),
        ..Figures::default()
    };
    assert!((figures.gbps() - 12.0).abs() < 1e-9);
    assert!((figures.cpu_s_per_gb() - 2.0).abs() < 1e-9);
    let latencies = [0, 50, 99, 100].map(|percent| figures.latency(percent));
    assert_eq!(latencies, [Duration::ZERO, MS * 100, MS * 198, MS * 199]);
    assert_eq!(Figures::default().latency(50), Duration::ZERO);
}

/// Chunks of each pipeline have marks of their own, at both ends.
#[test]
fn chunks_are_marked() {
    let golden = 0x9e37_79b9_7f4a_7c15_u64;
    assert_eq!(mark(0, 3), golden.wrapping_mul(3).to_le_bytes());
    let word = 2 << 32 | 5_u64;
    assert_eq!(mark(2, 5), golden.wrapping_mul(word).to_le_bytes());
    let mut whole = vec![1; 100];
    stamp(&mut whole, mark(2, 5));
    assert_eq!(
        (whole[..8].to_vec(), whole[92..].to_vec()),
        (mark(2, 5).into(), mark(2, 5).into())
    );
    assert!(whole[8..92].iter().all(|&byte| byte == 1));
    let mut taken = Taken::default();
    let mut head = whole.clone();
    head[0] ^= 1;
    let mut tail = whole.clone();
    tail[99] ^= 1;
    for (chunk, bytes, wrong) in [
        (5, Some(&whole[..]), 0),
        (5, Some(&head[..]), 1),
        (5, Some(&tail[..]), 2),
        (6, Some(&whole[..]), 3),
        (5, None, 4),
    ] {
        taken.take(2, chunk, bytes);
        assert_eq!(taken.wrong, wrong);
    }
    assert_eq!((taken.bytes, taken.times.len()), (400, 5));
}

#[test]
fn the_latency_is_from_the_offer_to_the_completion() {
    let begun = Instant::now();
    let at = |times: &[u32]| times.iter().map(|&it| begun + MS * it).collect::<Vec<_>>();
    let taken = Taken {
        times: at(&[5, 9]),
        ..Taken::default()
    };
    assert_eq!(taken.latencies(&at(&[1, 2, 3])), [MS * 4, MS * 7]);
    assert_eq!(taken.latencies(&at(&[6])), [Duration::ZERO]);
}

/// The time begins with the first chunk, and is over whatever came then.
#[test]
fn chunks_are_offered_for_a_time() {
    let now = Instant::now();
    assert!(!is_over(&[], Duration::ZERO) && is_over(&[now], Duration::ZERO));
    assert!(!is_over(&[now], Duration::from_secs(3600)));
    let mut offer = Offer {
        number: 1,
        spare: vec![vec![0; 64]],
        time: Duration::from_secs(3600),
        offered: Vec::new(),
    };
    let mut chunks = &mut offer;
    for chunk in 0..2 {
        let (memory, bytes) = chunks.take().unwrap();
        assert_eq!((&memory[..8], bytes), (&mark(1, chunk)[..], 64));
        assert_eq!(chunks.take(), Err(false));
        chunks.give_back(memory);
    }
    offer.time = Duration::ZERO;
    assert_eq!((&mut offer).take(), Err(true));
}

#[test]
fn a_measurement_that_stalls() {
    let mut stalled = Stalled::new();
    assert!(!stalled.look(0));
    let late = PATIENCE + MS;
    stalled.since -= late;
    assert!(stalled.look(0) && !stalled.look(1) && !stalled.look(1));
    stalled.since -= late;
    assert!(stalled.look(1));
}

#[test]
fn memory_and_sessions_of_pipelines() {
    let params = Params {
        payload: 64,
        per_chunk: 8,
        lanes: 2,
        ..Params::PAPER
    };
    let chunks = memory(params, 3);
    assert_eq!((chunks.len(), chunks[0].len()), (3, 512));
    assert_eq!((chunks[2][3], chunks[2][511]), (21, (511 * 7 % 256) as u8));
    for sealed in [false, true] {
        assert_eq!(session(5, sealed).number(), 0x726f_7065_0000_0005);
    }
    let settings = Settings {
        params,
        arrangement: Arrangement::LowLatency,
        time: MS,
        drop: 0.0,
        pace: Pace::Found,
        threads: None,
    };
    for (arrangement, pipelines) in [(Arrangement::LowLatency, 1), (Arrangement::Stable, 2)] {
        let settings = Settings {
            arrangement,
            params: settings.params,
            ..settings
        };
        let (params, ends) = open(&settings, &mut pair).unwrap();
        assert_eq!((ends.len(), params.lanes), (pipelines, 2 / pipelines as u8));
        assert!(ends.iter().all(|(_, pairs)| pairs.len() == 2 / pipelines));
    }
}
