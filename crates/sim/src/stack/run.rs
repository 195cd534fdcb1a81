// SPDX-License-Identifier: Apache-2.0
//! A run: users of all nodes, and a file.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::fabric::{self, EndCounts, Network};
use super::record::{Happened, Stage};
use super::station::PortCounts;
use super::topology::Topology;
use crate::models::Building;
use crate::rdma::{
    self, Fabric, MemoryConfig, Model, NetworkConfig, PairConfig, RunConfig, RunResult, Workload,
};
use crate::{LatencyHistogram, SimError};

/// Clock of engines and frames: lanes of 28 Gb/s, in words of 64 bits, of which two go with a
/// cycle.
pub const CLOCK_HZ: f64 = 28e9 / 128.0;
/// Cycles in which links have to come up.
const PATIENCE: u64 = 100_000;
/// Time-out of the engines in cycles: beyond all that links and queues take, so that what is
/// repeated was lost.
const TIMEOUT: u32 = 400_000;

/// What is run.
#[derive(Debug, Clone, PartialEq)]
pub struct StackConfig {
    /// Nodes and links.
    pub topology: Topology,
    /// What users ask for; the transfers of the file come on top.
    pub workload: Workload,
    /// Pages of each engine.
    pub pages: u8,
    /// Time-out of the engines in cycles; `None`: one that only what was lost exceeds.
    pub timeout: Option<u32>,
    /// Of everything random.
    pub seed: u64,
}

/// What has become of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkResult {
    /// Its two ends, as a topology names them.
    pub names: [String; 2],
    /// What each has sent and seen.
    pub ends: [EndCounts; 2],
    /// Bits that were flipped on the way from each.
    pub bit_errors: [u64; 2],
}

/// What has become of everything.
#[derive(Debug, Clone, PartialEq)]
pub struct StackResult {
    /// Users, memories and engines.
    pub run: RunResult,
    /// Links in the order of the topology.
    pub links: Vec<LinkResult>,
    /// Of each node, between engine and link.
    pub ports: Vec<PortCounts>,
    /// Cycles of the first word of a packet in each part of its way.
    pub stages: BTreeMap<Stage, LatencyHistogram>,
    /// What happened to the links.
    pub events: Vec<Happened>,
    /// Cycle in which all links were open.
    pub opened: u64,
}

impl StackResult {
    /// Everything was completed, and the file is what it was.
    #[must_use]
    pub fn ok(&self, file: &[u8]) -> bool {
        self.run.ok() && self.run.file == file
    }
}

fn model(config: &StackConfig) -> Model {
    Model {
        pages: config.pages,
        senders: (config.topology.nodes.next_power_of_two() as u8).max(2),
        ..Model::default()
    }
}

/// Builds the simulators, unless they have been built before.
///
/// # Errors
/// As [`crate::rifl::Model::prepare`].
pub fn prepare(config: &StackConfig, tell: &mut dyn FnMut(Building)) -> Result<(), SimError> {
    model(config).prepare(tell)?;
    fabric::prepare(tell)
}

/// Runs it, with a file from the first to the last node unless it is empty. `tell` has now and then
/// how many transfers are over; when it unwinds, the run stops.
///
/// # Errors
/// A parameter is out of range, or a simulator cannot be built.
pub fn run(
    config: &StackConfig,
    file: &[u8],
    tell: &mut dyn FnMut(u64),
) -> Result<StackResult, SimError> {
    if !(2..=64).contains(&config.topology.nodes) {
        return Err(SimError::BadParameter {
            name: "nodes",
            message: format!("{} is not in 2 to 64", config.topology.nodes),
        });
    }
    let network = Rc::new(RefCell::new(Network::new(&config.topology, config.seed)?));
    let opened = open(&network)?;
    let run_config = RunConfig {
        pair: PairConfig {
            model: model(config),
            memory: MemoryConfig::default(),
            network: NetworkConfig {
                nodes: config.topology.nodes as u8,
                ..NetworkConfig::default()
            },
            seed: config.seed,
        },
        workload: config.workload,
        timeout: Some(config.timeout.unwrap_or(TIMEOUT)),
        retries: 7,
        resets: 0,
    };
    let result = rdma::run_over(&run_config, Some(network.clone()), file.to_vec(), tell)?;
    let mut network = network.borrow_mut();
    let links = (config.topology.links.iter().enumerate())
        .map(|(number, link)| LinkResult {
            names: [link.a.to_string(), link.b.to_string()],
            ends: network.counts(number),
            bit_errors: network.bit_errors(number),
        })
        .collect();
    Ok(StackResult {
        run: result,
        links,
        ports: network.port_counts(),
        stages: std::mem::take(&mut network.follow.stages),
        events: std::mem::take(&mut network.events.0),
        opened,
    })
}

/// Until all nodes may send.
fn open(network: &Rc<RefCell<Network>>) -> Result<u64, SimError> {
    let mut network = network.borrow_mut();
    for now in 0..PATIENCE {
        if network.is_open() {
            return Ok(now);
        }
        network.end();
    }
    Err(SimError::BadParameter {
        name: "topology",
        message: format!("the links are not up after {PATIENCE} cycles; fewer bit errors?"),
    })
}
