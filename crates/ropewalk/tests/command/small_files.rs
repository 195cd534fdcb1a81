// SPDX-License-Identifier: Apache-2.0
//! Directories of many small files, whose ends are killed at random moments, and names as long as
//! they may be.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use ropewalk_channel::seed::Seeds;

use crate::common::files::{end, kill, recv};
use crate::common::{noise, run_in, seed};

/// Files of a directory.
const EACH: usize = 60;

/// Small files of many lengths, in directories; some are of the longest name.
fn make(root: &Path, count: usize, seeds: &mut Seeds) {
    for number in 0..count {
        let folder = root.join(format!("in/d{}", number / EACH));
        if number % EACH == 0 {
            fs::create_dir_all(&folder).expect("made");
        }
        let seed = seeds.next_seed();
        let name = match number % 100 {
            7 => format!("{number:0255}"),
            _ => format!("f{number}"),
        };
        let bytes = noise(seed as usize % 3000, seed);
        fs::write(folder.join(name), bytes).expect("written");
    }
}

/// Compares all files that have come so far with those that were sent; how many there are. What is
/// not complete has another name.
fn compare(root: &Path) -> usize {
    let (mut right, mut unfinished) = (0, 0);
    for folder in fs::read_dir(root.join("in")).expect("read") {
        let folder = folder.expect("read").file_name();
        let Ok(files) = fs::read_dir(root.join("out/in").join(&folder)) else {
            continue;
        };
        for file in files {
            let file = file.expect("read");
            if file.file_name().as_bytes().starts_with(b".ropewalk-") {
                unfinished += 1;
                continue;
            }
            let sent = root.join("in").join(&folder).join(file.file_name());
            let sent = fs::read(sent).expect("a file that was sent");
            let came = fs::read(file.path()).expect("read");
            assert!(sent == came, "{} differs", file.path().display());
            right += 1;
        }
    }
    println!("{right} files are there, {unfinished} are unfinished");
    right
}

fn send(root: &Path, at: &str, rate: &str) -> Child {
    let mut command = crate::common::ropewalk();
    command
        .current_dir(root)
        .args(["send", "in", at, "--trusted", "--timeout", "200s"])
        .args(["--rate", rate])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs")
}

/// Kills either end at a number of random moments: whatever is there under its name is right at
/// each of them, and all of it is there at last.
fn killed(count: usize, moments: usize) {
    let mut seeds = Seeds::new(seed());
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    make(root, count, &mut seeds);
    let (mut receiver, at) = recv(root, "127.0.0.1:0");
    let at = at.to_string();
    let mut sender = send(root, &at, "20M");
    let mut before = 0;
    for _ in 0..moments {
        let random = seeds.next_seed();
        thread::sleep(Duration::from_millis(100 + random % 1500));
        if random & 1 << 40 == 0 {
            kill(sender);
            sender = send(root, &at, "20M");
        } else {
            kill(receiver);
            let now = compare(root);
            assert!(now >= before, "{now} files, and there were {before}");
            before = now;
            (receiver, _) = recv(root, &at);
        }
    }
    let status = sender.wait().expect("it ends");
    assert_eq!(status.code(), Some(0));
    kill(receiver);
    assert_eq!(compare(root), count);
    let names = fs::read_dir(root.join("out/in")).expect("read");
    for folder in names {
        let folder = folder.expect("read").path();
        let files = fs::read_dir(&folder).expect("read").count();
        let sent = root.join("in").join(folder.file_name().expect("a name"));
        let sent = fs::read_dir(sent).expect("read").count();
        assert_eq!(files, sent, "{}: nothing is left over", folder.display());
    }
}

#[test]
fn either_end_is_killed() {
    killed(3000, 6);
}

#[test]
#[ignore = "ten minutes"]
fn either_end_is_killed_two_hundred_times() {
    killed(20_000, 200);
}

