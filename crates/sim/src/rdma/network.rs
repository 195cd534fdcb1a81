// SPDX-License-Identifier: Apache-2.0
//! The network between engines: several paths, on which packets are lost, doubled, held back,
//! delayed and damaged, and in front of each node the queue of a switch, which marks and overflows.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt;
use std::rc::Rc;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_wire::rdma::packed::{Joiner, LANE, Lane, Splitter, WORD_LANES};
use ropewalk_wire::rdma::packet::mark;

use super::WORD;
use crate::SimError;

/// A word on its way.
pub type Word = [u8; WORD];

/// Kinds of packets that are answers; see `ropewalk_wire::rdma::packet`.
const ANSWERS: [u64; 2] = [3, 4];
/// Cycles that a packet is held back, at most: the time of some 30 whole packets.
const HELD: u32 = 600;
/// Packets that may be on their way to a node beyond those that its distance is good for; with more
/// the network takes nothing.
pub(super) const WINDOW: u32 = 64;

/// All directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetworkConfig {
    /// Nodes, 2 to 64.
    pub nodes: u8,
    /// Cycles from node to node.
    pub delay: u32,
    /// Paths, 1 to 64. Path p takes p / 2 times `delay` more. Flows have a path each, other packets
    /// take any.
    pub paths: u8,
    /// Probability that a packet is lost.
    pub drop: f64,
    /// Probability that it comes twice.
    pub duplicate: f64,
    /// Probability that it is held back, so that others overtake it.
    pub reorder: f64,
    /// Probability that it is late by `late_by`.
    pub late: f64,
    /// How much late, in cycles: more than the time-out of the sender. In a run 0 stands for two
    /// time-outs.
    pub late_by: u32,
    /// Probability that one of its bits is flipped.
    pub damage: f64,
    /// Nothing is lost, late or damaged that was sent so often before, 0 to 16; 16 spares nothing.
    /// With less than the retry limit of the engines every transfer can be completed.
    pub spare: u8,
    /// Probability that the network takes nothing in a cycle.
    pub stall: f64,
    /// Words that wait in front of each node, at most: what comes then is lost. 0: no such queue,
    /// and the network takes nothing while too much is on its way to a node.
    pub queue: u32,
    /// Words in front of a node from which on what joins them is marked; 0: nothing is marked.
    pub mark: u32,
    /// Wires from each of two nodes to the other: every word goes on as it comes, and nothing is
    /// lost. Else a packet goes on when it has come as a whole.
    pub wires: bool,
}

impl Default for NetworkConfig {
    /// Nothing goes wrong.
    fn default() -> Self {
        Self {
            nodes: 2,
            delay: 2,
            paths: 1,
            drop: 0.0,
            duplicate: 0.0,
            reorder: 0.0,
            late: 0.0,
            late_by: 0,
            damage: 0.0,
            spare: 16,
            stall: 0.0,
            queue: 0,
            mark: 0,
            wires: false,
        }
    }
}

impl NetworkConfig {
    /// Cycles of the longest path.
    pub(super) fn longest(&self) -> u32 {
        self.delay * (u32::from(self.paths) + 1) / 2
    }

    /// Cycles that a packet can be held back.
    pub(super) fn held(&self) -> u32 {
        if self.reorder > 0.0 { HELD } else { 0 }
    }

    /// Checks everything.
    ///
    /// # Errors
    /// [`SimError::BadParameter`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SimError> {
        let bad = |name, message| Err(SimError::BadParameter { name, message });
        for (name, share) in [
            ("drop", self.drop),
            ("dup", self.duplicate),
            ("reorder", self.reorder),
            ("late", self.late),
            ("damage", self.damage),
            ("stall", self.stall),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return bad(name, format!("{share} is not in 0 to 1"));
            }
        }
        if !(2..=64).contains(&self.nodes) {
            return bad("nodes", format!("{} is not in 2 to 64", self.nodes));
        }
        if self.mark > self.queue {
            let message = format!("{} is more than the queue, {}", self.mark, self.queue);
            return bad("mark", message);
        }
        if !(1..=64).contains(&self.paths) {
            return bad("paths", format!("{} is not in 1 to 64", self.paths));
        }
        if self.spare > 16 {
            return bad("spare", format!("{} is not in 0 to 16", self.spare));
        }
        let wires = Self {
            delay: self.delay,
            wires: true,
            ..Self::default()
        };
        if self.wires && *self != wires {
            let message = "wires join two nodes, with a delay and nothing else of a network";
            return bad("wires", message.to_owned());
        }
        Ok(())
    }
}

