// SPDX-License-Identifier: Apache-2.0
//! The threads that move the ends of pipelines, and what goes between them and the reader or the
//! writer.

use super::ALIVE;
use super::choice;
use super::head::{Head, Kind};
use super::start::Answers;
use crate::end::{ReceiveEnd, SendEnd};
use parking_lot::{Condvar, Mutex, MutexGuard};
use ropewalk_io::lane::{Kind as LaneKind, Lane};
use ropewalk_io::link::Waker;
use ropewalk_wire::chunk::frame::{self, FrameHeader};
use ropewalk_wire::chunk::{
    CloseReason, Complete, ReceiverCounters, Sender, SenderCounters, SenderEvent,
};
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Most chunks that wait for the pipelines, those that need no memory of the [`Feed`] included.
const QUEUE: usize = 64;
/// Time between two looks at counters.
const LOOK: Duration = Duration::from_millis(50);

/// When the other end was last heard: a frame or report that is its own beyond doubt, and no
/// repeated one. What anybody can write or repeat, such as the header of a frame, is no sign of
/// life.
#[derive(Debug)]
pub struct Liveness {
    begun: Instant,
    micros: AtomicU64,
}

impl Liveness {
    /// It begins now.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::new(Liveness {
            begun: Instant::now(),
            micros: AtomicU64::new(0),
        })
    }

    /// The other end is there, if its count of such frames is no longer what it was `before`.
    pub(super) fn observe(&self, shown: u64, before: &mut u64) {
        if std::mem::replace(before, shown) != shown {
            let micros = self.begun.elapsed().as_micros() as u64;
            self.micros.store(micros, Ordering::Relaxed);
        }
    }

    /// For how long nothing has been heard.
    #[must_use]
    pub fn silence(&self) -> Duration {
        let heard = Duration::from_micros(self.micros.load(Ordering::Relaxed));
        self.begun.elapsed().saturating_sub(heard)
    }
}

/// A lane that others can stand in for: what has become of it, if it is gone for good, is no reason
/// to end. One that fails is as good as one that is silent.
pub(super) struct Spare {
    lane: Box<dyn Lane>,
    /// There are others.
    spare: bool,
    gone: Option<io::Error>,
    /// Of a pipeline: its session, whose frames alone it brings, and what answers the rest.
    session: Option<(u64, Option<Answers>)>,
}

/// Whether a datagram passes for a frame of a session, and none of its start.
#[must_use]
pub fn is_frame_of(session: u64, datagram: &[u8]) -> bool {
    FrameHeader::parse(datagram)
        .is_ok_and(|(header, _)| header.session == session && header.kind != frame::Kind::Handshake)
}

/// Lanes of a pipeline, which answer a sender that does not know yet that they have joined. With
/// several, one that fails is as good as one that is silent.
pub fn own(lanes: Vec<(Box<dyn Lane>, Option<Answers>)>, session: u64) -> Vec<Box<dyn Lane>> {
    let spare = lanes.len() > 1;
    let own = |(lane, answers)| -> Box<dyn Lane> {
        Box::new(Spare {
            session: Some((session, answers)),
            ..Spare::new(lane, spare)
        })
    };
    lanes.into_iter().map(own).collect()
}

impl Spare {
    /// A lane; `spare`: there are others.
    pub(super) fn new(lane: Box<dyn Lane>, spare: bool) -> Self {
        Spare {
            lane,
            spare,
            gone: None,
            session: None,
        }
    }

    /// Why it is gone, if it is.
    pub(super) fn gone(&self) -> Option<&io::Error> {
        self.gone.as_ref()
    }

    /// The lane itself.
    pub(super) fn into_lane(self) -> Box<dyn Lane> {
        self.lane
    }

    /// What an operation has said; `none` if the lane is gone.
    fn said<T>(&mut self, said: io::Result<T>, none: T) -> io::Result<T> {
        match said {
            Err(error) if self.spare && error.kind() != io::ErrorKind::InvalidInput => {
                self.gone = Some(error);
                Ok(none)
            }
            said => said,
        }
    }
}

