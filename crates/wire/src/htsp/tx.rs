// SPDX-License-Identifier: Apache-2.0
//! Transmitter: bursts of the channels in turn, headers in between.
//!
//! At each call, the first of these that applies is sent:
//!
//! 1. a burst of the next channel in turn that has one and may send, if the peer is ready. It carries
//!    everything that a header alone would say;
//! 2. a header alone, if the own receiver's link has come or gone, or if the peer is ready and there is an op-code or a pause
//!    bit has changed;
//! 3. a header alone, if none has been sent for the header interval.
//!
//! Repairs (the wire is the same):
//! * Pause is looked at before every burst. The published core can go on for ever with a channel that is alone.
//! * The end of a pause, and whether the own receiver has a link, is told at once, not with the next frame that happens to
//!   go out.
//! * A user frame that stops arriving does not hold the line: whole beats are sent after the stall time, as a
//!   shorter burst.
//! * A header alone never takes the start mark from the burst behind it.
//! * A user frame that the loss of the link cuts is ended in error as soon as the peer is ready again. The published receiver
//!   does not end it by itself.

use super::counters::{Stopwatch, TxChannel, TxLink};
use super::event::Event;
use super::frame::{self, BEAT, FrameError, HEADER, Header, NULL_CHANNEL, Word};
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

    /// Puts a burst behind what is in `out`. Whether it starts its frame, whether it ends it and how.
    fn take(&mut self, bytes: usize, out: &mut Vec<u8>) -> (bool, Last) {
        self.waiting = None;
        if self.cut {
            self.cut = false;
            out.extend(CUT);
            return (false, Last::Error);
        }
        let start = !self.started;
        let Some(front) = self.frames.front_mut() else {
            return (start, Last::No);
        };
        let bytes = bytes.min(front.bytes.len());
        let (older, newer) = front.bytes.as_slices();
        let split = bytes.min(older.len());
        out.extend(&older[..split]);
        out.extend(&newer[..bytes - split]);
        front.bytes.drain(..bytes);
        let last = if front.bytes.is_empty() {
            front.last
        } else {
            Last::No
        };
        self.bytes -= bytes;
        self.started = last == Last::No;
        self.counters.bytes += bytes as u64;
        if last != Last::No {
            self.frames.pop_front();
            self.counters.frames += 1;
        }
        (start, last)
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
            }
            _ => queue.frames.push_back(UserFrame {
                bytes: bytes.iter().copied().collect(),
                last,
            }),
        }
        Ok(())
    }

    /// Sends an op-code with the next header, once the peer is ready. It arrives once or, if its frame is lost, never.
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

    /// Sends whether the peer is ready and pauses or not: for tests of a line in one direction. What it loses is lost.
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

    /// A change after which the peer may no longer be ready. Its receiver has lost what was unfinished then.
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

    /// The frame to be sent now, if any. To be called again until there is none, as fast as the line takes them.
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
            bytes.extend(self.header(now, NULL_CHANNEL, false).encode());
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
        let (start, last) = self.queues[usize::from(channel)].take(burst, bytes);
        let header = self.header(now, channel, start);
        let (end, error) = (last != Last::No, last == Last::Error);
        frame::complete(&header, end, error, self.pause, bytes)
    }

    /// The next header. It tells all that there is to tell.
    fn header(&mut self, now: Duration, channel: u8, start: bool) -> Header {
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
            start,
            opcode_valid: ready && self.opcode_waits,
            link_ready: self.link,
            reserved: [0; 8],
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
mod tests {
    use super::super::frame::{Frame, Mac};
    use super::*;
    use proptest::prelude::*;

    const HERE: Mac = Mac([2, 0, 0, 0, 0, 1]);
    const THERE: Mac = Mac([2, 0, 0, 0, 0, 2]);
    const READY: Peer = Peer {
        mac: Some(THERE),
        ready: true,
        pause: 0,
    };

    /// A frame in short: channel, start, bytes, end, error; `None` for a header alone.
    type Short = Option<(u8, bool, usize, bool, bool)>;

    fn short(bytes: &[u8]) -> Short {
        let frame = Frame::decode(bytes).expect("a good frame");
        let (payload, footer) = frame.payload?;
        let header = frame.header;
        Some((
            header.channel,
            header.start,
            payload.len(),
            footer.end,
            footer.error,
        ))
    }

    struct Bench {
        tx: Transmitter,
        now: Duration,
    }

    impl Bench {
        fn new(channels: u8, burst: usize) -> Self {
            let params = Params {
                channels,
                burst,
                ..Params::new(HERE)
            };
            let mut tx = Transmitter::new(params).unwrap();
            let now = Duration::ZERO;
            let first = tx.poll_transmit(now).expect("a header at once");
            assert_eq!(first[..6], Mac::BROADCAST.0);
            assert_eq!(tx.poll_transmit(now), None);
            tx.set_peer(now, READY);
            Bench { tx, now }
        }

        fn push(&mut self, channel: u8, bytes: usize, last: Last) {
            self.tx.push(channel, &vec![channel; bytes], last).unwrap();
        }

        fn peer(&mut self, ready: bool, pause: u16) {
            let peer = Peer {
                ready,
                pause,
                ..READY
            };
            self.tx.set_peer(self.now, peer);
        }

        /// Everything that goes out now.
        fn sent(&mut self) -> Vec<Short> {
            core::iter::from_fn(|| self.tx.poll_transmit(self.now))
                .map(|bytes| short(&bytes))
                .collect()
        }

        fn header(&mut self) -> Option<Header> {
            let bytes = self.tx.poll_transmit(self.now)?;
            Some(Frame::decode(&bytes).expect("a good frame").header)
        }
    }

    #[test]
    fn channels_take_turns_of_one_burst() {
        let mut bench = Bench::new(16, 128);
        for channel in 0..16 {
            bench.push(channel, 300, Last::Yes);
        }
        let sent = bench.sent();
        let burst = |round: u8, channel| match round {
            0 => Some((channel, true, 128, false, false)),
            1 => Some((channel, false, 128, false, false)),
            _ => Some((channel, false, 44, true, false)),
        };
        let expected: Vec<Short> = (0..3)
            .flat_map(|round| (0..16).map(move |channel| burst(round, channel)))
            .collect();
        assert_eq!(sent, expected);
        // The turn goes on behind the last one.
        for channel in [2, 5, 9] {
            bench.push(channel, 1, Last::Yes);
        }
        bench.sent();
        for channel in [0, 9, 10] {
            bench.push(channel, 1, Last::Yes);
        }
        let order: Vec<u8> = bench.sent().iter().flatten().map(|short| short.0).collect();
        assert_eq!(order, [10, 0, 9]);
    }

    #[test]
    fn a_burst_that_is_full_knows_whether_it_is_the_last() {
        let mut bench = Bench::new(1, 128);
        bench.push(0, 256, Last::Yes);
        bench.push(0, 128, Last::No);
        bench.push(0, 1, Last::Error);
        let expected = [
            Some((0, true, 128, false, false)),
            Some((0, false, 128, true, false)),
            Some((0, true, 128, false, false)),
            Some((0, false, 1, true, true)),
        ];
        assert_eq!(bench.sent(), expected);
    }

    #[test]
    fn pause_is_looked_at_before_every_burst() {
        // A channel that is alone and has more to send than a burst.
        let mut bench = Bench::new(2, 64);
        bench.push(0, 640, Last::Yes);
        assert!(bench.header().is_some_and(|header| header.start));
        bench.peer(true, 1);
        assert_eq!(bench.sent(), []);
        bench.push(1, 1, Last::Yes);
        assert_eq!(bench.sent(), [Some((1, true, 1, true, false))]);
        bench.now += Duration::from_micros(10);
        assert_eq!(bench.tx.paused(bench.now, 0), Duration::from_micros(10));
        bench.peer(true, 0);
        assert_eq!(bench.sent().len(), 9);
        bench.now += Duration::from_micros(10);
        assert_eq!(bench.tx.paused(bench.now, 0), Duration::from_micros(10));
    }

    #[test]
    fn headers_tell_pause_at_both_edges_but_only_to_a_peer_that_is_ready() {
        let mut bench = Bench::new(4, 64);
        for pause in [1, 3, 2, 0] {
            bench.tx.set_pause(pause);
            assert_eq!(bench.header().map(|header| header.pause), Some(pause));
            assert_eq!(bench.header(), None);
        }
        // What goes to and fro unseen needs no header; a channel that does not exist has no bit.
        bench.tx.set_pause(1);
        bench.tx.set_pause(0xfff0);
        assert_eq!(bench.header(), None);
        bench.peer(false, 0);
        bench.tx.set_pause(1);
        assert_eq!(bench.header(), None);
        bench.peer(true, 0xf);
        assert_eq!(bench.header().map(|header| header.pause), Some(1));
    }

    #[test]
    fn headers_tell_the_link_at_both_edges_also_to_a_peer_that_is_not_ready() {
        for ready in [true, false] {
            let mut bench = Bench::new(4, 64);
            bench.peer(ready, 0);
            for link in [true, false] {
                bench.tx.set_link(link);
                assert_eq!(bench.header().map(|header| header.link_ready), Some(link));
                assert_eq!(bench.header(), None);
            }
        }
    }

    #[test]
    fn a_header_is_sent_after_the_interval_whatever_was_sent_before() {
        let mut bench = Bench::new(1, 64);
        let interval = bench.tx.params.header_interval;
        bench.now += interval / 2;
        bench.push(0, 1, Last::Yes);
        assert_eq!(bench.sent().len(), 1);
        bench.now += interval - Duration::from_nanos(1);
        assert_eq!(bench.sent(), []);
        bench.now += Duration::from_nanos(1);
        assert_eq!(bench.tx.next_timeout(), bench.now);
        assert_eq!(bench.sent(), [None]);
        // Nothing is sent on a line that is down, and a header at once when it is up again.
        bench.tx.set_phy(false);
        bench.now += 3 * interval;
        assert_eq!(bench.sent(), []);
        bench.tx.set_phy(true);
        assert_eq!(bench.sent(), [None]);
    }

    #[test]
    fn an_op_code_goes_once_with_the_next_header() {
        let mut bench = Bench::new(1, 64);
        bench.tx.send_opcode([7; 16]).unwrap();
        assert_eq!(bench.tx.send_opcode([8; 16]), Err(OpCodeBusy));
        let header = bench.header().unwrap();
        assert!(header.opcode_valid && header.opcode == [7; 16]);
        // It rides on payload.
        bench.tx.send_opcode([8; 16]).unwrap();
        bench.push(0, 1, Last::Yes);
        let header = bench.header().unwrap();
        assert!(header.opcode_valid && header.channel == 0);
        assert_eq!(bench.header(), None);
        // It waits for the peer, while headers already show it.
        bench.peer(false, 0);
        bench.tx.send_opcode([9; 16]).unwrap();
        bench.now += bench.tx.params.header_interval;
        let header = bench.header().unwrap();
        assert!(!header.opcode_valid && header.opcode == [9; 16]);
        bench.peer(true, 0);
        assert!(bench.header().is_some_and(|header| header.opcode_valid));
        assert_eq!(bench.tx.counters().opcodes, 3);
    }

    #[test]
    fn a_source_that_stops_does_not_hold_anything() {
        let mut bench = Bench::new(2, 256);
        bench.push(0, 130, Last::No);
        bench.push(1, 5, Last::Yes);
        assert_eq!(bench.sent(), [Some((1, true, 5, true, false))]);
        let stall = bench.tx.params.stall;
        assert_eq!(bench.tx.next_timeout(), bench.now + stall);
        bench.now += stall;
        // Whole beats only: a beat that is not full would end the user frame.
        assert_eq!(bench.sent(), [Some((0, true, 128, false, false))]);
        bench.now += stall;
        assert_eq!(bench.sent(), []);
        bench.push(0, 62, Last::No);
        assert_eq!(bench.sent(), [], "the time starts with the beat");
        bench.push(0, 1, Last::Yes);
        assert_eq!(bench.sent(), [Some((0, false, 65, true, false))]);
    }

    #[test]
    fn a_header_alone_never_takes_the_start() {
        let mut bench = Bench::new(1, 64);
        bench.peer(false, 0);
        bench.push(0, 100, Last::Yes);
        bench.now += bench.tx.params.header_interval;
        let header = bench.header().unwrap();
        assert!(header.channel == NULL_CHANNEL && !header.start);
        assert_eq!(header.destination, Mac::BROADCAST);
        bench.peer(true, 0);
        assert_eq!(bench.sent()[0], Some((0, true, 64, false, false)));
    }

    #[test]
    fn the_loss_of_the_link_cuts_what_has_begun() {
        // At every burst of a user frame of 4, with its end given and not.
        for bursts in 1..4 {
            for complete in [true, false] {
                let mut bench = Bench::new(2, 64);
                if complete {
                    bench.push(0, 256, Last::Yes);
                } else {
                    bench.push(0, 192, Last::No);
                }
                bench.push(1, 9, Last::Yes);
                bench.peer(true, 2);
                for _ in 0..bursts {
                    bench.header().unwrap();
                }
                bench.peer(false, 0);
                assert_eq!(bench.tx.poll_event(), Some(Event::Cut(0)));
                assert_eq!(bench.tx.poll_event(), None);
                assert_eq!((bench.sent(), bench.tx.queued(0)), (vec![], 0));
                // Losing it again changes nothing. Meanwhile the user gives the rest, and another frame.
                bench.peer(true, 3);
                bench.peer(false, 0);
                if !complete {
                    bench.push(0, 1, Last::No);
                    bench.push(0, 63, Last::Yes);
                }
                bench.push(0, 3, Last::Yes);
                bench.peer(true, 0);
                let mut sent = bench.sent();
                sent.sort_unstable();
                let expected = [
                    Some((0, false, 1, true, true)),
                    Some((0, true, 3, true, false)),
                    Some((1, true, 9, true, false)),
                ];
                assert_eq!(sent, expected, "{bursts} bursts");
                assert_eq!(bench.tx.channel_counters(0).cut, 1);
                assert_eq!(bench.tx.channel_counters(0).frames, 1);
            }
        }
    }

    #[test]
    fn disabled_and_without_flow_control() {
        let mut bench = Bench::new(1, 64);
        bench.tx.set_disabled(true);
        bench.push(0, 200, Last::Yes);
        assert_eq!(bench.sent(), []);
        bench.tx.set_disabled(false);
        bench.peer(false, 1);
        bench.tx.set_ignore_flow(true);
        let header = bench.header().unwrap();
        assert!(header.start && header.destination == THERE && !header.link_ready);
        bench.tx.set_ignore_flow(false);
        assert_eq!(bench.tx.poll_event(), Some(Event::Cut(0)));
    }

    #[test]
    fn refusals() {
        let mut bench = Bench::new(2, 64);
        let told = |refused: Result<(), PushError>| refused.unwrap_err().to_string();
        let text = told(bench.tx.push(2, &[1], Last::Yes));
        assert_eq!(text, "channel 2: accepted are 0 to 1");
        let text = told(bench.tx.push(1, &[], Last::Yes));
        assert_eq!(text, "0 bytes on channel 1: accepted are 1 byte or more");
        let room = bench.tx.params.queue;
        bench.push(0, room - 3, Last::Yes);
        let text = told(bench.tx.push(0, &[1; 4], Last::Yes));
        let expected = "4 bytes on channel 0: accepted now are 3 bytes, the room in its queue";
        assert_eq!(text, expected);
        bench.push(0, 3, Last::Yes);
        assert_eq!(bench.tx.queued(0), room);
        let params = Params {
            channels: 0,
            ..Params::new(HERE)
        };
        assert_eq!(
            Transmitter::new(params).err(),
            Some(ParamError::Channels(0))
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Whatever the user and the peer do: frames are good, numbered without a gap, and no user frame is started in
        /// another one or goes on without a start; and when the next timeout is over, something is sent.
        #[test]
        fn anything_gives_good_frames(actions in prop::collection::vec((0u8..9, 0u8..4, 1usize..300), 1..100)) {
            let mut bench = Bench::new(3, 128);
            let (mut tid, mut open) = (1u8, [false; 3]);
            for (action, channel, amount) in actions {
                let last = [Last::No, Last::Yes, Last::Error][amount % 3];
                match action {
                    0..=2 => _ = bench.tx.push(channel, &vec![1; amount], last),
                    3 => bench.peer(true, amount as u16),
                    4 => bench.peer(amount % 2 == 0, 0),
                    5 => bench.tx.set_pause(amount as u16),
                    6 => _ = bench.tx.send_opcode([3; 16]),
                    _ => bench.now += Duration::from_micros(amount as u64),
                }
                if action == 8 {
                    bench.now = bench.now.max(bench.tx.next_timeout());
                    let sends = bench.tx.clone().poll_transmit(bench.now).is_some();
                    prop_assert!(sends, "nothing to send at the timeout");
                }
                while let Some(bytes) = bench.tx.poll_transmit(bench.now) {
                    let header = Frame::decode(&bytes).expect("a good frame").header;
                    prop_assert_eq!(header.tid, tid);
                    tid = tid.wrapping_add(1);
                    if let Some((channel, start, _, end, _)) = short(&bytes) {
                        let open = &mut open[usize::from(channel)];
                        prop_assert!(start != *open);
                        *open = !end;
                    }
                }
            }
        }
    }
}
