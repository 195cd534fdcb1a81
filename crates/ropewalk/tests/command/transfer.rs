// SPDX-License-Identifier: Apache-2.0
//! `ropewalk send` and `ropewalk recv` over the loopback interface, as programs.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::UdpSocket;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{noise, run_in, seed};

/// More than anything here takes on a loaded machine.
const LONG: Duration = Duration::from_secs(200);
const BLOCK: usize = 1 << 22;

/// A receiver, and where it waits.
struct Recv {
    child: Child,
    at: String,
    /// What is to be typed on the other side.
    command: Option<String>,
    errors: thread::JoinHandle<String>,
}

impl Recv {
    fn start(folder: &Path, at: &str) -> Recv {
        Self::limited(folder, at, "")
    }

    /// In a shell that does something before.
    fn limited(folder: &Path, at: &str, before: &str) -> Recv {
        Self::with(folder, at, before, &["--trusted"])
    }

    fn with(folder: &Path, at: &str, before: &str, args: &[&str]) -> Recv {
        let mut command = Command::new("sh");
        command
            .current_dir(folder)
            .stdin(Stdio::null())
            .args(["-c", &format!("{before} exec \"$@\""), "sh"])
            .arg(env!("CARGO_BIN_EXE_ropewalk"))
            .args(["recv", "out", "--once", "--json", "--listen", at])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = |with: &str| {
            let mut line = String::new();
            while !line.contains(with) {
                line.clear();
                assert_ne!(errors.read_line(&mut line).expect("a line"), 0, "no {with}");
            }
            line.trim_end().to_owned()
        };
        let at = line("waiting at")
            .rsplit(' ')
            .next()
            .expect("an address")
            .to_owned();
        let code = args.is_empty().then(|| line("on the other side: "));
        let command = code.map(|line| line.rsplit(": ").next().expect("a command").to_owned());
        let errors = thread::spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            text
        });
        Recv {
            child,
            at,
            command,
            errors,
        }
    }

    fn end(self) -> (Option<i32>, Value, String) {
        let output = self.child.wait_with_output().expect("it ends");
        let value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        (
            output.status.code(),
            value,
            self.errors.join().expect("text"),
        )
    }
}

fn send(folder: &Path, at: &str, args: &[&str]) -> Command {
    send_with(folder, at, &[&["--trusted"], args].concat())
}

fn send_with(folder: &Path, at: &str, args: &[&str]) -> Command {
    let mut command = crate::common::ropewalk();
    command
        .current_dir(folder)
        .args(["send", "--json", "--timeout", "100s"])
        .args(args)
        .arg(at)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn end(child: Child) -> (Option<i32>, Value) {
    let output = child.wait_with_output().expect("it ends");
    let value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    (output.status.code(), value)
}

fn same(folder: &Path, name: &str, bytes: &[u8]) {
    let copy = fs::read(folder.join("out").join(name)).expect(name);
    assert!(copy == bytes, "{name} differs");
    assert!(!folder.join(format!("out/{name}.part")).exists());
    assert!(!folder.join(format!("out/{name}.part.blocks")).exists());
}

/// Files of all lengths around a block, empty ones and directories, a hole, a link. A
/// second run sends nothing. Foreign datagrams all the while.
#[test]
fn a_directory_over_two_lanes() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir_all(root.join("in/deep/er")).expect("made");
    fs::create_dir(root.join("in/none")).expect("made");
    let seed = seed();
    let files = [
        ("in/empty", vec![]),
        ("in/one", vec![1]),
        ("in/deep/less", noise(BLOCK - 1, seed)),
        ("in/deep/er/more", noise(BLOCK + 1, seed ^ 1)),
        ("in/block", noise(BLOCK, seed ^ 2)),
        (
            "in/hole",
            [vec![0; BLOCK], vec![7], vec![0; 2 * BLOCK]].concat(),
        ),
    ];
    for (name, bytes) in &files {
        fs::write(root.join(name), bytes).expect("written");
    }
    fs::set_permissions(root.join("in/one"), fs::Permissions::from_mode(0o751)).expect("set");
    symlink("/etc/passwd", root.join("in/link")).expect("made");
    for (round, arrange) in ["low-latency", "stable"].into_iter().enumerate() {
        let recv = Recv::start(root, "0.0.0.0:0");
        let stranger = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let (at, flood) = (
            recv.at.replace("0.0.0.0", "127.0.0.1"),
            noise(40_000, seed ^ 3),
        );
        let port = at.rsplit(':').next().expect("a port");
        let lanes = [2, 4].map(|own| format!("127.0.0.{own}=127.0.0.{}:{port}", own + 1));
        let child = send(
            root,
            &at,
            &[
                "in",
                "--lane",
                &lanes[0],
                "--lane",
                &lanes[1],
                "--arrange",
                arrange,
            ],
        )
        .spawn()
        .expect("it runs");
        for datagram in flood.chunks(40) {
            let _ = stranger.send_to(datagram, &at);
        }
        let (status, sent) = end(child);
        assert_eq!(status, Some(0), "{sent}");
        let (status, received, text) = recv.end();
        assert_eq!(status, Some(0), "{received} {text}");
        assert_eq!(received["files"], files.len() + 1);
        let total: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        assert_eq!(sent["bytes"], total);
        if round == 1 {
            assert_eq!(sent["spared_bytes"], total, "all of it was there: {sent}");
            assert_eq!(received["bytes"], 0);
        }
        assert_eq!(sent["lanes"].as_array().map(Vec::len), Some(2));
        for (name, bytes) in &files {
            same(root, name, bytes);
        }
        let mode = |name: &str| fs::metadata(root.join(name)).expect(name).mode() & 0o777;
        assert_eq!(mode("out/in/one"), 0o751);
        assert!(root.join("out/in/none").is_dir());
        let link = fs::read_link(root.join("out/in/link")).expect("a link");
        assert_eq!(link, Path::new("/etc/passwd"));
    }
}

