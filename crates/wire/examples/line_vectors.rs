// SPDX-License-Identifier: Apache-2.0
//! Writes the vector files of `crates/wire/vectors/line`, for other implementations to be checked
//! against. Run with `cargo run -p ropewalk-wire --example line_vectors`; a test demands that
//! nothing changes.
//!
//! * `encode.txt`: every character at both running disparities, its symbol and the disparity behind
//!   it.
//! * `decode.txt`: every word of ten bits at both disparities, what is wrong with it, its character
//!   and the disparity behind.
//! * `blocks.txt`: four words and the block that they are in 64b/66b, not scrambled; some that are
//!   none.
//! * `stripe.txt`: characters, and the words that they make over one, two and four lanes.

#[path = "common/files.rs"]
pub mod store;

use ropewalk_wire::line::blocks::{self, Word};
use ropewalk_wire::line::code::{Decoder, Encoder};
use ropewalk_wire::line::{Character, Disparity, Fault, Lanes, stripe};
use std::fmt::Write as _;
use store::{Error, LICENCE};

#[allow(
    dead_code,
    reason = "the test that includes this file has its own entry"
)]
fn main() -> Result<(), Error> {
    store::write("line", files()?)
}

/// Names and contents of all files.
pub fn files() -> Result<Vec<(&'static str, String)>, Error> {
    Ok(vec![
        ("encode.txt", encode()?),
        ("decode.txt", decode()?),
        ("blocks.txt", blocks()?),
        ("stripe.txt", stripes()?),
    ])
}

const BOTH: [Disparity; 2] = [Disparity::Negative, Disparity::Positive];

const fn sign(rd: Disparity) -> char {
    match rd {
        Disparity::Negative => '-',
        Disparity::Positive => '+',
    }
}

fn name(character: Character) -> String {
    let kind = if character.is_control() { 'K' } else { 'D' };
    format!("{kind}{:02x}", character.byte())
}

fn blocks() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    text += "# header and payload (bit 0 is sent first), the four words: K and kind, or data; -: none\n";
    let row = |text: &mut String, header: u8, payload: u64| {
        let words = blocks::decode(header, payload).map(|word| match word {
            Some(Word::Data(value)) => format!("{value:04x}"),
            Some(Word::Control(kind)) => format!("K{kind:x}"),
            None => "-".to_owned(),
        });
        writeln!(text, "{header:x} {payload:016x} {}", words.join(" "))
    };
    let mut number = 0x9e37_79b9_7f4a_7c15_u64;
    for kinds in 0..16_u8 {
        for _ in 0..8 {
            let mut places = 0..;
            let words = [(); blocks::WORDS].map(|()| {
                number = number.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
                let value = (number >> 40) as u16;
                match kinds >> places.next().unwrap_or(0) & 1 {
                    0 => Word::Data(value),
                    _ => Word::Control(value as u8 & 15),
                }
            });
            let (header, payload) = blocks::encode(words);
            row(&mut text, header, payload)?;
            // A wrong bit, of the header or of the payload.
            let wrong = (number >> 32) % 66;
            let header = header ^ (1_u8.checked_shl(wrong as u32).unwrap_or(0) & 3);
            let payload = payload ^ wrong.checked_sub(2).map_or(0, |bit| 1 << bit);
            row(&mut text, header, payload)?;
        }
    }
    Ok(text)
}

fn encode() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    text += "# disparity, character, symbol (bit 0 is sent first), disparity behind it\n";
    for character in Character::all() {
        for rd in BOTH {
            let mut tx = Encoder::with_disparity(rd);
            let word = tx.encode(character);
            writeln!(
                text,
                "{} {} {word:03x} {}",
                sign(rd),
                name(character),
                sign(tx.disparity())
            )?;
        }
    }
    Ok(text)
}

fn decode() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    text += "# disparity, word (bit 0 came first), character, fault, disparity behind it\n";
    for rd in BOTH {
        for word in 0..1024 {
            let mut rx = Decoder::with_disparity(rd);
            let (character, fault) = rx.decode(word);
            let fault = match fault {
                None => "ok",
                Some(Fault::Code) => "code",
                Some(Fault::Disparity) => "disparity",
            };
            writeln!(
                text,
                "{} {word:03x} {} {fault} {}",
                sign(rd),
                name(character),
                sign(rx.disparity())
            )?;
        }
    }
    Ok(text)
}

fn stripes() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    text += "# lanes in use, characters, words: the characters of lanes 0 to 3, first ones first\n";
    let idle = Character::control_or_panic(0x7c);
    for lanes in Lanes::ALL {
        for length in [1, 2, 3, 4, 7, 8, 9, 16, 29] {
            let characters: Vec<Character> = (0..length)
                .map(|i| match i {
                    0 => Character::control_or_panic(0xfb),
                    _ => Character::data(0x10 + i),
                })
                .collect();
            write!(text, "{} {}", lanes.count(), names(&characters))?;
            for word in stripe::deal(&characters, lanes, idle) {
                let lanes: Vec<String> = word.iter().map(|lane| names(lane)).collect();
                write!(text, " {}", lanes.join("|"))?;
            }
            text.push('\n');
        }
    }
    Ok(text)
}

fn names(characters: &[Character]) -> String {
    let names: Vec<String> = characters.iter().copied().map(name).collect();
    names.join(",")
}
