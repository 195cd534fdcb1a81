// SPDX-License-Identifier: Apache-2.0
//! What the ends of a transfer agree on before it begins, by [`ropewalk_wire::chunk::handshake`].
//!
//! ```text
//!  sender                                                   receiver, at its port
//!    on every lane: is there somebody, what length passes -> keeps nothing
//!    on the first one that answers: the handshake        <-> who it is, sizes, keys
//!    on every lane, twice: it belongs to the session      -> a socket of its own; all are there: the transfer begins
//! ```
//!
//! Each lane is two channels, with numbers of their own: on the second one the receiver is the
//! sender of its own chunks, so what it has to say gets through as long as one lane lives.

use super::Arrangement;
use super::head::HEAD;
use super::manifest::BLOCK;
use parking_lot::Mutex;
use ropewalk_io::lane::udp::Path;
use ropewalk_io::lane::{Lane, LaneError};
use ropewalk_wire::chunk::handshake::{self, Joins, NoRandom, Terms};
use ropewalk_wire::chunk::params::LEAST_DATAGRAM;
use ropewalk_wire::chunk::{Fec, Params, Session};
use ropewalk_wire::fec::rs::MAX_T;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// Most lanes of a transfer.
pub const MOST_LANES: usize = 16;
/// Most bytes of chunks that a receiver holds, and of parity.
const MEMORY: usize = 1 << 30;
/// Most sub-packets of parity for 100 sub-packets that a receiver keeps: as many as it has of the
/// chunks themselves.
pub(super) const PARITY: u16 = 100;
/// Most chunks that a receiver holds for each pipeline.
pub(super) const CHUNKS: u16 = 8;

/// A round trip in which 100 Gb/s bring no more than [`FEW`] chunks of a block.
const SHORT: Duration = Duration::from_millis(1);
/// Chunks that a receiver holds where all round trips are shorter than that.
const FEW: u16 = 3;

/// Port of a receiver, unless another one is named.
pub const PORT: u16 = 7425;

/// What both ends have agreed on, with the keys of the session.
#[derive(Debug)]
pub struct Agreed(handshake::Agreed);

/// This end of the pipelines of a session, each with its sizes.
#[derive(Debug)]
pub struct Pipelines {
    /// For data.
    pub data: Vec<(Session, Params)>,
    /// From the receiver to the sender: short chunks, over all lanes.
    pub back: (Session, Params),
}

impl Agreed {
    /// What a handshake has led to; none if it is nothing for a receiver.
    pub(super) fn new(agreed: handshake::Agreed) -> Option<Self> {
        let agreed = Agreed(agreed);
        agreed.is_sound().then_some(agreed)
    }

    /// Of the handshake.
    #[must_use]
    pub fn handshake(&self) -> &handshake::Agreed {
        &self.0
    }

    /// Lanes for data, and as many back.
    #[must_use]
    pub fn lanes(&self) -> u8 {
        self.0.terms.params.lanes / 2
    }

    /// The number that stands in the frames of the pipeline back.
    pub(super) fn back_session(&self) -> u64 {
        // It is pipeline 0.
        self.0.session
    }

    /// The pipelines of the session: there is one set of them.
    ///
    /// ```
    /// # use ropewalk_chunk::transfer::start::Agreed;
    /// # fn once(agreed: Agreed) {
    /// let pipelines = agreed.into_pipelines();
    /// # }
    /// ```
    /// ```compile_fail,E0382
    /// # use ropewalk_chunk::transfer::start::Agreed;
    /// # fn twice(agreed: Agreed) {
    /// let pipelines = agreed.into_pipelines();
    /// let second = agreed.into_pipelines();
    /// # }
    /// ```
    #[must_use]
    pub fn into_pipelines(self) -> Pipelines {
        let ((count, data), back) = (self.data(), self.back());
        let mut sessions = self.0.into_sessions(1 + count);
        Pipelines {
            back: (sessions.remove(0), back),
            data: sessions
                .into_iter()
                .map(|session| (session, data))
                .collect(),
        }
    }

    fn params(&self, lanes: u8) -> Params {
        Params {
            lanes,
            ..self.0.terms.params
        }
    }

    /// Number of pipelines for data, and their sizes.
    fn data(&self) -> (u8, Params) {
        let (count, lanes) = self.0.terms.arrangement.pipelines(self.lanes());
        (count, holding(self.params(lanes), HEAD + BLOCK as usize))
    }

    /// Sizes of the pipeline back. It has no parity over sub-packets, as there is little to
    /// retransmit.
    fn back(&self) -> Params {
        let params = self.params(self.lanes());
        let fec = match params.fec {
            Fec::Restore(..) => Fec::None,
            fec => fec,
        };
        holding(Params { fec, ..params }, super::MESSAGE)
    }

