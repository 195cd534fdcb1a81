// SPDX-License-Identifier: Apache-2.0
//! The FEC sublayer of the PCS: transcoding both ways, rows of markers, and links from slots to
//! slots over four lanes in any order, with any skew and polarity, and with wrong symbols.

mod common;

use common::{Random, bytes, random};
use ropewalk_testkit::{Digest, expect_file};
use ropewalk_wire::pcs::fec::{
    Counts, FEC_LANES, Limits, Mode, Receiver, State, Transmitter, Untranscoder, map, transcode,
    unmap,
};
use ropewalk_wire::pcs::{self, Block, Row, Scrambler, Slot, Slots, encode, marker};
use ropewalk_wire::rsfec::Symbol;
use std::collections::VecDeque;

const PERIOD: usize = 32;
const LIMITS: Limits = Limits {
    period: PERIOD,
    skew: 464,
    window: 40,
    errors: 60,
    hold: 25,
};

fn below(random: &mut Random, limit: usize) -> usize {
    random.bits() as usize % limit
}

/// Slots of a frame of 64 bytes with its preamble; what is shorter need not be marked.
const SHORTEST: usize = 9;

/// Frames and gaps without end, and how many slots of a frame are still to come.
struct Stream(Random, usize);

impl Stream {
    fn next(&mut self) -> Slot {
        let data: [u8; 8] = bytes(&mut self.0, 8).try_into().expect("eight");
        let mut slot = Slot { control: 0, data };
        match self.1 {
            0 if below(&mut self.0, 3) == 0 => slot = Slot::IDLE,
            0 => {
                (slot.control, slot.data[0]) = (1, 0xfb);
                self.1 = SHORTEST - 1 + below(&mut self.0, 20);
            }
            1 => {
                let at = below(&mut self.0, 8);
                slot.data[at] = 0xfd;
                slot.data[at + 1..].fill(7);
                slot.control = 0xff << at;
                self.1 = 0;
            }
            _ => self.1 -= 1,
        }
        slot
    }
}

fn header(block: Block) -> Block {
    block & 0b11
}

#[test]
fn four_blocks_come_back() {
    let mut slots = Stream(random(), 0);
    let mut random = random();
    let mut scrambler = Scrambler::default();
    let mut back = Untranscoder::behind(u64::MAX);
    let mut seen = [0; 16];
    for _ in 0..40_000 {
        let mut four: [Block; 4] = core::array::from_fn(|_| {
            let block = encode(slots.next()).1;
            u128::from(scrambler.scramble((block >> 2) as u64)) << 2 | header(block)
        });
        let kinds = four.iter().fold(0, |sum, &b| 2 * sum + (header(b) & 1));
        seen[kinds as usize] += 1;
        let illegal = below(&mut random, 8) == 0;
        if illegal {
            let at = below(&mut random, 4);
            four[at] = four[at] & !0b11 | [0b00, 0b11][below(&mut random, 2)];
        }
        let long = transcode(&four);
        assert_eq!(long[4] >> 1, 0, "257 bits");
        let found = back.blocks(&long);
        if illegal {
            assert!(found.iter().all(|&block| header(block) == 0b11));
            // The next one needs what a descrambler has seen.
            back = Untranscoder::behind((four[3] >> 2) as u64);
        } else {
            assert_eq!(found, four);
        }
    }
    assert!(
        seen.iter().filter(|&&count| count > 100).count() >= 8,
        "{seen:?}"
    );
}

/// A block whose type is none stays one that is none, whatever the upper half was.
#[test]
fn unknown_types_are_not_made_known() {
    let mut random = random();
    for _ in 0..20_000 {
        let past = random.bits();
        let mut scrambler = Scrambler::default();
        scrambler.descramble(past);
        let mut back = Untranscoder::behind(past);
        let field = random.bits() & 0xff;
        let line = scrambler.scramble(random.bits() & !0xff | field);
        let four = [u128::from(line) << 2 | 1, 2, 2, 2];
        let found = back.blocks(&transcode(&four))[0];
        let mut descrambler = Scrambler::default();
        descrambler.descramble(past);
        let plain = descrambler.descramble((found >> 2) as u64);
        let known = [
            0x1e, 0x78, 0x4b, 0x87, 0x99, 0xaa, 0xb4, 0xcc, 0xd2, 0xe1, 0xff,
        ];
        if known.contains(&field) {
            assert_eq!(found, four[0]);
        } else if known.iter().all(|k| k & 0xf != field & 0xf) {
            assert_eq!(plain & 0xff, field & 0xf);
        }
    }
}

