// SPDX-License-Identifier: Apache-2.0
//! Memory to memory: both ends in this process, a thread each for every pipeline, over UDP or TCP
//! on the loopback interface.

mod staged;

use crate::end::{ReceiveEnd, SendEnd};
use crate::stages::{self, PLANNED, Threads};
use crate::transfer::pipe::{Chunks, Liveness, pull, push};
use parking_lot::Mutex;
use ropewalk_io::lane::tcp::{TcpLane, TcpListener};
use ropewalk_io::lane::udp::{Options, UdpLane, UdpListener};
use ropewalk_io::lane::{Kind, Lane, LaneError};
use ropewalk_io::measure::cpu;
use ropewalk_stripes::{Failure, GraphError, Snapshot};
pub use ropewalk_wire::chunk::handshake::Arrangement;
use ropewalk_wire::chunk::seal::SessionKey;
use ropewalk_wire::chunk::{
    Complete, Mended, Pace, ParamError, Params, Receiver, ReceiverSettings, Sender, SenderCounters,
    SenderSettings, Session, Tag,
};
use ropewalk_wire::event;
use std::cell::RefCell;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Sizes; the lanes are those of all pipelines together.
    pub params: Params,
    /// How the lanes are used.
    pub arrangement: Arrangement,
    /// From the first chunk of a pipeline on, which is sent in any case.
    pub time: Duration,
    /// Share of sub-packets that the receiver takes for damaged.
    pub drop: f64,
    /// How the rate of each lane is set; a stream sets its own where it is to be found.
    pub pace: Pace,
    /// How the stages share threads on the runtime; none: both ends as they are, a thread each.
    pub threads: Option<Threads>,
}

/// What was measured.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// Bytes of chunks that arrived.
    pub bytes: u64,
    /// From the first chunk offered to the last delivered.
    pub seconds: f64,
    /// Processor time of this process meanwhile, the kernel's included.
    pub cpu_seconds: f64,
    /// From the offer of each chunk to its delivery, in rising order.
    pub latencies: Vec<Duration>,
    /// Sums over all pipelines.
    pub sender: SenderCounters,
    /// Sub-packets that were to arrive.
    pub expected: u64,
    /// What was mended.
    pub mended: Mended,
    /// Sub-packets that never arrived, restored from parity.
    pub restored: u64,
    /// Datagrams, or several of them as one, that the system lost because a buffer was full.
    pub drops: u64,
    /// Chunks that differ from what was sent.
    pub wrong: u64,
    /// What ran: the stages on the runtime and their threads; none where both ends were as they
    /// are.
    pub ran: Option<Snapshot>,
}

impl Figures {
    /// Bits of chunks per second, in units of 1e9.
    #[must_use]
    pub fn gbps(&self) -> f64 {
        self.bytes as f64 * 8e-9 / self.seconds.max(1e-9)
    }

    /// Processor time for 1e9 bytes.
    #[must_use]
    pub fn cpu_s_per_gb(&self) -> f64 {
        self.cpu_seconds / (self.bytes as f64 * 1e-9).max(1e-9)
    }

    /// Latency that `percent` percent of the chunks do not exceed.
    #[must_use]
    pub fn latency(&self, percent: usize) -> Duration {
        let last = self.latencies.len().saturating_sub(1);
        self.latencies
            .get((self.latencies.len() * percent / 100).min(last))
            .copied()
            .unwrap_or_default()
    }

    /// Items per second that one of each stage of a plan takes while it works, in the order and the
    /// units of [`PLANNED`]; none where the stages did not run on the runtime, or one did nothing.
    #[must_use]
    pub fn capabilities(&self) -> [Option<f64>; PLANNED.len()] {
        PLANNED.each_ref().map(|stage| {
            let ran = self.ran.as_ref()?;
            let items = match stage.stage {
                // A plan has one answer for each chunk; what comes in between is part of it.
                "generator" | "ack-processor" => self.latencies.len() as u64,
                _ => self.sender.sub_packets + self.sender.resent,
            };
            let busy = stage.busy_ns(ran);
            (busy > 0 && items > 0).then(|| items as f64 * 1e9 / busy as f64)
        })
    }
}

