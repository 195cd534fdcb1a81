// SPDX-License-Identifier: Apache-2.0
//! Nodes, switches and the links between them.
//!
//! A node has one link. A switch has 2 to 16 ports, each with one link at most. Names are those of
//! the topology file: `n0`, `n1`, .. are nodes, `s0`, `s1`, .. switches, and `s0.3` is port 3 of
//! switch 0.
//!
//! | module | what |
//! |---|---|
//! | [`generate`] | point to point, star, chain, fat tree, torus, random |
//! | `file` | the topology file, in TOML; with the feature `std` |

#[cfg(feature = "std")]
pub mod file;
pub mod generate;

use super::routes::Rule;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use thiserror::Error;

/// Most nodes.
pub const MAX_NODES: u16 = 1024;
/// Most switches.
pub const MAX_SWITCHES: u16 = 1024;
/// Most ports of a switch.
pub const MAX_PORTS: u8 = 16;
/// Longest delay of a link in cycles, one way.
pub const MAX_DELAY: u32 = 100_000;
/// Bit error rates are below this.
pub const MAX_BER: f64 = 0.01;

/// Where a link ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// At a node.
    Node(u16),
    /// At a port of a switch.
    Switch {
        /// The switch.
        switch: u16,
        /// Its port.
        port: u8,
    },
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Node(node) => write!(f, "n{node}"),
            End::Switch { switch, port } => write!(f, "s{switch}.{port}"),
        }
    }
}

/// A link, both ways.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// One end.
    pub a: End,
    /// The other end.
    pub b: End,
    /// From an end to the other one, in cycles.
    pub delay: u32,
    /// Probability that a bit is flipped.
    pub ber: f64,
}

/// What a link is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wire {
    /// From an end to the other one, in cycles: 20 are the 100 ns of RIFL and a short cable.
    pub delay: u32,
    /// Probability that a bit is flipped.
    pub ber: f64,
}

impl Default for Wire {
    fn default() -> Self {
        Wire {
            delay: 20,
            ber: 0.0,
        }
    }
}

/// A switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switch {
    /// Its ports.
    pub ports: u8,
    /// How far from the top it stands, for up*/down*; not given: found out.
    pub level: Option<u16>,
}

/// What is wrong with a topology.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Problem {
    /// A number out of its range.
    #[error("{what} {found}; accepted: {least} to {most}")]
    Range {
        /// Of what.
        what: &'static str,
        /// The value.
        found: u64,
        /// Least that is accepted.
        least: u64,
        /// Most.
        most: u64,
    },
    /// A bit error rate out of its range.
    #[error("ber {0}; accepted: 0 or more and below {MAX_BER}")]
    Ber(f64),
    /// A node or switch that is not there.
    #[error("'{name}' is not there; accepted: {first}0 to {first}{last}")]
    Absent {
        /// Its name.
        name: String,
        /// n or s.
        first: char,
        /// The last that is there.
        last: u32,
    },
    /// A port that the switch has not.
    #[error("'{end}': switch s{switch} has ports 0 to {last}")]
    Port {
        /// As named.
        end: End,
        /// The switch.
        switch: u16,
        /// Its last port.
        last: u8,
    },
    /// A port or a node with two links.
    #[error("'{0}' has a link already; accepted: one link for each node and port")]
    Taken(End),
    /// No port is left.
    #[error("no port of switch s{0} is left for another link")]
    Full(u16),
    /// A link from a switch to itself.
    #[error("a link from '{0}' to '{1}', the same switch")]
    Loop(End, End),
    /// Nodes cannot pass packets on.
    #[error("a link from node to node, '{0}' to '{1}'; accepted with two nodes and no switch")]
    NodeToNode(End, End),
    /// A node without a link.
    #[error("node n{0} has no link; accepted: one link for each node")]
    Alone(u16),
    /// No name of an end.
    #[error("'{0}' is no end of a link; accepted: n0, n1, .. or s0, s0.1, ..")]
    Name(String),
    /// No generator.
    #[error("'{found}': {what}; accepted: {}", generate::ACCEPTED)]
    Generator {
        /// What was given.
        found: String,
        /// What is wrong.
        what: String,
    },
    /// Anything else that a file has wrong.
    #[error("{0}")]
    File(String),
}

/// What is wrong with a topology, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct TopologyError {
    /// Line of the file, from 1; none where there is no file, or it belongs to no line.
    pub line: Option<usize>,
    /// What.
    pub problem: Problem,
}

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.problem),
            None => write!(f, "{}", self.problem),
        }
    }
}

impl core::error::Error for TopologyError {}

impl From<Problem> for TopologyError {
    fn from(problem: Problem) -> Self {
        TopologyError {
            line: None,
            problem,
        }
    }
}

/// A number within its range, or [`Problem::Range`].
pub(crate) fn within(what: &'static str, found: u64, least: u64, most: u64) -> Result<(), Problem> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    Err(Problem::Range {
        what,
        found,
        least,
        most,
    })
}

const FREE: u32 = u32::MAX;

/// Nodes, switches and links.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    /// What it is called.
    pub name: String,
    /// Turns that are legal.
    pub rule: Rule,
    switches: Vec<Switch>,
    links: Vec<Link>,
    node_links: Vec<u32>,
    port_links: Vec<[u32; MAX_PORTS as usize]>,
}

