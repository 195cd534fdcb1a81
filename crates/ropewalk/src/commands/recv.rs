// SPDX-License-Identifier: Apache-2.0
//! `ropewalk recv`: files of `ropewalk send`, in a directory.

use std::io::Write;

use ropewalk_chunk::transfer::door::{Admission, Door};
use ropewalk_chunk::transfer::recv::{Fault, Received, receive};
use ropewalk_chunk::transfer::tree::Tree;
use ropewalk_io::lane::network::Udp;
use serde::Serialize;

use super::htsp::{note, stop_on_signal, stopped};
use super::send::{Live, check_trusted, print_json};
use crate::cli::Recv;
use crate::failure::Failure;
use crate::format;
use crate::output::INTERRUPTED;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    command: &'static str,
    files: u64,
    bytes: u64,
    seconds: f64,
    gbps: f64,
    drops: u64,
    notes: Vec<String>,
    error: Option<String>,
}

impl Summary {
    fn new(received: Received) -> Self {
        Summary {
            ok: received.failure.is_none(),
            command: "recv",
            files: received.files,
            bytes: received.bytes,
            seconds: received.seconds,
            gbps: received.bytes as f64 * 8e-9 / received.seconds.max(1e-9),
            drops: received.drops,
            notes: received.notes,
            error: received.failure.map(|fault| match fault {
                Fault::Lost(why) => {
                    format!("the sender has gone: {why}; what has come is kept for the next time")
                }
                Fault::Failed(why) => why,
                Fault::Stopped => "interrupted; what has come is kept for the next time".to_owned(),
            }),
        }
    }
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input, or the port or the directory cannot be had.
pub fn execute(options: &Recv) -> Result<u8, Failure> {
    check_trusted(options.trusted)?;
    stop_on_signal();
    let fail = |error| Failure::write(&options.directory, error);
    let tree = Tree::open(&options.directory).map_err(fail)?;
    let mut door = Door::open(&Udp, options.listen, Admission::Trusted)
        .map_err(|error| Failure::BadInput(error.to_string()))?;
    note(false, &format!("waiting at {}", door.local()));
    loop {
        let live = Live::new(!options.json);
        let mut watch = |received: &Received| {
            live.update(|| format!("{} received", format::bytes(received.bytes)));
        };
        let received = receive(&mut door, &tree, &mut watch, &stopped);
        drop(live);
        let received = received.map_err(|error| Failure::BadInput(error.to_string()))?;
        let Some(received) = received else {
            return Ok(INTERRUPTED);
        };
        let again = matches!(received.failure, Some(Fault::Lost(_)));
        let stop = matches!(received.failure, Some(Fault::Stopped));
        let summary = Summary::new(received);
        if options.json && !again {
            print_json(&summary)?;
        } else {
            print(&summary)?;
        }
        if stop {
            return Ok(INTERRUPTED);
        }
        if options.once && !again {
            return Ok(u8::from(!summary.ok));
        }
    }
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
    match &summary.error {
        Some(error) => {
            let _ = writeln!(std::io::stderr(), "ropewalk: {error}");
        }
        None => writeln!(
            std::io::stdout(),
            "{} files in place, {} in {}, {} Gb/s: compared by hash",
            format::thousands(summary.files),
            format::bytes(summary.bytes),
            format::time(summary.seconds * 1e9),
            format::significant(summary.gbps, 3)
        )?,
    }
    Ok(())
}
