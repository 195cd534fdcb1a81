// SPDX-License-Identifier: Apache-2.0
//! What came out of a run.

use super::CYCLE_NS;
use crate::LatencyHistogram;
use ropewalk_wire::switch::{CLASSES, End};

/// Packets of a class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassResult {
    /// Made by nodes.
    pub made: u64,
    /// Delivered once.
    pub delivered: u64,
    /// Of these, those that met congestion.
    pub marked: u64,
    /// From when a packet was made until its last word was delivered.
    pub latency: LatencyHistogram,
}

/// A link in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkResult {
    /// Where it begins.
    pub from: End,
    /// Where it ends.
    pub to: End,
    /// Words of packets.
    pub words: u64,
    /// Words of credits alone.
    pub credits: u64,
    /// Bit errors that cost a replay, or packets with a bit error.
    pub errors: u64,
}

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct NetResult {
    /// Nodes.
    pub nodes: u16,
    /// Cycles until nothing was left to do.
    pub cycles: u64,
    /// By class.
    pub classes: [ClassResult; CLASSES],
    /// Links, each in both directions.
    pub links: Vec<LinkResult>,
    /// Words that nodes took, answers not counted, in the time that throughput is measured in.
    pub window_words: u64,
    /// That time in cycles.
    pub window_cycles: u64,
    /// Packets that were dropped.
    pub dropped: u64,
    /// Packets that sources sent again.
    pub retransmissions: u64,
    /// Packets that came twice.
    pub duplicates: u64,
    /// Packets that came before an earlier one of their flow and class.
    pub reordered: u64,
    /// Packets that never came.
    pub missing: u64,
    /// They are in the network, and nothing can move: a deadlock.
    pub deadlock: bool,
    /// It took more cycles than allowed.
    pub over_limit: bool,
    /// Events that were computed.
    pub events: u64,
    /// The time-out of sources, where packets are lost.
    pub timeout: Option<u64>,
    /// Order is kept: one path for each flow, and nothing is sent again.
    pub ordered: bool,
}

impl NetResult {
    /// Every packet came once, and in order where order is kept.
    #[must_use]
    pub fn ok(&self) -> bool {
        let order = !self.ordered || (self.reordered == 0 && self.duplicates == 0);
        self.missing == 0 && !self.deadlock && !self.over_limit && order
    }

    /// Share of a link's rate that a node took, on average.
    #[must_use]
    pub fn throughput(&self) -> f64 {
        let most = self.window_cycles as f64 * f64::from(self.nodes);
        self.window_words as f64 / most.max(1.0)
    }

    /// The same in Gb/s.
    #[must_use]
    pub fn throughput_gbps(&self) -> f64 {
        self.throughput() * 512.0 / CYCLE_NS
    }

    /// Packets that were delivered, answers included.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.classes.iter().map(|class| class.delivered).sum()
    }

    /// Share of the time in which a link carried packets, the busiest one.
    #[must_use]
    pub fn busiest(&self) -> f64 {
        let loads = self.links.iter().map(|link| link.words);
        loads.max().unwrap_or(0) as f64 / self.cycles.max(1) as f64
    }

    /// Bit errors on links.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.links.iter().map(|link| link.errors).sum()
    }
}
