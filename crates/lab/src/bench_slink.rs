// SPDX-License-Identifier: Apache-2.0
//! The measurements of `ropewalk bench slink`, as plain data.
//!
//! Two ends of the RTL between two memories: latency of all 24 modes against the formula and one
//! constant, the share of the line that is data over the size of an operation, and what several
//! operations at a time bring.

use ropewalk_channel::seed::Seeds;
use ropewalk_console::output;
use ropewalk_sim::SimError;
use ropewalk_sim::slink::{self, Model, Rate, RunConfig, RunResult};
use ropewalk_wire::line::Lanes;
use serde::Serialize;

use crate::slink_formulas::{self as formulas, CODING, pcie};

/// Bytes of an operation whose latency is measured, as in the paper.
const BYTES: u32 = 512;
/// Further ones, and those of a quick run.
const MODE_SIZES: [u32; 6] = [8, 64, 2056, 4096, 65_536, 524_288];
const QUICK_MODE_SIZES: [u32; 2] = [8, 2056];
/// Sizes over which the share of the line is measured.
const SIZES: [u32; 10] = [8, 16, 64, 504, 512, 2048, 4096, 16_384, 65_536, 524_288];
/// The largest of a quick run over one lane.
const QUICK: u32 = 16_384;
/// Cycles between the ends.
const DELAY: u32 = 8;
/// Operations of a run.
const OPERATIONS: u64 = 3;

/// Sizes of operations of which several are under way.
const SEVERAL: [u32; 4] = [8, 64, 512, 4096];
/// How many.
const OUTSTANDING: [u8; 3] = [1, 2, 4];
/// Operations of such a run.
const LONG: u64 = 24;

/// How far a mode may be from the formula, in cycles.
const SPREAD: f64 = 2.0;

/// The paper's comparison with PCI Express 2.0 for 512 bytes without CRC: how much lower latency
/// is, and how much higher bandwidth, on average and at best.
pub mod published {
    /// Latency, average; over one lane of 2.5 Gb/s.
    pub const LATENCY: [f64; 2] = [0.61, 0.72];
    /// Bandwidth, average; over four lanes of 5 Gb/s.
    pub const BANDWIDTH: [f64; 2] = [0.556, 0.785];
    /// Share of 4 Gb/s over one lane of 5 Gb/s.
    pub const EFFICIENCY: f64 = 0.975;
    /// Controller: LUT, flip-flops.
    pub const AREA: [u32; 2] = [1624, 1277];
}

/// Everything that was measured.
#[derive(Debug, Clone, Serialize)]
pub struct Bench {
    /// Every byte of both memories was as it should be in every run, and the latency of all modes
    /// is formula and constant.
    pub ok: bool,
    /// `slink`.
    pub core: &'static str,
    /// Seed of everything random.
    pub seed: u64,
    /// Fewer sizes.
    pub quick: bool,
    /// Cycles beside the symbols that the formula takes; twice for a read.
    pub constant_cycles: f64,
    /// Largest distance of a mode from it.
    pub spread_cycles: f64,
    /// All 24 modes, 512 bytes.
    pub modes: Vec<ModeRow>,
    /// All 24 modes, other sizes.
    pub mode_sizes: Vec<ModeRow>,
    /// Writes at 5 Gb/s a lane by size.
    pub sizes: Vec<SizeRow>,
    /// Operations with CRC at 5 Gb/s a lane, some of them under way at a time.
    pub several: Vec<SeveralRow>,
}

/// A mode and a size.
#[derive(Debug, Clone, Serialize)]
pub struct ModeRow {
    /// `write` or `read`.
    pub mode: &'static str,
    /// Check codes.
    pub crc: bool,
    /// Gb/s of a lane.
    pub rate_gbps: f64,
    /// Lanes.
    pub lanes: u8,
    /// Bytes of an operation.
    pub bytes: u32,
    /// To the first word in the memory.
    pub first_ns: f64,
    /// To the last one.
    pub last_ns: f64,
    /// Symbols of the formula, as time.
    pub symbols_ns: f64,
    /// Cycles beside them.
    pub beside_cycles: f64,
    /// Data over the time to the last word, in Gb/s: the paper's bandwidth.
    pub through_gbps: f64,
    /// Data over the time of their packets on the lanes, in Gb/s.
    pub bandwidth_gbps: f64,
    /// Data in Gb/s that PCI Express 2.0 could carry, by its framing alone.
    pub pcie_gbps: f64,
    /// Time of its first packet on the lanes.
    pub pcie_first_ns: f64,
}

