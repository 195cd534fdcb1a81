// SPDX-License-Identifier: Apache-2.0
//! Alone in this program: no other test may have used more memory before.

use ropewalk_io::measure::peak_memory;

#[test]
fn memory_that_is_used_counts() {
    let before = peak_memory().expect("the kernel says so");
    let used = vec![1_u8; 1 << 26];
    let after = peak_memory().expect("the kernel says so");
    assert!(after - before >= 1 << 25, "{before} {after} {}", used.len());
}
