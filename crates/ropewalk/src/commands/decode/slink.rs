// SPDX-License-Identifier: Apache-2.0
//! `ropewalk decode slink`: the packets of recorded lanes.

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::table::Style;
use ropewalk_wire::slink::dissect::{Bits, Coding, Counts, Ending, Found, dissect};
use ropewalk_wire::slink::{Damage, Greeting, Header, Kind, LineMode, Message, Notice, Request};
use serde::Serialize;

use super::lanes::{self, Lane, Place};
use super::plural;
use crate::cli::DecodeSlink;

/// Bytes of data that the text shows.
const SHOWN: usize = 32;
/// Bits of a word of three digits: a symbol.
const SYMBOL: u32 = 10;

/// Numbers of a session.
#[derive(Debug, Serialize)]
struct Session {
    own: u16,
    /// None: the other end was not heard.
    echo: Option<u16>,
    up: bool,
}

/// What a message about a change of the line's mode is about.
#[derive(Debug, Serialize)]
struct About {
    number: u8,
    /// None: there is no such mode.
    mode: Option<String>,
}

/// A packet.
#[derive(Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    place: Place,
    kind: &'static str,
    address: Option<u32>,
    /// Of the operation.
    bytes: Option<u32>,
    lanes: Option<usize>,
    crc: Option<bool>,
    sequence: Option<u8>,
    session: Option<Session>,
    change: Option<About>,
    /// None: the recording ends in it.
    good: Option<bool>,
    problem: Option<String>,
    data: Option<String>,
}

/// All of the files.
#[derive(Debug, Serialize)]
struct Decoded {
    ok: bool,
    files: Vec<String>,
    lanes: usize,
    words: u64,
    packets: u64,
    write_requests: u64,
    read_requests: u64,
    read_data: u64,
    done: u64,
    notices: u64,
    damaged: u64,
    holds: u64,
    impossible_symbols: u64,
    slips: u64,
    frames: Vec<Row>,
}

fn name(header: Option<Header>) -> &'static str {
    match header.map(|header| (header.kind, header.request)) {
        None => "no header",
        Some((Kind::Request { .. }, Request::Write)) => "write request",
        Some((Kind::Request { .. }, Request::Read)) => "read request",
        Some((Kind::Data { .. }, _)) => "read data",
        Some((Kind::Done, _)) => "done",
        Some((Kind::Notice(Notice::Damaged), _)) => "notice: damaged",
        Some((Kind::Notice(Notice::Window), _)) => "notice: outside the window",
        Some((Kind::Notice(Notice::Hello { .. }), _)) => "hello",
        Some((Kind::Notice(Notice::Change { message, .. }), _)) => match message {
            Message::Ask => "change: ask",
            Message::Wait => "change: wait",
            Message::Agree => "change: agree",
            Message::Refuse => "change: refuse",
        },
    }
}

fn damage(damage: Damage) -> String {
    match damage {
        Damage::Header(error) => error.to_string(),
        Damage::Lanes => "it came over another number of lanes than its header says".to_owned(),
        Damage::Symbol => "an impossible symbol".to_owned(),
        Damage::Code => "the check code of a block is wrong".to_owned(),
        Damage::Length => "it has another length than its header says".to_owned(),
        Damage::Cut => "something else stands within it".to_owned(),
    }
}

