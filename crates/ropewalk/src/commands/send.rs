// SPDX-License-Identifier: Apache-2.0
//! `ropewalk send`: files to a host where `ropewalk recv` runs.

use parking_lot::Mutex;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use ropewalk_chunk::transfer::choice::name;
use ropewalk_chunk::transfer::send::{Progress, SendError, Settings, send};
use ropewalk_chunk::transfer::source::Selection;
use ropewalk_chunk::transfer::start::{MOST_LANES, StartError};
use ropewalk_chunk::transfer::{Arrangement, Via};
use ropewalk_console::failure::{BAD, Failure, NETWORK};
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::output::INTERRUPTED;
use ropewalk_console::stop::{detail, note, stop_on_signal, stopped};
use ropewalk_io::lane::network::UdpAndTcp;
use ropewalk_io::measure::{cpu, peak_memory};
use ropewalk_wire::chunk::handshake::{Code, Credentials};
use serde::Serialize;

use super::key;
use crate::cli::{self, Arrange, Send};
use crate::units;
use crate::watch::transfer::Sending;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    bytes: u64,
    /// Bytes that the receiver had already, or that are zeros.
    spared_bytes: u64,
    /// Of these, bytes that it took from older files.
    reused_bytes: u64,
    /// Bytes that were handed to the lanes: files, the list of them and what stands around.
    sent_bytes: u64,
    seconds: f64,
    gbps: f64,
    sub_packets: u64,
    parity_subpackets: u64,
    lost_subpackets: u64,
    resent_subpackets: u64,
    broken_attempts: u32,
    phases_s: Phases,
    lanes: Vec<Lane>,
    /// Most memory that was resident.
    peak_memory_bytes: Option<u64>,
    /// Processor time, the kernel's included.
    cpu_seconds: f64,
    notes: Vec<String>,
    error: Option<String>,
}

/// Where the time has gone, seconds.
#[derive(Debug, Serialize)]
struct Phases {
    start: f64,
    compare: f64,
    transfer: f64,
    finish: f64,
}

#[derive(Debug, Serialize)]
struct Lane {
    /// "udp" or "tcp".
    kind: String,
    /// It stands by for those of the other kind.
    rests: bool,
    gbps: f64,
    rtt_ms: f64,
    lost: f64,
    resent_subpackets: u64,
    alive: bool,
}

/// What is said where nothing is protected.
pub(super) const UNPROTECTED: &str = "--trusted: nobody proves who he is, and nothing is encrypted";

/// The variable of the environment that has the code, which the list of processes does not show.
const CODE: &str = "ROPEWALK_CODE";

/// How this end proves who it is, if anything says so.
pub(super) fn given_credentials(options: &Send) -> Result<Option<Credentials>, Failure> {
    if options.trusted {
        note(false, UNPROTECTED);
        return Ok(Some(Credentials::Trusted));
    }
    if let (Some(own), Some(other)) = (&options.key, &options.allow) {
        let keys = key::read_public(other)?;
        let [receiver] = keys[..] else {
            return Err(Failure::BadInput(format!(
                "{} names {} keys; accepted: the one of the receiver",
                other.display(),
                keys.len()
            )));
        };
        return Ok(Some(Credentials::Keys(key::read(own)?, receiver)));
    }
    if let Some(code) = &options.code {
        return Ok(Some(Credentials::Code(code.clone())));
    }
    match std::env::var(CODE) {
        Ok(text) => units::code(&text)
            .map(|code| Some(Credentials::Code(code)))
            .map_err(|why| Failure::BadInput(format!("{CODE}: {why}"))),
        Err(_) => Ok(None),
    }
}

/// What is to be sent.
pub(super) fn selection(options: &Send) -> Selection {
    Selection {
        paths: options.paths.clone(),
        filter: options.patterns.0.clone(),
        xattrs: options.xattrs,
    }
}

/// How it is to be sent.
pub(super) fn settings(options: &Send, credentials: Credentials) -> Result<Settings, Failure> {
    Ok(Settings {
        lanes: lanes(options)?,
        via: match options.via {
            cli::Via::Udp => Via::Udp,
            cli::Via::Tcp => Via::Tcp,
            cli::Via::Auto => Via::Auto,
        },
        arrangement: match options.arrange {
            Arrange::Stable => Arrangement::Stable,
            Arrange::LowLatency => Arrangement::LowLatency,
        },
        fec: options.fec,
        rate: options.rate.map(|rate| rate as u64),
        timeout: options.timeout,
        credentials,
        delta: !options.no_delta,
    })
}

