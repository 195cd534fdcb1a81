// SPDX-License-Identifier: Apache-2.0
//! Memory is asked for before it is used. Chunks are larger than caches, so each sub-packet is read
//! from memory, and written to it, one behind the other; the check of one, which takes about as
//! long as memory does, covers the wait for the next.
#![allow(unsafe_code)]

/// The bytes of a sub-packet, at their place in a chunk, are used now: as many behind them, which
/// are most likely next, are to be in the cache by then. It changes nothing but the time that they
/// take, and there need not be any.
#[inline]
pub fn fetch(place: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let next = place.as_ptr_range().end;
        for at in (0..place.len()).step_by(super::params::LINE.into()) {
            // SAFETY: every processor of this kind has the instruction, which never fails, whatever
            // the address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(at).cast()) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
