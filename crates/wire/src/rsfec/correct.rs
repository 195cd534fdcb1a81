// SPDX-License-Identifier: Apache-2.0
//! From what a division leaves to the symbols that are wrong.
//!
//! The key equation after Berlekamp and Massey, the search for roots after Chien, the values after
//! Forney.

use super::field::{Field, ORDER};
use super::{Code, MAX_PARITY, Symbol};
use thiserror::Error;

/// Most errors of a codeword that can be corrected.
const MAX_ERRORS: usize = MAX_PARITY / 2;

/// More is wrong than the code can correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("more symbols wrong than the code can correct")]
pub struct Uncorrectable;

/// What was wrong with a codeword.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Corrections {
    found: [(u16, Symbol); MAX_ERRORS],
    count: usize,
}

impl Corrections {
    /// Symbols that were wrong.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Index of the symbol in the codeword, and what was added to it, in the order of the line.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Symbol)> + '_ {
        let found = self.found[..self.count].iter();
        found.map(|&(place, error)| (usize::from(place), error))
    }
}

/// A polynomial of one degree for each error, the lowest power first.
type Polynomial = [Symbol; MAX_PARITY + 1];

/// The errors that leave this remainder, the highest power first.
pub(super) fn find(
    field: &Field,
    code: Code,
    remainder: &[Symbol],
) -> Result<Corrections, Uncorrectable> {
    let mut syndromes = [0; MAX_PARITY];
    let syndromes = &mut syndromes[..code.parity()];
    for (j, syndrome) in syndromes.iter_mut().enumerate() {
        let point = field.power(j);
        *syndrome = remainder
            .iter()
            .fold(0, |sum, symbol| field.mul(sum, point) ^ symbol);
    }
    let (locator, length) = locator(field, syndromes);
    if length > code.correctable() {
        return Err(Uncorrectable);
    }
    let evaluator = low_product(field, &locator, syndromes, length);
    let mut found = Corrections::default();
    search(field, &locator[..=length], code.n(), |power| {
        let inverse = ORDER - power;
        let value = evaluate(field, &evaluator[..length], inverse);
        // x times the derivative: what the odd powers contribute.
        let odd = (0..=length).filter(|i| i % 2 == 1).fold(0, |sum, i| {
            sum ^ field.mul(locator[i], field.power(i * inverse))
        });
        found.found[found.count] = ((code.n() - 1 - power) as u16, field.div(value, odd));
        found.count += 1;
    });
    // As many places as the locator is long: then the errors explain all syndromes.
    if found.count == length {
        Ok(found)
    } else {
        Err(Uncorrectable)
    }
}

/// The shortest recurrence of the syndromes, and its length.
fn locator(field: &Field, syndromes: &[Symbol]) -> (Polynomial, usize) {
    let mut current: Polynomial = [0; MAX_PARITY + 1];
    current[0] = 1;
    let (mut length, mut previous, mut shift, mut scale) = (0, current, 1, 1);
    for (step, _) in syndromes.iter().enumerate() {
        let discrepancy =
            (0..=length).fold(0, |sum, i| sum ^ field.mul(current[i], syndromes[step - i]));
        if discrepancy == 0 {
            shift += 1;
            continue;
        }
        let before = current;
        let factor = field.div(discrepancy, scale);
        for i in shift..current.len() {
            current[i] ^= field.mul(factor, previous[i - shift]);
        }
        if 2 * length <= step {
            length = step + 1 - length;
            previous = before;
            scale = discrepancy;
            shift = 1;
        } else {
            shift += 1;
        }
    }
    (current, length)
}

/// Locator times syndromes, the powers below `length`.
fn low_product(
    field: &Field,
    locator: &Polynomial,
    syndromes: &[Symbol],
    length: usize,
) -> Polynomial {
    let mut product = [0; MAX_PARITY + 1];
    for (power, sum) in product[..length].iter_mut().enumerate() {
        *sum = (0..=power).fold(0, |sum, i| {
            sum ^ field.mul(locator[i], syndromes[power - i])
        });
    }
    product
}

/// The value at x to a power.
fn evaluate(field: &Field, polynomial: &[Symbol], exponent: usize) -> Symbol {
    let point = field.power(exponent);
    polynomial
        .iter()
        .rev()
        .fold(0, |sum, &coefficient| field.mul(sum, point) ^ coefficient)
}

/// Calls `found` for each power p below `n` for which x^-p is a root, from the highest on.
fn search(field: &Field, locator: &[Symbol], n: usize, mut found: impl FnMut(usize)) {
    // Logarithms of the terms at x^-(n-1); to the next place they grow by their power.
    let mut terms = [(0, 0); MAX_ERRORS + 1];
    let mut count = 0;
    for (i, &coefficient) in locator.iter().enumerate().skip(1) {
        if let Some(log) = field.log(coefficient) {
            terms[count] = ((log + i * (ORDER - (n - 1))) % ORDER, i);
            count += 1;
        }
    }
    let mut left = locator.len() - 1;
    for power in (0..n).rev() {
        let mut value = locator[0];
        for (log, step) in &mut terms[..count] {
            value ^= field.power_below(*log);
            *log += *step;
            if *log >= ORDER {
                *log -= ORDER;
            }
        }
        if value == 0 {
            found(power);
            left -= 1;
            if left == 0 {
                return;
            }
        }
    }
}
