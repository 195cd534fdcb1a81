// SPDX-License-Identifier: Apache-2.0
//! Numbers as people read them.

use std::ffi::OsString;
use std::io::IsTerminal;

/// `1234567` as `1 234 567`.
pub fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// A time in the unit that suits it, with four significant digits.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns.abs() {
        x if x < 1e3 => (ns, "ns"),
        x if x < 1e6 => (ns / 1e3, "us"),
        x if x < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    format!("{} {unit}", significant(value, 4))
}

/// A positive number with `digits` significant digits and without an exponent (for 1e-3 to 1e9).
pub fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (digits - 1 - magnitude).clamp(0, 12) as usize;
    format!("{value:.decimals$}")
}

/// Events per second with a suffix: `1.31 M`.
pub fn per_second(rate: f64) -> String {
    match rate {
        r if r >= 1e6 => format!("{:.2} M", r / 1e6),
        r if r >= 1e3 => format!("{:.1} k", r / 1e3),
        r => format!("{r:.0}"),
    }
}

/// Bytes with a decimal suffix.
pub fn bytes(count: u64) -> String {
    match count {
        c if c < 10_000 => format!("{} bytes", thousands(c)),
        c if c < 1_000_000 => format!("{} kB", significant(c as f64 / 1e3, 3)),
        c if c < 1_000_000_000 => format!("{} MB", significant(c as f64 / 1e6, 3)),
        c => format!("{} GB", significant(c as f64 / 1e9, 3)),
    }
}

/// A probability: `1e-6`, `0`.
pub fn rate(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else {
        format!("{value:e}")
    }
}

/// Whether escape sequences are welcome on this stream (a terminal, and neither `NO_COLOR` nor a
/// dumb terminal).
pub fn colour_wanted(stream: &impl IsTerminal) -> bool {
    stream.is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A word of a command line, quoted for a POSIX shell if it has to be.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A command line that can be typed again; the first of `args` is the name of the program.
pub fn command_line(args: &[OsString]) -> String {
    let words = args.iter().skip(1);
    std::iter::once("ropewalk".to_owned())
        .chain(words.map(|arg| shell_word(&arg.to_string_lossy())))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Text as the content of an element or of an attribute in double quotes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A number of lanes.
pub fn lanes(count: u8) -> String {
    format!("{count} lane{}", if count == 1 { "" } else { "s" })
}

/// Bytes as digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        for (value, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1 000"),
            (1_234_567, "1 234 567"),
        ] {
            assert_eq!(thousands(value), text);
        }
    }

    #[test]
    fn times_and_rates() {
        assert_eq!(time(54.857), "54.86 ns");
        assert_eq!(time(12_345.6), "12.35 us");
        assert_eq!(time(2.4e6), "2.400 ms");
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(significant(26.1712, 4), "26.17");
        assert_eq!(per_second(1.314e6), "1.31 M");
        assert_eq!(rate(1e-6), "1e-6");
        assert_eq!(bytes(9_999), "9 999 bytes");
        assert_eq!(bytes(5 << 20), "5.24 MB");
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(shell_word("a-b/c.1"), "a-b/c.1");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("$(x)"), "'$(x)'");
    }
}
