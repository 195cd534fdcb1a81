// SPDX-License-Identifier: Apache-2.0
//! Pieces of memory from a host to another, in order, without files: one [`Outlet`] to one
//! [`Inlet`], each with threads of its own.
//!
//! The pipelines are those of files. Each piece is a chunk of [`Kind::Memory`], whose place counts
//! them; [`Kind::Last`] tells how many there are. The sender has credit for as many as the user of
//! the receiver has taken, and some. The receiver says all the time that it is there, and at last,
//! by [`Kind::Done`], that it has all of them. What is interrupted is lost.

use super::connect::connect;
use super::ends::{hearing, sending};
use super::head::{HEAD, Head, Kind};
use super::inbound::{Manners, Return, Shared, Threads, serve};
use super::job::{Admit, JobError, Order};
use super::listener::Listener;
use super::manifest::BLOCK;
use super::pipe::{Ending, Feed, Liveness, catching, pull, push};
use super::recv::Fault;
use super::start::{Link, StartError};
use super::task::Task;
use super::{Arrangement, PATIENCE, TURN, Via};
use parking_lot::Mutex;
use ropewalk_io::lane::network::Network;
use ropewalk_wire::chunk::Complete;
use ropewalk_wire::chunk::handshake::Code;
use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// Most bytes of a piece.
pub const LONGEST: usize = BLOCK as usize;
/// How long an end that gives up tries to say so.
const LEAVE: Duration = Duration::from_secs(2);

/// How a call that waits ends without what it waits for.
fn ended<T>(end: Option<Result<(), JobError>>, well: T, late: T) -> Result<T, JobError> {
    match end {
        Some(Err(error)) => Err(error),
        Some(Ok(())) => Ok(well),
        None => Ok(late),
    }
}

#[derive(Default)]
struct Out {
    feed: Option<Arc<Feed>>,
    /// Pieces that were sent.
    count: u64,
    finished: bool,
}

/// Sends pieces of memory. Dropping it before [`Outlet::finish`] cancels it.
pub struct Outlet(Arc<Task<Out>>);

impl Outlet {
    /// Begins to look for the receiver.
    ///
    /// # Errors
    /// There is no thread; pieces need the arrangement in which all lanes carry each chunk.
    pub fn open(network: impl Network + 'static, order: Order) -> Result<Self, JobError> {
        if order.arrangement != Arrangement::LowLatency {
            return Err(JobError::failed(
                "the arrangement 'stable' keeps no order: accepted is 'low-latency'",
            ));
        }
        let shared = Task::new(Out::default());
        shared.start("memory", move |shared| send_all(&network, order, shared))?;
        Ok(Outlet(shared))
    }

    /// Sends 0 to [`LONGEST`] bytes; false if there is no room within `timeout`, or no receiver
    /// yet.
    ///
    /// # Errors
    /// They are more; it was finished; how it has ended.
    pub fn send(&self, bytes: &[u8], timeout: Duration) -> Result<bool, JobError> {
        if bytes.len() > LONGEST {
            let count = bytes.len();
            return Err(JobError::Failed(format!(
                "{count} bytes: accepted are 0 to {LONGEST}"
            )));
        }
        let begun = Instant::now();
        let open = |out: &mut Out| {
            let feed = out.feed.clone();
            feed.map(|feed| (feed, out.finished))
        };
        let feed = match self.0.wait(timeout, open) {
            Ok(Some((feed, false))) => feed,
            Ok(_) | Err(Some(Ok(()))) => return Err(JobError::failed("it was finished")),
            Err(end) => return ended(end, false, false),
        };
        let mut memory = loop {
            // The pipeline may end meanwhile.
            let left = timeout.saturating_sub(begun.elapsed());
            if let Some(memory) = feed.memory(left.min(TURN)) {
                break memory;
            }
            if let Some(end) = self.0.end() {
                return end.map(|()| false);
            }
            if left.is_zero() {
                return Ok(false);
            }
        };
        let length = HEAD + bytes.len();
        memory[HEAD..length].copy_from_slice(bytes);
        // Nothing may come behind the last one.
        self.0.update(|out| {
            if out.finished {
                return Err(JobError::failed("it was finished"));
            }
            let head = Head {
                place: out.count,
                ..Head::of(Kind::Memory)
            };
            head.seal(&mut memory[..length]);
            feed.push(memory, length);
            out.count += 1;
            Ok(true)
        })
    }

