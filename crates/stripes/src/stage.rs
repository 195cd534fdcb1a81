// SPDX-License-Identifier: Apache-2.0
//! What a stage is.

use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Wakes a thread of the graph, from any thread.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// Why a stage gave up.
pub type StageError = Box<dyn std::error::Error + Send + Sync>;

/// When a stage is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Time since the graph began to run.
    pub time: Duration,
    /// The graph is to come to an end: sources make nothing new, and everybody else finishes what
    /// is there.
    pub draining: bool,
}

/// What a stage says at the end of its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It did something besides moving items through its ports, and wants another turn soon. Moved
    /// items are seen without it.
    Worked,
    /// It can do nothing before a port changes or somebody calls its waker.
    Idle,
    /// The same, or before this time.
    Until(Duration),
    /// It has finished. It is dropped, and so its ports are closed.
    Done,
}

/// A step of processing with inputs, outputs and state of its own.
pub trait Stage: Send {
    /// Does a bounded amount of work (some ten microseconds at most) and does not wait: neighbours
    /// see what it moved when it returns.
    ///
    /// # Errors
    /// It cannot go on. That stops the graph.
    fn turn(&mut self, now: Now) -> Result<Turn, StageError>;

    /// What the thread of this stage sleeps in, if it is not to be the runtime.
    fn sleeper(&mut self) -> Option<&mut dyn Sleeper> {
        None
    }
}

impl Stage for Box<dyn Stage> {
    fn turn(&mut self, now: Now) -> Result<Turn, StageError> {
        (**self).turn(now)
    }

    fn sleeper(&mut self) -> Option<&mut dyn Sleeper> {
        (**self).sleeper()
    }
}

/// Something outside of the graph that a thread can wait for, such as a socket.
///
/// If several stages of a thread have one, the thread waits in each of them for a short time, in
/// rotation.
pub trait Sleeper {
    /// Waits for an event, for the waker, or for so long.
    ///
    /// # Errors
    /// It cannot wait. That stops the graph.
    fn wait(&mut self, timeout: Duration) -> io::Result<()>;

    /// Ends the wait from any thread; if there is none, the next one ends at once. Asked for once,
    /// before the first turn.
    fn waker(&self) -> Waker;
}
