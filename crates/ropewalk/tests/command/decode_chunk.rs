// SPDX-License-Identifier: Apache-2.0
//! `ropewalk decode chunk`: sessions, lanes and sub-packets of a capture, and what is wrong.

use ropewalk_wire::chunk::frame::{FrameHeader, Kind};
use ropewalk_wire::chunk::handshake::Refusal;
use ropewalk_wire::chunk::handshake::message::Message;
use ropewalk_wire::chunk::report::{Heard, Summary, Writer};
use ropewalk_wire::chunk::seal::SessionKey;
use ropewalk_wire::chunk::session::LaneWriter;
use ropewalk_wire::chunk::subpacket::{ParityHeader, SubHeader};
use ropewalk_wire::chunk::{Fec, FrameSeq, Params, Session, Tag};
use serde_json::Value;

use crate::common::{Run, run_in};
use crate::decode_htsp::pcap;

const SESSION: u64 = 0x1122_3344_5566_7788;
const PAYLOAD: u16 = 256;
const PER_FRAME: u16 = 4;

/// A datagram in an Ethernet frame, over IPv4; `back`: from the receiver to the sender.
fn packet(payload: &[u8], back: bool) -> Vec<u8> {
    let (mut hosts, mut ports) = ([[10, 0, 0, 1], [10, 0, 0, 2]], [50_000_u16, 7425]);
    if back {
        hosts.reverse();
        ports.reverse();
    }
    let length = payload.len() as u16;
    let mut bytes = vec![2; 12];
    bytes.extend([8, 0, 0x45, 0]);
    bytes.extend((length + 28).to_be_bytes());
    bytes.extend([0, 0, 0x40, 0, 64, 17, 0, 0]);
    bytes.extend(hosts.concat());
    for word in [ports[0], ports[1], length + 8, 0] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(payload);
    bytes
}

/// The same over IPv6, with the tag of a VLAN.
fn packet_v6(payload: &[u8]) -> Vec<u8> {
    let length = payload.len() as u16 + 8;
    let mut bytes = vec![2; 12];
    bytes.extend([0x81, 0, 0, 5, 0x86, 0xdd, 0x60, 0, 0, 0]);
    bytes.extend(length.to_be_bytes());
    bytes.extend([17, 64]);
    bytes.extend([1; 16]);
    bytes.extend([2; 16]);
    for word in [50_000, 7425, length, 0] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(payload);
    bytes
}

fn params(fec: Fec, sealed: bool) -> Params {
    Params {
        payload: PAYLOAD,
        per_frame: PER_FRAME as u8,
        per_chunk: 104,
        lanes: 2,
        fec,
        sealed,
        ..Params::PAPER
    }
}

fn header(kind: Kind, lane: u8, seq: u32, count: u16, params: &Params) -> FrameHeader {
    let bytes = 24 + usize::from(count) * params.stride();
    FrameHeader {
        kind,
        lane,
        count: count as u8,
        seq: FrameSeq::new(seq),
        session: SESSION,
        length: bytes as u16,
        time: 0,
    }
}

/// A frame of full sub-packets from `first` on, sent before `round` times.
fn data(writer: &mut LaneWriter, header: &FrameHeader, first: u16, round: u16) -> Vec<u8> {
    let mut bytes = Vec::new();
    assert!(writer.frame(header, &mut bytes));
    for number in first..first + u16::from(header.count) {
        let sub = SubHeader {
            chunk: 3,
            number,
            length: PAYLOAD,
            last: false,
            round,
        };
        writer.sub_packet(&sub, &[number as u8; PAYLOAD as usize], &mut bytes);
    }
    assert_eq!(bytes.len(), usize::from(header.length));
    bytes
}

fn sender(session: Session, params: &Params) -> Vec<LaneWriter> {
    let lanes = session.sender(params).unwrap();
    lanes.into_iter().map(|(writer, _)| writer).collect()
}

fn checked() -> Session {
    Session::checked(Tag {
        session: SESSION,
        secret: 77,
    })
}

fn sealed() -> Session {
    Session::sealed(SESSION, SessionKey::new(&[1; 32], b"decode"))
}

fn decode(file: &[u8], more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("capture"), file).unwrap();
    run_in(
        folder.path(),
        &[&["decode", "chunk", "capture"], more].concat(),
    )
}

