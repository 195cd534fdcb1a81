// SPDX-License-Identifier: Apache-2.0

use clap::Parser;
use ropewalk_sim::rifl::{Direction, LaneResult, Progress};
use ropewalk_sim::{Building, LatencyHistogram};

use super::*;
use crate::cli::{Cli, Command, SimCore};
use crate::simulator::Gaps;

/// Delivers everything, except for what a test spoils.
struct Fake {
    spoil: fn(&mut RunResult),
}

impl Simulator for Fake {
    fn prepare(&self, _: Model, _: bool, _: &mut dyn FnMut(Building)) -> Result<(), SimError> {
        Ok(())
    }

    fn run(
        &self,
        cfg: RunConfig,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<RunResult, SimError> {
        if let Some(trace) = &cfg.link.trace {
            std::fs::write(trace, "waves").expect("a staged trace can be written");
        }
        let directions = cfg.traffic.map(|traffic| {
            let mut direction = Direction {
                latency: LatencyHistogram::new(2.0),
                ..Default::default()
            };
            if let Traffic::Source(mut source) = traffic {
                let (mut all, mut packet) = (Vec::new(), Vec::new());
                while source.next_packet(&mut packet) {
                    all.extend_from_slice(&packet);
                    direction.packets_sent += 1;
                    direction.latency.record(16);
                }
                direction.packets_delivered = direction.packets_sent;
                direction.bytes_sent = all.len() as u64;
                direction.bytes_delivered = all.len() as u64;
                direction.payload = Some(all);
            }
            direction
        });
        progress(&Progress {
            cycles: 1,
            time_ns: 1.0,
            link_up_ns: None,
            packets: [0; 2],
            total: [0; 2],
            bit_errors: [0; 2],
        });
        let mut result = RunResult {
            cycles: 5000,
            time_ns: 10_000.0,
            link_up_ns: Some(100.0),
            bit_errors: [0; 2],
            retransmissions: [0; 2],
            rx_overflow: [false; 2],
            wall_s: 0.1,
            sim_cycles_per_second: 50_000.0,
            directions,
            series: Vec::new(),
            lanes: [0, 1].map(|_| vec![LaneResult::default()]),
            stalled: false,
            finished: true,
        };
        (self.spoil)(&mut result);
        Ok(result)
    }

    fn gaps(&self, _: &LinkConfig, _: bool, _: u64, _: u64) -> Result<Gaps, SimError> {
        Ok(Gaps::default())
    }
}

fn options(args: &[&str]) -> SimRifl {
    let words = ["ropewalk", "sim", "rifl"].iter().chain(args);
    match Cli::try_parse_from(words)
        .expect("arguments of a test")
        .command
    {
        Command::Sim {
            core: SimCore::Rifl(options),
        } => *options,
        _ => unreachable!("the subcommand is sim rifl"),
    }
}

/// Runs with all outputs in a folder; gives the status and what is in the folder then.
fn outcome(spoil: fn(&mut RunResult)) -> (u8, Vec<(String, String)>) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("in"), vec![b'x'; 4000]).unwrap();
    std::fs::write(path("out"), "old").unwrap();
    let args = [
        "--quiet",
        "--in",
        &path("in"),
        "--out",
        &path("out"),
        "--out-back",
        &path("back"),
    ];
    let more = ["--report", &path("report"), "--trace", &path("trace")];
    let options = options(&[&args[..], &more[..]].concat());
    let status = execute(&options, &[], &Fake { spoil }).unwrap();
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let content = std::fs::read(&path).map_or("folder".to_owned(), |bytes| {
                String::from_utf8_lossy(&bytes[..bytes.len().min(8)]).into_owned()
            });
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                content,
            )
        })
        .collect();
    files.sort();
    (status, files)
}

fn named(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files
        .iter()
        .map(|(name, content)| (name.as_str(), content.as_str()))
        .collect()
}

#[test]
fn a_lossless_run_leaves_its_outputs() {
    let (status, files) = outcome(|_| {});
    assert_eq!(status, 0);
    let x = "xxxxxxxx";
    let expected = [
        ("back", x),
        ("in", x),
        ("out", x),
        ("report", "folder"),
        ("trace", "waves"),
    ];
    assert_eq!(named(&files), expected);
}

