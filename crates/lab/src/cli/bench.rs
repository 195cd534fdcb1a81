// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench`.

use std::path::PathBuf;

use clap::Args;

use crate::units;

/// `ropewalk bench` without a core: all of them.
#[derive(Debug, Clone, Args)]
pub struct BenchAll {
    /// Fewer packets: minutes
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Finer plots, files from host to host, the area of the cores: an hour and more
    #[arg(long)]
    pub full: bool,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Seed of everything random [default: that of what is kept; without, a fresh one, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Keep what each core gives in DIR as soon as it is there, and at the end bench.json and a
    /// page, index.html. The same command goes on where it was interrupted
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Measure again what is kept
    #[arg(long, requires = "keep")]
    pub fresh: bool,
    /// Say what differs between two files that --json has printed, or bench.json of --keep; 1 if
    /// anything does that does not depend on the speed of the machine
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with_all = ["quick", "full", "seed", "keep", "fresh"])]
    pub compare: Option<Vec<PathBuf>>,
}

/// `ropewalk bench rifl`.
#[derive(Debug, Clone, Args)]
pub struct BenchRifl {
    /// More packet sizes and bit error rates, for finer plots: some minutes more
    #[arg(long, conflicts_with = "quick")]
    pub long: bool,
    /// Figure 9 of the paper too: goodput and latency at bit error rates from 1e-12 to 1e-5, with
    /// bands; some minutes more
    #[arg(long)]
    pub fig9: bool,
    /// What every benchmark has.
    #[command(flatten)]
    pub common: BenchOptions,
}

/// `ropewalk bench rdma`.
#[derive(Debug, Clone, Args)]
pub struct BenchRdma {
    /// Where the cycles of single transfers go too, stage by stage
    #[arg(long)]
    pub stages: bool,
    /// What seven nodes that write to one get of its line too, with marks and without
    #[arg(long)]
    pub incast: bool,
    /// What an access of the processor to the engine takes, from its request to the response, in ns
    #[arg(long, value_name = "NS", default_value_t = 120.0, value_parser = trip)]
    pub trip: f64,
    /// Pages of the engines whose channels are all busy: 2, 4, 8 or 16
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = units::pages)]
    pub pages: u8,
    /// What every benchmark has.
    #[command(flatten)]
    pub common: BenchOptions,
}

/// `ropewalk bench transfer`.
#[derive(Debug, Clone, Args)]
pub struct BenchTransfer {
    /// Copy N files of 0 to 63 bytes too, such as 1000000, and say how much memory both ends take
    #[arg(long, value_name = "N", value_parser = many)]
    pub many: Option<usize>,
    /// Only one file of SIZE, such as 1G, over TCP, beside plain TCP into a file and into memory
    #[arg(long, value_name = "SIZE", value_parser = tcp, conflicts_with = "many")]
    pub tcp: Option<usize>,
    /// Only a file over paths of 100 Mb/s that are clean, lose, or begin to lose: over TCP, over
    /// UDP, and as 'send --via auto' chooses. The paths are networks of their own: root only
    #[arg(long, conflicts_with_all = ["many", "tcp"])]
    pub paths: bool,
    /// Runs of each way [default: 3, with --quick 1]
    #[arg(long, value_name = "N", value_parser = runs)]
    pub runs: Option<usize>,
    /// What every benchmark has.
    #[command(flatten)]
    pub common: BenchOptions,
}

/// As many files as a transfer takes, with their directories.
fn many(text: &str) -> Result<usize, String> {
    match text.replace('_', "").parse() {
        Ok(files @ 1..=1_000_000) => Ok(files),
        _ => Err("accepted: 1 to 1000000 files".to_owned()),
    }
}

/// A file that is more than a few blocks, and fits into memory.
fn tcp(text: &str) -> Result<usize, String> {
    let bytes = ropewalk_console::units::bytes(text).filter(|it| (1 << 20..=1 << 36).contains(it));
    let bytes = bytes.and_then(|it| usize::try_from(it).ok());
    bytes.ok_or_else(|| "accepted: 1M to 64G bytes".to_owned())
}

/// As many runs as anybody waits for.
fn runs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(runs @ 1..=1000) => Ok(runs),
        _ => Err("accepted: 1 to 1000 runs".to_owned()),
    }
}

/// A time that an access may take.
fn trip(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ns) if (0.0..=1e6).contains(&ns) => Ok(ns),
        _ => Err("a number of ns, 0 to 1000000".to_owned()),
    }
}

/// Options of every benchmark.
#[derive(Debug, Clone, Args)]
pub struct BenchOptions {
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Fewer packets: seconds instead of minutes
    #[arg(long)]
    pub quick: bool,
    /// Seed of everything random [default: a fresh one, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write a page with tables and plots to DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
}
