// SPDX-License-Identifier: Apache-2.0
//! Traffic for the player in hardware, and what its capture has recorded: the same CSV that the
//! simulator plays ([`crate::script`]), as beats and as writes of registers.

pub mod core;

use std::fmt::Write as _;
use std::path::Path;

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_sim::rifl::{Due, PacketSource};
use ropewalk_wire::traffic::regs;

use crate::script::{self, Script};

/// A beat of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beat {
    /// Its bytes, from byte 0 on.
    pub data: Vec<u8>,
    /// The packet ends with it.
    pub last: bool,
    /// To be played: when it is due. Recorded: the low half of the clock when it was taken.
    pub cycles: u32,
    /// `cycles` is a cycle of the run and not a wait.
    pub at: bool,
    /// The packet was aborted.
    pub mark: bool,
}

/// The beats of one direction of a CSV file, for a stream of `width` bytes.
///
/// # Errors
/// The file is refused ([`script::read`]), has nothing in this direction, or a time that does not
/// fit into the memory of the player.
pub fn read(path: &Path, width: usize, direction: usize) -> Result<Vec<Beat>, Failure> {
    let scripts = script::read(path, width)?;
    let mut script = scripts[direction].clone();
    if script.is_empty() {
        let name = ["ab", "ba"][direction];
        return Err(Failure::BadInput(format!(
            "{} has no packet in direction {name}; accepted: a direction with packets",
            path.display()
        )));
    }
    beats(&mut script, width).map_err(|cycles| {
        Failure::BadInput(format!(
            "{}: {cycles} cycles; accepted in hardware: 0 to {} cycles",
            path.display(),
            u32::MAX
        ))
    })
}

/// The beats of a script; the number of cycles that is too large.
fn beats(script: &mut Script, width: usize) -> Result<Vec<Beat>, u64> {
    let (mut packet, mut beats) = (Vec::new(), Vec::new());
    while script.next_packet(&mut packet) {
        let count = packet.len().div_ceil(width);
        for (k, data) in packet.chunks(width).enumerate() {
            let (cycles, at) = match script.due(k * width) {
                Due::After(cycles) => (cycles, false),
                Due::At(cycle) => (cycle, true),
            };
            beats.push(Beat {
                data: data.to_vec(),
                last: k + 1 == count,
                cycles: u32::try_from(cycles).map_err(|_| cycles)?,
                at,
                mark: false,
            });
        }
    }
    Ok(beats)
}

/// What a list of beats is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// That of the player.
    Play,
    /// That of the capture: what has to arrive.
    Expect,
}

/// A write of a register: address, value.
pub type Order = (u32, u32);

/// The writes that load a memory with beats, for a stream of `width` bytes.
#[must_use]
pub fn load(memory: Memory, beats: &[Beat], width: usize) -> Vec<Order> {
    let (action, head) = match memory {
        Memory::Play => (regs::PLAY, regs::PLAY_BEAT),
        Memory::Expect => (regs::CAPTURE, regs::EXPECTED),
    };
    // The fields of both heads and of both actions lie in the same bits.
    let flag = regs::play_beat::AT.mask();
    let last = regs::play_beat::LAST.mask();
    let mut orders = vec![(action.offset, regs::play::LOAD.mask() as u32)];
    for beat in beats {
        let mut data = beat.data.clone();
        data.resize(width.next_multiple_of(4), 0);
        for word in data.chunks_exact(4) {
            let word = word.try_into().map_or(0, u32::from_le_bytes);
            orders.push((regs::WORD.offset, word));
        }
        let flagged = match memory {
            Memory::Play => beat.at,
            Memory::Expect => beat.mark,
        };
        let bits = (u64::from(beat.last) * last) | (u64::from(flagged) * flag);
        orders.push((regs::CYCLES.offset, beat.cycles));
        orders.push((head.offset, beat.data.len() as u32 | bits as u32));
    }
    orders
}

/// The writes that begin to play or to compare, `runs` times the memory; 0: without end.
#[must_use]
pub fn start(memory: Memory, runs: u32) -> Vec<Order> {
    match memory {
        Memory::Play => vec![
            (regs::PLAY_RUNS.offset, runs),
            (regs::PLAY.offset, regs::play::START.mask() as u32),
        ],
        Memory::Expect => vec![
            (regs::EXPECT_RUNS.offset, runs),
            (regs::CAPTURE.offset, regs::capture::COMPARE.mask() as u32),
        ],
    }
}

