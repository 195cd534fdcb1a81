// SPDX-License-Identifier: Apache-2.0
//! The Ack Processor as a stage.

use super::{Load, News, Settled, Work};
use ropewalk_stripes::{Input, Now, Output, Stage, StageError, Turn};
use ropewalk_wire::chunk::ack_processor::AckProcessor;
use ropewalk_wire::chunk::frame::{FrameHeader, FrameSeq, Kind};
use ropewalk_wire::chunk::guard::LaneReader;
use ropewalk_wire::chunk::report::{Heard, Report};
use ropewalk_wire::chunk::{Fec, Params};
use std::collections::VecDeque;
use std::sync::Arc;

/// Knows what has arrived, and has the rest sent again.
pub struct Process {
    ports: ProcessPorts,
    params: Params,
    /// Of each lane.
    readers: Vec<LaneReader>,
    lanes: Vec<Health>,
    acks: AckProcessor,
    loads: VecDeque<Arc<Load>>,
    oldest: u32,
    started: u32,
    serial: Option<u32>,
    repeated: u32,
    next: usize,
    told: bool,
}

/// What is known of a lane.
#[derive(Default)]
struct Health {
    /// The last frame that was heard of.
    highest: Option<FrameSeq>,
    /// It has said that it is not answered.
    silent: bool,
}

impl Health {
    /// Whether a report brings news of the lane.
    fn is_answered(&mut self, heard: &Heard) -> bool {
        let newer = |highest: FrameSeq| self.highest.is_none_or(|it| highest.since(it) > 0);
        let news = heard.highest.filter(|highest| newer(*highest));
        self.highest = news.or(self.highest);
        news.is_some()
    }
}

/// The streams of an ack processor.
pub struct ProcessPorts {
    /// Chunks that are on their way.
    pub started: Input<Arc<Load>>,
    /// Datagrams of the receiver, of each lane.
    pub reports: Vec<Input<Vec<u8>>>,
    /// Of each lane: what has become of sub-packets.
    pub settled: Vec<Input<Settled>>,
    /// For each lane: sub-packets to be sent again.
    pub again: Vec<Output<Work>>,
    /// For each lane: what is known of it.
    pub news: Vec<Output<News>>,
    /// Chunks before it may be sent.
    pub credit: Output<u32>,
    /// Chunks that the receiver has, in order.
    pub done: Output<Arc<Load>>,
}

impl Process {
    /// For lanes.
    #[must_use]
    pub fn new(ports: ProcessPorts, params: Params, readers: Vec<LaneReader>) -> Self {
        Process {
            ports,
            params,
            lanes: readers.iter().map(|_| Health::default()).collect(),
            readers,
            acks: AckProcessor::new(0, params.per_chunk),
            loads: VecDeque::new(),
            oldest: 0,
            started: 0,
            serial: None,
            repeated: 0,
            next: 0,
            told: false,
        }
    }

    /// Takes the chunks that are on their way by now.
    fn start(&mut self) {
        for load in self.ports.started.drain(usize::MAX) {
            let count = self.params.sub_packets(load.bytes) as u16;
            self.acks.started(count, self.params.parity_of(count));
            self.loads.push_back(load);
            self.started = self.started.wrapping_add(1);
        }
    }

    fn report(&mut self, datagram: &[u8]) {
        let parsed = FrameHeader::parse(datagram).ok();
        let parsed = parsed.filter(|(header, _)| header.kind == Kind::Report);
        let body = parsed.and_then(|(header, _)| {
            let reader = self.readers.get_mut(usize::from(header.lane))?;
            reader.control(&header, datagram)
        });
        let Some(report) = body.and_then(|body| Report::parse(body).ok()) else {
            return;
        };
        let summary = report.summary;
        if !summary.is_news(self.serial) {
            return;
        }
        self.serial = Some(summary.serial);
        // Where there is parity over sub-packets, some of what is sent again restores the rest before that comes.
        let restores = matches!(self.params.fec, Fec::Restore(..));
        let reordered = summary.duplicates != self.repeated && !restores;
        self.repeated = summary.duplicates;
        self.acks.report(&report, self.started);
        let mut answered = false;
        let lanes = self.lanes.iter_mut().zip(&mut self.ports.news);
        for (heard, (lane, news)) in report.lanes().zip(lanes) {
            // If there is no room the lane is behind; it will learn from the next one.
            let _ = news.push(News::Heard(heard));
            if reordered {
                let _ = news.push(News::Reordered);
            }
            if lane.is_answered(&heard) {
                (lane.silent, answered) = (false, true);
            }
        }
        for (lane, news) in self.lanes.iter().zip(&mut self.ports.news) {
            if answered && lane.silent {
                let _ = news.push(News::Outlived);
            }
        }
        if summary.credit.wrapping_sub(summary.base) <= u32::from(self.params.chunks) {
            let _ = self.ports.credit.push(summary.credit);
        }
        if summary.finished && self.loads.is_empty() && self.ports.started.is_finished() {
            for news in &mut self.ports.news {
                let _ = news.push(News::Bye);
            }
        }
    }

    /// Takes what a lane tells.
    fn settle(&mut self, lane: usize, settled: Settled) {
        match settled {
            Settled::Heard(run) => {
                self.acks.settle(run);
            }
            Settled::Abandoned(run) => {
                self.acks.lose(run);
            }
            Settled::Silent => {
                self.lanes[lane].silent = true;
                // Where there is no room, the silent lane will say it again.
                for (_, news) in (0..)
                    .zip(&mut self.ports.news)
                    .filter(|(it, _)| *it != lane)
                {
                    let _ = news.push(News::Ask);
                }
            }
        }
    }

    /// Has sub-packets sent again, over one lane after the other.
    fn resend(&mut self) {
        let lanes = self.ports.again.len();
        let mut full = 0;
        while self.acks.has_resends() && full < lanes {
            let lane = &mut self.ports.again[self.next];
            self.next = (self.next + 1) % lanes;
            if lane.room() == 0 {
                full += 1;
                continue;
            }
            full = 0;
            let Some(run) = self.acks.next_run(u16::from(self.params.per_frame)) else {
                break;
            };
            if let Some(load) = self.loads.get(run.chunk.wrapping_sub(self.oldest) as usize) {
                let _ = lane.push(Work {
                    run,
                    load: load.clone(),
                    parity: None,
                });
            }
        }
    }
}

impl Stage for Process {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        self.start();
        for lane in 0..self.ports.reports.len() {
            while let Some(datagram) = self.ports.reports[lane].pop() {
                self.report(&datagram);
            }
            while let Some(settled) = self.ports.settled[lane].pop() {
                // Its chunk was started before, though perhaps not when this turn began. What is
                // lost of an unknown chunk would never be sent again.
                self.start();
                self.settle(lane, settled);
            }
        }
        while (self.ports.done.room() > 0 || self.ports.done.is_closed())
            && let Some(chunk) = self.acks.poll_complete()
        {
            if let Some(load) = self.loads.pop_front() {
                let _ = self.ports.done.push(load);
            }
            self.oldest = chunk.wrapping_add(1);
        }
        self.resend();
        if !self.told && self.ports.started.is_finished() && self.loads.is_empty() {
            self.told = true;
            for news in &mut self.ports.news {
                self.told &= news.push(News::Fin(self.started)).is_ok();
            }
        }
        // The lanes end when they have said so to the receiver.
        Ok(if self.ports.news.iter().all(Output::is_closed) {
            Turn::Done
        } else {
            Turn::Idle
        })
    }
}
