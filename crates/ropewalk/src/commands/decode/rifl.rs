// SPDX-License-Identifier: Apache-2.0
//! `ropewalk decode rifl`: the frames of recorded lanes.

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::table::{Style, Table};
use ropewalk_io::recording::Recording;
use ropewalk_wire::rifl::dissect::{Check, Seen, Stretch, dissect, lane_params, stretches};
use ropewalk_wire::rifl::ext::{Announcement, Detail, Phase, Unreadable};
use ropewalk_wire::rifl::{Control, FrameWidth, IdWidth, Kind, LaneParams};
use serde::Serialize;

use super::lanes::{self, Lane, Place};
use super::plural;
use crate::cli::DecodeRifl;
use crate::units::DECODED_WIDTHS;

/// What a control frame of the extended mode says.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Said {
    phase: &'static str,
    session: String,
    echo: String,
    lane: u8,
    ping: bool,
    pong: bool,
    stop: bool,
    stop_seen: bool,
    /// Before the session is up.
    capabilities: Option<Capabilities>,
    /// In a session.
    sequence: Option<Sequence>,
}

/// What an end is built with, as it says so.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Capabilities {
    lanes: u32,
    frame_width: u32,
    groups: u32,
    id_width: u8,
    /// Line rate; none: not told.
    rate_gbps: Option<f64>,
    /// Why it is not up.
    reason: Option<String>,
    /// Frames have the stronger code.
    strong_code: bool,
}

/// Where an end stands in the sequence of frames.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Sequence {
    /// It requests a retransmission, number and first id.
    request: Option<(u8, u16)>,
    /// The request of the peer that it has served last.
    answered: u8,
    next: u16,
}

/// A frame.
#[derive(Debug, Serialize)]
struct Row {
    lane: usize,
    #[serde(flatten)]
    place: Place,
    kind: &'static str,
    /// Of a control frame that of the next data frame; none: not known.
    id: Option<u16>,
    /// None: the first frame, with nothing to compare it with.
    good: Option<bool>,
    replayed: bool,
    end: bool,
    payload: Option<String>,
    announcement: Option<Said>,
    problem: Option<String>,
}

/// A lane.
#[derive(Debug, Default, Serialize)]
struct Summary {
    lane: usize,
    words: u64,
    /// None: no boundary was found.
    id_width: Option<u8>,
    /// Frames have the stronger code.
    strong_code: bool,
    /// Where frames begin, and how many lie behind each other.
    stretches: Vec<Found>,
    frames: u64,
    data: u64,
    empty: u64,
    flow: u64,
    idle: u64,
    pause_requests: u64,
    retransmit_requests: u64,
    damaged: u64,
    jumps: u64,
    /// Runs of requests, or in extended mode numbers of them: recoveries of the other direction.
    requests: u64,
    /// Runs of frames that were sent before: recoveries of this direction.
    replays: u64,
    replayed: u64,
    /// Numbers of the sender's sessions, in their order.
    sessions: Vec<String>,
    bytes: u64,
    packets: u64,
    #[serde(skip)]
    last: Last,
}

/// What the frame before was.
#[derive(Debug, Default)]
struct Last {
    requests: bool,
    request: Option<u8>,
    replayed: bool,
}

/// A stretch.
#[derive(Debug, Serialize)]
struct Found {
    #[serde(flatten)]
    place: Place,
    frames: u64,
}

/// All of the files.
#[derive(Debug, Serialize)]
struct Decoded {
    ok: bool,
    files: Vec<String>,
    frame_width: u16,
    extended: bool,
    lanes: Vec<Summary>,
    frames: Vec<Row>,
}

