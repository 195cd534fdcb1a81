// SPDX-License-Identifier: Apache-2.0
//! A lane in one direction: words of 20 raw bits through a [`Channel`], whose words have 64.

use ropewalk_wire::line::code::Encoder;
use ropewalk_wire::line::{Disparity, Symbol};
use ropewalk_wire::slink::frame::{END, STP};

use crate::{Channel, ChannelConfig, SimError};

/// Raw bits of a lane and cycle.
pub(super) const WORD_BITS: u32 = 20;
/// Cycles that a word takes at least: 64 bits have to come together, whatever the phase between 20
/// and 64.
pub(super) const MIN_DELAY: u32 = 3;

/// One lane, one direction.
#[derive(Debug)]
pub(super) struct Lane {
    channel: Channel,
    /// Sent, not yet in the channel; the oldest bit is bit 0.
    sent: u128,
    sent_bits: u32,
    /// Out of the channel, not yet received.
    received: u128,
    received_bits: u32,
}

impl Lane {
    /// A lane with [`MIN_DELAY`] cycles and what the channel has.
    pub(super) fn new(config: &ChannelConfig) -> Result<Self, SimError> {
        Ok(Self {
            channel: Channel::new(config)?,
            sent: 0,
            sent_bits: 0,
            received: 0,
            received_bits: MIN_DELAY * WORD_BITS,
        })
    }

    /// Takes the word that is sent in a cycle and gives the one that arrives.
    #[inline]
    pub(super) fn transfer(&mut self, word: u32) -> u32 {
        self.sent |= u128::from(word) << self.sent_bits;
        self.sent_bits += WORD_BITS;
        if self.sent_bits >= 64 {
            let seen = self.channel.transfer(self.sent as u64);
            self.sent >>= 64;
            self.sent_bits -= 64;
            self.received |= u128::from(seen) << self.received_bits;
            self.received_bits += 64;
        }
        let word = self.received as u32 & ((1 << WORD_BITS) - 1);
        self.received >>= WORD_BITS;
        self.received_bits -= WORD_BITS;
        word
    }

    /// Bits flipped so far.
    pub(super) fn errors(&self) -> u64 {
        self.channel.errors()
    }
}

/// Watches the words of a transmitter: how many of them belong to packets, and when the first one
/// of a packet was sent.
#[derive(Debug)]
pub(super) struct Meter {
    starts: [Symbol; 2],
    ends: [Symbol; 2],
    inside: bool,
    /// Words from the starts of packets to their ends, both included.
    pub words: u64,
    /// Cycle of the first start since this was last emptied.
    pub first: Option<u64>,
}

impl Meter {
    pub(super) fn new() -> Self {
        let both = |character| {
            [Disparity::Negative, Disparity::Positive]
                .map(|rd| Encoder::with_disparity(rd).encode(character))
        };
        Self {
            starts: both(STP),
            ends: both(END),
            inside: false,
            words: 0,
            first: None,
        }
    }

    /// A cycle's words of the lanes in use.
    #[inline]
    pub(super) fn watch(&mut self, now: u64, words: &[u32]) {
        // The start is in the second symbol of every lane of its packet.
        if !self.inside && self.starts.contains(&((words[0] >> 10) as Symbol)) {
            self.inside = true;
            self.first.get_or_insert(now);
        }
        if self.inside {
            self.words += 1;
            let ends = |symbol: u32| self.ends.contains(&((symbol & 1023) as Symbol));
            self.inside = !words.iter().any(|word| ends(*word) || ends(word >> 10));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_out_as_they_went_in_after_a_fixed_delay() {
        for further in [0u32, 1, 5] {
            let config = ChannelConfig {
                delay_bits: u64::from(further * WORD_BITS),
                ..ChannelConfig::default()
            };
            let mut lane = Lane::new(&config).unwrap();
            let delay = (MIN_DELAY + further) as usize;
            let word = |i: usize| (i as u32).wrapping_mul(0x9e37_79b1) >> 12;
            for i in 0..1000usize {
                let want = i.checked_sub(delay).map_or(0, word);
                assert_eq!(lane.transfer(word(i)), want, "{i} at {further}");
            }
        }
    }

    #[test]
    fn a_packet_is_measured_from_its_start_to_its_end() {
        let mut meter = Meter::new();
        let idle = 0b00_1111_0011;
        for (now, words) in [
            [idle | idle << 10, 0],
            [idle | u32::from(meter.starts[1]) << 10, 0],
            [idle, 0],
            [idle, u32::from(meter.ends[0])],
            [idle, 0],
        ]
        .iter()
        .enumerate()
        {
            meter.watch(now as u64, words);
        }
        assert_eq!((meter.words, meter.first), (3, Some(1)));
    }
}
