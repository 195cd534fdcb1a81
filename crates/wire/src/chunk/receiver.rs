// SPDX-License-Identifier: Apache-2.0
//! The receiving end of a pipeline: a combiner for each lane and the ack generator, joined, with the memory of the chunks.

use super::ack_generator::{AckGenerator, AckTimer, Use};
use super::ahead;
use super::combiner::{Combiner, Discard, Frame};
use super::frame::{FrameHeader, FrameSeq, Kind};
use super::guard::{Guard, LaneWriter, Mended};
use super::params::{ParamError, Params};
use super::parity::{Contradiction, Ready, Restorer};
use super::subpacket::{ParityHeader, Sub, SubHeader};
use std::time::Duration;

/// What a receiver chooses by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiverSettings {
    /// When to report without being asked.
    pub timer: AckTimer,
    /// How long to stay after the end, to tell a sender that has missed it.
    pub linger: Duration,
    /// Number of the first chunk.
    pub first: u32,
}

impl Default for ReceiverSettings {
    fn default() -> Self {
        ReceiverSettings {
            timer: AckTimer::default(),
            linger: Duration::from_secs(3),
            first: 0,
        }
    }
}

/// What a receiver counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReceiverCounters {
    /// Chunks.
    pub chunks: u64,
    /// Bytes of chunks.
    pub bytes: u64,
    /// Sub-packets that were copied to their place.
    pub sub_packets: u64,
    /// Sub-packets that were there already.
    pub known: u64,
    /// Sub-packets that never arrived, restored from parity.
    pub restored: u64,
    /// Sub-packets of chunks that are complete, or that there is no credit for.
    pub elsewhere: u64,
    /// Sub-packets that contradict the sizes agreed on.
    pub wrong: u64,
    /// Sub-packets that were damaged.
    pub damaged: u64,
    /// Frames of this session, whose check or seal was right, each once.
    pub frames: u64,
    /// Datagrams that were no frames of this session.
    pub foreign: u64,
    /// Reports.
    pub reports: u64,
    /// What was mended.
    pub mended: Mended,
}

/// A complete chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Complete<B> {
    /// Its number. Chunks may be complete out of order.
    pub chunk: u32,
    /// Its memory.
    pub memory: B,
    /// Its bytes: the first ones of the memory.
    pub bytes: usize,
}

/// The receiving end of a pipeline.
///
/// Give it every datagram that arrives, send every report that it has, take the chunks that are complete, and give memory back.
#[derive(Debug)]
pub struct Receiver<B> {
    session: u64,
    linger: Duration,
    combiners: Vec<Combiner>,
    chunks: Chunks<B>,
    /// Most bytes of the body of a report.
    limit: usize,
    body: Vec<u8>,
    answer: u8,
    back: Vec<(FrameSeq, LaneWriter)>,
    bye: bool,
    finished_at: Option<Duration>,
}

/// What of chunks is there.
#[derive(Debug)]
struct Chunks<B> {
    acks: AckGenerator,
    memory: Vec<Slot<B>>,
    payload: usize,
    restorer: Option<Restorer>,
    counters: ReceiverCounters,
}

#[derive(Debug)]
enum Slot<B> {
    Free(B),
    Filling(u32, B),
    Gone,
}

impl<B: AsMut<[u8]>> Receiver<B> {
    /// An end of a session whose start both ends have agreed on. `memory`: for [`Params::chunks`] chunks, [`Params::chunk_bytes`] bytes each.
    ///
    /// # Errors
    /// A parameter out of range, or frames that are protected otherwise.
    ///
    /// # Panics
    /// Too little memory, or too much.
    pub fn new(
        params: Params,
        guard: Guard,
        settings: ReceiverSettings,
        memory: Vec<B>,
    ) -> Result<Self, ParamError> {
        let session = guard.session();
        let (writers, readers): (Vec<_>, Vec<_>) = guard.receiver(&params)?.into_iter().unzip();
        assert_eq!(
            memory.len(),
            usize::from(params.chunks),
            "memory for as many chunks as agreed on"
        );
        let memory = memory.into_iter().map(|mut buffer| {
            assert!(
                buffer.as_mut().len() >= params.chunk_bytes(),
                "{} bytes for a chunk",
                buffer.as_mut().len()
            );
            Slot::Free(buffer)
        });
        Ok(Receiver {
            session,
            linger: settings.linger,
            combiners: (0..)
                .zip(readers)
                .map(|(lane, reader)| Combiner::new(params, reader, lane))
                .collect(),
            chunks: Chunks {
                acks: AckGenerator::new(params, settings.timer, settings.first),
                memory: memory.collect(),
                payload: usize::from(params.payload),
                restorer: Restorer::new(params),
                counters: ReceiverCounters::default(),
            },
            limit: params.report_bytes(),
            body: Vec::new(),
            answer: 0,
            back: writers
                .into_iter()
                .map(|writer| (FrameSeq::default(), writer))
                .collect(),
            bye: false,
            finished_at: None,
        })
    }

