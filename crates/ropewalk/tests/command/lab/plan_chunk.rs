// SPDX-License-Identifier: Apache-2.0
//! `ropewalk plan chunk` as a user meets it.

use std::path::Path;

use serde_json::Value;

use super::names;
use crate::common::run_in;

fn stdout(args: &[&str]) -> String {
    let run = run_in(Path::new("."), &[&["plan", "chunk"][..], args].concat());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    run.stdout
}

/// All keys of a value that is no object; a list stands for its first entry.
fn keys(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                found.push(key.clone());
                keys(value, found);
            }
        }
        Value::Array(list) => list.first().into_iter().for_each(|v| keys(v, found)),
        _ => {}
    }
}

/// The table of figure 6 and the text of section IV, to the last digit that they have.
#[test]
fn the_paper_s_figures() {
    let text = stdout(&["--rate", "80G", "--lanes", "8", "--capability", "paper"]);
    for part in [
        "586.62",
        "8 095 356",
        "1173.24",
        "101191.95",
        "13",
        "4 accelerators",
        "262 200",
        "9.84400",
        "9.84615",
        "as in the paper: 1.56 %",
        "1.750",
    ] {
        assert!(text.contains(part), "lacks {part}: {text}");
    }
}

#[test]
fn every_key_is_in_the_user_guide() {
    let text = stdout(&["--lanes", "2", "--rate", "20G", "--loss", "1%", "--json"]);
    let plan: Value = serde_json::from_str(&text).expect("one JSON object");
    let mut found = Vec::new();
    keys(&plan, &mut found);
    assert!(found.len() > 60, "{found:?}");
    let guide = include_str!("../../../../../docs/src/user-guide.md");
    let section = guide.split("## Planning bulk transfer").nth(1);
    let section = section.expect("the guide has the section");
    let section = section.split("\n## ").next().unwrap();
    for key in found {
        let told = [format!("`{key}`"), format!("`{key}[]`")];
        let there = told.iter().any(|key| section.contains(key));
        assert!(there, "{key} is not in the user guide");
    }
}

#[test]
fn refusals_are_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for (args, parts) in [
        (&["--lanes", "0"][..], &["'0'", "1 to 32"][..]),
        (&["--rate", "x"], &["'x'", "10M to 1000G"]),
        (&["--loss", "60%"], &["'60%'", "below 0.5"]),
        (&["--payload", "100"], &["100 bytes", "multiples of 64"]),
        (&["--per-chunk", "9"], &["9 sub-packets", "multiples of 8"]),
        (
            &["--capability", "crc=5"],
            &["'crc=5'", "crc-fec", "or paper"],
        ),
        (&["--capability", "combiner=0"], &["above 0"]),
        (&["--accelerator", "paper"], &["STAGE=RATE"]),
        (&["--limit", "2"], &["'2'", "up to 1"]),
        (&["--arrange", "fast"], &["'fast'"]),
        (&["--report", "/dev/null/x"], &["not a directory"]),
    ] {
        let run = run_in(folder.path(), &[&["plan", "chunk"][..], args].concat());
        let seen = (run.status, run.stdout.as_str());
        assert_eq!(seen, (Some(3), ""), "{args:?}: {run:?}");
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
    let args = ["--capability", "paper", "--arrange", "low-latency"];
    let all = [&["plan", "chunk"][..], &args, &["--report", "a"]].concat();
    let run = run_in(folder.path(), &all);
    assert_eq!(run.status, Some(0), "{run:?}");
    let html = std::fs::read_to_string(folder.path().join("a/index.html")).unwrap();
    for outside in ["https:", "@import", "url(", " src=", "NaN", "inf\""] {
        assert!(!html.contains(outside), "the page mentions {outside}");
    }
    // The name space of SVG is no address that is asked.
    let addresses = html.matches("http:").count();
    assert_eq!(
        addresses,
        html.matches("http://www.w3.org/2000/svg").count()
    );
    assert_eq!(html.matches("<svg").count(), 2);
    // 13 aggregators and 8 interfaces, an accelerator, a generator, an ack processor.
    let sender = html.split("<svg").nth(1).unwrap();
    assert_eq!(sender.matches("class=\"name\"").count(), 24);
    assert!(html.contains("default-src 'none'") && html.contains("ropewalk plan chunk"));
}

#[test]
fn the_graph_for_other_programs() {
    let dot = stdout(&["--capability", "paper", "--lanes", "2", "--dot"]);
    assert_eq!(dot.matches("digraph ").count(), 2);
    assert!(dot.contains("accelerator") && dot.contains("->"), "{dot}");
}
