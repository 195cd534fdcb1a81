// SPDX-License-Identifier: Apache-2.0
//! What every lane in memory promises, and what each adds. UDP has its own tests, `lane_udp.rs`.

use ropewalk_channel::Settings;
use ropewalk_io::lane::{measure, raw, shm, sim};
use ropewalk_io::measure::Figures;
use ropewalk_io::{Lane, LaneError, PacketLink, PipeLink, RawLink, packet, veth};
use ropewalk_testkit::needs;
use ropewalk_wire::htsp::Mac;
use std::io::{ErrorKind, IoSlice};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(20);
const MS: Duration = Duration::from_millis(1);

/// Datagram `number`, of `length` bytes.
fn datagram(number: usize, length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..length).map(|i| (i ^ number) as u8).collect();
    bytes[..4].copy_from_slice(&(number as u32).to_be_bytes());
    bytes
}

/// Everything that arrives until there are `count`.
fn arrivals(lane: &mut dyn Lane, count: usize) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let end = Instant::now() + LONG;
    while all.len() < count && Instant::now() < end {
        if !lane.receive(&mut |bytes| all.push(bytes.to_vec())).unwrap() {
            lane.wait(MS * 100, false).unwrap();
        }
    }
    all
}

/// Both ends send at once, far more than fits; all of it arrives in order.
fn both_ways(ends: [&mut dyn Lane; 2]) {
    let total = 3000;
    // An end goes on until the other one has everything too: what a lane has taken may still wait
    // in it.
    let (done, ends_done) = (AtomicUsize::new(0), ends.len());
    let done = &done;
    std::thread::scope(|scope| {
        for lane in ends {
            scope.spawn(move || {
                let (mut sent, mut came) = (0, 0);
                let end = Instant::now() + LONG;
                let mut told = false;
                while done.load(Ordering::Acquire) < ends_done && Instant::now() < end {
                    if sent == total && came == total && !told {
                        done.fetch_add(1, Ordering::AcqRel);
                        told = true;
                    }
                    let mut blocked = false;
                    if sent < total {
                        let count = (1 + sent % 6).min(total - sent);
                        let segment = 5000 + sent;
                        let mut all: Vec<_> = (sent..sent + count)
                            .map(|number| datagram(number, segment))
                            .collect();
                        all[count - 1].truncate(segment - sent % 777);
                        let all = all.concat();
                        let pieces: Vec<_> = all.chunks(1216).map(IoSlice::new).collect();
                        blocked = !lane.send(&pieces, segment).unwrap();
                        sent += if blocked { 0 } else { count };
                    }
                    let more = lane.receive(&mut |bytes| {
                        assert!(bytes == datagram(came, bytes.len()), "datagram {came}");
                        assert!(bytes.len() > 4000);
                        came += 1;
                    });
                    if more.unwrap() {
                        continue;
                    }
                    if told {
                        lane.wait(MS, false).unwrap();
                    } else if blocked || sent == total && came < total {
                        lane.wait(LONG, blocked).unwrap();
                    }
                }
                assert_eq!((sent, came), (total, total));
            });
        }
    });
}

fn waits(near: &mut dyn Lane, far: &mut dyn Lane) {
    let begun = Instant::now();
    near.wait(LONG, true).unwrap();
    near.waker()();
    near.wait(LONG, false).unwrap();
    let waker = near.waker();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(5 * MS);
            waker();
        });
        near.wait(LONG, false).unwrap();
        scope.spawn(|| {
            std::thread::sleep(5 * MS);
            assert!(near.send(&[IoSlice::new(b"x")], 1).unwrap());
        });
        assert_eq!(arrivals(far, 1), [b"x"]);
    });
    assert!(begun.elapsed() < LONG);
    far.wait(2 * MS, false).unwrap();
}