/// What the network has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NetworkCounts {
    /// Packets that were sent.
    pub sent: u64,
    /// Of these: lost.
    pub dropped: u64,
    /// Came twice.
    pub doubled: u64,
    /// Held back.
    pub held: u64,
    /// Late.
    pub late: u64,
    /// Damaged.
    pub damaged: u64,
    /// Lost, as the queue in front of their node was full.
    pub overflowed: u64,
    /// Marked by such a queue.
    pub marked: u64,
    /// Words that waited in one of them, at most.
    pub deepest: u64,
}

/// A packet on its way: when it arrives, its number, its words; with packed framing a lane lies in
/// the front of each.
type Way = BinaryHeap<Reverse<(u64, u64, Vec<Word>)>>;

/// A network that is a design of its own, in the clock of the engines; see [`crate::stack`]. In
/// each cycle comes first [`Fabric::begin`], then what each node does, then [`Fabric::end`].
pub(crate) trait Fabric {
    /// A cycle begins.
    fn begin(&mut self);
    /// Classes with room for a packet of a node, a bit each.
    fn room(&self, sender: usize) -> u8;
    /// Whether the word of a node is taken in this cycle.
    fn ready(&self, sender: usize) -> bool;
    /// The word that a node is offered in this cycle, and whether it is a last one.
    fn offered(&self, receiver: usize) -> Option<(Word, bool)>;
    /// A node has sent a word.
    fn send(&mut self, sender: usize, word: &Word, last: bool);
    /// The node has taken the word that it was offered.
    fn taken(&mut self, receiver: usize);
    /// The clock rises.
    fn end(&mut self);
    /// Whether no packet is on its way.
    fn is_empty(&self) -> bool;
}

/// A network that several own.
pub(crate) type SharedFabric = Rc<RefCell<dyn Fabric>>;

/// The network.
pub(super) enum Network {
    Wires(Wires),
    Switched(Box<Switched>),
    Fabric(SharedFabric),
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wires(_) => "Wires",
            Self::Switched(_) => "Switched",
            Self::Fabric(_) => "Fabric",
        })
    }
}

impl Network {
    pub(super) fn new(config: NetworkConfig, packed: bool, seed: u64) -> Self {
        if config.wires {
            Self::Wires(Wires::new(config.delay))
        } else {
            Self::Switched(Box::new(Switched::new(config, packed, seed)))
        }
    }

    /// What it has done.
    pub(super) fn counts(&self) -> NetworkCounts {
        match self {
            Self::Wires(wires) => wires.counts,
            Self::Switched(switched) => switched.counts,
            Self::Fabric(_) => NetworkCounts::default(),
        }
    }

    /// A cycle begins.
    pub(super) fn begin(&mut self) {
        if let Self::Fabric(fabric) = self {
            fabric.borrow_mut().begin();
        }
    }

    /// The clock rises.
    pub(super) fn end(&mut self) {
        if let Self::Fabric(fabric) = self {
            fabric.borrow_mut().end();
        }
    }

    /// Classes with room for a packet of a node, a bit each.
    pub(super) fn room(&self, sender: usize) -> u8 {
        match self {
            Self::Fabric(fabric) => fabric.borrow().room(sender),
            _ => 0b1111,
        }
    }

    /// Whether the word of a node is taken in this cycle.
    pub(super) fn ready(&mut self, sender: usize) -> bool {
        match self {
            Self::Wires(wires) => wires.ready(sender),
            Self::Switched(switched) => switched.ready(sender),
            Self::Fabric(fabric) => fabric.borrow().ready(sender),
        }
    }

    /// The node is being reset: what it has begun to send, and what arrives there in this cycle, is
    /// lost.
    pub(super) fn cut(&mut self, now: u64, node: usize) {
        match self {
            Self::Wires(wires) => wires.to[node].clear(),
            Self::Switched(switched) => switched.cut(now, node),
            // The engine of a node is reset, its end of the link goes on.
            Self::Fabric(_) => {}
        }
    }