/// The name of a frame, as the page of the wire has it.
fn name(seen: &Seen) -> &'static str {
    match seen.kind {
        _ if seen.plain.is_control() && seen.kind.is_none() => "control",
        None if seen.plain.is_data() => "data",
        Some(Kind::Invalid) => "empty",
        Some(Kind::FlowStop) => "flow control stop",
        Some(Kind::FlowResume) => "flow control resume",
        Some(Kind::Reserved(_)) => "no user data, undefined",
        Some(Kind::User { .. }) => "data",
        Some(Kind::Control(Control::Idle)) => "idle",
        Some(Kind::Control(Control::PauseRequest)) => "pause request",
        Some(Kind::Control(Control::RetransmitRequest)) => "retransmit request",
        Some(Kind::UnknownControl(_)) => "control, undefined",
        Some(Kind::IllegalSync) | None => "illegal sync",
    }
}

impl Said {
    fn new(said: &Announcement) -> Self {
        let (capabilities, sequence) = match said.detail {
            Detail::Capabilities(it) => {
                let reason = (it.reason.code() != 0).then(|| format!("{:?}", it.reason));
                let capabilities = Capabilities {
                    lanes: 1 << it.lanes,
                    frame_width: 128 << it.frame_width,
                    groups: 1 << it.groups,
                    id_width: it.id_width,
                    rate_gbps: (it.rate > 0).then(|| f64::from(it.rate) / 100.0),
                    reason,
                    strong_code: it.strong_code,
                };
                (Some(capabilities), None)
            }
            Detail::Sequence(it) => {
                let sequence = Sequence {
                    request: it.ask.then_some((it.ask_n, it.wanted)),
                    answered: it.answered,
                    next: it.next,
                };
                (None, Some(sequence))
            }
        };
        Said {
            phase: match said.phase {
                Phase::Hello => "HELLO",
                Phase::Ready => "READY",
                Phase::Up => "UP",
                Phase::Refused => "REFUSED",
            },
            session: format!("{:04x}", said.session),
            echo: format!("{:04x}", said.echo),
            lane: said.lane,
            ping: said.ping,
            pong: said.pong,
            stop: said.stop,
            stop_seen: said.stop_seen,
            capabilities,
            sequence,
        }
    }

    /// Whether it is the same; an end that has not heard its peer draws a number with each frame.
    fn repeats(&self, before: &Said) -> bool {
        let drawn = self.phase == "HELLO" && self.echo == "0000";
        let of = |said: &Said| Said {
            session: String::new(),
            ..said.clone()
        };
        self == before || (drawn && of(self) == of(before))
    }

    fn text(&self) -> String {
        let mut text = format!(
            "{} {} to {}, lane {}",
            self.phase, self.session, self.echo, self.lane
        );
        for (set, what) in [
            (self.ping, "ping"),
            (self.pong, "pong"),
            (self.stop, "stop"),
            (self.stop_seen, "stop seen"),
        ] {
            if set {
                text += &format!(", {what}");
            }
        }
        if let Some(it) = &self.capabilities {
            text += &format!(
                ", {} of {} bits, id width {}",
                format::lanes(it.lanes as u8),
                it.frame_width,
                it.id_width
            );
            if it.strong_code {
                text += ", stronger code";
            }
            if let Some(rate) = it.rate_gbps {
                text += &format!(", {rate} Gb/s");
            }
            if let Some(reason) = &it.reason {
                text += &format!(", {reason}");
            }
        }
        if let Some(it) = &self.sequence {
            if let Some((number, wanted)) = it.request {
                text += &format!(", request {number} from id {wanted}");
            }
            text += &format!(", answered {}", it.answered);
        }
        text
    }
}

