// SPDX-License-Identifier: Apache-2.0
//! The server as clients meet it: those that behave, and those that do not.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use ropewalk_watch::{Board, Control, MOST_CONNECTIONS, Server, State};

/// Long enough on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn start() -> (Arc<Board>, Server) {
    let state = State {
        what_if: vec![Control {
            action: "reset",
            label: "Reset",
            help: "",
            inputs: Vec::new(),
        }],
        ..State::new("a link")
    };
    let board = Arc::new(Board::new(state));
    let server = Server::start(([127, 0, 0, 1], 0).into(), Arc::clone(&board)).expect("listens");
    (board, server)
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("connects");
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    stream
}

/// Sends bytes and gives what comes back until the server closes.
fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    // The server may have had enough before all is sent.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        answer.extend_from_slice(&buffer[..count]);
    }
    String::from_utf8(answer).expect("text")
}

fn get(address: SocketAddr, path: &str, more: &str) -> String {
    exchange(
        address,
        format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{more}\r\n").as_bytes(),
    )
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("no answer")
}

fn post(address: SocketAddr, fields: &str, body: &str) -> String {
    let length = body.len();
    let text = format!("POST /what-if HTTP/1.1\r\nContent-Length: {length}\r\n{fields}\r\n{body}");
    exchange(address, text.as_bytes())
}