impl Lane for Spare {
    fn send(&mut self, pieces: &[IoSlice<'_>], segment: usize) -> io::Result<bool> {
        if self.gone.is_some() {
            return Ok(true);
        }
        let said = self.lane.send(pieces, segment);
        self.said(said, true)
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        if self.gone.is_some() {
            return Ok(false);
        }
        let Some((session, answers)) = &self.session else {
            let said = self.lane.receive(take);
            return self.said(said, false);
        };
        let (mut late, mut is_in_step) = (Vec::new(), true);
        let is_stream = self.kind() == LaneKind::Stream;
        let said = self.lane.receive(&mut |datagram| {
            if is_frame_of(*session, datagram) {
                take(datagram);
            } else if is_stream && FrameHeader::parse(datagram).is_err() {
                is_in_step = false;
            } else if let Some(Answers { joins, from }) = answers
                && let Some((answer, _)) = joins.lock().receive(from, datagram)
            {
                late.push(answer);
            }
        });
        let said = said.and_then(|came| {
            if is_in_step {
                return Ok(came);
            }
            // A stream damages nothing: all that follows would be taken for something else.
            self.lane.hang_up();
            let text = "the peer sends what is no frame over TCP";
            Err(io::Error::new(io::ErrorKind::InvalidData, text))
        });
        let came = self.said(said, false)?;
        for answer in late {
            self.send(&[IoSlice::new(&answer)], answer.len())?;
        }
        Ok(came)
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        if self.gone.is_some() {
            std::thread::sleep(timeout);
            return Ok(());
        }
        let said = self.lane.wait(timeout, blocked);
        self.said(said, ())
    }

    fn waker(&self) -> Waker {
        self.lane.waker()
    }

    fn limit(&self) -> usize {
        self.lane.limit()
    }

    fn batch(&self, segment: usize) -> usize {
        self.lane.batch(segment)
    }

    fn buffer(&self) -> usize {
        self.lane.buffer()
    }

    fn drops(&self) -> u64 {
        self.lane.drops()
    }

    fn kind(&self) -> LaneKind {
        self.lane.kind()
    }

    fn rtt(&self) -> Option<Duration> {
        self.lane.rtt()
    }

    fn is_gone(&self) -> bool {
        self.gone.is_some()
    }

    fn hang_up(&mut self) {
        self.lane.hang_up();
    }

    fn notes(&self) -> Vec<String> {
        let kind = choice::name(self.kind());
        let gone = self.gone.iter();
        let gone = gone.map(|error| format!("a lane over {kind} failed: {error}"));
        self.lane.notes().into_iter().chain(gone).collect()
    }
}

/// Ends the threads of a session when it is dropped, also by a panic of the thread that writes.
pub(super) struct Ending<'a>(pub(super) &'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A mistake in this program has ended a thread.
#[derive(Debug, Error)]
#[error("an internal error: {0}")]
pub(super) struct Panicked(String);

/// Runs what a thread does to its end: a panic in it becomes an error like others. Its neighbours
/// would wait for it for ever.
pub(super) fn catching<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "unknown".to_owned());
        Err(io::Error::other(Panicked(text)))
    })
}

/// Whether an error is a mistake in this program.
pub(super) fn has_panicked(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Panicked>())
}

#[derive(Debug, Default)]
struct Queue {
    full: VecDeque<(Vec<u8>, usize)>,
    empty: Vec<Vec<u8>>,
    closed: bool,
}

/// Chunks between the reader and the pipelines, and their memory on its way back: there is only so
/// much of it.
pub struct Feed {
    queue: Mutex<Queue>,
    /// Memory has come back, or a chunk was taken.
    moved: Condvar,
    size: usize,
    wakers: Vec<Waker>,
}

impl Feed {
    /// `count` pieces of memory of `size` bytes; `wakers`: those of the pipelines.
    #[must_use]
    pub fn new(count: usize, size: usize, wakers: Vec<Waker>) -> Self {
        let queue = Queue {
            empty: (0..count).map(|_| vec![0; size]).collect(),
            ..Queue::default()
        };
        Feed {
            queue: Mutex::new(queue),
            moved: Condvar::new(),
            size,
            wakers,
        }
    }

    /// Adds a chunk that needs no memory of the feed.
    pub fn say(&self, chunk: Vec<u8>) {
        let bytes = chunk.len();
        self.push(chunk, bytes);
    }

    /// Memory for a chunk; none if there is none for so long.
    #[must_use]
    pub fn memory(&self, timeout: Duration) -> Option<Vec<u8>> {
        self.wait(timeout, |queue| queue.empty.is_empty())
            .empty
            .pop()
    }

    /// Whether there is room for a chunk that needs no such memory, after so long at most.
    #[must_use]
    pub fn has_room(&self, timeout: Duration) -> bool {
        self.wait(timeout, |queue| queue.full.len() >= QUEUE)
            .full
            .len()
            < QUEUE
    }

