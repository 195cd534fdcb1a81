// SPDX-License-Identifier: Apache-2.0
//! The wire of one lane in one direction, in words of 64 bits.
//!
//! Bit 0 of a word is first in time. The model, in the order in which it acts:
//!
//! 1. **Delay and slip.** The bits come out `delay_bits + slip_bits` later, so the receiver's word
//!    boundaries lie `(delay_bits + slip_bits) mod 64` bits off the sender's. What comes out before
//!    the first bit has arrived is zero.
//! 2. **Bit errors.** Every bit is flipped with probability `ber`. The distance to the next error
//!    is drawn from the geometric distribution, so a word without an error costs one comparison.
//! 3. **Bursts.** A burst begins at a bit with probability `rate_per_bit`; in its `length_bits`
//!    bits each is flipped with probability `density`. Bursts do not overlap.
//! 4. **Cuts.** For a number of words the receiver sees something else altogether. Errors that
//!    would fall into a cut are neither made nor counted; the sender's words go on through the
//!    delay, so after the cut comes what would have come without it.
//!
//! What is set while the channel is at work ([`Channel::set_errors`], [`Channel::cut_now`],
//! [`Channel::slip`]) takes effect from the next word on.
//!
//! Errors, bursts and noise are drawn from independent generators made from one seed: switching one
//! of them on does not move the others. Words are counted at the receiving end, from 0 at the first
//! [`Channel::transfer`].

use std::collections::VecDeque;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_channel::Gaps;

use crate::SimError;

/// Longest delay that is accepted: 2^30 bits, 38 ms at 28 Gb/s, 128 MiB of words in flight.
pub const MAX_DELAY_BITS: u64 = 1 << 30;

/// Most times of errors that are kept; when there are more, a random choice of them.
pub const ERROR_TIMES: usize = 65_536;

/// One direction of the wire. The default is a perfect wire without delay.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelConfig {
    /// Delay in bits, up to [`MAX_DELAY_BITS`].
    pub delay_bits: u64,
    /// Further delay of 0 to 63 bits, which displaces the receiver's word boundaries.
    pub slip_bits: u8,
    /// Probability of each bit to be flipped, 0 to 1.
    pub ber: f64,
    /// Bursts of errors.
    pub burst: Option<Burst>,
    /// Times in which the receiver sees something else; ascending, not overlapping.
    pub cuts: Vec<Cut>,
    /// Seed of everything random in this direction.
    pub seed: u64,
}

impl Default for ChannelConfig {
    fn default() -> Self {
        Self {
            delay_bits: 0,
            slip_bits: 0,
            ber: 0.0,
            burst: None,
            cuts: Vec::new(),
            seed: 1,
        }
    }
}

/// Error bursts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Burst {
    /// Probability that a burst begins at a bit, 0 to 1.
    pub rate_per_bit: f64,
    /// Length of a burst in bits, at least 1.
    pub length_bits: u32,
    /// Probability of each bit of a burst to be flipped, 0 to 1.
    pub density: f64,
}

/// A time in which the receiver does not see the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// First word, counted at the receiver.
    pub start_word: u64,
    /// Number of words, at least 1.
    pub words: u64,
    /// What the receiver sees.
    pub kind: CutKind,
}

/// What the receiver sees during a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutKind {
    /// All zero.
    Zero,
    /// All one.
    One,
    /// 1010 and so on, one first.
    Alternating,
    /// The last word before the cut, again and again.
    Stuck,
    /// A number of the last words before the cut, again and again: 1 to [`MAX_REPEAT`].
    Repeat(u8),
    /// Random bits.
    Noise,
}

/// Most words that [`CutKind::Repeat`] repeats: a frame of 2048 bits.
pub const MAX_REPEAT: u8 = 32;

fn probability(name: &'static str, value: f64) -> Result<(), SimError> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(SimError::BadParameter {
        name,
        message: format!("{value} is not a probability, 0 to 1"),
    })
}

