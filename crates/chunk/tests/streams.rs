// SPDX-License-Identifier: Apache-2.0
//! Transfers over TCP lanes with UDP lanes beside them, on the loopback interface, through a middle
//! that cuts connections, holds them up or writes into them.

mod common;

use common::{key, receive_whole};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_channel::Settings as Channel;
use ropewalk_chunk::transfer::listener::{Admission, Listener};
use ropewalk_chunk::transfer::recv::{Received, receive};
use ropewalk_chunk::transfer::send::{Progress, SendError, Settings, send};
use ropewalk_chunk::transfer::tree::Tree;
use ropewalk_chunk::transfer::{Arrangement, Via};
use ropewalk_io::lane::network::{self, Network, UdpAndCubic, UdpAndTcp};
use ropewalk_io::lane::{Kind, Lane, LaneError};
use ropewalk_io::relay::Relay;
use ropewalk_testkit::needs;
use ropewalk_wire::chunk::Fec;
use ropewalk_wire::chunk::handshake::Credentials;
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(100);
/// Time between two looks of the middle.
const TURN: Duration = Duration::from_millis(1);

/// One transfer at a time: what each brings counts.
static ALONE: Mutex<()> = Mutex::new(());

fn here() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

fn noise(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    Xoshiro256PlusPlus::seed_from_u64(length as u64).fill_bytes(&mut bytes);
    bytes
}

/// What happens to all connections when a number of bytes of the sender have passed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Harm {
    Nothing,
    /// They are closed, and so are later ones.
    Cut(usize),
    /// Nothing passes any more, and they stay open.
    Stall(usize),
    /// Bytes of zeros, or others, come in between: to the receiver, or to the sender.
    Foul(usize, u8, bool),
    /// Of the first connections, this number, each is closed when something comes back over it.
    Answered(usize),
    /// Nobody listens.
    Refused,
}

/// Hands TCP connections on to the receiver.
struct Middle {
    listener: TcpListener,
    receiver: SocketAddr,
    harm: Harm,
    /// Bits per second of each connection.
    rate: Option<u64>,
    passed: AtomicUsize,
    /// Connections, and those into which garbage was written.
    connections: AtomicUsize,
    fouled: AtomicUsize,
    ended: AtomicBool,
}

impl Middle {
    fn new(receiver: SocketAddr, harm: Harm, rate: Option<u64>) -> Self {
        let listener = TcpListener::bind(here()).unwrap();
        listener.set_nonblocking(true).unwrap();
        Middle {
            listener,
            receiver,
            harm,
            rate,
            passed: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            fouled: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
        }
    }

    fn run(&self) {
        thread::scope(|scope| {
            while !self.ended.load(Ordering::Relaxed) {
                match self.listener.accept() {
                    Ok((near, _)) => {
                        let number = self.connections.fetch_add(1, Ordering::Relaxed);
                        let far = TcpStream::connect(self.receiver).unwrap();
                        for way in [[&near, &far], [&far, &near]] {
                            let [from, to] = way.map(|it| it.try_clone().unwrap());
                            let out = std::ptr::eq(way[0], &near);
                            scope.spawn(move || self.pass(number, from, to, out));
                        }
                    }
                    Err(_) => thread::sleep(TURN),
                }
            }
        });
    }

    /// Garbage was written into every connection.
    fn all_fouled(&self) -> bool {
        self.fouled.load(Ordering::Relaxed) >= self.connections.load(Ordering::Relaxed)
    }

