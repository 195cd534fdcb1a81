// SPDX-License-Identifier: Apache-2.0
//! A simulated RIFL link as a source of the live page: it runs without an end, and the page can do
//! to it whatever its channel can.

mod line;
mod orders;

use std::time::{Duration, Instant};

use ropewalk_sim::rifl::{Carried, Endpoint, Link, LinkConfig, Now, Observer};
use ropewalk_watch::rifl::{End, Follower, LaneFlags, Session, down_reason};
use ropewalk_watch::{
    Board, Channel, Interval, Kind, Lane, LaneState, Reason, State, TimeBase, Timeline,
};
use ropewalk_wire::rifl::regs::{LinkReason, SessionReason, SessionState};

use line::Line;
pub use orders::controls;

/// Names of the ends.
const ENDS: [&str; 2] = ["A", "B"];
/// Names of the directions, by the end that sends.
const DIRECTIONS: [&str; 2] = ["A to B", "B to A"];
/// Wall clock time between two states.
const EVERY: Duration = Duration::from_millis(100);
/// Wall clock time between two looks at orders, at the pace and at interruptions.
const LOOK: Duration = Duration::from_millis(5);
/// For how long errors are named after the last one, in seconds of link time.
const MEMORY_S: f64 = 1e-3;
/// A recovery that takes longer is no longer one, in seconds of link time.
const STUCK_S: f64 = 20e-6;
/// Cycles of A over which the clocks are compared: 2^18 give a resolution of 3.8 ppm.
const WINDOW: u64 = 1 << 18;
/// Change of the offset that is an event, in parts per million.
const DRIFT_PPM: f64 = 10.0;
/// Two references of 100 ppm differ by no more.
const SOUND_PPM: f64 = 200.0;
/// Frames that the extended mode adds to what it measures (`rifl_round_trip`).
const ROUND_TRIP_MARGIN: u16 = 9;

/// How a link is watched.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What is watched, for the page.
    pub title: String,
    /// More of that.
    pub facts: Vec<String>,
    /// Seconds of link time in a second, at most; none: as fast as it goes.
    pub pace: Option<f64>,
    /// Link time after which it ends, in seconds; none: never.
    pub limit_s: Option<f64>,
}

/// Counts the edges of both clocks, as a receiver counts those of its peer beside its own.
#[derive(Debug, Default)]
struct Clocks {
    edges: [u64; 2],
    /// Where the present window began.
    from: [u64; 2],
    offset_ppm: Option<f64>,
    /// The offset that the timeline knows.
    told_ppm: f64,
}

impl Clocks {
    /// Ends a window if it is time; gives the offset if it has changed.
    fn look(&mut self) -> Option<f64> {
        let [a, b] = [0, 1].map(|end: usize| self.edges[end] - self.from[end]);
        if a < WINDOW {
            return None;
        }
        self.from = self.edges;
        let ppm = (b as f64 - a as f64) / a as f64 * 1e6;
        self.offset_ppm = Some(ppm);
        ((ppm - self.told_ppm).abs() >= DRIFT_PPM).then(|| {
            self.told_ppm = ppm;
            ppm
        })
    }
}

/// Watches a run, publishes what it sees, and does what the page orders.
pub struct Watcher<'a> {
    board: &'a Board,
    settings: Settings,
    /// Bit error rate and bursts of all wires, as they are now.
    errors: orders::Errors,
    frame_s: f64,
    frame_words: u8,
    followers: [Follower; 2],
    ends: [Option<End>; 2],
    held: [bool; 2],
    timeline: Timeline,
    clocks: Clocks,
    /// What has come last on each lane of A, of B.
    lines: [Vec<Line>; 2],
    /// Lane of the receiver that each lane leads to, A to B, B to A.
    routes: [Vec<usize>; 2],
    /// When bits were last flipped on each wire, and how many there were then.
    flipped: [Vec<(u64, f64)>; 2],
    was_up: bool,
    since_s: f64,
    ups: u64,
    downs: u64,
    begun: Instant,
    published: Option<Instant>,
    looked: Instant,
    done: bool,
    /// Asked now and then whether to end.
    stop: &'a dyn Fn() -> bool,
}

fn seconds(now: Now) -> f64 {
    now.time_fs as f64 * 1e-15
}

