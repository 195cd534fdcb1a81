// SPDX-License-Identifier: Apache-2.0
//! Routing tables, and why no cycle of waits exists.
//!
//! A table says, for each input port of a switch and each destination, by which ports a packet may
//! go on: all that begin a shortest legal path. A path is legal if each of its turns, from the
//! channel by which it comes to the one by which it goes, is. A channel is a link in one direction.
//!
//! | rule | legal turns |
//! |---|---|
//! | up*/down* | all but from a channel that leads down to one that leads up; up is towards the lesser (level, number) |
//! | dimensions | of a torus: to a later dimension, or straight on, but not through the place where the ring of that dimension is broken |
//!
//! **Deadlock.** A packet holds the memory behind one channel and waits for that behind the next
//! one, so waits follow turns. If the channels can be numbered so that each turn that a table uses
//! leads to a greater number, then no cycle of waits exists: of all channels that wait, the one
//! with the greatest number waits for one that does not. [`Tables::check`] finds such an order, or
//! a cycle, in the tables themselves, whatever rule they were made by; [`Tables::new`] does so
//! before it gives them. Between classes there is no wait in a switch; nodes take class 0 without
//! sending anything.
//!
//! Up*/down* reaches every node from every other one if the levels are distances from a root, since
//! up to the root and down again is legal. Other levels, such as those of a fat tree, are taken if
//! they do so too and the paths are not longer.

mod choice;
mod order;

pub use choice::Choice;
pub(super) use order::bisection;

use super::regs;
use super::topology::{End, MAX_PORTS, Topology};
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use thiserror::Error;

/// Which turns are legal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// Up, then down.
    UpDown,
    /// Dimension after dimension, with these sizes.
    Dimensions(Vec<u16>),
}

/// Why there are no tables.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RouteError {
    /// A pair of nodes without a path.
    #[error("no path from node n{0} to node n{1}; every node has to reach every other one")]
    NoPath(u16, u16),
    /// More switches than a packet has hops.
    #[error(
        "{found} switches from node n{source_node} to node n{destination}; accepted: up to {most}"
    )]
    Hops {
        /// From this node.
        source_node: u16,
        /// To this one.
        destination: u16,
        /// So many.
        found: u8,
        /// Most that are accepted.
        most: u8,
    },
    /// Channels that may wait for each other in a ring.
    #[error("packets may wait for each other in a ring: {0}")]
    Cycle(String),
}

const NONE: u32 = u32::MAX;
const FAR: u8 = u8::MAX;

/// Channels and how they follow each other: link `i` from `a` to `b` is channel `2i`, from `b` to
/// `a` it is `2i + 1`.
#[derive(Debug, Clone)]
struct Graph {
    /// Where a channel leads: a switch, or a node from `switches` on.
    head: Vec<u32>,
    tail: Vec<u32>,
    /// The port of the switch at either side.
    head_port: Vec<u8>,
    tail_port: Vec<u8>,
    /// Channels out of and into a switch, by port; NONE: without one.
    out: Vec<[u32; MAX_PORTS as usize]>,
    into: Vec<[u32; MAX_PORTS as usize]>,
    switches: usize,
}

impl Graph {
    fn new(topology: &Topology, down: &[usize]) -> Self {
        let switches = topology.switches().len();
        let channels = 2 * topology.links().len();
        let mut graph = Graph {
            head: vec![NONE; channels],
            tail: vec![NONE; channels],
            head_port: vec![0; channels],
            tail_port: vec![0; channels],
            out: vec![[NONE; MAX_PORTS as usize]; switches],
            into: vec![[NONE; MAX_PORTS as usize]; switches],
            switches,
        };
        for (index, link) in topology.links().iter().enumerate() {
            if down.contains(&index) {
                continue;
            }
            for (way, from, to) in [(0, link.a, link.b), (1, link.b, link.a)] {
                let channel = 2 * index + way;
                let vertex = |end| match end {
                    End::Node(node) => (switches as u32 + u32::from(node), 0),
                    End::Switch { switch, port } => (u32::from(switch), port),
                };
                (graph.tail[channel], graph.tail_port[channel]) = vertex(from);
                (graph.head[channel], graph.head_port[channel]) = vertex(to);
                if let End::Switch { switch, port } = from {
                    graph.out[usize::from(switch)][usize::from(port)] = channel as u32;
                }
                if let End::Switch { switch, port } = to {
                    graph.into[usize::from(switch)][usize::from(port)] = channel as u32;
                }
            }
        }
        graph
    }

