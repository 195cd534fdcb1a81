// SPDX-License-Identifier: Apache-2.0
//! The stages of the protocol on the runtime (section III.A): each with its own inputs, outputs and
//! state, so that they can be arranged in either way and on any number of threads.
//!
//! ```text
//!  host -> generate -> (round robin) -> aggregate -> check -> port ~~~ lane ~~~ combine -> acknowledge -> host
//!             ^ credit    again, news -^    | settled           | reports    reports ^-------'
//!             '---------- process <---------'-------------------'
//! ```
//!
//! There is an aggregate, check, port and combine for each lane, and a generate, process and
//! acknowledge for each pipeline.

mod acknowledge;
mod aggregate;
mod arrange;
pub mod check;
mod combine;
mod generate;
mod mapped;
mod port;
mod process;
mod protect;

pub use acknowledge::{Acknowledge, AcknowledgePorts, Delivered};
pub use aggregate::{Aggregate, AggregatePorts, News, Settled};
pub use arrange::{
    ReceiverEdges, SenderEdges, Settings, Threads, placement, receiver, sender, sender_with,
};
pub use check::Check;
pub use combine::{Arrived, Chunks, Combine, Tally, Window};
pub use generate::Generate;
pub use mapped::{Ends, PLANNED, Planned, Unmapped, mapped};
pub use port::Port;
pub use process::{Process, ProcessPorts};
pub use protect::{Processor, Protect};

use ropewalk_wire::chunk::{cargo, generator};

/// A chunk on its way out.
pub type Load = generator::Load<Vec<u8>>;
/// Sub-packets to be sent.
pub type Work = generator::Work<Vec<u8>>;
/// Frames on their way from stage to stage.
pub type Cargo = cargo::Cargo<Vec<u8>>;
