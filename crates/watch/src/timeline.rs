// SPDX-License-Identifier: Apache-2.0
//! What happened, when and why: a bounded list.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use crate::state::Reason;

/// Events that are kept; older ones are only counted.
pub const MOST_EVENTS: usize = 100;
/// Codes of reasons that are counted apart; the others together, as `other`.
const MOST_CODES: usize = 64;

/// What sort of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The link, or an end of it, was not up.
    Down,
    /// A lane had no signal.
    Lane,
    /// Something was damaged or lost and was sent again.
    Recovery,
    /// A session began or ended.
    Session,
    /// Somebody did something to the link on purpose.
    Order,
    /// Something else that is worth a line.
    Note,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// Counted from 1.
    pub number: u64,
    /// When it began, in seconds of the time of the state.
    pub time_s: f64,
    /// How long it lasted; none while it lasts, zero where it has no length.
    pub duration_s: Option<f64>,
    /// What sort.
    pub kind: Kind,
    /// Why.
    pub reason: Reason,
}

/// The latest [`MOST_EVENTS`] events, and how many there were of each reason.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    events: VecDeque<Event>,
    count: u64,
    counts: BTreeMap<(Kind, String), u64>,
}

impl PartialOrd for Kind {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kind {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (*self as u8).cmp(&(*other as u8))
    }
}

impl Kind {
    /// Name as in the JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Lane => "lane",
            Self::Recovery => "recovery",
            Self::Session => "session",
            Self::Order => "order",
            Self::Note => "note",
        }
    }
}

impl Timeline {
    /// Something begins; gives its number for [`Timeline::end`].
    pub fn begin(&mut self, time_s: f64, kind: Kind, reason: Reason) -> u64 {
        self.add(time_s, None, kind, reason)
    }

    /// Something happens that has no length.
    pub fn note(&mut self, time_s: f64, kind: Kind, reason: Reason) -> u64 {
        self.add(time_s, Some(0.0), kind, reason)
    }

    fn add(&mut self, time_s: f64, duration_s: Option<f64>, kind: Kind, reason: Reason) -> u64 {
        self.count += 1;
        if self.events.len() == MOST_EVENTS {
            self.evict();
        }
        if duration_s.is_some() {
            self.tally(kind, &reason);
        }
        self.events.push_back(Event {
            number: self.count,
            time_s,
            duration_s,
            kind,
            reason,
        });
        self.count
    }

    /// Makes room: what goes on stays, and recoveries, of which there can be very many, go before
    /// the rest as long as they are more than half.
    fn evict(&mut self) {
        let over = |it: &Event| it.duration_s.is_some();
        let recovery = |it: &Event| it.kind == Kind::Recovery && over(it);
        let recoveries = self.events.iter().filter(|it| recovery(it)).count();
        let victim = match recoveries > MOST_EVENTS / 2 {
            true => self.events.iter().position(recovery),
            false => self.events.iter().position(over),
        };
        self.events.remove(victim.unwrap_or(0));
    }

    fn tally(&mut self, kind: Kind, reason: &Reason) {
        let mut key = (kind, reason.code.to_string());
        if !self.counts.contains_key(&key) && self.counts.len() >= MOST_CODES {
            key.1 = "other".to_owned();
        }
        *self.counts.entry(key).or_insert(0) += 1;
    }

    /// What began is over. Does nothing if it is no longer kept.
    pub fn end(&mut self, number: u64, time_s: f64) {
        if let Some(event) = self.kept(number)
            && event.duration_s.is_none()
        {
            event.duration_s = Some((time_s - event.time_s).max(0.0));
            let (kind, reason) = (event.kind, event.reason.clone());
            self.tally(kind, &reason);
        }
    }

    /// What began has another reason than it seemed. Does nothing if it is no longer kept.
    pub fn explain(&mut self, number: u64, reason: Reason) {
        if let Some(event) = self.kept(number) {
            event.reason = reason;
        }
    }

    fn kept(&mut self, number: u64) -> Option<&mut Event> {
        // The latest are asked for most.
        self.events
            .iter_mut()
            .rev()
            .find(|event| event.number == number)
    }

    /// What is kept, the oldest first.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.events.iter().cloned().collect()
    }

    /// Events so far that are over, by kind and code, kept or not: an event is counted when it
    /// ends, for its reason may be found while it goes on.
    #[must_use]
    pub fn counts(&self) -> Vec<(Kind, String, u64)> {
        let counts = self.counts.iter();
        counts
            .map(|((kind, code), count)| (*kind, code.clone(), *count))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_bounded_and_counts_go_on() {
        let mut timeline = Timeline::default();
        let first = timeline.begin(0.0, Kind::Down, Reason::new("cut", "a cut"));
        for n in 1..=150u32 {
            let number = timeline.begin(
                n.into(),
                Kind::Recovery,
                Reason::new("bit_errors", "damaged"),
            );
            timeline.end(number, f64::from(n) + 0.5);
        }
        let events = timeline.events();
        assert_eq!(events.len(), MOST_EVENTS);
        // What goes on is kept, and not counted yet.
        assert_eq!((events[0].number, events[1].number), (first, 53));
        assert_eq!(timeline.counts().len(), 1);
        timeline.explain(first, Reason::new("line_zero", "all zero"));
        timeline.end(first, 151.0);
        timeline.end(first, 152.0);
        assert_eq!(timeline.events()[0].duration_s, Some(151.0));
        assert_eq!(
            timeline.counts(),
            [
                (Kind::Down, "line_zero".to_owned(), 1),
                (Kind::Recovery, "bit_errors".to_owned(), 150)
            ]
        );
        // Recoveries do not push out what is rare, as long as they are many.
        for n in 0..45u32 {
            timeline.note(153.0 + f64::from(n), Kind::Note, Reason::new("more", ""));
        }
        assert_eq!(timeline.events()[0].number, first);
        for n in 0..60u32 {
            timeline.note(200.0 + f64::from(n), Kind::Note, Reason::new("more", ""));
        }
        assert!(timeline.events()[0].number > first);
        // Kept no longer.
        timeline.end(first, 300.0);
        assert_eq!(timeline.events().len(), MOST_EVENTS);
    }

    #[test]
    fn codes_that_never_end_do_not_fill_the_memory() {
        let mut timeline = Timeline::default();
        for n in 0..1000 {
            timeline.note(0.0, Kind::Note, Reason::new(format!("code{n}"), ""));
        }
        let counts = timeline.counts();
        assert_eq!(counts.len(), MOST_CODES + 1);
        assert_eq!(counts.iter().map(|count| count.2).sum::<u64>(), 1000);
    }
}
