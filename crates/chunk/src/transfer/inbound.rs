// SPDX-License-Identifier: Apache-2.0
//! The pipelines of a session at the receiving end, of files and of memory.
//!
//! ```text
//!  sender ~~~~> pipelines ----> the thread that takes what they bring
//!    ^                              |
//!    +--<~~~ pipeline back <--------+
//! ```
//!
//! A thread each. While this one works, it looks whether the listener has another sender.

use super::arrivals::{Arrivals, Meter};
use super::ends::{Lanes, Written, answer, receiver, speaking};
use super::head::{HEAD, Head, Kind};
use super::listener::{Busy, Listener};
use super::pipe::{Ending, Liveness, Pulled, catching, own, pull};
use super::recv::Fault;
use super::start::{Link, Pipelines, StartError};
use super::{ALIVE, LONGEST_WORD, Loss, MESSAGE, PATIENCE};
use crate::end::{ReceiveEnd, SendEnd};
use parking_lot::Mutex;
use ropewalk_io::link::Waker;
use ropewalk_wire::chunk::{Complete, ParamError, Params, Session};
use ropewalk_wire::event;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// Silence of a sender after which another one may take its place.
const QUIET: Duration = Duration::from_millis(3 * ALIVE.as_millis() as u64);
/// Bytes that a lane without a buffer of its own can hold.
const BUFFER: usize = 1 << 16;

/// Sends a message to the sender.
pub(super) type Say<'a> = &'a dyn Fn(Head, &[u8]);

/// What the threads of a session share.
pub(super) struct Shared {
    pub liveness: Arc<Liveness>,
    /// They are to end.
    ended: AtomicBool,
    pub written: Written,
    /// What the lanes of each pipeline have brought.
    pub brought: Vec<Mutex<Vec<Arrivals>>>,
}

/// A pipeline for data.
struct Pipeline {
    end: ReceiveEnd<Vec<u8>>,
    wakers: Vec<Waker>,
    params: Params,
}

impl Pipeline {
    /// The pipelines of a session, each with its lanes.
    fn all(data: Vec<(Session, Params)>, lanes: Lanes) -> Result<Vec<Self>, ParamError> {
        let mut lanes = lanes.into_iter();
        let pipeline = |(session, params): (Session, Params)| {
            let mine: Vec<_> = lanes.by_ref().take(params.lanes.into()).collect();
            let wakers = mine.iter().map(|(lane, _)| lane.waker()).collect();
            let mine = own(mine, session.number());
            let receiver = receiver(session, params)?;
            Ok(Pipeline {
                end: ReceiveEnd::new(receiver, mine),
                wakers,
                params,
            })
        };
        data.into_iter().map(pipeline).collect()
    }
}

/// How a session may end early.
pub(super) struct Manners {
    /// Another sender may take the place of one that is silent.
    pub replaceable: bool,
    /// Longest wait for the sender to confirm why this end gives up.
    pub leave: Duration,
}

/// How a session has ended.
pub(super) struct Served {
    /// Why early, if so.
    pub fault: Option<Fault>,
    /// The sender went silent before it had confirmed the end, and another one has come.
    pub is_replaced: bool,
    /// What the pipelines have counted.
    pub pulled: Vec<Pulled>,
}

/// Takes a sender: `run` has what its pipelines bring.
pub(super) fn serve(
    link: Link,
    listener: &mut Listener,
    manners: Manners,
    run: impl FnOnce(&Threads<'_>, &Shared, &mut Listener, Say<'_>) -> Result<(), Fault>,
) -> Result<Served, StartError> {
    let Link {
        agreed,
        lanes,
        back,
        notes,
        early: _,
    } = link;
    let buffer = lanes.iter().map(|(lane, _)| lane.buffer()).min();
    let wrong = |error: ParamError| StartError::Io(io::Error::other(error));
    let Pipelines { data, back: terms } = agreed.into_pipelines();
    let wake_back = back[0].0.waker();
    let back = speaking(terms, back).map_err(wrong)?;
    let pipelines = Pipeline::all(data, lanes).map_err(wrong)?;
    event!(
        INFO,
        pipelines = pipelines.len(),
        "placement: a thread for each pipeline"
    );
    let shared = Shared {
        liveness: Liveness::new(),
        ended: AtomicBool::new(false),
        written: Written::default(),
        brought: pipelines.iter().map(|_| Mutex::default()).collect(),
    };
    Ok(std::thread::scope(|scope| {
        let ending = Ending(&shared.ended);
        let (say, said) = mpsc::channel::<Vec<u8>>();
        let threads = Threads::start(scope, &shared, pipelines, (back, said), manners);
        let say = move |head: Head, body: &[u8]| {
            let _ = say.send(head.chunk(body));
            wake_back();
        };
        say_begin(&say, buffer.unwrap_or(BUFFER), &notes);
        let fault = run(&threads, &shared, listener, &say).err();
        event!(INFO, ?fault, "transfer ended");
        say_end(&say, fault.as_ref(), &shared.ended);
        // The channel of messages ends with this, and the thread that sends them when all have
        // arrived. A sender that has gone takes none.
        drop(say);
        let is_replaced = threads.is_replaced(&shared, listener, fault.is_some());
        drop(ending);
        Served {
            fault,
            is_replaced,
            pulled: threads.join(),
        }
    }))
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

/// Where memory of chunks goes back: credit for others.
#[derive(Clone)]
pub(super) struct Return {
    give: mpsc::Sender<Vec<u8>>,
    wakers: Vec<Waker>,
    /// Bytes of a chunk.
    pub chunk_bytes: usize,
}

impl Return {
    pub fn give_back(&self, memory: Vec<u8>) {
        let _ = self.give.send(memory);
        self.wakers.iter().for_each(|waker| waker());
    }
}

/// The threads of the pipelines, as the one that writes knows them.
pub(super) struct Threads<'scope> {
    /// Chunks, with the number of the pipeline that they came over.
    pub chunks: mpsc::Receiver<(usize, Complete<Vec<u8>>)>,
    failures: mpsc::Receiver<Fault>,
    /// Of each pipeline.
    pub returns: Vec<Return>,
    pulling: Vec<ScopedJoinHandle<'scope, Pulled>>,
    answering: ScopedJoinHandle<'scope, ()>,
    manners: Manners,
}

