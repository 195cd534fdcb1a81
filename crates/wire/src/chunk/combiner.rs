// SPDX-License-Identifier: Apache-2.0
//! The Sub-Packet Combiner of one lane: finds the sub-packets of a frame that are whole, and says
//! where each belongs. Nothing is put in order: each is copied to its place in its chunk.

use super::frame::{FRAME_HEADER, FrameError, FrameHeader, FrameSeq, Kind};
use super::params::Params;
use super::report::Heard;
use super::session::{LaneReader, Mended};
use super::subpacket::Sub;
use super::window::{Seen, Window};
use std::time::Duration;

/// What a frame was, apart from its sub-packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    /// Sub-packets; `ask`: a report is to be sent now.
    Data {
        /// A report is to be sent now.
        ask: bool,
    },
    /// The number of chunks of the stream (as a sequence number: that of the chunk after the last).
    Fin(u32),
    /// The sender is content.
    Bye,
    /// It has come before.
    Repeated,
    /// Not of this session, not for a receiver, or damaged.
    Foreign,
}

/// What a combiner counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CombinerCounters {
    /// Frames with anything usable in them, or nothing in them at all.
    pub frames: u64,
    /// Sub-packets that were whole.
    pub sub_packets: u64,
    /// Sub-packets that were damaged.
    pub damaged: u64,
    /// Datagrams that were no frames of this session.
    pub foreign: u64,
    /// Frames that had come before.
    pub repeated: u64,
    /// What was mended.
    pub mended: Mended,
}

/// Takes a share of the sub-packets for damaged, as the paper does to measure the influence of loss
/// (section V).
#[derive(Debug, Clone)]
pub struct Discard {
    below: u64,
    state: u64,
}

impl Discard {
    /// Takes so large a share, of 0 to 1; which ones follows from the seed.
    #[must_use]
    pub fn new(share: f64, seed: u64) -> Self {
        Discard {
            below: (share.clamp(0.0, 1.0) * (1u64 << 53) as f64) as u64,
            state: seed,
        }
    }

    /// Whether the next one is taken.
    fn next(&mut self) -> bool {
        // Steele's SplitMix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) >> 11 < self.below
    }
}

/// The receiving side of one lane.
#[derive(Debug)]
pub struct Combiner {
    params: Params,
    reader: LaneReader,
    lane: u8,
    highest: Option<(FrameSeq, u32, Duration)>,
    window: Window,
    discard: Option<Discard>,
    counters: CombinerCounters,
}

impl Combiner {
    /// A lane on which nothing has arrived.
    #[must_use]
    pub fn new(params: Params, reader: LaneReader, lane: u8) -> Self {
        Combiner {
            params,
            reader,
            lane,
            highest: None,
            window: Window::default(),
            discard: None,
            counters: CombinerCounters::default(),
        }
    }

    /// The sizes that it reads.
    #[must_use]
    pub fn params(&self) -> Params {
        self.params
    }

    /// From now on some sub-packets count as damaged.
    pub fn set_discard(&mut self, discard: Discard) {
        self.discard = Some(discard);
    }

    /// Takes a datagram, and hands over each of its sub-packets that is whole, also where the
    /// header of the frame is damaged. A frame that has come before is not looked at again: it says
    /// nothing of the path, and whoever repeats it must not make this end answer. One that is too
    /// old to know counts for nothing either, but what it carries is taken.
    pub fn receive(
        &mut self,
        now: Duration,
        datagram: &[u8],
        take: &mut impl FnMut(Sub, &[u8]),
    ) -> Frame {
        let parsed = FrameHeader::parse(datagram);
        if parsed == Err(FrameError::Check)
            && self.sub_packets(None, &datagram[FRAME_HEADER..], self.params.per_frame, take)
        {
            self.counters.frames += 1;
            return Frame::Data { ask: false };
        }
        let parsed = parsed.ok().filter(|(header, _)| {
            header.session == self.reader.session() && header.lane == self.lane
        });
        let Some((header, body)) = parsed else {
            self.counters.foreign += 1;
            return Frame::Foreign;
        };
        let seen = self.window.look(header.seq);
        if seen == Seen::Before {
            self.counters.repeated += 1;
            // Whoever repeats everything fills no log.
            if self.counters.repeated.is_power_of_two() {
                event!(
                    DEBUG,
                    session = header.session,
                    lane = self.lane,
                    frames = self.counters.repeated,
                    "replay dropped"
                );
            }
            return Frame::Repeated;
        }
        let control = self.reader.control(&header, datagram);
        let is_control = control.is_some();
        let frame = match (header.kind, control) {
            (Kind::Data, _) if header.count > 0 => Frame::Data { ask: false },
            (Kind::Ask, _) if header.count > 0 => Frame::Data { ask: true },
            (Kind::Ask, Some([])) => Frame::Data { ask: true },
            (Kind::Fin, Some(&[a, b, c, d])) => Frame::Fin(u32::from_be_bytes([a, b, c, d])),
            (Kind::Bye, Some([])) => Frame::Bye,
            _ => Frame::Foreign,
        };
        if frame == Frame::Foreign {
            self.counters.foreign += 1;
            return frame;
        }
        let frame_header = datagram.first_chunk().map(|bytes| (header.seq, bytes));
        let usable = is_control || self.sub_packets(frame_header, body, header.count, take);
        if !usable {
            self.counters.damaged += u64::from(header.count);
        }
        // What stands in the header of a frame counts only if something in it is of this session
        // beyond doubt.
        if usable && seen == Seen::Old {
            self.counters.repeated += 1;
            return match frame {
                Frame::Data { .. } => Frame::Data { ask: false },
                _ => Frame::Repeated,
            };
        }
        if usable {
            self.window.note(header.seq);
            self.counters.frames += 1;
            if self
                .highest
                .is_none_or(|(highest, ..)| header.seq.since(highest) > 0)
            {
                self.highest = Some((header.seq, header.time, now));
            }
        }
        frame
    }

