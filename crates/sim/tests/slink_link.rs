// SPDX-License-Identifier: Apache-2.0
//! Two verilated SLink ends with memories: every mode, errors on the lanes, and what the run has to
//! find.

use ropewalk_sim::CutKind;
use ropewalk_sim::slink::{
    A, Ask, B, Change, Coding, EndReset, LineCut, LineMode, Model, Operation, Outcome, Pair,
    PairConfig, Rate, Registers, RunConfig, RunResult, Switched, program, run,
};
use ropewalk_sim::testing::seed;
use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::regs;

fn config(seed: u64) -> RunConfig {
    RunConfig {
        lanes: Lanes::X1,
        words: 64,
        operations: 3,
        seed,
        ..RunConfig::default()
    }
}

fn go(config: &RunConfig) -> RunResult {
    run(config, &mut |_| ()).unwrap()
}

#[test]
fn every_mode_arrives_whole() {
    let seed = seed("modes");
    let mut lengths = [1, 2, 63, 64, 257, 300].into_iter().cycle();
    for read in [false, true] {
        for crc in [false, true] {
            for lanes in Lanes::ALL {
                for rate in [Rate::Slow, Rate::Fast] {
                    let config = RunConfig {
                        read,
                        crc,
                        lanes,
                        rate,
                        words: lengths.next().unwrap(),
                        skew: 160,
                        ..config(seed)
                    };
                    let result = go(&config);
                    assert!(result.ok(), "{config:?}: {result:?}");
                    let counts = (result.operations, result.done, result.retries);
                    assert_eq!(counts, (3, 3, 0), "{config:?}: {result:?}");
                }
            }
        }
    }
}

#[test]
#[ignore = "long: every size in every mode, half a megabyte among them"]
fn every_mode_and_size_arrives_whole() {
    let seed = seed("sizes");
    for read in [false, true] {
        for crc in [false, true] {
            for lanes in Lanes::ALL {
                for words in [1, 2, 63, 64, 512, 65_536] {
                    let config = RunConfig {
                        read,
                        crc,
                        lanes,
                        words,
                        skew: 160,
                        ..config(seed)
                    };
                    let result = go(&config);
                    assert!(result.ok(), "{config:?}: {result:?}");
                    assert_eq!(
                        (result.done, result.retries),
                        (3, 0),
                        "{config:?}: {result:?}"
                    );
                }
            }
        }
    }
}

/// Operations side by side, of one end and of both, in every mode: exactly once, nothing elsewhere.
#[test]
fn several_operations_arrive_whole() {
    let seed = seed("several");
    let mut lengths = [1, 2, 63, 64, 300].into_iter().cycle();
    for outstanding in [1, 2, 4] {
        for read in [false, true] {
            for crc in [false, true] {
                let lanes = Lanes::ALL.into_iter();
                for (lanes, both) in lanes.zip([true, outstanding == 1, true]) {
                    let config = RunConfig {
                        outstanding,
                        read,
                        crc,
                        lanes,
                        both,
                        words: lengths.next().unwrap(),
                        operations: 11,
                        skew: 160,
                        ..config(seed)
                    };
                    let result = go(&config);
                    assert!(result.ok(), "{config:?}: {result:?}");
                    let expected = if both { 22 } else { 11 };
                    let counts = (result.operations, result.done, result.reported);
                    assert_eq!(counts, (expected, expected, 0), "{config:?}: {result:?}");
                }
            }
        }
    }
}

/// More of them under way hide the way there and back, until the line is full.
#[test]
fn several_operations_take_less_time() {
    let seed = seed("faster");
    let span = |outstanding, words| {
        let config = RunConfig {
            outstanding,
            read: true,
            lanes: Lanes::X4,
            words,
            operations: 40,
            both: outstanding == 1,
            delay: 40,
            ..config(seed)
        };
        let result = go(&config);
        assert!(result.ok(), "{result:?}");
        let operations = result.operations as f64;
        let words = result.packets.words as f64 / operations;
        ((result.span_fs.unwrap() / 4_000_000) as f64 / 40.0, words)
    };
    let ((one, _), (two, _), (four, packet)) = (span(1, 64), span(2, 64), span(4, 64));
    assert!(two < 0.62 * one && four < 0.62 * two, "{one} {two} {four}");
    assert!(
        four >= packet,
        "{four} is less than the line takes, {packet}"
    );
}

