// SPDX-License-Identifier: Apache-2.0
//! What the commands need of a simulator, so that they can be tested without one.

use ropewalk_sim::rifl::{
    self, Endpoint, Link, LinkConfig, Model, Now, Progress, RunConfig, RunResult, Users,
};
use ropewalk_sim::{Building, SimError};

/// Carries traffic over a RIFL link.
pub trait Simulator {
    /// Builds what it takes to run a model, unless it has been built before; calls `tell`
    /// meanwhile.
    ///
    /// # Errors
    /// Parameters out of range, or something that it takes to build it is missing.
    fn prepare(
        &self,
        model: Model,
        traced: bool,
        tell: &mut dyn FnMut(Building),
    ) -> Result<(), SimError>;

    /// Carries the traffic and measures; calls `progress` now and then.
    ///
    /// # Errors
    /// Parameters out of range, a simulator that cannot be built, or a trace file that cannot be
    /// written.
    fn run(
        &self,
        cfg: RunConfig,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<RunResult, SimError>;

    /// Saturates a link (A to B, and B to A if `both_ways`) for `cycles` GT cycles and gives the
    /// longest gaps that lie after cycle `from`.
    ///
    /// # Errors
    /// Parameters out of range, or a simulator that cannot be built.
    fn gaps(
        &self,
        link: &LinkConfig,
        both_ways: bool,
        from: u64,
        cycles: u64,
    ) -> Result<Gaps, SimError>;
}

/// Longest gaps in GT cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gaps {
    /// Between two beats accepted at A, at B.
    pub source: [u64; 2],
    /// Between two beats delivered at A, at B.
    pub sink: [u64; 2],
}

impl Gaps {
    /// The larger one of each.
    pub fn worst(self, other: Self) -> Self {
        let larger = |a: [u64; 2], b: [u64; 2]| [a[0].max(b[0]), a[1].max(b[1])];
        Self {
            source: larger(self.source, other.source),
            sink: larger(self.sink, other.sink),
        }
    }
}

/// The verilated RTL.
#[derive(Debug, Clone, Copy)]
pub struct Rtl;

impl Simulator for Rtl {
    fn prepare(
        &self,
        model: Model,
        traced: bool,
        tell: &mut dyn FnMut(Building),
    ) -> Result<(), SimError> {
        model.prepare(traced, tell)
    }

    fn run(
        &self,
        cfg: RunConfig,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<RunResult, SimError> {
        rifl::run(cfg, progress)
    }

    fn gaps(
        &self,
        link: &LinkConfig,
        both_ways: bool,
        from: u64,
        cycles: u64,
    ) -> Result<Gaps, SimError> {
        let mut users = Saturated {
            both_ways,
            from,
            ..Saturated::default()
        };
        let mut link = Link::new(link)?;
        while link.cycles() < cycles {
            link.tick(&mut users);
        }
        // A gap that is still open at the end counts as well.
        let end = Some(cycles);
        for side in 0..if both_ways { 2 } else { 1 } {
            users.gaps.source[side] =
                users.gaps.source[side].max(since(users.accepted[side], end, from));
            users.gaps.sink[1 - side] =
                users.gaps.sink[1 - side].max(since(users.delivered[1 - side], end, from));
        }
        Ok(users.gaps)
    }
}

/// Bytes of the widest beat: 8 lanes, frame width 2048.
const MAX_BEAT: usize = 2048;

/// Sources that always offer full beats of one endless packet, sinks that are always ready.
#[derive(Debug, Default)]
struct Saturated {
    both_ways: bool,
    from: u64,
    /// When a beat was last accepted at A, at B.
    accepted: [Option<u64>; 2],
    /// When a beat was last delivered at A, at B.
    delivered: [Option<u64>; 2],
    gaps: Gaps,
}

/// Length of the gap from `last` to `now`, if it ends after `from`.
fn since(last: Option<u64>, now: Option<u64>, from: u64) -> u64 {
    match (last, now) {
        (Some(last), Some(now)) if now >= from => now - last,
        _ => 0,
    }
}

impl Users for Saturated {
    fn before_clock(&mut self, now: Now, end: usize, endpoint: &Endpoint) {
        let now = Some(now.cycle);
        if endpoint.source_valid() && endpoint.source_ready() {
            self.gaps.source[end] =
                self.gaps.source[end].max(since(self.accepted[end], now, self.from));
            self.accepted[end] = now;
        }
        if endpoint.sink_ready() && endpoint.delivered().is_some() {
            self.gaps.sink[end] =
                self.gaps.sink[end].max(since(self.delivered[end], now, self.from));
            self.delivered[end] = now;
        }
    }

    fn after_clock(&mut self, _now: Now, end: usize, endpoint: &mut Endpoint) {
        if (end == 0 || self.both_ways) && !endpoint.source_valid() {
            endpoint.offer(&[0x5a; MAX_BEAT][..endpoint.beat_bytes()], false);
        }
        endpoint.set_sink_ready(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_gaps_that_end_after_the_start_count() {
        assert_eq!(since(Some(10), Some(90), 50), 80);
        assert_eq!(since(Some(10), Some(40), 50), 0);
        assert_eq!(since(None, Some(90), 50), 0);
    }
}