/// Why nothing was measured.
#[derive(Debug, Error)]
pub enum PerfError {
    /// Sizes out of range.
    #[error(transparent)]
    Params(#[from] ParamError),
    /// A lane cannot be opened.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// A lane failed.
    #[error("a lane failed: {0}")]
    Io(#[from] io::Error),
    /// The stages do not fit together.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A stage has failed.
    #[error(transparent)]
    Stage(#[from] Failure),
    /// A plan that cannot be run.
    #[error(transparent)]
    Plan(#[from] stages::Unmapped),
    /// Nothing moves any more.
    #[error("nothing has arrived for {0:?}")]
    Stalled(Duration),
}

/// Nothing arrives for so long: something is wrong.
const PATIENCE: Duration = Duration::from_secs(20);

/// Both ends of a lane.
pub type Pair = (Box<dyn Lane>, Box<dyn Lane>);

/// Both ends of a lane over the loopback interface.
///
/// # Errors
/// It cannot be opened.
pub fn pair() -> Result<Pair, PerfError> {
    let loopback = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let options = Options {
        local: Some(loopback),
        ..Options::default()
    };
    let mut listener = UdpListener::bind(&options)?;
    let mut near = UdpLane::connect(listener.local(), &options)?;
    near.send(&[io::IoSlice::new(b"hello")], 5)?;
    let begun = Instant::now();
    let mut path = None;
    while path.is_none() && begun.elapsed() < PATIENCE {
        listener.receive_from(&mut |from, _| path = Some(from))?;
    }
    let far = listener.lane(path.ok_or(PerfError::Stalled(PATIENCE))?)?;
    Ok((Box::new(near), Box::new(far)))
}

/// Both ends of a lane over TCP on the loopback interface.
///
/// # Errors
/// It cannot be opened.
pub fn pair_tcp() -> Result<Pair, PerfError> {
    let mut listener = TcpListener::bind(([127, 0, 0, 1], 0).into())?;
    let mut near = TcpLane::connect(None, listener.local())?;
    let (begun, mut sent, mut path) = (Instant::now(), false, None);
    while path.is_none() && begun.elapsed() < PATIENCE {
        sent = sent || near.send(&[io::IoSlice::new(b"hello")], 5)?;
        listener.receive_from(&mut |from, _| path = Some(from));
    }
    let far = listener.lane(path.ok_or(PerfError::Stalled(PATIENCE))?)?;
    Ok((Box::new(near), Box::new(far)))
}

/// Sends chunks for the time asked for, and waits until all have arrived.
///
/// # Errors
/// Sizes out of range, no lanes, or nothing moves.
pub fn run(settings: &Settings) -> Result<Figures, PerfError> {
    run_over(settings, &mut pair)
}

/// The same over lanes that `pair` makes.
///
/// # Errors
/// As [`run`].
pub fn run_over(
    settings: &Settings,
    pair: &mut dyn FnMut() -> Result<Pair, PerfError>,
) -> Result<Figures, PerfError> {
    let (params, ends) = open(settings, pair)?;
    if let Some(threads) = settings.threads {
        let (pipelines, lanes) = (ends.len() as u8, params.lanes);
        let placement = stages::placement(threads, pipelines, lanes, staged::NEAR, staged::FAR);
        return staged::run(settings, params, ends, &placement);
    }
    event!(
        INFO,
        pipelines = ends.len(),
        "placement: a thread for each pipeline"
    );
    let mut pipelines = Vec::new();
    for (number, pairs) in ends {
        pipelines.push(Pipeline::new(settings, params, number, pairs)?);
    }
    let begun = Instant::now();
    let used = cpu();
    let results: Vec<Result<Figures, PerfError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = pipelines
            .into_iter()
            .map(|pipeline| scope.spawn(|| pipeline.run(settings.time)))
            .collect();
        threads
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    let mut sum = Figures {
        seconds: begun.elapsed().as_secs_f64(),
        cpu_seconds: cpu() - used,
        ..Figures::default()
    };
    for result in results {
        let one = result?;
        sum.bytes += one.bytes;
        sum.latencies.extend(one.latencies);
        sum.drops += one.drops;
        sum.wrong += one.wrong;
        sum.expected += one.expected;
        sum.mended.add(one.mended);
        sum.restored += one.restored;
        sum.sender.add(&one.sender);
    }
    sum.latencies.sort_unstable();
    Ok(sum)
}

/// The same as stages on the runtime, on the threads that a plan maps, which stay on these cores of
/// the machine ([`stages::mapped()`]); [`Settings::threads`] is not looked at.
///
/// # Errors
/// As [`run`], or the plan cannot be run.
pub fn run_mapped(
    settings: &Settings,
    plan: stages::Ends<'_>,
    on: &[usize],
) -> Result<Figures, PerfError> {
    let (params, ends) = open(settings, &mut pair)?;
    let (pipelines, lanes) = (ends.len() as u8, params.lanes);
    let placement = stages::mapped(plan, pipelines, lanes, on, staged::NEAR, staged::FAR)?;
    staged::run(settings, params, ends, &placement)
}

/// Both ends of the lanes of a pipeline, with its number.
type Lanes = (u8, Vec<Pair>);

/// Sizes of a pipeline, and the lanes of all of them.
fn open(
    settings: &Settings,
    pair: &mut dyn FnMut() -> Result<Pair, PerfError>,
) -> Result<(Params, Vec<Lanes>), PerfError> {
    settings.params.check()?;
    let lanes = settings.params.lanes;
    let (pipelines, each) = settings.arrangement.pipelines(lanes);
    let params = Params {
        lanes: each,
        ..settings.params
    };
    let mut ends = Vec::new();
    for number in 0..pipelines {
        let pairs = (0..each).map(|_| pair()).collect::<Result<Vec<_>, _>>()?;
        ends.push((number, pairs));
    }
    Ok((params, ends))
}

/// Whether no chunk is to follow those that were offered. The clock starts with the first one: a
/// thread may start late, and measures nothing without a chunk.
fn is_over(offered: &[Instant], time: Duration) -> bool {
    offered.first().is_some_and(|first| first.elapsed() >= time)
}

/// What protects the frames of one end of a pipeline. Both ends are in this process, and each
/// takes its own.
fn session(number: u8, sealed: bool) -> Session {
    let session = 0x726f_7065 << 32 | u64::from(number);
    if sealed {
        return Session::sealed(session, SessionKey::new(b"walk", &[number]));
    }
    Session::checked(Tag {
        session,
        secret: 0x7761_6c6b,
    })
}

/// Memory of chunks. All of it is written, so that the system has given it before the measurement
/// begins.
fn memory(params: Params, chunks: u16) -> Vec<Vec<u8>> {
    let chunk = |_| (0..params.chunk_bytes()).map(|at| (at * 7) as u8).collect();
    (0..chunks).map(chunk).collect()
}

/// A word that tells of which chunk of which pipeline memory is.
fn mark(number: u8, chunk: u32) -> [u8; 8] {
    (u64::from(number) << 32 | u64::from(chunk))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .to_le_bytes()
}

/// Writes the mark at the start and the end of a chunk.
fn stamp(memory: &mut [u8], mark: [u8; 8]) {
    memory[..8].copy_from_slice(&mark);
    let end = memory.len() - 8;
    memory[end..].copy_from_slice(&mark);
}

/// Both ends of a pipeline with the memory of the sender.
struct Pipeline {
    params: Params,
    number: u8,
    out: SendEnd<Vec<u8>>,
    spare: Vec<Vec<u8>>,
    into: ReceiveEnd<Vec<u8>>,
}

impl Pipeline {
    fn new(
        settings: &Settings,
        params: Params,
        number: u8,
        pairs: Vec<Pair>,
    ) -> Result<Self, PerfError> {
        let (near, far): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let session = || session(number, params.sealed);
        let pace = match (settings.pace, near[0].kind()) {
            // What a stream takes is its rate already.
            (Pace::Found, Kind::Stream) => Pace::Free,
            (pace, _) => pace,
        };
        let send = SenderSettings {
            pace,
            buffer: far[0].buffer(),
            ..SenderSettings::default()
        };
        let sender = Sender::new(params, session(), send, Duration::ZERO)?;
        let chunks = memory(params, params.chunks);
        let mut receiver = Receiver::new(params, session(), ReceiverSettings::default(), chunks)?;
        receiver.discard(settings.drop, u64::from(number));
        Ok(Pipeline {
            params,
            number,
            out: SendEnd::new(sender, near),
            spare: memory(params, params.chunks),
            into: ReceiveEnd::new(receiver, far),
        })
    }

    /// Sends for so long, and waits until all has arrived. The ends are moved as those of a
    /// transfer are.
    fn run(self, time: Duration) -> Result<Figures, PerfError> {
        let Pipeline {
            params,
            number,
            out,
            spare,
            into,
        } = self;
        let mut offer = Offer {
            number,
            spare,
            time,
            offered: Vec::new(),
        };
        let (stop, liveness, shown) = (AtomicBool::new(false), Liveness::new(), Mutex::default());
        let (give, given) = mpsc::channel();
        let (sent, taken) = std::thread::scope(|scope| {
            let (stop, liveness) = (&stop, &*liveness);
            let end = |failed: bool| stop.fetch_or(failed, Ordering::Relaxed);
            let taking = scope.spawn(move || {
                let (taken, mut stalled) = (RefCell::new(Taken::default()), Stalled::new());
                let mut take = |complete: Complete<Vec<u8>>| {
                    let whole = Some(&complete.memory[..complete.bytes]);
                    taken.borrow_mut().take(number, complete.chunk, whole);
                    give.send(complete.memory).is_ok()
                };
                let mut look = |_: &_| {
                    end(stalled.look(taken.borrow().times.len()));
                };
                let pulled = pull(into, &mut take, &given, &mut look, liveness, stop);
                end(pulled.is_err());
                pulled.map(|pulled| (pulled, taken.into_inner()))
            });
            let sent = push(out, &mut offer, liveness, stop, &shown);
            end(sent.is_err());
            let taken = taking.join();
            let taken = taken.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (sent, taken)
        });
        sent?;
        let (pulled, taken) = taken?;
        if stop.into_inner() {
            return Err(PerfError::Stalled(PATIENCE));
        }
        let sender = shown.lock().counters;
        Ok(Figures {
            bytes: taken.bytes,
            wrong: taken.wrong,
            latencies: taken.latencies(&offer.offered),
            expected: offer.offered.len() as u64 * u64::from(params.per_chunk),
            sender,
            drops: pulled.drops,
            mended: pulled.counters.mended,
            restored: pulled.counters.restored,
            ..Figures::default()
        })
    }
}

/// Offers chunks for so long.
struct Offer {
    number: u8,
    spare: Vec<Vec<u8>>,
    time: Duration,
    offered: Vec<Instant>,
}

impl Chunks for &mut Offer {
    fn take(&mut self) -> Result<(Vec<u8>, usize), bool> {
        if is_over(&self.offered, self.time) {
            return Err(true);
        }
        let mut chunk = self.spare.pop().ok_or(false)?;
        stamp(&mut chunk, mark(self.number, self.offered.len() as u32));
        self.offered.push(Instant::now());
        let bytes = chunk.len();
        Ok((chunk, bytes))
    }

    fn give_back(&mut self, memory: Vec<u8>) {
        self.spare.push(memory);
    }
}

/// Notices that no more chunks arrive.
struct Stalled {
    count: usize,
    since: Instant,
}

impl Stalled {
    fn new() -> Self {
        Stalled {
            count: 0,
            since: Instant::now(),
        }
    }

    /// Whether none has arrived for too long; `count` have so far.
    fn look(&mut self, count: usize) -> bool {
        if count != self.count {
            (self.count, self.since) = (count, Instant::now());
        }
        self.since.elapsed() > PATIENCE
    }
}

/// What of a pipeline has arrived.
#[derive(Default)]
struct Taken {
    bytes: u64,
    wrong: u64,
    times: Vec<Instant>,
}

impl Taken {
    /// Looks at a chunk of pipeline `number`.
    fn take(&mut self, number: u8, chunk: u32, whole: Option<&[u8]>) {
        let mark = mark(number, chunk);
        let right =
            whole.is_some_and(|whole| whole[..8] == mark && whole[whole.len() - 8..] == mark);
        self.wrong += u64::from(!right);
        self.bytes += whole.map_or(0, |whole| whole.len() as u64);
        self.times.push(Instant::now());
    }

    /// Chunks of one pipeline may be complete out of order: each latency is from the n-th offer to
    /// the n-th completion.
    fn latencies(&self, offered: &[Instant]) -> Vec<Duration> {
        let pairs = offered.iter().zip(&self.times);
        let latency = |(offer, time): (&Instant, &Instant)| time.saturating_duration_since(*offer);
        pairs.map(latency).collect()
    }
}

#[cfg(test)]
mod tests;
