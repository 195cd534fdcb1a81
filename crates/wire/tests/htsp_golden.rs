// SPDX-License-Identifier: Apache-2.0
//! What the published core sent and received, from the folder `golden`.
//!
//! Every frame of every set must decode and encode byte for byte. The transmitter must give the
//! frames of every set, and the receiver what the published one gives, except where that shows one
//! of its defects; those are named here, one by one.
//!
//! Numbers of defects are those of the page on the wire format.

#[path = "../examples/htsp_vectors.rs"]
mod vectors;

use ropewalk_testkit::golden::htsp::{self as golden, Delivered, Given, Received};
use ropewalk_wire::htsp::frame::{self, Frame, HEADER, Header, Word};
use ropewalk_wire::htsp::{Event, Mac, Params, Receiver};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// A good frame made again out of what was decoded.
fn again(frame: &Frame) -> Vec<u8> {
    let Some((payload, footer)) = frame.payload else {
        return frame.header.encode().to_vec();
    };
    frame::encode(
        &frame.header,
        payload,
        footer.end,
        footer.error,
        footer.pause,
    )
    .expect("a payload that came in a frame")
}

#[test]
fn every_sent_frame_there_and_back() {
    let mut count = 0;
    for set in published() {
        for bytes in golden::sent(set.name) {
            let frame =
                Frame::decode(&bytes).unwrap_or_else(|error| panic!("{}: {error}", set.name));
            assert_eq!(again(&frame), bytes, "{}", set.name);
            count += 1;
        }
    }
    assert_eq!(count, 232);
}

/// Names of the sets of ours that the published core has not.
const OWN: [&str; 5] = [
    "tx_release",
    "tx_stall",
    "tx_cut",
    "tx_burst_192",
    "tx_turns",
];

fn published() -> impl Iterator<Item = vectors::Set> {
    let sets = vectors::sets().into_iter();
    sets.filter(|set| !OWN.contains(&set.name))
}

/// A frame with the op-code and the user data that a set of ours has in their place.
fn translated(bytes: &[u8], words: &mut BTreeMap<Word, Word>, ours: &[u8]) -> Vec<u8> {
    let (beat, rest) = bytes.split_first_chunk::<HEADER>().expect("a header");
    let (own, _) = ours.split_first_chunk::<HEADER>().expect("a header");
    let mut header = Header::decode(beat);
    let own = Header::decode(own);
    for (word, own) in [
        (&mut header.opcode, own.opcode),
        (&mut header.user_data, own.user_data),
    ] {
        *word = *words.entry(*word).or_insert(own);
    }
    [&header.encode(), rest].concat()
}

/// Frames of both, of which those at the given places differ for the given reason.
fn compare(name: &str, frames: &[Vec<u8>], ours: &[Vec<u8>], differ: &[usize]) {
    let mut words = BTreeMap::new();
    for (place, (published, own)) in frames.iter().zip(ours).enumerate() {
        let equal = translated(published, &mut words, own) == *own;
        assert_eq!(equal, !differ.contains(&place), "{name}: frame {place}");
    }
    let mut values: Vec<Word> = words.values().copied().collect();
    values.sort_unstable();
    values.dedup();
    assert_eq!(values.len(), words.len(), "{name}: op-codes or user data");
    assert_eq!(frames.len(), ours.len(), "{name}: number of frames");
}

