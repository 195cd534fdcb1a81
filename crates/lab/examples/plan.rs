// SPDX-License-Identifier: Apache-2.0
//! Which stages of bulk transfer need how many cores, with the capabilities of the paper:
//! `cargo run -p ropewalk-lab --example plan -- --rate 40G --lanes 4`.

use clap::Parser;
use ropewalk_lab::cli::PlanChunk;
use ropewalk_lab::plan_chunk::plan;

/// The options of `ropewalk plan chunk`.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    plan: PlanChunk,
}

fn main() -> Result<(), String> {
    let paper = ["--capability", "paper"].map(Into::into);
    let args = std::env::args_os().chain(paper);
    let plan = plan(&Options::parse_from(args).plan)?;
    println!("{} Gb/s over {} lanes", plan.rate_gbps, plan.lanes);
    for end in &plan.ends {
        let json = serde_json::to_string_pretty(end).map_err(|error| error.to_string())?;
        println!("{json}");
    }
    Ok(())
}
