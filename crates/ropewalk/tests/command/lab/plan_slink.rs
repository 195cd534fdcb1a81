// SPDX-License-Identifier: Apache-2.0
//! `ropewalk plan slink` as a program, and its figures beside the simulated RTL.

use std::path::Path;

use serde_json::Value;

use crate::common::{Run, run_in, seed};

fn plan(args: &[&str]) -> Run {
    run_in(Path::new("."), &[&["plan", "slink"][..], args].concat())
}

#[test]
fn the_least_that_does_it_is_chosen() {
    let run = plan(&["--bandwidth", "3.9G", "--size", "4096", "--json"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let plan: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(plan["crc"], false);
    assert_eq!(plan["store_depth"], 512);
    assert_eq!(plan["modes"].as_array().unwrap().len(), 6);
    // One lane of 5 Gb/s carries 4 Gb/s.
    assert_eq!(plan["chosen"], 1);
}

#[test]
fn what_is_planned_is_what_the_core_does() {
    let args = ["--mode", "read", "--crc", "--size", "512"];
    let run = plan(&[&args[..], &["--json"]].concat());
    let plan: Value = serde_json::from_str(&run.stdout).unwrap();
    let seed = seed().to_string();
    let more = [
        "--lanes", "1", "--rate", "2.5G", "--ops", "2", "--json", "--seed", &seed,
    ];
    let run = run_in(
        Path::new("."),
        &[&["sim", "slink"][..], &args, &more].concat(),
    );
    let sim: Value = serde_json::from_str(&run.stdout).unwrap();
    let first = |of: &Value| of.as_f64().unwrap();
    // Within two cycles of 8 ns.
    let apart = first(&plan["modes"][0]["first_ns"]) - first(&sim["latency_ns"]["first"]);
    assert!(apart.abs() <= 16.0, "{apart}");
}

#[test]
fn what_cannot_be_is_refused_with_the_best_there_is() {
    for (args, parts) in [
        (
            &["--bandwidth", "17G"][..],
            &["no mode does it", "Gb/s"][..],
        ),
        (
            &["--latency", "50"],
            &["no mode does it", "ns to the first word"],
        ),
        (&["--stall", "1e9"], &["--stall 1000000000", "65536 beats"]),
        (&["--latency", "0"], &["'0'", "--latency"]),
    ] {
        let run = plan(args);
        assert_eq!(run.status, Some(3), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "{run:?}");
        }
    }
}
