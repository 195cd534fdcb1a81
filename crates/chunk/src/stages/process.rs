// SPDX-License-Identifier: Apache-2.0
//! The Ack Processor as a stage.

use super::{Load, News, Settled, Work};
use ropewalk_stripes::{Input, Now, Output, Stage, StageError, Turn};
use ropewalk_wire::chunk::Params;
use ropewalk_wire::chunk::ack_processor::{AckProcessor, Reading};
use ropewalk_wire::chunk::session::LaneReader;
use std::sync::Arc;
use std::time::Duration;

/// Knows what has arrived, and has the rest sent again.
pub struct Process {
    ports: ProcessPorts,
    per_frame: u16,
    acks: AckProcessor<Vec<u8>>,
    started: u32,
    next: usize,
    told: bool,
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
            per_frame: params.per_frame.into(),
            acks: AckProcessor::new(params, readers, 0),
            started: 0,
            next: 0,
            told: false,
        }
    }

    /// Takes the chunks that are on their way by now.
    fn start(&mut self) {
        for load in self.ports.started.drain(usize::MAX) {
            self.acks.started(load);
            self.started = self.started.wrapping_add(1);
        }
    }

    /// Whether all that was offered has arrived, and no more will come.
    fn is_over(&mut self) -> bool {
        self.acks.open() == 0 && self.ports.started.is_finished()
    }

    fn report(&mut self, now: Duration, datagram: &[u8]) {
        let Reading::News(learned) = self.acks.receive(now, datagram, self.started) else {
            return;
        };
        let is_over = self.is_over();
        let mut settled = Vec::new();
        if learned.idle {
            settled = self.acks.settled_until(now);
        }
        for (lane, news) in self.ports.news.iter_mut().enumerate() {
            // If there is no room the lane is behind; it will learn from the next one.
            let _ = news.push(News::Heard(self.acks.heard(lane)));
            if learned.reordered {
                let _ = news.push(News::Reordered);
            }
            if let Some(&until) = settled.get(lane) {
                let _ = news.push(News::Idle(until));
            }
            if self.acks.is_outlived(lane) {
                let _ = news.push(News::Outlived);
            }
            if self.acks.is_unclear() {
                let _ = news.push(News::Ask);
            }
            if learned.finished && is_over {
                let _ = news.push(News::Bye);
            }
        }
        if let Some(credit) = learned.credit {
            let _ = self.ports.credit.push(credit);
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
            Settled::Silent(wait) => {
                self.acks.silent(lane, wait);
                let outlived = self.acks.is_outlived(lane);
                // Where there is no room, the silent lane will say it again.
                for (other, news) in self.ports.news.iter_mut().enumerate() {
                    let word = if other != lane {
                        News::Ask
                    } else if outlived {
                        News::Outlived
                    } else {
                        continue;
                    };
                    let _ = news.push(word);
                }
            }
        }
    }

    /// Has sub-packets sent again, over one lane after the other. A silent one would only give
    /// them back.
    fn resend(&mut self) {
        let lanes = self.ports.again.len();
        let mut passed_over = 0;
        while self.acks.has_resends() && passed_over < lanes {
            let (index, lane) = (self.next, &mut self.ports.again[self.next]);
            self.next = (index + 1) % lanes;
            if self.acks.is_silent(index) || lane.room() == 0 {
                passed_over += 1;
                continue;
            }
            passed_over = 0;
            let Some(work) = self.acks.next_work(self.per_frame) else {
                break;
            };
            let _ = lane.push(work);
        }
    }
}

impl Stage for Process {
    fn turn(&mut self, now: Now) -> Result<Turn, StageError> {
        self.start();
        for lane in 0..self.ports.reports.len() {
            while let Some(datagram) = self.ports.reports[lane].pop() {
                self.report(now.time, &datagram);
            }
            while let Some(settled) = self.ports.settled[lane].pop() {
                // Its chunk was started before, though perhaps not when this turn began. What is
                // lost of an unknown chunk would never be sent again.
                self.start();
                self.settle(lane, settled);
            }
        }
        while (self.ports.done.room() > 0 || self.ports.done.is_closed())
            && let Some((_, load)) = self.acks.poll_complete()
        {
            let _ = self.ports.done.push(load);
        }
        self.resend();
        if !self.told && self.is_over() {
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
