// SPDX-License-Identifier: Apache-2.0
//! A lane in one direction: words of 20 or 16 raw bits through a [`Channel`], whose words have 64.

use ropewalk_wire::line::code::Encoder;
use ropewalk_wire::line::{BlockDecoder, Disparity, Symbol, blocks};
use ropewalk_wire::slink::frame::{END, STP};
use ropewalk_wire::slink::mode::LineMode;
use ropewalk_wire::slink::regs::Coding;

use crate::{Channel, ChannelConfig, CutKind, SimError};

/// Bits between the words of two lanes at a port.
pub(super) const PORT_BITS: u32 = 20;
/// Cycles that a word takes at least: 64 bits have to come together, whatever the phase between a
/// word and 64.
pub(super) const MIN_DELAY: u32 = 3;
/// Bits of a word of the channel.
pub(super) const CHANNEL_BITS: u32 = 64;

/// One lane, one direction.
#[derive(Debug)]
pub(super) struct Lane {
    channel: Channel,
    /// Raw bits of a word.
    width: u32,
    /// Sent, not yet in the channel; the oldest bit is bit 0.
    sent: u128,
    sent_bits: u32,
    /// Out of the channel, not yet received.
    received: u128,
    received_bits: u32,
}

impl Lane {
    /// A lane for words of `width` bits with [`MIN_DELAY`] cycles and what the channel has.
    pub(super) fn new(config: &ChannelConfig, width: u32) -> Result<Self, SimError> {
        Ok(Self {
            channel: Channel::new(config)?,
            width,
            sent: 0,
            sent_bits: 0,
            received: 0,
            received_bits: MIN_DELAY * width,
        })
    }

    /// From now on words have this number of bits. What is not in the channel is lost.
    pub(super) fn set_width(&mut self, width: u32) {
        (self.width, self.sent, self.sent_bits) = (width, 0, 0);
        (self.received, self.received_bits) = (0, MIN_DELAY * width);
    }

    /// For the next `bits` bits, about, the receiver sees something else.
    pub(super) fn cut(&mut self, bits: u64, kind: CutKind) {
        let words = bits.div_ceil(u64::from(CHANNEL_BITS)).max(1);
        // It refuses no words, and repetitions of more than it keeps, which no cut of a line is.
        let _ = self.channel.cut_now(words, kind);
    }

    /// Takes the word that is sent in a cycle and gives the one that arrives.
    #[inline]
    pub(super) fn transfer(&mut self, word: u32) -> u32 {
        let mask = (1 << self.width) - 1;
        self.sent |= u128::from(word & mask) << self.sent_bits;
        self.sent_bits += self.width;
        if self.sent_bits >= CHANNEL_BITS {
            let seen = self.channel.transfer(self.sent as u64);
            self.sent >>= CHANNEL_BITS;
            self.sent_bits -= CHANNEL_BITS;
            self.received |= u128::from(seen) << self.received_bits;
            self.received_bits += CHANNEL_BITS;
        }
        let word = self.received as u32 & mask;
        self.received >>= self.width;
        self.received_bits -= self.width;
        word
    }

    /// Bits flipped so far.
    pub(super) fn errors(&self) -> u64 {
        self.channel.errors()
    }
}

/// Kinds of control words in 64b/66b: the start of a packet; its end, also of one that is sent
/// damaged.
const START_KIND: u8 = 1;
const END_KINDS: [u8; 3] = [5, 6, 7];

/// What a transmitter has sent of packets, from start to end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Packets {
    /// Words of all lanes in use.
    pub words: u64,
    /// Bytes that they have room for.
    pub bytes: u64,
    /// Femtoseconds that they take, the bits that the line code adds included.
    pub line_fs: u64,
    /// Time of the first start, in femtoseconds.
    pub first: Option<u64>,
}

