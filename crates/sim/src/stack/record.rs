// SPDX-License-Identifier: Apache-2.0
//! What is kept of a run: load over time, events, times of packets.

use std::collections::{BTreeMap, HashMap};

use crate::LatencyHistogram;
use crate::rdma::Word;

/// Most points of a curve.
const POINTS: usize = 512;
/// Most events that are kept.
const EVENTS: usize = 1000;
/// Bytes of a first word that tell packets apart: header and half of the footer.
const KEY: usize = 24;
/// Packets whose times are followed, at most.
const FOLLOWED: usize = 1 << 16;

/// Words in equal spans of time; the spans become longer as time goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// Cycles of a span.
    pub span: u64,
    /// Words of each.
    pub words: Vec<u64>,
}

impl Default for Series {
    fn default() -> Self {
        Self {
            span: 64,
            words: Vec::new(),
        }
    }
}

impl Series {
    pub(super) fn add(&mut self, now: u64) {
        let mut at = (now / self.span) as usize;
        while at >= POINTS {
            self.span *= 2;
            at /= 2;
            self.words = self.words.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        self.words[at] += 1;
    }
}

/// Something that happened to a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A session is open.
    SessionOpen,
    /// It has ended.
    SessionEnded,
    /// A receiver of a lane is up.
    LaneUp(u8),
    /// It is down.
    LaneDown(u8),
    /// A lane is cut, as the fault says.
    Cut(u8),
    /// The cut is over.
    Rejoined(u8),
}

/// When, and at which link; `end` is the one of its two that saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Happened {
    /// Cycle.
    pub at: u64,
    /// Link, from 0 on.
    pub link: usize,
    /// Which end, 0 or 1.
    pub end: usize,
    /// What.
    pub what: Event,
}

/// A point that a packet passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// From the engine to the link's end.
    Out,
    /// Over a link.
    Link,
    /// Through a switch.
    Switch,
    /// From the link's end to the engine.
    In,
    /// All of it.
    Whole,
}

/// Times of packets.
#[derive(Debug, Default)]
pub(super) struct Follow {
    /// By packet: when it left its engine, and when it was seen last.
    seen: HashMap<[u8; KEY], (u64, u64)>,
    pub stages: BTreeMap<Stage, LatencyHistogram>,
}

impl Follow {
    fn key(word: &[u8]) -> [u8; KEY] {
        std::array::from_fn(|i| word.get(i).copied().unwrap_or(0))
    }

    /// A packet leaves its engine.
    pub(super) fn begin(&mut self, now: u64, word: &Word) {
        if self.seen.len() < FOLLOWED {
            self.seen.insert(Self::key(word), (now, now));
        }
    }

    /// It has passed a stage.
    pub(super) fn passed(&mut self, now: u64, word: &[u8], stage: Stage) {
        let key = Self::key(word);
        let Some((begun, last)) = self.seen.get_mut(&key) else {
            return;
        };
        let spent = now - *last;
        *last = now;
        let whole = now - *begun;
        self.stages.entry(stage).or_default().record(spent);
        if stage == Stage::In {
            self.stages.entry(Stage::Whole).or_default().record(whole);
            self.seen.remove(&key);
        }
    }
}

/// Events, the first ones of a run that has many.
#[derive(Debug, Default)]
pub(super) struct Events(pub Vec<Happened>);

impl Events {
    pub(super) fn add(&mut self, at: u64, link: usize, end: usize, what: Event) {
        if self.0.len() < EVENTS {
            self.0.push(Happened {
                at,
                link,
                end,
                what,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_grow_and_nothing_is_lost() {
        let mut series = Series::default();
        for now in 0..100_000 {
            series.add(now);
        }
        assert!(series.words.len() <= POINTS);
        assert_eq!(series.words.iter().sum::<u64>(), 100_000);
        assert_eq!(series.words[0], series.span);
    }
}
