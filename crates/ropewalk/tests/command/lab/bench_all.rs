// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench`: every table and figure of the papers in one run, which can be interrupted, and
//! what differs between two.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use super::browser;
use crate::common::{Run, run_in};

/// A quick run of everything, and what it was asked with.
struct Whole {
    folder: TempDir,
    seed: String,
    result: Value,
}

/// One run for all tests that look at it.
fn whole() -> &'static Whole {
    static WHOLE: OnceLock<Whole> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let seed = crate::common::seed().to_string();
        let run = bench(folder.path(), &["--seed", &seed]);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert_eq!(run.stderr.matches(" measured, ").count(), 6, "{run:?}");
        Whole {
            folder,
            seed,
            result: serde_json::from_str(&run.stdout).unwrap(),
        }
    })
}

fn bench(folder: &Path, args: &[&str]) -> Run {
    let all = ["bench", "--quick", "--json", "--keep", "kept"];
    run_in(folder, &[&all[..], args].concat())
}

/// What `ropewalk bench CORE --quick --json` prints, and the page of the whole; every byte was
/// right.
pub fn core(name: &str) -> (Value, String) {
    let whole = whole();
    let bench = whole.result["results"][name].clone();
    assert_eq!(bench["ok"], true, "{name}");
    let page = whole.folder.path().join("kept/index.html");
    (bench, fs::read_to_string(page).unwrap())
}

#[test]
fn every_table_and_figure_is_there() {
    let whole = whole();
    assert_eq!(whole.result["ok"], true);
    let papers = whole.result["papers"].as_array().unwrap();
    let count = |paper: &Value| paper["exhibits"].as_array().unwrap().len();
    assert_eq!(
        papers.iter().map(count).collect::<Vec<_>>(),
        [14, 12, 11, 26, 14]
    );
    for exhibit in papers
        .iter()
        .flat_map(|paper| paper["exhibits"].as_array().unwrap())
    {
        let shown = !exhibit["shown_by"].as_array().unwrap().is_empty();
        assert!(shown || exhibit["instead"].is_string(), "{exhibit:#}");
    }
    let (_, html) = core("rifl");
    browser::assert_fits(
        &html,
        &[
            "rifl-latency",
            "rifl-goodput",
            "rifl-lost",
            "rifl-mean",
            "htsp-bandwidth",
            "htsp-latency",
            "slink-bandwidth",
            "rdma-throughput",
            "chunk-loss",
            "network-scaling",
        ],
    );
}

#[test]
fn a_run_goes_on_where_it_was_interrupted() {
    let whole = whole();
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    fs::create_dir(&kept).unwrap();
    for entry in fs::read_dir(whole.folder.path().join("kept")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), kept.join(entry.file_name())).unwrap();
    }
    fs::rename(kept.join("bench.json"), folder.path().join("old.json")).unwrap();
    // One that was never begun, and one of which the disk has kept a part.
    fs::remove_file(kept.join("network.json")).unwrap();
    let text = fs::read(kept.join("rdma.json")).unwrap();
    fs::write(kept.join("rdma.json"), &text[..text.len() / 2]).unwrap();

    let run = bench(folder.path(), &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(run.stderr.matches(" kept, ").count(), 4, "{run:?}");
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    // Without --seed it is the one of what is kept.
    assert_eq!(found["seed"].to_string(), whole.seed);
    let compare = |new: &str| {
        run_in(
            folder.path(),
            &["bench", "--json", "--compare", "old.json", new],
        )
    };
    let run = compare("kept/bench.json");
    assert_eq!(run.status, Some(0), "{run:?}");
    let said: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(said["differences"], serde_json::json!([]));
    assert!(said["same"].as_u64().unwrap() > 1000, "{said:#}");

    // A figure that has changed is named.
    let text = fs::read_to_string(folder.path().join("old.json")).unwrap();
    let mut other: Value = serde_json::from_str(&text).unwrap();
    other["results"]["htsp"]["sizes"][0]["latency_min"] = 9.into();
    fs::write(folder.path().join("new.json"), other.to_string()).unwrap();
    let run = compare("new.json");
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(run.stdout.contains("sizes[0: bytes 64"), "{run:?}");
    assert!(run.stdout.contains("].latency_min"), "{run:?}");
    // Another length cannot be compared.
    other["effort"] = "full".into();
    fs::write(folder.path().join("new.json"), other.to_string()).unwrap();
    let run = compare("new.json");
    assert_eq!(run.status, Some(3), "{run:?}");
    for part in ["effort", "quick", "full", "accepted"] {
        assert!(run.stderr.contains(part), "{part}: {run:?}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_known_before() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("kept"), "a file").unwrap();
    let run = bench(folder.path(), &[]);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(run.stderr.contains("kept is not a directory"), "{run:?}");
    assert!(!run.stderr.contains("measured"), "{run:?}");
}
