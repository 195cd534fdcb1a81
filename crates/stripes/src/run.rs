// SPDX-License-Identifier: Apache-2.0
//! A graph that runs.
//!
//! ```text
//! thread:  turns of its stages --nothing done--> spin --still nothing--> announce, turns once more --nothing--> sleep
//!              ^    ^-------------- something done or due -----------------------'                            |
//!              '------------------------------- woken, or a deadline of a stage -----------------------------'
//! ```

use parking_lot::Mutex;
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicUsize, fence};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::edge::{State, take_moved};
use crate::graph::{Graph, Node};
use crate::meter::{EdgeMeter, Meters, Observer, Snapshot, StageMeter, ThreadMeter};
use crate::placement::Thread;
use crate::stage::{Now, Stage, StageError, Turn};
use crate::thread::{Alarm, stay_on};

/// How long a thread spins when there is a core for each.
const SPIN: Duration = Duration::from_micros(20);

/// How a graph runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// How long a thread looks for work before it sleeps. None: 20 us, or not at all if there are
    /// more threads than cores.
    pub spin: Option<Duration>,
}

/// Why a graph came to a bad end.
#[derive(Debug, thiserror::Error)]
#[error("stage {stage}: {cause}")]
pub struct Failure {
    /// The stage that failed first.
    pub stage: String,
    /// What happened.
    pub cause: Cause,
}

/// What happened to a stage.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// It gave up.
    #[error("{0}")]
    Error(StageError),
    /// It panicked.
    #[error("panicked: {0}")]
    Panicked(String),
    /// Its sleeper could not wait.
    #[error("cannot wait: {0}")]
    Wait(io::Error),
    /// There is no thread for it.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

/// What all threads of a graph share.
pub(crate) struct Control {
    start: Instant,
    /// Time at which the last thread ended.
    end: Mutex<Option<Duration>>,
    aborted: AtomicBool,
    draining: AtomicBool,
    live: AtomicUsize,
    failure: Mutex<Option<Failure>>,
    warnings: Mutex<Vec<String>>,
    alarms: Vec<Arc<Alarm>>,
}

impl Control {
    pub(crate) fn time(&self) -> Duration {
        self.end.lock().unwrap_or_else(|| self.start.elapsed())
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        self.warnings.lock().clone()
    }

    fn raise(&self, flag: &AtomicBool) {
        flag.store(true, SeqCst);
        fence(SeqCst);
        for alarm in &self.alarms {
            alarm.ring();
        }
    }

    fn fail(&self, stage: &str, cause: Cause) {
        self.failure.lock().get_or_insert_with(|| Failure {
            stage: stage.to_owned(),
            cause,
        });
        self.raise(&self.aborted);
    }

    fn leave(&self) {
        if self.live.fetch_sub(1, SeqCst) == 1 {
            *self.end.lock() = Some(self.start.elapsed());
        }
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("aborted", &self.aborted)
            .field("draining", &self.draining)
            .finish_non_exhaustive()
    }
}

/// A graph that runs. Dropping it aborts the graph.
#[derive(Debug)]
pub struct Running {
    threads: Vec<JoinHandle<()>>,
    observer: Observer,
}

impl Running {
    pub(crate) fn start(
        graph: Graph,
        threads: Vec<(Thread, Vec<usize>)>,
        settings: Settings,
    ) -> Self {
        let Graph { nodes, edges, .. } = graph;
        let mut thread_of = vec![0; nodes.len()];
        for (thread, (_, indices)) in threads.iter().enumerate() {
            indices.iter().for_each(|&index| thread_of[index] = thread);
        }
        let meters = Arc::new(meters(&nodes, &edges, &threads, &thread_of));
        let (work, alarms) = share_out(nodes, &threads, &thread_of, &meters);
        let spin = settings.spin.unwrap_or_else(|| {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            if threads.len() <= cores {
                SPIN
            } else {
                Duration::ZERO
            }
        });
        let control = Arc::new(Control {
            start: Instant::now(),
            end: Mutex::new(None),
            aborted: AtomicBool::new(false),
            draining: AtomicBool::new(false),
            live: AtomicUsize::new(threads.len()),
            failure: Mutex::new(None),
            warnings: Mutex::new(Vec::new()),
            alarms,
        });
        let mut handles = Vec::new();
        for (index, units) in work.into_iter().enumerate() {
            let first = units.first().map(|unit| unit.meter.name.clone());
            let worker = Worker {
                units,
                alarm: Arc::clone(&control.alarms[index]),
                control: Arc::clone(&control),
                meter: Arc::clone(&meters.threads[index]),
                spin,
            };
            let builder = std::thread::Builder::new().name(worker.meter.name.clone());
            match builder.spawn(move || worker.run()) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    control.fail(&first.unwrap_or_default(), Cause::Thread(error));
                    control.leave();
                }
            }
        }
        Self {
            threads: handles,
            observer: Observer { meters, control },
        }
    }

    /// Tells all stages that the graph is to come to an end ([`Now::draining`]).
    pub fn drain(&self) {
        let control = &self.observer.control;
        control.raise(&control.draining);
    }

    /// Ends the graph after the turns that are under way. What is in the streams is dropped.
    pub fn abort(&self) {
        let control = &self.observer.control;
        control.raise(&control.aborted);
    }

    /// Whether all stages have ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.observer.control.live.load(SeqCst) == 0
    }

    /// Reads the counters.
    #[must_use]
    pub fn observer(&self) -> Observer {
        self.observer.clone()
    }

    /// Waits for the end of all stages; the counters at the end.
    ///
    /// # Errors
    /// A stage failed.
    pub fn join(mut self) -> Result<Snapshot, Failure> {
        self.wait();
        match self.observer.control.failure.lock().take() {
            Some(failure) => Err(failure),
            None => Ok(self.observer.snapshot()),
        }
    }

    fn wait(&mut self) {
        for thread in self.threads.drain(..) {
            // A worker catches what its stages throw.
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.threads.is_empty() {
            self.abort();
            self.wait();
        }
    }
}

