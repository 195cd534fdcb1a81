// SPDX-License-Identifier: Apache-2.0
//! Two chips joined by an SLink: the real RTL of `cores/slink`, verilated, with a memory behind
//! each end.

mod end;
mod ffi;
mod line;
mod memory;
mod model;
mod pair;
pub mod program;
mod run;
mod several;
mod wanted;

pub use memory::{Memory, Write};
pub use model::Model;
pub use pair::{A, B, Pair, PairConfig};
pub use program::{Operation, Outcome, Registers, Status};
pub use run::{Ended, Rate, RunConfig, RunResult, run};
