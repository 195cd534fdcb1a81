// SPDX-License-Identifier: Apache-2.0
//! The measurements of `ropewalk bench htsp`, as plain data.
//!
//! Two ends of the RTL back to back, over wires and over a line that carries no more than 100 Gb/s,
//! MAC overhead included: figures 5 to 7 of the paper. The same over lanes of 100G Ethernet, with
//! models of MAC, PCS and FEC. And two host ends over a cable between two
//! interfaces of the kernel, beside packet sockets alone.

use std::time::Instant;

use ropewalk_channel::seed::Seeds;
use ropewalk_console::output;
use ropewalk_io::htsp::Backend;
use ropewalk_io::measure::{self, Figures};
use ropewalk_io::veth::Veth;
use ropewalk_sim::SimError;
use ropewalk_sim::htsp::{
    self, ALIVE, CLOCK_HZ, Coding, LineConfig, Model, NULL_INTERVAL, PhyConfig, RunConfig,
};
use serde::Serialize;

use crate::plan_htsp::{Detector, detectors, line_gbps};
use crate::published_htsp as published;

/// Frame sizes: those of the paper's figures, its border of 768 bytes and the usual largest
/// Ethernet frame among them.
const BYTES: [u32; 15] = [
    64, 128, 192, 256, 512, 768, 1024, 1500, 2048, 4096, 8192, 16_384, 65_536, 262_144, 1_048_576,
];
/// Words of a receive buffer.
const RX_DEPTH: u32 = 4096;
/// Headers alone fall on another cycle of the measurement with each of these intervals.
const PHASES: std::ops::Range<u32> = NULL_INTERVAL..NULL_INTERVAL + 16;
/// Rows from markers to markers where only latency counts, so that the lanes come up soon.
const SOON: usize = 64;
/// Bursts of the host ends: what fits an MTU of 1500, and the longest.
const HOST_BURSTS: [u16; 2] = [1408, 8192];

/// Everything that was measured.
#[derive(Debug, Clone, Serialize)]
pub struct Bench {
    /// Everything was delivered once, in order, unchanged, in every run.
    pub ok: bool,
    /// `htsp`.
    pub core: &'static str,
    /// Where the `published` figures come from.
    pub published_source: &'static str,
    /// Seed of everything random.
    pub seed: u64,
    /// Shorter runs, fewer channels.
    pub quick: bool,
    /// Clock in MHz.
    pub clock_mhz: f64,
    /// One channel in one direction, by frame size.
    pub sizes: Vec<SizeRow>,
    /// Bursts of 8192 bytes on all channels in both directions.
    pub channels: Vec<ChannelsRow>,
    /// One channel in one direction over lanes of 100G Ethernet, with its MAC.
    pub ethernet: Vec<EthernetRow>,
    /// Host ends over a cable of the kernel, one channel in one direction.
    pub host: Vec<HostRow>,
    /// Why there is no such row; null: there are.
    pub host_left_out: Option<String>,
    /// The detectors of the paper's table 1, and the links that they take.
    pub detectors: Vec<Detector>,
}

/// Frames of one size.
#[derive(Debug, Clone, Serialize)]
pub struct SizeRow {
    /// Bytes of a frame.
    pub bytes: u32,
    /// Payload words over cycles, saturated, over wires.
    pub efficiency: f64,
    /// The same by the rule: two cycles beyond the words of each burst.
    pub rule: f64,
    /// Of the published core; null: not measured.
    pub published_efficiency: Option<f64>,
    /// Payload over the line of 100 Gb/s, saturated.
    pub bandwidth_gbps: f64,
    /// What such a line could carry of these frames.
    pub line_limit_gbps: f64,
    /// By the formula of the paper.
    pub paper_bandwidth_gbps: f64,
    /// Frames per second over that line.
    pub frames_per_second: f64,
    /// Latency of a single frame over wires, first word in to first word out, in cycles: smallest.
    pub latency_min: u64,
    /// Largest, over the phases of the timer of headers.
    pub latency_max: u64,
}

/// A number of channels.
#[derive(Debug, Clone, Serialize)]
pub struct ChannelsRow {
    /// Channels.
    pub vcs: u8,
    /// Payload of all channels in each direction, over the line of 100 Gb/s.
    pub bandwidth_gbps: f64,
    /// Cycles from the end of the reset to a link at both ends.
    pub link_up_cycles: u64,
    /// Simulated cycles per second of wall clock.
    pub cycles_per_second: f64,
    /// Of the published core; null: not measured.
    pub published_cycles_per_second: Option<f64>,
}

