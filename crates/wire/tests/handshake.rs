// SPDX-License-Identifier: Apache-2.0
//! The start of a session in virtual time: over bad channels, against strangers, forgers and
//! floods.

mod common;

use common::{Random, bytes, random};
use ropewalk_wire::chunk::handshake::message::{Hello, Message};
use ropewalk_wire::chunk::handshake::server::MAX_WRONG;
use ropewalk_wire::chunk::handshake::{
    Agreed, Arrangement, Client, ClientEvent, Code, Credentials, Failure, Found, Joins, KeyPair,
    LENGTHS, LaneJoin, Limits, PathProbe, Peer, Policy, Refusal, SHORTEST, Server, Terms,
};
use ropewalk_wire::chunk::params::{Fec, Params};
use std::collections::BTreeMap;
use std::time::Duration;

const ADDRESS: &[u8] = &[10, 0, 0, 1];
const LIMITS: Limits = Limits {
    frame: 65_507,
    chunks: 4,
    lanes: 3,
    parity: u16::MAX,
};
const PATIENCE: Duration = Duration::from_secs(120);
const NEVER: Duration = Duration::from_secs(1_000_000);

fn offer() -> Terms {
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

/// What a channel does to datagrams.
struct Channel {
    random: Random,
    /// Of 256.
    loss: u16,
    /// Of 256.
    double: u16,
    /// Longest delay, ms; the shortest is 1.
    delay: u64,
    /// Longest datagrams that pass, to the server and back.
    longest: [usize; 2],
}

impl Channel {
    fn good() -> Self {
        Channel {
            random: Random::new(1),
            loss: 0,
            double: 0,
            delay: 1,
            longest: [65_507; 2],
        }
    }
}

/// Datagrams on their way, by time of arrival; to the server or not.
#[derive(Default)]
struct Flight {
    datagrams: BTreeMap<(Duration, u64), (bool, Vec<u8>)>,
    count: u64,
}

impl Flight {
    fn send(&mut self, channel: &mut Channel, now: Duration, to_server: bool, datagram: Vec<u8>) {
        if datagram.len() > channel.longest[usize::from(!to_server)] {
            return;
        }
        let copies = 1 + u8::from(channel.random.chance(channel.double));
        for _ in 0..copies {
            if !channel.random.chance(channel.loss) {
                let delay = Duration::from_millis(1 + channel.random.below(channel.delay));
                self.count += 1;
                self.datagrams
                    .insert((now + delay, self.count), (to_server, datagram.clone()));
            }
        }
    }

    /// What happens next, at that time: a datagram arrives, or the earliest timer has run out.
    fn next(
        &mut self,
        now: &mut Duration,
        timers: impl IntoIterator<Item = Option<Duration>>,
    ) -> Option<(bool, Vec<u8>)> {
        let timer = timers.into_iter().flatten().min().unwrap_or(NEVER);
        let arrival = self.datagrams.keys().next().map_or(NEVER, |key| key.0);
        assert!(timer.min(arrival) < NEVER, "nothing will happen any more");
        *now = timer.min(arrival).max(*now);
        if timer < arrival {
            return None;
        }
        self.datagrams.pop_first().map(|(_, it)| it)
    }
}

/// Lets a client meet a server until the client is done; `forge` may change what passes.
fn meet(
    start: Duration,
    client: &mut Client,
    server: &mut Server,
    channel: &mut Channel,
    forge: &mut dyn FnMut(bool, Vec<u8>) -> Vec<u8>,
) -> (Duration, ClientEvent) {
    let mut now = start;
    let mut flight = Flight::default();
    loop {
        while let Some(datagram) = client.poll_transmit(now) {
            flight.send(channel, now, true, forge(true, datagram));
        }
        if let Some(event) = client.poll_event() {
            // What is still on its way arrives as well.
            for (_, (to_server, datagram)) in flight.datagrams {
                if to_server {
                    server.receive(now, ADDRESS, &datagram).unwrap();
                }
            }
            return (now, event);
        }
        let Some((to_server, datagram)) = flight.next(&mut now, [client.next_timeout()]) else {
            continue;
        };
        if !to_server {
            client.receive(now, &datagram);
        } else if let Some(answer) = server.receive(now, ADDRESS, &datagram).unwrap() {
            assert!(answer.len() <= datagram.len());
            flight.send(channel, now, false, forge(false, answer));
        }
    }
}

fn client(credentials: &Credentials) -> Client {
    Client::new(
        Duration::ZERO,
        credentials.clone(),
        offer(),
        &LENGTHS,
        PATIENCE,
    )
    .unwrap()
}

fn connect(credentials: &Credentials, server: &mut Server, channel: &mut Channel) -> ClientEvent {
    let mut client = client(credentials);
    meet(
        Duration::ZERO,
        &mut client,
        server,
        channel,
        &mut |_, bytes| bytes,
    )
    .1
}

fn failure(event: ClientEvent) -> Failure {
    match event {
        ClientEvent::Failed(failure) => failure,
        _ => panic!("there is a session"),
    }
}

fn session(event: ClientEvent) -> (Agreed, u16) {
    match event {
        ClientEvent::Agreed(agreed, length) => (*agreed, length),
        other => panic!("{other:?}"),
    }
}

fn code(text: &str) -> Credentials {
    Credentials::Code(text.parse().unwrap())
}

fn code_server(text: &str) -> Server {
    let policy = Policy {
        code: Some(text.parse().unwrap()),
        ..Policy::default()
    };
    Server::new(policy, LIMITS).unwrap()
}

/// All ways to prove who an end is: of the client, of a server that admits it, and who they are to
/// each other.
fn ways() -> Vec<(Credentials, Policy, Peer, Peer)> {
    let (ours, theirs) = (KeyPair::random().unwrap(), KeyPair::random().unwrap());
    let other = KeyPair::random().unwrap().public;
    let code = Code::random().unwrap();
    let by_code = Policy {
        code: Some(code.clone()),
        ..Policy::default()
    };
    let by_keys = Policy {
        keys: Some((theirs.clone(), vec![other, ours.public])),
        ..Policy::default()
    };
    let by_trust = Policy {
        trusted: true,
        ..Policy::default()
    };
    let keys = Credentials::Keys(ours.clone(), theirs.public);
    let (client_key, server_key) = (Peer::Key(ours.public), Peer::Key(theirs.public));
    vec![
        (Credentials::Code(code), by_code, Peer::Code, Peer::Code),
        (keys, by_keys, client_key, server_key),
        (Credentials::Trusted, by_trust, Peer::Unknown, Peer::Unknown),
    ]
}

/// Both ends have the same.
fn assert_same(ours: &Agreed, theirs: &Agreed) {
    assert_eq!(ours.session, theirs.session);
    assert_eq!(ours.terms, theirs.terms);
    let public = |agreed: &Agreed| KeyPair::of_session(&agreed.key, "test").public;
    assert_eq!(public(ours), public(theirs));
    assert_eq!(ours.tag(), theirs.tag());
}

#[test]
fn both_ends_agree() {
    for (credentials, policy, client_is, server_is) in ways() {
        let mut server = Server::new(policy, LIMITS).unwrap();
        let event = connect(&credentials, &mut server, &mut Channel::good());
        let (ours, length) = session(event);
        let theirs = server.poll_agreed().unwrap();
        assert!(server.poll_agreed().is_none());
        assert_same(&ours, &theirs);
        assert_eq!((ours.peer, theirs.peer), (server_is, client_is));
        assert_eq!(ours.is_sealed(), client_is != Peer::Unknown);
        // The smaller of what both can do, and the paper's frames on a path that carries more.
        assert_eq!((ours.terms.params.lanes, ours.terms.params.chunks), (3, 4));
        let params = ours.terms.params;
        assert_eq!((params.payload, params.per_frame), (1216, 8));
        assert_eq!(params.sealed, ours.is_sealed());
        assert_eq!(ours.terms.params.fec, Fec::Mend(2));
        assert_eq!(length, 65_507);
    }
}

/// Before anything is agreed on a sender finds out how long datagrams may be that arrive.
#[test]
fn the_longest_datagram_of_a_path() {
    let policy = Policy {
        trusted: true,
        ..Policy::default()
    };
    let mut server = Server::new(policy, LIMITS).unwrap();
    let mut probe = PathProbe::new(Duration::ZERO, offer(), &[600, 1400, 9000]).unwrap();
    let mut sent = Vec::new();
    while let Some(datagram) = probe.poll_transmit(Duration::ZERO) {
        sent.push(datagram);
    }
    let mut lengths: Vec<_> = sent.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [600, 1400, 9000]);
    let now = Duration::from_millis(1);
    for datagram in sent.iter().filter(|datagram| datagram.len() < 9000) {
        if let Some(answer) = server.receive(now, ADDRESS, datagram).unwrap() {
            probe.receive(now, &answer);
        }
    }
    assert_eq!(probe.refusal(), None);
    assert_eq!(probe.found(PATIENCE).unwrap().length, 1400);
}

