// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim network`: nodes, switches and links, packet by packet.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use ropewalk_channel::seed;
use ropewalk_console::failure::Failure;
use ropewalk_console::format::{self, thousands};
use ropewalk_console::json;
use ropewalk_console::output;
use ropewalk_console::table::{Style, Table};
use ropewalk_sim::LatencyHistogram;
use ropewalk_sim::net::{self, CYCLE_NS, Config, NetResult, Transport};
use ropewalk_wire::switch::topology::{Wire, file, generate};
use ropewalk_wire::switch::{CLASSES, Topology};
use serde::Serialize;
use serde_json::Value;

use super::Simulation;
use crate::cli::SimNetwork;
use crate::report;
use crate::section::{self, Section};

/// Links that a table shows, the busiest ones.
const LINKS: usize = 12;
/// Class whose packets take any allowed path.
const FOUR_PATHS: u8 = 3;

/// Latencies of a class.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Latency {
    /// Least.
    pub min: u64,
    /// Median.
    pub p50: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p999: u64,
    /// Most.
    pub max: u64,
}

impl Latency {
    /// Those of a histogram.
    #[must_use]
    pub fn of(histogram: &LatencyHistogram) -> Self {
        Latency {
            min: histogram.min_cycles(),
            p50: histogram.p50_cycles(),
            p99: histogram.p99_cycles(),
            p999: histogram.p999_cycles(),
            max: histogram.max_cycles(),
        }
    }
}

#[derive(Debug, Serialize)]
struct ClassSummary {
    class: usize,
    made: u64,
    delivered: u64,
    marked: u64,
    latency_cycles: Latency,
}

#[derive(Debug, Serialize)]
struct LinkSummary {
    from: String,
    to: String,
    load: f64,
    credits: u64,
    errors: u64,
}

/// The object that `--json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    topology: String,
    nodes: u16,
    switches: usize,
    links: usize,
    workload: &'static str,
    transport: &'static str,
    seed: u64,
    cycles: u64,
    time_us: f64,
    throughput: f64,
    throughput_gbps: f64,
    busiest_link: f64,
    classes: Vec<ClassSummary>,
    missing: u64,
    deadlock: bool,
    dropped: u64,
    retransmissions: u64,
    duplicates: u64,
    reordered: u64,
    bit_errors: u64,
    timeout_cycles: Option<u64>,
    link_loads: Vec<LinkSummary>,
}

impl Summary {
    fn new(config: &Config, result: &NetResult) -> Self {
        let classes = result.classes.iter().enumerate();
        let classes = classes.filter(|(_, class)| class.made > 0);
        let links = result.links.iter().map(|link| LinkSummary {
            from: link.from.to_string(),
            to: link.to.to_string(),
            load: link.words as f64 / result.cycles.max(1) as f64,
            credits: link.credits,
            errors: link.errors,
        });
        Summary {
            ok: result.ok(),
            topology: config.topology.name.clone(),
            nodes: result.nodes,
            switches: config.topology.switches().len(),
            links: config.topology.links().len(),
            workload: config.workload.name(),
            transport: transport(config),
            seed: config.seed,
            cycles: result.cycles,
            time_us: result.cycles as f64 * CYCLE_NS / 1e3,
            throughput: result.throughput(),
            throughput_gbps: result.throughput_gbps(),
            busiest_link: result.busiest(),
            classes: classes
                .map(|(number, class)| ClassSummary {
                    class: number,
                    made: class.made,
                    delivered: class.delivered,
                    marked: class.marked,
                    latency_cycles: Latency::of(&class.latency),
                })
                .collect(),
            missing: result.missing,
            deadlock: result.deadlock,
            dropped: result.dropped,
            retransmissions: result.retransmissions,
            duplicates: result.duplicates,
            reordered: result.reordered,
            bit_errors: result.errors(),
            timeout_cycles: result.timeout,
            link_loads: links.collect(),
        }
    }
}

fn transport(config: &Config) -> &'static str {
    match config.transport {
        Transport::Lossless => "lossless",
        Transport::Lossy { .. } => "lossy",
    }
}

