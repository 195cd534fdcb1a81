// SPDX-License-Identifier: Apache-2.0
//! The page of a benchmark: figures 8 and 9 of the paper with what was measured, and all tables.

use std::ops::RangeInclusive;

use ropewalk_wire::rifl::FrameWidth;
use ropewalk_wire::rifl::plan::framing;

use super::chart::{Axis, Kind};
use super::figure;
use super::run::{Tile, chart, key, series};
use crate::bench::{self, Bench, EfficiencyRow, GoodputRow, Quantiles, SWEPT};
use crate::figure_9::{self, Band, Method, Row};
use crate::plan;
use crate::published::{self, Link};

/// Packet sizes of the plots.
const BYTES: RangeInclusive<u32> = 1..=8192;
/// Bit error rates of the plots.
const RATES: (f64, f64) = (1e-8, 1e-5);
/// Length of a GT cycle.
const CYCLE_NS: f64 = 64.0 / 28.0;

/// The plots.
pub fn figures(bench: &Bench) -> String {
    [
        efficiency(bench),
        latency(bench),
        goodput(bench),
        late(bench),
        bench.figure_9.as_deref().map(figure_9).unwrap_or_default(),
    ]
    .concat()
}

/// The key figures.
pub fn tiles(bench: &Bench) -> Vec<Tile> {
    let of_link = |link: Link| link == SWEPT[0];
    let latency = bench.latency.iter().find(|row| of_link(row.link));
    let widest = rows(bench, bench::WIDEST).into_iter();
    let widest = widest.max_by(|a, b| a.efficiency.total_cmp(&b.efficiency));
    let stall = bench.stall.iter().find(|row| row.extended);
    let noise = noisy(bench, true).pop();
    let ns = |cycles: u64| format!("{:.1} <small>ns</small>", cycles as f64 * CYCLE_NS);
    let line_gbps = 28.0 * f64::from(bench::WIDEST.lanes);
    let tiles = [
        latency.map(|row| {
            let note = format!("published {} cycles", row.published[1]);
            ("Latency, four lanes", ns(row.max), note)
        }),
        stall.map(|row| {
            let note = format!("published {:.0} ns", row.published_sink as f64 * CYCLE_NS);
            ("Gap after one error", ns(row.sink), note)
        }),
        noise.map(|row| {
            (
                "Goodput kept, four lanes",
                format!("{:.1} <small>%</small>", 100.0 * row.ratio),
                format!("BER {}", ropewalk_console::format::rate(row.ber)),
            )
        }),
        widest.map(|row| {
            (
                "Goodput, eight lanes",
                format!("{:.1} <small>Gb/s</small>", row.efficiency * line_gbps),
                format!("framing {:.1} Gb/s", row.framing * line_gbps),
            )
        }),
    ];
    tiles.into_iter().flatten().collect()
}

/// The swept links with the classes of their curves.
fn swept() -> impl Iterator<Item = (Link, &'static str)> {
    SWEPT.into_iter().zip(["a", "b"])
}

/// What was measured on a link, ascending in packet size.
fn rows(bench: &Bench, link: Link) -> Vec<&EfficiencyRow> {
    let rows = bench.efficiency.iter();
    let mut rows: Vec<&EfficiencyRow> = rows.filter(|row| row.link == link).collect();
    rows.sort_by_key(|row| row.bytes);
    rows
}

fn bytes_axis() -> Axis {
    Axis::log(f64::from(*BYTES.start()), f64::from(*BYTES.end()))
}

/// Figures 8a to 8c.
fn efficiency(bench: &Bench) -> String {
    let (mut curves, mut legend) = (Vec::new(), String::new());
    let by_rule = |class, of: &dyn Fn(u32) -> Option<f64>| {
        let points = BYTES.map(|bytes| (f64::from(bytes), of(bytes).unwrap_or(f64::NAN)));
        series(class, Kind::Thin, points.collect())
    };
    for (i, class) in ["c", "d", "f"].into_iter().enumerate() {
        let of = |bytes| plan::others(u32::from(SWEPT[0].lanes), bytes)[i].1;
        curves.push(by_rule(class, &of));
        legend += &key(class, plan::others(4, 64)[i].0);
    }
    for (link, class) in swept() {
        let rows = rows(bench, link);
        if let Ok(frame) = FrameWidth::new(u32::from(link.frame_width)) {
            curves.push(by_rule(class, &|bytes| {
                Some(framing::rifl(frame, u32::from(link.user_width), bytes))
            }));
        }
        let published = rows
            .iter()
            .filter_map(|row| Some((f64::from(row.bytes), row.published?)));
        curves.push(series("e", Kind::Rings, published.collect()));
        let measured = rows
            .iter()
            .map(|row| (f64::from(row.bytes), row.efficiency));
        curves.push(series(class, Kind::Dots, measured.collect()));
        legend += &key(class, &format!("RIFL {}", bench::name(link)));
    }
    legend += &key("e ring", "published core");
    let chart = chart(
        "Efficiency of RIFL and other protocols over the packet size",
        (bytes_axis(), "bytes of a packet"),
        (Axis::exact(0.0, 1.0), "payload bits per line bit"),
        curves,
    );
    figure(
        "efficiency",
        "Figures 8a to 8c: efficiency over packet size",
        &legend,
        &chart,
        "Dots: this core, measured. Rings: the published core, simulated. Lines: the rules of the framing. Four lanes, no errors.",
    )
}

