// SPDX-License-Identifier: Apache-2.0
//! A network interface, by an AF_XDP socket: frames go by the network stack of the kernel.
//!
//! Kernel and process share memory, cut into pieces of 4 KiB, and four rings through which they
//! hand pieces to each other. Half of it all is that receiving and sending have pieces of their
//! own, so neither takes from the other.
//!
//! ```text
//! receive: pieces --fill--> kernel, which writes frames --rx--> here --fill--> ..
//! send:    frames --tx--> kernel, which sends them --completion--> free pieces
//! ```
//!
//! * **Frames that are longer than a piece** lie in several of them, which the kernel can since
//!   6.6.
//! * **When the pieces are all full, the kernel drops frames.** Its counters say how many, not
//!   where. So the program on the interface (`bpf.rs`) numbers frames before that can happen, and
//!   every hole is an [`Arrival::Gap`]. The ring behind the kernel has an entry for every piece, so
//!   it is never full itself.
//! * **Modes**, the best that the interface can do: the program in the driver or behind it, frames
//!   in place ("zero copy") or copied.
//! * **One queue**, number 0. An interface that spreads frames over several loses those of the
//!   others; [`XdpLink::open`] notes it.
//!
//! A frame that was taken for sending is the kernel's: its piece is not written again before the
//! kernel has given it back.

use crate::bpf::{NUMBER, Place, Program};
use crate::link::{Arrival, ETHERNET, OpenError, RawLink, Waker};
use crate::sys::{self, Interface, Poller};
use memmap2::{MmapOptions, MmapRaw};
use ropewalk_wire::htsp::Mac;
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// Bytes of a piece of memory.
const PIECE: usize = 1 << 12;
/// What the kernel keeps free in front of a received frame.
const HEADROOM: usize = 256;
/// What a piece holds of a received frame.
const ROOM: usize = PIECE - HEADROOM;
/// Pieces for sending.
const SEND_PIECES: usize = 1 << 10;
/// Pieces that wait for the kernel to send them.
const SEND_RING: usize = 1 << 8;
/// How long and how often an interface is tried that is taken.
const PATIENCE: Duration = Duration::from_secs(1);
const AGAIN: Duration = Duration::from_millis(5);
/// Pieces that are looked at in one call.
const BATCH: u32 = 64;

/// How an interface is opened.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Only frames of this EtherType; the kernel keeps all others.
    pub ethertype: u16,
    /// Bytes for frames that arrive: a power of two, 256 KiB or more; other numbers are rounded
    /// down. A frame takes one piece of 4 KiB, or as many as it needs.
    pub ring: usize,
    /// Not in the driver, although it could.
    pub generic: bool,
}

/// Memory of this process, mapped.
#[derive(Debug)]
struct Memory(MmapRaw);

impl Memory {
    /// `length` bytes of a socket from `place` on.
    fn of(fd: &OwnedFd, length: usize, place: u64) -> io::Result<Self> {
        let mut options = MmapOptions::new();
        options.len(length).offset(place).populate();
        options.map_raw(fd).map(Self)
    }

    /// `length` bytes of their own.
    fn own(length: usize) -> io::Result<Self> {
        Ok(Self(MmapOptions::new().len(length).map_anon()?.into()))
    }

    fn base(&self) -> *mut u8 {
        self.0.as_mut_ptr()
    }

    /// A place in it, with room for `length` bytes behind it.
    fn place(&self, at: u64, length: usize) -> Option<*mut u8> {
        let at = usize::try_from(at).ok()?;
        // SAFETY: it stays inside the mapping.
        (at.checked_add(length)? <= self.0.len()).then(|| unsafe { self.base().add(at) })
    }
}

/// A ring of entries of the kind `T` that one side fills and the other one empties. Both count
/// without end; what they have counted to lies in words that both see.
#[derive(Debug)]
struct Ring<T> {
    memory: Memory,
    offsets: libc::xdp_ring_offset,
    size: u32,
    /// What this side has counted to, known to the kernel or not.
    own: u32,
    kind: std::marker::PhantomData<T>,
}

