// SPDX-License-Identifier: Apache-2.0
//! The measurements of `ropewalk bench rdma`, as plain data.
//!
//! Two engines of the RTL with memories, joined by wires: the rate at which messages are taken, and
//! time and throughput of transfers by size, one after the other and many at a time, from node to
//! node and within one: figures 4.3 to 4.6 of the thesis; the same with every channel of every page
//! busy; and what seven engines that write to one get of its line.

use ropewalk_console::output;
use ropewalk_sim::SimError;
use ropewalk_sim::rdma::{
    self, IncastConfig, Limits, MemoryConfig, Model, Move, NetworkConfig, Pair, PairConfig, Rights,
};
use ropewalk_wire::rdma::{Class, Descriptor, Work, regs};
use serde::Serialize;

use crate::published_rdma as published;

/// Sizes of transfers, bytes.
const BYTES: [u32; 15] = [
    8, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 262_144, 1_048_576,
];
/// Sizes whose stages are told.
const STAGES: [u32; 5] = [8, 64, 512, 1024, 16_384];
/// Sizes in either framing, beside the one that fills blocks.
const FRAMED: [u32; 3] = [128, 512, 2048];
/// Sizes with every channel of every page busy.
const EVERY: [u32; 4] = [8, 128, 512, 2048];
/// Nodes: who posts, and its peer.
const HERE: usize = 0;
const FAR: usize = 1;
/// Channels of a page: as many transfers are under way at a time.
const CHANNELS: u32 = 64;
/// Bytes of a window of a page at the port.
const WINDOW: u64 = 4096;
/// Where the destinations begin.
const TARGET: u64 = 1 << 21;
/// Bytes of a memory.
const MEMORY: usize = 1 << 22;
/// Share of a full line from which on it counts as reached.
const REACHED: f64 = 0.95;
/// Cycles after which nothing comes any more.
const PATIENCE: u64 = 10_000_000;

/// Everything that was measured.
#[derive(Debug, Clone, Serialize)]
pub struct Bench {
    /// Every transfer ended well, and every byte arrived.
    pub ok: bool,
    /// `rdma`.
    pub core: &'static str,
    /// Where the `published` figures come from.
    pub published_source: &'static str,
    /// Seed of everything random.
    pub seed: u64,
    /// Smaller sizes, one port.
    pub quick: bool,
    /// Clock that times are given for, in MHz: that of the thesis.
    pub clock_mhz: f64,
    /// What an access of the processor to the engine takes, from its request to the response, in
    /// ns.
    pub processor_trip_ns: f64,
    /// Payload of a full line: 16 of 18 words.
    pub line_gbps: f64,
    /// Blocks as fast as they go, in both framings.
    pub framings: Vec<FramingRow>,
    /// Every channel of every page busy, in both framings.
    pub every_channel: Vec<EveryRow>,
    /// Pages of the engines of `every_channel`.
    pub pages: u8,
    /// Smallest size with 95 % of it, many transfers at a time; null: none.
    pub line_rate_from: Option<u32>,
    /// Messages of 8 bytes, by width of the port.
    pub messages: Vec<MessageRow>,
    /// Transfers, by size.
    pub sizes: Vec<SizeRow>,
    /// Where the cycles of a single transfer go, by size; only if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageRow>,
    /// Seven nodes write to one, with marks of the network and without; only if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub incast: Vec<IncastRow>,
}

/// Nodes that write to one at the same time.
#[derive(Debug, Clone, Serialize)]
pub struct IncastRow {
    /// Nodes that send.
    pub senders: u8,
    /// Bytes of each transfer.
    pub bytes: u32,
    /// Words that may wait in front of the receiver.
    pub queue_words: u32,
    /// Words from which on packets are marked; 0: none is.
    pub mark_words: u32,
    /// Payload of all senders over that of a full line.
    pub of_line: f64,
    /// The same of each.
    pub shares: Vec<f64>,
    /// How far the share of one is from the mean, at most, over the mean.
    pub deviation: f64,
    /// Packets that the network marked.
    pub marked: u64,
    /// Packets that had no room in front of the receiver, and are lost.
    pub overflowed: u64,
    /// Words that waited there, at most.
    pub deepest_words: u64,
    /// Blocks that were sent again.
    pub retransmissions: u64,
    /// Cycles from when the other senders stopped to when the last one had the line; null: that was
    /// not waited for.
    pub recovery_cycles: Option<u64>,
}

