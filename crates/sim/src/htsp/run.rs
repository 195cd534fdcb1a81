// SPDX-License-Identifier: Apache-2.0
//! Two cores back to back, loaded on all channels both ways, and what has become of every packet.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::end::{End, RESET, Settings};
use super::ffi::RawModel;
use super::flow::{Counts, Flow};
use super::line::{Line, LineConfig};
use super::model::Model;
use crate::{LatencyHistogram, SimError};

/// Cycles without anything that moves until a run is over, or hangs: many times the longest burst and alive time.
const QUIET: u64 = 20_000;

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
    /// Of everything random.
    pub seed: u64,
}

/// What has become of everything.
#[derive(Debug, Clone)]
pub struct RunResult {
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

    /// Nothing wrong was delivered, nothing overflowed, and what is missing was told: by a mark in its channel, or, if it was in one
    /// frame as a whole, by the count of missing frames.
    #[must_use]
    pub fn ok(&self) -> bool {
        let total = self.total();
        self.ended && total.corrupted == 0 && self.overflows == 0 && total.lost <= self.told_lost
    }

    /// Payload delivered per direction that was loaded, as a share of what a word each cycle would be.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        let loaded = self
            .channels
            .iter()
            .filter(|channels| channels.iter().any(|counts| counts.frames_sent > 0))
            .count();
        let words = self.total().bytes_delivered as f64 / 64.0;
        words / (self.busy_cycles.max(1) as f64 * loaded.max(1) as f64)
    }
}

/// Runs it. `tell` is told now and then how many packets have come out; when it unwinds, the run stops.
///
/// # Errors
/// A parameter is out of range, or the simulator cannot be built.
pub fn run(config: &RunConfig, tell: &mut dyn FnMut(u64)) -> Result<RunResult, SimError> {
    config.model.validate()?;
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
    let mut lines = [0, 1].map(|_| Line::new(config.line, seeds.next_u64()));
    let mut flows = [0, 1].map(|direction| {
        (0..channels)
            .map(|_| {
                let packets = if direction == 1 && config.one_way {
                    0
                } else {
                    config.packets
                };
                Flow::new(packets, config.sizes, seeds.next_u64())
            })
            .collect::<Vec<_>>()
    });
    let threshold = (config.stall * 2f64.powi(32)) as u64;
    for end in &mut ends {
        for _ in 0..RESET {
            end.step();
        }
        end.set_reset(false);
    }

    let mut result = RunResult {
        cycles: 0,
        link_up_cycles: 0,
        busy_cycles: 0,
        latency: LatencyHistogram::default(),
        channels: [Vec::new(), Vec::new()],
        frames_lost: 0,
        frames_damaged: 0,
        told_lost: 0,
        overflows: 0,
        ended: false,
    };
    let (mut now, mut moved_at, mut first_at, mut delivered) = (0u64, 0u64, None, 0u64);
    let mut ready = [0u16; 2];
    let mut blocked = config.blocked;
    loop {
        now += 1;
        // What stands at the ports before the edge moves with it.
        for e in 0..2 {
            let random = seeds.next_u64();
            for c in 0..channels {
                let open = blocked >> c & 1 == 0
                    && (threshold == 0
                        || random.rotate_left(u32::from(c) * 4) & 0xffff_ffff >= threshold);
                ends[e].set_ready(c, open);
                ready[e] = ready[e] & !(1 << c) | u16::from(open) << c;
            }
        }
        let mut sent = [None; 2];
        for e in 0..2 {
            for c in 0..channels {
                let flow = &mut flows[e][usize::from(c)];
                // Users begin with a link, so that the latency is that of the core.
                let beat = if result.link_up_cycles > 0 {
                    flow.offered()
                } else {
                    None
                };
                ends[e].offer(c, beat.as_ref());
                if beat.is_some() && ends[e].takes(c) {
                    flow.taken(now);
                    first_at.get_or_insert(now);
                    moved_at = now;
                }
                if ready[e] >> c & 1 != 0
                    && let Some(beat) = ends[e].offered(c)
                {
                    let flow = &mut flows[1 - e][usize::from(c)];
                    flow.came(now, &beat, &mut result.latency);
                    delivered += u64::from(beat.last);
                    moved_at = now;
                    result.cycles = now;
                }
            }
            let line_ready = lines[e].ready();
            ends[e].set_line_ready(line_ready);
            if line_ready {
                sent[e] = ends[e].sent();
            }
            let events = ends[e].events();
            result.told_lost += u64::from(events.lost);
            result.overflows += u64::from(events.overflow.count_ones());
        }
        for e in 0..2 {
            lines[e].pass(now, sent[e]);
            let arrived = lines[e].arrives(now);
            ends[1 - e].receive(arrived.as_ref());
        }
        for end in &mut ends {
            end.step();
        }
        if result.link_up_cycles == 0 && ends.iter().all(|end| end.link_up() && end.remote_ready())
        {
            result.link_up_cycles = now;
        }
        if now.is_multiple_of(1024) {
            tell(delivered);
            let all = |settled: fn(&Flow) -> bool| flows.iter().flatten().all(settled);
            let quiet = now - moved_at > QUIET;
            if blocked != 0 && quiet {
                blocked = 0;
                moved_at = now;
            } else if all(Flow::is_settled) || quiet {
                // A header alone may be on a line at any moment; whatever else was on it has come when it is quiet.
                result.ended = all(Flow::is_done);
                break;
            }
        }
    }
    result.busy_cycles = result.cycles.saturating_sub(first_at.unwrap_or(0)) + 1;
    result.frames_lost = lines.iter().map(|line| line.lost).sum();
    result.frames_damaged = lines.iter().map(|line| line.hurt).sum();
    result.channels = flows.map(|flows| flows.iter().map(Flow::finish).collect());
    Ok(result)
}
