// SPDX-License-Identifier: Apache-2.0
//! Frames and reports of one who knows the secret and says anything: no end panics, remembers more than was agreed on, or takes what
//! cannot be.

use proptest::prelude::*;
use ropewalk_sim::chunk::TAG;
use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind, control};
use ropewalk_wire::chunk::report::{Heard, Summary, Writer};
use ropewalk_wire::chunk::subpacket::SubHeader;
use ropewalk_wire::chunk::{
    Batch, Params, Receiver, ReceiverSettings, Sender, SenderEvent, SenderSettings,
};
use std::collections::BTreeSet;
use std::time::Duration;

const PARAMS: Params = Params {
    payload: 64,
    per_frame: 4,
    per_chunk: 16,
    chunks: 3,
    lanes: 2,
};

/// Mostly near zero, where it does harm.
fn near() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0u32..6, 1 => any::<u32>(), 1 => (0u32..4).prop_map(|less| u32::MAX - less)]
}

fn header(kind: Kind, lane: u8, count: u8, seq: u32, bytes: usize) -> FrameHeader {
    FrameHeader {
        kind,
        lane,
        count,
        seq: FrameSeq::new(seq),
        session: TAG.session,
        length: bytes as u16,
        time: seq,
    }
}

fn sub_packet() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![10 => 0u16..20, 1 => any::<u16>()];
    let length = prop_oneof![10 => Just(64usize), 1 => 0usize..200];
    (near(), number, length, prop::bool::weighted(0.1), 0u16..3).prop_map(
        |(chunk, number, length, last, round)| {
            let payload = vec![chunk as u8; length];
            let header = SubHeader {
                chunk,
                number,
                length: length as u16,
                last,
                round,
            };
            let mut bytes = Vec::new();
            header.write(TAG, &payload, &mut bytes);
            bytes
        },
    )
}

fn frame() -> impl Strategy<Value = (u8, Vec<u8>)> {
    let subs = prop::collection::vec(sub_packet(), 1..6);
    let data = (0u8..3, any::<bool>(), any::<u8>(), near(), subs).prop_map(
        |(lane, ask, count, seq, subs)| {
            let body = subs.concat();
            let kind = if ask { Kind::Ask } else { Kind::Data };
            let bytes = FRAME_HEADER + body.len();
            let mut frame = header(kind, lane, count, seq, bytes).encode().to_vec();
            frame.extend(body);
            (lane, frame)
        },
    );
    let ends = prop_oneof![
        Just(Kind::Ask),
        Just(Kind::Fin),
        Just(Kind::Bye),
        Just(Kind::Report)
    ];
    let control = (
        0u8..3,
        ends,
        near(),
        prop::collection::vec(any::<u8>(), 0..3),
        any::<bool>(),
    )
        .prop_map(|(lane, kind, end, odd, right)| {
            let body = if right {
                end.to_be_bytes().to_vec()
            } else {
                odd
            };
            (
                lane,
                control(TAG.secret, &header(kind, lane, 0, end, 0), &body),
            )
        });
    prop_oneof![9 => data, 1 => control]
}

#[derive(Debug, Clone)]
struct Told {
    summary: Summary,
    heard: Vec<Heard>,
    sections: Vec<(u32, u16, Vec<u8>)>,
}

impl Told {
    fn datagram(&self, serial: u32) -> Vec<u8> {
        let mut bytes = vec![0; FRAME_HEADER];
        let mut writer = Writer::new(&mut bytes, 9000, self.heard.iter().copied());
        for (chunk, prefix, bitmap) in &self.sections {
            let first = prefix / 8;
            writer.section(*chunk, *prefix, bitmap.len() as u16, |index| {
                bitmap[usize::from(index - first)]
            });
        }
        let summary = Summary {
            serial,
            ..self.summary
        };
        writer.finish(TAG.secret, summary);
        let length = bytes.len();
        bytes[..FRAME_HEADER].copy_from_slice(&header(Kind::Report, 0, 0, 0, length).encode());
        bytes
    }
}

