// SPDX-License-Identifier: Apache-2.0
//! The rate of lanes whose line changes, is shared, or is slow: lines that the sender does not see.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_channel::Settings;
use ropewalk_sim::chunk::Link;
use ropewalk_wire::chunk::{Pace, Params, ReceiverSettings, SenderSettings};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

/// A line that all lanes share, with a queue in front of it that drops what it has no room for.
struct Line {
    /// Bits per second.
    rate: f64,
    /// Bytes that it lets wait.
    queue: usize,
    delay: Duration,
    /// Share of frames that it loses by chance.
    loss: f64,
    random: Xoshiro256PlusPlus,
    /// When it has sent all that waits.
    free: Duration,
    carried: VecDeque<(Duration, u8, Vec<u8>)>,
    dropped: u64,
}

impl Line {
    fn push(&mut self, now: Duration, lane: u8, bytes: Vec<u8>) {
        if ((self.random.next_u64() >> 11) as f64) < self.loss * (1u64 << 53) as f64 {
            return;
        }
        let waiting = self.free.saturating_sub(now).as_secs_f64() * self.rate / 8.0;
        if waiting as usize + bytes.len() > self.queue {
            self.dropped += 1;
            return;
        }
        let time = Duration::from_secs_f64(bytes.len() as f64 * 8.0 / self.rate);
        self.free = self.free.max(now) + time;
        self.carried
            .push_back((self.free + self.delay, lane, bytes));
    }
}

/// Bytes of a frame.
const FRAME: usize = Params::PAPER.frame_bytes();

/// What a line has carried.
#[derive(Debug)]
struct Told {
    /// Payload, as a share of what it can carry.
    goodput: f64,
    /// Frames that its queue had no room for, as a share of those sent.
    dropped: f64,
}

/// A link whose lanes share a line.
struct Shared {
    link: Link,
    line: Rc<RefCell<Line>>,
}

impl Shared {
    /// A line of `rate` bits per second, with a queue of `queue` bytes; chunks of about a fifth of
    /// a round trip, or of 8 frames if that is more.
    fn new(rate: f64, rtt: Duration, queue: usize, lanes: u8) -> Self {
        Self::paced(rate, rtt, queue, lanes, Pace::Found)
    }

    /// The same with another pace of each lane.
    fn paced(rate: f64, rtt: Duration, queue: usize, lanes: u8, pace: Pace) -> Self {
        let fill = rate / 8.0 * rtt.as_secs_f64();
        let params = Params {
            per_chunk: ((fill / 5.0 / 1216.0) as u16 / 8 * 8).clamp(64, 13_800),
            chunks: 32,
            lanes,
            ..Params::PAPER
        };
        let send = SenderSettings {
            pace,
            buffer: (2.0 * fill) as usize,
            ..SenderSettings::default()
        };
        let back = Settings {
            delay: rtt / 2,
            ..Settings::default()
        };
        let line = Rc::new(RefCell::new(Line {
            rate,
            queue,
            delay: rtt / 2,
            loss: 0.0,
            random: Xoshiro256PlusPlus::seed_from_u64(1),
            free: Duration::ZERO,
            carried: VecDeque::new(),
            dropped: 0,
        }));
        let mut link = Link::new(params, send, ReceiverSettings::default(), &back, 1);
        link.waits = false;
        let shared = line.clone();
        link.filter = Box::new(move |passing| {
            if passing.forth {
                let bytes = std::mem::take(passing.bytes);
                shared.borrow_mut().push(passing.now, passing.lane, bytes);
            }
            !passing.forth
        });
        Shared { link, line }
    }

    /// Goes on for so long, with as many chunks as the sender wants; says what share of the line
    /// carried payload.
    fn run(&mut self, time: Duration) -> f64 {
        let (link, line) = (&mut self.link, &self.line);
        let begun = link.delivered.len();
        let end = link.now + time;
        loop {
            while link.sender.wants_chunk() {
                let bytes = link.params.chunk_bytes();
                link.offer(bytes);
                link.settle();
            }
            let next = line.borrow().carried.front().map(|passing| passing.0);
            let next = next.unwrap_or(end).min(end);
            if link.step(next) {
                continue;
            }
            link.now = next;
            if next == end {
                break;
            }
            if let Some((_, lane, bytes)) = line.borrow_mut().carried.pop_front() {
                link.receiver.receive(next, lane, &bytes);
            }
            link.settle();
        }
        let bytes = (link.delivered.len() - begun) * link.params.chunk_bytes();
        bytes as f64 * 8.0 / time.as_secs_f64() / line.borrow().rate
    }

    fn arrived(&self, lane: u8) -> u64 {
        self.link
            .sender
            .lane(lane)
            .map_or(0, |lane| lane.frames().1)
    }

