// SPDX-License-Identifier: Apache-2.0
//! Verilated Ropewalk cores behind a safe Rust interface, and the channel between them.
//!
//! * [`channel`]: what happens to the bits of one lane in one direction: delay, bit slip, bit
//!   errors, bursts, cuts. It is the only place where errors are made; the RTL contains none.
//! * [`mod@chunk`]: End2End100, bulk data over lossy lanes, in virtual time; no RTL.
//! * [`htsp`]: two HTSP ends back to back, and a run loop with a scoreboard.
//! * [`net`]: a network of up to 1024 nodes, packet by packet; no RTL.
//! * [`rdma`]: two RDMA engines with memories, and the network between them.
//! * [`rifl`]: one or two RIFL endpoints (the real RTL, cycle by cycle), a link of two endpoints
//!   with their clocks and channels, and a run loop with traffic, scoreboard and statistics.
//! * [`slink`]: two chips joined by an SLink, their memories, and the published program.
//! * [`stack`]: RDMA engines over RIFL links, with switches between them.
//! * [`traffic`]: the player and the capture of streams behind their registers.
//! * [`lockstep`]: the RTL held against the sans-IO model of `ropewalk-wire`, frame for frame: one
//!   lane, compatible mode.
//! * [`shadow`]: the same in extended mode and with several lanes, packet for packet and incident
//!   for incident.
//!
//! The simulator of a model is built when it is first asked for, with the Verilator of the
//! repository, and kept in its `build/sim`; see [`rifl::Model::prepare`].
//!
//! Everything is deterministic: the same configuration and seeds give the same run.

pub mod channel;
pub mod chunk;
mod error;
pub mod htsp;
mod latency;
pub mod lockstep;
mod models;
pub mod net;
pub mod rdma;
pub mod rifl;
pub mod shadow;
pub mod slink;
pub mod stack;
#[doc(hidden)]
pub mod testing;
pub mod traffic;

pub use channel::{Burst, Channel, ChannelConfig, Cut, CutKind, MAX_REPEAT};
pub use error::SimError;
pub use latency::LatencyHistogram;
pub use models::{Building, checkout, sources};
