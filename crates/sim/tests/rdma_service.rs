// SPDX-License-Identifier: Apache-2.0
//! Quality of service on the line: what a class and a page get beside others that always have
//! something to send.

use ropewalk_sim::rdma::{Limits, MemoryConfig, Model, NetworkConfig, Pair, PairConfig, Rights};
use ropewalk_sim::testing;
use ropewalk_wire::rdma::{Class, Descriptor, Work, regs};

const MEMORY: u64 = 1 << 20;
/// Each stream has a part of the destination.
const PART: u64 = MEMORY / 4;
/// Words of the line that are payload.
const PAYLOAD: f64 = 16.0 / 18.0;

/// Transfers of one kind, from channels of one page, each posted again when it is over.
struct Stream {
    page: u64,
    channels: std::ops::Range<u64>,
    class: Class,
    bytes: u32,
}

struct Line {
    pair: Pair,
    streams: Vec<Stream>,
}

impl Line {
    fn new(seed: u64, streams: Vec<Stream>) -> Self {
        let config = PairConfig {
            model: Model::default(),
            memory: MemoryConfig {
                bytes: MEMORY as usize,
                ..MemoryConfig::default()
            },
            network: NetworkConfig {
                wires: true,
                ..NetworkConfig::default()
            },
            seed,
        };
        let mut pair = Pair::new(&config).unwrap();
        let limits = Limits {
            timeout: 100_000,
            retries: 7,
            read_timeout: 1000,
        };
        let rights = Rights {
            read: true,
            write: true,
        };
        for node in 0..2 {
            pair.begin(node, &limits).unwrap();
            for page in 0..2 {
                pair.window(node, page, 0, 0..=MEMORY - 1, rights).unwrap();
            }
        }
        pair.node(1).memory.watch();
        let mut line = Self { pair, streams };
        for stream in 0..line.streams.len() {
            for channel in line.streams[stream].channels.clone() {
                line.post(stream, channel);
            }
        }
        line
    }

    fn post(&mut self, stream: usize, channel: u64) {
        let Stream {
            page, class, bytes, ..
        } = self.streams[stream];
        let descriptor = Descriptor {
            work: Work::Write {
                source: 64 * channel,
                size: bytes,
            },
            destination: (1 << 48) + PART * stream as u64,
            class,
            priority: 0,
            qos: 0,
            notification: None,
        };
        let lines = descriptor.encode().unwrap();
        let place = (page << 12) + 32 * channel;
        self.pair.node(0).start_write(place, &lines.first).unwrap();
    }

    fn set(&mut self, register: u32, value: u64) {
        self.pair.write_register(0, register, value as u32).unwrap();
    }

    /// Words a cycle that each stream brings to the memory of the other node, after a while.
    fn rates(&mut self, cycles: u64) -> Vec<f64> {
        self.run(20_000);
        self.run(cycles)
            .into_iter()
            .map(|words| words as f64 / cycles as f64)
            .collect()
    }

    fn run(&mut self, cycles: u64) -> Vec<u64> {
        let mut words = vec![0; self.streams.len()];
        self.pair.node(1).memory.written().for_each(drop);
        let end = self.pair.now() + cycles;
        let (mut page, mut polled) = (0, None);
        while self.pair.now() < end {
            if polled.is_none() {
                page ^= 1;
                polled = Some(
                    self.pair
                        .node(0)
                        .start_read(0x2400 | page << 12, 16)
                        .unwrap(),
                );
            }
            self.pair.step();
            for written in self.pair.node(1).memory.written() {
                words[(written.address / PART) as usize] += 1;
            }
            let done: Vec<_> = self.pair.node(0).done().collect();
            for done in done {
                let states = done.result.unwrap();
                if Some(done.ticket) != polled {
                    continue;
                }
                polled = None;
                for channel in 0..64 {
                    let state = states >> (2 * channel) & 3;
                    assert_ne!(state, 3, "a transfer that failed");
                    if state == 2 {
                        let owner = |it: &Stream| it.page == page && it.channels.contains(&channel);
                        let stream = self.streams.iter().position(owner).unwrap();
                        self.post(stream, channel);
                    }
                }
            }
        }
        words
    }
}

