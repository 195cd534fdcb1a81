// SPDX-License-Identifier: Apache-2.0
//! Orders of the switches for up*/down*, cycles among channels, flows.

use super::{Distances, Graph, NONE, Rule, Turns, distances};
use crate::switch::topology::Topology;
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// The rule with the shortest paths: distances by it, the ranks of up*/down*, and its name.
pub(super) fn best(
    topology: &Topology,
    graph: &Graph,
    wanted: &[bool],
    whole: bool,
) -> (Distances, Option<Vec<u32>>, &'static str) {
    if let (Rule::Dimensions(sizes), true) = (&topology.rule, whole) {
        let found = distances(graph, &Turns::Sizes(sizes), wanted);
        return (found, None, "dimension order, each ring broken once");
    }
    let mut best: Option<(Distances, Vec<u32>, &'static str)> = None;
    let candidates = [
        (given(topology), "up*/down* by the given levels"),
        (
            Some(heights(graph, wanted)),
            "up*/down* by the distance from nodes",
        ),
        (Some(depths(graph)), "up*/down* by the distance from a root"),
    ];
    for (levels, how) in candidates {
        let Some(levels) = levels else { continue };
        let ranks = ranks(&levels);
        let found = distances(graph, &Turns::Ranks(&ranks), wanted);
        let better = best
            .as_ref()
            .is_none_or(|(best, ..)| (found.missing, found.sum) < (best.missing, best.sum));
        if better {
            best = Some((found, ranks, how));
        }
        if let (Some((best, ..)), true) = (&best, given(topology).is_some())
            && best.missing == 0
        {
            break;
        }
    }
    match best {
        Some((found, ranks, how)) => (found, Some(ranks), how),
        None => (distances(graph, &Turns::Ranks(&[]), wanted), None, ""),
    }
}

/// Place of each switch when they are sorted by level and number.
fn ranks(levels: &[u32]) -> Vec<u32> {
    let mut sorted: Vec<usize> = (0..levels.len()).collect();
    sorted.sort_by_key(|switch| (levels[*switch], *switch));
    let mut ranks = vec![0; levels.len()];
    for (rank, switch) in sorted.into_iter().enumerate() {
        ranks[switch] = rank as u32;
    }
    ranks
}

/// Levels of the topology, if each switch has one.
fn given(topology: &Topology) -> Option<Vec<u32>> {
    let levels = topology
        .switches()
        .iter()
        .map(|switch| switch.level.map(u32::from));
    levels
        .collect::<Option<Vec<_>>>()
        .filter(|levels| !levels.is_empty())
}

/// Distances from the nearest of some switches.
fn from(graph: &Graph, roots: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut far = vec![NONE; graph.switches];
    let mut queue: VecDeque<usize> = roots.collect();
    queue.iter().for_each(|root| far[*root] = 0);
    while let Some(switch) = queue.pop_front() {
        for channel in graph.out[switch].into_iter().filter(|it| *it != NONE) {
            let next = graph.head[channel as usize] as usize;
            if next < graph.switches && far[next] == NONE {
                far[next] = far[switch] + 1;
                queue.push_back(next);
            }
        }
    }
    far
}

/// The farther from any node, the higher.
fn heights(graph: &Graph, wanted: &[bool]) -> Vec<u32> {
    let with_nodes = wanted.iter().enumerate().filter(|(_, it)| **it);
    let far = from(graph, with_nodes.map(|(switch, _)| switch));
    let links = |switch: usize| graph.out[switch].iter().filter(|it| **it != NONE).count() as u32;
    let level = |(switch, far): (usize, &u32)| {
        // Of the same height, more links are higher.
        (u32::from(u16::MAX) - (*far).min(u16::MAX.into())) * 32 + 16 - links(switch)
    };
    far.iter().enumerate().map(level).collect()
}

/// Distances from a root in the middle of each connected part.
fn depths(graph: &Graph) -> Vec<u32> {
    let mut depths = vec![NONE; graph.switches];
    while let Some(first) = depths.iter().position(|depth| *depth == NONE) {
        let reached = from(graph, core::iter::once(first));
        let part: Vec<usize> = (0..graph.switches)
            .filter(|at| reached[*at] != NONE)
            .collect();
        // Of large parts some, so that it stays fast.
        let step = part.len().div_ceil(64);
        let middle = part.iter().step_by(step).min_by_key(|root| {
            let far = from(graph, core::iter::once(**root));
            let far = part.iter().map(|at| u64::from(far[*at]));
            (far.clone().max(), far.sum::<u64>())
        });
        let far = from(graph, middle.copied().into_iter());
        part.iter().for_each(|at| depths[*at] = far[*at]);
    }
    depths
}

/// A ring in a graph, given by what follows each vertex.
pub(super) fn cycle(next: &[Vec<u32>]) -> Option<Vec<u32>> {
    // 0 new, 1 on the way, 2 done.
    let mut state = vec![0u8; next.len()];
    for start in 0..next.len() {
        let mut way: Vec<(u32, usize)> = Vec::new();
        if state[start] == 0 {
            state[start] = 1;
            way.push((start as u32, 0));
        }
        while let Some((at, tried)) = way.last_mut() {
            let (vertex, place) = (*at, *tried);
            *tried += 1;
            match next[vertex as usize].get(place) {
                None => {
                    state[vertex as usize] = 2;
                    way.pop();
                }
                Some(&to) if state[to as usize] == 1 => {
                    let ring = way.iter().map(|(at, _)| *at).skip_while(|at| *at != to);
                    return Some(ring.collect());
                }
                Some(&to) => {
                    if state[to as usize] == 0 {
                        state[to as usize] = 1;
                        way.push((to, 0));
                    }
                }
            }
        }
    }
    None
}

/// The largest flow from the first half of the nodes to the second half, a unit for each link.
pub(crate) fn bisection(topology: &Topology) -> usize {
    let graph = Graph::new(topology, &[]);
    let vertices = graph.switches + usize::from(topology.nodes());
    let half = usize::from(topology.nodes()) / 2;
    let mut out: Vec<Vec<u32>> = vec![Vec::new(); vertices];
    for (channel, tail) in graph.tail.iter().enumerate() {
        out[*tail as usize].push(channel as u32);
    }
    // Whether a channel has a unit left; its other direction gets one more when it is used.
    let mut left: Vec<u8> = vec![1; graph.head.len()];
    let mut flow = 0;
    loop {
        let mut came = vec![NONE; vertices];
        let mut queue: VecDeque<usize> = (0..half).map(|node| graph.switches + node).collect();
        let mut seen = vec![false; vertices];
        queue.iter().for_each(|vertex| seen[*vertex] = true);
        let mut found = None;
        while let (Some(at), None) = (queue.pop_front(), found) {
            for &channel in out[at]
                .iter()
                .filter(|channel| left[**channel as usize] > 0)
            {
                let to = graph.head[channel as usize] as usize;
                if !seen[to] {
                    seen[to] = true;
                    came[to] = channel;
                    queue.push_back(to);
                    if to >= graph.switches + half {
                        found = Some(to);
                    }
                }
            }
        }
        let Some(mut at) = found else { return flow };
        flow += 1;
        while came[at] != NONE {
            let channel = came[at] as usize;
            left[channel] -= 1;
            left[channel ^ 1] += 1;
            at = graph.tail[channel] as usize;
        }
    }
}
