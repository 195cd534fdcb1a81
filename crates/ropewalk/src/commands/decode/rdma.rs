// SPDX-License-Identifier: Apache-2.0
//! `ropewalk decode rdma`: the packets of engines in recorded words of their network.

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::table::{Style, Table};
use ropewalk_io::recording::Recording;
use ropewalk_wire::rdma::dissect::{Fault, Found, Framing, dissect};
use ropewalk_wire::rdma::packed::{WORD, Word};
use ropewalk_wire::rdma::{Kind, Packet};
use ropewalk_wire::switch::{self, Body};
use serde::Serialize;

use super::lanes;
use super::plural;
use crate::cli::LaneFiles;

/// Bytes of payload that the text shows.
const SHOWN: usize = 16;
/// Bits of a word.
const BITS: u32 = 8 * WORD as u32;

/// What a good packet says.
#[derive(Debug, Serialize)]
struct Said {
    source: u16,
    destination: u16,
    /// Place at the destination.
    address: u64,
    tid: u16,
    sequence: u16,
    epoch: u8,
    domain: u16,
    index: u8,
    last: u8,
    notify: bool,
    managed: bool,
    tries: u8,
    transfer: u16,
    /// Data of a read: epoch of the node that requested them.
    asked: Option<u8>,
    qos: u32,
    marked: bool,
    echo: bool,
    payload: String,
}

/// A packet, or a word of none.
#[derive(Debug, Serialize)]
struct Row {
    /// Bus, in the order of the files.
    bus: usize,
    /// Word of the file, from 1.
    word: u64,
    /// Lane of 16 bytes in it.
    lane: usize,
    kind: &'static str,
    framing: Option<&'static str>,
    /// None: it is no packet of an engine, or the recording ends in it.
    good: Option<bool>,
    packet: Option<Said>,
    problem: Option<String>,
}

/// All of the files.
#[derive(Debug, Default, Serialize)]
struct Decoded {
    ok: bool,
    files: Vec<String>,
    words: u64,
    packets: u64,
    data: u64,
    messages: u64,
    controls: u64,
    acks: u64,
    nacks: u64,
    read_requests: u64,
    /// Packets that were sent before under another sequence number.
    retries: u64,
    damaged: u64,
    /// Words of a network of switches that carry credits, notices of lost packets in it.
    credits: u64,
    notices: u64,
    payload_bytes: u64,
    frames: Vec<Row>,
}

const fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Data => "data",
        Kind::Message => "message",
        Kind::Control => "control",
        Kind::Ack => "ACK",
        Kind::Nack => "NACK",
        Kind::ReadRequest => "read request",
    }
}

impl Said {
    fn new(packet: &Packet) -> Self {
        let Packet {
            header,
            payload,
            footer,
        } = packet;
        Said {
            source: header.source,
            destination: (header.address >> 48) as u16,
            address: header.address & ((1 << 48) - 1),
            tid: header.tid,
            sequence: header.sequence.value(),
            epoch: header.epoch,
            domain: header.domain,
            index: footer.index,
            last: footer.last,
            notify: footer.notify,
            managed: footer.managed,
            tries: footer.tries,
            transfer: footer.transfer,
            asked: footer.asked,
            qos: footer.qos,
            marked: footer.marked,
            echo: footer.echo,
            payload: format::hex(payload),
        }
    }

    fn text(&self) -> String {
        let mut text = vec![format!(
            "domain {}, transfer {}, epoch {}",
            self.domain, self.transfer, self.epoch
        )];
        if self.qos > 0 {
            text.push(format!("QoS {}", self.qos));
        }
        if self.tries > 0 {
            text.push(format!("sent {} times before", self.tries));
        }
        text.extend(self.asked.map(|epoch| format!("of a read, epoch {epoch}")));
        for (set, what) in [
            (self.notify, "notify"),
            (self.managed, "of a flow"),
            (self.marked, "marked"),
            (self.echo, "echo of a mark"),
        ] {
            if set {
                text.push(what.to_owned());
            }
        }
        if !self.payload.is_empty() {
            let all = &self.payload;
            let first = all.get(..2 * SHOWN).map(|first| format!("{first}.."));
            text.push(first.unwrap_or_else(|| all.clone()));
        }
        text.join(", ")
    }
}

/// What a word is that is no packet of an engine, in a network of switches.
fn of_network(word: &Word) -> Option<&'static str> {
    match switch::Header::read(word).ok()?.body {
        Body::Credits { .. } => Some("credits"),
        Body::Notice(..) => Some("notice"),
        Body::Data(..) => None,
    }
}

impl Row {
    fn new(bus: usize, found: &Found, word: &Word) -> Self {
        let network = match found.packet {
            Err(Fault::NoHeader(_)) => of_network(word),
            _ => None,
        };
        let problem = match &found.packet {
            Err(_) if network.is_some() => None,
            Err(fault) => Some(fault.to_string()),
            Ok(_) => None,
        };
        Row {
            bus,
            word: found.word as u64 + 1,
            lane: found.lane,
            kind: match &found.packet {
                Ok(packet) => name(packet.header.kind),
                Err(_) => network.unwrap_or("-"),
            },
            framing: found.framing.map(|framing| match framing {
                Framing::Words => "words",
                Framing::Packed => "packed",
            }),
            good: match &found.packet {
                Ok(_) => Some(true),
                Err(Fault::Open) => None,
                Err(_) if network.is_some() => None,
                Err(_) => Some(false),
            },
            packet: found.packet.as_ref().ok().map(Said::new),
            problem,
        }
    }

