// SPDX-License-Identifier: Apache-2.0
//! The Ack Generator as a stage.

use super::{Arrived, Window};
use ropewalk_stripes::{Input, Now, Output, Shared, Stage, StageError, Turn};
use ropewalk_wire::chunk::ack_generator::{AckGenerator, Use};
use ropewalk_wire::chunk::frame::{FrameHeader, FrameSeq, Kind};
use ropewalk_wire::chunk::guard::LaneWriter;
use ropewalk_wire::chunk::parity::{Ready, Restorer};
use ropewalk_wire::chunk::report::Heard;
use ropewalk_wire::chunk::{Params, ReceiverSettings};
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
    params: Params,
    linger: Duration,
    acks: AckGenerator,
    window: Window,
    restorer: Option<Restorer>,
    heard: Vec<Heard>,
    back: Vec<(FrameSeq, LaneWriter)>,
    answer: usize,
    finished_at: Option<Duration>,
    bye: bool,
    limit: usize,
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
    /// For a pipeline; `writers`: of reports, one for each lane; `memory`: for as many chunks as
    /// agreed on; `limit`: longest body of a report, bytes.
    #[must_use]
    pub fn new(
        ports: AcknowledgePorts,
        params: Params,
        writers: Vec<LaneWriter>,
        settings: ReceiverSettings,
        window: Window,
        memory: Vec<Shared>,
        limit: usize,
    ) -> Self {
        window.write().memory.extend(memory.into_iter().map(Some));
        let lanes = ports.arrived.len();
        Acknowledge {
            ports,
            params,
            linger: settings.linger,
            acks: AckGenerator::new(params, settings.timer, 0),
            window,
            restorer: Restorer::new(params),
            heard: vec![Heard::default(); lanes],
            back: writers
                .into_iter()
                .map(|writer| (FrameSeq::default(), writer))
                .collect(),
            answer: 0,
            finished_at: None,
            bye: false,
            limit,
        }
    }

    fn arrived(&mut self, now: Duration, arrived: &Arrived) -> Result<(), Contradiction> {
        let lane = usize::from(arrived.lane);
        self.heard[lane] = arrived.heard;
        for (sub, placed) in &arrived.subs {
            if !placed {
                self.acks.known(now, sub);
                continue;
            }
            match self.acks.usable(now, sub) {
                Use::New => {
                    let restorer = self.restorer.as_mut();
                    if let Some(ready) = restorer.and_then(|it| it.data(sub.chunk, sub.number)) {
                        self.restore(now, ready);
                    }
                }
                Use::Known | Use::Elsewhere => {}
                // Its bytes are in the chunk, and there is no way to take them out again.
                Use::Wrong => {
                    return Err(Contradiction {
                        chunk: sub.chunk,
                        number: sub.number,
                    });
                }
            }
        }
        for (sub, bytes) in &arrived.parity {
            if self.acks.parity(now, sub) == Use::New
                && let Some(restorer) = &mut self.restorer
                && let Some(there) = self.acks.there(sub.chunk)
                && let Ok(Some(ready)) = restorer.parity(sub, bytes, there)
            {
                self.restore(now, ready);
            }
        }
        if arrived.ask {
            self.acks.ask();
            self.answer = lane;
        }
        if let Some(end) = arrived.fin
            && self.acks.fin(end)
        {
            self.answer = lane;
            self.finished_at = None;
        }
        // The end may have been told before all was there.
        if self.finished_at.is_none() && self.acks.is_finished() {
            self.finished_at = Some(now);
        }
        self.bye |= arrived.bye && self.acks.is_finished();
        Ok(())
    }

    /// Copies what is missing of a block to its place.
    fn restore(&mut self, now: Duration, ready: Ready) {
        let places = self.window.read();
        let (Some(restorer), Some(there), Some(memory)) = (
            &mut self.restorer,
            self.acks.there(ready.chunk),
            places.of(ready.chunk),
        ) else {
            return;
        };
        if !restorer.gather(ready, there, |number| memory.piece(number.into())) {
            return;
        }
        let (acks, mut count) = (&mut self.acks, 0);
        restorer.restore(ready, |sub, bytes| {
            let number = usize::from(sub.number);
            if let Some(mut claim) = memory.claim(number)
                && let Some(place) = claim.get_mut(..bytes.len())
            {
                place.copy_from_slice(bytes);
                claim.commit();
                count += 1;
                acks.usable(now, sub);
            }
            // One that somebody else has written is on its way here, and counts then.
        });
        self.window.tally().add_restored(count);
    }

    fn deliver(&mut self) {
        while self.ports.delivered.room() > 0
            && let Some((chunk, bytes)) = self.acks.poll_complete()
        {
            if let Some(restorer) = &mut self.restorer {
                restorer.forget(chunk);
            }
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
            if memory.renew(self.params.chunk_bytes()) {
                self.window.write().memory.push_back(Some(memory));
                self.acks.release();
            }
        }
    }

    fn report(&mut self, now: Duration) {
        let mut body = Vec::new();
        let heard = self.heard.iter().copied();
        if !self
            .acks
            .poll_report(now, now, self.limit, heard, &mut body)
        {
            return;
        }
        let lane = self.answer;
        self.answer = (lane + 1) % self.heard.len();
        let (seq, writer) = &mut self.back[lane];
        let header = FrameHeader {
            kind: Kind::Report,
            lane: lane as u8,
            count: 0,
            seq: *seq,
            session: writer.session(),
            length: 0,
            time: now.as_micros() as u32,
        };
        *seq = seq.next();
        let mut bytes = Vec::new();
        if writer.control(&header, &body, &mut bytes) {
            let _ = self.ports.reports[lane].push(bytes);
        }
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
        while self.acks.next_timeout().is_some_and(|at| at <= time) {
            self.report(time);
        }
        let gone = self.finished_at.map(|at| at + self.linger);
        if self.acks.is_finished() && (self.bye || gone.is_some_and(|at| time >= at)) {
            return Ok(Turn::Done);
        }
        let next = [self.acks.next_timeout(), gone].into_iter().flatten().min();
        Ok(next.map_or(Turn::Idle, Turn::Until))
    }
}
