// SPDX-License-Identifier: Apache-2.0
//! Pieces of memory between two ends in one process, over lanes that lose, damage and reorder.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_channel::Settings as Channel;
use ropewalk_chunk::transfer::Arrangement;
use ropewalk_chunk::transfer::job::{Admit, Job, JobError, Order};
use ropewalk_chunk::transfer::memory::{Got, Inlet, LONGEST, Outlet};
use ropewalk_io::lane::sim_network::SimNetwork;
use ropewalk_wire::chunk::Fec;
use ropewalk_wire::chunk::handshake::{Credentials, KeyPair};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(300);
const RECEIVER: &str = "10.0.0.2:7425";

fn network(loss: f64) -> SimNetwork {
    let make = move |number: usize, _| {
        [0, 1].map(|direction| Channel {
            rate: Some(2_000_000_000),
            queue: 1 << 20,
            delay: Duration::from_millis(1),
            mtu: 9000,
            loss,
            reorder: loss,
            ber: loss * 1e-6,
            seed: 2 * number as u64 + direction,
            ..Channel::default()
        })
    };
    SimNetwork::new(make, true)
}

fn key(seed: u8) -> KeyPair {
    KeyPair::from_private([seed; 32])
}

fn order(lanes: usize) -> Order {
    Order {
        lanes: vec![(None, RECEIVER.into()); lanes],
        arrangement: Arrangement::LowLatency,
        fec: Fec::None,
        rate: None,
        timeout: Duration::from_secs(100),
        credentials: Credentials::Keys(key(1), key(2).public),
        delta: true,
    }
}

fn inlet(network: &SimNetwork) -> Inlet {
    let admit = Admit::Keys(key(2), vec![key(1).public]);
    Inlet::open(network.clone(), RECEIVER.parse().unwrap(), admit).unwrap()
}

fn piece(inlet: &Inlet) -> Vec<u8> {
    match inlet.recv(LONG) {
        Ok(Got::Piece(piece)) => piece.as_ref().to_vec(),
        other => panic!("{other:?} instead of a piece"),
    }
}

/// More pieces than there is credit for, of all lengths.
#[test]
fn all_pieces_arrive_in_order_over_bad_lanes() {
    let network = network(0.02);
    let inlet = inlet(&network);
    let outlet = Outlet::open(network, order(2)).unwrap();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let pieces: Vec<Vec<u8>> = (0..60)
        .map(|number| {
            let length = match number % 20 {
                0 => 0,
                1 => LONGEST,
                _ => random.next_u32() as usize % 50_000,
            };
            let mut bytes = vec![0; length];
            random.fill_bytes(&mut bytes);
            bytes
        })
        .collect();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for piece in &pieces {
                assert_eq!(outlet.send(piece, LONG), Ok(true));
            }
            assert_eq!(outlet.finish(LONG), Ok(true));
            assert_eq!(outlet.finish(LONG), Ok(true));
            assert!(outlet.send(b"more", LONG).is_err());
        });
        for (number, sent) in pieces.iter().enumerate() {
            assert!(piece(&inlet) == *sent, "piece {number}");
        }
        assert_eq!(inlet.recv(LONG), Ok(Got::End));
        assert_eq!(inlet.recv(LONG), Ok(Got::End));
    });
}

/// Who finishes before there is a receiver waits for it; pieces may be none.
#[test]
fn no_pieces_are_all_pieces() {
    let network = network(0.0);
    std::thread::scope(|scope| {
        let outlet = Outlet::open(network.clone(), order(1)).unwrap();
        assert_eq!(outlet.finish(Duration::from_millis(10)), Ok(false));
        let finishing = scope.spawn(move || outlet.finish(LONG));
        let inlet = inlet(&network);
        assert_eq!(inlet.recv(LONG), Ok(Got::End));
        assert_eq!(finishing.join().unwrap(), Ok(true));
    });
}

/// Who takes nothing holds the sender up, and neither takes the other for dead.
#[test]
fn a_slow_user_is_waited_for() {
    let network = network(0.0);
    let inlet = inlet(&network);
    assert_eq!(inlet.recv(Duration::ZERO), Ok(Got::Nothing));
    let outlet = Outlet::open(network, order(1)).unwrap();
    let mut sent = 0;
    // Before there is a receiver there is no room.
    assert_eq!(outlet.send(&[0], LONG), Ok(true));
    while outlet.send(&[sent + 1; 100], Duration::from_secs(1)) == Ok(true) {
        sent += 1;
        assert!(sent < 100, "a bounded number");
    }
    // Longer than what passes for death.
    std::thread::sleep(Duration::from_secs(12));
    assert_eq!(outlet.finish(Duration::ZERO), Ok(false));
    assert_eq!(piece(&inlet), [0]);
    for number in 1..=sent {
        assert_eq!(piece(&inlet), [number; 100]);
    }
    assert_eq!(inlet.recv(LONG), Ok(Got::End));
    assert_eq!(outlet.finish(LONG), Ok(true));
}