/// What cannot be copied is named, and the status says that not all of it is there.
#[test]
fn what_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir(root.join("in")).expect("made");
    fs::write(root.join("in/file"), b"text").expect("written");
    let fifo = Command::new("mkfifo").arg(root.join("in/fifo")).status();
    assert!(fifo.expect("it runs").success());
    let recv = Recv::start(root, "127.0.0.1:0");
    let (status, sent) = end(send(root, &recv.at, &["in"]).spawn().expect("it runs"));
    assert_eq!(status, Some(1), "{sent}");
    let notes = sent["notes"].to_string();
    assert!(notes.contains("left out in/fifo: it is neither"), "{sent}");
    assert!(sent["error"].to_string().contains("1 left out"), "{sent}");
    assert_eq!(recv.end().0, Some(0));
    same(root, "in/file", b"text");
}

/// A line to type for each address at which it waits, and what can be written there; one that
/// cannot is refused before a sender comes.
#[test]
fn what_a_receiver_says_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let recv = Recv::with(root, "0.0.0.0:0", "", &[]);
    let command = recv.command.clone().expect("a command");
    let port = recv.at.rsplit(':').next().expect("a port");
    let host = command.split(' ').nth(3).expect("a host");
    let (address, own) = host.rsplit_once(':').expect("a port");
    assert!(address.parse::<std::net::Ipv4Addr>().is_ok(), "{command}");
    assert_eq!(own, port);
    fs::write(root.join("file"), b"text").expect("written");
    // The same line, with the code where nobody sees it.
    let code = command.rsplit(' ').next().expect("a code");
    let mut sender = send_with(root, host, &["file"]);
    let (status, sent) = end(sender.env("ROPEWALK_CODE", code).spawn().expect("it runs"));
    assert_eq!(status, Some(0), "{sent}");
    let (status, _, text) = recv.end();
    assert_eq!(status, Some(0));
    assert!(
        text.contains("or on the other side: ropewalk send FILE "),
        "{text}"
    );
    let mut recv = Recv::start(root, "127.0.0.1:0");
    thread::sleep(Duration::from_millis(500));
    recv.child.kill().expect("killed");
    let (_, _, text) = recv.end();
    assert!(text.contains("out has room for "), "{text}");
    let run = run_in(root, &["recv", "/proc/self", "--trusted"]);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(run.stderr.contains("cannot write /proc/self"), "{run:?}");
}

