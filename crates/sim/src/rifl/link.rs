// SPDX-License-Identifier: Apache-2.0
//! Two endpoints, their clocks and the two channels between them.

use std::path::PathBuf;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::endpoint::{Edges, Endpoint};
use super::ffi::RawModel;
use super::model::Model;
use crate::SimError;
use crate::channel::{Channel, ChannelConfig};
use crate::models::Trace;

/// GT cycles for which reset is held before cycle 0.
const RESET_CYCLES: u32 = 64;

/// Largest clock offset that is accepted. Real references differ by up to 200 ppm.
const MAX_PPM: f64 = 1000.0;

/// A link of two endpoints.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkConfig {
    /// The parameters of both ends.
    pub model: Model,
    /// Line rate of A in Gb/s; sets the length of a GT cycle (64 bits).
    pub line_rate_gbps: f64,
    /// How much faster B's clocks are than A's, in parts per million.
    pub ppm: f64,
    /// Delay of B's frame clock against A's, in GT cycles, 0 to F/64-1.
    pub frame_phase: u8,
    /// The wires from A to B, one per lane.
    pub a_to_b: Vec<ChannelConfig>,
    /// The wires from B to A, one per lane.
    pub b_to_a: Vec<ChannelConfig>,
    /// Resets of one end while the other one runs.
    pub resets: Vec<Reset>,
    /// The extended mode is built in, but neither end may use it: compatible mode with the same
    /// simulator.
    pub fall_back: bool,
    /// The run is short: the simulator is compiled in less time, and runs slower.
    pub brief: bool,
    /// Write a waveform of both ends to this FST file.
    pub trace: Option<PathBuf>,
}

/// A reset of one end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reset {
    /// 0: A, 1: B.
    pub end: usize,
    /// When it begins, in GT cycles of A.
    pub start_cycle: u64,
    /// How long it is held, in GT cycles of A: at least [`Reset::least_cycles`].
    pub cycles: u64,
}

impl Reset {
    /// Eight cycles of the slowest clock.
    pub fn least_cycles(model: &Model) -> u64 {
        8 * model.frame_cycles()
    }
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            model: Model::default(),
            line_rate_gbps: 28.0,
            ppm: 0.0,
            frame_phase: 0,
            a_to_b: vec![ChannelConfig::default()],
            b_to_a: vec![ChannelConfig {
                seed: 2,
                ..ChannelConfig::default()
            }],
            resets: Vec::new(),
            fall_back: false,
            brief: false,
            trace: None,
        }
    }
}

impl LinkConfig {
    /// Length of a GT cycle of A.
    pub fn cycle_ns(&self) -> f64 {
        64.0 / self.line_rate_gbps
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SimError> {
        let bad = |name, message| Err(SimError::BadParameter { name, message });
        self.model.validate()?;
        if !(0.1..=1000.0).contains(&self.line_rate_gbps) {
            return bad(
                "line_rate_gbps",
                format!("{} is not in 0.1 to 1000", self.line_rate_gbps),
            );
        }
        if !(-MAX_PPM..=MAX_PPM).contains(&self.ppm) {
            return bad(
                "ppm",
                format!("{} is not in -{MAX_PPM} to {MAX_PPM}", self.ppm),
            );
        }
        if u64::from(self.frame_phase) >= self.model.frame_cycles() {
            let last = self.model.frame_cycles() - 1;
            return bad(
                "frame_phase",
                format!("{} is not in 0 to {last}", self.frame_phase),
            );
        }
        for (name, wires) in [("a_to_b", &self.a_to_b), ("b_to_a", &self.b_to_a)] {
            if wires.len() != usize::from(self.model.lanes) {
                return bad(
                    name,
                    format!(
                        "{} wires for {} lanes; accepted: one per lane",
                        wires.len(),
                        self.model.lanes
                    ),
                );
            }
            wires.iter().try_for_each(ChannelConfig::validate)?;
        }
        let least = Reset::least_cycles(&self.model);
        for end in 0..2 {
            let mut resets: Vec<&Reset> = self.resets.iter().filter(|r| r.end == end).collect();
            resets.sort_by_key(|reset| reset.start_cycle);
            let mut free = 0;
            for reset in resets {
                if reset.cycles < least {
                    return bad(
                        "reset",
                        format!(
                            "{} cycles are too short; accepted: {least} or more",
                            reset.cycles
                        ),
                    );
                }
                if reset.start_cycle < free {
                    return bad(
                        "reset",
                        format!(
                            "one begins at cycle {}, but the one before it ends at {free}",
                            reset.start_cycle
                        ),
                    );
                }
                free = reset
                    .start_cycle
                    .saturating_add(reset.cycles)
                    .saturating_add(1);
            }
        }
        match self.resets.iter().find(|reset| reset.end > 1) {
            Some(reset) => bad("reset", format!("end {} is neither 0 nor 1", reset.end)),
            None => Ok(()),
        }
    }
}

/// What happens on the user sides of a link; called by [`Link::tick`].
pub trait Users {
    /// The user clock of `end` (0: A, 1: B) is about to rise: what stands at the ports now is what
    /// both sides of each handshake see.
    fn before_clock(&mut self, now: Now, end: usize, endpoint: &Endpoint);
    /// The user clock has risen: set the inputs for the next one.
    fn after_clock(&mut self, now: Now, end: usize, endpoint: &mut Endpoint);
    /// A reset of `end` begins (`true`) or ends, between two clocks.
    fn reset(&mut self, now: Now, end: usize, active: bool, endpoint: &mut Endpoint) {
        let _ = (now, end, active, endpoint);
    }
    /// The transmit clock of `end` is about to rise while a lane has `sent` on its output; the
    /// receiver of the other end takes `received` at the same edge. Comes before
    /// [`Users::before_clock`] of this edge.
    #[inline]
    fn word(&mut self, now: Now, end: usize, lane: usize, sent: u64, received: u64) {
        let _ = (now, end, lane, sent, received);
    }
}

/// Femtoseconds as the period of a clock.
fn period(fs: f64) -> u64 {
    (fs * (1u64 << 32) as f64).round() as u64
}

/// Length of a GT cycle of B.
fn period_of_b(cycle_fs: f64, ppm: f64) -> f64 {
    cycle_fs / (1.0 + ppm * 1e-6)
}

/// A point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// GT cycles of A since reset was released.
    pub cycle: u64,
    /// Femtoseconds since reset was released.
    pub time_fs: u64,
}

