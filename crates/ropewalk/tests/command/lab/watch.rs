// SPDX-License-Identifier: Apache-2.0
//! `ropewalk watch rifl`: every kind of fault that the channel can make, made through the page, is
//! named within 100 ms of link time.

use std::io::BufReader;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::devtools::Page;
use crate::common::{page, ropewalk, run_in};

/// Link time within which a fault is named.
const NAMED_S: f64 = 0.1;

/// A command with a live page.
pub struct Watched {
    child: Child,
    /// Its `HOST:PORT`.
    pub address: String,
}

impl Watched {
    /// Starts the command; it prints where its page is.
    pub fn start(args: &[&str]) -> Self {
        let mut command = ropewalk();
        let command = command.args(args).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the command runs");
        let out = child.stdout.take().expect("it is piped");
        Self {
            child,
            address: page::address(&mut BufReader::new(out)),
        }
    }

    /// A simulated link of two lanes at this pace.
    fn rifl(pace: &str) -> Self {
        let link = ["watch", "rifl", "--listen", "127.0.0.1:0", "--lanes", "2"];
        Self::start(&[&link[..], &["--seed", "1", "--pace", pace]].concat())
    }

    /// What stands at a path.
    pub fn get(&self, path: &str) -> String {
        page::get(&self.address, path)
    }

    /// Does what a button of the page does.
    fn order(&self, order: &Value) {
        let page = self.get("/");
        let token = page.split("name=\"token\" content=\"").nth(1);
        let token = &token.expect("a token")[..32];
        let (address, body) = (&self.address, order.to_string());
        page::exchange(
            address,
            &format!(
                "POST /what-if HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nX-Ropewalk-Token: {token}\r\n\
             Content-Length: {}\r\n\r\n{body}",
                body.len()
            ),
        );
    }