    /// One direction of a connection, the `number`th; `out`: that of the sender.
    fn pass(&self, number: usize, mut from: TcpStream, mut to: TcpStream, out: bool) {
        from.set_nonblocking(false).unwrap();
        from.set_read_timeout(Some(TURN)).unwrap();
        to.set_write_timeout(Some(LONG)).unwrap();
        let (mut bytes, mut fouled) = (vec![0; 1 << 16], false);
        while !self.ended.load(Ordering::Relaxed) {
            let passed = self.passed.load(Ordering::Relaxed);
            let room = match self.harm {
                Harm::Cut(at) if passed >= at => break,
                Harm::Stall(at) if passed >= at => {
                    thread::sleep(TURN);
                    continue;
                }
                Harm::Foul(at, with, to_receiver)
                    if passed >= at && !fouled && to_receiver == out =>
                {
                    fouled = true;
                    let _ = to.write_all(&[with; 1000]);
                    self.fouled.fetch_add(1, Ordering::Relaxed);
                    bytes.len()
                }
                // All would have passed before that of the other direction was written.
                Harm::Foul(at, _, false) if out && passed >= at && !self.all_fouled() => {
                    thread::sleep(TURN);
                    continue;
                }
                Harm::Cut(at) | Harm::Stall(at) if out => (at - passed).min(bytes.len()),
                _ => bytes.len(),
            };
            let room = self
                .rate
                .map_or(room, |rate| room.min(rate as usize / 8000));
            let count = match from.read(&mut bytes[..room]) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
                Err(_) => break,
            };
            if to.write_all(&bytes[..count]).is_err() {
                break;
            }
            if let Harm::Answered(first) = self.harm
                && !out
                && number < first
            {
                break;
            }
            if out {
                self.passed.fetch_add(count, Ordering::Relaxed);
                if let Some(rate) = self.rate {
                    thread::sleep(Duration::from_secs_f64(8.0 * count as f64 / rate as f64));
                }
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }
}

/// Hands datagrams on to the receiver at a rate, and its answers back at once.
fn hand_on(near: &UdpSocket, receiver: SocketAddr, rate: u64, ended: &AtomicBool) {
    let settings = Channel {
        rate: Some(rate),
        queue: 100_000,
        mtu: 65_507,
        ..Channel::default()
    };
    let mut channel = ropewalk_channel::Channel::new(&settings).unwrap();
    near.set_nonblocking(true).unwrap();
    // One socket for each of the sender's.
    let (begun, mut sockets, mut bytes) = (Instant::now(), Vec::new(), vec![0; 1 << 16]);
    while !ended.load(Ordering::Relaxed) {
        while let Ok((count, from)) = near.recv_from(&mut bytes[1..]) {
            let known = sockets.iter().position(|&(it, _)| it == from);
            bytes[0] = known.unwrap_or(sockets.len()) as u8;
            if known.is_none() {
                let far = UdpSocket::bind(here()).unwrap();
                far.connect(receiver).unwrap();
                far.set_nonblocking(true).unwrap();
                sockets.push((from, far));
            }
            channel.push(begun.elapsed(), &bytes[..=count]);
        }
        while let Some(datagram) = channel.pop(begun.elapsed()) {
            let _ = sockets[usize::from(datagram[0])].1.send(&datagram[1..]);
        }
        for (from, far) in &sockets {
            while let Ok(count) = far.recv(&mut bytes) {
                let _ = near.send_to(&bytes[..count], *from);
            }
        }
        thread::sleep(TURN / 4);
    }
}

/// UDP goes to the receiver, or nowhere; TCP to the middle, or to who is given.
struct Through {
    streams: SocketAddr,
    datagrams: Option<SocketAddr>,
    /// Streams that were opened.
    opened: AtomicUsize,
}

impl Network for Through {
    fn connect(
        &self,
        local: Option<SocketAddr>,
        peer: SocketAddr,
    ) -> Result<Box<dyn Lane>, LaneError> {
        UdpAndTcp.connect(local, self.datagrams.unwrap_or(peer))
    }

    fn connect_stream(
        &self,
        local: Option<SocketAddr>,
        _: SocketAddr,
    ) -> Result<Box<dyn Lane>, LaneError> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        UdpAndTcp.connect_stream(local, self.streams)
    }

