// SPDX-License-Identifier: Apache-2.0
//! UDP over IPv4 or IPv6. A datagram of a lane is a datagram on the wire.
//!
//! What a datagram costs is its way through the kernel, not its bytes nor the call. So a batch goes
//! through it as one (`UDP_SEGMENT`), and comes back so where the interface or the kernel puts
//! datagrams together again (`UDP_GRO`). Where batches are refused they are cut here, and sent with
//! one call (`sendmmsg`); that is tried anew with every lane, and [`Lane::notes`] tells.
//!
//! Datagrams are never fragmented. [`Lane::limit`] is what the interface, and the narrowest hop
//! that has answered, lets through.
//!
//! ```text
//! near: UdpLane::connect ----> far: UdpListener::receive_from   who it is, by address
//!                                   UdpListener::lane           a socket of its own for this peer, on the same port
//! ```

mod control;

use super::{BATCH, Kind, Lane, LaneError, check};
use crate::link::Waker;
use crate::sys::{self, Poller};
use control::{Control, said_beside};
use socket2::{Domain, Protocol, SockAddr, SockAddrStorage, Socket, Type};
use std::io::{self, IoSlice};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// Arrivals that one call takes over, each a datagram or several put together.
const SLOTS: usize = 16;
/// Bytes of a slot: no arrival is longer.
const SLOT: usize = 1 << 16;
/// Bytes that one call takes over, about: they shall still be in the cache when they are looked at.
const GULP: usize = 1 << 18;
/// What the kernel may hold of what is sent, bytes.
const SEND_BUFFER: usize = 1 << 22;
/// Room for what the kernel says beside an arrival, words of 8 bytes.
const CONTROL: usize = 16;

/// How a socket is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Address of this end; any, and a port that is free, if none is given. It chooses among
    /// several interfaces.
    pub local: Option<SocketAddr>,
    /// Everything goes through this interface, whatever the routes say.
    pub interface: Option<String>,
    /// Bytes of the receive buffer, 2^30 - 1 at most. Less if the kernel does not permit it
    /// ([`Lane::notes`]).
    pub buffer: usize,
    /// Batches are cut and put together by the kernel, if it can.
    pub offload: bool,
    /// A wait looks for so long, without giving the processor away, before it sleeps.
    pub spin: Duration,
}

impl Default for Options {
    /// Any address and interface, 64 MiB, no spinning.
    fn default() -> Self {
        Self {
            local: None,
            interface: None,
            buffer: 1 << 26,
            offload: true,
            spin: Duration::ZERO,
        }
    }
}

/// Where a datagram came from, and where to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Path {
    /// How it goes there: both kinds have ports of their own.
    pub kind: Kind,
    /// Address of this end.
    pub local: SocketAddr,
    /// Address of the peer.
    pub peer: SocketAddr,
}

/// An arrival: one datagram, or several of the same length (the last may be shorter) put together.
struct Arrived<'a> {
    bytes: &'a [u8],
    segment: usize,
    peer: &'a SockAddr,
    /// Address that it was sent to, if that was asked for.
    local: Option<IpAddr>,
}

/// A socket, and room for what arrives.
#[derive(Debug)]
struct Port {
    fd: OwnedFd,
    poller: Poller,
    slots: Vec<u8>,
    /// Longest arrival of the last call.
    longest: usize,
    spin: Duration,
    buffer: usize,
    notes: Vec<String>,
    /// Counted by the kernel before the lane was ready.
    ignored: u32,
}

