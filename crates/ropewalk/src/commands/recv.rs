// SPDX-License-Identifier: Apache-2.0
//! `ropewalk recv`: files of `ropewalk send`, in a directory.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};

use ropewalk_chunk::transfer::listener::{Admission, Listener};
use ropewalk_chunk::transfer::recv::{Fault, Received, receive};
use ropewalk_chunk::transfer::start::PORT;
use ropewalk_chunk::transfer::tree::Tree;
use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::output::INTERRUPTED;
use ropewalk_console::stop::{detail, note, stop_on_signal, stopped};
use ropewalk_io::lane::network::UdpAndTcp;
use ropewalk_io::measure::{cpu, peak_memory};
use serde::Serialize;

use super::send::{Live, UNPROTECTED, comparing};
use super::{addresses, key};
use crate::cli::Recv;
use crate::watch::transfer::Receiving;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    files: u64,
    bytes: u64,
    seconds: f64,
    gbps: f64,
    drops: u64,
    mended_subpackets: u64,
    mended_bytes: u64,
    restored_subpackets: u64,
    /// Most memory that was resident.
    peak_memory_bytes: Option<u64>,
    /// Processor time, the kernel's included.
    cpu_seconds: f64,
    notes: Vec<String>,
    error: Option<String>,
}

impl Summary {
    fn new(received: Received) -> Self {
        Summary {
            ok: received.failure.is_none(),
            files: received.files,
            bytes: received.bytes,
            seconds: received.seconds,
            gbps: received.bytes as f64 * 8e-9 / received.seconds.max(1e-9),
            drops: received.drops,
            mended_subpackets: received.mended.sub_packets,
            mended_bytes: received.mended.bytes,
            restored_subpackets: received.restored,
            peak_memory_bytes: peak_memory(),
            cpu_seconds: cpu(),
            notes: received.notes,
            error: received.failure.map(|fault| match fault {
                Fault::Lost(why) => {
                    format!("the sender has gone: {why}; what has come is kept for the next time")
                }
                Fault::Left(why) => {
                    format!("the sender: {why}; what has come is kept for the next time")
                }
                Fault::GivenUp(why) => {
                    format!(
                        "the sender cannot go on: {why}; what has come is kept for the next time"
                    )
                }
                Fault::Failed(why) => why,
                Fault::Stopped => "interrupted; what has come is kept for the next time".to_owned(),
            }),
        }
    }
}

/// Lines that say what a sender types, one for each address at which it waits; `proof` is what it
/// has to know.
fn typed(local: SocketAddr, proof: &str) -> String {
    let mut hosts: Vec<String> = addresses::of(local.ip())
        .into_iter()
        .map(|address| match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        })
        .collect();
    if local.ip().is_unspecified() {
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
        hosts.extend(name.map(|name| name.trim().to_owned()));
    }
    let port = match local.port() {
        PORT => String::new(),
        port => format!(":{port}"),
    };
    let line =
        |host: &String| format!("on the other side: ropewalk send FILE {host}{port} {proof}");
    hosts.iter().map(line).collect::<Vec<_>>().join("\n  or ")
}

