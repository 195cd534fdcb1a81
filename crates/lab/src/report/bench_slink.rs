// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk bench slink`: bandwidth over the size of an operation, and all tables.

use super::chart::{Axis, Kind, Scale};
use super::figure;
use super::run::{Tile, chart, key, series};
use crate::bench_slink::{Bench, SizeRow, published};

/// The plots.
pub fn figures(bench: &Bench) -> String {
    bandwidth(bench)
}

/// The key figures.
pub fn tiles(bench: &Bench) -> Vec<Tile> {
    let one = bench
        .sizes
        .iter()
        .find(|row| row.lanes == 1 && row.bytes == 4096);
    let mut tiles = vec![(
        "Latency beside the symbols",
        format!("{} <small>cycles</small>", bench.constant_cycles),
        format!("all modes within {:.1}", bench.spread_cycles),
    )];
    tiles.extend(one.map(|row| {
        (
            "Efficiency, one lane, 4 KB",
            format!("{:.2} <small>%</small>", 100.0 * row.efficiency),
            format!("paper {} %", 100.0 * published::EFFICIENCY),
        )
    }));
    tiles
}

fn bandwidth(bench: &Bench) -> String {
    let points = |of: fn(&SizeRow) -> f64| {
        let rows = bench.sizes.iter().filter(|row| row.lanes == 4);
        rows.map(|row| (f64::from(row.bytes), 16.0 * of(row)))
            .collect::<Vec<_>>()
    };
    let curves = vec![
        series("e", Kind::Line, points(|row| row.pcie)),
        series("c", Kind::Thin, points(|row| row.formula)),
        series("b", Kind::Dots, points(|row| row.efficiency_crc)),
        series("a", Kind::Dots, points(|row| row.efficiency)),
        series("a", Kind::Line, points(|row| row.through_gbps / 16.0)),
    ];
    let legend = [
        ("a", "this core; line: to the last word"),
        ("b", "with CRC"),
        ("c", "formula"),
        ("e", "PCI Express 2.0 by its framing"),
    ];
    let sizes = Axis {
        min: 8.0,
        max: 524_288.0,
        scale: Scale::Log,
    };
    let chart = chart(
        "Bandwidth of SLink over the size of an operation",
        (sizes, "bytes of an operation"),
        (Axis::from_zero(16.0), "data in Gb/s"),
        curves,
    );
    figure(
        "bandwidth",
        "Bandwidth over the size of an operation",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart,
        "Writes over four lanes of 5 Gb/s, 16 Gb/s after line coding.",
    )
}