#[test]
fn transmitter_sets() {
    let mut equal = 0;
    for set in published() {
        let frames = golden::sent(set.name);
        let (_, ours) = vectors::run(&set).expect("a set that runs");
        match set.name {
            // The pause bit was set for two cycles inside the frame, which a model that sends whole
            // frames at once cannot have.
            "tx_pause" => {
                compare(set.name, &frames, &ours, &[1]);
                let place = ours[1].len() - 4;
                assert_eq!(frames[1][place..][..2], [2, 0]);
                assert_eq!(frames[1][..place], ours[1][..place]);
            }
            // The recording ends in the middle of a burst.
            "tx_pause_burst" => {
                assert_eq!((frames.len(), ours.len()), (8, 11));
                compare(set.name, &frames, &ours[..8], &[]);
            }
            // Defect 1, pause that is not looked at: five more bursts at once, here after the
            // release.
            "tx_pause_burst1" => {
                assert_eq!((frames.len(), ours.len()), (11, 10));
                compare(set.name, &frames[..2], &ours[..2], &[]);
                for place in 2..=6 {
                    // The same burst with another number and, after it, another checksum.
                    assert_eq!(frames[place][HEADER..], ours[place + 3][HEADER..]);
                }
                assert!(ours[2..5].iter().all(|frame| frame.len() == HEADER));
            }
            // Defect 3, the start mark that is lost to a header alone.
            "tx_linkdrop_sof_62" => {
                compare(set.name, &frames, &ours, &[1, 2]);
                let starts = |frames: &[Vec<u8>]| [frames[1][18], frames[1][19], frames[2][19]];
                assert_eq!((starts(&frames), starts(&ours)), ([0, 1, 0], [0xff, 0, 1]));
            }
            "tx_linkdrop_sof_65" => {
                compare(set.name, &frames, &ours, &[1, 2, 3]);
                let starts = |frames: &[Vec<u8>]| [frames[1][18], frames[1][19], frames[3][19]];
                assert_eq!((starts(&frames), starts(&ours)), ([0, 1, 0], [0xff, 0, 1]));
            }
            _ => {
                compare(set.name, &frames, &ours, &[]);
                equal += 1;
            }
        }
    }
    assert_eq!(equal, 17);
}

/// What our receiver makes of the frames of a set.
struct Ours {
    rx: Receiver,
    frames: Vec<Delivered>,
    events: Vec<Event>,
    /// Pause bits behind every frame.
    pauses: Vec<u16>,
}

/// The mark of a damaged frame, where the published receiver looks for it: at the last byte of the
/// last beat.
fn damaged(bytes: &[u8], user: u128) -> bool {
    let last = (bytes.len() - 1) % HEADER;
    user >> (2 * last) & 1 != 0
}

/// Runs our receiver on what the published one was given.
fn receive(set: &str, published: &Received) -> Ours {
    let params = Params {
        channels: 4,
        ..Params::new(Mac([0x0f, 0x0e, 0x0d, 0x0c, 0x0b, 0x0a]))
    };
    let mut ours = Ours {
        rx: Receiver::new(params).expect("legal parameters"),
        frames: Vec::new(),
        events: Vec::new(),
        pauses: Vec::new(),
    };
    let mut open: BTreeMap<u8, Delivered> = BTreeMap::new();
    for (cycle, given) in &published.given {
        let now = Duration::from_nanos(5 * cycle);
        match given {
            Given::Phy(up) => ours.rx.set_phy(*up),
            Given::Cut(bytes) => ours.rx.receive(now, bytes, true),
            Given::Frame(bytes, user) => {
                ours.rx.receive(now, bytes, damaged(bytes, *user));
                ours.pauses.push(ours.rx.peer().pause);
            }
        }
        let events: Vec<Event> = std::iter::from_fn(|| ours.rx.poll_event()).collect();
        for event in &events {
            let Event::Data(piece) = event else { continue };
            let frame = open.entry(piece.channel).or_insert(Delivered {
                channel: piece.channel,
                bytes: Vec::new(),
                start: piece.start,
                error: false,
            });
            frame.bytes.extend(&piece.bytes);
            frame.error = piece.error;
            if piece.end {
                ours.frames.extend(open.remove(&piece.channel));
            }
        }
        ours.events.extend(events);
    }
    assert!(open.is_empty(), "{set}: an unfinished frame");
    ours
}

/// A set of the published receiver, and what ours makes of it.
fn both(set: &str) -> (Received, Ours) {
    let published = golden::received(set);
    let ours = receive(set, &published);
    (published, ours)
}

/// The same frames with the same marks; the bytes of those in error are not compared.
fn same(set: &str, ours: &[Delivered], published: &[Delivered]) {
    assert_eq!(ours.len(), published.len(), "{set}: number of frames");
    for (place, (own, other)) in ours.iter().zip(published).enumerate() {
        let equal = own == other || (own.error && other.error && own.channel == other.channel);
        assert!(equal, "{set}: frame {place}: {own:?}, published {other:?}");
    }
}

