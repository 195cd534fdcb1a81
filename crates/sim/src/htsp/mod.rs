// SPDX-License-Identifier: Apache-2.0
//! HTSP ends and links: the real RTL of `cores/htsp`, verilated.

mod echo;
mod end;
mod ffi;
mod flow;
mod line;
mod lines;
mod model;
mod op_codes;
mod phy;
mod run;

/// Clock of the core, as published: 322.27 MHz * 17 / 28.
pub const CLOCK_HZ: f64 = 195.66e6;
/// Cycles between headers, as the published core has them.
pub const NULL_INTERVAL: u32 = 127;
/// Cycles without a frame until the link is down: 150 us, less than 256 full bursts take.
pub const ALIVE: u32 = 29_349;

pub use echo::{Echo, EchoCounts};
pub use end::{Beat, End, Events, Settings, WORD};
pub use flow::Counts;
pub use line::LineConfig;
pub use model::{BEATS, MAX_CHANNELS, Model};
pub use op_codes::OpCodeCounts;
pub use phy::{Coding, PhyConfig, PhyCounts};
pub use run::{RunConfig, RunResult, run};
