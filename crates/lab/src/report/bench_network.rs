// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk bench network`: scaling curves, latency over the bit error rate, all
//! tables.

use super::chart::{Axis, Kind, Series};
use super::figure;
use super::run::{Tile, chart, key, log, series, values};
use crate::bench_network::{Bench, LossRow, ScaleRow};
use ropewalk_console::format;

/// The plots.
pub fn figures(bench: &Bench) -> String {
    scaling(bench) + &completion(bench) + &losslessness(bench)
}

/// The key figures.
pub fn tiles(bench: &Bench) -> Vec<Tile> {
    let mut tiles = Vec::new();
    if let Some(row) = bench.scaling.iter().max_by_key(|row| row.nodes) {
        let largest = bench
            .scaling
            .iter()
            .filter(|other| other.nodes == row.nodes);
        let note: Vec<String> = largest
            .map(|row| format!("{} {}", row.workload, format::time(row.time_us * 1e3)))
            .collect();
        let value = format!(
            "{} <small>nodes</small>",
            format::thousands(row.nodes.into())
        );
        tiles.push(("Largest network", value, note.join(", ")));
    }
    if let [idle, beside, ..] = &bench.small[..] {
        let times = beside.latency_cycles.p999 as f64 / idle.latency_cycles.p999.max(1) as f64;
        tiles.push((
            "Small message beside bulk",
            format!("{times:.2} <small>times idle</small>"),
            format!(
                "99.9 %: {} and {} cycles",
                beside.latency_cycles.p999, idle.latency_cycles.p999
            ),
        ));
    }
    let last = bench.losslessness.chunks_exact(2).last();
    if let Some([kept, lost]) = last {
        let times = lost.latency_cycles.p999 as f64 / kept.latency_cycles.p999.max(1) as f64;
        tiles.push((
            "1 % of the packets lost",
            format!("{times:.1} <small>times the latency</small>"),
            "99.9 %, beside lossless links".to_owned(),
        ));
    }
    tiles
}

const WORKLOADS: [(&str, &str); 2] = [("all-to-all", "a"), ("allreduce", "b")];

/// Curves of both workloads over the nodes.
fn curves(bench: &Bench, of: fn(&ScaleRow) -> f64) -> (Vec<Series>, String) {
    let (mut curves, mut legend) = (Vec::new(), String::new());
    for (name, class) in WORKLOADS {
        let rows = bench.scaling.iter().filter(|row| row.workload == name);
        let points: Vec<_> = rows.map(|row| (f64::from(row.nodes), of(row))).collect();
        curves.push(series(class, Kind::Line, points.clone()));
        curves.push(series(class, Kind::Dots, points));
        legend += &key(class, name);
    }
    (curves, legend)
}

fn scaling(bench: &Bench) -> String {
    let (curves, legend) = curves(bench, |row| 100.0 * row.throughput);
    let chart = chart(
        "Throughput of a node over the number of nodes",
        (log(values(&curves, 0)), "nodes"),
        (Axis::from_zero(100.0), "% of a link's rate"),
        curves,
    );
    let caption =
        "Fat trees with full bisection; words of packets that a node takes, answers not counted.";
    figure("scaling", "Throughput over size", &legend, &chart, caption)
}

fn completion(bench: &Bench) -> String {
    let (curves, legend) = curves(bench, |row| row.time_us);
    let chart = chart(
        "Time of a whole exchange over the number of nodes",
        (log(values(&curves, 0)), "nodes"),
        (log(values(&curves, 1)), "\u{b5}s"),
        curves,
    );
    let caption = "All-to-all: 1 KB from each node to each other one; allreduce: 1 KB for each node, in a ring.";
    figure("completion", "Time over size", &legend, &chart, caption)
}

fn losslessness(bench: &Bench) -> String {
    let points = |transport: &str, of: fn(&LossRow) -> u64| {
        let rows = bench.losslessness.iter();
        let rows = rows.filter(|row| row.transport == transport && row.ber > 0.0);
        rows.map(|row| (row.ber, of(row).max(1) as f64))
            .collect::<Vec<_>>()
    };
    let worst: fn(&LossRow) -> u64 = |row| row.latency_cycles.p999;
    let middle: fn(&LossRow) -> u64 = |row| row.latency_cycles.p50;
    let curves = vec![
        series("a", Kind::Line, points("lossless", worst)),
        series("a", Kind::Dots, points("lossless", worst)),
        series("b", Kind::Line, points("lossy", worst)),
        series("b", Kind::Dots, points("lossy", worst)),
        series("a", Kind::Thin, points("lossless", middle)),
        series("b", Kind::Thin, points("lossy", middle)),
    ];
    let legend = [
        ("a", "lossless, 99.9 %; thin: median"),
        ("b", "lossy, sent again by the source"),
    ];
    let chart = chart(
        "Latency over the bit error rate, with lossless and with lossy links",
        (Axis::log(1e-12, 1e-5), "bit error rate of every link"),
        (log(values(&curves, 1)), "latency in cycles"),
        curves,
    );
    figure(
        "losslessness",
        "What losslessness buys",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart,
        "The same traffic over both.",
    )
}
