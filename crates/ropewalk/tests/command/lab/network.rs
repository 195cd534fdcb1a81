// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim network`, `plan stack` and `bench network` as programs.

use std::path::Path;

use serde_json::Value;

use crate::common::{Run, run_in, seed};

fn lab(folder: &Path, args: &[&str]) -> Run {
    run_in(folder, args)
}

fn json(args: &[&str]) -> Value {
    let run = lab(Path::new("."), &[args, &["--json"]].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn what_scripts_rely_on() {
    let seed = seed().to_string();
    let args = [
        "sim",
        "network",
        "--topology",
        "fat-tree:16",
        "--ber",
        "1e-6",
        "--cycles",
        "5000",
        "--seed",
        &seed,
    ];
    let run = json(&args);
    assert_eq!(run["ok"], true);
    assert_eq!(
        (&run["nodes"], &run["switches"], &run["links"]),
        (&16.into(), &20.into(), &48.into())
    );
    assert_eq!(run["link_loads"].as_array().unwrap().len(), 96);
    assert_eq!(
        (&run["missing"], &run["retransmissions"]),
        (&0.into(), &0.into())
    );
    assert!(run["bit_errors"].as_u64().unwrap() > 0, "{run:#}");
    let classes = run["classes"].as_array().unwrap();
    assert_eq!(classes.len(), 2);
    for class in classes {
        assert_eq!(class["made"], class["delivered"]);
        let latency = &class["latency_cycles"];
        assert!(latency["p999"].as_u64().unwrap() >= latency["p50"].as_u64().unwrap());
    }
    // The same seed gives the same run.
    assert_eq!(json(&args), run);
    let lossy = json(&[&args[..], &["--lossy", "--loss", "1%"]].concat());
    assert!(lossy["retransmissions"].as_u64().unwrap() > 0, "{lossy:#}");
    assert_eq!(lossy["ok"], true);
}

#[test]
fn pages_have_all_their_parts() {
    let folder = tempfile::tempdir().unwrap();
    let seed = seed().to_string();
    for (topology, workload) in [("star:8", "incast"), ("torus:4x4", "bursty")] {
        let run = lab(
            folder.path(),
            &[
                "sim",
                "network",
                "--topology",
                topology,
                "--workload",
                workload,
                "--cycles",
                "20000",
                "--seed",
                &seed,
                "--report",
                "report",
            ],
        );
        assert_eq!(run.status, Some(0), "{run:?}");
        let page = std::fs::read_to_string(folder.path().join("report/index.html")).unwrap();
        assert!(page.contains("id=\"topology\""), "{topology}");
        super::browser::assert_fits(&page, &["classes", "loads"]);
    }
    let run = lab(
        folder.path(),
        &["plan", "stack", "fat-tree:16", "--report", "plan"],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(folder.path().join("plan/index.html").is_file());
}

#[test]
fn a_plan_has_the_figures_of_the_topology() {
    let plan = json(&["plan", "stack", "fat-tree:1024"]);
    assert_eq!(
        (&plan["nodes"], &plan["switches"]),
        (&1024.into(), &320.into())
    );
    assert_eq!(
        (&plan["hops"]["min"], &plan["hops"]["max"]),
        (&1.into(), &5.into())
    );
    assert_eq!(
        (&plan["paths"]["min"], &plan["paths"]["max"]),
        (&1.into(), &64.into())
    );
    assert_eq!(plan["bisection_links"], 512);
    let plan = json(&["plan", "stack", "star:3", "--tables"]);
    assert_eq!(plan["tables"][0]["ports"], serde_json::json!([0, 2, 4]));
    let run = lab(Path::new("."), &["plan", "stack", "chain:2x2", "--tables"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("Routing tables"), "{run:?}");
}

#[test]
fn a_plan_writes_what_loads_the_switches() {
    let folder = tempfile::tempdir().unwrap();
    let run = lab(
        folder.path(),
        &["plan", "stack", "chain:2x1", "--registers", "regs"],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("registers: regs"), "{run:?}");
    let file = |name: &str| std::fs::read_to_string(folder.path().join("regs").join(name));
    // Of s1: the salt, then by port 0 to n0, from n1, and the other way round.
    let lines = file("s1.txt").unwrap();
    let writes: Vec<_> = lines.lines().filter(|it| !it.starts_with('#')).collect();
    assert_eq!(writes[0], "0x03c 0x00000001");
    assert_eq!(writes.len(), 5, "{lines}");
    assert!(writes[1].starts_with("0x034 ") && writes[2] == "0x038 0x00000000");
    assert!(file("s0.txt").is_ok() && file("s2.txt").is_err());
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.toml");
    std::fs::write(
        &file,
        "nodes = 2\nswitches = 1\n[[link]]\na = \"n0\"\nb = \"s3\"\n",
    )
    .unwrap();
    for (args, parts) in [
        (
            &["plan", "stack", "ring:4"][..],
            &["'ring:4'", "star:NODES"][..],
        ),
        (&["plan", "stack", "star:17"], &["nodes 17", "2 to 16"]),
        (&["plan", "stack", "torus:32x32"], &["accepted: up to 15"]),
        (
            &["plan", "stack", "net.toml"],
            &["net.toml: line 5: 's3.0'", "s0 to s0"],
        ),
        (&["plan", "stack", "none.toml"], &["none.toml"]),
        (
            &["sim", "network", "--workload", "x"],
            &["'x'", "--workload", "all-to-all"],
        ),
        (
            &["sim", "network", "--load", "1.5"],
            &["'1.5'", "--load", "0 to 1"],
        ),
        (
            &["sim", "network", "--class", "0"],
            &["'0'", "--class", "1 to 3"],
        ),
        (&["sim", "network", "--ber", "0.3"], &["0.3", "below 0.01"]),
        (
            &["sim", "network", "--packet", "2"],
            &["'2'", "--packet", "3 to 64 words"],
        ),
        (&["sim", "network", "--loss", "1%"], &["--lossy"]),
    ] {
        let run = lab(folder.path(), args);
        assert_eq!(run.status, Some(3), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "{part}: {run:?}");
        }
    }
}

/// The rows of the issue that the model has to show.
#[test]
fn the_figures_are_reached() {
    let (bench, _) = super::bench(
        "network",
        seed(),
        &["scaling", "completion", "losslessness"],
    );
    let small = bench["small"].as_array().unwrap();
    let worst = |row: &Value| row["latency_cycles"]["p999"].as_u64().unwrap();
    assert!(worst(&small[1]) <= 2 * worst(&small[0]), "{small:#?}");
    assert!(
        small[1]["busiest_link"].as_f64().unwrap() > 0.9,
        "{small:#?}"
    );
    let rows = bench["losslessness"].as_array().unwrap();
    for pair in rows.chunks(2) {
        assert_eq!(pair[0]["retransmissions"], 0);
        assert!(
            pair[1]["latency_cycles"]["p999"].as_u64() >= pair[0]["latency_cycles"]["p50"].as_u64()
        );
    }
    // 1 % of the packets lost.
    let [kept, lost] = &rows[rows.len() - 2..] else {
        panic!("no rows");
    };
    assert!(worst(lost) > 2 * worst(kept), "{kept:#} {lost:#}");
}
