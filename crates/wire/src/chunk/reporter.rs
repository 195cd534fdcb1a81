// SPDX-License-Identifier: Apache-2.0
//! The Ack Generator with all that is a matter of the receiving end as a whole: restores from
//! parity, knows the end of the stream, and writes reports as datagrams. The memory of the chunks
//! is with whoever uses it.

use super::ack_generator::{AckGenerator, Use};
use super::combiner::Frame;
use super::frame::{FrameHeader, FrameSeq, Kind};
use super::params::Params;
use super::parity::{Contradiction, Ready, Restorer};
use super::receiver::{ReceiverCounters, ReceiverSettings};
use super::report::Heard;
use super::session::LaneWriter;
use super::subpacket::{ParityHeader, SubHeader};
use std::time::Duration;

/// Memory of the chunks that may arrive.
pub trait Places {
    /// Reads sub-packets of a chunk, which are there, by their numbers.
    fn reader<'a>(&'a mut self, chunk: u32) -> Option<impl Fn(u16) -> Option<&'a [u8]> + 'a>;

    /// Copies a sub-packet to its place; false if it has none, or another one is there.
    fn write(&mut self, sub: &SubHeader, bytes: &[u8]) -> bool;
}

/// What has arrived at a receiving end, and the reports of it.
#[derive(Debug)]
pub struct Reporter {
    acks: AckGenerator,
    restorer: Option<Restorer>,
    linger: Duration,
    /// Most bytes of the body of a report.
    limit: usize,
    body: Vec<u8>,
    /// The lane of the next report.
    answer: usize,
    back: Vec<(FrameSeq, LaneWriter)>,
    bye: bool,
    finished_at: Option<Duration>,
    counters: ReceiverCounters,
}

impl Reporter {
    /// Nothing has arrived. `writers`: of the reports, one for each lane; `limit`: most bytes of
    /// the body of one.
    #[must_use]
    pub fn new(
        params: Params,
        settings: ReceiverSettings,
        writers: Vec<LaneWriter>,
        limit: usize,
    ) -> Self {
        let back = writers.into_iter();
        Reporter {
            acks: AckGenerator::new(params, settings.timer, settings.first),
            restorer: Restorer::new(params),
            linger: settings.linger,
            limit,
            body: Vec::new(),
            answer: 0,
            back: back.map(|writer| (FrameSeq::default(), writer)).collect(),
            bye: false,
            finished_at: None,
            counters: ReceiverCounters::default(),
        }
    }

    /// A sub-packet is whole. `bytes`: it is copied to its place if it is of use; without them it
    /// was before.
    pub fn data(
        &mut self,
        now: Duration,
        sub: &SubHeader,
        bytes: Option<&[u8]>,
        places: &mut impl Places,
    ) -> Use {
        let what = self.acks.usable(now, sub);
        match what {
            Use::New => {
                self.counters.sub_packets += 1;
                if let Some(bytes) = bytes {
                    places.write(sub, bytes);
                }
                let restorer = self.restorer.as_mut();
                if let Some(ready) = restorer.and_then(|it| it.data(sub.chunk, sub.number)) {
                    self.restore(now, ready, places);
                }
            }
            Use::Known => self.counters.known += 1,
            Use::Elsewhere => self.counters.elsewhere += 1,
            Use::Wrong => self.counters.wrong += 1,
        }
        what
    }

    /// A sub-packet is whole, but another one is at its place, or about to be.
    pub fn known(&mut self, now: Duration, sub: &SubHeader) {
        self.acks.known(now, sub);
    }

    /// Parity of a chunk is whole.
    pub fn parity(
        &mut self,
        now: Duration,
        sub: &ParityHeader,
        bytes: &[u8],
        places: &mut impl Places,
    ) {
        match self.acks.parity(now, sub) {
            // What is not needed is none of what counts.
            Use::Known | Use::Elsewhere => return,
            Use::Wrong => {
                self.counters.wrong += 1;
                return;
            }
            Use::New => {}
        }
        let (Some(restorer), Some(there)) = (&mut self.restorer, self.acks.there(sub.chunk)) else {
            return;
        };
        match restorer.parity(sub, bytes, there) {
            Ok(None) => {}
            Ok(Some(ready)) => self.restore(now, ready, places),
            Err(Contradiction) => self.counters.wrong += 1,
        }
    }

