// SPDX-License-Identifier: Apache-2.0
//! The measurements of `ropewalk bench transfer`: directories and a file, copied on this machine by
//! this program and by others that are installed, one after the other in each round.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ropewalk_channel::seed::Seeds;
use ropewalk_io::copy::{Copied, into_memory, over_tcp};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::bench_paths::{self, PathRow};

/// Bytes of a small file.
const SMALL: usize = 1024;
/// Most bytes of many files.
const FEW: usize = 63;
/// Small files in a directory.
const EACH: usize = 100;
/// Bytes that are missing in an older file.
const INSERTED: usize = 17;
/// Longest wait for a program that is to listen.
const PATIENCE: Duration = Duration::from_secs(10);

/// A way to copy a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// This program, readable and without proof.
    Trusted,
    /// This program, with keys.
    Sealed,
    /// This program, where all of it is there already.
    Again,
    /// `rsync -a` from directory to directory.
    Rsync,
    /// The same, where all of it is there already.
    RsyncAgain,
    /// `tar` into `tar` over a pipe.
    Tar,
    /// `tar` into `tar` over `nc`.
    TarNc,
    /// This program, where 17 bytes in the middle of a file are missing.
    Inserted,
    /// The same with `--no-delta`.
    InsertedWhole,
    /// `rsync -a --no-whole-file`, where they are missing.
    RsyncInserted,
    /// `sendfile` into a socket, and `recv` out of one into memory: what TCP alone takes.
    MemoryTcp,
    /// `sendfile` into a socket, and `recv` and `write` out of one, over TCP.
    PlainTcp,
    /// This program over TCP, readable and without proof.
    TrustedTcp,
    /// This program over TCP, with keys.
    SealedTcp,
}

impl Way {
    /// Of a directory.
    pub const ALL: [Way; 7] = [
        Way::Trusted,
        Way::Sealed,
        Way::Rsync,
        Way::Tar,
        Way::TarNc,
        Way::Again,
        Way::RsyncAgain,
    ];
    /// Of one file.
    pub const OF_FILE: [Way; 14] = [
        Way::Trusted,
        Way::Sealed,
        Way::Rsync,
        Way::Tar,
        Way::TarNc,
        Way::Again,
        Way::RsyncAgain,
        Way::Inserted,
        Way::InsertedWhole,
        Way::RsyncInserted,
        Way::MemoryTcp,
        Way::PlainTcp,
        Way::TrustedTcp,
        Way::SealedTcp,
    ];
    /// Of one file over TCP.
    pub const OVER_TCP: [Way; 4] = [
        Way::MemoryTcp,
        Way::PlainTcp,
        Way::TrustedTcp,
        Way::SealedTcp,
    ];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Way::Trusted => "ropewalk send --trusted, safe on disk",
            Way::Sealed => "ropewalk send --key, sealed, safe on disk",
            Way::Again => "ropewalk send --trusted, second run",
            Way::Rsync => "rsync -a, local",
            Way::RsyncAgain => "rsync -a, local, second run",
            Way::Tar => "tar | tar, local",
            Way::TarNc => "tar | nc | tar, TCP over loopback",
            Way::Inserted => "ropewalk send --trusted, 17 bytes inserted",
            Way::InsertedWhole => "ropewalk send --trusted --no-delta, 17 bytes inserted",
            Way::RsyncInserted => "rsync -a --no-whole-file, local, 17 bytes inserted",
            Way::MemoryTcp => "plain TCP into memory, no file written",
            Way::PlainTcp => "plain TCP, sendfile and write",
            Way::TrustedTcp => "ropewalk send --trusted --via tcp, safe on disk",
            Way::SealedTcp => "ropewalk send --key --via tcp, sealed, safe on disk",
        }
    }

    /// The programs of others that it needs.
    fn needs(self) -> &'static [&'static str] {
        match self {
            Way::Trusted | Way::Sealed | Way::Again | Way::Inserted | Way::InsertedWhole => &[],
            Way::MemoryTcp | Way::PlainTcp | Way::TrustedTcp | Way::SealedTcp => &[],
            Way::Rsync | Way::RsyncAgain | Way::RsyncInserted => &["rsync"],
            Way::Tar => &["tar", "sh"],
            Way::TarNc => &["tar", "nc", "sh"],
        }
    }

    /// Whether the copy is left there by the run before.
    fn is_again(self) -> bool {
        matches!(self, Way::Again | Way::RsyncAgain)
    }

    /// Whether an older copy is there.
    fn is_inserted(self) -> bool {
        matches!(
            self,
            Way::Inserted | Way::InsertedWhole | Way::RsyncInserted
        )
    }
}

