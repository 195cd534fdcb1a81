// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk sim slink`: how long each operation took, and what had arrived when.

use ropewalk_console::format;
use ropewalk_sim::slink::{Ended, RunConfig, RunResult};

use super::chart::{Axis, Kind, Series};
use super::run::{self, RunPage, Tile, chart, key, log, series, values};
use super::{figure, time};
use crate::commands::sim_slink::{Summary, changes, happened, operations, verdict};
use crate::section::Section;

/// The page; `facts` say what was run, `command` gives it again.
pub fn html(
    config: &RunConfig,
    result: &RunResult,
    summary: &Summary,
    facts: &[String],
    command: &str,
) -> String {
    let word = if result.ok() { "Right" } else { "Wrong" };
    let facts = facts.iter().flat_map(|fact| fact.split(", "));
    let mut figures = String::new();
    if !result.ended.is_empty() {
        figures += &durations(result);
        figures += &arrived(config, result);
    }
    let mut sections = vec![Section::new("Operations", operations(result))];
    sections.extend(happened(result, summary).map(|t| Section::new("Cuts and resets", t)));
    sections.extend(changes(summary).map(|t| Section::new("Changes of the line's mode", t)));
    RunPage {
        kind: "simulation",
        title: "SLink between two memories",
        facts: &facts.map(str::to_owned).collect::<Vec<_>>(),
        ok: result.ok(),
        verdict: (word, &format!("{}.", verdict(result))),
        tiles: &run::tiles(&tiles(result, summary)),
        figures: &figures,
        sections: &sections,
        command,
        footer: "Cycle-accurate RTL, two ends; times are link time.",
    }
    .html()
}

fn tiles(result: &RunResult, summary: &Summary) -> [Tile; 3] {
    let text = |ns: Option<f64>| ns.map_or("-".to_owned(), time);
    [
        (
            "Bandwidth",
            format!(
                "{} <small>Gb/s</small>",
                format::significant(summary.bandwidth_gbps, 4)
            ),
            format!(
                "while packets are sent, {:.2} % of the rate after line coding",
                100.0 * summary.efficiency
            ),
        ),
        (
            "Latency, median",
            text(summary.latency_ns.first),
            format!(
                "to the first word; to the last {}",
                text(summary.latency_ns.last)
            ),
        ),
        (
            "Sent again",
            format::thousands(result.retries),
            format!("{} bits flipped", format::thousands(result.bit_errors)),
        ),
    ]
}

/// Time of each operation over the time in which it began.
fn durations(result: &RunResult) -> String {
    let of = |wanted: fn(&Ended) -> bool| {
        let operations = result.ended.iter().filter(|operation| wanted(operation));
        operations
            .map(|operation| (us(operation.begun_fs), us(operation.fs)))
            .collect::<Vec<_>>()
    };
    let curves = vec![
        series("a", Kind::Line, of(|_| true)),
        series("b", Kind::Dots, of(|o| o.done && o.retries > 0)),
        series("c", Kind::Dots, of(|o| !o.done)),
    ];
    let legend = [
        ("a", "all"),
        ("b", "sent again"),
        ("c", "failed, and told so"),
    ];
    let (x, y) = (axis(&curves), log(values(&curves, 1)));
    figure(
        "durations",
        "Time of each operation",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart(
            "Time of each operation over link time",
            (x, "link time in \u{b5}s"),
            (y, "time in \u{b5}s"),
            curves,
        ),
        "From the first access to a register until the program reads that it is over.",
    )
}

/// Data of the operations that have ended well, over link time.
fn arrived(config: &RunConfig, result: &RunResult) -> String {
    let mut bytes = 0.0;
    let mut points = Vec::new();
    for operation in &result.ended {
        points.push((us(operation.begun_fs), bytes));
        if operation.done {
            bytes += f64::from(8 * config.words) / 1024.0;
        }
        points.push((us(operation.begun_fs + operation.fs), bytes));
    }
    let curves = vec![series("a", Kind::Line, points)];
    let (x, y) = (axis(&curves), Axis::from_zero(bytes));
    figure(
        "arrived",
        "Data over link time",
        &key("a", "of operations that ended well"),
        &chart(
            "Data of the operations that ended well over link time",
            (x, "link time in \u{b5}s"),
            (y, "KiB"),
            curves,
        ),
        "One operation after the other; the program reads the end of one before it begins the next.",
    )
}

fn us(fs: u64) -> f64 {
    fs as f64 * 1e-9
}

/// Of link time.
fn axis(curves: &[Series]) -> Axis {
    let times = values(curves, 0);
    let begin = times.clone().fold(f64::INFINITY, f64::min);
    Axis::exact(begin, times.fold(0.0, f64::max))
}