    /// From now on so large a share of the sub-packets, of 0 to 1, counts as damaged; which ones follows from the seed.
    pub fn discard(&mut self, share: f64, seed: u64) {
        for (combiner, lane) in self.combiners.iter_mut().zip(0..) {
            combiner.set_discard(Discard::new(
                share,
                seed.wrapping_mul(1 << 8).wrapping_add(lane),
            ));
        }
    }

    /// Takes a datagram that has arrived on a lane.
    pub fn receive(&mut self, now: Duration, lane: u8, datagram: &[u8]) {
        let Some(combiner) = self.combiners.get_mut(usize::from(lane)) else {
            return;
        };
        let chunks = &mut self.chunks;
        // Where they are: fields written one by one and copied as words would have to reach the cache in between.
        let frame = combiner.receive(now, datagram, &mut |sub, bytes| match &sub {
            Sub::Data(sub) => chunks.data(now, sub, bytes),
            Sub::Parity(sub) => chunks.parity(now, sub, bytes),
        });
        match frame {
            Frame::Data { ask: false } => {}
            Frame::Data { ask: true } => {
                self.chunks.acks.ask();
                self.answer = lane;
            }
            Frame::Fin(end) => {
                if self.chunks.acks.fin(end) {
                    self.answer = lane;
                    self.finished_at = None;
                }
            }
            Frame::Bye => self.bye = self.chunks.acks.is_finished(),
            Frame::Foreign | Frame::Repeated => {}
        }
        // The end may have been told before all was there.
        if self.finished_at.is_none() && self.is_finished() {
            self.finished_at = Some(now);
        }
    }

    /// The next complete chunk, with its memory. There is credit for another one when memory comes back.
    pub fn poll_chunk(&mut self) -> Option<Complete<B>> {
        let (chunk, bytes) = self.chunks.acks.poll_complete()?;
        if let Some(restorer) = &mut self.chunks.restorer {
            restorer.forget(chunk);
        }
        let slot = self
            .chunks
            .memory
            .iter_mut()
            .find(|slot| matches!(slot, Slot::Filling(of, _) if *of == chunk))?;
        let Slot::Filling(_, memory) = std::mem::replace(slot, Slot::Gone) else {
            return None;
        };
        self.chunks.counters.chunks += 1;
        self.chunks.counters.bytes += bytes as u64;
        Some(Complete {
            chunk,
            memory,
            bytes,
        })
    }

    /// Gives memory back: credit for another chunk.
    pub fn give_back(&mut self, memory: B) {
        if let Some(slot) = self
            .chunks
            .memory
            .iter_mut()
            .find(|slot| matches!(slot, Slot::Gone))
        {
            *slot = Slot::Free(memory);
            self.chunks.acks.release();
        }
    }

    /// Adds a report, as a datagram, to `bytes` if one is due, and says on which lane it goes out. `looked`: all that had arrived by then, on any
    /// lane, was given to [`Receiver::receive`]; without that, what waits for a busy end would pass for lost.
    pub fn poll_transmit(
        &mut self,
        now: Duration,
        looked: Duration,
        bytes: &mut Vec<u8>,
    ) -> Option<u8> {
        self.body.clear();
        // What may have come since then has not been looked at.
        let at = if self.chunks.acks.is_pending() {
            now
        } else {
            looked
        };
        let lanes = self.combiners.iter().map(|combiner| combiner.heard(at));
        if !self
            .chunks
            .acks
            .poll_report(now, looked, self.limit, lanes, &mut self.body)
        {
            return None;
        }
        // What nobody asked for goes round the lanes, as one of them may be dead.
        let lane = self.answer;
        self.answer = (lane + 1) % self.back.len() as u8;
        let (seq, writer) = &mut self.back[usize::from(lane)];
        let header = FrameHeader {
            kind: Kind::Report,
            lane,
            count: 0,
            seq: *seq,
            session: self.session,
            length: 0,
            time: now.as_micros() as u32,
        };
        *seq = seq.next();
        if !writer.control(&header, &self.body, bytes) {
            return None;
        }
        self.chunks.counters.reports += 1;
        Some(lane)
    }