/// Four lanes of 100G Ethernet between the ends: MAC, PCS and FEC as the models have them.
#[derive(Debug, Clone, Serialize)]
pub struct EthernetRow {
    /// `100g-lr4` or `100g-kr4`, the latter with RS-FEC.
    pub phy: &'static str,
    /// Payload of frames of 8192 bytes, saturated.
    pub bandwidth_gbps: f64,
    /// What the line could carry of these frames, less its markers.
    pub limit_gbps: f64,
    /// Latency of a single frame of 64 bytes, first word in to first word out, in cycles.
    pub latency_cycles: u64,
}

/// Host ends, or sockets alone with frames of the same length.
#[derive(Debug, Clone, Serialize)]
pub struct HostRow {
    /// Bytes of a burst.
    pub burst: u16,
    /// AF_XDP sockets; false: packet sockets.
    pub xdp: bool,
    /// HTSP ends; false: sockets alone.
    pub htsp: bool,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes that arrived; a ring may overflow, which HTSP tells.
    pub arrived: u64,
    /// Payload that arrived over time.
    pub gbps: f64,
    /// Processor time of both ends, the kernel's included, for 1e9 bytes.
    pub cpu_s_per_gb: f64,
}

impl HostRow {
    fn new(burst: u16, backend: Backend, htsp: bool, figures: &Figures) -> Self {
        Self {
            burst,
            xdp: backend == Backend::Xdp,
            htsp,
            sent: figures.sent,
            arrived: figures.bytes,
            gbps: figures.gbps(),
            cpu_s_per_gb: figures.cpu_s_per_gb(),
        }
    }
}

/// Payload words over cycles of frames of this size: header and footer of each burst come on top.
fn rule(bytes: u32) -> f64 {
    let words = f64::from(bytes.div_ceil(64));
    words / (words + 2.0 * f64::from(bytes.div_ceil(published::BURST))) * f64::from(bytes)
        / (64.0 * words)
}

/// Makes the measurements; `say` is told what is being measured.
///
/// # Errors
/// A simulator cannot be built.
pub fn measure(quick: bool, seed: u64, say: &(dyn Fn(&str) + Sync)) -> Result<Bench, SimError> {
    let mut bencher = Bencher {
        seeds: Seeds::new(seed),
        words: if quick { 1 << 14 } else { 1 << 17 },
        ok: true,
        say,
    };
    let sizes = BYTES
        .into_iter()
        .map(|bytes| bencher.size(bytes))
        .collect::<Result<_, _>>()?;
    let channels: &[u8] = if quick { &[1, 4] } else { &[1, 2, 4, 8, 16] };
    let channels = channels
        .iter()
        .map(|&vcs| bencher.channels(vcs))
        .collect::<Result<_, _>>()?;
    let ethernet = [("100g-lr4", Coding::Lr4), ("100g-kr4", Coding::Kr4)]
        .into_iter()
        .map(|(phy, coding)| bencher.ethernet(phy, coding))
        .collect::<Result<_, _>>()?;
    let (host, host_left_out) = bencher.host(if quick { 1 << 28 } else { 1 << 32 });
    Ok(Bench {
        ok: bencher.ok,
        core: "htsp",
        published_source: published::SOURCE,
        seed,
        quick,
        clock_mhz: CLOCK_HZ / 1e6,
        sizes,
        channels,
        ethernet,
        host,
        host_left_out,
        detectors: detectors(published::BURST as u16, 0.0),
    })
}

struct Bencher<'a> {
    seeds: Seeds,
    /// Words of a run and channel, about.
    words: u64,
    ok: bool,
    say: &'a (dyn Fn(&str) + Sync),
}