/// Figure 8d.
fn latency(bench: &Bench) -> String {
    let (mut curves, mut legend) = (Vec::new(), String::new());
    let mut most = 0.0;
    for (link, class) in swept() {
        let rows = rows(bench, link);
        let ns = |of: fn(&Quantiles) -> u64| -> Vec<(f64, f64)> {
            rows.iter()
                .map(|row| {
                    let cycles = of(&row.latency_cycles) as f64;
                    (f64::from(row.bytes), cycles * CYCLE_NS)
                })
                .collect()
        };
        let figures = published::LATENCY.iter().find(|row| row.link == link);
        let segment = u32::from(link.user_width - link.user_width / link.frame_width * 16) / 8;
        let published: Vec<(f64, f64)> = figures
            .into_iter()
            .flat_map(|figures| {
                rows.iter()
                    .filter(|row| row.published.is_some())
                    .map(move |row| {
                        let range = if row.bytes <= segment {
                            figures.one_segment
                        } else {
                            figures.longer
                        };
                        (f64::from(row.bytes), range[1] as f64 * CYCLE_NS)
                    })
            })
            .collect();
        let largest = ns(|quantiles| quantiles.max);
        for point in published.iter().chain(&largest) {
            most = f64::max(most, point.1);
        }
        curves.push(series(class, Kind::Rings, published));
        curves.push(series(class, Kind::Thin, largest));
        curves.push(series(class, Kind::Line, ns(|quantiles| quantiles.p50)));
        legend += &key(class, &format!("RIFL {}", bench::name(link)));
        legend += &key(&format!("{class} ring"), "published core");
    }
    let chart = chart(
        "Latency over the packet size, this core and the published one",
        (bytes_axis(), "bytes of a packet"),
        (Axis::from_zero(most), "latency in ns"),
        curves,
    );
    figure(
        "latency",
        "Figure 8d: latency over packet size",
        &legend,
        &chart,
        "First beat in to first beat out, saturated, without transceivers and cable, which the paper\u{2019}s 107 ns include. \
         Strong line: median; thin line: largest. Rings: the largest of the published core, simulated.",
    )
}

/// Rows of the link of figure 9 in one mode, ascending in bit error rate.
fn noisy(bench: &Bench, extended: bool) -> Vec<&GoodputRow> {
    let narrowest = bench.goodput.iter().map(|row| row.id_width).min();
    let of_link = |row: &&GoodputRow| {
        row.link == SWEPT[0] && row.extended == extended && Some(row.id_width) == narrowest
    };
    bench.goodput.iter().filter(of_link).collect()
}

fn rates_axis() -> Axis {
    Axis::log(RATES.0, RATES.1)
}

/// Figure 9a.
fn goodput(bench: &Bench) -> String {
    let (mut curves, mut legend) = (Vec::new(), String::new());
    let published = noisy(bench, false)
        .into_iter()
        .filter_map(|row| Some((row.ber, published::middle(row.published?))));
    curves.push(series("e", Kind::Rings, published.collect()));
    curves.push(series("d", Kind::Rings, published::PAPER_GOODPUT.to_vec()));
    for (extended, class, name) in [
        (true, "a", "extended mode"),
        (false, "b", "compatible mode"),
    ] {
        let points: Vec<(f64, f64)> = noisy(bench, extended)
            .into_iter()
            .map(|row| (row.ber, row.ratio))
            .collect();
        curves.push(series(class, Kind::Line, points.clone()));
        curves.push(series(class, Kind::Dots, points));
        legend += &key(class, name);
    }
    legend += &key("e ring", "published core");
    legend += &key("d ring", "paper, K = 256");
    let chart = chart(
        "Share of goodput that is left over the bit error rate",
        (rates_axis(), "bit error rate"),
        (
            Axis::exact(0.0, 1.05),
            "goodput over goodput without errors",
        ),
        curves,
    );
    let caption = format!(
        "Link {}, K = 64, packets of 1 to 8192 bytes both ways, 80 ns of wire. Of the paper only two values are given as numbers.",
        bench::name(SWEPT[0])
    );
    figure(
        "goodput",
        "Figure 9a: goodput over bit error rate",
        &legend,
        &chart,
        &caption,
    )
}

