// SPDX-License-Identifier: Apache-2.0
//! Two engines or more with their memories, in one clock, and the network between them.

use ropewalk_wire::rdma::regs;

use super::ffi::RawModel;
use super::memory::MemoryConfig;
use super::model::Model;
use super::network::{Network, NetworkConfig, NetworkCounts};
use super::node::{AccessError, Node};
use crate::SimError;

/// Cycles in which the scan for what has had no answer goes round.
const SCAN: u64 = 2112;
/// Cycles of a reset.
const RESET: u32 = 4;

/// Two engines, or as many as the network has nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairConfig {
    /// All engines.
    pub model: Model,
    /// All memories.
    pub memory: MemoryConfig,
    /// All directions of the network.
    pub network: NetworkConfig,
    /// Of everything random.
    pub seed: u64,
}

/// Limits of an engine; see `docs/src/rdma-registers.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Cycles from the last word of a block to its answer.
    pub timeout: u32,
    /// How often a block is sent again, up to 15.
    pub retries: u8,
    /// From the answer to a read request to the end of the read, units of 16384 cycles.
    pub read_timeout: u32,
}

impl Limits {
    /// Cycles that all tries of a block take at most and what they wait for, which is taken to be
    /// as long once more.
    pub(super) fn tries(&self) -> u64 {
        2 * (u64::from(self.retries) + 1) * (u64::from(self.timeout) + SCAN)
    }

    /// When what is known of a TID is forgotten, units of 65536 cycles.
    fn forget(&self) -> u32 {
        (self.tries() / 65536 + 16).min(0xffff) as u32
    }
}

/// Engines: node 0, node 1, and more if the network has them.
#[derive(Debug)]
pub struct Pair {
    nodes: Vec<Node>,
    network: Network,
    now: u64,
    /// How often each was reset.
    lives: Vec<u8>,
}

impl Pair {
    /// All after their reset: registers are served, and nothing else until they are enabled.
    ///
    /// # Errors
    /// A parameter is out of range, or the simulator cannot be built.
    pub fn new(config: &PairConfig) -> Result<Self, SimError> {
        let network = Network::new(config.network, config.model.packed, config.seed);
        Self::over(config, network)
    }

    /// The same over a given network.
    pub(super) fn over(config: &PairConfig, network: Network) -> Result<Self, SimError> {
        config.model.validate()?;
        config.network.validate()?;
        let stall = config.memory.stall;
        if !(0.0..1.0).contains(&stall) {
            return Err(SimError::BadParameter {
                name: "stall",
                message: format!("{stall} is not in 0 to below 1"),
            });
        }
        let raw = RawModel::load(&config.model.recipe(), &mut |_| ())?;
        let context = raw.context();
        let count = config.network.nodes;
        if count > config.model.senders {
            let message = format!("{count} with engines for {} senders", config.model.senders);
            return Err(SimError::BadParameter {
                name: "nodes",
                message,
            });
        }
        let node = |number: u8| {
            let seed = config.seed ^ u64::from(b'a' + number);
            let name = format!("n{number}");
            Node::new(&context, &name, raw, config.model, &config.memory, seed)
        };
        let mut pair = Self {
            nodes: (0..count).map(node).collect::<Result<_, _>>()?,
            network,
            now: 0,
            lives: vec![0; count.into()],
        };
        for _ in 0..RESET {
            pair.step();
        }
        for node in &mut pair.nodes {
            node.set_reset(false);
        }
        Ok(pair)
    }

    /// Resets a node, with its side of memory and network: what it was doing is forgotten, and what
    /// arrives there is lost, until [`Pair::end_reset`]. Its memory stays as it is.
    ///
    /// A receiver that was reset takes for new what it had already. So the reset lasts for two
    /// lives of a packet: in the first one the last answer of before arrives, and in the second one
    /// the last packet that was sent again because that had not come.
    pub fn begin_reset(&mut self, node: usize) {
        self.nodes[node].set_reset(true);
    }

    /// Lets it begin another life: as after [`Pair::new`]. At least four cycles after the begin.
    pub fn end_reset(&mut self, node: usize) {
        self.lives[node] = (self.lives[node] + 1) % 16;
        self.nodes[node].set_reset(false);
    }

    /// A node, from 0 on.
    pub fn node(&mut self, node: usize) -> &mut Node {
        &mut self.nodes[node]
    }

