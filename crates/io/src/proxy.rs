// SPDX-License-Identifier: Apache-2.0
//! A way for UDP that is as bad as one likes, in user space and without privileges: datagrams that
//! come to an address go on to another one, and what comes back from there goes back, through a
//! [`ropewalk_channel::Channel`] in each direction.
//!
//! ```text
//!  client, at any address  ~>  address of this  ~ channel ~>  own port for this client  ~>  target
//! ```
//!
//! Every client has its own channels and, towards the target, its own port, so that the target can
//! tell clients apart as it would without this way. Programs that are to be tested, or shown, need
//! only be given another address.
//!
//! One thread moves everything. What it does not read in time, the system drops; a channel with a
//! rate says how fast the way is meant to be.

use crate::link::Waker;
use crate::sys::Poller;
use parking_lot::{Mutex, MutexGuard};
use ropewalk_channel::{Channel, Counts, Settings};
use socket2::SockRef;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Most clients at a time; the one that was silent for longest makes room for another.
const CLIENTS: usize = 32;
/// Most datagrams that are taken from a socket at a time.
const TURN: usize = 64;
/// Longest sleep.
const NAP: Duration = Duration::from_millis(100);
/// Bytes of the buffers of sockets, if the system permits it.
const BUFFER: usize = 1 << 24;
/// Longest datagram.
const LONGEST: usize = 65_535;

/// A client and its way.
struct Client {
    address: SocketAddr,
    far: Arc<UdpSocket>,
    channels: [Channel; 2],
    heard: Instant,
}

/// A datagram that came, and the client on whose way it was.
#[derive(Debug, Clone)]
pub struct Kept {
    /// Address of the client.
    pub client: SocketAddr,
    /// The datagram.
    pub bytes: Vec<u8>,
}

struct State {
    settings: [Settings; 2],
    alive: [bool; 2],
    clients: Vec<Client>,
    /// Clients that there have been, for seeds of their own.
    number: u64,
    /// Of clients that have gone.
    counts: [Counts; 2],
    /// Datagrams that came, of each direction, and how many are to be kept.
    kept: [Vec<Kept>; 2],
    keep: usize,
}

struct Shared {
    state: Mutex<State>,
    stop: AtomicBool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// A bad way; it ends with this.
pub struct Proxy {
    local: SocketAddr,
    near: Arc<UdpSocket>,
    shared: Arc<Shared>,
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

impl Proxy {
    /// From an address of this machine (port 0: any) to a target; the channels are towards the
    /// target, and back.
    ///
    /// # Errors
    /// The address cannot be had, or a setting is out of range.
    pub fn new(
        local: SocketAddr,
        target: SocketAddr,
        settings: [&Settings; 2],
    ) -> io::Result<Self> {
        for settings in settings {
            let wrong = |error| io::Error::new(io::ErrorKind::InvalidInput, error);
            settings.validate().map_err(wrong)?;
        }
        let near = Arc::new(socket(local)?);
        let local = near.local_addr()?;
        let state = State {
            settings: settings.map(Clone::clone),
            alive: [true; 2],
            clients: Vec::new(),
            number: 0,
            counts: [Counts::default(); 2],
            kept: [Vec::new(), Vec::new()],
            keep: 0,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            stop: AtomicBool::new(false),
        });
        let poller = Poller::new()?;
        let waker = poller.waker();
        let (own, socket) = (Arc::clone(&shared), Arc::clone(&near));
        let thread = std::thread::spawn(move || carry(&socket, target, &poller, &own));
        Ok(Self {
            local,
            near,
            shared,
            waker,
            thread: Some(thread),
        })
    }

    /// Its address, which clients are to be given.
    #[must_use]
    pub fn local(&self) -> SocketAddr {
        self.local
    }

    /// Kills one direction for all clients, or brings it to life: 0 is towards the target.
    pub fn set_alive(&self, direction: usize, alive: bool) {
        let mut state = self.shared.lock();
        state.alive[direction] = alive;
        for client in &mut state.clients {
            client.channels[direction].set_alive(alive);
        }
    }

    /// What became of the datagrams of one direction, of all clients.
    #[must_use]
    pub fn counts(&self, direction: usize) -> Counts {
        let state = self.shared.lock();
        let now = state
            .clients
            .iter()
            .map(|client| client.channels[direction].counts());
        now.fold(state.counts[direction], sum)
    }

    /// Keeps copies of the next datagrams that come, at most `most` of each direction, in place of
    /// those that were kept before.
    pub fn keep(&self, most: usize) {
        let mut state = self.shared.lock();
        (state.keep, state.kept) = (most, [Vec::new(), Vec::new()]);
    }

    /// What was kept of a direction.
    #[must_use]
    pub fn kept(&self, direction: usize) -> Vec<Vec<u8>> {
        let state = self.shared.lock();
        let bytes = state.kept[direction].iter().map(|kept| kept.bytes.clone());
        bytes.collect()
    }

    /// Takes what was kept of a direction; there is room for as many more.
    #[must_use]
    pub fn take_kept(&self, direction: usize) -> Vec<Kept> {
        std::mem::take(&mut self.shared.lock().kept[direction])
    }

    /// Sends a datagram of one's own, past the channels, as if it came from the other end: towards
    /// the target from every client, or to every client. It may be lost.
    pub fn inject(&self, direction: usize, datagram: &[u8]) {
        for client in &self.shared.lock().clients {
            client.inject(&self.near, direction, datagram);
        }
    }

