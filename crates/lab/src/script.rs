// SPDX-License-Identifier: Apache-2.0
//! Traffic that is written down beat by beat in a CSV file, and the table of what became of it.
//!
//! The file has a header line; the columns are found by their names:
//!
//! | column | content | if it is absent or empty |
//! |---|---|---|
//! | `bytes` | hexadecimal digits, or LENGTH@SEED for LENGTH random bytes | an idle row |
//! | `last` | 1: the packet ends with this row, 0: it goes on | 1 |
//! | `wait` | user clock cycles without a beat before this row | 0; in an idle row 1 |
//! | `cycle` | the earliest user clock cycle of this row, counted from link-up | no condition |
//! | `direction` | `ab` or `ba` | `ab` |
//!
//! A row may be longer than a beat: it is sent as beats one behind the other. Each direction has
//! its own time. Lines that begin with # are comments.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord, Trim};
use ropewalk_channel::seed::Seeds;
use ropewalk_console::failure::Failure;
use ropewalk_sim::rifl::{Due, PacketSource, RunResult, Verdict};

use crate::source;
use crate::units::MAX_PACKET_BYTES;

/// The columns.
const COLUMNS: [&str; 5] = ["direction", "cycle", "wait", "bytes", "last"];
/// The columns of [`times`].
const TIMES: [&str; 9] = [
    "direction",
    "packet",
    "bytes",
    "accepted_ns",
    "first_ns",
    "last_ns",
    "latency_cycles",
    "latency_ns",
    "verdict",
];
/// The most cycles of one wait, and the highest cycle.
const MAX_CYCLES: u64 = 1 << 40;

/// What a row sends.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Given(Vec<u8>),
    Random { length: usize, seed: u64 },
}

impl Content {
    fn len(&self) -> usize {
        match self {
            Self::Given(bytes) => bytes.len(),
            Self::Random { length, .. } => *length,
        }
    }

    fn append_to(&self, packet: &mut Vec<u8>) {
        match self {
            Self::Given(bytes) => packet.extend_from_slice(bytes),
            Self::Random { length, seed } => {
                let mut seeds = Seeds::new(*seed);
                let end = packet.len() + length;
                while packet.len() < end {
                    let rest = end - packet.len();
                    packet.extend_from_slice(&seeds.next_seed().to_le_bytes()[..rest.min(8)]);
                }
            }
        }
    }
}

/// A row with bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    due: Due,
    content: Content,
}

/// The traffic of one direction.
#[derive(Clone, Default)]
pub struct Script {
    rows: Vec<Row>,
    /// The rows of each packet.
    packets: Vec<Range<usize>>,
    /// The next packet.
    next: usize,
    /// Where the rows of the packet that was given out begin, in bytes, and when they are due.
    begins: Vec<(usize, Due)>,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Script({} packets)", self.packets.len())
    }
}

impl Script {
    /// Whether it sends anything.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Packets.
    pub fn packets(&self) -> u64 {
        self.packets.len() as u64
    }

    /// Bytes of all packets.
    pub fn bytes(&self) -> u64 {
        self.rows.iter().map(|row| row.content.len() as u64).sum()
    }

    /// User clock cycles in which it waits, at most.
    pub fn idle_cycles(&self) -> u64 {
        let mut idle = 0u64;
        for row in &self.rows {
            idle = match row.due {
                Due::After(wait) => idle.saturating_add(wait),
                Due::At(cycle) => idle.max(cycle),
            };
        }
        idle
    }
}

impl PacketSource for Script {
    fn total(&self) -> u64 {
        self.packets()
    }

    fn next_packet(&mut self, packet: &mut Vec<u8>) -> bool {
        packet.clear();
        self.begins.clear();
        let Some(rows) = self.packets.get(self.next) else {
            return false;
        };
        self.next += 1;
        for row in &self.rows[rows.clone()] {
            self.begins.push((packet.len(), row.due));
            row.content.append_to(packet);
        }
        true
    }

    fn due(&mut self, offset: usize) -> Due {
        let row = self.begins.binary_search_by_key(&offset, |begin| begin.0);
        row.map_or(Due::NOW, |index| self.begins[index].1)
    }
}

/// Where something is wrong.
struct Place<'a> {
    path: &'a Path,
    line: u64,
}

impl Place<'_> {
    fn refuse<T>(&self, column: &str, value: &str, accepted: &str) -> Result<T, Failure> {
        Err(Failure::BadInput(format!(
            "{} line {}, column {column}: '{value}'; accepted: {accepted}",
            self.path.display(),
            self.line
        )))
    }
}

