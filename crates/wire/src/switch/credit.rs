// SPDX-License-Identifier: Apache-2.0
//! Credits as limits: how many words of a class may be sent in all since the hello, modulo 4096.
//!
//! A limit says what there is room for, not by how much it grew: one that is lost leaves nothing
//! wrong behind, and one that comes twice changes nothing.

/// Words are counted modulo this.
pub const MODULUS: u16 = 1 << 12;
/// Most memory of a class in words: half of the modulus, so that a limit of before is never taken
/// for one of later.
pub const MAX_MEMORY: u16 = MODULUS / 2;

/// From one count to another one, forwards.
const fn distance(from: u16, to: u16) -> u16 {
    to.wrapping_sub(from) % MODULUS
}

/// What a sender may send in a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allowance {
    sent: u16,
    limit: u16,
}

impl Allowance {
    /// The limit that a peer advertised. One that lies behind the present one is not taken.
    pub const fn advertise(&mut self, limit: u16) {
        if distance(self.limit, limit) <= MAX_MEMORY {
            self.limit = limit % MODULUS;
        }
    }

    /// Words that may be sent now.
    #[must_use]
    pub const fn room(&self) -> u16 {
        distance(self.sent, self.limit)
    }

    /// Counts words that are sent; false, and nothing is counted, if there is no room for them.
    pub const fn take(&mut self, words: u8) -> bool {
        let fits = words as u16 <= self.room();
        if fits {
            self.sent = (self.sent + words as u16) % MODULUS;
        }
        fits
    }
}

/// Memory of a class at a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    size: u16,
    used: u16,
    received: u16,
    limit: u16,
}

impl Memory {
    /// `size` words, all free; at most [`MAX_MEMORY`].
    #[must_use]
    pub const fn new(size: u16) -> Self {
        let size = if size > MAX_MEMORY { MAX_MEMORY } else { size };
        Memory {
            size,
            used: 0,
            received: 0,
            limit: size,
        }
    }

    /// The peer says hello: counting begins anew with what is free.
    pub const fn restart(&mut self) {
        self.received = 0;
        self.limit = self.size - self.used;
    }

    /// Words arrive; false if the peer was beyond its limit, and nothing is stored.
    pub const fn store(&mut self, words: u8) -> bool {
        let fits = words as u16 <= distance(self.received, self.limit);
        if fits {
            self.received = (self.received + words as u16) % MODULUS;
            self.used += words as u16;
        }
        fits
    }

    /// Words have left: they may be sent anew.
    pub fn release(&mut self, words: u16) {
        let words = words.min(self.used);
        self.used -= words;
        self.limit = (self.limit + words) % MODULUS;
    }

    /// What is advertised.
    #[must_use]
    pub const fn limit(&self) -> u16 {
        self.limit
    }

    /// Words that are stored.
    #[must_use]
    pub const fn used(&self) -> u16 {
        self.used
    }

    /// Words in all.
    #[must_use]
    pub const fn size(&self) -> u16 {
        self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::VecDeque;
    use proptest::prelude::*;

    proptest! {
        /// Through many wraps: memory is never exceeded, all of it is used, and limits that are
        /// lost or come twice do no harm.
        #[test]
        fn memory_is_never_exceeded(
            size in 64..=MAX_MEMORY,
            steps in prop::collection::vec((0u8..6, 1u8..=64), 1..2000),
        ) {
            let (mut memory, mut allowance) = (Memory::new(size), Allowance::default());
            let mut line: VecDeque<u8> = VecDeque::new();
            let mut last = memory.limit();
            allowance.advertise(last);
            for (what, words) in steps {
                match what {
                    0 | 1 => if allowance.take(words) { line.push_back(words) },
                    2 => if let Some(words) = line.pop_front() {
                        prop_assert!(memory.store(words));
                    },
                    3 => memory.release(words.into()),
                    4 => { last = memory.limit(); allowance.advertise(last) }
                    _ => allowance.advertise(last),
                }
                prop_assert!(memory.used() <= size);
                let line: u16 = line.iter().map(|words| u16::from(*words)).sum();
                prop_assert!(allowance.room() + line + memory.used() <= size);
            }
            while let Some(words) = line.pop_front() {
                prop_assert!(memory.store(words));
            }
            memory.release(memory.used());
            allowance.advertise(memory.limit());
            prop_assert_eq!(allowance.room(), size);
        }
    }

    #[test]
    fn a_peer_beyond_its_limit_is_refused() {
        let mut memory = Memory::new(100);
        assert!(memory.store(64));
        assert!(!memory.store(37));
        assert!(memory.store(36));
        memory.release(10);
        assert!(!memory.store(11));
        assert!(memory.store(10));
        // What is stored is no part of the limits of the next session.
        memory.restart();
        assert_eq!(memory.limit(), 0);
        memory.release(30);
        assert_eq!(memory.limit(), 30);
    }
}