/// What a way took for a load.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Files, and bytes of each.
    pub files: usize,
    /// See `files`.
    pub file_bytes: usize,
    /// That is the most of them: they have all lengths up to it.
    pub varied: bool,
    /// How.
    pub way: Way,
    /// Seconds of each run, in order.
    pub seconds: Vec<f64>,
    /// Most memory of all runs; none of programs of others.
    pub peak_memory_bytes: Option<Memory>,
    /// Processor time of both ends in each run, as far as they say so.
    pub cpu_seconds: Vec<Cpu>,
    /// Bytes per second over those of plain TCP in the same round, the median of all rounds.
    pub of_plain_tcp: Option<f64>,
    /// The same, of TCP into memory.
    pub of_memory_tcp: Option<f64>,
    /// Bytes that the sender handed on in the last run, if it says so.
    pub sent_bytes: Option<u64>,
    /// Why there are none.
    pub missing: Option<String>,
}

/// Memory of both ends that was resident at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// Of the sender.
    pub send: u64,
    /// Of the receiver.
    pub recv: u64,
}

/// Processor time of both ends, seconds, the kernel's included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cpu {
    /// Of the sender.
    pub send: f64,
    /// Of the receiver.
    pub recv: f64,
}

/// What a copy took, as far as it is known.
struct Took {
    seconds: f64,
    memory: Option<Memory>,
    cpu: Option<Cpu>,
    sent: Option<u64>,
}

impl Took {
    /// Only the time since then.
    fn since(begun: Instant) -> Self {
        Took {
            seconds: begun.elapsed().as_secs_f64(),
            memory: None,
            cpu: None,
            sent: None,
        }
    }
}

/// The middle of some numbers; none if there are none.
pub(crate) fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

impl Row {
    /// Adds a run.
    fn add(&mut self, took: Took) {
        self.seconds.push(took.seconds);
        self.sent_bytes = took.sent;
        self.cpu_seconds.extend(took.cpu);
        if let Some(now) = took.memory {
            let most = self.peak_memory_bytes.get_or_insert(now);
            most.send = most.send.max(now.send);
            most.recv = most.recv.max(now.recv);
        }
    }

    /// The middle of all runs; none if there are none.
    pub fn median(&self) -> Option<f64> {
        median(self.seconds.iter().copied())
    }

    /// Bits per second of it, in units of 1e9.
    pub fn gbps(&self) -> Option<f64> {
        let bits = (self.files * self.file_bytes) as f64 * 8.0;
        Some(bits * 1e-9 / self.median()?)
    }

    /// Processor time for 1e9 bytes of the sender and of the receiver, the middle of all runs.
    pub fn cpu_s_per_gb(&self) -> Option<Cpu> {
        let gb = (self.files * self.file_bytes) as f64 * 1e-9;
        let of = |end: fn(&Cpu) -> f64| Some(median(self.cpu_seconds.iter().map(end))? / gb);
        let (send, recv) = (of(|cpu| cpu.send)?, of(|cpu| cpu.recv)?);
        Some(Cpu { send, recv })
    }

