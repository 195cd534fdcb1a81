// SPDX-License-Identifier: Apache-2.0
//! The committed vector files are what the models print today, they exercise what they are for, and their
//! form is that of the vectors taken from the published core, row by row.

#[path = "../examples/vectors.rs"]
mod vectors;

use ropewalk_wire::rifl::FrameWidth;
use ropewalk_wire::rifl::frame::Frame;
use std::path::Path;

#[test]
fn committed_files_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    for (name, text) in vectors::files().expect("legal parameters") {
        let committed = std::fs::read_to_string(folder.join(name)).expect(name);
        assert!(
            committed == text,
            "{name} differs: cargo run -p ropewalk-wire --example vectors"
        );
    }
}

/// Values of a column over all rows of a file.
fn column(name: &str, place: usize) -> Vec<String> {
    let files = vectors::files().expect("legal parameters");
    let (_, text) = files
        .into_iter()
        .find(|file| file.0 == name)
        .expect("a known file");
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(' ').nth(place).expect("a column").to_owned())
        .collect()
}

#[test]
fn files_cover_what_they_are_for() {
    let states = column("transmitter_fw256_id6.txt", 2);
    let kinds = column("transmitter_fw256_id6.txt", 3);
    for state in 0..6 {
        assert!(states.contains(&state.to_string()), "state {state}");
    }
    for kind in [
        "INVALID", "DATA", "DATA_EOP", "FC_ON", "FC_OFF", "IDLE", "PAUSE", "RETRANS",
    ] {
        assert!(kinds.iter().any(|seen| seen == kind), "kind {kind}");
    }
    let flags = column("receiver_fw256_id6.txt", 8);
    for flag in 0..6 {
        let ever = |bit| flags.iter().any(|bits| bits.as_bytes()[flag] == bit);
        assert!(ever(b'0') && ever(b'1'), "flag {flag}");
    }
    assert!(
        column("receiver_fw256_id6.txt", 9)
            .iter()
            .filter(|s| *s != "-")
            .count()
            > 100
    );
}

#[test]
fn rows_have_the_form_of_the_published_vectors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors/rifl");
    for name in ["frames_fw256_id6.txt", "frames_fw256_id8.txt"] {
        let text = match std::fs::read_to_string(folder.join(name)) {
            Ok(text) => text,
            Err(error) => {
                println!("skipped: ../shared/vectors/rifl/{name}: {error}");
                return;
            }
        };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let number = |text: &str| u64::from_str_radix(text, 16).expect("hexadecimal");
            let words: Vec<u64> = (0..4)
                .map(|i| number(&columns[9][16 * i..16 * (i + 1)]))
                .collect();
            let plain = Frame::from_words(&words).expect("four words");
            let id = number(columns[3]) as u16;
            let ours = vectors::columns(&plain, id, number(columns[8]), FrameWidth::W256);
            assert_eq!(ours, columns[2..].join(" "));
        }
    }
}
