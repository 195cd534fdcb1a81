// SPDX-License-Identifier: Apache-2.0
//! Whole transfers between two ends in one process, over a network in memory that does all that a
//! network does.

mod common;

use common::{key, receive_whole};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_channel::Settings as Channel;
use ropewalk_chunk::transfer::listener::{Admission, Listener};
use ropewalk_chunk::transfer::recv::{Fault, Received};
use ropewalk_chunk::transfer::send::{Progress, SendError, Settings, send};
use ropewalk_chunk::transfer::source::Selection;
use ropewalk_chunk::transfer::{Arrangement, Via};
use ropewalk_io::lane::network::{self, Network};
use ropewalk_io::lane::sim_network::SimNetwork;
use ropewalk_io::link::Waker;
use ropewalk_io::{Lane, LaneError};
use ropewalk_wire::chunk::Fec;
use ropewalk_wire::chunk::handshake::Credentials;
use std::fs;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const BLOCK: usize = 1 << 22;

/// The seed of a run: `SEED`, or another one each time; it is printed.
fn seed() -> u64 {
    let given = std::env::var("SEED").ok();
    let seed = given.map_or_else(
        || {
            let bytes = blake3::hash(format!("{:?}", std::time::SystemTime::now()).as_bytes());
            u64::from(bytes.as_bytes()[0]) << 8 | u64::from(bytes.as_bytes()[1])
        },
        |text| text.parse().expect("SEED is a number"),
    );
    println!("SEED={seed}");
    seed
}

fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; length];
    Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes
}

fn receiver() -> SocketAddr {
    "10.0.0.2:7425".parse().unwrap()
}

/// A network of 2 Gb/s lanes with a millisecond of delay.
fn network(channel: Channel, seed: u64) -> SimNetwork {
    let make = move |number: usize, _| {
        [0, 1].map(|direction| Channel {
            rate: channel.rate.or(Some(2_000_000_000)),
            queue: 1 << 20,
            delay: Duration::from_millis(1),
            mtu: 9000,
            seed: seed ^ (2 * number as u64 + direction),
            ..channel.clone()
        })
    };
    SimNetwork::new(make, true)
}

/// Sealed, unless the credentials are others.
fn settings(lanes: usize, arrangement: Arrangement) -> Settings {
    Settings {
        lanes: vec![(None, receiver()); lanes],
        via: Via::Udp,
        arrangement,
        fec: Fec::None,
        rate: None,
        timeout: Duration::from_secs(100),
        credentials: Credentials::Keys(key(1), key(2).public),
        delta: true,
    }
}

/// Sends what is in `in/`, and receives it in `out/`, attempt after attempt: what both ends say at
/// last.
fn transfer(
    network: &dyn Network,
    folder: &Path,
    settings: &Settings,
    watch: &mut dyn FnMut(&Progress),
) -> (Result<Progress, SendError>, Option<Received>) {
    transfer_until(network, folder, settings, watch, &|| false)
}

fn transfer_until(
    network: &dyn Network,
    folder: &Path,
    settings: &Settings,
    watch: &mut dyn FnMut(&Progress),
    stop: &(dyn Fn() -> bool + Sync),
) -> (Result<Progress, SendError>, Option<Received>) {
    let all = folder.join("in").into();
    transfer_of(network, (&all, folder), settings, watch, stop)
}

fn transfer_of(
    network: &dyn Network,
    (selection, folder): (&Selection, &Path),
    settings: &Settings,
    watch: &mut dyn FnMut(&Progress),
    stop: &(dyn Fn() -> bool + Sync),
) -> (Result<Progress, SendError>, Option<Received>) {
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let receiving = scope.spawn(|| {
            let admission = match settings.credentials {
                Credentials::Trusted => Admission::Trusted,
                _ => Admission::Keys(key(2), vec![key(1).public]),
            };
            let mut listener = Listener::open(network, receiver(), admission).unwrap();
            receive_whole(&mut listener, &folder.join("out"), &ended)
        });
        let sent = send(network, settings, selection, watch, stop);
        ended.store(sent.is_err(), Ordering::Relaxed);
        (sent, receiving.join().unwrap())
    })
}

/// Channels that carry what is sent and no more, at a rate.
fn slow(rate: u64) -> Channel {
    Channel {
        rate: Some(rate),
        ..Channel::default()
    }
}

