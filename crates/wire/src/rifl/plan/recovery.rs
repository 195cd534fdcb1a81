// SPDX-License-Identifier: Apache-2.0
//! What a bit error costs: goodput and latency.
//!
//! Model, both directions saturated, errors independent, K = 2^id frames in the buffer, R frames
//! sent from the damaged one until its sender has seen eight requests (round trip + 8):
//!
//! * A damaged frame takes `forward` frames of new data from its own direction and `opposite`
//!   frames from the other, which sends requests and then Idle frames. Until both are over, any
//!   further error starts the time anew. With errors at the rate of both directions and all lanes
//!   this leaves the share `exp(-lanes FER (forward + opposite))`.
//! * Lanes stall each other: a segment waits for the slowest lane.
//! * Damaged, or sent behind the damaged one before the request came: R + 1 frames per error arrive
//!   late, by `late` frames. A further error in the decisive part of the resend (`decisive` frames
//!   of both directions) costs one procedure more, `again` frames.
//!
//! | | extended mode | compatible mode | published core |
//! |---|---|---|---|
//! | replay | the frames from the damaged one on | K - 1 frames back to back, tail of at most K - 16 | K frames, every second one, and a tail: 2.5 K + 1 |
//! | `forward` | R - 4 | K + 2 | 2.5 K + 1 |
//! | `opposite` | every fourth frame of a round trip, and two | K of requests, K Idle | 2 K - R - 5 of requests, K Idle |
//! | `late` | R - 4 | K | 2 K - R - 1 for the damaged frame, to 2 K - 1 for the last one behind it |
//! | `again` | R - 4 | 2 K - 16 | 2.5 K + 1 |
//!
//! The numbers of frames agree with simulations of both cores to within a frame or two, the share
//! to within 30 % of its exponent, part of which are the statistics of the simulations. Where more
//! than half is lost the link is of little use, and no percentiles of the latency are given.

use crate::rifl::params::{REQUEST_RUN, ROLLBACK};
use crate::rifl::{FrameWidth, IdWidth};

/// One core's way to recover. All in frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recovery {
    /// New frames that do not pass in the direction of the damaged frame.
    pub forward: f64,
    /// New frames that do not pass in the other direction.
    pub opposite: f64,
    /// Frames per error that arrive late.
    pub affected: f64,
    /// How late the damaged frame is.
    pub late_first: f64,
    /// How late the last frame behind it is.
    pub late_last: f64,
    /// One procedure more.
    pub again: f64,
    /// Frames of both directions that cost one procedure more if one of them is damaged.
    pub decisive: f64,
    /// The latest that a frame can be after a single error: one whose packet began just before its
    /// direction stopped.
    pub latest: f64,
}

impl Recovery {
    /// This core in extended mode, with a round trip in frames. The id width does not matter:
    /// nothing is replayed that is not missing.
    #[must_use]
    pub fn extended(round_trip_frames: f64) -> Self {
        let forward = round_trip_frames + 4.0;
        Self {
            forward,
            opposite: round_trip_frames / 4.0 + 2.0,
            affected: round_trip_frames + 1.0,
            late_first: forward,
            late_last: forward,
            again: forward,
            decisive: 2.0 * round_trip_frames,
            latest: forward,
        }
    }

    /// This core in compatible mode, with an id width and a round trip in frames.
    #[must_use]
    pub fn compatible(id: IdWidth, round_trip_frames: f64) -> Self {
        let k = f64::from(id.frames());
        let affected = round_trip_frames + f64::from(REQUEST_RUN) + 1.0;
        let (forward, opposite) = (k + 2.0, 2.0 * k);
        Self {
            forward,
            opposite,
            affected,
            late_first: k,
            late_last: k,
            again: k + f64::from(id.tail()),
            decisive: 2.0 * (affected + f64::from(ROLLBACK)),
            latest: forward.max(opposite),
        }
    }

