// SPDX-License-Identifier: Apache-2.0
//! UDP lanes over the loopback interface.
//!
//! The kernel delivers there what it has room for, so a test that expects everything sends less
//! than fits a receive buffer and the queue of 1000 packets in front of it, whoever gets a
//! processor when. The order is not promised.

use ropewalk_io::lane::udp::{Options, Path, UdpLane, UdpListener};
use ropewalk_io::{Lane, LaneError};
use ropewalk_testkit::{needs, skip};
use std::io::{ErrorKind, IoSlice};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::process::Command;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(20);

fn v4() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 0).into()
}

fn at(local: SocketAddr) -> Options {
    Options {
        local: Some(local),
        ..Options::default()
    }
}

/// Two lanes to each other.
fn pair(local: SocketAddr, options: &Options) -> [UdpLane; 2] {
    let options = Options {
        local: Some(local),
        ..options.clone()
    };
    let mut listener = UdpListener::bind(&options).unwrap();
    let near = UdpLane::connect(listener.local(), &options).unwrap();
    let Path { kind, local, peer } = near.path();
    let (local, peer) = (peer, local);
    let far = listener.lane(Path { kind, local, peer }).unwrap();
    [near, far]
}

/// Everything that arrives until there are `count`, sorted.
fn arrivals(lane: &mut dyn Lane, count: usize) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let end = Instant::now() + LONG;
    while all.len() < count && Instant::now() < end {
        if !lane.receive(&mut |bytes| all.push(bytes.to_vec())).unwrap() {
            lane.wait(Duration::from_millis(100), false).unwrap();
        }
    }
    all.sort();
    all
}

/// Datagram `number`, of `length` bytes.
fn datagram(number: usize, length: usize) -> Vec<u8> {
    let mut bytes = vec![number as u8; length];
    bytes[..4].copy_from_slice(&(number as u32).to_be_bytes());
    bytes
}

