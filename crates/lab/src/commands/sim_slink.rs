// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim slink`: two chips with memories, and the real RTL between them.

use std::ffi::OsString;
use std::io::Write;
use std::time::Instant;

use ropewalk_channel::seed;
use ropewalk_channel::seed::Seeds;
use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::output::{self, Staged};
use ropewalk_console::table::{Style, Table};
use ropewalk_io::recording::Text;
use ropewalk_sim::slink::{
    self, Ask, Change, Coding, EndReset, LineCut, Model, RunConfig, RunResult, coding_name,
};
use ropewalk_wire::slink::regs;
use serde::Serialize;
use serde_json::Value;

use super::Simulation;
use crate::cli::{SimSlink, SlinkMode};
use crate::progress;
use crate::report;
use crate::units::{CutPattern, LinkTime};

/// To the first and to the last word, in ns.
#[derive(Debug, Serialize)]
pub struct Latency {
    /// Median to the first one.
    pub first: Option<f64>,
    /// Median to the last one.
    pub last: Option<f64>,
}

/// A change of the line's mode.
#[derive(Debug, Serialize)]
pub struct Switch {
    /// `a` or `b`.
    pub end: &'static str,
    /// What it asked for.
    pub mode: String,
    /// When.
    pub start_us: f64,
    /// Until it read that the change was over.
    pub took_us: f64,
    /// As in the register `line`; none: the end was reset meanwhile.
    pub result: regs::Change,
}

/// The result: the object that `--json` prints.
#[derive(Debug, Serialize)]
pub struct Summary {
    ok: bool,
    core: &'static str,
    mode: &'static str,
    coding: &'static str,
    operations: u64,
    errors: u64,
    /// None: several operations may be under way, of which the registers do not tell it.
    retries: Option<u64>,
    /// Of an end, that may be under way at a time.
    outstanding: u8,
    /// Both ends start operations.
    both: bool,
    /// Data over the time in which packets were sent.
    pub bandwidth_gbps: f64,
    /// Of the rate after line coding.
    pub efficiency: f64,
    /// Data of all operations over the time from the first start to the last word in a memory;
    /// none: operations come one after the other.
    pub through_gbps: Option<f64>,
    /// Of the operations that ended well at once.
    pub latency_ns: Latency,
    /// Operations that were refused for their lanes, and started again.
    pub restarted: u64,
    /// Of ends.
    pub resets: u64,
    /// Changes of the line's mode.
    pub switches: Vec<Switch>,
    /// Cuts, resets and changes that come behind the end of the run.
    pub not_reached: usize,
}

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// Bad input, the simulator cannot be built, or an output cannot be written.
pub fn execute(options: &SimSlink, args: &[OsString]) -> Result<u8, Failure> {
    let seed = options.seed.unwrap_or_else(seed::fresh);
    let config = settle(options, seed);
    let style = Style::new(format::colour_wanted(&std::io::stdout()));
    let (title, more) = heading(options, seed);
    let shown = !options.quiet && !options.json;
    let page = super::begin(
        shown.then(|| style.heading(&title, &more)),
        options.report.as_deref(),
    )?;
    let capture = options.capture.as_deref().map(Staged::begin).transpose()?;
    progress::prepare(!options.quiet, "SLink".to_owned(), |tell| {
        config.model.prepare(tell)
    })?;
    let begun = Instant::now();
    let result =
        slink::run(&config, &mut |_| output::stop_if_interrupted()).map_err(Failure::refused)?;
    let speed = result.cycles as f64 / begun.elapsed().as_secs_f64().max(1e-9);
    let summary = summarise(&config, &result);
    if let Some(page) = page {
        let facts: Vec<String> = [title].into_iter().chain(more).collect();
        let command = format::command_line(args);
        let html = report::sim_slink::html(&config, &result, &summary, &facts, &command);
        page.finish_with(html.as_bytes())?;
    }
    if let Some(capture) = capture {
        capture.finish_with(recorded(options, &config, &result).as_bytes())?;
    }
    match print(options, &config, &result, &summary, speed, style) {
        Ok(()) | Err(Failure::Closed) => Ok(u8::from(!summary.ok)),
        Err(failure) => Err(failure),
    }
}

impl Simulation for SimSlink {
    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn measure(&self) -> Result<Value, Failure> {
        let config = settle(self, self.seed.unwrap_or_else(seed::fresh));
        let prepared = config.model.prepare(&mut super::unwatched);
        prepared.map_err(Failure::refused)?;
        let result = slink::run(&config, &mut |_| output::stop_if_interrupted());
        super::plain(&summarise(&config, &result.map_err(Failure::refused)?))
    }
}

