// SPDX-License-Identifier: Apache-2.0
//! The Sub-Packet Generator as a stage.

use super::{Load, Work};
use ropewalk_stripes::{Input, Now, Output, Stage, StageError, Turn};
use ropewalk_wire::chunk::Params;
use ropewalk_wire::chunk::generator::Generator;
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
    /// Chunks that are on their way from now on; the first of the two triggers of the paper. The
    /// second, that there are no more, is that this stream ends.
    pub started: Output<Arc<Load>>,
    generator: Generator<Vec<u8>>,
    per_frame: u16,
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
        Generate {
            chunks,
            credit,
            runs,
            started,
            generator: Generator::new(params, 0),
            per_frame: params.per_frame.into(),
        }
    }
}

impl Stage for Generate {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        if let Some(credit) = self.credit.drain(TURN).last() {
            self.generator.set_credit(credit);
        }
        // One chunk waits, so that the next one is at hand when there is credit.
        while self.generator.next().wrapping_sub(self.generator.sent()) < 2
            && self.started.room() > 0
        {
            let Some(load) = self.chunks.pop() else {
                break;
            };
            self.generator.offer(Arc::clone(&load));
            let _ = self.started.push(load);
        }
        let room = self.runs.room().min(TURN);
        let generator = &mut self.generator;
        let works = std::iter::from_fn(|| generator.next_work(self.per_frame));
        self.runs.extend(&mut works.take(room));
        let is_last = self.generator.chunk().is_none() && self.chunks.is_finished();
        Ok(if is_last { Turn::Done } else { Turn::Idle })
    }
}
