// SPDX-License-Identifier: Apache-2.0
//! What bit errors cost a RIFL link, error by error: the simulated RTL between two undisturbed
//! states.
//!
//! A recovery begins with a bit error on an undisturbed link and ends when all transmitters have
//! been in their normal state, without a further error, for [`SETTLED`] cycles. What happens
//! between two recoveries does not depend on the errors. So the link renews itself, and its
//! goodput at any bit error rate follows from the recoveries and how often they come
//! ([`crate::figure_9`]).

use std::collections::VecDeque;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_channel::Gaps;
use ropewalk_sim::SimError;
use ropewalk_sim::rifl::{Endpoint, Link, LinkConfig, Now, TxState, Users};

/// Cycles without an error and in the normal state after which a recovery has ended: more than a
/// round trip, after which an error has shown itself, and the line is full again.
pub const SETTLED: u64 = 512;
/// The same before the first recovery: by then every link without errors is up and in steady state.
const STEADY: u64 = 40_000;
/// Cycles of a window without errors: whole cycles of every user's clock.
const QUIET: u64 = 6400;
/// Cycles between two recoveries: the least, and how many more at most. An error hits any word of a
/// frame, and any frame of a packet.
const PAUSE: (u64, u64) = (64, 512);
/// Bytes of the packets, as in the paper.
const SIZES: (u64, u64) = (1, 8192);
/// Cycles that a recovery may last.
const LONGEST: u64 = 100_000_000;
/// Bytes of the widest beat.
const MAX_BEAT: usize = 2048;

/// How recoveries are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Bit error rate within a recovery.
    pub ber: f64,
    /// How many of them.
    pub recoveries: usize,
}

/// A stretch of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stretch {
    /// GT cycles.
    pub cycles: u64,
    /// Beats delivered, both directions.
    pub beats: u64,
    /// Cycles from first beat in to first beat out, of the packets that began to come out
    /// meanwhile.
    pub latency: Vec<u32>,
}

/// From a bit error to an undisturbed link.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovery {
    /// Which [`Level`] it was drawn at.
    pub level: usize,
    /// Bits that could have been hit after the first one.
    pub bits: u64,
    /// Those that were.
    pub errors: u64,
    /// What was delivered meanwhile.
    pub stretch: Stretch,
    /// What was delivered since the recovery before, on the undisturbed link. A recovery ends at a
    /// place of its own in the cycle of the user's clock, so a part of a beat is now in the one and
    /// now in the other.
    pub pause: Stretch,
}

/// All that was measured of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Recoveries {
    /// How they were drawn.
    pub levels: Vec<Level>,
    /// Bits that the wires carry in a cycle.
    pub bits_per_cycle: u64,
    /// The undisturbed link, in windows of the same length.
    pub quiet: Vec<Stretch>,
    /// In the order of the levels.
    pub list: Vec<Recovery>,
    /// Every beat came once, in order, unchanged.
    pub ok: bool,
}

/// The sizes of the packets of a direction, beat by beat.
#[derive(Debug, Clone)]
struct Beats {
    rng: Xoshiro256PlusPlus,
    left: u64,
    number: u64,
}

impl Beats {
    fn new(seed: u64) -> Self {
        Self {
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            left: 0,
            number: 0,
        }
    }

    /// The next beat: whether it is the first of its packet, its bytes, whether it is the last.
    fn next(&mut self, width: usize) -> (bool, usize, bool) {
        let first = self.left == 0;
        if first {
            self.left = SIZES.0 + self.rng.next_u64() % (SIZES.1 - SIZES.0 + 1);
        }
        let count = self.left.min(width as u64);
        self.left -= count;
        self.number += 1;
        (first, count as usize, self.left == 0)
    }
}

/// One direction: what is sent and what has to come.
#[derive(Debug)]
struct Direction {
    sent: Beats,
    due: Beats,
    /// The beat on offer is the first of its packet.
    first: bool,
    offered: bool,
    /// When packets began that have not come out yet.
    begun: VecDeque<u64>,
}

