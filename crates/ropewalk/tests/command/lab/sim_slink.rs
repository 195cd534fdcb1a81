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
            "coding",
            "operations",
            "errors",
            "retries",
            "outstanding",
            "both",
            "bandwidth_gbps",
            "efficiency",
            "through_gbps",
            "latency_ns",
            "restarted",
            "resets",
            "switches",
            "not_reached",
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

#[test]
fn in_blocks_more_of_the_line_is_data() {
    let seed = seed().to_string();
    let (status, run) = json(&[
        "--blocks", "--crc", "--lanes", "2", "--size", "4096", "--ops", "5", "--ppm", "-100",
        "--seed", &seed,
    ]);
    assert_eq!(status, Some(0), "{run:#}");
    assert_eq!(run["coding"], "64b/66b");
    // 10 Gb/s, of which 8b/10b leaves 8.
    let bandwidth = run["bandwidth_gbps"].as_f64().unwrap();
    assert!((9.5..9.7).contains(&bandwidth), "{run:#}");
}

#[test]
fn what_happens_in_the_midst_of_a_run_is_shown() {
    let seed = seed().to_string();
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let args = [
        "--crc",
        "--size",
        "512",
        "--ops",
        "250",
        "--stall",
        "20",
        "--seed",
        &seed,
        "--switch",
        "a:25us:2:5G:64b66b",
        "--switch",
        "b:80us:4:5G:8b10b",
        "--cut",
        "ab:55us:1us:noise",
        "--reset",
        "b:130us..140us:1us",
        "--reset",
        "a:900ms:1us",
    ];
    let page = ["--report", report.to_str().unwrap()];
    let (status, run) = json(&[&args[..], &page].concat());
    assert_eq!(status, Some(0), "{run:#}");
    assert_eq!(run["operations"], 250);
    assert_eq!(
        (&run["resets"], &run["not_reached"]),
        (&1.into(), &1.into())
    );
    let switches = run["switches"].as_array().unwrap();
    let of = |i: usize, key: &str| switches[i][key].as_str().unwrap().to_owned();
    assert_eq!(
        (switches.len(), of(0, "end"), of(1, "end")),
        (2, "a".into(), "b".into())
    );
    assert_eq!(of(0, "mode"), "2 x 5 Gb/s, 64b/66b");
    assert_eq!(of(0, "result"), "done");
    let html = std::fs::read_to_string(report.join("index.html")).unwrap();
    assert_fits(&html, &["durations", "arrived"]);
    assert!(html.contains("Changes of the line's mode") || html.contains("Changes of the line&"));
    let done = slink(&args);
    let text = String::from_utf8(done.stdout).expect("text");
    for part in [
        "2 x 5 Gb/s, 64b/66b",
        "not reached",
        "1 cut, 2 resets",
        "memories pause 20 %",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn what_no_run_can_be_is_refused() {
    for (args, parts) in [
        (
            &["--switch", "a:1us:3:5G:8b10b"][..],
            &["--switch", "END:START:LANES"][..],
        ),
        (
            &["--lanes", "2", "--switch", "a:1us:4:5G:8b10b"],
            &["switch: 4 lanes", "2 wired"],
        ),
        (
            &["--cut", "ab:1us:1us:frame"],
            &["--cut", "zero, one, 1010, stuck or noise"],
        ),
        (
            &["--lanes", "1", "--cut", "ab.3:1us:1us:zero"],
            &["cut: lane 3", "1 wired"],
        ),
        (&["--reset", "a:1us:2s"], &["--reset", "END:START:LENGTH"]),
        (
            &["--reset", "a:1us:9us", "--reset", "both:5us:1us"],
            &["reset: one begins at 5000 ns"],
        ),
        (&["--bus", "32"], &["--bus", "64 or 128"]),
        (&["--ppm", "301"], &["--ppm", "-300 to 300"]),
        (&["--stall", "100"], &["--stall", "0 to 99"]),
    ] {
        let done = slink(&[&["--ops", "1"], args].concat());
        assert_eq!(done.status.code(), Some(3), "{args:?}");
        let text = String::from_utf8(done.stderr).expect("text");
        for part in parts {
            assert!(text.contains(part), "{args:?}: {text}");
        }
    }
}
