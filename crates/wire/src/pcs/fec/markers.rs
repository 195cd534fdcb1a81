// SPDX-License-Identifier: Apache-2.0
//! Rows of markers on FEC lanes (91.5.2.6, 91.5.3.6).
//!
//! Each FEC lane gets five markers, one behind the other: the first and the last ones are the same
//! in all lanes, those between them say which lane it is.

use super::super::transmit::{PARITY, marker};
use super::super::{Block, LANES, Row};
use super::{Bits, FEC_LANES, get, put};

/// Bits of a symbol.
const SYMBOL: usize = 10;
/// Symbols of a FEC lane in a row of markers.
const SYMBOLS: usize = 32;
/// Bits behind the markers, in turn.
const PADS: [u64; 2] = [0b00101, 0b11010];

/// The number of the marker that stands for one.
pub(super) fn stands_for(lane: usize) -> usize {
    match lane {
        0..4 => 0,
        16.. => 16,
        _ => lane,
    }
}

/// A marker with other fixed bytes: the parity stays.
fn with_bytes(lane: usize, block: Block) -> Block {
    marker(lane, 0) & !PARITY | block & PARITY
}

/// Where bits of a marker stand in a row: place of ten bits or fewer, in the marker and in the row.
fn places(lane: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let (fec_lane, begin) = (lane % FEC_LANES, lane / FEC_LANES * 64);
    (0..SYMBOLS).filter_map(move |k| {
        let from = (k * SYMBOL).max(begin);
        let end = ((k + 1) * SYMBOL).min(begin + 64);
        let in_row = (k * FEC_LANES + fec_lane) * SYMBOL + (from - k * SYMBOL);
        (from < end).then(|| (from - begin, in_row, end - from))
    })
}

/// A row of markers as it goes over FEC lanes; `odd` is true of every second one.
#[must_use]
pub fn map(row: &Row, odd: bool) -> Bits {
    let mut bits = [0; core::mem::size_of::<Bits>() / 8];
    for (lane, &block) in row.iter().enumerate() {
        let payload = (with_bytes(stands_for(lane), block) >> 2) as u64;
        for (at, in_row, count) in places(lane) {
            put(&mut bits, in_row, count, payload >> at);
        }
    }
    let pad = PADS[usize::from(odd)];
    put(&mut bits, LANES * 64, 5, pad);
    bits
}

/// And back: the markers of the PCS lanes, with the parity that came.
#[must_use]
pub fn unmap(bits: &Bits) -> Row {
    core::array::from_fn(|lane| {
        let mut payload = 0;
        for (at, in_row, count) in places(lane) {
            payload |= get(bits, in_row, count) << at;
        }
        with_bytes(lane, u128::from(payload) << 2)
    })
}
