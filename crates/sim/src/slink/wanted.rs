// SPDX-License-Identifier: Apache-2.0
//! What both memories have to hold, and operations with new data at random places of them.

use std::ops::Range;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::pair::{A, B, Pair, PairConfig};
use super::program::Operation;
use super::run::RunConfig;

/// Bytes of a beat.
pub(super) const BEAT: u32 = 8;

/// Both memories as they have to be.
pub(super) struct Wanted {
    pub memories: [Vec<u8>; 2],
    random: Xoshiro256PlusPlus,
}

impl Wanted {
    /// Memories of `size` bytes, random ones.
    pub(super) fn new(size: u32, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let memories = [A, B].map(|_| {
            let mut memory = vec![0; size as usize];
            random.fill_bytes(&mut memory);
            memory
        });
        Self { memories, random }
    }

    /// The pair of a run, with lanes that are late by a random part of the skew.
    pub(super) fn pair(&mut self, config: &RunConfig) -> PairConfig {
        let mut skew = [0; ropewalk_wire::line::stripe::LANES];
        for bits in &mut skew {
            *bits = (self.random.next_u64() % (u64::from(config.skew) + 1)) as u32;
        }
        PairConfig {
            model: config.model,
            lanes: config.lanes,
            speed: config.rate,
            coding: config.coding,
            delay: config.delay,
            skew,
            ber: config.ber,
            ppm: config.ppm,
            stall: config.stall,
            cuts: config.cuts.clone(),
            resets: config.resets.clone(),
            switches: config.switches.clone(),
            seed: self.random.next_u64(),
            keep_words: config.keep_words.then(|| config.mode().word_bits()),
        }
    }

    /// An operation of a run, somewhere within these ranges of both memories.
    pub(super) fn operation(
        &mut self,
        config: &RunConfig,
        local: &Range<u32>,
        remote: &Range<u32>,
    ) -> Operation {
        let local = self.place(local, config);
        Operation {
            read: config.read,
            words: config.words,
            lanes: config.lanes,
            crc: config.crc,
            speed: config.rate.run(),
            local,
            remote: self.place(remote, config),
        }
    }

    fn place(&mut self, range: &Range<u32>, config: &RunConfig) -> u32 {
        let places = u64::from((range.end - range.start) / BEAT - config.words + 1);
        range.start + BEAT * (self.random.next_u64() % places) as u32
    }

    /// Puts new data where an operation reads; otherwise nobody could tell them from those of the
    /// operation before. Gives them, and where it writes.
    pub(super) fn renew(
        &mut self,
        pair: &mut Pair,
        source: usize,
        operation: &Operation,
    ) -> (Vec<u8>, Range<usize>) {
        let (from, to) = if operation.read {
            (operation.remote, operation.local)
        } else {
            (operation.local, operation.remote)
        };
        let bytes = (BEAT * operation.words) as usize;
        let [from, to] = [from, to].map(|address| address as usize..address as usize + bytes);
        let mut data = vec![0; bytes];
        self.random.fill_bytes(&mut data);
        self.memories[source][from.clone()].copy_from_slice(&data);
        pair.memory(source).bytes_mut()[from].copy_from_slice(&data);
        (data, to)
    }
}

/// Whether a memory holds in every beat what it held, or what was sent.
pub(super) fn is_part(is: &[u8], was: &[u8], sent: &[u8]) -> bool {
    let beats = |bytes| <[u8]>::chunks(bytes, BEAT as usize);
    let both = beats(was).zip(beats(sent));
    beats(is)
        .zip(both)
        .all(|(is, (was, sent))| is == was || is == sent)
}

/// Words of data that were written more than once.
pub(super) fn twice(counts: &[u32]) -> u64 {
    counts.iter().filter(|count| **count > 1).count() as u64
}