impl Bencher<'_> {
    /// Saturated frames of one size on all channels.
    fn config(&mut self, vcs: u8, bytes: u32, line: LineConfig) -> RunConfig {
        RunConfig {
            model: Model {
                channels: vcs,
                rx_depth: RX_DEPTH,
                bytes: 64,
            },
            null_interval: NULL_INTERVAL,
            alive: ALIVE,
            burst: (published::BURST / 64) as u8,
            line,
            phy: None,
            packets: (self.words / u64::from(bytes.div_ceil(64))).max(1),
            sizes: (bytes, bytes),
            stall: 0.0,
            blocked: 0,
            one_way: true,
            op_codes: 0,
            seed: self.seeds.next_seed(),
        }
    }

    fn run(&mut self, config: &RunConfig) -> Result<htsp::RunResult, SimError> {
        let result = htsp::run(config, &mut |_| output::stop_if_interrupted())?;
        let total = result.total();
        self.ok &= result.ok() && total.frames_delivered == total.frames_sent && total.errored == 0;
        Ok(result)
    }

    fn size(&mut self, bytes: u32) -> Result<SizeRow, SimError> {
        (self.say)(&format!("measuring frames of {bytes} bytes"));
        let config = self.config(1, bytes, LineConfig::WIRES);
        // Of a run in one direction this is the share of that direction.
        let efficiency = self.run(&config)?.efficiency();
        let config = self.config(1, bytes, LineConfig::ethernet(100.0));
        let bandwidth = self.run(&config)?.efficiency() * 512.0 * CLOCK_HZ;
        let (mut latency_min, mut latency_max) = (u64::MAX, 0);
        for null_interval in PHASES {
            let single = RunConfig {
                packets: 1,
                null_interval,
                ..self.config(1, bytes, LineConfig::WIRES)
            };
            let latency = self.run(&single)?.latency;
            latency_min = latency_min.min(latency.min_cycles());
            latency_max = latency_max.max(latency.max_cycles());
        }
        let published = published::EFFICIENCY.iter().find(|row| row.0 == bytes);
        Ok(SizeRow {
            bytes,
            efficiency,
            rule: rule(bytes),
            published_efficiency: published.map(|row| row.1),
            bandwidth_gbps: bandwidth / 1e9,
            line_limit_gbps: line_gbps(bytes.into(), published::BURST.into()),
            paper_bandwidth_gbps: published::paper_bandwidth(bytes),
            frames_per_second: bandwidth / 8.0 / f64::from(bytes),
            latency_min,
            latency_max,
        })
    }

    fn ethernet(&mut self, phy: &'static str, coding: Coding) -> Result<EthernetRow, SimError> {
        (self.say)(&format!("measuring lanes of {phy}"));
        let lanes = PhyConfig::new(coding);
        let markers = 1.0 / lanes.period as f64;
        let mut config = self.config(1, published::BURST, LineConfig::WIRES);
        config.phy = Some(lanes);
        let bandwidth = self.run(&config)?.efficiency() * 512.0 * CLOCK_HZ;
        let mut single = self.config(1, 64, LineConfig::WIRES);
        single.packets = 1;
        single.phy = Some(PhyConfig {
            period: SOON,
            skew: 0,
            ..PhyConfig::new(coding)
        });
        Ok(EthernetRow {
            phy,
            bandwidth_gbps: bandwidth / 1e9,
            limit_gbps: (1.0 - markers)
                * line_gbps(published::BURST.into(), published::BURST.into()),
            latency_cycles: self.run(&single)?.latency.max_cycles(),
        })
    }

    /// Figures of the host ends, and why some are missing.
    fn host(&mut self, bytes: u64) -> (Vec<HostRow>, Option<String>) {
        (self.say)("measuring host ends");
        let row = |burst, backend, htsp| {
            let measure = if htsp { measure::htsp } else { measure::plain };
            let figures = measure(backend, bytes, usize::from(burst));
            figures.map(|figures| HostRow::new(burst, backend, htsp, &figures))
        };
        // A thread of its own has a network of its own.
        let thread = move || {
            if let Err(error) = Veth::new(9000) {
                return (Vec::new(), Some(format!("no network of its own: {error}")));
            }
            let mut rows = Vec::new();
            for backend in [Backend::Packet, Backend::Xdp] {
                for (burst, htsp) in HOST_BURSTS
                    .into_iter()
                    .flat_map(|it| [(it, true), (it, false)])
                {
                    match row(burst, backend, htsp) {
                        Ok(row) => rows.push(row),
                        Err(fault) => return (rows, Some(fault.to_string())),
                    }
                }
            }
            (rows, None)
        };
        let done = std::thread::scope(|scope| scope.spawn(thread).join());
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn channels(&mut self, vcs: u8) -> Result<ChannelsRow, SimError> {
        (self.say)(&format!("measuring {vcs} channels"));
        let mut config = self.config(vcs, published::BURST, LineConfig::ethernet(100.0));
        config.one_way = false;
        config.packets = config.packets.div_ceil(vcs.into());
        config
            .model
            .prepare(&mut |_| output::stop_if_interrupted())?;
        let begun = Instant::now();
        let result = self.run(&config)?;
        let seconds = begun.elapsed().as_secs_f64().max(1e-9);
        let published = published::CYCLES_PER_SECOND.iter().find(|row| row.0 == vcs);
        Ok(ChannelsRow {
            vcs,
            bandwidth_gbps: result.efficiency() * 512.0 * CLOCK_HZ / 1e9,
            link_up_cycles: result.link_up_cycles,
            cycles_per_second: result.cycles as f64 / seconds,
            published_cycles_per_second: published.map(|row| row.1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        assert_eq!(rule(64), 1.0 / 3.0);
        assert_eq!(rule(8192), 128.0 / 130.0);
        assert_eq!(rule(8192), rule(1 << 20));
        assert_eq!(rule(65), 65.0 / 256.0);
        assert!((line_gbps(8192, 8192) - 98.87).abs() < 5e-3);
    }
}
