// SPDX-License-Identifier: Apache-2.0
//! One suite for both arrangements of the protocol: fused (`Sender` and `Receiver`), and as stages
//! on the runtime. In virtual time, so that a run with the same seed is the same.

mod ends;

use ends::{Datagram, Ends, Fused, Staged, TAG, session};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_channel::{Channel, Settings};
use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind};
use ropewalk_wire::chunk::report::{Heard, Summary, Writer};
use ropewalk_wire::chunk::session::LaneWriter;
use ropewalk_wire::chunk::subpacket::{SUB_HEADER, Sub, SubHeader};
use ropewalk_wire::chunk::{Fec, Params};
use std::collections::BTreeMap;
use std::time::Duration;

const PAYLOAD: u16 = 64;
const PARAMS: Params = Params {
    payload: PAYLOAD,
    per_frame: 4,
    per_chunk: 64,
    chunks: 3,
    lanes: 1,
    ..Params::PAPER
};
/// Longest time of a transfer, but for those with everything at random.
const LIMIT: Duration = Duration::from_secs(60);

/// Does it with either arrangement.
fn both(params: Params, test: impl Fn(&mut dyn Ends)) {
    println!("fused");
    test(&mut Fused::new(params));
    println!("staged");
    test(&mut Staged::new(params));
}

/// The seed of a run: `SEED`, or another one each time; it is printed.
fn seed() -> u64 {
    let given = std::env::var("SEED")
        .ok()
        .and_then(|text| text.parse().ok());
    let seed = given.unwrap_or_else(ropewalk_channel::seed::fresh);
    println!("SEED={seed}");
    seed
}

/// Lanes with a channel each way.
struct Lanes<'a> {
    now: Duration,
    /// To the receiver, and back.
    channels: [Vec<Channel>; 2],
    /// Sees each datagram that is sent, may change it, and says how often it goes on.
    filter: &'a mut dyn FnMut(Duration, &mut Datagram) -> usize,
}

impl<'a> Lanes<'a> {
    fn new(
        settings: &[Settings],
        seed: u64,
        filter: &'a mut dyn FnMut(Duration, &mut Datagram) -> usize,
    ) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut channel = |settings: &Settings| {
            let seed = random.next_u64();
            let settings = Settings {
                seed,
                ..settings.clone()
            };
            Channel::new(&settings).expect("settings in range")
        };
        Lanes {
            now: Duration::ZERO,
            channels: [(); 2].map(|()| settings.iter().map(&mut channel).collect()),
            filter,
        }
    }

    /// What arrives goes to the ends.
    fn arrive(&mut self, ends: &mut dyn Ends) {
        for (forth, channels) in [true, false].into_iter().zip(&mut self.channels) {
            for (lane, channel) in (0..).zip(channels) {
                while let Some(bytes) = channel.pop(self.now) {
                    ends.receive(self.now, (forth, lane, bytes));
                }
            }
        }
    }

    /// What the ends send goes to the channels.
    fn send(&mut self, sent: Vec<Datagram>) {
        for mut datagram in sent {
            for _ in 0..(self.filter)(self.now, &mut datagram) {
                let (forth, lane, bytes) = &datagram;
                let channel = &mut self.channels[usize::from(!forth)][usize::from(*lane)];
                channel.push(self.now, bytes);
            }
        }
    }

    /// On to the next time at which something happens.
    fn next(&mut self, timer: Option<Duration>) -> Option<Duration> {
        let channels = self.channels.iter().flatten();
        let arrivals = channels.filter_map(Channel::next_timeout);
        let next = arrivals.chain(timer).filter(|&at| at > self.now).min()?;
        self.now = next;
        Some(next)
    }

    /// Sends these chunks: each arrives once, as it was sent, and both ends know it. Says how long
    /// it took.
    fn transfer(&mut self, ends: &mut dyn Ends, chunks: &[Vec<u8>], limit: Duration) -> Duration {
        let (mut offered, mut missing) = (0, (0..).zip(chunks).collect::<BTreeMap<u32, _>>());
        while !ends.is_finished(self.now) {
            self.arrive(ends);
            while offered < chunks.len() && ends.offer(&chunks[offered]) {
                offered += 1;
            }
            if offered == chunks.len() {
                ends.finish();
            }
            let mut sent = Vec::new();
            let step = ends.step(self.now, &mut sent).expect("honest ends");
            for (number, bytes) in &step.chunks {
                let chunk = missing.remove(number);
                assert!(
                    chunk == Some(bytes),
                    "chunk {number} differs, or came twice"
                );
            }
            let moved = !sent.is_empty() || !step.chunks.is_empty();
            self.send(sent);
            if !moved && !ends.is_finished(self.now) {
                // The receiver stays a while for a sender that may not have heard.
                let linger = self.now + Duration::from_millis(100);
                let timer = step.next.or_else(|| missing.is_empty().then_some(linger));
                let next = self.next(timer);
                assert!(
                    next.is_some_and(|at| at < limit),
                    "stuck at {:?}: {} chunks of {} are missing",
                    self.now,
                    missing.len(),
                    chunks.len()
                );
            }
        }
        assert!(missing.is_empty(), "{} chunks are missing", missing.len());
        self.now
    }
}

