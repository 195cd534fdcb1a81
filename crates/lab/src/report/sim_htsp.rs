// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk sim htsp`: latency, and what became of the frames of each channel.

use ropewalk_console::format;
use ropewalk_sim::htsp::{CLOCK_HZ, RunResult};

use super::chart::{Axis, Kind};
use super::run::{self, RunPage, Tile, chart, distribution, key, log, series, values};
use super::{figure, time};
use crate::commands::sim_htsp::{Summary, channels, verdict};
use crate::section::Section;

/// The page; `facts` say what was run, `command` gives it again.
pub fn html(result: &RunResult, summary: &Summary, facts: &[String], command: &str) -> String {
    let facts = facts.iter().flat_map(|fact| fact.split(", "));
    let mut figures = String::new();
    if result.latency.count() > 0 {
        figures += &latency(result);
    }
    figures += &by_channel(summary);
    RunPage {
        kind: "simulation",
        title: "HTSP, two ends back to back",
        facts: &facts.map(str::to_owned).collect::<Vec<_>>(),
        ok: summary.ok,
        verdict: (
            if summary.ok { "Right" } else { "Wrong" },
            &format!("{}.", verdict(summary)),
        ),
        tiles: &run::tiles(&tiles(result, summary)),
        figures: &figures,
        sections: &[Section::new("Channels, both directions together", channels(summary))],
        command,
        footer: "Cycle-accurate RTL, two ends; latency from the first word in to the first word out.",
    }
    .html()
}

fn tiles(result: &RunResult, summary: &Summary) -> Vec<Tile> {
    let mut tiles = vec![
        (
            "Efficiency",
            format!("{:.2} <small>%</small>", 100.0 * summary.efficiency),
            format!(
                "{} Gb/s at {:.2} MHz",
                format::significant(summary.gbps(), 4),
                CLOCK_HZ / 1e6
            ),
        ),
        (
            "Latency, median",
            time(result.latency.p50_cycles() as f64 * 1e9 / CLOCK_HZ),
            format!(
                "{} cycles; 99 %: {}",
                format::thousands(result.latency.p50_cycles()),
                format::thousands(result.latency.p99_cycles())
            ),
        ),
        (
            "Lost on the line",
            format::thousands(result.frames_lost),
            format!("{} damaged", format::thousands(result.frames_damaged)),
        ),
    ];
    if let Some(op_codes) = &summary.op_codes {
        tiles.push((
            "Op-codes",
            format!("{} arrived", format::thousands(op_codes.arrived)),
            format!(
                "of {}, median {} cycles",
                format::thousands(op_codes.sent),
                op_codes.latency_cycles.p50
            ),
        ));
    }
    tiles
}

/// Cumulative share of the frames over their latency.
fn latency(result: &RunResult) -> String {
    let curves = vec![distribution("a", &result.latency)];
    let x = log(values(&curves, 0));
    figure(
        "latency",
        "Latency of frames that arrived whole",
        &key("a", "all channels"),
        &chart(
            "Cumulative share of the frames over their latency in cycles",
            (x, "latency in cycles"),
            (Axis::exact(0.0, 100.0), "% of the frames"),
            curves,
        ),
        "From the first word that the sender gives to the first one that the receiver gets.",
    )
}

/// Sent and delivered, channel by channel.
fn by_channel(summary: &Summary) -> String {
    let of = |count: fn(&crate::commands::sim_htsp::Channel) -> u64| -> Vec<(f64, f64)> {
        let counts = summary.vc.iter().map(count);
        (0..)
            .zip(counts)
            .map(|(vc, n)| (f64::from(vc), n as f64))
            .collect()
    };
    let sent = of(|channel| channel.frames_sent);
    let most = sent.iter().fold(1.0, |most: f64, point| most.max(point.1));
    let curves = vec![
        series("a", Kind::Line, sent),
        series("b", Kind::Dots, of(|channel| channel.frames_delivered)),
        series(
            "c",
            Kind::Dots,
            of(|channel| channel.errored + channel.lost),
        ),
    ];
    let last = summary.vc.len().saturating_sub(1).max(1) as f64;
    let legend = [("a", "sent"), ("b", "delivered"), ("c", "errored or lost")];
    figure(
        "channels",
        "Frames by channel",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart(
            "Frames sent and delivered by channel",
            (Axis::exact(0.0, last), "channel"),
            (Axis::from_zero(most), "frames"),
            curves,
        ),
        "Both directions together.",
    )
}