    /// The published core.
    #[must_use]
    pub fn published(id: IdWidth, round_trip_frames: f64) -> Self {
        let k = f64::from(id.frames());
        let sent = round_trip_frames + f64::from(REQUEST_RUN);
        let forward = 2.5 * k + 1.0;
        let opposite = (2.0 * k - sent - 5.0).max(0.0) + k;
        Self {
            forward,
            opposite,
            affected: sent + 1.0,
            late_first: 2.0 * k - sent - 1.0,
            late_last: 2.0 * k - 1.0,
            again: forward,
            decisive: 0.5 * k + 2.0 * (sent + f64::from(ROLLBACK)),
            latest: forward.max(opposite),
        }
    }

    /// Goodput over goodput without errors, both directions loaded, `frame_errors` the probability
    /// that a frame is damaged ([`super::paper::frame_error_ratio`]).
    #[must_use]
    pub fn goodput_ratio(&self, lanes: u32, frame_errors: f64) -> f64 {
        (-f64::from(lanes) * frame_errors * (self.forward + self.opposite)).exp()
    }

    /// By how many frames the given share of frames is late at most (0.999: the 99.9th percentile);
    /// 0 while errors are too rare to show, none where more than half of the goodput is lost and
    /// the model does not hold.
    #[must_use]
    pub fn late_at(&self, share: f64, lanes: u32, frame_errors: f64) -> Option<f64> {
        if self.goodput_ratio(lanes, frame_errors) < 0.5 {
            return None;
        }
        let rate = f64::from(lanes) * frame_errors;
        let mut beyond = (rate * self.affected).min(1.0);
        let repeated = -(-rate * self.decisive).exp_m1();
        let tail = 1.0 - share;
        if beyond <= tail {
            return Some(0.0);
        }
        let mut procedures = 0.0;
        while beyond * repeated > tail {
            beyond *= repeated;
            procedures += 1.0;
        }
        // Within a procedure the frames are spread evenly between the first and the last.
        let place = 1.0 - tail / beyond;
        let within = self.late_first + place * (self.late_last - self.late_first);
        Some(procedures * self.again + within)
    }
}

/// Latency of an undisturbed link, first beat accepted to first beat delivered, in words of 64
/// bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// At the best phase of the two ends' clocks and of the beat in its frame period.
    pub least: u32,
    /// At the worst.
    pub most: u32,
}

/// Latency of this core between the two PHYs, without wire, with any number of lanes: what
/// `cores/rifl/README.md` budgets and, for packets of one segment, its test bench asserts edge by
/// edge.
///
/// With N words in a frame and U word clocks in a beat: the wait for the frame clock (none for one
/// group of lanes, U to N for more), N + 4, the wait for the user's clock (1 to U), U for one group
/// and 2 U for more. The first beat of a packet longer than a segment needs the second segment too.
/// With one group that comes a beat later. With more it is framed together with the first, unless
/// the first just caught its frame clock.
#[must_use]
pub fn pipeline(frame: FrameWidth, lanes: u32, user_width: u32, packet_bytes: u32) -> Words {
    let words = frame.words() as u32;
    let beat = (user_width / 64 / lanes.max(1)).max(1);
    let several = beat < words;
    let passes = if several { 2 * beat } else { beat };
    let (mut first, mut last) = if several { (beat, words) } else { (0, 0) };
    let group = user_width / u32::from(frame.bits());
    if packet_bytes > group * frame.payload_bytes() as u32 {
        first += if several { 2 * beat } else { beat };
        last += beat;
    }
    Words {
        least: first + words + 4 + 1 + passes,
        most: last + words + 4 + beat + passes,
    }
}

#[cfg(test)]
mod tests {
    use super::super::paper::frame_error_ratio;
    use super::*;

    fn id(bits: u32) -> IdWidth {
        IdWidth::new(bits).unwrap()
    }

