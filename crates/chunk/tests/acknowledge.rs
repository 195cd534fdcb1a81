// SPDX-License-Identifier: Apache-2.0
//! The Ack Generator as a stage, and the stage of a lane that it asks, in virtual time.

use ropewalk_chunk::stages::{Acknowledge, AcknowledgePorts, Arrived, Combine, Delivered, Window};
use ropewalk_io::lane;
use ropewalk_stripes::{
    Graph, Input, Now, Output, Shared, Stage, StageError, Stepping, Turn, Waker,
};
use ropewalk_wire::chunk::combiner::Combiner;
use ropewalk_wire::chunk::frame::{FrameHeader, FrameSeq};
use ropewalk_wire::chunk::report::{Heard, Report};
use ropewalk_wire::chunk::reporter::Reporter;
use ropewalk_wire::chunk::subpacket::SubHeader;
use ropewalk_wire::chunk::{Params, ReceiverSettings, Session, Tag};
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const PARAMS: Params = Params {
    payload: 64,
    per_chunk: 8,
    chunks: 1,
    lanes: 2,
    ..Params::PAPER
};
const TAG: Tag = Tag {
    session: 1,
    secret: 2,
};

/// What the stage of a lane passes on, and what comes back.
#[derive(Default)]
struct Passed {
    arrived: Vec<Arrived>,
    reports: Vec<Vec<u8>>,
}

struct Lane {
    arrived: Output<Arrived>,
    reports: Input<Vec<u8>>,
    passed: Arc<Mutex<Passed>>,
}

impl Stage for Lane {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        let mut passed = self.passed.lock().unwrap();
        for arrived in passed.arrived.drain(..) {
            let _ = self.arrived.push(arrived);
        }
        passed.reports.extend(self.reports.drain(usize::MAX));
        Ok(Turn::Idle)
    }
}

/// Takes chunks, and keeps their memory.
struct Host {
    _delivered: Input<Delivered>,
    _free: Output<Shared>,
}

impl Stage for Host {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        Ok(Turn::Idle)
    }
}

fn arrived(lane: u8, at: Duration, is_all: bool, heard: Heard) -> Arrived {
    Arrived {
        lane,
        subs: Vec::new(),
        parity: Vec::new(),
        heard,
        at,
        is_all,
        frames: Vec::new(),
    }
}

/// A lane whose thread is busy has what nobody has looked at: that nothing came is said when all
/// lanes have been looked at, and with the time for which the last frame was held until then.
#[test]
fn an_idle_report_waits_until_all_lanes_are_looked_at() {
    let lanes = [(); 2].map(|()| Arc::<Mutex<Passed>>::default());
    let ends = Session::checked(TAG).receiver(&PARAMS).unwrap();
    let writers = ends.into_iter().map(|(writer, _)| writer).collect();
    let settings = ReceiverSettings::default();
    let reporter = Reporter::new(PARAMS, settings, writers, PARAMS.report_bytes());
    let mut graph = Graph::new("acknowledge");
    let edges = [0, 1].map(|lane| {
        let arrived = graph.edge(&format!("arrived {lane}"), 8);
        (arrived, graph.edge(&format!("reports {lane}"), 8))
    });
    let (delivered, free) = (graph.edge("delivered", 1), graph.edge("free", 1));
    for (number, (passed, (arrived, reports))) in lanes.iter().zip(&edges).enumerate() {
        graph.add(&format!("lane {number}"), |ports| Lane {
            arrived: ports.output(arrived),
            reports: ports.input(reports),
            passed: Arc::clone(passed),
        });
    }
    graph.add("host", |ports| Host {
        _delivered: ports.input(&delivered),
        _free: ports.output(&free),
    });
    graph.add("acknowledge", |ports| {
        let ports = AcknowledgePorts {
            arrived: edges.iter().map(|(it, _)| ports.input(it)).collect(),
            reports: edges.iter().map(|(_, it)| ports.output(it)).collect(),
            delivered: ports.output(&delivered),
            free: ports.input(&free),
        };
        let memory = vec![Shared::new(vec![0; PARAMS.chunk_bytes()], 64)];
        Acknowledge::new(
            ports,
            PARAMS.chunk_bytes(),
            reporter,
            Window::default(),
            memory,
        )
    });
    let mut graph = Stepping::new(graph).unwrap();
    let mut reports = |at: u64, pass: Vec<Arrived>| -> Vec<Vec<u8>> {
        for arrived in pass {
            let lane = usize::from(arrived.lane);
            lanes[lane].lock().unwrap().arrived.push(arrived);
        }
        graph.step(Duration::from_millis(at)).unwrap();
        let mut lanes = lanes.iter().map(|lane| lane.lock().unwrap());
        let all: Vec<_> = lanes
            .by_ref()
            .flat_map(|mut it| std::mem::take(&mut it.reports))
            .collect();
        all
    };
    let millis = Duration::from_millis;
    let sub = SubHeader {
        chunk: 0,
        number: 0,
        length: 64,
        last: false,
        round: 0,
    };
    let heard = Heard {
        highest: Some(FrameSeq::new(5)),
        ..Heard::default()
    };
    let mut first = arrived(0, millis(1), false, heard);
    first.subs.push((sub, true));
    assert!(reports(1, vec![first]).is_empty());
    // Both lanes are asked, once.
    let later = heard.after(millis(11));
    assert_eq!(reports(12, Vec::new()), [[]; 2]);
    assert!(reports(15, vec![arrived(0, millis(12), true, later)]).is_empty());
    let said = reports(17, vec![arrived(1, millis(13), true, Heard::default())]);
    assert_eq!(said.len(), 1);
    let (header, _) = FrameHeader::parse(&said[0]).unwrap();
    let (_, mut reader) = Session::checked(TAG)
        .sender(&PARAMS)
        .unwrap()
        .remove(header.lane.into());
    let body = reader.control(&header, &said[0]).unwrap();
    let report = Report::parse(body).unwrap();
    assert!(report.summary.idle);
    assert_eq!(report.lanes().next().unwrap().hold, 11_000);
}

