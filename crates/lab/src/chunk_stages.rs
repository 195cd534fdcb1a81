// SPDX-License-Identifier: Apache-2.0
//! What the stages of bulk transfer can do on this machine: each alone on the runtime, fed and
//! emptied at full rate.
//!
//! What streams between them here are frames (or chunks, or acknowledgements), so what the runtime
//! adds is in the figures, once a frame. Payload lies in memory as large as a chunk, so it comes
//! from where it will come from in earnest.

use std::sync::Arc;
use std::time::Duration;

use ropewalk_stripes::measure::{Capability, Effort, MeasureError};
use ropewalk_stripes::operators::Map;
use ropewalk_wire::chunk::ack_generator::{AckGenerator, AckTimer};
use ropewalk_wire::chunk::ack_processor::AckProcessor;
use ropewalk_wire::chunk::aggregator::{Aggregator, Terms};
use ropewalk_wire::chunk::combiner::Combiner;
use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind};
use ropewalk_wire::chunk::generator::{Generator, Load, Run};
use ropewalk_wire::chunk::report::{Heard, Summary, Writer};
use ropewalk_wire::chunk::session::{LaneReader, LaneWriter};
use ropewalk_wire::chunk::subpacket::{Sub, SubHeader};
use ropewalk_wire::chunk::{Pace, ParamError, Params, Session, Tag};

/// Three short runs of each.
const EFFORT: Effort = Effort {
    runs: 3,
    time: Duration::from_millis(25),
};
/// Frames that the receiving side finds in turn.
const FRAMES: usize = 64;
const SESSION: u64 = 1;
const NOW: Duration = Duration::ZERO;

/// Names of the stages, as on the command line.
pub const STAGES: [&str; 7] = [
    "generator",
    "aggregator",
    "crc-fec",
    "interface",
    "ack-processor",
    "combiner",
    "ack-generator",
];

