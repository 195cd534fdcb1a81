// SPDX-License-Identifier: Apache-2.0
//! A sender and a receiver with lanes between them, in virtual time, and the score: every byte of
//! every chunk is compared.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_channel::{Channel, Settings};
use ropewalk_wire::chunk::seal::SessionKey;
use ropewalk_wire::chunk::{
    Batch, Complete, Params, Receiver, ReceiverSettings, Sender, SenderEvent, SenderSettings,
    Session, Tag,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// What the ends of every link know each other by.
pub const TAG: Tag = Tag {
    session: 0x1122_3344_5566_7788,
    secret: 0x99aa_bbcc,
};
/// What protects the frames of one end of a link. Both ends are in one process, and each takes its
/// own.
#[must_use]
pub fn session(sealed: bool) -> Session {
    if sealed {
        Session::sealed(TAG.session, SessionKey::new(b"secret", b"link"))
    } else {
        Session::checked(TAG)
    }
}

/// Frames that the sender hands over at once, where it does not wait for room.
const BATCH: usize = 6;

/// A datagram on its way into a channel.
#[derive(Debug)]
pub struct Passing<'a> {
    /// The time.
    pub now: Duration,
    /// From the sender to the receiver, or back.
    pub forth: bool,
    /// Its lane.
    pub lane: u8,
    /// Its bytes.
    pub bytes: &'a mut Vec<u8>,
}

