// SPDX-License-Identifier: Apache-2.0
//! `ropewalk decode htsp`: what is in a capture, and what is wrong with it.

use std::path::Path;
use std::time::Duration;

use ropewalk_wire::htsp::frame::{Header, NULL_CHANNEL};
use ropewalk_wire::htsp::{Endpoint, Last, Mac, Params, Tuser};
use serde_json::Value;

use crate::common::{Run, run_in};

/// A pcap file: frames a microsecond apart; at most `snap` bytes of each were captured.
pub fn pcap(frames: &[Vec<u8>], snap: usize) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 1_u32] {
        file.extend(word.to_le_bytes());
    }
    for (place, frame) in frames.iter().enumerate() {
        let captured = frame.len().min(snap);
        for word in [
            7,
            999_990 + place as u32,
            captured as u32,
            frame.len() as u32,
        ] {
            file.extend(word.to_le_bytes());
        }
        file.extend(&frame[..captured]);
    }
    file
}

/// A pcapng file, big-endian, with nanoseconds; interface 0 is no Ethernet, and one packet is from
/// there.
fn pcapng(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut block = |kind: u32, body: &[u8]| {
        let body = [body, &vec![0; body.len().next_multiple_of(4) - body.len()]].concat();
        let length = (12 + body.len() as u32).to_be_bytes();
        file.extend(kind.to_be_bytes());
        file.extend(length);
        file.extend(body);
        file.extend(length);
    };
    let words =
        |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_be_bytes()).collect() };
    block(
        0x0a0d_0d0a,
        &words(&[0x1a2b_3c4d, 0x0001_0000, u32::MAX, u32::MAX]),
    );
    block(1, &words(&[101 << 16, 0]));
    block(
        1,
        &[
            words(&[1 << 16, 0, 0x0009_0001]),
            vec![9, 0, 0, 0],
            words(&[0]),
        ]
        .concat(),
    );
    block(
        6,
        &[words(&[0, 0, 0, 64, 64]), frames[0][..64].to_vec()].concat(),
    );
    for (place, frame) in frames.iter().enumerate() {
        let length = frame.len() as u32;
        let head = words(&[1, 0, 1000 * place as u32, length, length]);
        block(6, &[head, frame.clone()].concat());
    }
    file
}

/// What an end sends that has a peer: a header, an op-code, a user frame of two bursts, one of
/// another channel.
fn frames() -> Vec<Vec<u8>> {
    let params = |end| Params {
        burst: 128,
        tuser: true,
        ..Params::new(Mac([2, 0, 0, 0, 0, end]))
    };
    let mut ends = [1, 2].map(|end| Endpoint::new(params(end)).unwrap());
    let mut frames = Vec::new();
    let mut now = Duration::ZERO;
    for _ in 0..3 {
        for end in 0..2 {
            if let Some(frame) = ends[end].poll_transmit(now) {
                ends[1 - end].receive(now, &frame, false);
                frames.extend((end == 0).then_some(frame));
            }
        }
        now += Duration::from_millis(1);
    }
    assert!(ends[0].ready());
    frames.truncate(1);
    ends[0].send_opcode([0xab; 16]).unwrap();
    let tuser = Tuser {
        first: 0xa5,
        last: 0x5a,
    };
    ends[0].push_tuser(3, &[3; 200], Last::Yes, tuser).unwrap();
    ends[0].push(5, &[5; 10], Last::Error).unwrap();
    let sent: Vec<Vec<u8>> = std::iter::from_fn(|| ends[0].poll_transmit(now)).collect();
    assert_eq!(sent.len(), 3);
    // The headers of the link-up between are left out: renumber.
    for (frame, tid) in sent.into_iter().zip(1..) {
        frames.push(renumbered(frame, tid));
    }
    frames
}

fn renumbered(mut frame: Vec<u8>, tid: u8) -> Vec<u8> {
    let header = Header {
        tid,
        ..Header::decode(frame.first_chunk().unwrap())
    };
    frame[..64].copy_from_slice(&header.encode());
    frame
}

fn decode(file: &[u8], more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("capture"), file).unwrap();
    run_in(
        folder.path(),
        &[&["decode", "htsp", "capture"], more].concat(),
    )
}

fn json(file: &[u8], more: &[&str]) -> (Option<i32>, Value) {
    let run = decode(file, &[&["--json"], more].concat());
    (
        run.status,
        serde_json::from_str(&run.stdout).expect("one JSON object"),
    )
}

