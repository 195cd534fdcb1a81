// SPDX-License-Identifier: Apache-2.0
//! The wire of one lane in one direction, in words of 64 bits.
//!
//! Bit 0 of a word is first in time. The model, in the order in which it acts:
//!
//! 1. **Delay and slip.** The bits come out `delay_bits + slip_bits` later, so the receiver's word
//!    boundaries lie `(delay_bits + slip_bits) mod 64` bits off the sender's. What comes out before
//!    the first bit has arrived is zero.
//! 2. **Bit errors.** Every bit is flipped with probability `ber`. The distance to the next error is
//!    drawn from the geometric distribution, so a word without an error costs one comparison.
//! 3. **Bursts.** A burst begins at a bit with probability `rate_per_bit`; in its `length_bits` bits
//!    each is flipped with probability `density`. Bursts do not overlap.
//! 4. **Cuts.** For a number of words the receiver sees something else altogether. Errors that would
//!    fall into a cut are neither made nor counted; the sender's words go on through the delay, so
//!    after the cut comes what would have come without it.
//!
//! Errors, bursts and noise are drawn from independent generators made from one seed: switching one
//! of them on does not move the others. Words are counted at the receiving end, from 0 at the first
//! [`Channel::transfer`].

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
        probability("ber", self.ber)?;
        if let Some(burst) = self.burst {
            probability("burst.rate_per_bit", burst.rate_per_bit)?;
            probability("burst.density", burst.density)?;
            if burst.length_bits == 0 {
                return bad("burst.length_bits", "0 is not at least 1".into());
            }
        }
        let mut free = 0;
        for cut in &self.cuts {
            if cut.words == 0 {
                return bad("cut.words", "0 is not at least 1".into());
            }
            if let CutKind::Repeat(words) = cut.kind
                && !(1..=MAX_REPEAT).contains(&words)
            {
                return bad(
                    "cut.kind",
                    format!("{words} words to repeat are not in 1 to {MAX_REPEAT}"),
                );
            }
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
    fn new(burst: &Burst, starts: Xoshiro256PlusPlus, flips: Xoshiro256PlusPlus) -> Self {
        let mut bursts = Self {
            length: u64::from(burst.length_bits),
            starts: Gaps::new(burst.rate_per_bit, starts),
            flips: Gaps::new(burst.density, flips),
            end: 0,
            next: 0,
        };
        if burst.density > 0.0 && burst.rate_per_bit > 0.0 {
            bursts.seek(0);
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
    bursts: Option<Bursts>,
    noise: Xoshiro256PlusPlus,
    cuts: std::vec::IntoIter<Cut>,
    cut: Option<Cut>,

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
        let mut cuts = config.cuts.clone().into_iter();
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
            errors,
            bursts: config
                .burst
                .as_ref()
                .map(|burst| Bursts::new(burst, starts, flips)),
            noise: generator(),
            cut: cuts.next(),
            cuts,
            flipped: 0,
            cut_words: 0,
            times: Vec::new(),
            times_seen: 0,
            choice: generator(),
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

    /// Flips one bit for certain, whatever else happens: bit `bit` of the next word, counted over the following
    /// words when it is above 63. Counts as an error. A second call before the first has taken effect replaces it.
    pub fn flip(&mut self, bit: u64) {
        self.flip = self.word.saturating_mul(64).saturating_add(bit);
        self.schedule();
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

    /// The words in which bits were flipped since the last call, ascending: all of them, or a random choice of
    /// [`ERROR_TIMES`] when there were more.
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
        if self.flip < end {
            mask |= 1 << (self.flip % 64);
            self.flip = u64::MAX;
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
                    self.cut = self.cuts.next();
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
mod tests {
    use super::*;
    use crate::testing::seed;
    use proptest::prelude::*;

    fn channel(config: &ChannelConfig) -> Channel {
        Channel::new(config).unwrap()
    }

    /// Bits out of words, first in time first.
    fn bits(words: &[u64]) -> Vec<bool> {
        words
            .iter()
            .flat_map(|w| (0..64).map(move |i| w >> i & 1 == 1))
            .collect()
    }

    /// `value` lies within six standard deviations of a binomial count.
    fn assert_binomial(what: &str, value: u64, trials: f64, p: f64) {
        let mean = trials * p;
        let limit = 6.0 * (mean * (1.0 - p)).sqrt() + 1.0;
        assert!(
            (value as f64 - mean).abs() <= limit,
            "{what}: {value}, expected {mean} +- {limit}"
        );
    }

    #[test]
    fn every_slip_and_some_delays_are_exact() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed("delay"));
        let sent: Vec<u64> = (0..64).map(|_| rng.next_u64()).collect();
        for delay_bits in [0, 1, 63, 64, 65, 128, 384, 1000] {
            for slip_bits in 0..64 {
                let mut c = channel(&ChannelConfig {
                    delay_bits,
                    slip_bits,
                    ..Default::default()
                });
                let got: Vec<u64> = sent.iter().map(|w| c.transfer(*w)).collect();
                let total = (delay_bits + u64::from(slip_bits)) as usize;
                let mut expected = vec![false; total];
                expected.extend(bits(&sent));
                expected.truncate(64 * sent.len());
                assert_eq!(bits(&got), expected, "delay {delay_bits} slip {slip_bits}");
            }
        }
    }

    #[test]
    fn error_rate_follows_the_binomial() {
        let seed = seed("ber");
        for (ber, words) in [
            (0.5, 20_000u64),
            (0.1, 50_000),
            (1e-2, 200_000),
            (1e-4, 2_000_000),
            (1e-6, 20_000_000),
        ] {
            let mut c = channel(&ChannelConfig {
                ber,
                seed,
                ..Default::default()
            });
            let flipped: u64 = (0..words)
                .map(|i| u64::from((c.transfer(i) ^ i).count_ones()))
                .sum();
            assert_eq!(
                flipped,
                c.errors(),
                "the count is of the bits that were flipped"
            );
            assert_binomial(
                &format!("errors at {ber}"),
                flipped,
                64.0 * words as f64,
                ber,
            );
        }
        let mut c = channel(&ChannelConfig {
            ber: 1.0,
            seed,
            ..Default::default()
        });
        assert!((0..1000).all(|i| c.transfer(i) == !i));
        let mut c = channel(&ChannelConfig {
            ber: 0.0,
            seed,
            ..Default::default()
        });
        assert!((0..1000).all(|i| c.transfer(i) == i));
    }

    #[test]
    fn errors_are_spread_evenly_and_independently() {
        let seed = seed("spread");
        let (ber, words) = (0.02, 400_000u64);
        let mut c = channel(&ChannelConfig {
            ber,
            seed,
            ..Default::default()
        });
        let mut place = [0u64; 64];
        let (mut pairs, mut before) = (0u64, false);
        for _ in 0..words {
            let mask = c.transfer(0);
            for (i, count) in place.iter_mut().enumerate() {
                let hit = mask >> i & 1 == 1;
                *count += u64::from(hit);
                pairs += u64::from(hit && before);
                before = hit;
            }
        }
        let mean = ber * words as f64;
        let chi2: f64 = place
            .iter()
            .map(|n| (*n as f64 - mean).powi(2) / mean)
            .sum();
        // 63 degrees of freedom: mean 63, standard deviation 11.2.
        assert!(
            (20.0..150.0).contains(&chi2),
            "chi-square of the bit positions is {chi2}"
        );
        assert_binomial("neighbouring errors", pairs, 64.0 * words as f64, ber * ber);
    }

    #[test]
    fn directions_with_other_seeds_are_independent() {
        let seed = seed("independent");
        let (ber, words) = (0.05, 100_000u64);
        let mut a = channel(&ChannelConfig {
            ber,
            seed,
            ..Default::default()
        });
        let mut b = channel(&ChannelConfig {
            ber,
            seed: seed.wrapping_add(1),
            ..Default::default()
        });
        let both: u64 = (0..words)
            .map(|_| u64::from((a.transfer(0) & b.transfer(0)).count_ones()))
            .sum();
        assert_binomial("common errors", both, 64.0 * words as f64, ber * ber);
        let mut c = channel(&ChannelConfig {
            ber,
            seed,
            ..Default::default()
        });
        let mut d = channel(&ChannelConfig {
            ber,
            seed,
            ..Default::default()
        });
        assert!(
            (0..1000).all(|_| c.transfer(0) == d.transfer(0)),
            "the same seed gives the same errors"
        );
    }

    #[test]
    fn bursts_have_their_rate_length_and_density() {
        let seed = seed("burst");
        let words = 2_000_000u64;
        let burst = Burst {
            rate_per_bit: 1e-5,
            length_bits: 100,
            density: 1.0,
        };
        let mut c = channel(&ChannelConfig {
            burst: Some(burst),
            seed,
            ..Default::default()
        });
        let (mut runs, mut length, mut total) = (0u64, 0u64, 0u64);
        for _ in 0..words {
            let mask = c.transfer(0);
            for i in 0..64 {
                if mask >> i & 1 == 1 {
                    length += 1;
                    total += 1;
                } else if length > 0 {
                    // Two bursts may touch.
                    assert_eq!(length % 100, 0, "a burst is 100 bits long");
                    runs += length / 100;
                    length = 0;
                }
            }
        }
        assert_eq!(total, c.errors());
        // A burst begins with the given rate at each bit outside a burst.
        assert_binomial(
            "bursts",
            runs,
            64.0 * words as f64 / (1.0 + 100.0 * 1e-5),
            1e-5,
        );

        let burst = Burst {
            rate_per_bit: 1e-4,
            length_bits: 50,
            density: 0.25,
        };
        let mut c = channel(&ChannelConfig {
            burst: Some(burst),
            seed,
            ..Default::default()
        });
        for _ in 0..words {
            c.transfer(0);
        }
        let in_bursts = 64.0 * words as f64 * 50e-4 / (1.0 + 50e-4);
        let expected = in_bursts * 0.25;
        // Number of bursts and flips in each both vary.
        let deviation = (in_bursts / 50.0 * (12.5f64.powi(2) + 50.0 * 0.25 * 0.75)).sqrt();
        assert!(
            (c.errors() as f64 - expected).abs() < 6.0 * deviation,
            "{} flips, expected {expected}",
            c.errors()
        );
    }

    #[test]
    fn cuts_are_exact() {
        let cut = |start_word, words, kind| Cut {
            start_word,
            words,
            kind,
        };
        let cuts = vec![
            cut(0, 1, CutKind::Stuck),
            cut(3, 2, CutKind::Zero),
            cut(5, 1, CutKind::One),
            cut(8, 3, CutKind::Stuck),
            cut(12, 4, CutKind::Noise),
        ];
        let mut c = channel(&ChannelConfig {
            cuts,
            ..Default::default()
        });
        let got: Vec<u64> = (100..120).map(|w| c.transfer(w)).collect();
        assert_eq!(got[0], 0, "nothing came before");
        assert_eq!(got[1..3], [101, 102]);
        assert_eq!(got[3..6], [0, 0, u64::MAX]);
        assert_eq!(got[6..12], [106, 107, 107, 107, 107, 111]);
        for i in 12..16 {
            assert_ne!(got[i], 100 + i as u64);
            assert!(!got[..i].contains(&got[i]));
        }
        assert_eq!(got[16..], [116, 117, 118, 119]);
        assert_eq!((c.cut_words(), c.errors(), c.words()), (11, 0, 20));
    }

    #[test]
    fn a_bit_is_flipped_on_demand() {
        let mut c = channel(&ChannelConfig::default());
        c.transfer(0);
        c.flip(3);
        assert_eq!([c.transfer(0), c.transfer(0)], [8, 0]);
        c.flip(64 + 63);
        assert_eq!(
            [c.transfer(0), c.transfer(1), c.transfer(0)],
            [0, 1 << 63 | 1, 0]
        );
        assert_eq!((c.errors(), c.take_error_times()), (2, vec![1, 4]));
    }

    #[test]
    fn no_errors_are_made_in_a_cut() {
        let cuts = vec![Cut {
            start_word: 10,
            words: 20,
            kind: CutKind::Zero,
        }];
        let mut c = channel(&ChannelConfig {
            ber: 1.0,
            cuts,
            ..Default::default()
        });
        let got: Vec<u64> = (0..40).map(|_| c.transfer(0)).collect();
        assert!(
            got.iter()
                .enumerate()
                .all(|(i, w)| *w == if (10..30).contains(&i) { 0 } else { u64::MAX })
        );
        assert_eq!(c.errors(), 20 * 64);
        assert_eq!(
            c.take_error_times(),
            (0..10).chain(30..40).collect::<Vec<u64>>()
        );
        assert!(c.take_error_times().is_empty());
    }

    #[test]
    fn error_times_are_bounded_and_evenly_chosen() {
        let words = 8 * ERROR_TIMES as u64;
        let mut c = channel(&ChannelConfig {
            ber: 1.0,
            seed: seed("times"),
            ..Default::default()
        });
        for _ in 0..words {
            c.transfer(0);
        }
        let times = c.take_error_times();
        assert_eq!(times.len(), ERROR_TIMES);
        assert!(times.is_sorted_by(|a, b| a < b));
        let first_half = times.iter().filter(|t| **t < words / 2).count() as u64;
        assert_binomial(
            "times in the first half",
            first_half,
            ERROR_TIMES as f64,
            0.5,
        );
    }

    #[test]
    fn bad_parameters_are_named() {
        let good = ChannelConfig::default();
        let burst = Burst {
            rate_per_bit: 0.1,
            length_bits: 1,
            density: 0.1,
        };
        let cut = Cut {
            start_word: 5,
            words: 5,
            kind: CutKind::Zero,
        };
        let cases = [
            (
                "ber",
                ChannelConfig {
                    ber: -1e-6,
                    ..good.clone()
                },
            ),
            (
                "ber",
                ChannelConfig {
                    ber: f64::NAN,
                    ..good.clone()
                },
            ),
            (
                "ber",
                ChannelConfig {
                    ber: 1.5,
                    ..good.clone()
                },
            ),
            (
                "slip_bits",
                ChannelConfig {
                    slip_bits: 64,
                    ..good.clone()
                },
            ),
            (
                "delay_bits",
                ChannelConfig {
                    delay_bits: MAX_DELAY_BITS + 1,
                    ..good.clone()
                },
            ),
            (
                "burst.rate_per_bit",
                ChannelConfig {
                    burst: Some(Burst {
                        rate_per_bit: 2.0,
                        ..burst
                    }),
                    ..good.clone()
                },
            ),
            (
                "burst.density",
                ChannelConfig {
                    burst: Some(Burst {
                        density: -0.1,
                        ..burst
                    }),
                    ..good.clone()
                },
            ),
            (
                "burst.length_bits",
                ChannelConfig {
                    burst: Some(Burst {
                        length_bits: 0,
                        ..burst
                    }),
                    ..good.clone()
                },
            ),
            (
                "cut.words",
                ChannelConfig {
                    cuts: vec![Cut { words: 0, ..cut }],
                    ..good.clone()
                },
            ),
            (
                "cut.start_word",
                ChannelConfig {
                    cuts: vec![
                        cut,
                        Cut {
                            start_word: 9,
                            ..cut
                        },
                    ],
                    ..good.clone()
                },
            ),
        ];
        for (expected, config) in cases {
            match Channel::new(&config) {
                Err(SimError::BadParameter { name, .. }) => assert_eq!(name, expected),
                other => panic!("{expected}: {other:?}"),
            }
        }
    }

    proptest! {
        /// A channel is a delay line, a mask of errors and a list of cuts, and nothing else.
        #[test]
        fn equals_a_bitwise_model(
            delay_bits in 0u64..500, slip_bits in 0u8..64, seed: u64,
            ber in prop_oneof![Just(0.0), 0.0..0.2f64],
            sent in prop::collection::vec(any::<u64>(), 1..60),
            spans in prop::collection::vec((0u64..10, 1u64..8, 0usize..5), 0..4),
        ) {
            let mut cuts = Vec::new();
            let mut at = 0;
            for (gap, words, kind) in spans {
                let kind = [CutKind::Zero, CutKind::One, CutKind::Alternating, CutKind::Stuck, CutKind::Repeat(4)][kind];
                cuts.push(Cut { start_word: at + gap, words, kind });
                at += gap + words;
            }
            let plain = ChannelConfig { delay_bits, slip_bits, ber, seed, ..Default::default() };
            let mut cut_channel = channel(&ChannelConfig { cuts: cuts.clone(), ..plain.clone() });
            let mut plain_channel = channel(&plain);
            let mut clean_channel = channel(&ChannelConfig { ber: 0.0, ..plain });
            let mut line = vec![false; (delay_bits + u64::from(slip_bits)) as usize];
            line.extend(bits(&sent));
            let (mut shown, mut errors) = (vec![0; 4], 0);
            for (n, word) in sent.iter().enumerate() {
                let clean = clean_channel.transfer(*word);
                prop_assert_eq!(bits(&[clean]), &line[64 * n..64 * n + 64]);
                let noisy = plain_channel.transfer(*word);
                let got = cut_channel.transfer(*word);
                let n = n as u64;
                let inside = cuts.iter().find(|c| (c.start_word..c.start_word + c.words).contains(&n));
                let expected = match inside.map(|c| c.kind) {
                    None => noisy,
                    Some(CutKind::Zero) => 0,
                    Some(CutKind::One) => u64::MAX,
                    Some(CutKind::Alternating) => 0x5555_5555_5555_5555,
                    // While stuck the word before is the stuck one, except where a cut follows a cut, which
                    // repeats what that one showed.
                    Some(CutKind::Stuck) => shown[shown.len() - 1],
                    Some(_) => shown[shown.len() - 4],
                };
                prop_assert_eq!(got, expected);
                if inside.is_none() {
                    errors += u64::from((noisy ^ clean).count_ones());
                }
                shown.push(got);
            }
            prop_assert_eq!(cut_channel.errors(), errors);
        }
    }
}
