// SPDX-License-Identifier: Apache-2.0
//! What runs on a thread of its own while others look at it, wait for it within a limit, and cancel
//! it.

use super::job::JobError;
use super::pipe::catching;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a user and the thread of a task share.
pub(super) struct Task<T> {
    stop: AtomicBool,
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    end: Option<Result<(), JobError>>,
    with: T,
}

impl<T: Send + 'static> Task<T> {
    /// It has not begun.
    pub fn new(with: T) -> Arc<Self> {
        Arc::new(Task {
            stop: AtomicBool::new(false),
            state: Mutex::new(State { end: None, with }),
            changed: Condvar::new(),
        })
    }

    /// Changes what it shows.
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.state.lock().with);
        self.changed.notify_all();
        result
    }

    /// What it shows.
    pub fn look<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.state.lock().with)
    }

    /// How it has ended, if it has.
    pub fn end(&self) -> Option<Result<(), JobError>> {
        self.state.lock().end.clone()
    }

    /// Ends it soon, from any thread.
    pub fn cancel(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// What is found before the end or within `timeout`; else how it has ended, if it has.
    pub fn wait<R>(
        &self,
        timeout: Duration,
        mut find: impl FnMut(&mut T) -> Option<R>,
    ) -> Result<Option<R>, Option<Result<(), JobError>>> {
        let begun = Instant::now();
        let mut state = self.state.lock();
        loop {
            if let Some(found) = find(&mut state.with) {
                return Ok(Some(found));
            }
            let left = timeout.saturating_sub(begun.elapsed());
            if state.end.is_some() || left.is_zero() {
                return Err(state.end.clone());
            }
            self.changed.wait_for(&mut state, left);
        }
    }

    /// Whether it is to end.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs it on a thread, and keeps how it ends.
    pub fn start(
        self: &Arc<Self>,
        name: &str,
        work: impl FnOnce(&Self) -> Result<(), JobError> + Send + 'static,
    ) -> Result<(), JobError> {
        let task = Arc::clone(self);
        let thread = std::thread::Builder::new().name(name.to_owned());
        let started = thread.spawn(move || {
            let done = catching(|| Ok(work(&task)));
            let done = done.unwrap_or_else(|panic| Err(JobError::failed(panic)));
            task.state.lock().end = Some(done);
            task.changed.notify_all();
        });
        started.map(drop).map_err(JobError::failed)
    }
}
