// SPDX-License-Identifier: Apache-2.0
//! The result of `sim rifl` as text.

use ropewalk_console::format;
use ropewalk_console::table::{Style, Table};

use crate::summary::{DirectionSummary, Summary};

/// The result of a run, below the line that says what was run.
pub fn result(summary: &Summary, style: Style) -> String {
    let mut out = String::new();
    let cycle_ns = 64.0 / summary.line_rate_gbps;
    out += &match summary.link_up_ns {
        Some(ns) => format!(
            "link up after {} ({} cycles)",
            format::time(ns),
            format::thousands((ns / cycle_ns).round() as u64)
        ),
        None => style.bad("link never up"),
    };
    out += &format!(
        "; {} of link time in {:.1} s: {} cycles/s\n\n",
        format::time(summary.time_ns),
        summary.wall_s,
        format::per_second(summary.sim_cycles_per_second)
    );
    out += &directions(summary).render(style);
    out.push('\n');
    if summary.lanes > 1 {
        out += &lanes(summary).render(style);
        out.push('\n');
    }
    if let Some(file) = &summary.file {
        out += &format!(
            "{} ({}), sha256 {}\n",
            file.name,
            format::bytes(file.bytes),
            file.sha256
        );
        for (direction, sha256) in summary.directions.iter().zip(&file.received_sha256) {
            let same = if *sha256 == file.sha256 {
                style.good("identical")
            } else {
                style.bad(&format!("DIFFERS: {sha256}"))
            };
            out += &format!("  copy at {}: {same}\n", direction.to);
        }
    }
    out += &verdict(summary, style);
    out
}

/// The last line.
pub fn verdict(summary: &Summary, style: Style) -> String {
    let complaints = summary.complaints();
    if complaints.is_empty() {
        format!(
            "{}: every packet was delivered once, in order, unchanged\n",
            style.good("lossless")
        )
    } else {
        format!("{}: {}\n", style.bad("NOT LOSSLESS"), complaints.join("; "))
    }
}

fn directions(summary: &Summary) -> Table {
    let all = &summary.directions;
    let mut table = Table::new(
        std::iter::once(String::new()).chain(all.iter().map(|d| format!("{} to {}", d.from, d.to))),
    );
    let mut row = |name: &str, cell: &dyn Fn(&DirectionSummary) -> String| {
        table.row(std::iter::once(name.to_owned()).chain(all.iter().map(cell)));
    };
    row("packets sent", &|d| format::thousands(d.packets_sent));
    row("packets delivered", &|d| {
        format::thousands(d.packets_delivered)
    });
    row("lost", &|d| format::thousands(d.lost));
    row("duplicated", &|d| format::thousands(d.duplicated));
    row("reordered", &|d| format::thousands(d.reordered));
    row("corrupted", &|d| format::thousands(d.corrupted));
    if !summary.resets.is_empty() {
        row("cut by a reset", &|d| format::thousands(d.cut));
        row("  in part, told", &|d| format::thousands(d.aborted));
    }
    row("bytes delivered", &|d| format::thousands(d.bytes_delivered));
    table.gap();
    let mut row = |name: &str, cell: &dyn Fn(&DirectionSummary) -> String| {
        table.row(std::iter::once(name.to_owned()).chain(all.iter().map(cell)));
    };
    row("goodput", &|d| {
        format!("{} Gb/s", format::significant(d.goodput_gbps, 4))
    });
    row("efficiency", &|d| format!("{:.2} %", 100.0 * d.efficiency));
    for (i, name) in [
        "latency min",
        "        p50",
        "        p99",
        "        p99.9",
        "        max",
    ]
    .iter()
    .enumerate()
    {
        row(
            name,
            &|d| match (d.latency_ns.named()[i].1, d.latency_cycles.named()[i].1) {
                (Some(ns), Some(cycles)) => {
                    format!("{ns:.1} ns ({} cyc)", format::thousands(cycles))
                }
                _ => "-".to_owned(),
            },
        );
    }
    table.gap();
    let mut row = |name: &str, cell: &dyn Fn(&DirectionSummary) -> String| {
        table.row(std::iter::once(name.to_owned()).chain(all.iter().map(cell)));
    };
    row("bit errors injected", &|d| format::thousands(d.bit_errors));
    row("retransmissions", &|d| format::thousands(d.retransmissions));
    table
}

/// What differs from lane to lane.
fn lanes(summary: &Summary) -> Table {
    let mut table = Table::new(["lane", "delay", "bit slip", "bit errors", "retransmissions"]);
    for direction in &summary.directions {
        for (lane, row) in direction.lanes.iter().enumerate() {
            table.row([
                format!("{} to {}, {lane}", direction.from, direction.to),
                format::time(row.delay_bits as f64 / summary.line_rate_gbps),
                row.slip_bits.to_string(),
                format::thousands(row.bit_errors),
                format::thousands(row.retransmissions),
            ]);
        }
    }
    table
}
