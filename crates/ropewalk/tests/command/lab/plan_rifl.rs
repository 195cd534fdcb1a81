// SPDX-License-Identifier: Apache-2.0
//! `ropewalk plan rifl` as a user meets it, and its figures beside the simulated RTL.

use std::path::Path;

use serde_json::Value;

use super::names;
use super::sim_json;
use crate::common::{run_in, seed};

fn plan_json(args: &[&str]) -> Value {
    let run = run_in(
        Path::new("."),
        &[&["plan", "rifl", "--json"][..], args].concat(),
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(run.stderr, "", "{run:?}");
    serde_json::from_str(&run.stdout).expect("standard output is one JSON object")
}

/// All paths to a value that is no object; a list stands for its first entry.
fn keys(prefix: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let dot = if prefix.is_empty() { "" } else { "." };
                keys(&format!("{prefix}{dot}{key}"), value, found);
            }
        }
        Value::Array(list) if !list.is_empty() => keys(&format!("{prefix}[]"), &list[0], found),
        _ => found.push(prefix.to_owned()),
    }
}

#[test]
fn every_key_is_in_the_user_guide() {
    let plan = plan_json(&["--cable", "3km"]);
    let mut found = Vec::new();
    keys("", &plan, &mut found);
    assert!(found.len() > 45, "{found:?}");
    let guide = include_str!("../../../../../docs/src/user-guide.md");
    let section = guide
        .split("## Planning a link")
        .nth(1)
        .expect("the guide has the section");
    for key in found {
        let last = key.rsplit('.').next().unwrap().trim_end_matches("[]");
        assert!(
            section.contains(&format!("`{last}`")),
            "{key} is not in the user guide"
        );
    }
}

#[test]
fn the_mode_decides_what_an_id_width_covers() {
    let needed = |args: &[&str]| {
        let width = ["--frame-width", "256", "--circuit-ns", "0"];
        let plan = plan_json(&[&width[..], args].concat());
        let frame = &plan["frames"][0];
        let keys = [
            &frame["needed_id_width"],
            &frame["published"]["peer_id_width"],
        ];
        (
            plan["mode"].as_str().unwrap().to_owned(),
            keys.map(|bits| bits.as_u64().unwrap()),
        )
    };
    let at = |args: &[&str], mode: &str, bits: [u64; 2]| {
        assert_eq!(needed(args), (mode.to_owned(), bits), "{args:?}");
    };
    at(&["--cable", "30m"], "extended", [6, 7]);
    at(&["--cable", "30m", "--extended"], "extended", [6, 7]);
    at(&["--cable", "30m", "--compatible"], "compatible", [7, 7]);
    at(&["--cable", "150m", "--compatible"], "compatible", [8, 9]);
}

#[test]
fn a_table_for_people() {
    let run = run_in(
        Path::new("."),
        &["plan", "rifl", "--lanes", "4", "--packet", "64"],
    );
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    for part in [
        "4 lanes of 28 Gb/s",
        "2048",
        "MTBF",
        "Interlaken",
        "84.91 %",
    ] {
        assert!(
            run.stdout.contains(part),
            "the table lacks {part}: {}",
            run.stdout
        );
    }
    assert!(
        !run.stdout.contains("NaN") && !run.stdout.contains("inf"),
        "{}",
        run.stdout
    );
}

#[test]
fn refusals_are_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for (args, parts) in [
        (
            &["--cable", "100km"][..],
            &["100 km is too long", "2048", "12 bits"][..],
        ),
        (
            &["--cable", "300m", "--frame-width", "256", "--id-width", "6"],
            &["accepted: 9 to 12"],
        ),
        (&["--frame-width", "100"], &["'100'", "128, 256"]),
        (
            &[
                "--lanes",
                "2",
                "--user-width",
                "100",
                "--frame-width",
                "256",
            ],
            &["accepted: 256, 512"],
        ),
        (&["--rate", "0"], &["'0'", "0.1G to 200G"]),
        (&["--ber", "1"], &["'1'", "below 0.5"]),
        (&["--circuit-ns", "x"], &["'x'", "0 to 1000000"]),
        (&["--report", "/dev/null/x"], &["not a directory"]),
    ] {
        let run = run_in(folder.path(), &[&["plan", "rifl"][..], args].concat());
        assert_eq!(
            (run.status, run.stdout.as_str()),
            (Some(3), ""),
            "{args:?}: {run:?}"
        );
        assert_eq!(run.stderr.lines().count(), 1, "{args:?}: {run:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "{args:?}: {run:?} lacks {part}");
        }
    }
    assert!(names(folder.path()).is_empty());
}

