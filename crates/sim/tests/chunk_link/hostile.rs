// SPDX-License-Identifier: Apache-2.0
//! Frames and reports of one who knows the secret and says anything: no end panics, remembers more
//! than was agreed on, or takes what cannot be.

use proptest::prelude::*;
use ropewalk_sim::chunk::{TAG, session};
use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind};
use ropewalk_wire::chunk::report::{Heard, Summary, Writer};
use ropewalk_wire::chunk::session::LaneWriter;
use ropewalk_wire::chunk::subpacket::{ParityHeader, Sub, SubHeader};
use ropewalk_wire::chunk::{
    Batch, Fec, Params, Receiver, ReceiverSettings, Sender, SenderEvent, SenderSettings,
};
use std::collections::BTreeSet;
use std::time::Duration;

const PARAMS: Params = Params {
    payload: 64,
    per_frame: 4,
    per_chunk: 16,
    chunks: 3,
    lanes: 2,
    ..Params::PAPER
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

/// Sealed or not, with parity over sub-packets or without.
fn params() -> impl Strategy<Value = Params> {
    let fec = prop_oneof![Just(Fec::None), Just(Fec::Restore(4, 2))];
    (any::<bool>(), fec).prop_map(|(sealed, fec)| Params {
        sealed,
        fec,
        ..PARAMS
    })
}

/// What a sender writes on a lane. Whoever knows the secret can use a nonce again, and has a lane
/// more than agreed on.
fn writer(params: Params, lane: u8) -> LaneWriter {
    let params = Params { lanes: 3, ..params };
    let mut lanes = session(params.sealed)
        .sender(&params)
        .expect("sizes in range");
    lanes.remove(lane.into()).0
}

fn sub_packet() -> impl Strategy<Value = (Sub, Vec<u8>)> {
    let number = prop_oneof![10 => 0u16..20, 1 => any::<u16>()];
    let length = prop_oneof![10 => Just(64usize), 1 => 0usize..200];
    let data = (
        near(),
        number.clone(),
        length.clone(),
        prop::bool::weighted(0.1),
        0u16..3,
    )
        .prop_map(|(chunk, number, length, last, round)| {
            let payload = vec![chunk as u8; length];
            let header = SubHeader {
                chunk,
                number,
                length: length as u16,
                last,
                round,
            };
            (Sub::Data(header), payload)
        });
    let last = prop_oneof![5 => Just(64u16), 1 => 1u16..=8192];
    let parity = (near(), number.clone(), number, last, length).prop_map(
        |(chunk, number, count, last, length)| {
            let header = ParityHeader {
                chunk,
                number,
                count,
                last,
            };
            (Sub::Parity(header), vec![chunk as u8; length])
        },
    );
    prop_oneof![4 => data, 1 => parity]
}

fn frame(params: Params) -> impl Strategy<Value = (u8, Vec<u8>)> {
    let subs = prop::collection::vec(sub_packet(), 1..6);
    let data = (0u8..3, any::<bool>(), any::<u8>(), near(), subs).prop_map(
        move |(lane, ask, count, seq, subs)| {
            let kind = if ask { Kind::Ask } else { Kind::Data };
            let each = |(_, payload): &(_, Vec<u8>)| params.sub_header() + payload.len();
            let bytes = FRAME_HEADER + subs.iter().map(each).sum::<usize>();
            let mut writer = writer(params, lane);
            let mut frame = Vec::new();
            if writer.frame(&header(kind, lane, count, seq, bytes), &mut frame) {
                for (sub, payload) in &subs {
                    match sub {
                        Sub::Data(sub) => writer.sub_packet(sub, payload, &mut frame),
                        Sub::Parity(sub) => writer.parity(sub, payload, &mut frame),
                    }
                }
            }
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
        .prop_map(move |(lane, kind, end, odd, right)| {
            let body = if right {
                end.to_be_bytes().to_vec()
            } else {
                odd
            };
            let mut bytes = Vec::new();
            let mut writer = writer(params, lane);
            let _ = writer.control(&header(kind, lane, 0, end, 0), &body, &mut bytes);
            (lane, bytes)
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
    fn datagram(&self, serial: u32, back: &mut LaneWriter) -> Vec<u8> {
        let mut body = Vec::new();
        let mut writer = Writer::new(&mut body, 9000, self.heard.iter().copied());
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
        writer.finish(summary);
        let mut bytes = Vec::new();
        assert!(back.control(&header(Kind::Report, 0, 0, serial, 0), &body, &mut bytes));
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
    fn receiver_takes_what_can_be((params, frames) in params().prop_flat_map(|params| (Just(params), prop::collection::vec((frame(params), 0u64..50_000), 0..200)))) {
        let memory = vec![vec![0u8; PARAMS.chunk_bytes()]; 3];
        let (session, settings) = (session(params.sealed), ReceiverSettings::default());
        let mut receiver = Receiver::new(params, session, settings, memory).unwrap();
        let mut now = Duration::ZERO;
        let (mut report, mut chunks) = (Vec::new(), BTreeSet::new());
        for ((lane, bytes), later) in frames {
            now += Duration::from_micros(later);
            receiver.receive(now, lane, &bytes);
            while let Some(done) = receiver.poll_chunk() {
                prop_assert!(chunks.insert(done.chunk), "twice");
                prop_assert!(done.bytes > 0 && done.bytes <= PARAMS.chunk_bytes());
                // Who lies with parity harms his own chunks.
                let whole = done.memory[..done.bytes].iter().all(|&byte| byte == done.chunk as u8);
                prop_assert!(whole || params.fec != Fec::None);
                receiver.give_back(done.memory);
            }
            report.clear();
            if let Some(lane) = receiver.poll_transmit(now, now, &mut report) {
                prop_assert!(lane < 2 && report.len() <= 1232);
            }
        }
        // None is left out: what is complete beyond a gap lies within the window.
        let most = chunks.len() as u32 + 3;
        prop_assert!(chunks.iter().all(|&chunk| chunk < most));
    }

    #[test]
    fn sender_believes_what_can_be(params in params(), steps in prop::collection::vec((prop::option::of(report()), 0u64..300_000, 0u8..3, any::<bool>()), 0..200)) {
        let [ours, theirs] = [(); 2].map(|()| session(params.sealed));
        let settings = SenderSettings::default();
        let mut sender = Sender::new(params, ours, settings, Duration::ZERO).unwrap();
        let mut now = Duration::ZERO;
        let (mut batch, mut offered, mut complete, mut serial) = (Batch::new(), 0, 0, 0u32);
        let mut sent = BTreeSet::new();
        let lanes = theirs.receiver(&params).unwrap().into_iter();
        let (mut writers, mut readers): (Vec<_>, Vec<_>) = lanes.unzip();
        for (report, later, lane, offer) in steps {
            now += Duration::from_micros(later);
            if offer && sender.wants_chunk() {
                sender.offer(vec![0; PARAMS.chunk_bytes()], 100 + offered as usize % 900);
                offered += 1;
            }
            if let Some(report) = report {
                // A serial number that counts, or else nothing is looked at.
                sender.receive(now, &report.datagram(serial, &mut writers[0]));
                serial += 1;
            }
            if sender.poll_transmit(now, lane, 4, &mut batch) {
                for frame in batch.bytes().chunks(batch.segment()) {
                    let (header, body) = FrameHeader::parse(frame).unwrap();
                    let number = frame.first_chunk().map(|bytes| (header.seq, bytes));
                    let all = body.chunks(params.stride()).take(usize::from(header.count));
                    for (bytes, index) in all.zip(0..) {
                        let sub = readers[usize::from(lane)].sub_packet(number, index, bytes);
                        prop_assert!(sub.is_some());
                        sent.extend(sub.map(|(sub, _)| match sub {
                            Sub::Data(sub) => sub.chunk,
                            Sub::Parity(sub) => sub.chunk,
                        }));
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
