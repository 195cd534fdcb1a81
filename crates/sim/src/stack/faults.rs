// SPDX-License-Identifier: Apache-2.0
//! What happens to the lanes of links.

use ropewalk_wire::switch::{End, Link};

use crate::channel::ChannelConfig;
use crate::{Cut, SimError};

/// Lanes of a link.
pub const LANES: usize = 4;
/// Cycles of a link without a cable: what RIFL takes from user to user.
pub const LINK_CYCLES: u32 = 6;
/// Bits of a lane in a cycle.
pub(super) const CYCLE_BITS: u64 = 128;

/// What happens to the lanes of a link beside bit errors, in both directions alike.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkFaults {
    /// By lane, ascending for each; times in words of a lane, two to a cycle.
    pub cuts: Vec<(usize, Cut)>,
    /// When lanes 0 and 1 are exchanged, from a word to before another one.
    pub swaps: Vec<(u64, u64)>,
}

impl LinkFaults {
    /// A lane of this link; where its words begin, and what its errors are drawn from.
    pub(super) fn channel(&self, link: &Link, lane: usize, seed: u64) -> ChannelConfig {
        let cuts = self.cuts.iter().filter(|cut| cut.0 == lane);
        ChannelConfig {
            delay_bits: u64::from(link.delay.saturating_sub(LINK_CYCLES)) * CYCLE_BITS,
            // Each lane has a place of its own for the boundaries of words.
            slip_bits: (17 * lane as u8 + 5) % 64,
            ber: link.ber,
            burst: None,
            cuts: cuts.map(|cut| cut.1).collect(),
            seed,
        }
    }

    /// Cycles of the longest of them, which stops the link.
    pub(super) fn longest(&self) -> u64 {
        let cuts = self.cuts.iter().map(|(_, cut)| cut.words);
        let swaps = self.swaps.iter().map(|(from, until)| until - from);
        cuts.chain(swaps).max().unwrap_or(0) / 2
    }

    /// Checks that all of it is possible.
    pub(super) fn validate(&self, link: &Link) -> Result<(), SimError> {
        let bad = |message| {
            let name = "faults";
            Err(SimError::BadParameter { name, message })
        };
        let name = |end: End| end.to_string();
        if let Some((lane, _)) = self.cuts.iter().find(|cut| cut.0 >= LANES) {
            let (a, b) = (name(link.a), name(link.b));
            return bad(format!(
                "lane {lane} of {a} - {b}; accepted: 0 to {}",
                LANES - 1
            ));
        }
        if let Some((from, until)) = self.swaps.iter().find(|swap| swap.0 >= swap.1) {
            return bad(format!("lanes exchanged from word {from} to {until}"));
        }
        (0..LANES).try_for_each(|lane| self.channel(link, lane, 0).validate())
    }
}
