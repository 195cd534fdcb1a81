// SPDX-License-Identifier: Apache-2.0
//! How a transfer begins between ends that trust the network: nobody proves who he is, and what arrives is checked by a CRC that
//! finds errors, not forgers.
//!
//! ```text
//!  sender, on every lane                                   receiver, at its port
//!    hello, as long as the datagrams that it would send ->
//!                     <- welcome: a cookie, the length that came
//!    start: cookie, sizes agreed on, lanes              ->   a socket for this lane; all lanes are there: the transfer begins
//!    (again, until chunks of the receiver arrive)
//! ```
//!
//! A receiver keeps nothing in mind before the cookie, which only who receives at his own address has, comes back.
//! There is one more lane than are used for data: on it the receiver is the sender of its own chunks.

use super::Arrangement;
use super::head::HEAD;
use super::manifest::BLOCK;
use ropewalk_io::lane::network::{Listener, Network};
use ropewalk_io::lane::udp::Path;
use ropewalk_io::lane::{Lane, LaneError};
use ropewalk_wire::chunk::frame::{
    CONTROL_CHECK, FRAME_HEADER, FrameHeader, FrameSeq, Kind, control, control_body,
};
use ropewalk_wire::chunk::params::MAX_LANES;
use ropewalk_wire::chunk::{Params, Tag};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Lengths of datagrams that are tried, besides the longest that the interface takes: jumbo frames, Ethernet, the least of IPv6.
const LENGTHS: [usize; 3] = [8972, 1472, 1232];
/// Time between two tries.
const AGAIN: Duration = Duration::from_millis(200);
/// Tries after the first answer, for answers to longer datagrams.
const TRIES: u32 = 3;
/// How long lanes are waited for that do not answer while others do.
const LATE: Duration = Duration::from_secs(3);
/// Most bytes of chunks that a receiver holds.
const MEMORY: usize = 1 << 30;
/// Bytes of a start.
const START: usize = 1 + 1 + 1 + 1 + 16 + 4 + 2 + 1 + 2 + 2;
/// Most chunks that a receiver holds for each pipeline.
const CHUNKS: u16 = 8;

/// Port of a receiver, unless another one is named.
pub const PORT: u16 = 7425;

type Cookie = [u8; 16];

/// What both ends have agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreed {
    /// Number of the session; each pipeline has one of its own from there on.
    pub session: u64,
    /// What every CRC begins with.
    pub secret: u32,
    /// Sizes; the lanes are all that are used for data.
    pub params: Params,
    /// How the lanes are used.
    pub arrangement: Arrangement,
}

impl Agreed {
    fn tag(&self, number: u64) -> Tag {
        Tag {
            session: self.session.wrapping_add(number),
            secret: self.secret,
        }
    }

    /// Pipelines for data.
    #[must_use]
    pub fn pipelines(&self) -> Vec<(Tag, Params)> {
        let (count, lanes) = match self.arrangement {
            Arrangement::Stable => (self.params.lanes, 1),
            Arrangement::LowLatency => (1, self.params.lanes),
        };
        let params = Params {
            lanes,
            ..self.params
        };
        (0..count)
            .map(|number| (self.tag(1 + u64::from(number)), params))
            .collect()
    }

    /// The pipeline from the receiver to the sender: short chunks.
    #[must_use]
    pub fn back(&self) -> (Tag, Params) {
        let params = Params {
            lanes: 1,
            ..self.params
        };
        (self.tag(0), holding(params, super::MESSAGE))
    }

    /// Whether a receiver can live with it.
    fn is_sound(&self) -> bool {
        let params = &self.params;
        let pipelines = usize::from(params.lanes);
        params.check().is_ok()
            && params.chunk_bytes() >= HEAD + BLOCK as usize
            && params.chunk_bytes() * usize::from(params.chunks) <= MEMORY / pipelines.max(1)
    }
}

/// The least chunks that hold so many bytes; sizes that are not sound if no chunk does.
fn holding(params: Params, bytes: usize) -> Params {
    let count = bytes
        .div_ceil(usize::from(params.payload))
        .next_multiple_of(8);
    Params {
        per_chunk: u16::try_from(count).unwrap_or(u16::MAX),
        ..params
    }
}

/// Sizes for datagrams of so many bytes.
fn sizes(limit: usize, lanes: u8) -> Option<Params> {
    let chunks = (128 / u16::from(lanes.max(1))).clamp(2, CHUNKS);
    let params = Params {
        chunks,
        lanes,
        ..Params::PAPER
    }
    .for_frames(limit)?;
    // Short payloads would need more sub-packets than a chunk can have.
    let params = holding(params, HEAD + BLOCK as usize);
    let holds = params.chunk_bytes() >= HEAD + BLOCK as usize;
    (holds && params.check().is_ok()).then_some(params)
}

