// SPDX-License-Identifier: Apache-2.0
//! Chromium without a screen, driven through its debugging pipe (Chrome DevTools Protocol):
//! messages of JSON, each with a zero behind it. Where there is no Chromium the test is skipped.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::browser::{Proxy, chromium};

/// Much longer than anything takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page.
pub struct Page {
    child: Child,
    orders: File,
    answers: BufReader<File>,
    session: String,
    count: u64,
    /// Exceptions of scripts and entries of the log, such as of what the policy forbids.
    pub complaints: Vec<String>,
    /// Where all requests go but those to this machine.
    pub proxy: Proxy,
    _folder: tempfile::TempDir,
}

/// A pipe with a name.
fn fifo(path: &Path) {
    let done = Command::new("mkfifo").arg(path).status();
    assert!(done.expect("mkfifo runs").success());
}

impl Page {
    /// Opens a page of this width and height; none where there is no Chromium.
    pub fn open(url: &str, (width, height): (u32, u32)) -> Option<Self> {
        let program = chromium()?;
        let folder = tempfile::tempdir().expect("a folder");
        let [orders, answers] = ["orders", "answers"].map(|name| folder.path().join(name));
        fifo(&orders);
        fifo(&answers);
        let proxy = Proxy::start();
        // The browser reads from 3 and writes to 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3< \"$ORDERS\" 4> \"$ANSWERS\"", "sh"])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
            ])
            .args([
                "--no-first-run",
                "--disable-background-networking",
                "--disable-sync",
            ])
            .args(["--disable-component-update", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .arg(format!("--proxy-server=http://127.0.0.1:{}", proxy.port))
            // Not the start page of its own.
            .arg("about:blank")
            .env("ORDERS", &orders)
            .env("ANSWERS", &answers)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell runs");
        let opened = File::options()
            .write(true)
            .open(&orders)
            .and_then(|orders| Ok((orders, File::open(&answers)?)));
        let Ok((orders, answers)) = opened else {
            let _ = child.kill();
            panic!("the pipes of the browser cannot be opened");
        };
        let mut page = Self {
            child,
            orders,
            answers: BufReader::new(answers),
            session: String::new(),
            count: 0,
            complaints: Vec::new(),
            proxy,
            _folder: folder,
        };
        let target = page.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let session = page.call("Target.attachToTarget", target);
        page.session = session["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page", "Runtime", "Log"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        page.call("Emulation.setDeviceMetricsOverride", size);
        page.call("Page.navigate", json!({"url": url}));
        Some(page)
    }

    /// Calls a method, and gives what it answers.
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.count += 1;
        let mut message = json!({"id": self.count, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let text = format!("{message}\0");
        self.orders
            .write_all(text.as_bytes())
            .expect("the browser listens");
        loop {
            let mut answer = Vec::new();
            self.answers
                .read_until(0, &mut answer)
                .expect("the browser answers");
            assert_eq!(answer.pop(), Some(0), "the browser has ended");
            let answer: Value = serde_json::from_slice(&answer).expect("JSON");
            match answer["method"].as_str() {
                Some("Runtime.exceptionThrown") => {
                    self.complaints
                        .push(answer["params"]["exceptionDetails"].to_string());
                }
                Some("Log.entryAdded") => {
                    self.complaints.push(answer["params"]["entry"].to_string());
                }
                _ if answer["id"] == self.count => {
                    assert!(answer["error"].is_null(), "{method}: {answer}");
                    return answer["result"].clone();
                }
                _ => {}
            }
        }
    }

    /// The value of an expression in the page; it may be a promise.
    pub fn value(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true});
        let answer = self.call("Runtime.evaluate", params);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn until(&mut self, expression: &str) {
        let begun = Instant::now();
        while self.value(expression) != true {
            let text = self.value("document.body.innerText");
            assert!(
                begun.elapsed() < PATIENCE,
                "{expression}: {text}, {:?}",
                self.complaints
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // The shell has become the browser.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