    /// The word that a node is offered in this cycle, and whether it is marked as a last one.
    pub(super) fn offered(&mut self, now: u64, receiver: usize) -> Option<(Word, bool)> {
        let offered = match self {
            Self::Wires(wires) => wires.offered(now, receiver),
            Self::Switched(switched) => switched.offered(now, receiver),
            Self::Fabric(fabric) => return fabric.borrow().offered(receiver),
        };
        offered.map(|(word, last)| (*word, last))
    }

    /// The node has taken the word.
    pub(super) fn taken(&mut self, receiver: usize) {
        match self {
            Self::Wires(wires) => drop(wires.to[receiver].pop_front()),
            Self::Switched(switched) => switched.edge.taken(receiver),
            Self::Fabric(fabric) => fabric.borrow_mut().taken(receiver),
        }
    }

    /// Whether nothing is on its way.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Wires(wires) => wires.to.iter().all(VecDeque::is_empty),
            Self::Switched(switched) => switched.is_empty(),
            Self::Fabric(fabric) => fabric.borrow().is_empty(),
        }
    }

    /// A node has sent a word.
    pub(super) fn send(&mut self, now: u64, sender: usize, word: Word, last: bool) {
        match self {
            Self::Wires(wires) => wires.send(now, sender, word, last),
            Self::Switched(switched) => switched.send(now, sender, word, last),
            Self::Fabric(fabric) => fabric.borrow_mut().send(sender, &word, last),
        }
    }
}

/// Wires: each word goes on as it comes.
#[derive(Debug)]
pub(super) struct Wires {
    delay: u32,
    /// By receiver: when a word arrives, and whether it is a last one.
    to: [VecDeque<(u64, Word, bool)>; 2],
    counts: NetworkCounts,
}

impl Wires {
    fn new(delay: u32) -> Self {
        Self {
            delay,
            to: Default::default(),
            counts: NetworkCounts::default(),
        }
    }

    fn ready(&self, sender: usize) -> bool {
        self.to[1 - sender].len() <= self.delay as usize
    }

    fn offered(&self, now: u64, receiver: usize) -> Option<(&Word, bool)> {
        let (due, word, last) = self.to[receiver].front()?;
        (*due <= now).then_some((word, *last))
    }

    fn send(&mut self, now: u64, sender: usize, word: Word, last: bool) {
        self.to[1 - sender].push_back((now + u64::from(self.delay), word, last));
        self.counts.sent += u64::from(last);
    }
}

/// Nothing yet, for each node.
fn each<T: Default>(nodes: usize) -> Vec<T> {
    std::iter::repeat_with(T::default).take(nodes).collect()
}

/// Packets between one node and the words that it sends and takes, by framing.
#[derive(Debug)]
enum Edge {
    Words(Vec<InWords>),
    Packed(Vec<Packed>),
}

/// Framing in words.
#[derive(Debug, Default)]
struct InWords {
    /// The packet that is being sent.
    begun: Vec<Word>,
    arriving: VecDeque<Word>,
}

/// Packed framing.
#[derive(Debug, Default)]
struct Packed {
    from: Splitter,
    to: Joiner,
    /// The word that is offered, and whether it is a last one.
    offered: Option<(Word, bool)>,
}

impl Edge {
    fn new(packed: bool, nodes: usize) -> Self {
        if packed {
            Self::Packed(each(nodes))
        } else {
            Self::Words(each(nodes))
        }
    }

    /// The packets that end with a word.
    fn send(&mut self, sender: usize, word: Word, last: bool) -> Vec<Vec<Word>> {
        match self {
            Self::Words(nodes) => {
                let begun = &mut nodes[sender].begun;
                begun.push(word);
                if last {
                    vec![std::mem::take(begun)]
                } else {
                    Vec::new()
                }
            }
            Self::Packed(nodes) => {
                let packets = nodes[sender].from.push(&word, last);
                let packets = packets.expect("an engine sends what its framing allows");
                let widened = |lane: &Lane| {
                    let mut word = [0; WORD];
                    word[..LANE].copy_from_slice(lane);
                    word
                };
                packets
                    .iter()
                    .map(|lanes| lanes.iter().map(widened).collect())
                    .collect()
            }
        }
    }

