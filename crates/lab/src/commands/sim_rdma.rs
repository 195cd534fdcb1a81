// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim rdma`: two engines of the real RTL, their users, memories, and the network between
//! them.

use std::ffi::OsString;
use std::io::Write;
use std::time::Instant;

use ropewalk_channel::seed;
use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::output::{self, Staged};
use ropewalk_console::table::{Style, Table};
use ropewalk_io::recording::Text;
use ropewalk_sim::LatencyHistogram;
use ropewalk_sim::rdma::{
    self, CLOCK_HZ, Distribution, MemoryConfig, Model, NetworkConfig, PairConfig, RunConfig,
    RunResult, Service, WORD, Workload,
};
use ropewalk_wire::rdma::Class;
use serde::Serialize;
use serde_json::Value;

use super::Simulation;
use crate::cli::{RdmaClass, RdmaSizes, SimRdma};
use crate::progress;
use crate::report;
use crate::section::{self, Section};
use crate::summary::Cycles;

/// Most memory that a run may take on this machine, bytes.
const MEMORY: u64 = 10 << 30;

/// The result: the object that `--json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    core: &'static str,
    transfers: u64,
    completed: u64,
    errors: u64,
    cut: u64,
    memory_identical: bool,
    cycles: u64,
    retransmissions: u64,
    throughput_gbps: f64,
    latency_cycles: Cycles,
}

impl Summary {
    fn new(result: &RunResult) -> Self {
        Self {
            ok: result.ok(),
            core: "rdma",
            transfers: result.transfers,
            completed: result.completed,
            errors: result.errors,
            cut: result.cut,
            memory_identical: result.memory_identical(),
            cycles: result.cycles,
            retransmissions: result.retransmissions,
            throughput_gbps: throughput_gbps(result),
            latency_cycles: Cycles::of(&result.total.latency),
        }
    }
}

/// Payload in each direction that was loaded, at the clock that figures are given for.
pub fn throughput_gbps(result: &RunResult) -> f64 {
    result.bytes_per_cycle() * 8.0 * CLOCK_HZ / 1e9
}

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// Bad input, the simulator cannot be built, or an output cannot be written.
pub fn execute(options: &SimRdma, args: &[OsString]) -> Result<u8, Failure> {
    let seed = options.seed.unwrap_or_else(seed::fresh);
    let config = settle(options, seed)?;
    let style = Style::new(format::colour_wanted(&std::io::stdout()));
    let heading = heading(options, seed);
    let shown = !options.quiet && !options.json;
    let page = super::begin(
        shown.then(|| style.heading(&heading[0], &heading[1..])),
        options.report.as_deref(),
    )?;
    let capture = options.capture.as_deref().map(Staged::begin).transpose()?;
    progress::prepare(
        !options.quiet,
        format!("RDMA, {} pages", options.pages),
        |tell| config.pair.model.prepare(tell),
    )?;
    let begun = Instant::now();
    let result =
        rdma::run(&config, &mut |_| output::stop_if_interrupted()).map_err(Failure::refused)?;
    let speed = result.cycles as f64 / begun.elapsed().as_secs_f64().max(1e-9);
    if let Some(page) = page {
        let command = format::command_line(args);
        page.finish_with(report::sim_rdma::html(&result, &heading, &command).as_bytes())?;
    }
    if let Some(capture) = capture {
        capture.finish_with(recorded(&heading, &result).as_bytes())?;
    }
    match print(options, &result, speed, style) {
        Ok(()) | Err(Failure::Closed) => Ok(u8::from(!result.ok())),
        Err(failure) => Err(failure),
    }
}

impl Simulation for SimRdma {
    fn check(&self) -> Result<(), Failure> {
        settle(self, 0).map(drop)
    }

    fn measure(&self) -> Result<Value, Failure> {
        let config = settle(self, self.seed.unwrap_or_else(seed::fresh))?;
        let prepared = config.pair.model.prepare(&mut super::unwatched);
        prepared.map_err(Failure::refused)?;
        let result = rdma::run(&config, &mut |_| output::stop_if_interrupted());
        super::plain(&Summary::new(&result.map_err(Failure::refused)?))
    }
}