    /// Hands over each sub-packet that is whole, and says whether there was any.
    fn sub_packets(
        &mut self,
        frame: Option<(FrameSeq, &[u8; FRAME_HEADER])>,
        body: &[u8],
        count: u8,
        take: &mut impl FnMut(Sub, &[u8]),
    ) -> bool {
        // All but the last have the full length, so that a damaged one does not hide those behind
        // it.
        let all = body.chunks(self.params.stride()).take(usize::from(count));
        let expected = all.len() as u64;
        let mut usable = 0;
        // Most frames are plain. They have a loop of their own, so that headers stay in registers.
        if let Some(tag) = self.reader.plain() {
            for bytes in all {
                if let Some((sub, payload)) = Sub::parse(tag, bytes)
                    && !self.discard.as_mut().is_some_and(Discard::next)
                {
                    usable += 1;
                    take(sub, payload);
                }
            }
        } else {
            for (bytes, index) in all.zip(0..) {
                if let Some((sub, payload)) = self.reader.sub_packet(frame, index, bytes)
                    && !self.discard.as_mut().is_some_and(Discard::next)
                {
                    usable += 1;
                    take(sub, payload);
                }
            }
        }
        self.counters.sub_packets += usable;
        if usable > 0 {
            self.counters.damaged += expected - usable;
        }
        usable > 0
    }

    /// What is known of the lane.
    #[must_use]
    pub fn heard(&self, now: Duration) -> Heard {
        let Some((highest, echo, at)) = self.highest else {
            return Heard::default();
        };
        let heard = Heard {
            highest: Some(highest),
            frames: self.counters.frames as u32,
            echo,
            hold: 0,
        };
        heard.after(now.saturating_sub(at))
    }