/// Watches the words of a transmitter: those that belong to packets.
#[derive(Debug)]
pub(super) struct Meter {
    starts: [Symbol; 2],
    ends: [Symbol; 2],
    blocks: BlockDecoder,
    inside: bool,
    /// Bytes and time of a word.
    word: (u64, u64),
    /// Since this was last emptied.
    pub packets: Packets,
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
            blocks: BlockDecoder::default(),
            inside: false,
            word: (0, 0),
            packets: Packets::default(),
        }
    }

    /// The transmitter has been reset, and has this mode: there is no packet.
    pub(super) fn restart(&mut self, mode: LineMode) {
        self.inside = false;
        self.blocks = BlockDecoder::default();
        let time = match mode.coding {
            Coding::Code8b10b => mode.cycle_fs(),
            // One cycle of 33 sends no word.
            Coding::Code64b66b => mode.cycle_fs() * 33 / 32,
        };
        self.word = (2 * mode.lanes.count() as u64, time);
    }

    /// A cycle's words of the lanes in use, in 8b/10b.
    #[inline]
    pub(super) fn watch(&mut self, now: u64, words: &[u32]) {
        // The start is in the second symbol of every lane of its packet.
        let starts = self.starts.contains(&((words[0] >> 10) as Symbol));
        let inside = self.inside || starts;
        let ends = |symbol: u32| self.ends.contains(&((symbol & 1023) as Symbol));
        let ended = inside && words.iter().any(|word| ends(*word) || ends(word >> 10));
        self.count(now, starts, ended);
    }

    /// A cycle's word of lane 0 in 64b/66b; start and end of every packet are there. `cycle`: its
    /// length. A block is looked at when it is whole.
    #[inline]
    pub(super) fn watch_blocks(&mut self, now: u64, cycle: u64, word: u32) {
        for (place, word) in self.blocks.take(word as u16).iter().flatten().enumerate() {
            let kind = match word {
                Some(blocks::Word::Control(kind)) => Some(*kind),
                _ => None,
            };
            let ends = kind.is_some_and(|kind| END_KINDS.contains(&kind));
            self.count(
                now.saturating_sub((3 - place as u64) * cycle),
                kind == Some(START_KIND),
                ends,
            );
        }
    }

    /// A word, in which a packet starts or ends.
    fn count(&mut self, now: u64, starts: bool, ends: bool) {
        if !self.inside && starts {
            self.inside = true;
            self.packets.first.get_or_insert(now);
        }
        if self.inside {
            self.packets.words += 1;
            self.packets.bytes += self.word.0;
            self.packets.line_fs += self.word.1;
            self.inside = !ends;
        }
    }
}

#[cfg(test)]
mod tests {
    use ropewalk_wire::line::BlockEncoder;

    use super::*;

    #[test]
    fn words_come_out_as_they_went_in_after_a_fixed_delay() {
        for (further, width) in [(0u32, 20), (1, 20), (5, 20), (0, 16), (5, 16)] {
            let config = ChannelConfig {
                delay_bits: u64::from(further * width),
                ..ChannelConfig::default()
            };
            let mut lane = Lane::new(&config, width).unwrap();
            let delay = (MIN_DELAY + further) as usize;
            let word = |i: usize| (i as u32).wrapping_mul(0x9e37_79b1) >> (32 - width);
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
        assert_eq!((meter.packets.words, meter.packets.first), (3, Some(1)));
    }

    #[test]
    fn a_packet_in_blocks_is_measured_too() {
        let (mut encoder, mut meter) = (BlockEncoder::default(), Meter::new());
        let mut now = 0;
        let mut send = |word: blocks::Word, now: &mut u64| {
            encoder.put(word);
            while let Some(raw) = encoder.raw() {
                meter.watch_blocks(10 * *now, 10, raw.into());
                *now += 1;
            }
        };
        // Until the blocks are found.
        for _ in 0..400 {
            send(blocks::Word::Control(0), &mut now);
        }
        let begun = now;
        for kind in [START_KIND, 4, 5] {
            send(blocks::Word::Control(kind), &mut now);
            send(blocks::Word::Data(7), &mut now);
        }
        for _ in 0..8 {
            send(blocks::Word::Control(0), &mut now);
        }
        assert_eq!(meter.packets.words, 5);
        let first = meter.packets.first.unwrap() / 10;
        assert!((begun..begun + 6).contains(&first), "{first} {begun}");
    }
}
