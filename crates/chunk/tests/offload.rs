// SPDX-License-Identifier: Apache-2.0
//! The CRC/FEC stage with an accelerator that completes late, and by no rule.

use ropewalk_chunk::stages::{Cargo, Check, Load, Processor, Protect, Work};
use ropewalk_stripes::{Graph, Input, Now, Output, Placement, Settings, Stage, StageError, Turn};
use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind};
use ropewalk_wire::chunk::generator::Run;
use ropewalk_wire::chunk::seal::SessionKey;
use ropewalk_wire::chunk::subpacket::Sub;
use ropewalk_wire::chunk::{Fec, Params, Session};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

const PARAMS: Params = Params {
    payload: 64,
    per_frame: 4,
    per_chunk: 400,
    sealed: true,
    fec: Fec::Mend(1),
    ..Params::PAPER
};
const FRAMES: u32 = 100;

/// Either end takes its own.
fn session() -> Session {
    Session::sealed(5, SessionKey::new(b"secret", b""))
}

fn processor() -> Processor {
    let (writer, _) = session().sender(&PARAMS).unwrap().remove(0);
    Processor::new(writer)
}

/// Holds up to three batches, each for as many questions as a sequence of numbers says.
struct Late {
    processor: Processor,
    held: VecDeque<(Cargo, u32)>,
    taken: u32,
}

impl Protect for Late {
    fn submit(&mut self, mut cargo: Cargo) -> Result<(), Cargo> {
        if self.held.len() == 3 {
            return Err(cargo);
        }
        self.processor.write(&mut cargo);
        self.taken += 1;
        // Later ones are often done first.
        self.held.push_back((cargo, self.taken * 7 % 11));
        Ok(())
    }

    fn poll(&mut self) -> Option<Cargo> {
        for (_, questions) in &mut self.held {
            *questions = questions.saturating_sub(1);
        }
        let done = self.held.front()?.1 == 0;
        done.then(|| self.held.pop_front())?.map(|(cargo, _)| cargo)
    }

    fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}

/// Frames of a chunk, one in a batch.
struct Source {
    output: Output<Cargo>,
    load: Arc<Load>,
    next: u32,
}

fn cargo(load: &Arc<Load>, frame: u32) -> Cargo {
    let run = Run {
        chunk: 0,
        first: frame as u16 * u16::from(PARAMS.per_frame),
        count: PARAMS.per_frame.into(),
        round: 0,
        parity: false,
    };
    let header = FrameHeader {
        kind: Kind::Data,
        lane: 0,
        count: PARAMS.per_frame,
        seq: FrameSeq::new(frame),
        session: session().number(),
        length: PARAMS.frame_bytes() as u16,
        time: 0,
    };
    Cargo {
        frames: vec![(header, 1)],
        works: vec![Work {
            run,
            load: load.clone(),
            parity: None,
        }],
        segment: PARAMS.frame_bytes(),
        ..Cargo::default()
    }
}

impl Stage for Source {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        while self.output.room() > 0 && self.next < FRAMES {
            let _ = self.output.push(cargo(&self.load, self.next));
            self.next += 1;
        }
        Ok(if self.next == FRAMES {
            Turn::Done
        } else {
            Turn::Idle
        })
    }
}

struct Sink {
    input: Input<Cargo>,
    frames: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Stage for Sink {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        while let Some(cargo) = self.input.pop() {
            assert!(cargo.works.is_empty());
            self.frames.lock().unwrap().push(cargo.bytes);
        }
        Ok(if self.input.is_finished() {
            Turn::Done
        } else {
            Turn::Idle
        })
    }
}

fn load() -> Arc<Load> {
    let bytes = PARAMS.chunk_bytes();
    let memory = (0..bytes).map(|at| (at % 251) as u8).collect();
    Arc::new(Load { memory, bytes })
}

fn through(protect: Box<dyn Protect>) -> Vec<Vec<u8>> {
    let mut graph = Graph::new("offload");
    let (before, behind) = (graph.edge("before", 2), graph.edge("behind", 2));
    let frames = Arc::new(Mutex::new(Vec::new()));
    graph.add("source", |ports| Source {
        output: ports.output(&before),
        load: load(),
        next: 0,
    });
    graph.add("check", |ports| {
        Check::new(ports.input(&before), ports.output(&behind), protect)
    });
    graph.add("sink", |ports| Sink {
        input: ports.input(&behind),
        frames: frames.clone(),
    });
    let running = graph.run(&Placement::Spread, Settings::default()).unwrap();
    running.join().unwrap();
    std::mem::take(&mut frames.lock().unwrap())
}

#[test]
fn an_accelerator_that_is_late_changes_nothing() {
    let late = Late {
        processor: processor(),
        held: VecDeque::new(),
        taken: 0,
    };
    let frames = through(Box::new(late));
    assert_eq!(frames, through(Box::new(processor())));
    assert_eq!(frames.len(), FRAMES as usize);
    // Every sub-packet is read again, in its place.
    let load = load();
    let (_, mut reader) = session().receiver(&PARAMS).unwrap().remove(0);
    let mut next = 0;
    for (frame, seq) in frames.iter().zip(0..) {
        let header = frame
            .first_chunk()
            .map(|header| (FrameSeq::new(seq), header));
        let all = frame[FRAME_HEADER..].chunks(PARAMS.stride());
        for (bytes, index) in all.zip(0..) {
            let (sub, payload) = reader.sub_packet(header, index, bytes).unwrap();
            assert!(matches!(sub, Sub::Data(sub) if sub.number == next));
            let at = usize::from(next) * payload.len();
            assert_eq!(payload, &load.memory[at..at + payload.len()]);
            next += 1;
        }
    }
    assert_eq!(next, PARAMS.per_chunk);
}