#[test]
fn a_good_capture() {
    for (file, step) in [(pcap(&frames(), 65_535), 1000), (pcapng(&frames()), 1000)] {
        let (status, decoded) = json(&file, &[]);
        assert_eq!(
            (status, &decoded["ok"]),
            (Some(0), &Value::Bool(true)),
            "{decoded}"
        );
        assert_eq!((&decoded["good"], &decoded["htsp"]), (&4.into(), &4.into()));
        let rows = decoded["frames"].as_array().unwrap();
        let column =
            |name: &str| -> Vec<Value> { rows.iter().map(|row| row[name].clone()).collect() };
        assert_eq!(column("time_ns"), [0, step, 2 * step, 3 * step]);
        assert_eq!(column("tid"), [0, 1, 2, 3]);
        assert_eq!(
            column("channel"),
            [Value::Null, 3.into(), 5.into(), 3.into()]
        );
        assert_eq!(column("payload"), [0, 128, 10, 72]);
        assert_eq!(column("start"), [false, true, true, false]);
        assert_eq!(column("end"), [false, false, true, true]);
        assert_eq!(column("error"), [false, false, true, false]);
        assert_eq!(column("first_tuser"), [0, 0xa5, 0, 0]);
        assert_eq!(column("last_tuser"), [0, 0, 0, 0x5a]);
        assert_eq!(rows[1]["opcode"], "abababababababababababababababab");
        assert_eq!(rows[0]["source"], "02:00:00:00:00:01");
        assert_eq!(rows[0]["destination"], "ff:ff:ff:ff:ff:ff");
        assert_eq!(rows[1]["destination"], "02:00:00:00:00:02");
    }
    let run = decode(&pcap(&frames(), 65_535), &[]);
    assert!(
        run.stdout
            .contains("4 HTSP frames of 4 packets: nothing wrong"),
        "{run:?}"
    );
    assert!(run.stdout.contains("end in error"), "{run:?}");
    assert!(run.stdout.contains("TUSER 00 5a"), "{run:?}");
}

#[test]
fn what_is_wrong_is_told() {
    let mut all = frames();
    let foreign = vec![0; 64];
    all.insert(1, foreign);
    let lost = all.remove(3);
    let mut damaged = renumbered(lost, 4);
    damaged[40] ^= 1;
    all.extend([damaged, all[1 + 1].clone()]);
    let mut longer = renumbered(all[2].clone(), 4);
    longer.extend([0; 4]);
    all.push(longer);
    let (status, decoded) = json(&pcap(&all, 65_535), &[]);
    assert_eq!((status, &decoded["ok"]), (Some(1), &Value::Bool(false)));
    let counts = [
        "packets", "htsp", "good", "bad", "missing", "stale", "partial",
    ];
    assert_eq!(
        counts.map(|name| decoded[name].as_u64().unwrap()),
        [7, 6, 4, 2, 1, 1, 0]
    );
    let rows = decoded["frames"].as_array().unwrap();
    assert_eq!(rows[2]["missing"], 1);
    for (row, part) in [(3, "checksum"), (4, "again or late"), (5, "footer of 6")] {
        let problem = rows[row]["problem"].as_str().unwrap();
        assert!(problem.contains(part), "{problem}");
    }
    let run = decode(&pcap(&all, 65_535), &[]);
    assert!(
        run.stdout.contains("2 bad, 1 missing, 1 again or late"),
        "{run:?}"
    );
}

/// Payload whose start is missing, or whose user frame has ended, belongs to nothing; where the
/// capture begins in the middle of a user frame it does.
#[test]
fn payload_without_a_start_is_told() {
    let all = frames();
    let (start, rest) = (&all[1], &all[3]);
    let decoded = |frames: &[&Vec<u8>]| {
        let frames: Vec<Vec<u8>> = frames
            .iter()
            .zip(0..)
            .map(|(frame, tid)| renumbered((*frame).clone(), tid))
            .collect();
        json(&pcap(&frames, 65_535), &[])
    };
    let (status, whole) = decoded(&[rest, start, rest]);
    assert_eq!((status, &whole["orphans"]), (Some(0), &0.into()), "{whole}");
    let (status, twice) = decoded(&[start, rest, rest]);
    assert_eq!((status, &twice["orphans"]), (Some(1), &1.into()), "{twice}");
    let problem = twice["frames"][2]["problem"].as_str().unwrap();
    assert!(problem.contains("no start"), "{problem}");

    // The number of a lost one is missing, and what was open is not.
    let gap = [
        renumbered(start.clone(), 0),
        renumbered(rest.clone(), 2),
        renumbered(rest.clone(), 3),
    ];
    let (status, lost) = json(&pcap(&gap, 65_535), &[]);
    assert_eq!((status, &lost["orphans"]), (Some(1), &2.into()), "{lost}");
    let run = decode(&pcap(&gap, 65_535), &[]);
    assert!(
        run.stdout.contains("1 missing, 2 without a start"),
        "{run:?}"
    );
}

