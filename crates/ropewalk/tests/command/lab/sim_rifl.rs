// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim rifl` with the real RTL.

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::names;
use super::sim_json;
use crate::common::{noise, ropewalk, run_in, seed};

/// The names that are promised to those who read the JSON.
const KEYS: [&str; 14] = [
    "ok",
    "core",
    "lanes",
    "frame_width",
    "user_width",
    "line_rate_gbps",
    "ber",
    "seed",
    "cycles",
    "link_up_ns",
    "bit_errors",
    "retransmissions",
    "sim_cycles_per_second",
    "directions",
];
const DIRECTION_KEYS: [&str; 10] = [
    "packets_sent",
    "packets_delivered",
    "bytes_delivered",
    "lost",
    "duplicated",
    "reordered",
    "corrupted",
    "goodput_gbps",
    "efficiency",
    "latency_ns",
];

fn assert_lossless(status: Option<i32>, result: &Value) {
    assert_eq!(status, Some(0), "{result:#}");
    assert_eq!(result["ok"], true, "{result:#}");
    for direction in result["directions"].as_array().unwrap() {
        assert_eq!(
            direction["packets_sent"], direction["packets_delivered"],
            "{result:#}"
        );
        for key in ["lost", "duplicated", "reordered", "corrupted"] {
            assert_eq!(direction[key], 0, "{key}: {result:#}");
        }
    }
}

#[test]
fn a_file_arrives_unchanged_at_both_ends() {
    let seed = seed();
    let folder = tempfile::tempdir().unwrap();
    let content = noise(150_001, seed);
    std::fs::write(folder.path().join("file"), &content).unwrap();
    for (frame, ber) in [("256", "1e-5"), ("512", "1e-6")] {
        let seed = seed.to_string();
        let (status, result) = sim_json(
            folder.path(),
            &[
                "--in",
                "file",
                "--out",
                "b",
                "--out-back",
                "a",
                "--frame",
                frame,
                "--ber",
                ber,
                "--seed",
                &seed,
            ],
        );
        assert_lossless(status, &result);
        for copy in ["a", "b"] {
            assert!(
                std::fs::read(folder.path().join(copy)).unwrap() == content,
                "copy {copy} differs"
            );
            std::fs::remove_file(folder.path().join(copy)).unwrap();
        }
        assert_eq!(names(folder.path()), ["file"]);
        assert_eq!(result["file"]["identical"], true);
        assert_eq!(result["file"]["bytes"], 150_001);
        assert_eq!(
            result["file"]["received_sha256"][0],
            result["file"]["sha256"]
        );
        for direction in result["directions"].as_array().unwrap() {
            assert_eq!(direction["packets_sent"], 101);
            assert_eq!(direction["bytes_delivered"], 150_001);
        }
        if ber == "1e-5" {
            assert!(result["bit_errors"].as_u64().unwrap() > 0, "{result:#}");
            assert!(
                result["retransmissions"].as_u64().unwrap() > 0,
                "{result:#}"
            );
        }
    }
}