    /// When [`Receiver::poll_transmit`] has something, if nothing arrives before.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Duration> {
        self.chunks.acks.next_timeout()
    }

    /// Whether everything has arrived.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.chunks.acks.is_finished()
    }

    /// Whether this end may go: everything has arrived, and the sender knows, or has been silent for so long that it must.
    #[must_use]
    pub fn may_go(&self, now: Duration) -> bool {
        self.is_finished()
            && (self.bye || self.finished_at.is_some_and(|at| now >= at + self.linger))
    }

    /// State of a lane.
    #[must_use]
    pub fn lane(&self, lane: u8) -> Option<&Combiner> {
        self.combiners.get(usize::from(lane))
    }

    /// What was counted.
    #[must_use]
    pub fn counters(&self) -> ReceiverCounters {
        let mut counters = self.chunks.counters;
        for combiner in &self.combiners {
            counters.damaged += combiner.counters().damaged;
            counters.frames += combiner.counters().frames;
            counters.foreign += combiner.counters().foreign;
            counters.mended.add(combiner.counters().mended);
        }
        counters
    }
}

impl<B: AsMut<[u8]>> Chunks<B> {
    fn data(&mut self, now: Duration, sub: &SubHeader, bytes: &[u8]) {
        match self.acks.usable(now, sub) {
            Use::New => {
                self.counters.sub_packets += 1;
                copy(&mut self.memory, self.payload, sub, bytes);
                let restorer = self.restorer.as_mut();
                if let Some(ready) = restorer.and_then(|it| it.data(sub.chunk, sub.number)) {
                    self.restore(now, ready);
                }
            }
            Use::Known => self.counters.known += 1,
            Use::Elsewhere => self.counters.elsewhere += 1,
            Use::Wrong => self.counters.wrong += 1,
        }
    }

    fn parity(&mut self, now: Duration, sub: &ParityHeader, bytes: &[u8]) {
        match self.acks.parity(now, sub) {
            // What is not needed is none of what counts.
            Use::Known | Use::Elsewhere => {}
            Use::Wrong => self.counters.wrong += 1,
            Use::New => {
                let (Some(restorer), Some(there)) =
                    (&mut self.restorer, self.acks.there(sub.chunk))
                else {
                    return;
                };
                match restorer.parity(sub, bytes, there) {
                    Ok(None) => {}
                    Ok(Some(ready)) => self.restore(now, ready),
                    Err(Contradiction) => self.counters.wrong += 1,
                }
            }
        }
    }

    /// Copies what is missing of a block to its place.
    fn restore(&mut self, now: Duration, ready: Ready) {
        let Chunks {
            acks,
            memory,
            payload,
            restorer,
            counters,
        } = self;
        let (Some(restorer), Some(there)) = (restorer, acks.there(ready.chunk)) else {
            return;
        };
        let Some(buffer) = place(memory, ready.chunk) else {
            return;
        };
        let buffer = &*buffer.as_mut();
        let read = |number| {
            let at = usize::from(number) * *payload;
            buffer.get(at..at + *payload)
        };
        if !restorer.gather(ready, there, read) {
            return;
        }
        restorer.restore(ready, |sub, bytes| {
            if acks.usable(now, sub) == Use::New {
                counters.restored += 1;
                copy(memory, *payload, sub, bytes);
            }
        });
    }
}

/// Copies a sub-packet to its place.
fn copy<B: AsMut<[u8]>>(memory: &mut [Slot<B>], payload: usize, sub: &SubHeader, bytes: &[u8]) {
    let at = usize::from(sub.number) * payload;
    if let Some(buffer) = place(memory, sub.chunk) {
        let place = &mut buffer.as_mut()[at..at + bytes.len()];
        ahead::fetch(place);
        place.copy_from_slice(bytes);
    }
}

/// The memory of a chunk: that which it fills already, or the next free one.
fn place<B>(memory: &mut [Slot<B>], chunk: u32) -> Option<&mut B> {
    let filling = |slot: &Slot<B>| matches!(slot, Slot::Filling(of, _) if *of == chunk);
    let index = memory.iter().position(filling).or_else(|| {
        let index = memory
            .iter()
            .position(|slot| matches!(slot, Slot::Free(_)))?;
        if let Slot::Free(buffer) = std::mem::replace(&mut memory[index], Slot::Gone) {
            memory[index] = Slot::Filling(chunk, buffer);
        }
        Some(index)
    })?;
    match &mut memory[index] {
        Slot::Filling(_, buffer) => Some(buffer),
        _ => None,
    }
}