fn json(packets: &[Vec<u8>], more: &[&str]) -> (Option<i32>, Value) {
    let run = decode(&pcap(packets, 65_535), &[&["--json"], more].concat());
    let found = serde_json::from_str(&run.stdout);
    (run.status, found.expect("one JSON object"))
}

fn numbers<const N: usize>(found: &Value, names: [&str; N]) -> [u64; N] {
    names.map(|name| {
        found[name]
            .as_u64()
            .unwrap_or_else(|| panic!("{name}: {found}"))
    })
}

/// A stream of two lanes in the clear, to its farewell, with a report.
fn stream(params: &Params) -> Vec<Vec<u8>> {
    let mut lanes = sender(checked(), params);
    let mut packets = Vec::new();
    for seq in 0..6 {
        for lane in 0..2 {
            let header = header(Kind::Data, lane, seq, PER_FRAME, params);
            let first = PER_FRAME * (2 * seq as u16 + u16::from(lane));
            let bytes = data(&mut lanes[usize::from(lane)], &header, first, 0);
            packets.push(packet(&bytes, false));
        }
    }
    let mut body = Vec::new();
    let heard = [Heard::default(); 2].into_iter();
    let mut writer = Writer::new(&mut body, 400, heard);
    assert!(writer.section(3, 8, 1, |_| 0));
    writer.finish(Summary {
        serial: 1,
        base: 3,
        credit: 9,
        duplicates: 2,
        ..Summary::default()
    });
    let mut receiver = checked().receiver(params).unwrap();
    let mut report = Vec::new();
    let head = header(Kind::Report, 0, 0, 0, params);
    assert!(receiver[0].0.control(&head, &body, &mut report));
    packets.push(packet(&report, true));
    for (kind, seq, body) in [(Kind::Fin, 6, &[0, 0, 0, 4][..]), (Kind::Bye, 7, &[])] {
        let mut bytes = Vec::new();
        let head = header(kind, 0, seq, 0, params);
        assert!(lanes[0].control(&head, body, &mut bytes));
        packets.push(packet(&bytes, false));
    }
    packets
}

#[test]
fn a_good_capture() {
    let packets = stream(&params(Fec::None, false));
    let (status, found) = json(&packets, &[]);
    assert_eq!((status, &found["ok"]), (Some(0), &true.into()), "{found}");
    let counts = [
        "packets",
        "datagrams",
        "frames",
        "bad",
        "missing",
        "late",
        "again",
        "partial",
    ];
    assert_eq!(numbers(&found, counts), [15, 15, 15, 0, 0, 0, 0, 0]);
    assert_eq!(found["list"], Value::Array(vec![]));
    let session = &found["sessions"][0];
    assert_eq!(session["session"], "1122334455667788");
    let form = serde_json::json!({"sealed": false, "mends": 0, "payload": PAYLOAD});
    assert_eq!(session["form"], form);
    assert_eq!(session["chunks"], serde_json::json!([3, 3]));
    assert_eq!(numbers(session, ["complete", "stream"]), [3, 4]);
    assert_eq!(session["farewell"], true);
    let flows = session["flows"].as_array().unwrap();
    let of_lane = [
        "lane",
        "frames",
        "sub_packets",
        "resent",
        "payload",
        "reports",
    ];
    let all: Vec<[u64; 6]> = flows.iter().map(|flow| numbers(flow, of_lane)).collect();
    assert_eq!(
        all,
        [
            [0, 8, 24, 0, 6144, 0],
            [1, 6, 24, 0, 6144, 0],
            [0, 1, 0, 0, 0, 1]
        ]
    );
    assert_eq!(flows[2]["from"], "10.0.0.2:7425");

    let run = decode(&pcap(&packets, 65_535), &["--frames"]);
    for part in [
        "session 1122334455667788: checked, 256 bytes a sub-packet, chunks 3 to 3, complete before 3, 4 in all, ended",
        "chunk 3: 4-7",
        "complete before chunk 3, room before 9, 1 in part, 2 sub-packets came again",
        "15 frames in 15 datagrams of 15 packets: nothing wrong",
    ] {
        assert!(run.stdout.contains(part), "{run:?} lacks '{part}'");
    }
}