/// What a search of the usual lengths finds over a good path, and when it does.
fn searched(server: &mut Server, start: Duration) -> (Found, Duration) {
    let mut probe = PathProbe::new(start, offer(), &LENGTHS).unwrap();
    let now = start + Duration::from_millis(1);
    let mut answers = Vec::new();
    while let Some(datagram) = probe.poll_transmit(start) {
        answers.extend(server.receive(now, ADDRESS, &datagram).unwrap());
    }
    let now = now + Duration::from_millis(1);
    for answer in answers {
        probe.receive(now, &answer);
    }
    (probe.found(now).unwrap(), now)
}

/// A client that goes on from a search has a session two round trips later, not three. A cookie
/// that is too old costs one more; that the server knows the attempt from another client costs
/// time.
#[test]
fn a_search_spares_a_round_trip() {
    for (credentials, policy, ..) in ways() {
        let mut server = Server::new(policy, LIMITS).unwrap();
        let connect = |server: &mut Server, start, found: Option<&Found>| {
            if let Credentials::Code(code) = &credentials {
                server.set_code(code.clone());
            }
            let client = Client::new(start, credentials.clone(), offer(), &LENGTHS, PATIENCE);
            let mut client = client.unwrap();
            if let Some(found) = found {
                client = client.after(start, found).unwrap();
            }
            let channel = &mut Channel::good();
            let (now, event) = meet(start, &mut client, server, channel, &mut |_, it| it);
            let (ours, length) = session(event);
            assert_same(&ours, &server.poll_agreed().unwrap());
            (now - start, length)
        };
        let round_trips = |count: u64| (Duration::from_millis(2 * count), LENGTHS[0]);
        assert_eq!(connect(&mut server, Duration::ZERO, None), round_trips(3));
        let start = Duration::from_secs(1000);
        let (found, now) = searched(&mut server, start);
        assert_eq!(connect(&mut server, now, Some(&found)), round_trips(2));
        // As if datagrams of this length did not come back: shorter ones are tried then.
        let (took, length) = connect(&mut server, now + round_trips(2).0, Some(&found));
        assert!(
            took > Duration::from_secs(3) && length == LENGTHS[1],
            "{took:?}"
        );
        let took = connect(&mut server, 2 * start, Some(&found));
        assert_eq!(took, round_trips(3));
    }
}

