// SPDX-License-Identifier: Apache-2.0
//! The sending side of a transfer: reads, compares with what the receiver has, sends.

use super::connect::connect;
use super::head::{HEAD, Hash, Head, Kind, root};
use super::manifest::{
    BLOCK, Entry, MOST_BLOCKS, ManifestError, Place, Source, What, encode, shown,
};
use super::pipe::{Feed, LaneShown, Liveness, Shown, catching, has_panicked, own, pull, push};
use super::start::{Answers, Link, Session, StartError};
use super::{ALIVE, Arrangement, HASHES, LONGEST_WORD, NAP, PATIENCE};
use crate::end::{ReceiveEnd, SendEnd};
use ropewalk_io::lane::Lane;
use ropewalk_io::lane::network::Network;
use ropewalk_wire::chunk::handshake::{Credentials, Failure, Refusal};
use ropewalk_wire::chunk::{
    Complete, Fec, Guard, Pace, ParamError, Params, Receiver, ReceiverSettings, Sender,
    SenderCounters, SenderSettings,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How often what waits looks whether to stop.
const LOOK: Duration = Duration::from_millis(50);
/// Longest wait for a receiver to hear that this end gives up: chunks that are on their way arrive before. Somebody who interrupts waits himself.
const LEAVE: Duration = Duration::from_secs(60);
/// See [`LEAVE`].
const LEAVE_INTERRUPTED: Duration = PATIENCE;
/// See [`LEAVE`]: a pipeline is gone, and the others may have ended, so perhaps nobody brings it.
const LEAVE_BROKEN: Duration = Duration::from_secs(2);

/// How to send.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Own address, if it matters, and that of the receiver, of each lane.
    pub lanes: Vec<(Option<SocketAddr>, SocketAddr)>,
    /// How they are used.
    pub arrangement: Arrangement,
    /// Parity; the receiver may refuse it.
    pub fec: Fec,
    /// Most bits per second of frames, of all lanes together.
    pub rate: Option<u64>,
    /// How long to try without success.
    pub timeout: Duration,
    /// How this end proves who it is.
    pub credentials: Credentials,
}

/// Where the time of a transfer has gone, all attempts together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Phases {
    /// Until the receiver was found, and both knew each other.
    pub start: Duration,
    /// Until it was known what the receiver has already.
    pub compare: Duration,
    /// Until all that it did not have had arrived.
    pub transfer: Duration,
    /// Until it had everything on disk and in place, and had said so.
    pub finish: Duration,
}

/// One of [`Phases`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Start,
    Compare,
    Transfer,
    Finish,
}

/// The phase that an attempt is in.
struct Clock {
    phase: Phase,
    since: Instant,
}

impl Clock {
    /// The next phase begins; the time of this one is added.
    fn next(&mut self, phase: Phase, phases: &mut Phases) {
        let now = Instant::now();
        let sum = match self.phase {
            Phase::Start => &mut phases.start,
            Phase::Compare => &mut phases.compare,
            Phase::Transfer => &mut phases.transfer,
            Phase::Finish => &mut phases.finish,
        };
        *sum += now - self.since;
        (self.phase, self.since) = (phase, now);
    }
}

/// How far a transfer is, or has come.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// Bytes of all files; of standard input those that have been read.
    pub total: u64,
    /// Bytes of blocks that were sent, or need not be.
    pub done: u64,
    /// Those that need not be: the receiver has them, or they are zeros.
    pub spared: u64,
    /// Bytes of files that the receiver may have already, of which the hashes were compared.
    pub compared: u64,
    /// Bytes that the receiver has written.
    pub written: u64,
    /// Time in which it wrote and hashed.
    pub writing: Duration,
    /// Counters of all pipelines.
    pub counters: SenderCounters,
    /// Lanes.
    pub lanes: Vec<LaneShown>,
    /// Attempts that ended early.
    pub broken: u32,
    /// Where the time has gone.
    pub phases: Phases,
    /// What is not as it could be; at the end also what held the transfer up.
    pub notes: Vec<String>,
}

/// Why something was not sent.
#[derive(Debug, Error)]
pub enum SendError {
    /// What is to be sent cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// No receiver.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It was there, and has gone.
    #[error("the receiver has gone: {0}")]
    Lost(String),
    /// The receiver says so.
    #[error("the receiver cannot go on: {0}")]
    Refused(String),
    /// It does not know this end any more.
    #[error(
        "the receiver was started anew and does not know this sender: send again, with its new code"
    )]
    Anew,
    /// A file is another one now.
    #[error("'{0}' was changed while it was sent")]
    Changed(String),
    /// Standard input cannot be read twice.
    #[error("the receiver has gone ({0}), and standard input cannot be read a second time")]
    Stream(String),
    /// Told to stop.
    #[error("interrupted; what has arrived is kept for the next time")]
    Stopped,
    /// The receiver does not keep to the protocol.
    #[error("the receiver says what it cannot mean: {0}")]
    Protocol(String),
    /// A mistake in this program.
    #[error("{0}")]
    Internal(String),
}