    fn wait(&self, timeout: Duration, until_not: fn(&mut Queue) -> bool) -> MutexGuard<'_, Queue> {
        let mut queue = self.queue.lock();
        self.moved.wait_while_for(&mut queue, until_not, timeout);
        queue
    }

    /// Gives memory back.
    pub fn give_back(&self, memory: Vec<u8>) {
        // Short ones were made for a purpose.
        if memory.len() == self.size {
            self.queue.lock().empty.push(memory);
            self.moved.notify_all();
        }
    }

    /// Adds a chunk, which is the first `bytes` bytes of memory.
    pub fn push(&self, memory: Vec<u8>, bytes: usize) {
        let mut queue = self.queue.lock();
        if queue.closed {
            return;
        }
        queue.full.push_back((memory, bytes));
        drop(queue);
        self.wakers.iter().for_each(|waker| waker());
    }

    /// Says that this end lives, when it is time since `last` and nothing else says so.
    pub(super) fn keep_alive(&self, last: &mut Instant) {
        if last.elapsed() > ALIVE {
            *last = Instant::now();
            if self.is_empty() {
                self.say(Head::of(Kind::Alive).chunk(&[]));
            }
        }
    }

    /// Whether the pipelines have taken all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.lock().full.is_empty()
    }

    /// This is the last chunk; of those that the pipelines have not taken yet none is sent.
    pub fn leave(&self, memory: Vec<u8>) {
        let mut queue = self.queue.lock();
        let bytes = memory.len();
        queue.full = VecDeque::from([(memory, bytes)]);
        queue.closed = true;
        drop(queue);
        self.wakers.iter().for_each(|waker| waker());
    }

    /// Nothing more will come.
    pub fn close(&self) {
        self.queue.lock().closed = true;
        self.wakers.iter().for_each(|waker| waker());
    }
}

/// Where a sending pipeline has its chunks from.
pub trait Chunks {
    /// The next chunk, which is the first bytes of its memory, or whether there will be none.
    ///
    /// # Errors
    /// There is none now.
    fn take(&mut self) -> Result<(Vec<u8>, usize), bool>;

    /// Memory of a chunk comes back.
    fn give_back(&mut self, memory: Vec<u8>);
}

impl Chunks for &Feed {
    fn take(&mut self) -> Result<(Vec<u8>, usize), bool> {
        let mut queue = self.queue.lock();
        let taken = queue.full.pop_front().ok_or(queue.closed);
        self.moved.notify_all();
        taken
    }

    fn give_back(&mut self, memory: Vec<u8>) {
        Feed::give_back(self, memory);
    }
}

/// What a sending pipeline shows of itself.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// Counters.
    pub counters: SenderCounters,
    /// Of each lane: bytes per second that arrive, round trip, whether it answers.
    pub lanes: Vec<LaneShown>,
    /// Time in which there was something to do, to wait for the reader, to wait for the receiver to
    /// take more, or all else.
    pub busy: Duration,
    /// See `busy`.
    pub hungry: Duration,
    /// See `busy`.
    pub held: Duration,
    /// All of it.
    pub time: Duration,
    /// What is not as it could be, as the lanes have found it.
    pub notes: Vec<String>,
}

/// What a lane shows of itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct LaneShown {
    /// Bytes per second of frames that arrive.
    pub rate: f64,
    /// Share of the frames that have not arrived.
    pub lost: f64,
    /// Frames of which it is known whether they have arrived.
    pub known: u64,
    /// Frames of these that have not.
    pub missing: u64,
    /// Sub-packets that were sent again over it.
    pub resent: u64,
    /// Round-trip time.
    pub rtt: Duration,
    /// It answers.
    pub alive: bool,
    /// What carries its datagrams.
    pub kind: LaneKind,
    /// It stands by for lanes of another kind.
    pub rests: bool,
}

