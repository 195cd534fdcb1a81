// SPDX-License-Identifier: Apache-2.0
//! One direction of a run: its source, its sink and what is counted of them.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Delivery;
use crate::rifl::endpoint::Endpoint;
use crate::rifl::scoreboard::{Scoreboard, Verdict};
use crate::rifl::traffic::{Due, PacketSource};
use crate::{LatencyHistogram, SimError};

/// Decides with a fixed probability.
#[derive(Debug)]
pub(super) struct Coin {
    /// Probability times 2^64; 0: never.
    pub(super) threshold: u64,
    pub(super) rng: Xoshiro256PlusPlus,
}

impl Coin {
    pub(super) fn new(name: &'static str, probability: f64, seed: u64) -> Result<Self, SimError> {
        if !(0.0..1.0).contains(&probability) {
            return Err(SimError::BadParameter {
                name,
                message: format!("{probability} is not in 0 to below 1"),
            });
        }
        let threshold = (probability * (1u128 << 64) as f64) as u64;
        Ok(Self {
            threshold,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        })
    }

    #[inline]
    pub(super) fn toss(&mut self) -> bool {
        self.threshold != 0 && self.rng.next_u64() < self.threshold
    }
}

/// Sums over one sample of the time series.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Interval {
    pub(super) bytes: u64,
    pub(super) packets: u64,
    pub(super) latency_sum: u64,
    pub(super) latency_max: u64,
}

/// Source, sink and statistics of one direction. Times are femtoseconds.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) source: Box<dyn PacketSource>,
    pub(super) total: u64,
    pub(super) exhausted: bool,
    /// The packet being offered, before its first beat is accepted; then it lives in the
    /// scoreboard.
    pub(super) waiting: Option<Vec<u8>>,
    /// Bytes of the packet accepted so far.
    pub(super) accepted: usize,
    /// Bytes in the beat on offer; 0: none on offer.
    pub(super) offered: usize,
    pub(super) gap: Coin,
    pub(super) stall: Coin,
    /// User clock cycles of the sending end since both ends are up.
    pub(super) clock: u64,
    /// The cycle from which on the next beat may be offered, once it is known.
    pub(super) due: Option<u64>,

    pub(super) board: Scoreboard,
    /// The packet being delivered.
    pub(super) received: Vec<u8>,
    /// A beat of it had an impossible TKEEP.
    pub(super) malformed: bool,
    pub(super) received_from: u64,
    pub(super) in_packet: bool,

    pub(super) packets_sent: u64,
    pub(super) bytes_sent: u64,
    pub(super) packets_delivered: u64,
    pub(super) bytes_delivered: u64,
    pub(super) first_accepted: Option<u64>,
    pub(super) last_delivered: Option<u64>,
    pub(super) longest_gap: u64,
    pub(super) latency: LatencyHistogram,
    pub(super) interval: Interval,
    pub(super) payload: Option<Vec<u8>>,
    pub(super) deliveries: Option<Vec<Delivery>>,
}

impl Flow {
    /// A flow that has not begun; `keep`: what is delivered, and when.
    pub(super) fn new(
        source: Box<dyn PacketSource>,
        gap: Coin,
        stall: Coin,
        cycle_ns: f64,
        keep: (bool, bool),
    ) -> Self {
        Self {
            total: source.total(),
            source,
            exhausted: false,
            waiting: None,
            accepted: 0,
            offered: 0,
            gap,
            stall,
            clock: 0,
            due: None,
            board: Scoreboard::default(),
            received: Vec::new(),
            malformed: false,
            received_from: 0,
            in_packet: false,
            packets_sent: 0,
            bytes_sent: 0,
            packets_delivered: 0,
            bytes_delivered: 0,
            first_accepted: None,
            last_delivered: None,
            longest_gap: 0,
            latency: LatencyHistogram::new(cycle_ns),
            interval: Interval::default(),
            payload: keep.0.then(Vec::new),
            deliveries: keep.1.then(Vec::new),
        }
    }

    pub(super) fn done(&self) -> bool {
        self.exhausted && self.waiting.is_none() && self.board.is_settled()
    }

