// SPDX-License-Identifier: Apache-2.0
//! The measurements of `ropewalk bench transfer --paths`: a file over paths with a rate, a delay and
//! losses, over TCP, over UDP, and as `send --via auto` chooses. The paths are between two networks
//! of this machine, for which it needs a privileged process; TCP has CUBIC, which takes loss for a
//! full path.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use ropewalk_channel::Settings;
use ropewalk_chunk::transfer::listener::{Admission, Listener};
use ropewalk_chunk::transfer::recv::receive;
use ropewalk_chunk::transfer::send::{self, Progress, send};
use ropewalk_chunk::transfer::tree::Tree;
use ropewalk_chunk::transfer::{Arrangement, Via};
use ropewalk_io::lane::network::{UdpAndCubic, UdpAndTcp};
use ropewalk_io::relay::Relay;
use ropewalk_wire::chunk::Fec;
use ropewalk_wire::chunk::handshake::Credentials;
use serde::Serialize;

use crate::bench_transfer::median;

/// Bits per second of each path.
const RATE: u64 = 100_000_000;
/// Bytes that wait for the line: what a path of 16 ms holds.
const QUEUE: usize = 200_000;
/// Longest IP packet.
const MTU: usize = 1500;
/// Bytes of a file in each of them, about.
const EACH: usize = 1400;

/// Where the receiver listens, in a network of its own.
const PORT: u16 = 7425;
/// Longest wait for the other end.
const PATIENCE: Duration = Duration::from_secs(60);

/// What carries the data, as `send --via` is asked for it.
const WAYS: [(Via, &str); 3] = [(Via::Tcp, "tcp"), (Via::Udp, "udp"), (Via::Auto, "auto")];

/// A path.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    /// Back and forth.
    round_trip: Duration,
    /// Probability of a packet to be lost.
    loss: f64,
    /// From the middle of the file on, and nothing before.
    begins: bool,
}

const fn line(ms: u64, loss: f64) -> Line {
    Line {
        round_trip: Duration::from_millis(ms),
        loss,
        begins: false,
    }
}

/// Clean ones, those that lose, and one that begins to lose: its halves are of the two before.
const LINES: [Line; 5] = [
    line(1, 0.0),
    line(10, 0.001),
    line(10, 0.0),
    line(10, 0.01),
    Line {
        begins: true,
        ..line(10, 0.01)
    },
];

/// What a file took over a path.
#[derive(Debug, Clone, Serialize)]
pub struct PathRow {
    /// Of the line, in units of 1e9 bits per second.
    pub rate_gbps: f64,
    /// Back and forth.
    pub round_trip_ms: f64,
    /// Share of the packets that is lost.
    pub loss: f64,
    /// They are lost from the middle of the file on.
    pub begins_halfway: bool,
    /// Bytes of the file.
    pub file_bytes: usize,
    /// Seconds of each run over TCP, in order.
    pub tcp_seconds: Vec<f64>,
    /// Over UDP.
    pub udp_seconds: Vec<f64>,
    /// With `--via auto`.
    pub auto_seconds: Vec<f64>,
    /// Time of `auto` in that of the better kind, medians; where losses begin halfway, of the
    /// better kind for each half.
    pub of_the_better: Option<f64>,
}

impl PathRow {
    fn new(line: Line, file_bytes: usize) -> Self {
        PathRow {
            rate_gbps: RATE as f64 * 1e-9,
            round_trip_ms: line.round_trip.as_secs_f64() * 1e3,
            loss: line.loss,
            begins_halfway: line.begins,
            file_bytes,
            tcp_seconds: Vec::new(),
            udp_seconds: Vec::new(),
            auto_seconds: Vec::new(),
            of_the_better: None,
        }
    }

    /// Runs over TCP, over UDP, and as is chosen.
    #[must_use]
    pub fn seconds(&self) -> [&[f64]; 3] {
        [&self.tcp_seconds, &self.udp_seconds, &self.auto_seconds]
    }

    /// Median of the better kind.
    fn better(&self) -> Option<f64> {
        let [tcp, udp, _] = self.seconds().map(|all| median(all.iter().copied()));
        Some(tcp?.min(udp?))
    }
}