/// A header alone with a channel, a start or an earlier number shows them; one without a link
/// begins the numbers anew, any other one is late.
#[test]
fn a_header_alone_shows_what_it_says() {
    let header = |tid, channel, start, link_ready| {
        let header = Header {
            tid,
            channel,
            start,
            link_ready,
            ..Header::decode(frames()[0].first_chunk().unwrap())
        };
        header.encode().to_vec()
    };
    let file = [
        header(200, 7, true, true),
        header(90, 2, false, true),
        header(100, NULL_CHANNEL, false, false),
        header(101, 1, false, true),
    ];
    let (status, decoded) = json(&pcap(&file, 65_535), &[]);
    assert_eq!(
        (status, &decoded["stale"]),
        (Some(1), &2.into()),
        "{decoded}"
    );
    let rows = decoded["frames"].as_array().unwrap();
    let column = |name: &str| -> Vec<Value> { rows.iter().map(|row| row[name].clone()).collect() };
    assert_eq!(
        column("channel"),
        [7.into(), 2.into(), Value::Null, 1.into()]
    );
    assert_eq!(column("start"), [true, false, false, false]);
    assert_eq!(column("missing"), [0, 0, 0, 0]);
    for (row, part) in [(1, "90 again or late"), (2, "anew with 100")] {
        let problem = rows[row]["problem"].as_str().unwrap();
        assert!(problem.contains(part), "{problem}");
    }
}

#[test]
fn what_was_captured_in_part_is_not_called_bad() {
    let (status, decoded) = json(&pcap(&frames(), 100), &[]);
    assert_eq!((status, decoded["partial"].as_u64()), (Some(0), Some(3)));
    assert_eq!(decoded["frames"][1]["channel"], 3);
}

#[test]
fn another_ethertype() {
    let header = Header {
        ethertype: 0x88b5,
        channel: NULL_CHANNEL,
        ..Header::decode(frames()[0].first_chunk().unwrap())
    };
    let file = pcap(&[header.encode().to_vec(), frames()[0].clone()], 65_535);
    for (ethertype, number) in [("0x88b5", 1), ("34997", 1), ("0x0111", 2)] {
        let (_, decoded) = json(&file, &["--ethertype", ethertype]);
        assert_eq!(
            (&decoded["htsp"], &decoded["packets"]),
            (&1.into(), &2.into())
        );
        assert_eq!(decoded["frames"][0]["packet"], number);
    }
}

#[test]
fn bad_input() {
    let refused = |run: Run, parts: &[&str]| {
        assert_eq!((run.status, run.stdout.as_str()), (Some(3), ""), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "{run:?} lacks '{part}'");
        }
    };
    let missing = run_in(Path::new("."), &["decode", "htsp", "not/there"]);
    refused(missing, &["cannot read not/there: no such file"]);
    for file in [&b""[..], b"text", &[0; 100]] {
        refused(
            decode(file, &[]),
            &["capture: is not a capture", "pcap and pcapng"],
        );
    }
    let good = pcap(&frames(), 65_535);
    let cut = decode(&good[..good.len() - 1], &[]);
    refused(cut, &["ends in the middle of a block, behind packet 3"]);
    // A section, and a block of 11 bytes of a kind whose length the parser does not look at.
    let section = [
        0x0a0d_0d0a_u32,
        28,
        0x1a2b_3c4d,
        1,
        u32::MAX,
        u32::MAX,
        28,
        0x8000_0001,
        11,
        0,
    ];
    let short: Vec<u8> = section.into_iter().flat_map(u32::to_le_bytes).collect();
    refused(decode(&short, &[]), &["is damaged behind packet 0"]);
    let run = decode(&good, &["--ethertype", "0x11111"]);
    refused(run, &["'0x11111'", "0x0 to 0xffff"]);
    // Any bytes behind the start of a file: no panic.
    let mut noise = pcapng(&frames());
    for place in 28..noise.len() {
        if place % 7 == 0 {
            noise[place] ^= (place as u8).wrapping_mul(31);
        }
        if place % 40 == 0 {
            let status = decode(&noise, &[]).status;
            assert!(matches!(status, Some(0 | 1 | 3)), "{place}");
        }
    }
}
