// SPDX-License-Identifier: Apache-2.0
//! HTSP ends and links: the real RTL of `cores/htsp`, verilated.

mod end;
mod ffi;
mod flow;
mod line;
mod model;
mod run;

pub use end::{Beat, End, Events, Settings, WORD};
pub use flow::Counts;
pub use line::LineConfig;
pub use model::{MAX_CHANNELS, Model};
pub use run::{RunConfig, RunResult, run};
