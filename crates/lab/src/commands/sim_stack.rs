// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim stack`: RDMA engines over RIFL links, all of it the real RTL.

mod asked;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::time::Instant;

use ropewalk_channel::seed;
use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::output::{self, Staged};
use ropewalk_console::table::{Style, Table};
use ropewalk_sim::LatencyHistogram;
use ropewalk_sim::rdma::{RunResult, Service};
use ropewalk_sim::stack::{
    self, CLOCK_HZ, Event, Happened, StackConfig, StackResult, StackRun, Stage,
};
use ropewalk_wire::switch::Topology;
use serde::Serialize;
use serde_json::Value;

use super::{Simulation, sim_network};
use crate::cli::SimStack;
use crate::progress;
use crate::report;
use crate::section::{self, Section};
use crate::units::PlainLoss;
use asked::{file, heading, settle};

/// A run: what was asked for, and what has become of it.
pub struct Run {
    /// What was run.
    pub config: StackConfig,
    /// What has become of it.
    pub result: StackResult,
    /// The file.
    pub file: Vec<u8>,
    /// The same over a plain network.
    pub lossy: Option<Lossy>,
}

/// What has become of the same users over a network that loses packets.
pub struct Lossy {
    /// Share of packets that it loses.
    pub loss: f64,
    /// What has become of it.
    pub result: RunResult,
}

/// Order statistics in cycles.
#[derive(Debug, Serialize)]
struct Cycles {
    min: u64,
    p50: u64,
    p99: u64,
    p999: u64,
    max: u64,
}

impl Cycles {
    fn of(histogram: &LatencyHistogram) -> Self {
        Self {
            min: histogram.min_cycles(),
            p50: histogram.p50_cycles(),
            p99: histogram.p99_cycles(),
            p999: histogram.p999_cycles(),
            max: histogram.max_cycles(),
        }
    }
}

#[derive(Debug, Serialize)]
struct Retransmissions {
    engine: u64,
    rifl: u64,
}

#[derive(Debug, Serialize)]
struct Link {
    ends: [String; 2],
    bit_errors: [u64; 2],
    replays: [u64; 2],
    replayed_frames: [u64; 2],
    words: [u64; 2],
    down_cycles: [u64; 2],
    sessions_ended: [u64; 2],
}

#[derive(Debug, Serialize)]
struct Switch {
    received: u64,
    sent: u64,
    aborted: u64,
    refused: u64,
    dropped: u64,
    notices: u64,
    untold: u64,
}

#[derive(Debug, Serialize)]
struct LossySummary {
    loss: f64,
    ok: bool,
    completed: u64,
    file_gbps: f64,
    throughput_gbps: f64,
    retransmissions: u64,
    latency_cycles: BTreeMap<&'static str, Cycles>,
}

/// The result: the object that `--json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    core: &'static str,
    topology: String,
    nodes: u16,
    transfers: u64,
    completed: u64,
    errors: u64,
    memory_identical: bool,
    file_identical: bool,
    file_bytes: usize,
    file_gbps: f64,
    cycles: u64,
    throughput_gbps: f64,
    retransmissions: Retransmissions,
    latency_cycles: BTreeMap<&'static str, Cycles>,
    stages_cycles: BTreeMap<&'static str, Cycles>,
    links: Vec<Link>,
    switches: Vec<Switch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lossy: Option<LossySummary>,
    seed: u64,
}

impl Run {
    /// Everything arrived, over both networks if there are two.
    #[must_use]
    pub fn ok(&self) -> bool {
        let lossy = self.lossy.as_ref();
        self.result.ok(&self.file) && lossy.is_none_or(|lossy| self.lossy_ok(lossy))
    }

    /// Everything arrived over the plain network.
    fn lossy_ok(&self, lossy: &Lossy) -> bool {
        lossy.result.ok() && lossy.result.file == self.file
    }

    /// The file is what it was.
    #[must_use]
    pub fn file_identical(&self) -> bool {
        self.result.run.file == self.file
    }

    /// Rate of the file.
    #[must_use]
    pub fn file_gbps(&self) -> f64 {
        file_gbps(&self.result.run)
    }

