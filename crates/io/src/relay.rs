// SPDX-License-Identifier: Apache-2.0
//! Two networks of their own with a channel of any badness between them, for whatever speaks IP:
//! TCP of the kernel, transports of others, and ours, side by side.
//!
//! Each network has one interface, whose cable is this process ([`crate::TapLink`]); a thread
//! carries the frames, through a [`ropewalk_channel::Channel`] for each direction. What costs
//! processor time here costs everybody the same.
//!
//! For tests and measurements. It needs a privileged process; without, [`Relay::new`] says so and
//! the test is to be skipped.

use crate::link::{Arrival, RawLink, Waker};
use crate::sys;
use crate::tap::TapLink;
use parking_lot::Mutex;
use ropewalk_channel::{Channel, Counts, SettingError, Settings};
use std::fs::File;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Addresses of the two, of a net of 24 bits.
const ADDRESSES: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 77, 0, 1), Ipv4Addr::new(10, 77, 0, 2)];
/// The interface of each.
const NAME: &str = "rope";
/// Frames that an interface holds for the relay.
const QUEUE: libc::c_int = 4096;
/// Most frames that are taken from an interface at a time.
const TURN: usize = 64;
/// Longest sleep.
const NAP: Duration = Duration::from_millis(100);

/// A network with one interface.
#[derive(Debug)]
pub struct Network {
    place: File,
    address: Ipv4Addr,
}

impl Network {
    /// Moves the calling thread into it, for good, and the threads and processes that it begins
    /// from then on.
    ///
    /// # Errors
    /// It is not permitted.
    pub fn enter(&self) -> io::Result<()> {
        // SAFETY: takes two numbers; concerns the calling thread only.
        sys::check(unsafe { libc::setns(self.place.as_raw_fd(), libc::CLONE_NEWNET) })?;
        Ok(())
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }
}

/// The channels, the taps and the end of the thread.
#[derive(Debug)]
struct Shared {
    channels: [Mutex<Channel>; 2],
    stop: AtomicBool,
}

impl Shared {
    fn with<T>(&self, direction: usize, with: impl FnOnce(&mut Channel) -> T) -> T {
        with(&mut self.channels[direction].lock())
    }
}

/// Two networks and the thread between them; it ends with this.
pub struct Relay {
    networks: [Network; 2],
    shared: Arc<Shared>,
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    /// The channels are from the first network to the second, and back; lengths count the Ethernet
    /// header.
    ///
    /// # Errors
    /// It is not permitted, or a setting is out of range.
    pub fn new(settings: [&Settings; 2], mtu: usize) -> io::Result<Self> {
        let wrong = |error: SettingError| io::Error::new(io::ErrorKind::InvalidInput, error);
        let channel = |settings| Channel::new(settings).map(Mutex::new).map_err(wrong);
        let channels = [channel(settings[0])?, channel(settings[1])?];
        let [near, far] = ADDRESSES.map(|address| {
            // The calling thread stays where it is.
            let made = std::thread::spawn(move || network(address, mtu)).join();
            made.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        let ((near_tap, near), (far_tap, far)) = (near?, far?);
        let shared = Arc::new(Shared {
            channels,
            stop: AtomicBool::new(false),
        });
        let waker = near_tap.waker();
        let own = Arc::clone(&shared);
        let thread = std::thread::spawn(move || carry([near_tap, far_tap], &own));
        Ok(Self {
            networks: [near, far],
            shared,
            waker,
            thread: Some(thread),
        })
    }

    /// The networks.
    #[must_use]
    pub fn networks(&self) -> &[Network; 2] {
        &self.networks
    }

    /// Kills one direction, or brings it to life: 0 is from the first network to the second.
    pub fn set_alive(&self, direction: usize, alive: bool) {
        self.shared
            .with(direction, |channel| channel.set_alive(alive));
    }

    /// From now on one direction loses frames with this probability.
    pub fn set_loss(&self, direction: usize, loss: f64) {
        self.shared.with(direction, |channel| {
            channel.set_loss(loss, direction as u64)
        });
    }

    /// What became of the frames of one direction, those of neighbour discovery included.
    #[must_use]
    pub fn counts(&self, direction: usize) -> Counts {
        self.shared.with(direction, |channel| channel.counts())
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        (self.waker)();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Moves the calling thread into a new network with an interface.
fn network(address: Ipv4Addr, mtu: usize) -> io::Result<(TapLink, Network)> {
    // SAFETY: takes a number; concerns the calling thread only.
    sys::check(unsafe { libc::unshare(libc::CLONE_NEWNET) })?;
    let tap = TapLink::open(NAME, mtu).map_err(io::Error::other)?;
    let socket = sys::socket(libc::AF_INET, libc::SOCK_DGRAM, 0)?;
    let mut request = sys::request(NAME).map_err(io::Error::other)?;
    request.ifr_ifru.ifru_metric = QUEUE;
    sys::ioctl(socket.as_fd(), libc::SIOCSIFTXQLEN as _, &mut request)?;
    request.ifr_ifru.ifru_addr = net_address(address);
    sys::ioctl(socket.as_fd(), libc::SIOCSIFADDR as _, &mut request)?;
    request.ifr_ifru.ifru_netmask = net_address(Ipv4Addr::new(255, 255, 255, 0));
    sys::ioctl(socket.as_fd(), libc::SIOCSIFNETMASK as _, &mut request)?;
    let place = File::open("/proc/thread-self/ns/net")?;
    Ok((tap, Network { place, address }))
}

/// An IPv4 address as the kernel wants it in a request about an interface.
fn net_address(address: Ipv4Addr) -> libc::sockaddr {
    let mut bytes = [0; 14];
    bytes[2..6].copy_from_slice(&address.octets());
    libc::sockaddr {
        sa_family: libc::AF_INET as u16,
        sa_data: bytes.map(|byte| byte as libc::c_char),
    }
}

/// Carries frames until it is to stop. What an interface does not take is lost.
fn carry(mut taps: [TapLink; 2], shared: &Shared) {
    let begun = Instant::now();
    while !shared.stop.load(Ordering::Relaxed) {
        let (mut busy, mut next) = (false, None::<Duration>);
        for end in 0..2 {
            let now = begun.elapsed();
            let mut went = Vec::new();
            shared.with(end, |channel| {
                for _ in 0..TURN {
                    let more = taps[end].receive(&mut |arrival| {
                        if let Arrival::Frame { bytes, .. } = arrival {
                            channel.push(now, bytes);
                        }
                    });
                    if !more.unwrap_or(false) {
                        break;
                    }
                    busy = true;
                }
                while let Some(frame) = channel.pop(now) {
                    went.push(frame);
                }
                next = next.into_iter().chain(channel.next_timeout()).min();
            });
            for frame in &went {
                let _ = taps[1 - end].send(std::slice::from_ref(frame));
            }
        }
        if !busy {
            let left = next.map_or(NAP, |next| next.saturating_sub(begun.elapsed()));
            let [near, far] = &taps;
            let _ = near.wait_for_both(far, left.min(NAP));
        }
    }
}
