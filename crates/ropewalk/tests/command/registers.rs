// SPDX-License-Identifier: Apache-2.0
//! `stat registers`: every map by its names, out of a file in place of a bus.

use std::path::Path;

use ropewalk_wire::regs::{Access, Map, Register};
use ropewalk_wire::{htsp, pcs, rdma, rifl, slink, switch, traffic};
use serde_json::Value;

use crate::common::{Run, run_in};

const BASE: usize = 0x3000;
const FILE: &str = "bus";

/// Words of a core as after a reset, somewhere in a file.
fn fresh(folder: &Path, map: &Map) -> Vec<u8> {
    let mut bytes = vec![0; BASE + map.size as usize];
    for (_, register) in map.registers.iter().flat_map(Register::elements) {
        let length = register.width as usize / 8;
        let at = BASE + register.offset as usize;
        bytes[at..at + length].copy_from_slice(&register.reset().to_le_bytes()[..length]);
    }
    std::fs::write(folder.join(FILE), &bytes).expect("written");
    bytes
}

fn stat(folder: &Path, more: &[&str]) -> Run {
    run_in(
        folder,
        &[&["stat", "registers", FILE, "--base", "0x3000"], more].concat(),
    )
}

fn parsed(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

#[test]
fn every_map_is_known_and_every_field_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let maps = [
        &htsp::regs::MAP,
        &pcs::regs::MAP,
        &rdma::regs::MAP,
        &rifl::regs::MAP,
        &slink::regs::MAP,
        &switch::regs::MAP,
        &traffic::regs::MAP,
    ];
    for map in maps {
        fresh(folder.path(), map);
        let run = stat(folder.path(), &["--json"]);
        assert_eq!(run.status, Some(0), "{run:?}");
        let report = parsed(&run);
        assert_eq!(report["core"], map.name);
        assert_eq!(report["base"], BASE);
        let all = map.registers.iter().flat_map(Register::elements);
        for (name, register) in all.filter(|(_, it)| it.access != Access::WriteOnly) {
            for field in register.fields {
                let shown = &report["registers"][&name][field.name];
                match field.name_of(field.reset) {
                    Some(text) => assert_eq!(shown, text, "{name}.{}", field.name),
                    None => assert_eq!(shown, field.reset, "{name}.{}", field.name),
                }
            }
        }
    }
}

