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

/// Two cores an end, the checks on the second one; nothing is left to what this machine can do.
#[test]
fn perf_runs_the_mapping_that_is_printed() {
    let given = [
        "generator=1M",
        "aggregator=900k",
        "crc-fec=300k",
        "ack-processor=1M",
        "combiner=900k",
        "ack-generator=900k",
    ];
    let given = given.iter().flat_map(|rate| ["--capability", rate]);
    let args = ["--rate", "2G", "--lanes", "1", "--cores", "2", "--json"];
    let text = stdout(&args.into_iter().chain(given).collect::<Vec<_>>());
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("plan.json"), &text).expect("a file");
    let run = run_in(
        folder.path(),
        &["perf", "--plan", "plan.json", "--seconds", "0.1", "--json"],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let plan: Value = serde_json::from_str(&text).expect("one JSON object");
    let told: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    let ran = &told["plan"];

    let operators = |stage: &str| match stage {
        "generator" => vec!["offer 0", "generate 0", "spread 0"],
        "aggregator" => vec!["aggregate 0.0"],
        "crc-fec" => vec!["check 0.0", "port 0.0"],
        "ack-processor" => vec!["process 0"],
        "combiner" => vec!["combine 0.0"],
        "ack-generator" => vec!["acknowledge 0", "take 0"],
        other => panic!("{other}"),
    };
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut planned = Vec::new();
    for end in plan["ends"].as_array().expect("two ends") {
        let cores = end["mapping"]["cores"].as_array().expect("cores");
        for (number, core) in cores.iter().enumerate() {
            let duties = core["duties"].as_array().expect("duties").iter();
            let stages = duties.flat_map(|duty| operators(&text(&duty["stage"])));
            let mut stages: Vec<String> = stages.map(str::to_owned).collect();
            stages.sort();
            planned.push((format!("{} {number}", text(&end["name"])), stages));
        }
    }
    let threads = ran["threads"].as_array().expect("threads");
    let found: Vec<_> = threads
        .iter()
        .map(|thread| {
            let stages = thread["stages"].as_array().expect("stages");
            let mut stages: Vec<String> = stages.iter().map(text).collect();
            stages.sort();
            (text(&thread["name"]), stages)
        })
        .collect();
    assert_eq!(found, planned);
    // More than one core an end, and each thread is on the next core of this machine.
    assert!(planned.len() > 2, "{planned:?}");
    let own = ropewalk_stripes::cores();
    let cores: Vec<_> = threads
        .iter()
        .map(|thread| thread["core"].as_u64())
        .collect();
    let expected: Vec<_> = (0..planned.len())
        .map(|number| Some(own[number % own.len()] as u64))
        .collect();
    assert_eq!((cores, &ran["warnings"]), (expected, &Value::Array(vec![])));

    for stage in ran["stages"].as_array().expect("stages") {
        assert!(stage["planned"].as_f64() > Some(0.0), "{stage}");
        assert!(stage["measured"].as_f64() > Some(0.0), "{stage}");
    }
    assert_eq!(told["wrong_chunks"], 0);
    assert_eq!(told["lanes"], plan["lanes"]);
}
