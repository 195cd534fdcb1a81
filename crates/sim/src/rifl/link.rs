// SPDX-License-Identifier: Apache-2.0
//! Two endpoints, their clocks and the two channels between them.

use std::path::PathBuf;

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
    /// The wire from A to B.
    pub a_to_b: ChannelConfig,
    /// The wire from B to A.
    pub b_to_a: ChannelConfig,
    /// Write a waveform of both ends to this FST file.
    pub trace: Option<PathBuf>,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            model: Model::default(),
            line_rate_gbps: 28.0,
            ppm: 0.0,
            frame_phase: 0,
            a_to_b: ChannelConfig::default(),
            b_to_a: ChannelConfig {
                seed: 2,
                ..ChannelConfig::default()
            },
            trace: None,
        }
    }
}

impl LinkConfig {
    /// GT cycles of a frame.
    pub fn words_per_frame(&self) -> u64 {
        u64::from(self.model.frame_width) / 64
    }

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
        if u64::from(self.frame_phase) >= self.words_per_frame() {
            let last = self.words_per_frame() - 1;
            return bad(
                "frame_phase",
                format!("{} is not in 0 to {last}", self.frame_phase),
            );
        }
        self.a_to_b.validate()?;
        self.b_to_a.validate()
    }
}

/// What happens on the user sides of a link; called by [`Link::tick`].
pub trait Users {
    /// The frame clock of `end` (0: A, 1: B) is about to rise: what stands at the ports now is what both sides
    /// of each handshake see.
    fn before_frame(&mut self, now: Now, end: usize, endpoint: &Endpoint);
    /// The frame clock has risen: set the inputs for the next one.
    fn after_frame(&mut self, now: Now, end: usize, endpoint: &mut Endpoint);
    /// The transmit clock of `end` is about to rise while `sent` stands on its output; the receiver of the other
    /// end takes `received` at the same edge. Comes before [`Users::before_frame`] of this edge.
    #[inline]
    fn word(&mut self, now: Now, end: usize, sent: u64, received: u64) {
        let _ = (now, end, sent, received);
    }
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
    /// Edges so far.
    edges: u64,
    /// PHY edges until the frame clock rises with one; 1: with the next.
    until_frame: u64,
}

impl Clock {
    fn next_fs(&self) -> u64 {
        ((u128::from(self.edges) * u128::from(self.period)) >> 32) as u64
    }

    /// Counts one edge; true when the frame clock rises too.
    #[inline]
    fn advance(&mut self, words_per_frame: u64) -> bool {
        self.edges += 1;
        self.until_frame -= 1;
        let frame = self.until_frame == 0;
        if frame {
            self.until_frame = words_per_frame;
        }
        frame
    }
}

/// Two endpoints and the wire between them, out of reset at cycle 0.
#[derive(Debug)]
pub struct Link {
    /// Dropped before the endpoints it shows.
    trace: Option<Trace>,
    ends: [Endpoint; 2],
    /// A to B, B to A.
    channels: [Channel; 2],
    clocks: [Clock; 2],
    words_per_frame: u64,
    /// Both ends have one clock.
    lockstep: bool,
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
        let raw = RawModel::load(&config.model, traced, &mut |_| ())?;
        let context = raw.context();
        let end = |name| Endpoint::in_context(&context, name, config.model, raw, traced);
        let ends = [end("a")?, end("b")?];
        let trace = match &config.trace {
            Some(path) => Some(Trace::open(&context, path)?),
            None => None,
        };
        let cycle_fs = config.cycle_ns() * 1e6;
        let period = |fs: f64| (fs * (1u64 << 32) as f64).round() as u64;
        let phase = u64::from(config.frame_phase);
        let clock = |fs, phase| Clock {
            period: period(fs),
            edges: 0,
            until_frame: 1 + phase,
        };
        let mut link = Self {
            trace,
            ends,
            channels: [Channel::new(&config.a_to_b)?, Channel::new(&config.b_to_a)?],
            clocks: [
                clock(cycle_fs, 0),
                clock(cycle_fs / (1.0 + config.ppm * 1e-6), phase),
            ],
            words_per_frame: config.words_per_frame(),
            lockstep: config.ppm == 0.0,
            cycle_fs,
            cycle: 0,
            dump_fs: 0,
        };
        link.reset();
        Ok(link)
    }

    /// Runs the clocks with both ends in reset, the wire silent.
    fn reset(&mut self) {
        let start = self.clocks;
        for _ in 0..RESET_CYCLES {
            let half = (self.cycle_fs / 2.0) as u64;
            for (end, clock) in self.ends.iter_mut().zip(&mut self.clocks) {
                let frame = clock.advance(self.words_per_frame);
                end.step(Edges {
                    tx: true,
                    frame,
                    rx: true,
                });
            }
            self.dump(half);
            self.fall();
            self.dump(half);
        }
        self.clocks = start;
        for end in &mut self.ends {
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

    /// A to B, B to A.
    pub fn channel(&self, direction: usize) -> &Channel {
        &self.channels[direction & 1]
    }

    /// A to B, B to A, to take error times.
    pub fn channel_mut(&mut self, direction: usize) -> &mut Channel {
        &mut self.channels[direction & 1]
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

    /// Advances by one GT cycle of A, and by whatever B does in this time.
    ///
    /// The word that a register of one end drives since its edge n is taken by the other end at edge n+1 when the
    /// wire has no delay: the receive clock of each end is the transmit clock of its peer.
    #[inline]
    pub fn tick<U: Users + ?Sized>(&mut self, users: &mut U) {
        if self.lockstep && self.trace.is_none() {
            let time_fs = (self.cycle as f64 * self.cycle_fs) as u64;
            self.event(users, [true, true], time_fs);
        } else {
            self.tick_by_time(users);
        }
        self.cycle += 1;
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

    /// The transmit clocks of the ends in `rising` rise, and with each the receive clock of its peer.
    #[inline]
    fn event<U: Users + ?Sized>(&mut self, users: &mut U, rising: [bool; 2], time_fs: u64) {
        let now = Now {
            cycle: self.cycle,
            time_fs,
        };
        let mut frame = [false; 2];
        for end in 0..2 {
            if rising[end] {
                let sent = self.ends[end].tx_data();
                let received = self.channels[end].transfer(sent);
                users.word(now, end, sent, received);
                self.ends[1 - end].set_rx_data(received);
                frame[end] = self.clocks[end].advance(self.words_per_frame);
            }
        }
        for end in 0..2 {
            if frame[end] {
                users.before_frame(now, end, &self.ends[end]);
            }
            self.ends[end].step(Edges {
                tx: rising[end],
                frame: frame[end],
                rx: rising[1 - end],
            });
            if frame[end] {
                users.after_frame(now, end, &mut self.ends[end]);
            }
        }
    }
}