    /// The word that a node is offered, of packets that have arrived there.
    fn offered(
        &mut self,
        receiver: usize,
        mut arrived: impl FnMut() -> Option<Vec<Word>>,
    ) -> Option<(&Word, bool)> {
        match self {
            Self::Words(nodes) => {
                let arriving = &mut nodes[receiver].arriving;
                if arriving.is_empty() {
                    arriving.extend(arrived().unwrap_or_default());
                }
                let last = arriving.len() == 1;
                arriving.front().map(|word| (word, last))
            }
            Self::Packed(nodes) => {
                let Packed { to, offered, .. } = &mut nodes[receiver];
                if offered.is_none() {
                    while to.waiting() < WORD_LANES
                        && let Some(words) = arrived()
                    {
                        let lanes: Vec<Lane> = words
                            .iter()
                            .map(|word| std::array::from_fn(|i| word[i]))
                            .collect();
                        to.push(&lanes);
                    }
                    *offered = to.pop();
                }
                offered.as_ref().map(|(word, last)| (word, *last))
            }
        }
    }

    fn taken(&mut self, receiver: usize) {
        match self {
            Self::Words(nodes) => drop(nodes[receiver].arriving.pop_front()),
            Self::Packed(nodes) => nodes[receiver].offered = None,
        }
    }

    fn cut(&mut self, node: usize) {
        match self {
            Self::Words(nodes) => nodes[node] = InWords::default(),
            Self::Packed(nodes) => nodes[node] = Packed::default(),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Words(nodes) => nodes
                .iter()
                .all(|node| node.begun.is_empty() && node.arriving.is_empty()),
            Self::Packed(nodes) => nodes.iter().all(|node| {
                node.from.is_empty() && node.to.waiting() == 0 && node.offered.is_none()
            }),
        }
    }
}

/// The queue of a switch in front of a node.
#[derive(Debug, Default)]
struct Queue {
    packets: VecDeque<Vec<Word>>,
    /// Of all packets; in packed framing lanes.
    words: usize,
}

impl Queue {
    fn pop(&mut self) -> Option<Vec<Word>> {
        let packet = self.packets.pop_front()?;
        self.words -= packet.len();
        Some(packet)
    }
}

/// A network that takes packets as a whole, and does with them what its configuration says.
#[derive(Debug)]
pub(super) struct Switched {
    config: NetworkConfig,
    random: Xoshiro256PlusPlus,
    serial: u64,
    edge: Edge,
    /// By receiver.
    way: Vec<Way>,
    queues: Vec<Queue>,
    /// By sender and TID: which number it was sent with last, and how often before.
    tries: Vec<Vec<(u64, u8)>>,
    /// Packets that may be on their way to a node.
    room: usize,
    counts: NetworkCounts,
}

impl Switched {
    fn new(config: NetworkConfig, packed: bool, seed: u64) -> Self {
        let nodes = usize::from(config.nodes);
        Self {
            config,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            serial: 0,
            edge: Edge::new(packed, nodes),
            way: each(nodes),
            queues: each(nodes),
            tries: vec![vec![(0, 0); 1024]; nodes],
            room: (WINDOW + config.longest() / 2) as usize,
            counts: NetworkCounts::default(),
        }
    }

    fn chance(&mut self, share: f64) -> bool {
        const SCALE: f64 = (1u64 << 53) as f64;
        share > 0.0 && (self.random.next_u64() >> 11) as f64 / SCALE < share
    }

