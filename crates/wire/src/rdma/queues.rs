// SPDX-License-Identifier: Apache-2.0
//! Scheduling queues: which transfer issues its next block.
//!
//! | queue, n = intra-priorities | what waits there | needs |
//! |---|---|---|
//! | 0 | control packets and inline messages | a TID |
//! | 1 | transfers without a flow | a TID above the reserve |
//! | 2 .. n+1 | one path, has its flow, by priority | nothing |
//! | n+2 .. 2n+1 | one path, has none yet | a single flow |
//! | 2n+2 .. 3n+1 | four paths, has its flows | nothing |
//! | 3n+2 .. 4n+1 | four paths, has none yet | a group of flows |
//!
//! The lowest queue that has something and can get what it needs is served. Transfers with a flow
//! and those without are apart, so that none waits behind one that waits for a flow. Inline
//! messages are apart from all transfers that issue blocks, so none waits for more than the block
//! that is being issued; the reserve of TIDs sees to the same when small transfers hold all others.
//!
//! A transfer is in the queues at most once. To schedule one that is there already changes nothing.

use super::descriptor::Class;
use alloc::collections::VecDeque;

/// Number of queues with `priorities` intra-priorities.
#[must_use]
pub const fn count(priorities: usize) -> usize {
    2 + 4 * priorities
}

/// Queue of control packets and inline messages.
pub const PACKETS: usize = 0;
/// Queue of transfers without a flow.
pub const SMALL: usize = 1;

/// Queue of a transfer that issues blocks.
#[must_use]
pub const fn of(class: Class, has_flow: bool, priority: usize, priorities: usize) -> usize {
    let group = match (class, has_flow) {
        (Class::Small, _) => return SMALL,
        (Class::OnePath, true) => 0,
        (Class::OnePath, false) => 1,
        (Class::FourPaths, true) => 2,
        (Class::FourPaths, false) => 3,
    };
    2 + group * priorities + priority
}

/// A transfer in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Transfer, the number of its channel.
    pub transfer: usize,
    /// Bits that go with it: whether a block was issued, whether it is for a control packet.
    pub tag: u8,
}

/// What may be had at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Supply {
    /// TIDs outside of flows.
    pub tids: usize,
    /// TIDs kept for control packets and inline messages.
    pub reserve: usize,
    /// Flows of one path.
    pub single: usize,
    /// Groups of four flows.
    pub multi: usize,
}

/// All queues.
#[derive(Debug, Clone)]
pub struct Queues {
    queues: Vec<VecDeque<Entry>>,
    inside: Vec<bool>,
}

impl Queues {
    /// Empty queues for transfers 0 to `transfers` - 1.
    #[must_use]
    pub fn new(transfers: usize, queues: usize) -> Self {
        Queues {
            queues: vec![VecDeque::new(); queues],
            inside: vec![false; transfers],
        }
    }

    /// Puts a transfer at the end of a queue; false, and nothing happens, if it is in one already.
    ///
    /// # Panics
    /// If there is no such queue or transfer.
    pub fn schedule(&mut self, queue: usize, entry: Entry) -> bool {
        let free = !core::mem::replace(&mut self.inside[entry.transfer], true);
        if free {
            self.queues[queue].push_back(entry);
        }
        free
    }

    /// Takes the first one of a queue.
    ///
    /// # Panics
    /// If there is no such queue.
    pub fn take(&mut self, queue: usize) -> Option<Entry> {
        let entry = self.queues[queue].pop_front()?;
        self.inside[entry.transfer] = false;
        Some(entry)
    }

    /// The queue to be served.
    #[must_use]
    pub fn pick(&self, supply: &Supply) -> Option<usize> {
        let priorities = (self.queues.len() - 2) / 4;
        (0..self.queues.len()).find(|&queue| {
            let can = match queue {
                PACKETS => supply.tids > 0,
                SMALL => supply.tids > supply.reserve,
                _ => match (queue - 2) / priorities {
                    1 => supply.single > 0,
                    3 => supply.multi > 0,
                    _ => true,
                },
            };
            can && !self.queues[queue].is_empty()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 3;

    fn entry(transfer: usize) -> Entry {
        Entry { transfer, tag: 0 }
    }

    #[test]
    fn numbers_are_dense_and_in_order() {
        let mut numbers = vec![PACKETS, of(Class::Small, false, 0, N)];
        for (class, has) in [
            (Class::OnePath, true),
            (Class::OnePath, false),
            (Class::FourPaths, true),
            (Class::FourPaths, false),
        ] {
            numbers.extend((0..N).map(|priority| of(class, has, priority, N)));
        }
        assert!(numbers.into_iter().eq(0..count(N)));
        assert_eq!(count(16), 66);
    }

    #[test]
    fn the_lowest_that_gets_what_it_needs() {
        let mut queues = Queues::new(32, count(N));
        for queue in 0..count(N) {
            assert!(queues.schedule(queue, entry(queue)));
        }
        let all = Supply {
            tids: 3,
            reserve: 2,
            single: 1,
            multi: 1,
        };
        assert_eq!(queues.pick(&all), Some(PACKETS));
        queues.take(PACKETS);
        assert_eq!(queues.pick(&all), Some(SMALL));
        assert_eq!(queues.pick(&Supply { tids: 2, ..all }), Some(2));
        for queue in 2..5 {
            queues.take(queue);
        }
        let supply = Supply { tids: 0, ..all };
        assert_eq!(queues.pick(&supply), Some(5));
        // No single flow: the four-path transfers that have theirs are not held up.
        let supply = Supply {
            single: 0,
            ..supply
        };
        assert_eq!(queues.pick(&supply), Some(8));
        for queue in 8..11 {
            queues.take(queue);
        }
        assert_eq!(queues.pick(&supply), Some(11));
        assert_eq!(queues.pick(&Supply { multi: 0, ..supply }), None);
    }

    #[test]
    fn once_at_a_time() {
        let mut queues = Queues::new(4, count(1));
        assert!(queues.schedule(1, entry(2)));
        assert!(!queues.schedule(1, entry(2)));
        assert!(!queues.schedule(3, entry(2)));
        assert_eq!(queues.take(1), Some(entry(2)));
        assert_eq!((queues.take(1), queues.take(3)), (None, None));
        assert!(queues.schedule(3, entry(2)));
    }

    /// 64 long transfers in the way, and their blocks go round: the message is next all the same.
    #[test]
    fn a_message_waits_for_no_transfer() {
        for (class, queue) in [
            (Class::Small, SMALL),
            (Class::OnePath, of(Class::OnePath, true, 0, 16)),
        ] {
            let mut queues = Queues::new(65, count(16));
            for transfer in 0..64 {
                queues.schedule(of(class, true, 0, 16), entry(transfer));
            }
            let supply = Supply {
                tids: 9,
                reserve: 8,
                ..Supply::default()
            };
            assert_eq!(queues.pick(&supply), Some(queue));
            queues.schedule(PACKETS, entry(64));
            assert_eq!(queues.pick(&supply), Some(PACKETS));
            // Not even when they hold all the numbers they may.
            let supply = Supply { tids: 8, ..supply };
            assert_eq!(queues.pick(&supply), Some(PACKETS));
        }
    }
}
