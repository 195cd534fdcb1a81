// SPDX-License-Identifier: Apache-2.0
//! The RDMA engine with quality of service: its formats, its arithmetic and the order in which it
//! works, as code without input and output. What the RTL in `cores/rdma` is held against.
//!
//! A user writes a descriptor into a channel; the engine cuts the transfer into blocks, issues one
//! block at a time in the order of classes and priorities, and reports the channel done when every
//! block is acknowledged.
//!
//! | module | what |
//! |---|---|
//! | [`descriptor`] | what a user writes: lines of 32 bytes |
//! | [`packet`] | what goes over the network: header, payload, footer |
//! | [`packed`] | packets without gaps between them |
//! | [`words`] | packets with a word each for header and footer |
//! | [`dissect`] | packets in recorded words, of either framing |
//! | [`segment`] | a transfer in blocks |
//! | [`flow`] | transaction numbers of the blocks of a flow |
//! | [`sequence`] | sequence numbers of transactions |
//! | [`pool`] | transaction and flow numbers that nobody uses |
//! | [`queues`] | scheduling queues, and which of them is served |
//! | [`regs`] | register map of the core, made from its description |
//!
//! Design and formats are on one page, `cores/rdma/README.md`.
//!
//! Source: Bartzis, "Hardware Support for Quality of Service in an RDMA Engine" (the thesis). Its
//! figures are not in the text that we work from: the layouts here are ours, with every field that
//! it names.

pub mod descriptor;
pub mod dissect;
pub mod flow;
pub mod packed;
pub mod packet;
pub mod pool;
pub mod queues;
pub mod regs;
pub mod segment;
pub mod sequence;
pub mod words;

pub use descriptor::{Class, Descriptor, DescriptorError, Work};
pub use flow::Paths;
pub use packet::{Footer, Header, Kind, Packet, PacketError};
pub use pool::Pool;
pub use queues::{Entry, Queues};
pub use segment::{Block, Plan};
pub use sequence::{Age, Sequence};
