// SPDX-License-Identifier: Apache-2.0
//! The RTL receiver fed with anything, held against the model of `ropewalk-wire`.
//!
//! A peer sends frames, and half of them are harmed: wrong bits, cut, spliced, repeated, out of
//! order, false fields under a right checksum, plain noise, a line that is lost. Both get the same
//! frames. They have to deliver the same packets and op-codes, count the same, and know the same of
//! the peer. The core may be stricter in one thing: it ends packets at a bad frame already, the
//! model at the good one behind it (`docs/src/htsp-wire.md`).
//!
//! Every run draws a fresh seed and prints it; `SEED=n` repeats a run.

use std::collections::VecDeque;
use std::time::Duration;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_sim::htsp::{Beat, End, Model, Settings, WORD};
use ropewalk_sim::testing::seed;
use ropewalk_wire::htsp::frame::{self, FOOTER, Frame, HEADER, Header, Mac, NULL_CHANNEL};
use ropewalk_wire::htsp::{Event, Params, Piece, Receiver};

const CHANNELS: u8 = 4;
const DEPTH: u32 = 1024;
const HERE: Mac = Mac([2, 0, 0, 0, 0, 0x0b]);
const THERE: Mac = Mac([2, 0, 0, 0, 0, 0x0a]);
/// Cycles that a verdict and what follows from it take, and some more.
const SETTLE: u32 = 30;

struct Random(Xoshiro256PlusPlus);

impl Random {
    /// A number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        (self.0.next_u64() % limit as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.fill_bytes(&mut bytes);
        bytes
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.fill_bytes(&mut bytes);
        bytes
    }
}

/// A frame as it arrives.
#[derive(Debug, Clone)]
struct Arrival {
    bytes: Vec<u8>,
    /// The MAC says so.
    damaged: bool,
    /// The number of words of it behind which the line is lost.
    lost_behind: Option<usize>,
}

impl Arrival {
    /// Nothing behind the header.
    fn alone(&self) -> bool {
        self.lost_behind.is_none() && self.bytes.len() <= HEADER
    }
}

/// The other end, and what becomes of its frames on the way.
struct Peer {
    random: Random,
    tid: u8,
    open: [bool; CHANNELS as usize],
    recent: VecDeque<Vec<u8>>,
    held: Option<Vec<u8>>,
}

impl Peer {
    /// The next header, of a channel.
    fn header(&mut self, channel: u8) -> Header {
        let random = &mut self.random;
        let tid = self.tid;
        self.tid = tid.wrapping_add(1);
        Header {
            destination: if random.chance(80) {
                HERE
            } else {
                Mac::BROADCAST
            },
            source: if random.chance(95) {
                THERE
            } else {
                Mac(random.array())
            },
            ethertype: 0x0111,
            version: 1,
            tid,
            pause: random.below(1 << 16) as u16,
            channel,
            start: false,
            opcode_valid: random.chance(10),
            link_ready: random.chance(90),
            first_tuser: random.array::<1>()[0],
            takes_tuser: random.chance(50),
            reserved: if random.chance(90) {
                [0; 6]
            } else {
                random.array()
            },
            opcode: random.array(),
            user_data: random.array(),
        }
    }

    fn null(&mut self) -> Vec<u8> {
        self.header(NULL_CHANNEL).encode().to_vec()
    }

    /// A burst that goes on with the channel's packet, or begins one.
    fn burst(&mut self, channel: u8, beats: usize, end: bool) -> Vec<u8> {
        let open = &mut self.open[usize::from(channel)];
        let start = !*open;
        *open = !end;
        let header = Header {
            start,
            ..self.header(channel)
        };
        let random = &mut self.random;
        let size = WORD * beats - if end { random.below(WORD) } else { 0 };
        let (error, pause) = (end && random.chance(5), random.below(1 << 16) as u16);
        frame::encode(&header, &random.bytes(size), end, error, pause).unwrap()
    }

    /// A frame as it should be.
    fn good(&mut self) -> Vec<u8> {
        if self.random.chance(20) {
            return self.null();
        }
        let channel = self.random.below(CHANNELS.into()) as u8;
        let beats = match self.random.below(1000) {
            0 => 1 + self.random.below(1023),
            1..=30 => 1 + self.random.below(130),
            _ => 1 + self.random.below(6),
        };
        let end = self.random.chance(50);
        self.burst(channel, beats, end)
    }

