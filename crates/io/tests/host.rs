// SPDX-License-Identifier: Apache-2.0
//! HTSP ends with threads, joined in memory: no privileges are needed. The line holds [`ROOM`]
//! frames and loses none unless a test wants it to.

use ropewalk_io::htsp::{Closed, Driver, Host, SendError, Settings, Stats};
use ropewalk_io::{Arrival, PipeLink, RawLink, Waker};
use ropewalk_wire::htsp::{Event, Last, Mac, Piece, Tuser};
use std::io;
use std::time::{Duration, Instant};

/// More than any thread waits for a processor.
const LONG: Duration = Duration::from_secs(60);

/// Frames on a line in each direction.
const ROOM: usize = 64;

#[path = "../examples/htsp.rs"]
mod example;

#[test]
fn the_example() {
    assert_eq!(example::carry(20).unwrap(), 2_000_000);
}

fn settings() -> Settings {
    Settings {
        channels: 4,
        alive: LONG,
        ..Settings::default()
    }
}

/// Two ends on a line.
fn joined(settings: &Settings) -> [Host; 2] {
    PipeLink::pair(ROOM, 9014).map(|link| Host::start(link, settings, None).unwrap())
}

fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < LONG, "never: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Bytes that differ by channel and place.
fn pattern(channel: u8, length: usize) -> Vec<u8> {
    (0..length)
        .map(|i| (i as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0] ^ channel)
        .collect()
}

/// The next piece of a reader.
fn next(reader: &ropewalk_io::htsp::Reader) -> Piece {
    reader.recv(LONG).unwrap().expect("a piece")
}

/// All bytes up to the next end, and whether it is a good one.
fn frame(reader: &ropewalk_io::htsp::Reader) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    loop {
        let piece = next(reader);
        bytes.extend(piece.bytes);
        if piece.end {
            return (bytes, !piece.error);
        }
    }
}

/// TUSER of a frame that was written in parts comes with its first and with its last piece.
#[test]
fn tuser_of_a_frame() {
    let [mut here, mut there] = joined(&settings());
    let mut writer = here.writer(1).unwrap();
    let reader = there.reader(1).unwrap();
    // What is sent before the peer has been heard has no TUSER in its footer.
    wait_for("a link", || {
        here.stats().peer_ready && there.stats().peer_ready
    });
    let (first, last) = (0xa7, 0x55);
    let begin = Tuser { first, last: 1 };
    let end = Tuser { first: 2, last };
    for (bytes, last, tuser) in [(300_000, Last::No, begin), (7, Last::Yes, end)] {
        let bytes = pattern(1, bytes);
        let sent = writer.send_tuser(&bytes, last, tuser, LONG).unwrap();
        assert_eq!(sent, bytes.len());
    }
    let mut piece = next(&reader);
    assert_eq!(piece.tuser.first, first);
    while !piece.end {
        assert_eq!(piece.tuser.last, 0);
        piece = next(&reader);
        assert_eq!(piece.tuser.first, 0);
    }
    assert_eq!(piece.tuser.last, last);
}

/// Both directions, all channels at once: every byte, once, in order.
#[test]
fn every_byte_both_ways() {
    let mut hosts = joined(&settings());
    let sizes = [1, 63, 64, 65, 8191, 8192, 8193, 100_000, 3_000_000];
    std::thread::scope(|scope| {
        for host in &mut hosts {
            for channel in 0..4 {
                let mut writer = host.writer(channel).unwrap();
                let reader = host.reader(channel).unwrap();
                scope.spawn(move || {
                    for size in sizes {
                        writer.send(&pattern(channel, size), Last::Yes).unwrap();
                    }
                });
                scope.spawn(move || {
                    for size in sizes {
                        assert_eq!(frame(&reader), (pattern(channel, size), true));
                    }
                });
            }
        }
    });
    for host in hosts {
        assert!(host.flush(LONG));
        let stats = host.close().unwrap();
        let lost = (stats.rx.lost, stats.rx.damaged, stats.drops, stats.gaps);
        assert_eq!(lost, (0, 0, 0, 0));
        assert!(
            stats
                .channels
                .iter()
                .all(|it| it.overflows == 0 && it.rx.errors == 0)
        );
    }
}