fn folder(bytes: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("in/file"), bytes).unwrap();
    fs::write(folder.path().join("in/empty"), []).unwrap();
    folder
}

fn arrived(folder: &Path, bytes: &[u8]) {
    assert!(fs::read(folder.join("out/in/file")).unwrap() == bytes);
    let names = fs::read_dir(folder.join("out/in")).unwrap();
    assert_eq!(names.count(), 2, "nothing is left over");
}

/// Loss, errors, duplicates and reordering on every lane, in both directions.
#[test]
fn over_bad_lanes() {
    let seed = seed();
    let bytes = noise(3 * BLOCK + 77, seed);
    for (arrangement, trusted) in [
        (Arrangement::Stable, false),
        (Arrangement::LowLatency, false),
        (Arrangement::LowLatency, true),
    ] {
        let folder = folder(&bytes);
        let bad = Channel {
            loss: 0.02,
            ber: 1e-7,
            duplicate: 0.02,
            reorder: 0.02,
            ..Channel::default()
        };
        let network = network(bad, seed);
        let mut settings = settings(2, arrangement);
        if trusted {
            settings.credentials = Credentials::Trusted;
        }
        let (sent, received) = transfer(&network, folder.path(), &settings, &mut |_| ());
        let (sent, received) = (sent.unwrap(), received.unwrap());
        assert_eq!(received.failure, None);
        assert_eq!(sent.done, bytes.len() as u64);
        assert!(sent.counters.resent > 0);
        arrived(folder.path(), &bytes);
    }
}

/// Files with either kind of parity, which leaves little to be sent again, however busy the machine
/// is. A block of 16 and 8 loses more than 8 in one of a million; frames of 8 sub-packets take 8
/// blocks with them, 128 sub-packets, and there are 100 such. Of what is noisy, the headers of 4
/// frames of 2000 do not pass for what they were, with 4 sub-packets each.
#[test]
fn parity_over_bad_lanes() {
    let seed = seed();
    let bytes = noise(3 * BLOCK + 77, seed);
    let lossy = Channel {
        loss: 0.05,
        ..Channel::default()
    };
    let noisy = Channel {
        ber: 1e-5,
        ..Channel::default()
    };
    for (channel, fec) in [(lossy, Fec::Restore(16, 8)), (noisy, Fec::Mend(4))] {
        for arrangement in [Arrangement::Stable, Arrangement::LowLatency] {
            let folder = folder(&bytes);
            let settings = Settings {
                fec,
                ..settings(2, arrangement)
            };
            let network = network(channel.clone(), seed);
            let (sent, received) = transfer(&network, folder.path(), &settings, &mut |_| ());
            let sent = sent.unwrap();
            let received = received.unwrap();
            assert_eq!(received.failure, None);
            // Both kinds are needed for what these channels do to 2000 frames.
            let restores = fec == Fec::Restore(16, 8);
            assert_eq!(sent.counters.parity > 0, restores);
            assert_eq!(
                (received.restored > 0, received.mended.bytes > 0),
                (restores, !restores)
            );
            let (resent, all) = (sent.counters.resent, sent.counters.sub_packets);
            println!("{fec:?}, {arrangement:?}: {resent} of {all} sent again");
            assert!(resent <= if sent.counters.parity > 0 { 300 } else { 100 });
            // Its bytes are sent in either case, a third and more of the payload.
            assert!(sent.counters.bytes * 4 > bytes.len() as u64 * 5);
            arrived(folder.path(), &bytes);
        }
    }
}

/// A receiver does not keep more parity than it has memory for, and says so.
#[test]
fn too_much_parity_is_refused() {
    let folder = folder(b"few");
    let network = network(Channel::default(), 1);
    let settings = Settings {
        fec: Fec::Restore(8, 9),
        ..settings(1, Arrangement::Stable)
    };
    let (sent, _) = transfer(&network, folder.path(), &settings, &mut |_| ());
    let told = sent.unwrap_err().to_string();
    assert!(told.contains("at most 100 for 100 sub-packets"), "{told}");
}

