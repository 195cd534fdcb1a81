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
    turn: Vec<u8>,
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
            turn: vec![1; count * count],
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

    /// The class that an input would send to an output now: answers first, then in turn.
    fn request(&self, input: usize, output: usize, now: u64, room: &[u16; CLASSES]) -> Option<u8> {
        let pair = input * self.ports + output;
        let waiting = self.classes[pair];
        let may = |class: u8| {
            let place = pair * CLASSES + usize::from(class);
            waiting >> class & 1 == 1
                && (self.queues[place].front()).is_some_and(|packet| {
                    packet.head + REQUEST_AFTER <= now
                        && u16::from(packet.words) <= room[usize::from(class)]
                })
        };
        if may(0) {
            return Some(0);
        }
        let first = self.turn[pair];
        let mut others = (0..3).map(|step| 1 + (first - 1 + step) % 3);
        others.find(|class| may(*class))
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
            for step in 0..self.ports {
                let input = (self.grant[output] + step) % self.ports;
                if waiting >> input & 1 == 0 || self.input_free[input] > now {
                    continue;
                }
                if let Some(class) = self.request(input, output, now, room) {
                    granted[input].0 |= 1 << output;
                    granted[input].1[output] = class;
                    any |= 1 << input;
                    break;
                }
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
            let class = classes[output];
            if class > 0 {
                self.turn[input * self.ports + output] = class % 3 + 1;
            }
            found.push(Match {
                input,
                output,
                class: class.into(),
            });
        }
        more
    }
}