/// Most memory of either end that carries this number of files, empty ones and small ones, once to
/// an empty place and once to where all of them are.
fn memory(count: usize) -> u64 {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    for number in 0..count {
        let folder = root.join(format!("in/d{}", number / 1000));
        if number % 1000 == 0 {
            fs::create_dir_all(&folder).expect("made");
        }
        let name = folder.join(format!("file-{number:07}"));
        fs::write(name, &[7; 64][..number % 64]).expect("written");
    }
    let mut most = 0;
    for is_there in [false, true] {
        let once = [
            "recv",
            "out",
            "--trusted",
            "--once",
            "--json",
            "--listen",
            "127.0.0.1:0",
        ];
        let mut receiver = crate::common::ropewalk()
            .current_dir(root)
            .args(once)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut said = BufReader::new(receiver.stderr.take().expect("a pipe"));
        let mut line = String::new();
        said.read_line(&mut line).expect("a line");
        let at = line.trim_end().rsplit(' ').next().expect("an address");
        let sender = ["send", "in", at, "--trusted", "--json", "--timeout", "600s"];
        let sender = crate::common::ropewalk()
            .current_dir(root)
            .args(sender)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        let [(status, sent), (theirs, received)] = [sender, receiver].map(end);
        assert_eq!((status, theirs), (Some(0), Some(0)), "{sent} {received}");
        assert_eq!(received["files"], count);
        assert_eq!(sent["bytes"] == sent["spared_bytes"], is_there, "{sent}");
        let peaks =
            [&sent, &received].map(|it| it["peak_memory_bytes"].as_u64().expect("a number"));
        println!(
            "{count} files, there: {is_there}; send {} MB, recv {} MB",
            peaks[0] / 1_000_000,
            peaks[1] / 1_000_000
        );
        most = most.max(peaks[0]).max(peaks[1]);
    }
    let files = fs::read_dir(root.join("out/in")).expect("read").count();
    assert_eq!(files, count.div_ceil(1000));
    most
}

/// What many files take: little for each, so that there may be a million.
#[test]
fn memory_of_many_files() {
    let (few, many) = (memory(500), memory(12_500));
    let each = many.saturating_sub(few) / 12_000;
    println!("{each} bytes for each");
    assert!(each < 300, "{each}");
}

/// A million files: less than 300 MB at either end.
#[test]
#[ignore = "long: a million files"]
fn a_million_files() {
    let most = memory(1_000_000);
    assert!(most < 300_000_000, "{most}");
}

/// Names of one file, a small one and one of several blocks, are names of one file again, also
/// where something else has taken their place.
#[test]
fn several_names_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir_all(root.join("in/d")).expect("made");
    let large = noise(5 << 20, seed());
    for (name, bytes) in [("small", &b"abc"[..]), ("large", &large)] {
        fs::write(root.join("in").join(name), bytes).expect("written");
        for other in ["d/other", "and"] {
            let other = root.join(format!("in/{other}-{name}"));
            fs::hard_link(root.join("in").join(name), other).expect("linked");
        }
    }
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let about = |name: String| fs::metadata(root.join("out/in").join(name)).expect("there");
    for _ in 0..3 {
        let run = run_in(
            root,
            &["send", "in", &at.to_string(), "--trusted", "--json"],
        );
        assert_eq!(run.status, Some(0), "{run:?}");
        for (name, bytes) in [("small", &b"abc"[..]), ("large", &large)] {
            let first = about(name.into());
            assert_eq!(first.nlink(), 3);
            for other in ["d/other", "and"] {
                assert_eq!(about(format!("{other}-{name}")).ino(), first.ino());
            }
            assert!(fs::read(root.join("out/in").join(name)).expect("read") == bytes);
        }
        let other = root.join("out/in/d/other-small");
        fs::remove_file(&other).expect("removed");
        fs::write(&other, "another file").expect("written");
        assert_eq!(fs::read_dir(root.join("out/in")).expect("read").count(), 5);
    }
    kill(receiver);
}

/// Names that file systems take, also of files that come in several blocks, are taken.
#[test]
fn the_longest_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir(root.join("in")).expect("made");
    let seed = seed();
    let files = [(250, 100), (255, 9 << 20), (244, 2 << 20), (243, 9 << 20)];
    for (length, bytes) in files {
        let name = format!("in/{bytes:0length$}");
        fs::write(root.join(name), noise(bytes, seed)).expect("written");
    }
    let (receiver, at) = recv(root, "127.0.0.1:0");
    let run = run_in(root, &["send", "in", &at.to_string(), "--trusted"]);
    kill(receiver);
    assert_eq!(run.status, Some(0), "{run:?}");
    for (length, bytes) in files {
        let name = format!("in/{bytes:0length$}");
        let came = fs::read(root.join("out").join(&name)).expect("there");
        assert!(came == noise(bytes, seed), "{name} differs");
    }
    assert_eq!(fs::read_dir(root.join("out/in")).expect("read").count(), 4);
}