    /// Round by round, how much less time it took than another one.
    fn of(&self, other: &Row) -> Option<f64> {
        let rounds = other.seconds.iter().zip(&self.seconds);
        median(rounds.map(|(other, own)| other / own))
    }
}

/// All figures.
#[derive(Debug, Serialize)]
pub struct Bench {
    /// Each copy was what it was made of.
    pub ok: bool,
    /// Seed of the contents.
    pub seed: u64,
    /// Fewer runs and files, and a shorter one.
    pub quick: bool,
    /// Runs of each.
    pub runs: usize,
    /// Load by load, way by way.
    pub rows: Vec<Row>,
    /// A file over paths that are slow, long and lossy; only where they were asked for.
    pub paths: Vec<PathRow>,
}

/// A directory that is removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// One run, fewer files, and a shorter one.
    pub quick: bool,
    /// Such a number of files of a few bytes, too.
    pub many: Option<usize>,
    /// Only a file of this size in bytes over TCP.
    pub tcp: Option<usize>,
    /// Only a file over paths that are slow, long and lossy.
    pub paths: bool,
    /// Runs of each.
    pub runs: Option<usize>,
}

impl Extent {
    /// What all benchmarks together have of it.
    pub fn of(quick: bool) -> Self {
        Extent {
            quick,
            many: None,
            tcp: None,
            paths: false,
            runs: None,
        }
    }

    fn loads(self) -> Vec<Load> {
        let large = if self.quick { 1 << 26 } else { 1_000_000_000 };
        let load = |files, bytes| Load {
            files,
            bytes,
            varied: false,
            ways: &Way::ALL,
        };
        if self.paths {
            return vec![Load {
                ways: &[],
                ..load(1, if self.quick { 4_000_000 } else { 50_000_000 })
            }];
        }
        if let Some(bytes) = self.tcp {
            return vec![Load {
                ways: &Way::OVER_TCP,
                ..load(1, bytes)
            }];
        }
        let mut loads = vec![
            load(if self.quick { 500 } else { 5_000 }, SMALL),
            load(if self.quick { 1_000 } else { 30_000 }, SMALL),
            Load {
                ways: &Way::OF_FILE,
                ..load(1, large)
            },
        ];
        loads.extend(self.many.map(|files| Load {
            files,
            bytes: FEW,
            varied: true,
            ways: &[Way::Trusted, Way::Again],
        }));
        loads
    }
}

/// Files that are copied in one go.
struct Load {
    files: usize,
    /// Bytes of each, or all numbers up to it in turn.
    bytes: usize,
    varied: bool,
    ways: &'static [Way],
}

