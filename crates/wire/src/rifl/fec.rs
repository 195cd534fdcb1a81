// SPDX-License-Identifier: Apache-2.0
//! Forward error correction between a lane of RIFL and its transceiver.
//!
//! 38 words of RIFL, a marker and the parity of RS(256,244) over GF(2^10) make a codeword of 40
//! words of the line. They follow each other without gaps and stand anywhere against RIFL's frames.
//!
//! ```text
//! word of the line   0 ............................. 37 | 38                        | 39
//!                    38 words of RIFL                   | marker 0x47 | parity, 120 bits
//! ```
//!
//! [`Transmitter`] and [`Receiver`] do what `rifl_fec_tx` and `rifl_fec_rx` in `cores/rifl_fec` do,
//! the receiver exactly at word level: a place is found, believed and given up with the same word
//! of the line, and RIFL is given the same words with the same marks. What both make of the same
//! input is in `crates/wire/vectors/rifl_fec`.

use crate::rsfec::bits::{from_symbols, to_symbols};
use crate::rsfec::{Code, Codec};
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// Words of the line in a codeword.
pub const WORDS: usize = 40;
/// Words of RIFL in a codeword.
pub const PAYLOAD: usize = 38;
/// The first byte behind them.
pub const MARKER: u64 = 0x47;
/// The code.
pub const CODE: Code = match Code::new(256, 244) {
    Ok(code) => code,
    Err(_) => panic!("no such code"),
};

/// Cycles in which RIFL is given no word, by the words of a codeword.
const STILL: [usize; 2] = [PAYLOAD / 2, WORDS - 1];

type Words = [u64; WORDS];

/// Words of RIFL in, words of the line out.
#[derive(Debug, Clone)]
pub struct Transmitter {
    codec: Codec,
    words: Words,
    count: usize,
}

impl Default for Transmitter {
    fn default() -> Self {
        Self::new()
    }
}

impl Transmitter {
    /// The next word begins a codeword.
    #[must_use]
    pub fn new() -> Self {
        Transmitter {
            codec: Codec::new(CODE),
            words: [0; WORDS],
            count: 0,
        }
    }

    /// Takes a word of RIFL; a codeword that is complete is appended.
    pub fn word(&mut self, word: u64, line: &mut Vec<u64>) {
        self.words[self.count] = word;
        self.count += 1;
        if self.count < PAYLOAD {
            return;
        }
        self.words[PAYLOAD..].copy_from_slice(&[MARKER, 0]);
        let mut codeword = vec![0; CODE.n()];
        to_symbols(&self.words, &mut codeword[..CODE.k()]);
        self.codec.encode(&mut codeword);
        let mut coded = [0; WORDS];
        from_symbols(&codeword, &mut coded);
        line.extend_from_slice(&coded);
        self.count = 0;
    }
}

/// What a receiver is built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Codewords in a row that cannot be corrected, or have no marker, with which a place is given
    /// up; at least 1.
    pub lose: usize,
    /// Iterations of the key equation in a cycle, a divisor of 12.
    pub steps: usize,
    /// Cycles in which all places are looked at for the verdict, a divisor of 256, at most 32.
    pub scan: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            lose: 4,
            steps: 1,
            scan: 16,
        }
    }
}

impl Limits {
    /// Words of the line from the first one of a codeword to the verdict on it, and to where it
    /// leaves the decoder: there are five cycles to four words of 80 bits, and these leave in
    /// groups of four.
    const fn delays(self) -> (u64, u64) {
        let words = 35 + CODE.parity() / self.steps + self.scan;
        let verdict = 5 * (words / 4) + words % 4 + 4;
        let waits = if words.is_multiple_of(4) { 1 } else { 2 };
        (verdict as u64, (verdict + waits) as u64)
    }
}

/// How far a lane is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// No place has markers.
    Search,
    /// One has; no codeword that begins there could be corrected yet.
    Check,
    /// The lane carries codewords.
    Heard,
}

/// What has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Codewords with errors that are corrected.
    pub corrected: u64,
    /// And that are not, while codewords are heard.
    pub uncorrectable: u64,
    /// Symbols that were corrected.
    pub symbols: u64,
}

