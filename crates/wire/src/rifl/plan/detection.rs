// SPDX-License-Identifier: Apache-2.0
//! Bit errors that the verification code does not see, counted instead of estimated.
//!
//! The code is linear: a pattern of flipped bits goes unseen exactly if the effects of its bits
//! cancel ([`code::effect`]). How many patterns of w bits do that follows from the weights of the
//! dual code (MacWilliams): with n bits in a frame and n - 2 i(h) = sum over all bits of (-1)^(h .
//! effect), it is the mean over all 4096 h of the Krawtchouk polynomial K_w(i(h)). That is exact in
//! integers, and as quick for 2048 bits as for 128.

use super::paper;
use crate::rifl::{FrameWidth, code};

/// Sync bits at the top of a frame.
const SYNC_BITS: u16 = 2;
/// Most flipped bits for which patterns are counted exactly.
pub const COUNTED: usize = 6;

/// Patterns of one to [`COUNTED`] flipped bits that go unseen, for bits with these effects (12 bits
/// each); index is the number of bits.
#[must_use]
pub fn unseen_patterns(effects: &[u16]) -> [u64; COUNTED + 1] {
    // Sum over all bits of (-1)^(h . effect), for all h at once.
    let mut sums = vec![0i64; 1 << 12];
    for &effect in effects {
        sums[usize::from(effect) & 0xfff] += 1;
    }
    for bit in 0..12 {
        for h in (0..sums.len()).filter(|h| h >> bit & 1 == 0) {
            let other = h | 1 << bit;
            (sums[h], sums[other]) = (sums[h] + sums[other], sums[h] - sums[other]);
        }
    }
    let n = effects.len() as i64;
    let mut counts = [0i128; COUNTED + 1];
    for sum in sums {
        let flips = (n - sum) / 2;
        for (weight, count) in counts.iter_mut().enumerate() {
            *count += (0..=weight)
                .map(|j| {
                    let product = choose(flips, j) * choose(n - flips, weight - j);
                    if j % 2 == 0 { product } else { -product }
                })
                .sum::<i128>();
        }
    }
    counts.map(|count| u64::try_from(count / 4096).unwrap_or(u64::MAX))
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
        let effects: Vec<u16> = (0..frame.bits() - SYNC_BITS).map(code::effect).collect();
        Self {
            frame,
            unseen: unseen_patterns(&effects),
        }
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
    /// all seen).
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
        let more = paper::at_least(frame, COUNTED as u32 + 1, ber) / 4096.0;
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
    }

    /// Known weights of other polynomials of degree 12 over 254 bits.
    #[test]
    fn other_polynomials_have_their_known_weights() {
        for (polynomial, four) in [(0x80f, 83_252), (0xf13, 81_168), (0x0b1, 42_168)] {
            let mut value = 1u16;
            let effects: Vec<u16> = (0..254)
                .map(|_| {
                    let effect = value;
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