/// Writes of a size at 5 Gb/s a lane.
#[derive(Debug, Clone, Serialize)]
pub struct SizeRow {
    /// Bytes of an operation.
    pub bytes: u32,
    /// Lanes.
    pub lanes: u8,
    /// Data over the rate after line coding, while packets are sent.
    pub efficiency: f64,
    /// The same with CRC.
    pub efficiency_crc: f64,
    /// By the bytes of the packet.
    pub formula: f64,
    /// The same with CRC.
    pub formula_crc: f64,
    /// PCI Express 2.0, by its framing.
    pub pcie: f64,
    /// Data over the time to the last word, in Gb/s.
    pub through_gbps: f64,
    /// The same with CRC.
    pub through_crc_gbps: f64,
}

/// Operations with CRC at 5 Gb/s a lane, several of them under way.
#[derive(Debug, Clone, Serialize)]
pub struct SeveralRow {
    /// `write` or `read`.
    pub mode: &'static str,
    /// Lanes.
    pub lanes: u8,
    /// Bytes of an operation.
    pub bytes: u32,
    /// At most under way.
    pub outstanding: u8,
    /// Cycles of an operation, one by one as the program sees it, else on average.
    pub cycles_each: f64,
    /// Of them those in which its packet with the data is on the lanes.
    pub line_cycles_each: f64,
    /// Data over that time, in Gb/s.
    pub gbps: f64,
}

/// Makes the measurements; `say` is told what is being measured.
///
/// # Errors
/// The simulator cannot be built.
pub fn measure(quick: bool, seed: u64, say: &(dyn Fn(&str) + Sync)) -> Result<Bench, SimError> {
    let mut bencher = Bencher {
        seeds: Seeds::new(seed),
        ok: true,
    };
    let (mut modes, mut mode_sizes) = (Vec::new(), Vec::new());
    let further = if quick {
        &QUICK_MODE_SIZES[..]
    } else {
        &MODE_SIZES
    };
    for read in [false, true] {
        say(&format!("measuring latency of {}s", name(read)));
        for crc in [false, true] {
            for rate in [Rate::Slow, Rate::Fast] {
                for lanes in Lanes::ALL {
                    modes.push(bencher.mode(read, crc, rate, lanes, BYTES)?);
                    for &bytes in further {
                        mode_sizes.push(bencher.mode(read, crc, rate, lanes, bytes)?);
                    }
                }
            }
        }
    }
    let mut sizes = Vec::new();
    for lanes in Lanes::ALL {
        for bytes in SIZES {
            if !quick || bytes <= QUICK || lanes == Lanes::X4 {
                say(&format!("measuring writes of {bytes} bytes"));
                sizes.push(bencher.size(lanes, bytes)?);
            }
        }
    }
    let mut several = Vec::new();
    for lanes in Lanes::ALL {
        if quick && lanes != Lanes::X4 {
            continue;
        }
        for read in [false, true] {
            say(&format!("measuring several {}s at a time", name(read)));
            for bytes in SEVERAL {
                for outstanding in OUTSTANDING {
                    several.push(bencher.several(read, lanes, bytes, outstanding)?);
                }
            }
        }
    }
    let (constant_cycles, spread_cycles) = one_constant(modes.iter().chain(&mode_sizes));
    Ok(Bench {
        ok: bencher.ok && spread_cycles <= SPREAD,
        core: "slink",
        seed,
        quick,
        constant_cycles,
        spread_cycles,
        modes,
        mode_sizes,
        sizes,
        several,
    })
}

/// The constant that all modes are least far from, in quarters of a cycle, and how far the farthest
/// is.
fn one_constant<'a>(modes: impl Iterator<Item = &'a ModeRow> + Clone) -> (f64, f64) {
    let spread = |constant: f64| {
        let distance = |row: &ModeRow| {
            let times = if row.mode == name(true) { 2.0 } else { 1.0 };
            (row.beside_cycles - times * constant).abs()
        };
        modes.clone().map(distance).fold(0.0, f64::max)
    };
    let candidates = (0..400).map(|quarters| f64::from(quarters) / 4.0);
    candidates
        .map(|constant| (constant, spread(constant)))
        .fold((0.0, f64::INFINITY), |best, next| {
            if next.1 < best.1 { next } else { best }
        })
}