/// Measures all of it in a directory of its own below that for temporary files (`TMPDIR`).
///
/// # Errors
/// Files cannot be made, or this program not be started.
pub fn measure(extent: Extent, seed: u64, say: &(dyn Fn(&str) + Sync)) -> io::Result<Bench> {
    let folder =
        Folder(std::env::temp_dir().join(format!("ropewalk-bench-{}", std::process::id())));
    fs::create_dir_all(&folder.0)?;
    let quick = extent.quick;
    let runs = extent.runs.unwrap_or(if quick { 1 } else { 3 });
    let mut bench = Bench {
        ok: true,
        seed,
        quick,
        runs,
        rows: Vec::new(),
        paths: Vec::new(),
    };
    for load in extent.loads() {
        let (files, file_bytes) = (load.files, load.bytes);
        say(&format!("{files} files of {file_bytes} bytes: making them"));
        let source = folder.0.join(format!("in{files}"));
        make(&source, &load, &mut Seeds::new(seed))?;
        let right = hash(&source)?;
        let row = |way: &Way| Row {
            files,
            file_bytes,
            varied: load.varied,
            way: *way,
            seconds: Vec::new(),
            peak_memory_bytes: None,
            cpu_seconds: Vec::new(),
            of_plain_tcp: None,
            of_memory_tcp: None,
            sent_bytes: None,
            missing: missing(*way),
        };
        let mut rows: Vec<Row> = load.ways.iter().map(row).collect();
        for run in 0..runs {
            for row in rows.iter_mut().filter(|row| row.missing.is_none()) {
                let name = row.way.name();
                say(&format!(
                    "{files} files of {file_bytes} bytes, {name}: run {}",
                    run + 1
                ));
                let out = folder.0.join("out");
                prepare(row.way, &source, &out)?;
                match copy(row.way, &source, &out) {
                    Ok(took) => row.add(took),
                    Err(error) => row.missing = Some(format!("it failed: {error}")),
                }
                let name = source.file_name().unwrap_or_default();
                let is_written = row.missing.is_none() && row.way != Way::MemoryTcp;
                bench.ok &= !is_written || hash(&out.join(name))? == right;
            }
        }
        let tcp = [Way::PlainTcp, Way::MemoryTcp];
        let [plain, memory] = tcp.map(|way| rows.iter().find(|row| row.way == way).cloned());
        for row in rows.iter_mut().filter(|row| row.cpu_seconds.len() == runs) {
            row.of_plain_tcp = plain.as_ref().and_then(|plain| row.of(plain));
            row.of_memory_tcp = memory.as_ref().and_then(|memory| row.of(memory));
        }
        bench.rows.extend(rows);
        if extent.paths {
            let (from, out) = ((&*source, file_bytes), folder.0.join("out"));
            let name = source.file_name().unwrap_or_default();
            let prepare = || prepare(Way::Trusted, &source, &out);
            let is_right = || Ok(hash(&out.join(name))? == right);
            let (paths, ok) = bench_paths::measure(from, &out, runs, say, &prepare, &is_right)?;
            bench.paths = paths;
            bench.ok &= ok;
        }
        fs::remove_dir_all(&source)?;
    }
    Ok(bench)
}

/// Files without any pattern.
fn make(folder: &Path, load: &Load, seeds: &mut Seeds) -> io::Result<()> {
    let mut contents = vec![0; load.bytes];
    for number in 0..load.files {
        let inner = folder.join(format!("d{}", number / EACH));
        if number % EACH == 0 {
            fs::create_dir_all(&inner)?;
        }
        for word in contents.chunks_mut(8) {
            word.copy_from_slice(&seeds.next_seed().to_le_bytes()[..word.len()]);
        }
        let length = match load.varied {
            true => number % (load.bytes + 1),
            false => load.bytes,
        };
        fs::write(inner.join(format!("f{number}")), &contents[..length])?;
    }
    Ok(())
}

/// Hash of all names and files below a directory.
fn hash(folder: &Path) -> io::Result<Vec<u8>> {
    fn add(folder: &Path, hasher: &mut Sha256) -> io::Result<()> {
        let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_unstable_by_key(fs::DirEntry::file_name);
        for entry in entries {
            hasher.update(entry.file_name().as_encoded_bytes());
            match entry.file_type()?.is_dir() {
                true => add(&entry.path(), hasher)?,
                false => hasher.update(fs::read(entry.path())?),
            }
        }
        Ok(())
    }
    let mut hasher = Sha256::new();
    add(folder, &mut hasher)?;
    Ok(hasher.finalize().to_vec())
}

/// Why a way cannot be measured, if so.
fn missing(way: Way) -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &&&str| std::env::split_paths(&path).any(|at| at.join(name).is_file());
    let absent = way.needs().iter().find(|name| !is_there(name))?;
    Some(format!("{absent} is not installed"))
}

/// All that is not measured: an empty place or a whole copy, and nothing that waits for the disk.
fn prepare(way: Way, source: &Path, out: &Path) -> io::Result<()> {
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    fs::create_dir_all(out)?;
    if way.is_again() {
        let first = if way == Way::Again {
            Way::Trusted
        } else {
            Way::Rsync
        };
        copy(first, source, out)?;
    }
    if way.is_inserted() {
        let name = source.file_name().unwrap_or_default();
        older(source, &out.join(name))?;
    }
    run(&mut Command::new("sync")).map(drop)
}

