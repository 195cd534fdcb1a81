// SPDX-License-Identifier: Apache-2.0
//! What a run does, in a number.

use crc_fast::CrcAlgorithm;
use std::fmt;

/// CRC-64 of all that a run has done, in its order: equal to that of another run if both have done
/// the same.
pub struct Digest(crc_fast::Digest);

impl Default for Digest {
    fn default() -> Self {
        Digest(crc_fast::Digest::new(CrcAlgorithm::Crc64Nvme))
    }
}

impl Digest {
    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds numbers.
    pub fn words(&mut self, words: &[u64]) {
        words.iter().for_each(|it| self.0.update(&it.to_be_bytes()));
    }

    /// Adds what a value looks like.
    pub fn seen(&mut self, what: &dyn fmt::Debug) {
        self.0.update(format!("{what:?};").as_bytes());
    }
}

/// Sixteen hexadecimal digits.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0.finalize())
    }
}
