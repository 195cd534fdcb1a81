// SPDX-License-Identifier: Apache-2.0
//! The laboratory: real RTL, cycle by cycle, through a channel that you describe; links on paper;
//! measurements beside published figures; sweeps over many simulations.
//!
//! They are subcommands of `ropewalk` when it is built with the feature `lab`. Everything that
//! decides, counts or draws is an ordinary function here, and the RTL stands behind the one trait
//! [`simulator::Simulator`], so that each part is tested on its own.

pub mod bench;
pub mod bench_all;
pub mod bench_area;
pub mod bench_chunk;
pub mod bench_compare;
pub mod bench_htsp;
pub mod bench_network;
pub mod bench_paths;
pub mod bench_rdma;
pub mod bench_slink;
pub mod bench_transfer;
pub mod chunk_stages;
pub mod cli;
pub mod commands;
pub mod dimension;
pub mod figure_9;
pub mod paper_tables;
pub mod papers;
pub mod plan;
pub mod plan_chunk;
pub mod plan_htsp;
pub mod plan_slink;
pub mod progress;
pub mod published;
pub mod published_chunk;
pub mod published_htsp;
pub mod published_rdma;
pub mod recovery;
pub mod report;
pub mod result;
pub mod rtl;
pub mod script;
pub mod section;
pub mod simulator;
pub mod slink_formulas;
pub mod slink_specs;
pub mod source;
pub mod summary;
pub mod sweep;
pub mod traffic;
pub mod units;
pub mod watch;

use std::ffi::OsString;

use cli::{BenchCore, Command, PlanCore, SimCore, TrafficAction};
use ropewalk_console::failure::Failure;
use ropewalk_console::output;

/// Runs a subcommand; `args` is the whole command line, which reports repeat. Gives the exit
/// status.
///
/// # Errors
/// Bad input, or something that it takes is missing or has failed.
pub fn execute(command: &Command, args: &[OsString]) -> Result<u8, Failure> {
    if let Command::Sim {
        core: SimCore::Htsp(options),
    } = command
        && let Some(name) = &options.tap
    {
        return commands::attach_htsp::execute(name, options);
    }
    // A player is stopped in good order.
    if !matches!(command, Command::Traffic { .. }) {
        output::clean_up_on_signal();
    }
    let simulator = simulator::Rtl;
    match command {
        Command::Sweep(options) => commands::sweep::execute(options),
        Command::Sim { core } => match core {
            SimCore::Rifl(options) => commands::sim_rifl::execute(options, args, &simulator),
            SimCore::Htsp(options) => commands::sim_htsp::execute(options, args),
            SimCore::Slink(options) => commands::sim_slink::execute(options, args),
            SimCore::Rdma(options) => commands::sim_rdma::execute(options, args),
            SimCore::Stack(options) => commands::sim_stack::execute(options, args),
            SimCore::Network(options) => commands::sim_network::execute(options, args),
        },
        Command::Traffic { action } => match action {
            TrafficAction::Run(options) => commands::traffic::run(options),
            TrafficAction::Encode(options) => commands::traffic::encode(options),
        },
        Command::Plan { core } => match core {
            PlanCore::Rifl(options) => commands::plan_rifl::execute(options, args),
            PlanCore::Chunk(options) => commands::plan_chunk::execute(options, args),
            PlanCore::Slink(options) => commands::plan_slink::execute(options),
            PlanCore::Htsp(options) => commands::plan_htsp::execute(options),
            PlanCore::Stack(options) => commands::plan_stack::execute(options, args),
        },
        Command::Bench { core: None, all } => commands::bench_all::execute(all, args, &simulator),
        Command::Bench {
            core: Some(core), ..
        } => match core {
            BenchCore::Rifl(options) => commands::bench_rifl::execute(options, args, &simulator),
            BenchCore::Htsp(options) => commands::bench_htsp::execute(options, args),
            BenchCore::Slink(options) => commands::bench_slink::execute(options, args),
            BenchCore::Rdma(options) => commands::bench_rdma::execute(options, args),
            BenchCore::Chunk(options) => commands::bench_chunk::execute(options, args),
            BenchCore::Transfer(options) => commands::bench_transfer::execute(options, args),
            BenchCore::Network(options) => commands::bench_network::execute(options, args),
        },
    }
}
