// SPDX-License-Identifier: Apache-2.0
//! The calculation of `ropewalk plan slink`: every number of lanes at both speeds, and the least
//! that does what is wanted.

use ropewalk_sim::slink::Rate;
use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::frame::BLOCK;
use serde::Serialize;

use crate::cli::{PlanSlink, SlinkMode};
use crate::slink_formulas::{self as formulas, CODING};

/// Raw bits of a symbol.
const SYMBOL: f64 = 10.0;
/// Tries of the core: the first one and 16 retries.
const TRIES: i32 = 17;
/// Beats of the smallest store: two blocks, one that is written and one that arrives.
const STORE: u64 = 2 * BLOCK as u64 / 8;
/// Beats of the largest one.
const MAX_STORE: u64 = 65_536;

/// A plan.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// `slink`.
    pub core: &'static str,
    /// `write` or `read`.
    pub mode: &'static str,
    /// Check codes are needed: the line has errors.
    pub crc: bool,
    /// Bytes of an operation.
    pub bytes: u32,
    /// Probability that a bit is wrong.
    pub ber: f64,
    /// Bytes under a check code.
    pub block_bytes: usize,
    /// Parameter `StoreDepth`: beats of 8 bytes that may wait for the memory.
    pub store_depth: u64,
    /// Place of the mode that was chosen in `modes`; the first one that does it.
    pub chosen: usize,
    /// The fewest lanes and the lower speed first.
    pub modes: Vec<Mode>,
}

/// Lanes and speed.
#[derive(Debug, Clone, Serialize)]
pub struct Mode {
    /// Lanes.
    pub lanes: u8,
    /// Gb/s of a lane.
    pub rate_gbps: f64,
    /// To the first word in the memory.
    pub first_ns: f64,
    /// To the last one.
    pub last_ns: f64,
    /// Data over the time to the last word and of repetitions.
    pub bandwidth_gbps: f64,
    /// Data over the bytes of their packet.
    pub efficiency: f64,
    /// Probability that an operation is sent again, or without check codes arrives wrong.
    pub damaged: f64,
    /// Probability that the user is told that it has failed; without check codes as `damaged`.
    pub failed: f64,
    /// It does what is wanted.
    pub enough: bool,
}

fn mode(options: &PlanSlink, crc: bool, lanes: Lanes, rate: Rate) -> Mode {
    let read = options.mode == SlinkMode::Read;
    let bytes = u64::from(options.size);
    let ns = |symbols: u64| (symbols as f64 / 2.0 + formulas::constant(read)) * rate.cycle_ns();
    let (first_ns, last_ns) = (
        ns(formulas::first(read, crc, lanes, bytes)),
        ns(formulas::last(read, crc, lanes, bytes)),
    );
    let bits = SYMBOL * formulas::packet(crc, bytes) as f64;
    let damaged = -((-options.ber).ln_1p() * bits).exp_m1();
    let tries = if crc { 1.0 / (1.0 - damaged) } else { 1.0 };
    let bandwidth_gbps = 8.0 * bytes as f64 / (last_ns * tries);
    Mode {
        lanes: lanes.count() as u8,
        rate_gbps: rate.gbps(),
        first_ns,
        last_ns,
        bandwidth_gbps,
        efficiency: formulas::efficiency(crc, bytes),
        damaged,
        failed: if crc { damaged.powi(TRIES) } else { damaged },
        enough: options
            .bandwidth
            .is_none_or(|wanted| bandwidth_gbps * 1e9 >= wanted)
            && options.latency.is_none_or(|most| first_ns <= most),
    }
}

/// The plan.
///
/// # Errors
/// No mode does what is wanted; what the best of them does.
pub fn plan(options: &PlanSlink) -> Result<Plan, String> {
    let crc = options.crc || options.ber > 0.0;
    let modes: Vec<Mode> = Lanes::ALL
        .into_iter()
        .flat_map(|lanes| [(lanes, Rate::Slow), (lanes, Rate::Fast)])
        .map(|(lanes, rate)| mode(options, crc, lanes, rate))
        .collect();
    let Some(chosen) = modes.iter().position(|mode| mode.enough) else {
        let best = modes
            .iter()
            .map(|mode| mode.bandwidth_gbps)
            .fold(0.0, f64::max);
        let least = modes
            .iter()
            .map(|mode| mode.first_ns)
            .fold(f64::INFINITY, f64::min);
        return Err(format!(
            "no mode does it: operations of {} bytes {} reach {best:.3} Gb/s and {least:.0} ns to the first word at best; accepted: no more than \
             that, or another --size",
            options.size,
            if crc { "with CRC" } else { "without CRC" },
        ));
    };
    let beats =
        modes[chosen].rate_gbps * CODING * f64::from(modes[chosen].lanes) / 64.0 * options.stall;
    let store_depth = (STORE + beats.ceil() as u64).next_power_of_two();
    if store_depth > MAX_STORE {
        return Err(format!(
            "--stall {} takes a store of {store_depth} beats; accepted: what {MAX_STORE} beats hold",
            options.stall
        ));
    }
    Ok(Plan {
        core: "slink",
        mode: if options.mode == SlinkMode::Read {
            "read"
        } else {
            "write"
        },
        crc,
        bytes: options.size,
        ber: options.ber,
        block_bytes: BLOCK,
        store_depth,
        chosen,
        modes,
    })
}
