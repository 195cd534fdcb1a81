// SPDX-License-Identifier: Apache-2.0

use super::*;
use crate::testing::seed;
use proptest::prelude::*;

fn channel(config: &ChannelConfig) -> Channel {
    Channel::new(config).unwrap()
}

/// Bits out of words, first in time first.
fn bits(words: &[u64]) -> Vec<bool> {
    words
        .iter()
        .flat_map(|w| (0..64).map(move |i| w >> i & 1 == 1))
        .collect()
}

/// `value` lies within six standard deviations of a binomial count.
fn assert_binomial(what: &str, value: u64, trials: f64, p: f64) {
    let mean = trials * p;
    let limit = 6.0 * (mean * (1.0 - p)).sqrt() + 1.0;
    assert!(
        (value as f64 - mean).abs() <= limit,
        "{what}: {value}, expected {mean} +- {limit}"
    );
}

#[test]
fn every_slip_and_some_delays_are_exact() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed("delay"));
    let sent: Vec<u64> = (0..64).map(|_| rng.next_u64()).collect();
    for delay_bits in [0, 1, 63, 64, 65, 128, 384, 1000] {
        for slip_bits in 0..64 {
            let mut c = channel(&ChannelConfig {
                delay_bits,
                slip_bits,
                ..Default::default()
            });
            let got: Vec<u64> = sent.iter().map(|w| c.transfer(*w)).collect();
            let total = (delay_bits + u64::from(slip_bits)) as usize;
            let mut expected = vec![false; total];
            expected.extend(bits(&sent));
            expected.truncate(64 * sent.len());
            assert_eq!(bits(&got), expected, "delay {delay_bits} slip {slip_bits}");
        }
    }
}

#[test]
fn error_rate_follows_the_binomial() {
    let seed = seed("ber");
    for (ber, words) in [
        (0.5, 20_000u64),
        (0.1, 50_000),
        (1e-2, 200_000),
        (1e-4, 2_000_000),
        (1e-6, 20_000_000),
    ] {
        let mut c = channel(&ChannelConfig {
            ber,
            seed,
            ..Default::default()
        });
        let flipped: u64 = (0..words)
            .map(|i| u64::from((c.transfer(i) ^ i).count_ones()))
            .sum();
        assert_eq!(
            flipped,
            c.errors(),
            "the count is of the bits that were flipped"
        );
        assert_binomial(
            &format!("errors at {ber}"),
            flipped,
            64.0 * words as f64,
            ber,
        );
    }
    let mut c = channel(&ChannelConfig {
        ber: 1.0,
        seed,
        ..Default::default()
    });
    assert!((0..1000).all(|i| c.transfer(i) == !i));
    let mut c = channel(&ChannelConfig {
        ber: 0.0,
        seed,
        ..Default::default()
    });
    assert!((0..1000).all(|i| c.transfer(i) == i));
}

#[test]
fn errors_are_spread_evenly_and_independently() {
    let seed = seed("spread");
    let (ber, words) = (0.02, 400_000u64);
    let mut c = channel(&ChannelConfig {
        ber,
        seed,
        ..Default::default()
    });
    let mut place = [0u64; 64];
    let (mut pairs, mut before) = (0u64, false);
    for _ in 0..words {
        let mask = c.transfer(0);
        for (i, count) in place.iter_mut().enumerate() {
            let hit = mask >> i & 1 == 1;
            *count += u64::from(hit);
            pairs += u64::from(hit && before);
            before = hit;
        }
    }
    let mean = ber * words as f64;
    let chi2: f64 = place
        .iter()
        .map(|n| (*n as f64 - mean).powi(2) / mean)
        .sum();
    // 63 degrees of freedom: mean 63, standard deviation 11.2.
    assert!(
        (20.0..150.0).contains(&chi2),
        "chi-square of the bit positions is {chi2}"
    );
    assert_binomial("neighbouring errors", pairs, 64.0 * words as f64, ber * ber);
}

