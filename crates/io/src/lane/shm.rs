// SPDX-License-Identifier: Apache-2.0
//! Memory that two processes of one machine share: a ring for each direction, into which the sender
//! copies datagrams, and out of which the receiver copies them. No call to the kernel as long as
//! both ends are busy.
//!
//! ```text
//! memory: [header, positions and flags: a page] [ring of end 0] [ring of end 1]
//! ring:   8 bytes length, datagram, padding to 8; 8 bytes length, ...
//! ```
//!
//! Both ends hold a socket to each other. A byte in it wakes an end that has said that it sleeps;
//! its end tells that the peer has died. Then what is sent is lost, as on every lane, and nothing
//! arrives any more.
//!
//! **An end does not trust its peer with its own memory.** Lengths and positions that the peer
//! writes are read once and checked; what is between them is copied before anybody looks at it. The
//! memory is sealed: the peer cannot take a part of it away. A position that makes no sense ends
//! the lane with an error.

use super::{BATCH, Lane, LaneError, check};
use crate::link::Waker;
use crate::sys::{self, Poller};
use memmap2::{MmapOptions, MmapRaw};
use std::io::{self, IoSlice, Read};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

/// Sizes of a ring that are accepted, bytes.
pub const SIZES: std::ops::RangeInclusive<usize> = 1 << 18..=1 << 30;
/// Size that is good for most: it stays in the cache of a processor.
pub const SIZE: usize = 1 << 20;

/// Bytes in front of the rings: a page.
const HEAD: usize = 4096;
/// First word of the memory: what it is, and the version of its layout.
const MAGIC: u64 = u64::from_be_bytes(*b"ropeshm1");
/// Bytes of a length.
const LENGTH: usize = 8;
/// Most bytes that one `receive` hands over.
const TURN: usize = 1 << 17;
/// Bytes between things that different ends write.
const LINE: usize = 128;
/// Where the size of a ring stands.
const SIZE_AT: usize = 8;

/// A thing in the first page that belongs to the ring of an end.
#[derive(Debug, Clone, Copy)]
enum Word {
    /// Bytes written so far. Of the sender.
    Tail = 1,
    /// Bytes read so far. Of the receiver.
    Head = 2,
    /// The receiver sleeps until something is written.
    Sleeps = 3,
    /// The sender waits until something is read.
    Blocked = 4,
}

/// What stays the same of a mapping whatever the peer does: the memory lasts as long as this.
#[derive(Debug)]
struct Memory {
    /// The page, and the rings, each of them twice in a row: what passes the end of a ring goes on
    /// at its beginning.
    memory: MmapRaw,
    size: usize,
}