fn chunks(params: &Params, count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut chunk = |index| {
        // The last one is short.
        let bytes = params.chunk_bytes() - if index + 1 == count { 70 } else { 0 };
        let mut bytes = vec![0; bytes];
        random.fill_bytes(&mut bytes);
        bytes
    };
    (0..count).map(&mut chunk).collect()
}

fn line() -> Settings {
    Settings {
        rate: Some(1_000_000_000),
        queue: 1_000_000,
        delay: Duration::from_millis(1),
        ..Settings::default()
    }
}

/// Sub-packets of a frame that were sent before.
fn again(params: &Params, (forth, _, bytes): &Datagram) -> usize {
    let header = FrameHeader::parse(bytes).expect("a frame").0;
    let subs = bytes[FRAME_HEADER..].chunks(params.stride());
    let subs = subs.take(header.count.into()).filter_map(|bytes| {
        let (sub, _) = Sub::parse(TAG, bytes).filter(|_| *forth)?;
        Some(sub)
    });
    subs.filter(|sub| matches!(sub, Sub::Data(sub) if sub.round > 0))
        .count()
}

#[test]
fn nothing_is_sent_again_where_nothing_is_lost() {
    for lanes in [1, 3] {
        let params = Params { lanes, ..PARAMS };
        both(params, |ends| {
            let mut count = 0;
            let mut filter = |_, datagram: &mut Datagram| {
                count += again(&params, datagram);
                1
            };
            let lines = vec![line(); lanes.into()];
            let mut lanes = Lanes::new(&lines, 1, &mut filter);
            lanes.transfer(ends, &chunks(&params, 20, 1), LIMIT);
            assert_eq!(count, 0);
        });
    }
}

/// Parity that follows a chunk restores what has not arrived before it is sent again.
#[test]
fn what_is_restored_is_not_sent_again() {
    let params = Params {
        fec: Fec::Restore(8, 4),
        ..PARAMS
    };
    both(params, |ends| {
        let (mut frames, mut count) = (0, 0);
        let mut filter = |_, datagram: &mut Datagram| {
            count += again(&params, datagram);
            frames += 1;
            usize::from(!datagram.0 || frames % 7 != 0)
        };
        let mut lanes = Lanes::new(&[line()], 1, &mut filter);
        lanes.transfer(ends, &chunks(&params, 10, 1), LIMIT);
        assert_eq!(count, 0);
    });
}

