// SPDX-License-Identifier: Apache-2.0
//! Who may write a piece of memory that several threads share, and when others may read it. The
//! memory itself is elsewhere.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::sync::AtomicU64;

/// Two marks for each piece: somebody writes it or has written it; it is written, for ever.
pub(crate) struct Marks {
    claimed: Box<[AtomicU64]>,
    written: Box<[AtomicU64]>,
}

fn bit(index: usize) -> (usize, u64) {
    (index / 64, 1 << (index % 64))
}

impl Marks {
    /// None of `pieces` pieces is claimed or written.
    pub(crate) fn new(pieces: usize) -> Self {
        let words = || {
            (0..pieces.div_ceil(64))
                .map(|_| AtomicU64::new(0))
                .collect()
        };
        Self {
            claimed: words(),
            written: words(),
        }
    }

    /// Takes all marks away, which nobody else reaches.
    pub(crate) fn clear(&mut self) {
        for word in self.claimed.iter().chain(&self.written) {
            word.store(0, Relaxed);
        }
    }

    /// Whether a piece that exists is the caller's from now on, and others are done with it.
    pub(crate) fn claim(&self, index: usize) -> bool {
        let (word, mask) = bit(index);
        self.claimed[word].fetch_or(mask, Acquire) & mask == 0
    }

    /// Gives a claimed piece up.
    pub(crate) fn release(&self, index: usize) {
        let (word, mask) = bit(index);
        self.claimed[word].fetch_and(!mask, Release);
    }

    /// A claimed piece is written; it stays claimed.
    pub(crate) fn commit(&self, index: usize) {
        let (word, mask) = bit(index);
        self.written[word].fetch_or(mask, Release);
    }

    /// Whether a piece is there and written: what its writer has done to it can be read.
    pub(crate) fn is_written(&self, index: usize) -> bool {
        let (word, mask) = bit(index);
        let written = self.written.get(word);
        written.is_some_and(|written| written.load(Acquire) & mask != 0)
    }
}