impl SendError {
    /// What a pipeline has ended with.
    fn of_pipeline(error: &io::Error) -> Self {
        let text = error.to_string();
        if has_panicked(error) {
            SendError::Internal(text)
        } else {
            SendError::Lost(text)
        }
    }
}

/// What the receiver has of a file.
enum Claim {
    Blocks(HashMap<u32, Hash>),
    Whole(Hash),
}

/// What the threads of an attempt share.
struct Shared<'a> {
    source: &'a Source,
    feed: Feed,
    stop: AtomicBool,
    done: AtomicU64,
    spared: AtomicU64,
    compared: AtomicU64,
    /// Bytes of all files whose length is known.
    bytes: u64,
    /// Chunks but those that only tell that this end lives.
    chunks: AtomicU64,
}

/// Sends a file, a directory or standard input; begins anew when the receiver is lost, until that has been in vain for too long.
///
/// # Errors
/// Why not all of it is there.
pub fn send(
    network: &dyn Network,
    settings: &Settings,
    path: &Path,
    watch: &mut dyn FnMut(&Progress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Progress, SendError> {
    let mut progress = Progress::default();
    let mut patience = Patience::new(settings.timeout);
    let mut credentials = settings.credentials.clone();
    loop {
        let source = Source::new(path)?;
        progress.notes.clone_from(&source.notes);
        let said = attempt(
            network,
            settings,
            (&mut credentials, &mut patience),
            &source,
            &mut progress,
            watch,
            stop,
        );
        let why = match said {
            Ok(()) => return Ok(progress),
            Err(SendError::Lost(why)) => why,
            Err(SendError::Start(StartError::Refused(Failure::Refused(
                Refusal::Proof | Refusal::Key,
            )))) if progress.broken > 0 => return Err(SendError::Anew),
            Err(error) => return Err(error),
        };
        if source.places.contains(&None) {
            return Err(SendError::Stream(why));
        }
        if patience.left().is_zero() {
            return Err(SendError::Lost(why));
        }
        progress.broken += 1;
    }
}

/// How long it has been in vain.
#[derive(Debug)]
struct Patience {
    timeout: Duration,
    /// Most that was ever done.
    done: u64,
    since: Instant,
}

impl Patience {
    fn new(timeout: Duration) -> Self {
        Patience {
            timeout,
            done: 0,
            since: Instant::now(),
        }
    }

    /// So much is done: more than ever, or each attempt comes no further than the one before.
    fn see(&mut self, done: u64) {
        if done > self.done {
            (self.done, self.since) = (done, Instant::now());
        }
    }

    /// For how long there is hope.
    fn left(&self) -> Duration {
        self.timeout.saturating_sub(self.since.elapsed())
    }
}

/// What a receiver that is still there is told of an error, as a chunk.
fn last_word(error: &SendError) -> Option<Vec<u8>> {
    let (text, interrupted) = match error {
        SendError::Lost(_) | SendError::Refused(_) => return None,
        SendError::Stopped => ("it was interrupted".into(), true),
        error => (error.to_string(), false),
    };
    let head = Head {
        place: interrupted.into(),
        ..Head::of(Kind::Failed)
    };
    let bytes = text.as_bytes();
    Some(head.chunk(&bytes[..bytes.len().min(LONGEST_WORD)]))
}

/// What a thread has to tell at its end.
enum Event {
    Reader(Result<(), SendError>),
    Pipeline(io::Result<()>),
}

fn attempt(
    network: &dyn Network,
    settings: &Settings,
    (credentials, patience): (&mut Credentials, &mut Patience),
    source: &Source,
    progress: &mut Progress,
    watch: &mut dyn FnMut(&Progress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), SendError> {
    let mut clock = Clock {
        phase: Phase::Start,
        since: Instant::now(),
    };
    let linked = connect(
        network,
        &settings.lanes,
        (settings.arrangement, settings.fec),
        credentials,
        patience.left(),
        stop,
    );
    clock.next(Phase::Compare, &mut progress.phases);
    let (link, again) = linked?;
    *credentials = again;
    let Link {
        agreed,
        lanes,
        back,
        early,
        notes,
    } = link;
    progress.notes.extend(notes);
    let broken = |error: &dyn std::fmt::Display| SendError::Protocol(error.to_string());
    let liveness = Liveness::new();
    let rate = settings
        .rate
        .map(|rate| (rate / u64::from(agreed.lanes())).max(1));
    let Session {
        data,
        back: (guard, params),
    } = agreed.into_session();
    let wake_back = back[0].0.waker();
    let back = own(back, guard.session());
    let memory = (0..params.chunks).map(|_| vec![0; params.chunk_bytes()]);
    let mut receiver = Receiver::new(params, guard, ReceiverSettings::default(), memory.collect())
        .map_err(|error| broken(&error))?;
    for (lane, frame) in early {
        receiver.receive(Duration::ZERO, lane, &frame);
    }
    let back = ReceiveEnd::new(receiver, back).with_nap(NAP);
    let wakers = lanes.iter().map(|(lane, _)| lane.waker()).collect();
    let mut pipelines = shares(data, lanes);
    let memories = pipelines
        .iter()
        .map(|(_, params, _)| usize::from(params.chunks) + 1);
    let sizes = source.entries.iter().map(|entry| match entry.what {
        What::File(bytes) => bytes,
        _ => 0,
    });
    let shared = Shared {
        source,
        feed: Feed::new(memories.sum::<usize>() + 2, HEAD + BLOCK as usize, wakers),
        stop: AtomicBool::new(false),
        bytes: sizes.sum(),
        done: AtomicU64::new(0),
        spared: AtomicU64::new(0),
        compared: AtomicU64::new(0),
        chunks: AtomicU64::new(0),
    };
    let shown: Vec<Mutex<Shown>> = pipelines.iter().map(|_| Mutex::default()).collect();
    let (say, messages) = mpsc::channel::<Complete<Vec<u8>>>();
    let (give, given) = mpsc::channel();
    let (tell, events) = mpsc::channel();
    let (go, gone) = mpsc::channel();
    let begun = Instant::now();
    let said = std::thread::scope(|scope| {
        let (shared, shown, liveness) = (&shared, &shown, &*liveness);
        let failed = tell.clone();
        let answers = scope.spawn(move || {
            let mut take = |complete| say.send(complete).is_ok();
            let pulled =
                catching(|| pull(back, &mut take, &given, &mut |_| {}, liveness, &shared.stop));
            if let Err(error) = pulled {
                let _ = failed.send(Event::Pipeline(Err(error)));
            }
        });
        scope.spawn({
            let tell = tell.clone();
            move || {
                let read = catching(|| Ok(read(shared, &gone)));
                let read = read.unwrap_or_else(|error| Err(SendError::of_pipeline(&error)));
                tell.send(Event::Reader(read))
            }
        });
        let mut claims = Claims::new(source);
        let mut last_alive = Instant::now();
        let mut unfinished = pipelines.len();
        let mut main = || -> Result<(), SendError> {
            loop {
                let message = messages.recv_timeout(Duration::from_millis(20));
                if let Ok(complete) = message {
                    let said = Head::open(&complete.memory[..complete.bytes]);
                    let (head, body) = said.map_err(|error| broken(&error))?;
                    match head.kind {
                        Kind::Begin => {
                            let text = String::from_utf8_lossy(body);
                            let theirs = text.lines().map(|line| format!("receiver: {line}"));
                            progress.notes.extend(theirs);
                            let buffer = head.place.min(1 << 32) as usize;
                            // The receiver says "begin" once; there is no second set of pipelines.
                            for (pipeline, shown) in
                                std::mem::take(&mut pipelines).into_iter().zip(shown)
                            {
                                let end = sending(pipeline, rate, buffer)
                                    .map_err(|error| broken(&error))?;
                                let tell = tell.clone();
                                scope.spawn(move || {
                                    let said = catching(|| {
                                        push(end, &shared.feed, liveness, &shared.stop, shown)
                                    });
                                    tell.send(Event::Pipeline(said))
                                });
                            }
                        }
                        Kind::Part | Kind::Whole | Kind::Go => {
                            if claims.take(&head, body)? {
                                clock.next(Phase::Transfer, &mut progress.phases);
                                let _ = go.send(std::mem::take(&mut claims.files));
                            }
                        }
                        Kind::Done => {
                            clock.next(Phase::Finish, &mut progress.phases);
                            return Ok(());
                        }
                        Kind::Failed => {
                            let text = String::from_utf8_lossy(body).into_owned();
                            return Err(SendError::Refused(text));
                        }
                        Kind::Progress => progress.written(&head, body),
                        _ => return Err(SendError::Protocol(format!("{:?}", head.kind))),
                    }
                    let _ = give.send(complete.memory);
                    wake_back();
                }
                while let Ok(event) = events.try_recv() {
                    match event {
                        Event::Reader(said) => said?,
                        Event::Pipeline(Err(error)) => {
                            return Err(SendError::of_pipeline(&error));
                        }
                        Event::Pipeline(Ok(())) => {
                            unfinished -= 1;
                            if unfinished == 0 {
                                clock.next(Phase::Finish, &mut progress.phases);
                            }
                        }
                    }
                }
                if stop() {
                    return Err(SendError::Stopped);
                }
                if liveness.silence() > PATIENCE {
                    let seconds = PATIENCE.as_secs();
                    return Err(SendError::Lost(format!("silent for {seconds} s")));
                }
                if last_alive.elapsed() > ALIVE {
                    last_alive = Instant::now();
                    if shared.feed.is_empty() {
                        let chunk = Head::of(Kind::Alive).chunk(&[]);
                        let bytes = chunk.len();
                        shared.feed.push(chunk, bytes);
                    }
                }
                progress.look(shared, shown);
                patience.see(progress.done);
                watch(progress);
            }
        };
        let said = main();
        if let Err(error) = &said
            && let Some(word) = last_word(error)
        {
            shared.feed.leave(word);
            // It says the same when it has heard it.
            let most = match error {
                SendError::Stopped => LEAVE_INTERRUPTED,
                SendError::Internal(_) => LEAVE_BROKEN,
                _ => LEAVE,
            };
            let since = Instant::now();
            while since.elapsed() < most && liveness.silence() < PATIENCE {
                let complete = match messages.recv_timeout(LOOK) {
                    Ok(complete) => complete,
                    Err(mpsc::RecvTimeoutError::Timeout) => continue,
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                };
                let head = Head::open(&complete.memory[..complete.bytes]);
                if matches!(head, Ok((head, _)) if head.kind == Kind::Failed) {
                    break;
                }
                let _ = give.send(complete.memory);
                wake_back();
            }
        }
        // The receiver sees that its last word has come; else it waits for that a while.
        let left = Instant::now();
        let lost = matches!(said, Err(SendError::Lost(_)));
        while !lost && !answers.is_finished() && left.elapsed() < Duration::from_secs(1) {
            std::thread::sleep(Duration::from_millis(2));
        }
        shared.stop.store(true, Ordering::Relaxed);
        drop(go);
        said
    });
    clock.next(Phase::Finish, &mut progress.phases);
    // The threads have shown their last.
    progress.look(&shared, &shown);
    if said.is_ok() {
        progress.explain(&shown, begun.elapsed());
    }
    said
}

type Lanes = Vec<(Box<dyn Lane>, Option<Answers>)>;

/// A pipeline for data that has not begun.
type Pipeline = (Guard, Params, Lanes);

/// The pipelines with the lanes of each.
fn shares(data: Vec<(Guard, Params)>, lanes: Lanes) -> Vec<Pipeline> {
    let count = data.len();
    let mut shares: Vec<Pipeline> = data
        .into_iter()
        .map(|(guard, params)| (guard, params, Vec::new()))
        .collect();
    for (number, lane) in lanes.into_iter().enumerate() {
        shares[number % count].2.push(lane);
    }
    shares
}

/// The end of a pipeline. `rate`: most bits per second on a lane; `buffer`: bytes that the
/// receiver's end of a lane can hold.
fn sending(
    (guard, params, lanes): Pipeline,
    rate: Option<u64>,
    buffer: usize,
) -> Result<SendEnd<Vec<u8>>, ParamError> {
    let settings = SenderSettings {
        pace: rate.map_or(Pace::Found, Pace::Capped),
        buffer,
        ..SenderSettings::default()
    };
    let lanes = own(lanes, guard.session());
    let sender = Sender::new(params, guard, settings, Duration::ZERO)?;
    Ok(SendEnd::new(sender, lanes))
}

/// What the receiver has, as it tells in messages that arrive in any order.
struct Claims<'a> {
    source: &'a Source,
    files: HashMap<u32, Claim>,
    /// Messages that came.
    told: u64,
    /// All of them, when that is known.
    all: Option<u64>,
    /// Most there can be: each has the hashes of as many blocks as fit, or of a whole file.
    most: u64,
}

impl<'a> Claims<'a> {
    fn new(source: &'a Source) -> Self {
        let files = (1..=source.entries.len()).filter_map(|file| file_entry(source, file as u32));
        let most = files.map(|entry| entry.blocks().div_ceil(HASHES as u64).max(1));
        Claims {
            source,
            files: HashMap::new(),
            told: 0,
            all: None,
            most: most.sum(),
        }
    }

    /// Takes a message; true if it is the last one to come.
    fn take(&mut self, head: &Head, body: &[u8]) -> Result<bool, SendError> {
        let (told, most) = (self.told, self.all.unwrap_or(self.most));
        if head.kind == Kind::Go {
            if self.all.is_some() || !(told..=most).contains(&head.place) {
                let text = format!("Go with {} of {told} to {most} messages", head.place);
                return Err(SendError::Protocol(text));
            }
            self.all = Some(head.place);
        } else {
            if told >= most {
                let text = format!("{:?} after {told} messages, which were all", head.kind);
                return Err(SendError::Protocol(text));
            }
            self.note(head, body)?;
            self.told += 1;
        }
        Ok(self.all == Some(self.told))
    }

    /// Takes down what there is of a file: blocks, or all of it.
    fn note(&mut self, head: &Head, body: &[u8]) -> Result<(), SendError> {
        let wrong =
            || SendError::Protocol(format!("blocks of file {} from {}", head.file, head.place));
        let entry = file_entry(self.source, head.file).ok_or_else(wrong)?;
        if head.kind == Kind::Whole {
            self.files.insert(head.file, Claim::Whole(head.hash));
            return Ok(());
        }
        let claim = self
            .files
            .entry(head.file)
            .or_insert_with(|| Claim::Blocks(HashMap::new()));
        let Claim::Blocks(blocks) = claim else {
            return Err(wrong());
        };
        let hashes = body.chunks_exact(32);
        let end = head.place.saturating_add(hashes.len() as u64);
        if end > entry.blocks().min(MOST_BLOCKS) {
            return Err(wrong());
        }
        for (index, hash) in (head.place..end).zip(hashes) {
            if let Ok(hash) = Hash::try_from(hash)
                && hash != [0; 32]
            {
                blocks.insert(index as u32, hash);
            }
        }
        Ok(())
    }
}

/// The entry of a number, if it is a file whose blocks can be named.
fn file_entry(source: &Source, file: u32) -> Option<&Entry> {
    let entry = source.entries.get((file as usize).checked_sub(1)?)?;
    matches!(entry.what, What::File(_)).then_some(entry)
}

impl Shared<'_> {
    /// Memory for a chunk, when there is some.
    fn memory(&self) -> Option<Vec<u8>> {
        while !self.stop.load(Ordering::Relaxed) {
            let memory = self.feed.memory(LOOK);
            if memory.is_some() {
                return memory;
            }
        }
        None
    }

    /// Feeds a chunk that is sealed.
    fn push(&self, memory: Vec<u8>, bytes: usize) {
        self.chunks.fetch_add(1, Ordering::Relaxed);
        self.feed.push(memory, bytes);
    }

    fn say(&self, head: Head, body: &[u8]) {
        while !self.feed.has_room(LOOK) && !self.stop.load(Ordering::Relaxed) {}
        self.push(head.chunk(body), HEAD + body.len());
    }
}

/// Reads all that is to be sent, block by block, and sends what the receiver does not have.
fn read(shared: &Shared, go: &mpsc::Receiver<HashMap<u32, Claim>>) -> Result<(), SendError> {
    let list = encode(&shared.source.entries);
    let mut hashes = Vec::new();
    for (number, part) in list.chunks(BLOCK as usize).enumerate() {
        let Some(mut memory) = shared.memory() else {
            return Ok(());
        };
        memory[HEAD..HEAD + part.len()].copy_from_slice(part);
        let head = Head {
            place: number as u64 * BLOCK,
            ..Head::of(Kind::Block)
        };
        hashes.push(head.seal(&mut memory[..HEAD + part.len()]).hash);
        shared.push(memory, HEAD + part.len());
    }
    let (place, hash) = (list.len() as u64, root(list.len() as u64, hashes.iter()));
    shared.say(
        Head {
            place,
            hash,
            ..Head::of(Kind::End)
        },
        &[],
    );
    let Ok(mut claims) = go.recv() else {
        return Ok(());
    };
    for (number, place) in (1..).zip(&shared.source.places) {
        let entry = &shared.source.entries[number as usize - 1];
        let claim = claims.remove(&number);
        if entry.what != What::Directory && !file(shared, number, entry, place.as_ref(), claim)? {
            return Ok(());
        }
    }
    let place = shared.chunks.load(Ordering::Relaxed) + 1;
    shared.say(
        Head {
            place,
            ..Head::of(Kind::Last)
        },
        &[],
    );
    shared.feed.close();
    Ok(())
}

/// Something of which one block after the other is read.
enum Input<'a> {
    File(File),
    /// Whoever writes it may let us wait for ever, so that is looked at first; and whether to stop.
    Stream(File, &'a AtomicBool),
}

impl Input<'_> {
    /// Fills a block, as far as there is something.
    fn block(&mut self, place: u64, block: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < block.len() {
            let rest = &mut block[filled..];
            let said = match self {
                Input::File(file) => file.read_at(rest, place + filled as u64),
                Input::Stream(input, stop) => match is_ready(input, LOOK) {
                    Ok(true) => input.read(rest),
                    Ok(false) if stop.load(Ordering::Relaxed) => break,
                    Ok(false) => continue,
                    Err(error) => Err(error),
                },
            };
            match said {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// Whether a read would not wait, after so long at most.
fn is_ready(file: &File, timeout: Duration) -> io::Result<bool> {
    let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
    let mut polled = [PollFd::new(file, PollFlags::IN)];
    match poll(&mut polled, Some(&timeout)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Sends a file; false if it was told to stop.
fn file(
    shared: &Shared,
    number: u32,
    entry: &Entry,
    place: Option<&Place>,
    claim: Option<Claim>,
) -> Result<bool, SendError> {
    let fail = |source| ManifestError::Read {
        path: place.map_or("-".into(), |place| place.path.clone()),
        source,
    };
    let mut input = match place {
        Some(place) => Input::File(place.open().map_err(fail)?),
        None => {
            let own = io::stdin().as_fd().try_clone_to_owned();
            Input::Stream(own.map_err(fail)?.into(), &shared.stop)
        }
    };
    let limit = match entry.what {
        What::File(bytes) => bytes,
        _ => MOST_BLOCKS * BLOCK,
    };
    let mut has = HashMap::new();
    match claim {
        Some(Claim::Blocks(blocks)) => has = blocks,
        Some(Claim::Whole(hash)) => {
            let (mut hashes, mut memory) = (Vec::new(), vec![0; BLOCK as usize]);
            for place in (0..limit).step_by(BLOCK as usize) {
                if shared.stop.load(Ordering::Relaxed) {
                    return Ok(false);
                }
                let want = (limit - place).min(BLOCK) as usize;
                let length = input.block(place, &mut memory[..want]).map_err(fail)?;
                hashes.push(*blake3::hash(&memory[..length]).as_bytes());
                shared.compared.fetch_add(length as u64, Ordering::Relaxed);
            }
            if root(limit, hashes.iter()) == hash {
                for counter in [&shared.done, &shared.spared] {
                    counter.fetch_add(limit, Ordering::Relaxed);
                }
                changed(entry, &input)?;
                let end = Head {
                    kind: Kind::End,
                    file: number,
                    place: limit,
                    hash,
                };
                shared.say(end, &[]);
                return Ok(true);
            }
        }
        None => {}
    }
    let (mut place, mut hashes) = (0, Vec::new());
    while place < limit {
        let Some(mut memory) = shared.memory() else {
            return Ok(false);
        };
        let want = (limit - place).min(BLOCK) as usize;
        let length = input
            .block(place, &mut memory[HEAD..HEAD + want])
            .map_err(fail)?;
        if shared.stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        if length == 0 {
            shared.feed.give_back(memory);
            break;
        }
        let body = &memory[HEAD..HEAD + length];
        let hash = *blake3::hash(body).as_bytes();
        let known = has.get(&((place / BLOCK) as u32)) == Some(&hash);
        let head = Head {
            file: number,
            place,
            hash,
            ..Head::of(Kind::Block)
        };
        let zeros = body.iter().all(|&byte| byte == 0);
        if known || zeros {
            shared.feed.give_back(memory);
            shared.spared.fetch_add(length as u64, Ordering::Relaxed);
            if !known {
                let head = Head {
                    kind: Kind::Hole,
                    ..head
                };
                shared.say(head, &(length as u32).to_be_bytes());
            }
        } else {
            head.seal_hashed(&mut memory[..HEAD + length]);
            shared.push(memory, HEAD + length);
        }
        hashes.push(hash);
        shared.done.fetch_add(length as u64, Ordering::Relaxed);
        place += length as u64;
        if length < want {
            break;
        }
    }
    if entry.what == What::Stream
        && place == limit
        && input.block(place, &mut [0]).map_err(fail)? > 0
    {
        let name = shown(&entry.name);
        let bytes = limit + 1;
        return Err(ManifestError::Long { name, bytes }.into());
    }
    changed(entry, &input)?;
    if matches!(entry.what, What::File(bytes) if bytes != place) {
        return Err(SendError::Changed(shown(&entry.name)));
    }
    let hash = root(place, hashes.iter());
    shared.say(
        Head {
            kind: Kind::End,
            file: number,
            place,
            hash,
        },
        &[],
    );
    Ok(true)
}

/// Whether a file is still that of the list.
fn changed(entry: &Entry, input: &Input) -> Result<(), SendError> {
    let (Input::File(file), What::File(bytes)) = (input, entry.what) else {
        return Ok(());
    };
    let same = file.metadata().is_ok_and(|about| {
        about.len() == bytes && (about.mtime(), about.mtime_nsec() as u32) == entry.time
    });
    if same {
        Ok(())
    } else {
        Err(SendError::Changed(shown(&entry.name)))
    }
}

impl Progress {
    fn written(&mut self, head: &Head, body: &[u8]) {
        self.written = head.place;
        if let Ok(millis) = body.try_into() {
            self.writing = Duration::from_millis(u64::from_be_bytes(millis));
        }
    }

    fn look(&mut self, shared: &Shared, shown: &[Mutex<Shown>]) {
        self.done = shared.done.load(Ordering::Relaxed);
        self.spared = shared.spared.load(Ordering::Relaxed);
        self.compared = shared.compared.load(Ordering::Relaxed);
        self.total = shared.bytes.max(self.done);
        self.counters = SenderCounters::default();
        self.lanes.clear();
        for shown in shown {
            let shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            self.counters.add(&shown.counters);
            self.lanes.extend(&shown.lanes);
        }
    }

    /// Adds what has held the transfer up.
    fn explain(&mut self, shown: &[Mutex<Shown>], time: Duration) {
        let (mut busy, mut hungry, mut held, mut all) = Default::default();
        for shown in shown {
            let shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            // Some of it is known only when the lanes have been used.
            for note in &shown.notes {
                if !self.notes.contains(note) {
                    self.notes.push(note.clone());
                }
            }
            for (sum, part) in [
                (&mut busy, shown.busy),
                (&mut hungry, shown.hungry),
                (&mut held, shown.held),
                (&mut all, shown.time),
            ] {
                *sum += part;
            }
        }
        let all: Duration = all;
        let share = |part: Duration, all: Duration| {
            (100.0 * part.as_secs_f64() / all.as_secs_f64().max(1e-9)).min(100.0)
        };
        let busy = share(busy, all);
        if busy > 80.0 {
            self.notes.push(format!(
                "processor: the sending threads were busy {busy:.0} % of the time; more lanes with --arrange stable use more of them"
            ));
        }
        let hungry = share(hungry, all);
        if hungry > 20.0 {
            self.notes.push(format!(
                "reading: the lanes waited {hungry:.0} % of the time for what is read and hashed"
            ));
        }
        let writing = share(self.writing, time);
        if writing > 80.0 {
            self.notes.push(format!(
                "writing: the receiver wrote and hashed {writing:.0} % of the time"
            ));
        }
        let held = share(held, all);
        if held > 50.0 && busy < 50.0 {
            self.notes.push(format!(
                "receiver: for {held:.0} % of the time as much was on its way as it has memory for, or as the lanes carry"
            ));
        }
        let Phases {
            start,
            compare,
            transfer,
            finish,
        } = self.phases;
        let all = start + compare + transfer + finish;
        if share(transfer, all) < 80.0 && all > Duration::from_secs(1) {
            let [start, compare, transfer, finish] =
                [start, compare, transfer, finish].map(|time| time.as_secs_f64());
            self.notes.push(format!(
                "time: start {start:.2} s, comparing {compare:.2} s, transfer {transfer:.2} s, end {finish:.2} s"
            ));
        }
        let (lost, sent) = (self.counters.resent, self.counters.sub_packets);
        if lost * 1000 > sent {
            self.notes.push(format!(
                "loss: {lost} of {sent} sub-packets were sent again"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_from_the_last_progress() {
        let mut patience = Patience::new(Duration::from_secs(60));
        let past = |patience: &mut Patience| {
            patience.since -= Duration::from_secs(50);
        };
        past(&mut patience);
        assert!(patience.left() <= Duration::from_secs(10));
        patience.see(1);
        assert!(patience.left() > Duration::from_secs(50));
        past(&mut patience);
        // A new attempt begins where it was.
        patience.see(0);
        patience.see(1);
        assert!(patience.left() <= Duration::from_secs(10));
        past(&mut patience);
        assert!(patience.left().is_zero());
    }

    fn source() -> Source {
        let entry = |name: &str, what| Entry {
            name: name.into(),
            what,
            mode: 0o644,
            time: (0, 0),
        };
        Source {
            entries: vec![
                entry("d", What::Directory),
                entry("s", What::Stream),
                entry("f", What::File(2 * BLOCK)),
                entry("g", What::File(0)),
            ],
            ..Source::default()
        }
    }

    fn head(kind: Kind, file: u32, place: u64) -> Head {
        Head {
            file,
            place,
            ..Head::of(kind)
        }
    }

    #[test]
    fn only_files_of_the_list_can_be_there_already() {
        let source = source();
        for kind in [Kind::Part, Kind::Whole] {
            let mut claims = Claims::new(&source);
            for file in [0, 1, 2, 5, u32::MAX] {
                let said = claims.take(&head(kind, file, 0), &[]);
                assert!(matches!(said, Err(SendError::Protocol(_))), "{file}");
            }
            assert!(!claims.take(&head(kind, 3, 0), &[]).unwrap());
            assert_eq!(claims.files.len(), 1);
        }
        for place in [1, 2, 3, u64::MAX] {
            let said = Claims::new(&source).take(&head(Kind::Part, 3, place), &[1; 64]);
            assert!(matches!(said, Err(SendError::Protocol(_))), "{place}");
        }
    }

    /// What a transfer says of itself after two seconds of which its only pipeline was so long busy, hungry and held; the receiver has written for so long.
    fn explained(parts: [u64; 3], writing: u64, counters: SenderCounters) -> String {
        let milliseconds = Duration::from_millis;
        let [busy, hungry, held] = parts.map(milliseconds);
        let shown = Shown {
            counters,
            busy,
            hungry,
            held,
            time: milliseconds(2000),
            notes: vec!["of a lane".into()],
            ..Shown::default()
        };
        let mut progress = Progress {
            counters,
            writing: milliseconds(writing),
            phases: Phases {
                transfer: milliseconds(2000),
                ..Phases::default()
            },
            ..Progress::default()
        };
        let twice = [Mutex::new(shown.clone()), Mutex::new(shown)];
        progress.explain(&twice, milliseconds(2000));
        progress.notes.join("; ")
    }

    #[test]
    fn why_it_is_not_faster() {
        let good = SenderCounters {
            sub_packets: 100_000,
            resent: 100,
            ..SenderCounters::default()
        };
        let bad = SenderCounters {
            resent: 101,
            ..good
        };
        for (parts, writing, counters, why) in [
            ([1600, 400, 1000], 1600, good, ""),
            ([1602, 0, 0], 0, good, "processor: the sending threads"),
            ([0, 410, 0], 0, good, "reading: the lanes waited 20 %"),
            ([0, 0, 0], 1620, good, "writing: the receiver wrote"),
            ([980, 0, 1020], 0, good, "receiver: for 51 %"),
            ([0, 0, 0], 0, bad, "loss: 101 of 100000 sub-packets"),
        ] {
            let said = explained(parts, writing, counters);
            let rest = said.strip_prefix("of a lane").unwrap();
            assert_eq!(rest.is_empty(), why.is_empty(), "{said}");
            assert!(rest.contains(why), "{said} instead of {why}");
        }
    }

    /// "Go" may overtake what was said before it: only when all has come the reader begins, and with all of it.
    #[test]
    fn what_the_receiver_has_comes_in_any_order() {
        let source = source();
        let messages = [
            (head(Kind::Part, 3, 0), vec![1; 64]),
            (head(Kind::Whole, 4, 0), vec![]),
            (head(Kind::Go, 0, 2), vec![]),
        ];
        for order in [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ] {
            let mut claims = Claims::new(&source);
            let all = order.map(|at: usize| {
                let (head, body) = &messages[at];
                claims.take(head, body).unwrap()
            });
            assert_eq!(all, [false, false, true], "{order:?}");
            assert!(matches!(&claims.files[&3], Claim::Blocks(blocks) if blocks.len() == 2));
            assert!(matches!(&claims.files[&4], Claim::Whole(_)));
        }
        assert!(
            Claims::new(&source)
                .take(&head(Kind::Go, 0, 0), &[])
                .unwrap()
        );
    }

    #[test]
    fn messages_are_counted() {
        let source = source();
        let (part, whole) = (head(Kind::Part, 3, 0), head(Kind::Whole, 4, 0));
        let go = |count| head(Kind::Go, 0, count);
        for (messages, why) in [
            // More than there is to say, with and without "go".
            ([part, part, part], "after 2 messages"),
            ([go(1), whole, part], "after 1 messages"),
            ([go(0), go(0), whole], "Go with 0 of 0 to 0"),
            ([go(u64::MAX), part, whole], "of 0 to 2 messages"),
            // Fewer than came.
            ([part, whole, go(1)], "Go with 1 of 2 to 2"),
            ([go(2), part, go(2)], "Go with 2 of 1 to 2"),
        ] {
            let mut claims = Claims::new(&source);
            let said = messages
                .iter()
                .try_for_each(|head| claims.take(head, &[]).map(|_| ()));
            let said = said.unwrap_err().to_string();
            assert!(said.contains(why), "{said} instead of {why}");
        }
    }
}