#[test]
fn the_json_has_the_promised_keys_and_sound_values() {
    let folder = tempfile::tempdir().unwrap();
    let (status, result) = sim_json(
        folder.path(),
        &["--packets", "60", "--size", "1500", "--seed", "9"],
    );
    assert_lossless(status, &result);
    for key in KEYS {
        assert!(!result[key].is_null(), "{key} is missing: {result:#}");
    }
    assert_eq!(result["core"], "rifl");
    assert_eq!(result["lanes"], 1);
    assert_eq!(result["frame_width"], 256);
    assert_eq!(result["user_width"], 256);
    assert_eq!(result["line_rate_gbps"], 28.0);
    assert_eq!(result["ber"], 0.0);
    assert_eq!(result["seed"], 9);
    assert_eq!(result["bit_errors"], 0);
    assert_eq!(result["retransmissions"], 0);
    let cycle_ns = 64.0 / 28.0;
    let cycles = result["cycles"].as_f64().unwrap();
    assert!(result["link_up_ns"].as_f64().unwrap() < cycles * cycle_ns);
    let directions = result["directions"].as_array().unwrap();
    assert_eq!(directions.len(), 2);
    for direction in directions {
        for key in DIRECTION_KEYS {
            assert!(!direction[key].is_null(), "{key} is missing: {direction:#}");
        }
        assert_eq!(direction["packets_delivered"], 60);
        assert_eq!(direction["bytes_delivered"], 90_000);
        let efficiency = direction["efficiency"].as_f64().unwrap();
        assert!((0.9..=0.9375).contains(&efficiency), "{efficiency}");
        assert!((direction["goodput_gbps"].as_f64().unwrap() / 28.0 - efficiency).abs() < 1e-9);
        let latency: Vec<f64> = ["min", "p50", "p99", "p999", "max"]
            .iter()
            .map(|key| direction["latency_ns"][key].as_f64().unwrap())
            .collect();
        assert!(
            latency.is_sorted() && latency[0] > 8.0 * cycle_ns,
            "{latency:?}"
        );
        let in_cycles = direction["latency_cycles"]["p50"].as_f64().unwrap();
        assert!((latency[1] - in_cycles * cycle_ns).abs() < 1e-6);
    }
}

/// The object without what depends on the machine.
fn timeless(mut result: Value) -> Value {
    for key in ["wall_s", "sim_cycles_per_second"] {
        assert!(result.as_object_mut().unwrap().remove(key).is_some());
    }
    result
}

#[test]
fn the_seed_decides_everything() {
    let folder = tempfile::tempdir().unwrap();
    let run = |seed: &str| {
        let (status, result) = sim_json(
            folder.path(),
            &[
                "--packets",
                "60",
                "--ber",
                "1e-5",
                "--ppm",
                "80",
                "--stall",
                "20",
                "--seed",
                seed,
            ],
        );
        assert_lossless(status, &result);
        timeless(result)
    };
    let first = run("11");
    assert_eq!(first, run("11"));
    let mut other = run("12");
    other["seed"] = first["seed"].clone();
    assert_ne!(first, other);
}

#[test]
fn a_fresh_seed_is_told_and_gives_the_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--packets", "30", "--ber", "1e-5"];
    let (_, first) = sim_json(folder.path(), &args);
    let told = first["seed"].to_string();
    let (_, again) = sim_json(folder.path(), &[&args[..], &["--seed", &told]].concat());
    assert_eq!(timeless(first), timeless(again));
}

#[test]
fn slips_offsets_back_pressure_bursts_and_cuts_lose_nothing() {
    let seed = seed().to_string();
    let folder = tempfile::tempdir().unwrap();
    for args in [
        &["--packets", "100", "--slip", "63", "--stall", "70"][..],
        &[
            "--packets",
            "100",
            "--slip",
            "0,31",
            "--ppm=-300",
            "--line-rate",
            "10312.5M",
        ],
        &["--packets", "200", "--burst", "1e-6:40:0.5", "--ppm", "300"],
        &[
            "--packets",
            "100",
            "--cut",
            "ab:15us:400:zero",
            "--cut",
            "ba:25us:100:noise",
        ],
        &[
            "--packets",
            "100",
            "--cut",
            "ab:20us:40:stuck",
            "--frame",
            "512",
            "--size",
            "64",
        ],
    ] {
        let (status, result) = sim_json(folder.path(), &[args, &["--seed", &seed]].concat());
        assert_lossless(status, &result);
    }
}

#[test]
fn one_way_loads_one_direction() {
    let folder = tempfile::tempdir().unwrap();
    let (status, result) = sim_json(
        folder.path(),
        &["--packets", "20", "--size", "30", "--one-way"],
    );
    assert_lossless(status, &result);
    let directions = result["directions"].as_array().unwrap();
    assert_eq!(directions.len(), 1);
    assert_eq!(
        (&directions[0]["from"], &directions[0]["to"]),
        (&"A".into(), &"B".into())
    );
    assert_eq!(directions[0]["packets_delivered"], 20);
}

