// SPDX-License-Identifier: Apache-2.0
//! CRC-32C of what comes in pieces.
//!
//! Payloads go through the crate `crc-fast`, which takes some time to set out. A header of twelve
//! bytes stands before each of them, and would cost half as much again; so short pieces go through
//! the instruction that x86-64 has for this, where it has.
#![allow(unsafe_code)]

use crc_fast::{CrcAlgorithm, Digest};

/// Pieces of fewer bytes are short.
#[cfg(target_arch = "x86_64")]
const SHORT: usize = 64;

/// CRC-32C of bytes behind others whose CRC is `before` (0 at the start).
#[must_use]
#[inline]
pub(crate) fn crc(before: u32, bytes: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if bytes.len() < SHORT && is_x86_feature_detected!("sse4.2") {
        // SAFETY: the processor has the instruction.
        return unsafe { short(before, bytes) };
    }
    let mut digest = Digest::new_with_init_state(CrcAlgorithm::Crc32Iscsi, u64::from(!before));
    digest.update(bytes);
    digest.finalize() as u32
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse4.2")]
fn short(before: u32, bytes: &[u8]) -> u32 {
    use std::arch::x86_64::{_mm_crc32_u8, _mm_crc32_u32, _mm_crc32_u64};
    let (words, rest) = bytes.as_chunks();
    let state = words.iter().fold(u64::from(!before), |state, word| {
        _mm_crc32_u64(state, u64::from_le_bytes(*word))
    });
    let (halves, rest) = rest.as_chunks();
    let state = halves.iter().fold(state as u32, |state, half| {
        _mm_crc32_u32(state, u32::from_le_bytes(*half))
    });
    !rest
        .iter()
        .fold(state, |state, &byte| _mm_crc32_u8(state, byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn published_check_value() {
        assert_eq!(crc(0, b"123456789"), 0xe306_9283);
        assert_eq!(crc(crc(0, b"1234"), b"56789"), 0xe306_9283);
    }

    proptest! {
        /// Wherever the pieces end, also where one is short and the other is not.
        #[test]
        fn pieces(bytes in prop::collection::vec(any::<u8>(), 0..200), cut: prop::sample::Index, before: u32) {
            let (head, rest) = bytes.split_at(cut.index(bytes.len() + 1));
            let mut whole = Digest::new_with_init_state(CrcAlgorithm::Crc32Iscsi, u64::from(!before));
            whole.update(&bytes);
            prop_assert_eq!(crc(crc(before, head), rest), whole.finalize() as u32);
        }
    }
}