/// Sources that always have something, sinks that always take it.
struct Busy {
    directions: [Direction; 2],
    beat: [u8; MAX_BEAT],
    stretch: Stretch,
    /// Last cycle in which a transmitter was not in its normal state.
    disturbed: u64,
    ok: bool,
}

impl Busy {
    fn new(seed: u64) -> Self {
        let mut seeds = Xoshiro256PlusPlus::seed_from_u64(seed);
        let directions = [(); 2].map(|()| {
            let sent = Beats::new(seeds.next_u64());
            Direction {
                due: sent.clone(),
                sent,
                first: false,
                offered: false,
                begun: VecDeque::new(),
            }
        });
        Self {
            directions,
            beat: [0; MAX_BEAT],
            stretch: Stretch::default(),
            disturbed: 0,
            ok: true,
        }
    }

    /// What has happened since the last call.
    fn take(&mut self) -> Stretch {
        std::mem::take(&mut self.stretch)
    }

    fn deliver(
        &mut self,
        now: u64,
        direction: usize,
        data: Option<&[u8]>,
        last: bool,
        width: usize,
    ) {
        let due = &mut self.directions[direction];
        let mark = due.due.number.to_le_bytes();
        let (first, count, end) = due.due.next(width);
        let head = count.min(mark.len());
        let right = data.is_some_and(|data| {
            let rest = data.iter().skip(head);
            data.len() == count
                && data[..head] == mark[..head]
                && rest.copied().all(|byte| byte == 0)
        });
        self.ok &= right && last == end;
        self.stretch.beats += 1;
        if first && let Some(begun) = due.begun.pop_front() {
            self.stretch.latency.push((now - begun) as u32);
        }
    }
}

impl Users for Busy {
    fn before_clock(&mut self, now: Now, end: usize, endpoint: &Endpoint) {
        let normal = |lane| endpoint.tx_state(lane) == TxState::Normal;
        if !(0..endpoint.lanes()).all(normal) {
            self.disturbed = now.cycle;
        }
        let own = &mut self.directions[end];
        if own.offered && endpoint.source_ready() {
            own.offered = false;
            if own.first {
                own.begun.push_back(now.cycle);
            }
        }
        if endpoint.sink_ready()
            && let Some(beat) = endpoint.delivered()
        {
            self.deliver(
                now.cycle,
                1 - end,
                beat.bytes(),
                beat.last,
                endpoint.beat_bytes(),
            );
        }
    }

    fn after_clock(&mut self, _now: Now, end: usize, endpoint: &mut Endpoint) {
        let own = &mut self.directions[end];
        if !own.offered {
            let mark = own.sent.number.to_le_bytes();
            let (first, count, last) = own.sent.next(endpoint.beat_bytes());
            self.beat[..mark.len()].copy_from_slice(&mark);
            endpoint.offer(&self.beat[..count], last);
            (own.first, own.offered) = (first, true);
        }
        endpoint.set_sink_ready(true);
    }
}

/// A link with its users.
struct Bench {
    link: Link,
    users: Busy,
    lanes: u64,
    rng: Xoshiro256PlusPlus,
}

impl Bench {
    /// A link in steady state.
    fn new(config: &LinkConfig, seed: u64) -> Result<Self, SimError> {
        let mut seeds = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut bench = Self {
            link: Link::new(config)?,
            users: Busy::new(seeds.next_u64()),
            lanes: u64::from(config.model.lanes),
            rng: seeds,
        };
        bench.run(STEADY);
        bench.users.take();
        Ok(bench)
    }