fn refuses(lane: &mut dyn Lane) {
    let limit = lane.limit();
    let bytes = vec![0; 65_508];
    for (length, segment) in [
        (65_508, 9880),
        (limit + 1, limit + 1),
        (10, 0),
        (65_000, 1000),
    ] {
        let said = lane.send(&[IoSlice::new(&bytes[..length])], segment);
        assert_eq!(said.unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}

#[test]
fn memory_that_is_shared() {
    let [mut near, mut far] = shm::ShmLane::pair(1 << 18).unwrap();
    both_ways([&mut near, &mut far]);
    waits(&mut near, &mut far);
    refuses(&mut near);
    assert_eq!((near.drops(), near.notes()), (0, Vec::new()));
    assert_eq!(near.buffer(), 1 << 18);
    drop(near);
    let begun = Instant::now();
    while far.is_alive() && begun.elapsed() < LONG {
        far.wait(LONG, false).unwrap();
    }
    assert!(!far.is_alive());
    assert!(far.notes()[0].contains("has ended"));
    // It goes on, into nothing, and sleeps rather than to turn round and round.
    for _ in 0..100 {
        assert!(far.send(&[IoSlice::new(&[0; 60_000])], 6000).unwrap());
    }
    let begun = Instant::now();
    far.wait(5 * MS, true).unwrap();
    far.wait(5 * MS, false).unwrap();
    assert!(begun.elapsed() >= 5 * MS);
}

/// What the peer has sent before it died arrives.
#[test]
fn the_last_words_of_a_peer() {
    let [mut near, mut far] = shm::ShmLane::pair(1 << 18).unwrap();
    assert!(
        near.send(&[IoSlice::new(&datagram(7, 3000))], 1000)
            .unwrap()
    );
    drop(near);
    assert_eq!(arrivals(&mut far, 3).concat(), datagram(7, 3000));
}

#[test]
fn sizes_that_are_refused() {
    for size in [0, 1 << 16, (1 << 18) + 1, 3 << 17, 1 << 31] {
        let said = shm::ShmLane::pair(size).unwrap_err().to_string();
        assert!(
            said.contains(&format!("{size} bytes: accepted are powers of two")),
            "{said}"
        );
    }
}

/// A path for a socket, of this test only.
fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("ropewalk-{name}-{}", std::process::id()))
}

/// The other process of `two_processes`: sends back what arrives, until it is killed.
#[test]
#[ignore = "a part of two_processes"]
fn echo() {
    let Ok(path) = std::env::var("ROPEWALK_ECHO") else {
        return;
    };
    let mut lane = shm::ShmLane::connect(path.as_ref()).unwrap();
    let mut held: Vec<Vec<u8>> = Vec::new();
    loop {
        let mut blocked = false;
        while let Some(datagram) = held.first()
            && !blocked
        {
            blocked = !lane
                .send(&[IoSlice::new(datagram)], datagram.len())
                .unwrap();
            if !blocked {
                held.remove(0);
            }
        }
        if !lane
            .receive(&mut |bytes| held.push(bytes.to_vec()))
            .unwrap()
        {
            lane.wait(LONG, blocked).unwrap();
            assert!(lane.is_alive());
        }
    }
}

#[test]
fn two_processes() {
    use std::os::unix::fs::PermissionsExt;
    let path = path("echo");
    let listener = shm::ShmListener::bind(&path, shm::SIZE).unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let said = shm::ShmListener::bind(&path, shm::SIZE).unwrap_err();
    assert!(matches!(&said, LaneError::Address { .. }), "{said}");
    assert!(said.to_string().contains("it exists"), "{said}");
    assert!(listener.accept(MS).unwrap().is_none());
    let mut other = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "echo", "--ignored"])
        .env("ROPEWALK_ECHO", &path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lane = listener.accept(LONG).unwrap().expect("a peer");
    for round in 0..200 {
        let all = datagram(round, 60_000);
        assert!(lane.send(&[IoSlice::new(&all)], 10_000).unwrap());
        assert!(arrivals(&mut lane, 6).concat() == all);
    }
    // Killed in the middle.
    assert!(lane.send(&[IoSlice::new(&[1; 60_000])], 10_000).unwrap());
    other.kill().unwrap();
    other.wait().unwrap();
    let end = Instant::now() + LONG;
    while lane.is_alive() && Instant::now() < end {
        while lane.receive(&mut |_| ()).unwrap() {}
        lane.wait(MS * 100, false).unwrap();
    }
    assert!(!lane.is_alive());
    drop(listener);
    assert!(!path.exists());
    let said = shm::ShmLane::connect(&path).unwrap_err();
    assert!(matches!(said, LaneError::Unreachable { .. }), "{said}");
}