/// Moves a sending end until all that it was fed has arrived, or `stop`.
///
/// # Errors
/// A lane is gone for good, or the session has closed before all had arrived.
pub fn push(
    mut end: SendEnd<Vec<u8>>,
    mut feed: impl Chunks,
    liveness: &Liveness,
    stop: &AtomicBool,
    shown: &Mutex<Shown>,
) -> io::Result<()> {
    let (begun, mut reports) = (Instant::now(), 0);
    let mut here = Shown::default();
    let mut failed = std::collections::HashSet::new();
    let mut looked = Instant::now();
    let (mut offered, mut complete) = (0u64, 0u64);
    let said = loop {
        if end.sender.close_reason().is_some() || stop.load(Ordering::Relaxed) {
            break Ok(());
        }
        while end.sender.wants_chunk() {
            match feed.take() {
                Ok((memory, bytes)) => {
                    end.sender.offer(memory, bytes);
                    offered += 1;
                }
                Err(closed) => {
                    if closed {
                        end.sender.finish();
                    }
                    break;
                }
            }
        }
        let turn = Instant::now();
        let moved = match end.turn() {
            Ok(moved) => moved,
            Err(error) => break Err(error),
        };
        liveness.observe(end.sender.counters().reports, &mut reports);
        while let Some(event) = end.sender.poll_event() {
            match event {
                SenderEvent::Complete { memory, .. } => {
                    complete += 1;
                    feed.give_back(memory);
                }
                SenderEvent::LaneFailed(lane) => {
                    failed.insert(lane);
                }
                SenderEvent::LaneBack(lane) => {
                    failed.remove(&lane);
                }
                SenderEvent::Closed(_) => {}
            }
        }
        if moved {
            here.busy += turn.elapsed();
        } else {
            let wants = end.sender.wants_chunk();
            if let Err(error) = end.wait() {
                break Err(error);
            }
            let waited = turn.elapsed();
            if wants && offered == complete {
                here.hungry += waited;
            } else if !wants {
                here.held += waited;
            }
        }
        if looked.elapsed() > LOOK {
            looked = Instant::now();
            here.time = begun.elapsed();
            show(&end, &failed, &mut here);
            shown.lock().clone_from(&here);
        }
    };
    here.time = begun.elapsed();
    here.notes = end.notes();
    show(&end, &failed, &mut here);
    *shown.lock() = here;
    said.and_then(|()| closed(&end.sender))
}

/// Whether a session has closed as it should, or was stopped.
pub(super) fn closed(sender: &Sender<Vec<u8>>) -> io::Result<()> {
    match sender.close_reason() {
        None | Some(CloseReason::Complete) => Ok(()),
        Some(reason) => Err(io::Error::other(reason)),
    }
}

fn show(end: &SendEnd<Vec<u8>>, failed: &std::collections::HashSet<u8>, shown: &mut Shown) {
    shown.counters = end.sender.counters();
    shown.lanes.clear();
    for lane in 0.. {
        let Some(out) = end.sender.lane(lane) else {
            break;
        };
        let (known, arrived) = out.frames();
        shown.lanes.push(LaneShown {
            rate: out.rate.bandwidth().unwrap_or_default(),
            lost: known.saturating_sub(arrived) as f64 / known.max(1) as f64,
            known,
            missing: known.saturating_sub(arrived),
            resent: out.resent(),
            rtt: out.rate.rtt().unwrap_or_default(),
            alive: !failed.contains(&lane),
            kind: end.kind(lane),
            rests: end.sender.rests(lane),
        });
    }
}

/// What a receiving pipeline has counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pulled {
    /// What was lost because a buffer was full.
    pub drops: u64,
    /// All else.
    pub counters: ReceiverCounters,
}

impl Pulled {
    fn of(end: &ReceiveEnd<Vec<u8>>) -> Self {
        Pulled {
            drops: end.drops(),
            counters: end.receiver.counters(),
        }
    }
}

/// Moves a receiving end: `take` has complete chunks, and says whether it wants more; memory comes
/// back by `memory`. It ends when all has arrived and the sender knows, or with `stop`. `look` sees
/// the end all the time; `liveness` is that of the sender.
///
/// # Errors
/// A lane is gone for good.
pub fn pull(
    mut end: ReceiveEnd<Vec<u8>>,
    take: &mut dyn FnMut(Complete<Vec<u8>>) -> bool,
    memory: &mpsc::Receiver<Vec<u8>>,
    look: &mut dyn FnMut(&ReceiveEnd<Vec<u8>>),
    liveness: &Liveness,
    stop: &AtomicBool,
) -> io::Result<Pulled> {
    let mut frames = 0;
    while !end.receiver.may_go(end.now()) && !stop.load(Ordering::Relaxed) {
        while let Ok(memory) = memory.try_recv() {
            end.receiver.give_back(memory);
        }
        let turned = end.turn();
        liveness.observe(end.receiver.counters().frames, &mut frames);
        look(&end);
        while let Some(complete) = end.receiver.poll_chunk() {
            if !take(complete) {
                return Ok(Pulled::of(&end));
            }
        }
        let said = match turned {
            Ok(false) => end.wait(),
            said => said.map(drop),
        };
        match said {
            // The sender has closed its connection, as it knows that all has arrived.
            Err(_) if end.receiver.is_finished() => break,
            said => said?,
        }
    }
    Ok(Pulled::of(&end))
}

#[cfg(test)]
mod tests;
