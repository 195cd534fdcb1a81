// SPDX-License-Identifier: Apache-2.0
//! Bit errors that the verification code does not see, counted instead of estimated.
//!
//! The code is linear: a pattern of flipped bits goes unseen exactly if the effects of its bits
//! cancel ([`code::effect`]). How many patterns of w bits do that follows from the weights of the
//! dual code (MacWilliams): with n bits in a frame and n - 2 i(h) = sum over all bits of (-1)^(h .
//! effect), it is the mean over all h, 4096 or with the stronger code 2^28, of the Krawtchouk
//! polynomial K_w(i(h)). That is exact in integers, and as quick for 2048 bits as for 128.

use super::paper;
use crate::rifl::{FrameWidth, code};
use std::sync::OnceLock;

/// Sync bits at the top of a frame.
const SYNC_BITS: u16 = 2;
/// Most flipped bits for which patterns are counted exactly.
pub const COUNTED: usize = 6;
/// Bits of the code.
const CODE_BITS: u32 = 12;
/// Bits of the code and of the stronger one.
const STRONG_BITS: u32 = 28;

/// Patterns of one to [`COUNTED`] flipped bits that go unseen, for bits with these effects (at most
/// 2048 of them, of 12 or 28 bits each); index is the number of bits.
#[must_use]
pub fn unseen_patterns(effects: &[u32]) -> [u64; COUNTED + 1] {
    let wide = effects.iter().any(|effect| effect >> CODE_BITS != 0);
    let bits = if wide { STRONG_BITS } else { CODE_BITS };
    // How many h there are for each i(h). The upper bits of h one by one; the lower twelve at once,
    // as sums over all bits of (-1)^(h . effect).
    let mut weights = vec![0u64; effects.len() + 1];
    let mut sums = [0i16; 1 << CODE_BITS];
    for upper in 0..1u32 << (bits - CODE_BITS) {
        sums.fill(0);
        for &effect in effects {
            let odd = (upper & effect >> CODE_BITS).count_ones() as i16 & 1;
            sums[effect as usize & 0xfff] += 1 - 2 * odd;
        }
        transform(&mut sums);
        for &sum in &sums {
            weights[(effects.len() as i64 - i64::from(sum)) as usize / 2] += 1;
        }
    }
    let n = effects.len() as i64;
    let mut counts = [0i128; COUNTED + 1];
    for (flips, &often) in weights.iter().enumerate().filter(|(_, often)| **often > 0) {
        let flips = flips as i64;
        for (weight, count) in counts.iter_mut().enumerate() {
            let value = (0..=weight)
                .map(|j| {
                    let product = choose(flips, j) * choose(n - flips, weight - j);
                    if j % 2 == 0 { product } else { -product }
                })
                .sum::<i128>();
            *count += value * i128::from(often);
        }
    }
    counts.map(|count| u64::try_from(count >> bits).unwrap_or(u64::MAX))
}

/// The Walsh-Hadamard transform; no sum leaves the range, whose bound is the number of bits of a
/// frame.
fn transform(sums: &mut [i16]) {
    let mut half = 1;
    while half < sums.len() {
        for block in sums.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (a.wrapping_add(*b), a.wrapping_sub(*b));
            }
        }
        half *= 2;
    }
}

fn choose(n: i64, k: usize) -> i128 {
    (0..k as i128).fold(1, |product, i| product * (i128::from(n) - i) / (i + 1))
}

/// Which errors are delivered: the code passes, and no sync bit is flipped. One flipped sync bit is
/// illegal and refused; two make a control frame of a data frame, which is not delivered, and the
/// next frame does not have the awaited id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detection {
    frame: FrameWidth,
    /// Patterns that go unseen; index is the number of flipped bits.
    unseen: [u64; COUNTED + 1],
}