/// Lets a lane join while the client confirms. The first message of either end that is `lost` does
/// not arrive. Gives the time since the search, and whether the client was confirmed.
fn join_while_confirming(
    credentials: &Credentials,
    policy: Policy,
    mut lost: impl FnMut(&Message) -> bool,
) -> (Duration, bool) {
    let mut server = Server::new(policy, LIMITS).unwrap();
    let (found, start) = searched(&mut server, Duration::ZERO);
    let client = Client::new(start, credentials.clone(), offer(), &LENGTHS, PATIENCE);
    let mut client = client.unwrap().after(start, &found).unwrap();
    let (mut now, mut flight, channel) = (start, Flight::default(), &mut Channel::good());
    let (mut lane, mut joins) = (None::<LaneJoin>, None::<Joins>);
    let (mut confirmed, mut was_lost) = (false, false);
    let mut passes = |datagram: &[u8]| {
        let dropped = !was_lost && lost(&Message::parse(datagram).unwrap().2);
        was_lost |= dropped;
        !dropped
    };
    loop {
        if let Some((ours, length)) = client.take_proposed() {
            let join = LaneJoin::new(now, &ours, 0, &[length], PATIENCE).unwrap();
            lane = Some(join.with_rtt(now, client.rtt()));
        }
        while let Some(datagram) = client.poll_transmit(now) {
            if passes(&datagram) {
                flight.send(channel, now, true, datagram);
            }
        }
        if let Some(lane) = &mut lane {
            match client.poll_event() {
                Some(ClientEvent::Confirmed) => {
                    confirmed = true;
                    lane.hurry(now);
                }
                None => {}
                other => panic!("{other:?}"),
            }
            while let Some(datagram) = lane.poll_transmit(now) {
                flight.send(channel, now, true, datagram);
            }
            if let Some(outcome) = lane.outcome() {
                assert_eq!((outcome, lane.is_answered()), (Ok(LENGTHS[0]), true));
                return (now - start, confirmed);
            }
        }
        let of_lane = lane.as_ref().and_then(LaneJoin::next_timeout);
        let Some((to_server, datagram)) = flight.next(&mut now, [client.next_timeout(), of_lane])
        else {
            continue;
        };
        if !to_server {
            client.receive(now, &datagram);
            if let Some(lane) = &mut lane {
                lane.receive(now, &datagram);
            }
            continue;
        }
        let of_joins = joins.as_mut().and_then(|it| it.receive(ADDRESS, &datagram));
        let of_server = server.receive(now, ADDRESS, &datagram).unwrap();
        joins = server.poll_agreed().as_ref().map(Joins::new).or(joins);
        for answer in of_joins.map(|it| it.0).into_iter().chain(of_server) {
            if passes(&answer) {
                flight.send(channel, now, false, answer);
            }
        }
    }
}

/// Lanes join together with the Confirm: three round trips behind the search everything is there.
/// An answer to a lane proves what Done does, and a lane that came before the Confirm asks again.
#[test]
fn lanes_join_while_the_client_confirms() {
    let round_trips = Duration::from_millis(6);
    for (credentials, policy, ..) in ways() {
        let took = join_while_confirming(&credentials, policy.clone(), |_| false);
        assert_eq!(took, (round_trips, true));
        let is_done = |message: &Message| matches!(message, Message::Done(_));
        let took = join_while_confirming(&credentials, policy.clone(), is_done);
        assert_eq!(took, (round_trips, false));
        // Both ask again after the shortest wait, at the same time.
        let is_confirm = |message: &Message| matches!(message, Message::Confirm(_));
        let (took, _) = join_while_confirming(&credentials, policy, is_confirm);
        assert_eq!(took, Duration::from_millis(50) + round_trips);
    }
}

