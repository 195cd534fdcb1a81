// SPDX-License-Identifier: Apache-2.0
//! A network interface, by a packet socket (AF_PACKET).
//!
//! What arrives lies in a ring of blocks that the kernel fills and this process empties, without a
//! call or a copy for each frame. What is sent goes by calls for many frames each (`sendmmsg`),
//! which copy. A transmit ring would save that copy, but the kernel gives a slot of it back as soon
//! as a driver lets go of the socket, which some do before the frame is out: a slot that is then
//! filled anew changes a frame under way, and nothing would tell.
//!
//! ```text
//! kernel: fills block n, closes it when it is full or old enough, opens n + 1
//! here:   reads the closed blocks in order and gives each one back
//! ```
//!
//! **When all blocks are full, the kernel drops frames.** It counts them, and marks every block
//! that it closes after that until the count is asked for. The count is asked for at such a mark
//! only. As frames may be dropped at any time until it is read, the blocks that were not closed
//! before, up to the one that is open afterwards, may stand behind a gap without a mark; they count
//! as marked. So there is an [`Arrival::Gap`] in front of the first frame behind every gap.

use crate::link::{Arrival, ETHERNET, OpenError, RawLink, Waker};
use crate::sys::{self, Interface, Poller};
use memmap2::{MmapOptions, MmapRaw};
use ropewalk_wire::htsp::Mac;
use std::io;
use std::ops::RangeInclusive;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Bytes of a block.
const BLOCK: usize = 1 << 16;
/// Most frames that are sent with one call.
const BATCH: usize = 64;
/// What the kernel may hold of this end's frames, bytes.
const SEND_BUFFER: usize = 1 << 22;
/// Between the header of a packet in the ring and its address.
const RING_HEADER: usize = size_of::<libc::tpacket3_hdr>().next_multiple_of(16);

/// How an interface is opened.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Only frames of this EtherType; the kernel leaves out all others.
    pub ethertype: Option<u16>,
    /// Bytes of the ring: a multiple of 64 KiB, at least two of them. Less if the kernel has not so
    /// much ([`RawLink::notes`]).
    pub ring: usize,
    /// Age at which a block that is not full is handed over, whole milliseconds. It delays single
    /// frames; and, as long as this process does not look, every such block is lost to others: the
    /// ring is full after as many of them at the latest.
    pub age: Duration,
    /// See also what this machine sends.
    pub monitor: bool,
}

impl Default for Options {
    /// All frames that arrive, 64 MiB, 1 ms.
    fn default() -> Self {
        Self {
            ethertype: None,
            ring: 1 << 26,
            age: Duration::from_millis(1),
            monitor: false,
        }
    }
}

/// The ring, mapped.
#[derive(Debug)]
struct Ring {
    memory: MmapRaw,
    blocks: usize,
}

impl Ring {
    fn map(fd: &OwnedFd, blocks: usize) -> io::Result<Self> {
        let memory = MmapOptions::new().len(blocks * BLOCK).map_raw(fd)?;
        Ok(Self { memory, blocks })
    }

    /// Block `index` of an endless count.
    fn block(&self, index: u64) -> *mut u8 {
        let place = (index % self.blocks as u64) as usize;
        // SAFETY: inside the mapping.
        unsafe { self.memory.as_mut_ptr().add(place * BLOCK) }
    }

    /// The word by which kernel and process hand a block to each other.
    fn status(&self, index: u64) -> &AtomicU32 {
        let descriptor = self.block(index).cast::<libc::tpacket_block_desc>();
        // SAFETY: a live block, aligned to its page; the word is only used as an atomic one.
        unsafe { AtomicU32::from_ptr(&raw mut (*descriptor).hdr.bh1.block_status) }
    }

    /// Whether the kernel has closed a block, and how.
    fn closed(&self, index: u64) -> Option<u32> {
        let status = self.status(index).load(Ordering::Acquire);
        (status & libc::TP_STATUS_USER != 0).then_some(status)
    }

    /// The first block from `index` on that the kernel has not closed, one lap at most.
    fn open_block(&self, index: u64) -> u64 {
        let lap = index + self.blocks as u64;
        (index..lap)
            .find(|&index| self.closed(index).is_none())
            .unwrap_or(lap)
    }

    /// The bytes of a closed block, and where its packets begin and how many there are.
    ///
    /// # Safety
    /// The block is closed, and is not given back while the result lives.
    unsafe fn content(&self, index: u64) -> (&[u8], usize, u32) {
        let block = self.block(index);
        // SAFETY: as promised by the caller.
        unsafe {
            let header = (*block.cast::<libc::tpacket_block_desc>()).hdr.bh1;
            let bytes = std::slice::from_raw_parts(block, BLOCK);
            (bytes, header.offset_to_first_pkt as usize, header.num_pkts)
        }
    }
}