impl Detection {
    /// Frames of this width.
    #[must_use]
    pub fn of(frame: FrameWidth) -> Self {
        // The stronger code takes a second to count: once for each width.
        static STRONG: [OnceLock<[u64; COUNTED + 1]>; 2] = [OnceLock::new(), OnceLock::new()];
        let bits = 0..frame.bits() - SYNC_BITS;
        let unseen = if frame.strong_code() {
            let known = &STRONG[usize::from(frame.bits() > 1024)];
            let effects = || bits.map(code::strong_effect).collect::<Vec<u32>>();
            *known.get_or_init(|| unseen_patterns(&effects()))
        } else {
            let effects: Vec<u32> = bits.map(|bit| code::effect(bit).into()).collect();
            unseen_patterns(&effects)
        };
        Self { frame, unseen }
    }

    /// Patterns of `bits` flipped bits, at most [`COUNTED`], that are delivered; 0 beyond.
    #[must_use]
    pub fn unseen(&self, bits: usize) -> u64 {
        if bits == 0 {
            0
        } else {
            self.unseen.get(bits).copied().unwrap_or(0)
        }
    }

    /// The fewest flipped bits that can go unseen.
    #[must_use]
    pub fn distance(&self) -> usize {
        (1..=COUNTED)
            .find(|&bits| self.unseen(bits) > 0)
            .unwrap_or(COUNTED + 1)
    }