    /// A frame with one field of the header or the footer changed, under a right checksum.
    fn false_field(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        let random = &mut self.random;
        let beat: &[u8; HEADER] = bytes.first_chunk().unwrap();
        let mut header = Header::decode(beat);
        match random.below(8) {
            0 => header.tid = header.tid.wrapping_add(1 + random.below(4) as u8),
            1 => header.tid = header.tid.wrapping_sub(1 + random.below(4) as u8),
            2 => header.tid = random.below(256) as u8,
            3 => header.channel = random.below(CHANNELS.into()) as u8,
            4 => header.channel = [CHANNELS, 15, 16, 0xfe, NULL_CHANNEL][random.below(5)],
            5 => header.start = !header.start,
            6 => match random.below(3) {
                0 => header.destination = THERE,
                1 => header.ethertype = 0x0800,
                _ => header.version = random.below(256) as u8,
            },
            _ if bytes.len() > HEADER + FOOTER => {
                let mut footer = bytes.len() - FOOTER;
                match random.below(5) {
                    0 => bytes[footer] = [0, 1, 63, 64, 65, 0xff][random.below(6)],
                    1 => bytes[footer + 1] ^= 1 << random.below(8),
                    2 => bytes[footer + 4 + random.below(2)] ^= 1 << random.below(8),
                    3 => bytes[footer + random.below(FOOTER)] = random.below(256) as u8,
                    _ => {
                        // Count and size fit each other, and perhaps nothing else.
                        if random.chance(30) {
                            bytes.drain(HEADER..footer);
                            footer = HEADER;
                        }
                        let count = [0, 1, 64, 65][random.below(4)];
                        let size = (footer - HEADER + count).wrapping_sub(WORD) as u16;
                        bytes[footer] = count as u8;
                        bytes[footer + 4..].copy_from_slice(&size.to_le_bytes());
                    }
                }
            }
            _ => {}
        }
        bytes[..HEADER].copy_from_slice(&header.encode());
        bytes
    }

    /// What arrives next, if anything.
    fn next(&mut self) -> Option<Arrival> {
        let mut bytes = self.good();
        self.recent.push_front(bytes.clone());
        self.recent.truncate(8);
        let older = self.recent[self.random.below(self.recent.len())].clone();
        let mut harmed = true;
        let random = &mut self.random;
        match random.below(24) {
            0 => {
                for _ in 0..=random.below(8) {
                    let bit = random.below(8 * bytes.len());
                    bytes[bit / 8] ^= 1 << (bit % 8);
                }
            }
            1 => {
                // Invisible to the checksum: two bytes change places.
                let (i, j) = (random.below(HEADER), random.below(HEADER));
                bytes.swap(i, j);
            }
            2 => bytes.truncate(1 + random.below(bytes.len())),
            3 => bytes.truncate((bytes.len() / WORD * WORD).max(1)),
            4 => {
                let more = 1 + random.below(200);
                bytes.extend(random.bytes(more));
            }
            5 => {
                let (head, tail) = (random.below(bytes.len()), random.below(older.len()));
                bytes.truncate(head + 1);
                bytes.extend(&older[tail..]);
            }
            6 => {
                // The same at the seams of words.
                let head = WORD * (1 + random.below(bytes.len() / WORD));
                let tail = WORD * random.below(older.len().div_ceil(WORD));
                bytes.truncate(head);
                bytes.extend(&older[tail..]);
            }
            7 => bytes = older,
            8 => {
                let count = 1 + random.below(400);
                bytes = random.bytes(count);
                if count > HEADER && random.chance(50) {
                    bytes[..HEADER].copy_from_slice(&older[..HEADER]);
                }
            }
            9 => return None,
            10 => bytes = self.held.replace(bytes)?,
            11..=15 => bytes = self.false_field(bytes),
            _ => harmed = false,
        }
        let random = &mut self.random;
        let words = bytes.len().div_ceil(WORD);
        let lost_behind =
            (words > 1 && random.below(150) == 0).then(|| 1 + random.below(words - 1));
        let damaged = random.chance(if harmed { 30 } else { 4 });
        Some(Arrival {
            bytes,
            damaged,
            lost_behind,
        })
    }
}

/// What a channel has delivered. A packet is its bytes, or nothing if it ended in error.
#[derive(Debug, Default)]
struct Delivered {
    packets: VecDeque<(Option<Vec<u8>>, bool)>,
    open: Option<Vec<u8>>,
    /// The one that is open may end in error because of a bad frame.
    doubt: bool,
}