impl<T: Copy> Ring<T> {
    /// Asks for a ring of `size` entries, a power of two, and maps it.
    fn new(
        fd: &OwnedFd,
        option: i32,
        size: usize,
        place: u64,
        offsets: fn(&libc::xdp_mmap_offsets) -> libc::xdp_ring_offset,
    ) -> io::Result<Self> {
        sys::set_option(fd, libc::SOL_XDP, option, &(size as libc::c_int))?;
        // SAFETY: a C structure of integers, for which zero is a value.
        let zero: libc::xdp_mmap_offsets = unsafe { std::mem::zeroed() };
        let all = sys::option(fd, libc::SOL_XDP, libc::XDP_MMAP_OFFSETS, zero)?;
        let offsets = offsets(&all);
        let length = offsets.desc as usize + size * size_of::<T>();
        let memory = Memory::of(fd, length, place)?;
        let ends = [offsets.producer, offsets.consumer, offsets.flags];
        if ends.iter().any(|&at| memory.place(at, 4).is_none()) {
            return Err(io::Error::other("the kernel's ring makes no sense"));
        }
        Ok(Self {
            memory,
            offsets,
            size: size as u32,
            own: 0,
            kind: std::marker::PhantomData,
        })
    }

    /// One of the words that both sides see.
    fn word(&self, at: u64) -> &AtomicU32 {
        // SAFETY: inside the mapping, as `new` has checked, and aligned, as the kernel has laid it;
        // only used as an atomic word.
        unsafe { AtomicU32::from_ptr(self.memory.base().add(at as usize).cast()) }
    }

    fn entry(&self, index: u32) -> *mut T {
        let place = (index % self.size) as usize;
        // SAFETY: inside the mapping, whose length counts all entries.
        unsafe {
            let first = self.memory.base().add(self.offsets.desc as usize);
            first.cast::<T>().add(place)
        }
    }

    /// Entries that the kernel has filled and this side has not taken.
    fn filled(&self) -> u32 {
        let producer = self.word(self.offsets.producer).load(Ordering::Acquire);
        producer.wrapping_sub(self.own).min(self.size)
    }

    /// Takes an entry, if there is one. The kernel learns of it by [`Ring::taken`].
    fn take(&mut self) -> Option<T> {
        if self.filled() == 0 {
            return None;
        }
        // SAFETY: the kernel has filled it, and does not touch it before it is given back.
        let entry = unsafe { self.entry(self.own).read() };
        self.own = self.own.wrapping_add(1);
        Some(entry)
    }

    /// Gives back all that was taken.
    fn taken(&self) {
        let consumer = self.word(self.offsets.consumer);
        consumer.store(self.own, Ordering::Release);
    }

    /// Entries that this side has filled and the kernel has not taken.
    fn waiting(&self) -> u32 {
        let consumer = self.word(self.offsets.consumer).load(Ordering::Acquire);
        self.own.wrapping_sub(consumer)
    }

    /// Fills an entry, of which there must be one. The kernel learns of it by [`Ring::given`].
    fn put(&mut self, entry: T) {
        debug_assert!(self.waiting() < self.size);
        // SAFETY: the kernel does not look at it before it is told.
        unsafe { self.entry(self.own).write(entry) };
        self.own = self.own.wrapping_add(1);
    }

    /// Hands over all that was filled.
    fn given(&self) {
        let producer = self.word(self.offsets.producer);
        producer.store(self.own, Ordering::Release);
    }

    /// Whether the kernel goes on only when it is called.
    fn is_asleep(&self) -> bool {
        let flags = self.word(self.offsets.flags).load(Ordering::Acquire);
        flags & libc::XDP_RING_NEED_WAKEUP != 0
    }
}

/// What a failure while an interface is opened says to who asked for it.
fn refusal(name: &str, what: &'static str, source: io::Error) -> OpenError {
    match source.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => OpenError::Xdp,
        Some(libc::ENOBUFS | libc::ENOMEM) => OpenError::Locked,
        Some(libc::EBUSY | libc::EEXIST) => OpenError::Taken(name.to_owned()),
        Some(libc::EAFNOSUPPORT | libc::ENOSYS) => OpenError::NoXdp,
        _ => OpenError::System {
            name: name.to_owned(),
            what,
            source,
        },
    }
}

