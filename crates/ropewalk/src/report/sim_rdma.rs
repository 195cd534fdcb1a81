// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk sim rdma`: latency by class and by size, throughput by size, and all tables.

use std::fmt::Write;

use ropewalk_sim::LatencyHistogram;
use ropewalk_sim::rdma::{RunResult, Service};

use super::bench::{key, series};
use super::chart::{Axis, Chart, Kind, Scale, Series};
use super::{document, escape, figure};
use crate::commands::sim_rdma::{sections, service, throughput_gbps, transfer_gbps, verdict};
use crate::format;
use crate::section;

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
    let title = "RDMA between two nodes";
    let facts = facts.iter().flat_map(|fact| fact.split(", "));
    let facts: String = facts
        .map(|fact| format!("<span>{}</span>", escape(fact)))
        .collect();
    let (class, word) = if result.ok() {
        ("good", "Complete")
    } else {
        ("bad", "Not complete")
    };
    let mut body = format!(
        "<header>\n<p class=\"brand\">Ropewalk <span>simulation</span></p>\n<h1>{title}</h1>\n<p class=\"facts\">{facts}</p>\n\
         <p class=\"verdict {class}\" id=\"verdict\"><strong>{word}</strong> {}.</p>\n</header>\n\
         <section class=\"tiles\" aria-label=\"Key figures\">\n",
        escape(&verdict(result)),
    );
    let latency = &result.total.latency;
    for (name, value, note) in [
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
    ] {
        let _ = writeln!(
            body,
            "<div class=\"tile\"><p class=\"name\">{name}</p><p class=\"value\">{value}</p><p class=\"note\">{note}</p></div>"
        );
    }
    body += "</section>\n";
    if result.completed > 0 {
        body += &by_class(result);
        body += &by_size(result);
        body += &throughput(result);
    }
    body += &section::html(&sections(result));
    let _ = write!(
        body,
        "<section id=\"parameters\">\n<h2>The same again</h2>\n<pre><code id=\"command\">{}</code></pre>\n</section>\n\
         <footer>Ropewalk {}. Cycle-accurate RTL, two engines.</footer>\n",
        escape(command),
        env!("CARGO_PKG_VERSION"),
    );
    document(title, &body, "")
}

/// A logarithmic axis that has room for these values.
fn log(values: impl Iterator<Item = f64> + Clone) -> Axis {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(0.0, f64::max);
    Axis::log(low.max(1e-3), high.max(2.0 * low).max(2e-3))
}

fn chart(
    label: &str,
    x: Axis,
    x_title: &str,
    y: Axis,
    y_title: &str,
    series: Vec<Series>,
) -> Chart {
    Chart {
        label: label.to_owned(),
        x,
        y,
        x_title: x_title.to_owned(),
        y_title: y_title.to_owned(),
        x_unit: 1.0,
        series,
        marks: Vec::new(),
        rules: Vec::new(),
    }
}

/// Share of the transfers of a class that took no more than so many cycles.
fn by_class(result: &RunResult) -> String {
    let curve = |class, latency: &LatencyHistogram| {
        let shares = (0..=100).map(|share| f64::from(share) / 100.0);
        let point = |share| (latency.quantile_cycles(share).max(1) as f64, share * 100.0);
        series(class, Kind::Line, shares.map(point).collect())
    };
    let mut curves = vec![curve("a", &result.total.latency)];
    let mut legend = key("a", "all");
    for (kind, class) in CLASSES {
        let mut latency = LatencyHistogram::default();
        for (_, group) in result.services.iter().filter(|entry| entry.0.0 == kind) {
            latency.merge(&group.latency);
        }
        if latency.count() > 0 {
            legend += &key(class, service(kind));
            curves.push(curve(class, &latency));
        }
    }
    let values = curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(|p| p.0));
    let x = log(values);
    figure(
        "classes",
        "Latency by class",
        &legend,
        &chart(
            "Share of the transfers of each class that took no more than so many cycles",
            x,
            "latency in cycles",
            Axis::exact(0.0, 100.0),
            "% of the transfers",
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
    let y = log(curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(|p| p.1)));
    let legend = [("a", "median"), ("b", "99 %"), ("c", "most")];
    figure(
        "latency",
        "Latency by size",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart(
            "Latency over size",
            sizes(result),
            "bytes, from",
            y,
            "cycles",
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
    let y = log(points.iter().map(|p| p.1));
    let curves = vec![
        series("a", Kind::Line, points.clone()),
        series("a", Kind::Dots, points),
    ];
    figure(
        "throughput",
        "Throughput of one transfer by size",
        &key("a", "mean size over median latency"),
        &chart(
            "Throughput of one transfer over size",
            sizes(result),
            "bytes, from",
            y,
            "Gb/s",
            curves,
        ),
        "Of one transfer among all that are under way.",
    )
}