/// Reads the traffic of both directions, A to B and B to A. `beat_bytes` is the width of the user's
/// interface.
///
/// # Errors
/// One line with the file, the line, the column and what would be accepted.
pub fn read(path: &Path, beat_bytes: usize) -> Result<[Script; 2], Failure> {
    parse(path, &source::read_file(path)?, beat_bytes)
}

fn parse(path: &Path, text: &[u8], beat_bytes: usize) -> Result<[Script; 2], Failure> {
    let mut reader = ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(Trim::All)
        .from_reader(text);
    let broken = |error: &csv::Error| {
        let line = error.position().map_or(1, |at| line_of(text, at));
        let what = match error.kind() {
            csv::ErrorKind::Utf8 { .. } => "it is not UTF-8; accepted: plain text".to_owned(),
            csv::ErrorKind::UnequalLengths {
                expected_len, len, ..
            } => {
                format!("{len} columns; accepted: {expected_len}, as many as in the first line")
            }
            _ => "it cannot be read as CSV".to_owned(),
        };
        Failure::BadInput(format!("{} line {line}: {what}", path.display()))
    };
    let header = reader.headers().map_err(|error| broken(&error))?.clone();
    let line = header.position().map_or(1, |at| line_of(text, at));
    let columns = columns(&Place { path, line }, &header)?;

    let mut builders = [Builder::default(), Builder::default()];
    let mut record = StringRecord::new();
    while reader
        .read_record(&mut record)
        .map_err(|error| broken(&error))?
    {
        let line = record.position().map_or(1, |at| line_of(text, at));
        let place = Place { path, line };
        let cell = |name: &str| {
            let column = COLUMNS.iter().position(|column| *column == name);
            let index = column.and_then(|column| columns[column]);
            index.and_then(|index| record.get(index)).unwrap_or("")
        };
        let direction = match cell("direction") {
            "" | "ab" => 0,
            "ba" => 1,
            other => return place.refuse("direction", other, "ab or ba"),
        };
        builders[direction].row(&place, &cell, beat_bytes)?;
    }
    for builder in &builders {
        if let Some(line) = builder.open {
            let place = Place { path, line };
            return place.refuse(
                "last",
                "0",
                "1, because the direction has no row behind this one",
            );
        }
    }
    let scripts = builders.map(|builder| builder.script);
    if scripts.iter().all(Script::is_empty) {
        return Err(Failure::BadInput(format!(
            "{} has no row with bytes; accepted: at least one packet",
            path.display()
        )));
    }
    Ok(scripts)
}

