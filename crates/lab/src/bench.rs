// SPDX-License-Identifier: Apache-2.0
//! The measurements of `ropewalk bench rifl`, as plain data.
//!
//! Each one is made under the conditions of the published figure that it is printed beside: the
//! same link, 28 Gb/s a lane, K = 64 unless said otherwise.

use std::thread::{Scope, ScopedJoinHandle};

use ropewalk_channel::seed::Seeds;
use ropewalk_console::output;
use ropewalk_sim::rifl::{LinkConfig, Model, RunConfig, RunResult, Traffic};
use ropewalk_sim::{ChannelConfig, Cut, CutKind, LatencyHistogram, SimError};
use ropewalk_wire::rifl::FrameWidth;
use ropewalk_wire::rifl::plan::framing;
use serde::Serialize;

use crate::figure_9::{self, Composed, Estimate, Method};
use crate::paper_tables::PaperTables;
use crate::progress;
use crate::published;
use crate::recovery::{recoveries, windows};
use crate::simulator::{Gaps, Simulator};

const LINE_RATE_GBPS: f64 = 28.0;
/// Frame widths whose link-up is measured.
const FRAME_WIDTHS: [u16; 2] = [256, 512];
/// K = 64.
const ID_WIDTH: u8 = 6;
/// The widest link, 224 Gb/s of line rate, and the sizes of packets on it: what a frame holds, a
/// beat, and what fills the frames of 31 beats exactly among them.
pub const WIDEST: published::Link = published::Link {
    lanes: 8,
    user_width: 512,
    frame_width: 512,
};
const WIDEST_BYTES: [u32; 6] = [62, 64, 256, 1500, 1984, 8192];
/// The links of the plots over packet size and bit error rate.
pub const SWEPT: [published::Link; 2] = [
    published::EFFICIENCY_LINKS[2],
    published::EFFICIENCY_LINKS[5],
];
/// Further sizes for the plots.
const SWEPT_BYTES: std::ops::RangeInclusive<u32> = 1..=1536;
const SWEPT_STEP: usize = 7;
/// Further bit error rates for the plots: three between one decade and the next, as in the paper.
const SWEPT_RATES: [f64; 9] = [
    1.8e-8, 3.2e-8, 5.6e-8, 1.8e-7, 3.2e-7, 5.6e-7, 1.8e-6, 3.2e-6, 5.6e-6,
];
/// By then every link without errors is up and in steady state.
const STEADY_CYCLE: u64 = 40_000;

/// K of the paper's figure 9.
const PAPER_ID_WIDTH: u8 = 8;
/// Least bit error rate at which figure 9 has runs with errors too.
const LEAST_OF_RUNS: f64 = 1e-6;
/// Length of a window of such a run.
const WINDOW_CYCLES: u64 = 25_000;

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Fewer packets: seconds.
    Quick,
    /// What the tables need: minutes.
    Tables,
    /// More packet sizes and bit error rates as well, for the plots.
    Long,
}

/// Everything that was measured.
#[derive(Debug, Clone, Serialize)]
pub struct Bench {
    /// Nothing was lost, duplicated, reordered or corrupted in any run.
    pub ok: bool,
    /// `rifl`.
    pub core: &'static str,
    /// Where the `published` figures come from.
    pub published_source: &'static str,
    /// Seed of everything random.
    pub seed: u64,
    /// Fewer and shorter runs.
    pub quick: bool,
    /// More packet sizes and bit error rates.
    pub long: bool,
    /// First beat in to first beat out.
    pub latency: Vec<LatencyRow>,
    /// Payload bits over line bits.
    pub efficiency: Vec<EfficiencyRow>,
    /// Gaps after one damaged frame.
    pub stall: Vec<StallRow>,
    /// Goodput with bit errors over goodput without.
    pub goodput: Vec<GoodputRow>,
    /// Release of reset to both ends up.
    pub link_up: Vec<LinkUpRow>,
    /// GT cycles per second of wall clock, two endpoints.
    pub speed: Vec<SpeedRow>,
    /// Tables of the paper, calculated.
    pub paper_tables: PaperTables,
    /// Figure 9 of the paper, if that was wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figure_9: Option<Vec<figure_9::Row>>,
}

