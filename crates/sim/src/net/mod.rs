// SPDX-License-Identifier: Apache-2.0
//! A network of nodes, switches and links, packet by packet: no RTL, and up to 1024 nodes.
//!
//! The rules are those of `cores/switch`: a queue for each class and output at every input, iSLIP
//! with one iteration a cycle over whole packets, credits for each class on every link,
//! cut-through, seven cycles from port to port, routing by the tables of
//! [`ropewalk_wire::switch::Tables`] with the same choice among the allowed ports. Time is counted
//! in cycles of one word, 64 bytes; what happens is computed when something happens, so idle parts
//! cost nothing.
//!
//! A link is lossless hop by hop as RIFL is, where a bit error costs a replay of one round trip
//! ([`ropewalk_wire::rifl::plan::recovery`]), or lossy, where a packet with a bit error is dropped
//! by the node that receives it, and its source sends it again after a time-out.
//!
//! | module | what |
//! |---|---|
//! | [`config`] | what is run |
//! | `model` | the network, event by event |
//! | [`result`] | what came out |

pub mod config;
mod events;
mod model;
mod node;
pub mod result;
mod switch;

pub use config::{Config, Transport, Workload};
pub use model::run;
pub use result::{ClassResult, LinkResult, NetResult};

/// Nanoseconds of a cycle: a word of 64 bytes at 100 Gb/s.
pub const CYCLE_NS: f64 = 5.12;
/// Words of a block of the RDMA engine: header, 1 KB, footer.
pub const BLOCK_WORDS: u8 = 18;
/// Words of an answer.
pub const ANSWER_WORDS: u8 = 2;
/// Words of a small message: header, up to 64 bytes, footer.
pub const SMALL_WORDS: u8 = 3;
/// Cycles from the first word at a port to the first word at another one, idle.
pub const SWITCH_CYCLES: u64 = 7;

/// Words of memory of a class that its packets take to have the full rate of a link: a round trip,
/// a packet that is sent on, one that waits for room, and one behind which credits wait to return.
#[must_use]
pub fn full_rate_words(delay: u32, packet_words: u8) -> u16 {
    let words = 2 * u64::from(delay) + 3 * u64::from(packet_words) + 2 * SWITCH_CYCLES;
    words.min(u16::MAX.into()) as u16
}
