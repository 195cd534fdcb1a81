// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk sim rdma`: latency by class and by size, throughput by size, and all
//! tables.

use ropewalk_console::format;
use ropewalk_sim::LatencyHistogram;
use ropewalk_sim::rdma::{RunResult, Service};

use super::chart::{Axis, Kind, Scale};
use super::figure;
use super::run::{self, RunPage, Tile, chart, distribution, key, log, series, values};
use crate::commands::sim_rdma::{sections, service, throughput_gbps, transfer_gbps, verdict};

/// Classes of the style sheet, by service.
const CLASSES: [(Service, &str); 5] = [
    (Service::Message, "b"),
    (Service::Small, "c"),
    (Service::OnePath, "d"),
    (Service::FourPaths, "e"),
    (Service::Read, "f"),
];

/// The page; `facts` say what was run, `command` gives it again.
pub fn html(result: &RunResult, facts: &[String], command: &str) -> String {
    let facts = facts.iter().flat_map(|fact| fact.split(", "));
    let word = if result.ok() {
        "Complete"
    } else {
        "Not complete"
    };
    let mut figures = String::new();
    if result.completed > 0 {
        figures += &by_class(result);
        figures += &by_size(result);
        figures += &throughput(result);
    }
    RunPage {
        kind: "simulation",
        title: "RDMA between two nodes",
        facts: &facts.map(str::to_owned).collect::<Vec<_>>(),
        ok: result.ok(),
        verdict: (word, &format!("{}.", verdict(result))),
        tiles: &run::tiles(&tiles(result)),
        figures: &figures,
        sections: &sections(result),
        command,
        footer: "Cycle-accurate RTL, two engines.",
    }
    .html()
}

fn tiles(result: &RunResult) -> [Tile; 3] {
    let latency = &result.total.latency;
    [
        (
            "Throughput",
            format!("{:.2} <small>Gb/s</small>", throughput_gbps(result)),
            "payload each way".to_owned(),
        ),
        (
            "Latency, median",
            format!(
                "{} <small>cycles</small>",
                format::thousands(latency.p50_cycles())
            ),
            format!("99 %: {}", format::thousands(latency.p99_cycles())),
        ),
        (
            "Sent again",
            format::thousands(result.retransmissions),
            format!("{} packets in all", format::thousands(result.network.sent)),
        ),
    ]
}

/// Cumulative share of the transfers of each class, over the latency in cycles.
fn by_class(result: &RunResult) -> String {
    let mut curves = vec![distribution("a", &result.total.latency)];
    let mut legend = key("a", "all");
    for (kind, class) in CLASSES {
        let mut latency = LatencyHistogram::default();
        for (_, group) in result.services.iter().filter(|entry| entry.0.0 == kind) {
            latency.merge(&group.latency);
        }
        if latency.count() > 0 {
            legend += &key(class, service(kind));
            curves.push(distribution(class, &latency));
        }
    }
    let x = log(values(&curves, 0));
    figure(
        "classes",
        "Latency by class",
        &legend,
        &chart(
            "Cumulative share of the transfers of each class, over the latency in cycles",
            (x, "latency in cycles"),
            (Axis::exact(0.0, 100.0), "% of the transfers"),
            curves,
        ),
        "From the descriptor to the end that its user reads.",
    )
}

/// Median, 99 % and most over size.
fn by_size(result: &RunResult) -> String {
    let of = |quantile: f64| -> Vec<(f64, f64)> {
        let points = result.sizes.iter().map(|(bucket, group)| {
            let cycles = group.latency.quantile_cycles(quantile).max(1);
            ((1u64 << bucket) as f64, cycles as f64)
        });
        points.collect()
    };
    let curves = vec![
        series("a", Kind::Line, of(0.5)),
        series("a", Kind::Dots, of(0.5)),
        series("b", Kind::Line, of(0.99)),
        series("c", Kind::Thin, of(1.0)),
    ];
    let y = log(values(&curves, 1));
    let legend = [("a", "median"), ("b", "99 %"), ("c", "most")];
    figure(
        "latency",
        "Latency by size",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart(
            "Latency over size",
            (sizes(result), "bytes, from"),
            (y, "cycles"),
            curves,
        ),
        "All classes together; sizes in powers of two.",
    )
}

fn sizes(result: &RunResult) -> Axis {
    let bytes = result.sizes.keys().map(|bucket| (1u64 << bucket) as f64);
    let (min, max) = (
        bytes.clone().fold(f64::INFINITY, f64::min),
        bytes.fold(0.0, f64::max),
    );
    Axis {
        min,
        max: max.max(2.0 * min),
        scale: Scale::Log,
    }
}

fn throughput(result: &RunResult) -> String {
    let points: Vec<_> = result
        .sizes
        .iter()
        .map(|(bucket, group)| ((1u64 << bucket) as f64, transfer_gbps(group)))
        .collect();
    let curves = vec![
        series("a", Kind::Line, points.clone()),
        series("a", Kind::Dots, points),
    ];
    let y = log(values(&curves, 1));
    figure(
        "throughput",
        "Throughput of one transfer by size",
        &key("a", "mean size over median latency"),
        &chart(
            "Throughput of one transfer over size",
            (sizes(result), "bytes, from"),
            (y, "Gb/s"),
            curves,
        ),
        "Of one transfer among all that are under way.",
    )
}
