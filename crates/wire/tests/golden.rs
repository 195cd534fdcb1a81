// SPDX-License-Identifier: Apache-2.0
//! What the published core sent, from the folder `golden`. Every frame must encode and decode bit
//! for bit, and the recorded session must give exactly its packets through the aligner and the
//! receiver. Padding, which that core fills with stale user bytes, is masked where two senders are
//! compared.

use ropewalk_testkit::golden::rifl::{self, End, Words};
use ropewalk_wire::rifl::aligner::Aligner;
use ropewalk_wire::rifl::code;
use ropewalk_wire::rifl::frame::{Control, Frame, Kind};
use ropewalk_wire::rifl::scrambler::{Descrambler, Scrambler};
use ropewalk_wire::rifl::segment::Reassembler;
use ropewalk_wire::rifl::{FrameWidth, IdWidth, LaneParams, Receiver, Segment};

const WIDTH: FrameWidth = FrameWidth::W256;

fn frame(words: &Words) -> Frame {
    Frame::from_words(words).expect("four words")
}

/// The state of a scrambler behind a line frame: the bits of its body that were sent last.
fn state_behind(line: &Words) -> u64 {
    (line[2] << 52 | line[3] >> 12) & ((1 << 33) - 1)
}

/// The frame that our encoder makes for a row's kind; user bytes are taken from the row's body.
fn encode(kind: &str, plain: &Frame) -> Frame {
    let bytes = |count: usize| -> Vec<u8> {
        // Independent of Frame::segment: straight from the digits behind sync and meta code.
        let digits = format!("{plain:x}");
        (0..count)
            .map(|i| u8::from_str_radix(&digits[1 + 2 * i..3 + 2 * i], 16).expect("a byte"))
            .collect()
    };
    let user = |count: usize, end: bool| {
        Frame::user(
            WIDTH,
            &Segment::new(WIDTH, &bytes(count), end).expect("a legal segment"),
        )
    };
    match kind {
        "INVALID" => Frame::invalid(WIDTH),
        "FC_ON" => Frame::flow(WIDTH, true),
        "FC_OFF" => Frame::flow(WIDTH, false),
        "IDLE" => Frame::control(WIDTH, Control::Idle),
        "PAUSE" => Frame::control(WIDTH, Control::PauseRequest),
        "RETRANS" => Frame::control(WIDTH, Control::RetransmitRequest),
        "DATA" => user(30, false),
        "DATA_EOP" => user(30, true),
        _ => {
            let count = kind.strip_prefix("DATA_EOP_PART").expect("a known kind");
            user(count.parse().expect("a count"), true)
        }
    }
}

/// Checks the unscrambled side of a row: our encoder agrees but for the padding, our decoder names
/// the same kind and the same bytes.
fn check_kind(kind: &str, plain: &Frame) {
    let ours = encode(kind, plain);
    assert_eq!(plain.masked(WIDTH), ours, "{kind}");
    assert_eq!(plain.kind(), ours.kind(), "{kind}");
    assert_eq!(plain.segment(), ours.segment(), "{kind}");
    let padded = kind.starts_with("DATA_EOP_PART");
    assert!(padded || *plain == ours, "{kind}");
    assert_eq!(
        matches!(plain.kind(), Kind::User { .. }),
        kind.starts_with("DATA")
    );
}

#[test]
fn frames() {
    for (id_width, count) in [(6, 475), (8, 859)] {
        let rows = rifl::frames(id_width);
        assert_eq!(rows.len(), count);
        for row in rows {
            let plain = frame(&row.plain);
            check_kind(&row.kind, &plain);
            // Encode.
            let mut line = plain;
            let mut scrambler = Scrambler::with_state(row.state);
            scrambler.frame(&mut line);
            assert_eq!(scrambler.state(), state_behind(&row.line));
            code::seal(&mut line, row.id);
            assert_eq!(line, frame(&row.line), "{row:?}");
            // Decode.
            assert_eq!(code::syndrome(&line), row.id);
            let mut descrambler = Descrambler::with_state(row.state);
            descrambler.frame(&mut line);
            assert_eq!(descrambler.state(), state_behind(&row.line));
            line.set_code(0);
            assert_eq!(line, plain);
        }
    }
}

/// Packets that the aligner and the receiver make of a stream of words, how often the receiver
/// met an error, and the slip found.
fn packets_of(words: &[u64]) -> (Vec<Vec<u8>>, usize, u8) {
    let lane = LaneParams::new(WIDTH, IdWidth::MIN);
    let mut aligner = Aligner::new(WIDTH);
    let mut receiver = Receiver::new(lane);
    let mut reassembler = Reassembler::default();
    let mut packets = Vec::new();
    let (mut errors, mut error) = (0, false);
    for &word in words {
        let Some((frame, aligned)) = aligner.word(word) else {
            continue;
        };
        if let Some(segment) = receiver.frame(&frame, aligned).segment {
            packets.extend(reassembler.segment(&segment));
        }
        errors += usize::from(receiver.flags().error && !error);
        error = receiver.flags().error;
    }
    assert!(reassembler.open().is_empty(), "an unfinished packet");
    assert!(!receiver.flags().error && receiver.flags().up);
    (packets, errors, aligner.slip())
}

#[test]
fn session() {
    let [a, b] = rifl::session().ends;
    // What stands on the line needs no slip (63 takes words as they are), what is received is 11
    // bits late. The line flips a bit of `a`: what was sent, without the error, is of no use, as
    // the retransmission in it would be unasked for, and the published sender's oldest frame would
    // then pass for a new one.
    for (end, errors) in [(a, 1), (b, 0)] {
        assert_eq!(end.packets.len(), 20);
        for (words, slip) in [(&end.on_line, 63), (&end.received, 10)] {
            let (packets, met, found) = packets_of(words);
            assert_eq!((met, found), (errors, slip));
            assert!(packets == end.packets, "{} packets differ", packets.len());
        }
    }
}

/// Every frame of an end holds what it was decoded to, and our aligner finds the same ones.
fn decoded(end: &End) {
    assert_eq!(end.frames.len(), 2383);
    // Aligned frames with the cycle of their last word.
    let mut aligner = Aligner::new(WIDTH);
    let mut ours = (1..)
        .zip(&end.sent)
        .filter_map(|(cycle, &word)| Some((cycle, aligner.word(word)?)))
        .filter_map(|(cycle, (frame, aligned))| aligned.then_some((cycle, frame)))
        .peekable();
    let mut compared = 0;
    let mut descrambler = Descrambler::default();
    for (place, sent) in end.frames.iter().enumerate() {
        let (kind, id) = &sent.decoded;
        let line = frame(&sent.line);
        assert_eq!(code::syndrome(&line), *id);
        let mut open = line;
        descrambler.frame(&mut open);
        open.set_code(0);
        // What came before the first frame is not in the list, so its first 33 bits cannot be
        // known.
        if place > 0 {
            check_kind(kind, &open);
        }
        // The same out of the stream of words, once our aligner has locked.
        if let Some((_, frame)) = ours.next_if(|(last, _)| *last == sent.cycle + 3) {
            assert_eq!(frame, line);
            compared += 1;
        }
    }
    assert_eq!(ours.next(), None, "a frame too many");
    assert!(compared > 1500, "{compared}");
}

#[test]
fn decoded_session() {
    rifl::session().ends.iter().for_each(decoded);
}