/// A word for RIFL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received {
    /// As it came, or corrected.
    pub word: u64,
    /// It is of a codeword that cannot be corrected, or the first one behind a change between
    /// codewords and plain words. RIFL treats its frame as a damaged one.
    pub bad: bool,
}

/// The search: in how many codewords in a row a marker stood at each of 2560 places.
#[derive(Debug, Clone)]
struct Find {
    previous: u64,
    /// Counts of the 64 slips of a word, bit 0 and bit 1 of each.
    counts: [(u64, u64); WORDS],
    at: usize,
    /// Slips at which the word before was found to have a marker, often enough.
    hits: u64,
}

impl Find {
    /// The word of the line before this one, and this one; slips at which a marker has stood often
    /// enough in the word before, one cycle late as in the RTL.
    fn word(&mut self, line: u64) -> (u128, u64) {
        let window = u128::from(line) << 64 | u128::from(self.previous);
        self.previous = line;
        let marker = (0..8).fold(u64::MAX, |places, bit| {
            let bits = (window >> bit) as u64;
            places & if MARKER >> bit & 1 == 1 { bits } else { !bits }
        });
        let (low, high) = self.counts[self.at];
        // 0, 1, 2, 3 and no further: three codewords in a row are enough.
        let next = (marker & (!low | high), marker & (low | high));
        self.counts[self.at] = next;
        self.at = (self.at + 1) % WORDS;
        (window, core::mem::replace(&mut self.hits, next.0 & next.1))
    }
}

/// A codeword that has come as a whole.
#[derive(Debug, Clone)]
struct Codeword {
    /// Cycle of its first word.
    first: u64,
    words: Words,
    /// Wrong symbols, where they could be corrected.
    wrong: Option<usize>,
}

/// Words of the line in, words for RIFL out.
#[derive(Debug, Clone)]
pub struct Receiver {
    limits: Limits,
    codec: Codec,
    find: Find,
    now: u64,
    wanted: bool,
    /// The slip of codewords, while they have a place.
    slip: Option<u32>,
    /// Of this word in its codeword.
    index: usize,
    /// The last word had a marker to begin with, and whether it was missing.
    missing: Option<bool>,
    heard: bool,
    refused_in_row: usize,
    missing_in_row: usize,
    /// Words of the codeword that comes, and those that wait.
    coming: Vec<u64>,
    waiting: VecDeque<Codeword>,
    leaving: Words,
    leaving_at: usize,
    leaving_bad: bool,
    /// The last word was one of codewords.
    decoded: bool,
    counts: Counts,
}