/// The times of every delivered packet of both directions, as CSV.
///
/// # Errors
/// The writer of the library failed, which it has no reason to do in memory.
pub fn times(result: &RunResult) -> std::io::Result<Vec<u8>> {
    let cycle_ns = result.time_ns / result.cycles.max(1) as f64;
    let ns = |fs: u64| format!("{:.3}", fs as f64 * 1e-6);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(TIMES)?;
    for (name, direction) in ["ab", "ba"].into_iter().zip(&result.directions) {
        for (number, packet) in direction.deliveries.iter().flatten().enumerate() {
            let (accepted, verdict) = match packet.verdict {
                Verdict::InOrder(accepted) => (Some(accepted), "in order"),
                Verdict::Early => (None, "early"),
                Verdict::Late => (None, "late"),
                Verdict::Duplicate => (None, "duplicate"),
                Verdict::Corrupt => (None, "corrupt"),
                Verdict::Aborted => (None, "aborted"),
            };
            let latency = accepted.map(|accepted| packet.first_fs.saturating_sub(accepted));
            let cycles = latency.map(|fs| (fs as f64 * 1e-6 / cycle_ns).round().to_string());
            let record = [
                name.to_owned(),
                number.to_string(),
                packet.bytes.to_string(),
                accepted.map(ns).unwrap_or_default(),
                ns(packet.first_fs),
                ns(packet.last_fs),
                cycles.unwrap_or_default(),
                latency.map(ns).unwrap_or_default(),
                verdict.to_owned(),
            ];
            writer.write_record(record)?;
        }
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

/// The line of a row: its position lies before the comments and empty lines above it.
fn line_of(text: &[u8], at: &csv::Position) -> u64 {
    let rest = usize::try_from(at.byte())
        .ok()
        .and_then(|byte| text.get(byte..));
    let skipped = rest
        .unwrap_or_default()
        .split(|&byte| byte == b'\n')
        .take_while(|line| matches!(line, [] | [b'\r'] | [b'#', ..]));
    at.line() + skipped.count() as u64
}

/// Which column of the file is which of [`COLUMNS`].
fn columns(place: &Place<'_>, header: &StringRecord) -> Result<[Option<usize>; 5], Failure> {
    let accepted = || format!("{} in the first line, each once", COLUMNS.join(", "));
    let mut found = [None; 5];
    for (index, name) in header.iter().enumerate() {
        match COLUMNS.iter().position(|column| *column == name) {
            Some(column) if found[column].is_none() => found[column] = Some(index),
            _ => return place.refuse(&(index + 1).to_string(), name, &accepted()),
        }
    }
    if found[3].is_none() {
        return place.refuse("bytes", "", &accepted());
    }
    Ok(found)
}

/// Puts the rows of one direction together.
#[derive(Default)]
struct Builder {
    script: Script,
    /// First row of the packet that goes on.
    first: usize,
    /// Bytes of it.
    length: usize,
    /// Line of the last row if the packet goes on behind it.
    open: Option<u64>,
    /// Idle cycles before the next row.
    idle: u64,
    /// The highest cycle so far.
    cycle: u64,
}

impl Builder {
    fn row<'a>(
        &mut self,
        place: &Place<'_>,
        cell: &impl Fn(&str) -> &'a str,
        beat_bytes: usize,
    ) -> Result<(), Failure> {
        let number = |name: &str| -> Result<Option<u64>, Failure> {
            match (cell(name), cell(name).parse::<u64>()) {
                ("", _) => Ok(None),
                (_, Ok(value)) if value <= MAX_CYCLES => Ok(Some(value)),
                (text, _) => place.refuse(name, text, &format!("0 to {MAX_CYCLES} cycles")),
            }
        };
        let (wait, cycle) = (number("wait")?, number("cycle")?);
        if wait.is_some() && cycle.is_some() {
            return place.refuse("cycle", cell("cycle"), "either wait or cycle in a row");
        }
        let last = match cell("last") {
            "" | "1" => true,
            "0" => false,
            other => return place.refuse("last", other, "0 or 1"),
        };
        if cell("bytes").is_empty() {
            if let Some(cycle) = cycle {
                return place.refuse("cycle", &cycle.to_string(), "wait, in a row without bytes");
            }
            if !cell("last").is_empty() {
                return place.refuse("last", cell("last"), "nothing, in a row without bytes");
            }
            self.idle = self.idle.saturating_add(wait.unwrap_or(1));
            return Ok(());
        }
        let content = content(place, cell("bytes"))?;
        self.length += content.len();
        if !last && content.len() % beat_bytes != 0 {
            let accepted =
                format!("a multiple of {beat_bytes} bytes where the packet goes on (whole beats)");
            return place.refuse("bytes", cell("bytes"), &accepted);
        }
        if self.length > MAX_PACKET_BYTES as usize {
            let accepted = format!(
                "packets of up to {MAX_PACKET_BYTES} bytes, this is {}",
                self.length
            );
            return place.refuse("bytes", cell("bytes"), &accepted);
        }
        let due = match cycle {
            Some(cycle) if cycle < self.cycle => {
                let accepted = format!("{} or later, as the rows before", self.cycle);
                return place.refuse("cycle", &cycle.to_string(), &accepted);
            }
            Some(cycle) => {
                self.cycle = cycle;
                Due::At(cycle)
            }
            None => Due::After(self.idle.saturating_add(wait.unwrap_or(0))),
        };
        self.idle = 0;
        self.script.rows.push(Row { due, content });
        self.open = (!last).then_some(place.line);
        if last {
            let end = self.script.rows.len();
            self.script.packets.push(self.first..end);
            (self.first, self.length) = (end, 0);
        }
        Ok(())
    }
}

fn content(place: &Place<'_>, text: &str) -> Result<Content, Failure> {
    let accepted = || {
        format!(
            "an even number of hexadecimal digits, or LENGTH@SEED with 1 to {MAX_PACKET_BYTES} bytes, such as 1500@7"
        )
    };
    if let Some((length, seed)) = text.split_once('@') {
        return match (length.parse::<u32>(), seed.parse::<u64>()) {
            (Ok(length @ 1..=MAX_PACKET_BYTES), Ok(seed)) => Ok(Content::Random {
                length: length as usize,
                seed,
            }),
            _ => place.refuse("bytes", text, &accepted()),
        };
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|value| value as u8);
    let bytes: Option<Vec<u8>> = text
        .as_bytes()
        .chunks(2)
        .map(|pair| match *pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        })
        .collect();
    match bytes {
        Some(bytes) => Ok(Content::Given(bytes)),
        // Long values are cut, so that the line stays one.
        None => place.refuse(
            "bytes",
            &text.chars().take(40).collect::<String>(),
            &accepted(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<[Script; 2], Failure> {
        parse(Path::new("t.csv"), text.as_bytes(), 4)
    }

    /// The bytes of a packet, and its rows: where they begin and when they are due.
    type Packet = (Vec<u8>, Vec<(usize, Due)>);

    /// All packets of a script.
    fn packets(script: &Script) -> Vec<Packet> {
        let (mut script, mut packet, mut all) = (script.clone(), Vec::new(), Vec::new());
        while script.next_packet(&mut packet) {
            let dues = (0..packet.len())
                .map(|offset| (offset, script.due(offset)))
                .filter(|(offset, due)| *due != Due::NOW || *offset == 0)
                .collect();
            all.push((packet.clone(), dues));
        }
        all
    }

    #[test]
    fn rows_become_packets() {
        let text = "direction, cycle, wait, bytes, last\n\
                    # a comment\n\
                    ab,,,00010203,0\n\
                    ba,,7,FF,\n\
                    ab,,,,\n\
                    ab,,2,,\n\
                    ab,,1,04,1\n\
                    ba,100,,0a0b0c0d0e,1\n";
        let [forward, backward] = parsed(text).unwrap();
        let expected = vec![0, 1, 2, 3, 4];
        assert_eq!(
            packets(&forward),
            [(expected, vec![(0, Due::NOW), (4, Due::After(4))])]
        );
        assert_eq!(
            packets(&backward),
            [
                (vec![0xff], vec![(0, Due::After(7))]),
                (vec![10, 11, 12, 13, 14], vec![(0, Due::At(100))]),
            ]
        );
        assert_eq!(
            (forward.packets(), forward.bytes(), forward.idle_cycles()),
            (1, 5, 4)
        );
        assert_eq!(backward.idle_cycles(), 100);
    }

    #[test]
    fn random_content_follows_from_its_seed() {
        let of = |text: &str| {
            packets(&parsed(&format!("bytes\n{text}\n")).unwrap()[0])[0]
                .0
                .clone()
        };
        assert_eq!(of("1500@7").len(), 1500);
        assert_eq!(of("1500@7"), of("1500@7"));
        assert_ne!(of("1500@7"), of("1500@8"));
        assert_eq!(of("13@7"), of("1500@7")[..13]);
    }

    #[test]
    fn refusals_name_line_and_column() {
        for (text, parts) in [
            (
                "bytes\nzz\n",
                &["t.csv line 2, column bytes: 'zz'", "hexadecimal", "1500@7"][..],
            ),
            ("bytes\n00\n\n# x\n012\n", &["line 5, column bytes: '012'"]),
            (
                "bytes\n0@1\n",
                &["line 2, column bytes: '0@1'", "1 to 1048576"],
            ),
            ("bytes\n9@x\n", &["'9@x'"]),
            ("bytes\n\u{e9}\u{e9}\n", &["line 2, column bytes"]),
            (
                "bytes,last\n00,2\n",
                &["line 2, column last: '2'", "0 or 1"],
            ),
            (
                "bytes,last\n000102,0\n",
                &["line 2, column bytes", "multiple of 4"],
            ),
            (
                "bytes,last\n00010203,0\n",
                &["line 2, column last: '0'", "no row behind"],
            ),
            (
                "bytes,last\n,1\n",
                &["line 2, column last", "without bytes"],
            ),
            (
                "bytes,wait\n00,-1\n",
                &["line 2, column wait: '-1'", "0 to"],
            ),
            (
                "bytes,cycle\n00,5\n00,4\n",
                &["line 3, column cycle: '4'", "5 or later"],
            ),
            (
                "bytes,cycle\n,5\n",
                &["line 2, column cycle", "without bytes"],
            ),
            (
                "bytes,cycle,wait\n00,5,1\n",
                &["column cycle: '5'", "either wait or cycle"],
            ),
            (
                "direction,bytes\nac,00\n",
                &["line 2, column direction: 'ac'", "ab or ba"],
            ),
            (
                "bytes,colour\n00,5\n",
                &[
                    "line 1, column 2: 'colour'",
                    "direction, cycle, wait, bytes, last",
                ],
            ),
            (
                "bytes,bytes\n00,00\n",
                &["line 1, column 2: 'bytes'", "each once"],
            ),
            ("wait\n1\n", &["line 1, column bytes: ''"]),
            ("bytes,last\n00\n", &["line 2: 1 columns; accepted: 2"]),
            ("bytes,wait\n,5\n", &["no row with bytes"]),
            (
                "bytes,last\n1048576@1,0\n1@1,1\n",
                &["line 3", "up to 1048576 bytes"],
            ),
        ] {
            let line = parsed(text).map(|_| ()).unwrap_err().to_string();
            assert!(!line.contains('\n'), "{line}");
            for part in parts {
                assert!(
                    line.contains(part),
                    "{text:?} gave '{line}', which lacks '{part}'"
                );
            }
        }
        let line = parse(Path::new("t.csv"), b"bytes\n\xff\xff\n", 4)
            .unwrap_err()
            .to_string();
        assert!(line.contains("line 2: it is not UTF-8"), "{line}");
    }
}
