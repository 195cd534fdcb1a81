// SPDX-License-Identifier: Apache-2.0
//! Both ends of a pipeline, fused and as stages, moved by hand in virtual time.

use ropewalk_chunk::stages::{self, Delivered, Load};
use ropewalk_io::lane::Lane;
use ropewalk_stripes::operators::Map;
use ropewalk_stripes::{
    Graph, Input, Now, Output, Shared, Stage, StageError, Stepping, Turn, Waker,
};
use ropewalk_wire::chunk::seal::SessionKey;
use ropewalk_wire::chunk::{
    Batch, Pace, Params, Receiver, ReceiverSettings, Sender, SenderSettings, Session, Tag,
};
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub const TAG: Tag = Tag {
    session: 7,
    secret: 9,
};

/// What protects the frames of one end.
pub fn session(params: &Params) -> Session {
    if params.sealed {
        Session::sealed(TAG.session, SessionKey::new(b"secret", b"arrangements"))
    } else {
        Session::checked(TAG)
    }
}

/// A datagram: to the receiver or back, its lane, its bytes.
pub type Datagram = (bool, u8, Vec<u8>);

/// What an arrangement of both ends does.
pub trait Ends {
    /// Offers a chunk; false if it is not wanted yet.
    fn offer(&mut self, chunk: &[u8]) -> bool;
    /// No chunk will follow.
    fn finish(&mut self);
    /// A datagram arrives.
    fn receive(&mut self, now: Duration, datagram: Datagram);
    /// All that the ends do at this time: what they send goes to `sent`, with chunks that are
    /// complete and when there is more to do.
    ///
    /// # Errors
    /// An end refuses to go on, and says why.
    fn step(&mut self, now: Duration, sent: &mut Vec<Datagram>) -> Result<Step, String>;
    /// Whether the sender knows that all has arrived, and the receiver that the sender knows.
    fn is_finished(&self, now: Duration) -> bool;
}

#[derive(Debug, Default)]
pub struct Step {
    pub chunks: Vec<(u32, Vec<u8>)>,
    pub next: Option<Duration>,
}

/// Frames that a lane takes at once.
const MOST: usize = 6;

pub struct Fused {
    sender: Sender<Vec<u8>>,
    receiver: Receiver<Vec<u8>>,
    lanes: u8,
}

impl Fused {
    pub fn new(params: Params) -> Self {
        let memory = vec![vec![0; params.chunk_bytes()]; params.chunks.into()];
        let settings = SenderSettings::default();
        let sender = Sender::new(params, session(&params), settings, Duration::ZERO);
        let receiver = ReceiverSettings::default();
        let receiver = Receiver::new(params, session(&params), receiver, memory);
        Fused {
            sender: sender.expect("sizes in range"),
            receiver: receiver.expect("sizes in range"),
            lanes: params.lanes,
        }
    }
}

impl Ends for Fused {
    fn offer(&mut self, chunk: &[u8]) -> bool {
        let wants = self.sender.wants_chunk();
        if wants {
            self.sender.offer(chunk.to_vec(), chunk.len());
        }
        wants
    }

    fn finish(&mut self) {
        self.sender.finish();
    }

    fn receive(&mut self, now: Duration, (forth, lane, bytes): Datagram) {
        if forth {
            self.receiver.receive(now, lane, &bytes);
        } else {
            self.sender.receive(now, &bytes);
        }
    }

    fn step(&mut self, now: Duration, sent: &mut Vec<Datagram>) -> Result<Step, String> {
        let (mut step, mut batch) = (Step::default(), Batch::new());
        for lane in 0..self.lanes {
            while self.sender.poll_transmit(now, lane, MOST, &mut batch) {
                let frames = batch.bytes().chunks(batch.segment());
                sent.extend(frames.map(|frame| (true, lane, frame.to_vec())));
            }
        }
        while self.sender.poll_event().is_some() {}
        while let Some(complete) = self.receiver.poll_chunk() {
            let whole = complete.memory[..complete.bytes].to_vec();
            step.chunks.push((complete.chunk, whole));
            self.receiver.give_back(complete.memory);
        }
        let mut report = Vec::new();
        while let Some(lane) = self.receiver.poll_transmit(now, now, &mut report) {
            sent.push((false, lane, std::mem::take(&mut report)));
        }
        let timers = [self.sender.next_timeout(), self.receiver.next_timeout()];
        step.next = timers.into_iter().flatten().filter(|&at| at > now).min();
        Ok(step)
    }

    fn is_finished(&self, now: Duration) -> bool {
        self.sender.is_finished() && self.receiver.may_go(now)
    }
}

/// One end of a lane, as the stages see it, and what it carries.
#[derive(Default)]
struct Wire {
    arrived: VecDeque<Vec<u8>>,
    sent: Vec<Vec<u8>>,
}

struct WireEnd(Arc<Mutex<Wire>>);