impl Memory {
    fn map(fd: &OwnedFd, size: usize) -> io::Result<Self> {
        // A new mapping, which keeps the place.
        let mut place = MmapOptions::new();
        place.len(HEAD + 4 * size).no_reserve_swap();
        let memory = Self {
            memory: place.map_anon()?.into(),
            size,
        };
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let parts = [
            (0, 0, HEAD),
            (HEAD, HEAD, size),
            (HEAD + size, HEAD, size),
            (HEAD + 2 * size, HEAD + size, size),
            (HEAD + 3 * size, HEAD + size, size),
        ];
        for (place, from, length) in parts {
            let kind = libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_POPULATE;
            let (fd, from) = (fd.as_raw_fd(), from as libc::off_t);
            // SAFETY: replaces a part of the mapping that was just made.
            let said = unsafe {
                let place = memory.base().add(place).cast();
                libc::mmap(place, length, access, kind, fd, from)
            };
            if said == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(memory)
    }

    fn base(&self) -> *mut u8 {
        self.memory.as_mut_ptr()
    }

    /// A word of 8 bytes of the first page.
    fn at(&self, place: usize) -> &AtomicU64 {
        debug_assert!(place + 8 <= HEAD && place.is_multiple_of(8));
        // SAFETY: inside the mapping and aligned; only used as an atomic one, by both processes.
        unsafe { AtomicU64::from_ptr(self.base().add(place).cast()) }
    }

    /// A word that belongs to the ring of an end.
    fn word(&self, end: usize, word: Word) -> &AtomicU64 {
        self.at(LINE * (8 * end + word as usize))
    }

    /// Where a position of the ring of an end lies. Up to `size` bytes from there on are in the
    /// mapping.
    fn place(&self, end: usize, position: u64) -> *mut u8 {
        let offset = position as usize & (self.size - 1);
        // SAFETY: inside the mapping.
        unsafe { self.base().add(HEAD + 2 * end * self.size + offset) }
    }

    /// A length in a ring.
    fn length(&self, end: usize, position: u64) -> &AtomicU32 {
        debug_assert!(position.is_multiple_of(LENGTH as u64));
        // SAFETY: inside the mapping and aligned, as positions are multiples of 8; only used as an
        // atomic one.
        unsafe { AtomicU32::from_ptr(self.place(end, position).cast()) }
    }
}

/// Bytes that a datagram takes in a ring.
fn room(length: usize) -> u64 {
    (LENGTH + length).next_multiple_of(LENGTH) as u64
}

/// The peer has broken the layout.
fn nonsense(what: &str, value: u64) -> io::Error {
    let text = format!("the peer has written nonsense into the shared memory: {what} {value}");
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// A lane through shared memory.
#[derive(Debug)]
pub struct ShmLane {
    memory: Memory,
    /// 0 or 1: the ring that it writes.
    end: usize,
    /// Bytes written to its own ring, and read from the other.
    tail: u64,
    head: u64,
    /// To the peer, as long as it lives.
    bell: Option<UnixStream>,
    poller: Poller,
    copy: Vec<u8>,
}

impl ShmLane {
    fn new(memory: Memory, end: usize, bell: UnixStream) -> io::Result<Self> {
        bell.set_nonblocking(true)?;
        Ok(Self {
            memory,
            end,
            tail: 0,
            head: 0,
            bell: Some(bell),
            poller: Poller::new()?,
            copy: vec![0; BATCH],
        })
    }

    /// Two ends in one process, with rings of `size` bytes ([`SIZES`], a power of two).
    ///
    /// # Errors
    /// What is wrong, and what would be accepted.
    pub fn pair(size: usize) -> Result<[Self; 2], LaneError> {
        let fd = memory(size)?;
        let fail = |source| LaneError::System {
            what: "share memory",
            source,
        };
        (|| {
            let (near, far) = UnixStream::pair()?;
            let near = Self::new(Memory::map(&fd, size)?, 0, near)?;
            let far = Self::new(Memory::map(&fd, size)?, 1, far)?;
            Ok([near, far])
        })()
        .map_err(fail)
    }

    /// The other end of a [`ShmListener`] at this path.
    ///
    /// # Errors
    /// What is wrong, and what would be accepted.
    pub fn connect(path: &Path) -> Result<Self, LaneError> {
        Self::connect_within(path, Duration::from_secs(5))
    }

    /// The same, for a listener that takes peers within so long.
    fn connect_within(path: &Path, limit: Duration) -> Result<Self, LaneError> {
        let fail = |what| move |source: io::Error| LaneError::System { what, source };
        let socket = socket2::Socket::new(socket2::Domain::UNIX, socket2::Type::STREAM, None)
            .map_err(fail("open a local socket"))?;
        // It holds for the connection as well, if more wait for the listener already than it has
        // places for.
        socket
            .set_write_timeout(Some(limit))
            .and_then(|()| socket.set_read_timeout(Some(limit)))
            .map_err(fail("set a limit"))?;
        socket2::SockAddr::unix(path)
            .and_then(|address| socket.connect(&address))
            .map_err(|source| LaneError::Unreachable {
                peer: path.display().to_string(),
                source: if source.kind() == io::ErrorKind::WouldBlock {
                    let text = format!("it has taken no peer for {limit:?}");
                    io::Error::new(io::ErrorKind::TimedOut, text)
                } else {
                    source
                },
            })?;
        let bell = UnixStream::from(OwnedFd::from(socket));
        let fd = receive_fd(&bell).map_err(fail("take over shared memory"))?;
        let size = checked(&fd).map_err(fail("use shared memory"))?;
        let memory = Memory::map(&fd, size).map_err(fail("map shared memory"))?;
        Self::new(memory, 1, bell).map_err(fail("make a lane"))
    }

    /// Whether the peer lives, as far as is known: what was sent or waited for since then would
    /// have told.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.bell.is_some()
    }

    /// Wakes the peer.
    fn ring(&mut self) {
        let Some(bell) = &self.bell else {
            return;
        };
        let (fd, flags) = (bell.as_raw_fd(), libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT);
        // SAFETY: one byte, which the kernel reads.
        let said = unsafe { libc::send(fd, [0u8].as_ptr().cast(), 1, flags) };
        // A full socket has enough to wake it.
        if said < 0 && io::Error::last_os_error().kind() == io::ErrorKind::BrokenPipe {
            self.bell = None;
        }
    }

    /// Takes the bytes out of the socket that have woken this end.
    fn silence(&mut self) {
        let Some(mut bell) = self.bell.as_ref() else {
            return;
        };
        match bell.read(&mut [0; 64]) {
            Ok(0) => self.bell = None,
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => self.bell = None,
            _ => {}
        }
    }

    /// Bytes in the other end's ring.
    fn arrived(&self) -> io::Result<u64> {
        let tail = self.memory.word(1 - self.end, Word::Tail);
        let tail = tail.load(Ordering::Acquire);
        let count = tail.wrapping_sub(self.head);
        if count > self.memory.size as u64 || !count.is_multiple_of(LENGTH as u64) {
            return Err(nonsense("position of writing", tail));
        }
        Ok(count)
    }

    /// Bytes that its own ring has room for.
    fn free(&self) -> io::Result<u64> {
        let head = self.memory.word(self.end, Word::Head);
        let head = head.load(Ordering::Acquire);
        let size = self.memory.size as u64;
        let used = self.tail.wrapping_sub(head);
        if used > size {
            return Err(nonsense("position of reading", head));
        }
        Ok(size - used)
    }
}

impl Lane for ShmLane {
    fn send(&mut self, pieces: &[IoSlice<'_>], segment: usize) -> io::Result<bool> {
        let length = check(pieces, segment, BATCH, self.batch(segment))?;
        if self.bell.is_none() || length == 0 {
            return Ok(true);
        }
        let last = length % segment;
        let tail_room = if last == 0 { 0 } else { room(last) };
        let whole = room(segment.min(length)) * (length / segment) as u64 + tail_room;
        if whole > self.free()? {
            return Ok(false);
        }
        let (mut left, mut missing) = (length, 0);
        let mut place = std::ptr::null_mut::<u8>();
        for piece in pieces {
            let mut bytes: &[u8] = piece;
            while !bytes.is_empty() {
                if missing == 0 {
                    missing = segment.min(left);
                    let length = self.memory.length(self.end, self.tail);
                    length.store(missing as u32, Ordering::Relaxed);
                    // SAFETY: a datagram and its length have room in the mapping, as there is room
                    // in the ring.
                    place = unsafe { self.memory.place(self.end, self.tail).add(LENGTH) };
                    self.tail = self.tail.wrapping_add(room(missing));
                }
                let now = bytes.len().min(missing);
                // SAFETY: `now` of the bytes that have room there; nobody reads them before the
                // position is stored, and if the peer does, it harms itself.
                unsafe {
                    std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, now);
                    place = place.add(now);
                }
                (missing, left, bytes) = (missing - now, left - now, &bytes[now..]);
            }
        }
        let tail = self.memory.word(self.end, Word::Tail);
        tail.store(self.tail, Ordering::Release);
        // Either the receiver sees the position before it sleeps, or this end sees that it sleeps.
        fence(Ordering::SeqCst);
        let sleeps = self.memory.word(self.end, Word::Sleeps);
        if sleeps.load(Ordering::Relaxed) != 0 {
            sleeps.store(0, Ordering::Relaxed);
            self.ring();
        }
        Ok(true)
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        let other = 1 - self.end;
        let (mut count, mut done) = (self.arrived()?, 0);
        if count == 0 {
            return Ok(false);
        }
        while count > 0 && done < TURN {
            let length = self.memory.length(other, self.head);
            let length = length.load(Ordering::Relaxed) as usize;
            if length == 0 || length > BATCH || room(length) > count {
                return Err(nonsense("length", length as u64));
            }
            // SAFETY: the bytes are in the mapping, as they are in the ring. The peer may write to
            // them meanwhile, against the rules: then the copy is some mixture of bytes.
            unsafe {
                let from = self.memory.place(other, self.head).add(LENGTH);
                std::ptr::copy_nonoverlapping(from, self.copy.as_mut_ptr(), length);
            }
            self.head = self.head.wrapping_add(room(length));
            take(&self.copy[..length]);
            (count, done) = (count - room(length), done + room(length) as usize);
        }
        let head = self.memory.word(other, Word::Head);
        head.store(self.head, Ordering::Release);
        fence(Ordering::SeqCst);
        let blocked = self.memory.word(other, Word::Blocked);
        if blocked.load(Ordering::Relaxed) != 0 {
            blocked.store(0, Ordering::Relaxed);
            self.ring();
        }
        Ok(true)
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        let sleeps = self.memory.word(1 - self.end, Word::Sleeps);
        sleeps.store(1, Ordering::Relaxed);
        if blocked {
            let blocked = self.memory.word(self.end, Word::Blocked);
            blocked.store(1, Ordering::Relaxed);
        }
        fence(Ordering::SeqCst);
        // Half a ring is room enough to go on.
        let room = blocked && self.free()? >= self.memory.size as u64 / 2;
        if self.arrived()? == 0 && !room {
            let bell = self.bell.as_ref().map(|bell| bell.as_fd());
            if self.poller.poll([bell], libc::POLLIN, timeout)? {
                self.silence();
            }
        }
        let sleeps = self.memory.word(1 - self.end, Word::Sleeps);
        sleeps.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn waker(&self) -> Waker {
        self.poller.waker()
    }

    fn limit(&self) -> usize {
        BATCH
    }

    fn buffer(&self) -> usize {
        self.memory.size
    }

    fn drops(&self) -> u64 {
        0
    }

    fn notes(&self) -> Vec<String> {
        if self.is_alive() {
            return Vec::new();
        }
        vec!["the process at the other end of the shared memory has ended".into()]
    }
}

/// Waits for the peer of a lane at a path.
#[derive(Debug)]
pub struct ShmListener {
    listener: UnixListener,
    path: PathBuf,
    size: usize,
}

impl ShmListener {
    /// A socket at this path, which only this user can open, for lanes with rings of `size` bytes
    /// ([`SIZES`], a power of two).
    ///
    /// # Errors
    /// What is wrong, and what would be accepted.
    pub fn bind(path: &Path, size: usize) -> Result<Self, LaneError> {
        check_size(size)?;
        let fail = |what| move |source: io::Error| LaneError::System { what, source };
        let socket = socket2::Socket::new(socket2::Domain::UNIX, socket2::Type::STREAM, None)
            .map_err(fail("open a local socket"))?;
        // What the socket permits now, its file will.
        // SAFETY: takes two numbers.
        sys::check(unsafe { libc::fchmod(socket.as_raw_fd(), 0o600) })
            .map_err(fail("restrict a local socket to this user"))?;
        socket2::SockAddr::unix(path)
            .and_then(|address| socket.bind(&address))
            .map_err(|source| LaneError::Address {
                address: path.display().to_string(),
                remedy: match source.raw_os_error() {
                    Some(libc::EADDRINUSE) => "it exists: another program has it, or has left it; remove it in the latter case",
                    _ => "accepted are paths of up to 107 bytes in a directory that exists",
                },
                source,
            })?;
        socket.listen(8).map_err(fail("listen"))?;
        socket
            .set_nonblocking(true)
            .map_err(fail("listen without waiting"))?;
        Ok(Self {
            listener: OwnedFd::from(socket).into(),
            path: path.to_owned(),
            size,
        })
    }

