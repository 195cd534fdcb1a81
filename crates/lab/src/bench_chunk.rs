// SPDX-License-Identifier: Apache-2.0
//! The measurements of `ropewalk bench chunk`, as plain data.
//!
//! In virtual time, exact and the same on every machine: tables I and II and figures 10 to 12 of
//! the paper, with its two phases and with phases that overlap, and chunks in flight against the
//! round trip. In real time: transports over the loopback interface, ours and others', in turns, so
//! that what disturbs the machine hits all alike; the codes on one core.

mod virtual_time;

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use ropewalk_channel::seed::Seeds;
use ropewalk_chunk::ceiling;
use ropewalk_chunk::perf::{self, Arrangement, Pair, PerfError};
use ropewalk_console::output;
use ropewalk_io::lane::measure;
use ropewalk_io::lane::shm::{self, ShmLane};
use ropewalk_sim::chunk::paper::Carried;
use ropewalk_wire::chunk::seal::CIPHER;
use ropewalk_wire::chunk::{Fec, Pace, Params};
use ropewalk_wire::fec::measure::{Rates, erasure};
use ropewalk_wire::fec::{self, Code};
use serde::Serialize;
use serde_json::Value;

use crate::published_chunk as published;

/// Bytes of the datagrams of lanes alone: a frame.
const SEGMENT: usize = Params::PAPER.frame_bytes();
/// Errors that a code mends in a codeword: those measured.
const ERRORS: [usize; 5] = [1, 2, 4, 8, 16];
/// Sub-packets of a block, and parity, of the erasure codes measured.
const BLOCKS: [(u16, u16); 2] = [(32, 4), (128, 16)];
/// Cache lines of a sub-packet.
const LINES: usize = Params::PAPER.payload as usize / 64;

/// Chunks in flight in real time.
const CHUNKS: u16 = 4;
/// Chunks with checks.
pub const CHECKED: &str = "chunks, CRC-32C";
/// The same datagrams, without the protocol.
pub const CEILING: &str = "UDP, CRC-32C, into place";
/// Chunks with seals.
pub const SEALED: &str = "chunks, sealed";
/// Libraries for QUIC.
const QUIC: [&str; 2] = ["quinn", "s2n-quic"];
/// Sizes with a seal in place of the check: chunks that stay in the cache.
pub const SEALED_SIZES: Params = Params {
    sealed: true,
    per_chunk: 256,
    ..Params::LONG
};
/// Sizes with a code that mends 8 bytes of each codeword.
const MENDED: Params = Params {
    fec: Fec::Mend(8),
    ..Params::PAPER
};
/// Sizes with a code that restores 16 of 144 sub-packets.
const RESTORED: Params = Params {
    fec: Fec::Restore(128, 16),
    ..Params::PAPER
};

/// Everything that was measured.
#[derive(Debug, Clone, Serialize)]
pub struct Bench {
    /// Every chunk arrived once and unchanged, in every run.
    pub ok: bool,
    /// `chunk`.
    pub core: &'static str,
    /// Where the `paper` figures come from.
    pub published_source: &'static str,
    /// Seed of everything random.
    pub seed: u64,
    /// Fewer chunks, shorter runs.
    pub quick: bool,
    /// Bytes of a chunk that are not payload, counted on the line.
    pub overhead_bytes: f64,
    /// Arrangements over losses and lanes, in virtual time.
    pub lanes: Vec<LanesRow>,
    /// A line through the times of a chunk over 1/lanes, without loss.
    pub fit: Fit,
    /// Chunks in flight over the round trip, one lane, in virtual time.
    pub windows: Vec<WindowRow>,
    /// One lane whose frames pass through accelerators, in virtual time.
    pub accelerators: Vec<AcceleratorRow>,
    /// Transports in real time.
    pub transports: Vec<TransportRow>,
    /// Chunks with CRC-32C on one lane, without loss, over the same datagrams without the protocol;
    /// null: not measured.
    pub of_ceiling: Option<Share>,
    /// Chunks with seals on one lane over the faster one of the libraries for QUIC; null: none was
    /// measured.
    pub of_quic: Option<Share>,
    /// What seals.
    pub cipher: &'static str,
    /// Codes on one core.
    pub fec: Vec<FecRow>,
}

