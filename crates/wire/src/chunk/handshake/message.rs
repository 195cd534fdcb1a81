// SPDX-License-Identifier: Apache-2.0
//! Messages of the start of a session: a frame of the kind `Handshake` whose header carries the
//! number of the attempt (of the session, for lanes that join) and whose body is one of the
//! following, numbers big endian, its CRC-32C, and zeros up to the length of the datagram. A
//! message that was damaged is like one that was lost, and comes again; without the check it would
//! pass for one of somebody else, and be refused.
//!
//! ```text
//!  1 Hello    cookie 16, oldest and newest version 1 + 1, proof wanted 1, nonce 16, terms 14, proof 2 + n
//!  2 Retry    cookie 16, length that arrived 2
//!  3 Reply    version 1, nonce 16, session 8, terms 14, proof 2 + n
//!  4 Confirm  32
//!  5 Done     32
//!  6 Refuse   reason 1, detail 2
//!  7 Join     cookie 16, token 16
//!  8 Joined   token 16, length that arrived 2
//!  9 Check    cookie 16, token 16
//! ```

use crate::chunk::crc::crc;
use crate::chunk::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind};
use crate::chunk::params::{Fec, Params};
use thiserror::Error;

/// Oldest version of the protocol that this end speaks. Version 1 had another code within
/// sub-packets, and could not be told the end of a stream before all was there. In version 2 a lane
/// went to the address from which its Join came first, whoever had copied it.
pub const OLDEST: u8 = 3;
/// Newest version.
pub const NEWEST: u8 = 3;

/// Bytes of a cookie, a nonce, a token.
pub const SHORT: usize = 16;
/// Bytes of a confirmation.
pub const LONG: usize = 32;
/// Most bytes of a proof.
const MAX_PROOF: usize = 128;

/// How pipelines use the lanes (section IV.A of the paper).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// A pipeline for each lane.
    Stable,
    /// One pipeline over all lanes.
    LowLatency,
}

impl Arrangement {
    /// Pipelines over `lanes` lanes, and lanes of each.
    #[must_use]
    pub fn pipelines(self, lanes: u8) -> (u8, u8) {
        match self {
            Arrangement::Stable => (lanes, 1),
            Arrangement::LowLatency => (1, lanes),
        }
    }
}

/// What is negotiated: the client offers, the server may take less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Sizes and error correction. Whether frames are sealed follows from the proof.
    pub params: Params,
    /// Use of the lanes.
    pub arrangement: Arrangement,
}

impl Terms {
    /// Whether these terms are what was offered, or less: fewer lanes, fewer chunks at a time.
    #[must_use]
    pub fn are_within(&self, offer: &Terms) -> bool {
        let params = Params {
            chunks: offer.params.chunks,
            lanes: offer.params.lanes,
            ..self.params
        };
        self.params.chunks <= offer.params.chunks
            && self.params.lanes <= offer.params.lanes
            && *offer == Terms { params, ..*self }
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        let params = &self.params;
        bytes.extend(params.payload.to_be_bytes());
        bytes.push(params.per_frame);
        bytes.extend(params.per_chunk.to_be_bytes());
        bytes.extend(params.chunks.to_be_bytes());
        bytes.push(params.lanes);
        bytes.push(match self.arrangement {
            Arrangement::Stable => 0,
            Arrangement::LowLatency => 1,
        });
        let (kind, first, second) = match params.fec {
            Fec::None => (0, 0, 0),
            Fec::Mend(t) => (1, u16::from(t), 0),
            Fec::Restore(data, parity) => (2, data, parity),
        };
        bytes.push(kind | u8::from(params.sealed) << 7);
        bytes.extend(first.to_be_bytes());
        bytes.extend(second.to_be_bytes());
    }

    fn parse(reader: &mut Reader<'_>) -> Option<Self> {
        let (payload, per_frame, per_chunk) = (reader.half()?, reader.byte()?, reader.half()?);
        let (chunks, lanes) = (reader.half()?, reader.byte()?);
        let arrangement = match reader.byte()? {
            0 => Arrangement::Stable,
            1 => Arrangement::LowLatency,
            _ => return None,
        };
        let kind = reader.byte()?;
        let fec = match (kind & 0x7f, reader.half()?, reader.half()?) {
            (0, 0, 0) => Fec::None,
            (1, t, 0) => Fec::Mend(u8::try_from(t).ok()?),
            (2, data, parity) => Fec::Restore(data, parity),
            _ => return None,
        };
        let params = Params {
            payload,
            per_frame,
            per_chunk,
            chunks,
            lanes,
            sealed: kind >> 7 != 0,
            fec,
        };
        params.check().is_ok().then_some(Terms {
            params,
            arrangement,
        })
    }
}

