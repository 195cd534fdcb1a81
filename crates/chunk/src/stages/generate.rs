// SPDX-License-Identifier: Apache-2.0
//! The Sub-Packet Generator as a stage.

use super::{Load, Work};
use ropewalk_stripes::{Input, Now, Output, Stage, StageError, Turn};
use ropewalk_wire::chunk::Params;
use ropewalk_wire::chunk::generator::Generator;
use ropewalk_wire::chunk::parity::Maker;
use std::collections::VecDeque;
use std::sync::Arc;

/// Runs that it makes in a turn.
const TURN: usize = 64;

/// Cuts chunks into the sub-packets of single frames, and makes the parity over them.
pub struct Generate {
    /// Chunks of the host.
    pub chunks: Input<Arc<Load>>,
    /// Chunks before this one may be sent.
    pub credit: Input<u32>,
    /// Sub-packets of a frame each.
    pub runs: Output<Work>,
    /// Chunks that are on their way from now on; the first of the two triggers of the paper. The second, that there are no more, is
    /// that this stream ends.
    pub started: Output<Arc<Load>>,
    params: Params,
    generator: Generator,
    maker: Option<Maker>,
    loads: VecDeque<(u32, Arc<Load>)>,
}

impl Generate {
    /// A generator that has sent nothing.
    #[must_use]
    pub fn new(
        params: Params,
        chunks: Input<Arc<Load>>,
        credit: Input<u32>,
        runs: Output<Work>,
        started: Output<Arc<Load>>,
    ) -> Self {
        let mut generator = Generator::new(0);
        generator.set_credit(u32::from(params.chunks));
        Generate {
            chunks,
            credit,
            runs,
            started,
            params,
            generator,
            maker: Maker::new(params),
            loads: VecDeque::new(),
        }
    }
}

impl Stage for Generate {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        if let Some(credit) = self.credit.drain(TURN).last() {
            self.generator.set_credit(credit);
        }
        // One chunk waits, so that the next one is at hand when there is credit.
        while self.loads.len() < 2 && self.started.room() > 0 {
            let Some(load) = self.chunks.pop() else {
                break;
            };
            let count = self.params.sub_packets(load.bytes) as u16;
            let number = self.generator.offer(count, self.params.parity_of(count));
            self.loads.push_back((number, load.clone()));
            let _ = self.started.push(load);
        }
        let room = self.runs.room().min(TURN);
        for _ in 0..room {
            let Some(run) = self.generator.next_run(u16::from(self.params.per_frame)) else {
                break;
            };
            while self
                .loads
                .front()
                .is_some_and(|(number, _)| *number != run.chunk)
            {
                self.loads.pop_front();
            }
            let Some((_, load)) = self.loads.front() else {
                break;
            };
            let mut parity = None;
            if let Some(maker) = &mut self.maker {
                if run.parity {
                    parity = Some(Arc::clone(maker.made()));
                } else {
                    let data = &load.memory[..load.bytes];
                    maker.advance(run.chunk, data, run.first + run.count);
                }
            }
            let _ = self.runs.push(Work {
                run,
                load: load.clone(),
                parity,
            });
        }
        if self.generator.chunk().is_none() {
            self.loads.clear();
            if self.chunks.is_finished() {
                return Ok(Turn::Done);
            }
        }
        Ok(Turn::Idle)
    }
}
