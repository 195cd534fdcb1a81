// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench network`: scaling, small messages beside bulk, what losslessness buys.

use std::ffi::OsString;

use ropewalk_console::failure::Failure;
use ropewalk_console::format::{self, thousands};
use ropewalk_console::table::Table;
use ropewalk_sim::net::CYCLE_NS;

use super::bench::Benchmark;
use crate::bench_network::{self, Bench};
use crate::cli::BenchOptions;
use crate::report;
use crate::report::run::Tile;
use crate::section::Section;

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// An output cannot be written.
pub fn execute(options: &BenchOptions, args: &[OsString]) -> Result<u8, Failure> {
    super::bench::execute(options, args, |seed, say| {
        bench_network::measure(options.quick, seed, say)
    })
}

impl Benchmark for Bench {
    const COMMAND: &'static str = "bench network";
    const TITLE: &'static str = "Networks of lossless links, in the model";
    const WRONG: &'static str = "NOT OK: a packet is missing, or nothing moves any more";
    const PROMISE: &'static str = "In every run every packet came, once.";
    const FOOTER: &'static str = "A model of nodes, switches and links, packet by packet; no RTL.";

    fn ok(&self) -> bool {
        self.ok
    }

    fn heading(&self) -> Vec<String> {
        vec![format!(
            "Links of 100 Gb/s and 20 cycles, packets of 18 words, 126 words of memory for each class; a cycle is {CYCLE_NS} ns; seed {}{}",
            self.seed,
            if self.quick { ", quick" } else { "" }
        )]
    }

    fn sections(&self) -> Vec<Section> {
        vec![
            scaling(self),
            small(self),
            losslessness(self),
            uniform(self),
        ]
    }

    fn tiles(&self) -> Vec<Tile> {
        report::bench_network::tiles(self)
    }

    fn figures(&self) -> String {
        report::bench_network::figures(self)
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn scaling(bench: &Bench) -> Section {
    let mut table = Table::new([
        "workload",
        "nodes",
        "switches",
        "packets",
        "time",
        "Gb/s of a node",
        "busiest link",
    ]);
    for row in &bench.scaling {
        table.row([
            row.workload.to_owned(),
            thousands(row.nodes.into()),
            thousands(row.switches as u64),
            thousands(row.packets),
            format::time(row.time_us * 1e3),
            format!("{:.1}", row.throughput * 512.0 / CYCLE_NS),
            percent(row.busiest_link),
        ]);
    }
    Section::new("Scaling in fat trees", table).note(
        "all-to-all: 1 KB to each other node; allreduce: 1 KB for each node, in a ring. Packets with their answers, by any allowed path"
            .to_owned(),
    )
}

fn small(bench: &Bench) -> Section {
    let mut table = Table::new([
        "bulk from",
        "link between",
        "min",
        "median",
        "99 %",
        "99.9 %",
        "times idle",
    ]);
    let idle = bench.small.first().map_or(1, |row| row.latency_cycles.p999);
    for row in &bench.small {
        let latency = row.latency_cycles;
        table.row([
            match row.bulk {
                0 => "none".to_owned(),
                1 => "1 node each way".to_owned(),
                nodes => format!("{nodes} nodes each way"),
            },
            percent(row.busiest_link),
            thousands(latency.min),
            thousands(latency.p50),
            thousands(latency.p99),
            thousands(latency.p999),
            format!("{:.2}", latency.p999 as f64 / idle.max(1) as f64),
        ]);
    }
    Section::new("Small messages through two switches, beside bulk", table).note(
        "cycles; messages of 3 words in class 1 from all eight nodes, bulk of 18 words in class 3 as fast as it goes"
            .to_owned(),
    )
}

fn losslessness(bench: &Bench) -> Section {
    let mut table = Table::new([
        "BER",
        "Gb/s, lossless",
        "lossy",
        "median",
        "lossy",
        "99.9 %",
        "lossy",
        "replays",
        "sent again, lossy",
    ]);
    let gbps = |throughput: f64| format!("{:.2}", throughput * 512.0 / CYCLE_NS);
    for pair in bench.losslessness.chunks_exact(2) {
        let [kept, lost] = pair else { continue };
        table.row([
            if lost.loss > 0.0 {
                format!("{:.0} % of packets lost", 100.0 * lost.loss)
            } else {
                format!("{:e}", kept.ber)
            },
            gbps(kept.throughput),
            gbps(lost.throughput),
            thousands(kept.latency_cycles.p50),
            thousands(lost.latency_cycles.p50),
            thousands(kept.latency_cycles.p999),
            thousands(lost.latency_cycles.p999),
            thousands(kept.replays),
            thousands(lost.retransmissions),
        ]);
    }
    Section::new("What losslessness buys", table).note(format!(
        "fat tree of 16 nodes, uniform traffic, load {}; latency in cycles. Lossless: a bit error costs a replay on its link. Lossy: the packet is dropped, and its source \
         sends it again after a time-out",
        bench.load
    ))
}

fn uniform(bench: &Bench) -> Section {
    let mut table = Table::new(["nodes", "words of memory", "of the rate"]);
    for row in &bench.uniform {
        table.row([
            row.nodes.to_string(),
            thousands(row.memory_words.into()),
            percent(row.throughput),
        ]);
    }
    Section::new("Uniform traffic at the full rate, one switch", table).note(
        "memory of each class at each input; nodes send in the order in which packets were made"
            .to_owned(),
    )
}
