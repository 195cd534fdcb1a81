// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench rifl`: our figures beside those of the published core.

use std::ffi::OsString;

use ropewalk_console::failure::Failure;
use ropewalk_console::format::{self, thousands};
use ropewalk_console::table::Table;

use super::bench::Benchmark;
use crate::bench::{self, Bench, Bencher, Effort, GoodputRow};
use crate::cli::BenchRifl;
use crate::figure_9::{Method, Row};
use crate::paper_tables::{self, PaperTables};
use crate::published;
use crate::report;
use crate::report::run::Tile;
use crate::section::Section;
use crate::simulator::Simulator;

/// Runs the subcommand; `args` is the command line, for the report.
///
/// # Errors
/// A simulator cannot be built, or an output cannot be written.
pub fn execute(
    options: &BenchRifl,
    args: &[OsString],
    simulator: &(dyn Simulator + Sync),
) -> Result<u8, Failure> {
    let effort = match options {
        BenchRifl { long: true, .. } => Effort::Long,
        _ if options.common.quick => Effort::Quick,
        _ => Effort::Tables,
    };
    super::bench::execute(&options.common, args, |seed, say| {
        Bencher::all(simulator, seed, effort, options.fig9, say)
    })
}

impl Benchmark for Bench {
    const COMMAND: &'static str = "bench rifl";
    const TITLE: &'static str = "RIFL, ours beside the published core";
    const WRONG: &'static str =
        "NOT LOSSLESS: a packet was lost, duplicated, reordered or corrupted";
    const PROMISE: &'static str = report::bench::ONCE;
    const FOOTER: &'static str = report::bench::RTL;

    fn ok(&self) -> bool {
        self.ok
    }

    fn heading(&self) -> Vec<String> {
        let effort = match self {
            Bench { quick: true, .. } => ", quick",
            Bench { long: true, .. } => ", long",
            _ => "",
        };
        vec![
            format!(
                "28 Gb/s a lane, seed {}{effort}; published: {}, K = 64. Times in GT cycles of 64 bits (2.2857 ns).",
                self.seed,
                published::SOURCE
            ),
            "Links: lanes/user width/frame width.".to_owned(),
        ]
    }

    fn sections(&self) -> Vec<Section> {
        let mut sections = vec![
            latency(self),
            efficiency(self),
            widest(self),
            stall(self),
            goodput(self),
            late(self),
            link_up(self),
            speed(self),
        ];
        sections.extend(self.figure_9.as_deref().map(figure_9));
        sections.extend(paper(&self.paper_tables));
        sections
    }

    fn tiles(&self) -> Vec<Tile> {
        report::bench_rifl::tiles(self)
    }

    fn figures(&self) -> String {
        report::bench_rifl::figures(self)
    }
}

fn mode(extended: bool) -> String {
    if extended { "extended" } else { "compatible" }.to_owned()
}

fn latency(bench: &Bench) -> Section {
    let mut table = Table::new([
        "link",
        "bytes",
        "median",
        "largest",
        "any clock phase",
        "published",
    ]);
    for row in &bench.latency {
        table.row([
            bench::name(row.link),
            thousands(row.bytes.into()),
            row.p50.to_string(),
            row.max.to_string(),
            format!("{}..{}", row.any_phase_min, row.any_phase_max),
            match row.published {
                [min, max] if min == max => max.to_string(),
                [min, max] => format!("{min}..{max}"),
            },
        ]);
    }
    Section::new(
        "Latency, first beat in to first beat out, saturated, no wire delay",
        table,
    )
    .shows("rifl", &["figure 8"])
}

fn efficiency(bench: &Bench) -> Section {
    let tables = published::EFFICIENCY_LINKS.chunks(3).map(|links| {
        let mut heads = vec!["bytes".to_owned()];
        heads.extend(
            links
                .iter()
                .flat_map(|link| [bench::name(*link), "published".to_owned()]),
        );
        let mut table = Table::new(heads);
        for (bytes, ..) in published::EFFICIENCY {
            let mut cells = vec![bytes.to_string()];
            for link in links {
                let found = bench
                    .efficiency
                    .iter()
                    .find(|row| row.link == *link && row.bytes == bytes);
                if let Some(row) = found {
                    cells.push(format!("{:.4}", row.efficiency));
                    cells.push(row.published.map_or("-".to_owned(), |p| format!("{p:.4}")));
                }
            }
            table.row(cells);
        }
        table
    });
    Section::of(
        "Efficiency, payload bits over line bits, saturated, no errors",
        tables.collect(),
    )
    .note(format!(
        "end effects of finite runs: published figures are up to {} too high",
        published::EFFICIENCY_SLACK
    ))
    .shows("rifl", &["figure 8"])
}

