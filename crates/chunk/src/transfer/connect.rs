// SPDX-License-Identifier: Apache-2.0
//! The sender's start: which lanes lead to the receiver, who it is, and that all of them belong to
//! one session.

use super::choice::name;
use super::pipe::{Spare, is_frame_of};
use super::start::{Agreed, Early, Link, StartError, offer, shorten};
use super::{Arrangement, Via};
use ropewalk_io::lane::network::Network;
use ropewalk_io::lane::{Kind, Lane, LaneError};
use ropewalk_wire::chunk::handshake::{
    self, Client, ClientEvent, Credentials, Failure, Found, KeyPair, LENGTHS, LaneJoin, PathProbe,
    Refusal, Terms,
};
use ropewalk_wire::chunk::params::LEAST_DATAGRAM;
use ropewalk_wire::chunk::{Fec, Params};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// How long lanes are waited for that do not answer while others do.
const LATE: Duration = Duration::from_secs(1);
/// How long a lane may take for one step while it answers at all.
const STEP: Duration = Duration::from_secs(5);
/// Time between two knocks at a receiver that is busy.
const KNOCK: Duration = Duration::from_millis(250);
/// Longest sleep while nothing happens.
const NAP: Duration = Duration::from_millis(5);
/// Most frames that are kept of a receiver that speaks before all its lanes are known to have
/// joined.
const MOST_EARLY: usize = 64;
/// Names of the keys that ends of a session make of its secret, to know each other again.
pub(super) const SENDER: &str = "sender again";
/// See [`SENDER`].
pub(super) const RECEIVER: &str = "receiver again";

/// One way to the receiver, as two channels: for data, and back.
struct Way {
    local: Option<SocketAddr>,
    peer: SocketAddr,
    data: Spare,
    back: Spare,
    /// What the receiver has answered on it, until a handshake has begun with that.
    found: Option<Found>,
}

impl Way {
    fn open(
        network: &dyn Network,
        kind: Kind,
        local: Option<SocketAddr>,
        peer: SocketAddr,
    ) -> Result<Self, LaneError> {
        // A stream may end at any time, while other lanes go on.
        let connect = |local| match kind {
            Kind::Datagrams => Ok(Spare::new(network.connect(local, peer)?, false)),
            Kind::Stream => Ok(Spare::new(network.connect_stream(local, peer)?, true)),
        };
        // Two channels cannot have one port.
        let second = local.map(|local| SocketAddr::new(local.ip(), 0));
        Ok(Way {
            local,
            peer,
            data: connect(local)?,
            back: connect(second)?,
            found: None,
        })
    }

    /// Why one of its channels is gone, if one is.
    fn gone(&self) -> Option<String> {
        let mut both = [&self.data, &self.back].into_iter();
        both.find_map(Spare::gone).map(ToString::to_string)
    }
}

/// Longest time, and whether to stop.
struct Clock<'a> {
    begun: Instant,
    timeout: Duration,
    stop: &'a dyn Fn() -> bool,
}

impl Clock<'_> {
    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    fn check(&self) -> Result<(), StartError> {
        if (self.stop)() {
            return Err(StartError::Stopped);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.now() > self.timeout
    }
}

/// Sends one datagram, if the lane takes it: it may have become too short for it.
fn put(lane: &mut dyn Lane, datagram: &[u8]) -> io::Result<()> {
    match lane.send(&[IoSlice::new(datagram)], datagram.len()) {
        Err(error) if error.kind() != io::ErrorKind::InvalidInput => Err(error),
        _ => Ok(()),
    }
}

/// Finds the receiver on every lane, agrees with it, and has the lanes join. Also: how the two know
/// each other again after an interruption.
///
/// # Errors
/// It does not answer on any lane, does not take this end, or no lane can be opened.
pub fn connect(
    network: &dyn Network,
    (lanes, via): (&[(Option<SocketAddr>, SocketAddr)], Via),
    (arrangement, fec): (Arrangement, Fec),
    credentials: &Credentials,
    timeout: Duration,
    stop: &dyn Fn() -> bool,
) -> Result<(Link, Credentials), StartError> {
    let clock = Clock {
        begun: Instant::now(),
        timeout,
        stop,
    };
    let mut credentials = credentials.clone();
    loop {
        let found = once(
            network,
            (lanes, via),
            (arrangement, fec),
            &mut credentials,
            &clock,
        )?;
        if let Some(link) = found {
            return Ok((link, credentials));
        }
        if clock.is_over() {
            return Err(silent(lanes[0].1, &clock));
        }
        std::thread::sleep(KNOCK);
    }
}