    fn is_switch(&self, vertex: u32) -> bool {
        (vertex as usize) < self.switches
    }

    /// Whether both ends of a channel are switches.
    fn inner(&self, channel: usize) -> bool {
        self.is_switch(self.head[channel]) && self.is_switch(self.tail[channel])
    }
}

/// Turns between channels, by one of the rules.
enum Turns<'a> {
    /// Place of each switch in the order.
    Ranks(&'a [u32]),
    /// Sizes of the dimensions.
    Sizes(&'a [u16]),
}

impl Turns<'_> {
    fn legal(&self, graph: &Graph, from: usize, to: usize) -> bool {
        if from ^ 1 == to {
            return false;
        }
        if !graph.inner(from) || !graph.inner(to) {
            return true;
        }
        match self {
            Turns::Ranks(ranks) => {
                let up = |channel: usize| {
                    ranks[graph.head[channel] as usize] < ranks[graph.tail[channel] as usize]
                };
                up(from) || !up(to)
            }
            Turns::Sizes(sizes) => {
                let [from_port, to_port] = [graph.tail_port[from], graph.tail_port[to]];
                let [first, second] = [from_port, to_port].map(|port| (port - 1) / 2);
                first < second || (from_port == to_port && !broken(sizes, graph.head[from], first))
            }
        }
    }
}

/// Whether the ring of a dimension is broken at a switch: once in each ring, at another place in
/// neighbouring rings.
fn broken(sizes: &[u16], switch: u32, dimension: u8) -> bool {
    let (mut rest, mut own, mut others) = (switch, 0, 0);
    for (at, size) in sizes.iter().enumerate() {
        let place = rest % u32::from(*size);
        rest /= u32::from(*size);
        if at == usize::from(dimension) {
            own = place;
        } else {
            others += place;
        }
    }
    let size = sizes
        .get(usize::from(dimension))
        .map_or(1, |size| u32::from(*size));
    own == others % size
}

/// Legal distances to every switch that has a node.
struct Distances {
    /// Switches to pass from the channel on, for each channel; of each destination switch.
    by_switch: Vec<Vec<u8>>,
    /// Pairs of switches with nodes between which there is no path.
    missing: u64,
    sum: u64,
}

fn distances(graph: &Graph, turns: &Turns<'_>, wanted: &[bool]) -> Distances {
    let channels = graph.head.len();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); channels];
    for from in 0..channels {
        if graph.head[from] == NONE || !graph.is_switch(graph.head[from]) {
            continue;
        }
        for to in graph.out[graph.head[from] as usize] {
            if to != NONE && turns.legal(graph, from, to as usize) {
                before[to as usize].push(from as u32);
            }
        }
    }
    let mut all = Distances {
        by_switch: vec![Vec::new(); graph.switches],
        missing: 0,
        sum: 0,
    };
    let mut queue = Vec::with_capacity(channels);
    for (target, _) in wanted.iter().enumerate().filter(|(_, wanted)| **wanted) {
        let mut far = vec![FAR; channels];
        queue.clear();
        for channel in graph.into[target].into_iter().filter(|it| *it != NONE) {
            far[channel as usize] = 1;
            queue.push(channel);
        }
        let mut at = 0;
        while let Some(&channel) = queue.get(at) {
            at += 1;
            let next = far[channel as usize].saturating_add(1);
            for &from in &before[channel as usize] {
                if far[from as usize] == FAR && next < FAR {
                    far[from as usize] = next;
                    queue.push(from);
                }
            }
        }
        for (channel, far) in far.iter().enumerate() {
            let from_node = graph.tail[channel] != NONE && !graph.is_switch(graph.tail[channel]);
            if from_node && *far == FAR {
                all.missing += 1;
            } else if from_node {
                all.sum += u64::from(*far);
            }
        }
        all.by_switch[target] = far;
    }
    all
}

/// A write into the tables of a switch: at some inputs, the ways to a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableWrite {
    /// The inputs whose tables take it, a bit each.
    pub inputs: u16,
    /// The ports by which a packet may go on, a bit each.
    pub outputs: u16,
    /// To this node.
    pub destination: u16,
}

