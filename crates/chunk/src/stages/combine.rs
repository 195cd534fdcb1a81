// SPDX-License-Identifier: Apache-2.0
//! The receiver's end of a lane, with the Sub-Packet Combiner, as a stage.

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use ropewalk_io::lane::Lane;
use ropewalk_stripes::{Input, Now, Output, Shared, Sleeper, Stage, StageError, Turn, Waker};
use ropewalk_wire::chunk::combiner::{Combiner, Frame};
use ropewalk_wire::chunk::report::Heard;
use ropewalk_wire::chunk::reporter::Places;
use ropewalk_wire::chunk::subpacket::{ParityHeader, Sub, SubHeader};
use ropewalk_wire::chunk::{Mended, ahead};
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The memory of the chunks that may arrive, for all lanes of a pipeline, and what is counted of
/// them.
#[derive(Debug, Clone, Default)]
pub struct Window {
    chunks: Arc<RwLock<Chunks>>,
    tally: Arc<Tally>,
}

/// Memory of consecutive chunks.
#[derive(Debug, Default)]
pub struct Chunks {
    /// The first chunk.
    pub first: u32,
    /// Memory from it on; none: the chunk is complete.
    pub memory: VecDeque<Option<Shared>>,
}

impl Chunks {
    /// Memory of a chunk.
    #[must_use]
    pub fn of(&self, chunk: u32) -> Option<&Shared> {
        self.memory
            .get(chunk.wrapping_sub(self.first) as usize)?
            .as_ref()
    }
}

impl Places for &Chunks {
    fn reader<'a>(&'a mut self, chunk: u32) -> Option<impl Fn(u16) -> Option<&'a [u8]> + 'a> {
        let memory = self.of(chunk)?;
        Some(move |number: u16| memory.piece(number.into()))
    }

    fn write(&mut self, sub: &SubHeader, bytes: &[u8]) -> bool {
        let memory = self.of(sub.chunk);
        let Some(mut claim) = memory.and_then(|it| it.claim(sub.number.into())) else {
            return false;
        };
        let Some(place) = claim.get_mut(..bytes.len()) else {
            return false;
        };
        ahead::fetch(place);
        place.copy_from_slice(bytes);
        claim.commit();
        true
    }
}

impl Window {
    /// To be filled: no chunk comes or goes meanwhile.
    pub fn read(&self) -> RwLockReadGuard<'_, Chunks> {
        self.chunks.read()
    }

    /// What is counted.
    #[must_use]
    pub fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }

    /// To be changed: nobody fills meanwhile.
    pub fn write(&self) -> RwLockWriteGuard<'_, Chunks> {
        self.chunks.write()
    }
}

/// What the stages of a receiver count, to be read from outside.
#[derive(Debug, Default)]
pub struct Tally {
    mended_sub_packets: AtomicU64,
    mended_bytes: AtomicU64,
    restored: AtomicU64,
}

impl Tally {
    /// What was mended.
    #[must_use]
    pub fn mended(&self) -> Mended {
        Mended {
            sub_packets: self.mended_sub_packets.load(Ordering::Relaxed),
            bytes: self.mended_bytes.load(Ordering::Relaxed),
        }
    }

    /// Sub-packets that never arrived, restored from parity.
    #[must_use]
    pub fn restored(&self) -> u64 {
        self.restored.load(Ordering::Relaxed)
    }

    fn add_mended(&self, before: Mended, now: Mended) {
        let (sub_packets, bytes) = (&self.mended_sub_packets, &self.mended_bytes);
        sub_packets.fetch_add(now.sub_packets - before.sub_packets, Ordering::Relaxed);
        bytes.fetch_add(now.bytes - before.bytes, Ordering::Relaxed);
    }

    pub(super) fn set_restored(&self, count: u64) {
        self.restored.store(count, Ordering::Relaxed);
    }
}

