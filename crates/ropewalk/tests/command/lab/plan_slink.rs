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
    for (code, modes) in [(&[][..], 6), (&["--blocks"], 12)] {
        let args = ["--mode", "read", "--crc", "--size", "512"];
        let run = plan(&[&args[..], code, &["--json"]].concat());
        let plan: Value = serde_json::from_str(&run.stdout).unwrap();
        let planned = plan["modes"].as_array().unwrap();
        assert_eq!(planned.len(), modes);
        // Of the last line code.
        let planned = &planned[modes - 6];
        let seed = seed().to_string();
        let more = [
            "--lanes", "1", "--rate", "2.5G", "--ops", "2", "--json", "--seed", &seed,
        ];
        let run = run_in(
            Path::new("."),
            &[&["sim", "slink"][..], &args, code, &more].concat(),
        );
        let sim: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(planned["coding"], sim["coding"]);
        for (ns, word) in [("first_ns", "first"), ("last_ns", "last")] {
            let of = |of: &Value| of.as_f64().unwrap();
            // Within three cycles of 8 ns.
            let apart = of(&planned[ns]) - of(&sim["latency_ns"][word]);
            assert!(apart.abs() <= 24.0, "{ns}: {apart}");
        }
    }
}

#[test]
fn what_the_parameters_have_to_be_is_told() {
    let run = plan(&[
        "--bandwidth",
        "18G",
        "--size",
        "524288",
        "--blocks",
        "--outstanding",
        "4",
        "--ppm",
        "300",
        "--json",
    ]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    // Four lanes of 5 Gb/s, in 64b/66b only.
    assert_eq!(json["chosen"], 11);
    assert_eq!(
        (&json["outstanding"], &json["elastic_depth"]),
        (&4.into(), &64.into())
    );
    // Over one lane the packet is four times as long, and the buffer has to hold 79 words.
    let one = plan(&["--size", "524288", "--ppm", "300", "--json"]);
    let json: Value = serde_json::from_str(&one.stdout).unwrap();
    assert_eq!(
        (&json["chosen"], &json["elastic_depth"]),
        (&0.into(), &128.into())
    );
    let text = plan(&[
        "--bandwidth",
        "18G",
        "--size",
        "4096",
        "--blocks",
        "--outstanding",
        "2",
    ]);
    for part in [
        "wanted.coding 1",
        "Outstanding 2, Switch 1, Blocks 1",
        "4 x 5 Gb/s, 64b/66b",
    ] {
        assert!(text.stdout.contains(part), "{text:?}");
    }
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
        (&["--outstanding", "3"], &["'3'", "1, 2 or 4"]),
        (&["--ppm", "400"], &["'400'", "-300 to 300"]),
    ] {
        let run = plan(args);
        assert_eq!(run.status, Some(3), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "{run:?}");
        }
    }
}
