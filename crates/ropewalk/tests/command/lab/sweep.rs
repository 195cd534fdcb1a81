// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sweep` as a program.

use std::fs::Permissions;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use ropewalk_channel::seed::Seeds;
use serde_json::Value;

use super::names;
use crate::common::{Run, ropewalk, run_in, seed};

/// Cases of some hundredths of a second each, of two cores.
const GRID: &str = "\
core = \"rifl\"
seed = 5
[fixed]
packets = 20
size = \"1..2000\"
[each]
ber = [0, 1e-6, 1e-5]
stall = [0, 30]
seed = [1, 2]
[[cases]]
ber = 1e-5
one-way = true
";

fn sweep(folder: &Path, args: &[&str]) -> Run {
    run_in(folder, &[&["sweep", "grid.toml"], args].concat())
}

fn table(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).expect("there is a table")
}

#[test]
fn the_table_is_the_same_whoever_ran_what_and_in_which_order() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("grid.toml"), GRID).unwrap();
    let one = sweep(at, &["--json", "--jobs", "1"]);
    assert_eq!(one.status, Some(0), "{one:?}");
    let verdict: Value = serde_json::from_str(&one.stdout).unwrap();
    assert_eq!(verdict["command"], "sweep");
    assert_eq!(
        (&verdict["ok"], &verdict["cases"]),
        (&true.into(), &13.into())
    );
    assert_eq!(
        (&verdict["bad"], &verdict["resumed"]),
        (&0.into(), &0.into())
    );
    let whole = table(at, "grid.parquet");
    assert!(whole.starts_with(b"PAR1") && whole.ends_with(b"PAR1"));
    let many = sweep(at, &["--out", "many.parquet", "--jobs", "3"]);
    assert_eq!(many.status, Some(0), "{many:?}");
    assert!(
        many.stdout.contains("13 cases, every result is good"),
        "{many:?}"
    );
    assert!(whole == table(at, "many.parquet"));
    // Once more: nothing is left to do.
    let again = sweep(at, &[]);
    assert!(
        again.stdout.contains("13 of them from the journal"),
        "{again:?}"
    );
    assert!(whole == table(at, "grid.parquet"));
    // The cases that stood there before have the results that they had.
    std::fs::write(at.join("grid.toml"), GRID.replace("[0, 30]", "[60, 0, 30]")).unwrap();
    let grown = sweep(at, &["--json"]);
    let verdict: Value = serde_json::from_str(&grown.stdout).unwrap();
    assert_eq!(
        (&verdict["cases"], &verdict["resumed"]),
        (&19.into(), &13.into())
    );
}

#[test]
fn a_case_is_the_command_that_is_printed_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let grid = "core = [\"rifl\", \"slink\"]\n[fixed]\nlanes = 1\n";
    std::fs::write(at.join("grid.toml"), grid).unwrap();
    let run = sweep(at, &["--dry-run"]);
    assert_eq!(
        (run.status, names(at)),
        (Some(0), vec!["grid.toml".to_owned()])
    );
    each_is_its_command(at, &run, 2);
}

/// Runs the cases that a dry run has printed, and each alone.
fn each_is_its_command(at: &Path, printed: &Run, count: usize) {
    let lines: Vec<&str> = printed.stdout.lines().collect();
    assert_eq!(lines.len(), count, "{printed:?}");
    let done = sweep(at, &["--jobs", "2"]);
    assert_eq!(done.status, Some(0), "{done:?}");
    let journal = std::fs::read_to_string(at.join("grid.parquet.journal")).unwrap();
    assert_eq!(journal.lines().count(), 1 + lines.len());
    for line in lines {
        is_the_command(at, line, &journal);
    }
}