    /// Copies what is missing of a block to its place.
    fn restore(&mut self, now: Duration, ready: Ready, places: &mut impl Places) {
        let (acks, restored) = (&mut self.acks, &mut self.counters.restored);
        let (Some(restorer), Some(there)) = (&mut self.restorer, acks.there(ready.chunk)) else {
            return;
        };
        let Some(read) = places.reader(ready.chunk) else {
            return;
        };
        if !restorer.gather(ready, there, read) {
            return;
        }
        // One that somebody else has written is on its way here, and counts then.
        restorer.restore(ready, |sub, bytes| {
            if places.write(sub, bytes) && acks.usable(now, sub) == Use::New {
                *restored += 1;
            }
        });
    }

    /// A frame has come on a lane, after all of its sub-packets.
    pub fn frame(&mut self, now: Duration, lane: u8, frame: Frame) {
        match frame {
            Frame::Data { ask: true } => {
                self.acks.ask();
                self.answer = lane.into();
            }
            Frame::Fin(end) => {
                if self.acks.fin(end) {
                    self.answer = lane.into();
                    self.finished_at = None;
                }
            }
            Frame::Bye if !self.bye && self.is_finished() => {
                self.bye = true;
                event!(
                    INFO,
                    session = self.back[0].1.session(),
                    reason = "Complete",
                    "receiver closed"
                );
            }
            Frame::Bye => {}
            Frame::Data { ask: false } | Frame::Foreign | Frame::Repeated => {}
        }
        // The end may have been told before all was there.
        if self.finished_at.is_none() && self.is_finished() {
            self.finished_at = Some(now);
        }
    }

    /// The next complete chunk: its number and its bytes.
    pub fn poll_complete(&mut self) -> Option<(u32, usize)> {
        let (chunk, bytes) = self.acks.poll_complete()?;
        if let Some(restorer) = &mut self.restorer {
            restorer.forget(chunk);
        }
        self.counters.chunks += 1;
        self.counters.bytes += bytes as u64;
        Some((chunk, bytes))
    }

    /// There is memory, and so credit, for another chunk.
    pub fn release(&mut self) {
        self.acks.release();
    }

