// SPDX-License-Identifier: Apache-2.0
//! Seeds for the tests of this crate. Not part of the interface.

use std::time::{SystemTime, UNIX_EPOCH};

/// A fresh seed, printed; or the one of the environment variable `SEED`, to repeat a run.
pub fn seed(test: &str) -> u64 {
    let seed = match std::env::var("SEED")
        .ok()
        .and_then(|text| text.parse().ok())
    {
        Some(seed) => seed,
        None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |t| {
            t.as_secs().wrapping_mul(1_000_003) ^ u64::from(t.subsec_nanos())
        }),
    };
    println!("{test}: SEED={seed}");
    seed
}