#[test]
fn what_is_wrong_is_told() {
    let params = params(Fec::None, false);
    let mut packets = stream(&params);
    // Of lane 1 one comes late, one twice; of lane 0 one is missing, and one has no right header.
    packets.swap(3, 5);
    packets.insert(7, packets[1].clone());
    packets.remove(9);
    packets[10][42 + 3] ^= 1;
    // Other datagrams are nobody's.
    let mut foreign = packet(&[1; 60], false);
    foreign[26] = 11;
    packets.push(foreign);
    let (status, found) = json(&packets, &["--frames"]);
    assert_eq!((status, &found["ok"]), (Some(1), &false.into()), "{found}");
    let counts = ["datagrams", "frames", "bad", "missing", "late", "again"];
    assert_eq!(numbers(&found, counts), [16, 14, 1, 2, 1, 1], "{found}");
    let says: Vec<&str> = found["list"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["says"].as_str().unwrap())
        .collect();
    assert!(
        says.contains(&"chunk 3: 20-23; 1 missing in front"),
        "{says:?}"
    );
    assert!(says.contains(&"chunk 3: 12-15; late"), "{says:?}");
    assert!(says.contains(&"chunk 3: 4-7; again"), "{says:?}");
    let run = decode(&pcap(&packets, 65_535), &[]);
    assert!(
        run.stdout.contains("1 bad, 2 missing, 1 late, 1 again"),
        "{run:?}"
    );
}

/// What is sealed shows where it belongs; parity within sub-packets and over them is known by its
/// length.
#[test]
fn forms() {
    let cases = [
        (Fec::None, true, 0),
        (Fec::Mend(8), false, 8),
        (Fec::Mend(3), true, 3),
    ];
    for (fec, is_sealed, mends) in cases {
        let params = params(fec, is_sealed);
        let session = if is_sealed { sealed() } else { checked() };
        let mut lanes = sender(session, &params);
        let mut packets = Vec::new();
        for seq in 0..3 {
            let header = header(Kind::Ask, 0, seq, PER_FRAME, &params);
            packets.push(packet(&data(&mut lanes[0], &header, 8, seq as u16), false));
        }
        // Its body cannot be read.
        let mut bytes = Vec::new();
        let head = header(Kind::Fin, 0, 3, 0, &params);
        assert!(lanes[0].control(&head, &[0, 0, 0, 9], &mut bytes));
        packets.push(packet(&bytes, false));
        let (status, found) = json(&packets, &[]);
        assert_eq!(status, Some(0), "{found}");
        let session = &found["sessions"][0];
        let form = serde_json::json!({"sealed": is_sealed, "mends": mends, "payload": PAYLOAD});
        assert_eq!(session["form"], form);
        let stream = if is_sealed { Value::Null } else { 9.into() };
        assert_eq!(session["stream"], stream);
        let flow = &session["flows"][0];
        assert_eq!(numbers(flow, ["asks", "sub_packets", "resent"]), [3, 12, 8]);
    }
}

/// Sub-packets that are not full come first, the end of a chunk in one frame with the next chunk,
/// too; then a full one; then parity.
#[test]
fn parity_over_sub_packets() {
    let params = params(Fec::Restore(8, 2), false);
    let mut lanes = sender(checked(), &params);
    let mut packets = Vec::new();
    let mut short = Vec::new();
    let head = FrameHeader {
        length: 24 + 16 + 100 + 16 + 200,
        ..header(Kind::Data, 0, 0, 2, &params)
    };
    assert!(lanes[0].frame(&head, &mut short));
    for (chunk, length) in [(1, 100), (2, 200)] {
        let last = SubHeader {
            chunk,
            number: 0,
            length,
            last: true,
            round: 0,
        };
        lanes[0].sub_packet(&last, &[1; 200][..length.into()], &mut short);
    }
    packets.push(packet(&short, false));
    packets.push(packet(
        &data(&mut lanes[0], &header(Kind::Data, 0, 1, 1, &params), 0, 0),
        false,
    ));
    let mut bytes = Vec::new();
    assert!(lanes[0].frame(&header(Kind::Data, 0, 2, 2, &params), &mut bytes));
    for number in 0..2 {
        let parity = ParityHeader {
            chunk: 3,
            number,
            count: 1,
            last: 256,
        };
        lanes[0].parity(&parity, &[9; PAYLOAD as usize], &mut bytes);
    }
    packets.push(packet(&bytes, false));
    let (status, found) = json(&packets, &["--frames"]);
    assert_eq!(status, Some(0), "{found}");
    let session = &found["sessions"][0];
    assert_eq!(session["form"]["payload"], PAYLOAD);
    let flow = &session["flows"][0];
    assert_eq!(
        numbers(flow, ["sub_packets", "parity", "payload"]),
        [3, 2, 556]
    );
    assert_eq!(found["list"][2]["says"], "chunk 3 parity: 0-1");
}