/// The same once. None: all lanes have ended or failed since the receiver was found, as those of
/// one that is started anew.
fn once(
    network: &dyn Network,
    (lanes, via): (&[(Option<SocketAddr>, SocketAddr)], Via),
    (arrangement, fec): (Arrangement, Fec),
    credentials: &mut Credentials,
    clock: &Clock,
) -> Result<Option<Link>, StartError> {
    let mut notes = Vec::new();
    let mut ways = open(network, lanes, via, &mut notes)?;
    if let Some(way) = ways.iter().find(|way| way.data.limit() < LEAST_DATAGRAM) {
        return Err(StartError::Narrow(way.peer, way.data.limit()));
    }
    let longest = look(network, &mut ways, clock, &mut notes)?;
    let fits = offer(ways.len(), arrangement, fec)
        .params
        .for_frames(longest.into());
    if fits.is_none() {
        let (peer, length) = (lanes[0].1, longest);
        return Err(StartError::Fec { peer, fec, length });
    }
    while !ways.is_empty() {
        let mut terms = offer(ways.len(), arrangement, fec);
        if via == Via::Tcp {
            let streams = ways.iter().filter(|way| way.data.kind() == Kind::Stream);
            shorten(&mut terms, streams.map(|way| way.data.rtt()));
        }
        let Some(mut asked) = ask(&mut ways, terms, credentials, longest, clock)? else {
            break;
        };
        let Some((missing, early)) = join(&mut ways, &mut asked, clock)? else {
            break;
        };
        let Asked { agreed, length, .. } = asked;
        again(credentials, agreed.handshake());
        if missing.is_empty() {
            return Ok(Some(link(ways, agreed, length, early, notes)));
        }
        for way in missing.into_iter().rev() {
            let why = format!("datagrams of {length} bytes do not come back");
            notes.push(left_out(&ways.remove(way), &why));
        }
    }
    Ok(None)
}

fn silent(peer: SocketAddr, clock: &Clock) -> StartError {
    let waited = clock.now();
    StartError::Silent { peer, waited }
}

fn left_out(way: &Way, why: &str) -> String {
    let from = way.local.map(|local| format!(" from {local}"));
    let (from, to) = (from.unwrap_or_default(), way.peer);
    let over = match way.data.kind() {
        Kind::Datagrams => String::new(),
        kind => format!(" over {}", name(kind)),
    };
    let why = way.gone().unwrap_or_else(|| why.to_owned());
    format!("the lane{over}{from} to {to} is left out: {why}")
}

/// The ways of all lanes: streams come first, as what is waited for most comes over those.
fn open(
    network: &dyn Network,
    lanes: &[(Option<SocketAddr>, SocketAddr)],
    via: Via,
    notes: &mut Vec<String>,
) -> Result<Vec<Way>, StartError> {
    let mut ways = Vec::new();
    let mut trouble = None;
    let kinds: &[Kind] = match via {
        Via::Udp => &[Kind::Datagrams],
        Via::Tcp | Via::Auto => &[Kind::Stream, Kind::Datagrams],
    };
    for (&kind, &(local, peer)) in kinds
        .iter()
        .flat_map(|kind| lanes.iter().map(move |it| (kind, it)))
    {
        match Way::open(network, kind, local, peer) {
            Ok(way) => ways.push(way),
            Err(error) => {
                notes.push(format!("a lane over {} is left out: {error}", name(kind)));
                trouble = Some(error);
            }
        }
    }
    match trouble {
        Some(error) if ways.is_empty() => Err(error.into()),
        _ => Ok(ways),
    }
}

/// Lengths of datagrams to try on a lane: those of usual paths, and the longest that it takes
/// itself; none is of use that is longer than the longest frame.
fn lengths(limit: usize) -> Vec<u16> {
    let longest = Params {
        sealed: true,
        ..Params::PAPER
    };
    let limit = limit.min(longest.frame_bytes()) as u16;
    let usual = LENGTHS.into_iter().filter(|&length| length < limit);
    usual
        .chain([limit])
        .filter(|&length| usize::from(length) >= LEAST_DATAGRAM)
        .collect()
}

