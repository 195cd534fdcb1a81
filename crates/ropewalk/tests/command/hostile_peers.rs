// SPDX-License-Identifier: Apache-2.0
//! `ropewalk send` and `ropewalk recv`, as programs, against peers and strangers that mean harm:
//! what honest ends do among themselves comes to its end, nobody panics, and memory is bounded.

use std::fs;
use std::io::Write;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ropewalk_channel::Settings;
use ropewalk_channel::seed::Seeds;
use ropewalk_io::proxy::Proxy;
use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameHeader, FrameSeq};

use crate::common::files::{LONG, end, hash, kill, more, recv, send, write};
use crate::common::{noise, seed};

/// Bytes of a block.
const BLOCK: usize = 1 << 22;
/// Megabytes that an end may have in memory at most.
const MOST_MEMORY: u64 = 500;

/// Megabytes that a program has had in memory at most, or none if it has ended.
fn memory(child: &Child) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes / 1000)
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let told = Command::new("kill").args([name, &pid]).status();
    assert!(told.expect("it runs").success());
}

fn way(target: SocketAddr) -> Proxy {
    let here = SocketAddr::from(([127, 0, 0, 1], 0));
    let settings = Settings {
        mtu: 8972,
        ..Settings::default()
    };
    Proxy::new(here, target, [&settings; 2]).expect("a way")
}

/// Waits until the sender has ended, looks at the memory of both meanwhile; the file is what it
/// was.
fn finish(folder: &Path, mut sender: Child, mut receiver: Child, right: &[u8]) {
    let (begun, mut most) = (Instant::now(), 0);
    while sender.try_wait().expect("known").is_none() {
        for child in [&sender, &receiver] {
            most = most.max(memory(child).unwrap_or(0));
        }
        assert!(begun.elapsed() < LONG, "no end");
        thread::sleep(Duration::from_millis(10));
    }
    let (status, sent) = end(sender);
    assert_eq!(status, Some(0), "{sent}");
    assert!(
        receiver.try_wait().expect("known").is_none(),
        "it has ended"
    );
    kill(receiver);
    assert!(hash(&folder.join("out/in")) == right, "it differs");
    assert!(most < MOST_MEMORY, "{most} MB");
}

/// The same datagram with some of it changed, and a header that is right.
fn forged(datagram: &[u8], seeds: &mut Seeds) -> Vec<u8> {
    let mut bytes = datagram.to_vec();
    let header = FrameHeader::parse(datagram).map(|(header, _)| header);
    for _ in 0..=seeds.next_seed() % 4 {
        let at = seeds.next_seed() as usize % bytes.len();
        bytes[at] = seeds.next_seed() as u8;
    }
    if let Ok(header) = header {
        bytes[..FRAME_HEADER].copy_from_slice(&header.encode());
    }
    bytes
}

/// A flood at the port of the receiver while files come: noise, frames of other sessions, copies of
/// what the sender says and said; and on the way of the sender itself, in both directions, copies
/// and forgeries.
#[test]
fn a_flood() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let mut seeds = Seeds::new(seed());
    let right = write(&root.join("in"), 6_000_000, &mut seeds);
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let ways = [way(at)];
    ways[0].keep(300);
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let stranger = UdpSocket::bind("127.0.0.1:0").expect("a socket");
            let mut seeds = Seeds::new(seeds.next_seed());
            let mut flooded = 0;
            while !ended.load(Ordering::Relaxed) {
                let kept = [ways[0].kept(0), ways[0].kept(1)];
                for _ in 0..200 {
                    let draw = seeds.next_seed();
                    let from = &kept[(draw & 1) as usize];
                    let copy = from.get((draw >> 8) as usize % from.len().max(1));
                    let copy = copy.cloned().unwrap_or_default();
                    let odd = noise((draw >> 16) as usize % 1500, draw);
                    let forged = if copy.is_empty() {
                        odd.clone()
                    } else {
                        forged(&copy, &mut seeds)
                    };
                    let _ = stranger.send_to(&odd, at);
                    let _ = stranger.send_to(&copy, at);
                    let _ = stranger.send_to(&forged, at);
                    for datagram in [&odd, &copy, &forged] {
                        ways[0].inject((draw & 1) as usize, datagram);
                    }
                    flooded += 6;
                }
                thread::sleep(Duration::from_millis(1));
            }
            println!("{flooded} datagrams");
        });
        let _ending = Ending(&ended);
        let sender = send(root, &ways, &["--rate", "100M"]);
        finish(root, sender, receiver, &right);
    });
}