/// `lanes` lanes, of which each loses the share `loss`.
#[derive(Debug, Clone, Serialize)]
pub struct LanesRow {
    /// Share of sub-packets.
    pub loss: f64,
    /// Lanes.
    pub lanes: u8,
    /// A pipeline for each lane, two phases.
    pub stable: Measured,
    /// One pipeline over all lanes, two phases.
    pub low_latency: Measured,
    /// A pipeline for each lane, overlapped phases, two chunks in flight.
    pub stable_overlapped: Measured,
    /// One pipeline over all lanes, overlapped phases, two chunks in flight.
    pub low_latency_overlapped: Measured,
    /// What follows for `stable` from the turn-around of the paper.
    pub stable_model: Figure,
    /// The same for `low_latency`.
    pub low_latency_model: Figure,
    /// Sub-packets of a chunk to be sent again, on average.
    pub resent_model: f64,
    /// Table I; null: not measured there.
    pub paper_stable: Option<Figure>,
    /// Table II; null: not measured there.
    pub paper_low_latency: Option<Figure>,
}

/// What all lanes carry, and the time of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    /// Payload of all lanes.
    pub gbps: f64,
    /// From one chunk of a pipeline to the next.
    pub chunk_ms: f64,
}

/// The same measured.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Measured {
    /// Throughput and time.
    #[serde(flatten)]
    pub figure: Figure,
    /// Sub-packets of a chunk sent again, on average.
    pub resent: f64,
}

impl Measured {
    /// Of pipelines side by side.
    fn of(pipelines: &[Carried]) -> Self {
        let count = pipelines.len().max(1) as f64;
        let mean = |of: &dyn Fn(&Carried) -> f64| pipelines.iter().map(of).sum::<f64>() / count;
        Self {
            figure: Figure {
                gbps: pipelines.iter().map(Carried::gbps).sum(),
                chunk_ms: mean(&|c| c.chunk.as_secs_f64() * 1e3),
            },
            resent: mean(&|c| c.resent),
        }
    }
}

/// Time of a chunk over n lanes: `line_ms` / n + `turn_us`.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Fit {
    /// On one lane.
    pub line_ms: f64,
    /// The same as it follows from the rate of the line and the bytes on it.
    pub line_expected_ms: f64,
    /// What lanes do not share.
    pub turn_us: f64,
    /// Most that a time is away from the line.
    pub apart_us: f64,
    /// Turn-around of the paper's tables.
    pub paper_turn_us: f64,
}

impl Fit {
    /// Least squares of times over 1/lanes.
    fn through(points: &[(f64, f64)], line_expected_ms: f64) -> Self {
        let count = points.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
        let slope = mean(&|p| (p.0 - x) * (p.1 - y)) / mean(&|p| (p.0 - x).powi(2));
        let turn = y - slope * x;
        let apart = points.iter().map(|p| (p.1 - slope * p.0 - turn).abs());
        Self {
            line_ms: slope,
            line_expected_ms,
            turn_us: turn * 1e3,
            apart_us: apart.fold(0.0, f64::max) * 1e3,
            paper_turn_us: published::TURN_AROUND_US,
        }
    }
}

/// One lane with a round trip and a loss.
#[derive(Debug, Clone, Serialize)]
pub struct WindowRow {
    /// Round-trip time.
    pub rtt_ms: f64,
    /// Share of sub-packets.
    pub loss: f64,
    /// Payload, two phases.
    pub two_phases_gbps: f64,
    /// Payload, overlapped phases, by chunks in flight.
    pub overlapped: Vec<Window>,
    /// Payload, if nobody ever waits.
    pub ideal_gbps: f64,
}

/// `chunks` chunks in flight.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Window {
    /// Chunks.
    pub chunks: u16,
    /// Payload.
    pub gbps: f64,
}

