// SPDX-License-Identifier: Apache-2.0
//! What an end tells its user.

use super::frame::Word;
use alloc::vec::Vec;

/// Bytes of one user frame that arrived together. The pieces of a channel come in order; a user
/// frame is all pieces from `start` to `end`.
///
/// A frame that ends with `error` is not whole: what its pieces hold is not specified then, and the
/// last one may hold nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Channel.
    pub channel: u8,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// First of its frame.
    pub start: bool,
    /// Last of its frame.
    pub end: bool,
    /// The frame ends, and it ends in error: its sender said so or something of it is missing.
    pub error: bool,
}

impl Piece {
    /// The end of a frame whose rest will not come.
    pub(crate) const fn cut(channel: u8) -> Self {
        Piece {
            channel,
            bytes: Vec::new(),
            start: false,
            end: true,
            error: true,
        }
    }
}

/// Why a link went down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Down {
    /// No good frame for the alive time.
    Silent,
    /// The line below it went down.
    Phy,
}

/// Something that a user has to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Bytes arrived.
    Data(Piece),
    /// The peer's frames arrive.
    LinkUp,
    /// They no longer do. All unfinished user frames were ended in error before.
    LinkDown(Down),
    /// Whether the peer's receiver has a link: until then nothing but headers is sent to it.
    PeerReady(bool),
    /// The number of frames, modulo 256, that are missing or were damaged. All unfinished user
    /// frames were ended in error; user frames that are missing as a whole left no other trace than
    /// this.
    Lost(u8),
    /// A frame with the number of an earlier one was discarded: a duplicate, or one that was
    /// overtaken, or more than 127 frames are missing. All unfinished user frames were ended in
    /// error.
    Stale(u8),
    /// Bytes of a user frame whose start is missing were discarded, on this channel.
    Orphan(u8),
    /// A user frame did not fit the buffer of this channel: it was ended in error, or left out if
    /// none of it was stored.
    Overflow(u8),
    /// This end gave up a user frame in the middle, on this channel, because the peer's receiver
    /// lost its link.
    Cut(u8),
    /// An op-code arrived.
    OpCode(Word),
    /// The peer's user data changed.
    UserData(Word),
}
