// SPDX-License-Identifier: Apache-2.0
//! What `sim rifl`, `sim slink` and `sim rdma` record is what `decode` finds there.

use serde_json::Value;

use crate::common::{Run, run_in, seed};

fn value(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"))
}

fn count(value: &Value, name: &str) -> u64 {
    value[name]
        .as_u64()
        .unwrap_or_else(|| panic!("{name} of {value}"))
}

#[test]
fn rifl_lanes() {
    let folder = tempfile::tempdir().unwrap();
    let seed = seed().to_string();
    for mode in [&["--lanes", "2"][..], &["--compatible"], &["--ber", "5e-6"]] {
        let sim = [
            "sim",
            "rifl",
            "--packets",
            "30",
            "--size",
            "1..300",
            "--capture",
            "lanes",
        ];
        let args = [&sim[..], mode, &["--seed", &seed, "--json"]].concat();
        let sim = value(&run_in(folder.path(), &args));
        assert_eq!(sim["ok"], true, "{sim}");
        let run = run_in(folder.path(), &["decode", "rifl", "lanes", "--json"]);
        let decoded = value(&run);
        let lanes = decoded["lanes"].as_array().unwrap();
        assert_eq!(lanes.len() as u64, count(&sim, "lanes"));
        let sum = |name: &str| lanes.iter().map(|lane| count(lane, name)).sum::<u64>();
        for lane in lanes {
            assert_eq!(lane["id_width"], sim["id_width"], "{lane}");
            if mode != ["--compatible"] {
                assert_eq!(lane["sessions"].as_array().unwrap().len(), 1, "{lane}");
            }
        }
        if mode[0] == "--ber" {
            assert_eq!(decoded["ok"], sum("damaged") == 0, "{decoded}");
        } else {
            assert_eq!((run.status, &decoded["ok"]), (Some(0), &Value::Bool(true)));
            assert_eq!(sum("packets"), 30);
            assert_eq!(sum("bytes"), count(&sim["directions"][0], "bytes_sent"));
        }
    }
}

#[test]
fn slink_lanes() {
    let folder = tempfile::tempdir().unwrap();
    let seed = seed().to_string();
    let write = ["write_requests", "done"];
    for (code, mode, kinds) in [
        (None, &["--mode", "write", "--crc"][..], write),
        (
            None,
            &["--mode", "read", "--lanes", "2"],
            ["read_requests", "read_data"],
        ),
        (Some("--blocks"), &["--mode", "write", "--crc"], write),
    ] {
        let sim = [
            "sim", "slink", "--ops", "4", "--size", "256", "--skew", "60",
        ];
        let more = ["--seed", &seed, "--capture", "lanes", "--quiet"];
        let code: Vec<_> = code.into_iter().collect();
        let run = run_in(folder.path(), &[&sim[..], mode, &code, &more].concat());
        assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""), "{run:?}");
        let decode = ["decode", "slink", "lanes", "--json"];
        let run = run_in(folder.path(), &[&decode[..], &code].concat());
        let decoded = value(&run);
        assert_eq!(run.status, Some(0), "{decoded}");
        // What B sends in answer is on the lanes of the other direction.
        assert_eq!(count(&decoded, kinds[0]), 4, "{decoded}");
        assert_eq!(count(&decoded, kinds[1]), 0);
        assert!(count(&decoded, "notices") > 0);
        let frames = decoded["frames"].as_array().unwrap();
        let requests = frames.iter().filter(|frame| frame["bytes"] == 256);
        assert_eq!(requests.count(), 4);
    }
}

#[test]
fn rdma_words() {
    let folder = tempfile::tempdir().unwrap();
    let seed = seed().to_string();
    for mode in [&[][..], &["--packed"], &["--damage", "30%"]] {
        let sim = [
            "sim",
            "rdma",
            "--transfers",
            "20",
            "--size",
            "1..4K",
            "--capture",
            "words",
        ];
        let args = [&sim[..], mode, &["--seed", &seed, "--quiet"]].concat();
        let run = run_in(folder.path(), &args);
        assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""), "{run:?}");
        let run = run_in(folder.path(), &["decode", "rdma", "words", "--json"]);
        let decoded = value(&run);
        let damaged = mode.contains(&"--damage");
        assert_eq!(decoded["ok"], !damaged, "{mode:?}");
        assert!(count(&decoded, "packets") > 20);
        assert_eq!(count(&decoded, "retries") > 0, damaged);
        // There are packets to both nodes.
        let frames = decoded["frames"].as_array().unwrap();
        for bus in 0..2 {
            assert!(frames.iter().any(|frame| frame["bus"] == bus));
        }
        let good = frames.iter().filter(|frame| frame["good"] == true);
        for frame in good {
            assert_eq!(frame["packet"]["destination"], frame["bus"], "{frame}");
        }
    }
}
