// SPDX-License-Identifier: Apache-2.0
//! The sending side of a transfer: reads, compares with what the receiver has, sends.
//!
//! | module | what |
//! |---|---|
//! | `attempt` | one attempt: the threads, and the one that decides |
//! | `read` | the thread that reads files |
//! | `pack` | small files, many of them in a chunk |
//! | `claims` | what the receiver has already |
//! | `progress` | how far it is, and what has held it up |

mod attempt;
mod claims;
mod pack;
mod progress;
mod read;

pub use progress::{Phases, Progress};

use super::manifest::ManifestError;
use super::pipe::has_panicked;
use super::source::Selection;
use super::start::StartError;
use super::{Arrangement, Loss, Via};
use progress::{Clock, Phase};
use ropewalk_io::lane::network::Network;
use ropewalk_wire::chunk::Fec;
use ropewalk_wire::chunk::handshake::{Credentials, Failure, Refusal};
use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use thiserror::Error;

/// How to send.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Own address, if it matters, and that of the receiver, of each lane.
    pub lanes: Vec<(Option<SocketAddr>, SocketAddr)>,
    /// Over which kind of lanes data goes. With another kind than datagrams each of the lanes above
    /// is one of either kind, and the arrangement is [`Arrangement::LowLatency`].
    pub via: Via,
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
    /// Send of a file only what an older one at the receiver has not.
    pub delta: bool,
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
    Lost(Loss),
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
    Stream(Loss),
    /// Told to stop.
    #[error("interrupted; what has arrived is kept for the next time")]
    Stopped,
    /// All that was to be known is known, as the receiver hears.
    #[error("it only wanted to know what is there")]
    Asked,
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
        if has_panicked(error) {
            SendError::Internal(error.to_string())
        } else {
            SendError::Lost(Loss::of_thread("a lane", error))
        }
    }

    /// What the receiver says is not of the protocol.
    fn of_protocol(error: impl Display) -> Self {
        SendError::Protocol(error.to_string())
    }
}

/// Sends files, directories or standard input; begins anew when the receiver is lost, until that
/// has been in vain for too long.
///
/// # Errors
/// Why not all of it is there.
pub fn send(
    network: &dyn Network,
    settings: &Settings,
    selection: &Selection,
    watch: &mut dyn FnMut(&Progress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Progress, SendError> {
    Transfer::new(network, settings, watch, stop).run(selection, Aim::Send)
}

/// Finds out what the receiver has of it already, which the progress says that is returned; nothing
/// is sent but the list, and nothing changes at the receiver.
///
/// # Errors
/// The receiver cannot be asked, or would refuse.
pub fn ask(
    network: &dyn Network,
    settings: &Settings,
    selection: &Selection,
    watch: &mut dyn FnMut(&Progress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Progress, SendError> {
    Transfer::new(network, settings, watch, stop).run(selection, Aim::Ask)
}

/// What a transfer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    Send,
    /// To know what the receiver has.
    Ask,
}

/// What outlives an attempt.
struct Transfer<'a> {
    network: &'a dyn Network,
    settings: &'a Settings,
    watch: &'a mut dyn FnMut(&Progress),
    stop: &'a (dyn Fn() -> bool + Sync),
    /// How this end proves who it is the next time.
    credentials: Credentials,
    patience: Patience,
    clock: Clock,
    progress: Progress,
}

impl<'a> Transfer<'a> {
    fn new(
        network: &'a dyn Network,
        settings: &'a Settings,
        watch: &'a mut dyn FnMut(&Progress),
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        Transfer {
            network,
            settings,
            watch,
            stop,
            credentials: settings.credentials.clone(),
            patience: Patience::new(settings.timeout),
            clock: Clock::default(),
            progress: Progress::default(),
        }
    }

    /// One attempt after the other.
    fn run(mut self, selection: &Selection, aim: Aim) -> Result<Progress, SendError> {
        // Nobody is looked for in vain.
        selection.check()?;
        loop {
            let why = match self.attempt(selection, aim) {
                Ok(()) => return Ok(self.progress),
                Err(SendError::Lost(why)) => why,
                Err(SendError::Start(StartError::Refused(Failure::Refused(
                    Refusal::Proof | Refusal::Key,
                )))) if self.progress.broken > 0 => return Err(SendError::Anew),
                Err(error) => return Err(error),
            };
            if aim == Aim::Send && selection.has_stream() {
                return Err(SendError::Stream(why));
            }
            if self.patience.left().is_zero() {
                return Err(SendError::Lost(why));
            }
            self.progress.broken += 1;
        }
    }

    /// The next phase of an attempt begins.
    fn enter(&mut self, phase: Phase) {
        self.clock.next(phase, &mut self.progress.phases);
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
}