#[test]
fn the_page_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "plan", "rifl", "--lanes", "4", "--cable", "40m", "--report", "a/b",
    ];
    let run = run_in(folder.path(), &args);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(names(&folder.path().join("a/b")), ["index.html"]);
    let html = std::fs::read_to_string(folder.path().join("a/b/index.html")).unwrap();
    for outside in [
        "http:", "https:", "@import", "url(", " src=", "NaN", "inf\"",
    ] {
        assert!(!html.contains(outside), "the page mentions {outside}");
    }
    for part in [
        "id=\"efficiency\"",
        "id=\"goodput\"",
        "id=\"latency\"",
        "prefers-color-scheme: dark",
        "default-src 'none'",
        "ropewalk plan rifl --lanes 4 --cable 40m --report a/b",
    ] {
        assert!(html.contains(part), "the page lacks {part}");
    }
    // Each plot in its wide and its narrow version, with its curves in it.
    assert_eq!(html.matches("<svg class=\"chart").count(), 6);
    let curves =
        html.matches("<path class=\"line").count() + html.matches("<path class=\"thin").count();
    assert_eq!(curves, 2 * (5 + 6 + 4));
    assert!(html.len() < 1_000_000, "{} bytes", html.len());
}

/// The plan against the RTL on the same wire without transceivers: goodput within 30 % of the loss,
/// which is what the model promises, and an undisturbed latency between the best and the worst
/// phase.
#[test]
fn the_simulated_link_does_what_was_planned() {
    let folder = tempfile::tempdir().unwrap();
    let seed = seed().to_string();
    let wire = ["--cable", "10m", "--ber", "5e-6"];
    let traffic = ["--packets", "1000", "--size", "1000..8192", "--seed", &seed];
    let (status, run) = sim_json(folder.path(), &[&wire[..], &traffic].concat());
    assert_eq!(status, Some(0), "{run}");
    let more = [
        "--frame-width",
        "256",
        "--circuit-ns",
        "0",
        "--ppm",
        "0",
        "--packet",
        "4600",
    ];
    let plan = plan_json(&[&wire[..], &more].concat());
    let planned = &plan["frames"][0];

    assert!(run["bit_errors"].as_u64().unwrap() > 200, "{run}");
    let bound = planned["efficiency"]["bound"].as_f64().unwrap();
    let goodput: f64 = (0..2)
        .map(|d| run["directions"][d]["efficiency"].as_f64().unwrap() / 2.0)
        .sum();
    // Packets of many sizes fill all but the last of their frames: half a frame is lost on average.
    let undisturbed = bound * (1.0 - 0.5 * 30.0 / 4596.0);
    let lost = -(goodput / undisturbed).ln();
    let expected = -planned["goodput_ratio"].as_f64().unwrap().ln();
    assert!(
        (lost - expected).abs() < 0.3 * expected,
        "lost {lost:.3}, planned {expected:.3}"
    );

    for direction in run["directions"].as_array().unwrap() {
        let latency = |key: &str| direction["latency_ns"][key].as_f64().unwrap();
        let least = planned["latency_ns"]["least"].as_f64().unwrap();
        let most = planned["latency_ns"]["most"].as_f64().unwrap();
        // The wire has whole words in the simulation.
        assert!(
            latency("min") > least - 2.3 && latency("min") < most + 2.3,
            "{direction}"
        );
        assert!(latency("max") > most, "no error was met: {direction}");
    }
    assert_eq!(run["id_width"], planned["id_width"]);
}
