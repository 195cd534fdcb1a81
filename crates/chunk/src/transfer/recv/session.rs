// SPDX-License-Identifier: Apache-2.0
//! One sender, from the first word to it to its last.
//!
//! ```text
//!  sender ~~~~> pipelines ----> this thread, which writes
//!    ^                              |
//!    +--<~~~ pipeline back <--------+
//! ```
//!
//! A thread each. While this one writes, it looks whether another sender stands at the door.

use super::super::arrivals::{Arrivals, Meter};
use super::super::door::{Busy, Door};
use super::super::ends::{Lanes, Written, answer, receiver, speaking};
use super::super::head::{HEAD, Head, Kind};
use super::super::pipe::{Ending, Liveness, Pulled, catching, lock, own, pull};
use super::super::start::{Link, Session, StartError};
use super::super::tree::Tree;
use super::super::{ALIVE, LONGEST_WORD, MESSAGE, PATIENCE};
use super::write::{Say, Writer};
use super::{Fault, Received};
use crate::end::{ReceiveEnd, SendEnd};
use ropewalk_io::link::Waker;
use ropewalk_wire::chunk::{Complete, Guard, ParamError, Params};
use std::cell::{Cell, RefCell};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// Silence of a sender after which another one may take its place.
const QUIET: Duration = Duration::from_millis(3 * ALIVE.as_millis() as u64);
/// Longest wait for a chunk before all else is looked at.
const TURN: Duration = Duration::from_millis(20);
/// Time between two looks at all else.
const LOOK: Duration = Duration::from_millis(50);
/// Bytes that a lane without a buffer of its own can hold.
const BUFFER: usize = 1 << 16;
/// Note about a sender that has not confirmed the end, and has left the place to another one.
const GONE: &str = "the sender went silent before it confirmed the end; another one has come";

/// What the threads of a session share.
struct Shared {
    liveness: Arc<Liveness>,
    /// They are to end.
    ended: AtomicBool,
    written: Written,
    /// What the lanes of each pipeline have brought.
    brought: Vec<Mutex<Vec<Arrivals>>>,
}

/// A pipeline for data.
struct Pipeline {
    end: ReceiveEnd<Vec<u8>>,
    wakers: Vec<Waker>,
    frame_bytes: usize,
}

impl Pipeline {
    /// The pipelines of a session, each with its lanes.
    fn all(data: Vec<(Guard, Params)>, lanes: Lanes) -> Result<Vec<Self>, ParamError> {
        let mut lanes = lanes.into_iter();
        let pipeline = |(guard, params): (Guard, Params)| {
            let mine: Vec<_> = lanes.by_ref().take(params.lanes.into()).collect();
            let wakers = mine.iter().map(|(lane, _)| lane.waker()).collect();
            let mine = own(mine, guard.session());
            let receiver = receiver(guard, params)?;
            Ok(Pipeline {
                end: ReceiveEnd::new(receiver, mine),
                wakers,
                frame_bytes: params.frame_bytes(),
            })
        };
        data.into_iter().map(pipeline).collect()
    }
}

