// SPDX-License-Identifier: Apache-2.0
//! One end of an SLink: remote memory over 8b/10b lanes, as sans-IO state machines. Words of
//! characters and time go in, packets and memory accesses come out.
//!
//! SLink lets a chip write to and read from the memory of another one over one, two or four lanes.
//! A packet is a header of 64 bits, up to 512 KB of data and, in CRC mode, check codes; a damaged
//! packet is sent again.
//!
//! | module | what |
//! |---|---|
//! | [`header`] | the 64 bits in front of every packet |
//! | [`crc`] | CRC-8 of the header, CRC-16 of the blocks |
//! | [`frame`] | packets to characters and back: control characters, blocks, what may be damaged |
//! | [`dissect`] | recorded lanes, without an end of their own |
//! | [`endpoint`] | operations, answers, repetition, sessions, address window, change of the line's mode |
//! | [`mode`] | the mode of the line: speed, lanes, line code |
//! | [`pairs`] | words of the lanes in 64b/66b |
//! | [`regs`] | register map of the core, made from its description |
//!
//! The format and its reasons are in `cores/slink/README.md`. Source: Li, Xue, Lin, Jiang and Meng,
//! "SLink: An Efficient Point-to-Point Protocol for Chip-to-Chip Interconnection" (the paper), with
//! what it leaves open decided there.

pub mod crc;
pub mod dissect;
pub mod endpoint;
pub mod frame;
pub mod header;
pub mod mode;
pub mod pairs;
pub mod regs;

pub use endpoint::{
    AskError, Endpoint, Failure, LineStatus, Memory, Operation, Outstanding, Settings, StartError,
    Switch,
};
pub use frame::{Damage, Deframer, Item, Packet};
pub use header::{Greeting, Header, HeaderError, Kind, Matter, Message, Notice, Request};
pub use mode::{LineMode, Rate};
