// SPDX-License-Identifier: Apache-2.0
//! What a machine lets through at most, in the form that chunks have on a lane: sub-packets with a
//! CRC-32C, made from memory as large as that of [`crate::perf`], in the same frames and batches;
//! each is checked, and copied to its place. No reports, nothing again, no rate: what is lost stays
//! away.

use crate::perf::{Figures, Pair, PerfError};
use ropewalk_io::lane::measure;
use ropewalk_wire::chunk::frame::FRAME_HEADER;
use ropewalk_wire::chunk::session::LaneWriter;
use ropewalk_wire::chunk::subpacket::{Sub, SubHeader};
use ropewalk_wire::chunk::{Fec, ParamError, Params, Session, Tag, ahead};
use std::time::Duration;

/// What all CRCs begin with.
const TAG: Tag = Tag {
    session: 0x726f_7065,
    secret: 0x7761_6c6b,
};

/// Sends for so long over one lane. Sizes are those of `params`, whose seal, code and lanes count
/// for nothing.
///
/// # Errors
/// Sizes out of range, or the lane fails.
pub fn run(params: Params, (near, far): Pair, time: Duration) -> Result<Figures, PerfError> {
    let params = Params {
        sealed: false,
        fec: Fec::None,
        ..params
    };
    let (mut near, mut far) = (near, far);
    let segment = params.frame_bytes();
    let (mut source, mut sink) = (Source::new(params, near.batch(segment))?, Sink::new(params));
    let measured = measure::lanes_with(
        near.as_mut(),
        far.as_mut(),
        segment,
        time,
        move |batch| source.fill(batch),
        &mut |datagram| sink.take(datagram),
    )?;
    Ok(Figures {
        bytes: sink.bytes,
        seconds: measured.seconds,
        cpu_seconds: measured.cpu_seconds,
        wrong: sink.wrong,
        drops: far.drops(),
        ..Figures::default()
    })
}

/// Chunks, one behind the other.
fn memory(params: Params) -> Vec<u8> {
    let bytes = usize::from(params.chunks) * params.chunk_bytes();
    (0..bytes).map(|at| (at * 7) as u8).collect()
}

/// Makes batches of frames.
struct Source {
    params: Params,
    memory: Vec<u8>,
    writer: LaneWriter,
    frames: usize,
    chunk: u32,
    number: u16,
}

impl Source {
    /// Batches of `frames` frames.
    fn new(params: Params, frames: usize) -> Result<Self, ParamError> {
        let (writer, _) = Session::checked(TAG).sender(&params)?.remove(0);
        Ok(Source {
            params,
            memory: memory(params),
            writer,
            frames,
            chunk: 0,
            number: 0,
        })
    }

    /// Writes the next batch.
    fn fill(&mut self, batch: &mut Vec<u8>) {
        batch.clear();
        for _ in 0..self.frames {
            batch.extend_from_slice(&[0; FRAME_HEADER]);
            for _ in 0..self.params.per_frame {
                self.sub_packet(batch);
            }
        }
    }

    fn sub_packet(&mut self, batch: &mut Vec<u8>) {
        let last = self.number + 1 == self.params.per_chunk;
        let header = SubHeader {
            chunk: self.chunk,
            number: self.number,
            length: self.params.payload,
            last,
            round: 0,
        };
        let at = place(&self.params, &header);
        let payload = &self.memory[at..at + usize::from(self.params.payload)];
        self.writer.sub_packet(&header, payload, batch);
        (self.chunk, self.number) = if last {
            (self.chunk.wrapping_add(1), 0)
        } else {
            (self.chunk, self.number + 1)
        };
    }
}

/// Checks sub-packets, and copies them to their places.
struct Sink {
    params: Params,
    memory: Vec<u8>,
    bytes: u64,
    wrong: u64,
}

impl Sink {
    fn new(params: Params) -> Self {
        Sink {
            memory: vec![0xff; usize::from(params.chunks) * params.chunk_bytes()],
            params,
            bytes: 0,
            wrong: 0,
        }
    }

    /// Takes a frame.
    fn take(&mut self, frame: &[u8]) {
        let each = self.params.stride();
        for bytes in frame.get(FRAME_HEADER..).unwrap_or(&[]).chunks(each) {
            match Sub::parse(TAG, bytes) {
                Some((Sub::Data(header), payload)) if header.number < self.params.per_chunk => {
                    let at = place(&self.params, &header);
                    let place = &mut self.memory[at..at + payload.len()];
                    ahead::fetch(place);
                    place.copy_from_slice(payload);
                    self.bytes += payload.len() as u64;
                }
                _ => self.wrong += 1,
            }
        }
    }
}

/// Where a sub-packet is in the memory of an end.
fn place(params: &Params, header: &SubHeader) -> usize {
    let chunk = header.chunk as usize % usize::from(params.chunks);
    chunk * params.chunk_bytes() + usize::from(header.number) * usize::from(params.payload)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf;

    const PARAMS: Params = Params {
        per_frame: 16,
        per_chunk: 40,
        chunks: 2,
        ..Params::PAPER
    };

    /// Round and round all chunks, frames over their ends: all of it is at its place. What has
    /// changed is not.
    #[test]
    fn checked_and_copied_to_its_place() {
        let (mut source, mut sink) = (Source::new(PARAMS, 5).unwrap(), Sink::new(PARAMS));
        let mut batch = Vec::new();
        source.fill(&mut batch);
        for frame in batch.chunks(PARAMS.frame_bytes()) {
            sink.take(frame);
        }
        let each = usize::from(PARAMS.payload);
        assert_eq!((sink.bytes, sink.wrong), (80 * each as u64, 0));
        assert_eq!(sink.memory, source.memory);

        let mut again = Sink::new(PARAMS);
        let frame = &mut batch[..PARAMS.frame_bytes()];
        frame[FRAME_HEADER + PARAMS.stride() + 100] ^= 1;
        again.take(frame);
        again.take(&frame[..3]);
        assert_eq!((again.bytes, again.wrong), (15 * each as u64, 1));
        assert!(again.memory[each..2 * each].iter().all(|&it| it == 0xff));
        assert_eq!(again.memory[..each], source.memory[..each]);
    }

    #[test]
    fn something_arrives() {
        let figures = run(PARAMS, perf::pair().unwrap(), Duration::from_millis(200)).unwrap();
        assert!(figures.bytes > 0 && figures.wrong == 0, "{figures:?}");
        assert_eq!(figures.bytes % u64::from(PARAMS.payload), 0);
    }
}
