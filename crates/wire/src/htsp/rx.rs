// SPDX-License-Identifier: Apache-2.0
//! Receiver: takes frames that are for it, notices what is missing, knows whether there is a link.
//!
//! A frame counts when it is good in every respect; only then its number, pause bits, op-code and
//! the rest of its header are taken. Payload is passed on whatever its end says, as a receiver does
//! that does not store whole frames, and is marked when it turns out bad.
//!
//! ```text
//!           not ours, version, checksum          number is old        otherwise
//! header -> skip the frame                       end all, skip        end all if numbers are missing; payload
//!                                                alone, no link: so
//!                                                much is believed
//!
//!           good                                 damaged, cut, wrong footer
//! end    -> take number, pause, ..               the user frame ends in error; the number stays missing
//! ```
//!
//! Repairs (the wire is the same):
//! * Numbers are compared. With a gap, all unfinished user frames end in error: one of them may
//!   have lost its middle or its end, and would be delivered shortened or joined with another one.
//! * A start in an unfinished user frame ends that one in error; bytes without a start are
//!   discarded.
//! * When the link goes down, all unfinished user frames end in error.
//! * The rest of a frame that is not taken is never looked at for a header.
//! * A header alone with an old number that says that its sender has no link is believed: a peer
//!   that started anew is sent no more of what was begun. Its numbers are followed only when
//!   nothing good has come for the alive time, for the header may be late, and repeated payload
//!   would be delivered again then. (The core, whose line repeats nothing, follows at once.)
//! * A frame that the Ethernet MAC calls damaged is bad, also if it is a header alone, and its
//!   pause bits are not taken.
//! * A damaged frame does not close the link: the gap in the numbers says what it cost.

use super::counters::{RxChannel, RxLink};
use super::event::{Down, Event, Piece};
use super::frame::{
    BEAT, Footer, Frame, HEADER, Header, MAX_CHANNELS, Mac, NULL_CHANNEL, Tuser, Word,
};
use super::params::{ParamError, Params};
use alloc::collections::VecDeque;
use core::time::Duration;

/// Distance to the awaited number from which on a frame is an earlier one: half of the numbers.
const STALE: u8 = 128;

/// What a receiver knows of the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Its address, once it has sent a good frame.
    pub mac: Option<Mac>,
    /// Its receiver has a link.
    pub ready: bool,
    /// Channels that it does not want.
    pub pause: u16,
    /// It takes TUSER of the last beat.
    pub tuser: bool,
}

impl Default for Peer {
    /// Nothing: not there, and all channels paused.
    fn default() -> Self {
        Peer {
            mac: None,
            ready: false,
            pause: u16::MAX,
            tuser: false,
        }
    }
}

/// Receiver of one end.
#[derive(Debug, Clone)]
pub struct Receiver {
    params: Params,
    phy: bool,
    link: bool,
    /// When the last good frame came.
    good_at: Duration,
    /// Number of the next frame, if there was one before.
    awaited: Option<u8>,
    peer: Peer,
    user_data: Word,
    /// Bit v: channel v has an unfinished user frame.
    open: u16,
    /// Bytes of the last payload without a start, if it was good.
    discarded: Option<u64>,
    counters: RxLink,
    channels: [RxChannel; MAX_CHANNELS as usize],
    events: VecDeque<Event>,
}

