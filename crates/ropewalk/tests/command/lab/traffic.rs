// SPDX-License-Identifier: Apache-2.0
//! Traffic for hardware: the writes that are printed, and what is refused. What a core does is
//! tested beside the driver, against the RTL.

use std::path::Path;

use crate::common::run_in;

/// A file of the checkout.
fn checkout(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(name).to_str().unwrap().to_owned()
}

#[test]
fn the_writes_of_the_file_of_the_user_guide() {
    let guide = checkout("cores/traffic/tb/guide.csv");
    let run = run_in(
        Path::new("."),
        &["traffic", "encode", &guide, "--width", "32"],
    );
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let wanted = std::fs::read_to_string(checkout("cores/traffic/tb/guide_orders.txt")).unwrap();
    assert_eq!(run.stdout, wanted);
    // To be expected, in the other direction, twice.
    let words = ["--width", "16", "--expect", "--direction", "ba", "--runs"];
    let run = run_in(
        Path::new("."),
        &[&["traffic", "encode", &guide][..], &words, &["2"]].concat(),
    );
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 1 + 4 * 6 + 2, "{run:?}");
    assert_eq!(lines[0], "0x04c 0x00000001");
    assert_eq!(lines[5], "0x034 0x000003e8");
    let end = [
        "0x034 0x00000000",
        "0x044 0x00001010",
        "0x048 0x00000002",
        "0x04c 0x00000004",
    ];
    assert_eq!(lines[23..], end);
}

#[test]
fn what_cannot_be_done_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), "bytes\n00\n").unwrap();
    std::fs::write(folder.path().join("zeros"), vec![0; 8192]).unwrap();
    std::fs::write(folder.path().join("short"), vec![0; 4096]).unwrap();
    for (args, parts) in [
        (
            &["run", "none", "--play", "t.csv"][..],
            &["cannot read none"][..],
        ),
        (
            &["run", "short", "--play", "t.csv"],
            &["8192 bytes", "0x1000"],
        ),
        (
            &["run", "zeros", "--play", "t.csv"],
            &[
                "zeros at 0x0: magic 0x0",
                "accepted: 0x54524146",
                "traffic core",
            ],
        ),
        (&["run", "zeros"], &["--play"]),
        (
            &["run", "zeros", "--base", "2", "--play", "t.csv"],
            &["multiple of 4"],
        ),
        (
            &["run", "zeros", "--expect", "t.csv", "--record", "o.csv"],
            &["cannot be used with"],
        ),
        (&["encode", "t.csv"], &["--width"]),
        (&["encode", "t.csv", "--width", "0"], &["1 to 1024"]),
        (&["encode", "none.csv", "--width", "4"], &["none.csv"]),
        (
            &["encode", "t.csv", "--width", "4", "--direction", "ba"],
            &["no packet in direction ba"],
        ),
    ] {
        let run = run_in(folder.path(), &[&["traffic"], args].concat());
        assert_eq!(
            (run.status, run.stdout.as_str()),
            (Some(3), ""),
            "{args:?} {run:?}"
        );
        assert_eq!(run.stderr.lines().count(), 1, "{args:?} {run:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "{args:?} {run:?}");
        }
    }
    assert!(!folder.path().join("o.csv").exists());
}
