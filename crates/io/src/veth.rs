// SPDX-License-Identifier: Apache-2.0
//! Two interfaces with a cable between them, in a network of their own: what the kernel calls a
//! veth pair in a network namespace.
//!
//! For tests and measurements. It needs a privileged process; without, [`Veth::new`] says so and
//! the test is to be skipped.

use crate::sys;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Kinds of attributes (`linux/if_link.h`, `linux/veth.h`) that the `libc` crate does not name on
/// all systems.
const IFLA_IFNAME: u16 = 3;
const IFLA_MTU: u16 = 4;
const IFLA_LINKINFO: u16 = 18;
const IFLA_INFO_KIND: u16 = 1;
const IFLA_INFO_DATA: u16 = 2;
const VETH_INFO_PEER: u16 = 1;
const RTM_NEWLINK: u16 = 16;
/// Bytes of `nlmsghdr` and of `ifinfomsg`.
const HEADER: usize = 16;
const LINK: usize = 16;

/// Two interfaces, `NAMES`, and a cable. They last as long as a thread or a process is in their
/// network.
#[derive(Debug)]
pub struct Veth {
    _private: (),
}

/// Names of the interfaces.
pub const NAMES: [&str; 2] = ["rope0", "rope1"];

/// An attribute: length, kind, content, padding.
fn attribute(kind: u16, content: &[u8]) -> Vec<u8> {
    let length = (4 + content.len()) as u16;
    let mut bytes = [length.to_ne_bytes(), kind.to_ne_bytes()].concat();
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// Attributes that name an interface and set its MTU.
fn named(name: &str, mtu: u32) -> Vec<u8> {
    let name = attribute(IFLA_IFNAME, &[name.as_bytes(), &[0]].concat());
    [name, attribute(IFLA_MTU, &mtu.to_ne_bytes())].concat()
}

/// The message that makes both interfaces.
fn message(mtu: u32) -> Vec<u8> {
    let peer = [vec![0; LINK], named(NAMES[1], mtu)].concat();
    let data = attribute(VETH_INFO_PEER, &peer);
    let info = [
        attribute(IFLA_INFO_KIND, b"veth"),
        attribute(IFLA_INFO_DATA, &data),
    ]
    .concat();
    let body = [
        vec![0; LINK],
        named(NAMES[0], mtu),
        attribute(IFLA_LINKINFO, &info),
    ]
    .concat();
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_ACK | libc::NLM_F_CREATE) as u16;
    let mut bytes = ((HEADER + body.len()) as u32).to_ne_bytes().to_vec();
    bytes.extend(RTM_NEWLINK.to_ne_bytes());
    bytes.extend(flags.to_ne_bytes());
    bytes.extend([0; 8]);
    bytes.extend(body);
    bytes
}

impl Veth {
    /// Moves the calling thread into a new network, and makes the interfaces there, switched on.
    /// Threads and processes that it begins from now on are in that network as well.
    ///
    /// # Errors
    /// It is not permitted, or the kernel has no such interfaces.
    pub fn new(mtu: u32) -> io::Result<Self> {
        // SAFETY: takes a number; concerns the calling thread only.
        sys::check(unsafe { libc::unshare(libc::CLONE_NEWNET) })?;
        let netlink = sys::socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE)?;
        let message = message(mtu);
        let (fd, place) = (netlink.as_raw_fd(), message.as_ptr().cast());
        // SAFETY: the kernel reads the message.
        if unsafe { libc::send(fd, place, message.len(), 0) } < 0 {
            return Err(io::Error::last_os_error());
        }
        let mut answer = [0u8; 1024];
        // SAFETY: the kernel writes at most `answer.len()` bytes.
        if unsafe { libc::recv(fd, answer.as_mut_ptr().cast(), answer.len(), 0) } < 0 {
            return Err(io::Error::last_os_error());
        }
        // The answer is an error message; its number is negative, or zero for none.
        let code = i32::from_ne_bytes(std::array::from_fn(|i| answer[HEADER + i]));
        if code != 0 {
            return Err(io::Error::from_raw_os_error(-code));
        }
        let socket = sys::socket(libc::AF_INET, libc::SOCK_DGRAM, 0)?;
        // The loopback interface, too, which a new network has, and switched off.
        for name in NAMES.into_iter().chain(["lo"]) {
            let mut request = sys::request(name).map_err(io::Error::other)?;
            request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
            sys::ioctl(socket.as_fd(), libc::SIOCSIFFLAGS as _, &mut request)?;
        }
        Ok(Self { _private: () })
    }
}