    /// Gaps that simulations of the published core show after one error: (frame width, id width,
    /// frames until the request is seen, frames lost at the source, at the other sink, lateness of
    /// the damaged frame).
    #[test]
    fn the_published_core_after_one_error() {
        for (width, bits, sent, source, other, late) in [
            (
                256,
                6,
                60.0 / 4.0,
                648 / 4 - 1,
                Some(692.0 / 4.0),
                448.0 / 4.0,
            ),
            (
                256,
                6,
                128.0 / 4.0,
                648 / 4 - 1,
                Some(620.0 / 4.0),
                380.0 / 4.0,
            ),
            (512, 6, 108.0 / 8.0, 1296 / 8 - 1, None, 912.0 / 8.0),
            (256, 7, 60.0 / 4.0, 1288 / 4 - 1, None, 960.0 / 4.0),
            (256, 9, 60.0 / 4.0, 5128 / 4 - 1, None, 4032.0 / 4.0),
        ] {
            let recovery = Recovery::published(id(bits), sent - 8.0);
            assert_eq!(recovery.forward, f64::from(source), "{width} {bits}");
            assert!(
                (recovery.late_first - late).abs() <= 1.0,
                "{width} {bits}: {recovery:?}"
            );
            if let Some(other) = other {
                assert!(
                    (recovery.opposite - other).abs() <= 1.0,
                    "{width} {bits}: {recovery:?}"
                );
            }
        }
    }

    /// The same for this core, as `ropewalk bench rifl` prints it: (frame width, id width, gap at
    /// the source, at the other sink) in words.
    #[test]
    fn this_core_after_one_error() {
        for (width, bits, source, other) in [(256, 6, 268, 516), (512, 6, 528, 1024)] {
            let recovery = Recovery::compatible(id(bits), 14.0);
            let frames = |words| f64::from(words * 64 / width - 1);
            assert!(
                (recovery.forward - frames(source)).abs() <= 1.0,
                "{recovery:?}"
            );
            assert!(
                (recovery.opposite - frames(other)).abs() <= 1.0,
                "{recovery:?}"
            );
        }
    }

    /// Bandwidth left in simulations of the published core, lanes, frame width, id width, 35 words
    /// of wire. The rows at 1e-7 and 1e-6 rest on 9 to 100 errors.
    #[test]
    fn the_published_core_with_errors() {
        for (lanes, width, bits, round_trip, ratios) in [
            (
                1,
                256,
                6,
                24.0,
                &[(1e-7, 0.993), (1e-6, 0.90), (1e-5, 0.36)][..],
            ),
            (
                4,
                256,
                6,
                24.0,
                &[(1e-7, 0.966), (1e-6, 0.73), (1e-5, 0.03)],
            ),
            (
                1,
                512,
                6,
                14.5,
                &[(1e-7, 0.981), (1e-6, 0.80), (1e-5, 0.13)],
            ),
            (1, 256, 9, 24.0, &[(1e-7, 0.920), (1e-6, 0.43)]),
        ] {
            let recovery = Recovery::published(id(bits), round_trip);
            for &(ber, simulated) in ratios {
                let ratio = recovery.goodput_ratio(lanes, frame_error_ratio(width, ber));
                let (exponent, expected) = (-ratio.ln(), -f64::ln(simulated));
                assert!(
                    (exponent - expected).abs() < 0.3 * expected + 0.002,
                    "{lanes} lanes of {width} with id {bits} at {ber}: {ratio:.3}, simulated {simulated}"
                );
            }
        }
    }

    #[test]
    fn without_errors_nothing_is_lost_or_late() {
        let ours = Recovery::compatible(id(6), 24.0);
        assert_eq!(ours.goodput_ratio(4, 0.0), 1.0);
        assert_eq!(ours.late_at(0.9999, 4, 0.0), Some(0.0));
    }

