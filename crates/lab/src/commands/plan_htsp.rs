// SPDX-License-Identifier: Apache-2.0
//! `ropewalk plan htsp`: how many links, which bursts, how much memory.

use std::io::Write;

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::table::{Style, Table};

use crate::cli::PlanHtsp;
use crate::plan_htsp::{self, Detector, Plan};

/// What has to be known about [`detectors`].
pub(super) const DETECTORS_NOTE: &str =
    "frames of one burst; the paper's links by its formula, 3 or 4 words of overhead a burst";

/// Runs the subcommand.
///
/// # Errors
/// No buffer covers the round trip.
pub fn execute(options: &PlanHtsp) -> Result<u8, Failure> {
    let plan = plan_htsp::plan(options).map_err(Failure::BadInput)?;
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "plan htsp", &plan)?;
    } else {
        let style = Style::new(format::colour_wanted(&std::io::stdout()));
        write!(out, "{}", render(&plan, style))?;
    }
    out.flush()?;
    Ok(0)
}

fn bursts(plan: &Plan) -> Table {
    let mut table = Table::new([
        "burst",
        "Gb/s of a link",
        "headroom",
        "RxDepth",
        "buffers of a link",
        "first word",
        "behind the others",
        "",
    ]);
    for (place, burst) in plan.bursts.iter().enumerate() {
        table.row([
            format!("{} B", format::thousands(burst.burst_bytes.into())),
            format!("{:.2}", burst.link_gbps),
            format!("{} words", format::thousands(burst.headroom_words)),
            format!("{} words", format::thousands(burst.rx_depth_words)),
            format!("{} KiB", format::thousands(burst.buffer_bytes / 1024)),
            format::time(burst.latency_ns),
            format::time(burst.latency_ns + burst.wait_ns),
            if place == plan.chosen { "planned" } else { "" }.to_owned(),
        ]);
    }
    table
}

/// The detectors of the paper's table 1.
pub(super) fn detectors(detectors: &[Detector]) -> Table {
    let mut table = Table::new(["detector of the paper", "Gb/s", "links", "links, paper"]);
    for detector in detectors {
        table.row([
            detector.name.to_owned(),
            format!("{:.1}", detector.bandwidth_gbps),
            detector.links.to_string(),
            detector.links_paper.to_string(),
        ]);
    }
    table
}

fn render(plan: &Plan, style: Style) -> String {
    let title = format!(
        "HTSP, {:.1} Gb/s in frames of {} bytes, {} channel{}",
        plan.bandwidth_gbps,
        format::thousands(plan.frame_bytes),
        plan.channels,
        if plan.channels == 1 { "" } else { "s" },
    );
    let planned = &plan.bursts[plan.chosen];
    format!(
        "{}\n{} link{}, each at {:.1} % of what it carries; {:.0} frames per second in all\n\n{}\n{}\n\n{}\n{}\n\nregister burst: {} words; \
         parameters RxDepth {}, Headroom {}\n",
        style.bold(&title),
        plan.links,
        if plan.links == 1 { "" } else { "s" },
        100.0 * plan.load,
        plan.frame_rate,
        bursts(plan).render(style),
        style.dim(&format!(
            "512 bits a cycle over 100G Ethernet; round trip {}, both cores and MACs included",
            format::time(plan.round_trip_ns)
        )),
        detectors(&plan.detectors).render(style),
        style.dim(DETECTORS_NOTE),
        planned.burst_bytes / 64,
        planned.rx_depth_words,
        planned.headroom_words,
    )
}
