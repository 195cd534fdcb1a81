// SPDX-License-Identifier: Apache-2.0
//! Whole transfers between two ends in one process, over a network in memory that does all that a network does.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_channel::Settings as Channel;
use ropewalk_chunk::transfer::Arrangement;
use ropewalk_chunk::transfer::door::{Admission, Door};
use ropewalk_chunk::transfer::recv::{Received, receive};
use ropewalk_chunk::transfer::send::{Progress, SendError, Settings, send};
use ropewalk_chunk::transfer::tree::Tree;
use ropewalk_io::lane::sim_network::SimNetwork;
use ropewalk_wire::chunk::handshake::Credentials;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const BLOCK: usize = 1 << 22;

/// The seed of a run: `SEED`, or another one each time; it is printed.
fn seed() -> u64 {
    let given = std::env::var("SEED").ok();
    let seed = given.map_or_else(
        || {
            let bytes = blake3::hash(format!("{:?}", std::time::SystemTime::now()).as_bytes());
            u64::from(bytes.as_bytes()[0]) << 8 | u64::from(bytes.as_bytes()[1])
        },
        |text| text.parse().expect("SEED is a number"),
    );
    println!("SEED={seed}");
    seed
}

fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; length];
    Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes
}

fn receiver() -> SocketAddr {
    "10.0.0.2:7425".parse().unwrap()
}

/// A network of 2 Gb/s lanes with a millisecond of delay.
fn network(channel: Channel, seed: u64) -> SimNetwork {
    let make = move |number: usize, _| {
        [0, 1].map(|direction| Channel {
            rate: Some(2_000_000_000),
            queue: 1 << 20,
            delay: Duration::from_millis(1),
            mtu: 9000,
            seed: seed ^ (2 * number as u64 + direction),
            ..channel.clone()
        })
    };
    SimNetwork::new(make, true)
}

fn settings(lanes: usize, arrangement: Arrangement) -> Settings {
    Settings {
        lanes: vec![(None, receiver()); lanes],
        arrangement,
        rate: None,
        timeout: Duration::from_secs(100),
        credentials: Credentials::Trusted,
    }
}

/// Sends what is in `in/`, and receives it in `out/`, attempt after attempt: what both ends say at last.
fn transfer(
    network: &SimNetwork,
    folder: &Path,
    settings: &Settings,
    watch: &mut dyn FnMut(&Progress),
) -> (Result<Progress, SendError>, Option<Received>) {
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let receiving = scope.spawn(|| {
            let tree = Tree::open(&folder.join("out")).unwrap();
            let mut door = Door::open(network, receiver(), Admission::Trusted).unwrap();
            let stop = || ended.load(Ordering::Relaxed);
            let mut last = None;
            while let Some(received) = receive(&mut door, &tree, &mut |_| (), &stop).unwrap() {
                let over = received.failure.is_none();
                last = Some(received);
                if over {
                    break;
                }
            }
            last
        });
        let sent = send(network, settings, &folder.join("in"), watch, &|| false);
        ended.store(sent.is_err(), Ordering::Relaxed);
        (sent, receiving.join().unwrap())
    })
}

fn folder(bytes: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("in/file"), bytes).unwrap();
    fs::write(folder.path().join("in/empty"), []).unwrap();
    folder
}

fn arrived(folder: &Path, bytes: &[u8]) {
    assert!(fs::read(folder.join("out/in/file")).unwrap() == bytes);
    let names = fs::read_dir(folder.join("out/in")).unwrap();
    assert_eq!(names.count(), 2, "nothing is left over");
}

/// Loss, errors, duplicates and reordering on every lane, in both directions.
#[test]
fn over_bad_lanes() {
    let seed = seed();
    let bytes = noise(4 * BLOCK + 77, seed);
    for arrangement in [Arrangement::Stable, Arrangement::LowLatency] {
        let folder = folder(&bytes);
        let bad = Channel {
            loss: 0.02,
            ber: 1e-7,
            duplicate: 0.02,
            reorder: 0.02,
            ..Channel::default()
        };
        let network = network(bad, seed);
        let settings = settings(2, arrangement);
        let (sent, received) = transfer(&network, folder.path(), &settings, &mut |_| ());
        let (sent, received) = (sent.unwrap(), received.unwrap());
        assert_eq!(received.failure, None);
        assert_eq!(sent.done, bytes.len() as u64);
        assert!(sent.counters.resent > 0);
        arrived(folder.path(), &bytes);
    }
}