/// A lane that nobody answered before the server had the session has its whole time from then on.
#[test]
fn a_lane_that_hurries_has_all_its_time() {
    let (credentials, policy, ..) = ways().remove(0);
    let mut server = Server::new(policy, LIMITS).unwrap();
    let (ours, _) = session(connect(&credentials, &mut server, &mut Channel::good()));
    let mut joins = Joins::new(&server.poll_agreed().unwrap());
    let mut lane = LaneJoin::new(Duration::ZERO, &ours, 0, &[1472], PATIENCE).unwrap();
    while lane.poll_transmit(PATIENCE).is_some() {}
    assert_eq!(lane.outcome(), Some(Err(Failure::NoAnswer(PATIENCE))));
    lane.hurry(PATIENCE);
    assert_eq!(lane.outcome(), None);
    // Check, and Joined.
    let now = 2 * PATIENCE - Duration::from_nanos(1);
    for _ in 0..2 {
        let datagram = lane.poll_transmit(now).unwrap();
        let (answer, _) = joins.receive(ADDRESS, &datagram).unwrap();
        lane.receive(now, &answer);
    }
    assert!(lane.poll_transmit(now).is_none());
    assert_eq!(lane.outcome(), Some(Ok(1472)));
    // One that was answered keeps what came of it.
    lane.hurry(3 * PATIENCE);
    assert_eq!(lane.outcome(), Some(Ok(1472)));
}

/// What a wrong code leads to is refused, though it was proposed.
#[test]
fn a_proposal_for_a_wrong_code_comes_to_nothing() {
    let mut server = code_server("11111111");
    let mut client = client(&code("22222222"));
    let (mut now, mut proposed) = (Duration::ZERO, false);
    let failure = loop {
        proposed |= client.take_proposed().is_some();
        let mut answers = Vec::new();
        while let Some(datagram) = client.poll_transmit(now) {
            answers.extend(server.receive(now, ADDRESS, &datagram).unwrap());
        }
        if let Some(event) = client.poll_event() {
            break failure(event);
        }
        for answer in answers {
            client.receive(now, &answer);
        }
        now += Duration::from_millis(50);
    };
    assert!(proposed);
    assert_eq!(failure, Failure::Refused(Refusal::Code));
    assert!(server.poll_agreed().is_none());
}

#[test]
fn frames_fit_the_path_both_ways() {
    for (longest, length) in [
        ([9000, 9000], 8972),
        ([1500, 9000], 1472),
        ([9000, 1500], 1472),
        ([9000, 600], 512),
    ] {
        let (credentials, policy, ..) = ways().remove(0);
        let mut server = Server::new(policy, LIMITS).unwrap();
        let mut channel = Channel {
            longest,
            ..Channel::good()
        };
        let (agreed, found) = session(connect(&credentials, &mut server, &mut channel));
        assert_eq!(found, length);
        assert!(agreed.terms.params.frame_bytes() <= usize::from(length));
        assert_same(&agreed, &server.poll_agreed().unwrap());
    }
}

/// A fifth of all datagrams lost, some doubled, all out of order. An attempt asks some fifty times
/// before it gives up, so one in 10^10 fails.
#[test]
fn bad_channels() {
    let mut random = random();
    for _ in 0..10 {
        for (credentials, policy, ..) in ways() {
            let mut server = Server::new(policy, LIMITS).unwrap();
            let mut channel = Channel {
                random: Random::new(random.bits()),
                loss: 51,
                double: 40,
                delay: 150,
                longest: [9000; 2],
            };
            let (ours, _) = session(connect(&credentials, &mut server, &mut channel));
            assert_same(&ours, &server.poll_agreed().unwrap());
            assert!(server.poll_agreed().is_none());
        }
    }
}

#[test]
fn nobody_answers() {
    let mut channel = Channel {
        longest: [0; 2],
        ..Channel::good()
    };
    let mut client = client(&Credentials::Trusted);
    let mut server = code_server("12345678");
    let (now, event) = meet(
        Duration::ZERO,
        &mut client,
        &mut server,
        &mut channel,
        &mut |_, b| b,
    );
    assert_eq!(now, PATIENCE);
    assert_eq!(failure(event), Failure::NoAnswer(PATIENCE));
}

#[test]
fn a_code_is_guessed_a_few_times_only() {
    let mut server = code_server("1234-5678");
    for _ in 0..MAX_WRONG {
        let event = connect(&code("1234-5679"), &mut server, &mut Channel::good());
        assert_eq!(failure(event), Failure::Refused(Refusal::Code));
    }
    let event = connect(&code("1234-5678"), &mut server, &mut Channel::good());
    assert_eq!(failure(event), Failure::Refused(Refusal::Spent));
    assert!(server.poll_agreed().is_none());
}

