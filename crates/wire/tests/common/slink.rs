// SPDX-License-Identifier: Apache-2.0
//! Two ends of an SLink with memories, and lanes between them that can do anything. The lanes carry
//! symbols of the 8b/10b code or blocks of 64b/66b, so that a flipped bit does what it does on a
//! wire.

#![allow(dead_code)] // each test program uses a part of it

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_testkit::Digest;
use ropewalk_wire::line::blocks::{self, BLOCK_BITS, Scrambler, WORDS};
use ropewalk_wire::line::code::{Decoder, Encoder};
use ropewalk_wire::line::stripe::{LANES, SYMBOLS};
use ropewalk_wire::line::{Character, Lanes, Word};
use ropewalk_wire::slink::endpoint::Counters;
use ropewalk_wire::slink::frame::{Errors, IDL};
use ropewalk_wire::slink::pairs;
use ropewalk_wire::slink::regs::Coding;
use ropewalk_wire::slink::{
    Deframer, Endpoint, Failure, Kind, LineMode, LineStatus, Memory, Message, Notice, Operation,
    Outstanding, Packet, Rate, Settings, StartError,
};
use std::collections::{BTreeMap, VecDeque};

pub const BYTES: usize = 1 << 16;
pub const BASE: u32 = 0x4000_0000;
pub const DELAY: usize = 20;
/// Longer than the longest packet of these tests over one lane.
pub const TIMEOUT: u64 = 5_000;
pub const RETRIES: u8 = 16;
/// Nobody writes here; what is read is known.
pub const READS: u32 = BASE + BYTES as u32 / 2;
/// Words in a row that a receiver understands until it has its lanes, and that it does not until it
/// has lost them.
const LOCK: u32 = 40;
const LOSE: u32 = 8;

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
    /// Words on the way and the mode in which they were sent; none: nothing was.
    line: [VecDeque<(LineMode, Option<Word>)>; 2],
    encoder: [[Encoder; LANES]; 2],
    decoder: [[Decoder; LANES]; 2],
    /// In 64b/66b: words of a block so far, and the scramblers of both ends.
    block: [Vec<Word>; 2],
    scrambler: [[[Scrambler; 2]; LANES]; 2],
    deframer: [Deframer; 2],
    /// Of an end whose mode does not change.
    fixed: LineStatus,
    /// By end: the line as it was when it was last looked at.
    seen: [LineStatus; 2],
    /// By sender: words in a row that the receiver understood, and others since those were many.
    good: [u32; 2],
    bad: [u32; 2],
    /// By sender: whether the lanes carry this mode.
    pub carries: [fn(LineMode) -> bool; 2],
    pub fault: Fault,
    pub ber: f64,
    pub random: Xoshiro256PlusPlus,
    /// Words of 5 Gb/s, and those of each end.
    pub now: u64,
    clock: [u64; 2],
    pub sent: Vec<(usize, Packet)>,
    /// By end: words that were silent.
    pub silent: [u64; 2],
}

