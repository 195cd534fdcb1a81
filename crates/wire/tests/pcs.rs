// SPDX-License-Identifier: Apache-2.0
//! The PCS: all blocks, the scrambler against its definition, and links from transmitter to
//! receiver over lanes in any order, with any skew and polarity, that come and go.

mod common;

use common::{Random, bytes, random};
use ropewalk_testkit::{Digest, expect_file};
use ropewalk_wire::pcs::{
    Block, Kind, LANES, Limits, Place, Receiver, Row, Scrambler, Slot, State, Transmitter, decode,
    encode, marker, parity,
};

const LIMITS: Limits = Limits {
    period: 64,
    skew: 16,
    window: 40,
    illegal: 97,
};

fn below(random: &mut Random, limit: usize) -> usize {
    random.bits() as usize % limit
}

#[test]
fn every_slot_that_has_a_block_comes_back() {
    let mut random = random();
    let mut seen = [0; 5];
    for _ in 0..200_000 {
        let mut data: [u8; 8] = bytes(&mut random, 8).try_into().expect("eight");
        let mut control = if below(&mut random, 4) == 0 {
            0
        } else {
            0xff << below(&mut random, 9)
        } as u8;
        for (at, byte) in data.iter_mut().enumerate() {
            if control >> at & 1 == 1 && below(&mut random, 16) != 0 {
                let first = control.trailing_zeros() as usize == at;
                *byte = if first {
                    0xfd
                } else {
                    [0x07, 0xfe][below(&mut random, 2)]
                };
            }
        }
        match below(&mut random, 4) {
            0 => (control, data[0]) = (1, [0xfb, 0x9c, 0x5c, 0xfd][below(&mut random, 4)]),
            1 if control == 0xff => data = [7; 8],
            _ => {}
        }
        if below(&mut random, 2) == 0 {
            data[4..].fill(0);
        }
        let slot = Slot { control, data };
        let (kind, block) = encode(slot);
        seen[kind as usize] += 1;
        let back = if kind == Kind::Error {
            Slot::ERROR
        } else {
            slot
        };
        assert_eq!(decode(block), (kind, back));
    }
    assert!(seen.iter().all(|&count| count > 1000), "{seen:?}");
}

#[test]
fn a_block_that_is_accepted_has_one_slot() {
    let mut random = random();
    let mut accepted = 0;
    for _ in 0..300_000 {
        let field = [
            0x1e, 0x78, 0x4b, 0x87, 0x99, 0xaa, 0xb4, 0xcc, 0xd2, 0xe1, 0xff, 0x2d,
        ];
        let field = field[below(&mut random, field.len())];
        let sparse = random.bits() & random.bits() & random.bits() & random.bits();
        let sparse = sparse & random.bits() & random.bits() & random.bits();
        let payload = sparse & !0xff | field;
        let block = u128::from(payload) << 2 | below(&mut random, 4) as u128;
        let (kind, slot) = decode(block);
        if kind == Kind::Error {
            assert_eq!(slot, Slot::ERROR);
            continue;
        }
        accepted += 1;
        let (again, back) = encode(slot);
        assert_eq!(again, kind);
        // Padding is not looked at: the bits between the bytes and the codes of a frame's end.
        let at = slot.control.trailing_zeros();
        let padding = if kind == Kind::Terminate {
            ((1u64 << (7 - at)) - 1)
                .checked_shl(8 + 8 * at)
                .unwrap_or(0)
        } else {
            0
        };
        assert_eq!((back ^ block) & !(u128::from(padding) << 2), 0, "{block:x}");
    }
    assert!(accepted > 20_000);
}

#[test]
fn scrambler_is_its_definition_and_comes_back() {
    let mut random = random();
    let mut scrambler = Scrambler::default();
    let mut descrambler = Scrambler::default();
    let mut past = vec![1u64; 58];
    for _ in 0..500 {
        let plain = random.bits();
        let line = scrambler.scramble(plain);
        for bit in 0..64 {
            let sum = plain >> bit & 1 ^ past[past.len() - 39] ^ past[past.len() - 58];
            past.push(sum);
            assert_eq!(line >> bit & 1, sum);
        }
        assert_eq!(descrambler.descramble(line), plain);
    }
}

/// What ITU-T G.709 annex E, table E.2, prints of the lanes 0, 10 and 19, and table 82-4 of IEEE
/// Std 802.3 of the bits 0, 1, 2, 9, 10 and 65.
#[test]
fn markers_and_parity_are_those_that_are_printed() {
    let bytes = |lane| ((marker(lane, 0xa5) >> 2) as u64).to_le_bytes();
    assert_eq!(bytes(0), [0xc1, 0x68, 0x21, 0xa5, 0x3e, 0x97, 0xde, 0x5a]);
    assert_eq!(bytes(10), [0xfd, 0x6c, 0x99, 0xa5, 0x02, 0x93, 0x66, 0x5a]);
    assert_eq!(bytes(19), [0xc0, 0xf0, 0xe5, 0xa5, 0x3f, 0x0f, 0x1a, 0x5a]);
    assert!((0..LANES).all(|lane| marker(lane, 0) & 0b11 == 0b01));
    for (bit, place) in [(0, 3), (1, 4), (2, 0), (9, 7), (10, 0), (65, 7)] {
        assert_eq!(parity(1 << bit), 1 << place);
    }
}