/// Takes what a sender brings.
pub(super) fn session(
    door: &mut Door,
    tree: &Tree,
    link: Link,
    watch: &mut dyn FnMut(&Received),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Received, StartError> {
    let Link {
        agreed,
        lanes,
        back,
        notes,
        early: _,
    } = link;
    let begun = Instant::now();
    let buffer = lanes.iter().map(|(lane, _)| lane.buffer()).min();
    let wrong = |error: ParamError| StartError::Io(io::Error::other(error));
    let Session { data, back: terms } = agreed.into_session();
    let wake_back = back[0].0.waker();
    let back = speaking(terms, back).map_err(wrong)?;
    let pipelines = Pipeline::all(data, lanes).map_err(wrong)?;
    let shared = Shared {
        liveness: Liveness::new(),
        ended: AtomicBool::new(false),
        written: Written::default(),
        brought: pipelines.iter().map(|_| Mutex::default()).collect(),
    };
    let mut received = Received {
        notes,
        ..Received::default()
    };
    let fault = std::thread::scope(|scope| {
        let ending = Ending(&shared.ended);
        let (say, said) = mpsc::channel::<Vec<u8>>();
        let threads = Threads::start(scope, &shared, pipelines, (back, said));
        let say = move |head: Head, body: &[u8]| {
            let _ = say.send(head.chunk(body));
            wake_back();
        };
        say_begin(&say, buffer.unwrap_or(BUFFER), &received.notes);
        let watching = Watching::new(&shared, watch, stop);
        let fault = threads.write(&watching, door, (tree, &say), &mut received);
        say_end(&say, fault.as_ref(), &shared.ended);
        // The channel of messages ends with this, and the thread that sends them when all have
        // arrived. A sender that has gone takes none.
        drop(say);
        if threads.is_replaced(&shared, door) && fault.is_none() {
            received.notes.push(GONE.into());
        }
        drop(ending);
        threads.join(&mut received);
        fault
    });
    if !matches!(fault, Some(Fault::Lost(_) | Fault::Left(_))) {
        door.forget();
    }
    received.failure = fault;
    received.seconds = begun.elapsed().as_secs_f64();
    Ok(received)
}

/// The first word: bytes that a lane can hold, and what the sender is to know.
fn say_begin(say: Say, buffer: usize, notes: &[String]) {
    let head = Head {
        place: buffer as u64,
        ..Head::of(Kind::Begin)
    };
    let text = notes.join("\n");
    say(head, &text.as_bytes()[..text.len().min(MESSAGE - HEAD)]);
}

/// The last word. There is none for a sender that has gone.
fn say_end(say: Say, fault: Option<&Fault>, ended: &AtomicBool) {
    match fault {
        None => say(Head::of(Kind::Done), &[]),
        Some(Fault::Failed(text)) => {
            let bytes = text.as_bytes();
            say(
                Head::of(Kind::Failed),
                &bytes[..bytes.len().min(LONGEST_WORD)],
            );
        }
        // It waits for that.
        Some(Fault::GivenUp(_) | Fault::Left(_)) => say(Head::of(Kind::Failed), b""),
        Some(Fault::Stopped) => say(Head::of(Kind::Failed), b"it was interrupted"),
        Some(Fault::Lost(_)) => ended.store(true, Ordering::Relaxed),
    }
}

/// The threads of the pipelines, as the one that writes knows them.
struct Threads<'scope> {
    /// Chunks, with the number of the pipeline that they came over.
    chunks: mpsc::Receiver<(usize, Complete<Vec<u8>>)>,
    failures: mpsc::Receiver<Fault>,
    /// Of each pipeline where memory goes back, and what to wake then.
    returns: Vec<(mpsc::Sender<Vec<u8>>, Vec<Waker>)>,
    pulling: Vec<ScopedJoinHandle<'scope, Pulled>>,
    answering: ScopedJoinHandle<'scope, ()>,
}

