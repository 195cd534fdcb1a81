// SPDX-License-Identifier: Apache-2.0
//! What several tests need.

pub use ropewalk_wire::rifl::link::Random;

/// Random choices that follow from a fresh seed, which is printed, or from the environment variable
/// SEED.
pub fn random() -> Random {
    let seed = std::env::var("SEED").map_or_else(
        |_| {
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            since.map_or(1, |since| since.as_nanos() as u64)
        },
        |text| text.parse().expect("SEED is a number"),
    );
    println!("SEED={seed}");
    Random::new(seed)
}

/// `count` random bytes.
#[allow(dead_code, reason = "not every test needs them")]
pub fn bytes(random: &mut Random, count: usize) -> Vec<u8> {
    (0..count).map(|_| random.bits() as u8).collect()
}
