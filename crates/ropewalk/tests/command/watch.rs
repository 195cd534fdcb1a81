// SPDX-License-Identifier: Apache-2.0
//! `--watch` of `send` and `recv`: both ends of a transfer on live pages.

use std::io::{BufReader, Read};
use std::process::{Child, Stdio};

use crate::common::{noise, page, ropewalk, run_in, seed};

/// A command, where its page is, and the rest of what it says on standard error.
fn start(folder: &std::path::Path, args: &[&str]) -> (Child, String, BufReader<impl Read + use<>>) {
    let mut command = ropewalk();
    let command = command.current_dir(folder).args(args);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
    let address = page::address(&mut errors);
    (child, address, errors)
}

#[test]
fn a_transfer_is_watched_at_both_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("file"), noise(8_000_000, seed())).expect("written");
    // A port that is free, for both to name.
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
    let at = socket.local_addr().expect("it has one").to_string();
    drop(socket);
    let page_at = ["--watch", "127.0.0.1:0", "--trusted"];
    let args = [
        &["send", "file", &at, "--rate", "10M", "--timeout", "200s"][..],
        &page_at,
    ]
    .concat();
    let (mut sender, near, _near_errors) = start(folder.path(), &args);
    let state = page::until(&near, "nobody is there", |state| state["up"] == false);
    assert_eq!(page::reason(&state), "no_peer", "{state:#}");

    let args = [&["recv", "out", "--once", "--listen", &at][..], &page_at].concat();
    let (mut receiver, far, _far_errors) = start(folder.path(), &args);
    let near_up = page::until(&near, "the sender is up", |state| {
        state["up"] == true && state["channels"][1]["bytes"].as_u64() > Some(0)
    });
    assert!(near_up["round_trip_s"].as_f64() > Some(0.0), "{near_up:#}");
    assert_eq!(near_up["lanes"][0]["state"], "up", "{near_up:#}");
    page::until(&far, "the receiver is up", |state| {
        state["up"] == true && state["channels"][0]["bytes"].as_u64() > Some(0)
    });
    for address in [&near, &far] {
        let metrics = page::get(address, "/metrics");
        assert!(metrics.contains("ropewalk_link_up 1\n"), "{metrics}");
        assert!(
            metrics.contains("ropewalk_channel_bytes_total{channel=\"files\"} "),
            "{metrics}"
        );
        assert!(page::get(address, "/").contains("</html>"));
    }
    // The sender goes: the other end says so, if the first is not done already.
    sender.kill().expect("killed");
    sender.wait().expect("gone");
    let state = page::until(&far, "the sender has gone", |state| state["up"] == false);
    assert_eq!(page::reason(&state), "peer_lost", "{state:#}");
    receiver.kill().expect("killed");
    receiver.wait().expect("gone");
}

#[test]
fn a_page_that_cannot_be_had_is_refused_before_anything_is_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("file"), [1]).expect("written");
    let holder = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = holder.local_addr().expect("it has one").to_string();
    let run = |watch: &str| {
        run_in(
            folder.path(),
            &["send", "file", "127.0.0.1", "--trusted", "--watch", watch],
        )
    };
    let refused = run(&taken);
    assert_eq!(refused.status, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("cannot listen at 127.0.0.1"),
        "{refused:?}"
    );
    let refused = run("8080");
    assert_eq!(refused.status, Some(3), "{refused:?}");
    assert!(
        refused.stderr.contains("'8080'") && refused.stderr.contains("127.0.0.1:7480"),
        "{refused:?}"
    );
    drop(holder);
}
