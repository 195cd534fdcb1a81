// SPDX-License-Identifier: Apache-2.0
//! One HTSP end with a thread of its own. Its users are [`Writer`]s and [`Reader`]s, one a channel,
//! each in whatever thread.
//!
//! ```text
//! Writer --queue--+                 +-- queue--> Reader
//! Writer --queue--+--> [ thread ] --+-- queue--> Reader
//!                          |
//!                       raw link
//! ```
//!
//! The thread never waits for a user. A reader that does not read fills its queue, then the buffer
//! of its channel, and then the peer pauses this channel. A writer waits while its queue is full,
//! which it is while the peer pauses its channel or is not there. A channel without a reader is
//! like one whose reader does not read.

use super::driver::{Driver, Fault, Settings, Watch};
use super::thread::{Known, LINGER, Sounder, Thread};
use crate::link::RawLink;
use ropewalk_wire::htsp::counters::{RxChannel, RxLink, TxChannel, TxLink};
use ropewalk_wire::htsp::frame::Word;
use ropewalk_wire::htsp::{Endpoint, Event, Last, Mac, Piece, PushError, Tuser};
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, TrySendError, channel,
    sync_channel,
};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Pieces that wait for a reader.
const PIECES: usize = 256;
/// Parts of user frames that wait for the thread.
const PARTS: usize = 16;
/// Longest part.
const PART: usize = 1 << 16;
/// Events that wait for the user.
const EVENTS: usize = 4096;
/// Longest time that the thread sleeps: users that it cannot hear are looked for that often.
const SLEEP: Duration = Duration::from_millis(1);
/// Time between looks at the counters.
const COUNT: Duration = Duration::from_millis(10);
/// Time between two looks whether a channel that was full has room.
const ROOM: Duration = Duration::from_micros(200);

/// Why bytes were not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SendError {
    /// A user frame needs a byte, and so does its end.
    #[error("0 bytes: accepted are 1 byte or more")]
    Empty,
    /// The end has stopped.
    #[error("the end of the link has stopped")]
    Closed,
}

/// The end has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the end of the link has stopped")]
pub struct Closed;

/// Counters of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChannelStats {
    /// Sent.
    pub tx: TxChannel,
    /// Received.
    pub rx: RxChannel,
    /// User frames that did not fit the buffer.
    pub overflows: u64,
    /// Bytes that wait to be sent.
    pub queued: usize,
    /// How long the peer has paused it.
    pub paused_by_peer: Duration,
    /// How long this end has asked the peer to pause.
    pub paused_here: Duration,
}

/// Counters of an end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stats {
    /// Good frames of the peer come.
    pub link_up: bool,
    /// The peer takes data.
    pub peer_ready: bool,
    /// Address of the peer.
    pub peer: Option<Mac>,
    /// Bit v: the peer does not want channel v.
    pub peer_pause: u16,
    /// What the headers of the peer carried last.
    pub peer_user_data: Word,
    /// Sent.
    pub tx: TxLink,
    /// Received.
    pub rx: RxLink,
    /// Frames lost in this machine, because the ring was full.
    pub drops: u64,
    /// Times that this happened; each took the link down.
    pub gaps: u64,
    /// Events and op-codes that nobody has fetched, and that were thrown away.
    pub events_missed: u64,
    /// By channel.
    pub channels: Vec<ChannelStats>,
}

impl Stats {
    /// Those of an end with so many channels, and events that were thrown away.
    pub(super) fn of<L: RawLink>(driver: &mut Driver<L>, channels: u8, missed: u64) -> Self {
        let (now, drops, gaps) = (driver.now(), driver.link().drops(), driver.gaps());
        let endpoint = driver.endpoint();
        let (tx, rx) = endpoint.counters();
        let peer = endpoint.peer();
        let channels = (0..channels).map(|channel| {
            let (tx, rx) = endpoint.channel_counters(channel);
            let (paused_by_peer, paused_here) = endpoint.paused(now, channel);
            ChannelStats {
                tx,
                rx,
                overflows: endpoint.overflows(channel),
                queued: endpoint.queued(channel),
                paused_by_peer,
                paused_here,
            }
        });
        Stats {
            link_up: endpoint.link(),
            peer_ready: peer.ready,
            peer: peer.mac,
            peer_user_data: endpoint.user_data(),
            peer_pause: if endpoint.link() { peer.pause } else { 0 },
            tx,
            rx,
            drops,
            gaps,
            events_missed: missed,
            channels: channels.collect(),
        }
    }

    /// A counter of all channels together.
    pub fn sum(&self, count: fn(&ChannelStats) -> u64) -> u64 {
        self.channels.iter().map(count).sum()
    }
}

