// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim network`, `plan stack` and `bench network`.

use std::path::PathBuf;

use clap::Args;
use ropewalk_console::units::whole;
use ropewalk_sim::net::Workload;

use crate::units;

pub(super) const SIM_NETWORK_AFTER: &str = "\
Topologies: point-to-point, star:NODES, chain:SWITCHESxNODES (of each switch), fat-tree:NODES or fat-tree:NODES/RADIX, torus:AxB, torus:AxBxC, random:NODES:SEED, \
or a file (TOML: nodes, switches, [[link]] with a, b, delay, ber). Every routing table is found free of cycles before it is used.

Workloads: uniform, permutation, incast (rounds in which all nodes send to n0), all-to-all and allreduce (--bytes, until done), priority (small messages in class 1 beside \
bulk from --bulk nodes of each half), bursty. A model, not RTL: the rules of cores/switch, packet by packet. A cycle is a word of 64 bytes at 100 Gb/s, 5.12 ns.

JSON keys: schema command ok topology nodes switches links workload transport seed cycles time_us throughput throughput_gbps busiest_link classes[{class made delivered marked \
latency_cycles{min p50 p99 p999 max}}] missing deadlock dropped retransmissions duplicates reordered bit_errors timeout_cycles link_loads[{from to load credits errors}]. \
throughput: share of a link's rate that a node takes, words of packets without answers; bit_errors: those that cost a replay, or a packet.

Exit status: 0 every packet came once, and in order where order is kept; 1 it did not, or nothing moves any more; 3 bad input.

Examples:
  ropewalk sim network --topology star:8 --load 0.9
  ropewalk sim network --topology fat-tree:128 --workload all-to-all --bytes 16K
  ropewalk sim network --topology torus:4x4 --workload bursty --ber 1e-6 --lossy --json
  ropewalk sim network --topology chain:2x4 --workload priority --load 1 --report report";

pub(super) const PLAN_STACK_AFTER: &str = "\
TOPOLOGY is a file or a name such as fat-tree:16; 'ropewalk sim network --help' has them all.

JSON keys: schema command topology nodes switches links rule hops{min mean max} paths{min mean max} bisection_links bisection_gbps delay_cycles{min max} packet_words \
memory_words tables (with --tables: by switch, input port and destination the output ports, bit by bit).

Exit status: 0; 3 bad input, or no legal tables.

Examples:
  ropewalk plan stack fat-tree:1024
  ropewalk plan stack network.toml --tables
  ropewalk plan stack torus:4x4 --report report";

/// `ropewalk sim network`.
#[derive(Debug, Clone, Args)]
pub struct SimNetwork {
    /// A topology by name, or its file
    #[arg(long, value_name = "NAME|FILE", default_value = "star:8")]
    pub topology: String,
    /// Who sends what to whom
    #[arg(long, value_name = "KIND", default_value = "uniform", value_parser = workload)]
    pub workload: Workload,
    /// Class of the packets, 1 to 3. Those of class 3 take any allowed path, by load, unless
    /// --ordered
    #[arg(long, value_name = "CLASS", default_value = "3", value_parser = class)]
    pub class: u8,
    /// Share of a link's rate that each node wants to send, 0 to 1; of incast that n0 is to take
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = load, allow_hyphen_values = true)]
    pub load: f64,
    /// Cycles in which packets are made
    #[arg(long, value_name = "N", default_value = "100000", value_parser = cycles)]
    pub cycles: u64,
    /// Bytes that each node sends to each other one (all-to-all), or reduces (allreduce)
    #[arg(long, value_name = "BYTES", default_value = "16K", value_parser = bytes)]
    pub bytes: u64,
    /// Nodes of each half that send bulk (priority), 1 to 512
    #[arg(long, value_name = "N", default_value = "1", value_parser = bulk)]
    pub bulk: u16,
    /// Words of a packet, 3 to 64
    #[arg(long, value_name = "WORDS", default_value = "18", value_parser = packet)]
    pub packet: u8,
    /// Words of memory of each class at the end of each link, 64 to 2047
    #[arg(long, value_name = "WORDS", default_value = "126", value_parser = memory)]
    pub memory: u16,
    /// Delay of each link in cycles, one way [default: of the file, or 20]
    #[arg(long, value_name = "CYCLES", value_parser = units::delay_cycles)]
    pub delay: Option<u32>,
    /// Probability that a bit is flipped on any link, 0 or more and below 0.01 [default: of the
    /// file, or 0]
    #[arg(long, value_name = "RATE", value_parser = units::ber, allow_hyphen_values = true)]
    pub ber: Option<f64>,
    /// Links without retransmission: a packet with a bit error is dropped, and its source sends it
    /// again after a time-out
    #[arg(long)]
    pub lossy: bool,
    /// With --lossy: share of packets that is lost besides
    #[arg(long, value_name = "SHARE", default_value = "0", requires = "lossy", value_parser = units::loss, allow_hyphen_values = true)]
    pub loss: f64,
    /// With --lossy: cycles until a packet is sent again, 100 to 10000000 [default: what a round
    /// trip over the longest path may take]
    #[arg(long, value_name = "CYCLES", requires = "lossy", value_parser = units::timeout_cycles)]
    pub timeout: Option<u32>,
    /// Packets of class 3 too keep the path of their flow, and so their order
    #[arg(long)]
    pub ordered: bool,
    /// All switches hash flows in the same way: what happens if no register `hash` is written
    #[arg(long)]
    pub same_hash: bool,
    /// Seed of everything random [default: a fresh one, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write a page with the topology, tables and plots to DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

/// `ropewalk plan stack`.
#[derive(Debug, Clone, Args)]
pub struct PlanStack {
    /// A topology by name, or its file
    #[arg(value_name = "TOPOLOGY")]
    pub topology: String,
    /// Words of a packet, for the memory that the full rate takes
    #[arg(long, value_name = "WORDS", default_value = "18", value_parser = packet)]
    pub packet: u8,
    /// Print the routing tables too
    #[arg(long)]
    pub tables: bool,
    /// For each switch a file DIR/sN.txt with the writes of registers, address and value, that
    /// load its hash and its tables
    #[arg(long, value_name = "DIR")]
    pub registers: Option<PathBuf>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Write a page with the topology and tables to DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
}

fn workload(text: &str) -> Result<Workload, String> {
    let names = Workload::ALL.map(Workload::name);
    let found = Workload::ALL.into_iter().find(|it| it.name() == text);
    found.ok_or_else(|| format!("accepted: {}", names.join(", ")))
}

fn class(text: &str) -> Result<u8, String> {
    whole(text, 1..=3, "")
}

fn load(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(load) if (0.0..=1.0).contains(&load) => Ok(load),
        _ => Err("accepted: a share, 0 to 1".to_owned()),
    }
}

fn cycles(text: &str) -> Result<u64, String> {
    whole(text, 100..=100_000_000, " cycles")
}

fn bytes(text: &str) -> Result<u64, String> {
    let found = ropewalk_console::units::bytes(text);
    (found.filter(|bytes| (1..=1 << 30).contains(bytes)))
        .ok_or_else(|| "accepted: 1 to 1G bytes, such as 4096 or 16K".to_owned())
}

fn bulk(text: &str) -> Result<u16, String> {
    whole(text, 1..=512, " nodes")
}

fn packet(text: &str) -> Result<u8, String> {
    whole(text, 3..=64, " words")
}

fn memory(text: &str) -> Result<u16, String> {
    whole(text, 64..=2047, " words")
}
