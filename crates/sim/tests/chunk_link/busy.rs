// SPDX-License-Identifier: Apache-2.0
//! Ends on a busy machine: each runs for a while and then has to wait, while the other one or
//! somebody else runs.

use ropewalk_channel::{Channel, Settings};
use ropewalk_wire::chunk::{
    Batch, Params, Receiver, ReceiverSettings, Sender, SenderSettings, Session, Tag,
};
use std::time::Duration;

const TICK: Duration = Duration::from_micros(50);
const MS: Duration = Duration::from_millis(1);

/// What protects the frames of one end.
fn session() -> Session {
    Session::checked(Tag {
        session: 1,
        secret: 2,
    })
}

/// Two ends that take turns.
#[derive(Debug, Clone)]
struct Turns {
    params: Params,
    there: Settings,
    back: Settings,
    buffer: usize,
    /// When the sender runs, and the receiver.
    sends: fn(Duration) -> bool,
    receives: fn(Duration) -> bool,
}

/// What came of it.
#[derive(Debug)]
struct Carried {
    /// Payload, bits per second.
    rate: f64,
    /// Sub-packets sent again, as a share of those sent.
    resent: f64,
}

impl Turns {
    /// Goes on for so long; what came of the time from `from` on.
    fn carry(&self, from: Duration, time: Duration) -> Carried {
        let params = self.params;
        let mut there = Channel::new(&self.there).unwrap();
        let mut back = Channel::new(&self.back).unwrap();
        let chunk = || vec![0; params.chunk_bytes()];
        let memory = (0..params.chunks).map(|_| chunk()).collect();
        let settings = SenderSettings {
            buffer: self.buffer,
            ..SenderSettings::default()
        };
        let mut sender = Sender::new(params, session(), settings, Duration::ZERO).unwrap();
        let mut receiver =
            Receiver::new(params, session(), ReceiverSettings::default(), memory).unwrap();
        let (mut batch, mut report, mut bytes) = (Batch::new(), Vec::new(), 0);
        let (mut now, mut before, mut begun) = (Duration::ZERO, sender.counters(), false);
        while now < from + time {
            now += TICK;
            if now > from && !begun {
                (begun, bytes, before) = (true, 0, sender.counters());
            }
            if (self.sends)(now) {
                while let Some(datagram) = back.pop(now) {
                    sender.receive(now, &datagram);
                }
                while sender.poll_event().is_some() {}
                while sender.wants_chunk() {
                    sender.offer(chunk(), params.chunk_bytes());
                }
                while sender.poll_transmit(now, 0, 6, &mut batch) {
                    for frame in batch.bytes().chunks(batch.segment()) {
                        there.push(now, frame);
                    }
                }
            }
            if (self.receives)(now) {
                while let Some(datagram) = there.pop(now) {
                    receiver.receive(now, 0, &datagram);
                }
                while let Some(done) = receiver.poll_chunk() {
                    bytes += done.bytes as u64;
                    receiver.give_back(done.memory);
                }
                while receiver.poll_transmit(now, now, &mut report).is_some() {
                    back.push(now, &report);
                    report.clear();
                }
            }
        }
        let after = sender.counters();
        let resent = (after.resent - before.resent) as f64;
        Carried {
            rate: bytes as f64 * 8.0 / time.as_secs_f64(),
            resent: resent / (resent + (after.sub_packets - before.sub_packets) as f64),
        }
    }
}

/// A line of `rate` bits per second, with a queue of `queue` bytes and a delay, that loses a share
/// of the frames; chunks of at least a megabyte of datagrams of `datagram` bytes; ends that always
/// run.
fn line(rate: u64, queue: usize, delay: Duration, loss: f64, datagram: usize) -> Turns {
    let channel = |seed, queue, loss| Settings {
        rate: Some(rate),
        queue,
        delay,
        loss,
        seed,
        ..Settings::default()
    };
    let params = Params::PAPER.for_frames(datagram).unwrap();
    let sub_packets = (1 << 20) / usize::from(params.payload);
    Turns {
        params: Params {
            per_chunk: (sub_packets as u16).next_multiple_of(8),
            chunks: 8,
            ..params
        },
        there: channel(1, queue, loss),
        back: channel(2, 1 << 22, 0.0),
        buffer: 1 << 22,
        sends: |_| true,
        receives: |_| true,
    }
}