    /// The lane to the next peer, or none if none comes in this time.
    ///
    /// # Errors
    /// What is wrong.
    pub fn accept(&self, timeout: Duration) -> Result<Option<ShmLane>, LaneError> {
        let fail = |what| move |source: io::Error| LaneError::System { what, source };
        let begun = Instant::now();
        let bell = loop {
            match self.listener.accept() {
                Ok((bell, _)) => break bell,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(fail("accept a peer")(error)),
            }
            let left = timeout.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Ok(None);
            }
            let poller = Poller::new().map_err(fail("wait"))?;
            let fd = [Some(self.listener.as_fd())];
            poller
                .poll(fd, libc::POLLIN, left)
                .map_err(fail("wait for a peer"))?;
        };
        let fd = memory(self.size)?;
        send_fd(&bell, &fd).map_err(fail("hand over shared memory"))?;
        let memory = Memory::map(&fd, self.size).map_err(fail("map shared memory"))?;
        ShmLane::new(memory, 0, bell)
            .map(Some)
            .map_err(fail("make a lane"))
    }
}

impl Drop for ShmListener {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn check_size(size: usize) -> Result<(), LaneError> {
    if SIZES.contains(&size) && size.is_power_of_two() {
        return Ok(());
    }
    let accepted = format!(
        "{size} bytes: accepted are powers of two from {} to {}",
        SIZES.start(),
        SIZES.end()
    );
    Err(LaneError::System {
        what: "make a ring",
        source: io::Error::new(io::ErrorKind::InvalidInput, accepted),
    })
}

/// What is sealed: nobody changes the size, and nobody takes the seals away.
const SEALS: libc::c_int = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

/// Memory for two rings, sealed.
fn memory(size: usize) -> Result<OwnedFd, LaneError> {
    check_size(size)?;
    (|| {
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        // SAFETY: a C string and a number.
        let fd = sys::check(unsafe { libc::memfd_create(c"ropewalk".as_ptr(), flags) })?;
        // SAFETY: a new descriptor, which nobody else has.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        let file = std::fs::File::from(fd);
        file.set_len((HEAD + 2 * size) as u64)?;
        let words = [MAGIC.to_ne_bytes(), (size as u64).to_ne_bytes()].concat();
        std::os::unix::fs::FileExt::write_all_at(&file, &words, 0)?;
        let fd = OwnedFd::from(file);
        // SAFETY: takes three numbers.
        sys::check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_ADD_SEALS, SEALS) })?;
        Ok(fd)
    })()
    .map_err(|source| LaneError::System {
        what: "make shared memory",
        source,
    })
}

