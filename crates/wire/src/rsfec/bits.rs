// SPDX-License-Identifier: Apache-2.0
//! Bits of a line in words of 64, the first one in the lowest place of the first word.

use super::Symbol;
use super::field::WIDTH;

/// At most 64 bits from a place on.
pub(crate) fn get(bits: &[u64], at: usize, count: usize) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    let high = bits.get(word + 1).copied().unwrap_or(0);
    let both = u128::from(high) << 64 | u128::from(bits[word]);
    (both >> shift) as u64 & (u64::MAX >> (64 - count))
}

/// Adds at most 64 bits at a place, where zeros are.
pub(crate) fn put(bits: &mut [u64], at: usize, count: usize, value: u64) {
    let (word, shift) = (at / 64, at % 64);
    let both = u128::from(value & (u64::MAX >> (64 - count))) << shift;
    bits[word] |= both as u64;
    if let Some(high) = bits.get_mut(word + 1) {
        *high |= (both >> 64) as u64;
    }
}

/// Symbols of the line, from the first bit on, as many as there is room for.
pub(crate) fn to_symbols(bits: &[u64], symbols: &mut [Symbol]) {
    let width = WIDTH as usize;
    for (i, symbol) in symbols.iter_mut().enumerate() {
        *symbol = get(bits, width * i, width) as Symbol;
    }
}

/// And back, to where zeros are.
pub(crate) fn from_symbols(symbols: &[Symbol], bits: &mut [u64]) {
    let width = WIDTH as usize;
    for (i, &symbol) in symbols.iter().enumerate() {
        put(bits, width * i, width, u64::from(symbol));
    }
}
