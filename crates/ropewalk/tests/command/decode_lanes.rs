// SPDX-License-Identifier: Apache-2.0
//! `ropewalk decode rifl`, `slink` and `rdma`: what is in recorded lanes and words, in each form in
//! which they are accepted.

use std::path::Path;

use ropewalk_io::recording::Text;
use ropewalk_testkit::golden::rifl::{End, session};
use ropewalk_wire::line::Lanes;
use ropewalk_wire::line::code::Encoder;
use ropewalk_wire::rdma::packed::{Joiner, Word};
use ropewalk_wire::rdma::{self, Sequence};
use ropewalk_wire::rifl::link::Direction;
use ropewalk_wire::rifl::{FrameWidth, IdWidth, LaneParams, ext};
use ropewalk_wire::slink::frame::{COM, IDL};
use ropewalk_wire::slink::{Greeting, Header, Kind, Matter, Message, Notice, Packet, Request};
use serde_json::Value;

use crate::common::{Run, run_in};

/// Runs `decode` on these files.
fn decode(protocol: &str, files: &[(&str, &[u8])], more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let mut args = vec!["decode", protocol];
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        args.push(name);
    }
    args.extend(more);
    run_in(folder.path(), &args)
}

fn json(protocol: &str, files: &[(&str, &[u8])], more: &[&str]) -> (Option<i32>, Value) {
    let run = decode(protocol, files, &[more, &["--json"]].concat());
    let value = serde_json::from_str(&run.stdout);
    (run.status, value.unwrap_or_else(|_| panic!("{run:?}")))
}

fn refused(run: &Run, parts: &[&str]) {
    assert_eq!((run.status, run.stdout.as_str()), (Some(3), ""), "{run:?}");
    assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
    for part in parts {
        assert!(run.stderr.contains(part), "{run:?} lacks '{part}'");
    }
}

/// Text of words of `bits` bits of one lane, out of words of 64.
fn text(words: &[u64], bits: u32) -> Vec<u8> {
    let mut text = Text::new("a lane");
    for word in words {
        for part in 0..64 / bits {
            let mask = u64::MAX >> (64 - bits);
            text.cycle([word >> (part * bits) & mask], bits);
        }
    }
    text.as_bytes().to_vec()
}

fn column<'a>(decoded: &'a Value, name: &str) -> Vec<&'a Value> {
    let rows = decoded["frames"].as_array().expect("frames");
    rows.iter().map(|row| &row[name]).collect()
}

/// The packets that the rows of a lane hold, but for replays.
fn packets(decoded: &Value) -> Vec<String> {
    let (mut packets, mut open) = (Vec::new(), String::new());
    for row in decoded["frames"].as_array().expect("frames") {
        if let (Some(payload), Some(false)) = (row["payload"].as_str(), row["replayed"].as_bool()) {
            open += payload;
            if row["end"] == true {
                packets.push(std::mem::take(&mut open));
            }
        }
    }
    assert_eq!(open, "", "an unfinished packet");
    packets
}

fn digits(packets: &[Vec<u8>]) -> Vec<String> {
    let hex = |packet: &Vec<u8>| packet.iter().map(|byte| format!("{byte:02x}")).collect();
    packets.iter().map(hex).collect()
}

/// The lane that the published core was recorded on, from the end of its reset on.
fn lane(end: &End) -> &[u64] {
    &end.received[200..]
}