/// One lane whose frames pass through an accelerator at each end, which keeps up with the line.
#[derive(Debug, Clone, Serialize)]
pub struct AcceleratorRow {
    /// Time of a frame in both together.
    pub added_us: u64,
    /// Share of sub-packets.
    pub loss: f64,
    /// Two phases.
    pub two_phases: Measured,
    /// Overlapped phases, two chunks in flight.
    pub overlapped: Measured,
}

/// A transport in real time.
#[derive(Debug, Clone, Serialize)]
pub struct TransportRow {
    /// What it is.
    pub name: String,
    /// Whose: `ropewalk` or `peer`.
    pub of: &'static str,
    /// Lanes; null for peers.
    pub lanes: Option<u8>,
    /// Share of sub-packets that the receiver takes for damaged.
    pub drop: f64,
    /// Payload that arrived; null: not measured.
    pub gbps: Option<Spread>,
    /// Processor time of both ends, the kernel's included, for 1e9 bytes.
    pub cpu_s_per_gb: Option<Spread>,
    /// Why there are no figures; null: there are.
    pub left_out: Option<String>,
}

/// One transport over another one, turn by turn.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Share {
    /// Throughput.
    pub gbps: Spread,
    /// Processor time for as much.
    pub cpu: Spread,
}

impl Share {
    /// None without turns of both.
    fn of(ours: &Contender, theirs: &Contender) -> Option<Self> {
        let turns = || ours.runs.iter().zip(&theirs.runs);
        Some(Self {
            gbps: Spread::of(turns().map(|(a, b)| a.0 / b.0))?,
            cpu: Spread::of(turns().map(|(a, b)| a.1 / b.1))?,
        })
    }
}

/// Some runs.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Spread {
    /// In the middle.
    pub median: f64,
    /// Least.
    pub min: f64,
    /// Most.
    pub max: f64,
}

impl Spread {
    /// None without values.
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.collect();
        values.sort_unstable_by(f64::total_cmp);
        Some(Self {
            median: *values.get(values.len() / 2)?,
            min: *values.first()?,
            max: *values.last()?,
        })
    }
}

/// A code on one core.
#[derive(Debug, Clone, Serialize)]
pub struct FecRow {
    /// Its name.
    pub code: String,
    /// Instructions that it uses.
    pub path: String,
    /// Payload in Gb/s, parity written.
    pub encode_gbps: f64,
    /// Payload in Gb/s, undamaged sub-packets checked; null: the code has no such operation.
    pub check_gbps: Option<f64>,
    /// Payload in Gb/s, mended: one changed byte of each sub-packet, or as many lost sub-packets of
    /// each block as there is parity.
    pub mend_gbps: f64,
}

/// Makes the measurements; `say` is told what is being measured.
#[must_use]
pub fn measure(quick: bool, seed: u64, say: &(dyn Fn(&str) + Sync)) -> Bench {
    let mut seeds = Seeds::new(seed);
    let experiment = virtual_time::Experiment::new(quick, &mut seeds, say);
    let windows = virtual_time::windows(quick, &mut seeds, say);
    let accelerators = virtual_time::accelerators(quick, &mut seeds, say);
    let transports = transports(quick, say);
    say("measuring codes");
    Bench {
        ok: transports.ok,
        core: "chunk",
        published_source: published::SOURCE,
        seed,
        quick,
        overhead_bytes: experiment.overhead,
        lanes: experiment.rows,
        fit: experiment.fit,
        windows,
        accelerators,
        transports: transports.rows,
        of_ceiling: transports.of_ceiling,
        of_quic: transports.of_quic,
        cipher: CIPHER,
        fec: codes(quick),
    }
}

/// What one run gives: Gb/s, CPU s/GB, and whether every chunk was right; or why there is none.
type Run = Result<(f64, f64, bool), String>;

/// A transport that takes turns with the others.
struct Contender {
    row: TransportRow,
    run: Box<dyn Fn(Duration) -> Run>,
    runs: Vec<(f64, f64)>,
}