/// The size of the rings of memory that came from a peer, if it is what it should be.
fn checked(fd: &OwnedFd) -> io::Result<usize> {
    let wrong = |text: String| Err(io::Error::new(io::ErrorKind::InvalidData, text));
    // SAFETY: takes two numbers.
    let seals = sys::check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GET_SEALS) })?;
    if seals & SEALS != SEALS {
        return wrong(format!("its seals are {seals:#x}: {SEALS:#x} are needed"));
    }
    let file = std::fs::File::from(fd.try_clone()?);
    let mut words = [0; 16];
    std::os::unix::fs::FileExt::read_exact_at(&file, &mut words, 0)?;
    let word = |at: usize| u64::from_ne_bytes(std::array::from_fn(|i| words[at + i]));
    if word(0) != MAGIC {
        return wrong(format!(
            "it begins with {:#x}, not {MAGIC:#x}: another version",
            word(0)
        ));
    }
    let size = usize::try_from(word(SIZE_AT)).unwrap_or(0);
    let length = file.metadata()?.len();
    if check_size(size).is_err() || length != (HEAD + 2 * size) as u64 {
        return wrong(format!("rings of {size} bytes in {length} bytes of memory"));
    }
    Ok(size)
}

/// Room for one descriptor beside a message.
type Beside = [u64; 4];