impl TableWrite {
    /// The writes of registers, address and value, that put it into the tables of a switch.
    #[must_use]
    pub fn registers(&self) -> [(u32, u32); 2] {
        let ways = u32::from(self.inputs) << regs::ways::INPUTS.low | u32::from(self.outputs);
        [
            (regs::WAYS.offset, ways),
            (regs::ROUTE.offset, self.destination.into()),
        ]
    }
}

/// The tables of all switches of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tables {
    nodes: usize,
    /// By (switch, input port, destination).
    ports: Vec<u16>,
    /// Switches to pass, by (switch of the source, destination): what a packet from there needs.
    hops: Vec<u8>,
    /// Switch and channel of each node; NONE: its link is down.
    attached: Vec<(u32, u8)>,
    /// Without a switch: the link from node to node is there.
    direct: bool,
    /// How legal turns were found.
    how: &'static str,
}

impl Tables {
    /// The tables of a topology, found free of cycles.
    ///
    /// # Errors
    /// A pair of nodes has no path, or one of more hops than a packet has, or there is a cycle.
    pub fn new(topology: &Topology) -> Result<Self, RouteError> {
        let tables = Self::without(topology, &[])?;
        if let Some((from, to)) = tables.unreachable() {
            return Err(RouteError::NoPath(from, to));
        }
        Ok(tables)
    }

    /// The tables while these links are down. A pair of nodes without a path has no port in them.
    ///
    /// # Errors
    /// A path of more hops than a packet has, or a cycle.
    pub fn without(topology: &Topology, down: &[usize]) -> Result<Self, RouteError> {
        let graph = Graph::new(topology, down);
        let nodes = usize::from(topology.nodes());
        let mut wanted = vec![false; graph.switches];
        let mut attached = vec![(NONE, 0); nodes];
        for (node, attached) in (0..topology.nodes()).zip(&mut attached) {
            let up = topology
                .node_link(node)
                .is_some_and(|link| !down.contains(&link));
            if let (Some((switch, port)), true) = (topology.attachment(node), up) {
                *attached = (u32::from(switch), port);
                wanted[usize::from(switch)] = true;
            }
        }
        let (distances, ranks, how) = order::best(topology, &graph, &wanted, down.is_empty());
        let turns = match (&topology.rule, &ranks) {
            (_, Some(ranks)) => Turns::Ranks(ranks),
            (Rule::Dimensions(sizes), None) => Turns::Sizes(sizes),
            (Rule::UpDown, None) => Turns::Ranks(&[]),
        };
        let mut tables = Tables {
            nodes,
            ports: vec![0; graph.switches * usize::from(MAX_PORTS) * nodes],
            hops: vec![FAR; graph.switches * nodes],
            attached,
            direct: !down.contains(&0),
            how,
        };
        tables.fill(&graph, &turns, &distances);
        tables.check_hops()?;
        tables.check_graph(&graph)?;
        Ok(tables)
    }

    fn fill(&mut self, graph: &Graph, turns: &Turns<'_>, distances: &Distances) {
        let mut local: Vec<Vec<(usize, u8)>> = vec![Vec::new(); graph.switches];
        for (node, &(switch, port)) in self.attached.iter().enumerate() {
            if switch != NONE {
                local[switch as usize].push((node, port));
            }
        }
        let places = (0..graph.switches).flat_map(|s| (0..MAX_PORTS).map(move |p| (s, p)));
        for (switch, port) in places {
            let from = graph.into[switch][usize::from(port)];
            if from == NONE {
                continue;
            }
            let outs = graph.out[switch].iter().enumerate();
            let outs: Vec<(usize, usize)> = outs
                .filter(|(_, to)| **to != NONE && graph.inner(**to as usize))
                .filter(|(_, to)| turns.legal(graph, from as usize, **to as usize))
                .map(|(port, to)| (port, *to as usize))
                .collect();
            for (target, there) in local.iter().enumerate() {
                if there.is_empty() {
                    continue;
                }
                let far = &distances.by_switch[target];
                let own = far[from as usize];
                let onward = outs.iter().filter(|(_, to)| far[*to] < own);
                let mask = onward.fold(0u16, |mask, (port, _)| mask | 1 << port);
                for &(node, out) in there {
                    let mask = match target == switch {
                        true if out == port => 0,
                        true => 1 << out,
                        false if own == FAR => 0,
                        false => mask,
                    };
                    let at = self.place(switch, port.into(), node);
                    self.ports[at] = mask;
                    let from_node = !graph.is_switch(graph.tail[from as usize]);
                    if from_node {
                        self.hops[switch * self.nodes + node] = own;
                    }
                }
            }
        }
    }