    /// The user of an end that is reset begins anew: what it was sending is not continued, what it
    /// was receiving is forgotten.
    pub(super) fn reset(&mut self, sender: bool) {
        if sender {
            self.offered = 0;
            self.accepted = 0;
        } else {
            self.in_packet = false;
            self.malformed = false;
        }
    }

    /// The beat on offer was accepted.
    pub(super) fn accept(&mut self, now_fs: u64, excused: bool) {
        if let Some(packet) = self.waiting.take() {
            self.first_accepted.get_or_insert(now_fs);
            self.board.begin(packet, now_fs, excused);
        }
        self.accepted += self.offered;
        self.offered = 0;
        let length = self.board.sending().len();
        if self.accepted == length {
            self.board.end();
            self.accepted = 0;
            self.packets_sent += 1;
            self.bytes_sent += length as u64;
        }
    }

    /// Offers the next beat, if there is one and no gap is due.
    pub(super) fn offer(&mut self, endpoint: &mut Endpoint) {
        if self.gap.toss() {
            return endpoint.offer_nothing();
        }
        if self.accepted == 0 && self.waiting.is_none() {
            let mut packet = self.board.buffer();
            while !self.exhausted {
                self.exhausted = !self.source.next_packet(&mut packet);
                if !self.exhausted && !packet.is_empty() {
                    self.waiting = Some(packet);
                    break;
                }
            }
        }
        let rest = match &self.waiting {
            Some(packet) => &packet[..],
            None if self.accepted == 0 => return endpoint.offer_nothing(),
            None => self.board.sending().get(self.accepted..).unwrap_or(&[]),
        };
        let due = *self
            .due
            .get_or_insert_with(|| match self.source.due(self.accepted) {
                Due::After(cycles) => self.clock.saturating_add(cycles),
                Due::At(cycle) => cycle,
            });
        if self.clock < due {
            return endpoint.offer_nothing();
        }
        self.due = None;
        let width = endpoint.beat_bytes();
        let beat = rest.get(..width).unwrap_or(rest);
        endpoint.offer(beat, rest.len() <= width);
        self.offered = beat.len();
    }

    /// A packet came to an end.
    pub(super) fn note(&mut self, now_fs: u64, verdict: Verdict) {
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.push(Delivery {
                bytes: self.received.len() as u64,
                first_fs: self.received_from,
                last_fs: now_fs,
                verdict,
            });
        }
    }

    /// A beat was delivered.
    pub(super) fn deliver(&mut self, beat: &crate::rifl::Beat<'_>, now_fs: u64, cycle_fs: f64) {
        if !self.in_packet {
            self.in_packet = true;
            self.received_from = now_fs;
            self.received.clear();
        }
        if let Some(last) = self.last_delivered {
            self.longest_gap = self.longest_gap.max(now_fs - last);
        }
        self.last_delivered = Some(now_fs);
        if beat.aborted {
            self.in_packet = false;
            self.malformed = false;
            let verdict = self.board.abort(&self.received);
            return self.note(now_fs, verdict);
        }
        match beat.bytes() {
            Some(bytes) => {
                self.received.extend_from_slice(bytes);
                self.bytes_delivered += bytes.len() as u64;
                self.interval.bytes += bytes.len() as u64;
            }
            None => self.malformed = true,
        }
        if beat.last {
            self.in_packet = false;
            self.packets_delivered += 1;
            if std::mem::take(&mut self.malformed) {
                // No packet sent is empty, so this one counts as corrupted.
                self.received.clear();
            }
            let verdict = self.board.deliver(&self.received);
            self.note(now_fs, verdict);
            if let Verdict::InOrder(accepted) = verdict {
                let cycles = ((self.received_from - accepted) as f64 / cycle_fs).round() as u64;
                self.latency.record(cycles);
                self.interval.packets += 1;
                self.interval.latency_sum += cycles;
                self.interval.latency_max = self.interval.latency_max.max(cycles);
            }
            if let Some(payload) = &mut self.payload {
                payload.extend_from_slice(&self.received);
            }
        }
    }
}
