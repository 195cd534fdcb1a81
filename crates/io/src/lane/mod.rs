// SPDX-License-Identifier: Apache-2.0
//! Channels for bulk data: what carries datagrams, and may lose, duplicate and reorder them.
//!
//! | module | what |
//! |---|---|
//! | [`tcp`] | TCP, for paths that lose hardly anything |
//! | [`udp`] | UDP, with batches that the kernel cuts and puts together |
//! | [`raw`] | raw Ethernet, on anything that carries whole frames |
//! | [`shm`] | memory that two processes share |
//! | [`sim`] | two lanes in memory with a channel between them |
//! | [`network`] | how lanes are opened: one end connects, the other one listens |
//! | [`sim_network`] | a network of such pairs |
//! | [`measure`] | throughput and processor time of a lane with nothing above it |

pub mod measure;
pub mod network;
pub mod raw;
pub mod shm;
pub mod sim;
pub mod sim_network;
pub mod tcp;
pub mod udp;

use crate::link::Waker;
use std::io::{self, IoSlice};
use std::time::Duration;
use thiserror::Error;

/// Most bytes that one [`Lane::send`] takes: the longest UDP datagram over IPv4, as the kernel
/// handles a batch as one.
pub const BATCH: usize = 65_507;
/// Most datagrams that one [`Lane::send`] takes; every kernel that cuts batches takes this many.
pub const DATAGRAMS: usize = 64;
/// Most pieces that one [`Lane::send`] takes.
pub const PIECES: usize = 1024;

/// What carries the datagrams of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Kind {
    /// Each on its own: some may be lost, or come out of order. The lane has no rate of its own.
    #[default]
    Datagrams,
    /// One behind the other, without loss. The lane takes what it can carry, and no more.
    Stream,
}

/// Carries datagrams; may lose, duplicate and reorder them. It never joins or cuts them, and never
/// delivers an empty one. Only raw Ethernet lengthens them, and only if they are short ([`raw`]).
///
/// A lane outlives troubles of its channel: an interface that is down, a peer that does not listen,
/// a route that is missing. Datagrams sent meanwhile are lost. Only a stream ends with its
/// connection ([`tcp`]).
pub trait Lane: Send {
    /// Sends `pieces`, one after the other, cut into datagrams of `segment` bytes (the last may be
    /// shorter): [`PIECES`], [`BATCH`] bytes and [`Lane::batch`] datagrams at most. Does not wait:
    /// false if there is no room now, and nothing was taken.
    ///
    /// # Errors
    /// `InvalidInput` if it is more than that, or `segment` is 0 or above [`Lane::limit`] (which
    /// may have shrunk); nothing was taken. Anything else: the lane is gone for good.
    fn send(&mut self, pieces: &[IoSlice<'_>], segment: usize) -> io::Result<bool>;

    /// Hands over some of what has arrived, datagram by datagram, and says whether there was any.
    /// Does not wait.
    ///
    /// # Errors
    /// The lane is gone for good.
    fn receive(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<bool>;

    /// Waits for an arrival, for room to send if `blocked`, for the waker, or for so long. It may
    /// end earlier.
    ///
    /// # Errors
    /// The lane is gone for good.
    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()>;

    /// Ends a wait, also one that begins later.
    fn waker(&self) -> Waker;

    /// Longest datagram, bytes. It may change while the lane is in use.
    fn limit(&self) -> usize;

    /// Datagrams that one `send` may carry at a given segment size, at least 1.
    fn batch(&self, segment: usize) -> usize {
        (BATCH / segment.max(1)).clamp(1, DATAGRAMS)
    }

    /// Bytes that the receive buffer of this end can hold, about.
    fn buffer(&self) -> usize;

    /// Times that an arrival was lost because it was full: a datagram, or several that arrived as
    /// one.
    fn drops(&self) -> u64;

    /// What carries its datagrams.
    fn kind(&self) -> Kind {
        Kind::Datagrams
    }

    /// Round-trip time of its path, where the kernel knows it.
    fn rtt(&self) -> Option<Duration> {
        None
    }

    /// Whether it is gone for good, where that ends no call with an error: nothing is sent or
    /// arrives any more.
    fn is_gone(&self) -> bool {
        false
    }

    /// Ends a stream: nothing more arrives, and the peer learns of it.
    fn hang_up(&mut self) {}

    /// What the system gave less of than was asked for or refused, and how to get it; a line each.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Bytes of all pieces together, if a lane can take them.
fn check(pieces: &[IoSlice<'_>], segment: usize, limit: usize, batch: usize) -> io::Result<usize> {
    let length = pieces.iter().map(|piece| piece.len()).sum::<usize>();
    let wrong = if segment == 0 || segment.min(length) > limit {
        format!("datagrams of {segment} bytes: this lane takes 1 to {limit}")
    } else if length > BATCH {
        format!("{length} bytes at once: a lane takes {BATCH}")
    } else if length.div_ceil(segment) > batch {
        let count = length.div_ceil(segment);
        format!("{count} datagrams at once: this lane takes {batch} of {segment} bytes")
    } else if pieces.len() > PIECES {
        format!("{} pieces at once: a lane takes {PIECES}", pieces.len())
    } else {
        return Ok(length);
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, wrong))
}

/// Why a lane could not be opened, and what to do about it.
#[derive(Debug, Error)]
pub enum LaneError {
    /// No such interface.
    #[error("there is no network interface '{0}'; 'ip link' lists those that there are")]
    Interface(String),
    /// An address of this machine that is taken or not of this machine.
    #[error("cannot use the address {address}: {source}; {remedy}")]
    Address {
        /// What was asked for.
        address: String,
        /// What the kernel said.
        source: io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// Nothing leads to the peer.
    #[error("no way to {peer}: {source}; 'ip route get' tells what is missing")]
    Unreachable {
        /// Peer.
        peer: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// Anything else that the kernel refuses.
    #[error("cannot {what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_lane_cannot_take_is_told_with_its_value() {
        let bytes = vec![0; BATCH + 1];
        let say = |length: usize, segment, limit| {
            let pieces = [IoSlice::new(&bytes[..length])];
            let said = check(&pieces, segment, limit, 4);
            said.map_err(|error| error.to_string())
        };
        assert_eq!(say(4000, 1000, 1000), Ok(4000));
        assert_eq!(say(999, 2000, 1000), Ok(999), "one datagram, and it fits");
        let wrong = |said: Result<usize, String>| said.unwrap_err();
        assert!(wrong(say(4000, 1001, 1000)).contains("1001 bytes: this lane takes 1 to 1000"));
        assert!(wrong(say(1, 0, 1000)).contains("datagrams of 0 bytes"));
        assert!(wrong(say(4001, 1000, 1000)).contains("5 datagrams at once: this lane takes 4"));
        assert!(wrong(say(BATCH + 1, 30_000, 30_000)).contains("65508 bytes at once"));
        let pieces = vec![IoSlice::new(&bytes[..1]); PIECES + 1];
        let said = check(&pieces, 1200, 1200, 4).unwrap_err();
        assert!(said.to_string().contains("1025 pieces"));
    }
}
