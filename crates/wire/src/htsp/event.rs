// SPDX-License-Identifier: Apache-2.0
//! What an end tells its user.

use super::frame::{Tuser, Word};
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
    /// TUSER of the frame, if both ends carry it: `first` of a piece with `start`, `last` of one
    /// with `end`, else 0.
    pub tuser: Tuser,
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
            tuser: Tuser { first: 0, last: 0 },
        }
    }
}

/// Why bytes of a stream are missing, as far as an end can know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Numbers of frames are missing: they were dropped on their way.
    FramesLost,
    /// Numbers of frames are missing, and as many frames arrived damaged; or a user frame ended in
    /// a damaged frame.
    FramesDamaged,
    /// A frame with the number of an earlier one was discarded: a duplicate, or one that was
    /// overtaken, or more than 127 frames are missing.
    FrameStale,
    /// No good frame came for the alive time.
    LinkSilent,
    /// The line below went down.
    LineDown,
    /// The far end has lost its link or has started anew: it drops what it had begun to send.
    FarEndReset,
    /// The far end ended the user frame in error. What it sent of its last burst is not delivered.
    Aborted,
    /// The rest of a user frame has not come, and the next one began.
    Unfinished,
    /// A fragment without start of packet was discarded: all of it had come.
    NoStart,
    /// The buffer of the channel at this end was full.
    BufferOverflow,
    /// The ring between kernel and process, or what else lies below this end, was full.
    RingOverflow,
    /// Nothing received here before: what the far end sent earlier is not known.
    Started,
    /// A receiver before this one has ended: what the far end sent in between is not known.
    Restarted,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 13] = [
        Reason::FramesLost,
        Reason::FramesDamaged,
        Reason::FrameStale,
        Reason::LinkSilent,
        Reason::LineDown,
        Reason::FarEndReset,
        Reason::Aborted,
        Reason::Unfinished,
        Reason::NoStart,
        Reason::BufferOverflow,
        Reason::RingOverflow,
        Reason::Started,
        Reason::Restarted,
    ];

    /// The word for it in all interfaces.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Reason::FramesLost => "frames_lost",
            Reason::FramesDamaged => "frames_damaged",
            Reason::FrameStale => "frame_stale",
            Reason::LinkSilent => "link_silent",
            Reason::LineDown => "line_down",
            Reason::FarEndReset => "far_end_reset",
            Reason::Aborted => "aborted",
            Reason::Unfinished => "unfinished",
            Reason::NoStart => "no_start",
            Reason::BufferOverflow => "buffer_overflow",
            Reason::RingOverflow => "ring_overflow",
            Reason::Started => "started",
            Reason::Restarted => "restarted",
        }
    }
}

/// Bytes of a channel are missing, or may be, between what arrived before and what arrives next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// Why.
    pub reason: Reason,
    /// How many bytes of the channel; `None` if nobody at this end can know, none included.
    pub bytes: Option<u64>,
    /// Frames of the link that are missing by their numbers, whatever channels they were of; a
    /// number counts modulo 256.
    pub frames: u64,
}

impl Missing {
    /// So much, nobody knows how much, is missing.
    #[must_use]
    pub const fn unknown(reason: Reason) -> Self {
        Missing {
            reason,
            bytes: None,
            frames: 0,
        }
    }

    /// What is missing at the same place for the same reason. `false` if the reason differs; then
    /// nothing was added.
    pub fn merge(&mut self, other: Missing) -> bool {
        if self.reason != other.reason {
            return false;
        }
        let bytes = self.bytes.zip(other.bytes);
        self.bytes = bytes.map(|(own, more)| own.saturating_add(more));
        self.frames = self.frames.saturating_add(other.frames);
        true
    }
}

/// What the stream of a channel consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrived {
    /// Bytes.
    Piece(Piece),
    /// Here something is missing, or may be. It stands in front of a piece that ends in error, too.
    Missing(Missing),
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