    /// Says that this is all, and waits until it has arrived, or for `timeout`: whether it has.
    ///
    /// # Errors
    /// How it has ended.
    pub fn finish(&self, timeout: Duration) -> Result<bool, JobError> {
        // There may be no receiver yet.
        let close = |out: &mut Out| {
            if let (Some(feed), false) = (&out.feed, out.finished) {
                let last = Head {
                    place: out.count,
                    ..Head::of(Kind::Last)
                };
                feed.say(last.chunk(&[]));
                feed.close();
                out.finished = true;
            }
            None::<()>
        };
        match self.0.wait(timeout, close) {
            Ok(_) => Ok(false),
            Err(end) => ended(end, true, false),
        }
    }

    /// Ends it soon, from any thread.
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        self.cancel();
    }
}

fn send_all(network: &dyn Network, order: Order, shared: &Task<Out>) -> Result<(), JobError> {
    let settings = order.resolve()?;
    let linked = connect(
        network,
        (&settings.lanes, settings.via),
        (settings.arrangement, settings.fec),
        &settings.credentials,
        settings.timeout,
        &|| shared.stopped(),
    );
    match linked {
        Ok((link, _)) => send_over(link, settings.rate, shared),
        Err(StartError::Stopped) => Err(JobError::Cancelled),
        Err(error) => Err(JobError::failed(error)),
    }
}

fn send_over(link: Link, rate: Option<u64>, shared: &Task<Out>) -> Result<(), JobError> {
    let rate = rate.map(|rate| (rate / u64::from(link.agreed.lanes())).max(1));
    let mut pipelines = link.agreed.into_pipelines();
    let back = hearing(pipelines.back, link.back, link.early).map_err(JobError::failed)?;
    let lanes = link.lanes;
    let wakers = lanes.iter().map(|(lane, _)| lane.waker()).collect();
    let terms = pipelines.data.remove(0);
    let count = usize::from(terms.1.chunks) + 1;
    let feed = Arc::new(Feed::new(count, HEAD + LONGEST, wakers));
    let (mut pipeline, handle) = (Some((terms, lanes)), Arc::clone(&feed));
    let (stop, liveness, shown) = (AtomicBool::new(false), Liveness::new(), Mutex::default());
    let (say, said) = mpsc::channel::<Complete<Vec<u8>>>();
    let (give, given) = mpsc::channel();
    let (tell, told) = mpsc::channel();
    std::thread::scope(|scope| {
        let (stop, liveness, shown, feed) = (&stop, &*liveness, &shown, &*feed);
        let _ending = Ending(stop);
        let answers = scope.spawn({
            let tell = tell.clone();
            move || {
                let mut take = |complete| say.send(complete).is_ok();
                let pulled =
                    catching(|| pull(back, &mut take, &given, &mut |_| {}, liveness, stop));
                if let Err(error) = pulled {
                    let _ = tell.send(Err(error));
                }
            }
        });
        let mut alive = Instant::now();
        loop {
            if let Ok(Complete { memory, bytes, .. }) = said.recv_timeout(TURN) {
                let (head, body) = Head::open(&memory[..bytes]).map_err(JobError::failed)?;
                match head.kind {
                    Kind::Begin => {
                        if let Some((terms, lanes)) = pipeline.take() {
                            let buffer = head.place.min(1 << 32) as usize;
                            let lanes = (lanes, Via::default());
                            let end =
                                sending(terms, lanes, rate, buffer).map_err(JobError::failed)?;
                            let tell = tell.clone();
                            scope.spawn(move || {
                                let pushed = catching(|| push(end, feed, liveness, stop, shown));
                                tell.send(pushed)
                            });
                            shared.update(|out| out.feed = Some(Arc::clone(&handle)));
                        }
                    }
                    Kind::Done => {
                        // It sees that this has come, or waits for that a while.
                        let _ = give.send(memory);
                        let left = Instant::now();
                        while !answers.is_finished() && left.elapsed() < LEAVE {
                            std::thread::sleep(Duration::from_millis(2));
                        }
                        return Ok(());
                    }
                    Kind::Failed => {
                        let text = String::from_utf8_lossy(body).escape_debug().to_string();
                        return Err(JobError::Failed(format!(
                            "the receiver cannot go on: {text}"
                        )));
                    }
                    _ => {}
                }
                let _ = give.send(memory);
            }
            // All has arrived where a pipeline has ended well: the receiver will say so.
            if let Ok(Err(error)) = told.try_recv() {
                return Err(JobError::failed(error));
            }
            if liveness.silence() > PATIENCE {
                let seconds = PATIENCE.as_secs();
                return Err(JobError::Failed(format!(
                    "the receiver has gone: silent for {seconds} s"
                )));
            }
            if shared.stopped() {
                let word = Head::of(Kind::Failed).chunk(b"it was cancelled");
                feed.leave(word);
                let _ = told.recv_timeout(LEAVE);
                return Err(JobError::Cancelled);
            }
            feed.keep_alive(&mut alive);
        }
    })
}