/// What has arrived on a lane.
#[derive(Debug)]
pub struct Arrived {
    /// The lane.
    pub lane: u8,
    /// Whole sub-packets, and whether this one was written to the memory of its chunk. Only one
    /// that was counts for being there: what another wrote is judged when that one is looked at.
    pub subs: Vec<(SubHeader, bool)>,
    /// Parity of chunks that there is memory for.
    pub parity: Vec<(ParityHeader, Vec<u8>)>,
    /// What is known of the lane,
    pub heard: Heard,
    /// and when.
    pub at: Duration,
    /// Nothing more waits there.
    pub is_all: bool,
    /// Frames that say more than their sub-packets do.
    pub frames: Vec<Frame>,
}

/// Takes frames from a lane, and copies each whole sub-packet to its place.
pub struct Combine {
    /// What has arrived.
    pub arrived: Output<Arrived>,
    /// Reports to be sent. An empty one asks to say so when nothing waits on the lane.
    pub reports: Input<Vec<u8>>,
    asked: bool,
    lane: Box<dyn Lane>,
    number: u8,
    combiner: Combiner,
    window: Window,
}

impl Combine {
    /// On a lane.
    #[must_use]
    pub fn new(
        arrived: Output<Arrived>,
        reports: Input<Vec<u8>>,
        lane: Box<dyn Lane>,
        number: u8,
        combiner: Combiner,
        window: Window,
    ) -> Self {
        Combine {
            arrived,
            reports,
            asked: false,
            lane,
            number,
            combiner,
            window,
        }
    }
}

impl Stage for Combine {
    fn turn(&mut self, now: Now) -> Result<Turn, StageError> {
        let time = now.time;
        if self.arrived.room() == 0 {
            // Whoever would make room may have ended.
            return Ok(if self.reports.is_finished() {
                Turn::Done
            } else {
                Turn::Idle
            });
        }
        let mut arrived = Arrived {
            lane: self.number,
            subs: Vec::new(),
            parity: Vec::new(),
            heard: Heard::default(),
            at: time,
            is_all: false,
            frames: Vec::new(),
        };
        let (combiner, window) = (&mut self.combiner, &self.window);
        let mended = combiner.counters().mended;
        let params = combiner.params();
        let moved = self.lane.receive(&mut |datagram| {
            let chunks = window.read();
            let mut places = &*chunks;
            let frame = combiner.receive(time, datagram, &mut |sub, bytes| match sub {
                // What is written stays written, so it is judged before.
                Sub::Data(sub) if sub.fits(&params) => {
                    let placed = places.write(&sub, bytes);
                    arrived.subs.push((sub, placed));
                }
                Sub::Data(_) => {}
                Sub::Parity(sub) => {
                    if chunks.of(sub.chunk).is_some() {
                        arrived.parity.push((sub, bytes.to_vec()));
                    }
                }
            });
            if frame != (Frame::Data { ask: false }) {
                arrived.frames.push(frame);
            }
        })?;
        arrived.is_all = !moved && self.asked;
        if moved || arrived.is_all {
            self.asked &= moved;
            let tally = self.window.tally();
            tally.add_mended(mended, self.combiner.counters().mended);
            arrived.heard = self.combiner.heard(time);
            let _ = self.arrived.push(arrived);
        }
        while let Some(report) = self.reports.pop() {
            if report.is_empty() {
                self.asked = true;
                continue;
            }
            // One that finds no room is lost; there will be others.
            self.lane.send(&[IoSlice::new(&report)], report.len())?;
        }
        if self.reports.is_finished() {
            return Ok(Turn::Done);
        }
        Ok(if moved || self.asked {
            Turn::Worked
        } else {
            Turn::Idle
        })
    }

    fn sleeper(&mut self) -> Option<&mut dyn Sleeper> {
        Some(self)
    }
}

impl Sleeper for Combine {
    fn wait(&mut self, timeout: Duration) -> io::Result<()> {
        self.lane.wait(timeout, false)
    }

    fn waker(&self) -> Waker {
        self.lane.waker()
    }
}