impl Delivered {
    fn add(&mut self, bytes: &[u8], end: bool, error: bool) {
        let mut packet = self.open.take().unwrap_or_default();
        packet.extend(bytes);
        if end {
            self.packets
                .push_back(((!error).then_some(packet), self.doubt));
            self.doubt = false;
        } else {
            self.open = Some(packet);
        }
    }
}

/// Frames by what they were found to be, and what they told.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
struct Counts {
    good: u64,
    foreign: u64,
    version: u64,
    checksum: u64,
    damaged: u64,
    malformed: u64,
    unknown_channel: u64,
    stale: u64,
    lost: u64,
}

/// RTL and model.
struct Bench {
    random: Random,
    /// Chance that a user takes a word in a cycle, and that the line brings one, per cent.
    take: usize,
    bring: usize,
    end: End,
    rtl: [Delivered; CHANNELS as usize],
    rtl_codes: Vec<[u8; 16]>,
    rtl_counts: Counts,
    rtl_orphans: u64,
    model: Receiver,
    want: [Delivered; CHANNELS as usize],
    want_codes: Vec<[u8; 16]>,
    want_counts: Counts,
    want_data: [u8; 16],
    /// The last header that was taken for good belongs to a good frame.
    settled: bool,
    frames: u64,
}

impl Bench {
    fn new(random: Random) -> Self {
        let model = Model {
            channels: CHANNELS,
            rx_depth: DEPTH,
            bytes: 64,
        };
        let settings = Settings {
            mac: HERE.0,
            null_interval: 127,
            alive: u32::MAX,
            burst: 128,
            pause_level: 256,
            resume_level: 128,
        };
        let params = Params {
            channels: CHANNELS,
            ..Params::new(HERE)
        };
        Bench {
            random,
            take: 100,
            bring: 100,
            end: End::alone("fuzz", model, &settings).unwrap(),
            rtl: Default::default(),
            rtl_codes: Vec::new(),
            rtl_counts: Counts::default(),
            rtl_orphans: 0,
            model: Receiver::new(params).unwrap(),
            want: Default::default(),
            want_codes: Vec::new(),
            want_counts: Counts::default(),
            want_data: [0; 16],
            settled: true,
            frames: 0,
        }
    }

    /// A cycle of the RTL.
    fn cycle(&mut self, word: Option<&Beat>) {
        for channel in 0..CHANNELS {
            let ready = self.random.chance(self.take);
            self.end.set_ready(channel, ready);
            if let Some(beat) = self.end.offered(channel).filter(|_| ready) {
                assert!(beat.bytes == 64 || beat.last && beat.bytes > 0, "{beat:?}");
                self.rtl[usize::from(channel)].add(beat.content(), beat.last, beat.error);
            }
        }
        let events = self.end.events();
        assert_eq!(events.overflow, 0);
        let counts = &mut self.rtl_counts;
        counts.good += u64::from(events.frame) + u64::from(events.null);
        counts.foreign += u64::from(events.foreign);
        counts.version += u64::from(events.version);
        counts.checksum += u64::from(events.checksum);
        counts.damaged += u64::from(events.damaged);
        counts.malformed += u64::from(events.footer_bad);
        counts.unknown_channel += u64::from(events.channel);
        counts.stale += u64::from(events.stale);
        counts.lost += u64::from(events.lost);
        self.rtl_orphans += u64::from(events.orphan);
        self.rtl_codes.extend(self.end.op_code());
        self.end.receive(word);
        self.end.step();
    }

    /// Lets the RTL come to rest.
    fn settle(&mut self) {
        let take = std::mem::replace(&mut self.take, 100);
        let mut quiet = 0;
        while quiet < SETTLE {
            let busy = (0..CHANNELS).any(|channel| self.end.offered(channel).is_some());
            quiet = if busy { 0 } else { quiet + 1 };
            self.cycle(None);
        }
        self.take = take;
    }

    fn feed_rtl(&mut self, frame: &Arrival) {
        let words = frame.bytes.chunks(WORD);
        let count = words.len();
        for (i, chunk) in words.enumerate() {
            if frame.lost_behind == Some(i) {
                for up in [true, false, true] {
                    self.end.set_hearing(up);
                    for _ in 0..SETTLE {
                        self.cycle(None);
                    }
                }
                return;
            }
            let last = i + 1 == count;
            let mut data = self.random.array();
            data[..chunk.len()].copy_from_slice(chunk);
            // What goes with the last word only is of any value before.
            let bytes = if last {
                chunk.len()
            } else {
                self.random.below(WORD + 1)
            } as u8;
            let error = if last {
                frame.damaged
            } else {
                self.random.chance(50)
            };
            self.cycle(Some(&Beat {
                data,
                bytes,
                last,
                error,
            }));
            while !self.random.chance(self.bring) {
                self.cycle(None);
            }
        }
    }

