// SPDX-License-Identifier: Apache-2.0
//! A transfer in blocks. Blocks begin at multiples of their size *at the destination*, so only the
//! first and the last one of a transfer may be shorter.
//!
//! ```text
//! destination   0         B         2B        3B
//!               |    .....|.........|.....    |      a = destination mod B
//! block              |  0 |    1    |  2 |           first: B - a bytes, last: what is left
//! ```
//!
//! [`walk`] goes from boundary to boundary and is the reference; [`Plan`] has the closed forms that
//! the RTL computes. The thesis' own forms fail for transfers of one block, for ends at a boundary
//! and for size zero.

use thiserror::Error;

/// Bytes of a block in the engine as it is built by default.
pub const BLOCK: u64 = 1 << 16;

/// A block of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Bytes of the transfer in front of it: the same at the source and at the destination.
    pub offset: u64,
    /// Its bytes, 1 to the size of a block.
    pub bytes: u64,
}

/// Block sizes that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("blocks of {0} bytes: accepted are powers of two up to 2^31")]
pub struct BlockSizeError(
    /// What was asked for.
    pub u64,
);

/// What the engine computes of a transfer when it meets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    block: u64,
    /// Number of blocks; 0 only for a transfer of no bytes.
    pub total: u64,
    /// Bytes of the first block.
    pub first: u64,
    /// Bytes of the last block.
    pub last: u64,
}

impl Plan {
    /// A transfer of `size` bytes to `destination` in blocks of `block` bytes.
    ///
    /// # Errors
    /// A block size that is no power of two or above 2^31.
    pub fn new(destination: u64, size: u32, block: u64) -> Result<Self, BlockSizeError> {
        if !block.is_power_of_two() || block > 1 << 31 {
            return Err(BlockSizeError(block));
        }
        let size = u64::from(size);
        let ahead = destination % block;
        let end = ahead + size;
        let total = if size == 0 { 0 } else { end.div_ceil(block) };
        let first = size.min(block - ahead);
        let last = if total <= 1 {
            size
        } else {
            (end - 1) % block + 1
        };
        Ok(Plan {
            block,
            total,
            first,
            last,
        })
    }

    /// Block `number`, if the transfer has it.
    #[must_use]
    pub fn block(&self, number: u64) -> Option<Block> {
        if number >= self.total {
            return None;
        }
        let offset = match number {
            0 => 0,
            n => self.first + (n - 1) * self.block,
        };
        let bytes = match number {
            0 => self.first,
            n if n + 1 == self.total => self.last,
            _ => self.block,
        };
        Some(Block { offset, bytes })
    }
}

/// The blocks of a transfer, found by going from one boundary to the next.
///
/// `block` is a power of two; `destination + size` may pass 2^64, as addresses do that wrap.
pub fn walk(destination: u64, size: u32, block: u64) -> impl Iterator<Item = Block> {
    let end = u128::from(destination) + u128::from(size);
    let start = u128::from(destination);
    let mut at = start;
    core::iter::from_fn(move || {
        if at == end {
            return None;
        }
        let boundary = (at / u128::from(block) + 1) * u128::from(block);
        let to = boundary.min(end);
        let found = Block {
            offset: (at - start) as u64,
            bytes: (to - at) as u64,
        };
        at = to;
        Some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn closed(destination: u64, size: u32, block: u64) -> Vec<Block> {
        let plan = Plan::new(destination, size, block).unwrap();
        (0..plan.total).map(|n| plan.block(n).unwrap()).collect()
    }

    /// Byte for byte: which block each byte lies in.
    fn bytes(destination: u64, size: u32, block: u64) -> Vec<Block> {
        let mut found: Vec<(u64, Block)> = Vec::new();
        for offset in 0..u64::from(size) {
            let place = (destination + offset) / block;
            match found.last_mut() {
                Some((at, last)) if *at == place => last.bytes += 1,
                _ => found.push((place, Block { offset, bytes: 1 })),
            }
        }
        found.into_iter().map(|(_, block)| block).collect()
    }

    #[test]
    fn every_byte_of_every_small_transfer() {
        for block in [1, 2, 4, 8, 16] {
            for destination in 0..2 * block {
                for size in 0..5 * block as u32 {
                    let expected = bytes(destination, size, block);
                    let walked: Vec<_> = walk(destination, size, block).collect();
                    assert_eq!(walked, expected, "{destination} {size} {block}");
                    assert_eq!(closed(destination, size, block), expected);
                }
            }
        }
    }

    #[test]
    fn sizes_around_the_boundaries() {
        for a in [0, 1, BLOCK - 1] {
            let room = (BLOCK - a) as u32;
            let k = 5 * BLOCK as u32 - a as u32;
            let sizes = [
                0,
                1,
                room - 1,
                room,
                room + 1,
                k,
                5 * BLOCK as u32,
                u32::MAX,
            ];
            for size in sizes {
                for destination in [a, a + 7 * BLOCK, a + (1 << 47)] {
                    let walked: Vec<_> = walk(destination, size, BLOCK).collect();
                    assert_eq!(closed(destination, size, BLOCK), walked, "{a} {size}");
                    let sum: u64 = walked.iter().map(|b| b.bytes).sum();
                    assert_eq!(sum, u64::from(size));
                }
            }
        }
    }

    #[test]
    fn what_the_printed_forms_get_wrong() {
        // One block shorter than its room: the first block is the transfer.
        let plan = Plan::new(100, 10, BLOCK).unwrap();
        assert_eq!((plan.total, plan.first, plan.last), (1, 10, 10));
        // An end at a boundary: the last block is a whole one.
        let plan = Plan::new(100, (3 * BLOCK - 100) as u32, BLOCK).unwrap();
        assert_eq!((plan.total, plan.first, plan.last), (3, BLOCK - 100, BLOCK));
        // Nothing: no block, aligned or not.
        for destination in [0, 100] {
            let plan = Plan::new(destination, 0, BLOCK).unwrap();
            assert_eq!((plan.total, plan.block(0)), (0, None));
        }
        // The longest one needs 17 bits to be counted.
        let plan = Plan::new(BLOCK - 1, u32::MAX, BLOCK).unwrap();
        assert_eq!((plan.total, plan.first, plan.last), (65537, 1, BLOCK - 2));
    }

    #[test]
    fn block_sizes() {
        for block in [0, 3, 1 << 32] {
            let refused = Plan::new(0, 1, block).unwrap_err();
            assert_eq!(refused, BlockSizeError(block));
            assert!(refused.to_string().contains(&block.to_string()));
        }
    }

    proptest! {
        #[test]
        fn closed_forms_are_the_walk(destination: u64, size in 0u32..1 << 24, shift in 10u32..20) {
            let block = 1 << shift;
            let walked: Vec<_> = walk(destination, size, block).collect();
            prop_assert_eq!(closed(destination, size, block), walked);
        }
    }
}
