// SPDX-License-Identifier: Apache-2.0
//! Exact latency statistics.

use std::collections::BTreeMap;

/// Values below this are counted in a plain array, those above in a map: in an error-free run every
/// value is small.
const DENSE: usize = 4096;

/// Every latency that occurred, in GT cycles of the sending end, and how often: nothing is rounded.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyHistogram {
    cycle_ns: f64,
    dense: Vec<u64>,
    sparse: BTreeMap<u64, u64>,
    count: u64,
    sum: u64,
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self::new(1.0)
    }
}

impl LatencyHistogram {
    /// An empty histogram of cycles of `cycle_ns` nanoseconds.
    pub fn new(cycle_ns: f64) -> Self {
        Self {
            cycle_ns,
            dense: Vec::new(),
            sparse: BTreeMap::new(),
            count: 0,
            sum: 0,
        }
    }

    /// Counts one latency.
    pub fn record(&mut self, cycles: u64) {
        self.record_many(cycles, 1);
    }

    fn record_many(&mut self, cycles: u64, n: u64) {
        self.count += n;
        self.sum += n * cycles;
        match usize::try_from(cycles) {
            Ok(index) if index < DENSE => {
                if self.dense.is_empty() {
                    self.dense = vec![0; DENSE];
                }
                self.dense[index] += n;
            }
            _ => *self.sparse.entry(cycles).or_insert(0) += n,
        }
    }

    /// Counts everything that another histogram counted.
    pub fn merge(&mut self, other: &Self) {
        for (cycles, n) in other.buckets() {
            self.record_many(cycles, n);
        }
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Length of a cycle.
    pub fn cycle_ns(&self) -> f64 {
        self.cycle_ns
    }

    /// Every latency that occurred, ascending, with its count.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.dense
            .iter()
            .enumerate()
            .filter(|(_, n)| **n > 0)
            .map(|(cycles, n)| (cycles as u64, *n))
            .chain(self.sparse.iter().map(|(cycles, n)| (*cycles, *n)))
    }

    /// The smallest latency that at least the fraction `q` (0 to 1) of all packets did not exceed;
    /// 0 when empty.
    pub fn quantile_cycles(&self, q: f64) -> u64 {
        if self.count == 0 {
            return 0;
        }
        let rank = ((q.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        let mut last = 0;
        for (cycles, n) in self.buckets() {
            seen += n;
            last = cycles;
            if seen >= rank {
                break;
            }
        }
        last
    }

    /// The same in nanoseconds.
    pub fn quantile_ns(&self, q: f64) -> f64 {
        self.quantile_cycles(q) as f64 * self.cycle_ns
    }

    /// Smallest latency in cycles; 0 when empty.
    pub fn min_cycles(&self) -> u64 {
        self.quantile_cycles(0.0)
    }

    /// Median in cycles.
    pub fn p50_cycles(&self) -> u64 {
        self.quantile_cycles(0.5)
    }

    /// 99th percentile in cycles.
    pub fn p99_cycles(&self) -> u64 {
        self.quantile_cycles(0.99)
    }

    /// 99.9th percentile in cycles.
    pub fn p999_cycles(&self) -> u64 {
        self.quantile_cycles(0.999)
    }

    /// Largest latency in cycles; 0 when empty.
    pub fn max_cycles(&self) -> u64 {
        self.quantile_cycles(1.0)
    }

    /// Mean in cycles; 0 when empty.
    pub fn mean_cycles(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum as f64 / self.count as f64
        }
    }

    /// Smallest latency in nanoseconds.
    pub fn min_ns(&self) -> f64 {
        self.quantile_ns(0.0)
    }

    /// Median in nanoseconds.
    pub fn p50_ns(&self) -> f64 {
        self.quantile_ns(0.5)
    }

    /// 99th percentile in nanoseconds.
    pub fn p99_ns(&self) -> f64 {
        self.quantile_ns(0.99)
    }

    /// 99.9th percentile in nanoseconds.
    pub fn p999_ns(&self) -> f64 {
        self.quantile_ns(0.999)
    }

    /// Largest latency in nanoseconds.
    pub fn max_ns(&self) -> f64 {
        self.quantile_ns(1.0)
    }

    /// Mean in nanoseconds.
    pub fn mean_ns(&self) -> f64 {
        self.mean_cycles() * self.cycle_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_exact() {
        let mut h = LatencyHistogram::new(2.0);
        assert_eq!(h.max_cycles(), 0);
        for v in (1..=1000).rev() {
            h.record(v * 10);
        }
        assert_eq!(h.count(), 1000);
        assert_eq!(h.min_cycles(), 10);
        assert_eq!(h.p50_cycles(), 5000);
        assert_eq!(h.p99_cycles(), 9900);
        assert_eq!(h.p999_cycles(), 9990);
        assert_eq!(h.max_cycles(), 10_000);
        assert_eq!(h.max_ns(), 20_000.0);
        assert_eq!(h.mean_cycles(), 5005.0);
        let mut twice = h.clone();
        twice.merge(&h);
        assert_eq!((twice.count(), twice.mean_cycles()), (2000, 5005.0));
        assert_eq!((twice.p50_cycles(), twice.max_cycles()), (5000, 10_000));
    }
}
