// SPDX-License-Identifier: Apache-2.0
//! Figure 9 of the RIFL paper: goodput and latency at bit error rates from 1e-12 to 1e-5.
//!
//! At 1e-12 a link of four lanes sees an error in some seconds, which is far more than can be
//! simulated. But the time between two recoveries is known exactly, for it is that of a link
//! without errors and errors come independently; only what happens within recoveries has to be
//! measured ([`crate::recovery`]).
//!
//! Further errors within a recovery are as rare. They are made frequent: the recoveries are drawn
//! at several levels, each with a bit error rate of its own from zero on, and every one counts with
//! the ratio of its probability at the rate in question to that at all levels together (importance
//! sampling; the weights of Veach and Guibas' balance heuristic). With K further errors among B
//! bits the probability is `p^K (1-p)^(B-K)`, so the same recoveries give every rate up to that of
//! the highest level. It takes the place of importance splitting, which would have to copy the
//! state of the simulated RTL in the midst of a recovery.
//!
//! With a mean time between errors of `1/(p b)` cycles, `b` bits a cycle, a mean recovery of `D`
//! cycles and mean deliveries in it that take `N` cycles on an undisturbed link, the share of the
//! goodput that is lost is `(D - N) / (1/(p b) + D)`. In steady state a link delivers the same in
//! every cycle of the user's clock, but for the sizes of the packets.
//!
//! Bands hold 95 % of the values of a bootstrap: windows of the undisturbed link, and recoveries or
//! windows of a run with errors, drawn again with replacement.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

use crate::published::Link;
use crate::recovery::{Level, Recoveries, Recovery, SETTLED, Stretch};

/// Points of the figure: four in a decade.
pub const POINTS: usize = 29;
/// Draws of a bootstrap.
const DRAWS: usize = 400;
/// Share of the draws below the band, and above it.
const TAIL: f64 = 0.025;
/// Bit error rates of levels.
const LEVELS: [f64; 6] = [0.0, 1e-7, 3e-7, 1e-6, 3.2e-6, 1e-5];
/// Mean errors in the time that a recovery takes at least, above which it hardly ever ends.
const MOST_ERRORS: f64 = 2.2;

/// The bit error rate of a point, from 0 on.
#[must_use]
pub fn rate(point: usize) -> f64 {
    10f64.powf(-12.0 + 0.25 * point as f64)
}

/// A value and its band.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Band {
    /// The estimate.
    pub value: f64,
    /// 2.5 % of the draws lie below.
    pub low: f64,
    /// 2.5 % of the draws lie above.
    pub high: f64,
}

impl Band {
    /// Draws that are no number are left out.
    fn of(value: f64, mut draws: Vec<f64>) -> Self {
        draws.retain(|draw| draw.is_finite());
        draws.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (share * draws.len().saturating_sub(1) as f64).round() as usize;
            draws.get(place).copied().unwrap_or(value)
        };
        Self {
            value,
            low: at(TAIL),
            high: at(1.0 - TAIL),
        }
    }
}

/// Latency of packets in GT cycles, first beat in to first beat out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latency {
    /// Mean.
    pub mean: Band,
    /// Median.
    pub p50: u32,
    /// 99 %.
    pub p99: u32,
    /// 99.9 %.
    pub p999: u32,
    /// 99.99 %.
    pub p9999: u32,
}

/// What is known of a link at a bit error rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// Share of the goodput without errors that is lost.
    pub lost: Band,
    /// Latency of the packets.
    pub latency_cycles: Latency,
    /// As many recoveries that all count alike would be as exact; windows: how many.
    pub samples: f64,
}

/// How a point was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// From recoveries and how often they come.
    Recoveries,
    /// A run with errors at this rate.
    Run,
}

/// A point of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Row {
    /// In extended mode.
    pub extended: bool,
    /// The link.
    #[serde(flatten)]
    pub link: Link,
    /// Frame id width in bits.
    pub id_width: u8,
    /// Bit error rate.
    pub ber: f64,
    /// How it was measured.
    pub method: Method,
    /// Goodput over goodput without errors.
    pub ratio: f64,
    /// What was measured.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// Levels for a link: as many as its recoveries are sure to end at.
#[must_use]
pub fn levels(id_width: u8, frame_cycles: u64, lanes: u8, recoveries: usize) -> Vec<Level> {
    // The longest procedure, that of the compatible mode: 2.5 K frames.
    let least = (frame_cycles << id_width) as f64 * 2.5 + SETTLED as f64;
    let errors = |ber: f64| ber * 128.0 * f64::from(lanes) * least;
    let rates = LEVELS.into_iter().filter(|ber| errors(*ber) <= MOST_ERRORS);
    let level = |ber: f64| Level {
        ber,
        recoveries: if ber == 0.0 {
            2 * recoveries
        } else {
            recoveries
        },
    };
    rates.map(level).collect()
}