    /// Goes on for so long.
    fn told(&mut self, time: Duration) -> Told {
        let before = (
            self.link.sender.counters().frames,
            self.line.borrow().dropped,
        );
        let goodput = self.run(time);
        let sent = self.link.sender.counters().frames - before.0;
        let dropped = self.line.borrow().dropped - before.1;
        Told {
            goodput,
            dropped: dropped as f64 / sent as f64,
        }
    }
}

const MS: Duration = Duration::from_millis(1);

/// Lines that are full when little more than one frame is on its way, with room for some more in
/// front of them.
#[test]
fn lines_that_one_frame_fills() {
    for (rate, rtt) in [(10e6, 10 * MS), (100e6, MS), (1e9, MS / 10), (10e6, 2 * MS)] {
        for (queue, least) in [(2, 0.91), (4, 0.95), (8, 0.97)] {
            let mut shared = Shared::new(rate, rtt, queue * FRAME, 1);
            let time = Duration::from_secs_f64(1000.0 * FRAME as f64 * 8.0 / rate);
            shared.run(time);
            let goodput = shared.run(time);
            println!("{rate} bit/s, {rtt:?}, queue of {queue} frames: {goodput:.3}");
            assert!(goodput > least);
        }
    }
}

/// Two lanes that know nothing of each other.
#[test]
fn a_line_that_is_shared() {
    for (rate, rtt) in [(100e6, 10 * MS), (1e9, MS)] {
        for queue in [0.5, 1.0, 2.0] {
            let fill = rate / 8.0 * rtt.as_secs_f64();
            let mut shared = Shared::new(rate, rtt, (queue * fill) as usize, 2);
            shared.run(500 * rtt);
            let before = [shared.arrived(0), shared.arrived(1)];
            let told = shared.told(1000 * rtt);
            let carried = [shared.arrived(0) - before[0], shared.arrived(1) - before[1]];
            println!("{rate} bit/s, {rtt:?}, queue {queue}: {told:?}, {carried:?}");
            assert!(told.goodput > 0.94 && told.dropped < 0.25);
            assert!(carried[0] < 2 * carried[1] && carried[1] < 2 * carried[0]);
        }
    }
}

/// A line that carries half of what it did, and then all of it again.
#[test]
fn a_line_that_changes() {
    for (rate, rtt) in [(100e6, 10 * MS), (1e9, MS)] {
        for queue in [0.5, 1.0, 2.0] {
            let fill = rate / 8.0 * rtt.as_secs_f64();
            let mut shared = Shared::new(rate, rtt, (queue * fill) as usize, 1);
            shared.run(100 * rtt);
            shared.line.borrow_mut().rate /= 2.0;
            let (at_once, then) = (shared.told(20 * rtt), shared.told(60 * rtt));
            println!("{rate} bit/s, {rtt:?}, queue {queue}: less: {at_once:?}, {then:?}");
            assert!(at_once.goodput > 0.7 && at_once.dropped < 0.35);
            assert!(then.goodput > 0.94 && then.dropped < 0.1);
            shared.line.borrow_mut().rate *= 2.0;
            let (at_once, then) = (shared.told(20 * rtt), shared.told(60 * rtt));
            println!("{rate} bit/s, {rtt:?}, queue {queue}: more: {at_once:?}, {then:?}");
            assert!(at_once.goodput > 0.4 && then.goodput > 0.75);
        }
    }
}

/// Loss by chance is no reason to be slow.
#[test]
fn a_line_that_loses() {
    for (rate, rtt) in [(100e6, 10 * MS), (1e9, 10 * MS)] {
        for loss in [0.01, 0.05, 0.2, 0.5] {
            let fill = rate / 8.0 * rtt.as_secs_f64();
            let mut shared = Shared::new(rate, rtt, fill as usize, 1);
            shared.run(100 * rtt);
            shared.line.borrow_mut().loss = loss;
            let (at_once, then) = (shared.told(100 * rtt), shared.told(400 * rtt));
            println!("{rate} bit/s, {rtt:?}, loss {loss}: {at_once:?}, {then:?}");
            assert!(then.goodput > 0.9 * (1.0 - loss));
        }
    }
}

/// The most that `--limit` lets go: lanes that could carry much more together send no more bytes
/// than that in any second, and little less.
#[test]
fn a_limit_is_kept() {
    for (limit, lanes) in [(20_000_000, 1), (100_000_000, 1), (100_000_000, 4)] {
        let pace = Pace::Capped(limit / u64::from(lanes));
        let mut shared = Shared::paced(1e9, 10 * MS, 100 * FRAME, lanes, pace);
        shared.run(200 * MS);
        for _ in 0..3 {
            let before = shared.link.sender.counters().frames;
            shared.run(1000 * MS);
            let frames = shared.link.sender.counters().frames - before;
            let share = (frames * FRAME as u64 * 8) as f64 / limit as f64;
            println!("{limit} bit/s, {lanes} lanes: {share:.4} of it");
            // A burst of a few frames may stand at either end.
            assert!((0.95..1.02).contains(&share), "{share}");
        }
    }
}