/// A piece that was received: the bytes behind the head of its chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece(Vec<u8>);

impl Piece {
    /// Its memory, and the place in it where the bytes begin.
    #[must_use]
    pub fn into_parts(self) -> (Vec<u8>, usize) {
        (self.0, HEAD)
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.0[HEAD..]
    }
}

/// What an [`Inlet`] has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Got {
    /// The next piece.
    Piece(Piece),
    /// Nothing yet.
    Nothing,
    /// That was all.
    End,
}

#[derive(Default)]
struct In {
    code: Option<Code>,
    pieces: VecDeque<Piece>,
    /// There are no others.
    whole: bool,
    /// For each piece that is taken the receiver gets new memory, and credit with it.
    credit: Option<Return>,
}

/// Receives pieces of memory of one sender. Dropping it cancels it.
pub struct Inlet {
    shared: Arc<Task<In>>,
    local: SocketAddr,
}

impl Inlet {
    /// Waits for a sender at an address.
    ///
    /// # Errors
    /// The address cannot be had.
    pub fn open(
        network: impl Network + 'static,
        local: SocketAddr,
        admit: Admit,
    ) -> Result<Self, JobError> {
        let shared = Task::new(In::default());
        let show = Arc::clone(&shared);
        let admission = admit.admission(move |code| show.update(|it| it.code = Some(code)));
        let mut listener = Listener::open(&network, local, admission).map_err(JobError::failed)?;
        let local = listener.local();
        shared.start("memory", move |shared| receive_all(&mut listener, shared))?;
        Ok(Inlet { shared, local })
    }

    /// Where it waits, with the port that it has got.
    #[must_use]
    pub fn local(&self) -> SocketAddr {
        self.local
    }

    /// The code that a sender has to know, if there is one within `timeout`.
    #[must_use]
    pub fn code(&self, timeout: Duration) -> Option<Code> {
        let found = self.shared.wait(timeout, |it| it.code.clone());
        found.unwrap_or_default()
    }

    /// The next piece, if it arrives within `timeout`.
    ///
    /// # Errors
    /// How it has ended; pieces that have arrived come before.
    pub fn recv(&self, timeout: Duration) -> Result<Got, JobError> {
        let take = |it: &mut In| {
            let Some(piece) = it.pieces.pop_front() else {
                return it.whole.then_some(Got::End);
            };
            if let Some(credit) = &it.credit {
                credit.give_back(vec![0; credit.chunk_bytes]);
            }
            Some(Got::Piece(piece))
        };
        match self.shared.wait(timeout, take) {
            Ok(got) => Ok(got.unwrap_or(Got::Nothing)),
            Err(end) => ended(end, Got::End, Got::Nothing),
        }
    }

