// SPDX-License-Identifier: Apache-2.0
//! Every effect of a channel by itself, and all of them together.

use ropewalk_channel::{Channel, Counts, Settings};
use std::collections::HashMap;
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

fn channel(settings: Settings) -> Channel {
    Channel::new(&settings).unwrap()
}

/// Seed of a random test, printed.
fn seed() -> u64 {
    let fresh = || {
        use std::hash::{BuildHasher, RandomState};
        RandomState::new().hash_one(0)
    };
    let seed = std::env::var("SEED").map_or_else(|_| fresh(), |seed| seed.parse().unwrap());
    println!("SEED={seed}");
    seed
}

/// Sends `count` datagrams of 1000 bytes, one each microsecond, and returns all that arrive, with
/// their times.
fn run(channel: &mut Channel, count: u32) -> Vec<(Duration, Vec<u8>)> {
    let mut all = Vec::new();
    for number in 0..count {
        let mut bytes = vec![0; 1000];
        bytes[..4].copy_from_slice(&number.to_be_bytes());
        channel.push(Duration::from_micros(number.into()), &bytes);
    }
    while let Some(now) = channel.next_timeout() {
        if let Some(before) = now.checked_sub(Duration::from_nanos(1)) {
            assert_eq!(channel.pop(before), None, "not before its time");
        }
        all.push((now, channel.pop(now).unwrap()));
    }
    assert_eq!(channel.flying(), 0);
    let Counts {
        sent,
        arrived,
        too_long,
        overflows,
        lost,
        dead,
        copies,
        ..
    } = channel.counts();
    assert_eq!(sent, u64::from(count));
    assert_eq!(arrived, all.len() as u64);
    assert_eq!(sent + copies, arrived + too_long + overflows + lost + dead);
    all
}

fn numbers(all: &[(Duration, Vec<u8>)]) -> Vec<u32> {
    let number = |bytes: &[u8]| u32::from_be_bytes(std::array::from_fn(|i| bytes[i]));
    all.iter().map(|(_, bytes)| number(bytes)).collect()
}

#[test]
fn a_perfect_channel() {
    let mut channel = channel(Settings {
        delay: 5 * MS,
        ..Settings::default()
    });
    let all = run(&mut channel, 1000);
    assert_eq!(numbers(&all), Vec::from_iter(0..1000));
    for (number, (time, _)) in all.iter().enumerate() {
        assert_eq!(*time, 5 * MS + Duration::from_micros(number as u64));
    }
}

#[test]
fn datagrams_longer_than_the_mtu_are_lost() {
    let mut channel = channel(Settings {
        mtu: 999,
        ..Settings::default()
    });
    channel.push(MS, &[0; 999]);
    channel.push(MS, &[0; 1000]);
    assert_eq!(channel.pop(MS), Some(vec![0; 999]));
    assert_eq!(channel.pop(MS), None);
    assert_eq!(channel.counts().too_long, 1);
}

/// 1000 bytes and 250 of overhead at 1 Gb/s: 10 us each. Ten fit the queue, the one that is being
/// sent included.
#[test]
fn a_line_and_its_queue() {
    let mut channel = channel(Settings {
        rate: Some(1_000_000_000),
        overhead: 250,
        queue: 12_500,
        delay: MS,
        ..Settings::default()
    });
    let now = 3 * MS;
    for number in 0..11 {
        assert_eq!(channel.has_room(now, 1000), number < 10);
        assert_eq!(channel.room_at(now, 1000) == now, number < 10);
        channel.push(now, &[number; 1000]);
    }
    assert_eq!(channel.counts().overflows, 1);
    let later = channel.room_at(now, 1000);
    assert_eq!(later, now + Duration::from_micros(10));
    assert!(channel.has_room(later, 1000));
    assert!(!channel.has_room(later - Duration::from_nanos(1), 1000));
    for number in 0..10 {
        let time = now + MS + Duration::from_micros(10 * (u64::from(number) + 1));
        assert_eq!(channel.next_timeout(), Some(time));
        assert_eq!(channel.pop(time), Some(vec![number; 1000]));
    }
    assert_eq!(channel.pop(Duration::MAX), None);
}

