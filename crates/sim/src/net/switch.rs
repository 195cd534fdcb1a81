// SPDX-License-Identifier: Apache-2.0
//! A switch: a queue for each input, class and output, and iSLIP over whole packets.

use super::model::{Channel, Packet};
use ropewalk_wire::switch::CLASSES;
use ropewalk_wire::switch::routes::Choice;
use std::collections::VecDeque;

/// No channel.
pub const NONE: u32 = u32::MAX;
/// Cycles from the first word at a port to the request.
pub const REQUEST_AFTER: u64 = 3;
/// Cycles from the match to the first word at the other port.
pub const OUT_AFTER: u64 = super::SWITCH_CYCLES - REQUEST_AFTER;

/// Words by which a class may be behind another one, at most, when it comes back.
const SERVED: u16 = 127;
/// A class with fewer is granted before all others while another one has as many as this.
const HIGH: u16 = 120;
const BEHIND: u16 = 64;

/// A match: whose packet goes where.
#[derive(Debug, Clone, Copy)]
pub struct Match {
    pub input: usize,
    pub output: usize,
    pub class: usize,
}

/// A switch.
#[derive(Debug)]
pub struct Switch {
    ports: usize,
    /// Channels into and out of each port.
    pub into: Vec<u32>,
    pub out: Vec<u32>,
    queues: Vec<VecDeque<Packet>>,
    /// Inputs that have something for an output, by output; classes of them, by input and output.
    inputs: Vec<u16>,
    classes: Vec<u8>,
    pub input_free: Vec<u64>,
    pub output_free: Vec<u64>,
    grant: Vec<usize>,
    accept: Vec<usize>,
    /// Words that each output has sent of each class lately, against those of the others.
    served: Vec<[u16; CLASSES]>,
    /// Words in front of each output.
    pub queued: Vec<u32>,
    /// Cycles of the next 64 for which a look is planned.
    planned: u64,
    pub choice: Choice,
}

impl Switch {
    pub fn new(ports: u8, salt: u16) -> Self {
        let count = usize::from(ports);
        Switch {
            ports: count,
            into: vec![NONE; count],
            out: vec![NONE; count],
            queues: (0..count * count * CLASSES)
                .map(|_| VecDeque::new())
                .collect(),
            inputs: vec![0; count],
            classes: vec![0; count * count],
            input_free: vec![0; count],
            output_free: vec![0; count],
            grant: vec![0; count],
            accept: vec![0; count],
            served: vec![[0; CLASSES]; count],
            queued: vec![0; count],
            planned: 0,
            choice: Choice::new(ports, salt),
        }
    }

    /// Whether a look at this time has to be planned.
    pub fn plan(&mut self, now: u64, time: u64) -> bool {
        if time - now >= 64 {
            return true;
        }
        let bit = 1 << (time % 64);
        let new = self.planned & bit == 0;
        self.planned |= bit;
        new
    }

    /// The look that was planned for now.
    pub fn begin(&mut self, now: u64) {
        self.planned &= !(1 << (now % 64));
    }

    fn place(&self, input: usize, output: usize, class: usize) -> usize {
        (input * self.ports + output) * CLASSES + class
    }

    /// A packet is stored.
    pub fn push(&mut self, input: usize, output: usize, packet: Packet) {
        let class = usize::from(packet.class);
        let place = self.place(input, output, class);
        self.queued[output] += u32::from(packet.words);
        self.queues[place].push_back(packet);
        self.inputs[output] |= 1 << input;
        self.classes[input * self.ports + output] |= 1 << class;
    }

    /// The packet of a match leaves.
    pub fn pop(&mut self, found: Match) -> Option<Packet> {
        let place = self.place(found.input, found.output, found.class);
        let packet = self.queues[place].pop_front()?;
        self.queued[found.output] -= u32::from(packet.words);
        if self.queues[place].is_empty() {
            let classes = &mut self.classes[found.input * self.ports + found.output];
            *classes &= !(1 << found.class);
            if *classes == 0 {
                self.inputs[found.output] &= !(1 << found.input);
            }
        }
        Some(packet)
    }

