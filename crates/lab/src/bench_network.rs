// SPDX-License-Identifier: Apache-2.0
//! The measurements of `ropewalk bench network`: scaling up to 1024 nodes, small messages beside
//! bulk, and what losslessness buys.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ropewalk_console::failure::Failure;
use ropewalk_sim::net::{CYCLE_NS, Config, NetResult, Transport, Workload, run};
use ropewalk_wire::switch::Topology;
use ropewalk_wire::switch::topology::{Wire, generate};
use serde::Serialize;

use crate::commands::sim_network::Latency;

/// Threads that measure.
const THREADS: usize = 2;

/// A size of the scaling curve.
#[derive(Debug, Clone, Serialize)]
pub struct ScaleRow {
    /// all-to-all or allreduce.
    pub workload: &'static str,
    /// Nodes of the fat tree.
    pub nodes: u16,
    /// Its switches.
    pub switches: usize,
    /// Bytes that each node sends to each other one, or reduces.
    pub bytes: u64,
    /// Packets, answers included.
    pub packets: u64,
    /// Until it was done.
    pub time_us: f64,
    /// Of a node, on average.
    pub throughput: f64,
    /// The busiest link.
    pub busiest_link: f64,
}

/// Small messages through two switches.
#[derive(Debug, Clone, Serialize)]
pub struct SmallRow {
    /// Nodes of each half that send bulk.
    pub bulk: u16,
    /// Share of the link between the switches that was used.
    pub busiest_link: f64,
    /// Of the small messages.
    pub latency_cycles: Latency,
}

/// The same traffic over one kind of links.
#[derive(Debug, Clone, Serialize)]
pub struct LossRow {
    /// lossless or lossy.
    pub transport: &'static str,
    /// Of all links.
    pub ber: f64,
    /// Share of packets lost besides.
    pub loss: f64,
    /// Of a node.
    pub throughput: f64,
    /// Of the packets.
    pub latency_cycles: Latency,
    /// Replays of links.
    pub replays: u64,
    /// Packets that sources sent again.
    pub retransmissions: u64,
}

/// Uniform traffic at the full rate.
#[derive(Debug, Clone, Serialize)]
pub struct UniformRow {
    /// Nodes around one switch.
    pub nodes: u16,
    /// Words of memory of each class.
    pub memory_words: u16,
    /// Of a node.
    pub throughput: f64,
}

/// All of it.
#[derive(Debug, Clone, Serialize)]
pub struct Bench {
    /// Every packet of every run came once.
    pub ok: bool,
    /// Of everything random.
    pub seed: u64,
    /// Fewer packets.
    pub quick: bool,
    /// Scaling.
    pub scaling: Vec<ScaleRow>,
    /// Small messages beside bulk.
    pub small: Vec<SmallRow>,
    /// What losslessness buys.
    pub losslessness: Vec<LossRow>,
    /// Load that each node wanted to send there.
    pub load: f64,
    /// Uniform traffic.
    pub uniform: Vec<UniformRow>,
}

/// One run of the bench.
struct Case {
    what: String,
    config: Config,
}

fn named(name: &str, ber: f64) -> Result<Topology, Failure> {
    let wire = Wire {
        ber,
        ..Wire::default()
    };
    generate::generate(name, wire).map_err(|problem| Failure::BadInput(problem.to_string()))
}

/// Runs the cases, the first ones first, on two threads; gives the results in their order.
fn run_all(cases: &[Case], say: &(dyn Fn(&str) + Sync)) -> Result<Vec<NetResult>, Failure> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![None; cases.len()]);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(at) else { break };
                    say(&case.what);
                    let result = run(&case.config, &mut |_| {});
                    results.lock()[at] = Some(result);
                }
            });
        }
    });
    let results = results.into_inner().into_iter().flatten();
    results
        .map(|result| result.map_err(|error| Failure::BadInput(error.to_string())))
        .collect()
}

fn scaling(quick: bool, seed: u64) -> Result<Vec<Case>, Failure> {
    let sizes: &[u16] = if quick {
        &[128, 54, 16, 8]
    } else {
        &[1024, 432, 128, 54, 16, 8]
    };
    let mut cases = Vec::new();
    for nodes in sizes {
        for workload in [Workload::AllToAll, Workload::Allreduce] {
            let name = format!("fat-tree:{nodes}");
            let bytes = match workload {
                Workload::AllToAll => 1024,
                _ => 1024 * u64::from(*nodes),
            };
            cases.push(Case {
                what: format!("{name}, {}", workload.name()),
                config: Config {
                    workload,
                    bytes,
                    spread: true,
                    seed,
                    ..Config::new(named(&name, 0.0)?)
                },
            });
        }
    }
    Ok(cases)
}

