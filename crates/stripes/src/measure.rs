// SPDX-License-Identifier: Apache-2.0
//! What a stage can do: alone on its thread, fed and emptied as fast as it can take it.
//!
//! The capability is the number of items taken over the time that the stage was busy, so neither a
//! slow generator nor turns without work count against it. The time in which the system ran
//! something else does; the median of several runs is taken.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::edge::Edge;
use crate::graph::{Graph, GraphError, Ports};
use crate::operators::{Sink, Source};
use crate::placement::{Placement, Thread};
use crate::run::{Failure, Settings};
use crate::stage::Stage;

/// Items that wait on either side.
const CAPACITY: usize = 1024;

/// How long to measure.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Runs; the median counts.
    pub runs: usize,
    /// Time of a run.
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            runs: 5,
            time: Duration::from_millis(40),
        }
    }
}

/// What a stage can do.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Capability {
    /// Items per second, median of the runs.
    pub per_second: f64,
    /// The slowest run.
    pub least: f64,
    /// The fastest run.
    pub most: f64,
}

impl Capability {
    /// Of several runs.
    ///
    /// # Panics
    /// There was none.
    #[must_use]
    pub fn of(mut rates: Vec<f64>) -> Self {
        assert!(!rates.is_empty(), "0 runs; accepted: 1 or more");
        rates.sort_by(f64::total_cmp);
        Self {
            per_second: rates[rates.len() / 2],
            least: rates[0],
            most: rates[rates.len() - 1],
        }
    }

    /// Time of an item.
    #[must_use]
    pub fn item_ns(&self) -> f64 {
        1e9 / self.per_second
    }
}

/// Why there is no measurement.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The graph around the stage is not sound.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The stage failed.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// It took nothing.
    #[error("stage {0} took no item; accepted: a stage that works")]
    Nothing(String),
}

/// Measures a stage with one input and one output. `items` makes a generator for a run; `make`
/// makes the stage.
///
/// # Errors
/// The stage fails, or takes nothing.
pub fn measure<T, U, I, S>(
    name: &str,
    effort: Effort,
    mut items: impl FnMut() -> I,
    mut make: impl FnMut(&mut Ports<'_>, &Edge<T>, &Edge<U>) -> S,
) -> Result<Capability, MeasureError>
where
    T: Send + 'static,
    U: Send + 'static,
    I: Iterator<Item = T> + Send + 'static,
    S: Stage + 'static,
{
    let placement = Placement::Threads(vec![
        Thread::new(name, ["measured"]),
        Thread::new("ends", ["generator", "sink"]),
    ]);
    let mut rates = Vec::new();
    for _ in 0..effort.runs.max(1) {
        let mut graph = Graph::new(name);
        let (before, behind) = (
            graph.edge("before", CAPACITY),
            graph.edge("behind", CAPACITY),
        );
        graph.add("measured", |ports| make(ports, &before, &behind));
        graph.add("generator", |ports| {
            Source::new(ports.output(&before), items())
        });
        graph.add("sink", |ports| Sink::new(ports.input(&behind), drop));
        let running = graph.run(&placement, Settings::default())?;
        let (begin, observer) = (Instant::now(), running.observer());
        let enough = || begin.elapsed() >= effort.time && observer.snapshot().taken(0) > 0;
        while !enough() && !running.is_finished() {
            std::thread::sleep(effort.time / 8);
        }
        running.drain();
        let counts = running.join()?;
        let (taken, busy) = (counts.taken(0), counts.stages[0].busy_ns);
        if taken == 0 || busy == 0 {
            return Err(MeasureError::Nothing(name.to_owned()));
        }
        rates.push(taken as f64 * 1e9 / busy as f64);
    }
    Ok(Capability::of(rates))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::Map;

    #[test]
    fn the_median_counts() {
        let found = Capability::of(vec![3.0, 1.0, 2.0]);
        assert_eq!((found.per_second, found.least, found.most), (2.0, 1.0, 3.0));
        assert_eq!(found.item_ns(), 5e8);
    }

    /// A stage that spends a known time on each item is measured to do so, whatever else the
    /// machine does: it may be slower, never faster.
    #[test]
    fn a_stage_of_known_speed() {
        let pause = Duration::from_micros(50);
        let effort = Effort {
            runs: 3,
            time: Duration::from_millis(20),
        };
        let found = measure(
            "slow",
            effort,
            || 0u64..,
            |ports, before, behind| {
                Map::new(ports.input(before), ports.output(behind), move |n: u64| {
                    let begin = Instant::now();
                    while begin.elapsed() < pause {
                        std::hint::spin_loop();
                    }
                    n
                })
            },
        );
        let found = found.unwrap();
        assert!(found.most <= 1.0 / pause.as_secs_f64(), "{found:?}");
        assert!(found.least > 0.0, "{found:?}");
    }

    #[test]
    fn a_stage_that_takes_nothing_is_an_error() {
        let error = measure(
            "idle",
            Effort {
                runs: 1,
                time: Duration::from_millis(1),
            },
            std::iter::empty::<u64>,
            |ports, before, behind| Map::new(ports.input(before), ports.output(behind), |n: u64| n),
        );
        assert!(error.unwrap_err().to_string().contains("idle took no item"));
    }
}