fn settle(options: &SimSlink, seed: u64) -> RunConfig {
    let mut config = RunConfig {
        model: Model {
            bus_bits: options.bus,
            ..Model::default()
        },
        read: options.mode == SlinkMode::Read,
        crc: options.crc,
        lanes: options.lanes,
        rate: options.rate.rate(),
        coding: if options.blocks {
            Coding::Code64b66b
        } else {
            Coding::Code8b10b
        },
        words: options.size / 8,
        operations: options.ops,
        outstanding: options.outstanding,
        both: options.both,
        delay: options.delay,
        skew: options.skew,
        ber: options.ber,
        ppm: options.ppm,
        stall: options.stall / 100.0,
        seed,
        keep_words: options.capture.is_some(),
        ..RunConfig::default()
    };
    let cycle = config.mode().cycle_fs();
    let fs = |time: LinkTime| match time {
        LinkTime::Cycles(cycles) => cycles.saturating_mul(cycle),
        LinkTime::Ns(ns) => (ns * 1e6) as u64,
    };
    let kind = |pattern| match pattern {
        CutPattern::Plain(kind) => kind,
        frame @ CutPattern::Frame => frame.kind(64),
    };
    let cuts = options.cut.iter().map(|cut| LineCut {
        direction: cut.direction,
        lane: cut.lane.map(usize::from),
        start_fs: fs(cut.start),
        length_fs: fs(cut.length),
        kind: kind(cut.pattern),
    });
    config.cuts = cuts.collect();
    let mut seeds = Seeds::new(seed);
    for reset in &options.reset {
        let [first, last] = reset.start.map(fs);
        let start_fs = first + seeds.next_seed() % (last.saturating_sub(first) + 1);
        let ends = [0, 1].into_iter().filter(|end| reset.ends[*end]);
        config.resets.extend(ends.map(|end| EndReset {
            end,
            start_fs,
            length_fs: fs(reset.length),
        }));
    }
    let switches = options.switch.iter().map(|switch| Ask {
        end: switch.end,
        start_fs: fs(switch.start),
        mode: switch.mode,
    });
    config.switches = switches.collect();
    config
}

/// What B received, for `decode slink`.
fn recorded(options: &SimSlink, config: &RunConfig, result: &RunResult) -> Text {
    let (title, more) = heading(options, config.seed);
    let bits = config.mode().word_bits();
    let comment = format!(
        "from A to B as it arrived: {title}, {}; a word of {bits} bits of each lane, bit 0 first on the line",
        more.join(", ")
    );
    let mut text = Text::new(&comment);
    for words in &result.words {
        text.cycle(words.iter().map(|&word| word.into()), bits);
    }
    text
}

fn mode(config: &RunConfig) -> &'static str {
    if config.read { "read" } else { "write" }
}

/// What is run: in short, and the rest.
fn heading(options: &SimSlink, seed: u64) -> (String, Vec<String>) {
    let lanes = format::lanes(options.lanes.count() as u8);
    let title = format!(
        "SLink, {} {} of {} bytes, {lanes} of {} Gb/s, {}",
        format::thousands(options.ops),
        match (options.mode, options.ops) {
            (SlinkMode::Read, 1) => "read",
            (SlinkMode::Read, _) => "reads",
            (SlinkMode::Write, 1) => "write",
            (SlinkMode::Write, _) => "writes",
        },
        format::thousands(options.size.into()),
        options.rate.rate().gbps(),
        if options.crc { "CRC" } else { "no CRC" }
    );
    let mut more = Vec::new();
    if options.blocks {
        more.push("64b/66b".to_owned());
    }
    if options.bus != 64 {
        more.push(format!("memories of {} bits", options.bus));
    }
    if options.ppm != 0.0 {
        more.push(format!("B's clock {} ppm faster", options.ppm));
    }
    if options.stall > 0.0 {
        more.push(format!("memories pause {} % of the time", options.stall));
    }
    for (count, one, many) in [
        (options.switch.len(), "change of mode", "changes of mode"),
        (options.cut.len(), "cut", "cuts"),
        (options.reset.len(), "reset", "resets"),
    ] {
        if count > 0 {
            more.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    }
    if options.ber > 0.0 {
        more.push(format!("BER {}", format::rate(options.ber)));
    }
    if options.outstanding > 1 {
        more.push(format!("up to {} at a time", options.outstanding));
    }
    if options.both {
        more.push("both ends".to_owned());
    }
    if options.skew > 0 {
        more.push(format!("skew up to {} bits", options.skew));
    }
    more.push(format!("seed {seed}"));
    (title, more)
}

fn summarise(config: &RunConfig, result: &RunResult) -> Summary {
    let one_by_one = result.span_fs.is_none();
    let latency = result.median_latency().filter(|_| one_by_one);
    let ns = |fs: u64| fs as f64 * 1e-6;
    Summary {
        ok: result.ok(),
        core: "slink",
        mode: mode(config),
        coding: coding_name(config.coding),
        operations: result.operations,
        errors: result.reported,
        retries: one_by_one.then_some(result.retries),
        outstanding: config.outstanding,
        both: config.both,
        bandwidth_gbps: result.bandwidth_gbps(),
        efficiency: result.efficiency(),
        through_gbps: result
            .span_fs
            .map(|span| 8.0 * result.bytes as f64 / ns(span.max(1))),
        latency_ns: Latency {
            first: latency.map(|l| ns(l.0)),
            last: latency.map(|l| ns(l.1)),
        },
        restarted: result.restarted,
        resets: result.resets,
        switches: result.switched.iter().map(switch).collect(),
        not_reached: result.not_reached,
    }
}

fn switch(switched: &slink::Switched) -> Switch {
    let us = |fs: u64| fs as f64 * 1e-9;
    Switch {
        end: ["a", "b"][switched.end],
        mode: switched.wanted.to_string(),
        start_us: us(switched.begun_fs),
        took_us: us(switched.ended_fs - switched.begun_fs),
        result: switched.result,
    }
}

/// What happened to the line and to the ends; none: nothing did.
pub fn happened(result: &RunResult, summary: &Summary) -> Option<Table> {
    let quiet = result.switched.is_empty() && result.resets == 0 && result.restarted == 0;
    if quiet && result.cut == 0 && result.not_reached == 0 {
        return None;
    }
    let mut table = Table::new(["cuts", "resets", "not reached", "started again for lanes"]);
    table.row([
        result.cut.to_string(),
        result.resets.to_string(),
        summary.not_reached.to_string(),
        format::thousands(result.restarted),
    ]);
    Some(table)
}

/// Changes of the line's mode; none: there were none.
pub fn changes(summary: &Summary) -> Option<Table> {
    let mut table = Table::new(["change to", "asked by", "at", "took", "result"]);
    for switch in &summary.switches {
        table.row([
            switch.mode.clone(),
            switch.end.to_owned(),
            format::time(switch.start_us * 1e3),
            format::time(switch.took_us * 1e3),
            match switch.result {
                Change::None => "cut by a reset".to_owned(),
                result => result.name().replace('_', " "),
            },
        ]);
    }
    (!summary.switches.is_empty()).then_some(table)
}

fn print(
    options: &SimSlink,
    config: &RunConfig,
    result: &RunResult,
    summary: &Summary,
    speed: f64,
    style: Style,
) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "sim slink", summary)?;
    } else if !options.quiet {
        write!(out, "{}", text(config, result, summary, speed, style))?;
        if let Some(folder) = &options.report {
            writeln!(out, "report: {}", folder.join(report::FILE_NAME).display())?;
        }
        if let Some(file) = &options.capture {
            writeln!(out, "words of the lanes: {}", file.display())?;
        }
    } else if !summary.ok {
        let _ = writeln!(std::io::stderr(), "ropewalk: {}", verdict(result));
    }
    out.flush()?;
    Ok(())
}