fn report() -> impl Strategy<Value = Told> {
    let lane = (any::<bool>(), near(), near(), any::<u32>(), any::<u32>());
    let section = (
        near(),
        prop_oneof![Just(u16::MAX), 0u16..20, any::<u16>()],
        prop::collection::vec(any::<u8>(), 0..4),
    );
    (
        (near(), near(), near(), 0u8..8),
        prop::collection::vec(lane, 1..4),
        prop::collection::vec(section, 0..5),
    )
        .prop_map(|((base, ahead, duplicates, flags), lanes, sections)| {
            let summary = Summary {
                serial: 0,
                base,
                credit: base.wrapping_add(ahead),
                duplicates,
                idle: flags & 1 != 0,
                finished: flags & 2 != 0,
                whole: flags & 4 != 0,
            };
            let heard = lanes
                .iter()
                .map(|&(known, seq, frames, echo, hold)| Heard {
                    highest: known.then(|| FrameSeq::new(seq)),
                    frames,
                    echo,
                    hold,
                })
                .collect();
            Told {
                summary,
                heard,
                sections,
            }
        })
}

proptest! {
    #[test]
    fn receiver_takes_what_can_be(frames in prop::collection::vec((frame(), 0u64..50_000), 0..200)) {
        let memory = vec![vec![0u8; PARAMS.chunk_bytes()]; 3];
        let mut receiver = Receiver::new(PARAMS, TAG, ReceiverSettings::default(), memory).unwrap();
        let mut now = Duration::ZERO;
        let (mut report, mut chunks) = (Vec::new(), BTreeSet::new());
        for ((lane, bytes), later) in frames {
            now += Duration::from_micros(later);
            receiver.receive(now, lane, &bytes);
            while let Some(done) = receiver.poll_chunk() {
                prop_assert!(chunks.insert(done.chunk), "twice");
                prop_assert!(done.bytes > 0 && done.bytes <= PARAMS.chunk_bytes());
                prop_assert!(done.memory[..done.bytes].iter().all(|&byte| byte == done.chunk as u8));
                receiver.give_back(done.memory);
            }
            report.clear();
            if let Some(lane) = receiver.poll_transmit(now, &mut report) {
                prop_assert!(lane < 2 && report.len() <= 1232);
            }
        }
        // None is left out: what is complete beyond a gap lies within the window.
        let most = chunks.len() as u32 + 3;
        prop_assert!(chunks.iter().all(|&chunk| chunk < most));
    }

    #[test]
    fn sender_believes_what_can_be(steps in prop::collection::vec((prop::option::of(report()), 0u64..300_000, 0u8..3, any::<bool>()), 0..200)) {
        let mut sender = Sender::new(PARAMS, TAG, SenderSettings::default(), Duration::ZERO).unwrap();
        let mut now = Duration::ZERO;
        let (mut batch, mut offered, mut complete, mut serial) = (Batch::new(), 0, 0, 0u32);
        let mut sent = BTreeSet::new();
        for (report, later, lane, offer) in steps {
            now += Duration::from_micros(later);
            if offer && sender.wants_chunk() {
                sender.offer(vec![0; PARAMS.chunk_bytes()], 100 + offered as usize % 900);
                offered += 1;
            }
            if let Some(report) = report {
                // A serial number that counts, or else nothing is looked at.
                sender.receive(now, &report.datagram(serial));
                serial += 1;
            }
            if sender.poll_transmit(now, lane, 4, &mut batch) {
                for frame in batch.bytes().chunks(batch.segment()) {
                    let (header, body) = FrameHeader::parse(frame).unwrap();
                    for bytes in body.chunks(80).take(usize::from(header.count)) {
                        let sub = SubHeader::parse(TAG, bytes);
                        prop_assert!(sub.is_some());
                        sent.extend(sub.map(|(sub, _)| sub.chunk));
                    }
                }
            }
            while let Some(event) = sender.poll_event() {
                if let SenderEvent::Complete { chunk, .. } = event {
                    prop_assert_eq!(chunk, complete);
                    prop_assert!(sent.contains(&chunk), "complete before it was sent");
                    complete += 1;
                }
            }
            prop_assert!(complete <= offered);
            let _ = sender.next_timeout();
        }
    }
}