#[test]
fn what_may_follow_what() {
    use Kind::{Control, Data, Error, Start, Terminate};
    use Place::{Failed, Inside, Outside};
    let kinds = [Control, Start, Data, Terminate, Error];
    for (place, behind) in [
        (Outside, [Outside, Inside, Failed, Failed, Failed]),
        (Inside, [Failed, Failed, Inside, Outside, Failed]),
        (Failed, [Outside, Failed, Inside, Outside, Failed]),
    ] {
        assert_eq!(kinds.map(|kind| place.behind(kind)), behind);
    }
}

/// A link: slots in, lanes through a channel, slots out.
struct Link {
    random: Random,
    transmitter: Transmitter,
    receiver: Receiver,
    rows: Vec<Row>,
    /// Of each physical lane: who sends, bits of delay, polarity, is it there.
    from: [usize; LANES],
    delay: [usize; LANES],
    inverted: [bool; LANES],
    there: [bool; LANES],
    /// Bits in a million that are wrong.
    wrong: usize,
    sent: Vec<Slot>,
    inside: bool,
    received: Vec<Slot>,
    lines: Vec<Vec<bool>>,
    read: usize,
}

impl Link {
    fn new(random: Random) -> Self {
        Link {
            random,
            transmitter: Transmitter::new(LIMITS.period),
            receiver: Receiver::new(LIMITS),
            rows: Vec::new(),
            from: core::array::from_fn(|lane| lane),
            delay: [0; LANES],
            inverted: [false; LANES],
            there: [true; LANES],
            wrong: 0,
            sent: Vec::new(),
            inside: false,
            received: Vec::new(),
            lines: vec![Vec::new(); LANES],
            read: 0,
        }
    }

    /// Any order, polarity and skew of up to `skew` bits.
    fn shuffle(&mut self, skew: usize) {
        for lane in (1..LANES).rev() {
            self.from.swap(lane, below(&mut self.random, lane + 1));
        }
        for lane in 0..LANES {
            self.delay[lane] = below(&mut self.random, skew + 1);
            self.inverted[lane] = below(&mut self.random, 2) == 1;
        }
    }

    fn slot(&mut self) -> Slot {
        let mut slot = Slot {
            control: 0,
            data: self.random.bits().to_le_bytes(),
        };
        match (self.inside, below(&mut self.random, 6)) {
            (true, 0) => {
                let at = below(&mut self.random, 8);
                slot.control = 0xff << at;
                slot.data[at] = 0xfd;
                slot.data[at + 1..].fill(7);
                self.inside = false;
            }
            (true, _) => {}
            (false, 0..3) => {
                (slot.control, slot.data[0]) = (1, 0xfb);
                self.inside = true;
            }
            (false, _) => slot = Slot::IDLE,
        }
        slot
    }

    fn run(&mut self, rows: usize) {
        for _ in 0..rows {
            for _ in 0..LANES {
                let slot = self.slot();
                self.sent.push(slot);
                self.transmitter.slot(slot, &mut self.rows);
            }
            for row in core::mem::take(&mut self.rows) {
                for (line, block) in self.lines.iter_mut().zip(row) {
                    line.extend((0..66).map(|bit| block >> bit & 1 == 1));
                }
            }
            while self.read < self.lines[0].len() {
                self.bits();
            }
        }
    }

    fn bits(&mut self) {
        for lane in 0..LANES {
            let line = &self.lines[self.from[lane]];
            let sent = self.read.checked_sub(self.delay[lane]);
            let wrong = below(&mut self.random, 1_000_000) < self.wrong;
            let bit = self.there[lane] && sent.is_some_and(|at| line[at]) ^ self.inverted[lane];
            self.receiver.bit(lane, bit ^ wrong, &mut self.received);
        }
        self.read += 1;
    }

    /// Rows until the link is up.
    fn bring_up(&mut self) {
        let patience = 40 * LIMITS.period;
        let up = (0..patience).any(|_| {
            self.run(1);
            self.receiver.state() == State::Up
        });
        assert!(up, "{:?}", self.receiver.state());
    }

    /// What comes is what was sent, from some slot on.
    fn intact(&mut self) -> bool {
        self.received.clear();
        self.sent.clear();
        self.run(3 * LIMITS.period);
        let behind = self.received.len() - 10 * LANES;
        let first = &self.received[40 * LANES..42 * LANES];
        let begin = self.sent.windows(2 * LANES).position(|part| part == first);
        begin.is_some_and(|begin| {
            let length = behind - 40 * LANES;
            self.sent[begin..begin + length] == self.received[40 * LANES..behind]
        })
    }
}