#[test]
fn rifl_of_the_published_core() {
    let [a, b] = session().ends;
    let (status, decoded) = json("rifl", &[("b", &text(lane(&b), 64))], &[]);
    assert_eq!((status, &decoded["ok"]), (Some(0), &Value::Bool(true)));
    assert_eq!(packets(&decoded), digits(&b.packets));
    let (lanes, bits) = (&decoded["lanes"][0], &decoded["frame_width"]);
    assert_eq!((&lanes["id_width"], bits), (&6.into(), &256.into()));
    // It has met the error of the other direction, and asked.
    assert_eq!(
        (&lanes["requests"], &lanes["damaged"]),
        (&1.into(), &0.into())
    );
    assert!(lanes["retransmit_requests"].as_u64() > Some(8));
    assert_eq!(lanes["packets"], 20);

    // The bit error, and the replay that follows.
    let (status, decoded) = json("rifl", &[("a", &text(lane(&a), 64))], &["--compatible"]);
    assert_eq!((status, &decoded["ok"]), (Some(1), &Value::Bool(false)));
    let lanes = &decoded["lanes"][0];
    assert_eq!(
        (&lanes["damaged"], &lanes["replays"]),
        (&1.into(), &1.into())
    );
    let bad = column(&decoded, "good")
        .iter()
        .filter(|good| **good == &Value::Bool(false))
        .count();
    assert_eq!(bad, 1);

    let run = decode("rifl", &[("a", &text(lane(&a), 64))], &[]);
    for part in ["1 frame damaged", "replayed", "idle", "   x "] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
}

/// Words of any width, bytes, columns, files: the same frames.
#[test]
fn rifl_in_every_form() {
    let [a, b] = session().ends;
    let (_, whole) = json("rifl", &[("lane", &text(lane(&b), 64))], &[]);
    let kinds = column(&whole, "kind");
    for bits in [4, 8, 16, 32] {
        let (status, decoded) = json("rifl", &[("lane", &text(lane(&b), bits))], &[]);
        assert_eq!(status, Some(0));
        assert_eq!(column(&decoded, "kind"), kinds);
        let place = |value: &Value, bits: u64| {
            let row = &value["frames"][7];
            bits * (row["word"].as_u64().unwrap() - 1) + row["bit"].as_u64().unwrap()
        };
        assert_eq!(place(&decoded, bits.into()), place(&whole, 64));
    }
    let bytes: Vec<u8> = lane(&b)
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let (_, decoded) = json("rifl", &[("lane", &bytes)], &["--binary"]);
    assert_eq!(column(&decoded, "kind"), kinds);

    // Two lanes, in columns and in files.
    let mut both = Text::new("two lanes");
    for (a, b) in lane(&a).iter().zip(lane(&b)) {
        both.cycle([*a, *b], 64);
    }
    let (_, columns) = json("rifl", &[("lanes", both.as_bytes())], &[]);
    let files = [("a", text(lane(&a), 64)), ("b", text(lane(&b), 64))];
    let files = files.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    let (_, files) = json("rifl", &files, &[]);
    assert_eq!(columns["frames"], files["frames"]);
    assert_eq!(columns["lanes"][1], files["lanes"][1]);
    let of_b = columns["frames"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["lane"] == 1);
    assert_eq!(of_b.count(), kinds.len());

    // Whole frames, the sync bits on top.
    let frames: String = b
        .frames
        .iter()
        .map(|sent| {
            let digits: String = sent
                .line
                .iter()
                .map(|word| format!("{word:016x}"))
                .collect();
            digits + "\n"
        })
        .collect();
    let (status, decoded) = json("rifl", &[("frames", frames.as_bytes())], &[]);
    assert_eq!(status, Some(0), "{}", decoded["lanes"]);
    assert_eq!(packets(&decoded), digits(&b.packets));
    assert_eq!(decoded["lanes"][0]["frames"], b.frames.len());
}