fn name(read: bool) -> &'static str {
    if read { "read" } else { "write" }
}

struct Bencher {
    seeds: Seeds,
    ok: bool,
}

impl Bencher {
    fn run(
        &mut self,
        read: bool,
        crc: bool,
        rate: Rate,
        lanes: Lanes,
        bytes: u32,
    ) -> Result<RunResult, SimError> {
        let config = self.config(read, crc, rate, lanes, bytes);
        let result = slink::run(&config, &mut |_| output::stop_if_interrupted())?;
        self.ok &= result.ok() && result.done == OPERATIONS && result.retries == 0;
        Ok(result)
    }

    fn config(&mut self, read: bool, crc: bool, rate: Rate, lanes: Lanes, bytes: u32) -> RunConfig {
        RunConfig {
            model: Model::default(),
            read,
            crc,
            lanes,
            rate,
            words: bytes / 8,
            operations: OPERATIONS,
            both: false,
            delay: DELAY,
            skew: 0,
            ber: 0.0,
            seed: self.seeds.next_seed(),
            keep_words: false,
        }
    }

    fn several(
        &mut self,
        read: bool,
        lanes: Lanes,
        bytes: u32,
        outstanding: u8,
    ) -> Result<SeveralRow, SimError> {
        let rate = Rate::Fast;
        let config = RunConfig {
            model: Model {
                outstanding,
                ..Model::default()
            },
            operations: LONG,
            ..self.config(read, true, rate, lanes, bytes)
        };
        let result = slink::run(&config, &mut |_| output::stop_if_interrupted())?;
        self.ok &= result.ok() && result.done == LONG;
        let one_by_one: u64 = result.ended.iter().map(|ended| ended.cycles).sum();
        let each = |cycles: u64| cycles as f64 / LONG as f64;
        let cycles_each = each(result.span_cycles.unwrap_or(one_by_one));
        Ok(SeveralRow {
            mode: name(read),
            lanes: lanes.count() as u8,
            bytes,
            outstanding,
            cycles_each,
            line_cycles_each: each(result.line_words),
            gbps: 8.0 * f64::from(bytes) / (cycles_each * rate.cycle_ns()),
        })
    }

    fn mode(
        &mut self,
        read: bool,
        crc: bool,
        rate: Rate,
        lanes: Lanes,
        bytes: u32,
    ) -> Result<ModeRow, SimError> {
        let result = self.run(read, crc, rate, lanes, bytes)?;
        let (first, last) = result.median_latency().unwrap_or_default();
        let symbols = formulas::first(read, crc, lanes, bytes.into()) as f64;
        let count = lanes.count() as f64;
        let cycle = rate.cycle_ns();
        let payload = CODING * rate.gbps() * count;
        let last_ns = last as f64 * cycle;
        Ok(ModeRow {
            mode: name(read),
            crc,
            rate_gbps: rate.gbps(),
            lanes: lanes.count() as u8,
            bytes,
            first_ns: first as f64 * cycle,
            last_ns,
            symbols_ns: symbols / 2.0 * cycle,
            beside_cycles: first as f64 - symbols / 2.0,
            through_gbps: 8.0 * f64::from(bytes) / last_ns,
            bandwidth_gbps: result.efficiency(lanes) * payload,
            pcie_gbps: pcie::efficiency(bytes.into()) * payload,
            pcie_first_ns: pcie::first(lanes.count() as u64, bytes.into()) as f64 / 2.0 * cycle,
        })
    }

    fn size(&mut self, lanes: Lanes, bytes: u32) -> Result<SizeRow, SimError> {
        let rate = Rate::Fast;
        let plain = self.run(false, false, rate, lanes, bytes)?;
        let crc = self.run(false, true, rate, lanes, bytes)?;
        let through = |result: &RunResult| {
            let (_, last) = result.median_latency().unwrap_or_default();
            8.0 * f64::from(bytes) / (last.max(1) as f64 * rate.cycle_ns())
        };
        Ok(SizeRow {
            bytes,
            lanes: lanes.count() as u8,
            efficiency: plain.efficiency(lanes),
            efficiency_crc: crc.efficiency(lanes),
            formula: formulas::efficiency(false, bytes.into()),
            formula_crc: formulas::efficiency(true, bytes.into()),
            pcie: pcie::efficiency(bytes.into()),
            through_gbps: through(&plain),
            through_crc_gbps: through(&crc),
        })
    }
}
