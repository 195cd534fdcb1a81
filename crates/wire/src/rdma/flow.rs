// SPDX-License-Identifier: Apache-2.0
//! Transaction numbers (TIDs) of the blocks of a flow.
//!
//! The lower half of the numbers belongs to transfers without a flow, one number a block from a
//! pool. In the upper half four numbers belong to each flow (FID), and a transfer goes through them
//! in a ring: a transfer with one path through the four of its flow, one with four paths through
//! the sixteen of its flows, each block on another path than the one before.
//!
//! | | flows | numbers of block 0, 1, 2, .. |
//! |---|---|---|
//! | one path | f | 4f, 4f+1, 4f+2, 4f+3, 4f, .. |
//! | four paths | f to f+3 | 4f, 4f+4, 4f+8, 4f+12, 4f+1, 4f+5, .. 4f+15, 4f, .. |

/// Transaction numbers.
pub const TIDS: u16 = 1024;
/// Those for blocks without a flow: 0 to 511.
pub const FREE_TIDS: u16 = TIDS / 2;
/// Blocks, and so numbers, of a flow.
pub const FLOW_BLOCKS: u16 = 4;
/// Flows of transfers with one path: 128 to 191.
pub const SINGLE_FLOWS: u16 = 64;
/// Groups of four flows of transfers with four paths: 192, 196, .. 252.
pub const MULTI_FLOWS: u16 = 16;
/// The first flow.
pub const FIRST_FLOW: u16 = FREE_TIDS / FLOW_BLOCKS;

/// Paths that a transfer takes through the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paths {
    /// One flow.
    One,
    /// Four flows, whose first number is a multiple of four.
    Four,
}

impl Paths {
    /// Numbers in the ring: blocks that may be issued before a number comes again.
    #[must_use]
    pub const fn ring(self) -> u64 {
        match self {
            Paths::One => FLOW_BLOCKS as u64,
            Paths::Four => 4 * FLOW_BLOCKS as u64,
        }
    }

    /// Number of a block of the transfer whose (first) flow is `flow`.
    #[must_use]
    pub const fn tid(self, flow: u16, block: u64) -> u16 {
        let n = (block % self.ring()) as u16;
        let step = match self {
            Paths::One => n,
            Paths::Four => n % 4 * 4 + n / 4,
        };
        flow * FLOW_BLOCKS + step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_thesis() {
        let tids: Vec<_> = (0..17).map(|n| Paths::Four.tid(192, n)).collect();
        assert_eq!(
            tids,
            [
                768, 772, 776, 780, 769, 773, 777, 781, 770, 774, 778, 782, 771, 775, 779, 783, 768
            ]
        );
        let tids: Vec<_> = (0..5).map(|n| Paths::One.tid(128, n)).collect();
        assert_eq!(tids, [512, 513, 514, 515, 512]);
    }

    /// Every number of the upper half belongs to one place of one flow.
    #[test]
    fn numbers_are_used_once() {
        let single = (0..SINGLE_FLOWS).map(|i| (Paths::One, FIRST_FLOW + i));
        let first_group = FIRST_FLOW + SINGLE_FLOWS;
        let multi = (0..MULTI_FLOWS).map(|i| (Paths::Four, first_group + 4 * i));
        let mut tids: Vec<_> = single
            .chain(multi)
            .flat_map(|(paths, flow)| (0..paths.ring()).map(move |n| paths.tid(flow, n)))
            .collect();
        tids.sort_unstable();
        assert!(tids.into_iter().eq(FREE_TIDS..TIDS));
    }

    /// Blocks in a row never share a flow when there are four paths.
    #[test]
    fn neighbours_take_different_paths() {
        for n in 0..64 {
            let flow = |n| Paths::Four.tid(252, n) / FLOW_BLOCKS;
            assert_ne!(flow(n), flow(n + 1));
        }
    }
}