#[test]
fn a_code_admits_one() {
    let mut server = code_server("1234-5678");
    let event = connect(&code("1234-5679"), &mut server, &mut Channel::good());
    assert_eq!(failure(event), Failure::Refused(Refusal::Code));
    session(connect(
        &code("1234-5678"),
        &mut server,
        &mut Channel::good(),
    ));
    assert!(server.poll_agreed().is_some());
    let event = connect(&code("1234-5678"), &mut server, &mut Channel::good());
    assert_eq!(failure(event), Failure::Refused(Refusal::Spent));
}

/// Guesses side by side are not more guesses than one after the other: all attempts are begun
/// before one of them is confirmed.
#[test]
fn guesses_side_by_side_count_too() {
    let mut server = code_server("1234-5678");
    let now = Duration::ZERO;
    let mut clients = Vec::new();
    // The last one has the right code, and comes too late.
    for number in 0..=MAX_WRONG {
        let right = if number == MAX_WRONG {
            "12345678"
        } else {
            "00000000"
        };
        let mut client = client(&code(right));
        let mut confirm = None;
        while confirm.is_none() {
            let datagram = client.poll_transmit(now).unwrap();
            if let Some((_, _, Message::Confirm(_))) = Message::parse(&datagram) {
                confirm = Some(datagram);
            } else if let Some(answer) = server.receive(now, ADDRESS, &datagram).unwrap() {
                client.receive(now, &answer);
            }
        }
        clients.push((client, confirm.unwrap()));
    }
    for (client, confirm) in &mut clients {
        if let Some(answer) = server.receive(now, ADDRESS, confirm).unwrap() {
            client.receive(now, &answer);
            let told = failure(client.poll_event().unwrap());
            assert_eq!(told, Failure::Refused(Refusal::Code));
        }
    }
    assert!(server.poll_agreed().is_none());
}

#[test]
fn keys_that_are_not_admitted() {
    let (ours, theirs) = (KeyPair::random().unwrap(), KeyPair::random().unwrap());
    let policy = |admitted| Policy {
        keys: Some((theirs.clone(), admitted)),
        ..Policy::default()
    };
    let stranger = KeyPair::random().unwrap();
    for (credentials, admitted) in [
        // Not on the list.
        (
            Credentials::Keys(stranger.clone(), theirs.public),
            vec![ours.public],
        ),
        // Another server was meant.
        (
            Credentials::Keys(ours.clone(), stranger.public),
            vec![ours.public],
        ),
    ] {
        let mut server = Server::new(policy(admitted), LIMITS).unwrap();
        let event = connect(&credentials, &mut server, &mut Channel::good());
        assert_eq!(failure(event), Failure::Refused(Refusal::Key));
        assert!(server.poll_agreed().is_none());
    }
}

#[test]
fn a_server_takes_only_the_proofs_it_wants() {
    let all = ways();
    for (wanted, (_, policy, ..)) in all.iter().enumerate() {
        for (shown, (credentials, ..)) in all.iter().enumerate() {
            if wanted != shown {
                let mut server = Server::new(policy.clone(), LIMITS).unwrap();
                let event = connect(credentials, &mut server, &mut Channel::good());
                assert_eq!(failure(event), Failure::Refused(Refusal::Proof));
            }
        }
    }
}

/// Somebody on the path changes what is offered or agreed on, with all checks of the frame made
/// good: no session comes about at the server, nor at the client.
#[test]
fn whatever_is_changed_ends_the_attempt() {
    type Change = fn(Message) -> Message;
    fn of_hello(message: Message, change: fn(&mut Hello)) -> Message {
        match message {
            Message::Hello(mut hello) => {
                change(&mut hello);
                Message::Hello(hello)
            }
            other => other,
        }
    }
    fn of_terms(message: Message, change: fn(&mut Terms)) -> Message {
        match message {
            Message::Reply(mut reply) => {
                change(&mut reply.terms);
                Message::Reply(reply)
            }
            other => other,
        }
    }
    let changes: [Change; 9] = [
        |m| of_hello(m, |hello| hello.offer.params.lanes = 1),
        |m| of_hello(m, |hello| hello.offer.params.chunks = 1),
        |m| of_hello(m, |hello| hello.offer.params.fec = Fec::None),
        |m| of_hello(m, |hello| hello.proof_kind = 3),
        |m| of_hello(m, |hello| hello.newest = 7),
        |m| of_hello(m, |hello| hello.nonce[0] ^= 1),
        |m| of_terms(m, |terms| terms.params.lanes = 1),
        |m| of_terms(m, |terms| terms.params.chunks = 1),
        |m| of_terms(m, |terms| terms.arrangement = Arrangement::Stable),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        for (credentials, policy, ..) in ways().into_iter().take(2) {
            let mut server = Server::new(policy, LIMITS).unwrap();
            let mut client = client(&credentials);
            let mut channel = Channel::good();
            let forge = &mut |_: bool, datagram: Vec<u8>| {
                let (attempt, lane, message) = Message::parse(&datagram).unwrap();
                change(message).datagram(attempt, lane, datagram.len() as u16)
            };
            let (_, event) = meet(
                Duration::ZERO,
                &mut client,
                &mut server,
                &mut channel,
                forge,
            );
            assert!(matches!(event, ClientEvent::Failed(_)), "change {number}");
            assert!(server.poll_agreed().is_none(), "change {number}");
        }
    }
}

