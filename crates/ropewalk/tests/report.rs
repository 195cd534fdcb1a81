// SPDX-License-Identifier: Apache-2.0
//! The report, opened in a real browser.
//!
//! Chromium opens the page without a screen. A script that only the test adds measures what was drawn and writes it
//! into the title. All requests of the browser go to a proxy of the test, which notes them: the page must make none.
//! Where there is no Chromium the test says so and passes, except when CI=true. `CHROMIUM` names another program.

mod common;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::run_in;
use serde_json::Value;

fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let candidates = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = named.or_else(|| {
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        candidates
            .iter()
            .flat_map(|name| folders.iter().map(move |f| f.join(name)))
            .find(|p| p.is_file())
    });
    if found.is_none() {
        let why = "no Chromium: none of chromium, chromium-browser, google-chrome is in PATH and CHROMIUM is not set";
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{why}");
        println!("skipped: {why}");
    }
    found
}

/// Answers every request with 404 and notes its first line.
struct Proxy {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let noted = Arc::clone(&noted);
                std::thread::spawn(move || {
                    let mut stream = stream;
                    let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
                    let mut buffer = [0; 4096];
                    let count = stream.read(&mut buffer).unwrap_or(0);
                    let text = String::from_utf8_lossy(&buffer[..count]).into_owned();
                    noted
                        .lock()
                        .unwrap()
                        .extend(text.lines().next().map(str::to_owned));
                    let _ = stream.write_all(
                        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                    );
                });
            }
        });
        Self { port, requests }
    }

    /// Requests that the browser makes for itself (updates, accounts) are not the page's.
    fn of_the_page(&self) -> Vec<String> {
        let own = [
            "google.com",
            "googleapis.com",
            "gvt1.com",
            "gstatic.com",
            "google-analytics.com",
        ];
        let all = self.requests.lock().unwrap();
        all.iter()
            .filter(|line| !own.iter().any(|host| line.contains(host)))
            .cloned()
            .collect()
    }
}

struct Browser {
    program: PathBuf,
    profile: tempfile::TempDir,
    proxy: Proxy,
}

impl Browser {
    fn start() -> Option<Self> {
        Some(Self {
            program: chromium()?,
            profile: tempfile::tempdir().unwrap(),
            proxy: Proxy::start(),
        })
    }

