// SPDX-License-Identifier: Apache-2.0
//! Recorded lanes: the words of a line or of a bus as a logic analyser or a simulator has them.
//!
//! Text has a line for each cycle, on it a word for each lane, of hexadecimal digits with the most
//! significant one first; blanks, commas or semicolons lie between them. All words are equally
//! long, with leading zeros. `0x` in front and `_` between digits mean nothing, `#` begins a
//! comment. Bytes are one lane, bit 0 of each the first on the line.

use std::fmt::Write as _;

use thiserror::Error;

/// Most digits of a word.
const MAX_DIGITS: usize = 128;
/// Digits of a limb.
const LIMB_DIGITS: usize = 16;
/// As much of a wrong word is shown.
const SHOWN: usize = 40;

/// What is wrong with a recording. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// Nothing is in it.
    #[error("has no words; accepted: a word of hexadecimal digits for each lane on each line")]
    Empty,
    /// Something is no word.
    #[error(
        "line {line}: '{text}' is no word; accepted: 1 to {MAX_DIGITS} hexadecimal digits, 0x in front and _ between them or not"
    )]
    Word {
        /// Where.
        line: u64,
        /// The beginning of it.
        text: String,
    },
    /// A word has another length than those before.
    #[error(
        "line {line}: '{text}' has {found} digits, the words before have {expected}; accepted: words of one length, with leading zeros"
    )]
    Digits {
        /// Where.
        line: u64,
        /// The beginning of it.
        text: String,
        /// Its digits.
        found: usize,
        /// Digits of those before.
        expected: usize,
    },
    /// A line has another number of words than those before.
    #[error(
        "line {line}: {found} words, the lines before have {expected}; accepted: a word for each lane"
    )]
    Lanes {
        /// Where.
        line: u64,
        /// Words on it.
        found: usize,
        /// Words on those before.
        expected: usize,
    },
    /// A word has bits that it must not have.
    #[error("line {line}: {value:#x} does not fit {bits} bits; accepted: 0 to {:#x}", (1_u64 << bits) - 1)]
    Wide {
        /// Where.
        line: u64,
        /// The word.
        value: u64,
        /// Bits of a word.
        bits: u32,
    },
}

/// Lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// Bits of a word.
    width: u32,
    /// Words of each lane, each of as many limbs of 64 bits as it takes, the lowest first.
    lanes: Vec<Vec<u64>>,
    /// Line of each word; empty: there are none.
    lines: Vec<u64>,
}

