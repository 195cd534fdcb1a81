// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sweep`.

use std::path::PathBuf;

use clap::Args;

pub(super) const SWEEP_AFTER: &str = "\
The grid is a TOML file:

  core = \"rifl\"               # rifl, htsp, slink or rdma, or a list of them
  seed = 7                    # of the sweep [default: 1]

  [fixed]                     # the same in all cases
  packets = 2000

  [each]                      # every value with every other
  ber = [1e-7, 1e-6, 1e-5]
  lanes = [1, 4]

  [[cases]]                   # one more case: the fixed values, and these
  ber = 1e-5
  compatible = true

Names are the long options of 'ropewalk sim CORE', without those about files and the terminal; a switch is true or false. A case without a seed has one that \
follows from the seed of the sweep and its own values, so a grid that grows keeps its results.

The table has a row for each case: core, the values of the case, ok, seed, and the result as 'ropewalk sim CORE --json' prints it, its keys joined by _ after \
'result_'. It depends on the grid and the RTL alone, not on where and in which order cases ran.

OUT.journal gets a line for each case that is done. A sweep that was interrupted or killed goes on from there, and so does one whose grid has grown.

With --scheduler the cases run on the workers of a Dask cluster, each of which needs the package ('pip install ropewalk[sweep]') and a checkout, which \
ROPEWALK_ROOT names. Cases of a worker that is lost run elsewhere.

JSON keys: schema command ok cases resumed bad out. resumed: cases that the journal had already; bad: cases whose result is bad.

Exit status: 0 every case has a good result; 1 a case has a bad one, which is a row like any other; 2 the scheduler is lost; 3 bad input, or a case that cannot \
be run.

Examples:
  ropewalk sweep grid.toml --dry-run
  ropewalk sweep grid.toml --out results.parquet --jobs 8
  ropewalk sweep grid.toml --scheduler tcp://cluster:8786";

/// `ropewalk sweep`.
#[derive(Debug, Clone, Args)]
pub struct Sweep {
    /// The grid
    #[arg(value_name = "GRID")]
    pub grid: PathBuf,
    /// The table, a Parquet file [default: GRID with .parquet at its end]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Cases at a time [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = jobs, conflicts_with = "scheduler")]
    pub jobs: Option<usize>,
    /// Run the cases on the Dask cluster with this scheduler, such as tcp://cluster:8786
    #[arg(long, value_name = "ADDRESS")]
    pub scheduler: Option<String>,
    /// Begin anew, whatever the journal has
    #[arg(long)]
    pub fresh: bool,
    /// Print the cases, each as the command that runs it alone, and do nothing
    #[arg(long, conflicts_with_all = ["out", "jobs", "scheduler", "fresh", "json", "quiet"])]
    pub dry_run: bool,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

fn jobs(text: &str) -> Result<usize, String> {
    ropewalk_console::units::whole(text, 1..=1024, "")
}
