// SPDX-License-Identifier: Apache-2.0
//! Engines of a network for programs of one's own.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use super::fabric::Network;
use super::run::{LinkResult, StackConfig, joined, link_results};
use crate::SimError;
use crate::rdma::{Engine, MemoryConfig, NetworkConfig};

/// A network whose engines a program drives. Time passes in what is asked of them, for all.
pub struct Stack {
    config: StackConfig,
    engines: Vec<Engine>,
    network: Rc<RefCell<Network>>,
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Stack");
        shown.field("config", &self.config).finish_non_exhaustive()
    }
}

impl Stack {
    /// All engines after their reset, and all links open.
    ///
    /// # Errors
    /// A parameter is out of range, or a simulator cannot be built.
    pub fn new(config: StackConfig, memory: MemoryConfig) -> Result<Self, SimError> {
        let (network, _) = joined(&config)?;
        let pair = config.pair(memory, NetworkConfig::default());
        Ok(Self {
            engines: Engine::over(&pair, network.clone())?,
            config,
            network,
        })
    }

    /// Those of the nodes, in their order.
    #[must_use]
    pub fn engines(&self) -> &[Engine] {
        &self.engines
    }

    /// What each link has sent and seen so far, in the order of the topology.
    #[must_use]
    pub fn links(&self) -> Vec<LinkResult> {
        link_results(&self.config.topology, &self.network.borrow())
    }
}
