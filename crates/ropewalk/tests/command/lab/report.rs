// SPDX-License-Identifier: Apache-2.0
//! The report, opened in a real browser (see `browser.rs`).

use super::browser::{Browser, assert_fits, probe, probe_on_a_phone, watched};
use crate::common::run_in;

#[test]
fn the_page_opens_without_a_network_and_shows_its_plots() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_in(
        folder.path(),
        &[
            "sim",
            "rifl",
            // The stalls of this mode are long enough for a curve that crosses the plot of the
            // latency.
            "--compatible",
            "--packets",
            "300",
            "--ber",
            "3e-6",
            "--seed",
            "22",
            "--report",
            "report",
            "--quiet",
        ],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let page = folder.path().join("report/index.html");
    let html = std::fs::read_to_string(&page).unwrap();
    assert_eq!(super::names(&folder.path().join("report")), ["index.html"]);

    // What can be seen without a browser.
    for outside in ["http:", "https:", "//cdn", "@import", "url(", " src="] {
        assert!(!html.contains(outside), "the page mentions {outside}");
    }
    for part in [
        "id=\"goodput\"",
        "id=\"latency\"",
        "id=\"histogram\"",
        "--seed 22",
        "default-src 'none'",
        "prefers-color-scheme: dark",
    ] {
        assert!(html.contains(part), "the page lacks {part}");
    }

    let Some(browser) = Browser::start() else {
        return;
    };

    // The proxy sees what a page asks for; otherwise the check below would prove nothing.
    let control = folder.path().join("control.html");
    std::fs::write(&control, "<img src=\"http://ropewalk.invalid/x.png\">").unwrap();
    browser.open(&control, &["--dump-dom"]);
    assert!(
        browser
            .proxy
            .of_the_page()
            .iter()
            .any(|line| line.contains("ropewalk.invalid/x.png"))
    );
    browser.proxy.requests.lock().unwrap().clear();

    let probed = folder.path().join("probed.html");
    std::fs::write(&probed, watched(&html)).unwrap();
    let found = probe(&browser, &probed, &["--window-size=1200,900"]);
    for plot in ["goodput", "latency"] {
        let plot = &found[plot];
        assert_eq!(plot["visible"], 1, "{found:#}");
        assert_eq!(plot["kind"], "wide", "{found:#}");
        assert!(
            plot["width"].as_f64().unwrap() > 700.0 && plot["height"].as_f64().unwrap() > 200.0,
            "{found:#}"
        );
        // A curve that crosses the plot is at least as long as the plot is wide.
        for line in ["line_a", "line_b"] {
            assert!(plot[line].as_f64().unwrap() > 700.0, "{line}: {found:#}");
        }
        for marks in ["mark_a", "mark_b"] {
            assert!(plot[marks].as_f64().unwrap() >= 11.0, "{marks}: {found:#}");
        }
    }
    assert!(
        found["histogram"]["columns_a"].as_f64().unwrap() > 100.0,
        "{found:#}"
    );
    assert!(
        found["readout"].as_str().unwrap().contains("Gb/s"),
        "{found:#}"
    );
    assert_eq!(found["resources"], serde_json::json!([]), "{found:#}");
    assert_eq!(found["violated"], serde_json::json!([]), "{found:#}");

    // A phone: the narrow plots, and nothing sticks out.
    let found = probe_on_a_phone(&browser, folder.path());
    assert_eq!(found["goodput"]["kind"], "narrow", "{found:#}");
    assert!(
        found["goodput"]["width"].as_f64().unwrap() > 300.0,
        "{found:#}"
    );
    assert!(
        found["overflow"].as_f64().unwrap() <= 0.0,
        "the page is wider than a phone: {found:#}"
    );

    // A picture, light and dark.
    let mut pictures = Vec::new();
    for (name, mode) in [
        ("light", "--disable-features=WebContentsForceDark"),
        ("dark", "--force-dark-mode"),
    ] {
        let picture = folder.path().join(format!("{name}.png"));
        let screenshot = format!("--screenshot={}", picture.display());
        browser.open(&page, &[&screenshot, "--window-size=1200,2400", mode]);
        let bytes = std::fs::read(&picture).unwrap();
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        assert!(
            bytes.len() > 50_000,
            "{name}: a picture of {} bytes is empty",
            bytes.len()
        );
        pictures.push(bytes);
    }
    assert!(pictures[0] != pictures[1], "light and dark look the same");

    assert_eq!(
        browser.proxy.of_the_page(),
        Vec::<String>::new(),
        "the page asks the network"
    );
}

#[test]
fn the_page_of_a_plan_fits_a_screen_and_a_phone() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["plan", "rifl", "--lanes", "4", "--report", "."];
    let run = run_in(folder.path(), &args);
    assert_eq!(run.status, Some(0), "{run:?}");
    let html = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert_fits(&html, &["efficiency", "goodput", "latency"]);
}