impl Receiver {
    /// Nothing has come yet.
    ///
    /// # Panics
    /// Limits that are none.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let Limits { lose, steps, scan } = limits;
        assert!(
            lose >= 1 && steps >= 1 && CODE.parity().is_multiple_of(steps),
            "codewords to lose a place, and steps: {lose}, {steps}"
        );
        assert!(
            (1..=32).contains(&scan) && CODE.n().is_multiple_of(scan),
            "cycles of the scan: {scan}"
        );
        Receiver {
            limits,
            codec: Codec::new(CODE),
            find: Find {
                previous: 0,
                counts: [(0, 0); WORDS],
                at: 0,
                hits: 0,
            },
            now: 0,
            wanted: true,
            slip: None,
            index: 0,
            missing: None,
            heard: false,
            refused_in_row: 0,
            missing_in_row: 0,
            coming: Vec::with_capacity(WORDS),
            waiting: VecDeque::new(),
            leaving: [0; WORDS],
            leaving_at: 0,
            leaving_bad: false,
            decoded: false,
            counts: Counts::default(),
        }
    }

    /// Whether codewords that are heard are taken, from the next one on; else words pass as they
    /// come. They are taken from the beginning.
    pub fn want(&mut self, codewords: bool) {
        self.wanted = codewords;
    }

    /// How far the lane is.
    #[must_use]
    pub fn state(&self) -> State {
        match (self.slip, self.heard) {
            (None, _) => State::Search,
            (_, false) => State::Check,
            (_, true) => State::Heard,
        }
    }

    /// What has come.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Takes a word of the line, cut anywhere. Codewords leave two of forty words out.
    pub fn word(&mut self, line: u64) -> Option<Received> {
        let (window, hits) = self.find.word(line);
        let (verdict, leave) = self.limits.delays();
        let begin = |delay: u64| self.now.checked_sub(delay);
        let (judged, left) = (begin(verdict), begin(leave));
        let judged = self.waiting.iter().find(|c| Some(c.first) == judged);
        let judged = judged.map(|codeword| codeword.wrong);
        let left = self.waiting.iter().find(|c| Some(c.first) == left);
        let given = self.leave(line, left.map(|codeword| codeword.words));
        if let Some(wrong) = judged {
            self.leaving_bad = wrong.is_none();
        }
        let lose = self.believe(judged);
        self.cut(window, hits, lose);
        self.now += 1;
        given
    }

    /// What RIFL is given in a cycle in which a codeword begins to leave, or not.
    fn leave(&mut self, line: u64, begins: Option<Words>) -> Option<Received> {
        self.leaving_at += 1;
        let mut decode = self.decoded;
        if let Some(words) = begins {
            (self.leaving, self.leaving_at) = (words, 0);
            decode = self.wanted;
        }
        decode &= self.heard;
        let changed = core::mem::replace(&mut self.decoded, decode) != decode;
        if !decode {
            return Some(Received {
                word: line,
                bad: changed,
            });
        }
        let at = self.leaving_at;
        // The second half is a cycle late.
        let word = self.leaving[at - usize::from(at > STILL[0])];
        let bad = self.leaving_bad || changed;
        (!STILL.contains(&at)).then_some(Received { word, bad })
    }

    /// Are they codewords, and still; true: the place is given up.
    fn believe(&mut self, judged: Option<Option<usize>>) -> bool {
        let lose = self.limits.lose - 1;
        let refused = judged.map(|wrong| wrong.is_none());
        let lost = (refused == Some(true) && self.refused_in_row == lose)
            || (self.missing == Some(true) && self.missing_in_row == lose);
        if self.slip.is_some() {
            match judged {
                Some(Some(wrong)) => {
                    self.counts.corrected += u64::from(wrong > 0);
                    self.counts.symbols += wrong as u64;
                }
                Some(None) => self.counts.uncorrectable += u64::from(self.heard),
                None => {}
            }
        }
        if self.slip.is_none() || lost {
            (self.heard, self.refused_in_row, self.missing_in_row) = (false, 0, 0);
            return lost;
        }
        let count = |before: usize, wrong: bool| if wrong { before + 1 } else { 0 };
        if let Some(refused) = refused {
            self.heard |= !refused;
            self.refused_in_row = count(self.refused_in_row, refused);
        }
        if let Some(missing) = self.missing {
            self.missing_in_row = count(self.missing_in_row, missing);
        }
        false
    }

    /// Words of codewords, from where they begin.
    fn cut(&mut self, window: u128, hits: u64, lose: bool) {
        self.index = (self.index + 1) % WORDS;
        self.missing = None;
        let Some(slip) = self.slip else {
            self.waiting.clear();
            self.coming.clear();
            if hits != 0 && !lose {
                // The marker's word was the one before; this one is the last of its codeword.
                (self.slip, self.index) = (Some(hits.trailing_zeros()), WORDS - 1);
            }
            return;
        };
        if lose {
            self.slip = None;
            return;
        }
        let word = (window >> slip) as u64;
        if self.index == PAYLOAD {
            self.missing = Some(word & 0xff != MARKER);
        }
        if self.index == 0 || !self.coming.is_empty() {
            self.coming.push(word);
        }
        if self.coming.len() == WORDS {
            self.decode();
        }
    }

    /// The codeword that has come waits to leave.
    fn decode(&mut self) {
        let mut symbols = vec![0; CODE.n()];
        to_symbols(&self.coming, &mut symbols);
        let found = self.codec.correct(&mut symbols);
        let mut words = [0; WORDS];
        from_symbols(&symbols, &mut words);
        self.coming.clear();
        let (first, oldest) = (self.now + 1 - WORDS as u64, self.limits.delays().1);
        self.waiting.retain(|c| c.first + oldest >= self.now);
        self.waiting.push_back(Codeword {
            first,
            words,
            wrong: found.ok().map(|found| found.count()),
        });
    }
}
