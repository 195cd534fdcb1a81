// SPDX-License-Identifier: Apache-2.0
//! How far a transfer is, and what has held it up.

use super::super::head::Head;
use super::super::pipe::{LaneShown, Shown};
use super::read::Shared;
use parking_lot::Mutex;
use ropewalk_wire::chunk::SenderCounters;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Where the time of a transfer has gone, all attempts together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Phases {
    /// Until the receiver was found, and both knew each other.
    pub start: Duration,
    /// Until it was known what the receiver has already.
    pub compare: Duration,
    /// Until all that it did not have had arrived.
    pub transfer: Duration,
    /// Until it had everything on disk and in place, and had said so.
    pub finish: Duration,
}

/// One of [`Phases`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Start,
    Compare,
    Transfer,
    Finish,
}

/// The phase that an attempt is in.
pub(super) struct Clock {
    phase: Phase,
    since: Instant,
}

impl Default for Clock {
    fn default() -> Self {
        Clock {
            phase: Phase::Start,
            since: Instant::now(),
        }
    }
}

impl Clock {
    /// The next phase begins; the time of this one is added.
    pub fn next(&mut self, phase: Phase, phases: &mut Phases) {
        let now = Instant::now();
        let sum = match self.phase {
            Phase::Start => &mut phases.start,
            Phase::Compare => &mut phases.compare,
            Phase::Transfer => &mut phases.transfer,
            Phase::Finish => &mut phases.finish,
        };
        *sum += now - self.since;
        (self.phase, self.since) = (phase, now);
    }
}

/// How far a transfer is, or has come.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// Bytes of all files; of standard input those that have been read.
    pub total: u64,
    /// Bytes of blocks that were sent, or need not be.
    pub done: u64,
    /// Those that need not be: the receiver has them, or they are zeros.
    pub spared: u64,
    /// Of these, bytes of blocks that the receiver puts together, which are in older files there.
    pub reused: u64,
    /// Bytes that were handed to the lanes, with all that stands around them.
    pub sent: u64,
    /// Files that it has all of, where that is what was to be known.
    pub there: u64,
    /// Bytes of files that the receiver may have already, of which the hashes were compared.
    pub compared: u64,
    /// Bytes that the receiver has written.
    pub written: u64,
    /// Time in which it wrote and hashed.
    pub writing: Duration,
    /// Counters of all pipelines.
    pub counters: SenderCounters,
    /// Lanes.
    pub lanes: Vec<LaneShown>,
    /// Attempts that ended early.
    pub broken: u32,
    /// Where the time has gone.
    pub phases: Phases,
    /// What is not as it could be; at the end also what held the transfer up.
    pub notes: Vec<String>,
    /// Entries that were left out, as the notes say, when it has ended.
    pub left_out: u64,
}

impl Progress {
    /// The receiver says how much it has written.
    pub(super) fn written(&mut self, head: &Head, body: &[u8]) {
        self.written = head.place;
        if let Ok(millis) = body.try_into() {
            self.writing = Duration::from_millis(u64::from_be_bytes(millis));
        }
    }

    /// As far as the threads show.
    pub(super) fn look(&mut self, shared: &Shared, shown: &[Mutex<Shown>]) {
        self.done = shared.done.load(Ordering::Relaxed);
        self.spared = shared.spared.load(Ordering::Relaxed);
        self.reused = shared.reused.load(Ordering::Relaxed);
        self.sent = shared.sent.load(Ordering::Relaxed);
        self.compared = shared.compared.load(Ordering::Relaxed);
        self.there = shared.there.load(Ordering::Relaxed);
        let listed = shared.source.get().map_or(0, |source| source.tally.bytes);
        self.total = listed.max(self.done);
        self.counters = SenderCounters::default();
        self.lanes.clear();
        for shown in shown {
            let shown = shown.lock();
            self.counters.add(&shown.counters);
            self.lanes.extend(&shown.lanes);
        }
    }

