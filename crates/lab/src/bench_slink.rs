// SPDX-License-Identifier: Apache-2.0
//! The measurements of `ropewalk bench slink`, as plain data.
//!
//! Two ends of the RTL between two memories: latency of all 24 modes in both line codes, one and
//! several operations at a time, against the formula and a constant; the share of the line that is
//! data over the size of an operation; and what several operations at a time bring.

use ropewalk_channel::seed::Seeds;
use ropewalk_console::output;
use ropewalk_sim::SimError;
use ropewalk_sim::slink::{self, Coding, Rate, RunConfig, RunResult, coding_name};
use ropewalk_wire::line::Lanes;
use serde::Serialize;

use crate::slink_formulas::{self as formulas, Line, pcie};

/// Bytes of an operation whose latency is measured, as in the paper.
const BYTES: u32 = 512;
/// Further ones, and those of a quick run.
const MODE_SIZES: [u32; 6] = [8, 64, 2056, 4096, 65_536, 524_288];
const QUICK_MODE_SIZES: [u32; 2] = [8, 2056];
/// Of a quick run in 64b/66b, or with several operations at a time, at the higher speed.
const QUICK_FURTHER_SIZES: [u32; 1] = [2056];
/// Sizes over which the share of the line is measured.
const SIZES: [u32; 10] = [8, 16, 64, 504, 512, 2048, 4096, 16_384, 65_536, 524_288];
/// The largest of a quick run over one lane.
const QUICK: u32 = 16_384;
/// Cycles between the ends.
const DELAY: u32 = 8;
/// Operations of a run.
const OPERATIONS: u64 = 3;

/// From this size on one operation is enough.
const LARGE: u32 = 65_536;

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
    /// Cycles beside the symbols that the formula takes in 8b/10b; twice for a read.
    pub constant_cycles: f64,
    /// The same in 64b/66b, of a write and of a read.
    pub constant_blocks_cycles: [f64; 2],
    /// Largest distance of a mode from it.
    pub spread_cycles: f64,
    /// Largest distance of the last word of an operation from the formula and the same constant.
    pub last_spread_cycles: f64,
    /// All 24 modes, 512 bytes, in 8b/10b and one at a time.
    pub modes: Vec<ModeRow>,
    /// All 24 modes, other sizes; both line codes, one and several at a time.
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
    /// Line code.
    pub coding: &'static str,
    /// Operations that are started at once; the first of them is measured.
    pub outstanding: u8,
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
    /// Cycles to the last word beside its symbols.
    pub last_beside_cycles: f64,
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
    let rows = bencher.modes(quick, say)?;
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
    let (symbols, blocks): (Vec<&ModeRow>, Vec<&ModeRow>) = rows
        .iter()
        .partition(|row| row.coding == coding_name(Coding::Code8b10b));
    let of = |read: bool| {
        blocks
            .iter()
            .copied()
            .filter(move |row| row.mode == name(read))
    };
    let (constant_cycles, spread) = one_constant(symbols.iter().copied(), 2.0);
    let (writes, reads) = (one_constant(of(false), 1.0), one_constant(of(true), 1.0));
    let spread_cycles = spread.max(writes.1).max(reads.1);
    let last = |row: &ModeRow| {
        let constant = match (row.coding == coding_name(Coding::Code8b10b), row.mode) {
            (true, mode) => constant_cycles * if mode == name(true) { 2.0 } else { 1.0 },
            (false, mode) if mode == name(true) => reads.0,
            _ => writes.0,
        };
        (row.last_beside_cycles - constant).abs()
    };
    let last_spread_cycles = rows.iter().map(last).fold(0.0, f64::max);
    let (modes, mode_sizes) = rows.into_iter().partition(|row| {
        let plain = row.coding == coding_name(Coding::Code8b10b) && row.outstanding == 1;
        plain && row.bytes == BYTES
    });
    Ok(Bench {
        ok: bencher.ok && spread_cycles <= SPREAD,
        core: "slink",
        seed,
        quick,
        constant_cycles,
        constant_blocks_cycles: [writes.0, reads.0],
        spread_cycles,
        last_spread_cycles,
        modes,
        mode_sizes,
        sizes,
        several,
    })
}

