// SPDX-License-Identifier: Apache-2.0
//! The stages of a pipeline put together, and what of them shares a thread.

use super::acknowledge::AcknowledgePorts;
use super::aggregate::AggregatePorts;
use super::process::ProcessPorts;
use super::{
    Acknowledge, Aggregate, Check, Combine, Delivered, Generate, Load, Port, Process, Processor,
    Protect, Tally, Window, Work,
};
use ropewalk_io::lane::Lane;
use ropewalk_stripes::operators::RoundRobin;
use ropewalk_stripes::{Edge, Graph, Placement, Shared, Thread};
use ropewalk_wire::chunk::aggregator::Terms;
use ropewalk_wire::chunk::combiner::{Combiner, Discard};
use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameSeq};
use ropewalk_wire::chunk::reporter::Reporter;
use ropewalk_wire::chunk::{Pace, ParamError, Params, ReceiverSettings, Session};
use std::sync::Arc;

/// Items on streams of frames and of what is less.
const FRAMES: usize = 64;

/// What a pipeline is made of.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Number of the pipeline, which stands in the names of its stages.
    pub number: u8,
    /// Sizes.
    pub params: Params,
    /// How the rate of each lane is set.
    pub pace: Pace,
    /// How the receiver reports.
    pub receiver: ReceiverSettings,
    /// Share of the sub-packets that the receiver takes for damaged.
    pub discard: f64,
}

impl Settings {
    fn name(&self, what: &str) -> String {
        format!("{what} {}", self.number)
    }

    fn lane_name(&self, what: &str, lane: usize) -> String {
        format!("{what} {}.{lane}", self.number)
    }

    /// A stream for each lane.
    fn edges<T: Send + 'static>(
        &self,
        graph: &mut Graph,
        what: &str,
        lanes: usize,
        capacity: usize,
    ) -> Vec<Edge<T>> {
        let names = (0..lanes).map(|lane| self.lane_name(what, lane));
        names.map(|name| graph.edge(&name, capacity)).collect()
    }
}

/// What the host of a sender is connected to.
pub struct SenderEdges {
    /// Chunks to be sent.
    pub chunks: Edge<Arc<Load>>,
    /// Chunks that have arrived, in order.
    pub done: Edge<Arc<Load>>,
}

/// Adds the stages of a sender; `buffer`: bytes that the receiver's end of a lane can hold.
///
/// # Errors
/// Sizes out of range, or frames that are protected otherwise.
///
/// # Panics
/// There are more lanes than agreed on, or fewer.
pub fn sender(
    graph: &mut Graph,
    settings: &Settings,
    session: Session,
    lanes: Vec<Box<dyn Lane>>,
    buffer: usize,
) -> Result<SenderEdges, ParamError> {
    let mut own = |_, processor| -> Box<dyn Protect> { Box::new(processor) };
    sender_with(graph, settings, session, lanes, buffer, &mut own)
}

/// The same, with what protects the frames of each lane: `protect` makes it of the number of the
/// lane and of what this processor would do it with.
///
/// # Errors
/// As [`sender`].
///
/// # Panics
/// As [`sender`].
pub fn sender_with(
    graph: &mut Graph,
    settings: &Settings,
    session: Session,
    lanes: Vec<Box<dyn Lane>>,
    buffer: usize,
    protect: &mut dyn FnMut(u8, Processor) -> Box<dyn Protect>,
) -> Result<SenderEdges, ParamError> {
    let Settings { params, pace, .. } = *settings;
    let number = session.number();
    let (writers, readers): (Vec<_>, Vec<_>) = session.sender(&params)?.into_iter().unzip();
    assert_eq!(lanes.len(), writers.len(), "lanes as agreed on");
    let name = |what: &str| settings.name(what);
    let lane_name = |what: &str, lane: usize| settings.lane_name(what, lane);
    let chunks = graph.edge(&name("chunks"), usize::from(params.chunks));
    let done = graph.edge(&name("done"), usize::from(params.chunks));
    let credit = graph.edge(&name("credit"), FRAMES);
    let runs = graph.edge(&name("sub-packets"), FRAMES);
    let started = graph.edge(&name("started"), usize::from(params.chunks) + 2);
    graph.add(&name("generate"), |ports| {
        Generate::new(
            params,
            ports.input(&chunks),
            ports.input(&credit),
            ports.output(&runs),
            ports.output(&started),
        )
    });
    let count = lanes.len();
    let fresh = settings.edges(graph, "fresh", count, FRAMES);
    // What a run weighs is its sub-packets.
    let weigh = |work: &Work| u64::from(work.run.count);
    let again: Vec<_> = (0..count)
        .map(|lane| graph.weighed_edge(&lane_name("again", lane), FRAMES, weigh))
        .collect();
    let news = settings.edges(graph, "news", count, FRAMES);
    let settled = settings.edges(graph, "settled", count, 16 * FRAMES);
    let reports = settings.edges(graph, "reports", count, FRAMES);
    graph.add(&name("spread"), |ports| {
        let outputs = fresh.iter().map(|edge| ports.output(edge)).collect();
        RoundRobin::new(ports.input(&runs), outputs, 1)
    });
    for (index, (lane, writer)) in lanes.into_iter().zip(writers).enumerate() {
        let cargo = graph.edge(&lane_name("frames", index), 2);
        let checked = graph.edge(&lane_name("checked", index), 2);
        let batch = lane.batch(params.frame_bytes());
        graph.add(&lane_name("aggregate", index), |ports| {
            let ports = AggregatePorts {
                fresh: ports.input(&fresh[index]),
                again: ports.input(&again[index]),
                news: ports.input(&news[index]),
                cargo: ports.output(&cargo),
                settled: ports.output(&settled[index]),
            };
            let terms = Terms {
                params,
                session: number,
                lane: index as u8,
                pace,
                buffer: Some(buffer),
                first: FrameSeq::default(),
            };
            Aggregate::new(ports, terms, batch)
        });
        graph.add(&lane_name("check", index), |ports| {
            let protect = protect(index as u8, Processor::new(writer));
            Check::new(ports.input(&cargo), ports.output(&checked), protect)
        });
        graph.add(&lane_name("port", index), |ports| {
            Port::new(ports.input(&checked), ports.output(&reports[index]), lane)
        });
    }
    graph.add(&name("process"), |ports| {
        let ports = ProcessPorts {
            started: ports.input(&started),
            reports: reports.iter().map(|edge| ports.input(edge)).collect(),
            settled: settled.iter().map(|edge| ports.input(edge)).collect(),
            again: again.iter().map(|edge| ports.output(edge)).collect(),
            news: news.iter().map(|edge| ports.output(edge)).collect(),
            credit: ports.output(&credit),
            done: ports.output(&done),
        };
        Process::new(ports, params, readers)
    });
    Ok(SenderEdges { chunks, done })
}

