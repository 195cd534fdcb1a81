// SPDX-License-Identifier: Apache-2.0
//! The receiving side of a transfer: writes what comes, tells what it has, compares.
//!
//! | module | what |
//! |---|---|
//! | `session` | one sender from its first word to its last: the threads, and the one that writes |
//! | `group` | small files, which become safe in groups |
//! | `list`, `recall` | the list of files; what of them is there, and whether there is room |
//! | `older` | older files that have some of what is to come |
//! | `write` | what becomes of every chunk |

mod group;
mod list;
mod older;
mod recall;
mod session;
mod write;

use super::Loss;
use super::arrivals::Arrivals;
use super::listener::Listener;
use super::pipe::has_panicked;
use super::start::StartError;
use super::tree::Tree;
use ropewalk_wire::chunk::Mended;
use session::session;
use std::fmt::Display;
use std::io;
use std::time::Duration;
use write::Writer;

/// What a transfer has brought.
#[derive(Debug, Clone, Default)]
pub struct Received {
    /// Files that are in place now.
    pub files: u64,
    /// Bytes of blocks that were written.
    pub bytes: u64,
    /// Bytes that were there already, and were read and hashed.
    pub compared: u64,
    /// From its beginning to its end.
    pub seconds: f64,
    /// Datagrams, or several of them as one, that the system lost because a buffer was full.
    pub drops: u64,
    /// What parity within sub-packets has mended.
    pub mended: Mended,
    /// Sub-packets that never arrived, restored from parity over them.
    pub restored: u64,
    /// What each lane has brought.
    pub lanes: Vec<Arrivals>,
    /// Why it did not end well; none: all is in place.
    pub failure: Option<Fault>,
    /// What is not as it could be.
    pub notes: Vec<String>,
}

/// Why a transfer did not end well.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The sender has gone; it may come again.
    #[error("the sender has gone: {0}; what has arrived is kept for the next time")]
    Lost(Loss),
    /// It cannot go on.
    #[error("{0}")]
    Failed(String),
    /// The sender was interrupted, as it says; it may come again.
    #[error("the sender: {0}; what has arrived is kept for the next time")]
    Left(String),
    /// The sender cannot go on, as it says.
    #[error("the sender cannot go on: {0}; what has arrived is kept for the next time")]
    GivenUp(String),
    /// Told to stop.
    #[error("interrupted; what has arrived is kept for the next time")]
    Stopped,
}

impl Fault {
    pub(super) fn failed(what: &dyn Display) -> Self {
        Fault::Failed(what.to_string())
    }

    /// What a thread has ended with.
    pub(super) fn of_thread(which: &'static str, error: &io::Error) -> Self {
        if has_panicked(error) {
            Fault::Failed(error.to_string())
        } else {
            Fault::Lost(Loss::of_thread(which, error))
        }
    }
}

/// Waits for a sender and takes what it brings; none if told to stop before one came.
///
/// # Errors
/// The port is gone for good.
pub fn receive(
    listener: &mut Listener,
    tree: &Tree,
    watch: &mut dyn FnMut(&Received),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Received>, StartError> {
    while !stop() {
        if let Some(link) = listener.poll(None, Duration::from_millis(50))? {
            return session(listener, tree, link, watch, stop).map(Some);
        }
    }
    Ok(None)
}

/// Writes chunks as they come, as a session does: what fuzzing begins with. True if everything is
/// in place.
///
/// # Errors
/// Why they cannot be of a transfer.
pub fn take_all<'a>(
    tree: &Tree,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Result<bool, Fault> {
    let mut received = Received::default();
    let mut writer = Writer::new(tree, &|_, _| {}, &|_| true, &mut received);
    for chunk in chunks {
        if writer.take(chunk)? {
            return Ok(true);
        }
    }
    writer.note()?;
    Ok(false)
}
