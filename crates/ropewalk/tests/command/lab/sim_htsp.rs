// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim htsp` as a program.

use std::process::{Command, Output};

use serde_json::Value;

fn ropewalk(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ropewalk"))
        .args(["sim", "htsp"])
        .args(args)
        .output()
        .expect("the program runs")
}

fn json(args: &[&str]) -> (Option<i32>, Value) {
    let done = ropewalk(&[args, &["--json"]].concat());
    let text = String::from_utf8(done.stdout).expect("text");
    let value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    (done.status.code(), value)
}

#[test]
fn what_scripts_rely_on() {
    let (status, run) = json(&["--vcs", "4", "--frame", "8192", "--frames", "30"]);
    assert_eq!(status, Some(0));
    assert_eq!(run["ok"], true);
    assert_eq!(run["core"], "htsp");
    assert_eq!(run["vcs"], 4);
    assert!(run["cycles"].as_u64().unwrap() > 30 * 4 * 130);
    assert!(run["efficiency"].as_f64().unwrap() > 0.97);
    for name in ["min", "p50", "p99", "max"] {
        assert!(run["latency_cycles"][name].as_u64().unwrap() >= 8, "{name}");
    }
    let channels = run["vc"].as_array().unwrap();
    assert_eq!(channels.len(), 4);
    for channel in channels {
        assert_eq!(channel["frames_sent"], 60);
        assert_eq!(channel["frames_delivered"], 60);
        for name in ["errored", "lost", "corrupted"] {
            assert_eq!(channel[name], 0, "{name}");
        }
    }
}

#[test]
fn losses_are_told() {
    let args = [
        "--frame", "64..4000", "--frames", "300", "--drop", "0.01", "--ber", "1e-6",
    ];
    let (status, run) = json(&args);
    assert_eq!(status, Some(0), "{run}");
    assert!(run["line_frames_lost"].as_u64().unwrap() > 0);
    assert!(run["frames_missing_told"].as_u64().unwrap() > 0);
    // The same seed gives the same run.
    let seed = run["seed"].to_string();
    let (_, again) = json(&[&args[..], &["--seed", &seed]].concat());
    assert_eq!(run["vc"], again["vc"]);
    assert_eq!(run["cycles"], again["cycles"]);
}

/// Narrow streams reach the rate of the Ethernet that fits them; op-codes go beside the load, and
/// those of lost frames are counted as lost.
#[test]
fn narrow_streams_and_op_codes() {
    for (width, line, least, most) in [("128", "25g", 24.0, 24.75), ("256", "50g", 48.0, 49.5)] {
        let (status, run) = json(&[
            "--width", width, "--line", line, "--vcs", "2", "--frames", "40",
        ]);
        assert_eq!(status, Some(0), "{run}");
        assert_eq!(run["width_bits"].to_string(), width);
        assert_eq!(
            (&run["line"], &run["op_codes"]),
            (&line.into(), &Value::Null)
        );
        let bits = width.parse::<f64>().expect("a number");
        let gbps = run["efficiency"].as_f64().expect("a share") * bits * 195.66e6 / 1e9;
        assert!((least..most).contains(&gbps), "{gbps} Gb/s: {run}");
    }
    let (status, run) = json(&[
        "--width",
        "128",
        "--vcs",
        "2",
        "--frame",
        "1..500",
        "--op-codes",
        "500",
        "--loss",
        "2%",
    ]);
    assert_eq!(status, Some(0), "{run}");
    let op_codes = &run["op_codes"];
    let count = |key: &str| op_codes[key].as_u64().expect("a count");
    assert_eq!(count("sent"), 1000, "{run}");
    assert_eq!(count("arrived") + count("lost"), 1000, "{run}");
    assert!(count("lost") > 0 && count("corrupted") == 0, "{run}");
    assert!(
        op_codes["latency_cycles"]["min"].as_u64().expect("cycles") >= 5,
        "{run}"
    );
}

