// SPDX-License-Identifier: Apache-2.0
//! Which lanes carry the data of a transfer that has lanes of both kinds: those of one kind, or
//! all. The others rest, and step in where all that are used have failed.
//!
//! Streams take what the kernel does best as long as a path loses nothing; datagrams keep their
//! rate where it loses; and where each kind, or each flow, is limited for itself, both together
//! bring more. Which is the case, what arrives says: each choice is tried for a while, and the
//! cheapest of those that bring nearly the most is used. When less arrives than it did, each kind
//! is tried alone. Now and then another choice is tried, and only then both together, which
//! costs a stream its rate for a while where the two share a path.
//!
//! ```text
//!  try streams, datagrams -> use the best -- less arrives, or it is time --+
//!                              ^                                           v
//!                              +------------------ try others -------------+
//! ```

use super::Via;
use ropewalk_io::lane::Kind;
use ropewalk_wire::chunk::Sender;
use ropewalk_wire::chunk::aggregator::Aggregator;
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
/// Longest time for news: so long are they waited for at the first tries, when it is not known yet
/// how long they take. Long frames of which many wait in front of a slow path are reported of late.
const NEWS: Duration = Duration::from_millis(500);
/// Share of what arrived from which on less arrives than it did.
const LESS: f64 = 0.7;
/// Windows with less, one behind the other, after which the other kind is tried.
const LESS_WINDOWS: u32 = 2;
/// Time from a choice to the next try, while nothing changes.
const AGAIN: Duration = Duration::from_secs(10);
/// How much more a costlier choice has to bring: what is nearly the same is not worth it.
const BETTER: f64 = 1.1;
/// Most changes that are reported one by one.
const MOST_REPORTED: usize = 16;

/// A measurement of what arrives over the lanes in use. It begins and ends with news: where frames
/// are long and the path is slow, each report of them tells of much.
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
    /// is known. `answer`: for how long an answer may take.
    fn look(&mut self, now: Duration, arrived: u64, answer: Duration) -> Option<f64> {
        let seen = self.seen.replace(arrived);
        let is_news = seen.is_some_and(|seen| seen != arrived);
        if self.begun.is_none() && is_news {
            self.begun = Some((now, arrived));
        }
        let (begun, before) = self.begun.unwrap_or((self.from, arrived));
        let (time, bytes) = (now.saturating_sub(begun), arrived.saturating_sub(before));
        // Where nothing comes any more it is not waited for longer than an answer takes.
        let nothing = if bytes == 0 { 1 } else { 2 } * self.length;
        let is_over = is_news || time >= nothing.max(answer);
        (time >= self.length && is_over).then(|| bytes as f64 / time.as_secs_f64())
    }
}

/// Lanes that carry the data together, the one that costs least first: streams take less processor
/// time, and one kind alone has fewer ways to wait for the slower one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Used {
    Streams,
    Datagrams,
    Both,
}

use Used::{Both, Datagrams, Streams};

impl Used {
    /// In the order of their numbers.
    const ALL: [Used; 3] = [Streams, Datagrams, Both];

    fn has(self, kind: Kind) -> bool {
        match self {
            Streams => kind == Kind::Stream,
            Datagrams => kind == Kind::Datagrams,
            Both => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Streams => name(Kind::Stream),
            Datagrams => name(Kind::Datagrams),
            Both => "both together",
        }
    }
}

/// Decides which lanes of a sender rest.
#[derive(Debug)]
pub struct Choice {
    via: Via,
    kinds: Vec<Kind>,
    /// These lanes carry data.
    used: Used,
    /// What was chosen last; none yet.
    chosen: Option<Used>,
    /// What is to be tried after what is used now, the next one last; none while what is used was
    /// chosen.
    tries: Option<Vec<Used>>,
    /// Bytes per second that each has brought in this round of tries, or in the last one.
    rates: [Option<f64>; Used::ALL.len()],
    window: Option<Window>,
    /// Most bytes per second that have arrived since the last choice, and windows with less.
    best: f64,
    less: u32,
    /// When another choice is tried whatever arrives.
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

impl Choice {
    /// Among lanes of these kinds.
    #[must_use]
    pub fn new(via: Via, kinds: Vec<Kind>) -> Self {
        let has = |kind| kinds.contains(&kind);
        let both = has(Kind::Datagrams) && has(Kind::Stream);
        Choice {
            via: if both { via } else { Via::Udp },
            used: match has(Kind::Stream) {
                true => Streams,
                false => Datagrams,
            },
            kinds,
            chosen: None,
            tries: Some(vec![Datagrams]),
            rates: [None; Used::ALL.len()],
            window: None,
            best: 0.0,
            less: 0,
            again: Duration::ZERO,
            changes: 0,
            reports: Vec::new(),
        }
    }

    /// Has the lanes that are not used rest.
    pub fn begin<B: AsRef<[u8]>>(&self, sender: &mut Sender<B>) {
        for (lane, &kind) in (0..).zip(&self.kinds) {
            sender.set_rest(lane, !self.used.has(kind));
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
        let Some(rate) = window.look(now, self.arrived(sender), self.answer(sender)) else {
            self.window = Some(window);
            return;
        };
        let limited = 2 * window.hungry > window.looks;
        let used = self.used;
        if self.measured(now, rate, limited) {
            self.leave_streams(sender);
        }
        if self.used != used {
            self.begin(sender);
        }
        self.open(now, self.round_trip(sender));
    }

    /// The lanes in use.
    fn lanes<'a, B: AsRef<[u8]>>(
        &self,
        sender: &'a Sender<B>,
    ) -> impl Iterator<Item = &'a Aggregator> {
        let lanes = (0..).zip(&self.kinds);
        let lanes = lanes.filter(|&(_, &kind)| self.used.has(kind));
        lanes.filter_map(|(lane, _)| sender.lane(lane))
    }

