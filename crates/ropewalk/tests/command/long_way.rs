// SPDX-License-Identifier: Apache-2.0
//! Files beside TCP of the kernel over the same long way that loses packets: a round trip of 10 ms,
//! one packet of a hundred lost; a line of 1 Gb/s with packets of 1500 bytes, and one of 4 Gb/s
//! with jumbo frames.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use ropewalk_channel::Settings;
use ropewalk_io::relay::Relay;
use ropewalk_testkit::{needs, skip};
use serde_json::Value;
use socket2::SockRef;

use crate::common::{noise, seed};

/// A line, and how much is sent over it each time.
struct Line {
    name: &'static str,
    /// Bits per second.
    rate: u64,
    mtu: usize,
    bytes: usize,
    /// So much of what TCP brings, at least.
    least: f64,
}

const LINES: [Line; 2] = [
    Line {
        name: "10 ms, 1 % loss, 1 Gb/s, MTU 1500",
        rate: 1_000_000_000,
        mtu: 1500,
        bytes: 200_000_000,
        // As much as BBR, with longer headers; either may be ahead by some hundredths.
        least: 0.9,
    },
    Line {
        name: "10 ms, 1 % loss, 4 Gb/s, MTU 9000",
        rate: 4_000_000_000,
        mtu: 9000,
        bytes: 800_000_000,
        least: 1.0,
    },
];
const PORT: u16 = 7425;
/// Longest time of TCP; what it has brought by then counts.
const TIME: Duration = Duration::from_secs(20);
/// More than anything here takes on a loaded machine.
const LONG: Duration = Duration::from_secs(120);

/// Bits per second of users, 1e9, that TCP brings with this congestion control, from its first
/// packet to the last byte; none if the kernel does not have it.
fn tcp(relay: &Relay, control: &str, bytes: usize) -> Option<f64> {
    let [near, far] = relay.networks();
    let at = SocketAddr::from((far.address(), PORT));
    let begun = Instant::now();
    thread::scope(|scope| {
        let receiver = scope.spawn(move || {
            far.enter().expect("entered");
            let listener = TcpListener::bind(at).expect("a port");
            let mut stream = listener.accept().expect("a peer").0;
            let (mut part, mut total) = (vec![0; 1 << 20], 0);
            loop {
                let count = stream.read(&mut part).expect("read");
                total += count;
                if count == 0 || total >= bytes || begun.elapsed() > TIME {
                    return total as f64 * 8e-9 / begun.elapsed().as_secs_f64();
                }
            }
        });
        let sender = scope.spawn(move || {
            near.enter().expect("entered");
            let mut stream = loop {
                match TcpStream::connect(at) {
                    Ok(stream) => break stream,
                    Err(error) => assert!(begun.elapsed() < LONG, "{error}"),
                }
            };
            let set = SockRef::from(&stream).set_tcp_congestion(control.as_bytes());
            let part = vec![0x5a; 1 << 20];
            // The receiver closes when it has enough.
            while set.is_ok() && stream.write_all(&part).is_ok() {}
            set.is_ok()
        });
        let known = sender.join().expect("a sender");
        let gbps = receiver.join().expect("a receiver");
        known.then_some(gbps)
    })
}

/// The same of files, from the first question to the end of everything, handshake and hashes
/// included.
fn files(relay: &Relay, folder: &Path) -> f64 {
    let [near, far] = relay.networks();
    thread::scope(|scope| {
        let at = SocketAddr::from((far.address(), PORT)).to_string();
        let receiver = scope.spawn({
            let at = at.clone();
            move || {
                far.enter().expect("entered");
                let args = ["recv", "out", "--trusted", "--once", "--json", "--listen"];
                let mut command = crate::common::ropewalk();
                command.current_dir(folder).args(args).arg(at);
                command.stdout(Stdio::null()).stderr(Stdio::piped());
                let mut child = command.spawn().expect("it runs");
                let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
                let mut line = String::new();
                errors.read_line(&mut line).expect("a line");
                (child, errors)
            }
        });
        let (mut receiver, _errors) = receiver.join().expect("a receiver");
        let sender = scope.spawn(move || {
            near.enter().expect("entered");
            let args = ["send", "in", "--trusted", "--json"];
            let mut command = crate::common::ropewalk();
            command.current_dir(folder).args(args).arg(at);
            command.output().expect("it runs")
        });
        let sent = sender.join().expect("a sender");
        assert!(receiver.wait().expect("it ends").success());
        let value: Value = serde_json::from_slice(&sent.stdout).expect("one JSON object");
        assert_eq!(value["ok"], true, "{value}");
        println!("files: {value}");
        value["gbps"].as_f64().expect("a number")
    })
}

/// Gigabits per second of files and of both kinds of TCP over a line.
fn race(line: &Line, seed: u64) -> Option<(f64, Vec<(&'static str, f64)>)> {
    let settings = |direction: u64| Settings {
        rate: Some(line.rate),
        // Twice what is on its way in 10 ms.
        queue: (line.rate / 400) as usize,
        loss: if direction == 0 { 0.01 } else { 0.0 },
        delay: Duration::from_millis(5),
        seed: seed ^ direction,
        ..Settings::default()
    };
    let relay = Relay::new([&settings(0), &settings(1)], line.mtu);
    let relay = needs("networks of their own", relay)?;
    // Where there is such a place, in memory: TCP has no disk to wait for either.
    let memory = Path::new("/dev/shm");
    let folder = tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir());
    let folder = folder.expect("a folder");
    fs::write(folder.path().join("in"), noise(line.bytes, seed)).expect("written");
    let ours = files(&relay, folder.path());
    let right = fs::read(folder.path().join("in")).expect("read");
    assert!(fs::read(folder.path().join("out/in")).expect("read") == right);
    println!("{}: files {ours:.3} Gb/s", line.name);
    let mut others = Vec::new();
    for control in ["bbr", "cubic"] {
        match tcp(&relay, control, line.bytes) {
            Some(theirs) => {
                println!("{}: TCP {control} {theirs:.3} Gb/s", line.name);
                others.push((control, theirs));
            }
            None => skip(format_args!("this kernel has no TCP {control}")),
        }
    }
    Some((ours, others))
}

/// `make soak` prints the figures. What is measured depends on the machine; that files go as fast
/// as both kinds of TCP, and faster where packets are long, may not.
#[test]
#[ignore = "long: tools/soak.sh"]
fn faster_than_tcp_where_packets_are_lost() {
    let seed = seed();
    for line in &LINES {
        let Some((ours, others)) = race(line, seed) else {
            return;
        };
        for (control, theirs) in others {
            assert!(
                ours > line.least * theirs,
                "{}: TCP {control} is faster",
                line.name
            );
        }
    }
}