impl Topology {
    /// Nodes and switches without links.
    ///
    /// # Errors
    /// Too many or too few of something.
    pub fn new(name: &str, nodes: u16, switches: &[Switch]) -> Result<Self, Problem> {
        within("nodes", nodes.into(), 1, MAX_NODES.into())?;
        let count = switches.len() as u64;
        within("switches", count, 0, MAX_SWITCHES.into())?;
        for switch in switches {
            within(
                "ports of a switch",
                switch.ports.into(),
                2,
                MAX_PORTS.into(),
            )?;
        }
        Ok(Topology {
            name: name.to_string(),
            rule: Rule::UpDown,
            switches: switches.to_vec(),
            links: Vec::new(),
            node_links: vec![FREE; nodes.into()],
            port_links: vec![[FREE; MAX_PORTS as usize]; switches.len()],
        })
    }

    /// Adds a link; gives its index.
    ///
    /// # Errors
    /// An end that is not there or has a link already, or a value out of its range.
    pub fn connect(&mut self, a: End, b: End, wire: Wire) -> Result<usize, Problem> {
        within("delay", wire.delay.into(), 1, MAX_DELAY.into())?;
        if !(0.0..MAX_BER).contains(&wire.ber) {
            return Err(Problem::Ber(wire.ber));
        }
        match (a, b) {
            (End::Node(_), End::Node(_)) if self.nodes() != 2 || !self.switches.is_empty() => {
                return Err(Problem::NodeToNode(a, b));
            }
            (End::Switch { switch: from, .. }, End::Switch { switch: to, .. }) if from == to => {
                return Err(Problem::Loop(a, b));
            }
            _ => {}
        }
        let index = self.links.len();
        for end in [a, b] {
            if *self.place(end)? != FREE || a == b {
                return Err(Problem::Taken(end));
            }
        }
        *self.place(a)? = index as u32;
        *self.place(b)? = index as u32;
        self.links.push(Link {
            a,
            b,
            delay: wire.delay,
            ber: wire.ber,
        });
        Ok(index)
    }

    fn place(&mut self, end: End) -> Result<&mut u32, Problem> {
        let absent = |first, count: usize| Problem::Absent {
            name: end.to_string(),
            first,
            last: (count as u32).saturating_sub(1),
        };
        match end {
            End::Node(node) => {
                let count = self.node_links.len();
                (self.node_links.get_mut(usize::from(node))).ok_or_else(|| absent('n', count))
            }
            End::Switch { switch, port } => {
                let Some(found) = self.switches.get(usize::from(switch)) else {
                    return Err(match self.switches.len() {
                        0 => Problem::File(alloc::format!("'{end}': there is no switch")),
                        count => absent('s', count),
                    });
                };
                if port >= found.ports {
                    return Err(Problem::Port {
                        end,
                        switch,
                        last: found.ports - 1,
                    });
                }
                Ok(&mut self.port_links[usize::from(switch)][usize::from(port)])
            }
        }
    }

    /// The first port of a switch without a link.
    ///
    /// # Errors
    /// There is none.
    pub fn free_port(&self, switch: u16) -> Result<End, Problem> {
        let Some(found) = self.switches.get(usize::from(switch)) else {
            return Ok(End::Switch { switch, port: 0 });
        };
        let links = &self.port_links[usize::from(switch)][..usize::from(found.ports)];
        let port = links.iter().position(|link| *link == FREE);
        let port = port.ok_or(Problem::Full(switch))? as u8;
        Ok(End::Switch { switch, port })
    }

    /// Checks what can only be seen when all links are there.
    ///
    /// # Errors
    /// A node without a link.
    pub fn complete(&self) -> Result<(), Problem> {
        let alone = self.node_links.iter().position(|link| *link == FREE);
        alone.map_or(Ok(()), |node| Err(Problem::Alone(node as u16)))
    }

    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> u16 {
        self.node_links.len() as u16
    }

    /// The switches.
    #[must_use]
    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// The links.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The same with another bit error rate or delay on every link.
    ///
    /// # Errors
    /// A value out of its range.
    pub fn with_wires(mut self, delay: Option<u32>, ber: Option<f64>) -> Result<Self, Problem> {
        for link in &mut self.links {
            link.delay = delay.unwrap_or(link.delay);
            link.ber = ber.unwrap_or(link.ber);
            within("delay", link.delay.into(), 1, MAX_DELAY.into())?;
            if !(0.0..MAX_BER).contains(&link.ber) {
                return Err(Problem::Ber(link.ber));
            }
        }
        Ok(self)
    }

    /// Link of a node.
    #[must_use]
    pub fn node_link(&self, node: u16) -> Option<usize> {
        let link = *self.node_links.get(usize::from(node))?;
        (link != FREE).then_some(link as usize)
    }

    /// Link of a port.
    #[must_use]
    pub fn port_link(&self, switch: u16, port: u8) -> Option<usize> {
        let links = self.port_links.get(usize::from(switch))?;
        let link = *links.get(usize::from(port))?;
        (link != FREE).then_some(link as usize)
    }

    /// Switch to which a node is linked, and the port.
    #[must_use]
    pub fn attachment(&self, node: u16) -> Option<(u16, u8)> {
        let link = self.links[self.node_link(node)?];
        [link.a, link.b].into_iter().find_map(|end| match end {
            End::Switch { switch, port } => Some((switch, port)),
            End::Node(_) => None,
        })
    }

    /// Links that lead from the first half of the nodes to the second half, at least: the largest
    /// flow between the halves with one unit for each link. The halves follow the nodes' numbers.
    #[must_use]
    pub fn bisection(&self) -> usize {
        super::routes::bisection(self)
    }
}