enum Message {
    Hello,
    Welcome(Cookie, usize),
    Busy,
    Start(Cookie, Agreed),
}

fn encode(session: u64, lane: u8, message: &Message) -> Vec<u8> {
    let mut body = match message {
        Message::Hello => vec![0, lane],
        Message::Welcome(..) => vec![1, lane],
        Message::Busy => vec![2, lane],
        Message::Start(..) => vec![3, lane],
    };
    match message {
        Message::Hello | Message::Busy => {}
        Message::Welcome(cookie, length) => {
            body.extend(cookie);
            body.extend((*length as u16).to_be_bytes());
        }
        Message::Start(cookie, agreed) => {
            let params = &agreed.params;
            body.push(params.lanes);
            body.push(u8::from(agreed.arrangement == Arrangement::LowLatency));
            body.extend(cookie);
            body.extend(agreed.secret.to_be_bytes());
            body.extend(params.payload.to_be_bytes());
            body.push(params.per_frame);
            body.extend(params.per_chunk.to_be_bytes());
            body.extend(params.chunks.to_be_bytes());
        }
    }
    seal(session, lane, &body)
}

fn seal(session: u64, lane: u8, body: &[u8]) -> Vec<u8> {
    let header = FrameHeader {
        kind: Kind::Handshake,
        lane,
        count: 0,
        seq: FrameSeq::default(),
        session,
        length: 0,
        time: 0,
    };
    control(0, &header, body)
}

/// A hello of so many bytes.
fn hello(session: u64, lane: u8, length: usize) -> Vec<u8> {
    let mut body = vec![0; length.saturating_sub(FRAME_HEADER + CONTROL_CHECK).max(2)];
    body[1] = lane;
    seal(session, lane, &body)
}

fn decode(datagram: &[u8]) -> Option<(u64, u8, Message)> {
    let (header, _) = FrameHeader::parse(datagram).ok()?;
    if header.kind != Kind::Handshake {
        return None;
    }
    let (&[kind, lane], rest) = control_body(0, datagram)?.split_first_chunk()?;
    let half = |at: usize| u16::from_be_bytes([rest[at], rest[at + 1]]);
    let cookie = |at: usize| -> Option<Cookie> { rest.get(at..at + 16)?.try_into().ok() };
    let message = match kind {
        0 => Message::Hello,
        1 if rest.len() == 18 => Message::Welcome(cookie(0)?, half(16).into()),
        2 => Message::Busy,
        3 if rest.len() == START - 2 => Message::Start(
            cookie(2)?,
            Agreed {
                session: header.session,
                secret: u32::from_be_bytes([rest[18], rest[19], rest[20], rest[21]]),
                params: Params {
                    lanes: rest[0],
                    payload: half(22),
                    per_frame: rest[24],
                    per_chunk: half(25),
                    chunks: half(27),
                },
                arrangement: match rest[1] {
                    0 => Arrangement::Stable,
                    1 => Arrangement::LowLatency,
                    _ => return None,
                },
            },
        ),
        _ => return None,
    };
    Some((header.session, lane, message))
}

/// Random bytes of the system.
fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    rustix::rand::getrandom(&mut bytes[..], rustix::rand::GetRandomFlags::empty())?;
    Ok(bytes)
}

/// Lanes of a transfer whose start is agreed on: those for data, and the one back.
pub struct Link {
    /// What was agreed on.
    pub agreed: Agreed,
    /// For data.
    pub lanes: Vec<Box<dyn Lane>>,
    /// For the chunks of the receiver.
    pub back: Box<dyn Lane>,
    /// Sender: what is sent on each lane, the one back last, until chunks of the receiver arrive.
    pub starts: Vec<Vec<u8>>,
    /// What is not as it could be.
    pub notes: Vec<String>,
}

/// Where a sender waits for answers: one lane.
struct Probe {
    lane: Box<dyn Lane>,
    local: Option<SocketAddr>,
    peer: SocketAddr,
    cookie: Option<Cookie>,
    longest: usize,
    answered: Option<Instant>,
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
    /// Told to stop.
    #[error("interrupted")]
    Stopped,
    /// The path is too narrow.
    #[error("datagrams of at most {0} bytes reach the peer: accepted are 576 or more")]
    Narrow(usize),
}

