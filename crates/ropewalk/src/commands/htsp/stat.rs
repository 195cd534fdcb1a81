// SPDX-License-Identifier: Apache-2.0
//! `ropewalk htsp stat`: what goes over a link, by sender and channel. It sends nothing.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::stop::{note, stop_on_signal, stopped};
use ropewalk_console::table::{Style, Table};
use ropewalk_io::htsp::Fault;
use ropewalk_io::packet::Options;
use ropewalk_io::{Arrival, PacketLink, RawLink};
use ropewalk_wire::htsp::frame::{Frame, MAX_CHANNELS};
use serde::Serialize;

use crate::cli::HtspStat;
use crate::watch::overheard::Watched;

/// Longest wait without a look at the clock.
const LOOK: Duration = Duration::from_millis(20);
/// Distance to the awaited number from which on a frame is an earlier one.
const STALE: u8 = 128;

/// What a sender has sent on a channel.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct Channel {
    pub vc: u8,
    pub bursts: u64,
    pub bytes: u64,
    pub frames: u64,
    pub errored: u64,
    /// This sender does not want to be sent this channel.
    pub pauses: bool,
}

/// A sender.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Sender {
    pub mac: String,
    pub frames: u64,
    headers_alone: u64,
    pub bad: u64,
    pub missing: u64,
    pub stale: u64,
    pub link_ready: bool,
    pub vc: Vec<Channel>,
    #[serde(skip)]
    awaited: Option<u8>,
}

impl Sender {
    pub fn new(mac: String) -> Self {
        let channel = |vc| Channel {
            vc,
            ..Channel::default()
        };
        Self {
            mac,
            vc: (0..MAX_CHANNELS).map(channel).collect(),
            ..Self::default()
        }
    }

    fn frame(&mut self, frame: &Frame) {
        let header = &frame.header;
        self.frames += 1;
        let missing = self
            .awaited
            .map_or(0, |awaited| header.tid.wrapping_sub(awaited));
        if missing >= STALE {
            self.stale += 1;
            return;
        }
        self.missing += u64::from(missing);
        self.awaited = Some(header.tid.wrapping_add(1));
        self.link_ready = header.link_ready;
        let mut pause = header.pause;
        match frame.payload {
            None => self.headers_alone += 1,
            Some((payload, footer)) => {
                pause = footer.pause;
                if let Some(channel) = self.vc.get_mut(usize::from(header.channel)) {
                    channel.bursts += 1;
                    channel.bytes += payload.len() as u64;
                    channel.frames += u64::from(footer.end && !footer.error);
                    channel.errored += u64::from(footer.error);
                }
            }
        }
        for channel in &mut self.vc {
            channel.pauses = pause >> channel.vc & 1 != 0;
        }
    }
}

/// The object that `--json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    interface: String,
    seconds: f64,
    /// Frames that this command missed itself.
    ring_drops: u64,
    senders: Vec<Sender>,
}

/// Runs the subcommand.
///
/// # Errors
/// The interface cannot be opened.
pub fn execute(options: &HtspStat) -> Result<u8, Failure> {
    stop_on_signal();
    let opened = Options {
        ethertype: Some(options.ethertype),
        monitor: true,
        ..Options::default()
    };
    let mut link = PacketLink::open(&options.interface, &opened)
        .map_err(|error| Failure::network(Fault::Open(error)))?;
    for text in link.notes() {
        note(options.json, text);
    }
    let failed = |error| Failure::network(Fault::Link(error));
    let brief = options.json && options.watch.is_none();
    let default = brief.then_some(Duration::from_secs(1));
    let length = options.duration.or(default).unwrap_or(Duration::MAX);
    let (begun, mut shown) = (Instant::now(), Instant::now());
    let mut senders = BTreeMap::<[u8; 6], Sender>::new();
    let mut before = BTreeMap::new();
    let mut watched = Watched::open(options)?;
    let style = Style::new(format::colour_wanted(&std::io::stdout()));
    while !stopped() && begun.elapsed() < length {
        let any = link
            .receive(&mut |arrival| match arrival {
                // Its own losses say nothing of the link: the numbers begin anew.
                Arrival::Gap => senders.values_mut().for_each(|it| it.awaited = None),
                Arrival::Frame { bytes, .. } => take(&mut senders, bytes),
            })
            .map_err(failed)?;
        if !any {
            link.wait(LOOK, false).map_err(failed)?;
        }
        if let Some(watched) = &mut watched {
            watched.update(senders.values(), link.drops());
        }
        if !options.json && shown.elapsed() >= options.every {
            let text = table(&senders, &before, shown.elapsed(), style);
            write!(std::io::stdout(), "{text}")?;
            before = snapshot(&senders);
            shown = Instant::now();
        }
    }
    let senders: Vec<Sender> = senders.into_values().collect();
    let summary = Summary {
        ok: senders.iter().all(|it| it.bad + it.missing + it.stale == 0),
        interface: options.interface.clone(),
        seconds: begun.elapsed().as_secs_f64(),
        ring_drops: link.drops(),
        senders,
    };
    if options.json {
        json::write(&mut std::io::stdout(), "htsp stat", &summary)?;
    }
    Ok(u8::from(!summary.ok))
}

