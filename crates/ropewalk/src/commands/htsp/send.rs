// SPDX-License-Identifier: Apache-2.0
//! `ropewalk htsp send`: files to channels.

use std::fs::File;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ropewalk_io::htsp::{SendError, Writer};
use ropewalk_wire::htsp::Last;
use serde::Serialize;

use super::{LOOK, Link, Live, Session, Summary, check, gbps, is_dash, stop_on_signal, stopped};
use crate::cli::HtspSend;
use crate::failure::Failure;
use crate::format;
use crate::table::{Style, Table};
use crate::units::ChannelFile;

/// Bytes that are read at once.
const CHUNK: u64 = 1 << 16;

/// What was sent on a channel.
#[derive(Debug, Default, Serialize)]
struct Channel {
    vc: u8,
    file: String,
    bytes: u64,
    /// User frames.
    frames: u64,
    /// All of the file.
    complete: bool,
}

/// The next bytes of a file, at most `limit`; fewer at its end only.
fn chunk(input: &mut dyn Read, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(limit as usize);
    input.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Sends a file in user frames of `frame` bytes. The channel says how far it came.
fn feed(
    input: &mut dyn Read,
    writer: &mut Writer,
    frame: u64,
    bytes: &AtomicU64,
    channel: &mut Channel,
) -> std::io::Result<()> {
    let mut current = chunk(input, frame.min(CHUNK))?;
    let mut in_frame = 0;
    while !current.is_empty() {
        in_frame += current.len() as u64;
        let full = in_frame == frame;
        let room = if full { frame } else { frame - in_frame };
        // Only what follows tells whether this is the end.
        let next = chunk(input, room.min(CHUNK))?;
        let end = full || next.is_empty();
        let last = if end { Last::Yes } else { Last::No };
        match writer.send(&current, last) {
            Err(SendError::Closed) => return Ok(()),
            Err(SendError::Empty) | Ok(()) => {}
        }
        channel.bytes += current.len() as u64;
        bytes.fetch_add(current.len() as u64, Ordering::Relaxed);
        if end {
            channel.frames += 1;
            in_frame = 0;
        }
        current = next;
    }
    channel.complete = true;
    Ok(())
}

/// Where a channel's bytes come from.
fn open(file: &ChannelFile) -> Result<Box<dyn Read + Send>, Failure> {
    if is_dash(&file.file) {
        return Ok(Box::new(std::io::stdin()));
    }
    let fail = |error| Failure::read(&file.file, error);
    let opened = File::open(&file.file).map_err(fail)?;
    let about = opened.metadata().map_err(fail)?;
    if about.is_dir() || about.is_file() && about.len() == 0 {
        let what = if about.is_dir() {
            "a directory"
        } else {
            "empty"
        };
        return Err(Failure::BadInput(format!(
            "cannot send {}: it is {what}; accepted: a file of at least one byte",
            file.file.display()
        )));
    }
    Ok(Box::new(opened))
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input, or a file cannot be read.
pub fn execute(options: &HtspSend) -> Result<u8, Failure> {
    let port = &options.port;
    check(&options.vc)?;
    let mut inputs = Vec::new();
    for file in &options.vc {
        inputs.push(open(file)?);
    }
    stop_on_signal();
    let Session {
        mut host,
        notes,
        begun,
    } = Session::open(port, options.rate)?;
    let writers: Vec<_> = options.vc.iter().map(|it| host.writer(it.vc)).collect();
    let bytes = AtomicU64::new(0);
    let frame = options.frame.unwrap_or(u64::MAX);
    let mut first = None;
    let (done, stats) = std::thread::scope(|scope| {
        let bytes = &bytes;
        let all = options.vc.iter().zip(inputs).zip(writers);
        let threads: Vec<_> = all
            .map(|((file, mut input), writer)| {
                scope.spawn(move || {
                    let mut channel = Channel {
                        vc: file.vc,
                        file: file.file.display().to_string(),
                        ..Channel::default()
                    };
                    let Some(mut writer) = writer else {
                        return Ok(channel);
                    };
                    match feed(&mut *input, &mut writer, frame, bytes, &mut channel) {
                        Ok(()) => Ok(channel),
                        Err(error) => Err(Failure::read(&file.file, error)),
                    }
                })
            })
            .collect();
        let live = Live::new(port);
        let mut flushed = false;
        while !stopped() && !flushed && host.is_running() {
            let stats = host.stats();
            if stats.peer_ready {
                first.get_or_insert_with(Instant::now);
            }
            let elapsed = first.map_or(Duration::ZERO, |it: Instant| it.elapsed());
            live.update(&stats, bytes.load(Ordering::Relaxed), elapsed);
            let alone = stats.rx.ups == 0 && port.wait.is_some_and(|wait| begun.elapsed() > wait);
            let gone = stats.rx.ups > 0 && !stats.link_up;
            if alone || gone {
                break;
            }
            if threads.iter().all(|it| it.is_finished()) {
                flushed = host.flush(LOOK);
            } else {
                std::thread::sleep(LOOK);
            }
        }
        // Whoever still waits for room learns that there will be none.
        let stats = host.close();
        let joined = threads.into_iter().map(|it| {
            it.join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        let mut channels = joined.collect::<Result<Vec<Channel>, Failure>>();
        for channel in channels.iter_mut().flatten() {
            channel.complete &= flushed;
        }
        (channels, stats)
    });
    let elapsed = first.map_or(Duration::ZERO, |it| it.elapsed());
    let (stats, channels) = (stats?, done?);
    let link = Link::new(&stats);
    let bytes = stats.sum(|it| it.tx.bytes);
    let summary = Summary {
        ok: link.cut == 0 && link.downs == 0 && channels.iter().all(|it| it.complete),
        command: "htsp send",
        interface: port.interface.clone(),
        seconds: elapsed.as_secs_f64(),
        bytes,
        gbps: gbps(bytes, elapsed),
        vc: channels,
        link,
        notes,
    };
    print(options, &summary)?;
    Ok(u8::from(!summary.ok))
}

fn print(options: &HtspSend, summary: &Summary<Channel>) -> Result<(), Failure> {
    if options.port.json {
        let json =
            serde_json::to_string_pretty(summary).map_err(|error| Failure::Stdout(error.into()))?;
        writeln!(std::io::stdout(), "{json}")?;
        return Ok(());
    }
    let mut complaints = summary.link.complaints();
    match (summary.link.ups, summary.link.downs) {
        (0, _) => complaints.push("no peer".to_owned()),
        (_, 1..) => complaints.push("the peer went before the end".to_owned()),
        _ => {}
    }
    if complaints.is_empty() && !summary.ok {
        complaints.push("not all of it was sent".to_owned());
    }
    if options.port.quiet {
        if !summary.ok {
            let _ = writeln!(std::io::stderr(), "ropewalk: {}", complaints.join(", "));
        }
        return Ok(());
    }
    let style = Style::new(format::colour_wanted(&std::io::stdout()));
    let mut table = Table::new(["channel", "file", "bytes", "frames", "complete"]);
    for it in &summary.vc {
        table.row([
            it.vc.to_string(),
            it.file.clone(),
            format::thousands(it.bytes),
            format::thousands(it.frames),
            if it.complete { "yes" } else { "no" }.to_owned(),
        ]);
    }
    let verdict = if summary.ok {
        style.good("all of it is on the line")
    } else {
        style.bad(&complaints.join(", "))
    };
    write!(
        std::io::stdout(),
        "{}\n{} in {}, {} Gb/s: {verdict}\n",
        table.render(style),
        format::bytes(summary.bytes),
        format::time(summary.seconds * 1e9),
        format::significant(summary.gbps, 3)
    )?;
    Ok(())
}
