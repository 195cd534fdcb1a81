// SPDX-License-Identifier: Apache-2.0
//! Transmitter: bursts of the channels in turn, headers in between.
//!
//! At each call, the first of these that applies is sent:
//!
//! 1. a burst of the next channel in turn that has one and may send, if the peer is ready. It
//!    carries everything that a header alone would say;
//! 2. a header alone, if the own receiver's link has come or gone, or if the peer is ready and
//!    there is an op-code or a pause bit has changed;
//! 3. a header alone, if none has been sent for the header interval.
//!
//! Repairs (the wire is the same):
//! * Pause is looked at before every burst. The published core can go on for ever with a channel
//!   that is alone.
//! * The end of a pause, and whether the own receiver has a link, is told at once, not with the
//!   next frame that happens to go out.
//! * A user frame that stops arriving does not hold the line: whole beats are sent after the stall
//!   time, as a shorter burst.
//! * A header alone never takes the start mark from the burst behind it.
//! * A user frame that the loss of the link cuts is ended in error as soon as the peer is ready
//!   again. The published receiver does not end it by itself.

use super::counters::{Stopwatch, TxChannel, TxLink};
use super::event::Event;
use super::frame::{self, BEAT, FrameError, HEADER, Header, NULL_CHANNEL, Tuser, Word};
use super::params::{ParamError, Params};
use super::rx::Peer;
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;
use thiserror::Error;

/// Payload that ends a cut user frame in error: a burst has one byte at least.
const CUT: [u8; 1] = [0];

/// Whether bytes are the last of their user frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Last {
    /// More will follow.
    No,
    /// The frame is complete.
    Yes,
    /// The frame ends, and its content is to be taken for bad.
    Error,
}

/// Why bytes were not taken. None of them was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PushError {
    /// No such channel.
    #[error("channel {channel}: accepted are 0 to {}", channels - 1)]
    Channel {
        /// Asked channel.
        channel: u8,
        /// Channels that there are.
        channels: u8,
    },
    /// A user frame needs a byte, and so does its end.
    #[error("0 bytes on channel {channel}: accepted are 1 byte or more")]
    Empty {
        /// Channel.
        channel: u8,
    },
    /// The queue has no room now.
    #[error(
        "{bytes} bytes on channel {channel}: accepted now are {room} bytes, the room in its queue"
    )]
    Full {
        /// Channel.
        channel: u8,
        /// Bytes offered.
        bytes: usize,
        /// Bytes that there is room for.
        room: usize,
    },
}

/// An op-code is still waiting for its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("an op-code is waiting to be sent: accepted is one at a time")]
pub struct OpCodeBusy;

/// A user frame, or what is left of it.
#[derive(Debug, Clone)]
struct UserFrame {
    bytes: VecDeque<u8>,
    last: Last,
    tuser: Tuser,
}

/// What header and footer say of a burst.
#[derive(Debug, Clone, Copy)]
struct Burst {
    /// It starts its user frame.
    start: bool,
    /// It ends it.
    last: Last,
    tuser: Tuser,
}

/// What a channel has to send.
#[derive(Debug, Clone, Default)]
struct Queue {
    /// Only the last one may be incomplete.
    frames: VecDeque<UserFrame>,
    /// Bytes in all of them.
    bytes: usize,
    /// A burst of the first frame has been sent.
    started: bool,
    /// The end in error of a frame that was given up has to be sent.
    cut: bool,
    /// What the user gives belongs to a frame that was given up.
    discard: bool,
    /// Since when whole beats of an incomplete frame have been waiting.
    waiting: Option<Duration>,
    counters: TxChannel,
    paused: Stopwatch,
}

impl Queue {
    /// Bytes that are to be sent now, if any. Only the end of a frame is a partial beat.
    fn burst(&mut self, now: Duration, params: &Params) -> Option<usize> {
        if self.cut {
            return Some(CUT.len());
        }
        let front = self.frames.front()?;
        let bytes = front.bytes.len();
        if bytes >= params.burst {
            return Some(params.burst);
        }
        if front.last != Last::No {
            return Some(bytes);
        }
        let whole = bytes - bytes % BEAT;
        if whole == 0 {
            return None;
        }
        let since = *self.waiting.get_or_insert(now);
        (now.saturating_sub(since) >= params.stall).then_some(whole)
    }