/// A topology by name, or of a file.
///
/// # Errors
/// There is none of that name, or the file cannot be read or holds something else.
pub fn topology(text: &str) -> Result<Topology, Failure> {
    let path = Path::new(text);
    if path.extension().is_some_and(|it| it == "toml") || path.is_file() {
        let content = std::fs::read_to_string(path).map_err(|error| Failure::read(path, error))?;
        let mut made =
            file::parse(&content).map_err(|error| Failure::BadInput(format!("{text}: {error}")))?;
        if made.name == "file" {
            made.name = text.to_owned();
        }
        return Ok(made);
    }
    made(text).map_err(|failure| Failure::BadInput(format!("{failure}; or a file NAME.toml")))
}

/// A topology by name, which every machine has.
///
/// # Errors
/// There is none of that name.
pub fn made(text: &str) -> Result<Topology, Failure> {
    generate::generate(text, Wire::default())
        .map_err(|problem| Failure::BadInput(format!("topology {problem}")))
}

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// Bad input, or an output cannot be written.
pub fn execute(options: &SimNetwork, args: &[OsString]) -> Result<u8, Failure> {
    let config = settle(options)?;
    let style = Style::new(format::colour_wanted(&std::io::stdout()));
    let heading = heading(&config);
    let shown = !options.quiet && !options.json;
    let page = super::begin(
        shown.then(|| style.heading(&heading[0], &heading[1..])),
        options.report.as_deref(),
    )?;
    let begun = Instant::now();
    let result = net::run(&config, &mut |_| output::stop_if_interrupted())
        .map_err(|error| Failure::BadInput(format!("{}: {error}", config.topology.name)))?;
    let seconds = begun.elapsed().as_secs_f64();
    if let Some(page) = page {
        let command = format::command_line(args);
        let html = report::network::sim_html(&config, &result, &heading, &command);
        page.finish_with(html.as_bytes())?;
    }
    match print(options, &config, &result, seconds, style) {
        Ok(()) | Err(Failure::Closed) => Ok(u8::from(!result.ok())),
        Err(failure) => Err(failure),
    }
}

impl Simulation for SimNetwork {
    fn check(&self) -> Result<(), Failure> {
        made(&self.topology)?;
        settle(self).map(drop)
    }

    fn measure(&self) -> Result<Value, Failure> {
        let config = settle(self)?;
        let result = net::run(&config, &mut |_| output::stop_if_interrupted());
        super::plain(&Summary::new(&config, &result.map_err(Failure::refused)?))
    }
}

fn settle(options: &SimNetwork) -> Result<Config, Failure> {
    let made = topology(&options.topology)?;
    let made = made
        .with_wires(options.delay, options.ber)
        .map_err(|problem| Failure::BadInput(problem.to_string()))?;
    if made.nodes() < 2 {
        let what = format!("{}: 1 node; accepted: 2 to 1024", made.name);
        return Err(Failure::BadInput(what));
    }
    if u16::from(options.packet) > options.memory {
        return Err(Failure::BadInput(format!(
            "--packet {} with --memory {}; accepted: memory for a packet at least",
            options.packet, options.memory
        )));
    }
    let transport = if options.lossy {
        Transport::Lossy {
            loss: options.loss,
            timeout: options.timeout.map(u64::from),
        }
    } else {
        Transport::Lossless
    };
    Ok(Config {
        workload: options.workload,
        class: options.class,
        transport,
        load: options.load,
        cycles: options.cycles,
        bytes: options.bytes,
        packet_words: options.packet,
        memory: [options.memory; CLASSES],
        bulk: options.bulk,
        spread: options.class == FOUR_PATHS && !options.ordered,
        same_hash: options.same_hash,
        seed: options.seed.unwrap_or_else(seed::fresh),
        limit: options.cycles.saturating_mul(1000).max(1 << 32),
        ..Config::new(made)
    })
}

/// What is run: in short, and the rest.
fn heading(config: &Config) -> [String; 2] {
    let topology = &config.topology;
    let title = format!(
        "{}, {} nodes and {} switches, {}",
        topology.name,
        thousands(topology.nodes().into()),
        thousands(topology.switches().len() as u64),
        config.workload.name()
    );
    let mut more = vec![format!("{} links", transport(config))];
    if config.workload.is_finite() {
        more.push(format!("{} of a node", format::bytes(config.bytes)));
    } else {
        more.push(format!("load {}", config.load));
        more.push(format!("{} cycles", thousands(config.cycles)));
    }
    let worst = topology.links().iter().map(|link| link.ber);
    more.push(format!("BER {}", format::rate(worst.fold(0.0, f64::max))));
    more.push(format!("packets of {} words", config.packet_words));
    more.push(format!("{} words of memory", config.memory[0]));
    more.push(format!("seed {}", config.seed));
    [title, more.join(", ")]
}