/// A part of a user frame on its way to the thread.
type Part = (Vec<u8>, Last, Tuser);

/// What a user asks the thread for.
enum Request {
    /// Tell when all that was written is on the line.
    Flush(Sender<()>),
    /// Tell when readers have all that has arrived in their queues.
    Settle(Sender<()>),
    OpCode(Word),
    UserData(Word),
    /// Pause all channels.
    Quiet,
    Stop,
}

/// Writes user frames on a channel. Whoever drops it in the middle of one ends it in error.
#[derive(Debug)]
pub struct Writer {
    parts: SyncSender<Part>,
    waker: Sounder,
    open: bool,
}

impl Writer {
    /// Sends bytes of a user frame; waits while there is no room.
    ///
    /// # Errors
    /// Nothing was given, or the end has stopped.
    pub fn send(&mut self, bytes: &[u8], last: Last) -> Result<(), SendError> {
        self.send_within(bytes, last, Duration::MAX).map(drop)
    }

    /// Sends bytes of a user frame, and waits for room no longer than so long; says how many of
    /// them were taken. `last` counts only with the last byte.
    ///
    /// # Errors
    /// Nothing was given, or the end has stopped.
    pub fn send_within(
        &mut self,
        bytes: &[u8],
        last: Last,
        timeout: Duration,
    ) -> Result<usize, SendError> {
        self.send_tuser(bytes, last, Tuser::default(), timeout)
    }

    /// The same with TUSER, for a peer that takes it: `first` counts if the bytes start a user
    /// frame, `last` if they end it.
    ///
    /// # Errors
    /// As [`Writer::send_within`].
    pub fn send_tuser(
        &mut self,
        bytes: &[u8],
        last: Last,
        tuser: Tuser,
        timeout: Duration,
    ) -> Result<usize, SendError> {
        if bytes.is_empty() {
            return Err(SendError::Empty);
        }
        let (begun, mut taken) = (Instant::now(), 0);
        for part in bytes.chunks(PART) {
            let ends = taken + part.len() == bytes.len();
            let last = if ends { last } else { Last::No };
            let mut waits = (part.to_vec(), last, tuser);
            while let Err(error) = self.parts.try_send(waits) {
                waits = match error {
                    TrySendError::Full(waits) => waits,
                    TrySendError::Disconnected(_) => return Err(SendError::Closed),
                };
                if timeout == Duration::MAX {
                    self.parts.send(waits).map_err(|_| SendError::Closed)?;
                    break;
                }
                let left = timeout.saturating_sub(begun.elapsed());
                if left.is_zero() {
                    return Ok(taken);
                }
                std::thread::sleep(left.min(ROOM));
            }
            taken += part.len();
            self.open = last == Last::No;
            self.waker.wake();
        }
        Ok(taken)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.open {
            // The thread sees that this end of the queue is gone, and ends the frame.
            self.waker.wake();
        }
    }
}

/// Reads what arrives on a channel.
#[derive(Debug)]
pub struct Reader {
    pieces: Receiver<Piece>,
}

