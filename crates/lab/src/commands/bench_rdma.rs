// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench rdma`: our figures beside those of the thesis.

use std::ffi::OsString;

use ropewalk_console::failure::Failure;
use ropewalk_console::format::{self, thousands};
use ropewalk_console::table::Table;

use super::bench::Benchmark;
use crate::bench_rdma::{self, Bench, Extent, SizeRow, StageRow};
use crate::cli::BenchRdma;
use crate::published_rdma as published;
use crate::report;
use crate::report::run::Tile;
use crate::section::Section;

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// A simulator cannot be built, or an output cannot be written.
pub fn execute(options: &BenchRdma, args: &[OsString]) -> Result<u8, Failure> {
    let extent = Extent {
        quick: options.common.quick,
        stages: options.stages,
        incast: options.incast,
        trip_ns: options.trip,
        pages: options.pages,
    };
    super::bench::execute(&options.common, args, |seed, say| {
        bench_rdma::measure(extent, seed, say)
    })
}

impl Benchmark for Bench {
    const COMMAND: &'static str = "bench rdma";
    const TITLE: &'static str = "RDMA, ours beside the thesis";
    const WRONG: &'static str =
        "NOT RIGHT: a transfer failed, or its data are not what they should be";
    const PROMISE: &'static str =
        "Every transfer ended well, and every byte was what it should be.";
    const FOOTER: &'static str = "Cycle-accurate RTL, two engines.";

    fn ok(&self) -> bool {
        self.ok
    }

    fn heading(&self) -> Vec<String> {
        vec![format!(
            "Two nodes joined by wires, memory on the chip, words of 512 bits; times at {:.0} MHz, the clock of the thesis; seed {}{}",
            self.clock_mhz,
            self.seed,
            if self.quick { ", quick" } else { "" }
        )]
    }

    fn sections(&self) -> Vec<Section> {
        let mut sections = vec![
            messages(self),
            single(self),
            sizes(self),
            line(self),
            framing(self),
            every_channel(self),
        ];
        sections.extend(self.stages.iter().map(stages));
        if !self.incast.is_empty() {
            sections.push(incast(self));
        }
        sections
    }

    fn tiles(&self) -> Vec<Tile> {
        report::bench_rdma::tiles(self)
    }

    fn figures(&self) -> String {
        report::bench_rdma::figures(self)
    }
}

fn messages(bench: &Bench) -> Section {
    let mut table = Table::new([
        "port",
        "framing",
        "cycles a message",
        "thesis",
        "messages/s",
        "to the end, cycles a message",
        "each further one",
        "the line alone",
    ]);
    for row in &bench.messages {
        let thesis = row.port_bits == 128;
        table.row([
            format!("{} bits", row.port_bits),
            framing_name(row.packed),
            format!("{:.2}", row.cycles_each),
            if thesis {
                format!("{:.2}", published::MESSAGE_CYCLES)
            } else {
                "-".to_owned()
            },
            format::per_second(row.per_second),
            format!("{:.2}", row.cycles_to_end_each),
            format!("{:.2}", row.cycles_each_further),
            format!("{:.2}", row.line_cycles_each),
        ]);
    }
    Section::new("Messages of 8 bytes, 64 in a row, as the port takes them (figure 4.3)", table).note(
        "to the end: until the user reads that all are done; each further one: what the second half of them adds to that; the line alone: 3 words a message, packed 3 of 4 lanes of one; the port of 128 bits, the receiver of a message and the engine for its answer take 2 each"
            .to_owned(),
    )
    .shows("rdma", &["figure 4.3"])
}

fn sizes(bench: &Bench) -> Section {
    let mut table = Table::new([
        "bytes",
        "single, cycles",
        "time",
        "thesis",
        "Gb/s",
        "at a time",
        "cycles each",
        "Gb/s",
        "thesis",
        "of the line",
    ]);
    for row in &bench.sizes {
        let none = || "-".to_owned();
        table.row([
            thousands(row.bytes.into()),
            thousands(row.single_cycles),
            format::time(row.single_cycles as f64 * 1e3 / bench.clock_mhz),
            if row.bytes <= published::SINGLE.0 {
                format::time(published::SINGLE.1)
            } else {
                none()
            },
            format!("{:.2}", row.single_gbps),
            row.outstanding.to_string(),
            format!("{:.1}", row.outstanding_cycles),
            format!("{:.2}", row.outstanding_gbps),
            if row.bytes == published::OUTSTANDING.0 {
                format!("{:.1}", published::OUTSTANDING.1)
            } else {
                none()
            },
            format!("{:.1} %", row.of_line * 100.0),
        ]);
    }
    Section::new(
        "Time and throughput by size, one after the other and many at a time (figures 4.4 to 4.6)",
        table,
    )
    .note(
        "from the descriptor to the state that its user reads; the thesis has a processor with a round trip of 120 to 150 ns in it. 8 bytes: in the descriptor"
            .to_owned(),
    )
    .shows("rdma", &["figure 4.4", "figure 4.5", "figure 4.6"])
}

