// SPDX-License-Identifier: Apache-2.0
//! The Sub-Packet Aggregator of a lane as a stage.

use super::{Cargo, Work};
use ropewalk_stripes::{Input, Now, Output, Stage, StageError, Turn};
use ropewalk_wire::chunk::aggregator::{Aggregator, End, Supply, Terms};
use ropewalk_wire::chunk::generator::Run;
use ropewalk_wire::chunk::report::Heard;
use std::time::Duration;

/// What the ack processor has learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Of the lane.
    Heard(Heard),
    /// Some that were sent again had only been late.
    Reordered,
    /// The receiver has waited in vain: what was sent until then would have arrived.
    Idle(Duration),
    /// A report is to say more, or another lane is silent: whether this one answers is to be known.
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
    /// An answer, which may take so long, has not come for too long, again. Perhaps all are as
    /// silent, as the receiver is busy.
    Silent(Duration),
}

/// Puts sub-packets into frames, and remembers what they carried.
pub struct Aggregate {
    waiting: Waiting,
    /// What the ack processor has learned.
    news: Input<News>,
    /// Frames.
    cargo: Output<Cargo>,
    /// What has become of sub-packets.
    settled: Output<Settled>,
    batch: usize,
    out: Aggregator,
    end: End,
    /// Whether the lane answers is to be known.
    asked: bool,
    /// It does not, but another one does: it is this lane, and not the receiver.
    outlived: bool,
}

/// What waits to be sent.
struct Waiting {
    fresh: Input<Work>,
    again: Input<Work>,
    /// The rest of what did not fit into a frame.
    rest: Option<Work>,
}

impl Supply<Vec<u8>> for Waiting {
    fn next(&mut self, room: u16) -> Option<Work> {
        let next = self.rest.take().or_else(|| self.pop())?;
        let (work, rest) = next.split(room);
        self.rest = rest;
        Some(work)
    }

    fn has_again(&mut self) -> bool {
        self.rest.as_ref().is_some_and(|rest| rest.run.round > 0) || !self.again.is_empty()
    }

    fn is_empty(&mut self) -> bool {
        self.rest.is_none() && self.again.is_empty() && self.fresh.is_empty()
    }
}

impl Waiting {
    fn pop(&mut self) -> Option<Work> {
        self.again.pop().or_else(|| self.fresh.pop())
    }
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
    /// A lane that has sent nothing; `batch`: frames that it takes at once.
    #[must_use]
    pub fn new(ports: AggregatePorts, terms: Terms, batch: usize) -> Self {
        Aggregate {
            waiting: Waiting {
                fresh: ports.fresh,
                again: ports.again,
                rest: None,
            },
            news: ports.news,
            cargo: ports.cargo,
            settled: ports.settled,
            batch,
            out: Aggregator::new(terms, Duration::ZERO),
            end: End::Open,
            asked: false,
            outlived: false,
        }
    }

    fn learn(&mut self, time: Duration, news: News) {
        match news {
            News::Heard(heard) => {
                let micros = time.as_micros() as u32;
                if self.out.report(time, micros, &heard) && !self.out.has_failed() {
                    self.outlived = false;
                }
            }
            News::Reordered => self.out.was_reordered(time),
            News::Idle(until) => {
                self.out.silence(time, until);
                self.check_health();
            }
            News::Ask => self.asked = true,
            News::Outlived => self.outlived = self.out.has_failed(),
            News::Fin(end) => self.end = End::Arrived(end),
            News::Bye => self.end = End::Confirmed,
        }
    }

    fn check_health(&mut self) {
        if self.out.has_failed() {
            // Where there is no room it is said the next time.
            let _ = self.settled.push(Settled::Silent(self.out.first_wait()));
        }
    }

    /// Frames that go out now.
    fn next_cargo(&mut self, time: Duration) -> Option<Cargo> {
        let mut cargo = Cargo::default();
        if !self.out.has_failed()
            && self.end != End::Confirmed
            && !(self.out).fill(time, self.batch, &mut self.waiting, &mut cargo)
        {
            self.out.starved();
        }
        if cargo.frames.is_empty() {
            self.out.control(time, self.asked, self.end, &mut cargo);
            self.asked &= cargo.frames.is_empty();
            if !cargo.frames.is_empty() {
                self.check_health();
            }
        }
        (!cargo.frames.is_empty()).then_some(cargo)
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
        let waiting = self.waiting.rest.take().or_else(|| self.waiting.pop());
        waiting.map(|work| work.run).or_else(|| {
            let run = self.out.oldest();
            self.out.settle();
            run
        })
    }
}

impl Stage for Aggregate {
    fn turn(&mut self, now: Now) -> Result<Turn, StageError> {
        let time = now.time;
        while let Some(news) = self.news.pop() {
            self.learn(time, news);
        }
        while self.settled.room() > 0 {
            let Some(run) = self.out.settled(time) else {
                break;
            };
            self.out.settle();
            let _ = self.settled.push(Settled::Heard(run));
        }
        if self.cargo.room() > 0 {
            if self.outlived {
                self.give_up();
            }
            if let Some(cargo) = self.next_cargo(time) {
                let _ = self.cargo.push(cargo);
                return Ok(if self.end == End::Confirmed {
                    Turn::Done
                } else {
                    Turn::Worked
                });
            }
        } else {
            // The lane takes no more: that is no lateness of this end.
            self.out.held();
        }
        let waits = !self.waiting.is_empty() && !self.out.has_failed();
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