/// Sees each datagram before the channel does, may change it, and says whether it goes on.
pub type Filter = Box<dyn FnMut(Passing<'_>) -> bool>;

/// A whole link.
pub struct Link {
    /// The time.
    pub now: Duration,
    /// Makes what is random in a test.
    pub random: Xoshiro256PlusPlus,
    /// The sending end.
    pub sender: Sender<Vec<u8>>,
    /// The receiving end.
    pub receiver: Receiver<Vec<u8>>,
    /// Lanes from the sender to the receiver.
    pub forth: Vec<Channel>,
    /// Lanes back.
    pub back: Vec<Channel>,
    /// Whether the sender sees the queue of a lane, as that of its own interface, and waits; else
    /// what the queue does not take is lost.
    pub waits: bool,
    /// Sizes.
    pub params: Params,
    /// What was offered, until it is delivered.
    offered: BTreeMap<u32, Vec<u8>>,
    /// Memory of chunks that the user of the receiver has not given back.
    pub kept: Vec<Vec<u8>>,
    /// Whether that user keeps it.
    pub keep: bool,
    /// Chunks, in the order and at the times of their delivery.
    pub delivered: Vec<(u32, Duration)>,
    /// When each was offered.
    pub offered_at: BTreeMap<u32, Duration>,
    /// What the sender has told.
    pub events: Vec<(Duration, SenderEvent<()>)>,
    batch: Batch,
    /// Stands in front of the channels.
    pub filter: Filter,
}

impl Link {
    /// A link with lanes that are all alike.
    ///
    /// # Panics
    /// A parameter or setting out of range.
    #[must_use]
    pub fn new(
        params: Params,
        send: SenderSettings,
        receive: ReceiverSettings,
        channel: &Settings,
        seed: u64,
    ) -> Self {
        let lanes = vec![channel.clone(); usize::from(params.lanes)];
        Link::with_lanes(params, send, receive, &lanes, &lanes, seed)
    }

    /// A link with lanes of all kinds; their seeds follow from that of the link.
    ///
    /// # Panics
    /// A parameter or setting out of range.
    #[must_use]
    pub fn with_lanes(
        params: Params,
        send: SenderSettings,
        receive: ReceiverSettings,
        forth: &[Settings],
        back: &[Settings],
        seed: u64,
    ) -> Self {
        let memory = (0..params.chunks)
            .map(|_| vec![0; params.chunk_bytes()])
            .collect();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut channels = |settings: &[Settings]| -> Vec<Channel> {
            let channel = |settings: &Settings| {
                let seed = random.next_u64();
                Channel::new(&Settings {
                    seed,
                    ..settings.clone()
                })
                .expect("settings in range")
            };
            settings.iter().map(channel).collect()
        };
        Link {
            now: Duration::ZERO,
            forth: channels(forth),
            back: channels(back),
            random,
            sender: Sender::new(params, session(params.sealed), send, Duration::ZERO)
                .expect("sizes in range"),
            receiver: Receiver::new(params, session(params.sealed), receive, memory)
                .expect("sizes in range"),
            waits: true,
            params,
            offered: BTreeMap::new(),
            kept: Vec::new(),
            keep: false,
            delivered: Vec::new(),
            offered_at: BTreeMap::new(),
            events: Vec::new(),
            batch: Batch::new(),
            filter: Box::new(|_| true),
        }
    }

    /// When the line of a lane takes a full frame.
    fn room_at(&self, lane: usize) -> Duration {
        if self.waits {
            self.forth[lane].room_at(self.now, self.params.frame_bytes())
        } else {
            self.now
        }
    }

    /// Puts a datagram on a lane as it is, whoever it is of.
    pub fn inject(&mut self, forth: bool, lane: u8, bytes: &[u8]) {
        let lanes = if forth {
            &mut self.forth
        } else {
            &mut self.back
        };
        lanes[usize::from(lane)].push(self.now, bytes);
    }

    fn push(&mut self, forth: bool, lane: u8, bytes: &mut Vec<u8>) {
        let passing = Passing {
            now: self.now,
            forth,
            lane,
            bytes,
        };
        if (self.filter)(passing) {
            self.inject(forth, lane, bytes);
        }
    }

    /// Offers a chunk of random bytes.
    pub fn offer(&mut self, bytes: usize) -> u32 {
        let mut memory = vec![0; bytes];
        self.random.fill_bytes(&mut memory);
        let chunk = self.sender.offer(memory.clone(), bytes);
        self.offered.insert(chunk, memory);
        self.offered_at.insert(chunk, self.now);
        chunk
    }

    /// All that can happen at this moment.
    ///
    /// # Panics
    /// A chunk differs from what was offered, was not offered, or came twice.
    pub fn settle(&mut self) {
        loop {
            let mut moved = false;
            for lane in 0..self.params.lanes {
                let index = usize::from(lane);
                while let Some(bytes) = self.forth[index].pop(self.now) {
                    self.receiver.receive(self.now, lane, &bytes);
                    moved = true;
                }
                while let Some(bytes) = self.back[index].pop(self.now) {
                    self.sender.receive(self.now, &bytes);
                    moved = true;
                }
            }
            while let Some(Complete {
                chunk,
                memory,
                bytes,
            }) = self.receiver.poll_chunk()
            {
                let expected = self
                    .offered
                    .remove(&chunk)
                    .unwrap_or_else(|| panic!("chunk {chunk} was not offered, or came twice"));
                assert!(memory[..bytes] == expected[..], "chunk {chunk} differs");
                self.delivered.push((chunk, self.now));
                if self.keep {
                    self.kept.push(memory);
                } else {
                    self.receiver.give_back(memory);
                }
                moved = true;
            }
            let mut report = Vec::new();
            let now = self.now;
            while let Some(lane) = self.receiver.poll_transmit(now, now, &mut report) {
                self.push(false, lane, &mut report);
                report.clear();
                moved = true;
            }
            let most = if self.waits { 1 } else { BATCH };
            for lane in 0..self.params.lanes {
                while self.room_at(usize::from(lane)) <= self.now
                    && self
                        .sender
                        .poll_transmit(self.now, lane, most, &mut self.batch)
                {
                    let frames = self.batch.bytes().chunks(self.batch.segment());
                    let frames: Vec<_> = frames.map(<[u8]>::to_vec).collect();
                    assert_eq!(frames.len(), self.batch.frames());
                    for mut frame in frames {
                        self.push(true, lane, &mut frame);
                    }
                    moved = true;
                }
                if self.room_at(usize::from(lane)) > self.now {
                    self.sender.held(lane);
                }
            }
            while let Some(event) = self.sender.poll_event() {
                let event = match event {
                    SenderEvent::Complete { chunk, .. } => {
                        SenderEvent::Complete { chunk, memory: () }
                    }
                    SenderEvent::LaneFailed(lane) => SenderEvent::LaneFailed(lane),
                    SenderEvent::LaneBack(lane) => SenderEvent::LaneBack(lane),
                    SenderEvent::Closed(reason) => SenderEvent::Closed(reason),
                };
                self.events.push((self.now, event));
                moved = true;
            }
            if !moved {
                return;
            }
        }
    }

    /// On to the next moment at which something can happen; false if there is none before `end`.
    pub fn step(&mut self, end: Duration) -> bool {
        let lanes = self.forth.iter().chain(&self.back);
        let lanes = lanes.filter_map(Channel::next_timeout);
        let lines = (0..self.forth.len())
            .map(|lane| self.room_at(lane))
            .filter(|&at| at > self.now);
        let timers = [self.sender.next_timeout(), self.receiver.next_timeout()]
            .into_iter()
            .flatten();
        // A timer that has passed, and whose action a busy line holds up, is not a moment of its
        // own.
        let next = lanes
            .chain(lines)
            .chain(timers.filter(|&at| at > self.now))
            .min();
        let Some(next) = next.filter(|&at| at <= end) else {
            return false;
        };
        self.now = next;
        self.settle();
        true
    }

    /// Runs until `done`, at most for so long.
    ///
    /// # Panics
    /// The time is over, a byte is wrong, or a chunk came twice or was never offered.
    pub fn run(&mut self, limit: Duration, mut done: impl FnMut(&mut Self) -> bool) {
        let end = self.now + limit;
        self.settle();
        while !done(self) {
            let at = self.now;
            assert!(
                self.step(end),
                "nothing for {limit:?} from {at:?}: {} delivered, {} on their way, sender {:?}, receiver {:?}, {:?}",
                self.delivered.len(),
                self.offered.len(),
                self.sender.counters(),
                self.receiver.counters(),
                self.sender
            );
        }
    }

    /// Offers `count` chunks, as there is room, and runs until all have arrived and both ends know
    /// it.
    ///
    /// # Panics
    /// As [`Link::run`].
    pub fn transfer(&mut self, count: usize, bytes: usize, limit: Duration) {
        let mut left = count;
        self.run(limit, |link| {
            while left > 0 && link.sender.wants_chunk() {
                link.offer(bytes);
                left -= 1;
                if left == 0 {
                    link.sender.finish();
                }
                link.settle();
            }
            link.sender.is_finished()
        });
        self.check_end();
    }

    /// Everything has arrived, and both ends know it.
    ///
    /// # Panics
    /// It has not.
    pub fn check_end(&self) {
        assert!(
            self.offered.is_empty(),
            "{} chunks left",
            self.offered.len()
        );
        assert!(self.sender.is_finished() && self.receiver.is_finished());
    }
}
