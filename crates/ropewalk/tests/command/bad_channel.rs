// SPDX-License-Identifier: Apache-2.0
//! `ropewalk send` and `ropewalk recv`, as programs, over lanes with everything wrong at once:
//! loss, bursts, duplicates, another order, wrong bits, datagrams that are too long for the way; a
//! lane that dies and comes back, both ends killed and started again. What arrives is compared.
//!
//! `SEED=n` repeats what is drawn, as far as real time allows.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use ropewalk_channel::Settings;
use ropewalk_channel::seed::Seeds;
use ropewalk_io::proxy::Proxy;
use serde_json::Value;

use crate::common::files::{end, hash, kill, more, noted, recv, said, send, write};
use crate::common::seed;

/// Bytes of a block.
const BLOCK: u64 = 1 << 22;

/// Two lanes with everything wrong, both ways; datagrams of at most `mtu` bytes get through.
fn ways(target: SocketAddr, mtu: usize, seeds: &mut Seeds) -> Vec<Proxy> {
    let mut settings = |loss: f64| Settings {
        mtu,
        loss,
        burst: 1e-4,
        burst_length: 20,
        duplicate: 0.01,
        reorder: 0.01,
        held: Duration::from_millis(3),
        ber: 1e-7,
        delay: Duration::from_millis(1),
        jitter: Duration::from_micros(500),
        seed: seeds.next_seed(),
        ..Settings::default()
    };
    let mut way = || {
        let settings = [&settings(0.01), &settings(0.01)];
        let here = SocketAddr::from(([127, 0, 0, 1], 0));
        Proxy::new(here, target, settings).expect("a way")
    };
    vec![way(), way()]
}

/// Everything was wrong with them, together: a few chunks may all go over one lane.
fn were_bad(ways: &[Proxy]) {
    let mut sums = [0; 4];
    for counts in ways.iter().map(|way| way.counts(0)) {
        let each = [counts.lost, counts.copies, counts.held, counts.too_long];
        sums.iter_mut()
            .zip(each)
            .for_each(|(sum, count)| *sum += count);
    }
    assert!(sums.iter().all(|&sum| sum > 0), "{sums:?}");
}

fn finish(folder: &Path, sender: Child, receiver: Child, right: &[u8]) -> Value {
    let (status, sent) = end(sender);
    assert_eq!(status, Some(0), "{sent}");
    kill(receiver);
    assert!(hash(&folder.join("out/in")) == right, "it differs");
    assert_eq!(fs::read_dir(folder.join("out")).expect("read").count(), 1);
    sent
}

/// What was noted is not sent again: a block at least.
fn spared(sent: &Value) {
    assert!(sent["spared_bytes"].as_u64() >= Some(BLOCK), "{sent}");
}

/// A lane dies and comes back while the transfer goes on; then the sender is killed, and another
/// one begins.
#[test]
fn a_lane_and_the_sender_die() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let mut seeds = Seeds::new(seed());
    let right = write(&root.join("in"), 6 * BLOCK, &mut seeds);
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let ways = ways(at, 8972, &mut seeds);
    let sender = send(root, &ways, &["--rate", "40M"]);
    let had = more(root, 64);
    for direction in 0..2 {
        ways[1].set_alive(direction, false);
    }
    more(root, had);
    kill(sender);
    for direction in 0..2 {
        ways[1].set_alive(direction, true);
    }
    let sent = finish(root, send(root, &ways, &[]), receiver, &right);
    spared(&sent);
    were_bad(&ways);
}

/// Both ends are killed in the middle, one pipeline for each lane.
#[test]
fn both_ends_die() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let mut seeds = Seeds::new(seed());
    let right = write(&root.join("in"), 3 * BLOCK, &mut seeds);
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let ways = ways(at, 1472, &mut seeds);
    let args = ["--arrange", "stable", "--rate", "40M"];
    let sender = send(root, &ways, &args);
    more(root, 64);
    kill(receiver);
    kill(sender);
    let (receiver, _) = recv(root, &at.to_string());
    let sent = finish(root, send(root, &ways, &args[..2]), receiver, &right);
    spared(&sent);
    were_bad(&ways);
}

/// Over TCP: the sender is killed, and another one begins; then the receiver under that one, which
/// goes on as soon as there is one again.
#[test]
fn both_ends_die_over_tcp() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    // That takes ten seconds, and what has come may be noted seconds later on a busy disk.
    let right = write(&root.join("in"), 12 * BLOCK, &mut Seeds::new(seed()));
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let at = at.to_string();
    let args = ["--via", "tcp", "--rate", "40M", &at];
    let sender = send(root, &[], &args);
    more(root, 64);
    kill(sender);
    let sender = send(root, &[], &args);
    // Until then it may note what the first sender has sent, and the second waits for more in vain.
    said(root, "the sender has gone");
    let had = more(root, noted(root));
    assert_ne!(had, u64::MAX, "nothing is left to come");
    kill(receiver);
    let (receiver, _) = recv(root, &at);
    let sent = finish(root, sender, receiver, &right);
    spared(&sent);
    let kinds = sent["lanes"].as_array().expect("lanes").iter();
    let kinds: Vec<_> = kinds.map(|it| it["kind"].as_str()).collect();
    assert_eq!(kinds, [Some("tcp"), Some("udp")]);
}

/// 10 GB (`SOAK_BYTES`), in both arrangements: a lane dies and comes back, the receiver is killed
/// under a sender that goes on, the sender is killed under a receiver that waits.
#[test]
#[ignore = "long: tools/soak.sh"]
fn ten_gigabytes() {
    let given = std::env::var("SOAK_BYTES").ok();
    let bytes = given.map_or(10_000_000_000, |text| {
        text.parse().expect("SOAK_BYTES: a number")
    });
    let folder = std::env::var_os("SOAK_FOLDER").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::tempdir_in(folder).expect("a folder");
    let root = folder.path();
    let mut seeds = Seeds::new(seed());
    let right = write(&root.join("in"), bytes, &mut seeds);
    println!("{bytes} bytes without any pattern");
    for arrange in ["low-latency", "stable"] {
        let (mut receiver, at) = recv(root, "127.0.0.1:0");
        let ways = ways(at, 8972, &mut seeds);
        let (args, begun) = (["--arrange", arrange], Instant::now());
        let say =
            |what: &str| println!("{arrange}: {:.1} s: {what}", begun.elapsed().as_secs_f64());
        let alive = |alive| (0..2).for_each(|direction| ways[1].set_alive(direction, alive));
        let mut sender = send(root, &ways, &args);
        let had = more(root, 64);
        say("blocks are noted; a lane dies");
        alive(false);
        let had = if arrange == "stable" {
            // The pipeline of this lane stands still, and a new attempt begins.
            thread::sleep(Duration::from_secs(12));
            had
        } else {
            more(root, had)
        };
        say("the lane comes back");
        alive(true);
        let had = more(root, had);
        say("the receiver is killed and started again");
        kill(receiver);
        (receiver, _) = recv(root, &at.to_string());
        more(root, had);
        say("the sender is killed and started again");
        kill(sender);
        sender = send(root, &ways, &args);
        let sent = finish(root, sender, receiver, &right);
        say("identical by hash (SHA-256)");
        println!("{arrange}: {sent}");
        for (number, way) in ways.iter().enumerate() {
            println!("{arrange}: lane {number}: there {:?}", way.counts(0));
            println!("{arrange}: lane {number}: back {:?}", way.counts(1));
        }
        were_bad(&ways);
        fs::remove_dir_all(root.join("out")).expect("removed");
    }
}
