// SPDX-License-Identifier: Apache-2.0
//! One attempt to send everything, from the search for the receiver to the last word of either.
//!
//! ```text
//!  reader ----> feed ----> pipelines ~~~~> receiver
//!    ^                                        |
//!    +--- this thread <--- pipeline back <~~~-+
//! ```
//!
//! A thread each. This one takes what the receiver says: "begin" starts the pipelines, "go" lets
//! the reader read, "done" is the end. Each of the others tells it how it has ended.

use super::super::connect::connect;
use super::super::ends::{Lanes, hearing, sending};
use super::super::head::{Head, Kind};
use super::super::pipe::{Liveness, Shown, catching, pull, push};
use super::super::source::Selection;
use super::super::start::{Link, Pipelines};
use super::super::{LONGEST_WORD, Loss, PATIENCE, TURN, Via};
use super::claims::{Claimed, Claims};
use super::progress::{Clock, Phase, Progress};
use super::read::{LOOK, Shared, read};
use super::{Aim, SendError, Transfer};
use crate::end::{ReceiveEnd, SendEnd};
use parking_lot::Mutex;
use ropewalk_io::lane::Kind as LaneKind;
use ropewalk_io::link::Waker;
use ropewalk_wire::chunk::{Complete, Params, Session};
use ropewalk_wire::event;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// Longest wait for a receiver to hear that this end gives up: chunks that are on their way arrive
/// before. Somebody who interrupts waits himself.
const LEAVE: Duration = Duration::from_secs(60);
/// See [`LEAVE`].
const LEAVE_INTERRUPTED: Duration = PATIENCE;
/// See [`LEAVE`]: a pipeline is gone, and the others may have ended, so perhaps nobody brings it.
const LEAVE_BROKEN: Duration = Duration::from_secs(2);
/// Longest wait until the receiver has heard that its last word has come.
const FAREWELL: Duration = Duration::from_secs(1);

/// A pipeline for data that has not begun.
struct Pipeline {
    session: Session,
    params: Params,
    lanes: Lanes,
}

impl Pipeline {
    /// The pipelines of a session, each with its lanes.
    fn all(data: Vec<(Session, Params)>, lanes: Lanes) -> Vec<Self> {
        let count = data.len();
        let pipeline = |(session, params)| Pipeline {
            session,
            params,
            lanes: Vec::new(),
        };
        let mut pipelines: Vec<_> = data.into_iter().map(pipeline).collect();
        for (number, lane) in lanes.into_iter().enumerate() {
            pipelines[number % count].lanes.push(lane);
        }
        pipelines
    }

    /// Its end. `rate`: most bits per second on a lane; `buffer`: bytes that the receiver's end of
    /// a lane can hold.
    fn begin(
        self,
        (rate, via): (Option<u64>, Via),
        buffer: usize,
    ) -> Result<SendEnd<Vec<u8>>, SendError> {
        let own = (self.session, self.params);
        sending(own, (self.lanes, via), rate, buffer).map_err(SendError::of_protocol)
    }
}

/// What a thread has to tell at its end.
enum Event {
    Reader(Result<(), SendError>),
    Pipeline(io::Result<()>),
}

impl Transfer<'_> {
    /// One attempt.
    pub(super) fn attempt(&mut self, selection: &Selection, aim: Aim) -> Result<(), SendError> {
        self.progress.notes.clear();
        self.clock = Clock::default();
        let linked = connect(
            self.network,
            (&self.settings.lanes, self.settings.via),
            (self.settings.arrangement, self.settings.fec),
            &self.credentials,
            self.patience.left(),
            self.stop,
        );
        self.enter(Phase::Compare);
        let (link, again) = linked?;
        self.credentials = again;
        let Link {
            agreed,
            lanes,
            back,
            early,
            notes,
        } = link;
        self.progress.notes.extend(notes);
        let rate = self.rate_of_lane(&lanes);
        let session = agreed.into_pipelines();
        let Pipelines { data, back: terms } = session;
        let wake_back = back[0].0.waker();
        let back = hearing(terms, back, early).map_err(SendError::of_protocol)?;
        let wakers = lanes.iter().map(|(lane, _)| lane.waker()).collect();
        let pipelines = Pipeline::all(data, lanes);
        event!(
            INFO,
            pipelines = pipelines.len(),
            "placement: a thread for each pipeline"
        );
        let memories = pipelines.iter().map(|it| usize::from(it.params.chunks) + 1);
        let mut shared = Shared::new((selection, aim), memories.sum::<usize>() + 2, wakers);
        shared.delta = self.settings.delta;
        let shown: Vec<Mutex<Shown>> = pipelines.iter().map(|_| Mutex::default()).collect();
        let (liveness, begun) = (Liveness::new(), Instant::now());
        let said = std::thread::scope(|scope| {
            let threads = Threads {
                scope,
                shared: &shared,
                shown: &shown,
                liveness: &liveness,
            };
            let how = (rate, self.settings.via);
            Attempt::new(threads, (back, wake_back), pipelines, how).run(self)
        });
        self.enter(Phase::Finish);
        // The threads have shown their last.
        self.progress.look(&shared, &shown);
        if let Some(source) = shared.source.get() {
            self.progress.notes.extend_from_slice(&source.notes);
            self.progress.left_out = source.notes.len() as u64;
        }
        event!(INFO, end = ?said, "transfer ended");
        if said.is_ok() {
            self.progress.explain(&shown, begun.elapsed());
        }
        said
    }

    /// Most bits per second on a lane. Only those of one kind carry data at a time.
    fn rate_of_lane(&self, lanes: &Lanes) -> Option<u64> {
        let all = self.settings.rate?;
        let streams = lanes
            .iter()
            .filter(|(lane, _)| lane.kind() == LaneKind::Stream);
        let streams = streams.count();
        Some((all / streams.max(lanes.len() - streams) as u64).max(1))
    }
}