/// Whether somebody is there to ask.
fn can_ask(options: &Send) -> bool {
    !options.json && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for the code on the terminal; standard input may be what is sent.
fn ask() -> Result<Code, Failure> {
    let missing = |_| {
        Failure::BadInput(
            "the code that 'ropewalk recv' shows is missing, and there is no terminal to ask at; accepted: --code or ROPEWALK_CODE, or --key and --allow, or --trusted"
                .into(),
        )
    };
    let mut options = OpenOptions::new();
    let terminal = options.read(true).write(true).open("/dev/tty");
    let mut terminal = terminal.map_err(missing)?;
    loop {
        write!(terminal, "Code that the receiver shows: ").map_err(missing)?;
        let mut line = String::new();
        if BufReader::new(&terminal)
            .read_line(&mut line)
            .map_err(missing)?
            == 0
        {
            return Err(Failure::Interrupted);
        }
        match line.trim().parse() {
            Ok(code) => return Ok(code),
            Err(error) => writeln!(terminal, "{error}").map_err(missing)?,
        }
    }
}

/// Lines on a terminal that say how far things are: one of all, and one of each lane.
#[derive(Clone)]
pub(super) struct Live(Option<(MultiProgress, Arc<Mutex<Vec<ProgressBar>>>)>);

impl Live {
    pub(super) fn new(wanted: bool) -> Self {
        let wanted = wanted && std::io::stderr().is_terminal();
        Self(wanted.then(|| {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            (MultiProgress::with_draw_target(target), Arc::default())
        }))
    }

    /// Shows these lines in place of those before.
    pub(super) fn update(&self, text: impl FnOnce() -> Vec<String>) {
        let Some((all, lines)) = &self.0 else {
            return;
        };
        let texts = text();
        let mut lines = lines.lock();
        while lines.len() < texts.len() {
            let line = all.add(ProgressBar::new_spinner());
            let template = match lines.len() {
                0 => "{spinner} {wide_msg}",
                _ => "    {wide_msg}",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                line.set_style(style);
            }
            lines.push(line);
        }
        for line in lines.drain(texts.len()..) {
            line.finish_and_clear();
            all.remove(&line);
        }
        for (line, text) in lines.iter().zip(texts) {
            line.set_message(text);
            line.tick();
        }
    }

    /// Takes the lines away while something else is said.
    pub(super) fn aside<T>(&self, say: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some((all, _)) => all.suspend(say),
            None => say(),
        }
    }

    /// There is nothing to say any more.
    pub(super) fn clear(&self) {
        self.update(Vec::new);
    }
}

/// The first of all: nothing has been moved yet, but `compared` bytes that were there have been
/// compared.
pub(super) fn comparing(moved: u64, compared: u64) -> Option<Vec<String>> {
    let compared = (moved == 0 && compared > 0).then(|| format::bytes(compared))?;
    Some(vec![format!("comparing what is there: {compared}")])
}

/// How fast it goes, and how much there is to come.
struct Pace {
    /// How much there is to come nobody knows.
    is_stream: bool,
    /// When the receiver had written first, and what it had then.
    begun: Option<(Instant, u64)>,
}

impl Pace {
    /// A bar, the share that is done, bytes per second since the beginning, the time that is left
    /// at that pace.
    fn line(&mut self, progress: &Progress) -> String {
        let (done, total) = (there(progress), progress.total);
        if done == 0 || self.is_stream {
            return String::new();
        }
        let (since, first) = *self.begun.get_or_insert((Instant::now(), done));
        bar(
            done,
            total,
            done - first.min(done),
            since.elapsed().as_secs_f64(),
        )
    }
}

/// Bytes that the receiver has.
pub(crate) fn there(progress: &Progress) -> u64 {
    // What is put together of older files is written as well.
    (progress.spared - progress.reused + progress.written).min(progress.total)
}

/// See [`Pace::line`]: `moved` bytes took these seconds.
fn bar(done: u64, total: u64, moved: u64, seconds: f64) -> String {
    const WIDTH: u64 = 20;
    if total == 0 {
        return String::new();
    }
    let done = done.min(total);
    let full = (done * WIDTH / total) as usize;
    let bar = "#".repeat(full) + &"-".repeat(WIDTH as usize - full);
    let percent = done as f64 * 100.0 / total as f64;
    let rate = moved as f64 / seconds.max(1e-9);
    let left = match moved {
        0 => String::new(),
        _ => {
            let seconds = ((total - done) as f64 / rate).ceil().min(1e9) as u64;
            let (minutes, seconds) = (seconds / 60, seconds % 60);
            format!(
                "{}/s, {minutes}:{seconds:02} left, ",
                format::bytes(rate as u64)
            )
        }
    };
    format!("[{bar}] {percent:.0} %, {left}")
}

