// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim rdma` as a program.

use serde_json::Value;

use super::browser::assert_fits;
use crate::common::{Run, ropewalk};

fn rdma(args: &[&str]) -> Run {
    let mut command = ropewalk();
    command.args(["sim", "rdma"]).args(args);
    Run::from(command.output().expect("the program runs"))
}

fn json(args: &[&str]) -> (Option<i32>, Value) {
    let run = rdma(&[args, &["--json"]].concat());
    let value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    (run.status, value)
}

/// Names of an object, in order.
fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn what_scripts_rely_on() {
    let seed = crate::common::seed().to_string();
    let args = ["--transfers", "60", "--size", "1..64K", "--seed", &seed];
    let (status, run) = json(&args);
    assert_eq!(status, Some(0), "{run}");
    let mut names = [
        "schema",
        "command",
        "ok",
        "core",
        "transfers",
        "completed",
        "errors",
        "cut",
        "memory_identical",
        "cycles",
        "retransmissions",
        "throughput_gbps",
        "latency_cycles",
    ];
    let mut found = keys(&run);
    names.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, names);
    let mut found = keys(&run["latency_cycles"]);
    found.sort_unstable();
    assert_eq!(found, ["max", "min", "p50", "p99"]);
    assert_eq!(
        (&run["ok"], &run["memory_identical"]),
        (&true.into(), &true.into())
    );
    assert_eq!(
        (&run["transfers"], &run["completed"]),
        (&60.into(), &60.into())
    );
    assert_eq!(
        (&run["errors"], &run["retransmissions"]),
        (&0.into(), &0.into())
    );
    assert_eq!(run["core"], "rdma");
    assert!(run["throughput_gbps"].as_f64().unwrap() > 0.0);
    // The same seed gives the same run.
    assert_eq!(json(&args).1, run);
}

#[test]
fn losses_are_mended_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let run = rdma(&[
        "--transfers",
        "40",
        "--size",
        "100..20K",
        "--drop",
        "5%",
        "--dup",
        "5%",
        "--reorder",
        "5%",
        "--late",
        "1%",
        "--damage",
        "1%",
        "--paths",
        "3",
        "--stall",
        "20",
        "--sizes",
        "elephants",
        "--inline",
        "false",
        "--packed",
        "--seed",
        "7",
        "--report",
        report.to_str().unwrap(),
    ]);
    assert_eq!(run.status, Some(0), "{run:?}");
    for text in [
        "seed 7",
        "40 of 40 transfers complete",
        "one path",
        "four paths",
        "5 % of the packets lost",
        "packed framing",
    ] {
        assert!(run.stdout.contains(text), "{text}: {}", run.stdout);
    }
    assert!(!run.stdout.contains("message"), "{}", run.stdout);
    let page = std::fs::read_to_string(report.join("index.html")).unwrap();
    assert_fits(&page, &["classes", "latency", "throughput"]);
}

/// What was under way is cut short and told as such; everything else is complete, and nothing is
/// written that nobody waits for.
#[test]
fn resets_and_loops() {
    let seed = crate::common::seed().to_string();
    let args = [
        "--transfers",
        "200",
        "--size",
        "1..20K",
        "--outstanding",
        "8",
        "--timeout",
        "1500",
        "--resets",
        "2",
        "--local",
        "20%",
        "--seed",
        &seed,
    ];
    let run = rdma(&args);
    assert_eq!(run.status, Some(0), "{run:?}");
    for text in ["20 % within a node", "cut short by 2 resets"] {
        assert!(run.stdout.contains(text), "{text}: {}", run.stdout);
    }
    let (status, run) = json(&args);
    assert_eq!((status, &run["ok"]), (Some(0), &true.into()), "{run}");
    let count = |name: &str| run[name].as_u64().unwrap();
    assert_eq!(count("completed") + count("cut"), 200, "{run}");
    assert_eq!(count("errors"), 0, "{run}");
}

/// Nothing comes through: everything ends, with an error, and is told.
#[test]
fn failures_are_told() {
    let args = [
        "--transfers",
        "6",
        "--size",
        "2000",
        "--drop",
        "90%",
        "--spare",
        "16",
        "--retries",
        "0",
        "--reads",
        "0",
        "--class",
        "one-path",
        "--timeout",
        "2000",
        "--seed",
        "1",
    ];
    let (status, run) = json(&args);
    assert_eq!((status, &run["ok"]), (Some(1), &false.into()), "{run}");
    let count = |name: &str| run[name].as_u64().unwrap();
    assert_eq!(count("completed") + count("errors"), 6, "{run}");
    assert!(count("errors") > 0, "{run}");
    assert_eq!(run["memory_identical"], true, "{run}");
}

#[test]
fn bad_input_names_the_value() {
    for (args, said) in [
        (&["--size", "0"][..], "accepted: 1 to 64M bytes"),
        (&["--size", "2K..1K"], "accepted: 1 to 64M bytes"),
        (&["--outstanding", "1025"], "accepted: 1 to 1024 transfers"),
        (
            &["--outstanding", "129"],
            "--outstanding 129 with --pages 2; accepted: 1 to 128, or more pages",
        ),
        (&["--pages", "3"], "accepted: 2, 4, 8 or 16 pages"),
        (&["--priorities", "17"], "accepted: 1 to 16"),
        (&["--paths", "0"], "accepted: 1 to 64"),
        (&["--resets", "1001"], "accepted: 0 to 1000"),
        (&["--local", "95%"], "accepted: 0 to 90 %"),
        (&["--retries", "16"], "accepted: 0 to 15"),
        (&["--drop", "2"], "accepted: 0 to 90 %"),
        (&["--timeout", "99"], "accepted: 100 to 10000000 cycles"),
        (
            &["--size", "64M", "--outstanding", "64"],
            "of memory; accepted: up to 10.7 GB",
        ),
    ] {
        let run = rdma(args);
        assert_eq!(run.status, Some(3), "{args:?}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        assert!(run.stderr.contains(said), "{run:?}");
    }
}