impl Receiver {
    /// A receiver after reset: line up, no link.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(params: Params) -> Result<Self, ParamError> {
        params.check()?;
        Ok(Receiver {
            params,
            phy: true,
            link: false,
            good_at: Duration::ZERO,
            awaited: None,
            peer: Peer::default(),
            user_data: [0; 16],
            open: 0,
            discarded: None,
            counters: RxLink::default(),
            channels: [RxChannel::default(); MAX_CHANNELS as usize],
            events: VecDeque::new(),
        })
    }

    /// Takes an Ethernet frame without its FCS. `damaged`: the Ethernet MAC has found it so, or has
    /// not seen its end.
    pub fn receive(&mut self, now: Duration, bytes: &[u8], damaged: bool) {
        self.tick(now);
        if !self.phy {
            return;
        }
        let Some((beat, body)) = bytes.split_first_chunk::<HEADER>() else {
            self.counters.foreign += 1;
            return;
        };
        let header = Header::decode(beat);
        let ours = [self.params.local, self.params.broadcast].contains(&header.destination);
        if !ours || header.ethertype != self.params.ethertype {
            self.counters.foreign += 1;
            return;
        }
        if header.version != self.params.version {
            self.counters.version += 1;
            return;
        }
        if Header::verify(beat).is_err() {
            self.counters.checksum += 1;
            return;
        }
        let missing = self.awaited.map_or(0, |tid| header.tid.wrapping_sub(tid));
        if missing > 0 {
            self.end_all();
        }
        if missing >= STALE {
            self.counters.stale += 1;
            self.events.push_back(Event::Stale(header.tid));
            if body.is_empty() && !damaged && !header.link_ready {
                self.peer_ready(false);
            }
            return;
        }
        match Frame::decode(bytes) {
            Ok(frame) if !damaged && self.takes(&frame) => self.good(now, &frame, missing),
            _ => self.bad(&header, body, damaged),
        }
    }

    /// Whether a footer is one for this end: bit 7 of its count is zero unless TUSER was asked for.
    fn takes(&self, frame: &Frame) -> bool {
        self.params.tuser || frame.payload.is_none_or(|(_, footer)| footer.tuser < 0x40)
    }

    /// Whether the peer hears this end.
    fn peer_ready(&mut self, ready: bool) {
        if self.peer.ready != ready {
            self.peer.ready = ready;
            self.events.push_back(Event::PeerReady(ready));
        }
    }

    /// A frame with nothing wrong in it, behind `missing` frames that are missing.
    fn good(&mut self, now: Duration, frame: &Frame, missing: u8) {
        let header = &frame.header;
        self.counters.good += 1;
        self.good_at = now;
        self.awaited = Some(header.tid.wrapping_add(1));
        if !self.link {
            self.link = true;
            self.counters.ups += 1;
            self.events.push_back(Event::LinkUp);
        }
        if missing > 0 {
            self.counters.lost += u64::from(missing);
            self.events.push_back(Event::Lost(missing));
        }
        let pause = frame
            .payload
            .map_or(header.pause, |(_, footer)| footer.pause);
        self.peer_ready(header.link_ready);
        self.peer = Peer {
            mac: Some(header.source),
            pause,
            tuser: self.params.tuser && header.takes_tuser,
            ..self.peer
        };
        if header.user_data != self.user_data {
            self.user_data = header.user_data;
            self.events.push_back(Event::UserData(header.user_data));
        }
        if header.opcode_valid {
            self.counters.opcodes += 1;
            self.events.push_back(Event::OpCode(header.opcode));
        }
        if let Some((payload, footer)) = frame.payload {
            if header.channel < self.params.channels {
                self.payload(header, payload, Some(&footer));
            } else {
                self.counters.unknown_channel += 1;
            }
        }
    }

    /// A frame with a good header and something wrong behind it. The number is not taken, so the
    /// next good frame shows a gap. Payload may have been passed on before the fault was seen, so
    /// it ends in error here: all beats but the last, which would be the footer.
    fn bad(&mut self, header: &Header, body: &[u8], damaged: bool) {
        if damaged {
            self.counters.damaged += 1;
        } else {
            self.counters.malformed += 1;
        }
        if header.channel == NULL_CHANNEL || header.channel >= self.params.channels {
            return;
        }
        let beats = body.len().saturating_sub(1) / BEAT * BEAT;
        if beats > 0 {
            self.payload(header, &body[..beats], None);
        } else if self.open >> header.channel & 1 != 0 {
            self.end(header.channel);
        }
    }

    /// Passes bytes on, if their user frame has a start. Without a good footer they end it in
    /// error.
    fn payload(&mut self, header: &Header, bytes: &[u8], footer: Option<&Footer>) {
        let channel = header.channel;
        let error = footer.is_none_or(|footer| footer.error);
        let end = error || footer.is_some_and(|footer| footer.end);
        let open = self.open >> channel & 1 != 0;
        if header.start && open {
            self.end(channel);
        } else if !header.start && !open {
            self.channels[usize::from(channel)].orphans += 1;
            self.discarded = (!error).then_some(bytes.len() as u64);
            self.events.push_back(Event::Orphan(channel));
            return;
        }
        let carried = self.params.tuser;
        self.piece(Piece {
            channel,
            bytes: bytes.to_vec(),
            start: header.start,
            end,
            error,
            tuser: Tuser {
                first: if carried && header.start {
                    header.first_tuser
                } else {
                    0
                },
                last: footer
                    .filter(|_| carried && end)
                    .map_or(0, |footer| footer.tuser),
            },
        });
    }

    /// Ends an unfinished user frame in error.
    fn end(&mut self, channel: u8) {
        self.piece(Piece::cut(channel));
    }

    /// Ends all unfinished user frames in error.
    fn end_all(&mut self) {
        for channel in 0..self.params.channels {
            if self.open >> channel & 1 != 0 {
                self.end(channel);
            }
        }
    }

    fn piece(&mut self, piece: Piece) {
        let counters = &mut self.channels[usize::from(piece.channel)];
        counters.bytes += piece.bytes.len() as u64;
        counters.frames += u64::from(piece.end && !piece.error);
        counters.errors += u64::from(piece.error);
        let bit = 1 << piece.channel;
        self.open = self.open & !bit | u16::from(!piece.end) << piece.channel;
        self.events.push_back(Event::Data(piece));
    }

    /// Lets time pass: the link goes down if nothing good has come for the alive time.
    pub fn tick(&mut self, now: Duration) {
        if self.next_timeout().is_some_and(|at| now >= at) {
            self.counters.downs_silent += 1;
            self.down(Down::Silent);
        }
    }

    /// Whether the line is up. The link goes down with it.
    pub fn set_phy(&mut self, up: bool) {
        if self.link && !up {
            self.counters.downs_phy += 1;
            self.down(Down::Phy);
        }
        self.phy = up;
    }

    /// What is known of the peer is forgotten, the number of its next frame included.
    fn down(&mut self, reason: Down) {
        self.end_all();
        self.link = false;
        self.peer = Peer::default();
        self.awaited = None;
        self.events.push_back(Event::LinkDown(reason));
    }

    /// When [`Receiver::tick`] has to be called, if nothing else happens before.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Duration> {
        self.link.then(|| self.good_at + self.params.alive)
    }

    /// Whether the peer has not been heard for so long that it may not run just now
    /// ([`Params::silence`]).
    #[must_use]
    pub fn is_silent(&self, now: Duration) -> bool {
        now.saturating_sub(self.good_at) >= self.params.silence
    }

    /// Whether good frames come.
    #[must_use]
    pub fn link(&self) -> bool {
        self.link
    }

    /// What is known of the peer.
    #[must_use]
    pub fn peer(&self) -> Peer {
        self.peer
    }

    /// What the headers of the peer carried last.
    #[must_use]
    pub fn user_data(&self) -> Word {
        self.user_data
    }

    /// Bytes of the payload that [`Event::Orphan`] reported last; `None` if they were damaged or
    /// ended in error, so that their number says nothing.
    pub(crate) fn discarded(&self) -> Option<u64> {
        self.discarded
    }

    /// What the user has to know, oldest first.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Counters of the link.
    #[must_use]
    pub fn counters(&self) -> RxLink {
        self.counters
    }

    /// Counters of a channel.
    #[must_use]
    pub fn channel_counters(&self, channel: u8) -> RxChannel {
        self.channels
            .get(usize::from(channel))
            .copied()
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