/// The result of a case in the journal is what the command of the case prints.
fn is_the_command(at: &Path, line: &str, journal: &str) {
    let words: Vec<&str> = line.split(' ').skip(1).chain(["--json"]).collect();
    let alone: Value = serde_json::from_str(&run_in(at, &words).stdout).unwrap();
    let outcomes = journal.lines().skip(1);
    let mut outcomes = outcomes.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let found = outcomes.find(|it| it["case"]["core"] == words[1]).unwrap();
    assert_eq!(found["ok"], alone["ok"], "{line}");
    for (key, value) in found["result"].as_object().unwrap() {
        assert_eq!(value, &alone[key], "{key}");
    }
    assert!(found["result"].get("wall_s").is_none() && found["wall_s"].is_number());
}

#[test]
fn links_with_engines_and_networks_are_cases_too() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let grid = "core = [\"stack\", \"network\"]\n[fixed]\ntopology = \"star:3\"\n";
    std::fs::write(at.join("grid.toml"), grid).unwrap();
    let run = sweep(at, &["--dry-run"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    each_is_its_command(at, &run, 2);
    // A file is not on every machine.
    for core in ["stack", "network"] {
        let grid = format!("core = \"{core}\"\n[fixed]\ntopology = \"own.toml\"\n");
        std::fs::write(at.join("grid.toml"), grid).unwrap();
        let refused = sweep(at, &["--fresh"]);
        assert_eq!(refused.status, Some(3), "{refused:?}");
        assert!(refused.stderr.contains("'own.toml'"), "{refused:?}");
    }
}

#[test]
fn a_sweep_that_is_killed_anywhere_goes_on() {
    let seed = seed();
    let mut seeds = Seeds::new(seed);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("grid.toml"), GRID).unwrap();
    let whole = sweep(at, &["--out", "whole.parquet"]);
    assert_eq!(whole.status, Some(0), "{whole:?}");
    let journal = at.join("grid.parquet.journal");
    let mut kills = 0;
    while kills < 5 {
        let mut child = ropewalk()
            .current_dir(at)
            .args(["sweep", "grid.toml", "--quiet", "--jobs", "2"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(seeds.next_seed() % 400));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            break;
        }
        kills += 1;
        // And somewhere within a line, as where the power fails.
        let text = std::fs::read(&journal).unwrap_or_default();
        let cut = seeds.next_seed() as usize % 60;
        if text.len() > cut {
            std::fs::write(&journal, &text[..text.len() - cut]).unwrap();
        }
    }
    let end = sweep(at, &[]);
    assert_eq!(end.status, Some(0), "{end:?}");
    assert!(table(at, "grid.parquet") == table(at, "whole.parquet"));
}

#[test]
fn one_sweep_at_a_time_has_a_journal() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let slow = "core = \"rifl\"\n[fixed]\npackets = 100000000\n";
    std::fs::write(at.join("grid.toml"), slow).unwrap();
    let mut first = ropewalk()
        .current_dir(at)
        .args(["sweep", "grid.toml"])
        .spawn()
        .unwrap();
    // Its first line is written under the lock.
    let journal = at.join("grid.parquet.journal");
    while std::fs::read(&journal).unwrap_or_default().is_empty() {
        std::thread::sleep(Duration::from_millis(20));
        assert!(first.try_wait().unwrap().is_none());
    }
    let second = sweep(at, &[]);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.status, Some(3), "{second:?}");
    assert!(second.stderr.contains("another sweep"), "{second:?}");
    assert!(!at.join("grid.parquet").exists());
}

