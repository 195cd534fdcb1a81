// SPDX-License-Identifier: Apache-2.0
//! Graphs on threads: what arrives, who wakes whom, how they end.

use std::collections::BTreeSet;
use std::io;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use ropewalk_stripes::operators::{Map, RoundRobin, Sink, Source};
use ropewalk_stripes::{
    Cause, Graph, Input, Now, Output, Placement, Running, Settings, Sleeper, Snapshot, Stage,
    StageError, Stepping, Thread, Turn, Waker,
};

/// Far more than anything here takes, on any machine.
const LONG: Duration = Duration::from_secs(120);
/// Sleep at once, to test that everybody is woken.
const SLEEPY: Settings = Settings {
    spin: Some(Duration::ZERO),
};

/// Waits for the end; a graph in which somebody was not woken would never come to it.
fn finish(running: Running) -> Snapshot {
    let begin = Instant::now();
    while !running.is_finished() {
        assert!(
            begin.elapsed() < LONG,
            "stuck: {:#?}",
            running.observer().snapshot()
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    running.join().unwrap()
}

/// A sink, and what it got.
fn collect<T: Send + 'static>(
    graph: &mut Graph,
    name: &str,
    edge: &ropewalk_stripes::Edge<T>,
) -> Receiver<T> {
    let (send, receive) = channel();
    graph.add(name, |ports| {
        Sink::new(ports.input(edge), move |item| {
            let _ = send.send(item);
        })
    });
    receive
}

/// The stages of a small protocol: make numbers, work on them, put them together.
fn work(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) ^ n
}

/// All in a row.
fn row(count: u64) -> (Graph, Receiver<u64>) {
    let mut graph = Graph::new("row");
    let (a, b) = (graph.edge("a", 16), graph.edge("b", 16));
    graph.add("source", |ports| Source::new(ports.output(&a), 0..count));
    graph.add("work", |ports| {
        Map::new(ports.input(&a), ports.output(&b), work)
    });
    let results = collect(&mut graph, "sink", &b);
    (graph, results)
}

/// The same stages with `width` lanes behind a split.
fn lanes(count: u64, width: usize, capacity: usize) -> (Graph, Receiver<u64>) {
    let mut graph = Graph::new("lanes");
    let a = graph.edge("a", capacity);
    let edges = |graph: &mut Graph, name| -> Vec<_> {
        let names = (0..width).map(|lane| format!("{name}{lane}"));
        names
            .map(|name| graph.edge::<u64>(&name, capacity))
            .collect()
    };
    let (ins, outs) = (edges(&mut graph, "in"), edges(&mut graph, "out"));
    graph.add("source", |ports| Source::new(ports.output(&a), 0..count));
    graph.add("split", |ports| {
        let outputs = ins.iter().map(|edge| ports.output(edge)).collect();
        RoundRobin::new(ports.input(&a), outputs, 3)
    });
    let (send, results) = channel();
    for (lane, (from, to)) in ins.iter().zip(&outs).enumerate() {
        graph.add(&format!("work{lane}"), |ports| {
            Map::new(ports.input(from), ports.output(to), work)
        });
        let send = send.clone();
        graph.add(&format!("sink{lane}"), |ports| {
            Sink::new(ports.input(to), move |item| {
                let _ = send.send(item);
            })
        });
    }
    (graph, results)
}

#[test]
fn arrangements_deliver_the_same() {
    let count = 20_000;
    let expected: BTreeSet<u64> = (0..count).map(work).collect();
    assert_eq!(expected.len() as u64, count);
    let lane = |n: usize| Thread::new(&format!("lane {n}"), [format!("work{n}")]);
    let by_lane = Placement::Threads(vec![
        Thread::new("ends", ["source", "split", "sink0", "sink1"]),
        lane(0),
        lane(1),
    ]);
    for settings in [Settings::default(), SLEEPY] {
        for (placement, graphs) in [
            (Placement::Together, [row(count), lanes(count, 3, 64)]),
            (Placement::Spread, [row(count), lanes(count, 3, 5)]),
            (by_lane.clone(), [lanes(count, 2, 1), lanes(count, 2, 64)]),
        ] {
            for (graph, results) in graphs {
                let name = graph.name().to_owned();
                let counts = finish(graph.run(&placement, settings).unwrap());
                let all: Vec<u64> = results.iter().collect();
                assert_eq!(all.len() as u64, count, "{name} {placement:?}");
                assert_eq!(all.into_iter().collect::<BTreeSet<_>>(), expected);
                for edge in &counts.edges {
                    assert_eq!(edge.pushed, edge.popped, "{edge:?}");
                    assert!(edge.high_water >= 1 && edge.high_water <= edge.capacity as u64);
                }
                assert!(counts.stages.iter().all(|stage| stage.done));
            }
        }
    }
}

/// A row keeps the order, whatever its threads do.
#[test]
fn a_row_keeps_the_order() {
    let (graph, results) = row(5000);
    finish(graph.run(&Placement::Spread, SLEEPY).unwrap());
    assert!(results.iter().eq((0..5000).map(work)));
}

