// SPDX-License-Identifier: Apache-2.0
//! The committed vector files are what the models print today, and they exercise what they are for.

#[path = "../examples/htsp_vectors.rs"]
mod vectors;

use std::path::Path;

fn files() -> Vec<(String, String)> {
    vectors::files().expect("every set and every case runs")
}

#[test]
fn committed_files_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/htsp");
    let mut names = Vec::new();
    for (name, text) in files() {
        let committed = std::fs::read_to_string(folder.join(&name)).expect(&name);
        assert!(
            committed == text,
            "{name} differs: cargo run -p ropewalk-wire --example htsp_vectors"
        );
        names.push(name);
    }
    for entry in std::fs::read_dir(&folder).expect("the folder of vectors") {
        let name = entry.expect("an entry").file_name();
        assert!(
            names.iter().any(|known| **known == *name),
            "{name:?} is printed by nobody"
        );
    }
}

#[test]
fn every_kind_of_row_and_every_counter_occurs() {
    let all: String = files().into_iter().map(|(_, text)| text).collect();
    let occurs = |start: &str| all.lines().any(|line| line.starts_with(start));
    for row in [
        "push ",
        "push_error ",
        "push_part ",
        "push_rest ",
        "pause ",
        "peer ",
        "link ",
        "opcode ",
        "user ",
        "disabled ",
        "ignore_flow ",
        "timer",
        "stall",
        "cut ",
        "frame ",
        "rx 0 ",
        "rx 1 ",
        "wait ",
        "phy ",
        "data ",
        "up",
        "down silent",
        "down phy",
        "ready ",
        "remote ",
        "lost ",
        "stale ",
        "orphan ",
    ] {
        assert!(occurs(row), "{row}");
    }
    for counter in [
        "good",
        "foreign",
        "version",
        "checksum",
        "damaged",
        "malformed",
        "unknown_channel",
        "lost",
        "stale",
        "opcodes",
        "ups",
        "downs_silent",
        "downs_phy",
        "frames0",
        "bytes0",
        "errors0",
        "orphans0",
    ] {
        assert!(occurs(&format!("count {counter} ")), "{counter}");
    }
}