/// `N` bytes at a place of a block; zero outside of it.
fn bytes_at<const N: usize>(block: &[u8], place: usize) -> [u8; N] {
    let end = place.saturating_add(N);
    let bytes = block
        .get(place..end)
        .and_then(|bytes| bytes.try_into().ok());
    bytes.unwrap_or([0; N])
}

/// Calls `take` with the packets of a block. Whatever the block says, nothing outside of it is
/// touched.
fn packets(block: &[u8], first: usize, count: u32, take: &mut dyn FnMut(Arrival)) {
    let mut at = first;
    for _ in 0..count {
        // See `tpacket3_hdr`: next, seconds, nanoseconds, captured, length, status, place of the
        // frame.
        let field = |word: usize| u32::from_ne_bytes(bytes_at(block, at.saturating_add(4 * word)));
        let captured = field(3) as usize;
        let place = u16::from_ne_bytes(bytes_at(block, at.saturating_add(24)));
        let begin = at.saturating_add(place.into());
        // See `sockaddr_ll`, which follows: family, protocol, index, kind of hardware, kind of
        // packet.
        let [kind] = bytes_at(block, at.saturating_add(RING_HEADER + 10));
        if let Some(bytes) = block.get(begin..begin.saturating_add(captured)) {
            take(Arrival::Frame {
                bytes,
                whole: field(3) == field(4),
                time: Duration::new(field(1).into(), field(2).min(999_999_999)),
                outgoing: kind == libc::PACKET_OUTGOING,
            });
        }
        let next = field(0) as usize;
        if next == 0 {
            break;
        }
        at = at.saturating_add(next);
    }
}

/// A network interface.
#[derive(Debug)]
pub struct PacketLink {
    name: String,
    fd: OwnedFd,
    ring: Ring,
    /// The next block.
    index: u64,
    /// Blocks that may stand behind a gap without a mark.
    suspects: RangeInclusive<u64>,
    drops: u64,
    interface: Interface,
    poller: Poller,
    notes: Vec<String>,
}

impl PacketLink {
    /// Opens an interface that is up.
    ///
    /// # Errors
    /// What is missing, and how to get it.
    pub fn open(name: &str, options: &Options) -> Result<Self, OpenError> {
        sys::request(name)?;
        let fail = |what| {
            move |source: io::Error| match source.raw_os_error() {
                Some(libc::EPERM | libc::EACCES) => OpenError::RawSockets,
                _ => OpenError::System {
                    name: name.to_owned(),
                    what,
                    source,
                },
            }
        };
        // Without a protocol nothing arrives until the socket is bound, when filter and ring are in
        // place.
        let fd = sys::socket(libc::AF_PACKET, libc::SOCK_RAW, 0).map_err(fail("open a socket"))?;
        let interface = sys::interface(fd.as_fd(), name)?;
        if sys::flags(fd.as_fd(), name)? & libc::IFF_UP == 0 {
            return Err(OpenError::Down(name.to_owned()));
        }
        let set =
            |option, value: libc::c_int| sys::set_option(&fd, libc::SOL_PACKET, option, &value);
        let version = libc::tpacket_versions::TPACKET_V3 as libc::c_int;
        set(libc::PACKET_VERSION, version).map_err(fail("choose the ring"))?;
        if !options.monitor {
            set(libc::PACKET_IGNORE_OUTGOING, 1).map_err(fail("leave out its own frames"))?;
        }
        // Queues of the kernel would only delay; without it they do, and nothing else.
        let _ = set(libc::PACKET_QDISC_BYPASS, 1);
        if let Some(ethertype) = options.ethertype {
            filter(&fd, ethertype).map_err(fail("set a filter"))?;
        }
        let mut notes = Vec::new();
        let ring = ring(&fd, options, &mut notes).map_err(fail("make a ring"))?;
        sys::send_buffer(&fd, SEND_BUFFER, &mut notes);
        bind(&fd, interface.index).map_err(fail("bind"))?;
        let poller = Poller::new().map_err(fail("make a waker"))?;
        Ok(Self {
            name: name.to_owned(),
            fd,
            ring,
            index: 0,
            suspects: RangeInclusive::new(1, 0),
            drops: 0,
            interface,
            poller,
            notes,
        })
    }

