// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk sim stack`: topology, load of each link over time, latency by class, the
//! way of a packet, events.

use ropewalk_console::format;
use ropewalk_sim::rdma::Service;
use ropewalk_sim::stack::{CLOCK_HZ, Event, Happened, LinkResult, Series as Load};

use super::chart::{Axis, Chart, Kind, Marks, Series};
use super::drawing::{Arrow, Drawing, Shape};
use super::figure;
use super::run::{self, RunPage, Tile, chart, distribution, key, log, series, values};
use crate::commands::sim_rdma::service;
use crate::commands::sim_stack::{Run, classes, microseconds, sections, verdict};

/// Classes of the style sheet, by service.
const CLASSES: [(Service, &str); 5] = [
    (Service::Message, "b"),
    (Service::Small, "c"),
    (Service::OnePath, "d"),
    (Service::FourPaths, "e"),
    (Service::Read, "f"),
];
/// The same for curves of links.
const LINKS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// The page; `facts` say what was run, `command` gives it again.
pub fn html(run: &Run, facts: &[String], command: &str) -> String {
    let facts = facts.iter().flat_map(|fact| fact.split(", "));
    let word = if run.ok() { "Arrived" } else { "Not arrived" };
    let mut figures = topology(run);
    figures += &load(run);
    if run.result.run.completed > 0 {
        figures += &by_class(run);
    }
    RunPage {
        kind: "simulation",
        title: "RDMA over lossless links: the stack joined",
        facts: &facts.map(str::to_owned).collect::<Vec<_>>(),
        ok: run.ok(),
        verdict: (word, &format!("{}.", verdict(run))),
        tiles: &run::tiles(&tiles(run)),
        figures: &figures,
        sections: &sections(run),
        command,
        footer: "Cycle-accurate RTL: engines, network ports, links, switches.",
    }
    .html()
}

fn tiles(run: &Run) -> [Tile; 4] {
    let result = &run.result.run;
    let ends = || run.result.links.iter().flat_map(|link| &link.ends);
    let sessions: u64 = ends().map(|end| end.sessions_ended).sum();
    let dark: u64 = run.result.links.iter().map(outage).max().unwrap_or(0);
    [
        (
            "File",
            format!("{:.1} <small>Gb/s</small>", run.file_gbps()),
            format!(
                "{} in {:.0} us, beside the other traffic",
                format::bytes(run.file.len() as u64),
                microseconds(result.file_cycles)
            ),
        ),
        (
            "Bits flipped",
            format::thousands(run.bit_errors()),
            format!(
                "{} retransmissions of links repaired them",
                format::thousands(run.replays())
            ),
        ),
        (
            "Link not whole",
            format!("{:.1} <small>us</small>", microseconds(dark)),
            if sessions == 0 {
                "no session ended: nothing was lost".to_owned()
            } else {
                format!("{} sessions ended", format::thousands(sessions))
            },
        ),
        (
            "Retransmissions of engines",
            format::thousands(result.retransmissions),
            format!(
                "{} packets in all",
                format::thousands(run.result.ports.iter().map(|port| port.sent).sum())
            ),
        ),
    ]
}

/// Cycles in which the worse end of a link was not whole.
fn outage(link: &LinkResult) -> u64 {
    link.ends
        .iter()
        .map(|end| end.down_cycles)
        .max()
        .unwrap_or(0)
}

