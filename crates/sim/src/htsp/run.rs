// SPDX-License-Identifier: Apache-2.0
//! Two cores back to back, loaded on all channels both ways, and what has become of every packet.

use std::collections::VecDeque;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::end::{End, RESET, Settings, WORD};
use super::ffi::RawModel;
use super::flow::{Counts, Flow};
use super::line::LineConfig;
use super::lines::Lines;
use super::model::Model;
use super::op_codes::{OpCodeCounts, OpCodes};
use super::phy::{PhyConfig, PhyCounts};
use crate::{LatencyHistogram, SimError};

/// Cycles without anything that moves until a run is over, or hangs: many times the longest burst
/// and alive time.
const QUIET: u64 = 20_000;
/// Periods of markers in which lanes come up, at most, many times over.
const PERIODS: u64 = 12;
/// Cycles that a packet takes at most from the core that took its last word to its peer.
const UNDER_WAY: u64 = 1000;

/// A run.
#[derive(Debug, Clone)]
pub struct RunConfig {
    /// Both ends.
    pub model: Model,
    /// Cycles without a frame until a header alone is sent.
    pub null_interval: u32,
    /// Cycles without a good frame until the link is down.
    pub alive: u32,
    /// Words in a burst.
    pub burst: u8,
    /// Both directions of the line.
    pub line: LineConfig,
    /// Lanes in place of the line.
    pub phy: Option<PhyConfig>,
    /// Packets of each channel in each direction.
    pub packets: u64,
    /// Shortest and longest packet, bytes.
    pub sizes: (u32, u32),
    /// Probability that a user takes nothing in a cycle.
    pub stall: f64,
    /// Channels, one bit each, whose users take nothing until everything else is done.
    pub blocked: u16,
    /// B sends nothing.
    pub one_way: bool,
    /// Op-codes in each direction.
    pub op_codes: u64,
    /// Of everything random.
    pub seed: u64,
}

/// What has become of everything.
#[derive(Debug, Clone)]
pub struct RunResult {
    /// Bytes of a beat of the streams.
    pub beat_bytes: u8,
    /// Cycles until the last packet was out, from the end of the reset.
    pub cycles: u64,
    /// Cycles until both ends were ready to send.
    pub link_up_cycles: u64,
    /// Cycles from the first word taken to the last one out.
    pub busy_cycles: u64,
    /// First word in to first word out, of packets that arrived whole.
    pub latency: LatencyHistogram,
    /// By direction and channel.
    pub channels: [Vec<Counts>; 2],
    /// Frames that the lines lost.
    pub frames_lost: u64,
    /// Frames that the lines damaged.
    pub frames_damaged: u64,
    /// Frames that the receivers found missing.
    pub told_lost: u64,
    /// Words that had no room in a receive buffer.
    pub overflows: u64,
    /// What the lanes have seen, if there were any.
    pub phy: Option<PhyCounts>,
    /// Packets that were handed over shortly before a link went down, or while it was.
    pub cut_off: u64,
    /// Both directions.
    pub op_codes: OpCodeCounts,
    /// From the core that took an op-code to the one that gave it out.
    pub op_code_latency: LatencyHistogram,
    /// Op-codes that were handed over shortly before a link went down, or while it was.
    pub op_codes_cut_off: u64,
    /// The run came to its end by itself.
    pub ended: bool,
}

impl RunResult {
    /// Counts of a channel, both ways.
    #[must_use]
    pub fn channel(&self, channel: usize) -> Counts {
        let mut sum = Counts::default();
        for direction in &self.channels {
            sum += direction[channel];
        }
        sum
    }

    /// Counts of all channels, both ways.
    #[must_use]
    pub fn total(&self) -> Counts {
        let mut sum = Counts::default();
        for counts in self.channels.iter().flatten() {
            sum += *counts;
        }
        sum
    }

    /// Nothing wrong was delivered, nothing overflowed, and what is missing was told: by a mark in
    /// its channel, or, if it was in one frame as a whole, by the count of missing frames, or by
    /// the link that went down. An op-code is in one header.
    #[must_use]
    pub fn ok(&self) -> bool {
        let total = self.total();
        let told = self.told_lost + self.cut_off;
        self.ended
            && total.corrupted + self.op_codes.corrupted == 0
            && self.overflows == 0
            && total.lost <= told
            && self.op_codes.lost <= self.told_lost + self.op_codes_cut_off
    }

    /// Payload delivered per direction that was loaded, as a share of what a full beat each cycle
    /// would be.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        let loaded = self
            .channels
            .iter()
            .filter(|channels| channels.iter().any(|counts| counts.frames_sent > 0))
            .count();
        let beats = self.total().bytes_delivered as f64 / f64::from(self.beat_bytes);
        beats / (self.busy_cycles.max(1) as f64 * loaded.max(1) as f64)
    }
}