#[test]
fn directions_with_other_seeds_are_independent() {
    let seed = seed("independent");
    let (ber, words) = (0.05, 100_000u64);
    let mut a = channel(&ChannelConfig {
        ber,
        seed,
        ..Default::default()
    });
    let mut b = channel(&ChannelConfig {
        ber,
        seed: seed.wrapping_add(1),
        ..Default::default()
    });
    let both: u64 = (0..words)
        .map(|_| u64::from((a.transfer(0) & b.transfer(0)).count_ones()))
        .sum();
    assert_binomial("common errors", both, 64.0 * words as f64, ber * ber);
    let mut c = channel(&ChannelConfig {
        ber,
        seed,
        ..Default::default()
    });
    let mut d = channel(&ChannelConfig {
        ber,
        seed,
        ..Default::default()
    });
    assert!(
        (0..1000).all(|_| c.transfer(0) == d.transfer(0)),
        "the same seed gives the same errors"
    );
}

#[test]
fn bursts_have_their_rate_length_and_density() {
    let seed = seed("burst");
    let words = 2_000_000u64;
    let burst = Burst {
        rate_per_bit: 1e-5,
        length_bits: 100,
        density: 1.0,
    };
    let mut c = channel(&ChannelConfig {
        burst: Some(burst),
        seed,
        ..Default::default()
    });
    let (mut runs, mut length, mut total) = (0u64, 0u64, 0u64);
    for _ in 0..words {
        let mask = c.transfer(0);
        for i in 0..64 {
            if mask >> i & 1 == 1 {
                length += 1;
                total += 1;
            } else if length > 0 {
                // Two bursts may touch.
                assert_eq!(length % 100, 0, "a burst is 100 bits long");
                runs += length / 100;
                length = 0;
            }
        }
    }
    assert_eq!(total, c.errors());
    // A burst begins with the given rate at each bit outside a burst.
    assert_binomial(
        "bursts",
        runs,
        64.0 * words as f64 / (1.0 + 100.0 * 1e-5),
        1e-5,
    );

    let burst = Burst {
        rate_per_bit: 1e-4,
        length_bits: 50,
        density: 0.25,
    };
    let mut c = channel(&ChannelConfig {
        burst: Some(burst),
        seed,
        ..Default::default()
    });
    for _ in 0..words {
        c.transfer(0);
    }
    let in_bursts = 64.0 * words as f64 * 50e-4 / (1.0 + 50e-4);
    let expected = in_bursts * 0.25;
    // Number of bursts and flips in each both vary.
    let deviation = (in_bursts / 50.0 * (12.5f64.powi(2) + 50.0 * 0.25 * 0.75)).sqrt();
    assert!(
        (c.errors() as f64 - expected).abs() < 6.0 * deviation,
        "{} flips, expected {expected}",
        c.errors()
    );
}

#[test]
fn cuts_are_exact() {
    let cut = |start_word, words, kind| Cut {
        start_word,
        words,
        kind,
    };
    let cuts = vec![
        cut(0, 1, CutKind::Stuck),
        cut(3, 2, CutKind::Zero),
        cut(5, 1, CutKind::One),
        cut(8, 3, CutKind::Stuck),
        cut(12, 4, CutKind::Noise),
    ];
    let mut c = channel(&ChannelConfig {
        cuts,
        ..Default::default()
    });
    let got: Vec<u64> = (100..120).map(|w| c.transfer(w)).collect();
    assert_eq!(got[0], 0, "nothing came before");
    assert_eq!(got[1..3], [101, 102]);
    assert_eq!(got[3..6], [0, 0, u64::MAX]);
    assert_eq!(got[6..12], [106, 107, 107, 107, 107, 111]);
    for i in 12..16 {
        assert_ne!(got[i], 100 + i as u64);
        assert!(!got[..i].contains(&got[i]));
    }
    assert_eq!(got[16..], [116, 117, 118, 119]);
    assert_eq!((c.cut_words(), c.errors(), c.words()), (11, 0, 20));
}

#[test]
fn a_bit_is_flipped_on_demand() {
    let mut c = channel(&ChannelConfig::default());
    c.transfer(0);
    c.flip(3);
    assert_eq!([c.transfer(0), c.transfer(0)], [8, 0]);
    c.flip(64 + 63);
    assert_eq!(
        [c.transfer(0), c.transfer(1), c.transfer(0)],
        [0, 1 << 63 | 1, 0]
    );
    assert_eq!((c.errors(), c.take_error_times()), (2, vec![1, 4]));
}

