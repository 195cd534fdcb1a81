// SPDX-License-Identifier: Apache-2.0
//! `ropewalk watch rifl`: a simulated link that runs until it is interrupted, with its live page.

use std::io::Write;
use std::sync::Arc;

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::stop::{stop_on_signal, stopped};
use ropewalk_sim::rifl::{RunConfig, RunResult, run_observed};
use ropewalk_watch::{Board, Reason, Server, State};

use super::sim_rifl::Plan;
use crate::cli::WatchRifl;
use crate::watch::{Settings, Watcher};
use crate::{dimension, progress};

/// What is watched, in words.
fn settings(options: &WatchRifl, plan: &Plan) -> Settings {
    let model = plan.link.model;
    Settings {
        title: format!(
            "RIFL, {} at {} Gb/s, simulated",
            format::lanes(options.lanes),
            options.rate
        ),
        facts: vec![
            format!("frame width {}", model.frame_width),
            format!("user width {}", model.user_width),
            format!("id width {}", model.id_width),
            format!("cable {}", dimension::length(options.cable)),
            "extended mode".to_owned(),
            format!("seed {}", plan.seed),
        ],
        pace: options.pace.0,
        limit_s: options.duration,
    }
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input, or the address cannot be listened at.
pub fn execute(options: &WatchRifl) -> Result<u8, Failure> {
    let simulation = options.simulation();
    let mut plan = Plan::settle(&simulation)?;
    stop_on_signal();
    let settings = settings(options, &plan);
    let first = State {
        facts: settings.facts.clone(),
        reasons: vec![Reason::new("building", "the simulator is being made ready")],
        ..State::new(settings.title.clone())
    };
    let board = Arc::new(Board::new(first));
    let server = Server::start(options.listen, Arc::clone(&board)).map_err(Failure::network)?;
    if !options.quiet {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}, seed {}", settings.title, plan.seed)?;
        writeln!(out, "page: http://{}/", server.address())?;
        out.flush()?;
    }
    progress::prepare(!options.quiet, progress::rifl(plan.link.model), |tell| {
        plan.link.model.prepare(false, tell)
    })?;
    let stop: &dyn Fn() -> bool = &stopped;
    let mut watcher = Watcher::new(&board, &plan.link, settings, stop);
    let config = RunConfig {
        link: plan.link.clone(),
        traffic: std::mem::take(&mut plan.traffic),
        sink_stall: [options.stall / 100.0; 2],
        seed: plan.run_seed,
        watchdog_cycles: 0,
        ..RunConfig::default()
    };
    let result = run_observed(config, &mut |_| (), &mut watcher).map_err(Failure::refused)?;
    if stopped() {
        return Err(Failure::Interrupted);
    }
    Ok(u8::from(!is_sound(&result)))
}

/// Nothing was lost but what a session has cut.
fn is_sound(result: &RunResult) -> bool {
    let bad =
        |it: &ropewalk_sim::rifl::Direction| it.lost + it.duplicated + it.reordered + it.corrupted;
    result.link_up_ns.is_some() && result.directions.iter().map(bad).sum::<u64>() == 0
}