    /// What was counted.
    #[must_use]
    pub fn counters(&self) -> CombinerCounters {
        CombinerCounters {
            mended: self.reader.mended(),
            ..self.counters
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::seal::SessionKey;
    use super::super::session::Session;
    use super::super::subpacket::SubHeader;
    use super::super::window::WINDOW;
    use super::*;

    const PARAMS: Params = Params {
        payload: 64,
        per_frame: 1,
        sealed: true,
        ..Params::PAPER
    };

    /// Either end takes its own.
    fn session() -> Session {
        Session::sealed(7, SessionKey::new(b"secret", b""))
    }

    /// Frames that ask, with these numbers.
    fn frames(numbers: impl Iterator<Item = u32>) -> Vec<Vec<u8>> {
        let (mut writer, _) = session().sender(&PARAMS).unwrap().remove(0);
        let frame = |number| {
            let header = FrameHeader {
                kind: Kind::Ask,
                lane: 0,
                count: 1,
                seq: FrameSeq::new(number),
                session: 7,
                length: PARAMS.frame_bytes() as u16,
                time: 0,
            };
            let sub = SubHeader {
                chunk: 0,
                number: 0,
                length: 64,
                last: true,
                round: 0,
            };
            let mut bytes = Vec::new();
            assert!(writer.frame(&header, &mut bytes));
            writer.sub_packet(&sub, &[1; 64], &mut bytes);
            bytes
        };
        numbers.map(frame).collect()
    }

    /// Nothing that is not of this session and lane, or that no sender writes, makes this end
    /// answer, and each is counted.
    #[test]
    fn what_is_foreign_is_counted() {
        let (_, reader) = session().receiver(&PARAMS).unwrap().remove(0);
        let mut combiner = Combiner::new(PARAMS, reader, 0);
        let (mut writer, _) = session().sender(&PARAMS).unwrap().remove(0);
        let mut control = |kind, seq, session, lane, body: &[u8]| {
            let header = FrameHeader {
                kind,
                lane,
                count: 0,
                seq: FrameSeq::new(seq),
                session,
                length: 0,
                time: 0,
            };
            let mut bytes = Vec::new();
            assert!(writer.control(&header, body, &mut bytes));
            bytes
        };
        let mut damaged = control(Kind::Ask, 4, 7, 0, b"");
        *damaged.last_mut().unwrap() ^= 1;
        let foreign = [
            b"anything".to_vec(),
            control(Kind::Ask, 5, 8, 0, b""),
            control(Kind::Ask, 6, 7, 1, b""),
            control(Kind::Ask, 7, 7, 0, b"?"),
            control(Kind::Data, 8, 7, 0, b""),
            control(Kind::Fin, 9, 7, 0, b"five."),
            control(Kind::Bye, 10, 7, 0, b"?"),
            control(Kind::Report, 11, 7, 0, b""),
            damaged,
        ];
        let mut receive = |bytes: &[u8]| combiner.receive(Duration::ZERO, bytes, &mut |_, _| ());
        for bytes in &foreign {
            assert_eq!(receive(bytes), Frame::Foreign);
        }
        let ask = control(Kind::Ask, 12, 7, 0, b"");
        assert_eq!(receive(&ask), Frame::Data { ask: true });
        let expected = CombinerCounters {
            frames: 1,
            foreign: foreign.len() as u64,
            ..CombinerCounters::default()
        };
        assert_eq!(combiner.counters(), expected);
    }

    /// Whoever repeats frames makes no end answer, and counts for nothing.
    #[test]
    fn a_frame_counts_once() {
        let (_, reader) = session().receiver(&PARAMS).unwrap().remove(0);
        let mut combiner = Combiner::new(PARAMS, reader, 0);
        let taken = std::cell::Cell::new(0);
        let receive = |combiner: &mut Combiner, bytes: &[u8]| {
            combiner.receive(Duration::ZERO, bytes, &mut |_, _| {
                taken.set(taken.get() + 1)
            })
        };
        let all = frames([0, 1, 2, WINDOW + 1].into_iter());
        for number in [2, 0] {
            assert_eq!(
                receive(&mut combiner, &all[number]),
                Frame::Data { ask: true }
            );
            for _ in 0..5 {
                assert_eq!(receive(&mut combiner, &all[number]), Frame::Repeated);
            }
        }
        assert_eq!(receive(&mut combiner, &all[3]), Frame::Data { ask: true });
        // Too old to know: its data may be of use.
        assert_eq!(receive(&mut combiner, &all[1]), Frame::Data { ask: false });
        assert_eq!(taken.get(), 4);
        let counters = combiner.counters();
        assert_eq!((counters.frames, counters.repeated), (3, 11));
        assert_eq!(combiner.heard(Duration::ZERO).frames, 3);
        // A header that nobody signed says nothing of the frame that has its number.
        let genuine = frames([WINDOW + 2].into_iter()).remove(0);
        let mut forged = genuine.clone();
        *forged.last_mut().unwrap() ^= 1;
        receive(&mut combiner, &forged);
        assert_eq!(receive(&mut combiner, &genuine), Frame::Data { ask: true });
        assert_eq!(combiner.heard(Duration::ZERO).frames, 4);
    }

    /// The first words of SplitMix64 with seed 0, and those that are just taken and just not.
    #[test]
    fn a_share_is_discarded() {
        let words = [
            0xe220_a839_7b1d_cdaf_u64,
            0x6e78_9e6a_a1b9_65f4,
            0x06c4_5d18_8009_454f,
        ];
        for (index, word) in words.into_iter().enumerate() {
            for (more, taken) in [(0, false), (1, true)] {
                let below = (word >> 11) + more;
                let mut discard = Discard { below, state: 0 };
                let all: Vec<_> = (0..=index).map(|_| discard.next()).collect();
                assert_eq!(all[index], taken);
            }
        }
        for (share, below) in [(-1.0, 0), (0.5, 1 << 52), (2.0, 1 << 53)] {
            assert_eq!(Discard::new(share, 3).below, below);
        }
    }

    /// Two lanes of frames of three sub-packets, with checks.
    const CHECKED: Params = Params {
        payload: 64,
        per_frame: 3,
        lanes: 2,
        ..Params::PAPER
    };

    fn checked() -> Session {
        let (session, secret) = (7, 9);
        Session::checked(super::super::subpacket::Tag { session, secret })
    }

    fn header(kind: Kind, seq: u32, count: u8) -> FrameHeader {
        FrameHeader {
            kind,
            lane: 1,
            count,
            seq: FrameSeq::new(seq),
            session: 7,
            length: (FRAME_HEADER + usize::from(count) * CHECKED.stride()) as u16,
            time: 1000 * seq,
        }
    }

    /// A frame of sub-packets on lane 1.
    fn data(header: FrameHeader) -> Vec<u8> {
        let (mut writer, _) = checked().sender(&CHECKED).unwrap().remove(1);
        let mut bytes = Vec::new();
        assert!(writer.frame(&header, &mut bytes));
        for number in 0..header.count.into() {
            let sub = SubHeader {
                chunk: 0,
                number,
                length: 64,
                last: false,
                round: 0,
            };
            writer.sub_packet(&sub, &[1; 64], &mut bytes);
        }
        bytes
    }

    fn control(kind: Kind, seq: u32, body: &[u8]) -> Vec<u8> {
        let (mut writer, _) = checked().sender(&CHECKED).unwrap().remove(1);
        let mut bytes = Vec::new();
        assert!(writer.control(&header(kind, seq, 0), body, &mut bytes));
        bytes
    }

    #[test]
    fn what_frames_are() {
        let (_, reader) = checked().receiver(&CHECKED).unwrap().remove(1);
        let mut combiner = Combiner::new(CHECKED, reader, 1);
        let of = |kind, seq, count| data(header(kind, seq, count));
        let mut damaged = of(Kind::Ask, 3, 3);
        damaged[FRAME_HEADER] ^= 1;
        let mut nameless = of(Kind::Ask, 90, 3);
        nameless[1] ^= 1;
        let mut lost = of(Kind::Data, 4, 2);
        lost.iter_mut()
            .skip(FRAME_HEADER)
            .step_by(80)
            .for_each(|byte| *byte ^= 1);
        let [none, ask] = [false, true].map(|ask| Frame::Data { ask });
        let other = |header: FrameHeader| data(header);
        for (datagram, frame, numbers) in [
            (of(Kind::Data, 1, 3), none, &[0, 1, 2][..]),
            (of(Kind::Ask, 2, 1), ask, &[0]),
            (of(Kind::Ask, 2, 1), Frame::Repeated, &[]),
            (damaged, ask, &[1, 2]),
            // Neither number nor question of a damaged header count.
            (nameless, none, &[0, 1, 2]),
            (lost, none, &[]),
            (of(Kind::Data, 5, 0), Frame::Foreign, &[]),
            (of(Kind::Report, 5, 1), Frame::Foreign, &[]),
            (control(Kind::Ask, 5, &[]), ask, &[]),
            (control(Kind::Ask, 6, &[0]), Frame::Foreign, &[]),
            (control(Kind::Fin, 6, &[0, 0, 1, 2]), Frame::Fin(258), &[]),
            (control(Kind::Fin, 7, &[0, 0, 1]), Frame::Foreign, &[]),
            (control(Kind::Bye, 7, &[]), Frame::Bye, &[]),
            (control(Kind::Report, 8, &[]), Frame::Foreign, &[]),
            (vec![0; 10], Frame::Foreign, &[]),
            (
                other(FrameHeader {
                    lane: 0,
                    ..header(Kind::Data, 8, 1)
                }),
                Frame::Foreign,
                &[],
            ),
            (
                other(FrameHeader {
                    session: 8,
                    ..header(Kind::Data, 8, 1)
                }),
                Frame::Foreign,
                &[],
            ),
        ] {
            let mut taken = Vec::new();
            let was = combiner.receive(Duration::ZERO, &datagram, &mut |sub, bytes| {
                let Sub::Data(sub) = sub else {
                    panic!("no parity was sent");
                };
                assert_eq!(bytes, [1; 64]);
                taken.push(sub.number);
            });
            assert_eq!((was, &taken[..]), (frame, numbers));
        }
        let counters = CombinerCounters {
            frames: 7,
            sub_packets: 3 + 1 + 2 + 3,
            damaged: 1 + 2,
            foreign: 8,
            repeated: 1,
            mended: Mended::default(),
        };
        assert_eq!(combiner.counters(), counters);
    }

    /// Of the highest frame, and for how long it has been here.
    #[test]
    fn what_is_known_of_a_lane() {
        let (_, reader) = checked().receiver(&CHECKED).unwrap().remove(1);
        let mut combiner = Combiner::new(CHECKED, reader, 1);
        let ms = Duration::from_millis;
        assert_eq!(combiner.heard(ms(3)), Heard::default());
        for (seq, at) in [(4, 10), (6, 11), (5, 12)] {
            let frame = data(header(Kind::Data, seq, 1));
            combiner.receive(ms(at), &frame, &mut |_, _| ());
        }
        let heard = Heard {
            highest: Some(FrameSeq::new(6)),
            frames: 3,
            echo: 6000,
            hold: 2000,
        };
        assert_eq!(combiner.heard(ms(13)), heard);
        assert_eq!(combiner.params(), CHECKED);
    }
}
