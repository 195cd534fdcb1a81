// SPDX-License-Identifier: Apache-2.0
//! Two lanes in memory with a channel of any badness in each direction ([`ropewalk_channel`]), in
//! real time.
//!
//! What comes through a channel, and when, follows from its seed and from the times at which it is
//! sent, which differ from run to run. Tests that are to be the same each time drive the channel
//! itself, in virtual time.

use super::{BATCH, Lane, check};
use crate::link::Waker;
use parking_lot::{Condvar, Mutex, MutexGuard};
use ropewalk_channel::{Channel, Counts, SettingError, Settings};
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Datagrams that one `receive` hands over at most.
const TURN: usize = 64;

/// A channel, and what its ends wait for.
#[derive(Debug)]
struct Direction {
    begun: Instant,
    channel: Mutex<Channel>,
}

impl Direction {
    fn lock(&self) -> MutexGuard<'_, Channel> {
        self.channel.lock()
    }
}

/// Wakes an end.
#[derive(Debug, Default)]
struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    fn ring(&self) {
        *self.rung.lock() = true;
        self.changed.notify_all();
    }

    /// Waits for so long, or until it is rung.
    fn wait(&self, timeout: Duration) {
        let mut rung = self.rung.lock();
        self.changed
            .wait_while_for(&mut rung, |rung| !*rung, timeout);
        *rung = false;
    }
}

/// A lane in memory.
#[derive(Debug)]
pub struct SimLane {
    out: Arc<Direction>,
    back: Arc<Direction>,
    own: Arc<Bell>,
    other: Arc<Bell>,
    limit: usize,
    paced: bool,
    /// Bytes of the datagram that found no room.
    blocked: usize,
    batch: Vec<u8>,
}

/// The channels of a pair, from outside.
#[derive(Debug, Clone)]
pub struct Handle([Arc<Direction>; 2]);

impl Handle {
    /// Kills one direction, or brings it to life: 0 is from the first lane to the second.
    pub fn set_alive(&self, direction: usize, alive: bool) {
        self.0[direction].lock().set_alive(alive);
    }

    /// What became of the datagrams of one direction.
    #[must_use]
    pub fn counts(&self, direction: usize) -> Counts {
        self.0[direction].lock().counts()
    }
}

/// Two lanes, the channel from the first to the second and the one back, and a handle. With `paced`
/// a sender waits for room in the queue of its channel, as if the line were its own interface;
/// without, the line is somewhere on the way, and what finds no room is lost.
///
/// # Errors
/// A setting is out of range.
pub fn pair(settings: [&Settings; 2], paced: bool) -> Result<([SimLane; 2], Handle), SettingError> {
    let begun = Instant::now();
    let direction = |settings| {
        let channel = Mutex::new(Channel::new(settings)?);
        Ok(Arc::new(Direction { begun, channel }))
    };
    let directions = [direction(settings[0])?, direction(settings[1])?];
    let bells = [Arc::<Bell>::default(), Arc::default()];
    let lanes = [0, 1].map(|end: usize| SimLane {
        out: Arc::clone(&directions[end]),
        back: Arc::clone(&directions[1 - end]),
        own: Arc::clone(&bells[end]),
        other: Arc::clone(&bells[1 - end]),
        limit: settings[end].mtu.min(BATCH),
        paced,
        blocked: 0,
        batch: Vec::new(),
    });
    Ok((lanes, Handle(directions)))
}

impl Lane for SimLane {
    fn send(&mut self, pieces: &[IoSlice<'_>], segment: usize) -> io::Result<bool> {
        let length = check(pieces, segment, self.limit, self.batch(segment))?;
        let mut channel = self.out.lock();
        let now = self.out.begun.elapsed();
        if self.paced && !channel.has_room(now, length) {
            self.blocked = length;
            return Ok(false);
        }
        self.batch.clear();
        for piece in pieces {
            self.batch.extend_from_slice(piece);
        }
        for datagram in self.batch.chunks(segment) {
            channel.push(now, datagram);
        }
        drop(channel);
        self.other.ring();
        Ok(true)
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        let mut channel = self.back.lock();
        let now = self.back.begun.elapsed();
        let came: Vec<_> = std::iter::from_fn(|| channel.pop(now)).take(TURN).collect();
        drop(channel);
        came.iter().for_each(|datagram| take(datagram));
        Ok(!came.is_empty())
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        let now = self.back.begun.elapsed();
        let mut end = now.saturating_add(timeout);
        if let Some(arrival) = self.back.lock().next_timeout() {
            end = end.min(arrival);
        }
        if blocked {
            end = end.min(self.out.lock().room_at(now, self.blocked));
        }
        self.own.wait(end.saturating_sub(now));
        Ok(())
    }

    fn waker(&self) -> Waker {
        let own = Arc::clone(&self.own);
        Arc::new(move || own.ring())
    }

    fn limit(&self) -> usize {
        self.limit
    }

    fn buffer(&self) -> usize {
        usize::MAX
    }

    fn drops(&self) -> u64 {
        0
    }
}
