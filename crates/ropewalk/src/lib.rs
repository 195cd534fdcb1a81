// SPDX-License-Identifier: Apache-2.0
//! The `ropewalk` command: real RTL, cycle by cycle, through a channel that you describe.
//!
//! Everything that decides, counts or draws is an ordinary function here, and the RTL stands behind
//! the one trait [`simulator::Simulator`], so that each part is tested on its own.
//!
//! Contract of the command line, for every subcommand:
//! * exit status 0: done and lossless; 1: something was lost, duplicated, reordered or corrupted, or the link
//!   stalled or never came up; 2: bad input, told in one line on standard error before anything is simulated;
//!   130: interrupted;
//! * an output file is either whole or untouched, except what `htsp recv` receives and captures, which grows as it comes;
//! * with `--json` nothing but one JSON object is on standard output.

pub mod bench;
pub mod bench_chunk;
pub mod bench_htsp;
pub mod bench_rdma;
pub mod bench_slink;
pub mod capture;
pub mod chunk_stages;
pub mod cli;
pub mod commands;
pub mod dimension;
pub mod failure;
pub mod format;
pub mod json;
pub mod output;
pub mod paper_tables;
pub mod plan;
pub mod plan_chunk;
pub mod plan_slink;
pub mod progress;
pub mod published;
pub mod published_chunk;
pub mod published_htsp;
pub mod published_rdma;
pub mod report;
pub mod script;
pub mod section;
pub mod seed;
pub mod simulator;
pub mod slink_formulas;
pub mod source;
pub mod summary;
pub mod table;
pub mod units;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use cli::{BenchCore, Cli, Command, DecodeCore, HtspAction, PlanCore, SimCore};
use failure::Failure;

/// Runs the command with these arguments (the first one is the name of the program).
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        let _ = writeln!(
            std::io::stderr(),
            "ropewalk: internal error, please report it: {info}"
        );
    }));
    let args: Vec<OsString> = args.into_iter().collect();
    // A panic still removes what was begun (unwinding drops the staged files) and is told in one line.
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| dispatch(&args)));
    match done {
        Ok(Ok(status)) => ExitCode::from(status),
        Ok(Err(failure @ (Failure::Closed | Failure::Interrupted))) => {
            ExitCode::from(failure.status())
        }
        Ok(Err(failure)) => {
            let _ = writeln!(std::io::stderr(), "ropewalk: {failure}");
            ExitCode::from(failure.status())
        }
        Err(payload) if payload.is::<output::Interrupted>() => ExitCode::from(output::INTERRUPTED),
        Err(_) => ExitCode::from(101),
    }
}

fn dispatch(args: &[OsString]) -> Result<u8, Failure> {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // --help and --version.
            let text = error.render();
            let mut out = std::io::stdout().lock();
            if format::colour_wanted(&std::io::stdout()) {
                write!(out, "{}", text.ansi())?;
            } else {
                write!(out, "{text}")?;
            }
            return Ok(0);
        }
        Err(error) => return Err(Failure::BadInput(cli::one_line(&error))),
    };
    let simulator = simulator::Rtl;
    match cli.command {
        Command::Sim {
            core: SimCore::Rifl(options),
        } => {
            output::clean_up_on_signal();
            commands::sim_rifl::execute(&options, args, &simulator)
        }
        Command::Sim {
            core: SimCore::Htsp(options),
        } => {
            if let Some(name) = &options.tap {
                return commands::attach_htsp::execute(name, &options);
            }
            output::clean_up_on_signal();
            commands::sim_htsp::execute(&options)
        }
        Command::Sim {
            core: SimCore::Slink(options),
        } => {
            output::clean_up_on_signal();
            commands::sim_slink::execute(&options, args)
        }
        Command::Sim {
            core: SimCore::Rdma(options),
        } => {
            output::clean_up_on_signal();
            commands::sim_rdma::execute(&options, args)
        }
        Command::Plan {
            core: PlanCore::Rifl(options),
        } => {
            output::clean_up_on_signal();
            commands::plan_rifl::execute(&options, args)
        }
        Command::Plan {
            core: PlanCore::Chunk(options),
        } => {
            output::clean_up_on_signal();
            commands::plan_chunk::execute(&options, args)
        }
        Command::Plan {
            core: PlanCore::Slink(options),
        } => {
            output::clean_up_on_signal();
            commands::plan_slink::execute(&options)
        }
        Command::Bench {
            core: BenchCore::Rifl(options),
        } => {
            output::clean_up_on_signal();
            commands::bench_rifl::execute(&options, args, &simulator)
        }
        Command::Bench {
            core: BenchCore::Htsp(options),
        } => {
            output::clean_up_on_signal();
            commands::bench_htsp::execute(&options, args)
        }
        Command::Bench {
            core: BenchCore::Slink(options),
        } => {
            output::clean_up_on_signal();
            commands::bench_slink::execute(&options, args)
        }
        Command::Bench {
            core: BenchCore::Rdma(options),
        } => {
            output::clean_up_on_signal();
            commands::bench_rdma::execute(&options, args)
        }
        Command::Bench {
            core: BenchCore::Chunk(options),
        } => {
            output::clean_up_on_signal();
            commands::bench_chunk::execute(&options, args)
        }
        Command::Decode {
            core: DecodeCore::Htsp(options),
        } => commands::decode_htsp::execute(&options),
        Command::Htsp { action } => match action {
            HtspAction::Recv(options) => commands::htsp::recv::execute(&options),
            HtspAction::Send(options) => commands::htsp::send::execute(&options),
            HtspAction::Link(options) => commands::htsp::link::execute(&options),
            HtspAction::Stat(options) => commands::htsp::stat::execute(&options),
        },
        Command::Perf(options) => commands::perf::execute(&options),
        Command::Send(options) => commands::send::execute(&options),
        Command::Recv(options) => commands::recv::execute(&options),
        Command::Key(options) => commands::key::execute(&options),
        Command::Completions { shell } => commands::shell::completions(shell),
        Command::Man => commands::shell::man(),
    }
}