/// A reader that does not read pauses its channel, and no other; nothing overflows, and nothing is
/// lost when it goes on.
#[test]
fn a_slow_reader_pauses_the_peer() {
    let settings = Settings {
        // The line and a batch fit above the threshold.
        buffer: 1 << 24,
        pause_at: 1 << 16,
        ..settings()
    };
    let [mut near, mut far] = joined(&settings);
    let length = 32 << 20;
    let mut blocked = near.writer(1).unwrap();
    let slow = std::thread::spawn(move || blocked.send(&pattern(1, length), Last::Yes));
    let reader = far.reader(1).unwrap();
    let paused = |stats: &Stats| stats.peer_pause & 2 != 0;
    wait_for("pause", || paused(&near.stats()));
    // The other channels go on.
    let mut writer = near.writer(2).unwrap();
    let other = far.reader(2).unwrap();
    for _ in 0..100 {
        writer.send(&pattern(2, 10_000), Last::Yes).unwrap();
        assert_eq!(frame(&other), (pattern(2, 10_000), true));
    }
    wait_for("pause", || paused(&near.stats()));
    assert!(!slow.is_finished());
    let taken = far.stats().channels[1].rx.bytes;
    assert!(
        (taken as usize) < length,
        "{taken} bytes came although nobody reads"
    );
    assert_eq!(frame(&reader), (pattern(1, length), true));
    slow.join().unwrap().unwrap();
    assert_eq!(far.close().unwrap().channels[1].overflows, 0);
}

/// A peer that does not run is sent no more than it has room for, although it pauses nothing; when
/// it runs again, all of it arrives.
#[test]
fn a_peer_that_does_not_run_is_not_flooded() {
    let settings = Settings {
        burst: 64,
        ..settings()
    };
    let room = 1 << 19;
    let [near, far] = PipeLink::pair(room, 9014);
    let mut near = Host::start(near, &settings, None).unwrap();
    let mut far = Driver::new(far, &settings).unwrap();
    wait_for("link", || {
        far.turn().unwrap();
        near.stats().peer_ready && far.endpoint().ready()
    });
    let length = 64 * room;
    let mut writer = near.writer(0).unwrap();
    let writer = std::thread::spawn(move || writer.send(&pattern(0, length), Last::Yes));
    wait_for("data", || {
        far.turn().unwrap();
        near.stats().tx.data > 0
    });
    // Nobody turns the far end. What is sent comes to an end long before the line is full.
    let mut before = 0;
    wait_for("silence", || {
        std::thread::sleep(Duration::from_millis(50));
        let now = near.stats().tx.data;
        std::mem::replace(&mut before, now) == now
    });
    assert!(before < room as u64, "{before} frames on a line of {room}");
    let (mut bytes, mut ended) = (0, false);
    wait_for("all of it", || {
        while far.turn().unwrap() {
            while let Some(piece) = far.endpoint().pop(0) {
                assert!(!piece.error);
                bytes += piece.bytes.len();
                ended = piece.end;
            }
        }
        ended
    });
    assert_eq!(bytes, length);
    writer.join().unwrap().unwrap();
}

/// A peer that does not heed pauses overflows a buffer: told, and the next frame is whole.
#[test]
fn what_overflows_is_told() {
    let settings = Settings {
        buffer: 1 << 15,
        pause_at: 1 << 15,
        ..settings()
    };
    let [mut near, mut far] = joined(&settings);
    let mut writer = near.writer(0).unwrap();
    let slow = std::thread::spawn(move || {
        // More than reader queue and buffer hold, in frames of one piece.
        for _ in 0..2000 {
            writer.send(&pattern(0, 8000), Last::Yes).unwrap();
        }
        writer
    });
    wait_for("overflow", || far.stats().channels[0].overflows > 0);
    let reader = far.reader(0).unwrap();
    let mut good = 0;
    let mut overflows = 0;
    wait_for("all of them", || {
        while let Some(piece) = reader.recv(Duration::from_millis(1)).unwrap() {
            assert!(piece.error || piece.bytes == pattern(0, 8000));
            good += u64::from(!piece.error);
        }
        let told = std::iter::from_fn(|| far.event());
        overflows += told.filter(|it| *it == Event::Overflow(0)).count() as u64;
        good + overflows == 2000
    });
    slow.join().unwrap();
    assert_eq!(far.close().unwrap().channels[0].overflows, overflows);
}

