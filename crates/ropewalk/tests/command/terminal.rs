// SPDX-License-Identifier: Apache-2.0
//! `ropewalk send` and `ropewalk recv` on a terminal: how far they are, lane by lane, and the
//! question for the code.
//!
//! `script` makes the terminal. Where there is none the tests are skipped.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use ropewalk_channel::Settings;
use ropewalk_io::proxy::Proxy;
use ropewalk_testkit::needs;

use crate::common::files::kill;
use crate::common::noise;

/// A program on a terminal of its own; what it shows there is its standard output, and its keyboard
/// standard input.
fn on_a_terminal(folder: &Path, args: &[&str]) -> Option<Child> {
    let words = [&[env!("CARGO_BIN_EXE_ropewalk")], args].concat();
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let line = format!("stty cols 120 rows 30; exec {}", words.join(" "));
    let child = Command::new("script")
        .current_dir(folder)
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    needs("terminal, 'script' cannot be run", child)
}

/// Types something, ends the input if asked to, and gives the status and all that was shown.
fn typed(mut child: Child, text: &str) -> (Option<i32>, String) {
    let mut keyboard = child.stdin.take().expect("a keyboard");
    keyboard.write_all(text.as_bytes()).expect("typed");
    drop(keyboard);
    let output = child.wait_with_output().expect("it ends");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), shown)
}

/// Both ends show a line of each lane, with what is lost on it and what was done about it.
#[test]
fn lines_of_lanes() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::write(root.join("in"), noise(16_000_000, 1)).expect("written");
    let args = [
        "recv",
        "out",
        "--trusted",
        "--once",
        "--listen",
        "127.0.0.1:0",
    ];
    let Some(mut receiver) = on_a_terminal(root, &args) else {
        return;
    };
    let _keyboard = receiver.stdin.take();
    let mut screen = BufReader::new(receiver.stdout.take().expect("a screen"));
    let mut line = String::new();
    while !line.contains("waiting at ") {
        line.clear();
        assert_ne!(screen.read_line(&mut line).expect("a line"), 0);
    }
    let at = line.trim_end().rsplit(' ').next().expect("an address");
    let at = at.parse().expect("an address");
    let screen = thread::spawn(move || {
        let mut text = Vec::new();
        screen.read_to_end(&mut text).expect("read");
        String::from_utf8_lossy(&text).into_owned()
    });
    let settings = Settings {
        mtu: 8972,
        loss: 0.05,
        ..Settings::default()
    };
    let here = "127.0.0.1:0".parse().expect("an address");
    let way = || Proxy::new(here, at, [&settings, &Settings::default()]).expect("a way");
    let ways = [way(), way()];
    let lanes = ways
        .each_ref()
        .map(|way| format!("127.0.0.1={}", way.local()));
    let host = ways[0].local().to_string();
    let args = [
        "send",
        "in",
        &host,
        "--trusted",
        "--rate",
        "40M",
        "--lane",
        &lanes[0],
        "--lane",
        &lanes[1],
    ];
    let sender = on_a_terminal(root, &args).expect("a terminal");
    let output = sender.wait_with_output().expect("it ends");
    let sent = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{sent}");
    assert!(receiver.wait().expect("it ends").success());
    let received = screen.join().expect("text");
    for (shown, parts) in [
        (&*sent, [" left, ", "round trip ", ", sent again "]),
        (&received, ["received", "Gb/s, lost ", " %, damaged "]),
    ] {
        let own = ["lane 1: ", "lane 2: ", "compared by hash"];
        for part in parts.iter().chain(&own) {
            assert!(shown.contains(part), "no '{part}': {shown}");
        }
    }
}

/// A receiver that shows codes, where it waits, and its code. `at`: where it is to wait.
fn with_code(root: &Path, at: &str) -> (Child, String, String) {
    let mut receiver = crate::common::ropewalk()
        .current_dir(root)
        .args(["recv", "out", "--once", "--listen", at])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut lines = BufReader::new(receiver.stderr.take().expect("a pipe")).lines();
    let mut word = |after: &str| {
        let line = lines.find_map(|line| line.ok().filter(|line| line.contains(after)));
        let line = line.unwrap_or_else(|| panic!("no {after}"));
        let (_, rest) = line.split_once(after).expect("it was found");
        rest.split([' ', ';']).next().expect("a word").to_owned()
    };
    let (at, code) = (word("waiting at "), word("code "));
    // What it says to nobody would end it.
    thread::spawn(move || lines.for_each(drop));
    (receiver, at, code)
}

/// The receiver dies, and is started anew: the sender goes on with its new code, and what has come
/// is not sent again.
#[test]
fn the_code_of_a_receiver_that_was_started_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let bytes = noise(24_000_000, 1);
    fs::write(root.join("in"), &bytes).expect("written");
    let (receiver, at, code) = with_code(root, "127.0.0.1:0");
    let args = ["send", "in", &at, "--rate", "40M"];
    let Some(mut sender) = on_a_terminal(root, &args) else {
        kill(receiver);
        return;
    };
    let mut keyboard = sender.stdin.take().expect("a keyboard");
    writeln!(keyboard, "{code}").expect("typed");
    let table = root.join("out/in.part.blocks");
    while fs::metadata(&table).map_or(0, |about| about.len()) <= 64 {
        thread::sleep(std::time::Duration::from_millis(20));
    }
    kill(receiver);
    let (mut receiver, _, code) = with_code(root, &at);
    writeln!(keyboard, "{code}").expect("typed");
    let output = sender.wait_with_output().expect("it ends");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("was started anew"), "{shown}");
    assert!(receiver.wait().expect("it ends").success());
    assert!(fs::read(root.join("out/in")).expect("read") == bytes);
}

/// The code is asked for until it can be one; a wrong one is refused; the end of the input is an
/// interruption.
#[test]
fn the_question_for_the_code() {
    const QUESTION: &str = "Code that the receiver shows: ";
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::write(root.join("in"), "text").expect("written");
    let (mut receiver, at, code) = with_code(root, "127.0.0.1:0");
    let args = ["send", "in", &at];
    let Some(sender) = on_a_terminal(root, &args) else {
        kill(receiver);
        return;
    };
    let (status, shown) = typed(sender, "nonsense\n");
    assert_eq!(status, Some(130), "{shown}");
    assert_eq!(shown.matches(QUESTION).count(), 2, "{shown}");
    assert!(shown.contains("a code has 8 digits"), "{shown}");

    let other = if code.starts_with('1') { '2' } else { '1' };
    let wrong = format!("{other}{}\n", &code[1..]);
    let (status, shown) = typed(on_a_terminal(root, &args).expect("a terminal"), &wrong);
    assert_eq!(status, Some(1), "{shown}");
    assert_eq!(shown.matches(QUESTION).count(), 1, "{shown}");

    let right = format!(" {code} \n");
    let (status, shown) = typed(on_a_terminal(root, &args).expect("a terminal"), &right);
    assert_eq!(status, Some(0), "{shown}");
    assert!(receiver.wait().expect("it ends").success());
    assert_eq!(fs::read(root.join("out/in")).expect("read"), b"text");
}