    fn listen(&self, local: SocketAddr) -> Result<Box<dyn network::Listener>, LaneError> {
        UdpAndTcp.listen(local)
    }
}

/// How a transfer is to go.
#[derive(Clone, Copy)]
struct Plan {
    via: Via,
    harm: Harm,
    sealed: bool,
    /// Datagrams reach the receiver.
    udp: bool,
    rate: Option<u64>,
    /// Bits per second that each connection, and UDP as one, gets of the network.
    each: Option<u64>,
    timeout: Duration,
}

const PLAN: Plan = Plan {
    via: Via::Tcp,
    harm: Harm::Nothing,
    sealed: true,
    udp: true,
    rate: None,
    each: None,
    timeout: LONG,
};

/// Sends bytes: what both ends say. The file at the receiver is the same, or this fails.
fn transfer(plan: Plan, bytes: &[u8]) -> (Progress, Received) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in"), bytes).unwrap();
    let said = attempt(plan, folder.path());
    let (sent, received) = (said.0.unwrap(), said.1.unwrap());
    assert_eq!(received.failure, None);
    assert!(fs::read(folder.path().join("out/in")).unwrap() == bytes);
    (sent, received)
}

fn attempt(plan: Plan, folder: &Path) -> (Result<Progress, SendError>, Option<Received>) {
    let (admission, credentials) = match plan.sealed {
        true => (
            Admission::Keys(key(2), vec![key(1).public]),
            Credentials::Keys(key(1), key(2).public),
        ),
        false => (Admission::Trusted, Credentials::Trusted),
    };
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut listener = Listener::open(&UdpAndTcp, here(), admission).unwrap();
    assert_eq!(listener.notes(), [""; 0]);
    let middle = Middle::new(listener.local(), plan.harm, plan.each);
    let near = UdpSocket::bind(here()).unwrap();
    let nobody = UdpSocket::bind(here()).unwrap().local_addr().unwrap();
    let closed = TcpListener::bind(here()).unwrap().local_addr().unwrap();
    let network = Through {
        streams: match plan.harm {
            Harm::Refused => closed,
            _ => middle.listener.local_addr().unwrap(),
        },
        datagrams: match plan.each {
            Some(_) => Some(near.local_addr().unwrap()),
            None => (!plan.udp).then_some(nobody),
        },
        opened: AtomicUsize::new(0),
    };
    let settings = Settings {
        lanes: vec![(None, listener.local())],
        via: plan.via,
        arrangement: Arrangement::LowLatency,
        fec: Fec::None,
        rate: plan.rate,
        timeout: plan.timeout,
        credentials,
        delta: true,
    };
    let ended = AtomicBool::new(false);
    let out = folder.join("out");
    thread::scope(|scope| {
        scope.spawn(|| middle.run());
        if let Some(rate) = plan.each {
            let (near, middle) = (&near, &middle);
            scope.spawn(move || hand_on(near, middle.receiver, rate, &middle.ended));
        }
        let receiving = scope.spawn(|| receive_whole(&mut listener, &out, &ended));
        let from = folder.join("in");
        let sent = send(&network, &settings, &from.into(), &mut |_| (), &|| false);
        ended.store(sent.is_err(), Ordering::Relaxed);
        let received = receiving.join().unwrap();
        middle.ended.store(true, Ordering::Relaxed);
        (sent, received)
    })
}

/// Whether a note of either end has this.
fn says(progress: &Progress, text: &str) -> bool {
    progress.notes.iter().any(|note| note.contains(text))
}

/// Frames that have gone over lanes of a kind.
fn frames(progress: &Progress, kind: Kind) -> u64 {
    let lanes = progress.lanes.iter().filter(|lane| lane.kind == kind);
    lanes.map(|lane| lane.known).sum()
}