    /// Payload of all nodes together.
    #[must_use]
    pub fn throughput_gbps(&self) -> f64 {
        throughput_gbps(&self.result.run)
    }

    /// Requests for retransmission that links have answered.
    #[must_use]
    pub fn replays(&self) -> u64 {
        let ends = self.result.links.iter().flat_map(|link| &link.ends);
        ends.map(|end| end.replays).sum()
    }

    /// Bits that were flipped.
    #[must_use]
    pub fn bit_errors(&self) -> u64 {
        self.result
            .links
            .iter()
            .flat_map(|link| link.bit_errors)
            .sum()
    }

    fn summary(&self) -> Summary {
        let run = &self.result.run;
        Summary {
            ok: self.ok(),
            core: "stack",
            topology: self.config.topology.name.clone(),
            nodes: self.config.topology.nodes(),
            transfers: run.transfers,
            completed: run.completed,
            errors: run.errors,
            memory_identical: run.memory_identical(),
            file_identical: self.file_identical(),
            file_bytes: self.file.len(),
            file_gbps: self.file_gbps(),
            cycles: run.cycles,
            throughput_gbps: self.throughput_gbps(),
            retransmissions: Retransmissions {
                engine: run.retransmissions,
                rifl: self.replays(),
            },
            latency_cycles: latency_cycles(run),
            stages_cycles: (self.result.stages.iter())
                .map(|(stage, latency)| (stage_key(*stage), Cycles::of(latency)))
                .collect(),
            links: (self.result.links.iter())
                .map(|link| Link {
                    ends: link.names.clone(),
                    bit_errors: link.bit_errors,
                    replays: [0, 1].map(|i: usize| link.ends[i].replays),
                    replayed_frames: [0, 1].map(|i: usize| link.ends[i].replayed_frames),
                    words: [0, 1].map(|i: usize| link.ends[i].words),
                    down_cycles: [0, 1].map(|i: usize| link.ends[i].down_cycles),
                    sessions_ended: [0, 1].map(|i: usize| link.ends[i].sessions_ended),
                })
                .collect(),
            switches: (self.result.switches.iter())
                .map(|counts| Switch {
                    received: counts.received,
                    sent: counts.sent,
                    aborted: counts.aborted,
                    refused: counts.refused,
                    dropped: counts.dropped,
                    notices: counts.notices,
                    untold: counts.untold,
                })
                .collect(),
            lossy: self.lossy.as_ref().map(|lossy| LossySummary {
                loss: lossy.loss,
                ok: self.lossy_ok(lossy),
                completed: lossy.result.completed,
                file_gbps: file_gbps(&lossy.result),
                throughput_gbps: throughput_gbps(&lossy.result),
                retransmissions: lossy.result.retransmissions,
                latency_cycles: latency_cycles(&lossy.result),
            }),
            seed: self.config.seed,
        }
    }
}

/// Latency of each class.
#[must_use]
pub fn classes(run: &RunResult) -> BTreeMap<Service, LatencyHistogram> {
    let mut found: BTreeMap<Service, LatencyHistogram> = BTreeMap::new();
    for ((kind, _), group) in &run.services {
        found.entry(*kind).or_default().merge(&group.latency);
    }
    found
}

fn latency_cycles(run: &RunResult) -> BTreeMap<&'static str, Cycles> {
    let classes = classes(run).into_iter();
    let classes = classes.map(|(kind, latency)| (key_of(kind), Cycles::of(&latency)));
    classes.collect()
}

fn file_gbps(run: &RunResult) -> f64 {
    gbps(run.file.len() as f64, run.file_cycles)
}

fn throughput_gbps(run: &RunResult) -> f64 {
    gbps(run.total.bytes as f64, run.cycles)
}

/// Rate of `bytes` in `cycles`.
fn gbps(bytes: f64, cycles: u64) -> f64 {
    bytes * 8.0 * CLOCK_HZ / 1e9 / cycles.max(1) as f64
}

/// A cycle in microseconds.
#[must_use]
pub fn microseconds(cycles: u64) -> f64 {
    cycles as f64 / CLOCK_HZ * 1e6
}

