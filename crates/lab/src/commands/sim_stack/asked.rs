// SPDX-License-Identifier: Apache-2.0
//! What `ropewalk sim stack` is asked for.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_sim::rdma::{Distribution, Workload};
use ropewalk_sim::stack::{CLOCK_HZ, LANES, LINK_CYCLES, LinkFaults, NODES, StackConfig, StackRun};
use ropewalk_sim::{Cut, CutKind};
use ropewalk_wire::switch::Topology;

use super::super::sim_network;
use crate::cli::{SimStack, Span};
use crate::source::read_file;

/// Line rate of a lane, bit/s.
const LINE_RATE: f64 = 28e9;
/// Bytes of the file that is drawn if none is given.
const DRAWN: usize = 1 << 20;
/// Delay of a cable, ns per metre.
const NS_PER_METRE: f64 = 5.0;

/// The file and its name.
pub(super) fn file(options: &SimStack, seed: u64) -> Result<(Vec<u8>, String), Failure> {
    let Some(path) = &options.file else {
        let mut bytes = vec![0; DRAWN];
        Xoshiro256PlusPlus::seed_from_u64(seed ^ 0xf11e).fill_bytes(&mut bytes);
        return Ok((bytes, "a file that is drawn".to_owned()));
    };
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok((read_file(path)?, name.to_string_lossy().into_owned()))
}

pub(super) fn settle(options: &SimStack, seed: u64) -> Result<StackRun, Failure> {
    if options.outstanding > 128 {
        return Err(Failure::BadInput(format!(
            "--outstanding {}; accepted: 1 to 128",
            options.outstanding
        )));
    }
    let made = sim_network::topology(&options.topology)?;
    if !(2..=NODES).contains(&made.nodes()) {
        return Err(Failure::BadInput(format!(
            "{}: {} nodes; accepted: 2 to {NODES}",
            made.name,
            made.nodes()
        )));
    }
    let delay = options
        .cable
        .map(|metres| LINK_CYCLES + (metres * NS_PER_METRE * CLOCK_HZ / 1e9).round() as u32);
    let topology = made
        .with_wires(delay, options.ber)
        .map_err(|problem| Failure::BadInput(problem.to_string()))?;
    let faults = faults(options, &topology)?;
    let stack = StackConfig {
        topology,
        faults,
        mark: options.mark,
        pages: 2,
        seed,
    };
    Ok(StackRun {
        stack,
        workload: Workload {
            transfers: options.transfers,
            sizes: (options.size.min, options.size.max),
            distribution: Distribution::Logarithmic,
            priorities: 4,
            reads: options.reads,
            inline: true,
            notify: 0.2,
            class: None,
            outstanding: options.outstanding,
            one_way: false,
            local: 0.0,
        },
        timeout: options.timeout,
    })
}

/// The faults of all links.
fn faults(options: &SimStack, topology: &Topology) -> Result<Vec<LinkFaults>, Failure> {
    let links = topology.links();
    let mut all = vec![LinkFaults::default(); links.len()];
    let find = |name: &str| {
        let ends = |at: usize| [links[at].a, links[at].b].map(|end| end.to_string());
        let found = (0..links.len()).find(|at| ends(*at).iter().any(|end| end == name));
        found.ok_or_else(|| {
            let ends: Vec<_> = (0..links.len()).map(|at| ends(at).join(" - ")).collect();
            Failure::BadInput(format!(
                "no link ends at {name}; there are {}",
                ends.join(", ")
            ))
        })
    };
    for cut in &options.cut {
        let at = cut.link.as_deref().map_or(Ok(0), find)?;
        let (start_word, end) = words(cut.span);
        let of_lane = Cut {
            start_word,
            words: end - start_word,
            kind: CutKind::Noise,
        };
        let lanes = cut.lane.map_or(0..LANES, |lane| {
            let lane = usize::from(lane);
            lane..lane + 1
        });
        all[at].cuts.extend(lanes.map(|lane| (lane, of_lane)));
    }
    for swap in &options.swap {
        let at = find(&swap.link)?;
        all[at].swaps.push(words(swap.span));
    }
    for faults in &mut all {
        faults.cuts.sort_by_key(|(_, cut)| cut.start_word);
    }
    Ok(all)
}

/// Words of a lane, from one to before another one.
fn words(span: Span) -> (u64, u64) {
    let words = |ns: f64| (ns * LINE_RATE / 64e9).round() as u64;
    let start = words(span.start_ns);
    (start, start + words(span.length_ns).max(1))
}

/// What is run: in short, and the rest.
pub(super) fn heading(
    options: &SimStack,
    config: &StackConfig,
    file: &[u8],
    name: &str,
) -> [String; 2] {
    let topology = &config.topology;
    let switches = match topology.switches().len() {
        0 => "no switch".to_owned(),
        1 => "a switch".to_owned(),
        count => format!("{count} switches"),
    };
    let title = format!(
        "{} nodes and {switches}, links of four lanes: {name}, {}, beside {} transfers",
        topology.nodes(),
        format::bytes(file.len() as u64),
        format::thousands(options.transfers)
    );
    let mut more = vec![topology.name.clone()];
    let delays = topology.links().iter().map(|link| link.delay);
    more.push(format!(
        "links of up to {} cycles",
        delays.max().unwrap_or(0)
    ));
    let worst = topology
        .links()
        .iter()
        .map(|link| link.ber)
        .fold(0.0, f64::max);
    if worst > 0.0 {
        more.push(format!("BER {worst:e}"));
    }
    let during = |span: Span| {
        let (start, length) = (span.start_ns / 1e3, span.length_ns / 1e3);
        format!("at {start} us for {length} us")
    };
    for cut in &options.cut {
        let lane = cut
            .lane
            .map_or("all lanes".to_owned(), |lane| format!("lane {lane}"));
        let link = cut
            .link
            .as_ref()
            .map_or(String::new(), |link| format!(" of {link}"));
        more.push(format!("{lane}{link} cut {}", during(cut.span)));
    }
    for swap in &options.swap {
        let (link, during) = (&swap.link, during(swap.span));
        more.push(format!("lanes 0 and 1 of {link} exchanged {during}"));
    }
    more.push(format!("seed {}", config.seed));
    [title, more.join(", ")]
}
