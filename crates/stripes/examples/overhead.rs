// SPDX-License-Identifier: Apache-2.0
//! What the runtime costs on this machine: `cargo run --release -p ropewalk-stripes --example
//! overhead`.
//!
//! Time for an item through a stream and a stage that does nothing, on one thread and on two, and
//! how long a neighbour that sleeps takes to answer. Medians of several runs.

use std::time::{Duration, Instant};

use ropewalk_stripes::measure::{Effort, measure};
use ropewalk_stripes::operators::{Map, Sink, Source};
use ropewalk_stripes::{
    Graph, Input, Now, Output, Placement, Settings, Stage, StageError, Thread, Turn,
};

const RUNS: usize = 7;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Time for an item from a source over `hops` stages to a sink.
fn row(items: u64, hops: usize, placement: &dyn Fn(&[String]) -> Placement) -> f64 {
    let run = || {
        let mut graph = Graph::new("row");
        let edges: Vec<_> = (0..=hops)
            .map(|i| graph.edge(&format!("e{i}"), 256))
            .collect();
        let mut names = vec!["source".to_owned()];
        graph.add("source", |ports| {
            Source::new(ports.output(&edges[0]), 0..items)
        });
        for hop in 0..hops {
            let name = format!("hop{hop}");
            graph.add(&name, |ports| {
                let (from, to) = (ports.input(&edges[hop]), ports.output(&edges[hop + 1]));
                Map::new(from, to, |n: u64| n)
            });
            names.push(name);
        }
        names.push("sink".to_owned());
        graph.add("sink", |ports| Sink::new(ports.input(&edges[hops]), drop));
        let begin = Instant::now();
        let done = graph.run(&placement(&names), Settings::default());
        done.expect("a sound graph").join().expect("no failure");
        begin.elapsed().as_nanos() as f64 / items as f64
    };
    median((0..RUNS).map(|_| run()).collect())
}

/// Sends a number back, one more than it was.
struct Player {
    input: Input<u64>,
    output: Output<u64>,
    serve: Option<u64>,
    end: u64,
}

impl Stage for Player {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        if let Some(ball) = self.serve.take().or_else(|| self.input.pop()) {
            if ball == self.end {
                return Ok(Turn::Done);
            }
            self.output.push(ball + 1).map_err(|_| "no room")?;
        }
        let alone = self.input.is_finished();
        Ok(if alone { Turn::Done } else { Turn::Idle })
    }
}

/// Time from one thread to the other.
fn game(end: u64, spin: Duration) -> f64 {
    let run = || {
        let mut graph = Graph::new("game");
        let (ping, pong) = (graph.edge("ping", 1), graph.edge("pong", 1));
        for (name, from, to, serve) in [("a", &pong, &ping, Some(0)), ("b", &ping, &pong, None)] {
            graph.add(name, |ports| Player {
                input: ports.input(from),
                output: ports.output(to),
                serve,
                end,
            });
        }
        let settings = Settings { spin: Some(spin) };
        let begin = Instant::now();
        let done = graph.run(&Placement::Spread, settings);
        done.expect("a sound graph").join().expect("no failure");
        begin.elapsed().as_nanos() as f64 / end as f64
    };
    median((0..RUNS).map(|_| run()).collect())
}

fn main() {
    let empty = measure(
        "empty",
        Effort::default(),
        || 0u64..,
        |ports, from, to| Map::new(ports.input(from), ports.output(to), |n: u64| n),
    );
    let empty = empty.expect("a stage that works");
    println!(
        "item through a stage that does nothing, its own time   {:8.1} ns",
        empty.item_ns()
    );
    let together = |_: &[String]| Placement::Together;
    let (one, nine) = (row(1_000_000, 1, &together), row(1_000_000, 9, &together));
    println!("source, stage, sink on one thread, an item             {one:8.1} ns");
    println!(
        "each further stage on that thread                      {:8.1} ns",
        (nine - one) / 8.0
    );
    let halves = |names: &[String]| {
        let (left, right) = names.split_at(names.len() / 2);
        Placement::Threads(vec![
            Thread::new("left", left.to_vec()),
            Thread::new("right", right.to_vec()),
        ])
    };
    println!(
        "the same on two threads                                {:8.1} ns",
        row(1_000_000, 1, &halves)
    );
    let awake = game(20_000, Duration::from_millis(10));
    println!("one thread to the other, both awake                    {awake:8.1} ns");
    println!(
        "one thread to the other, both asleep                   {:8.1} ns",
        game(20_000, Duration::ZERO)
    );
}