    /// The same on the way of one client alone, if it is still there.
    pub fn inject_at(&self, address: SocketAddr, direction: usize, datagram: &[u8]) {
        let state = self.shared.lock();
        let client = state.clients.iter().find(|it| it.address == address);
        if let Some(client) = client {
            client.inject(&self.near, direction, datagram);
        }
    }
}

impl Client {
    fn inject(&self, near: &UdpSocket, direction: usize, datagram: &[u8]) {
        let _ = match direction {
            0 => self.far.send(datagram),
            _ => near.send_to(datagram, self.address),
        };
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        (self.waker)();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn sum(a: Counts, b: Counts) -> Counts {
    Counts {
        sent: a.sent + b.sent,
        arrived: a.arrived + b.arrived,
        too_long: a.too_long + b.too_long,
        overflows: a.overflows + b.overflows,
        lost: a.lost + b.lost,
        dead: a.dead + b.dead,
        flipped: a.flipped + b.flipped,
        copies: a.copies + b.copies,
        held: a.held + b.held,
    }
}

fn socket(local: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(local)?;
    socket.set_nonblocking(true)?;
    // As much as it gets.
    let _ = SockRef::from(&socket).set_recv_buffer_size(BUFFER);
    let _ = SockRef::from(&socket).set_send_buffer_size(BUFFER);
    Ok(socket)
}

impl State {
    /// Where a client stands; a new one is taken in.
    fn client(&mut self, address: SocketAddr, target: SocketAddr) -> io::Result<&mut Client> {
        let place = self
            .clients
            .iter()
            .position(|client| client.address == address);
        let place = match place {
            Some(place) => place,
            None => {
                self.admit(address, target)?;
                self.clients.len() - 1
            }
        };
        Ok(&mut self.clients[place])
    }

    fn admit(&mut self, address: SocketAddr, target: SocketAddr) -> io::Result<()> {
        let any = if target.is_ipv4() {
            "0.0.0.0:0"
        } else {
            "[::]:0"
        };
        let far = socket(any.parse().map_err(io::Error::other)?)?;
        far.connect(target)?;
        let oldest = (0..self.clients.len()).min_by_key(|&place| self.clients[place].heard);
        if let Some(oldest) = oldest.filter(|_| self.clients.len() == CLIENTS) {
            let gone = self.clients.swap_remove(oldest);
            for (counts, channel) in self.counts.iter_mut().zip(&gone.channels) {
                *counts = sum(*counts, channel.counts());
            }
        }
        let channel = |direction: usize| {
            let settings = &self.settings[direction];
            let seed = settings
                .seed
                .wrapping_add(self.number.wrapping_mul(0x9e37_79b9));
            let mut channel = Channel::new(&Settings {
                seed,
                ..settings.clone()
            })
            .map_err(io::Error::other)?;
            channel.set_alive(self.alive[direction]);
            io::Result::Ok(channel)
        };
        let channels = [channel(0)?, channel(1)?];
        self.number += 1;
        self.clients.push(Client {
            address,
            far: Arc::new(far),
            channels,
            heard: Instant::now(),
        });
        Ok(())
    }
}

/// Keeps a copy, if more are to be kept.
fn look(kept: &mut Vec<Kept>, keep: usize, client: SocketAddr, datagram: &[u8]) {
    if kept.len() < keep {
        let bytes = datagram.to_vec();
        kept.push(Kept { client, bytes });
    }
}

/// Moves datagrams until it is to stop. Those that a socket does not take are lost.
fn carry(near: &UdpSocket, target: SocketAddr, poller: &Poller, shared: &Shared) {
    let (begun, mut bytes) = (Instant::now(), vec![0; LONGEST]);
    while !shared.stop.load(Ordering::Relaxed) {
        let (mut busy, mut next) = (false, None::<Duration>);
        let mut state = shared.lock();
        let now = begun.elapsed();
        for _ in 0..TURN {
            let Ok((length, address)) = near.recv_from(&mut bytes) else {
                break;
            };
            busy = true;
            if let Ok(client) = state.client(address, target) {
                client.heard = Instant::now();
                client.channels[0].push(now, &bytes[..length]);
                let keep = state.keep;
                look(&mut state.kept[0], keep, address, &bytes[..length]);
            }
        }
        let State {
            clients,
            kept,
            keep,
            ..
        } = &mut *state;
        for client in clients {
            for _ in 0..TURN {
                // The error of what was sent before counts as nothing that has come.
                let Ok(length) = client.far.recv(&mut bytes) else {
                    break;
                };
                busy = true;
                client.channels[1].push(now, &bytes[..length]);
                look(&mut kept[1], *keep, client.address, &bytes[..length]);
            }
            while let Some(datagram) = client.channels[0].pop(now) {
                let _ = client.far.send(&datagram);
            }
            while let Some(datagram) = client.channels[1].pop(now) {
                let _ = near.send_to(&datagram, client.address);
            }
            let due = client.channels.iter().filter_map(Channel::next_timeout);
            next = next.into_iter().chain(due).min();
        }
        if !busy {
            let fars: Vec<_> = state
                .clients
                .iter()
                .map(|client| Arc::clone(&client.far))
                .collect();
            drop(state);
            let mut fds = [None; 1 + CLIENTS];
            fds[0] = Some(near.as_fd());
            for (fd, far) in fds[1..].iter_mut().zip(&fars) {
                *fd = Some(far.as_fd());
            }
            let left = next.map_or(NAP, |next| next.saturating_sub(begun.elapsed()));
            let _ = poller.poll(fds, libc::POLLIN, left.min(NAP));
        }
    }
}
