// SPDX-License-Identifier: Apache-2.0
//! A ring allreduce: the program of each node has a vector, and at the end the sum of all of them.
//! Nodes, links and switches are the real RTL, simulated, and their lanes flip bits.
//!
//! ```text
//! allreduce [TOPOLOGY [BER]]     star:4 and 1e-6; TOPOLOGY as in `ropewalk sim stack`
//! ```
//!
//! The vector is cut into a part for each node. In each of 2 (N - 1) steps a node sends a part to
//! the next one: first with what it has added up, then with what is complete. Parts come to a
//! place of their own for each step, and behind each a notification: for that the receiver waits.

use ropewalk_rdma::simulated::{LinkFaults, LinkResult, MemoryConfig, Simulated, StackConfig};
use ropewalk_rdma::{Buffer, Engine, Notify, Options, Page, Remote, Rights, Start, Window, regs};
use ropewalk_wire::switch::topology::Wire;
use ropewalk_wire::switch::topology::generate::generate;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Numbers of a part, of 8 bytes.
const NUMBERS: usize = 1024;
const BYTES: u64 = 8 * NUMBERS as u64;
const TIME: Duration = Duration::from_secs(300);

/// What a run has come to.
pub(crate) struct Outcome {
    pub cycles: u64,
    pub links: Vec<LinkResult>,
    /// Of the engines of all nodes.
    pub retransmissions: u64,
}

/// What a node has of its own: places where parts come, one for each step, and behind them the
/// notifications; and places from which they go.
struct Node {
    page: Page,
    inbox: Buffer,
    outbox: Window,
}

impl Node {
    fn new(engine: &Engine, steps: u64) -> Result<Self> {
        let page = engine.open(0, TIME)?;
        let bytes = steps * (BYTES + 64);
        let inbox = page.window(bytes, Rights::BOTH)?.buffer(bytes, 64)?;
        let outbox = page.window(steps * BYTES, Rights::READ)?;
        Ok(Self {
            page,
            inbox,
            outbox,
        })
    }

    /// Where the notification of a step comes, from the first byte of the inbox.
    fn bell(steps: u64, step: u64) -> u64 {
        steps * BYTES + 64 * step
    }

    /// The program: `vector` becomes the sum of those of all nodes. `next` is where the inbox of
    /// the next node begins.
    fn allreduce(&self, number: usize, next: Remote, vector: &mut [u64]) -> Result<()> {
        let nodes = vector.len() / NUMBERS;
        let steps = 2 * (nodes as u64 - 1);
        let part = |which: usize| which % nodes * NUMBERS..(which % nodes + 1) * NUMBERS;
        for step in 0..steps {
            let sent = number + 2 * nodes - step as usize;
            let mut source = self.outbox.buffer(BYTES, 64)?;
            let bytes: Vec<u8> = (vector[part(sent)].iter())
                .flat_map(|value| value.to_le_bytes())
                .collect();
            source.write(0, &bytes)?;
            let at = |place: u64| Remote::new(next.node(), next.address() + place);
            let options = Options {
                notify: Some(Notify {
                    at: at(Self::bell(steps, step))?,
                    value: Some(step + 1),
                }),
                ..Options::default()
            };
            let to = at(step * BYTES)?;
            let mut transfer = self.page.write(&Arc::new(source), 0..BYTES, to, &options)?;
            let came = self.wait(steps, step)?;
            for (here, there) in vector[part(sent + nodes - 1)].iter_mut().zip(came) {
                *here = if step + 1 < nodes as u64 {
                    here.wrapping_add(there)
                } else {
                    there
                };
            }
            transfer.wait(TIME)?;
        }
        Ok(())
    }

    /// The part that comes in a step.
    fn wait(&self, steps: u64, step: u64) -> Result<impl Iterator<Item = u64>> {
        let begin = Instant::now();
        let mut bell = [0; 8];
        while u64::from_le_bytes(bell) != step + 1 {
            if begin.elapsed() > TIME {
                return Err(format!("nothing came in step {step}").into());
            }
            self.page.collect()?;
            self.inbox.read(Self::bell(steps, step), &mut bell)?;
        }
        let mut part = vec![0; BYTES as usize];
        self.inbox.read(step * BYTES, &mut part)?;
        let numbers: Vec<u64> = (part.chunks_exact(8))
            .map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
            .collect();
        Ok(numbers.into_iter())
    }
}

/// A number of a node's vector.
fn number(node: usize, at: usize) -> u64 {
    (node as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ at as u64
}

/// All nodes at once, each with its program in a thread.
pub(crate) fn run(name: &str, ber: f64, faults: Vec<LinkFaults>, seed: u64) -> Result<Outcome> {
    let wire = Wire {
        ber,
        ..Wire::default()
    };
    let config = StackConfig {
        topology: generate(name, wire)?,
        faults,
        mark: None,
        pages: 2,
        seed,
    };
    let devices = Simulated::stack(&config, MemoryConfig::default())?;
    let clock = devices[0].clone();
    let engines = (devices.into_iter().enumerate())
        .map(|(node, device)| {
            let start = Start {
                node: node as u16,
                timeout: Some(config.patience()),
                ..Start::default()
            };
            Ok(Engine::start(device, &start, TIME)?)
        })
        .collect::<Result<Vec<_>>>()?;
    let count = engines.len();
    let steps = 2 * (count as u64 - 1);
    let nodes =
        (engines.iter().map(|engine| Node::new(engine, steps))).collect::<Result<Vec<_>>>()?;
    std::thread::scope(|scope| {
        let programs: Vec<_> = (nodes.iter().enumerate())
            .map(|(this, node)| {
                let next = nodes[(this + 1) % count].inbox.address(0);
                scope.spawn(move || -> Result<()> {
                    let mut vector: Vec<u64> =
                        (0..count * NUMBERS).map(|at| number(this, at)).collect();
                    node.allreduce(this, next?, &mut vector)?;
                    let sum =
                        |at| (0..count).fold(0, |sum: u64, of| sum.wrapping_add(number(of, at)));
                    if (vector.iter().enumerate()).any(|(at, value)| *value != sum(at)) {
                        return Err(format!("node {this} has a wrong sum").into());
                    }
                    Ok(())
                })
            })
            .collect();
        programs
            .into_iter()
            .try_for_each(|program| program.join().unwrap())
    })?;
    let again = |engine: &Engine| engine.register(&regs::observe::REPEATED);
    Ok(Outcome {
        cycles: clock.now()?,
        links: clock.links()?,
        retransmissions: engines
            .iter()
            .map(again)
            .sum::<std::result::Result<u64, _>>()?,
    })
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("star:4", String::as_str);
    let ber = arguments.get(1).map_or(Ok(1e-6), |text| text.parse())?;
    let outcome = run(name, ber, Vec::new(), 1)?;
    println!("all nodes have the sum, after {} cycles", outcome.cycles);
    println!("engines repeated {} packets", outcome.retransmissions);
    for link in &outcome.links {
        let flipped: u64 = link.bit_errors.iter().sum();
        let replays: u64 = link.ends.iter().map(|end| end.replays).sum();
        let name = link.names.join(" - ");
        println!("{name:12} {flipped:3} bits flipped, {replays:3} replays");
    }
    Ok(())
}