/// Something else listens at the path: it is told, whatever it sends.
#[test]
fn a_peer_of_another_kind() {
    let path = path("other");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use std::io::Write;
            listener.accept().unwrap().0.write_all(b"hello").unwrap();
            drop(listener.accept().unwrap());
        });
        for _ in 0..2 {
            let said = shm::ShmLane::connect(&path).unwrap_err().to_string();
            assert!(said.contains("the peer sends no memory"), "{said}");
        }
    });
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_channel_without_faults() {
    let settings = Settings {
        rate: Some(20_000_000_000),
        queue: 100_000,
        delay: MS,
        ..Settings::default()
    };
    let ([mut near, mut far], handle) = sim::pair([&settings; 2], true).unwrap();
    both_ways([&mut near, &mut far]);
    refuses(&mut near);
    let counts = handle.counts(0);
    assert_eq!((counts.sent, counts.arrived), (3000, 3000));
    waits(&mut near, &mut far);
}

/// Nothing arrives before its time, and what does not arrive is counted.
#[test]
fn a_channel_with_faults() {
    let bad = Settings {
        delay: 20 * MS,
        loss: 0.2,
        ..Settings::default()
    };
    let ([mut near, mut far], handle) = sim::pair([&bad, &Settings::default()], false).unwrap();
    let begun = Instant::now();
    for number in 0..100 {
        assert!(
            near.send(&[IoSlice::new(&datagram(number, 3000))], 1000)
                .unwrap()
        );
    }
    let counts = handle.counts(0);
    assert!(counts.lost > 0);
    let came = arrivals(&mut far, (300 - counts.lost) as usize);
    assert!(begun.elapsed() >= 20 * MS);
    assert_eq!(came.len() as u64 + counts.lost, 300);
    // Dead in one direction only.
    handle.set_alive(0, false);
    assert!(near.send(&[IoSlice::new(b"lost")], 4).unwrap());
    assert!(far.send(&[IoSlice::new(b"there")], 5).unwrap());
    assert_eq!(arrivals(&mut near, 1), [b"there"]);
    assert_eq!(handle.counts(0).dead, 1);
    handle.set_alive(0, true);
    while !far
        .receive(&mut |bytes| assert_eq!(bytes, b"back"))
        .unwrap()
    {
        assert!(near.send(&[IoSlice::new(b"back")], 4).unwrap());
        far.wait(LONG, false).unwrap();
        assert!(begun.elapsed() < LONG);
    }
}

/// Frames in memory, of which only some fit at a time: what did not fit of a batch goes before the
/// next one.
#[test]
fn raw_ethernet() {
    let links = PipeLink::pair(3, 9014);
    let macs = [links[0].mac(), links[1].mac()];
    let [near, far] = links;
    let lane = |link, peer| raw::RawLane::new(link, raw::ETHERTYPE, Some(peer), 1 << 20).unwrap();
    let (mut near, mut far) = (lane(near, macs[1]), lane(far, macs[0]));
    assert_eq!(near.limit(), 9000);
    both_ways([&mut near, &mut far]);
    refuses(&mut near);
    // Short ones are lengthened.
    assert!(near.send(&[IoSlice::new(b"short")], 5).unwrap());
    let came = arrivals(&mut far, 1).concat();
    assert_eq!((&came[..5], came.len()), (&b"short"[..], raw::SHORTEST));
    assert!(came[5..].iter().all(|&byte| byte == 0));
}

