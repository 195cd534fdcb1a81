// SPDX-License-Identifier: Apache-2.0
//! Frames of the links, HTSP and RIFL.

use crate::input::{Input, record};
use ropewalk_wire::htsp::frame::{Frame as HtspFrame, HEADER, Header, Mac};
use ropewalk_wire::htsp::{Endpoint, Last, Params};
use ropewalk_wire::rifl::ext::Announcement;
use ropewalk_wire::rifl::link::{Link, LinkConfig};
use ropewalk_wire::rifl::{Control, Frame, FrameWidth, IdWidth, Kind, LaneParams};
use std::time::Duration;

const HERE: Mac = Mac([2, 0, 0, 0, 0, 1]);
const THERE: Mac = Mac([2, 0, 0, 0, 0, 2]);

fn end(local: Mac) -> Endpoint {
    let params = Params {
        channels: 3,
        queue: 1 << 14,
        buffer: 1 << 14,
        pause_at: 1 << 13,
        ..Params::new(local)
    };
    Endpoint::new(params).expect("an end")
}

/// Frames of HTSP into an end. Input: steps of a byte of options (bit 0: the checksum is left as it
/// is, bit 1: damaged, bit 2: the line goes, bit 3: the user reads), a byte of milliseconds, and a
/// record, the frame.
///
/// # Panics
/// A user gets more than its buffer holds, or a frame says something else when it is written again.
pub fn htsp(bytes: &[u8]) {
    let mut input = Input(bytes);
    let (mut end, mut now) = (end(HERE), Duration::ZERO);
    while !input.is_empty() {
        let (options, later) = (input.byte(), input.byte());
        now += Duration::from_millis(later.into());
        let mut frame = input.record().to_vec();
        if options & 1 == 0
            && let Some(beat) = frame.first_chunk_mut::<HEADER>()
        {
            *beat = Header::decode(beat).encode();
        }
        if let Ok(read) = HtspFrame::decode(&frame) {
            let beat = frame.first_chunk::<HEADER>().expect("it has a header");
            assert_eq!(Header::decode(beat), read.header);
        }
        if options & 4 > 0 {
            end.set_phy(now, options & 16 > 0);
        }
        end.receive(now, &frame, options & 2 > 0);
        while end.poll_event().is_some() {}
        for channel in 0..4 {
            let mut taken = 0;
            while options & 8 > 0
                && let Some(piece) = end.pop(channel)
            {
                taken += piece.bytes.len();
            }
            assert!(taken <= 1 << 14);
        }
        while end.poll_transmit(now).is_some() {}
        let _ = end.next_timeout();
    }
}

/// What one end of HTSP sends to another.
#[must_use]
pub fn htsp_seeds() -> Vec<Vec<u8>> {
    let (mut near, mut far) = (end(HERE), end(THERE));
    let mut input = Vec::new();
    for milliseconds in 0..40_u64 {
        let now = Duration::from_millis(milliseconds);
        let bytes = vec![milliseconds as u8; 64 * (1 + milliseconds as usize % 9)];
        let _ = far.push((milliseconds % 3) as u8, &bytes, Last::Yes);
        let mut later = 1;
        while let Some(frame) = far.poll_transmit(now) {
            input.extend([8, later]);
            record(&mut input, &frame);
            near.receive(now, &frame, false);
            later = 0;
        }
        while let Some(frame) = near.poll_transmit(now) {
            far.receive(now, &frame, false);
        }
    }
    vec![input]
}

fn widths() -> [FrameWidth; 3] {
    [128, 256, 512].map(|bits| FrameWidth::new(bits).expect("a width"))
}

/// Frames of RIFL: alone, as any words; and on a line between two ends, with any changes. Input: a
/// byte, the width; words; then frame times until the next change, and what is changed.
///
/// # Panics
/// A frame or an announcement says something else when it is written again, or a segment comes
/// changed though every change was seen.
pub fn rifl(bytes: &[u8]) {
    let mut input = Input(bytes);
    let widths = widths();
    let width = widths[usize::from(input.byte()) % widths.len()];
    let words: Vec<u64> = (0..width.words()).map(|_| input.long()).collect();
    let frame = Frame::from_words(&words).expect("the words of a frame");
    if let Some(segment) = frame.segment() {
        let again = Frame::user(width, &segment).segment();
        assert_eq!(again, Some(segment));
    }
    let _ = frame.masked(width);
    let key = match frame.kind() {
        Kind::Control(key) => key,
        _ => Control::Idle,
    };
    if let Ok(said) = Announcement::decode(key, frame.reserved()) {
        let again = Announcement::decode(key, said.bits(key));
        assert_eq!(again, Ok(said));
    }
    let lane = LaneParams::new(width, IdWidth::new(8).expect("a width"));
    let mut link = Link::new(LinkConfig::saturated(lane, 12, 1)).expect("a link");
    assert!(link.bring_up(5000));
    let mut until = u64::from(input.byte());
    let mut left = Input(input.0);
    link.run(1500, |_, _, frame| {
        if until > 0 {
            until -= 1;
        } else if !left.is_empty() {
            let (word, bit) = (left.byte(), left.byte());
            let count = frame.words().len();
            frame.words_mut()[usize::from(word) % count] ^= 1 << (bit % 64);
            until = u64::from(left.byte());
        }
    });
    let unseen = link.end(0).unseen() + link.end(1).unseen();
    assert!(unseen > 0 || link.clean(), "lost, doubled or changed");
}

/// A line with some changes.
#[must_use]
pub fn rifl_seeds() -> Vec<Vec<u8>> {
    let segment = |width: FrameWidth| {
        let segment = ropewalk_wire::rifl::Segment::new(width, b"some bytes", true);
        let frame = Frame::user(width, &segment.expect("a segment"));
        let words = frame.words().iter();
        words
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let changes: Vec<u8> = (0..60).map(|at: u8| at.wrapping_mul(37)).collect();
    let widths = widths();
    let inputs = widths
        .into_iter()
        .zip(0..)
        .map(|(width, number)| [&[number], &segment(width)[..], &changes].concat());
    inputs.collect()
}