/// Runs it; `operations` operations end, correct or reported, nothing twice, nothing elsewhere.
fn all_end(config: &RunConfig, operations: u64) -> RunResult {
    let result = go(config);
    assert!(result.ok(), "{config:?}: {result:?}");
    assert_eq!(result.operations, operations, "{config:?}: {result:?}");
    let ended = result.done + result.reported;
    assert_eq!(ended, operations, "{config:?}: {result:?}");
    result
}

/// Wrong bits on all lanes in CRC mode: correct or told, nothing twice, nothing elsewhere.
fn noise(seed: u64, operations: u64) -> u64 {
    let mut retries = 0;
    for (read, lanes, words, ber) in [
        (false, Lanes::X1, 64, 1e-4),
        (true, Lanes::X4, 64, 1e-4),
        (false, Lanes::X4, 600, 1e-5),
        (true, Lanes::X2, 600, 1e-5),
        (false, Lanes::X2, 8, 1e-3),
    ] {
        let config = RunConfig {
            read,
            lanes,
            words,
            operations,
            ber,
            ..config(seed)
        };
        retries += all_end(&config, operations).retries;
    }
    retries
}

#[test]
fn with_errors_every_operation_is_correct_or_told() {
    // Of 20 times 5 000 bits at 1e-4 and as many of 48 000 at 1e-5 some are wrong.
    assert!(noise(seed("noise"), 20) > 0);
}

#[test]
#[ignore = "long: the same many times"]
fn with_errors_every_operation_is_correct_or_told_long() {
    noise(seed("noise"), 3000);
}

/// The same with several under way, of both ends.
fn noise_of_several(seed: u64, operations: u64) {
    for (outstanding, read, lanes, words, ber) in [
        (2, false, Lanes::X1, 64, 1e-4),
        (4, true, Lanes::X4, 64, 1e-4),
        (4, false, Lanes::X4, 300, 1e-5),
        (4, false, Lanes::X2, 8, 1e-3),
    ] {
        let config = RunConfig {
            outstanding,
            read,
            both: true,
            lanes,
            words,
            operations,
            ber,
            ..config(seed)
        };
        let result = all_end(&config, 2 * operations);
        assert!(result.bit_errors > 0, "{config:?}: {result:?}");
    }
}

#[test]
fn with_errors_every_one_of_several_operations_is_correct_or_told() {
    noise_of_several(seed("noise of several"), 20);
}

#[test]
#[ignore = "long: the same many times"]
fn with_errors_every_one_of_several_operations_is_correct_or_told_long() {
    noise_of_several(seed("noise of several"), 3000);
}

#[test]
fn without_codes_wrong_data_are_found() {
    // 320 000 bits at 1e-4: that all of them are right has a probability of e^-32.
    let config = RunConfig {
        crc: false,
        words: 512,
        operations: 8,
        ber: 1e-4,
        ..config(seed("wrong"))
    };
    let result = go(&config);
    assert!(result.wrong > 0 && !result.ok(), "{result:?}");
    // Headers are protected in every mode.
    assert_eq!(result.outside, 0, "{result:?}");
}

#[test]
fn the_program_is_told_what_it_may_not() {
    let config = PairConfig::default();
    let mut pair = Pair::new(&config, [vec![1; 8192], vec![2; 8192]]).unwrap();
    let mut operation = Operation {
        read: false,
        words: 8,
        lanes: Lanes::X4,
        crc: true,
        speed: config.speed.run(),
        local: 0,
        remote: 4,
    };
    let outcome = |pair: &mut Pair, operation: &Operation| {
        let status = program::execute(&mut pair.registers(A), false, operation).unwrap();
        assert!(pair.memory(B).take_writes().iter().all(|write| write.good));
        status.outcome()
    };
    // No address of a word; behind the memory; and one that is right.
    assert_eq!(outcome(&mut pair, &operation), Some(Outcome::Refused));
    pair.registers(B)
        .write(regs::WINDOW_LAST.offset, 0)
        .unwrap();
    operation.remote = 4096;
    assert_eq!(outcome(&mut pair, &operation), Some(Outcome::Refused));
    assert!(pair.memory(B).bytes().iter().all(|byte| *byte == 2));
    operation.remote = 0;
    assert_eq!(outcome(&mut pair, &operation), Some(Outcome::Done));
    assert_eq!(pair.memory(B).bytes()[..65], [&[1; 64][..], &[2]].concat());
    // There is no such register.
    let told = pair.registers(A).read(0x3c).unwrap_err().to_string();
    assert_eq!(told, "the core has no register at 0x3c for that");
}