/// Single transfers, with and without the processor that the thesis has in its figure.
fn single(bench: &Bench) -> Section {
    let mut table = Table::new([
        "bytes",
        "within a node, cycles",
        "time",
        "with the processor",
        "from node to node, cycles",
        "time",
        "with the processor",
        "thesis, within a node",
    ]);
    let time = |cycles: u64| format::time(cycles as f64 * 1e3 / bench.clock_mhz);
    let small = |row: &&SizeRow| row.bytes <= published::SINGLE.0;
    for row in bench.sizes.iter().filter(small) {
        table.row([
            thousands(row.bytes.into()),
            thousands(row.intra_node_cycles),
            time(row.intra_node_cycles),
            time(row.intra_node_processor_cycles),
            thousands(row.single_cycles),
            time(row.single_cycles),
            time(row.processor_cycles),
            format::time(published::SINGLE.1),
        ]);
    }
    Section::new("A single transfer, with and without a processor (figure 4.4)", table).note(format!(
        "from the descriptor to the state that says that it is done; the processor writes the descriptor and asks at once, and again when it has an answer: {:.0} ns for each question, as from its read to the response",
        bench.processor_trip_ns
    ))
    .shows("rdma", &["figure 4.4"])
}

fn stages(row: &StageRow) -> Section {
    let mut table = Table::new(["stage", "cycle", "of these"]);
    for stage in &row.stages {
        table.row([
            stage.name.to_owned(),
            thousands(stage.at),
            thousands(stage.cycles),
        ]);
    }
    let title = format!(
        "Where the cycles of a single transfer of {} bytes go, {}",
        thousands(row.bytes.into()),
        if row.intra_node {
            "within a node"
        } else {
            "from node to node"
        }
    );
    Section::new(&title, table).note(
        "as it moves at the pins of the engines, from the begin of the descriptor on; of these: since the stage before".to_owned(),
    )
}

fn incast(bench: &Bench) -> Section {
    let mut table = Table::new([
        "marks from",
        "of the line",
        "each, from",
        "to",
        "off the mean",
        "marked",
        "lost",
        "deepest",
        "sent again",
        "the line again",
    ]);
    let percent = |share: f64| format!("{:.2} %", share * 100.0);
    for row in &bench.incast {
        let shares = row.shares.iter().copied();
        table.row([
            match row.mark_words {
                0 => "never".to_owned(),
                words => format!("{} words", thousands(words.into())),
            },
            percent(row.of_line),
            percent(shares.clone().fold(f64::INFINITY, f64::min)),
            percent(shares.fold(0.0, f64::max)),
            percent(row.deviation),
            thousands(row.marked),
            thousands(row.overflowed),
            thousands(row.deepest_words),
            thousands(row.retransmissions),
            row.recovery_cycles.map_or("-".to_owned(), |cycles| {
                format!("{} cycles", thousands(cycles))
            }),
        ]);
    }
    let title = bench.incast.first().map_or(String::new(), |row| {
        format!(
            "{} nodes write {} bytes at a time to one, {} words may wait in front of it",
            row.senders,
            thousands(row.bytes.into()),
            thousands(row.queue_words.into())
        )
    });
    Section::new(&title, table).note(
        "off the mean: of the one that is farthest from it; the line again: when the others have stopped, 90 % of it for the last one".to_owned(),
    )
}

fn framing_name(packed: bool) -> String {
    if packed { "packed" } else { "in words" }.to_owned()
}

fn framing(bench: &Bench) -> Section {
    let mut table = Table::new([
        "bytes",
        "framing",
        "single, cycles",
        "payload",
        "the limit",
        "Gb/s",
    ]);
    for row in &bench.framings {
        let share = |of: f64| format!("{:.2} %", of * 100.0);
        table.row([
            thousands(row.bytes.into()),
            framing_name(row.packed),
            thousands(row.single_cycles),
            share(row.efficiency),
            share(row.limit),
            format!("{:.2}", row.gbps),
        ]);
    }
    let title = "A single transfer, and many at a time: share of the line that is payload";
    Section::new(title, table)
        .note("Gb/s: with the time of the first read of memory and of the last answer".to_owned())
}

fn every_channel(bench: &Bench) -> Section {
    let mut table = Table::new([
        "bytes",
        "framing",
        "at a time",
        "cycles each",
        "the line alone",
        "Gb/s",
    ]);
    for row in &bench.every_channel {
        table.row([
            thousands(row.bytes.into()),
            framing_name(row.packed),
            thousands(row.transfers.into()),
            format!("{:.2}", row.cycles_each),
            format!("{:.2}", row.line_cycles_each),
            format!("{:.2}", row.gbps),
        ]);
    }
    let title = format!("Every channel of {} pages busy", bench.pages);
    Section::new(&title, table).note(
        "until the user has read that the last one is done; the line alone: if packets lie as close as the framing allows"
            .to_owned(),
    )
}

fn line(bench: &Bench) -> Section {
    let mut table = Table::new(["", "this core", "thesis"]);
    let best = bench.sizes.iter().map(|row| row.outstanding_gbps);
    table.row([
        "payload of a full line, Gb/s".to_owned(),
        format!(
            "{:.2} measured, {:.2} the limit",
            best.fold(0.0, f64::max),
            bench.line_gbps
        ),
        format!("{:.1}", published::line_gbps(published::CLOCK_MHZ)),
    ]);
    table.row([
        "95 % of it from transfers of".to_owned(),
        bench.line_rate_from.map_or("-".to_owned(), |bytes| {
            format!("{} bytes", thousands(bytes.into()))
        }),
        format!("{} bytes", thousands(published::LINE_RATE_FROM.into())),
    ]);
    Section::new("The line, many transfers at a time (figure 4.5)", table)
        .note("area (table 4.1) is printed by make area".to_owned())
        .shows("rdma", &["figure 4.5"])
}
