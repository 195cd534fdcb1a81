// SPDX-License-Identifier: Apache-2.0
//! `ropewalk htsp`: one end of an HTSP link on a network interface.

mod incoming;
pub mod link;
mod outgoing;
pub mod recv;
mod run;
pub mod send;
pub mod stat;

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ropewalk_console::failure::{BAD, Failure, NETWORK};
use ropewalk_console::format;
use ropewalk_console::stop::note;
use ropewalk_console::table::{Style, Table};
use ropewalk_io::htsp::{Backend, Fault, Host, Settings, Stats};
use ropewalk_io::link::ETHERNET;
use ropewalk_io::{RawLink, pcap};
use serde::Serialize;

use crate::cli::{HtspBackend, HtspPort};
use crate::units::ChannelFile;
use crate::watch::htsp::Watched;
use run::Words;

/// Time between looks at how far things are.
const LOOK: Duration = Duration::from_millis(20);

/// What the threads have in common.
struct Shared {
    /// Receivers are to end when nothing is left.
    empty: AtomicBool,
    /// Receivers are to end at once.
    now: AtomicBool,
    /// Bytes so far.
    bytes: AtomicU64,
}

/// Refuses a channel that an option names twice, and a second use of a file, standard input or
/// output.
fn check(option: &str, files: &[ChannelFile]) -> Result<(), Failure> {
    for (place, file) in files.iter().enumerate() {
        let before = &files[..place];
        if before.iter().any(|other| other.vc == file.vc) {
            let vc = file.vc;
            let text = format!("{option} names channel {vc} twice; accepted: each channel once");
            return Err(Failure::BadInput(text));
        }
        if before.iter().any(|other| other.file == file.file) {
            let text = format!(
                "{option} names {} twice; accepted: each file once",
                file.file.display()
            );
            return Err(Failure::BadInput(text));
        }
    }
    Ok(())
}

