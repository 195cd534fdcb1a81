// SPDX-License-Identifier: Apache-2.0
//! The pages of `ropewalk sim network` and `plan stack`: the topology drawn, link loads, latency by
//! class, and all tables.

use std::collections::HashMap;
use std::f64::consts::TAU;
use std::fmt::Write;

use ropewalk_console::format::{self, escape};
use ropewalk_sim::net::{Config, NetResult};
use ropewalk_wire::switch::{End, Rule, Topology};

use super::chart::{Axis, Kind};
use super::run::{self, RunPage, Tile, chart, distribution, key, log, series, values};
use super::{document, figure};
use crate::commands::plan_stack::Plan;
use crate::commands::sim_network::{sections, verdict};
use crate::section;

/// Nodes that are drawn one by one; of more the switches alone are.
const NODES: u16 = 64;
/// Width of a drawing.
const WIDTH: f64 = 960.0;
/// Most between neighbours of a torus; links that are longer bend.
const GRID: f64 = 111.0;
/// Classes of the style sheet, by class of packets.
const CLASSES: [(usize, &str); 4] = [(0, "e"), (1, "c"), (2, "d"), (3, "a")];
/// Loads from which on a link has the next colour.
const LOADS: [(f64, &str, &str); 4] = [
    (0.0, "e", "below 25 %"),
    (0.25, "c", "25 to 50 %"),
    (0.5, "b", "50 to 75 %"),
    (0.75, "f", "75 % and more"),
];

/// The page of a run.
pub fn sim_html(config: &Config, result: &NetResult, facts: &[String], command: &str) -> String {
    let facts = facts.iter().flat_map(|fact| fact.split(", "));
    let word = if result.ok() {
        "Complete"
    } else {
        "Not complete"
    };
    let mut figures = drawn(&config.topology, Some(result));
    if result.delivered() > 0 {
        figures += &by_class(result);
        figures += &loads(result);
    }
    RunPage {
        kind: "simulation",
        title: &format!("{} over {}", config.workload.name(), config.topology.name),
        facts: &facts.map(str::to_owned).collect::<Vec<_>>(),
        ok: result.ok(),
        verdict: (word, &format!("{}.", verdict(result))),
        tiles: &run::tiles(&tiles(config, result)),
        figures: &figures,
        sections: &sections(result),
        command,
        footer: "A model of nodes, switches and links, packet by packet; no RTL.",
    }
    .html()
}

/// The page of a plan.
pub fn plan_html(made: &Topology, plan: &Plan, command: &str) -> String {
    let title = format!("The network {} on paper", made.name);
    let body = format!(
        "<header>\n<p class=\"brand\">Ropewalk <span>design calculator</span></p>\n<h1>{}</h1>\n</header>\n{}{}\
         <section id=\"parameters\">\n<h2>The same plan again</h2>\n<pre><code id=\"command\">{}</code></pre>\n</section>\n\
         <footer>Ropewalk {}.</footer>\n",
        escape(&title),
        drawn(made, None),
        section::html(&plan.sections()),
        escape(command),
        env!("CARGO_PKG_VERSION"),
    );
    document(&title, &body, "")
}

fn tiles(config: &Config, result: &NetResult) -> [Tile; 3] {
    let class = &result.classes[usize::from(config.class)].latency;
    [
        (
            "Throughput of a node",
            format!("{:.1} <small>Gb/s</small>", result.throughput_gbps()),
            format!("busiest link {:.0} %", 100.0 * result.busiest()),
        ),
        (
            "Latency, median",
            format!(
                "{} <small>cycles</small>",
                format::thousands(class.p50_cycles())
            ),
            format!("99.9 %: {}", format::thousands(class.p999_cycles())),
        ),
        (
            "Sent again",
            format::thousands(result.retransmissions),
            format!("{} bit errors on links", format::thousands(result.errors())),
        ),
    ]
}

fn by_class(result: &NetResult) -> String {
    let (mut curves, mut legend) = (Vec::new(), String::new());
    for (number, class) in CLASSES {
        let latency = &result.classes[number].latency;
        if latency.count() > 0 {
            let name = if number == 0 {
                "answers".to_owned()
            } else {
                format!("class {number}")
            };
            legend += &key(class, &name);
            curves.push(distribution(class, latency));
        }
    }
    figure(
        "classes",
        "Latency by class",
        &legend,
        &chart(
            "Cumulative share of the packets of each class, over the latency in cycles",
            (log(values(&curves, 0)), "latency in cycles"),
            (Axis::exact(0.0, 100.0), "% of the packets"),
            curves,
        ),
        "From when a packet was made until its last word was delivered.",
    )
}