/// The clocks of one end.
#[derive(Debug, Clone, Copy)]
struct Clock {
    /// Period of the PHY clock in femtoseconds, 32 binary places.
    period: u64,
    /// Edges since `from_fs`.
    edges: u64,
    /// When the period was last set.
    from_fs: u64,
    /// PHY edges of a frame clock, of a user clock.
    divisors: [u64; 2],
    /// PHY edges until the frame clock, the user clock rises with one; 1: with the next.
    until: [u64; 2],
}

impl Clock {
    fn next_fs(&self) -> u64 {
        self.from_fs + ((u128::from(self.edges) * u128::from(self.period)) >> 32) as u64
    }

    /// The edges behind the next one have another distance.
    fn set_period(&mut self, period: u64) {
        self.from_fs = self.next_fs();
        self.edges = 0;
        self.period = period;
    }

    /// Counts one edge; says whether the frame clock and the user clock rise too.
    #[inline]
    fn advance(&mut self) -> [bool; 2] {
        self.edges += 1;
        let mut rise = [false; 2];
        for ((rise, until), divisor) in rise.iter_mut().zip(&mut self.until).zip(self.divisors) {
            *until -= 1;
            if *until == 0 {
                *rise = true;
                *until = divisor;
            }
        }
        rise
    }
}

/// Two endpoints and the wire between them, out of reset at cycle 0.
#[derive(Debug)]
pub struct Link {
    /// Dropped before the endpoints it shows.
    trace: Option<Trace>,
    ends: [Endpoint; 2],
    /// A to B, B to A; one per lane.
    channels: [Vec<Channel>; 2],
    clocks: [Clock; 2],
    /// Resets to come, the next one last: cycle, end, beginning or end of it.
    resets: Vec<(u64, usize, bool)>,
    /// Cycle of the next one.
    next_reset: u64,
    /// Draws what sessions are numbered by.
    seeds: Xoshiro256PlusPlus,
    /// Both ends have one clock.
    lockstep: bool,
    /// Lane of the receiver that each lane of A leads to, each lane of B.
    routes: [Vec<usize>; 2],
    cycle_fs: f64,
    cycle: u64,
    /// Time of what is dumped, from the beginning of the reset.
    dump_fs: u64,
}

