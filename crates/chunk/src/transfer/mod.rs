// SPDX-License-Identifier: Apache-2.0
//! Files from a host to another: read, cut into blocks, sent as chunks over one or more lanes,
//! written, compared by hash.
//!
//! | module | what |
//! |---|---|
//! | [`head`] | what stands at the front of every chunk |
//! | [`pack`] | many small files in a chunk |
//! | [`pieces`] | blocks of a file of which an older one is there |
//! | [`manifest`], [`entries`] | the list of files; which names are taken |
//! | [`attributes`] | extended attributes, where they are asked for |
//! | [`source`], [`filter`] | what a sender lists; which names it leaves out |
//! | [`tree`], [`part`] | the directory of the receiver; what is kept for a resumption |
//! | `small` | small files, which are made safe together |
//! | [`start`] | what the ends agree on |
//! | [`connect`], [`listener`] | how the sender finds the receiver, and how that admits it |
//! | [`choice`] | which kind of lanes carries the data, where there are both |
//! | [`pipe`] | the threads that move the ends of pipelines |
//! | [`arrivals`] | what the lanes bring, for whoever watches |
//! | [`send`], [`recv`] | both sides of a transfer |
//! | [`job`] | either on a thread of its own, to be watched and cancelled |
//! | [`memory`] | pieces of memory instead of files |
//!
//! ```text
//!  reader ---> pipelines ~~~ lanes ~~~> pipelines ---> writer      a thread each; memory goes round, so each waits for the next
//!     ^                                                   |
//!     +-------------- pipeline back <~~~ lane ~~~---------+        what the receiver has already, how far it is, what became of it
//! ```
//!
//! 1. The sender sends the list of files.
//! 2. The receiver tells the hashes of all blocks that it has from an earlier time, and "go", which
//!    counts these messages: they arrive in any order. Of a file that is there in an older version
//!    it tells the pieces.
//! 3. The sender reads every block, and sends those whose hash is another one; at the end of each
//!    file the hash of all of it. Small files that the receiver does not have go whole, many of them
//!    in a chunk.
//! 4. The receiver names a file when that is right, and says at last that everything is in place,
//!    or what is wrong.
//!
//! What the receiver tells goes over a pipeline of its own in the other direction, over all lanes:
//! the same retransmission as for data makes it safe under loss, and nothing is needed beside it.
//! An end that hears nothing for [`PATIENCE`] gives the attempt up; the sender begins anew until it
//! has been in vain for too long, and the receiver has on disk what it needs to go on.

pub mod arrivals;
pub mod attributes;
pub mod choice;
pub mod connect;
mod ends;
pub mod entries;
pub mod filter;
pub mod head;
mod inbound;
pub mod job;
pub mod listener;
pub mod manifest;
pub mod memory;
pub mod pack;
pub mod part;
pub mod pieces;
pub mod pipe;
pub mod recv;
pub mod send;
mod small;
pub mod source;
pub mod start;
mod task;
pub mod tree;

pub use crate::perf::Arrangement;
use ropewalk_wire::chunk::CloseReason;
use std::io;
use std::time::Duration;
use thiserror::Error;

/// Over which kind of lanes data goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Via {
    /// Datagrams: the network does not know other lanes.
    #[default]
    Udp,
    /// Streams, as long as they live; datagrams after that, or where there are none.
    Tcp,
    /// One of the two or both together, whichever brings most, as [`choice`] finds.
    Auto,
}

/// An end that is silent for so long is gone.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// How the other end was lost.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Loss {
    /// It was silent for [`PATIENCE`].
    #[error("silent for {} s", PATIENCE.as_secs())]
    Silent,
    /// Another one has come while it was silent.
    #[error("another one has come, and it is silent")]
    Replaced,
    /// The session with it has closed.
    #[error("{0}")]
    Closed(CloseReason),
    /// A lane to it is gone for good.
    #[error("{which} failed: {why}")]
    Lane {
        /// Which one.
        which: &'static str,
        /// What the system says.
        why: String,
    },
}

impl Loss {
    /// What the thread of a lane, or of several, has ended with.
    fn of_thread(which: &'static str, error: &io::Error) -> Self {
        let reason = error.get_ref().and_then(|it| it.downcast_ref());
        let why = || error.to_string();
        reason.map_or_else(|| Loss::Lane { which, why: why() }, |it| Loss::Closed(*it))
    }
}

/// Time between two signs of life.
const ALIVE: Duration = Duration::from_millis(500);
/// Longest wait for a chunk or a message before all else is looked at.
const TURN: Duration = Duration::from_millis(20);
/// Longest sleep of the ends of the pipeline back.
const NAP: Duration = Duration::from_millis(5);
/// Most bytes of the reason why an end gives up.
const LONGEST_WORD: usize = 1000;
/// Bytes of the longest chunk that a receiver sends.
const MESSAGE: usize = head::HEAD + 32 * HASHES;
/// Hashes in such a chunk.
const HASHES: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    /// The reason of a session stays one; what the system says is text.
    #[test]
    fn how_an_end_was_lost() {
        let closed = io::Error::other(CloseReason::Exhausted);
        let loss = Loss::of_thread("a lane", &closed);
        assert_eq!(loss, Loss::Closed(CloseReason::Exhausted));
        let (which, why) = ("the lane back", "it is cut".to_owned());
        let loss = Loss::of_thread(which, &io::Error::other(why.clone()));
        assert_eq!(loss.to_string(), "the lane back failed: it is cut");
        assert_eq!(loss, Loss::Lane { which, why });
        assert_eq!(Loss::Silent.to_string(), "silent for 10 s");
    }
}