impl<'a> Watcher<'a> {
    /// Watches a link of this configuration; `stop` is asked now and then whether to end.
    pub fn new(
        board: &'a Board,
        link: &LinkConfig,
        settings: Settings,
        stop: &'a dyn Fn() -> bool,
    ) -> Self {
        let lanes = usize::from(link.model.lanes);
        let now = Instant::now();
        Self {
            board,
            settings,
            errors: orders::Errors::of(&link.a_to_b[0]),
            frame_s: link.model.frame_cycles() as f64 * link.cycle_ns() * 1e-9,
            frame_words: link.model.frame_cycles() as u8,
            followers: ENDS.map(|name| Follower::new(name, lanes)),
            ends: [None, None],
            held: [false; 2],
            timeline: Timeline::default(),
            clocks: Clocks::default(),
            lines: [0, 1].map(|_| vec![Line::default(); lanes]),
            routes: [0, 1].map(|_| (0..lanes).collect()),
            flipped: [0, 1].map(|_| vec![(0, f64::NEG_INFINITY); lanes]),
            was_up: false,
            since_s: 0.0,
            ups: 0,
            downs: 0,
            begun: now,
            published: None,
            looked: now,
            done: false,
            stop,
        }
    }

    fn view(&self, end: usize, endpoint: &Endpoint) -> End {
        let lanes = (0..endpoint.lanes()).map(|lane| {
            let outputs = endpoint.outputs(lane);
            LaneFlags {
                aligned: outputs.rx_aligned,
                up: outputs.rx_up,
                error: outputs.rx_error,
                pause_req: outputs.rx_pause_req,
                retrans_req: outputs.rx_retrans_req,
                // It moves while frames are searched, which says nothing.
                slip: if outputs.rx_aligned {
                    outputs.rx_slip
                } else {
                    0
                },
            }
        });
        let session = endpoint.session();
        let reason =
            |code: u8| SessionReason::from_bits(code.into()).unwrap_or(SessionReason::None);
        End {
            reset: self.held[end],
            // As `rifl` has it: a peer that alone receives nothing does not end it.
            up: endpoint.link_up() && endpoint.all_outputs().iter().all(|lane| lane.rx_up),
            lanes: lanes.collect(),
            session: Session {
                state: SessionState::from_bits(session.phase.into()).unwrap_or(SessionState::Hello),
                reason: reason(session.reason),
                peer_reason: reason(session.peer_reason),
                own: session.own,
                peer: session.peer,
            },
        }
    }

    /// Looks at lines whose receivers are in trouble, and at the clocks.
    fn look_closer(&mut self, time_s: f64) {
        for (end, follower) in self.followers.iter_mut().enumerate() {
            for (lane, line) in self.lines[end].iter().enumerate() {
                if follower.wants_explanation(lane)
                    && let Some(reason) = line.reason(&format!("{}: lane {lane}", ENDS[end]))
                {
                    follower.explain(lane, &reason, &mut self.timeline);
                }
            }
        }
        if let Some(ppm) = self.clocks.look() {
            let reason = Reason::new("clock_drift", drift(ppm));
            self.timeline.note(time_s, Kind::Note, reason);
        }
    }

    /// Whether user data flow both ways, and since when.
    fn follow_link(&mut self, time_s: f64) {
        let is_up = |end: &Option<End>| {
            end.as_ref()
                .is_some_and(|end| end.link_reason() == LinkReason::Up)
        };
        let lanes = 0..self.lines[0].len();
        let stuck = |end| lanes.clone().any(|lane| self.is_stuck(end, lane, time_s));
        let up = self.ends.iter().all(is_up) && !stuck(0) && !stuck(1);
        if up != self.was_up {
            self.was_up = up;
            self.since_s = time_s;
            if up {
                self.ups += 1;
            } else {
                self.downs += 1;
            }
        }
    }

    /// Whether a lane waits for a retransmission for longer than a recovery takes: no data pass.
    fn is_stuck(&self, end: usize, lane: usize, time_s: f64) -> bool {
        let since = self.followers[end].recovering_since(lane);
        since.is_some_and(|since| time_s - since > STUCK_S)
    }