/// Words that each node has taken, as text: line n has word n of each, whenever it came, since a
/// pause within a packet would be one.
fn recorded(heading: &[String], result: &RunResult) -> Text {
    let what = "words of the network in the order in which each node has taken them";
    let mut text = Text::new(&format!("{}; {what}", heading.join(", ")));
    let length = result.words.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..length {
        let word = |words: &'_ Vec<[u8; WORD]>| words.get(line).copied().unwrap_or([0; WORD]);
        let words: Vec<[u8; WORD]> = result.words.iter().map(word).collect();
        text.wide(words.iter().map(|word| &word[..]));
    }
    text
}

fn settle(options: &SimRdma, seed: u64) -> Result<RunConfig, Failure> {
    let workload = Workload {
        transfers: options.transfers,
        sizes: (options.size.min, options.size.max),
        distribution: match options.sizes {
            RdmaSizes::Log => Distribution::Logarithmic,
            RdmaSizes::Uniform => Distribution::Uniform,
            RdmaSizes::Elephants => Distribution::Elephants,
        },
        priorities: options.priorities,
        reads: options.reads,
        inline: options.inline,
        notify: options.notify,
        class: match options.class {
            RdmaClass::Any => None,
            RdmaClass::Small => Some(Class::Small),
            RdmaClass::OnePath => Some(Class::OnePath),
            RdmaClass::FourPaths => Some(Class::FourPaths),
        },
        outstanding: options.outstanding,
        one_way: options.one_way,
        local: options.local,
    };
    let most = rdma::channels(options.pages);
    if options.outstanding > most {
        return Err(Failure::BadInput(format!(
            "--outstanding {} with --pages {}; accepted: 1 to {most}, or more pages",
            options.outstanding, options.pages
        )));
    }
    let needed = rdma::memory_needed(&workload);
    if needed > MEMORY {
        return Err(Failure::BadInput(format!(
            "--size up to {} with --outstanding {} takes {} of memory; accepted: up to {}, so a smaller size or fewer at a time",
            format::bytes(options.size.max.into()),
            options.outstanding,
            format::bytes(needed),
            format::bytes(MEMORY),
        )));
    }
    let stall = options.stall / 100.0;
    Ok(RunConfig {
        pair: PairConfig {
            model: Model {
                pages: options.pages,
                packed: options.packed,
                ..Model::default()
            },
            memory: MemoryConfig {
                stall,
                ..MemoryConfig::default()
            },
            network: NetworkConfig {
                delay: options.delay,
                paths: options.paths,
                drop: options.loss,
                duplicate: options.dup,
                reorder: options.reorder,
                late: options.late,
                late_by: 0,
                damage: options.damage,
                spare: options.spare,
                stall,
                ..NetworkConfig::default()
            },
            seed,
        },
        workload,
        timeout: options.timeout,
        read_timeout: None,
        retries: options.retries,
        resets: options.resets,
        keep_words: options.capture.is_some(),
    })
}

/// What is run: in short, and the rest.
fn heading(options: &SimRdma, seed: u64) -> [String; 2] {
    let (min, max) = (options.size.min.into(), options.size.max.into());
    let sizes = if min == max {
        format::bytes(min)
    } else {
        format!("{} to {}", format::bytes(min), format::bytes(max))
    };
    let title = format!(
        "RDMA, {} transfers of {sizes}, {} of a node at a time",
        format::thousands(options.transfers),
        options.outstanding
    );
    let percent = |share: f64| format!("{} %", (share * 1e6).round() / 1e4);
    let mut more = vec![format!("{} reads", percent(options.reads))];
    for (share, what) in [
        (options.loss, "lost"),
        (options.dup, "doubled"),
        (options.reorder, "overtaken"),
        (options.late, "late"),
        (options.damage, "damaged"),
    ] {
        if share > 0.0 {
            more.push(format!("{} of the packets {what}", percent(share)));
        }
    }
    if options.local > 0.0 {
        more.push(format!("{} within a node", percent(options.local)));
    }
    if options.resets > 0 {
        more.push(format!("{} resets", options.resets));
    }
    if options.pages != 2 {
        more.push(format!("{} pages", options.pages));
    }
    if options.packed {
        more.push("packed framing".to_owned());
    }
    if options.paths > 1 {
        more.push(format!("{} paths", options.paths));
    }
    if options.stall > 0.0 {
        more.push(format!("pauses {} % of the time", options.stall));
    }
    more.push(format!("{} cycles from node to node", options.delay));
    more.push(format!("seed {seed}"));
    [title, more.join(", ")]
}