/// The constant that these rows are least far from, in quarters of a cycle, and how far the
/// farthest is. A read has it `reads` times.
fn one_constant<'a>(rows: impl Iterator<Item = &'a ModeRow> + Clone, reads: f64) -> (f64, f64) {
    let spread = |constant: f64| {
        let distance = |row: &ModeRow| {
            let times = if row.mode == name(true) { reads } else { 1.0 };
            (row.beside_cycles - times * constant).abs()
        };
        rows.clone().map(distance).fold(0.0, f64::max)
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
    /// Every mode, size, line code and number of operations.
    fn modes(
        &mut self,
        quick: bool,
        say: &(dyn Fn(&str) + Sync),
    ) -> Result<Vec<ModeRow>, SimError> {
        let mut rows = Vec::new();
        for coding in [Coding::Code8b10b, Coding::Code64b66b] {
            for outstanding in OUTSTANDING {
                let plain = coding == Coding::Code8b10b && outstanding == 1;
                let further = match (quick, plain) {
                    (false, _) => &MODE_SIZES[..],
                    (true, true) => &QUICK_MODE_SIZES,
                    (true, false) => &QUICK_FURTHER_SIZES,
                };
                let sizes = plain.then_some(&BYTES).into_iter().chain(further);
                let sizes: Vec<u32> = if plain || quick {
                    sizes.copied().collect()
                } else {
                    sizes.chain([&BYTES]).copied().collect()
                };
                let all = plain || !quick;
                let cases = self.cases(coding, outstanding).into_iter();
                for case in cases.filter(|case| all || case.rate == Rate::Fast) {
                    say(&format!(
                        "measuring latency of {}s in {}, {outstanding} at a time",
                        name(case.read),
                        coding_name(coding)
                    ));
                    for bytes in &sizes {
                        rows.push(self.mode(&case, *bytes)?);
                    }
                }
            }
        }
        Ok(rows)
    }

    /// All 24 modes.
    fn cases(&mut self, coding: Coding, outstanding: u8) -> Vec<RunConfig> {
        let mut cases = Vec::new();
        for read in [false, true] {
            for crc in [false, true] {
                for rate in Rate::ALL {
                    for lanes in Lanes::ALL {
                        cases.push(RunConfig {
                            coding,
                            outstanding,
                            ..self.config(read, crc, rate, lanes, BYTES)
                        });
                    }
                }
            }
        }
        cases
    }

    fn run(&mut self, config: &RunConfig) -> Result<RunResult, SimError> {
        let result = slink::run(config, &mut |_| output::stop_if_interrupted())?;
        self.ok &= result.ok() && result.done == config.operations && result.retries == 0;
        Ok(result)
    }

    fn config(&mut self, read: bool, crc: bool, rate: Rate, lanes: Lanes, bytes: u32) -> RunConfig {
        RunConfig {
            read,
            crc,
            lanes,
            rate,
            words: bytes / 8,
            operations: OPERATIONS,
            delay: DELAY,
            seed: self.seeds.next_seed(),
            ..RunConfig::default()
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
            outstanding,
            operations: LONG,
            ..self.config(read, true, rate, lanes, bytes)
        };
        let result = self.run(&config)?;
        let one_by_one: u64 = result.ended.iter().map(|ended| ended.fs).sum();
        let each = |cycles: f64| cycles / LONG as f64;
        let cycle = config.mode().cycle_fs() as f64;
        let cycles_each = each(result.span_fs.unwrap_or(one_by_one) as f64 / cycle);
        Ok(SeveralRow {
            mode: name(read),
            lanes: lanes.count() as u8,
            bytes,
            outstanding,
            cycles_each,
            line_cycles_each: each(result.packets.words as f64),
            gbps: 8.0 * f64::from(bytes) / (cycles_each * config.mode().cycle_ns()),
        })
    }

    fn mode(&mut self, case: &RunConfig, bytes: u32) -> Result<ModeRow, SimError> {
        let operations = match case.outstanding {
            1 if bytes >= LARGE => 1,
            1 => OPERATIONS,
            several => several.into(),
        };
        let config = RunConfig {
            words: bytes / 8,
            operations,
            seed: self.seeds.next_seed(),
            ..case.clone()
        };
        let result = self.run(&config)?;
        let mode = config.mode();
        let (first, last) = result.median_latency().unwrap_or_default();
        let cycles = |fs: u64| fs as f64 / mode.cycle_fs() as f64;
        let line = Line {
            read: config.read,
            crc: config.crc,
            lanes: config.lanes,
            coding: config.coding,
            bytes: bytes.into(),
        };
        let count = config.lanes.count() as f64;
        let last_ns = last as f64 * 1e-6;
        let pcie_first = pcie::first(config.lanes.count() as u64, bytes.into()) as f64;
        Ok(ModeRow {
            mode: name(config.read),
            crc: config.crc,
            rate_gbps: config.rate.gbps(),
            lanes: config.lanes.count() as u8,
            coding: coding_name(config.coding),
            outstanding: config.outstanding,
            bytes,
            first_ns: first as f64 * 1e-6,
            last_ns,
            symbols_ns: line.first() * mode.cycle_ns(),
            beside_cycles: cycles(first) - line.first(),
            last_beside_cycles: cycles(last) - line.last(),
            through_gbps: 8.0 * f64::from(bytes) / last_ns,
            bandwidth_gbps: result.bandwidth_gbps(),
            pcie_gbps: pcie::efficiency(bytes.into()) * pcie::SHARE * config.rate.gbps() * count,
            pcie_first_ns: pcie_first * pcie::SYMBOL_BITS / config.rate.gbps(),
        })
    }

    fn size(&mut self, lanes: Lanes, bytes: u32) -> Result<SizeRow, SimError> {
        let rate = Rate::Fast;
        let config = self.config(false, false, rate, lanes, bytes);
        let plain = self.run(&config)?;
        let config = self.config(false, true, rate, lanes, bytes);
        let crc = self.run(&config)?;
        let through = |result: &RunResult| {
            let (_, last) = result.median_latency().unwrap_or_default();
            8e6 * f64::from(bytes) / last.max(1) as f64
        };
        Ok(SizeRow {
            bytes,
            lanes: lanes.count() as u8,
            efficiency: plain.efficiency(),
            efficiency_crc: crc.efficiency(),
            formula: formulas::efficiency(false, bytes.into()),
            formula_crc: formulas::efficiency(true, bytes.into()),
            pcie: pcie::efficiency(bytes.into()),
            through_gbps: through(&plain),
            through_crc_gbps: through(&crc),
        })
    }
}