/// A rate that no whole number of nanoseconds fits is kept over many datagrams.
#[test]
fn a_rate_is_exact() {
    let mut channel = channel(Settings {
        rate: Some(99_999_999_977),
        ..Settings::default()
    });
    for _ in 0..100_000 {
        channel.push(Duration::ZERO, &[0; 1000]);
    }
    let mut last = Duration::ZERO;
    while let Some(time) = channel.next_timeout() {
        last = time;
        channel.pop(time);
    }
    let expected = 100_000.0 * 8000.0 / 99_999_999_977.0;
    assert!((last.as_secs_f64() - expected).abs() < 2e-7, "{last:?}");
}

/// Within six standard deviations of 100 000 datagrams.
fn near(count: u64, probability: f64) {
    let expected = 1e5 * probability;
    let bound = 6.0 * (expected * (1.0 - probability)).sqrt();
    assert!(
        (count as f64 - expected).abs() < bound,
        "{count} of about {expected}"
    );
}

/// The seed is fixed: these are drawn once, and hold for ever.
#[test]
fn chances() {
    let mut lossy = channel(Settings {
        loss: 0.01,
        ..Settings::default()
    });
    run(&mut lossy, 100_000);
    near(lossy.counts().lost, 0.01);

    let mut bursts = channel(Settings {
        burst: 0.001,
        burst_length: 20,
        ..Settings::default()
    });
    let came = numbers(&run(&mut bursts, 100_000));
    assert!(bursts.counts().lost > 1000);
    let gaps = came.windows(2).map(|pair| pair[1] - pair[0] - 1);
    // A burst may begin in another one, and is then longer.
    assert!(gaps.into_iter().all(|gap| gap == 0 || gap >= 20));

    let mut copies = channel(Settings {
        duplicate: 0.02,
        ..Settings::default()
    });
    let mut times = HashMap::<u32, u64>::new();
    for number in numbers(&run(&mut copies, 100_000)) {
        *times.entry(number).or_default() += 1;
    }
    let twice = times.values().filter(|&&times| times == 2).count();
    assert_eq!(
        (twice as u64, times.len()),
        (copies.counts().copies, 100_000)
    );
    near(copies.counts().copies, 0.02);

    let mut errors = channel(Settings {
        ber: 1e-6,
        ..Settings::default()
    });
    let flipped: u32 = run(&mut errors, 100_000)
        .iter()
        .map(|(_, bytes)| bytes[4..].iter().map(|byte| byte.count_ones()).sum::<u32>())
        .sum();
    let counted = errors.counts().flipped;
    // 8e8 bits: 800 of them, give or take 170; some in the numbers.
    assert!((630..970).contains(&counted), "{counted}");
    assert!(u64::from(flipped) <= counted && u64::from(flipped) > counted * 9 / 10);
}

#[test]
fn jitter_keeps_the_order_and_holding_back_does_not() {
    let mut jitter = channel(Settings {
        delay: MS,
        jitter: MS,
        ..Settings::default()
    });
    let all = run(&mut jitter, 10_000);
    assert_eq!(numbers(&all), Vec::from_iter(0..10_000));
    for (number, (time, _)) in all.iter().enumerate() {
        let sent = Duration::from_micros(number as u64);
        assert!((sent + MS..=sent + 2 * MS).contains(time) || *time <= all[number.max(1) - 1].0);
    }

    let mut holds = channel(Settings {
        reorder: 0.01,
        held: Duration::from_nanos(10_500),
        ..Settings::default()
    });
    let all = run(&mut holds, 10_000);
    let late = all.windows(2).filter(|pair| pair[0].1 > pair[1].1).count() as u64;
    let held = holds.counts().held;
    assert!(
        held > 0 && late <= held && late >= held / 2,
        "{late} {held}"
    );
    for (number, (time, _)) in numbers(&all).into_iter().zip(&all) {
        let sent = Duration::from_micros(number.into());
        assert!([0, 10_500].contains(&(*time - sent).as_nanos()));
    }
}

