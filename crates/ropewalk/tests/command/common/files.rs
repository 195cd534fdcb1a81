// SPDX-License-Identifier: Apache-2.0
//! Files that `ropewalk send` and `recv` carry, as programs, over ways of [`Proxy`].

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ropewalk_channel::seed::Seeds;
use ropewalk_io::proxy::Proxy;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// More than anything here takes on a loaded machine.
pub const LONG: Duration = Duration::from_secs(300);
/// Bytes that are drawn at once.
const PIECE: usize = 1 << 20;

/// A file without any pattern; its hash.
pub fn write(path: &Path, bytes: u64, seeds: &mut Seeds) -> Vec<u8> {
    let (mut file, mut hash) = (File::create(path).expect("made"), Sha256::new());
    let mut piece = vec![0; PIECE];
    let mut left = bytes;
    while left > 0 {
        for word in piece.chunks_exact_mut(8) {
            word.copy_from_slice(&seeds.next_seed().to_le_bytes());
        }
        let now = left.min(PIECE as u64) as usize;
        file.write_all(&piece[..now]).expect("written");
        hash.update(&piece[..now]);
        left -= now as u64;
    }
    hash.finalize().to_vec()
}

/// Hash of a file.
pub fn hash(path: &Path) -> Vec<u8> {
    let (mut file, mut hash) = (File::open(path).expect("opened"), Sha256::new());
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece).expect("read") {
            0 => return hash.finalize().to_vec(),
            count => hash.update(&piece[..count]),
        }
    }
}

/// A receiver in `folder` of one sender after the other, and where it waits. What it says then is
/// in the file `said`.
pub fn recv(folder: &Path, at: &str) -> (Child, SocketAddr) {
    let mut child = super::ropewalk()
        .current_dir(folder)
        .args(["recv", "out", "--trusted", "--listen", at])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    let at = line.trim_end().rsplit(' ').next().map(str::parse);
    let at = at.and_then(Result::ok).unwrap_or_else(|| panic!("{line}"));
    let mut said = File::create(folder.join("said")).expect("made");
    thread::spawn(move || io::copy(&mut errors, &mut said));
    (child, at)
}

/// A sender of the file `in`: over these ways, or to the receiver that `args` name.
pub fn send(folder: &Path, ways: &[Proxy], args: &[&str]) -> Child {
    let mut command = super::ropewalk();
    command
        .current_dir(folder)
        .args(["send", "in", "--trusted", "--json"])
        .args(args);
    if !args.contains(&"--timeout") {
        command.args(["--timeout", "200s"]);
    }
    for way in ways {
        command.args(["--lane", &format!("127.0.0.1={}", way.local())]);
    }
    command
        .args(ways.first().map(|way| way.local().to_string()))
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("it runs")
}

/// Ends a program without telling it.
pub fn kill(mut child: Child) {
    child.kill().expect("killed");
    child.wait().expect("gone");
}

/// How a program ends, and what it says of itself.
pub fn end(child: Child) -> (Option<i32>, Value) {
    let output = child.wait_with_output().expect("it ends");
    let value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), value)
}

/// Waits until the receiver has said this.
pub fn said(folder: &Path, what: &str) {
    let begun = Instant::now();
    while !fs::read_to_string(folder.join("said")).is_ok_and(|said| said.contains(what)) {
        assert!(begun.elapsed() < LONG, "it does not say '{what}'");
        thread::sleep(Duration::from_millis(10));
    }
}

/// What a receiver has noted of the file, bytes of its table; the most there can be if it has all
/// of it.
pub fn noted(folder: &Path) -> u64 {
    let table = fs::metadata(folder.join("out/in.part.blocks"));
    match table {
        Ok(about) => about.len(),
        Err(_) if folder.join("out/in").exists() => u64::MAX,
        Err(_) => 0,
    }
}

/// Waits until more than that is noted, or all has come.
pub fn more(folder: &Path, than: u64) -> u64 {
    let begun = Instant::now();
    loop {
        let now = noted(folder);
        if now > than || now == u64::MAX {
            return now;
        }
        assert!(begun.elapsed() < LONG, "nothing more is noted than {than}");
        thread::sleep(Duration::from_millis(10));
    }
}
