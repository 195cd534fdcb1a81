// SPDX-License-Identifier: Apache-2.0
//! What carries whole Ethernet frames, without their FCS.
//!
//! A link may lose frames. It never changes, duplicates or reorders them, and it tells where it has
//! itself lost some.

use ropewalk_wire::htsp::Mac;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Bytes of an Ethernet header, which an MTU does not count.
pub const ETHERNET: usize = 14;

/// What comes out of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival<'a> {
    /// A frame.
    Frame {
        /// From the destination address on.
        bytes: &'a [u8],
        /// All of it is there.
        whole: bool,
        /// When it came, since 1970.
        time: Duration,
        /// This machine sent it; only monitors see such frames.
        outgoing: bool,
    },
    /// Frames may have been lost here, because the buffer of this end was full.
    Gap,
}

/// Ends a [`RawLink::wait`] from any thread.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// What carries whole Ethernet frames.
pub trait RawLink: Send {
    /// Hands over some of what has arrived, oldest first, and says whether there was any. Does not
    /// wait.
    ///
    /// # Errors
    /// The link is gone for good.
    fn receive(&mut self, take: &mut dyn FnMut(Arrival)) -> io::Result<bool>;

    /// Sends frames, from the first on, and says how many it has taken. Does not wait: the rest is
    /// to be offered again.
    ///
    /// # Errors
    /// The link is gone for good.
    fn send(&mut self, frames: &[Vec<u8>]) -> io::Result<usize>;

    /// Waits for an arrival, for room to send if `blocked`, for the waker, or for so long.
    ///
    /// # Errors
    /// The link is gone for good.
    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()>;

    /// Ends a wait, also one that begins later.
    fn waker(&self) -> Waker;

    /// Whether the line is up.
    fn line_up(&self) -> bool;

    /// Longest frame, bytes.
    fn limit(&self) -> usize;

    /// Own address.
    fn mac(&self) -> Mac;

    /// Whether a good part of the buffer of this end is taken by frames that have not been
    /// received: time to pause the peer.
    fn is_filling(&self) -> bool;

    /// Frames lost so far because the buffer of this end was full.
    fn drops(&self) -> u64;

    /// Whether nothing that [`RawLink::send`] has taken waits in this process any more.
    fn is_sent(&self) -> bool {
        true
    }

    /// How it was opened, and what there was less of than was asked for, with the remedy; a line
    /// each.
    fn notes(&self) -> &[String] {
        &[]
    }
}

impl<L: RawLink + ?Sized> RawLink for Box<L> {
    fn receive(&mut self, take: &mut dyn FnMut(Arrival)) -> io::Result<bool> {
        (**self).receive(take)
    }

    fn send(&mut self, frames: &[Vec<u8>]) -> io::Result<usize> {
        (**self).send(frames)
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        (**self).wait(timeout, blocked)
    }

    fn waker(&self) -> Waker {
        (**self).waker()
    }

    fn line_up(&self) -> bool {
        (**self).line_up()
    }

    fn limit(&self) -> usize {
        (**self).limit()
    }

    fn mac(&self) -> Mac {
        (**self).mac()
    }

    fn is_filling(&self) -> bool {
        (**self).is_filling()
    }

    fn drops(&self) -> u64 {
        (**self).drops()
    }

    fn is_sent(&self) -> bool {
        (**self).is_sent()
    }

    fn notes(&self) -> &[String] {
        (**self).notes()
    }
}

/// Why a link could not be opened, and what to do about it.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Not a name that an interface can have.
    #[error("interface name '{0}': accepted are 1 to 15 characters without '/', blanks and zeros")]
    Name(String),
    /// No such interface.
    #[error("there is no network interface '{0}'; 'ip link' lists those that there are")]
    Missing(String),
    /// Missing capability.
    #[error(
        "raw sockets are not permitted: the capability cap_net_raw is missing; 'sudo setcap cap_net_raw+ep FILE' grants it to \
         a program, or run it as root"
    )]
    RawSockets,
    /// Missing capabilities.
    #[error(
        "AF_XDP is not permitted: capabilities are missing; 'sudo setcap cap_net_raw,cap_net_admin,cap_bpf,cap_ipc_lock+ep FILE' \
         grants them to a program; or run it as root, or take packet sockets"
    )]
    Xdp,
    /// The kernel cannot do it.
    #[error(
        "this kernel has no AF_XDP: accepted are kernels from 5.12 on with CONFIG_XDP_SOCKETS and CONFIG_BPF_SYSCALL; or take packet \
         sockets"
    )]
    NoXdp,
    /// Shared memory may not be taken from the system.
    #[error(
        "memory for AF_XDP cannot be locked: 'ulimit -l unlimited' or the capability cap_ipc_lock permits it; a smaller ring needs less"
    )]
    Locked,
    /// Another program or socket is there.
    #[error(
        "another XDP program or AF_XDP socket has taken interface '{0}': end it, or 'ip link set {0} xdp off', or take packet sockets"
    )]
    Taken(String),
    /// Frames are longer than a piece of memory, and this kernel or driver takes only one for each.
    #[error(
        "MTU {mtu} of interface '{name}': its driver, or this kernel, accepts {most} or less for AF_XDP (more needs kernel 6.6 or newer); \
         'ip link set {name} mtu {most}' at both ends, or take packet sockets"
    )]
    XdpMtu {
        /// Interface.
        name: String,
        /// What it has.
        mtu: usize,
        /// What is accepted.
        most: usize,
    },
    /// Missing capability.
    #[error(
        "interface '{0}' cannot be made: the capability cap_net_admin is missing; run as root, or name an interface that exists"
    )]
    Admin(String),
    /// Not Ethernet.
    #[error("interface '{0}' is not an Ethernet interface")]
    NotEthernet(String),
    /// Not switched on.
    #[error("interface '{0}' is down; 'ip link set {0} up' switches it on")]
    Down(String),
    /// Frames of HTSP do not fit.
    #[error(
        "MTU {mtu} of interface '{name}': accepted are {least} or more; 'ip link set {name} mtu 9000' if its peer allows that"
    )]
    Mtu {
        /// Interface.
        name: String,
        /// What it has.
        mtu: usize,
        /// What is needed.
        least: usize,
    },
    /// Anything else that the kernel refuses.
    #[error("interface '{name}': cannot {what}: {source}")]
    System {
        /// Interface.
        name: String,
        /// What was tried.
        what: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
}
