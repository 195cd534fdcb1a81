// SPDX-License-Identifier: Apache-2.0
//! Two ends of an HTSP link and a line between them that loses, damages, repeats and delays frames
//! and goes down.
//!
//! What a user may rely on, and what is checked: user frames that end well arrive once, in order
//! and unchanged; if some are missing between two of them, something said so before the second one,
//! by an event and in its place in the stream; and behind the last fault everything arrives.

use ropewalk_testkit::{Digest, expect_file};
use ropewalk_wire::htsp::{Arrived, Down, Endpoint, Event, Last, Mac, Params, PushError};
use ropewalk_wire::rifl::link::Random;
use std::collections::{BTreeSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Time of a frame on the line.
const STEP: Duration = Duration::from_nanos(100);
/// Steps that a frame is on its way.
const FLIGHT: u64 = 5;
const MARK: usize = 12;

fn params(end: u8) -> Params {
    Params {
        channels: 4,
        burst: 256,
        header_interval: 20 * STEP,
        alive: 2000 * STEP,
        stall: 3 * STEP,
        queue: 1 << 20,
        buffer: 1 << 20,
        pause_at: 1 << 14,
        ..Params::new(Mac([2, 0, 0, 0, 0, end]))
    }
}

/// One thing that a line may do to a frame.
#[derive(Clone, Copy, Default)]
struct Faults {
    /// Out of 256.
    lose: u16,
    damage: u16,
    repeat: u16,
    delay: u16,
}

/// A direction of the line.
#[derive(Default)]
struct Line {
    /// Arrival, frame, whether its FCS is wrong.
    frames: Vec<(u64, Vec<u8>, bool)>,
    faults: Faults,
    /// Frames to lose in a row.
    burst: u32,
    /// Frames lost, damaged or held back since one went through.
    missing: u32,
}

impl Line {
    fn put(&mut self, now: u64, mut bytes: Vec<u8>, random: &mut Random) {
        let faults = self.faults;
        // 256 frames missing in a row do not show: that is the limit of the format, and not what is
        // tried here.
        let spare = self.missing < 100;
        let lost = spare && (self.burst > 0 || random.chance(faults.lose));
        self.burst = self.burst.saturating_sub(1);
        let damaged = spare && !lost && random.chance(faults.damage);
        let late = spare && !lost && random.chance(faults.delay);
        self.missing = if lost || damaged || late {
            self.missing + 1
        } else {
            0
        };
        if lost {
            return;
        }
        if damaged {
            damage(&mut bytes, random);
        }
        let at = now + FLIGHT + if late { random.below(60) } else { 0 };
        if random.chance(faults.repeat) {
            let again = at + random.below(60);
            self.frames.push((again, bytes.clone(), damaged));
        }
        self.frames.push((at, bytes, damaged));
    }

    /// The frames that arrive now, oldest first.
    fn take(&mut self, now: u64) -> Vec<(Vec<u8>, bool)> {
        let (mut due, rest): (Vec<_>, Vec<_>) =
            self.frames.drain(..).partition(|&(at, ..)| at <= now);
        self.frames = rest;
        due.sort_by_key(|&(at, ..)| at);
        due.into_iter()
            .map(|(_, bytes, bad)| (bytes, bad))
            .collect()
    }
}

/// Changes bytes anywhere, often so that the sum of bytes stays, or cuts the end off.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let place = |random: &mut Random, below: usize| random.below(below as u64) as usize;
    match random.below(4) {
        0 => bytes.truncate(place(random, bytes.len())),
        1 => {
            let (a, b) = (place(random, 64), place(random, 64));
            bytes.swap(a, b);
        }
        2 => {
            // One up, one down: in front of the checksum all bytes count alike.
            let (a, b) = (14 + place(random, 16), 14 + place(random, 16));
            bytes[a] = bytes[a].wrapping_add(1);
            bytes[b] = bytes[b].wrapping_sub(1);
        }
        _ => {
            let at = place(random, bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
    }
}

/// Content of a user frame: who, channel and number, then what follows from them.
fn content(seed: u64, end: usize, channel: u8, number: u64) -> (Vec<u8>, bool) {
    let mut random = Random::new(seed ^ number << 8 ^ u64::from(channel) << 1 ^ end as u64);
    let extra = match random.below(4) {
        0 => random.below(4),
        1 => random.below(2000),
        _ => random.below(300),
    };
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.extend([end as u8, channel, 0x5a, 0xa5]);
    bytes.extend((0..extra).map(|_| random.bits() as u8));
    (bytes, random.chance(10))
}

/// User frames of one direction on one channel.
#[derive(Default)]
struct Traffic {
    /// Number of the next one.
    next: u64,
    /// What is left of the current one to give.
    rest: Vec<u8>,
    error: bool,
    /// At the other end: what has come of one.
    open: Vec<u8>,
    /// Number of the next one to come.
    awaited: u64,
    delivered: u64,
    /// How many had arrived well, each time that something was said.
    told: BTreeSet<u64>,
    /// Something missing stood in the stream since the last one that arrived well.
    located: bool,
}

/// Two ends and what they carry.
struct Link {
    seed: u64,
    random: Random,
    channels: u8,
    ends: [Endpoint; 2],
    lines: [Line; 2],
    /// By sender.
    traffic: [Vec<Traffic>; 2],
    now: u64,
    overflows: u64,
    marks: u64,
    told: u64,
    /// Of all frames and events.
    done: Digest,
}

impl Link {
    fn new(seed: u64, params: [Params; 2]) -> Self {
        let traffic = |params: &Params| (0..params.channels).map(|_| Traffic::default()).collect();
        Link {
            seed,
            random: Random::new(seed),
            channels: params[0].channels,
            traffic: [traffic(&params[0]), traffic(&params[1])],
            ends: params.map(|params| Endpoint::new(params).expect("legal parameters")),
            lines: [Line::default(), Line::default()],
            now: 0,
            overflows: 0,
            marks: 0,
            told: 0,
            done: Digest::default(),
        }
    }

    fn time(&self) -> Duration {
        STEP * u32::try_from(self.now).expect("a short run")
    }

    /// Gives an end a part of a user frame, or all of one.
    fn push(&mut self, end: usize, channel: u8, parts: bool) {
        let traffic = &mut self.traffic[end][usize::from(channel)];
        if traffic.rest.is_empty() {
            (traffic.rest, traffic.error) = content(self.seed, end, channel, traffic.next);
        }
        let all = traffic.rest.len();
        let part = if parts {
            1 + self.random.below(all as u64) as usize
        } else {
            all
        };
        let last = match (part == all, traffic.error) {
            (false, _) => Last::No,
            (true, false) => Last::Yes,
            (true, true) => Last::Error,
        };
        match self.ends[end].push(channel, &traffic.rest[..part], last) {
            Ok(()) => {
                traffic.rest.drain(..part);
                traffic.next += u64::from(part == all);
            }
            Err(PushError::Full { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }

    /// A frame time: what arrives, what is sent, what users are told.
    fn step(&mut self) {
        self.now += 1;
        let now = self.time();
        for end in 0..2 {
            for (bytes, damaged) in self.lines[1 - end].take(self.now) {
                self.watch(end, |end| end.receive(now, &bytes, damaged));
            }
            if let Some(bytes) = self.watch(end, |end| end.poll_transmit(now)) {
                self.done.words(&[self.now, end as u64]);
                self.done.bytes(&bytes);
                self.lines[end].put(self.now, bytes, &mut self.random);
            }
        }
    }

    /// Does something with an end, and notes for the other end's traffic what is said: before what
    /// arrives with it.
    fn watch<T>(&mut self, end: usize, act: impl FnOnce(&mut Endpoint) -> T) -> T {
        let arrived = |end: &Endpoint, channel| end.channel_counters(channel).1.frames;
        let before: Vec<u64> = (0..4)
            .map(|channel| arrived(&self.ends[end], channel))
            .collect();
        let result = act(&mut self.ends[end]);
        let traffic = &mut self.traffic[1 - end];
        let mut say = |channel: u8| {
            traffic[usize::from(channel)]
                .told
                .insert(before[usize::from(channel)]);
        };
        while let Some(event) = self.ends[end].poll_event() {
            self.done.seen(&event);
            let all = match event {
                Event::Lost(_) | Event::Stale(_) | Event::LinkDown(_) => true,
                // The transmitter of the peer has given up what it had begun.
                Event::PeerReady(ready) => !ready,
                Event::Overflow(channel) | Event::Orphan(channel) => {
                    self.overflows += u64::from(matches!(event, Event::Overflow(_)));
                    say(channel);
                    false
                }
                Event::Cut(_) | Event::LinkUp | Event::OpCode(_) | Event::UserData(_) => false,
                Event::Data(_) => panic!("bytes are not among the events"),
            };
            if all {
                self.told += 1;
                (0..self.channels).for_each(&mut say);
            }
        }
        result
    }

    /// A user takes a piece. Whether there was one.
    fn pop(&mut self, end: usize, channel: u8) -> bool {
        let Some(arrived) = self.ends[end].take(channel) else {
            return false;
        };
        let sender = 1 - end;
        let what = format!("SEED={}: channel {channel} of end {sender}", self.seed);
        let traffic = &mut self.traffic[sender][usize::from(channel)];
        let piece = match arrived {
            Arrived::Piece(piece) => piece,
            Arrived::Missing(missing) => {
                // Whoever has got the next bytes has seen it; nothing can be less than missing.
                assert!(missing.bytes != Some(0), "{what}: {missing:?}");
                traffic.located = true;
                return true;
            }
        };
        assert_eq!(piece.start, traffic.open.is_empty(), "{what}: start");
        traffic.open.extend(&piece.bytes);
        if piece.error {
            assert!(piece.end && traffic.located, "{what}: an end in error");
            traffic.told.insert(traffic.delivered);
            self.marks += 1;
        }
        if !piece.end {
            return true;
        }
        let got = std::mem::take(&mut traffic.open);
        if piece.error {
            return true;
        }
        assert!(got.len() >= MARK, "{what}: {} bytes", got.len());
        let number = u64::from_le_bytes(std::array::from_fn(|i| got[i]));
        assert!(number >= traffic.awaited, "{what}: {number} again or late");
        let (expected, error) = content(self.seed, sender, channel, number);
        assert!(got == expected && !error, "{what}: {number} differs");
        let missing = number > traffic.awaited;
        let told = traffic.told.contains(&traffic.delivered);
        assert!(
            !missing || told,
            "{what}: {} before {number} missed in silence",
            traffic.awaited
        );
        let located = std::mem::take(&mut traffic.located);
        assert!(!missing || located, "{what}: no place before {number}");
        traffic.awaited = number + 1;
        traffic.delivered += 1;
        true
    }

    fn pop_all(&mut self) {
        for end in 0..2 {
            for channel in 0..self.traffic[end].len() as u8 {
                while self.pop(end, channel) {}
            }
        }
    }

    /// The line goes down and up again. What is on it is lost.
    fn flap(&mut self, steps: u64) {
        let now = self.time();
        for end in 0..2 {
            self.lines[end].frames.clear();
            self.watch(end, |end| end.set_phy(now, false));
        }
        (0..steps).for_each(|_| self.step());
        let now = self.time();
        for end in 0..2 {
            self.ends[end].set_phy(now, true);
        }
    }

    /// Without faults until both ends hear each other.
    fn settle(&mut self) {
        for line in &mut self.lines {
            (line.faults, line.burst) = (Faults::default(), 0);
        }
        let limit = self.now + 20_000;
        while !(0..2).all(|end| self.ends[end].ready()) || self.now + 19_000 < limit {
            self.step();
            assert!(self.now < limit, "SEED={}: no link", self.seed);
        }
    }
}

fn seed(name: &str) -> u64 {
    let seed = match std::env::var("SEED") {
        Ok(text) => text.parse().expect("SEED is a number"),
        Err(_) => RandomState::new().hash_one(name),
    };
    println!("{name}: SEED={seed}");
    seed
}

/// Random traffic, random faults, then quiet: what is given then arrives as a whole.
fn random_link(seed: u64) -> (u64, Link) {
    let mut dice = Random::new(!seed);
    let shape = |end: u8, dice: &mut Random| Params {
        channels: 1 + dice.below(4) as u8,
        burst: 64 * (1 + dice.below(8) as usize),
        ..params(end)
    };
    let mut both = [shape(1, &mut dice), shape(2, &mut dice)];
    let channels = both[0].channels.min(both[1].channels);
    both.iter_mut()
        .for_each(|params| params.channels = channels);
    let mut link = Link::new(seed, both);
    link.settle();
    let rate = |dice: &mut Random| [0, 1, 4, 20][dice.below(4) as usize];
    for _ in 0..6 {
        for line in 0..2 {
            link.lines[line].faults = Faults {
                lose: rate(&mut dice),
                damage: rate(&mut dice),
                repeat: rate(&mut dice),
                delay: rate(&mut dice),
            };
            link.lines[line].burst = [0, 0, 3, 90][dice.below(4) as usize];
        }
        let parts = dice.chance(128);
        let (given, taken) = (20 + dice.below(60) as u16, 20 + dice.below(236) as u16);
        for _ in 0..400 {
            for end in 0..2 {
                for channel in 0..channels {
                    if link.random.chance(given) {
                        link.push(end, channel, parts);
                    }
                    if link.random.chance(taken) {
                        link.pop(end, channel);
                    }
                }
            }
            link.step();
        }
        match dice.below(6) {
            0 => link.flap(dice.below(30)),
            1 => {
                // One direction is silent for longer than the alive time.
                let line = dice.below(2) as usize;
                for _ in 0..2200 {
                    link.lines[line].frames.clear();
                    link.step();
                }
            }
            _ => {}
        }
    }
    link.settle();
    link.pop_all();
    // Finish what has been begun, then give some that nothing may happen to.
    let mut last = Vec::new();
    for end in 0..2 {
        for channel in 0..channels {
            if !link.traffic[end][usize::from(channel)].rest.is_empty() {
                link.push(end, channel, false);
            }
            for _ in 0..3 {
                link.push(end, channel, false);
            }
            last.push((end, channel, link.traffic[end][usize::from(channel)].next));
        }
    }
    let limit = link.now + 200_000;
    let waits = |link: &Link| (0..2).any(|end| (0..channels).any(|c| link.ends[end].queued(c) > 0));
    while waits(&link) {
        link.step();
        link.pop_all();
        assert!(link.now < limit, "SEED={seed}: user frames wait for ever");
    }
    for _ in 0..10 * FLIGHT {
        link.step();
        link.pop_all();
    }
    let mut delivered = 0;
    for (end, channel, next) in last {
        let traffic = &link.traffic[end][usize::from(channel)];
        delivered += traffic.delivered;
        assert_eq!(traffic.open, [], "SEED={seed}: an unfinished user frame");
        // Those that end in error are not delivered.
        let good = (next - 3..next)
            .rev()
            .find(|&n| !content(seed, end, channel, n).1);
        if let Some(good) = good {
            assert_eq!(
                traffic.awaited,
                good + 1,
                "SEED={seed}: end {end}, channel {channel}"
            );
        }
    }
    assert_eq!(link.overflows, 0, "SEED={seed}: overflow");
    (delivered, link)
}

#[test]
fn frames_and_events_are_what_was_recorded() {
    let row = |seed| {
        let (delivered, link) = random_link(seed);
        let counters = link.ends.each_ref().map(Endpoint::counters);
        let Link {
            done, now, told, ..
        } = link;
        format!("{seed} {done} {now} steps, {delivered} delivered, {told} events\n  {counters:?}\n")
    };
    let rows: String = (0..60).map(row).collect();
    expect_file!["recorded/htsp.txt"].assert_eq(&rows);
}

#[test]
fn nothing_goes_wrong_in_silence() {
    many_links(200);
}

#[test]
#[ignore = "a soak: ten thousand links, minutes"]
fn nothing_goes_wrong_in_silence_for_long() {
    many_links(10_000);
}

fn many_links(runs: u64) {
    let first = seed("link");
    let (mut delivered, mut marks, mut told) = (0, 0, 0);
    for run in 0..runs {
        // The seed that is told when something fails repeats that run alone.
        let (whole, link) = random_link(first.wrapping_add(run));
        (delivered, marks, told) = (delivered + whole, marks + link.marks, told + link.told);
    }
    println!("{runs} links: {delivered} user frames whole, {marks} ended in error, {told} events");
    assert!(delivered > runs * 100 && marks > runs && told > runs);
}

#[test]
fn without_faults_everything_arrives_and_nothing_is_told() {
    let seed = seed("quiet");
    let mut link = Link::new(seed, [params(1), params(2)]);
    link.settle();
    link.told = 0;
    for _ in 0..3000 {
        for end in 0..2 {
            let channel = link.random.below(4) as u8;
            if link.random.chance(100) {
                link.push(end, channel, true);
            }
            let channel = link.random.below(4) as u8;
            link.pop(end, channel);
        }
        link.step();
    }
    for end in 0..2 {
        for channel in 0..4 {
            if !link.traffic[end][usize::from(channel)].rest.is_empty() {
                link.push(end, channel, false);
            }
        }
    }
    for _ in 0..20_000 {
        link.step();
        link.pop_all();
    }
    for (end, traffic) in link.traffic.iter().enumerate() {
        for (channel, traffic) in traffic.iter().enumerate() {
            let errors = (0..traffic.next).filter(|&n| content(seed, end, channel as u8, n).1);
            assert_eq!(traffic.delivered, traffic.next - errors.count() as u64);
        }
    }
    assert_eq!((link.told, link.overflows), (0, 0));
}

/// A link that is up, for directed tests.
fn up(params: [Params; 2]) -> Link {
    let mut link = Link::new(1, params);
    link.settle();
    link
}

fn fill(link: &mut Link, channel: u8, bytes: usize) {
    link.ends[0]
        .push(channel, &vec![7; bytes], Last::Yes)
        .expect("room in the queue");
}

#[test]
fn both_directions_come_up_by_themselves() {
    let mut link = Link::new(1, [params(1), params(2)]);
    (0..3 * FLIGHT + 25).for_each(|_| link.step());
    assert!(link.ends.iter().all(Endpoint::ready));
}

/// Steps until the peer's transmitter stands still on a channel that nobody reads, and bytes
/// received until then.
fn stand_still(link: &mut Link, lost: bool) -> u64 {
    fill(link, 0, 60_000);
    let pausing = |link: &Link| link.ends[1].paused(link.time(), 0).1 > Duration::ZERO;
    while !pausing(link) {
        link.step();
    }
    // The header that says so has just been sent. It may be lost.
    if lost {
        link.lines[1].frames.pop();
    }
    (0..500).for_each(|_| link.step());
    link.ends[1].channel_counters(0).1.bytes
}

#[test]
fn a_lost_pause_is_repeated_after_the_header_interval() {
    let at = params(2).pause_at as u64;
    let received = stand_still(&mut up([params(1), params(2)]), false);
    let late = stand_still(&mut up([params(1), params(2)]), true);
    let burst = params(1).burst as u64;
    assert!(
        (at..at + 2 * (FLIGHT + 2) * burst).contains(&received),
        "{received}"
    );
    let interval = (params(2).header_interval.as_nanos() / STEP.as_nanos()) as u64;
    assert!(
        (interval - 2..=interval + 2).contains(&((late - received) / burst)),
        "{late}"
    );
}

#[test]
fn with_the_headroom_of_that_nothing_overflows_and_with_less_it_is_told() {
    let still = stand_still(&mut up([params(1), params(2)]), true) as usize;
    for (buffer, fits) in [(still, true), (still - 1, false)] {
        let tight = Params {
            buffer,
            ..params(2)
        };
        let mut link = up([params(1), tight]);
        stand_still(&mut link, true);
        assert_eq!(link.ends[1].overflows(0), u64::from(!fits));
        assert_eq!(link.overflows, u64::from(!fits));
        // The user frame ends, whole or in error, and the next one is whole.
        let mut ends = Vec::new();
        fill(&mut link, 0, 10);
        for _ in 0..3000 {
            link.step();
            ends.extend(
                link.ends[1]
                    .pop(0)
                    .filter(|piece| piece.end)
                    .map(|piece| piece.error),
            );
        }
        assert_eq!(ends, [!fits, false]);
    }
}

#[test]
fn two_ends_that_pause_each_other_do_not_lock_up() {
    let mut link = up([params(1), params(2)]);
    for end in 0..2 {
        for channel in 0..4 {
            link.ends[end]
                .push(channel, &[3; 40_000], Last::Yes)
                .expect("room in the queue");
        }
    }
    (0..3000).for_each(|_| link.step());
    let standing = |link: &Link| (0..2).all(|end| (0..4).all(|c| link.ends[end].queued(c) > 0));
    assert!(standing(&link) && link.ends.iter().all(Endpoint::ready));
    let mut ends = 0;
    for _ in 0..6000 {
        link.step();
        for end in 0..2 {
            for channel in 0..4 {
                let piece = link.ends[end].pop(channel);
                ends += u32::from(piece.is_some_and(|piece| piece.end && !piece.error));
            }
        }
    }
    assert_eq!(ends, 8);
}

#[test]
fn a_paused_channel_does_not_hold_the_others() {
    let mut link = up([params(1), params(2)]);
    fill(&mut link, 0, 60_000);
    (0..500).for_each(|_| link.step());
    for channel in 1..4 {
        fill(&mut link, channel, 10_000);
    }
    for _ in 0..200 {
        link.step();
        (1..4).for_each(|channel| while link.ends[1].pop(channel).is_some() {});
    }
    assert!((1..4).all(|channel| link.ends[1].channel_counters(channel).1.frames == 1));
    assert_eq!(link.ends[1].channel_counters(0).1.frames, 0);
}

/// The line goes down at every burst of a user frame: it ends in error, once, and the next one is
/// whole.
#[test]
fn a_flap_at_every_burst() {
    for steps in 0..20 {
        let mut link = up([params(1), params(2)]);
        fill(&mut link, 0, 2000);
        (0..steps).for_each(|_| link.step());
        link.flap(3);
        fill(&mut link, 0, 10);
        (0..100).for_each(|_| link.step());
        let mut ends = Vec::new();
        while let Some(piece) = link.ends[1].pop(0) {
            if piece.end {
                ends.push(piece.error);
            }
        }
        let whole = steps >= 2000_u64.div_ceil(256) + FLIGHT;
        let begun = steps > FLIGHT;
        match (begun, whole) {
            (_, true) => assert_eq!(ends, [false, false], "{steps}"),
            (true, false) => assert_eq!(ends, [true, false], "{steps}"),
            // Nothing of it had been sent, or nothing of it arrived; in the second case its sender
            // was told.
            (false, false) if steps == 0 => assert_eq!(ends, [false, false], "{steps}"),
            (false, false) => assert_eq!(ends, [false], "{steps}"),
        }
        let cut = link.ends[0].channel_counters(0).0.cut;
        assert_eq!(cut, u64::from((1..8).contains(&steps)), "{steps}");
    }
}

/// Only what the sender hears is lost: its peer has a link all the time and yet learns that user
/// frames were given up.
#[test]
fn one_direction_silent() {
    let mut link = up([params(1), params(2)]);
    fill(&mut link, 0, 60_000);
    for _ in 0..1980 {
        link.lines[1].frames.clear();
        link.step();
        while link.ends[1].pop(0).is_some() {}
    }
    assert_eq!(
        link.ends[0].channel_counters(0).0.frames,
        1,
        "sent before the end of the alive time"
    );
    link.ends[0]
        .push(0, &[7; 256], Last::No)
        .expect("room in the queue");
    for _ in 0..40 {
        link.lines[1].frames.clear();
        link.step();
    }
    assert!(!link.ends[0].ready());
    link.ends[0]
        .push(0, &[8; 100], Last::Yes)
        .expect("room in the queue");
    fill(&mut link, 0, 10);
    (0..100).for_each(|_| link.step());
    let mut ends = Vec::new();
    while let Some(piece) = link.ends[1].pop(0) {
        if piece.end {
            ends.push((piece.error, piece.bytes.len()));
        }
    }
    assert_eq!(ends, [(true, 1), (false, 10)]);
    assert_eq!(link.ends[1].counters().1.ups, 1);
}

/// An end is reset while it sends: the other one is told, and nothing of before and after is
/// joined.
#[test]
fn a_peer_that_starts_anew() {
    for steps in 0..200 {
        let mut link = up([params(1), params(2)]);
        (0..steps).for_each(|_| link.step());
        fill(&mut link, 0, 5000);
        (0..12).for_each(|_| link.step());
        link.told = 0;
        link.ends[0] = Endpoint::new(params(1)).expect("legal parameters");
        // Frames are discarded until the numbers fit again, or the alive time is over.
        (0..6000).for_each(|_| link.step());
        assert!(link.ends.iter().all(Endpoint::ready), "{steps}");
        assert!(link.told > 0, "{steps}");
        link.ends[0]
            .push(0, &[9; 10], Last::Yes)
            .expect("room in the queue");
        (0..100).for_each(|_| link.step());
        let mut ends = Vec::new();
        while let Some(piece) = link.ends[1].pop(0) {
            if piece.end {
                ends.push((piece.error, piece.bytes));
            }
        }
        let [(true, _), (false, next)] = &ends[..] else {
            panic!("{steps}: {ends:?}")
        };
        assert_eq!(*next, [9; 10]);
    }
}

#[test]
fn nobody_there() {
    let mut link = up([params(1), params(2)]);
    link.ends[1].set_phy(link.time(), false);
    let mut downs = VecDeque::new();
    for _ in 0..2100 {
        link.lines[1].frames.clear();
        link.now += 1;
        let now = link.time();
        _ = link.ends[0].poll_transmit(now);
        downs.extend(std::iter::from_fn(|| link.ends[0].poll_event()));
    }
    assert!(downs.contains(&Event::LinkDown(Down::Silent)));
    assert!(!link.ends[0].ready());
    // The first header after the timer, not a storm of them.
    let headers = link.ends[0].counters().0.headers;
    let interval = (params(1).header_interval.as_nanos() / STEP.as_nanos()) as u64;
    assert!(headers <= link.now / interval + 3, "{headers}");
}