/// Frames of others, to others, of other protocols and without a content are not ours.
#[test]
fn frames_of_others() {
    let [mut other, link] = PipeLink::pair(100, 1514);
    let (own, peer) = (link.mac(), Mac([2, 0, 0, 0, 0, 9]));
    let mut lane = raw::RawLane::new(link, raw::ETHERTYPE, None, 1 << 20).unwrap();
    let frame = |to: Mac, from: Mac, ethertype: u16, bytes: &[u8]| {
        [&to.0[..], &from.0, &ethertype.to_be_bytes(), bytes].concat()
    };
    let mine = frame(own, peer, 0x88b6, b"mine");
    let all = frame(Mac([0xff; 6]), peer, 0x88b6, b"to all");
    let foreign = [
        frame(peer, peer, 0x88b6, b"to somebody"),
        frame(own, peer, 0x0800, b"IP"),
        frame(own, peer, 0x88b6, b""),
        mine[..13].to_vec(),
        Vec::new(),
    ];
    let frames = [&foreign[..], &[mine.clone(), all]].concat();
    assert_eq!(other.send(&frames).unwrap(), frames.len());
    assert_eq!(
        arrivals(&mut lane, 2),
        [b"mine".to_vec(), b"to all".to_vec()]
    );
    assert_eq!(lane.source(), Some(peer));
    // One peer only.
    lane.set_peer(Mac([2, 0, 0, 0, 0, 8]));
    let last = frame(own, Mac([2, 0, 0, 0, 0, 8]), 0x88b6, b"last");
    assert_eq!(other.send(&[mine, last]).unwrap(), 2);
    assert_eq!(arrivals(&mut lane, 1), [b"last"]);

    let [link, _] = PipeLink::pair(1, 561);
    let said = raw::RawLane::new(link, raw::ETHERTYPE, None, 1)
        .err()
        .unwrap();
    assert!(
        said.to_string()
            .contains("frames of 561 bytes: 562 are needed"),
        "{said}"
    );
    let [link, _] = PipeLink::pair(1, 1514);
    let said = raw::RawLane::new(link, 0x5ff, None, 1).err().unwrap();
    assert!(
        said.to_string().contains("EtherType 0x05ff is a length"),
        "{said}"
    );
}

/// Two interfaces of the kernel. What is sent fits the ring, and the 1000 frames that the kernel
/// holds in between.
#[test]
fn raw_ethernet_through_the_kernel() {
    if needs("network of its own", veth::Veth::new(9000)).is_none() {
        return;
    }
    let options = packet::Options {
        ethertype: Some(raw::ETHERTYPE),
        ..packet::Options::default()
    };
    let links = veth::NAMES.map(|name| PacketLink::open(name, &options).unwrap());
    let macs = [links[0].mac(), links[1].mac()];
    let [near, far] = links;
    let lane = |link, peer| {
        let lane = raw::RawLane::new(link, raw::ETHERTYPE, Some(peer), options.ring);
        lane.unwrap()
    };
    let (mut near, mut far) = (lane(near, macs[1]), lane(far, macs[0]));
    for round in 0..20 {
        let all = datagram(round, 54_000);
        assert!(near.send(&[IoSlice::new(&all)], 9000).unwrap());
        let mut came = Vec::new();
        while came.len() < 6 {
            came.extend(arrivals(&mut far, 1));
        }
        assert!(came.concat() == all);
    }
    assert_eq!((far.drops(), far.notes()), (0, Vec::new()));
}

/// Measures new lanes until something arrives: a thread may get no processor for the whole of a
/// short time.
fn figures<L: Lane>(segment: usize, pair: impl Fn() -> [L; 2]) -> Figures {
    let begun = Instant::now();
    loop {
        let [mut near, mut far] = pair();
        let figures = measure::lanes(&mut near, &mut far, segment, 50 * MS).unwrap();
        assert!(figures.seconds >= 0.05);
        if figures.bytes > 0 || begun.elapsed() > LONG {
            return figures;
        }
    }
}

/// A measurement counts what arrives, also when much is lost.
#[test]
fn a_measurement() {
    let clean = figures(9880, || shm::ShmLane::pair(shm::SIZE).unwrap());
    assert!(clean.bytes > 0 && clean.bytes <= clean.sent);
    assert!(clean.gbps() > 0.0);
    let channel = |loss, mtu| {
        let settings = Settings {
            loss,
            mtu,
            ..Settings::default()
        };
        sim::pair([&settings; 2], false).unwrap().0
    };
    let bad = figures(1500, || channel(0.5, 1500));
    assert!(bad.bytes > 0 && bad.bytes < bad.sent);
    let [mut near, mut far] = channel(0.0, 1000);
    let said = measure::lanes(&mut near, &mut far, 1500, LONG).unwrap_err();
    assert_eq!(said.kind(), ErrorKind::InvalidInput);
}
