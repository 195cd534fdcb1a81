// SPDX-License-Identifier: Apache-2.0
//! Incast: all nodes but one write to that one at the same time, without a pause, and what each of
//! them gets of its line; then all but one of them stop, and the last one has the line again.

use ropewalk_wire::rdma::{Class, Descriptor, Work, regs};

use super::network::{NetworkConfig, NetworkCounts};
use super::node::AccessError;
use super::pair::{Limits, Pair, PairConfig, Rights};
use super::{MemoryConfig, Model, WORD};
use crate::SimError;

/// The node that everybody writes to.
const RECEIVER: usize = 0;
/// Transfers of a sender at a time: the write channels of a page.
const CHANNELS: u64 = 64;
/// Words of payload of a full line, and all of them, in framing in words.
const PAYLOAD_WORDS: (u64, u64) = (16, 18);
/// Share of the line at which a sender has it again.
const RECOVERED: f64 = 0.9;
/// Cycles over which that is measured.
const SPAN: u64 = 8192;

/// An incast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IncastConfig {
    /// Nodes that send, 1 to 63.
    pub senders: u8,
    /// Bytes of a transfer, a multiple of 64 up to 64 KB.
    pub bytes: u32,
    /// Words that wait in front of the receiver, at most.
    pub queue: u32,
    /// Words from which on packets are marked; 0: none is.
    pub mark: u32,
    /// Cycles in front of those that count.
    pub settle: u64,
    /// Cycles that count.
    pub cycles: u64,
    /// Cycles in which the last sender is to have the line again; 0: nobody stops.
    pub patience: u64,
    /// Of everything random.
    pub seed: u64,
}

impl Default for IncastConfig {
    /// Seven senders and a queue of 1.5 MB.
    fn default() -> Self {
        Self {
            senders: 7,
            bytes: 4096,
            queue: 24_576,
            mark: 1728,
            settle: 60_000,
            cycles: 100_000,
            patience: 0,
            seed: 0,
        }
    }
}

/// What has become of it.
#[derive(Debug, Clone, PartialEq)]
pub struct IncastResult {
    /// Payload of each sender over that of a full line.
    pub shares: Vec<f64>,
    /// What the network has done until all but one sender stopped.
    pub network: NetworkCounts,
    /// Blocks that were sent again by then.
    pub retransmissions: u64,
    /// Cycles from when the others stopped to when the last one had the line again; `None`: it did
    /// not get it, or was not waited for.
    pub recovery_cycles: Option<u64>,
    /// All bytes were what they should be, and no transfer failed.
    pub ok: bool,
}

impl IncastResult {
    /// What all senders have of the line.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.shares.iter().sum()
    }

    /// How far that of one of them is from the mean, at most, in parts of the mean.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        let fair = self.sum() / self.shares.len() as f64;
        let far = self.shares.iter().map(|share| (share / fair - 1.0).abs());
        far.fold(0.0, f64::max)
    }
}

struct Incast {
    config: IncastConfig,
    pair: Pair,
    /// By node: the read of states that is under way, and whether it still sends.
    polls: Vec<Option<u64>>,
    sends: Vec<bool>,
    ok: bool,
}

fn refused(error: AccessError) -> SimError {
    SimError::BadParameter {
        name: "engine",
        message: error.to_string(),
    }
}

/// Runs it. `tell` is called now and then; when it unwinds, the run stops.
///
/// # Errors
/// A parameter is out of range, or the simulator cannot be built.
pub fn incast(config: &IncastConfig, tell: &mut dyn FnMut()) -> Result<IncastResult, SimError> {
    let mut run = Incast::new(config)?;
    run.run(config.settle, tell)?;
    let words = run.run(config.cycles, tell)?;
    let shares = words.iter().map(|&words| of_line(words, config.cycles));
    let shares = shares.collect();
    let network = run.pair.network();
    let mut retransmissions = 0;
    for node in 1..=usize::from(config.senders) {
        let register = regs::observe::REPEATED.offset;
        retransmissions += run.pair.counter(node, register).map_err(refused)?;
    }
    let recovery_cycles = run.recover(tell)?;
    Ok(IncastResult {
        shares,
        network,
        retransmissions,
        recovery_cycles,
        ok: run.ok && run.data_are_right(),
    })
}

/// The engines of an incast.
#[must_use]
pub fn incast_model(senders: u8) -> Model {
    Model {
        senders: Model::senders_of(u16::from(senders) + 1),
        ..Model::default()
    }
}

/// Words of payload over those of a full line.
fn of_line(words: u64, cycles: u64) -> f64 {
    let (payload, all) = PAYLOAD_WORDS;
    words as f64 / cycles as f64 * all as f64 / payload as f64
}

