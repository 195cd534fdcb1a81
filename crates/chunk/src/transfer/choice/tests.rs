// SPDX-License-Identifier: Apache-2.0
use super::*;
use ropewalk_wire::chunk::seal::SessionKey;
use ropewalk_wire::chunk::{Batch, Params, SenderSettings, Session};

const KINDS: [Kind; 2] = [Kind::Stream, Kind::Datagrams];

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A choice after its first tries, at which so much came over streams and over datagrams.
fn tried(stream: f64, datagrams: f64) -> Choice {
    let mut choice = Choice::new(Via::Auto, KINDS.to_vec());
    assert_eq!(choice.used, Streams);
    assert!(!choice.measured(ms(100), stream, false));
    assert_eq!(choice.used, Datagrams);
    let left = choice.measured(ms(200), datagrams, false);
    assert_eq!((left, choice.tries.is_none()), (false, true));
    choice
}

/// A choice that has tried both together as well, when it was time.
fn both_tried(alone: f64, both: f64) -> Choice {
    let mut choice = tried(alone, alone);
    assert!(!choice.measured(ms(10_200), alone, false));
    assert_eq!(choice.used, Both);
    assert!(!choice.measured(ms(10_400), both, false));
    choice
}

/// The cheapest of those that bring nearly the most.
#[test]
fn the_best_is_used() {
    for (stream, datagrams, used) in [
        (1e9, 1e8, Streams),
        (1e9, 1.05e9, Streams),
        (1e9, 1.2e9, Datagrams),
        (0.0, 1.0, Datagrams),
        (0.0, 0.0, Streams),
    ] {
        let choice = tried(stream, datagrams);
        assert_eq!(choice.used, used, "{stream} {datagrams}");
        let [report] = choice.notes() else {
            panic!("{:?}", choice.notes());
        };
        assert!(
            report.starts_with(&format!("data goes over {}; ", used.name())),
            "{report}"
        );
    }
    assert_eq!(
        tried(1e9, 5e8).notes(),
        ["data goes over TCP; Gb/s that arrive: TCP 8.00, UDP 4.00"]
    );
    assert_eq!(both_tried(1e9, 1.05e9).used, Streams);
    let choice = both_tried(1e9, 1.2e9);
    assert_eq!(choice.used, Both);
    assert_eq!(
        choice.notes()[1],
        "data goes over both together from now on; Gb/s that arrive: TCP 8.00, both together 9.60"
    );
}

/// What arrives is measured as it is, however much each report tells of, and that nothing does as
/// soon as it can be known.
#[test]
fn a_window() {
    let open = Window {
        from: ms(1000),
        length: WINDOW,
        seen: None,
        begun: None,
        looks: 0,
        hungry: 0,
    };
    let measure_of = |answer, arrived: &dyn Fn(u64) -> u64| {
        let mut window = open;
        let mut looks = 1000..;
        looks.find_map(|now| Some((now, window.look(ms(now), arrived(now), ms(answer))?)))
    };
    let measure = |arrived: &dyn Fn(u64) -> u64| measure_of(2, arrived);
    // 7.5 MB/s, in steps of 126 KB.
    for phase in 0..17 {
        let (at, rate) = measure(&|now| (now + phase) * 7500 / 126_000 * 126_000).unwrap();
        assert!((1100..1140).contains(&at), "{at}");
        assert!((rate / 7.5e6 - 1.0).abs() < 0.02, "{rate}");
    }
    assert_eq!(measure(&|_| 5000), Some((1100, 0.0)));
    // It ends in the middle.
    let (at, rate) = measure(&|now| now.min(1060) * 1000).unwrap();
    assert_eq!(at, 1201);
    assert!((rate - 59_000.0 / 0.2).abs() < 1.0, "{rate}");
    // Reports come less often than a window takes: it waits for the second one.
    let slow = |now: u64| (now + 100) / 250 * 1_250_000;
    let (at, rate) = measure_of(320, &slow).unwrap();
    assert!(at == 1400 && (rate - 5e6).abs() < 1e5, "{at} {rate}");
    assert_eq!(measure_of(320, &|_| 5000), Some((1320, 0.0)));
}

