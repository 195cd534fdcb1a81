// SPDX-License-Identifier: Apache-2.0
//! TCP over IPv4 or IPv6, for paths that lose hardly anything: the kernel does there what it does
//! best, many packets with one call.
//!
//! A stream has no datagrams, so each of them stands behind its length:
//!
//! ```text
//!  byte  0 ..  2   length of the datagram, bytes, big endian: 1 to 65 507
//!        2 ..      datagram
//!                  the next one, without anything in between
//! ```
//!
//! Any other length ends the lane. What a peer sends is kept in memory of a fixed size, and handed
//! over where it lies.
//!
//! Nothing is lost on a lane of this kind while it lives, and nothing comes out of order. It sets
//! its own rate: [`Lane::send`] says that there is no room when the kernel has enough. It does not
//! outlive its connection: where that breaks, the lane is gone for good, with all that was on its
//! way.
//!
//! ```text
//! near: TcpLane::connect ----> far: TcpListener::receive_from   who it is, by address
//!                                   TcpListener::lane           the connection as a lane
//! ```

mod listener;
mod records;

use super::udp::{Path, any, bind, full, local_address, split};
use super::{Kind, Lane, LaneError, check};
use crate::link::Waker;
use crate::sys::{self, Poller};
pub use listener::TcpListener;
pub use records::Records;
use socket2::{Domain, Protocol, Socket, Type};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::Duration;

/// Bytes in front of a datagram.
const HEADER: usize = 2;
/// Longest datagram, bytes: as long as on the lanes of UDP over IPv4.
pub const LONGEST: usize = 65_507;
/// Bytes that one call takes over, about: they shall still be in the cache when they are looked at.
const GULP: usize = 1 << 18;
/// Bytes that the kernel may hold and has not sent yet. More of them make nothing faster, and what
/// is to be sent again waits behind them.
const UNSENT: libc::c_int = 1 << 19;
/// What a lane says of its receive buffer: nothing is lost for want of room in it.
const BUFFER: usize = 1 << 26;
/// Most parts that the kernel takes with one call.
const PARTS: usize = 1024;

/// A connection with one peer.
#[derive(Debug)]
pub struct TcpLane {
    fd: OwnedFd,
    poller: Poller,
    path: Path,
    records: Records,
    /// What the kernel has not taken yet of what was sent, from `done` on.
    rest: Vec<u8>,
    done: usize,
    /// It has taken something.
    begun: bool,
}

/// What cannot be had of the system.
fn fail(what: &'static str) -> impl Fn(io::Error) -> LaneError {
    move |source| LaneError::System { what, source }
}

/// A socket that does not wait.
fn socket(like: SocketAddr) -> Result<Socket, LaneError> {
    let kind = Type::STREAM.nonblocking();
    let socket = Socket::new(Domain::for_address(like), kind, Some(Protocol::TCP))
        .map_err(fail("open a TCP socket"))?;
    if like.is_ipv6() {
        // Each family has sockets of its own, so that an address means the same everywhere.
        socket.set_only_v6(true).map_err(fail("choose IPv6"))?;
    }
    Ok(socket)
}

impl TcpLane {
    /// A lane to a peer. The connection comes about while it is used: until then it takes one
    /// batch, so that who asks first has an answer as soon as there can be one.
    ///
    /// # Errors
    /// What is wrong, and what would be accepted.
    pub fn connect(local: Option<SocketAddr>, peer: SocketAddr) -> Result<Self, LaneError> {
        let socket = socket(peer)?;
        bind(&socket, local.unwrap_or_else(|| any(peer)))?;
        match socket.connect(&peer.into()) {
            Err(source) if source.raw_os_error() != Some(libc::EINPROGRESS) => {
                let peer = peer.to_string();
                Err(LaneError::Unreachable { peer, source })
            }
            _ => Self::of(socket, peer, GULP),
        }
    }

    /// A lane of a socket that has its peer; `gulp`: bytes that it may take over with one call.
    fn of(socket: Socket, peer: SocketAddr, gulp: usize) -> Result<Self, LaneError> {
        let own = fail("set up a connection");
        socket.set_tcp_nodelay(true).map_err(&own)?;
        let unsent = libc::TCP_NOTSENT_LOWAT;
        sys::set_option(&socket, libc::IPPROTO_TCP, unsent, &UNSENT).map_err(&own)?;
        let local = local_address(&socket)?;
        Ok(Self {
            fd: OwnedFd::from(socket),
            poller: Poller::new().map_err(fail("make a waker"))?,
            path: Path {
                kind: Kind::Stream,
                local,
                peer,
            },
            records: Records::new(gulp),
            rest: Vec::new(),
            done: 0,
            begun: false,
        })
    }