impl Row {
    fn new(place: Place, found: &Found) -> Self {
        let header = found.header;
        let (good, problem) = match found.ending {
            Ending::Whole { clean: true } => (Some(true), None),
            Ending::Whole { clean: false } => (
                Some(false),
                Some("an impossible symbol in its data".to_owned()),
            ),
            Ending::Damaged(why) => (Some(false), Some(damage(why))),
            Ending::Open => (None, Some("the recording ends within it".to_owned())),
        };
        let kind = header.map(|header| header.kind);
        let session = match kind {
            Some(Kind::Notice(Notice::Hello {
                own,
                echo,
                greeting,
            })) => Some(Session {
                own,
                echo: (greeting != Greeting::First).then_some(echo),
                up: greeting == Greeting::Up,
            }),
            Some(Kind::Notice(Notice::Change { own, echo, .. })) => Some(Session {
                own,
                echo: Some(echo),
                up: true,
            }),
            _ => None,
        };
        let change = match kind {
            Some(Kind::Notice(Notice::Change { matter, .. })) => Some(About {
                number: matter.number,
                mode: LineMode::from_bits(matter.line).map(|mode| mode.to_string()),
            }),
            _ => None,
        };
        // In other packets these bits say nothing.
        let operation = header.filter(|_| session.is_none());
        Row {
            place,
            kind: name(header),
            address: match kind {
                Some(Kind::Request { address } | Kind::Data { address }) => Some(address),
                _ => None,
            },
            bytes: operation.map(|header| 8 * header.words),
            lanes: header.map(|header| header.lanes.count()),
            crc: header.map(|header| header.crc),
            sequence: operation.map(|header| header.sequence),
            session,
            change,
            good,
            problem,
            data: header
                .filter(|header| header.has_data())
                .map(|_| format::hex(&found.data)),
        }
    }
}

impl lanes::Row for Row {
    /// Whether it is one more of the same, as greetings and questions are.
    fn repeats(&self, before: &Row) -> bool {
        let said = |row: &Row| {
            let change = row.change.as_ref().map(|it| it.number);
            let session = row.session.as_ref();
            session.map(|it| (row.kind, it.own, it.echo, it.up, change))
        };
        self.good == Some(true)
            && before.good == Some(true)
            && said(self).is_some()
            && said(self) == said(before)
    }

    fn cells(&self, times: u64) -> Vec<String> {
        let dash = || "-".to_owned();
        let mut says = Vec::new();
        if let Some(session) = &self.session {
            let echo = session.echo.map_or_else(
                || "has not heard the other end".to_owned(),
                |echo| format!("to {echo:03x}"),
            );
            let up = if session.up { ", up" } else { "" };
            says.push(format!("session {:03x} {echo}{up}", session.own));
        }
        if let Some(About { number, mode }) = &self.change {
            let mode = mode.as_deref().unwrap_or("a mode that is none");
            says.push(format!("question {number}: {mode}"));
        }
        if let Some(data) = &self.data {
            let shown = data
                .get(..2 * SHOWN)
                .map_or(data.clone(), |first| format!("{first}.."));
            says.push(shown);
        }
        says.extend(self.problem.clone());
        vec![
            format!("{}.{}", self.place.word, self.place.bit),
            if times > 1 {
                format!("x {}", format::thousands(times))
            } else {
                String::new()
            },
            self.kind.to_owned(),
            self.sequence.map_or_else(dash, |number| number.to_string()),
            self.address.map_or_else(dash, |it| format!("{it:08x}")),
            self.bytes
                .map_or_else(dash, |bytes| format::thousands(bytes.into())),
            self.lanes.map_or_else(dash, |lanes| format!("x{lanes}")),
            match (self.good, self.crc) {
                (Some(true), Some(true)) => "good",
                (Some(true), _) => "none",
                (Some(false), _) => "BAD",
                (None, _) => "-",
            }
            .to_owned(),
            says.join("; "),
        ]
    }
}

impl Decoded {
    fn take(&mut self, lane: &Lane, found: &Found) {
        self.packets += 1;
        match found.header.map(|header| (header.kind, header.request)) {
            Some((Kind::Request { .. }, Request::Write)) => self.write_requests += 1,
            Some((Kind::Request { .. }, Request::Read)) => self.read_requests += 1,
            Some((Kind::Data { .. }, _)) => self.read_data += 1,
            Some((Kind::Done, _)) => self.done += 1,
            Some((Kind::Notice(_), _)) => self.notices += 1,
            None => {}
        }
        let row = Row::new(lane.place(found.bit), found);
        self.damaged += u64::from(row.good == Some(false));
        self.frames.push(row);
    }

