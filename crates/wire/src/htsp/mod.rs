// SPDX-License-Identifier: Apache-2.0
//! One end of an HTSP link at frame granularity, as sans-IO state machines: Ethernet frames and
//! time in, Ethernet frames and events out.
//!
//! HTSP carries up to 16 channels of user frames over 100G Ethernet between two ends. User frames
//! are cut into bursts, bursts of several channels take turns, and each channel is paused by
//! itself. Nothing is acknowledged and nothing is sent again: what is lost is noticed and told.
//!
//! | module | what |
//! |---|---|
//! | [`params`] | addresses, number of channels, burst, timers, buffer sizes |
//! | [`frame`] | layout of the bytes |
//! | [`tx`] | bursts in turn, frames of a header alone, what happens to a cut user frame |
//! | [`rx`] | which frames are taken, what is missing, link up and down |
//! | [`buffer`] | what a channel has received and its user has not taken; when it pauses |
//! | [`endpoint`] | all of it joined: one end of a link |
//! | [`event`] | what an end tells its user |
//! | [`counters`] | what an end counts |
//! | [`regs`] | register map of the core, made from its description |
//!
//! The format and the behaviour of an end are on one page, `docs/src/htsp-wire.md`.
//!
//! Sources: Ruckman and Doering, "100 Gb/s High Throughput Serial Protocol (HTSP) for Data
//! Acquisition Systems with Interleaved Streaming" (the paper), and the behaviour of the authors'
//! published core where the paper is silent or differs. Where an end behaves better than the
//! published core without changing the wire format, the item says "repair" and why.

pub mod buffer;
pub mod counters;
pub mod endpoint;
pub mod event;
pub mod frame;
pub mod params;
pub mod regs;
pub mod rx;
pub mod tx;

pub use endpoint::Endpoint;
pub use event::{Arrived, Down, Event, Missing, Piece, Reason};
pub use frame::{Mac, Tuser};
pub use params::{ParamError, Params};
pub use rx::{Peer, Receiver};
pub use tx::{Last, PushError, Transmitter};