    /// Has another congestion control of the kernel set its rate, such as `cubic`.
    ///
    /// # Errors
    /// There is none of this name, or not for everybody.
    pub fn set_congestion(&self, name: &str) -> io::Result<()> {
        let mut bytes = [0u8; 16];
        let Some(place) = bytes[..15].get_mut(..name.len()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        place.copy_from_slice(name.as_bytes());
        sys::set_option(&self.fd, libc::IPPROTO_TCP, libc::TCP_CONGESTION, &bytes)
    }

    /// Both addresses.
    #[must_use]
    pub fn path(&self) -> Path {
        self.path
    }

    /// Gives bytes to the kernel: how many it has taken, none if there is no room.
    fn write(&self, parts: &[IoSlice]) -> io::Result<usize> {
        // SAFETY: a C structure of integers and pointers, for which zero is a value.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        // An IoSlice is laid out as the `iovec` of the kernel, says its documentation.
        message.msg_iov = parts.as_ptr().cast_mut().cast();
        message.msg_iovlen = parts.len().min(PARTS);
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the parts live until the end of the call, which only reads them.
        let said = unsafe { libc::sendmsg(self.fd.as_raw_fd(), &message, flags) };
        match usize::try_from(said) {
            Ok(count) => Ok(count),
            Err(_) => match io::Error::last_os_error() {
                error if full(&error) || error.kind() == io::ErrorKind::Interrupted => Ok(0),
                error => Err(error),
            },
        }
    }

    /// Sends what is left of what was taken. False if there is still some.
    fn flush(&mut self) -> io::Result<bool> {
        if self.done < self.rest.len() {
            self.done += self.write(&[IoSlice::new(&self.rest[self.done..])])?;
        }
        if self.done < self.rest.len() {
            return Ok(false);
        }
        self.rest.clear();
        self.done = 0;
        Ok(true)
    }

    /// Keeps all of `parts` but the first `taken` bytes.
    fn keep(&mut self, parts: &[IoSlice], mut taken: usize) {
        for part in parts {
            let begin = taken.min(part.len());
            taken -= begin;
            self.rest.extend_from_slice(&part[begin..]);
        }
    }
}

/// Each datagram of pieces, which are cut into `segment` bytes, behind its length. `heads`: those
/// of a full datagram and of the last one.
fn framed<'a>(
    pieces: &'a [IoSlice],
    segment: usize,
    heads: &'a [[u8; HEADER]; 2],
) -> Vec<IoSlice<'a>> {
    let (mut parts, mut ends) = (Vec::new(), Vec::new());
    split(pieces, segment, &mut parts, &mut ends);
    let mut all = Vec::with_capacity(parts.len() + ends.len());
    let mut begin = 0;
    for (number, &end) in ends.iter().enumerate() {
        let head = &heads[usize::from(number + 1 == ends.len())];
        all.push(IoSlice::new(head));
        all.extend_from_slice(&parts[begin..end]);
        begin = end;
    }
    all
}

impl Lane for TcpLane {
    fn send(&mut self, pieces: &[IoSlice<'_>], segment: usize) -> io::Result<bool> {
        let length = check(pieces, segment, LONGEST, self.batch(segment))?;
        if !self.flush()? {
            return Ok(false);
        }
        if length == 0 {
            return Ok(true);
        }
        // What `check` has let through is no longer than `LONGEST`.
        let last = length - (length - 1) / segment * segment;
        let heads = [segment.min(length), last].map(|it| (it as u16).to_be_bytes());
        let parts = framed(pieces, segment, &heads);
        let taken = self.write(&parts)?;
        let takes = taken > 0 || !self.begun;
        if takes {
            self.keep(&parts, taken);
            self.begun = true;
        }
        Ok(takes)
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        self.flush()?;
        let room = self.records.room();
        let (fd, place, length) = (self.fd.as_raw_fd(), room.as_mut_ptr().cast(), room.len());
        // SAFETY: the kernel writes at most `length` bytes there, and nobody else looks at them.
        let said = unsafe { libc::recv(fd, place, length, libc::MSG_DONTWAIT) };
        match usize::try_from(said) {
            Ok(0) => Err(self.records.end()),
            Ok(count) => {
                let came = self.records.came(count, take);
                if came.is_err() {
                    // The peer is not to send into it for ever.
                    self.hang_up();
                }
                came
            }
            Err(_) => match io::Error::last_os_error() {
                error if full(&error) || error.kind() == io::ErrorKind::Interrupted => Ok(false),
                error => Err(error),
            },
        }
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        let flushed = self.flush()?;
        let room = if blocked || !flushed {
            libc::POLLOUT
        } else {
            0
        };
        let fd = [Some(self.fd.as_fd())];
        self.poller.poll(fd, libc::POLLIN | room, timeout)?;
        Ok(())
    }

    fn waker(&self) -> Waker {
        self.poller.waker()
    }

    fn limit(&self) -> usize {
        LONGEST
    }

    fn buffer(&self) -> usize {
        BUFFER
    }

    fn drops(&self) -> u64 {
        0
    }

    fn kind(&self) -> Kind {
        Kind::Stream
    }

    fn hang_up(&mut self) {
        // SAFETY: takes two numbers.
        unsafe { libc::shutdown(self.fd.as_raw_fd(), libc::SHUT_RDWR) };
    }

    fn rtt(&self) -> Option<Duration> {
        // SAFETY: a C structure of integers, for which zero is a value.
        let none: libc::tcp_info = unsafe { std::mem::zeroed() };
        let info = sys::option(&self.fd, libc::IPPROTO_TCP, libc::TCP_INFO, none);
        let micros = info.map_or(0, |info| info.tcpi_rtt);
        (micros > 0).then(|| Duration::from_micros(micros.into()))
    }
}

#[cfg(test)]
mod tests;
