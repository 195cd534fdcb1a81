// SPDX-License-Identifier: Apache-2.0
//! Values of arguments that several commands take. Each error says what would be accepted.

use std::ops::RangeInclusive;
use std::time::Duration;

/// A finite number; `accepted` says what would be one.
///
/// # Errors
/// It is none.
pub fn number(text: &str, accepted: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("not a number; accepted: {accepted}")),
    }
}

/// `--packets`.
pub fn packets(text: &str) -> Result<u64, String> {
    let accepted = "accepted: 1 to 1000000000000";
    match text.replace('_', "").parse::<u64>() {
        Ok(packets @ 1..=1_000_000_000_000) => Ok(packets),
        _ => Err(accepted.to_owned()),
    }
}

/// A whole number within a range; `unit` is what a message adds to it.
///
/// # Errors
/// It is none, or outside of the range.
pub fn whole<T>(text: &str, range: RangeInclusive<T>, unit: &str) -> Result<T, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    match text.trim().parse::<T>() {
        Ok(value) if range.contains(&value) => Ok(value),
        _ => Err(format!(
            "accepted: {} to {}{unit}",
            range.start(),
            range.end()
        )),
    }
}

/// A time such as 85ms or 5s.
pub fn time_span(text: &str) -> Result<Duration, String> {
    let accepted = "1ms to 3600s, such as 85ms or 5s";
    let (digits, unit) = match text.trim().strip_suffix("ms") {
        Some(digits) => (digits, 1e-3),
        None => (text.trim().trim_end_matches('s'), 1.0),
    };
    let seconds = number(digits, accepted)? * unit;
    if (1e-3..=3600.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--rate` of HTSP, in bit/s.
pub fn bit_rate(text: &str) -> Result<f64, String> {
    let accepted = "10M to 1000G (bit/s)";
    let (digits, unit) = match text.trim() {
        text if text.ends_with('G') => (text.trim_end_matches('G'), 1e9),
        text if text.ends_with('M') => (text.trim_end_matches('M'), 1e6),
        text => (text, 1.0),
    };
    let rate = number(digits, accepted)? * unit;
    if (10e6..=1e12).contains(&rate) {
        Ok(rate)
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--drop`: a share, as a percentage or a fraction.
pub fn share(text: &str) -> Result<f64, String> {
    let accepted = "0 to 90 %, such as 1% or 0.01";
    let (digits, unit) = match text.trim().strip_suffix('%') {
        Some(digits) => (digits, 0.01),
        None => (text.trim(), 1.0),
    };
    let share = number(digits, accepted)? * unit;
    if (0.0..=0.9).contains(&share) {
        Ok(share)
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// A channel of HTSP.
pub fn vc(text: &str) -> Result<u8, String> {
    whole(text, 0..=15, "")
}

/// `--burst` of HTSP.
pub fn htsp_burst(text: &str) -> Result<u16, String> {
    match text.trim().parse::<u16>() {
        Ok(bytes @ 64..=8192) if bytes.is_multiple_of(64) => Ok(bytes),
        _ => Err("accepted: a multiple of 64 from 64 to 8192 bytes".to_owned()),
    }
}