    fn open(&self, page: &Path, args: &[&str]) -> String {
        let output = Command::new(&self.program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
            ])
            .args([
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .arg("--virtual-time-budget=3000")
            .arg(format!("--user-data-dir={}", self.profile.path().display()))
            .arg(format!(
                "--proxy-server=http://127.0.0.1:{}",
                self.proxy.port
            ))
            .args(args)
            .arg(format!("file://{}", page.display()))
            .output()
            .expect("Chromium starts");
        assert!(
            output.status.success(),
            "Chromium failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// Stands first in the page, so that it notes every request that the policy of the page forbids.
const WATCH: &str = r"<script>
window.violated = [];
addEventListener('securitypolicyviolation', (event) => window.violated.push(event.blockedURI));
</script>";

/// Measures the visible plots and writes the measurements into the title.
const PROBE: &str = r#"<script>
addEventListener('load', () => {
  const found = {};
  for (const figure of document.querySelectorAll('figure')) {
    const svg = [...figure.querySelectorAll('svg.chart')].filter((s) => s.getBoundingClientRect().width > 0);
    const length = (what) => { const p = svg[0].querySelector(what); return p ? p.getTotalLength() : 0; };
    const box = svg[0].getBoundingClientRect();
    found[figure.id] = { visible: svg.length, width: box.width, height: box.height, kind: svg[0].classList[1],
      line_a: length('path.line.a'), line_b: length('path.line.b'),
      columns_a: length('path.columns.a'), mark_a: length('path.mark.a'), mark_b: length('path.mark.b') };
    if (figure.id === 'goodput') {
      svg[0].dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + box.width / 2, clientY: box.top + 50 }));
      found.readout = figure.querySelector('output').textContent;
    }
  }
  found.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  found.resources = performance.getEntriesByType('resource').map((entry) => entry.name);
  found.violated = window.violated;
  found.background = getComputedStyle(document.body).backgroundColor;
  document.title = 'PROBE' + JSON.stringify(found) + 'END';
});
</script></body>"#;

fn probe(browser: &Browser, page: &Path, args: &[&str]) -> Value {
    let dom = browser.open(page, &[&["--dump-dom"], args].concat());
    let title = dom
        .split("PROBE")
        .nth(1)
        .and_then(|rest| rest.split("END").next());
    let title =
        title.unwrap_or_else(|| panic!("the probe did not run: {}", &dom[..dom.len().min(2000)]));
    serde_json::from_str(&title.replace("&quot;", "\"").replace("&amp;", "&"))
        .expect("the probe writes JSON")
}

#[test]
fn the_page_opens_without_a_network_and_shows_its_plots() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_in(
        folder.path(),
        &[
            "sim",
            "rifl",
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
    assert_eq!(common::names(&folder.path().join("report")), ["index.html"]);

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
    std::fs::write(
        &probed,
        html.replace("</body>", PROBE)
            .replace("<head>", &format!("<head>{WATCH}")),
    )
    .unwrap();
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

    // A phone: the narrow plots, and nothing sticks out. (A window cannot be as narrow as that; a frame can.)
    let phone = folder.path().join("phone.html");
    let frame = "<body><iframe src=\"probed.html\" style=\"width:390px;height:800px;border:0\" onload=\"setTimeout(\
                 () => document.title = document.querySelector('iframe').contentDocument.title, 500)\"></iframe></body>";
    std::fs::write(&phone, frame).unwrap();
    let found = probe(&browser, &phone, &["--allow-file-access-from-files"]);
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

/// The page of the design calculator, in the same browser: plots of full width, a phone, no requests.
#[test]
fn the_page_of_a_plan_fits_a_screen_and_a_phone() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["plan", "rifl", "--lanes", "4", "--report", "."];
    let run = run_in(folder.path(), &args);
    assert_eq!(run.status, Some(0), "{run:?}");
    let html = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
    let Some(browser) = Browser::start() else {
        return;
    };
    let probed = folder.path().join("probed.html");
    let watched = html
        .replace("</body>", PROBE)
        .replace("<head>", &format!("<head>{WATCH}"));
    std::fs::write(&probed, watched).unwrap();
    let found = probe(&browser, &probed, &["--window-size=1200,900"]);
    for plot in ["efficiency", "goodput", "latency"] {
        assert_eq!(found[plot]["visible"], 1, "{found:#}");
        assert_eq!(found[plot]["kind"], "wide", "{found:#}");
        // The first curve of each crosses its plot.
        assert!(
            found[plot]["line_a"].as_f64().unwrap() > 600.0,
            "{plot}: {found:#}"
        );
    }
    assert_eq!(found["violated"], serde_json::json!([]), "{found:#}");
    assert_eq!(found["resources"], serde_json::json!([]), "{found:#}");

    let phone = folder.path().join("phone.html");
    let frame = "<body><iframe src=\"probed.html\" style=\"width:390px;height:800px;border:0\" onload=\"setTimeout(\
                 () => document.title = document.querySelector('iframe').contentDocument.title, 500)\"></iframe></body>";
    std::fs::write(&phone, frame).unwrap();
    let found = probe(&browser, &phone, &["--allow-file-access-from-files"]);
    assert_eq!(found["goodput"]["kind"], "narrow", "{found:#}");
    assert!(
        found["overflow"].as_f64().unwrap() <= 0.0,
        "the page is wider than a phone: {found:#}"
    );
    assert_eq!(browser.proxy.of_the_page(), Vec::<String>::new());
}
