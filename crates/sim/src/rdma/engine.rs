// SPDX-License-Identifier: Apache-2.0
//! A handle of one engine: accesses as a processor carries them out, one after the other. Time
//! passes in them, for all engines.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use super::memory::Memory;
use super::network::{Network, SharedFabric};
use super::node::{AccessError, Node, Ticket};
use super::pair::{Pair, PairConfig};
use crate::SimError;

/// One of two engines or more. Clones are the same engine.
#[derive(Debug, Clone)]
pub struct Engine {
    all: Rc<RefCell<Pair>>,
    node: usize,
}

impl Engine {
    /// Two engines after their reset, node 0 and node 1; see [`Pair::new`].
    ///
    /// # Errors
    /// A parameter is out of range, or the simulator cannot be built.
    pub fn pair(config: &PairConfig) -> Result<[Self; 2], SimError> {
        let all = Rc::new(RefCell::new(Pair::new(config)?));
        Ok([0, 1].map(|node| Self::of(&all, node)))
    }

    fn of(all: &Rc<RefCell<Pair>>, node: usize) -> Self {
        Self {
            all: Rc::clone(all),
            node,
        }
    }

    /// As many as the network has nodes, over a network that is a design of its own.
    pub(crate) fn over(config: &PairConfig, fabric: SharedFabric) -> Result<Vec<Self>, SimError> {
        let all = Pair::over(config, Network::Fabric(fabric))?;
        let all = Rc::new(RefCell::new(all));
        let nodes = 0..usize::from(config.network.nodes);
        Ok(nodes.map(|node| Self::of(&all, node)).collect())
    }

    /// All engines and the network. Nothing else can be asked of any engine until they are given
    /// back.
    #[must_use]
    pub fn all(&self) -> RefMut<'_, Pair> {
        self.all.borrow_mut()
    }

    /// Which one it is.
    #[must_use]
    pub fn number(&self) -> usize {
        self.node
    }

    /// Lets time pass, for all.
    pub fn step(&self, cycles: u64) {
        let mut all = self.all();
        for _ in 0..cycles {
            all.step();
        }
    }

    /// Cycles so far.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.all().now()
    }

    /// The memory of this node. Nothing else can be asked of any engine until it is given back.
    #[must_use]
    pub fn memory(&self) -> RefMut<'_, Memory> {
        RefMut::map(self.all(), |all| &mut all.node(self.node).memory)
    }

    /// Writes a register.
    ///
    /// # Errors
    /// The engine refuses it.
    pub fn write_register(&self, address: u32, value: u32) -> Result<(), AccessError> {
        self.all().write_register(self.node, address, value)
    }

    /// Reads a register.
    ///
    /// # Errors
    /// The engine refuses it.
    pub fn read_register(&self, address: u32) -> Result<u32, AccessError> {
        self.all().read_register(self.node, address)
    }

    /// Writes to the users' port, as one burst, and waits for the response.
    ///
    /// # Errors
    /// The engine refuses it or does not answer, or it is no access of this port.
    pub fn write_port(&self, address: u64, data: &[u8]) -> Result<(), AccessError> {
        self.access(|node| node.start_write(address, data))
            .map(|_| ())
    }

    /// Reads 8 or 16 bytes from the users' port; byte 0 is lowest.
    ///
    /// # Errors
    /// The engine refuses it or does not answer, or it is no access of this port.
    pub fn read_port(&self, address: u64, bytes: usize) -> Result<u128, AccessError> {
        self.access(|node| node.start_read(address, bytes))
    }

    fn access(
        &self,
        start: impl FnOnce(&mut Node) -> Result<Ticket, AccessError>,
    ) -> Result<u128, AccessError> {
        let mut all = self.all();
        let ticket = start(all.node(self.node))?;
        for _ in 0..AccessError::PATIENCE {
            all.step();
            let over = all
                .node(self.node)
                .done()
                .find(|done| done.ticket == ticket);
            if let Some(done) = over {
                return done.result;
            }
        }
        Err(AccessError::NoAnswer)
    }
}
