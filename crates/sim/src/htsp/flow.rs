// SPDX-License-Identifier: Apache-2.0
//! One channel in one direction: packets that are made, and what has become of them.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::end::{Beat, WORD};
use crate::LatencyHistogram;

/// What was sent and is not accounted for.
#[derive(Debug)]
struct Sent {
    bytes: usize,
    digest: u64,
    taken_at: u64,
}

/// Counts of a channel, or of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Packets handed over to their last word.
    pub frames_sent: u64,
    /// Packets that arrived whole, once, in order, unchanged.
    pub frames_delivered: u64,
    /// Ends with an error mark: packets that were damaged or cut, or marks that stand for lost
    /// ones.
    pub errored: u64,
    /// Packets that are missing, beyond the marks of this channel.
    pub lost: u64,
    /// Packets without an error mark that nobody has sent, or that came twice or in another order.
    pub corrupted: u64,
    /// Bytes of the packets that arrived whole.
    pub bytes_delivered: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.frames_sent += other.frames_sent;
        self.frames_delivered += other.frames_delivered;
        self.errored += other.errored;
        self.lost += other.lost;
        self.corrupted += other.corrupted;
        self.bytes_delivered += other.bytes_delivered;
    }
}

/// A channel in one direction.
#[derive(Debug)]
pub(super) struct Flow {
    random: Xoshiro256PlusPlus,
    sizes: (u32, u32),
    /// Bytes of a beat.
    width: usize,
    left: u64,
    /// The packet that is being handed over, and how much of it was.
    packet: Vec<u8>,
    at: usize,
    taken_at: u64,
    sent: VecDeque<Sent>,
    part: Vec<u8>,
    began_at: u64,
    counts: Counts,
}

fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

impl Flow {
    pub(super) fn new(packets: u64, sizes: (u32, u32), width: u8, seed: u64) -> Self {
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            sizes,
            width: usize::from(width),
            left: packets,
            packet: Vec::new(),
            at: 0,
            taken_at: 0,
            sent: VecDeque::new(),
            part: Vec::new(),
            began_at: 0,
            counts: Counts::default(),
        }
    }

    /// The beat that is offered to the core, if there is one.
    pub(super) fn offered(&mut self) -> Option<Beat> {
        if self.packet.is_empty() {
            if self.left == 0 {
                return None;
            }
            self.left -= 1;
            let (min, max) = self.sizes;
            let span = u64::from(max - min) + 1;
            let size = min + ((u128::from(self.random.next_u64()) * u128::from(span)) >> 64) as u32;
            self.packet.resize(size as usize, 0);
            self.random.fill_bytes(&mut self.packet);
            self.at = 0;
        }
        let rest = &self.packet[self.at..];
        let bytes = rest.len().min(self.width);
        let mut data = [0; WORD];
        data[..bytes].copy_from_slice(&rest[..bytes]);
        Some(Beat {
            data,
            bytes: bytes as u8,
            last: rest.len() <= self.width,
            error: false,
        })
    }

    /// The core has taken what was offered.
    pub(super) fn taken(&mut self, now: u64) {
        if self.at == 0 {
            self.taken_at = now;
        }
        self.at += self.width;
        if self.at >= self.packet.len() {
            self.counts.frames_sent += 1;
            self.sent.push_back(Sent {
                bytes: self.packet.len(),
                digest: digest(&self.packet),
                taken_at: self.taken_at,
            });
            self.packet.clear();
        }
    }

    /// A beat has come out.
    pub(super) fn came(&mut self, now: u64, beat: &Beat, latency: &mut LatencyHistogram) {
        if self.part.is_empty() {
            self.began_at = now;
        }
        self.part.extend_from_slice(beat.content());
        if !beat.last {
            return;
        }
        if beat.error {
            self.counts.errored += 1;
        } else {
            let (bytes, digest) = (self.part.len(), digest(&self.part));
            // A packet may come out before its last word was looked at here: it is sent by then, as
            // a beat takes cycles.
            let found = |sent: &Sent| sent.bytes == bytes && sent.digest == digest;
            match self.sent.iter().position(found) {
                Some(skipped) => {
                    self.counts.lost += skipped as u64;
                    self.counts.frames_delivered += 1;
                    self.counts.bytes_delivered += bytes as u64;
                    latency.record(self.began_at - self.sent[skipped].taken_at);
                    self.sent.drain(..=skipped);
                }
                None => self.counts.corrupted += 1,
            }
        }
        self.part.clear();
    }

    /// Whether everything was handed over.
    pub(super) fn is_done(&self) -> bool {
        self.left == 0 && self.packet.is_empty()
    }

    /// Whether nothing is missing any more.
    pub(super) fn is_settled(&self) -> bool {
        self.is_done() && self.sent.is_empty() && self.part.is_empty()
    }

    /// The counts at the end of a run: what has not come by then is missing. A mark stands for one
    /// missing packet.
    pub(super) fn finish(&self) -> Counts {
        let mut counts = self.counts;
        counts.lost = (counts.lost + self.sent.len() as u64).saturating_sub(counts.errored);
        counts
    }
}