    /// Why the link is down, or what is wrong with it; the worst first.
    fn reasons(&self, time_s: f64) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Vec::new();
        for (name, end) in ENDS.iter().zip(&self.ends) {
            let Some(end) = end else { continue };
            reasons.extend(down_reason(name, end));
        }
        // An end that only waits for its peer says nothing new.
        if reasons.len() == 2 {
            let vague =
                |code: &str| matches!(code, "peer_not_up" | "starting" | "settling" | "session");
            reasons.sort_by_key(|reason| vague(&reason.code));
        }
        for (end, name) in ENDS.iter().enumerate() {
            for (lane, line) in self.lines[end].iter().enumerate() {
                let name = format!("{name}: lane {lane}");
                let Some(flags) = self.ends[end].as_ref().and_then(|end| end.lanes.get(lane))
                else {
                    continue;
                };
                let recovering = self.followers[end].recovering_since(lane).is_some();
                // A line that says nothing is seen before the recovery takes too long.
                if recovering || !flags.aligned {
                    reasons.extend(line.reason(&name));
                }
                let stuck = self.is_stuck(end, lane, time_s);
                if stuck {
                    let text = format!("{name} waits for a retransmission that does not come");
                    reasons.push(Reason::new("no_recovery", text));
                }
            }
        }
        reasons.extend(self.noise(time_s));
        if let Some(ppm) = self.clocks.offset_ppm.filter(|ppm| ppm.abs() > SOUND_PPM) {
            let text = format!("{}, more than two references of 100 ppm can", drift(ppm));
            reasons.push(Reason::new("clock_offset", text));
        }
        reasons
    }

    /// Where bits were flipped a short while ago.
    fn noise(&self, time_s: f64) -> Option<Reason> {
        let noisy = |direction: usize| {
            let lanes = self.flipped[direction].iter().enumerate();
            let noisy = lanes.filter(|(_, (_, last))| time_s - last <= MEMORY_S);
            noisy.map(|(lane, _)| lane.to_string()).collect::<Vec<_>>()
        };
        let both = [noisy(0), noisy(1)];
        let parts = DIRECTIONS.iter().zip(&both).zip(&self.flipped);
        let parts =
            parts
                .filter(|((_, noisy), _)| !noisy.is_empty())
                .map(|((name, noisy), all)| match &noisy[..] {
                    many if many.len() == all.len() && many.len() > 1 => {
                        format!("{name} on all lanes")
                    }
                    [one] => format!("{name} on lane {one}"),
                    several => format!("{name} on lanes {}", several.join(", ")),
                });
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty())
            .then(|| Reason::new("bit_errors", format!("bit errors {}", parts.join(", "))))
    }

    fn lanes(&self, link: &Link) -> Vec<Lane> {
        let mut lanes = Vec::new();
        for (direction, name) in DIRECTIONS.iter().enumerate() {
            let receiver = 1 - direction;
            for lane in 0..self.lines[receiver].len() {
                let routes = link.routes(direction);
                let wire = routes.iter().position(|to| *to == lane).unwrap_or(lane);
                let channel = &link.channels(direction)[wire];
                let (errors, bits) = (
                    channel.errors(),
                    64 * (channel.words() - channel.cut_words()),
                );
                let flags = self.ends[receiver]
                    .as_ref()
                    .and_then(|end| end.lanes.get(lane));
                let state = flags.map_or(LaneState::Down, LaneFlags::state);
                let trouble = self.lines[receiver][lane].reason("the receiver");
                let reason = match (state, flags) {
                    (LaneState::Up, _) => None,
                    (LaneState::Recovering, _) => trouble,
                    (LaneState::Down, Some(flags)) if flags.aligned => {
                        let text = "frames have to last for a while first";
                        Some(trouble.unwrap_or_else(|| Reason::new("settling", text)))
                    }
                    (LaneState::Down, _) => {
                        let text = "no frames are found";
                        Some(trouble.unwrap_or_else(|| Reason::new("no_alignment", text)))
                    }
                };
                lanes.push(Lane {
                    name: format!("{name}, lane {lane}"),
                    state,
                    reason,
                    seen: bits,
                    errors,
                    unit: "bits",
                    error_rate: Interval::wilson(errors, bits),
                    recoveries: self.followers[receiver].recoveries()[lane],
                });
            }
        }
        lanes
    }

    fn state(&self, link: &Link, carried: [Carried; 2], time_s: f64) -> State {
        let round_trips = (0..link.endpoint(0).lanes()).map(|lane| link.endpoint(0).outputs(lane));
        let frames = round_trips.map(|it| it.round_trip).max().unwrap_or(0);
        let channels = DIRECTIONS
            .iter()
            .zip(carried)
            .map(|(name, carried)| Channel {
                name: (*name).to_owned(),
                bytes: carried.bytes,
                packets: carried.packets,
                bad: carried.bad,
                aborted: carried.cut,
                note: String::new(),
            });
        let state = State {
            title: self.settings.title.clone(),
            facts: self.settings.facts.clone(),
            time_base: TimeBase::Link,
            time_s,
            up: self.was_up,
            since_s: self.since_s,
            reasons: self.reasons(time_s),
            sessions: Some(self.followers[0].sessions()),
            ups: self.ups,
            downs: self.downs,
            round_trip_s: (frames > ROUND_TRIP_MARGIN)
                .then(|| f64::from(frames - ROUND_TRIP_MARGIN) * self.frame_s),
            clock_offset_ppm: self.clocks.offset_ppm,
            lanes: self.lanes(link),
            channels: channels.collect(),
            what_if: controls(link.endpoint(0).lanes()),
            ..State::default()
        };
        state.with(&self.timeline)
    }

    /// Takes note of bits that were flipped since.
    fn follow_errors(&mut self, link: &Link, time_s: f64) {
        for (direction, flipped) in self.flipped.iter_mut().enumerate() {
            for (channel, (errors, last)) in link.channels(direction).iter().zip(flipped) {
                if channel.errors() > *errors {
                    (*errors, *last) = (channel.errors(), time_s);
                }
            }
        }
    }

    /// Does what has been ordered, publishes, and waits as long as the pace wants.
    fn look(&mut self, link: &mut Link, carried: [Carried; 2], time_s: f64) {
        loop {
            self.carry_out(link, time_s);
            let over = self.settings.limit_s.is_some_and(|limit| time_s >= limit);
            self.done = over || (self.stop)();
            if self.done || self.published.is_none_or(|last| last.elapsed() >= EVERY) {
                self.published = Some(Instant::now());
                self.board.publish(self.state(link, carried, time_s));
            }
            let early = self.early(time_s);
            if self.done || early.is_zero() {
                break;
            }
            // Not longer, so that orders are carried out at once.
            std::thread::sleep(early.min(4 * LOOK));
        }
        self.looked = Instant::now();
    }

    /// How long it is until the link may be at this time.
    fn early(&mut self, time_s: f64) -> Duration {
        let Some(pace) = self.settings.pace else {
            return Duration::ZERO;
        };
        let due = self.begun + Duration::from_secs_f64(time_s / pace);
        let now = Instant::now();
        // Time that the machine had for others is not caught up with.
        let late = now.saturating_duration_since(due);
        if late > 10 * LOOK {
            self.begun += late;
        }
        due.saturating_duration_since(now)
    }

    fn carry_out(&mut self, link: &mut Link, time_s: f64) {
        for order in self.board.take_orders() {
            let done = self.errors.carry_out(&order, link, self.frame_words);
            let text = done.unwrap_or_else(|error| format!("refused: {error}"));
            let reason = Reason::new(
                format!("order_{}", order.action),
                format!("what if: {text}"),
            );
            self.timeline.note(time_s, Kind::Order, reason);
            for direction in 0..2 {
                self.routes[direction].copy_from_slice(link.routes(direction));
            }
        }
    }
}