/// A message of one byte with room for a descriptor.
fn message(byte: &mut libc::iovec, beside: &mut Beside) -> libc::msghdr {
    // SAFETY: a C structure of integers and pointers, for which zero is a value.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = byte;
    message.msg_iovlen = 1;
    message.msg_control = beside.as_mut_ptr().cast();
    // SAFETY: a sum.
    message.msg_controllen = unsafe { libc::CMSG_SPACE(size_of::<libc::c_int>() as u32) } as usize;
    message
}

/// Hands a descriptor over.
fn send_fd(to: &UnixStream, fd: &OwnedFd) -> io::Result<()> {
    let (mut byte, mut beside) = ([0u8], Beside::default());
    let mut part = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: 1,
    };
    let message = message(&mut part, &mut beside);
    // SAFETY: there is room for one control message with a descriptor; the call reads everything
    // before it ends.
    let said = unsafe {
        let header = libc::CMSG_FIRSTHDR(&message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<libc::c_int>() as u32) as _;
        std::ptr::write_unaligned(libc::CMSG_DATA(header).cast(), fd.as_raw_fd());
        libc::sendmsg(to.as_raw_fd(), &message, libc::MSG_NOSIGNAL)
    };
    if said < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Takes a descriptor over.
fn receive_fd(from: &UnixStream) -> io::Result<OwnedFd> {
    let (mut byte, mut beside) = ([0u8], Beside::default());
    let mut part = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: 1,
    };
    let mut message = message(&mut part, &mut beside);
    let (socket, flags) = (from.as_raw_fd(), libc::MSG_CMSG_CLOEXEC);
    // SAFETY: the kernel fills in one byte, and control data as far as there is room.
    if unsafe { libc::recvmsg(socket, &mut message, flags) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // All that came with it is taken, and closed if it is not what was expected: there may be room
    // for more than one.
    let mut taken = Vec::new();
    // SAFETY: the kernel has filled in the control data, and says how long they are.
    let mut header = unsafe { libc::CMSG_FIRSTHDR(&message) };
    while !header.is_null() {
        // SAFETY: as above; a message of this kind has descriptors as far as it goes, which are
        // ours from now on.
        unsafe {
            let (level, kind) = ((*header).cmsg_level, (*header).cmsg_type);
            if (level, kind) == (libc::SOL_SOCKET, libc::SCM_RIGHTS) {
                let bytes = (*header).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                let first = libc::CMSG_DATA(header).cast::<libc::c_int>();
                for index in 0..bytes / size_of::<libc::c_int>() {
                    let fd = std::ptr::read_unaligned(first.add(index));
                    taken.push(OwnedFd::from_raw_fd(fd));
                }
            }
            header = libc::CMSG_NXTHDR(&message, header);
        }
    }
    if let Ok([fd]) = <[OwnedFd; 1]>::try_from(taken) {
        return Ok(fd);
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidData,
        "the peer sends no memory, or more than one: it is another program",
    ))
}

#[cfg(test)]
mod tests;
