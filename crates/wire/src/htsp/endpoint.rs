// SPDX-License-Identifier: Apache-2.0
//! One end of a link: a receiver with a buffer for each channel, and a transmitter that knows of
//! both.

use super::buffer::Buffer;
use super::counters::{RxChannel, RxLink, Stopwatch, TxChannel, TxLink};
use super::event::{Arrived, Down, Event, Missing, Piece, Reason};
use super::frame::{Tuser, Word};
use super::params::{ParamError, Params};
use super::rx::{Peer, Receiver};
use super::tx::{Last, OpCodeBusy, PushError, Transmitter};
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

/// One end of a link.
///
/// Give it every frame that arrives, take from it every frame that it has, and call both again at
/// [`Endpoint::next_timeout`] at the latest.
#[derive(Debug, Clone)]
pub struct Endpoint {
    tx: Transmitter,
    rx: Receiver,
    buffers: Vec<Buffer>,
    pausing: Vec<Stopwatch>,
    hold: bool,
    events: VecDeque<Event>,
    /// Damaged frames so far; how many of them before the frame that arrives, and before the last
    /// good one.
    damaged: u64,
    damaged_before: u64,
    damaged_at_good: u64,
    /// The line goes down because what lies below this end has lost frames.
    below: bool,
}

impl Endpoint {
    /// An end after reset.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(params: Params) -> Result<Self, ParamError> {
        let channels = usize::from(params.channels);
        Ok(Endpoint {
            tx: Transmitter::new(params)?,
            rx: Receiver::new(params)?,
            buffers: vec![Buffer::new(params.buffer, params.pause_at); channels],
            pausing: vec![Stopwatch::default(); channels],
            hold: false,
            events: VecDeque::new(),
            damaged: 0,
            damaged_before: 0,
            damaged_at_good: 0,
            below: false,
        })
    }

    /// Takes an Ethernet frame without its FCS ([`Receiver::receive`]).
    pub fn receive(&mut self, now: Duration, bytes: &[u8], damaged: bool) {
        // If the link goes down in between, the transmitter has to know.
        self.rx.tick(now);
        self.settle(now);
        let good = self.rx.counters().good;
        self.rx.receive(now, bytes, damaged);
        let counters = self.rx.counters();
        self.damaged_before = self.damaged;
        self.damaged = counters.checksum + counters.damaged + counters.malformed;
        self.settle(now);
        self.damaged_before = self.damaged;
        if counters.good != good {
            self.damaged_at_good = self.damaged;
        }
    }

    /// Whether the line is up, in both directions.
    pub fn set_phy(&mut self, now: Duration, up: bool) {
        self.rx.set_phy(up);
        self.tx.set_phy(up);
        self.settle(now);
    }

    /// What lies below this end had no room and has lost frames: the line counts as down. Numbers
    /// alone would not do, for a gap of 256 frames shows no missing number.
    pub fn overflow_below(&mut self, now: Duration) {
        self.mark_all(Missing::unknown(Reason::RingOverflow));
        self.below = true;
        self.set_phy(now, false);
        self.below = false;
    }

    /// Pauses all channels, whatever their buffers hold: what lies below this end has more than it
    /// can hand over.
    pub fn set_hold(&mut self, now: Duration, hold: bool) {
        self.hold = hold;
        self.settle(now);
    }

    /// The frame to be sent now, if any ([`Transmitter::poll_transmit`]).
    pub fn poll_transmit(&mut self, now: Duration) -> Option<Vec<u8>> {
        self.rx.tick(now);
        self.settle(now);
        self.tx.poll_transmit(now)
    }

    /// The same, into memory of the caller ([`Transmitter::poll_transmit_into`]).
    pub fn poll_transmit_into(&mut self, now: Duration, bytes: &mut Vec<u8>) -> bool {
        self.rx.tick(now);
        self.settle(now);
        self.tx.poll_transmit_into(now, bytes)
    }

    /// When [`Endpoint::poll_transmit`] has to be called, if nothing else happens before.
    #[must_use]
    pub fn next_timeout(&self) -> Duration {
        let alive = self.rx.next_timeout().unwrap_or(Duration::MAX);
        alive.min(self.tx.next_timeout())
    }

    /// Queues bytes of a user frame ([`Transmitter::push`]).
    ///
    /// # Errors
    /// No such channel, no bytes, or no room; nothing was taken then.
    pub fn push(&mut self, channel: u8, bytes: &[u8], last: Last) -> Result<(), PushError> {
        self.tx.push(channel, bytes, last)
    }

    /// The same with TUSER ([`Transmitter::push_tuser`]).
    ///
    /// # Errors
    /// As [`Endpoint::push`].
    pub fn push_tuser(
        &mut self,
        channel: u8,
        bytes: &[u8],
        last: Last,
        tuser: Tuser,
    ) -> Result<(), PushError> {
        self.tx.push_tuser(channel, bytes, last, tuser)
    }

    /// What a channel has received next, or what is missing in front of it. Every loss that an
    /// event reports stands in its place here.
    pub fn take(&mut self, channel: u8) -> Option<Arrived> {
        self.buffers.get_mut(usize::from(channel))?.take()
    }

    /// The oldest piece that a channel has received; what is missing in front of it is passed over.
    pub fn pop(&mut self, channel: u8) -> Option<Piece> {
        self.buffers.get_mut(usize::from(channel))?.pop()
    }

    /// What the user has to know, oldest first. Received bytes are not among it: [`Endpoint::pop`].
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Sends an op-code ([`Transmitter::send_opcode`]).
    ///
    /// # Errors
    /// Another one is still waiting.
    pub fn send_opcode(&mut self, opcode: Word) -> Result<(), OpCodeBusy> {
        self.tx.send_opcode(opcode)
    }

    /// What every header carries from now on.
    pub fn set_user_data(&mut self, user_data: Word) {
        self.tx.set_user_data(user_data);
    }

    /// What the headers of the peer carried last.
    #[must_use]
    pub fn user_data(&self) -> Word {
        self.rx.user_data()
    }

    /// What is known of the peer.
    #[must_use]
    pub fn peer(&self) -> Peer {
        self.rx.peer()
    }

    /// Whether good frames of the peer come.
    #[must_use]
    pub fn link(&self) -> bool {
        self.rx.link()
    }

    /// Whether data can be sent: this end hears the peer, and the peer hears this end.
    #[must_use]
    pub fn ready(&self) -> bool {
        self.rx.peer().ready
    }

    /// Bytes that wait on a channel to be sent.
    #[must_use]
    pub fn queued(&self, channel: u8) -> usize {
        self.tx.queued(channel)
    }

    /// Counters of the link.
    #[must_use]
    pub fn counters(&self) -> (TxLink, RxLink) {
        (self.tx.counters(), self.rx.counters())
    }

    /// Counters of a channel.
    #[must_use]
    pub fn channel_counters(&self, channel: u8) -> (TxChannel, RxChannel) {
        let tx = self.tx.channel_counters(channel);
        (tx, self.rx.channel_counters(channel))
    }

    /// User frames of a channel that did not fit its buffer.
    #[must_use]
    pub fn overflows(&self, channel: u8) -> u64 {
        self.buffers
            .get(usize::from(channel))
            .map_or(0, Buffer::overflows)
    }

    /// How long a channel was paused in all: by the peer or its silence, and by this end.
    #[must_use]
    pub fn paused(&self, now: Duration, channel: u8) -> (Duration, Duration) {
        let own = self.pausing.get(usize::from(channel));
        let own = own.map_or(Duration::ZERO, |clock| clock.total(now));
        (self.tx.paused(now, channel), own)
    }

    fn mark_all(&mut self, missing: Missing) {
        for buffer in &mut self.buffers {
            buffer.mark(missing);
        }
    }

    /// Marks in its place the loss that an event of the receiver reports.
    fn locate(&mut self, event: &Event) {
        let missing = match *event {
            Event::Lost(frames) => {
                let damaged = self.damaged - self.damaged_at_good;
                Missing {
                    frames: frames.into(),
                    ..Missing::unknown(if damaged >= u64::from(frames) {
                        Reason::FramesDamaged
                    } else {
                        Reason::FramesLost
                    })
                }
            }
            Event::Stale(_) => Missing::unknown(Reason::FrameStale),
            Event::LinkDown(Down::Silent) => Missing::unknown(Reason::LinkSilent),
            Event::LinkDown(Down::Phy) if self.below => return,
            Event::LinkDown(Down::Phy) => Missing::unknown(Reason::LineDown),
            Event::PeerReady(false) => Missing::unknown(Reason::FarEndReset),
            Event::Orphan(channel) => {
                return self.buffers[usize::from(channel)].mark(Missing {
                    bytes: self.rx.discarded(),
                    ..Missing::unknown(Reason::NoStart)
                });
            }
            _ => return,
        };
        self.mark_all(missing);
    }

    /// Carries what the receiver has found out to the buffers, to the transmitter and to the user.
    fn settle(&mut self, now: Duration) {
        while let Some(event) = self.rx.poll_event() {
            let Event::Data(piece) = event else {
                self.locate(&event);
                self.events.push_back(event);
                continue;
            };
            let channel = piece.channel;
            let buffer = &mut self.buffers[usize::from(channel)];
            if piece.error {
                buffer.mark(Missing::unknown(match piece.bytes.is_empty() {
                    _ if self.damaged > self.damaged_before => Reason::FramesDamaged,
                    true => Reason::Unfinished,
                    false => Reason::Aborted,
                }));
            }
            if !buffer.push(piece) {
                self.events.push_back(Event::Overflow(channel));
            }
        }
        let mut pause = 0;
        for (channel, buffer) in self.buffers.iter().enumerate() {
            let full = self.hold || buffer.pause();
            self.pausing[channel].set(now, full);
            pause |= u16::from(full) << channel;
        }
        self.tx.set_pause(pause);
        self.tx.set_link(self.rx.link());
        let mut peer = self.rx.peer();
        if self.rx.is_silent(now) {
            peer.pause = u16::MAX;
        }
        self.tx.set_peer(now, peer);
        while let Some(event) = self.tx.poll_event() {
            self.events.push_back(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::{HEADER, Header, Mac};
    use super::super::params::MAX_BURST;
    use super::*;

    fn end(last: u8, silence: Duration) -> Endpoint {
        let params = Params {
            silence,
            ..Params::new(Mac([2, 0, 0, 0, 0, last]))
        };
        Endpoint::new(params).unwrap()
    }

    /// Everything that each end has for the other, `rounds` times.
    fn exchange(near: &mut Endpoint, far: &mut Endpoint, now: Duration, rounds: usize) {
        for _ in 0..rounds {
            while let Some(frame) = near.poll_transmit(now) {
                far.receive(now, &frame, false);
            }
            while let Some(frame) = far.poll_transmit(now) {
                near.receive(now, &frame, false);
            }
        }
    }

    /// A peer that starts anew, within the alive time and in the middle of a user frame, whatever
    /// number is awaited from it: the rest of that frame does not go to it, and all else does.
    #[test]
    fn a_peer_that_starts_anew_is_followed() {
        for before in [1, 40, 127, 128, 200, 250] {
            let (mut near, mut far) = (end(1, Duration::MAX), end(2, Duration::MAX));
            let mut now = Duration::ZERO;
            exchange(&mut near, &mut far, now, 3);
            assert!(near.ready());
            for k in 0..before {
                far.push(1, &[k; 10], Last::Yes).unwrap();
                exchange(&mut near, &mut far, now, 1);
            }
            near.push(0, &[7; 30_000], Last::Yes).unwrap();
            let begun = near.poll_transmit(now).unwrap();
            assert!(Header::decode(begun.first_chunk().unwrap()).start);
            far = end(2, Duration::MAX);
            let first = far.poll_transmit(now).unwrap();
            near.receive(now, &first, false);
            assert!(near.link() && !near.ready(), "{before}");
            for _ in 0..100 {
                now += Duration::from_millis(1);
                exchange(&mut near, &mut far, now, 2);
            }
            near.push(0, &[9; 500], Last::Yes).unwrap();
            exchange(&mut near, &mut far, now, 3);
            let got: Vec<Piece> = std::iter::from_fn(|| far.pop(0)).collect();
            let bytes: Vec<u8> = got.iter().flat_map(|piece| piece.bytes.clone()).collect();
            assert_eq!((bytes.len(), bytes.last()), (500, Some(&9)), "{before}");
            assert!(got[0].start && got.iter().all(|piece| !piece.error));
            // What ends the cut one in error belongs to nothing here.
            assert_eq!(far.channel_counters(0).1.orphans, 1);
        }
    }

    /// What is missing stands in its place in the stream of every channel that it may be of, with
    /// what can be known of it.
    #[test]
    fn losses_stand_in_their_place() {
        let (mut near, mut far) = (end(1, Duration::MAX), end(2, Duration::MAX));
        let now = Duration::ZERO;
        exchange(&mut near, &mut far, now, 3);
        near.push(0, &[7; 20_000], Last::Yes).unwrap();
        let bursts: Vec<Vec<u8>> = core::iter::from_fn(|| near.poll_transmit(now)).collect();
        assert_eq!(bursts.len(), 3);
        // The first one is lost, so that its user frame has no start; the last one is damaged.
        far.receive(now, &bursts[1], false);
        far.receive(now, &bursts[2], true);
        near.push(0, &[8; 10], Last::Yes).unwrap();
        exchange(&mut near, &mut far, now, 1);
        let missing = |reason, bytes, frames| {
            Arrived::Missing(Missing {
                reason,
                bytes,
                frames,
            })
        };
        let lost = missing(Reason::FramesLost, None, 1);
        let damaged = missing(Reason::FramesDamaged, None, 1);
        assert_eq!(far.take(0).as_ref(), Some(&lost));
        // Of the damaged burst nobody knows how long it was.
        assert_eq!(far.take(0), Some(missing(Reason::NoStart, None, 0)));
        assert_eq!(far.take(0).as_ref(), Some(&damaged));
        assert!(matches!(far.take(0), Some(Arrived::Piece(piece)) if piece.bytes == [8; 10]));
        assert_eq!((far.take(1), far.take(1)), (Some(lost), Some(damaged)));
        assert_eq!((far.take(0), far.take(1), far.take(16)), (None, None, None));
        // A fragment that came well has its length.
        near.push(0, &[9; 9000], Last::Yes).unwrap();
        near.poll_transmit(now).unwrap();
        exchange(&mut near, &mut far, now, 1);
        assert_eq!(far.take(0), Some(missing(Reason::FramesLost, None, 1)));
        let rest = 9000 - MAX_BURST as u64;
        assert_eq!(far.take(0), Some(missing(Reason::NoStart, Some(rest), 0)));
        // What lies below had no room: no reason beside that.
        far.take(1);
        far.overflow_below(now);
        far.set_phy(now, true);
        let ring = missing(Reason::RingOverflow, None, 0);
        assert_eq!((far.take(1), far.take(1)), (Some(ring), None));
    }

    /// A peer that is not heard is sent headers and nothing else, also in the middle of a user
    /// frame; then it goes on.
    #[test]
    fn silence_pauses() {
        let silence = Duration::from_millis(4);
        let (mut near, mut far) = (end(1, silence), end(2, Duration::MAX));
        let mut now = Duration::ZERO;
        exchange(&mut near, &mut far, now, 3);
        assert!(near.ready());
        near.push(0, &[7; 30_000], Last::Yes).unwrap();
        now += silence - Duration::from_nanos(1);
        assert!(near.poll_transmit(now).unwrap().len() > HEADER);
        now += Duration::from_nanos(1);
        // A paused user frame ends its burst; then there are headers.
        for _ in 0..10 {
            now += Duration::from_millis(1);
            assert_eq!(near.poll_transmit(now).unwrap().len(), HEADER);
            assert_eq!(near.poll_transmit(now), None);
        }
        let header = far.poll_transmit(now).unwrap();
        near.receive(now, &header, false);
        assert!(near.poll_transmit(now).unwrap().len() > HEADER);
        assert_eq!(near.paused(now, 0).0, Duration::from_millis(9));
    }
}
