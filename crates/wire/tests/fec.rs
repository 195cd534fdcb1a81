// SPDX-License-Identifier: Apache-2.0
//! The Reed-Solomon code against an independent library, each way of calculating it against the
//! others, and what it mends: everything up to its strength, at every place.

mod common;

use common::{Random, bytes, random};
use ropewalk_wire::fec::rs::{LINE, MAX_T};
use ropewalk_wire::fec::{Code, Path, Uncorrectable};

/// Lines of payload of a sub-packet of the paper.
const LINES: usize = 19;
/// Bytes of its header.
const HEAD: usize = 16;

fn paths() -> impl Iterator<Item = Path> {
    for path in Path::ALL {
        println!("{path:?}: {}", path.available());
    }
    Path::ALL.into_iter().filter(|path| path.available())
}

/// A sub-packet with its parity: header, payload, parity.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Sent {
    head: Vec<u8>,
    data: Vec<u8>,
    parity: Vec<u8>,
}

impl Sent {
    fn new(random: &mut Random, code: &Code, head: usize) -> Self {
        let mut sent = Sent {
            head: bytes(random, head),
            data: bytes(random, code.data_len()),
            // What was there before has no effect.
            parity: bytes(random, code.parity_len()),
        };
        code.encode(&sent.head, &sent.data, &mut sent.parity);
        sent
    }

    fn check(&self, code: &Code) -> bool {
        code.check(&self.head, &self.data, &self.parity)
    }

    fn correct(&mut self, code: &Code) -> Result<usize, Uncorrectable> {
        code.correct(&mut self.head, &mut self.data, &mut self.parity)
    }

    /// Byte of a codeword, if it is one that is sent.
    fn byte(&mut self, column: usize, line: usize) -> Option<&mut u8> {
        let Some(line) = line.checked_sub(1) else {
            return self.head.get_mut(column);
        };
        let payload = self.data.len() / LINE;
        match line.checked_sub(payload) {
            None => self.data.get_mut(line * LINE + column),
            Some(line) => self.parity.get_mut(line * LINE + column),
        }
    }

    fn lines(&self) -> usize {
        1 + (self.data.len() + self.parity.len()) / LINE
    }

    /// Changes `count` bytes of a codeword at different places.
    fn damage(&mut self, random: &mut Random, column: usize, count: usize) {
        let mut places = Vec::new();
        while places.len() < count {
            let line = random.below(self.lines() as u64) as usize;
            if places.contains(&line) {
                continue;
            }
            if let Some(byte) = self.byte(column, line) {
                *byte ^= 1 + random.below(255) as u8;
                places.push(line);
            }
        }
    }
}

/// 2 * a in the field of the code.
fn times_two(a: u8) -> u8 {
    (a << 1) ^ if a >> 7 == 1 { 0x1d } else { 0 }
}

/// a * b.
fn times(a: u8, b: u8) -> u8 {
    (0..8).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| {
        sum ^ (0..bit).fold(a, |value, _| times_two(value))
    })
}

/// Where the library, for which a codeword has the power 254 of x in front, has each place: place n
/// belongs to an element, and the element 2^i to x^i.
fn places() -> Vec<usize> {
    let mut basis = vec![1];
    for i in 1..8 {
        let b = (2..=255).find(|&b| times(b, b) ^ b == basis[i - 1]);
        basis.push(b.unwrap());
    }
    let element = |place: usize| {
        let bits = (0..8).filter(|bit| (place ^ 255) >> bit & 1 == 1);
        bits.fold(0, |sum, bit| sum ^ basis[bit])
    };
    let mut logarithm = [0; 256];
    let mut value = 1;
    for i in 0..255 {
        logarithm[usize::from(value)] = i;
        value = times_two(value);
    }
    let at = |place| 254 - logarithm[usize::from(element(place))];
    (0..255).map(at).collect()
}

/// A codeword as the library has it, and what of it is not sent.
fn to_theirs(sent: &Sent, column: usize) -> (Vec<u8>, Vec<u8>) {
    let rows = sent.parity.len() / LINE;
    let block = rows.next_power_of_two();
    let line =
        |bytes: &[u8]| -> Vec<u8> { bytes.iter().skip(column).step_by(LINE).copied().collect() };
    let mut word = line(&sent.parity);
    word.resize(block, 0);
    word.extend(line(&sent.data));
    word.push(sent.head.get(column).copied().unwrap_or(0));
    word.resize(255, 0);
    let places = places();
    let mut theirs = vec![0; 255];
    for (&at, byte) in places.iter().zip(word) {
        theirs[at] = byte;
    }
    let unsent = places[rows..block].iter().map(|&at| at as u8);
    (theirs, unsent.collect())
}

/// Most lines of payload for a strength.
fn most_lines(t: usize) -> usize {
    254 - (2 * t).next_power_of_two()
}

