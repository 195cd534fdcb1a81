// SPDX-License-Identifier: Apache-2.0
//! A node: what it makes, what it sends, what it waits for.

use super::config::Workload;
use super::events::Event;
use super::model::{Network, Packet, SPREAD};
use super::{ANSWER_WORDS, SMALL_WORDS};
use ropewalk_wire::switch::{CLASSES, MAX_WORDS};
use std::collections::{HashMap, VecDeque};

/// Class of small messages.
const SMALL: u8 = 1;
/// Share of the rate that small messages have.
const SMALL_LOAD: f64 = 0.02;
/// Most bulk packets that wait in a node beside small messages.
const BULK_QUEUE: usize = 64;
/// Packets of a run in bursty traffic, on average, and of each node in a round of incast.
const RUN: u64 = 16;
const ROUND: u64 = 4;
/// Bytes of users in a word.
const WORD_BYTES: u64 = 64;

/// A node.
#[derive(Debug)]
pub struct Node {
    /// Its channel.
    pub out: u32,
    pub queues: [VecDeque<Packet>; CLASSES],
    /// Memory that is given back when answers have left.
    pub held: VecDeque<(u8, u8)>,
    turn: u8,
    planned: Option<u64>,
    number: u32,
    pub outstanding: HashMap<u32, Packet>,
    timeouts: VecDeque<(u64, u32)>,
    /// When the next packets of each stream are made.
    next: [f64; 2],
    /// Packets that a workload which ends by itself has made and received.
    made: u64,
    received: u64,
}

impl Node {
    pub fn new(out: u32) -> Self {
        Node {
            out,
            queues: Default::default(),
            held: VecDeque::new(),
            turn: 1,
            planned: None,
            number: 0,
            outstanding: HashMap::new(),
            timeouts: VecDeque::new(),
            next: [0.0; 2],
            made: 0,
            received: 0,
        }
    }

    /// Packets that it still has to make.
    pub fn unmade(&self, network: &Network<'_>) -> u64 {
        network.in_all().saturating_sub(self.made)
    }
}