#[test]
fn no_errors_are_made_in_a_cut() {
    let cuts = vec![Cut {
        start_word: 10,
        words: 20,
        kind: CutKind::Zero,
    }];
    let mut c = channel(&ChannelConfig {
        ber: 1.0,
        cuts,
        ..Default::default()
    });
    let got: Vec<u64> = (0..40).map(|_| c.transfer(0)).collect();
    assert!(
        got.iter()
            .enumerate()
            .all(|(i, w)| *w == if (10..30).contains(&i) { 0 } else { u64::MAX })
    );
    assert_eq!(c.errors(), 20 * 64);
    assert_eq!(
        c.take_error_times(),
        (0..10).chain(30..40).collect::<Vec<u64>>()
    );
    assert!(c.take_error_times().is_empty());
}

#[test]
fn error_times_are_bounded_and_evenly_chosen() {
    let words = 8 * ERROR_TIMES as u64;
    let mut c = channel(&ChannelConfig {
        ber: 1.0,
        seed: seed("times"),
        ..Default::default()
    });
    for _ in 0..words {
        c.transfer(0);
    }
    let times = c.take_error_times();
    assert_eq!(times.len(), ERROR_TIMES);
    assert!(times.is_sorted_by(|a, b| a < b));
    let first_half = times.iter().filter(|t| **t < words / 2).count() as u64;
    assert_binomial(
        "times in the first half",
        first_half,
        ERROR_TIMES as f64,
        0.5,
    );
}