    fn bits_per_cycle(&self) -> u64 {
        64 * 2 * self.lanes
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.link.tick(&mut self.users);
        }
    }

    /// Flips a bit of the next words of all wires.
    fn flip(&mut self, bit: u64) {
        let wire = bit / 64;
        let direction = (wire / self.lanes) as usize;
        let lane = (wire % self.lanes) as usize;
        if let Some(channel) = self.link.channels_mut(direction).get_mut(lane) {
            channel.flip(bit % 64);
        }
    }

    /// What passes without errors.
    fn pause(&mut self) -> Stretch {
        let cycles = PAUSE.0 + self.rng.next_u64() % PAUSE.1;
        self.calm(cycles)
    }

    /// The same, so long.
    fn calm(&mut self, cycles: u64) -> Stretch {
        self.run(cycles);
        Stretch {
            cycles,
            ..self.users.take()
        }
    }

    fn recovery(&mut self, level: usize, ber: f64) -> Result<Recovery, SimError> {
        let width = self.bits_per_cycle();
        let first = self.rng.next_u64() % width;
        self.flip(first);
        self.run(1);
        let begun = self.link.cycles();
        let mut gaps = Gaps::new(ber, Xoshiro256PlusPlus::seed_from_u64(self.rng.next_u64()));
        let mut next = gaps.next(0);
        let (mut errors, mut last) = (0, begun);
        loop {
            let now = self.link.cycles();
            if now - last.max(self.users.disturbed) >= SETTLED {
                break;
            }
            if now - begun > LONGEST {
                return Err(SimError::BadParameter {
                    name: "ber",
                    message: format!("at {ber:e} a recovery has not ended within {LONGEST} cycles"),
                });
            }
            let end = (now - begun + 1) * width;
            while next < end {
                self.flip(next % width);
                (errors, last) = (errors + 1, now);
                next = gaps.next(next + 1);
            }
            self.run(1);
        }
        let cycles = self.link.cycles() - begun;
        Ok(Recovery {
            level,
            bits: cycles * width,
            errors,
            stretch: Stretch {
                cycles,
                ..self.users.take()
            },
            pause: Stretch::default(),
        })
    }
}

/// Draws recoveries of a link, whose wires must have no errors of their own, after `windows`
/// windows without errors; `tell` hears how many of how many there are.
///
/// # Errors
/// Parameters out of range, a simulator that cannot be built, or a recovery that does not end.
pub fn recoveries(
    config: &LinkConfig,
    windows: usize,
    levels: &[Level],
    seed: u64,
    tell: &mut dyn FnMut(usize, usize),
) -> Result<Recoveries, SimError> {
    let mut bench = Bench::new(config, seed)?;
    let total = levels.iter().map(|level| level.recoveries).sum();
    let quiet = (0..windows).map(|_| bench.calm(QUIET)).collect();
    let mut list = Vec::with_capacity(total);
    for (place, level) in levels.iter().enumerate() {
        for _ in 0..level.recoveries {
            let pause = bench.pause();
            list.push(Recovery {
                pause,
                ..bench.recovery(place, level.ber)?
            });
            tell(list.len(), total);
        }
    }
    Ok(Recoveries {
        levels: levels.to_vec(),
        bits_per_cycle: bench.bits_per_cycle(),
        quiet,
        list,
        ok: bench.users.ok,
    })
}

/// Runs a link with the errors of its wires; gives what was delivered in each of `windows`
/// stretches of `cycles`, and whether every beat came once, in order, unchanged.
///
/// # Errors
/// Parameters out of range, or a simulator that cannot be built.
pub fn windows(
    config: &LinkConfig,
    windows: usize,
    cycles: u64,
    seed: u64,
    tell: &mut dyn FnMut(usize, usize),
) -> Result<(Vec<Stretch>, bool), SimError> {
    let mut bench = Bench::new(config, seed)?;
    let mut list = Vec::with_capacity(windows);
    for place in 0..windows {
        bench.run(cycles);
        list.push(Stretch {
            cycles,
            ..bench.users.take()
        });
        tell(place + 1, windows);
    }
    Ok((list, bench.users.ok))
}
