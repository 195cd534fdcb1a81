// SPDX-License-Identifier: Apache-2.0
//! The receiver for data takers against a scoreboard that knows every word of the sender: each is
//! delivered once, in order and at the right position, or lies in a gap that is reported; a gap
//! of known length is exactly so long.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_io::htsp::receiver::Options;
use ropewalk_io::htsp::stream::Stream;
use ropewalk_io::htsp::{Batch, Host, Receiver, Settings, State};
use ropewalk_io::{PipeLink, RawLink};
use ropewalk_wire::htsp::{Endpoint, Last, Mac, Params, Reason};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

const WORD: u64 = 8;
const CHANNELS: u8 = 3;
const STEP: Duration = Duration::from_nanos(100);
const LONG: Duration = Duration::from_secs(60);

/// The seed of a run, which is printed.
fn seed(name: &str) -> u64 {
    let seed = match std::env::var("SEED") {
        Ok(text) => text.parse().expect("SEED is a number"),
        Err(_) => RandomState::new().hash_one(name),
    };
    println!("{name}: SEED={seed}");
    seed
}

struct Random(Xoshiro256PlusPlus);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.next_u64() % limit
    }

    /// In `parts` of 1024 cases.
    fn chance(&mut self, parts: u64) -> bool {
        self.below(1024) < parts
    }
}

/// What the sender has sent on a channel, and what of it has come.
#[derive(Default)]
struct Channel {
    /// Words given to the sender.
    sent: u64,
    /// Behind which words a user frame ends well.
    ends: BTreeSet<u64>,
    /// Behind which words one ends, well or in error.
    all_ends: BTreeSet<u64>,
    /// Number of the word that comes next if nothing is missing.
    awaited: u64,
    /// Position behind the last batch.
    position: u64,
    delivered: u64,
    /// Lengths of all that was reported missing since the last byte came.
    gaps: Vec<Option<u64>>,
}

/// Every word, and which gaps were reported for which reason.
struct Scoreboard {
    name: String,
    channels: Vec<Channel>,
    reasons: BTreeMap<&'static str, u64>,
    exact: u64,
}

impl Scoreboard {
    fn new(seed: u64) -> Self {
        Scoreboard {
            name: format!("SEED={seed}"),
            channels: (0..CHANNELS).map(|_| Channel::default()).collect(),
            reasons: BTreeMap::new(),
            exact: 0,
        }
    }

    /// The next words of a channel, as bytes.
    fn words(&mut self, channel: u8, count: u64, ends_well: bool) -> Vec<u8> {
        let board = &mut self.channels[usize::from(channel)];
        let words = board.sent..board.sent + count;
        board.sent = words.end;
        board.all_ends.insert(words.end);
        if ends_well {
            board.ends.insert(words.end);
        }
        words
            .flat_map(|word| (word << 8 | u64::from(channel)).to_le_bytes())
            .collect()
    }

    fn check(&mut self, batch: &Batch) {
        let board = &mut self.channels[usize::from(batch.channel)];
        let what = format!(
            "{}: channel {} at {}",
            self.name, batch.channel, batch.offset
        );
        assert!(
            !batch.bytes.is_empty() || !batch.missing.is_empty(),
            "{what}: an empty batch"
        );
        assert_eq!(batch.offset, board.position, "{what}: position");
        assert_eq!(
            batch.bytes.len() as u64 % WORD,
            0,
            "{what}: {} bytes",
            batch.bytes.len()
        );
        board.position = batch.end();
        for gap in &batch.missing {
            *self.reasons.entry(gap.missing.reason.word()).or_default() += 1;
            board.gaps.push(gap.missing.bytes);
            assert_eq!(gap.channel, batch.channel);
            assert!(gap.offset <= batch.offset, "{what}: {gap:?}");
        }
        let first = board.awaited;
        for (index, word) in batch.bytes.chunks_exact(WORD as usize).enumerate() {
            let word = u64::from_le_bytes(word.try_into().unwrap());
            assert_eq!(word as u8, batch.channel, "{what}: of another channel");
            let number = word >> 8;
            assert!(number >= board.awaited, "{what}: {number} again");
            if number > board.awaited {
                let reported = index == 0 && !board.gaps.is_empty();
                assert!(reported, "{what}: {number} unreported");
            }
            if index == 0 {
                let known = board.gaps.drain(..).sum::<Option<u64>>();
                if let Some(known) = known {
                    assert_eq!(
                        (number - first) * WORD,
                        known,
                        "{what}: {:?}",
                        batch.missing
                    );
                    self.exact += u64::from(known > 0);
                }
                let begun = number == 0 || board.all_ends.contains(&number);
                assert_eq!(batch.begins, begun, "{what}: {number} begins a user frame");
            }
            board.awaited = number + 1;
            board.delivered += 1;
        }
        let Some(last) = (batch.bytes.len() as u64 / WORD).checked_sub(1) else {
            return assert!(batch.ends.is_empty());
        };
        let begin = board.awaited - 1 - last;
        let expected = board.ends.range(begin + 1..=board.awaited);
        let expected: Vec<u64> = expected.map(|end| (end - begin) * WORD).collect();
        assert_eq!(batch.ends, expected, "{what}: ends of user frames");
    }
}