/// A link that loses all that comes while it is told to, and says so like a ring that was full.
struct Leaky {
    link: PipeLink,
    lose: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    lost: bool,
}

impl RawLink for Leaky {
    fn receive(&mut self, take: &mut dyn FnMut(Arrival)) -> io::Result<bool> {
        let (lose, lost) = (&self.lose, &mut self.lost);
        self.link.receive(&mut |arrival| {
            let left = lose.load(std::sync::atomic::Ordering::Relaxed);
            if left > 0 {
                lose.store(left - 1, std::sync::atomic::Ordering::Relaxed);
                *lost = true;
                return;
            }
            if std::mem::take(lost) {
                take(Arrival::Gap);
            }
            take(arrival);
        })
    }

    fn send(&mut self, frames: &[Vec<u8>]) -> io::Result<usize> {
        self.link.send(frames)
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        self.link.wait(timeout, blocked)
    }

    fn waker(&self) -> Waker {
        self.link.waker()
    }

    fn line_up(&self) -> bool {
        true
    }

    fn limit(&self) -> usize {
        self.link.limit()
    }

    fn mac(&self) -> Mac {
        self.link.mac()
    }

    fn is_filling(&self) -> bool {
        self.link.is_filling()
    }

    fn drops(&self) -> u64 {
        0
    }
}

/// A ring that loses exactly 256 frames out of the middle of a user frame: the numbers show
/// nothing, and still the frame does not pass for whole. Both users are told.
#[test]
fn a_gap_of_256_frames_is_told_to_both() {
    let lose = std::sync::Arc::default();
    let settings = Settings {
        burst: 64,
        ..settings()
    };
    let [near, far] = PipeLink::pair(ROOM, 9014);
    let far = Leaky {
        link: far,
        lose: std::sync::Arc::clone(&lose),
        lost: false,
    };
    let mut near = Host::start(near, &settings, None).unwrap();
    let mut far = Host::start(far, &settings, None).unwrap();
    let (mut writer, reader) = (near.writer(0).unwrap(), far.reader(0).unwrap());
    wait_for("link", || near.stats().peer_ready && far.stats().peer_ready);
    writer.send(&[1; 64], Last::No).unwrap();
    assert_eq!(next(&reader).bytes, [1; 64]);
    lose.store(256, std::sync::atomic::Ordering::Relaxed);
    wait_for("loss", || {
        lose.load(std::sync::atomic::Ordering::Relaxed) == 0
    });
    let end = next(&reader);
    assert!(end.end && end.error);
    wait_for("cut", || near.stats().channels[0].tx.cut == 1);
    wait_for("gap", || far.stats().gaps == 1);
    let told = |host: &Host, wanted: &Event| {
        let mut events = std::iter::from_fn(|| host.event());
        events.any(|event| event == *wanted)
    };
    wait_for("cut", || told(&near, &Event::Cut(0)));
    let down = Event::LinkDown(ropewalk_wire::htsp::Down::Phy);
    wait_for("down", || told(&far, &down));
    // The rest of the cut frame goes nowhere, the next one is whole.
    writer.send(&[2; 100], Last::Yes).unwrap();
    writer.send(&[3; 100], Last::Yes).unwrap();
    assert_eq!(frame(&reader), (vec![3; 100], true));
}

#[test]
fn a_frame_that_its_writer_leaves_ends_in_error() {
    let [mut near, mut far] = joined(&settings());
    let (mut writer, reader) = (near.writer(3).unwrap(), far.reader(3).unwrap());
    writer.send(&pattern(3, 100), Last::No).unwrap();
    drop(writer);
    let (bytes, whole) = frame(&reader);
    assert!(!whole && bytes.starts_with(&pattern(3, 64)));
}