/// What the threads of an attempt run in, and what they show to each other.
#[derive(Clone, Copy)]
struct Threads<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    shared: &'env Shared<'env>,
    /// One for each pipeline.
    shown: &'env [Mutex<Shown>],
    liveness: &'env Liveness,
}

/// What the thread that decides knows of the others. They end when it is dropped.
struct Attempt<'scope, 'env> {
    threads: Threads<'scope, 'env>,
    claims: Claims,
    /// Those for data, until the receiver says "begin".
    pipelines: Vec<Pipeline>,
    /// Those that have not sent all.
    unfinished: usize,
    /// Most bits per second on a lane; over which kind of lanes data goes.
    how: (Option<u64>, Via),
    /// The thread of the pipeline back.
    back: ScopedJoinHandle<'scope, ()>,
    messages: mpsc::Receiver<Complete<Vec<u8>>>,
    /// Memory of messages, on its way back.
    give: mpsc::Sender<Vec<u8>>,
    wake_back: Waker,
    events: mpsc::Receiver<Event>,
    tell: mpsc::Sender<Event>,
    /// Lets the reader read.
    go: mpsc::Sender<Claimed>,
    /// When this end last said that it lives.
    alive: Instant,
}

impl Drop for Attempt<'_, '_> {
    fn drop(&mut self) {
        self.threads.shared.stop.store(true, Ordering::Relaxed);
    }
}

impl<'scope, 'env> Attempt<'scope, 'env> {
    /// Starts the threads of the reader and of the pipeline back.
    fn new(
        threads: Threads<'scope, 'env>,
        (back, wake_back): (ReceiveEnd<Vec<u8>>, Waker),
        pipelines: Vec<Pipeline>,
        how: (Option<u64>, Via),
    ) -> Self {
        let Threads {
            scope,
            shared,
            liveness,
            ..
        } = threads;
        let (say, messages) = mpsc::channel();
        let (give, given) = mpsc::channel();
        let (tell, events) = mpsc::channel();
        let (go, gone) = mpsc::channel();
        let failed = tell.clone();
        let back = scope.spawn(move || {
            let mut take = |complete| say.send(complete).is_ok();
            let pulled =
                catching(|| pull(back, &mut take, &given, &mut |_| {}, liveness, &shared.stop));
            if let Err(error) = pulled {
                let _ = failed.send(Event::Pipeline(Err(error)));
            }
        });
        let ended = tell.clone();
        scope.spawn(move || {
            let read = catching(|| Ok(read(shared, &gone)));
            let read = read.unwrap_or_else(|error| Err(SendError::of_pipeline(&error)));
            let _ = ended.send(Event::Reader(read));
        });
        Attempt {
            threads,
            claims: Claims::default(),
            unfinished: pipelines.len(),
            pipelines,
            how,
            back,
            messages,
            give,
            wake_back,
            events,
            tell,
            go,
            alive: Instant::now(),
        }
    }

    /// Runs to the end; a receiver that is still there is told if that is an early one.
    fn run(mut self, transfer: &mut Transfer<'_>) -> Result<(), SendError> {
        let said = self.decide(transfer);
        match &said {
            Err(error) => self.leave(error),
            Ok(()) if self.threads.shared.aim == Aim::Ask => self.leave(&SendError::Asked),
            Ok(()) => {}
        }
        // The receiver sees that its last word has come; else it waits for that a while.
        let left = Instant::now();
        let is_lost = matches!(said, Err(SendError::Lost(_)));
        while !is_lost && !self.back.is_finished() && left.elapsed() < FAREWELL {
            std::thread::sleep(Duration::from_millis(2));
        }
        said
    }

