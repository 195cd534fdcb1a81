// SPDX-License-Identifier: Apache-2.0
//! Topologies, the tables of their switches, and which way packets take.

use ropewalk_testkit::{Digest, expect_file};
use ropewalk_wire::switch::header::{Class, FLOWS, Route};
use ropewalk_wire::switch::routes::{Choice, Tables};
use ropewalk_wire::switch::topology::generate::generate;
use ropewalk_wire::switch::topology::{Topology, Wire};

const NAMES: [&str; 16] = [
    "point-to-point",
    "star:2",
    "star:16",
    "chain:3x2",
    "chain:7x1",
    "fat-tree:8",
    "fat-tree:16/4",
    "fat-tree:60",
    "fat-tree:128/8",
    "torus:3x3",
    "torus:4x2x3",
    "torus:5x4",
    "random:5:1",
    "random:20:2",
    "random:33:3",
    "random:70:4",
];

/// All tables, and the paths of each link.
fn tables(topology: &Topology, down: &[usize]) -> String {
    let tables = match Tables::without(topology, down) {
        Ok(tables) => tables,
        Err(error) => return format!("{error}"),
    };
    let (mut digest, nodes) = (Digest::default(), topology.nodes());
    for (switch, about) in (0..).zip(topology.switches()) {
        for destination in 0..nodes {
            for input in 0..about.ports {
                digest.words(&[tables.ports(switch, input, destination).into()]);
            }
        }
        digest.seen(&tables.writes(switch));
    }
    let hops = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
    let hops: Vec<_> = hops.map(|(from, to)| tables.hops(from, to)).collect();
    digest.seen(&hops);
    for destination in 0..nodes {
        digest.words(&tables.paths(topology, destination));
    }
    let most = hops.iter().flatten().max();
    let lost = hops.iter().filter(|it| it.is_none()).count();
    format!(
        "{digest} by {}, {most:?} hops at most, {lost} pairs apart",
        tables.how()
    )
}

fn topology(name: &str) -> String {
    let wire = Wire {
        delay: 7,
        ..Wire::default()
    };
    let topology = generate(name, wire).expect(name);
    let mut digest = Digest::default();
    digest.seen(&topology.links());
    digest.seen(&topology.switches());
    let (nodes, links) = (topology.nodes(), topology.links().len());
    let mut text = format!(
        "{name}: {nodes} nodes, {links} links {digest}, bisection {}\n",
        topology.bisection()
    );
    text += &format!("  {}\n", tables(&topology, &[]));
    for down in [&[0][..], &[links - 1], &[links / 2, links / 3]] {
        text += &format!("  without {down:?}: {}\n", tables(&topology, down));
    }
    text
}

#[test]
fn topologies() {
    let text: String = NAMES.into_iter().map(topology).collect();
    expect_file!["switch_topologies.txt"].assert_eq(&text);
}

#[test]
fn choices() {
    let mut text = String::new();
    for ports in [2, 3, 8, 13, 16] {
        for salt in [0, 1, 0xffff] {
            let (choice, mut digest) = (Choice::new(ports, salt), Digest::default());
            let mut taken = [0_u32; 16];
            for number in 0..4000_u32 {
                let bits = number.wrapping_mul(0x9e37_79b9);
                let route = Route {
                    class: Class::ALL[number as usize % Class::ALL.len()],
                    mark: false,
                    spread: number % 3 == 0,
                    words: 1,
                    destination: (bits >> 7) as u16,
                    source: (bits >> 16) as u16,
                    flow: (bits as u16) % FLOWS,
                    hops: 3,
                };
                let allowed = (bits >> 11) as u16 & ((1_u32 << ports) - 1) as u16;
                let port = choice.port(&route, allowed, |port| (bits >> port) as u8 & 3);
                digest.seen(&port);
                taken[usize::from(port.unwrap_or(0))] += 1;
            }
            text += &format!("{ports} ports, salt {salt}: {digest} {taken:?}\n");
        }
    }
    expect_file!["switch_choices.txt"].assert_eq(&text);
}