/// What was recorded of a good start brings no second session, at this server or another one with
/// the same keys.
#[test]
fn replays() {
    let (credentials, policy, ..) = ways().remove(1);
    let mut server = Server::new(policy.clone(), LIMITS).unwrap();
    let mut record = Vec::new();
    let mut first = client(&credentials);
    let (now, event) = meet(
        Duration::ZERO,
        &mut first,
        &mut server,
        &mut Channel::good(),
        &mut |to_server, datagram| {
            if to_server {
                record.push(datagram.clone());
            }
            datagram
        },
    );
    session(event);
    assert!(server.poll_agreed().is_some());
    for (later, server) in [
        (now, &mut server),
        (
            now + Duration::from_secs(45),
            &mut Server::new(policy.clone(), LIMITS).unwrap(),
        ),
        (now, &mut Server::new(policy, LIMITS).unwrap()),
    ] {
        for from in [ADDRESS, &[10, 0, 0, 2]] {
            for datagram in &record {
                server.receive(later, from, datagram).unwrap();
            }
        }
        assert!(server.poll_agreed().is_none());
    }
    // Long after, the same server keeps nothing of it, and a cookie is not good any more.
    for datagram in &record {
        let later = now + Duration::from_secs(100);
        let answer = server.receive(later, ADDRESS, datagram).unwrap();
        let parsed = answer.and_then(|answer| Message::parse(&answer));
        assert!(matches!(parsed, None | Some((_, _, Message::Retry(..)))));
    }
    assert!(server.poll_agreed().is_none());
}

#[test]
fn floods() {
    let mut random = random();
    let mut server = code_server("1234-5678");
    let now = Duration::ZERO;
    for _ in 0..2000 {
        let length = random.below(2000) as usize;
        let garbage = bytes(&mut random, length);
        assert_eq!(server.receive(now, ADDRESS, &garbage).unwrap(), None);
    }
    // Whole messages from everywhere: nothing is kept, and no answer is longer than its question.
    let mut hello = None;
    for _ in 0..500 {
        let mut client = client(&code("1234-5678"));
        let from = bytes(&mut random, 4);
        while let Some(datagram) = client.poll_transmit(now) {
            let answer = server.receive(now, &from, &datagram).unwrap().unwrap();
            assert!(answer.len() < usize::from(SHORTEST) && answer.len() < datagram.len());
            let (number, _, message) = Message::parse(&datagram).unwrap();
            let Message::Hello(parsed) = message else {
                panic!("{message:?}");
            };
            for length in [0, SHORTEST - 1] {
                let short = Message::Hello(parsed.clone()).datagram(number, 0, length);
                assert!(server.receive(now, &from, &short).unwrap().is_none());
            }
            hello = Some((number, parsed));
        }
        assert_eq!(server.attempts(), 0);
    }
    // From addresses that do answer: no more than is bounded, and each address its share.
    let (_, hello) = hello.unwrap();
    let mut most = [0; 2];
    for (kind, most) in most.iter_mut().enumerate() {
        let mut server = code_server("1234-5678");
        let mut proof = client(&code("1234-5678"));
        let mut number = 0_u64;
        // One good proof serves for all.
        let proof = loop {
            let datagram = proof.poll_transmit(now).unwrap();
            let (_, _, Message::Hello(hello)) = Message::parse(&datagram).unwrap() else {
                panic!();
            };
            if !hello.proof.is_empty() {
                break hello.proof;
            }
            if let Some(answer) = server.receive(now, ADDRESS, &datagram).unwrap() {
                proof.receive(now, &answer);
            }
        };
        for _ in 0..200 {
            number += 1;
            let from = if kind == 0 {
                vec![1]
            } else {
                number.to_be_bytes().to_vec()
            };
            let asked = Message::Hello(hello.clone()).datagram(number, 0, 1000);
            let retry = server.receive(now, &from, &asked).unwrap().unwrap();
            let (_, _, Message::Retry(cookie, 1000)) = Message::parse(&retry).unwrap() else {
                panic!();
            };
            let hello = Hello {
                cookie,
                proof: proof.clone(),
                ..hello.clone()
            };
            let asked = Message::Hello(hello).datagram(number, 0, 1000);
            // A cookie is good for its address and its attempt alone.
            let elsewhere = server.receive(now, &[9, 9], &asked).unwrap().unwrap();
            assert!(matches!(
                Message::parse(&elsewhere),
                Some((_, _, Message::Retry(..)))
            ));
            server.receive(now, &from, &asked).unwrap();
            *most = server.attempts();
        }
    }
    assert_eq!(most, [8, 64]);
}