fn key_of(service: Service) -> &'static str {
    match service {
        Service::Message => "message",
        Service::Small => "small",
        Service::OnePath => "one_path",
        Service::FourPaths => "four_paths",
        Service::Read => "read",
    }
}

fn stage_key(stage: Stage) -> &'static str {
    match stage {
        Stage::Out => "out",
        Stage::Link => "link",
        Stage::Switch => "switch",
        Stage::In => "in",
        Stage::Whole => "whole",
    }
}

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// Bad input, the simulator cannot be built, or an output cannot be written.
pub fn execute(options: &SimStack, args: &[OsString]) -> Result<u8, Failure> {
    let seed = options.seed.unwrap_or_else(seed::fresh);
    let asked = settle(options, seed)?;
    let (file, name) = file(options, seed)?;
    let style = Style::new(format::colour_wanted(&std::io::stdout()));
    let heading = heading(options, &asked.stack, &file, &name);
    let shown = !options.quiet && !options.json;
    let copy = options.out.as_deref().map(Staged::begin).transpose()?;
    let page = super::begin(
        shown.then(|| style.heading(&heading[0], &heading[1..])),
        options.report.as_deref(),
    )?;
    progress::prepare(
        !options.quiet,
        "RDMA over lossless links".to_owned(),
        |tell| stack::prepare(&asked.stack, tell),
    )?;
    let begun = Instant::now();
    let result = over_links(&asked, &file)?;
    let speed = result.run.cycles as f64 / begun.elapsed().as_secs_f64().max(1e-9);
    let run = with_lossy(options, asked, result, file)?;
    if let Some(page) = page {
        let command = format::command_line(args);
        page.finish_with(report::sim_stack::html(&run, &heading, &command).as_bytes())?;
    }
    if let Some(copy) = copy
        && run.file_identical()
    {
        copy.finish_with(&run.result.run.file)?;
    }
    match print(options, &run, speed, style) {
        Ok(()) | Err(Failure::Closed) => Ok(u8::from(!run.ok())),
        Err(failure) => Err(failure),
    }
}

fn over_links(asked: &StackRun, file: &[u8]) -> Result<StackResult, Failure> {
    stack::run(asked, file, &mut |_| output::stop_if_interrupted()).map_err(Failure::refused)
}

/// A run, and the same over the plain network that is asked for, if one is.
fn with_lossy(
    options: &SimStack,
    asked: StackRun,
    result: StackResult,
    file: Vec<u8>,
) -> Result<Run, Failure> {
    let lossy = options.loss.map(|loss| {
        let loss = match loss {
            PlainLoss::Share(share) => share,
            PlainLoss::OfErrors => damaged(&result, &asked.stack.topology),
        };
        let result = stack::run_lossy(&asked, loss, &file, &mut |_| output::stop_if_interrupted());
        let result = result.map_err(Failure::refused)?;
        Ok::<_, Failure>(Lossy { loss, result })
    });
    Ok(Run {
        lossy: lossy.transpose()?,
        config: asked.stack,
        result,
        file,
    })
}

impl Simulation for SimStack {
    fn check(&self) -> Result<(), Failure> {
        sim_network::made(&self.topology)?;
        settle(self, 0).map(drop)
    }

    fn measure(&self) -> Result<Value, Failure> {
        let seed = self.seed.unwrap_or_else(seed::fresh);
        let asked = settle(self, seed)?;
        stack::prepare(&asked.stack, &mut super::unwatched).map_err(Failure::refused)?;
        let (file, _) = file(self, seed)?;
        let result = over_links(&asked, &file)?;
        super::plain(&with_lossy(self, asked, result, file)?.summary())
    }
}

/// The share of the packets that a link without repair would lose to the same bit errors: of a
/// packet of mean length, on all links of its way.
fn damaged(result: &StackResult, topology: &Topology) -> f64 {
    let links = topology.links().iter().zip(&result.links);
    let errors = links.map(|(link, found)| {
        let words: u64 = found.ends.iter().map(|end| end.words).sum();
        link.ber * (512 * words) as f64
    });
    let sent: u64 = result.ports.iter().map(|port| port.sent).sum();
    1.0 - (-errors.sum::<f64>() / sent.max(1) as f64).exp()
}