/// What the run has shown, in a line.
pub fn verdict(result: &RunResult) -> String {
    let counts = format!(
        "{} of {} operations done",
        format::thousands(result.done),
        format::thousands(result.operations)
    );
    if result.up_fs.is_none() {
        return "the link did NOT come up".to_owned();
    }
    if result.stuck {
        return format!("{counts}, the next one does NOT end");
    }
    if !result.ok() {
        return format!(
            "{counts}, {} told to have failed; {} WRONG and not told, {} words written twice, {} written elsewhere",
            result.reported, result.wrong, result.twice, result.outside
        );
    }
    if result.reported > 0 {
        return format!(
            "{counts}, {} told to have failed; nothing was written twice or elsewhere",
            result.reported
        );
    }
    format!("{counts}, every byte of both memories as it should be")
}

/// How the operations ended.
pub fn operations(result: &RunResult) -> Table {
    let mut table = Table::new([
        "operations",
        "done",
        "failed and told",
        "sent again",
        "bits flipped",
    ]);
    table.row([
        format::thousands(result.operations),
        format::thousands(result.done),
        format::thousands(result.reported),
        if result.span_fs.is_none() {
            format::thousands(result.retries)
        } else {
            "-".to_owned()
        },
        format::thousands(result.bit_errors),
    ]);
    table
}

fn text(
    config: &RunConfig,
    result: &RunResult,
    summary: &Summary,
    speed: f64,
    style: Style,
) -> String {
    let time = |ns: Option<f64>| ns.map_or("-".to_owned(), format::time);
    let verdict = verdict(result);
    let verdict = if summary.ok {
        style.good(&verdict)
    } else {
        style.bad(&verdict)
    };
    let through = match summary.through_gbps {
        Some(gbps) => format!(
            "{} Gb/s from the first start to the last word in a memory",
            format::significant(gbps, 4)
        ),
        None => format!(
            "latency {} to the first word, {} to the last (median)",
            time(summary.latency_ns.first),
            time(summary.latency_ns.last),
        ),
    };
    let tables = [happened(result, summary), changes(summary)];
    let tables = tables
        .map(|table| table.map_or_else(String::new, |table| format!("{}\n", table.render(style))));
    format!(
        "{}\n{}bandwidth {} Gb/s while packets are sent, {:.2} % of the rate after line coding\n{through}\nlink up after {}, {} cycles of {} ns in all, {} cycles/s\n{verdict}\n",
        operations(result).render(style),
        tables.concat(),
        format::significant(summary.bandwidth_gbps, 4),
        summary.efficiency * 100.0,
        time(result.up_fs.map(|fs| fs as f64 * 1e-6)),
        format::thousands(result.cycles),
        config.mode().cycle_ns(),
        format::per_second(speed),
    )
}
