// SPDX-License-Identifier: Apache-2.0
//! Writes the vector files of `crates/wire/vectors/rsfec`, for other implementations to be checked
//! against. Run with `cargo run -p ropewalk-wire --example rsfec_vectors`; a test demands that
//! nothing changes.
//!
//! * `generators.txt`: the generator polynomial of each code.
//! * `codewords.txt`: codewords with errors, and what a decoder makes of them. A message is given
//!   by a number s: symbol after symbol, s becomes 6364136223846793005 s + 1442695040888963407
//!   modulo 2^64, and its ten top bits are the symbol.

#[path = "common/numbers.rs"]
mod numbers;
#[path = "common/files.rs"]
pub mod store;

use numbers::Numbers;
use ropewalk_wire::rsfec::{Code, Codec, Symbol, VALUES};
use std::fmt::Write as _;
use store::{Error, LICENCE};

#[allow(
    dead_code,
    reason = "the test that includes this file has its own entry"
)]
fn main() -> Result<(), Error> {
    store::write("rsfec", files()?)
}

/// Names and contents of all files.
pub fn files() -> Result<Vec<(&'static str, String)>, Error> {
    Ok(vec![
        ("generators.txt", generators()?),
        ("codewords.txt", codewords()?),
    ])
}

const CODES: [Code; 3] = [Code::KR4, Code::KP4, Code::LOW_LATENCY];
/// Codewords of each code.
const CODEWORDS: u64 = 48;

fn symbol(numbers: &mut Numbers) -> Symbol {
    numbers.top(10) as Symbol
}

fn below(numbers: &mut Numbers, limit: usize) -> usize {
    (usize::from(symbol(numbers)) << 10 | usize::from(symbol(numbers))) % limit
}

fn list<'a>(symbols: impl IntoIterator<Item = &'a Symbol>) -> String {
    let texts: Vec<_> = symbols.into_iter().map(|s| format!("{s:03x}")).collect();
    texts.join(",")
}

fn pairs(changes: impl IntoIterator<Item = (usize, Symbol)>) -> String {
    let texts: Vec<_> = changes
        .into_iter()
        .map(|(place, error)| format!("{place}:{error:03x}"))
        .collect();
    if texts.is_empty() {
        "-".to_owned()
    } else {
        texts.join(",")
    }
}

fn generators() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    text += "# n, k, coefficients below the leading one, the highest power first\n";
    for code in CODES {
        let codec = Codec::new(code);
        writeln!(
            text,
            "{} {} {}",
            code.n(),
            code.k(),
            list(&codec.generator())
        )?;
    }
    Ok(text)
}

fn codewords() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    text +=
        "# n, k, number of the message, parity, errors, what is corrected or \"uncorrectable\"\n";
    text += "# (an error is index:symbol, index 0 is first on the line, \"-\" is none)\n";
    for code in CODES {
        let codec = Codec::new(code);
        for seed in 0..CODEWORDS {
            let mut codeword = vec![0; code.n()];
            let mut message = Numbers(seed);
            codeword[..code.k()].fill_with(|| symbol(&mut message));
            codec.encode(&mut codeword);
            let parity = list(&codeword[code.k()..]);
            let errors = pattern(code, &mut Numbers(!seed));
            for &(place, error) in &errors {
                codeword[place] ^= error;
            }
            let verdict = match codec.correct(&mut codeword) {
                Ok(found) => pairs(found.iter()),
                Err(_) => "uncorrectable".to_owned(),
            };
            let errors = pairs(errors);
            writeln!(
                text,
                "{} {} {seed} {parity} {errors} {verdict}",
                code.n(),
                code.k()
            )?;
        }
    }
    Ok(text)
}

/// None to three more than can be corrected, spread or in a burst.
fn pattern(code: Code, numbers: &mut Numbers) -> Vec<(usize, Symbol)> {
    let count = below(numbers, code.correctable() + 4);
    let burst = below(numbers, 3) == 0;
    let first = below(numbers, code.n() - count);
    let mut places: Vec<usize> = Vec::new();
    while places.len() < count {
        let place = if burst {
            first + places.len()
        } else {
            below(numbers, code.n())
        };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places.sort_unstable();
    let error = |place| (place, 1 + (below(numbers, VALUES - 1)) as Symbol);
    places.into_iter().map(error).collect()
}
