// SPDX-License-Identifier: Apache-2.0
//! RDMA engines over RIFL links.

use ropewalk_sim::rdma::{Distribution, Workload};
use ropewalk_sim::stack::{
    LANES, LinkFaults, StackConfig, StackResult, StackRun, Stage, run, run_lossy,
};
use ropewalk_sim::testing::seed;
use ropewalk_sim::{Cut, CutKind};
use ropewalk_wire::switch::Topology;
use ropewalk_wire::switch::topology::Wire;
use ropewalk_wire::switch::topology::generate::generate;

fn topology(name: &str, ber: f64) -> Topology {
    generate(
        name,
        Wire {
            ber,
            ..Wire::default()
        },
    )
    .unwrap()
}

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
    let stack = StackConfig {
        topology: topology("point-to-point", 1e-6),
        faults: Vec::new(),
        mark: None,
        pages: 2,
        seed: seed("two nodes"),
    };
    let config = StackRun {
        stack,
        workload: workload(60),
        timeout: None,
    };
    let file = file(300_000);
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

/// Four nodes and a switch, whose links flip bits.
fn star(name: &str, faults: Vec<LinkFaults>, transfers: u64) -> StackRun {
    let stack = StackConfig {
        topology: topology("star:4", 1e-6),
        faults,
        mark: None,
        pages: 2,
        seed: seed(name),
    };
    StackRun {
        stack,
        workload: workload(transfers),
        timeout: None,
    }
}

fn file(bytes: u32) -> Vec<u8> {
    (0..bytes).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect()
}

/// Packets of all nodes pass the switch, each once, and no engine has to repeat any.
fn nothing_was_lost(result: &StackResult, file: &[u8]) {
    assert!(result.ok(file), "{result:?}");
    assert_eq!(result.run.retransmissions, 0);
    let sent: u64 = result.ports.iter().map(|port| port.sent).sum();
    let received: u64 = result.ports.iter().map(|port| port.received).sum();
    for switch in &result.switches {
        assert_eq!((switch.received, switch.sent), (sent, received));
        assert_eq!(switch.aborted + switch.refused + switch.dropped, 0);
        assert_eq!(switch.notices + switch.untold, 0);
    }
    assert_eq!(sent, received);
}

/// About 2 MB: nothing is lost over links that flip bits, and the parts of the way take what their
/// pages say. Over a plain network that loses packets it arrives, too, as engines repeat it.
#[test]
fn four_nodes_and_a_switch() {
    let config = star("four nodes and a switch", Vec::new(), 250);
    let file = file(600_000);
    let result = run(&config, &file, &mut |_| ()).unwrap();
    nothing_was_lost(&result, &file);
    for link in &result.links {
        let replays: u64 = link.ends.iter().map(|end| end.replays).sum();
        assert!(link.bit_errors.iter().sum::<u64>() > 0 && replays > 0);
    }
    let least = |stage| result.stages[&stage].min_cycles();
    assert_eq!((least(Stage::Switch), least(Stage::Link)), (7, 20));
    let lossy = run_lossy(&config, 0.01, &file, &mut |_| ()).unwrap();
    assert!(lossy.ok() && lossy.file == file, "{lossy:?}");
    assert!(lossy.retransmissions > 0);
}

/// A cable that is pulled for a time shorter than a link waits costs nothing but that time.
#[test]
fn a_cable_is_pulled_and_comes_back() {
    let cut = Cut {
        start_word: 14_000,
        words: 4_000,
        kind: CutKind::Noise,
    };
    let mut faults = vec![LinkFaults::default(); 4];
    faults[3].cuts = (0..LANES).map(|lane| (lane, cut)).collect();
    let file = file(300_000);
    let result = run(&star("cable", faults, 100), &file, &mut |_| ()).unwrap();
    nothing_was_lost(&result, &file);
    let down = result.links[3].ends.each_ref().map(|end| end.down_cycles);
    assert!(down.iter().all(|cycles| *cycles >= 2_000), "{down:?}");
}

/// Lanes that are exchanged end the session: what was on the way is lost, and the engines repeat
/// it when the lanes are in order again.
#[test]
fn lanes_are_exchanged_for_a_time() {
    let mut faults = vec![LinkFaults::default(); 4];
    faults[1].swaps = vec![(14_000, 15_000)];
    let file = file(300_000);
    let result = run(&star("exchanged", faults, 100), &file, &mut |_| ()).unwrap();
    assert!(result.ok(&file), "{result:?}");
    let ended = |link: usize| -> u64 {
        let ends = result.links[link].ends.iter();
        ends.map(|end| end.sessions_ended).sum()
    };
    assert!(ended(1) >= 2);
    assert_eq!(ended(0) + ended(2) + ended(3), 0);
}

#[test]
fn bad_input_is_refused() {
    let refused = |config: &StackRun| run(config, &[], &mut |_| ()).unwrap_err().to_string();
    let fault = |faults| refused(&star("refused", vec![faults], 1));
    let cut = Cut {
        start_word: 5,
        words: 5,
        kind: CutKind::Zero,
    };
    let cuts = |lanes: &[usize]| LinkFaults {
        cuts: lanes.iter().map(|lane| (*lane, cut)).collect(),
        ..LinkFaults::default()
    };
    let swapped = LinkFaults {
        swaps: vec![(7, 7)],
        ..LinkFaults::default()
    };
    let said = [
        refused(&star("refused", vec![LinkFaults::default(); 5], 1)),
        fault(cuts(&[4])),
        fault(cuts(&[1, 1])),
        fault(swapped),
    ];
    let expected = [
        "faults: of 5 links; accepted: 0 to 4",
        "faults: lane 4 of n0 - s0.0; accepted: 0 to 3",
        "cut.start_word: a cut begins at word 5, but the one before it ends at 10",
        "faults: lanes exchanged from word 7 to 7",
    ];
    assert_eq!(said, expected);
}
