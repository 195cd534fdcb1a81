// SPDX-License-Identifier: Apache-2.0
//! The cases of a sweep on threads of this process.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use ropewalk_console::failure::Failure;
use ropewalk_console::output;

use super::grid::Case;
use super::{Outcome, Sweep};

/// How often an interruption is looked for.
const LOOK: Duration = Duration::from_millis(100);

/// What threads share.
struct Shared<'a> {
    cases: &'a [Case],
    next: AtomicUsize,
    stop: AtomicBool,
}

impl Shared<'_> {
    /// Runs one case after the other until there are none or a thread stops all.
    fn work(&self, results: &Sender<Result<Outcome, Failure>>) {
        while !self.stop.load(Ordering::Relaxed) {
            let Some(case) = self.cases.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            if results.send(super::run(case)).is_err() {
                return;
            }
        }
    }
}

pub(super) fn run(
    sweep: &mut Sweep,
    jobs: usize,
    tell: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<(), Failure> {
    let cases = sweep.missing();
    let total = sweep.grid.cases.len();
    let shared = Shared {
        cases: &cases,
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    };
    let (results, come) = channel();
    thread::scope(|scope| {
        let begin = |_| {
            let (shared, results) = (&shared, results.clone());
            scope.spawn(move || shared.work(&results))
        };
        let threads: Vec<_> = (0..jobs.clamp(1, cases.len().max(1))).map(begin).collect();
        drop(results);
        let mut done = Ok(());
        loop {
            let wanted = tell(sweep.journal.done(), total);
            let added = match come.recv_timeout(LOOK) {
                Ok(result) => result.and_then(|outcome| sweep.add(outcome)),
                Err(RecvTimeoutError::Timeout) if output::interrupted() => {
                    Err(Failure::Interrupted)
                }
                Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let added = if wanted {
                added
            } else {
                added.and(Err(Failure::Interrupted))
            };
            if done.is_ok() && added.is_err() {
                // What is under way still comes, and counts.
                shared.stop.store(true, Ordering::Relaxed);
                done = added;
            }
        }
        for thread in threads {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
        done
    })
}
