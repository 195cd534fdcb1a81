// SPDX-License-Identifier: Apache-2.0
//! Every wire format and every state machine of Ropewalk as sans-IO code: bits and time go in, bits
//! come out. No sockets, no clock, no threads, no randomness (but for the keys of
//! [`chunk::handshake`]), so that a model can stand beside the RTL as its scoreboard and run
//! billions of frames.
//!
//! | module | protocol | status |
//! |---|---|---|
//! | [`rifl`] | RIFL, one lane: frames, scrambler, code, transmitter, receiver, aligner | complete |
//! | [`htsp`] | HTSP, one end of a link: frames, transmitter, receiver, buffers | complete |
//! | [`slink`] | SLink, one end: packets, operations, sessions, change of the line's mode | complete but for the start of the lanes |
//! | [`mod@line`] | the line codes 8b/10b and 64b/66b, byte striping | complete |
//! | [`pcs`] | the PCS of 100G Ethernet: blocks, lanes, markers; the FEC sublayer on four lanes | complete |
//! | [`rsfec`] | Reed-Solomon codes of 100G Ethernet lanes | complete |
//! | [`fec`] | forward error correction of sub-packets | complete |
//! | [`chunk`] | End2End100, the ends of a pipeline: sub-packets, frames, reports, rates | complete |
//! | [`rdma`] | RDMA engine: descriptors, packets, blocks, numbers, scheduling queues | formats and arithmetic, not the engine |
//! | [`switch`] | networks of lossless links and switches: headers, credits, topologies, routing tables | complete |
//! | [`traffic`] | player and capture of streams in hardware: registers | complete |
//! | [`regs`] | registers and their fields, for every core | complete |
//!
//! Where the processor is spoken to directly, the compiler is asked for less than full memory
//! safety: the vector instructions of [`fec`], and in [`chunk`] the check of sub-packets and the
//! memory that is asked for ahead.
//!
//! # How ends are moved
//! Ends that run by time take what arrives with `receive`, give what is to be sent with
//! `poll_transmit`, say with `next_timeout` when to call that again at the latest, and tell the
//! user with `poll_event`: [`chunk::Sender`], [`chunk::Receiver`] (whose events are chunks,
//! `poll_chunk`), [`htsp::Endpoint`] and those of [`chunk::handshake`]. What else they take
//! differs: lanes and batches, whether a frame was damaged, what has been looked at. Those of a
//! line, [`rifl`] and [`slink`], run by cycles, with `tick` in place of timeouts.
//!
//! # Features
//! One for each protocol, of the name of its module; all are on by default. `rifl`, `htsp`,
//! `pcs`, `rsfec`, `switch` and `traffic` need no operating system: without the feature `std` they
//! are `no_std` with `alloc`, less what calculates with logarithms ([`rifl::plan`],
//! [`rifl::link`]) or reads files ([`switch::topology::file`]). The others have `std` with them.
//! `tracing`, which is off by default, makes [`chunk`] say with events of that crate what becomes
//! of sessions, lanes and keys.
#![deny(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

/// An event of `tracing` where the crate that says it has that feature, else nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! event {
    ($level:ident, $($said:tt)+) => {
        #[cfg(feature = "tracing")]
        ::tracing::event!(::tracing::Level::$level, $($said)+);
    };
}

#[cfg(feature = "chunk")]
pub mod chunk;
#[cfg(feature = "fec")]
pub mod fec;
#[cfg(feature = "htsp")]
pub mod htsp;
#[cfg(feature = "line")]
pub mod line;
#[cfg(feature = "pcs")]
pub mod pcs;
#[cfg(feature = "rdma")]
pub mod rdma;
pub mod regs;
#[cfg(feature = "rifl")]
pub mod rifl;
#[cfg(feature = "rsfec")]
pub mod rsfec;
#[cfg(feature = "slink")]
pub mod slink;
#[cfg(feature = "switch")]
pub mod switch;
#[cfg(feature = "traffic")]
pub mod traffic;