impl Row {
    fn new(lane: usize, place: Place, seen: &Seen) -> Self {
        let user = matches!(seen.kind, Some(Kind::User { .. }));
        let segment = seen.plain.segment().filter(|_| user);
        let mut problems = Vec::new();
        match seen.check {
            Check::Damaged => problems.push("damaged".to_owned()),
            Check::Jump => problems.push("ids go on from another one".to_owned()),
            Check::Good | Check::Unknown => {}
        }
        if seen.doubtful && seen.check != Check::Damaged {
            problems.push("behind a damaged one: its first 33 bits may be wrong".to_owned());
        }
        match seen.announcement {
            Some(Err(why @ (Unreadable::Check { .. } | Unreadable::Version(_)))) => {
                problems.push(why.to_string());
            }
            Some(Ok(_) | Err(Unreadable::Plain)) | None => {}
        }
        Row {
            lane,
            place,
            kind: name(seen),
            id: seen.id,
            good: match seen.check {
                Check::Unknown => None,
                check => Some(check != Check::Damaged),
            },
            replayed: seen.replayed,
            end: segment.is_some_and(|segment| segment.end()),
            payload: segment.map(|segment| format::hex(segment.bytes())),
            announcement: seen
                .announcement
                .and_then(Result::ok)
                .map(|said| Said::new(&said)),
            problem: (!problems.is_empty()).then(|| problems.join("; ")),
        }
    }
}

impl lanes::Row for Row {
    /// Whether it is one more of the same without user data.
    fn repeats(&self, before: &Row) -> bool {
        let fills = self.payload.is_none() && self.id.is_some() && self.problem.is_none();
        fills
            && before.problem.is_none()
            && (self.lane, self.kind, self.good) == (before.lane, before.kind, before.good)
            && match (&self.announcement, &before.announcement) {
                (Some(said), Some(before)) => said.repeats(before),
                (said, before) => said == before,
            }
    }

    fn cells(&self, times: u64) -> Vec<String> {
        let mut says: Vec<String> = Vec::new();
        says.extend(self.announcement.as_ref().map(Said::text));
        if let Some(payload) = &self.payload {
            let end = if self.end { " end" } else { "" };
            says.push(format!("{payload}{end}"));
        }
        if self.replayed {
            says.push("replayed".to_owned());
        }
        says.extend(self.problem.clone());
        vec![
            self.lane.to_string(),
            format!("{}.{}", self.place.word, self.place.bit),
            if times > 1 {
                format!("x {}", format::thousands(times))
            } else {
                String::new()
            },
            self.kind.to_owned(),
            self.id.map_or_else(|| "-".to_owned(), |id| id.to_string()),
            match self.good {
                Some(true) => "good",
                Some(false) => "BAD",
                None => "-",
            }
            .to_owned(),
            self.payload
                .as_ref()
                .map_or_else(|| "-".to_owned(), |digits| (digits.len() / 2).to_string()),
            says.join("; "),
        ]
    }
}

impl Summary {
    fn count(&mut self, seen: &Seen) {
        self.frames += 1;
        match seen.check {
            Check::Damaged => self.damaged += 1,
            Check::Jump => self.jumps += 1,
            Check::Good | Check::Unknown => {}
        }
        let mut requests = self.last.requests;
        match seen.kind {
            Some(Kind::User { bytes, end }) => {
                self.data += 1;
                self.replayed += u64::from(seen.replayed);
                if !seen.replayed {
                    self.bytes += u64::from(bytes);
                    self.packets += u64::from(end);
                }
            }
            Some(Kind::Invalid) => self.empty += 1,
            Some(Kind::FlowStop | Kind::FlowResume) => self.flow += 1,
            Some(Kind::Control(Control::Idle)) => {
                self.idle += 1;
                requests = false;
            }
            Some(Kind::Control(Control::PauseRequest)) => {
                self.pause_requests += 1;
                requests = false;
            }
            Some(Kind::Control(Control::RetransmitRequest)) => {
                self.retransmit_requests += 1;
                requests = true;
            }
            _ => {}
        }
        if seen.plain.is_data() && seen.kind.is_some() {
            self.replays += u64::from(seen.replayed && !self.last.replayed);
            self.last.replayed = seen.replayed;
        }
        match seen.announcement {
            Some(Ok(said)) => self.announced(&said),
            _ => self.requests += u64::from(requests && !self.last.requests),
        }
        self.last.requests = requests;
    }

