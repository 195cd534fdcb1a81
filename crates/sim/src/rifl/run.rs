// SPDX-License-Identifier: Apache-2.0
//! The run loop: traffic through a link, checked byte for byte.

mod flow;

use std::time::Instant;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::endpoint::{Endpoint, TxState};
use super::link::{Link, LinkConfig, Now, Users};
use super::scoreboard::Verdict;
use super::traffic::Traffic;
use crate::{LatencyHistogram, SimError};
use flow::{Coin, Flow};

/// GT cycles for which the link runs on after the last packet, so that a duplicate would be seen.
const AFTERMATH_CYCLES: u64 = 1024;
/// The same when a reset may have cut the last packets: enough for the link to come up again.
const AFTERMATH_OF_RESET_CYCLES: u64 = 40_000;

/// One simulation: a link, what it carries and how long it may take.
///
/// Direction 0 is A to B, direction 1 is B to A, in every two-element array of this module.
#[derive(Debug)]
pub struct RunConfig {
    /// The two endpoints, their clocks and the wire.
    pub link: LinkConfig,
    /// What each end sends.
    pub traffic: [Traffic; 2],
    /// Probability that a source pauses for a user clock instead of offering a beat, 0 to below 1.
    pub source_gap: [f64; 2],
    /// Probability that the sink of a direction is not ready in a user clock, 0 to below 1.
    pub sink_stall: [f64; 2],
    /// Seed of source gaps and sink stalls.
    pub seed: u64,
    /// GT cycles of A after which the run stops, whatever happened; `None`: no limit.
    pub max_cycles: Option<u64>,
    /// GT cycles without a delivery in any direction after which the run times out (0: never).
    pub watchdog_cycles: u64,
    /// Length of one sample of the time series in GT cycles (0: no time series).
    pub sample_interval: u64,
    /// GT cycles between two calls of the progress function.
    pub progress_interval: u64,
    /// Keep the delivered bytes of every direction in [`Direction::payload`].
    pub keep_payload: bool,
    /// Keep the times of every delivered packet in [`Direction::deliveries`].
    pub keep_times: bool,
    /// Keep the words that B receives, in [`LaneResult::words`] of each lane from A.
    pub keep_words: bool,
}

impl Default for RunConfig {
    /// A perfect link without traffic, no gaps, no stalls; gives up after a million cycles without
    /// a delivery.
    fn default() -> Self {
        Self {
            link: LinkConfig::default(),
            traffic: [Traffic::None, Traffic::None],
            source_gap: [0.0; 2],
            sink_stall: [0.0; 2],
            seed: 1,
            max_cycles: None,
            watchdog_cycles: 1_000_000,
            sample_interval: 0,
            progress_interval: 100_000,
            keep_payload: false,
            keep_times: false,
            keep_words: false,
        }
    }
}

/// How far a run is; handed to the progress function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// GT cycles of A since reset was released.
    pub cycles: u64,
    /// The same as time on the link.
    pub time_ns: f64,
    /// When both ends were up, if they are.
    pub link_up_ns: Option<f64>,
    /// Packets delivered so far.
    pub packets: [u64; 2],
    /// Packets that each source has in all.
    pub total: [u64; 2],
    /// Bits flipped by the channel so far.
    pub bit_errors: [u64; 2],
}

/// What one direction carried and how well.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Direction {
    /// Packets accepted from the source.
    pub packets_sent: u64,
    /// Packets that came out of the sink, good or bad.
    pub packets_delivered: u64,
    /// Bytes of the packets accepted from the source.
    pub bytes_sent: u64,
    /// Bytes that came out of the sink.
    pub bytes_delivered: u64,
    /// Packets that were sent and never delivered.
    pub lost: u64,
    /// Packets that were delivered a second time.
    pub duplicated: u64,
    /// Packets that were delivered after a later one.
    pub reordered: u64,
    /// Packets delivered that were never sent like this.
    pub corrupted: u64,
    /// Packets that were on their way, wholly or in part, when an end was reset, and were not
    /// delivered.
    pub cut: u64,
    /// Those of them of which a part came out and ended with an error mark; extended mode only.
    pub aborted: u64,
    /// Payload bits per nanosecond from the first accepted to the last delivered beat.
    pub goodput_gbps: f64,
    /// Goodput over the line rate of all lanes.
    pub efficiency: f64,
    /// First beat in to first beat out, per packet.
    pub latency: LatencyHistogram,
    /// Longest time without a delivered beat between the first and the last one, in GT cycles.
    pub longest_gap_cycles: u64,
    /// The delivered bytes, packets one after the other, if [`RunConfig::keep_payload`] was set.
    pub payload: Option<Vec<u8>>,
    /// Every packet that came out of the sink, if [`RunConfig::keep_times`] was set.
    pub deliveries: Option<Vec<Delivery>>,
}

