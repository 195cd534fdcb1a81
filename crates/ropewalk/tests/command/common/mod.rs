// SPDX-License-Identifier: Apache-2.0
//! What the tests of the command share.

pub mod files;
pub mod page;

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The command, with nothing on standard input.
pub fn ropewalk() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ropewalk"));
    command.stdin(Stdio::null());
    command
}

/// How a run ended.
#[derive(Debug)]
pub struct Run {
    /// Exit status; none: killed by a signal.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
        }
    }
}

/// Runs `ropewalk` in `folder` with these arguments.
pub fn run_in(folder: &Path, args: &[&str]) -> Run {
    ropewalk()
        .current_dir(folder)
        .args(args)
        .output()
        .expect("the command runs")
        .into()
}

/// A seed for the random choices of a test: fresh, printed, or from the environment variable SEED.
pub fn seed() -> u64 {
    let seed = std::env::var("SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(ropewalk_channel::seed::fresh);
    println!("SEED={seed}");
    seed
}

/// Bytes without any pattern.
pub fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut seeds = ropewalk_channel::seed::Seeds::new(seed);
    std::iter::repeat_with(|| seeds.next_seed().to_le_bytes())
        .flatten()
        .take(length)
        .collect()
}