/// A socket with all options but the ones of a listener.
fn socket(local: SocketAddr, options: &Options) -> Result<(Socket, Vec<String>), LaneError> {
    let fail = |what| move |source: io::Error| LaneError::System { what, source };
    let domain = Domain::for_address(local);
    let socket = Socket::new(domain, Type::DGRAM.nonblocking(), Some(Protocol::UDP))
        .map_err(fail("open a UDP socket"))?;
    if let Some(name) = &options.interface {
        let bound = socket.bind_device(Some(name.as_bytes()));
        bound.map_err(|source| match source.raw_os_error() {
            Some(libc::ENODEV | libc::EINVAL) => LaneError::Interface(name.clone()),
            _ => LaneError::System {
                what: "bind to an interface",
                source,
            },
        })?;
    }
    let set = |level, option, value: libc::c_int| sys::set_option(&socket, level, option, &value);
    if local.is_ipv6() {
        // Each family has sockets of its own, so that an address means the same everywhere.
        set(libc::IPPROTO_IPV6, libc::IPV6_V6ONLY, 1).map_err(fail("choose IPv6"))?;
        let probe = libc::IPV6_PMTUDISC_PROBE;
        set(libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER, probe)
            .and_then(|()| set(libc::IPPROTO_IPV6, libc::IPV6_DONTFRAG, 1))
            .map_err(fail("forbid fragments"))?;
    } else {
        set(
            libc::IPPROTO_IP,
            libc::IP_MTU_DISCOVER,
            libc::IP_PMTUDISC_PROBE,
        )
        .map_err(fail("forbid fragments"))?;
    }
    let mut notes = Vec::new();
    if options.offload && set(libc::SOL_UDP, libc::UDP_GRO, 1).is_err() {
        notes.push(
            "arrivals one by one: this kernel does not put datagrams together; one of version 5.0 \
             or newer does"
                .into(),
        );
    }
    sys::receive_buffer(&socket, options.buffer, &mut notes);
    sys::send_buffer(&socket, SEND_BUFFER, &mut notes);
    Ok((socket, notes))
}

/// Gives a socket its address.
pub(super) fn bind(socket: &Socket, local: SocketAddr) -> Result<(), LaneError> {
    socket
        .bind(&local.into())
        .map_err(|source| LaneError::Address {
            address: local.to_string(),
            remedy: match source.raw_os_error() {
                Some(libc::EADDRINUSE) => {
                    "another program has this port: choose another, or 0 for one that is free"
                }
                Some(libc::EADDRNOTAVAIL) => "'ip address' lists those of this machine",
                Some(libc::EACCES) => "ports below 1024 need the capability cap_net_bind_service",
                _ => "accepted are an address of this machine and a port",
            },
            source,
        })
}

/// The address of a socket.
pub(super) fn local_address(fd: &impl AsFd) -> Result<SocketAddr, LaneError> {
    let address = socket2::SockRef::from(fd).local_addr();
    let what = "ask for its address";
    let address = address.map_err(|source| LaneError::System { what, source })?;
    address.as_socket().ok_or(LaneError::System {
        what,
        source: io::ErrorKind::Unsupported.into(),
    })
}

/// No address and no port of the family of another.
pub(super) fn any(like: SocketAddr) -> SocketAddr {
    match like {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    }
}

/// Whether the kernel tells of a trouble of the way to the peer, not of the socket: of what was
/// sent before, or of what is sent now.
fn passes(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(
            libc::ECONNREFUSED
                | libc::EHOSTUNREACH
                | libc::ENETUNREACH
                | libc::EHOSTDOWN
                | libc::ENETDOWN
                | libc::ENONET
                | libc::ENODEV
                | libc::EADDRNOTAVAIL
                | libc::ENOPROTOOPT
                | libc::EPROTO
                | libc::EACCES
                | libc::EPERM
                | libc::EMSGSIZE
                | libc::EINTR
        )
    )
}

/// Whether there is no room now.
pub(super) fn full(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::EAGAIN | libc::ENOBUFS | libc::ENOMEM)
    )
}