/// The way of a single transfer.
#[derive(Debug, Clone, Serialize)]
pub struct StageRow {
    /// Bytes of the transfer.
    pub bytes: u32,
    /// Within a node, past the network, else from node to node.
    pub intra_node: bool,
    /// In the order in which they are reached.
    pub stages: Vec<Stage>,
}

/// Something that moves at the pins of an engine.
#[derive(Debug, Clone, Serialize)]
pub struct Stage {
    /// What.
    pub name: &'static str,
    /// Cycles from the begin of the descriptor.
    pub at: u64,
    /// Cycles from the stage before.
    pub cycles: u64,
}

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Smaller sizes, one port.
    pub quick: bool,
    /// The stages of single transfers too.
    pub stages: bool,
    /// Seven nodes that write to one too.
    pub incast: bool,
    /// What an access of the processor takes, in ns.
    pub trip_ns: f64,
    /// Pages of the engines whose channels are all busy: 2, 4, 8 or 16.
    pub pages: u8,
}

/// Messages of 8 bytes as fast as the port takes them.
#[derive(Debug, Clone, Serialize)]
pub struct MessageRow {
    /// Bits of the port.
    pub port_bits: u16,
    /// Packed framing, else framing in words.
    pub packed: bool,
    /// Cycles that one takes on the line if they lie as close as the framing allows.
    pub line_cycles_each: f64,
    /// Messages.
    pub messages: u32,
    /// Cycles from one descriptor that the port takes to the next.
    pub cycles_each: f64,
    /// The same in messages per second.
    pub per_second: f64,
    /// Cycles until the user reads that all are done, over their number.
    pub cycles_to_end_each: f64,
    /// What the second half of them adds to the cycles until all are done, over their number.
    pub cycles_each_further: f64,
}

/// Blocks in one framing.
#[derive(Debug, Clone, Serialize)]
pub struct FramingRow {
    /// Packed framing, else framing in words.
    pub packed: bool,
    /// Bytes of a transfer.
    pub bytes: u32,
    /// A single one: cycles from its descriptor to the state that says that it is done.
    pub single_cycles: u64,
    /// Payload over the bytes of the words that left, messages and answers among them.
    pub efficiency: f64,
    /// The same if they lie as close as the framing allows.
    pub limit: f64,
    /// Payload over time.
    pub gbps: f64,
}

/// Transfers of one size, one in each channel of each page.
#[derive(Debug, Clone, Serialize)]
pub struct EveryRow {
    /// Packed framing, else framing in words.
    pub packed: bool,
    /// Bytes of a transfer.
    pub bytes: u32,
    /// Transfers: as many as there are channels.
    pub transfers: u32,
    /// Cycles until the user reads that all are done, over their number.
    pub cycles_each: f64,
    /// Cycles that one takes on the line if they lie as close as the framing allows.
    pub line_cycles_each: f64,
    /// Payload over time.
    pub gbps: f64,
}

/// Transfers of one size.
#[derive(Debug, Clone, Serialize)]
pub struct SizeRow {
    /// Bytes of a transfer.
    pub bytes: u32,
    /// The data are in the descriptor.
    pub message: bool,
    /// A single transfer: cycles from its descriptor to the state that says that it is done.
    pub single_cycles: u64,
    /// Its payload over this time.
    pub single_gbps: f64,
    /// The same with a processor that writes the descriptor and then asks, time after time, each
    /// access taking its trip.
    pub processor_cycles: u64,
    /// A single transfer within a node: cycles as in `single_cycles`.
    pub intra_node_cycles: u64,
    /// The same with the processor.
    pub intra_node_processor_cycles: u64,
    /// Many at a time: how many.
    pub outstanding: u32,
    /// Cycles for all of them over their number.
    pub outstanding_cycles: f64,
    /// Their payload over this time.
    pub outstanding_gbps: f64,
    /// The same over that of a full line.
    pub of_line: f64,
}

