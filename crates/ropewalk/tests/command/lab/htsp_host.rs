// SPDX-License-Identifier: Apache-2.0
//! HTSP ends on interfaces of the kernel: `ropewalk htsp` as a program, and the real RTL as the
//! peer. Each test has a network of its own; where that is not permitted, it is skipped.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ropewalk_channel::seed::Seeds;
use ropewalk_io::htsp::{Host, Settings};
use ropewalk_io::packet::Options;
use ropewalk_io::veth::{NAMES, Veth};
use ropewalk_io::{PacketLink, RawLink, TapLink};
use ropewalk_lab::commands::attach_htsp::attach;
use ropewalk_sim::htsp::Model;
use ropewalk_testkit::{needs, skip};
use ropewalk_wire::htsp::Last;
use serde_json::Value;

use super::unprivileged;
use crate::common::{Run, noise, page, seed};

/// More than anything here takes on a loaded machine.
const LONG: Duration = Duration::from_secs(300);

/// The core of these tests. Its buffers have room for all that the kernel holds on the way.
const CORE: Model = Model {
    channels: 16,
    rx_depth: 16384,
    bytes: 64,
};

/// Whether this thread has a network of its own now, with two interfaces.
fn network() -> bool {
    needs("network of its own", Veth::new(9000)).is_some()
}