fn print(options: &SimStack, run: &Run, speed: f64, style: Style) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "sim stack", &run.summary())?;
    } else if !options.quiet {
        write!(out, "{}", section::text(&sections(run), style))?;
        writeln!(
            out,
            "\nfile {:.2} Gb/s, all {:.2} Gb/s at {:.2} MHz; {} bits flipped, {} replays of links, {} retransmissions of engines; {} cycles/s",
            run.file_gbps(),
            run.throughput_gbps(),
            CLOCK_HZ / 1e6,
            format::thousands(run.bit_errors()),
            format::thousands(run.replays()),
            format::thousands(run.result.run.retransmissions),
            format::per_second(speed),
        )?;
        let verdict = verdict(run);
        writeln!(
            out,
            "{}",
            if run.ok() {
                style.good(&verdict)
            } else {
                style.bad(&verdict)
            }
        )?;
        if let Some(folder) = &options.report {
            writeln!(out, "report: {}", folder.join(report::FILE_NAME).display())?;
        }
    } else if !run.ok() {
        let _ = writeln!(std::io::stderr(), "ropewalk: {}", verdict(run));
    }
    out.flush()?;
    Ok(())
}

/// What the run has shown, in a line.
pub fn verdict(run: &Run) -> String {
    let result = &run.result.run;
    let counts = format!(
        "{} of {} transfers complete",
        format::thousands(result.completed),
        format::thousands(result.transfers)
    );
    if run.ok() {
        return format!(
            "{counts}, the file is identical, all memories are what they should be, at any time"
        );
    }
    let file = if run.file_identical() {
        "the file is identical"
    } else {
        "the file has NOT ARRIVED as it was"
    };
    let end = if result.ended {
        ""
    } else {
        "; then NOTHING ENDED ANY MORE"
    };
    format!(
        "{counts}, {file}, {} ended with an error, {} bytes or states WRONG, {} words written where nothing was to be written{end}",
        format::thousands(result.errors),
        format::thousands(result.mismatches),
        format::thousands(result.stray_writes),
    )
}

/// What happened, in words.
pub fn event(happened: &Happened) -> String {
    match happened.what {
        Event::SessionOpen => "session open".to_owned(),
        Event::SessionEnded => "session ended".to_owned(),
        Event::LaneUp(lane) => format!("lane {lane} up"),
        Event::LaneDown(lane) => format!("lane {lane} down"),
        Event::Cut(lane) => format!("lane {lane} cut"),
        Event::Rejoined(lane) => format!("lane {lane} joined again"),
    }
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Out => "engine to link (node_tx, switch_link_tx)",
        Stage::Link => "link (RIFL and cable)",
        Stage::Switch => "switch",
        Stage::In => "link to engine (switch_link_rx, node_rx)",
        Stage::Whole => "engine to engine",
    }
}

fn row(latency: &LatencyHistogram) -> [String; 6] {
    [
        latency.count(),
        latency.min_cycles(),
        latency.p50_cycles(),
        latency.p99_cycles(),
        latency.p999_cycles(),
        latency.max_cycles(),
    ]
    .map(format::thousands)
}

