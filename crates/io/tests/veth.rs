// SPDX-License-Identifier: Apache-2.0
//! HTSP ends on two interfaces of the kernel. Each test has a network of its own; where that is not
//! permitted, it is skipped.

use ropewalk_io::htsp::receiver::Options as Batches;
use ropewalk_io::htsp::{Backend, Driver, Host, Receiver, Settings};
use ropewalk_io::measure::{self, Figures, Load};
use ropewalk_io::packet::Options;
use ropewalk_io::veth::{NAMES, Veth};
use ropewalk_io::{Arrival, OpenError, PacketLink, RawLink, XdpLink, xdp};
use ropewalk_testkit::{needs, skip};
use ropewalk_wire::htsp::Last;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);

/// Whether this thread has a network of its own now, with two interfaces.
fn network(mtu: u32) -> bool {
    needs("network of its own", Veth::new(mtu)).is_some()
}

/// Bytes that differ by channel and place.
fn pattern(channel: u8, length: usize) -> Vec<u8> {
    (0..length)
        .map(|i| (i as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0] ^ channel)
        .collect()
}

/// What was opened, unless this kernel has no AF_XDP, or not for this user.
fn unless_missing<L>(opened: Result<L, OpenError>) -> Option<L> {
    match opened {
        Ok(link) => Some(link),
        Err(error @ (OpenError::NoXdp | OpenError::Xdp | OpenError::Locked)) => {
            skip(error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// All channels both ways at once. All of it fits the rings, and the `frames` that the kernel holds
/// in between, so that it does not matter when a thread gets a processor.
fn every_byte(backend: Backend, mtu: u32, burst: usize, frames: usize) {
    let each = (frames / 16 - 2) * burst + 77;
    if !network(mtu) {
        return;
    }
    let settings = Settings {
        backend,
        alive: LONG,
        // Room for all of the data, and for blocks that are handed over before they are full for
        // longer than anything is waited for.
        ring: 1 << 28,
        age: Duration::from_millis(20),
        ..Settings::default()
    };
    let mut hosts = Vec::new();
    for name in NAMES {
        let Some(link) = unless_missing(settings.open(name)) else {
            return;
        };
        assert_eq!(settings.burst_on(link.limit()), burst);
        match backend {
            Backend::Packet => assert_eq!(link.notes(), [""; 0]),
            Backend::Xdp => {
                let note = format!("AF_XDP on {name}: program in the driver, frames copied");
                assert_eq!(link.notes(), [note]);
            }
        }
        hosts.push(Host::start(link, &settings, None).unwrap());
    }
    std::thread::scope(|scope| {
        for host in &mut hosts {
            for channel in 0..16 {
                let mut writer = host.writer(channel).unwrap();
                let reader = host.reader(channel).unwrap();
                scope.spawn(move || writer.send(&pattern(channel, each), Last::Yes).unwrap());
                scope.spawn(move || {
                    let mut bytes = Vec::new();
                    loop {
                        let piece = reader.recv(LONG).unwrap().expect("a piece");
                        bytes.extend(piece.bytes);
                        assert!(!piece.error, "channel {channel}");
                        if piece.end {
                            break;
                        }
                    }
                    assert!(bytes == pattern(channel, each), "channel {channel}");
                });
            }
        }
    });
    for host in hosts {
        let stats = host.close().unwrap();
        assert_eq!((stats.rx.lost, stats.drops, stats.gaps), (0, 0, 0));
        assert_eq!(stats.rx.foreign, 0);
    }
}

#[test]
fn every_byte_with_jumbo_frames() {
    every_byte(Backend::Packet, 9000, 8192, 432);
}

#[test]
fn every_byte_with_short_frames() {
    every_byte(Backend::Packet, 1500, 1408, 432);
}

#[test]
fn every_byte_by_xdp_with_jumbo_frames() {
    every_byte(Backend::Xdp, 9000, 8192, 96);
}

#[test]
fn every_byte_by_xdp_with_short_frames() {
    every_byte(Backend::Xdp, 1500, 1408, 96);
}

/// An end that does not run for 100 ms again and again, while its peer sends as fast as it can: its
/// ring does not overflow.
fn out_of_turn(backend: Backend) {
    if !network(9000) {
        return;
    }
    let settings = Settings {
        backend,
        alive: LONG,
        // For 8 ms of 33 Gb/s.
        ring: 1 << 25,
        ..Settings::default()
    };
    let [near, far] = NAMES.map(|name| settings.open(name));
    let (Some(near), Some(far)) = (unless_missing(near), unless_missing(far)) else {
        return;
    };
    let mut near = Host::start(near, &settings, None).unwrap();
    let mut far = Driver::new(far, &settings).unwrap();
    let mut writer = near.writer(0).unwrap();
    let sender = std::thread::spawn(move || {
        let bytes = vec![7; 1 << 20];
        while writer.send(&bytes, Last::Yes).is_ok() {}
    });
    let mut came = 0;
    for _ in 0..4 {
        // Until it has had twice as much as the ring holds.
        let (begun, wanted) = (Instant::now(), came + 2 * settings.ring);
        while came < wanted {
            assert!(begun.elapsed() < LONG);
            if !far.turn().unwrap() {
                far.wait(Duration::from_millis(1)).unwrap();
            }
            while let Some(piece) = far.endpoint().pop(0) {
                came += piece.bytes.len();
            }
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!((far.gaps(), far.endpoint().overflows(0)), (0, 0));
    near.close().unwrap();
    sender.join().unwrap();
}

#[test]
fn an_end_that_does_not_run_for_a_while() {
    out_of_turn(Backend::Packet);
}

#[test]
fn an_end_by_xdp_that_does_not_run_for_a_while() {
    out_of_turn(Backend::Xdp);
}

/// Frames of HTSP, numbered by their user data.
fn numbered(link: &dyn RawLink, number: u32) -> Vec<u8> {
    let mut frame = vec![0; 8262];
    frame[..6].fill(0xff);
    frame[6..12].copy_from_slice(&link.mac().0);
    frame[12..14].copy_from_slice(&[0x01, 0x11]);
    frame[48..52].copy_from_slice(&number.to_be_bytes());
    frame
}

/// A ring that overflows says where: between two numbers that do not follow each other there is
/// always a gap, whatever the pattern of filling and emptying is.
#[test]
fn every_overflow_of_the_ring_has_its_place() {
    if !network(9000) {
        return;
    }
    for blocks in [2, 8] {
        overflow(blocks);
    }
}

fn overflow(blocks: usize) {
    let options = Options {
        ethertype: Some(0x0111),
        ring: blocks << 16,
        ..Options::default()
    };
    let [mut near, mut far] = NAMES.map(|name| PacketLink::open(name, &options).unwrap());
    let mut follow = Follow::default();
    let mut sent = 0;
    // A block holds seven frames.
    for round in 0..400 {
        for _ in 0..[3, 40, 100, 7, 14, 15, 300][round % 7] {
            put(&mut near, &mut sent);
        }
        if round % 11 == 0 {
            // Blocks are closed by their age as well.
            std::thread::sleep(Duration::from_millis(3));
        }
        for _ in 0..[1, 2, 5, 0, 1][round % 5] {
            follow.receive(&mut far);
        }
    }
    assert!(follow.missing > 0, "nothing was lost");
    // Whatever was lost last shows when another frame comes.
    let begun = Instant::now();
    while follow.awaited != sent {
        while follow.receive(&mut far) {}
        put(&mut near, &mut sent);
        far.wait(Duration::from_millis(5), false).unwrap();
        follow.receive(&mut far);
        assert!(begun.elapsed() < LONG);
    }
    assert_eq!(far.drops(), u64::from(follow.missing));
}

/// The same by AF_XDP, where no gap is told in vain either. The kernel holds 256 frames in front of
/// the program on the interface; no more are on the way before all of them have been there.
#[test]
fn every_overflow_by_xdp_has_its_place() {
    if !network(9000) {
        return;
    }
    for (generic, mode) in [(false, "program in"), (true, "program behind")] {
        let options = xdp::Options {
            ethertype: 0x0111,
            ring: 1 << 18,
            generic,
        };
        let [near, far] = NAMES.map(|name| XdpLink::open(name, &options));
        let (Some(mut near), Some(mut far)) = (unless_missing(near), unless_missing(far)) else {
            return;
        };
        assert!(far.notes()[0].contains(mode), "{:?}", far.notes());
        let mut follow = Follow::default();
        let mut sent = 0;
        for round in 0..200 {
            // A frame takes three of 64 pieces.
            for _ in 0..[3, 40, 100, 21, 22, 15, 23][round % 7] {
                put(&mut near, &mut sent);
            }
            if round % 3 > 0 {
                follow.receive(&mut far);
                continue;
            }
            // What was lost last shows when another frame comes.
            let begun = Instant::now();
            while follow.awaited != sent {
                if !follow.receive(&mut far) {
                    far.wait(Duration::from_millis(20), false).unwrap();
                    if !follow.receive(&mut far) {
                        put(&mut near, &mut sent);
                    }
                }
                assert!(begun.elapsed() < LONG);
            }
        }
        assert!(follow.missing > 0, "nothing was lost");
        assert_eq!(far.drops(), u64::from(follow.missing));
        assert_eq!(follow.vain, 0);
    }
}

/// An interface has room for one program, and is free again when the first one has gone.
#[test]
fn xdp_once_for_an_interface() {
    if !network(9000) {
        return;
    }
    let options = xdp::Options {
        ethertype: 0x0111,
        ring: 1 << 18,
        generic: false,
    };
    let Some(first) = unless_missing(XdpLink::open(NAMES[0], &options)) else {
        return;
    };
    let told = XdpLink::open(NAMES[0], &options).unwrap_err();
    assert!(matches!(told, OpenError::Taken(_)), "{told}");
    drop(first);
    XdpLink::open(NAMES[0], &options).unwrap();
}

/// Sends the next number.
fn put(link: &mut dyn RawLink, number: &mut u32) {
    let frame = [numbered(link, *number)];
    let begun = Instant::now();
    while link.send(&frame).unwrap() == 0 {
        assert!(begun.elapsed() < LONG);
    }
    *number += 1;
}

/// Follows the numbers of what arrives.
#[derive(Default)]
struct Follow {
    awaited: u32,
    missing: u32,
    gap: bool,
    /// Gaps where nothing was missing.
    vain: u32,
}

impl Follow {
    fn receive(&mut self, link: &mut dyn RawLink) -> bool {
        let take = &mut |arrival: Arrival| match arrival {
            Arrival::Gap => self.gap = true,
            Arrival::Frame { bytes, whole, .. } => {
                let number = u32::from_be_bytes(bytes[48..52].try_into().unwrap());
                assert!(whole && number >= self.awaited);
                let missing = number - self.awaited;
                assert!(missing == 0 || self.gap, "{missing} missing without a gap");
                self.vain += u32::from(self.gap && missing == 0);
                self.missing += missing;
                self.awaited = number + 1;
                self.gap = false;
            }
        };
        link.receive(take).unwrap()
    }
}

#[test]
fn what_is_wrong_with_an_interface() {
    let told = |name: &str| {
        let error = PacketLink::open(name, &Options::default()).unwrap_err();
        error.to_string()
    };
    for name in ["", "a/b", "a b", "sixteen-letters-"] {
        assert!(
            told(name).starts_with(&format!("interface name '{name}'")),
            "{name}"
        );
    }
    if !network(100) {
        return;
    }
    assert!(told("rope7").starts_with("there is no network interface 'rope7'"));
    assert!(told("lo").ends_with("is not an Ethernet interface"));
    let settings = Settings::default();
    let small = settings.open(NAMES[0]).err().unwrap();
    assert!(matches!(
        small,
        OpenError::Mtu {
            mtu: 100,
            least: 120,
            ..
        }
    ));
    assert!(
        small.to_string().contains("ip link set rope0 mtu 9000"),
        "{small}"
    );
}

/// Other traffic on the interface does not come in.
#[test]
fn the_filter_leaves_out_other_frames() {
    if !network(9000) {
        return;
    }
    for backend in [Backend::Packet, Backend::Xdp] {
        let settings = Settings {
            backend,
            ..Settings::default()
        };
        let [near, far] = NAMES.map(|name| settings.open(name));
        if let (Some(near), Some(far)) = (unless_missing(near), unless_missing(far)) {
            filtered(near, far);
        }
    }
}

fn filtered(mut near: Box<dyn RawLink>, mut far: Box<dyn RawLink>) {
    let mut other = numbered(&near, 7);
    other[12] = 0x08;
    let frames = [other, numbered(&near, 8)];
    let begun = Instant::now();
    let mut left = &frames[..];
    while !left.is_empty() {
        left = &left[near.send(left).unwrap()..];
        assert!(begun.elapsed() < LONG);
    }
    let mut seen = Vec::new();
    while seen.is_empty() {
        far.wait(Duration::from_millis(5), false).unwrap();
        far.receive(&mut |arrival| {
            if let Arrival::Frame { bytes, .. } = arrival {
                seen.push(bytes[51]);
            }
        })
        .unwrap();
        assert!(begun.elapsed() < LONG);
    }
    assert_eq!(seen, [8]);
}

/// Prints the throughput, for a look at it; on a loaded machine it says little.
#[test]
#[ignore = "a measurement"]
fn throughput() {
    if !network(9000) {
        return;
    }
    for burst in [1408, 8192] {
        for (name, backend, measure) in [
            ("HTSP", Backend::Packet, measure::htsp as fn(_, _, _) -> _),
            ("HTSP", Backend::Xdp, measure::htsp),
            ("plain", Backend::Packet, measure::plain),
            ("plain", Backend::Xdp, measure::plain),
        ] {
            let figures: Figures = measure(backend, 4 << 30, burst).unwrap();
            println!(
                "{name:5} {backend:?} bursts of {burst:4}: {:6.2} Gb/s, {:5.3} CPU s/GB, {} of {} bytes",
                figures.gbps(),
                figures.cpu_s_per_gb(),
                figures.bytes,
                figures.sent
            );
        }
    }
}

/// Prints what the packet ring does by itself, and what of it comes in batches.
#[test]
#[ignore = "a measurement"]
fn throughput_of_a_receiver() {
    if !network(9000) {
        return;
    }
    let total = 2_000_000_000;
    for _ in 0..3 {
        let load = Load::start(NAMES[0], 8192).unwrap();
        let ring = measure::ring(NAMES[1], total, LONG).unwrap();
        load.stop().unwrap();
        let settings = Settings::default();
        let (link, options) = (settings.open(NAMES[1]).unwrap(), Batches::default());
        let mut receiver = Receiver::start(link, &settings, &options, None).unwrap();
        let load = Load::start(NAMES[0], 8192).unwrap();
        let (mut bytes, mut begun) = (0, None);
        let mut seconds = 0.0;
        while bytes < total {
            let batch = receiver.recv(LONG).unwrap().expect("a batch");
            bytes += batch.bytes.len() as u64;
            if bytes > 0 {
                seconds = begun
                    .get_or_insert_with(Instant::now)
                    .elapsed()
                    .as_secs_f64();
            }
        }
        load.stop().unwrap();
        let gaps = receiver.missing().count();
        let rate = bytes as f64 * 8e-9 / seconds;
        println!(
            "ring {:.2} Gb/s, batches {rate:.2} Gb/s, {gaps} gaps",
            ring.gbps()
        );
    }
}