/// Whether a file stands for standard input or output.
fn is_dash(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// A running end, and what was clamped when it was opened.
struct Session {
    host: Host,
    notes: Vec<String>,
    begun: Instant,
    /// Its live page.
    watched: Option<Watched>,
}

impl Session {
    fn open(port: &HtspPort, rate: Option<f64>) -> Result<Self, Failure> {
        let backend = match port.backend {
            HtspBackend::Packet => Backend::Packet,
            HtspBackend::Xdp => Backend::Xdp,
        };
        let settings = Settings {
            backend,
            ethertype: port.ethertype,
            burst: port.burst.into(),
            alive: port.alive,
            silence: port.silence,
            rate,
            ..Settings::default()
        };
        let link = settings
            .open(&port.interface)
            .map_err(|error| Failure::network(Fault::Open(error)))?;
        let mut notes = link.notes().to_vec();
        let burst = settings.burst_on(link.limit());
        if burst < settings.burst {
            notes.push(format!(
                "bursts of {burst} bytes instead of {}: the MTU of {} is {}; frames of the peer that are longer do not arrive at \
                 all; 'ip link set {} mtu 9000' at both ends, or --burst {burst} at both",
                settings.burst,
                port.interface,
                link.limit() - ETHERNET,
                port.interface,
            ));
        }
        for text in &notes {
            note(port.quiet, text);
        }
        let watched = Watched::open(port)?;
        let watch = match &port.pcap {
            None => None,
            Some(path) => {
                let fail = |error| Failure::write(path, error);
                let file = BufWriter::with_capacity(1 << 20, File::create(path).map_err(fail)?);
                let mut capture = Some(pcap::Writer::new(file).map_err(fail)?);
                let name = path.display().to_string();
                Some(Box::new(move |time: Duration, bytes: &[u8]| {
                    if let Some(writer) = &mut capture
                        && let Err(error) = writer.frame(time, bytes)
                    {
                        note(false, &format!("the capture ends here: {name}: {error}"));
                        capture = None;
                    }
                }) as _)
            }
        };
        Ok(Self {
            host: Host::start(link, &settings, watch).map_err(Failure::network)?,
            notes,
            begun: Instant::now(),
            watched,
        })
    }
}

/// Times that the link has gone down.
fn downs(stats: &Stats) -> u64 {
    stats.rx.downs_phy + stats.rx.downs_silent
}

/// The object that `--json` of `recv` and `send` prints; of each channel it holds a `C`.
#[derive(Debug, Serialize)]
struct Summary<C> {
    ok: bool,
    interface: String,
    seconds: f64,
    bytes: u64,
    gbps: f64,
    vc: Vec<C>,
    link: Link,
    notes: Vec<String>,
    words: Words,
}

/// What the counters of the link say, as JSON.
#[derive(Debug, Serialize)]
struct Link {
    peer: Option<String>,
    ups: u64,
    downs: u64,
    frames_received: u64,
    frames_sent: u64,
    lost: u64,
    damaged: u64,
    checksum: u64,
    stale: u64,
    orphans: u64,
    overflows: u64,
    ring_drops: u64,
    ring_overflows: u64,
    cut: u64,
}

impl Link {
    fn new(stats: &Stats) -> Self {
        Self {
            peer: stats.peer.map(|mac| mac.to_string()),
            ups: stats.rx.ups,
            downs: downs(stats),
            frames_received: stats.rx.good,
            frames_sent: stats.tx.data + stats.tx.headers,
            lost: stats.rx.lost,
            damaged: stats.rx.damaged + stats.rx.malformed,
            checksum: stats.rx.checksum,
            stale: stats.rx.stale,
            orphans: stats.sum(|it| it.rx.orphans),
            overflows: stats.sum(|it| it.overflows),
            ring_drops: stats.drops,
            ring_overflows: stats.gaps,
            cut: stats.sum(|it| it.tx.cut),
        }
    }

    /// Whether nothing that was received is missing or damaged.
    fn is_whole(&self) -> bool {
        let faults = [
            self.lost,
            self.damaged,
            self.checksum,
            self.stale,
            self.orphans,
            self.overflows,
            self.ring_overflows,
        ];
        faults.iter().all(|&count| count == 0)
    }

    /// What is not as it should be, in words.
    fn complaints(&self) -> Vec<String> {
        [
            (self.lost, "frames missing"),
            (self.damaged, "frames damaged"),
            (self.checksum, "headers damaged"),
            (self.stale, "frames again or late"),
            (self.orphans, "bursts without a start"),
            (self.overflows, "user frames that did not fit the buffer"),
            (self.ring_overflows, "overflows of the receive ring"),
            (self.cut, "user frames cut at this end"),
        ]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", format::thousands(*count)))
        .collect()
    }
}

/// What is said while a run goes on: how far things are, on a terminal, and notes.
struct Live {
    bar: Option<ProgressBar>,
    is_quiet: bool,
}

impl Live {
    fn new(port: &HtspPort) -> Self {
        let wanted = !port.quiet && !port.json && std::io::stderr().is_terminal();
        let bar = wanted.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            is_quiet: port.quiet,
        }
    }

    /// A line for whoever looks, above the bar.
    fn note(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| note(false, text)),
            None => note(self.is_quiet, text),
        }
    }

    fn update(&self, stats: &Stats, bytes: u64, elapsed: Duration) {
        let Some(bar) = &self.bar else { return };
        let state = match (stats.link_up, stats.peer_ready) {
            (false, _) => "waiting for the peer".to_owned(),
            (true, false) => "the peer does not hear this end".to_owned(),
            (true, true) => format!(
                "{}, {} Gb/s",
                format::bytes(bytes),
                format::significant(gbps(bytes, elapsed), 3)
            ),
        };
        bar.set_message(state);
        bar.tick();
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Exit status of a run that was `alone` where it needed a peer.
fn status(ok: bool, alone: bool) -> u8 {
    match (ok, alone) {
        (true, _) => 0,
        (false, true) => NETWORK,
        (false, false) => BAD,
    }
}

/// How much was carried, in words.
fn carried(bytes: u64, seconds: f64, gbps: f64) -> String {
    format!(
        "{} in {}, {} Gb/s",
        format::bytes(bytes),
        format::time(seconds * 1e9),
        format::significant(gbps, 3)
    )
}

/// Prints tables, a line on each, and whether all is well; on standard error if standard output is
/// taken. When it is to be quiet, it prints what is wrong, if anything is.
fn print_text(
    port: &HtspPort,
    stdout_taken: bool,
    tables: &[Table],
    carried: &[String],
    (ok, praise): (bool, &str),
    complaints: &[String],
) -> Result<(), Failure> {
    if port.quiet {
        if !ok {
            let _ = writeln!(std::io::stderr(), "ropewalk: {}", complaints.join(", "));
        }
        return Ok(());
    }
    let style = Style::new(!stdout_taken && format::colour_wanted(&std::io::stdout()));
    let verdict = if ok {
        style.good(praise)
    } else {
        style.bad(&complaints.join(", "))
    };
    let mut text = String::new();
    for (place, (table, carried)) in tables.iter().zip(carried).enumerate() {
        let last = place + 1 == tables.len();
        let end = if last {
            format!(": {verdict}")
        } else {
            String::new()
        };
        text += &format!("{}\n{carried}{end}\n", table.render(style));
    }
    if stdout_taken {
        let _ = write!(std::io::stderr(), "{text}");
    } else {
        write!(std::io::stdout(), "{text}")?;
    }
    Ok(())
}

fn gbps(bytes: u64, elapsed: Duration) -> f64 {
    bytes as f64 * 8e-9 / elapsed.as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_and_files_are_named_once() {
        let file = |vc, name: &str| ChannelFile {
            vc,
            file: name.into(),
        };
        assert!(check("--vc", &[file(0, "a"), file(1, "b")]).is_ok());
        let twice = check("--vc", &[file(3, "a"), file(3, "b")]).unwrap_err();
        assert!(twice.to_string().contains("channel 3 twice"));
        let twice = check("--vc", &[file(0, "-"), file(1, "-")]).unwrap_err();
        assert!(twice.to_string().contains("names - twice"));
    }
}
