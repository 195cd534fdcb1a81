// SPDX-License-Identifier: Apache-2.0
//! Both ends as stages on the runtime, with a stage at either end in place of the host.

use super::{
    Figures, Lanes, PATIENCE, PerfError, Settings, Stalled, Taken, is_over, mark, memory, session,
    stamp,
};
use crate::stages::{self, Delivered, Load, Tally};
use parking_lot::Mutex;
use ropewalk_io::measure::cpu;
use ropewalk_stripes::operators::Map;
use ropewalk_stripes::{
    Graph, Input, Now, Output, Placement, Running, Shared, Snapshot, Stage, StageError, Turn,
};
use ropewalk_wire::chunk::{Params, ReceiverSettings};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The stage that offers chunks.
pub(super) const NEAR: &str = "offer";
/// The stage that takes them.
pub(super) const FAR: &str = "take";

/// The stage that offers chunks.
struct Offer {
    chunks: Output<Arc<Load>>,
    done: Input<Arc<Load>>,
    /// Chunks that have arrived, which a stage may still have.
    back: Vec<Arc<Load>>,
    spare: Vec<Vec<u8>>,
    number: u8,
    time: Duration,
    offered: Arc<Mutex<Vec<Instant>>>,
}

impl Stage for Offer {
    fn turn(&mut self, now: Now) -> Result<Turn, StageError> {
        self.back.extend(self.done.drain(usize::MAX));
        for load in std::mem::take(&mut self.back) {
            match Arc::try_unwrap(load) {
                Ok(load) => self.spare.push(load.memory),
                Err(load) => self.back.push(load),
            }
        }
        let mut offered = self.offered.lock();
        if now.draining || is_over(&offered, self.time) {
            return Ok(Turn::Done);
        }
        while self.chunks.room() > 0
            && let Some(mut memory) = self.spare.pop()
        {
            stamp(&mut memory, mark(self.number, offered.len() as u32));
            offered.push(Instant::now());
            let bytes = memory.len();
            let _ = self.chunks.push(Arc::new(Load { memory, bytes }));
        }
        Ok(Turn::Until(now.time + Duration::from_millis(1)))
    }
}

/// What was seen of a pipeline.
struct Book {
    number: u8,
    offered: Arc<Mutex<Vec<Instant>>>,
    taken: Arc<Mutex<Taken>>,
    tally: Arc<Tally>,
}

impl Book {
    /// Adds a pipeline to the graph.
    fn open(
        graph: &mut Graph,
        settings: &Settings,
        params: Params,
        (number, pairs): Lanes,
    ) -> Result<Self, PerfError> {
        let (near, far): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let pipeline = stages::Settings {
            number,
            params,
            pace: settings.pace,
            receiver: ReceiverSettings::default(),
            discard: settings.drop,
        };
        let shared = |memory| Shared::new(memory, params.payload.into());
        let chunks = memory(params, params.chunks).into_iter().map(shared);
        let buffer = far[0].buffer();
        let own = || session(number, params.sealed);
        let out = stages::sender(graph, &pipeline, own(), near, buffer)?;
        let into = stages::receiver(graph, &pipeline, own(), far, chunks.collect())?;
        let offered = Arc::new(Mutex::new(Vec::new()));
        let taken = Arc::new(Mutex::new(Taken::default()));
        graph.add(&format!("{NEAR} {number}"), |ports| Offer {
            chunks: ports.output(&out.chunks),
            done: ports.input(&out.done),
            back: Vec::new(),
            spare: memory(params, params.chunks + 2),
            number,
            time: settings.time,
            offered: offered.clone(),
        });
        let book = taken.clone();
        graph.add(&format!("{FAR} {number}"), |ports| {
            let (delivered, free) = (ports.input(&into.delivered), ports.output(&into.free));
            Map::new(delivered, free, move |delivered: Delivered| {
                let whole = delivered.memory.written_part(delivered.bytes);
                book.lock().take(number, delivered.chunk, whole);
                delivered.memory
            })
        });
        Ok(Self {
            number,
            offered,
            taken,
            tally: into.tally,
        })
    }

    /// Adds what was seen to the sum.
    fn add_to(&self, sum: &mut Figures, params: Params, counts: &Snapshot) {
        sum.mended.add(self.tally.mended());
        sum.restored += self.tally.restored();
        let (offered, taken) = (self.offered.lock(), self.taken.lock());
        sum.bytes += taken.bytes;
        sum.wrong += taken.wrong;
        sum.expected += offered.len() as u64 * u64::from(params.per_chunk);
        sum.latencies.extend(taken.latencies(&offered));
        for lane in 0..params.lanes {
            let again = counts.edge(&format!("again {}.{lane}", self.number));
            sum.sender.resent += again.map_or(0, |edge| edge.bytes);
        }
    }
}

/// Runs both ends of all pipelines on these threads.
pub(super) fn run(
    settings: &Settings,
    params: Params,
    ends: Vec<Lanes>,
    placement: &Placement,
) -> Result<Figures, PerfError> {
    let mut graph = Graph::new("perf");
    let books = ends.into_iter();
    let books = books.map(|lanes| Book::open(&mut graph, settings, params, lanes));
    let books = books.collect::<Result<Vec<_>, _>>()?;
    let (begun, used) = (Instant::now(), cpu());
    #[cfg(feature = "tracing")]
    tell(placement);
    let running = graph.run(placement, ropewalk_stripes::Settings::default())?;
    watch(&running, &books)?;
    let counts = running.join()?;
    let mut sum = Figures {
        seconds: begun.elapsed().as_secs_f64(),
        cpu_seconds: cpu() - used,
        ..Figures::default()
    };
    for book in &books {
        book.add_to(&mut sum, params, &counts);
    }
    sum.sender.lost = sum.sender.resent;
    sum.sender.sub_packets = sum.expected;
    sum.latencies.sort_unstable();
    sum.ran = Some(counts);
    Ok(sum)
}

/// Says which threads there are, and what is on each.
#[cfg(feature = "tracing")]
fn tell(placement: &Placement) {
    use ropewalk_wire::event;
    let Placement::Threads(threads) = placement else {
        event!(INFO, "placement: {placement:?}");
        return;
    };
    for thread in threads {
        let (name, core, stages) = (&thread.name, thread.core, &thread.stages);
        event!(INFO, %name, ?core, ?stages, "placement: a thread");
    }
}

/// Waits for the end of all stages, as long as chunks arrive.
fn watch(running: &Running, books: &[Book]) -> Result<(), PerfError> {
    let mut stalled = Stalled::new();
    while !running.is_finished() {
        std::thread::sleep(Duration::from_millis(1));
        if stalled.look(books.iter().map(|book| book.taken.lock().times.len()).sum()) {
            running.abort();
            return Err(PerfError::Stalled(PATIENCE));
        }
    }
    Ok(())
}