fn bit(bits: &[u64], at: usize) -> u64 {
    bits[at / 64] >> (at % 64) & 1
}

#[test]
fn rows_of_markers() {
    let mut random = random();
    for odd in [false, true] {
        let row: Row = core::array::from_fn(|lane| marker(lane, random.bits() as u8));
        let bits = map(&row, odd);
        assert_eq!(unmap(&bits), row);
        for lane in 0..FEC_LANES {
            // What goes over a lane: every fourth symbol of ten bits.
            let line: Vec<u64> = (0..320)
                .map(|i| bit(&bits, (i / 10 * FEC_LANES + lane) * 10 + i % 10))
                .collect();
            let number =
                |k: usize| (line[64 * k..64 * (k + 1)].iter().rev()).fold(0, |n, b| 2 * n + b);
            for (k, stands_for) in [0, 4 + lane, 8 + lane, 12 + lane, 16].iter().enumerate() {
                let parity = 0xff00_0000_ff00_0000;
                let own = (row[4 * k + lane] >> 2) as u64;
                let fixed = (marker(*stands_for, 0) >> 2) as u64;
                assert_eq!(number(k), fixed & !parity | own & parity);
            }
        }
        let pad = (1280..1285).rev().fold(0, |n, at| 2 * n + bit(&bits, at));
        assert_eq!(pad, if odd { 0b11010 } else { 0b00101 });
    }
}

/// A link from slots to slots.
struct Link {
    random: Random,
    slots: Stream,
    pcs: pcs::Transmitter,
    fec: Transmitter,
    receiver: Receiver,
    decoder: Slots,
    /// By physical lane: which one it is, and what is under way.
    order: [usize; FEC_LANES],
    inverted: [bool; FEC_LANES],
    line: [VecDeque<bool>; FEC_LANES],
    sent: Vec<Slot>,
    got: Vec<Slot>,
    rows: Vec<(Row, bool)>,
    /// The second of these physical lanes has the bits of the first.
    copy: Option<(usize, usize)>,
    /// Wrong symbols of the codeword with this index.
    wrong: fn(&mut Random, usize) -> usize,
    /// Wrong symbols of the first lane at the beginning of each codeword.
    wrong_first: usize,
    codewords: usize,
}

impl Link {
    fn new(mode: Mode) -> Self {
        Self::of(mode, random())
    }

    fn of(mode: Mode, mut random: Random) -> Self {
        let mut order = [0, 1, 2, 3];
        for at in (1..4).rev() {
            order.swap(at, below(&mut random, at + 1));
        }
        let mut line: [VecDeque<bool>; FEC_LANES] = Default::default();
        for lane in &mut line {
            lane.extend((0..below(&mut random, 4600)).map(|_| false));
        }
        Link {
            inverted: core::array::from_fn(|_| random.bits() & 1 == 1),
            slots: Stream(Random::new(random.bits()), 0),
            random,
            pcs: pcs::Transmitter::new(PERIOD),
            fec: Transmitter::new(PERIOD),
            receiver: Receiver::new(LIMITS, mode),
            decoder: Slots::default(),
            order,
            line,
            sent: Vec::new(),
            got: Vec::new(),
            rows: Vec::new(),
            copy: None,
            wrong: |_, _| 0,
            wrong_first: 0,
            codewords: 0,
        }
    }

    /// A codeword goes over the line; the number of its wrong symbols.
    fn codeword(&mut self) -> usize {
        let (mut rows, mut codewords): (Vec<Row>, Vec<Vec<Symbol>>) = (Vec::new(), Vec::new());
        while codewords.is_empty() {
            let slot = self.slots.next();
            self.sent.push(slot);
            self.pcs.slot(slot, &mut rows);
            for row in rows.drain(..) {
                self.fec.row(&row, &mut codewords);
            }
        }
        assert_eq!(codewords.len(), 1);
        let codeword = &mut codewords[0];
        let count = (self.wrong)(&mut self.random, self.codewords);
        self.codewords += 1;
        for place in 0..self.wrong_first {
            codeword[place * FEC_LANES] ^= 0x155;
        }
        let mut places: Vec<usize> = Vec::new();
        while places.len() < count {
            let at = below(&mut self.random, codeword.len());
            if !places.contains(&at) {
                places.push(at);
                codeword[at] ^= 1 + below(&mut self.random, 1023) as Symbol;
            }
        }
        for (i, symbol) in codeword.iter().enumerate() {
            let lane = self.order[i % FEC_LANES];
            for bit in 0..10 {
                self.line[lane].push_back((symbol >> bit & 1 == 1) ^ self.inverted[lane]);
                let arrived = self.line[lane].pop_front().expect("a bit");
                for to in 0..FEC_LANES {
                    let from = self.copy.filter(|&(_, copy)| copy == to);
                    if from.map_or(to, |(from, _)| from) == lane {
                        self.receiver.bit(to, arrived, &mut self.rows);
                    }
                }
            }
        }
        let up = self.receiver.state() == State::Up;
        for (row, marker) in self.rows.drain(..) {
            if !marker {
                self.decoder.row(&row, !up, &mut self.got);
            }
        }
        count
    }