/// What arrives while an end cannot send says nothing of the lane. An end that took it for the rate
/// of the lane became slower with every turn, down to a fiftieth.
#[test]
fn an_end_that_comes_late_does_not_make_its_lane_slow() {
    for rate in [1_000_000_000, 2_000_000_000] {
        for loss in [0.0, 0.03] {
            let line = line(rate, 1 << 22, MS, loss, 9000);
            let half = Turns {
                sends: |now| now.as_millis() / 3 % 2 == 0,
                receives: |now| now.as_millis() / 3 % 2 == 1,
                ..line.clone()
            };
            let sixth = Turns {
                sends: |now| now.as_millis() % 18 < 3,
                receives: |now| now.as_millis() % 18 >= 9,
                ..line
            };
            // Of the share of the time for which the sender runs.
            for (turns, share, least) in [(half, 1.0 / 2.0, 0.9), (sixth, 1.0 / 6.0, 0.6)] {
                let carried = turns.carry(1000 * MS, 2000 * MS);
                println!("{rate} bit/s, loss {loss}, runs {share:.2}: {carried:?}");
                assert!(carried.rate > least * share * rate as f64);
                assert!(carried.resent < loss + 0.03);
            }
        }
    }
}

/// Whether an end runs that has to wait for a share of all pieces of two milliseconds, at random.
fn runs(now: Duration, end: u64) -> bool {
    let piece = now.as_millis() as u64 / 2 * 2 + end;
    piece.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & 0xff > 0x4c
}

/// A gigabit per second over ten milliseconds there and back, and one packet of a hundred lost:
/// ends that always run, and ends that run for seven tenths of the time.
#[test]
fn a_long_way_that_loses() {
    let fill = 1_250_000;
    for queue in [fill / 2, fill, 2 * fill] {
        let always = line(1_000_000_000, queue, 5 * MS, 0.01, 1472);
        let busy = Turns {
            sends: |now| runs(now, 0),
            receives: |now| runs(now, 1),
            ..always.clone()
        };
        for (turns, name, least) in [(always, "always run", 0.93), (busy, "are busy", 0.6)] {
            let carried = turns.carry(500 * MS, 1500 * MS);
            println!("queue of {queue} bytes, ends that {name}: {carried:?}");
            assert!(carried.rate > least * 1e9);
            assert!(carried.resent < 0.03);
        }
    }
}

/// Ends on lanes of a millisecond, that run when the test lets them.
struct Ends {
    sender: Sender<Vec<u8>>,
    receiver: Receiver<Vec<u8>>,
    there: Vec<Channel>,
    back: Vec<Channel>,
}

impl Ends {
    fn new(lanes: u8) -> Self {
        let params = Params {
            per_chunk: 800,
            chunks: 8,
            lanes,
            ..Params::PAPER
        };
        let memory = (0..params.chunks).map(|_| vec![0; params.chunk_bytes()]);
        let channels = || {
            let channel = Settings {
                rate: Some(1_000_000_000),
                delay: MS,
                ..Settings::default()
            };
            (0..lanes)
                .map(|_| Channel::new(&channel).unwrap())
                .collect()
        };
        let (send, receive) = (SenderSettings::default(), ReceiverSettings::default());
        Ends {
            sender: Sender::new(params, session(), send, Duration::ZERO).unwrap(),
            receiver: Receiver::new(params, session(), receive, memory.collect()).unwrap(),
            there: channels(),
            back: channels(),
        }
    }

