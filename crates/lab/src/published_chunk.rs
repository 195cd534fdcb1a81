// SPDX-License-Identifier: Apache-2.0
//! Tables I and II of the End2End100 paper, to print beside ours.

/// How the figures are cited.
pub const SOURCE: &str = "paper, measured on boards";
/// Bytes of a chunk that are not payload (section IV.B).
pub const OVERHEAD: u32 = 262_200;
/// Turn-around that both tables have: what is left of the time of a chunk beyond the line, in us.
pub const TURN_AROUND_US: f64 = 42.5;

/// Net throughput in Gb/s and time of a chunk in ms, by the number of lanes from 1 on.
pub type Rows = [(f64, f64); 8];

/// Table I, *Stable Throughput*. The time of 8 lanes lies below what the line takes, 13.634 ms; the
/// throughput beside it says 13.713.
pub const TABLE_1: Rows = [
    (9.795, 13.705),
    (19.591, 13.702),
    (29.355, 13.715),
    (39.011, 13.758),
    (48.963, 13.705),
    (58.755, 13.704),
    (68.494, 13.714),
    (78.315, 13.109),
];

/// Table II, *Low Latency*. The time of 4 lanes lies below what the line takes, 3.409 ms; the
/// throughput beside it says 3.455.
pub const TABLE_2: Rows = [
    (9.789, 13.714),
    (19.497, 6.881),
    (29.142, 4.604),
    (38.859, 3.366),
    (48.232, 2.782),
    (56.693, 2.366),
    (66.796, 2.008),
    (76.73, 1.748),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Stable: a chunk on each lane at a time; low latency: one on all.
    #[test]
    fn the_times_are_those_of_the_throughputs() {
        let bits = 16_780_800.0 * 8.0;
        for (lanes, (stable, low)) in (1..).zip(TABLE_1.into_iter().zip(TABLE_2)) {
            let off = |at_once: f64, (gbps, ms): (f64, f64)| {
                (ms * 1e-3 / (at_once * bits / (gbps * 1e9)) - 1.0).abs()
            };
            assert_eq!(off(f64::from(lanes), stable) > 2e-3, lanes == 8);
            assert_eq!(off(1.0, low) > 2e-3, lanes == 4, "{lanes}");
        }
    }
}