/// Frames of 1024 bits, with and without the stronger code, as the model of an end sends them.
#[test]
fn rifl_of_wide_frames() {
    let plain = FrameWidth::new(1024).unwrap();
    for frame in [plain, plain.with_strong_code().unwrap()] {
        let lane = LaneParams::new(frame, IdWidth::MIN);
        let end = ext::EndParams::new(lane, 1).unwrap();
        let mut link = ext::link::Link::new(ext::link::LinkConfig::saturated(end, 8, 1));
        let (mut words, mut payload) = (Vec::new(), Vec::new());
        link.run(1200, |direction, _, tick, frame| {
            if direction == Direction::AToB {
                words.extend_from_slice(frame.words());
                let segment = tick.plain.segment().filter(|_| tick.plain.is_data());
                payload.extend(segment.map(|it| it.bytes().to_vec()));
            }
        });
        let files = [("lane", &text(&words, 64)[..])];
        let (status, decoded) = json("rifl", &files, &["--frame-width", "1024"]);
        let lane = &decoded["lanes"][0];
        assert_eq!(status, Some(0), "{lane}");
        assert_eq!(lane["strong_code"], frame.strong_code());
        let seen = column(&decoded, "payload");
        let seen: Vec<_> = seen.iter().filter_map(|it| it.as_str()).collect();
        assert!(payload.len() > 100, "{}", payload.len());
        assert_eq!(seen, digits(&payload));
        let run = decode("rifl", &files, &["--frame-width", "1024"]);
        let says = run.stdout.contains("id width 6, stronger code");
        assert_eq!(says, frame.strong_code(), "{}", run.stdout);
    }
}

#[test]
fn rifl_bad_input() {
    let [_, b] = session().ends;
    let good = text(lane(&b), 64);
    let missing = run_in(Path::new("."), &["decode", "rifl", "not/there"]);
    refused(&missing, &["cannot read not/there: no such file"]);
    for (bytes, part) in [
        (
            &b""[..],
            "lane: has no words; accepted: a word of hexadecimal digits",
        ),
        (b"12\n1x\n", "lane: line 2: '1x' is no word"),
        (
            b"0011\n011\n",
            "line 2: '011' has 3 digits, the words before have 4",
        ),
        (b"00 11\n01\n", "line 2: 1 words, the lines before have 2"),
        (
            b"00\n11\n",
            "no frames of 256 bits in 2 words; accepted: 35 or more",
        ),
        (
            b"001122334455667788\n",
            "words of 72 bits; accepted: words of the line of 4 to 64",
        ),
    ] {
        refused(&decode("rifl", &[("lane", bytes)], &[]), &[part]);
    }
    let wrong = decode("rifl", &[("lane", &good)], &["--frame-width", "512"]);
    refused(
        &wrong,
        &[
            "no frames of 512 bits",
            "with --frame-width 256 there are some",
        ],
    );
    let wrong = decode("rifl", &[("lane", &good)], &["--frame-width", "1536"]);
    refused(&wrong, &["'1536'", "accepted: 128, 256, 512, 1024 or 2048"]);
    let wrong = decode("rifl", &[("lane", &good)], &["--id-width", "5"]);
    refused(&wrong, &["'5'", "accepted: 6 to 12"]);
    // One lane of two is dead: the lane that is alive is shown.
    let dead = text(&vec![0; lane(&b).len()], 64);
    let (status, decoded) = json("rifl", &[("dead", &dead), ("good", &good)], &[]);
    assert_eq!(status, Some(1));
    assert_eq!(decoded["lanes"][0]["frames"], 0);
    assert_eq!(packets(&decoded), digits(&b.packets));
}