/// Counters of the graph, before anything is counted.
fn meters(
    nodes: &[Node],
    edges: &[Arc<State>],
    threads: &[(Thread, Vec<usize>)],
    thread_of: &[usize],
) -> Meters {
    let end = |edge: usize, ends: fn(&Node) -> &[usize]| {
        let found = nodes.iter().position(|node| ends(node).contains(&edge));
        found.unwrap_or_default()
    };
    let edges = edges.iter().enumerate().map(|(index, state)| EdgeMeter {
        state: Arc::clone(state),
        from: end(index, |node| &node.writes),
        to: end(index, |node| &node.reads),
    });
    let stages = nodes.iter().zip(thread_of).map(|(node, &thread)| {
        Arc::new(StageMeter {
            name: node.name.clone(),
            thread,
            ..StageMeter::default()
        })
    });
    let threads = threads.iter().map(|(thread, _)| {
        Arc::new(ThreadMeter {
            name: thread.name.clone(),
            core: thread.core,
            ..ThreadMeter::default()
        })
    });
    Meters {
        stages: stages.collect(),
        threads: threads.collect(),
        edges: edges.collect(),
    }
}

/// The stages of each thread, which know how to wake their neighbours, and what wakes the threads.
fn share_out(
    nodes: Vec<Node>,
    threads: &[(Thread, Vec<usize>)],
    thread_of: &[usize],
    meters: &Meters,
) -> (Vec<Vec<Unit>>, Vec<Arc<Alarm>>) {
    let stages = nodes.into_iter().map(|node| Some(node.stage));
    let mut stages: Vec<Option<Box<dyn Stage>>> = stages.collect();
    // Alarms first: a stage knows those of its neighbours.
    let mut alarms = Vec::new();
    let mut places = vec![None; stages.len()];
    for (_, indices) in threads {
        let mut wakers = Vec::new();
        for &index in indices {
            let sleeper = stages[index].as_mut().and_then(|stage| stage.sleeper());
            if let Some(sleeper) = sleeper {
                places[index] = Some(wakers.len());
                wakers.push(sleeper.waker());
            }
        }
        alarms.push(Arc::new(Alarm::new(wakers)));
    }
    let neighbours = |index: usize| {
        let mut others: Vec<usize> = meters
            .edges
            .iter()
            .filter(|edge| edge.from == index || edge.to == index)
            .flat_map(|edge| [thread_of[edge.from], thread_of[edge.to]])
            .filter(|&thread| thread != thread_of[index])
            .collect();
        others.sort_unstable();
        others.dedup();
        others.into_iter().map(|i| Arc::clone(&alarms[i])).collect()
    };
    let work = threads.iter().map(|(_, indices)| {
        let units = indices.iter().filter_map(|&index| {
            Some(Unit {
                stage: stages[index].take()?,
                meter: Arc::clone(&meters.stages[index]),
                neighbours: neighbours(index),
                sleeper: places[index],
            })
        });
        units.collect()
    });
    let work = work.collect();
    (work, alarms)
}

/// A stage on its thread.
struct Unit {
    stage: Box<dyn Stage>,
    meter: Arc<StageMeter>,
    /// Alarms of the other threads at its streams.
    neighbours: Vec<Arc<Alarm>>,
    /// Its place among the sleepers of the thread.
    sleeper: Option<usize>,
}

impl Unit {
    /// Wakes the neighbours after something has moved.
    fn tell(&self) {
        fence(SeqCst);
        for neighbour in &self.neighbours {
            neighbour.ring();
        }
    }

    /// Ends the stage, which closes its ports; whether that went well.
    fn end(self, control: &Control) {
        let Self {
            stage,
            meter,
            neighbours,
            ..
        } = self;
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(stage))) {
            control.fail(&meter.name, Cause::Panicked(text(&*panic)));
        }
        meter.done.add(1);
        fence(SeqCst);
        for neighbour in &neighbours {
            neighbour.ring();
        }
    }
}

