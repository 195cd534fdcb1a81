// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk bench rdma`: figures 4.4 and 4.5 of the thesis with what was measured, and
//! all tables.

use ropewalk_console::format;

use super::chart::{Axis, Chart, Kind, Scale, Series};
use super::figure;
use super::run::{self, Tile, key, series};
use crate::bench_rdma::{Bench, SizeRow};
use crate::published_rdma as published;

/// The plots.
pub fn figures(bench: &Bench) -> String {
    [latency(bench), throughput(bench)].concat()
}

/// The key figures.
pub fn tiles(bench: &Bench) -> Vec<Tile> {
    let first = bench.sizes.iter().find(|row| !row.message);
    let tiles = [
        bench.messages.first().map(|row| {
            (
                "Message, port of 128 bits",
                format!("{:.2} <small>cycles</small>", row.cycles_each),
                format!("thesis {:.2} cycles", published::MESSAGE_CYCLES),
            )
        }),
        first.map(|row| {
            (
                "Single transfer, 32 bytes",
                format!("{} <small>cycles</small>", row.single_cycles),
                format!("thesis {:.0} ns with the processor", published::SINGLE.1),
            )
        }),
        bench.line_rate_from.map(|bytes| {
            (
                "Line is full from",
                format!("{} <small>bytes</small>", format::thousands(bytes.into())),
                format!(
                    "thesis {} bytes",
                    format::thousands(published::LINE_RATE_FROM.into())
                ),
            )
        }),
    ];
    tiles.into_iter().flatten().collect()
}

fn points(bench: &Bench, of: impl Fn(&SizeRow) -> f64) -> Vec<(f64, f64)> {
    let rows = bench.sizes.iter();
    rows.map(|row| (f64::from(row.bytes), of(row))).collect()
}

fn chart(bench: &Bench, label: &str, y_title: &str, series: Vec<Series>) -> Chart {
    let bytes = bench.sizes.iter().map(|row| f64::from(row.bytes));
    let values = series
        .iter()
        .flat_map(|curve| curve.points.iter().map(|p| p.1));
    let y = Axis::log(
        values.clone().fold(f64::INFINITY, f64::min),
        values.fold(0.0, f64::max),
    );
    run::chart(
        label,
        (
            Axis {
                min: bytes.clone().fold(f64::INFINITY, f64::min),
                max: bytes.fold(0.0, f64::max),
                scale: Scale::Log,
            },
            "bytes of a transfer",
        ),
        (y, y_title),
        series,
    )
}

/// Figure 4.4.
fn latency(bench: &Bench) -> String {
    let ns = |cycles: f64| cycles * 1e3 / bench.clock_mhz;
    let single = points(bench, |row| ns(row.single_cycles as f64));
    let many = points(bench, |row| ns(row.outstanding_cycles));
    let thesis = single.iter().map(|p| (p.0, published::SINGLE.1));
    let curves = vec![
        series("a", Kind::Line, single.clone()),
        series("a", Kind::Dots, single.clone()),
        series("b", Kind::Line, many.clone()),
        series("b", Kind::Dots, many),
        series(
            "e",
            Kind::Rings,
            thesis
                .filter(|p| p.0 <= f64::from(published::SINGLE.0))
                .collect(),
        ),
    ];
    let legend = [
        ("a", "one after the other"),
        ("b", "many at a time, each"),
        ("e ring", "thesis, one after the other"),
    ];
    figure(
        "latency",
        "Figure 4.4: time of a transfer over size",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart(bench, "Time of a transfer over its size", "ns", curves),
        "The thesis has the round trips of its processor in it, two or three of 120 to 150 ns.",
    )
}

/// Figure 4.5.
fn throughput(bench: &Bench) -> String {
    let many = points(bench, |row| row.outstanding_gbps);
    let single = points(bench, |row| row.single_gbps);
    let (bytes, gbps) = published::OUTSTANDING;
    let curves = vec![
        series("a", Kind::Line, single.clone()),
        series("a", Kind::Dots, single),
        series("b", Kind::Line, many.clone()),
        series("b", Kind::Dots, many),
        series("c", Kind::Thin, points(bench, |_| bench.line_gbps)),
        series("e", Kind::Rings, vec![(f64::from(bytes), gbps)]),
    ];
    let legend = [
        ("a", "one after the other"),
        ("b", "many at a time"),
        ("c", "full line"),
        ("e ring", "thesis, many at a time"),
    ];
    figure(
        "throughput",
        "Figure 4.5: throughput over size",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart(
            bench,
            "Throughput over the size of a transfer",
            "Gb/s",
            curves,
        ),
        "The same runs. A full line has 16 words of payload in 18.",
    )
}