    /// Offers a chunk of `count` sub-packets.
    fn offer(&mut self, count: usize) {
        let bytes = count * usize::from(Params::PAPER.payload);
        self.sender.offer(vec![1; bytes], bytes);
    }

    fn send(&mut self, now: Duration) {
        let mut batch = Batch::new();
        for (lane, number) in self.back.iter_mut().zip(0..) {
            while let Some(datagram) = lane.pop(now) {
                self.sender.receive(now, &datagram);
            }
            while self.sender.poll_transmit(now, number, 6, &mut batch) {
                for frame in batch.bytes().chunks(batch.segment()) {
                    self.there[usize::from(number)].push(now, frame);
                }
            }
        }
        while self.sender.poll_event().is_some() {}
    }

    /// Takes at most `most` frames of each lane, for which it needs the time `takes`.
    fn receive(&mut self, looked: Duration, most: usize, takes: Duration) {
        for (lane, number) in self.there.iter_mut().zip(0..) {
            for datagram in std::iter::from_fn(|| lane.pop(looked)).take(most) {
                self.receiver.receive(looked, number, &datagram);
            }
        }
        let (now, mut report) = (looked + takes, Vec::new());
        while let Some(lane) = self.receiver.poll_transmit(now, looked, &mut report) {
            self.back[usize::from(lane)].push(now, &report);
            report.clear();
        }
        while let Some(done) = self.receiver.poll_chunk() {
            self.receiver.give_back(done.memory);
        }
    }

    /// Both run until all has arrived.
    fn end(&mut self, mut now: Duration) {
        self.sender.finish();
        while !self.sender.is_finished() {
            now += TICK;
            self.send(now);
            self.receive(now, usize::MAX, Duration::ZERO);
        }
        let counters = self.sender.counters();
        assert_eq!((counters.lost, counters.resent), (0, 0));
    }
}

/// An end that needs longer for what it has taken than it waits for more, and has not looked at the
/// rest.
#[test]
fn what_waits_for_a_busy_receiver_is_not_lost() {
    for lanes in [1, 2] {
        let mut ends = Ends::new(lanes);
        let mut now = Duration::ZERO;
        for _ in 0..100 {
            while ends.sender.wants_chunk() {
                ends.offer(800);
            }
            let away = now + 15 * MS;
            ends.receive(now, 4, 15 * MS);
            while now < away {
                now += TICK;
                ends.send(now);
            }
        }
        ends.end(now);
    }
}

/// That nothing came was true when it was said.
#[test]
fn what_was_sent_after_a_report_was_written_is_not_lost() {
    let mut ends = Ends::new(1);
    let mut now = Duration::ZERO;
    ends.offer(8);
    for _ in 0..400 {
        now += TICK;
        ends.send(now);
        ends.receive(now, usize::MAX, Duration::ZERO);
        // On its way.
        if ends.back[0].next_timeout().is_some() && now > 9 * MS {
            break;
        }
    }
    ends.offer(80);
    ends.send(now);
    assert!(ends.sender.counters().sub_packets > 8);
    // Now it reads that report, as it was busy until now.
    now += 20 * MS;
    ends.send(now);
    ends.end(now);
}

/// All lanes are silent while the receiver is away: none is worse than the other.
#[test]
fn a_receiver_that_is_away_is_no_dead_lane() {
    for lanes in [1, 2] {
        let mut ends = Ends::new(lanes);
        let mut now = Duration::ZERO;
        while ends.sender.counters().sub_packets < 1600 {
            if ends.sender.wants_chunk() {
                ends.offer(800);
            }
            now += TICK;
            ends.send(now);
            ends.receive(now, usize::MAX, Duration::ZERO);
        }
        let away = now + 1000 * MS;
        while now < away {
            now += TICK;
            ends.send(now);
        }
        let out = (0..lanes).map(|lane| ends.sender.lane(lane).unwrap());
        assert!(out.into_iter().any(|lane| lane.has_failed()));
        ends.end(now);
    }
}
