// SPDX-License-Identifier: Apache-2.0
//! Programs with the library on every node of a network of the real RTL.

#[path = "../examples/allreduce.rs"]
#[allow(dead_code)]
mod allreduce;

use ropewalk_rdma::simulated::LinkFaults;
use ropewalk_sim::testing::seed;
use ropewalk_sim::{Cut, CutKind};

#[test]
fn allreduce_over_a_switch() {
    // The first lane of a node's link is cut among the traffic, and returns.
    let cut = Cut {
        start_word: 30_000,
        words: 4_000,
        kind: CutKind::Zero,
    };
    let faults = LinkFaults {
        cuts: vec![(0, cut)],
        ..LinkFaults::default()
    };
    let outcome = allreduce::run("star:4", 1e-6, vec![faults], seed("allreduce")).unwrap();
    assert_eq!(outcome.retransmissions, 0);
    let flipped = outcome.links.iter().flat_map(|link| link.bit_errors);
    assert!(flipped.sum::<u64>() > 0);
    let ends = &outcome.links[0].ends;
    assert!(
        ends.iter()
            .all(|end| end.down_cycles > 0 && end.sessions_ended == 0)
    );
}