/// Latency over all packets of a run, both directions, in GT cycles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Quantiles {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// 99 %.
    pub p99: u64,
    /// 99.9 %.
    pub p999: u64,
    /// 99.99 %.
    pub p9999: u64,
    /// Largest.
    pub max: u64,
}

impl Quantiles {
    fn of(result: &RunResult) -> Self {
        let mut all = LatencyHistogram::default();
        for direction in &result.directions {
            all.merge(&direction.latency);
        }
        Self {
            mean: all.mean_cycles(),
            p50: all.p50_cycles(),
            p99: all.p99_cycles(),
            p999: all.p999_cycles(),
            p9999: all.quantile_cycles(0.9999),
            max: all.max_cycles(),
        }
    }
}

/// Latency of packets of one size, no wire delay, in GT cycles.
#[derive(Debug, Clone, Serialize)]
pub struct LatencyRow {
    /// The link.
    #[serde(flatten)]
    pub link: published::Link,
    /// Bytes of a packet.
    pub bytes: u32,
    /// The packet fits one segment, which is one frame on each lane of a group.
    pub one_frame: bool,
    /// Median, both frame clocks in phase.
    pub p50: u64,
    /// Largest, both frame clocks in phase.
    pub max: u64,
    /// Smallest over all phases of the frame clocks.
    pub any_phase_min: u64,
    /// Largest over all phases of the frame clocks.
    pub any_phase_max: u64,
    /// Of the published core: smallest and largest, frame clocks in phase.
    pub published: [u64; 2],
}

/// Efficiency for packets of one size.
#[derive(Debug, Clone, Serialize)]
pub struct EfficiencyRow {
    /// The link.
    #[serde(flatten)]
    pub link: published::Link,
    /// Bytes of a packet.
    pub bytes: u32,
    /// Payload bits over line bits.
    pub efficiency: f64,
    /// The limit that the framing sets.
    pub framing: f64,
    /// Of the published core; null: not measured.
    pub published: Option<f64>,
    /// Latency in the same run, no wire delay.
    pub latency_cycles: Quantiles,
}

/// Gaps after one damaged frame, the worst over the places of the damage, in GT cycles.
#[derive(Debug, Clone, Serialize)]
pub struct StallRow {
    /// In extended mode; the published figures beside it are those of the published core all the
    /// same.
    pub extended: bool,
    /// The link.
    #[serde(flatten)]
    pub link: published::Link,
    /// Delay of the wire in GT cycles.
    pub delay_cycles: u64,
    /// Between two beats delivered, in the damaged direction, one-way traffic.
    pub sink: u64,
    /// Between two beats accepted, in the damaged direction, one-way traffic.
    pub source: u64,
    /// Between two beats delivered in the opposite direction, traffic both ways.
    pub opposite: u64,
    /// Of the published core.
    pub published_sink: u64,
    /// Of the published core.
    pub published_source: u64,
    /// Of the published core.
    pub published_opposite: Option<u64>,
}

/// Goodput at one bit error rate, packets of 1 to 8192 bytes both ways, wire delay 35 cycles.
#[derive(Debug, Clone, Serialize)]
pub struct GoodputRow {
    /// In extended mode; the published figures beside it are those of the published core all the
    /// same.
    pub extended: bool,
    /// The link.
    #[serde(flatten)]
    pub link: published::Link,
    /// Frame id width in bits.
    pub id_width: u8,
    /// Bit error rate.
    pub ber: f64,
    /// Bits that were flipped.
    pub bit_errors: u64,
    /// Goodput over goodput without errors.
    pub ratio: f64,
    /// Of the published core; null: not measured, or its run did not come to an end.
    pub published: Option<&'static str>,
    /// Latency in the same run, wire delay included.
    pub latency_cycles: Quantiles,
}