/// Memory for so many pieces that arrive and all that are sent, shared with the kernel; else what
/// has failed.
fn share(fd: &OwnedFd, pieces: usize) -> Result<Memory, (&'static str, io::Error)> {
    let length = (pieces + SEND_PIECES) * PIECE;
    let memory = Memory::own(length).map_err(|error| ("get memory", error))?;
    let request = libc::xdp_umem_reg {
        addr: memory.base() as u64,
        len: length as u64,
        chunk_size: PIECE as u32,
        headroom: 0,
        flags: 0,
        tx_metadata_len: 0,
    };
    let set = sys::set_option(fd, libc::SOL_XDP, libc::XDP_UMEM_REG, &request);
    set.map_err(|error| ("share memory", error))?;
    Ok(memory)
}

/// The four rings of a socket.
struct Rings {
    fill: Ring<u64>,
    done: Ring<u64>,
    arrived: Ring<libc::xdp_desc>,
    leaving: Ring<libc::xdp_desc>,
}

impl Rings {
    fn new(fd: &OwnedFd, pieces: usize) -> io::Result<Self> {
        Ok(Self {
            fill: Ring::new(
                fd,
                libc::XDP_UMEM_FILL_RING,
                // The kernel may tell of frames before it tells that it has taken their pieces.
                2 * pieces,
                libc::XDP_UMEM_PGOFF_FILL_RING,
                |all| all.fr,
            )?,
            done: Ring::new(
                fd,
                libc::XDP_UMEM_COMPLETION_RING,
                SEND_PIECES,
                libc::XDP_UMEM_PGOFF_COMPLETION_RING,
                |all| all.cr,
            )?,
            arrived: Ring::new(
                fd,
                libc::XDP_RX_RING,
                pieces,
                libc::XDP_PGOFF_RX_RING as u64,
                |all| all.rx,
            )?,
            leaving: Ring::new(
                fd,
                libc::XDP_TX_RING,
                SEND_RING,
                libc::XDP_PGOFF_TX_RING as u64,
                |all| all.tx,
            )?,
        })
    }
}

/// A network interface.
#[derive(Debug)]
pub struct XdpLink {
    name: String,
    fd: OwnedFd,
    /// For questions about the interface.
    control: OwnedFd,
    _program: Program,
    memory: Memory,
    fill: Ring<u64>,
    arrived: Ring<libc::xdp_desc>,
    leaving: Ring<libc::xdp_desc>,
    done: Ring<u64>,
    /// Pieces for sending that nobody uses, the one that was given back first in front.
    free: VecDeque<u64>,
    /// Pieces of a frame whose end is still to come.
    begun: Vec<u8>,
    /// Number of the next frame, if there was one before.
    awaited: Option<u64>,
    drops: u64,
    interface: Interface,
    poller: Poller,
    notes: Vec<String>,
}