    fn place(&self, switch: usize, port: usize, node: usize) -> usize {
        (switch * usize::from(MAX_PORTS) + port) * self.nodes + node
    }

    /// Ports by which a packet that came in at a port may go on, a bit each; none: no path.
    #[must_use]
    pub fn ports(&self, switch: u16, input: u8, destination: u16) -> u16 {
        let at = self.place(switch.into(), input.into(), destination.into());
        if input < MAX_PORTS && usize::from(destination) < self.nodes {
            self.ports.get(at).copied().unwrap_or(0)
        } else {
            0
        }
    }

    /// What has to be written into the tables of a switch, which are empty after a reset.
    #[must_use]
    pub fn writes(&self, switch: u16) -> Vec<TableWrite> {
        let mut found: Vec<TableWrite> = Vec::new();
        for destination in 0..self.nodes as u16 {
            let first = found.len();
            for input in 0..MAX_PORTS {
                let outputs = self.ports(switch, input, destination);
                let same = found[first..].iter_mut().find(|it| it.outputs == outputs);
                match same {
                    _ if outputs == 0 => (),
                    Some(entry) => entry.inputs |= 1 << input,
                    None => found.push(TableWrite {
                        inputs: 1 << input,
                        outputs,
                        destination,
                    }),
                }
            }
        }
        found
    }

    /// Switches on each path from a node to another one; none: no path. Nodes that are linked to
    /// each other have 0.
    #[must_use]
    pub fn hops(&self, source: u16, destination: u16) -> Option<u8> {
        let [from, to] = [source, destination].map(usize::from);
        if from == to || from >= self.nodes || to >= self.nodes {
            return None;
        }
        if self.ports.is_empty() {
            return self.direct.then_some(0);
        }
        let (switch, _) = self.attached[from];
        let hops = *self.hops.get(switch as usize * self.nodes + to)?;
        (switch != NONE && hops != FAR).then_some(hops)
    }