/// Makes the measurements; `say` is told what is being measured.
///
/// # Errors
/// A simulator cannot be built.
pub fn measure(extent: Extent, seed: u64, say: &(dyn Fn(&str) + Sync)) -> Result<Bench, SimError> {
    let quick = extent.quick;
    let mut ok = true;
    let ports: &[u16] = if quick { &[128] } else { &[128, 256] };
    let mut messages = Vec::new();
    for &port_bits in ports {
        say(&format!("measuring messages, port of {port_bits} bits"));
        let mut bench = Bencher::new(port_bits, false, seed)?;
        messages.push(bench.messages()?);
        ok &= bench.ok;
    }
    let most = if quick { 16_384 } else { 1 << 20 };
    let trip = (extent.trip_ns * published::CLOCK_MHZ / 1e3).round() as u64;
    let mut bench = Bencher::new(128, false, seed)?;
    let mut sizes = Vec::new();
    for bytes in BYTES.into_iter().filter(|&bytes| bytes <= most) {
        say(&format!("measuring transfers of {bytes} bytes"));
        sizes.push(bench.size(bytes, trip)?);
    }
    let mut stages = Vec::new();
    for bytes in STAGES.into_iter().filter(|_| extent.stages) {
        say(&format!("measuring the stages of {bytes} bytes"));
        for to in [FAR, HERE] {
            stages.push(bench.stages(bytes, to)?);
        }
    }
    ok &= bench.ok;
    let mut incast = Vec::new();
    for marks in [true, false].into_iter().filter(|_| extent.incast) {
        say(if marks {
            "measuring an incast with marks"
        } else {
            "measuring an incast without marks"
        });
        let (row, good) = incast_row(marks, quick, seed)?;
        incast.push(row);
        ok &= good;
    }
    let (mut framings, mut every_channel) = (Vec::new(), Vec::new());
    for packed in [false, true] {
        say(if packed {
            "measuring packed framing"
        } else {
            "measuring framing in words"
        });
        let mut bench = Bencher::new(128, packed, seed)?;
        if packed {
            messages.push(bench.messages()?);
        }
        for bytes in FRAMED
            .into_iter()
            .chain([if quick { 16_384 } else { 65_536 }])
        {
            framings.push(bench.framing(bytes)?);
        }
        ok &= bench.ok;
        say(&format!("measuring all channels of {} pages", extent.pages));
        let (rows, good) = every_rows(extent.pages, packed, seed)?;
        every_channel.extend(rows);
        ok &= good;
    }
    Ok(Bench {
        ok,
        core: "rdma",
        published_source: published::SOURCE,
        seed,
        quick,
        clock_mhz: published::CLOCK_MHZ,
        processor_trip_ns: extent.trip_ns,
        line_gbps: published::line_gbps(published::CLOCK_MHZ),
        line_rate_from: sizes
            .iter()
            .find(|row| row.of_line >= REACHED)
            .map(|row| row.bytes),
        framings,
        every_channel,
        pages: extent.pages,
        messages,
        sizes,
        stages,
        incast,
    })
}

/// Every channel of every page busy, and whether all bytes were right.
fn every_rows(pages: u8, packed: bool, seed: u64) -> Result<(Vec<EveryRow>, bool), SimError> {
    let model = Model {
        pages,
        packed,
        ..Model::default()
    };
    let mut bench = Bencher::of(model, seed)?;
    let rows = EVERY.into_iter().map(|bytes| bench.every(bytes));
    let rows = rows.collect::<Result<_, _>>()?;
    Ok((rows, bench.ok))
}

/// An incast, and whether all its bytes were right.
fn incast_row(marks: bool, quick: bool, seed: u64) -> Result<(IncastRow, bool), SimError> {
    let usual = IncastConfig::default();
    let config = IncastConfig {
        mark: if marks { usual.mark } else { 0 },
        settle: if quick { 10_000 } else { 100_000 },
        cycles: if quick { 30_000 } else { 300_000 },
        patience: if quick { 0 } else { 300_000 },
        seed,
        ..usual
    };
    let result = rdma::incast(&config, &mut output::stop_if_interrupted)?;
    let row = IncastRow {
        senders: config.senders,
        bytes: config.bytes,
        queue_words: config.queue,
        mark_words: config.mark,
        of_line: result.sum(),
        deviation: result.deviation(),
        marked: result.network.marked,
        overflowed: result.network.overflowed,
        deepest_words: result.network.deepest,
        retransmissions: result.retransmissions,
        recovery_cycles: result.recovery_cycles,
        shares: result.shares,
    };
    Ok((row, result.ok))
}

/// Payload in Gb/s at the clock of the thesis.
fn gbps(bytes: u64, cycles: u64) -> f64 {
    bytes as f64 * 8.0 / cycles.max(1) as f64 * published::CLOCK_MHZ / 1e3
}

struct Bencher {
    pair: Pair,
    ok: bool,
}

fn failed(message: impl ToString) -> SimError {
    SimError::BadParameter {
        name: "engine",
        message: message.to_string(),
    }
}

