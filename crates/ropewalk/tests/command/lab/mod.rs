// SPDX-License-Identifier: Apache-2.0
//! The subcommands of the laboratory.

mod bad_input;
mod bench_all;
mod bench_chunk;
mod bench_htsp;
mod bench_rdma;
mod bench_rifl;
mod bench_slink;
mod bench_transfer;
mod browser;
mod captures;
mod devtools;
mod htsp_host;
mod models;
mod network;
mod plan_chunk;
mod plan_htsp;
mod plan_rifl;
mod plan_slink;
mod report;
mod sim_csv;
mod sim_htsp;
mod sim_rdma;
mod sim_rifl;
mod sim_slink;
mod sim_stack;
mod sweep;
mod traffic;
mod watch;

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{ropewalk, run_in};

/// User and group that own nothing.
const NOBODY: u32 = 65534;

/// Runs `ropewalk bench WHAT --quick`, a core with options of its own, with a page; every byte has
/// to be right. Gives the object and the page, whose plots have these names and fit their frames.
pub fn bench(what: &str, seed: u64, plots: &[&str]) -> (Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let seed = seed.to_string();
    let words: Vec<&str> = what.split(' ').collect();
    let run = run_in(
        folder.path(),
        &[
            &["bench"],
            &words[..],
            &["--quick", "--json", "--report", "report", "--seed", &seed],
        ]
        .concat(),
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let html = std::fs::read_to_string(folder.path().join("report/index.html")).unwrap();
    browser::assert_fits(&html, plots);
    let bench: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(bench["ok"], true);
    (bench, html)
}

/// Runs `ropewalk sim rifl --json` and gives the exit status and the object.
pub fn sim_json(folder: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let run = run_in(folder, &[&["sim", "rifl", "--json"][..], args].concat());
    let value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| {
        panic!("standard output is not one JSON object ({error}): {run:?}")
    });
    (run.status, value)
}

/// The command as a user without privileges, in `folder`, which others may enter from now on. Where
/// the test has none itself, that is its own user.
pub fn unprivileged(folder: &Path) -> Command {
    let own = std::fs::metadata(folder).expect("a folder");
    let mut command = ropewalk();
    if own.uid() == 0 {
        // A copy: the folders above the command may be closed to others. By another program: while
        // this one writes to a file, a process that another thread begins holds it open, and what
        // is open for writing cannot be run.
        let copy = folder.join("ropewalk");
        let done = Command::new("cp")
            .arg(command.get_program())
            .arg(&copy)
            .status();
        assert!(done.expect("it runs").success());
        std::fs::set_permissions(folder, Permissions::from_mode(0o755)).expect("set");
        command = Command::new(copy);
        command.stdin(Stdio::null()).uid(NOBODY).gid(NOBODY);
    }
    command.current_dir(folder);
    command
}

/// Names of everything in a folder, hidden files too.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| {
            entry
                .expect("its entries too")
                .file_name()
                .into_string()
                .expect("as UTF-8")
        })
        .collect();
    names.sort();
    names
}