/// Changes of the line's mode, 64b/66b and room for four operations take no cycle of a run that
/// does not use them: one simulator serves all.
#[test]
fn what_a_run_does_not_use_takes_no_cycle() {
    let seed = seed("unused");
    let mut lengths = [1, 63, 300].into_iter().cycle();
    for read in [false, true] {
        for crc in [false, true] {
            for lanes in Lanes::ALL {
                let all = RunConfig {
                    read,
                    crc,
                    lanes,
                    words: lengths.next().unwrap(),
                    ..config(seed)
                };
                let plain = RunConfig {
                    model: Model {
                        outstanding: 1,
                        switch: false,
                        ..Model::default()
                    },
                    ..all.clone()
                };
                let result = go(&all);
                assert!(result.ok(), "{all:?}: {result:?}");
                // Beside the one in which the core keeps what a start is made of.
                let seen = |result: &RunResult| {
                    let latency = result.latency.clone();
                    (result.up_fs, latency, result.packets)
                };
                assert_eq!(seen(&result), seen(&go(&plain)), "{all:?}");
            }
        }
    }
}

/// All modes in 64b/66b, one and several operations at a time.
#[test]
fn every_mode_arrives_whole_in_blocks() {
    let seed = seed("blocks");
    let mut cases = [(1, 1, false), (63, 4, false), (300, 2, true)]
        .into_iter()
        .cycle();
    for read in [false, true] {
        for crc in [false, true] {
            for lanes in Lanes::ALL {
                for rate in Rate::ALL {
                    let (words, outstanding, both) = cases.next().unwrap();
                    let config = RunConfig {
                        read,
                        crc,
                        lanes,
                        rate,
                        coding: Coding::Code64b66b,
                        words,
                        outstanding,
                        both,
                        operations: 5,
                        skew: 160,
                        ..config(seed)
                    };
                    let result = go(&config);
                    assert!(result.ok(), "{config:?}: {result:?}");
                    let expected = if both { 10 } else { 5 };
                    let counts = (result.operations, result.done, result.retries);
                    assert_eq!(counts, (expected, expected, 0), "{config:?}: {result:?}");
                    let share = result.bandwidth_gbps()
                        / (result.efficiency() * rate.gbps() * lanes.count() as f64);
                    assert!((share - 64.0 / 66.0).abs() < 1e-9, "{share}");
                }
            }
        }
    }
}

/// Wrong bits in 64b/66b, of which each becomes three: correct or told.
#[test]
fn with_errors_in_blocks_every_operation_is_correct_or_told() {
    let seed = seed("noise in blocks");
    for (read, outstanding, lanes, words, ber) in [
        (false, 1, Lanes::X1, 64, 1e-4),
        (true, 1, Lanes::X4, 300, 1e-5),
        (false, 4, Lanes::X2, 64, 1e-4),
        (true, 4, Lanes::X4, 64, 3e-5),
    ] {
        let config = RunConfig {
            read,
            outstanding,
            both: outstanding > 1,
            lanes,
            coding: Coding::Code64b66b,
            words,
            operations: 20,
            ber,
            ..config(seed)
        };
        let result = all_end(&config, if config.both { 40 } else { 20 });
        assert!(result.bit_errors > 0, "{config:?}: {result:?}");
    }
}

/// Clocks that differ and memories that pause, in both line codes: nothing is sent again.
#[test]
fn clocks_and_memories_of_their_own() {
    let seed = seed("clocks");
    let mut cases = [(300.0, 0.0), (-300.0, 0.5), (80.0, 0.8)]
        .into_iter()
        .cycle();
    for coding in [Coding::Code8b10b, Coding::Code64b66b] {
        for read in [false, true] {
            for (outstanding, both) in [(1, false), (4, true), (1, true)] {
                let (ppm, stall) = cases.next().unwrap();
                let config = RunConfig {
                    read,
                    coding,
                    lanes: Lanes::X4,
                    outstanding,
                    both,
                    words: 600,
                    operations: 6,
                    ppm,
                    stall,
                    ..config(seed)
                };
                let result = all_end(&config, if both { 12 } else { 6 });
                assert_eq!((result.reported, result.retries), (0, 0), "{config:?}");
            }
        }
    }
}

