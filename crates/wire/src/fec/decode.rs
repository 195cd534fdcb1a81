// SPDX-License-Identifier: Apache-2.0
//! Mends one codeword from its remainder: syndromes, Berlekamp and Massey's algorithm for the error
//! locator, Chien's search for the places, Forney's formula for the changes. Seldom needed, so one
//! byte at a time.

use super::gf::{self, ORDER, POINTS};
use super::rs::{MAX_T, Uncorrectable};
use super::transform::block;

/// A changed byte: where it is in its codeword, and what has to be added to it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Patch {
    pub place: u8,
    pub change: u8,
}

/// The changed bytes of a codeword.
#[derive(Debug)]
pub(super) struct Patches {
    found: [Patch; MAX_T],
    count: usize,
}

impl Patches {
    pub(super) fn iter(&self) -> impl Iterator<Item = Patch> {
        self.found[..self.count].iter().copied()
    }
}

/// Polynomial with room for the degree that the algorithm can reach; coefficients from the lowest
/// degree up.
type Polynomial = [u8; 2 * MAX_T + 1];

/// The point that no codeword reaches: as seen from there, no place is at 0.
const UNUSED: u8 = POINTS[ORDER];

/// The element by which a place is known. Of the first block only `rows` places are sent, so lines
/// begin behind them.
fn element(place: usize, rows: usize) -> u8 {
    let point = match place.checked_sub(rows) {
        None => place,
        Some(line) => block(rows) + line,
    };
    POINTS[point] ^ UNUSED
}

/// By what the change of an element is multiplied in the syndromes: 0 for places that are not sent.
fn weight(element: u8, rows: usize) -> u8 {
    let unsent = &POINTS[rows..block(rows)];
    let differences = unsent.iter().map(|point| point ^ UNUSED ^ element);
    differences.fold(1, gf::times)
}

/// What was changed in a codeword of rows of parity, whose remainder is given, and `lines` lines:
/// places count the rows first.
///
/// # Errors
/// No codeword is within reach.
pub(super) fn column(remainder: &[u8], lines: usize) -> Result<Patches, Uncorrectable> {
    let rows = remainder.len();
    let mut syndromes = [0; 2 * MAX_T];
    let syndromes = &mut syndromes[..rows];
    for (place, &byte) in remainder.iter().enumerate() {
        let element = element(place, rows);
        let mut term = gf::times(byte, weight(element, rows));
        for syndrome in &mut *syndromes {
            *syndrome ^= term;
            term = gf::times(term, element);
        }
    }
    let (locator, count) = locator(syndromes);
    if count > rows / 2 {
        return Err(Uncorrectable);
    }
    let locator = &locator[..=count];

    // Error evaluator: syndromes * locator modulo x^rows; its degree is below that of the locator.
    let mut evaluator = [0; MAX_T];
    for (i, coefficient) in evaluator[..count].iter_mut().enumerate() {
        for (j, &by) in locator[..=i].iter().enumerate() {
            *coefficient ^= gf::times(by, syndromes[i - j]);
        }
    }
    // Derivative of the locator: over this field only the odd powers are left, each one lower.
    let mut derivative = [0; MAX_T];
    for (i, &coefficient) in locator.iter().enumerate().skip(1).step_by(2) {
        derivative[i - 1] = coefficient;
    }

    let mut patches = Patches {
        found: [Patch::default(); MAX_T],
        count: 0,
    };
    for place in 0..rows + lines {
        let element = element(place, rows);
        let inverse = gf::over(1, element);
        if gf::value(locator, inverse) != 0 {
            continue;
        }
        let slope = gf::value(&derivative, inverse);
        if slope == 0 || patches.count == count {
            return Err(Uncorrectable);
        }
        let change = gf::over(gf::value(&evaluator, inverse), slope);
        patches.found[patches.count] = Patch {
            place: place as u8,
            change: gf::over(gf::times(change, element), weight(element, rows)),
        };
        patches.count += 1;
    }
    // Places missing: they are not sent, or nowhere.
    if patches.count < count {
        return Err(Uncorrectable);
    }
    Ok(patches)
}

/// Shortest linear recurrence that gives the syndromes, and its length: the number of changed
/// bytes, if it is at most half that of the syndromes.
fn locator(syndromes: &[u8]) -> (Polynomial, usize) {
    let mut current: Polynomial = [0; 2 * MAX_T + 1];
    current[0] = 1;
    let mut before = current;
    let mut before_discrepancy = 1;
    let mut shift = 1;
    let mut length = 0;
    for n in 0..syndromes.len() {
        let mut discrepancy = 0;
        for (i, &by) in current[..=length].iter().enumerate() {
            discrepancy ^= gf::times(by, syndromes[n - i]);
        }
        if discrepancy == 0 {
            shift += 1;
            continue;
        }
        let factor = gf::over(discrepancy, before_discrepancy);
        let old = current;
        for (to, &from) in current[shift..].iter_mut().zip(&before) {
            *to ^= gf::times(factor, from);
        }
        if 2 * length <= n {
            length = n + 1 - length;
            before = old;
            before_discrepancy = discrepancy;
            shift = 1;
        } else {
            shift += 1;
        }
    }
    (current, length)
}
