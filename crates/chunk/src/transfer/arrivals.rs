// SPDX-License-Identifier: Apache-2.0
//! What the lanes of a receiving pipeline bring, for whoever watches.

use crate::end::ReceiveEnd;
use ropewalk_wire::chunk::frame::FrameSeq;
use std::time::Duration;

/// Time over which a rate is measured.
const LOOK: Duration = Duration::from_millis(250);

/// What a lane has brought.
#[derive(Debug, Clone, Copy, Default)]
pub struct Arrivals {
    /// Bytes per second of sub-packets, as they are on the wire.
    pub rate: f64,
    /// Share of the frames that has not arrived.
    pub lost: f64,
    /// Frames that were sent, as far as is known.
    pub known: u64,
    /// Frames of these that have not arrived.
    pub missing: u64,
    /// Sub-packets that were damaged.
    pub damaged: u64,
}

/// What was known of a lane at the last look.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    highest: Option<FrameSeq>,
    frames: u32,
    sent: u64,
    arrived: u64,
    sub_packets: u64,
}

impl Known {
    /// Counts the frames that have arrived since, as far as the last one whose number is known.
    fn look(&mut self, highest: Option<FrameSeq>, frames: u32) {
        let Some(highest) = highest else {
            return;
        };
        self.sent += match self.highest {
            None => u64::from(highest.get()) + 1,
            Some(before) => highest.since(before).max(0) as u64,
        };
        self.arrived += u64::from(frames.wrapping_sub(self.frames));
        (self.highest, self.frames) = (Some(highest), frames);
    }

    fn lost(&self) -> f64 {
        self.sent.saturating_sub(self.arrived) as f64 / self.sent.max(1) as f64
    }
}

/// Watches the lanes of a pipeline.
#[derive(Debug, Default)]
pub struct Meter {
    at: Duration,
    lanes: Vec<Known>,
}

impl Meter {
    /// What the lanes bring, if it is time for another look.
    pub fn look<B: AsMut<[u8]>>(
        &mut self,
        end: &ReceiveEnd<B>,
        stride: usize,
    ) -> Option<Vec<Arrivals>> {
        let now = end.now();
        let elapsed = now.saturating_sub(self.at);
        if elapsed < LOOK {
            return None;
        }
        self.at = now;
        let mut all = Vec::new();
        while let Some(lane) = end.receiver.lane(all.len() as u8) {
            if self.lanes.len() == all.len() {
                self.lanes.push(Known::default());
            }
            let (known, heard) = (&mut self.lanes[all.len()], lane.heard(now));
            known.look(heard.highest, heard.frames);
            let sub_packets = lane.counters().sub_packets;
            let arrived = sub_packets - std::mem::replace(&mut known.sub_packets, sub_packets);
            all.push(Arrivals {
                rate: arrived as f64 * stride as f64 / elapsed.as_secs_f64(),
                lost: known.lost(),
                known: known.sent,
                missing: known.sent.saturating_sub(known.arrived),
                damaged: lane.counters().damaged,
            });
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also where the numbers of frames begin anew.
    #[test]
    fn frames_are_counted() {
        let mut known = Known::default();
        known.look(None, 0);
        assert_eq!(known.lost(), 0.0);
        known.look(Some(FrameSeq::new(9)), 8);
        assert_eq!((known.sent, known.arrived), (10, 8));
        assert!((known.lost() - 0.2).abs() < 1e-9);
        known.look(Some(FrameSeq::new(9)), 8);
        assert_eq!((known.sent, known.arrived), (10, 8));
        let mut known = Known {
            highest: Some(FrameSeq::new(u32::MAX)),
            frames: u32::MAX,
            sent: 10,
            arrived: 10,
            sub_packets: 0,
        };
        known.look(Some(FrameSeq::new(u32::MAX).next()), 0);
        assert_eq!((known.sent, known.arrived), (11, 11));
    }
}
