// SPDX-License-Identifier: Apache-2.0
//! What a link carries, in virtual time: exact, and the same on every machine.

use super::link::Link;
use ropewalk_channel::Settings;
use ropewalk_wire::chunk::{Pace, Params, ReceiverSettings, SenderSettings};
use std::time::Duration;

/// Chunks that pass before the clock starts.
const WARM: usize = 6;

/// A line of `rate` bits per second, of which the sender sees when it is free, with a chunk of 1.34
/// times what fills it there and back (the paper's 16.8 MB at 10 Gb/s and 10 ms).
#[derive(Debug, Clone)]
pub struct Line {
    /// Bits per second.
    pub rate: u64,
    /// Round-trip time.
    pub rtt: Duration,
    /// Share of sub-packets that arrive damaged.
    pub loss: f64,
    /// Chunks that the receiver holds.
    pub chunks: u16,
    /// Bytes that wait in front of the line, whose state the sender does not see: it has to find
    /// the rate. None: it sees when the line is free.
    pub blind: Option<usize>,
}

/// What a line has carried.
#[derive(Debug, Clone, Copy)]
pub struct Carried {
    /// Payload per second, as a share of the rate.
    pub goodput: f64,
    /// Sub-packets sent again, as a share of those sent.
    pub resent: f64,
    /// Sub-packets sent again for nothing, as a share of those sent.
    pub duplicates: f64,
}

impl Line {
    /// Sends `chunks` chunks one after the other.
    ///
    /// # Panics
    /// They do not arrive.
    #[must_use]
    pub fn carry(&self, chunks: usize, seed: u64) -> Carried {
        let bytes = self.rate as f64 / 8.0 * self.rtt.as_secs_f64();
        let per_chunk = (bytes * 1.3425 / f64::from(Params::PAPER.payload) / 8.0) as u16 * 8;
        let params = Params {
            per_chunk,
            chunks: self.chunks,
            ..Params::PAPER
        };
        let settings = Settings {
            rate: Some(self.rate),
            queue: self.blind.unwrap_or(2 * params.frame_bytes()),
            delay: self.rtt / 2,
            ..Settings::default()
        };
        let send = SenderSettings {
            pace: if self.blind.is_some() {
                Pace::Found
            } else {
                Pace::Free
            },
            buffer: bytes as usize * 2,
            ..SenderSettings::default()
        };
        let mut link = Link::new(params, send, ReceiverSettings::default(), &settings, seed);
        link.waits = self.blind.is_none();
        link.receiver.discard(self.loss, seed);
        link.transfer(WARM + chunks, params.chunk_bytes(), 1000 * self.rtt * 100);
        let time = link.delivered[WARM + chunks - 1].1 - link.delivered[WARM - 1].1;
        let bits = (chunks * params.chunk_bytes() * 8) as f64;
        let counters = link.sender.counters();
        let sent = (counters.sub_packets + counters.resent) as f64;
        Carried {
            goodput: bits / time.as_secs_f64() / self.rate as f64,
            resent: counters.resent as f64 / sent,
            duplicates: counters.duplicates as f64 / sent,
        }
    }
}
