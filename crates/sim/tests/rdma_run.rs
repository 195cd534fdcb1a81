// SPDX-License-Identifier: Apache-2.0
//! Users of two RDMA engines: every transfer is completed, every byte of both memories is what it should be, over networks that bring
//! everything and that do not.

use ropewalk_sim::rdma::{
    Distribution, MemoryConfig, Model, NetworkConfig, PairConfig, RunConfig, RunResult, Workload,
    run,
};
use ropewalk_sim::testing;

fn config(test: &str, transfers: u64, network: NetworkConfig) -> RunConfig {
    RunConfig {
        pair: PairConfig {
            model: Model::default(),
            memory: MemoryConfig::default(),
            network,
            seed: testing::seed(test),
        },
        workload: Workload {
            transfers,
            sizes: (1, 1 << 20),
            distribution: Distribution::Logarithmic,
            priorities: 2,
            reads: 0.2,
            inline: true,
            notify: 0.3,
            class: None,
            outstanding: 16,
            one_way: false,
        },
        timeout: None,
        retries: 15,
    }
}

/// Everything goes wrong with one packet of a hundred; what was sent six times is spared, so that every transfer can be completed.
fn losses() -> NetworkConfig {
    NetworkConfig {
        delay: 30,
        paths: 4,
        drop: 0.01,
        duplicate: 0.01,
        reorder: 0.01,
        late: 0.01,
        damage: 0.01,
        spare: 6,
        ..NetworkConfig::default()
    }
}

fn whole(config: &RunConfig) -> RunResult {
    let result = run(config, &mut |_| ()).unwrap();
    println!(
        "{} transfers, {} bytes, {} cycles, {:.2} bytes a cycle, {} sent again, {:?}",
        result.completed,
        result.total.bytes,
        result.cycles,
        result.bytes_per_cycle(),
        result.retransmissions,
        result.network
    );
    assert!(result.ok(), "{result:?}");
    result
}

#[test]
fn quiet_network() {
    let result = whole(&config("quiet_network", 100, NetworkConfig::default()));
    assert_eq!(result.retransmissions, 0);
}

#[test]
fn losses_are_mended() {
    whole(&config("losses_are_mended", 40, losses()));
}

/// Memory and network pause most of the time.
#[test]
fn pauses() {
    let mut config = config("pauses", 100, losses());
    config.pair.network.stall = 0.5;
    config.pair.memory.stall = 0.5;
    config.pair.memory.latency = 60;
    config.workload.sizes.1 = 100_000;
    whole(&config);
}

#[test]
fn five_thousand() {
    let mut config = config("five_thousand", 5000, NetworkConfig::default());
    config.workload.sizes.1 = 8192;
    assert_eq!(whole(&config).retransmissions, 0);
}

#[test]
#[ignore = "minutes: part of make soak"]
fn five_thousand_to_a_megabyte() {
    for network in [NetworkConfig::default(), losses()] {
        whole(&config("five_thousand_to_a_megabyte", 5000, network));
    }
}

/// Messages and small transfers, many at a time.
#[test]
fn small_ones() {
    let mut config = config("small_ones", 2000, losses());
    config.workload.sizes.1 = 200;
    config.workload.outstanding = 64;
    whole(&config);
}
