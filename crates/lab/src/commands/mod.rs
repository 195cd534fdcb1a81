// SPDX-License-Identifier: Apache-2.0
//! One module per subcommand.

pub mod attach_htsp;
pub mod bench;
pub mod bench_all;
pub mod bench_area;
pub mod bench_chunk;
pub mod bench_htsp;
pub mod bench_network;
pub mod bench_rdma;
pub mod bench_rifl;
pub mod bench_slink;
pub mod bench_transfer;
pub mod plan_chunk;
pub mod plan_htsp;
pub mod plan_rifl;
pub mod plan_slink;
pub mod plan_stack;
pub mod sim_htsp;
pub mod sim_network;
pub mod sim_rdma;
pub mod sim_rifl;
pub mod sim_slink;
pub mod sim_stack;
pub mod sweep;
pub mod traffic;
pub mod watch_rifl;

use std::io::Write;
use std::path::Path;

use ropewalk_console::failure::Failure;
use ropewalk_console::output::StagedIn;
use serde::Serialize;
use serde_json::Value;

/// Begins a simulation: prints what is run, if that is wanted, and stages its page, so that a
/// folder that cannot be written to is known before.
fn begin(heading: Option<String>, report: Option<&Path>) -> Result<Option<StagedIn>, Failure> {
    if let Some(heading) = heading {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{heading}")?;
        out.flush()?;
    }
    let page = report.map(|folder| StagedIn::begin(folder, crate::report::FILE_NAME));
    page.transpose()
}

/// A simulation that can run without a terminal.
pub trait Simulation {
    /// Checks the options against each other.
    ///
    /// # Errors
    /// One line that names the value and what would be accepted.
    fn check(&self) -> Result<(), Failure>;

    /// Runs it; gives the result that `--json` prints.
    ///
    /// # Errors
    /// As [`check`](Simulation::check), or the simulator cannot be built.
    fn measure(&self) -> Result<Value, Failure>;
}

/// A result as plain data.
fn plain(result: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(result).map_err(Failure::refused)
}

/// What is done while a simulator is built that nobody watches.
fn unwatched(_: ropewalk_sim::Building) {
    ropewalk_console::output::stop_if_interrupted();
}
