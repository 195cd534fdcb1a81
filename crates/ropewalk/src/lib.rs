// SPDX-License-Identifier: Apache-2.0
//! The `ropewalk` command: files and HTSP channels over networks, and captures of them taken apart.
//!
//! With the feature `lab` it is the laboratory (`crates/lab`) as well: `sim`, `plan` and `bench`.
//!
//! Contract of the command line, for every subcommand:
//! * exit status 0: done and lossless; 1: something was lost, duplicated, reordered or corrupted, or the link
//!   stalled or never came up; 2: bad input, told in one line on standard error before anything is simulated;
//!   130: interrupted;
//! * an output file is either whole or untouched, except what `htsp recv` receives and captures, which grows as it comes;
//! * with `--json` nothing but one JSON object is on standard output.

#[cfg(not(feature = "lab"))]
pub mod absent;
pub mod cli;
pub mod commands;
pub mod units;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use cli::{Cli, Command, DecodeCore, HtspAction};
use ropewalk_console::failure::Failure;
use ropewalk_console::{format, output, usage};

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
        Err(error) => return Err(Failure::BadInput(usage::one_line(&error))),
    };
    match cli.command {
        #[cfg(feature = "lab")]
        Command::Lab(command) => ropewalk_lab::execute(&command, args),
        #[cfg(not(feature = "lab"))]
        Command::Lab(command) => Err(command.failure()),
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
