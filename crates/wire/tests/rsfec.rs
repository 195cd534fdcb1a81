// SPDX-License-Identifier: Apache-2.0
//! The Reed-Solomon codes of lanes: the generator polynomials, everything up to t errors at every
//! place, and how often more are taken for another codeword.

mod common;

use common::{Random, bytes, random};
use ropewalk_wire::rifl::fec;
use ropewalk_wire::rsfec::{Code, CodeError, Codec, Symbol, Uncorrectable, VALUES};

const CODES: [Code; 4] = [Code::KR4, Code::KP4, Code::LOW_LATENCY, fec::CODE];

fn below(random: &mut Random, limit: usize) -> usize {
    random.bits() as usize % limit
}

fn codeword(random: &mut Random, codec: &Codec) -> Vec<Symbol> {
    let bytes = bytes(random, 2 * codec.code().n());
    let (pairs, _) = bytes.as_chunks();
    let symbol = |&pair| Symbol::from_le_bytes(pair) % VALUES as Symbol;
    let mut codeword: Vec<_> = pairs.iter().map(symbol).collect();
    codec.encode(&mut codeword);
    codeword
}

/// Errors at these places, none of them zero.
fn errors(random: &mut Random, places: impl IntoIterator<Item = usize>) -> Vec<(usize, Symbol)> {
    let error = |place| (place, 1 + below(random, VALUES - 1) as Symbol);
    places.into_iter().map(error).collect()
}

/// That many different places, in order.
fn places(random: &mut Random, n: usize, count: usize) -> Vec<usize> {
    let mut places = Vec::new();
    while places.len() < count {
        let place = below(random, n);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places.sort_unstable();
    places
}

fn add(codeword: &mut [Symbol], errors: &[(usize, Symbol)]) {
    for &(place, error) in errors {
        codeword[place] ^= error;
    }
}

/// They are found, every one, and nothing else.
fn corrected(codec: &Codec, sent: &[Symbol], errors: &[(usize, Symbol)]) {
    let mut arrived = sent.to_vec();
    add(&mut arrived, errors);
    assert_eq!(codec.check(&arrived), errors.is_empty());
    let found = codec.correct(&mut arrived).expect("few enough");
    assert_eq!(found.iter().collect::<Vec<_>>(), errors);
    assert_eq!(arrived, sent);
}

/// One codeword of a soak; whether its errors were taken for others.
fn one(random: &mut Random, codec: &Codec, count: usize) -> bool {
    let code = codec.code();
    let sent = codeword(random, codec);
    let places = if random.bits().is_multiple_of(4) {
        let first = below(random, code.n() - count + 1);
        (first..first + count).collect()
    } else {
        places(random, code.n(), count)
    };
    let errors = errors(random, places);
    if count <= code.correctable() {
        corrected(codec, &sent, &errors);
        return false;
    }
    let mut arrived = sent.clone();
    add(&mut arrived, &errors);
    let before = arrived.clone();
    match codec.correct(&mut arrived) {
        Err(Uncorrectable) => {
            assert_eq!(arrived, before, "left as it was");
            false
        }
        Ok(found) => {
            // As near to what arrived as a corrected codeword may be.
            assert!(codec.check(&arrived) && arrived != sent);
            assert!(found.count() <= code.correctable());
            true
        }
    }
}

/// The table of the standard (IEEE Std 802.3, table 91-1), the lowest power first.
#[test]
fn generators_of_the_standard() {
    let kr4 = [
        432, 290, 945, 265, 592, 391, 614, 900, 925, 656, 32, 701, 6, 904,
    ];
    let kp4 = [
        523, 834, 128, 158, 185, 127, 392, 193, 610, 788, 361, 883, 503, 942, 385, 495, 720, 94,
        132, 593, 249, 282, 565, 108, 1, 552, 230, 187, 552, 575,
    ];
    for (code, mut table) in [(Code::KR4, kr4.to_vec()), (Code::KP4, kp4.to_vec())] {
        table.reverse();
        assert_eq!(Codec::new(code).generator(), table);
    }
}

#[test]
fn lengths_are_checked() {
    for code in CODES {
        assert_eq!(Code::new(code.n(), code.k()), Ok(code));
    }
    for (n, k) in [(1024, 1000), (10, 10), (15, 0), (15, 10), (100, 66)] {
        let error: CodeError = Code::new(n, k).expect_err("no such code");
        assert!(error.to_string().starts_with(&format!("RS({n},{k})")));
    }
}

#[test]
fn bursts_at_every_place() {
    let mut random = random();
    for code in CODES {
        let codec = Codec::new(code);
        let sent = codeword(&mut random, &codec);
        for first in 0..=code.n() - code.correctable() {
            let errors = errors(&mut random, first..first + code.correctable());
            corrected(&codec, &sent, &errors);
        }
    }
}

#[test]
fn up_to_t_errors_and_more() {
    let mut random = random();
    for code in CODES {
        let codec = Codec::new(code);
        for _ in 0..20 {
            for count in 0..=code.correctable() + 3 {
                one(&mut random, &codec, count);
            }
        }
    }
}

/// A weak code, of which every eighth pattern is wrong: the share is what the formula says.
#[test]
fn miscorrection_as_calculated() {
    let mut random = random();
    let code = Code::new(528, 524).expect("a code");
    let codec = Codec::new(code);
    let rounds = 2_000;
    let missed = (0..rounds).filter(|_| one(&mut random, &codec, 20)).count();
    let (share, expected) = (missed as f64 / f64::from(rounds), code.miscorrection());
    let deviation = (expected * (1.0 - expected) / f64::from(rounds)).sqrt();
    println!("{share:.4} of {rounds} taken for another codeword, calculated {expected:.4}");
    assert!((share - expected).abs() < 5.0 * deviation);
}

#[test]
#[ignore = "a soak: a million codewords of each code"]
fn a_million_codewords() {
    let mut random = random();
    for code in CODES {
        let codec = Codec::new(code);
        let begin = std::time::Instant::now();
        let (mut beyond, mut missed) = (0_u32, 0_u32);
        let rounds = 1_000_000_u32;
        for _ in 0..rounds {
            let count = below(&mut random, code.correctable() + 4);
            beyond += u32::from(count > code.correctable());
            missed += u32::from(one(&mut random, &codec, count));
        }
        let expected = f64::from(beyond) * code.miscorrection();
        println!(
            "RS({},{}): {beyond} of {rounds} codewords with more than {} errors, {missed} taken for \
             others, calculated {expected:.2e}; {:.0} codewords a second",
            code.n(),
            code.k(),
            code.correctable(),
            f64::from(rounds) / begin.elapsed().as_secs_f64()
        );
        assert!(f64::from(missed) < expected + 5.0 * expected.sqrt() + 1.0);
    }
}
