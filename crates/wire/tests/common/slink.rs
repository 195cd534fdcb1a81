// SPDX-License-Identifier: Apache-2.0
//! Two ends of an SLink with memories, and lanes between them that can do anything. The lanes carry
//! symbols of the 8b/10b code or blocks of 64b/66b, so that a flipped bit does what it does on a
//! wire.

#![allow(dead_code)] // each test program uses a part of it

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_wire::line::blocks::{self, BLOCK_BITS, Scrambler, WORDS};
use ropewalk_wire::line::code::{Decoder, Encoder};
use ropewalk_wire::line::stripe::{LANES, SYMBOLS};
use ropewalk_wire::line::{Character, Lanes, Word};
use ropewalk_wire::slink::dissect::{Coding, PAIRS};
use ropewalk_wire::slink::endpoint::Counters;
use ropewalk_wire::slink::frame::{Errors, IDL};
use ropewalk_wire::slink::{
    Deframer, Endpoint, Failure, Kind, Memory, Operation, Outstanding, Packet, Settings,
};
use std::collections::{BTreeMap, VecDeque};

pub const BYTES: usize = 1 << 16;
pub const BASE: u32 = 0x4000_0000;
pub const DELAY: usize = 20;
/// Longer than the longest packet of these tests over one lane.
pub const TIMEOUT: u64 = 5_000;
pub const RETRIES: u8 = 16;

/// A memory that knows how often each word was written.
pub struct Ram {
    pub bytes: Vec<u8>,
    pub writes: BTreeMap<u32, u32>,
    pub reads: u32,
    /// Every write with its address, in order.
    pub log: Vec<(u32, Vec<u8>)>,
}

impl Ram {
    pub fn new() -> Self {
        Ram {
            bytes: vec![0; BYTES],
            writes: BTreeMap::new(),
            reads: 0,
            log: Vec::new(),
        }
    }

    pub fn at(&self, address: u32, bytes: usize) -> &[u8] {
        &self.bytes[(address - BASE) as usize..][..bytes]
    }
}

impl Memory for Ram {
    fn read(&mut self, address: u32, bytes: usize) -> Vec<u8> {
        self.reads += 1;
        self.at(address, bytes).to_vec()
    }

    fn write(&mut self, address: u32, data: &[u8]) {
        for word in (address..).step_by(8).take(data.len() / 8) {
            *self.writes.entry(word).or_default() += 1;
        }
        self.bytes[(address - BASE) as usize..][..data.len()].copy_from_slice(data);
        self.log.push((address, data.to_vec()));
    }
}

/// What may be done to the words of a packet that end `usize` sends.
pub type Fault = Box<dyn FnMut(usize, &Packet, &mut Vec<Word>)>;

pub struct Pair {
    pub ends: [Endpoint; 2],
    pub ram: [Ram; 2],
    /// By sender.
    pub queue: [VecDeque<Word>; 2],
    line: [VecDeque<Word>; 2],
    encoder: [[Encoder; LANES]; 2],
    decoder: [[Decoder; LANES]; 2],
    coding: Coding,
    /// In 64b/66b: words of a block so far, and the scramblers of both ends.
    block: [Vec<Word>; 2],
    scrambler: [[[Scrambler; 2]; LANES]; 2],
    deframer: [Deframer; 2],
    pub fault: Fault,
    pub ber: f64,
    pub random: Xoshiro256PlusPlus,
    pub now: u64,
    pub sent: Vec<(usize, Packet)>,
}

pub fn settings(session: u16, outstanding: Outstanding) -> Settings {
    Settings {
        window: u64::from(BASE)..u64::from(BASE) + BYTES as u64,
        retries: RETRIES,
        timeout: TIMEOUT,
        session,
        outstanding,
    }
}

pub fn seed() -> u64 {
    let seed = std::env::var("SEED")
        .ok()
        .and_then(|text| text.parse().ok());
    let seed = seed.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        u64::from(now.map_or(1, |since| since.subsec_nanos()))
    });
    println!("SEED={seed}");
    seed
}

impl Pair {
    pub fn new() -> Self {
        Self::with(Outstanding::One, Coding::Symbols)
    }

