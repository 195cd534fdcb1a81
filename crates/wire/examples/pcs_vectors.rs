// SPDX-License-Identifier: Apache-2.0
//! Writes the vector files of `crates/wire/vectors/pcs`, for other implementations to be checked
//! against. Run with `cargo run -p ropewalk-wire --example pcs_vectors`; a test demands that
//! nothing changes.
//!
//! * `transmit.txt`: slots, and the rows that a transmitter makes of them.
//! * `receive.txt`: scrambled blocks, and the slots that a receiver makes of them.
//! * `codewords.txt`: the codewords that the FEC makes of the rows of `transmit.txt`.
//! * `corrected.txt`: the first ones of these with errors, as they go over and over again, and the
//!   rows that a receiver makes of them.

#[path = "common/numbers.rs"]
mod numbers;
#[path = "common/files.rs"]
pub mod store;

use numbers::Numbers;
use ropewalk_wire::pcs::{
    Block, Kind, Place, Row, Scrambler, Slot, Transmitter, decode, encode, fec,
};
use ropewalk_wire::rsfec::Symbol;
use std::fmt::Write as _;
use store::{Error, LICENCE};

#[allow(
    dead_code,
    reason = "the test that includes this file has its own entry"
)]
fn main() -> Result<(), Error> {
    store::write("pcs", files()?)
}

/// Names and contents of all files.
pub fn files() -> Result<Vec<(&'static str, String)>, Error> {
    Ok(vec![
        ("transmit.txt", transmit()?),
        ("receive.txt", receive()?),
        ("codewords.txt", codewords()?),
        ("corrected.txt", corrected()?),
    ])
}

/// Rows from markers to markers; short, so that there are two of them.
const PERIOD: usize = 24;
const SLOTS: usize = 50 * 20;

/// A number below `limit`.
fn below(numbers: &mut Numbers, limit: u64) -> u64 {
    numbers.top(32) % limit
}

/// Frames, gaps and ordered sets, with something wrong in them now and then.
struct Stream {
    numbers: Numbers,
    inside: bool,
}

impl Stream {
    fn next(&mut self) -> Slot {
        let numbers = &mut self.numbers;
        let mut slot = Slot {
            control: 0,
            data: (numbers.top(32) << 32 | numbers.top(32)).to_le_bytes(),
        };
        let choice = below(numbers, 8);
        if self.inside {
            if choice == 0 {
                let at = below(numbers, 8) as usize;
                slot.data[at] = 0xfd;
                slot.data[at + 1..].fill(0x07);
                slot.control = 0xff << at;
                self.inside = false;
                if at < 7 && below(numbers, 4) == 0 {
                    slot.data[7] = 0xfe;
                }
            }
        } else {
            match choice {
                0..3 => {
                    (slot.control, slot.data[0]) = (1, 0xfb);
                    self.inside = true;
                }
                3 | 4 => {
                    (slot.control, slot.data[0]) = (1, if choice == 3 { 0x9c } else { 0x5c });
                    slot.data[4..].fill(0);
                }
                _ => slot = Slot::IDLE,
            }
        }
        match below(numbers, 40) {
            0 => slot.control ^= 1 << below(numbers, 8),
            1 => slot.data[below(numbers, 8) as usize] ^= 1 << below(numbers, 8),
            2 => self.inside = !self.inside,
            3 => slot = Slot::ERROR,
            _ => {}
        }
        slot
    }
}

fn stream(seed: u64) -> Stream {
    Stream {
        numbers: Numbers(seed),
        inside: false,
    }
}

fn text_of(slot: Slot) -> String {
    format!(
        "{:02x} {:016x}",
        slot.control,
        u64::from_le_bytes(slot.data)
    )
}

fn blocks_of(row: &Row) -> String {
    let blocks: Vec<_> = row.iter().map(|block| format!("{block:017x}")).collect();
    blocks.join(" ")
}

/// Slots, and the rows of a transmitter.
fn sent() -> (Vec<Slot>, Vec<Row>) {
    let mut transmitter = Transmitter::new(PERIOD);
    let mut stream = stream(1);
    let mut rows = Vec::new();
    let slots: Vec<_> = (0..SLOTS).map(|_| stream.next()).collect();
    for &slot in &slots {
        transmitter.slot(slot, &mut rows);
    }
    (slots, rows)
}

