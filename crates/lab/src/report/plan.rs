// SPDX-License-Identifier: Apache-2.0
//! The page of a plan: the table of all frame widths, and how efficiency, goodput and latency go
//! with packet size and bit error rate.

use std::fmt::Write;

use ropewalk_console::format;
use ropewalk_console::format::escape;

use super::chart::{Axis, Chart, Kind, Rule, Scale, Series};
use super::{document, facts, figure, run, time};
use crate::commands::plan_rifl::{NOTES, ROWS, heading};
use crate::plan::{self, Design, Plan};

/// Classes of the style sheet, one for each curve.
const CLASSES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
/// Packet sizes of the plot of efficiency; beyond, the curves are flat.
const BYTES: std::ops::RangeInclusive<u32> = 8..=2000;
/// Bit error rates of the plots, as powers of ten, and points for each decade.
const DECADES: (i32, i32, i32) = (-11, -5, 40);
/// Shares of frames whose latency is plotted.
const SHARES: [(f64, &str); 4] = [
    (0.5, "50 %"),
    (0.99, "99 %"),
    (0.999, "99.9 %"),
    (0.9999, "99.99 %"),
];

/// The page.
pub fn html(plan: &Plan, designs: &[Design], command: &str) -> String {
    let shown = shown(designs);
    let title = "A RIFL link on paper";
    let mut body = format!(
        "<header>\n<p class=\"brand\">Ropewalk <span>design calculator</span></p>\n<h1>{title}</h1>\n\
         <p class=\"facts\">{}</p>\n</header>\n",
        facts(heading(plan).split(", ")),
    );
    body += &tiles(plan);
    body += &efficiency(plan, &shown);
    body += &goodput(plan, &shown);
    if let Some(design) = shown.first() {
        body += &latency(plan, design);
    }
    body += &table(plan);
    let _ = write!(
        body,
        "<section id=\"parameters\">\n<h2>What the figures rest on</h2>\n<ul>\n{}</ul>\n<h2>The same plan again</h2>\n\
         <pre><code id=\"command\">{}</code></pre>\n</section>\n<footer>Ropewalk {}. Calculated, not simulated.</footer>\n",
        NOTES
            .iter()
            .map(|note| format!("<li>{}</li>\n", escape(note)))
            .collect::<String>(),
        escape(command),
        env!("CARGO_PKG_VERSION"),
    );
    document(title, &body, "")
}

/// What is plotted: at most three frame widths, 256 first, then its neighbours upwards.
fn shown(designs: &[Design]) -> Vec<&Design> {
    let narrow = designs.iter().filter(|design| design.frame().bits() < 256);
    let mut shown: Vec<&Design> = designs
        .iter()
        .filter(|design| design.frame().bits() >= 256)
        .chain(narrow)
        .collect();
    shown.truncate(3);
    shown
}

fn tiles(plan: &Plan) -> String {
    let Some(frame) = plan
        .frames
        .iter()
        .find(|frame| frame.frame_width >= 256)
        .or(plan.frames.first())
    else {
        return String::new();
    };
    let with = format!("frame width {}", frame.frame_width);
    let (latency, unit) = split(&time(frame.latency_ns.most));
    let tiles = [
        (
            "Goodput each way",
            format!(
                "{} <small>Gb/s</small>",
                format::significant(frame.goodput_gbps, 4)
            ),
            with.clone(),
        ),
        (
            "Frame id",
            format!("{} <small>bits</small>", frame.id_width),
            format!(
                "{} frames of round trip",
                format::thousands(frame.round_trip_frames)
            ),
        ),
        (
            "Latency",
            format!("{latency} <small>{unit}</small>"),
            format!(
                "after one error up to {}",
                time(frame.latency_ns.after_one_error)
            ),
        ),
        (
            "Lost to errors",
            format!(
                "{:.3} <small>%</small>",
                100.0 * (1.0 - frame.goodput_ratio)
            ),
            frame.published.goodput_ratio.map_or_else(String::new, |r| {
                format!("published core {:.3} %", 100.0 * (1.0 - r))
            }),
        ),
    ];
    run::tiles(&tiles)
}

fn split(text: &str) -> (String, String) {
    let (value, unit) = text.split_once(' ').unwrap_or((text, ""));
    (value.to_owned(), unit.to_owned())
}

fn key(class: &str, text: &str) -> String {
    format!("<span class=\"key {class}\">{}</span>", escape(text))
}

fn efficiency(plan: &Plan, shown: &[&Design]) -> String {
    let curve = |class, kind, at: &dyn Fn(u32) -> Option<f64>| Series {
        class,
        kind,
        points: BYTES
            .map(|bytes| (f64::from(bytes), at(bytes).unwrap_or(f64::NAN)))
            .collect(),
    };
    let mut classes = CLASSES.into_iter();
    let (mut series, mut legend) = (Vec::new(), String::new());
    for (design, class) in shown.iter().take(2).zip(&mut classes) {
        series.push(curve(class, Kind::Line, &|bytes| {
            Some(design.efficiency(bytes))
        }));
        legend += &key(class, &format!("RIFL {}", design.frame()));
    }
    for (i, class) in classes.take(3).enumerate() {
        series.push(curve(class, Kind::Thin, &|bytes| {
            plan::others(plan.lanes, bytes)[i].1
        }));
        legend += &key(class, plan::others(plan.lanes, 64)[i].0);
    }
    let chart = Chart {
        label: "Efficiency of RIFL and other protocols over the packet size".to_owned(),
        x: Axis::log(f64::from(*BYTES.start()), f64::from(*BYTES.end())),
        y: share_axis(),
        x_title: "bytes of a packet".to_owned(),
        y_title: "payload bits per line bit".to_owned(),
        x_unit: 1.0,
        series,
        marks: Vec::new(),
        rules: vec![Rule {
            vertical: true,
            at: f64::from(plan.packet_bytes.clamp(*BYTES.start(), *BYTES.end())),
            label: "packet size of this plan".to_owned(),
        }],
    };
    let caption = "Packets back to back, no errors. RIFL repeats with the payload of a segment, because packets do not share one. \
                   100G Ethernet takes packets from 64 bytes on.";
    figure(
        "efficiency",
        "Efficiency over packet size",
        &legend,
        &chart,
        caption,
    )
}