    /// Adds what has held the transfer up.
    pub(super) fn explain(&mut self, shown: &[Mutex<Shown>], time: Duration) {
        let (mut busy, mut hungry, mut held, mut all) = Default::default();
        for shown in shown {
            let shown = shown.lock();
            // Some of it is known only when the lanes have been used.
            for note in &shown.notes {
                if !self.notes.contains(note) {
                    self.notes.push(note.clone());
                }
            }
            for (sum, part) in [
                (&mut busy, shown.busy),
                (&mut hungry, shown.hungry),
                (&mut held, shown.held),
                (&mut all, shown.time),
            ] {
                *sum += part;
            }
        }
        let all: Duration = all;
        let share = |part: Duration, all: Duration| {
            (100.0 * part.as_secs_f64() / all.as_secs_f64().max(1e-9)).min(100.0)
        };
        let busy = share(busy, all);
        if busy > 80.0 {
            self.notes.push(format!(
                "processor: the sending threads were busy {busy:.0} % of the time; more lanes with --arrange stable use more of them"
            ));
        }
        let hungry = share(hungry, all);
        if hungry > 20.0 {
            self.notes.push(format!(
                "reading: the lanes waited {hungry:.0} % of the time for what is read and hashed"
            ));
        }
        let writing = share(self.writing, time);
        if writing > 80.0 {
            self.notes.push(format!(
                "writing: the receiver wrote and hashed {writing:.0} % of the time"
            ));
        }
        let held = share(held, all);
        if held > 50.0 && busy < 50.0 {
            self.notes.push(format!(
                "receiver: for {held:.0} % of the time as much was on its way as it has memory for, or as the lanes carry"
            ));
        }
        let Phases {
            start,
            compare,
            transfer,
            finish,
        } = self.phases;
        let all = start + compare + transfer + finish;
        if share(transfer, all) < 80.0 && all > Duration::from_secs(1) {
            let [start, compare, transfer, finish] =
                [start, compare, transfer, finish].map(|time| time.as_secs_f64());
            self.notes.push(format!(
                "time: start {start:.2} s, comparing {compare:.2} s, transfer {transfer:.2} s, end {finish:.2} s"
            ));
        }
        let (lost, sent) = (self.counters.resent, self.counters.sub_packets);
        if lost * 1000 > sent {
            self.notes.push(format!(
                "loss: {lost} of {sent} sub-packets were sent again"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a transfer says of itself after two seconds of which its only pipeline was so long
    /// busy, hungry and held; the receiver has written for so long.
    fn explained(parts: [u64; 3], writing: u64, counters: SenderCounters) -> String {
        let milliseconds = Duration::from_millis;
        let [busy, hungry, held] = parts.map(milliseconds);
        let shown = Shown {
            counters,
            busy,
            hungry,
            held,
            time: milliseconds(2000),
            notes: vec!["of a lane".into()],
            ..Shown::default()
        };
        let mut progress = Progress {
            counters,
            writing: milliseconds(writing),
            phases: Phases {
                transfer: milliseconds(2000),
                ..Phases::default()
            },
            ..Progress::default()
        };
        let twice = [Mutex::new(shown.clone()), Mutex::new(shown)];
        progress.explain(&twice, milliseconds(2000));
        progress.notes.join("; ")
    }

    #[test]
    fn why_it_is_not_faster() {
        let good = SenderCounters {
            sub_packets: 100_000,
            resent: 100,
            ..SenderCounters::default()
        };
        let bad = SenderCounters {
            resent: 101,
            ..good
        };
        for (parts, writing, counters, why) in [
            ([1600, 400, 1000], 1600, good, ""),
            ([1602, 0, 0], 0, good, "processor: the sending threads"),
            ([0, 410, 0], 0, good, "reading: the lanes waited 20 %"),
            ([0, 0, 0], 1620, good, "writing: the receiver wrote"),
            ([980, 0, 1020], 0, good, "receiver: for 51 %"),
            ([0, 0, 0], 0, bad, "loss: 101 of 100000 sub-packets"),
        ] {
            let said = explained(parts, writing, counters);
            let rest = said.strip_prefix("of a lane").unwrap();
            assert_eq!(rest.is_empty(), why.is_empty(), "{said}");
            assert!(rest.contains(why), "{said} instead of {why}");
        }
    }
}