#[test]
fn anything_wrong_gives_status_1_and_no_copy_but_a_report() {
    let spoils: [fn(&mut RunResult); 12] = [
        |r| r.directions[0].lost = 1,
        |r| r.directions[1].duplicated = 1,
        |r| r.directions[0].reordered = 1,
        |r| r.directions[1].corrupted = 1,
        |r| r.directions[0].packets_delivered -= 1,
        |r| r.directions[0].bytes_delivered -= 1,
        |r| r.stalled = true,
        |r| r.finished = false,
        |r| r.link_up_ns = None,
        |r| r.rx_overflow[1] = true,
        // The counters are wrong: the comparison of the copies still finds it.
        |r| r.directions[1].payload.as_mut().unwrap()[3999] ^= 1,
        |r| r.directions[0].payload = None,
    ];
    for (i, spoil) in spoils.into_iter().enumerate() {
        let (status, files) = outcome(spoil);
        assert_eq!(status, 1, "case {i}");
        let expected = [
            ("in", "xxxxxxxx"),
            ("out", "old"),
            ("report", "folder"),
            ("trace", "waves"),
        ];
        assert_eq!(named(&files), expected, "case {i}");
    }
}

#[test]
fn complaints_say_what_is_wrong() {
    let options = options(&[]);
    let plan = Plan::settle(&options).unwrap();
    let run = |spoil| {
        let config = RunConfig::default();
        let result = Fake { spoil }.run(config, &mut |_| {}).unwrap();
        summarise(&options, &plan, &result).complaints().join("; ")
    };
    assert_eq!(run(|_| {}), "");
    assert_eq!(run(|r| r.link_up_ns = None), "the link never came up");
    assert_eq!(run(|r| r.stalled = true), "the link stalled");
    assert_eq!(run(|r| r.directions[1].lost = 3), "B to A: 3 lost");
    assert_eq!(
        run(|r| r.rx_overflow[1] = true),
        "A to B: a receive buffer overflowed"
    );
    assert_eq!(
        run(|r| r.finished = false),
        "not everything was sent and delivered"
    );
}

#[test]
fn the_plan_follows_from_the_seed() {
    let settle = |args: &[&str]| Plan::settle(&options(args)).unwrap();
    let (a, b) = (settle(&["--seed", "5"]), settle(&["--seed", "5"]));
    assert_eq!((&a.link, a.run_seed), (&b.link, b.run_seed));
    assert_ne!(a.link.a_to_b[0].seed, a.link.b_to_a[0].seed);
    assert_ne!(a.link, settle(&["--seed", "6"]).link);
    // A given slip does not move the other random numbers.
    let slipped = settle(&["--seed", "5", "--slip", "7,9"]);
    assert_eq!(slipped.link.a_to_b[0].slip_bits, 7);
    assert_eq!(slipped.link.b_to_a[0].slip_bits, 9);
    assert_eq!(slipped.link.a_to_b[0].seed, a.link.a_to_b[0].seed);
    // The cable sets delay and id width.
    let far = settle(&["--cable", "100m"]);
    assert_eq!(
        (far.link.model.id_width, far.link.a_to_b[0].delay_bits),
        (8, 14_000)
    );
}

#[test]
fn cuts_are_sorted_and_must_not_overlap() {
    let cut = |args: &[&str]| cuts(&options(args), 0, 0);
    let two = cut(&[
        "--cut",
        "ab:100:10:one",
        "--cut",
        "ab:50:50:zero",
        "--cut",
        "ba:1:1:one",
    ]);
    assert_eq!(
        two.iter().map(|c| c.start_word).collect::<Vec<_>>(),
        [50, 100]
    );
    check_cuts(&two, "ab").unwrap();
    let overlapping = cut(&["--cut", "ab:100:10:one", "--cut", "ab:50:51:zero"]);
    assert!(
        check_cuts(&overlapping, "ab")
            .unwrap_err()
            .to_string()
            .contains("overlap")
    );
}

#[test]
fn the_command_line_can_be_typed_again() {
    let args: Vec<OsString> = ["/bin/x", "sim", "rifl", "--in", "a b"]
        .map(OsString::from)
        .into();
    assert_eq!(
        command_line(&args, 7, false),
        "ropewalk sim rifl --in 'a b' --seed 7"
    );
    assert_eq!(command_line(&args, 7, true), "ropewalk sim rifl --in 'a b'");
}