    /// How the legal turns were found.
    #[must_use]
    pub fn how(&self) -> &'static str {
        self.how
    }

    fn pairs(&self) -> impl Iterator<Item = (u16, u16)> + use<> {
        let nodes = self.nodes as u16;
        let pairs = (0..nodes).flat_map(move |from| (0..nodes).map(move |to| (from, to)));
        pairs.filter(|(from, to)| from != to)
    }

    fn unreachable(&self) -> Option<(u16, u16)> {
        self.pairs()
            .find(|(from, to)| self.hops(*from, *to).is_none())
    }

    fn check_hops(&self) -> Result<(), RouteError> {
        let most = super::MAX_SWITCHES;
        let worst = self
            .pairs()
            .map(|(from, to)| (self.hops(from, to).unwrap_or(0), from, to));
        match worst.max_by_key(|(hops, ..)| *hops) {
            Some((found, source_node, destination)) if found > most => Err(RouteError::Hops {
                source_node,
                destination,
                found,
                most,
            }),
            _ => Ok(()),
        }
    }

    /// Looks for channels that may wait for each other in a ring.
    ///
    /// # Errors
    /// There are such; the error names them in turn.
    pub fn check(&self, topology: &Topology) -> Result<(), RouteError> {
        self.check_graph(&Graph::new(topology, &[]))
    }

    fn check_graph(&self, graph: &Graph) -> Result<(), RouteError> {
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); graph.head.len()];
        for switch in 0..graph.switches {
            for port in 0..usize::from(MAX_PORTS) {
                let from = graph.into[switch][port];
                if from == NONE {
                    continue;
                }
                let at = self.place(switch, port, 0);
                let used = self.ports[at..at + self.nodes].iter();
                let used = used.fold(0, |all, mask| all | mask);
                let outs = graph.out[switch].iter().enumerate();
                let outs = outs.filter(|(out, to)| used >> out & 1 == 1 && **to != NONE);
                next[from as usize] = outs.map(|(_, to)| *to).collect();
            }
        }
        match order::cycle(&next) {
            None => Ok(()),
            Some(ring) => Err(RouteError::Cycle(graph.names(&ring))),
        }
    }

    /// Changes an entry: for tables that are made elsewhere, which [`Tables::check`] has to see
    /// before they are used.
    pub fn set(&mut self, switch: u16, input: u8, destination: u16, ports: u16) {
        let at = self.place(switch.into(), input.into(), destination.into());
        if input < MAX_PORTS
            && usize::from(destination) < self.nodes
            && let Some(entry) = self.ports.get_mut(at)
        {
            *entry = ports;
        }
    }

    /// Number of shortest legal paths from every node to a destination; 0 where there is none.
    #[must_use]
    pub fn paths(&self, topology: &Topology, destination: u16) -> Vec<u64> {
        let graph = Graph::new(topology, &[]);
        let mut known = vec![None; graph.head.len()];
        let nodes = 0..topology.nodes();
        let count = nodes.map(|node| match topology.node_link(node) {
            _ if node == destination => 0,
            Some(link) => {
                let from_a = topology.links()[link].a == End::Node(node);
                let channel = 2 * link + usize::from(!from_a);
                self.paths_from(&graph, channel, destination, &mut known, 0)
            }
            None => 0,
        });
        count.collect()
    }

    fn paths_from(
        &self,
        graph: &Graph,
        channel: usize,
        destination: u16,
        known: &mut [Option<u64>],
        depth: u8,
    ) -> u64 {
        let head = graph.head[channel];
        if head == NONE || depth > super::MAX_SWITCHES {
            return 0;
        }
        if !graph.is_switch(head) {
            return u64::from(head as usize - graph.switches == usize::from(destination));
        }
        if let Some(count) = known[channel] {
            return count;
        }
        let mask = self.ports(head as u16, graph.head_port[channel], destination);
        let outs = (0..MAX_PORTS).filter(|port| mask >> port & 1 == 1);
        let count = outs
            .map(|port| graph.out[head as usize][usize::from(port)])
            .filter(|to| *to != NONE)
            .map(|to| self.paths_from(graph, to as usize, destination, known, depth + 1))
            .fold(0u64, u64::saturating_add);
        known[channel] = Some(count);
        count
    }
}

impl Graph {
    /// Channels by the ends where they begin.
    fn names(&self, ring: &[u32]) -> String {
        let name = |channel: &u32| {
            let channel = *channel as usize;
            let vertex = self.tail[channel];
            let end = if self.is_switch(vertex) {
                End::Switch {
                    switch: vertex as u16,
                    port: self.tail_port[channel],
                }
            } else {
                End::Node((vertex as usize - self.switches) as u16)
            };
            end.to_string()
        };
        let names: Vec<String> = ring.iter().map(name).collect();
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From a switch to the next one in a dimension.
    fn step(sizes: &[u16], dimension: usize) -> u32 {
        sizes[..dimension].iter().product::<u16>().into()
    }

    /// Where the ring of a dimension through a switch is broken.
    fn places(sizes: &[u16], switch: u32, dimension: usize) -> Vec<u32> {
        let (step, size) = (step(sizes, dimension), u32::from(sizes[dimension]));
        let first = switch - switch / step % size * step;
        (0..size)
            .filter(|place| broken(sizes, first + place * step, dimension as u8))
            .collect()
    }

    /// Once, and in the next ring of every other dimension one switch further on.
    #[test]
    fn every_ring_of_a_torus_is_broken() {
        for sizes in [&[2, 9][..], &[4, 20], &[20, 4], &[3, 2, 12]] {
            let (all, dimensions) = (step(sizes, sizes.len()), 0..sizes.len());
            for (switch, dimension) in
                (0..all).flat_map(|switch| dimensions.clone().map(move |it| (switch, it)))
            {
                let here = places(sizes, switch, dimension);
                assert_eq!(here.len(), 1, "{sizes:?} {switch} {dimension}");
                let further = [(here[0] + 1) % u32::from(sizes[dimension])];
                for other in dimensions.clone().filter(|&other| other != dimension) {
                    let (step, size) = (step(sizes, other), u32::from(sizes[other]));
                    if switch / step % size + 1 < size {
                        assert_eq!(places(sizes, switch + step, dimension), further);
                    }
                }
            }
        }
    }
}
