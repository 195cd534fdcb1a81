// SPDX-License-Identifier: Apache-2.0
//! Who gets in at a receiver, and who does not; over a network in memory.

use ropewalk_channel::Settings as Channel;
use ropewalk_chunk::transfer::connect::connect;
use ropewalk_chunk::transfer::listener::{Admission, Busy, Listener};
use ropewalk_chunk::transfer::start::{Agreed, Link, StartError};
use ropewalk_chunk::transfer::{Arrangement, Via};
use ropewalk_io::lane::network::Network;
use ropewalk_io::lane::sim_network::SimNetwork;
use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind};
use ropewalk_wire::chunk::handshake::message::Message;
use ropewalk_wire::chunk::handshake::server::MAX_WRONG;
use ropewalk_wire::chunk::handshake::{
    Client, ClientEvent, Code, Credentials, Failure, Joins, KeyPair, Limits, Peer, Policy, Refusal,
    SHORTEST, Server,
};
use ropewalk_wire::chunk::session::{LaneReader, LaneWriter};
use ropewalk_wire::chunk::{Fec, Params};
use std::io::IoSlice;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(100);

fn receiver() -> SocketAddr {
    "10.0.0.2:7425".parse().unwrap()
}

fn network() -> SimNetwork {
    SimNetwork::new(|_, _| [Channel::default(), Channel::default()], false)
}

fn from(host: u8) -> Option<SocketAddr> {
    Some(SocketAddr::from(([10, 0, 1, host], 0)))
}

/// A listener that shows its codes to a channel.
fn listener(network: &SimNetwork) -> (Listener, mpsc::Receiver<Code>) {
    let (show, codes) = mpsc::channel();
    let tell = Box::new(move |code: &Code, _| {
        let _ = show.send(code.clone());
    });
    let listener = Listener::open(network, receiver(), Admission::Code(tell)).unwrap();
    (listener, codes)
}

type Begun = Result<(Link, Credentials), StartError>;

fn begin(network: &SimNetwork, lanes: usize, credentials: &Credentials) -> Begun {
    let lanes = vec![(None, receiver()); lanes];
    let arrangement = Arrangement::LowLatency;
    connect(
        network,
        (&lanes, Via::Udp),
        (arrangement, Fec::None),
        credentials,
        LONG,
        &|| false,
    )
}

/// One who begins at a listener that nothing else keeps busy: what both have.
fn meet(
    network: &SimNetwork,
    listener: &mut Listener,
    lanes: usize,
    credentials: &Credentials,
) -> (Begun, Option<Link>) {
    thread::scope(|scope| {
        let begun = scope.spawn(|| begin(network, lanes, credentials));
        let mut link = None;
        while !begun.is_finished() {
            let polled = listener.poll(None, Duration::from_millis(1)).unwrap();
            link = link.or(polled);
        }
        let begun = begun.join().unwrap();
        let over = Instant::now() + LONG;
        while begun.is_ok() && link.is_none() {
            assert!(Instant::now() < over, "the session does not begin");
            link = listener.poll(None, Duration::from_millis(1)).unwrap();
        }
        (begun, link)
    })
}

fn refusal(begun: Begun) -> Refusal {
    match begun {
        Err(StartError::Refused(Failure::Refused(refusal))) => refusal,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it got in"),
    }
}

/// What either end writes on a lane, the other one reads.
fn same(ours: Agreed, theirs: Agreed) {
    let (ours, theirs) = (ours.into_pipelines(), theirs.into_pipelines());
    assert_eq!(ours.data.len(), theirs.data.len());
    let data = ours.data.into_iter().zip(theirs.data);
    let mut lanes = 0;
    for ((sends, params), (receives, same_params)) in data.chain([(theirs.back, ours.back)]) {
        assert_eq!(params, same_params);
        let sender = sends.sender(&params).unwrap().into_iter();
        for (sender, receiver) in sender.zip(receives.receiver(&params).unwrap()) {
            assert!(reads(sender.0, receiver.1) && reads(receiver.0, sender.1));
            lanes += 1;
        }
    }
    assert!(lanes > 1);
}

