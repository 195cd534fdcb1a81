// SPDX-License-Identifier: Apache-2.0
//! A receiver for data takers: batches of bytes that followed each other, what is missing in front
//! of each, and positions that the next run goes on with.
//!
//! ```text
//! raw link -> [ thread: Driver, a Stream for each channel ] -> batches -> Receiver::recv
//!                                                                            | State
//! ```
//!
//! The thread never waits for the user: when all batches wait to be taken, the buffers of the
//! channels fill, and the peer is paused. A channel that is not among those asked for is like one
//! that nobody reads: the peer is paused there.

use super::driver::{Driver, Fault, Settings};
use super::host::Stats;
use super::state::{State, StateError};
use super::stream::{Batch, Gap, Stream};
use super::thread::{Known, LINGER, Sounder, Thread};
use crate::link::RawLink;
use ropewalk_wire::htsp::Reason;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;
use thiserror::Error;

/// Longest time that the thread sleeps: it cannot hear that a batch was taken.
const SLEEP: Duration = Duration::from_millis(1);
/// Pause while data flows: to be woken for each block of the ring would cost both ends more than
/// the block itself.
const NAP: Duration = Duration::from_micros(200);
/// Time between looks at the counters.
const COUNT: Duration = Duration::from_millis(10);
/// Gaps that are kept for [`Receiver::missing`].
const GAPS: usize = 1 << 20;

/// How a receiver hands over what comes.
#[derive(Debug, Clone)]
pub struct Options {
    /// The channels to receive.
    pub channels: Vec<u8>,
    /// Most bytes of a batch, at least one. A batch has as many unless something is missing behind
    /// it or it has waited for [`Options::delay`].
    pub batch: usize,
    /// Longest time that bytes wait for their batch to become full.
    pub delay: Duration,
    /// Batches that wait to be taken, at least one, beside one of each channel that is being
    /// filled.
    pub batches: usize,
}

impl Default for Options {
    /// All channels, 1 MiB, 10 ms, 16 batches.
    fn default() -> Self {
        Self {
            channels: (0..16).collect(),
            batch: 1 << 20,
            delay: Duration::from_millis(10),
            batches: 16,
        }
    }
}

/// Why nothing more is received, or not this time.
#[derive(Debug, Error)]
pub enum ReceiveError {
    /// The end of the link has stopped.
    #[error("{0}")]
    Link(#[from] Fault),
    /// Positions could not be written. Nothing was handed over; the next call tries again.
    #[error("{0}")]
    State(#[from] StateError),
    /// It had stopped before; the reason was given then.
    #[error("the receiver has stopped")]
    Stopped,
}

/// What the user requests of the thread.
#[derive(Debug, Default)]
struct Requests {
    quiet: AtomicBool,
    stop: AtomicBool,
}

/// A receiver with a thread of its own. Dropping it stops the thread at once.
#[derive(Debug)]
pub struct Receiver {
    thread: Thread,
    requests: Arc<Requests>,
    waker: Sounder,
    batches: mpsc::Receiver<Batch>,
    /// Came, and could not be handed over because its position could not be written.
    held: Option<Batch>,
    state: Option<State>,
    missing: VecDeque<Gap>,
    forgotten: u64,
    stats: Known,
}

impl Receiver {
    /// Starts a receiver on a link. With a state, positions go on where those of the receiver
    /// before ended; without one they begin at 0. The far end is not touched: it hears headers
    /// again, and goes on.
    ///
    /// # Errors
    /// A parameter out of range, or no thread can be had.
    pub fn start<L: RawLink + 'static>(
        link: L,
        settings: &Settings,
        options: &Options,
        state: Option<State>,
    ) -> Result<Self, Fault> {
        let waker = Sounder::new(link.waker());
        let driver = Driver::new(link, settings)?;
        let (hand, batches) = sync_channel(options.batches.max(1));
        let (stats, requests) = (Known::default(), Arc::<Requests>::default());
        let streams = options.channels.iter().map(|&channel| {
            let place = state.as_ref().map(|it| it.place(channel));
            let place = place.unwrap_or_default();
            let reason = match state.as_ref().is_some_and(|it| it.run() > 1) {
                true => Reason::Restarted,
                false => Reason::Started,
            };
            Stream::new(channel, options.batch, place.taken, place.offered, reason)
        });
        let mut work = Work {
            driver,
            streams: streams.collect(),
            delay: options.delay,
            hand,
            requests: Arc::clone(&requests),
            stats: stats.clone(),
        };
        work.count();
        Ok(Self {
            thread: Thread::start("htsp-receiver", move || work.run())?,
            requests,
            waker,
            batches,
            held: None,
            state,
            missing: VecDeque::new(),
            forgotten: 0,
            stats,
        })
    }

    /// The next batch; `None` if none comes for so long. The first one of every channel says that
    /// nothing is known of what was before it, and all others say in front of which bytes something
    /// is missing.
    ///
    /// # Errors
    /// The link has failed, and all that came was handed over; or positions cannot be written.
    pub fn recv(&mut self, timeout: Duration) -> Result<Option<Batch>, ReceiveError> {
        if self.held.is_none() {
            match self.batches.recv_timeout(timeout) {
                Ok(batch) => self.held = Some(batch),
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => {
                    self.stop();
                    self.thread.join()?;
                    return Err(ReceiveError::Stopped);
                }
            }
        }
        if let (Some(state), Some(batch)) = (&mut self.state, &self.held) {
            state.offer(batch.channel, batch.end())?;
        }
        let batch = self.held.take();
        for gap in batch.iter().flat_map(|batch| &batch.missing) {
            if self.missing.len() == GAPS {
                self.missing.pop_front();
                self.forgotten += 1;
            }
            self.missing.push_back(*gap);
        }
        Ok(batch)
    }

    /// All that was handed over so far is taken: the next run need not doubt it.
    ///
    /// # Errors
    /// Positions cannot be written.
    pub fn commit(&mut self) -> Result<(), ReceiveError> {
        match &mut self.state {
            Some(state) => Ok(state.take()?),
            None => Ok(()),
        }
    }

    /// What was missing in all batches so far, oldest first: the last 1048576 places.
    pub fn missing(&self) -> impl Iterator<Item = &Gap> {
        self.missing.iter()
    }

    /// Places that [`Receiver::missing`] no longer has.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// Which run this is by its state; 1 without one.
    #[must_use]
    pub fn run(&self) -> u64 {
        self.state.as_ref().map_or(1, State::run)
    }

    /// Counters, a few milliseconds old.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats.get()
    }

