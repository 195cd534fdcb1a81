// SPDX-License-Identifier: Apache-2.0
//! How sure a measured bit error rate is.

use serde::Serialize;

/// Quantile of the normal distribution that leaves 2.5 % on each side.
const Z: f64 = 1.959_963_984_540_054;

/// A rate and the interval that holds the true one with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Errors per bit.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// The score interval (Wilson, "Probable inference, the law of succession, and statistical
    /// inference", 1927, section 2) of `errors` in `bits`: it is closed, never leaves 0 to 1, and
    /// says something where no error has been seen. It takes errors for independent; where they
    /// come in bursts it is too narrow. Without any bits it is 0 to 1.
    #[must_use]
    pub fn wilson(errors: u64, bits: u64) -> Self {
        if bits == 0 {
            return Self {
                estimate: 0.0,
                low: 0.0,
                high: 1.0,
            };
        }
        let trials = bits as f64;
        let share = errors.min(bits) as f64 / trials;
        let weight = 1.0 + Z * Z / trials;
        let centre = (share + Z * Z / (2.0 * trials)) / weight;
        let half =
            Z / weight * (share * (1.0 - share) / trials + Z * Z / (4.0 * trials * trials)).sqrt();
        Self {
            estimate: share,
            // Rounding must not make the ends pass the values that they cannot pass.
            low: if errors == 0 {
                0.0
            } else {
                (centre - half).max(0.0)
            },
            high: if errors >= bits {
                1.0
            } else {
                (centre + half).min(1.0)
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!(
            (value / expected - 1.0).abs() < 1e-4,
            "{value}, expected {expected}"
        );
    }

    /// 10 of 100: 5.5229 % to 17.4366 %, as tables of the score interval have it.
    #[test]
    fn the_interval_is_the_one_of_the_tables() {
        let interval = Interval::wilson(10, 100);
        near(interval.estimate, 0.1);
        near(interval.low, 0.055_229);
        near(interval.high, 0.174_366);
    }

    #[test]
    fn no_error_bounds_the_rate_from_above_and_no_bit_says_nothing() {
        let interval = Interval::wilson(0, 1_000_000_000_000);
        assert_eq!((interval.estimate, interval.low), (0.0, 0.0));
        // z^2 / n.
        near(interval.high, 3.841_459e-12);
        let nothing = Interval::wilson(0, 0);
        assert_eq!((nothing.low, nothing.high), (0.0, 1.0));
        assert_eq!(Interval::wilson(7, 7).high, 1.0);
        assert_eq!(Interval::wilson(9, 7).estimate, 1.0);
    }

    proptest::proptest! {
        #[test]
        fn the_estimate_lies_within(errors: u64, bits: u64) {
            let Interval { estimate, low, high } = Interval::wilson(errors, bits);
            proptest::prop_assert!(0.0 <= low && low <= estimate && estimate <= high && high <= 1.0);
        }
    }
}
