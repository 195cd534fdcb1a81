// SPDX-License-Identifier: Apache-2.0
//! `ropewalk decode chunk`: the sessions of chunks in a capture file, lane by lane.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::table::{Style, Table};
use ropewalk_io::capture::Packet;
use ropewalk_wire::chunk::dissect::{self, Form};
use ropewalk_wire::chunk::frame::{CONTROL_CHECK, FrameHeader, Kind};
use ropewalk_wire::chunk::handshake::message::Message;
use ropewalk_wire::chunk::report::Report;
use ropewalk_wire::chunk::subpacket::{ParityHeader, Sub, SubHeader};
use serde::{Serialize, Serializer};

use super::{plural, verdict};
use crate::cli::DecodeChunk;

mod flow;

use flow::{Flow, Place};

/// One frame, or one message of the start of a session.
#[derive(Debug, Serialize)]
struct Row {
    packet: u64,
    time_ns: Option<u64>,
    session: String,
    lane: u8,
    from: String,
    to: String,
    kind: &'static str,
    number: u32,
    length: u16,
    says: String,
}

/// Messages of the start of a session, one or several of the same.
#[derive(Debug, Serialize)]
struct Said {
    from: String,
    says: String,
    times: u64,
}

/// A session: of a pipeline, or of the start, which has numbers of its own.
#[derive(Debug, Default, Serialize)]
struct Session {
    session: String,
    #[serde(serialize_with = "form_of")]
    form: Option<Form>,
    flows: Vec<Flow>,
    /// Lowest and highest chunk of which a sub-packet was captured.
    chunks: Option<(u32, u32)>,
    /// Chunks before it are complete, as of the last report; none if reports are sealed.
    complete: Option<u32>,
    /// Chunks of the stream, where its end was captured in the clear.
    stream: Option<u32>,
    /// The sender has said farewell.
    farewell: bool,
    start: Vec<Said>,
    #[serde(skip)]
    places: BTreeMap<(u8, SocketAddr, SocketAddr), usize>,
}

/// All of a file.
#[derive(Debug, Default, Serialize)]
struct Decoded {
    ok: bool,
    file: String,
    /// Ethernet frames in the file.
    packets: u64,
    /// UDP datagrams among them.
    datagrams: u64,
    /// Frames of chunks in these.
    frames: u64,
    /// Frames of which not all was captured.
    partial: u64,
    /// Datagrams between ends of a session that are no frame.
    bad: u64,
    missing: u64,
    late: u64,
    again: u64,
    sessions: Vec<Session>,
    list: Vec<Row>,
    #[serde(skip)]
    places: BTreeMap<u64, usize>,
    #[serde(skip)]
    ends: BTreeSet<(SocketAddr, SocketAddr)>,
    #[serde(skip)]
    first_ns: Option<u64>,
}

fn form_of<S: Serializer>(form: &Option<Form>, to: S) -> Result<S::Ok, S::Error> {
    form.map(|form| {
        serde_json::json!({
            "sealed": form.sealed,
            "mends": form.mends,
            "payload": form.payload,
        })
    })
    .serialize(to)
}

const fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Data => "data",
        Kind::Ask => "data, ask",
        Kind::Report => "report",
        Kind::Fin => "end of stream",
        Kind::Bye => "farewell",
        Kind::Handshake => "start",
    }
}

fn message(body: &Message) -> String {
    match body {
        Message::Hello(_) => "asks for a session".to_owned(),
        Message::Retry(..) => "asks where the sender is".to_owned(),
        Message::Reply(_) => "agrees".to_owned(),
        Message::Confirm(_) => "sender has the key".to_owned(),
        Message::Done(_) => "receiver has the key".to_owned(),
        Message::Refuse(why) => format!("refuses: {why}"),
        Message::Join(..) => "asks for a lane".to_owned(),
        Message::Joined(_, length) => format!("has the lane, {length} bytes came"),
        Message::Check(..) => "asks where the lane is".to_owned(),
    }
}

/// Sub-packets in words: chunk, numbers, how many were sent before.
fn places(subs: &[Sub]) -> String {
    let mut text: Vec<String> = Vec::new();
    let mut at = 0;
    while at < subs.len() {
        let key = |sub: &Sub| match sub {
            Sub::Data(it) => (it.chunk, it.number, it.round, false),
            Sub::Parity(it) => (it.chunk, it.number, 0, true),
        };
        let (chunk, first, round, parity) = key(&subs[at]);
        let mut end = at + 1;
        while end < subs.len() {
            let next = key(&subs[end]);
            let number = first.checked_add((end - at) as u16);
            if (next.0, Some(next.1), next.2, next.3) != (chunk, number, round, parity) {
                break;
            }
            end += 1;
        }
        let last = key(&subs[end - 1]).1;
        let what = if parity { " parity" } else { "" };
        let range = if last == first {
            first.to_string()
        } else {
            format!("{first}-{last}")
        };
        let again = if round == 0 {
            String::new()
        } else {
            format!(" (sent before: {round})")
        };
        text.push(format!("chunk {chunk}{what}: {range}{again}"));
        at = end;
    }
    text.join("; ")
}

