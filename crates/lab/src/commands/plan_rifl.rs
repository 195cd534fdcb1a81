// SPDX-License-Identifier: Apache-2.0
//! `ropewalk plan rifl`: the design calculator.

use std::ffi::OsString;
use std::io::Write;

use ropewalk_console::failure::Failure;
use ropewalk_console::format::{self, significant, thousands, time};
use ropewalk_console::json;
use ropewalk_console::output::StagedIn;
use ropewalk_console::table::{Style, Table};

use crate::cli::PlanRifl;
use crate::dimension;
use crate::plan::{self, FramePlan, Plan, StrongCode};
use crate::report;

/// Runs the subcommand; `args` is the command line, for the report.
///
/// # Errors
/// No frame width can do what was asked, or an output cannot be written.
pub fn execute(options: &PlanRifl, args: &[OsString]) -> Result<u8, Failure> {
    let (designs, excluded) = plan::designs(options).map_err(Failure::BadInput)?;
    let report = options
        .report
        .as_deref()
        .map(|folder| StagedIn::begin(folder, report::FILE_NAME))
        .transpose()?;
    let plan = plan::plan(options, &designs, excluded);
    if let Some(report) = report {
        let page = report::plan::html(&plan, &designs, &format::command_line(args));
        report.finish_with(page.as_bytes())?;
    }
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "plan rifl", &plan)?;
    } else {
        let style = Style::new(format::colour_wanted(&std::io::stdout()));
        write!(out, "{}", render(&plan, style))?;
        if let Some(folder) = &options.report {
            writeln!(out, "report: {}", folder.join(report::FILE_NAME).display())?;
        }
    }
    out.flush()?;
    Ok(0)
}

/// What is planned, in one line.
pub fn heading(plan: &Plan) -> String {
    format!(
        "RIFL, {} mode, {} lane{} of {} Gb/s, cable {} at {} ns/m, {} ns of circuits, BER {}, clocks {} ppm apart, packets of {}",
        plan.mode,
        plan.lanes,
        if plan.lanes == 1 { "" } else { "s" },
        plan.line_rate_gbps,
        dimension::length(plan.cable_m),
        plan.ns_per_metre,
        plan.circuit_ns,
        format::rate(plan.ber),
        plan.ppm,
        format::bytes(u64::from(plan.packet_bytes)),
    )
}

