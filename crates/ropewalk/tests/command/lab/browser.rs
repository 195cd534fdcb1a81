// SPDX-License-Identifier: Apache-2.0
//! A page, opened in a real browser.
//!
//! Chromium opens the page without a screen. A script that only the test adds measures what was
//! drawn and writes it into the title. All requests of the browser go to a proxy of the test, which
//! notes them: the page must make none. Where there is no Chromium the test is skipped. `CHROMIUM`
//! names another program.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ropewalk_testkit::needs;
use serde_json::Value;

pub fn chromium() -> Option<PathBuf> {
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
    let why =
        "none of chromium, chromium-browser, google-chrome is in PATH and CHROMIUM is not set";
    needs("Chromium", found.ok_or(why))
}

/// Answers every request with 404 and notes its first line.
pub struct Proxy {
    /// Its port.
    pub port: u16,
    /// First lines.
    pub requests: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// Begins to listen.
    pub fn start() -> Self {
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
    pub fn of_the_page(&self) -> Vec<String> {
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

/// Chromium without a screen.
pub struct Browser {
    program: PathBuf,
    profile: tempfile::TempDir,
    /// Where all of its requests go.
    pub proxy: Proxy,
}

impl Browser {
    /// None where there is no Chromium.
    pub fn start() -> Option<Self> {
        Some(Self {
            program: chromium()?,
            profile: tempfile::tempdir().unwrap(),
            proxy: Proxy::start(),
        })
    }

    /// Opens a page; gives what it prints.
    pub fn open(&self, page: &Path, args: &[&str]) -> String {
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
    if (!svg.length) continue;  // A drawing.
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

/// Opens a page that [`watched`] gave, and gives what was measured.
pub fn probe(browser: &Browser, page: &Path, args: &[&str]) -> Value {
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

/// The page with the probe in it.
pub fn watched(html: &str) -> String {
    html.replace("</body>", PROBE)
        .replace("<head>", &format!("<head>{WATCH}"))
}

/// Opens `probed.html` of a folder as a phone does. (A window cannot be as narrow as that; a frame
/// can.)
pub fn probe_on_a_phone(browser: &Browser, folder: &Path) -> Value {
    let phone = folder.join("phone.html");
    let frame = "<body><iframe src=\"probed.html\" style=\"width:390px;height:800px;border:0\" onload=\"setTimeout(\
                 () => document.title = document.querySelector('iframe').contentDocument.title, 500)\"></iframe></body>";
    std::fs::write(&phone, frame).unwrap();
    probe(browser, &phone, &["--allow-file-access-from-files"])
}

/// The page, in the same browser: plots of full width, a phone, no requests.
pub fn assert_fits(html: &str, plots: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::start() else {
        return;
    };
    let probed = folder.path().join("probed.html");
    std::fs::write(&probed, watched(html)).unwrap();
    let found = probe(&browser, &probed, &["--window-size=1200,900"]);
    for plot in plots {
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

    let found = probe_on_a_phone(&browser, folder.path());
    for plot in plots {
        assert_eq!(found[plot]["kind"], "narrow", "{found:#}");
    }
    assert!(
        found["overflow"].as_f64().unwrap() <= 0.0,
        "the page is wider than a phone: {found:#}"
    );
    assert_eq!(browser.proxy.of_the_page(), Vec::<String>::new());
}