    fn announced(&mut self, said: &Announcement) {
        let session = format!("{:04x}", said.session);
        // Before it has heard its peer an end draws numbers.
        let settled = matches!(said.phase, Phase::Ready | Phase::Up);
        if settled && self.sessions.last() != Some(&session) {
            self.sessions.push(session);
            self.last.request = None;
        }
        if let Detail::Sequence(sequence) = said.detail
            && sequence.ask
            && self.last.request != Some(sequence.ask_n)
        {
            self.requests += 1;
            self.last.request = Some(sequence.ask_n);
        }
    }

    fn is_good(&self) -> bool {
        self.stretches.len() == 1 && self.damaged == 0 && self.jumps == 0
    }

    /// What there is of the lane beside the counts.
    fn text(&self, style: Style) -> String {
        let Some(first) = self.stretches.first() else {
            return style.bad(&format!(
                "lane {}: no frames in {}",
                self.lane,
                plural(self.words, "word")
            )) + "\n";
        };
        let mut text = format!(
            "lane {}: frames from word {} bit {} on",
            self.lane, first.place.word, first.place.bit
        );
        if let Some(width) = self.id_width {
            text += &format!(", id width {width}");
        }
        if self.strong_code {
            text += ", stronger code";
        }
        text += &format!(
            ", {} of {} of the user",
            plural(self.packets, "packet end"),
            format::bytes(self.bytes)
        );
        if !self.sessions.is_empty() {
            text += &format!(", sessions {}", self.sessions.join(" "));
        }
        for lost in &self.stretches[1..] {
            text += &style.bad(&format!(
                ", alignment found anew at word {} bit {}",
                lost.place.word, lost.place.bit
            ));
        }
        text + "\n"
    }

    fn cells(&self) -> [String; 13] {
        [
            self.lane.to_string(),
            format::thousands(self.frames),
            format::thousands(self.data),
            format::thousands(self.empty),
            format::thousands(self.flow),
            format::thousands(self.idle),
            format::thousands(self.pause_requests),
            format::thousands(self.retransmit_requests),
            format::thousands(self.damaged),
            format::thousands(self.jumps),
            format::thousands(self.requests),
            format::thousands(self.replays),
            format::thousands(self.replayed),
        ]
    }
}

impl Decoded {
    fn text(&self, style: Style) -> String {
        let mut text = lanes::table(
            [
                "lane", "word", "times", "kind", "id", "code", "bytes", "says",
            ],
            &self.frames,
            style,
        );
        for lane in &self.lanes {
            text += &lane.text(style);
        }
        let mut table = Table::new([
            "lane",
            "frames",
            "data",
            "empty",
            "flow",
            "idle",
            "pause",
            "retransmit",
            "damaged",
            "jumps",
            "requests",
            "replays",
            "replayed",
        ]);
        for lane in &self.lanes {
            table.row(lane.cells());
        }
        text += &table.render(style);
        let said = if self.ok {
            style.good("every frame is good")
        } else {
            let damaged: u64 = self.lanes.iter().map(|lane| lane.damaged).sum();
            let whole = self.lanes.iter().all(|lane| lane.stretches.len() == 1);
            let lost = if whole {
                ""
            } else {
                ", and not all is aligned"
            };
            style.bad(&format!("{} damaged{lost}", plural(damaged, "frame")))
        };
        text + &said + "\n"
    }
}

/// The words of a file whose words are whole frames: their first word of 64 bits is on top.
fn frames(recording: &Recording) -> Option<Vec<Vec<u64>>> {
    let limbs = (recording.width() / u64::BITS) as usize;
    let turn = |lane: &Vec<u64>| {
        let frames = lane.chunks(limbs);
        frames
            .flat_map(|frame| frame.iter().rev().copied())
            .collect()
    };
    (limbs > 1).then(|| recording.lanes().iter().map(turn).collect())
}

