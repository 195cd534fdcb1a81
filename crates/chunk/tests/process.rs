// SPDX-License-Identifier: Apache-2.0
//! The Ack Processor as a stage, beside stages on other threads.

use ropewalk_chunk::stages::{Load, News, Process, ProcessPorts, Settled, Work};
use ropewalk_stripes::{Graph, Input, Now, Output, Placement, Settings, Stage, StageError, Turn};
use ropewalk_wire::chunk::generator::Run;
use ropewalk_wire::chunk::{Params, Session, Tag};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

const PARAMS: Params = Params {
    payload: 64,
    per_chunk: 8,
    ..Params::PAPER
};
const CHUNKS: u32 = 20_000;
/// What is given up of each chunk.
const RUN: Run = Run {
    chunk: 0,
    first: 2,
    count: 3,
    round: 0,
    parity: false,
};

/// Starts chunks on a lane that gives up some of each at once.
struct Lane {
    started: Output<Arc<Load>>,
    settled: Output<Settled>,
    _reports: Output<Vec<u8>>,
    load: Arc<Load>,
    next: u32,
}

impl Stage for Lane {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        while self.next < CHUNKS && self.started.room() > 0 && self.settled.room() > 0 {
            let _ = self.started.push(self.load.clone());
            let run = Run {
                chunk: self.next,
                ..RUN
            };
            let _ = self.settled.push(Settled::Abandoned(run));
            self.next += 1;
        }
        Ok(if self.next == CHUNKS {
            Turn::Done
        } else {
            Turn::Idle
        })
    }
}

/// Takes what is to be sent again, until it was all or does not come.
struct Again {
    again: Input<Work>,
    _news: Input<News>,
    _credit: Input<u32>,
    _done: Input<Arc<Load>>,
    runs: u32,
    last: Duration,
    count: Sender<u32>,
}

impl Stage for Again {
    fn turn(&mut self, now: Now) -> Result<Turn, StageError> {
        for work in self.again.drain(usize::MAX) {
            assert_eq!((work.run.first, work.run.count), (RUN.first, RUN.count));
            (self.runs, self.last) = (self.runs + 1, now.time);
        }
        let until = self.last + Duration::from_secs(5);
        if self.runs == CHUNKS || now.time >= until {
            self.count.send(self.runs)?;
            return Ok(Turn::Done);
        }
        Ok(Turn::Until(until))
    }
}

/// The lane may be done with a chunk before the ack processor has looked at it.
#[test]
fn nothing_that_a_lane_gives_up_is_forgotten() {
    let bytes = PARAMS.chunk_bytes();
    let memory = vec![0; bytes];
    let load = Arc::new(Load { memory, bytes });
    let tag = Tag {
        session: 1,
        secret: 2,
    };
    let (_, reader) = Session::checked(tag).sender(&PARAMS).unwrap().remove(0);
    let mut graph = Graph::new("process");
    let (started, settled) = (graph.edge("started", 1024), graph.edge("settled", 1024));
    let (reports, again) = (graph.edge("reports", 1), graph.edge("again", 64));
    let (news, credit) = (graph.edge("news", 64), graph.edge("credit", 64));
    let done = graph.edge("done", 4);
    graph.add("lane", |ports| Lane {
        started: ports.output(&started),
        settled: ports.output(&settled),
        _reports: ports.output(&reports),
        load,
        next: 0,
    });
    graph.add("process", |ports| {
        let ports = ProcessPorts {
            started: ports.input(&started),
            reports: vec![ports.input(&reports)],
            settled: vec![ports.input(&settled)],
            again: vec![ports.output(&again)],
            news: vec![ports.output(&news)],
            credit: ports.output(&credit),
            done: ports.output(&done),
        };
        Process::new(ports, PARAMS, vec![reader])
    });
    let (count, counted) = channel();
    graph.add("again", |ports| Again {
        again: ports.input(&again),
        _news: ports.input(&news),
        _credit: ports.input(&credit),
        _done: ports.input(&done),
        runs: 0,
        last: Duration::ZERO,
        count,
    });
    let running = graph.run(&Placement::Spread, Settings::default()).unwrap();
    assert_eq!(counted.recv().unwrap(), CHUNKS);
    running.join().unwrap();
}
