// SPDX-License-Identifier: Apache-2.0
//! Which nodes and switches there are, which links join them, and what happens to those.

use crate::channel::ChannelConfig;
use crate::{Cut, SimError};

/// Lanes of a link.
pub const LANES: usize = 4;

/// Where a link ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A node.
    Node(u16),
    /// A port of a switch.
    Switch(u16, u8),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Node(node) => write!(f, "n{node}"),
            Self::Switch(switch, port) => write!(f, "s{switch}.{port}"),
        }
    }
}

/// What happens to the lanes of a link, in both directions alike.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkFaults {
    /// Delay, bits.
    pub delay_bits: u64,
    /// Probability of each bit to be flipped.
    pub ber: f64,
    /// By lane, ascending for each; times in words of a lane, two to a cycle.
    pub cuts: Vec<(usize, Cut)>,
    /// When lanes 0 and 1 are exchanged, from a word to before another one.
    pub swaps: Vec<(u64, u64)>,
}

impl LinkFaults {
    pub(super) fn cuts_of(&self, lane: usize) -> Vec<Cut> {
        let cuts = self.cuts.iter().filter(|cut| cut.0 == lane);
        cuts.map(|cut| cut.1).collect()
    }
}

/// A link.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkPlan {
    /// One end.
    pub a: Place,
    /// The other end.
    pub b: Place,
    /// What happens to it.
    pub faults: LinkFaults,
}

/// All of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    /// Nodes.
    pub nodes: u16,
    /// Ports of each switch.
    pub switches: Vec<u8>,
    /// Links.
    pub links: Vec<LinkPlan>,
}

impl Topology {
    /// Two nodes and a link.
    #[must_use]
    pub fn point_to_point() -> Self {
        Self {
            nodes: 2,
            switches: Vec::new(),
            links: vec![LinkPlan {
                a: Place::Node(0),
                b: Place::Node(1),
                faults: LinkFaults::default(),
            }],
        }
    }

    /// Checks that each node has its link, and that all faults are possible.
    ///
    /// # Errors
    /// [`SimError::BadParameter`] says what is wrong.
    pub fn validate(&self) -> Result<(), SimError> {
        let bad = |message| {
            Err(SimError::BadParameter {
                name: "topology",
                message,
            })
        };
        let mut used: Vec<Place> = Vec::new();
        for link in &self.links {
            for place in [link.a, link.b] {
                let exists = match place {
                    Place::Node(node) => node < self.nodes,
                    Place::Switch(switch, port) => {
                        (self.switches.get(usize::from(switch))).is_some_and(|ports| port < *ports)
                    }
                };
                if !exists {
                    return bad(format!("a link ends at {place}, which is not there"));
                }
                if used.contains(&place) {
                    return bad(format!("two links end at {place}; accepted: one"));
                }
                used.push(place);
            }
            if let Some((lane, _)) = link.faults.cuts.iter().find(|cut| cut.0 >= LANES) {
                return bad(format!("lane {lane} is cut; accepted: 0 to {}", LANES - 1));
            }
            for lane in 0..LANES {
                ChannelConfig {
                    delay_bits: link.faults.delay_bits,
                    ber: link.faults.ber,
                    cuts: link.faults.cuts_of(lane),
                    ..ChannelConfig::default()
                }
                .validate()?;
            }
        }
        match (0..self.nodes).find(|&node| !used.contains(&Place::Node(node))) {
            Some(node) => bad(format!(
                "no link ends at n{node}; accepted: one for each node"
            )),
            None => Ok(()),
        }
    }
}
