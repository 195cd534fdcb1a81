// SPDX-License-Identifier: Apache-2.0
//! RIFL endpoints and links: the real RTL of `cores/rifl`, verilated.

mod endpoint;
mod ffi;
mod link;
mod model;
mod run;
mod scoreboard;
mod traffic;

pub use crate::error::SimError;
pub use crate::latency::LatencyHistogram;
pub use endpoint::{Beat, Edges, Endpoint, Outputs, SessionStatus, TxState};
pub use link::{Link, LinkConfig, Now, Reset, Users};
pub use model::{FRAME_WIDTHS, ID_WIDTHS, LANES, Model};
pub use run::{
    Carried, Delivery, Direction, LaneResult, Observer, Progress, RunConfig, RunResult, Sample,
    run, run_observed,
};
pub use scoreboard::Verdict;
pub use traffic::{Due, PacketSource, Traffic};
