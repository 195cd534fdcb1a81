// SPDX-License-Identifier: Apache-2.0
//! `ropewalk htsp link`: both directions at once.

use std::path::{Path, PathBuf};

use ropewalk_console::failure::Failure;
use ropewalk_console::json;
use ropewalk_console::stop::stop_on_signal;
use serde::Serialize;

use super::incoming::{self, Incoming};
use super::outgoing::{self, Outgoing};
use super::run::{Task, Words, run};
use super::{Link, Session, carried, check, gbps, is_dash, print_text, recv, send};
use crate::cli::HtspLink;
use crate::units::ChannelFile;

/// One direction.
#[derive(Debug, Serialize)]
struct Direction<C> {
    bytes: u64,
    gbps: f64,
    vc: Vec<C>,
}

/// The object that `--json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    interface: String,
    seconds: f64,
    sent: Direction<outgoing::Channel>,
    received: Direction<incoming::Channel>,
    link: Link,
    notes: Vec<String>,
    words: Words,
}

/// Refuses to write to a file that is to be sent.
fn check_both(sent: &[ChannelFile], received: &[ChannelFile]) -> Result<(), Failure> {
    let real = |file: &Path| -> PathBuf { file.canonicalize().unwrap_or_else(|_| file.to_owned()) };
    for file in received.iter().filter(|it| !is_dash(&it.file)) {
        if sent.iter().any(|it| real(&it.file) == real(&file.file)) {
            return Err(Failure::BadInput(format!(
                "--send and --recv both name {}; accepted: different files",
                file.file.display()
            )));
        }
    }
    Ok(())
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input, or a file cannot be read or written.
pub fn execute(options: &HtspLink) -> Result<u8, Failure> {
    let port = &options.port;
    check("--send", &options.send)?;
    check("--recv", &options.recv)?;
    check_both(&options.send, &options.recv)?;
    let to_stdout = recv::to_stdout("--recv", &options.recv, port.json)?;
    let outgoing = Outgoing::open_all(&options.send)?;
    stop_on_signal();
    let session = Session::open(port, options.rate)?;
    let task = Task {
        outgoing,
        frame: options.frame,
        op_codes: options.op_code.clone(),
        incoming: Incoming::open_all(&options.recv)?,
        frames: options.frames,
        duration: options.duration,
    };
    let outcome = run(port, session, task)?;
    let alone = outcome.is_left();
    let link = Link::new(&outcome.stats);
    let mut complaints = recv::complaints(&outcome, options.frames);
    if outcome.came && !options.send.is_empty() {
        complaints.extend(send::complaints(&outcome));
    }
    let (sent, received) = (
        outcome.stats.sum(|it| it.tx.bytes),
        outcome.received.iter().map(|it| it.bytes).sum(),
    );
    let summary = Summary {
        ok: complaints.is_empty() && link.is_whole() && link.cut == 0,
        interface: port.interface.clone(),
        seconds: outcome.elapsed.as_secs_f64(),
        sent: Direction {
            bytes: sent,
            gbps: gbps(sent, outcome.elapsed),
            vc: outcome.sent,
        },
        received: Direction {
            bytes: received,
            gbps: gbps(received, outcome.elapsed),
            vc: outcome.received,
        },
        link,
        notes: outcome.notes,
        words: outcome.words,
    };
    print(options, &summary, to_stdout, complaints)?;
    Ok(super::status(summary.ok, alone))
}

fn print(
    options: &HtspLink,
    summary: &Summary,
    to_stdout: bool,
    mut complaints: Vec<String>,
) -> Result<(), Failure> {
    if options.port.json {
        return json::write(&mut std::io::stdout(), "htsp link", summary);
    }
    complaints.extend(summary.link.complaints());
    let mut tables = [send::table(), recv::table()];
    send::rows(&mut tables[0], &summary.sent.vc);
    recv::rows(&mut tables[1], &summary.received.vc);
    let line =
        |what: &str, bytes, gbps| format!("{what} {}", carried(bytes, summary.seconds, gbps));
    let lines = [
        line("sent", summary.sent.bytes, summary.sent.gbps),
        line("received", summary.received.bytes, summary.received.gbps),
    ];
    let verdict = (
        summary.ok,
        "all of it is on the line, nothing missing, nothing damaged",
    );
    print_text(
        &options.port,
        to_stdout,
        &tables,
        &lines,
        verdict,
        &complaints,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_sent_is_not_written_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = folder.path().join("a");
        std::fs::write(&name, [1]).expect("written");
        let file = |file: PathBuf| ChannelFile { vc: 0, file };
        let sent = [file(name.clone())];
        let other = folder.path().join("b");
        assert!(check_both(&sent, &[file(other), file("-".into())]).is_ok());
        let same = folder.path().join(".").join("a");
        let told = check_both(&sent, &[file(same)]).expect_err("refused");
        assert!(told.to_string().contains("both name"), "{told}");
    }
}
