// SPDX-License-Identifier: Apache-2.0

use super::super::receiver::{Receiver, ReceiverSettings};
use super::super::seal::SessionKey;
use super::*;

const CHUNKS: u8 = 8;

/// Sends chunks over sealed lanes, of which the first has used up its numbers when some chunks are
/// there. Says how many arrive in a minute, why the sender closes, and which lanes it calls failed.
fn used_up(lanes: u8) -> (u8, Option<CloseReason>, Vec<u8>) {
    let params = Params {
        per_chunk: 64,
        lanes,
        sealed: true,
        ..Params::PAPER
    };
    let bytes = params.chunk_bytes();
    let session = || Session::sealed(7, SessionKey::new(b"secret", b"context"));
    let settings = SenderSettings::default();
    let mut sender = Sender::new(params, session(), settings, Duration::ZERO).unwrap();
    let memory = vec![vec![0; bytes]; params.chunks.into()];
    let mut receiver = Receiver::new(params, session(), ReceiverSettings::default(), memory);
    let receiver = receiver.as_mut().unwrap();
    let (mut batch, mut report) = (Batch::new(), Vec::new());
    let (mut offered, mut arrived, mut failed) = (0, 0, Vec::new());
    let mut now = Duration::ZERO;
    while sender.close_reason().is_none() && now < Duration::from_secs(60) {
        while offered < CHUNKS && sender.wants_chunk() {
            sender.offer(vec![offered; bytes], bytes);
            offered += 1;
        }
        if offered == CHUNKS {
            sender.finish();
        }
        for lane in 0..lanes {
            if sender.poll_transmit(now, lane, 4, &mut batch) {
                let frames = batch.bytes().chunks(batch.segment());
                frames.for_each(|frame| receiver.receive(now, lane, frame));
            }
        }
        while receiver.poll_transmit(now, now, &mut report).is_some() {
            sender.receive(now, &report);
            report.clear();
        }
        while let Some(complete) = receiver.poll_chunk() {
            assert!(
                complete
                    .memory
                    .iter()
                    .all(|&byte| u32::from(byte) == complete.chunk)
            );
            arrived += 1;
            receiver.give_back(complete.memory);
            if arrived == 3 {
                sender.lanes[0].writer.use_up();
            }
        }
        while let Some(event) = sender.poll_event() {
            if let SenderEvent::LaneFailed(lane) = event {
                failed.push(lane);
            }
        }
        now += Duration::from_micros(500);
    }
    (arrived, sender.close_reason(), failed)
}

/// It is told like a dead lane, and what was to go over it goes over the other.
#[test]
fn a_sealed_lane_that_has_used_up_its_numbers() {
    let complete = Some(CloseReason::Complete);
    assert_eq!(used_up(2), (CHUNKS, complete, vec![0]));
    let (arrived, reason, _) = used_up(1);
    assert!((3..CHUNKS).contains(&arrived));
    assert_eq!(reason, Some(CloseReason::Exhausted));
}

#[test]
fn counters_of_pipelines_are_added() {
    let one = SenderCounters {
        frames: 1,
        bytes: 2,
        sub_packets: 3,
        parity: 4,
        resent: 5,
        lost: 6,
        duplicates: 7,
        reports: 8,
        foreign: 9,
    };
    let mut sum = SenderCounters::default();
    sum.add(&one);
    assert_eq!(sum, one);
    sum.add(&one);
    assert_eq!((sum.frames, sum.bytes, sum.sub_packets), (2, 4, 6));
    assert_eq!((sum.parity, sum.resent, sum.lost), (8, 10, 12));
    assert_eq!((sum.duplicates, sum.reports, sum.foreign), (14, 16, 18));
}

/// Nobody is there: says when the session closes, if it does within an hour.
fn unanswered(lanes: u8, peer_timeout: Option<Duration>) -> Option<Duration> {
    let params = Params {
        lanes,
        ..Params::PAPER
    };
    let tag = super::super::Tag {
        session: 7,
        secret: 9,
    };
    let settings = SenderSettings {
        peer_timeout,
        ..SenderSettings::default()
    };
    let mut sender = Sender::new(params, Session::checked(tag), settings, Duration::ZERO).unwrap();
    sender.offer(vec![0; 1000], 1000);
    let (mut now, mut batch) = (Duration::ZERO, Batch::new());
    while now < Duration::from_secs(3600) {
        for lane in 0..lanes {
            while sender.poll_transmit(now, lane, 4, &mut batch) {}
        }
        if let Some(reason) = sender.close_reason() {
            assert_eq!(reason, CloseReason::PeerTimeout);
            let last = std::iter::from_fn(|| sender.poll_event()).last();
            assert_eq!(last, Some(SenderEvent::Closed(reason)));
            assert_eq!(sender.next_timeout(), None);
            return Some(now);
        }
        now = sender.next_timeout().expect("it asks again").max(now);
    }
    None
}

/// The timeout begins when the last lane has failed.
#[test]
fn a_session_that_is_not_answered_closes() {
    for lanes in [1, 3] {
        assert_eq!(unanswered(lanes, None), None);
        let [short, long] = [1, 100].map(Duration::from_secs);
        let [early, late] = [short, long].map(|it| unanswered(lanes, Some(it)).unwrap());
        assert_eq!(late - early, long - short);
        assert!(early > short && early < short + Duration::from_secs(4));
    }
}