/// Whom this end admits.
fn admission(options: &Recv, live: &Live) -> Result<Admission, Failure> {
    if options.trusted {
        return Ok(Admission::Trusted);
    }
    if let (Some(own), Some(others)) = (&options.key, &options.allow) {
        return Ok(Admission::Keys(key::read(own)?, key::read_public(others)?));
    }
    let live = live.clone();
    Ok(Admission::Code(Box::new(move |code, local| {
        let text = format!("code {code}; {}", typed(local, &format!("--code {code}")));
        live.aside(|| note(false, &text));
    })))
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input, or the port or the directory cannot be had.
pub fn execute(options: &Recv) -> Result<u8, Failure> {
    stop_on_signal();
    let live = Live::new(!options.json);
    let admission = admission(options, &live)?;
    let fail = |error| Failure::write(&options.directory, error);
    let tree = Tree::open(&options.directory).map_err(fail)?;
    let free = tree.check_writable().map_err(fail)?;
    let opened = Listener::open(&UdpAndTcp, options.listen, admission);
    let mut listener = opened.map_err(Failure::network)?;
    note(false, &format!("waiting at {}", listener.local()));
    listener.notes().iter().for_each(|text| note(false, text));
    if options.trusted {
        note(false, UNPROTECTED);
        note(false, &typed(listener.local(), "--trusted"));
    }
    let (directory, free) = (options.directory.display(), format::bytes(free.bytes));
    note(false, &format!("{directory} has room for {free}"));
    let mut watched = Receiving::open(options, listener.local())?;
    let status = serve(options, &mut listener, &tree, &live, watched.as_mut());
    live.clear();
    status
}

fn serve(
    options: &Recv,
    listener: &mut Listener,
    tree: &Tree,
    live: &Live,
    mut watched: Option<&mut Receiving>,
) -> Result<u8, Failure> {
    loop {
        let mut watch = |received: &Received| {
            live.update(|| told(received));
            if let Some(watched) = &mut watched {
                watched.update(received);
            }
        };
        let received = receive(listener, tree, &mut watch, &stopped);
        let received = received.map_err(Failure::network)?;
        let Some(received) = received else {
            return Ok(INTERRUPTED);
        };
        let again = matches!(received.failure, Some(Fault::Lost(_) | Fault::Left(_)));
        let stop = matches!(received.failure, Some(Fault::Stopped));
        if let Some(watched) = &mut watched {
            watched.end(&received);
        }
        for text in told(&received) {
            detail(|| text);
        }
        let summary = Summary::new(received);
        live.aside(|| {
            if options.json && !again {
                json::write(&mut std::io::stdout(), "recv", &summary)
            } else {
                print(&summary)
            }
        })?;
        if stop {
            return Ok(INTERRUPTED);
        }
        if options.once && !again {
            return Ok(u8::from(!summary.ok));
        }
        live.clear();
    }
}

/// How far it is, in words: all of it, and each lane.
fn told(received: &Received) -> Vec<String> {
    if let Some(text) = comparing(received.bytes, received.compared) {
        return text;
    }
    let all = format!("{} received", format::bytes(received.bytes));
    let lanes = (1..).zip(&received.lanes).map(|(number, lane)| {
        format!(
            "lane {number}: {} Gb/s, lost {} %, damaged {}",
            format::significant(lane.rate * 8e-9, 3),
            format::significant(lane.lost * 100.0, 2),
            format::thousands(lane.damaged)
        )
    });
    std::iter::once(all).chain(lanes).collect()
}

fn print(summary: &Summary) -> Result<(), Failure> {
    for text in &summary.notes {
        note(false, text);
    }
    if summary.drops > 0 {
        let drops = format::thousands(summary.drops);
        note(
            false,
            &format!("the system lost arrivals because a buffer was full, {drops} times"),
        );
    }
    let repaired = match (summary.mended_subpackets, summary.restored_subpackets) {
        (0, 0) => String::new(),
        (0, restored) => {
            let restored = format::thousands(restored);
            format!("; {restored} sub-packets restored that did not arrive")
        }
        (mended, _) => format!(
            "; {} sub-packets mended, {} bytes of them",
            format::thousands(mended),
            format::thousands(summary.mended_bytes)
        ),
    };
    match &summary.error {
        Some(error) => {
            let _ = writeln!(std::io::stderr(), "ropewalk: {error}");
        }
        None => writeln!(
            std::io::stdout(),
            "{} files in place, {} in {}, {} Gb/s{repaired}: compared by hash",
            format::thousands(summary.files),
            format::bytes(summary.bytes),
            format::time(summary.seconds * 1e9),
            format::significant(summary.gbps, 3)
        )?,
    }
    Ok(())
}