impl Link {
    /// Two endpoints after reset.
    ///
    /// # Errors
    /// As [`LinkConfig::validate`] and [`Model::prepare`], or the trace cannot be written.
    pub fn new(config: &LinkConfig) -> Result<Self, SimError> {
        config.validate()?;
        let traced = config.trace.is_some();
        let raw = RawModel::load(&config.model.recipe(traced, config.brief), &mut |_| ())?;
        let context = raw.context();
        let end = |name| Endpoint::in_context(&context, name, config.model, raw, traced);
        let mut ends = [end("a")?, end("b")?];
        if config.fall_back {
            ends.iter_mut().for_each(Endpoint::fall_back);
        }
        let trace = match &config.trace {
            Some(path) => Some(Trace::open(&context, path)?),
            None => None,
        };
        let cycle_fs = config.cycle_ns() * 1e6;
        let phase = u64::from(config.frame_phase);
        let divisors = [config.model.frame_cycles(), config.model.user_cycles()];
        let wires = |configs: &[ChannelConfig]| -> Result<Vec<Channel>, SimError> {
            configs.iter().map(Channel::new).collect()
        };
        let clock = |fs, phase| Clock {
            period: period(fs),
            edges: 0,
            from_fs: 0,
            divisors,
            until: divisors.map(|cycles| 1 + phase % cycles),
        };
        let mut link = Self {
            trace,
            ends,
            channels: [wires(&config.a_to_b)?, wires(&config.b_to_a)?],
            clocks: [
                clock(cycle_fs, 0),
                clock(period_of_b(cycle_fs, config.ppm), phase),
            ],
            resets: Vec::new(),
            next_reset: u64::MAX,
            seeds: Xoshiro256PlusPlus::seed_from_u64(config.a_to_b[0].seed),
            lockstep: config.ppm == 0.0,
            routes: [0, 1].map(|_| (0..usize::from(config.model.lanes)).collect()),
            cycle_fs,
            cycle: 0,
            dump_fs: 0,
        };
        link.reset();
        for reset in &config.resets {
            let end = reset.start_cycle.saturating_add(reset.cycles);
            link.resets.push((reset.start_cycle, reset.end, true));
            link.resets.push((end, reset.end, false));
        }
        link.resets.sort_unstable_by(|a, b| b.cmp(a));
        link.next_reset = link.resets.last().map_or(u64::MAX, |next| next.0);
        Ok(link)
    }

    /// Runs the clocks with both ends in reset, the wire silent.
    fn reset(&mut self) {
        let start = self.clocks;
        for _ in 0..RESET_CYCLES {
            let half = (self.cycle_fs / 2.0) as u64;
            for (end, clock) in self.ends.iter_mut().zip(&mut self.clocks) {
                let [frame, user] = clock.advance();
                end.step(Edges {
                    tx: true,
                    frame,
                    user,
                    rx: true,
                });
            }
            self.dump(half);
            self.fall();
            self.dump(half);
        }
        self.clocks = start;
        for end in &mut self.ends {
            end.set_session_seed(self.seeds.next_u64() as u16);
            end.set_reset(false);
        }
    }

    fn dump(&mut self, step_fs: u64) {
        if let Some(trace) = &mut self.trace {
            trace.dump(self.dump_fs);
            self.dump_fs += step_fs;
        }
    }

    fn fall(&mut self) {
        if self.trace.is_some() {
            for end in &mut self.ends {
                end.fall();
            }
        }
    }

    /// A, B.
    pub fn endpoint(&self, end: usize) -> &Endpoint {
        &self.ends[end & 1]
    }

    /// A, B, to set inputs.
    pub fn endpoint_mut(&mut self, end: usize) -> &mut Endpoint {
        &mut self.ends[end & 1]
    }

    /// The wires A to B, B to A; one per lane.
    pub fn channels(&self, direction: usize) -> &[Channel] {
        &self.channels[direction & 1]
    }

    /// The same, to flip bits or take error times.
    pub fn channels_mut(&mut self, direction: usize) -> &mut [Channel] {
        &mut self.channels[direction & 1]
    }

    /// Bits flipped so far A to B, B to A, all lanes.
    pub fn bit_errors(&self) -> [u64; 2] {
        [0, 1].map(|direction: usize| self.channels[direction].iter().map(Channel::errors).sum())
    }

    /// GT cycles of A since reset was released.
    #[inline]
    pub fn cycles(&self) -> u64 {
        self.cycle
    }

    /// Length of a GT cycle of A in nanoseconds.
    pub fn cycle_ns(&self) -> f64 {
        self.cycle_fs * 1e-6
    }

    /// From now on B's clocks are so much faster than A's, in parts per million.
    ///
    /// # Errors
    /// As [`LinkConfig::validate`].
    pub fn set_ppm(&mut self, ppm: f64) -> Result<(), SimError> {
        if !(-MAX_PPM..=MAX_PPM).contains(&ppm) {
            return Err(SimError::BadParameter {
                name: "ppm",
                message: format!("{ppm} is not in -{MAX_PPM} to {MAX_PPM}"),
            });
        }
        self.clocks[1].set_period(period(period_of_b(self.cycle_fs, ppm)));
        // What the clocks have drifted apart stays.
        self.lockstep = false;
        Ok(())
    }