/// Lanes of an SLink as text of words of 20 bits: greetings, a write, its acknowledgement, a read.
fn slink() -> (Vec<u8>, Vec<u8>) {
    let packet = |request, kind, words: u32, lanes| {
        let header = Header {
            request,
            kind,
            crc: true,
            lanes,
            words,
            sequence: 5,
        };
        let bytes = if header.has_data() { 8 * words } else { 0 };
        let data = (0..bytes).map(|byte| byte as u8).collect();
        Packet { header, data }
    };
    let hello = |greeting| Notice::Hello {
        own: 0x26,
        echo: 0x2c,
        greeting,
    };
    let ask = Notice::Change {
        own: 0x26,
        echo: 0x2c,
        message: Message::Ask,
        matter: Matter {
            number: 3,
            line: 0b10_0110,
        },
    };
    let x2 = Lanes::X2;
    let sent = [
        packet(
            Request::Write,
            Kind::Notice(hello(Greeting::Heard)),
            1,
            Lanes::X1,
        ),
        packet(
            Request::Write,
            Kind::Notice(hello(Greeting::Up)),
            1,
            Lanes::X1,
        ),
        packet(Request::Write, Kind::Request { address: 0x67c8 }, 32, x2),
        packet(Request::Write, Kind::Done, 32, x2),
        packet(Request::Read, Kind::Request { address: 0x1000 }, 4, x2),
        packet(Request::Read, Kind::Data { address: 0x1000 }, 4, x2),
        packet(Request::Write, Kind::Notice(Notice::Damaged), 4, x2),
        packet(Request::Write, Kind::Notice(ask), 1, Lanes::X1),
        packet(Request::Write, Kind::Notice(ask), 1, Lanes::X1),
    ];
    let mut words = Vec::new();
    for packet in sent {
        words.extend([[[COM, IDL]; 4], [[IDL, IDL]; 4]]);
        words.extend(packet.words());
    }
    words.extend([[[COM, IDL]; 4]; 2]);
    let mut encoders = [Encoder::default(); 2];
    let (mut cycles, mut symbols) = (Text::new("cycles"), Text::new("symbols"));
    for word in &words {
        let [a, b] = [0, 1].map(|lane| word[lane].map(|it| u64::from(encoders[lane].encode(it))));
        cycles.cycle([a, b].map(|symbols| symbols[0] | symbols[1] << 10), 20);
        for symbol in 0..2 {
            symbols.cycle([a[symbol], b[symbol]], 10);
        }
    }
    (cycles.as_bytes().to_vec(), symbols.as_bytes().to_vec())
}

#[test]
fn slink_lanes() {
    let (cycles, symbols) = slink();
    let (status, decoded) = json("slink", &[("lanes", &cycles)], &[]);
    assert_eq!(
        (status, &decoded["ok"]),
        (Some(0), &Value::Bool(true)),
        "{decoded}"
    );
    let kinds = [
        "hello",
        "hello",
        "write request",
        "done",
        "read request",
        "read data",
        "notice: damaged",
        "change: ask",
        "change: ask",
    ];
    assert_eq!(column(&decoded, "kind"), kinds);
    let counts = [
        "packets",
        "write_requests",
        "read_requests",
        "read_data",
        "done",
        "notices",
    ];
    let counts = counts.map(|name| decoded[name].as_u64().unwrap());
    assert_eq!(counts, [9, 1, 1, 1, 1, 5]);
    let write = &decoded["frames"][2];
    assert_eq!(
        (&write["address"], &write["bytes"]),
        (&0x67c8.into(), &256.into())
    );
    assert_eq!(
        (&write["sequence"], &write["lanes"]),
        (&5.into(), &2.into())
    );
    assert_eq!(write["data"].as_str().unwrap().len(), 512);
    assert_eq!(decoded["frames"][1]["session"]["echo"], 0x2c);
    let change = &decoded["frames"][7]["change"];
    assert_eq!(change["number"], 3);
    assert_eq!(change["mode"], "2 x 5 Gb/s, 64b/66b");
    // In symbols of ten bits, the same but for the places.
    let (status, other) = json("slink", &[("lanes", &symbols)], &[]);
    assert_eq!(status, Some(0));
    assert_eq!(column(&other, "data"), column(&decoded, "data"));
    let run = decode("slink", &[("lanes", &cycles)], &[]);
    for part in [
        "session 026 to 02c, up",
        "000067c8",
        "9 packets on 2 lanes",
        "question 3: 2 x 5 Gb/s, 64b/66b",
        "nothing wrong",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }

    // A digit of the data of the write.
    let mut wrong = cycles.clone();
    let line = wrong
        .split(|byte| *byte == b'\n')
        .take(40)
        .map(|line| line.len() + 1)
        .sum::<usize>();
    wrong[line + 2] = if wrong[line + 2] == b'3' { b'c' } else { b'3' };
    let (status, decoded) = json("slink", &[("lanes", &wrong)], &[]);
    assert_eq!(
        (status, &decoded["damaged"]),
        (Some(1), &1.into()),
        "{decoded}"
    );
    assert_eq!(decoded["frames"][2]["good"], false);
    assert!(decoded["frames"][2]["problem"].is_string());

    for (bytes, part) in [
        (&b"00 00 00\n"[..], "3 lanes; accepted: 1, 2 or 4 lanes"),
        (b"00000\n", "lane 0 has no comma (K28.5) in 1 word"),
        (
            b"3ff\n400\n",
            "line 2: 0x400 does not fit 10 bits; accepted: 0 to 0x3ff",
        ),
        (b"3fg\n", "line 1: '3fg' is no word"),
    ] {
        refused(&decode("slink", &[("lanes", bytes)], &[]), &[part]);
    }
}