/// One lane after the other dies in the middle, the first one too: one attempt, whatever is left.
/// It takes longer than that on two lanes that live.
#[test]
fn low_latency_outlives_any_lane() {
    let seed = seed();
    let bytes = noise(9 * BLOCK, seed);
    for dead in 0..2 {
        let folder = folder(&bytes);
        let make = move |number: usize, _| {
            let death = Duration::from_millis(150)..Duration::from_secs(3600);
            let cuts = if number / 2 == dead {
                vec![death]
            } else {
                vec![]
            };
            [0, 1].map(|_| Channel {
                cuts: cuts.clone(),
                seed,
                ..slow(400_000_000)
            })
        };
        let network = SimNetwork::new(make, true);
        let settings = settings(2, Arrangement::LowLatency);
        let (sent, received) = transfer(&network, folder.path(), &settings, &mut |_| ());
        assert_eq!(sent.unwrap().broken, 0);
        assert_eq!(received.unwrap().failure, None);
        arrived(folder.path(), &bytes);
    }
}

/// The narrowest path.
#[test]
fn over_a_narrow_path() {
    let seed = seed();
    let bytes = noise(BLOCK + 77, seed);
    for lanes in [1, 16] {
        let folder = folder(&bytes);
        let make = move |_: usize, _| {
            [0, 1].map(|_| Channel {
                mtu: 512,
                loss: 0.05,
                seed,
                ..Channel::default()
            })
        };
        let network = SimNetwork::new(make, true);
        let settings = settings(lanes, Arrangement::LowLatency);
        let (sent, received) = transfer(&network, folder.path(), &settings, &mut |_| ());
        assert_eq!(sent.unwrap().done, bytes.len() as u64);
        assert_eq!(received.unwrap().failure, None);
        arrived(folder.path(), &bytes);
    }
}

/// A file that is another one while it is read: both ends say so. An interruption: what has come is
/// there the next time.
#[test]
fn the_sender_gives_up() {
    let seed = seed();
    // More than the ends hold at a time.
    let bytes = noise(20 * BLOCK, seed);
    let folder = folder(&bytes);
    let network = network(slow(400_000_000), seed);
    let settings = settings(1, Arrangement::Stable);
    let file = folder.path().join("in/file");
    let mut changed = false;
    let mut watch = |progress: &Progress| {
        if !changed && progress.done > 0 {
            changed = true;
            let file = fs::File::options().write(true).open(&file).unwrap();
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        }
    };
    let (sent, received) = transfer(&network, folder.path(), &settings, &mut watch);
    assert!(matches!(sent, Err(SendError::Changed(_))), "{sent:?}");
    match received.unwrap().failure {
        Some(Fault::GivenUp(text)) => assert!(text.contains("was changed"), "{text}"),
        other => panic!("{other:?}"),
    }
    let stop = AtomicBool::new(false);
    let mut watch = |progress: &Progress| {
        // The memory of a block that has arrived was needed for it.
        stop.store(progress.done > 12 * BLOCK as u64, Ordering::Relaxed);
    };
    let stopped = || stop.load(Ordering::Relaxed);
    let (sent, received) = transfer_until(&network, folder.path(), &settings, &mut watch, &stopped);
    assert!(matches!(sent, Err(SendError::Stopped)), "{sent:?}");
    match received.unwrap().failure {
        Some(Fault::Left(text)) => assert!(text.contains("interrupted"), "{text}"),
        other => panic!("{other:?}"),
    }
    let (sent, received) = transfer(&network, folder.path(), &settings, &mut |_| ());
    assert!(sent.unwrap().spared >= BLOCK as u64);
    assert_eq!(received.unwrap().failure, None);
    arrived(folder.path(), &bytes);
}

/// A lane. One has a mistake, which shows after `calls` calls. The others are blocked after more of
/// them until it has: which thread gets a processor does not matter.
struct Faulty {
    lane: Box<dyn Lane>,
    faulty: bool,
    calls: u32,
    shown: Arc<AtomicBool>,
}