/// A packet that came out of the sink. Times are femtoseconds of link time since reset was
/// released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivery {
    /// Bytes of the packet as it came.
    pub bytes: u64,
    /// When its first beat was taken.
    pub first_fs: u64,
    /// When its last beat was taken.
    pub last_fs: u64,
    /// What it turned out to be.
    pub verdict: Verdict,
}

/// What happened on one lane in one direction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LaneResult {
    /// Bits flipped by the channel.
    pub bit_errors: u64,
    /// When (a bounded number of them).
    pub error_times_ns: Vec<f64>,
    /// Times the transmitter entered its retransmission.
    pub retransmissions: u64,
    /// The receiver ever refused a frame because a buffer was full.
    pub rx_overflow: bool,
    /// Words of the line as they arrived, bit 0 first, if [`RunConfig::keep_words`] was set; of
    /// lanes from A.
    pub words: Vec<u64>,
}

/// One interval of the time series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// End of the interval.
    pub time_ns: f64,
    /// Payload delivered in the interval.
    pub goodput_gbps: [f64; 2],
    /// Largest packet latency in the interval; 0 when no packet was delivered.
    pub latency_ns_max: [f64; 2],
    /// Mean packet latency in the interval; 0 when no packet was delivered.
    pub latency_ns_mean: [f64; 2],
    /// Bits flipped by the channel in the interval.
    pub bit_errors: [u64; 2],
}

/// Everything that a run measured.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// GT cycles of A since reset was released.
    pub cycles: u64,
    /// The same as time on the link.
    pub time_ns: f64,
    /// From release of reset to the first tick in which both ends are up; `None`: never.
    pub link_up_ns: Option<f64>,
    /// Bits flipped by the channel of each direction.
    pub bit_errors: [u64; 2],
    /// Times the transmitter of A, of B, entered its retransmission.
    pub retransmissions: [u64; 2],
    /// The receiver of A, of B, ever refused a frame because a buffer was full (never happens in a
    /// sound link).
    pub rx_overflow: [bool; 2],
    /// Wall clock time of the run.
    pub wall_s: f64,
    /// GT cycles (both endpoints) per second of wall clock.
    pub sim_cycles_per_second: f64,
    /// A to B, B to A.
    pub directions: [Direction; 2],
    /// The time series.
    pub series: Vec<Sample>,
    /// What happened on each lane, A to B, B to A.
    pub lanes: [Vec<LaneResult>; 2],
    /// The watchdog ended the run: nothing was delivered for too long.
    pub stalled: bool,
    /// Every packet of every source was sent and as many were delivered, those aside that a reset
    /// may have cut.
    pub finished: bool,
}

impl RunResult {
    /// True when everything that was to be sent came out once, in order, unchanged, or was cut by a
    /// reset.
    pub fn is_lossless(&self) -> bool {
        self.finished
            && self
                .directions
                .iter()
                .all(|d| d.lost == 0 && d.duplicated == 0 && d.reordered == 0 && d.corrupted == 0)
    }
}

/// The user sides of both ends.
#[derive(Debug)]
struct Bench {
    /// A to B, B to A.
    flows: [Flow; 2],
    cycle_fs: f64,
    up: [bool; 2],
    link_up_fs: Option<u64>,
    /// States of the transmitters, packed.
    tx_states: [u64; 2],
    /// One per lane of each end.
    watches: [Vec<Watch>; 2],
    last_delivery_cycle: u64,
    /// The end is in reset, or has not come up since.
    resets: [Resetting; 2],
    /// A session may end without a reset; what was under way is excused then.
    sessions_may_end: bool,
    /// The session of A, of B is open.
    open: [bool; 2],
    /// Words that B has received of each lane; none: they are not kept.
    words: Option<Vec<Vec<u64>>>,
}