fn widest(bench: &Bench) -> Section {
    let line_gbps = 28.0 * f64::from(bench::WIDEST.lanes);
    let mut table = Table::new(["bytes", "efficiency", "limit of the framing", "Gb/s"]);
    let rows = bench.efficiency.iter();
    for row in rows.filter(|row| row.link == bench::WIDEST) {
        table.row([
            thousands(row.bytes.into()),
            format!("{:.4}", row.efficiency),
            format!("{:.4}", row.framing),
            format!("{:.1}", row.efficiency * line_gbps),
        ]);
    }
    Section::new(
        &format!(
            "Efficiency of {}, {line_gbps} Gb/s of line rate, saturated, no errors",
            bench::name(bench::WIDEST)
        ),
        table,
    )
}

fn stall(bench: &Bench) -> Section {
    let mut table = Table::new([
        "link",
        "mode",
        "delay",
        "sink",
        "published",
        "source",
        "published",
        "opposite",
        "published",
    ]);
    for row in &bench.stall {
        table.row([
            bench::name(row.link),
            mode(row.extended),
            row.delay_cycles.to_string(),
            thousands(row.sink),
            thousands(row.published_sink),
            thousands(row.source),
            thousands(row.published_source),
            thousands(row.opposite),
            row.published_opposite.map_or("-".to_owned(), thousands),
        ]);
    }
    Section::new(
        "Longest gap after one damaged frame (opposite: traffic both ways)",
        table,
    )
}

/// Link, mode, K and bit error rate of a row.
fn conditions(row: &GoodputRow) -> [String; 4] {
    [
        bench::name(row.link),
        mode(row.extended),
        (1u32 << row.id_width).to_string(),
        format::rate(row.ber),
    ]
}

fn goodput(bench: &Bench) -> Section {
    let mut table = Table::new([
        "link",
        "mode",
        "K",
        "BER",
        "bit errors",
        "ratio",
        "published",
    ]);
    for row in &bench.goodput {
        let tried = published::BIT_ERROR_RATES.contains(&row.ber);
        let none = if tried { "not finished" } else { "-" };
        table.row(conditions(row).into_iter().chain([
            thousands(row.bit_errors),
            format!("{:.3}", row.ratio),
            row.published.unwrap_or(none).to_owned(),
        ]));
    }
    Section::new(
        "Goodput with bit errors over goodput without, packets of 1 to 8192 bytes both ways, wire delay 35",
        table,
    )
    .shows("rifl", &["figure 9"])
}

fn late(bench: &Bench) -> Section {
    let mut table = Table::new([
        "link", "mode", "K", "BER", "mean", "50 %", "99 %", "99.9 %", "99.99 %", "largest",
    ]);
    for row in &bench.goodput {
        let cycles = row.latency_cycles;
        table.row(
            conditions(row)
                .into_iter()
                .chain([format!("{:.1}", cycles.mean)])
                .chain(
                    [
                        cycles.p50,
                        cycles.p99,
                        cycles.p999,
                        cycles.p9999,
                        cycles.max,
                    ]
                    .map(thousands),
                ),
        );
    }
    Section::new(
        "Latency with bit errors, first beat in to first beat out, in the same runs",
        table,
    )
    .shows("rifl", &["figure 9"])
}

/// A table for each curve.
fn figure_9(rows: &[Row]) -> Section {
    let curves = rows.chunk_by(|a, b| (a.extended, a.id_width) == (b.extended, b.id_width));
    let table = |curve: &[Row]| {
        let mut table = Table::new([
            "mode", "K", "BER", "by", "ratio", "lost", "from", "to", "mean", "from", "to", "99 %",
            "99.9 %", "99.99 %", "paper",
        ]);
        for row in curve {
            let (lost, latency) = (row.estimate.lost, row.estimate.latency_cycles);
            let paper = published::PAPER_GOODPUT.iter();
            let paper = paper
                .filter(|(ber, _)| (ber / row.ber - 1.0).abs() < 1e-3)
                .map(|(_, ratio)| format!("{ratio}"))
                .next();
            let cells = [
                mode(row.extended),
                (1u32 << row.id_width).to_string(),
                format!("{:.1e}", row.ber),
                match row.method {
                    Method::Recoveries => "recoveries",
                    Method::Run => "run",
                }
                .to_owned(),
                format!("{:.4}", row.ratio),
            ];
            let lost = [lost.value, lost.low, lost.high].map(|share| format!("{share:.3e}"));
            let mean = latency.mean;
            let mean = [mean.value, mean.low, mean.high].map(|cycles| format!("{cycles:.2}"));
            let late = [latency.p99, latency.p999, latency.p9999];
            let late = late.map(|cycles| thousands(cycles.into()));
            let cells = cells.into_iter().chain(lost).chain(mean).chain(late);
            table.row(cells.chain([paper.unwrap_or("-".to_owned())]));
        }
        table
    };
    let title = format!(
        "Figure 9 of the paper: goodput and latency over the bit error rate, link {}, packets of 1 to 8192 bytes both ways, wire delay {}",
        bench::name(bench::SWEPT[0]),
        published::GOODPUT_DELAY_CYCLES
    );
    Section::of(&title, curves.map(table).collect())
        .note(
            "lost: share of the goodput without errors, with the band that holds 95 % of a bootstrap; latency: mean with its band, and quantiles. By \
             recoveries: composed of simulated recoveries and of how often they come, with further errors in them by importance sampling; by run: \
             simulated at this rate. The paper has K = 256, and gives two of its points as numbers"
                .to_owned(),
        )
        .shows("rifl", &["figure 9"])
}

