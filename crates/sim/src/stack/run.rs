// SPDX-License-Identifier: Apache-2.0
//! A run: users of all nodes, and a file.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use ropewalk_wire::switch::{CLASSES, Tables, Topology};

use super::fabric::{self, EndCounts, Network};
use super::faults::LinkFaults;
use super::record::{Happened, Stage};
use super::station::{PortCounts, VC_WORDS};
use super::switch::{NODES, SwitchCounts};
use crate::models::Building;
use crate::net::SWITCH_CYCLES;
use crate::rdma::{
    self, Fabric, MemoryConfig, Model, NetworkConfig, PairConfig, RunConfig, RunResult, Workload,
};
use crate::{LatencyHistogram, SimError};

/// Clock of engines and frames: lanes of 28 Gb/s, in words of 64 bits, of which two go with a
/// cycle.
pub const CLOCK_HZ: f64 = 28e9 / 128.0;
/// Cycles in which links have to come up.
const PATIENCE: u64 = 100_000;
/// Time-out of the engines in cycles beside what waits in the network: processors, memories, and
/// lanes that come back.
const TIMEOUT: u64 = 10_000;

/// What there is: a network with an engine at each node.
#[derive(Debug, Clone, PartialEq)]
pub struct StackConfig {
    /// Nodes, switches and links, with their delays and bit error rates.
    pub topology: Topology,
    /// What else happens to the links, in the order of the topology; none where it ends.
    pub faults: Vec<LinkFaults>,
    /// Words of a queue in a switch from which on packets that leave it are marked, so that engines
    /// lower their rates; `None`: credits alone hold them back.
    pub mark: Option<u16>,
    /// Pages of each engine.
    pub pages: u8,
    /// Of everything random.
    pub seed: u64,
}

/// What is run on it.
#[derive(Debug, Clone, PartialEq)]
pub struct StackRun {
    /// Nodes, switches, links and engines.
    pub stack: StackConfig,
    /// What users ask for; the transfers of the file come on top.
    pub workload: Workload,
    /// Time-out of the engines in cycles; `None`: [`StackConfig::patience`].
    pub timeout: Option<u32>,
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
    /// Of each switch.
    pub switches: Vec<SwitchCounts>,
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

impl StackConfig {
    /// What each engine is built with.
    #[must_use]
    pub fn model(&self) -> Model {
        Model {
            pages: self.pages,
            senders: Model::senders_of(self.topology.nodes()),
            ..Model::default()
        }
    }

    /// A time-out of engines beyond all that links, queues and faults take, in cycles, so that what
    /// is repeated was lost: at the worst a block has the memory of all other nodes in front of it,
    /// both ways.
    #[must_use]
    pub fn patience(&self) -> u32 {
        let links = self.topology.links().iter();
        let delays: u64 = links.map(|link| u64::from(link.delay)).sum();
        let memory = VC_WORDS * CLASSES as u64 * u64::from(self.topology.nodes());
        let faults = self.faults.iter().map(LinkFaults::longest).max();
        let cycles = TIMEOUT + 2 * (delays + memory + faults.unwrap_or(0));
        cycles.try_into().unwrap_or(u32::MAX)
    }