impl Bencher {
    fn new(port_bits: u16, packed: bool, seed: u64) -> Result<Self, SimError> {
        let model = Model {
            port_bits,
            packed,
            ..Model::default()
        };
        Self::of(model, seed)
    }

    fn of(model: Model, seed: u64) -> Result<Self, SimError> {
        let pages = model.pages;
        let config = PairConfig {
            model,
            memory: MemoryConfig {
                bytes: MEMORY,
                ..MemoryConfig::default()
            },
            network: NetworkConfig {
                wires: true,
                ..NetworkConfig::default()
            },
            seed,
        };
        config
            .model
            .prepare(&mut |_| output::stop_if_interrupted())?;
        let mut pair = Pair::new(&config)?;
        let limits = Limits {
            timeout: 100_000,
            retries: 7,
            read_timeout: 1000,
        };
        let rights = Rights {
            read: true,
            write: true,
        };
        for node in 0..2 {
            pair.begin(node, &limits).map_err(failed)?;
            for page in 0..pages {
                pair.window(node, page, 0, 0..=MEMORY as u64 - 1, rights)
                    .map_err(failed)?;
            }
        }
        for (i, byte) in pair.node(0).memory.bytes.iter_mut().enumerate() {
            *byte = (i as u64)
                .wrapping_add(seed)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .to_le_bytes()[7];
        }
        Ok(Self { pair, ok: true })
    }

    /// Has a descriptor written into a channel of node 0, counted through its pages: a transfer to
    /// this node or to its peer.
    fn post(&mut self, channel: u32, bytes: u32, to: usize) -> Result<(), SimError> {
        let size = bytes as usize;
        let node = self.pair.node(HERE);
        let work = if bytes <= 8 {
            Work::Inline(node.memory.bytes[..size].to_vec())
        } else {
            Work::Write {
                source: 0,
                size: bytes,
            }
        };
        let descriptor = Descriptor {
            work,
            destination: (to as u64) << 48 | TARGET,
            class: Class::Small,
            priority: 0,
            qos: 0,
            notification: None,
        };
        let lines = descriptor.encode().map_err(failed)?;
        let (page, channel) = (channel / CHANNELS, channel % CHANNELS);
        let address = WINDOW * u64::from(page) + 32 * u64::from(channel);
        node.start_write(address, &lines.first)
            .map(|_| ())
            .map_err(failed)
    }

    /// Posts in the first channels and waits until all are done: cycles in which the descriptors
    /// were taken, and the one in which the last end was read.
    fn carry(&mut self, count: u32, bytes: u32, to: usize) -> Result<(Vec<u64>, u64), SimError> {
        self.clear(bytes, to);
        for channel in 0..count {
            self.post(channel, bytes, to)?;
        }
        let mut begun = Vec::new();
        // A question for each page, from which its channels are left.
        let mut asked: Vec<(u32, Option<u64>)> = (0..count.div_ceil(CHANNELS))
            .map(|page| (CHANNELS.min(count - page * CHANNELS), None))
            .collect();
        let limit = self.pair.now() + PATIENCE;
        while asked.iter().any(|(left, _)| *left > 0) && self.pair.now() < limit {
            let all_begun = begun.len() == count as usize;
            for (page, (left, question)) in (0..).zip(&mut asked) {
                if *left > 0 && question.is_none() && (count == 1 || all_begun) {
                    *question = Some(self.start_question(page, count == 1)?);
                }
            }
            self.pair.step();
            for done in self.pair.node(HERE).done() {
                let result = done.result.map_err(failed)?;
                let page = asked.iter_mut().find(|(_, it)| *it == Some(done.ticket));
                let Some((left, question)) = page else {
                    begun.push(done.begun);
                    continue;
                };
                *question = None;
                // Done is 2, an error 3.
                let ends = result & 0xaaaa_aaaa_aaaa_aaaa_aaaa_aaaa_aaaa_aaaa;
                *left -= ends.count_ones();
                self.ok &= ends >> 1 & result == 0;
            }
            if self.pair.now().is_multiple_of(4096) {
                output::stop_if_interrupted();
            }
        }
        let left: u32 = asked.iter().map(|(left, _)| left).sum();
        if left > 0 {
            let ended = count - left;
            let message = format!("{ended} of {count} transfers of {bytes} bytes ended");
            return Err(failed(message));
        }
        let end = self.pair.now();
        self.check(bytes, to);
        Ok((begun, end))
    }