/// What is on a lane that dies goes over the other one.
#[test]
fn a_lane_dies() {
    for dies in [0, 1] {
        let params = Params { lanes: 2, ..PARAMS };
        both(params, |ends| {
            let mut filter = |now, datagram: &mut Datagram| {
                let dead = datagram.1 == dies && now > Duration::from_millis(3);
                usize::from(!dead)
            };
            let mut lanes = Lanes::new(&[line(), line()], 1, &mut filter);
            lanes.transfer(ends, &chunks(&params, 30, 1), LIMIT);
        });
    }
}

/// The end of the stream and the farewell are lost, some times or always.
#[test]
fn the_end_is_lost() {
    for (kind, times) in [(Kind::Fin, 3), (Kind::Bye, 1), (Kind::Bye, u32::MAX)] {
        both(PARAMS, |ends| {
            let mut left = times;
            let mut filter = |_, (_, _, bytes): &mut Datagram| {
                let header = FrameHeader::parse(bytes).expect("a frame").0;
                let lost = header.kind == kind && left > 0;
                left -= u32::from(lost);
                usize::from(!lost)
            };
            let mut lanes = Lanes::new(&[line()], 1, &mut filter);
            lanes.transfer(ends, &chunks(&PARAMS, 2, 1), LIMIT);
        });
    }
}

/// The last frame of each chunk is lost, and so is whatever asks about it alone: only the idle
/// report of the receiver says that it has not arrived.
#[test]
fn an_idle_report_is_acted_on() {
    for lanes in [1, 2] {
        let params = Params { lanes, ..PARAMS };
        both(params, |ends| {
            let mut left = 16;
            let mut filter = |_, (forth, _, bytes): &mut Datagram| {
                let header = FrameHeader::parse(bytes).expect("a frame").0;
                if *forth && header.count > 0 {
                    left -= 1;
                    let is_lost = left == 0;
                    left += if is_lost { 17 } else { 0 };
                    return usize::from(!is_lost);
                }
                usize::from(header.kind != Kind::Ask)
            };
            // So long that the receiver reports before the sender asks.
            let far = Settings {
                delay: Duration::from_millis(20),
                ..line()
            };
            let lines = vec![far; lanes.into()];
            let mut lanes = Lanes::new(&lines, 1, &mut filter);
            lanes.transfer(ends, &chunks(&params, 6, 1), LIMIT);
        });
    }
}

/// Somebody without keys repeats all that passes: the sender does not take that for a faster path.
#[test]
fn everything_comes_five_times() {
    let params = Params {
        sealed: true,
        ..PARAMS
    };
    both(params, |ends| {
        let bytes = std::cell::Cell::new([0; 2]);
        let mut filter = |_, datagram: &mut Datagram| {
            let mut sums = bytes.get();
            sums[usize::from(datagram.0)] += datagram.2.len();
            bytes.set(sums);
            5
        };
        // The line is not what all of them go through.
        let wide = Settings {
            rate: None,
            ..line()
        };
        let mut lanes = Lanes::new(&[wide], 1, &mut filter);
        let chunks = chunks(&params, 40, 1);
        lanes.transfer(ends, &chunks, LIMIT);
        let payload: usize = chunks.iter().map(Vec::len).sum();
        let [_, forth] = bytes.get();
        // Headers and tags of sub-packets of 64 bytes are half as much again.
        assert!(forth < 2 * payload, "{forth} bytes for {payload}");
    });
}

