// SPDX-License-Identifier: Apache-2.0
//! Two chips joined by an SLink: the real RTL of `cores/slink`, verilated, with a memory behind
//! each end.

mod behaviour;
mod clock;
mod end;
mod ffi;
mod host;
mod line;
mod memory;
mod mixed;
mod model;
mod pair;
pub mod program;
mod run;
mod several;
mod wanted;

pub use line::Packets;
pub use memory::{Memory, Write};
pub use mixed::{Able, Made, Mixed, START};
pub use model::Model;
pub use pair::{A, Ask, B, EndReset, LineCut, Pair, PairConfig, Switched};
pub use program::{Operation, Outcome, Registers, Status};
pub use ropewalk_wire::slink::mode::{LineMode, Rate, coding_name};
pub use ropewalk_wire::slink::regs::{Change, Coding};
pub use run::{Ended, RunConfig, RunResult, run};
