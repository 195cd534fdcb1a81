// SPDX-License-Identifier: Apache-2.0
//! An end of an SLink that is the model of `ropewalk-wire`, with a physical layer that speaks the
//! raw words of the RTL. For lines without skew and slips, as [`super::Mixed`] has them.

use std::collections::VecDeque;

use ropewalk_wire::line::code::{Decoder, Encoder};
use ropewalk_wire::line::stripe::{LANES, SYMBOLS};
use ropewalk_wire::line::{BlockDecoder, BlockEncoder, Character, Word, blocks};
use ropewalk_wire::slink::frame::{COM, Errors, HLD, IDL, STP};
use ropewalk_wire::slink::regs::{Change, Coding};
use ropewalk_wire::slink::{self, Deframer, Endpoint, Failure, Item, LineMode, Operation, pairs};

use super::end::Words;

/// Words between two COM in idle times, and without one until no packet begins: those of
/// `slink_phy`.
const COM_PERIOD: u32 = 32;
const COM_LIMIT: u32 = 127;
/// COM in all lanes that align a receiver.
const LOCK: u32 = 4;
/// Points that lose the alignment, and good words that give one back.
const LOSE: u32 = 8;
const GOOD_RUN: u32 = 4;
/// Cycles without a block that lose it in 64b/66b.
const DEAD: u32 = 16;

/// The receiver of the raw words of all lanes.
#[derive(Debug)]
pub(super) struct Receiver {
    mode: LineMode,
    decoders: [Decoder; LANES],
    blocks: [BlockDecoder; LANES],
    deframer: Deframer,
    commas: u32,
    points: u32,
    run: u32,
    dead: u32,
    /// Headers of packets as they were, and the one that is arriving with its lanes.
    pub headers: Vec<u64>,
    header: Option<(usize, Vec<u8>)>,
}

impl Receiver {
    /// One behind a reset.
    pub fn new(mode: LineMode) -> Self {
        Self {
            mode,
            decoders: Default::default(),
            blocks: Default::default(),
            deframer: Deframer::of(mode.coding),
            commas: 0,
            points: 0,
            run: 0,
            dead: 0,
            headers: Vec::new(),
            header: None,
        }
    }

    /// All lanes in use are there.
    pub fn aligned(&self) -> bool {
        self.commas >= LOCK
    }

    /// Takes the raw words of a cycle; what they complete.
    pub fn take(&mut self, raw: &Words) -> Vec<Item> {
        let mut found = Vec::new();
        match self.mode.coding {
            Coding::Code8b10b => {
                let (mut word, mut errors) = ([[IDL; SYMBOLS]; LANES], Errors::default());
                for lane in 0..self.mode.lanes.count() {
                    for symbol in 0..SYMBOLS {
                        let bits = (raw[lane] >> (10 * symbol)) as u16;
                        let (character, fault) = self.decoders[lane].decode(bits);
                        word[lane][symbol] = character;
                        errors[lane][symbol] = fault.is_some();
                    }
                }
                self.word(&word, &errors, &mut found);
            }
            Coding::Code64b66b => {
                let lanes = self.mode.lanes.count();
                let mut got = self.blocks.iter_mut().zip(raw);
                let got: Vec<_> = (got.by_ref().take(lanes))
                    .map(|(lane, raw)| lane.take(*raw as u16))
                    .collect();
                self.dead = if got.iter().all(Option::is_some) {
                    0
                } else {
                    self.dead + 1
                };
                if self.dead == DEAD {
                    self.commas = 0;
                }
                for place in 0..if self.dead == 0 { blocks::WORDS } else { 0 } {
                    let (mut word, mut errors) = ([[IDL; SYMBOLS]; LANES], Errors::default());
                    for (lane, block) in got.iter().flatten().enumerate() {
                        let pair = pairs::decode(block[place]);
                        word[lane] = pair.unwrap_or([Character::DAMAGED; SYMBOLS]);
                        errors[lane] = [pair.is_none(); SYMBOLS];
                    }
                    self.word(&word, &errors, &mut found);
                }
            }
        }
        found
    }

    fn word(&mut self, word: &Word, errors: &Errors, found: &mut Vec<Item>) {
        let lanes = self.mode.lanes.count();
        if errors.as_flattened().contains(&true) {
            (self.points, self.run) = (self.points + 1, 0);
            if self.points >= LOSE || !self.aligned() {
                (self.points, self.commas) = (0, 0);
            }
        } else {
            self.run += 1;
            if self.run == GOOD_RUN {
                (self.run, self.points) = (0, self.points.saturating_sub(1));
            }
            if word[..lanes].iter().all(|pair| pair[0] == COM) {
                self.commas = (self.commas + 1).min(LOCK);
            }
        }
        if self.aligned() {
            self.look(word);
            self.deframer.word(word, errors, found);
        }
    }

    /// Keeps the headers of packets.
    fn look(&mut self, word: &Word) {
        let starts = word.iter().filter(|pair| pair[1] == STP).count();
        if starts > 0 {
            self.header = Some((starts, Vec::new()));
        } else if let Some((lanes, bytes)) = &mut self.header
            && word[0] != [HLD; SYMBOLS]
        {
            for symbol in 0..SYMBOLS {
                bytes.extend(word[..*lanes].iter().map(|pair| pair[symbol].byte()));
            }
            if let Some(whole) = bytes.first_chunk() {
                self.headers.push(u64::from_le_bytes(*whole));
                self.header = None;
            }
        }
    }
}

/// The transmitter of all lanes.
#[derive(Debug, Default)]
struct Transmitter {
    encoders: [Encoder; LANES],
    blocks: [BlockEncoder; LANES],
    packet: VecDeque<Word>,
    /// Words since the last COM.
    since: u32,
}

