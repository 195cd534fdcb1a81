// SPDX-License-Identifier: Apache-2.0
//! How a thread of the graph sleeps, is woken, and is kept on its core.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::Thread;
use std::time::{Duration, Instant};

use crate::bell::Bell;
use crate::stage::{Sleeper, Waker};

/// The longest wait in one of several sleepers of a thread.
const SHARE: Duration = Duration::from_micros(100);
/// The longest wait when nothing is due.
const LONG: Duration = Duration::from_secs(3600);
/// The thread sleeps in the runtime.
const PARKED: usize = usize::MAX;

/// What wakes a thread.
pub(crate) struct Alarm {
    bell: Bell,
    /// Of the sleepers of its stages, in order.
    wakers: Vec<Waker>,
    /// In which of them it sleeps, or [`PARKED`].
    place: AtomicUsize,
    /// Set by the thread before it first sleeps.
    thread: OnceLock<Thread>,
}

impl Alarm {
    pub(crate) fn new(wakers: Vec<Waker>) -> Self {
        Self {
            bell: Bell::new(),
            wakers,
            place: AtomicUsize::new(PARKED),
            thread: OnceLock::new(),
        }
    }

    /// Begins the work of the thread that calls.
    pub(crate) fn adopt(&self) {
        let _ = self.thread.set(std::thread::current());
    }

    /// The thread is about to sleep, in this sleeper or else in the runtime, and has to look at
    /// everything once more.
    pub(crate) fn announce(&self, sleeper: Option<usize>) {
        self.place.store(sleeper.unwrap_or(PARKED), Relaxed);
        self.bell.announce();
    }

    /// The thread does not sleep after all.
    pub(crate) fn cancel(&self) {
        self.bell.cancel();
    }

    /// Sleeps until somebody rings, or until then; `shared`: other sleepers of this thread wait for
    /// their turn.
    pub(crate) fn sleep(
        &self,
        sleeper: Option<&mut dyn Sleeper>,
        shared: bool,
        until: Option<Instant>,
    ) -> io::Result<()> {
        let left = || {
            until.map_or(LONG, |until| {
                until.saturating_duration_since(Instant::now())
            })
        };
        if let Some(sleeper) = sleeper {
            let most = if shared { SHARE } else { LONG };
            sleeper.wait(left().min(most))?;
        } else {
            // A wake-up that came earlier ends a park at once.
            while self.bell.is_asleep() && !left().is_zero() {
                std::thread::park_timeout(left());
            }
        }
        self.bell.cancel();
        Ok(())
    }

    /// Wakes the thread if it sleeps. What it is to see was published before a sequentially
    /// consistent fence.
    pub(crate) fn ring(&self) {
        if self.bell.ring() {
            match self.wakers.get(self.place.load(Relaxed)) {
                Some(waker) => waker(),
                None => {
                    if let Some(thread) = self.thread.get() {
                        thread.unpark();
                    }
                }
            }
        }
    }
}

/// The cores that this process may use, in rising order; none where the system does not tell.
#[must_use]
#[cfg(target_os = "linux")]
pub fn cores() -> Vec<usize> {
    // SAFETY: a C structure of integers, for which zero is a value.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: 0 is this thread, and the set has the size that is told.
    if unsafe { libc::sched_getaffinity(0, size_of_val(&set), &mut set) } != 0 {
        return Vec::new();
    }
    let all = 0..libc::CPU_SETSIZE as usize;
    // SAFETY: the core is inside of the set.
    all.filter(|&core| unsafe { libc::CPU_ISSET(core, &set) })
        .collect()
}

/// The cores that this process may use, in rising order; none where the system does not tell.
#[must_use]
#[cfg(not(target_os = "linux"))]
pub fn cores() -> Vec<usize> {
    Vec::new()
}

/// Keeps this thread on a core.
#[cfg(target_os = "linux")]
pub(crate) fn stay_on(core: usize) -> io::Result<()> {
    if core >= libc::CPU_SETSIZE as usize {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    // SAFETY: a C structure of integers, for which zero is a value; the core is inside of it.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut set);
        set
    };
    // SAFETY: 0 is this thread, and the set has the size that is told.
    if unsafe { libc::sched_setaffinity(0, size_of_val(&set), &set) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Keeps this thread on a core.
#[cfg(not(target_os = "linux"))]
pub(crate) fn stay_on(_: usize) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