/// Finds the receiver on every lane, and how long datagrams may be.
///
/// # Errors
/// It does not answer on the first lane, or lanes cannot be opened.
pub fn connect(
    network: &dyn Network,
    lanes: &[(Option<SocketAddr>, SocketAddr)],
    arrangement: Arrangement,
    timeout: Duration,
    stop: &dyn Fn() -> bool,
) -> Result<Link, StartError> {
    let session = u64::from_be_bytes(random()?);
    let mut probes = Vec::new();
    // The lane back goes the way of the first one.
    let back = lanes[0].0.map(|local| SocketAddr::new(local.ip(), 0));
    for (local, peer) in lanes.iter().copied().chain([(back, lanes[0].1)]) {
        probes.push(Probe {
            lane: network.connect(local, peer)?,
            local,
            peer,
            cookie: None,
            longest: 0,
            answered: None,
        });
    }
    let begun = Instant::now();
    let (mut last, mut busy) = (None::<Instant>, false);
    loop {
        if stop() {
            return Err(StartError::Stopped);
        }
        if last.is_none_or(|last| last.elapsed() >= AGAIN) {
            last = Some(Instant::now());
            for (number, probe) in probes.iter_mut().enumerate() {
                let limit = probe.lane.limit();
                let lengths = LENGTHS.into_iter().filter(|&length| length < limit);
                for length in lengths.chain([limit]) {
                    let bytes = hello(session, number as u8, length);
                    // A lane that is too short for it now says so; another length will do.
                    let _ = probe.lane.send(&[IoSlice::new(&bytes)], bytes.len());
                }
            }
        }
        let mut moved = false;
        for (number, probe) in probes.iter_mut().enumerate() {
            let Probe {
                cookie,
                longest,
                answered,
                ..
            } = probe;
            moved |= probe.lane.receive(&mut |datagram| match decode(datagram) {
                Some((of, lane, Message::Welcome(given, length)))
                    if of == session && usize::from(lane) == number =>
                {
                    *cookie = Some(given);
                    *longest = length.max(*longest);
                    answered.get_or_insert_with(Instant::now);
                }
                Some((of, _, Message::Busy)) if of == session => busy = true,
                _ => {}
            })?;
        }
        let done = |probe: &Probe| {
            probe.longest >= probe.lane.limit()
                || probe
                    .answered
                    .is_some_and(|at| at.elapsed() > AGAIN * TRIES)
        };
        let needed = [0, probes.len() - 1];
        let first = needed.iter().filter_map(|&at| probes[at].answered).max();
        let late = first.is_some_and(|at| at.elapsed() > LATE);
        if needed.iter().all(|&at| done(&probes[at])) && (late || probes.iter().all(done)) {
            break;
        }
        if begun.elapsed() > timeout {
            let peer = lanes[0].1;
            let waited = begun.elapsed();
            return Err(if busy {
                StartError::Busy(peer)
            } else {
                StartError::Silent { peer, waited }
            });
        }
        if !moved {
            probes[0].lane.wait(Duration::from_millis(5), false)?;
        }
    }
    agree(session, probes, arrangement)
}

fn agree(
    session: u64,
    mut probes: Vec<Probe>,
    arrangement: Arrangement,
) -> Result<Link, StartError> {
    let mut notes = Vec::new();
    for probe in probes.iter().filter(|probe| probe.cookie.is_none()) {
        let from = probe.local.map(|local| format!(" from {local}"));
        let (from, to) = (from.unwrap_or_default(), probe.peer);
        notes.push(format!("the lane{from} to {to} is left out: no answer"));
    }
    probes.retain(|probe| probe.cookie.is_some());
    let limit = probes
        .iter()
        .map(|probe| probe.longest.min(probe.lane.limit()))
        .min()
        .unwrap_or(0);
    let params = sizes(limit, probes.len() as u8 - 1).ok_or(StartError::Narrow(limit))?;
    if limit < 8000 {
        notes.push(format!(
            "datagrams of {limit} bytes: with jumbo frames (MTU 9000) along the way each costs less processor time"
        ));
    }
    let agreed = Agreed {
        session,
        secret: u32::from_be_bytes(random()?),
        params,
        arrangement,
    };
    let starts = probes
        .iter()
        .enumerate()
        .filter_map(|(number, probe)| {
            let message = Message::Start(probe.cookie?, agreed);
            Some(encode(session, number as u8, &message))
        })
        .collect();
    for probe in &probes {
        notes.extend(probe.lane.notes());
    }
    notes.sort();
    notes.dedup();
    let mut lanes: Vec<Box<dyn Lane>> = probes.into_iter().map(|probe| probe.lane).collect();
    let back = lanes.pop().ok_or(StartError::Narrow(0))?;
    Ok(Link {
        agreed,
        lanes,
        back,
        starts,
        notes,
    })
}

