// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench slink`: our figures beside the formulas, the paper and PCI Express.

use std::ffi::OsString;

use ropewalk_console::failure::Failure;
use ropewalk_console::format::{self, thousands};
use ropewalk_console::table::Table;

use super::bench::Benchmark;
use crate::bench_slink::{self, Bench, ModeRow, published};
use crate::cli::BenchOptions;
use crate::report;
use crate::report::run::Tile;
use crate::section::Section;

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// A simulator cannot be built, or an output cannot be written.
pub fn execute(options: &BenchOptions, args: &[OsString]) -> Result<u8, Failure> {
    super::bench::execute(options, args, |seed, say| {
        bench_slink::measure(options.quick, seed, say)
    })
}

impl Benchmark for Bench {
    const COMMAND: &'static str = "bench slink";
    const TITLE: &'static str = "SLink, ours beside its formulas, the paper and PCI Express 2.0";
    const WRONG: &'static str =
        "NOT OK: a byte was wrong, or the latency of a mode is not formula and constant";
    const PROMISE: &'static str = "In every run every byte of both memories was as it should be.";
    const FOOTER: &'static str = report::bench::RTL;

    fn ok(&self) -> bool {
        self.ok
    }

    fn heading(&self) -> Vec<String> {
        vec![format!(
            "Two ends and two memories, 8 cycles between them, no errors; a cycle is 8 ns at 2.5 Gb/s and 4 ns at 5 Gb/s, in 64b/66b 6.4 ns and \
             3.2 ns; seed {}{}",
            self.seed,
            if self.quick { ", quick" } else { "" }
        )]
    }

    fn sections(&self) -> Vec<Section> {
        let mut sections = vec![latency(self)];
        sections.extend(latency_by_size(self));
        sections.extend([compared(self), bandwidth(self), several(self)]);
        sections
    }

    fn tiles(&self) -> Vec<Tile> {
        report::bench_slink::tiles(self)
    }

    fn figures(&self) -> String {
        report::bench_slink::figures(self)
    }
}

fn mode(row: &ModeRow) -> String {
    format!(
        "{}{}, {} x {} Gb/s",
        row.mode,
        if row.crc { ", CRC" } else { "" },
        row.lanes,
        row.rate_gbps
    )
}

fn latency(bench: &Bench) -> Section {
    let mut table = Table::new([
        "mode",
        "first word",
        "symbols",
        "cycles beside",
        "last word",
    ]);
    for row in &bench.modes {
        table.row([
            mode(row),
            format::time(row.first_ns),
            format::time(row.symbols_ns),
            format!("{:.1}", row.beside_cycles),
            format::time(row.last_ns),
        ]);
    }
    Section::new("Latency of 512 bytes, all modes", table).note(format!(
        "formula: symbols, and {} cycles, of a read twice as many; in 64b/66b 33 cycles for 32 words, and {} cycles, of a read {}. Farthest from it, of \
         all modes, sizes, line codes and operations at a time: {:.1} cycles, to the last word {:.1} cycles. From the first word that the memory gives, of a \
         read from its request on the lanes",
        bench.constant_cycles,
        bench.constant_blocks_cycles[0],
        bench.constant_blocks_cycles[1],
        bench.spread_cycles,
        bench.last_spread_cycles
    ))
    .shows("slink", &["figure 6"])
}

fn several(bench: &Bench) -> Section {
    let mut table = Table::new([
        "operation",
        "lanes",
        "bytes",
        "at a time",
        "cycles each",
        "on the line",
        "Gb/s",
    ]);
    for rows in bench
        .several
        .chunk_by(|a, b| (a.mode, a.lanes) == (b.mode, b.lanes))
    {
        for row in rows {
            table.row([
                row.mode.to_owned(),
                row.lanes.to_string(),
                thousands(row.bytes.into()),
                row.outstanding.to_string(),
                format!("{:.1}", row.cycles_each),
                format!("{:.1}", row.line_cycles_each),
                format!("{:.3}", row.gbps),
            ]);
        }
        table.gap();
    }
    Section::new("Several operations at a time, CRC, 5 Gb/s a lane", table).note(
        "one at a time: from the first register that the program writes until it reads that the operation is over; several: from the first start to the \
         last word in a memory, by the number of operations. Starting one takes the program five accesses to registers"
            .to_owned(),
    )
}

/// A table for each line code and number of operations: a row for each mode, of which the speed of
/// the lanes changes nothing but the length of a cycle.
fn latency_by_size(bench: &Bench) -> Vec<Section> {
    let tables = bench
        .mode_sizes
        .chunk_by(|a, b| (a.coding, a.outstanding) == (b.coding, b.outstanding));
    tables.filter_map(one_latency_by_size).collect()
}

