// SPDX-License-Identifier: Apache-2.0
//! Recorded outputs of the published cores, from the folder `golden`; its README describes the
//! files.
//!
//! A file that is missing, or not as described there, is a panic: nothing here can be skipped.

pub mod htsp;
pub mod rifl;

use std::path::Path;

/// The words of each row of a file.
fn rows(name: &str) -> Vec<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden");
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(' ').map(str::to_owned).collect())
        .collect()
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap_or_else(|error| panic!("'{text}': {error}"))
}

fn decimal(text: &str) -> u64 {
    text.parse()
        .unwrap_or_else(|error| panic!("'{text}': {error}"))
}

/// Bytes that are written as hexadecimal digits.
fn bytes(digits: &str) -> Vec<u8> {
    assert!(digits.len().is_multiple_of(2), "'{digits}': half a byte");
    (0..digits.len() / 2)
        .map(|i| hex(&digits[2 * i..2 * i + 2]) as u8)
        .collect()
}

/// Words of 64 bits that are written as hexadecimal digits, the first one first.
fn words(digits: &str) -> Vec<u64> {
    assert!(digits.len().is_multiple_of(16), "'{digits}': half a word");
    (0..digits.len() / 16)
        .map(|i| hex(&digits[16 * i..16 * (i + 1)]))
        .collect()
}
