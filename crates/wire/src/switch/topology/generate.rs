// SPDX-License-Identifier: Apache-2.0
//! Topologies that need no file.

use super::{End, MAX_NODES, MAX_PORTS, Problem, Switch, Topology, Wire};
use crate::switch::routes::Rule;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// What [`generate`] takes.
pub const ACCEPTED: &str = "point-to-point, star:NODES (2 to 16), chain:SWITCHESxNODES (of each \
     switch), fat-tree:NODES or fat-tree:NODES/RADIX, torus:AxB or torus:AxBxC, random:NODES:SEED";

/// The topology that a text such as `star:8`, `fat-tree:1024` or `torus:4x4` names.
///
/// # Errors
/// There is no such generator, or it does not take the value.
pub fn generate(text: &str, wire: Wire) -> Result<Topology, Problem> {
    let bad = |what: String| Problem::Generator {
        found: text.to_string(),
        what,
    };
    let number = |word: &str| {
        (word.parse::<u16>()).map_err(|_| bad(format!("'{word}' is no number below 65536")))
    };
    let sizes = |words: &str| {
        let sizes = words.split('x').map(number);
        sizes.collect::<Result<Vec<_>, _>>()
    };
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    let made = match (kind, rest) {
        ("point-to-point", "") => point_to_point(wire),
        ("star", _) => star(number(rest)?, wire),
        ("chain", _) => match sizes(rest)?[..] {
            [switches, each] => chain(switches, each, wire),
            _ => Err(bad("two numbers are needed".to_string())),
        },
        ("fat-tree", _) => match rest.split_once('/') {
            None => fat_tree(number(rest)?, None, wire),
            Some((nodes, radix)) => fat_tree(number(nodes)?, Some(number(radix)?), wire),
        },
        ("torus", _) => torus(&sizes(rest)?, wire),
        ("random", _) => {
            let (nodes, seed) = rest.split_once(':').unwrap_or((rest, "0"));
            let seed = seed.parse();
            let seed = seed.map_err(|_| bad("the seed is no number".to_string()))?;
            random_of(number(nodes)?, seed, wire)
        }
        _ => Err(bad("no such topology".to_string())),
    };
    let mut made = made.map_err(|problem| match problem {
        Problem::Range { .. } | Problem::Full(_) => bad(problem.to_string()),
        other => other,
    })?;
    made.name = text.to_string();
    Ok(made)
}

const fn port(switch: u16, port: u8) -> End {
    End::Switch { switch, port }
}

fn switch(ports: u16) -> Switch {
    Switch {
        ports: ports.max(2) as u8,
        level: None,
    }
}

/// Two nodes and a link.
///
/// # Errors
/// The link's values are out of their range.
pub fn point_to_point(wire: Wire) -> Result<Topology, Problem> {
    let mut made = Topology::new("point-to-point", 2, &[])?;
    made.connect(End::Node(0), End::Node(1), wire)?;
    Ok(made)
}

/// Nodes around a switch.
///
/// # Errors
/// More nodes than ports, or less than two.
pub fn star(nodes: u16, wire: Wire) -> Result<Topology, Problem> {
    super::within("nodes", nodes.into(), 2, MAX_PORTS.into())?;
    let mut made = Topology::new("star", nodes, &[switch(nodes)])?;
    for node in 0..nodes {
        made.connect(End::Node(node), port(0, node as u8), wire)?;
    }
    Ok(made)
}

/// Switches in a row, each with as many nodes.
///
/// # Errors
/// More than the ports or the hops of a packet allow.
pub fn chain(switches: u16, each: u16, wire: Wire) -> Result<Topology, Problem> {
    let most = crate::switch::MAX_SWITCHES;
    super::within("switches", switches.into(), 1, most.into())?;
    super::within("nodes of a switch", each.into(), 1, MAX_PORTS as u64 - 2)?;
    let all = vec![switch(each + 2); switches.into()];
    let mut made = Topology::new("chain", switches * each, &all)?;
    for at in 0..switches {
        for node in 0..each {
            made.connect(End::Node(at * each + node), port(at, node as u8), wire)?;
        }
        if at > 0 {
            made.connect(port(at - 1, each as u8 + 1), port(at, each as u8), wire)?;
        }
    }
    made.complete()?;
    Ok(made)
}

/// A fat tree of switches with `radix` ports: edge, aggregation and core, with as many links up as
/// down. Without a radix it is the least even one that has room. Switches that no node needs are
/// left out.
///
/// # Errors
/// More nodes than the radix has room for, or the radix is none.
pub fn fat_tree(nodes: u16, radix: Option<u16>, wire: Wire) -> Result<Topology, Problem> {
    super::within("nodes", nodes.into(), 2, MAX_NODES.into())?;
    let room = |radix: u16| u64::from(radix / 2).pow(3) * 2;
    let least = || {
        (2..=16)
            .step_by(2)
            .find(|radix| room(*radix) >= nodes.into())
    };
    let radix = radix.or_else(least).unwrap_or(16);
    super::within("radix", radix.into(), 2, MAX_PORTS.into())?;
    super::within("nodes", nodes.into(), 2, room(radix).max(2))?;
    let half = radix / 2;
    let edges = nodes.div_ceil(half);
    let pods = edges.div_ceil(half);
    let aggregations = if edges > 1 { pods * half } else { 0 };
    let cores = if pods > 1 { half * half } else { 0 };
    let level = |level: u16, count: u16| {
        let one = Switch {
            level: Some(level),
            ..switch(half * 2)
        };
        vec![one; count.into()]
    };
    let all = [level(2, edges), level(1, aggregations), level(0, cores)].concat();
    let mut made = Topology::new("fat-tree", nodes, &all)?;
    for node in 0..nodes {
        let at = port(node / half, (node % half) as u8);
        made.connect(End::Node(node), at, wire)?;
    }
    if aggregations > 0 {
        for edge in 0..edges {
            for up in 0..half {
                let above = edges + edge / half * half + up;
                let down = port(above, (edge % half) as u8);
                made.connect(port(edge, (half + up) as u8), down, wire)?;
            }
        }
    }
    if cores > 0 {
        for pod in 0..pods {
            for (at, up) in (0..half).flat_map(|at| (0..half).map(move |up| (at, up))) {
                let below = port(edges + pod * half + at, (half + up) as u8);
                let core = port(edges + aggregations + at * half + up, pod as u8);
                made.connect(below, core, wire)?;
            }
        }
    }
    Ok(made)
}