/// Runs it. `tell` is told now and then how many packets have come out; when it unwinds, the run
/// stops.
///
/// # Errors
/// A parameter is out of range, or the simulator cannot be built.
pub fn run(config: &RunConfig, tell: &mut dyn FnMut(u64)) -> Result<RunResult, SimError> {
    let mut bench = Bench::new(config)?;
    loop {
        bench.cycle();
        if bench.now.is_multiple_of(1024) {
            tell(bench.delivered);
            if bench.is_over() {
                return Ok(bench.finish());
            }
        }
    }
}

/// When an end took what, lately.
#[derive(Default)]
struct Recent {
    /// Packets, to their last word.
    packets: VecDeque<u64>,
    op_codes: VecDeque<u64>,
}

/// Both ends with their users and the lines between them.
struct Bench<'a> {
    config: &'a RunConfig,
    ends: [End; 2],
    lines: Lines,
    /// When packets of each end were taken as a whole, and when op-codes were, lately.
    taken_at: [Recent; 2],
    /// Cycles without anything that moves until the run is over.
    quiet: u64,
    flows: [Vec<Flow>; 2],
    op_codes: [OpCodes; 2],
    seeds: Xoshiro256PlusPlus,
    /// Of 32 random bits: below it a user is not ready.
    threshold: u64,
    /// Users of each end that are ready, a bit for each channel.
    ready: [u16; 2],
    /// Channels whose users are not ready until all else is over.
    blocked: u16,
    now: u64,
    moved_at: u64,
    first_at: Option<u64>,
    delivered: u64,
    result: RunResult,
}

impl<'a> Bench<'a> {
    fn new(config: &'a RunConfig) -> Result<Self, SimError> {
        config.model.validate()?;
        if config.phy.is_some() && usize::from(config.model.bytes) != WORD {
            return Err(SimError::BadParameter {
                name: "bytes",
                message: format!("{} with lanes, which take {WORD}", config.model.bytes),
            });
        }
        let raw = RawModel::load(&config.model.recipe(), &mut |_| ())?;
        let context = raw.context();
        let channels = config.model.channels;
        let mut seeds = Xoshiro256PlusPlus::seed_from_u64(config.seed);
        let depth = config.model.rx_depth;
        let end = |name, last| {
            let settings = Settings {
                mac: [0x02, 0, 0, 0, 0, last],
                null_interval: config.null_interval,
                alive: config.alive,
                burst: config.burst,
                // As the published core: a quarter; the rest is for what is under way.
                pause_level: (depth / 4) as u16,
                resume_level: (depth / 4 - depth / 16) as u16,
            };
            End::new(&context, name, raw, config.model, &settings)
        };
        let mut ends = [end("a", 0x0a)?, end("b", 0x0b)?];
        let line_seeds = [0, 1].map(|_| seeds.next_u64());
        let lines = Lines::new(config.line, config.phy.as_ref(), line_seeds)?;
        let period = config.phy.as_ref().map_or(0, |phy| phy.period as u64);
        let flows = [0, 1].map(|direction| {
            (0..channels)
                .map(|_| {
                    let packets = if direction == 1 && config.one_way {
                        0
                    } else {
                        config.packets
                    };
                    Flow::new(packets, config.sizes, config.model.bytes, seeds.next_u64())
                })
                .collect::<Vec<_>>()
        });
        let op_codes = [0, 1].map(|direction| {
            let silent = direction == 1 && config.one_way;
            let count = if silent { 0 } else { config.op_codes };
            OpCodes::new(count, seeds.next_u64())
        });
        for end in &mut ends {
            for _ in 0..RESET {
                end.step();
            }
            end.set_reset(false);
        }
        Ok(Self {
            config,
            ends,
            lines,
            taken_at: Default::default(),
            // 20 slots of 8 bytes are a row.
            quiet: QUIET + PERIODS * period * 5 / 2,
            flows,
            op_codes,
            seeds,
            threshold: (config.stall * 2f64.powi(32)) as u64,
            ready: [0; 2],
            blocked: config.blocked,
            now: 0,
            moved_at: 0,
            first_at: None,
            delivered: 0,
            result: RunResult {
                beat_bytes: config.model.bytes,
                cycles: 0,
                link_up_cycles: 0,
                busy_cycles: 0,
                latency: LatencyHistogram::default(),
                channels: [Vec::new(), Vec::new()],
                frames_lost: 0,
                frames_damaged: 0,
                told_lost: 0,
                overflows: 0,
                phy: None,
                cut_off: 0,
                op_codes: OpCodeCounts::default(),
                op_code_latency: LatencyHistogram::default(),
                op_codes_cut_off: 0,
                ended: false,
            },
        })
    }