/// Why a server refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    /// No version in common.
    #[error("the receiver speaks versions {0} to {1}, this end {OLDEST} to {NEWEST}")]
    Version(u8, u8),
    /// A kind of proof that it does not take.
    #[error(
        "the receiver does not take this kind of proof: see its code, its keys, or whether it trusts the link"
    )]
    Proof,
    /// The code is another one.
    #[error("the code is wrong")]
    Code,
    /// Too many wrong codes, or it was used.
    #[error("the receiver takes no code any more: it was used, or guessed wrong too often")]
    Spent,
    /// The key is not on its list.
    #[error("the key of this end is not on the list of the receiver, or is not meant for it")]
    Key,
    /// Too much going on.
    #[error("the receiver is busy with too many others")]
    Busy,
    /// Frames that it cannot take.
    #[error("frames are too long for the receiver: accepted are at most {0} bytes")]
    Frame(u16),
    /// Parity over sub-packets that it has no memory for.
    #[error(
        "too much parity over sub-packets for the receiver: accepted are at most {0} for 100 sub-packets"
    )]
    Parity(u16),
}

impl Refusal {
    fn codes(self) -> (u8, [u8; 2]) {
        match self {
            Refusal::Version(oldest, newest) => (0, [oldest, newest]),
            Refusal::Proof => (1, [0; 2]),
            Refusal::Code => (2, [0; 2]),
            Refusal::Spent => (3, [0; 2]),
            Refusal::Key => (4, [0; 2]),
            Refusal::Busy => (5, [0; 2]),
            Refusal::Frame(most) => (6, most.to_be_bytes()),
            Refusal::Parity(most) => (7, most.to_be_bytes()),
        }
    }

    fn from_codes(reason: u8, detail: [u8; 2]) -> Option<Self> {
        Some(match reason {
            0 => Refusal::Version(detail[0], detail[1]),
            1 => Refusal::Proof,
            2 => Refusal::Code,
            3 => Refusal::Spent,
            4 => Refusal::Key,
            5 => Refusal::Busy,
            6 => Refusal::Frame(u16::from_be_bytes(detail)),
            7 => Refusal::Parity(u16::from_be_bytes(detail)),
            _ => return None,
        })
    }
}

/// First message of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// What the server gave, or zeros.
    pub cookie: [u8; SHORT],
    /// Oldest version that the client speaks.
    pub oldest: u8,
    /// Newest version.
    pub newest: u8,
    /// Kind of proof.
    pub proof_kind: u8,
    /// Never the same twice.
    pub nonce: [u8; SHORT],
    /// What it would like.
    pub offer: Terms,
    /// First message of the proof; nothing before there is a cookie.
    pub proof: Vec<u8>,
}

/// First message of the server that costs it memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Version that both speak from now on.
    pub version: u8,
    /// Never the same twice.
    pub nonce: [u8; SHORT],
    /// Number of the session.
    pub session: u64,
    /// What is agreed on.
    pub terms: Terms,
    /// Second message of the proof.
    pub proof: Vec<u8>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Client asks for a session.
    Hello(Hello),
    /// Server asks whether the client is where it says: its cookie, and the length of the Hello.
    Retry([u8; SHORT], u16),
    /// Server agrees.
    Reply(Reply),
    /// Client has the key.
    Confirm([u8; LONG]),
    /// Server has the key.
    Done([u8; LONG]),
    /// Server does not agree.
    Refuse(Refusal),
    /// A further lane of a session: the server's cookie, or zeros, and a token.
    Join([u8; SHORT], [u8; SHORT]),
    /// It is one: and the length of the Join.
    Joined([u8; SHORT], u16),
    /// Server asks whether the lane is where it says: cookie and token.
    Check([u8; SHORT], [u8; SHORT]),
}