/// The next of a queue that the thread fills.
fn next<T>(queue: &Receiver<T>, timeout: Duration) -> Result<Option<T>, Closed> {
    match queue.recv_timeout(timeout) {
        Ok(found) => Ok(Some(found)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(Closed),
    }
}

impl Reader {
    /// The next piece; `None` if none comes for so long.
    ///
    /// # Errors
    /// The end has stopped, and all that it had received was read.
    pub fn recv(&self, timeout: Duration) -> Result<Option<Piece>, Closed> {
        next(&self.pieces, timeout)
    }
}

/// Reads the op-codes of the peer. As many as events wait for it; what comes beyond counts as
/// missed ([`Stats::events_missed`]).
#[derive(Debug)]
pub struct OpCodes {
    opcodes: Receiver<Word>,
}

impl OpCodes {
    /// The next op-code, in the order of their frames; `None` if none comes for so long.
    ///
    /// # Errors
    /// The end has stopped, and all that it had received was read.
    pub fn recv(&self, timeout: Duration) -> Result<Option<Word>, Closed> {
        next(&self.opcodes, timeout)
    }
}

/// All that was written before this was asked for is on the line, or will be.
#[derive(Debug)]
pub struct Flushing(Receiver<()>);

impl Flushing {
    /// Waits for it, or for so long. Whether it is there.
    #[must_use]
    pub fn wait(&self, timeout: Duration) -> bool {
        self.0.recv_timeout(timeout).is_ok()
    }
}

/// One end with a thread of its own. Dropping it stops the thread at once.
#[derive(Debug)]
pub struct Host {
    thread: Thread,
    requests: Sender<Request>,
    waker: Sounder,
    writers: Vec<Option<Writer>>,
    readers: Vec<Option<Reader>>,
    events: Receiver<Event>,
    opcodes: Option<OpCodes>,
    stats: Known,
}

impl Host {
    /// Starts an end on a link.
    ///
    /// # Errors
    /// A parameter out of range, or no thread can be had.
    pub fn start<L: RawLink + 'static>(
        link: L,
        settings: &Settings,
        watch: Option<Watch>,
    ) -> Result<Self, Fault> {
        let waker = Sounder::new(link.waker());
        let mut driver = Driver::new(link, settings)?;
        if let Some(watch) = watch {
            driver.watch(watch);
        }
        let (requests, asked) = channel();
        let (tell, events) = sync_channel(EVENTS);
        let (tell_opcode, opcodes) = sync_channel(EVENTS);
        let stats = Known::default();
        let mut work = Work {
            driver,
            lanes: Vec::new(),
            asked,
            tell,
            tell_opcode,
            stats: stats.clone(),
            missed: 0,
            flushes: Vec::new(),
            settles: Vec::new(),
        };
        let (mut writers, mut readers) = (Vec::new(), Vec::new());
        for _ in 0..settings.channels {
            let (parts, written) = sync_channel(PARTS);
            let (read, pieces) = sync_channel(PIECES);
            work.lanes.push(Lane {
                written,
                part: None,
                open: false,
                read: Some(read),
                piece: None,
            });
            writers.push(Some(Writer {
                parts,
                waker: waker.clone(),
                open: false,
            }));
            readers.push(Some(Reader { pieces }));
        }
        work.count();
        Ok(Self {
            thread: Thread::start("htsp", move || work.run())?,
            requests,
            waker,
            writers,
            readers,
            events,
            opcodes: Some(OpCodes { opcodes }),
            stats,
        })
    }

    fn ask(&self, request: Request) {
        // A thread that has stopped is told by everything else.
        let _ = self.requests.send(request);
        self.waker.wake();
    }

    /// The writer of a channel, once.
    pub fn writer(&mut self, channel: u8) -> Option<Writer> {
        self.writers.get_mut(usize::from(channel))?.take()
    }

    /// The reader of a channel, once.
    pub fn reader(&mut self, channel: u8) -> Option<Reader> {
        self.readers.get_mut(usize::from(channel))?.take()
    }

    /// The reader of the peer's op-codes, once.
    pub fn opcodes(&mut self) -> Option<OpCodes> {
        self.opcodes.take()
    }

    /// The oldest event that has not been fetched; op-codes are none of them.
    pub fn event(&self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// Counters, a few milliseconds old.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats.get()
    }

    /// Whether the thread is at work.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.thread.is_running()
    }

    /// Sends an op-code, behind those asked for before. It arrives once or, if its frame is lost,
    /// never.
    pub fn send_opcode(&self, opcode: Word) {
        self.ask(Request::OpCode(opcode));
    }

    /// What every header carries from now on.
    pub fn set_user_data(&self, user_data: Word) {
        self.ask(Request::UserData(user_data));
    }

    /// Waits until all that was written is on the line, or for so long. Whether it is. Nobody knows
    /// whether it has arrived.
    #[must_use]
    pub fn flush(&self, timeout: Duration) -> bool {
        self.flushing().wait(timeout)
    }

    /// Asks for the same, to be waited for without this.
    #[must_use]
    pub fn flushing(&self) -> Flushing {
        let (done, wait) = channel();
        self.ask(Request::Flush(done));
        Flushing(wait)
    }

    /// Waits until all that has arrived is where [`Reader::recv`] finds it at once, or for so long.
    /// Whether it is.
    #[must_use]
    pub fn settle(&self, timeout: Duration) -> bool {
        let (done, wait) = channel();
        self.ask(Request::Settle(done));
        wait.recv_timeout(timeout).is_ok()
    }

    /// Stops the thread, after some more headers: they show the peer whether something of the end
    /// is missing, and pause all channels, so that it does not send what nobody takes any more.
    /// What has been written and is not on the line is lost; [`Host::flush`] before.
    ///
    /// # Errors
    /// Why the thread had stopped before.
    pub fn close(mut self) -> Result<Stats, Fault> {
        if self.is_running() {
            self.ask(Request::Quiet);
            std::thread::sleep(LINGER);
        }
        self.ask(Request::Stop);
        self.thread.join()?;
        Ok(self.stats())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.ask(Request::Stop);
    }
}

/// What the thread has of a channel.
struct Lane {
    written: Receiver<Part>,
    /// Taken from the writer, without room yet.
    part: Option<Part>,
    /// In the middle of a user frame of the writer.
    open: bool,
    /// `None`: there is no reader any more.
    read: Option<SyncSender<Piece>>,
    /// Taken from the endpoint, without room yet.
    piece: Option<Piece>,
}