fn print(options: &SimRdma, result: &RunResult, speed: f64, style: Style) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "sim rdma", &Summary::new(result))?;
    } else if !options.quiet {
        write!(out, "{}", section::text(&sections(result), style))?;
        let network = &result.network;
        writeln!(
            out,
            "\n{:.2} Gb/s each way at {:.0} MHz, {} cycles, time-out {} cycles, {} sent again, {} cycles/s\nnetwork: {} packets, {} lost, \
             {} doubled, {} overtaken, {} late, {} damaged",
            throughput_gbps(result),
            CLOCK_HZ / 1e6,
            format::thousands(result.cycles),
            format::thousands(result.timeout.into()),
            format::thousands(result.retransmissions),
            format::per_second(speed),
            format::thousands(network.sent),
            format::thousands(network.dropped),
            format::thousands(network.doubled),
            format::thousands(network.held),
            format::thousands(network.late),
            format::thousands(network.damaged),
        )?;
        let verdict = verdict(result);
        writeln!(
            out,
            "{}",
            if result.ok() {
                style.good(&verdict)
            } else {
                style.bad(&verdict)
            }
        )?;
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
pub fn verdict(result: &RunResult) -> String {
    let mut counts = format!(
        "{} of {} transfers complete",
        format::thousands(result.completed),
        format::thousands(result.transfers)
    );
    if result.resets > 0 {
        counts += &format!(
            ", {} cut short by {} resets",
            format::thousands(result.cut),
            result.resets
        );
    }
    if result.ok() {
        return format!("{counts}, both memories identical to what they should be, at any time");
    }
    let end = if result.ended {
        ""
    } else {
        "; then NOTHING ENDED ANY MORE"
    };
    format!(
        "{counts}, {} ended with an error, {} bytes or states WRONG, {} words written where nothing was to be written, {} faults{end}",
        format::thousands(result.errors),
        format::thousands(result.mismatches),
        format::thousands(result.stray_writes),
        format::thousands(result.faults),
    )
}

/// Name of a row.
pub fn service(service: Service) -> &'static str {
    match service {
        Service::Message => "message",
        Service::Small => "small",
        Service::OnePath => "one path",
        Service::FourPaths => "four paths",
        Service::Read => "read",
    }
}

fn cycles(latency: &LatencyHistogram) -> [String; 4] {
    [
        latency.min_cycles(),
        latency.p50_cycles(),
        latency.p99_cycles(),
        latency.max_cycles(),
    ]
    .map(format::thousands)
}

/// Payload of one transfer over its median latency.
pub fn transfer_gbps(group: &rdma::Group) -> f64 {
    let bytes = group.bytes as f64 / group.latency.count().max(1) as f64;
    bytes * 8.0 * CLOCK_HZ / 1e9 / group.latency.p50_cycles().max(1) as f64
}

/// All tables.
pub fn sections(result: &RunResult) -> Vec<Section> {
    let mut services = Table::new([
        "class",
        "priority",
        "transfers",
        "min",
        "median",
        "99 %",
        "max",
    ]);
    for ((kind, priority), group) in &result.services {
        let [min, p50, p99, max] = cycles(&group.latency);
        services.row([
            service(*kind).to_owned(),
            match kind {
                Service::OnePath | Service::FourPaths => priority.to_string(),
                _ => "-".to_owned(),
            },
            format::thousands(group.latency.count()),
            min,
            p50,
            p99,
            max,
        ]);
    }
    let mut sizes = Table::new([
        "bytes from",
        "transfers",
        "min",
        "median",
        "99 %",
        "max",
        "Gb/s of one",
    ]);
    for (bucket, group) in &result.sizes {
        let [min, p50, p99, max] = cycles(&group.latency);
        sizes.row([
            format::thousands(1 << bucket),
            format::thousands(group.latency.count()),
            min,
            p50,
            p99,
            max,
            format!("{:.2}", transfer_gbps(group)),
        ]);
    }
    vec![
        Section::new("Latency in cycles by class and priority", services).note(
            "from the descriptor to the end that its user reads; transfers share line and memory with all others under way"
                .to_owned(),
        ),
        Section::new("Latency in cycles and throughput by size", sizes)
            .note("Gb/s of one: mean size over median latency".to_owned()),
    ]
}