/// What arrives on a channel, and what was sent over it.
#[derive(Default)]
struct Datagrams {
    arriving: VecDeque<Vec<u8>>,
    sent: Vec<Vec<u8>>,
}

/// A channel that hands over one datagram at a time, and keeps what is sent.
#[derive(Clone, Default)]
struct Channel(Arc<Mutex<Datagrams>>);

impl lane::Lane for Channel {
    fn send(&mut self, pieces: &[IoSlice<'_>], _: usize) -> io::Result<bool> {
        let sent = pieces.iter().map(|piece| piece.to_vec());
        self.0.lock().unwrap().sent.extend(sent);
        Ok(true)
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        let datagram = self.0.lock().unwrap().arriving.pop_front();
        datagram.iter().for_each(|it| take(it));
        Ok(datagram.is_some())
    }

    fn wait(&mut self, _: Duration, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn waker(&self) -> Waker {
        Arc::new(|| ())
    }

    fn limit(&self) -> usize {
        9000
    }

    fn buffer(&self) -> usize {
        9000
    }

    fn drops(&self) -> u64 {
        0
    }
}

/// Reports for a lane, and what it has passed on: whether that is all, and how many frames.
#[derive(Default)]
struct Asked {
    reports: Vec<Vec<u8>>,
    came: Vec<(bool, usize)>,
}

/// The far side of a lane's stage: asks or sends reports, and keeps what comes.
struct Asker {
    reports: Output<Vec<u8>>,
    arrived: Input<Arrived>,
    passed: Arc<Mutex<Asked>>,
}

impl Stage for Asker {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        let mut passed = self.passed.lock().unwrap();
        for report in passed.reports.drain(..) {
            let _ = self.reports.push(report);
        }
        while let Some(arrived) = self.arrived.pop() {
            passed.came.push((arrived.is_all, arrived.frames.len()));
        }
        Ok(Turn::Idle)
    }
}

/// A lane that is asked says that nothing more waits when all that waited has come, and not before;
/// one that is not asked never does. A report is sent, the question is not.
#[test]
fn a_lane_that_is_asked_looks_at_all_that_waits() {
    let channel = Channel::default();
    let passed = Arc::<Mutex<Asked>>::default();
    let (_, reader) = Session::checked(TAG).receiver(&PARAMS).unwrap().remove(0);
    let mut graph = Graph::new("combine");
    let (arrived, reports) = (graph.edge("arrived", 8), graph.edge("reports", 8));
    graph.add("asker", |ports| Asker {
        reports: ports.output(&reports),
        arrived: ports.input(&arrived),
        passed: Arc::clone(&passed),
    });
    graph.add("lane", |ports| {
        let combiner = Combiner::new(PARAMS, reader, 0);
        Combine::new(
            ports.output(&arrived),
            ports.input(&reports),
            Box::new(channel.clone()),
            0,
            combiner,
            Window::default(),
        )
    });
    let mut graph = Stepping::new(graph).unwrap();
    let mut step = |datagrams: usize, reports: &[&[u8]]| {
        let arriving = vec![vec![0; 9]; datagrams];
        channel.0.lock().unwrap().arriving.extend(arriving);
        let reports = reports.iter().map(|it| it.to_vec());
        passed.lock().unwrap().reports.extend(reports);
        graph.step(Duration::ZERO).unwrap();
        let sent = std::mem::take(&mut channel.0.lock().unwrap().sent);
        (std::mem::take(&mut passed.lock().unwrap().came), sent)
    };
    let none = Vec::<Vec<u8>>::new();
    // Each of these is no frame of the session, which is reported too.
    assert_eq!(step(2, &[]), (vec![(false, 1); 2], none.clone()));
    let (came, sent) = step(3, &[b"", b"report"]);
    assert_eq!(came, [(false, 1), (false, 1), (false, 1), (true, 0)]);
    assert_eq!(sent, [b"report"]);
    assert_eq!(step(1, &[]), (vec![(false, 1)], none.clone()));
    assert_eq!(step(0, &[b""]), (vec![(true, 0)], none));
}