/// How far an end is with its reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Resetting {
    #[default]
    No,
    /// Held.
    Held,
    /// Released; the link is not up yet.
    Released,
}

/// Counts the retransmissions of one transmitter.
#[derive(Debug, Clone, Copy, Default)]
struct Watch {
    in_retransmission: bool,
    retransmissions: u64,
}

impl Watch {
    fn state(&mut self, state: TxState) {
        match state {
            TxState::Retrans => {
                self.retransmissions += u64::from(!self.in_retransmission);
                self.in_retransmission = true;
            }
            // A pause freezes a retransmission; these two states end it.
            TxState::Normal | TxState::SendRetrans => self.in_retransmission = false,
            _ => {}
        }
    }
}

impl Bench {
    /// Looks whether a session has ended that may do so: the packets under way may be aborted.
    #[inline]
    fn session(&mut self, end: usize, endpoint: &Endpoint) {
        if !self.sessions_may_end {
            return;
        }
        let before = std::mem::replace(&mut self.open[end], endpoint.session_open());
        if before && !self.open[end] && self.resets[end] == Resetting::No {
            self.resets[end] = Resetting::Released;
            for flow in &mut self.flows {
                flow.board.excuse();
            }
        }
    }

    /// What the flows have carried.
    fn carried(&self) -> [Carried; 2] {
        [0, 1].map(|direction: usize| {
            let flow = &self.flows[direction];
            Carried {
                packets: flow.packets_delivered,
                bytes: flow.bytes_delivered,
                bad: flow.board.lost()
                    + flow.board.duplicated
                    + flow.board.reordered
                    + flow.board.corrupted,
                cut: flow.board.cut(),
            }
        })
    }
}

impl Users for Bench {
    #[inline]
    fn before_clock(&mut self, now: Now, end: usize, endpoint: &Endpoint) {
        if self.link_up_fs.is_none() {
            self.up[end] = endpoint.link_up();
            if self.up == [true; 2] {
                self.link_up_fs = Some(now.time_fs);
            }
        }
        let states = endpoint.tx_states();
        if states != self.tx_states[end] {
            self.tx_states[end] = states;
            for (lane, watch) in self.watches[end].iter_mut().enumerate() {
                watch.state(endpoint.tx_state(lane));
            }
        }
        self.session(end, endpoint);
        match self.resets[end] {
            Resetting::No => {}
            // In the extended mode the user lives on.
            Resetting::Held if !endpoint.model().extended => return,
            Resetting::Released if endpoint.link_up() && self.open[end] => {
                self.resets[end] = Resetting::No;
            }
            Resetting::Held | Resetting::Released => {}
        }
        // Until the end that was reset is up again, its peer may take packets that go nowhere.
        let excused = self.resets != [Resetting::No; 2];
        let outgoing = &mut self.flows[end];
        if outgoing.offered > 0 && endpoint.source_ready() {
            outgoing.accept(now.time_fs, excused);
        }
        if endpoint.sink_ready()
            && let Some(beat) = endpoint.delivered()
        {
            self.flows[1 - end].deliver(&beat, now.time_fs, self.cycle_fs);
            self.last_delivery_cycle = now.cycle;
        }
    }

    #[inline]
    fn after_clock(&mut self, now: Now, end: usize, endpoint: &mut Endpoint) {
        if self.resets[end] == Resetting::Held && !endpoint.model().extended {
            return;
        }
        // A beat on offer stays until it is accepted.
        if self.flows[end].offered == 0 {
            self.flows[end].offer(endpoint);
        }
        // Both ends count from the same moment, whichever of them came up last.
        self.flows[end].clock += u64::from(self.link_up_fs.is_some_and(|up| up < now.time_fs));
        let ready = !self.flows[1 - end].stall.toss();
        endpoint.set_sink_ready(ready);
    }

    #[inline]
    fn word(&mut self, _: Now, end: usize, lane: usize, _: u64, received: u64) {
        if let (0, Some(words)) = (end, &mut self.words) {
            words[lane].push(received);
        }
    }

