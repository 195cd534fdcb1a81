// SPDX-License-Identifier: Apache-2.0
//! The part of `ropewalk bench chunk` in virtual time: the paper's tables and figures, chunks in
//! flight, accelerators.

use std::time::Duration;

use ropewalk_channel::seed::Seeds;
use ropewalk_console::output;
use ropewalk_sim::chunk::paper::{Carried, Pipeline};
use ropewalk_wire::chunk::Phases;

use super::{AcceleratorRow, Figure, Fit, LanesRow, Measured, Window, WindowRow};
use crate::plan_chunk;
use crate::published_chunk as published;

/// Most lanes of the experiments in virtual time.
const LANES: u8 = 8;
/// Losses of figures 10 and 11.
const LOSSES: [f64; 6] = [0.0, 0.001, 0.01, 0.05, 0.1, 0.2];
/// Those of a quick run.
const QUICK_LOSSES: [f64; 3] = [0.0, 0.01, 0.2];
/// Round trips, ms.
const ROUND_TRIPS: [f64; 3] = [0.1, 1.0, 10.0];
/// Time of a frame in the accelerators of both ends together, in us.
const ACCELERATORS: [u64; 4] = [0, 10, 100, 1000];
/// Chunks in flight.
const IN_FLIGHT: [u16; 3] = [1, 2, 4];

/// The paper's experiments.
pub(super) struct Experiment {
    pub(super) rows: Vec<LanesRow>,
    pub(super) fit: Fit,
    pub(super) overhead: f64,
}

impl Experiment {
    pub(super) fn new(quick: bool, seeds: &mut Seeds, say: &(dyn Fn(&str) + Sync)) -> Self {
        let losses = if quick { &QUICK_LOSSES[..] } else { &LOSSES };
        let lanes: Vec<u8> = if quick {
            vec![1, 2, 4]
        } else {
            (1..=LANES).collect()
        };
        let most = lanes.iter().copied().max().unwrap_or(1);
        let mut rows: Vec<LanesRow> = Vec::new();
        let mut overhead = 0.0;
        for &loss in losses {
            say(&format!("virtual time, loss of {} %", loss * 100.0));
            // Without loss nothing is random.
            let chunks = match (loss > 0.0, quick) {
                (false, _) => 2,
                (true, true) => 3,
                (true, false) => 8,
            };
            let mut carry = |lanes, phases| {
                let pipeline = Pipeline {
                    lanes,
                    loss,
                    phases,
                    ..Pipeline::PAPER
                };
                output::stop_if_interrupted();
                pipeline.carry(chunks, seeds.next_seed())
            };
            let mut alone =
                |phases| -> Vec<Carried> { (0..most).map(|_| carry(1, phases)).collect() };
            let (separate, overlapped) = (alone(Phases::Separate), alone(Phases::Overlapped));
            for &count in &lanes {
                let model = plan_chunk::paper_loss(count, loss);
                let figure = |gbps, chunk_ms| Figure { gbps, chunk_ms };
                let paper = |table: published::Rows| {
                    let row = table.get(usize::from(count) - 1).filter(|_| loss == 0.0);
                    row.map(|&(gbps, ms)| figure(gbps, ms))
                };
                let low = carry(count, Phases::Separate);
                if overhead == 0.0 {
                    overhead = low.overhead;
                }
                let several = usize::from(count);
                rows.push(LanesRow {
                    loss,
                    lanes: count,
                    stable: Measured::of(&separate[..several]),
                    low_latency: Measured::of(&[low]),
                    stable_overlapped: Measured::of(&overlapped[..several]),
                    low_latency_overlapped: Measured::of(&[carry(count, Phases::Overlapped)]),
                    stable_model: figure(model.stable_gbps, model.stable_ms),
                    low_latency_model: figure(model.low_latency_gbps, model.low_latency_ms),
                    resent_model: model.resent,
                    paper_stable: paper(published::TABLE_1),
                    paper_low_latency: paper(published::TABLE_2),
                });
            }
        }
        let points: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| row.loss == 0.0)
            .map(|row| (1.0 / f64::from(row.lanes), row.low_latency.figure.chunk_ms))
            .collect();
        let line = Pipeline::PAPER.line_time().as_secs_f64() * 1e3;
        Self {
            rows,
            fit: Fit::through(&points, line),
            overhead,
        }
    }
}

/// Chunks in flight over the round trip.
pub(super) fn windows(
    quick: bool,
    seeds: &mut Seeds,
    say: &(dyn Fn(&str) + Sync),
) -> Vec<WindowRow> {
    let mut rows = Vec::new();
    let losses = if quick { &[0.0][..] } else { &[0.0, 0.01] };
    for &loss in losses {
        for rtt_ms in ROUND_TRIPS {
            say(&format!("virtual time, round trip of {rtt_ms} ms"));
            let mut carry = |phases, chunks| {
                let pipeline = Pipeline {
                    phases,
                    chunks,
                    loss,
                    rtt: Duration::from_secs_f64(rtt_ms * 1e-3),
                    ..Pipeline::PAPER
                };
                output::stop_if_interrupted();
                let count = if quick { 2 } else { 6 };
                pipeline.carry(count, seeds.next_seed()).gbps()
            };
            let two_phases_gbps = carry(Phases::Separate, 1);
            let overlapped = IN_FLIGHT.map(|chunks| Window {
                chunks,
                gbps: carry(Phases::Overlapped, chunks),
            });
            rows.push(WindowRow {
                rtt_ms,
                loss,
                two_phases_gbps,
                overlapped: overlapped.to_vec(),
                ideal_gbps: plan_chunk::paper_loss(1, loss).ideal_gbps,
            });
        }
    }
    rows
}

/// Accelerators over the loss.
pub(super) fn accelerators(
    quick: bool,
    seeds: &mut Seeds,
    say: &(dyn Fn(&str) + Sync),
) -> Vec<AcceleratorRow> {
    let losses = if quick { &QUICK_LOSSES[..] } else { &LOSSES };
    let mut rows = Vec::new();
    for &loss in losses {
        say(&format!("accelerators, loss of {} %", loss * 100.0));
        for added_us in ACCELERATORS {
            let mut carry = |phases| {
                let pipeline = Pipeline {
                    phases,
                    loss,
                    // Where on the way round a frame is held changes nothing.
                    rtt: Pipeline::PAPER.rtt + Duration::from_micros(added_us),
                    ..Pipeline::PAPER
                };
                output::stop_if_interrupted();
                let count = if quick { 2 } else { 8 };
                Measured::of(&[pipeline.carry(count, seeds.next_seed())])
            };
            rows.push(AcceleratorRow {
                added_us,
                loss,
                two_phases: carry(Phases::Separate),
                overlapped: carry(Phases::Overlapped),
            });
        }
    }
    rows
}
