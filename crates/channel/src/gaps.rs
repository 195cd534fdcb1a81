// SPDX-License-Identifier: Apache-2.0
//! Random events by the distance between them.

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Draws distances between events that happen with a fixed probability at each place of a count:
/// the geometric distribution. A place without an event costs one comparison.
#[derive(Debug, Clone)]
pub struct Gaps {
    /// 1 / ln(1 - p); negative. `None` when p is 0.
    inverse: Option<f64>,
    rng: Xoshiro256PlusPlus,
}

impl Gaps {
    /// Events of this probability, 0 to 1.
    #[must_use]
    pub fn new(probability: f64, rng: Xoshiro256PlusPlus) -> Self {
        // For p = 1 the logarithm is -inf, the inverse -0 and every gap 0, which is right.
        let inverse = (probability > 0.0).then(|| (-probability).ln_1p().recip());
        Self { inverse, rng }
    }

    /// The place at or after `from` at which the next event happens; `u64::MAX`: never.
    pub fn next(&mut self, from: u64) -> u64 {
        let Some(inverse) = self.inverse else {
            return u64::MAX;
        };
        // 53 random bits make a number in (0, 1]; its logarithm is finite and not positive.
        let uniform = ((self.rng.next_u64() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64);
        from.saturating_add((uniform.ln() * inverse) as u64)
    }
}
