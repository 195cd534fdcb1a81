// SPDX-License-Identifier: Apache-2.0
//! `ropewalk plan slink`: which lanes and speed do what is wanted.

use std::io::Write;

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::table::{Style, Table};
use ropewalk_sim::slink::{Coding, coding_name};

use crate::cli::PlanSlink;
use crate::plan_slink::{self, Plan};

/// Runs the subcommand.
///
/// # Errors
/// No mode can do what was asked.
pub fn execute(options: &PlanSlink) -> Result<u8, Failure> {
    let plan = plan_slink::plan(options).map_err(Failure::BadInput)?;
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "plan slink", &plan)?;
    } else {
        let style = Style::new(format::colour_wanted(&std::io::stdout()));
        write!(out, "{}", render(&plan, style))?;
    }
    out.flush()?;
    Ok(0)
}

fn render(plan: &Plan, style: Style) -> String {
    let mut table = Table::new([
        "lanes",
        "first word",
        "last word",
        "Gb/s",
        "efficiency",
        "sent again",
        "failed",
        "",
    ]);
    let chance = |value: f64| {
        if value == 0.0 {
            "0".to_owned()
        } else {
            format!("{value:.1e}")
        }
    };
    for (place, mode) in plan.modes.iter().enumerate() {
        table.row([
            format!("{} x {} Gb/s, {}", mode.lanes, mode.rate_gbps, mode.coding),
            format::time(mode.first_ns),
            format::time(mode.last_ns),
            format!("{:.3}", mode.bandwidth_gbps),
            format!("{:.4}", mode.efficiency),
            if plan.crc {
                chance(mode.damaged)
            } else {
                "-".to_owned()
            },
            chance(mode.failed),
            match (place == plan.chosen, mode.enough) {
                (true, _) => "chosen",
                (false, true) => "enough",
                (false, false) => "",
            }
            .to_owned(),
        ]);
    }
    let title = format!(
        "SLink, {}s of {} bytes, {}, BER {}",
        plan.mode,
        format::thousands(plan.bytes.into()),
        if plan.crc { "CRC" } else { "no CRC" },
        format::rate(plan.ber)
    );
    let chosen = &plan.modes[plan.chosen];
    let at_a_time = match plan.outstanding {
        1 => "one operation at a time".to_owned(),
        more => format!("up to {more} operations at a time"),
    };
    let blocks = chosen.coding == coding_name(Coding::Code64b66b);
    let lanes = chosen.lanes.ilog2();
    let speed = if chosen.rate_gbps > 4.0 { 2 } else { 1 };
    // Both ends begin in 8b/10b, and one of them asks for the other code.
    let wanted = if blocks {
        format!(", wanted.speed {speed}, wanted.coding 1, wanted.lanes {lanes}")
    } else {
        String::new()
    };
    let built = if blocks { ", Switch 1, Blocks 1" } else { "" };
    format!(
        "{}\n{}\n{}\nregisters: mode.lanes {lanes}, mode.crc {}, control.run {speed}{wanted}\nparameters: StoreDepth {}, ElasticDepth {}, \
         Outstanding {}{built}; blocks of {} bytes\n",
        style.bold(&title),
        table.render(style),
        style.dim(&format!(
            "{at_a_time}; Gb/s of data to the last word, repetitions included; memories that take and give a word a cycle"
        )),
        u8::from(plan.crc),
        plan.store_depth,
        plan.elastic_depth,
        plan.outstanding,
        format::thousands(plan.block_bytes as u64),
    )
}