fn small(quick: bool, seed: u64) -> Result<Vec<Case>, Failure> {
    let cases = [0, 1, 4].map(|bulk| {
        Ok(Case {
            what: format!("small messages beside bulk of {bulk}"),
            config: Config {
                workload: Workload::Priority,
                bulk,
                load: 1.0,
                cycles: if quick { 100_000 } else { 1_000_000 },
                seed,
                ..Config::new(named("chain:2x4", 0.0)?)
            },
        })
    });
    cases.into_iter().collect()
}

/// Load of the comparison.
const LOAD: f64 = 0.6;

fn losslessness(quick: bool, seed: u64) -> Result<Vec<Case>, Failure> {
    let rates: &[f64] = if quick {
        &[1e-12, 1e-8, 1e-6, 1e-5]
    } else {
        &[1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5]
    };
    let mut cases = Vec::new();
    let points = rates.iter().map(|ber| (*ber, 0.0)).chain([(0.0, 0.01)]);
    for (ber, loss) in points {
        for lossy in [false, true] {
            let transport = if lossy {
                Transport::Lossy {
                    loss,
                    timeout: None,
                }
            } else {
                Transport::Lossless
            };
            cases.push(Case {
                what: format!("BER {ber}, lossy {lossy}"),
                config: Config {
                    transport,
                    load: LOAD,
                    spread: true,
                    cycles: if quick { 30_000 } else { 200_000 },
                    seed,
                    limit: 50_000_000,
                    ..Config::new(named("fat-tree:16", ber)?)
                },
            });
        }
    }
    Ok(cases)
}

fn uniform(quick: bool, seed: u64) -> Result<Vec<Case>, Failure> {
    let cases = [126, 252, 504, 1008].map(|memory| {
        Ok(Case {
            what: format!("uniform traffic, {memory} words"),
            config: Config {
                load: 1.0,
                cycles: if quick { 30_000 } else { 200_000 },
                memory: [memory; 4],
                answers: false,
                seed,
                ..Config::new(named("star:8", 0.0)?)
            },
        })
    });
    cases.into_iter().collect()
}

/// Measures; `say` is told what is being measured.
///
/// # Errors
/// A topology has no tables.
pub fn measure(quick: bool, seed: u64, say: &(dyn Fn(&str) + Sync)) -> Result<Bench, Failure> {
    let parts = [
        scaling(quick, seed)?,
        small(quick, seed)?,
        losslessness(quick, seed)?,
        uniform(quick, seed)?,
    ];
    let ends: Vec<usize> = parts
        .iter()
        .scan(0, |at, part| {
            *at += part.len();
            Some(*at)
        })
        .collect();
    let cases: Vec<Case> = parts.into_iter().flatten().collect();
    let results = run_all(&cases, say)?;
    let all: Vec<(&Case, &NetResult)> = cases.iter().zip(&results).collect();
    let mut scaling: Vec<ScaleRow> = all[..ends[0]].iter().map(scale_row).collect();
    scaling.sort_by_key(|row| (row.workload, row.nodes));
    Ok(Bench {
        ok: results.iter().all(NetResult::ok),
        seed,
        quick,
        scaling,
        small: all[ends[0]..ends[1]]
            .iter()
            .map(|(case, result)| SmallRow {
                bulk: case.config.bulk,
                busiest_link: result.busiest(),
                latency_cycles: Latency::of(&result.classes[1].latency),
            })
            .collect(),
        losslessness: all[ends[1]..ends[2]].iter().map(loss_row).collect(),
        load: LOAD,
        uniform: all[ends[2]..]
            .iter()
            .map(|(case, result)| UniformRow {
                nodes: result.nodes,
                memory_words: case.config.memory[3],
                throughput: result.throughput(),
            })
            .collect(),
    })
}

fn scale_row((case, result): &(&Case, &NetResult)) -> ScaleRow {
    ScaleRow {
        workload: case.config.workload.name(),
        nodes: result.nodes,
        switches: case.config.topology.switches().len(),
        bytes: case.config.bytes,
        packets: result.delivered(),
        time_us: result.cycles as f64 * CYCLE_NS / 1e3,
        throughput: result.throughput(),
        busiest_link: result.busiest(),
    }
}

fn loss_row((case, result): &(&Case, &NetResult)) -> LossRow {
    let (transport, loss) = match case.config.transport {
        Transport::Lossless => ("lossless", 0.0),
        Transport::Lossy { loss, .. } => ("lossy", loss),
    };
    let lossless = transport == "lossless";
    LossRow {
        transport,
        ber: case.config.topology.links()[0].ber,
        loss,
        throughput: result.throughput(),
        latency_cycles: Latency::of(&result.classes[usize::from(case.config.class)].latency),
        replays: if lossless { result.errors() } else { 0 },
        retransmissions: result.retransmissions,
    }
}
