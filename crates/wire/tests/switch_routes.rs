// SPDX-License-Identifier: Apache-2.0
//! Routing tables of many topologies, walked by a second reading of them: each node reaches each
//! other one within the hops of the tables, no ring of waits exists, and both hold again without
//! any one of the links. `SEED=n` repeats a run.

use ropewalk_wire::switch::routes::TableWrite;
use ropewalk_wire::switch::topology::generate::{Choices, generate, random};
use ropewalk_wire::switch::topology::{MAX_PORTS, Wire};
use ropewalk_wire::switch::{End, RouteError, Tables, Topology, regs};
use std::collections::HashMap;

fn seed() -> u64 {
    let given = std::env::var("SEED")
        .ok()
        .and_then(|text| text.parse().ok());
    let seed = given.unwrap_or_else(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.map_or(1, |since| since.as_nanos() as u64)
    });
    println!("SEED={seed}");
    seed
}

/// A link in one direction, as the walker sees it: where it begins and where it ends.
type Channel = (End, End);

fn over(topology: &Topology, link: usize, from: End) -> Channel {
    let link = topology.links()[link];
    if link.a == from {
        (from, link.b)
    } else {
        (from, link.a)
    }
}

/// Where a packet for a node may go on from the end of a channel.
fn onward(topology: &Topology, tables: &Tables, channel: Channel, to: u16) -> Vec<Channel> {
    let End::Switch { switch, port } = channel.1 else {
        return Vec::new();
    };
    let mask = tables.ports(switch, port, to);
    let out = (0..MAX_PORTS).filter(|out| mask >> out & 1 == 1);
    out.map(|out| {
        let link = topology.port_link(switch, out).expect("a port with a link");
        over(topology, link, End::Switch { switch, port: out })
    })
    .collect()
}

/// Switches on the longest way from the end of a channel to a node; none: some way ends elsewhere.
fn longest(
    topology: &Topology,
    tables: &Tables,
    channel: Channel,
    to: u16,
    known: &mut HashMap<Channel, Option<u32>>,
    depth: u32,
) -> Option<u32> {
    assert!(depth < 64, "a packet for n{to} goes round");
    if channel.1 == End::Node(to) {
        return Some(0);
    }
    if let Some(found) = known.get(&channel) {
        return *found;
    }
    let mut most = None;
    for next in onward(topology, tables, channel, to) {
        let Some(rest) = longest(topology, tables, next, to, known, depth + 1) else {
            panic!("a way to n{to} ends at {}", next.1);
        };
        most = most.max(Some(rest + 1));
    }
    known.insert(channel, most);
    most
}

/// Whether nodes are joined at all, without some links.
fn parts(topology: &Topology, down: &[usize]) -> impl Fn(End) -> usize {
    let mut parents: HashMap<usize, usize> = HashMap::new();
    let key = |end: End| match end {
        End::Node(node) => usize::from(node),
        End::Switch { switch, .. } => 10_000 + usize::from(switch),
    };
    fn root(parents: &HashMap<usize, usize>, mut at: usize) -> usize {
        while let Some(&next) = parents.get(&at) {
            at = next;
        }
        at
    }
    for (index, link) in topology.links().iter().enumerate() {
        if !down.contains(&index) {
            let [a, b] = [link.a, link.b].map(|end| root(&parents, key(end)));
            if a != b {
                parents.insert(a, b);
            }
        }
    }
    move |end| root(&parents, key(end))
}

