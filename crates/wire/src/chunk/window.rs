// SPDX-License-Identifier: Apache-2.0
//! Replay window of a lane: which of the last frames have come.
//!
//! A frame counts once. Networks double datagrams, and whoever sees them can repeat them without
//! any key: counted again they would tell the sender of a path that carries a multiple of what it
//! does.

use super::frame::FrameSeq;

/// Frames behind the highest one that are told apart.
pub const WINDOW: u32 = 4096;

/// What is known of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// It has not come.
    New,
    /// It has come.
    Before,
    /// It is more than [`WINDOW`] frames behind: nothing is known.
    Old,
}

/// The last [`WINDOW`] frames up to the highest, a bit each, at the place of its number.
#[derive(Debug, Clone, Default)]
pub struct Window {
    highest: Option<FrameSeq>,
    bits: Vec<u64>,
}

impl Window {
    /// What is known of a frame; changes nothing, for its number may be a lie.
    #[must_use]
    pub fn look(&self, seq: FrameSeq) -> Seen {
        let Some(highest) = self.highest else {
            return Seen::New;
        };
        let ahead = seq.since(highest);
        if ahead > 0 {
            Seen::New
        } else if ahead <= -(WINDOW as i32) {
            Seen::Old
        } else if self.bits[word(seq)] & bit(seq) != 0 {
            Seen::Before
        } else {
            Seen::New
        }
    }

    /// A frame has come beyond doubt. One that is old is not noted.
    pub fn note(&mut self, seq: FrameSeq) {
        let Some(highest) = self.highest else {
            self.bits = vec![0; (WINDOW / 64) as usize];
            self.highest = Some(seq);
            self.bits[word(seq)] |= bit(seq);
            return;
        };
        let ahead = seq.since(highest);
        if ahead >= WINDOW as i32 {
            self.bits.fill(0);
        } else {
            let mut passed = highest;
            for _ in 0..ahead {
                passed = passed.next();
                self.bits[word(passed)] &= !bit(passed);
            }
        }
        if ahead > 0 {
            self.highest = Some(seq);
        }
        if ahead > -(WINDOW as i32) {
            self.bits[word(seq)] |= bit(seq);
        }
    }
}

fn word(seq: FrameSeq) -> usize {
    (seq.get() % WINDOW / 64) as usize
}

fn bit(seq: FrameSeq) -> u64 {
    1 << (seq.get() % 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        /// Beside a set of all that has come, over the wrap of the number: what is in the window is
        /// told apart exactly.
        #[test]
        fn as_a_set(start in 0_u32..1 << 24, steps in prop::collection::vec((-5000_i32..3000, any::<bool>()), 1..300)) {
            let mut window = Window::default();
            let mut set = HashSet::new();
            let mut highest = None::<i64>;
            for (step, note) in steps {
                let at = highest.unwrap_or(0) + i64::from(step);
                let seq = FrameSeq::new(start.wrapping_add(at as u32));
                let seen = match highest {
                    Some(highest) if at <= highest - i64::from(WINDOW) => Seen::Old,
                    _ if set.contains(&at) => Seen::Before,
                    _ => Seen::New,
                };
                prop_assert_eq!(window.look(seq), seen);
                if note && seen != Seen::Old {
                    window.note(seq);
                    set.insert(at);
                    highest = Some(highest.map_or(at, |highest| highest.max(at)));
                }
            }
        }
    }
}
