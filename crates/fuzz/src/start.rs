// SPDX-License-Identifier: Apache-2.0
//! The start of a session with a peer that lies.
//!
//! Input: a byte, the proof; then steps of a byte. Its low three bits: 0 to 2 the next datagram
//! reaches the server, 3 to 5 the client; 6 a record is sent as a message; 7 the last datagram
//! comes again. The other five bits: tenths of a second. What comes from the end that lies is
//! changed as the input says, and its header and check made right.

use crate::input::{Input, record};
use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind};
use ropewalk_wire::chunk::handshake::message::{Message, check};
use ropewalk_wire::chunk::handshake::{
    Agreed, Arrangement, Client, ClientEvent, Code, Credentials, Joins, KeyPair, LENGTHS, LaneJoin,
    Limits, Peer, Policy, Server, Terms,
};
use ropewalk_wire::chunk::seal::SessionKey;
use ropewalk_wire::chunk::{Fec, Params};
use std::collections::VecDeque;
use std::time::Duration;

const LIMITS: Limits = Limits {
    frame: 65_507,
    chunks: 4,
    lanes: 3,
    parity: 100,
};
const PATIENCE: Duration = Duration::from_secs(20);
/// Attempts that a server may keep of one address.
const ATTEMPTS: usize = 8;
/// Datagrams on their way.
const FLIGHT: usize = 32;

fn terms() -> Terms {
    Terms {
        params: Params {
            lanes: 8,
            chunks: 16,
            fec: Fec::Mend(2),
            ..Params::PAPER
        },
        arrangement: Arrangement::LowLatency,
    }
}

/// What both ends know of each other before, by a number.
fn proofs(kind: u8) -> (Credentials, Policy) {
    match kind % 3 {
        0 => (
            Credentials::Trusted,
            Policy {
                trusted: true,
                ..Policy::default()
            },
        ),
        1 => {
            let code: Code = "1234-5678".parse().expect("a code");
            let policy = Policy {
                code: Some(code.clone()),
                ..Policy::default()
            };
            (Credentials::Code(code), policy)
        }
        _ => {
            let [client, server] = [(); 2].map(|()| KeyPair::random().expect("random numbers"));
            let (known, admitted) = (server.public, client.public);
            let policy = Policy {
                keys: Some((server, vec![admitted])),
                ..Policy::default()
            };
            (Credentials::Keys(client, known), policy)
        }
    }
}

/// Makes the header of a message right, and its check, for which there may be no room yet.
fn repair(datagram: &mut Vec<u8>) {
    if let Some(body) = datagram.get(FRAME_HEADER..)
        && let Some((_, length)) = Message::read(body)
    {
        let check = check(&body[..length]);
        let place = FRAME_HEADER + length;
        datagram.resize(datagram.len().max(place + check.len()), 0);
        datagram[place..place + check.len()].copy_from_slice(&check);
    }
    if let Some(number) = datagram.get(6..14).and_then(|bytes| bytes.try_into().ok())
        && datagram.len() >= FRAME_HEADER
    {
        let header = header(u64::from_be_bytes(number), datagram[1], datagram.len());
        datagram[..FRAME_HEADER].copy_from_slice(&header);
    }
}

