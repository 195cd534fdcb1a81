// SPDX-License-Identifier: Apache-2.0
//! `ropewalk perf` as users run it.

use serde_json::Value;

#[test]
fn json_keys_and_values() {
    for (arrange, sealed, fec) in [
        ("stable", false, "none"),
        ("low-latency", true, "rs:2"),
        ("low-latency", false, "erasure:128+16"),
    ] {
        let mut args = vec![
            "perf",
            "--lanes",
            "2",
            "--arrange",
            arrange,
            "--seconds",
            "0.1",
            "--drop",
            "1%",
            "--fec",
            fec,
            "--per-chunk",
            "13800",
            "--json",
        ];
        args.extend(sealed.then_some("--sealed"));
        let done = crate::common::ropewalk().args(args).output().unwrap();
        assert_eq!(
            done.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        let told: Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!(told["ok"], true);
        assert_eq!(told["lanes"], 2);
        assert_eq!(told["arrangement"], arrange);
        assert_eq!(told["drop"], 0.01);
        assert_eq!(
            (&told["sealed"], &told["fec"]),
            (&sealed.into(), &fec.into())
        );
        assert_eq!(told["mended_subpackets"], 0);
        assert_eq!(told["chunk_bytes"], 16_780_800);
        for key in ["goodput_gbps", "cpu_s_per_gb"] {
            assert!(told[key].as_f64().unwrap() > 0.0, "{key}");
        }
        let latency = &told["chunk_latency_ms"];
        assert!(latency["p50"].as_f64().unwrap() <= latency["p99"].as_f64().unwrap());
        // One chunk of 13 800 sub-packets at least, of which 138 on average are taken for damaged,
        // with a deviation of 12.
        let (resent, restored) = (&told["resent_subpackets"], &told["restored_subpackets"]);
        let (repaired, other) = if fec.starts_with("erasure") {
            (restored, resent)
        } else {
            (resent, restored)
        };
        assert!(repaired.as_u64().unwrap() >= 60, "{told}");
        assert!(other.as_u64().is_some());
        assert_eq!(told["wrong_chunks"], 0);
    }
}

#[test]
fn for_people() {
    let done = crate::common::ropewalk()
        .args(["perf", "--seconds", "0.1"])
        .output()
        .unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(
        text.starts_with("1 lane, stable: ") && text.contains("each once and unchanged"),
        "{text}"
    );
}

/// What becomes of the sessions stands on standard error with -v alone.
#[test]
fn events_on_standard_error() {
    for (verbose, expected) in [
        (&[][..], &[][..]),
        (
            &["-v"],
            &[
                " INFO placement: a thread for each pipeline pipelines=1",
                " INFO sender opened session=",
                " INFO receiver opened session=",
                " INFO sender closed session=",
            ],
        ),
        (&["-vv", "--threads", "stage"], &[" INFO placement: Spread"]),
    ] {
        let mut perf = crate::common::ropewalk();
        let done = perf
            .args(["perf", "--seconds", "0.1"])
            .args(verbose)
            .output();
        let text = String::from_utf8(done.unwrap().stderr).unwrap();
        for line in expected {
            assert!(text.lines().any(|it| it.starts_with(line)), "{text}");
        }
        assert_eq!(text.is_empty(), verbose.is_empty(), "{text}");
    }
}

#[test]
fn bad_input() {
    for (option, value, accepted) in [
        ("--lanes", "0", "1 to 32"),
        ("--lanes", "33", "1 to 32"),
        ("--seconds", "0", "0.1 to 3600 (s)"),
        ("--loss", "95%", "0 to 90 %, such as 1% or 0.01"),
        ("--loss", "-1", "0 to 90 %"),
        ("--drop", "95%", "0 to 90 %, such as 1% or 0.01"),
        ("--rate", "28", "is in bit/s"),
        ("--rate", "-1", "10M to 1000G (bit/s)"),
        ("--rate", "1K", "10M to 1000G (bit/s)"),
        ("--chunks", "65", "1 to 64"),
        ("--per-chunk", "1001", "multiples of 8 from 8 to 65472"),
        ("--payload", "0", "multiples of 64 from 64 to 8192"),
        ("--payload", "100", "multiples of 64 from 64 to 8192"),
        ("--payload", "8256", "multiples of 64 from 64 to 8192"),
        ("--arrange", "fast", "stable"),
        ("--fec", "rs:17", "none; rs:T with T from 1 to 16"),
        ("--fec", "rs:0", "none; rs:T with T from 1 to 16"),
        ("--fec", "erasure:8", "erasure:K+M with K from 1 to 1024"),
        ("--fec", "erasure:0+1", "erasure:K+M with K from 1 to 1024"),
        ("--fec", "erasure:8+257", "M from 1 to 256"),
    ] {
        let argument = format!("{option}={value}");
        let done = crate::common::ropewalk()
            .args(["perf", &argument])
            .output()
            .unwrap();
        let text = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(3), "{argument}: {text}");
        assert_eq!(text.lines().count(), 1, "{argument}: {text}");
        assert!(
            text.contains(value) && text.contains(accepted),
            "{argument}: {text}"
        );
        assert!(done.stdout.is_empty());
    }
}

/// What is no plan, and what no machine can run: each in one line.
#[test]
fn bad_plans() {
    let folder = tempfile::tempdir().unwrap();
    let duty = |stage: &str| {
        format!(r#"{{"stage":"{stage}","pipeline":0,"instance":0,"utilisation":0.1}}"#)
    };
    let end = |name: &str, stages: &[&str]| {
        let duties: Vec<String> = stages.iter().map(|stage| duty(stage)).collect();
        let core = format!(r#"{{"utilisation":0.1,"duties":[{}]}}"#, duties.join(","));
        format!(r#"{{"name":"{name}","stages":[],"mapping":{{"cores":[{core}]}}}}"#)
    };
    let sender = ["generator", "aggregator", "crc-fec", "ack-processor"];
    let plan = |command: &str, receiver: &[&str]| {
        format!(
            r#"{{"command":"{command}","rate_gbps":1.0,"lanes":1,"arrange":"stable","net_gbps":{{"planned":0.98}},"format":{{"payload_bytes":1216,"per_frame":8,"per_chunk":1024}},"ends":[{},{}]}}"#,
            end("sender", &sender),
            end("receiver", receiver)
        )
    };
    let receiver = ["combiner", "ack-generator"];
    for (text, status, said) in [
        (plan("plan chunk", &receiver), 0, ""),
        (
            plan("plan rifl", &receiver),
            3,
            "command is plan rifl; accepted: what 'ropewalk plan chunk --json' prints",
        ),
        (
            plan("plan chunk", &["ack-generator"]),
            3,
            "no core for stage combiner of pipeline 0",
        ),
        ("{}".to_owned(), 3, "missing field"),
    ] {
        let path = folder.path().join("plan.json");
        std::fs::write(&path, text).unwrap();
        let mut command = crate::common::ropewalk();
        let command = command
            .args(["perf", "--seconds", "0.1", "--plan"])
            .arg(path);
        let done = command.output().unwrap();
        let error = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(status), "{error}");
        assert!(
            error.contains(said) && error.lines().count() <= 1,
            "{error}"
        );
        let out = String::from_utf8(done.stdout).unwrap();
        assert_eq!(
            out.contains("planned 0.9800 Gb/s, measured "),
            status == 0,
            "{out}"
        );
    }
    let both = ["perf", "--plan", "plan.json", "--lanes", "2"];
    let done = crate::common::ropewalk().args(both).output().unwrap();
    assert_eq!(done.status.code(), Some(3));
}