#[test]
fn a_packet_of_one_frame_takes_at_most_16_cycles_without_wire_delay() {
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "--cable",
        "0m",
        "--slip",
        "0",
        "--packets",
        "500",
        "--size",
        "1..30",
    ];
    let (status, result) = sim_json(folder.path(), &args);
    assert_lossless(status, &result);
    for direction in result["directions"].as_array().unwrap() {
        let max = direction["latency_cycles"]["max"].as_u64().unwrap();
        assert!(max <= 16, "{max} cycles");
    }
}

#[test]
fn a_hopeless_wire_gives_status_1_and_leaves_the_copy_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), noise(1000, 1)).unwrap();
    std::fs::write(folder.path().join("copy"), "old").unwrap();
    let run = run_in(
        folder.path(),
        &[
            "sim", "rifl", "--in", "file", "--out", "copy", "--ber", "0.4",
        ],
    );
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(
        run.stdout.contains("NOT LOSSLESS: the link never came up"),
        "{run:?}"
    );
    assert_eq!(std::fs::read(folder.path().join("copy")).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["copy", "file"]);
}

#[test]
fn the_table_names_everything_and_has_no_escape_sequences_in_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_in(
        folder.path(),
        &[
            "sim",
            "rifl",
            "--packets",
            "50",
            "--ber",
            "1e-5",
            "--seed",
            "4",
        ],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(run.stderr, "");
    for part in [
        "seed 4",
        "link up after",
        "packets sent",
        "packets delivered",
        "lost",
        "duplicated",
        "reordered",
        "corrupted",
        "goodput",
        "efficiency",
        "latency min",
        "p50",
        "p99",
        "p99.9",
        "max",
        "ns (",
        "bit errors injected",
        "retransmissions",
        "cycles/s",
        "lossless",
    ] {
        assert!(
            run.stdout.contains(part),
            "the table lacks '{part}':\n{}",
            run.stdout
        );
    }
    assert!(!run.stdout.contains('\x1b'));
    let quiet = run_in(folder.path(), &["sim", "rifl", "--packets", "5", "--quiet"]);
    assert_eq!(
        (quiet.status, quiet.stdout.as_str(), quiet.stderr.as_str()),
        (Some(0), "", "")
    );
}

#[test]
fn a_waveform_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_in(
        folder.path(),
        &[
            "sim",
            "rifl",
            "--packets",
            "2",
            "--size",
            "64",
            "--trace",
            "waves.fst",
        ],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(names(folder.path()), ["waves.fst"]);
    let waves = std::fs::read(folder.path().join("waves.fst")).unwrap();
    // An FST file begins with the header block: type 0 and its length of 329 bytes.
    assert_eq!(&waves[..9], [0, 0, 0, 0, 0, 0, 0, 1, 0x49]);
    assert!(waves.len() > 10_000, "{} bytes", waves.len());
}

#[test]
fn an_interruption_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), noise(50_000_000, 1)).unwrap();
    std::fs::write(folder.path().join("copy"), "old").unwrap();
    for signal in ["-INT", "-TERM"] {
        let mut child = ropewalk()
            .current_dir(folder.path())
            .args([
                "sim",
                "rifl",
                "--in",
                "file",
                "--out",
                "copy",
                "--report",
                "new/report",
                "--trace",
                "t.fst",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while names(folder.path()).len() < 5 {
            assert!(
                Instant::now() < deadline,
                "the outputs were not begun: {:?}",
                names(folder.path())
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(300));
        let kill = std::process::Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status()
            .unwrap();
        assert!(kill.success());
        let status = child.wait().unwrap();
        let mut told = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut told)
            .unwrap();
        assert_eq!(status.code(), Some(130), "{told}");
        assert!(told.contains("interrupted"), "{told}");
        assert_eq!(names(folder.path()), ["copy", "file"]);
        assert_eq!(std::fs::read(folder.path().join("copy")).unwrap(), b"old");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for args in [
        &["man"][..],
        &["completions", "bash"],
        &["--help"],
        &["sim", "rifl", "--packets", "2"],
    ] {
        let mut child = ropewalk()
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{args:?}: {output:?}");
    }
}

#[test]
fn help_manual_and_completions_know_the_options() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        &["sim", "rifl", "--help"][..],
        &["man", "sim", "rifl"],
        &["completions", "bash"],
        &["completions", "zsh"],
    ] {
        let run = run_in(folder.path(), args);
        assert_eq!(run.status, Some(0), "{run:?}");
        // The manual page writes a hyphen as `\-`.
        let text = run.stdout.replace('\\', "");
        for option in [
            "--out-back",
            "--compatible",
            "--rate",
            "--cut",
            "--report",
            "--trace",
            "--seed",
        ] {
            assert!(text.contains(option), "{args:?} lacks {option}");
        }
    }
    // What older scripts say is the default now: accepted, and not offered.
    let help = run_in(folder.path(), &["sim", "rifl", "--help"]).stdout;
    assert!(!help.contains("--extended"), "{help}");
    assert!(!help.contains("--line-rate"), "{help}");
}