#[test]
fn either_end_hears_that_the_other_one_gives_up() {
    let network = network(0.0);
    let there = inlet(&network);
    let outlet = Outlet::open(network.clone(), order(1)).unwrap();
    assert_eq!(outlet.send(b"one", LONG), Ok(true));
    assert_eq!(piece(&there), b"one");
    outlet.cancel();
    let failed = there.recv(LONG).unwrap_err().to_string();
    assert_eq!(failed, "the sender: it was cancelled");
    assert_eq!(outlet.finish(LONG), Err(JobError::Cancelled));
    drop(there);
    let there = inlet(&self::network(0.0));
    there.cancel();
    assert_eq!(there.recv(LONG), Err(JobError::Cancelled));

    let network = self::network(0.0);
    let there = inlet(&network);
    let outlet = Outlet::open(network, order(1)).unwrap();
    assert_eq!(outlet.send(b"one", LONG), Ok(true));
    assert_eq!(piece(&there), b"one");
    drop(there);
    let failed = loop {
        if let Err(error) = outlet.send(b"more", LONG) {
            break error.to_string();
        }
    };
    assert!(failed.starts_with("the receiver cannot go on: cancelled"));
}

/// A receiver of files says what is wrong with pieces, and the other way round.
#[test]
fn files_and_pieces_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    let network = network(0.0);
    let admit = Admit::Keys(key(2), vec![key(1).public]);
    let address = RECEIVER.parse().unwrap();
    let files = Job::receive(network.clone(), address, admit, folder.path().join("out")).unwrap();
    let outlet = Outlet::open(network, order(1)).unwrap();
    assert_eq!(outlet.send(b"one", LONG), Ok(true));
    let failed = outlet.finish(LONG).unwrap_err().to_string();
    assert!(failed.contains("Memory is not for a receiver"), "{failed}");
    assert!(files.wait(LONG).unwrap().is_err());

    let network = self::network(0.0);
    let there = inlet(&network);
    std::fs::write(folder.path().join("file"), "any").unwrap();
    let file = folder.path().join("file");
    let job = Job::send(network, order(1), file).unwrap();
    let failed = there.recv(LONG).unwrap_err().to_string();
    assert!(failed.contains("not for a receiver of memory"), "{failed}");
    let failed = job.wait(LONG).unwrap().unwrap_err().to_string();
    assert!(failed.contains("not for a receiver of memory"), "{failed}");
}

/// A transfer of files ends where it is cancelled, also where nobody is there.
#[test]
fn a_job_is_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let network = network(0.0);
    let address = RECEIVER.parse().unwrap();
    let receive = || {
        let admit = Admit::Keys(key(2), vec![key(1).public]);
        Job::receive(network.clone(), address, admit, folder.path().join("out"))
    };
    let job = receive().unwrap();
    assert!(job.wait(Duration::from_millis(10)).is_none());
    job.cancel();
    assert_eq!(job.wait(LONG), Some(Err(JobError::Cancelled)));
    let file = folder.path().join("file");
    std::fs::write(&file, "any").unwrap();
    let job = Job::send(network.clone(), order(1), file).unwrap();
    job.cancel();
    assert_eq!(job.wait(LONG), Some(Err(JobError::Cancelled)));
}

#[test]
fn what_is_no_piece_is_refused() {
    let network = network(0.0);
    let stable = Order {
        arrangement: Arrangement::Stable,
        ..order(1)
    };
    assert!(Outlet::open(network.clone(), stable).is_err());
    let outlet = Outlet::open(network, order(1)).unwrap();
    let said = outlet.send(&vec![0; LONGEST + 1], Duration::ZERO);
    let text = said.unwrap_err().to_string();
    assert_eq!(text, "4194305 bytes: accepted are 0 to 4194304");
    // Nobody is there.
    assert_eq!(outlet.send(b"one", Duration::from_millis(10)), Ok(false));
    outlet.cancel();
    assert_eq!(outlet.finish(LONG), Err(JobError::Cancelled));
}
