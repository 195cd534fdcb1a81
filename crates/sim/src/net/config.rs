// SPDX-License-Identifier: Apache-2.0
//! What is run.

use ropewalk_wire::switch::{CLASSES, Tables, Topology};

/// Who sends what to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    /// Each packet to a random node.
    Uniform,
    /// Each node to one other node, and each node from one.
    Permutation,
    /// All nodes to node 0.
    Incast,
    /// Each node the same to every other one, one after the other.
    AllToAll,
    /// The ring algorithm: in each of 2 (n - 1) steps each node sends a part to the next one.
    Allreduce,
    /// Small messages in class 1 from every node to the other half, beside bulk in another class.
    Priority,
    /// Runs of packets to one node, and pauses.
    Bursty,
}

impl Workload {
    /// All of them.
    pub const ALL: [Workload; 7] = [
        Workload::Uniform,
        Workload::Permutation,
        Workload::Incast,
        Workload::AllToAll,
        Workload::Allreduce,
        Workload::Priority,
        Workload::Bursty,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Workload::Uniform => "uniform",
            Workload::Permutation => "permutation",
            Workload::Incast => "incast",
            Workload::AllToAll => "all-to-all",
            Workload::Allreduce => "allreduce",
            Workload::Priority => "priority",
            Workload::Bursty => "bursty",
        }
    }

    /// Whether it ends when all is sent, whatever the time.
    #[must_use]
    pub const fn is_finite(self) -> bool {
        matches!(self, Workload::AllToAll | Workload::Allreduce)
    }
}

/// What a bit error costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Transport {
    /// A replay on its link: nothing is lost.
    Lossless,
    /// The packet, which its source sends again.
    Lossy {
        /// Share of packets that is lost besides, whatever their length.
        loss: f64,
        /// Cycles until a packet without an answer is sent again; none: from the longest path.
        timeout: Option<u64>,
    },
}

/// What is run.
#[derive(Debug, Clone)]
pub struct Config {
    /// Nodes, switches, links.
    pub topology: Topology,
    /// Who sends what to whom.
    pub workload: Workload,
    /// Class of the packets, 1 to 3; of the bulk, where there is another one too.
    pub class: u8,
    /// What bit errors cost.
    pub transport: Transport,
    /// Share of a link's rate that each node wants to send.
    pub load: f64,
    /// Cycles in which packets are made, where the workload does not end by itself.
    pub cycles: u64,
    /// Bytes that each node sends to each other one, or reduces.
    pub bytes: u64,
    /// Words of a packet, 1 to 64.
    pub packet_words: u8,
    /// Words of memory of each class at the end of each link.
    pub memory: [u16; CLASSES],
    /// Nodes of each half that send bulk, beside small messages.
    pub bulk: u16,
    /// Any allowed path, by load.
    pub spread: bool,
    /// All switches hash flows in the same way, instead of each in its own.
    pub same_hash: bool,
    /// Tables that were made elsewhere.
    pub tables: Option<Tables>,
    /// Each packet has an answer in class 0.
    pub answers: bool,
    /// Nodes never take packets of this class.
    pub blocked: Option<u8>,
    /// Words in front of an output from which on packets are marked.
    pub mark_at: u32,
    /// Most cycles.
    pub limit: u64,
    /// Of everything random.
    pub seed: u64,
}

impl Config {
    /// Uniform traffic at half of the rate over lossless links.
    #[must_use]
    pub fn new(topology: Topology) -> Self {
        Config {
            topology,
            workload: Workload::Uniform,
            class: 3,
            transport: Transport::Lossless,
            load: 0.5,
            cycles: 100_000,
            bytes: 1024,
            packet_words: super::BLOCK_WORDS,
            memory: [126; CLASSES],
            bulk: 1,
            spread: false,
            same_hash: false,
            tables: None,
            answers: true,
            blocked: None,
            mark_at: 64,
            limit: 1 << 40,
            seed: 1,
        }
    }
}