/// Logarithm of the probability of `errors` among `bits`.
fn likelihood(ber: f64, bits: u64, errors: u64) -> f64 {
    let none = (bits - errors) as f64 * (-ber).ln_1p();
    if errors == 0 {
        none
    } else {
        errors as f64 * ber.ln() + none
    }
}

/// Weights of all recoveries at a bit error rate: their sum is about 1.
#[must_use]
pub fn weights(measured: &Recoveries, ber: f64) -> Vec<f64> {
    let weight = |recovery: &Recovery| {
        let (bits, errors) = (recovery.bits, recovery.errors);
        let here = likelihood(ber, bits, errors);
        let levels = measured.levels.iter();
        // Relative to the probability here, which may be too small for a number.
        let others = levels.map(|level| {
            level.recoveries as f64 * (likelihood(level.ber, bits, errors) - here).exp()
        });
        1.0 / others.sum::<f64>()
    };
    measured.list.iter().map(weight).collect()
}

/// Weighted sums over stretches of time.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    weight: f64,
    cycles: f64,
    /// With the pauses before.
    span: f64,
    /// Delivered in the span.
    beats: f64,
    packets: f64,
    latency: f64,
}

impl Sums {
    fn add(&mut self, weight: f64, other: &Sums) {
        self.weight += weight * other.weight;
        self.cycles += weight * other.cycles;
        self.span += weight * other.span;
        self.beats += weight * other.beats;
        self.packets += weight * other.packets;
        self.latency += weight * other.latency;
    }

    fn of(stretch: &Stretch, pause: &Stretch) -> Self {
        Self {
            weight: 1.0,
            cycles: stretch.cycles as f64,
            span: (stretch.cycles + pause.cycles) as f64,
            beats: (stretch.beats + pause.beats) as f64,
            packets: stretch.latency.len() as f64,
            latency: stretch.latency.iter().copied().map(f64::from).sum(),
        }
    }

    /// Cycles more than the undisturbed link would have taken.
    fn lost(&self, quiet: &Sums) -> f64 {
        self.span - self.beats * quiet.cycles / quiet.beats
    }
}

/// As many of the windows, drawn with replacement.
fn drawn_windows(windows: &[Sums], rng: &mut Xoshiro256PlusPlus) -> Sums {
    let mut all = Sums::default();
    for _ in windows {
        let place = rng.next_u64() % windows.len() as u64;
        if let Some(window) = windows.get(place as usize) {
            all.add(1.0, window);
        }
    }
    all
}

/// All of the windows.
fn whole(windows: &[Sums]) -> Sums {
    let mut all = Sums::default();
    windows.iter().for_each(|window| all.add(1.0, window));
    all
}

/// One by one.
fn windowed(stretches: &[Stretch]) -> Vec<Sums> {
    let none = Stretch::default();
    stretches
        .iter()
        .map(|window| Sums::of(window, &none))
        .collect()
}

/// A link and what was measured of it, ready for any bit error rate.
#[derive(Debug)]
pub struct Composed<'a> {
    measured: &'a Recoveries,
    quiet: Sums,
    recoveries: Vec<Sums>,
    /// Draws of the bootstrap: the undisturbed link, and how often each recovery was drawn.
    draws: Vec<(Sums, Vec<u8>)>,
    /// Latencies, ascending; of which recovery, none: of the undisturbed link.
    latencies: Vec<(u32, Option<usize>)>,
}

impl<'a> Composed<'a> {
    /// Prepares what was measured; `seed` is that of the bootstrap.
    #[must_use]
    pub fn new(measured: &'a Recoveries, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let quiet = windowed(&measured.quiet);
        let draw = |_| (drawn_windows(&quiet, &mut rng), drawn(measured, &mut rng));
        let draws = (0..DRAWS).map(draw).collect();
        let mut latencies: Vec<(u32, Option<usize>)> = Vec::new();
        for window in &measured.quiet {
            latencies.extend(window.latency.iter().map(|cycles| (*cycles, None)));
        }
        for (place, recovery) in measured.list.iter().enumerate() {
            let own = recovery.stretch.latency.iter();
            latencies.extend(own.map(|cycles| (*cycles, Some(place))));
        }
        latencies.sort_unstable();
        let sums = |recovery: &Recovery| Sums::of(&recovery.stretch, &recovery.pause);
        Self {
            quiet: whole(&quiet),
            recoveries: measured.list.iter().map(sums).collect(),
            draws,
            latencies,
            measured,
        }
    }