    /// Has the state of all channels of a page read, or of its first one only.
    fn start_question(&mut self, page: u32, only_first: bool) -> Result<u64, SimError> {
        let node = self.pair.node(HERE);
        let state = WINDOW * u64::from(u32::from(node.model().pages) + page);
        let ticket = if only_first {
            node.start_read(state, 8)
        } else {
            node.start_read(state + 0x400, 16)
        };
        ticket.map_err(failed)
    }

    /// Where transfers of this size go holds nothing of them yet.
    fn clear(&mut self, bytes: u32, to: usize) {
        let target = TARGET as usize..TARGET as usize + bytes as usize;
        self.pair.node(to).memory.bytes[target].fill(0);
    }

    /// Whether they are there; and nothing of them is in the way of the next measurement.
    fn check(&mut self, bytes: u32, to: usize) {
        let target = TARGET as usize..TARGET as usize + bytes as usize;
        let source = self.pair.node(HERE).memory.bytes[..bytes as usize].to_vec();
        self.ok &= self.pair.node(to).memory.bytes[target] == source;
        for _ in 0..200 {
            self.pair.step();
        }
    }

    /// Reads the state of the first channel: it, and the cycles that the port takes.
    fn ask(&mut self) -> Result<(u128, u64), SimError> {
        let begun = self.pair.now();
        let ticket = self.start_question(0, true)?;
        while self.pair.now() < begun + PATIENCE {
            self.pair.step();
            let now = self.pair.now();
            let mut over = self.pair.node(HERE).done();
            if let Some(done) = over.find(|done| done.ticket == ticket) {
                return Ok((done.result.map_err(failed)?, now - begun));
            }
        }
        Err(failed("the port does not answer"))
    }

    /// A single transfer with the processor of the thesis: it writes the descriptor, asks at once,
    /// and asks again whenever it has an answer, until that is that it is done. An access takes the
    /// trip, and more only if the port takes longer than when it is idle. Both ways of a trip are
    /// as long for descriptor and question, so the sum of the accesses is the time.
    fn with_processor(&mut self, bytes: u32, to: usize, trip: u64) -> Result<u64, SimError> {
        self.clear(bytes, to);
        let (_, idle) = self.ask()?;
        self.post(0, bytes, to)?;
        let (mut cycles, limit) = (0, self.pair.now() + PATIENCE);
        loop {
            let (state, taken) = self.ask()?;
            let access = trip.max(idle) + taken.saturating_sub(idle);
            cycles += access;
            if state & 2 != 0 {
                self.ok &= state & 3 == 2;
                break;
            }
            if self.pair.now() > limit {
                return Err(failed(format!("a transfer of {bytes} bytes does not end")));
            }
            for _ in taken..access {
                self.pair.step();
            }
        }
        self.check(bytes, to);
        Ok(cycles)
    }

    /// Where the cycles of a single transfer go. Within a node nothing is seen at the network.
    fn stages(&mut self, bytes: u32, to: usize) -> Result<StageRow, SimError> {
        for node in [HERE, FAR] {
            self.pair.node(node).watch();
            self.pair.node(node).moves().for_each(drop);
        }
        let (begun, end) = self.carry(1, bytes, to)?;
        let moves = [HERE, FAR].map(|node| self.pair.node(node).moves().collect::<Vec<_>>());
        let first = |node: usize, what| moves[node].iter().find(|(_, found)| *found == what);
        let last = |node: usize, what| moves[node].iter().rfind(|(_, found)| *found == what);
        let sent = |last| Move::Sent { last };
        let came = |last| Move::Came { last };
        let reached = [
            ("descriptor taken", first(HERE, Move::Descriptor)),
            ("first read request", first(HERE, Move::ReadRequest)),
            ("first word read", first(HERE, Move::ReadWord)),
            ("last word read", last(HERE, Move::ReadWord)),
            ("first word on the line", first(HERE, sent(false))),
            ("last word on the line", last(HERE, sent(true))),
            ("last word arrives", last(to, came(true))),
            ("first write request", first(to, Move::WriteRequest)),
            ("first word written", first(to, Move::WriteWord)),
            ("last word written", last(to, Move::WriteWord)),
            ("last write response", last(to, Move::WriteResponse)),
            ("answer on the line", first(to, sent(false))),
            ("answer arrives", last(HERE, came(true))),
        ];
        let mut points: Vec<(&str, u64)> = reached
            .into_iter()
            .filter_map(|(name, found)| Some((name, found?.0 - begun[0])))
            .collect();
        points.push(("user reads that it is done", end - begun[0]));
        points.sort_by_key(|(_, at)| *at);
        let mut before = 0;
        let stages = points.into_iter().map(|(name, at)| {
            let cycles = at - std::mem::replace(&mut before, at);
            Stage { name, at, cycles }
        });
        Ok(StageRow {
            bytes,
            intra_node: to == HERE,
            stages: stages.collect(),
        })
    }

