// SPDX-License-Identifier: Apache-2.0
//! What moves at the pins of an engine, cycle by cycle: where the time of a transfer goes.

use super::ffi::Ports;

/// Something that moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// The port took the last word of a burst: of a descriptor.
    Descriptor,
    /// Memory took the request of a read burst.
    ReadRequest,
    /// Memory gave a word.
    ReadWord,
    /// The network took a word; the last one of its packet, or of several that are packed.
    Sent {
        /// With TLAST.
        last: bool,
    },
    /// The engine took a word of the network.
    Came {
        /// With TLAST.
        last: bool,
    },
    /// Memory took the request of a write burst.
    WriteRequest,
    /// Memory took a word.
    WriteWord,
    /// The engine took the response to a write burst.
    WriteResponse,
}

/// What moves with the next edge.
pub(super) fn moves(ports: &Ports) -> impl Iterator<Item = Move> {
    // SAFETY: ports of a live instance.
    let high = |port: *const u8| unsafe { *port != 0 };
    let both = |a, b| high(a) && high(b);
    [
        (
            both(ports.wvalid, ports.wready) && high(ports.wlast),
            Move::Descriptor,
        ),
        (
            both(ports.mem_arvalid, ports.mem_arready),
            Move::ReadRequest,
        ),
        (both(ports.mem_rvalid, ports.mem_rready), Move::ReadWord),
        (
            both(ports.net_tvalid, ports.net_tready),
            Move::Sent {
                last: high(ports.net_tlast),
            },
        ),
        (
            both(ports.net_rvalid, ports.net_rready),
            Move::Came {
                last: high(ports.net_rlast),
            },
        ),
        (
            both(ports.mem_awvalid, ports.mem_awready),
            Move::WriteRequest,
        ),
        (both(ports.mem_wvalid, ports.mem_wready), Move::WriteWord),
        (
            both(ports.mem_bvalid, ports.mem_bready),
            Move::WriteResponse,
        ),
    ]
    .into_iter()
    .filter_map(|(moved, what)| moved.then_some(what))
}