    fn text(&self, style: Style) -> String {
        let mut text = lanes::table(
            [
                "word", "times", "kind", "number", "address", "bytes", "lanes", "code", "says",
            ],
            &self.frames,
            style,
        );
        let kinds = [
            (self.write_requests, "write request"),
            (self.read_requests, "read request"),
            (self.read_data, "packet of read data"),
            (self.done, "acknowledgement (done)"),
            (self.notices, "notice"),
        ];
        let kinds: Vec<String> = kinds
            .iter()
            .filter(|kind| kind.0 > 0)
            .map(|&(count, what)| match what {
                "packet of read data" if count != 1 => {
                    format!("{} packets of read data", format::thousands(count))
                }
                "acknowledgement (done)" if count != 1 => {
                    format!("{} acknowledgements (done)", format::thousands(count))
                }
                _ => plural(count, what),
            })
            .collect();
        text += &format!(
            "{} on {} in {}",
            plural(self.packets, "packet"),
            format::lanes(self.lanes as u8),
            plural(self.words, "word")
        );
        if !kinds.is_empty() {
            text += &format!(": {}", kinds.join(", "));
        }
        if self.holds > 0 {
            text += &format!("; {} to hold data back", plural(self.holds, "word"));
        }
        let wrong: Vec<String> = [
            (self.damaged, "damaged packet"),
            (self.impossible_symbols, "impossible symbol"),
            (self.slips, "slip of a lane"),
        ]
        .iter()
        .filter(|wrong| wrong.0 > 0)
        .map(|&(count, what)| match what {
            "slip of a lane" if count != 1 => {
                format!("{} slips of lanes", format::thousands(count))
            }
            _ => plural(count, what),
        })
        .collect();
        let said = if wrong.is_empty() {
            style.good("nothing wrong")
        } else {
            style.bad(&wrong.join(", "))
        };
        text + &format!("\n{said}\n")
    }
}

/// What to say of a lane that has no words of its code.
fn nothing(lanes: &[Lane], lane: usize, coding: Coding) -> Failure {
    let (what, accepted) = match coding {
        Coding::Symbols => (
            "comma (K28.5)",
            "8b/10b lanes with idle times, or --blocks for lanes in 64b/66b",
        ),
        Coding::Blocks => (
            "64 blocks of 64b/66b behind each other",
            "lanes in 64b/66b, or without --blocks in 8b/10b",
        ),
    };
    Failure::BadInput(format!(
        "lane {lane} has no {what} in {}; accepted: {accepted}, bit 0 of each word the first on the line",
        plural(lanes[lane].words, "word")
    ))
}

/// Runs the subcommand.
///
/// # Errors
/// A file cannot be read, or has no lanes of SLink.
pub fn execute(options: &DecodeSlink) -> Result<u8, Failure> {
    let lanes = lanes::read(&options.lanes, |recording| {
        // Three digits are a symbol of ten bits.
        if recording.width() == SYMBOL.next_multiple_of(4) {
            recording.narrow(SYMBOL)?;
        }
        Ok(None)
    })?;
    if !matches!(lanes.len(), 1 | 2 | 4) {
        return Err(Failure::BadInput(format!(
            "{}; accepted: 1, 2 or 4 lanes of an SLink, the first one in front",
            plural(lanes.len() as u64, "lane")
        )));
    }
    let bits: Vec<Bits> = lanes
        .iter()
        .map(|lane| Bits::new(&lane.bits, lane.words * u64::from(lane.width)))
        .collect();
    let mut decoded = Decoded {
        ok: true,
        files: lanes::names(&options.lanes.files),
        lanes: lanes.len(),
        words: lanes[0].words,
        packets: 0,
        write_requests: 0,
        read_requests: 0,
        read_data: 0,
        done: 0,
        notices: 0,
        damaged: 0,
        holds: 0,
        impossible_symbols: 0,
        slips: 0,
        frames: Vec::new(),
    };
    let coding = if options.blocks {
        Coding::Blocks
    } else {
        Coding::Symbols
    };
    let counts: Counts = dissect(&bits, coding, |found| decoded.take(&lanes[0], &found))
        .map_err(|lane| nothing(&lanes, lane, coding))?;
    decoded.holds = counts.holds;
    decoded.impossible_symbols = counts.impossible;
    decoded.slips = counts.slips;
    decoded.ok = decoded.damaged == 0 && counts.impossible == 0 && counts.slips == 0;
    super::print(
        "decode slink",
        options.lanes.json,
        &decoded,
        decoded.ok,
        |style| decoded.text(style),
    )
}