/// Takes note of a frame, with whatever is wrong with it.
fn take(senders: &mut BTreeMap<[u8; 6], Sender>, bytes: &[u8]) {
    let Some(mac) = bytes
        .get(6..12)
        .and_then(|mac| <[u8; 6]>::try_from(mac).ok())
    else {
        return;
    };
    let name = ropewalk_wire::htsp::Mac(mac).to_string();
    let sender = senders.entry(mac).or_insert_with(|| Sender::new(name));
    match Frame::decode(bytes) {
        Ok(frame) => sender.frame(&frame),
        Err(_) => sender.bad += 1,
    }
}

/// Bytes of every channel so far.
fn snapshot(senders: &BTreeMap<[u8; 6], Sender>) -> BTreeMap<([u8; 6], u8), u64> {
    let all = senders.iter();
    all.flat_map(|(mac, sender)| sender.vc.iter().map(|it| ((*mac, it.vc), it.bytes)))
        .collect()
}

fn table(
    senders: &BTreeMap<[u8; 6], Sender>,
    before: &BTreeMap<([u8; 6], u8), u64>,
    elapsed: Duration,
    style: Style,
) -> String {
    if senders.is_empty() {
        return "no frames\n".to_owned();
    }
    let mut table = Table::new([
        "sender", "channel", "Gb/s", "bytes", "frames", "errored", "pauses", "notes",
    ]);
    for (mac, sender) in senders {
        let mut notes = Vec::new();
        if !sender.link_ready {
            notes.push("no link".to_owned());
        }
        for (count, what) in [
            (sender.bad, "bad"),
            (sender.missing, "missing"),
            (sender.stale, "late"),
        ] {
            if count > 0 {
                notes.push(format!("{} {what}", format::thousands(count)));
            }
        }
        let row = |name: String, channel: String, notes: String| [name, channel, notes];
        let [name, all, notes] = row(sender.mac.clone(), "all".to_owned(), notes.join(", "));
        let sum = |count: fn(&Channel) -> u64| sender.vc.iter().map(count).sum::<u64>();
        let rate = |bytes: u64| format::significant(super::gbps(bytes, elapsed), 3);
        let new = |it: &Channel| it.bytes - before.get(&(*mac, it.vc)).copied().unwrap_or(0);
        let pausing = sender.vc.iter().filter(|it| it.pauses).count();
        table.row([
            name,
            all,
            rate(sender.vc.iter().map(new).sum()),
            format::thousands(sum(|it| it.bytes)),
            format::thousands(sum(|it| it.frames)),
            format::thousands(sum(|it| it.errored)),
            pausing.to_string(),
            notes,
        ]);
        for it in sender.vc.iter().filter(|it| it.bursts > 0 || it.pauses) {
            table.row([
                String::new(),
                it.vc.to_string(),
                rate(new(it)),
                format::thousands(it.bytes),
                format::thousands(it.frames),
                format::thousands(it.errored),
                if it.pauses { "yes" } else { "" }.to_owned(),
                String::new(),
            ]);
        }
    }
    format!("{}\n", table.render(style))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropewalk_wire::htsp::{Endpoint, Last, Mac, Params};

    /// Two ends in memory, watched; then a frame goes missing and one is damaged.
    #[test]
    fn a_link_is_watched() {
        let end = |last| Endpoint::new(Params::new(Mac([2, 0, 0, 0, 0, last]))).unwrap();
        let (mut near, mut far) = (end(1), end(2));
        let mut senders = BTreeMap::new();
        let now = Duration::ZERO;
        near.push(3, &[7; 100], Last::Yes).unwrap();
        for _ in 0..4 {
            while let Some(frame) = near.poll_transmit(now) {
                take(&mut senders, &frame);
                far.receive(now, &frame, false);
            }
            while let Some(frame) = far.poll_transmit(now) {
                take(&mut senders, &frame);
                near.receive(now, &frame, false);
            }
        }
        let sender = &senders[&[2, 0, 0, 0, 0, 1]];
        let channel = sender.vc[3];
        assert_eq!((channel.bytes, channel.frames, channel.bursts), (100, 1, 1));
        assert!(sender.link_ready && sender.missing + sender.bad + sender.stale == 0);
        near.push(3, &[7; 100], Last::Error).unwrap();
        let first = near.poll_transmit(now).unwrap();
        near.push(0, &[7; 100], Last::Yes).unwrap();
        let mut second = near.poll_transmit(now).unwrap();
        take(&mut senders, &second);
        take(&mut senders, &first);
        second[64 + 128] ^= 0xff;
        take(&mut senders, &second);
        take(&mut senders, &[0; 8]);
        let sender = &senders[&[2, 0, 0, 0, 0, 1]];
        assert_eq!((sender.missing, sender.stale, sender.bad), (1, 1, 1));
        let text = table(
            &senders,
            &BTreeMap::new(),
            Duration::from_secs(1),
            Style::new(false),
        );
        assert!(text.contains("1 bad, 1 missing, 1 late"), "{text}");
    }
}
