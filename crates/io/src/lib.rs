// SPDX-License-Identifier: Apache-2.0
//! Raw Ethernet, and the ends of links that stand on it.
//!
//! | module | what |
//! |---|---|
//! | [`link`] | the trait of all that carries whole Ethernet frames |
//! | [`packet`] | a network interface: a ring of the kernel for what arrives, batches for what is sent |
//! | [`xdp`] | a network interface past the network stack of the kernel (AF_XDP) |
//! | [`tap`] | an interface of the kernel whose cable is this process |
//! | [`pipe`] | two ends in memory, for tests that have no privileges |
//! | [`htsp`] | an HTSP end on any of them |
//! | [`lane`] | channels for bulk data: datagrams that may be lost |
//! | [`pcap`] | frames as a capture file |
//! | `capture` | frames out of a capture file, with the feature of that name |
//! | [`recording`] | words of lanes as text, as a logic analyser has them |
//! | [`veth`] | two interfaces with a cable between them, in a network of their own, for tests and measurements |
//! | [`relay`] | two networks of their own with a channel between them, for whatever speaks IP |
//! | [`proxy`] | a way for UDP with a channel in it, without privileges |
//! | [`registers`] | registers of a core, read over a mapped bus |
//! | [`measure`] | throughput and processor time over such a cable; memory of the process |
//! | [`copy`] | a file over plain TCP, to be measured beside a transfer |
//!
//! Only Linux has what is needed for it. `unsafe` stands in [`packet`], [`xdp`], [`tap`], [`veth`],
//! [`measure`], [`copy`], [`registers`], [`relay`], [`lane`], `bpf` and `sys`, always around one
//! call to the kernel or one look into memory that it shares.

mod bpf;
#[cfg(feature = "capture")]
pub mod capture;
pub mod copy;
pub mod htsp;
pub mod lane;
pub mod link;
pub mod measure;
pub mod packet;
pub mod pcap;
pub mod pipe;
pub mod proxy;
pub mod recording;
pub mod registers;
pub mod relay;
mod sys;
pub mod tap;
pub mod veth;
pub mod xdp;

pub use lane::{Lane, LaneError};
pub use link::{Arrival, OpenError, RawLink, Waker};
pub use packet::PacketLink;
pub use pipe::PipeLink;
pub use tap::TapLink;
pub use xdp::XdpLink;