/// The library says what the unsent bytes of the codewords were, and finds nothing to mend in the
/// others.
#[test]
fn parity_is_that_of_an_independent_library() {
    let mut random = random();
    for path in paths() {
        for t in 1..=MAX_T {
            for lines in [1, 2, LINES, most_lines(t)] {
                let code = Code::with_path(t, lines, path).unwrap();
                let sent = Sent::new(&mut random, &code, HEAD);
                assert!(sent.check(&code));
                let library = reed_solomon::Decoder::new((2 * t).next_power_of_two());
                for column in [0, HEAD - 1, HEAD, LINE - 1] {
                    let (mut word, unsent) = to_theirs(&sent, column);
                    let what = format!("{path:?} t={t} lines={lines} column={column}");
                    if !unsent.is_empty() {
                        let whole = library.correct(&word, Some(&unsent)).expect(&what);
                        for at in unsent {
                            word[usize::from(at)] = whole[usize::from(at)];
                        }
                        assert_eq!(**whole, *word, "{what}");
                    }
                    assert!(!library.is_corrupted(&word), "{what}");
                }
            }
        }
    }
}

/// However many lines there are, parity is that of the definition: also where the last block of
/// lines is not full.
#[test]
fn any_number_of_lines() {
    let mut random = random();
    for path in paths() {
        for t in [1, 3, 8, 16] {
            for lines in 1..=most_lines(t) {
                let code = Code::with_path(t, lines, path).unwrap();
                let mut sent = Sent::new(&mut random, &code, LINE);
                let first = Code::with_path(t, lines, Path::Scalar).unwrap();
                assert!(sent.check(&first), "{path:?} t={t} lines={lines}");
                // Sums of codewords are codewords, so any line will do.
                let line = random.below(sent.lines() as u64) as usize;
                *sent.byte(9, line).unwrap() ^= 1 + random.below(255) as u8;
                assert!(!sent.check(&code));
                assert_eq!(sent.correct(&code), Ok(1));
                assert!(sent.check(&first));
            }
        }
    }
}

/// What stands in front of the payload is the line behind it.
#[test]
fn a_header_is_one_more_line() {
    let mut random = random();
    let code = Code::new(3, 5).unwrap();
    let longer = Code::new(3, 6).unwrap();
    let sent = Sent::new(&mut random, &code, HEAD);
    let mut parity = vec![0; longer.parity_len()];
    let mut data = [sent.data, sent.head].concat();
    data.resize(longer.data_len(), 0);
    longer.encode(&[], &data, &mut parity);
    assert_eq!(parity, sent.parity);
}

/// One changed byte, at every place, whichever bit or bits it is.
#[test]
fn one_byte_at_every_place() {
    let mut random = random();
    for path in paths() {
        for t in [1, 2, 8, 16] {
            let code = Code::with_path(t, LINES, path).unwrap();
            let sent = Sent::new(&mut random, &code, HEAD);
            for line in 0..sent.lines() {
                for column in 0..LINE {
                    for change in [1 << random.below(8), 1 + random.below(255) as u8] {
                        let mut received = sent.clone();
                        let Some(byte) = received.byte(column, line) else {
                            continue;
                        };
                        *byte ^= change;
                        assert!(!received.check(&code));
                        assert_eq!(received.correct(&code), Ok(1));
                        assert_eq!(received, sent, "t={t} line={line} column={column}");
                    }
                }
            }
        }
    }
}

/// Every change of a byte, in each line of one codeword.
#[test]
fn one_byte_with_every_change() {
    let mut random = random();
    let code = Code::new(1, LINES).unwrap();
    let sent = Sent::new(&mut random, &code, HEAD);
    for line in 0..sent.lines() {
        for change in 1..=255 {
            let mut received = sent.clone();
            *received.byte(7, line).unwrap() ^= change;
            assert_eq!(received.correct(&code), Ok(1));
            assert_eq!(received, sent);
        }
    }
}

/// Any number of changes up to the strength, in all codewords at once.
#[test]
fn as_many_as_promised() {
    let mut random = random();
    for path in paths() {
        for t in 1..=MAX_T {
            for lines in [1, LINES, most_lines(t)] {
                let code = Code::with_path(t, lines, path).unwrap();
                let sent = Sent::new(&mut random, &code, HEAD);
                let mut received = sent.clone();
                let mut total = 0;
                for column in 0..LINE {
                    let count = random.below(t as u64 + 1) as usize;
                    received.damage(&mut random, column, count);
                    total += count;
                }
                assert_eq!(received.check(&code), total == 0);
                assert_eq!(received.correct(&code), Ok(total), "{path:?} t={t}");
                assert_eq!(received, sent);
                // All of them at the limit: one burst, wherever it begins.
                let mut received = sent.clone();
                let all = received.data.len() + received.parity.len();
                let first = random.below((all - t * LINE + 1) as u64) as usize;
                for place in first..first + t * LINE {
                    *received.byte(place % LINE, 1 + place / LINE).unwrap() ^=
                        1 + random.below(255) as u8;
                }
                assert_eq!(received.correct(&code), Ok(t * LINE));
                assert_eq!(received, sent);
            }
        }
    }
}