    /// What the link does at a bit error rate.
    #[must_use]
    pub fn at(&self, ber: f64) -> Estimate {
        let weights = weights(self.measured, ber);
        let between = 1.0 / (ber * self.measured.bits_per_cycle as f64);
        let sums = |counts: Option<&[u8]>| {
            let mut sums = Sums::default();
            for (place, (weight, recovery)) in weights.iter().zip(&self.recoveries).enumerate() {
                let count = counts.and_then(|counts| counts.get(place)).copied();
                sums.add(weight * f64::from(count.unwrap_or(1)), recovery);
            }
            sums
        };
        let lost = |(quiet, sums): &(&Sums, Sums)| {
            (sums.lost(quiet) / sums.weight) / (between + sums.cycles / sums.weight)
        };
        let quiet_packets = between * self.quiet.packets / self.quiet.cycles;
        let mean = |(_, sums): &(&Sums, Sums)| {
            let quiet = quiet_packets * self.quiet.latency / self.quiet.packets;
            let packets = quiet_packets + sums.packets / sums.weight;
            (quiet + sums.latency / sums.weight) / packets
        };
        let all = sums(None);
        let draws: Vec<(&Sums, Sums)> = self
            .draws
            .iter()
            .map(|(quiet, counts)| (quiet, sums(Some(counts))))
            .collect();
        let band = |of: &dyn Fn(&(&Sums, Sums)) -> f64| {
            Band::of(of(&(&self.quiet, all)), draws.iter().map(of).collect())
        };
        let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
        let quiet_weight = quiet_packets / self.quiet.packets;
        let weighted = self.latencies.iter().map(|&(cycles, of)| {
            let own = of.and_then(|place| weights.get(place));
            (
                cycles,
                own.map_or(quiet_weight, |weight| weight / all.weight),
            )
        });
        let [p50, p99, p999, p9999] = quantiles(weighted.collect());
        Estimate {
            lost: band(&lost),
            latency_cycles: Latency {
                mean: band(&mean),
                p50,
                p99,
                p999,
                p9999,
            },
            samples: all.weight * all.weight / squares,
        }
    }
}

/// How often each recovery is drawn when as many of its level are.
fn drawn(measured: &Recoveries, rng: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut counts = vec![0u8; measured.list.len()];
    let mut begin = 0;
    for level in &measured.levels {
        for _ in 0..level.recoveries {
            let place = begin + (rng.next_u64() % level.recoveries as u64) as usize;
            if let Some(count) = counts.get_mut(place) {
                *count = count.saturating_add(1);
            }
        }
        begin += level.recoveries;
    }
    counts
}

/// The latencies that these shares of the packets do not exceed; ascending, with weights.
fn quantiles(latencies: Vec<(u32, f64)>) -> [u32; 4] {
    let total: f64 = latencies.iter().map(|(_, weight)| weight).sum();
    [0.5, 0.99, 0.999, 0.9999].map(|share| {
        let mut sum = 0.0;
        let reached = latencies.iter().find(|(_, weight)| {
            sum += weight;
            sum >= share * total
        });
        reached.or(latencies.last()).map_or(0, |it| it.0)
    })
}