fn header(session: u64, lane: u8, length: usize) -> [u8; FRAME_HEADER] {
    let header = FrameHeader {
        kind: Kind::Handshake,
        lane,
        count: 0,
        seq: FrameSeq::default(),
        session,
        length: length as u16,
        time: 0,
    };
    header.encode()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Liar {
    Client,
    Server,
}

fn meet(bytes: &[u8], liar: Liar) {
    let mut input = Input(bytes);
    let (credentials, policy) = proofs(input.byte());
    let proven = !matches!(credentials, Credentials::Trusted);
    let mut server = Server::new(policy, LIMITS).expect("random numbers");
    let client = Client::new(Duration::ZERO, credentials, terms(), &LENGTHS, PATIENCE);
    let mut client = client.expect("a client");
    let (mut now, mut number) = (Duration::ZERO, 0);
    let mut flights = [VecDeque::new(), VecDeque::new()];
    let mut again = [Vec::new(), Vec::new()];
    let (mut here, mut there) = (None::<Agreed>, Vec::new());
    for _ in 0..200 {
        if input.is_empty() {
            break;
        }
        let step = input.byte();
        now += Duration::from_millis(100) * u32::from(step >> 3);
        while let Some(datagram) = client.poll_transmit(now) {
            flights[0].push_back(datagram);
        }
        let to = usize::from(match step & 7 {
            0..=2 => false,
            3..=5 => true,
            _ => liar == Liar::Server,
        });
        let lies = (to == 0) == (liar == Liar::Client);
        let datagram = match step & 7 {
            6 => {
                let mut datagram = header(number, 0, 0).to_vec();
                datagram.extend(input.record());
                repair(&mut datagram);
                Some(datagram)
            }
            7 => Some(again[to].clone()),
            _ => flights[to].pop_front(),
        };
        let Some(mut datagram) = datagram else {
            continue;
        };
        if lies {
            input.change(&mut datagram);
            repair(&mut datagram);
        }
        again[to].clone_from(&datagram);
        if let Some(bytes) = datagram.get(6..14).and_then(|bytes| bytes.try_into().ok()) {
            number = u64::from_be_bytes(bytes);
        }
        if to == 1 {
            client.receive(now, &datagram);
        } else {
            let answer = server.receive(now, &[10, 0, 0, 1], &datagram);
            if let Some(answer) = answer.expect("random numbers") {
                assert!(answer.len() <= datagram.len(), "an amplifier");
                flights[1].push_back(answer);
            }
        }
        for flight in &mut flights {
            flight.truncate(FLIGHT);
        }
        assert!(server.attempts() <= ATTEMPTS);
        while let Some(agreed) = server.poll_agreed() {
            assert!(agreed.terms.params.check().is_ok());
            assert!(
                agreed.terms.params.chunks <= LIMITS.chunks
                    && agreed.terms.params.lanes <= LIMITS.lanes
            );
            there.push(agreed);
        }
        if let Some(ClientEvent::Agreed(agreed, length)) = client.poll_event() {
            // Sub-packets as the path carries them, and sealed with a proof only.
            let got = agreed.terms.params;
            let expected = Terms {
                params: Params {
                    payload: got.payload,
                    per_frame: got.per_frame,
                    sealed: agreed.is_sealed(),
                    ..terms().params
                },
                ..terms()
            };
            assert!(got.frame_bytes() <= usize::from(length));
            assert!(agreed.terms.are_within(&expected), "{:?}", agreed.terms);
            here = Some(*agreed);
        }
    }
    // A liar without the secret brings about no session of which the ends think differently.
    if let Some(here) = here.filter(|_| proven) {
        let same = there.iter().find(|there| there.session == here.session);
        let same = same.expect("a session that the server does not know");
        assert_eq!(here.tag(), same.tag());
        assert_eq!(here.terms, same.terms);
    }
}

/// A server that lies to a client.
pub fn client(bytes: &[u8]) {
    meet(bytes, Liar::Server);
}

/// A client that lies to a server.
pub fn server(bytes: &[u8]) {
    meet(bytes, Liar::Client);
}

/// Meetings without lies, with each proof; and messages out of nowhere.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let quiet = (0..3).map(|kind| {
        // The lies are no changes, of whichever end.
        let steps = [8 << 3, 0, 3, 0, 8 << 3, 0, 3, 0];
        let mut input = vec![kind];
        for _ in 0..12 {
            input.extend(steps);
        }
        input
    });
    let messages = [
        Message::Retry([1; 16], 1472),
        Message::Confirm([2; 32]),
        Message::Done([3; 32]),
        Message::Join([4; 16], [6; 16]),
        Message::Joined([5; 16], 1472),
        Message::Check([7; 16], [8; 16]),
    ];
    let wild = messages.map(|message| {
        let mut input = vec![1, 8 << 3, 0, 6];
        record(&mut input, &message.body());
        input
    });
    quiet.chain(wild).collect()
}

fn agreed() -> Agreed {
    Agreed {
        session: 0x5e55_1011,
        terms: terms(),
        key: SessionKey::new(b"secret", b"context"),
        peer: Peer::Unknown,
    }
}

/// Lanes that join, and whatever else comes.
///
/// # Panics
/// An answer is longer than its question, or a lane joins twice or without its token.
pub fn join(bytes: &[u8]) {
    let mut input = Input(bytes);
    let agreed = agreed();
    let mut joins = Joins::new(&agreed);
    let lane = input.byte() % 8;
    let lane_join = LaneJoin::new(Duration::ZERO, &agreed, lane, &LENGTHS, PATIENCE);
    let mut lane_join = lane_join.expect("a lane");
    let (mut now, mut joined) = (Duration::ZERO, [false; 8]);
    let (mut out, mut back) = (VecDeque::new(), VecDeque::new());
    for _ in 0..200 {
        if input.is_empty() {
            break;
        }
        let step = input.byte();
        now += Duration::from_millis(100) * u32::from(step >> 3);
        while let Some(datagram) = lane_join.poll_transmit(now) {
            out.push_back(datagram);
        }
        out.truncate(FLIGHT);
        let to_server = step & 1 == 0;
        let flight = if to_server { &mut out } else { &mut back };
        let mut datagram = if step & 4 > 0 {
            let mut datagram = header(agreed.session, lane, 0).to_vec();
            datagram.extend(input.record());
            datagram
        } else {
            flight.pop_front().unwrap_or_default()
        };
        input.change(&mut datagram);
        repair(&mut datagram);
        if !to_server {
            lane_join.receive(now, &datagram);
            continue;
        }
        let from = [step >> 1 & 1];
        if let Some((answer, new)) = joins.receive(&from, &datagram) {
            assert!(answer.len() <= datagram.len(), "an amplifier");
            back.push_back(answer);
            if let Some(new) = new {
                let before = std::mem::replace(&mut joined[usize::from(new)], true);
                assert!(!before, "lane {new} joins twice");
                assert_eq!(new, lane, "only one lane has shown its token");
            }
        }
    }
    if let Some(Ok(length)) = lane_join.outcome() {
        assert!(joined[usize::from(lane)] && LENGTHS.contains(&length));
    }
}

/// A lane that joins.
#[must_use]
pub fn join_seeds() -> Vec<Vec<u8>> {
    let steps = [8 << 3, 0, 1, 0, 0, 0, 1, 0];
    let long: Vec<u8> = std::iter::repeat_n(steps, 12).flatten().collect();
    (0..3).map(|lane| [&[lane], &long[..]].concat()).collect()
}