/// Keeps the lanes on which somebody answers, and says how long datagrams may be on all of them.
/// Streams that are refused are opened again until somebody answers, and once more then: the
/// receiver may have come later than this end.
fn look(
    network: &dyn Network,
    ways: &mut Vec<Way>,
    clock: &Clock,
    notes: &mut Vec<String>,
) -> Result<u16, StartError> {
    let terms = offer(ways.len(), Arrangement::LowLatency, Fec::None);
    let begin = |way: &Way| PathProbe::new(clock.now(), terms, &lengths(way.data.limit()));
    let mut looks = ways.iter().map(begin).collect::<Result<Vec<_>, _>>()?;
    let (mut first, mut knock) = (None, None::<(Duration, Refusal)>);
    let mut reopen = Some(clock.now() + KNOCK);
    let found = loop {
        clock.check()?;
        let mut moved = false;
        for (way, look) in ways.iter_mut().zip(&mut looks) {
            let now = clock.now();
            moved |= way
                .data
                .receive(&mut |datagram| look.receive(now, datagram))?;
            if let Some(refusal) = look.refusal() {
                knock.get_or_insert((now + KNOCK, refusal));
            }
            while let Some(datagram) = look.poll_transmit(clock.now()) {
                put(&mut way.data, &datagram)?;
            }
        }
        let now = clock.now();
        if let Some((_, refusal)) = knock.filter(|&(at, _)| now >= at) {
            if refusal != Refusal::Busy {
                return Err(Failure::Refused(refusal).into());
            }
            knock = None;
            looks = ways.iter().map(begin).collect::<Result<Vec<_>, _>>()?;
        }
        let found: Vec<_> = looks.iter().map(|look| look.found(now)).collect();
        if first.is_none() && found.iter().any(Option::is_some) {
            (first, reopen) = (Some(now), Some(now));
        }
        if reopen.is_some_and(|at| now >= at) {
            reopen = first.is_none().then_some(now + KNOCK);
            for (way, look) in ways.iter_mut().zip(&mut looks) {
                if way.gone().is_some()
                    && let Ok(opened) = Way::open(network, way.data.kind(), way.local, way.peer)
                {
                    *look = begin(&opened)?;
                    *way = opened;
                }
            }
        }
        let late = first.is_some_and(|first| now > first + LATE);
        let mut known = ways.iter().zip(&found);
        if late
            || known.all(|(way, found)| found.is_some() || way.gone().is_some()) && first.is_some()
        {
            break found;
        }
        if clock.is_over() {
            let peer = ways[0].peer;
            return Err(match knock {
                Some(_) => StartError::Busy(peer),
                None => silent(peer, clock),
            });
        }
        if !moved {
            ways[0].data.wait(NAP, false)?;
        }
    };
    let all = std::mem::take(ways);
    let lengths = found.iter().flatten().map(|found| found.length);
    // With none of them this was not left before the time was over.
    let longest = lengths.min().unwrap_or(0);
    for (mut way, found) in all.into_iter().zip(found) {
        if found.is_some() && way.gone().is_none() {
            way.found = found;
            ways.push(way);
        } else {
            notes.push(left_out(&way, "no answer"));
        }
    }
    Ok(longest)
}

/// A session that the receiver has proposed, and not yet proved to have the key of.
struct Asked {
    client: Client,
    agreed: Agreed,
    /// Of datagrams.
    length: u16,
    /// Number of the way on which it was asked.
    way: usize,
}