fn print(
    options: &SimNetwork,
    config: &Config,
    result: &NetResult,
    seconds: f64,
    style: Style,
) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "sim network", &Summary::new(config, result))?;
    } else if !options.quiet {
        write!(out, "{}", section::text(&sections(result), style))?;
        writeln!(
            out,
            "\n{:.2} Gb/s a node, {} cycles, busiest link {:.1} %, {} events/s",
            result.throughput_gbps(),
            thousands(result.cycles),
            100.0 * result.busiest(),
            format::per_second(result.events as f64 / seconds.max(1e-9)),
        )?;
        let verdict = verdict(result);
        let verdict = if result.ok() {
            style.good(&verdict)
        } else {
            style.bad(&verdict)
        };
        writeln!(out, "{verdict}")?;
        if let Some(folder) = &options.report {
            writeln!(out, "report: {}", folder.join(report::FILE_NAME).display())?;
        }
    } else if !result.ok() {
        let _ = writeln!(std::io::stderr(), "ropewalk: {}", verdict(result));
    }
    out.flush()?;
    Ok(())
}

/// What the run has shown, in a line.
pub fn verdict(result: &NetResult) -> String {
    if result.ok() {
        let order = if result.ordered { ", in order" } else { "" };
        return format!(
            "{} packets delivered, each once{order}",
            thousands(result.delivered())
        );
    }
    let why = if result.deadlock {
        ": NOTHING MOVES any more"
    } else if result.over_limit {
        ": it takes too long"
    } else {
        ""
    };
    format!(
        "{} packets MISSING, {} twice, {} out of order{why}",
        thousands(result.missing),
        thousands(result.duplicates),
        thousands(result.reordered)
    )
}

/// All tables.
pub fn sections(result: &NetResult) -> Vec<Section> {
    let mut classes = Table::new([
        "class", "packets", "marked", "min", "median", "99 %", "99.9 %", "max",
    ]);
    for (number, class) in result
        .classes
        .iter()
        .enumerate()
        .filter(|(_, it)| it.made > 0)
    {
        let latency = Latency::of(&class.latency);
        let cycles = [
            latency.min,
            latency.p50,
            latency.p99,
            latency.p999,
            latency.max,
        ];
        let name = if number == 0 {
            "0, answers".to_owned()
        } else {
            number.to_string()
        };
        let marked = 100.0 * class.marked as f64 / class.delivered.max(1) as f64;
        let first = [name, thousands(class.delivered), format!("{marked:.1} %")];
        classes.row(first.into_iter().chain(cycles.map(thousands)));
    }
    let mut busiest: Vec<_> = result.links.iter().collect();
    busiest.sort_by_key(|link| std::cmp::Reverse(link.words));
    let mut links = Table::new([
        "link",
        "load",
        "packets' words",
        "credit words",
        "bit errors",
    ]);
    for link in busiest.into_iter().take(LINKS) {
        links.row([
            format!("{} to {}", link.from, link.to),
            format!(
                "{:.1} %",
                100.0 * link.words as f64 / result.cycles.max(1) as f64
            ),
            thousands(link.words),
            thousands(link.credits),
            thousands(link.errors),
        ]);
    }
    let mut layers = Table::new(["layer", "events"]);
    let lossless = result.timeout.is_none();
    let errors = result.errors();
    let replays = if lossless { errors } else { 0 };
    layers.row([
        "links: bit errors that cost a replay".to_owned(),
        thousands(replays),
    ]);
    layers.row(["packets dropped".to_owned(), thousands(result.dropped)]);
    layers.row([
        "sources: packets sent again".to_owned(),
        thousands(result.retransmissions),
    ]);
    layers.row([
        "destinations: packets that came twice".to_owned(),
        thousands(result.duplicates),
    ]);
    vec![
        Section::new("Latency in cycles by class", classes).note(format!(
            "from when a packet was made until its last word was delivered; a cycle is {CYCLE_NS} ns"
        )),
        Section::new("The busiest links", links),
        Section::new("Retransmissions by layer", layers),
    ]
}