    fn reset(&mut self, now: Now, end: usize, active: bool, endpoint: &mut Endpoint) {
        if active {
            self.resets[end] = Resetting::Held;
            for flow in &mut self.flows {
                flow.board.excuse();
            }
            if !endpoint.model().extended {
                endpoint.offer_nothing();
                self.flows[end].reset(true);
                self.flows[1 - end].reset(false);
            }
        } else {
            self.resets[end] = Resetting::Released;
        }
        // Nothing can be delivered now: the watchdog waits.
        self.last_delivery_cycle = now.cycle;
    }
}

/// What a direction has carried so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Carried {
    /// Packets that came out of the sink.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets that were lost, duplicated, reordered or corrupted.
    pub bad: u64,
    /// Packets that were under way when a session ended, and were not delivered.
    pub cut: u64,
}

/// Watches a run from outside: sees what stands at the ports before each user clock, and every word
/// on the wire.
pub trait Observer {
    /// As [`Users::before_clock`].
    #[inline]
    fn before_clock(&mut self, now: Now, end: usize, endpoint: &Endpoint) {
        let _ = (now, end, endpoint);
    }
    /// As [`Users::word`].
    #[inline]
    fn word(&mut self, now: Now, end: usize, lane: usize, sent: u64, received: u64) {
        let _ = (now, end, lane, sent, received);
    }
    /// As [`Users::reset`].
    fn reset(&mut self, now: Now, end: usize, active: bool) {
        let _ = (now, end, active);
    }
    /// Between two groups of at most 64 ticks. What it does to the link takes effect with the next
    /// tick.
    #[inline]
    fn between(&mut self, link: &mut Link, carried: [Carried; 2]) {
        let _ = (link, carried);
    }
    /// Sessions of the extended mode may end without a reset, as when lanes are swapped: what was
    /// under way then counts as cut, not as lost. Asked once.
    fn sessions_may_end(&self) -> bool {
        false
    }
    /// Ends the run soon.
    fn enough(&self) -> bool {
        false
    }
}

/// Watches nothing.
impl Observer for () {}

/// The user sides and who watches them.
struct Watched<'a, O> {
    bench: Bench,
    observer: &'a mut O,
}

impl<O: Observer> Users for Watched<'_, O> {
    #[inline]
    fn before_clock(&mut self, now: Now, end: usize, endpoint: &Endpoint) {
        self.observer.before_clock(now, end, endpoint);
        self.bench.before_clock(now, end, endpoint);
    }

    #[inline]
    fn after_clock(&mut self, now: Now, end: usize, endpoint: &mut Endpoint) {
        self.bench.after_clock(now, end, endpoint);
    }

    fn reset(&mut self, now: Now, end: usize, active: bool, endpoint: &mut Endpoint) {
        self.observer.reset(now, end, active);
        self.bench.reset(now, end, active, endpoint);
    }

    #[inline]
    fn word(&mut self, now: Now, end: usize, lane: usize, sent: u64, received: u64) {
        self.observer.word(now, end, lane, sent, received);
        self.bench.word(now, end, lane, sent, received);
    }
}

/// Carries the traffic over the link until all of it is delivered, the watchdog bites or the limit
/// is reached.
///
/// # Errors
/// Parameters out of range, a simulator that cannot be built, or a trace file that cannot be
/// written. Loss is not an error here: it is counted in the result.
pub fn run(cfg: RunConfig, progress: &mut dyn FnMut(&Progress)) -> Result<RunResult, SimError> {
    run_observed(cfg, progress, &mut ())
}

