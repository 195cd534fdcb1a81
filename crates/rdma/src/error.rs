// SPDX-License-Identifier: Apache-2.0
//! What can be wrong, with the value and what would be accepted.

use crate::{Buffer, DeviceError};
use ropewalk_wire::rdma::DescriptorError;
use ropewalk_wire::regs::FieldError;
use std::time::Duration;
use thiserror::Error;

/// Why a call did not do what it was to do, or how a transfer ended.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// The transfer breaks a rule of descriptors. Nothing was written to the engine.
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    /// The device does not do what it is asked for.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A setting does not fit its register.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// Something else is mapped there.
    #[error("magic {found:#010x}: accepted is {expected:#010x}, so this is not an RDMA engine")]
    Magic {
        /// What was read.
        found: u32,
        /// What an engine has there.
        expected: u32,
    },
    /// A register map that this library does not know.
    #[error("register map {found}: accepted is {expected}")]
    Map {
        /// Major number of the map.
        found: u64,
        /// The one that is known.
        expected: u64,
    },
    /// A register map without what is asked for.
    #[error("register map 1.{minor}: accepted is 1.{least} or newer, for {what}")]
    MapMinor {
        /// Minor number of the map.
        minor: u8,
        /// The first one that has it.
        least: u8,
        /// What it lacks.
        what: &'static str,
    },
    /// A setting of congestion that is not one.
    #[error("{what} {value} of congestion: accepted are 1 to {most}")]
    Congestion {
        /// Which one.
        what: &'static str,
        /// What was asked for.
        value: u16,
        /// The largest one.
        most: u16,
    },
    /// A weight that is not one.
    #[error("weight {weight} of class {class}: accepted are 1 to 16")]
    Weight {
        /// Of which class.
        class: &'static str,
        /// What was asked for.
        weight: u8,
    },
    /// A rate that is slower than an engine can be.
    #[error("{bits} bits per second: accepted are {slowest} and more with this clock, or no limit")]
    Rate {
        /// What was asked for.
        bits: u64,
        /// The slowest.
        slowest: u64,
    },
    /// A rate for a class that has no flows.
    #[error("rate of class small: accepted are one path and four paths, which have flows")]
    RateOfSmall,
    /// The engine runs already, as somebody else.
    #[error("node {asked}: the engine runs as node {found} until it is reset, accepted is {found}")]
    Node {
        /// What was asked for.
        asked: u16,
        /// What it is.
        found: u16,
    },
    /// Something did not happen in time. What was waited for goes on.
    #[error("{what}: not within {time:?}")]
    Deadline {
        /// What was waited for.
        what: &'static str,
        /// How long.
        time: Duration,
    },
    /// No such page.
    #[error("page {page}: accepted are 0 to {last}")]
    Page {
        /// What was asked for.
        page: u8,
        /// The last one.
        last: u8,
    },
    /// The page is open, or handles of its transfers are kept.
    #[error(
        "page {0}: accepted is a page that is not open and none of whose transfers has a handle"
    )]
    PageTaken(u8),
    /// A priority that the engine was not built with.
    #[error("priority {priority}: accepted are 0 to {last}, as built into this engine")]
    Priority {
        /// What was asked for.
        priority: u8,
        /// The last one.
        last: u8,
    },
    /// An address that no node has.
    #[error("address {0:#x}: accepted are addresses below 2^48")]
    Address(u64),
    /// A window without rights would not be one.
    #[error("window without rights: accepted is read, write or both")]
    NoRights,
    /// All windows of a page are registered.
    #[error("one more window: accepted are {limit} for each page")]
    Windows {
        /// How many a page has.
        limit: u8,
    },
    /// No memory left.
    #[error("{asked} bytes of {of}: accepted are 1 to {largest}")]
    Memory {
        /// What was asked for.
        asked: u64,
        /// What it was to be taken from.
        of: &'static str,
        /// The largest piece that is free.
        largest: u64,
    },
    /// Outside of a buffer.
    #[error(
        "{bytes} bytes from byte {at} on of a buffer: accepted are places within its {size} bytes"
    )]
    Outside {
        /// First byte.
        at: u64,
        /// How many.
        bytes: u64,
        /// Bytes of the buffer.
        size: u64,
    },
    /// More than a transfer can have.
    #[error("transfer of {0} bytes: accepted are 1 to 4294967295")]
    Size(u64),
    /// A buffer that the domain of the page cannot reach.
    #[error(
        "buffer of a window of page {found}: accepted are buffers of page {page} of the same engine"
    )]
    Domain {
        /// The page whose window it is in.
        found: u8,
        /// The page that posts.
        page: u8,
    },
    /// A read into memory that others may not write.
    #[error(
        "read into a window without the right to write: accepted are windows with it, as the data come from the other node"
    )]
    Rights,
    /// A read tells its own node, in the memory that it owns.
    #[error("notification of a read at {0:#x}: accepted are places in its buffer")]
    Notification(u64),
    /// Every channel is in use.
    #[error("page {0}: accepted are 64 transfers at a time, of two lines 32")]
    Full(u8),
    /// The port did not take the descriptor although it keeps all rules: another user writes to
    /// this page, or it is a mistake of ours.
    #[error(
        "page {page}, channel {channel}: the port refused a descriptor that keeps all rules; somebody else uses this page"
    )]
    Refused {
        /// Page.
        page: u8,
        /// Channel.
        channel: u8,
    },
    /// The engine gave the transfer up. What it may still write to is not used again before its
    /// window is gone.
    #[error(
        "page {page}, channel {channel}: the transfer failed; it was refused at either end, or not answered"
    )]
    Failed {
        /// Page.
        page: u8,
        /// Channel.
        channel: u8,
    },
    /// The channel is idle although its end was not seen: the descriptor was refused, or somebody
    /// else has read the state.
    #[error(
        "page {page}, channel {channel}: idle without an end; its descriptor was refused, or somebody else reads this page"
    )]
    Lost {
        /// Page.
        page: u8,
        /// Channel.
        channel: u8,
    },
    /// The end of this transfer was handed out before.
    #[error("the end of this transfer was taken before: accepted is once")]
    Taken,
    /// What the device reads as cannot be: it is gone.
    #[error("page {page}: state {state:#x} cannot be, the device is gone")]
    Gone {
        /// Page.
        page: u8,
        /// What was read.
        state: u64,
    },
}

/// A read that was not posted, and its buffer.
#[derive(Debug, Error)]
#[error("{error}")]
pub struct NotPosted {
    /// Why.
    pub error: Error,
    /// As it was; none if the device ended in the middle, and may have it.
    pub buffer: Option<Buffer>,
}

impl From<NotPosted> for Error {
    fn from(it: NotPosted) -> Self {
        it.error
    }
}
