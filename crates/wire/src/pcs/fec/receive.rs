// SPDX-License-Identifier: Apache-2.0
//! Bits of FEC lanes back to rows: markers, skew, order, codewords, and what is wrong with a link.

use super::super::transmit::marker;
use super::super::{LANES, Row};
use super::transcode::mark;
use super::{FEC_LANES, LONG_BITS, ROW_BITS, ROWS, Untranscoder, get_all, unmap};
use crate::rsfec::bits::from_symbols;
use crate::rsfec::{Code, Codec, Symbol};
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// Bits of a FEC lane in a row, and parity with it.
const LANE_BITS: usize = 330;
/// Bits of the two markers that say where a lane begins and which one it is, up to their end.
const SEEN: usize = 120;
/// Nibbles of a marker, of twelve, that may be wrong (91.5.3.1).
const WRONG: u32 = 3;
/// Markers that do not come in a row lose the lock.
const MISSES: u32 = 5;
/// Codewords in a row that cannot be corrected: the lanes are not what they seem.
const REFUSED: u32 = 3;
/// Rounds of markers in which the lanes may meet.
const PATIENCE: u32 = 3;
/// The bytes of a marker that are fixed.
const FIXED: u64 = 0x00ff_ffff_00ff_ffff;

/// What becomes of codewords with errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Corrected, or marked.
    Correct,
    /// Corrected; what cannot be is not marked, but too many errors are.
    BypassIndication,
    /// Not corrected, but marked.
    BypassCorrection,
}

/// What a link is measured by.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Rows from markers to markers.
    pub period: usize,
    /// Most skew, in symbols of a lane.
    pub skew: usize,
    /// Codewords in which wrong symbols are counted.
    pub window: usize,
    /// Wrong symbols of a window that are not yet too many.
    pub errors: usize,
    /// Codewords for which all is marked then: 60 ms.
    pub hold: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            period: super::super::PERIOD,
            skew: 464,
            window: 8192,
            errors: 417,
            hold: 1_171_875,
        }
    }
}

/// How far a link is, or why it is not up; of FEC lanes the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A lane has no signal.
    NoSignal(usize),
    /// A lane has no markers.
    NoMarker(usize),
    /// A lane has the number of one before it.
    SameNumber(usize),
    /// All lanes are there.
    Aligning,
    /// And do not meet.
    SkewExceeded,
    /// They do, but what they have is no code of ours.
    NoCodeword,
    /// Too many wrong symbols.
    HighSer,
    /// The link is up.
    Up,
}

/// What has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Codewords with errors that are corrected.
    pub corrected: u64,
    /// And that are not.
    pub uncorrectable: u64,
    /// Symbols of each FEC lane that were corrected.
    pub symbols: [u64; FEC_LANES],
}

/// Bits and markers of a physical lane.
#[derive(Debug, Clone, Default)]
struct Lane {
    signal: bool,
    /// The last [`SEEN`] bits, the oldest in the lowest place.
    bits: u128,
    found: bool,
    inverted: bool,
    number: Option<usize>,
    missed: u32,
    /// Bits since the begin of a marker.
    at: usize,
    /// Symbols since a marker.
    waiting: VecDeque<Symbol>,
}

/// Nibbles of the fixed bytes that differ.
fn nibbles(payload: u64, lane: usize) -> u32 {
    let wrong = (payload ^ (marker(lane, 0) >> 2) as u64) & FIXED;
    (0..16)
        .map(|i| u32::from(wrong >> (4 * i) & 0xf != 0))
        .sum()
}

impl Lane {
    fn lose(&mut self) {
        (self.found, self.number, self.missed) = (false, None, 0);
    }

    /// A symbol that is complete, and whether a marker begins with it.
    fn bit(&mut self, bit: bool, period: usize) -> Option<(Symbol, bool)> {
        self.bits = self.bits >> 1 | u128::from(bit) << (SEEN - 1);
        self.at += 1;
        if !self.signal {
            self.lose();
        }
        let turned = self.bits ^ if self.inverted { (1 << SEEN) - 1 } else { 0 };
        if self.found && self.at == period + SEEN {
            self.at = SEEN;
            self.check(turned);
        }
        if !self.found {
            self.search();
            return None;
        }
        let symbol = (turned >> (SEEN - 10)) as Symbol;
        self.at
            .is_multiple_of(10)
            .then_some((symbol, self.at == 10 || self.at == period + 10))
    }

