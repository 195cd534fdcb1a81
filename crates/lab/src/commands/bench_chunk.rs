// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench chunk`: bulk transfer beside the tables of the paper, and beside transports of
//! others.

use std::convert::Infallible;
use std::ffi::OsString;

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::table::Table;

use super::bench::Benchmark;
use crate::bench_chunk::{self, Bench, Figure, LanesRow, Measured, SEALED_SIZES, Spread};
use crate::cli::BenchOptions;
use crate::published_chunk as published;
use crate::report;
use crate::report::run::Tile;
use crate::section::Section;

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// An output cannot be written.
pub fn execute(options: &BenchOptions, args: &[OsString]) -> Result<u8, Failure> {
    super::bench::execute(options, args, |seed, say| {
        Ok::<_, Infallible>(bench_chunk::measure(options.quick, seed, say))
    })
}

impl Benchmark for Bench {
    const COMMAND: &'static str = "bench chunk";
    const TITLE: &'static str = "Bulk transfer beside the paper and other transports";
    const WRONG: &'static str = "NOT LOSSLESS: a chunk differs";
    const PROMISE: &'static str =
        "Every chunk arrived once and unchanged; in virtual time each byte of it was compared.";
    const FOOTER: &'static str =
        "Virtual time is exact; what is measured by wall clock belongs to the machine that ran it.";

    fn ok(&self) -> bool {
        self.ok
    }

    fn heading(&self) -> Vec<String> {
        vec![format!(
            "Chunks of 16 780 800 bytes, frames of 8 sub-packets of 1216 bytes; lanes of 10 Gb/s in virtual time; seed {}{}",
            self.seed,
            if self.quick { ", quick" } else { "" }
        )]
    }

    fn sections(&self) -> Vec<Section> {
        vec![
            table_1(self),
            table_2(self),
            losses(self),
            windows(self),
            accelerators(self),
            transports(self),
            codes(self),
        ]
    }

    fn tiles(&self) -> Vec<Tile> {
        report::bench_chunk::tiles(self)
    }

    fn figures(&self) -> String {
        report::bench_chunk::figures(self)
    }
}

/// How far a figure is from another one, in percent.
fn off(ours: f64, theirs: f64) -> String {
    format!("{:+.2} %", 100.0 * (ours / theirs - 1.0))
}

/// Lanes without loss: one of the paper's tables.
fn arrangement(
    bench: &Bench,
    title: &str,
    of: impl Fn(&LanesRow) -> (Measured, Measured, Option<Figure>),
) -> Section {
    let mut table = Table::new([
        "lanes",
        "Gb/s",
        "paper",
        "off",
        "chunk, ms",
        "paper",
        "off",
        "overlapped, Gb/s",
        "chunk, ms",
    ]);
    for row in bench.lanes.iter().filter(|row| row.loss == 0.0) {
        let (ours, overlapped, paper) = of(row);
        let beside = |ours: f64, theirs: Option<f64>, digits: usize| {
            theirs.map_or(["-".to_owned(), "-".to_owned()], |theirs| {
                [format!("{theirs:.digits$}"), off(ours, theirs)]
            })
        };
        let [gbps, gbps_off] = beside(ours.figure.gbps, paper.map(|p| p.gbps), 3);
        let [ms, ms_off] = beside(ours.figure.chunk_ms, paper.map(|p| p.chunk_ms), 3);
        table.row([
            row.lanes.to_string(),
            format!("{:.3}", ours.figure.gbps),
            gbps,
            gbps_off,
            format!("{:.3}", ours.figure.chunk_ms),
            ms,
            ms_off,
            format!("{:.3}", overlapped.figure.gbps),
            format!("{:.3}", overlapped.figure.chunk_ms),
        ]);
    }
    Section::new(title, table)
}