/// Whether what the one writes is what the other one reads.
fn reads(mut writer: LaneWriter, mut reader: LaneReader) -> bool {
    let header = FrameHeader {
        kind: Kind::Ask,
        lane: 0,
        count: 0,
        seq: FrameSeq::default(),
        session: writer.session(),
        length: 0,
        time: 0,
    };
    let mut bytes = Vec::new();
    assert!(writer.control(&header, b"body", &mut bytes));
    let (header, _) = FrameHeader::parse(&bytes).unwrap();
    reader.control(&header, &bytes) == Some(b"body")
}

#[test]
fn by_a_code_and_again_after_an_interruption() {
    let network = network();
    let (mut listener, codes) = listener(&network);
    listener.poll(None, Duration::ZERO).unwrap();
    let code = Credentials::Code(codes.try_recv().unwrap());
    let (ours, theirs) = meet(&network, &mut listener, 2, &code);
    let ((ours, again), theirs) = (ours.unwrap(), theirs.unwrap());
    assert!(ours.agreed.handshake().is_sealed() && theirs.agreed.handshake().is_sealed());
    assert_eq!((ours.lanes.len(), ours.back.len()), (2, 2));
    assert_eq!((theirs.lanes.len(), theirs.back.len()), (2, 2));
    same(ours.agreed, theirs.agreed);
    drop((ours.lanes, ours.back, theirs.lanes, theirs.back));
    // The code is used, and there is another one for whoever comes next; the sender of before needs
    // none.
    let (begun, _) = meet(&network, &mut listener, 1, &code);
    assert_eq!(refusal(begun), Refusal::Code);
    let fresh = codes.try_recv().unwrap();
    let (ours, theirs) = meet(&network, &mut listener, 2, &again);
    same(ours.unwrap().0.agreed, theirs.unwrap().agreed);
    // When the transfer is over it does.
    listener.forget();
    let (begun, _) = meet(&network, &mut listener, 2, &again);
    assert_eq!(refusal(begun), Refusal::Proof);
    let (ours, _) = meet(&network, &mut listener, 1, &Credentials::Code(fresh));
    assert!(ours.is_ok());
}

#[test]
fn a_new_code_after_wrong_ones() {
    let network = network();
    let (mut listener, codes) = listener(&network);
    listener.poll(None, Duration::ZERO).unwrap();
    let first = codes.try_recv().unwrap();
    let wrong: Code = if first.to_string() == "0000-0000" {
        "1".repeat(8)
    } else {
        "0".repeat(8)
    }
    .parse()
    .unwrap();
    for _ in 0..MAX_WRONG {
        let (begun, link) = meet(
            &network,
            &mut listener,
            1,
            &Credentials::Code(wrong.clone()),
        );
        assert_eq!(refusal(begun), Refusal::Code);
        assert!(link.is_none());
    }
    let (begun, _) = meet(&network, &mut listener, 1, &Credentials::Code(first));
    assert_eq!(refusal(begun), Refusal::Spent);
    let over = Instant::now() + LONG;
    let second = loop {
        listener.poll(None, Duration::from_millis(1)).unwrap();
        match codes.try_recv() {
            Ok(code) => break code,
            Err(_) => assert!(Instant::now() < over, "no new code"),
        }
    };
    let (begun, link) = meet(&network, &mut listener, 1, &Credentials::Code(second));
    same(begun.unwrap().0.agreed, link.unwrap().agreed);
}

#[test]
fn by_keys() {
    let network = network();
    let [ours, theirs, stranger] = [(); 3].map(|()| KeyPair::random().unwrap());
    let admission = Admission::Keys(theirs.clone(), vec![ours.public]);
    let mut listener = Listener::open(&network, receiver(), admission).unwrap();
    for (own, other) in [(&stranger, &theirs), (&ours, &stranger)] {
        let credentials = Credentials::Keys(own.clone(), other.public);
        let (begun, link) = meet(&network, &mut listener, 1, &credentials);
        assert_eq!(refusal(begun), Refusal::Key);
        assert!(link.is_none());
    }
    let credentials = Credentials::Keys(ours.clone(), theirs.public);
    for _ in 0..2 {
        let (begun, link) = meet(&network, &mut listener, 2, &credentials);
        let link = link.unwrap();
        assert_eq!(link.agreed.handshake().peer, Peer::Key(ours.public));
        same(begun.unwrap().0.agreed, link.agreed);
        listener.forget();
    }
}

