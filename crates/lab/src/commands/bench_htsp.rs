// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench htsp`: our figures beside those of the paper and of the published core.

use std::ffi::OsString;

use ropewalk_console::failure::Failure;
use ropewalk_console::format::{self, thousands};
use ropewalk_console::table::Table;

use super::bench::Benchmark;
use super::plan_htsp;
use crate::bench_htsp::{self, Bench, SizeRow};
use crate::cli::BenchOptions;
use crate::published_htsp as published;
use crate::report;
use crate::report::run::Tile;
use crate::section::Section;

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// A simulator cannot be built, or an output cannot be written.
pub fn execute(options: &BenchOptions, args: &[OsString]) -> Result<u8, Failure> {
    super::bench::execute(options, args, |seed, say| {
        bench_htsp::measure(options.quick, seed, say)
    })
}

impl Benchmark for Bench {
    const COMMAND: &'static str = "bench htsp";
    const TITLE: &'static str = "HTSP, ours beside the paper and the published core";
    const WRONG: &'static str =
        "NOT LOSSLESS: a frame was lost, duplicated, reordered or corrupted";
    const PROMISE: &'static str = report::bench::ONCE;
    const FOOTER: &'static str = report::bench::RTL;

    fn ok(&self) -> bool {
        self.ok
    }

    fn heading(&self) -> Vec<String> {
        vec![format!(
            "Cycles of 512 bits, {:.2} MHz; line of 100 Gb/s with MAC overhead, no errors; seed {}{}",
            self.clock_mhz,
            self.seed,
            if self.quick { ", quick" } else { "" }
        )]
    }

    fn sections(&self) -> Vec<Section> {
        vec![
            bandwidth(self),
            efficiency(self),
            latency(self),
            channels(self),
            ethernet(self),
            host(self),
            detectors(self),
        ]
    }

    fn tiles(&self) -> Vec<Tile> {
        report::bench_htsp::tiles(self)
    }

    fn figures(&self) -> String {
        report::bench_htsp::figures(self)
    }
}

fn bandwidth(bench: &Bench) -> Section {
    let mut table = Table::new([
        "bytes",
        "Gb/s",
        "limit of the line",
        "paper",
        "frames/s",
        "paper",
    ]);
    for row in &bench.sizes {
        let measured = published::PAPER_FRAME_RATE
            .iter()
            .find(|m| m.0 == row.bytes);
        table.row([
            thousands(row.bytes.into()),
            format!("{:.2}", row.bandwidth_gbps),
            format!("{:.2}", row.line_limit_gbps),
            format!("{:.2}", row.paper_bandwidth_gbps),
            format::per_second(row.frames_per_second),
            measured.map_or("-".to_owned(), |m| format::per_second(m.1)),
        ]);
    }
    Section::new(
        "Bandwidth and frame rate of one channel, saturated, bursts of 8192 bytes (figures 5 and 6)",
        table,
    )
    .note("paper: by its formula, which its measurements follow".to_owned())
    .shows("htsp", &["figure 5", "figure 6"])
}

fn efficiency(bench: &Bench) -> Section {
    let mut table = Table::new(["bytes", "efficiency", "two cycles a burst", "published"]);
    for row in &bench.sizes {
        table.row([
            thousands(row.bytes.into()),
            format!("{:.4}", row.efficiency),
            format!("{:.4}", row.rule),
            row.published_efficiency
                .map_or("-".to_owned(), |p| format!("{p:.3}")),
        ]);
    }
    Section::new(
        "Efficiency over wires, payload over what a word each cycle would be, saturated",
        table,
    )
}

fn latency(bench: &Bench) -> Section {
    let mut table = Table::new(["bytes", "cycles", "time", "published"]);
    let time = |cycles: u64| format::time(cycles as f64 * 1e3 / bench.clock_mhz);
    let range = |of: &dyn Fn(u64) -> String, row: &SizeRow| {
        if row.latency_min == row.latency_max {
            of(row.latency_max)
        } else {
            format!("{}..{}", of(row.latency_min), of(row.latency_max))
        }
    };
    for row in &bench.sizes {
        table.row([
            thousands(row.bytes.into()),
            range(&|cycles| cycles.to_string(), row),
            range(&time, row),
            published::LATENCY.to_string(),
        ]);
    }
    Section::new(
        "Latency of a single frame over wires, first word in to first word out (figure 7)",
        table,
    )
    .note(format!(
        "published, 8192 bytes with the FIFO that stores a frame: {} cycles; with MAC and FEC, paper: {:.0} ns",
        published::LATENCY_STORED,
        published::PAPER_LATENCY_NS
    ))
    .shows("htsp", &["figure 7"])
}

fn channels(bench: &Bench) -> Section {
    let mut table = Table::new([
        "channels",
        "Gb/s each way",
        "link up, cycles",
        "published",
        "simulated cycles/s",
        "published",
    ]);
    for row in &bench.channels {
        table.row([
            row.vcs.to_string(),
            format!("{:.2}", row.bandwidth_gbps),
            row.link_up_cycles.to_string(),
            published::LINK_UP.to_string(),
            format::per_second(row.cycles_per_second),
            row.published_cycles_per_second
                .map_or("-".to_owned(), format::per_second),
        ]);
    }
    Section::new(
        "Channels, frames of 8192 bytes on all of them both ways, two ends",
        table,
    )
    .note("area for 1 to 16 channels (table 5) is printed by make area".to_owned())
}

fn ethernet(bench: &Bench) -> Section {
    let mut table = Table::new(["lanes", "Gb/s", "limit of the line", "cycles", "time"]);
    for row in &bench.ethernet {
        table.row([
            row.phy.to_owned(),
            format!("{:.2}", row.bandwidth_gbps),
            format!("{:.2}", row.limit_gbps),
            row.latency_cycles.to_string(),
            format::time(row.latency_cycles as f64 * 1e3 / bench.clock_mhz),
        ]);
    }
    Section::new(
        "Over lanes of 100G Ethernet: frames of 8192 bytes saturated, and a single one of 64",
        table,
    )
    .note(
        "MAC, PCS and FEC are models, which pass whole rows and codewords; cores/htsp_100g has the latency of the RTL"
            .to_owned(),
    )
}

fn detectors(bench: &Bench) -> Section {
    let table = plan_htsp::detectors(&bench.detectors);
    Section::new("Links of detectors, calculated (table 1)", table)
        .note(plan_htsp::DETECTORS_NOTE.to_owned())
        .shows("htsp", &["table 1"])
}

fn host(bench: &Bench) -> Section {
    let mut table = Table::new(["ends", "burst", "Gb/s", "CPU s/GB", "not arrived"]);
    for row in &bench.host {
        let ends = match (row.htsp, row.xdp) {
            (true, false) => "HTSP by packet sockets",
            (true, true) => "HTSP by AF_XDP",
            (false, false) => "packet sockets alone",
            (false, true) => "AF_XDP alone",
        };
        table.row([
            ends.to_owned(),
            thousands(row.burst.into()),
            format!("{:.2}", row.gbps),
            format!("{:.3}", row.cpu_s_per_gb),
            format::bytes(row.sent.saturating_sub(row.arrived)),
        ]);
    }
    let note = match &bench.host_left_out {
        Some(why) => format!("left out: {why}"),
        None => {
            "by wall clock; what does not arrive found a full ring, which HTSP tells both users"
                .to_owned()
        }
    };
    Section::new(
        "Host ends on two interfaces of one machine, one channel, one direction",
        table,
    )
    .note(note)
}
