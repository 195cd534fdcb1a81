// SPDX-License-Identifier: Apache-2.0
//! RDMA engines over RIFL links.

use ropewalk_sim::rdma::{Distribution, Workload};
use ropewalk_sim::stack::{StackConfig, Topology, run};
use ropewalk_sim::testing::seed;

fn workload(transfers: u64) -> Workload {
    Workload {
        transfers,
        sizes: (1, 65536),
        distribution: Distribution::Logarithmic,
        priorities: 4,
        reads: 0.2,
        inline: true,
        notify: 0.2,
        class: None,
        outstanding: 8,
        one_way: false,
        local: 0.05,
    }
}

#[test]
fn two_nodes() {
    let mut topology = Topology::point_to_point();
    topology.links[0].faults.ber = 1e-6;
    let config = StackConfig {
        topology,
        workload: workload(60),
        pages: 2,
        timeout: None,
        seed: seed("two nodes"),
    };
    let file: Vec<u8> = (0..300_000u32)
        .map(|i| (i.wrapping_mul(i) >> 7) as u8)
        .collect();
    let result = run(&config, &file, &mut |_| ()).unwrap();
    assert!(result.ok(&file));
    assert_eq!(result.run.retransmissions, 0);
    assert_eq!(result.ports[0].received, result.ports[1].sent);
    assert_eq!(result.ports[1].received, result.ports[0].sent);
    assert!(result.links[0].bit_errors.iter().sum::<u64>() > 0);
    assert!(
        result.links[0]
            .ends
            .iter()
            .map(|end| end.replays)
            .sum::<u64>()
            > 0
    );
}
