// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk bench chunk`: figures 10 and 11 of the paper with what was measured,
//! transports, and all tables.

use std::fmt::Write;

use ropewalk_console::format::escape;

use super::chart::{Axis, Chart, Kind};
use super::figure;
use super::run::{self, Tile, key, series};
use crate::bench_chunk::{Bench, Figure, LanesRow};

/// The plots.
pub fn figures(bench: &Bench) -> String {
    [
        throughput(bench),
        latency(bench),
        loss(bench),
        transports(bench),
    ]
    .concat()
}

/// The key figures.
pub fn tiles(bench: &Bench) -> Vec<Tile> {
    let clean = bench.lanes.iter().filter(|row| row.loss == 0.0);
    let widest = clean.max_by_key(|row| row.lanes);
    let one = |drop: f64| {
        let mut rows = bench.transports.iter();
        rows.find(|row| row.lanes == Some(1) && row.drop == drop && row.name.starts_with("chunks"))
    };
    let peer = bench.transports.iter().filter(|row| row.of == "peer");
    let peer = peer.filter_map(|row| Some((row.gbps?.median, row)));
    let best = peer.max_by(|a, b| a.0.total_cmp(&b.0));
    let tiles = [
        widest.map(|row| {
            (
                "Low latency, two phases",
                format!("{:.3} <small>ms</small>", row.low_latency.figure.chunk_ms),
                match row.paper_low_latency {
                    Some(paper) => format!("{} lanes; paper {:.3} ms", row.lanes, paper.chunk_ms),
                    None => format!("{} lanes", row.lanes),
                },
            )
        }),
        widest.map(|row| {
            (
                "Chunks in flight",
                format!(
                    "{:.3} <small>ms</small>",
                    row.low_latency_overlapped.figure.chunk_ms
                ),
                format!("{} lanes, phases that overlap", row.lanes),
            )
        }),
        one(0.0).and_then(|row| row.gbps).map(|spread| {
            (
                "This machine, one lane",
                format!("{:.1} <small>Gb/s</small>", spread.median),
                best.map_or("no peer measured".to_owned(), |(gbps, row)| {
                    format!("{} {gbps:.1} Gb/s", escape(&row.name))
                }),
            )
        }),
    ];
    tiles.into_iter().flatten().collect()
}

/// Lanes and a figure of theirs at a loss.
fn points(bench: &Bench, loss: f64, of: impl Fn(&LanesRow) -> f64) -> Vec<(f64, f64)> {
    let rows = bench.lanes.iter().filter(|row| row.loss == loss);
    rows.map(|row| (f64::from(row.lanes), of(row))).collect()
}

/// Losses, at most four of them: none, the most, and some between.
fn losses(bench: &Bench) -> Vec<(f64, &'static str)> {
    let mut losses: Vec<f64> = bench.lanes.iter().map(|row| row.loss).collect();
    losses.dedup();
    let wanted = [0.0, 0.01, 0.1, 0.2];
    losses.retain(|loss| wanted.contains(loss));
    losses.into_iter().zip(["a", "c", "b", "d"]).collect()
}

fn chart(bench: &Bench, label: &str, y: Axis, y_title: &str) -> Chart {
    let most = bench.lanes.iter().map(|row| row.lanes).max().unwrap_or(1);
    run::chart(
        label,
        (Axis::exact(1.0, f64::from(most)), "lanes of 10 Gb/s"),
        (y, y_title),
        Vec::new(),
    )
}

/// Curves of both arrangements over lanes, and the table of the paper as rings.
fn over_lanes(
    bench: &Bench,
    of: impl Fn(Figure) -> f64 + Copy,
) -> (Vec<super::chart::Series>, String) {
    let (mut curves, mut legend) = (Vec::new(), String::new());
    for (loss, class) in losses(bench) {
        curves.push(series(
            class,
            Kind::Thin,
            points(bench, loss, |row| of(row.stable.figure)),
        ));
        let low = points(bench, loss, |row| of(row.low_latency.figure));
        curves.push(series(class, Kind::Line, low.clone()));
        curves.push(series(class, Kind::Dots, low));
        legend += &key(class, &format!("{} % lost", loss * 100.0));
    }
    for paper in [
        |row: &LanesRow| row.paper_stable,
        |row: &LanesRow| row.paper_low_latency,
    ] {
        let rows = bench.lanes.iter();
        let measured = rows.filter_map(|row| Some((f64::from(row.lanes), of(paper(row)?))));
        curves.push(series("e", Kind::Rings, measured.collect()));
    }
    legend += &key("e ring", "paper, no loss");
    (curves, legend)
}