impl Lane {
    /// Carries over what there is room for. Whether there was any.
    fn turn(&mut self, channel: u8, endpoint: &mut Endpoint) -> bool {
        let mut moved = false;
        while let Some(part) = self.part.take().or_else(|| self.next_part()) {
            let push = endpoint.push_tuser(channel, &part.0, part.1, part.2);
            if let Err(PushError::Full { .. }) = push {
                self.part = Some(part);
                break;
            }
            self.open = part.1 == Last::No;
            moved = true;
        }
        while let Some(read) = &self.read {
            let Some(piece) = self.piece.take().or_else(|| endpoint.pop(channel)) else {
                break;
            };
            match read.try_send(piece) {
                Ok(()) => moved = true,
                Err(TrySendError::Full(piece)) => {
                    self.piece = Some(piece);
                    break;
                }
                Err(TrySendError::Disconnected(_)) => self.read = None,
            }
        }
        if self.read.is_none() {
            // Its user has gone and wants nothing more of it.
            while endpoint.pop(channel).is_some() {}
        }
        moved
    }

    /// What the writer wrote next; the end in error of a frame that it left in the middle.
    fn next_part(&mut self) -> Option<Part> {
        match self.written.try_recv() {
            Ok(part) => Some(part),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                self.open.then(|| (vec![0], Last::Error, Tuser::default()))
            }
        }
    }
}

/// What the thread has.
struct Work<L: RawLink> {
    driver: Driver<L>,
    lanes: Vec<Lane>,
    asked: Receiver<Request>,
    tell: SyncSender<Event>,
    tell_opcode: SyncSender<Word>,
    stats: Known,
    missed: u64,
    flushes: Vec<Sender<()>>,
    settles: Vec<Sender<()>>,
}

impl<L: RawLink> Work<L> {
    fn run(mut self) -> Result<(), Fault> {
        let done = self.work();
        self.count();
        done
    }

    fn work(&mut self) -> Result<(), Fault> {
        let mut opcodes = std::collections::VecDeque::new();
        let mut count_at = Duration::ZERO;
        loop {
            loop {
                match self.asked.try_recv() {
                    Ok(Request::Flush(done)) => self.flushes.push(done),
                    Ok(Request::Settle(done)) => self.settles.push(done),
                    Ok(Request::OpCode(opcode)) => opcodes.push_back(opcode),
                    Ok(Request::UserData(data)) => self.driver.endpoint().set_user_data(data),
                    Ok(Request::Quiet) => self.driver.quiet(),
                    Ok(Request::Stop) | Err(TryRecvError::Disconnected) => return Ok(()),
                    Err(TryRecvError::Empty) => break,
                }
            }
            if let Some(&opcode) = opcodes.front()
                && self.driver.endpoint().send_opcode(opcode).is_ok()
            {
                opcodes.pop_front();
            }
            let mut moved = false;
            for (channel, lane) in self.lanes.iter_mut().enumerate() {
                moved |= lane.turn(channel as u8, self.driver.endpoint());
            }
            moved |= self.driver.turn()?;
            while let Some(event) = self.driver.endpoint().poll_event() {
                let kept = match event {
                    Event::OpCode(opcode) => self.tell_opcode.try_send(opcode).is_ok(),
                    event => self.tell.try_send(event).is_ok(),
                };
                self.missed += u64::from(!kept);
            }
            let now = self.driver.now();
            if now >= count_at {
                count_at = now + COUNT;
                self.count();
            }
            if moved {
                continue;
            }
            let mut done = Vec::new();
            if !self.flushes.is_empty() && opcodes.is_empty() && self.is_flushed() {
                done.append(&mut self.flushes);
            }
            if self.lanes.iter().all(|lane| lane.piece.is_none()) {
                done.append(&mut self.settles);
            }
            if !done.is_empty() {
                self.count();
            }
            for done in done {
                // Whoever has stopped to wait need not know.
                let _ = done.send(());
            }
            self.driver.wait(SLEEP)?;
        }
    }

    /// Whether nothing that was written is still here. Nothing has moved since the queues were
    /// looked at.
    fn is_flushed(&mut self) -> bool {
        let endpoint = self.driver.endpoint();
        let mut lanes = self.lanes.iter().enumerate();
        let queued =
            lanes.all(|(channel, lane)| lane.part.is_none() && endpoint.queued(channel as u8) == 0);
        queued && self.driver.is_flushed()
    }

    /// Makes the counters known.
    fn count(&mut self) {
        let stats = Stats::of(&mut self.driver, self.lanes.len() as u8, self.missed);
        self.stats.set(stats);
    }
}
