// SPDX-License-Identifier: Apache-2.0
//! `ropewalk htsp recv`: channels to files.

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::stop::stop_on_signal;
use ropewalk_console::table::Table;

use super::incoming::{Channel, Incoming};
use super::run::{Outcome, Task, run};
use super::{Link, Session, Summary, carried, check, gbps, is_dash, print_text};
use crate::cli::HtspRecv;
use crate::units::ChannelFile;

/// Whether one of the files is standard output; that and `--json` exclude each other.
pub(super) fn to_stdout(option: &str, files: &[ChannelFile], json: bool) -> Result<bool, Failure> {
    let to_stdout = files.iter().any(|it| is_dash(&it.file));
    if to_stdout && json {
        let text = format!(
            "--json and {option} VC=- both write to standard output; accepted: one of them"
        );
        return Err(Failure::BadInput(text));
    }
    Ok(to_stdout)
}

/// What was not as it should be about what was received, in words.
pub(super) fn complaints(outcome: &Outcome, frames: Option<u64>) -> Vec<String> {
    let mut complaints = Vec::new();
    if !outcome.came {
        complaints.push("no peer".to_owned());
    }
    for it in &outcome.received {
        let vc = it.vc;
        if it.errored > 0 {
            let count = format::thousands(it.errored);
            complaints.push(format!("channel {vc}: {count} user frames in error"));
        }
        if let Some(at) = it.unfinished_at {
            let at = format::thousands(at);
            let text = format!("channel {vc} ends in the middle of the user frame at byte {at}");
            complaints.push(text);
        }
        if frames.is_some_and(|wanted| it.frames < wanted) && outcome.came {
            let count = format::thousands(it.frames);
            complaints.push(format!("channel {vc}: only {count} user frames"));
        }
    }
    complaints
}

/// Adds rows of what was received.
pub(super) fn rows(table: &mut Table, channels: &[Channel]) {
    for it in channels {
        table.row([
            it.vc.to_string(),
            it.file.clone(),
            format::thousands(it.bytes),
            format::thousands(it.frames),
            format::thousands(it.errored),
            it.first_error_at
                .map_or_else(|| "-".to_owned(), format::thousands),
        ]);
    }
}

/// An empty table for what was received.
pub(super) fn table() -> Table {
    Table::new([
        "channel",
        "file",
        "bytes",
        "frames",
        "errored",
        "first error at",
    ])
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input, or a file cannot be written.
pub fn execute(options: &HtspRecv) -> Result<u8, Failure> {
    let port = &options.port;
    check("--vc", &options.vc)?;
    let to_stdout = to_stdout("--vc", &options.vc, port.json)?;
    stop_on_signal();
    let session = Session::open(port, None)?;
    let task = Task {
        incoming: Incoming::open_all(&options.vc)?,
        frames: options.frames,
        duration: options.duration,
        ..Task::default()
    };
    let outcome = run(port, session, task)?;
    let alone = outcome.is_alone();
    let link = Link::new(&outcome.stats);
    let complaints = complaints(&outcome, options.frames);
    let bytes = outcome.received.iter().map(|it| it.bytes).sum();
    let summary = Summary {
        ok: link.is_whole() && complaints.is_empty(),
        interface: port.interface.clone(),
        seconds: outcome.elapsed.as_secs_f64(),
        bytes,
        gbps: gbps(bytes, outcome.elapsed),
        vc: outcome.received,
        link,
        notes: outcome.notes,
        words: outcome.words,
    };
    print(options, &summary, to_stdout, complaints)?;
    Ok(super::status(summary.ok, alone))
}

fn print(
    options: &HtspRecv,
    summary: &Summary<Channel>,
    to_stdout: bool,
    mut complaints: Vec<String>,
) -> Result<(), Failure> {
    if options.port.json {
        return json::write(&mut std::io::stdout(), "htsp recv", summary);
    }
    complaints.extend(summary.link.complaints());
    let mut table = table();
    rows(&mut table, &summary.vc);
    let carried = carried(summary.bytes, summary.seconds, summary.gbps);
    let verdict = (summary.ok, "nothing missing, nothing damaged");
    print_text(
        &options.port,
        to_stdout,
        &[table],
        &[carried],
        verdict,
        &complaints,
    )
}
