// SPDX-License-Identifier: Apache-2.0
//! `ropewalk plan chunk`: the design flow of bulk transfer.

use std::ffi::OsString;
use std::io::Write;

use ropewalk_console::failure::Failure;
use ropewalk_console::format::{self, significant, thousands, time};
use ropewalk_console::json;
use ropewalk_console::output::StagedIn;
use ropewalk_console::table::{Style, Table};

use crate::cli::{Arithmetic, Arrangement, PlanChunk};
use crate::plan_chunk::{self, End, Origin, Plan, Row};
use crate::report;
use crate::section::{self, Section};

/// Runs the subcommand; `args` is the command line, for the report.
///
/// # Errors
/// Sizes that do not fit the format, a stage that cannot be measured, or an output that cannot be
/// written.
pub fn execute(options: &PlanChunk, args: &[OsString]) -> Result<u8, Failure> {
    plan_chunk::params(options).map_err(Failure::BadInput)?;
    let report = options
        .report
        .as_deref()
        .map(|folder| StagedIn::begin(folder, report::FILE_NAME))
        .transpose()?;
    let plan = plan_chunk::plan(options).map_err(Failure::BadInput)?;
    if let Some(report) = report {
        let page = report::plan_chunk::html(&plan, &format::command_line(args));
        report.finish_with(page.as_bytes())?;
    }
    let mut out = std::io::stdout().lock();
    if options.dot {
        for end in &plan.ends {
            write!(out, "{}", end.drawing(plan.pipelines).dot())?;
        }
    } else if options.json {
        json::write(&mut out, "plan chunk", &plan)?;
    } else {
        let style = Style::new(format::colour_wanted(&std::io::stdout()));
        writeln!(out, "{}", style.bold(&heading(&plan)))?;
        write!(out, "{}", section::text(&sections(&plan), style))?;
        if let Some(folder) = &options.report {
            writeln!(out, "report: {}", folder.join(report::FILE_NAME).display())?;
        }
    }
    out.flush()?;
    Ok(0)
}

/// What is planned, in one line.
pub fn heading(plan: &Plan) -> String {
    let arrangement = match plan.arrange {
        Arrangement::Stable => "a pipeline for each",
        Arrangement::LowLatency => "one pipeline over all",
    };
    let lanes = plan.lanes;
    format!(
        "Bulk transfer, {} Gb/s gross over {lanes} lane{}, {arrangement}, loss {}, {} core{} at each end",
        significant(plan.rate_gbps, 4),
        if lanes == 1 { "" } else { "s" },
        percent(plan.loss),
        plan.cores,
        if plan.cores == 1 { "" } else { "s" },
    )
}

fn percent(share: f64) -> String {
    let text = format!("{:.4}", 100.0 * share);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} %")
}

fn or_dash<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or("-".to_owned(), text)
}

/// A rate: few per second with decimals, many without.
fn rate(value: f64) -> String {
    if value < 1e4 {
        format!("{value:.2}")
    } else {
        thousands(value.round() as u64)
    }
}

fn place(row: &Row) -> String {
    let requirement = &row.requirement;
    match (requirement.beyond, requirement.accelerators) {
        (true, Some(1)) => "1 accelerator".to_owned(),
        (true, Some(count)) => format!("{count} accelerators"),
        (true, None) => "beyond the cores".to_owned(),
        (false, _) if requirement.stage == "interface" => "device".to_owned(),
        (false, _) => "cores".to_owned(),
    }
}

fn capability(row: &Row) -> String {
    let from = match row.origin {
        Origin::Measured => "",
        Origin::Given => " (given)",
        Origin::Paper => " (paper)",
        Origin::Line => " (line)",
        Origin::Unknown => "",
    };
    or_dash(row.requirement.capability, |value| {
        format!("{}{from}", rate(value))
    })
}

