// SPDX-License-Identifier: Apache-2.0
//! HTSP: runs of the transmitter and of the receiver.

use super::{bytes, decimal, hex, rows};
use std::collections::BTreeMap;

/// Bytes in the notation of the files.
fn unpacked(text: &str) -> Vec<u8> {
    let part = |part: &str| -> Vec<u8> {
        if let Some((value, count)) = part.split_once('*') {
            vec![hex(value) as u8; decimal(count) as usize]
        } else if let Some((first, count)) = part.split_once('+') {
            (0..decimal(count))
                .map(|i| (hex(first) + i) as u8)
                .collect()
        } else {
            bytes(part)
        }
    };
    match text {
        "-" => Vec::new(),
        _ => text.split(',').flat_map(part).collect(),
    }
}

/// Frames that the published transmitter sent in a run, but for one that the end of the recording
/// cuts.
///
/// # Panics
/// As the module says.
pub fn sent(run: &str) -> Vec<Vec<u8>> {
    let rows = rows(&format!("htsp/{run}.txt"));
    let sent = rows.iter().filter(|row| row[1] == "out");
    sent.map(|row| unpacked(&row[2])).collect()
}

/// What a receiver was given.
#[derive(Debug, Clone)]
pub enum Given {
    /// Whether the line is up.
    Phy(bool),
    /// A frame, and TUSER of its last beat.
    Frame(Vec<u8>, u128),
    /// What came of a frame before the line was lost.
    Cut(Vec<u8>),
}

/// A user frame that a receiver delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// Its channel.
    pub channel: u8,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether its first beat was marked as that.
    pub start: bool,
    /// Whether its last beat was marked as damaged.
    pub error: bool,
}

/// A run of the published receiver.
#[derive(Debug, Clone, Default)]
pub struct Received {
    /// What it was given, and the cycle of the first beat.
    pub given: Vec<(u64, Given)>,
    /// User frames, in the order of their ends; those that never ended come last.
    pub frames: Vec<Delivered>,
    /// Names and values of outputs, in the order in which they changed.
    pub status: Vec<(String, u128)>,
}

/// A run of the receiver.
///
/// # Panics
/// As the module says.
pub fn received(run: &str) -> Received {
    let mut all = Received::default();
    let mut open: BTreeMap<u8, Delivered> = BTreeMap::new();
    for row in rows(&format!("htsp/{run}.txt")) {
        let row: Vec<&str> = row.iter().map(String::as_str).collect();
        let cycle = decimal(row[0]);
        match row[1..] {
            ["note", ..] => (),
            ["phy", flag] => all.given.push((cycle, Given::Phy(flag == "1"))),
            ["cut", frame] => all.given.push((cycle, Given::Cut(unpacked(frame)))),
            ["in", frame, ref user @ ..] => {
                let user = user.first().map_or(0, |user| assigned(user).1);
                all.given.push((cycle, Given::Frame(unpacked(frame), user)));
            }
            ["out", channel, start, end, part] => {
                let channel = decimal(channel) as u8;
                let mut frame = open.remove(&channel).unwrap_or(Delivered {
                    channel,
                    bytes: Vec::new(),
                    start: start == "start",
                    error: false,
                });
                frame.bytes.extend(unpacked(part));
                frame.error = end == "error";
                if end == "open" {
                    open.insert(channel, frame);
                } else {
                    all.frames.push(frame);
                }
            }
            ["status", ref changes @ ..] => {
                all.status.extend(changes.iter().map(|it| assigned(it)))
            }
            _ => panic!("{run}: {row:?}"),
        }
    }
    all.frames.extend(open.into_values());
    all
}

/// A name and its value.
fn assigned(text: &str) -> (String, u128) {
    let (name, value) = text.split_once('=').expect("NAME=VALUE");
    let value = u128::from_str_radix(value, 16).expect("a hexadecimal value");
    (name.to_owned(), value)
}