/// Figure 9b.
fn late(bench: &Bench) -> String {
    type Pick = fn(&Quantiles) -> f64;
    let quantiles: [(&str, &str, Pick); 5] = [
        ("e", "mean", |q| q.mean),
        ("a", "50 %", |q| q.p50 as f64),
        ("b", "99 %", |q| q.p99 as f64),
        ("c", "99.9 %", |q| q.p999 as f64),
        ("d", "99.99 %", |q| q.p9999 as f64),
    ];
    let (mut curves, mut legend) = (Vec::new(), String::new());
    for (class, name, pick) in quantiles {
        for (extended, kind) in [(false, Kind::Thin), (true, Kind::Line)] {
            let points = noisy(bench, extended)
                .into_iter()
                .map(|row| (row.ber, pick(&row.latency_cycles) * CYCLE_NS));
            curves.push(series(class, kind, points.collect()));
        }
        legend += &key(class, name);
    }
    let values = || curves.iter().flat_map(|s| s.points.iter().map(|p| p.1));
    let (min, max) = (
        values().fold(f64::INFINITY, f64::min),
        values().fold(0.0, f64::max),
    );
    let chart = chart(
        "Percentiles of the latency over the bit error rate",
        (rates_axis(), "bit error rate"),
        (Axis::log(min, max), "latency in ns"),
        curves,
    );
    figure(
        "late",
        "Figure 9b: latency over bit error rate",
        &legend,
        &chart,
        "The same runs. Strong line: extended mode; thin line: compatible mode. This share of packets began to come out within \
         the latency, 80 ns of wire included.",
    )
}

/// Figure 9 with all its points: what is lost, so that the small shares are seen, and the mean
/// latency.
fn figure_9(rows: &[Row]) -> String {
    let curves = || rows.chunk_by(|a, b| (a.extended, a.id_width) == (b.extended, b.id_width));
    let axis = || (Axis::log(figure_9::rate(0), RATES.1), "bit error rate");
    let plot = |label: &str, y: &str, of: &dyn Fn(&Row) -> Band, paper: Vec<(f64, f64)>| {
        let shown = rows.iter().flat_map(|row| {
            let Band { value, low, high } = of(row);
            [value, low, high]
        });
        let shown = shown.filter(|value| value.is_finite() && *value > 0.0);
        let (min, max) = (
            shown.clone().fold(f64::INFINITY, f64::min),
            shown.fold(0.0, f64::max),
        );
        let (mut all, mut legend) = (Vec::new(), String::new());
        for (curve, class) in curves().zip(["a", "b", "c"]) {
            let by = |method| curve.iter().filter(move |row| row.method == method);
            let values = |method, pick: fn(Band) -> f64| -> Vec<(f64, f64)> {
                // A band may reach down to nothing, which has no place on this axis.
                let point = |row: &Row| (row.ber, pick(of(row)).max(min));
                by(method).map(point).collect()
            };
            for method in [Method::Recoveries, Method::Run] {
                let mut around = values(method, |band| band.low);
                around.extend(values(method, |band| band.high).into_iter().rev());
                all.push(series(class, Kind::Area, around));
            }
            all.push(series(
                class,
                Kind::Line,
                values(Method::Recoveries, |band| band.value),
            ));
            all.push(series(
                class,
                Kind::Dots,
                values(Method::Run, |band| band.value),
            ));
            if let Some(row) = curve.first() {
                let mode = if row.extended {
                    "extended"
                } else {
                    "compatible"
                };
                legend += &key(class, &format!("{mode}, K = {}", 1u32 << row.id_width));
            }
        }
        if !paper.is_empty() {
            legend += &key("d ring", "paper, K = 256");
            all.push(series("d", Kind::Rings, paper));
        }
        (chart(label, axis(), (Axis::log(min, max), y), all), legend)
    };
    let paper = published::PAPER_GOODPUT.map(|(ber, ratio)| (ber, 1.0 - ratio));
    let (lost, lost_legend) = plot(
        "Share of goodput that is lost over the bit error rate",
        "share of the goodput that is lost",
        &|row| row.estimate.lost,
        paper.to_vec(),
    );
    let (late, late_legend) = plot(
        "Mean latency over the bit error rate",
        "mean latency in ns",
        &|row| {
            let Band { value, low, high } = row.estimate.latency_cycles.mean;
            let [value, low, high] = [value, low, high].map(|cycles| cycles * CYCLE_NS);
            Band { value, low, high }
        },
        Vec::new(),
    );
    let caption = format!(
        "Link {}, packets of 1 to 8192 bytes both ways, 80 ns of wire. Lines: from simulated recoveries and how often they come; dots: \
         simulated at this rate. Shaded: 95 % of a bootstrap.",
        bench::name(SWEPT[0])
    );
    figure(
        "lost",
        "Figure 9a, all 29 points: goodput that is lost over the bit error rate",
        &lost_legend,
        &lost,
        &caption,
    ) + &figure(
        "mean",
        "Figure 9b, all 29 points: mean latency over the bit error rate",
        &late_legend,
        &late,
        "The same runs, 80 ns of wire included.",
    )
}
