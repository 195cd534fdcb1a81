// SPDX-License-Identifier: Apache-2.0
//! Bulk data in chunks over many lossy lanes (End2End100), as sans-IO state machines: datagrams and
//! time in, datagrams and chunks out.
//!
//! A chunk of some megabytes is cut into sub-packets, each of which says by itself where it
//! belongs, so that nothing is ever put in order: what arrives is copied to its place. Frames carry
//! several of them. The receiver reports what it has as bitmaps, and what is missing is sent again.
//!
//! | module | what |
//! |---|---|
//! | [`params`] | sizes that both ends agree on |
//! | [`frame`], [`subpacket`], [`report`] | layout of the bytes |
//! | [`generator`] | Sub-Packet Generator: cuts chunks |
//! | [`aggregator`] | Sub-Packet Aggregator of a lane: makes frames, remembers what they carried, knows the health of the lane |
//! | [`ack_processor`] | Ack Processor: what has arrived, what is sent again |
//! | [`cargo`] | CRC/FEC stage of a lane: writes the frames |
//! | [`combiner`] | Sub-Packet Combiner of a lane: finds what of a frame is whole |
//! | [`window`] | which of the last frames of a lane have come: none counts twice |
//! | [`ack_generator`] | Ack Generator: what of each chunk is there, when to report |
//! | [`reporter`] | the same for a whole end: parity, the end of the stream, reports as datagrams |
//! | [`rate`] | how fast a lane may send |
//! | [`sender`], [`receiver`] | the stages joined: the ends of a pipeline over one or more lanes |
//! | [`handshake`] | start of a session: who the other end is, sizes, keys, lanes |
//! | [`session`] | what protects frames: check or seal, parity; **how ends are made from what was agreed on** |
//! | [`parity`] | parity over sub-packets: restores what has not arrived |
//! | [`seal`] | encrypts and authenticates what lanes carry |
//! | [`dissect`] | frames out of a capture, without secret and keys |
//! | [`bitmap`], [`batch`] | a set of sub-packets; frames ready to be sent, written whole |
//! | [`ahead`] | asks for the memory of sub-packets before they are used |
//!
//! *Stable Throughput* is a pipeline for each lane; *Low Latency* is one pipeline over all of them
//! (section IV.A).
//!
//! Source: Büchner, Lopacinski, Nolte, Kraemer, "100 Gbit/s End-to-End Communication: Designing
//! Scalable Protocols with Soft Real-Time Stream Processing". Where it is silent, or breaks, the
//! item says what we do and why.

pub mod ack_generator;
pub mod ack_processor;
mod aead;
pub mod aggregator;
pub mod ahead;
pub mod batch;
pub mod bitmap;
pub mod cargo;
pub mod combiner;
mod crc;
pub mod dissect;
pub mod frame;
pub mod generator;
pub mod handshake;
pub mod params;
pub mod parity;
pub mod rate;
pub mod receiver;
pub mod report;
pub mod reporter;
pub mod seal;
pub mod sender;
pub mod session;
pub mod subpacket;
pub mod window;

pub use ack_generator::AckTimer;
pub use batch::Batch;
pub use frame::FrameSeq;
pub use params::{Fec, ParamError, Params};
pub use rate::Pace;
pub use receiver::{Complete, Receiver, ReceiverCounters, ReceiverSettings};
pub use sender::{CloseReason, Phases, Sender, SenderCounters, SenderEvent, SenderSettings};
pub use session::{Mended, Session};
pub use subpacket::Tag;