/// Adds one and sends it back, until it is big enough.
struct Player {
    input: Input<u32>,
    output: Output<u32>,
    serve: Option<u32>,
    end: u32,
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

/// Every item is a wake-up of a thread that is asleep or about to be. One that got lost would stop
/// the game.
#[test]
fn no_wake_up_is_lost() {
    let end = 30_000;
    for capacity in [1, 4] {
        let mut graph = Graph::new("game");
        let (ping, pong) = (graph.edge("ping", capacity), graph.edge("pong", capacity));
        for (name, from, to, serve) in [("a", &pong, &ping, Some(0)), ("b", &ping, &pong, None)] {
            graph.add(name, |ports| Player {
                input: ports.input(from),
                output: ports.output(to),
                serve,
                end,
            });
        }
        let counts = finish(graph.run(&Placement::Spread, SLEEPY).unwrap());
        let sum: u64 = counts.edges.iter().map(|edge| edge.pushed).sum();
        assert_eq!(sum, u64::from(end));
        assert!(counts.threads.iter().any(|thread| thread.sleeps > 0));
    }
}

struct Broken {
    input: Input<u64>,
    at: u64,
    panic: bool,
}

impl Stage for Broken {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        if let Some(n) = self.input.pop()
            && n == self.at
        {
            assert!(!self.panic, "a bug at {n}");
            return Err(format!("bad item {n}").into());
        }
        Ok(Turn::Idle)
    }
}

#[test]
fn a_stage_that_fails_stops_all_and_is_named() {
    for panic in [false, true] {
        for placement in [Placement::Spread, Placement::Together] {
            let mut graph = Graph::new("broken");
            let edge = graph.edge("e", 4);
            graph.add("endless", |ports| Source::new(ports.output(&edge), 0..));
            graph.add("bad one", |ports| Broken {
                input: ports.input(&edge),
                at: 1000,
                panic,
            });
            let failure = graph
                .run(&placement, Settings::default())
                .unwrap()
                .join()
                .unwrap_err();
            assert_eq!(failure.stage, "bad one");
            let text = failure.to_string();
            if panic {
                assert!(matches!(failure.cause, Cause::Panicked(_)));
                assert_eq!(text, "stage bad one: panicked: a bug at 1000");
            } else {
                assert_eq!(text, "stage bad one: bad item 1000");
            }
        }
    }
}

/// An endless source stops when the graph is drained, and all that it made arrives.
#[test]
fn draining_loses_nothing() {
    for placement in [Placement::Spread, Placement::Together] {
        let (graph, results) = row(u64::MAX);
        let running = graph.run(&placement, Settings::default()).unwrap();
        let observer = running.observer();
        while observer.snapshot().edge("b").unwrap().popped < 1000 {
            std::thread::yield_now();
        }
        running.drain();
        let counts = finish(running);
        let made = counts.edge("a").unwrap().pushed;
        assert!(results.iter().eq((0..made).map(work)));
        assert_eq!(observer.snapshot().edges, counts.edges);
    }
}

#[test]
fn an_aborted_graph_ends() {
    let (graph, _results) = row(u64::MAX);
    let running = graph.run(&Placement::Spread, SLEEPY).unwrap();
    running.abort();
    running.join().unwrap();
    // So does one that is dropped.
    let (graph, _results) = row(u64::MAX);
    drop(graph.run(&Placement::Spread, SLEEPY).unwrap());
}

/// Nobody listens: the source learns it through the stage in between, and ends.
#[test]
fn the_end_goes_upstream() {
    let mut graph = Graph::new("upstream");
    let (a, b) = (graph.edge("a", 4), graph.edge("b", 4));
    graph.add("source", |ports| Source::new(ports.output(&a), 0u64..));
    graph.add("work", |ports| {
        Map::new(ports.input(&a), ports.output(&b), work)
    });
    struct Once(Input<u64>);
    impl Stage for Once {
        fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
            let got = self.0.pop().is_some();
            Ok(if got { Turn::Done } else { Turn::Idle })
        }
    }
    graph.add("once", |ports| Once(ports.input(&b)));
    finish(graph.run(&Placement::Spread, SLEEPY).unwrap());
}

/// Writes one item at each of these times.
struct Clock {
    output: Output<u64>,
    at: Vec<Duration>,
    turns: u64,
}

impl Stage for Clock {
    fn turn(&mut self, now: Now) -> Result<Turn, StageError> {
        self.turns += 1;
        while self.at.first().is_some_and(|&at| at <= now.time) {
            self.at.remove(0);
            self.output.push(self.turns).map_err(|_| "no room")?;
        }
        Ok(self.at.first().map_or(Turn::Done, |&at| Turn::Until(at)))
    }
}