/// One end trusts the network and the other one does not, or they know each other by different
/// means.
#[test]
fn the_other_end_wants_another_proof() {
    let network = network();
    let pair = KeyPair::random().unwrap();
    let code = Code::random().unwrap();
    let by_keys = || Credentials::Keys(pair.clone(), pair.public);
    let keys = || Admission::Keys(pair.clone(), vec![pair.public]);
    let show = || Admission::Code(Box::new(|_: &Code, _| ()));
    for (admission, credentials) in [
        (show(), Credentials::Trusted),
        (show(), by_keys()),
        (keys(), Credentials::Trusted),
        (keys(), Credentials::Code(code.clone())),
        (Admission::Trusted, Credentials::Code(code.clone())),
        (Admission::Trusted, by_keys()),
    ] {
        let mut listener = Listener::open(&network, receiver(), admission).unwrap();
        let (begun, link) = meet(&network, &mut listener, 1, &credentials);
        assert_eq!(refusal(begun), Refusal::Proof);
        assert!(link.is_none());
    }
}

/// A session of whom no lane joins, by a host of its own.
fn half(network: &SimNetwork, listener: &mut Listener, credentials: &Credentials, host: u8) {
    let mut lane = network.connect(from(host), receiver()).unwrap();
    let begun = Instant::now();
    let terms = ropewalk_wire::chunk::handshake::Terms {
        params: Params {
            lanes: 2,
            ..Params::PAPER
        },
        arrangement: Arrangement::Stable,
    };
    let now = || begun.elapsed();
    let mut client = Client::new(now(), credentials.clone(), terms, &[1232], LONG).unwrap();
    loop {
        while let Some(datagram) = client.poll_transmit(now()) {
            lane.send(&[IoSlice::new(&datagram)], datagram.len())
                .unwrap();
        }
        assert!(listener.poll(None, Duration::ZERO).unwrap().is_none());
        lane.receive(&mut |datagram| client.receive(now(), datagram))
            .unwrap();
        match client.poll_event() {
            Some(ClientEvent::Agreed(..)) => break,
            Some(other) => panic!("{other:?}"),
            None => {}
        }
    }
}

#[test]
fn sessions_whose_lanes_do_not_come() {
    let network = network();
    let mut listener = Listener::open(&network, receiver(), Admission::Trusted).unwrap();
    for host in 0..30 {
        half(&network, &mut listener, &Credentials::Trusted, host);
    }
    let (begun, link) = meet(&network, &mut listener, 2, &Credentials::Trusted);
    same(begun.unwrap().0.agreed, link.unwrap().agreed);
}

/// Thousands of questions, of the right form and of none, and of one who guesses as fast as he can:
/// somebody with a key gets in all the same.
#[test]
fn floods() {
    let network = network();
    let [ours, theirs] = [(); 2].map(|()| KeyPair::random().unwrap());
    let admission = Admission::Keys(theirs.clone(), vec![ours.public]);
    let mut listener = Listener::open(&network, receiver(), admission).unwrap();
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let flood = scope.spawn(|| {
            let stranger = KeyPair::random().unwrap();
            let guess = Credentials::Keys(stranger, theirs.public);
            let mut lane = network.connect(from(1), receiver()).unwrap();
            let mut sent = 0u64;
            while !ended.load(Ordering::Relaxed) || sent < 5000 {
                let mut say = |bytes: &[u8]| {
                    lane.send(&[IoSlice::new(bytes)], bytes.len()).unwrap();
                };
                // The first question of an attempt, many attempts; nobody hears the answers.
                let terms = ropewalk_wire::chunk::handshake::Terms {
                    params: ropewalk_wire::chunk::Params::PAPER,
                    arrangement: Arrangement::Stable,
                };
                let now = Duration::ZERO;
                let mut client =
                    Client::new(now, guess.clone(), terms, &[SHORTEST, 1232], LONG).unwrap();
                while let Some(datagram) = client.poll_transmit(now) {
                    say(&datagram);
                    say(&datagram[..datagram.len() / 2]);
                }
                say(&Message::Join([0; 16], [sent as u8; 16]).datagram(sent, 0, SHORTEST));
                say(&Message::Confirm([0; 32]).datagram(sent, 0, 0));
                sent += 6;
                if sent.is_multiple_of(60) {
                    thread::yield_now();
                }
            }
        });
        let guesses = scope.spawn(|| {
            let stranger = KeyPair::random().unwrap();
            let credentials = Credentials::Keys(stranger, theirs.public);
            let lanes = [(from(2), receiver())];
            while !ended.load(Ordering::Relaxed) {
                let arrangement = Arrangement::Stable;
                let stop = || ended.load(Ordering::Relaxed);
                let begun = connect(
                    &network,
                    (&lanes, Via::Udp),
                    (arrangement, Fec::None),
                    &credentials,
                    LONG,
                    &stop,
                );
                assert!(begun.is_err());
            }
        });
        let credentials = Credentials::Keys(ours.clone(), theirs.public);
        let (begun, link) = meet(&network, &mut listener, 2, &credentials);
        ended.store(true, Ordering::Relaxed);
        same(begun.unwrap().0.agreed, link.unwrap().agreed);
        flood.join().unwrap();
        guesses.join().unwrap();
    });
}