    /// Ends it soon, from any thread.
    pub fn cancel(&self) {
        self.shared.cancel();
    }
}

impl Drop for Inlet {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Pieces that have arrived, until they are in order.
#[derive(Default)]
struct Sequence {
    waiting: BTreeMap<u64, Piece>,
    next: u64,
    count: Option<u64>,
}

fn receive_all(listener: &mut Listener, shared: &Task<In>) -> Result<(), JobError> {
    let link = loop {
        if shared.stopped() {
            return Err(JobError::Cancelled);
        }
        let came = listener.poll(None, Duration::from_millis(50));
        if let Some(link) = came.map_err(JobError::failed)? {
            break link;
        }
    };
    receive_over(link, listener, shared)
}

fn receive_over(link: Link, listener: &mut Listener, task: &Task<In>) -> Result<(), JobError> {
    let terms = link.agreed.handshake().terms;
    if terms.arrangement.pipelines(link.agreed.lanes()).0 != 1 {
        return Err(JobError::failed(
            "the sender's arrangement is 'stable': accepted is 'low-latency'",
        ));
    }
    let manners = Manners {
        replaceable: false,
        leave: LEAVE,
    };
    let served = serve(link, listener, manners, |threads, shared, listener, _| {
        take_all(threads, shared, listener, task)
    });
    match served.map_err(JobError::failed)?.fault {
        None => Ok(()),
        Some(_) if task.stopped() => Err(JobError::Cancelled),
        Some(Fault::Lost(why)) => Err(JobError::Failed(format!("the sender has gone: {why}"))),
        Some(fault) => Err(JobError::failed(fault)),
    }
}

/// Takes pieces until all are there; else why they are not.
fn take_all(
    threads: &Threads<'_>,
    shared: &Shared,
    listener: &mut Listener,
    task: &Task<In>,
) -> Result<(), Fault> {
    let back = &threads.returns[0];
    task.update(|it| it.credit = Some(back.clone()));
    let mut sequence = Sequence::default();
    while sequence.count != Some(sequence.next) {
        if let Ok((_, chunk)) = threads.chunks.recv_timeout(TURN)
            && let Some(memory) = sequence.take(chunk.memory, chunk.bytes, task)?
        {
            back.give_back(memory);
        }
        threads.look(shared, listener)?;
        if task.stopped() {
            return Err(Fault::failed(&JobError::Cancelled));
        }
    }
    task.update(|it| it.whole = true);
    Ok(())
}

impl Sequence {
    /// Takes a chunk; memory that nobody needs any more comes back.
    fn take(
        &mut self,
        mut memory: Vec<u8>,
        bytes: usize,
        shared: &Task<In>,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let head = Head::open(&memory[..bytes]);
        let (head, body) = head.map_err(|error| Fault::failed(&error))?;
        match head.kind {
            Kind::Alive => {}
            Kind::Last => self.count = Some(head.place),
            Kind::Failed => {
                let text = String::from_utf8_lossy(body).escape_debug().to_string();
                return Err(Fault::Failed(format!("the sender: {text}")));
            }
            Kind::Memory => {
                memory.truncate(bytes);
                self.waiting.insert(head.place, Piece(memory));
                while let Some(piece) = self.waiting.remove(&self.next) {
                    self.next += 1;
                    shared.update(|it| it.pieces.push_back(piece));
                }
                return Ok(None);
            }
            kind => {
                return Err(Fault::Failed(format!(
                    "{kind:?} is not for a receiver of memory: accepted is a sender of it"
                )));
            }
        }
        Ok(Some(memory))
    }
}
