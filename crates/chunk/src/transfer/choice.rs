// SPDX-License-Identifier: Apache-2.0
//! Which kind of lanes carries the data of a transfer that has both: the lanes of the other kind
//! rest, and step in where all of the first have failed.
//!
//! Streams take what the kernel does best as long as a path loses nothing; datagrams keep their
//! rate where it loses. Which of the two is the case, what arrives says: each kind is tried for a
//! while, the faster one is used. When less arrives than it did, and now and then, the other kind
//! is tried again.
//!
//! ```text
//!  try streams -> try datagrams -> use the faster kind -- less arrives, or it is time --+
//!                                    ^                                                  v
//!                                    +------- the faster kind ------------ try the other kind
//! ```

use super::Via;
use ropewalk_io::lane::Kind;
use ropewalk_wire::chunk::Sender;
use ropewalk_wire::event;
use std::time::Duration;

/// Shortest time over which it is measured what arrives.
const WINDOW: Duration = Duration::from_millis(100);
/// Round trips of it, at least.
const WINDOW_ROUNDS: u32 = 5;
/// Time and round trips of a try before it is measured: a stream begins slowly.
const START: Duration = Duration::from_millis(50);
/// See [`START`].
const START_ROUNDS: u32 = 15;
/// Share of what arrived from which on less arrives than it did.
const LESS: f64 = 0.7;
/// Windows with less, one behind the other, after which the other kind is tried.
const LESS_WINDOWS: u32 = 2;
/// Time from a try to the next one, while none finds anything.
const AGAIN: Duration = Duration::from_secs(10);
/// How much faster the other kind has to be: what is nearly the same is not worth a change.
const BETTER: f64 = 1.1;
/// Most changes that are reported one by one.
const MOST_REPORTED: usize = 16;

/// A measurement of what arrives over the lanes of one kind. It begins and ends with news: where
/// frames are long and the path is slow, each report of them tells of much.
#[derive(Debug, Clone, Copy)]
struct Window {
    from: Duration,
    length: Duration,
    /// Bytes that had arrived at the last look; none before the first one.
    seen: Option<u64>,
    /// When the first news came, and the bytes that had arrived then.
    begun: Option<(Duration, u64)>,
    /// Looks, and those at which there was nothing to send.
    looks: u32,
    hungry: u32,
}

impl Window {
    /// Takes the number of bytes that have arrived; gives their rate, in bytes per second, when it
    /// is known.
    fn look(&mut self, now: Duration, arrived: u64) -> Option<f64> {
        let seen = self.seen.replace(arrived);
        let is_news = seen.is_some_and(|seen| seen != arrived);
        if self.begun.is_none() && is_news {
            self.begun = Some((now, arrived));
        }
        let (begun, before) = self.begun.unwrap_or((self.from, arrived));
        let (time, bytes) = (now.saturating_sub(begun), arrived.saturating_sub(before));
        // Where nothing comes any more it is not waited for long.
        let is_over = is_news || bytes == 0 || time >= 2 * self.length;
        (time >= self.length && is_over).then(|| bytes as f64 / time.as_secs_f64())
    }
}

/// What is being found out.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// The first try of streams.
    First,
    /// A try of the other kind; what arrives over the one in use, bytes per second.
    Try(f64),
    /// The kind in use is the faster one.
    Settled,
}

/// Decides which lanes of a sender rest.
#[derive(Debug)]
pub struct Choice {
    via: Via,
    kinds: Vec<Kind>,
    /// Lanes of this kind carry data.
    active: Kind,
    state: State,
    window: Option<Window>,
    /// Most bytes per second that have arrived since the last choice, and windows with less.
    best: f64,
    less: u32,
    /// When the other kind is tried whatever arrives.
    again: Duration,
    changes: usize,
    reports: Vec<String>,
}

/// As users know it.
#[must_use]
pub fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Datagrams => "UDP",
        Kind::Stream => "TCP",
    }
}

fn other(kind: Kind) -> Kind {
    match kind {
        Kind::Datagrams => Kind::Stream,
        Kind::Stream => Kind::Datagrams,
    }
}

impl Choice {
    /// Among lanes of these kinds.
    #[must_use]
    pub fn new(via: Via, kinds: Vec<Kind>) -> Self {
        let has = |kind| kinds.contains(&kind);
        let both = has(Kind::Datagrams) && has(Kind::Stream);
        Choice {
            via: if both { via } else { Via::Udp },
            active: match has(Kind::Stream) {
                true => Kind::Stream,
                false => Kind::Datagrams,
            },
            kinds,
            state: State::First,
            window: None,
            best: 0.0,
            less: 0,
            again: Duration::ZERO,
            changes: 0,
            reports: Vec::new(),
        }
    }

    /// Has the lanes of the other kind rest.
    pub fn begin<B: AsRef<[u8]>>(&self, sender: &mut Sender<B>) {
        for (lane, &kind) in (0..).zip(&self.kinds) {
            sender.set_rest(lane, kind != self.active);
        }
    }

