// SPDX-License-Identifier: Apache-2.0
//! Writes the vector files of `crates/wire/vectors/rifl_fec`, for other implementations to be
//! checked against. Run with `cargo run -p ropewalk-wire --example rifl_fec_vectors`; a test
//! demands that nothing changes.
//!
//! * `transmit.txt`: words of RIFL, and the words of the line that a transmitter makes of them.
//! * `receive.txt`: words of the line, and what a receiver makes of each.

#[path = "common/numbers.rs"]
mod numbers;
#[path = "common/files.rs"]
pub mod store;

use numbers::Numbers;
use ropewalk_wire::rifl::fec::{
    CODE, Limits, MARKER, PAYLOAD, Receiver, State, Transmitter, WORDS,
};
use std::fmt::Write as _;
use store::{Error, LICENCE};

#[allow(
    dead_code,
    reason = "the test that includes this file has its own entry"
)]
fn main() -> Result<(), Error> {
    store::write("rifl_fec", files()?)
}

/// Names and contents of all files.
pub fn files() -> Result<Vec<(&'static str, String)>, Error> {
    Ok(vec![
        ("transmit.txt", transmit()?),
        ("receive.txt", receive()?),
    ])
}

/// Codewords of `transmit.txt`.
const CODEWORDS: usize = 6;

fn word(numbers: &mut Numbers) -> u64 {
    numbers.top(32) << 32 | numbers.top(32)
}

/// A number below `limit`.
fn below(numbers: &mut Numbers, limit: usize) -> usize {
    numbers.top(32) as usize % limit
}

fn transmit() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    text += "# word: of RIFL; line: of the line, bit 0 first\n";
    let (mut numbers, mut transmitter) = (Numbers(1), Transmitter::new());
    let mut line = Vec::new();
    for _ in 0..CODEWORDS * PAYLOAD {
        let word = word(&mut numbers);
        writeln!(text, "word {word:016x}")?;
        transmitter.word(word, &mut line);
    }
    for word in line {
        writeln!(text, "line {word:016x}")?;
    }
    Ok(text)
}

/// What is on the line for the time of a codeword.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A codeword, with this number of wrong symbols anywhere, or in a row.
    Spread(usize),
    Burst(usize),
    /// With a wrong marker, and nothing else.
    NoMarker,
    /// With seven wrong symbols and the right marker.
    Refused,
    /// A codeword with a second marker, which comes sooner in the same word of the line.
    Two,
    /// Words that are none of a codeword, with a marker at the place of one.
    False,
    /// Without it.
    Plain,
    /// A codeword; amid it the receiver is not to take codewords any more, or to take them again.
    Turn,
    /// One bit of the line comes twice, then codewords at another place.
    Slip,
}

fn plan() -> Vec<Step> {
    use Step::{Burst, False, NoMarker, Plain, Refused, Slip, Spread, Turn, Two};
    let mut plan = vec![Plain];
    // Found, corrected, not corrected; three in a row keep the place.
    plan.extend([Spread(0); 8]);
    plan.extend([6, 3, 7, 0, 1, 9, 8, 30, 2, 4].map(Spread));
    plan.extend([Burst(6), Burst(7), NoMarker, NoMarker, NoMarker, Spread(5)]);
    // Four do not; nor do four markers, while a corrected codeword leaves.
    plan.extend([Refused; 4]);
    plan.extend([Spread(0); 6]);
    plan.extend([Spread(6), Spread(3), NoMarker, NoMarker, NoMarker, NoMarker]);
    plan.extend([Spread(0); 7]);
    plan.extend([Burst(6), Slip, Spread(0), Spread(0)]);
    plan.extend([Spread(1); 8]);
    // A place that is no more than one.
    plan.extend([False; 9]);
    plan.extend([Plain; 3]);
    plan.extend([Two; 7]);
    plan.extend([Spread(0); 7]);
    plan.extend([Turn, Spread(3), Spread(7), Turn, Turn, Turn, Spread(0)]);
    plan.extend([Spread(0); 2]);
    plan
}

/// The words of a codeword with errors.
fn codeword(step: Step, numbers: &mut Numbers) -> Vec<u64> {
    let (mut transmitter, mut line) = (Transmitter::new(), Vec::new());
    for at in 0..PAYLOAD {
        let mut word = word(numbers);
        if matches!(step, Step::Two) && at == PAYLOAD - 1 {
            word = word << 8 >> 8 | MARKER << 56;
        }
        transmitter.word(word, &mut line);
    }
    let first = below(numbers, CODE.n() - 12);
    let mut places: Vec<usize> = Vec::new();
    let mut spread = |count| {
        while places.len() < count {
            let place = below(numbers, CODE.n());
            if !places.contains(&place) {
                places.push(place);
            }
        }
    };
    match step {
        Step::Spread(count) => spread(count),
        Step::Burst(count) => places.extend(first..first + count),
        Step::Refused => places.extend([3, 50, 51, 100, 160, 230, 242]),
        Step::NoMarker => line[PAYLOAD] ^= 1 << below(numbers, 8),
        Step::False | Step::Plain => line.fill_with(|| word(numbers)),
        Step::Two | Step::Turn | Step::Slip => {}
    }
    if matches!(step, Step::False) {
        line[PAYLOAD] = line[PAYLOAD] & !0xff | MARKER;
    }
    for place in places {
        let error = 1 + below(numbers, 1023) as u128;
        let (at, shift) = (10 * place / 64, 10 * place % 64);
        line[at] ^= (error << shift) as u64;
        if shift > 54 {
            line[at + 1] ^= (error << shift >> 64) as u64;
        }
    }
    line
}

fn receive() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    text += "# Word of the line; whether codewords are wanted; word for RIFL, \"=\" the same, \"-\" none;\n";
    text +=
        "# whether that is bad; whether codewords are heard then. Default parameters; zeros were\n";
    text += "# before the first word.\n";
    let mut numbers = Numbers(2);
    let mut receiver = Receiver::new(Limits::default());
    let (mut slip, mut before, mut wanted) = (23, 0, true);
    for step in plan() {
        if matches!(step, Step::Slip) {
            slip += 1;
        }
        for (at, word) in codeword(step, &mut numbers).into_iter().enumerate() {
            wanted ^= matches!(step, Step::Turn) && at == WORDS / 3;
            receiver.want(wanted);
            let both = u128::from(word) << 64 | u128::from(before);
            before = word;
            let line = (both >> (64 - slip)) as u64;
            let given = receiver.word(line);
            let heard = u8::from(receiver.state() == State::Heard);
            let (given, bad) = match given {
                None => ("-".to_owned(), 0),
                Some(given) if given.word == line => ("=".to_owned(), u8::from(given.bad)),
                Some(given) => (format!("{:016x}", given.word), u8::from(given.bad)),
            };
            let wanted = u8::from(wanted);
            writeln!(text, "{line:016x} {wanted} {given} {bad} {heard}")?;
        }
    }
    let counts = receiver.counts();
    let (corrected, uncorrectable) = (counts.corrected, counts.uncorrectable);
    text += "# corrected, uncorrectable\n";
    writeln!(text, "{corrected} {uncorrectable}")?;
    Ok(text)
}