fn weighted(small: u64, one_path: u64, four_paths: u64) -> u64 {
    let word = regs::service::WEIGHTED.mask();
    let word = regs::service::WEIGHT_SMALL.set(word, small % 16).unwrap();
    let word = regs::service::WEIGHT_ONE_PATH.set(word, one_path % 16);
    regs::service::WEIGHT_FOUR_PATHS
        .set(word.unwrap(), four_paths % 16)
        .unwrap()
}

/// Bulk, beside small transfers that always fill the line: nothing with strict priority, its weight
/// with weighted service.
#[test]
fn bulk_beside_a_small_class_that_fills_the_line() {
    let seed = testing::seed("bulk_beside_a_small_class_that_fills_the_line");
    let stream = |page, channels, class, bytes| Stream {
        page,
        channels,
        class,
        bytes,
    };
    let mut line = Line::new(
        seed,
        vec![
            stream(0, 0..40, Class::Small, 2048 + 1024 * (seed % 4) as u32),
            stream(0, 40..64, Class::OnePath, 16_384),
            stream(1, 0..32, Class::FourPaths, 20_480),
        ],
    );
    let strict = line.rates(20_000);
    assert!(
        strict[0] > 0.97 * PAYLOAD && strict[1] + strict[2] < 0.01,
        "{strict:?}"
    );
    for turn in 0..2u32 {
        let weights = [11, 7, 3].map(|shift| 1 + (seed >> (shift + 5 * turn) & 7));
        line.set(
            regs::SERVICE.offset,
            weighted(weights[0], weights[1], weights[2]),
        );
        let found = line.rates(100_000);
        let all: f64 = found.iter().sum();
        println!("weights {weights:?}: {found:?}");
        assert!(all > 0.97 * PAYLOAD, "{found:?}");
        for (found, weight) in found.into_iter().zip(weights) {
            let wanted = weight as f64 / weights.iter().sum::<u64>() as f64;
            // 5 % of it, and the block that is just under way.
            let block = 320.0 / 100_000.0 / all;
            assert!((found / all - wanted).abs() <= 0.05 * wanted + block);
        }
    }
}

/// A page with a rate in a class has it when it is alone, and never more; what it leaves goes to
/// others of the same class.
#[test]
fn a_page_with_a_rate() {
    let seed = testing::seed("a_page_with_a_rate");
    let (one_path, four_paths) = (regs::page_rate::ONE_PATH, regs::page_rate::FOUR_PATHS);
    for (class, field, other) in [
        (Class::OnePath, one_path, four_paths),
        (Class::FourPaths, four_paths, one_path),
    ] {
        let stream = |page, channels| Stream {
            page,
            channels,
            class,
            bytes: 16_384,
        };
        let interval = 64 + seed % 64;
        let limit = 16.0 / interval as f64;
        let limited = regs::PAGE_RATE.offset + 4;
        for others in [0, 24] {
            let mut line = Line::new(seed, vec![stream(0, 0..others), stream(1, 0..4)]);
            // The rate of the other class, the slowest that there is, is none of this one's.
            line.set(limited, field.set(other.mask(), interval).unwrap());
            let found = line.rates(60_000);
            println!("interval {interval}: {found:?}");
            assert!(found[1] < 1.05 * limit, "{found:?}, limit {limit}");
            if others != 0 {
                assert!(found[0] + found[1] > 0.97 * PAYLOAD, "{found:?}");
                continue;
            }
            assert!(found[1] > 0.95 * limit, "{found:?}, limit {limit}");
            line.set(limited, 0);
            let found = line.rates(20_000);
            assert!(found[1] > 0.9 * PAYLOAD, "{found:?}");
        }
    }
}