/// Everything that was said in one transfer is said again in the next one, in both directions and
/// from elsewhere.
#[test]
fn what_was_said_in_an_older_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let mut seeds = Seeds::new(seed());
    let right = write(&root.join("in"), 6_000_000, &mut seeds);
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let ways = [way(at)];
    ways[0].keep(2000);
    finish(root, send(root, &ways, &[]), receiver, &right);
    let old = [ways[0].kept(0), ways[0].kept(1)];
    assert!(old.iter().all(|kept| kept.len() > 10));
    fs::remove_dir_all(root.join("out")).expect("removed");
    // Another file, so that what is old is also wrong.
    let right = write(&root.join("in"), 6_000_000, &mut seeds);
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let ways = [way(at)];
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let stranger = UdpSocket::bind("127.0.0.1:0").expect("a socket");
            while !ended.load(Ordering::Relaxed) {
                for (direction, kept) in old.iter().enumerate() {
                    for datagram in kept {
                        ways[0].inject(direction, datagram);
                        let _ = stranger.send_to(datagram, at);
                    }
                    thread::sleep(Duration::from_millis(1));
                }
            }
        });
        let _ending = Ending(&ended);
        let sender = send(root, &ways, &["--rate", "50M"]);
        finish(root, sender, receiver, &right);
    });
}

/// A receiver that does not acknowledge any more: the sender gives up, and says why.
#[test]
#[ignore = "long: a peer may be silent for ten seconds"]
fn a_receiver_that_falls_silent() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let mut seeds = Seeds::new(seed());
    write(&root.join("in"), 40_000_000, &mut seeds);
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let ways = [way(at)];
    let sender = send(root, &ways, &["--rate", "10M", "--timeout", "1s"]);
    more(root, 64);
    signal(&receiver, "-STOP");
    let begun = Instant::now();
    let mut sender = sender;
    while sender.try_wait().expect("known").is_none() {
        assert!(memory(&sender).unwrap_or(0) < MOST_MEMORY);
        assert!(begun.elapsed() < LONG, "it does not give up");
        thread::sleep(Duration::from_millis(10));
    }
    let (status, sent) = end(sender);
    assert_eq!(status, Some(2), "{sent}");
    let error = sent["error"].to_string();
    assert!(
        error.contains("silent") || error.contains("has not answered"),
        "{error}"
    );
    kill(receiver);
    assert!(!root.join("out/in").exists());
}

/// A sender that dies as its last data arrive, before it hears so: the next one waits until it is
/// clear that it is silent, and not for its answer.
#[test]
fn a_sender_that_dies_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let mut seeds = Seeds::new(seed());
    let right = write(&root.join("in"), 100_000, &mut seeds);
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let ways = [way(at)];
    let mut first = crate::common::ropewalk()
        .args(["send", "-", "--trusted", "--json"])
        .arg(ways[0].local().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut pipe = first.stdin.take().expect("a pipe");
    let block = fs::read(root.join("in")).expect("read");
    for _ in 0..BLOCK.div_ceil(block.len()) {
        pipe.write_all(&block).expect("written");
    }
    wait_for(&root.join("out/stdin.part"));
    // It hears nothing any more: neither that the rest has arrived, nor that all is well.
    ways[0].set_alive(1, false);
    drop(pipe);
    wait_for(&root.join("out/stdin"));
    kill(first);
    fs::remove_file(root.join("out/stdin")).expect("removed");
    finish(root, send(root, &[way(at)], &[]), receiver, &right);
    // One that does not answer would be given up in silence.
    let note = "before it confirmed the end; another one has come";
    let said = || fs::read_to_string(root.join("said")).expect("read");
    until(note, || said().contains(note));
}

fn until(what: &str, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < LONG, "never: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn wait_for(path: &Path) {
    until(&path.display().to_string(), || path.exists());
}

/// A sender that begins and does not go on: another one takes its place.
#[test]
fn a_sender_that_never_finishes() {
    taken_over(&|_, _| ());
}

/// Somebody repeats what it said, with its headers and with headers that look newer: that is no
/// sign of life.
#[test]
fn a_dead_sender_whose_words_somebody_repeats() {
    taken_over(&|way, ended| {
        let kept = way.kept(0);
        assert!(kept.len() > 10, "{} datagrams", kept.len());
        while !ended.load(Ordering::Relaxed) {
            for datagram in &kept {
                way.inject(0, datagram);
                if let Ok((mut header, _)) = FrameHeader::parse(datagram) {
                    header.seq = FrameSeq::new(header.seq.get() + 5000);
                    (header.count, header.length) = (0, FRAME_HEADER as u16);
                    way.inject(0, &header.encode());
                }
            }
            thread::sleep(Duration::from_millis(100));
        }
    });
}

/// The first sender stops in the middle while `meanwhile` runs; the second one is let in as soon as
/// that is clear.
fn taken_over(meanwhile: &(dyn Fn(&Proxy, &AtomicBool) + Sync)) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let mut seeds = Seeds::new(seed());
    let right = write(&root.join("in"), 12_000_000, &mut seeds);
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let ways = [way(at)];
    ways[0].keep(300);
    let first = send(root, &ways, &["--rate", "20M"]);
    more(root, 64);
    signal(&first, "-STOP");
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let _ending = Ending(&ended);
        scope.spawn(|| meanwhile(&ways[0], &ended));
        let other = [way(at)];
        let second = send(root, &other, &["--timeout", "30s"]);
        finish(root, second, receiver, &right);
    });
    kill(first);
}

/// Tells a thread to end, also where a test fails.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
