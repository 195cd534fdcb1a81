// SPDX-License-Identifier: Apache-2.0
//! Writes the vector files of `crates/wire/vectors/line`, for other implementations to be checked
//! against. Run with `cargo run -p ropewalk-wire --example line_vectors`; a test demands that
//! nothing changes.
//!
//! * `encode.txt`: every character at both running disparities, its symbol and the disparity behind
//!   it.
//! * `decode.txt`: every word of ten bits at both disparities, what is wrong with it, its character
//!   and the disparity behind.
//! * `stripe.txt`: characters, and the words that they make over one, two and four lanes.

use ropewalk_wire::line::code::{Decoder, Encoder};
use ropewalk_wire::line::{Character, Disparity, Fault, Lanes, stripe};
use std::fmt::Write as _;
use std::path::Path;

/// Anything that goes wrong here.
pub type Error = Box<dyn std::error::Error>;

#[allow(
    dead_code,
    reason = "the test that includes this file has its own entry"
)]
fn main() -> Result<(), Error> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/line");
    for (name, text) in files()? {
        std::fs::write(folder.join(name), text)?;
        println!("{}", folder.join(name).display());
    }
    Ok(())
}

/// Names and contents of all files.
pub fn files() -> Result<Vec<(&'static str, String)>, Error> {
    Ok(vec![
        ("encode.txt", encode()?),
        ("decode.txt", decode()?),
        ("stripe.txt", stripes()?),
    ])
}

const LICENCE: &str = "# SPDX-License-Identifier: Apache-2.0\n";
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
