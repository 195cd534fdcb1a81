// SPDX-License-Identifier: Apache-2.0
//! Vectors taken from the published core, if they are there: `../shared/vectors/rifl` beside the
//! repository. Every frame must encode and decode bit for bit, and the recorded session must give exactly
//! its packets through the aligner and the receiver. Padding, which that core fills with
//! stale user bytes, is masked where two senders are compared.

use ropewalk_wire::rifl::aligner::Aligner;
use ropewalk_wire::rifl::code;
use ropewalk_wire::rifl::frame::{Control, Frame, Kind};
use ropewalk_wire::rifl::scrambler::{Descrambler, Scrambler};
use ropewalk_wire::rifl::segment::Reassembler;
use ropewalk_wire::rifl::{FrameWidth, IdWidth, LaneParams, Receiver, Segment};
use std::path::Path;

const WIDTH: FrameWidth = FrameWidth::W256;

/// Rows of a vector file as lists of columns, or `None` (with a line that says why) without it.
fn rows(name: &str) -> Option<Vec<Vec<String>>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/vectors/rifl")
        .join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(
            text.lines()
                .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
                .map(|line| line.split_whitespace().map(str::to_owned).collect())
                .collect(),
        ),
        Err(error) => {
            println!("skipped: ../shared/vectors/rifl/{name}: {error}");
            None
        }
    }
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).expect("a hexadecimal number")
}

/// A frame from 64 hexadecimal digits.
fn frame(text: &str) -> Frame {
    assert_eq!(text.len(), 64);
    let words: Vec<u64> = (0..4).map(|i| hex(&text[16 * i..16 * (i + 1)])).collect();
    Frame::from_words(&words).expect("four words")
}

/// An unscrambled frame from its sync bits and its 242-bit body.
fn from_body(sync: u64, body: &str) -> Frame {
    // 61 digits hold 244 bits, two zeros first. Body bit 241 stands behind the two sync bits.
    assert_eq!(body.len(), 61);
    let mut plain = frame(&format!("{body}000"));
    let words = plain.words_mut();
    assert_eq!(words[0] >> 62, 0);
    words[0] |= sync << 62;
    plain
}