    fn feed_model(&mut self, frame: &Arrival) {
        if frame.alone() && frame.damaged {
            // Nothing in it counts.
            self.want_counts.damaged += 1;
            return;
        }
        let bytes = frame
            .lost_behind
            .map_or(&frame.bytes[..], |words| &frame.bytes[..WORD * words]);
        let damaged = frame.damaged || frame.lost_behind.is_some();
        let before = self.model.counters();
        self.model.receive(Duration::ZERO, bytes, damaged);
        let after = self.model.counters();

        let counts = &mut self.want_counts;
        counts.good += after.good - before.good;
        counts.foreign += after.foreign - before.foreign;
        counts.version += after.version - before.version;
        counts.checksum += after.checksum - before.checksum;
        counts.stale += after.stale - before.stale;
        let bad = after.damaged + after.malformed > before.damaged + before.malformed;
        if bad || after.good > before.good {
            let header = Header::decode(bytes.first_chunk().unwrap());
            // These two the core says at the header.
            let nowhere = !frame.alone() && header.channel == NULL_CHANNEL;
            let unknown = !frame.alone() && !nowhere && header.channel >= CHANNELS;
            counts.unknown_channel += u64::from(unknown);
            if nowhere {
                counts.malformed += 1;
            } else if frame.lost_behind.is_none() {
                counts.damaged += after.damaged - before.damaged;
                counts.malformed += after.malformed - before.malformed;
            }
            self.settled = !bad;
        }
        let doubt = bad || after.checksum > before.checksum;
        self.doubt(doubt);
        self.told();
        self.doubt(doubt);

        if after.stale > before.stale && frame.alone() && Frame::decode(bytes).is_ok() {
            // The core takes such a header as a start of the numbers.
            self.model.set_phy(false);
            self.model.set_phy(true);
            self.model.receive(Duration::ZERO, bytes, false);
            self.told();
            self.want_counts.good += 1;
            self.settled = true;
        }
        if frame.lost_behind.is_some() {
            self.model.set_phy(false);
            self.model.set_phy(true);
            self.told();
            self.settled = true;
        }
    }

    /// Packets that are open now may end in error.
    fn doubt(&mut self, doubt: bool) {
        for channel in &mut self.want {
            channel.doubt |= doubt && channel.open.is_some();
        }
    }

    /// What the model has to say.
    fn told(&mut self) {
        while let Some(event) = self.model.poll_event() {
            match event {
                Event::Data(Piece {
                    channel,
                    bytes,
                    end,
                    error,
                    ..
                }) => {
                    self.want[usize::from(channel)].add(&bytes, end, error);
                }
                Event::OpCode(code) => self.want_codes.push(code),
                Event::UserData(data) => self.want_data = data,
                Event::Lost(missing) => self.want_counts.lost += u64::from(missing),
                Event::Stale(_) | Event::LinkUp | Event::LinkDown(_) => {}
                Event::PeerReady(_) | Event::Orphan(_) => {}
                other => panic!("{other:?} of a receiver alone"),
            }
        }
    }

    /// Gives frames to both, and compares what they make of them; packets that came out well, by
    /// channel.
    fn compare(&mut self, frames: &[Arrival]) -> Vec<Vec<Vec<u8>>> {
        for frame in frames {
            self.frames += 1;
            self.feed_rtl(frame);
            self.feed_model(frame);
        }
        self.settle();
        let peer = self.model.peer();
        if let Some(mac) = peer.mac {
            assert!(self.end.link_up());
            assert_eq!(self.end.remote_mac(), mac.0);
            assert_eq!(self.end.remote_data(), self.want_data);
        }
        assert_eq!(self.end.remote_ready(), peer.ready);
        // A pause is kept to as soon as it is heard.
        assert_eq!(self.end.remote_pause() & peer.pause, peer.pause);
        if self.settled {
            assert_eq!(self.end.remote_pause(), peer.pause);
        }
        assert_eq!(self.rtl_counts, self.want_counts);
        assert!(std::mem::take(&mut self.rtl_codes) == std::mem::take(&mut self.want_codes));
        let orphans = (0..CHANNELS)
            .map(|c| self.model.channel_counters(c).orphans)
            .sum();
        assert!(self.rtl_orphans >= orphans);

        let mut came = Vec::new();
        for (channel, (rtl, want)) in self.rtl.iter_mut().zip(&mut self.want).enumerate() {
            let both = rtl.packets.len().min(want.packets.len());
            let mut whole = Vec::new();
            for (got, wanted) in rtl.packets.drain(..both).zip(want.packets.drain(..both)) {
                match (got.0, wanted) {
                    (Some(got), (Some(wanted), _)) if got == wanted => whole.push(got),
                    (None, (None, _) | (_, true)) => {}
                    pair => panic!("channel {channel}: {pair:?}"),
                }
            }
            assert!(want.packets.is_empty(), "channel {channel}");
            match rtl.packets.front() {
                None => assert_eq!(rtl.open, want.open, "channel {channel}"),
                // Ended by the core, not yet by the model.
                Some((None, _)) => {
                    assert!(rtl.packets.len() == 1 && want.doubt && rtl.open.is_none())
                }
                Some(_) => panic!("channel {channel}: a packet more"),
            }
            came.push(whole);
        }
        came
    }
}