/// A torus of two or three dimensions with a node at each switch. Two switches in a dimension have
/// one link.
///
/// # Errors
/// A size below 2, or too many nodes.
pub fn torus(sizes: &[u16], wire: Wire) -> Result<Topology, Problem> {
    super::within("dimensions", sizes.len() as u64, 2, 3)?;
    let mut nodes = 1;
    for size in sizes {
        super::within("size of a dimension", u64::from(*size), 2, 64)?;
        nodes *= u64::from(*size);
    }
    super::within("nodes", nodes, 2, MAX_NODES.into())?;
    let nodes = nodes as u16;
    let ports = 1 + 2 * sizes.len() as u16;
    let mut made = Topology::new("torus", nodes, &vec![switch(ports); nodes.into()])?;
    for at in 0..nodes {
        made.connect(End::Node(at), port(at, 0), wire)?;
        let mut step = 1;
        for (dimension, size) in sizes.iter().enumerate() {
            let place = at / step % size;
            let next = at - place * step + (place + 1) % size * step;
            if *size > 2 || place == 0 {
                let plus = 1 + 2 * dimension as u8;
                made.connect(port(at, plus), port(next, plus + 1), wire)?;
            }
            step *= size;
        }
    }
    made.rule = Rule::Dimensions(sizes.to_vec());
    Ok(made)
}

/// Random choices that follow from a seed (SplitMix64).
#[derive(Debug, Clone)]
pub struct Choices(u64);

impl Choices {
    /// Those of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Choices(seed)
    }

    /// 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// A number below `bound`; 0 if that is 0.
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.bits() as u128 * bound as u128) >> 64) as u64
    }

    /// From 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A random network with so many nodes: switches and further links as the seed has it.
fn random_of(nodes: u16, seed: u64, wire: Wire) -> Result<Topology, Problem> {
    super::within("nodes", nodes.into(), 2, MAX_NODES.into())?;
    let mut choices = Choices::new(seed);
    let least = u64::from(nodes).div_ceil(8).max(1);
    let switches = least + choices.below(least + 4);
    let more = choices.below(2 * switches + 1);
    random(nodes, switches as u16, more as u16, seed, wire)
}

/// Switches of 16 ports joined by a random tree, as many further links as wanted, or as there are
/// ports for, and nodes anywhere.
///
/// # Errors
/// More nodes than ports.
pub fn random(
    nodes: u16,
    switches: u16,
    more: u16,
    seed: u64,
    wire: Wire,
) -> Result<Topology, Problem> {
    let room = 14 * u64::from(switches) + 2;
    super::within("nodes", nodes.into(), 2, room.min(MAX_NODES.into()))?;
    let mut choices = Choices::new(seed ^ 0x7265_706f_7765);
    let all = vec![switch(MAX_PORTS.into()); switches.into()];
    let mut made = Topology::new("random", nodes, &all)?;
    let mut free = vec![MAX_PORTS; switches.into()];
    // Ports that nodes need are not given to further links.
    let mut spare = i64::from(switches) * 16 - 2 * i64::from(switches - 1) - i64::from(nodes);
    for at in 1..switches {
        let mut above = choices.below(at.into()) as u16;
        while free[usize::from(above)] == 0 {
            above = (above + 1) % at;
        }
        made.connect(made.free_port(above)?, made.free_port(at)?, wire)?;
        free[usize::from(above)] -= 1;
        free[usize::from(at)] -= 1;
    }
    for _ in 0..more {
        let [a, b] = [(); 2].map(|()| choices.below(switches.into()) as u16);
        let room = free[usize::from(a)] > 0 && free[usize::from(b)] > 0;
        if a == b || !room || spare < 2 {
            continue;
        }
        spare -= 2;
        made.connect(made.free_port(a)?, made.free_port(b)?, wire)?;
        free[usize::from(a)] -= 1;
        free[usize::from(b)] -= 1;
    }
    for node in 0..nodes {
        let mut at = choices.below(switches.into()) as u16;
        while free[usize::from(at)] == 0 {
            at = (at + 1) % switches;
        }
        made.connect(End::Node(node), made.free_port(at)?, wire)?;
        free[usize::from(at)] -= 1;
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With this seed the tree comes to a switch that has no port left.
    #[test]
    fn a_switch_that_is_full_is_passed_over() {
        let made = random(512, 512, 0, 196, Wire::default()).unwrap();
        let mut links = vec![0; 512];
        for link in made.links() {
            for end in [link.a, link.b] {
                if let End::Switch { switch, .. } = end {
                    links[usize::from(switch)] += 1;
                }
            }
        }
        assert_eq!(made.links().len(), 511 + 512);
        assert_eq!(links.iter().max(), Some(&usize::from(MAX_PORTS)));
    }
}