#[test]
fn bad_results_are_rows_and_cases_that_cannot_run_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Without check codes wrong bits reach the memory.
    let grid = "core = \"slink\"\n[fixed]\nops = 20\n[each]\nber = [0, 1e-4]\n";
    std::fs::write(at.join("grid.toml"), grid).unwrap();
    let bad = sweep(at, &["--json"]);
    assert_eq!(bad.status, Some(1), "{bad:?}");
    let verdict: Value = serde_json::from_str(&bad.stdout).unwrap();
    assert_eq!(
        (&verdict["ok"], &verdict["bad"]),
        (&false.into(), &1.into())
    );
    assert!(table(at, "grid.parquet").ends_with(b"PAR1"));
    for (grid, args, parts) in [
        (
            "core = \"rifl\"\n[fixed]\nlanes = 3\n",
            &[][..],
            &["grid.toml: line 3", "'3'"][..],
        ),
        (
            "core = \"rifl\"\n[fixed]\nskew = 3\n",
            &[],
            &["sim rifl", "--skew=3", "one lane"],
        ),
        (
            "core = \"rdma\"\n[fixed]\noutstanding = 5000\n",
            &[],
            &["--outstanding"],
        ),
        (GRID, &[], &["grid.parquet.journal", "--fresh"]),
        (GRID, &["--jobs", "0"], &["'0'", "1 to 1024"]),
        (
            GRID,
            &["--jobs", "2", "--scheduler", "x"],
            &["--jobs", "--scheduler"],
        ),
        (GRID, &["--out", "none/x"], &["none/x", "no such file"]),
    ] {
        std::fs::write(at.join("grid.toml"), grid).unwrap();
        let before = table(at, "grid.parquet");
        let refused = sweep(at, args);
        assert_eq!(refused.status, Some(3), "{refused:?}");
        assert_eq!(refused.stderr.lines().count(), 1, "{refused:?}");
        for part in parts {
            assert!(refused.stderr.contains(part), "{part}: {refused:?}");
        }
        assert!(before == table(at, "grid.parquet"));
    }
}

#[test]
fn an_interrupted_sweep_keeps_what_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let grid = "core = \"rifl\"\n[each]\npackets = [5, 100000000]\n";
    std::fs::write(at.join("grid.toml"), grid).unwrap();
    let mut child = ropewalk()
        .current_dir(at)
        .args(["sweep", "grid.toml", "--jobs", "1"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let journal = at.join("grid.parquet.journal");
    let lines = || {
        std::fs::read_to_string(&journal)
            .unwrap_or_default()
            .lines()
            .count()
    };
    while lines() < 2 {
        std::thread::sleep(Duration::from_millis(20));
        assert!(child.try_wait().unwrap().is_none());
    }
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(sent.unwrap().success());
    let said = BufReader::new(child.stderr.take().unwrap()).lines();
    let said: Vec<String> = said.map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said:?}");
    assert!(
        said.iter().any(|line| line.contains("interrupted")),
        "{said:?}"
    );
    assert_eq!(names(at), ["grid.parquet.journal", "grid.toml"]);
    assert_eq!(lines(), 2);
}

#[test]
fn a_scheduler_is_a_matter_of_the_python_package() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("grid.toml"), GRID).unwrap();
    let run = || -> Run {
        let mut command = ropewalk();
        command.current_dir(at).env("PATH", at);
        let words = ["sweep", "grid.toml", "--scheduler", "tcp://x:1", "--fresh"];
        command.args(words).args(["--out", "a b", "--json"]);
        command.output().unwrap().into()
    };
    let absent = run();
    assert_eq!(absent.status, Some(3), "{absent:?}");
    for part in ["no python3", "pip install ropewalk[sweep]"] {
        assert!(absent.stderr.contains(part), "{absent:?}");
    }
    let python = |text: &str| {
        let path = at.join("python3");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    };
    python("exit 1");
    let bare = run();
    assert_eq!(bare.status, Some(3), "{bare:?}");
    assert!(bare.stderr.contains("no package ropewalk"), "{bare:?}");
    python("if [ \"$1\" = -m ]; then for word; do echo \"<$word>\"; done; exit 1; fi");
    let there = run();
    assert_eq!(there.status, Some(1), "{there:?}");
    let words = "<-m> <ropewalk.sweep> <grid.toml> <--scheduler> <tcp://x:1> <--out> <a b> <--fresh> <--json>";
    assert_eq!(
        there
            .stdout
            .split_inclusive(">\n")
            .map(str::trim)
            .collect::<Vec<_>>()
            .join(" "),
        words
    );
    python("[ \"$1\" != -m ] || exit 2");
    let lost = run();
    assert_eq!(lost.status, Some(2), "{lost:?}");
    let refusal: Value = serde_json::from_str(&lost.stdout).unwrap();
    assert_eq!(
        (&refusal["ok"], &refusal["exit_status"]),
        (&false.into(), &2.into())
    );
}
