// SPDX-License-Identifier: Apache-2.0
//! The receiving end of a pipeline: a combiner for each lane and the ack generator, joined, with
//! the memory of the chunks.

use super::ack_generator::AckTimer;
use super::ahead;
use super::combiner::{Combiner, Discard};
use super::params::{ParamError, Params};
use super::reporter::{Places, Reporter};
use super::session::{Mended, Session};
use super::subpacket::{Sub, SubHeader};
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
/// Give it every datagram that arrives, send every report that it has, take the chunks that are
/// complete, and give memory back.
#[derive(Debug)]
pub struct Receiver<B> {
    combiners: Vec<Combiner>,
    memory: Memory<B>,
    reporter: Reporter,
}

/// Memory of chunks.
#[derive(Debug)]
struct Memory<B> {
    slots: Vec<Slot<B>>,
    payload: usize,
}

#[derive(Debug)]
enum Slot<B> {
    Free(B),
    Filling(u32, B),
    Gone,
}

impl<B: AsMut<[u8]>> Receiver<B> {
    /// An end of a session whose start both ends have agreed on. `memory`: for [`Params::chunks`]
    /// chunks, [`Params::chunk_bytes`] bytes each.
    ///
    /// # Errors
    /// A parameter out of range, or frames that are protected otherwise.
    ///
    /// # Panics
    /// Too little memory, or too much.
    pub fn new(
        params: Params,
        session: Session,
        settings: ReceiverSettings,
        memory: Vec<B>,
    ) -> Result<Self, ParamError> {
        let (writers, readers): (Vec<_>, Vec<_>) = session.receiver(&params)?.into_iter().unzip();
        event!(
            INFO,
            session = writers[0].session(),
            lanes = params.lanes,
            sealed = params.sealed,
            "receiver opened"
        );
        assert_eq!(
            memory.len(),
            usize::from(params.chunks),
            "memory for as many chunks as agreed on"
        );
        let slots = memory.into_iter().map(|mut buffer| {
            assert!(
                buffer.as_mut().len() >= params.chunk_bytes(),
                "{} bytes for a chunk",
                buffer.as_mut().len()
            );
            Slot::Free(buffer)
        });
        let readers = (0..).zip(readers);
        let combiners = readers.map(|(lane, reader)| Combiner::new(params, reader, lane));
        Ok(Receiver {
            combiners: combiners.collect(),
            memory: Memory {
                slots: slots.collect(),
                payload: usize::from(params.payload),
            },
            reporter: Reporter::new(params, settings, writers, params.report_bytes()),
        })
    }

    /// From now on so large a share of the sub-packets, of 0 to 1, counts as damaged; which ones
    /// follows from the seed.
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
        let (reporter, memory) = (&mut self.reporter, &mut self.memory);
        // Where they are: fields written one by one and copied as words would have to reach the
        // cache in between.
        let frame = combiner.receive(now, datagram, &mut |sub, bytes| match &sub {
            Sub::Data(sub) => {
                reporter.data(now, sub, Some(bytes), memory);
            }
            Sub::Parity(sub) => reporter.parity(now, sub, bytes, memory),
        });
        self.reporter.frame(now, lane, frame);
    }

    /// The next complete chunk, with its memory. There is credit for another one when memory comes
    /// back.
    pub fn poll_chunk(&mut self) -> Option<Complete<B>> {
        let (chunk, bytes) = self.reporter.poll_complete()?;
        let filled = |slot: &&mut Slot<B>| matches!(slot, Slot::Filling(of, _) if *of == chunk);
        let slot = self.memory.slots.iter_mut().find(filled)?;
        let Slot::Filling(_, memory) = std::mem::replace(slot, Slot::Gone) else {
            return None;
        };
        Some(Complete {
            chunk,
            memory,
            bytes,
        })
    }

    /// Gives memory back: credit for another chunk.
    pub fn give_back(&mut self, memory: B) {
        let mut slots = self.memory.slots.iter_mut();
        if let Some(slot) = slots.find(|slot| matches!(slot, Slot::Gone)) {
            *slot = Slot::Free(memory);
            self.reporter.release();
        }
    }

    /// Adds a report, as a datagram, to `bytes` if one is due, and says on which lane it goes out.
    /// `looked`: all that had arrived by then, on any lane, was given to [`Receiver::receive`];
    /// without that, what waits for a busy end would pass for lost.
    pub fn poll_transmit(
        &mut self,
        now: Duration,
        looked: Duration,
        bytes: &mut Vec<u8>,
    ) -> Option<u8> {
        // What may have come since then has not been looked at.
        let at = if self.reporter.is_pending() {
            now
        } else {
            looked
        };
        let heard = self.combiners.iter().map(|combiner| combiner.heard(at));
        self.reporter.poll_transmit(now, looked, heard, bytes)
    }

    /// When [`Receiver::poll_transmit`] has something, if nothing arrives before.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Duration> {
        self.reporter.next_timeout()
    }

    /// Whether everything has arrived.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.reporter.is_finished()
    }

    /// Whether this end may go: everything has arrived, and the sender knows, or has been silent
    /// for so long that it must.
    #[must_use]
    pub fn may_go(&self, now: Duration) -> bool {
        self.reporter.may_go().is_some_and(|at| now >= at)
    }

    /// State of a lane.
    #[must_use]
    pub fn lane(&self, lane: u8) -> Option<&Combiner> {
        self.combiners.get(usize::from(lane))
    }

    /// What was counted.
    #[must_use]
    pub fn counters(&self) -> ReceiverCounters {
        let mut counters = self.reporter.counters();
        for combiner in &self.combiners {
            counters.damaged += combiner.counters().damaged;
            counters.frames += combiner.counters().frames;
            counters.foreign += combiner.counters().foreign;
            counters.mended.add(combiner.counters().mended);
        }
        counters
    }
}

impl<B: AsMut<[u8]>> Places for Memory<B> {
    fn reader<'a>(&'a mut self, chunk: u32) -> Option<impl Fn(u16) -> Option<&'a [u8]> + 'a> {
        let payload = self.payload;
        let buffer: &[u8] = self.place(chunk)?.as_mut();
        Some(move |number: u16| buffer.get(usize::from(number) * payload..)?.get(..payload))
    }

    fn write(&mut self, sub: &SubHeader, bytes: &[u8]) -> bool {
        let at = usize::from(sub.number) * self.payload;
        let Some(buffer) = self.place(sub.chunk) else {
            return false;
        };
        let place = &mut buffer.as_mut()[at..at + bytes.len()];
        ahead::fetch(place);
        place.copy_from_slice(bytes);
        true
    }
}

impl<B> Memory<B> {
    /// The memory of a chunk: that which it fills already, or the next free one.
    fn place(&mut self, chunk: u32) -> Option<&mut B> {
        let slots = &mut self.slots;
        let filling = |slot: &Slot<B>| matches!(slot, Slot::Filling(of, _) if *of == chunk);
        let index = slots.iter().position(filling).or_else(|| {
            let index = slots
                .iter()
                .position(|slot| matches!(slot, Slot::Free(_)))?;
            if let Slot::Free(buffer) = std::mem::replace(&mut slots[index], Slot::Gone) {
                slots[index] = Slot::Filling(chunk, buffer);
            }
            Some(index)
        })?;
        match &mut slots[index] {
            Slot::Filling(_, buffer) => Some(buffer),
            _ => None,
        }
    }
}
