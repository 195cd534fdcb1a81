// SPDX-License-Identifier: Apache-2.0
//! Numbers for vectors.

/// Numbers that another language makes as easily: s becomes 6364136223846793005 s +
/// 1442695040888963407 modulo 2^64.
#[derive(Debug)]
pub struct Numbers(pub u64);

impl Numbers {
    /// The top bits of the next one, 1 to 64 of them.
    pub fn top(&mut self, bits: u32) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        self.0 >> (64 - bits)
    }
}
