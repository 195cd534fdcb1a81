// SPDX-License-Identifier: Apache-2.0
//! `ropewalk plan htsp` as a program, and its figures beside the simulated RTL.

use std::path::Path;

use serde_json::Value;

use crate::common::{Run, run_in, seed};

fn plan(args: &[&str]) -> Run {
    run_in(Path::new("."), &[&["plan", "htsp"][..], args].concat())
}

fn planned(args: &[&str]) -> Value {
    let run = plan(&[args, &["--json"]].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

/// The burst that was asked for.
fn chosen(plan: &Value) -> &Value {
    &plan["bursts"][plan["chosen"].as_u64().unwrap() as usize]
}

#[test]
fn links_and_buffers_follow_from_the_detector() {
    let plan = planned(&["--bandwidth", "202.8G", "--frame", "8192", "--vcs", "16"]);
    assert_eq!(plan["links"], 3);
    let load = plan["load"].as_f64().unwrap();
    assert!((load - 202.8 / 3.0 / 98.64).abs() < 1e-3, "{load}");
    // Two bursts of 128 words, and 2 x (100 m x 5 ns + 250 ns + 13 cycles) in cycles of 5.11 ns.
    assert_eq!(chosen(&plan)["headroom_words"], 256 + 320);
    assert_eq!(chosen(&plan)["rx_depth_words"], 1024);
    assert_eq!(chosen(&plan)["buffer_bytes"], 1024 * 64 * 16);
    // Frames per second instead of a rate, and room for a lost pause.
    let frames = (202.8e9 / 8.0 / 8192.0).to_string();
    let plan = planned(&["--fps", &frames, "--frame", "8192", "--lossy"]);
    assert_eq!(plan["links"], 3);
    assert_eq!(chosen(&plan)["headroom_words"], 576 + 128 + 127);
    assert_eq!(chosen(&plan)["rx_depth_words"], 2048);
    // A share that is kept free takes more links; the paper's detectors, by its formula.
    let plan = planned(&["--bandwidth", "98G", "--frame", "8192", "--spare", "10%"]);
    assert_eq!(plan["links"], 2);
    let links = |name: &str| -> Vec<u64> {
        let detectors = plan["detectors"].as_array().unwrap();
        detectors
            .iter()
            .map(|row| row[name].as_u64().unwrap())
            .collect()
    };
    assert_eq!(links("links"), [1, 3, 12, 46, 3]);
    assert_eq!(links("links_paper"), [1, 3, 12, 47, 3]);
}

#[test]
fn what_is_planned_is_what_the_core_carries() {
    for (frame, vcs) in [("64", "1"), ("1000", "4"), ("20000", "1")] {
        let plan = planned(&["--bandwidth", "1G", "--frame", frame, "--vcs", vcs]);
        let seed = seed().to_string();
        let run = run_in(
            Path::new("."),
            &[
                "sim",
                "htsp",
                "--vcs",
                vcs,
                "--frame",
                frame,
                "--frames",
                "300",
                "--line",
                "100g",
                "--one-way",
                "--json",
                "--seed",
                &seed,
            ],
        );
        let sim: Value = serde_json::from_str(&run.stdout).unwrap();
        let (link, core) = (
            chosen(&plan)["link_gbps"].as_f64().unwrap(),
            sim["efficiency"].as_f64().unwrap() * 512.0 * 0.19566,
        );
        // The first frame and the last one are not between others.
        assert!(
            (core / link - 1.0).abs() < 0.02,
            "{frame}: {link} and {core}"
        );
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for (args, parts) in [
        (
            &["--bandwidth", "1G", "--cable", "60km"][..],
            &["round trip", "65535 words"][..],
        ),
        (&["--bandwidth", "0"], &["'0'", "--bandwidth"]),
        (&["--fps", "-1"], &["'-1'", "--fps"]),
        (
            &["--bandwidth", "1G", "--burst", "100"],
            &["'100'", "multiple of 64"],
        ),
        (&["--vcs", "2"], &["--bandwidth", "--fps"]),
    ] {
        let run = plan(args);
        assert_eq!(run.status, Some(3), "{run:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "{run:?}");
        }
    }
}