/// Several frames that a sender gave to the network at once; IPv6 with a tag; a capture that has
/// only the beginning of each.
#[test]
fn datagrams_of_all_kinds() {
    let params = params(Fec::None, false);
    let mut lanes = sender(checked(), &params);
    let mut frame = |seq: u32| {
        let header = header(Kind::Data, 0, seq, PER_FRAME, &params);
        data(&mut lanes[0], &header, PER_FRAME * seq as u16, 0)
    };
    let together = [frame(0), frame(1), frame(2)].concat();
    let packets = [packet(&together, false), packet_v6(&frame(3))];
    let (status, found) = json(&packets, &[]);
    assert_eq!(status, Some(0), "{found}");
    assert_eq!(numbers(&found, ["datagrams", "frames"]), [2, 4]);
    assert_eq!(
        found["sessions"][0]["flows"][1]["to"],
        "[202:202:202:202:202:202:202:202]:7425"
    );

    let run = decode(&pcap(&packets, 100), &["--json"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(run.status, Some(0), "{found}");
    // Of the first only the first frame is there.
    assert_eq!(numbers(&found, ["frames", "partial", "bad"]), [2, 2, 0]);
}

#[test]
fn the_start_of_a_session() {
    let messages = [
        (Message::Retry([1; 16], 400), true),
        (Message::Join([0; 16], [2; 16]), false),
        (Message::Refuse(Refusal::Busy), true),
    ];
    let packets: Vec<Vec<u8>> = messages
        .iter()
        .flat_map(|(message, back)| vec![packet(&message.datagram(5, 0, 0), *back); 2])
        .collect();
    let (status, found) = json(&packets, &["--frames"]);
    assert_eq!(status, Some(0), "{found}");
    let said = |from, says| serde_json::json!({"from": from, "says": says, "times": 2});
    let wanted = [
        said("10.0.0.2:7425", "asks where the sender is"),
        said("10.0.0.1:50000", "asks for a lane"),
        said(
            "10.0.0.2:7425",
            "refuses: the receiver is busy with too many others",
        ),
    ];
    assert_eq!(found["sessions"][0]["start"], Value::from(wanted.to_vec()));
    let run = decode(&pcap(&packets, 65_535), &[]);
    let line = "  10.0.0.1:50000 asks for a lane, 2 times\n";
    assert!(run.stdout.contains(line), "{run:?}");
    assert_eq!(found["list"][0]["kind"], "start");
}

/// Any bytes where frames should be: no panic, and every datagram of a session that is no frame is
/// counted.
#[test]
fn damaged_captures() {
    let packets = stream(&params(Fec::None, false));
    for step in [3, 7, 31] {
        let mut damaged = packets.clone();
        for packet in &mut damaged[1..] {
            for place in (14..packet.len()).step_by(step) {
                packet[place] = packet[place].wrapping_add(place as u8);
            }
        }
        let run = decode(&pcap(&damaged, 65_535), &["--frames"]);
        assert!(matches!(run.status, Some(0 | 1)), "{run:?}");
    }
    let mut damaged = packets;
    damaged[2][42] ^= 0x10;
    damaged[4].truncate(50);
    let (status, found) = json(&damaged, &[]);
    assert_eq!(
        (status, numbers(&found, ["bad"])),
        (Some(1), [2]),
        "{found}"
    );
    let missing = run_in(std::path::Path::new("."), &["decode", "chunk", "not/there"]);
    assert_eq!(missing.status, Some(3));
    assert!(
        missing.stderr.contains("cannot read not/there"),
        "{missing:?}"
    );
}