fn check(topology: &Topology, tables: &Tables, down: &[usize]) {
    let part = parts(topology, down);
    let mut turns: HashMap<Channel, Vec<Channel>> = HashMap::new();
    for to in 0..topology.nodes() {
        let mut known = HashMap::new();
        for from in (0..topology.nodes()).filter(|from| *from != to) {
            let link = topology.node_link(from).expect("a link");
            let first = over(topology, link, End::Node(from));
            let joined = part(End::Node(from)) == part(End::Node(to));
            let told = tables.hops(from, to).map(u32::from);
            assert_eq!(told.is_some(), joined, "n{from} to n{to} without {down:?}");
            if joined {
                let walked = longest(topology, tables, first, to, &mut known, 0);
                assert_eq!(walked, told, "n{from} to n{to} without {down:?}");
            }
        }
        // Every entry counts, also where no packet comes.
        for (index, link) in topology.links().iter().enumerate() {
            if !down.contains(&index) {
                for channel in [(link.a, link.b), (link.b, link.a)] {
                    let next = onward(topology, tables, channel, to);
                    assert!(next.iter().all(|next| next.1 != channel.0));
                    turns.entry(channel).or_default().extend(next);
                }
            }
        }
    }
    // Channels without a successor are taken away until nothing is left.
    loop {
        let before = turns.len();
        let present: Vec<Channel> = turns.keys().copied().collect();
        for channel in present {
            if turns[&channel].iter().all(|next| !turns.contains_key(next)) {
                turns.remove(&channel);
            }
        }
        if turns.len() == before {
            break;
        }
    }
    assert!(
        turns.is_empty(),
        "{}: a ring of waits in {:?}",
        topology.name,
        turns.keys()
    );
}

#[test]
fn a_thousand_random_topologies() {
    let mut choices = Choices::new(seed());
    let mut removed = 0;
    for _ in 0..1000 {
        let switches = 1 + choices.below(8) as u16;
        let nodes = 2 + choices.below((10.min(14 * u64::from(switches))) - 1) as u16;
        let more = choices.below(3 * u64::from(switches)) as u16;
        let made = random(nodes, switches, more, choices.bits(), Wire::default()).unwrap();
        made.complete().unwrap();
        let tables = Tables::new(&made).unwrap();
        tables.check(&made).unwrap();
        check(&made, &tables, &[]);
        for link in 0..made.links().len() {
            check(&made, &Tables::without(&made, &[link]).unwrap(), &[link]);
            removed += 1;
        }
    }
    println!("{removed} times without a link");
}

/// Tables that are written as the registers of each switch say are the tables.
fn check_writes(topology: &Topology, tables: &Tables) {
    for number in 0..topology.switches().len() as u16 {
        let mut written = HashMap::new();
        let mut ways = 0;
        for (address, value) in tables.writes(number).iter().flat_map(TableWrite::registers) {
            match address {
                _ if address == regs::WAYS.offset => ways = value,
                _ if address == regs::ROUTE.offset => {
                    for input in (0..16u8).filter(|it| ways >> (16 + it) & 1 == 1) {
                        let before = written.insert((input, value as u16), ways as u16);
                        assert_eq!(before, None, "s{number}: written twice");
                    }
                }
                _ => panic!("{address:#x}"),
            }
        }
        for input in 0..16 {
            for to in 0..topology.nodes() {
                let got = written.remove(&(input, to)).unwrap_or(0);
                assert_eq!(
                    got,
                    tables.ports(number, input, to),
                    "s{number}.{input} to n{to}"
                );
            }
        }
        assert!(written.is_empty());
    }
}

#[test]
fn topologies_that_have_a_name() {
    for name in [
        "point-to-point",
        "star:2",
        "star:16",
        "chain:2x4",
        "chain:15x1",
        "fat-tree:2",
        "fat-tree:16",
        "fat-tree:16/6",
        "fat-tree:50",
        "fat-tree:64/8",
        "torus:2x2",
        "torus:4x4",
        "torus:3x5",
        "torus:8x8",
        "torus:2x3x4",
        "torus:4x4x4",
        "random:40:7",
    ] {
        let made = generate(name, Wire::default()).unwrap();
        made.complete().unwrap();
        let tables = Tables::new(&made).unwrap_or_else(|error| panic!("{name}: {error}"));
        check_writes(&made, &tables);
        check(&made, &tables, &[]);
        let step = made.links().len().div_ceil(12);
        for link in (0..made.links().len()).step_by(step) {
            match Tables::without(&made, &[link]) {
                Ok(tables) => check(&made, &tables, &[link]),
                // A long row of switches with a detour.
                Err(error) => assert!(matches!(error, RouteError::Hops { .. }), "{name}: {error}"),
            }
        }
    }
}

