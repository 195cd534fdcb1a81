// SPDX-License-Identifier: Apache-2.0
//! The Sub-Packet Aggregator of a lane as a stage.

use super::Work;
use ropewalk_stripes::{Input, Now, Output, Stage, StageError, Turn};
use ropewalk_wire::chunk::aggregator::Aggregator;
use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind};
use ropewalk_wire::chunk::generator::{Run, is_awaited};
use ropewalk_wire::chunk::report::Heard;
use ropewalk_wire::chunk::{Pace, Params};
use std::time::Duration;

/// What the ack processor has learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Of the lane.
    Heard(Heard),
    /// Some that were sent again had only been late.
    Reordered,
    /// Another lane is silent: whether this one answers is to be known.
    Ask,
    /// Another lane has been answered since this one is silent.
    Outlived,
    /// The stream ends before this chunk.
    Fin(u32),
    /// The receiver has everything, and knows that it is all.
    Bye,
}

/// What a lane tells of what it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// Nothing more will be known of these than the reports have said.
    Heard(Run),
    /// The lane has failed: it gives these up.
    Abandoned(Run),
    /// An answer has not come for too long, again. Perhaps all are as silent, as the receiver is busy.
    Silent,
}

/// Frames on their way from stage to stage.
#[derive(Debug, Default)]
pub struct Cargo {
    /// Headers of the frames, and how many of the works each carries.
    pub frames: Vec<(FrameHeader, usize)>,
    /// What they carry.
    pub works: Vec<Work>,
    /// A number in the body of a frame without works.
    pub end: Option<u32>,
    /// Bytes of all frames but the last.
    pub segment: usize,
    /// The frames as they go out, made by the check stage.
    pub bytes: Vec<u8>,
}

/// Puts sub-packets into frames, and remembers what they carried.
pub struct Aggregate {
    /// Sub-packets of frames.
    pub fresh: Input<Work>,
    /// Sub-packets to be sent again.
    pub again: Input<Work>,
    /// What the ack processor has learned.
    pub news: Input<News>,
    /// Frames.
    pub cargo: Output<Cargo>,
    /// What has become of sub-packets.
    pub settled: Output<Settled>,
    params: Params,
    session: u64,
    lane: u8,
    batch: usize,
    out: Aggregator,
    end: Option<u32>,
    bye: bool,
    /// Whether the lane answers is to be known.
    asked: bool,
    /// It does not.
    failed: bool,
    /// But another one does: it is this lane, and not the receiver.
    outlived: bool,
    /// A frame that was too long for the batch.
    ready: Option<(Vec<Work>, usize)>,
    runs: Vec<Run>,
}

/// The streams of an aggregator.
pub struct AggregatePorts {
    /// Sub-packets of frames.
    pub fresh: Input<Work>,
    /// Sub-packets to be sent again.
    pub again: Input<Work>,
    /// What the ack processor has learned.
    pub news: Input<News>,
    /// Frames.
    pub cargo: Output<Cargo>,
    /// What has become of sub-packets.
    pub settled: Output<Settled>,
}

impl Aggregate {
    /// A lane that has sent nothing; `batch`: frames that it takes at once, `buffer`: bytes that its receiver can hold.
    #[must_use]
    pub fn new(
        ports: AggregatePorts,
        params: Params,
        session: u64,
        lane: u8,
        batch: usize,
        buffer: usize,
        pace: Pace,
    ) -> Self {
        let AggregatePorts {
            fresh,
            again,
            news,
            cargo,
            settled,
        } = ports;
        Aggregate {
            fresh,
            again,
            news,
            cargo,
            settled,
            params,
            session,
            lane,
            batch,
            out: Aggregator::new(
                pace,
                params.frame_bytes(),
                Some(buffer),
                FrameSeq::default(),
                Duration::ZERO,
            ),
            end: None,
            bye: false,
            asked: false,
            failed: false,
            outlived: false,
            ready: None,
            runs: Vec::new(),
        }
    }

    fn header(
        &self,
        now: Duration,
        kind: Kind,
        count: u8,
        bytes: usize,
        seq: FrameSeq,
    ) -> FrameHeader {
        FrameHeader {
            kind,
            lane: self.lane,
            count,
            seq,
            session: self.session,
            length: bytes as u16,
            time: now.as_micros() as u32,
        }
    }

    /// The works of the next frame, at most as many sub-packets as it holds; says its bytes.
    fn collect(&mut self) -> Option<(Vec<Work>, usize)> {
        if self.ready.is_some() {
            return self.ready.take();
        }
        let (payload, most) = (
            usize::from(self.params.payload),
            u16::from(self.params.per_frame),
        );
        let (mut works, mut count, mut bytes): (Vec<Work>, u16, usize) =
            (Vec::new(), 0, FRAME_HEADER);
        loop {
            let source = if self.again.is_empty() {
                &mut self.fresh
            } else {
                &mut self.again
            };
            let Some(work) = source
                .peek()
                .filter(|work| count + work.run.count <= most)
                .cloned()
            else {
                break;
            };
            source.pop();
            let full = usize::from(work.run.count) * payload;
            let data = if work.run.parity {
                full
            } else {
                (work.load.bytes - usize::from(work.run.first) * payload).min(full)
            };
            count += work.run.count;
            bytes += usize::from(work.run.count) * self.params.sub_overhead() + data;
            works.push(work);
            // Only the last sub-packet of a frame may be short.
            if data < full {
                break;
            }
        }
        (count > 0).then_some((works, bytes))
    }

