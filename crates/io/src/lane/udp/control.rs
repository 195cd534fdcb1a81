// SPDX-License-Identifier: Apache-2.0
//! What the kernel is told beside a message, and what it says beside an arrival.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// What is said to the kernel beside a message.
pub(super) enum Control {
    Nothing,
    /// To be cut into datagrams of this length.
    Segment(u16),
    /// To be sent from this address.
    From(SocketAddr),
}

impl Control {
    /// Writes it where `message` has room, which is enough of it, and says how much it is.
    pub(super) fn write(&self, message: &libc::msghdr) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Segment(bytes) => put(message, libc::SOL_UDP, libc::UDP_SEGMENT, bytes),
            Self::From(SocketAddr::V4(address)) => {
                let from = libc::in_pktinfo {
                    ipi_ifindex: 0,
                    ipi_spec_dst: libc::in_addr {
                        s_addr: u32::from_ne_bytes(address.ip().octets()),
                    },
                    ipi_addr: libc::in_addr { s_addr: 0 },
                };
                put(message, libc::IPPROTO_IP, libc::IP_PKTINFO, &from)
            }
            Self::From(SocketAddr::V6(address)) => {
                let from = libc::in6_pktinfo {
                    ipi6_addr: libc::in6_addr {
                        s6_addr: address.ip().octets(),
                    },
                    ipi6_ifindex: address.scope_id(),
                };
                put(message, libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, &from)
            }
        }
    }
}

/// Writes one control message, the only one.
fn put<T: Copy>(message: &libc::msghdr, level: i32, kind: i32, value: &T) -> usize {
    let size = size_of::<T>() as u32;
    // SAFETY: sums.
    let (length, space) = unsafe { (libc::CMSG_LEN(size), libc::CMSG_SPACE(size)) };
    debug_assert!(space as usize <= message.msg_controllen);
    // SAFETY: the place is aligned and long enough for all that is ever put there.
    unsafe {
        let header = libc::CMSG_FIRSTHDR(message);
        (*header).cmsg_level = level;
        (*header).cmsg_type = kind;
        (*header).cmsg_len = length as _;
        std::ptr::write_unaligned(libc::CMSG_DATA(header).cast(), *value);
    }
    space as usize
}

/// What the kernel says beside an arrival: length of its datagrams, and the address that it was
/// sent to.
pub(super) fn said_beside(message: &libc::msghdr) -> (Option<usize>, Option<IpAddr>) {
    let (mut segment, mut local) = (None, None);
    // SAFETY: the kernel has filled in the control data, and says how long they are.
    let mut header = unsafe { libc::CMSG_FIRSTHDR(message) };
    while !header.is_null() {
        // SAFETY: as above; each kind has the content that is read here.
        unsafe {
            let place = libc::CMSG_DATA(header);
            match ((*header).cmsg_level, (*header).cmsg_type) {
                (libc::SOL_UDP, libc::UDP_GRO) => {
                    let bytes: libc::c_int = std::ptr::read_unaligned(place.cast());
                    segment = usize::try_from(bytes).ok();
                }
                (libc::IPPROTO_IP, libc::IP_PKTINFO) => {
                    let to: libc::in_pktinfo = std::ptr::read_unaligned(place.cast());
                    local = Some(Ipv4Addr::from(to.ipi_addr.s_addr.to_ne_bytes()).into());
                }
                (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) => {
                    let to: libc::in6_pktinfo = std::ptr::read_unaligned(place.cast());
                    local = Some(Ipv6Addr::from(to.ipi6_addr.s6_addr).into());
                }
                _ => {}
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
    (segment, local)
}