/// Figure 10.
fn throughput(bench: &Bench) -> String {
    let (curves, legend) = over_lanes(bench, |figure| figure.gbps);
    let most = bench.lanes.iter().map(|row| row.stable.figure.gbps);
    let mut chart = chart(
        bench,
        "Throughput over lanes and loss",
        Axis::from_zero(most.fold(0.0, f64::max)),
        "payload in Gb/s",
    );
    chart.series = curves;
    figure(
        "throughput",
        "Figure 10: throughput over lanes",
        &legend,
        &chart,
        "Two phases, virtual time. Dots: low latency, one pipeline over all lanes. Thin lines: stable, a pipeline for each.",
    )
}

/// Figure 11.
fn latency(bench: &Bench) -> String {
    let (curves, legend) = over_lanes(bench, |figure| figure.chunk_ms);
    let times = || {
        bench
            .lanes
            .iter()
            .map(|row| row.low_latency.figure.chunk_ms)
    };
    let most = bench.lanes.iter().map(|row| row.stable.figure.chunk_ms);
    let y = Axis::log(
        times().fold(f64::INFINITY, f64::min),
        most.fold(0.0, f64::max),
    );
    let mut chart = chart(
        bench,
        "Time of a chunk over lanes and loss",
        y,
        "ms for a chunk",
    );
    chart.series = curves;
    let fit = bench.fit;
    figure(
        "latency",
        "Figure 11: time of a chunk over lanes",
        &legend,
        &chart,
        &format!(
            "The same runs. Without loss low latency is {:.3} ms / lanes + {:.1} us; stable does not depend on the lanes.",
            fit.line_ms, fit.turn_us
        ),
    )
}

/// What overlapped phases gain.
fn loss(bench: &Bench) -> String {
    let most = bench.lanes.iter().map(|row| row.lanes).max().unwrap_or(1);
    let at = |of: &dyn Fn(&LanesRow) -> f64| -> Vec<(f64, f64)> {
        let rows = bench.lanes.iter().filter(|row| row.lanes == most);
        rows.map(|row| (row.loss * 100.0, of(row))).collect()
    };
    let separate = at(&|row| row.low_latency.figure.gbps);
    let overlapped = at(&|row| row.low_latency_overlapped.figure.gbps);
    let model = at(&|row| row.low_latency_model.gbps);
    let top = overlapped.iter().map(|p| p.1).fold(0.0, f64::max);
    let last = separate.iter().map(|p| p.0).fold(0.0, f64::max);
    let mut chart = chart(
        bench,
        "Throughput over loss",
        Axis::from_zero(top),
        "payload in Gb/s",
    );
    chart.x = Axis::exact(0.0, last);
    chart.x_title = "sub-packets lost, %".to_owned();
    chart.series = vec![
        series("e", Kind::Thin, model),
        series("b", Kind::Line, separate.clone()),
        series("b", Kind::Dots, separate),
        series("a", Kind::Line, overlapped.clone()),
        series("a", Kind::Dots, overlapped),
    ];
    let legend = [
        ("a", "phases overlap"),
        ("b", "two phases"),
        ("e", "two phases, model"),
    ];
    figure(
        "loss",
        "What chunks in flight gain",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart,
        &format!("Low latency over {most} lanes, virtual time, two chunks in flight."),
    )
}

/// Bars of what this machine did.
fn transports(bench: &Bench) -> String {
    let rows = || {
        let rows = bench.transports.iter();
        rows.filter_map(|row| Some((row, row.gbps?, row.cpu_s_per_gb?)))
    };
    let most = rows().map(|(_, gbps, _)| gbps.max).fold(1.0, f64::max);
    let mut body = String::new();
    for (row, gbps, cpu) in rows() {
        let lanes = row.lanes.filter(|&lanes| lanes > 1);
        let lanes = lanes.map_or(String::new(), |lanes| format!(", {lanes} lanes"));
        let drop = if row.drop > 0.0 {
            format!(", {} % lost", row.drop * 100.0)
        } else {
            String::new()
        };
        let _ = write!(
            body,
            "<div class=\"bar {}\"><span class=\"what\">{}{lanes}{drop}</span><span class=\"track\"><span class=\"fill\" style=\"width:{:.1}%\"></span></span>\
             <span class=\"number\">{:.1}<small> Gb/s</small> {:.2}<small> s/GB</small></span></div>",
            row.of,
            escape(&row.name),
            100.0 * gbps.median / most,
            gbps.median,
            cpu.median,
        );
    }
    format!(
        "<section class=\"card\" id=\"transports\">\n<h2>Transports on this machine</h2>\n<p class=\"legend\">{}{}</p>\n{body}\
         <p class=\"dim\">Wall clock, loopback interface, memory to memory, in turns; medians. Seconds of processor are those of both ends and the kernel.</p>\n</section>\n",
        key("a", "ours"),
        key("e", "others"),
    )
}