fn one_latency_by_size(rows: &[ModeRow]) -> Option<Section> {
    let of = rows.first()?;
    let mut sizes: Vec<u32> = rows.iter().map(|row| row.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let heads = sizes
        .iter()
        .map(|&bytes| format!("{} bytes", thousands(bytes.into())));
    let mut table = Table::new(["mode".to_owned()].into_iter().chain(heads));
    for rows in rows.chunk_by(|a, b| mode(a) == mode(b)) {
        let mut rows: Vec<&ModeRow> = rows.iter().collect();
        rows.sort_by_key(|row| row.bytes);
        let cells = rows.iter().map(|row| format!("{:.1}", row.beside_cycles));
        table.row(rows.first().map(|row| mode(row)).into_iter().chain(cells));
    }
    let title = format!(
        "Latency by size in {}, {} at a time: cycles beside the symbols of the formula, to the first word",
        of.coding, of.outstanding
    );
    Some(Section::new(&title, table).shows("slink", &["figure 6"]))
}

/// How much lower and higher, without CRC: the average and one mode.
pub fn ratios(bench: &Bench) -> [[f64; 2]; 2] {
    let rows = || {
        bench
            .modes
            .iter()
            .filter(|row| !row.crc && row.mode == "write")
    };
    let one = |rate: f64, lanes: u8, of: fn(&ModeRow) -> f64| {
        let mut rows = rows().filter(|row| row.rate_gbps == rate && row.lanes == lanes);
        rows.next().map_or(0.0, of)
    };
    let average =
        |of: fn(&ModeRow) -> f64| rows().map(of).sum::<f64>() / rows().count().max(1) as f64;
    let symbols: fn(&ModeRow) -> f64 = |row| 1.0 - row.symbols_ns / row.pcie_first_ns;
    let bandwidth: fn(&ModeRow) -> f64 = |row| row.bandwidth_gbps / row.pcie_gbps - 1.0;
    [
        [average(symbols), one(2.5, 1, symbols)],
        [average(bandwidth), one(5.0, 4, bandwidth)],
    ]
}

fn compared(bench: &Bench) -> Section {
    let mut table = Table::new(["512 bytes, no CRC", "ours, by framing", "paper, measured"]);
    let percent = |value: f64| format!("{:.1} %", 100.0 * value);
    let [latency, bandwidth] = ratios(bench);
    for (name, ours, paper) in [
        (
            "latency lower, on average",
            latency[0],
            published::LATENCY[0],
        ),
        ("  1 x 2.5 Gb/s", latency[1], published::LATENCY[1]),
        (
            "bandwidth higher, on average",
            bandwidth[0],
            published::BANDWIDTH[0],
        ),
        ("  4 x 5 Gb/s", bandwidth[1], published::BANDWIDTH[1]),
    ] {
        table.row([name.to_owned(), percent(ours), percent(paper)]);
    }
    Section::new("Beside PCI Express 2.0 (figures 6 to 8)", table).note(format!(
        "ours: what the formats of both take on the same lanes until the first word may be written, and of the bandwidth; PCI Express with packets of 128 bytes, \
         without its controllers, which the paper's figures contain. Area of the controller (table 3: {} LUT, {} FF) is printed by make area",
        published::AREA[0],
        published::AREA[1]
    ))
    .shows("slink", &["figure 6", "figure 7"])
}

fn bandwidth(bench: &Bench) -> Section {
    let mut table = Table::new([
        "lanes",
        "bytes",
        "efficiency",
        "formula",
        "CRC",
        "formula",
        "PCIe 2.0",
        "Gb/s to the last word",
        "CRC",
    ]);
    let ratio = |value: f64| format!("{value:.4}");
    for row in &bench.sizes {
        table.row([
            row.lanes.to_string(),
            thousands(row.bytes.into()),
            ratio(row.efficiency),
            ratio(row.formula),
            ratio(row.efficiency_crc),
            ratio(row.formula_crc),
            ratio(row.pcie),
            format!("{:.3}", row.through_gbps),
            format!("{:.3}", row.through_crc_gbps),
        ]);
    }
    Section::new("Writes at 5 Gb/s a lane by size (figures 7 and 8)", table).note(format!(
        "efficiency: data over 4 Gb/s a lane while packets are sent; paper, one lane, size not told: {}. Gb/s to the last word: with the latency of each operation",
        published::EFFICIENCY
    ))
    .shows("slink", &["figure 7"])
}