/// From 0 to 1, with room above for labels.
fn share_axis() -> Axis {
    Axis {
        min: 0.0,
        max: 1.15,
        scale: Scale::Linear,
    }
}

fn error_rates() -> impl Iterator<Item = f64> {
    let (low, high, steps) = DECADES;
    (low * steps..=high * steps).map(move |i| 10f64.powf(f64::from(i) / f64::from(steps)))
}

fn error_axis() -> Axis {
    Axis::log(10f64.powi(DECADES.0), 10f64.powi(DECADES.1))
}

/// A line at the bit error rate of the plan, if the plot shows it.
fn error_rule(plan: &Plan) -> Vec<Rule> {
    let axis = error_axis();
    let inside = plan.ber >= axis.min && plan.ber <= axis.max;
    inside
        .then(|| Rule {
            vertical: true,
            at: plan.ber,
            label: "BER of this plan".to_owned(),
        })
        .into_iter()
        .collect()
}

fn goodput(plan: &Plan, shown: &[&Design]) -> String {
    let (mut series, mut legend) = (Vec::new(), String::new());
    for (design, class) in shown.iter().zip(CLASSES) {
        legend += &key(class, &format!("frame width {}", design.frame()));
        let curve = |kind, at: &dyn Fn(f64) -> f64| Series {
            class,
            kind,
            points: error_rates().map(|ber| (ber, at(ber))).collect(),
        };
        series.push(curve(Kind::Line, &|ber| design.goodput_ratio(ber)));
        if design.published_goodput_ratio(0.0).is_some() {
            series.push(curve(Kind::Thin, &|ber| {
                design.published_goodput_ratio(ber).unwrap_or(f64::NAN)
            }));
        }
    }
    let chart = Chart {
        label: "Share of goodput that is left over the bit error rate".to_owned(),
        x: error_axis(),
        y: share_axis(),
        x_title: "bit error rate".to_owned(),
        y_title: "goodput over goodput without errors".to_owned(),
        x_unit: 1.0,
        series,
        marks: Vec::new(),
        rules: error_rule(plan),
    };
    let caption = "Both directions loaded. Strong line: this core; thin line: the published core with its own id width.";
    figure(
        "goodput",
        "Goodput over bit error rate",
        &legend,
        &chart,
        caption,
    )
}

fn latency(plan: &Plan, design: &Design) -> String {
    let (mut series, mut legend) = (Vec::new(), String::new());
    for ((share, name), class) in SHARES.into_iter().zip(CLASSES) {
        legend += &key(class, name);
        series.push(Series {
            class,
            kind: Kind::Line,
            points: error_rates()
                .map(|ber| {
                    (
                        ber,
                        design
                            .latency_at(share, ber, plan.packet_bytes)
                            .unwrap_or(f64::NAN),
                    )
                })
                .collect(),
        });
    }
    let values = || {
        series
            .iter()
            .flat_map(|s| s.points.iter().map(|point| point.1))
    };
    let (min, max) = (
        values().fold(f64::INFINITY, f64::min),
        values().fold(0.0, f64::max),
    );
    let chart = Chart {
        label: "Percentiles of the latency over the bit error rate".to_owned(),
        x: error_axis(),
        y: Axis::log(min, max),
        x_title: "bit error rate".to_owned(),
        y_title: "latency in ns".to_owned(),
        x_unit: 1.0,
        series,
        marks: Vec::new(),
        rules: error_rule(plan),
    };
    let caption = format!(
        "Frame width {}. This share of frames arrives within the latency; each step is one more resend.",
        design.frame()
    );
    figure(
        "latency",
        "Latency over bit error rate",
        &legend,
        &chart,
        &caption,
    )
}

fn table(plan: &Plan) -> String {
    let mut out = "<section id=\"result\">\n<h2>All frame widths</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>frame width, bits</th>".to_owned();
    for frame in &plan.frames {
        let _ = write!(out, "<th scope=\"col\">{}</th>", frame.frame_width);
    }
    out += "</tr></thead>\n<tbody>\n";
    for (name, cell) in ROWS.iter().filter(|(name, _)| !name.is_empty()) {
        let class = if name.starts_with(' ') {
            " class=\"part\""
        } else {
            ""
        };
        let _ = write!(
            out,
            "<tr><th scope=\"row\"{class}>{}</th>",
            escape(name.trim())
        );
        for frame in &plan.frames {
            let _ = write!(
                out,
                "<td>{}</td>",
                escape(&cell(frame)).replace(" us", " \u{b5}s")
            );
        }
        out += "</tr>\n";
    }
    out += "</tbody>\n</table></div>\n";
    for excluded in &plan.excluded {
        let _ = writeln!(
            out,
            "<p class=\"dim\">Frame width {}: {}.</p>",
            excluded.frame_width,
            escape(&excluded.reason)
        );
    }
    out + "</section>\n"
}