fn requirements(plan: &Plan) -> Section {
    let mut table = Table::new([
        "stage",
        "takes",
        "required /s",
        "time for one",
        "one can /s",
        "factor",
        "least",
        "per pipeline",
        "in all",
        "where",
    ]);
    for end in &plan.ends {
        if end.name == "receiver" {
            table.gap();
        }
        for row in &end.stages {
            let requirement = &row.requirement;
            let on_cores = Some(requirement).filter(|r| !r.beyond);
            table.row([
                format!("{} {}", end.name, requirement.stage),
                requirement.unit.clone(),
                rate(requirement.per_second),
                or_dash(requirement.item_ns, time),
                capability(row),
                or_dash(requirement.ratio, |ratio| format!("{ratio:.2}")),
                or_dash(requirement.minimum, thousands),
                or_dash(on_cores, |r| thousands(r.per_pipeline)),
                or_dash(on_cores, |r| thousands(r.deployed)),
                place(row),
            ]);
        }
    }
    let counted = match plan.arithmetic {
        Arithmetic::Exact => {
            format!(
                "rates exact: headers are {} of what is sent",
                percent(plan.format.of_gross)
            )
        }
        Arithmetic::Paper => format!(
            "rates as in the paper: {:.2} % taken off the gross rate, chunks per second rounded",
            100.0 * plan.format.of_payload
        ),
    };
    let hand_over = plan.hand_over.map_or(String::new(), |hand_over| {
        format!(
            "; measured on this machine, the runtime included: {} for an item through a stage that does nothing",
            time(hand_over.item_ns)
        )
    });
    let title = "Requirements, capabilities and factors";
    let note = format!(
        "least: factor rounded up; per pipeline: the same for the share of one of {} pipelines, so that they share nothing; {counted}{hand_over}",
        plan.pipelines
    );
    Section::new(title, table).note(note)
}

fn streams(plan: &Plan) -> Section {
    let mut table = Table::new(["stream", "per second"]);
    let streams = &plan.streams;
    for (name, value) in [
        ("chunks", streams.chunks),
        ("sub-packets", streams.sub_packets),
        ("  sent again", streams.resent),
        ("frames", streams.frames),
        ("triggers (begin and end of a chunk)", streams.triggers),
        ("acknowledgements", streams.acks),
    ] {
        table.row([name.to_owned(), rate(value)]);
    }
    Section::new("What flows, all lanes together", table)
}

fn cores(plan: &Plan, end: &End) -> Section {
    let mut table = Table::new(["core", "pipelines", "stages", "used"]);
    for (number, core) in end.mapping.cores.iter().enumerate() {
        let mut names: Vec<(&str, usize)> = Vec::new();
        for duty in &core.duties {
            match names.iter_mut().find(|(name, _)| *name == duty.stage) {
                Some((_, count)) => *count += 1,
                None => names.push((&duty.stage, 1)),
            }
        }
        let names: Vec<String> = names
            .into_iter()
            .map(|(name, count)| match count {
                1 => name.to_owned(),
                count => format!("{count} x {name}"),
            })
            .collect();
        let mut pipelines: Vec<u64> = core.duties.iter().map(|duty| duty.pipeline).collect();
        pipelines.dedup();
        let pipelines: Vec<String> = pipelines.iter().map(u64::to_string).collect();
        table.row([
            number.to_string(),
            pipelines.join(", "),
            names.join(", "),
            format!("{:.1} %", 100.0 * core.utilisation),
        ]);
    }
    let needed = end.mapping.cores.len() as u64;
    let verdict = if needed <= plan.cores {
        format!("{needed} of {} cores", plan.cores)
    } else {
        format!(
            "needs {needed} cores, {} are there: the rate is not reached",
            plan.cores
        )
    };
    let note = format!("{verdict}; a core is used up to {}", percent(plan.limit));
    Section::new(&format!("Cores of the {}", end.name), table).note(note)
}

