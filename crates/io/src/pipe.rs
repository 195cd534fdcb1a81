// SPDX-License-Identifier: Apache-2.0
//! Two ends in memory. Each takes a limited number of frames that its peer has not received
//! ([`PipeLink::pair`]); the rest is to be offered again. Nothing is ever lost.

use crate::link::{Arrival, RawLink, Waker};
use parking_lot::{Condvar, Mutex, MutexGuard};
use ropewalk_wire::htsp::Mac;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Longest wait for room at the other end, which does not wake this one.
const RETRY: Duration = Duration::from_micros(100);

/// What waits at an end.
#[derive(Debug, Default)]
struct Inbox {
    frames: VecDeque<Vec<u8>>,
    rung: bool,
}

/// The state of an end that the other one, and wakers, reach.
#[derive(Debug, Default)]
struct Shared {
    inbox: Mutex<Inbox>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock()
    }
}

/// An end in memory.
#[derive(Debug)]
pub struct PipeLink {
    mac: Mac,
    limit: usize,
    room: usize,
    own: Arc<Shared>,
    other: Arc<Shared>,
}

impl PipeLink {
    /// Two ends. Each holds at most `room` frames that have not been received; `limit` is the
    /// longest frame that they claim to take.
    #[must_use]
    pub fn pair(room: usize, limit: usize) -> [Self; 2] {
        let shared = [Arc::<Shared>::default(), Arc::default()];
        [0, 1].map(|end: usize| Self {
            mac: Mac([2, 0, 0, 0, 0, end as u8]),
            limit,
            room,
            own: Arc::clone(&shared[end]),
            other: Arc::clone(&shared[1 - end]),
        })
    }
}

impl RawLink for PipeLink {
    fn receive(&mut self, take: &mut dyn FnMut(Arrival)) -> io::Result<bool> {
        let frame = self.own.lock().frames.pop_front();
        if let Some(bytes) = &frame {
            take(Arrival::Frame {
                bytes,
                whole: true,
                time: Duration::ZERO,
                outgoing: false,
            });
        }
        Ok(frame.is_some())
    }

    fn send(&mut self, frames: &[Vec<u8>]) -> io::Result<usize> {
        let mut inbox = self.other.lock();
        let room = self.room.saturating_sub(inbox.frames.len());
        let count = room.min(frames.len());
        inbox.frames.extend(frames[..count].iter().cloned());
        self.other.changed.notify_all();
        Ok(count)
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        let timeout = if blocked { timeout.min(RETRY) } else { timeout };
        let idle = |inbox: &mut Inbox| inbox.frames.is_empty() && !inbox.rung;
        let mut inbox = self.own.lock();
        self.own.changed.wait_while_for(&mut inbox, idle, timeout);
        inbox.rung = false;
        Ok(())
    }

    fn waker(&self) -> Waker {
        let own = Arc::clone(&self.own);
        Arc::new(move || {
            own.lock().rung = true;
            own.changed.notify_all();
        })
    }

    fn line_up(&self) -> bool {
        true
    }

    fn limit(&self) -> usize {
        self.limit
    }

    fn mac(&self) -> Mac {
        self.mac
    }

    fn is_filling(&self) -> bool {
        false
    }

    fn drops(&self) -> u64 {
        0
    }
}