#[test]
fn opcodes_and_user_data_arrive() {
    let [near, mut far] = joined(&settings());
    near.set_user_data([7; 16]);
    near.send_opcode([1; 16]);
    near.send_opcode([2; 16]);
    let opcodes = far.opcodes().unwrap();
    assert!(far.opcodes().is_none());
    assert_eq!(opcodes.recv(LONG), Ok(Some([1; 16])));
    assert_eq!(opcodes.recv(LONG), Ok(Some([2; 16])));
    assert_eq!(opcodes.recv(Duration::from_millis(20)), Ok(None));
    wait_for("user data", || far.stats().peer_user_data == [7; 16]);
    let told: Vec<_> = std::iter::from_fn(|| far.event()).collect();
    assert!(told.contains(&Event::UserData([7; 16])));
    far.close().unwrap();
    assert_eq!(opcodes.recv(LONG), Err(Closed));
}

/// Op-codes that nobody reads are thrown away, the newest, and counted; events do not take their
/// room.
#[test]
fn opcodes_that_nobody_reads_are_counted() {
    let [near, mut far] = joined(&settings());
    const SENT: u32 = 5000;
    for number in 0..SENT {
        let mut opcode = [0; 16];
        opcode[..4].copy_from_slice(&number.to_be_bytes());
        near.send_opcode(opcode);
    }
    let all = |far: &Host| {
        let stats = far.stats();
        (stats.rx.opcodes == u64::from(SENT)).then_some(stats.events_missed)
    };
    wait_for("op-codes", || all(&far).is_some());
    let missed = all(&far).unwrap();
    let opcodes = far.opcodes().unwrap();
    let mut number = 0u32;
    while let Ok(Some(opcode)) = opcodes.recv(Duration::from_millis(20)) {
        assert_eq!(opcode[..4], number.to_be_bytes());
        number += 1;
    }
    assert!(number < SENT, "the queue is bounded");
    assert_eq!(u64::from(number) + missed, u64::from(SENT));
}

/// An end that closes takes nothing any more, and says so before it goes: what is written then
/// waits for the next peer.
#[test]
fn a_peer_that_closes_is_sent_nothing() {
    let [mut near, far] = joined(&settings());
    wait_for("link", || near.stats().peer_ready && far.stats().peer_ready);
    far.close().unwrap();
    wait_for("pause", || near.stats().peer_pause == 0xf);
    let mut writer = near.writer(0).unwrap();
    writer.send(&pattern(0, 100), Last::Yes).unwrap();
    wait_for("queue", || near.stats().channels[0].queued == 100);
    assert!(!near.flush(Duration::from_millis(10)));
    assert_eq!(near.stats().channels[0].queued, 100);
}

#[test]
fn misuse_is_refused() {
    let [mut near, _far] = joined(&settings());
    let mut writer = near.writer(0).unwrap();
    assert_eq!(writer.send(&[], Last::Yes), Err(SendError::Empty));
    assert!(near.writer(0).is_none() && near.writer(4).is_none());
    drop(near);
    assert_eq!(writer.send(&[1], Last::Yes), Err(SendError::Closed));
    let [link, _] = PipeLink::pair(1, 9014);
    let odd = Settings {
        burst: 100,
        ..settings()
    };
    let told = Host::start(link, &odd, None).unwrap_err().to_string();
    assert!(told.starts_with("burst of 100 bytes"), "{told}");
}

#[test]
fn a_rate_is_kept() {
    let [near, far] = PipeLink::pair(ROOM, 9014);
    let slow = Settings {
        rate: Some(80e6),
        ..settings()
    };
    let mut near = Host::start(near, &slow, None).unwrap();
    let mut far = Host::start(far, &settings(), None).unwrap();
    let (mut writer, reader) = (near.writer(0).unwrap(), far.reader(0).unwrap());
    wait_for("link", || near.stats().peer_ready);
    let begun = Instant::now();
    writer.send(&pattern(0, 2_000_000), Last::Yes).unwrap();
    assert!(frame(&reader).1);
    // 2 MB at 10 MB/s, less the burst that goes at once and what is saved up over a step of the
    // clock.
    assert!(
        begun.elapsed() > Duration::from_millis(180),
        "{:?}",
        begun.elapsed()
    );
}
