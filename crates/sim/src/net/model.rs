// SPDX-License-Identifier: Apache-2.0
//! The network, event by event.

use super::config::{Config, Transport};
use super::events::{Event, Events};
use super::node::Node;
use super::result::{ClassResult, LinkResult, NetResult};
use super::switch::{Match, NONE, OUT_AFTER, REQUEST_AFTER, Switch};
use super::{ANSWER_WORDS, CYCLE_NS, SWITCH_CYCLES};
use crate::LatencyHistogram;
use ropewalk_wire::rifl::plan::recovery::Recovery;
use ropewalk_wire::switch::topology::generate::Choices;
use ropewalk_wire::switch::{CLASSES, Class, End, Route, RouteError, Tables};
use std::collections::{HashSet, VecDeque};

/// It met congestion.
pub const MARK: u8 = 1;
/// A bit of it was flipped.
pub const DAMAGED: u8 = 2;
/// It answers another packet.
pub const ANSWER: u8 = 4;
/// Any path, by load.
pub const SPREAD: u8 = 8;

/// Bits of a word on the lanes.
const WORD_BITS: f64 = 512.0;
/// Cycles in the ends of a link beside its delay, of credits.
const CREDIT_AFTER: u64 = 3;
/// Answers that a node holds before it takes no more packets that want one.
const HELD_ANSWERS: usize = 64;

/// A packet.
#[derive(Debug, Clone, Copy)]
pub struct Packet {
    pub source: u16,
    pub destination: u16,
    pub flow: u16,
    pub class: u8,
    pub words: u8,
    pub flags: u8,
    /// Of its source; of an answer that of the packet that it answers.
    pub number: u32,
    /// When it was made.
    pub born: u64,
    /// When its first and its last word come to the end of the channel.
    pub head: u64,
    pub tail: u64,
}

/// Where a channel leads.
#[derive(Debug, Clone, Copy)]
enum Place {
    Node(u32),
    Port(u32, u8),
}

/// A link in one direction; its other direction is the channel with the last bit changed.
#[derive(Debug)]
pub struct Channel {
    from: End,
    to: End,
    head: Place,
    delay: u64,
    /// When it is free for the next packet.
    pub busy: u64,
    /// Words of each class that may be sent.
    pub room: [u16; CLASSES],
    line: VecDeque<Packet>,
    /// Class and words of packets that leave the memory behind it.
    leaving: VecDeque<(u8, u8)>,
    /// Credits that it has to carry, and those on the way.
    owed: [u16; CLASSES],
    dirty: bool,
    coming: VecDeque<[u16; CLASSES]>,
    errors_per_word: f64,
    words_to_error: f64,
    words: u64,
    credits: u64,
    errors: u64,
}

impl Channel {
    fn carry(&mut self) {
        self.coming.push_back(std::mem::take(&mut self.owed));
        self.dirty = false;
    }

    fn draw(&mut self, choices: &mut Choices) {
        self.words_to_error = if self.errors_per_word > 0.0 {
            -(1.0 - choices.unit()).ln() / self.errors_per_word
        } else {
            f64::INFINITY
        };
    }
}

/// The network.
pub struct Network<'a> {
    pub config: &'a Config,
    tables: Tables,
    pub channels: Vec<Channel>,
    switches: Vec<Switch>,
    pub nodes: Vec<Node>,
    pub events: Events,
    pub choices: Choices,
    pub timeout: Option<u64>,
    loss: f64,
    pub classes: [ClassResult; CLASSES],
    pub window: (u64, u64),
    window_words: u64,
    dropped: u64,
    pub retransmissions: u64,
    duplicates: u64,
    reordered: u64,
    ordered: bool,
    /// Number of the last packet of each class, by destination and source.
    last: Vec<[u32; CLASSES]>,
    seen: HashSet<u64>,
    matches: Vec<Match>,
    pub permutation: Vec<u16>,
}

/// Runs it; `tell` is given the cycle now and then.
///
/// # Errors
/// The topology has no tables.
pub fn run(config: &Config, tell: &mut dyn FnMut(u64)) -> Result<NetResult, RouteError> {
    let mut network = Network::new(config)?;
    network.start();
    let (mut events, mut over_limit) = (0u64, false);
    while let Some(event) = network.events.next() {
        network.handle(event);
        events += 1;
        if events % (1 << 16) == 0 {
            tell(network.events.now());
            if network.events.now() > config.limit {
                over_limit = true;
                break;
            }
        }
    }
    Ok(network.result(events, over_limit))
}