    fn messages(&mut self) -> Result<MessageRow, SimError> {
        let (begun, end) = self.carry(CHANNELS / 2, 8, FAR)?;
        let first_half = end - begun[0];
        let (begun, end) = self.carry(CHANNELS, 8, FAR)?;
        // The first addresses are taken ahead of their data: the second half counts.
        let half = begun.len() / 2;
        let late = &begun[half - 1..];
        let cycles_each = (late[half] - late[0]) as f64 / half as f64;
        let model = self.pair.node(0).model();
        Ok(MessageRow {
            port_bits: model.port_bits,
            packed: model.packed,
            line_cycles_each: 8.0 / 64.0 / published::share(model.packed, 8),
            messages: CHANNELS,
            cycles_each,
            per_second: published::CLOCK_MHZ * 1e6 / cycles_each,
            cycles_to_end_each: (end - begun[0]) as f64 / f64::from(CHANNELS),
            cycles_each_further: (end - begun[0] - first_half) as f64 / f64::from(CHANNELS / 2),
        })
    }

    /// A single transfer, and as many as have a channel.
    fn framing(&mut self, bytes: u32) -> Result<FramingRow, SimError> {
        let words = |bench: &mut Self| {
            let register = regs::observe::WORDS_SENT.offset;
            bench.pair.counter(0, register).map_err(failed)
        };
        let (begun, end) = self.carry(1, bytes, FAR)?;
        let single_cycles = end - begun[0];
        let before = words(self)?;
        let (begun, end) = self.carry(CHANNELS, bytes, FAR)?;
        let sent = words(self)? - before;
        let payload = u64::from(bytes) * u64::from(CHANNELS);
        let packed = self.pair.node(0).model().packed;
        Ok(FramingRow {
            packed,
            bytes,
            single_cycles,
            efficiency: payload as f64 / (sent * 64) as f64,
            limit: published::share(packed, bytes),
            gbps: gbps(payload, end - begun[0]),
        })
    }

    /// As many transfers as the engine has channels.
    fn every(&mut self, bytes: u32) -> Result<EveryRow, SimError> {
        let Model { pages, packed, .. } = self.pair.node(HERE).model();
        let transfers = CHANNELS * u32::from(pages);
        let (begun, end) = self.carry(transfers, bytes, FAR)?;
        let cycles = end - begun[0];
        Ok(EveryRow {
            packed,
            bytes,
            transfers,
            cycles_each: cycles as f64 / f64::from(transfers),
            line_cycles_each: f64::from(bytes) / 64.0 / published::share(packed, bytes),
            gbps: gbps(u64::from(bytes) * u64::from(transfers), cycles),
        })
    }

    fn size(&mut self, bytes: u32, trip: u64) -> Result<SizeRow, SimError> {
        let mut single = |to| {
            let (begun, end) = self.carry(1, bytes, to)?;
            Ok((end - begun[0], self.with_processor(bytes, to, trip)?))
        };
        let (intra_node_cycles, intra_node_processor_cycles) = single(HERE)?;
        let (single, processor_cycles) = single(FAR)?;
        // Of large transfers fewer are enough to fill the line.
        let outstanding = CHANNELS.min((1 << 22) / bytes);
        let (begun, end) = self.carry(outstanding, bytes, FAR)?;
        let payload = u64::from(bytes) * u64::from(outstanding);
        let cycles = end - begun[0];
        let outstanding_gbps = gbps(payload, cycles);
        Ok(SizeRow {
            bytes,
            message: bytes <= 8,
            single_cycles: single,
            single_gbps: gbps(bytes.into(), single),
            processor_cycles,
            intra_node_cycles,
            intra_node_processor_cycles,
            outstanding,
            outstanding_cycles: cycles as f64 / f64::from(outstanding),
            outstanding_gbps,
            of_line: outstanding_gbps / published::line_gbps(published::CLOCK_MHZ),
        })
    }
}
