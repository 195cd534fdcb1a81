// SPDX-License-Identifier: Apache-2.0
//! Values of arguments that several commands take. Each error says what would be accepted.

use std::net::SocketAddr;
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

/// A count, such as `--packets`.
///
/// # Errors
/// It is none, or out of range.
pub fn packets(text: &str) -> Result<u64, String> {
    let accepted = "accepted: 1 to 1000000000000";
    match text.replace('_', "").parse::<u64>() {
        Ok(packets @ 1..=1_000_000_000_000) => Ok(packets),
        _ => Err(accepted.to_owned()),
    }
}

/// `--id-width`.
///
/// # Errors
/// It is out of range.
pub fn id_width(text: &str) -> Result<u8, String> {
    match text.parse::<u8>() {
        Ok(width @ 6..=12) => Ok(width),
        _ => Err("accepted: 6 to 12".to_owned()),
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

/// `--base` of registers in a file.
///
/// # Errors
/// It is none.
pub fn file_offset(text: &str) -> Result<u64, String> {
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    value
        .filter(|value| value.is_multiple_of(4))
        .ok_or_else(|| "accepted: a multiple of 4, in decimal or as in 0x10000".to_owned())
}

/// A number with an optional suffix k, M, G or T, each 1000 times the one before; in either case.
///
/// # Errors
/// It is none; `accepted` says what would be one.
pub fn scaled(text: &str, accepted: &str) -> Result<f64, String> {
    let text = text.trim();
    let (digits, scale) = match text.as_bytes().last() {
        Some(b'T' | b't') => (&text[..text.len() - 1], 1e12),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 1e9),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 1e6),
        Some(b'K' | b'k') => (&text[..text.len() - 1], 1e3),
        _ => (text, 1.0),
    };
    Ok(number(digits, accepted)? * scale)
}

/// A rate in bit/s within a range; `accepted` names it. A bare number is in bit/s, whatever the
/// rate is of.
///
/// # Errors
/// It is none, or outside of the range.
pub fn rate_within(text: &str, range: RangeInclusive<f64>, accepted: &str) -> Result<f64, String> {
    let rate = scaled(text, accepted)?;
    if range.contains(&rate) {
        Ok(rate)
    } else if number(text, accepted).is_ok() {
        Err(format!(
            "a number without k, M or G is in bit/s; accepted: {accepted}"
        ))
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--rate` of what a host sends, in bit/s.
///
/// # Errors
/// It is none, or out of range.
pub fn bit_rate(text: &str) -> Result<f64, String> {
    rate_within(text, 10e6..=1e12, "10M to 1000G (bit/s)")
}

/// Bytes with an optional suffix K, M or G, each 1024 times the one before; in either case.
#[must_use]
pub fn bytes(text: &str) -> Option<u64> {
    let text = text.trim().replace('_', "");
    let (digits, scale) = match text.as_bytes().last()? {
        b'K' | b'k' => (&text[..text.len() - 1], 1 << 10),
        b'M' | b'm' => (&text[..text.len() - 1], 1 << 20),
        b'G' | b'g' => (&text[..text.len() - 1], 1 << 30),
        _ => (&text[..], 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(scale)
}

/// `--loss` and others: a share, as a percentage or a fraction.
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

/// Where a live page is served.
///
/// # Errors
/// It is no address with a port.
pub fn page_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "accepted: ADDR:PORT, such as 127.0.0.1:7480 or [::1]:7480; port 0 for one that is free"
            .to_owned()
    })
}

/// A channel of HTSP.
pub fn vc(text: &str) -> Result<u8, String> {
    whole(text, 0..=15, "")
}

/// `--burst` of HTSP.
pub fn htsp_burst(text: &str) -> Result<u16, String> {
    match bytes(text) {
        Some(bytes @ 64..=8192) if bytes.is_multiple_of(64) => Ok(bytes as u16),
        _ => Err("accepted: a multiple of 64 from 64 to 8192 bytes".to_owned()),
    }
}

/// Bytes of a user frame.
///
/// # Errors
/// It is none, or out of range.
pub fn frame_bytes(text: &str) -> Result<u64, String> {
    let accepted = "accepted: 1 to 1000000000000 bytes; K, M and G are 1024, 1024^2 and 1024^3";
    match bytes(text) {
        Some(count @ 1..=1_000_000_000_000) => Ok(count),
        _ => Err(accepted.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_rate_is_in_bits_per_second_everywhere() {
        assert_eq!(bit_rate("28G"), Ok(28e9));
        assert_eq!(bit_rate("28g"), Ok(28e9));
        assert_eq!(bit_rate("28000000000"), Ok(28e9));
        assert_eq!(bit_rate("0.028T"), Ok(28e9));
        assert_eq!(bit_rate("20000k"), Ok(20e6));
        assert!(bit_rate("28").unwrap_err().contains("is in bit/s"));
        for bad in [
            "", "G", "-1", "-28G", "28X", "1e400", "NaN", "infG", "1K", "28Gé", "é",
        ] {
            let said = bit_rate(bad).unwrap_err();
            assert!(said.contains("10M to 1000G"), "{bad}: {said}");
        }
    }

    #[test]
    fn sizes_count_in_powers_of_1024() {
        for (text, size) in [("64", 64), ("8K", 8192), ("1m", 1 << 20), ("2G", 2 << 30)] {
            assert_eq!(bytes(text), Some(size), "{text}");
        }
        for bad in ["", "K", "-1", "1.5K", "99999999999G", "1T"] {
            assert_eq!(bytes(bad), None, "{bad}");
        }
    }
}
