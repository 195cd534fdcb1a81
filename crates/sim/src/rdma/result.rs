// SPDX-License-Identifier: Apache-2.0
//! What has become of a run.

use std::collections::BTreeMap;

use super::network::{NetworkCounts, Word};
use crate::LatencyHistogram;

/// Which row of the table a transfer belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Service {
    /// Data in the descriptor.
    Message,
    /// Writes of class small.
    Small,
    /// Writes with one path.
    OnePath,
    /// Writes with four paths.
    FourPaths,
    /// Reads of any class.
    Read,
}

/// What was completed, and the cycles from its descriptor's address to when its user knew.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Group {
    /// Bytes.
    pub bytes: u64,
    /// In cycles.
    pub latency: LatencyHistogram,
}

impl Group {
    pub(super) fn add(&mut self, size: u32, latency: u64) {
        self.bytes += u64::from(size);
        self.latency.record(latency);
    }
}

/// What has become of everything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunResult {
    /// Transfers asked for.
    pub transfers: u64,
    /// Ended well.
    pub completed: u64,
    /// Ended with an error, or refused.
    pub errors: u64,
    /// Those that a reset has cut short: of the node that was reset, and those of the other one
    /// with it that ended with an error.
    pub cut: u64,
    /// Resets.
    pub resets: u64,
    /// Destinations that were not what they should be when their user was told that they are, and
    /// bytes that differ at the end.
    pub mismatches: u64,
    /// Words written where nothing was to be written.
    pub stray_writes: u64,
    /// Cycles from the first descriptor to the last end.
    pub cycles: u64,
    /// Blocks and packets that were sent again.
    pub retransmissions: u64,
    /// Times an engine has accounted for something twice.
    pub faults: u64,
    /// Everything came to an end; false: nothing ended any more.
    pub ended: bool,
    /// All.
    pub total: Group,
    /// By service and priority.
    pub services: BTreeMap<(Service, u8), Group>,
    /// By size: those of bucket n have 2^n to below 2^(n+1) bytes.
    pub sizes: BTreeMap<u32, Group>,
    /// What the network has done.
    pub network: NetworkCounts,
    /// Words of the network as each node has taken them; none without
    /// [`RunConfig::keep_words`](super::RunConfig::keep_words).
    pub words: Vec<Vec<Word>>,
    /// Directions that were loaded.
    pub directions: u8,
    /// Time-out in cycles.
    pub timeout: u32,
    /// The file as it arrived; empty if there was none.
    pub file: Vec<u8>,
    /// Cycles from its descriptor's address to when its user knew.
    pub file_cycles: u64,
}

impl RunResult {
    /// Both memories were at any time what they should be.
    #[must_use]
    pub fn memory_identical(&self) -> bool {
        self.mismatches == 0 && self.stray_writes == 0
    }

    /// Everything was completed.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.ended
            && self.completed + self.cut == self.transfers
            && self.errors == 0
            && self.faults == 0
            && self.memory_identical()
    }

    /// Bytes in a cycle in each direction that was loaded.
    #[must_use]
    pub fn bytes_per_cycle(&self) -> f64 {
        self.total.bytes as f64 / self.cycles.max(1) as f64 / f64::from(self.directions.max(1))
    }
}