/// A copy of a directory of files, each without 17 bytes of its middle.
fn older(source: &Path, copy: &Path) -> io::Result<()> {
    fs::create_dir_all(copy)?;
    for entry in fs::read_dir(source)? {
        let entry = entry?;
        let (from, to) = (entry.path(), copy.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            older(&from, &to)?;
            continue;
        }
        let mut bytes = fs::read(from)?;
        let middle = bytes.len() / 2;
        bytes.drain(middle..(middle + INSERTED).min(bytes.len()));
        fs::write(to, bytes)?;
    }
    Ok(())
}

/// What a program says on its standard output.
fn run(command: &mut Command) -> io::Result<Vec<u8>> {
    let output = command.stdin(Stdio::null()).output()?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(io::Error::other(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
    }
}

/// Copies; the seconds from when whoever receives is ready until both ends are done.
fn copy(way: Way, source: &Path, out: &Path) -> io::Result<Took> {
    let (Some(parent), Some(name)) = (source.parent(), source.file_name()) else {
        return Err(io::Error::other("no directory"));
    };
    let shell = |line: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", line, "sh"]);
        command.args([parent.as_os_str(), name, out.as_os_str()]);
        command
    };
    let begun = Instant::now();
    match way {
        Way::Trusted | Way::Again | Way::Inserted => {
            let trusted = vec![OsString::from("--trusted")];
            return ours(source, out, [&trusted, &trusted]);
        }
        Way::InsertedWhole => {
            let options = ["--trusted", "--no-delta"].map(OsString::from);
            return ours(source, out, [&options, &options[..1]]);
        }
        Way::RsyncInserted => {
            let mut rsync = Command::new("rsync");
            rsync.args(["-a", "--no-whole-file", "--stats"]);
            let said = run(rsync.arg(source).arg(out))?;
            return Ok(Took {
                sent: rsync_sent(&said),
                ..Took::since(begun)
            });
        }
        Way::Sealed => return sealed(source, out, &[]),
        Way::TrustedTcp => {
            let options = ["--trusted", "--via", "tcp"].map(OsString::from);
            return ours(source, out, [&options, &options[..1]]);
        }
        Way::SealedTcp => return sealed(source, out, &["--via", "tcp"]),
        Way::MemoryTcp => return Ok(into_memory(&source.join(FIRST))?.into()),
        Way::PlainTcp => return plain(source, &out.join(name)),
        Way::Rsync | Way::RsyncAgain => {
            run(Command::new("rsync").arg("-a").arg(source).arg(out))?;
        }
        Way::Tar => {
            run(&mut shell(r#"tar c -C "$1" "$2" | tar x -C "$3""#))?;
        }
        Way::TarNc => {
            let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            let listen = shell(r#"nc -l 127.0.0.1 "$4" | tar x -C "$3""#)
                .arg(port.to_string())
                .stdin(Stdio::null())
                .spawn()?;
            let mut receiver = Receiver(listen);
            listens(port)?;
            let begun = Instant::now();
            run(shell(r#"tar c -C "$1" "$2" | nc -N 127.0.0.1 "$4""#).arg(port.to_string()))?;
            receiver.0.wait()?;
            return Ok(Took::since(begun));
        }
    }
    Ok(Took::since(begun))
}

/// The bytes that `rsync --stats` says that it has sent.
fn rsync_sent(said: &[u8]) -> Option<u64> {
    let said = String::from_utf8_lossy(said);
    let (_, rest) = said.split_once("Total bytes sent: ")?;
    let digits: String = rest.lines().next()?.split(',').collect();
    digits.parse().ok()
}

/// A program that receives. It ends with this at the latest.
struct Receiver(Child);

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until somebody listens at a TCP port.
fn listens(port: u16) -> io::Result<()> {
    let line = format!(":{port:04X} 00000000:0000 0A");
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if fs::read_to_string("/proc/net/tcp")?.contains(&line) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(io::Error::other("nobody listens"))
}

/// The first file of a directory.
const FIRST: &str = "d0/f0";

fn plain(source: &Path, out: &Path) -> io::Result<Took> {
    fs::create_dir_all(out.join(FIRST).with_file_name(""))?;
    Ok(over_tcp(&source.join(FIRST), &out.join(FIRST))?.into())
}

impl From<Copied> for Took {
    fn from(copied: Copied) -> Self {
        Took {
            seconds: copied.seconds,
            memory: None,
            cpu: Some(Cpu {
                send: copied.send_cpu_seconds,
                recv: copied.recv_cpu_seconds,
            }),
            sent: None,
        }
    }
}

/// With keys that are made for it; `more`: further options of the sender.
fn sealed(source: &Path, out: &Path, more: &[&str]) -> io::Result<Took> {
    let key = |name: &str| out.with_extension(name);
    for name in ["a", "b"] {
        let mut command = Command::new(std::env::current_exe()?);
        let output = command.arg("key").arg(key(name)).output()?;
        fs::write(key(&format!("{name}.pub")), output.stdout)?;
    }
    let options = |own: &str, other: &str| {
        let other = key(&format!("{other}.pub"));
        vec![
            OsString::from("--key"),
            key(own).into(),
            "--allow".into(),
            other.into(),
        ]
    };
    let send = [
        &options("a", "b")[..],
        &more.iter().map(OsString::from).collect::<Vec<_>>(),
    ];
    ours(source, out, [&send.concat(), &options("b", "a")])
}

/// With this program; the options of both ends that say who they are.
fn ours(source: &Path, out: &Path, [send, recv]: [&[OsString]; 2]) -> io::Result<Took> {
    let program = std::env::current_exe()?;
    let mut receiver = Command::new(&program)
        .arg("recv")
        .arg(out)
        .args(["--once", "--json", "--listen", "127.0.0.1:0"])
        .args(recv)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let lines = receiver.stderr.take().map(BufReader::new);
    let mut receiver = Receiver(receiver);
    let mut lines = lines.into_iter().flat_map(BufRead::lines);
    let at = lines.find_map(|line| {
        let line = line.ok()?;
        Some(line.split_once("waiting at ")?.1.to_owned())
    });
    let at = at.ok_or_else(|| io::Error::other("no receiver"))?;
    let begun = Instant::now();
    let mut sender = Command::new(&program);
    sender
        .args(["send", "--json"])
        .arg(source)
        .arg(at)
        .args(send);
    let sent = run(&mut sender)?;
    // What it has to say must not fill the pipe.
    let said: Vec<String> = lines.map_while(Result::ok).collect();
    let mut received = Vec::new();
    if let Some(mut output) = receiver.0.stdout.take() {
        output.read_to_end(&mut received)?;
    }
    if !receiver.0.wait()?.success() {
        return Err(io::Error::other(said.join("; ")));
    }
    let took = Took::since(begun);
    let [sent, received] = [&sent, &received].map(|said| serde_json::from_slice(said));
    let (sent, received): (serde_json::Value, serde_json::Value) = (sent?, received?);
    let number = |end: &serde_json::Value, key: &str| {
        let silent = || io::Error::other(format!("an end does not say its {key}"));
        end[key].as_f64().ok_or_else(silent)
    };
    let [send, recv] = [&sent, &received].map(|end| number(end, "peak_memory_bytes"));
    let (send, recv) = (send? as u64, recv? as u64);
    let [send_cpu, recv_cpu] = [&sent, &received].map(|end| number(end, "cpu_seconds"));
    Ok(Took {
        memory: Some(Memory { send, recv }),
        cpu: Some(Cpu {
            send: send_cpu?,
            recv: recv_cpu?,
        }),
        sent: sent["sent_bytes"].as_u64(),
        ..took
    })
}