/// What the sender says of the first transfer in which all data has gone over TCP: on a machine
/// that stands still for long enough a stream is given up.
fn undisturbed(plan: Plan, bytes: &[u8]) -> Progress {
    let begun = Instant::now();
    loop {
        let (sent, _) = transfer(plan, bytes);
        let counts = (frames(&sent, Kind::Datagrams) < 100, sent.counters.lost);
        if counts == (true, 0) {
            return sent;
        }
        assert!(begun.elapsed() < LONG, "{:?} {:?}", sent.lanes, sent.notes);
    }
}

/// All data goes over TCP, in frames as long as they can be, and UDP stands by.
#[test]
fn over_tcp() {
    let bytes = noise(20_000_000);
    for sealed in [true, false] {
        let sent = undisturbed(Plan { sealed, ..PLAN }, &bytes);
        let kinds: Vec<_> = sent.lanes.iter().map(|it| (it.kind, it.rests)).collect();
        assert_eq!(kinds, [(Kind::Stream, false), (Kind::Datagrams, true)]);
        // Of 52 sub-packets of 1216 bytes each.
        let least = bytes.len() as u64 / (52 * 1216);
        let all = sent.counters.frames;
        assert!((least..least + 200).contains(&all), "{all}");
        assert_eq!(sent.broken, 0);
    }
}

/// A rate holds for TCP as well.
#[test]
fn at_a_rate() {
    let plan = Plan {
        rate: Some(80_000_000),
        ..PLAN
    };
    let phases = undisturbed(plan, &noise(10_000_000)).phases;
    assert!(phases.transfer > Duration::from_millis(900), "{phases:?}");
}

/// A sender that was there first takes TCP as soon as there is a receiver, also where no datagrams
/// pass.
#[test]
fn a_receiver_that_comes_later() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = noise(3_000_000);
    fs::write(folder.path().join("in"), &bytes).unwrap();
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (round, udp) in [true, false].into_iter().enumerate() {
        let out = folder.path().join(format!("out{round}"));
        let open = |at| Listener::open(&UdpAndTcp, at, Admission::Trusted).unwrap();
        let at = open(here()).local();
        let nobody = UdpSocket::bind(here()).unwrap();
        let network = Through {
            streams: at,
            datagrams: (!udp).then(|| nobody.local_addr().unwrap()),
            opened: AtomicUsize::new(0),
        };
        let settings = Settings {
            lanes: vec![(None, at)],
            via: Via::Tcp,
            arrangement: Arrangement::LowLatency,
            fec: Fec::None,
            rate: None,
            timeout: LONG,
            credentials: Credentials::Trusted,
            delta: true,
        };
        let ended = AtomicBool::new(false);
        let from = folder.path().join("in").into();
        let sent = thread::scope(|scope| {
            let sending =
                scope.spawn(|| send(&network, &settings, &from, &mut |_| (), &|| false).unwrap());
            let begun = Instant::now();
            // Both channels were refused, and again.
            while network.opened.load(Ordering::Relaxed) < 6 {
                assert!(begun.elapsed() < LONG, "streams are not opened again");
                thread::sleep(TURN);
            }
            let received = receive_whole(&mut open(at), &out, &ended);
            assert_eq!(received.unwrap().failure, None);
            sending.join().unwrap()
        });
        let kinds: Vec<_> = sent.lanes.iter().map(|it| it.kind).collect();
        let both = [Kind::Stream, Kind::Datagrams];
        assert_eq!(kinds, both[..if udp { 2 } else { 1 }], "{:?}", sent.notes);
        assert!(fs::read(out.join("in")).unwrap() == bytes);
    }
}

