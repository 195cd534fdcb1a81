// SPDX-License-Identifier: Apache-2.0
//! The model of a network: nothing is lost, nothing stands still, and what the tables promise
//! is kept under load.

use ropewalk_sim::net::{Config, NetResult, Transport, Workload, run};
use ropewalk_sim::testing::seed;
use ropewalk_wire::switch::topology::generate::{Choices, generate, random};
use ropewalk_wire::switch::topology::{Wire, file};
use ropewalk_wire::switch::{Tables, Topology};

fn named(name: &str, ber: f64) -> Topology {
    let wire = Wire {
        ber,
        ..Wire::default()
    };
    generate(name, wire).unwrap()
}

fn done(config: &Config) -> NetResult {
    run(config, &mut |_| ()).unwrap()
}

/// Random networks with hardly any memory, more traffic than they carry, and answers.
#[test]
fn no_deadlock_in_a_thousand_random_topologies() {
    no_deadlock("no_deadlock", 2000);
}

/// The same for longer.
#[test]
#[ignore = "long"]
fn no_deadlock_in_a_thousand_random_topologies_for_long() {
    no_deadlock("no_deadlock_for_long", 50_000);
}

fn no_deadlock(test: &str, cycles: u64) {
    let mut choices = Choices::new(seed(test));
    let (mut packets, mut most) = (0, 0);
    for round in 0..1000 {
        let switches = 1 + choices.below(8) as u16;
        let nodes = 2 + choices.below(11.min(14 * u64::from(switches)) - 1) as u16;
        let more = choices.below(3 * u64::from(switches)) as u16;
        let wire = Wire {
            delay: 1 + choices.below(30) as u32,
            ber: [0.0, 1e-5][choices.below(2) as usize],
        };
        let made = random(nodes, switches, more, choices.bits(), wire).unwrap();
        let packet_words = 3 + choices.below(62) as u8;
        let result = done(&Config {
            workload: [Workload::Uniform, Workload::Bursty, Workload::Permutation][round % 3],
            load: 1.0,
            cycles,
            class: 1 + choices.below(3) as u8,
            packet_words,
            // Room for one packet, and not for two.
            memory: [u16::from(packet_words); 4],
            spread: choices.below(2) == 0,
            same_hash: choices.below(2) == 0,
            seed: choices.bits(),
            ..Config::new(made)
        });
        assert!(
            result.ok(),
            "{round}: {} missing, deadlock {}",
            result.missing,
            result.deadlock
        );
        packets += result.delivered();
        most = most.max(result.cycles);
    }
    println!("{packets} packets, up to {most} cycles");
}

/// The model sees a deadlock where there is one: four switches in a ring, all packets clockwise.
#[test]
fn a_ring_of_waits_stands_still() {
    let links: String = (0..4)
        .map(|at| {
            let next = (at + 1) % 4;
            format!(
                "[[link]]\na = \"n{at}\"\nb = \"s{at}.0\"\n\
                 [[link]]\na = \"s{at}.1\"\nb = \"s{next}.2\"\n"
            )
        })
        .collect();
    let made = file::parse(&format!("nodes = 4\nswitches = 4\nports = 3\n{links}")).unwrap();
    let mut tables = Tables::new(&made).unwrap();
    for (at, to) in (0..4).flat_map(|at| (0..4).map(move |to| (at, to))) {
        for input in 0..3 {
            tables.set(at, input, to, if at == to { 1 } else { 1 << 1 });
        }
    }
    assert!(tables.check(&made).is_err());
    let config = |tables| Config {
        load: 1.0,
        cycles: 5000,
        memory: [18; 4],
        tables,
        ..Config::new(made.clone())
    };
    let stuck = done(&config(Some(tables)));
    assert!(stuck.deadlock && stuck.missing > 0 && !stuck.ok());
    assert!(done(&config(None)).ok());
}

