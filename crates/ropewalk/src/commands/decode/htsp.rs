// SPDX-License-Identifier: Apache-2.0
//! `ropewalk decode htsp`: the HTSP frames of a capture file.

use std::collections::BTreeMap;

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::table::{Style, Table};
use ropewalk_io::capture::Packet;
use ropewalk_wire::htsp::frame::{Footer, Frame, FrameError, HEADER, Header, NULL_CHANNEL};
use serde::Serialize;

use super::{plural, verdict};
use crate::cli::DecodeHtsp;

/// Distance to the awaited number from which on a frame is an earlier one, as a receiver takes it.
const STALE: u8 = 128;

/// One frame.
#[derive(Debug, Serialize)]
struct Row {
    packet: u64,
    time_ns: Option<u64>,
    length: usize,
    source: String,
    destination: String,
    tid: u8,
    /// None: the header names no channel.
    channel: Option<u8>,
    start: bool,
    end: bool,
    error: bool,
    /// TUSER of the first beat, with `start`, and of the last one, with `end`; 0 of a sender that
    /// has none.
    first_tuser: u8,
    last_tuser: u8,
    payload: usize,
    pause: u16,
    link_ready: bool,
    opcode: Option<String>,
    user_data: String,
    /// Frames missing in front of it, from the same source.
    missing: u8,
    problem: Option<String>,
}

/// All of a file.
#[derive(Debug, Default, Serialize)]
struct Decoded {
    ok: bool,
    file: String,
    ethertype: u16,
    /// Ethernet frames in the file.
    packets: u64,
    /// HTSP frames among them.
    htsp: u64,
    good: u64,
    /// Frames of which not all was captured; whether they were good cannot be known.
    partial: u64,
    bad: u64,
    missing: u64,
    stale: u64,
    /// Payload without a start, where no user frame is open.
    orphans: u64,
    frames: Vec<Row>,
}

/// Where the number of a frame stands among those of its source.
enum Place {
    /// Behind as many frames that are missing.
    Behind(u8),
    /// An earlier one.
    Again,
    /// An earlier one of a header alone whose sender has no link: it has started anew.
    Anew,
}

/// What is known of a source.
struct Source {
    awaited: u8,
    /// Channels of which it is known whether a user frame is open.
    open: BTreeMap<u8, bool>,
    /// What is not in `open` is not: there was a gap.
    closed: bool,
}

impl Source {
    fn end_all(&mut self) {
        self.open.clear();
        self.closed = true;
    }

    /// Takes the payload of a frame; `false`: it belongs to no user frame. One that was open when
    /// the capture began may go on.
    fn payload(&mut self, header: &Header, footer: &Footer) -> bool {
        let open = self.open.get(&header.channel).copied();
        let belongs = header.start || open.unwrap_or(!self.closed);
        let goes_on = belongs && !footer.end && !footer.error;
        self.open.insert(header.channel, goes_on);
        belongs
    }
}

/// Follows the numbers and the user frames of each source.
#[derive(Default)]
struct Sources(BTreeMap<[u8; 6], Source>);

impl Sources {
    /// Takes a frame; `alone`: nothing but its header.
    fn place(&mut self, header: &Header, alone: bool) -> (Place, &mut Source) {
        let source = self.0.entry(header.source.0).or_insert(Source {
            awaited: header.tid,
            open: BTreeMap::new(),
            closed: false,
        });
        let missing = header.tid.wrapping_sub(source.awaited);
        if missing > 0 {
            source.end_all();
        }
        let place = match missing {
            STALE.. if alone && !header.link_ready => Place::Anew,
            STALE.. => return (Place::Again, source),
            missing => Place::Behind(missing),
        };
        source.awaited = header.tid.wrapping_add(1);
        (place, source)
    }
}