/// Lanes of 100G Ethernet with markers as far apart as in the standard: with FEC nothing is lost.
#[test]
fn lanes_of_ethernet() {
    let (status, run) = json(&[
        "--phy", "100g-kr4", "--ber", "1e-5", "--vcs", "2", "--frames", "20",
    ]);
    assert_eq!(status, Some(0), "{run}");
    assert_eq!(
        (&run["ok"], &run["line"]),
        (&true.into(), &"100g-kr4".into())
    );
    assert!(run["phy"]["corrected"].as_u64().unwrap() > 0, "{run}");
    assert_eq!(run["phy"]["uncorrectable"], 0);
    for channel in run["vc"].as_array().unwrap() {
        assert_eq!(channel["frames_delivered"], 40);
    }
    let (status, run) = json(&["--phy", "cgmii", "--vcs", "1", "--frames", "5"]);
    assert_eq!((status, &run["phy"]), (Some(0), &Value::Null));
}

#[test]
fn text_for_people() {
    let done = ropewalk(&[
        "--vcs", "1", "--frames", "5", "--frame", "100", "--seed", "7",
    ]);
    let text = String::from_utf8(done.stdout).expect("text");
    assert_eq!(done.status.code(), Some(0));
    assert!(text.contains("seed 7"), "{text}");
    assert!(
        text.contains("10 of 10 frames delivered, once, in order, unchanged"),
        "{text}"
    );
}

#[test]
fn bad_input_names_the_value() {
    for (args, said) in [
        (&["--vcs", "17"][..], "accepted: 1 to 16 channels"),
        (
            &["--vcs", "4", "--block", "4"],
            "--block 4 of a link of 4 channels; accepted: 0 to 3",
        ),
        (
            &["--burst", "100"],
            "accepted: a multiple of 64 from 64 to 8192 bytes",
        ),
        (&["--rx-depth", "64"], "accepted: 391 or more"),
        (&["--frame", "0"], "accepted: 1 to 1048576 bytes"),
        (&["--width", "64"], "accepted: 128, 256 or 512 bits"),
        (
            &["--width", "128", "--line", "50g"],
            "--width 128 with a line of 50 Gb/s, which carries 255.5 bits in a cycle; accepted: 256 or 512",
        ),
        (
            &["--width", "256", "--phy", "100g-kr4"],
            "carries 511.1 bits in a cycle; accepted: 512",
        ),
        (
            &["--op-codes", "1000001"],
            "accepted: 0 to 1000000 op-codes",
        ),
        (
            &["--phy", "100g-kr4", "--skew", "901"],
            "accepted: 0 to 900 bits",
        ),
    ] {
        let done = ropewalk(args);
        let text = String::from_utf8(done.stderr).expect("text");
        assert_eq!(done.status.code(), Some(3), "{args:?}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains(said), "{text}");
    }
}

/// The page says what the object says, and its plots fit.
#[test]
fn a_page_of_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report");
    let report = report.to_str().expect("text");
    let (status, run) = json(&[
        "--vcs",
        "4",
        "--frame",
        "64..4000",
        "--frames",
        "100",
        "--loss",
        "1%",
        "--op-codes",
        "20",
        "--report",
        report,
    ]);
    assert_eq!(status, Some(0), "{run}");
    let html = std::fs::read_to_string(format!("{report}/index.html")).expect("a page");
    let lost = run["line_frames_lost"].as_u64().expect("a count");
    assert!(lost > 0 && html.contains("Lost on the line"), "{run}");
    let efficiency = 100.0 * run["efficiency"].as_f64().expect("a share");
    assert!(html.contains(&format!("{efficiency:.2}")), "{efficiency}");
    assert!(html.contains("sim htsp --vcs 4") && html.contains("Op-codes"));
    super::browser::assert_fits(&html, &["latency", "channels"]);
}