/// An offset in words.
fn drift(ppm: f64) -> String {
    let than = if ppm < 0.0 { "slower" } else { "faster" };
    format!(
        "the clock of B runs {:.0} ppm {than} than that of A",
        ppm.abs()
    )
}

impl Observer for Watcher<'_> {
    fn before_clock(&mut self, now: Now, end: usize, endpoint: &Endpoint) {
        let view = self.view(end, endpoint);
        if self.ends[end].as_ref() == Some(&view) {
            return;
        }
        let time_s = seconds(now);
        self.followers[end].update(time_s, &view, &mut self.timeline);
        self.ends[end] = Some(view);
        self.follow_link(time_s);
    }

    #[inline]
    fn word(&mut self, _now: Now, end: usize, lane: usize, _sent: u64, received: u64) {
        if lane == 0 {
            self.clocks.edges[end] += 1;
        }
        let to = self.routes[end][lane];
        self.lines[1 - end][to].push(received);
    }

    fn reset(&mut self, _now: Now, end: usize, active: bool) {
        self.held[end] = active;
    }

    fn between(&mut self, link: &mut Link, carried: [Carried; 2]) {
        let time_s = link.cycles() as f64 * link.cycle_ns() * 1e-9;
        self.look_closer(time_s);
        self.follow_link(time_s);
        self.follow_errors(link, time_s);
        if self.looked.elapsed() >= LOOK || self.published.is_none() {
            self.look(link, carried, time_s);
        }
    }

    fn sessions_may_end(&self) -> bool {
        true
    }

    fn enough(&self) -> bool {
        self.done
    }
}