impl Lane for Faulty {
    fn send(&mut self, pieces: &[IoSlice<'_>], segment: usize) -> io::Result<bool> {
        match self.calls.checked_sub(1) {
            Some(left) => self.calls = left,
            None if self.faulty => {
                self.shown.store(true, Ordering::Relaxed);
                panic!("the mistake");
            }
            None if self.shown.load(Ordering::Relaxed) => (),
            None => return Ok(false),
        }
        self.lane.send(pieces, segment)
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        self.lane.receive(take)
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        self.lane.wait(timeout, blocked)
    }

    fn waker(&self) -> Waker {
        self.lane.waker()
    }

    fn limit(&self) -> usize {
        self.lane.limit()
    }

    fn buffer(&self) -> usize {
        self.lane.buffer()
    }

    fn drops(&self) -> u64 {
        self.lane.drops()
    }
}

/// Of the lanes that the sender opens, this one, in the order of opening, has a mistake.
struct FaultyNetwork(SimNetwork, AtomicU32, Arc<AtomicBool>);

impl Network for FaultyNetwork {
    fn connect(
        &self,
        local: Option<SocketAddr>,
        peer: SocketAddr,
    ) -> Result<Box<dyn Lane>, LaneError> {
        let lane = self.0.connect(local, peer)?;
        let faulty = self.1.fetch_sub(1, Ordering::Relaxed) == 0;
        Ok(Box::new(Faulty {
            lane,
            faulty,
            calls: if faulty { 60 } else { 300 },
            shown: Arc::clone(&self.2),
        }))
    }

    fn listen(&self, local: SocketAddr) -> Result<Box<dyn network::Listener>, LaneError> {
        self.0.listen(local)
    }
}

/// The thread of one lane panics while the others carry on: the transfer ends, and says why.
#[test]
fn a_mistake_in_one_lane_is_told() {
    let seed = seed();
    for number in [0, 2] {
        // Another one for each: what has come is not sent again.
        let folder = folder(&noise(20 * BLOCK, seed));
        let network = network(slow(400_000_000), seed);
        let network = FaultyNetwork(network, AtomicU32::new(number), Arc::default());
        let settings = settings(2, Arrangement::Stable);
        // Else it would wait for ever.
        let begun = Instant::now();
        let stop = || begun.elapsed() > settings.timeout;
        let (sent, _) = transfer_until(&network, folder.path(), &settings, &mut |_| (), &stop);
        match sent {
            Err(SendError::Internal(text)) => assert!(text.contains("the mistake"), "{text}"),
            other => panic!("lane {number}: {other:?}"),
        }
    }
}

/// Permissions and times are those of the source: of directories too, after all that is in them,
/// and of files whose bytes were there already.
#[test]
fn permissions_and_times() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(b"abc");
    let network = network(Channel::default(), 1);
    let settings = settings(1, Arrangement::LowLatency);
    let root = folder.path().join("in");
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("sub/x"), b"x").unwrap();
    let set = |name: &str, mode, seconds| {
        let path = root.join(name);
        let file = fs::File::open(&path).unwrap();
        let time = std::time::UNIX_EPOCH + Duration::new(seconds, 5);
        file.set_modified(time).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    for (mode, other) in [(0o640, 0o555), (0o604, 0o700)] {
        set("file", mode, 1_000_000_000);
        set("sub/x", mode, 1_000_000_001);
        set("sub", other, 1_000_000_002);
        set("", other, 1_000_000_003);
        let (sent, received) = transfer(&network, folder.path(), &settings, &mut |_| ());
        sent.unwrap();
        assert_eq!(received.unwrap().failure, None);
        for name in ["file", "sub/x", "sub", ""] {
            let about = |from: &str| {
                let about = fs::metadata(folder.path().join(from).join(name)).unwrap();
                (about.permissions().mode(), about.modified().unwrap())
            };
            assert_eq!(about("in"), about("out/in"), "{name}");
        }
        // So that it can be removed.
        set("", 0o755, 1);
        let copy = folder.path().join("out/in");
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Extended attributes of the user go along where that is wanted: of a small file and of a large
/// one, of those that may only be read, of directories, and of files that are there already.
#[test]
fn extended_attributes() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(b"small");
    let network = network(Channel::default(), 1);
    let settings = settings(1, Arrangement::LowLatency);
    let root = folder.path().join("in");
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("large"), noise(BLOCK + 5, 1)).unwrap();
    let names = ["file", "large", "sub", ""];
    let value = |from: &str, name: &str| {
        let mut value = [0; 9];
        let path = folder.path().join(from).join(name);
        let length = rustix::fs::getxattr(path, "user.kind", &mut value[..]).ok()?;
        Some(value[..length].to_vec())
    };
    let mut selection = Selection::from(root.clone());
    for (round, xattrs, expected) in [(0, false, None), (1, true, Some(1)), (2, false, Some(1))] {
        for name in names {
            let path = root.join(name);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
            let flags = rustix::fs::XattrFlags::empty();
            let (file, value) = (fs::File::open(&path).unwrap(), [round, 0, name.len() as u8]);
            rustix::fs::fsetxattr(&file, "user.kind", &value, flags).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o500)).unwrap();
        }
        selection.xattrs = xattrs;
        let source = (&selection, folder.path());
        let (sent, received) = transfer_of(&network, source, &settings, &mut |_| (), &|| false);
        let sent = sent.unwrap();
        assert_eq!(received.unwrap().failure, None);
        assert_eq!(sent.spared > BLOCK as u64, round > 0, "{sent:?}");
        for name in names {
            let expected = expected.map(|round| vec![round, 0, name.len() as u8]);
            assert_eq!(value("out/in", name), expected, "{name}, round {round}");
        }
    }
    // So that it can be removed.
    for name in ["in", "in/sub", "out/in", "out/in/sub"] {
        let writable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path().join(name), writable).unwrap();
    }
}