/// A transfer is under way: others hear that, but one who is admitted takes the place of a sender
/// that is silent.
#[test]
fn only_who_is_admitted_takes_the_place_of_another() {
    let network = network();
    let [ours, theirs, stranger] = [(); 3].map(|()| KeyPair::random().unwrap());
    let admission = Admission::Keys(theirs.clone(), vec![ours.public]);
    let mut listener = Listener::open(&network, receiver(), admission).unwrap();
    let visit = |listener: &mut Listener, own: &KeyPair, quiet, patience| {
        let credentials = Credentials::Keys(own.clone(), theirs.public);
        thread::scope(|scope| {
            let visit = scope.spawn(|| {
                let lanes = [(None, receiver())];
                let arrangement = Arrangement::Stable;
                connect(
                    &network,
                    (&lanes, Via::Udp),
                    (arrangement, Fec::None),
                    &credentials,
                    patience,
                    &|| false,
                )
            });
            while !visit.is_finished() {
                let busy = Some(Busy { quiet });
                assert!(
                    listener
                        .poll(busy, Duration::from_millis(1))
                        .unwrap()
                        .is_none()
                );
            }
            visit.join().unwrap()
        })
    };
    let short = Duration::from_millis(400);
    let said = visit(&mut listener, &ours, false, short);
    assert!(matches!(said, Err(StartError::Busy(_))), "{:?}", said.err());
    assert!(!listener.has_visitor());
    assert_eq!(
        refusal(visit(&mut listener, &stranger, true, LONG)),
        Refusal::Key
    );
    assert!(!listener.has_visitor());
    let (visitor, _) = visit(&mut listener, &ours, true, LONG).unwrap();
    assert!(listener.has_visitor());
    // The one before has gone.
    let link = listener.poll(None, Duration::ZERO).unwrap();
    same(visitor.agreed, link.unwrap().agreed);
}

/// Lanes that are dead are left out, the first one too; the receiver begins with those that live.
#[test]
fn dead_lanes_are_left_out() {
    for dead in 0..3 {
        let network = SimNetwork::new(
            move |number, _| {
                let loss = if number / 2 == dead { 1.0 } else { 0.0 };
                [0, 1].map(|_| Channel {
                    loss,
                    ..Channel::default()
                })
            },
            false,
        );
        let mut listener = Listener::open(&network, receiver(), Admission::Trusted).unwrap();
        let (begun, link) = meet(&network, &mut listener, 3, &Credentials::Trusted);
        let (ours, theirs) = (begun.unwrap().0, link.unwrap());
        same(ours.agreed, theirs.agreed);
        assert_eq!((ours.lanes.len(), theirs.back.len()), (2, 2));
        let notes = ours.notes.concat();
        assert!(notes.contains("is left out: no answer"), "{notes}");
    }
}

