// SPDX-License-Identifier: Apache-2.0
//! The calculation of `ropewalk plan slink`: every number of lanes at both speeds, and the least
//! that does what is wanted.

use ropewalk_sim::slink::{Coding, LineMode, Rate, coding_name};
use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::frame::BLOCK;
use serde::Serialize;

use crate::cli::{PlanSlink, SlinkMode};
use crate::slink_formulas::{self as formulas, Line};

/// Tries of the core: the first one and 16 retries.
const TRIES: i32 = 17;
/// Beats of the smallest store: two blocks, one that is written and one that arrives.
const STORE: u64 = 2 * BLOCK as u64 / 8;
/// Words of an elastic buffer that the way into our clock needs, and those of the default.
const ELASTIC_MARGIN: u64 = 6;
const ELASTIC_LEAST: u64 = 64;
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
    /// Operations of an end that are under way at a time, parameter `Outstanding`.
    pub outstanding: u8,
    /// Most that the clocks of the ends differ, in parts per million.
    pub ppm: f64,
    /// Parameter `StoreDepth`: beats of 8 bytes that may wait for the memory.
    pub store_depth: u64,
    /// Parameter `ElasticDepth`: words.
    pub elastic_depth: u64,
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
    /// Line code.
    pub coding: &'static str,
    /// To the first word in the memory.
    pub first_ns: f64,
    /// To the last one.
    pub last_ns: f64,
    /// Data over the time to the last word and of repetitions; of several operations at a time over
    /// their share of it, or the time of the packet on the lanes, if that is longer.
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

fn mode(options: &PlanSlink, crc: bool, line_mode: LineMode) -> Mode {
    let LineMode {
        rate,
        lanes,
        coding,
    } = line_mode;
    let bytes = u64::from(options.size);
    let line = Line {
        read: options.mode == SlinkMode::Read,
        crc,
        lanes,
        coding,
        bytes,
    };
    let ns = |cycles: f64| (cycles + line.constant()) * line_mode.cycle_ns();
    let (first_ns, last_ns) = (ns(line.first()), ns(line.last()));
    let symbol = f64::from(line_mode.word_bits()) / 2.0 * line.stretch();
    let bits = symbol * formulas::packet(crc, bytes) as f64;
    let damaged = -((-options.ber).ln_1p() * bits).exp_m1();
    let tries = if crc { 1.0 / (1.0 - damaged) } else { 1.0 };
    // Several of them share the line; each takes its packet there.
    let packet_ns = line.packet() * line_mode.cycle_ns();
    let each_ns = (last_ns / f64::from(options.outstanding)).max(packet_ns);
    let bandwidth_gbps = 8.0 * bytes as f64 / (each_ns * tries);
    Mode {
        lanes: lanes.count() as u8,
        rate_gbps: rate.gbps(),
        coding: coding_name(coding),
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

/// Modes of the line, with the fewest lanes and the lower speed first, those of 8b/10b before those
/// of 64b/66b.
fn line_modes(blocks: bool) -> Vec<LineMode> {
    let codings = [Coding::Code8b10b, Coding::Code64b66b];
    let mut modes = Vec::new();
    for coding in codings.into_iter().take(1 + usize::from(blocks)) {
        for lanes in Lanes::ALL {
            for rate in Rate::ALL {
                modes.push(LineMode {
                    rate,
                    lanes,
                    coding,
                });
            }
        }
    }
    modes
}

/// Words that the elastic buffer of a receiver has to hold back while the longest packet of a
/// faster sender arrives, with what `line_elastic` needs for itself.
fn elastic_depth(options: &PlanSlink, line: LineMode) -> u64 {
    let words = formulas::packet(true, options.size.into()).div_ceil(line.lanes.piece() as u64);
    let ahead = words as f64 * options.ppm.abs() * 1e-6;
    (ahead.ceil() as u64 + ELASTIC_MARGIN)
        .next_power_of_two()
        .max(ELASTIC_LEAST)
}

/// The plan.
///
/// # Errors
/// No mode does what is wanted; what the best of them does.
pub fn plan(options: &PlanSlink) -> Result<Plan, String> {
    let crc = options.crc || options.ber > 0.0;
    let line_modes = line_modes(options.blocks);
    let modes: Vec<Mode> = line_modes
        .iter()
        .map(|line| mode(options, crc, *line))
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
    let line = line_modes[chosen];
    let gbps = line.rate.gbps() * line.share() * line.lanes.count() as f64;
    let beats = gbps / 64.0 * options.stall;
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
        outstanding: options.outstanding,
        ppm: options.ppm,
        store_depth,
        elastic_depth: elastic_depth(options, line),
        chosen,
        modes,
    })
}