    /// Puts a burst behind what is in `out`.
    fn take(&mut self, bytes: usize, out: &mut Vec<u8>) -> Burst {
        self.waiting = None;
        if self.cut {
            self.cut = false;
            out.extend(CUT);
            return Burst {
                start: false,
                last: Last::Error,
                tuser: Tuser::default(),
            };
        }
        let start = !self.started;
        let mut burst = Burst {
            start,
            last: Last::No,
            tuser: Tuser::default(),
        };
        let Some(front) = self.frames.front_mut() else {
            return burst;
        };
        let bytes = bytes.min(front.bytes.len());
        let (older, newer) = front.bytes.as_slices();
        let split = bytes.min(older.len());
        out.extend(&older[..split]);
        out.extend(&newer[..bytes - split]);
        front.bytes.drain(..bytes);
        if start {
            burst.tuser.first = front.tuser.first;
        }
        if front.bytes.is_empty() {
            burst.last = front.last;
        }
        if burst.last != Last::No {
            burst.tuser.last = front.tuser.last;
        }
        self.bytes -= bytes;
        self.started = burst.last == Last::No;
        self.counters.bytes += bytes as u64;
        if burst.last != Last::No {
            self.frames.pop_front();
            self.counters.frames += 1;
        }
        burst
    }

    /// Gives up the frame of which a part has been sent. Whether there is one.
    fn give_up(&mut self) -> bool {
        if !self.started {
            return false;
        }
        if let Some(rest) = self.frames.pop_front() {
            self.bytes -= rest.bytes.len();
            self.discard = rest.last == Last::No;
        }
        (self.started, self.cut, self.waiting) = (false, true, None);
        self.counters.cut += 1;
        true
    }
}

/// Transmitter of one end.
#[derive(Debug, Clone)]
pub struct Transmitter {
    params: Params,
    queues: Vec<Queue>,
    last_granted: u8,
    tid: u8,
    /// When a header is due.
    header_at: Duration,
    phy: bool,
    link: bool,
    peer: Peer,
    pause: u16,
    /// What the last frame said of it.
    pause_sent: u16,
    /// What the last frame said of the link.
    link_sent: bool,
    opcode: Word,
    opcode_waits: bool,
    user_data: Word,
    disabled: bool,
    ignore_flow: bool,
    counters: TxLink,
    events: VecDeque<Event>,
}