/// Link-up over bit slips and wire delays, in GT cycles.
#[derive(Debug, Clone, Serialize)]
pub struct LinkUpRow {
    /// In extended mode; the published figures beside it are those of the published core all the
    /// same.
    pub extended: bool,
    /// Frame width in bits.
    pub frame_width: u16,
    /// Links tried.
    pub links: usize,
    /// Fastest.
    pub min: u64,
    /// Slowest.
    pub max: u64,
}

/// Simulation speed, 1500-byte packets both ways.
#[derive(Debug, Clone, Serialize)]
pub struct SpeedRow {
    /// The link.
    #[serde(flatten)]
    pub link: published::Link,
    /// GT cycles per second of wall clock.
    pub cycles_per_second: f64,
}

/// Makes measurements, one after the other.
pub struct Bencher<'a> {
    simulator: &'a (dyn Simulator + Sync),
    seeds: Seeds,
    effort: Effort,
    ok: bool,
    say: &'a (dyn Fn(&str) + Sync),
}

impl std::fmt::Debug for Bencher<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bencher")
            .field("effort", &self.effort)
            .field("ok", &self.ok)
            .finish_non_exhaustive()
    }
}

impl<'a> Bencher<'a> {
    /// All measurements; `say` is told what is being measured. They share the processor, but for
    /// the speed of the simulation itself.
    ///
    /// # Errors
    /// A simulator cannot be built.
    pub fn all(
        simulator: &'a (dyn Simulator + Sync),
        seed: u64,
        effort: Effort,
        figure_9: bool,
        say: &'a (dyn Fn(&str) + Sync),
    ) -> Result<Bench, SimError> {
        let mut seeds = Seeds::new(seed);
        let mut bencher = || Bencher {
            simulator,
            seeds: Seeds::new(seeds.next_seed()),
            effort,
            ok: true,
            say,
        };
        let (latency, efficiency, stall, goodput, link_up, figure) = std::thread::scope(|scope| {
            let latency = bencher().beside(scope, Self::latency);
            let efficiency = bencher().beside(scope, Self::efficiency);
            let stall = bencher().beside(scope, Self::stall);
            let goodput = bencher().beside(scope, Self::goodput);
            let link_up = bencher().beside(scope, Self::link_up);
            let figure = figure_9.then(|| bencher().beside(scope, Self::figure_9));
            (
                ended(latency),
                ended(efficiency),
                ended(stall),
                ended(goodput),
                ended(link_up),
                figure.map(ended).transpose(),
            )
        });
        let mut last = bencher();
        let speed = last.speed()?;
        let ((latency, a), (efficiency, b), (stall, c), (goodput, d), (link_up, e)) =
            (latency?, efficiency?, stall?, goodput?, link_up?);
        let (figure_9, f) = figure?.unzip();
        Ok(Bench {
            ok: a && b && c && d && e && f.unwrap_or(true) && last.ok,
            core: "rifl",
            published_source: published::SOURCE,
            seed,
            quick: effort == Effort::Quick,
            long: effort == Effort::Long,
            latency,
            efficiency,
            stall,
            goodput,
            link_up,
            speed,
            paper_tables: PaperTables::new(),
            figure_9,
        })
    }

    /// Some of them on a thread of its own; also whether nothing was lost in them.
    fn beside<'scope, T: Send + 'scope>(
        mut self,
        scope: &'scope Scope<'scope, '_>,
        measure: fn(&mut Self) -> Result<T, SimError>,
    ) -> ScopedJoinHandle<'scope, Measured<T>>
    where
        'a: 'scope,
    {
        scope.spawn(move || measure(&mut self).map(|rows| (rows, self.ok)))
    }

    fn measuring(&mut self, what: &str) {
        (self.say)(&format!("measuring {what}"));
    }

    fn pick<T>(&self, quick: T, thorough: T) -> T {
        if self.effort == Effort::Quick {
            quick
        } else {
            thorough
        }
    }

