// SPDX-License-Identifier: Apache-2.0
//! The stack joined: RDMA engines over RIFL links and switches, all of it the real RTL, verilated.
//! A node is `rdma`, `node_port` and `rifl_link`, as in `cores/node`; a port of `switch_core` has a
//! `rifl_link`, too.
//!
//! | what | for |
//! |---|---|
//! | [`StackConfig`] | nodes, switches, links and what happens to them |
//! | [`Stack`] | its engines, for programs of one's own |
//! | [`run_lossy`] | the same over a plain network that loses packets |
//! | [`run()`] | users of all nodes, a file from the first to the last one, and what has become of every byte of all memories |

mod fabric;
mod faults;
mod ffi;
mod programs;
mod record;
mod run;
mod station;
mod switch;

pub use fabric::EndCounts;
pub use faults::{LANES, LINK_CYCLES, LinkFaults};
pub use programs::Stack;
pub use record::{Event, Happened, Series, Stage};
pub use run::{CLOCK_HZ, LinkResult, StackConfig, StackResult, StackRun, prepare, run, run_lossy};
pub use station::PortCounts;
pub use switch::{NODES, SwitchCounts};
