// SPDX-License-Identifier: Apache-2.0

use super::super::receiver::{Receiver, ReceiverSettings};
use super::super::seal::SessionKey;
use super::*;

const CHUNKS: u8 = 8;

/// Sends chunks over sealed lanes, of which the first has used up its numbers when some chunks are
/// there. Says how many arrive in a minute, whether the sender knows, and which lanes it calls
/// failed.
fn used_up(lanes: u8) -> (u8, bool, Vec<u8>) {
    let params = Params {
        per_chunk: 64,
        lanes,
        sealed: true,
        ..Params::PAPER
    };
    let bytes = params.chunk_bytes();
    let guard = || Guard::sealed(7, SessionKey::new(b"secret", b"context"));
    let settings = SenderSettings::default();
    let mut sender = Sender::new(params, guard(), settings, Duration::ZERO).unwrap();
    let memory = vec![vec![0; bytes]; params.chunks.into()];
    let mut receiver = Receiver::new(params, guard(), ReceiverSettings::default(), memory);
    let receiver = receiver.as_mut().unwrap();
    let (mut batch, mut report) = (Batch::new(), Vec::new());
    let (mut offered, mut arrived, mut failed) = (0, 0, Vec::new());
    let mut now = Duration::ZERO;
    while !sender.is_finished() && now < Duration::from_secs(60) {
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
    (arrived, sender.is_finished(), failed)
}

/// It is told like a dead lane, and what was to go over it goes over the other.
#[test]
fn a_sealed_lane_that_has_used_up_its_numbers() {
    assert_eq!(used_up(2), (CHUNKS, true, vec![0]));
    let (arrived, finished, failed) = used_up(1);
    assert!((3..CHUNKS).contains(&arrived) && !finished);
    assert_eq!(failed, [0]);
}