    /// Probability that a frame is damaged and delivered, behind a frame that was good: counted up
    /// to [`COUNTED`] bits, one pattern in 2^12 beyond (one in 2^11 of the even ones; odd ones are
    /// all seen). With the stronger code 2^27 takes the place of 2^12: no more than one even
    /// pattern in 2^27 goes unseen.
    #[must_use]
    pub fn failure_ratio(&self, ber: f64) -> f64 {
        let frame = u32::from(self.frame.bits() - SYNC_BITS);
        let counted: f64 = (1..=COUNTED)
            .filter(|&bits| self.unseen(bits) > 0)
            .map(|bits| {
                let share = self.unseen(bits) as f64 / choose(i64::from(frame), bits) as f64;
                share * paper::error_probability(frame, bits as u32, ber)
            })
            .sum();
        let more = paper::at_least(frame, COUNTED as u32 + 1, ber)
            / f64::from(1 << if self.frame.strong_code() { 27 } else { 12 });
        (counted + more) * (1.0 - ber).powi(i32::from(SYNC_BITS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_counted_as_a_search_counts_them() {
        // Few bits with clashes of every kind: zero, equal, sums of three, four and five.
        let effects = [
            1, 2, 4, 7, 3, 3, 0, 0x800, 0x801, 0xfff, 0x0ff, 0xf00, 0x123, 0x921,
        ];
        let mut searched = [0u64; COUNTED + 1];
        for pattern in 0u32..1 << effects.len() {
            let sum = (0..effects.len())
                .filter(|i| pattern >> i & 1 == 1)
                .fold(0, |sum, i| sum ^ effects[i]);
            if let Some(count) = searched.get_mut(pattern.count_ones() as usize) {
                *count += u64::from(sum == 0);
            }
        }
        assert_eq!(unseen_patterns(&effects), searched);
        assert!(searched[1..].iter().all(|&n| n > 0), "{searched:?}");
        // The same in the bits of the stronger code.
        let upper = effects.map(|effect| effect << 16);
        assert_eq!(unseen_patterns(&upper), searched);
    }

    /// Patterns of four and of six bits by meeting in the middle: those of two, those of three,
    /// that have the same sum. Every pattern of four falls into two pairs in three ways, every one
    /// of six into two triples in ten; sums that share a bit are patterns of fewer bits.
    fn met(effects: &[u32]) -> (u64, u64) {
        let pairs = |sums: &mut Vec<u32>| {
            sums.sort_unstable();
            let equal = sums.chunk_by(|a, b| a == b).map(|same| same.len() as u64);
            equal.map(|n| n * (n - 1) / 2).sum::<u64>()
        };
        let (mut twos, mut threes) = (Vec::new(), Vec::new());
        for (i, a) in effects.iter().enumerate() {
            for (j, b) in effects[..i].iter().enumerate() {
                twos.push(a ^ b);
                threes.extend(effects[..j].iter().map(|c| a ^ b ^ c));
            }
        }
        (pairs(&mut twos) / 3, pairs(&mut threes) / 10)
    }

    #[test]
    fn the_stronger_code_is_counted_as_a_search_counts_it() {
        let effects: Vec<u32> = (0..300).map(code::strong_effect).collect();
        let unseen = unseen_patterns(&effects);
        assert_eq!(unseen[1..6], [0; 5]);
        assert_eq!(met(&effects), (0, unseen[6]));
        assert!(unseen[6] > 1000, "{unseen:?}");
        for bits in [1024, 2048] {
            let frame = FrameWidth::new(bits).unwrap();
            let strong = Detection::of(frame.with_strong_code().unwrap());
            assert_eq!(strong.distance(), 6, "{bits}");
            assert!(strong.unseen(6) > 0);
            // What was counted, not one pattern in 2^28: that is half of it.
            let all = choose(i64::from(bits) - 2, 6) as f64;
            let share = strong.unseen(6) as f64 / all * 2f64.powi(28);
            println!(
                "{bits} bits: {} of six, {share:.2} in 2^28",
                strong.unseen(6)
            );
            assert!((1.9..2.1).contains(&share), "{bits}: {share}");
            let ber: f64 = 1e-7;
            let counted = strong.unseen(6) as f64 * ber.powi(6);
            let ratio = strong.failure_ratio(ber) / counted;
            assert!((ratio - 1.0).abs() < 0.01, "{bits}: {ratio}");
        }
    }

    /// The row of the limits: 1e5 years at a bit error rate of 1e-7, at 200 Gb/s of one lane.
    #[test]
    fn the_stronger_code_fails_later_than_anybody_waits() {
        let frame = FrameWidth::new(2048).unwrap();
        let years =
            |frame| paper::mean_years(2048, 200.0, Detection::of(frame).failure_ratio(1e-7));
        assert!(years(frame) < 0.01, "{}", years(frame));
        let strong = years(frame.with_strong_code().unwrap());
        assert!(strong > 1e5, "{strong}");
    }

    /// Known weights of other polynomials of degree 12 over 254 bits.
    #[test]
    fn other_polynomials_have_their_known_weights() {
        for (polynomial, four) in [(0x80f, 83_252), (0xf13, 81_168), (0x0b1, 42_168)] {
            let mut value = 1u16;
            let effects: Vec<u32> = (0..254)
                .map(|_| {
                    let effect = value.into();
                    value = (value << 1 & 0xfff) ^ if value >> 11 == 1 { polynomial } else { 0 };
                    effect
                })
                .collect();
            let unseen = unseen_patterns(&effects);
            assert_eq!(unseen[1..5], [0, 0, 0, four], "{polynomial:03x}");
        }
    }

    #[test]
    fn the_distance_is_4_up_to_1024_bits() {
        for (bits, distance) in [(128, 4), (256, 4), (512, 4), (1024, 4), (2048, 2)] {
            let detection = Detection::of(FrameWidth::new(bits).unwrap());
            assert_eq!(detection.distance(), distance, "{bits}");
            assert_eq!(
                (detection.unseen(3), detection.unseen(5)),
                (0, 0),
                "odd patterns are seen"
            );
        }
    }

    #[test]
    fn failures_follow_the_paper_up_to_the_share_of_even_patterns() {
        let detection = Detection::of(FrameWidth::W256);
        for ber in [1e-9, 1e-7, 1e-5] {
            let model = paper::frame_failure_ratio(256, 12, 4, ber);
            let ratio = detection.failure_ratio(ber) / model;
            assert!((1.9..2.1).contains(&ratio), "{ber}: {ratio}");
        }
        // Noise: one frame in 2^12, and its sync bits must be right.
        assert!((detection.failure_ratio(0.499) * 4.0 * 4096.0 - 1.0).abs() < 0.01);
        assert_eq!(detection.failure_ratio(0.0), 0.0);
    }
}