/// A sender, a line that loses and damages, and a receiver that may start anew.
struct Run {
    random: Random,
    board: Scoreboard,
    ends: [Endpoint; 2],
    streams: Vec<Stream>,
    lines: [VecDeque<(Vec<u8>, bool)>; 2],
    now: Duration,
    lose: u64,
    damage: u64,
    /// Frames lost or damaged since one went through, by direction.
    missing: [u32; 2],
    restarts: u64,
}

fn params(end: u8) -> Params {
    Params {
        channels: CHANNELS,
        burst: 256,
        header_interval: 20 * STEP,
        alive: 2000 * STEP,
        stall: 3 * STEP,
        queue: 1 << 20,
        buffer: 1 << 13,
        pause_at: 1 << 12,
        ..Params::new(Mac([2, 0, 0, 0, 0, end]))
    }
}

fn streams(random: &mut Random, places: impl Fn(u8) -> u64, reason: Reason) -> Vec<Stream> {
    let limits = [8, 64, 1000, 4096];
    let limit = |random: &mut Random| limits[random.below(4) as usize];
    let stream = |channel| {
        Stream::new(
            channel,
            limit(random),
            places(channel),
            places(channel),
            reason,
        )
    };
    (0..CHANNELS).map(stream).collect()
}

impl Run {
    fn new(seed: u64) -> Self {
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(seed));
        Run {
            board: Scoreboard::new(seed),
            ends: [1, 2].map(|end| Endpoint::new(params(end)).unwrap()),
            streams: streams(&mut random, |_| 0, Reason::Started),
            lines: [VecDeque::new(), VecDeque::new()],
            random,
            now: Duration::ZERO,
            lose: 0,
            damage: 0,
            missing: [0; 2],
            restarts: 0,
        }
    }

    /// A frame of each end, five frames long under way.
    fn step(&mut self) {
        self.now += STEP;
        for end in 0..2 {
            if self.lines[1 - end].len() > 5 {
                let arrived = self.lines[1 - end].pop_front();
                let (bytes, damaged) = arrived.expect("six of them");
                if !bytes.is_empty() {
                    self.ends[end].receive(self.now, &bytes, damaged);
                }
            }
            let mut frame = self.ends[end].poll_transmit(self.now).unwrap_or_default();
            // 256 frames missing in a row do not show: that is the limit of the format.
            let spare = !frame.is_empty() && self.missing[end] < 100;
            let lost = spare && self.random.chance(self.lose);
            let damaged = spare && !lost && self.random.chance(self.damage);
            if lost || damaged {
                self.missing[end] += 1;
            } else if !frame.is_empty() {
                self.missing[end] = 0;
            }
            if lost {
                frame.clear();
            } else if damaged {
                let at = self.random.below(frame.len() as u64) as usize;
                frame[at] ^= 1 << self.random.below(8);
            }
            self.lines[end].push_back((frame, damaged));
        }
        while self.ends[1].poll_event().is_some() {}
    }

    /// The sender is given a user frame.
    fn push(&mut self) {
        let channel = self.random.below(CHANNELS.into()) as u8;
        let longest = [3, 40, 400][self.random.below(3) as usize];
        let count = 1 + self.random.below(longest);
        if self.ends[0].queued(channel) + (count * WORD) as usize <= 1 << 20 {
            let well = !self.random.chance(40);
            let words = self.board.words(channel, count, well);
            let last = if well { Last::Yes } else { Last::Error };
            self.ends[0].push(channel, &words, last).unwrap();
        }
    }

    /// The user takes what a channel has, or a part of it.
    fn take(&mut self, channel: u8, most: u64) {
        let stream = &mut self.streams[usize::from(channel)];
        for _ in 0..most {
            let Some(arrived) = self.ends[1].take(channel) else {
                break;
            };
            stream.put(self.now, arrived);
        }
        let delay = STEP * self.random.below(40) as u32;
        stream.flush(self.now, delay);
        while let Some(batch) = stream.pop() {
            self.board.check(&batch);
        }
    }

    /// The receiver is gone, with all that it had not handed over, and starts anew.
    fn restart(&mut self) {
        for _ in 0..self.random.below(40) {
            // Nobody hears the sender, which does not know.
            self.lines[0].pop_front();
            self.step();
        }
        self.ends[1] = Endpoint::new(params(2)).unwrap();
        let channels = &self.board.channels;
        let places = |channel: u8| channels[usize::from(channel)].position;
        self.streams = streams(&mut self.random, places, Reason::Restarted);
        self.restarts += 1;
    }

    /// Without faults until all that waits has come.
    fn settle(&mut self) {
        (self.lose, self.damage) = (0, 0);
        for _ in 0..9000 {
            self.step();
            (0..CHANNELS).for_each(|channel| self.take(channel, u64::MAX));
        }
        assert!((0..CHANNELS).all(|channel| self.ends[0].queued(channel) == 0));
    }
}

