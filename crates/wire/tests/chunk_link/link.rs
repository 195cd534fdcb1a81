// SPDX-License-Identifier: Apache-2.0
//! A sender and a receiver with lanes between them, and the score.

use super::lane::{Habits, Lane};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_wire::chunk::{
    Batch, Complete, Params, Receiver, ReceiverSettings, Sender, SenderEvent, SenderSettings, Tag,
};
use std::collections::BTreeMap;
use std::time::Duration;

pub const TAG: Tag = Tag {
    session: 0x1122_3344_5566_7788,
    secret: 0x99aa_bbcc,
};

/// A fresh seed, or the one that is asked for; printed.
pub fn seed() -> u64 {
    let seed = std::env::var("SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| {
            let now = std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .unwrap();
            now.as_nanos() as u64
        });
    println!("SEED={seed}");
    seed
}

/// A whole link.
pub struct Link {
    pub now: Duration,
    pub random: Xoshiro256PlusPlus,
    pub sender: Sender<Vec<u8>>,
    pub receiver: Receiver<Vec<u8>>,
    pub forth: Vec<Lane>,
    pub back: Vec<Lane>,
    pub params: Params,
    /// What was offered, until it is delivered.
    offered: BTreeMap<u32, Vec<u8>>,
    /// Chunks that the user of the receiver has not given back.
    pub kept: Vec<Vec<u8>>,
    pub keep: bool,
    pub delivered: Vec<(u32, Duration)>,
    pub offered_at: BTreeMap<u32, Duration>,
    pub events: Vec<(Duration, SenderEvent<()>)>,
    batch: Batch,
    /// Lets a datagram through, or not.
    pub filter: fn(Duration, bool, u8, &[u8]) -> bool,
}

impl Link {
    pub fn new(
        params: Params,
        send: SenderSettings,
        receive: ReceiverSettings,
        habits: Habits,
        seed: u64,
    ) -> Self {
        let memory = (0..params.chunks)
            .map(|_| vec![0; params.chunk_bytes()])
            .collect();
        let lanes = || (0..params.lanes).map(|_| Lane::new(habits)).collect();
        Link {
            now: Duration::ZERO,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            sender: Sender::new(params, TAG, send, Duration::ZERO).unwrap(),
            receiver: Receiver::new(params, TAG, receive, memory).unwrap(),
            forth: lanes(),
            back: lanes(),
            params,
            offered: BTreeMap::new(),
            kept: Vec::new(),
            keep: false,
            delivered: Vec::new(),
            offered_at: BTreeMap::new(),
            events: Vec::new(),
            batch: Batch::new(),
            filter: |_, _, _, _| true,
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
                    self.kept.push(memory)
                } else {
                    self.receiver.give_back(memory)
                }
                moved = true;
            }
            let mut report = Vec::new();
            while let Some(lane) = self.receiver.poll_transmit(self.now, &mut report) {
                if (self.filter)(self.now, false, lane, &report) {
                    self.back[usize::from(lane)].push(self.now, &mut self.random, &report);
                }
                report.clear();
                moved = true;
            }
            for lane in 0..self.params.lanes {
                let index = usize::from(lane);
                // A line takes a frame when it is free, so that the sender decides late.
                while self.forth[index].free_at() <= self.now
                    && self
                        .sender
                        .poll_transmit(self.now, lane, 6, &mut self.batch)
                {
                    let bytes: Vec<u8> =
                        self.sender.parts(&self.batch).flatten().copied().collect();
                    assert_eq!(bytes.len(), self.batch.bytes());
                    for frame in bytes.chunks(self.batch.segment()) {
                        if (self.filter)(self.now, true, lane, frame) {
                            self.forth[index].push(self.now, &mut self.random, frame);
                        }
                    }
                    moved = true;
                }
            }
            while let Some(event) = self.sender.poll_event() {
                let event = match event {
                    SenderEvent::Complete { chunk, .. } => {
                        SenderEvent::Complete { chunk, memory: () }
                    }
                    SenderEvent::LaneFailed(lane) => SenderEvent::LaneFailed(lane),
                    SenderEvent::LaneBack(lane) => SenderEvent::LaneBack(lane),
                    SenderEvent::Finished => SenderEvent::Finished,
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
        let lanes = self.forth.iter().chain(&self.back).filter_map(Lane::next);
        let lines = self
            .forth
            .iter()
            .map(Lane::free_at)
            .filter(|&at| at > self.now);
        let timers = [self.sender.next_timeout(), self.receiver.next_timeout()]
            .into_iter()
            .flatten();
        // A timer that has passed, and whose action a busy line holds up, is not a moment of its own.
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

    /// Offers `count` chunks, as there is room, and runs until all have arrived and both ends know it.
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
        assert!(self.offered.is_empty());
        assert!(self.receiver.is_finished());
    }
}