impl Session {
    fn flow(&mut self, lane: u8, from: SocketAddr, to: SocketAddr) -> &mut Flow {
        let flows = &mut self.flows;
        let place = *self.places.entry((lane, from, to)).or_insert_with(|| {
            flows.push(Flow::new(lane, from, to));
            flows.len() - 1
        });
        &mut self.flows[place]
    }

    /// Takes a message of the start.
    fn said(&mut self, from: SocketAddr, says: String) {
        let from = from.to_string();
        match self.start.last_mut() {
            Some(last) if (&last.from, &last.says) == (&from, &says) => last.times += 1,
            _ => self.start.push(Said {
                from,
                says,
                times: 1,
            }),
        }
    }

    /// Takes what is behind the header of a frame; what it says, in words.
    fn body(&mut self, header: &FrameHeader, body: &[u8]) -> (String, Vec<Sub>) {
        let clear = self.form.is_some_and(|form| !form.sealed);
        let control = body
            .len()
            .checked_sub(CONTROL_CHECK)
            .map(|end| &body[..end])
            .filter(|_| clear);
        match header.kind {
            Kind::Data | Kind::Ask if header.count == 0 => (String::new(), Vec::new()),
            Kind::Data | Kind::Ask => match Form::read(&mut self.form, header, body) {
                Some(subs) => {
                    for sub in &subs {
                        let (Sub::Data(SubHeader { chunk, .. })
                        | Sub::Parity(ParityHeader { chunk, .. })) = *sub;
                        let (low, high) = self.chunks.get_or_insert((chunk, chunk));
                        (*low, *high) = ((*low).min(chunk), (*high).max(chunk));
                    }
                    (places(&subs), subs)
                }
                None => ("sub-packets that do not fit it".to_owned(), Vec::new()),
            },
            Kind::Report => match control.map(Report::parse) {
                Some(Ok(report)) => {
                    self.complete = Some(report.summary.base);
                    (reported(&report), Vec::new())
                }
                Some(Err(error)) => (format!("no report: {error}"), Vec::new()),
                None => (String::new(), Vec::new()),
            },
            Kind::Fin => {
                let count = control.and_then(|bytes| bytes.try_into().ok());
                self.stream = count.map(u32::from_be_bytes).or(self.stream);
                let says = count.map_or(String::new(), |bytes| {
                    format!("{} chunks", u32::from_be_bytes(bytes))
                });
                (says, Vec::new())
            }
            Kind::Bye => {
                self.farewell = true;
                (String::new(), Vec::new())
            }
            Kind::Handshake => (String::new(), Vec::new()),
        }
    }
}

fn reported(report: &Report) -> String {
    let summary = report.summary;
    let mut text = format!(
        "complete before chunk {}, room before {}",
        summary.base, summary.credit
    );
    let open = report.sections().count();
    if open > 0 {
        text += &format!(", {open} in part");
    }
    if summary.duplicates > 0 {
        text += &format!(", {} sub-packets came again", summary.duplicates);
    }
    if summary.finished {
        text += ", all is there";
    }
    text
}

impl Decoded {
    fn session(&mut self, number: u64) -> &mut Session {
        let sessions = &mut self.sessions;
        let place = *self.places.entry(number).or_insert_with(|| {
            sessions.push(Session {
                session: format!("{number:016x}"),
                ..Session::default()
            });
            sessions.len() - 1
        });
        &mut self.sessions[place]
    }

    fn packet(&mut self, packet: &Packet, list: bool) {
        self.packets += 1;
        let Some(datagram) = packet.datagram() else {
            return;
        };
        self.datagrams += 1;
        let (from, to) = (datagram.source, datagram.destination);
        let (frames, rest) = dissect::frames(datagram.payload);
        let known = self.ends.contains(&(from, to)) || self.ends.contains(&(to, from));
        let partial = packet.bytes.len() < packet.length;
        self.bad += u64::from((known || !frames.is_empty()) && !rest.is_empty() && !partial);
        let time_ns = packet.time_ns.map(|now| {
            let first = *self.first_ns.get_or_insert(now);
            now.saturating_sub(first)
        });
        for (header, body) in frames {
            self.frames += 1;
            self.partial += u64::from(body.is_none());
            self.ends.insert((from, to));
            let session = self.session(header.session);
            let mut says = Vec::new();
            if header.kind == Kind::Handshake {
                if let Some((what, _)) = body.and_then(Message::read) {
                    says.push(message(&what));
                    session.said(from, message(&what));
                }
            } else {
                let (text, subs) = body.map_or_else(
                    || ("captured in part".to_owned(), Vec::new()),
                    |body| session.body(&header, body),
                );
                let flow = session.flow(header.lane, from, to);
                flow.take_subs(&subs);
                match flow.take(&header, time_ns) {
                    Place::Next => {}
                    Place::Behind(count) => says.push(format!("{count} missing in front")),
                    Place::Late => says.push("late".to_owned()),
                    Place::Again => says.push("again".to_owned()),
                }
                says.insert(0, text);
            }
            if list {
                says.retain(|text| !text.is_empty());
                self.list.push(Row {
                    packet: packet.number,
                    time_ns,
                    session: format!("{:016x}", header.session),
                    lane: header.lane,
                    from: from.to_string(),
                    to: to.to_string(),
                    kind: name(header.kind),
                    number: header.seq.get(),
                    length: header.length,
                    says: says.join("; "),
                });
            }
        }
    }

