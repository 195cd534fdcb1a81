// SPDX-License-Identifier: Apache-2.0

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
            first_tuser: 0,
            takes_tuser: false,
            reserved: [0; 6],
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
        tuser: Tuser::default(),
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
fn a_peer_that_started_anew_has_no_link_and_its_numbers_wait() {
    let mut bench = Bench::up();
    bench.tid = 100;
    bench.null();
    let begun = bench.burst(0, true, false);
    bench.receive(&begun, false);
    // Its number, its receiver without a link yet.
    bench.tid = 250;
    let header = Header {
        link_ready: false,
        ..bench.header()
    };
    assert_eq!(
        bench.receive(&header.encode(), true),
        [cut(0), Event::Stale(250)]
    );
    assert!(bench.rx.peer().ready, "it was damaged");
    let told = [Event::Stale(250), Event::PeerReady(false)];
    assert_eq!(bench.send(&header), told);
    assert!(bench.rx.link() && !bench.rx.peer().ready);
    // What was sent before is not delivered again, whatever came in between.
    assert_eq!(bench.receive(&begun, false), [Event::Stale(101)]);
    let at = bench.rx.next_timeout().unwrap();
    bench.now = at;
    let events = bench.data(0, true, true);
    assert_eq!(events[..2], [Event::LinkDown(Down::Silent), Event::LinkUp]);
    assert_eq!(events.last(), Some(&piece(0, true, true)));
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
        assert!(matches!(&events[..], [Event::Data(p)] if p.end && p.error && p.bytes == [1; 5]));
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

    /// Any bytes, also such that look right up to some place, are survived; and what comes out is a
    /// sequence of user frames on channels that exist.
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
