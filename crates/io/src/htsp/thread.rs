// SPDX-License-Identifier: Apache-2.0
//! The thread of an end of a link, and what the owner of the end sees of it.

use super::driver::Fault;
use super::host::Stats;
use crate::link::Waker;
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// How long an end that closes goes on with headers: a loss at the very end shows, and the peer is
/// paused.
pub(super) const LINGER: Duration = Duration::from_millis(20);

/// A waker that can be shown.
#[derive(Clone)]
pub(super) struct Sounder(Waker);

impl Sounder {
    pub(super) fn new(waker: Waker) -> Self {
        Sounder(waker)
    }

    pub(super) fn wake(&self) {
        (self.0)();
    }
}

impl fmt::Debug for Sounder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Waker")
    }
}

/// Counters that the thread makes known now and then.
#[derive(Debug, Clone, Default)]
pub(super) struct Known(Arc<Mutex<Stats>>);

impl Known {
    pub(super) fn set(&self, stats: Stats) {
        *self.0.lock() = stats;
    }

    pub(super) fn get(&self) -> Stats {
        let stats = self.0.lock();
        stats.clone()
    }
}

/// A thread, which is waited for where this is dropped: its owner has requested its end by then.
#[derive(Debug)]
pub(super) struct Thread(Option<JoinHandle<Result<(), Fault>>>);

impl Thread {
    pub(super) fn start(
        name: &str,
        work: impl FnOnce() -> Result<(), Fault> + Send + 'static,
    ) -> Result<Self, Fault> {
        let thread = std::thread::Builder::new().name(name.to_owned());
        Ok(Self(Some(thread.spawn(work).map_err(Fault::Link)?)))
    }

    pub(super) fn is_running(&self) -> bool {
        self.0.as_ref().is_some_and(|it| !it.is_finished())
    }

    /// Waits for its end, which has been requested; why it had stopped before.
    pub(super) fn join(&mut self) -> Result<(), Fault> {
        match self.0.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(done)) => done,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // It has nobody left to report to.
            let _ = thread.join();
        }
    }
}
