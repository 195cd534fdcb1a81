// SPDX-License-Identifier: Apache-2.0
//! The committed vector files are what the models print today, they exercise what they are for, and
//! what prints them agrees with the frames of the published core.

#[path = "../examples/vectors.rs"]
mod vectors;

use ropewalk_testkit::golden::rifl;
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
fn columns_are_those_of_the_published_frames() {
    for row in [6, 8].into_iter().flat_map(rifl::frames) {
        let [plain, line] =
            [&row.plain, &row.line].map(|words| Frame::from_words(words).expect("four words"));
        let ours = vectors::columns(&plain, row.id, row.state, FrameWidth::W256);
        let ours: Vec<&str> = ours.split(' ').collect();
        // Kind, id, scrambler state, both frames; the others are parts of these.
        let (id, state) = (format!("{:03x}", row.id), format!("{:09x}", row.state));
        let (plain, line) = (format!("{plain:x}"), format!("{line:x}"));
        assert_eq!(
            [0, 1, 6, 7, 8].map(|place| ours[place]),
            [&row.kind, &id, &state, &plain, &line]
        );
    }
}