impl Contender {
    fn new(
        name: &str,
        of: &'static str,
        lanes: Option<u8>,
        drop: f64,
        run: impl Fn(Duration) -> Run + 'static,
    ) -> Self {
        Self {
            row: TransportRow {
                name: name.to_owned(),
                of,
                lanes,
                drop,
                gbps: None,
                cpu_s_per_gb: None,
                left_out: None,
            },
            run: Box::new(run),
            runs: Vec::new(),
        }
    }

    /// Chunks over UDP lanes.
    fn ours(name: &str, lanes: u8, arrangement: Arrangement, drop: f64) -> Self {
        Self::protected(name, lanes, arrangement, drop, Params::PAPER)
    }

    /// The same with the seal and the code of these sizes.
    fn protected(
        name: &str,
        lanes: u8,
        arrangement: Arrangement,
        drop: f64,
        params: Params,
    ) -> Self {
        let settings = (lanes, arrangement, drop, params);
        Self::over(name, settings, perf::pair)
    }

    /// The same over lanes that `pair` makes.
    fn over(
        name: &str,
        (lanes, arrangement, drop, params): (u8, Arrangement, f64, Params),
        pair: impl Fn() -> Result<Pair, PerfError> + 'static,
    ) -> Self {
        Self::new(name, "ropewalk", Some(lanes), drop, move |time| {
            let settings = perf::Settings {
                params: Params {
                    lanes,
                    chunks: CHUNKS,
                    ..params
                },
                arrangement,
                time,
                drop,
                pace: Pace::Found,
                threads: None,
            };
            let figures = perf::run_over(&settings, &mut || pair());
            let figures = figures.map_err(|fault| fault.to_string())?;
            Ok((figures.gbps(), figures.cpu_s_per_gb(), figures.wrong == 0))
        })
    }

    /// Datagrams over a lane, and nothing above it.
    fn bare(name: &str, pair: impl Fn() -> Result<Pair, PerfError> + 'static) -> Self {
        Self::new(name, "ropewalk", Some(1), 0.0, move |time| {
            let (mut near, mut far) = pair().map_err(|fault| fault.to_string())?;
            let figures = measure::lanes(near.as_mut(), far.as_mut(), SEGMENT, time);
            let figures = figures.map_err(|fault| fault.to_string())?;
            Ok((figures.gbps(), figures.cpu_s_per_gb(), true))
        })
    }

    /// What chunks are on a lane, without the protocol.
    fn ceiling() -> Self {
        let params = Params {
            chunks: CHUNKS,
            ..Params::PAPER
        };
        Self::new(CEILING, "ropewalk", Some(1), 0.0, move |time| {
            let figures = perf::pair().and_then(|pair| ceiling::run(params, pair, time));
            let figures = figures.map_err(|fault| fault.to_string())?;
            Ok((figures.gbps(), figures.cpu_s_per_gb(), figures.wrong == 0))
        })
    }

    /// A transport of others, by a program of its own.
    fn peer(name: &str, program: &Path, words: &'static [&'static str]) -> Self {
        let program = program.to_owned();
        Self::new(name, "peer", None, 0.0, move |time| {
            let seconds = time.as_secs_f64().to_string();
            let mut command = Command::new(&program);
            command.args(words).args(["--seconds", &seconds]);
            let done = command.output().map_err(|fault| match fault.kind() {
                io::ErrorKind::NotFound => "not built: make peers".to_owned(),
                _ => format!("{}: {fault}", program.display()),
            })?;
            if !done.status.success() {
                let said = String::from_utf8_lossy(&done.stderr);
                return Err(said.lines().next().unwrap_or("it failed").to_owned());
            }
            let json: Value = serde_json::from_slice(&done.stdout).map_err(|it| it.to_string())?;
            let number = |key: &str| json[key].as_f64().ok_or(format!("it tells no {key}"));
            Ok((number("gbps")?, number("cpu_s_per_gb")?, true))
        })
    }

    /// One run more, unless one has failed. Says whether every chunk was right.
    fn turn(&mut self, time: Duration) -> bool {
        if self.row.left_out.is_some() {
            return true;
        }
        match (self.run)(time) {
            Ok((gbps, cpu, right)) => {
                self.runs.push((gbps, cpu));
                right
            }
            Err(why) => {
                self.row.left_out = Some(why);
                true
            }
        }
    }

    /// Of all runs; none without one.
    fn gbps(&self) -> Option<Spread> {
        Spread::of(self.runs.iter().map(|run| run.0))
    }

    fn row(self) -> TransportRow {
        TransportRow {
            gbps: self.gbps(),
            cpu_s_per_gb: Spread::of(self.runs.iter().map(|run| run.1)),
            ..self.row
        }
    }
}