impl<'scope> Threads<'scope> {
    fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        shared: &'env Shared,
        pipelines: Vec<Pipeline>,
        (back, said): (SendEnd<Vec<u8>>, mpsc::Receiver<Vec<u8>>),
    ) -> Self {
        let (fail, failures) = mpsc::channel();
        let (push, chunks) = mpsc::channel();
        let failed = fail.clone();
        let answering = scope.spawn(move || {
            if let Err(error) = catching(|| {
                let (liveness, ended) = (&*shared.liveness, &shared.ended);
                answer(back, &said, &shared.written, liveness, ended)
            }) {
                let _ = failed.send(Fault::of_thread("the lane back", &error));
            }
        });
        let (mut returns, mut pulling) = (Vec::new(), Vec::new());
        for (number, pipeline) in pipelines.into_iter().enumerate() {
            let (give, given) = mpsc::channel();
            returns.push((give, pipeline.wakers));
            let (push, fail, end) = (push.clone(), fail.clone(), pipeline.end);
            pulling.push(scope.spawn(move || {
                let mut take = |chunk| push.send((number, chunk)).is_ok();
                let mut meter = Meter::default();
                let mut look = |end: &ReceiveEnd<Vec<u8>>| {
                    if let Some(now) = meter.look(end, pipeline.frame_bytes) {
                        *lock(&shared.brought[number]) = now;
                    }
                };
                let (liveness, ended) = (&*shared.liveness, &shared.ended);
                let pulled = catching(|| pull(end, &mut take, &given, &mut look, liveness, ended));
                pulled.unwrap_or_else(|error| {
                    let _ = fail.send(Fault::of_thread("a lane", &error));
                    Pulled::default()
                })
            }));
        }
        Threads {
            chunks,
            failures,
            returns,
            pulling,
            answering,
        }
    }

    /// Writes what comes until all is in place; else why it is not. What has come is noted then: it
    /// is good for the next time.
    fn write(
        &self,
        watching: &Watching<'_>,
        door: &mut Door,
        (tree, say): (&Tree, Say),
        received: &mut Received,
    ) -> Option<Fault> {
        let go_on = |bytes| watching.go_on(bytes);
        let mut writer = Writer::new(tree, say, &go_on, received);
        let fault = match self.take_chunks(&mut writer, watching, door).err()? {
            // It was the silence that has ended the comparison.
            Fault::Stopped if !(watching.stop)() => silent(),
            fault => fault,
        };
        let _ = writer.note();
        Some(fault)
    }

    /// Gives the writer every chunk until all is in place.
    fn take_chunks(
        &self,
        writer: &mut Writer,
        watching: &Watching<'_>,
        door: &mut Door,
    ) -> Result<(), Fault> {
        let (shared, mut looked) = (watching.shared, Instant::now());
        loop {
            if let Ok((number, chunk)) = self.chunks.recv_timeout(TURN) {
                let at = Instant::now();
                let is_done = writer.take(&chunk.memory[..chunk.bytes])?;
                let micros = at.elapsed().as_micros() as u64;
                shared.written.micros.fetch_add(micros, Ordering::Relaxed);
                shared
                    .written
                    .bytes
                    .store(writer.received.bytes, Ordering::Relaxed);
                let (give, wakers) = &self.returns[number];
                let _ = give.send(chunk.memory);
                wakers.iter().for_each(|waker| waker());
                if is_done {
                    return Ok(());
                }
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                self.look(shared, door)?;
                writer.note_if_due()?;
                if (watching.stop)() {
                    return Err(Fault::Stopped);
                }
                watching.show_all(writer.received);
            }
        }
    }

    /// Whether the session goes on: no thread has failed, the sender lives, and no other one is at
    /// the door while this one is silent.
    fn look(&self, shared: &Shared, door: &mut Door) -> Result<(), Fault> {
        if let Ok(fault) = self.failures.try_recv() {
            return Err(fault);
        }
        let silence = shared.liveness.silence();
        if silence > PATIENCE {
            return Err(silent());
        }
        // A sender that was started anew need not wait long for the end of the one before it.
        let quiet = silence > QUIET;
        let polled = door.poll(Some(Busy { quiet }), Duration::ZERO);
        polled.map_err(|error| Fault::failed(&error))?;
        if quiet && door.has_visitor() {
            return Err(Fault::Lost("another one has come, and it is silent".into()));
        }
        Ok(())
    }

    /// Waits until the sender has confirmed the last word. True: it is silent, and another one has
    /// come, which need not wait longer than until that is clear.
    fn is_replaced(&self, shared: &Shared, door: &mut Door) -> bool {
        let begun = Instant::now();
        while !self.answering.is_finished() && begun.elapsed() < PATIENCE {
            let quiet = shared.liveness.silence() > QUIET;
            let nap = Duration::from_millis(2);
            if door.poll(Some(Busy { quiet }), nap).is_err() {
                std::thread::sleep(nap);
            }
            if quiet && door.has_visitor() {
                return true;
            }
        }
        false
    }

    /// Waits for their ends, and adds what they have counted.
    fn join(self, received: &mut Received) {
        let _ = self.answering.join();
        drop(self.returns);
        for thread in self.pulling {
            if let Ok(pulled) = thread.join() {
                received.drops += pulled.drops;
                received.mended.add(pulled.counters.mended);
                received.restored += pulled.counters.restored;
            }
        }
    }
}

/// Whom it is shown how far it is, also while files that are there are read and hashed.
struct Watching<'a> {
    shared: &'a Shared,
    watch: RefCell<&'a mut dyn FnMut(&Received)>,
    stop: &'a dyn Fn() -> bool,
    /// Bytes that were hashed.
    compared: Cell<u64>,
    shown: Cell<Instant>,
}

impl<'a> Watching<'a> {
    fn new(
        shared: &'a Shared,
        watch: &'a mut dyn FnMut(&Received),
        stop: &'a dyn Fn() -> bool,
    ) -> Self {
        Watching {
            shared,
            watch: RefCell::new(watch),
            stop,
            compared: Cell::new(0),
            shown: Cell::new(Instant::now()),
        }
    }

    /// So many more bytes were hashed; whether to go on.
    fn go_on(&self, bytes: u64) -> bool {
        self.compared.set(self.compared.get() + bytes);
        if self.shown.get().elapsed() > LOOK {
            self.shown.set(Instant::now());
            self.show(&Received {
                compared: self.compared.get(),
                ..Received::default()
            });
        }
        !(self.stop)() && self.shared.liveness.silence() <= PATIENCE
    }

    /// All that is known.
    fn show_all(&self, received: &mut Received) {
        received.compared = self.compared.get();
        let lanes = self
            .shared
            .brought
            .iter()
            .flat_map(|lanes| lock(lanes).clone());
        received.lanes = lanes.collect();
        self.show(received);
    }

    fn show(&self, received: &Received) {
        (self.watch.borrow_mut())(received);
    }
}

fn silent() -> Fault {
    Fault::Lost(format!("silent for {} s", PATIENCE.as_secs()))
}