#[test]
fn bad_parameters_are_named() {
    let good = ChannelConfig::default();
    let burst = Burst {
        rate_per_bit: 0.1,
        length_bits: 1,
        density: 0.1,
    };
    let cut = Cut {
        start_word: 5,
        words: 5,
        kind: CutKind::Zero,
    };
    let cases = [
        (
            "ber",
            ChannelConfig {
                ber: -1e-6,
                ..good.clone()
            },
        ),
        (
            "ber",
            ChannelConfig {
                ber: f64::NAN,
                ..good.clone()
            },
        ),
        (
            "ber",
            ChannelConfig {
                ber: 1.5,
                ..good.clone()
            },
        ),
        (
            "slip_bits",
            ChannelConfig {
                slip_bits: 64,
                ..good.clone()
            },
        ),
        (
            "delay_bits",
            ChannelConfig {
                delay_bits: MAX_DELAY_BITS + 1,
                ..good.clone()
            },
        ),
        (
            "burst.rate_per_bit",
            ChannelConfig {
                burst: Some(Burst {
                    rate_per_bit: 2.0,
                    ..burst
                }),
                ..good.clone()
            },
        ),
        (
            "burst.density",
            ChannelConfig {
                burst: Some(Burst {
                    density: -0.1,
                    ..burst
                }),
                ..good.clone()
            },
        ),
        (
            "burst.length_bits",
            ChannelConfig {
                burst: Some(Burst {
                    length_bits: 0,
                    ..burst
                }),
                ..good.clone()
            },
        ),
        (
            "cut.words",
            ChannelConfig {
                cuts: vec![Cut { words: 0, ..cut }],
                ..good.clone()
            },
        ),
        (
            "cut.start_word",
            ChannelConfig {
                cuts: vec![
                    cut,
                    Cut {
                        start_word: 9,
                        ..cut
                    },
                ],
                ..good.clone()
            },
        ),
    ];
    for (expected, config) in cases {
        match Channel::new(&config) {
            Err(SimError::BadParameter { name, .. }) => assert_eq!(name, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
}

proptest! {
    /// A channel is a delay line, a mask of errors and a list of cuts, and nothing else.
    #[test]
    fn equals_a_bitwise_model(
        delay_bits in 0u64..500, slip_bits in 0u8..64, seed: u64,
        ber in prop_oneof![Just(0.0), 0.0..0.2f64],
        sent in prop::collection::vec(any::<u64>(), 1..60),
        spans in prop::collection::vec((0u64..10, 1u64..8, 0usize..5), 0..4),
    ) {
        let mut cuts = Vec::new();
        let mut at = 0;
        for (gap, words, kind) in spans {
            let kind = [CutKind::Zero, CutKind::One, CutKind::Alternating, CutKind::Stuck, CutKind::Repeat(4)][kind];
            cuts.push(Cut { start_word: at + gap, words, kind });
            at += gap + words;
        }
        let plain = ChannelConfig { delay_bits, slip_bits, ber, seed, ..Default::default() };
        let mut cut_channel = channel(&ChannelConfig { cuts: cuts.clone(), ..plain.clone() });
        let mut plain_channel = channel(&plain);
        let mut clean_channel = channel(&ChannelConfig { ber: 0.0, ..plain });
        let mut line = vec![false; (delay_bits + u64::from(slip_bits)) as usize];
        line.extend(bits(&sent));
        let (mut shown, mut errors) = (vec![0; 4], 0);
        for (n, word) in sent.iter().enumerate() {
            let clean = clean_channel.transfer(*word);
            prop_assert_eq!(bits(&[clean]), &line[64 * n..64 * n + 64]);
            let noisy = plain_channel.transfer(*word);
            let got = cut_channel.transfer(*word);
            let n = n as u64;
            let inside = cuts.iter().find(|c| (c.start_word..c.start_word + c.words).contains(&n));
            let expected = match inside.map(|c| c.kind) {
                None => noisy,
                Some(CutKind::Zero) => 0,
                Some(CutKind::One) => u64::MAX,
                Some(CutKind::Alternating) => 0x5555_5555_5555_5555,
                // While stuck the word before is the stuck one, except where a cut follows a cut,
                // which repeats what that one showed.
                Some(CutKind::Stuck) => shown[shown.len() - 1],
                Some(_) => shown[shown.len() - 4],
            };
            prop_assert_eq!(got, expected);
            if inside.is_none() {
                errors += u64::from((noisy ^ clean).count_ones());
            }
            shown.push(got);
        }
        prop_assert_eq!(cut_channel.errors(), errors);
    }
}

#[test]
fn errors_that_are_set_later_begin_then_and_end_again() {
    let mut c = channel(&ChannelConfig {
        seed: seed("later"),
        ..Default::default()
    });
    let flipped = |c: &mut Channel, words: u64| {
        (0..words)
            .map(|_| u64::from(c.transfer(0).count_ones()))
            .sum::<u64>()
    };
    assert_eq!(flipped(&mut c, 1000), 0);
    c.set_errors(1e-3, None).unwrap();
    assert_binomial("later", flipped(&mut c, 100_000), 6.4e6, 1e-3);
    let burst = Burst {
        rate_per_bit: 1e-4,
        length_bits: 50,
        density: 1.0,
    };
    c.set_errors(0.0, Some(burst)).unwrap();
    // One burst in 10050 bits; six standard deviations of their number are a tenth.
    let bits = flipped(&mut c, 50_000) as f64;
    let expected = 3.2e6 / 10_050.0 * 50.0;
    assert!((bits / expected - 1.0).abs() < 0.4, "{bits}, {expected}");
    c.set_errors(0.0, None).unwrap();
    assert_eq!(flipped(&mut c, 1000), 0);
    assert!(c.set_errors(1.5, None).is_err());
    c.flip_run(60, 10);
    assert_eq!([c.transfer(0), c.transfer(0)], [0xf << 60, 0x3f]);
    c.flip_run(3, 0);
    assert_eq!(c.transfer(0), 0);
}

#[test]
fn a_cut_of_now_takes_the_place_of_those_that_it_meets() {
    let cut = |start_word, words, kind| Cut {
        start_word,
        words,
        kind,
    };
    let mut c = channel(&ChannelConfig {
        cuts: vec![
            cut(3, 10, CutKind::One),
            cut(14, 2, CutKind::One),
            cut(30, 1, CutKind::One),
        ],
        ..Default::default()
    });
    let mut seen: Vec<u64> = (0..5).map(|_| c.transfer(7)).collect();
    c.cut_now(10, CutKind::Zero).unwrap();
    seen.extend((5..32).map(|_| c.transfer(7)));
    let mut expected = [7; 32];
    expected[3..5].fill(u64::MAX);
    expected[5..15].fill(0);
    expected[30] = u64::MAX;
    assert_eq!(seen, expected);
    assert_eq!(c.cut_words(), 13);
    assert!(c.cut_now(0, CutKind::Zero).is_err());
    assert!(c.cut_now(1, CutKind::Repeat(0)).is_err());
}

#[test]
fn a_slip_moves_the_boundaries_of_the_words() {
    for (first, slip) in [(0, 1), (0, 63), (10, 60), (63, 1), (5, 0), (5, 64)] {
        let mut c = channel(&ChannelConfig {
            slip_bits: first,
            ..Default::default()
        });
        let pattern = 0x0123_4567_89ab_cdef_u64;
        for _ in 0..3 {
            c.transfer(pattern);
        }
        c.slip(slip);
        c.transfer(pattern);
        let total = (u32::from(first) + u32::from(slip)) % 64;
        assert_eq!(c.transfer(pattern), pattern.rotate_left(total));
    }
}