    fn link(&mut self, link: published::Link, id_width: u8, delay_cycles: u64) -> LinkConfig {
        let published::Link {
            lanes,
            user_width,
            frame_width,
        } = link;
        let mut wires = || {
            (0..lanes)
                .map(|_| ChannelConfig {
                    delay_bits: 64 * delay_cycles,
                    seed: self.seeds.next_seed(),
                    ..Default::default()
                })
                .collect()
        };
        LinkConfig {
            model: Model {
                lanes,
                frame_width,
                user_width,
                id_width,
                extended: false,
                strong_code: false,
            },
            line_rate_gbps: LINE_RATE_GBPS,
            a_to_b: wires(),
            b_to_a: wires(),
            ..Default::default()
        }
    }

    fn prepare(&mut self, link: &LinkConfig) -> Result<(), SimError> {
        let model = link.model;
        self.simulator.prepare(model, false, &mut |step| {
            output::stop_if_interrupted();
            (self.say)(&progress::building(&progress::rifl(model), step));
        })
    }

    fn run(
        &mut self,
        link: LinkConfig,
        packets: u64,
        sizes: (u32, u32),
    ) -> Result<RunResult, SimError> {
        let (min, max) = sizes;
        let mut traffic = || Traffic::Random {
            packets,
            min,
            max,
            seed: self.seeds.next_seed(),
        };
        let traffic = [traffic(), traffic()];
        let seed = self.seeds.next_seed();
        let config = RunConfig {
            link,
            traffic,
            seed,
            watchdog_cycles: 4_000_000,
            ..Default::default()
        };
        self.prepare(&config.link)?;
        let result = self
            .simulator
            .run(config, &mut |_| output::stop_if_interrupted())?;
        self.ok &= result.is_lossless() && !result.stalled && result.rx_overflow == [false; 2];
        Ok(result)
    }

    fn latency(&mut self) -> Result<Vec<LatencyRow>, SimError> {
        let packets = self.pick(50, 2000);
        let mut rows = Vec::new();
        for figures in published::LATENCY {
            let link = figures.link;
            let segment = self.link(link, ID_WIDTH, 0).model.segment_bytes();
            for (bytes, one_frame) in [(1, true), (segment, true), (256, false), (1500, false)] {
                self.measuring(&format!("latency, {}, {bytes} bytes", name(link)));
                let mut row = LatencyRow {
                    link,
                    bytes,
                    one_frame,
                    p50: 0,
                    max: 0,
                    any_phase_min: u64::MAX,
                    any_phase_max: 0,
                    published: if one_frame {
                        figures.one_segment
                    } else {
                        figures.longer
                    },
                };
                for frame_phase in 0..(link.frame_width / 64) as u8 {
                    let link = LinkConfig {
                        frame_phase,
                        ..self.link(link, ID_WIDTH, 0)
                    };
                    let result = self.run(link, packets, (bytes, bytes))?;
                    for direction in &result.directions {
                        row.any_phase_min = row.any_phase_min.min(direction.latency.min_cycles());
                        row.any_phase_max = row.any_phase_max.max(direction.latency.max_cycles());
                    }
                    if frame_phase == 0 {
                        row.p50 = result.directions[0].latency.p50_cycles();
                        row.max = result.directions[0].latency.max_cycles();
                    }
                }
                rows.push(row);
            }
        }
        Ok(rows)
    }

    fn efficiency(&mut self) -> Result<Vec<EfficiencyRow>, SimError> {
        let mut rows = Vec::new();
        for (i, link) in published::EFFICIENCY_LINKS.into_iter().enumerate() {
            for (bytes, published) in published::EFFICIENCY {
                let published = Some(published[i]);
                rows.push(self.efficiency_at(link, bytes, published)?);
            }
        }
        for bytes in WIDEST_BYTES {
            rows.push(self.efficiency_at(WIDEST, bytes, None)?);
        }
        if self.effort == Effort::Long {
            for link in SWEPT {
                for bytes in SWEPT_BYTES.step_by(SWEPT_STEP) {
                    rows.push(self.efficiency_at(link, bytes, None)?);
                }
            }
        }
        Ok(rows)
    }