    /// One clock cycle of both ends.
    fn cycle(&mut self) {
        self.now += 1;
        // What stands at the ports before the edge moves with it.
        self.open_users();
        let mut sent = [None; 2];
        for (e, sent) in sent.iter_mut().enumerate() {
            for c in 0..self.config.model.channels {
                self.exchange(e, c);
            }
            self.exchange_op_codes(e);
            let end = &mut self.ends[e];
            let line_ready = self.lines.ready(e);
            end.set_line_ready(line_ready);
            if line_ready {
                *sent = end.sent();
            }
            let events = end.events();
            self.result.told_lost += u64::from(events.lost);
            self.result.overflows += u64::from(events.overflow.count_ones());
        }
        let arrived = self.lines.pass(self.now, sent);
        for (e, (end, beat)) in self.ends.iter_mut().zip(&arrived).enumerate() {
            end.receive(beat.as_ref());
            end.set_hearing(self.lines.hears(e));
        }
        self.cut_off();
        for end in &mut self.ends {
            end.step();
        }
        let mut ends = self.ends.iter();
        if self.result.link_up_cycles == 0 && ends.all(|end| end.link_up() && end.remote_ready()) {
            self.result.link_up_cycles = self.now;
        }
    }

    /// Packets and op-codes that a link which goes down takes along, which its users know by that.
    fn cut_off(&mut self) {
        for e in 0..2 {
            let down = !self.lines.hears(1 - e) && self.result.link_up_cycles > 0;
            let Recent { packets, op_codes } = &mut self.taken_at[e];
            for (recent, cut_off) in [
                (packets, &mut self.result.cut_off),
                (op_codes, &mut self.result.op_codes_cut_off),
            ] {
                while recent.front().is_some_and(|at| at + UNDER_WAY < self.now) {
                    recent.pop_front();
                }
                if down {
                    *cut_off += recent.len() as u64;
                    recent.clear();
                }
            }
        }
    }

    /// Draws which users take what comes.
    fn open_users(&mut self) {
        for e in 0..2 {
            let random = self.seeds.next_u64();
            for c in 0..self.config.model.channels {
                let open = self.blocked >> c & 1 == 0
                    && (self.threshold == 0
                        || random.rotate_left(u32::from(c) * 4) & 0xffff_ffff >= self.threshold);
                self.ends[e].set_ready(c, open);
                self.ready[e] = self.ready[e] & !(1 << c) | u16::from(open) << c;
            }
        }
    }

    /// What the user of channel `c` gives to end `e`, and takes from it.
    fn exchange(&mut self, e: usize, c: u8) {
        let (end, now) = (&mut self.ends[e], self.now);
        let flow = &mut self.flows[e][usize::from(c)];
        // Users begin with a link, so that the latency is that of the core.
        let beat = if self.result.link_up_cycles > 0 {
            flow.offered()
        } else {
            None
        };
        end.offer(c, beat.as_ref());
        if beat.is_some() && end.takes(c) {
            flow.taken(now);
            if beat.is_some_and(|beat| beat.last) {
                self.taken_at[e].packets.push_back(now);
            }
            self.first_at.get_or_insert(now);
            self.moved_at = now;
        }
        if self.ready[e] >> c & 1 != 0
            && let Some(beat) = end.offered(c)
        {
            let flow = &mut self.flows[1 - e][usize::from(c)];
            flow.came(now, &beat, &mut self.result.latency);
            self.delivered += u64::from(beat.last);
            self.moved_at = now;
            self.result.cycles = now;
        }
    }

    /// The op-code that end `e` is given, and the one that it gives out.
    fn exchange_op_codes(&mut self, e: usize) {
        let (end, now) = (&mut self.ends[e], self.now);
        let offered = if self.result.link_up_cycles > 0 {
            self.op_codes[e].offered(now)
        } else {
            None
        };
        end.offer_op_code(offered);
        if offered.is_some() && end.takes_op_code() {
            self.op_codes[e].taken(now);
            self.taken_at[e].op_codes.push_back(now);
            self.moved_at = now;
        }
        if let Some(op_code) = end.op_code() {
            self.op_codes[1 - e].came(now, &op_code, &mut self.result.op_code_latency);
            self.moved_at = now;
        }
    }

    /// Whether nothing more is to come; opens what is blocked before that.
    fn is_over(&mut self) -> bool {
        let all = |settled: fn(&Flow) -> bool| self.flows.iter().flatten().all(settled);
        let quiet = self.now - self.moved_at > self.quiet;
        if self.blocked != 0 && quiet {
            self.blocked = 0;
            self.moved_at = self.now;
            return false;
        }
        // A header alone may be on a line at any moment; whatever else was on it has come when it
        // is quiet.
        let op_codes = |settled: fn(&OpCodes) -> bool| self.op_codes.iter().all(settled);
        let over = all(Flow::is_settled) && op_codes(OpCodes::is_settled) || quiet;
        self.result.ended = over && all(Flow::is_done) && op_codes(OpCodes::is_done);
        over
    }

    fn finish(self) -> RunResult {
        let mut result = self.result;
        result.busy_cycles = result.cycles.saturating_sub(self.first_at.unwrap_or(0)) + 1;
        (result.frames_lost, result.frames_damaged) = self.lines.missing();
        result.phy = self.lines.counts();
        for op_codes in &self.op_codes {
            result.op_codes += op_codes.finish();
        }
        let flows = self.flows;
        result.channels = flows.map(|flows| flows.iter().map(Flow::finish).collect());
        result
    }
}
