// SPDX-License-Identifier: Apache-2.0
//! The subcommands of the laboratory in a command that was built without it: each says how to get
//! it.

use clap::{Args, Subcommand};
use ropewalk_console::failure::Failure;

/// The subcommands that are missing.
#[derive(Debug, Subcommand)]
pub enum Lab {
    /// Run the real RTL (not in this build)
    #[command(hide = true, disable_help_flag = true)]
    Sim(Anything),
    /// Calculate a link before it is built (not in this build)
    #[command(hide = true, disable_help_flag = true)]
    Plan(Anything),
    /// Measure a core (not in this build)
    #[command(hide = true, disable_help_flag = true)]
    Bench(Anything),
    /// Run many simulations (not in this build)
    #[command(hide = true, disable_help_flag = true)]
    Sweep(Anything),
    /// Play traffic in hardware (not in this build)
    #[command(hide = true, disable_help_flag = true)]
    Traffic(Anything),
}

/// Whatever was to be done.
#[derive(Debug, Args)]
pub struct Anything {
    /// Arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<std::ffi::OsString>,
}

impl Lab {
    /// What to say instead of doing it.
    pub fn failure(&self) -> Failure {
        let name = match self {
            Self::Sim(_) => "sim",
            Self::Plan(_) => "plan",
            Self::Bench(_) => "bench",
            Self::Sweep(_) => "sweep",
            Self::Traffic(_) => "traffic",
        };
        missing(name)
    }
}

/// How to get a subcommand that is not there.
pub fn missing(name: &str) -> Failure {
    Failure::BadInput(format!(
        "'{name}' belongs to the laboratory, which this command was built without; in a checkout 'make build' makes target/release/ropewalk \
         with it, and 'cargo install --path crates/ropewalk --features lab' installs that"
    ))
}