#[test]
fn the_default_is_the_mode_of_the_rtl() {
    let folder = tempfile::tempdir().unwrap();
    for (more, extended) in [
        (&[][..], true),
        (&["--extended"], true),
        (&["--compatible"], false),
    ] {
        let args = [&["--packets", "5", "--seed", "3"][..], more].concat();
        let (status, result) = sim_json(folder.path(), &args);
        assert_lossless(status, &result);
        assert_eq!(result["extended"], extended, "{more:?}");
    }
    let both = ["sim", "rifl", "--extended", "--compatible"];
    assert_eq!(run_in(folder.path(), &both).status, Some(3));
}

#[test]
fn lanes_have_figures_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let seed = crate::common::seed().to_string();
    let args = [
        &["--lanes", "4", "--user-width", "512", "--skew", "9"][..],
        &["--cut", "ab.2:9000:40:one", "--packets", "300"],
        &["--size", "1..2000", "--seed", &seed, "--report", "report"],
    ];
    let (status, result) = sim_json(folder.path(), &args.concat());
    assert_eq!(status, Some(0), "{result:#}");
    assert_eq!(
        (&result["lanes"], &result["user_width"]),
        (&4.into(), &512.into())
    );
    let directions = result["directions"].as_array().unwrap();
    for (i, direction) in directions.iter().enumerate() {
        let lanes = direction["lanes"].as_array().unwrap();
        let resent: Vec<bool> = lanes
            .iter()
            .map(|lane| lane["retransmissions"] != 0)
            .collect();
        // The damaged frames of one lane are sent again on that lane only.
        assert_eq!(resent, [false, false, i == 0, false], "{result:#}");
        let delays = lanes
            .iter()
            .map(|lane| lane["delay_bits"].as_u64().unwrap());
        let latest = result["delay_bits"].as_u64().unwrap();
        assert!(
            delays
                .clone()
                .all(|delay| delay <= latest && delay + 9 * 64 >= latest)
        );
    }
    let page = std::fs::read_to_string(folder.path().join("report/index.html")).unwrap();
    assert!(page.contains("id=\"lanes\"") && page.contains("lane 3"));
}

#[test]
fn a_reset_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let seed = crate::common::seed().to_string();
    let args = ["--reset", "both:30us..60us:200", "--seed", &seed];
    let (status, result) = sim_json(folder.path(), &args);
    // What was on its way is gone, so the run is not lossless; nothing else is wrong.
    assert_eq!(
        (status, &result["ok"]),
        (Some(1), &false.into()),
        "{result:#}"
    );
    assert_eq!(result["resets"].as_array().unwrap().len(), 2);
    assert_eq!(result["stalled"], false);
    let mut cut = 0;
    for direction in result["directions"].as_array().unwrap() {
        for count in ["lost", "duplicated", "reordered", "corrupted"] {
            assert_eq!(direction[count], 0, "{result:#}");
        }
        cut += direction["cut"].as_u64().unwrap();
    }
    assert!(cut > 0, "{result:#}");
}