/// A path that begins to lose: two windows and a try later data goes over datagrams.
#[test]
fn less_arrives() {
    let mut choice = tried(1e9, 5e8);
    for window in 0..20 {
        assert!(!choice.measured(ms(400 + window), 0.8e9, false));
        // It is the reader that is slow.
        assert!(!choice.measured(ms(400 + window), 0.1e9, true));
        // One alone means nothing.
        assert!(!choice.measured(ms(400 + window), 0.1e9, false));
        assert!(choice.used == Streams && choice.tries.is_none());
        assert!(!choice.measured(ms(400 + window), 0.9e9, false));
    }
    assert!(!choice.measured(ms(500), 1e7, false));
    assert!(choice.measured(ms(600), 1e7, false));
    assert_eq!(choice.used, Datagrams);
    assert!(!choice.measured(ms(800), 4e8, false));
    assert!(choice.used == Datagrams && choice.tries.is_none());
    assert_eq!(choice.notes().len(), 2);
    assert!(choice.notes()[1].starts_with("data goes over UDP from now on"));
    // It is clean again: that shows when it is time.
    assert!(!choice.measured(ms(900), 4e8, false));
    for (at, tried, rate) in [(11_000, Both, 4.1e8), (22_000, Streams, 1e7)] {
        assert!(!choice.measured(ms(at), 4e8, false));
        assert_eq!(choice.used, tried);
        assert!(choice.measured(ms(at + 200), rate, false));
        assert_eq!((choice.used, choice.notes().len()), (Datagrams, 2));
    }
    assert!(!choice.measured(ms(33_000), 4e8, false));
    assert_eq!(choice.used, Both);
    assert!(choice.measured(ms(33_200), 4e8, false));
    assert!(!choice.measured(ms(44_000), 4e8, false));
    assert!(!choice.measured(ms(44_200), 1e9, false));
    assert_eq!((choice.used, choice.notes().len()), (Streams, 3));
    // Another choice is no better: that is no news, and what waits in the stream is left there.
    for at in [55_000, 66_000] {
        assert!(!choice.measured(ms(at), 1e9, false));
        assert_ne!(choice.used, Streams);
        assert!(!choice.measured(ms(at + 200), 1e7, false));
        assert_eq!((choice.used, choice.notes().len()), (Streams, 3));
    }
}

/// Both together are left for the kind that has remained, or for one that brings as much alone.
#[test]
fn less_arrives_of_both() {
    for (rates, used) in [([1e7, 9.5e8], Datagrams), ([9.5e8, 1e7], Streams)] {
        let mut choice = both_tried(1e9, 2e9);
        assert!(!choice.measured(ms(11_000), 1e9, false));
        assert!(choice.measured(ms(11_100), 1e9, false));
        assert_eq!(choice.used, Datagrams);
        assert!(!choice.measured(ms(11_300), rates[1], false));
        assert_eq!(choice.used, Streams);
        let left = choice.measured(ms(11_500), rates[0], false);
        assert_eq!((choice.used, left), (used, used == Datagrams));
    }
    let mut choice = both_tried(1e9, 2e9);
    for (at, tried, rate, used) in [
        (21_000, Datagrams, 1e9, Both),
        (32_000, Streams, 1.9e9, Streams),
    ] {
        assert!(!choice.measured(ms(at), 2e9, false));
        assert_eq!(choice.used, tried);
        assert!(!choice.measured(ms(at + 200), rate, false));
        assert_eq!(choice.used, used);
    }
}

/// However often it changes, what is reported stays short.
#[test]
fn many_changes() {
    let mut choice = tried(1e9, 5e8);
    for round in 0..100u64 {
        let at = |millis: u64| ms(1000 * round + millis);
        choice.measured(at(300), 1.0, false);
        choice.measured(at(400), 1.0, false);
        choice.measured(at(500), 1e9, false);
    }
    assert_eq!((choice.changes, choice.notes().len()), (100, MOST_REPORTED));
}

fn sender(lanes: u8) -> Sender<Vec<u8>> {
    let params = Params {
        lanes,
        per_chunk: 800,
        ..Params::PAPER
    };
    let params = Params {
        sealed: true,
        ..params
    };
    let session = Session::sealed(1, SessionKey::new(b"secret", b""));
    Sender::new(params, session, SenderSettings::default(), Duration::ZERO).unwrap()
}

/// Lanes of the kind that is not used carry no sub-packets, until the others have failed.
#[test]
fn the_others_rest() {
    let mut sender = sender(3);
    let kinds = vec![Kind::Stream, Kind::Datagrams, Kind::Datagrams];
    Choice::new(Via::Tcp, kinds).begin(&mut sender);
    assert_eq!(
        [0, 1, 2].map(|lane| sender.rests(lane)),
        [false, true, true]
    );
    let bytes = sender.frame_bytes();
    sender.offer(vec![1; 800 * 1216], 800 * 1216);
    let mut batch = Batch::new();
    let mut carries = |sender: &mut Sender<_>, now, lane| {
        sender.poll_transmit(now, lane, 4, &mut batch) && batch.bytes().len() > bytes
    };
    assert!(!carries(&mut sender, ms(1), 1) && !carries(&mut sender, ms(1), 2));
    assert!(carries(&mut sender, ms(1), 0));
    // Nobody answers on the stream: after some questions it has failed.
    let mut now = ms(1);
    while !sender.lane(0).unwrap().has_failed() {
        now += ms(10);
        carries(&mut sender, now, 0);
        assert!(now < ms(60_000));
    }
    assert!(carries(&mut sender, now, 1) && carries(&mut sender, now, 2));
}

/// Where there is one kind only nothing rests.
#[test]
fn one_kind() {
    for kind in KINDS {
        let mut sender = sender(2);
        let mut choice = Choice::new(Via::Auto, vec![kind; 2]);
        choice.begin(&mut sender);
        for at in 0..100 {
            choice.look(ms(10 * at), &mut sender);
        }
        assert_eq!([0, 1].map(|lane| sender.rests(lane)), [false; 2]);
        assert!(choice.notes().is_empty());
    }
}
