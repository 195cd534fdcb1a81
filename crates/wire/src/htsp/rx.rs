// SPDX-License-Identifier: Apache-2.0
//! Receiver: takes frames that are for it, notices what is missing, knows whether there is a link.
//!
//! A frame counts when it is good in every respect; only then its number, pause bits, op-code and the rest of its header
//! are taken. Payload is passed on whatever its end says, as a receiver does that does not store whole frames, and is
//! marked when it turns out bad.
//!
//! ```text
//!           not ours, version, checksum          number is old        otherwise
//! header -> skip the frame                       end all, skip        end all if numbers are missing; payload
//!
//!           good                                 damaged, cut, wrong footer
//! end    -> take number, pause, ..               the user frame ends in error; the number stays missing
//! ```
//!
//! Repairs (the wire is the same):
//! * Numbers are compared. With a gap, all unfinished user frames end in error: one of them may have lost its middle or its
//!   end, and would be delivered shortened or joined with another one.
//! * A start in an unfinished user frame ends that one in error; bytes without a start are discarded.
//! * When the link goes down, all unfinished user frames end in error.
//! * The rest of a frame that is not taken is never looked at for a header.
//! * A frame that the Ethernet MAC calls damaged is bad, also if it is a header alone, and its pause bits are not taken.
//! * A damaged frame does not close the link: the gap in the numbers says what it cost.

use super::counters::{RxChannel, RxLink};
use super::event::{Down, Event, Piece};
use super::frame::{BEAT, Footer, Frame, HEADER, Header, MAX_CHANNELS, Mac, NULL_CHANNEL, Word};
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
}