/// What the host of a receiver is connected to.
pub struct ReceiverEdges {
    /// Chunks that are complete.
    pub delivered: Edge<Delivered>,
    /// Their memory on its way back.
    pub free: Edge<Shared>,
    /// What is counted.
    pub tally: Arc<Tally>,
}

/// Adds the stages of a receiver. `memory`: for as many chunks as agreed on, in pieces of a
/// payload.
///
/// # Errors
/// As [`sender`].
///
/// # Panics
/// As [`sender`].
pub fn receiver(
    graph: &mut Graph,
    settings: &Settings,
    session: Session,
    lanes: Vec<Box<dyn Lane>>,
    memory: Vec<Shared>,
) -> Result<ReceiverEdges, ParamError> {
    let params = settings.params;
    let (writers, readers): (Vec<_>, Vec<_>) = session.receiver(&params)?.into_iter().unzip();
    assert_eq!(lanes.len(), readers.len(), "lanes as agreed on");
    let name = |what: &str| settings.name(what);
    let lane_name = |what: &str, lane: usize| settings.lane_name(what, lane);
    let delivered = graph.edge(&name("delivered"), usize::from(params.chunks));
    let free = graph.edge(&name("free"), usize::from(params.chunks));
    let count = lanes.len();
    let arrived = settings.edges(graph, "arrived", count, FRAMES);
    let reports = settings.edges(graph, "acks", count, FRAMES);
    let window = Window::default();
    let tally = Arc::clone(window.tally());
    let limit = lanes.iter().map(|lane| lane.limit()).min();
    let around = FRAME_HEADER + params.control_check();
    let limit = limit.unwrap_or(0).saturating_sub(around);
    let limit = limit.min(params.report_bytes());
    for (index, (lane, reader)) in lanes.into_iter().zip(readers).enumerate() {
        graph.add(&lane_name("combine", index), |ports| {
            let mut combiner = Combiner::new(params, reader, index as u8);
            combiner.set_discard(Discard::new(settings.discard, index as u64));
            Combine::new(
                ports.output(&arrived[index]),
                ports.input(&reports[index]),
                lane,
                index as u8,
                combiner,
                window.clone(),
            )
        });
    }
    graph.add(&name("acknowledge"), |ports| {
        let ports = AcknowledgePorts {
            arrived: arrived.iter().map(|edge| ports.input(edge)).collect(),
            reports: reports.iter().map(|edge| ports.output(edge)).collect(),
            delivered: ports.output(&delivered),
            free: ports.input(&free),
        };
        let reporter = Reporter::new(params, settings.receiver, writers, limit);
        Acknowledge::new(ports, params.chunk_bytes(), reporter, window, memory)
    });
    Ok(ReceiverEdges {
        delivered,
        free,
        tally,
    })
}

/// What shares a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// Two for each pipeline: all of its sender, and all of its receiver.
    End,
    /// One for each lane at either end, and one at either end for what the lanes share.
    Lane,
    /// One for each stage.
    Stage,
}

/// The threads of pipelines of `lanes` lanes each; `near` and `far`: the stages of the hosts.
#[must_use]
pub fn placement(threads: Threads, pipelines: u8, lanes: u8, near: &str, far: &str) -> Placement {
    let mut all = Vec::new();
    for pipeline in 0..pipelines {
        let one = |what: &str| format!("{what} {pipeline}");
        let each = |what: &str, lane: u8| format!("{what} {pipeline}.{lane}");
        let sending = [one(near), one("generate"), one("spread"), one("process")];
        let receiving = [one("acknowledge"), one(far)];
        let out = |lane: u8| {
            [
                each("aggregate", lane),
                each("check", lane),
                each("port", lane),
            ]
        };
        let into = |lane: u8| [each("combine", lane)];
        match threads {
            Threads::Stage => return Placement::Spread,
            Threads::End => {
                let sender = sending.into_iter().chain((0..lanes).flat_map(out));
                let receiver = receiving.into_iter().chain((0..lanes).flat_map(into));
                all.push(Thread::new(&one("sender"), sender));
                all.push(Thread::new(&one("receiver"), receiver));
            }
            Threads::Lane => {
                all.push(Thread::new(&one("sender"), sending));
                all.push(Thread::new(&one("receiver"), receiving));
                for lane in 0..lanes {
                    all.push(Thread::new(&each("out", lane), out(lane)));
                    all.push(Thread::new(&each("in", lane), into(lane)));
                }
            }
        }
    }
    Placement::Threads(all)
}
