// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim stack` as a program.

use serde_json::Value;

use super::browser::assert_fits;
use crate::common::run_in;

#[test]
fn a_file_crosses_a_switch() {
    let folder = tempfile::tempdir().unwrap();
    let file: Vec<u8> = (0..100_000u32)
        .map(|i| (i.wrapping_mul(i) >> 9) as u8)
        .collect();
    std::fs::write(folder.path().join("file"), &file).unwrap();
    let seed = crate::common::seed().to_string();
    let traffic = "sim stack --topology star:4 --transfers 60 --size 1..16K --ber 1e-6 --loss 2%";
    let more = "--cut n3:1@30us+5us --file file --out copy --report report --json --seed";
    let words = traffic.split(' ').chain(more.split(' '));
    let args: Vec<&str> = words.chain([&*seed]).collect();
    let run = run_in(folder.path(), &args);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(std::fs::read(folder.path().join("copy")).unwrap(), file);
    let html = std::fs::read_to_string(folder.path().join("report/index.html")).unwrap();
    assert_fits(&html, &["load"]);
    assert!(html.contains("id=\"topology\"") && html.contains("switch 0"));
    let run: Value = serde_json::from_str(&run.stdout).unwrap();
    let number = |path: &str| run.pointer(path).and_then(Value::as_u64);
    assert_eq!(run["topology"], "star:4");
    assert_eq!(run["file_identical"], true);
    assert_eq!(number("/retransmissions/engine"), Some(0));
    assert_eq!(number("/stages_cycles/switch/min"), Some(7));
    assert_eq!(number("/switches/0/received"), number("/switches/0/sent"));
    assert!(number("/links/3/down_cycles/0") > Some(1000));
    assert_eq!(run["lossy"]["ok"], true);
    assert!(number("/lossy/retransmissions") > Some(0));
    assert!(number("/lossy/latency_cycles/message/p999").is_some());
}

#[test]
fn the_same_bit_errors_without_repair() {
    let folder = tempfile::tempdir().unwrap();
    let seed = crate::common::seed().to_string();
    let words = "sim stack --transfers 60 --size 1..16K --ber 1e-6 --loss ber --json --seed";
    let args: Vec<&str> = words.split(' ').chain([&*seed]).collect();
    let run = run_in(folder.path(), &args);
    assert_eq!(run.status, Some(0), "{run:?}");
    let run: Value = serde_json::from_str(&run.stdout).unwrap();
    // Packets have 2 to 18 words of 512 bits.
    let loss = run["lossy"]["loss"].as_f64().unwrap();
    assert!((0.004..0.03).contains(&loss), "{loss}");
    assert_eq!(run["retransmissions"]["engine"], 0);
    assert!(run["retransmissions"]["rifl"].as_u64() > Some(0));
    assert!(run["lossy"]["retransmissions"].as_u64() > Some(0));
}

#[test]
fn refusals_say_what_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    for (args, said) in [
        (
            "--topology star:99",
            "topology 'star:99': nodes 99; accepted: 2 to 16",
        ),
        (
            "--topology fat-tree:128",
            "fat-tree:128: 128 nodes; accepted: 2 to 64",
        ),
        ("--ber 0.02", "ber 0.02; accepted: 0 or more and below 0.01"),
        ("--cut 4@1us+1us", "accepted: [LINK:]LANE@START+LENGTH"),
        (
            "--cut n9:1@1us+1us",
            "no link ends at n9; there are n0 - n1",
        ),
        (
            "--swap s0.1@1us+1us",
            "no link ends at s0.1; there are n0 - n1",
        ),
        ("--mark 0", "accepted: 1 to 1024 words"),
        ("--loss 200%", "'200%'"),
        ("--loss bits", "or ber"),
        ("--outstanding 500", "500"),
    ] {
        let args: Vec<&str> = "sim stack".split(' ').chain(args.split(' ')).collect();
        let run = run_in(folder.path(), &args);
        assert_eq!((run.status, &*run.stdout), (Some(3), ""), "{run:?}");
        assert!(run.stderr.contains(said), "{said}: {run:?}");
    }
}
