// SPDX-License-Identifier: Apache-2.0
//! What a running graph has done, read from outside while it does it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use serde::Serialize;

use crate::edge::{Counters, State};
use crate::run::Control;

/// A number that one thread raises and others read.
#[derive(Debug, Default)]
pub(crate) struct Sum(AtomicU64);

impl Sum {
    pub(crate) fn add(&self, more: u64) {
        // One thread writes, so nothing is lost between these two.
        self.0.store(self.0.load(Relaxed) + more, Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// What a stage has done.
#[derive(Debug, Default)]
pub(crate) struct StageMeter {
    pub(crate) name: String,
    pub(crate) thread: usize,
    pub(crate) turns: Sum,
    pub(crate) worked: Sum,
    pub(crate) busy_ns: Sum,
    pub(crate) idle_ns: Sum,
    pub(crate) done: Sum,
}

/// What a thread has done.
#[derive(Debug, Default)]
pub(crate) struct ThreadMeter {
    pub(crate) name: String,
    pub(crate) core: Option<usize>,
    pub(crate) sleeps: Sum,
    pub(crate) asleep_ns: Sum,
}

/// Stages, threads and streams of a graph.
#[derive(Debug)]
pub(crate) struct Meters {
    pub(crate) stages: Vec<Arc<StageMeter>>,
    pub(crate) threads: Vec<Arc<ThreadMeter>>,
    pub(crate) edges: Vec<EdgeMeter>,
}

/// A stream and its ends.
#[derive(Debug)]
pub(crate) struct EdgeMeter {
    pub(crate) state: Arc<State>,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// A stage at some time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageCounts {
    /// Its name.
    pub name: String,
    /// Index of its thread.
    pub thread: usize,
    /// Turns that it had.
    pub turns: u64,
    /// Those in which it did something.
    pub worked: u64,
    /// Time in those by the clock: what others take of the processor meanwhile counts as well.
    pub busy_ns: u64,
    /// Time in the others.
    pub idle_ns: u64,
    /// It has finished.
    pub done: bool,
}

/// A stream at some time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EdgeCounts {
    /// Its name.
    pub name: String,
    /// Index of the stage that writes.
    pub from: usize,
    /// Index of the stage that reads.
    pub to: usize,
    /// Items that it holds.
    pub capacity: usize,
    /// The counters.
    #[serde(flatten)]
    pub counters: Counters,
}

impl std::ops::Deref for EdgeCounts {
    type Target = Counters;

    fn deref(&self) -> &Counters {
        &self.counters
    }
}

/// A thread at some time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThreadCounts {
    /// Its name.
    pub name: String,
    /// The core that was asked for.
    pub core: Option<usize>,
    /// How often it slept.
    pub sleeps: u64,
    /// How long.
    pub asleep_ns: u64,
}

/// A graph at some time. The counters are read one after the other while it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Snapshot {
    /// Time since it began.
    pub time_ns: u64,
    /// The stages in the order in which they were added.
    pub stages: Vec<StageCounts>,
    /// The streams in the order in which they were made.
    pub edges: Vec<EdgeCounts>,
    /// The threads.
    pub threads: Vec<ThreadCounts>,
    /// What could not be done as it was asked for.
    pub warnings: Vec<String>,
}

impl Snapshot {
    /// The stream of this name.
    #[must_use]
    pub fn edge(&self, name: &str) -> Option<&EdgeCounts> {
        self.edges.iter().find(|edge| edge.name == name)
    }

    /// Items that a stage took from its inputs.
    #[must_use]
    pub fn taken(&self, stage: usize) -> u64 {
        let inputs = self.edges.iter().filter(|edge| edge.to == stage);
        inputs.map(|edge| edge.popped).sum()
    }
}

/// Reads the counters of a graph, from any thread, and also when it has ended.
#[derive(Debug, Clone)]
pub struct Observer {
    pub(crate) meters: Arc<Meters>,
    pub(crate) control: Arc<Control>,
}

impl Observer {
    /// The counters now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let stages = self.meters.stages.iter().map(|stage| StageCounts {
            name: stage.name.clone(),
            thread: stage.thread,
            turns: stage.turns.get(),
            worked: stage.worked.get(),
            busy_ns: stage.busy_ns.get(),
            idle_ns: stage.idle_ns.get(),
            done: stage.done.get() > 0,
        });
        let edges = self.meters.edges.iter().map(|edge| EdgeCounts {
            name: edge.state.name.clone(),
            from: edge.from,
            to: edge.to,
            capacity: edge.state.capacity,
            counters: edge.state.counters(),
        });
        let threads = self.meters.threads.iter().map(|thread| ThreadCounts {
            name: thread.name.clone(),
            core: thread.core,
            sleeps: thread.sleeps.get(),
            asleep_ns: thread.asleep_ns.get(),
        });
        Snapshot {
            time_ns: self.control.time().as_nanos() as u64,
            stages: stages.collect(),
            edges: edges.collect(),
            threads: threads.collect(),
            warnings: self.control.warnings(),
        }
    }
}
