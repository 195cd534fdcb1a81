// SPDX-License-Identifier: Apache-2.0
//! Two verilated SLink ends with memories: every mode, errors on the lanes, and what the run has to
//! find.

use ropewalk_sim::slink::{
    A, B, Model, Operation, Outcome, Pair, PairConfig, Rate, Registers, RunConfig, RunResult,
    program, run,
};
use ropewalk_sim::testing::seed;
use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::regs;

fn config(seed: u64) -> RunConfig {
    RunConfig {
        model: Model::default(),
        read: false,
        crc: true,
        lanes: Lanes::X1,
        rate: Rate::Fast,
        words: 64,
        operations: 3,
        both: false,
        delay: 8,
        skew: 0,
        ber: 0.0,
        seed,
        keep_words: false,
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
                        model: Model {
                            outstanding,
                            ..Model::default()
                        },
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
            model: Model {
                outstanding,
                ..Model::default()
            },
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
        let words = result.line_words as f64 / operations;
        (result.span_cycles.unwrap() as f64 / 40.0, words)
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
            model: Model {
                outstanding,
                ..Model::default()
            },
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
        speed: config.speed,
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
