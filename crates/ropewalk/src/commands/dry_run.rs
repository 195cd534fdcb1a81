// SPDX-License-Identifier: Apache-2.0
//! `ropewalk send --dry-run`: what would travel, and what the receiver has already if it can be
//! asked.

use std::io::Write;
use std::time::Duration;

use ropewalk_chunk::transfer::manifest::shown;
use ropewalk_chunk::transfer::send::{Progress, SendError, ask};
use ropewalk_chunk::transfer::source::{Selection, Source, Tally};
use ropewalk_console::failure::{BAD, Failure, NETWORK};
use ropewalk_console::output::INTERRUPTED;
use ropewalk_console::stop::{detail, note, stop_on_signal, stopped};
use ropewalk_console::{format, json};
use ropewalk_io::lane::network::UdpAndTcp;
use serde::Serialize;

use super::send::{self, Live};
use crate::cli::Send;

/// Longest wait for the receiver: that it is not there is no failure.
const PATIENCE: Duration = Duration::from_secs(5);

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    dry_run: bool,
    /// The receiver was asked.
    asked: bool,
    files: u64,
    directories: u64,
    links: u64,
    /// Of all files.
    bytes: u64,
    /// What the receiver has already.
    there_files: u64,
    there_bytes: u64,
    /// Names that patterns left out.
    excluded: u64,
    notes: Vec<String>,
    error: Option<String>,
}

/// Runs it.
///
/// # Errors
/// Bad input.
pub fn execute(options: &Send) -> Result<u8, Failure> {
    stop_on_signal();
    let selection = send::selection(options);
    let source = Source::new(&selection).map_err(|error| Failure::BadInput(error.to_string()))?;
    for entry in source.entries.iter() {
        detail(|| shown(&entry.name));
    }
    let mut notes = source.notes.clone();
    let (asked, error) = match asked(options, &selection)? {
        Ok(progress) => (Some(progress), None),
        Err(Unasked::Absent(why)) => {
            notes.push(format!("the receiver was not asked what it has: {why}"));
            (None, None)
        }
        Err(Unasked::Refused(why)) => (None, Some(why)),
    };
    if let Some(progress) = &asked {
        let theirs = progress
            .notes
            .iter()
            .filter(|it| !source.notes.contains(it));
        notes.extend(theirs.cloned());
    }
    let left_out = source.notes.len() as u64;
    let left_out =
        (left_out > 0).then(|| format!("{left_out} would be left out, as the notes say"));
    let error = error.or(left_out);
    let Tally {
        files,
        directories,
        links,
        bytes,
        excluded,
        ..
    } = source.tally;
    let summary = Summary {
        ok: error.is_none(),
        dry_run: true,
        asked: asked.is_some(),
        files,
        directories,
        links,
        bytes,
        there_files: asked.as_ref().map_or(0, |progress| progress.there),
        there_bytes: asked.as_ref().map_or(0, |progress| progress.spared),
        excluded,
        notes,
        error,
    };
    print(options, &summary, source.tally.streams)?;
    Ok(match (summary.ok, stopped()) {
        (true, _) => 0,
        (false, true) => INTERRUPTED,
        (false, false) => BAD,
    })
}

/// Why the receiver has not said what it has.
enum Unasked {
    /// It is not there, or nothing says how to prove who asks.
    Absent(String),
    /// It would refuse.
    Refused(String),
}

/// What the receiver has.
fn asked(options: &Send, selection: &Selection) -> Result<Result<Progress, Unasked>, Failure> {
    let Some(credentials) = send::given_credentials(options)? else {
        let text = "neither --code nor --key nor --trusted says how to prove who asks";
        return Ok(Err(Unasked::Absent(text.into())));
    };
    let mut settings = send::settings(options, credentials)?;
    settings.timeout = settings.timeout.min(PATIENCE);
    let live = Live::new(!options.json);
    let mut watch = |progress: &Progress| {
        live.update(|| send::comparing(0, progress.compared).unwrap_or_default());
    };
    let said = ask(&UdpAndTcp, &settings, selection, &mut watch, &stopped);
    live.clear();
    Ok(said.map_err(|error| match send::status(&error) {
        NETWORK if !matches!(error, SendError::Stopped) => Unasked::Absent(error.to_string()),
        _ => Unasked::Refused(error.to_string()),
    }))
}

fn print(options: &Send, summary: &Summary, streams: u64) -> Result<(), Failure> {
    if options.json {
        return json::write(&mut std::io::stdout(), "send", summary);
    }
    for text in &summary.notes {
        note(false, text);
    }
    let (stream, excluded) = (
        if streams > 0 { ", standard input" } else { "" },
        match summary.excluded {
            0 => String::new(),
            count => format!("; {} excluded", format::thousands(count)),
        },
    );
    let there = match summary.asked {
        true => format!(
            "; the receiver has {} files and {} of it",
            format::thousands(summary.there_files),
            format::bytes(summary.there_bytes)
        ),
        false => String::new(),
    };
    writeln!(
        std::io::stdout(),
        "{} files, {}; {} directories, {} links{stream}{there}{excluded}: nothing was sent",
        format::thousands(summary.files),
        format::bytes(summary.bytes),
        format::thousands(summary.directories),
        format::thousands(summary.links)
    )?;
    if let Some(error) = &summary.error {
        let _ = writeln!(std::io::stderr(), "ropewalk: {error}");
    }
    Ok(())
}