/// Where `make peers` puts its program: beside the folder of this one.
fn peers() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    let target = own.ancestors().nth(2).unwrap_or(Path::new("target"));
    target.join("peers/release/ropewalk-peers")
}

/// What was measured of transports.
struct Transports {
    rows: Vec<TransportRow>,
    of_ceiling: Option<Share>,
    of_quic: Option<Share>,
    /// Every chunk was right.
    ok: bool,
}

/// All transports in turns.
fn transports(quick: bool, say: &(dyn Fn(&str) + Sync)) -> Transports {
    use Arrangement::{LowLatency, Stable};
    let peers = peers();
    let mut all = vec![
        Contender::bare("shared-memory lane alone", || {
            let [near, far] = ShmLane::pair(shm::SIZE)?;
            Ok((Box::new(near), Box::new(far)))
        }),
        Contender::bare("UDP lane alone", perf::pair),
        Contender::bare("TCP lane alone", perf::pair_tcp),
        Contender::ceiling(),
        Contender::ours(CHECKED, 1, Stable, 0.0),
        Contender::ours(CHECKED, 1, Stable, 0.001),
        Contender::ours(CHECKED, 1, Stable, 0.01),
        Contender::ours(CHECKED, 1, Stable, 0.05),
        Contender::protected(SEALED, 1, Stable, 0.0, SEALED_SIZES),
        Contender::over(
            "chunks over TCP",
            (1, Stable, 0.0, Params::PAPER),
            perf::pair_tcp,
        ),
        Contender::over(
            "chunks over TCP, sealed",
            (1, Stable, 0.0, SEALED_SIZES),
            perf::pair_tcp,
        ),
        Contender::protected("chunks, RS(255,239)", 1, Stable, 0.0, MENDED),
        Contender::protected("chunks, erasure 128 + 16", 1, Stable, 0.0, RESTORED),
        Contender::ours("chunks, stable", 2, Stable, 0.0),
        Contender::ours("chunks, low latency", 2, LowLatency, 0.0),
    ];
    if !quick {
        for lanes in [3, 4] {
            all.push(Contender::ours("chunks, stable", lanes, Stable, 0.0));
            all.push(Contender::ours(
                "chunks, low latency",
                lanes,
                LowLatency,
                0.0,
            ));
        }
    }
    all.push(Contender::peer("TCP, CUBIC", &peers, &["tcp"]));
    all.push(Contender::peer(
        "TCP, BBR",
        &peers,
        &["tcp", "--congestion", "bbr"],
    ));
    all.push(Contender::peer(QUIC[0], &peers, &["quinn"]));
    all.push(Contender::peer(QUIC[1], &peers, &["s2n"]));
    all.push(Contender::new("Aeron", "peer", None, 0.0, |_| {
        Err(
            "not measured: it has no package for Rust, and the one for Java is not fetched"
                .to_owned(),
        )
    }));
    let (rounds, time) = if quick {
        (1, Duration::from_millis(100))
    } else {
        (5, Duration::from_secs(1))
    };
    let mut ok = true;
    for round in 1..=rounds {
        for contender in &mut all {
            let name = &contender.row.name;
            say(&format!("real time, turn {round} of {rounds}: {name}"));
            output::stop_if_interrupted();
            ok &= contender.turn(time);
        }
    }
    let first = |name| all.iter().find(|contender| contender.row.name == name);
    let of_ceiling =
        (first(CHECKED).zip(first(CEILING))).and_then(|(ours, ceiling)| Share::of(ours, ceiling));
    let quic = QUIC.into_iter().filter_map(first);
    let median = |it: &Contender| it.gbps().map_or(0.0, |it| it.median);
    let quic = quic.max_by(|one, other| median(one).total_cmp(&median(other)));
    let of_quic = first(SEALED).zip(quic);
    let of_quic = of_quic.and_then(|(ours, quic)| Share::of(ours, quic));
    Transports {
        rows: all.into_iter().map(Contender::row).collect(),
        of_ceiling,
        of_quic,
        ok,
    }
}

