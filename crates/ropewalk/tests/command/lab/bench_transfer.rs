// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench transfer`: each way that this machine has is measured, and copies rightly; one
//! that it does not have says which program is missing.

use crate::common::run_in;
use ropewalk_channel::Settings;
use ropewalk_io::relay::Relay;
use ropewalk_testkit::needs;

#[test]
fn files_beside_other_programs() {
    let (bench, html) = super::bench("transfer --many 2000", crate::common::seed(), &[]);
    let rows = bench["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 30);
    for row in &rows[28..] {
        assert_eq!(
            (&row["files"], &row["varied"]),
            (&2000.into(), &true.into())
        );
        for end in ["send", "recv"] {
            let bytes = row["peak_memory_bytes"][end].as_u64().unwrap();
            assert!((1 << 20..300_000_000).contains(&bytes), "{row:#}");
        }
    }
    let sent = |way: &str| {
        let row = rows.iter().find(|row| row["way"] == way).unwrap();
        row["sent_bytes"].as_u64().unwrap() * 100 / row["file_bytes"].as_u64().unwrap()
    };
    // Percent of the file.
    assert_eq!((sent("inserted"), sent("inserted_whole")), (0, 100));
    assert!(html.contains("2 000 files of up to 63 bytes"), "{html}");
    for row in rows {
        let way = row["way"].as_str().unwrap();
        let seconds = row["seconds"].as_array().unwrap();
        if ["trusted", "sealed", "again", "inserted", "inserted_whole"].contains(&way)
            || row["missing"].is_null()
        {
            assert_eq!(seconds.len(), 1, "{row:#}");
            assert!(seconds[0].as_f64().unwrap() > 0.0, "{row:#}");
        } else {
            let why = row["missing"].as_str().unwrap();
            assert!(why.ends_with(" is not installed"), "{row:#}");
            assert!(html.contains(why), "{why}");
        }
    }
}

/// A file over TCP, twice beside plain TCP: both ends say what processor time they took, and each
/// round is compared with the plain copy of the same round.
#[test]
fn a_file_over_tcp_beside_plain_tcp() {
    let (bench, html) = super::bench("transfer --tcp 3M --runs 2", crate::common::seed(), &[]);
    let rows = bench["rows"].as_array().unwrap();
    let ways: Vec<_> = rows
        .iter()
        .map(|row| row["way"].as_str().unwrap())
        .collect();
    let all = ["memory_tcp", "plain_tcp", "trusted_tcp", "sealed_tcp"];
    assert_eq!(ways, all);
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        let values = value.as_array().unwrap().iter();
        values.map(|value| value.as_f64().unwrap()).collect()
    };
    let bases = ["memory", "plain"].map(|name| format!("of_{name}_tcp"));
    let bases = bases.iter().zip(&rows[..2]);
    let bases: Vec<_> = bases.map(|it| (it.0, numbers(&it.1["seconds"]))).collect();
    for row in rows {
        assert_eq!(
            (&row["files"], &row["file_bytes"]),
            (&1.into(), &(3 << 20).into())
        );
        let cpu = row["cpu_seconds"].as_array().unwrap();
        assert_eq!(cpu.len(), 2);
        // A thread of the plain copy may be done before the kernel has counted anything.
        let is_ours = row["peak_memory_bytes"].is_object();
        let least = if is_ours { 1e-6 } else { 0.0 };
        for end in ["send", "recv"] {
            let mut seconds = cpu.iter().map(|cpu| cpu[end].as_f64().unwrap());
            assert!(seconds.all(|it| it >= least), "{row:#}");
        }
        let seconds = numbers(&row["seconds"]);
        for (key, base) in &bases {
            // The greater one of two is the median.
            let ratio = (base[0] / seconds[0]).max(base[1] / seconds[1]);
            let said = row[key].as_f64().unwrap();
            assert!((said / ratio - 1.0).abs() < 1e-9, "{row:#}");
        }
    }
    for column in ["of plain TCP", "of TCP into memory"] {
        assert!(html.contains(column), "{html}");
    }
    for wrong in ["--tcp 1K", "--tcp 3M --many 5", "--runs 0"] {
        let words: Vec<&str> = wrong.split(' ').collect();
        let run = run_in(
            &std::env::temp_dir(),
            &[&["bench", "transfer"][..], &words].concat(),
        );
        assert_eq!(run.status, Some(3), "{run:?}");
    }
}

/// Over every path in every way; nothing is faster than its line, and the choice is compared with
/// the better kind.
#[test]
fn a_file_over_paths() {
    let clean = Settings::default();
    if needs("networks of their own", Relay::new([&clean; 2], 1500)).is_none() {
        return;
    }
    let (bench, html) = super::bench("transfer --paths", crate::common::seed(), &[]);
    assert_eq!(bench["rows"], serde_json::json!([]));
    let paths = bench["paths"].as_array().unwrap();
    let lines: Vec<_> = paths.iter().map(|path| &path["round_trip_ms"]).collect();
    assert_eq!(lines, [1.0, 10.0, 10.0, 10.0, 10.0]);
    let mut betters = Vec::new();
    for path in paths {
        let bits = 8.0 * path["file_bytes"].as_f64().unwrap();
        let line = bits * 1e-9 / path["rate_gbps"].as_f64().unwrap();
        let [tcp, udp, auto] = ["tcp", "udp", "auto"].map(|way| {
            let seconds = path[format!("{way}_seconds")].as_array().unwrap();
            assert_eq!(seconds.len(), 1, "{path:#}");
            seconds[0].as_f64().unwrap()
        });
        assert!(tcp.min(udp).min(auto) >= line, "{path:#}");
        let mut better = tcp.min(udp);
        if path["begins_halfway"] == true {
            better = betters[betters.len() - 2..].iter().sum::<f64>() / 2.0;
        }
        betters.push(better);
        let said = path["of_the_better"].as_f64().unwrap();
        assert!((said / (auto / better) - 1.0).abs() < 1e-9, "{path:#}");
    }
    assert!(html.contains("1 %, from the middle on"), "{html}");
}