fn validate_errors(ber: f64, burst: Option<&Burst>) -> Result<(), SimError> {
    probability("ber", ber)?;
    let Some(burst) = burst else { return Ok(()) };
    probability("burst.rate_per_bit", burst.rate_per_bit)?;
    probability("burst.density", burst.density)?;
    if burst.length_bits == 0 {
        return Err(SimError::BadParameter {
            name: "burst.length_bits",
            message: "0 is not at least 1".into(),
        });
    }
    Ok(())
}

impl Cut {
    fn validate(&self) -> Result<(), SimError> {
        let bad = |name, message| Err(SimError::BadParameter { name, message });
        match self.kind {
            _ if self.words == 0 => bad("cut.words", "0 is not at least 1".into()),
            CutKind::Repeat(words) if !(1..=MAX_REPEAT).contains(&words) => bad(
                "cut.kind",
                format!("{words} words to repeat are not in 1 to {MAX_REPEAT}"),
            ),
            _ => Ok(()),
        }
    }
}

impl ChannelConfig {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SimError::BadParameter`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SimError> {
        let bad = |name, message| Err(SimError::BadParameter { name, message });
        if self.delay_bits > MAX_DELAY_BITS {
            return bad(
                "delay_bits",
                format!("{} is above {MAX_DELAY_BITS}", self.delay_bits),
            );
        }
        if self.slip_bits > 63 {
            return bad("slip_bits", format!("{} is not in 0 to 63", self.slip_bits));
        }
        validate_errors(self.ber, self.burst.as_ref())?;
        let mut free = 0;
        for cut in &self.cuts {
            cut.validate()?;
            if cut.start_word < free {
                return bad(
                    "cut.start_word",
                    format!(
                        "a cut begins at word {}, but the one before it ends at {free}",
                        cut.start_word
                    ),
                );
            }
            free = cut.start_word.saturating_add(cut.words);
        }
        Ok(())
    }
}

/// Bursts in progress and to come.
#[derive(Debug)]
struct Bursts {
    length: u64,
    starts: Gaps,
    flips: Gaps,
    /// End (exclusive) of the burst that `next` lies in.
    end: u64,
    /// Next flipped bit.
    next: u64,
}

impl Bursts {
    /// Bursts from bit `from` on.
    fn new(
        burst: &Burst,
        starts: Xoshiro256PlusPlus,
        flips: Xoshiro256PlusPlus,
        from: u64,
    ) -> Self {
        let mut bursts = Self {
            length: u64::from(burst.length_bits),
            starts: Gaps::new(burst.rate_per_bit, starts),
            flips: Gaps::new(burst.density, flips),
            end: from,
            next: 0,
        };
        if burst.density > 0.0 && burst.rate_per_bit > 0.0 {
            bursts.seek(from);
        } else {
            bursts.next = u64::MAX;
        }
        bursts
    }

    /// Finds the next flipped bit at or after `from`, in this burst or a later one.
    fn seek(&mut self, from: u64) {
        let mut candidate = self.flips.next(from);
        // A burst of low density may pass without a flip.
        while candidate >= self.end {
            let start = self.starts.next(self.end);
            if start == u64::MAX {
                self.next = u64::MAX;
                return;
            }
            self.end = start.saturating_add(self.length);
            candidate = self.flips.next(start);
        }
        self.next = candidate;
    }
}

/// One direction of the wire at work.
#[derive(Debug)]
pub struct Channel {
    /// Words in flight, the oldest at `head`; empty when the delay is below one word.
    ring: Box<[u64]>,
    head: usize,
    /// The word that left the ring before.
    previous: u64,
    /// 64 minus the displacement of the word boundaries.
    shift: u32,
    /// What came out last, by the number of the word, for [`CutKind::Repeat`].
    history: [u64; MAX_REPEAT as usize],
    /// Words transferred so far.
    word: u64,
    /// First word in which anything is to be done.
    next_event: u64,

    errors: Gaps,
    next_error: u64,
    /// A bit to flip on demand; `u64::MAX`: none.
    flip: u64,
    /// How many in a row.
    flips: u64,
    bursts: Option<Bursts>,
    noise: Xoshiro256PlusPlus,
    cuts: VecDeque<Cut>,
    cut: Option<Cut>,
    /// What errors that are set later are drawn from.
    later: Xoshiro256PlusPlus,

    flipped: u64,
    cut_words: u64,
    times: Vec<u64>,
    times_seen: u64,
    choice: Xoshiro256PlusPlus,
}

impl Channel {
    /// A channel at its first word.
    ///
    /// # Errors
    /// As [`ChannelConfig::validate`].
    pub fn new(config: &ChannelConfig) -> Result<Self, SimError> {
        config.validate()?;
        let mut seeds = Xoshiro256PlusPlus::seed_from_u64(config.seed);
        let mut generator = || Xoshiro256PlusPlus::seed_from_u64(seeds.next_u64());
        let mut errors = Gaps::new(config.ber, generator());
        let (starts, flips) = (generator(), generator());
        let delay = config.delay_bits + u64::from(config.slip_bits);
        let mut cuts = VecDeque::from(config.cuts.clone());
        let mut channel = Self {
            ring: vec![0; (delay / 64) as usize].into_boxed_slice(),
            head: 0,
            previous: 0,
            shift: 64 - (delay % 64) as u32,
            history: [0; MAX_REPEAT as usize],
            word: 0,
            next_event: 0,
            next_error: errors.next(0),
            flip: u64::MAX,
            flips: 0,
            errors,
            bursts: config
                .burst
                .as_ref()
                .map(|burst| Bursts::new(burst, starts, flips, 0)),
            noise: generator(),
            cut: cuts.pop_front(),
            cuts,
            flipped: 0,
            cut_words: 0,
            times: Vec::new(),
            times_seen: 0,
            choice: generator(),
            later: generator(),
        };
        channel.schedule();
        Ok(channel)
    }

    /// Takes the word that the sender puts on the wire and gives the one that the receiver sees.
    #[inline]
    pub fn transfer(&mut self, word: u64) -> u64 {
        let length = self.ring.len();
        let delayed = match self.ring.get_mut(self.head) {
            None => word,
            Some(slot) => {
                self.head = if self.head + 1 == length {
                    0
                } else {
                    self.head + 1
                };
                std::mem::replace(slot, word)
            }
        };
        let pair = u128::from(delayed) << 64 | u128::from(self.previous);
        self.previous = delayed;
        let mut seen = (pair >> self.shift) as u64;
        if self.word >= self.next_event {
            seen = self.disturb(seen);
        }
        self.history[Self::slot(self.word)] = seen;
        self.word += 1;
        seen
    }

    /// Flips one bit for certain, whatever else happens: bit `bit` of the next word, counted over
    /// the following words when it is above 63. Counts as an error. A second call before the first
    /// has taken effect replaces it.
    pub fn flip(&mut self, bit: u64) {
        self.flip_run(bit, 1);
    }

    /// The same for `count` bits in a row.
    pub fn flip_run(&mut self, bit: u64, count: u64) {
        self.flip = match count {
            0 => u64::MAX,
            _ => self.word.saturating_mul(64).saturating_add(bit),
        };
        self.flips = count;
        self.schedule();
    }

    /// From now on bits are flipped with these probabilities.
    ///
    /// # Errors
    /// As [`ChannelConfig::validate`].
    pub fn set_errors(&mut self, ber: f64, burst: Option<Burst>) -> Result<(), SimError> {
        validate_errors(ber, burst.as_ref())?;
        let from = self.word.saturating_mul(64);
        let mut generator = || Xoshiro256PlusPlus::seed_from_u64(self.later.next_u64());
        self.errors = Gaps::new(ber, generator());
        let (starts, flips) = (generator(), generator());
        self.bursts = burst.map(|burst| Bursts::new(&burst, starts, flips, from));
        self.next_error = self.errors.next(from);
        self.schedule();
        Ok(())
    }

    /// For the next `words` words the receiver sees something else. Takes the place of every cut
    /// that would begin before it ends, and of one that is under way.
    ///
    /// # Errors
    /// As [`ChannelConfig::validate`].
    pub fn cut_now(&mut self, words: u64, kind: CutKind) -> Result<(), SimError> {
        let cut = Cut {
            start_word: self.word,
            words,
            kind,
        };
        cut.validate()?;
        let end = self.word.saturating_add(words);
        if let Some(next) = self.cut.take_if(|next| next.start_word >= end) {
            self.cuts.push_front(next);
        }
        self.cuts.retain(|later| later.start_word >= end);
        self.cut = Some(cut);
        self.schedule();
        Ok(())
    }

    /// The word boundaries of the receiver move by this number of bits, as when its clock recovery
    /// slips: some bits come twice, or never.
    pub fn slip(&mut self, bits: u8) {
        self.shift = 64 - (64 - self.shift + u32::from(bits)) % 64;
    }

    /// Words transferred so far.
    pub fn words(&self) -> u64 {
        self.word
    }

    /// Bits flipped so far, by errors and bursts; cuts are not counted.
    pub fn errors(&self) -> u64 {
        self.flipped
    }

    /// Words replaced by cuts so far.
    pub fn cut_words(&self) -> u64 {
        self.cut_words
    }

    /// The words in which bits were flipped since the last call, ascending: all of them, or a
    /// random choice of [`ERROR_TIMES`] when there were more.
    pub fn take_error_times(&mut self) -> Vec<u64> {
        self.times_seen = 0;
        let mut times = std::mem::take(&mut self.times);
        times.sort_unstable();
        times
    }

    #[inline]
    fn slot(word: u64) -> usize {
        (word % u64::from(MAX_REPEAT)) as usize
    }

    /// What came out `words` words ago, at most [`MAX_REPEAT`]: zero before the first word.
    fn ago(&self, words: u8) -> u64 {
        self.history[Self::slot(self.word.wrapping_sub(words.into()))]
    }

    /// Does everything that happens in the present word.
    #[cold]
    fn disturb(&mut self, word: u64) -> u64 {
        let end = (self.word + 1) * 64;
        let mut mask = 0u64;
        while self.next_error < end {
            mask |= 1 << (self.next_error % 64);
            self.next_error = self.errors.next(self.next_error + 1);
        }
        while self.flip < end {
            mask |= 1 << (self.flip % 64);
            self.flips -= 1;
            self.flip = if self.flips == 0 {
                u64::MAX
            } else {
                self.flip + 1
            };
        }
        if let Some(bursts) = &mut self.bursts {
            while bursts.next < end {
                mask |= 1 << (bursts.next % 64);
                bursts.seek(bursts.next + 1);
            }
        }
        let seen = match self.cut {
            Some(cut) if self.word >= cut.start_word => {
                self.cut_words += 1;
                if self.word - cut.start_word + 1 >= cut.words {
                    self.cut = self.cuts.pop_front();
                }
                match cut.kind {
                    CutKind::Zero => 0,
                    CutKind::One => u64::MAX,
                    CutKind::Alternating => 0x5555_5555_5555_5555,
                    CutKind::Stuck => self.ago(1),
                    CutKind::Repeat(words) => self.ago(words),
                    CutKind::Noise => self.noise.next_u64(),
                }
            }
            _ => {
                if mask != 0 {
                    self.flipped += u64::from(mask.count_ones());
                    self.note_time();
                }
                word ^ mask
            }
        };
        self.schedule();
        seen
    }

    /// Finds the next word in which something happens.
    fn schedule(&mut self) {
        let burst = self.bursts.as_ref().map_or(u64::MAX, |bursts| bursts.next);
        let cut = self.cut.map_or(u64::MAX, |cut| cut.start_word);
        self.next_event = (self.next_error.min(burst).min(self.flip) / 64).min(cut);
    }

    /// Keeps the present word in the reservoir of error times: each one with the same probability.
    fn note_time(&mut self) {
        self.times_seen += 1;
        if self.times.len() < ERROR_TIMES {
            self.times.push(self.word);
        } else {
            let slot = self.choice.next_u64() % self.times_seen;
            if let Some(kept) = self.times.get_mut(slot as usize) {
                *kept = self.word;
            }
        }
    }
}

#[cfg(test)]
mod tests;