    /// Two lanes of a direction change their places at the receiver.
    ///
    /// # Panics
    /// There is no such lane.
    pub fn swap_lanes(&mut self, direction: usize, one: usize, other: usize) {
        self.routes[direction & 1].swap(one, other);
    }

    /// Lane of the receiver that each lane of the sender leads to.
    pub fn routes(&self, direction: usize) -> &[usize] {
        &self.routes[direction & 1]
    }

    /// An end is reset from now on for this number of GT cycles of A, and at least for
    /// [`Reset::least_cycles`]. Does nothing while a reset of this end is under way or scheduled.
    pub fn reset_now(&mut self, end: usize, cycles: u64) {
        let end = end & 1;
        if self.resets.iter().any(|reset| reset.1 == end) {
            return;
        }
        let cycles = cycles.max(Reset::least_cycles(&self.ends[end].model()));
        let until = self.cycle.saturating_add(cycles);
        self.resets.push((self.cycle, end, true));
        self.resets.push((until, end, false));
        self.resets.sort_unstable_by(|a, b| b.cmp(a));
        self.next_reset = self.resets.last().map_or(u64::MAX, |next| next.0);
    }

    /// Advances by one GT cycle of A, and by whatever B does in this time.
    ///
    /// The word that a register of one end drives since its edge n is taken by the other end at
    /// edge n+1 when the wire has no delay: the receive clock of each end is the transmit clock of
    /// its peer.
    #[inline]
    pub fn tick<U: Users + ?Sized>(&mut self, users: &mut U) {
        if self.cycle >= self.next_reset {
            self.resets_of_now(users);
        }
        if self.lockstep && self.trace.is_none() {
            let time_fs = (self.cycle as f64 * self.cycle_fs) as u64;
            self.event(users, [true, true], time_fs);
        } else {
            self.tick_by_time(users);
        }
        self.cycle += 1;
    }

    /// Begins and ends the resets that are due.
    #[cold]
    fn resets_of_now<U: Users + ?Sized>(&mut self, users: &mut U) {
        let now = Now {
            cycle: self.cycle,
            time_fs: (self.cycle as f64 * self.cycle_fs) as u64,
        };
        while let Some((_, end, active)) = self.resets.pop_if(|next| next.0 <= now.cycle) {
            let endpoint = &mut self.ends[end];
            if endpoint.model().extended {
                endpoint.set_session_seed(self.seeds.next_u64() as u16);
                endpoint.set_link_reset(active);
            } else {
                endpoint.set_reset(active);
            }
            users.reset(now, end, active, &mut self.ends[end]);
        }
        self.next_reset = self.resets.last().map_or(u64::MAX, |next| next.0);
    }

    /// Events of both ends in order of time, up to and including the next one of A.
    #[cold]
    fn tick_by_time<U: Users + ?Sized>(&mut self, users: &mut U) {
        loop {
            let [a, b] = [self.clocks[0].next_fs(), self.clocks[1].next_fs()];
            let rising = [a <= b, b <= a];
            self.event(users, rising, a.min(b));
            if self.trace.is_some() {
                let next = self.clocks[0].next_fs().min(self.clocks[1].next_fs());
                let gap = next - a.min(b);
                let high =
                    gap.min((self.cycle_fs / 2.0) as u64) / if self.lockstep { 1 } else { 2 };
                self.dump(high);
                self.fall();
                self.dump(gap - high);
            }
            if rising[0] {
                return;
            }
        }
    }

    /// The transmit clocks of the ends in `rising` rise, and with each the receive clock of its
    /// peer.
    #[inline]
    fn event<U: Users + ?Sized>(&mut self, users: &mut U, rising: [bool; 2], time_fs: u64) {
        let now = Now {
            cycle: self.cycle,
            time_fs,
        };
        let mut rise = [[false; 2]; 2];
        for end in 0..2 {
            if rising[end] {
                for (lane, channel) in self.channels[end].iter_mut().enumerate() {
                    let sent = self.ends[end].tx_data(lane);
                    let received = channel.transfer(sent);
                    users.word(now, end, lane, sent, received);
                    self.ends[1 - end].set_rx_data(self.routes[end][lane], received);
                }
                rise[end] = self.clocks[end].advance();
            }
        }
        for (end, [frame, user]) in rise.into_iter().enumerate() {
            if user {
                users.before_clock(now, end, &self.ends[end]);
            }
            self.ends[end].step(Edges {
                tx: rising[end],
                frame,
                user,
                rx: rising[1 - end],
            });
            if user {
                users.after_clock(now, end, &mut self.ends[end]);
            }
        }
    }
}