impl Default for Peer {
    /// Nothing: not there, and all channels paused.
    fn default() -> Self {
        Peer {
            mac: None,
            ready: false,
            pause: u16::MAX,
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
            counters: RxLink::default(),
            channels: [RxChannel::default(); MAX_CHANNELS as usize],
            events: VecDeque::new(),
        })
    }

    /// Takes an Ethernet frame without its FCS. `damaged`: the Ethernet MAC has found it so, or has not seen its end.
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
            return;
        }
        match Frame::decode(bytes) {
            Ok(frame) if !damaged => self.good(now, &frame, missing),
            _ => self.bad(&header, body, damaged),
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
        let before = self.peer.ready;
        self.peer = Peer {
            mac: Some(header.source),
            ready: header.link_ready,
            pause,
        };
        if before != header.link_ready {
            self.events.push_back(Event::PeerReady(header.link_ready));
        }
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
                let Footer { end, error, .. } = footer;
                self.payload(header, payload, end || error, error);
            } else {
                self.counters.unknown_channel += 1;
            }
        }
    }

    /// A frame with a good header and something wrong behind it. The number is not taken, so the next good frame shows
    /// a gap. Payload may have been passed on before the fault was seen, so it ends in error here: all beats
    /// but the last, which would be the footer.
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
            self.payload(header, &body[..beats], true, true);
        } else if self.open >> header.channel & 1 != 0 {
            self.end(header.channel);
        }
    }

    /// Passes bytes on, if their user frame has a start.
    fn payload(&mut self, header: &Header, bytes: &[u8], end: bool, error: bool) {
        let channel = header.channel;
        let open = self.open >> channel & 1 != 0;
        if header.start && open {
            self.end(channel);
        } else if !header.start && !open {
            self.channels[usize::from(channel)].orphans += 1;
            self.events.push_back(Event::Orphan(channel));
            return;
        }
        self.piece(Piece {
            channel,
            bytes: bytes.to_vec(),
            start: header.start,
            end,
            error,
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

    /// Whether the peer has not been heard for so long that it may not run just now ([`Params::silence`]).
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
mod tests {
    use super::super::frame;
    use super::*;
    use proptest::prelude::*;

    const HERE: Mac = Mac([2, 0, 0, 0, 0, 1]);
    const THERE: Mac = Mac([2, 0, 0, 0, 0, 2]);

    /// A receiver of 4 channels, and a peer that can send it anything.
    struct Bench {
        rx: Receiver,
        now: Duration,
        tid: u8,
    }

    impl Bench {
        fn new() -> Self {
            let params = Params {
                channels: 4,
                ..Params::new(HERE)
            };
            Bench {
                rx: Receiver::new(params).unwrap(),
                now: Duration::ZERO,
                tid: 0,
            }
        }

        /// One with a link.
        fn up() -> Self {
            let mut bench = Bench::new();
            let events = bench.null();
            assert_eq!(events, [Event::LinkUp, Event::PeerReady(true)]);
            bench
        }

        fn header(&mut self) -> Header {
            let tid = self.tid;
            self.tid = tid.wrapping_add(1);
            Header {
                destination: HERE,
                source: THERE,
                ethertype: 0x0111,
                version: 1,
                tid,
                pause: 0,
                channel: NULL_CHANNEL,
                start: false,
                opcode_valid: false,
                link_ready: true,
                reserved: [0; 8],
                opcode: [0; 16],
                user_data: [0; 16],
            }
        }

        /// The next burst: 100 bytes, or 128 if the user frame goes on.
        fn burst(&mut self, channel: u8, start: bool, end: bool) -> Vec<u8> {
            let header = Header {
                channel,
                start,
                ..self.header()
            };
            frame::encode(
                &header,
                &vec![channel; if end { 100 } else { 128 }],
                end,
                false,
                0,
            )
            .unwrap()
        }

        fn receive(&mut self, bytes: &[u8], damaged: bool) -> Vec<Event> {
            self.rx.receive(self.now, bytes, damaged);
            self.events()
        }

        fn events(&mut self) -> Vec<Event> {
            core::iter::from_fn(|| self.rx.poll_event()).collect()
        }

        fn send(&mut self, header: &Header) -> Vec<Event> {
            self.receive(&header.encode(), false)
        }

        fn null(&mut self) -> Vec<Event> {
            let header = self.header();
            self.send(&header)
        }

        fn data(&mut self, channel: u8, start: bool, end: bool) -> Vec<Event> {
            let bytes = self.burst(channel, start, end);
            self.receive(&bytes, false)
        }

        /// A burst that never arrives.
        fn lose(&mut self) {
            self.tid = self.tid.wrapping_add(1);
        }
    }

    /// A piece that arrived well.
    fn piece(channel: u8, start: bool, end: bool) -> Event {
        Event::Data(Piece {
            channel,
            bytes: vec![channel; if end { 100 } else { 128 }],
            start,
            end,
            error: false,
        })
    }

    fn cut(channel: u8) -> Event {
        Event::Data(Piece::cut(channel))
    }

    #[test]
    fn bursts_of_channels_are_told_apart() {
        let mut bench = Bench::up();
        assert_eq!(bench.data(1, true, false), [piece(1, true, false)]);
        assert_eq!(bench.data(3, true, true), [piece(3, true, true)]);
        assert_eq!(bench.data(1, false, false), [piece(1, false, false)]);
        assert_eq!(bench.data(1, false, true), [piece(1, false, true)]);
        let counters = bench.rx.channel_counters(1);
        assert_eq!(
            (counters.frames, counters.bytes, counters.errors),
            (1, 356, 0)
        );
    }

    #[test]
    fn a_lost_first_burst() {
        let mut bench = Bench::up();
        bench.lose();
        assert_eq!(
            bench.data(0, false, false),
            [Event::Lost(1), Event::Orphan(0)]
        );
        assert_eq!(bench.data(0, false, true), [Event::Orphan(0)]);
        assert_eq!(bench.data(0, true, true), [piece(0, true, true)]);
        assert_eq!(bench.rx.channel_counters(0).orphans, 2);
    }

    #[test]
    fn a_lost_middle_does_not_shorten_a_user_frame() {
        let mut bench = Bench::up();
        bench.data(0, true, false);
        bench.data(2, true, false);
        bench.lose();
        // All that are unfinished: nothing says whose burst it was.
        let events = bench.data(0, false, true);
        assert_eq!(events, [cut(0), cut(2), Event::Lost(1), Event::Orphan(0)]);
        assert_eq!(bench.data(2, false, true), [Event::Orphan(2)]);
        assert_eq!(bench.data(2, true, true), [piece(2, true, true)]);
    }

    #[test]
    fn a_lost_end_does_not_join_two_user_frames() {
        let mut bench = Bench::up();
        bench.data(0, true, false);
        bench.lose();
        let events = bench.data(0, true, true);
        assert_eq!(events, [cut(0), Event::Lost(1), piece(0, true, true)]);
        // The same if the number says nothing, as after 256 lost frames.
        bench.data(0, true, false);
        assert_eq!(bench.data(0, true, true), [cut(0), piece(0, true, true)]);
    }

    #[test]
    fn a_user_frame_that_is_lost_as_a_whole_is_told() {
        let mut bench = Bench::up();
        bench.data(1, true, true);
        bench.lose();
        assert_eq!(bench.null(), [Event::Lost(1)]);
        bench.tid = bench.tid.wrapping_add(127);
        assert_eq!(bench.data(1, true, true)[0], Event::Lost(127));
        assert_eq!(bench.rx.counters().lost, 128);
    }

    #[test]
    fn a_damaged_frame_ends_its_user_frame_and_counts_for_nothing_else() {
        let mut bench = Bench::up();
        bench.data(0, true, false);
        bench.data(1, true, false);
        let mut bytes = bench.burst(1, false, true);
        bytes[16] = 0xf;
        bytes[30] = bytes[30].wrapping_sub(0xf);
        let footer = bytes.len() - 4;
        bytes[footer] = 0xf;
        let events = bench.receive(&bytes, true);
        let [Event::Data(last)] = &events[..] else {
            panic!("{events:?}")
        };
        assert!(last.channel == 1 && last.end && last.error && !last.start);
        assert_eq!((bench.rx.counters().damaged, bench.rx.peer().pause), (1, 0));
        // The number is missing, so the other channel learns it, too.
        assert_eq!(bench.null(), [cut(0), Event::Lost(1)]);
    }

    #[test]
    fn a_damaged_header_alone_pauses_nothing() {
        let mut bench = Bench::up();
        let header = Header {
            pause: 0xf,
            opcode_valid: true,
            user_data: [1; 16],
            source: HERE,
            link_ready: false,
            ..bench.header()
        };
        assert_eq!(bench.receive(&header.encode(), true), []);
        let peer = bench.rx.peer();
        assert_eq!((peer.pause, peer.ready, peer.mac), (0, true, Some(THERE)));
        assert_eq!(bench.null(), [Event::Lost(1)]);
    }

    /// Damage that cancels out in the sum of bytes: here the channel, made up for by a reserved byte.
    #[test]
    fn damage_that_the_checksum_does_not_see() {
        let mut bench = Bench::up();
        bench.data(1, true, false);
        bench.data(2, true, false);
        let mut bytes = bench.burst(2, false, false);
        (bytes[18], bytes[22]) = (1, 1);
        assert_eq!(
            Frame::decode(&bytes).map(|frame| frame.header.channel),
            Ok(1)
        );
        let events = bench.receive(&bytes, true);
        assert!(matches!(&events[..], [Event::Data(piece)] if piece.channel == 1 && piece.error));
        // The user frame that misses the burst ends in error as well.
        assert_eq!(
            bench.data(2, false, true),
            [cut(2), Event::Lost(1), Event::Orphan(2)]
        );
    }

    #[test]
    fn wrong_ends() {
        for (change, bytes) in [
            ("size", 100),
            ("no valid byte in the last beat", 100),
            ("seven bytes of footer", 100),
            ("no footer", 100),
            ("header and footer", 0),
        ] {
            let mut bench = Bench::up();
            bench.data(0, true, false);
            let mut frame = bench.burst(1, true, true);
            let footer = frame.len() - frame::FOOTER;
            match change {
                "size" => frame[footer + 4] = 99,
                "no valid byte in the last beat" => frame[footer] = 0,
                "seven bytes of footer" => frame.push(0),
                "no footer" => frame.truncate(footer),
                _ => _ = frame.drain(HEADER..footer),
            }
            let events = bench.receive(&frame, false);
            match &events[..] {
                [] => assert_eq!(bytes, 0, "{change}"),
                [Event::Data(piece)] => {
                    assert!(piece.start && piece.end && piece.error, "{change}")
                }
                _ => panic!("{change}: {events:?}"),
            }
            assert_eq!(bench.rx.counters().malformed, 1, "{change}");
            assert_eq!(
                bench.data(1, true, true),
                [cut(0), Event::Lost(1), piece(1, true, true)]
            );
        }
    }

    #[test]
    fn what_is_not_for_this_end_is_skipped_as_a_whole() {
        let mut bench = Bench::up();
        // The payload of a foreign frame would do for a header.
        let inside = Header {
            pause: 0xf,
            ..bench.header()
        };
        bench.tid -= 1;
        let foreign = Header {
            destination: THERE,
            channel: 0,
            start: true,
            ..inside
        };
        let bytes = frame::encode(&foreign, &inside.encode(), true, false, 0).unwrap();
        assert_eq!(bench.receive(&bytes, false), []);
        let ethertype = Header {
            ethertype: 0x0800,
            ..inside
        };
        assert_eq!(bench.send(&ethertype), []);
        assert_eq!(bench.receive(&inside.encode()[..63], false), []);
        assert_eq!(bench.rx.counters().foreign, 3);
        let version = Header {
            version: 2,
            ..inside
        };
        assert_eq!(bench.send(&version), []);
        assert_eq!(bench.rx.counters().version, 1);
        let mut sum = inside.encode();
        sum[31] ^= 1;
        assert_eq!(bench.receive(&sum, false), []);
        assert_eq!(bench.rx.counters().checksum, 1);
        assert_eq!(bench.rx.peer().pause, 0);
        assert_eq!(bench.null(), [], "nothing is missing");
    }

    #[test]
    fn a_channel_that_is_not_there() {
        let mut bench = Bench::up();
        bench.data(3, true, false);
        for channel in [4, 15, 0xfe] {
            let header = Header {
                channel,
                start: true,
                ..bench.header()
            };
            let bytes = frame::encode(&header, &[1], true, false, 2).unwrap();
            assert_eq!(bench.receive(&bytes, false), []);
            // A peer that sends nothing else must still be heard.
            assert_eq!(bench.rx.peer().pause, 2);
        }
        assert_eq!(bench.rx.counters().unknown_channel, 3);
        assert_eq!(bench.data(3, false, true), [piece(3, false, true)]);
    }

    #[test]
    fn earlier_numbers_are_not_delivered_again() {
        let mut bench = Bench::up();
        bench.data(0, true, false);
        let single = bench.burst(1, true, true);
        assert_eq!(bench.receive(&single, false), [piece(1, true, true)]);
        let stale = Event::Stale(2);
        assert_eq!(bench.receive(&single, false), [cut(0), stale.clone()]);
        assert_eq!(bench.receive(&single, false), [stale]);
        assert_eq!(bench.data(0, false, true), [Event::Orphan(0)]);
        assert_eq!(bench.data(0, true, true), [piece(0, true, true)]);
        // A frame that was overtaken.
        let late = bench.burst(2, true, true);
        let events = bench.data(3, true, true);
        assert_eq!(events, [Event::Lost(1), piece(3, true, true)]);
        assert_eq!(bench.receive(&late, false), [Event::Stale(5)]);
        assert_eq!(bench.rx.counters().stale, 3);
    }

    #[test]
    fn more_than_127_lost_frames_are_told_and_come_to_an_end() {
        for lost in [128, 200, 255] {
            let mut bench = Bench::up();
            bench.data(0, true, false);
            bench.tid = bench.tid.wrapping_add(lost);
            let first = bench.tid;
            assert_eq!(bench.data(0, false, true), [cut(0), Event::Stale(first)]);
            for _ in 1..=255 - lost {
                assert!(matches!(bench.null()[..], [Event::Stale(_)]));
            }
            assert_eq!(bench.data(0, true, true), [piece(0, true, true)], "{lost}");
        }
    }

    #[test]
    fn stale_frames_do_not_keep_a_link_alive() {
        let mut bench = Bench::up();
        let old = bench.header();
        bench.send(&old);
        bench.now += bench.rx.params.alive - Duration::from_nanos(1);
        assert_eq!(bench.send(&old), [Event::Stale(1)]);
        bench.now += Duration::from_nanos(1);
        let events = bench.send(&old);
        assert_eq!(events[0], Event::LinkDown(Down::Silent));
        assert_eq!(
            events[1],
            Event::LinkUp,
            "after that time it may be a peer that starts anew"
        );
    }

    #[test]
    fn a_link_goes_down_with_the_line_or_after_the_alive_time() {
        for reason in [Down::Phy, Down::Silent] {
            let mut bench = Bench::up();
            bench.data(0, true, false);
            bench.data(3, true, false);
            assert_eq!(bench.rx.peer().pause, 0);
            match reason {
                Down::Phy => bench.rx.set_phy(false),
                Down::Silent => {
                    let at = bench.rx.next_timeout().unwrap();
                    assert_eq!(at, bench.now + bench.rx.params.alive);
                    bench.rx.tick(at - Duration::from_nanos(1));
                    assert!(bench.rx.link());
                    bench.rx.tick(at);
                }
            }
            assert_eq!(bench.events(), [cut(0), cut(3), Event::LinkDown(reason)]);
            // Nothing is left of the peer, and all channels are paused.
            assert_eq!(bench.rx.peer(), Peer::default());
            assert_eq!(bench.rx.peer().pause, 0xffff);
            assert!(!bench.rx.link() && bench.rx.next_timeout().is_none());
            if reason == Down::Phy {
                assert_eq!(bench.null(), [], "a line that is down carries nothing");
                bench.rx.set_phy(true);
            }
            // A peer that has started anew: whatever its number is.
            bench.tid = 77;
            let events = bench.data(0, false, true);
            let up = [Event::LinkUp, Event::PeerReady(true), Event::Orphan(0)];
            assert_eq!(events, up);
            let counters = bench.rx.counters();
            let downs = (counters.downs_phy, counters.downs_silent);
            assert_eq!(downs, if reason == Down::Phy { (1, 0) } else { (0, 1) });
            assert_eq!(counters.ups, 2);
        }
    }

    /// The line is lost at every beat of a frame; the next user frame is whole and alone.
    #[test]
    fn a_cut_at_every_place() {
        for place in 0..=4 * BEAT + 6 {
            let mut bench = Bench::up();
            let header = Header {
                channel: 1,
                start: true,
                ..bench.header()
            };
            let bytes = frame::encode(&header, &[7; 3 * BEAT], true, false, 0).unwrap();
            let mut events = bench.receive(&bytes[..place.min(bytes.len() - 1)], true);
            bench.rx.set_phy(false);
            events.extend(bench.events());
            bench.rx.set_phy(true);
            let whole = events
                .iter()
                .any(|event| matches!(event, Event::Data(p) if !p.error));
            assert!(!whole, "{place}: {events:?}");
            assert_eq!(events.last(), Some(&Event::LinkDown(Down::Phy)));
            assert_eq!(bench.data(1, true, true)[2..], [piece(1, true, true)]);
        }
    }

    #[test]
    fn the_end_of_a_user_frame_in_error() {
        let mut bench = Bench::up();
        for (end, error) in [(true, true), (false, true)] {
            let header = Header {
                channel: 0,
                start: true,
                ..bench.header()
            };
            let bytes = frame::encode(&header, &[1; 5], end, error, 0).unwrap();
            let events = bench.receive(&bytes, false);
            assert!(
                matches!(&events[..], [Event::Data(p)] if p.end && p.error && p.bytes == [1; 5])
            );
        }
        assert_eq!(bench.rx.channel_counters(0).errors, 2);
        assert_eq!(bench.null(), [], "the frame was good");
    }

    #[test]
    fn op_codes_and_user_data() {
        let mut bench = Bench::up();
        let header = Header {
            opcode_valid: true,
            opcode: [5; 16],
            user_data: [6; 16],
            ..bench.header()
        };
        let expected = [Event::UserData([6; 16]), Event::OpCode([5; 16])];
        assert_eq!(bench.send(&header), expected);
        assert_eq!(bench.rx.user_data(), [6; 16]);
        let header = Header {
            opcode: [7; 16],
            user_data: [6; 16],
            ..bench.header()
        };
        assert_eq!(bench.send(&header), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Any bytes, also such that look right up to some place, are survived; and what comes out is a sequence of user
        /// frames on channels that exist.
        #[test]
        fn any_bytes_are_survived(
            frames in prop::collection::vec(
                (any::<[u8; 64]>(), prop::collection::vec(any::<u8>(), 0..300), 0u8..8, any::<bool>()),
                1..40,
            ),
        ) {
            let mut bench = Bench::new();
            let mut open = [false; 4];
            for (beat, body, depth, damaged) in frames {
                let mut header = Header::decode(&beat);
                if depth > 0 {
                    (header.destination, header.ethertype, header.version) = (HERE, 0x0111, 1);
                }
                if depth > 1 {
                    header.tid = bench.rx.awaited.unwrap_or(0).wrapping_add(u8::from(depth == 2));
                }
                if depth > 2 {
                    header.channel %= 5;
                }
                let mut bytes = [&header.encode(), &body[..]].concat();
                if depth > 3 && !body.is_empty() {
                    let end = body[0] & 1 != 0 || !body.len().is_multiple_of(BEAT);
                    bytes = frame::encode(&header, &body, end, body[0] & 6 == 6, 0).unwrap();
                }
                if depth == 0 {
                    bytes[..64].copy_from_slice(&beat);
                }
                for event in bench.receive(&bytes, damaged && depth < 6) {
                    let Event::Data(piece) = event else { continue };
                    let open = &mut open[usize::from(piece.channel)];
                    prop_assert!(piece.start != *open);
                    prop_assert!(piece.end || !piece.error);
                    prop_assert!(piece.error || !piece.bytes.is_empty());
                    *open = !piece.end;
                }
            }
            bench.rx.set_phy(false);
            for event in bench.events() {
                if let Event::Data(piece) = event {
                    open[usize::from(piece.channel)] = false;
                }
            }
            prop_assert!(open == [false; 4]);
        }
    }
}
