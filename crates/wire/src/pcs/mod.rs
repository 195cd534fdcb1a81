// SPDX-License-Identifier: Apache-2.0
//! The PCS of 100GBASE-R (IEEE 802.3 clause 82): eight characters of CGMII become a block of 66
//! bits, blocks are dealt out to 20 lanes with markers, and back.
//!
//! A [`Slot`] is eight characters, a [`Block`] its 66 bits, a [`Row`] one block of each lane. Bit 0
//! of a block is first on the line; the two bits of the header come first.
//!
//! [`Transmitter`] and [`Receiver`] do what `cores/pcs` does, the receiver by other means: bit by
//! bit, with queues that have no size. What both make of the same input is in
//! `crates/wire/vectors/pcs`. [`fec`] puts error correction between the rows and four lanes.

mod block;
pub mod fec;
mod receive;
pub mod regs;
mod scramble;
mod transmit;

pub use block::{Kind, Place, decode, encode};
pub use receive::{Limits, Receiver, Slots, State};
pub use scramble::Scrambler;
pub use transmit::{Transmitter, marker, parity};

/// PCS lanes.
pub const LANES: usize = 20;

/// Blocks from a marker to the next one in a lane.
pub const PERIOD: usize = 16384;

/// 66 bits: the header in the lowest two.
pub type Block = u128;

/// A block of each lane.
pub type Row = [Block; LANES];

/// The header of a data block, first bit in the lowest place.
pub(crate) const DATA: u128 = 0b10;
/// The header of a control block and of a marker.
pub(crate) const CONTROL: u128 = 0b01;

/// Eight characters of CGMII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Bit i: character i is a control character.
    pub control: u8,
    /// The characters.
    pub data: [u8; 8],
}

impl Slot {
    /// Idle characters.
    pub const IDLE: Slot = Slot {
        control: 0xff,
        data: [0x07; 8],
    };
    /// What stands in place of a block that is none.
    pub const ERROR: Slot = Slot {
        control: 0xff,
        data: [0xfe; 8],
    };
    /// What a receiver says that has no link.
    pub const LOCAL_FAULT: Slot = Slot {
        control: 0x01,
        data: [0x9c, 0, 0, 1, 0, 0, 0, 0],
    };
}