/// A stage is called when its time has come, by a thread that slept until then.
#[test]
fn deadlines_are_kept() {
    let mut graph = Graph::new("clock");
    let edge = graph.edge("e", 4);
    let last = Duration::from_millis(60);
    graph.add("clock", |ports| Clock {
        output: ports.output(&edge),
        at: vec![Duration::from_millis(20), last],
        turns: 0,
    });
    let results = collect(&mut graph, "sink", &edge);
    let counts = finish(graph.run(&Placement::Spread, SLEEPY).unwrap());
    assert!(counts.time_ns >= last.as_nanos() as u64);
    assert_eq!(results.iter().count(), 2);
    // Two turns a sleep, and a few for early wake-ups: it has not been spinning.
    assert!(counts.stages[0].turns < 50, "{counts:?}");
}

/// Without threads all that can happen at a time has happened when the step ends, in told time.
#[test]
fn a_graph_is_moved_by_hand() {
    let mut graph = Graph::new("by hand");
    let (edge, last) = (graph.edge("e", 4), Duration::from_secs(3600));
    graph.add("clock", |ports| Clock {
        output: ports.output(&edge),
        at: vec![Duration::from_secs(1), last],
        turns: 0,
    });
    let results = collect(&mut graph, "sink", &edge);
    let mut graph = Stepping::new(graph).unwrap();
    let (mut now, mut counts) = (Duration::ZERO, Vec::new());
    while let Some(next) = graph.step(now).unwrap() {
        counts.push(results.try_iter().count());
        now = next;
    }
    assert!(graph.is_finished() && now == last);
    assert_eq!((counts, results.iter().count()), (vec![0, 1], 1));
    let (graph, results) = lanes(1000, 3, 4);
    assert_eq!(Stepping::new(graph).unwrap().step(now).unwrap(), None);
    let expected: BTreeSet<u64> = (0..1000).map(work).collect();
    assert_eq!(results.iter().collect::<BTreeSet<_>>(), expected);
    assert!(Stepping::new(Graph::new("nothing")).is_err());
}

/// A socket in small: events from outside, and a waker.
#[derive(Default)]
struct Outside {
    state: Mutex<(u32, bool)>,
    changed: Condvar,
}

struct Port {
    outside: Arc<Outside>,
    input: Input<u32>,
    output: Output<u32>,
    events: u32,
}

impl Stage for Port {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        let events = std::mem::take(&mut self.outside.state.lock().unwrap().0);
        self.events += events;
        self.output.extend(&mut self.input.drain(1));
        let over = self.events >= 200 && self.input.is_finished();
        Ok(if over {
            Turn::Done
        } else if events > 0 {
            Turn::Worked
        } else {
            Turn::Idle
        })
    }

    fn sleeper(&mut self) -> Option<&mut dyn Sleeper> {
        Some(self)
    }
}

impl Sleeper for Port {
    fn wait(&mut self, timeout: Duration) -> io::Result<()> {
        let state = self.outside.state.lock().unwrap();
        let quiet = |state: &mut (u32, bool)| state.0 == 0 && !state.1;
        let waited = self
            .outside
            .changed
            .wait_timeout_while(state, timeout, quiet);
        waited.unwrap().0.1 = false;
        Ok(())
    }

    fn waker(&self) -> Waker {
        let outside = Arc::clone(&self.outside);
        Arc::new(move || {
            outside.state.lock().unwrap().1 = true;
            outside.changed.notify_all();
        })
    }
}

/// Threads that sleep in something foreign are woken by it and by their neighbours, alone or two to
/// a thread.
#[test]
fn foreign_sleepers() {
    for together in [false, true] {
        let outside: [Arc<Outside>; 2] = Default::default();
        let mut graph = Graph::new("ports");
        let edges: Vec<_> = (0..3).map(|i| graph.edge(&format!("e{i}"), 1)).collect();
        graph.add("source", |ports| {
            Source::new(ports.output(&edges[0]), 0..500u32)
        });
        for i in 0..2 {
            graph.add(&format!("port{i}"), |ports| Port {
                outside: Arc::clone(&outside[i]),
                input: ports.input(&edges[i]),
                output: ports.output(&edges[i + 1]),
                events: 0,
            });
        }
        let results = collect(&mut graph, "sink", &edges[2]);
        let placement = if together {
            Placement::Threads(vec![
                Thread::new("ends", ["source", "sink"]),
                Thread::new("ports", ["port0", "port1"]),
            ])
        } else {
            Placement::Spread
        };
        let running = graph.run(&placement, SLEEPY).unwrap();
        for _ in 0..200 {
            for outside in &outside {
                outside.state.lock().unwrap().0 += 1;
                outside.changed.notify_all();
            }
            std::thread::yield_now();
        }
        finish(running);
        assert!(results.iter().eq(0..500));
    }
}

/// A core that is not there is a warning, and the graph runs.
#[test]
fn refused_cores_are_told() {
    let (graph, results) = row(10);
    let threads = vec![
        Thread::new("one", ["source", "work"]).on(1023),
        Thread::new("two", ["sink"]).on(99_999),
    ];
    let counts = finish(graph.run(&Placement::Threads(threads), SLEEPY).unwrap());
    assert_eq!(counts.warnings.len(), 2, "{counts:?}");
    assert!(counts.warnings.iter().all(|text| text.contains("core")));
    assert_eq!(results.iter().count(), 10);
}