/// The handshake, on one lane after the other until a session is proposed; none: all have ended.
fn ask(
    ways: &mut [Way],
    terms: Terms,
    credentials: &Credentials,
    longest: u16,
    clock: &Clock,
) -> Result<Option<Asked>, StartError> {
    let count = ways.len();
    let mut busy = false;
    for number in (0..count).cycle() {
        if ways.iter().all(|way| way.gone().is_some()) {
            break;
        }
        let way = &mut ways[number];
        let (lane, peer, found) = (&mut way.data, way.peer, way.found.take());
        let left = clock.timeout.saturating_sub(clock.now());
        if left.is_zero() {
            return Err(if busy {
                StartError::Busy(peer)
            } else {
                silent(peer, clock)
            });
        }
        let patience = if count == 1 { left } else { left.min(STEP) };
        let lengths = lengths(longest.into());
        let now = clock.now();
        let mut client = Client::new(now, credentials.clone(), terms, &lengths, patience)?;
        if let Some(found) = found {
            client = client.after(now, &found)?;
        }
        match shake(&mut client, lane, clock)? {
            Ok((agreed, length)) => {
                return Ok(Some(Asked {
                    client,
                    agreed: Agreed::new(*agreed).ok_or(StartError::Terms)?,
                    length,
                    way: number,
                }));
            }
            Err(Failure::NoAnswer(_)) => {}
            Err(Failure::Refused(Refusal::Busy)) => {
                busy = true;
                let until = clock.now() + KNOCK;
                while clock.now() < until {
                    clock.check()?;
                    lane.wait(NAP, false)?;
                }
            }
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok(None)
}

/// The handshake on one lane, until the receiver has proposed a session or there is none.
fn shake(
    client: &mut Client,
    lane: &mut Spare,
    clock: &Clock,
) -> Result<Result<(Box<handshake::Agreed>, u16), Failure>, StartError> {
    loop {
        clock.check()?;
        let moved = lane.receive(&mut |datagram| client.receive(clock.now(), datagram))?;
        while let Some(datagram) = client.poll_transmit(clock.now()) {
            put(lane, &datagram)?;
        }
        if let Some(proposed) = client.take_proposed() {
            return Ok(Ok(proposed));
        }
        if let Some(ClientEvent::Failed(failure)) = client.poll_event() {
            return Ok(Err(failure));
        }
        if lane.gone().is_some() {
            return Ok(Err(Failure::NoAnswer(Duration::ZERO)));
        }
        if !moved {
            lane.wait(NAP, false)?;
        }
    }
}

/// How this end proves itself the next time: a code is good for one session only.
fn again(credentials: &mut Credentials, agreed: &handshake::Agreed) {
    if let Credentials::Code(_) = credentials {
        *credentials = Credentials::Keys(
            KeyPair::of_session(&agreed.key, SENDER),
            KeyPair::of_session(&agreed.key, RECEIVER).public,
        );
    }
}

/// Has both channels of every lane join, while the client proves itself on one of them; which lanes
/// do not, and what the receiver has said meanwhile: it has heard of the last lane before this end
/// knows that, and begins. To have to say it again would cost it longer than all that was before.
/// None: the receiver has not proved to have the key.
fn join(
    ways: &mut [Way],
    asked: &mut Asked,
    clock: &Clock,
) -> Result<Option<(Vec<usize>, Early)>, StartError> {
    let Asked {
        client,
        agreed,
        length,
        way: asked_on,
    } = asked;
    let count = usize::from(agreed.lanes());
    let (session, mut early) = (agreed.back_session(), Early::new());
    let announce = |lane: usize| {
        let now = clock.now();
        let join = LaneJoin::new(now, agreed.handshake(), lane as u8, &[*length], STEP)?;
        Ok::<_, Failure>(join.with_rtt(now, client.rtt()))
    };
    let mut joins = (0..2 * count)
        .map(announce)
        .collect::<Result<Vec<_>, _>>()?;
    let mut confirmed = false;
    loop {
        clock.check()?;
        let mut moved = false;
        // It goes out first: who joins before is not known yet.
        while !confirmed && let Some(datagram) = client.poll_transmit(clock.now()) {
            put(&mut ways[*asked_on].data, &datagram)?;
        }
        for (number, join) in joins.iter_mut().enumerate() {
            let way = &mut ways[number % count];
            let lane = if number < count {
                &mut way.data
            } else {
                &mut way.back
            };
            moved |= lane.receive(&mut |datagram| {
                if number < count || !is_frame_of(session, datagram) {
                    join.receive(clock.now(), datagram);
                    if number == *asked_on {
                        client.receive(clock.now(), datagram);
                    }
                } else if early.len() < MOST_EARLY {
                    early.push(((number - count) as u8, datagram.to_vec()));
                }
            })?;
            while let Some(datagram) = join.poll_transmit(clock.now()) {
                put(lane, &datagram)?;
            }
        }
        if !confirmed {
            confirmed = joins.iter().any(LaneJoin::is_answered);
            match client.poll_event() {
                Some(ClientEvent::Confirmed) => confirmed = true,
                _ if confirmed => (),
                Some(ClientEvent::Failed(
                    Failure::NoAnswer(_) | Failure::Refused(Refusal::Busy),
                )) => return Ok(None),
                Some(ClientEvent::Failed(failure)) => return Err(failure.into()),
                _ if ways[*asked_on].data.gone().is_some() => return Ok(None),
                _ => (),
            }
            if confirmed {
                for join in &mut joins {
                    join.hurry(clock.now());
                }
            }
        }
        let is_over = |(number, join): (usize, &LaneJoin)| {
            join.outcome().is_some() || ways[number % count].gone().is_some()
        };
        if confirmed && joins.iter().enumerate().all(is_over) {
            break;
        }
        if !moved {
            ways[0].data.wait(NAP, false)?;
        }
    }
    let failed = |join: &LaneJoin| !matches!(join.outcome(), Some(Ok(_)));
    let missing = (0..count).filter(|&way| {
        failed(&joins[way]) || failed(&joins[way + count]) || ways[way].gone().is_some()
    });
    Ok(Some((missing.collect(), early)))
}

fn link(ways: Vec<Way>, agreed: Agreed, length: u16, early: Early, mut notes: Vec<String>) -> Link {
    if length < 8000 {
        notes.push(format!(
            "datagrams of {length} bytes: with jumbo frames (MTU 9000) along the way each costs less processor time"
        ));
    }
    let (mut lanes, mut back) = (Vec::new(), Vec::new());
    // The receiver may have taken fewer.
    for way in ways.into_iter().take(agreed.lanes().into()) {
        notes.extend(way.data.notes());
        lanes.push((way.data.into_lane(), None));
        back.push((way.back.into_lane(), None));
    }
    notes.sort();
    notes.dedup();
    Link {
        agreed,
        lanes,
        back,
        early,
        notes,
    }
}