/// All tables.
pub fn sections(run: &Run) -> Vec<Section> {
    let mut by_class = Table::new([
        "class",
        "transfers",
        "min",
        "median",
        "99 %",
        "99.9 %",
        "max",
    ]);
    for (kind, latency) in classes(&run.result.run) {
        let name = key_of(kind).replace('_', " ");
        by_class.row(std::iter::once(name).chain(row(&latency)));
    }
    let mut stages = Table::new(["part", "packets", "min", "median", "99 %", "99.9 %", "max"]);
    for (stage, latency) in &run.result.stages {
        let name = stage_name(*stage).to_owned();
        stages.row(std::iter::once(name).chain(row(latency)));
    }
    let mut links = Table::new([
        "from",
        "to",
        "words",
        "packets",
        "bits flipped",
        "replays",
        "frames replayed",
        "down, cycles",
        "sessions ended",
    ]);
    for link in &run.result.links {
        for i in 0..2 {
            let end = &link.ends[i];
            links.row(
                [link.names[i].clone(), link.names[1 - i].clone()]
                    .into_iter()
                    .chain(
                        [
                            end.words,
                            end.packets,
                            link.bit_errors[i],
                            end.replays,
                            end.replayed_frames,
                            end.down_cycles,
                            end.sessions_ended,
                        ]
                        .map(format::thousands),
                    ),
            );
        }
    }
    let mut events = Table::new(["us", "link", "seen at", "what"]);
    for happened in run.result.events.iter().take(60) {
        let Some(link) = run.result.links.get(happened.link) else {
            continue;
        };
        let scripted = matches!(happened.what, Event::Cut(_) | Event::Rejoined(_));
        events.row([
            format!("{:.2}", microseconds(happened.at)),
            format!("{} - {}", link.names[0], link.names[1]),
            if scripted {
                "cable".to_owned()
            } else {
                link.names[happened.end & 1].clone()
            },
            event(happened),
        ]);
    }
    let mut all = vec![
        Section::new("Latency in cycles by class", by_class).note(
            "from the descriptor to the end that its user reads; the file is one transfer with four paths"
                .to_owned(),
        ),
        Section::new("Latency in cycles of each part of the way", stages)
            .note("first word of a packet; waiting for its turn included".to_owned()),
        Section::new("Links", links),
        Section::new("Events", events),
    ];
    if let Some(lossy) = &run.lossy {
        all.insert(0, beside(run, lossy));
    }
    if !run.result.switches.is_empty() {
        all.insert(all.len() - 1, switches(run));
    }
    all
}

/// The same users over both networks.
fn beside(run: &Run, lossy: &Lossy) -> Section {
    let both = [&run.result.run, &lossy.result];
    let percent = format!("{:.4}", 100.0 * lossy.loss);
    let percent = percent.trim_end_matches('0').trim_end_matches('.');
    let loss = format!("plain, loss {percent} %");
    let mut table = Table::new(["".to_owned(), "RIFL and credits".to_owned(), loss]);
    let mut row = |name: String, of: &dyn Fn(&RunResult) -> String| {
        table.row([name, of(both[0]), of(both[1])]);
    };
    row("file, Gb/s".to_owned(), &|run| {
        format!("{:.2}", file_gbps(run))
    });
    row("all, Gb/s".to_owned(), &|run| {
        format!("{:.2}", throughput_gbps(run))
    });
    row("retransmissions of engines".to_owned(), &|run| {
        format::thousands(run.retransmissions)
    });
    for kind in classes(both[0]).into_keys() {
        let name = key_of(kind).replace('_', " ");
        let of = |run: &RunResult, share: fn(&LatencyHistogram) -> u64| {
            let classes = classes(run);
            classes
                .get(&kind)
                .map_or_else(String::new, |it| format::thousands(share(it)))
        };
        row(format!("{name}, median cycles"), &|run| {
            of(run, LatencyHistogram::p50_cycles)
        });
        row(format!("{name}, 99.9 %"), &|run| {
            of(run, LatencyHistogram::p999_cycles)
        });
    }
    Section::new("The same users over both networks", table).note(
        "the plain network has the delays of the same paths and loses packets of all kinds, which the engines send again"
            .to_owned(),
    )
}

fn switches(run: &Run) -> Section {
    let mut table = Table::new([
        "switch",
        "packets in",
        "out",
        "ended early",
        "refused",
        "no way",
        "notices",
        "untold",
    ]);
    for (number, counts) in run.result.switches.iter().enumerate() {
        let values = [
            counts.received,
            counts.sent,
            counts.aborted,
            counts.refused,
            counts.dropped,
            counts.notices,
            counts.untold,
        ];
        let name = format!("s{number}");
        table.row(std::iter::once(name).chain(values.map(format::thousands)));
    }
    Section::new("Switches", table)
}
