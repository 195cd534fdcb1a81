// SPDX-License-Identifier: Apache-2.0
//! `ropewalk htsp recv`: channels to files.

use std::fs::File;
use std::io::Write;
use std::sync::atomic::Ordering;

use ropewalk_io::htsp::Reader;
use serde::Serialize;

use super::run::{Outcome, Shared, Task, run};
use super::{
    LOOK, Link, Session, Summary, carried, check, gbps, is_dash, print_text, stop_on_signal,
};
use crate::cli::HtspRecv;
use crate::failure::Failure;
use crate::format;
use crate::json;
use crate::table::Table;
use crate::units::ChannelFile;

/// What a channel has brought.
#[derive(Debug, Default, Serialize)]
pub(super) struct Channel {
    pub(super) vc: u8,
    pub(super) file: String,
    pub(super) bytes: u64,
    /// User frames that ended well.
    pub(super) frames: u64,
    /// User frames that ended in error.
    pub(super) errored: u64,
    /// Where in the file the first of them begins.
    pub(super) first_error_at: Option<u64>,
    /// It ended in the middle of a user frame.
    pub(super) unfinished: bool,
    /// Where in the file that one begins.
    pub(super) unfinished_at: Option<u64>,
}

/// A file on its way from a channel.
pub(super) struct Incoming {
    pub(super) file: ChannelFile,
    out: Box<dyn Write + Send>,
}

/// Writes what arrives on a channel.
fn drain(
    reader: &Reader,
    out: &mut dyn Write,
    limit: Option<u64>,
    shared: &Shared,
    channel: &mut Channel,
) -> std::io::Result<()> {
    let mut begin = 0;
    while !shared.now.load(Ordering::Relaxed) && limit != Some(channel.frames + channel.errored) {
        let ending = shared.empty.load(Ordering::Acquire);
        let piece = match reader.recv(LOOK) {
            Ok(Some(piece)) => piece,
            Ok(None) if ending => break,
            Ok(None) => {
                // Whoever looks at the file sees what there is.
                out.flush()?;
                continue;
            }
            Err(_) => break,
        };
        if piece.start {
            begin = channel.bytes;
        }
        out.write_all(&piece.bytes)?;
        channel.bytes += piece.bytes.len() as u64;
        let bytes = &shared.bytes;
        bytes.fetch_add(piece.bytes.len() as u64, Ordering::Relaxed);
        channel.unfinished = !piece.end;
        channel.unfinished_at = channel.unfinished.then_some(begin);
        channel.frames += u64::from(piece.end && !piece.error);
        if piece.error {
            channel.errored += 1;
            channel.first_error_at.get_or_insert(begin);
        }
    }
    out.flush()
}

impl Incoming {
    /// Makes the files.
    pub(super) fn open_all(files: &[ChannelFile]) -> Result<Vec<Self>, Failure> {
        files.iter().map(Self::open).collect()
    }

    fn open(file: &ChannelFile) -> Result<Self, Failure> {
        let file = file.clone();
        let out: Box<dyn Write + Send> = if is_dash(&file.file) {
            Box::new(std::io::stdout())
        } else {
            let made = File::create(&file.file);
            Box::new(made.map_err(|error| Failure::write(&file.file, error))?)
        };
        Ok(Self { file, out })
    }

    /// Writes all that arrives, until the run ends.
    pub(super) fn run(
        mut self,
        reader: Option<Reader>,
        limit: Option<u64>,
        shared: &Shared,
    ) -> Result<Channel, Failure> {
        let mut channel = Channel {
            vc: self.file.vc,
            file: self.file.file.display().to_string(),
            ..Channel::default()
        };
        let Some(reader) = reader else {
            return Ok(channel);
        };
        let done = drain(&reader, &mut *self.out, limit, shared, &mut channel);
        if done.is_err() {
            shared.now.store(true, Ordering::Relaxed);
        }
        match done {
            Ok(()) => Ok(channel),
            Err(error) if is_dash(&self.file.file) => Err(Failure::from(error)),
            Err(error) => Err(Failure::write(&self.file.file, error)),
        }
    }
}

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
    let link = Link::new(&outcome.stats);
    let complaints = complaints(&outcome, options.frames);
    let bytes = outcome.received.iter().map(|it| it.bytes).sum();
    let summary = Summary {
        ok: link.is_whole() && complaints.is_empty(),
        command: "htsp recv",
        interface: port.interface.clone(),
        seconds: outcome.elapsed.as_secs_f64(),
        bytes,
        gbps: gbps(bytes, outcome.elapsed),
        vc: outcome.received,
        link,
        notes: outcome.notes,
    };
    print(options, &summary, to_stdout, complaints)?;
    Ok(u8::from(!summary.ok))
}

fn print(
    options: &HtspRecv,
    summary: &Summary<Channel>,
    to_stdout: bool,
    mut complaints: Vec<String>,
) -> Result<(), Failure> {
    if options.port.json {
        return json::write(&mut std::io::stdout(), summary);
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
