// SPDX-License-Identifier: Apache-2.0
//! The example, on every kind of device; for hardware stands a file, and a thread that answers as
//! an engine would.

#[path = "../examples/broadcast.rs"]
#[allow(dead_code)]
mod broadcast;

use ropewalk_rdma::regs;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

#[test]
fn software() {
    broadcast::software().unwrap();
}

#[test]
fn simulated() {
    broadcast::simulated().unwrap();
}

const PORT: u64 = 0x2000;
const MEMORY: u64 = 0x6000;

fn put(file: &File, at: u64, value: u32) {
    file.write_all_at(&value.to_le_bytes(), at).unwrap();
}

/// Ends every transfer of page 0 of an engine with two pages, once its descriptor is whole.
fn answer(file: &File) {
    let mut states = [0; 16];
    let mut left = 64;
    while left > 0 {
        for channel in 0..64 {
            let state = &mut states[channel / 4];
            let done = 2 << (channel % 4 * 2);
            let mut line = [0; 32];
            file.read_exact_at(&mut line, PORT + 32 * channel as u64)
                .unwrap();
            let word = |i: usize| u64::from_le_bytes(line[8 * i..8 * i + 8].try_into().unwrap());
            // Size, destination and source are there, one after the other.
            if word(0) == 0 || word(1) == 0 || word(2) == 0 || *state & done != 0 {
                continue;
            }
            assert_eq!(word(0), 1 << 36 | 4096);
            assert_eq!(word(2), 0x5000_0000);
            *state |= done;
            left -= 1;
        }
        file.write_all_at(&states, PORT + 0x2400).unwrap();
        std::thread::yield_now();
    }
}

#[test]
fn mapped() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broadcast");
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(true);
    let file = options.open(&path).unwrap();
    file.set_len(0x8000).unwrap();
    for (register, value) in [
        (regs::MAGIC, regs::MAGIC.reset()),
        (regs::VERSION, regs::VERSION.reset()),
        (regs::PARAMETERS, 0x0402_1002),
        (regs::STATUS, 1),
    ] {
        put(&file, register.offset.into(), value as u32);
    }
    let at = |place: u64| format!("{}@{place:#x}", path.display());
    let (port, memory) = (at(PORT), at(MEMORY));
    let arguments = [
        &at(0),
        &port,
        "2",
        &memory,
        "0x1000",
        "0x50000000",
        "1",
        "64",
    ];
    std::thread::scope(|scope| {
        scope.spawn(|| answer(&file));
        broadcast::mapped(&arguments.map(str::to_owned)).unwrap();
    });
    let mut copy = [0; 4096];
    file.read_exact_at(&mut copy, MEMORY).unwrap();
    assert!(
        copy.iter()
            .enumerate()
            .all(|(i, &byte)| byte == ((i * 31) >> 3) as u8)
    );
}
