// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim slink` as a program.

use std::process::Output;

use serde_json::Value;

use super::browser::assert_fits;
use crate::common::{ropewalk, seed};

fn slink(args: &[&str]) -> Output {
    ropewalk()
        .args(["sim", "slink"])
        .args(args)
        .output()
        .expect("the program runs")
}

fn json(args: &[&str]) -> (Option<i32>, Value) {
    let done = slink(&[args, &["--json"]].concat());
    let text = String::from_utf8(done.stdout).expect("text");
    let value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    (done.status.code(), value)
}

#[test]
fn what_scripts_rely_on() {
    let seed = seed().to_string();
    for (mode, least) in [("write", 0.997), ("read", 0.996)] {
        let (status, run) = json(&[
            "--mode", mode, "--rate", "5G", "--lanes", "1", "--size", "4096", "--ops", "5",
            "--seed", &seed,
        ]);
        assert_eq!(status, Some(0), "{run:#}");
        let keys: Vec<&str> = run
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let mut wanted = [
            "schema",
            "command",
            "ok",
            "core",
            "mode",
            "operations",
            "errors",
            "retries",
            "outstanding",
            "both",
            "bandwidth_gbps",
            "efficiency",
            "through_gbps",
            "latency_ns",
        ];
        let mut keys = keys;
        keys.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(keys, wanted);
        assert_eq!(run["ok"], true);
        assert_eq!(run["core"], "slink");
        assert_eq!(run["mode"], mode);
        assert_eq!(run["operations"], 5);
        assert_eq!((&run["errors"], &run["retries"]), (&0.into(), &0.into()));
        let efficiency = run["efficiency"].as_f64().unwrap();
        assert!((least..1.0).contains(&efficiency), "{run:#}");
        let bandwidth = run["bandwidth_gbps"].as_f64().unwrap();
        assert!((bandwidth - 4.0 * efficiency).abs() < 1e-9, "{run:#}");
        let first = run["latency_ns"]["first"].as_f64().unwrap();
        let last = run["latency_ns"]["last"].as_f64().unwrap();
        // 511 words of 16 ns after the first one.
        assert!(last - first >= 511.0 * 16.0, "{run:#}");
    }
}

#[test]
fn several_operations_of_both_ends() {
    let seed = seed().to_string();
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let (status, run) = json(&[
        "--mode",
        "read",
        "--crc",
        "--size",
        "256",
        "--ops",
        "30",
        "--outstanding",
        "4",
        "--both",
        "--seed",
        &seed,
        "--report",
        report.to_str().unwrap(),
    ]);
    assert_eq!(status, Some(0), "{run:#}");
    assert_eq!(
        (&run["operations"], &run["errors"]),
        (&60.into(), &0.into())
    );
    assert_eq!(
        (&run["outstanding"], &run["both"]),
        (&4.into(), &true.into())
    );
    assert!(run["retries"].is_null() && run["latency_ns"]["first"].is_null());
    // Both directions carry data: more than one alone could.
    assert!(run["through_gbps"].as_f64().unwrap() > 10.0, "{run:#}");
    let html = std::fs::read_to_string(report.join("index.html")).unwrap();
    assert_fits(&html, &[]);
}

#[test]
fn errors_are_repaired_or_told() {
    let seed = seed().to_string();
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let args = [
        "--crc", "--size", "512", "--ops", "60", "--ber", "1e-4", "--lanes", "2", "--seed", &seed,
    ];
    let page = ["--report", report.to_str().unwrap()];
    let (status, run) = json(&[&args[..], &page].concat());
    assert_eq!(status, Some(0), "{run:#}");
    assert_eq!(run["operations"], 60);
    // Of 5200 bits every second packet is damaged.
    assert!(run["retries"].as_u64().unwrap() > 0, "{run:#}");
    // The same seed gives the same run.
    assert_eq!(json(&args).1, run);
    let page = std::fs::read_to_string(report.join("index.html")).unwrap();
    assert_fits(&page, &["durations", "arrived"]);
}

#[test]
fn text_for_people() {
    let done = slink(&["--ops", "2", "--size", "8", "--rate", "2.5G", "--seed", "7"]);
    let text = String::from_utf8(done.stdout).expect("text");
    assert_eq!(done.status.code(), Some(0));
    for part in [
        "2 writes of 8 bytes, 4 lanes of 2.5 Gb/s, no CRC, seed 7",
        "2 of 2 operations done, every byte of both memories as it should be",
        "cycles of 8 ns",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_link_that_does_not_come_up_is_no_success() {
    let done = slink(&["--ops", "1", "--ber", "0.1", "--size", "8", "--quiet"]);
    assert_eq!(done.status.code(), Some(1));
    let text = String::from_utf8(done.stderr).expect("text");
    assert_eq!(text, "ropewalk: the link did NOT come up\n");
}
