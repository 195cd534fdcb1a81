// SPDX-License-Identifier: Apache-2.0
//! What happens when: a wheel of cycles for what is near, a heap for what is far.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// A packet reaches the end of a channel.
    Arrive(u32),
    /// Credits reach the end of a channel.
    Credit(u32),
    /// The first packet that leaves the memory behind a channel has left.
    Free(u32),
    /// A channel that has credits to carry may be free.
    Flush(u32),
    /// A switch looks for matches.
    Match(u32),
    /// A node may send.
    Send(u32),
    /// A node makes a packet.
    Make(u32),
    /// The oldest time-out of a node.
    Timeout(u32),
}

const SLOTS: u64 = 4096;

/// Everything that is to happen.
#[derive(Debug)]
pub struct Events {
    slots: Vec<Vec<Event>>,
    far: BinaryHeap<Reverse<(u64, u64, Event)>>,
    now: u64,
    near: usize,
    count: u64,
    /// Events of the cycle that is under way, backwards.
    current: Vec<Event>,
}

impl Events {
    pub fn new() -> Self {
        Events {
            slots: vec![Vec::new(); SLOTS as usize],
            far: BinaryHeap::new(),
            now: 0,
            near: 0,
            count: 0,
            current: Vec::new(),
        }
    }

    /// The cycle that is under way.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Something happens at a cycle; in the past means now.
    pub fn at(&mut self, time: u64, event: Event) {
        let time = time.max(self.now);
        if time - self.now < SLOTS {
            self.slots[(time % SLOTS) as usize].push(event);
            self.near += 1;
        } else {
            self.count += 1;
            self.far.push(Reverse((time, self.count, event)));
        }
    }

    /// The next event; time goes on to it.
    pub fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.current.pop() {
                return Some(event);
            }
            let slot = &mut self.slots[(self.now % SLOTS) as usize];
            if !slot.is_empty() {
                self.near -= slot.len();
                std::mem::swap(slot, &mut self.current);
                self.current.reverse();
                continue;
            }
            self.now = match self.far.peek() {
                None if self.near == 0 => return None,
                Some(Reverse((time, ..))) if self.near == 0 => *time,
                _ => self.now + 1,
            };
            while let Some(Reverse((time, ..))) = self.far.peek()
                && *time - self.now < SLOTS
            {
                if let Some(Reverse((time, _, event))) = self.far.pop() {
                    self.at(time, event);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_come_in_their_order() {
        let mut events = Events::new();
        for time in [9000, 5, 5000, 4095, 4096, 5, 100_000] {
            events.at(time, Event::Make(time as u32));
        }
        let mut seen = Vec::new();
        while let Some(event) = events.next() {
            assert_eq!(event, Event::Make(events.now() as u32));
            if events.now() == 4096 {
                events.at(0, Event::Make(4096));
                if seen.last() == Some(&4096) {
                    seen.push(4096);
                    break;
                }
            }
            seen.push(events.now());
        }
        assert_eq!(seen, [5, 5, 4095, 4096, 4096]);
        let rest = std::iter::from_fn(|| events.next().map(|_| events.now()));
        assert_eq!(rest.collect::<Vec<_>>(), [4096, 5000, 9000, 100_000]);
    }
}