fn transmit() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    writeln!(text, "# period {PERIOD}")?;
    text += "# slot: control, characters (the first one in the low byte)\n";
    text += "# row: a block of each lane, the first bit in the lowest place\n";
    let (slots, rows) = sent();
    for slot in slots {
        writeln!(text, "slot {}", text_of(slot))?;
    }
    for row in rows {
        writeln!(text, "row {}", blocks_of(&row))?;
    }
    Ok(text)
}

fn sent_codewords() -> Vec<Vec<Symbol>> {
    let mut transmitter = fec::Transmitter::new(PERIOD);
    let mut codewords = Vec::new();
    for row in sent().1 {
        transmitter.row(&row, &mut codewords);
    }
    codewords
}

fn symbols_of(codeword: &[Symbol]) -> String {
    codeword.iter().map(|s| format!("{s:03x}")).collect()
}

fn codewords() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    text += "# symbols, the first one on the line first; bit 0 of each is first\n";
    for codeword in sent_codewords() {
        writeln!(text, "{}", symbols_of(&codeword))?;
    }
    Ok(text)
}

/// Wrong symbols of each codeword of two periods.
const WRONG: [usize; 2 * PERIOD / fec::ROWS] = [0, 3, 7, 8, 0, 1, 7, 12, 9, 2, 0, 6];

fn corrected() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    text += "# codeword: as it arrives; row: a block of each lane, 0: the row is one of markers.\n";
    text += "# What was before the first row is what is behind the last one.\n";
    let mut numbers = Numbers(4);
    let mut codewords = sent_codewords();
    codewords.truncate(WRONG.len());
    for (codeword, wrong) in codewords.iter_mut().zip(WRONG) {
        let mut at: Vec<usize> = Vec::new();
        while at.len() < wrong {
            let place = below(&mut numbers, codeword.len() as u64) as usize;
            if !at.contains(&place) {
                at.push(place);
                codeword[place] ^= 1 + below(&mut numbers, 1023) as Symbol;
            }
        }
        writeln!(text, "codeword {}", symbols_of(codeword))?;
    }
    let limits = fec::Limits {
        period: PERIOD,
        ..fec::Limits::default()
    };
    let mut receiver = fec::Receiver::new(limits, fec::Mode::Correct);
    let mut rows = Vec::new();
    // Twice or more until the lanes are found.
    for _ in 0..4 {
        rows.clear();
        for codeword in &codewords {
            for (i, symbol) in codeword.iter().enumerate() {
                for bit in 0..10 {
                    receiver.bit(i % fec::FEC_LANES, symbol >> bit & 1 == 1, &mut rows);
                }
            }
        }
    }
    for (row, marker) in rows {
        writeln!(text, "row {} {}", u8::from(!marker), blocks_of(&row))?;
    }
    Ok(text)
}

/// A block of the stream, damaged now and then; any control block.
fn damaged(block: Block, numbers: &mut Numbers) -> Block {
    match below(numbers, 16) {
        0 => block ^ 1 << below(numbers, 66),
        1 => block ^ u128::from(below(numbers, 256)) << 2,
        2 => u128::from(numbers.top(32)) << 10 | block & 0x3ff,
        _ => block,
    }
}

fn receive() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    text += "# block, the first bit in the lowest place; control and characters of its slot. The state\n";
    text += "# of the descrambler is all ones before.\n";
    let mut slots = stream(2);
    let mut numbers = Numbers(3);
    let mut scrambler = Scrambler::default();
    let mut blocks: Vec<Block> = Vec::new();
    while blocks.len() < SLOTS {
        let (kind, block) = encode(slots.next());
        if kind != Kind::Error {
            blocks.push(damaged(block, &mut numbers));
        }
    }
    let mut place = Place::Outside;
    for (at, &block) in blocks.iter().enumerate() {
        let line = scrambler.scramble((block >> 2) as u64);
        let (mut kind, slot) = decode(block);
        let next = blocks.get(at + 1).map(|&block| decode(block).0);
        if kind == Kind::Terminate && !matches!(next, Some(Kind::Start | Kind::Control)) {
            kind = Kind::Error;
        }
        place = place.behind(kind);
        let slot = if place == Place::Failed {
            Slot::ERROR
        } else {
            slot
        };
        let line = u128::from(line) << 2 | block & 0b11;
        writeln!(text, "{line:017x} {}", text_of(slot))?;
    }
    Ok(text)
}