impl Recording {
    /// Reads text.
    ///
    /// # Errors
    /// Names the line, what is there and what is accepted.
    pub fn text(bytes: &[u8]) -> Result<Self, RecordingError> {
        let (mut lanes, mut lines) = (Vec::<Vec<u64>>::new(), Vec::new());
        let mut digits = 0;
        for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
            let text = text.split(|&byte| byte == b'#').next().unwrap_or_default();
            let between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b';');
            let words = text.split(between).filter(|word| !word.is_empty());
            let mut found = 0;
            for word in words {
                if lines.is_empty() {
                    lanes.push(Vec::new());
                }
                if let Some(lane) = lanes.get_mut(found) {
                    push(lane, word, line, &mut digits)?;
                }
                found += 1;
            }
            if found == 0 {
                continue;
            }
            let expected = lanes.len();
            if found != expected {
                return Err(RecordingError::Lanes {
                    line,
                    found,
                    expected,
                });
            }
            lines.push(line);
        }
        if lines.is_empty() {
            return Err(RecordingError::Empty);
        }
        let width = 4 * digits as u32;
        Ok(Recording {
            width,
            lanes,
            lines,
        })
    }

    /// Takes bytes: one lane of words of 64 bits, the last one filled up with zeros.
    ///
    /// # Errors
    /// There are none.
    pub fn bytes(bytes: &[u8]) -> Result<Self, RecordingError> {
        if bytes.is_empty() {
            return Err(RecordingError::Empty);
        }
        let word = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        };
        Ok(Recording {
            width: u64::BITS,
            lanes: vec![bytes.chunks(8).map(word).collect()],
            lines: Vec::new(),
        })
    }

    /// Bits of a word.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// The words have fewer bits than their digits.
    ///
    /// # Errors
    /// A word has more. `bits` is less than 64.
    pub fn narrow(&mut self, bits: u32) -> Result<(), RecordingError> {
        for lane in &self.lanes {
            let wide = lane.iter().position(|&word| word >> bits != 0);
            if let Some(place) = wide {
                return Err(RecordingError::Wide {
                    line: self.lines.get(place).copied().unwrap_or(0),
                    value: lane[place],
                    bits,
                });
            }
        }
        self.width = bits;
        Ok(())
    }

    /// The words of each lane: of more than 64 bits each as many limbs as it takes, the lowest
    /// first.
    #[must_use]
    pub fn lanes(&self) -> &[Vec<u64>] {
        &self.lanes
    }

    /// The bits of each lane in words of 64, bit 0 first; the last one is filled up with zeros.
    #[must_use]
    pub fn bits(&self) -> Vec<Vec<u64>> {
        let pack = |lane: &Vec<u64>| {
            if self.width.is_multiple_of(u64::BITS) {
                return lane.clone();
            }
            let last = self.width % u64::BITS;
            let limbs = self.width.div_ceil(u64::BITS) as usize;
            let (mut packed, mut open, mut count) = (Vec::new(), 0_u128, 0);
            for (place, &limb) in lane.iter().enumerate() {
                open |= u128::from(limb) << count;
                count += if place % limbs == limbs - 1 {
                    last
                } else {
                    u64::BITS
                };
                if count >= u64::BITS {
                    packed.push(open as u64);
                    open >>= u64::BITS;
                    count -= u64::BITS;
                }
            }
            if count > 0 {
                packed.push(open as u64);
            }
            packed
        };
        self.lanes.iter().map(pack).collect()
    }

    /// Bits of each lane.
    #[must_use]
    pub fn length(&self) -> u64 {
        let limbs = self.width.div_ceil(u64::BITS).max(1) as usize;
        let words = self.lanes.first().map_or(0, Vec::len) / limbs;
        words as u64 * u64::from(self.width)
    }
}

/// The beginning of a word that is wrong.
fn shown(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(&word[..word.len().min(SHOWN)]);
    text.escape_debug().to_string()
}

/// Adds a word to a lane; `expected` are the digits of the first one, 0 before it.
fn push(
    lane: &mut Vec<u64>,
    word: &[u8],
    line: u64,
    expected: &mut usize,
) -> Result<(), RecordingError> {
    let bare = word.strip_prefix(b"0x").or(word.strip_prefix(b"0X"));
    let digits = bare.unwrap_or(word).iter().filter(|&&byte| byte != b'_');
    let digits: Option<Vec<u64>> = digits
        .map(|&byte| char::from(byte).to_digit(16).map(u64::from))
        .collect();
    let digits = digits.filter(|digits| (1..=MAX_DIGITS).contains(&digits.len()));
    let Some(digits) = digits else {
        let text = shown(word);
        return Err(RecordingError::Word { line, text });
    };
    if *expected == 0 {
        *expected = digits.len();
    }
    if digits.len() != *expected {
        return Err(RecordingError::Digits {
            line,
            text: shown(word),
            found: digits.len(),
            expected: *expected,
        });
    }
    let limb = |digits: &[u64]| digits.iter().fold(0, |limb, digit| limb << 4 | digit);
    lane.extend(digits.rchunks(LIMB_DIGITS).map(limb));
    Ok(())
}

/// Text of a recording, as it grows.
#[derive(Debug, Clone, Default)]
pub struct Text(String);

impl Text {
    /// Begins with a comment.
    #[must_use]
    pub fn new(comment: &str) -> Self {
        Text(format!("# {comment}\n"))
    }

    /// Adds the words of a cycle, one for each lane, each of `bits` bits.
    pub fn cycle(&mut self, words: impl IntoIterator<Item = u64>, bits: u32) {
        let digits = bits.div_ceil(4) as usize;
        let mut between = "";
        for word in words {
            // Writing to memory does not fail.
            let _ = write!(self.0, "{between}{word:0digits$x}");
            between = " ";
        }
        self.0.push('\n');
    }