fn table_1(bench: &Bench) -> Section {
    arrangement(
        bench,
        "Stable Throughput, two phases, no loss, a pipeline for each lane (table I)",
        |row| (row.stable, row.stable_overlapped, row.paper_stable),
    )
    .note(
        "virtual time; overlapped: two chunks in flight. The paper's 13.109 ms is less than the line takes, its throughput says 13.713"
            .to_owned(),
    )
    .shows("chunk", &["table I", "figure 10", "figure 11"])
}

fn table_2(bench: &Bench) -> Section {
    let fit = bench.fit;
    arrangement(
        bench,
        "Low Latency, two phases, no loss, one pipeline over all lanes (table II)",
        |row| (row.low_latency, row.low_latency_overlapped, row.paper_low_latency),
    )
    .note(format!(
        "chunk over n lanes: {:.3} ms / n + {:.1} us, at most {:.1} us apart; line alone {:.3} ms, turn-around of the paper {:.1} us. Overhead \
         {} bytes a chunk, paper {}. The paper's 3.366 ms is less than the line takes, its throughput says 3.455",
        fit.line_ms,
        fit.turn_us,
        fit.apart_us,
        fit.line_expected_ms,
        fit.paper_turn_us,
        format::thousands(bench.overhead_bytes.round() as u64),
        format::thousands(published::OVERHEAD.into()),
    ))
    .shows("chunk", &["table II", "figure 10", "figure 11"])
}

fn losses(bench: &Bench) -> Section {
    let mut table = Table::new([
        "lanes",
        "loss",
        "stable, Gb/s",
        "low latency, ms",
        "model",
        "off",
        "sent again",
        "model",
        "overlapped, ms",
        "gain",
    ]);
    let most = bench.lanes.iter().map(|row| row.lanes).max().unwrap_or(1);
    for lanes in [1, most] {
        for row in bench.lanes.iter().filter(|row| row.lanes == lanes) {
            let (low, model) = (row.low_latency.figure, row.low_latency_model);
            let overlapped = row.low_latency_overlapped.figure;
            table.row([
                lanes.to_string(),
                format!("{} %", row.loss * 100.0),
                format!("{:.3}", row.stable.figure.gbps),
                format!("{:.3}", low.chunk_ms),
                format!("{:.3}", model.chunk_ms),
                off(low.chunk_ms, model.chunk_ms),
                format!("{:.0}", row.low_latency.resent),
                format!("{:.0}", row.resent_model),
                format!("{:.3}", overlapped.chunk_ms),
                format!(
                    "{:+.1} %",
                    100.0 * (low.chunk_ms / overlapped.chunk_ms - 1.0)
                ),
            ]);
        }
        if lanes == most {
            break;
        }
        table.gap();
    }
    Section::new("Loss, two phases (figures 10 and 11)", table).note(
        "model: rounds to be expected times the paper's turn-around; the figures of the paper have no numbers. Gain: throughput of overlapped phases over \
         that of two"
            .to_owned(),
    )
    .shows("chunk", &["figure 10", "figure 11"])
}

fn windows(bench: &Bench) -> Section {
    let counts = bench.windows.first().map_or(&[][..], |row| &row.overlapped);
    let flight = counts.iter().map(|window| match window.chunks {
        1 => "1 in flight".to_owned(),
        chunks => format!("{chunks} in flight"),
    });
    let head = ["round trip, ms", "loss", "two phases, Gb/s"].map(str::to_owned);
    let mut table = Table::new(
        head.into_iter()
            .chain(flight)
            .chain(["nobody waits".to_owned()]),
    );
    for row in &bench.windows {
        let first = [
            row.rtt_ms.to_string(),
            format!("{} %", row.loss * 100.0),
            format!("{:.3}", row.two_phases_gbps),
        ];
        let flight = row.overlapped.iter().map(|it| format!("{:.3}", it.gbps));
        let last = format!("{:.3}", row.ideal_gbps);
        table.row(first.into_iter().chain(flight).chain([last]));
    }
    Section::new("Chunks in flight, one lane", table).note("virtual time".to_owned())
}