#[test]
fn every_datagram_of_batches_of_every_size() {
    let v6: SocketAddr = (Ipv6Addr::LOCALHOST, 0).into();
    for (local, offload) in [(v4(), true), (v4(), false), (v6, true), (v6, false)] {
        let options = Options {
            offload,
            ..Options::default()
        };
        let [mut near, mut far] = pair(local, &options);
        for (segment, count, last) in [
            (9880, 6, 9880),
            (9880, 6, 77),
            (9880, 1, 9880),
            (1500, 43, 1),
            (100, 64, 100),
            (65_488, 1, 65_488),
            (32_753, 2, 32_753),
            (32_744, 2, 32_000),
        ] {
            let mut expected: Vec<_> = (0..count).map(|i| datagram(i, segment.max(4))).collect();
            expected.last_mut().unwrap().truncate(last);
            let joined = expected.concat();
            // Pieces that do not care where a datagram ends.
            let pieces: Vec<_> = joined.chunks(777).map(IoSlice::new).collect();
            assert!(count <= near.batch(segment));
            assert!(near.send(&pieces, segment).unwrap());
            expected.sort();
            assert!(
                arrivals(&mut far, count) == expected,
                "{local} {offload} {segment}"
            );
        }
        assert_eq!(far.drops(), 0);
        if offload {
            assert!(!near.notes().iter().any(|note| note.contains("one by one")));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_is_sent() {
    let [mut near, mut far] = pair(v4(), &Options::default());
    let limit = near.limit();
    let bytes = vec![0; 65_508];
    for (length, segment) in [
        (65_508, 9880),
        (limit + 1, limit + 1),
        (10, 0),
        (65_000, 1000),
    ] {
        let said = near.send(&[IoSlice::new(&bytes[..length])], segment);
        assert_eq!(said.unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    assert!(near.send(&[IoSlice::new(b"last")], 4).unwrap());
    assert_eq!(arrivals(&mut far, 1), [b"last"]);
}

/// The kernel tells that nobody listens; the lane goes on, and works when somebody does.
#[test]
fn a_peer_that_comes_late() {
    // It has the port, but listens to somebody else.
    let far = UdpSocket::bind(v4()).unwrap();
    let peer = far.local_addr().unwrap();
    far.connect(peer).unwrap();
    far.set_read_timeout(Some(LONG)).unwrap();
    let mut near = UdpLane::connect(peer, &Options::default()).unwrap();
    for _ in 0..10 {
        assert!(near.send(&[IoSlice::new(&[1; 3000])], 1000).unwrap());
        near.wait(Duration::from_millis(1), false).unwrap();
        assert!(!near.receive(&mut |_| panic!("nobody sends")).unwrap());
    }
    far.connect(near.path().local).unwrap();
    assert!(near.send(&[IoSlice::new(b"hello")], 5).unwrap());
    let mut bytes = [0; 100];
    assert_eq!(far.recv(&mut bytes).unwrap(), 5);
    assert_eq!(&bytes[..5], b"hello");
}

/// Every datagram is either handed over or counted.
#[test]
fn drops_are_counted() {
    let options = Options {
        buffer: 20_000,
        offload: false,
        ..Options::default()
    };
    let [mut near, mut far] = pair(v4(), &options);
    let sent = 400;
    for number in 0..sent {
        assert!(
            near.send(&[IoSlice::new(&datagram(number, 1000))], 1000)
                .unwrap()
        );
    }
    let (mut came, end) = (0, Instant::now() + LONG);
    while came + far.drops() < sent as u64 && Instant::now() < end {
        if !far.receive(&mut |_| came += 1).unwrap() {
            far.wait(Duration::from_millis(10), false).unwrap();
        }
    }
    assert!(far.drops() > 0);
    assert_eq!(came + far.drops(), sent as u64);
}

/// What has come at a listener.
fn strangers(listener: &mut UdpListener, count: usize) -> Vec<(Path, Vec<u8>)> {
    let mut all = Vec::new();
    let end = Instant::now() + LONG;
    while all.len() < count && Instant::now() < end {
        let more = listener.receive_from(&mut |path, bytes| all.push((path, bytes.to_vec())));
        if !more.unwrap() {
            listener.wait(Duration::from_millis(100)).unwrap();
        }
    }
    all
}

/// Three peers at one port; two of them get lanes. Also with a listener at any address, whose lanes
/// have the one that was sent to.
#[test]
fn peers_at_one_port() {
    let any = (Ipv4Addr::UNSPECIFIED, 0).into();
    for local in [v4(), any, (Ipv6Addr::LOCALHOST, 0).into()] {
        let mut listener = UdpListener::bind(&at(local)).unwrap();
        let mut to = listener.local();
        if to.ip().is_unspecified() {
            to.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        let mut near: Vec<_> = (0..3)
            .map(|_| UdpLane::connect(to, &Options::default()).unwrap())
            .collect();
        let mut far = Vec::new();
        for near in &mut near[..2] {
            assert!(near.send(&[IoSlice::new(b"who is there?")], 100).unwrap());
            let came = strangers(&mut listener, 1);
            let (path, bytes) = &came[0];
            assert_eq!((came.len(), &bytes[..]), (1, &b"who is there?"[..]));
            assert_eq!((path.peer, path.local), (near.path().local, to));
            listener.send_to(*path, b"it is me").unwrap();
            assert_eq!(arrivals(near, 1), [b"it is me"]);
            far.push(listener.lane(*path).unwrap());
        }
        for (number, near) in near.iter_mut().enumerate() {
            assert!(
                near.send(&[IoSlice::new(&datagram(number, 9000))], 3000)
                    .unwrap()
            );
        }
        for (number, far) in far.iter_mut().enumerate() {
            let expected = datagram(number, 9000);
            let mut expected: Vec<_> = expected.chunks(3000).collect();
            expected.sort();
            assert!(arrivals(far, 3) == expected);
            assert!(
                far.send(&[IoSlice::new(&datagram(number, 50))], 50)
                    .unwrap()
            );
            assert!(arrivals(&mut near[number], 1) == [datagram(number, 50)]);
            assert_eq!(far.drops(), 0);
        }
        let others = strangers(&mut listener, 3);
        assert_eq!(others.len(), 3);
        assert!(
            others
                .iter()
                .all(|(path, _)| path.peer == near[2].path().local)
        );
    }
}

#[test]
fn a_port_that_is_taken() {
    let listener = UdpListener::bind(&at(v4())).unwrap();
    let taken = listener.local();
    let said = UdpListener::bind(&at(taken)).unwrap_err().to_string();
    let expected = format!("cannot use the address {taken}: ");
    assert!(said.starts_with(&expected), "{said}");
    assert!(said.contains("another program has this port"), "{said}");
    let elsewhere = (Ipv4Addr::new(192, 0, 2, 1), 0).into();
    let said = UdpListener::bind(&at(elsewhere)).unwrap_err().to_string();
    assert!(said.contains("'ip address' lists"), "{said}");
    // Nor does a lane at this port let others in.
    let mut listener = listener;
    let near = UdpLane::connect(taken, &Options::default()).unwrap();
    let Path { kind, local, .. } = near.path();
    let (local, peer) = (taken, local);
    let _lane = listener.lane(Path { kind, local, peer }).unwrap();
    assert!(UdpListener::bind(&at(taken)).is_err());
}

#[test]
fn an_interface_that_is_not_there() {
    let options = Options {
        interface: Some("nosuch0".into()),
        ..at(v4())
    };
    let said = UdpListener::bind(&options).unwrap_err();
    if let LaneError::System { source, .. } = &said {
        return skip(format_args!(
            "sockets cannot be bound to an interface: {source}"
        ));
    }
    assert!(
        matches!(&said, LaneError::Interface(name) if name == "nosuch0"),
        "{said}"
    );
}

#[test]
fn a_wait_ends() {
    let options = Options {
        spin: Duration::from_millis(1),
        ..Options::default()
    };
    let [mut near, mut far] = pair(v4(), &options);
    let begun = Instant::now();
    // Room to send.
    near.wait(LONG, true).unwrap();
    // The waker, before the wait and in it.
    near.waker()();
    near.wait(LONG, false).unwrap();
    let waker = near.waker();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(5));
            waker();
        });
        near.wait(LONG, false).unwrap();
    });
    // An arrival.
    assert!(near.send(&[IoSlice::new(b"x")], 1).unwrap());
    far.wait(LONG, false).unwrap();
    assert_eq!(arrivals(&mut far, 1), [b"x"]);
    assert!(begun.elapsed() < LONG);
    // And the time.
    near.wait(Duration::from_millis(2), false).unwrap();
}

/// The MTU shrinks under a lane: what was too long is lost, and the limit tells.
#[test]
fn an_mtu_that_shrinks() {
    // SAFETY: takes a number; concerns the calling thread only.
    let alone = unsafe { libc::unshare(libc::CLONE_NEWNET) } == 0;
    if !alone {
        return skip("no network of its own");
    }
    let set = |mtu: &str| {
        let words = ["link", "set", "lo", "up", "mtu", mtu];
        let done = needs("program 'ip'", Command::new("ip").args(words).status());
        done.is_some_and(|said| said.success())
    };
    if !set("9000") {
        return;
    }
    for offload in [true, false] {
        assert!(set("9000"));
        let options = Options {
            offload,
            ..Options::default()
        };
        let [mut near, mut far] = pair(v4(), &options);
        assert_eq!(near.limit(), 8972);
        let bytes = vec![7; 20_000];
        assert!(near.send(&[IoSlice::new(&bytes)], 8972).unwrap());
        assert_eq!(arrivals(&mut far, 3).len(), 3);
        assert!(set("1500"));
        // Once or twice it is lost, then it is refused.
        let refused = (0..3).find_map(|_| near.send(&[IoSlice::new(&bytes)], 8972).err());
        assert_eq!(
            refused.map(|error| error.kind()),
            Some(ErrorKind::InvalidInput)
        );
        assert_eq!(near.limit(), 1472);
        assert!(near.send(&[IoSlice::new(&bytes)], 1472).unwrap());
        assert_eq!(arrivals(&mut far, 14).len(), 14);
        if offload {
            assert!(!near.notes().iter().any(|note| note.contains("one by one")));
        }
    }
}

/// A buffer that the system limits is told with its remedy.
#[test]
fn a_buffer_that_is_clamped() {
    // SAFETY: three numbers; the plain call concerns the calling thread only, which is of no user
    // with privileges from now on.
    unsafe { libc::syscall(libc::SYS_setresuid, 65_534, 65_534, 65_534) };
    let most = std::fs::read_to_string("/proc/sys/net/core/rmem_max").unwrap();
    let most: usize = most.trim().parse().unwrap();
    let asked = (1 << 30) - 1;
    let options = Options {
        buffer: asked,
        ..at(v4())
    };
    let listener = UdpListener::bind(&options).unwrap();
    if most < asked {
        let notes = listener.notes().concat();
        let expected = format!("receive buffer of {most} bytes instead of {asked}");
        assert!(notes.contains(&expected), "{notes}");
        assert!(
            notes.contains("sysctl -w net.core.rmem_max=1073741823"),
            "{notes}"
        );
    }
}