/// Load of a link in one direction.
fn load(result: &NetResult, index: usize) -> f64 {
    let words = result.links.get(index).map_or(0, |link| link.words);
    words as f64 / result.cycles.max(1) as f64
}

/// Links in the order of their load.
fn loads(result: &NetResult) -> String {
    let sorted = |to_switches: bool| {
        let links = result.links.iter().enumerate().filter(|(_, link)| {
            let inner = |end| matches!(end, End::Switch { .. });
            (inner(link.from) && inner(link.to)) == to_switches
        });
        let mut all: Vec<f64> = links
            .map(|(index, _)| 100.0 * load(result, index))
            .collect();
        all.sort_by(|a, b| b.total_cmp(a));
        let count = all.len().max(2) - 1;
        let points = all.into_iter().enumerate();
        points
            .map(|(at, load)| (100.0 * at as f64 / count as f64, load))
            .collect::<Vec<_>>()
    };
    let curves = vec![
        series("a", Kind::Line, sorted(false)),
        series("b", Kind::Line, sorted(true)),
    ];
    let legend = [("a", "to and from nodes"), ("b", "between switches")];
    figure(
        "loads",
        "Load of the links",
        &legend.map(|(class, text)| key(class, text)).concat(),
        &chart(
            "Load of the links, the busiest first",
            (Axis::exact(0.0, 100.0), "% of the links, the busiest first"),
            (Axis::from_zero(100.0), "% of the rate"),
            curves,
        ),
        "Words of packets over the whole run; each direction of a link counts by itself.",
    )
}

/// The topology, with the load of each link if there was a run.
fn drawn(made: &Topology, result: Option<&NetResult>) -> String {
    let legend = match result {
        Some(_) => LOADS.map(|(_, class, text)| key(class, text)).concat(),
        None => String::new(),
    };
    let mut caption = match result {
        Some(_) => "Colour: the load of a link, of its busier direction.".to_owned(),
        None => String::new(),
    };
    if made.nodes() > NODES {
        caption += " Nodes are not drawn.";
    }
    format!(
        "<section class=\"card\" id=\"topology\">\n<div><h2>Topology</h2><p class=\"legend\">{legend}</p></div>\n\
         <div class=\"scroll\">{}</div>\n<p class=\"dim\">{}</p>\n</section>\n",
        svg(made, result),
        caption.trim()
    )
}

/// Where everything stands: by (is a switch, number).
type Places = HashMap<(bool, u16), (f64, f64)>;

fn vertex(end: End) -> (bool, u16) {
    match end {
        End::Node(node) => (false, node),
        End::Switch { switch, .. } => (true, switch),
    }
}

fn svg(made: &Topology, result: Option<&NetResult>) -> String {
    let nodes = if made.nodes() <= NODES {
        made.nodes()
    } else {
        0
    };
    let (places, height) = places(made, nodes);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" viewBox=\"0 0 {WIDTH} {height:.0}\" width=\"{WIDTH}\" role=\"img\" \
         aria-label=\"{}\">\n",
        escape(&made.name)
    );
    for (index, link) in made.links().iter().enumerate() {
        let ends = [link.a, link.b].map(|end| places.get(&vertex(end)));
        let [Some((ax, ay)), Some((bx, by))] = ends else {
            continue;
        };
        let load = result.map_or(0.0, |it| load(it, 2 * index).max(load(it, 2 * index + 1)));
        let class = LOADS
            .iter()
            .rev()
            .find(|(from, ..)| load >= *from)
            .map_or("e", |it| it.1);
        // Links that go round a torus, and neighbours in one row, bend.
        let far = (ax - bx).abs().max((ay - by).abs());
        let torus = matches!(made.rule, Rule::Dimensions(_));
        let bend = match (ay == by, ax == bx) {
            (true, _) if !torus || far > GRID => (0.0, -0.18 * far),
            (_, true) if torus && far > GRID => (-0.18 * far, 0.0),
            _ => (0.0, 0.0),
        };
        let (mx, my) = ((ax + bx) / 2.0 + bend.0, (ay + by) / 2.0 + bend.1);
        let _ = writeln!(
            out,
            "<path class=\"line {class}\" d=\"M{ax:.1} {ay:.1}Q{mx:.1} {my:.1} {bx:.1} {by:.1}\"><title>{} - {}</title></path>",
            link.a, link.b
        );
    }
    let few = made.switches().len() + usize::from(nodes) <= 96;
    let mut all: Vec<_> = places.iter().collect();
    all.sort_by_key(|(vertex, _)| **vertex);
    for ((switch, number), (x, y)) in all {
        let (name, radius) = match (switch, few) {
            (true, true) => (format!("s{number}"), 13.0),
            (true, false) => (format!("s{number}"), 3.5),
            (false, _) => (format!("n{number}"), 4.0),
        };
        let fill = if *switch { "var(--card)" } else { "var(--dim)" };
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"var(--dim)\"><title>{name}</title></circle>"
        );
        if few && *switch {
            let (x, y) = (x, y + 4.0);
            let _ = writeln!(
                out,
                "<text class=\"note\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{name}</text>"
            );
        }
    }
    out + "</svg>\n"
}