impl Transmitter {
    /// The next word of all lanes, for which `packet` gives one that may begin.
    fn word(&mut self, packet: &mut dyn FnMut() -> Option<Vec<Word>>) -> Word {
        if self.packet.is_empty() && self.since < COM_LIMIT {
            self.packet.extend(packet().unwrap_or_default());
        }
        self.since = (self.since + 1).min(COM_LIMIT);
        self.packet.pop_front().unwrap_or_else(|| {
            let first = if self.since >= COM_PERIOD { COM } else { IDL };
            if first == COM {
                self.since = 0;
            }
            [[first, IDL]; LANES]
        })
    }

    /// The raw words of a cycle.
    fn raw(&mut self, coding: Coding, packet: &mut dyn FnMut() -> Option<Vec<Word>>) -> Words {
        let mut raw = [0; LANES];
        match coding {
            Coding::Code8b10b => {
                let word = self.word(packet);
                for (lane, pair) in word.into_iter().enumerate() {
                    let [first, second] = pair.map(|it| self.encoders[lane].encode(it));
                    raw[lane] = u32::from(first) | u32::from(second) << 10;
                }
            }
            Coding::Code64b66b => loop {
                let got = self.blocks.each_mut().map(BlockEncoder::raw);
                if let [Some(a), Some(b), Some(c), Some(d)] = got {
                    return [a, b, c, d].map(u32::from);
                }
                for (lane, pair) in self.word(packet).into_iter().enumerate() {
                    let coded = pairs::encode(pair).expect("packets and idle times have no other");
                    self.blocks[lane].put(coded);
                }
            },
        }
        raw
    }
}

/// The memory of an end, which knows how often its words were written.
#[derive(Debug)]
pub(super) struct Ram {
    pub bytes: Vec<u8>,
    /// Address of every word of 8 bytes that was written.
    pub writes: Vec<u32>,
}

impl slink::Memory for Ram {
    fn read(&mut self, address: u32, bytes: usize) -> Vec<u8> {
        self.bytes[address as usize..][..bytes].to_vec()
    }

    fn write(&mut self, address: u32, data: &[u8]) {
        self.bytes[address as usize..][..data.len()].copy_from_slice(data);
        self.writes
            .extend((address..).step_by(8).take(data.len() / 8));
    }
}

/// The end.
#[derive(Debug)]
pub(super) struct ModelEnd {
    pub endpoint: Endpoint,
    pub ram: Ram,
    mode: LineMode,
    silent: bool,
    receiver: Receiver,
    transmitter: Transmitter,
    sent: Words,
    now: u64,
    /// Where the data of the read go that is under way.
    pub target: Option<u32>,
    pub outcomes: VecDeque<Result<(), Failure>>,
    pub changes: VecDeque<Change>,
    pub last: Change,
}

impl ModelEnd {
    pub fn new(settings: slink::Settings, bytes: Vec<u8>, start: LineMode) -> Self {
        Self {
            endpoint: Endpoint::new(settings),
            ram: Ram {
                bytes,
                writes: Vec::new(),
            },
            mode: start,
            silent: false,
            receiver: Receiver::new(start),
            transmitter: Transmitter::default(),
            sent: [0; LANES],
            now: 0,
            target: None,
            outcomes: VecDeque::new(),
            changes: VecDeque::new(),
            last: Change::None,
        }
    }

    pub fn mode(&self) -> LineMode {
        self.mode
    }

    /// What it sends in this cycle.
    pub fn sent(&self) -> Words {
        self.sent
    }

    /// The line has to be what the endpoint says.
    fn follow(&mut self) {
        let Some(line) = self.endpoint.line() else {
            return;
        };
        if line.silent && !self.silent {
            self.mode = line.mode;
            self.receiver = Receiver::new(line.mode);
            self.transmitter = Transmitter::default();
            self.endpoint.set_aligned(false);
        }
        self.silent = line.silent;
    }

    /// A cycle of the line's clock, with what arrives in it.
    pub fn receive(&mut self, raw: &Words) {
        if self.silent {
            return;
        }
        let found = self.receiver.take(raw);
        self.endpoint.set_aligned(self.receiver.aligned());
        for item in found {
            self.endpoint.receive(item, &mut self.ram);
            self.follow();
            if self.silent {
                return;
            }
        }
    }

    /// A cycle of its own clock.
    pub fn step(&mut self) {
        self.now += 1;
        self.endpoint.tick(self.now);
        self.follow();
        self.sent = [0; LANES];
        if !self.silent {
            let coding = self.mode.coding;
            let (endpoint, now) = (&mut self.endpoint, self.now);
            self.sent = self.transmitter.raw(coding, &mut || {
                Some(endpoint.transmit(now)?.words_in(coding))
            });
        }
        while let Some(change) = self.endpoint.changed() {
            self.last = change;
            self.changes.push_back(change);
        }
        while let Some((_, outcome)) = self.endpoint.outcome() {
            let target = self.target.take();
            self.outcomes.push_back(outcome.map(|data| {
                if let Some(target) = target {
                    self.ram.bytes[target as usize..][..data.len()].copy_from_slice(&data);
                }
            }));
        }
    }

    /// Starts an operation of `words` words; whether it is taken.
    pub fn start(&mut self, operation: &super::Operation) -> bool {
        let bytes = 8 * operation.words as usize;
        let local = operation.local as usize;
        let wanted = if operation.read {
            Operation::Read {
                address: operation.remote,
                words: operation.words,
            }
        } else {
            Operation::Write {
                address: operation.remote,
                data: self.ram.bytes[local..][..bytes].to_vec(),
            }
        };
        let started = (self.endpoint).start(wanted, operation.crc, operation.lanes);
        self.target = operation.read.then_some(operation.local);
        started.is_ok()
    }
}
