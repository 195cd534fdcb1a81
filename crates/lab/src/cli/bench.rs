// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench`.

use std::path::PathBuf;

use clap::Args;

/// `ropewalk bench rifl`.
#[derive(Debug, Clone, Args)]
pub struct BenchRifl {
    /// More packet sizes and bit error rates, for finer plots: some minutes more
    #[arg(long, conflicts_with = "quick")]
    pub long: bool,
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
    /// What every benchmark has.
    #[command(flatten)]
    pub common: BenchOptions,
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