/// What is sent in the time of a cut, or under way in it, does not arrive.
#[test]
fn cuts_and_death() {
    let mut cut = channel(Settings {
        delay: MS,
        cuts: vec![5 * MS..7 * MS, 9 * MS..10 * MS],
        ..Settings::default()
    });
    let came = numbers(&run(&mut cut, 12_000));
    let expected = (0..4000).chain(7000..8000).chain(10_000..12_000);
    assert_eq!(came, Vec::from_iter(expected));

    let mut dying = channel(Settings {
        delay: MS,
        ..Settings::default()
    });
    dying.push(MS, b"under way");
    dying.set_alive(false);
    dying.push(MS, b"later");
    assert_eq!(dying.next_timeout(), None);
    dying.set_alive(true);
    dying.push(2 * MS, b"alive");
    assert_eq!(dying.pop(3 * MS), Some(b"alive".to_vec()));
    assert_eq!(dying.counts().dead, 2);
}

/// With all effects at once nothing is delivered that was not sent; and one seed is one run.
#[test]
fn everything_at_once() {
    let settings = Settings {
        rate: Some(5_000_000_000),
        overhead: 66,
        queue: 100_000,
        loss: 0.01,
        burst: 0.001,
        ber: 1e-6,
        duplicate: 0.01,
        delay: 2 * MS,
        jitter: MS / 10,
        reorder: 0.05,
        cuts: vec![9 * MS..10 * MS],
        seed: seed(),
        ..Settings::default()
    };
    let mut first = channel(settings.clone());
    let all = run(&mut first, 20_000);
    assert!(first.counts().overflows > 0 && first.counts().dead > 0);
    let wrong: u64 = all
        .iter()
        .map(|(_, bytes)| u64::from(bytes[4..].iter().any(|&byte| byte != 0)))
        .sum();
    assert!(wrong <= first.counts().flipped + first.counts().copies);
    let mut second = channel(settings);
    assert!(run(&mut second, 20_000) == all);
}

/// Switching one effect on does not move another.
#[test]
fn effects_are_independent() {
    let plain = Settings {
        loss: 0.01,
        ..Settings::default()
    };
    let both = Settings {
        reorder: 0.1,
        duplicate: 0.1,
        jitter: MS,
        ..plain.clone()
    };
    let mut sorted = [plain, both].map(|settings| {
        let mut came = numbers(&run(&mut channel(settings), 10_000));
        came.sort_unstable();
        came.dedup();
        came
    });
    let second = std::mem::take(&mut sorted[1]);
    assert_eq!(sorted[0], second);
}

#[test]
fn settings_out_of_range_are_named() {
    let say = |settings: Settings| Channel::new(&settings).unwrap_err().to_string();
    let one = Settings::default;
    let said = say(Settings { loss: 1.5, ..one() });
    assert_eq!(
        said,
        "channel: loss is 1.5; accepted: a probability, 0 to 1"
    );
    let said = say(Settings {
        ber: f64::NAN,
        ..one()
    });
    assert_eq!(said, "channel: ber is NaN; accepted: a probability, 0 to 1");
    assert!(
        say(Settings {
            rate: Some(0),
            ..one()
        })
        .contains("rate is 0")
    );
    assert!(say(Settings { mtu: 0, ..one() }).contains("mtu is 0"));
    let hours = Duration::from_secs(9000);
    assert!(
        say(Settings {
            delay: hours,
            ..one()
        })
        .contains("delay is 9000s")
    );
    let bursts = Settings {
        burst: 0.1,
        burst_length: 0,
        ..one()
    };
    assert!(say(bursts).contains("burst_length is 0"));
    let cuts = vec![MS..2 * MS, MS..3 * MS];
    assert!(say(Settings { cuts, ..one() }).contains("cuts is 1ms..3ms"));
}