fn sizes(plan: &Plan) -> Section {
    let format = &plan.format;
    let mut table = Table::new(["", "bytes"]);
    for (name, value) in [
        ("payload of a sub-packet", u64::from(format.payload_bytes)),
        ("frame", format.frame_bytes),
        ("chunk", format.chunk_bytes),
        ("overhead of a chunk", format.overhead_bytes),
    ] {
        table.row([name.to_owned(), thousands(value)]);
    }
    let mut net = Table::new(["payload of a lane", "Gb/s"]);
    for (name, value) in [
        ("planned with", plan.net_gbps.planned),
        ("bytes of frames only", plan.net_gbps.frames),
        ("with preamble and gap", plan.net_gbps.preamble),
        ("and a MAC header of its own", plan.net_gbps.envelope),
    ] {
        net.row([name.to_owned(), format!("{value:.5}")]);
    }
    Section::of("Format", vec![table, net]).note(format!(
        "headers are {} of the payload and {} of what is sent",
        percent(format.of_payload),
        percent(format.of_gross)
    ))
}

fn latency(plan: &Plan) -> Section {
    let head = ["lanes", "stable, ms", "Gb/s", "low latency, ms", "Gb/s"];
    let mut table = Table::new(head);
    for row in &plan.latency {
        table.row([
            row.lanes.to_string(),
            format!("{:.3}", row.stable_ms),
            format!("{:.3}", row.stable_gbps),
            format!("{:.3}", row.low_latency_ms),
            format!("{:.3}", row.low_latency_gbps),
        ]);
    }
    Section::new(
        "A chunk, without loss, the next one after its answer",
        table,
    )
    .note(format!(
        "time of a chunk on one lane of Ethernet over the lanes it has, and {} us of turn-around",
        plan.turn_around_us
    ))
}

fn losses(plan: &Plan) -> Section {
    let mut table = Table::new([
        "loss",
        "asked again",
        "sent again",
        "stable, ms",
        "Gb/s",
        "low latency, ms",
        "Gb/s",
        "nobody waits, Gb/s",
    ]);
    for row in &plan.losses {
        table.row([
            percent(row.loss),
            format!("{:.2}", row.rounds),
            thousands(row.resent.round() as u64),
            format!("{:.3}", row.stable_ms),
            format!("{:.2}", row.stable_gbps),
            format!("{:.3}", row.low_latency_ms),
            format!("{:.2}", row.low_latency_gbps),
            format!("{:.2}", row.ideal_gbps),
        ]);
    }
    Section::new(
        "What losses cost where a chunk is completed before the next one begins",
        table,
    )
    .note("each time that something is missing takes a turn-around; means over chunks".to_owned())
}

fn wraps(plan: &Plan) -> Section {
    let wraps = &plan.wraps;
    let mut table = Table::new(["", "comes again after"]);
    table.row(["chunk, 32 bits", &format!("{:.1} days", wraps.chunk_days)]);
    table.row(["  with 16 bits", &time(1e9 * wraps.chunk_16_bit_s)]);
    table.row(["  with 8 bits", &time(1e9 * wraps.chunk_8_bit_s)]);
    table.row(["frame of a lane, 24 bits", &time(1e9 * wraps.frame_s)]);
    table.gap();
    let years = |years: f64| format!("{} years", significant(years, 3));
    let unseen = or_dash(wraps.unseen_years, years);
    table.row(["a damaged sub-packet passes CRC-32C", &unseen]);
    let weak = or_dash(wraps.unseen_16_bit_s, |s| time(1e9 * s));
    table.row(["  with a check of 16 bits", &weak]);
    Section::new("Numbers and checks", table)
        .note("as if all that is lost were damaged and one in 2^32 passed".to_owned())
}

/// All tables.
pub fn sections(plan: &Plan) -> Vec<Section> {
    let mut all = vec![requirements(plan), streams(plan)];
    all.extend(plan.ends.iter().map(|end| cores(plan, end)));
    all.extend([sizes(plan), latency(plan), losses(plan), wraps(plan)]);
    all
}