    pub fn with(outstanding: Outstanding, coding: Coding) -> Self {
        let line = || VecDeque::from(vec![[[IDL; SYMBOLS]; LANES]; DELAY]);
        let deframer = || match coding {
            Coding::Symbols => Deframer::default(),
            Coding::Blocks => Deframer::in_blocks(),
        };
        let end = || Endpoint::new(settings(5, outstanding));
        Pair {
            ends: [end(), end()],
            ram: [Ram::new(), Ram::new()],
            queue: Default::default(),
            line: [line(), line()],
            encoder: Default::default(),
            decoder: Default::default(),
            coding,
            block: Default::default(),
            scrambler: [[[Scrambler::with_state(9); 2]; LANES]; 2],
            deframer: [deframer(), deframer()],
            fault: Box::new(|_, _, _| {}),
            ber: 0.0,
            random: Xoshiro256PlusPlus::seed_from_u64(seed()),
            now: 0,
            sent: Vec::new(),
        }
    }

    /// A pair that has agreed on a session.
    pub fn up() -> Self {
        let mut pair = Pair::new();
        pair.until_up();
        pair
    }

    pub fn until_up(&mut self) {
        for _ in 0..100_000 {
            if self.ends.iter().all(Endpoint::is_up) && self.queue.iter().all(VecDeque::is_empty) {
                return;
            }
            self.step();
        }
        panic!("the ends do not come up");
    }

    /// A word of every lane in both directions.
    pub fn step(&mut self) {
        for from in 0..2 {
            self.ends[from].tick(self.now);
            if self.queue[from].is_empty()
                && let Some(packet) = self.ends[from].transmit(self.now)
            {
                let mut words = match self.coding {
                    Coding::Symbols => packet.words(),
                    Coding::Blocks => packet.words_in_blocks(),
                };
                (self.fault)(from, &packet, &mut words);
                self.queue[from].extend(words);
                self.sent.push((from, packet));
            }
            let word = self.queue[from]
                .pop_front()
                .unwrap_or([[IDL; SYMBOLS]; LANES]);
            self.line[from].push_back(word);
            let word = self.line[from].pop_front().expect("DELAY words");
            self.arrive(from, &word);
        }
        self.now += 1;
    }

    pub fn arrive(&mut self, from: usize, word: &Word) {
        if self.coding == Coding::Blocks {
            self.block[from].push(*word);
            if self.block[from].len() == WORDS {
                self.arrive_in_a_block(from);
            }
            return;
        }
        let (mut got, mut errors) = ([[IDL; SYMBOLS]; LANES], Errors::default());
        for lane in 0..LANES {
            for symbol in 0..SYMBOLS {
                let bits = self.encoder[from][lane].encode(word[lane][symbol]);
                let bits = self.noisy(u128::from(bits), 10) as u16;
                let (character, fault) = self.decoder[from][lane].decode(bits);
                got[lane][symbol] = character;
                errors[lane][symbol] = fault.is_some();
            }
        }
        self.found(from, &got, &errors);
    }

    /// What the lane makes of some bits.
    fn noisy(&mut self, mut bits: u128, count: u64) -> u128 {
        for bit in 0..if self.ber > 0.0 { count } else { 0 } {
            let chance = self.random.next_u64() as f64 / u64::MAX as f64;
            bits ^= u128::from(chance < self.ber) << bit;
        }
        bits
    }

