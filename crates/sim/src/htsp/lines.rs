// SPDX-License-Identifier: Apache-2.0
//! What lies between two cores, both directions: lines for frames, or lanes with all that codes
//! them.

use super::end::Beat;
use super::line::{Line, LineConfig};
use super::phy::{Phy, PhyConfig, PhyCounts};
use crate::SimError;

/// Both directions; the first one is that from A to B.
#[derive(Debug)]
pub(super) enum Lines {
    /// Frames, lost and damaged as such.
    Frames(Box<[Line; 2]>),
    /// Bits of lanes.
    Lanes(Box<[Phy; 2]>),
}

impl Lines {
    pub(super) fn new(
        line: LineConfig,
        phy: Option<&PhyConfig>,
        seeds: [u64; 2],
    ) -> Result<Self, SimError> {
        Ok(match phy {
            None => Self::Frames(Box::new(seeds.map(|seed| Line::new(line, seed)))),
            Some(config) => {
                let [a, b] = seeds.map(|seed| Phy::new(config, seed));
                Self::Lanes(Box::new([a?, b?]))
            }
        })
    }

    /// Whether the line from an end takes a word in the next cycle.
    pub(super) fn ready(&self, end: usize) -> bool {
        match self {
            Self::Frames(lines) => lines[end].ready(),
            Self::Lanes(lanes) => lanes[end].ready() && lanes[1 - end].whole(),
        }
    }

    /// Whether an end hears its peer.
    pub(super) fn hears(&self, end: usize) -> bool {
        match self {
            Self::Frames(_) => true,
            Self::Lanes(lanes) => lanes[1 - end].hears(),
        }
    }

    /// A cycle passes; what both ends sent in it, and what then comes to each.
    pub(super) fn pass(&mut self, now: u64, sent: [Option<Beat>; 2]) -> [Option<Beat>; 2] {
        let [a, b] = sent;
        match self {
            Self::Frames(lines) => {
                let [to_b, to_a] = &mut **lines;
                to_b.pass(now, a);
                to_a.pass(now, b);
                [to_a.arrives(now), to_b.arrives(now)]
            }
            Self::Lanes(lanes) => {
                let [to_b, to_a] = &mut **lanes;
                to_b.pass(now, a.as_ref(), to_a.fault());
                to_a.pass(now, b.as_ref(), to_b.fault());
                [to_a.arrives(), to_b.arrives()]
            }
        }
    }

    /// Frames that were lost, and damaged.
    pub(super) fn missing(&self) -> (u64, u64) {
        let both = match self {
            Self::Frames(lines) => [0, 1].map(|i| (lines[i].lost, lines[i].hurt)),
            Self::Lanes(lanes) => [0, 1].map(|i| lanes[i].missing()),
        };
        (both[0].0 + both[1].0, both[0].1 + both[1].1)
    }

    /// What the lanes have seen, if there are any.
    pub(super) fn counts(&self) -> Option<PhyCounts> {
        match self {
            Self::Frames(_) => None,
            Self::Lanes(lanes) => {
                let mut counts = lanes[0].counts();
                counts += lanes[1].counts();
                Some(counts)
            }
        }
    }
}