/// Sends the directory `source`, of a file of `bytes` bytes, over each path in each way, in each of
/// `runs` runs; `prepare` empties `out`, where it goes, and `right` says whether it has arrived.
///
/// # Errors
/// There is no privilege, or a program fails.
pub fn measure(
    (source, bytes): (&Path, usize),
    out: &Path,
    runs: usize,
    say: &(dyn Fn(&str) + Sync),
    prepare: &dyn Fn() -> io::Result<()>,
    right: &dyn Fn() -> io::Result<bool>,
) -> io::Result<(Vec<PathRow>, bool)> {
    let (mut rows, mut all_right) = (LINES.map(|line| PathRow::new(line, bytes)), true);
    for run in 1..=runs {
        for (line, row) in LINES.iter().zip(&mut rows) {
            for (via, name) in WAYS {
                say(&format!(
                    "{} ms, {} % lost, {name}: run {run}",
                    row.round_trip_ms,
                    line.loss * 100.0
                ));
                prepare()?;
                let seconds = over(*line, via, (source, bytes), out)?;
                match via {
                    Via::Tcp => &mut row.tcp_seconds,
                    Via::Udp => &mut row.udp_seconds,
                    Via::Auto => &mut row.auto_seconds,
                }
                .push(seconds);
                all_right &= right()?;
            }
        }
    }
    let better = rows.each_ref().map(PathRow::better);
    for (at, row) in rows.iter_mut().enumerate() {
        let better = match row.begins_halfway {
            false => better[at],
            true => better[at - 2]
                .zip(better[at - 1])
                .map(|(clean, lossy)| (clean + lossy) / 2.0),
        };
        let auto = median(row.auto_seconds.iter().copied());
        row.of_the_better = auto.zip(better).map(|(auto, better)| auto / better);
    }
    Ok((rows.to_vec(), all_right))
}

/// The seconds of one transfer.
fn over(line: Line, via: Via, (source, bytes): (&Path, usize), out: &Path) -> io::Result<f64> {
    let channel = Settings {
        rate: Some(RATE),
        queue: QUEUE,
        mtu: MTU + 14,
        delay: line.round_trip / 2,
        loss: if line.begins { 0.0 } else { line.loss },
        ..Settings::default()
    };
    let back = Settings {
        loss: 0.0,
        ..channel.clone()
    };
    let relay = Relay::new([&channel, &back], MTU).map_err(|error| {
        let what = format!("--paths makes networks of their own, which only root may: {error}");
        io::Error::new(error.kind(), what)
    })?;
    let ended = AtomicBool::new(false);
    let [near, far] = relay.networks();
    let at = SocketAddr::from((far.address(), PORT));
    let (ready, is_ready) = mpsc::channel();
    let mut loses = !line.begins;
    let mut look = |_: &Progress| {
        if !loses && relay.counts(0).arrived >= (bytes / EACH / 2) as u64 {
            relay.set_loss(0, line.loss);
            loses = true;
        }
    };
    thread::scope(|scope| {
        let receiving = scope.spawn(|| {
            far.enter()?;
            take(at, out, ready, &ended)
        });
        let sending = scope.spawn(|| {
            near.enter()?;
            let seconds = give(at, via, (source, is_ready), &mut look);
            ended.store(seconds.is_err(), Ordering::Relaxed);
            seconds
        });
        let seconds = sending.join();
        let received = receiving.join();
        received.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        seconds.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Receives one transfer; says when it is ready for that.
fn take(at: SocketAddr, out: &Path, ready: Sender<()>, ended: &AtomicBool) -> io::Result<()> {
    let listener = Listener::open(&UdpAndTcp, at, Admission::Trusted);
    let mut listener = listener.map_err(io::Error::other)?;
    let tree = Tree::open(out)?;
    let _ = ready.send(());
    let stop = || ended.load(Ordering::Relaxed);
    let received = receive(&mut listener, &tree, &mut |_| (), &stop);
    received.map(drop).map_err(io::Error::other)
}

/// Sends the directory when the receiver is ready; the seconds from then on.
fn give(
    at: SocketAddr,
    via: Via,
    (source, is_ready): (&Path, mpsc::Receiver<()>),
    look: &mut dyn FnMut(&Progress),
) -> io::Result<f64> {
    // Without a receiver the sender says so.
    let _ = is_ready.recv();
    let begun = Instant::now();
    let (settings, selection) = (settings(at, via), source.to_path_buf().into());
    let sent = send(&UdpAndCubic, &settings, &selection, look, &|| false);
    sent.map_err(io::Error::other)?;
    Ok(begun.elapsed().as_secs_f64())
}

/// One lane, and nobody proves who he is.
fn settings(at: SocketAddr, via: Via) -> send::Settings {
    send::Settings {
        lanes: vec![(None, at)],
        via,
        arrangement: Arrangement::LowLatency,
        fec: Fec::None,
        rate: None,
        timeout: PATIENCE,
        credentials: Credentials::Trusted,
        delta: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a choice costs is said of the better kind; of a path that changes, of the better kind
    /// for each half.
    #[test]
    fn of_the_better_kind() {
        let row = |tcp: &[f64], udp: &[f64]| PathRow {
            tcp_seconds: tcp.to_vec(),
            udp_seconds: udp.to_vec(),
            ..PathRow::new(LINES[0], 1)
        };
        assert_eq!(row(&[3.0, 1.0, 2.0], &[4.0]).better(), Some(2.0));
        assert_eq!(row(&[3.0], &[1.0, 1.5, 2.0]).better(), Some(1.5));
        assert_eq!(row(&[], &[1.0]).better(), None);
        let [clean, lossy, both] = [LINES[2], LINES[3], LINES[4]];
        assert!(both.begins && both.loss == lossy.loss && clean.loss == 0.0);
        assert!(both.round_trip == lossy.round_trip && both.round_trip == clean.round_trip);
    }
}