impl<'a> Network<'a> {
    fn new(config: &'a Config) -> Result<Self, RouteError> {
        let topology = &config.topology;
        let tables = match &config.tables {
            Some(tables) => tables.clone(),
            None => Tables::new(topology)?,
        };
        let mut choices = Choices::new(config.seed);
        let switches = topology.switches().iter().zip(1..);
        let salt = |number| if config.same_hash { 0 } else { number };
        let switches = switches.map(|(switch, number)| Switch::new(switch.ports, salt(number)));
        let mut switches: Vec<_> = switches.collect();
        let mut nodes: Vec<Node> = (0..topology.nodes()).map(|_| Node::new(NONE)).collect();
        let mut channels = Vec::new();
        for link in topology.links() {
            for (from, to) in [(link.a, link.b), (link.b, link.a)] {
                let index = channels.len() as u32;
                match from {
                    End::Node(node) => nodes[usize::from(node)].out = index,
                    End::Switch { switch, port } => {
                        switches[usize::from(switch)].out[usize::from(port)] = index;
                    }
                }
                let head = match to {
                    End::Node(node) => Place::Node(node.into()),
                    End::Switch { switch, port } => {
                        switches[usize::from(switch)].into[usize::from(port)] = index;
                        Place::Port(switch.into(), port)
                    }
                };
                let mut channel = Channel {
                    from,
                    to,
                    head,
                    delay: link.delay.into(),
                    busy: 0,
                    room: config.memory,
                    line: VecDeque::new(),
                    leaving: VecDeque::new(),
                    owed: [0; CLASSES],
                    dirty: false,
                    coming: VecDeque::new(),
                    errors_per_word: 1.0 - (1.0 - link.ber).powf(WORD_BITS),
                    words_to_error: 0.0,
                    words: 0,
                    credits: 0,
                    errors: 0,
                };
                channel.draw(&mut choices);
                channels.push(channel);
            }
        }
        let (loss, timeout) = match config.transport {
            Transport::Lossless => (0.0, None),
            Transport::Lossy { loss, timeout } => {
                let usual = || timeout_of(config, &tables);
                (loss, Some(timeout.unwrap_or_else(usual).max(1)))
            }
        };
        let empty = ClassResult {
            made: 0,
            delivered: 0,
            marked: 0,
            latency: LatencyHistogram::new(CYCLE_NS),
        };
        let finite = config.workload.is_finite();
        let nodes_square = nodes.len() * nodes.len();
        let ordered = timeout.is_none() && !config.spread;
        Ok(Network {
            config,
            tables,
            channels,
            switches,
            nodes,
            events: Events::new(),
            choices,
            timeout,
            loss,
            classes: [(); CLASSES].map(|()| empty.clone()),
            window: if finite {
                (0, u64::MAX)
            } else {
                (config.cycles / 5, config.cycles)
            },
            window_words: 0,
            dropped: 0,
            retransmissions: 0,
            duplicates: 0,
            reordered: 0,
            ordered,
            last: vec![[0; CLASSES]; if ordered { nodes_square } else { 0 }],
            seen: HashSet::new(),
            matches: Vec::new(),
            permutation: Vec::new(),
        })
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Arrive(channel) => self.arrive(channel),
            Event::Credit(channel) => self.credit(channel),
            Event::Free(channel) => {
                if let Some((class, words)) = self.channels[channel as usize].leaving.pop_front() {
                    self.owe(channel ^ 1, class.into(), words.into());
                }
            }
            Event::Flush(channel) => self.flush(channel),
            Event::Match(switch) => self.look(switch),
            Event::Send(node) => self.send(node),
            Event::Make(stream) => self.make(stream),
            Event::Timeout(node) => self.time_out(node),
        }
    }

    /// Sends a packet over a channel from `start` on, a word a cycle if `cycles` is its length.
    /// Gives the cycle in which the channel is free again.
    pub fn transmit(&mut self, index: u32, mut packet: Packet, start: u64, cycles: u64) -> u64 {
        let lossless = self.timeout.is_none();
        let channel = &mut self.channels[index as usize];
        let start = start.max(channel.busy);
        if channel.dirty {
            channel.carry();
            let time = start + channel.delay + CREDIT_AFTER;
            self.events.at(time, Event::Credit(index));
        }
        let mut errors = 0;
        channel.words_to_error -= f64::from(packet.words);
        while channel.words_to_error <= 0.0 {
            let rest = channel.words_to_error;
            channel.draw(&mut self.choices);
            channel.words_to_error += rest;
            errors += 1;
        }
        let mut stall = 0;
        if errors > 0 {
            channel.errors += errors;
            if lossless {
                let replay = Recovery::extended(2.0 * channel.delay as f64);
                stall = errors * replay.forward as u64;
                let other = &mut self.channels[index as usize ^ 1];
                other.busy = other.busy.max(start) + errors * replay.opposite as u64;
            } else {
                packet.flags |= DAMAGED;
            }
        }
        let channel = &mut self.channels[index as usize];
        channel.busy = start + cycles + stall;
        channel.words += u64::from(packet.words);
        channel.room[usize::from(packet.class)] -= u16::from(packet.words);
        packet.head = start + channel.delay;
        packet.tail = channel.busy - 1 + channel.delay;
        channel.line.push_back(packet);
        let time = match channel.head {
            Place::Node(_) => packet.tail,
            Place::Port(..) => packet.head,
        };
        self.events.at(time, Event::Arrive(index));
        channel.busy
    }

    /// Credits for the sender at the head of a channel.
    pub fn owe(&mut self, index: u32, class: usize, words: u16) {
        let channel = &mut self.channels[index as usize];
        channel.owed[class] += words;
        if !channel.dirty {
            channel.dirty = true;
            self.flush(index);
        }
    }

    /// A word of credits, unless the next packet carries them.
    fn flush(&mut self, index: u32) {
        let now = self.events.now();
        let channel = &mut self.channels[index as usize];
        if !channel.dirty {
            return;
        }
        if channel.busy > now {
            self.events.at(channel.busy, Event::Flush(index));
            return;
        }
        channel.busy = now + 1;
        channel.credits += 1;
        channel.carry();
        let time = now + 1 + channel.delay + CREDIT_AFTER;
        self.events.at(time, Event::Credit(index));
    }

    fn credit(&mut self, index: u32) {
        let Some(credits) = self.channels[index as usize].coming.pop_front() else {
            return;
        };
        let back = &mut self.channels[index as usize ^ 1];
        for (room, more) in back.room.iter_mut().zip(credits) {
            *room += more;
        }
        match self.channels[index as usize].head {
            Place::Node(node) => self.plan_send(node, self.events.now()),
            Place::Port(switch, _) => self.plan_look(switch, self.events.now()),
        }
    }

    fn arrive(&mut self, index: u32) {
        let channel = &mut self.channels[index as usize];
        let Some(packet) = channel.line.pop_front() else {
            return;
        };
        match channel.head {
            Place::Node(node) => self.deliver(node, packet),
            Place::Port(switch, port) => self.route(switch, port, packet),
        }
    }

    fn route(&mut self, at: u32, port: u8, mut packet: Packet) {
        let allowed = self.tables.ports(at as u16, port, packet.destination);
        let switch = &mut self.switches[at as usize];
        let route = Route {
            class: Class::ALL[usize::from(packet.class)],
            mark: false,
            spread: packet.flags & SPREAD > 0,
            words: packet.words,
            destination: packet.destination,
            source: packet.source,
            flow: packet.flow,
            hops: 0,
        };
        let queued = &switch.queued;
        let load = |port: u8| (queued[usize::from(port)] / 16).min(15) as u8;
        let Some(output) = switch.choice.port(&route, allowed, load) else {
            self.dropped += 1;
            return;
        };
        let output = usize::from(output);
        if switch.queued[output] >= self.config.mark_at {
            packet.flags |= MARK;
        }
        switch.push(port.into(), output, packet);
        self.plan_look(at, packet.head + REQUEST_AFTER);
    }

    fn plan_look(&mut self, at: u32, time: u64) {
        let now = self.events.now();
        if self.switches[at as usize].plan(now, time.max(now)) {
            self.events.at(time, Event::Match(at));
        }
    }

    fn look(&mut self, at: u32) {
        let now = self.events.now();
        let mut matches = std::mem::take(&mut self.matches);
        let switch = &mut self.switches[at as usize];
        switch.begin(now);
        let more = switch.iterate(now, &self.channels, &mut matches);
        for found in &matches {
            let switch = &mut self.switches[at as usize];
            let (into, out) = (switch.into[found.input], switch.out[found.output]);
            let Some(packet) = switch.pop(*found) else {
                continue;
            };
            // Cut-through: the last word leaves when it has come.
            let whole = packet.tail + OUT_AFTER;
            let cycles = (now + u64::from(packet.words)).max(whole) - now;
            let end = self.transmit(out, packet, now + OUT_AFTER, cycles) - OUT_AFTER;
            let switch = &mut self.switches[at as usize];
            switch.input_free[found.input] = end;
            switch.output_free[found.output] = end;
            let leaving = (packet.class, packet.words);
            self.channels[into as usize].leaving.push_back(leaving);
            self.events.at(end, Event::Free(into));
            self.plan_look(at, end);
        }
        self.matches = matches;
        if more {
            self.plan_look(at, now + 1);
        }
    }

    /// A packet has come to its end.
    fn deliver(&mut self, at: u32, packet: Packet) {
        let class = usize::from(packet.class);
        let out = self.nodes[at as usize].out;
        let answered = packet.flags & ANSWER == 0 && self.config.answers;
        if self.config.blocked != Some(packet.class) {
            let node = &mut self.nodes[at as usize];
            if answered && node.queues[0].len() >= HELD_ANSWERS {
                node.held.push_back((packet.class, packet.words));
            } else {
                self.owe(out, class, packet.words.into());
            }
        }
        let lost = self.timeout.is_some() && self.loss > 0.0 && self.choices.unit() < self.loss;
        if packet.flags & DAMAGED > 0 || lost {
            self.dropped += 1;
            return;
        }
        let now = self.events.now();
        if packet.flags & ANSWER > 0 {
            self.nodes[at as usize].outstanding.remove(&packet.number);
            self.record(&packet, now);
            return;
        }
        if answered {
            let answer = Packet {
                source: at as u16,
                destination: packet.source,
                class: 0,
                words: ANSWER_WORDS,
                flags: ANSWER,
                born: now,
                ..packet
            };
            self.classes[0].made += 1;
            self.nodes[at as usize].queues[0].push_back(answer);
            self.plan_send(at, now);
        }
        if self.is_new(at, &packet) {
            self.record(&packet, now);
            if (self.window.0..self.window.1).contains(&now) {
                self.window_words += u64::from(packet.words);
            }
            self.received(at, &packet);
        }
    }

    fn record(&mut self, packet: &Packet, now: u64) {
        let class = &mut self.classes[usize::from(packet.class)];
        class.delivered += 1;
        class.marked += u64::from(packet.flags & MARK);
        class.latency.record(now + 1 - packet.born);
    }

    fn is_new(&mut self, at: u32, packet: &Packet) -> bool {
        if self.timeout.is_some() {
            let node = u64::from(at) << 48;
            let name = node | u64::from(packet.source) << 32 | u64::from(packet.number);
            let new = self.seen.insert(name);
            self.duplicates += u64::from(!new);
            return new;
        }
        if self.ordered {
            let pair = at as usize * self.nodes.len() + usize::from(packet.source);
            let last = &mut self.last[pair][usize::from(packet.class)];
            match packet.number.cmp(last) {
                std::cmp::Ordering::Less => self.reordered += 1,
                std::cmp::Ordering::Equal => self.duplicates += 1,
                std::cmp::Ordering::Greater => *last = packet.number,
            }
        }
        true
    }

    fn result(self, events: u64, over_limit: bool) -> NetResult {
        let blocked = self.config.blocked.map(usize::from);
        let classes = self.classes.iter().enumerate().skip(1);
        let missing = classes.filter(|(class, _)| Some(*class) != blocked);
        // What a node has not made yet is missing too: it waits for what does not come.
        let unmade: u64 = self.nodes.iter().map(|node| node.unmade(&self)).sum();
        let missing: u64 = unmade + missing.map(|(_, it)| it.made - it.delivered).sum::<u64>();
        let cycles = self.events.now();
        let links = self.channels.iter().map(|channel| LinkResult {
            from: channel.from,
            to: channel.to,
            words: channel.words,
            credits: channel.credits,
            errors: channel.errors,
        });
        NetResult {
            nodes: self.nodes.len() as u16,
            cycles,
            links: links.collect(),
            window_words: self.window_words,
            window_cycles: self.window.1.min(cycles) - self.window.0.min(cycles),
            dropped: self.dropped,
            retransmissions: self.retransmissions,
            duplicates: self.duplicates,
            reordered: self.reordered,
            missing,
            deadlock: missing > 0 && !over_limit,
            over_limit,
            events,
            timeout: self.timeout,
            ordered: self.ordered,
            classes: self.classes,
        }
    }
}

/// Twice an idle round trip over the longest path, with a packet of others before it at each hop.
fn timeout_of(config: &Config, tables: &Tables) -> u64 {
    let nodes = config.topology.nodes();
    let from = (0..nodes).step_by(usize::from(nodes / 64 + 1));
    let hops = from.flat_map(|from| (0..nodes).filter_map(move |to| tables.hops(from, to)));
    let hops = u64::from(hops.max().unwrap_or(0));
    let delay = config.topology.links().iter().map(|link| link.delay).max();
    let hop = u64::from(delay.unwrap_or(0)) + SWITCH_CYCLES;
    let packet = u64::from(config.packet_words);
    2 * ((hops + 1) * (2 * hop + 8 * packet) + packet)
}