impl Message {
    /// The body alone.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(256);
        let proof = |bytes: &mut Vec<u8>, proof: &[u8]| {
            bytes.extend((proof.len() as u16).to_be_bytes());
            bytes.extend(proof);
        };
        match self {
            Message::Hello(hello) => {
                bytes.push(1);
                bytes.extend(hello.cookie);
                bytes.extend([hello.oldest, hello.newest, hello.proof_kind]);
                bytes.extend(hello.nonce);
                hello.offer.encode(&mut bytes);
                proof(&mut bytes, &hello.proof);
            }
            Message::Retry(cookie, length) => {
                bytes.push(2);
                bytes.extend(cookie);
                bytes.extend(length.to_be_bytes());
            }
            Message::Reply(reply) => {
                bytes.extend([3, reply.version]);
                bytes.extend(reply.nonce);
                bytes.extend(reply.session.to_be_bytes());
                reply.terms.encode(&mut bytes);
                proof(&mut bytes, &reply.proof);
            }
            Message::Confirm(mac) => {
                bytes.push(4);
                bytes.extend(mac);
            }
            Message::Done(mac) => {
                bytes.push(5);
                bytes.extend(mac);
            }
            Message::Refuse(refusal) => {
                let (reason, detail) = refusal.codes();
                bytes.extend([6, reason]);
                bytes.extend(detail);
            }
            Message::Join(cookie, token) => {
                bytes.push(7);
                bytes.extend(cookie.iter().chain(token));
            }
            Message::Joined(token, length) => {
                bytes.push(8);
                bytes.extend(token);
                bytes.extend(length.to_be_bytes());
            }
            Message::Check(cookie, token) => {
                bytes.push(9);
                bytes.extend(cookie.iter().chain(token));
            }
        }
        bytes
    }

    /// As a datagram of at least `length` bytes; `number` is that of the attempt or of the session.
    #[must_use]
    pub fn datagram(&self, number: u64, lane: u8, length: u16) -> Vec<u8> {
        let mut body = self.body();
        body.extend(check(&body));
        let length = usize::from(length).max(FRAME_HEADER + body.len());
        let header = FrameHeader {
            kind: Kind::Handshake,
            lane,
            count: 0,
            seq: FrameSeq::default(),
            session: number,
            length: length as u16,
            time: 0,
        };
        let mut bytes = header.encode().to_vec();
        bytes.extend(body);
        bytes.resize(length, 0);
        bytes
    }

    /// Reads a datagram: its number, its lane, and what it says.
    #[must_use]
    pub fn parse(datagram: &[u8]) -> Option<(u64, u8, Message)> {
        let (header, body) = FrameHeader::parse(datagram).ok()?;
        if header.kind != Kind::Handshake {
            return None;
        }
        let (message, length) = Message::read(body)?;
        let (message_bytes, rest) = body.split_at(length);
        rest.starts_with(&check(message_bytes))
            .then_some((header.session, header.lane, message))
    }

    /// Reads a body, without its check, and says how many bytes of it are the message.
    #[must_use]
    pub fn read(body: &[u8]) -> Option<(Message, usize)> {
        let mut reader = Reader(body);
        let message = match reader.byte()? {
            1 => Message::Hello(Hello {
                cookie: reader.array()?,
                oldest: reader.byte()?,
                newest: reader.byte()?,
                proof_kind: reader.byte()?,
                nonce: reader.array()?,
                offer: Terms::parse(&mut reader)?,
                proof: reader.proof()?,
            }),
            2 => Message::Retry(reader.array()?, reader.half()?),
            3 => Message::Reply(Reply {
                version: reader.byte()?,
                nonce: reader.array()?,
                session: u64::from_be_bytes(reader.array()?),
                terms: Terms::parse(&mut reader)?,
                proof: reader.proof()?,
            }),
            4 => Message::Confirm(reader.array()?),
            5 => Message::Done(reader.array()?),
            6 => Message::Refuse(Refusal::from_codes(reader.byte()?, reader.array()?)?),
            7 => Message::Join(reader.array()?, reader.array()?),
            8 => Message::Joined(reader.array()?, reader.half()?),
            9 => Message::Check(reader.array()?, reader.array()?),
            _ => return None,
        };
        Some((message, body.len() - reader.0.len()))
    }
}