/// A row of the table: its name and the cell of a frame width; no name: a gap.
type Row = (&'static str, fn(&FramePlan) -> String);

fn share(value: f64) -> String {
    format!("{:.2} %", 100.0 * value)
}

fn ratio(value: f64) -> String {
    format!("{value:.4}")
}

/// A probability that may be anything.
fn probability(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else {
        format!("{value:.2e}")
    }
}

fn gbps(value: f64) -> String {
    if value == 0.0 || value >= 1e-3 {
        significant(value, 4)
    } else {
        format!("{value:.2e}")
    }
}

fn years(value: Option<f64>) -> String {
    match value {
        None => "never".to_owned(),
        Some(years) if (0.01..1e5).contains(&years) => significant(years, 3),
        Some(years) => format!("{years:.2e}"),
    }
}

fn or_dash(value: Option<f64>, text: fn(f64) -> String) -> String {
    value.map_or("-".to_owned(), text)
}

fn strong(frame: &FramePlan, text: fn(&StrongCode) -> String) -> String {
    frame.strong_code.as_ref().map_or("-".to_owned(), text)
}

/// The rows, for the terminal and for the report.
pub const ROWS: [Row; 41] = [
    ("user width, bits", |f| f.user_width.to_string()),
    ("round trip, frames", |f| thousands(f.round_trip_frames)),
    ("id width that it needs", |f| f.needed_id_width.to_string()),
    ("  towards a published core", |f| {
        f.published.peer_id_width.to_string()
    }),
    ("  the published core takes", |f| {
        let short = if f.published.reaches {
            ""
        } else {
            " (too few)"
        };
        format!("{}{short}", f.published.id_width)
    }),
    ("  taken here", |f| f.id_width.to_string()),
    ("longest cable for that", |f| {
        dimension::length(f.reach_m.floor())
    }),
    ("retransmission buffer, bits per lane", |f| {
        thousands(f.retransmission_buffer.bits)
    }),
    ("flow-control buffer, bits per lane", |f| {
        thousands(f.flow_buffer.bits)
    }),
    ("", |_| String::new()),
    ("efficiency, bound of the framing", |f| {
        share(f.efficiency.bound)
    }),
    ("  at the packet size", |f| share(f.efficiency.packet)),
    ("  with clock compensation", |f| {
        share(f.efficiency.compensated)
    }),
    ("frames damaged", |f| probability(f.frame_error_rate)),
    ("goodput left by errors", |f| ratio(f.goodput_ratio)),
    ("  by the published core", |f| {
        or_dash(f.published.goodput_ratio, ratio)
    }),
    ("goodput, Gb/s each way", |f| gbps(f.goodput_gbps)),
    ("", |_| String::new()),
    ("latency, best clock phase", |f| time(f.latency_ns.least)),
    ("  worst clock phase", |f| time(f.latency_ns.most)),
    ("  50 % of frames within", |f| {
        or_dash(f.latency_ns.p50, time)
    }),
    ("  99 %", |f| or_dash(f.latency_ns.p99, time)),
    ("  99.9 %", |f| or_dash(f.latency_ns.p999, time)),
    ("  99.99 %", |f| or_dash(f.latency_ns.p9999, time)),
    ("  after one error, at most", |f| {
        time(f.latency_ns.after_one_error)
    }),
    ("  the published core is late by", |f| {
        or_dash(f.published.late_after_one_error_ns, time)
    }),
    ("", |_| String::new()),
    ("flipped bits that can go unseen", |f| {
        f.undetected.distance.to_string()
    }),
    ("  unseen patterns of two", |f| {
        thousands(f.undetected.two_bit_patterns)
    }),
    ("  unseen patterns of four", |f| {
        thousands(f.undetected.four_bit_patterns)
    }),
    ("frames with an unseen error", |f| {
        probability(f.undetected.per_frame)
    }),
    ("  in the paper's model", |f| {
        probability(f.undetected.paper_per_frame)
    }),
    ("MTBF in years", |_| String::new()),
    ("  mean", |f| years(f.mtbf_years.mean)),
    ("  99 % of links without (eq. 26)", |f| {
        years(f.mtbf_years.survival_99)
    }),
    ("  mean, paper's model", |f| years(f.mtbf_years.paper_mean)),
    ("  99 %, paper's model", |f| {
        years(f.mtbf_years.paper_survival_99)
    }),
    ("with the stronger code", |_| String::new()),
    ("  efficiency, bound of the framing", |f| {
        strong(f, |s| share(s.efficiency_bound))
    }),
    ("  frames with an unseen error", |f| {
        strong(f, |s| probability(s.per_frame))
    }),
    ("  MTBF in years, mean", |f| {
        strong(f, |s| years(s.mtbf_mean_years))
    }),
];

/// What the figures rest on, one sentence each.
pub const NOTES: [&str; 5] = [
    "id width: round trip, both pipelines included (5 frames each way), at most 2^id - 11 in extended mode, 2^id - 32 in compatible \
     mode, 2^(id-1) - 2 towards a published core; both ends must have the same",
    "goodput: both directions loaded, in extended mode with 2^id of 2 x round trip + 20 or more; exp(-lanes x frame errors x frames lost per error); simulations agree to 30 % of \
     the exponent",
    "latency: first beat in to first beat out, saturated; after one error: a packet that \
     began just before its direction stopped",
    "unseen: patterns of up to six flipped bits are counted, beyond that one in 4096 passes, with the stronger code one in 2^27; \
     paper's model: one in 4096 from four flipped bits on",
    "MTBF: time to the first unseen error; equation 26 is 99.5 times less than the mean",
];

/// The tables.
pub fn render(plan: &Plan, style: Style) -> String {
    let mut out = format!("{}\n\n", style.bold(&heading(plan)));
    let widths = plan.frames.iter().map(|f| f.frame_width.to_string());
    let mut table = Table::new(std::iter::once("frame width, bits".to_owned()).chain(widths));
    for (name, cell) in ROWS {
        if name.is_empty() {
            table.gap();
        } else {
            table.row(std::iter::once(name.to_owned()).chain(plan.frames.iter().map(cell)));
        }
    }
    out += &table.render(style);
    for excluded in &plan.excluded {
        out += &format!(
            "frame width {}: {}\n",
            excluded.frame_width, excluded.reason
        );
    }
    out += &format!(
        "\n{}\n",
        style.bold("Other protocols on the same line, no errors")
    );
    let mut table = Table::new(["", "efficiency", "Gb/s"]);
    for other in &plan.others {
        table.row([
            other.name.to_owned(),
            or_dash(other.efficiency, share),
            or_dash(other.goodput_gbps, gbps),
        ]);
    }
    out += &table.render(style);
    out.push('\n');
    for note in NOTES {
        out += &style.dim(&format!("{note}\n"));
    }
    out
}