    fn efficiency_at(
        &mut self,
        link: published::Link,
        bytes: u32,
        published: Option<f64>,
    ) -> Result<EfficiencyRow, SimError> {
        self.measuring(&format!("efficiency, {}, {bytes} bytes", name(link)));
        // Several lanes are slower to simulate, and carry as much in less time. Where many sizes
        // make a curve each of them need not be as exact.
        let cycles: u64 = match (link.lanes, published) {
            (8, _) => self.pick(60_000, 100_000),
            (_, None) => 30_000,
            (1, _) => self.pick(60_000, 400_000),
            _ => self.pick(60_000, 300_000),
        };
        let config = self.link(link, ID_WIDTH, 0);
        let frames = config.model.packet_frames(bytes);
        let frame_times = cycles / config.model.frame_cycles() * u64::from(link.lanes);
        let packets = (frame_times / frames).max(2);
        let result = self.run(config, packets, (bytes, bytes))?;
        let frame = FrameWidth::new(u32::from(link.frame_width));
        Ok(EfficiencyRow {
            link,
            bytes,
            efficiency: result.directions[0].efficiency,
            framing: frame.map_or(f64::NAN, |frame| {
                framing::rifl(frame, u32::from(link.user_width), bytes)
            }),
            published,
            latency_cycles: Quantiles::of(&result),
        })
    }

    fn stall(&mut self) -> Result<Vec<StallRow>, SimError> {
        let places = self.pick(4, 64);
        let mut rows = Vec::new();
        for (extended, figures) in in_both_modes(published::STALL) {
            let published::Stall {
                link, delay_cycles, ..
            } = figures;
            self.measuring(&format!(
                "stall, {}, wire delay {delay_cycles}{}",
                name(link),
                mode(extended)
            ));
            let (mut one_way, mut both_ways) = (Gaps::default(), Gaps::default());
            for place in 0..places {
                let mut config = self.link(link, ID_WIDTH, delay_cycles);
                config.model.extended = extended;
                // One damaged word is one damaged frame: without a slip a word lies in one frame.
                let cut = Cut {
                    start_word: STEADY_CYCLE + 1000 + place,
                    words: 1,
                    kind: CutKind::Noise,
                };
                config.a_to_b[0].cuts.push(cut);
                let end = STEADY_CYCLE + 8000;
                self.prepare(&config)?;
                one_way = one_way.worst(self.simulator.gaps(&config, false, STEADY_CYCLE, end)?);
                both_ways =
                    both_ways.worst(self.simulator.gaps(&config, true, STEADY_CYCLE, end)?);
            }
            rows.push(StallRow {
                extended,
                link,
                delay_cycles,
                sink: one_way.sink[1],
                source: one_way.source[0],
                opposite: both_ways.sink[0],
                published_sink: figures.sink,
                published_source: figures.source,
                published_opposite: figures.opposite,
            });
        }
        Ok(rows)
    }

    fn goodput(&mut self) -> Result<Vec<GoodputRow>, SimError> {
        let mut rows = Vec::new();
        for (extended, figures) in in_both_modes(published::GOODPUT) {
            let published::Goodput {
                link,
                id_width,
                ratio,
            } = figures;
            let measured = format!(
                "goodput, {}, id width {id_width}{}",
                name(link),
                mode(extended)
            );
            self.measuring(&measured);
            let mut config = self.link(link, id_width, published::GOODPUT_DELAY_CYCLES);
            config.model.extended = extended;
            let packets = self.pick(200, 1000);
            let baseline = mean_goodput(&self.run(config, packets, (1, 8192))?);
            for (ber, published) in self.error_rates(link, id_width, ratio) {
                self.measuring(&format!("{measured}, BER {ber:e}"));
                let mut config = self.link(link, id_width, published::GOODPUT_DELAY_CYCLES);
                config.model.extended = extended;
                for wire in config.a_to_b.iter_mut().chain(&mut config.b_to_a) {
                    wire.ber = ber;
                }
                let packets = self.goodput_packets(ber);
                let result = self.run(config, packets, (1, 8192))?;
                rows.push(GoodputRow {
                    extended,
                    link,
                    id_width,
                    ber,
                    bit_errors: result.bit_errors.iter().sum(),
                    ratio: mean_goodput(&result) / baseline,
                    published,
                    latency_cycles: Quantiles::of(&result),
                });
            }
        }
        Ok(rows)
    }