fn htsp(folder: &Path, args: &[&str]) -> Command {
    let mut command = crate::common::ropewalk();
    command
        .current_dir(folder)
        .arg("htsp")
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn wait(child: Child) -> (Option<i32>, Value, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let (stdout, stderr) = (text(stdout), text(stderr));
    let value = serde_json::from_str(&stdout).unwrap_or(Value::Null);
    (status.code(), value, stderr)
}

/// Files from an end to the other, on two channels, one cut into user frames; with a capture that
/// `decode` takes for good.
#[test]
fn files_arrive() {
    carry("packet", [9_000_001, 5_000_000]);
}

/// The same by AF_XDP. All of it fits the 256 frames that the kernel holds in between.
#[test]
fn files_arrive_by_xdp() {
    carry("xdp", [600_001, 500_000]);
}

fn carry(backend: &str, sizes: [usize; 2]) {
    if !network() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let seed = seed();
    let files = [noise(sizes[0], seed), noise(sizes[1], seed ^ 1)];
    let total = (sizes[0] + sizes[1]) as u64;
    for (name, bytes) in ["a", "b"].iter().zip(&files) {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    }
    let far = [
        "recv", "--if", NAMES[1], "--vc", "0=c", "--vc", "15=d", "--frames", "1",
    ];
    let more = [
        "--alive",
        "300s",
        "--wait",
        "300s",
        "--json",
        "--pcap",
        "far.pcap",
        "--backend",
        backend,
    ];
    let recv = htsp(folder.path(), &[&far[..], &more].concat())
        .spawn()
        .expect("it runs");
    let near = ["send", "--if", NAMES[0], "--vc", "0=a", "--vc", "15=b"];
    let more = [
        "--alive",
        "300s",
        "--wait",
        "300s",
        "--json",
        "--rate",
        "200M",
        "--backend",
        backend,
    ];
    let send = htsp(folder.path(), &[&near[..], &more].concat())
        .spawn()
        .expect("it runs");
    let (status, sent, said) = wait(send);
    if status == Some(2) && backend == "xdp" && said.contains("AF_XDP") {
        wait(recv);
        return skip(said);
    }
    assert_eq!(status, Some(0), "{said} {sent}");
    assert_eq!(sent["bytes"], total);
    assert_eq!(
        said.contains("note: AF_XDP on rope0: program in"),
        backend == "xdp"
    );
    assert_eq!(sent["vc"][1]["frames"], 1);
    let (status, received, said) = wait(recv);
    assert_eq!(status, Some(0), "{said} {received}");
    assert_eq!(received["ok"], true);
    assert_eq!(received["vc"][0]["bytes"], sizes[0]);
    assert_eq!(received["vc"][1]["frames"], 1);
    assert_eq!(received["link"]["lost"], 0);
    for (name, bytes) in ["c", "d"].iter().zip(&files) {
        let copy = std::fs::read(folder.path().join(name)).expect("a copy");
        assert!(copy == *bytes, "{name} differs");
    }
    let decoded = crate::common::run_in(folder.path(), &["decode", "htsp", "far.pcap", "--json"]);
    let decoded: Value = serde_json::from_str(&decoded.stdout).expect("JSON");
    assert_eq!(
        (&decoded["bad"], &decoded["missing"]),
        (&0.into(), &0.into())
    );
    assert!(decoded["good"].as_u64().expect("a count") > total / 8192);
}

/// Both ends send and receive. Each ends because the other one says that nothing more will come:
/// the alive time is much longer.
#[test]
fn both_ways_at_once() {
    if !network() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let seed = seed();
    let files = [noise(1_500_001, seed), noise(900_000, seed ^ 1)];
    for (name, bytes) in ["a", "b"].iter().zip(&files) {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    }
    let words = [
        ["00ff10", "02", "a5a5"],
        ["6f70656e", "7368757400000000", "5a"],
    ];
    let end = |own: usize, files: [&str; 4]| {
        let args = ["link", "--if", NAMES[own], "--json", "--frame", "100000"];
        let more = ["--alive", "300s", "--wait", "300s"];
        let [first, second, data] = words[own];
        let said = ["--op-code", first, "--op-code", second, "--user-data", data];
        htsp(folder.path(), &[&args[..], &more, &said, &files].concat())
            .spawn()
            .expect("it runs")
    };
    let near = end(0, ["--send", "0=a", "--recv", "1=d"]);
    let far = end(1, ["--send", "1=b", "--recv", "0=c"]);
    for (run, [sent, received]) in [(near, [0, 1]), (far, [1, 0])] {
        let (status, told, said) = wait(run);
        assert_eq!(
            (status, &told["ok"]),
            (Some(0), &true.into()),
            "{said} {told}"
        );
        assert_eq!(told["sent"]["bytes"], files[sent].len());
        assert_eq!(told["received"]["bytes"], files[received].len());
        let frames = files[received].len().div_ceil(100_000);
        assert_eq!(told["received"]["vc"][0]["frames"], frames);
        assert_eq!(told["sent"]["vc"][0]["complete"], true);
        // What the other end said beside its frames, each word filled with zeros.
        let [first, second, data] = words[received].map(|word| format!("{word:0<32}"));
        let heard = &told["words"];
        assert_eq!(
            heard["op_codes"],
            serde_json::json!([first, second]),
            "{said}"
        );
        assert_eq!(heard["user_data"], data, "{said}");
        assert!(
            said.contains(&format!("note: op-code of the peer: {second}")),
            "{said}"
        );
    }
    for (name, bytes) in ["c", "d"].iter().zip(&files) {
        let copy = std::fs::read(folder.path().join(name)).expect("a copy");
        assert!(copy == *bytes, "{name} differs");
    }
}

#[test]
fn what_cannot_be_done_is_told_in_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |expected: i32, args: &[&str], parts: &[&str]| {
        let (status, _, said) = wait(htsp(folder.path(), args).spawn().expect("it runs"));
        assert_eq!(status, Some(expected), "{said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
        for part in parts {
            assert!(said.contains(part), "'{said}' does not name {part}");
        }
    };
    refused(
        3,
        &["send", "--if", "x", "--vc", "16=a"],
        &["'16=a'", "0 to 15"],
    );
    refused(
        3,
        &["send", "--if", "x", "--vc", "0=none"],
        &["cannot read none"],
    );
    refused(
        3,
        &["recv", "--if", "x", "--vc", "0=a", "--vc", "0=b"],
        &["channel 0 twice"],
    );
    refused(
        3,
        &["recv", "--if", "x", "--vc", "0=-", "--json"],
        &["standard output"],
    );
    refused(
        3,
        &["recv", "--if", "x", "--vc", "0=a", "--alive", "0"],
        &["'0'", "85ms"],
    );
    refused(3, &["link", "--if", "x"], &["--send", "--recv"]);
    refused(
        3,
        &["link", "--if", "x", "--send", "0=a", "--send", "0=b"],
        &["--send names channel 0 twice"],
    );
    for word in ["", "0", "0g", "+1", "000102030405060708090a0b0c0d0e0f10"] {
        let send = ["send", "--if", "x", "--vc", "0=a", "--op-code", word];
        refused(3, &send, &["--op-code", "1 to 16 bytes"]);
    }
    refused(2, &["stat", "--if", "a/b"], &["interface name 'a/b'"]);
    if !network() {
        return;
    }
    refused(
        2,
        &["stat", "--if", "rope7"],
        &["no network interface 'rope7'", "ip link"],
    );
    // As somebody without the capability.
    for (backend, capability) in [("packet", "cap_net_raw+ep"), ("xdp", "cap_bpf")] {
        let recv = ["recv", "--if", NAMES[0], "--vc", "0=a", "--backend"];
        let run = unprivileged(folder.path())
            .arg("htsp")
            .args(recv)
            .arg(backend)
            .output();
        let Run { status, stderr, .. } = run.expect("it runs").into();
        assert_eq!(status, Some(2), "{stderr}");
        let kernel = stderr.contains("this kernel has no AF_XDP");
        let told = stderr.contains(capability) && stderr.contains("setcap");
        assert!(told || kernel, "{stderr}");
    }
}

/// Nobody is there.
#[test]
fn a_peer_that_never_comes() {
    if !network() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a"), [1; 100]).expect("written");
    for args in [["send", "--vc", "0=a"], ["recv", "--vc", "0=b"]] {
        let more = ["--if", NAMES[0], "--wait", "50ms", "--json"];
        let run = htsp(folder.path(), &[&args[..], &more].concat())
            .spawn()
            .expect("it runs");
        let (status, told, _) = wait(run);
        assert_eq!((status, &told["ok"]), (Some(2), &false.into()));
        assert_eq!(told["link"]["ups"], 0);
    }
}

/// Another program; whether it was there and did it. What depends on it is skipped otherwise.
fn tool(name: &str, args: &[&str]) -> bool {
    let done = Command::new(name).args(args).output();
    let done = done.map_err(|error| error.to_string()).and_then(|done| {
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        done.status.success().then_some(()).ok_or(said)
    });
    needs(&format!("effect of {name}"), done).is_some()
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !done() {
        assert!(begun.elapsed() < LONG, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// `recv` of channel 0 to the file `copy`, and a peer in this process that has sent it `pieces`:
/// the length of each and how it ends. All their bytes are in the file.
fn receiving(folder: &Path, pieces: &[(usize, Last)]) -> (Child, Host, ropewalk_io::htsp::Writer) {
    let recv = [
        "recv", "--if", NAMES[1], "--vc", "0=copy", "--json", "--alive", "4s",
    ];
    let recv = htsp(folder, &recv).spawn().expect("it runs");
    let settings = Settings {
        alive: LONG,
        ..Settings::default()
    };
    let link = settings.open(NAMES[0]).expect("an interface");
    let mut host = Host::start(link, &settings, None).expect("an end");
    let mut writer = host.writer(0).expect("a writer");
    let mut bytes = 0;
    for &(length, last) in pieces {
        writer.send(&vec![7; length], last).expect("sent");
        bytes += length as u64;
    }
    let length = || folder.join("copy").metadata().map_or(0, |it| it.len());
    until("all bytes in the file", || length() == bytes);
    (recv, host, writer)
}

/// The interrupt that a terminal sends.
fn interrupt(child: &Child) -> bool {
    tool("kill", &["-INT", &child.id().to_string()])
}

/// An interrupt is no error between user frames. In the middle of one all that has come is in the
/// file, and where the whole ones end is told.
#[test]
fn recv_is_interrupted() {
    for unfinished in [false, true] {
        if !network() {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut pieces = vec![(1000, Last::Yes), (2000, Last::Yes)];
        if unfinished {
            pieces.push((6400, Last::No));
        }
        let (mut recv, _host, _writer) = receiving(folder.path(), &pieces);
        if !interrupt(&recv) {
            recv.kill().expect("it ends");
            recv.wait().expect("it ends");
            return;
        }
        let (status, told, said) = wait(recv);
        assert_eq!(status, Some(unfinished.into()), "{said} {told}");
        let channel = &told["vc"][0];
        assert_eq!(channel["unfinished"], unfinished);
        assert_eq!(channel["frames"], 2);
        if unfinished {
            assert_eq!(channel["unfinished_at"], 3000);
        }
        let copy = std::fs::read(folder.path().join("copy")).expect("a copy");
        assert_eq!(channel["bytes"], copy.len());
    }
}

/// The peer goes, or the interface is switched off, in the middle of a user frame.
#[test]
fn recv_whose_peer_or_line_goes() {
    for line in [false, true] {
        if !network() {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let pieces = [(1000, Last::Yes), (6400, Last::No)];
        let (mut recv, host, writer) = receiving(folder.path(), &pieces);
        if line {
            if !tool("ip", &["link", "set", NAMES[1], "down"]) {
                recv.kill().expect("it ends");
                recv.wait().expect("it ends");
                return;
            }
        } else {
            // Without the end in error that a writer leaves.
            std::mem::forget(writer);
            drop(host);
        }
        let (status, told, said) = wait(recv);
        assert_eq!(status, Some(1), "{said} {told}");
        let channel = &told["vc"][0];
        assert_eq!(
            (&channel["frames"], &channel["errored"]),
            (&1.into(), &1.into())
        );
        assert_eq!(channel["first_error_at"], 1000);
        assert_eq!(told["link"]["downs"], 1);
    }
}

/// The same on the other side: what is not sent is not claimed to be.
#[test]
fn send_whose_peer_or_line_goes() {
    for line in [false, true] {
        if !network() {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let endless = std::fs::File::create(folder.path().join("a")).expect("made");
        endless.set_len(1 << 40).expect("long");
        let settings = Settings {
            alive: LONG,
            ..Settings::default()
        };
        let link = settings.open(NAMES[1]).expect("an interface");
        let mut host = Host::start(link, &settings, None).expect("an end");
        let reader = host.reader(0).expect("a reader");
        let send = ["send", "--if", NAMES[0], "--vc", "0=a", "--json"];
        let more = ["--alive", "4s", "--rate", "50M"];
        let mut send = htsp(folder.path(), &[&send[..], &more].concat())
            .spawn()
            .expect("it runs");
        assert!(reader.recv(LONG).expect("an end").is_some());
        if !line {
            drop(host);
        } else if !tool("ip", &["link", "set", NAMES[0], "down"]) {
            send.kill().expect("it ends");
            send.wait().expect("it ends");
            return;
        }
        let (status, told, said) = wait(send);
        assert_eq!(status, Some(2), "{said} {told}");
        assert_eq!(told["vc"][0]["complete"], false);
        assert_eq!(told["link"]["downs"], 1);
    }
}

/// The note that begins so.
fn note_of(told: &Value, begin: &str) -> String {
    let notes = told["notes"].as_array().expect("a list").iter();
    let note = notes
        .filter_map(Value::as_str)
        .find(|it| it.starts_with(begin));
    note.unwrap_or_else(|| panic!("no note '{begin}': {told}"))
        .to_owned()
}

/// What the kernel gives less of is told, with the remedy; and an MTU that is no use is refused.
#[test]
fn what_is_clamped_is_told() {
    if !network() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let recv = [
        "recv", "--if", NAMES[0], "--vc", "0=a", "--json", "--wait", "10ms",
    ];
    let run = |command: &mut Command| wait(command.spawn().expect("it runs"));
    let mtu = |mtu: &str| tool("ip", &["link", "set", NAMES[0], "mtu", mtu]);
    if mtu("1500") {
        let (_, told, _) = run(&mut htsp(folder.path(), &recv));
        let note = note_of(&told, "bursts of 1408 bytes instead of 8192");
        assert!(note.contains("ip link set rope0 mtu 9000"), "{note}");
    }
    if mtu("100") {
        let (status, _, said) = run(&mut htsp(folder.path(), &recv));
        assert_eq!(status, Some(2));
        assert!(
            said.contains("MTU 100") && said.contains("120 or more"),
            "{said}"
        );
        assert!(mtu("9000"));
    }
    // Without the capability that lifts the limit on send buffers.
    let plain = htsp(folder.path(), &recv);
    let without = ["--bounding-set", "-net_admin", "--inh-caps", "-all"];
    let limit = std::fs::read_to_string("/proc/sys/net/core/wmem_max").expect("a limit");
    let limit: u64 = limit.trim().parse().expect("a number of bytes");
    if tool("setpriv", &[&without[..], &["true"]].concat()) {
        let mut command = Command::new("setpriv");
        command
            .args(without)
            .arg(plain.get_program())
            .args(plain.get_args());
        let (_, told, _) = run(command
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()));
        if limit < 4_194_304 {
            let note = note_of(&told, "send buffer of ");
            assert!(note.contains("net.core.wmem_max=4194304"), "{note}");
        } else {
            assert!(
                !told["notes"].to_string().contains("send buffer of "),
                "{told}"
            );
        }
    }
}

/// `stat` beside an end: what it is sent.
#[test]
fn stat_shows_who_sends_what() {
    if !network() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (mut recv, host, mut writer) = receiving(folder.path(), &[(1000, Last::Yes)]);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                writer.send(&[7; 1000], Last::Yes).expect("sent");
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        let stat = |more: &[&str]| {
            let args = ["stat", "--if", NAMES[1], "--for", "300ms"];
            let run = htsp(folder.path(), &[&args[..], more].concat());
            { run }.output().expect("it runs")
        };
        // What is seen in so short a time depends on who runs; sooner or later it is all there.
        until("all of it in the object", || {
            let Output { status, stdout, .. } = stat(&["--json"]);
            let told: Value = serde_json::from_slice(&stdout).expect("JSON");
            assert_eq!(told["ok"], status.success());
            let senders = told["senders"].as_array().expect("a list");
            let ready = |it: &&Value| it["link_ready"] == true;
            let frames = |it: &Value| it["vc"][0]["frames"].as_u64() > Some(0);
            senders.iter().filter(ready).any(frames)
        });
        until("all of it in the table", || {
            let told = stat(&["--every", "100ms"]).stdout;
            let told = String::from_utf8(told).expect("text");
            let macs = told.lines().filter(|it| it.contains(" all ")).count();
            macs >= 1 && told.contains("pauses") && told.contains(" 0 ")
        });
        let watch = ["stat", "--if", NAMES[1], "--watch", "127.0.0.1:0"];
        let mut child = htsp(folder.path(), &watch).spawn().expect("it runs");
        let mut said = std::io::BufReader::new(child.stderr.take().expect("a pipe"));
        let address = page::address(&mut said);
        let state = page::until(&address, "who sends what", |state| {
            state["up"] == true && state["channels"][0]["bytes"].as_u64() > Some(0)
        });
        let name = state["channels"][0]["name"].as_str().expect("text");
        assert!(name.ends_with(", channel 0"), "{state:#}");
        child.kill().expect("killed");
        child.wait().expect("gone");
        stop.store(true, Ordering::Relaxed);
    });
    drop(host);
    recv.kill().expect("it ends");
    recv.wait().expect("it ends");
}

/// Sends user frames of all lengths on all channels to a peer that sends them back, and compares
/// every byte. Of each channel at most `window` bytes are on the way.
fn there_and_back(link: impl RawLink + 'static, total: usize, window: usize, seed: u64) {
    let settings = Settings {
        alive: LONG,
        ring: 1 << 28,
        age: Duration::from_millis(5),
        ..Settings::default()
    };
    let mut host = Host::start(link, &settings, None).expect("an end");
    std::thread::scope(|scope| {
        for channel in 0..16 {
            let mut writer = host.writer(channel).expect("a writer");
            let reader = host.reader(channel).expect("a reader");
            let mut seeds = Seeds::new(seed ^ u64::from(channel) << 32);
            let bytes = noise(total / 16, seeds.next_seed());
            scope.spawn(move || {
                let (mut sent, mut came) = (0, 0);
                let mut ends = std::collections::VecDeque::new();
                while came < bytes.len() {
                    let length = 1 + seeds.next_seed() as usize % 60_000;
                    let length = length.min(bytes.len() - sent);
                    if length > 0 && sent + length - came <= window {
                        writer
                            .send(&bytes[sent..sent + length], Last::Yes)
                            .expect("sent");
                        sent += length;
                        ends.push_back(sent);
                        continue;
                    }
                    let piece = reader.recv(LONG).expect("an end").expect("a piece");
                    assert!(!piece.error, "channel {channel}: error at {came}");
                    let next = came + piece.bytes.len();
                    assert!(bytes.get(came..next) == Some(&piece.bytes[..]), "at {came}");
                    came = next;
                    if piece.end {
                        assert_eq!(ends.pop_front(), Some(came));
                    }
                }
                assert!(ends.is_empty());
            });
        }
    });
    let stats = host.close().expect("no failure");
    let faults = (
        stats.rx.lost,
        stats.rx.damaged,
        stats.rx.malformed,
        stats.drops,
    );
    assert_eq!(faults, (0, 0, 0, 0));
}

/// The RTL on an interface in a thread of its own, for as long as `work` takes.
fn with_core<L: RawLink>(open: impl FnOnce() -> L + Send, work: impl FnOnce()) {
    CORE.prepare(&mut |_| ()).expect("the core is built");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let core = scope.spawn(|| {
            let mut link = open();
            attach(&mut link, CORE, 128, &mut || stop.load(Ordering::Relaxed))
        });
        // A failure of either ends the other.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        stop.store(true, Ordering::Relaxed);
        let (counts, gaps) = core.join().expect("no panic").expect("no failure");
        if let Err(panic) = done {
            eprintln!("the core: {counts:?}, {gaps} gaps");
            std::panic::resume_unwind(panic);
        }
        assert_eq!(
            (counts.lost, counts.overflows, counts.errors, gaps),
            (0, 0, 0, 0)
        );
        println!("{} cycles", counts.cycles);
    });
}

/// Bytes of each direction over a cable.
fn over_cable(total: usize) {
    if !network() {
        return;
    }
    let seed = seed();
    let open = |name| {
        let options = Options {
            ethertype: Some(0x0111),
            ring: 1 << 28,
            age: Duration::from_millis(5),
            monitor: false,
        };
        PacketLink::open(name, &options).expect("an interface")
    };
    // All of the windows fit the 1000 frames that the kernel holds in between and the ring in front
    // of the core, and each of them the buffer of its channel.
    with_core(
        || open(NAMES[1]),
        || there_and_back(open(NAMES[0]), total, 1 << 18, seed),
    );
}

/// The real RTL and the host end through the kernel: 16 channels, both directions, every byte.
#[test]
fn rtl_over_a_cable() {
    over_cable(50_000_000);
}

/// The same for long.
#[test]
#[ignore = "minutes"]
fn rtl_over_a_cable_for_long() {
    over_cable(1_000_000_000);
}

/// An interface that the simulation makes. Nothing but the kernel's queue and pauses bounds what is
/// on the way.
#[test]
fn rtl_on_an_interface_of_its_own() {
    if !network() {
        return;
    }
    let seed = seed();
    let Some(tap) = needs("interface of a program", TapLink::open("rtl0", 9000)) else {
        return;
    };
    let options = Options {
        ethertype: Some(0x0111),
        ring: 1 << 28,
        age: Duration::from_millis(5),
        monitor: false,
    };
    let link = PacketLink::open("rtl0", &options).expect("the interface");
    with_core(
        || tap,
        || there_and_back(link, 10_000_000, usize::MAX, seed),
    );
}

/// An end on its live page: nobody is there, then a peer, and what it sends.
#[test]
fn an_end_is_watched() {
    if !network() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a"), noise(20_000_000, seed())).expect("written");
    let waits = ["--alive", "300s", "--wait", "300s"];
    let far = [
        "recv",
        "--if",
        NAMES[1],
        "--vc",
        "3=c",
        "--watch",
        "127.0.0.1:0",
    ];
    let mut recv = htsp(folder.path(), &[&far[..], &waits].concat())
        .spawn()
        .expect("it runs");
    let mut said = std::io::BufReader::new(recv.stderr.take().expect("a pipe"));
    let address = page::address(&mut said);
    let state = page::until(&address, "a state", |state| state["up"] == false);
    assert_eq!(page::reason(&state), "no_peer", "{state:#}");
    let near = ["send", "--if", NAMES[0], "--vc", "3=a", "--rate", "10M"];
    let mut send = htsp(folder.path(), &[&near[..], &waits].concat())
        .spawn()
        .expect("it runs");
    let state = page::until(&address, "data come", |state| {
        state["up"] == true && state["channels"][0]["bytes"].as_u64() > Some(0)
    });
    assert_eq!(
        state["channels"][0]["name"], "received, channel 3",
        "{state:#}"
    );
    assert!(state["lanes"][0]["seen"].as_u64() > Some(0), "{state:#}");
    let metrics = page::get(&address, "/metrics");
    assert!(metrics.contains("ropewalk_link_up 1\n"), "{metrics}");
    assert!(
        metrics.contains("ropewalk_lane_errors_total{lane=\"received\",unit=\"frames\"} 0"),
        "{metrics}"
    );
    for child in [&mut send, &mut recv] {
        child.kill().expect("killed");
        child.wait().expect("gone");
    }
}