/// By levels, on a grid or around a circle; gives the height too.
fn places(made: &Topology, nodes: u16) -> (Places, f64) {
    match &made.rule {
        Rule::Dimensions(sizes) => grid(sizes, nodes),
        Rule::UpDown if made.switches().iter().all(|switch| switch.level.is_some()) => {
            layers(made, nodes)
        }
        Rule::UpDown => circle(made, nodes),
    }
}

/// A row for each level, nodes at the bottom.
fn layers(made: &Topology, nodes: u16) -> (Places, f64) {
    let mut rows: Vec<Vec<(bool, u16)>> = Vec::new();
    for (switch, number) in made.switches().iter().zip(0u16..) {
        let level = usize::from(switch.level.unwrap_or(0)).min(31);
        rows.resize(rows.len().max(level + 1), Vec::new());
        rows[level].push((true, number));
    }
    rows.push((0..nodes).map(|node| (false, node)).collect());
    rows.retain(|row| !row.is_empty());
    let gap = 90.0;
    let mut places = Places::new();
    for (at, row) in rows.iter().enumerate() {
        let step = WIDTH / row.len() as f64;
        for (place, vertex) in row.iter().enumerate() {
            let x = (place as f64 + 0.5) * step;
            places.insert(*vertex, (x, 24.0 + at as f64 * gap));
        }
    }
    (places, 48.0 + (rows.len().max(1) - 1) as f64 * gap)
}

/// A torus: planes beside each other, each node at its switch.
fn grid(sizes: &[u16], nodes: u16) -> (Places, f64) {
    let size = |at: usize| sizes.get(at).copied().unwrap_or(1).max(1);
    let [across, down, planes] = [size(0), size(1), size(2)];
    let columns = f64::from((across + 1) * planes);
    let step = (WIDTH / (columns + 1.0)).min(GRID - 1.0);
    let margin = (WIDTH - columns * step) / 2.0;
    let (mut places, mut number) = (Places::new(), 0);
    for (plane, y) in (0..planes).flat_map(|plane| (0..down).map(move |y| (plane, y))) {
        for x in 0..across {
            let left = f64::from(plane * (across + 1) + x) + 0.5;
            let (px, py) = (margin + left * step, (f64::from(y) + 0.9) * step);
            places.insert((true, number), (px, py));
            if number < nodes {
                places.insert((false, number), (px + 0.24 * step, py + 0.24 * step));
            }
            number += 1;
        }
    }
    (places, (f64::from(down) + 0.8) * step)
}

/// Switches around a circle, their nodes outside.
fn circle(made: &Topology, nodes: u16) -> (Places, f64) {
    let switches = made.switches().len() as u16;
    let height = 460.0;
    let (cx, cy) = (WIDTH / 2.0, height / 2.0);
    let at = |angle: f64, radius: f64| (cx + 1.7 * radius * angle.cos(), cy + radius * angle.sin());
    let angle = |switch: u16| TAU * f64::from(switch) / f64::from(switches.max(1)) + TAU / 2.0;
    let radius = if switches > 1 { 130.0 } else { 0.0 };
    let mut places: Places = (0..switches)
        .map(|it| ((true, it), at(angle(it), radius)))
        .collect();
    let mut local: HashMap<Option<u16>, Vec<u16>> = HashMap::new();
    for node in 0..nodes {
        let switch = made.attachment(node).map(|(switch, _)| switch);
        local.entry(switch).or_default().push(node);
    }
    for (switch, there) in local {
        let share = TAU / f64::from(switches.max(1));
        let first = switch.map_or(TAU / 2.0, angle);
        for (place, node) in there.iter().enumerate() {
            let offset = (place as f64 + 0.5) / there.len() as f64 - 0.5;
            let wide = if switches > 1 { 0.85 * share } else { TAU };
            places.insert((false, *node), at(first + offset * wide, 205.0));
        }
    }
    (places, height)
}