    /// Classes of which an input could send a packet to an output now, a bit each.
    fn requests(&self, input: usize, output: usize, now: u64, room: &[u16; CLASSES]) -> u8 {
        let waiting = self.classes[input * self.ports + output];
        let may = |class: &usize| {
            waiting >> class & 1 == 1
                && (self.queues[self.place(input, output, *class)].front()).is_some_and(|packet| {
                    packet.head + REQUEST_AFTER <= now && u16::from(packet.words) <= room[*class]
                })
        };
        (0..CLASSES)
            .filter(may)
            .fold(0, |all, class| all | 1 << class)
    }

    /// Of some classes the one that an input sends first: answers, then that of which the output
    /// has carried least.
    fn first(&self, output: usize, some: u8) -> u8 {
        let served = &self.served[output];
        let others = (1..CLASSES as u8).filter(|class| some >> class & 1 == 1);
        let least = others.min_by_key(|class| served[usize::from(*class)]);
        if some & 1 == 1 { 0 } else { least.unwrap_or(0) }
    }

    /// A class is so far behind another one at an output that it is granted before any other.
    fn is_behind(&self, output: usize, class: usize) -> bool {
        let served = &self.served[output];
        served[class] < BEHIND && served.iter().any(|other| *other >= HIGH)
    }

    /// An output serves these words of a class.
    fn serve(&mut self, output: usize, class: usize, words: u16) {
        let served = &mut self.served[output];
        let beyond = (served[class] + words).saturating_sub(SERVED);
        served[class] = (served[class] + words).min(SERVED);
        for (other, served) in served.iter_mut().enumerate() {
            if other != class {
                *served = served.saturating_sub(beyond);
            }
        }
    }

    /// One iteration of iSLIP. True with it: some input had several grants, so another one at once
    /// may find more.
    pub fn iterate(&mut self, now: u64, channels: &[Channel], found: &mut Vec<Match>) -> bool {
        found.clear();
        let mut granted = [(0u16, [0u8; 16]); 16];
        let mut any = 0u16;
        for output in 0..self.ports {
            let waiting = self.inputs[output];
            if waiting == 0 || self.output_free[output] > now || self.out[output] == NONE {
                continue;
            }
            let room = &channels[self.out[output] as usize].room;
            let mut requests = [0; 16];
            let mut all = 0;
            for input in (0..self.ports).filter(|input| waiting >> input & 1 == 1) {
                if self.input_free[input] <= now {
                    requests[input] = self.requests(input, output, now, room);
                    all |= requests[input];
                }
            }
            let behind =
                (0..CLASSES).find(|class| all >> class & 1 == 1 && self.is_behind(output, *class));
            let mask = behind.map_or(u8::MAX, |class| 1 << class);
            let mut turns = (0..self.ports).map(|step| (self.grant[output] + step) % self.ports);
            if let Some(input) = turns.find(|input| requests[*input] & mask != 0) {
                granted[input].0 |= 1 << output;
                granted[input].1[output] = self.first(output, requests[input] & mask);
                any |= 1 << input;
            }
        }
        let mut more = false;
        for input in (0..self.ports).filter(|input| any >> input & 1 == 1) {
            let (outputs, classes) = granted[input];
            more |= outputs.count_ones() > 1;
            let mut turns = (0..self.ports).map(|step| (self.accept[input] + step) % self.ports);
            let Some(output) = turns.find(|output| outputs >> output & 1 == 1) else {
                continue;
            };
            self.accept[input] = (output + 1) % self.ports;
            self.grant[output] = (input + 1) % self.ports;
            let class = usize::from(classes[output]);
            let place = self.place(input, output, class);
            let words = self.queues[place].front().map_or(0, |packet| packet.words);
            self.serve(output, class, words.into());
            found.push(Match {
                input,
                output,
                class,
            });
        }
        more
    }
}