    fn up(&mut self) -> usize {
        for waited in 0..200 {
            if self.receiver.state() == State::Up {
                return waited;
            }
            self.codeword();
        }
        panic!("{:?}", self.receiver.state());
    }

    /// Compares what came in the last codewords, frame by frame; slots that were replaced by
    /// errors.
    fn compare(&mut self, codewords: usize) -> usize {
        self.got.clear();
        for _ in 0..codewords {
            self.codeword();
        }
        let same = |a: &[Slot], b: &[Slot]| {
            let equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
            2 * equal > a.len()
        };
        let first = self.got[..100].to_vec();
        let begin = (0..self.sent.len() - 100)
            .rev()
            .find(|&at| same(&first, &self.sent[at..at + 100]))
            .expect("what was sent");
        let (mut frame, mut whole) = (None, 0);
        for (at, slot) in self.got.iter().enumerate() {
            match (slot.control, slot.data[0]) {
                (1, 0xfb) => frame = Some(at),
                (0, _) => {}
                _ => {
                    let ends = slot.data.contains(&0xfd) && *slot != Slot::ERROR;
                    if let Some(first) = frame.take().filter(|_| ends) {
                        let sent = &self.sent[begin + first + 1..=begin + at];
                        assert_eq!(&self.got[first + 1..=at], sent, "wrong without a mark");
                        whole += 1;
                    }
                }
            }
        }
        assert!(whole > codewords / 2, "{whole} frames");
        self.got.iter().filter(|&&slot| slot == Slot::ERROR).count()
    }
}

#[test]
fn slots_and_counts_are_what_was_recorded() {
    let row = |seed: u64| {
        let mode = [
            Mode::Correct,
            Mode::BypassCorrection,
            Mode::BypassIndication,
        ][seed as usize % 3];
        let (mut link, mut done) = (Link::of(mode, Random::new(seed)), Digest::default());
        link.wrong = |random, at| match at % 40 {
            7 => 8 + below(random, 30),
            _ => below(random, 8),
        };
        let mut states = Vec::new();
        for _ in 0..300 {
            link.codeword();
            done.seen(&link.got.drain(..).collect::<Vec<_>>());
            if states.last() != Some(&link.receiver.state()) {
                states.push(link.receiver.state());
            }
        }
        let lanes: Vec<_> = (0..FEC_LANES)
            .map(|lane| link.receiver.lane(lane))
            .collect();
        format!(
            "{seed} {done} {states:?}\n  {lanes:?} {:?}\n",
            link.receiver.counts()
        )
    };
    let rows: String = (0..9).map(row).collect();
    expect_file!["recorded/pcs_fec.txt"].assert_eq(&rows);
}

/// The code mends them, but where a marker begins there is none any more, whatever follows.
#[test]
fn a_lane_whose_markers_begin_wrong_is_lost() {
    let mut link = Link::new(Mode::Correct);
    link.up();
    link.wrong_first = 6;
    let patience = 8 * PERIOD / 4;
    let lost = (0..patience).any(|_| {
        link.codeword();
        link.receiver.state() != State::Up
    });
    assert!(lost, "{:?}", link.receiver.counts());
    assert_eq!(link.receiver.counts().uncorrectable, 0);
    assert_eq!(link.receiver.state(), State::NoMarker(link.order[0]));
}

