// SPDX-License-Identifier: Apache-2.0
//! Users of two RDMA engines: every transfer is completed, every byte of both memories is what it
//! should be, over networks that bring everything and that do not.

use ropewalk_sim::rdma::{
    Distribution, MemoryConfig, Model, NetworkConfig, PairConfig, RunConfig, RunResult, Workload,
    channels, run,
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
            local: 0.1,
        },
        timeout: None,
        read_timeout: None,
        retries: 15,
        resets: 0,
        keep_words: false,
    }
}

/// Everything goes wrong with one packet of a hundred; what was sent six times is spared, so that
/// every transfer can be completed.
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
    println!(
        "{} cut short by {} resets; {} errors, {} wrong, {} stray words, {} faults, ended: {}",
        result.cut,
        result.resets,
        result.errors,
        result.mismatches,
        result.stray_writes,
        result.faults,
        result.ended
    );
    assert!(result.ok());
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

/// The whole engine: all channels of all pages of both nodes have something to do at a time.
#[test]
fn five_thousand_in_all_channels() {
    let mut config = config("five_thousand_in_all_channels", 5000, losses());
    config.pair.model.pages = 16;
    config.workload.outstanding = channels(16);
    config.workload.sizes.1 = 65536;
    whole(&config);
}

/// As it is, and nodes are reset meanwhile.
#[test]
fn resets_in_all_channels() {
    let mut config = config("resets_in_all_channels", 3000, losses());
    config.pair.model.pages = 16;
    config.workload.outstanding = channels(16);
    config.workload.sizes.1 = 5000;
    config.timeout = Some(4000);
    config.resets = 2;
    assert_eq!(whole(&config).resets, 2);
}

#[test]
#[ignore = "minutes: part of make soak"]
fn five_thousand() {
    let config = config("five_thousand", 5000, NetworkConfig::default());
    assert_eq!(whole(&config).retransmissions, 0);
}

#[test]
#[ignore = "minutes: part of make soak"]
fn five_thousand_with_losses() {
    whole(&config("five_thousand_with_losses", 5000, losses()));
}

/// Nodes are reset in the middle of everything: what the other one was told is complete is, all its
/// transfers end, and nothing of a read of the former life is written.
#[test]
fn resets() {
    for network in [NetworkConfig::default(), losses()] {
        let mut config = config("resets", 400, network);
        config.workload.sizes.1 = 20_000;
        config.workload.outstanding = 8;
        config.timeout = Some(1500);
        config.resets = 4;
        let result = whole(&config);
        assert_eq!(result.resets, 4);
        // All 16 channels in use, or those that are left at the end, are those of the node that was
        // reset or know it.
        assert!(result.cut <= 4 * 16);
    }
}

/// Reads are given up by those who asked while they are still served: nobody uses their places
/// again, and nothing else changes.
#[test]
fn reads_that_are_given_up() {
    let mut config = config("reads_that_are_given_up", 400, NetworkConfig::default());
    config.pair.network.stall = 0.8;
    config.workload.sizes.1 = 400_000;
    config.workload.outstanding = 32;
    config.workload.reads = 0.25;
    config.timeout = Some(6000);
    config.read_timeout = Some(2);
    let result = run(&config, &mut |_| ()).unwrap();
    assert!(result.ended && result.memory_identical(), "{result:?}");
    assert!(result.errors > 5, "{} errors", result.errors);
    assert_eq!(result.completed + result.errors, result.transfers);
}

/// Nothing leaves its node, and nothing is sent again.
#[test]
fn within_a_node() {
    for packed in [false, true] {
        let mut config = config("within_a_node", 200, losses());
        config.pair.model.packed = packed;
        config.pair.memory.stall = 0.1;
        config.workload.sizes.1 = 70_000;
        config.workload.local = 1.0;
        let result = whole(&config);
        assert_eq!((result.network.sent, result.retransmissions), (0, 0));
    }
}

/// Packets without gaps between them; a wrong bit may be in a length.
#[test]
fn packed() {
    let mut config = config("packed", 100, losses());
    config.pair.model.packed = true;
    config.pair.network.stall = 0.2;
    config.pair.memory.stall = 0.2;
    config.workload.sizes.1 = 100_000;
    whole(&config);
}

/// Messages and small transfers, many at a time.
#[test]
fn small_ones() {
    let mut config = config("small_ones", 2000, losses());
    config.workload.sizes.1 = 200;
    config.workload.outstanding = 64;
    whole(&config);
}
