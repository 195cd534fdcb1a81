// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sweep`: many simulations, one table.

use std::io::{ErrorKind, Write};
use std::process::Command;

use ropewalk_console::failure::{self, Failure};
use ropewalk_console::json;

use crate::cli::Sweep as Options;
use crate::progress::CaseMeter;
use crate::sweep::Sweep;
use crate::sweep::grid::{Grid, shown};

/// Runs the subcommand.
///
/// # Errors
/// Bad input, a case that cannot be run, or a file that cannot be written.
pub fn execute(options: &Options) -> Result<u8, Failure> {
    if options.dry_run {
        let mut out = std::io::stdout().lock();
        for case in Grid::read(&options.grid)?.cases {
            writeln!(out, "{}", shown(&case))?;
        }
        out.flush()?;
        return Ok(0);
    }
    if let Some(scheduler) = &options.scheduler {
        return on_cluster(options, scheduler);
    }
    let mut sweep = Sweep::begin(&options.grid, options.out.as_deref(), options.fresh)?;
    let jobs = options.jobs.unwrap_or_else(|| {
        let processors = std::thread::available_parallelism();
        processors.map_or(1, std::num::NonZero::get)
    });
    let mut meter = CaseMeter::new(!options.quiet);
    sweep.run_here(jobs, &mut |done, total| {
        meter.update(done, total);
        true
    })?;
    drop(meter);
    let verdict = sweep.finish()?;
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "sweep", &verdict)?;
    } else if !options.quiet {
        writeln!(out, "{verdict}")?;
    } else if !verdict.ok {
        let _ = writeln!(std::io::stderr(), "ropewalk: {verdict}");
    }
    out.flush()?;
    Ok(u8::from(!verdict.ok))
}

/// Has the Python package do it, which knows Dask.
fn on_cluster(options: &Options, scheduler: &str) -> Result<u8, Failure> {
    let mut command = Command::new("python3");
    command.args(["-m", "ropewalk.sweep"]).arg(&options.grid);
    command.args(["--scheduler", scheduler]);
    if let Some(out) = &options.out {
        command.arg("--out").arg(out);
    }
    for (wanted, flag) in [
        (options.fresh, "--fresh"),
        (options.json, "--json"),
        (options.quiet, "--quiet"),
    ] {
        command.args(wanted.then_some(flag));
    }
    let accepted = "--scheduler takes Python 3.11 or newer with 'pip install ropewalk[sweep]'";
    // The module says so where Dask is missing; here it is known whether there is the module.
    let probe = Command::new("python3")
        .args(["-c", "import ropewalk.sweep"])
        .output();
    match probe {
        Ok(probe) if probe.status.success() => {}
        Ok(_) => {
            return Err(Failure::BadInput(format!(
                "python3 has no package ropewalk; {accepted}"
            )));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Failure::BadInput(format!(
                "there is no python3; {accepted}"
            )));
        }
        Err(error) => return Err(Failure::refused(error)),
    }
    let status = command.status().map_err(Failure::refused)?;
    let Some(code) = status.code().and_then(|code| u8::try_from(code).ok()) else {
        return Err(Failure::Interrupted);
    };
    // It has said why; what reads the standard output wants an object all the same.
    if options.json && code > failure::BAD {
        let why = "the sweep on the cluster has failed, as standard error says";
        json::write_failure(&mut std::io::stdout(), "sweep", why, code)?;
    }
    Ok(code)
}