    /// Whether sizes are in range, and chunks neither too short nor more than a receiver holds.
    fn is_sound(&self) -> bool {
        let terms = &self.0.terms.params;
        let (count, params) = self.data();
        let parity = usize::from(params.parity_of(params.per_chunk));
        let parity = parity * usize::from(params.payload);
        let held = params.chunk_bytes().max(parity);
        terms.lanes.is_multiple_of(2)
            && terms.sealed == self.0.is_sealed()
            && count > 0
            && params.check().is_ok()
            && params.chunk_bytes() >= HEAD + BLOCK as usize
            && held * usize::from(params.chunks) <= MEMORY / usize::from(count)
            && self.back().check().is_ok()
    }
}

/// The least chunks that hold `bytes` bytes; sizes that are not sound if no chunk does.
fn holding(params: Params, bytes: usize) -> Params {
    let count = bytes
        .div_ceil(usize::from(params.payload))
        .next_multiple_of(8);
    Params {
        per_chunk: u16::try_from(count).unwrap_or(u16::MAX),
        ..params
    }
}

/// What a sender with `lanes` lanes offers; the handshake shortens the frames to what passes.
pub(super) fn offer(lanes: usize, arrangement: Arrangement, fec: Fec) -> Terms {
    let lanes = lanes.min(MOST_LANES) as u8;
    Terms {
        params: Params {
            chunks: (128 / u16::from(lanes.max(1))).clamp(2, CHUNKS),
            lanes: 2 * lanes,
            ..Params::of_code(fec)
        },
        arrangement,
    }
}

/// Offers fewer chunks where all that carry data are streams, of these round trips, and all of them
/// are short: more would never be on their way, only wait for the one who writes. The memory of few
/// chunks is still in the cache when it is used again.
pub(super) fn shorten(terms: &mut Terms, streams: impl Iterator<Item = Option<Duration>>) {
    let mut longest = streams.map(|rtt| rtt.unwrap_or(Duration::MAX));
    let first = longest.next().unwrap_or(Duration::MAX);
    if longest.fold(first, Duration::max) < SHORT {
        terms.params.chunks = terms.params.chunks.min(FEW);
    }
}

/// The codes that mend of which sub-packets fit datagrams of `length` bytes.
fn mends(length: u16) -> String {
    let fits = |&t: &u8| {
        let fec = Fec::Mend(t);
        let params = Params {
            sealed: true,
            ..Params::of_code(fec)
        };
        params.for_frames(length.into()).is_some()
    };
    let most = (1..=MAX_T as u8).rev().find(fits);
    most.map_or(String::new(), |t| format!("rs:1 to rs:{t}, "))
}

/// Answers a sender that does not know yet that its lane has joined.
#[derive(Debug, Clone)]
pub struct Answers {
    /// Of the session.
    pub joins: Arc<Mutex<Joins>>,
    /// Whence the lane comes.
    pub from: Vec<u8>,
}

/// Lanes of a transfer whose start is agreed on.
pub struct Link {
    /// What was agreed on.
    pub agreed: Agreed,
    /// For data.
    pub lanes: Vec<(Box<dyn Lane>, Option<Answers>)>,
    /// For the chunks of the receiver, as many.
    pub back: Vec<(Box<dyn Lane>, Option<Answers>)>,
    /// What the receiver has said before all its lanes were known to have joined.
    pub early: Early,
    /// What is not as it could be.
    pub notes: Vec<String>,
}

/// Frames, each with the lane of the pipeline back on which it came.
pub type Early = Vec<(u8, Vec<u8>)>;

/// An address as bytes, all of it.
pub(super) fn whole(path: Path) -> Vec<u8> {
    format!("{:?} {} {}", path.kind, path.peer, path.local).into_bytes()
}