    /// Bit error rates of a link with the published ratios, ascending.
    fn error_rates(
        &self,
        link: published::Link,
        id_width: u8,
        ratio: [Option<&'static str>; 4],
    ) -> Vec<(f64, Option<&'static str>)> {
        let mut rates: Vec<_> = published::BIT_ERROR_RATES.into_iter().zip(ratio).collect();
        if self.effort == Effort::Long && link == SWEPT[0] && id_width == ID_WIDTH {
            rates.extend(SWEPT_RATES.map(|ber| (ber, None)));
            rates.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        rates
    }

    /// Enough packets for some errors, few enough to end soon.
    fn goodput_packets(&self, ber: f64) -> u64 {
        if self.effort == Effort::Long {
            // The rare latencies need many errors: some hundred.
            let packets = 400.0 / ber / (2.0 * 8.0 * 4096.0);
            return packets.clamp(400.0, 20_000.0) as u64;
        }
        match ber {
            b if b < 5e-8 => self.pick(300, 6000),
            b if b < 5e-7 => self.pick(2000, 4000),
            b if b < 5e-6 => self.pick(300, 2000),
            _ => self.pick(60, 400),
        }
    }

    /// The link of the figure in both modes, and once with the K of the paper.
    fn figure_9(&mut self) -> Result<Vec<figure_9::Row>, SimError> {
        let mut rows = Vec::new();
        for (extended, id_width) in [(true, ID_WIDTH), (false, ID_WIDTH), (false, PAPER_ID_WIDTH)] {
            rows.extend(self.curve(SWEPT[0], id_width, extended)?);
        }
        Ok(rows)
    }

    /// One of its curves.
    fn curve(
        &mut self,
        link: published::Link,
        id_width: u8,
        extended: bool,
    ) -> Result<Vec<figure_9::Row>, SimError> {
        let say = self.say;
        let name = format!("figure 9, K = {}{}", 1u32 << id_width, mode(extended));
        let mut config = self.link(link, id_width, published::GOODPUT_DELAY_CYCLES);
        config.model.extended = extended;
        self.prepare(&config)?;
        let levels = figure_9::levels(
            id_width,
            config.model.frame_cycles(),
            link.lanes,
            self.pick(40, 500),
        );
        let tell = |what: &str, done: usize, total: usize| {
            output::stop_if_interrupted();
            say(&format!("measuring {name}, {what} {done} of {total}"));
        };
        let mut told = |done, total| tell("recovery", done, total);
        let (quiet, seed) = (self.pick(64, 320), self.seeds.next_seed());
        let measured = recoveries(&config, quiet, &levels, seed, &mut told)?;
        let composed = Composed::new(&measured, self.seeds.next_seed());
        self.ok &= measured.ok;
        let row = |ber, method, estimate: Estimate| figure_9::Row {
            extended,
            link,
            id_width,
            ber,
            method,
            ratio: 1.0 - estimate.lost.value,
            estimate,
        };
        let highest = levels.last().map_or(0.0, |level| level.ber);
        let mut rows = Vec::new();
        for ber in (0..figure_9::POINTS).map(figure_9::rate) {
            // What is no multiple of a root of ten stands for it.
            if ber <= highest * 1.02 {
                rows.push(row(ber, Method::Recoveries, composed.at(ber)));
            }
            if ber >= LEAST_OF_RUNS * 0.99 {
                for wire in config.a_to_b.iter_mut().chain(&mut config.b_to_a) {
                    wire.ber = ber;
                }
                let mut told = |done, total| tell(&format!("BER {ber:.1e}, window"), done, total);
                let (count, seed) = (self.pick(10, 40), self.seeds.next_seed());
                let (run, ok) = windows(&config, count, WINDOW_CYCLES, seed, &mut told)?;
                self.ok &= ok;
                let seed = self.seeds.next_seed();
                let estimate = figure_9::of_run(&run, &measured.quiet, seed);
                rows.push(row(ber, Method::Run, estimate));
            }
        }
        Ok(rows)
    }

    fn link_up(&mut self) -> Result<Vec<LinkUpRow>, SimError> {
        let slips: Vec<u8> = (0..64).step_by(self.pick(16, 1)).collect();
        let mut rows = Vec::new();
        for (extended, frame_width) in in_both_modes(FRAME_WIDTHS) {
            self.measuring(&format!(
                "link-up, frame width {frame_width}{}",
                mode(extended)
            ));
            let mut times = Vec::new();
            for delay_cycles in [0, 35] {
                for &slip in &slips {
                    let mut link = self.link(one_lane(frame_width), ID_WIDTH, delay_cycles);
                    link.model.extended = extended;
                    link.a_to_b[0].slip_bits = slip;
                    // The two ends see different slips, and every one occurs.
                    link.b_to_a[0].slip_bits = ((u32::from(slip) * 37 + 11) % 64) as u8;
                    let cycle_ns = link.cycle_ns();
                    if let Some(ns) = self.run(link, 1, (1, 1))?.link_up_ns {
                        times.push((ns / cycle_ns).round() as u64);
                    }
                }
            }
            rows.push(LinkUpRow {
                extended,
                frame_width,
                links: times.len(),
                min: times.iter().copied().min().unwrap_or(0),
                max: times.iter().copied().max().unwrap_or(0),
            });
        }
        Ok(rows)
    }

    fn speed(&mut self) -> Result<Vec<SpeedRow>, SimError> {
        let packets = self.pick(1500, 12_000);
        let mut rows = Vec::new();
        for link in [one_lane(256), one_lane(512), published::EFFICIENCY_LINKS[2]] {
            self.measuring(&format!("simulation speed, {}", name(link)));
            let config = self.link(link, ID_WIDTH, 0);
            let result = self.run(config, packets, (1500, 1500))?;
            rows.push(SpeedRow {
                link,
                cycles_per_second: result.sim_cycles_per_second,
            });
        }
        Ok(rows)
    }
}

/// Rows, and whether nothing was lost in any run.
type Measured<T> = Result<(T, bool), SimError>;

/// What a thread has measured; its panic goes on here.
fn ended<T>(thread: ScopedJoinHandle<'_, Measured<T>>) -> Measured<T> {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Mean of both directions in Gb/s.
fn mean_goodput(result: &RunResult) -> f64 {
    let goodput = result.directions.iter().map(|d| d.goodput_gbps);
    goodput.sum::<f64>() / 2.0
}

/// Everything once in compatible and then in extended mode.
fn in_both_modes<T: Clone>(
    list: impl IntoIterator<Item = T> + Clone,
) -> impl Iterator<Item = (bool, T)> {
    let both = [false, true].map(|extended| (extended, list.clone()));
    both.into_iter()
        .flat_map(|(extended, list)| list.into_iter().map(move |item| (extended, item)))
}

/// What is added to the name of a measurement.
fn mode(extended: bool) -> &'static str {
    if extended { ", extended" } else { "" }
}

fn one_lane(frame_width: u16) -> published::Link {
    published::Link {
        lanes: 1,
        user_width: frame_width,
        frame_width,
    }
}

/// A link in the notation of the tables: lanes, user width, frame width.
pub fn name(link: published::Link) -> String {
    format!("{}/{}/{}", link.lanes, link.user_width, link.frame_width)
}