    /// Pauses all channels for a while and stops. What has come and was not handed over is lost;
    /// the next run says so.
    ///
    /// # Errors
    /// Why the thread had stopped before.
    pub fn close(mut self) -> Result<Stats, Fault> {
        if self.thread.is_running() {
            self.requests.quiet.store(true, Ordering::Relaxed);
            self.waker.wake();
            std::thread::sleep(LINGER);
        }
        self.stop();
        self.thread.join()?;
        Ok(self.stats())
    }

    fn stop(&self) {
        self.requests.stop.store(true, Ordering::Relaxed);
        self.waker.wake();
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.stop();
    }
}

/// What the thread has.
struct Work<L: RawLink> {
    driver: Driver<L>,
    streams: Vec<Stream>,
    delay: Duration,
    hand: SyncSender<Batch>,
    requests: Arc<Requests>,
    stats: Known,
}

impl<L: RawLink> Work<L> {
    fn run(mut self) -> Result<(), Fault> {
        let done = self.work();
        self.count();
        done
    }

    fn work(&mut self) -> Result<(), Fault> {
        let (mut count_at, mut flows) = (Duration::ZERO, false);
        while !self.requests.stop.load(Ordering::Relaxed) {
            if self.requests.quiet.load(Ordering::Relaxed) {
                self.driver.quiet();
            }
            let mut moved = self.driver.turn()?;
            // Each of them that reports a loss stands in the streams.
            while self.driver.endpoint().poll_event().is_some() {}
            let now = self.driver.now();
            for stream in &mut self.streams {
                let endpoint = self.driver.endpoint();
                while hand_over(stream, &self.hand)
                    && let Some(arrived) = endpoint.take(stream.channel())
                {
                    stream.put(now, arrived);
                    moved = true;
                }
                if stream.is_drained() {
                    stream.flush(now, self.delay);
                    moved |= !stream.is_drained();
                }
            }
            if now >= count_at {
                count_at = now + COUNT;
                self.count();
            }
            if !moved && flows {
                std::thread::sleep(NAP);
            } else if !moved {
                self.driver.wait(SLEEP)?;
            }
            flows = moved;
        }
        Ok(())
    }

    /// Makes the counters known.
    fn count(&mut self) {
        let channels = Settings::default().channels;
        let stats = Stats::of(&mut self.driver, channels, 0);
        self.stats.set(stats);
    }
}

/// Hands over the batches of a stream that are complete. Whether there was room for all.
fn hand_over(stream: &mut Stream, hand: &SyncSender<Batch>) -> bool {
    while let Some(batch) = stream.pop() {
        match hand.try_send(batch) {
            Ok(()) => {}
            Err(TrySendError::Full(batch) | TrySendError::Disconnected(batch)) => {
                stream.unpop(batch);
                return false;
            }
        }
    }
    true
}