#[test]
fn idle_latency_is_that_of_the_parts() {
    // Two links of 20 cycles, seven in the switch, one out of the node, eighteen words.
    for (name, links, switches) in [
        ("star:2", 2, 1),
        ("chain:2x1", 3, 2),
        ("point-to-point", 1, 0),
    ] {
        let result = done(&Config {
            load: 0.01,
            answers: false,
            ..Config::new(named(name, 0.0))
        });
        let latency = &result.classes[3].latency;
        assert_eq!(
            latency.p50_cycles(),
            links * 20 + switches * 7 + 1 + 18,
            "{name}"
        );
        assert!(result.ok());
    }
}

#[test]
fn every_workload_ends_with_every_packet_once() {
    let seed = seed("workloads");
    for name in ["star:8", "fat-tree:16", "torus:4x4", "chain:3x4"] {
        for (at, workload) in Workload::ALL.into_iter().enumerate() {
            for spread in [false, true] {
                let result = done(&Config {
                    workload,
                    load: 0.8,
                    cycles: 3000,
                    bytes: 5000,
                    spread,
                    seed: seed.wrapping_add(at as u64),
                    ..Config::new(named(name, 1e-6))
                });
                assert!(result.ok(), "{name}, {}: {result:?}", workload.name());
                assert_eq!(result.retransmissions + result.dropped, 0);
            }
        }
    }
}

#[test]
fn lossy_links_cost_packets_and_time_outs_bring_them_back() {
    let config = |transport| Config {
        load: 0.3,
        cycles: 20_000,
        transport,
        seed: seed("lossy"),
        ..Config::new(named("fat-tree:16", 1e-6))
    };
    let lossless = done(&config(Transport::Lossless));
    let lossy = done(&config(Transport::Lossy {
        loss: 0.01,
        timeout: None,
    }));
    assert!(lossless.ok() && lossy.ok());
    assert!(lossless.errors() > 0 && lossless.retransmissions == 0);
    assert!(lossy.dropped > 0 && lossy.retransmissions > 0);
    let worst = |result: &NetResult| result.classes[3].latency.p999_cycles();
    assert!(worst(&lossy) > lossy.timeout.unwrap());
}

#[test]
fn a_blocked_class_blocks_no_other() {
    let result = done(&Config {
        workload: Workload::Priority,
        load: 1.0,
        bulk: 2,
        cycles: 20_000,
        blocked: Some(3),
        ..Config::new(named("chain:2x4", 0.0))
    });
    assert_eq!(result.missing, 0);
    let small = &result.classes[1];
    assert!(small.made > 500 && small.delivered == small.made);
    assert!(result.classes[3].delivered < result.classes[3].made);
}

/// The row: through two switches, 99.9 % within twice the idle value.
#[test]
fn small_messages_beside_bulk_through_two_switches() {
    let seed = seed("small");
    let of = |load, bulk| {
        let result = done(&Config {
            workload: Workload::Priority,
            load,
            bulk,
            cycles: 200_000,
            seed,
            ..Config::new(named("chain:2x4", 0.0))
        });
        assert!(result.ok());
        result.classes[1].latency.p999_cycles()
    };
    let idle = of(0.0, 1);
    // One node of each half, or all of them, with as many inputs of the switch.
    for bulk in [1, 4] {
        let beside = of(1.0, bulk);
        println!("{idle} cycles idle, {beside} beside bulk of {bulk}");
        assert!(
            beside <= 2 * idle,
            "{idle} cycles idle, {beside} beside bulk of {bulk}"
        );
    }
}

/// What `plan stack` says that full rate takes is enough, and half of it is not.
#[test]
fn memory_for_the_full_rate() {
    let throughput = |memory| {
        done(&Config {
            workload: Workload::Permutation,
            load: 1.0,
            cycles: 20_000,
            memory: [memory; 4],
            answers: false,
            ..Config::new(named("star:2", 0.0))
        })
        .throughput()
    };
    let needed = ropewalk_sim::net::full_rate_words(20, 18);
    assert!(throughput(needed) > 0.98, "{needed}");
    assert!(throughput(needed / 2) < 0.7, "{needed}");
}

/// The same seed gives the same run.
#[test]
fn runs_are_reproducible() {
    let config = Config {
        cycles: 5000,
        seed: seed("reproducible"),
        ..Config::new(named("torus:3x3", 1e-6))
    };
    assert_eq!(done(&config), done(&config));
}