    /// Engines, their memories, and what the plain network of the engines is to know of this one.
    pub(super) fn pair(&self, memory: MemoryConfig, network: NetworkConfig) -> PairConfig {
        PairConfig {
            model: self.model(),
            memory,
            network: NetworkConfig {
                nodes: self.topology.nodes() as u8,
                ..network
            },
            seed: self.seed,
        }
    }
}

/// Builds the simulators, unless they have been built before.
///
/// # Errors
/// As [`crate::rifl::Model::prepare`].
pub fn prepare(config: &StackConfig, tell: &mut dyn FnMut(Building)) -> Result<(), SimError> {
    config.model().prepare(tell)?;
    fabric::prepare(&config.topology, tell)
}

/// Runs it, with a file from the first to the last node unless it is empty. `tell` has now and then
/// how many transfers are over; when it unwinds, the run stops.
///
/// # Errors
/// A parameter is out of range, or a simulator cannot be built.
pub fn run(
    run: &StackRun,
    file: &[u8],
    tell: &mut dyn FnMut(u64),
) -> Result<StackResult, SimError> {
    let topology = &run.stack.topology;
    let (network, opened) = joined(&run.stack)?;
    let run_config = RunConfig {
        timeout: Some(run.timeout.unwrap_or_else(|| run.stack.patience())),
        ..users(run, NetworkConfig::default())
    };
    let result = rdma::run_over(&run_config, Some(network.clone()), file.to_vec(), tell)?;
    let mut network = network.borrow_mut();
    Ok(StackResult {
        run: result,
        links: link_results(topology, &network),
        ports: network.port_counts(),
        switches: network.switch_counts(),
        stages: std::mem::take(&mut network.follow.stages),
        events: std::mem::take(&mut network.events.0),
        opened,
    })
}

/// Links, switches and ends, with all links open, and the cycle in which they were.
pub(super) fn joined(config: &StackConfig) -> Result<(Rc<RefCell<Network>>, u64), SimError> {
    let tables = validate(config)?;
    let network = Rc::new(RefCell::new(Network::new(config, &tables)?));
    let opened = open(&network)?;
    Ok((network, opened))
}

/// What has become of the links, in the order of the topology.
pub(super) fn link_results(topology: &Topology, network: &Network) -> Vec<LinkResult> {
    (topology.links().iter().enumerate())
        .map(|(number, link)| LinkResult {
            names: [link.a.to_string(), link.b.to_string()],
            ends: network.counts(number),
            bit_errors: network.bit_errors(number),
        })
        .collect()
}

/// Runs the same users over a plain network that loses a share of the packets, of all kinds, and
/// keeps nothing of what a link keeps: what is lost there the engines send again. It stores each
/// packet and passes it on after the mean delay of all paths of the topology.
///
/// # Errors
/// As [`run`].
pub fn run_lossy(
    run: &StackRun,
    loss: f64,
    file: &[u8],
    tell: &mut dyn FnMut(u64),
) -> Result<RunResult, SimError> {
    let tables = validate(&run.stack)?;
    let network = NetworkConfig {
        delay: mean_delay(&run.stack.topology, &tables),
        drop: loss,
        spare: 16,
        ..NetworkConfig::default()
    };
    let run_config = RunConfig {
        timeout: run.timeout,
        ..users(run, network)
    };
    rdma::run_over(&run_config, None, file.to_vec(), tell)
}

/// What users ask for over a network.
fn users(run: &StackRun, network: NetworkConfig) -> RunConfig {
    RunConfig {
        pair: run.stack.pair(MemoryConfig::default(), network),
        workload: run.workload,
        timeout: None,
        read_timeout: None,
        retries: 15,
        resets: 0,
        keep_words: false,
    }
}

/// Cycles from node to node over links and switches, the mean of all pairs.
fn mean_delay(topology: &Topology, tables: &Tables) -> u32 {
    let links = topology.links();
    let link = links.iter().map(|link| f64::from(link.delay)).sum::<f64>() / links.len() as f64;
    let nodes = topology.nodes();
    let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
    let hops: Vec<_> = pairs
        .filter_map(|(from, to)| tables.hops(from, to))
        .collect();
    let switches = hops.iter().map(|hops| f64::from(*hops)).sum::<f64>() / hops.len() as f64;
    (link + switches * (link + SWITCH_CYCLES as f64)).round() as u32
}

/// Checks what a run needs, and gives the tables of the switches.
fn validate(config: &StackConfig) -> Result<Tables, SimError> {
    let topology = &config.topology;
    let bad = |name, message| Err(SimError::BadParameter { name, message });
    if !(2..=NODES).contains(&topology.nodes()) {
        let message = format!("{} is not in 2 to {NODES}", topology.nodes());
        return bad("nodes", message);
    }
    if config.faults.len() > topology.links().len() {
        let (found, most) = (config.faults.len(), topology.links().len());
        return bad("faults", format!("of {found} links; accepted: 0 to {most}"));
    }
    let mut links = topology.links().iter().zip(&config.faults);
    links.try_for_each(|(link, faults)| faults.validate(link))?;
    Tables::new(topology).or_else(|error| bad("topology", error.to_string()))
}

/// Until all nodes and switches may send.
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