/// Sends `new` where `old` is there as `name`: what the sender counts.
fn send_new(old: &[u8], name: &str, new: &[u8], delta: bool) -> Progress {
    let folder = folder(new);
    let network = network(Channel::default(), 1);
    let settings = Settings {
        delta,
        ..settings(1, Arrangement::LowLatency)
    };
    let path = folder.path().join("out").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, old).unwrap();
    let (sent, received) = transfer(&network, folder.path(), &settings, &mut |_| ());
    assert_eq!(received.unwrap().failure, None);
    arrived(folder.path(), new);
    sent.unwrap()
}

/// Of a file that has changed a little, or was moved, little travels.
#[test]
fn only_what_is_new_travels() {
    let seed = seed();
    let old = noise(7 * BLOCK + 99, seed);
    let all = old.len() as u64;
    let mut new = old.clone();
    let place = 3 * BLOCK - 5;
    new.splice(place..place, *b"seventeen bytes!!");
    for (name, now) in [("in/file", &new), ("moved/there", &old)] {
        let sent = send_new(&old, name, now, true);
        assert!(sent.sent < all / 100, "{name}: {} of {all}", sent.sent);
        assert!(sent.reused > all * 99 / 100 && sent.spared == sent.reused);
        let sent = send_new(&old, name, now, false);
        assert!(sent.sent > all && sent.spared == 0, "{name}: {}", sent.sent);
    }
    let other = noise(7 * BLOCK, seed + 1);
    let sent = send_new(&old, "in/file", &other, true);
    assert!(sent.sent > other.len() as u64 && sent.reused == 0);
}

/// An interruption while blocks are put together: the older file is there until all of the new one
/// is, and what was done is done.
#[test]
fn interrupted_while_older_files_are_used() {
    let seed = seed();
    let old = noise(10 * BLOCK, seed);
    // At first all of it is there, and then nothing of more than the ends hold at a time.
    let rest = noise(24 * BLOCK, seed + 1);
    let new = [&b"in front"[..], &old, &rest].concat();
    let folder = folder(&new);
    let copy = folder.path().join("out/in");
    fs::create_dir_all(&copy).unwrap();
    fs::write(copy.join("file"), &old).unwrap();
    let network = network(slow(400_000_000), seed);
    let settings = settings(1, Arrangement::Stable);
    let stop = AtomicBool::new(false);
    let mut watch = |progress: &Progress| {
        stop.store(progress.written > 11 * BLOCK as u64, Ordering::Relaxed);
    };
    let stopped = || stop.load(Ordering::Relaxed);
    let (sent, received) = transfer_until(&network, folder.path(), &settings, &mut watch, &stopped);
    assert!(matches!(sent, Err(SendError::Stopped)), "{sent:?}");
    assert!(received.unwrap().failure.is_some());
    assert!(fs::read(copy.join("file")).unwrap() == old);
    let (sent, received) = transfer(&network, folder.path(), &settings, &mut |_| ());
    assert_eq!(received.unwrap().failure, None);
    let sent = sent.unwrap();
    assert!(sent.spared > 11 * BLOCK as u64 && sent.sent < 24 * BLOCK as u64);
    arrived(folder.path(), &new);
}