/// What stands behind the body of a message: its CRC-32C, big endian.
#[must_use]
pub fn check(body: &[u8]) -> [u8; 4] {
    crc(0, body).to_be_bytes()
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn half(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    fn proof(&mut self) -> Option<Vec<u8>> {
        let length = usize::from(self.half()?);
        let (proof, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        (length <= MAX_PROOF).then(|| proof.to_vec())
    }
}

/// What the key of a session depends on: the number of the attempt, Hello without its cookie, and
/// Reply.
#[must_use]
pub fn transcript(attempt: u64, hello: &Hello, reply: &Reply) -> Vec<u8> {
    let mut bytes = prologue(attempt, hello);
    bytes.extend(&hello.proof);
    bytes.extend(Message::Reply(reply.clone()).body());
    bytes
}

/// The same of Hello without its proof.
#[must_use]
pub fn prologue(attempt: u64, hello: &Hello) -> Vec<u8> {
    let bare = Hello {
        cookie: [0; SHORT],
        proof: Vec::new(),
        ..hello.clone()
    };
    let mut bytes = b"ropewalk chunk".to_vec();
    bytes.extend(attempt.to_be_bytes());
    bytes.extend(Message::Hello(bare).body());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms() -> impl Strategy<Value = Terms> {
        let fec = prop_oneof![
            Just(Fec::None),
            (1_u8..=16).prop_map(Fec::Mend),
            // No more parity than it has numbers.
            (1_u16..=1024, 1_u16..=4).prop_map(|(data, parity)| Fec::Restore(data, parity)),
            (64_u16..=1024, 1_u16..=256).prop_map(|(data, parity)| Fec::Restore(data, parity)),
        ];
        let flags = any::<(bool, bool)>();
        (1_u16..=1024, 1_u8..=32, flags, fec).prop_map(|(chunks, lanes, (low, sealed), fec)| {
            Terms {
                params: Params {
                    chunks,
                    lanes,
                    sealed,
                    fec,
                    ..Params::PAPER
                },
                arrangement: if low {
                    Arrangement::LowLatency
                } else {
                    Arrangement::Stable
                },
            }
        })
    }

    fn message() -> impl Strategy<Value = Message> {
        let proof = || prop::collection::vec(any::<u8>(), 0..=MAX_PROOF);
        prop_oneof![
            (
                any::<[u8; 16]>(),
                any::<(u8, u8, u8)>(),
                any::<[u8; 16]>(),
                terms(),
                proof()
            )
                .prop_map(
                    |(cookie, (oldest, newest, proof_kind), nonce, offer, proof)| Message::Hello(
                        Hello {
                            cookie,
                            oldest,
                            newest,
                            proof_kind,
                            nonce,
                            offer,
                            proof
                        }
                    )
                ),
            any::<([u8; 16], u16)>().prop_map(|(cookie, length)| Message::Retry(cookie, length)),
            (
                any::<u8>(),
                any::<[u8; 16]>(),
                any::<u64>(),
                terms(),
                proof()
            )
                .prop_map(|(version, nonce, session, terms, proof)| Message::Reply(
                    Reply {
                        version,
                        nonce,
                        session,
                        terms,
                        proof
                    }
                )),
            any::<[u8; 32]>().prop_map(Message::Confirm),
            any::<[u8; 32]>().prop_map(Message::Done),
            (0_u8..7, any::<[u8; 2]>()).prop_map(|(reason, detail)| {
                Message::Refuse(Refusal::from_codes(reason, detail).unwrap())
            }),
            any::<([u8; 16], [u8; 16])>().prop_map(|(cookie, token)| Message::Join(cookie, token)),
            any::<([u8; 16], u16)>().prop_map(|(token, length)| Message::Joined(token, length)),
            any::<([u8; 16], [u8; 16])>().prop_map(|(cookie, token)| Message::Check(cookie, token)),
        ]
    }

    proptest! {
        #[test]
        fn whole_again(message in message(), number: u64, lane: u8, length in 0_u16..1000) {
            let datagram = message.datagram(number, lane, length);
            prop_assert!(datagram.len() >= usize::from(length));
            prop_assert_eq!(Message::parse(&datagram), Some((number, lane, message)));
        }

        /// A bit of the message or of its check that is wrong: as if it had not come. One of the
        /// padding: nothing.
        #[test]
        fn damaged(message in message(), number: u64, place: prop::sample::Index, bit in 0_u32..8) {
            let mut datagram = message.datagram(number, 3, 600);
            let place = place.index(datagram.len());
            datagram[place] ^= 1_u8 << bit;
            let whole = place >= FRAME_HEADER + message.body().len() + 4;
            prop_assert_eq!(Message::parse(&datagram), whole.then_some((number, 3, message)));
        }

        #[test]
        fn any_body(body in prop::collection::vec(any::<u8>(), 0..300), kind in 0_u8..11) {
            // A good header, so that the body is looked at; whatever it says, nothing breaks.
            let _ = Message::read(&[&[kind], &body[..]].concat());
            let length = (FRAME_HEADER + 1 + body.len()) as u16;
            let header = FrameHeader { kind: Kind::Handshake, lane: 0, count: 0, seq: FrameSeq::default(), session: 1, length, time: 0 };
            let datagram = [&header.encode()[..], &[kind], &body].concat();
            let _ = Message::parse(&datagram);
        }

        #[test]
        fn less_is_within(terms in terms()) {
            prop_assert!(terms.are_within(&terms));
            let more = Terms { params: Params { chunks: terms.params.chunks + 1, lanes: terms.params.lanes + 1, ..terms.params }, ..terms };
            prop_assert!(terms.are_within(&more) && !more.are_within(&terms));
            let other = Terms { params: Params { payload: 64, ..terms.params }, ..terms };
            prop_assert!(!other.are_within(&terms));
            let arrangement = if terms.arrangement == Arrangement::Stable { Arrangement::LowLatency } else { Arrangement::Stable };
            let other = Terms { arrangement, ..terms };
            prop_assert!(!other.are_within(&terms));
        }
    }
}