impl Transmitter {
    /// A transmitter after reset: line up, no link, nothing to send but headers.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(params: Params) -> Result<Self, ParamError> {
        params.check()?;
        Ok(Transmitter {
            params,
            queues: vec![Queue::default(); usize::from(params.channels)],
            last_granted: params.channels - 1,
            tid: 0,
            header_at: Duration::ZERO,
            phy: true,
            link: false,
            peer: Peer::default(),
            pause: 0,
            pause_sent: 0,
            link_sent: false,
            opcode: [0; 16],
            opcode_waits: false,
            user_data: [0; 16],
            disabled: false,
            ignore_flow: false,
            counters: TxLink::default(),
            events: VecDeque::new(),
        })
    }

    /// Queues bytes of a user frame. Bytes with [`Last::No`] are a part of it.
    ///
    /// # Errors
    /// No such channel, no bytes, or no room; nothing was taken then.
    pub fn push(&mut self, channel: u8, bytes: &[u8], last: Last) -> Result<(), PushError> {
        self.push_tuser(channel, bytes, last, Tuser::default())
    }

    /// The same with TUSER ([`Params::tuser`]): `first` counts if the bytes start a user frame,
    /// `last` if they end it. It reaches a peer that takes it.
    ///
    /// # Errors
    /// As [`Transmitter::push`].
    pub fn push_tuser(
        &mut self,
        channel: u8,
        bytes: &[u8],
        last: Last,
        tuser: Tuser,
    ) -> Result<(), PushError> {
        let channels = self.params.channels;
        let limit = self.params.queue;
        let queue = self
            .queues
            .get_mut(usize::from(channel))
            .ok_or(PushError::Channel { channel, channels })?;
        if bytes.is_empty() {
            return Err(PushError::Empty { channel });
        }
        if queue.discard {
            queue.discard = last == Last::No;
            return Ok(());
        }
        let room = limit - queue.bytes;
        if bytes.len() > room {
            let bytes = bytes.len();
            return Err(PushError::Full {
                channel,
                bytes,
                room,
            });
        }
        queue.bytes += bytes.len();
        match queue.frames.back_mut() {
            Some(open) if open.last == Last::No => {
                open.bytes.extend(bytes);
                open.last = last;
                open.tuser.last = tuser.last;
            }
            _ => queue.frames.push_back(UserFrame {
                bytes: bytes.iter().copied().collect(),
                last,
                tuser,
            }),
        }
        Ok(())
    }

    /// Sends an op-code with the next header, once the peer is ready. It arrives once or, if its
    /// frame is lost, never.
    ///
    /// # Errors
    /// Another one is still waiting.
    pub fn send_opcode(&mut self, opcode: Word) -> Result<(), OpCodeBusy> {
        if self.opcode_waits {
            return Err(OpCodeBusy);
        }
        (self.opcode, self.opcode_waits) = (opcode, true);
        Ok(())
    }

    /// What every header carries from now on.
    pub fn set_user_data(&mut self, user_data: Word) {
        self.user_data = user_data;
    }

    /// Which channels the peer is to pause. Bits of channels that do not exist are left out.
    pub fn set_pause(&mut self, pause: u16) {
        self.pause = pause & self.params.channel_mask();
    }

    /// Whether the own receiver has a link.
    pub fn set_link(&mut self, up: bool) {
        self.link = up;
    }

    /// Whether the line can be sent on. When it can again, a header goes out first.
    pub fn set_phy(&mut self, up: bool) {
        if up && !self.phy {
            self.header_at = Duration::ZERO;
        }
        self.phy = up;
    }

    /// What the own receiver knows of the peer.
    pub fn set_peer(&mut self, now: Duration, peer: Peer) {
        self.ready_changes(|tx| tx.peer = peer);
        for (channel, queue) in self.queues.iter_mut().enumerate() {
            queue
                .paused
                .set(now, peer.ready && peer.pause >> channel & 1 != 0);
        }
    }

    /// Sends no payload; headers go on.
    pub fn set_disabled(&mut self, disabled: bool) {
        self.disabled = disabled;
    }

    /// Sends whether the peer is ready and pauses or not: for tests of a line in one direction.
    /// What it loses is lost.
    pub fn set_ignore_flow(&mut self, ignore: bool) {
        self.ready_changes(|tx| tx.ignore_flow = ignore);
    }

    /// Whether payload may be sent.
    fn ready(&self) -> bool {
        self.peer.ready || self.ignore_flow
    }

    /// Whether a burst of a channel may be sent.
    fn may_send(&self, channel: u8) -> bool {
        let paused = self.peer.pause >> channel & 1 != 0 && !self.ignore_flow;
        !self.disabled && self.ready() && !paused
    }

    /// A change after which the peer may no longer be ready. Its receiver has lost what was
    /// unfinished then.
    fn ready_changes(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.ready();
        change(self);
        if !before || self.ready() {
            return;
        }
        for (channel, queue) in self.queues.iter_mut().enumerate() {
            if queue.give_up() {
                self.events.push_back(Event::Cut(channel as u8));
            }
        }
    }

    /// The next channel in turn that has a burst and may send it, and the length of the burst.
    fn grant(&mut self, now: Duration) -> Option<(u8, usize)> {
        let channels = self.params.channels;
        for step in 1..=channels {
            let channel = (self.last_granted + step) % channels;
            let burst = self.queues[usize::from(channel)].burst(now, &self.params);
            if let Some(bytes) = burst.filter(|_| self.may_send(channel)) {
                return Some((channel, bytes));
            }
        }
        None
    }

    /// The frame to be sent now, if any. To be called again until there is none, as fast as the
    /// line takes them.
    pub fn poll_transmit(&mut self, now: Duration) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.poll_transmit_into(now, &mut bytes).then_some(bytes)
    }

    /// The same, into memory of the caller, in place of what it holds. Whether there is a frame.
    pub fn poll_transmit_into(&mut self, now: Duration, bytes: &mut Vec<u8>) -> bool {
        bytes.clear();
        if !self.phy {
            return false;
        }
        if let Some((channel, burst)) = self.grant(now) {
            return self.data(now, channel, burst, bytes).is_ok();
        }
        let asked = self.opcode_waits || self.pause != self.pause_sent;
        let link = self.link != self.link_sent;
        let due = link || asked && self.ready() || now >= self.header_at;
        if due {
            self.counters.headers += 1;
            bytes.extend(self.header(now, NULL_CHANNEL, None).encode());
        }
        due
    }

    /// The frame of a burst.
    fn data(
        &mut self,
        now: Duration,
        channel: u8,
        burst: usize,
        bytes: &mut Vec<u8>,
    ) -> Result<(), FrameError> {
        self.last_granted = channel;
        self.counters.data += 1;
        bytes.resize(HEADER, 0);
        let burst = self.queues[usize::from(channel)].take(burst, bytes);
        let header = self.header(now, channel, burst.start.then_some(burst.tuser.first));
        let (end, error) = (burst.last != Last::No, burst.last == Last::Error);
        frame::complete(&header, end, error, self.pause, bytes)?;
        if self.params.tuser && self.peer.tuser {
            frame::set_tuser(bytes, burst.tuser.last);
        }
        Ok(())
    }

    /// The next header, with TUSER of the beat that starts a user frame. It tells all that there is
    /// to tell.
    fn header(&mut self, now: Duration, channel: u8, start: Option<u8>) -> Header {
        let ready = self.ready();
        let known = self.peer.mac.filter(|_| ready);
        let header = Header {
            destination: known.unwrap_or(self.params.broadcast),
            source: self.params.local,
            ethertype: self.params.ethertype,
            version: self.params.version,
            tid: self.tid,
            pause: self.pause,
            channel,
            start: start.is_some(),
            opcode_valid: ready && self.opcode_waits,
            link_ready: self.link,
            first_tuser: start.filter(|_| self.params.tuser).unwrap_or(0),
            takes_tuser: self.params.tuser,
            reserved: [0; 6],
            opcode: self.opcode,
            user_data: self.user_data,
        };
        self.counters.opcodes += u64::from(header.opcode_valid);
        self.opcode_waits &= !header.opcode_valid;
        (self.pause_sent, self.link_sent) = (self.pause, self.link);
        self.tid = self.tid.wrapping_add(1);
        self.header_at = now + self.params.header_interval;
        header
    }

    /// When [`Transmitter::poll_transmit`] has to be called, if nothing else happens before.
    #[must_use]
    pub fn next_timeout(&self) -> Duration {
        let queues = self.queues.iter().enumerate();
        queues
            .filter(|(channel, _)| self.may_send(*channel as u8))
            .filter_map(|(_, queue)| Some(queue.waiting? + self.params.stall))
            .fold(self.header_at, Duration::min)
    }

    /// What the user has to know, oldest first.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Bytes that wait on a channel; 0 for a channel that does not exist.
    #[must_use]
    pub fn queued(&self, channel: u8) -> usize {
        self.queues
            .get(usize::from(channel))
            .map_or(0, |queue| queue.bytes)
    }

    /// Counters of the link.
    #[must_use]
    pub fn counters(&self) -> TxLink {
        self.counters
    }

    /// Counters of a channel.
    #[must_use]
    pub fn channel_counters(&self, channel: u8) -> TxChannel {
        self.queues
            .get(usize::from(channel))
            .map_or(TxChannel::default(), |queue| queue.counters)
    }

    /// How long the peer has paused a channel, in all.
    #[must_use]
    pub fn paused(&self, now: Duration, channel: u8) -> Duration {
        self.queues
            .get(usize::from(channel))
            .map_or(Duration::ZERO, |queue| queue.paused.total(now))
    }
}

#[cfg(test)]
mod tests;