impl Decoded {
    /// Adds a packet, if it is an HTSP frame. `ethertype` is its mark.
    fn packet(&mut self, sources: &mut Sources, first_ns: &mut Option<u64>, packet: &Packet) {
        self.packets += 1;
        let Some(beat) = packet.bytes.first_chunk::<HEADER>() else {
            return;
        };
        let header = Header::decode(beat);
        if header.ethertype != self.ethertype {
            return;
        }
        self.htsp += 1;
        let partial = packet.bytes.len() < packet.length;
        let frame = match Frame::decode(packet.bytes) {
            Err(error @ FrameError::Checksum { .. }) => Err(error),
            // What is missing of it would have been right or not.
            _ if partial => Ok(None),
            done => done.map(Some),
        };
        let (problem, payload) = match &frame {
            Ok(Some(frame)) => {
                self.good += 1;
                (None, frame.payload)
            }
            Ok(None) => {
                self.partial += 1;
                (None, None)
            }
            Err(error) => {
                self.bad += 1;
                (Some(error.to_string()), None)
            }
        };
        let alone = packet.length == HEADER;
        let (mut missing, mut problem) = (0, problem);
        if frame.is_ok() {
            let (place, source) = sources.place(&header, alone);
            match place {
                Place::Behind(count) => {
                    missing = count;
                    if payload.is_some_and(|(_, footer)| !source.payload(&header, &footer)) {
                        self.orphans += 1;
                        problem = Some("no start, and no user frame is open".to_owned());
                    }
                }
                Place::Again => {
                    self.stale += 1;
                    problem = Some(format!("number {} again or late", header.tid));
                }
                Place::Anew => {
                    self.stale += 1;
                    problem = Some(format!("numbers begin anew with {}", header.tid));
                }
            }
        }
        self.missing += u64::from(missing);
        let base = packet.time_ns.map(|now| *first_ns.get_or_insert(now));
        self.frames.push(Row {
            packet: packet.number,
            time_ns: packet
                .time_ns
                .zip(base)
                .map(|(now, base)| now.saturating_sub(base)),
            length: packet.length,
            source: header.source.to_string(),
            destination: header.destination.to_string(),
            tid: header.tid,
            channel: (header.channel != NULL_CHANNEL).then_some(header.channel),
            start: header.start,
            end: payload.is_some_and(|(_, footer)| footer.end || footer.error),
            error: payload.is_some_and(|(_, footer)| footer.error),
            first_tuser: if header.start { header.first_tuser } else { 0 },
            last_tuser: payload.map_or(0, |(_, footer)| footer.tuser),
            payload: payload.map_or(0, |(bytes, _)| bytes.len()),
            pause: payload.map_or(header.pause, |(_, footer)| footer.pause),
            link_ready: header.link_ready,
            opcode: header.opcode_valid.then(|| format::hex(&header.opcode)),
            user_data: format::hex(&header.user_data),
            missing,
            problem,
        });
    }

    /// What is wrong, by its name.
    fn faults(&self) -> [(u64, &'static str); 4] {
        [
            (self.bad, "bad"),
            (self.missing, "missing"),
            (self.stale, "again or late"),
            (self.orphans, "without a start"),
        ]
    }

    fn table(&self, style: Style) -> String {
        let mut table = Table::new([
            "packet", "time", "source", "to", "number", "channel", "marks", "bytes", "pause",
            "notes",
        ]);
        for row in &self.frames {
            table.row(row.cells());
        }
        let mut text = String::new();
        if !self.frames.is_empty() {
            text += &table.render(style);
            text.push('\n');
        }
        text += &format!(
            "{} of {}",
            plural(self.htsp, "HTSP frame"),
            plural(self.packets, "packet")
        );
        text += &verdict(style, self.partial, &self.faults());
        text
    }
}

impl Row {
    fn cells(&self) -> [String; 10] {
        let dash = || "-".to_owned();
        let mut notes = Vec::new();
        if !self.link_ready {
            notes.push("no link".to_owned());
        }
        if let Some(opcode) = &self.opcode {
            notes.push(format!("op-code {opcode}"));
        }
        if self.first_tuser != 0 || self.last_tuser != 0 {
            notes.push(format!(
                "TUSER {:02x} {:02x}",
                self.first_tuser, self.last_tuser
            ));
        }
        if self.missing > 0 {
            notes.push(format!("{} missing in front", self.missing));
        }
        notes.extend(self.problem.clone());
        let marks: Vec<&str> = [
            (self.start, "start"),
            (self.end && !self.error, "end"),
            (self.error, "end in error"),
        ]
        .iter()
        .filter(|(set, _)| *set)
        .map(|(_, mark)| *mark)
        .collect();
        [
            self.packet.to_string(),
            self.time_ns.map_or_else(dash, |ns| format::time(ns as f64)),
            self.source.clone(),
            self.destination.clone(),
            self.tid.to_string(),
            self.channel
                .map_or_else(dash, |channel| channel.to_string()),
            marks.join(", "),
            self.payload.to_string(),
            format!("{:04x}", self.pause),
            notes.join("; "),
        ]
    }
}

/// Runs the subcommand.
///
/// # Errors
/// The file cannot be read or is not a capture.
pub fn execute(options: &DecodeHtsp) -> Result<u8, Failure> {
    let mut decoded = Decoded {
        file: options.file.display().to_string(),
        ethertype: options.ethertype,
        ..Decoded::default()
    };
    let (mut sources, mut first_ns) = (Sources::default(), None);
    super::read(&options.file, |packet| {
        decoded.packet(&mut sources, &mut first_ns, &packet);
    })?;
    decoded.ok = decoded.faults().iter().all(|(count, _)| *count == 0);
    let ok = decoded.ok;
    super::print("decode htsp", options.json, &decoded, ok, |style| {
        decoded.table(style)
    })
}