    /// Adds wide words of a cycle, one for each bus, byte 0 of each in the last two digits.
    pub fn wide<'a>(&mut self, words: impl IntoIterator<Item = &'a [u8]>) {
        let mut between = "";
        for word in words {
            self.0.push_str(between);
            for byte in word.iter().rev() {
                // Writing to memory does not fail.
                let _ = write!(self.0, "{byte:02x}");
            }
            between = " ";
        }
        self.0.push('\n');
    }

    /// All of it.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_lanes() {
        let text = b"# two lanes\n0x0001,ab_cd\n\n ff00 ; 0002 # end\r\n1234\t5678";
        let recording = Recording::text(text).unwrap();
        assert_eq!(recording.width(), 16);
        assert_eq!(recording.length(), 48);
        assert_eq!(
            recording.lanes(),
            [vec![0x0001, 0xff00, 0x1234], vec![0xabcd, 0x0002, 0x5678]]
        );
        let bits = recording.bits();
        assert_eq!(bits[0], [0x1234_ff00_0001]);
    }

    #[test]
    fn words_of_any_width_are_packed() {
        for digits in [1, 3, 5, 16, 17, 20, 32, 64, 128] {
            let words: Vec<String> = (0..40)
                .map(|word| {
                    (0..digits)
                        .map(|at| format!("{:x}", (word * 7 + at) % 16))
                        .collect()
                })
                .collect();
            let recording = Recording::text(words.join("\n").as_bytes()).unwrap();
            // Bit for bit, the lowest digit of the first word first.
            let line: String = words.iter().flat_map(|word| word.chars().rev()).collect();
            let mut packed = String::new();
            for word in &recording.bits()[0] {
                packed.extend(format!("{word:016x}").chars().rev());
            }
            assert!(packed.starts_with(&line), "{digits} digits");
            assert!(packed[line.len()..].chars().all(|digit| digit == '0'));
            assert_eq!(recording.length(), 4 * line.len() as u64);
        }
    }

    #[test]
    fn symbols_of_ten_bits() {
        let mut recording = Recording::text(b"3ff 001\n200 155").unwrap();
        recording.narrow(10).unwrap();
        assert_eq!(
            recording.bits(),
            [[0x3ff | 0x200 << 10], [0x001 | 0x155 << 10]]
        );
        let error = Recording::text(b"\n3ff\n400")
            .unwrap()
            .narrow(10)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 3: 0x400 does not fit 10 bits; accepted: 0 to 0x3ff"
        );
    }

    #[test]
    fn bytes_are_a_lane() {
        let recording = Recording::bytes(&[1, 2, 0, 0, 0, 0, 0, 3, 4]).unwrap();
        assert_eq!(recording.lanes(), [[0x0300_0000_0000_0201, 4]]);
        assert_eq!(Recording::bytes(&[]), Err(RecordingError::Empty));
    }

    #[test]
    fn what_is_no_recording_is_named() {
        for (text, said) in [
            (&b""[..], "has no words"),
            (b"# nothing\n\n", "has no words"),
            (b"12\n1x", "line 2: '1x' is no word; accepted: 1 to 128 hex"),
            (b"0x", "line 1: '0x' is no word"),
            (b"\xff\x00", "line 1: '"),
            (
                b"12\n#\n123",
                "line 3: '123' has 3 digits, the words before have 2",
            ),
            (b"12 34\n12", "line 2: 1 words, the lines before have 2"),
            (b"12\n12 34", "line 2: 2 words, the lines before have 1"),
        ] {
            let error = Recording::text(text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        let long = vec![b'1'; MAX_DIGITS + 1];
        assert!(Recording::text(&long).is_err());
        assert!(Recording::text(&long[1..]).is_ok());
    }

    #[test]
    fn what_is_written_is_read() {
        let mut text = Text::new("three cycles of two lanes");
        for cycle in 0..3 {
            text.cycle([cycle, 0xfffff - cycle], 20);
        }
        let recording = Recording::text(text.as_bytes()).unwrap();
        assert_eq!(recording.width(), 20);
        assert_eq!(recording.lanes()[1], [0xfffff, 0xffffe, 0xffffd]);
    }
}