    /// What it has chosen, and why; a line each.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.reports
    }

    /// Looks at what arrives, and changes what rests; to be called all the time.
    pub fn look<B: AsRef<[u8]>>(&mut self, now: Duration, sender: &mut Sender<B>) {
        if self.via != Via::Auto {
            return;
        }
        let Some(mut window) = self.window else {
            self.open(now, self.round_trip(sender));
            return;
        };
        if now < window.from {
            return;
        }
        window.looks += 1;
        window.hungry += u32::from(sender.wants_chunk());
        let Some(rate) = window.look(now, self.arrived(sender)) else {
            self.window = Some(window);
            return;
        };
        let limited = 2 * window.hungry > window.looks;
        let active = self.active;
        if let Some(left) = self.measured(now, rate, limited) {
            self.leave(left, sender);
        }
        if self.active != active {
            self.begin(sender);
        }
        self.open(now, self.round_trip(sender));
    }

    /// Bytes of frames that have arrived over the lanes in use, about.
    fn arrived<B: AsRef<[u8]>>(&self, sender: &Sender<B>) -> u64 {
        let lanes = (0..).zip(&self.kinds);
        let lanes = lanes.filter(|&(_, &kind)| kind == self.active);
        let lanes = lanes.filter_map(|(lane, _)| sender.lane(lane));
        let bytes = lanes.map(|lane| lane.frames().1 * lane.frame_bytes() as u64);
        bytes.sum()
    }

    /// Round trip of the path: the shortest of any lane, as frames also wait in front of a stream.
    fn round_trip<B: AsRef<[u8]>>(&self, sender: &Sender<B>) -> Duration {
        let lanes = (0..).zip(&self.kinds);
        let lanes = lanes.filter_map(|(lane, _)| sender.lane(lane)?.rate.shortest_rtt());
        lanes.min().unwrap_or_default()
    }

    /// The next measurement.
    fn open(&mut self, now: Duration, rtt: Duration) {
        let start = match self.state {
            State::Settled => Duration::ZERO,
            _ => START.max(rtt * START_ROUNDS),
        };
        self.window = Some(Window {
            from: now + start,
            length: WINDOW.max(rtt * WINDOW_ROUNDS),
            seen: None,
            begun: None,
            looks: 0,
            hungry: 0,
        });
    }

    /// So much has arrived over the lanes in use; `limited`: there was no more to send. Lanes of
    /// which kind are given up, with what is on its way over them.
    fn measured(&mut self, now: Duration, rate: f64, limited: bool) -> Option<Kind> {
        let used = self.active;
        match self.state {
            State::First => {
                self.state = State::Try(rate);
                self.active = other(used);
                None
            }
            State::Try(before) => {
                // What is nearly the same goes over streams, which cost less processor time.
                let wins = match used {
                    Kind::Datagrams => rate > before * BETTER,
                    Kind::Stream => rate > 0.0 && rate * BETTER > before,
                };
                if !wins {
                    self.active = other(used);
                }
                self.report(used, [rate, before], wins);
                (self.state, self.less) = (State::Settled, 0);
                self.best = if wins { rate } else { before };
                self.again = now + AGAIN;
                (!wins).then_some(used)
            }
            State::Settled => {
                let falls = !limited && rate < self.best * LESS;
                self.less = if falls { self.less + 1 } else { 0 };
                self.best = self.best.max(rate);
                let falls = self.less >= LESS_WINDOWS;
                if !falls && now < self.again {
                    return None;
                }
                self.state = State::Try(rate);
                self.active = other(used);
                falls.then_some(used)
            }
        }
    }

    /// What waits in a stream would hold up all behind it: it goes over the lanes in use.
    fn leave<B: AsRef<[u8]>>(&self, kind: Kind, sender: &mut Sender<B>) {
        for (lane, &own) in (0..).zip(&self.kinds) {
            if own == kind && kind == Kind::Stream {
                sender.abandon_lane(lane);
            }
        }
    }

    /// Says what a try has shown.
    fn report(&mut self, tried: Kind, [rate, before]: [f64; 2], wins: bool) {
        let first = self.reports.is_empty();
        if !first && !wins {
            return;
        }
        let used = if wins { tried } else { other(tried) };
        event!(INFO, kind = ?used, "lanes chosen");
        self.changes += usize::from(!first);
        if self.reports.len() < MOST_REPORTED {
            let gbps = |rate: f64| rate * 8e-9;
            let how = if first { "" } else { " from now on" };
            self.reports.push(format!(
                "data goes over {}{how}: {:.2} Gb/s arrive over {}, {:.2} Gb/s over {}",
                name(used),
                gbps(rate),
                name(tried),
                gbps(before),
                name(other(tried)),
            ));
        }
    }
}

#[cfg(test)]
mod tests;