/// The same operations on buses of 128 bits, at addresses that are multiples of 8 only.
#[test]
fn wide_memories() {
    let seed = seed("wide");
    let mut lengths = [1, 2, 63, 300].into_iter().cycle();
    for coding in [Coding::Code8b10b, Coding::Code64b66b] {
        for read in [false, true] {
            for crc in [false, true] {
                for (outstanding, stall) in [(1, 0.0), (4, 0.3)] {
                    let config = RunConfig {
                        model: Model {
                            bus_bits: 128,
                            ..Model::default()
                        },
                        read,
                        crc,
                        coding,
                        lanes: Lanes::X4,
                        outstanding,
                        both: outstanding > 1,
                        words: lengths.next().unwrap(),
                        operations: 6,
                        stall,
                        ..config(seed)
                    };
                    let operations = if config.both { 12 } else { 6 };
                    let result = all_end(&config, operations);
                    assert_eq!(result.done, operations, "{config:?}: {result:?}");
                }
            }
        }
    }
}

/// The longest packet at the largest difference that the elastic buffer is made for.
#[test]
fn the_longest_packet_between_clocks_that_differ() {
    for ppm in [200.0, -200.0] {
        let config = RunConfig {
            words: 65_536,
            operations: 1,
            ppm,
            ..config(seed("long"))
        };
        let result = all_end(&config, 1);
        assert_eq!((result.done, result.retries), (1, 0), "{result:?}");
    }
}

fn us(us: u64) -> u64 {
    us * 1_000_000_000
}

/// Both ends ask for other modes in the midst of operations: each is done, once, and each change
/// ends in the mode that was asked for.
#[test]
fn modes_change_in_the_midst_of_operations() {
    let seed = seed("switch");
    let mode = |lanes, rate, coding| LineMode {
        rate,
        lanes,
        coding,
    };
    let ask = |end, at, mode| Ask {
        end,
        start_fs: us(at),
        mode,
    };
    let switches = vec![
        ask(A, 25, mode(Lanes::X2, Rate::Fast, Coding::Code64b66b)),
        ask(B, 60, mode(Lanes::X1, Rate::Slow, Coding::Code8b10b)),
        ask(A, 120, mode(Lanes::X4, Rate::Fast, Coding::Code8b10b)),
    ];
    for (outstanding, read, both) in [(1, false, false), (4, true, true), (2, false, true)] {
        let config = RunConfig {
            read,
            lanes: Lanes::X4,
            outstanding,
            both,
            operations: 120,
            words: 64,
            switches: switches.clone(),
            ..config(seed)
        };
        let result = all_end(&config, if both { 240 } else { 120 });
        assert_eq!(result.reported, 0, "{config:?}: {result:?}");
        let results: Vec<_> = result.switched.iter().map(|s| (s.end, s.result)).collect();
        let done = [A, B, A].map(|end| (end, Change::Done));
        assert_eq!(results, done, "{config:?}: {result:?}");
        assert_eq!(result.modes, Some([switches[2].mode; 2]));
    }
}

/// Both ends ask at about the same time: each learns how its own change went, and both are in the
/// mode of the last one that was done.
#[test]
fn both_ends_ask_at_once() {
    let seed = seed("at once");
    let mode = |lanes, coding| LineMode {
        rate: Rate::Fast,
        lanes,
        coding,
    };
    for apart_ns in [0, 100, 3000, 12_000] {
        let start_fs = us(25);
        let ask = |end, ns: u64, lanes, coding| Ask {
            end,
            start_fs: start_fs + ns * 1_000_000,
            mode: mode(lanes, coding),
        };
        let config = RunConfig {
            lanes: Lanes::X4,
            outstanding: 2,
            both: true,
            operations: 250,
            words: 64,
            switches: vec![
                ask(A, 0, Lanes::X2, Coding::Code64b66b),
                ask(B, apart_ns, Lanes::X1, Coding::Code8b10b),
            ],
            ..config(seed)
        };
        let result = all_end(&config, 500);
        assert_eq!(result.switched.len(), 2, "{apart_ns}: {result:?}");
        let done = |switched: &&Switched| switched.result == Change::Done;
        let others = result.switched.iter().filter(|switched| !done(switched));
        for other in others {
            assert_eq!(other.result, Change::Overruled, "{apart_ns}: {result:?}");
        }
        let last = result.switched.iter().rfind(done).unwrap();
        assert_eq!(
            result.modes,
            Some([last.wanted; 2]),
            "{apart_ns}: {result:?}"
        );
    }
}

