// SPDX-License-Identifier: Apache-2.0
//! The `ropewalk` command: files and HTSP channels over networks, and captures of them taken apart.
//!
//! With the feature `lab` it is the laboratory (`crates/lab`) as well: `sim`, `plan`, `bench`
//! and `sweep`.
//!
//! Contract of the command line, for every subcommand:
//! * exit status 0: done; 1: done, and the result is bad, such as something lost or corrupted; 2:
//!   the network has failed, or nobody is at its other end; 3: what was asked for cannot be done,
//!   told in one line on standard error before anything is begun; 130: interrupted;
//! * an output file is either whole or untouched, except what `htsp recv` receives and captures,
//!   which grows as it comes;
//! * with `--json` nothing but one JSON object is on standard output, with `schema` and `command`;
//!   without a result it has `ok`, which is false, `error` and `exit_status`.

#[cfg(not(feature = "lab"))]
pub mod absent;
pub mod cli;
pub mod commands;
pub mod config;
pub mod units;
mod watch;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use cli::{
    Cli, Command, DecodeCore, HtspAction, LinkProtocol, RecvProtocol, RecvWhat, SendProtocol,
    SendWhat, StatProtocol, WatchSource,
};

/// What is said where neither files nor a protocol are named.
const NOTHING: &str = "neither files nor a protocol are named; see --help";
use ropewalk_console::failure::Failure;
use ropewalk_console::{format, json, output, stop, usage};
use tracing_subscriber::filter::LevelFilter;

/// Runs the command with these arguments (the first one is the name of the program).
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        let _ = writeln!(
            std::io::stderr(),
            "ropewalk: internal error, please report it: {info}"
        );
    }));
    let args: Vec<OsString> = args.into_iter().collect();
    // A panic still removes what was begun (unwinding drops the staged files) and is told in one
    // line.
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| dispatch(&args)));
    match done {
        Ok(Ok(status)) => ExitCode::from(status),
        Ok(Err(failure @ (Failure::Closed | Failure::Interrupted))) => {
            ExitCode::from(failure.status())
        }
        Ok(Err(failure)) => {
            let _ = writeln!(std::io::stderr(), "ropewalk: {failure}");
            if args.iter().any(|arg| arg == "--json") {
                let (name, told) = (name(&args), failure.to_string());
                let mut out = std::io::stdout();
                let _ = json::write_failure(&mut out, &name, &told, failure.status());
            }
            ExitCode::from(failure.status())
        }
        Err(payload) if payload.is::<output::Interrupted>() => ExitCode::from(output::INTERRUPTED),
        Err(_) => ExitCode::from(101),
    }
}

/// The subcommand that these arguments name, as far as they do.
fn name(args: &[OsString]) -> String {
    let mut command = &Cli::command();
    let mut words = Vec::new();
    for arg in args.iter().skip(1).filter_map(|arg| arg.to_str()) {
        match command.find_subcommand(arg) {
            Some(found) => {
                words.push(found.get_name());
                command = found;
            }
            None if arg.starts_with('-') => {}
            None => break,
        }
    }
    if words.is_empty() {
        return "ropewalk".to_owned();
    }
    // The results of HTSP have been called so since before their subcommands began with the verb.
    if let [verb, "htsp"] = words[..]
        && verb != "decode"
        && verb != "sim"
        && verb != "bench"
    {
        words = vec!["htsp", verb];
    }
    words.join(" ")
}

/// From now on the events of the libraries are lines on standard error.
fn tell_events(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    // Plain text: another program in the build may have turned colours on for all.
    let lines = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(std::io::stderr);
    let lines = lines.with_target(false).without_time();
    // It fails only where a program that uses this as a library has one of its own.
    let _ = lines.with_max_level(level).try_init();
}

fn dispatch(args: &[OsString]) -> Result<u8, Failure> {
    if args.len() <= 1 {
        let help = Cli::command().render_help();
        write!(std::io::stdout(), "{help}")?;
        return Ok(0);
    }
    let expanded = config::expand(args)?;
    let cli = match Cli::try_parse_from(expanded) {
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
        Err(error) => return Err(Failure::BadInput(usage::one_line(&error, &Cli::command()))),
    };
    stop::set_verbose(cli.verbose > 0);
    tell_events(cli.verbose);
    match cli.command {
        #[cfg(feature = "lab")]
        Command::Lab(command) => ropewalk_lab::execute(&command, args),
        #[cfg(not(feature = "lab"))]
        Command::Lab(command) => Err(command.failure()),
        Command::Decode { core } => match core {
            DecodeCore::Chunk(options) => commands::decode::chunk::execute(&options),
            DecodeCore::Htsp(options) => commands::decode::htsp::execute(&options),
            DecodeCore::Rdma(options) => commands::decode::rdma::execute(&options),
            DecodeCore::Rifl(options) => commands::decode::rifl::execute(&options),
            DecodeCore::Slink(options) => commands::decode::slink::execute(&options),
        },
        Command::Htsp { action } => match action {
            HtspAction::Recv(options) => commands::htsp::recv::execute(&options),
            HtspAction::Send(options) => commands::htsp::send::execute(&options),
            HtspAction::Link(options) => commands::htsp::link::execute(&options),
            HtspAction::Stat(options) => commands::htsp::stat::execute(&options),
        },
        Command::Perf(options) => commands::perf::execute(&options),
        Command::Send(SendWhat {
            protocol,
            files,
            patterns,
        }) => match (protocol, files) {
            (Some(SendProtocol::Htsp(options)), _) => commands::htsp::send::execute(&options),
            (None, Some(options)) => {
                let options = options.with_sources(patterns)?;
                match options.dry_run {
                    true => commands::dry_run::execute(&options),
                    false => commands::send::execute(&options),
                }
            }
            (None, None) => Err(Failure::BadInput(cli::NO_HOST.to_owned())),
        },
        Command::Recv(RecvWhat { protocol, files }) => match (protocol, files) {
            (Some(RecvProtocol::Htsp(options)), _) => commands::htsp::recv::execute(&options),
            (None, Some(options)) => commands::recv::execute(&options),
            (None, None) => Err(Failure::BadInput(NOTHING.to_owned())),
        },
        Command::Link {
            protocol: LinkProtocol::Htsp(options),
        } => commands::htsp::link::execute(&options),
        Command::Stat { protocol } => match protocol {
            StatProtocol::Htsp(options) => commands::htsp::stat::execute(&options),
            StatProtocol::Registers(options) => commands::registers::execute(&options),
        },
        Command::Watch { source } => match source {
            WatchSource::Registers(options) => watch::registers::execute(&options),
            #[cfg(feature = "lab")]
            WatchSource::Rifl(options) => ropewalk_lab::commands::watch_rifl::execute(&options),
            #[cfg(not(feature = "lab"))]
            WatchSource::Rifl(_) => Err(absent::missing("watch rifl")),
        },
        Command::Key(options) => commands::key::execute(&options),
        Command::Completions { shell } => commands::shell::completions(shell),
        Command::Man { path, out } => commands::shell::man(&path, out.as_deref()),
    }
}
