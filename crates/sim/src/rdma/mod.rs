// SPDX-License-Identifier: Apache-2.0
//! RDMA engines: the real RTL of `cores/rdma`, verilated, with memories, and the network between
//! them.
//!
//! | what | for |
//! |---|---|
//! | [`Pair`] | two engines or more in one clock; everything cycle by cycle |
//! | [`Engine`] | a handle of one of them: reads and writes as a processor carries them out, one after the other |
//! | [`Memory`] | what an engine reads and writes |
//! | [`Move`] | what moves at the pins of an engine, and when |
//! | [`NetworkConfig`] | what happens to packets on their way |
//! | [`run()`] | users of both, and what has become of every byte of both memories |
//! | [`incast()`] | many engines that write to one |

mod engine;
mod ffi;
mod incast;
mod jobs;
mod layout;
mod memory;
mod model;
mod moves;
mod network;
mod node;
mod pair;
mod result;
mod run;
mod users;

/// Clock that figures are given for: what the engine of the thesis was designed for.
pub const CLOCK_HZ: f64 = 200e6;
/// Bytes of a word of memory and network.
pub const WORD: usize = 64;

pub use engine::Engine;
pub use incast::{IncastConfig, IncastResult, incast, incast_model};
pub use memory::{Memory, MemoryConfig, Written};
pub use model::Model;
pub use moves::Move;
pub(crate) use network::{Fabric, Word};
pub use network::{NetworkConfig, NetworkCounts};
pub use node::{AccessError, Done, Node, Ticket};
pub use pair::{Limits, Pair, PairConfig, Rights};
pub use result::{Group, RunResult, Service};
pub(crate) use run::run_over;
pub use run::{RunConfig, channels, memory_needed, run};
pub use users::{Distribution, Workload};
