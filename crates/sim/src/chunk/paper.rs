// SPDX-License-Identifier: Apache-2.0
//! The experiments of the paper (tables I and II, figures 10 and 11), in its sizes and in virtual
//! time.

use super::link::Link;
use ropewalk_channel::Settings;
use ropewalk_wire::chunk::{
    AckTimer, Pace, Params, Phases, ReceiverSettings, SenderSettings, frame::FRAME_HEADER,
    subpacket::SUB_HEADER,
};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// Bits per second of a lane.
const RATE: u64 = 10_000_000_000;
/// Preamble and gap of an Ethernet frame, bytes.
const GAP: usize = 20;
/// Pause after which the receiver reports by itself, again and again: two and a half frames.
const TIMER: Duration = Duration::from_micros(20);

/// A pipeline of lanes of 10 Gb/s each, of which the sender sees when they are free.
#[derive(Debug, Clone, Copy)]
pub struct Pipeline {
    /// Lanes.
    pub lanes: u8,
    /// When what was lost is sent again.
    pub phases: Phases,
    /// Chunks that the receiver holds.
    pub chunks: u16,
    /// Round-trip time.
    pub rtt: Duration,
    /// Share of sub-packets that count as damaged.
    pub loss: f64,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Carried {
    /// From one chunk that is complete to the next, on average.
    pub chunk: Duration,
    /// Sub-packets of a chunk that were sent again, on average.
    pub resent: f64,
    /// Bytes of frames with sub-packets, without what was sent again, that are not payload, for
    /// each chunk.
    pub overhead: f64,
}

impl Carried {
    /// Payload per second, in Gb/s.
    #[must_use]
    pub fn gbps(&self) -> f64 {
        Params::PAPER.chunk_bytes() as f64 * 8e-9 / self.chunk.as_secs_f64()
    }
}

impl Pipeline {
    /// One lane with the two phases. Round trip and timer are not in the paper: together they are
    /// the 42.5 us that its tables give as the turn-around.
    pub const PAPER: Pipeline = Pipeline {
        lanes: 1,
        phases: Phases::Separate,
        chunks: 2,
        rtt: Duration::from_micros(22),
        loss: 0.0,
    };

    /// Time of a chunk on the lines, if nothing is lost and nobody waits.
    #[must_use]
    pub fn line_time(&self) -> Duration {
        let frames = Params::PAPER.frames();
        let bytes = frames * (Params::PAPER.frame_bytes() + GAP);
        Duration::from_secs_f64(bytes as f64 * 8.0 / RATE as f64 / f64::from(self.lanes))
    }

    /// Sends chunks one after the other, and measures `chunks` of them in the midst of others.
    ///
    /// # Panics
    /// They do not arrive, or a byte differs.
    #[must_use]
    pub fn carry(&self, chunks: usize, seed: u64) -> Carried {
        let params = Params {
            lanes: self.lanes,
            chunks: self.chunks,
            ..Params::PAPER
        };
        let channel = Settings {
            rate: Some(RATE),
            overhead: GAP,
            queue: 2 * (params.frame_bytes() + GAP),
            delay: self.rtt / 2,
            ..Settings::default()
        };
        let send = SenderSettings {
            phases: self.phases,
            pace: Pace::Free,
            buffer: (RATE as f64 / 4.0 * self.rtt.as_secs_f64()) as usize + (1 << 20),
            ..SenderSettings::default()
        };
        let mut receive = ReceiverSettings::default();
        let around = match self.phases {
            Phases::Separate => {
                receive.timer = AckTimer {
                    first: TIMER,
                    longest: TIMER,
                };
                (1, 0)
            }
            Phases::Overlapped => (1 + usize::from(self.chunks), usize::from(self.chunks) - 1),
        };
        let mut link = Link::new(params, send, receive, &channel, seed);
        link.receiver.discard(self.loss, seed);
        let sent = Rc::new(Cell::new(0));
        let count = sent.clone();
        link.filter = Box::new(move |passing| {
            if passing.forth && passing.bytes.len() > FRAME_HEADER + SUB_HEADER {
                count.set(count.get() + passing.bytes.len());
            }
            true
        });
        let total = around.0 + chunks + around.1;
        link.transfer(total, params.chunk_bytes(), Duration::from_secs(60));
        let from = link.delivered[around.0 - 1].1;
        let time = link.delivered[around.0 + chunks - 1].1 - from;
        let resent = link.sender.counters().resent as f64;
        let again = resent * params.stride() as f64;
        let payload = (total * params.chunk_bytes()) as f64;
        Carried {
            chunk: time / chunks as u32,
            resent: resent / total as f64,
            overhead: (sent.get() as f64 - again - payload) / total as f64,
        }
    }
}