#[test]
fn elements_values_and_silence_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bytes = fresh(folder.path(), &pcs::regs::MAP);
    let mut word = |offset: usize, value: u64| {
        bytes[BASE + offset..][..8].copy_from_slice(&value.to_le_bytes());
    };
    word(0x1000, 3 | 7 << 8 | 1 << 16 | 8 << 24);
    word(0x1118, 12 | 1 << 8 | 1 << 16);
    word(0x1010, u64::MAX);
    std::fs::write(folder.path().join(FILE), &bytes).expect("written");
    let run = stat(
        folder.path(),
        &["--json", "--only", "observe.state", "--only", "lane[3]"],
    );
    let report = parsed(&run);
    let registers = report["registers"].as_object().expect("an object");
    assert_eq!(registers.len(), 2, "{report:#}");
    let state = &registers["observe.state"];
    assert_eq!(
        (&state["state"], &state["lane"]),
        (&"same_number".into(), &7.into())
    );
    assert_eq!(state["down_state"], "high_ber");
    assert_eq!(registers["observe.lane[3]"]["lane_number"], 12);
    let run = stat(folder.path(), &["--json", "--only", "downs"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    assert_eq!(parsed(&run)["registers"]["observe.downs"], Value::Null);
    let run = stat(folder.path(), &[]);
    assert_eq!(run.status, Some(1), "{run:?}");
    for text in ["pcs core", "no answer", "same_number", "observe.lane[19]"] {
        assert!(run.stdout.contains(text), "{text}: {run:?}");
    }
}

#[test]
fn fields_are_set_and_nothing_else_acts() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bytes = fresh(folder.path(), &pcs::regs::MAP);
    // Events that are set, and enabled ones.
    bytes[BASE + 0x20] = 0xf;
    bytes[BASE + 0x24] = 0x2;
    std::fs::write(folder.path().join(FILE), &bytes).expect("written");
    let set = [
        "--set",
        "control.mode=bypass_correction",
        "--set",
        "events.down=1",
        "--set",
        "event_enable.uncorrectable=0x1",
    ];
    let run = stat(folder.path(), &[&set[..], &["--only", "magic"]].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    let after = std::fs::read(folder.path().join(FILE)).expect("read");
    // Other fields of the register stay as they are.
    let other = pcs::regs::CONTROL.reset() as u8;
    assert_eq!(after[BASE + 0x10], 2 | other);
    // One clears: only the event that was named is written.
    assert_eq!(after[BASE + 0x20], 2);
    assert_eq!(after[BASE + 0x24], 6);
    // An action goes with the settings of its register, and the other way round.
    let run = stat(
        folder.path(),
        &["--set", "control.clear=1", "--only", "magic"],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let after = std::fs::read(folder.path().join(FILE)).expect("read");
    assert_eq!(after[BASE + 0x10..][..2], [2 | other, 1]);
}

#[test]
fn what_cannot_be_is_refused_with_what_is_accepted() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = fresh(folder.path(), &pcs::regs::MAP);
    for (more, text) in [
        (
            &["--set", "nothing.mode=1"][..],
            "accepted: control, events, event_enable",
        ),
        (
            &["--set", "control.speed=1"],
            "accepted fields: mode, fec, clear",
        ),
        (&["--set", "build.fec=1"], "can only be read"),
        (&["--set", "control.mode=4"], "accepted are 0 to 3"),
        (
            &["--set", "control.mode=fast"],
            "0 to 3, correct, bypass_indication",
        ),
        (&["--set", "control.clear"], "REGISTER.FIELD=VALUE"),
        (&["--only", "nowhere"], "no register of a pcs core"),
        (&["--every", "1s", "--json"], "cannot be used with"),
    ] {
        let run = stat(folder.path(), more);
        assert_eq!(run.status, Some(3), "{run:?}");
        assert!(run.stderr.contains(text), "{text}: {run:?}");
    }
    assert_eq!(
        std::fs::read(folder.path().join(FILE)).expect("read"),
        before
    );
    let mut other = before.clone();
    other[BASE + 7] = 2;
    std::fs::write(folder.path().join(FILE), &other).expect("written");
    let run = stat(folder.path(), &[]);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(
        run.stderr
            .contains("version 2 of the registers of pcs; accepted: 1"),
        "{run:?}"
    );
    other[BASE] = 0;
    std::fs::write(folder.path().join(FILE), &other).expect("written");
    let run = stat(folder.path(), &[]);
    assert!(run.stderr.contains("accepted: htsp, pcs, rdma"), "{run:?}");
}

#[test]
fn changes_are_shown_until_it_is_interrupted() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::fs::FileExt;
    use std::process::Stdio;

    let folder = tempfile::tempdir().expect("a folder");
    fresh(folder.path(), &pcs::regs::MAP);
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(folder.path().join(FILE));
    let file = file.expect("opened");
    let mut command = crate::common::ropewalk();
    let args = [
        "stat",
        "registers",
        FILE,
        "--base",
        "0x3000",
        "--every",
        "50ms",
    ];
    let command = command
        .current_dir(folder.path())
        .args(args)
        .stdout(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut count = 0u64;
    // A counter that grows with each line: its change has to come, with its name.
    let found = lines.any(|line| {
        count += 1_000_000;
        file.write_all_at(&count.to_le_bytes(), (BASE + 0x1300) as u64)
            .expect("written");
        let line = line.expect("read");
        line.contains("observe.corrected") && line.contains(" M")
    });
    assert!(found);
    child.kill().expect("killed");
    child.wait().expect("gone");
}