/// Everything at random.
#[test]
fn every_byte_arrives_once() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed());
    for _ in 0..100 {
        let seed = random.next_u64();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut pick = |choices: &[u64]| choices[random.next_u64() as usize % choices.len()];
        let params = Params {
            payload: pick(&[64, 640, 1216]) as u16,
            per_frame: pick(&[1, 2, 7]) as u8,
            per_chunk: pick(&[8, 64, 400]) as u16,
            chunks: pick(&[1, 2, 5]) as u16,
            lanes: pick(&[1, 2, 3]) as u8,
            sealed: pick(&[0, 1]) == 1,
            fec: [
                Fec::None,
                Fec::Mend(2),
                Fec::Restore(8, 3),
                Fec::Restore(1, 1),
            ][pick(&[0, 0, 1, 2, 3]) as usize],
        };
        let micros = Duration::from_micros;
        let mut lane = |_| Settings {
            rate: [None, Some(100_000_000), Some(10_000_000_000)][pick(&[0, 1, 2]) as usize],
            queue: pick(&[20_000, 1_000_000]) as usize,
            delay: micros(pick(&[1, 1000, 20_000])),
            jitter: micros(pick(&[0, 5, 3000])),
            loss: [0.0, 0.001, 0.05, 0.3][pick(&[0, 1, 2, 3]) as usize],
            burst: [0.0, 0.001][pick(&[0, 1]) as usize],
            ber: [0.0, 1e-6, 1e-5][pick(&[0, 1, 2]) as usize],
            duplicate: [0.0, 0.05, 1.0][pick(&[0, 1, 2]) as usize],
            reorder: [0.0, 0.05][pick(&[0, 1]) as usize],
            held: micros(pick(&[10, 50_000])),
            cuts: match pick(&[0, 0, 300, 2_000_000]) {
                0 => Vec::new(),
                long => vec![micros(5000)..micros(5000 + long)],
            },
            ..Settings::default()
        };
        let settings: Vec<_> = (0..params.lanes).map(&mut lane).collect();
        println!("{seed}: {params:?} {settings:?}");
        both(params, |ends| {
            let mut filter = |_, _: &mut Datagram| 1;
            let mut lanes = Lanes::new(&settings, seed, &mut filter);
            lanes.transfer(ends, &chunks(&params, 6, seed), Duration::from_secs(3000));
        });
    }
}

/// Writes frames of a lane that no honest sender makes.
struct Frames {
    writer: LaneWriter,
    seq: u32,
    datagrams: Vec<Vec<u8>>,
}

impl Frames {
    fn new() -> Self {
        let (writer, _) = session(&PARAMS).sender(&PARAMS).unwrap().remove(0);
        Frames {
            writer,
            seq: 0,
            datagrams: Vec::new(),
        }
    }

    fn header(&mut self, kind: Kind, count: u8) -> FrameHeader {
        self.seq += 1;
        FrameHeader {
            kind,
            lane: 0,
            count,
            seq: FrameSeq::new(self.seq - 1),
            session: TAG.session,
            length: 0,
            time: 0,
        }
    }

    /// A frame of one sub-packet of a chunk, whose check is right whatever it says.
    fn sub(&mut self, chunk: u32, number: u16, last: bool, payload: &[u8]) {
        let length = FRAME_HEADER + SUB_HEADER + payload.len();
        let header = FrameHeader {
            length: length as u16,
            ..self.header(Kind::Data, 1)
        };
        let mut bytes = Vec::new();
        assert!(self.writer.frame(&header, &mut bytes));
        let sub = SubHeader {
            chunk,
            number,
            length: payload.len() as u16,
            last,
            round: 0,
        };
        self.writer.sub_packet(&sub, payload, &mut bytes);
        self.datagrams.push(bytes);
    }

    fn control(&mut self, kind: Kind, body: &[u8]) {
        let header = self.header(kind, 0);
        let mut bytes = Vec::new();
        assert!(self.writer.control(&header, body, &mut bytes));
        self.datagrams.push(bytes);
    }

    /// The rest of a chunk of four, the end of the stream behind it, and the farewell: either the
    /// receiver has that chunk alone, or it says why not.
    fn finish(mut self) {
        for number in 0..4 {
            self.sub(0, number, number == 3, &piece(number));
        }
        self.control(Kind::Fin, &1_u32.to_be_bytes());
        self.control(Kind::Bye, &[]);
        let whole: Vec<u8> = (0..4).flat_map(piece).collect();
        both(PARAMS, |ends| {
            let (mut sent, mut got) = (Vec::new(), Vec::new());
            for datagram in &self.datagrams {
                ends.receive(Duration::ZERO, (true, 0, datagram.clone()));
                match ends.step(Duration::ZERO, &mut sent) {
                    Ok(step) => got.extend(step.chunks),
                    Err(why) => {
                        assert!(why.contains("of chunk 0 contradicts"), "{why}");
                        assert!(got.is_empty());
                        return;
                    }
                }
            }
            assert_eq!(got, [(0, whole.clone())]);
        });
    }
}

