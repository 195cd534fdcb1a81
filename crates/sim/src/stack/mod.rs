// SPDX-License-Identifier: Apache-2.0
//! The stack joined: RDMA engines over RIFL links, all of it the real RTL, verilated. A node is
//! `rdma`, `node_port` and `rifl_link`, as in `cores/node`.
//!
//! | what | for |
//! |---|---|
//! | [`Topology`] | nodes, switches, links and what happens to them |
//! | [`run()`] | users of all nodes, a file from the first to the last one, and what has become of every byte of all memories |

mod fabric;
mod ffi;
mod record;
mod run;
mod station;
mod topology;

pub use fabric::EndCounts;
pub use record::{Event, Happened, Series, Stage};
pub use run::{CLOCK_HZ, LinkResult, StackConfig, StackResult, prepare, run};
pub use station::PortCounts;
pub use topology::{LANES, LinkFaults, LinkPlan, Place, Topology};