/// What a receiver has to do already.
#[derive(Debug, Clone, Copy)]
pub struct Busy {
    /// The session.
    pub session: u64,
    /// Its sender has not been heard for a while.
    pub quiet: bool,
}

/// Where a receiver waits for senders.
pub struct Door {
    listener: Box<dyn Listener>,
    key: [u8; 32],
    coming: Option<Coming>,
    /// Another sender was ready to begin while this end was busy.
    visitor: bool,
}

/// A sender of whom not all lanes are there.
struct Coming {
    agreed: Agreed,
    lanes: Vec<Option<Box<dyn Lane>>>,
    since: Instant,
}

impl Door {
    /// Listens at an address.
    ///
    /// # Errors
    /// The address cannot be had.
    pub fn open(network: &dyn Network, local: SocketAddr) -> Result<Self, StartError> {
        Ok(Door {
            listener: network.listen(local)?,
            key: random()?,
            coming: None,
            visitor: false,
        })
    }

    /// Its address, with the port that it has got.
    #[must_use]
    pub fn local(&self) -> SocketAddr {
        self.listener.local()
    }

    /// Whether another sender was ready to begin while this end was busy, since this was asked last.
    pub fn has_visitor(&mut self) -> bool {
        std::mem::take(&mut self.visitor)
    }

    fn cookie(&self, session: u64, path: Path) -> Cookie {
        let text = format!("{session} {}", path.peer);
        let mut cookie = [0; 16];
        cookie.copy_from_slice(&blake3::keyed_hash(&self.key, text.as_bytes()).as_bytes()[..16]);
        cookie
    }

    /// Answers whoever knocks, for so long at most; a sender whose lanes are all there comes in. While `busy`, others are told so,
    /// but for one that is `quiet`: it may have gone, and who has a cookie that went to his address may take its place.
    ///
    /// # Errors
    /// The socket is gone for good.
    pub fn poll(&mut self, busy: Option<Busy>, wait: Duration) -> Result<Option<Link>, StartError> {
        let mut came = Vec::new();
        let moved = self.listener.receive(&mut |path, datagram| {
            if let Some((session, lane, message)) = decode(datagram) {
                came.push((path, session, lane, message, datagram.len()));
            }
        })?;
        for (path, session, lane, message, length) in came {
            match message {
                Message::Hello if busy.is_some_and(|by| by.session != session && !by.quiet) => {
                    let answer = encode(session, lane, &Message::Busy);
                    self.listener.send(path, &answer)?;
                }
                Message::Hello => {
                    let cookie = self.cookie(session, path);
                    let answer = encode(session, lane, &Message::Welcome(cookie, length));
                    self.listener.send(path, &answer)?;
                }
                Message::Start(cookie, agreed)
                    if busy.is_none()
                        && cookie == self.cookie(session, path)
                        && agreed.is_sound() =>
                {
                    self.join(path, lane, agreed)?;
                }
                Message::Start(cookie, _)
                    if busy.is_some_and(|by| by.session != session)
                        && cookie == self.cookie(session, path) =>
                {
                    self.visitor = true;
                }
                _ => {}
            }
        }
        if self
            .coming
            .as_ref()
            .is_some_and(|it| it.since.elapsed() > super::PATIENCE)
        {
            self.coming = None;
        }
        if let Some(coming) = self
            .coming
            .take_if(|it| it.lanes.iter().all(Option::is_some))
        {
            let mut lanes: Vec<Box<dyn Lane>> = coming.lanes.into_iter().flatten().collect();
            if let Some(back) = lanes.pop() {
                let mut notes: Vec<String> = lanes.iter().flat_map(|lane| lane.notes()).collect();
                notes.sort();
                notes.dedup();
                let agreed = coming.agreed;
                return Ok(Some(Link {
                    agreed,
                    lanes,
                    back,
                    starts: Vec::new(),
                    notes,
                }));
            }
        }
        if !moved {
            self.listener.wait(wait)?;
        }
        Ok(None)
    }