/// Links that come up, carry slots with wrong bits, lose a lane and have it again.
#[test]
fn slots_and_states_are_what_was_recorded() {
    let row = |seed: u64| {
        let (mut link, mut done) = (Link::new(Random::new(seed)), Digest::default());
        link.shuffle(928);
        link.bring_up();
        let mut states = Vec::new();
        for turn in 0..6 * LIMITS.period {
            let lane = seed as usize % LANES;
            link.there[lane] = turn / LIMITS.period != 3;
            link.wrong = [0, 3, 30, 3, 3, 0][turn / LIMITS.period] * (seed as usize % 3);
            link.run(1);
            done.seen(&link.received.drain(..).collect::<Vec<_>>());
            if states.last() != Some(&link.receiver.state()) {
                states.push(link.receiver.state());
            }
        }
        let lanes: Vec<_> = (0..LANES)
            .map(|lane| (link.receiver.found(lane), link.receiver.parity_errors(lane)))
            .collect();
        format!("{seed} {done} {states:?}\n  {lanes:?}\n")
    };
    let rows: String = (0..12).map(row).collect();
    expect_file!["recorded/pcs.txt"].assert_eq(&rows);
}

#[test]
fn any_order_skew_and_polarity() {
    bring_ups(10);
}

#[test]
#[ignore = "some minutes"]
fn a_thousand_bring_ups() {
    bring_ups(1000);
}

fn bring_ups(count: usize) {
    let mut random = random();
    for _ in 0..count {
        let mut link = Link::new(Random::new(random.bits()));
        // The standard's 928 bits.
        link.shuffle(928);
        link.bring_up();
        for lane in 0..LANES {
            let found = Some((link.from[lane], link.inverted[lane]));
            assert_eq!(link.receiver.found(lane), found);
            assert_eq!(link.receiver.parity_errors(lane), 0);
        }
        assert!(link.intact());
    }
}

#[test]
fn every_reason_has_its_state() {
    let mut link = Link::new(random());
    link.shuffle(500);
    link.bring_up();
    link.receiver.signal(7, false);
    assert_eq!(link.receiver.state(), State::NoSignal(7));
    link.receiver.signal(7, true);
    link.bring_up();

    link.there[3] = false;
    link.run(100);
    assert_eq!(link.receiver.state(), State::NoBlockLock(3));
    link.there[3] = true;
    link.bring_up();

    // A lane from somewhere else.
    let from = link.from[9];
    link.from[9] = link.from[4];
    link.run(20 * LIMITS.period);
    assert_eq!(link.receiver.state(), State::SameNumber(9));
    link.from[9] = from;
    link.bring_up();

    // A bit less on one lane is another border of blocks.
    link.delay[5] += 1;
    link.bring_up();

    link.delay[2] = 66 * 40;
    let mut seen = Vec::new();
    for _ in 0..30 * LIMITS.period {
        link.run(1);
        seen.push(link.receiver.state());
    }
    assert_eq!(seen.last(), Some(&State::SkewExceeded));
    // It is tried several times before.
    let last = seen.iter().position(|&state| state == State::SkewExceeded);
    assert!(seen[..last.unwrap()].contains(&State::Aligning));
    link.delay[2] = 300;
    link.bring_up();

    link.wrong = 200_000;
    link.run(LIMITS.window);
    assert_eq!(link.receiver.state(), State::HighBer);
    link.wrong = 0;
    link.run(100);
    assert_eq!(link.receiver.state(), State::Up);
    assert!(link.intact());
}

#[test]
fn wrong_bits_are_counted_and_marked() {
    let mut link = Link::new(random());
    link.shuffle(300);
    link.bring_up();
    link.wrong = 100;
    link.run(10 * LIMITS.period);
    let errors: u64 = (0..LANES)
        .map(|lane| link.receiver.parity_errors(lane))
        .sum();
    // 66 * 64 bits, each wrong with 1e-4: a third of all markers.
    assert!((30..150).contains(&errors), "{errors} of {}", 10 * LANES);
    assert_eq!(link.receiver.state(), State::Up);
    assert!(link.received.contains(&Slot::ERROR));
}

/// The blocks that are no frame's are not touched: a row of them for a look.
#[test]
fn rows_begin_with_markers() {
    let mut transmitter = Transmitter::new(3);
    let mut rows = Vec::new();
    for _ in 0..5 * LANES {
        transmitter.slot(Slot::IDLE, &mut rows);
    }
    let is_marker = |row: &Row| {
        row.iter().enumerate().all(|(lane, &block)| {
            let fixed: Block = 0x00ff_ffff_00ff_ffff << 2;
            (block ^ marker(lane, 0)) & fixed == 0
        })
    };
    let marks: Vec<_> = rows.iter().map(is_marker).collect();
    assert_eq!(marks, [true, false, false, true, false, false, true, false]);
}