impl<'scope> Threads<'scope> {
    fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        shared: &'env Shared,
        pipelines: Vec<Pipeline>,
        (back, said): (SendEnd<Vec<u8>>, mpsc::Receiver<Vec<u8>>),
        manners: Manners,
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
            returns.push(Return {
                give,
                wakers: pipeline.wakers,
                chunk_bytes: pipeline.params.chunk_bytes(),
            });
            let stride = pipeline.params.stride();
            let (push, fail, end) = (push.clone(), fail.clone(), pipeline.end);
            pulling.push(scope.spawn(move || {
                let mut take = |chunk| push.send((number, chunk)).is_ok();
                let mut meter = Meter::default();
                let mut look = |end: &ReceiveEnd<Vec<u8>>| {
                    if let Some(now) = meter.look(end, stride) {
                        *shared.brought[number].lock() = now;
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
            manners,
        }
    }

    /// Whether the session goes on: no thread has failed, the sender lives, and no other one is at
    /// the listener while this one is silent.
    pub fn look(&self, shared: &Shared, listener: &mut Listener) -> Result<(), Fault> {
        if let Ok(fault) = self.failures.try_recv() {
            return Err(fault);
        }
        let silence = shared.liveness.silence();
        if silence > PATIENCE {
            return Err(silent());
        }
        // A sender that was started anew need not wait long for the end of the one before it.
        let quiet = self.is_quiet(silence);
        let polled = listener.poll(Some(Busy { quiet }), Duration::ZERO);
        polled.map_err(|error| Fault::failed(&error))?;
        if quiet && listener.has_visitor() {
            return Err(Fault::Lost(Loss::Replaced));
        }
        Ok(())
    }

    fn is_quiet(&self, silence: Duration) -> bool {
        self.manners.replaceable && silence > QUIET
    }

    /// Waits until the sender has confirmed the last word. True: it is silent, and another one has
    /// come, which need not wait longer than until that is clear.
    fn is_replaced(&self, shared: &Shared, listener: &mut Listener, early: bool) -> bool {
        let begun = Instant::now();
        let most = if early { self.manners.leave } else { PATIENCE };
        while !self.answering.is_finished() && begun.elapsed() < most {
            let quiet = self.is_quiet(shared.liveness.silence());
            let nap = Duration::from_millis(2);
            if listener.poll(Some(Busy { quiet }), nap).is_err() {
                std::thread::sleep(nap);
            }
            if quiet && listener.has_visitor() {
                return true;
            }
        }
        false
    }

    /// Waits for their ends; what they have counted.
    fn join(self) -> Vec<Pulled> {
        let _ = self.answering.join();
        drop(self.returns);
        let pulled = self.pulling.into_iter();
        pulled.filter_map(|thread| thread.join().ok()).collect()
    }
}

pub(super) fn silent() -> Fault {
    event!(WARN, end = "sender", "peer silent");
    Fault::Lost(Loss::Silent)
}

#[cfg(all(test, feature = "tracing"))]
mod tests {
    use super::*;

    #[test]
    fn a_silent_sender_is_told() {
        let (fault, said) = ropewalk_testkit::events(silent);
        assert_eq!(fault, Fault::Lost(Loss::Silent));
        assert_eq!(said, ["WARN peer silent end=\"sender\""]);
    }
}
