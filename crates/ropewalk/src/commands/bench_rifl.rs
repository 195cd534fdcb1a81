// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench rifl`: our figures beside those of the published core.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

use crate::bench::{self, Bench, Bencher, EfficiencyRow};
use crate::cli::BenchRifl;
use crate::failure::Failure;
use crate::format::{self, thousands};
use crate::published;
use crate::seed;
use crate::simulator::Simulator;
use crate::table::{Style, Table};

/// Runs the subcommand.
///
/// # Errors
/// A simulator cannot be built, or standard output cannot be written.
pub fn execute(options: &BenchRifl, simulator: &dyn Simulator) -> Result<u8, Failure> {
    let seed = options.seed.unwrap_or_else(seed::fresh);
    let spinner = std::io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar
    });
    let mut say = |what: &str| {
        if let Some(bar) = &spinner {
            bar.set_message(what.to_owned());
            bar.tick();
        }
    };
    let bench = Bencher::new(simulator, seed, options.quick, &mut say).all(seed)?;
    if let Some(bar) = &spinner {
        bar.finish_and_clear();
    }
    let mut out = std::io::stdout().lock();
    if options.json {
        let json =
            serde_json::to_string_pretty(&bench).map_err(|error| Failure::Stdout(error.into()))?;
        writeln!(out, "{json}")?;
    } else {
        write!(
            out,
            "{}",
            render(
                &bench,
                Style::new(format::colour_wanted(&std::io::stdout()))
            )
        )?;
    }
    out.flush()?;
    Ok(u8::from(!bench.ok))
}

fn link_name(lanes: u8, user_width: u16, frame_width: u16) -> String {
    bench::name(published::Link {
        lanes,
        user_width,
        frame_width,
    })
}

fn mode(extended: bool) -> String {
    if extended { "extended" } else { "compatible" }.to_owned()
}

/// The tables.
pub fn render(bench: &Bench, style: Style) -> String {
    let mut out = String::new();
    let head = |title: &str| format!("{}\n", style.bold(title));
    let run = format!(
        "28 Gb/s a lane, seed {}{}",
        bench.seed,
        if bench.quick { ", quick" } else { "" }
    );
    out += &head("RIFL, ours beside the published core");
    out += &format!(
        "{run}; published: {}, K = 64. Times in GT cycles of 64 bits (2.2857 ns).\nLinks: lanes/user width/frame width.\n\n",
        published::SOURCE
    );

    out += &head("Latency, first beat in to first beat out, saturated, no wire delay");
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
            link_name(row.lanes, row.user_width, row.frame_width),
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
    out += &table.render(style);

    out.push('\n');
    out += &head("Efficiency, payload bits over line bits, saturated, no errors");
    for links in published::EFFICIENCY_LINKS.chunks(3) {
        let mut heads = vec!["bytes".to_owned()];
        heads.extend(
            links
                .iter()
                .flat_map(|link| [bench::name(*link), "published".to_owned()]),
        );
        let mut table = Table::new(heads);
        for (bytes, ..) in published::EFFICIENCY {
            let mut cells = vec![bytes.to_string()];
            let of_links = |row: &&EfficiencyRow| {
                let name = link_name(row.lanes, row.user_width, row.frame_width);
                row.bytes == bytes && links.iter().any(|link| bench::name(*link) == name)
            };
            for row in bench.efficiency.iter().filter(of_links) {
                cells.push(format!("{:.4}", row.efficiency));
                cells.push(format!("{:.4}", row.published));
            }
            table.row(cells);
        }
        out += &table.render(style);
        out.push('\n');
    }
    out += &style.dim(&format!(
        "end effects of finite runs: published figures are up to {} too high\n",
        published::EFFICIENCY_SLACK
    ));

    out.push('\n');
    out += &head("Longest gap after one damaged frame (opposite: traffic both ways)");
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
            link_name(row.lanes, row.user_width, row.frame_width),
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
    out += &table.render(style);

    out.push('\n');
    out += &head(
        "Goodput with bit errors over goodput without, packets of 1 to 8192 bytes both ways, wire delay 35",
    );
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
        table.row([
            link_name(row.lanes, row.user_width, row.frame_width),
            mode(row.extended),
            (1u32 << row.id_width).to_string(),
            format::rate(row.ber),
            thousands(row.bit_errors),
            format!("{:.3}", row.ratio),
            row.published.unwrap_or("not finished").to_owned(),
        ]);
    }
    out += &table.render(style);

    out.push('\n');
    out +=
        &head("Link-up, release of reset to both ends up, over bit slips and wire delays 0 and 35");
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
    out += &table.render(style);
    let (hardware, fast) = published::LINK_UP;
    out += &style.dim(&format!("published, frame width 256: {hardware}; {fast}\n"));

    out.push('\n');
    out += &head("Simulation speed, two endpoints, GT cycles per second of wall clock");
    for row in &bench.speed {
        out += &format!(
            "{}   {}\n",
            link_name(row.lanes, row.user_width, row.frame_width),
            format::per_second(row.cycles_per_second)
        );
    }
    out += &style.dim(&format!(
        "published, frame width 256: one lane {}, four lanes {} on an idle machine of two cores; comparable only on the \
         same machine\n",
        format::per_second(published::CYCLES_PER_SECOND[0]),
        format::per_second(published::CYCLES_PER_SECOND[1])
    ));
    if !bench.ok {
        out += &format!(
            "\n{}\n",
            style.bad("NOT LOSSLESS: a packet was lost, duplicated, reordered or corrupted")
        );
    }
    out
}