    /// A number below `limit`.
    fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.random.next_u64()) * u128::from(limit)) >> 64) as u64
    }

    fn ready(&mut self, sender: usize) -> bool {
        let full = self.config.queue == 0
            && (self.way.iter().enumerate())
                .any(|(node, way)| node != sender && way.len() >= self.room);
        !full && !self.chance(self.config.stall)
    }

    fn cut(&mut self, now: u64, node: usize) {
        self.edge.cut(node);
        self.queues[node] = Queue::default();
        let way = &mut self.way[node];
        while Self::arrived(way, now).is_some() {}
    }

    /// What has arrived at the queue in front of a node joins it, or has no room.
    fn join(&mut self, now: u64, receiver: usize) {
        let Self {
            config,
            way,
            queues,
            counts,
            ..
        } = self;
        let queue = &mut queues[receiver];
        while let Some(mut packet) = Self::arrived(&mut way[receiver], now) {
            if config.mark != 0 && queue.words >= config.mark as usize {
                mark(packet.last_mut().expect("a packet has a footer"));
                counts.marked += 1;
            }
            if queue.words + packet.len() > config.queue as usize {
                counts.overflowed += 1;
            } else {
                queue.words += packet.len();
                queue.packets.push_back(packet);
                counts.deepest = counts.deepest.max(queue.words as u64);
            }
        }
    }

    /// The next packet that has arrived at a node.
    fn arrived(way: &mut Way, now: u64) -> Option<Vec<Word>> {
        way.peek().filter(|Reverse((due, _, _))| *due <= now)?;
        way.pop().map(|Reverse((_, _, words))| words)
    }

    fn offered(&mut self, now: u64, receiver: usize) -> Option<(&Word, bool)> {
        if self.config.queue != 0 {
            self.join(now, receiver);
            let queue = &mut self.queues[receiver];
            return self.edge.offered(receiver, || queue.pop());
        }
        let way = &mut self.way[receiver];
        self.edge.offered(receiver, || Self::arrived(way, now))
    }

    fn is_empty(&self) -> bool {
        self.edge.is_empty()
            && self.way.iter().all(BinaryHeap::is_empty)
            && self.queues.iter().all(|queue| queue.words == 0)
    }

    fn send(&mut self, now: u64, sender: usize, word: Word, last: bool) {
        for packet in self.edge.send(sender, word, last) {
            self.pass(now, sender, packet);
        }
    }

    /// What becomes of a packet.
    fn pass(&mut self, now: u64, sender: usize, packet: Vec<Word>) {
        let field =
            |word: &Word, at: usize| u64::from_le_bytes(std::array::from_fn(|i| word[at + i]));
        let (header, footer) = (field(&packet[0], 8), field(&packet[packet.len() - 1], 0));
        let receiver = usize::from(u16::from_le_bytes([packet[0][6], packet[0][7]]));
        assert_ne!(receiver, sender, "a packet stays within its node");
        if receiver >= self.way.len() {
            // Nobody is there.
            self.counts.sent += 1;
            self.counts.dropped += 1;
            return;
        }
        let (kind, tid, sequence) = (header & 15, header >> 4 & 1023, header >> 14 & 0x3fff);
        let tries = if ANSWERS.contains(&kind) {
            // As often as what it answers.
            let (last, tries) = self.tries[receiver][tid as usize];
            if last == sequence { tries } else { 0 }
        } else {
            let tries = (footer >> 25) as u8 & 15;
            self.tries[sender][tid as usize] = (sequence, tries);
            tries
        };
        let spared = tries >= self.config.spare;
        let config = self.config;
        self.counts.sent += 1;
        if !spared && self.chance(config.drop) {
            self.counts.dropped += 1;
            return;
        }
        let managed = footer >> 24 & 1 != 0;
        let doubled = self.chance(config.duplicate);
        self.counts.doubled += u64::from(doubled);
        for _ in 0..=u8::from(doubled) {
            let path = if managed {
                tid / 4
            } else {
                self.random.next_u64() >> 8
            };
            let path = path % u64::from(config.paths);
            let mut due = now + u64::from(config.delay) * (2 + path) / 2;
            if self.chance(config.reorder) {
                due += 1 + self.below(HELD.into());
                self.counts.held += 1;
            }
            if !spared && self.chance(config.late) {
                due += u64::from(config.late_by);
                self.counts.late += 1;
            }
            let mut copy = packet.clone();
            if !spared && self.chance(config.damage) {
                let word = self.below(copy.len() as u64) as usize;
                let bit = self.below(128) as usize;
                copy[word][bit / 8] ^= 1 << (bit % 8);
                self.counts.damaged += 1;
            }
            self.serial += 1;
            self.way[receiver].push(Reverse((due, self.serial, copy)));
        }
    }
}