    /// The first state that `is` accepts.
    pub fn until(&self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        page::until(&self.address, what, is)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn events(state: &Value) -> &[Value] {
    state["events"].as_array().expect("events")
}

/// Number of the last event; 0: there is none.
fn last(state: &Value) -> u64 {
    events(state)
        .last()
        .map_or(0, |event| event["number"].as_u64().expect("a number"))
}

/// Whether a state names a reason: as one that holds, or as that of an event behind `number`.
fn names(state: &Value, code: &str, number: u64) -> bool {
    let since = events(state)
        .iter()
        .filter(|event| event["number"].as_u64() > Some(number));
    let mut events = since.map(|event| &event["reason"]);
    let reasons = state["reasons"].as_array().expect("reasons");
    events.any(|reason| reason["code"] == code)
        || reasons.iter().any(|reason| reason["code"] == code)
}

/// Up, and nothing is wrong.
fn is_sound(state: &Value) -> bool {
    state["up"] == true && state["reasons"].as_array().is_some_and(Vec::is_empty)
}

/// Packets that came and were not what was sent, both ways.
fn bad(state: &Value) -> u64 {
    let channels = state["channels"].as_array().expect("channels");
    let bad = |channel: &Value| channel["bad"].as_u64().expect("a count");
    channels.iter().map(bad).sum()
}

/// Most bad packets by the contract: a heavily damaged frame passes with a probability of 2^-12
/// (docs/src/limits.md). More have a probability below 1e-9.
fn most_bad(state: &Value) -> u64 {
    let counts = state["event_counts"].as_array().expect("counts");
    let damaged = counts.iter().filter(|count| {
        ["recovery", "lane", "down"]
            .iter()
            .any(|kind| count[0] == *kind)
    });
    let damaged: u64 = damaged.filter_map(|count| count[2].as_u64()).sum();
    let expected = damaged as f64 / 4096.0;
    // That the next one comes is less probable than this, by Poisson's distribution.
    let (mut most, mut beyond) = (0, expected);
    while beyond > 1e-9 {
        most += 1;
        beyond *= expected / (most as f64 + 1.0);
    }
    most
}

#[test]
fn every_fault_of_the_channel_is_named_within_100_ms_of_link_time() {
    let watched = Watched::rifl("max");
    let cut = |pattern: u32| json!({"action": "cut", "values": {"direction": 0, "lane": 1, "pattern": pattern, "time": 50}});
    let rate = |action: &str, rate: u32| json!({"action": action, "values": {"rate": rate}});
    let heat = |ppm: f64| json!({"action": "heat", "values": {"ppm": ppm}});
    let swap = json!({"action": "swap", "values": {"direction": 0, "lane": 0, "other": 0}});
    let slip = json!({"action": "slip", "values": {"direction": 1, "lane": 0, "bits": 5}});
    let flip = json!({"action": "flip", "values": {"direction": 1, "lane": 0, "bits": 3}});
    let reset = json!({"action": "reset", "values": {"end": 1}});
    // The order, the name that it has to get, and what ends it if it does not end by itself.
    let faults = [
        (flip, "bit_errors", None),
        (rate("errors", 5), "bit_errors", Some(rate("errors", 0))),
        (heat(60.0), "clock_drift", None),
        (heat(-250.0), "clock_offset", Some(heat(0.0))),
        (reset, "new_session", None),
        (cut(0), "line_zero", None),
        (cut(1), "line_one", None),
        (cut(2), "line_alternating", None),
        (cut(3), "line_stuck", None),
        (cut(4), "line_repeats", None),
        (cut(5), "no_alignment", None),
        (slip, "bit_slip", None),
        (swap.clone(), "lane_order", Some(swap)),
        (rate("bursts", 4), "bit_errors", Some(rate("bursts", 0))),
    ];
    let downs = |state: &Value| state["downs"].as_u64().expect("a count");
    for (order, code, end) in faults {
        let sound = watched.until("sound before", is_sound);
        // Up to the first cut no frame is heavily damaged, and every error is seen.
        let first_cut = order["action"] == "cut" && code == "line_zero";
        assert!(!first_cut || bad(&sound) == 0, "{sound:#}");
        let before = last(&sound);
        watched.order(&order);
        let state = watched.until(&format!("{order} is named {code}"), |state| {
            names(state, code, before)
        });
        let ordered = events(&state)
            .iter()
            .find(|event| event["kind"] == "order" && event["number"].as_u64() > Some(before));
        // Pushed out by the many events since only if it is long ago.
        let ordered = ordered.unwrap_or_else(|| panic!("{order}: {state:#}"));
        let took =
            state["time_s"].as_f64().expect("time") - ordered["time_s"].as_f64().expect("time");
        println!(
            "{code}: the state names it {:.3} ms of link time behind the order",
            took * 1e3
        );
        assert!(took <= NAMED_S, "{order}: {took} s");
        if let Some(end) = end {
            watched.order(&end);
        }
        // While a lane is cut no data pass, whatever its receiver sees.
        if order["action"] == "cut" {
            let after = watched.until("sound behind a cut", is_sound);
            assert!(downs(&after) > downs(&sound), "{order}: {after:#}");
        }
    }
    let state = watched.until("sound at the end", is_sound);
    assert!(bad(&state) <= most_bad(&state), "{state:#}");
    for channel in state["channels"].as_array().expect("channels") {
        assert!(channel["packets"].as_u64() > Some(1000), "{state:#}");
    }
    let metrics = watched.get("/metrics");
    assert!(
        metrics.contains("ropewalk_link_up 1\n") && metrics.ends_with("# EOF\n"),
        "{metrics}"
    );
    assert!(metrics.contains("reason=\"line_zero\""), "{metrics}");
}

#[test]
fn a_run_with_an_end_says_whether_it_was_sound_and_bad_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let args = [
        "watch",
        "rifl",
        "--listen",
        "127.0.0.1:0",
        "--pace",
        "max",
        "--lanes",
        "2",
    ];
    let run = run_in(
        folder.path(),
        &[&args[..], &["--duration", "100us"]].concat(),
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("page: http://127.0.0.1:"), "{run:?}");
    for (more, parts) in [
        (["--listen", "here"], ["'here'", "127.0.0.1:7480"]),
        (["--pace", "3h"], ["'3h'", "or max"]),
        (["--duration", "2s"], ["'2s'", "1us to 1s"]),
        (["--lanes", "3"], ["'3'", "1, 2, 4 or 8"]),
    ] {
        let run = run_in(folder.path(), &[&["watch", "rifl"][..], &more].concat());
        assert_eq!(run.status, Some(3), "{run:?}");
        assert!(
            parts.iter().all(|part| run.stderr.contains(part)),
            "{run:?}"
        );
    }
    let run = run_in(folder.path(), &["watch", "rifl", "--listen", "192.0.2.1:1"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(
        run.stderr.contains("cannot listen at 192.0.2.1:1"),
        "{run:?}"
    );
}

/// Presses the button of a form, after its inputs were set.
fn press(page: &mut Page, action: &str, inputs: &str) {
    page.value(&format!(
        "(() => {{ const form = document.querySelector('form[data-action={action}]'); \
         for (const [name, value] of Object.entries({inputs})) form.elements[name].value = value; \
         form.querySelector('button').click(); }})()"
    ));
}

/// The page in a browser, on a screen and on a phone: it shows the faults that its buttons make,
/// and no script of it fails.
#[test]
fn the_page_shows_what_its_buttons_do() {
    let watched = Watched::rifl("300us");
    let url = format!("http://{}/", watched.address);
    for size in [(1280, 900), (390, 844)] {
        let Some(mut page) = Page::open(&url, size) else {
            return;
        };
        let up = "document.getElementById('state')?.textContent === 'Up' && document.getElementById('verdict').className === 'verdict good'";
        page.until(up);
        assert_eq!(
            page.value("document.querySelectorAll('#lanes li').length"),
            4
        );
        // A cut that lasts until after it is looked at.
        press(
            &mut page,
            "cut",
            "{direction: 0, lane: 1, pattern: 0, time: 900}",
        );
        page.until("document.getElementById('state').textContent === 'Down'");
        page.until("document.getElementById('verdict').textContent.includes('B finds no frames on lane 1')");
        page.until(
            "document.querySelector('#lanes li.down .reason').textContent.includes('zeros')",
        );
        page.until("document.getElementById('ordered').textContent === 'Cut: done.'");
        page.until("!!document.querySelector('#timeline .mark.order') && !!document.querySelector('#timeline .mark.down')");
        page.until("!!document.querySelector('#events li.lane[data-code=line_zero]')");
        // A mark says why, to those who touch it and to those who listen.
        page.value("document.querySelector('#timeline .mark.lane').focus()");
        let why = page.value("document.getElementById('readout').textContent");
        assert!(
            why.as_str().is_some_and(|text| text.contains("zeros")),
            "{why}"
        );
        page.until(up);
        press(&mut page, "flip", "{direction: 1, lane: 0, bits: 3}");
        page.until("document.getElementById('verdict').textContent.includes('bit errors B to A on lane 0')");
        // What is out of range does not leave the page, or is refused.
        let refused = page.value("order({elements: {ppm: {value: '5000'}}}, {action: 'heat', label: 'Heat', inputs: [{name: 'ppm'}]}).then(() => document.getElementById('ordered').textContent)");
        assert_eq!(refused, "Refused: heat: ppm 5000; accepted: -1000 to 1000");
        let overflow =
            "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(page.value(overflow), 0, "wider than the screen");
        let curve = page.value("document.querySelector('#channels path').getTotalLength()");
        assert!(curve.as_f64() > Some(1.0), "{curve}");
        // The refusal above is the only thing that may be in the log.
        page.complaints.retain(|text| !text.contains("what-if"));
        assert_eq!(page.complaints, Vec::<String>::new());
        assert_eq!(page.proxy.of_the_page(), Vec::<String>::new());
        let foreign = format!(
            "performance.getEntriesByType('resource').filter((it) => !it.name.startsWith('{url}')).length"
        );
        assert_eq!(page.value(&foreign), 0);
    }
    assert!(watched.get("/").len() < 200_000);
}
