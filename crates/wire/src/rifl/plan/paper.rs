// SPDX-License-Identifier: Apache-2.0
//! Equations 1 to 26 of the paper, by their numbers, with its tables 2, 3 and 5 as tests.
//!
//! Where the paper's own reading of an equation is not what a link needs, the item says so and
//! names what is used instead. S is the width of a frame in bits.

/// Seconds of a year of 365.25 days.
pub const YEAR_S: f64 = 31_557_600.0;
/// Share of links that have not failed at the time that the paper calls MTBF (footnote 5, equations
/// 14 and 26).
pub const SURVIVAL: f64 = 0.99;

/// Equation 1: the bits that a retransmission buffer must hold at least, rate times round trip.
#[must_use]
pub fn retransmission_bits(rate_gbps: f64, round_trip_ns: f64) -> f64 {
    rate_gbps * round_trip_ns
}

/// Equation 2: round trip, twice circuits and cable. Any unit of time.
#[must_use]
pub fn round_trip_ns(circuit_ns: f64, cable_ns: f64) -> f64 {
    2.0 * (circuit_ns + cable_ns)
}

/// Equation 3: delay of the circuits, one way: transceivers, protocol and queues.
#[must_use]
pub fn circuit_ns(transceiver_ns: f64, protocol_ns: f64, buffer_ns: f64) -> f64 {
    transceiver_ns + protocol_ns + buffer_ns
}

/// Equation 4: delay of the cable, one way. The paper takes light in vacuum, 3.34 ns/m; fibre and
/// copper take about 5.
#[must_use]
pub fn cable_ns(metres: f64, ns_per_metre: f64) -> f64 {
    metres * ns_per_metre
}

/// Equations 5 to 8: efficiency when every damaged frame costs `stall_frames` that carry nothing
/// new.
///
/// This is the first term of a series and goes below zero at high error rates;
/// [`super::recovery::Recovery::goodput_ratio`] holds there as well.
#[must_use]
pub fn efficiency_with_errors(
    frame: u32,
    header: u32,
    stall_frames: f64,
    frame_errors: f64,
) -> f64 {
    let other_share = stall_frames * frame_errors;
    (1.0 - f64::from(header) / f64::from(frame)) * (1.0 - other_share)
}

/// Equation 9: probability that a frame is damaged, 1 - (1 - BER)^S.
#[must_use]
pub fn frame_error_ratio(frame: u32, ber: f64) -> f64 {
    -(f64::from(frame) * (-ber).ln_1p()).exp_m1()
}

/// Equation 10: header bits of a data frame, the verification code, two sync bits and two of meta
/// code.
#[must_use]
pub fn header_bits(verification: u32) -> u32 {
    verification + 4
}

/// Equation 11: efficiency of frames that are all filled, the limit of the framing.
#[must_use]
pub fn framing_efficiency(frame: u32, verification: u32) -> f64 {
    efficiency_with_errors(frame, header_bits(verification), 0.0, 0.0)
}

/// Equation 13: bits of a frame id that cover a round trip.
///
/// Too few in practice, see [`super::Span::needed_id_bits`].
#[must_use]
pub fn id_bits(frame: u32, rate_gbps: f64, round_trip_ns: f64) -> u32 {
    let frames = retransmission_bits(rate_gbps, round_trip_ns) / f64::from(frame);
    frames.max(1.0).log2().ceil() as u32
}

/// Equations 12 and 17 to 19: bits of the verification code that holds both an id and a checksum
/// and leaves a payload of whole bytes: 4 modulo 8.
#[must_use]
pub fn verification_bits(id: u32, checksum: u32) -> u32 {
    let least = id.max(checksum);
    least + (12 - least % 8) % 8
}

/// The bits that a CRC of `checksum` bits with Hamming distance 4 protects at most: 2^(m-1) - 1 - m
/// (the paper takes it from tables; it is the length of a primitive polynomial of degree m - 1
/// times x + 1).
#[must_use]
pub fn protected_bits(checksum: u32) -> u64 {
    (1u64 << checksum.saturating_sub(1)).saturating_sub(1 + u64::from(checksum))
}

/// Equation 16: probability of exactly `errors` flipped bits in a frame.
#[must_use]
pub fn error_probability(frame: u32, errors: u32, ber: f64) -> f64 {
    ln_error_probability(frame, errors, ber).exp()
}