    fn conclude(&mut self) {
        for flow in self.sessions.iter().flat_map(|session| &session.flows) {
            self.missing += flow.missing;
            self.late += flow.late;
            self.again += flow.again;
        }
        self.ok = self.faults().iter().all(|(count, _)| *count == 0);
    }

    /// What is wrong, by its name.
    fn faults(&self) -> [(u64, &'static str); 4] {
        [
            (self.bad, "bad"),
            (self.missing, "missing"),
            (self.late, "late"),
            (self.again, "again"),
        ]
    }

    fn text(&self, style: Style) -> String {
        let mut text = String::new();
        if !self.list.is_empty() {
            let mut table = Table::new([
                "packet", "time", "session", "lane", "from", "to", "kind", "number", "bytes",
                "says",
            ]);
            for row in &self.list {
                table.row(row.cells());
            }
            text += &table.render(style);
            text.push('\n');
        }
        for session in &self.sessions {
            text += &session.text(style);
        }
        text += &format!(
            "{} in {} of {}",
            plural(self.frames, "frame"),
            plural(self.datagrams, "datagram"),
            plural(self.packets, "packet")
        );
        text += &verdict(style, self.partial, &self.faults());
        text
    }
}

impl Row {
    fn cells(&self) -> [String; 10] {
        [
            self.packet.to_string(),
            self.time_ns
                .map_or_else(|| "-".to_owned(), |ns| format::time(ns as f64)),
            self.session[..8].to_owned(),
            self.lane.to_string(),
            self.from.clone(),
            self.to.clone(),
            self.kind.to_owned(),
            self.number.to_string(),
            self.length.to_string(),
            self.says.clone(),
        ]
    }
}

impl Session {
    fn text(&self, style: Style) -> String {
        let mut facts = Vec::new();
        if let Some(form) = self.form {
            let kind = if form.sealed { "sealed" } else { "checked" };
            facts.push(format!("{kind}, {} bytes a sub-packet", form.payload));
            if form.mends > 0 {
                facts.push(format!("mends {} bytes of a codeword", form.mends));
            }
        }
        if let Some((low, high)) = self.chunks {
            facts.push(format!("chunks {low} to {high}"));
        }
        if let Some(count) = self.complete {
            facts.push(format!("complete before {count}"));
        }
        if let Some(count) = self.stream {
            facts.push(format!("{count} in all"));
        }
        if self.farewell {
            facts.push("ended".to_owned());
        }
        let mut text = format!("session {}", self.session);
        if !facts.is_empty() {
            text += &format!(": {}", facts.join(", "));
        }
        text.push('\n');
        for Said { from, says, times } in &self.start {
            let repeated = if *times > 1 {
                format!(", {times} times")
            } else {
                String::new()
            };
            text += &format!("  {from} {says}{repeated}\n");
        }
        if !self.flows.is_empty() {
            let mut table = Table::new([
                "lane",
                "from",
                "to",
                "frames",
                "missing",
                "late",
                "again",
                "reports",
                "sub-packets",
                "sent before",
                "parity",
                "payload",
                "rate",
            ]);
            for flow in &self.flows {
                table.row(flow.cells());
            }
            text += &table.render(style);
        }
        text.push('\n');
        text
    }
}

impl Flow {
    fn cells(&self) -> [String; 13] {
        let span = self
            .last_ns
            .zip(self.first_ns)
            .map(|(last, first)| last - first);
        let rate = span.filter(|ns| *ns > 0 && self.payload > 0).map_or_else(
            || "-".to_owned(),
            |ns| match 8.0 * self.payload as f64 / ns as f64 {
                gbps if gbps < 1.0 => format!("{} Mb/s", format::significant(1e3 * gbps, 3)),
                gbps => format!("{} Gb/s", format::significant(gbps, 3)),
            },
        );
        [
            self.lane.to_string(),
            self.from.clone(),
            self.to.clone(),
            format::thousands(self.frames),
            format::thousands(self.missing),
            format::thousands(self.late),
            format::thousands(self.again),
            format::thousands(self.reports),
            format::thousands(self.sub_packets),
            format::thousands(self.resent),
            format::thousands(self.parity),
            format::bytes(self.payload),
            rate,
        ]
    }
}

/// Runs the subcommand.
///
/// # Errors
/// The file cannot be read or is not a capture.
pub fn execute(options: &DecodeChunk) -> Result<u8, Failure> {
    let mut decoded = Decoded {
        file: options.file.display().to_string(),
        ..Decoded::default()
    };
    super::read(&options.file, |packet| {
        decoded.packet(&packet, options.frames);
    })?;
    decoded.conclude();
    super::print(
        "decode chunk",
        options.json,
        &decoded,
        decoded.ok,
        |style| decoded.text(style),
    )
}