    /// At a mark: what was dropped, and which blocks may stand behind a gap without a mark.
    fn account(&mut self) -> io::Result<()> {
        let first = self.ring.open_block(self.index);
        // SAFETY: a C structure of integers, for which zero is a value.
        let zero: libc::tpacket_stats_v3 = unsafe { std::mem::zeroed() };
        let said = sys::option(&self.fd, libc::SOL_PACKET, libc::PACKET_STATISTICS, zero)?;
        self.drops += u64::from(said.tp_drops);
        // Those of the mark before may still lie ahead.
        let first = if self.suspects.end() > &self.index {
            first.min(*self.suspects.start())
        } else {
            first
        };
        self.suspects = first..=self.ring.open_block(self.index);
        Ok(())
    }
}

impl RawLink for PacketLink {
    fn receive(&mut self, take: &mut dyn FnMut(Arrival)) -> io::Result<bool> {
        let Some(status) = self.ring.closed(self.index) else {
            return Ok(false);
        };
        let suspect = self.suspects.contains(&self.index);
        if status & libc::TP_STATUS_LOSING != 0 {
            self.account()?;
            take(Arrival::Gap);
        } else if suspect {
            take(Arrival::Gap);
        }
        // SAFETY: the block is closed, and given back below.
        let (block, first, count) = unsafe { self.ring.content(self.index) };
        packets(block, first, count, take);
        let status = self.ring.status(self.index);
        status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.index += 1;
        Ok(true)
    }

    fn send(&mut self, frames: &[Vec<u8>]) -> io::Result<usize> {
        let frames = &frames[..frames.len().min(BATCH)];
        // SAFETY: C structures of integers and pointers, for which zero is a value.
        let mut parts: [libc::iovec; BATCH] = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        let mut messages: [libc::mmsghdr; BATCH] = unsafe { std::mem::zeroed() };
        for ((part, message), frame) in parts.iter_mut().zip(&mut messages).zip(frames) {
            part.iov_base = frame.as_ptr().cast_mut().cast();
            part.iov_len = frame.len();
            message.msg_hdr.msg_iov = part;
            message.msg_hdr.msg_iovlen = 1;
        }
        let (fd, count) = (self.fd.as_raw_fd(), frames.len() as libc::c_uint);
        // SAFETY: `count` messages, whose parts are frames that live until the end of the call,
        // which only reads them.
        let said = unsafe { libc::sendmmsg(fd, messages.as_mut_ptr(), count, libc::MSG_DONTWAIT) };
        match sys::check(said) {
            Ok(count) => Ok(count as usize),
            Err(error) => match error.raw_os_error() {
                // No room now; or the interface is down, which `line_up` tells.
                Some(libc::EAGAIN | libc::ENOBUFS | libc::EINTR | libc::ENETDOWN) => Ok(0),
                _ => Err(error),
            },
        }
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        if self.ring.closed(self.index).is_some() {
            return Ok(());
        }
        let ready = self.poller.wait(self.fd.as_fd(), timeout, blocked)?;
        if ready && self.ring.closed(self.index).is_none() {
            // An error of the socket ends every wait until it is taken.
            let error = sys::option(&self.fd, libc::SOL_SOCKET, libc::SO_ERROR, 0)?;
            // That the interface is down is told by `line_up`.
            if error != 0 && error != libc::ENETDOWN {
                return Err(io::Error::from_raw_os_error(error));
            }
        }
        Ok(())
    }

    fn waker(&self) -> Waker {
        self.poller.waker()
    }

    fn line_up(&self) -> bool {
        sys::line_up(self.fd.as_fd(), &self.name)
    }

    fn limit(&self) -> usize {
        self.interface.mtu + ETHERNET
    }

    fn mac(&self) -> Mac {
        self.interface.mac
    }

    fn is_filling(&self) -> bool {
        // Blocks are closed in order, so this one is closed only if all before it are.
        let ahead = self.ring.blocks as u64 / 4;
        self.ring.closed(self.index + ahead).is_some()
    }