/// Lanes are cut and ends are reset under operations of both ends: what is done is right, what is
/// not is reported, and the link comes back to its mode.
#[test]
fn cuts_and_resets_are_told_or_repaired() {
    let seed = seed("cuts");
    for (i, coding) in [Coding::Code8b10b, Coding::Code64b66b]
        .into_iter()
        .enumerate()
    {
        for (read, outstanding, both) in [(false, 1, false), (true, 4, true), (false, 4, true)] {
            let at = us(35) + (seed >> 8) % us(5);
            let cut = |direction, lane, start, kind| LineCut {
                direction,
                lane,
                start_fs: at + us(start),
                length_fs: us(1),
                kind,
            };
            let reset = |end, start| EndReset {
                end,
                start_fs: at + us(start),
                length_fs: us(1),
            };
            let config = RunConfig {
                read,
                coding,
                lanes: Lanes::X4,
                outstanding,
                both,
                operations: 60,
                words: 64,
                ppm: 100.0 * i as f64,
                cuts: vec![
                    cut(A, None, 0, CutKind::Noise),
                    cut(B, Some(2), 3, CutKind::Zero),
                ],
                resets: vec![reset(B, 10), reset(A, 20)],
                ..config(seed)
            };
            let result = all_end(&config, if both { 120 } else { 60 });
            let happened = (result.cut, result.resets, result.not_reached);
            assert_eq!(happened, (2, 2, 0), "{config:?}: {result:?}");
            assert!(result.done > 0, "{config:?}: {result:?}");
        }
    }
}

/// Lanes that are cut from the beginning on: both ends do not come to know each other.
#[test]
fn a_cut_link_does_not_come_up() {
    let config = PairConfig {
        cuts: vec![LineCut {
            direction: A,
            lane: None,
            start_fs: 0,
            length_fs: us(1000),
            kind: CutKind::Zero,
        }],
        ..PairConfig::default()
    };
    let mut pair = Pair::new(&config, [vec![0; 8192], vec![0; 8192]]).unwrap();
    assert!(!pair.wait_up(20_000).unwrap());
}

#[test]
fn what_a_pair_cannot_be_is_refused() {
    let refused = |config: PairConfig| {
        let memories = [vec![0; 8192], vec![0; 8192]];
        Pair::new(&config, memories).unwrap_err().to_string()
    };
    let base = PairConfig {
        lanes: Lanes::X2,
        ..PairConfig::default()
    };
    let reset = |start_fs| EndReset {
        end: B,
        start_fs,
        length_fs: 10_000_000,
    };
    let mode = LineMode {
        rate: Rate::Fast,
        lanes: Lanes::X4,
        coding: Coding::Code8b10b,
    };
    for (config, said) in [
        (
            PairConfig {
                ppm: 1001.0,
                ..base.clone()
            },
            "ppm: 1001 is not in -1000 to 1000",
        ),
        (
            PairConfig {
                stall: 1.0,
                ..base.clone()
            },
            "stall: 1 is not in 0 to 0.99",
        ),
        (
            PairConfig {
                cuts: vec![LineCut {
                    direction: A,
                    lane: Some(2),
                    start_fs: 0,
                    length_fs: 1,
                    kind: CutKind::One,
                }],
                ..base.clone()
            },
            "cut: lane 2 is not one of the 2 wired",
        ),
        (
            PairConfig {
                resets: vec![reset(0), reset(5_000_000)],
                ..base.clone()
            },
            "reset: one begins at 5 ns, but the one before it ends at 10 ns",
        ),
        (
            PairConfig {
                switches: vec![Ask {
                    end: A,
                    start_fs: 0,
                    mode,
                }],
                ..base.clone()
            },
            "switch: 4 lanes are more than the 2 wired",
        ),
    ] {
        assert_eq!(refused(config), said);
    }
}
