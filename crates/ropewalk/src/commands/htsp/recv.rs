// SPDX-License-Identifier: Apache-2.0
//! `ropewalk htsp recv`: channels to files.

use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ropewalk_io::htsp::Reader;
use serde::Serialize;

use super::{LOOK, Link, Live, Session, Summary, check, gbps, is_dash, stop_on_signal, stopped};
use crate::cli::HtspRecv;
use crate::failure::Failure;
use crate::format;
use crate::table::{Style, Table};
use crate::units::ChannelFile;

/// What a channel has brought.
#[derive(Debug, Default, Serialize)]
struct Channel {
    vc: u8,
    file: String,
    bytes: u64,
    /// User frames that ended well.
    frames: u64,
    /// User frames that ended in error.
    errored: u64,
    /// Where in the file the first of them begins.
    first_error_at: Option<u64>,
    /// It ended in the middle of a user frame.
    unfinished: bool,
}

/// When the threads are to end.
struct End {
    /// When nothing is left.
    empty: AtomicBool,
    /// At once.
    now: AtomicBool,
}

/// Writes what arrives on a channel.
fn drain(
    reader: &Reader,
    out: &mut dyn Write,
    limit: Option<u64>,
    end: &End,
    bytes: &AtomicU64,
    channel: &mut Channel,
) -> std::io::Result<()> {
    let mut begin = 0;
    while !end.now.load(Ordering::Relaxed) && limit != Some(channel.frames + channel.errored) {
        let ending = end.empty.load(Ordering::Acquire);
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
        bytes.fetch_add(piece.bytes.len() as u64, Ordering::Relaxed);
        channel.unfinished = !piece.end;
        channel.frames += u64::from(piece.end && !piece.error);
        if piece.error {
            channel.errored += 1;
            channel.first_error_at.get_or_insert(begin);
        }
    }
    out.flush()
}

/// Where a channel goes.
fn open(file: &ChannelFile) -> Result<Box<dyn Write + Send>, Failure> {
    if is_dash(&file.file) {
        return Ok(Box::new(std::io::stdout()));
    }
    let opened = File::create(&file.file).map_err(|error| Failure::write(&file.file, error))?;
    Ok(Box::new(opened))
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input, or a file cannot be written.
pub fn execute(options: &HtspRecv) -> Result<u8, Failure> {
    let port = &options.port;
    check(&options.vc)?;
    let to_stdout = options.vc.iter().any(|it| is_dash(&it.file));
    if to_stdout && port.json {
        let text = "--json and --vc VC=- both write to standard output; accepted: one of them";
        return Err(Failure::BadInput(text.to_owned()));
    }
    stop_on_signal();
    let mut session = Session::open(port, None)?;
    let mut outputs = Vec::new();
    for file in &options.vc {
        outputs.push((open(file)?, session.host.reader(file.vc)));
    }
    let end = End {
        empty: AtomicBool::new(false),
        now: AtomicBool::new(false),
    };
    let bytes = AtomicU64::new(0);
    let mut first = None;
    let done = std::thread::scope(|scope| {
        let (end, bytes) = (&end, &bytes);
        let threads: Vec<_> = options
            .vc
            .iter()
            .zip(outputs)
            .map(|(file, (mut out, reader))| {
                scope.spawn(move || {
                    let mut channel = Channel {
                        vc: file.vc,
                        file: file.file.display().to_string(),
                        ..Channel::default()
                    };
                    let Some(reader) = reader else {
                        return Ok(channel);
                    };
                    let done = drain(&reader, &mut *out, options.frames, end, bytes, &mut channel);
                    if done.is_err() {
                        end.now.store(true, Ordering::Relaxed);
                    }
                    match done {
                        Ok(()) => Ok(channel),
                        Err(error) if is_dash(&file.file) => Err(Failure::from(error)),
                        Err(error) => Err(Failure::write(&file.file, error)),
                    }
                })
            })
            .collect();
        let live = Live::new(port);
        loop {
            std::thread::sleep(LOOK);
            let stats = session.host.stats();
            if stats.link_up {
                first.get_or_insert_with(Instant::now);
            }
            let elapsed = first.map_or(Duration::ZERO, |it: Instant| it.elapsed());
            live.update(&stats, bytes.load(Ordering::Relaxed), elapsed);
            let enough = options
                .duration
                .is_some_and(|it| session.begun.elapsed() > it);
            if stopped() || enough {
                end.now.store(true, Ordering::Relaxed);
            }
            if end.now.load(Ordering::Relaxed) {
                break;
            }
            let gone = stats.rx.ups > 0 && !stats.link_up;
            let over = gone || !session.host.is_running() || session.is_alone(port, &stats);
            if over || threads.iter().all(|it| it.is_finished()) {
                break;
            }
        }
        // What has arrived is written, as long as that takes.
        while !end.now.load(Ordering::Relaxed) && session.host.is_running() {
            end.now.store(stopped(), Ordering::Relaxed);
            if threads.iter().all(|it| it.is_finished()) || session.host.settle(LOOK) {
                break;
            }
        }
        end.empty.store(true, Ordering::Release);
        let joined = threads.into_iter().map(|it| {
            it.join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        joined.collect::<Result<Vec<Channel>, Failure>>()
    });
    let elapsed = first.map_or(Duration::ZERO, |it| it.elapsed());
    let by_user = end.now.load(Ordering::Relaxed);
    let stats = session.host.close()?;
    let channels = done?;
    let link = Link::new(&stats);
    let reached = |it: &Channel| options.frames.is_none_or(|wanted| it.frames >= wanted);
    let whole = |it: &Channel| it.errored == 0 && (by_user || !it.unfinished) && reached(it);
    let bytes = bytes.load(Ordering::Relaxed);
    let summary = Summary {
        ok: link.is_whole() && link.ups > 0 && channels.iter().all(whole),
        command: "htsp recv",
        interface: port.interface.clone(),
        seconds: elapsed.as_secs_f64(),
        bytes,
        gbps: gbps(bytes, elapsed),
        vc: channels,
        link,
        notes: session.notes,
    };
    print(options, &summary, to_stdout)?;
    Ok(u8::from(!summary.ok))
}

fn print(options: &HtspRecv, summary: &Summary<Channel>, to_stdout: bool) -> Result<(), Failure> {
    if options.port.json {
        let json =
            serde_json::to_string_pretty(summary).map_err(|error| Failure::Stdout(error.into()))?;
        writeln!(std::io::stdout(), "{json}")?;
        return Ok(());
    }
    if options.port.quiet && summary.ok {
        return Ok(());
    }
    let style = Style::new(!to_stdout && format::colour_wanted(&std::io::stdout()));
    let mut table = Table::new([
        "channel",
        "file",
        "bytes",
        "frames",
        "errored",
        "first error at",
    ]);
    for it in &summary.vc {
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
    let mut complaints = summary.link.complaints();
    if summary.link.ups == 0 {
        complaints.push("no peer".to_owned());
    }
    let verdict = if summary.ok {
        style.good("nothing missing, nothing damaged")
    } else if complaints.is_empty() {
        style.bad("not all user frames are whole")
    } else {
        style.bad(&complaints.join(", "))
    };
    let text = format!(
        "{}\n{} in {}, {} Gb/s: {verdict}\n",
        table.render(style),
        format::bytes(summary.bytes),
        format::time(summary.seconds * 1e9),
        format::significant(summary.gbps, 3)
    );
    if to_stdout || options.port.quiet {
        let _ = write!(std::io::stderr(), "{text}");
    } else {
        write!(std::io::stdout(), "{text}")?;
    }
    Ok(())
}