impl XdpLink {
    /// Opens an interface that is up.
    ///
    /// # Errors
    /// What is missing, and how to get it.
    pub fn open(name: &str, options: &Options) -> Result<Self, OpenError> {
        sys::request(name)?;
        let fail = |what| move |source| refusal(name, what, source);
        let control =
            sys::socket(libc::AF_INET, libc::SOCK_DGRAM, 0).map_err(fail("look at it"))?;
        let interface = sys::interface(control.as_fd(), name)?;
        if sys::flags(control.as_fd(), name)? & libc::IFF_UP == 0 {
            return Err(OpenError::Down(name.to_owned()));
        }
        let fd = sys::socket(libc::AF_XDP, libc::SOCK_RAW, 0).map_err(fail("open a socket"))?;
        let pieces = (options.ring / PIECE).max(64);
        let pieces = 1usize << pieces.ilog2();
        let memory = share(&fd, pieces).map_err(|(what, source)| fail(what)(source))?;
        let rings = Rings::new(&fd, pieces).map_err(fail("make rings"))?;
        let Rings {
            mut fill,
            done,
            arrived,
            leaving,
        } = rings;
        for piece in 0..pieces {
            fill.put((piece * PIECE) as u64);
        }
        fill.given();
        let fragments = interface.mtu + ETHERNET + NUMBER > ROOM;
        let unfit = |error: io::Error| match error.raw_os_error() {
            Some(libc::EINVAL | libc::EOPNOTSUPP) if fragments => OpenError::XdpMtu {
                name: name.to_owned(),
                mtu: interface.mtu,
                most: ROOM - ETHERNET - NUMBER,
            },
            _ => fail("bind")(error),
        };
        let mut program =
            Program::load(options.ethertype, fragments).map_err(fail("load a program"))?;
        let mut attach = |place| patiently(|| program.attach(interface.index, place));
        let in_driver = !options.generic
            && match attach(Place::Driver) {
                Ok(()) => true,
                // It is not the driver that refuses.
                Err(error) if matches!(error.raw_os_error(), Some(libc::EBUSY | libc::EPERM)) => {
                    return Err(fail("attach a program")(error));
                }
                Err(_) => false,
            };
        if !in_driver {
            attach(Place::Generic).map_err(fail("attach a program"))?;
        }
        let segments = if fragments { libc::XDP_USE_SG } else { 0 };
        let flags = segments | libc::XDP_USE_NEED_WAKEUP;
        let bind = |how| patiently(|| bind(&fd, interface.index, flags | how));
        let in_place = in_driver && bind(libc::XDP_ZEROCOPY).is_ok();
        if !in_place {
            bind(libc::XDP_COPY).map_err(unfit)?;
        }
        program.connect(&fd).map_err(fail("connect the program"))?;
        let mut notes = vec![format!(
            "AF_XDP on {name}: program {} the driver, frames {}",
            if in_driver { "in" } else { "behind" },
            if in_place { "in place" } else { "copied" },
        )];
        let queues = sys::queues(control.as_fd(), name)?;
        if queues > 1 {
            notes.push(format!(
                "{name} sorts frames into {queues} queues, of which the first one is read: 'ethtool -L {name} combined 1' if frames \
                 do not arrive"
            ));
        }
        let poller = Poller::new().map_err(fail("make a waker"))?;
        Ok(Self {
            name: name.to_owned(),
            fd,
            control,
            _program: program,
            memory,
            fill,
            arrived,
            leaving,
            done,
            free: (pieces..pieces + SEND_PIECES)
                .map(|piece| (piece * PIECE) as u64)
                .collect(),
            begun: Vec::new(),
            awaited: None,
            drops: 0,
            interface,
            poller,
            notes,
        })
    }

    /// Gets the kernel to look at what is to be sent, until it does not go on.
    fn push(&self) -> io::Result<()> {
        let mut before = u32::MAX;
        loop {
            let waiting = self.leaving.waiting();
            if waiting == 0 || waiting == before || !self.leaving.is_asleep() {
                return Ok(());
            }
            before = waiting;
            let (fd, null) = (self.fd.as_raw_fd(), std::ptr::null());
            // SAFETY: sends no bytes and no address.
            let said =
                unsafe { libc::sendto(fd, null, 0, libc::MSG_DONTWAIT, std::ptr::null(), 0) };
            if said >= 0 {
                continue;
            }
            let error = io::Error::last_os_error();
            match error.raw_os_error() {
                // The kernel sent a part of the frames and returned, or it has no room now; or the
                // interface is down, which `line_up` tells.
                Some(libc::EAGAIN | libc::EBUSY | libc::ENOBUFS | libc::EINTR | libc::ENETDOWN) => {
                }
                _ => return Err(error),
            }
        }
    }
}

