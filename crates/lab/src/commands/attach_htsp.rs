// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim htsp --tap`: one end of the real RTL on a network interface. Its users send back
//! what they receive.

use std::collections::VecDeque;
use std::io::Write;
use std::time::{Duration, Instant};

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::stop::{note, stop_on_signal, stopped};
use ropewalk_console::table::{Style, Table};
use ropewalk_io::htsp::Fault;
use ropewalk_io::packet::Options;
use ropewalk_io::{Arrival, OpenError, PacketLink, RawLink, TapLink};
use ropewalk_sim::htsp::{Echo, EchoCounts, Model, NULL_INTERVAL, Settings};
use serde::Serialize;

use super::sim_htsp;
use crate::cli::SimHtsp;
use crate::progress::BuildMeter;

/// EtherType of the core.
const ETHERTYPE: u16 = 0x0111;
/// MTU of an interface that is made.
const MTU: usize = 9000;
/// Cycles between looks at the interface.
const CYCLES: usize = 256;
/// Frames that wait on either side of the core; more stay in the kernel, and the core waits.
const WAITING: usize = 16;
/// Cycles without a frame until the link is down, the most that the core's own register holds: a
/// simulation is slow, its peer may not wait for it.
const ALIVE: u32 = (1 << 24) - 1;

/// What was carried on a channel.
#[derive(Debug, Serialize)]
struct Channel {
    frames: u64,
    bytes: u64,
}

/// The object that `--json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    core: &'static str,
    interface: String,
    cycles: u64,
    seconds: f64,
    line_frames_received: u64,
    line_frames_sent: u64,
    frames_missing: u64,
    overflows: u64,
    errors: u64,
    ring_overflows: u64,
    vc: Vec<Channel>,
}

/// Connects a core to a link until `stop` says so. What happened in the core, and how often frames
/// were lost in front of it.
///
/// # Errors
/// The core cannot be built, or the link has failed.
pub fn attach(
    link: &mut dyn RawLink,
    model: Model,
    burst: u8,
    stop: &mut dyn FnMut() -> bool,
) -> Result<(EchoCounts, u64), Failure> {
    let settings = Settings {
        mac: link.mac().0,
        null_interval: NULL_INTERVAL,
        alive: ALIVE,
        burst,
        pause_level: (model.rx_depth / 4) as u16,
        resume_level: (model.rx_depth / 4 - model.rx_depth / 16) as u16,
    };
    let mut echo = Echo::new(model, &settings).map_err(Failure::refused)?;
    let mut outgoing = VecDeque::new();
    let mut gaps = 0;
    let failed = |error| Failure::network(Fault::Link(error));
    while !stop() {
        let mut moved = false;
        while echo.waiting() < WAITING {
            let take = &mut |arrival: Arrival| match arrival {
                Arrival::Gap => gaps += 1,
                Arrival::Frame { bytes, whole, .. } => {
                    if whole {
                        echo.receive(bytes);
                    }
                }
            };
            if !link.receive(take).map_err(failed)? {
                break;
            }
            moved = true;
        }
        for _ in 0..CYCLES {
            if outgoing.len() < WAITING {
                outgoing.extend(echo.step());
            }
        }
        let frames = outgoing.make_contiguous();
        let data = frames.iter().any(|frame: &Vec<u8>| frame.len() > 64);
        let sent = link.send(frames).map_err(failed)?;
        outgoing.drain(..sent);
        if !moved && !data && echo.waiting() == 0 {
            // Nothing but headers: the clock of the core may go slowly.
            let pause = Duration::from_micros(500);
            link.wait(pause, false).map_err(failed)?;
        }
    }
    Ok((echo.counts().clone(), gaps))
}

/// An interface of this kind that is made, or, if there is one of another kind already, that one.
fn open(name: &str) -> Result<Box<dyn RawLink>, OpenError> {
    match TapLink::open(name, MTU) {
        Ok(link) => Ok(Box::new(link)),
        Err(refused) => {
            let options = Options {
                ethertype: Some(ETHERTYPE),
                ..Options::default()
            };
            match PacketLink::open(name, &options) {
                Ok(link) => Ok(Box::new(link)),
                Err(OpenError::Missing(_)) => Err(refused),
                Err(error) => Err(error),
            }
        }
    }
}

/// Runs the subcommand.
///
/// # Errors
/// Bad input, or the simulator cannot be built.
pub fn execute(name: &str, options: &SimHtsp) -> Result<u8, Failure> {
    let model = sim_htsp::model(options);
    stop_on_signal();
    let mut link = open(name).map_err(|error| Failure::network(Fault::Open(error)))?;
    let mut meter = BuildMeter::new(!options.quiet, sim_htsp::core(options));
    model
        .prepare(&mut |step| meter.update(step))
        .map_err(Failure::refused)?;
    drop(meter);
    note(
        options.quiet || options.json,
        &format!("the core is on {name}; an interrupt ends it"),
    );
    let begun = Instant::now();
    let (counts, gaps) = attach(&mut *link, model, (options.burst / 64) as u8, &mut || {
        stopped() || options.duration.is_some_and(|it| begun.elapsed() > it)
    })?;
    let channel = |&(frames, bytes): &(u64, u64)| Channel { frames, bytes };
    let summary = Summary {
        ok: counts.lost + counts.overflows + counts.errors + gaps == 0,
        core: "htsp",
        interface: name.to_owned(),
        cycles: counts.cycles,
        seconds: begun.elapsed().as_secs_f64(),
        line_frames_received: counts.frames[0],
        line_frames_sent: counts.frames[1],
        frames_missing: counts.lost,
        overflows: counts.overflows,
        errors: counts.errors,
        ring_overflows: gaps,
        vc: counts.channels.iter().map(channel).collect(),
    };
    print(options, &summary)?;
    Ok(u8::from(!summary.ok))
}

fn print(options: &SimHtsp, summary: &Summary) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if options.json {
        return json::write(&mut out, "sim htsp", summary);
    }
    if options.quiet {
        return Ok(());
    }
    let style = Style::new(format::colour_wanted(&std::io::stdout()));
    let mut table = Table::new(["channel", "frames", "bytes"]);
    for (number, channel) in summary.vc.iter().enumerate() {
        table.row([
            number.to_string(),
            format::thousands(channel.frames),
            format::thousands(channel.bytes),
        ]);
    }
    let verdict = format!(
        "{} frames missing, {} overflows, {} user frames in error, {} overflows of the receive ring",
        summary.frames_missing, summary.overflows, summary.errors, summary.ring_overflows
    );
    let verdict = if summary.ok {
        style.good("nothing missing, no overflow")
    } else {
        style.bad(&verdict)
    };
    writeln!(
        out,
        "{}\n{} cycles in {}: {verdict}",
        table.render(style),
        format::thousands(summary.cycles),
        format::time(summary.seconds * 1e9),
    )?;
    Ok(())
}