#[test]
fn receiver_basic() {
    let (published, ours) = both("rx_basic");
    same("rx_basic", &ours.frames, &published.frames);
    assert_eq!(published.frames.len(), 8);
    let counters = ours.rx.counters();
    assert_eq!((counters.good, counters.opcodes, counters.lost), (11, 2, 0));
    // Status that the published receiver showed at the end and on the way.
    let values = |name: &str| -> Vec<u128> {
        let changes = published.status.iter().filter(|change| change.0 == name);
        changes.map(|change| change.1).collect()
    };
    let mac = ours.rx.peer().mac.expect("a peer").0;
    let number = mac
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u128::from(byte));
    assert_eq!(values("remoteMac").last(), Some(&number));
    let words = |name: &str| -> Vec<Word> {
        let words = values(name).into_iter().filter(|&word| word != 0);
        words.map(u128::to_le_bytes).collect()
    };
    let told = |pick: fn(&Event) -> Option<Word>| -> Vec<Word> {
        let words = ours.events.iter().filter_map(pick);
        words.filter(|word| *word != Word::default()).collect()
    };
    let opcodes = told(|event| match event {
        Event::OpCode(word) => Some(*word),
        _ => None,
    });
    assert_eq!(opcodes, words("opCode"));
    let user_data = told(|event| match event {
        Event::UserData(word) => Some(*word),
        _ => None,
    });
    assert_eq!(user_data, words("remLinkData"));
    let mut pauses = VecDeque::from(values("remRxPause"));
    pauses.push_front(0);
    let mut before = None;
    for pause in ours.pauses {
        if before != Some(pause) {
            // The published one also takes the header's pause, before the footer's.
            assert!(pauses.iter().any(|&seen| seen == u128::from(pause)));
            while pauses.front() != Some(&u128::from(pause)) {
                pauses.pop_front();
            }
        }
        before = Some(pause);
    }
}

#[test]
fn receiver_errors() {
    let (published, ours) = both("rx_errors");
    let mut published = published.frames;
    // Accepted oddities of the published core, which are malformed frames here: no byte in the last
    // beat, 65 bytes in the last beat.
    for (bytes, place) in [(0, 9), (64, 10)] {
        assert_eq!(
            (published[place].bytes.len(), published[place].error),
            (bytes, false)
        );
        published[place].error = true;
    }
    // Bytes without a start are passed on there, and discarded here.
    let no_start = published.pop().expect("the last frame");
    assert!(!no_start.start && !no_start.error && no_start.bytes.len() == 192);
    same("rx_errors", &ours.frames, &published);
    let counters = ours.rx.counters();
    assert_eq!(
        (counters.foreign, counters.version, counters.checksum),
        (2, 1, 1)
    );
    // One burst and one header alone; the second one is not looked at by the published core, defect
    // 2.
    assert_eq!(counters.damaged, 2);
    // Size, 7 bytes of footer, no footer, header alone with payload, 0 and 65 bytes, footer without
    // payload.
    assert_eq!(counters.malformed, 7);
    assert_eq!(counters.unknown_channel, 2);
    // Every frame that is not good leaves a gap.
    assert_eq!((counters.good, counters.lost), (18, 13));
    // Here the link stays up whatever is wrong with single frames.
    assert_eq!(
        (counters.ups, counters.downs_silent, counters.downs_phy),
        (1, 0, 0)
    );
}

#[test]
fn receiver_defects() {
    // Defect 4: the published receiver takes the payload of a foreign frame for a header, and
    // delivers it.
    let (published, ours) = both("rx_spoof");
    assert_eq!(published.frames.len(), 1);
    assert!(ours.frames.is_empty() && ours.pauses.last() == Some(&0));
    assert_eq!(ours.rx.counters().foreign, 1);
    // Defect 5: it delivers a beat from before the loss of the line with the next frame, and does
    // not end the cut frame.
    let (published, ours) = both("rx_phydrop");
    let ends = |frames: &[Delivered]| -> Vec<(u8, bool, usize)> {
        let end = |frame: &Delivered| (frame.channel, frame.error, frame.bytes.len());
        frames.iter().map(end).collect()
    };
    assert_eq!(ends(&published.frames), [(1, true, 128), (0, false, 192)]);
    assert_eq!(ends(&ours.frames), [(0, true, 128), (1, false, 128)]);
    assert_eq!(ours.rx.counters().downs_phy, 1);
    // Defect 2: behind the MAC wrapper a damaged frame is good. What the MAC itself said is bit 0
    // of the user bits.
    let published = golden::received("rx_fcs_phychain");
    assert!(published.frames.len() == 2 && published.frames.iter().all(|frame| !frame.error));
    let damaged = |given: &Given| matches!(given, Given::Frame(_, user) if user & 1 != 0);
    let frames = published.given.iter();
    assert_eq!(frames.filter(|(_, given)| damaged(given)).count(), 1);
}