    fn fill(&mut self, now: Duration) -> Option<Cargo> {
        let due = self.out.due(now, self.batch);
        let mut cargo = Cargo::default();
        while cargo.frames.len() < due {
            let Some((works, bytes)) = self.collect() else {
                self.out.starved();
                break;
            };
            if cargo.frames.is_empty() {
                cargo.segment = bytes;
            }
            // Frames of a batch are equally long, but for the last.
            if bytes > cargo.segment {
                self.ready = Some((works, bytes));
                break;
            }
            let all_again = self.again.is_empty();
            let runs = works.iter().map(|work| (work.run, work.load.bytes));
            let asks = all_again && self.fresh.is_empty()
                || is_awaited(&self.params, runs, all_again)
                || self.out.must_ask();
            self.runs.clear();
            self.runs.extend(works.iter().map(|work| work.run));
            let seq = self.out.frame(now, bytes, &self.runs, asks);
            let kind = if asks { Kind::Ask } else { Kind::Data };
            let count = self.runs.iter().map(|run| run.count).sum::<u16>();
            cargo
                .frames
                .push((self.header(now, kind, count as u8, bytes, seq), works.len()));
            cargo.works.extend(works);
            if bytes < cargo.segment {
                break;
            }
        }
        (!cargo.frames.is_empty()).then_some(cargo)
    }

    fn control(&mut self, now: Duration) -> Option<Cargo> {
        let due = (self.out.next_ask(self.asked)).is_some_and(|at| now >= at);
        let fin = self.end.is_some() && self.out.outstanding() == 0;
        let (kind, end) = match self.end {
            _ if self.bye => (Kind::Bye, None),
            Some(end) if fin || due => (Kind::Fin, Some(end)),
            None if due => (Kind::Ask, None),
            _ => return None,
        };
        if due {
            self.out.missed(now);
            self.asked = false;
            if self.out.has_failed() {
                self.failed = true;
                // Where there is no room it is said the next time.
                let _ = self.settled.push(Settled::Silent);
            }
        }
        let bytes = FRAME_HEADER + end.map_or(0, |_| 4) + self.params.control_check();
        let seq = self.out.frame(now, bytes, &[], true);
        Some(Cargo {
            frames: vec![(self.header(now, kind, 0, bytes, seq), 0)],
            end,
            segment: bytes,
            ..Cargo::default()
        })
    }

    /// What a lane that has failed still has goes back.
    fn give_up(&mut self) {
        while self.settled.room() > 0 {
            let Some(run) = self.next_given_up() else {
                break;
            };
            let _ = self.settled.push(Settled::Abandoned(run));
        }
    }

    fn next_given_up(&mut self) -> Option<Run> {
        if let Some((works, _)) = &mut self.ready {
            if let Some(work) = works.pop() {
                return Some(work.run);
            }
            self.ready = None;
        }
        if let Some(work) = self.again.pop().or_else(|| self.fresh.pop()) {
            return Some(work.run);
        }
        let run = self.out.oldest();
        self.out.settle();
        run
    }
}

impl Stage for Aggregate {
    fn turn(&mut self, now: Now) -> Result<Turn, StageError> {
        let time = now.time;
        for news in self.news.drain(64) {
            match news {
                News::Heard(heard) => {
                    if self.out.report(time, time.as_micros() as u32, &heard)
                        && !self.out.has_failed()
                    {
                        (self.failed, self.outlived) = (false, false);
                    }
                }
                News::Reordered => self.out.was_reordered(time),
                News::Ask => self.asked = true,
                News::Outlived => self.outlived = self.failed,
                News::Fin(end) => self.end = Some(end),
                News::Bye => self.bye = true,
            }
        }
        while self.settled.room() > 0 {
            let Some(run) = self.out.settled(time) else {
                break;
            };
            self.out.settle();
            let _ = self.settled.push(Settled::Heard(run));
        }
        if self.cargo.room() > 0 {
            let cargo = if self.failed || self.bye {
                None
            } else {
                self.fill(time)
            };
            if self.outlived {
                self.give_up();
            }
            if let Some(cargo) = cargo.or_else(|| self.control(time)) {
                let _ = self.cargo.push(cargo);
                if self.bye {
                    return Ok(Turn::Done);
                }
                return Ok(Turn::Worked);
            }
        } else {
            // The lane takes no more: that is no lateness of this end.
            self.out.held();
        }
        let waits = self.ready.is_some() || !self.fresh.is_empty() || !self.again.is_empty();
        let times = [
            self.out.next_ask(self.asked),
            self.out.next_late(),
            self.out.ready().filter(|_| waits),
        ];
        let next = times.into_iter().flatten().min();
        Ok(next.map_or(Turn::Idle, |at| {
            if at <= time {
                Turn::Until(time + Duration::from_micros(50))
            } else {
                Turn::Until(at)
            }
        }))
    }
}