/// Nodes, switches and links, with what happened on each.
fn topology(run: &Run) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut place = |name: &str| {
        let name = name.split('.').next().unwrap_or(name).to_owned();
        names
            .iter()
            .position(|known| *known == name)
            .unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
    };
    let links = &run.result.links;
    let arrows = (links.iter())
        .map(|link| Arrow {
            from: place(&link.names[0]),
            to: place(&link.names[1]),
            note: format!(
                "{} bits flipped, {} replays",
                format::thousands(link.bit_errors.iter().sum()),
                format::thousands(link.ends.iter().map(|end| end.replays).sum())
            ),
        })
        .collect();
    let shapes = (names.iter())
        .map(|name| {
            let number = name[1..].parse::<usize>().ok();
            let port = number
                .filter(|_| name.starts_with('n'))
                .and_then(|number| run.result.ports.get(number));
            Shape {
                name: match port {
                    Some(_) => format!("node {}", &name[1..]),
                    None => format!("switch {}", &name[1..]),
                },
                notes: port.map_or_else(Vec::new, |port| {
                    vec![
                        format!("{} packets sent", format::thousands(port.sent)),
                        format!("{} received", format::thousands(port.received)),
                    ]
                }),
                group: Some(usize::from(port.is_none())),
            }
        })
        .collect();
    let drawing = Drawing {
        title: "Topology".to_owned(),
        shapes,
        arrows,
        groups: Vec::new(),
    };
    format!(
        "<figure id=\"topology\">\n<div class=\"top\"><h2>Topology</h2></div>\n<div class=\"scroll\">{}</div>\n<figcaption>A link has four lanes of 28 Gb/s in each direction.</figcaption>\n</figure>\n",
        drawing.svg()
    )
}

/// Words of a span as Gb/s over microseconds.
fn curve(load: &Load) -> Vec<(f64, f64)> {
    let seconds = load.span as f64 / CLOCK_HZ;
    let rate = |words: u64| words as f64 * 512.0 / seconds / 1e9;
    let points = load.words.iter().enumerate();
    points
        .map(|(i, &words)| {
            (
                microseconds((i as u64 * 2 + 1) * load.span) / 2.0,
                rate(words),
            )
        })
        .collect()
}

/// Load of each direction of each link over time, with what happened to the lanes under it.
fn load(run: &Run) -> String {
    let mut curves: Vec<Series> = Vec::new();
    let mut legend = String::new();
    let mut links: Vec<_> = run.result.links.iter().collect();
    links.sort_by_key(|link| std::cmp::Reverse(link.ends.iter().map(|end| end.words).sum::<u64>()));
    let left_out = links.len().saturating_sub(LINKS.len() / 2);
    for link in links.iter().take(LINKS.len() / 2) {
        for (end, counts) in link.ends.iter().enumerate() {
            let class = LINKS[curves.len()];
            legend += &key(
                class,
                &format!("{} to {}", link.names[end], link.names[1 - end]),
            );
            curves.push(series(class, Kind::Line, curve(&counts.load)));
        }
    }
    let x = Axis::exact(0.0, values(&curves, 0).fold(1.0, f64::max));
    let y = Axis::from_zero(values(&curves, 1).fold(0.0, f64::max));
    let picture = Chart {
        marks: marks(&run.result.events),
        ..chart(
            "Load of each direction of each link over time",
            (x, "us"),
            (y, "Gb/s"),
            curves,
        )
    };
    figure(
        "load",
        "Load over time",
        &legend,
        &picture,
        &format!(
            "Words of 64 bytes that a link takes: packets with their headers, and credits. Marks: what happened to lanes.{}",
            match left_out {
                0 => String::new(),
                _ => format!(" The busiest links; {left_out} more are in the table."),
            }
        ),
    )
}

fn marks(events: &[Happened]) -> Vec<Marks> {
    let row = |class, label: &str, wanted: fn(Event) -> bool| Marks {
        class,
        label: label.to_owned(),
        at: (events.iter())
            .filter(|happened| wanted(happened.what))
            .map(|happened| microseconds(happened.at))
            .collect(),
    };
    [
        row("e", "cut", |what| matches!(what, Event::Cut(_))),
        row("d", "down", |what| matches!(what, Event::LaneDown(_))),
        row("c", "up", |what| {
            matches!(what, Event::LaneUp(_) | Event::Rejoined(_))
        }),
    ]
    .into_iter()
    .filter(|row| !row.at.is_empty())
    .collect()
}

/// Cumulative share of the transfers of each class, over the latency in cycles.
fn by_class(run: &Run) -> String {
    let mut curves = Vec::new();
    let mut legend = String::new();
    for (kind, latency) in classes(&run.result.run) {
        let class = CLASSES
            .iter()
            .find(|entry| entry.0 == kind)
            .map_or("a", |entry| entry.1);
        legend += &key(class, service(kind));
        curves.push(distribution(class, &latency));
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
        "From the descriptor to the end that its user reads. The file is one transfer with four paths.",
    )
}