#[test]
fn lengths_that_nothing_fits() {
    for lengths in [&[][..], &[SHORTEST - 1], &[100]] {
        let made = Client::new(
            Duration::ZERO,
            Credentials::Trusted,
            offer(),
            lengths,
            PATIENCE,
        );
        assert!(matches!(made.err(), Some(Failure::Lengths)));
    }
}

#[test]
fn terms_that_nobody_can_keep() {
    let paper = Params::PAPER;
    let fec = |fec| Params { fec, ..paper };
    for (params, text) in [
        (Params { lanes: 0, ..paper }, "0 lanes"),
        (fec(Fec::Mend(17)), "17 bytes to mend"),
        (fec(Fec::Restore(0, 1)), "0 sub-packets in a block"),
        (fec(Fec::Restore(8, 999)), "999 sub-packets of parity"),
    ] {
        let terms = Terms { params, ..offer() };
        let made = Client::new(
            Duration::ZERO,
            Credentials::Trusted,
            terms,
            &LENGTHS,
            PATIENCE,
        );
        let told = made.err().unwrap().to_string();
        assert!(told.starts_with(text), "{told}");
        // A server does not even look at them.
        let mut server = code_server("12345678");
        let hello = Hello {
            cookie: [0; 16],
            oldest: 2,
            newest: 2,
            proof_kind: 1,
            nonce: [0; 16],
            offer: terms,
            proof: Vec::new(),
        };
        let datagram = Message::Hello(hello).datagram(1, 0, 1000);
        assert_eq!(
            server.receive(Duration::ZERO, ADDRESS, &datagram).unwrap(),
            None
        );
    }
}