/// How far it is, in words: all of it, and each lane.
fn told(progress: &Progress, pace: &mut Pace) -> Vec<String> {
    if let Some(text) = comparing(progress.done, progress.compared) {
        return text;
    }
    let counters = &progress.counters;
    let all = format!(
        "{}{} of {}; lost {}, sent again {}",
        pace.line(progress),
        format::bytes(there(progress)),
        format::bytes(progress.total),
        format::thousands(counters.lost),
        format::thousands(counters.resent)
    );
    let lanes = (1..).zip(&progress.lanes);
    let lanes = lanes.map(|(number, lane)| match lane.alive {
        true if lane.rests => format!("lane {number}: {}, stands by", name(lane.kind)),
        true => format!(
            "lane {number}: {} Gb/s, round trip {}, lost {} %, sent again {}",
            format::significant(lane.rate * 8e-9, 3),
            format::time(lane.rtt.as_nanos() as f64),
            format::significant(lane.lost * 100.0, 2),
            format::thousands(lane.resent)
        ),
        false => format!("lane {number}: silent"),
    });
    std::iter::once(all).chain(lanes).collect()
}

/// The lanes, each with its own address if that was given.
fn lanes(options: &Send) -> Result<Vec<(Option<SocketAddr>, SocketAddr)>, Failure> {
    let mut lanes: Vec<_> = options
        .lane
        .iter()
        .map(|lane| (Some(lane.local), lane.remote))
        .collect();
    if lanes.is_empty() {
        lanes.push((None, options.host.0));
    }
    // With TCP each of them is two.
    let (most, with) = match options.via {
        cli::Via::Udp => (MOST_LANES, ""),
        cli::Via::Tcp => (MOST_LANES / 2, " with --via tcp"),
        cli::Via::Auto => (MOST_LANES / 2, " with --via auto"),
    };
    if lanes.len() > most {
        let text = format!(
            "{} lanes; accepted{with}: 1 to {most} times --lane",
            lanes.len()
        );
        return Err(Failure::BadInput(text));
    }
    if options.via != cli::Via::Udp && options.arrange == Arrange::Stable {
        let text = format!(
            "--arrange stable{with}, where lanes stand in for each other; accepted: low-latency"
        );
        return Err(Failure::BadInput(text));
    }
    for (local, remote) in &lanes {
        let from = local.map_or_else(String::new, |local| format!(" from {local}"));
        detail(|| format!("a lane{from} to {remote}"));
    }
    Ok(lanes)
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input.
pub fn execute(options: &Send) -> Result<u8, Failure> {
    let given = given_credentials(options)?;
    let selection = selection(options);
    // Nobody types a code for what cannot be sent.
    let checked = selection.check();
    checked.map_err(|error| Failure::BadInput(error.to_string()))?;
    let credentials = given.map_or_else(|| ask().map(Credentials::Code), Ok)?;
    stop_on_signal();
    let mut settings = settings(options, credentials)?;
    let (begun, live) = (Instant::now(), Live::new(!options.json));
    let mut pace = Pace {
        is_stream: options.paths.iter().any(|path| path.as_os_str() == "-"),
        begun: None,
    };
    let mut last = Progress::default();
    let mut watched = Sending::open(options)?;
    let mut watch = |progress: &Progress| {
        live.update(|| told(progress, &mut pace));
        if let Some(watched) = &mut watched {
            watched.update(progress);
        }
        last.clone_from(progress);
    };
    let said = loop {
        let said = send(&UdpAndTcp, &settings, &selection, &mut watch, &stopped);
        live.clear();
        match said {
            Err(error @ SendError::Anew) if can_ask(options) => {
                note(false, &error.to_string());
                settings.credentials = Credentials::Code(ask()?);
            }
            said => break said,
        }
    };
    let seconds = begun.elapsed().as_secs_f64();
    let (progress, status, error) = match said {
        Ok(progress) if progress.left_out > 0 => {
            let text = format!(
                "{} left out, as the notes say; all else is in place",
                format::thousands(progress.left_out)
            );
            (progress, BAD, Some(text))
        }
        Ok(progress) => (progress, 0, None),
        Err(SendError::Manifest(error)) if last.done == 0 => {
            return Err(Failure::BadInput(error.to_string()));
        }
        Err(error) => (last, status(&error), Some(error.to_string())),
    };
    let summary = Summary {
        ok: error.is_none(),
        bytes: progress.done,
        spared_bytes: progress.spared,
        reused_bytes: progress.reused,
        sent_bytes: progress.sent,
        seconds,
        gbps: progress.done.saturating_sub(progress.spared) as f64 * 8e-9 / seconds.max(1e-9),
        sub_packets: progress.counters.sub_packets,
        parity_subpackets: progress.counters.parity,
        lost_subpackets: progress.counters.lost,
        resent_subpackets: progress.counters.resent,
        broken_attempts: progress.broken,
        phases_s: Phases {
            start: progress.phases.start.as_secs_f64(),
            compare: progress.phases.compare.as_secs_f64(),
            transfer: progress.phases.transfer.as_secs_f64(),
            finish: progress.phases.finish.as_secs_f64(),
        },
        lanes: progress
            .lanes
            .iter()
            .map(|lane| Lane {
                kind: name(lane.kind).to_lowercase(),
                rests: lane.rests,
                gbps: lane.rate * 8e-9,
                rtt_ms: lane.rtt.as_secs_f64() * 1e3,
                lost: lane.lost,
                resent_subpackets: lane.resent,
                alive: lane.alive,
            })
            .collect(),
        peak_memory_bytes: peak_memory(),
        cpu_seconds: cpu(),
        notes: progress.notes,
        error,
    };
    print(options, &summary)?;
    tell(&summary);
    Ok(match (summary.ok, stopped()) {
        (false, true) => INTERRUPTED,
        _ => status,
    })
}

/// Exit status after this.
pub(super) fn status(error: &SendError) -> u8 {
    match error {
        SendError::Lost(_) | SendError::Stream(_) => NETWORK,
        SendError::Start(
            StartError::Lane(_)
            | StartError::Io(_)
            | StartError::Silent { .. }
            | StartError::Busy(_)
            | StartError::Narrow(..),
        ) => NETWORK,
        _ => BAD,
    }
}

/// Where the time has gone, and what each lane did, for those who want to know.
fn tell(summary: &Summary) {
    let phases = &summary.phases_s;
    detail(|| {
        format!(
            "start {:.3} s, compare {:.3} s, transfer {:.3} s, finish {:.3} s; {} broken attempts",
            phases.start, phases.compare, phases.transfer, phases.finish, summary.broken_attempts
        )
    });
    for (number, lane) in (1..).zip(&summary.lanes) {
        detail(|| {
            format!(
                "lane {number}: {:.3} Gb/s, round trip {:.3} ms, lost {:.2} %, {} sub-packets sent again",
                lane.gbps,
                lane.rtt_ms,
                lane.lost * 100.0,
                lane.resent_subpackets
            )
        });
    }
}

fn print(options: &Send, summary: &Summary) -> Result<(), Failure> {
    if options.json {
        return json::write(&mut std::io::stdout(), "send", summary);
    }
    for text in &summary.notes {
        note(false, text);
    }
    let parity = match summary.parity_subpackets {
        0 => String::new(),
        parity => format!(", {} of parity sent", format::thousands(parity)),
    };
    match &summary.error {
        Some(error) => {
            let _ = writeln!(std::io::stderr(), "ropewalk: {error}");
        }
        None => writeln!(
            std::io::stdout(),
            "{} in {}, {} Gb/s; {} of it were there or zeros; {} sub-packets sent again{parity}: all of it is in place and compared by hash",
            format::bytes(summary.bytes),
            format::time(summary.seconds * 1e9),
            format::significant(summary.gbps, 3),
            format::bytes(summary.spared_bytes),
            format::thousands(summary.resent_subpackets)
        )?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar() {
        let half = bar(50, 100, 25, 1.0);
        assert_eq!(half, "[##########----------] 50 %, 25 bytes/s, 0:02 left, ");
        assert_eq!(bar(7, 0, 7, 1.0), "", "a length that nobody knows");
        let all = bar(101, 100, 100, 0.0);
        assert!(all.starts_with("[####################] 100 %, "), "{all}");
        assert_eq!(bar(50, 100, 0, 1.0), "[##########----------] 50 %, ");
    }
}
