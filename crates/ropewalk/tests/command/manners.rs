// SPDX-License-Identifier: Apache-2.0
//! What people expect of a tool that sends files: several sources, patterns, a look before it goes,
//! a limit, and refusals before anything travels.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ropewalk_testkit::needs;
use serde_json::Value;

use crate::common::files::{kill, recv};
use crate::common::{Run, noise, run_in, seed};

/// Nobody is there.
const NOBODY: &str = "127.0.0.1:9";
/// Bytes of a block of a large file.
const BLOCK: usize = 1 << 22;

fn write(root: &Path, files: &[(&str, &[u8])]) {
    for (name, bytes) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, bytes).expect("written");
    }
}

/// Names of all that is below a directory, with the time at which each was changed.
fn tree(folder: &Path) -> Vec<(PathBuf, i64, i64)> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let about = fs::symlink_metadata(&path).expect("there");
        if about.is_dir() {
            let inside = fs::read_dir(&path).expect("read");
            waiting.extend(inside.map(|entry| entry.expect("read").path()));
        }
        let name = path.strip_prefix(folder).expect("below").to_owned();
        found.push((name, about.mtime(), about.mtime_nsec()));
    }
    found.sort();
    found
}

fn names(folder: &Path) -> Vec<String> {
    let names = tree(folder).into_iter().map(|(name, ..)| name);
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| !name.is_empty()).collect()
}

fn object(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

/// Files and directories in one call; what has the name of another one is refused by both paths,
/// before a receiver is looked for.
#[test]
fn several_sources() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    write(
        root,
        &[("a", b"1"), ("d/x", b"2"), ("d/y/z", b"3"), ("e/x", b"4")],
    );
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let at = at.to_string();
    let run = run_in(
        root,
        &["send", "a", "d/", "e/x", &at, "--trusted", "--json"],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(object(&run)["bytes"], 4);
    assert_eq!(
        names(&root.join("out")),
        ["a", "d", "d/x", "d/y", "d/y/z", "x"]
    );

    // Options stand anywhere.
    for args in [
        &["send", "a", "--trusted", "--limit", "1G", &at, "--json"][..],
        &["send", "--trusted", "a", "--exclude", "x", "d", &at],
    ] {
        let run = run_in(root, args);
        assert_eq!(run.status, Some(0), "{run:?}");
    }
    kill(receiver);

    for (paths, why) in [
        (
            ["d/x", "e/x"],
            "d/x and e/x would both be called 'x' at the receiver",
        ),
        (["d", "d/"], "d and d/ would both be called 'd'"),
        (["-", "-"], "- and - would both be called 'stdin'"),
        (["a", "none"], "cannot read none"),
    ] {
        let args = ["send", paths[0], paths[1], NOBODY, "--timeout", "100s"];
        // Without a code: nobody types one in vain.
        for proof in [&["--trusted"][..], &[]] {
            let run = run_in(root, &[&args[..], proof].concat());
            assert_eq!(run.status, Some(3), "{run:?}");
            assert!(run.stderr.contains(why), "{run:?}");
        }
    }
}

/// The order of patterns decides, wherever they stand; those of a file count where the command line
/// has none.
#[test]
fn patterns_choose() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let all = [
        "in/a.log",
        "in/keep.log",
        "in/b",
        "in/cache/c",
        "in/d/cache/e",
    ];
    for name in all {
        write(root, &[(name, name.as_bytes())]);
    }
    fs::write(
        root.join("c.toml"),
        "[send]\nexclude = [\"*.log\", \"/cache\"]\nlimit = \"1G\"\n",
    )
    .expect("written");
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let at = at.to_string();
    let logs = ["--exclude", "*.log"];
    let keep = ["--include", "keep.*"];
    let caches = ["--exclude=cache/"];
    for (patterns, expected) in [
        (
            [&keep[..], &logs, &caches].concat(),
            &["b", "d", "keep.log"][..],
        ),
        ([&logs[..], &keep, &caches].concat(), &["b", "d"]),
        (
            vec!["--config", "c.toml"],
            &["b", "d", "d/cache", "d/cache/e"],
        ),
        (
            vec!["--config", "c.toml", "--exclude", "/d"],
            &["a.log", "b", "cache", "cache/c", "keep.log"],
        ),
    ] {
        let args = [&["send", "in", &at, "--trusted"][..], &patterns].concat();
        let run = run_in(root, &args);
        assert_eq!(run.status, Some(0), "{run:?}");
        assert_eq!(names(&root.join("out/in")), expected, "{patterns:?}");
        fs::remove_dir_all(root.join("out/in")).expect("removed");
    }
    kill(receiver);
    for (pattern, why) in [
        ("", "it matches no name"),
        ("[a", "accepted: such as *.log"),
    ] {
        let run = run_in(
            root,
            &["send", "in", NOBODY, "--trusted", "--exclude", pattern],
        );
        assert_eq!(run.status, Some(3), "{run:?}");
        assert!(
            run.stderr.contains(why) && run.stderr.contains("--exclude"),
            "{run:?}"
        );
    }
}

