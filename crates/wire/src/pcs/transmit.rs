// SPDX-License-Identifier: Apache-2.0
//! Blocks dealt out to lanes, and the markers between them.

use super::block::ERROR_BLOCK;
use super::{Block, CONTROL, LANES, Place, Row, Scrambler, Slot, encode};
use alloc::vec::Vec;

/// M0 to M2 of each lane (table 82-2); M4 to M6 are their complement.
const MARKERS: [[u8; 3]; LANES] = [
    [0xc1, 0x68, 0x21],
    [0x9d, 0x71, 0x8e],
    [0x59, 0x4b, 0xe8],
    [0x4d, 0x95, 0x7b],
    [0xf5, 0x07, 0x09],
    [0xdd, 0x14, 0xc2],
    [0x9a, 0x4a, 0x26],
    [0x7b, 0x45, 0x66],
    [0xa0, 0x24, 0x76],
    [0x68, 0xc9, 0xfb],
    [0xfd, 0x6c, 0x99],
    [0xb9, 0x91, 0x55],
    [0x5c, 0xb9, 0xb2],
    [0x1a, 0xf8, 0xbd],
    [0x83, 0xc7, 0xca],
    [0x35, 0x36, 0xcd],
    [0xc4, 0x31, 0x4c],
    [0xad, 0xd6, 0xb7],
    [0x5f, 0x66, 0x2a],
    [0xc0, 0xf0, 0xe5],
];

/// The marker of a lane, with the parity of its blocks.
///
/// # Panics
/// A lane that does not exist.
#[must_use]
pub fn marker(lane: usize, parity: u8) -> Block {
    let [m0, m1, m2] = MARKERS[lane];
    let half = u32::from_le_bytes([m0, m1, m2, parity]);
    (u128::from(!half) << 32 | u128::from(half)) << 2 | CONTROL
}

/// The bits of a marker that are parity.
pub(super) const PARITY: Block = 0xff00_0000_ff00_0000 << 2;

/// The lane whose marker a block is, whatever its parity.
pub(super) fn lane_of(block: Block) -> Option<usize> {
    const FIXED: Block = 0x00ff_ffff_00ff_ffff << 2 | 0b11;
    (0..LANES).find(|&lane| (marker(lane, 0) ^ block) & FIXED == 0)
}

/// What a block adds to the parity of its lane (table 82-4).
#[must_use]
pub fn parity(block: Block) -> u8 {
    let bytes = ((block >> 2) as u64).to_le_bytes();
    bytes
        .iter()
        .fold((block as u8 & 0b11) << 3, |sum, byte| sum ^ byte)
}

/// The parity that stands in a marker.
pub(super) fn parity_in(marker: Block) -> u8 {
    (marker >> 26) as u8
}

/// Slots in, rows out.
#[derive(Debug, Clone)]
pub struct Transmitter {
    period: usize,
    /// Rows since the last one of markers, which is 0.
    count: usize,
    place: Place,
    scrambler: Scrambler,
    parity: [u8; LANES],
    blocks: Vec<Block>,
}

impl Transmitter {
    /// With this number of rows from markers to markers.
    ///
    /// # Panics
    /// Fewer than two.
    #[must_use]
    pub fn new(period: usize) -> Self {
        assert!(period >= 2, "rows of a period: {period}");
        Transmitter {
            period,
            count: 0,
            place: Place::Outside,
            scrambler: Scrambler::default(),
            parity: [0; LANES],
            blocks: Vec::with_capacity(LANES),
        }
    }

    /// Takes a slot; rows that are complete are appended.
    pub fn slot(&mut self, slot: Slot, rows: &mut Vec<Row>) {
        let (kind, block) = encode(slot);
        self.place = self.place.behind(kind);
        let block = if self.place == Place::Failed {
            ERROR_BLOCK
        } else {
            block
        };
        let line = self.scrambler.scramble((block >> 2) as u64);
        self.blocks.push(u128::from(line) << 2 | block & 0b11);
        if let Ok(row) = Row::try_from(self.blocks.as_slice()) {
            self.blocks.clear();
            if self.count == 0 {
                let markers = core::array::from_fn(|lane| marker(lane, self.parity[lane]));
                self.parity = [0; LANES];
                self.row(markers, rows);
            }
            self.row(row, rows);
        }
    }

    fn row(&mut self, row: Row, rows: &mut Vec<Row>) {
        for (sum, &block) in self.parity.iter_mut().zip(&row) {
            *sum ^= parity(block);
        }
        self.count = (self.count + 1) % self.period;
        rows.push(row);
    }
}