/// The library mends what the code mends, and in the same way.
#[test]
fn an_independent_library_mends_the_same() {
    let mut random = random();
    for t in [1, 3, 8, 16] {
        let code = Code::new(t, LINES).unwrap();
        let sent = Sent::new(&mut random, &code, LINE);
        let mut received = sent.clone();
        for column in 0..LINE {
            received.damage(&mut random, column, t);
        }
        let library = reed_solomon::Decoder::new((2 * t).next_power_of_two());
        for column in 0..LINE {
            let (word, unsent) = to_theirs(&received, column);
            let mut mended = library.correct(&word, Some(&unsent)).unwrap().to_vec();
            for at in unsent {
                mended[usize::from(at)] = 0;
            }
            assert_eq!(mended, to_theirs(&sent, column).0);
        }
        assert_eq!(received.correct(&code), Ok(t * LINE));
        assert_eq!(received, sent);
    }
}

/// One codeword beyond the strength: reported, and nothing is touched, though the other codewords
/// could be mended. With so strong a code the chance to meet another codeword is below 1e-11 a
/// trial.
#[test]
fn more_than_promised_is_reported() {
    let mut random = random();
    for t in [8, 12, 16] {
        let code = Code::new(t, LINES).unwrap();
        assert!(code.miscorrection() < 1e-11, "{}", code.miscorrection());
        let sent = Sent::new(&mut random, &code, HEAD);
        for more in [t + 1, t + 2, 2 * t] {
            for _ in 0..20 {
                let mut received = sent.clone();
                received.damage(&mut random, 3, 1);
                let column = 4 + random.below(12) as usize;
                received.damage(&mut random, column, more);
                let before = received.clone();
                assert!(!received.check(&code));
                assert_eq!(received.correct(&code), Err(Uncorrectable));
                assert_eq!(received, before);
            }
        }
    }
}

/// What a weak code does beyond its strength: it reports, or it meets another codeword at most `t`
/// changes away, and that as often as theory says.
#[test]
fn miscorrection_is_as_rare_as_theory_says() {
    let mut random = random();
    for (t, least, most) in [(1, 0.055, 0.1), (2, 0.003, 0.013)] {
        let code = Code::new(t, LINES).unwrap();
        let theory = code.miscorrection();
        assert!(least < theory && theory < most, "t={t}: {theory}");
        let sent = Sent::new(&mut random, &code, LINE);
        let trials = 20_000;
        let mut wrong = 0;
        for _ in 0..trials {
            let mut received = sent.clone();
            // Parity at random makes the remainder of the codeword random.
            for line in 1 + LINES..received.lines() {
                *received.byte(9, line).unwrap() = random.bits() as u8;
            }
            let before = received.clone();
            match received.correct(&code) {
                Err(Uncorrectable) => assert_eq!(received, before),
                Ok(count) => {
                    assert!(count <= t && received.check(&code));
                    wrong += usize::from(received.data != sent.data || received.head != sent.head);
                }
            }
        }
        // Changes of parity alone come out right: of the patterns, 2 of 22 for t = 1 and 6 of 276
        // for t = 2. 8 standard deviations on either side.
        let rate = f64::from(u32::try_from(wrong).unwrap()) / f64::from(trials);
        let deviation = (theory / f64::from(trials)).sqrt();
        println!("t={t}: theory {theory:.5}, counted {rate:.5}");
        assert!(rate < theory + 8.0 * deviation);
        assert!(rate > 0.9 * theory - 8.0 * deviation);
    }
}

/// The zeros behind a short header are not sent, so they cannot have changed.
#[test]
fn padding_does_not_change() {
    let mut random = random();
    let code = Code::new(2, LINES).unwrap();
    let padded = Sent::new(&mut random, &code, LINE);
    let mut short = padded.clone();
    short.head.truncate(HEAD);
    // For the code this looks like changed padding, one byte in each of the columns behind the
    // header.
    let before = short.clone();
    assert_eq!(short.correct(&code), Err(Uncorrectable));
    assert_eq!(short, before);
}

#[test]
fn ranges() {
    let told = |t, lines| Code::new(t, lines).unwrap_err().to_string();
    for t in [0, 17] {
        assert_eq!(
            told(t, LINES),
            format!("{t} bytes to mend in a codeword: accepted are 1 to 16")
        );
    }
    for lines in [0, 239] {
        assert_eq!(
            told(8, lines),
            format!("{lines} lines of 64 bytes: accepted are 1 to 238 beside 16 lines of parity")
        );
    }
    assert!(Code::new(8, 238).is_ok());
    // As for 8 bytes, whose 16 lines of parity are a power of two.
    assert_eq!(
        told(5, 239),
        "239 lines of 64 bytes: accepted are 1 to 238 beside 10 lines of parity"
    );
    assert!(Code::new(5, 238).is_ok() && Code::new(16, 222).is_ok());
    for path in Path::ALL {
        let made = Code::with_path(8, LINES, path);
        assert_eq!(made.is_ok(), path.available());
    }
    assert!(Path::best().available());
}