/// The lanes, and the width of their frames.
fn read(options: &DecodeRifl) -> Result<(Vec<Lane>, FrameWidth), Failure> {
    let mut wide = Vec::new();
    let lanes = lanes::read(&options.lanes, |recording| {
        wide.push(recording.width());
        Ok(frames(recording))
    })?;
    let mut width = options.frame_width;
    for (file, bits) in options.lanes.files.iter().zip(wide) {
        if bits <= u64::BITS {
            continue;
        }
        let frame = FrameWidth::new(bits).ok();
        let frame = frame.filter(|frame| DECODED_WIDTHS.contains(&frame.bits()));
        let fits = frame.is_some_and(|frame| *width.get_or_insert(frame) == frame);
        if !fits {
            let frames = width.map_or_else(
                || "frames of 128, 256, 512, 1024 or 2048 bits".to_owned(),
                |width| format!("frames of {width} bits"),
            );
            return Err(Failure::BadInput(format!(
                "{}: words of {bits} bits; accepted: words of the line of 4 to 64 bits, or {frames}",
                file.display()
            )));
        }
    }
    Ok((lanes, width.unwrap_or(FrameWidth::W256)))
}

/// What to say if no lane has frames: which ones would be there.
fn nowhere(lanes: &[Lane], width: FrameWidth) -> Failure {
    let words: u64 = lanes.iter().map(|lane| lane.words).sum();
    let others = DECODED_WIDTHS.iter().filter(|&&bits| {
        let other = FrameWidth::new(bits.into()).ok();
        other.is_some_and(|other| {
            lanes
                .iter()
                .any(|lane| !stretches(&lane.bits, other).is_empty())
        })
    });
    let others: Vec<String> = others.map(|bits| format!("--frame-width {bits}")).collect();
    let hint = if others.is_empty() {
        format!(
            "accepted: 35 or more frames of {width} bits without a gap, with bit 0 of each word the first on the line"
        )
    } else {
        format!("with {} there are some", others.join(" or "))
    };
    Failure::BadInput(format!(
        "no frames of {width} bits in {}; {hint}",
        plural(words, "word")
    ))
}

/// Runs the subcommand.
///
/// # Errors
/// A file cannot be read, or has no lanes of such frames.
pub fn execute(options: &DecodeRifl) -> Result<u8, Failure> {
    let (lanes, width) = read(options)?;
    let mut decoded = Decoded {
        ok: true,
        files: lanes::names(&options.lanes.files),
        frame_width: width.bits(),
        extended: !options.compatible,
        lanes: Vec::new(),
        frames: Vec::new(),
    };
    for (number, lane) in lanes.iter().enumerate() {
        let found = stretches(&lane.bits, width);
        let mut summary = Summary {
            lane: number,
            words: lane.words,
            ..Summary::default()
        };
        if !found.is_empty() {
            let id = options.id_width.map(|bits| IdWidth::new(bits.into()));
            let id = id.transpose().map_err(Failure::refused)?;
            let params = lane_params(&lane.bits, width, id, &found, decoded.extended);
            take(lane, params, &found, &mut summary, &mut decoded);
        }
        decoded.ok &= summary.is_good();
        decoded.lanes.push(summary);
    }
    if decoded.frames.is_empty() {
        return Err(nowhere(&lanes, width));
    }
    super::print(
        "decode rifl",
        options.lanes.json,
        &decoded,
        decoded.ok,
        |style| decoded.text(style),
    )
}

/// Takes the frames of a lane.
fn take(
    lane: &Lane,
    params: LaneParams,
    found: &[Stretch],
    summary: &mut Summary,
    decoded: &mut Decoded,
) {
    summary.id_width = Some(params.id().bits());
    summary.strong_code = params.frame().strong_code();
    let taken = dissect(&lane.bits, params, found, decoded.extended, |bit, seen| {
        summary.count(&seen);
        let row = Row::new(summary.lane, lane.place(bit), &seen);
        decoded.frames.push(row);
    });
    summary.stretches = taken
        .iter()
        .map(|stretch| Found {
            place: lane.place(stretch.bit),
            frames: stretch.frames,
        })
        .collect();
}
