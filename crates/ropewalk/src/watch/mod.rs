// SPDX-License-Identifier: Apache-2.0
//! Live pages of what the commands do: `--watch`.

pub(crate) mod htsp;
pub(crate) mod overheard;
pub(crate) mod registers;
pub(crate) mod transfer;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ropewalk_console::failure::Failure;
use ropewalk_console::stop::note;
use ropewalk_watch::{Board, Kind, LaneState, Reason, Server, State, Timeline};

/// Time between two states.
const EVERY: Duration = Duration::from_millis(100);
/// For how long something is named after it has happened last, in seconds.
const MEMORY_S: f64 = 1.0;

fn state_of(up: bool) -> LaneState {
    if up { LaneState::Up } else { LaneState::Down }
}

/// A page, and what it needs to know of before.
struct Page {
    board: Arc<Board>,
    /// Ends with it.
    _server: Server,
    begun: Instant,
    published: Option<Instant>,
    /// What stays as it is.
    first: State,
    timeline: Timeline,
    /// Since when the link is up, or is down.
    since_s: f64,
    was_up: bool,
    /// Event of the present link-down.
    down: Option<(u64, Reason)>,
    counts: [u64; 2],
}

impl Page {
    /// Serves a page, and says where.
    fn open(address: SocketAddr, quiet: bool, first: State) -> Result<Self, Failure> {
        let board = Arc::new(Board::new(first.clone()));
        let server = Server::start(address, Arc::clone(&board)).map_err(Failure::network)?;
        note(quiet, &format!("page: http://{}/", server.address()));
        Ok(Self {
            board,
            _server: server,
            begun: Instant::now(),
            published: None,
            first,
            timeline: Timeline::default(),
            since_s: 0.0,
            was_up: false,
            down: None,
            counts: [0; 2],
        })
    }

    fn time_s(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    /// Whether it is time for another state.
    fn is_due(&self) -> bool {
        self.published.is_none_or(|last| last.elapsed() >= EVERY)
    }

    /// The link is not up because of this; none: it is.
    fn follow(&mut self, time_s: f64, why: Option<Reason>) {
        let up = why.is_none();
        if up != self.was_up {
            self.counts[usize::from(!up)] += 1;
            (self.was_up, self.since_s) = (up, time_s);
        }
        match (why, &mut self.down) {
            (None, down) => {
                if let Some((event, _)) = down.take() {
                    self.timeline.end(event, time_s);
                }
            }
            (Some(why), Some((event, known))) => {
                if why != *known {
                    self.timeline.explain(*event, why.clone());
                    *known = why;
                }
            }
            (Some(why), down @ None) => {
                let event = self.timeline.begin(time_s, Kind::Down, why.clone());
                *down = Some((event, why));
            }
        }
    }

    /// A state with what the page knows itself.
    fn state(&self, time_s: f64) -> State {
        State {
            time_s,
            up: self.was_up,
            since_s: self.since_s,
            ups: self.counts[0],
            downs: self.counts[1],
            reasons: self.down.iter().map(|(_, why)| why.clone()).collect(),
            ..self.first.clone()
        }
    }

    fn publish(&mut self, state: State) {
        self.published = Some(Instant::now());
        self.board.publish(state.with(&self.timeline));
    }
}

/// A counter of something that should not happen: when it has moved last, and by how much.
#[derive(Debug, Clone, Copy, Default)]
struct Trouble {
    /// None before the first look, which says nothing: the counter may be older than the page.
    before: Option<u64>,
    /// Time and growth of the last move.
    last: Option<(f64, u64)>,
}

impl Trouble {
    /// One whose counter begins with the page: the first look counts, too.
    fn from_zero() -> Self {
        Self {
            before: Some(0),
            last: None,
        }
    }

    /// Takes note of the counter; gives by how much it has grown, if it has.
    fn look(&mut self, time_s: f64, count: u64) -> Option<u64> {
        let before = self.before.replace(count)?;
        // A counter that begins anew has grown by what it has.
        let grown = count.checked_sub(before).unwrap_or(count);
        if grown == 0 {
            return None;
        }
        self.last = Some((time_s, grown));
        Some(grown)
    }

    /// By how much it grew last, if that is not long ago.
    fn is_recent(&self, time_s: f64) -> Option<u64> {
        let (at, grown) = self.last?;
        (time_s - at <= MEMORY_S).then_some(grown)
    }
}

/// Counters of what should not happen, each with its code and the words behind its number.
struct Troubles<const N: usize> {
    names: [(&'static str, &'static str); N],
    all: [Trouble; N],
}

impl<const N: usize> Troubles<N> {
    /// Those of what begins with the page.
    fn new(names: [(&'static str, &'static str); N]) -> Self {
        let all = [Trouble::from_zero(); N];
        Self { names, all }
    }

    /// Those of a core, which has counted before anybody has watched.
    fn of_a_core(names: [(&'static str, &'static str); N]) -> Self {
        let all = [Trouble::default(); N];
        Self { names, all }
    }

    fn reason((code, what): (&'static str, &'static str), grown: u64) -> Reason {
        Reason::new(code, format!("{grown} {what}"))
    }

    /// Takes note of the counters; each that has grown is an event.
    fn look(&mut self, time_s: f64, counts: [u64; N], timeline: &mut Timeline) {
        for ((trouble, name), count) in self.all.iter_mut().zip(self.names).zip(counts) {
            if let Some(grown) = trouble.look(time_s, count) {
                timeline.note(time_s, Kind::Note, Self::reason(name, grown));
            }
        }
    }

    /// Those that have grown not long ago.
    fn recent(&self, time_s: f64) -> impl Iterator<Item = Reason> {
        let all = self.names.iter().zip(&self.all);
        all.filter_map(move |(name, trouble)| Some(Self::reason(*name, trouble.is_recent(time_s)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_is_named_for_a_while() {
        let mut core = Trouble::default();
        assert_eq!(core.look(0.0, 3), None);
        assert_eq!(core.look(1.0, 4), Some(1));
        let mut trouble = Trouble::from_zero();
        assert_eq!(trouble.look(0.0, 0), None);
        assert_eq!(trouble.look(1.0, 5), Some(5));
        assert_eq!(trouble.look(1.5, 5), None);
        assert_eq!(trouble.is_recent(2.0), Some(5));
        assert_eq!(trouble.is_recent(2.1), None);
        assert_eq!(trouble.look(3.0, 2), Some(2));
    }

    #[test]
    fn a_link_that_is_down_has_the_latest_reason() {
        let first = State::new("a link");
        let mut page = Page::open(([127, 0, 0, 1], 0).into(), true, first).expect("listens");
        page.follow(0.0, Some(Reason::new("one", "")));
        page.follow(1.0, Some(Reason::new("two", "")));
        assert_eq!(page.state(1.0).reasons[0].code, "two");
        page.follow(2.0, None);
        page.follow(3.0, Some(Reason::new("four", "")));
        let state = page.state(4.0);
        assert_eq!((state.ups, state.downs, state.since_s), (1, 1, 3.0));
        let events = page.timeline.events();
        assert_eq!(events.len(), 2);
        assert_eq!(
            (events[0].duration_s, &*events[0].reason.code),
            (Some(2.0), "two")
        );
        assert_eq!(
            (events[1].duration_s, &*events[1].reason.code),
            (None, "four")
        );
    }
}