pub fn settings(session: u16, outstanding: Outstanding) -> Settings {
    Settings {
        window: u64::from(BASE)..u64::from(BASE) + BYTES as u64,
        retries: RETRIES,
        timeout: TIMEOUT,
        session,
        outstanding,
        switch: None,
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
        Self::with(Outstanding::One, Coding::Code8b10b)
    }

    pub fn with(outstanding: Outstanding, coding: Coding) -> Self {
        Self::of([(); 2].map(|()| settings(5, outstanding)), coding)
    }

    /// `coding`: of ends whose mode does not change.
    pub fn of(settings: [Settings; 2], coding: Coding) -> Self {
        let fixed = LineStatus {
            mode: LineMode {
                rate: Rate::Fast,
                lanes: Lanes::X4,
                coding,
            },
            silent: false,
            busy: false,
        };
        let mut ends = settings.map(Endpoint::new);
        ends.iter_mut().for_each(|end| end.set_aligned(true));
        let seen = [0, 1].map(|end| ends[end].line().unwrap_or(fixed));
        let line = |end: usize| {
            let idle = (seen[end].mode, Some([[IDL; SYMBOLS]; LANES]));
            VecDeque::from(vec![idle; DELAY])
        };
        Pair {
            ends,
            ram: [Ram::new(), Ram::new()],
            queue: Default::default(),
            line: [line(0), line(1)],
            encoder: Default::default(),
            decoder: Default::default(),
            block: Default::default(),
            scrambler: [[[Scrambler::with_state(9); 2]; LANES]; 2],
            deframer: [1, 0].map(|to: usize| Deframer::of(seen[to].mode.coding)),
            fixed,
            seen,
            good: [LOCK; 2],
            bad: [0; 2],
            carries: [|_| true; 2],
            fault: Box::new(|_, _, _| {}),
            ber: 0.0,
            random: Xoshiro256PlusPlus::seed_from_u64(seed()),
            now: 0,
            clock: [0; 2],
            sent: Vec::new(),
            silent: [0; 2],
        }
    }

    /// What went over the line, what was written, and what has been counted.
    pub fn done(&self) -> String {
        let mut digest = Digest::default();
        digest.seen(&self.sent);
        let counters = self.counters();
        self.ram.iter().for_each(|ram| digest.seen(&ram.log));
        format!(
            "{digest} {} words, {} packets\n  {counters:?}\n",
            self.now,
            self.sent.len()
        )
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

    /// A word of every lane in both directions, in half of the steps for an end with 2.5 Gb/s.
    pub fn step(&mut self) {
        for from in 0..2 {
            if self.seen[from].mode.rate == Rate::Slow && self.now % 2 == 1 {
                continue;
            }
            let now = self.clock[from];
            self.clock[from] += 1;
            self.ends[from].tick(now);
            self.follow(from);
            if self.queue[from].is_empty()
                && let Some(packet) = self.ends[from].transmit(now)
            {
                assert!(!self.seen[from].silent, "{packet:?} on a silent line");
                let mut words = packet.words_in(self.seen[from].mode.coding);
                (self.fault)(from, &packet, &mut words);
                self.queue[from].extend(words);
                self.sent.push((from, packet));
            }
            let next = self.queue[from].pop_front();
            let word = next.unwrap_or([[IDL; SYMBOLS]; LANES]);
            let LineStatus { mode, silent, .. } = self.seen[from];
            self.silent[from] += u64::from(silent);
            self.line[from].push_back((mode, (!silent).then_some(word)));
            let (mode, word) = self.line[from].pop_front().expect("DELAY words");
            if let Some(word) = self.understood(from, mode, word) {
                self.arrive(from, &word);
            }
        }
        self.now += 1;
    }

    /// Does what the line of an end has to do.
    fn follow(&mut self, end: usize) {
        let line = self.ends[end].line().unwrap_or(self.fixed);
        self.follow_as(end, line);
    }

    fn follow_as(&mut self, end: usize, line: LineStatus) {
        if line.silent && !self.seen[end].silent {
            self.queue[end].clear();
            self.lose(1 - end);
            self.deframer[1 - end] = Deframer::of(line.mode.coding);
            self.block[1 - end].clear();
        }
        self.seen[end] = line;
    }

    /// An end is reset: it is another one.
    pub fn reset(&mut self, end: usize, settings: Settings) {
        self.ends[end] = Endpoint::new(settings);
        let line = self.ends[end].line().unwrap_or(self.fixed);
        self.seen[end].silent = false;
        self.follow_as(
            end,
            LineStatus {
                silent: true,
                ..line
            },
        );
        self.seen[end] = line;
    }

    /// The receiver of what an end sends has no lanes.
    fn lose(&mut self, from: usize) {
        (self.good[from], self.bad[from]) = (0, LOSE);
        self.ends[1 - from].set_aligned(false);
    }

    /// What a receiver makes of a word, which was sent in this mode; none: it has no lanes.
    fn understood(&mut self, from: usize, sent: LineMode, word: Option<Word>) -> Option<Word> {
        let LineStatus { mode, silent, .. } = self.seen[1 - from];
        if silent {
            return None;
        }
        let same = (sent.rate, sent.coding) == (mode.rate, mode.coding);
        let carried = (self.carries[from])(mode) && sent.lanes >= mode.lanes;
        let word = word.filter(|_| same && carried);
        if word.is_some() {
            self.good[from] += 1;
            if self.good[from] == LOCK {
                self.bad[from] = 0;
                self.ends[1 - from].set_aligned(true);
            }
        } else {
            self.good[from] = 0;
            self.bad[from] += 1;
            if self.bad[from] == LOSE {
                self.lose(from);
            }
        }
        (self.bad[from] < LOSE).then_some(word.unwrap_or([[Character::DAMAGED; SYMBOLS]; LANES]))
    }

    pub fn arrive(&mut self, from: usize, word: &Word) {
        if self.seen[1 - from].mode.coding == Coding::Code64b66b {
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
        /// What becomes of damaged symbols: no pair has this kind.
        const UNKNOWN: blocks::Word = blocks::Word::Control(15);
        let words = std::mem::take(&mut self.block[from]);
        let (mut got, mut errors) = ([[[IDL; SYMBOLS]; LANES]; WORDS], [Errors::default(); WORDS]);
        for lane in 0..LANES {
            let coded = std::array::from_fn(|at| pairs::encode(words[at][lane]).unwrap_or(UNKNOWN));
            let (header, payload) = blocks::encode(coded);
            let payload = self.scrambler[from][lane][0].scramble(payload);
            let block = u128::from(payload) << 2 | u128::from(header);
            let block = self.noisy(block, BLOCK_BITS);
            let payload = self.scrambler[from][lane][1].descramble((block >> 2) as u64);
            for (at, word) in blocks::decode((block & 3) as u8, payload)
                .iter()
                .enumerate()
            {
                let pair = pairs::decode(*word);
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
        let to = 1 - from;
        for item in found {
            if !self.seen[to].silent {
                self.ends[to].receive(item, &mut self.ram[to]);
                self.follow(to);
            }
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

/// A message about a change of the line's mode.
pub fn says(packet: &Packet) -> Option<Message> {
    match packet.header.kind {
        Kind::Notice(Notice::Change { message, .. }) => Some(message),
        _ => None,
    }
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

/// A write of `bytes` bytes whose first word is its number.
pub fn numbered(number: u32, bytes: usize) -> Vec<u8> {
    let mut data = pattern(bytes, number as u8);
    data[..4].copy_from_slice(&number.to_le_bytes());
    data
}

pub fn write(at: u32, data: &[u8]) -> Operation {
    Operation::Write {
        address: at,
        data: data.to_vec(),
    }
}

/// What an end has started, by the number that it gave, and how it ended.
#[derive(Default)]
pub struct Book {
    pub started: BTreeMap<u64, (Operation, bool)>,
    pub ended: BTreeMap<u64, Result<Vec<u8>, Failure>>,
    pub most: usize,
}

impl Book {
    pub fn start(
        &mut self,
        end: &mut Endpoint,
        operation: Operation,
        crc: bool,
        lanes: Lanes,
    ) -> bool {
        match end.start(operation.clone(), crc, lanes) {
            Ok(id) => {
                self.started.insert(id, (operation, crc));
                self.most = self.most.max(self.started.len() - self.ended.len());
                true
            }
            Err(StartError::Busy | StartError::Down) => false,
            Err(error) => panic!("{error}"),
        }
    }

    pub fn look(&mut self, end: &mut Endpoint) {
        while let Some((id, outcome)) = end.outcome() {
            assert!(self.started.contains_key(&id), "{id} was never started");
            assert!(self.ended.insert(id, outcome).is_none(), "{id} ended twice");
        }
    }

    pub fn is_done(&self) -> bool {
        self.started.len() == self.ended.len()
    }
}

impl Pair {
    /// Both ends go on until what they have started has ended.
    pub fn settle(&mut self, books: &mut [Book; 2]) {
        for _ in 0..4_000_000 {
            self.step();
            for (book, end) in books.iter_mut().zip(&mut self.ends) {
                book.look(end);
            }
            if books.iter().all(Book::is_done) && self.queue.iter().all(|it| it.is_empty()) {
                return self.steps(500);
            }
        }
        panic!("operations that do not end");
    }

    /// Every operation of an end has come to what it says it has, and writes with CRC were executed
    /// in the order of their starts.
    pub fn check(&self, end: usize, book: &Book, without_noise: bool) {
        let mut last = None;
        for (id, (operation, crc)) in &book.started {
            match operation {
                Operation::Read { address, words } => {
                    if let Ok(data) = &book.ended[id] {
                        let known = self.ram[1 - end].at(*address, 8 * *words as usize);
                        assert_eq!(data, known);
                    }
                }
                Operation::Write { address, data } => {
                    let first = &data[..data.len().min(2048)];
                    let log = self.ram[1 - end].log.iter().enumerate();
                    let found = log.filter(|(_, (at, bytes))| at == address && bytes == first);
                    let places: Vec<usize> = found.map(|(place, _)| place).collect();
                    assert!(places.len() <= 1, "{id} was executed twice");
                    if !crc {
                        assert!(places.len() == 1 || !without_noise, "{id} was lost");
                        continue;
                    }
                    assert!(
                        book.ended[id].is_err() || places.len() == 1,
                        "{id} was lost"
                    );
                    if let Some(&place) = places.first() {
                        assert!(last.is_none_or(|last| last < place), "{id} is out of order");
                        last = Some(place);
                    }
                }
            }
        }
    }
}
