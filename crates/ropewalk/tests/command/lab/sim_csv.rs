// SPDX-License-Identifier: Apache-2.0
//! Traffic out of a CSV file, and the times of its packets, through the simulated RTL.

use std::path::Path;

use super::names;
use crate::common::{run_in, seed};

/// Period of the user clock with one lane of 256-bit frames at 28 Gb/s.
const CLOCK_NS: f64 = 256.0 / 28.0;

/// A row of the file with the times.
#[derive(Debug, Clone, PartialEq)]
struct Times {
    direction: String,
    bytes: u64,
    accepted: f64,
    last: f64,
    latency_cycles: u64,
    verdict: String,
}

fn times(path: &Path) -> Vec<Times> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some(
            "direction,packet,bytes,accepted_ns,first_ns,last_ns,latency_cycles,latency_ns,verdict"
        )
    );
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |i: usize| cells[i].parse::<f64>().unwrap();
        assert!((number(4) - number(3) - number(7)).abs() < 0.0015, "{line}");
        Times {
            direction: cells[0].to_owned(),
            bytes: number(2) as u64,
            accepted: number(3),
            last: number(5),
            latency_cycles: number(6) as u64,
            verdict: cells[8].to_owned(),
        }
    };
    lines.map(row).collect()
}

/// Plays `text` and gives the times of all packets.
fn play(text: &str, args: &[&str]) -> Vec<Times> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.csv"), text).unwrap();
    let files = [
        "sim",
        "rifl",
        "--csv",
        "in.csv",
        "--csv-out",
        "out.csv",
        "--quiet",
    ];
    let run = run_in(folder.path(), &[&files[..], args].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(names(folder.path()), ["in.csv", "out.csv"]);
    times(&folder.path().join("out.csv"))
}

#[test]
fn beats_come_when_the_file_says() {
    // 32 bytes are a beat of 30 bytes of payload, so the link takes two frames for each and the
    // source has to wait; 30 bytes take one.
    let text = "direction,cycle,wait,bytes,last\n\
                ab,1000,,30@1,1\n\
                ab,,,30@2,1\n\
                ab,,7,30@3,1\n\
                ab,,,,\n\
                ab,,,,\n\
                ab,,,30@4,1\n\
                ab,1100,,32@5,0\n\
                ab,,20,1@6,1\n\
                ba,1003,,64@7,1\n";
    let seed = seed().to_string();
    let found = play(text, &["--cable", "0m", "--seed", &seed]);
    let directions: Vec<&str> = found.iter().map(|t| t.direction.as_str()).collect();
    assert_eq!(directions, ["ab", "ab", "ab", "ab", "ab", "ba"]);
    assert_eq!(
        found.iter().map(|t| t.bytes).collect::<Vec<_>>(),
        [30, 30, 30, 30, 33, 64]
    );
    assert!(found.iter().all(|t| t.verdict == "in order"), "{found:?}");
    let clocks = |from: &Times, to: &Times| (to.accepted - from.accepted) / CLOCK_NS;
    for (from, to, expected) in [(0, 1, 1.0), (1, 2, 8.0), (2, 3, 3.0), (0, 4, 100.0)] {
        let found = clocks(&found[from], &found[to]);
        assert!(
            (found - expected).abs() < 0.01,
            "{from} to {to}: {found} clocks instead of {expected}"
        );
    }
    // Both ends count from the same moment.
    let other = clocks(&found[0], &found[5]);
    assert!((other - 3.0).abs() < 0.01, "{other}");
    // The wait lies inside the packet: its second beat is accepted 21 clocks behind the first.
    let whole = (found[4].last - found[4].accepted) / CLOCK_NS;
    assert!((21.0 + 4.0..21.0 + 7.0).contains(&whole), "{whole}");
    // Single frames on an idle link: the budget of the pipeline.
    for single in &found[..4] {
        assert!((13..=16).contains(&single.latency_cycles), "{single:?}");
    }
}