fn accelerators(bench: &Bench) -> Section {
    let mut table = Table::new([
        "loss",
        "added",
        "two phases, Gb/s",
        "chunk, ms",
        "overlapped, Gb/s",
        "chunk, ms",
    ]);
    let mut before = None;
    for row in &bench.accelerators {
        if before
            .replace(row.loss)
            .is_some_and(|loss| loss != row.loss)
        {
            table.gap();
        }
        let [two, overlapped] = [row.two_phases.figure, row.overlapped.figure];
        table.row([
            format!("{} %", row.loss * 100.0),
            format::time(row.added_us as f64 * 1e3),
            format!("{:.3}", two.gbps),
            format!("{:.3}", two.chunk_ms),
            format!("{:.3}", overlapped.gbps),
            format!("{:.3}", overlapped.chunk_ms),
        ]);
    }
    Section::new("One lane with accelerators for check and code (figure 12)", table)
        .note(
            "virtual time; added: time of a frame in the accelerators of both ends, which keep up with the line; the figure of the paper has no numbers"
                .to_owned(),
        )
        .shows("chunk", &["figure 12"])
}

fn transports(bench: &Bench) -> Section {
    let mut table = Table::new([
        "transport",
        "lanes",
        "loss",
        "Gb/s",
        "from..to",
        "CPU s/GB",
        "from..to",
    ]);
    for row in &bench.transports {
        let lanes = row.lanes.map_or("-".to_owned(), |lanes| lanes.to_string());
        let figures = |spread: Option<Spread>, digits: usize| {
            spread.map_or(["-".to_owned(), "-".to_owned()], |it| {
                [
                    format!("{:.digits$}", it.median),
                    format!("{:.digits$}..{:.digits$}", it.min, it.max),
                ]
            })
        };
        let [gbps, gbps_range] = figures(row.gbps, 1);
        let [cpu, cpu_range] = figures(row.cpu_s_per_gb, 2);
        table.row([
            row.name.clone(),
            lanes,
            format!("{} %", row.drop * 100.0),
            gbps,
            gbps_range,
            cpu,
            cpu_range,
        ]);
    }
    let left_out: Vec<String> = bench
        .transports
        .iter()
        .filter_map(|row| Some(format!("{}: {}", row.name, row.left_out.as_ref()?)))
        .collect();
    let note = format!(
        "wall clock, loopback interface, memory to memory, in turns; median of all turns; processor time of both ends and the kernel; sealed: {}, sub-packets of {} bytes, as 'send' has them without a code, chunks of {}",
        bench.cipher,
        SEALED_SIZES.payload,
        SEALED_SIZES.chunk_bytes()
    );
    let beside = bench.of_quic.map(|share| {
        format!(
            "turn by turn, {} bring {:.2} times as much as the faster library for QUIC, with {:.2} times its processor time",
            bench_chunk::SEALED,
            share.gbps.median,
            share.cpu.median,
        )
    });
    let reached = bench.of_ceiling.map(|share| {
        format!(
            "turn by turn, {} reaches {:.0} % of {}, with {:.2} times its processor time: what is left is the price of the protocol",
            bench_chunk::CHECKED,
            100.0 * share.gbps.median,
            bench_chunk::CEILING,
            share.cpu.median,
        )
    });
    let said = [Some(note), reached, beside].into_iter().flatten();
    let note = said.chain(left_out).collect::<Vec<_>>().join("; ");
    Section::new("Transports on this machine", table).note(note)
}

fn codes(bench: &Bench) -> Section {
    let mut table = Table::new(["code", "by", "encode, Gb/s", "check", "mend"]);
    for row in &bench.fec {
        table.row([
            row.code.clone(),
            row.path.clone(),
            format!("{:.1}", row.encode_gbps),
            row.check_gbps
                .map_or("-".to_owned(), |it| format!("{it:.1}")),
            format!("{:.1}", row.mend_gbps),
        ]);
    }
    Section::new("Codes on one core, sub-packets of 1216 bytes", table).note(
        "payload by processor time, the fastest of some turns; mend: one changed byte in each sub-packet, or as many lost sub-packets of a block as it has parity".to_owned(),
    )
}