impl RawLink for XdpLink {
    fn receive(&mut self, take: &mut dyn FnMut(Arrival)) -> io::Result<bool> {
        let count = self.arrived.filled().min(BATCH);
        if count == 0 {
            return Ok(false);
        }
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let time = time.unwrap_or_default();
        for _ in 0..count {
            let Some(entry) = self.arrived.take() else {
                break;
            };
            let length = entry.len as usize;
            if let Some(place) = self.memory.place(entry.addr, length) {
                // SAFETY: inside the mapping, and this process's until the piece is given back
                // below.
                let bytes = unsafe { std::slice::from_raw_parts(place, length) };
                let whole = entry.options & libc::XDP_PKT_CONTD == 0;
                let numbered = if whole && self.begun.is_empty() {
                    bytes
                } else {
                    self.begun.extend_from_slice(bytes);
                    &self.begun
                };
                if whole && let Some((number, frame)) = numbered.split_first_chunk::<NUMBER>() {
                    let number = u64::from_ne_bytes(*number);
                    let missing = number.wrapping_sub(self.awaited.unwrap_or(number)) as i64;
                    // Several processors may hand frames over, and one overtake the other: what was
                    // told missing comes late then.
                    if missing >= 0 {
                        self.awaited = Some(number.wrapping_add(1));
                    }
                    if missing > 0 {
                        self.drops += missing.unsigned_abs();
                        take(Arrival::Gap);
                    }
                    take(Arrival::Frame {
                        bytes: frame,
                        whole: true,
                        time,
                        outgoing: false,
                    });
                }
                if whole {
                    self.begun.clear();
                }
            }
            self.fill.put(entry.addr & !(PIECE as u64 - 1));
        }
        self.arrived.taken();
        self.fill.given();
        if self.fill.is_asleep() {
            let (fd, null) = (self.fd.as_raw_fd(), std::ptr::null_mut());
            let (none, nobody) = (std::ptr::null_mut(), std::ptr::null_mut());
            // It wakes the driver; what it says does not matter.
            // SAFETY: receives no bytes and no address.
            unsafe { libc::recvfrom(fd, null, 0, libc::MSG_DONTWAIT, none, nobody) };
        }
        Ok(true)
    }

    fn send(&mut self, frames: &[Vec<u8>]) -> io::Result<usize> {
        while let Some(piece) = self.done.take() {
            self.free.push_back(piece & !(PIECE as u64 - 1));
        }
        self.done.taken();
        let mut count = 0;
        for frame in frames {
            let room = SEND_RING - self.leaving.waiting() as usize;
            if frame.len().div_ceil(PIECE) > room.min(self.free.len()) {
                break;
            }
            let mut parts = frame.chunks(PIECE).peekable();
            while let Some(part) = parts.next() {
                let Some(addr) = self.free.pop_front() else {
                    break;
                };
                if let Some(place) = self.memory.place(addr, PIECE) {
                    // SAFETY: a piece that nobody else uses, and a part that fits it.
                    unsafe { place.copy_from_nonoverlapping(part.as_ptr(), part.len()) };
                }
                let more = parts.peek().is_some();
                self.leaving.put(libc::xdp_desc {
                    addr,
                    len: part.len() as u32,
                    options: if more { libc::XDP_PKT_CONTD } else { 0 },
                });
            }
            count += 1;
        }
        self.leaving.given();
        self.push()?;
        Ok(count)
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        if self.arrived.filled() > 0 {
            return Ok(());
        }
        let said = self.poller.wait(self.fd.as_fd(), timeout, blocked);
        said.map(|_| ())
    }

    fn waker(&self) -> Waker {
        self.poller.waker()
    }

    fn line_up(&self) -> bool {
        sys::line_up(self.control.as_fd(), &self.name)
    }

    fn limit(&self) -> usize {
        self.interface.mtu + ETHERNET
    }

    fn mac(&self) -> Mac {
        self.interface.mac
    }

    fn is_filling(&self) -> bool {
        self.arrived.filled() >= self.arrived.size / 4
    }

    fn drops(&self) -> u64 {
        self.drops
    }

    fn is_sent(&self) -> bool {
        self.leaving.waiting() == 0
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Does it again for a while if something is in the way: the kernel takes its time to clear away a
/// link that was closed.
fn patiently(mut work: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        match work() {
            Err(error)
                if error.raw_os_error() == Some(libc::EBUSY) && begun.elapsed() < PATIENCE =>
            {
                std::thread::sleep(AGAIN);
            }
            done => return done,
        }
    }
}

/// From here on the kernel works for the socket.
fn bind(fd: &OwnedFd, index: i32, flags: u16) -> io::Result<()> {
    let address = libc::sockaddr_xdp {
        sxdp_family: libc::AF_XDP as u16,
        sxdp_flags: flags,
        sxdp_ifindex: index as u32,
        sxdp_queue_id: 0,
        sxdp_shared_umem_fd: 0,
    };
    let (place, size) = (std::ptr::from_ref(&address), size_of_val(&address));
    // SAFETY: `place` points to `size` bytes, which the kernel reads.
    let said = unsafe { libc::bind(fd.as_raw_fd(), place.cast(), size as libc::socklen_t) };
    sys::check(said).map(|_| ())
}