/// What was measured.
#[derive(Debug, Clone)]
pub struct Found {
    rates: Vec<(&'static str, f64)>,
    /// A stage that does nothing: what the runtime adds to an item.
    pub hand_over: Capability,
}

impl Found {
    /// Items per second of a stage, in the unit of its requirement.
    #[must_use]
    pub fn rate(&self, stage: &str) -> Option<f64> {
        let mut rates = self.rates.iter();
        rates
            .find(|(name, _)| *name == stage)
            .map(|(_, rate)| *rate)
    }
}

/// Measures a stage whose work for an item is this function.
fn alone<T, W>(
    name: &str,
    item: impl Fn(u64) -> T + Clone + Send + 'static,
    mut work: impl FnMut() -> W,
) -> Result<Capability, MeasureError>
where
    T: Send + 'static,
    W: FnMut(T) -> u64 + Send + 'static,
{
    ropewalk_stripes::measure::measure(
        name,
        EFFORT,
        || (0u64..).map(item.clone()),
        |ports, before, behind| Map::new(ports.input(before), ports.output(behind), work()),
    )
}

/// Sub-packets of a frame, the `frame`th of those of a chunk.
fn sub_headers(params: Params, frame: u64) -> impl Iterator<Item = SubHeader> {
    let frames = params.frames() as u64;
    let first = (frame % frames) as u16 * u16::from(params.per_frame);
    let end = (first + u16::from(params.per_frame)).min(params.per_chunk);
    (first..end).map(move |number| SubHeader {
        chunk: (frame / frames) as u32,
        number,
        length: params.payload,
        last: number + 1 == params.per_chunk,
        round: 0,
    })
}

/// The payload of a sub-packet in the memory of its chunk.
fn place(params: Params, sub: &SubHeader) -> std::ops::Range<usize> {
    let begin = usize::from(sub.number) * usize::from(params.payload);
    begin..begin + usize::from(sub.length)
}

/// A chunk on its way out.
fn load(params: Params) -> Arc<Load<Vec<u8>>> {
    let bytes = params.chunk_bytes();
    let memory = memory(params);
    Arc::new(Load { memory, bytes })
}

fn memory(params: Params) -> Vec<u8> {
    (0..params.chunk_bytes()).map(|i| (i % 251) as u8).collect()
}

fn frame_header(params: Params, seq: u64, count: u8) -> FrameHeader {
    FrameHeader {
        kind: Kind::Data,
        lane: 0,
        count,
        seq: FrameSeq::new(seq as u32),
        session: SESSION,
        length: params.frame_bytes() as u16,
        time: 0,
    }
}

/// The first frames of a chunk as datagrams.
fn datagrams(params: Params) -> Vec<Vec<u8>> {
    let memory = memory(params);
    let count = FRAMES.min(
        (params.per_chunk / u16::from(params.per_frame))
            .max(1)
            .into(),
    );
    let mut writer = lane(session().sender(&params)).0;
    let frame = |frame: usize| {
        let subs: Vec<SubHeader> = sub_headers(params, frame as u64).collect();
        let header = FrameHeader {
            length: (FRAME_HEADER + subs.len() * params.stride()) as u16,
            ..frame_header(params, frame as u64, subs.len() as u8)
        };
        let mut bytes = Vec::new();
        let _ = writer.frame(&header, &mut bytes);
        for sub in &subs {
            writer.sub_packet(sub, &memory[place(params, sub)], &mut bytes);
        }
        bytes
    };
    (0..count).map(frame).collect()
}

/// Of one end. Frames have checks, as in the paper.
fn session() -> Session {
    Session::checked(Tag {
        session: SESSION,
        secret: 1,
    })
}

/// The first lane of an end.
fn lane(lanes: Result<Vec<(LaneWriter, LaneReader)>, ParamError>) -> (LaneWriter, LaneReader) {
    lanes.expect("sizes in range").swap_remove(0)
}

/// A report that says that a chunk has come whole, bit by bit as in the paper.
fn report(params: Params, chunk: u64) -> Vec<u8> {
    let (mut body, mut bytes) = (Vec::new(), Vec::new());
    let limit = params.chunk_bytes();
    let mut writer = Writer::new(&mut body, limit, std::iter::once(Heard::default()));
    writer.section(chunk as u32, 0, params.per_chunk / 8, |_| 0xff);
    let summary = Summary {
        serial: chunk as u32,
        base: chunk as u32,
        credit: chunk as u32 + 2,
        whole: true,
        ..Summary::default()
    };
    writer.finish(summary);
    let header = FrameHeader {
        kind: Kind::Report,
        ..frame_header(params, chunk, 0)
    };
    let _ = lane(session().receiver(&params))
        .0
        .control(&header, &body, &mut bytes);
    bytes
}

/// How a stage is measured, and whether its items there are frames of sub-packets.
type Measure = (
    &'static str,
    bool,
    fn(Params) -> Result<Capability, MeasureError>,
);

const MEASURES: [Measure; 6] = [
    ("generator", false, generator),
    ("aggregator", true, aggregator),
    ("crc-fec", true, crc_fec),
    ("ack-processor", false, ack_processor),
    ("combiner", true, combiner),
    ("ack-generator", true, ack_generator),
];

/// Measures all stages but those named in `known`.
///
/// # Errors
/// A stage fails.
///
/// # Panics
/// Sizes out of range.
pub fn measure(params: Params, known: &[&str]) -> Result<Found, MeasureError> {
    let hand_over = alone("empty", |n| n, || |n| n)?;
    let mut rates = Vec::new();
    for (name, of_frames, measure) in MEASURES {
        if !known.contains(&name) {
            let items = if of_frames { params.per_frame } else { 1 };
            rates.push((name, measure(params)?.per_second * f64::from(items)));
        }
    }
    Ok(Found { rates, hand_over })
}

fn generator(params: Params) -> Result<Capability, MeasureError> {
    let work = || {
        let (mut generator, load) = (Generator::new(params, 0), load(params));
        move |_| {
            let chunk = generator.offer(Arc::clone(&load));
            generator.set_credit(chunk.wrapping_add(1));
            let works = std::iter::from_fn(|| generator.next_work(u16::from(params.per_frame)));
            works.map(|work| u64::from(work.run.first)).sum()
        }
    };
    alone("generator", |n| n, work)
}

fn aggregator(params: Params) -> Result<Capability, MeasureError> {
    let work = || {
        let terms = Terms {
            params,
            session: SESSION,
            lane: 0,
            pace: Pace::Found,
            buffer: None,
            first: FrameSeq::default(),
        };
        let mut lane = Aggregator::new(terms, NOW);
        move |frame: u64| {
            let run = Run {
                chunk: 0,
                first: (frame % params.frames() as u64) as u16,
                count: u16::from(params.per_frame),
                round: 0,
                parity: false,
            };
            let seq = lane.frame(NOW, params.frame_bytes(), [run], false);
            lane.settle();
            let header = FrameHeader {
                seq,
                ..frame_header(params, 0, params.per_frame)
            };
            u64::from(header.encode()[23])
        }
    };
    alone("aggregator", |n| n, work)
}

fn crc_fec(params: Params) -> Result<Capability, MeasureError> {
    let work = || {
        let mut writer = lane(session().sender(&params)).0;
        let (memory, mut bytes) = (memory(params), Vec::new());
        move |frame: u64| {
            bytes.clear();
            for sub in sub_headers(params, frame) {
                writer.sub_packet(&sub, &memory[place(params, &sub)], &mut bytes);
            }
            u64::from(bytes[15])
        }
    };
    alone("crc-fec", |n| n, work)
}

fn ack_processor(params: Params) -> Result<Capability, MeasureError> {
    let work = || {
        let (_, reader) = lane(session().sender(&params));
        let mut acks = AckProcessor::new(params, vec![reader], 0);
        let load = load(params);
        move |bytes: Vec<u8>| {
            acks.started(Arc::clone(&load));
            let sent = acks.base().wrapping_add(1);
            acks.receive(NOW, &bytes, sent);
            acks.poll_complete().map_or(0, |(chunk, _)| chunk.into())
        }
    };
    let item = move |chunk| report(params, chunk);
    alone("ack-processor", item, work)
}

fn combiner(params: Params) -> Result<Capability, MeasureError> {
    alone("combiner", |n| n, || combining(params))
}

/// What a combiner does with frame after frame; gives the sub-packets that it took of each.
fn combining(params: Params) -> impl FnMut(u64) -> u64 {
    let (_, reader) = lane(session().receiver(&params));
    let mut combiner = Combiner::new(params, reader, 0);
    let (mut frames, mut memory) = (datagrams(params), vec![0; params.chunk_bytes()]);
    move |frame: u64| {
        // Each time to another place, as new frames would be, and with a number of its own: what
        // has come before is not looked at.
        let (round, index) = (frame as usize / frames.len(), frame as usize % frames.len());
        let shift = round * frames.len() * usize::from(params.per_frame);
        let datagram = &mut frames[index];
        if let Ok((header, _)) = FrameHeader::parse(datagram) {
            let seq = FrameSeq::new(frame as u32);
            datagram[..FRAME_HEADER].copy_from_slice(&FrameHeader { seq, ..header }.encode());
        }
        let mut taken = 0;
        combiner.receive(NOW, datagram, &mut |sub, payload| {
            let Sub::Data(sub) = sub else {
                return;
            };
            let number = (usize::from(sub.number) + shift) % usize::from(params.per_chunk);
            let number = number as u16;
            memory[place(params, &SubHeader { number, ..sub })].copy_from_slice(payload);
            taken += 1;
        });
        taken
    }
}

fn ack_generator(params: Params) -> Result<Capability, MeasureError> {
    let work = || {
        let mut acks = AckGenerator::new(params, AckTimer::default(), 0);
        move |frame: u64| {
            for sub in sub_headers(params, frame) {
                acks.usable(NOW, &sub);
            }
            if acks.poll_complete().is_some() {
                acks.release();
            }
            u64::from(acks.base())
        }
    };
    alone("ack-generator", |n| n, work)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame that is not looked at costs nothing, and says nothing of a combiner.
    #[test]
    fn a_combiner_takes_every_frame_that_it_is_measured_with() {
        let params = Params {
            per_chunk: 1024,
            ..Params::PAPER
        };
        let mut combine = combining(params);
        let taken: Vec<u64> = (0..4 * FRAMES as u64).map(&mut combine).collect();
        assert_eq!(taken, vec![u64::from(params.per_frame); 4 * FRAMES]);
    }
}
