// SPDX-License-Identifier: Apache-2.0
//! Connections of anybody, until one has become a lane. What strangers can make it hold is bounded:
//! [`GUESTS`] connections, each with room for one datagram, and none for longer than [`PATIENCE`]
//! after it was last answered.

use super::{GULP, TcpLane, fail, socket};
use crate::lane::udp::{Path, bind, local_address};
use crate::lane::{Lane, LaneError};
use socket2::Socket;
use std::collections::HashMap;
use std::io::IoSlice;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// Most connections that are no lanes yet. Where there is one more, the host that has most of them
/// loses its oldest: nobody keeps others out.
pub(super) const GUESTS: usize = 64;
/// Connections that the kernel holds for this process.
const BACKLOG: i32 = 64;
/// A connection that was not answered for so long is closed.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most bytes that a connection which is no lane yet brings with one call, beyond a datagram.
const SIP: usize = 1 << 12;

/// A connection that is no lane yet.
#[derive(Debug)]
struct Guest {
    lane: TcpLane,
    until: Instant,
}

/// Accepts connections.
#[derive(Debug)]
pub struct TcpListener {
    socket: Socket,
    local: SocketAddr,
    /// The oldest first.
    guests: Vec<Guest>,
    patience: Duration,
}

impl TcpListener {
    /// Listens at an address.
    ///
    /// # Errors
    /// What is wrong, and what would be accepted.
    pub fn bind(local: SocketAddr) -> Result<Self, LaneError> {
        let socket = socket(local)?;
        // Connections of a program that has ended are no reason to wait.
        let shared = socket.set_reuse_address(true);
        shared.map_err(fail("take an address again"))?;
        bind(&socket, local)?;
        let listens = socket.listen(BACKLOG);
        listens.map_err(|source| LaneError::Address {
            address: local.to_string(),
            source,
            remedy: "another program may have this port: choose another, or 0 for one that is free",
        })?;
        Ok(Self {
            local: local_address(&socket)?,
            socket,
            guests: Vec::new(),
            patience: PATIENCE,
        })
    }

    /// The same, with connections that are closed so long after they were last answered.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Its address: what was asked for, with the port that it has got.
    #[must_use]
    pub fn local(&self) -> SocketAddr {
        self.local
    }

    /// Connections that are no lanes yet.
    #[must_use]
    pub fn guests(&self) -> usize {
        self.guests.len()
    }

    /// Readable when there is a connection to be accepted.
    pub(in crate::lane) fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Hands over some of what connections without a lane have brought, datagram by datagram, and
    /// says whether there was any. Does not wait. Those that have ended, that bring something else,
    /// or whose time is over are closed.
    pub fn receive_from(&mut self, take: &mut dyn FnMut(Path, &[u8])) -> bool {
        self.accept();
        let (now, mut any) = (Instant::now(), false);
        self.guests.retain_mut(|guest| {
            let path = guest.lane.path();
            let came = guest.lane.receive(&mut |datagram| take(path, datagram));
            any |= came.as_ref().is_ok_and(|&came| came);
            came.is_ok() && now < guest.until
        });
        any
    }

    fn accept(&mut self) {
        // What is left over is there the next time.
        for _ in 0..BACKLOG {
            // A connection that has ended before it was accepted is not missed.
            let Ok((socket, from)) = self.socket.accept() else {
                return;
            };
            let Some(peer) = from.as_socket() else {
                continue;
            };
            let set = socket.set_nonblocking(true);
            if set.is_err() {
                continue;
            }
            if let Ok(lane) = TcpLane::of(socket, peer, SIP) {
                self.make_room();
                let until = Instant::now() + self.patience;
                self.guests.push(Guest { lane, until });
            }
        }
    }

    /// See [`GUESTS`].
    fn make_room(&mut self) {
        if self.guests.len() < GUESTS {
            return;
        }
        let host = |guest: &Guest| guest.lane.path().peer.ip();
        let mut counts = HashMap::<IpAddr, usize>::new();
        for guest in &self.guests {
            *counts.entry(host(guest)).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|&(_, count)| count);
        let oldest = self
            .guests
            .iter()
            .position(|guest| Some(host(guest)) == most.map(|it| it.0));
        self.guests.remove(oldest.unwrap_or(0));
    }

    /// Sends one datagram to a connection that is no lane yet, which may live on for it. It is lost
    /// if there is none or no room.
    pub fn send_to(&mut self, path: Path, bytes: &[u8]) {
        if let Some(guest) = self.guests.iter_mut().find(|it| it.lane.path() == path) {
            guest.until = Instant::now() + self.patience;
            // Whether it has ended shows when it is read.
            let _ = guest.lane.send(&[IoSlice::new(bytes)], bytes.len());
        }
    }

    /// Its connection as a lane. What it sends from now on arrives there, and no longer here. One
    /// that has ended meanwhile is a lane that is gone.
    ///
    /// # Errors
    /// The system has no sockets left.
    pub fn lane(&mut self, path: Path) -> Result<TcpLane, LaneError> {
        let found = self.guests.iter().position(|it| it.lane.path() == path);
        let mut lane = match found {
            Some(found) => self.guests.remove(found).lane,
            None => TcpLane::of(socket(path.peer)?, path.peer, SIP)?,
        };
        lane.records.resize(GULP);
        Ok(lane)
    }
}