/// Lanes of version 2 join otherwise, and version 1 has other parity within sub-packets: what such
/// an end sends is not taken, and it is told why.
#[test]
fn ends_of_another_version() {
    let refusal = Refusal::Version(3, 3);
    for (oldest, newest, taken) in [(1, 2, false), (4, 9, false), (1, 3, true), (3, 4, true)] {
        let policy = Policy {
            trusted: true,
            ..Policy::default()
        };
        let mut server = Server::new(policy, LIMITS).unwrap();
        let mut hello = Hello {
            cookie: [0; 16],
            oldest,
            newest,
            proof_kind: 3,
            nonce: [0; 16],
            offer: offer(),
            proof: Vec::new(),
        };
        let mut ask = |hello: &Hello| {
            let datagram = Message::Hello(hello.clone()).datagram(1, 0, 1000);
            let answer = server.receive(Duration::ZERO, ADDRESS, &datagram);
            Message::parse(&answer.unwrap().unwrap()).unwrap().2
        };
        let Message::Retry(cookie, _) = ask(&hello) else {
            panic!("a cookie comes first");
        };
        hello.cookie = cookie;
        match ask(&hello) {
            Message::Reply(reply) => assert!(taken && reply.version == 3),
            Message::Refuse(told) => assert!(!taken && told == refusal),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(
        refusal.to_string(),
        "the receiver speaks versions 3 to 3, this end 3 to 3"
    );
}

#[test]
fn frames_beyond_the_server() {
    let policy = Policy {
        trusted: true,
        ..Policy::default()
    };
    let limits = Limits {
        frame: 9000,
        ..LIMITS
    };
    let mut server = Server::new(policy, limits).unwrap();
    let event = connect(&Credentials::Trusted, &mut server, &mut Channel::good());
    assert_eq!(failure(event), Failure::Refused(Refusal::Frame(9000)));
}

#[test]
fn parity_beyond_the_server() {
    let policy = || Policy {
        trusted: true,
        ..Policy::default()
    };
    let limits = Limits {
        parity: 25,
        ..LIMITS
    };
    for (data, parity, taken) in [
        (8, 2, true),
        (7, 2, false),
        (1024, 256, true),
        (1, 4, false),
    ] {
        let params = Params {
            fec: Fec::Restore(data, parity),
            ..offer().params
        };
        let terms = Terms { params, ..offer() };
        let credentials = Credentials::Trusted;
        let client = Client::new(Duration::ZERO, credentials, terms, &LENGTHS, PATIENCE);
        let (mut client, mut server) = (client.unwrap(), Server::new(policy(), limits).unwrap());
        let channel = &mut Channel::good();
        let mut forge = |_, datagram| datagram;
        let (_, event) = meet(
            Duration::ZERO,
            &mut client,
            &mut server,
            channel,
            &mut forge,
        );
        match event {
            ClientEvent::Agreed(agreed, _) => {
                assert!(taken);
                assert_eq!(agreed.terms.params.fec, params.fec);
            }
            ClientEvent::Failed(failure) => {
                assert!(!taken);
                assert_eq!(failure, Failure::Refused(Refusal::Parity(25)));
                assert!(
                    failure
                        .to_string()
                        .ends_with("at most 25 for 100 sub-packets")
                );
            }
            ClientEvent::Confirmed => panic!("nothing was taken"),
        }
    }
}

/// Lets a lane join over a channel; says what came of it and when the server took it.
fn join(
    agreed: &Agreed,
    lane: u8,
    joins: &mut Joins,
    from: &[u8],
    channel: &mut Channel,
) -> (Result<u16, Failure>, Vec<u8>) {
    join_beside(agreed, lane, joins, from, channel, &mut |_, _| ())
}

/// The same; `thief` sees all that comes to the server, before the server does.
fn join_beside(
    agreed: &Agreed,
    lane: u8,
    joins: &mut Joins,
    from: &[u8],
    channel: &mut Channel,
    thief: &mut dyn FnMut(&mut Joins, &[u8]),
) -> (Result<u16, Failure>, Vec<u8>) {
    let mut now = Duration::ZERO;
    let mut flight = Flight::default();
    let mut end = LaneJoin::new(now, agreed, lane, &LENGTHS, PATIENCE).unwrap();
    let mut joined = Vec::new();
    loop {
        while let Some(datagram) = end.poll_transmit(now) {
            flight.send(channel, now, true, datagram);
        }
        if let Some(outcome) = end.outcome() {
            return (outcome, joined);
        }
        let Some((to_server, datagram)) = flight.next(&mut now, [end.next_timeout()]) else {
            continue;
        };
        if !to_server {
            end.receive(now, &datagram);
        } else {
            thief(joins, &datagram);
            if let Some((answer, new)) = joins.receive(from, &datagram) {
                assert!(answer.len() <= datagram.len());
                joined.extend(new);
                flight.send(channel, now, false, answer);
            }
        }
    }
}

/// Somebody who sees what a client sends, and is faster: a copy from another address takes no lane.
#[test]
fn who_copies_a_join_gets_no_lane() {
    let (credentials, policy, ..) = ways().remove(0);
    let mut server = Server::new(policy, LIMITS).unwrap();
    let (ours, _) = session(connect(&credentials, &mut server, &mut Channel::good()));
    let theirs = server.poll_agreed().unwrap();
    let mut joins = Joins::new(&theirs);
    let mut thief = |joins: &mut Joins, datagram: &[u8]| {
        let said = joins.receive(&[9], datagram);
        assert!(said.is_none_or(|(_, joined)| joined.is_none()), "it has it");
    };
    let mut channel = Channel::good();
    let (outcome, joined) = join_beside(&ours, 0, &mut joins, &[1], &mut channel, &mut thief);
    assert_eq!((outcome.is_ok(), joined), (true, vec![0]));
}

#[test]
fn lanes_join() {
    let mut random = random();
    let (credentials, policy, ..) = ways().remove(0);
    let mut server = Server::new(policy, LIMITS).unwrap();
    let (mut ours, _) = session(connect(&credentials, &mut server, &mut Channel::good()));
    let theirs = server.poll_agreed().unwrap();
    let mut joins = Joins::new(&theirs);
    let mut channel = Channel {
        longest: [9000, 4000],
        ..Channel::good()
    };
    let (outcome, joined) = join(&ours, 0, &mut joins, &[1], &mut channel);
    assert_eq!((outcome, joined), (Ok(1472), vec![0]));
    // Once more from there, but not from elsewhere.
    let (outcome, joined) = join(&ours, 0, &mut joins, &[1], &mut channel);
    assert_eq!((outcome, joined), (Ok(1472), vec![]));
    let nobody = Err(Failure::NoAnswer(PATIENCE));
    assert_eq!(
        join(&ours, 0, &mut joins, &[2], &mut channel),
        (nobody, vec![])
    );
    // A lane that was not agreed on, and one of another session.
    assert_eq!(
        join(&ours, 3, &mut joins, &[3], &mut channel),
        (nobody, vec![])
    );
    let other = Agreed {
        session: ours.session,
        terms: ours.terms,
        key: ropewalk_wire::chunk::seal::SessionKey::new(b"guessed", b""),
        peer: ours.peer,
    };
    assert_eq!(
        join(&other, 1, &mut joins, &[3], &mut channel),
        (nobody, vec![])
    );
    ours.session ^= 1;
    assert_eq!(
        join(&ours, 1, &mut joins, &[3], &mut channel),
        (nobody, vec![])
    );
    ours.session ^= 1;
    // Over a bad channel.
    let mut channel = Channel {
        random: Random::new(random.bits()),
        loss: 51,
        double: 40,
        delay: 100,
        longest: [9000; 2],
    };
    for lane in [1, 2] {
        let (outcome, joined) = join(&ours, lane, &mut joins, &[lane], &mut channel);
        assert!(outcome.is_ok());
        assert_eq!(joined, vec![lane]);
    }
}