#[test]
fn each_path_has_its_type_and_its_policy() {
    let (board, server) = start();
    let address = server.address();
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/?x=1", "text/html; charset=utf-8"),
        ("/state", "application/json"),
        (
            "/metrics",
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
        ),
    ] {
        let answer = get(address, path, "");
        assert_eq!(status(&answer), "200", "{answer}");
        assert!(
            answer.contains(&format!("Content-Type: {kind}\r\n")),
            "{answer}"
        );
        assert!(
            answer.contains("X-Content-Type-Options: nosniff"),
            "{answer}"
        );
    }
    let page = get(address, "/", "");
    assert!(page.contains("Content-Security-Policy: default-src 'none'"));
    assert!(page.trim_end().ends_with("</html>"));
    let other = get(address, "/", "");
    let nonce = |page: &str| page.split("nonce-").nth(1).map(|it| it[..32].to_owned());
    assert_ne!(nonce(&page), nonce(&other));
    assert!(get(address, "/metrics", "").ends_with("# EOF\n"));
    board.publish(State::new("another link"));
    assert!(get(address, "/state", "").contains("another link"));

    assert_eq!(status(&get(address, "/../etc/passwd", "")), "404");
    let head = exchange(
        address,
        format!("HEAD / HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes(),
    );
    assert!(
        status(&head) == "200" && head.ends_with("\r\n\r\n"),
        "{head}"
    );
    let delete = exchange(
        address,
        format!("DELETE / HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes(),
    );
    assert!(
        status(&delete) == "405" && delete.contains("Allow: GET, HEAD"),
        "{delete}"
    );
}

#[test]
fn orders_are_taken_from_the_own_page_alone() {
    let (board, server) = start();
    let address = server.address();
    let page = get(address, "/", "");
    let token = page
        .split("name=\"token\" content=\"")
        .nth(1)
        .expect("a token");
    let token = &token[..32];
    let order = r#"{"action":"reset"}"#;
    let host = format!("Host: {address}\r\n");
    let with = format!("{host}X-Ropewalk-Token: {token}\r\n");
    for (fields, body, expected) in [
        (host.clone(), order, "403"),
        (
            format!("{host}X-Ropewalk-Token: {}\r\n", "0".repeat(32)),
            order,
            "403",
        ),
        (
            format!("{with}Origin: http://evil.example\r\n"),
            order,
            "403",
        ),
        (format!("{with}Origin: null\r\n"), order, "403"),
        // DNS rebinding: a page of somebody else under a name that leads here.
        (
            format!("Host: evil.example\r\nX-Ropewalk-Token: {token}\r\n"),
            order,
            "421",
        ),
        (format!("X-Ropewalk-Token: {token}\r\n"), order, "421"),
        (with.clone(), "{}", "400"),
        (with.clone(), r#"{"action":"wipe"}"#, "400"),
    ] {
        let answer = post(address, &fields, body);
        assert_eq!(status(&answer), expected, "{fields}{body}: {answer}");
    }
    assert!(board.take_orders().is_empty());
    let answer = post(
        address,
        &format!("{with}Origin: http://{address}\r\n"),
        order,
    );
    assert_eq!(status(&answer), "202", "{answer}");
    assert_eq!(status(&post(address, &with, order)), "202");
    let taken = board.take_orders();
    assert_eq!(taken.len(), 2);
    assert_eq!(taken[0].action, "reset");
    // What reads is for everybody with a browser on this machine, but not under a foreign name.
    assert_eq!(
        status(&exchange(
            address,
            b"GET /state HTTP/1.1\r\nHost: evil.example\r\n\r\n"
        )),
        "421"
    );
}

#[test]
fn a_stream_gives_every_client_the_states_and_the_end() {
    let (board, server) = start();
    let address = server.address();
    let listen = |path: &str| {
        let mut stream = connect(address);
        let text = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
        stream.write_all(text.as_bytes()).expect("sent");
        stream
    };
    // Connected, but it never reads: nobody else notices.
    let _deaf = listen("/events");
    let mut stream = listen("/events");
    let mut text = String::new();
    let mut buffer = [0; 4096];
    let mut until = |part: &str, text: &mut String| {
        while !text.contains(part) {
            let count = stream.read(&mut buffer).expect("in time");
            assert!(count > 0, "{part} did not come: {text}");
            text.push_str(std::str::from_utf8(&buffer[..count]).expect("text"));
        }
    };
    until("data: {", &mut text);
    assert!(text.contains("Content-Type: text/event-stream"), "{text}");
    for number in 0..3 {
        board.publish(State::new(format!("state {number}")));
        until(&format!("\"title\":\"state {number}\""), &mut text);
    }
    drop(server);
    until("event: end", &mut text);
}

#[test]
fn a_crowd_of_slow_clients_is_bounded_and_leaves_again() {
    let (_board, server) = start();
    let address = server.address();
    let mut crowd = Vec::new();
    for _ in 0..MOST_CONNECTIONS {
        let mut stream = connect(address);
        stream.write_all(b"GET /sta").expect("sent");
        crowd.push(stream);
    }
    // Each connection of the crowd has its place before the next one is accepted or soon after.
    let begun = Instant::now();
    while status(&get(address, "/state", "")) != "503" {
        assert!(begun.elapsed() < PATIENCE, "the crowd is not bounded");
    }
    // It is sent away, although it says nothing.
    for mut stream in crowd {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert_eq!(status(&answer), "408", "{answer}");
    }
    while status(&get(address, "/state", "")) != "200" {
        assert!(begun.elapsed() < PATIENCE, "its places are not free again");
    }
}

#[test]
fn a_server_ends_while_clients_are_there_and_its_port_is_free() {
    let (board, server) = start();
    let address = server.address();
    let _idle = connect(address);
    drop(server);
    let again = Server::start(address, board).expect("the port is free");
    assert_eq!(again.address(), address);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever comes, there is an answer or a closed connection, and the server serves the next.
    #[test]
    fn no_request_does_harm(
        method in "GET|POST|HEAD|PUT|\\PC{0,5}",
        path in "/(state|events|metrics|what-if)?|[ -~]{0,30}",
        fields in prop::collection::vec("(Host|Content-Length|Origin|X-Ropewalk-Token|[a-zA-Z-]{1,9}): ?[ -~]{0,20}", 0..6),
        body in prop::collection::vec(any::<u8>(), 0..200),
        raw in any::<bool>(),
    ) {
        let (_board, server) = start();
        let mut bytes = if raw {
            Vec::new()
        } else {
            format!("{method} {path} HTTP/1.1\r\n{}\r\n\r\n", fields.join("\r\n")).into_bytes()
        };
        bytes.extend_from_slice(&body);
        let mut stream = connect(server.address());
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut first = [0; 12];
        if let Ok(count @ 1..) = stream.read(&mut first) {
            prop_assert!(b"HTTP/1.1 ".starts_with(&first[..count.min(9)]));
        }
        let next = get(server.address(), "/state", "");
        prop_assert_eq!(status(&next), "200");
    }
}