/// The same, watched.
///
/// # Errors
/// As [`run`].
pub fn run_observed<O: Observer>(
    cfg: RunConfig,
    progress: &mut dyn FnMut(&Progress),
    observer: &mut O,
) -> Result<RunResult, SimError> {
    let mut seeds = Xoshiro256PlusPlus::seed_from_u64(cfg.seed);
    let cycle_ns = cfg.link.cycle_ns();
    let mut coin = |name, chance| Coin::new(name, chance, seeds.next_u64());
    let mut flow = |direction: usize, traffic: Traffic| {
        let source = traffic.into_source()?;
        let gap = coin("source_gap", cfg.source_gap[direction])?;
        let stall = coin("sink_stall", cfg.sink_stall[direction])?;
        let keep = (cfg.keep_payload, cfg.keep_times);
        Ok(Flow::new(source, gap, stall, cycle_ns, keep))
    };
    let [forward, backward] = cfg.traffic;
    let flows: [Flow; 2] = [flow(0, forward)?, flow(1, backward)?];
    let mut link = Link::new(&cfg.link)?;
    // Building the simulator is not part of it.
    let started = Instant::now();
    let bench = Bench {
        flows,
        cycle_fs: cycle_ns * 1e6,
        up: [false; 2],
        link_up_fs: None,
        tx_states: [u64::MAX; 2],
        watches: [0, 1].map(|_| vec![Watch::default(); usize::from(cfg.link.model.lanes)]),
        last_delivery_cycle: 0,
        resets: [Resetting::No; 2],
        sessions_may_end: observer.sessions_may_end(),
        // Where nobody looks, no session counts.
        open: [!observer.sessions_may_end(); 2],
        words: cfg.keep_words.then(|| per_lane(&cfg.link)),
    };
    let mut users = Watched { bench, observer };
    let [forward, backward] = &mut users.bench.flows;
    forward.offer(link.endpoint_mut(0));
    backward.offer(link.endpoint_mut(1));

    let mut series = Vec::new();
    let mut errors_sampled = [0; 2];
    let max_cycles = cfg.max_cycles.unwrap_or(u64::MAX);
    let period = |interval: u64| if interval == 0 { u64::MAX } else { interval };
    let (sample_interval, progress_interval) =
        (period(cfg.sample_interval), period(cfg.progress_interval));
    let (mut next_sample, mut next_progress) = (sample_interval, progress_interval);
    let mut end_at = None;
    let (mut stalled, mut finished) = (false, false);

    loop {
        // Nothing below has to be looked at more often than this.
        let burst = 64
            .min(next_sample - link.cycles())
            .min(max_cycles.saturating_sub(link.cycles()));
        for _ in 0..burst {
            link.tick(&mut users);
        }
        users.observer.between(&mut link, users.bench.carried());
        let cycle = link.cycles();
        let bench = &mut users.bench;
        if cycle >= next_sample {
            next_sample += sample_interval;
            series.push(sample(
                &link,
                &mut bench.flows,
                &mut errors_sampled,
                sample_interval,
            ));
        }
        if cycle >= next_progress {
            next_progress += progress_interval;
            progress(&snapshot(&link, bench));
        }
        if end_at.is_none() && bench.flows.iter().all(Flow::done) && bench.link_up_fs.is_some() {
            finished = true;
            end_at = Some(cycle + aftermath(&bench.flows));
        }
        if end_at.is_some_and(|end| cycle >= end) || cycle >= max_cycles || users.observer.enough()
        {
            break;
        }
        if cfg.watchdog_cycles > 0
            && !finished
            && cycle - users.bench.last_delivery_cycle > cfg.watchdog_cycles
        {
            stalled = true;
            break;
        }
    }
    let bench = users.bench;
    progress(&snapshot(&link, &bench));

    let wall_s = started.elapsed().as_secs_f64();
    let result = result(&mut link, bench, &cfg.link, stalled, wall_s);
    Ok(RunResult {
        series,
        finished,
        ..result
    })
}

/// Nothing yet, for each lane.
fn per_lane(link: &LinkConfig) -> Vec<Vec<u64>> {
    vec![Vec::new(); usize::from(link.model.lanes)]
}

/// Cycles for which the link runs on after all packets: some may have been cut.
fn aftermath(flows: &[Flow; 2]) -> u64 {
    if flows.iter().any(|flow| !flow.board.is_empty()) {
        AFTERMATH_OF_RESET_CYCLES
    } else {
        AFTERMATH_CYCLES
    }
}