impl Incast {
    fn new(config: &IncastConfig) -> Result<Self, SimError> {
        let bad = |name, message| Err(SimError::BadParameter { name, message });
        if !(1..=63).contains(&config.senders) {
            return bad("senders", format!("{} is not in 1 to 63", config.senders));
        }
        let whole = config.bytes.is_multiple_of(WORD as u32);
        if config.bytes == 0 || config.bytes > 65536 || !whole {
            let message = format!("{} is no multiple of 64 up to 65536", config.bytes);
            return bad("bytes", message);
        }
        let nodes = config.senders + 1;
        let memory = usize::from(nodes) * config.bytes as usize;
        let mut pair = Pair::new(&PairConfig {
            model: incast_model(config.senders),
            memory: MemoryConfig {
                bytes: memory,
                ..MemoryConfig::default()
            },
            network: NetworkConfig {
                nodes,
                queue: config.queue,
                mark: config.mark,
                ..NetworkConfig::default()
            },
            seed: config.seed,
        })?;
        let limits = Limits {
            // What may wait in front of a node, and the answers' way.
            timeout: 4 * config.queue + 20_000,
            retries: 15,
            read_timeout: 1000,
        };
        let rights = Rights {
            read: true,
            write: true,
        };
        for node in 0..usize::from(nodes) {
            pair.begin(node, &limits).map_err(refused)?;
            pair.window(node, 0, 0, 0..=memory as u64 - 1, rights)
                .map_err(refused)?;
            for (i, byte) in pair.node(node).memory.bytes.iter_mut().enumerate() {
                *byte = (i as u64 ^ config.seed ^ (node as u64) << 32)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .to_le_bytes()[7];
            }
        }
        pair.node(RECEIVER).memory.watch();
        let mut run = Self {
            config: *config,
            pair,
            polls: vec![None; nodes.into()],
            sends: vec![true; nodes.into()],
            ok: true,
        };
        for channel in 0..CHANNELS {
            for node in 1..usize::from(nodes) {
                run.post(node, channel)?;
            }
        }
        Ok(run)
    }

    /// A sender writes from the begin of its memory to its part of that of the receiver.
    fn post(&mut self, node: usize, channel: u64) -> Result<(), SimError> {
        let descriptor = Descriptor {
            work: Work::Write {
                source: (node as u64) << 48,
                size: self.config.bytes,
            },
            destination: ((RECEIVER as u64) << 48) + node as u64 * u64::from(self.config.bytes),
            class: Class::OnePath,
            priority: 0,
            qos: 0,
            notification: None,
        };
        let lines = descriptor
            .encode()
            .map_err(|error| SimError::BadParameter {
                name: "bytes",
                message: error.to_string(),
            })?;
        self.pair
            .node(node)
            .start_write(32 * channel, &lines.first)
            .map(|_| ())
            .map_err(refused)
    }

    /// Words that each sender brings to the memory of the receiver in these cycles.
    fn run(&mut self, cycles: u64, tell: &mut dyn FnMut()) -> Result<Vec<u64>, SimError> {
        let mut words = vec![0; usize::from(self.config.senders)];
        let end = self.pair.now() + cycles;
        while self.pair.now() < end {
            for node in 1..self.polls.len() {
                if self.polls[node].is_none() {
                    let ticket = self.pair.node(node).start_read(0x2400, 16);
                    self.polls[node] = Some(ticket.map_err(refused)?);
                }
            }
            self.pair.step();
            for written in self.pair.node(RECEIVER).memory.written() {
                let sender = written.address / u64::from(self.config.bytes);
                words[sender as usize - 1] += 1;
            }
            for node in 1..self.polls.len() {
                self.post_again(node)?;
            }
            if self.pair.now().is_multiple_of(1024) {
                tell();
            }
        }
        Ok(words)
    }

    /// Transfers that are over begin again, while the node sends.
    fn post_again(&mut self, node: usize) -> Result<(), SimError> {
        let done: Vec<_> = self.pair.node(node).done().collect();
        for done in done {
            let states = done.result.map_err(refused)?;
            if Some(done.ticket) != self.polls[node] {
                continue;
            }
            self.polls[node] = None;
            for channel in 0..CHANNELS {
                // Done is 2, an error 3.
                let state = states >> (2 * channel) & 3;
                self.ok &= state != 3;
                if state == 2 && self.sends[node] {
                    self.post(node, channel)?;
                }
            }
        }
        Ok(())
    }

    /// All but the last sender stop: cycles until that one has the line, what still comes of the
    /// others among them.
    fn recover(&mut self, tell: &mut dyn FnMut()) -> Result<Option<u64>, SimError> {
        let last = usize::from(self.config.senders);
        self.sends[..last].fill(false);
        for span in 1..=self.config.patience / SPAN {
            let words = self.run(SPAN, tell)?;
            if of_line(words[last - 1], SPAN) >= RECOVERED {
                return Ok(Some(span * SPAN));
            }
        }
        Ok(None)
    }

    fn data_are_right(&mut self) -> bool {
        let bytes = self.config.bytes as usize;
        (1..self.polls.len()).all(|node| {
            let sent = self.pair.node(node).memory.bytes[..bytes].to_vec();
            self.pair.node(RECEIVER).memory.bytes[node * bytes..][..bytes] == sent
        })
    }
}