fn fuzz(test: &str, frames: u64) -> Counts {
    let mut seeds = Xoshiro256PlusPlus::seed_from_u64(seed(test));
    let mut peer = Peer {
        random: Random(Xoshiro256PlusPlus::seed_from_u64(seeds.next_u64())),
        tid: 0,
        open: [false; CHANNELS as usize],
        recent: VecDeque::new(),
        held: None,
    };
    let mut bench = Bench::new(Random(seeds));
    let plain = |bytes| Arrival {
        bytes,
        damaged: false,
        lost_behind: None,
    };
    let mut whole = 0;
    while bench.frames < frames {
        for _ in 0..50 {
            let count = 1 + bench.random.below(12);
            let batch: Vec<_> = (0..count).filter_map(|_| peer.next()).collect();
            let words: usize = batch
                .iter()
                .map(|frame| frame.bytes.len().div_ceil(WORD))
                .sum();
            let slow = words < DEPTH as usize && bench.random.chance(50);
            bench.take = if slow { 30 } else { 100 };
            bench.bring = [100, 100, 60][bench.random.below(3)];
            whole += bench.compare(&batch).iter().map(Vec::len).sum::<usize>();
        }
        // The noise is over: whatever it left behind, a header alone is enough to begin anew.
        peer.open = Default::default();
        let headers = [plain(peer.null()), plain(peer.null())];
        bench.compare(&headers);
        let counts = bench.rtl_counts;
        let mut sent = vec![Vec::new(); CHANNELS.into()];
        let mut batch = Vec::new();
        for i in 0..3 {
            for channel in 0..CHANNELS {
                let bytes = peer.burst(channel, 3, i == 2);
                let (payload, footer) = Frame::decode(&bytes).unwrap().payload.unwrap();
                let packet: &mut Vec<u8> = &mut sent[usize::from(channel)];
                packet.extend(payload);
                if footer.error {
                    packet.clear();
                }
                batch.push(plain(bytes));
            }
        }
        let came = bench.compare(&batch);
        let sent: Vec<Vec<_>> = sent.into_iter().map(|p| vec![p; 1]).collect();
        for (came, sent) in came.iter().zip(&sent) {
            assert!(came == sent || came.is_empty() && sent[0].is_empty());
        }
        let good = counts.good + 3 * u64::from(CHANNELS);
        assert_eq!(bench.rtl_counts, Counts { good, ..counts });
    }
    println!(
        "{test}: {} frames, {whole} packets whole, {:?}",
        bench.frames, bench.rtl_counts
    );
    assert!(whole > 0);
    bench.rtl_counts
}

/// Each of the many ways to be wrong is met.
#[test]
fn anything_may_arrive() {
    let counts = fuzz("anything_may_arrive", 200_000);
    let Counts {
        foreign,
        version,
        checksum,
        damaged,
        malformed,
        unknown_channel,
        stale,
        lost,
        ..
    } = counts;
    for count in [
        foreign,
        version,
        checksum,
        damaged,
        malformed,
        unknown_channel,
        stale,
        lost,
    ] {
        assert!(count > 20, "{counts:?}");
    }
}

/// Takes minutes: `cargo test --release -p ropewalk-sim --test htsp_fuzz -- --ignored --nocapture`
#[test]
#[ignore = "a soak: ten million frames take several minutes"]
fn anything_may_arrive_for_long() {
    fuzz("anything_may_arrive_for_long", 10_000_000);
}