#[test]
fn a_fat_tree_uses_all_its_ways() {
    let made = generate("fat-tree:1024", Wire::default()).unwrap();
    assert_eq!((made.nodes(), made.switches().len()), (1024, 320));
    let tables = Tables::new(&made).unwrap();
    assert_eq!(
        [1, 8, 64].map(|to| tables.hops(0, to)),
        [Some(1), Some(3), Some(5)]
    );
    let paths = tables.paths(&made, 1023);
    assert_eq!([0, 1016, 960].map(|from: usize| paths[from]), [64, 1, 8]);
    assert_eq!(made.bisection(), 512);
    // Without a link between edge and aggregation there are seven of eight ways.
    let cut = made.links().iter().position(|link| {
        let ends = [link.a, link.b];
        ends.iter().all(|end| matches!(end, End::Switch { .. }))
    });
    let tables = Tables::without(&made, &[cut.unwrap()]).unwrap();
    assert_eq!(tables.hops(0, 1023), Some(5));
    assert_eq!(tables.paths(&made, 1023)[0], 56);
}

#[test]
fn sizes_of_named_topologies() {
    for (name, nodes, switches, links, bisection) in [
        ("star:8", 8, 1, 8, 4),
        ("fat-tree:16", 16, 20, 48, 8),
        ("torus:4x4", 16, 16, 48, 8),
        ("torus:8x8", 64, 64, 192, 16),
        ("torus:2x2", 4, 4, 8, 2),
        ("chain:2x4", 8, 2, 9, 1),
    ] {
        let made = generate(name, Wire::default()).unwrap();
        let found = (made.nodes(), made.switches().len(), made.links().len());
        assert_eq!(found, (nodes, switches, links), "{name}");
        assert_eq!(made.bisection(), bisection, "{name}");
    }
}

#[test]
fn tables_with_a_ring_are_refused() {
    // Round and round a torus of one ring and its mirror image.
    let made = generate("torus:4x2", Wire::default()).unwrap();
    let mut tables = Tables::new(&made).unwrap();
    for at in 0..4 {
        // In at port 2, from the lesser neighbour; out at port 1.
        tables.set(at, 2, 7, 1 << 1);
    }
    let error = tables.check(&made).unwrap_err();
    assert!(matches!(&error, RouteError::Cycle(ring) if ring.matches(".1").count() == 4));
    let text = error.to_string();
    assert!(
        text.starts_with("packets may wait for each other in a ring: s"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_is_refused_by_value() {
    for (name, said) in [
        (
            "star:17",
            "'star:17': nodes 17; accepted: 2 to 16; accepted: point-to-point, star",
        ),
        (
            "fat-tree:17/4",
            "'fat-tree:17/4': nodes 17; accepted: 2 to 16;",
        ),
        (
            "fat-tree:1025",
            "'fat-tree:1025': nodes 1025; accepted: 2 to 1024;",
        ),
        (
            "torus:4x1",
            "'torus:4x1': size of a dimension 1; accepted: 2 to 64;",
        ),
        ("torus:4", "'torus:4': dimensions 1; accepted: 2 to 3;"),
        ("chain:2", "'chain:2': two numbers are needed;"),
        ("star:x", "'star:x': 'x' is no number below 65536;"),
        ("ring:4", "'ring:4': no such topology;"),
    ] {
        let error = generate(name, Wire::default()).unwrap_err().to_string();
        assert!(error.starts_with(said), "{error}");
    }
    let far = generate("torus:32x32", Wire::default()).unwrap();
    let error = Tables::new(&far).unwrap_err().to_string();
    assert!(error.ends_with("; accepted: up to 15"), "{error}");
}

/// Each number below a bound is drawn about as often.
#[test]
fn choices_are_spread() {
    let mut choices = Choices::new(seed());
    for bound in [1, 2, 6, 1000] {
        let mut counts = vec![0u32; bound as usize];
        for _ in 0..100 * bound {
            counts[choices.below(bound) as usize] += 1;
        }
        // Ten times its standard deviation on either side, at most.
        assert!(counts.iter().all(|&it| it > 0 && it < 201), "{counts:?}");
    }
    assert_eq!(choices.below(0), 0);
}