fn ln_error_probability(frame: u32, errors: u32, ber: f64) -> f64 {
    if errors > frame || (ber <= 0.0 && errors > 0) {
        return f64::NEG_INFINITY;
    }
    let ln_choose: f64 = (0..errors)
        .map(|i| (f64::from(frame - i) / f64::from(i + 1)).ln())
        .sum();
    let flipped = if errors == 0 {
        0.0
    } else {
        f64::from(errors) * ber.ln()
    };
    ln_choose + flipped + f64::from(frame - errors) * (-ber).ln_1p()
}

/// Probability of `errors` flipped bits or more in a frame: the bracket of equation 15, added up
/// from its small end, so that it is exact where 1 minus the rest would be nothing but rounding.
#[must_use]
pub fn at_least(frame: u32, errors: u32, ber: f64) -> f64 {
    let odds = ber.ln() - (-ber).ln_1p();
    let mut term = ln_error_probability(frame, errors, ber);
    let mut sum = 0.0;
    for i in errors..=frame {
        sum += term.exp();
        // From i to i + 1 flipped bits.
        term += (f64::from(frame - i) / f64::from(i + 1)).ln() + odds;
    }
    sum
}

/// Equation 15: share of frames that a CRC of `checksum` bits and Hamming distance `distance` lets
/// pass although they are damaged. A model: from that distance on, one pattern in 2^m is taken to
/// go unseen. [`super::detection::Detection`] counts instead.
#[must_use]
pub fn frame_failure_ratio(frame: u32, checksum: u32, distance: u32, ber: f64) -> f64 {
    at_least(frame, distance, ber) / 2f64.powi(checksum as i32)
}

/// Mean time until the first unseen error, in years: one frame in `1 / failure_ratio`. Infinite if
/// there is none.
#[must_use]
pub fn mean_years(frame: u32, rate_gbps: f64, failure_ratio: f64) -> f64 {
    f64::from(frame) / (rate_gbps * 1e9) / failure_ratio / YEAR_S
}

/// Equations 14 and 26: the years after which 99 % of links have seen no such error; 99.5 times
/// less than the mean.
///
/// Equation 14 takes the line rate, equation 26 the rate of new frames, because frames that are
/// sent again pass sixteen checks. The paper's table 2 follows this definition, its table 5 the
/// mean time.
#[must_use]
pub fn survival_years(frame: u32, rate_gbps: f64, failure_ratio: f64) -> f64 {
    mean_years(frame, rate_gbps, 1.0) * SURVIVAL.ln() / (-failure_ratio).ln_1p()
}

/// Sizes of the flow-control buffer in bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowControl {
    /// The whole buffer (equation 23).
    pub size: f64,
    /// Above this, the peer is told to stop (equation 24).
    pub stop_above: f64,
    /// Below this, the peer is told to go on (equation 25).
    pub resume_below: f64,
}