    /// A marker without a wrong bit at any place, of either polarity.
    fn search(&mut self) {
        for inverted in [false, true] {
            let turned = self.bits as u64 ^ if inverted { u64::MAX } else { 0 };
            if self.signal && nibbles(turned, 0) == 0 {
                (self.found, self.inverted, self.at) = (true, inverted, SEEN);
            }
        }
    }

    /// Is the marker there that is due.
    fn check(&mut self, turned: u128) {
        let second = (turned >> 64) as u64;
        let number = (0..FEC_LANES).find(|i| nibbles(second, FEC_LANES + i) <= WRONG);
        let near = nibbles(turned as u64, 0) <= WRONG && number.is_some();
        if near && (self.number.is_none() || self.number == number) {
            (self.number, self.missed) = (number, 0);
        } else {
            self.missed += 1;
            if self.number.is_none() || self.missed == MISSES {
                self.lose();
            }
        }
    }
}

/// Bits of lanes in, rows out.
#[derive(Debug, Clone)]
pub struct Receiver {
    limits: Limits,
    mode: Mode,
    codec: Codec,
    lanes: Vec<Lane>,
    /// The physical lane of each number, while all are there.
    source: Option<[usize; FEC_LANES]>,
    deskewed: bool,
    tries: u32,
    codeword: Vec<Symbol>,
    /// Codewords since one with markers, which is 0.
    count: usize,
    refused: u32,
    good: bool,
    window: usize,
    errors: usize,
    held: usize,
    transcoder: Untranscoder,
    counts: Counts,
}

impl Receiver {
    /// Nothing has come yet.
    #[must_use]
    pub fn new(limits: Limits, mode: Mode) -> Self {
        let lane = Lane {
            signal: true,
            ..Lane::default()
        };
        Receiver {
            limits,
            mode,
            codec: Codec::new(Code::KR4),
            lanes: vec![lane; FEC_LANES],
            source: None,
            deskewed: false,
            tries: 0,
            codeword: Vec::new(),
            count: 0,
            refused: 0,
            good: false,
            window: 0,
            errors: 0,
            held: 0,
            transcoder: Untranscoder::default(),
            counts: Counts::default(),
        }
    }

    /// Whether a lane has a signal.
    ///
    /// # Panics
    /// A lane that does not exist; so do the other functions.
    pub fn signal(&mut self, lane: usize, there: bool) {
        self.lanes[lane].signal = there;
    }

    /// Takes a bit of a physical lane; rows that are complete are appended, with "is one of
    /// markers".
    pub fn bit(&mut self, lane: usize, bit: bool, rows: &mut Vec<(Row, bool)>) {
        let period = self.limits.period * LANE_BITS;
        let symbol = self.lanes[lane].bit(bit, period);
        self.numbers();
        let Some((symbol, marker)) = symbol.filter(|_| self.source.is_some()) else {
            return;
        };
        self.symbol(lane, symbol, marker);
        let Some(source) = self.source.filter(|_| self.deskewed) else {
            return;
        };
        while self.lanes.iter().all(|lane| !lane.waiting.is_empty()) {
            for at in source {
                let symbol = self.lanes[at].waiting.pop_front();
                self.codeword.push(symbol.unwrap_or_default());
            }
            if self.codeword.len() == self.codec.code().n() {
                self.decode(rows);
            }
        }
    }

    /// State of the link.
    #[must_use]
    pub fn state(&self) -> State {
        let first = |wrong: fn(&Lane) -> bool| self.lanes.iter().position(wrong);
        if let Some(lane) = first(|lane| !lane.signal) {
            return State::NoSignal(lane);
        }
        if let Some(lane) = first(|lane| lane.number.is_none()) {
            return State::NoMarker(lane);
        }
        let number = |lane: usize| self.lanes[lane].number;
        if let Some(lane) = (0..FEC_LANES).find(|&l| (0..l).any(|m| number(m) == number(l))) {
            return State::SameNumber(lane);
        }
        match self.deskewed {
            false if self.tries >= PATIENCE => State::SkewExceeded,
            _ if self.refused >= REFUSED => State::NoCodeword,
            false => State::Aligning,
            true if !self.good => State::NoCodeword,
            true if self.held > 0 => State::HighSer,
            true => State::Up,
        }
    }