/// The frame that our encoder makes for a row's kind; user bytes are taken from the row's body.
fn encode(kind: &str, plain: &Frame) -> Frame {
    let bytes = |count: usize| -> Vec<u8> {
        // Independent of Frame::segment: straight from the digits behind sync and meta code.
        let digits = format!("{plain:x}");
        (0..count)
            .map(|i| hex(&digits[1 + 2 * i..3 + 2 * i]) as u8)
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

/// Checks the unscrambled side of a row: our encoder agrees but for the padding, our decoder names the same
/// kind and the same bytes.
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
    for (name, count) in [("frames_fw256_id6.txt", 475), ("frames_fw256_id8.txt", 859)] {
        let Some(rows) = rows(name) else { return };
        assert_eq!(rows.len(), count);
        for row in rows {
            let [
                _,
                _,
                kind,
                id,
                sync,
                meta,
                format,
                body,
                state,
                unscrambled,
                wire,
                vcode,
            ] = &row[..]
            else {
                panic!("{name}: {row:?}")
            };
            let plain = from_body(hex(sync), body);
            assert_eq!(plain, frame(unscrambled), "{row:?}");
            check_kind(kind, &plain);
            if plain.is_data() {
                assert_eq!(u64::from(plain.meta()), hex(meta));
                assert!(format == "-" || u64::from(plain.last_byte()) == hex(format));
            }
            // Encode.
            let mut line = plain;
            Scrambler::with_state(hex(state)).frame(&mut line);
            code::seal(&mut line, hex(id) as u16);
            assert_eq!(line, frame(wire), "{row:?}");
            assert_eq!(u64::from(line.code()), hex(vcode));
            // Decode.
            assert_eq!(u64::from(code::syndrome(&line)), hex(id));
            Descrambler::with_state(hex(state)).frame(&mut line);
            line.set_code(0);
            assert_eq!(line, plain);
        }
        println!("{name}: {count} rows equal");
    }
}

#[test]
fn scrambler() {
    let Some(rows) = rows("scrambler_fw256.txt") else {
        return;
    };
    assert_eq!(rows.len(), 64);
    for row in rows {
        let [_, state, input, output, after] = &row[..] else {
            panic!("{row:?}")
        };
        let mut line = from_body(1, input);
        let mut scrambler = Scrambler::with_state(hex(state));
        scrambler.frame(&mut line);
        assert_eq!(line, from_body(1, output), "{row:?}");
        assert_eq!(scrambler.state(), hex(after));
        let mut descrambler = Descrambler::with_state(hex(state));
        descrambler.frame(&mut line);
        assert_eq!(line, from_body(1, input));
        assert_eq!(descrambler.state(), hex(after));
    }
}

/// Packets that the aligner and the receiver make of a stream of words, how often the receiver
/// met an error, and the slip found.
fn packets_of(words: impl Iterator<Item = u64>) -> (Vec<Vec<u8>>, usize, u8) {
    let lane = LaneParams::new(WIDTH, IdWidth::MIN).expect("a legal lane");
    let mut aligner = Aligner::new(WIDTH);
    let mut receiver = Receiver::new(lane);
    let mut reassembler = Reassembler::default();
    let mut packets = Vec::new();
    let (mut errors, mut error) = (0, false);
    for word in words {
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
    let (Some(wire), Some(packets)) = (
        rows("session_fw256_wire.txt"),
        rows("session_fw256_packets.txt"),
    ) else {
        return;
    };
    let expected = |direction: &str| -> Vec<Vec<u8>> {
        packets
            .iter()
            .filter(|row| row[0] == direction)
            .map(|row| {
                let digits = row.get(3).map_or("", String::as_str);
                let bytes: Vec<u8> = (0..digits.len() / 2)
                    .map(|i| hex(&digits[2 * i..2 * i + 2]) as u8)
                    .collect();
                assert_eq!(bytes.len().to_string(), row[2]);
                bytes
            })
            .collect()
    };
    // Column, direction, slip that the aligner must find, errors that the receiver must meet. The sent
    // streams need no slip (63 takes words as they are), the received ones are 11 bits late. The bit that
    // the line flipped towards B is flipped in what A sent, too: without the error the retransmission in
    // it would be unasked for, and the published sender's oldest frame would then pass for a new one.
    for (column, direction, slip, errors) in [
        (1, "A", 63, 1),
        (2, "B", 63, 0),
        (3, "A", 10, 1),
        (4, "B", 10, 0),
    ] {
        let words = wire.iter().map(|row| {
            let flipped = column == 1 && row[0] == "8083";
            hex(&row[column]) ^ u64::from(flipped) << 20
        });
        let (packets, met, found) = packets_of(words);
        assert_eq!((met, found), (errors, slip), "column {column}");
        let expected = expected(direction);
        assert_eq!(expected.len(), 20);
        assert!(
            packets == expected,
            "column {column}: {} packets differ",
            packets.len()
        );
    }
    println!("session: 20 packets each way, sent and received streams, equal");
}

fn decimal(text: &str) -> u64 {
    text.parse().expect("a decimal number")
}

#[test]
fn decoded_session() {
    let Some(wire) = rows("session_fw256_wire.txt") else {
        return;
    };
    for (column, name) in [
        (1, "session_fw256_decoded_a.txt"),
        (2, "session_fw256_decoded_b.txt"),
    ] {
        let Some(rows) = rows(name) else { return };
        assert_eq!(rows.len(), 2383);
        // Aligned frames with the cycle of their last word.
        let mut aligner = Aligner::new(WIDTH);
        let mut ours = wire
            .iter()
            .filter_map(|row| Some((decimal(&row[0]), aligner.word(hex(&row[column]))?)))
            .filter_map(|(cycle, (frame, aligned))| aligned.then_some((cycle, frame)))
            .peekable();
        let mut compared = 0;
        let mut descrambler = Descrambler::default();
        for row in rows {
            let [cycle, text, sync, id, kind, body] = &row[..] else {
                panic!("{row:?}")
            };
            let line = frame(text);
            let plain = from_body(hex(sync), body);
            check_kind(kind, &plain);
            assert_eq!(u64::from(code::syndrome(&line)), hex(id));
            let mut open = line;
            descrambler.frame(&mut open);
            open.set_code(0);
            // What came before the first row is not recorded, so its first 33 bits cannot be known.
            if cycle != "261" {
                assert_eq!(open, plain, "{row:?}");
            }
            // The same out of the stream of words, once our aligner has locked.
            let first = decimal(cycle);
            if let Some((_, frame)) = ours.next_if(|(last, _)| *last == first + 3) {
                assert_eq!(frame, line);
                compared += 1;
            }
        }
        assert_eq!(ours.next(), None, "{name}: a frame too many");
        assert!(compared > 1500, "{name}: {compared}");
        println!("{name}: 2383 rows equal, {compared} of them out of the word stream");
    }
}