impl Port {
    fn new(socket: Socket, notes: Vec<String>, spin: Duration) -> Result<Self, LaneError> {
        let fd = OwnedFd::from(socket);
        let fail = |what| move |source: io::Error| LaneError::System { what, source };
        // The kernel doubles what it is asked for, for its own needs, and says so.
        let buffer = sys::option(&fd, libc::SOL_SOCKET, libc::SO_RCVBUF, 0);
        let mut port = Self {
            poller: Poller::new().map_err(fail("make a waker"))?,
            slots: vec![0; SLOTS * SLOT],
            longest: SLOT,
            spin,
            buffer: buffer.map_err(fail("ask for its buffer"))? as usize / 2,
            notes,
            ignored: 0,
            fd,
        };
        port.ignored = port.lost();
        Ok(port)
    }

    /// What the kernel has counted as lost at this socket.
    fn lost(&self) -> u32 {
        let words = [0u32; 9];
        let said = sys::option(&self.fd, libc::SOL_SOCKET, libc::SO_MEMINFO, words);
        said.unwrap_or(words)[libc::SK_MEMINFO_DROPS as usize]
    }

    fn drops(&self) -> u64 {
        self.lost().wrapping_sub(self.ignored).into()
    }

    /// One message with a call. Batches that the kernel is to cut have a `segment`.
    fn send(&self, to: Option<&SockAddr>, pieces: &[IoSlice], control: Control) -> io::Result<()> {
        // SAFETY: a C structure of integers and pointers, for which zero is a value.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        if let Some(to) = to {
            message.msg_name = to.as_ptr().cast_mut().cast();
            message.msg_namelen = to.len();
        }
        // An IoSlice is laid out as the `iovec` of the kernel, says its documentation.
        message.msg_iov = pieces.as_ptr().cast_mut().cast();
        message.msg_iovlen = pieces.len();
        let mut place = [0u64; CONTROL];
        message.msg_control = place.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&place);
        message.msg_controllen = control.write(&message);
        // SAFETY: name, pieces and control data live until the end of the call, which only reads
        // them.
        let said = unsafe { libc::sendmsg(self.fd.as_raw_fd(), &message, libc::MSG_DONTWAIT) };
        if said < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// What has arrived, one call's worth.
    fn receive(&mut self, take: &mut dyn FnMut(&Arrived)) -> io::Result<bool> {
        let mut names: [SockAddrStorage; SLOTS] =
            std::array::from_fn(|_| SockAddrStorage::zeroed());
        let mut control = [[0u64; CONTROL]; SLOTS];
        // SAFETY: C structures of integers and pointers, for which zero is a value.
        let mut parts: [libc::iovec; SLOTS] = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        let mut messages: [libc::mmsghdr; SLOTS] = unsafe { std::mem::zeroed() };
        let room = (GULP / self.longest.max(1)).clamp(1, SLOTS);
        for (index, slot) in self.slots.chunks_exact_mut(SLOT).take(room).enumerate() {
            parts[index].iov_base = slot.as_mut_ptr().cast();
            parts[index].iov_len = SLOT;
            let header = &mut messages[index].msg_hdr;
            header.msg_name = (&raw mut names[index]).cast();
            header.msg_namelen = names[index].size_of();
            header.msg_iov = &raw mut parts[index];
            header.msg_iovlen = 1;
            header.msg_control = control[index].as_mut_ptr().cast();
            header.msg_controllen = size_of_val(&control[index]);
        }
        let fd = self.fd.as_raw_fd();
        let (place, flags) = (messages.as_mut_ptr(), libc::MSG_DONTWAIT);
        // SAFETY: `room` messages, whose places live until the end of the call and belong to nobody
        // else.
        let said = unsafe { libc::recvmmsg(fd, place, room as u32, flags, std::ptr::null_mut()) };
        let count = match sys::check(said) {
            Ok(count) => count as usize,
            Err(error) if full(&error) => return Ok(false),
            Err(error) => return Err(error),
        };
        let lengths = messages[..count].iter().map(|message| message.msg_len);
        self.longest = lengths.max().unwrap_or_default() as usize;
        for ((message, name), slot) in messages[..count]
            .iter()
            .zip(names)
            .zip(self.slots.chunks_exact(SLOT))
        {
            // SAFETY: the kernel has filled in the address, and says how long it is.
            let peer = unsafe { SockAddr::new(name, message.msg_hdr.msg_namelen) };
            let (segment, local) = said_beside(&message.msg_hdr);
            let bytes = &slot[..(message.msg_len as usize).min(SLOT)];
            let segment = segment.unwrap_or(bytes.len());
            if !bytes.is_empty() && segment > 0 {
                take(&Arrived {
                    bytes,
                    segment,
                    peer: &peer,
                    local,
                });
            }
        }
        Ok(count > 0)
    }

    /// `also`: or until that can be read.
    fn wait(
        &mut self,
        timeout: Duration,
        blocked: bool,
        also: Option<BorrowedFd>,
    ) -> io::Result<()> {
        let events = if blocked {
            libc::POLLIN | libc::POLLOUT
        } else {
            libc::POLLIN
        };
        let fd = [Some(self.fd.as_fd()), also];
        let begun = Instant::now();
        let spin = self.spin.min(timeout);
        while begun.elapsed() < spin {
            if self.poller.poll(fd, events, Duration::ZERO)? {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        self.poller.poll(fd, events, timeout - spin)?;
        Ok(())
    }
}

/// What the kernel has not taken yet of a batch that was cut here.
#[derive(Debug, Default)]
struct Rest {
    bytes: Vec<u8>,
    segment: usize,
}

/// A UDP socket with one peer. What others send to it does not arrive.
#[derive(Debug)]
pub struct UdpLane {
    port: Port,
    path: Path,
    limit: usize,
    /// The kernel cuts batches.
    cuts: bool,
    rest: Rest,
    /// Batches that were lost because they could not be sent, and why.
    lost: u64,
    trouble: Option<io::Error>,
}

impl UdpLane {
    /// A lane to a peer, which need not be there yet.
    ///
    /// # Errors
    /// What is wrong, and what would be accepted.
    pub fn connect(peer: SocketAddr, options: &Options) -> Result<Self, LaneError> {
        let local = options.local.unwrap_or_else(|| any(peer));
        let (socket, notes) = socket(local, options)?;
        bind(&socket, local)?;
        Self::finish(socket, notes, peer, options)
    }

    /// A lane of a socket that has its own address.
    fn finish(
        socket: Socket,
        notes: Vec<String>,
        peer: SocketAddr,
        options: &Options,
    ) -> Result<Self, LaneError> {
        socket
            .connect(&peer.into())
            .map_err(|source| LaneError::Unreachable {
                peer: peer.to_string(),
                source,
            })?;
        let local = local_address(&socket)?;
        let mut lane = Self {
            port: Port::new(socket, notes, options.spin)?,
            path: Path {
                kind: Kind::Datagrams,
                local,
                peer,
            },
            limit: 0,
            cuts: options.offload,
            rest: Rest::default(),
            lost: 0,
            trouble: None,
        };
        lane.measure();
        Ok(lane)
    }

    /// Both addresses.
    #[must_use]
    pub fn path(&self) -> Path {
        self.path
    }

    /// Asks how long a datagram may be now.
    fn measure(&mut self) {
        let (level, option, headers) = match self.path.peer {
            SocketAddr::V4(_) => (libc::IPPROTO_IP, libc::IP_MTU, 20 + 8),
            SocketAddr::V6(_) => (libc::IPPROTO_IPV6, libc::IPV6_MTU, 40 + 8),
        };
        let mtu: libc::c_int = sys::option(&self.port.fd, level, option, 0).unwrap_or(0);
        // Every host takes 548 bytes.
        self.limit = (mtu as usize).saturating_sub(headers).clamp(548, BATCH);
    }

    /// Sends a batch in one piece, for the kernel to cut: `None` if it refuses that.
    fn whole(&mut self, pieces: &[IoSlice], segment: Option<u16>) -> io::Result<Option<bool>> {
        let control = || segment.map_or(Control::Nothing, Control::Segment);
        // The first answer may be about something that was sent before.
        let said = match self.port.send(None, pieces, control()) {
            Err(error) if passes(&error) => self.port.send(None, pieces, control()),
            said => said,
        };
        let error = match said {
            Ok(()) => return Ok(Some(true)),
            Err(error) => error,
        };
        if full(&error) {
            return Ok(Some(false));
        }
        let refused = matches!(
            error.raw_os_error(),
            Some(libc::EIO | libc::EINVAL | libc::EOPNOTSUPP)
        );
        if refused && segment.is_some() {
            return Ok(None);
        }
        if passes(&error) {
            self.trouble(error);
            return Ok(Some(true));
        }
        Err(error)
    }

    /// Sends a batch with one call but datagram by datagram. What the kernel has no room for after
    /// the first is kept. False if it took none.
    fn cut(&mut self, pieces: &[IoSlice], segment: usize) -> io::Result<bool> {
        let (mut parts, mut ends) = (Vec::new(), Vec::new());
        split(pieces, segment, &mut parts, &mut ends);
        let begin = |index: usize| if index == 0 { 0 } else { ends[index - 1] };
        let mut messages: Vec<libc::mmsghdr> = (0..ends.len())
            .map(|index| {
                // SAFETY: a C structure of integers and pointers, for which zero is a value.
                let mut message: libc::mmsghdr = unsafe { std::mem::zeroed() };
                let own = &parts[begin(index)..ends[index]];
                message.msg_hdr.msg_iov = own.as_ptr().cast_mut().cast();
                message.msg_hdr.msg_iovlen = own.len();
                message
            })
            .collect();
        let (mut sent, mut troubles) = (0, 0);
        while sent < messages.len() {
            let left = &mut messages[sent..];
            let (fd, count) = (self.port.fd.as_raw_fd(), left.len() as libc::c_uint);
            // SAFETY: `count` messages, whose parts live until the end of the call, which only
            // reads them.
            let said = unsafe { libc::sendmmsg(fd, left.as_mut_ptr(), count, libc::MSG_DONTWAIT) };
            match sys::check(said) {
                Ok(count) => (sent, troubles) = (sent + count as usize, 0),
                Err(error) if full(&error) => {
                    self.rest.segment = segment;
                    self.rest.bytes.clear();
                    if sent > 0 {
                        let left = parts[begin(sent)..].iter();
                        left.for_each(|part| self.rest.bytes.extend_from_slice(part));
                    }
                    return Ok(sent > 0);
                }
                // The first answer may be about something that was sent before.
                Err(error) if passes(&error) && troubles == 0 => troubles = 1,
                Err(error) if passes(&error) => {
                    self.trouble(error);
                    (sent, troubles) = (sent + 1, 0);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Something was lost on the way out.
    fn trouble(&mut self, error: io::Error) {
        if error.raw_os_error() == Some(libc::EMSGSIZE) {
            self.measure();
        }
        self.lost += 1;
        self.trouble = Some(error);
    }

    /// Sends what is left of a batch. False if there is still some.
    fn flush(&mut self) -> io::Result<bool> {
        if self.rest.bytes.is_empty() {
            return Ok(true);
        }
        let rest = std::mem::take(&mut self.rest);
        if !self.cut(&[IoSlice::new(&rest.bytes)], rest.segment)? {
            self.rest = rest;
        }
        Ok(self.rest.bytes.is_empty())
    }
}

/// Cuts pieces where a datagram ends. `ends` are the numbers of parts up to and with each datagram.
pub(super) fn split<'a>(
    pieces: &'a [IoSlice],
    segment: usize,
    parts: &mut Vec<IoSlice<'a>>,
    ends: &mut Vec<usize>,
) {
    let mut room = segment;
    for piece in pieces {
        let mut bytes: &[u8] = piece;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            parts.push(IoSlice::new(now));
            (bytes, room) = (later, room - now.len());
            if room == 0 {
                ends.push(parts.len());
                room = segment;
            }
        }
    }
    if ends.last() != Some(&parts.len()) && !parts.is_empty() {
        ends.push(parts.len());
    }
}

impl Lane for UdpLane {
    fn send(&mut self, pieces: &[IoSlice<'_>], segment: usize) -> io::Result<bool> {
        let length = check(pieces, segment, self.limit, self.batch(segment))?;
        if !self.flush()? {
            return Ok(false);
        }
        if length == 0 {
            return Ok(true);
        }
        if length <= segment {
            return self.whole(pieces, None).map(|taken| taken == Some(true));
        }
        if self.cuts {
            // It fits, as the limit does.
            if let Some(taken) = self.whole(pieces, Some(segment as u16))? {
                return Ok(taken);
            }
            self.measure();
            check(pieces, segment, self.limit, self.batch(segment))?;
            self.cuts = false;
        }
        self.cut(pieces, segment)
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        self.flush()?;
        let mut each =
            |arrived: &Arrived| arrived.bytes.chunks(arrived.segment).for_each(&mut *take);
        // The first answer may be about something that was sent.
        for _ in 0..2 {
            match self.port.receive(&mut each) {
                Err(error) if passes(&error) => {
                    if error.raw_os_error() == Some(libc::EMSGSIZE) {
                        self.measure();
                    }
                }
                said => return said,
            }
        }
        Ok(false)
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        let flushed = self.flush()?;
        self.port.wait(timeout, blocked || !flushed, None)
    }

    fn waker(&self) -> Waker {
        self.port.poller.waker()
    }

    fn limit(&self) -> usize {
        self.limit
    }

    fn buffer(&self) -> usize {
        self.port.buffer
    }

    fn drops(&self) -> u64 {
        self.port.drops()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.port.notes.clone();
        if !self.cuts {
            notes.push("datagrams sent one by one, which costs processor time: the way to the peer takes no batches".into());
        }
        if let Some(error) = &self.trouble {
            let (peer, lost) = (self.path.peer, self.lost);
            notes.push(format!(
                "could not send to {peer}, {lost} times; the last time: {error}"
            ));
        }
        notes
    }
}

/// A UDP socket that takes datagrams of anybody, until each peer has a lane of its own.
#[derive(Debug)]
pub struct UdpListener {
    port: Port,
    options: Options,
}

impl UdpListener {
    /// Listens at [`Options::local`].
    ///
    /// # Errors
    /// What is wrong, and what would be accepted.
    pub fn bind(options: &Options) -> Result<Self, LaneError> {
        let local = options
            .local
            .unwrap_or_else(|| (Ipv4Addr::UNSPECIFIED, 0).into());
        let (socket, notes) = socket(local, options)?;
        let (level, option) = if local.is_ipv6() {
            (libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO)
        } else {
            (libc::IPPROTO_IP, libc::IP_PKTINFO)
        };
        let set = sys::set_option(&socket, level, option, &(1 as libc::c_int));
        set.map_err(|source| LaneError::System {
            what: "ask for destination addresses",
            source,
        })?;
        bind(&socket, local)?;
        let local = local_address(&socket)?;
        Ok(Self {
            port: Port::new(socket, notes, options.spin)?,
            options: Options {
                local: Some(local),
                ..options.clone()
            },
        })
    }

    /// Its address: what was asked for, with the port that it has got.
    #[must_use]
    pub fn local(&self) -> SocketAddr {
        self.options
            .local
            .unwrap_or_else(|| (Ipv4Addr::UNSPECIFIED, 0).into())
    }

    /// Hands over some of what has arrived from peers without a lane, datagram by datagram, and
    /// says whether there was any. Does not wait.
    ///
    /// # Errors
    /// The socket is gone for good.
    pub fn receive_from(&mut self, take: &mut dyn FnMut(Path, &[u8])) -> io::Result<bool> {
        let own = self.local();
        let said = self.port.receive(&mut |arrived| {
            let Some(peer) = arrived.peer.as_socket() else {
                return;
            };
            let mut local = own;
            if let Some(address) = arrived.local {
                local.set_ip(address);
            }
            // An address of one link only means something together with the interface.
            if let (SocketAddr::V6(local), SocketAddr::V6(peer)) = (&mut local, peer) {
                local.set_scope_id(peer.scope_id());
            }
            let kind = Kind::Datagrams;
            let path = Path { kind, local, peer };
            arrived
                .bytes
                .chunks(arrived.segment)
                .for_each(|bytes| take(path, bytes));
        });
        match said {
            Err(error) if passes(&error) => Ok(false),
            said => said,
        }
    }

    /// Sends one datagram. It may be lost, also when there is no room for it now.
    ///
    /// # Errors
    /// The socket is gone for good.
    pub fn send_to(&mut self, path: Path, bytes: &[u8]) -> io::Result<()> {
        let (peer, pieces) = (path.peer.into(), [IoSlice::new(bytes)]);
        match self
            .port
            .send(Some(&peer), &pieces, Control::From(path.local))
        {
            Err(error) if !passes(&error) && !full(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Waits for an arrival, for the waker, or for so long. It may end earlier.
    ///
    /// # Errors
    /// The socket is gone for good.
    pub fn wait(&mut self, timeout: Duration) -> io::Result<()> {
        self.wait_also(timeout, None)
    }

    /// The same, or until something else can be read.
    pub(super) fn wait_also(
        &mut self,
        timeout: Duration,
        also: Option<BorrowedFd>,
    ) -> io::Result<()> {
        self.port.wait(timeout, false, also)
    }

    /// Ends a wait, also one that begins later.
    #[must_use]
    pub fn waker(&self) -> Waker {
        self.port.poller.waker()
    }

    /// What the kernel gave less of than was asked for, and how to get it; a line each.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.port.notes
    }

    /// A lane to a peer, at the address that it has sent to. What it sends from now on arrives
    /// there, and no longer here; what it has sent before is still here.
    ///
    /// # Errors
    /// What is wrong, and what would be accepted.
    pub fn lane(&mut self, path: Path) -> Result<UdpLane, LaneError> {
        let fail = |what| move |source: io::Error| LaneError::System { what, source };
        let (socket, notes) = socket(path.local, &self.options)?;
        // Until it is connected, the new socket is in the way of this one: what arrives there
        // meanwhile is lost, and not delivered to the wrong lane.
        let nothing = [sys::filter_op(libc::BPF_RET | libc::BPF_K, 0, 0)];
        sys::filter(&socket, &nothing).map_err(fail("set a filter"))?;
        // Two sockets share a port if both say so. This one says so just now, or another program
        // could take part later.
        let shares = |share| socket2::SockRef::from(&self.port.fd).set_reuse_address(share);
        shares(true)
            .and_then(|()| socket.set_reuse_address(true))
            .map_err(fail("share a port"))?;
        let bound = bind(&socket, path.local);
        shares(false).map_err(fail("share a port"))?;
        bound?;
        let mut lane = UdpLane::finish(socket, notes, path.peer, &self.options)?;
        let none: libc::c_int = 0;
        sys::set_option(
            &lane.port.fd,
            libc::SOL_SOCKET,
            libc::SO_DETACH_FILTER,
            &none,
        )
        .map_err(fail("remove a filter"))?;
        lane.port.ignored = lane.port.lost();
        Ok(lane)
    }
}

#[cfg(test)]
mod tests;