#[test]
fn the_example_of_the_user_guide_runs() {
    let guide = include_str!("../../../../../docs/src/user-guide.md");
    let section = guide.split("## Traffic from a CSV file").nth(1).unwrap();
    let example = section.split("```\n").nth(3).unwrap();
    assert!(example.starts_with("direction,"), "{example}");
    let found = play(example, &[]);
    let lengths: Vec<u64> = found.iter().map(|t| t.bytes).collect();
    assert_eq!(lengths, [48, 1500, 64]);
    for column in [
        "accepted_ns",
        "first_ns",
        "last_ns",
        "latency_cycles",
        "latency_ns",
        "verdict",
    ] {
        assert!(
            section.contains(&format!("`{column}`")),
            "{column} is not in the user guide"
        );
    }
}

#[test]
fn both_directions_survive_errors() {
    let mut text = "direction,wait,bytes\n".to_owned();
    let rows = 600;
    for row in 0..rows {
        let direction = if row % 3 == 0 { "ba" } else { "ab" };
        text += &format!("{direction},{},{}@{row}\n", row % 5, 1 + row * 7 % 2000);
    }
    let seed = seed().to_string();
    let found = play(&text, &["--ber", "1e-5", "--seed", &seed, "--stall", "20"]);
    assert_eq!(found.len(), rows);
    for (name, step) in [("ab", 400), ("ba", 200)] {
        let of: Vec<&Times> = found.iter().filter(|t| t.direction == name).collect();
        assert_eq!(of.len(), step);
        assert!(of.iter().all(|t| t.verdict == "in order"));
        assert!(
            of.windows(2)
                .all(|w| w[0].accepted < w[1].accepted && w[0].last < w[1].last)
        );
    }
    let lengths: Vec<u64> = (0..rows as u64)
        .filter(|row| row % 3 == 0)
        .map(|row| 1 + row * 7 % 2000)
        .collect();
    let found: Vec<u64> = found
        .iter()
        .filter(|t| t.direction == "ba")
        .map(|t| t.bytes)
        .collect();
    assert_eq!(found, lengths);
}

#[test]
fn a_file_for_one_direction_loads_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.csv"), "bytes\n00ff\n100@1\n").unwrap();
    let (status, result) = super::sim_json(folder.path(), &["--csv", "in.csv"]);
    assert_eq!(status, Some(0), "{result}");
    let directions = result["directions"].as_array().unwrap();
    assert_eq!(directions.len(), 1, "{result}");
    assert_eq!(directions[0]["packets_delivered"], 2);
    assert_eq!(directions[0]["bytes_delivered"], 102);
}

#[test]
fn refusals_touch_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("bad.csv"), "bytes,last\n1500@1,1\n100@1,0\n").unwrap();
    std::fs::write(at("good.csv"), "bytes\n00\n").unwrap();
    std::fs::write(at("old.csv"), "old").unwrap();
    let before = names(folder.path());
    for (args, parts) in [
        (
            &["--csv", "bad.csv", "--csv-out", "old.csv"][..],
            &["bad.csv line 3, column bytes: '100@1'", "multiple of 32"][..],
        ),
        (
            &["--csv", "none.csv"],
            &["cannot read none.csv", "no such file"],
        ),
        (
            &["--csv", "good.csv", "--csv-out", "good.csv"],
            &["--csv-out good.csv", "the same file as --csv"],
        ),
        (
            &["--csv", "good.csv", "--packets", "3"],
            &["--csv", "--packets"],
        ),
        (&["--csv", "good.csv", "--one-way"], &["--csv", "--one-way"]),
        (
            &["--csv", "good.csv", "--csv-out", "none/out.csv"],
            &["cannot write none/out.csv"],
        ),
    ] {
        let run = run_in(folder.path(), &[&["sim", "rifl"][..], args].concat());
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
    assert_eq!(names(folder.path()), before);
    assert_eq!(std::fs::read(at("old.csv")).unwrap(), b"old");
}
