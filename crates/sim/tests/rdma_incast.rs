// SPDX-License-Identifier: Apache-2.0
//! Seven engines that write to one at the same time.

use ropewalk_sim::rdma::{IncastConfig, incast};
use ropewalk_sim::testing;

#[test]
fn marks_share_the_line() {
    let seed = testing::seed("marks_share_the_line");
    let begun = std::time::Instant::now();
    for mark in [0, 1152] {
        let config = IncastConfig {
            seed,
            mark,
            settle: 60_000,
            cycles: 150_000,
            ..IncastConfig::default()
        };
        let result = incast(&config, &mut || ()).unwrap();
        println!(
            "{result:?} {} {} {:?}",
            result.sum(),
            result.deviation(),
            begun.elapsed()
        );
    }
}