/// It says what would travel, and what is there already of whole files and of unfinished ones;
/// nothing changes, and the receiver of one transfer still waits for that.
#[test]
fn a_look_before_it_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let bytes = noise(2 * BLOCK + 5, seed());
    write(
        root,
        &[
            ("in/a", b"12345"),
            ("in/large", &bytes),
            ("in/junk/b", b"6"),
        ],
    );
    let local = ["send", "in", NOBODY, "--dry-run", "--exclude", "junk"];
    let run = run_in(root, &[&local[..], &["--json"]].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    let told = object(&run);
    assert_eq!(
        (&told["asked"], &told["files"]),
        (&false.into(), &2.into()),
        "{told}"
    );
    assert_eq!(told["bytes"], 5 + bytes.len());
    assert_eq!(
        (&told["directories"], &told["excluded"]),
        (&1.into(), &1.into())
    );
    assert!(
        told["notes"]
            .to_string()
            .contains("neither --code nor --key"),
        "{told}"
    );
    // In words; nobody answers.
    let run = run_in(
        root,
        &[&local[..], &["-v", "--trusted", "--timeout", "1s"]].concat(),
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(
        run.stderr.contains("was not asked what it has: "),
        "{run:?}"
    );
    assert!(run.stderr.contains("in/large\n"), "{run:?}");
    assert!(
        run.stdout.starts_with("2 files, ") && run.stdout.ends_with(": nothing was sent\n"),
        "{run:?}"
    );

    // One file is there, of the second a block.
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let at = at.to_string();
    let run = run_in(
        root,
        &[
            "send",
            "in",
            &at,
            "--trusted",
            "--exclude",
            "large",
            "--exclude",
            "junk",
        ],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let send = ["send", "in", &at, "--trusted", "--exclude", "junk"];
    let sender = crate::common::ropewalk()
        .current_dir(root)
        .args(send)
        .args(["--limit", "20M"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let sender = sender.expect("it runs");
    let table = root.join("out/in/large.part.blocks");
    while fs::metadata(&table).map_or(0, |about| about.len()) <= 64 {
        std::thread::sleep(Duration::from_millis(20));
    }
    kill(sender);
    kill(receiver);

    let once = ["recv", "out", "--trusted", "--once", "--listen", &at];
    let receiver = crate::common::ropewalk()
        .current_dir(root)
        .args(once)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut receiver = receiver.expect("it runs");
    let before = tree(&root.join("out"));
    let run = run_in(
        root,
        &[&send[..], &["--dry-run", "--json", "--timeout", "60s"]].concat(),
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let told = object(&run);
    assert_eq!(
        (&told["asked"], &told["there_files"]),
        (&true.into(), &1.into()),
        "{told}"
    );
    let there = told["there_bytes"].as_u64().expect("a number") as usize;
    assert!([5 + BLOCK, 5 + 2 * BLOCK].contains(&there), "{told}");
    // The receiver makes a file and removes it when it begins to wait; nothing changes later.
    let run = run_in(root, &[&send[..], &["--dry-run"]].concat());
    assert!(
        run.stdout.contains("; the receiver has 1 files and "),
        "{run:?}"
    );
    let after = tree(&root.join("out"));
    assert_eq!(before[1..], after[1..]);
    let run = run_in(root, &[&send[..], &["--json"]].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(object(&run)["spared_bytes"], there, "as was said: {run:?}");
    assert!(receiver.wait().expect("it ends").success());
    assert!(fs::read(root.join("out/in/large")).expect("read") == bytes);
}

/// A file with 17 bytes more than the receiver has: only with `--no-delta` all of it travels.
#[test]
fn a_changed_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let bytes = noise(5_000_000, seed());
    write(root, &[("in", &bytes)]);
    let older = [&bytes[..1_234_567], &bytes[1_234_584..]].concat();
    for (options, most, least) in [
        (&[][..], 50_000, 1),
        (&["--no-delta"], 5_010_000, 5_000_000),
    ] {
        write(root, &[("out/in", &older)]);
        let (receiver, at) = recv(root, "127.0.0.1:0");
        let at = at.to_string();
        let send = ["send", "in", &at, "--trusted", "--json"];
        let run = run_in(root, &[&send[..], options].concat());
        assert_eq!(run.status, Some(0), "{run:?}");
        let sent = object(&run)["sent_bytes"].as_u64().expect("a number");
        assert!((least..=most).contains(&sent), "{options:?}: {sent}");
        kill(receiver);
        assert!(fs::read(root.join("out/in")).expect("read") == bytes);
    }
}

/// They go along with an option, and only with it.
#[test]
fn extended_attributes() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    write(root, &[("in", b"abc")]);
    let set = |name: &str, value: &[u8]| {
        let flags = rustix::fs::XattrFlags::empty();
        rustix::fs::setxattr(root.join("in"), name, value, flags)
    };
    set("user.run", b"17").expect("a file system that takes it");
    for (options, expected) in [(&[][..], None), (&["--xattrs"], Some(&b"17"[..]))] {
        let (receiver, at) = recv(root, "127.0.0.1:0");
        let at = at.to_string();
        let run = run_in(root, &[&["send", "in", &at, "--trusted"], options].concat());
        assert_eq!(run.status, Some(0), "{run:?}");
        kill(receiver);
        let mut value = [0; 9];
        let length = rustix::fs::getxattr(root.join("out/in"), "user.run", &mut value[..]);
        assert_eq!(length.ok().map(|length| &value[..length]), expected);
        fs::remove_dir_all(root.join("out")).expect("it is there");
    }
}

/// The least time that this number of bytes takes, over two lanes.
#[test]
fn a_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    write(root, &[("in", &noise(4_000_000, seed()))]);
    let (receiver, at) = recv(root, "0.0.0.0:0");
    let lanes = [2, 3].map(|own| format!("127.0.0.{own}=127.0.0.1:{}", at.port()));
    let at = format!("127.0.0.1:{}", at.port());
    let args = [
        "send",
        "in",
        &at,
        "--trusted",
        "--limit",
        "40M",
        "--lane",
        &lanes[0],
        "--lane",
        &lanes[1],
    ];
    let begun = Instant::now();
    let run = run_in(root, &args);
    let time = begun.elapsed();
    kill(receiver);
    assert_eq!(run.status, Some(0), "{run:?}");
    // A burst at the beginning is not paced.
    assert!(time > Duration::from_millis(760), "{time:?}");
    let run = run_in(root, &["send", "in", NOBODY, "--trusted", "--limit", "7"]);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(run.stderr.contains("is in bit/s"), "{run:?}");
}

/// A receiver in a file system of 4 MB: 9 MB are refused before the first byte of them, and both
/// ends say what is missing where; a look before it goes says so, too. What has room is taken.
#[test]
fn too_little_space() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    write(root, &[("large", &noise(9_000_000, 1)), ("small", b"abc")]);
    fs::create_dir(root.join("out")).expect("made");
    let line = "mount -t tmpfs -o size=4m tmpfs out && exec \"$@\"";
    let child = Command::new("unshare")
        .current_dir(root)
        .args(["--map-root-user", "--mount", "sh", "-c", line, "sh"])
        .arg(env!("CARGO_BIN_EXE_ropewalk"))
        .args(["recv", "out", "--trusted", "--listen", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let Some(mut child) = needs("file system of its own, 'unshare' cannot be run", child) else {
        return;
    };
    let mut said = std::io::BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("waiting at ") {
        line.clear();
        let count = std::io::BufRead::read_line(&mut said, &mut line).expect("a line");
        if count == 0 {
            let ended = child.wait();
            needs(
                "file system of its own, 'mount' is refused",
                Err::<(), _>(format!("{ended:?}")),
            );
            return;
        }
    }
    let at = line
        .trim_end()
        .rsplit(' ')
        .next()
        .expect("an address")
        .to_owned();
    let why = "cannot write to out: 9000000 bytes are needed, and 4194304 are free there";
    for more in [&["--dry-run"][..], &[]] {
        let run = run_in(root, &[&["send", "large", &at, "--trusted"], more].concat());
        assert_eq!(run.status, Some(1), "{run:?}");
        assert!(run.stderr.contains(why), "{run:?}");
    }
    let run = run_in(root, &["send", "small", &at, "--trusted"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    kill(child);
    let mut text = String::new();
    std::io::Read::read_to_string(&mut said, &mut text).expect("read");
    assert!(text.contains(why), "{text}");
}