fn random_run(seed: u64, reasons: &mut BTreeMap<&'static str, u64>) -> (u64, u64, u64) {
    let mut run = Run::new(seed);
    for _ in 0..8 {
        let rates = [0, 0, 4, 60];
        run.lose = rates[run.random.below(4) as usize];
        run.damage = rates[run.random.below(4) as usize];
        let (given, taken) = (20 + run.random.below(400), 20 + run.random.below(900));
        for _ in 0..600 {
            if run.random.chance(given) {
                run.push();
            }
            for channel in 0..CHANNELS {
                if run.random.chance(taken) {
                    let most = 1 + run.random.below(8);
                    run.take(channel, most);
                }
            }
            run.step();
        }
        match run.random.below(8) {
            0 | 1 => run.restart(),
            2 => {
                // Nothing arrives for longer than the alive time.
                for _ in 0..2200 {
                    run.lines[0].iter_mut().for_each(|frame| frame.0.clear());
                    run.step();
                }
            }
            3 => {
                let up = run.now;
                run.ends[1].overflow_below(up);
                run.ends[1].set_phy(up, true);
            }
            4 => {
                run.ends[1].set_phy(run.now, false);
                (0..run.random.below(30)).for_each(|_| run.step());
                run.ends[1].set_phy(run.now, true);
            }
            _ => {}
        }
    }
    run.settle();
    // Behind the last fault all arrives.
    let before: Vec<u64> = run.board.channels.iter().map(|it| it.delivered).collect();
    for channel in 0..CHANNELS {
        let words = run.board.words(channel, 1000, true);
        run.ends[0].push(channel, &words, Last::Yes).unwrap();
    }
    run.settle();
    for (channel, before) in run.board.channels.iter().zip(before) {
        assert_eq!(channel.delivered, before + 1000, "SEED={seed}");
        assert_eq!(channel.awaited, channel.sent, "SEED={seed}");
    }
    for (reason, count) in run.board.reasons {
        *reasons.entry(reason).or_default() += count;
    }
    let delivered = run.board.channels.iter().map(|it| it.delivered).sum();
    (delivered, run.board.exact, run.restarts)
}

#[test]
fn every_word_is_delivered_once_or_reported_missing() {
    many_runs(150);
}

#[test]
#[ignore = "a soak: ten thousand links, minutes"]
fn every_word_is_delivered_once_or_reported_missing_for_long() {
    many_runs(10_000);
}

fn many_runs(runs: u64) {
    let first = seed("receiver");
    let mut reasons = BTreeMap::new();
    let (mut delivered, mut exact, mut restarts) = (0, 0, 0);
    for run in 0..runs {
        // The seed that is printed when something fails repeats that run alone.
        let sums = random_run(first.wrapping_add(run), &mut reasons);
        (delivered, exact, restarts) = (delivered + sums.0, exact + sums.1, restarts + sums.2);
    }
    println!("{runs} runs: {delivered} words, {exact} gaps of known length, {restarts} restarts");
    println!("{reasons:?}");
    assert!(delivered > runs * 10_000 && exact > 0 && restarts > runs / 2);
    let all: Vec<&str> = Reason::ALL.iter().map(|it| it.word()).collect();
    let absent: Vec<&&str> = all.iter().filter(|&it| !reasons.contains_key(it)).collect();
    // A stale frame takes a line that repeats or overtakes; an unfinished one without any other
    // reason, a sender that breaks the rules.
    assert!(
        absent
            .iter()
            .all(|it| ["frame_stale", "unfinished"].contains(it)),
        "never seen: {absent:?}"
    );
}

