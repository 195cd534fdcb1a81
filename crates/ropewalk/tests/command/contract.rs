// SPDX-License-Identifier: Apache-2.0
//! What scripts may rely on, whatever the subcommand: exit status, JSON, help, manual pages,
//! settings from a file.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{Run, run_in};

fn ropewalk(args: &[&str]) -> Run {
    run_in(Path::new("."), args)
}

fn object(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

#[test]
fn without_arguments_it_says_what_it_can_do() {
    let run = ropewalk(&[]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.contains("Usage: ropewalk"), "{run:?}");
    assert!(run.stdout.contains("\n  recv "), "{run:?}");
    for status in [
        "0 done",
        "1 done, and",
        "2 the network",
        "3 what was",
        "130",
    ] {
        assert!(run.stdout.contains(status), "{status}: {run:?}");
    }
}

/// An object on standard output as well as the line on standard error.
#[test]
fn failures_are_json_where_json_is_asked_for() {
    for (args, command, status, why) in [
        (
            &["send", "x", "127.0.0.1", "--code", "1234-5678", "--json"][..],
            "send",
            3,
            "cannot read x",
        ),
        (
            &["send", "x", "127.0.0.1", "--rate", "-1", "--json"],
            "send",
            3,
            "10M to 1000G",
        ),
        (&["perf", "--json", "--lanes", "0"], "perf", 3, "1 to 32"),
        (
            &["decode", "chunk", "not/there", "--json"],
            "decode chunk",
            3,
            "cannot read not/there",
        ),
        (
            &["decode", "htsp", "not/there", "--json"],
            "decode htsp",
            3,
            "cannot read not/there",
        ),
        (
            &["htsp", "stat", "--if", "a/b", "--json"],
            "htsp stat",
            2,
            "a/b",
        ),
        (
            &["stat", "htsp", "--if", "a/b", "--json"],
            "htsp stat",
            2,
            "a/b",
        ),
        (
            &["recv", "out", "--once", "--trusted", "--json", "--wombat"],
            "recv",
            3,
            "--wombat",
        ),
        (&["wombat", "--json"], "ropewalk", 3, "wombat"),
    ] {
        let run = ropewalk(args);
        assert_eq!(run.status, Some(status), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        let told = object(&run);
        assert_eq!(told["schema"], 1, "{run:?}");
        assert_eq!(told["command"], command, "{run:?}");
        assert_eq!(told["ok"], false, "{run:?}");
        assert_eq!(told["exit_status"], status, "{run:?}");
        let error = told["error"].as_str().expect("a text");
        assert!(error.contains(why), "{run:?}");
        assert_eq!(run.stderr.trim_end(), format!("ropewalk: {error}"));
    }
}

/// A port that is taken is no mistake of whoever types the command.
#[test]
fn a_port_that_is_taken_is_a_failure_of_the_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").expect("bound");
    let at = taken.local_addr().expect("an address").to_string();
    let args = [
        "recv",
        "out",
        "--trusted",
        "--once",
        "--json",
        "--listen",
        &at,
    ];
    let run = run_in(folder.path(), &args);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert_eq!(object(&run)["command"], "recv");
}

#[test]
fn results_say_what_they_are_of() {
    let run = ropewalk(&["perf", "--seconds", "0.1", "--loss", "1%", "--json"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let told = object(&run);
    assert_eq!(
        (&told["schema"], &told["command"]),
        (&1.into(), &"perf".into())
    );
    assert_eq!(told["drop"], 0.01);
    assert!(
        run.stdout
            .starts_with("{\n  \"schema\": 1,\n  \"command\": ")
    );
    // The older spelling of --loss.
    let run = ropewalk(&["perf", "--seconds", "0.1", "--drop", "1%", "--json"]);
    assert_eq!(object(&run)["drop"], 0.01);
}

/// Every page that a page refers to can be printed.
#[test]
fn manual_pages_exist() {
    let mut waiting = vec![Vec::<String>::new()];
    let mut pages = 0;
    while let Some(path) = waiting.pop() {
        let args = [&["man".to_owned()], &path[..]].concat();
        let run = ropewalk(&args.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(run.status, Some(0), "{path:?}: {run:?}");
        let name = [&["ropewalk".to_owned()], &path[..]].concat().join("-");
        let page = run.stdout.replace("\\-", "-");
        assert!(page.contains(&format!(".TH {name} ")), "{name}: {page}");
        pages += 1;
        for line in page.lines().filter_map(|line| line.strip_suffix("(1)")) {
            let child = line.strip_prefix(&format!("{name}-"));
            let child = child.unwrap_or_else(|| panic!("{name} refers to {line}"));
            waiting.push([&path[..], &[child.to_owned()]].concat());
        }
    }
    assert!(pages > 10, "{pages}");
    let run = ropewalk(&["man", "wombat"]);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(
        run.stderr.contains("'wombat'") && run.stderr.contains("send"),
        "{run:?}"
    );

    let folder = tempfile::tempdir().expect("a folder");
    let run = run_in(folder.path(), &["man", "--out", "pages"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    for page in [
        "ropewalk.1",
        "ropewalk-send.1",
        "ropewalk-decode-htsp.1",
        "ropewalk-decode-chunk.1",
    ] {
        assert!(folder.path().join("pages").join(page).is_file(), "{page}");
    }
}

/// What the file says is used, what the command line says wins, and -v tells which is which.
#[test]
fn settings_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::write(root.join("data"), "content").expect("written");
    let config = |text: &str| fs::write(root.join("c.toml"), text).expect("written");
    config(
        "[send]\ntrusted = true\ntimeout = \"1s\"\njson = true\nrate = \"20M\"\n[recv]\nonce = true\n",
    );
    let send = ["send", "data", "127.0.0.1:9", "--config", "c.toml", "-v"];
    let run = run_in(root, &send);
    assert_eq!(run.status, Some(2), "{run:?}");
    // From the file: the proof, the time, JSON.
    assert_eq!(object(&run)["command"], "send");
    assert!(run.stderr.contains("c.toml says --timeout=1s"), "{run:?}");
    assert!(run.stderr.contains("a lane to 127.0.0.1:9"), "{run:?}");
    assert!(!run.stderr.contains("--once"), "{run:?}");
    // The command line wins, and a proof that it names takes the place of all of the file's.
    let more = ["--timeout", "1.2s", "--code", "1234-5678"];
    let run = run_in(root, &[&send[..], &more].concat());
    assert!(!run.stderr.contains("--timeout"), "{run:?}");
    assert!(!run.stderr.contains("--trusted"), "{run:?}");
    assert!(run.stderr.contains("c.toml says --rate=20M"), "{run:?}");
    // Without -v nothing is said about it.
    let run = run_in(root, &send[..5]);
    assert!(!run.stderr.contains("says"), "{run:?}");

    for (text, parts) in [
        (
            "[send]\nwombat = 1\n",
            &["unknown key 'wombat' in [send]", "timeout"][..],
        ),
        (
            "[recv]\nrate = \"1G\"\n",
            &["unknown key 'rate' in [recv]", "listen"],
        ),
        ("[perf]\n", &["unknown section 'perf'", "send, recv"]),
        ("rate = 3\n", &["unknown section 'rate'"]),
        (
            "[send]\ntrusted = 1\n",
            &["'trusted' in [send]", "true or false"],
        ),
        (
            "[send]\nrate = true\n",
            &["'rate' in [send]", "a text or a number"],
        ),
        ("[send]\nrate = [\"1G\"]\n", &["'rate' in [send]"]),
        ("[send]\nrate = \"28\"\n", &["--rate", "is in bit/s"]),
        ("[send]\n\nrate 3\n", &["line 3"]),
        ("[send]\nconfig = \"x\"\n", &["unknown key 'config'"]),
    ] {
        config(text);
        let run = run_in(
            root,
            &[
                "send",
                "data",
                "127.0.0.1",
                "--trusted",
                "--config",
                "c.toml",
            ],
        );
        assert_eq!(run.status, Some(3), "{text}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{text}: {run:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "{text}: {run:?} lacks {part}");
        }
    }
    let run = run_in(root, &["recv", "out", "--config", "none.toml"]);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(run.stderr.contains("cannot read none.toml"), "{run:?}");
}

/// The same for the receiver, which a busy port ends here.
#[test]
fn settings_of_the_receiver() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").expect("bound");
    let at = taken.local_addr().expect("an address");
    let text = format!("[recv]\nlisten = \"{at}\"\nonce = true\ntrusted = true\njson = true\n");
    fs::write(root.join("c.toml"), text).expect("written");
    let run = run_in(root, &["recv", "out", "--config", "c.toml", "-v"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    for said in [
        &format!("says --listen={at}"),
        "says --trusted",
        "says --once",
    ] {
        assert!(run.stderr.contains(said), "{run:?}");
    }
    let more = ["--key", "none", "--allow", "none"];
    let args = [&["recv", "out", "--config", "c.toml", "-v"][..], &more].concat();
    let run = run_in(root, &args);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(!run.stderr.contains("--trusted"), "{run:?}");
}

/// Several lanes as a list.
#[test]
fn a_list_in_a_file_is_an_option_that_is_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::write(root.join("data"), "content").expect("written");
    let text = "[send]\ntrusted = true\ntimeout = \"1s\"\nlane = [\"127.0.0.1=127.0.0.1:9\", \"127.0.0.1=127.0.0.1:10\"]\n";
    fs::write(root.join("c.toml"), text).expect("written");
    let run = run_in(
        root,
        &["-v", "send", "data", "127.0.0.1", "--config=c.toml"],
    );
    assert_eq!(run.status, Some(2), "{run:?}");
    for port in [9, 10] {
        let lane = format!("a lane from 127.0.0.1:0 to 127.0.0.1:{port}\n");
        assert!(run.stderr.contains(&lane), "{run:?}");
    }
}

/// Both spellings of what HTSP does are one; a verb alone is about files.
#[test]
fn the_verb_comes_first() {
    for (args, part) in [
        (["send", "--vc", "0=none"], "cannot read none"),
        (["recv", "--vc", "16=a"], "0 to 15"),
        (["link", "--send", "0=none"], "cannot read none"),
        (["stat", "--every", "0"], "--every"),
    ] {
        let older = [&["htsp"][..], &args, &["--if", "x"]].concat();
        let newer = [&[args[0], "htsp"][..], &args[1..], &["--if", "x"]].concat();
        let (older, newer) = (ropewalk(&older), ropewalk(&newer));
        assert_eq!(newer.status, Some(3), "{newer:?}");
        assert!(newer.stderr.contains(part), "{newer:?}");
        assert_eq!(older.stderr, newer.stderr);
    }
    for (args, part) in [
        (&["send"][..], "HOST"),
        (&["send", "x"], "HOST"),
        (&["recv"], "DIR"),
        (&["send", "x", "localhost:99999"], "there is no port 99999"),
        // A file may have any name but that of a protocol.
        (
            &["send", "help", "127.0.0.1", "--trusted"],
            "cannot read help",
        ),
        (
            &["send", "./htsp", "127.0.0.1", "--trusted"],
            "cannot read ./htsp",
        ),
    ] {
        let run = ropewalk(args);
        assert_eq!(run.status, Some(3), "{run:?}");
        assert!(run.stderr.contains(part), "{run:?}");
    }
    assert!(!ropewalk(&["--help"]).stdout.contains("\n  htsp "));
}