/// The codes on one core.
fn codes(quick: bool) -> Vec<FecRow> {
    let start = Instant::now();
    let clock = || busy().unwrap_or_else(|| start.elapsed());
    let (turns, time) = if quick { (1, 5) } else { (8, 25) };
    let time = Duration::from_millis(time);
    let mut rows = Vec::new();
    let mut add = |code, path: &str, rates: Rates| {
        rows.push(FecRow {
            code,
            path: path.to_owned(),
            encode_gbps: rates.encode,
            check_gbps: (rates.check > 0.0).then_some(rates.check),
            mend_gbps: rates.correct,
        });
    };
    let mut paths: Vec<_> = fec::Path::ALL
        .into_iter()
        .filter(|p| p.available())
        .collect();
    if quick {
        paths.retain(|&path| path == fec::Path::best());
    }
    for t in ERRORS {
        for &path in &paths {
            let Ok(code) = Code::with_path(t, LINES, path) else {
                continue;
            };
            if let Some(rates) = fastest(turns, || fec::measure(&code, time, &clock).ok()) {
                add(format!("RS(255,{})", 255 - 2 * t), name(path), rates);
            }
        }
    }
    for (data, parity) in BLOCKS {
        let rates = || erasure(data, parity, 64 * LINES, time, &clock).ok();
        if let Some(rates) = fastest(turns, rates) {
            add(format!("erasure {data} + {parity}"), "", rates);
        }
    }
    rows
}

/// The best of some turns: a core whose other thread is busy has half of its units only.
fn fastest(turns: usize, mut run: impl FnMut() -> Option<Rates>) -> Option<Rates> {
    (0..turns).filter_map(|_| run()).reduce(|a, b| Rates {
        encode: a.encode.max(b.encode),
        check: a.check.max(b.check),
        correct: a.correct.max(b.correct),
    })
}

/// Instructions of a path.
fn name(path: fec::Path) -> &'static str {
    match path {
        fec::Path::Scalar => "portable",
        fec::Path::Avx2 => "AVX2",
        fec::Path::Gfni => "GFNI",
    }
}

/// Time that this process has been on a processor, so that other work on the machine does not count
/// (Linux).
fn busy() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found() {
        let points = [1.0, 2.0, 4.0].map(|n: f64| (1.0 / n, 13.5 / n + 0.04));
        let fit = Fit::through(&points, 13.5);
        assert!((fit.line_ms - 13.5).abs() < 1e-9 && (fit.turn_us - 40.0).abs() < 1e-6);
        assert!(fit.apart_us < 1e-6);
    }

    #[test]
    fn the_middle_of_some_runs() {
        let spread = Spread::of([3.0, 1.0, 2.0].into_iter()).unwrap();
        assert_eq!((spread.median, spread.min, spread.max), (2.0, 1.0, 3.0));
        assert!(Spread::of([].into_iter()).is_none());
    }

    #[test]
    fn a_share_is_that_of_each_turn() {
        let contender = |runs: &[(f64, f64)]| {
            let mut one = Contender::new("", "", None, 0.0, |_| Err(String::new()));
            one.runs = runs.to_vec();
            one
        };
        let ours = contender(&[(3.0, 0.5), (2.0, 1.0), (9.0, 0.9)]);
        let share = Share::of(&ours, &contender(&[(4.0, 0.25), (8.0, 0.5), (10.0, 0.75)])).unwrap();
        assert_eq!((share.gbps.median, share.gbps.min), (0.75, 0.25));
        assert_eq!((share.cpu.median, share.cpu.max), (2.0, 2.0));
        assert!(Share::of(&ours, &contender(&[])).is_none());
    }
}