    /// Bytes of frames that have arrived over them, about.
    fn arrived<B: AsRef<[u8]>>(&self, sender: &Sender<B>) -> u64 {
        let bytes = self.lanes(sender);
        let bytes = bytes.map(|lane| lane.frames().1 * lane.frame_bytes() as u64);
        bytes.sum()
    }

    /// For how long an answer on one of them may take: what waits in front of a stream is part of
    /// that.
    fn answer<B: AsRef<[u8]>>(&self, sender: &Sender<B>) -> Duration {
        let waits = self.lanes(sender).map(Aggregator::first_wait);
        match self.chosen {
            None => NEWS,
            Some(_) => waits.max().unwrap_or_default().min(NEWS),
        }
    }

    /// Round trip of the path: the shortest of any lane, as frames also wait in front of a stream.
    fn round_trip<B: AsRef<[u8]>>(&self, sender: &Sender<B>) -> Duration {
        let lanes = (0..).zip(&self.kinds);
        let lanes = lanes.filter_map(|(lane, _)| sender.lane(lane)?.rate.shortest_rtt());
        lanes.min().unwrap_or_default()
    }

    /// The next measurement.
    fn open(&mut self, now: Duration, rtt: Duration) {
        let start = match self.tries {
            None => Duration::ZERO,
            Some(_) => START.max(rtt * START_ROUNDS),
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

    /// So much has arrived over the lanes in use; `limited`: there was no more to send. Says
    /// whether streams are left, with what is on its way over them.
    fn measured(&mut self, now: Duration, rate: f64, limited: bool) -> bool {
        let used = self.used;
        self.rates[used as usize] = Some(rate);
        let Some(tries) = &mut self.tries else {
            return self.watch(now, rate, limited);
        };
        if let Some(next) = tries.pop() {
            self.used = next;
            return false;
        }
        self.choose(now);
        used.has(Kind::Stream) && !self.used.has(Kind::Stream)
    }

    /// What is used was chosen: other tries begin when less arrives or when it is time.
    fn watch(&mut self, now: Duration, rate: f64, limited: bool) -> bool {
        let falls = !limited && rate < self.best * LESS;
        self.less = if falls { self.less + 1 } else { 0 };
        self.best = self.best.max(rate);
        let falls = self.less >= LESS_WINDOWS;
        if !falls && now < self.again {
            return false;
        }
        let used = self.used;
        let mut others = Used::ALL.into_iter().filter(|&other| other != used);
        let mut tries: Vec<_> = if falls {
            others.filter(|&other| other != Both).collect()
        } else {
            // The one that was not tried last, if there is one.
            let untried = |&it: &Used| self.rates[it as usize].is_none();
            let other = others.clone().find(untried).or(others.next_back());
            other.into_iter().collect()
        };
        self.rates = [None; Used::ALL.len()];
        self.rates[used as usize] = Some(rate);
        self.used = tries.pop().expect("there are two others");
        self.tries = Some(tries);
        falls && used.has(Kind::Stream)
    }

    /// All that was to be tried has been: the cheapest of those that bring nearly the most.
    fn choose(&mut self, now: Duration) {
        let rate = |used: Used| self.rates[used as usize];
        let best = self.rates.iter().flatten().copied().fold(0.0, f64::max);
        let nearly = |&used: &Used| rate(used).is_some_and(|rate| rate * BETTER >= best);
        let before = self.chosen.unwrap_or(Streams);
        self.used = match best > 0.0 {
            true => Used::ALL.into_iter().find(nearly).unwrap_or(before),
            false => before,
        };
        self.best = rate(self.used).unwrap_or_default();
        self.report();
        self.chosen = Some(self.used);
        (self.tries, self.less, self.again) = (None, 0, now + AGAIN);
    }

    /// What waits in a stream would hold up all behind it: it goes over the lanes in use.
    fn leave_streams<B: AsRef<[u8]>>(&self, sender: &mut Sender<B>) {
        for (lane, &kind) in (0..).zip(&self.kinds) {
            if kind == Kind::Stream {
                sender.abandon_lane(lane);
            }
        }
    }

    /// Says what has been chosen, if it is another choice than before.
    fn report(&mut self) {
        let first = self.chosen.is_none();
        if self.chosen == Some(self.used) {
            return;
        }
        event!(INFO, used = ?self.used, "lanes chosen");
        self.changes += usize::from(!first);
        if self.reports.len() < MOST_REPORTED {
            let tried = Used::ALL.into_iter().zip(self.rates);
            let brought = tried
                .filter_map(|(used, rate)| Some(format!("{} {:.2}", used.name(), rate? * 8e-9)));
            self.reports.push(format!(
                "data goes over {}{}; Gb/s that arrive: {}",
                self.used.name(),
                if first { "" } else { " from now on" },
                brought.collect::<Vec<_>>().join(", "),
            ));
        }
    }
}

#[cfg(test)]
mod tests;