/// What the windows of a run with errors say beside those of the undisturbed link.
#[must_use]
pub fn of_run(windows: &[Stretch], quiet: &[Stretch], seed: u64) -> Estimate {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (sums, quiet) = (windowed(windows), windowed(quiet));
    let draws: Vec<(Sums, Sums)> = (0..DRAWS)
        .map(|_| {
            (
                drawn_windows(&quiet, &mut rng),
                drawn_windows(&sums, &mut rng),
            )
        })
        .collect();
    let all = (whole(&quiet), whole(&sums));
    let band =
        |of: &dyn Fn(&(Sums, Sums)) -> f64| Band::of(of(&all), draws.iter().map(of).collect());
    let mut latencies: Vec<(u32, f64)> = windows
        .iter()
        .flat_map(|window| window.latency.iter().map(|cycles| (*cycles, 1.0)))
        .collect();
    latencies.sort_unstable_by_key(|it| it.0);
    let [p50, p99, p999, p9999] = quantiles(latencies);
    Estimate {
        lost: band(&|(quiet, sums)| sums.lost(quiet) / sums.cycles),
        latency_cycles: Latency {
            mean: band(&|(_, sums)| sums.latency / sums.packets),
            p50,
            p99,
            p999,
            p9999,
        },
        samples: windows.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits that a recovery takes behind its last error.
    const BITS: u64 = 1000;

    /// Recoveries of a link whose laws are known: every error takes 1000 bits without another one,
    /// at a bit a cycle, and nothing is delivered meanwhile.
    fn known(levels: &[(f64, usize)], seed: u64) -> Recoveries {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut list = Vec::new();
        for (level, &(ber, recoveries)) in levels.iter().enumerate() {
            for _ in 0..recoveries {
                let seed = rng.next_u64();
                let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
                let mut gaps = ropewalk_channel::Gaps::new(ber, rng);
                let (mut last, mut errors) = (0, 0);
                loop {
                    let next = gaps.next(last);
                    if next >= last + BITS {
                        break;
                    }
                    (last, errors) = (next + 1, errors + 1);
                }
                let bits = last + BITS;
                let stretch = Stretch {
                    cycles: bits,
                    beats: 0,
                    latency: vec![bits as u32],
                };
                list.push(Recovery {
                    level,
                    bits,
                    errors,
                    stretch,
                    pause: Stretch::default(),
                });
            }
        }
        let level = |&(ber, recoveries): &(f64, usize)| Level { ber, recoveries };
        Recoveries {
            levels: levels.iter().map(level).collect(),
            bits_per_cycle: 1,
            quiet: vec![quiet(); 10],
            list,
            ok: true,
        }
    }

    /// A packet in a thousand cycles.
    fn quiet() -> Stretch {
        Stretch {
            cycles: 10_000,
            beats: 5000,
            latency: vec![7; 10],
        }
    }

    /// Mean length of those recoveries: until 1000 bits in a row are not hit.
    fn mean(ber: f64) -> f64 {
        let none = (BITS as f64 * (-ber).ln_1p()).exp();
        (1.0 - none) / (ber * none)
    }

    #[test]
    fn one_set_of_recoveries_gives_every_rate() {
        let levels = [(0.0, 3000), (3e-4, 3000), (1e-3, 3000), (2e-3, 3000)];
        let measured = known(&levels, 5);
        let composed = Composed::new(&measured, 1);
        for ber in [1e-12, 1e-9, 1e-6, 1e-5, 1e-4, 5e-4, 1e-3, 2e-3] {
            let sum: f64 = weights(&measured, ber).iter().sum();
            assert!((sum - 1.0).abs() < 0.1, "{ber}: {sum}");
            let expected = mean(ber) / (1.0 / ber + mean(ber));
            let lost = composed.at(ber).lost;
            assert!(
                lost.low <= lost.value && lost.value <= lost.high,
                "{lost:?}"
            );
            let error = (lost.value / expected - 1.0).abs();
            assert!(error < 0.06, "{ber}: {lost:?}, expected {expected}");
            // Wider by a half: one band in twenty is wrong.
            let margin = 0.5 * (lost.high - lost.low) + 1e-6 * expected;
            assert!(
                lost.low - margin <= expected && expected <= lost.high + margin,
                "{ber}: {lost:?}, expected {expected}"
            );
        }
    }

    #[test]
    fn latencies_count_as_often_as_they_occur() {
        let measured = known(&[(0.0, 50)], 5);
        let estimate = Composed::new(&measured, 1).at(1e-5);
        // A packet in 1000 undisturbed cycles, 100 of them between two errors, and one of a
        // recovery.
        let latency = estimate.latency_cycles;
        let expected = (100.0 * 7.0 + 1000.0) / 101.0;
        assert!((latency.mean.value - expected).abs() < 1e-6, "{latency:?}");
        assert_eq!((latency.p50, latency.p99, latency.p999), (7, 7, 1000));
    }

    #[test]
    fn windows_are_compared_with_the_undisturbed_link() {
        let window = |beats| Stretch {
            cycles: 1000,
            beats,
            latency: vec![5, 9],
        };
        let windows: Vec<Stretch> = [300, 350, 250, 300].map(window).to_vec();
        let estimate = of_run(&windows, &[quiet()], 1);
        assert!((estimate.lost.value - 0.4).abs() < 1e-9, "{estimate:?}");
        assert!(
            estimate.lost.low < 0.39 && estimate.lost.high > 0.41,
            "{estimate:?}"
        );
        assert_eq!(estimate.latency_cycles.p99, 9);
    }

    #[test]
    fn levels_stop_where_recoveries_would_not_end() {
        let rates = |levels: Vec<Level>| levels.iter().map(|it| it.ber).collect::<Vec<_>>();
        assert_eq!(rates(levels(6, 4, 1, 5)), LEVELS);
        assert_eq!(rates(levels(8, 4, 4, 5)), [0.0, 1e-7, 3e-7, 1e-6]);
        assert!((rate(0) - 1e-12).abs() < 1e-20 && (rate(POINTS - 1) - 1e-5).abs() < 1e-12);
    }
}