fn link_up(bench: &Bench) -> Section {
    let mut table = Table::new(["frame", "mode", "links", "cycles", "time"]);
    let ns = |cycles: u64| format::time(cycles as f64 * 64.0 / 28.0);
    for row in &bench.link_up {
        table.row([
            row.frame_width.to_string(),
            mode(row.extended),
            row.links.to_string(),
            format!("{}..{}", thousands(row.min), thousands(row.max)),
            format!("{}..{}", ns(row.min), ns(row.max)),
        ]);
    }
    let (hardware, fast) = published::LINK_UP;
    Section::new(
        "Link-up, release of reset to both ends up, over bit slips and wire delays 0 and 35",
        table,
    )
    .note(format!("published, frame width 256: {hardware}; {fast}"))
}

fn speed(bench: &Bench) -> Section {
    let mut table = Table::new(["link", "GT cycles per second"]);
    for row in &bench.speed {
        table.row([
            bench::name(row.link),
            format::per_second(row.cycles_per_second),
        ]);
    }
    Section::new(
        "Simulation speed, two endpoints, by wall clock",
        table,
    )
    .note(format!(
        "published, frame width 256: one lane {}, four lanes {} on an idle machine of two cores; comparable only on the \
         same machine",
        format::per_second(published::CYCLES_PER_SECOND[0]),
        format::per_second(published::CYCLES_PER_SECOND[1])
    ))
}

/// The tables of the paper.
fn paper(tables: &PaperTables) -> [Section; 3] {
    let years = |years: f64| format!("{years:.2e}");
    let mut table = Table::new([
        "frame",
        "id, paper",
        "needed here",
        "extended",
        "checksum, paper",
        "code here",
        "years, paper",
        "by its equations",
        "here",
    ]);
    for row in &tables.table_2 {
        table.row([
            row.frame_width.to_string(),
            row.paper_id_bits.to_string(),
            row.id_bits.to_string(),
            row.extended_id_bits.to_string(),
            row.paper_checksum_bits.to_string(),
            row.code_bits.to_string(),
            years(row.paper_years),
            years(row.equation_years),
            years(row.years),
        ]);
    }
    let (rate, round_trip, ber) = paper_tables::TABLE_2;
    let second = Section::new(
        &format!(
            "Table 2 of the paper: bits of id and checksum, {rate} Gb/s, round trip {round_trip} ns, BER {}",
            format::rate(ber)
        ),
        table,
    )
    .note(
        "years: until one link of a hundred has seen an error that the code missed; here from counted patterns".to_owned(),
    )
    .shows("rifl", &["table 2"]);

    let mut table = Table::new(["frame", "paper", "here"]);
    for row in &tables.table_3 {
        table.row([
            row.frame_width.to_string(),
            format!("{:.2} %", row.paper_percent),
            format!("{:.4} %", row.percent),
        ]);
    }
    let third = Section::new("Table 3 of the paper: efficiency of full frames", table)
        .note("the paper's 93.25 is a misprint for 93.75".to_owned())
        .shows("rifl", &["table 3"]);

    let mut table = Table::new([
        "BER",
        "paper",
        "mean by its equations",
        "mean here",
        "99 % of links here",
    ]);
    for row in &tables.table_5 {
        table.row([
            format::rate(row.ber),
            years(row.paper_years),
            years(row.equation_mean_years),
            years(row.mean_years),
            years(row.survival_years),
        ]);
    }
    let (lanes, rate, id_width, _) = paper_tables::TABLE_5;
    let fifth = Section::new(
        &format!(
            "Table 5 of the paper: years between failures, {lanes} lanes of {rate} Gb/s, K = {}",
            1u32 << id_width
        ),
        table,
    )
    .note(
        "the paper's 1.88e8 is a misprint for 1.88e7; its table has mean times, its text defines those of 99 % of links; \
         the area of its table 4 is printed by tools/area.py --paper"
            .to_owned(),
    )
    .shows("rifl", &["table 5"]);
    [second, third, fifth]
}
