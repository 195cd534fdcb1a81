// SPDX-License-Identifier: Apache-2.0
//! Capture files, pcap and pcapng, and the frames in them.

use crate::pipeline;
use ropewalk_io::capture;
use ropewalk_io::pcap::Writer;
use ropewalk_wire::chunk::dissect::{Form, frames};
use ropewalk_wire::chunk::frame::FRAME_HEADER;
use ropewalk_wire::htsp::frame::Frame;
use std::time::Duration;

/// Reads a file.
///
/// # Panics
/// A frame is longer than the file.
pub fn run(bytes: &[u8]) {
    let _ = capture::read(bytes, |packet| {
        assert!(packet.bytes.len() <= bytes.len());
        let _ = Frame::decode(packet.bytes);
        let carried = packet.datagram().map_or(0, |it| it.payload.len());
        assert!(carried <= packet.bytes.len());
    });
}

/// Looks at the frames of a session as one who has no part in it. Input: as that of the ends of a
/// pipeline; the datagrams are one behind the other.
///
/// # Panics
/// A frame is longer than what it was found in, or has another number of sub-packets than it says.
pub fn dissect(bytes: &[u8]) {
    let payload = pipeline::datagrams(bytes).concat();
    let (found, rest) = frames(&payload);
    let mut form = None;
    let mut length = rest.len();
    for (header, body) in found {
        let Some(body) = body else {
            return;
        };
        length += FRAME_HEADER + body.len();
        assert_eq!(FRAME_HEADER + body.len(), usize::from(header.length));
        if let Some(subs) = Form::read(&mut form, &header, body) {
            assert_eq!(subs.len(), usize::from(header.count));
        }
    }
    assert_eq!(length, payload.len());
}

/// Honest frames, checked and with parity.
#[must_use]
pub fn dissect_seeds() -> Vec<Vec<u8>> {
    [
        pipeline::receiver_seeds(),
        pipeline::receiver_erasure_seeds(),
    ]
    .concat()
}

/// A block of pcapng.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (12 + body.len()) as u32;
    let (kind, length) = (kind.to_le_bytes(), length.to_le_bytes());
    [&kind[..], &length, body, &length].concat()
}

/// A file of each kind.
///
/// # Panics
/// Memory cannot be written.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let mut pcap = Writer::new(Vec::new()).expect("memory");
    for second in 0..3 {
        let frame = pcap.frame(Duration::from_secs(second), &[second as u8; 70]);
        frame.expect("memory");
    }
    let pcap = pcap.into_inner();
    let section = [
        &0x1a2b_3c4d_u32.to_le_bytes()[..],
        &[1, 0, 0, 0],
        &[0xff; 8],
    ]
    .concat();
    let interface = [
        &[1, 0, 0, 0][..],
        &65_535_u32.to_le_bytes(),
        &[9, 0, 1, 0, 9, 0, 0, 0],
        &[0; 4],
    ]
    .concat();
    let packet = [&[0; 12][..], &[64, 0, 0, 0], &[64, 0, 0, 0], &[7; 64]].concat();
    let simple = [&[64, 0, 0, 0][..], &[8; 64]].concat();
    let pcapng = [
        block(0x0a0d_0d0a, &section),
        block(1, &interface),
        block(6, &packet),
        block(3, &simple),
    ];
    vec![pcap, pcapng.concat()]
}