    /// A lane of a sender that has its cookie.
    fn join(&mut self, path: Path, lane: u8, agreed: Agreed) -> Result<(), StartError> {
        if self.coming.as_ref().is_none_or(|it| it.agreed != agreed) {
            self.coming = Some(Coming {
                agreed,
                lanes: (0..=agreed.params.lanes.min(MAX_LANES))
                    .map(|_| None)
                    .collect(),
                since: Instant::now(),
            });
        }
        let Some(coming) = &mut self.coming else {
            return Ok(());
        };
        if let Some(place @ None) = coming.lanes.get_mut(usize::from(lane)) {
            *place = Some(self.listener.lane(path)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropewalk_io::lane::network::Udp;
    use std::net::UdpSocket;

    #[test]
    fn sizes_for_every_path() {
        for limit in [548, 1232, 1472, 8972, 65_507] {
            let params = sizes(limit, 2).unwrap();
            assert_eq!(params.check(), Ok(()));
            assert!(params.chunk_bytes() >= HEAD + BLOCK as usize);
            let agreed = Agreed {
                session: 1,
                secret: 2,
                params,
                arrangement: Arrangement::Stable,
            };
            assert!(agreed.is_sound());
            assert_eq!(agreed.back().1.check(), Ok(()));
        }
    }

    /// Whatever a peer says of the length that came.
    #[test]
    fn no_sizes_for_paths_that_are_too_narrow() {
        for limit in 0..2000 {
            let holds = sizes(limit, 1).is_none_or(|params| {
                params.check().is_ok() && params.chunk_bytes() >= HEAD + BLOCK as usize
            });
            assert!(holds, "{limit}");
        }
        assert_eq!(sizes(104, 1), None);
    }

    #[test]
    fn greedy_sizes_are_refused() {
        let params = sizes(1472, 1).unwrap();
        let agreed = |params| Agreed {
            session: 1,
            secret: 2,
            params,
            arrangement: Arrangement::Stable,
        };
        assert!(
            !agreed(Params {
                chunks: 1024,
                ..params
            })
            .is_sound()
        );
        assert!(
            !agreed(Params {
                lanes: 33,
                ..params
            })
            .is_sound()
        );
        assert!(
            !agreed(Params {
                per_chunk: 8,
                ..params
            })
            .is_sound()
        );
    }

    #[test]
    fn messages_whole_again() {
        let params = sizes(8972, 3).unwrap();
        let agreed = Agreed {
            session: 77,
            secret: 5,
            params,
            arrangement: Arrangement::LowLatency,
        };
        let bytes = encode(77, 2, &Message::Start([4; 16], agreed));
        let Some((77, 2, Message::Start([4, ..], read))) = decode(&bytes) else {
            panic!("another message");
        };
        assert_eq!(read, agreed);
        let bytes = hello(9, 1, 1472);
        assert_eq!(bytes.len(), 1472);
        assert!(matches!(decode(&bytes), Some((9, 1, Message::Hello))));
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&bytes).is_none());
        }
    }

    /// What a stranger at a door hears, and whether he counts as a visitor.
    fn says(door: &mut Door, stranger: &UdpSocket, busy: Busy, text: &[u8]) -> Option<Message> {
        stranger.send_to(text, door.local()).unwrap();
        let mut answer = [0; 2000];
        for _ in 0..20 {
            door.poll(Some(busy), Duration::from_millis(5)).unwrap();
            if let Ok(length) = stranger.recv(&mut answer) {
                return Some(decode(&answer[..length]).unwrap().2);
            }
        }
        None
    }

    #[test]
    fn only_who_has_a_cookie_takes_the_place_of_another() {
        let mut door = Door::open(&Udp, "127.0.0.1:0".parse().unwrap()).unwrap();
        let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
        stranger.set_nonblocking(true).unwrap();
        let busy = |quiet| Busy { session: 1, quiet };
        let agreed = Agreed {
            session: 2,
            secret: 3,
            params: sizes(1472, 1).unwrap(),
            arrangement: Arrangement::Stable,
        };
        let start = |cookie| encode(2, 0, &Message::Start(cookie, agreed));
        let said = says(&mut door, &stranger, busy(false), &hello(2, 0, 1472));
        assert!(matches!(said, Some(Message::Busy)) && !door.has_visitor());
        let said = says(&mut door, &stranger, busy(true), &hello(2, 0, 1472));
        let Some(Message::Welcome(cookie, 1472)) = said else {
            panic!("no cookie");
        };
        assert!(!door.has_visitor());
        assert!(says(&mut door, &stranger, busy(true), &start([0; 16])).is_none());
        assert!(!door.has_visitor());
        assert!(says(&mut door, &stranger, busy(true), &start(cookie)).is_none());
        assert!(door.has_visitor());
    }
}
