// SPDX-License-Identifier: Apache-2.0

use super::super::frame::{Frame, Mac};
use super::*;
use proptest::prelude::*;

const HERE: Mac = Mac([2, 0, 0, 0, 0, 1]);
const THERE: Mac = Mac([2, 0, 0, 0, 0, 2]);
const READY: Peer = Peer {
    mac: Some(THERE),
    ready: true,
    pause: 0,
    tuser: false,
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
            // Losing it again changes nothing. Meanwhile the user gives the rest, and another
            // frame.
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

    /// Whatever the user and the peer do: frames are good, numbered without a gap, and no user
    /// frame is started in another one or goes on without a start; and when the next timeout is
    /// over, something is sent.
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

/// TUSER of user frames in one burst and in several, given whole and in parts, to a peer that
/// takes it and to one that does not: the receiver has it with the piece that starts and with the
/// one that ends the frame.
#[test]
fn tuser_goes_with_its_frame_to_a_peer_that_takes_it() {
    for takes in [true, false] {
        let params = |tuser| Params {
            channels: 2,
            burst: 128,
            tuser,
            ..Params::new(if tuser { HERE } else { THERE })
        };
        let mut bench = Bench::new(2, 128);
        bench.tx = Transmitter::new(params(true)).unwrap();
        let mut rx = super::super::Receiver::new(Params {
            tuser: takes,
            ..params(false)
        })
        .unwrap();
        let first = bench.tx.poll_transmit(bench.now).unwrap();
        rx.receive(bench.now, &first, false);
        let tuser = takes;
        bench.tx.set_peer(bench.now, Peer { tuser, ..READY });
        let whole = Tuser {
            first: 0xc3,
            last: 0x7f,
        };
        bench.tx.push_tuser(0, &[7; 10], Last::Yes, whole).unwrap();
        let begin = Tuser {
            first: 0x81,
            last: 1,
        };
        let end = Tuser {
            first: 2,
            last: 0x40,
        };
        bench.tx.push_tuser(1, &[8; 300], Last::No, begin).unwrap();
        bench.tx.push_tuser(1, &[9; 5], Last::Error, end).unwrap();
        while let Some(bytes) = bench.tx.poll_transmit(bench.now) {
            let footer = &bytes[bytes.len() - 6..];
            assert!(takes || footer[0] <= 64 && footer[1] < 4, "{footer:02x?}");
            rx.receive(bench.now, &bytes, false);
        }
        let mut came = Vec::new();
        while let Some(event) = rx.poll_event() {
            if let Event::Data(piece) = event {
                came.push((piece.channel, piece.tuser.first, piece.tuser.last));
            }
        }
        let expected = [(0, 0xc3, 0x7f), (1, 0x81, 0), (1, 0, 0), (1, 0, 0x40)];
        let nothing = expected.map(|(channel, _, _)| (channel, 0, 0));
        assert_eq!(came, if takes { expected } else { nothing });
    }
}

/// A count with bit 7 is a wrong footer for an end that has not asked for TUSER.
#[test]
fn tuser_that_nobody_asked_for() {
    for tuser in [false, true] {
        let mut rx = super::super::Receiver::new(Params {
            tuser,
            ..Params::new(THERE)
        })
        .unwrap();
        let mut bench = Bench::new(1, 64);
        bench.push(0, 10, Last::Yes);
        let mut bytes = bench.tx.poll_transmit(bench.now).unwrap();
        super::super::frame::set_tuser(&mut bytes, 0x40);
        rx.receive(bench.now, &bytes, false);
        assert_eq!(rx.counters().malformed, u64::from(!tuser));
        assert_eq!(rx.counters().good, u64::from(tuser));
    }
}