/// Equations 20 to 25: a third of the buffer each above, between and below the thresholds, and in
/// each third as much as arrives in the time that a notification needs.
///
/// The paper takes half a round trip for that time. What was sent while the notification was on its
/// way arrives half a round trip later still, so the whole `round_trip_ns` belongs here.
#[must_use]
pub fn flow_control(rate_gbps: f64, notice_ns: f64) -> FlowControl {
    let third = rate_gbps * notice_ns;
    FlowControl {
        size: 3.0 * third,
        stop_above: 2.0 * third,
        resume_below: third,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: [u32; 5] = [128, 256, 512, 1024, 2048];

    fn close(value: f64, expected: f64, share: f64) {
        assert!(
            (value / expected - 1.0).abs() < share,
            "{value:e} is not {expected:e}"
        );
    }

    /// As long as the polynomials of degree m - 1 are, less the checksum itself.
    #[test]
    fn what_a_checksum_protects() {
        let bits = [0, 1, 4, 8, 12, 16, 32].map(protected_bits);
        assert_eq!(bits, [0, 0, 3, 119, 2035, 32_751, 2_147_483_615]);
    }

    /// The smallest checksum of Hamming distance 4 that covers meta code and payload and holds 100
    /// years.
    fn checksum(frame: u32, id: u32) -> u32 {
        (1..=16)
            .find(|&m| {
                let covered = u64::from(frame - 2 - id.max(m));
                let failures = frame_failure_ratio(frame, m, 4, 1e-7);
                covered <= protected_bits(m) && survival_years(frame, 100.0, failures) > 100.0
            })
            .expect("some checksum suffices")
    }

    #[test]
    fn table_2() {
        let printed = [
            (9, 8, 9.7e4),
            (8, 9, 2.4e4),
            (7, 10, 5.9e3),
            (6, 11, 1.5e3),
            (5, 12, 3.6e2),
        ];
        for (frame, (id, sum, years)) in WIDTHS.into_iter().zip(printed) {
            assert_eq!(id_bits(frame, 100.0, 500.0), id, "{frame}");
            assert_eq!(checksum(frame, id), sum, "{frame}");
            let failures = frame_failure_ratio(frame, sum, 4, 1e-7);
            // The last row is 3.66e2 and was cut off, not rounded.
            close(survival_years(frame, 100.0, failures), years, 0.025);
        }
    }

    #[test]
    fn table_3() {
        // Its 93.25 is a misprint for 93.75; two rows are cut off instead of rounded.
        let percent = [87.5, 93.75, 96.875, 98.4375, 99.21875];
        for (frame, percent) in WIDTHS.into_iter().zip(percent) {
            let id = id_bits(frame, 100.0, 500.0);
            assert_eq!(verification_bits(id, checksum(frame, id)), 12, "{frame}");
            assert!((framing_efficiency(frame, 12) * 100.0 - percent).abs() < 1e-9);
        }
        assert_eq!(
            [4, 5, 11, 12, 13].map(|m| verification_bits(m, 1)),
            [4, 12, 12, 12, 20]
        );
    }

    #[test]
    fn table_5() {
        // Mean times, although equation 26 is cited; at 1e-7 the text's 1.88e7, the table's 1.88e8
        // is a misprint. The share of bandwidth that is left is the paper's own: 96.3 % at 1e-7,
        // 2.86 % at 1e-5.
        let rows = [
            (1e-11, 1.0, 1.81e23),
            (1e-9, 1.0, 1.81e15),
            (1e-7, 0.963, 1.88e7),
            (1e-5, 0.0286, 6.33),
        ];
        for (ber, share, years) in rows {
            let new_gbps = 112.0 * 15.0 / 16.0 * share;
            let failures = frame_failure_ratio(256, 12, 4, ber);
            close(mean_years(256, new_gbps, failures), years, 0.005);
            // What equation 26 itself gives.
            close(survival_years(256, new_gbps, failures), years / 99.5, 0.006);
        }
    }

    #[test]
    fn the_example_of_500_metres() {
        // 45 KB hold for light in vacuum only.
        let kilobytes = |ns_per_metre: f64| {
            let round_trip =
                round_trip_ns(circuit_ns(40.0, 50.0, 10.0), cable_ns(500.0, ns_per_metre));
            retransmission_bits(100.0, round_trip) / 8e3
        };
        close(kilobytes(3.34), 44.2, 0.01);
        close(kilobytes(5.0), 65.0, 0.01);
    }

    #[test]
    fn flow_control_takes_a_whole_round_trip() {
        // 214 ns at 28 Gb/s: the paper's half round trip would give 35.1 frames.
        let frames = flow_control(28.0, 214.0).size / 256.0;
        close(frames, 70.2, 0.001);
        close(flow_control(28.0, 107.0).size / 256.0, 35.1, 0.001);
    }

    #[test]
    fn efficiency_falls_with_errors() {
        close(frame_error_ratio(256, 1e-7), 2.56e-5, 1e-4);
        close(
            efficiency_with_errors(256, 16, 1132.0, 2.56e-5),
            0.9375 * 0.971,
            0.001,
        );
        assert_eq!(frame_error_ratio(256, 0.0), 0.0);
    }

    /// What cannot be has the probability 0, and without errors that is certain.
    #[test]
    fn errors_without_a_rate_or_a_place() {
        assert_eq!(error_probability(256, 0, 0.0), 1.0);
        assert_eq!(error_probability(256, 1, 0.0), 0.0);
        assert_eq!(error_probability(8, 9, 0.1), 0.0);
    }

    #[test]
    fn probabilities_add_up_at_every_rate() {
        for ber in [1e-12, 1e-7, 1e-3, 0.1, 0.5] {
            for frame in WIDTHS {
                let all: f64 = (0..=frame).map(|i| error_probability(frame, i, ber)).sum();
                close(all, 1.0, 1e-9);
                let some = at_least(frame, 1, ber);
                close(some, frame_error_ratio(frame, ber), 1e-6);
            }
        }
        assert_eq!(at_least(256, 4, 0.0), 0.0);
        assert_eq!(mean_years(256, 28.0, 0.0), f64::INFINITY);
    }
}
