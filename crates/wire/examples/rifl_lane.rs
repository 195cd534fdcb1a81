// SPDX-License-Identifier: Apache-2.0
//! A packet over one RIFL lane whose wire damages a frame now and then: the receiver requests a
//! retransmission, and the packet arrives once, in order and unchanged.
//! `cargo run -p ropewalk-wire --example rifl_lane`.

use ropewalk_wire::rifl::{
    FrameWidth, IdWidth, LaneParams, ParamError, Receiver, Segment, Transmitter, TxInputs,
};

/// Every how many frames a bit is flipped.
const DAMAGED: u64 = 97;

fn main() -> Result<(), ParamError> {
    let (width, id) = (FrameWidth::new(256)?, IdWidth::new(6)?);
    let params = LaneParams::new(width, id);
    let mut ends = [0, 1].map(|_| (Transmitter::new(params), Receiver::new(params)));

    let packet: Vec<u8> = (0..6000u32).map(|byte| byte as u8).collect();
    let mut segments = packet.chunks(width.payload_bytes()).peekable();
    let mut arrived: Vec<u8> = Vec::new();
    let (mut frames, mut resends) = (0u64, 0u64);

    while arrived.len() < packet.len() {
        let next = segments.peek().copied();
        let last = segments.len() == 1;
        let segment = next.and_then(|bytes| Segment::new(width, bytes, last));
        let user = segment.as_ref();
        // Each end sends one frame; only the first one has data.
        let sent = [user, None].into_iter().zip(&mut ends);
        let ticks: Vec<_> = sent
            .map(|(user, (transmitter, receiver))| {
                let seen = receiver.flags();
                transmitter.tick(&TxInputs {
                    rx_up: seen.up,
                    rx_error: seen.error,
                    pause_req: seen.pause_req,
                    retrans_req: seen.retrans_req,
                    remote_fc: seen.remote_fc,
                    user,
                    ..TxInputs::default()
                })
            })
            .collect();
        if ticks[0].user_taken {
            segments.next();
        }
        resends += u64::from(ticks[0].retransmission_start);
        frames += 1;

        let mut frame = ticks[0].frame;
        if frames.is_multiple_of(DAMAGED) {
            frame.words_mut()[1] ^= 1 << 20;
        }
        if let Some(segment) = ends[1].1.frame(&frame, true).segment {
            arrived.extend(segment.bytes());
        }
        ends[0].1.frame(&ticks[1].frame, true);
    }
    assert_eq!(arrived, packet);
    println!(
        "{} bytes in {frames} frame times, {resends} retransmissions",
        packet.len()
    );
    Ok(())
}