    fn drops(&self) -> u64 {
        self.drops
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Lets only frames of an EtherType into the ring.
fn filter(fd: &OwnedFd, ethertype: u16) -> io::Result<()> {
    // Load the half word at 12; if it is not the EtherType, skip one; take all of the frame; take
    // nothing.
    let op = sys::filter_op;
    let jump = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let program = [
        op(libc::BPF_LD | libc::BPF_H | libc::BPF_ABS, 0, 12),
        op(jump, 1, ethertype.into()),
        op(libc::BPF_RET | libc::BPF_K, 0, u32::MAX),
        op(libc::BPF_RET | libc::BPF_K, 0, 0),
    ];
    sys::filter(fd, &program)
}

/// The ring that is asked for, or, if the kernel has not so much in pieces of the size of a block,
/// of half of it, and so on.
fn ring(fd: &OwnedFd, options: &Options, notes: &mut Vec<String>) -> io::Result<Ring> {
    let asked = (options.ring / BLOCK).max(2);
    let mut blocks = asked;
    loop {
        let request = libc::tpacket_req3 {
            tp_block_size: BLOCK as u32,
            tp_block_nr: blocks as u32,
            tp_frame_size: 1 << 11,
            tp_frame_nr: (blocks * (BLOCK >> 11)) as u32,
            tp_retire_blk_tov: options.age.as_millis().clamp(1, 1000) as u32,
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        };
        match sys::set_option(fd, libc::SOL_PACKET, libc::PACKET_RX_RING, &request) {
            Ok(()) => break,
            Err(error) if error.raw_os_error() == Some(libc::ENOMEM) && blocks > 2 => blocks /= 2,
            Err(error) => return Err(error),
        }
    }
    if blocks < asked {
        notes.push(format!(
            "receive ring of {} KiB instead of {} KiB: the kernel has no more memory in pieces of {} KiB; \
             'sysctl vm.compact_memory=1' or a smaller ring helps",
            (blocks * BLOCK) >> 10,
            (asked * BLOCK) >> 10,
            BLOCK >> 10,
        ));
    }
    Ring::map(fd, blocks)
}

/// From here on frames arrive.
fn bind(fd: &OwnedFd, index: i32) -> io::Result<()> {
    // SAFETY: a C structure of integers, for which zero is a value.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    // An EtherType below 0x0600, as HTSP has, is a length to the kernel, so no protocol but "all"
    // means it.
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = index;
    let (place, size) = (std::ptr::from_ref(&address), size_of_val(&address));
    // SAFETY: `place` points to `size` bytes, which the kernel reads.
    let said = unsafe { libc::bind(fd.as_raw_fd(), place.cast(), size as libc::socklen_t) };
    sys::check(said).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block with one packet of four bytes at 200.
    fn block() -> Vec<u8> {
        let mut block = vec![0; 1024];
        let mut put = |place: usize, value: u32| {
            block[place..place + 4].copy_from_slice(&value.to_ne_bytes());
        };
        put(104, 5);
        put(108, 7);
        put(112, 4);
        put(116, 4);
        put(124, 100);
        block[200..204].copy_from_slice(&[1, 2, 3, 4]);
        block
    }

    fn taken(block: &[u8], first: usize, count: u32) -> Vec<(Vec<u8>, bool)> {
        let mut all = Vec::new();
        packets(block, first, count, &mut |arrival| {
            if let Arrival::Frame { bytes, whole, .. } = arrival {
                all.push((bytes.to_vec(), whole));
            }
        });
        all
    }

    #[test]
    fn a_packet_of_a_block() {
        assert_eq!(taken(&block(), 100, 1), [(vec![1, 2, 3, 4], true)]);
        let mut cut = block();
        cut[116] = 5;
        assert_eq!(taken(&cut, 100, 1), [(vec![1, 2, 3, 4], false)]);
    }

    /// The kernel tells of it by an error, which ends waits.
    #[test]
    fn an_interface_that_is_switched_off() {
        use crate::veth::{NAMES, Veth};
        if ropewalk_testkit::needs("network of its own", Veth::new(1500)).is_none() {
            return;
        }
        let mut link = PacketLink::open(NAMES[0], &Options::default()).unwrap();
        let socket = sys::socket(libc::AF_INET, libc::SOCK_DGRAM, 0).unwrap();
        let mut off = sys::request(NAMES[0]).unwrap();
        sys::ioctl(socket.as_fd(), libc::SIOCSIFFLAGS as _, &mut off).unwrap();
        let pending = |link: &PacketLink| {
            let none = Duration::ZERO;
            link.poller.wait(link.fd.as_fd(), none, false).unwrap()
        };
        assert!(pending(&link), "the error has come");
        // What the interface has carried before may end some waits as well.
        let begun = std::time::Instant::now();
        while pending(&link) {
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "waits end at once"
            );
            link.wait(Duration::ZERO, false).unwrap();
            while link.receive(&mut |_| ()).unwrap() {}
        }
        assert!(!link.line_up());
    }

    /// The kernel is not expected to do that; but nothing is read outside of the block, and it
    /// comes to an end.
    #[test]
    fn blocks_that_make_no_sense() {
        for place in 100..132 {
            for value in [1, 0x7f, 0xff] {
                let mut odd = block();
                odd[place] = value;
                odd[place + 1] = value;
                for bytes in taken(&odd, 100, u32::from(u16::MAX)) {
                    assert!(bytes.0.len() <= odd.len());
                }
            }
        }
        for first in [1023, 1024, usize::MAX] {
            taken(&block(), first, 9);
        }
    }
}