#[test]
fn any_lanes_and_up_to_seven_wrong_symbols() {
    for _ in 0..6 {
        let mut link = Link::new(Mode::Correct);
        link.wrong = |random, _| below(random, 8);
        let waited = link.up();
        // Four periods, and one more each time two wrong symbols hide a marker: a chance of about 1
        // in 100 a period, so less than 1e-7 for four of them.
        assert!(waited <= 8 * PERIOD / 4, "{waited} codewords");
        for lane in 0..FEC_LANES {
            let (number, inverted) = link.receiver.lane(link.order[lane]).expect("a lane");
            assert_eq!((number, inverted), (lane, link.inverted[link.order[lane]]));
        }
        assert_eq!(link.compare(60), 0);
        let Counts {
            corrected,
            symbols,
            uncorrectable,
        } = link.receiver.counts();
        assert!(corrected > 40 && uncorrectable == 0);
        assert!(symbols.iter().sum::<u64>() > 150);
    }
}

#[test]
fn more_are_marked() {
    for mode in [Mode::Correct, Mode::BypassCorrection] {
        let mut link = Link::new(mode);
        link.up();
        // Three in a row would take the link down.
        link.wrong = |random, at| {
            if at % 3 == 0 {
                8 + below(random, 30)
            } else {
                0
            }
        };
        let replaced = link.compare(400);
        let uncorrectable = link.receiver.counts().uncorrectable as usize;
        // Every second long block of a codeword has an illegal header.
        assert!(uncorrectable > 40, "{uncorrectable}");
        assert!(
            replaced >= 9 * uncorrectable,
            "{replaced} of {uncorrectable}"
        );
    }
}

#[test]
fn bypassed_indication_counts_symbols() {
    let mut link = Link::new(Mode::BypassIndication);
    link.up();
    link.wrong = |_, _| 1;
    assert_eq!(link.compare(100), 0);
    link.wrong = |_, _| 7;
    for _ in 0..40 {
        link.codeword();
    }
    assert_eq!(link.receiver.state(), State::HighSer);
    link.wrong = |_, _| 0;
    for _ in 0..2 * LIMITS.window + LIMITS.hold {
        link.codeword();
    }
    assert_eq!(link.receiver.state(), State::Up);
    assert_eq!(link.receiver.counts().uncorrectable, 0);
}

#[test]
fn reasons() {
    let mut link = Link::new(Mode::Correct);
    assert_eq!(link.receiver.state(), State::NoMarker(0));
    link.up();
    link.receiver.signal(2, false);
    link.codeword();
    assert_eq!(link.receiver.state(), State::NoSignal(2));
    link.receiver.signal(2, true);
    link.codeword();
    assert_eq!(link.receiver.state(), State::NoMarker(2));
    link.up();
    assert_eq!(link.compare(60), 0);

    // A lane that is too late.
    // Nowhere near the others, the markers of one period or of the next.
    let others = link.line[..3]
        .iter()
        .map(VecDeque::len)
        .min()
        .expect("three");
    link.line[3].resize(others + 5200, false);
    let mut seen = Vec::new();
    for _ in 0..20 * PERIOD / 4 {
        link.codeword();
        seen.push(link.receiver.state());
    }
    assert_eq!(seen.last(), Some(&State::SkewExceeded));

    // Two lanes with one number: the line of one carries the bits of the other.
    let mut link = Link::new(Mode::Correct);
    link.copy = Some((1, 3));
    for _ in 0..4 * PERIOD / 4 {
        link.codeword();
    }
    assert_eq!(link.receiver.state(), State::SameNumber(3));
    link.copy = None;
    for _ in 0..8 * PERIOD / 4 {
        link.codeword();
    }
    link.up();

    // Markers, and behind them no codewords.
    let mut link = Link::new(Mode::Correct);
    link.wrong = |_, _| 8;
    let mut states = Vec::new();
    for _ in 0..120 {
        link.codeword();
        states.push(link.receiver.state());
    }
    assert!(states.contains(&State::NoCodeword));
    assert!(!states.contains(&State::Up));
    link.wrong = |_, _| 0;
    link.up();
    assert_eq!(link.compare(60), 0);
}

#[test]
fn noise_is_no_link() {
    let mut random = random();
    let mut receiver = Receiver::new(LIMITS, Mode::Correct);
    let mut rows = Vec::new();
    for _ in 0..20_000 {
        let bits = random.bits();
        for at in 0..64 {
            receiver.bit(at % FEC_LANES, bits >> at & 1 == 1, &mut rows);
        }
    }
    assert!(rows.is_empty() && matches!(receiver.state(), State::NoMarker(_)));
}