    fn cells(&self) -> [String; 11] {
        let of = |text: &dyn Fn(&Said) -> String| {
            self.packet.as_ref().map_or_else(|| "-".to_owned(), text)
        };
        let says = self.packet.as_ref().map(Said::text);
        let says: Vec<String> = says.into_iter().chain(self.problem.clone()).collect();
        [
            self.bus.to_string(),
            format!("{}.{}", self.word, self.lane),
            self.kind.to_owned(),
            of(&|it| it.source.to_string()),
            of(&|it| it.destination.to_string()),
            of(&|it| it.tid.to_string()),
            of(&|it| it.sequence.to_string()),
            of(&|it| format!("{}/{}", it.index, it.last)),
            of(&|it| format!("{:012x}", it.address)),
            of(&|it| (it.payload.len() / 2).to_string()),
            match self.good {
                Some(true) => "good",
                Some(false) => "BAD",
                None => "-",
            }
            .to_owned()
                + if says.is_empty() { "" } else { "  " }
                + &says.join("; "),
        ]
    }
}

impl Decoded {
    fn take(&mut self, bus: usize, found: &Found, word: &Word) {
        let row = Row::new(bus, found, word);
        match &found.packet {
            Ok(packet) => {
                self.packets += 1;
                let count = match packet.header.kind {
                    Kind::Data => &mut self.data,
                    Kind::Message => &mut self.messages,
                    Kind::Control => &mut self.controls,
                    Kind::Ack => &mut self.acks,
                    Kind::Nack => &mut self.nacks,
                    Kind::ReadRequest => &mut self.read_requests,
                };
                *count += 1;
                self.retries += u64::from(packet.footer.tries > 0);
                self.payload_bytes += packet.payload.len() as u64;
            }
            Err(_) => match row.kind {
                "credits" => self.credits += 1,
                "notice" => self.notices += 1,
                _ => self.damaged += u64::from(row.good == Some(false)),
            },
        }
        self.frames.push(row);
    }

    fn text(&self, style: Style) -> String {
        let mut table = Table::new([
            "bus", "word", "kind", "from", "to", "TID", "number", "packet", "address", "bytes",
            "CRC",
        ])
        .left();
        for row in &self.frames {
            table.row(row.cells());
        }
        let mut text = String::new();
        if !self.frames.is_empty() {
            text += &table.render(style);
            text.push('\n');
        }
        let kinds: Vec<String> = [
            (self.data, "data"),
            (self.messages, "message"),
            (self.controls, "control"),
            (self.acks, "ACK"),
            (self.nacks, "NACK"),
            (self.read_requests, "read request"),
            (self.credits, "credits of the network"),
            (self.notices, "notice of the network"),
        ]
        .iter()
        .filter(|kind| kind.0 > 0)
        .map(|(count, what)| format!("{} {what}", format::thousands(*count)))
        .collect();
        text += &format!(
            "{} in {}, {} of payload",
            plural(self.packets, "packet"),
            plural(self.words, "word"),
            format::bytes(self.payload_bytes)
        );
        if !kinds.is_empty() {
            text += &format!(": {}", kinds.join(", "));
        }
        if self.retries > 0 {
            text += &format!("; {} sent before", format::thousands(self.retries));
        }
        let said = if self.ok {
            style.good("every packet is good")
        } else {
            style.bad(&plural(self.damaged, "damaged packet or word of none"))
        };
        text + &format!("\n{said}\n")
    }
}

/// The words of a bus: byte 0 is in the lowest bits of a number.
fn words(limbs: &[u64]) -> Vec<Word> {
    let words = limbs.chunks(WORD / 8);
    words
        .map(|limbs| {
            let mut word = [0; WORD];
            for (place, limb) in word.chunks_mut(8).zip(limbs) {
                place.copy_from_slice(&limb.to_le_bytes());
            }
            word
        })
        .collect()
}

/// Runs the subcommand.
///
/// # Errors
/// A file cannot be read, or has other words.
pub fn execute(options: &LaneFiles) -> Result<u8, Failure> {
    let mut decoded = Decoded {
        files: lanes::names(&options.files),
        ..Decoded::default()
    };
    let mut widths = Vec::new();
    let buses = lanes::read(options, |recording: &mut Recording| {
        widths.push(recording.width());
        Ok(None)
    })?;
    let wrong = options.files.iter().zip(widths);
    let wrong = wrong.filter(|file| !options.binary && file.1 != BITS);
    if let Some((file, bits)) = wrong.into_iter().next() {
        return Err(Failure::BadInput(format!(
            "{}: words of {bits} bits; accepted: words of {BITS} bits, byte 0 in the lowest two of 128 digits",
            file.display()
        )));
    }
    for (bus, lane) in buses.iter().enumerate() {
        let words = words(&lane.bits);
        decoded.words += words.len() as u64;
        dissect(&words, |found| {
            decoded.take(bus, &found, &words[found.word])
        });
    }
    decoded.ok = decoded.damaged == 0;
    super::print("decode rdma", options.json, &decoded, decoded.ok, |style| {
        decoded.text(style)
    })
}