    /// Whether the next report is sent because of something that has come.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.acks.is_pending()
    }

    /// Adds a report, as a datagram, to `bytes` if one is due, and says on which lane it goes out.
    /// `looked`: as in [`AckGenerator::poll_report`].
    pub fn poll_transmit(
        &mut self,
        now: Duration,
        looked: Duration,
        heard: impl ExactSizeIterator<Item = Heard>,
        bytes: &mut Vec<u8>,
    ) -> Option<u8> {
        self.body.clear();
        let (acks, limit) = (&mut self.acks, self.limit);
        if !acks.poll_report(now, looked, limit, heard, &mut self.body) {
            return None;
        }
        // What nobody asked for goes round the lanes, as one of them may be dead.
        let lane = self.answer;
        self.answer = (lane + 1) % self.back.len();
        let (seq, writer) = &mut self.back[lane];
        let header = FrameHeader {
            kind: Kind::Report,
            lane: lane as u8,
            count: 0,
            seq: *seq,
            session: writer.session(),
            length: 0,
            time: now.as_micros() as u32,
        };
        *seq = seq.next();
        if !writer.control(&header, &self.body, bytes) {
            return None;
        }
        self.counters.reports += 1;
        Some(lane as u8)
    }

    /// When a report is due, if nothing arrives before.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Duration> {
        self.acks.next_timeout()
    }

    /// Whether everything has arrived.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.acks.is_finished()
    }

    /// When this end may go: everything has arrived, and the sender knows, or has been silent for
    /// so long that it must.
    #[must_use]
    pub fn may_go(&self) -> Option<Duration> {
        let gone = self.finished_at.map(|at| at + self.linger);
        let gone = if self.bye { Some(Duration::ZERO) } else { gone };
        gone.filter(|_| self.is_finished())
    }

    /// What was counted, but for that of the combiners.
    #[must_use]
    pub fn counters(&self) -> ReceiverCounters {
        self.counters
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::Fec;
    use super::super::parity::Maker;
    use super::super::session::Session;
    use super::super::subpacket::Tag;
    use super::*;

    const PARAMS: Params = Params {
        payload: 64,
        per_chunk: 8,
        chunks: 1,
        fec: Fec::Restore(4, 1),
        ..Params::PAPER
    };

    /// Memory of one chunk.
    struct Memory([u8; 512]);

    impl Places for Memory {
        fn reader<'a>(&'a mut self, _: u32) -> Option<impl Fn(u16) -> Option<&'a [u8]> + 'a> {
            let memory = &self.0;
            Some(move |number: u16| memory.chunks(64).nth(number.into()))
        }

        fn write(&mut self, sub: &SubHeader, bytes: &[u8]) -> bool {
            let at = usize::from(sub.number) * 64;
            self.0[at..at + bytes.len()].copy_from_slice(bytes);
            true
        }
    }

    fn sub(chunk: u32, number: u16) -> SubHeader {
        SubHeader {
            chunk,
            number,
            length: 64,
            last: number == 3,
            round: 0,
        }
    }

    /// Each kind of sub-packet is counted as what it is, and nothing else.
    #[test]
    fn what_comes_is_counted() {
        let tag = Tag {
            session: 7,
            secret: 9,
        };
        let ends = Session::checked(tag).receiver(&PARAMS).unwrap();
        let writers = ends.into_iter().map(|(writer, _)| writer).collect();
        let mut reporter = Reporter::new(PARAMS, ReceiverSettings::default(), writers, 1000);
        let (now, mut memory) = (Duration::ZERO, Memory([0; 512]));
        let chunk: Vec<u8> = (0..=255).collect();
        let mut data = |reporter: &mut Reporter, sub: SubHeader| {
            let bytes = &chunk[usize::from(sub.number) % 4 * 64..][..64];
            reporter.data(now, &sub, Some(bytes), &mut memory)
        };
        assert_eq!(data(&mut reporter, sub(0, 0)), Use::New);
        assert_eq!(data(&mut reporter, sub(0, 0)), Use::Known);
        assert_eq!(data(&mut reporter, sub(1, 0)), Use::Elsewhere);
        assert_eq!(data(&mut reporter, sub(0, 8)), Use::Wrong);
        assert_eq!(data(&mut reporter, sub(0, 1)), Use::New);
        assert_eq!(data(&mut reporter, sub(0, 3)), Use::New);
        let mut maker = Maker::new(PARAMS).unwrap();
        maker.advance(0, &chunk, 4);
        let made = maker.made().get(0).to_vec();
        let right = ParityHeader {
            chunk: 0,
            number: 0,
            count: 4,
            last: 64,
        };
        let of_five = ParityHeader { count: 5, ..right };
        reporter.parity(now, &of_five, &made, &mut memory);
        assert_eq!(reporter.counters().wrong, 2);
        reporter.parity(now, &right, &made[..63], &mut memory);
        assert_eq!(reporter.counters().wrong, 3);
        assert_eq!(reporter.poll_complete(), None);
        reporter.parity(now, &right, &made, &mut memory);
        assert_eq!(reporter.poll_complete(), Some((0, 256)));
        assert_eq!(memory.0[..256], chunk);
        let expected = ReceiverCounters {
            chunks: 1,
            bytes: 256,
            sub_packets: 3,
            known: 1,
            restored: 1,
            elsewhere: 1,
            wrong: 3,
            ..ReceiverCounters::default()
        };
        assert_eq!(reporter.counters(), expected);
    }

    /// A report goes out on the lane that has asked for it; those that nobody has asked for go
    /// round.
    #[test]
    fn lanes_of_reports() {
        let tag = Tag {
            session: 7,
            secret: 9,
        };
        let params = Params { lanes: 3, ..PARAMS };
        let writers = Session::checked(tag).receiver(&params).unwrap();
        let writers = writers.into_iter().map(|(writer, _)| writer).collect();
        let settings = ReceiverSettings::default();
        let mut reporter = Reporter::new(params, settings, writers, 1000);
        let mut memory = Memory([0; 512]);
        let ms = Duration::from_millis;
        let report = |reporter: &mut Reporter, now| {
            let mut bytes = Vec::new();
            let heard = [Heard::default(); 3].into_iter();
            let lane = reporter.poll_transmit(now, now, heard, &mut bytes)?;
            let (header, _) = FrameHeader::parse(&bytes).unwrap();
            assert_eq!((header.kind, header.lane), (Kind::Report, lane));
            assert_eq!(u128::from(header.time), now.as_micros());
            Some((lane, header.seq.get()))
        };
        assert_eq!(report(&mut reporter, ms(0)), None);
        reporter.data(ms(0), &sub(0, 0), Some(&[0; 64]), &mut memory);
        assert_eq!(reporter.next_timeout(), Some(ms(10)));
        let mut now = ms(0);
        for expected in [(0, 0), (1, 0), (2, 0), (0, 1)] {
            now = reporter.next_timeout().unwrap();
            assert_eq!(report(&mut reporter, now), Some(expected));
        }
        reporter.frame(now, 2, Frame::Data { ask: false });
        assert!(!reporter.is_pending());
        reporter.frame(now, 2, Frame::Data { ask: true });
        assert!(reporter.is_pending());
        assert_eq!(report(&mut reporter, now), Some((2, 1)));
        // An end that cannot be is none, and none asks for a report.
        reporter.frame(now, 1, Frame::Fin(9));
        assert_eq!(report(&mut reporter, now), None);
        assert_eq!(reporter.counters().reports, 5);
    }

    /// An end may go when the sender says that it knows the end, or after a while; before all has
    /// arrived nobody can know it.
    #[test]
    fn when_an_end_may_go() {
        let tag = Tag {
            session: 7,
            secret: 9,
        };
        for (fin_first, byes) in [(false, false), (true, true), (true, false)] {
            let writers = Session::checked(tag).receiver(&PARAMS).unwrap();
            let writers = writers.into_iter().map(|(writer, _)| writer).collect();
            let settings = ReceiverSettings {
                linger: Duration::from_secs(2),
                ..ReceiverSettings::default()
            };
            let mut reporter = Reporter::new(PARAMS, settings, writers, 1000);
            let mut memory = Memory([0; 512]);
            let ms = Duration::from_millis;
            if fin_first {
                reporter.frame(ms(1), 0, Frame::Fin(1));
            }
            reporter.frame(ms(1), 0, Frame::Bye);
            for number in 0..4 {
                assert!(!reporter.is_finished() && reporter.may_go().is_none());
                reporter.data(ms(2), &sub(0, number), Some(&[0; 64]), &mut memory);
            }
            reporter.frame(ms(3), 0, Frame::Data { ask: false });
            if !fin_first {
                assert!(reporter.may_go().is_none());
                reporter.frame(ms(4), 0, Frame::Fin(1));
            }
            let since = if fin_first { 3 } else { 4 };
            assert_eq!(reporter.may_go(), Some(ms(2000 + since)));
            // It asks again: the sender has not seen the report.
            reporter.frame(ms(5), 0, Frame::Data { ask: true });
            assert_eq!(reporter.may_go(), Some(ms(2000 + since)));
            reporter.frame(ms(6), 0, Frame::Fin(1));
            assert_eq!(reporter.may_go(), Some(ms(2006)));
            if byes {
                reporter.frame(ms(7), 0, Frame::Bye);
                assert_eq!(reporter.may_go(), Some(ms(0)));
            }
        }
    }
}
