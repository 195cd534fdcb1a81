// SPDX-License-Identifier: Apache-2.0
//! One core whose users send back what they receive, frame by frame on its line: for a peer that is
//! not simulated.

use std::collections::VecDeque;

use super::end::{Beat, End, Settings, WORD};
use super::model::Model;
use crate::SimError;

/// What the core did so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EchoCounts {
    /// Cycles since the reset.
    pub cycles: u64,
    /// Frames of the line, received and sent.
    pub frames: [u64; 2],
    /// Frames found missing.
    pub lost: u64,
    /// Words that had no room in a receive buffer.
    pub overflows: u64,
    /// Packets that came in error.
    pub errors: u64,
    /// By channel: packets and bytes that came and were sent back.
    pub channels: Vec<(u64, u64)>,
}

/// A core, its users, and the frame under way in each direction.
#[derive(Debug)]
pub struct Echo {
    end: End,
    /// Bytes of a beat.
    width: usize,
    /// Received, not yet in the core.
    incoming: VecDeque<Vec<u8>>,
    /// Bytes of the first of them that are in the core.
    entered: usize,
    /// The frame that the core is sending.
    outgoing: Vec<u8>,
    /// By channel: out of the core, not yet in it again.
    held: Vec<Option<Beat>>,
    counts: EchoCounts,
}

impl Echo {
    /// A core after reset.
    ///
    /// # Errors
    /// A parameter is out of range, or the simulator cannot be built.
    pub fn new(model: Model, settings: &Settings) -> Result<Self, SimError> {
        let end = End::alone("echo", model, settings)?;
        let channels = usize::from(model.channels);
        Ok(Self {
            end,
            width: usize::from(model.bytes),
            incoming: VecDeque::new(),
            entered: 0,
            outgoing: Vec::new(),
            held: vec![None; channels],
            counts: EchoCounts {
                channels: vec![(0, 0); channels],
                ..EchoCounts::default()
            },
        })
    }

    /// A frame of the line, without FCS. Frames without bytes are none.
    pub fn receive(&mut self, frame: &[u8]) {
        if !frame.is_empty() {
            self.incoming.push_back(frame.to_vec());
        }
    }

    /// Frames that are not in the core as a whole.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.incoming.len()
    }

    /// Whether good frames come.
    #[must_use]
    pub fn link_up(&self) -> bool {
        self.end.link_up()
    }

    /// What happened so far.
    #[must_use]
    pub fn counts(&self) -> &EchoCounts {
        &self.counts
    }

    /// Lets a cycle pass; the frame whose end the core has sent in it, if any.
    pub fn step(&mut self) -> Option<Vec<u8>> {
        self.counts.cycles += 1;
        for channel in 0..self.held.len() {
            self.turn(channel);
        }
        let sent = self.end.sent();
        let events = self.end.events();
        self.counts.lost += u64::from(events.lost);
        self.counts.overflows += u64::from(events.overflow.count_ones());
        let beat = self.next_beat();
        self.end.receive(beat.as_ref());
        self.end.step();
        let beat = sent?;
        self.outgoing.extend(beat.content());
        self.counts.frames[1] += u64::from(beat.last);
        beat.last.then(|| std::mem::take(&mut self.outgoing))
    }

    /// A channel's user: a register from its output to its input.
    fn turn(&mut self, channel: usize) {
        let number = channel as u8;
        self.end.offer(number, self.held[channel].as_ref());
        if let Some(beat) = &self.held[channel]
            && self.end.takes(number)
        {
            let (packets, bytes) = &mut self.counts.channels[channel];
            *packets += u64::from(beat.last);
            *bytes += u64::from(beat.bytes);
            self.counts.errors += u64::from(beat.last && beat.error);
            self.held[channel] = None;
        }
        let ready = self.held[channel].is_none();
        self.end.set_ready(number, ready);
        if ready {
            self.held[channel] = self.end.offered(number);
        }
    }

    /// The next beat from the line.
    fn next_beat(&mut self) -> Option<Beat> {
        let frame = self.incoming.front()?;
        let rest = &frame[self.entered..];
        let bytes = rest.len().min(self.width);
        let mut data = [0; WORD];
        data[..bytes].copy_from_slice(&rest[..bytes]);
        let last = bytes == rest.len();
        self.entered += bytes;
        if last {
            self.incoming.pop_front();
            self.entered = 0;
            self.counts.frames[0] += 1;
        }
        Some(Beat {
            data,
            bytes: bytes as u8,
            last,
            error: false,
        })
    }
}
