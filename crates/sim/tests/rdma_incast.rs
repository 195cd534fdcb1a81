// SPDX-License-Identifier: Apache-2.0
//! Engines that write to one at the same time, through a switch that marks: they share the line,
//! and nothing is lost.

use ropewalk_sim::rdma::{IncastConfig, IncastResult, incast};
use ropewalk_sim::testing;
use ropewalk_wire::rdma::regs::congestion;

/// Cycles of a step in which a rate rises, and how many there are at most to the full rate: by the
/// settings after a reset, and those that it waits for behind a mark.
const STEP: u64 = 1024;
const STEPS: u64 = 32_768 / congestion::INCREASE.reset + 15;

fn run(config: &IncastConfig) -> IncastResult {
    let result = incast(config, &mut || ()).unwrap();
    println!(
        "{config:?}: sum {:.4}, worst {:.4}, {result:?}",
        result.sum(),
        result.deviation()
    );
    assert!(result.ok, "a transfer failed, or its bytes are wrong");
    result
}

fn config(test: &str) -> IncastConfig {
    IncastConfig {
        seed: testing::seed(test),
        ..IncastConfig::default()
    }
}

fn fair(result: &IncastResult) {
    assert!(result.sum() >= 0.95);
    assert!(result.deviation() <= 0.1);
    assert_eq!(result.network.overflowed, 0);
    assert!(result.network.marked > 0);
}

#[test]
fn marks_share_the_line() {
    let config = config("marks_share_the_line");
    fair(&run(&config));
    // That is because of the marks.
    let without = IncastConfig {
        mark: 0,
        settle: 0,
        cycles: 30_000,
        ..config
    };
    let result = run(&without);
    assert!(result.network.overflowed > 0 && result.deviation() > 0.1);
}

/// Two senders had half of the line each; one of them stops.
#[test]
fn a_rate_recovers() {
    let config = IncastConfig {
        senders: 2,
        settle: 40_000,
        cycles: 20_000,
        patience: STEP * STEPS,
        ..config("a_rate_recovers")
    };
    let result = run(&config);
    assert!(result.network.marked > 0);
    assert!(result.recovery_cycles.is_some());
}

/// The row for long, with several sizes of a transfer.
#[test]
#[ignore = "minutes: tools/soak.sh"]
fn a_long_incast() {
    let config = config("a_long_incast");
    for (bytes, queue, mark) in [
        (4096, 24_576, 1728),
        (16_384, 65_536, 4608),
        // First answers come when whole blocks have arrived: the queue has room for all that is
        // under way, 64 transfers of each.
        (65_536, 524_288, 9216),
    ] {
        let result = run(&IncastConfig {
            bytes,
            queue,
            mark,
            settle: 400_000,
            cycles: 1_000_000,
            // Those that stop have 64 transfers each under way: `bytes` cycles of the line.
            patience: STEP * STEPS + u64::from(config.senders) * u64::from(bytes),
            ..config
        });
        fair(&result);
        assert!(result.recovery_cycles.is_some());
    }
}
