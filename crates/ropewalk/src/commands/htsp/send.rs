// SPDX-License-Identifier: Apache-2.0
//! `ropewalk htsp send`: files to channels.

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::stop::stop_on_signal;
use ropewalk_console::table::Table;

use super::outgoing::{Channel, Outgoing};
use super::run::{Outcome, Task, run};
use super::{Link, Session, Summary, carried, check, gbps, print_text};
use crate::cli::HtspSend;

/// What was not as it should be about what was sent, in words.
pub(super) fn complaints(outcome: &Outcome) -> Vec<String> {
    let mut complaints = Vec::new();
    if !outcome.came {
        complaints.push("no peer".to_owned());
    } else if outcome.went {
        complaints.push("the peer went before the end".to_owned());
    } else if !outcome.flushed || outcome.sent.iter().any(|it| !it.complete) {
        complaints.push("not all of it was sent".to_owned());
    }
    complaints
}

/// Adds rows of what was sent.
pub(super) fn rows(table: &mut Table, channels: &[Channel]) {
    for it in channels {
        table.row([
            it.vc.to_string(),
            it.file.clone(),
            format::thousands(it.bytes),
            format::thousands(it.frames),
            if it.complete { "yes" } else { "no" }.to_owned(),
        ]);
    }
}

/// An empty table for what was sent.
pub(super) fn table() -> Table {
    Table::new(["channel", "file", "bytes", "frames", "complete"])
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input, or a file cannot be read.
pub fn execute(options: &HtspSend) -> Result<u8, Failure> {
    let port = &options.port;
    check("--vc", &options.vc)?;
    let task = Task {
        outgoing: Outgoing::open_all(&options.vc)?,
        frame: options.frame,
        op_codes: options.op_code.clone(),
        ..Task::default()
    };
    stop_on_signal();
    let session = Session::open(port, options.rate)?;
    let outcome = run(port, session, task)?;
    let alone = outcome.is_left();
    let link = Link::new(&outcome.stats);
    let complaints = complaints(&outcome);
    let bytes = outcome.stats.sum(|it| it.tx.bytes);
    let summary = Summary {
        ok: complaints.is_empty() && link.cut == 0,
        interface: port.interface.clone(),
        seconds: outcome.elapsed.as_secs_f64(),
        bytes,
        gbps: gbps(bytes, outcome.elapsed),
        vc: outcome.sent,
        link,
        notes: outcome.notes,
        words: outcome.words,
    };
    print(options, &summary, complaints)?;
    Ok(super::status(summary.ok, alone))
}

fn print(
    options: &HtspSend,
    summary: &Summary<Channel>,
    mut complaints: Vec<String>,
) -> Result<(), Failure> {
    if options.port.json {
        return json::write(&mut std::io::stdout(), "htsp send", summary);
    }
    complaints.extend(summary.link.complaints());
    let mut table = table();
    rows(&mut table, &summary.vc);
    let carried = carried(summary.bytes, summary.seconds, summary.gbps);
    let verdict = (summary.ok, "all of it is on the line");
    print_text(
        &options.port,
        false,
        &[table],
        &[carried],
        verdict,
        &complaints,
    )
}
