// SPDX-License-Identifier: Apache-2.0
//! The live page of a command, as a client without a browser meets it.

use std::io::{BufRead, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Much longer than anything takes on a loaded machine.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Where a command says that its page is; reads its lines up to that one.
pub fn address(lines: &mut impl BufRead) -> String {
    let mut line = String::new();
    loop {
        line.clear();
        assert_ne!(lines.read_line(&mut line).expect("a line"), 0, "no page");
        if let Some((_, address)) = line.trim().split_once("page: http://") {
            return address.trim_end_matches('/').to_owned();
        }
    }
}

/// Sends a request; gives the body of the answer, which has to be one of success.
pub fn exchange(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 20"), "{request}: {answer}");
    let body = answer.split_once("\r\n\r\n").expect("a body").1;
    body.to_owned()
}

/// What stands at a path.
pub fn get(address: &str, path: &str) -> String {
    exchange(
        address,
        &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n"),
    )
}

/// The first state that `is` accepts.
pub fn until(address: &str, what: &str, is: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let state: Value = serde_json::from_str(&get(address, "/state")).expect("JSON");
        if is(&state) {
            return state;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}: {state:#}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Code of the first reason of a state; empty: there is none.
pub fn reason(state: &Value) -> &str {
    state["reasons"][0]["code"].as_str().unwrap_or_default()
}
