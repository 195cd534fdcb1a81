// SPDX-License-Identifier: Apache-2.0
//! Start of a session: both ends learn who the other one is, agree on sizes and share a key, over
//! datagrams that may be lost, doubled, reordered, forged or longer than the path allows.
//!
//! ```text
//!  client (sends the chunks)                 server (receives them)
//!    Hello, at each length it would use  ->    keeps nothing
//!                                        <-  Retry: cookie, length that arrived; shorter than any Hello
//!    Hello with cookie and proof, padded ->    cookie right: now it keeps state, within bounds
//!                                        <-  Reply: what is agreed on, own proof; padded to the same length
//!    Confirm: it has the key             ->
//!                                        <-  Done: so has the server
//! ```
//!
//! A client that has looked for the path before goes on with that cookie. Its lanes may join
//! together with the Confirm: an answer to one of them proves what Done does.
//!
//! | module | what |
//! |---|---|
//! | [`message`] | layout of the bytes; what is negotiated |
//! | [`auth`] | proof by a code, by keys, or none |
//! | [`client`], [`server`] | the two ends |
//! | [`path_probe`] | which lanes lead to a server |
//! | [`join`] | lanes of a session |
//!
//! * A *code* is short, so it may only be guessed one at a time: SPAKE2 gives an attacker one guess
//!   for each attempt, the client confirms first, and after [`server::MAX_WRONG`] wrong ones the
//!   server takes no code any more. A code admits one client.
//! * *Keys*: Noise IK. The client knows the key of the server, the server has a list of those that
//!   it admits.
//! * *Trusted*: no proof at all. Frames carry a CRC that begins with a number of the session,
//!   against mistakes, not against attackers.
//!
//! The key of the session depends on every byte of both Hello and Reply but the cookie. So whoever
//! changes what is offered or agreed on ends the attempt. Which proofs count is the choice of each
//! end, never of the peer.
//!
//! The one place in this crate that asks the system for random bytes: keys, nonces and cookies.

pub mod auth;
pub mod client;
pub mod join;
pub mod message;
pub mod path_probe;
mod probe;
pub mod server;

pub use auth::{Code, Credentials, KeyPair, Policy, PublicKey};
pub use client::{Client, ClientEvent, Failure};
pub use join::{Joins, LaneJoin};
pub use message::{Arrangement, Refusal, Terms};
pub use path_probe::{Found, PathProbe};
pub use server::{Limits, Server};

use super::seal::SessionKey;
use super::session::Session;
use super::subpacket::Tag;
use ring::rand::{SecureRandom, SystemRandom};
use subtle::ConstantTimeEq;

/// Who the peer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// Anybody.
    Unknown,
    /// Somebody who knows the code.
    Code,
    /// The owner of this key.
    Key(PublicKey),
}

/// What both ends have agreed on. The pipelines of the session are taken from it once:
///
/// ```
/// # use ropewalk_wire::chunk::handshake::Agreed;
/// # fn once(agreed: Agreed) {
/// let sessions = agreed.into_sessions(2);
/// # }
/// ```
///
/// A second set would have the keys of the first:
///
/// ```compile_fail,E0382
/// # use ropewalk_wire::chunk::handshake::Agreed;
/// # fn twice(agreed: Agreed) {
/// let sessions = agreed.into_sessions(2);
/// let second = agreed.into_sessions(2);
/// # }
/// ```
/// ```compile_fail,E0599
/// # use ropewalk_wire::chunk::handshake::Agreed;
/// # fn twice(agreed: Agreed) {
/// let second = agreed.clone();
/// # }
/// ```
#[derive(Debug)]
pub struct Agreed {
    /// Number of the session.
    pub session: u64,
    /// Sizes, error correction, arrangement.
    pub terms: Terms,
    /// What its keys come from.
    pub key: SessionKey,
    /// The other end.
    pub peer: Peer,
}

impl Agreed {
    /// Whether frames are sealed; else they carry a CRC, and anybody can forge them.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.peer != Peer::Unknown
    }

    /// What sub-packets of the session are known by where they are not sealed.
    #[must_use]
    pub fn tag(&self) -> Tag {
        Tag {
            session: self.session,
            secret: self.key.crc_secret(),
        }
    }

    /// For this end of the session's pipelines 0 to `count` - 1, in this order. The frames of
    /// pipeline n carry the number of the session plus n. They are sealed if the ends know each
    /// other, each pipeline with a key of its own.
    #[must_use]
    pub fn into_sessions(self, count: u8) -> Vec<Session> {
        let pipeline = |number| {
            let session = self.session.wrapping_add(u64::from(number));
            if self.is_sealed() {
                return Session::sealed(session, self.key.of_pipeline(number));
            }
            let tag = self.tag();
            Session::checked(Tag { session, ..tag })
        };
        (0..count).map(pipeline).collect()
    }
}

/// Lengths of datagrams worth trying, bytes: what UDP carries at most, the paper's frame, jumbo
/// frames of IPv4 and IPv6, Ethernet with either, and what every path carries.
pub const LENGTHS: [u16; 8] = [65_507, 9880, 8972, 8952, 1472, 1452, 1232, 512];

/// Shortest datagram with a Hello: longer than the longest answer to it.
pub const SHORTEST: u16 = 320;

/// The system has no random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random bytes")]
pub struct NoRandom;

fn random<const N: usize>() -> Result<[u8; N], NoRandom> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| NoRandom)?;
    Ok(bytes)
}

/// Whether two proofs are the same, in a time that does not depend on where they differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}