#[test]
fn standard_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = noise(3 * BLOCK + 5, seed());
    let recv = Recv::start(folder.path(), "127.0.0.1:0");
    let mut child = send(folder.path(), &recv.at, &["--fec", "erasure:16+8", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(&bytes).expect("written");
    drop(pipe);
    let (status, sent) = end(child);
    assert_eq!(status, Some(0));
    // Of a chunk that is complete the rest of its parity is not sent.
    assert!(sent["parity_subpackets"].is_u64());
    let (status, received, _) = recv.end();
    assert_eq!(status, Some(0));
    assert_eq!(received["mended_bytes"], 0);
    assert!(received["restored_subpackets"].is_u64());
    same(folder.path(), "stdin", &bytes);
}

/// Either end is killed in the middle; what was noted before is not sent again.
#[test]
fn killed_and_resumed() {
    for sender_dies in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let bytes = noise(16 * BLOCK, seed());
        fs::write(root.join("file"), &bytes).expect("written");
        let mut recv = Recv::start(root, "127.0.0.1:0");
        let at = recv.at.clone();
        // At this rate it would take half a minute.
        let mut child = send(root, &at, &["file", "--rate", "20M"])
            .spawn()
            .expect("it runs");
        let table = root.join("out/file.part.blocks");
        let begun = Instant::now();
        while fs::metadata(&table).map_or(0, |about| about.len()) <= 64 {
            assert!(begun.elapsed() < LONG, "nothing is noted");
            thread::sleep(Duration::from_millis(20));
        }
        if sender_dies {
            child.kill().expect("killed");
            child.wait().expect("gone");
        } else {
            recv.child.kill().expect("killed");
            recv.child.wait().expect("gone");
            recv = Recv::start(root, &at);
            child.kill().expect("killed");
            child.wait().expect("gone");
        }
        assert!(!root.join("out/file").exists());
        let (status, sent) = end(send(root, &at, &["file"]).spawn().expect("it runs"));
        assert_eq!(status, Some(0), "{sent}");
        let (status, received, text) = recv.end();
        assert_eq!(status, Some(0), "{received} {text}");
        let spared = sent["spared_bytes"].as_u64().expect("a number");
        assert!(
            spared >= BLOCK as u64,
            "what was there is not sent again: {sent}"
        );
        same(root, "file", &bytes);
    }
}

/// The sender is gone, and more is said than anybody takes: a receiver that is told to stop ends
/// nevertheless.
#[test]
fn interrupted_when_the_sender_has_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::write(root.join("file"), noise(16 * BLOCK, seed())).expect("written");
    let mut recv = Recv::start(root, "127.0.0.1:0");
    let mut child = send(root, &recv.at, &["file", "--rate", "20M"])
        .spawn()
        .expect("it runs");
    let begun = Instant::now();
    while !root.join("out/file.part").exists() {
        assert!(begun.elapsed() < LONG, "nothing has come");
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    // Signs of life of so long fill what may be on its way; the receiver does not miss the sender
    // yet.
    thread::sleep(Duration::from_secs(6));
    interrupt(&recv.child);
    let told = Instant::now();
    while recv.child.try_wait().expect("known").is_none() {
        if told.elapsed() > LONG {
            recv.child.kill().expect("killed");
            panic!("the receiver does not end");
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert!(!root.join("out/file").exists());
}

/// The table tells of blocks that are not what they were, and the file is another one: only what is
/// right counts.
#[test]
fn what_is_on_disk_is_not_believed() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let bytes = noise(2 * BLOCK, seed());
    fs::write(root.join("file"), &bytes).expect("written");
    fs::create_dir(root.join("out")).expect("made");
    fs::write(root.join("out/file.part"), noise(2 * BLOCK, 1)).expect("written");
    let table = [&b"Ropewalk"[..], &noise(128, 2)].concat();
    fs::write(root.join("out/file.part.blocks"), table).expect("written");
    let recv = Recv::start(root, "127.0.0.1:0");
    let (status, sent) = end(send(root, &recv.at, &["file"]).spawn().expect("it runs"));
    assert_eq!(
        (status, &sent["spared_bytes"]),
        (Some(0), &Value::from(0)),
        "{sent}"
    );
    assert_eq!(recv.end().0, Some(0));
    same(root, "file", &bytes);
}

/// No room: both ends say so, and the name does not appear.
#[test]
fn a_full_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::write(root.join("file"), noise(2 * BLOCK, seed())).expect("written");
    // No file may become longer than a megabyte.
    let recv = Recv::limited(root, "127.0.0.1:0", "trap '' XFSZ; ulimit -f 1000;");
    let (status, sent) = end(send(root, &recv.at, &["file"]).spawn().expect("it runs"));
    assert_eq!(status, Some(1), "{sent}");
    assert!(
        sent["error"].to_string().contains("cannot write 'file'"),
        "{sent}"
    );
    let (status, received, _) = recv.end();
    assert_eq!(status, Some(1));
    assert!(
        received["error"]
            .to_string()
            .contains("cannot write 'file'"),
        "{received}"
    );
    assert!(!root.join("out/file").exists());
}