/// Where one of the two is missing the other does all of it, and the notes say so.
#[test]
fn one_of_them_is_blocked() {
    let bytes = noise(5_000_000);
    for harm in [Harm::Refused, Harm::Cut(0), Harm::Stall(0)] {
        let (sent, _) = transfer(Plan { harm, ..PLAN }, &bytes);
        assert!(
            says(&sent, "the lane over TCP to"),
            "{harm:?}: {:?}",
            sent.notes
        );
        assert!(frames(&sent, Kind::Datagrams) > 100, "{harm:?}");
    }
    for via in [Via::Tcp, Via::Auto] {
        let plan = Plan {
            via,
            udp: false,
            ..PLAN
        };
        let (sent, _) = transfer(plan, &bytes);
        assert!(says(&sent, "is left out: no answer"), "{:?}", sent.notes);
        assert_eq!(sent.broken, 0);
        assert!(sent.lanes.iter().all(|lane| lane.kind == Kind::Stream));
    }
}

/// The connections end, stand still or bring garbage in the middle: the rest goes over UDP, in the
/// same attempt.
#[test]
fn trouble_in_the_middle() {
    let bytes = noise(40_000_000);
    for harm in [
        Harm::Cut(9_000_000),
        Harm::Stall(9_000_000),
        Harm::Foul(9_000_000, 0, true),
        Harm::Foul(9_000_000, 0, false),
        Harm::Foul(9_000_000, 0x21, true),
    ] {
        let (sent, _) = transfer(Plan { harm, ..PLAN }, &bytes);
        assert_eq!(sent.broken, 0, "{harm:?}");
        assert!(
            frames(&sent, Kind::Datagrams) > 500,
            "{harm:?}: {:?}",
            sent.lanes
        );
        assert!(
            matches!(harm, Harm::Stall(_)) || says(&sent, "a lane over TCP failed"),
            "{:?}",
            sent.notes
        );
    }
}

/// The connections end at all kinds of places of the handshake and just after it, also in the
/// middle of a length and of a message: it goes over UDP, sealed or not.
#[test]
fn cut_in_the_handshake() {
    let bytes = noise(100_000);
    let places = (0..48).chain((48..120_000).step_by(3989));
    for (number, at) in places.enumerate() {
        let plan = Plan {
            harm: Harm::Cut(at),
            sealed: number % 2 == 0,
            via: [Via::Tcp, Via::Auto][number / 2 % 2],
            ..PLAN
        };
        let (sent, _) = transfer(plan, &bytes);
        assert_eq!(sent.broken, 0, "cut at {at}");
    }
}