/// Writes as text: address and value in a line each.
#[must_use]
pub fn text(orders: &[Order]) -> String {
    orders
        .iter()
        .fold(String::new(), |mut text, (address, value)| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{address:#05x} {value:#010x}");
            text
        })
}

/// A recording as a CSV file that can be played: `cycle` counts from `zero`, in the low half of the
/// clock. What a row cannot say stands in a comment.
#[must_use]
pub fn csv(beats: &[Beat], zero: u32) -> String {
    let mut rows: Vec<String> = Vec::new();
    // The clock is shown modulo 2^32: beats are in order, and less than that apart.
    let (mut cycle, mut before) = (0u64, zero);
    let mut open = false;
    for beat in beats {
        cycle += u64::from(beat.cycles.wrapping_sub(before));
        before = beat.cycles;
        if beat.data.is_empty() {
            // A row without bytes is an idle one: the end belongs to the row before.
            let ended = rows.last_mut().filter(|_| open).and_then(|row| {
                let body = row.strip_suffix(",0")?;
                Some((format!("{body},1"), row))
            });
            if let Some((whole, row)) = ended {
                *row = whole;
            }
            rows.push(format!(
                "# a beat without bytes ended a packet in cycle {cycle}"
            ));
        } else {
            let bytes = format::hex(&beat.data);
            rows.push(format!("{cycle},{bytes},{}", u8::from(beat.last)));
        }
        if beat.mark {
            rows.push("# the packet above was aborted".to_owned());
        }
        open = !beat.last;
    }
    if open {
        rows.push("# the recording ends within a packet".to_owned());
    }
    format!("cycle,bytes,last\n{}\n", rows.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of the checkout.
    fn checkout(name: &str) -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(name)
    }

    #[test]
    fn the_file_of_the_user_guide_becomes_the_writes_that_the_testbench_plays() {
        let text_of = |name| std::fs::read_to_string(checkout(name)).unwrap();
        let path = checkout("cores/traffic/tb/guide.csv");
        let guide = text_of("docs/src/user-guide.md");
        let file = text_of("cores/traffic/tb/guide.csv");
        assert!(guide.contains(&file), "the user guide shows another file");
        let beats = read(&path, 32, 0).unwrap();
        let mut orders = load(Memory::Play, &beats, 32);
        orders.extend(start(Memory::Play, 1));
        assert_eq!(text(&orders), text_of("cores/traffic/tb/guide_orders.txt"));
    }

    fn beat(data: &[u8], last: bool, cycles: u32) -> Beat {
        Beat {
            data: data.to_vec(),
            last,
            cycles,
            ..Beat::default()
        }
    }

    #[test]
    fn a_recording_can_be_played() {
        let beats = [
            beat(&[1, 2, 3, 4], false, u32::MAX),
            beat(&[5], true, 3),
            beat(&[6, 7, 8, 9], false, 4),
            beat(&[], true, 9),
            Beat {
                mark: true,
                ..beat(&[10], true, 10)
            },
        ];
        let text = csv(&beats, u32::MAX - 1);
        let rows = [
            "cycle,bytes,last",
            "1,01020304,0",
            "5,05,1",
            "6,06070809,1",
            "# a beat without bytes ended a packet in cycle 11",
            "12,0a,1",
            "# the packet above was aborted",
            "",
        ];
        assert_eq!(text, rows.join("\n"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recorded.csv");
        std::fs::write(&path, text).unwrap();
        let played = read(&path, 4, 0).unwrap();
        let of = |beats: &[Beat]| -> Vec<_> {
            beats.iter().map(|b| (b.data.clone(), b.cycles)).collect()
        };
        let wanted = [
            (vec![1, 2, 3, 4], 1),
            (vec![5], 5),
            (vec![6, 7, 8, 9], 6),
            (vec![10], 12),
        ];
        assert_eq!(of(&played), wanted);
        assert!(played.iter().all(|beat| beat.at));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let refused = |text: &str, direction| {
            std::fs::write(&path, text).unwrap();
            read(&path, 4, direction).unwrap_err().to_string()
        };
        let line = refused("bytes,wait\n00,4294967296\n", 0);
        assert!(
            line.contains("4294967296 cycles; accepted in hardware: 0 to 4294967295"),
            "{line}"
        );
        assert!(refused("bytes\n00\n", 1).contains("no packet in direction ba"));
        assert!(refused("bytes\nzz\n", 0).contains("hexadecimal"));
    }
}
