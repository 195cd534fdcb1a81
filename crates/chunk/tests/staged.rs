// SPDX-License-Identifier: Apache-2.0
//! The stages of a receiver, fed with frames that no honest sender makes.

use ropewalk_chunk::stages::{self, Delivered, Threads};
use ropewalk_io::lane::Lane;
use ropewalk_stripes::operators::Map;
use ropewalk_stripes::{Graph, Pages, Pool, Shared, Waker};
use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind};
use ropewalk_wire::chunk::guard::LaneWriter;
use ropewalk_wire::chunk::subpacket::{SUB_HEADER, SubHeader, Tag};
use ropewalk_wire::chunk::{Guard, Pace, Params, ReceiverSettings};
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::{Arc, mpsc};
use std::time::Duration;

const TAG: Tag = Tag {
    session: 7,
    secret: 9,
};
const PAYLOAD: u16 = 64;
const PARAMS: Params = Params {
    payload: PAYLOAD,
    per_frame: 4,
    per_chunk: 8,
    chunks: 2,
    lanes: 1,
    ..Params::PAPER
};

/// Hands over what was written down, and loses what is sent.
struct Script {
    datagrams: VecDeque<Vec<u8>>,
}

impl Lane for Script {
    fn send(&mut self, _: &[IoSlice<'_>], _: usize) -> io::Result<bool> {
        Ok(true)
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        let datagram = self.datagrams.pop_front();
        if let Some(datagram) = &datagram {
            take(datagram);
        }
        Ok(datagram.is_some())
    }

    fn wait(&mut self, timeout: Duration, _: bool) -> io::Result<()> {
        std::thread::sleep(timeout.min(Duration::from_millis(1)));
        Ok(())
    }

    fn waker(&self) -> Waker {
        Arc::new(|| ())
    }

    fn limit(&self) -> usize {
        9000
    }

    fn buffer(&self) -> usize {
        1 << 20
    }

    fn drops(&self) -> u64 {
        0
    }
}

/// Writes frames of a lane.
struct Frames {
    writer: LaneWriter,
    seq: u32,
    datagrams: VecDeque<Vec<u8>>,
}

impl Frames {
    fn new() -> Self {
        let (writer, _) = Guard::checked(TAG).sender(&PARAMS).unwrap().remove(0);
        Frames {
            writer,
            seq: 0,
            datagrams: VecDeque::new(),
        }
    }

    fn header(&mut self, kind: Kind, count: u8) -> FrameHeader {
        self.seq += 1;
        FrameHeader {
            kind,
            lane: 0,
            count,
            seq: FrameSeq::new(self.seq - 1),
            session: TAG.session,
            length: 0,
            time: 0,
        }
    }

    /// A frame of one sub-packet of chunk 0, whose check is right whatever it says.
    fn sub(&mut self, number: u16, last: bool, payload: &[u8]) {
        let length = FRAME_HEADER + SUB_HEADER + payload.len();
        let header = FrameHeader {
            length: length as u16,
            ..self.header(Kind::Data, 1)
        };
        let mut bytes = Vec::new();
        assert!(self.writer.frame(&header, &mut bytes));
        let sub = SubHeader {
            chunk: 0,
            number,
            length: payload.len() as u16,
            last,
            round: 0,
        };
        self.writer.sub_packet(&sub, payload, &mut bytes);
        self.datagrams.push_back(bytes);
    }

    fn control(&mut self, kind: Kind, body: &[u8]) {
        let header = self.header(kind, 0);
        let mut bytes = Vec::new();
        assert!(self.writer.control(&header, body, &mut bytes));
        self.datagrams.push_back(bytes);
    }

    /// The rest of a chunk of four, the end of the stream behind it, and the farewell.
    fn finish(mut self) -> Result<Vec<Vec<u8>>, String> {
        for number in 0..4 {
            self.sub(number, number == 3, &piece(number));
        }
        self.control(Kind::Fin, &1_u32.to_be_bytes());
        self.control(Kind::Bye, &[]);
        receive(self.datagrams)
    }
}

fn piece(number: u16) -> [u8; PAYLOAD as usize] {
    [b'a' + number as u8; PAYLOAD as usize]
}

/// The chunks that the stages make of these datagrams.
fn receive(datagrams: VecDeque<Vec<u8>>) -> Result<Vec<Vec<u8>>, String> {
    let mut graph = Graph::new("staged");
    let settings = stages::Settings {
        number: 0,
        params: PARAMS,
        pace: Pace::Free,
        receiver: ReceiverSettings::default(),
        discard: 0.0,
    };
    let lane: Box<dyn Lane> = Box::new(Script { datagrams });
    let pool = Pool::new(2, PARAMS.chunk_bytes(), Pages::Small).expect("memory");
    let memory = (0..2).filter_map(|_| pool.try_take());
    let memory = memory
        .map(|it| Shared::new(it, usize::from(PAYLOAD)))
        .collect();
    let into = stages::receiver(
        &mut graph,
        &settings,
        Guard::checked(TAG),
        vec![lane],
        memory,
    )
    .expect("sizes in range");
    let (deliver, chunks) = mpsc::channel();
    graph.add("take 0", |ports| {
        Map::new(
            ports.input(&into.delivered),
            ports.output(&into.free),
            move |chunk: Delivered| {
                let whole = chunk.memory.written_part(chunk.bytes);
                let whole = whole.expect("a chunk that is whole").to_vec();
                deliver.send(whole).expect("a test");
                chunk.memory
            },
        )
    });
    let placement = stages::placement(Threads::Stage, 1, 1, "offer", "take");
    let running = graph
        .run(&placement, ropewalk_stripes::Settings::default())
        .expect("a graph that is whole");
    match running.join() {
        Ok(_) => Ok(chunks.try_iter().collect()),
        Err(failure) => Err(failure.to_string()),
    }
}

fn whole() -> Vec<u8> {
    (0..4).flat_map(piece).collect()
}

#[test]
fn a_chunk_as_it_should_be() {
    assert_eq!(Frames::new().finish(), Ok(vec![whole()]));
}

/// Its check is right, its length is that of no piece but the last: the genuine one takes its
/// place.
#[test]
fn a_short_piece_that_is_not_the_last() {
    let mut frames = Frames::new();
    frames.sub(1, false, b"short");
    frames.sub(1, false, b"");
    frames.sub(9, false, &piece(9));
    assert_eq!(frames.finish(), Ok(vec![whole()]));
}

/// The chunk ends twice: nothing that is wrong is delivered, and the graph says why.
#[test]
fn a_chunk_that_ends_twice() {
    let mut frames = Frames::new();
    frames.sub(2, false, &piece(2));
    frames.sub(1, true, b"the end?");
    let told = frames.finish().expect_err("a contradiction");
    assert!(
        told.contains("sub-packet 1 of chunk 0 contradicts"),
        "{told}"
    );
}