/// What a panic says.
fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a message".to_owned())
}

/// A thread of the graph.
struct Worker {
    units: Vec<Unit>,
    alarm: Arc<Alarm>,
    control: Arc<Control>,
    meter: Arc<ThreadMeter>,
    spin: Duration,
}

/// What a round of turns came to.
struct Round {
    worked: bool,
    /// The first deadline of a stage.
    until: Option<Duration>,
    /// Time at its end.
    time: Duration,
}

impl Worker {
    fn run(mut self) {
        self.alarm.adopt();
        if let Some(core) = self.meter.core
            && let Err(error) = stay_on(core)
        {
            let warning = format!("thread {} is not on core {core}: {error}", self.meter.name);
            self.control.warnings.lock().push(warning);
        }
        take_moved();
        let mut idle_since = None;
        let mut announced = false;
        let mut rotation = 0;
        while !self.control.aborted.load(Relaxed) {
            let Some(round) = self.round() else { break };
            if self.units.is_empty() {
                break;
            }
            if round.worked || round.until.is_some_and(|until| until <= round.time) {
                if announced {
                    self.alarm.cancel();
                    announced = false;
                }
                idle_since = None;
            } else if !announced {
                let since = *idle_since.get_or_insert(round.time);
                if round.time - since < self.spin {
                    std::hint::spin_loop();
                } else {
                    let mut sleepers = self.units.iter().filter_map(|unit| unit.sleeper);
                    rotation = (rotation + 1) % sleepers.clone().count().max(1);
                    self.alarm.announce(sleepers.nth(rotation));
                    announced = true;
                }
            } else {
                if self.sleep(rotation, round).is_none() {
                    break;
                }
                announced = false;
                idle_since = None;
            }
        }
        for unit in self.units.drain(..) {
            unit.end(&self.control);
        }
        self.control.leave();
    }

    /// A turn of each stage; none if one of them failed.
    fn round(&mut self) -> Option<Round> {
        let mut round = Round {
            worked: false,
            until: None,
            time: self.control.start.elapsed(),
        };
        let draining = self.control.draining.load(Relaxed);
        let mut index = 0;
        while index < self.units.len() {
            let unit = &mut self.units[index];
            let now = Now {
                time: round.time,
                draining,
            };
            let said = catch_unwind(AssertUnwindSafe(|| unit.stage.turn(now)));
            let end = self.control.start.elapsed();
            let took = (end - round.time).as_nanos() as u64;
            round.time = end;
            let moved = take_moved();
            if moved {
                unit.tell();
            }
            let turn = match said {
                Ok(Ok(turn)) => turn,
                Ok(Err(error)) => {
                    self.control.fail(&unit.meter.name, Cause::Error(error));
                    return None;
                }
                Err(panic) => {
                    let cause = Cause::Panicked(text(&*panic));
                    self.control.fail(&unit.meter.name, cause);
                    return None;
                }
            };
            let worked = moved || matches!(turn, Turn::Worked | Turn::Done);
            unit.meter.turns.add(1);
            if worked {
                unit.meter.worked.add(1);
                unit.meter.busy_ns.add(took);
            } else {
                unit.meter.idle_ns.add(took);
            }
            round.worked |= worked;
            if let Turn::Until(time) = turn {
                round.until = Some(round.until.map_or(time, |until| until.min(time)));
            }
            if turn == Turn::Done {
                self.units.remove(index).end(&self.control);
            } else {
                index += 1;
            }
        }
        Some(round)
    }

    /// Sleeps until somebody rings or a stage is due; none if that failed.
    fn sleep(&mut self, rotation: usize, round: Round) -> Option<()> {
        // A time that no clock reaches is none.
        let until = round
            .until
            .and_then(|until| self.control.start.checked_add(until));
        let mut sleepers = self.units.iter_mut().filter(|unit| unit.sleeper.is_some());
        let unit = sleepers.nth(rotation);
        let shared = rotation > 0 || sleepers.next().is_some();
        let (name, stage) = match unit {
            Some(unit) => (unit.meter.name.as_str(), Some(&mut unit.stage)),
            None => ("", None),
        };
        let alarm = &self.alarm;
        let slept = catch_unwind(AssertUnwindSafe(|| {
            alarm.sleep(stage.and_then(|stage| stage.sleeper()), shared, until)
        }));
        self.meter.sleeps.add(1);
        let took = self.control.start.elapsed() - round.time;
        self.meter.asleep_ns.add(took.as_nanos() as u64);
        let cause = match slept {
            Ok(Ok(())) => return Some(()),
            Ok(Err(error)) => Cause::Wait(error),
            Err(panic) => Cause::Panicked(text(&*panic)),
        };
        self.control.fail(name, cause);
        None
    }
}