/// Datagrams do not arrive, and the connections end just when the receiver has been found, as
/// those of one that is started anew: it is looked for again.
#[test]
fn cut_when_the_receiver_is_found() {
    let bytes = noise(100_000);
    for (connections, via) in [(1, Via::Tcp), (2, Via::Auto), (5, Via::Tcp)] {
        let plan = Plan {
            via,
            harm: Harm::Answered(connections),
            udp: false,
            ..PLAN
        };
        let (sent, _) = transfer(plan, &bytes);
        assert_eq!(sent.broken, 0, "{connections} connections are cut");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in"), bytes).unwrap();
    let plan = Plan {
        harm: Harm::Answered(usize::MAX),
        udp: false,
        timeout: Duration::from_secs(3),
        ..PLAN
    };
    let error = attempt(plan, folder.path()).0.unwrap_err().to_string();
    assert!(error.contains("has not answered for 3 s"), "{error}");
}

/// It says which kind it uses, and why.
#[test]
fn whichever_brings_more() {
    let plan = Plan {
        via: Via::Auto,
        ..PLAN
    };
    let (sent, _) = transfer(plan, &noise(400_000_000));
    assert!(says(&sent, "data goes over "), "{:?}", sent.notes);
    assert_eq!(sent.broken, 0);
}

/// Where the network gives each flow so much and no more both together bring twice as much. That is
/// found after some ten seconds.
#[test]
fn each_flow_has_its_limit() {
    let plan = Plan {
        via: Via::Auto,
        each: Some(40_000_000),
        ..PLAN
    };
    let (sent, _) = transfer(plan, &noise(70_000_000));
    println!("{:?}\n{:?} {:?}", sent.notes, sent.lanes, sent.phases);
    assert!(
        says(&sent, "data goes over both together"),
        "{:?}",
        sent.notes
    );
    // Long frames, of which 70 MB are some 1100, and short ones.
    let carried = [Kind::Stream, Kind::Datagrams].map(|kind| frames(&sent, kind));
    assert!(carried[0] > 50 && carried[1] > 1000, "{carried:?}");
}

/// Sends over a clean path of 10 ms there and back, which begins to lose one frame in a hundred
/// once data has gone over TCP for a second: what the sender says, whether that has come to pass,
/// and whether data went over UDP from then on. None: there are no such paths here.
fn begins_to_lose() -> Option<(Progress, bool, bool)> {
    let channel = Channel {
        rate: Some(60_000_000),
        queue: 120_000,
        mtu: 1514,
        delay: Duration::from_millis(5),
        ..Channel::default()
    };
    let relay = Relay::new([&channel, &channel], 1500);
    let relay = needs("networks of their own", relay)?;
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let bytes = noise(40_000_000);
    fs::write(folder.path().join("in"), &bytes).unwrap();
    let ended = AtomicBool::new(false);
    let [near, far] = relay.networks();
    let at = SocketAddr::from((far.address(), 7425));
    let sent = thread::scope(|scope| {
        scope.spawn(|| {
            far.enter().unwrap();
            let admission = Admission::Keys(key(2), vec![key(1).public]);
            let mut listener = Listener::open(&UdpAndTcp, at, admission).unwrap();
            let tree = Tree::open(&folder.path().join("out")).unwrap();
            let stop = || ended.load(Ordering::Relaxed);
            let received = receive(&mut listener, &tree, &mut |_| (), &stop).unwrap();
            assert_eq!(received.map(|it| it.failure), Some(None));
        });
        let sending = scope.spawn(|| {
            near.enter().unwrap();
            let settings = Settings {
                lanes: vec![(None, at)],
                via: Via::Auto,
                arrangement: Arrangement::LowLatency,
                fec: Fec::None,
                rate: None,
                timeout: LONG,
                credentials: Credentials::Keys(key(1), key(2).public),
                delta: true,
            };
            let (mut steady, mut lossy, mut changed) = (None, None, false);
            let mut look = |progress: &Progress| {
                let Some(stream) = progress.lanes.first() else {
                    return;
                };
                // Both have been tried, and this one is used.
                let since = steady.get_or_insert_with(Instant::now);
                if stream.rests || progress.lanes[1].known < 100 {
                    *since = Instant::now();
                } else if lossy.is_none() && since.elapsed() > Duration::from_secs(1) {
                    relay.set_loss(0, 0.01);
                    lossy = Some(Instant::now());
                }
                if let Some(lossy) = lossy.filter(|_| stream.rests && !changed) {
                    println!("data goes over UDP after {:?}", lossy.elapsed());
                    changed = true;
                }
            };
            let from = folder.path().join("in");
            let sent = send(&UdpAndCubic, &settings, &from.into(), &mut look, &|| false);
            ended.store(sent.is_err(), Ordering::Relaxed);
            (sent.unwrap(), lossy.is_some(), changed)
        });
        sending.join().unwrap()
    });
    assert!(fs::read(folder.path().join("out/in")).unwrap() == bytes);
    Some(sent)
}

/// Data goes over UDP from the loss on, in the same attempt. How long that took is printed.
#[test]
fn a_path_that_begins_to_lose() {
    // On a machine that stood still meanwhile data may have gone over UDP before.
    for last in [false, false, true] {
        let Some((sent, lossy, changed)) = begins_to_lose() else {
            return;
        };
        let came_to_pass = lossy && changed;
        if !last && !came_to_pass {
            continue;
        }
        println!("{:?}\n{:?} {:?}", sent.notes, sent.lanes, sent.phases);
        assert!(lossy && changed && sent.broken == 0);
        assert!(
            says(&sent, "data goes over UDP from now on"),
            "{:?}",
            sent.notes
        );
        return;
    }
}