/// What a run came to, but for what was sampled on its way.
fn result(
    link: &mut Link,
    bench: Bench,
    cfg: &LinkConfig,
    stalled: bool,
    wall_s: f64,
) -> RunResult {
    let cycles = link.cycles();
    let Bench {
        flows,
        link_up_fs,
        watches,
        words,
        ..
    } = bench;
    let mut lanes = [0, 1].map(|from| lanes(from, link, &watches[from]));
    for (lane, words) in lanes[0].iter_mut().zip(words.unwrap_or_default()) {
        lane.words = words;
    }
    RunResult {
        cycles,
        time_ns: cycles as f64 * link.cycle_ns(),
        link_up_ns: link_up_fs.map(|fs| fs as f64 * 1e-6),
        bit_errors: link.bit_errors(),
        retransmissions: [0, 1]
            .map(|end: usize| lanes[end].iter().map(|l| l.retransmissions).sum()),
        // The receiver of A to B is B.
        rx_overflow: [0, 1].map(|end: usize| lanes[1 - end].iter().any(|l| l.rx_overflow)),
        wall_s,
        sim_cycles_per_second: cycles as f64 / wall_s.max(1e-9),
        directions: flows.map(|flow| direction(flow, cfg, stalled)),
        series: Vec::new(),
        lanes,
        stalled,
        finished: false,
    }
}

fn lanes(from: usize, link: &mut Link, watches: &[Watch]) -> Vec<LaneResult> {
    let cycle_ns = link.cycle_ns();
    let mut lanes = Vec::new();
    for (lane, watch) in watches.iter().enumerate() {
        let channel = &mut link.channels_mut(from)[lane];
        let times = channel.take_error_times();
        lanes.push(LaneResult {
            bit_errors: channel.errors(),
            error_times_ns: times.iter().map(|word| *word as f64 * cycle_ns).collect(),
            retransmissions: watch.retransmissions,
            rx_overflow: link.endpoint(1 - from).outputs(lane).rx_overflow,
            words: Vec::new(),
        });
    }
    lanes
}

fn snapshot(link: &Link, bench: &Bench) -> Progress {
    Progress {
        cycles: link.cycles(),
        time_ns: link.cycles() as f64 * link.cycle_ns(),
        link_up_ns: bench.link_up_fs.map(|fs| fs as f64 * 1e-6),
        packets: [0, 1].map(|i| bench.flows[i].packets_delivered),
        total: [0, 1].map(|i| bench.flows[i].total),
        bit_errors: link.bit_errors(),
    }
}

/// Ends an interval of the time series.
fn sample(link: &Link, flows: &mut [Flow; 2], errors_before: &mut [u64; 2], cycles: u64) -> Sample {
    let cycle_ns = link.cycle_ns();
    let errors = link.bit_errors();
    let before = std::mem::replace(errors_before, errors);
    let intervals = [0, 1].map(|i| std::mem::take(&mut flows[i].interval));
    Sample {
        time_ns: link.cycles() as f64 * cycle_ns,
        goodput_gbps: intervals.map(|i| i.bytes as f64 * 8.0 / (cycles as f64 * cycle_ns)),
        latency_ns_max: intervals.map(|i| i.latency_max as f64 * cycle_ns),
        latency_ns_mean: intervals
            .map(|i| i.latency_sum as f64 * cycle_ns / i.packets.max(1) as f64),
        bit_errors: [errors[0] - before[0], errors[1] - before[1]],
    }
}

fn direction(flow: Flow, link: &LinkConfig, stalled: bool) -> Direction {
    let window_ns = match (flow.first_accepted, flow.last_delivered) {
        (Some(first), Some(last)) => last.saturating_sub(first) as f64 * 1e-6,
        _ => 0.0,
    };
    let goodput_gbps = if window_ns > 0.0 {
        flow.bytes_delivered as f64 * 8.0 / window_ns
    } else {
        0.0
    };
    // What a stalled link still owes will not come.
    let owed = if stalled { flow.board.outstanding() } else { 0 };
    Direction {
        packets_sent: flow.packets_sent,
        packets_delivered: flow.packets_delivered,
        bytes_sent: flow.bytes_sent,
        bytes_delivered: flow.bytes_delivered,
        lost: flow.board.lost() + owed,
        duplicated: flow.board.duplicated,
        reordered: flow.board.reordered,
        corrupted: flow.board.corrupted,
        cut: flow.board.cut(),
        aborted: flow.board.aborted,
        goodput_gbps,
        efficiency: goodput_gbps / (link.line_rate_gbps * f64::from(link.model.lanes)),
        latency: flow.latency,
        longest_gap_cycles: (flow.longest_gap as f64 * 1e-6 / link.cycle_ns()).round() as u64,
        payload: flow.payload,
        deliveries: flow.deliveries,
    }
}