/// Links in the directory lead nowhere.
#[test]
fn links_are_not_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir_all(root.join("in")).expect("made");
    fs::write(root.join("in/file"), b"new").expect("written");
    fs::create_dir_all(root.join("out")).expect("made");
    fs::create_dir_all(root.join("elsewhere")).expect("made");
    symlink(root.join("elsewhere"), root.join("out/in")).expect("made");
    let recv = Recv::start(root, "127.0.0.1:0");
    let (status, sent) = end(send(root, &recv.at, &["in"]).spawn().expect("it runs"));
    assert_eq!(status, Some(1), "{sent}");
    assert_eq!(recv.end().0, Some(1));
    assert_eq!(
        fs::read_dir(root.join("elsewhere")).expect("read").count(),
        0
    );
}

#[test]
fn bad_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = |args: &[&str]| {
        let run = run_in(folder.path(), args);
        assert_eq!(run.status, Some(3), "{run:?}");
        run.stderr
    };
    for (args, why) in [
        (&["--code", "1234-567x"][..], "accepted: the eight digits"),
        (&["--code", "1234-5678", "--trusted"], "cannot be used with"),
        (&["--key", "k", "--trusted"], "--trusted"),
        (&["--key", "k"], "--allow"),
        (&["--key", "none", "--allow", "none"], "cannot read none"),
    ] {
        let text = said(&[&["send", "x", "127.0.0.1"], args].concat());
        assert!(text.contains(why), "{text}");
    }
    assert!(said(&["send", "x", "127.0.0.1", "--trusted"]).contains("cannot read x"));
    let fifo = Command::new("mkfifo")
        .arg(folder.path().join("fifo"))
        .status();
    assert!(fifo.expect("it runs").success());
    assert!(
        said(&["send", "fifo", "127.0.0.1", "--trusted"])
            .contains("cannot read fifo: it is neither a file nor a directory")
    );
    assert!(said(&["send", "x", "127.0.0.1", "--lane", "1"]).contains("accepted: LOCAL=REMOTE"));
    assert!(said(&["recv", "out", "--listen", "x"]).contains("accepted: ADDR or ADDR:PORT"));
    let run = run_in(
        folder.path(),
        &["send", ".", "127.0.0.1:9", "--trusted", "--timeout", "1s"],
    );
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("has not answered"), "{run:?}");
}

/// What the receiver shows is what the sender types. Another code, or none: one line, and nothing
/// is written.
#[test]
fn by_the_code_that_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let bytes = noise(BLOCK + 9, seed());
    fs::write(root.join("file"), &bytes).expect("written");
    let recv = Recv::with(root, "127.0.0.1:0", "", &[]);
    let command = recv.command.clone().expect("a command");
    let words: Vec<&str> = command.split(' ').collect();
    let ["ropewalk", "send", "FILE", at, "--code", code] = words[..] else {
        panic!("{command}");
    };
    assert_eq!(at, recv.at);
    let wrong = if code == "0000-0000" {
        "0000-0001"
    } else {
        "0000-0000"
    };
    for (args, why) in [
        (&["file", "--code", wrong][..], "the code is wrong"),
        (&["file", "--trusted"], "does not take this kind of proof"),
    ] {
        let (status, sent) = end(send_with(root, at, args).spawn().expect("it runs"));
        assert_eq!(status, Some(1), "{sent}");
        assert!(sent["error"].to_string().contains(why), "{sent}");
        assert_eq!(fs::read_dir(root.join("out")).expect("read").count(), 0);
    }
    let child = send_with(root, at, &["file", "--code", code]).spawn();
    let (status, sent) = end(child.expect("it runs"));
    assert_eq!(status, Some(0), "{sent}");
    let (status, received, text) = recv.end();
    assert_eq!(status, Some(0), "{received} {text}");
    same(root, "file", &bytes);
}