    /// Number and polarity of a physical lane.
    #[must_use]
    pub fn lane(&self, lane: usize) -> Option<(usize, bool)> {
        let lane = &self.lanes[lane];
        Some((lane.number?, lane.inverted))
    }

    /// What has come.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Are all lanes there, with numbers of their own?
    fn numbers(&mut self) {
        let mut source = [None; FEC_LANES];
        for (at, lane) in self.lanes.iter().enumerate() {
            if let Some(number) = lane.number {
                source[number] = Some(at);
            }
        }
        let all = source.iter().all(Option::is_some);
        if all && self.source.is_none() {
            self.tries = 0;
        }
        if !all || self.source.is_none() {
            self.part();
        }
        self.source = all.then(|| source.map(Option::unwrap_or_default));
    }

    /// The lanes are not in step, or no more.
    fn part(&mut self) {
        (self.deskewed, self.good, self.count) = (false, false, 0);
        (self.window, self.errors, self.held) = (0, 0, 0);
        self.codeword.clear();
        for lane in &mut self.lanes {
            lane.waiting.clear();
        }
    }

    fn symbol(&mut self, lane: usize, symbol: Symbol, marker: bool) {
        let waiting = &mut self.lanes[lane].waiting;
        if self.deskewed || !waiting.is_empty() || marker {
            waiting.push_back(symbol);
        }
        if waiting.len() > self.limits.skew + 1 {
            self.part();
            self.tries += 1;
        } else if self.lanes.iter().all(|lane| !lane.waiting.is_empty()) {
            (self.deskewed, self.tries) = (true, 0);
        }
    }

    /// Corrects a codeword, and takes it apart.
    fn decode(&mut self, rows: &mut Vec<(Row, bool)>) {
        let mut codeword = core::mem::take(&mut self.codeword);
        let bad = self.correct(&mut codeword) && self.mode != Mode::BypassIndication;
        let all = self.monitor();
        let mut message = [0; (ROWS * ROW_BITS).div_ceil(64)];
        from_symbols(&codeword[..self.codec.code().k()], &mut message);
        for r in 0..ROWS {
            if r == 0 && self.count == 0 {
                rows.push((unmap(&get_all(&message, 0, ROW_BITS)), true));
                continue;
            }
            let mut row: Row = [0; LANES];
            for (j, four) in row.as_chunks_mut().0.iter_mut().enumerate() {
                let at = r * ROW_BITS + j * LONG_BITS;
                *four = self.transcoder.blocks(&get_all(&message, at, LONG_BITS));
                if bad {
                    mark(four, 5 * r + j, self.count == 0);
                }
                if all {
                    *four = four.map(|block| block | 0b11);
                }
            }
            rows.push((row, false));
        }
        self.count = (self.count + 1) % (self.limits.period / ROWS);
        if self.refused >= REFUSED {
            for lane in &mut self.lanes {
                lane.lose();
            }
        }
    }

    /// Whether the codeword is not what was sent.
    fn correct(&mut self, codeword: &mut [Symbol]) -> bool {
        let wrong = if self.mode == Mode::BypassCorrection {
            !self.codec.check(codeword)
        } else {
            match self.codec.correct(codeword) {
                Ok(found) => {
                    self.counts.corrected += u64::from(found.count() != 0);
                    for (at, _) in found.iter() {
                        self.counts.symbols[at % FEC_LANES] += 1;
                    }
                    self.errors += found.count();
                    false
                }
                Err(_) => {
                    self.errors += self.codec.code().correctable() + 1;
                    true
                }
            }
        };
        self.counts.uncorrectable += u64::from(wrong);
        let refused = wrong && self.mode == Mode::Correct;
        self.refused = if refused { self.refused + 1 } else { 0 };
        self.good |= !refused;
        wrong
    }

    /// Whether too many symbols are wrong.
    fn monitor(&mut self) -> bool {
        let all = self.held > 0 && self.mode == Mode::BypassIndication;
        self.held = self.held.saturating_sub(1);
        if self.errors > self.limits.errors && self.mode == Mode::BypassIndication {
            self.held = self.limits.hold;
        }
        self.window += 1;
        if self.window == self.limits.window || self.errors > self.limits.errors {
            (self.window, self.errors) = (0, 0);
        }
        all
    }
}