impl Network<'_> {
    fn count(&self) -> u64 {
        self.nodes.len() as u64
    }

    /// Bytes of users in a full packet.
    fn payload(&self) -> u64 {
        let words = u64::from(self.config.packet_words);
        words.saturating_sub(ANSWER_WORDS.into()).max(1) * WORD_BYTES
    }

    /// Bytes that go to one node together, where the workload ends by itself.
    fn part(&self) -> u64 {
        match self.config.workload {
            Workload::AllToAll => self.config.bytes.max(1),
            Workload::Allreduce => self.config.bytes.div_ceil(self.count()).max(1),
            _ => 0,
        }
    }

    fn packets_of_part(&self) -> u64 {
        self.part().div_ceil(self.payload())
    }

    /// Packets that each node makes in all, where the workload ends by itself.
    fn in_all(&self) -> u64 {
        let others = self.count() - 1;
        match self.config.workload {
            Workload::AllToAll => others * self.packets_of_part(),
            Workload::Allreduce => 2 * others * self.packets_of_part(),
            _ => 0,
        }
    }

    /// The first events.
    pub fn start(&mut self) {
        let nodes = self.nodes.len();
        let workload = self.config.workload;
        self.permutation = permutation(nodes, workload, || self.choices.bits());
        for node in 0..nodes as u32 {
            if workload.is_finite() {
                self.plan_send(node, 0);
                continue;
            }
            let small = workload == Workload::Priority;
            let half = (nodes / 2) as u32;
            let bulk = self.config.load > 0.0
                && match workload {
                    Workload::Incast => node > 0,
                    Workload::Priority => node % half.max(1) < self.config.bulk.into(),
                    _ => true,
                };
            for (stream, wanted) in [(0, bulk), (1, small)] {
                if wanted {
                    // Not all in the same cycle, but for incast.
                    let gap = self.gap(stream);
                    let first = if workload == Workload::Incast {
                        0.0
                    } else {
                        gap
                    };
                    self.nodes[node as usize].next[stream] = first;
                    self.events
                        .at(first as u64, Event::Make(node | (stream as u32) << 16));
                }
            }
        }
    }

    /// Cycles between the packets, runs or rounds of a stream.
    fn gap(&mut self, stream: usize) -> f64 {
        let words = f64::from(self.config.packet_words);
        let load = self.config.load;
        let exponential = -(1.0 - self.choices.unit()).ln();
        match self.config.workload {
            Workload::Priority if stream == 1 => f64::from(SMALL_WORDS) / SMALL_LOAD * exponential,
            Workload::Incast => words / load * (ROUND * (self.count() - 1)) as f64,
            Workload::Bursty => words / load * RUN as f64 * exponential,
            _ => words / load * exponential,
        }
    }

    fn other(&mut self, node: u32) -> u16 {
        let other = self.choices.below(self.count() - 1);
        ((u64::from(node) + 1 + other) % self.count()) as u16
    }

    /// A stream makes what is due.
    pub fn make(&mut self, stream: u32) {
        let (node, stream) = (stream & 0xffff, (stream >> 16) as usize);
        if self.events.now() >= self.config.cycles {
            return;
        }
        let (words, class) = (self.config.packet_words, self.config.class);
        match self.config.workload {
            Workload::Priority if stream == 1 => {
                let half = self.count() / 2;
                let to = self.choices.below(half) + if u64::from(node) < half { half } else { 0 };
                self.push(node, to as u16, SMALL, SMALL_WORDS);
            }
            Workload::Priority | Workload::Permutation => {
                let waiting = self.nodes[node as usize].queues[usize::from(class)].len();
                let bounded = self.config.workload == Workload::Priority;
                let to = self.permutation[node as usize];
                if u32::from(to) != node && !(bounded && waiting >= BULK_QUEUE) {
                    self.push(node, to, class, words);
                }
            }
            Workload::Incast => (0..ROUND).for_each(|_| self.push(node, 0, class, words)),
            Workload::Bursty => {
                let to = self.other(node);
                let count = 1 + self.choices.below(2 * RUN - 1);
                (0..count).for_each(|_| self.push(node, to, class, words));
            }
            _ => {
                let to = self.other(node);
                self.push(node, to, class, words);
            }
        }
        let gap = self.gap(stream);
        let next = &mut self.nodes[node as usize].next[stream];
        *next += gap;
        let time = *next as u64;
        if time < self.config.cycles {
            self.events
                .at(time, Event::Make(node | (stream as u32) << 16));
        }
    }

    /// Makes a packet.
    fn push(&mut self, at: u32, to: u16, class: u8, words: u8) {
        let now = self.events.now();
        let node = &mut self.nodes[at as usize];
        node.number += 1;
        let packet = Packet {
            source: at as u16,
            destination: to,
            flow: u16::from(class) << 10,
            class,
            words: words.clamp(1, MAX_WORDS),
            flags: if self.config.spread { SPREAD } else { 0 },
            number: node.number,
            born: now,
            head: 0,
            tail: 0,
        };
        node.queues[usize::from(class)].push_back(packet);
        self.classes[usize::from(class)].made += 1;
        self.plan_send(at, now);
    }

    /// Makes what a workload that ends by itself has next, if it may.
    fn refill(&mut self, at: u32) {
        let (in_all, each) = (self.in_all(), self.packets_of_part());
        let node = &self.nodes[at as usize];
        let class = usize::from(self.config.class);
        if node.made >= in_all || !node.queues[class].is_empty() {
            return;
        }
        let to = match self.config.workload {
            Workload::AllToAll => u64::from(at) + 1 + node.made / each,
            // A step begins when the step before has come.
            _ if node.made / each * each > node.received => return,
            _ => u64::from(at) + 1,
        } % self.count();
        let rest = self.part() - node.made % each * self.payload();
        let bytes = rest.min(self.payload());
        let words = bytes.div_ceil(WORD_BYTES) as u8 + ANSWER_WORDS;
        self.nodes[at as usize].made += 1;
        self.push(at, to as u16, self.config.class, words);
    }

    /// A packet has come, for the first time.
    pub fn received(&mut self, at: u32, _: &Packet) {
        self.nodes[at as usize].received += 1;
        if self.config.workload == Workload::Allreduce {
            self.plan_send(at, self.events.now());
        }
    }

    /// A node may be able to send at a time.
    pub fn plan_send(&mut self, at: u32, time: u64) {
        let node = &mut self.nodes[at as usize];
        if node.planned.is_none_or(|planned| planned > time) {
            node.planned = Some(time);
            self.events.at(time, Event::Send(at));
        }
    }

    pub fn send(&mut self, at: u32) {
        let now = self.events.now();
        let node = &mut self.nodes[at as usize];
        if node.planned.is_some_and(|planned| planned <= now) {
            node.planned = None;
        }
        let out = node.out;
        let busy = self.channels[out as usize].busy;
        if busy > now + 1 {
            self.plan_send(at, busy - 1);
            return;
        }
        if self.config.workload.is_finite() {
            self.refill(at);
        }
        let room = &self.channels[out as usize].room;
        let node = &mut self.nodes[at as usize];
        let may = |class: u8| {
            let first = node.queues[usize::from(class)].front();
            first.is_some_and(|packet| u16::from(packet.words) <= room[usize::from(class)])
        };
        let turn = node.turn;
        let mut others = (0..3).map(|step| 1 + (turn - 1 + step) % 3);
        let class = if may(0) {
            Some(0)
        } else {
            others.find(|class| may(*class))
        };
        let Some(class) = class else { return };
        if class > 0 {
            node.turn = class % 3 + 1;
        }
        let Some(packet) = node.queues[usize::from(class)].pop_front() else {
            return;
        };
        if let (true, Some(timeout)) = (class > 0, self.timeout) {
            node.outstanding.insert(packet.number, packet);
            let time = now + timeout;
            if node.timeouts.is_empty() {
                self.events.at(time, Event::Timeout(at));
            }
            node.timeouts.push_back((time, packet.number));
        }
        if class == 0
            && let Some((class, words)) = node.held.pop_front()
        {
            self.owe(out, class.into(), words.into());
        }
        let end = self.transmit(out, packet, now + 1, packet.words.into());
        self.plan_send(at, end - 1);
    }

    /// What is not answered in time is sent again.
    pub fn time_out(&mut self, at: u32) {
        let now = self.events.now();
        let node = &mut self.nodes[at as usize];
        while let Some((time, number)) = node.timeouts.front().copied() {
            if time > now {
                self.events.at(time, Event::Timeout(at));
                break;
            }
            node.timeouts.pop_front();
            if let Some(packet) = node.outstanding.remove(&number) {
                node.queues[usize::from(packet.class)].push_back(packet);
                self.retransmissions += 1;
            }
        }
        self.plan_send(at, now);
    }
}

/// To whom each node sends: a random order without a node that sends to itself; beside small
/// messages to the node opposite.
fn permutation(nodes: usize, workload: Workload, mut bits: impl FnMut() -> u64) -> Vec<u16> {
    let mut all: Vec<u16> = (0..nodes as u16).collect();
    if workload == Workload::Priority {
        all.rotate_left(nodes / 2);
        return all;
    }
    // One ring through all nodes in a random order.
    for at in (1..nodes).rev() {
        all.swap(at, (bits() % (at as u64 + 1)) as usize);
    }
    let mut to = vec![0; nodes];
    for at in 0..nodes {
        to[usize::from(all[at])] = all[(at + 1) % nodes];
    }
    to
}