/// Why a transfer could not begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No lane.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// A lane failed.
    #[error("a lane failed: {0}")]
    Io(#[from] io::Error),
    /// Nobody there.
    #[error("{peer} has not answered for {} s: is 'ropewalk recv' running there, and are UDP packets to this port let through?", waited.as_secs())]
    Silent {
        /// Who.
        peer: SocketAddr,
        /// How long.
        waited: Duration,
    },
    /// It has another transfer.
    #[error("{0} is busy with another transfer")]
    Busy(SocketAddr),
    /// The path is too narrow.
    #[error(
        "datagrams of at most {1} bytes go to {0}: accepted are paths for {LEAST_DATAGRAM} or more"
    )]
    Narrow(SocketAddr, usize),
    /// Parity that leaves no room.
    #[error("parity {fec} leaves no room for a sub-packet in datagrams of {length} bytes, the longest that reach {peer}: accepted are none, {}erasure:K+M", mends(*.length))]
    Fec {
        /// Who.
        peer: SocketAddr,
        /// Parity.
        fec: Fec,
        /// Bytes.
        length: u16,
    },
    /// Told to stop.
    #[error("interrupted")]
    Stopped,
    /// The other end does not take this one, or is not who it should be.
    #[error(transparent)]
    Refused(#[from] handshake::Failure),
    /// The receiver agrees to what no transfer can use.
    #[error("the receiver agrees to sizes that no transfer can use")]
    Terms,
    /// No random bytes.
    #[error(transparent)]
    NoRandom(#[from] NoRandom),
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropewalk_wire::chunk::handshake::Peer;
    use ropewalk_wire::chunk::seal::SessionKey;

    fn agreed(terms: Terms) -> handshake::Agreed {
        handshake::Agreed {
            session: 1,
            terms,
            key: SessionKey::new(b"secret", b""),
            peer: Peer::Unknown,
        }
    }

    #[test]
    fn sizes_for_every_path() {
        for limit in (320..2000).chain([8972, 9880, 65_507]) {
            for arrangement in [Arrangement::Stable, Arrangement::LowLatency] {
                let fec = [Fec::None, Fec::Restore(128, 16), Fec::Restore(1, 1)][limit % 3];
                let mut terms = offer(2, arrangement, fec);
                terms.params = terms.params.for_frames(limit).unwrap();
                let agreed = Agreed::new(agreed(terms)).unwrap();
                let Pipelines { data, back } = agreed.into_pipelines();
                for (_, params) in data.into_iter().chain([back]) {
                    assert_eq!(params.check(), Ok(()));
                    assert!(params.frame_bytes() <= limit);
                }
            }
        }
    }

    #[test]
    fn few_chunks_over_short_streams() {
        let [near, far] = [500, 1000].map(|micros| Some(Duration::from_micros(micros)));
        for (rtts, chunks) in [
            (&[near][..], FEW),
            (&[near, near], FEW),
            (&[near, far], CHUNKS),
            (&[near, None], CHUNKS),
            (&[], CHUNKS),
        ] {
            let mut terms = offer(2, Arrangement::LowLatency, Fec::None);
            shorten(&mut terms, rtts.iter().copied());
            assert_eq!(terms.params.chunks, chunks, "{rtts:?}");
        }
        let bytes = FEW as usize * BLOCK as usize;
        assert!(bytes as f64 * 8.0 > 100e9 * SHORT.as_secs_f64());
    }

    #[test]
    fn greedy_sizes_are_refused() {
        let good = offer(1, Arrangement::Stable, Fec::None);
        assert!(Agreed::new(agreed(good)).is_some());
        let refused = |change: &dyn Fn(&mut Params)| {
            let mut terms = good;
            change(&mut terms.params);
            assert!(Agreed::new(agreed(terms)).is_none());
        };
        refused(&|params| params.chunks = 1024);
        refused(&|params| params.lanes = 0);
        refused(&|params| params.lanes = 3);
        refused(&|params| params.lanes = 66);
        refused(&|params| params.payload = 64);
        // Nobody has proved who he is, and the other way round.
        refused(&|params| params.sealed = true);
        let known = |sealed| {
            let mut terms = good;
            terms.params.sealed = sealed;
            let peer = Peer::Code;
            Agreed::new(handshake::Agreed {
                peer,
                ..agreed(terms)
            })
        };
        assert!(known(true).is_some() && known(false).is_none());
        // 16 times as much parity, of 16 pipelines.
        let mut terms = offer(MOST_LANES, Arrangement::Stable, Fec::Restore(16, 16));
        assert!(Agreed::new(agreed(terms)).is_some());
        terms.params.fec = Fec::Restore(16, 256);
        assert!(Agreed::new(agreed(terms)).is_none());
        for fec in [Fec::Mend(16), Fec::Restore(1, 1), Fec::Restore(1024, 256)] {
            let mut terms = good;
            terms.params.fec = fec;
            let agreed = Agreed::new(agreed(terms)).unwrap();
            let Pipelines { data, back } = agreed.into_pipelines();
            assert_eq!(data[0].1.fec, fec);
            assert!(!matches!(back.1.fec, Fec::Restore(..)));
        }
    }

    #[test]
    fn lanes_of_either_arrangement() {
        for count in 1..=MOST_LANES {
            for (arrangement, pipelines) in
                [(Arrangement::Stable, count), (Arrangement::LowLatency, 1)]
            {
                let agreed = Agreed::new(agreed(offer(count, arrangement, Fec::None))).unwrap();
                assert_eq!(usize::from(agreed.lanes()), count);
                let (number, lanes) = (agreed.back_session(), agreed.lanes());
                let Pipelines { data, back } = agreed.into_pipelines();
                assert_eq!(data.len(), pipelines);
                assert_eq!((back.0.number(), back.1.lanes), (number, lanes));
            }
        }
    }
}
