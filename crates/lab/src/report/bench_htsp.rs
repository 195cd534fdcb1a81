// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk bench htsp`: figures 5 to 7 of the paper with what was measured, and all
//! tables.

use super::chart::{Axis, Chart, Kind, Scale, Series};
use super::figure;
use super::run::{self, Tile, key, series};
use crate::bench_htsp::{Bench, SizeRow};
use crate::published_htsp as published;

/// The plots.
pub fn figures(bench: &Bench) -> String {
    [bandwidth(bench), frame_rate(bench), latency(bench)].concat()
}

/// The key figures.
pub fn tiles(bench: &Bench) -> Vec<Tile> {
    let full = bench.sizes.iter().find(|row| row.bytes == published::BURST);
    let longest = bench.sizes.iter().map(|row| row.latency_max).max();
    let last = bench.channels.last();
    let tiles = [
        full.map(|row| {
            (
                "Bandwidth, 8 KB frames",
                format!("{:.2} <small>Gb/s</small>", row.bandwidth_gbps),
                format!("paper {:.2} Gb/s", row.paper_bandwidth_gbps),
            )
        }),
        longest.map(|cycles| {
            (
                "Latency, any frame",
                format!("{:.1} <small>ns</small>", time(bench, cycles)),
                format!("published {:.1} ns", time(bench, published::LATENCY)),
            )
        }),
        last.map(|row| {
            (
                "Link up",
                format!("{} <small>cycles</small>", row.link_up_cycles),
                format!("published {} cycles", published::LINK_UP),
            )
        }),
    ];
    tiles.into_iter().flatten().collect()
}

/// Cycles in ns.
fn time(bench: &Bench, cycles: u64) -> f64 {
    cycles as f64 * 1e3 / bench.clock_mhz
}

fn points(bench: &Bench, of: impl Fn(&SizeRow) -> f64) -> Vec<(f64, f64)> {
    let rows = bench.sizes.iter();
    rows.map(|row| (f64::from(row.bytes), of(row))).collect()
}

fn chart(bench: &Bench, label: &str, y: Axis, y_title: &str, series: Vec<Series>) -> Chart {
    let sizes = || bench.sizes.iter().map(|row| f64::from(row.bytes));
    let (min, max) = (
        sizes().fold(f64::INFINITY, f64::min),
        sizes().fold(0.0, f64::max),
    );
    run::chart(
        label,
        (
            Axis {
                min,
                max,
                scale: Scale::Log,
            },
            "bytes of a frame",
        ),
        (y, y_title),
        series,
    )
}

/// Figure 5.
fn bandwidth(bench: &Bench) -> String {
    let curves = vec![
        series("c", Kind::Thin, points(bench, |row| row.line_limit_gbps)),
        series(
            "e",
            Kind::Line,
            points(bench, |row| row.paper_bandwidth_gbps),
        ),
        series("a", Kind::Line, points(bench, |row| row.bandwidth_gbps)),
        series("a", Kind::Dots, points(bench, |row| row.bandwidth_gbps)),
    ];
    let legend = [
        ("a", "this core"),
        ("e", "paper"),
        ("c", "limit of the line"),
    ];
    figure(
        "bandwidth",
        "Figure 5: bandwidth over frame size",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart(
            bench,
            "Bandwidth of HTSP over the frame size",
            Axis::from_zero(100.0),
            "payload in Gb/s",
            curves,
        ),
        "One channel, one direction, bursts of 8192 bytes, line of 100 Gb/s. Paper: by its formula, which its measurements follow.",
    )
}

/// Figure 6.
fn frame_rate(bench: &Bench) -> String {
    let paper = |row: &SizeRow| row.paper_bandwidth_gbps * 1e6 / 8.0 / f64::from(row.bytes);
    let curves = vec![
        series("e", Kind::Line, points(bench, paper)),
        series(
            "e",
            Kind::Rings,
            published::PAPER_FRAME_RATE
                .map(|(b, r)| (f64::from(b), r / 1e3))
                .to_vec(),
        ),
        series(
            "a",
            Kind::Line,
            points(bench, |row| row.frames_per_second / 1e3),
        ),
        series(
            "a",
            Kind::Dots,
            points(bench, |row| row.frames_per_second / 1e3),
        ),
    ];
    let rates = || bench.sizes.iter().map(|row| row.frames_per_second / 1e3);
    let y = Axis::log(
        rates().fold(f64::INFINITY, f64::min),
        rates().fold(0.0, f64::max),
    );
    let legend = [
        ("a", "this core"),
        ("e", "paper"),
        ("e ring", "paper, measured"),
    ];
    figure(
        "frames",
        "Figure 6: frame rate over frame size",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart(
            bench,
            "Frame rate of HTSP over the frame size",
            y,
            "frames per millisecond",
            curves,
        ),
        "The same runs.",
    )
}

/// Figure 7.
fn latency(bench: &Bench) -> String {
    let cycles = |cycles: u64| time(bench, cycles);
    let last = points(bench, |_| published::PAPER_LATENCY_NS);
    let paper = last
        .into_iter()
        .filter(|p| p.0 >= f64::from(published::BURST));
    let curves = vec![
        series("e", Kind::Line, paper.collect()),
        series(
            "d",
            Kind::Rings,
            vec![(
                f64::from(published::BURST),
                cycles(published::LATENCY_STORED),
            )],
        ),
        series(
            "b",
            Kind::Thin,
            points(bench, |_| cycles(published::LATENCY)),
        ),
        series(
            "a",
            Kind::Line,
            points(bench, |row| cycles(row.latency_max)),
        ),
        series(
            "a",
            Kind::Dots,
            points(bench, |row| cycles(row.latency_max)),
        ),
    ];
    let legend = [
        ("a", "this core"),
        ("b", "published core"),
        ("d ring", "published core, frame stored"),
        ("e", "paper, with MAC and FEC"),
    ];
    figure(
        "latency",
        "Figure 7: latency over frame size",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart(
            bench,
            "Latency of HTSP over the frame size",
            Axis::log(10.0, 2000.0),
            "latency in ns",
            curves,
        ),
        "A single frame, first word in to first word out, the largest over the phases of the header timer. This core sends while it \
         receives; nothing is stored, so no FIFO comes on top before the MAC.",
    )
}