/// A receiver begins when all lanes have joined, and this end hears of the last one after that.
#[test]
fn who_speaks_early_is_heard() {
    let network = network();
    let mut listener = network.listen(receiver()).unwrap();
    let (policy, limits) = (
        Policy {
            trusted: true,
            ..Policy::default()
        },
        Limits {
            frame: u16::MAX,
            chunks: 4,
            lanes: 2,
            parity: 0,
        },
    );
    let mut server = Server::new(policy, limits).unwrap();
    let (since, mut joins, mut said) = (Instant::now(), None, Vec::new());
    thread::scope(|scope| {
        let begun = scope.spawn(|| begin(&network, 1, &Credentials::Trusted));
        while !begun.is_finished() {
            let mut arrived = Vec::new();
            let mut take = |path, datagram: &[u8]| arrived.push((path, datagram.to_vec()));
            listener.receive(&mut take).unwrap();
            for (path, datagram) in arrived {
                let (mut answer, mut joined) = (None, None);
                match Message::parse(&datagram) {
                    // The channel for data has to wait until something was said.
                    Some((_, 0, Message::Join(..))) if said.is_empty() => {}
                    Some((_, lane, Message::Join(..))) => {
                        let (joins, _): &mut (Joins, _) = joins.as_mut().unwrap();
                        answer = joins.receive(&[lane], &datagram).map(|(answer, new)| {
                            joined = new;
                            answer
                        });
                    }
                    _ => {
                        let answered = server.receive(since.elapsed(), &[1], &datagram);
                        answer = answered.unwrap();
                    }
                }
                if let Some(agreed) = server.poll_agreed() {
                    let place = Joins::new(&agreed);
                    joins = Some((place, agreed.into_sessions(1)[0].number()));
                }
                if let Some(answer) = answer {
                    listener.send(path, &answer).unwrap();
                }
                if let (Some(1), Some((_, session))) = (joined, &joins) {
                    let header = FrameHeader {
                        kind: Kind::Report,
                        lane: 0,
                        count: 0,
                        seq: FrameSeq::default(),
                        session: *session,
                        length: FRAME_HEADER as u16,
                        time: 0,
                    };
                    said = header.encode().to_vec();
                    listener.send(path, &said).unwrap();
                }
            }
            listener.wait(Duration::from_millis(1)).unwrap();
        }
        let (link, _) = begun.join().unwrap().unwrap();
        assert_eq!(link.early, [(0, said)]);
    });
}

#[test]
fn frames_as_long_as_the_path() {
    for (mtu, fits) in [(10_000, 9976), (9000, 9000), (1300, 1300), (512, 512)] {
        let network = SimNetwork::new(
            move |_, _| {
                [0, 1].map(|_| Channel {
                    mtu,
                    ..Channel::default()
                })
            },
            false,
        );
        let mut listener = Listener::open(&network, receiver(), Admission::Trusted).unwrap();
        let (begun, link) = meet(&network, &mut listener, 2, &Credentials::Trusted);
        let (ours, theirs) = (begun.unwrap().0, link.unwrap());
        let longest = ours.agreed.handshake().terms.params.frame_bytes();
        same(ours.agreed, theirs.agreed);
        assert!(
            longest <= fits && longest > fits - fits / 5,
            "{longest} of {mtu}"
        );
    }
    let narrow = |_: usize, _| {
        [0, 1].map(|_| Channel {
            mtu: 511,
            ..Channel::default()
        })
    };
    let network = SimNetwork::new(narrow, false);
    let said = begin(&network, 1, &Credentials::Trusted).map(|_| ());
    let text = said.unwrap_err().to_string();
    assert!(
        text.contains("at most 511 bytes go to 10.0.0.2:7425: accepted are paths for 512 or more"),
        "{text}"
    );
}

#[test]
fn nobody_there() {
    let network = network();
    let lanes = [(None, receiver())];
    let credentials = Credentials::Trusted;
    let patience = Duration::from_millis(100);
    let arrangement = Arrangement::Stable;
    let said = connect(
        &network,
        (&lanes, Via::Udp),
        (arrangement, Fec::None),
        &credentials,
        patience,
        &|| false,
    );
    assert!(matches!(said, Err(StartError::Silent { .. })));
    let said = connect(
        &network,
        (&lanes, Via::Udp),
        (arrangement, Fec::None),
        &credentials,
        LONG,
        &|| true,
    );
    assert!(matches!(said, Err(StartError::Stopped)));
}