impl Lane for WireEnd {
    fn send(&mut self, pieces: &[IoSlice<'_>], segment: usize) -> io::Result<bool> {
        let bytes: Vec<u8> = pieces.iter().flat_map(|piece| piece.to_vec()).collect();
        let frames = bytes.chunks(segment).map(<[u8]>::to_vec);
        self.0.lock().unwrap().sent.extend(frames);
        Ok(true)
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        let datagram = self.0.lock().unwrap().arrived.pop_front();
        if let Some(datagram) = &datagram {
            take(datagram);
        }
        Ok(datagram.is_some())
    }

    fn wait(&mut self, _: Duration, _: bool) -> io::Result<()> {
        unreachable!("nobody waits in virtual time")
    }

    fn waker(&self) -> Waker {
        Arc::new(|| ())
    }

    fn limit(&self) -> usize {
        65_507
    }

    fn batch(&self, _: usize) -> usize {
        MOST
    }

    fn buffer(&self) -> usize {
        1 << 20
    }

    fn drops(&self) -> u64 {
        0
    }
}

/// What the hosts of both ends have.
#[derive(Default)]
struct Hosts {
    offered: VecDeque<Vec<u8>>,
    is_all: bool,
    delivered: Vec<(u32, Vec<u8>)>,
}

struct Offer {
    chunks: Output<Arc<Load>>,
    done: Input<Arc<Load>>,
    hosts: Arc<Mutex<Hosts>>,
}

impl Stage for Offer {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        self.done.drain(usize::MAX).for_each(drop);
        let mut hosts = self.hosts.lock().unwrap();
        while self.chunks.room() > 0
            && let Some(memory) = hosts.offered.pop_front()
        {
            let bytes = memory.len();
            let _ = self.chunks.push(Arc::new(Load { memory, bytes }));
        }
        let is_all = hosts.is_all && hosts.offered.is_empty();
        Ok(if is_all { Turn::Done } else { Turn::Idle })
    }
}

pub struct Staged {
    graph: Stepping,
    hosts: Arc<Mutex<Hosts>>,
    /// Of the sender's end of each lane, and of the receiver's.
    wires: [Vec<Arc<Mutex<Wire>>>; 2],
}

impl Staged {
    pub fn new(params: Params) -> Self {
        let settings = stages::Settings {
            number: 0,
            params,
            pace: Pace::Found,
            receiver: ReceiverSettings::default(),
            discard: 0.0,
        };
        let wires = [(); 2].map(|()| (0..params.lanes).map(|_| Arc::default()).collect());
        let ends = |wires: &Vec<Arc<Mutex<Wire>>>| -> Vec<Box<dyn Lane>> {
            let end = |wire: &Arc<_>| -> Box<dyn Lane> { Box::new(WireEnd(Arc::clone(wire))) };
            wires.iter().map(end).collect()
        };
        let (hosts, mut graph) = (Arc::<Mutex<Hosts>>::default(), Graph::new("arrangement"));
        let (near, far) = (ends(&wires[0]), ends(&wires[1]));
        let buffer = near[0].buffer();
        let out = stages::sender(&mut graph, &settings, session(&params), near, buffer);
        let out = out.expect("sizes in range");
        let shared = |_| Shared::new(vec![0; params.chunk_bytes()], params.payload.into());
        let memory = (0..params.chunks).map(shared).collect();
        let into = stages::receiver(&mut graph, &settings, session(&params), far, memory);
        let into = into.expect("sizes in range");
        graph.add("offer 0", |ports| Offer {
            chunks: ports.output(&out.chunks),
            done: ports.input(&out.done),
            hosts: Arc::clone(&hosts),
        });
        let taker = Arc::clone(&hosts);
        graph.add("take 0", |ports| {
            let (delivered, free) = (ports.input(&into.delivered), ports.output(&into.free));
            Map::new(delivered, free, move |chunk: Delivered| {
                let whole = chunk.memory.written_part(chunk.bytes);
                let whole = whole.expect("a chunk that is whole").to_vec();
                taker.lock().unwrap().delivered.push((chunk.chunk, whole));
                chunk.memory
            })
        });
        Staged {
            graph: Stepping::new(graph).expect("a graph that is whole"),
            hosts,
            wires,
        }
    }
}

impl Ends for Staged {
    fn offer(&mut self, chunk: &[u8]) -> bool {
        let offered = &mut self.hosts.lock().unwrap().offered;
        let wants = offered.is_empty();
        if wants {
            offered.push_back(chunk.to_vec());
        }
        wants
    }

    fn finish(&mut self) {
        self.hosts.lock().unwrap().is_all = true;
    }

    fn receive(&mut self, _: Duration, (forth, lane, bytes): Datagram) {
        let wire = &self.wires[usize::from(forth)][usize::from(lane)];
        wire.lock().unwrap().arrived.push_back(bytes);
    }

    fn step(&mut self, now: Duration, sent: &mut Vec<Datagram>) -> Result<Step, String> {
        let next = self.graph.step(now).map_err(|error| error.to_string())?;
        for (forth, wires) in [true, false].into_iter().zip(&self.wires) {
            for (lane, wire) in (0..).zip(wires) {
                let all = std::mem::take(&mut wire.lock().unwrap().sent);
                sent.extend(all.into_iter().map(|datagram| (forth, lane, datagram)));
            }
        }
        let chunks = std::mem::take(&mut self.hosts.lock().unwrap().delivered);
        Ok(Step { chunks, next })
    }

    fn is_finished(&self, _: Duration) -> bool {
        self.graph.is_finished()
    }
}