    /// Takes messages and events until all has arrived.
    fn decide(&mut self, transfer: &mut Transfer<'_>) -> Result<(), SendError> {
        loop {
            if let Ok(message) = self.messages.recv_timeout(TURN) {
                if self.take(&message.memory[..message.bytes], transfer)? {
                    return Ok(());
                }
                self.give_back(message.memory);
            }
            if self.look(transfer)? {
                return Ok(());
            }
            if (transfer.stop)() {
                return Err(SendError::Stopped);
            }
            if self.threads.liveness.silence() > PATIENCE {
                event!(WARN, end = "receiver", "peer silent");
                return Err(SendError::Lost(Loss::Silent));
            }
            self.threads.shared.feed.keep_alive(&mut self.alive);
            transfer
                .progress
                .look(self.threads.shared, self.threads.shown);
            transfer.patience.see(transfer.progress.done);
            (transfer.watch)(&transfer.progress);
        }
    }

    /// Takes a message of the receiver; true: everything is in place.
    fn take(&mut self, message: &[u8], transfer: &mut Transfer<'_>) -> Result<bool, SendError> {
        let (head, body) = Head::open(message).map_err(SendError::of_protocol)?;
        match head.kind {
            Kind::Begin => self.begin(&head, body, &mut transfer.progress)?,
            Kind::Part | Kind::Whole | Kind::Pieces | Kind::Go => {
                let source = self.threads.shared.source.get();
                if self.claims.take(source, &head, body)? {
                    transfer.enter(Phase::Transfer);
                    let _ = self.go.send(self.claims.all());
                }
            }
            Kind::Progress => transfer.progress.written(&head, body),
            Kind::Done => {
                transfer.enter(Phase::Finish);
                return Ok(true);
            }
            Kind::Failed => {
                let text = String::from_utf8_lossy(body).into_owned();
                return Err(SendError::Refused(text));
            }
            kind => return Err(SendError::Protocol(format!("{kind:?}"))),
        }
        Ok(false)
    }

    /// Starts the pipelines. The receiver says "begin" once: there is no second set of them.
    fn begin(
        &mut self,
        head: &Head,
        body: &[u8],
        progress: &mut Progress,
    ) -> Result<(), SendError> {
        let text = String::from_utf8_lossy(body);
        let theirs = text.lines().map(|line| format!("receiver: {line}"));
        progress.notes.extend(theirs);
        let buffer = head.place.min(1 << 32) as usize;
        let Threads {
            scope,
            shared,
            shown,
            liveness,
        } = self.threads;
        for (pipeline, shown) in std::mem::take(&mut self.pipelines).into_iter().zip(shown) {
            let end = pipeline.begin(self.how, buffer)?;
            let tell = self.tell.clone();
            scope.spawn(move || {
                let said = catching(|| push(end, &shared.feed, liveness, &shared.stop, shown));
                let _ = tell.send(Event::Pipeline(said));
            });
        }
        Ok(())
    }

    /// Looks how the other threads have ended; true: all that was asked is known.
    fn look(&mut self, transfer: &mut Transfer<'_>) -> Result<bool, SendError> {
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::Reader(said) => {
                    said?;
                    if self.threads.shared.aim == Aim::Ask {
                        return Ok(true);
                    }
                }
                Event::Pipeline(said) => {
                    said.map_err(|error| SendError::of_pipeline(&error))?;
                    self.unfinished -= 1;
                    if self.unfinished == 0 {
                        transfer.enter(Phase::Finish);
                    }
                }
            }
        }
        Ok(false)
    }

    fn give_back(&self, memory: Vec<u8>) {
        let _ = self.give.send(memory);
        (self.wake_back)();
    }

    /// Tells a receiver that is still there why this end gives up, and waits until it has heard.
    fn leave(&self, error: &SendError) {
        let Some(word) = last_word(error) else {
            return;
        };
        self.threads.shared.feed.leave(word);
        let most = match error {
            SendError::Stopped | SendError::Asked => LEAVE_INTERRUPTED,
            SendError::Internal(_) => LEAVE_BROKEN,
            _ => LEAVE,
        };
        let since = Instant::now();
        while since.elapsed() < most && self.threads.liveness.silence() < PATIENCE {
            let message = match self.messages.recv_timeout(LOOK) {
                Ok(message) => message,
                Err(mpsc::RecvTimeoutError::Timeout) => continue,
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            };
            // It says the same when it has heard it.
            let said = Head::open(&message.memory[..message.bytes]);
            if matches!(said, Ok((head, _)) if head.kind == Kind::Failed) {
                break;
            }
            self.give_back(message.memory);
        }
    }
}

/// What a receiver that is still there is told of an error, as a chunk.
fn last_word(error: &SendError) -> Option<Vec<u8>> {
    let (text, may_come) = match error {
        SendError::Lost(_) | SendError::Refused(_) => return None,
        SendError::Stopped => ("it was interrupted".into(), true),
        SendError::Asked => (error.to_string(), true),
        error => (error.to_string(), false),
    };
    let head = Head {
        place: may_come.into(),
        ..Head::of(Kind::Failed)
    };
    let bytes = text.as_bytes();
    Some(head.chunk(&bytes[..bytes.len().min(LONGEST_WORD)]))
}
