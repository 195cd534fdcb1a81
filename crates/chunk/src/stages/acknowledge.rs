// SPDX-License-Identifier: Apache-2.0
//! The Ack Generator as a stage.

use super::{Arrived, Window};
use ropewalk_stripes::{Input, Now, Output, Shared, Stage, StageError, Turn};
use ropewalk_wire::chunk::ack_generator::Use;
use ropewalk_wire::chunk::combiner::Frame;
use ropewalk_wire::chunk::report::Heard;
use ropewalk_wire::chunk::reporter::Reporter;
use std::time::Duration;
use thiserror::Error;

/// A chunk that is complete.
#[derive(Debug)]
pub struct Delivered {
    /// Its number. Chunks may be complete out of order.
    pub chunk: u32,
    /// Its memory.
    pub memory: Shared,
    /// Its bytes.
    pub bytes: usize,
}

/// The sender says two things of one chunk: it ends twice, or goes on behind its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "sub-packet {number} of chunk {chunk} contradicts others of this chunk about where it ends"
)]
pub struct Contradiction {
    /// The chunk.
    pub chunk: u32,
    /// The sub-packet.
    pub number: u16,
}

/// Knows what is there, and reports it.
pub struct Acknowledge {
    ports: AcknowledgePorts,
    chunk_bytes: usize,
    reporter: Reporter,
    window: Window,
    /// What was known of each lane, and when.
    heard: Vec<(Heard, Duration)>,
    /// All that had arrived on it by then has come here.
    looked: Vec<Duration>,
    /// The lanes were asked to look, as nothing seemed to have come by this time.
    asked: Option<Duration>,
}

/// The streams of an ack generator.
pub struct AcknowledgePorts {
    /// What has arrived on each lane.
    pub arrived: Vec<Input<Arrived>>,
    /// For each lane: reports.
    pub reports: Vec<Output<Vec<u8>>>,
    /// Complete chunks.
    pub delivered: Output<Delivered>,
    /// Memory that the host has done with.
    pub free: Input<Shared>,
}

impl Acknowledge {
    /// For a pipeline with memory for as many chunks of `chunk_bytes` bytes as agreed on.
    #[must_use]
    pub fn new(
        ports: AcknowledgePorts,
        chunk_bytes: usize,
        reporter: Reporter,
        window: Window,
        memory: Vec<Shared>,
    ) -> Self {
        window.write().memory.extend(memory.into_iter().map(Some));
        let lanes = ports.arrived.len();
        Acknowledge {
            ports,
            chunk_bytes,
            reporter,
            window,
            heard: vec![Default::default(); lanes],
            looked: vec![Duration::ZERO; lanes],
            asked: None,
        }
    }

    fn arrived(&mut self, now: Duration, arrived: &Arrived) -> Result<(), Contradiction> {
        let lane = usize::from(arrived.lane);
        self.heard[lane] = (arrived.heard, arrived.at);
        if arrived.is_all {
            self.looked[lane] = arrived.at;
        }
        let (reporter, chunks) = (&mut self.reporter, self.window.read());
        let mut places = &*chunks;
        for (sub, placed) in &arrived.subs {
            if !placed {
                reporter.known(now, sub);
            } else if reporter.data(now, sub, None, &mut places) == Use::Wrong {
                // Its bytes are in the chunk, and there is no way to take them out again.
                return Err(Contradiction {
                    chunk: sub.chunk,
                    number: sub.number,
                });
            }
        }
        for (sub, bytes) in &arrived.parity {
            reporter.parity(now, sub, bytes, &mut places);
        }
        for frame in arrived.frames.iter().chain([&Frame::Data { ask: false }]) {
            reporter.frame(now, arrived.lane, *frame);
        }
        self.window
            .tally()
            .set_restored(reporter.counters().restored);
        Ok(())
    }

    fn deliver(&mut self) {
        while self.ports.delivered.room() > 0
            && let Some((chunk, bytes)) = self.reporter.poll_complete()
        {
            let mut places = self.window.write();
            let index = chunk.wrapping_sub(places.first) as usize;
            let memory = places.memory.get_mut(index).and_then(Option::take);
            while places.memory.front().is_some_and(Option::is_none) {
                places.memory.pop_front();
                places.first = places.first.wrapping_add(1);
            }
            drop(places);
            if let Some(memory) = memory {
                let _ = self.ports.delivered.push(Delivered {
                    chunk,
                    memory,
                    bytes,
                });
            }
        }
        for mut memory in self.ports.free.drain(64) {
            // There is room for a chunk, and credit, when its memory can be written anew.
            if memory.renew(self.chunk_bytes) {
                self.window.write().memory.push_back(Some(memory));
                self.reporter.release();
            }
        }
    }

    /// Sends the next report, if one is due.
    fn report(&mut self, now: Duration) -> bool {
        let looked = self.looked.iter().copied().min().unwrap_or(now);
        // What may have come since then has not been looked at.
        let known = if self.reporter.is_pending() {
            now
        } else {
            looked
        };
        let mut bytes = Vec::new();
        let heard = self.heard.iter();
        let heard = heard.map(|(heard, at)| heard.after(known.saturating_sub(*at)));
        let lane = (self.reporter).poll_transmit(now, looked, heard, &mut bytes);
        if let Some(lane) = lane {
            let _ = self.ports.reports[usize::from(lane)].push(bytes);
        }
        lane.is_some()
    }

    /// Nothing seems to have come by this time: that is so if nothing waits on a lane. False if one
    /// could not be asked.
    fn ask(&mut self, by: Duration) -> bool {
        if self.asked == Some(by) {
            return true;
        }
        let mut lanes = self.ports.reports.iter_mut();
        let all = lanes.all(|lane| lane.push(Vec::new()).is_ok());
        self.asked = all.then_some(by);
        all
    }
}

impl Stage for Acknowledge {
    fn turn(&mut self, now: Now) -> Result<Turn, StageError> {
        let time = now.time;
        for lane in 0..self.ports.arrived.len() {
            while let Some(arrived) = self.ports.arrived[lane].pop() {
                self.arrived(time, &arrived)?;
            }
        }
        self.deliver();
        while self.report(time) {}
        let mut timer = self.reporter.next_timeout();
        if let Some(by) = timer.filter(|&by| by <= time) {
            timer = (!self.ask(by)).then_some(time + Duration::from_millis(1));
        }
        let gone = self.reporter.may_go();
        if gone.is_some_and(|at| time >= at) {
            return Ok(Turn::Done);
        }
        let next = [timer, gone].into_iter().flatten();
        Ok(next.min().map_or(Turn::Idle, Turn::Until))
    }
}
