// SPDX-License-Identifier: Apache-2.0
//! A network of lossless links and cut-through switches, as sans-IO code: the header of a packet,
//! credits, the end of a link, topologies and their routing tables.
//!
//! A packet is 1 to 64 words of 64 bytes, with the network's header in bytes 48 to 63 of its first
//! word. Each of four classes has credits of its own on every link, so that a packet is sent only
//! when there is memory for all of it at the other end.
//!
//! | module | what |
//! |---|---|
//! | [`header`] | the 16 bytes in the first word |
//! | [`credit`] | limits modulo 4096: what a sender may send, what a receiver advertises |
//! | [`link`] | one end of a link: hello, epochs, limits, what was lost with a session |
//! | [`regs`] | the registers of a switch |
//! | [`topology`] | nodes, switches and links; generators; the topology file |
//! | [`routes`] | routing tables: shortest legal paths, and the proof that no cycle of waits exists |
//!
//! The format and its reasons are in `cores/switch/README.md`.

pub mod credit;
pub mod header;
pub mod link;
pub mod regs;
pub mod routes;
pub mod topology;

pub use header::{Body, Class, Header, HeaderError, Route};
pub use link::{Event, LinkEnd, Settings, State};
pub use routes::{RouteError, Rule, Tables};
pub use topology::{End, Link, Topology, TopologyError};

/// Classes: a virtual channel each.
pub const CLASSES: usize = 4;
/// Bytes of a word.
pub const WORD: usize = 64;
/// Most words of a packet.
pub const MAX_WORDS: u8 = 64;
/// Most switches on a path: a packet with no hop left is dropped by the next switch.
pub const MAX_SWITCHES: u8 = 15;