#[test]
fn by_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let bytes = noise(100, seed());
    fs::write(root.join("file"), &bytes).expect("written");
    for name in ["ours", "theirs", "stranger"] {
        let made = run_in(root, &["key", name]);
        assert_eq!(made.status, Some(0), "{made:?}");
        let mode = fs::metadata(root.join(name)).expect("made").mode();
        assert_eq!(mode & 0o777, 0o600);
        // It is shown again, and not made again.
        assert_eq!(run_in(root, &["key", name]).stdout, made.stdout);
        fs::write(root.join(format!("{name}.pub")), made.stdout).expect("written");
    }
    let keys = ["--key", "theirs", "--allow", "ours.pub"];
    let recv = Recv::with(root, "127.0.0.1:0", "", &keys);
    for (own, other) in [("stranger", "theirs.pub"), ("ours", "stranger.pub")] {
        let args = ["file", "--key", own, "--allow", other];
        let (status, sent) = end(send_with(root, &recv.at, &args).spawn().expect("it runs"));
        assert_eq!(status, Some(1), "{sent}");
        assert!(
            sent["error"].to_string().contains("key of this end"),
            "{sent}"
        );
        assert_eq!(fs::read_dir(root.join("out")).expect("read").count(), 0);
    }
    let args = ["file", "--key", "ours", "--allow", "theirs.pub"];
    let (status, sent) = end(send_with(root, &recv.at, &args).spawn().expect("it runs"));
    assert_eq!(status, Some(0), "{sent}");
    assert_eq!(recv.end().0, Some(0));
    same(root, "file", &bytes);
    // A key that others can read is none.
    fs::set_permissions(root.join("ours"), fs::Permissions::from_mode(0o640)).expect("set");
    let run = run_in(root, &[&["send", "file", "127.0.0.1"], &args[1..]].concat());
    assert_eq!(run.status, Some(3));
    assert!(
        run.stderr.contains("(mode 0640); accepted: 0600"),
        "{run:?}"
    );
}

/// Nothing comes by standard input, and nothing ends: it can be interrupted, and the receiver hears
/// of it.
#[test]
fn standard_input_that_waits() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut recv = Recv::start(folder.path(), "127.0.0.1:0");
    let mut child = send(folder.path(), &recv.at, &["-"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(&[1; BLOCK]).expect("written");
    let begun = Instant::now();
    while !folder.path().join("out/stdin.part").exists() {
        assert!(begun.elapsed() < LONG, "nothing has come");
        thread::sleep(Duration::from_millis(20));
    }
    interrupt(&child);
    let (status, sent) = end(child);
    assert_eq!(status, Some(130), "{sent}");
    drop(pipe);
    interrupt(&recv.child);
    let ended = recv.child.wait().expect("it ends");
    assert_eq!(ended.code(), Some(130));
    let text = recv.errors.join().expect("text");
    assert!(text.contains("the sender: it was interrupted"), "{text}");
}

fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    let told = Command::new("kill").args(["-INT", &pid]).status();
    assert!(told.expect("it runs").success());
}

/// Over TCP with UDP beside it, and over whichever brings more: what arrives is the same, and the
/// summary says what carried it. A stranger's connections change nothing.
#[test]
fn over_tcp() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let bytes = noise(5 * BLOCK + 3, seed());
    fs::write(root.join("file"), &bytes).expect("written");
    for via in ["tcp", "auto"] {
        let recv = Recv::start(root, "127.0.0.1:0");
        let mut stranger = std::net::TcpStream::connect(&recv.at).expect("it listens");
        let _ = stranger.write_all(b"GET / HTTP/1.1\r\n\r\n");
        let child = send(root, &recv.at, &["file", "--via", via]).spawn();
        let (status, sent) = end(child.expect("it runs"));
        assert_eq!(
            (status, &sent["ok"]),
            (Some(0), &Value::Bool(true)),
            "{sent}"
        );
        let lanes = sent["lanes"].as_array().expect("lanes");
        let kinds: Vec<_> = lanes.iter().map(|it| it["kind"].as_str()).collect();
        assert_eq!(kinds, [Some("tcp"), Some("udp")]);
        assert_eq!(recv.end().0, Some(0));
        same(root, "file", &bytes);
        fs::remove_file(root.join("out/file")).expect("removed");
    }
}

/// What does not go together with TCP is refused before anybody is looked for.
#[test]
fn tcp_and_what_it_does_not_go_with() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("file"), b"x").expect("written");
    let lane = ["--lane", "127.0.0.1=127.0.0.1"];
    for (args, why) in [
        (
            vec!["--via", "tcp", "--arrange", "stable"],
            "--arrange stable with --via tcp",
        ),
        (
            [&["--via", "auto"][..], &lane.repeat(9)].concat(),
            "9 lanes; accepted with --via auto: 1 to 8",
        ),
        (vec!["--via", "sctp"], "udp, tcp, auto"),
    ] {
        let all = [&["send", "file", "127.0.0.1", "--trusted"][..], &args].concat();
        let run = run_in(folder.path(), &all);
        assert_eq!(run.status, Some(3), "{run:?}");
        assert!(run.stderr.contains(why), "{run:?}");
    }
}