    /// The words of a block of each lane.
    fn arrive_in_a_block(&mut self, from: usize) {
        let words = std::mem::take(&mut self.block[from]);
        let (mut got, mut errors) = ([[[IDL; SYMBOLS]; LANES]; WORDS], [Errors::default(); WORDS]);
        for lane in 0..LANES {
            let coded = std::array::from_fn(|at| {
                let pair = words[at][lane];
                match (0..).zip(PAIRS).find(|(_, known)| *known == pair) {
                    Some((kind, _)) => blocks::Word::Control(kind),
                    None => blocks::Word::Data(u16::from_le_bytes(pair.map(Character::byte))),
                }
            });
            let (header, payload) = blocks::encode(coded);
            let payload = self.scrambler[from][lane][0].scramble(payload);
            let block = u128::from(payload) << 2 | u128::from(header);
            let block = self.noisy(block, BLOCK_BITS);
            let payload = self.scrambler[from][lane][1].descramble((block >> 2) as u64);
            for (at, word) in blocks::decode((block & 3) as u8, payload)
                .iter()
                .enumerate()
            {
                let pair = match word {
                    Some(blocks::Word::Data(value)) => {
                        Some(value.to_le_bytes().map(Character::data))
                    }
                    Some(blocks::Word::Control(kind)) => PAIRS.get(usize::from(*kind)).copied(),
                    None => None,
                };
                errors[at][lane] = [pair.is_none(); SYMBOLS];
                got[at][lane] = pair.unwrap_or([Character::DAMAGED; SYMBOLS]);
            }
        }
        for (got, errors) in got.iter().zip(&errors) {
            self.found(from, got, errors);
        }
    }

    fn found(&mut self, from: usize, got: &Word, errors: &Errors) {
        let mut found = Vec::new();
        self.deframer[from].word(got, errors, &mut found);
        for item in found {
            self.ends[1 - from].receive(item, &mut self.ram[1 - from]);
        }
    }

    pub fn steps(&mut self, words: usize) {
        (0..words).for_each(|_| self.step());
    }

    /// How the operation of an end ends. Every retry and answer is limited, so there is an end.
    pub fn outcome(&mut self, end: usize) -> Result<Vec<u8>, Failure> {
        for _ in 0..40 * TIMEOUT {
            self.step();
            if let Some((_, outcome)) = self.ends[end].outcome() {
                return outcome;
            }
        }
        panic!("the operation does not end");
    }

    pub fn write(&mut self, end: usize, offset: u32, data: &[u8], crc: bool, lanes: Lanes) {
        let operation = Operation::Write {
            address: BASE + offset,
            data: data.to_vec(),
        };
        self.ends[end]
            .start(operation, crc, lanes)
            .expect("a start");
    }

    pub fn read(&mut self, end: usize, offset: u32, words: u32, crc: bool, lanes: Lanes) {
        let operation = Operation::Read {
            address: BASE + offset,
            words,
        };
        self.ends[end]
            .start(operation, crc, lanes)
            .expect("a start");
    }

    pub fn counters(&self) -> [Counters; 2] {
        [self.ends[0].counters(), self.ends[1].counters()]
    }

    /// A write from end 0 that meets the fault set before must be executed once all the same.
    pub fn write_is_executed_once(&mut self, bytes: usize, lanes: Lanes) {
        let data = pattern(bytes, 3);
        self.write(0, 64, &data, true, lanes);
        assert_eq!(self.outcome(0), Ok(Vec::new()));
        self.steps(200);
        assert_eq!(self.ram[1].at(BASE + 64, bytes), data);
        assert_eq!(self.ram[1].writes.len(), bytes / 8);
        assert!(self.ram[1].writes.values().all(|&count| count == 1));
    }
}

pub fn pattern(bytes: usize, seed: u8) -> Vec<u8> {
    (0..bytes)
        .map(|i| {
            (i as u8)
                .wrapping_mul(31)
                .wrapping_add((i >> 8) as u8 ^ seed)
        })
        .collect()
}

/// Does something to the first `times` packets that are of interest.
pub fn on(
    mut times: u32,
    which: impl Fn(usize, &Packet) -> bool + 'static,
    mut what: impl FnMut(&mut Vec<Word>) + 'static,
) -> Fault {
    Box::new(move |from, packet, words| {
        if times > 0 && which(from, packet) {
            times -= 1;
            what(words);
        }
    })
}

/// Another data byte: no impossible symbol tells.
pub fn change(words: &mut [Word], at: usize) {
    let byte = words[at][0][0].byte();
    words[at][0][0] = Character::data(byte ^ 0x10);
}

pub fn is_done(_: usize, packet: &Packet) -> bool {
    packet.header.kind == Kind::Done
}

pub fn is_request(_: usize, packet: &Packet) -> bool {
    matches!(packet.header.kind, Kind::Request { .. })
}

pub fn is_data(_: usize, packet: &Packet) -> bool {
    matches!(packet.header.kind, Kind::Data { .. })
}
