// SPDX-License-Identifier: Apache-2.0
//! Four blocks of 66 bits as one of 257, and back (91.5.2.5, 91.5.3.5).
//!
//! The first control block of the four loses the upper half of its type. The blocks are scrambled,
//! so a receiver descrambles the lower half, which says what the upper one was, and scrambles that
//! again.

use super::super::{Block, CONTROL, DATA};
use super::{Long, get, put};

/// The header of a block that is not to be believed.
const ILLEGAL: Block = 0b11;

/// Lower halves of the block types and the upper ones: all lower ones differ.
const TYPES: [u8; 11] = [
    0x1e, 0x78, 0x4b, 0x87, 0x99, 0xaa, 0xb4, 0xcc, 0xd2, 0xe1, 0xff,
];

/// Bits of the header.
const HEADER: u64 = 0x1f;

/// The first five bits with bits 8 to 12 added, or taken away.
fn scrambled(mut long: Long) -> Long {
    long[0] ^= long[0] >> 8 & HEADER;
    long
}

/// Four scrambled blocks as 257 bits.
#[must_use]
pub fn transcode(blocks: &[Block; 4]) -> Long {
    let mut long = Long::default();
    let legal = blocks.iter().all(|b| matches!(b & 0b11, DATA | CONTROL));
    let control = blocks.map(|block| legal && block & 0b11 == CONTROL);
    let mut at = 5;
    // A header that is none says "four data blocks" behind the bit that says that there are not.
    let first = control.iter().position(|&c| c).unwrap_or(0);
    let all_data = legal && !control.contains(&true);
    if all_data {
        at = 1;
        long[0] = 1;
    } else {
        for (j, &control) in control.iter().enumerate() {
            put(&mut long, 1 + j, 1, u64::from(!control));
        }
    }
    for (j, block) in blocks.iter().enumerate() {
        let payload = (block >> 2) as u64;
        if j == first && !all_data {
            put(&mut long, at, 4, payload);
            put(&mut long, at + 4, 56, payload >> 8);
            at += 60;
        } else {
            put(&mut long, at, 64, payload);
            at += 64;
        }
    }
    scrambled(long)
}

/// 257 bits to four blocks; keeps what the descrambler needs of the past.
#[derive(Debug, Clone, Copy, Default)]
pub struct Untranscoder {
    /// Payload of the last block.
    past: u64,
}

impl Untranscoder {
    /// Whose last block had this payload.
    #[must_use]
    pub fn behind(past: u64) -> Self {
        Untranscoder { past }
    }

    /// The four blocks, still scrambled. All of them have an illegal header if one of them had.
    pub fn blocks(&mut self, long: &Long) -> [Block; 4] {
        let long = scrambled(*long);
        let all_data = long[0] & 1 == 1;
        let control: [bool; 4] = core::array::from_fn(|j| !all_data && long[0] >> (1 + j) & 1 == 0);
        let legal = all_data || control.contains(&true);
        let first = control.iter().position(|&c| c).unwrap_or(0);
        let mut at = if all_data { 1 } else { 5 };
        core::array::from_fn(|j| {
            let payload = if j == first && !all_data {
                let low = get(&long, at, 4);
                let rest = get(&long, at + 4, 56);
                at += 60;
                low | self.upper(low, legal) << 4 | rest << 8
            } else {
                at += 64;
                get(&long, at - 64, 64)
            };
            self.past = payload;
            let header = match (legal, control[j]) {
                (false, _) => ILLEGAL,
                (true, true) => CONTROL,
                (true, false) => DATA,
            };
            u128::from(payload) << 2 | header
        })
    }

    /// The upper half of a scrambled type by the lower one: bits of the line 39 and 58 before.
    fn upper(&self, low: u64, legal: bool) -> u64 {
        let plain = (low ^ self.past >> 25 ^ self.past >> 6) & 0xf;
        let found = TYPES.iter().find(|&&t| u64::from(t & 0xf) == plain);
        let upper = found.filter(|_| legal).map_or(0, |&t| u64::from(t >> 4));
        (upper ^ self.past >> 29 ^ self.past >> 10) & 0xf
    }
}

/// What becomes of the headers of a codeword that is not to be believed: those of the first block
/// of every second four, and of the last block of all, are illegal (91.5.3.3). Behind a row of
/// markers the first four are marked too: the standard leaves the end of a frame there as it is.
pub(super) fn mark(blocks: &mut [Block; 4], index: usize, behind_markers: bool) {
    if index.is_multiple_of(2) || (behind_markers && index == 5) {
        blocks[0] |= ILLEGAL;
    }
    if index == 19 {
        blocks[3] |= ILLEGAL;
    }
}
