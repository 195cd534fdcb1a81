// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim stack`: RDMA engines over RIFL links, all of it the real RTL.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::time::Instant;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_channel::seed;
use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::output::{self, Staged};
use ropewalk_console::table::{Style, Table};
use ropewalk_sim::rdma::{Distribution, Service, Workload};
use ropewalk_sim::stack::{
    self, CLOCK_HZ, Event, Happened, StackConfig, StackResult, Stage, Topology,
};
use ropewalk_sim::{Cut, CutKind, LatencyHistogram};
use serde::Serialize;

use crate::cli::SimStack;
use crate::progress;
use crate::report;
use crate::section::{self, Section};
use crate::source::read_file;

/// Line rate of a lane, bit/s.
const LINE_RATE: f64 = 28e9;
/// Bytes of the file that is drawn if none is given.
const DRAWN: usize = 1 << 20;
/// Delay of a cable, ns per metre.
const NS_PER_METRE: f64 = 5.0;

/// A run: what was asked for, and what has become of it.
pub struct Run {
    /// What was run.
    pub config: StackConfig,
    /// What has become of it.
    pub result: StackResult,
    /// The file.
    pub file: Vec<u8>,
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

/// The result: the object that `--json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    core: &'static str,
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
    seed: u64,
}

impl Run {
    /// Everything arrived.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.result.ok(&self.file)
    }

    /// The file is what it was.
    #[must_use]
    pub fn file_identical(&self) -> bool {
        self.result.run.file == self.file
    }

    /// Rate of the file.
    #[must_use]
    pub fn file_gbps(&self) -> f64 {
        gbps(self.file.len() as f64, self.result.run.file_cycles)
    }

    /// Payload of all nodes together.
    #[must_use]
    pub fn throughput_gbps(&self) -> f64 {
        gbps(self.result.run.total.bytes as f64, self.result.run.cycles)
    }

    /// Latency of each class.
    #[must_use]
    pub fn classes(&self) -> Vec<(Service, LatencyHistogram)> {
        let mut found: BTreeMap<Service, LatencyHistogram> = BTreeMap::new();
        for ((kind, _), group) in &self.result.run.services {
            found.entry(*kind).or_default().merge(&group.latency);
        }
        found.into_iter().collect()
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
            nodes: self.config.topology.nodes,
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
            latency_cycles: (self.classes().iter())
                .map(|(kind, latency)| (key_of(*kind), Cycles::of(latency)))
                .collect(),
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
            seed: self.config.seed,
        }
    }
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
    let config = settle(options, seed)?;
    let (file, name) = file(options, seed)?;
    let style = Style::new(format::colour_wanted(&std::io::stdout()));
    let heading = heading(options, &file, &name, seed);
    let shown = !options.quiet && !options.json;
    let copy = options.out.as_deref().map(Staged::begin).transpose()?;
    let page = super::begin(
        shown.then(|| style.heading(&heading[0], &heading[1..])),
        options.report.as_deref(),
    )?;
    progress::prepare(!options.quiet, "RDMA over RIFL".to_owned(), |tell| {
        stack::prepare(&config, tell)
    })?;
    let begun = Instant::now();
    let result = stack::run(&config, &file, &mut |_| output::stop_if_interrupted())
        .map_err(Failure::refused)?;
    let speed = result.run.cycles as f64 / begun.elapsed().as_secs_f64().max(1e-9);
    let run = Run {
        config,
        result,
        file,
    };
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

/// The file and its name.
fn file(options: &SimStack, seed: u64) -> Result<(Vec<u8>, String), Failure> {
    let Some(path) = &options.file else {
        let mut bytes = vec![0; DRAWN];
        Xoshiro256PlusPlus::seed_from_u64(seed ^ 0xf11e).fill_bytes(&mut bytes);
        return Ok((bytes, "a file that is drawn".to_owned()));
    };
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok((read_file(path)?, name.to_string_lossy().into_owned()))
}

fn settle(options: &SimStack, seed: u64) -> Result<StackConfig, Failure> {
    if options.outstanding > 128 {
        return Err(Failure::BadInput(format!(
            "--outstanding {}; accepted: 1 to 128",
            options.outstanding
        )));
    }
    let mut topology = Topology::point_to_point();
    let word_ns = 64e9 / LINE_RATE;
    for link in &mut topology.links {
        let faults = &mut link.faults;
        faults.ber = options.ber;
        faults.delay_bits = (options.cable * NS_PER_METRE * LINE_RATE / 1e9).round() as u64;
        let mut cuts: Vec<_> = (options.cut.iter())
            .map(|cut| {
                let words = |ns: f64| (ns / word_ns).round() as u64;
                let cut_of = Cut {
                    start_word: words(cut.start_ns),
                    words: words(cut.length_ns).max(1),
                    kind: CutKind::Noise,
                };
                (usize::from(cut.lane), cut_of)
            })
            .collect();
        cuts.sort_by_key(|(_, cut)| cut.start_word);
        faults.cuts = cuts;
    }
    topology.validate().map_err(Failure::refused)?;
    Ok(StackConfig {
        topology,
        workload: Workload {
            transfers: options.transfers,
            sizes: (options.size.min, options.size.max),
            distribution: Distribution::Logarithmic,
            priorities: 4,
            reads: options.reads,
            inline: true,
            notify: 0.2,
            class: None,
            outstanding: options.outstanding,
            one_way: false,
            local: 0.0,
        },
        pages: 2,
        timeout: options.timeout,
        seed,
    })
}

/// What is run: in short, and the rest.
fn heading(options: &SimStack, file: &[u8], name: &str, seed: u64) -> [String; 2] {
    let title = format!(
        "Two nodes over four lanes: {name}, {}, beside {} transfers",
        format::bytes(file.len() as u64),
        format::thousands(options.transfers)
    );
    let mut more = vec![format!("{} m of cable", options.cable)];
    if options.ber > 0.0 {
        more.push(format!("BER {:e}", options.ber));
    }
    for cut in &options.cut {
        more.push(format!(
            "lane {} cut at {} us for {} us",
            cut.lane,
            cut.start_ns / 1e3,
            cut.length_ns / 1e3
        ));
    }
    more.push(format!("seed {seed}"));
    [title, more.join(", ")]
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
    let mut classes = Table::new([
        "class",
        "transfers",
        "min",
        "median",
        "99 %",
        "99.9 %",
        "max",
    ]);
    for (kind, latency) in run.classes() {
        let name = key_of(kind).replace('_', " ");
        classes.row(std::iter::once(name).chain(row(&latency)));
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
    vec![
        Section::new("Latency in cycles by class", classes).note(
            "from the descriptor to the end that its user reads; the file is one transfer with four paths"
                .to_owned(),
        ),
        Section::new("Latency in cycles of each part of the way", stages)
            .note("first word of a packet; waiting for its turn included".to_owned()),
        Section::new("Links", links),
        Section::new("Events", events),
    ]
}