fn settings() -> Settings {
    Settings {
        alive: LONG,
        ..Settings::default()
    }
}

/// The next batch that has bytes.
fn next(receiver: &mut Receiver, board: &mut Scoreboard) -> Batch {
    let begun = Instant::now();
    while begun.elapsed() < LONG {
        if let Some(batch) = receiver.recv(Duration::from_millis(10)).unwrap() {
            board.check(&batch);
            receiver.commit().unwrap();
            if !batch.bytes.is_empty() {
                return batch;
            }
        }
    }
    panic!("no batch");
}

/// With threads: batches are full while there is enough, are handed over after the delay if there
/// is not, and a user who takes none pauses the sender, which loses nothing.
#[test]
fn batches_of_a_receiver_with_a_thread() {
    let [near, far] = PipeLink::pair(64, 9014);
    let mut near = Host::start(near, &settings(), None).unwrap();
    let options = Options {
        channels: vec![0, 2],
        batch: 100_000,
        batches: 2,
        ..Options::default()
    };
    let mut far = Receiver::start(far, &settings(), &options, None).unwrap();
    assert_eq!(far.run(), 1);
    let mut board = Scoreboard::new(0);
    // The first items say that nothing is known of what was before.
    for _ in 0..2 {
        let batch = far.recv(LONG).unwrap().expect("a batch");
        let gap = &batch.missing[0];
        assert_eq!(
            (gap.missing.reason, gap.offset, batch.bytes.len()),
            (Reason::Started, 0, 0)
        );
        board.check(&batch);
    }
    let total = 1_500_000;
    let words = board.words(2, total, true);
    let mut writer = near.writer(2).unwrap();
    let sender = std::thread::spawn(move || {
        writer.send(&words, Last::Yes).unwrap();
        writer
    });
    // Two batches wait, one is full, and the buffer of the channel holds the rest until it pauses.
    let begun = Instant::now();
    while near.stats().peer_pause & 4 == 0 {
        assert!(begun.elapsed() < LONG, "no pause");
        std::thread::sleep(Duration::from_millis(1));
    }
    let (mut bytes, mut full) = (0, 0);
    while bytes < total * WORD {
        let batch = next(&mut far, &mut board);
        assert!(batch.bytes.len() <= 100_000);
        full += u32::from(batch.bytes.len() == 100_000);
        bytes += batch.bytes.len() as u64;
    }
    // What had waited in the buffer makes full batches, however late the sender is with the rest.
    assert!(full >= 20, "{full} full batches");
    let mut writer = sender.join().unwrap();
    let words = board.words(2, 5, true);
    writer.send(&words, Last::Yes).unwrap();
    assert_eq!(next(&mut far, &mut board).ends, [40]);
    let stats = far.stats();
    assert_eq!((stats.rx.lost, stats.channels[2].overflows), (0, 0));
    assert_eq!((far.missing().count(), far.forgotten()), (2, 0));
    far.close().unwrap();
}

/// A user that ends in the middle of its batches: the next run begins at the position that was
/// handed over last, and doubts what was handed over and not taken.
#[test]
fn a_run_goes_on_where_the_one_before_ended() {
    let name = format!("ropewalk-receiver-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&path);
    let mut first = 0;
    for run in 1..4 {
        let [near, far] = PipeLink::pair(64, 9014);
        assert!(far.line_up());
        let mut near = Host::start(near, &settings(), None).unwrap();
        let state = State::open(&path, false).unwrap();
        let options = Options {
            channels: vec![1],
            batch: 800,
            ..Options::default()
        };
        let mut far = Receiver::start(far, &settings(), &options, Some(state)).unwrap();
        assert_eq!(far.run(), run);
        let mut writer = near.writer(1).unwrap();
        writer.send(&[7; 4000], Last::Yes).unwrap();
        let (mut handed, mut gap) = (Vec::new(), None);
        while handed.len() < 3 {
            let batch = far.recv(LONG).unwrap().expect("a batch");
            gap = gap.or(batch.missing.first().copied());
            if !batch.bytes.is_empty() {
                handed.push(batch.offset);
            }
            if handed.len() == 2 {
                far.commit().unwrap();
            }
        }
        let expected = [first, first + 800, first + 1600];
        assert_eq!(handed, expected);
        let gap = gap.expect("what was before");
        let (reason, doubted) = match run {
            1 => (Reason::Started, 0),
            _ => (Reason::Restarted, 800),
        };
        assert_eq!((gap.missing.reason, gap.offset), (reason, first - doubted));
        first += 2400;
    }
    std::fs::remove_file(&path).unwrap();
}