    /// Cycles so far.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// What the network has done.
    #[must_use]
    pub fn network(&self) -> NetworkCounts {
        self.network.counts()
    }

    /// Whether no packet is on its way.
    #[must_use]
    pub fn network_is_empty(&self) -> bool {
        self.network.is_empty()
    }

    /// A cycle.
    #[inline]
    pub fn step(&mut self) {
        let now = self.now;
        self.network.begin();
        for (number, node) in self.nodes.iter_mut().enumerate() {
            node.drive(now, number, &mut self.network);
        }
        for (number, node) in self.nodes.iter_mut().enumerate() {
            node.sample(now, number, &mut self.network);
            node.rise();
        }
        self.network.end();
        self.now += 1;
    }

    /// Writes a register of a node.
    ///
    /// # Errors
    /// The engine refuses it.
    pub fn write_register(
        &mut self,
        node: usize,
        address: u32,
        value: u32,
    ) -> Result<(), AccessError> {
        self.register(node, address, Some(value)).map(|_| ())
    }

    /// Reads a register of a node.
    ///
    /// # Errors
    /// The engine refuses it.
    pub fn read_register(&mut self, node: usize, address: u32) -> Result<u32, AccessError> {
        self.register(node, address, None)
    }

    fn register(
        &mut self,
        node: usize,
        address: u32,
        value: Option<u32>,
    ) -> Result<u32, AccessError> {
        self.nodes[node].start_register(address, value);
        for _ in 0..AccessError::PATIENCE {
            self.step();
            if let Some(result) = self.nodes[node].register_done() {
                return result;
            }
        }
        self.nodes[node].forget_register();
        Err(AccessError::NoAnswer)
    }

    /// Identity and limits of a node; then it is enabled, and ready when this returns. It has no
    /// windows.
    ///
    /// # Errors
    /// The engine refuses a register, or does not become ready.
    pub fn begin(&mut self, node: usize, limits: &Limits) -> Result<(), AccessError> {
        let identity = node as u32 | u32::from(self.lives[node]) << 16;
        for (address, value) in [
            (regs::IDENTITY.offset, identity),
            (regs::TIMEOUT.offset, limits.timeout),
            (regs::RETRIES.offset, limits.retries.into()),
            (regs::READ_TIMEOUT.offset, limits.read_timeout),
            (regs::FORGET.offset, limits.forget()),
            (regs::CONTROL.offset, 1),
        ] {
            self.write_register(node, address, value)?;
        }
        for _ in 0..AccessError::PATIENCE {
            if self.read_register(node, regs::STATUS.offset)? & 1 != 0 {
                return Ok(());
            }
        }
        Err(AccessError::NoAnswer)
    }

    /// Gives a domain of a node a window of its memory, from its first byte to its last one.
    ///
    /// # Errors
    /// The engine refuses a register.
    pub fn window(
        &mut self,
        node: usize,
        domain: u8,
        slot: u8,
        range: std::ops::RangeInclusive<u64>,
        rights: Rights,
    ) -> Result<(), AccessError> {
        let which = u32::from(domain)
            | u32::from(slot) << 8
            | u32::from(rights.read) << 16
            | u32::from(rights.write) << 17;
        let (first, last) = (*range.start(), *range.end());
        for (address, value) in [
            (regs::WINDOW.offset, which),
            (regs::WINDOW_FIRST.offset, first as u32),
            (regs::WINDOW_FIRST.offset + 4, (first >> 32) as u32),
            (regs::WINDOW_LAST.offset, last as u32),
            (regs::WINDOW_LAST.offset + 4, (last >> 32) as u32),
            (regs::COMMAND.offset, 2),
        ] {
            self.write_register(node, address, value)?;
        }
        Ok(())
    }

    /// A counter of a node: a register of 64 bits.
    ///
    /// # Errors
    /// The engine refuses the register.
    pub fn counter(&mut self, node: usize, address: u32) -> Result<u64, AccessError> {
        let low = self.read_register(node, address)?;
        let high = self.read_register(node, address + 4)?;
        Ok(u64::from(high) << 32 | u64::from(low))
    }
}

/// What other nodes may do with a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// Read it.
    pub read: bool,
    /// Write to it.
    pub write: bool,
}
