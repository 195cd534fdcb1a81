// SPDX-License-Identifier: Apache-2.0
//! The scrambler of 64b/66b, 1 + x^39 + x^58, 64 bits at once.

const TAP: u32 = 39;
const ORDER: u32 = 58;

/// The last 64 bits of the line, the newest on top: the state of a scrambler, or of a descrambler.
#[derive(Debug, Clone, Copy)]
pub struct Scrambler(u64);

impl Default for Scrambler {
    fn default() -> Self {
        Scrambler(u64::MAX)
    }
}

impl Scrambler {
    /// Line bits of these, bit 0 first.
    pub fn scramble(&mut self, plain: u64) -> u64 {
        // The first 39 bits depend on bits of the past alone, the others on these.
        let first = (plain ^ self.0 >> (64 - TAP) ^ self.0 >> (64 - ORDER)) & ((1 << TAP) - 1);
        let past = self.0 >> TAP | first << (64 - TAP);
        let others = plain >> TAP ^ past >> (64 - TAP) ^ past >> (64 - ORDER);
        self.0 = first | others << TAP;
        self.0
    }

    /// What was scrambled to these line bits.
    pub fn descramble(&mut self, line: u64) -> u64 {
        let past = u128::from(line) << 64 | u128::from(self.0);
        self.0 = line;
        line ^ (past >> (64 - TAP)) as u64 ^ (past >> (64 - ORDER)) as u64
    }
}