fn piece(number: u16) -> [u8; PAYLOAD as usize] {
    [b'a' + number as u8; PAYLOAD as usize]
}

#[test]
fn a_chunk_as_it_should_be() {
    Frames::new().finish();
}

/// Its check is right, its length is that of no piece but the last: the genuine one takes its
/// place.
#[test]
fn a_short_piece_that_is_not_the_last() {
    let mut frames = Frames::new();
    frames.sub(0, 1, false, b"short");
    frames.sub(0, 1, false, b"");
    frames.sub(0, 99, false, &piece(9));
    frames.finish();
}

/// The chunk ends twice: nothing that is wrong is delivered.
#[test]
fn a_chunk_that_ends_twice() {
    let mut frames = Frames::new();
    frames.sub(0, 2, false, &piece(2));
    frames.sub(0, 1, true, b"the end?");
    frames.finish();
}

/// There is no memory for them, and no stream ends before what has come of it.
#[test]
fn chunks_and_ends_that_cannot_be() {
    let mut frames = Frames::new();
    for chunk in [3, 1 << 31, u32::MAX] {
        frames.sub(chunk, 0, true, b"elsewhere");
    }
    frames.control(Kind::Fin, &u32::MAX.to_be_bytes());
    frames.sub(0, 0, false, &piece(0));
    frames.control(Kind::Fin, &0_u32.to_be_bytes());
    frames.control(Kind::Fin, b"?");
    frames.control(Kind::Bye, &[]);
    frames.control(Kind::Report, b"not for a receiver");
    frames.finish();
}

/// Reports that no honest receiver makes, in the middle of a transfer.
#[test]
fn reports_that_cannot_be() {
    let (mut writer, _) = session(&PARAMS).receiver(&PARAMS).unwrap().remove(0);
    let mut report = |seq: u32, summary: Summary| {
        let (mut body, mut bytes) = (Vec::new(), Vec::new());
        let heard = Heard {
            highest: Some(FrameSeq::new(1 << 20)),
            frames: u32::MAX,
            ..Heard::default()
        };
        let mut report = Writer::new(&mut body, 1000, std::iter::once(heard));
        report.section(1 << 30, 1, 8, |_| 0xff);
        report.finish(summary);
        let header = FrameHeader {
            kind: Kind::Report,
            lane: 0,
            count: 0,
            seq: FrameSeq::new((1 << 22) + seq),
            session: TAG.session,
            length: 0,
            time: 0,
        };
        assert!(writer.control(&header, &body, &mut bytes));
        bytes
    };
    // Of a serial that is behind all that the receiver has sent, so that they would count; only
    // the last two are news to a sender that has refused the first ones.
    let base = |base| Summary {
        base,
        credit: base,
        finished: true,
        whole: true,
        ..Summary::default()
    };
    let lies = [base(1 << 20), base(1 << 31), base(u32::MAX)];
    let mut lies: Vec<_> = (0..).zip(lies).map(|(seq, it)| report(seq, it)).collect();
    // A credit that is more than there were to be.
    let credit = Summary {
        credit: 1 << 20,
        ..Summary::default()
    };
    lies.push(report(3, credit));
    both(PARAMS, |ends| {
        for lie in &lies {
            ends.receive(Duration::ZERO, (false, 0, lie.clone()));
        }
        let mut filter = |_, _: &mut Datagram| 1;
        let mut lanes = Lanes::new(&[line()], 1, &mut filter);
        lanes.transfer(ends, &chunks(&PARAMS, 10, 1), LIMIT);
    });
}