    /// Bandwidth left in simulations of this core, lanes, frame width, bit error rate, 35 words of
    /// wire; and how late packets are behind one error, in frames.
    #[test]
    fn the_extended_mode_with_errors() {
        for (lanes, frame, ber, left) in [
            (1, 256, 1e-6, 0.990),
            (1, 256, 1e-5, 0.910),
            (1, 512, 1e-5, 0.885),
            (4, 256, 1e-6, 0.968),
            (4, 256, 1e-5, 0.728f64),
        ] {
            let recovery = Recovery::extended(2.0 * 35.0 * 64.0 / f64::from(frame) + 8.0);
            let errors = frame_error_ratio(frame, ber);
            let exponent = recovery.goodput_ratio(lanes, errors).ln() / left.ln();
            assert!(
                (0.7..1.3).contains(&exponent),
                "{lanes} {frame} {ber}: {exponent}"
            );
        }
        let late = Recovery::extended(2.0 * 35.0 / 4.0 + 8.0).late_first;
        assert!((late - 116.0 / 4.0).abs() < 1.0, "{late}");
    }

    #[test]
    fn this_core_never_does_worse_than_the_published_one() {
        for bits in 6..=12 {
            for round_trip in [10.0, f64::from(id(bits).rtt_limit())] {
                let (ours, theirs) = (
                    Recovery::compatible(id(bits), round_trip),
                    Recovery::published(id(bits), round_trip),
                );
                for errors in [1e-8, 1e-5, 1e-3] {
                    assert!(ours.goodput_ratio(1, errors) >= theirs.goodput_ratio(1, errors));
                }
            }
        }
    }

    /// A published simulation of the paper's procedure (K = 256, 12 frames one way) saw the 99.9th
    /// percentile leave the floor near 3e-7, the 99th near 1.8e-6, and steps of about 510 and 640
    /// frames.
    #[test]
    fn percentiles_rise_in_steps() {
        let recovery = Recovery::published(id(8), 24.0);
        let late = |share, ber| {
            recovery
                .late_at(share, 1, frame_error_ratio(256, ber))
                .unwrap()
        };
        assert_eq!(late(0.999, 1e-7), 0.0);
        assert_eq!(late(0.99, 1e-6), 0.0);
        for (share, ber, steps) in [
            (0.9999, 1e-7, 1.0),
            (0.999, 3e-7, 1.0),
            (0.99, 1.8e-6, 1.0),
            (0.9999, 1e-6, 2.0),
        ] {
            let expected = 505.0 + (steps - 1.0) * 641.0;
            let found = late(share, ber);
            assert!(
                (found - expected).abs() < 30.0,
                "{share} at {ber}: {found}, {expected}"
            );
        }
        // Never less late with more errors, nor for a larger share.
        let mut before = 0.0;
        for step in 0..60 {
            let found = late(0.999, 1e-9 * 10f64.powf(f64::from(step) / 20.0));
            assert!(found >= before);
            before = found;
        }
        assert!(before > 0.0);
        assert_eq!(recovery.late_at(0.5, 1, 0.1), None);
    }

    #[test]
    fn the_pipeline_has_its_budget() {
        let (narrow, wide) = (FrameWidth::W256, FrameWidth::W512);
        for (frame, lanes, user_width, bytes, least, most) in [
            (narrow, 1, 256, 30, 13, 16),
            (narrow, 1, 256, 31, 17, 20),
            (wide, 1, 512, 62, 21, 28),
            (wide, 1, 512, 63, 29, 36),
            // One group of four lanes is like one lane, with a segment four times as long.
            (narrow, 4, 1024, 120, 13, 16),
            (narrow, 4, 1024, 121, 17, 20),
            // Four groups of one lane.
            (narrow, 4, 256, 30, 12, 15),
            (narrow, 4, 256, 31, 14, 16),
        ] {
            let found = pipeline(frame, lanes, user_width, bytes);
            assert_eq!(
                found,
                Words { least, most },
                "{frame} {lanes} {user_width} {bytes}"
            );
        }
    }
}