fn words_of(packets: &[rdma::Packet], packed: bool) -> Vec<Word> {
    if !packed {
        return packets
            .iter()
            .flat_map(|it| rdma::words::encode(it).unwrap())
            .collect();
    }
    let mut joiner = Joiner::default();
    for packet in packets {
        joiner.push(&rdma::packed::encode(packet).unwrap());
    }
    std::iter::from_fn(|| joiner.pop())
        .map(|word| word.0)
        .collect()
}

#[test]
fn rdma_words() {
    let packet = |kind, length: usize, tries| rdma::Packet {
        header: rdma::Header {
            address: 0x0007_0000_1234_5678,
            kind,
            tid: 100,
            sequence: Sequence::new(9),
            epoch: 2,
            source: 3,
            domain: 5,
        },
        payload: (0..length).map(|byte| byte as u8).collect(),
        footer: rdma::Footer {
            tries,
            transfer: 65,
            ..rdma::Footer::default()
        },
    };
    let sent = [
        packet(rdma::Kind::Data, 300, 0),
        packet(rdma::Kind::Data, 1024, 1),
        packet(rdma::Kind::Ack, 0, 0),
    ];
    for packed in [false, true] {
        let words = words_of(&sent, packed);
        let numbers: String = words
            .iter()
            .map(|word| {
                word.iter()
                    .rev()
                    .map(|byte| format!("{byte:02x}"))
                    .collect::<String>()
                    + "\n"
            })
            .collect();
        let (status, decoded) = json("rdma", &[("words", numbers.as_bytes())], &[]);
        assert_eq!(
            (status, &decoded["ok"]),
            (Some(0), &Value::Bool(true)),
            "{decoded}"
        );
        assert_eq!(column(&decoded, "kind"), ["data", "data", "ACK"]);
        let framing = if packed { "packed" } else { "words" };
        assert_eq!(column(&decoded, "framing"), [framing; 3]);
        let first = &decoded["frames"][0]["packet"];
        assert_eq!(
            (&first["source"], &first["destination"]),
            (&3.into(), &7.into())
        );
        assert_eq!(first["address"], 0x1234_5678);
        assert_eq!(first["payload"].as_str().unwrap().len(), 600);
        assert_eq!(
            (&decoded["retries"], &decoded["payload_bytes"]),
            (&1.into(), &1324.into())
        );
        let bytes = words.concat();
        let (_, binary) = json("rdma", &[("words", &bytes)], &["--binary"]);
        assert_eq!(binary["frames"], decoded["frames"]);
        let run = decode("rdma", &[("words", numbers.as_bytes())], &[]);
        for part in [
            "3 packets in",
            "every packet is good",
            "000012345678",
            "sent 1 times before",
        ] {
            assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
        }
        let mut wrong = bytes;
        wrong[100] ^= 1;
        let (status, decoded) = json("rdma", &[("words", &wrong)], &["--binary"]);
        assert_eq!((status, &decoded["damaged"]), (Some(1), &1.into()));
        let problem = decoded["frames"][0]["problem"].as_str().unwrap();
        assert!(problem.contains("CRC"), "{problem}");
        assert_eq!(decoded["packets"], 2);
    }
    let run = decode("rdma", &[("words", b"0123456789abcdef\n")], &[]);
    refused(
        &run,
        &["words: words of 64 bits; accepted: words of 512 bits"],
    );
}
