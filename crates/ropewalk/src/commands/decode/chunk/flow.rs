// SPDX-License-Identifier: Apache-2.0
//! What a capture shows of the frames of a lane.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use ropewalk_wire::chunk::FrameSeq;
use ropewalk_wire::chunk::frame::{FrameHeader, Kind};
use ropewalk_wire::chunk::subpacket::Sub;
use serde::Serialize;

/// Where the number of a frame stands among those of its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The next one.
    Next,
    /// Behind as many that have not come.
    Behind(u32),
    /// One that was missing.
    Late,
    /// One that has come before, or lies before the capture.
    Again,
}

/// Numbers of the frames of a lane in one direction.
#[derive(Debug, Default)]
pub struct Numbers {
    newest: Option<FrameSeq>,
    missing: BTreeSet<u32>,
}

impl Numbers {
    /// A gap above is none: numbers have begun anew.
    const WIDEST: u32 = 1 << 20;

    fn take(&mut self, seq: FrameSeq) -> Place {
        let Some(newest) = self.newest else {
            self.newest = Some(seq);
            return Place::Next;
        };
        match seq.since(newest) {
            ahead @ 1.. => {
                let gap = ahead as u32 - 1;
                self.newest = Some(seq);
                if gap >= Self::WIDEST {
                    return Place::Next;
                }
                let mut one = newest.next();
                for _ in 0..gap {
                    self.missing.insert(one.get());
                    one = one.next();
                }
                if gap == 0 {
                    Place::Next
                } else {
                    Place::Behind(gap)
                }
            }
            _ if self.missing.remove(&seq.get()) => Place::Late,
            _ => Place::Again,
        }
    }
}

/// A lane in one direction.
#[derive(Debug, Default, Serialize)]
pub struct Flow {
    pub lane: u8,
    pub from: String,
    pub to: String,
    pub frames: u64,
    /// Numbers between the first and the last of which no frame was captured.
    pub missing: u64,
    /// Frames behind one with a higher number.
    pub late: u64,
    /// Frames that came twice.
    pub again: u64,
    /// Frames that ask for a report.
    pub asks: u64,
    pub reports: u64,
    pub sub_packets: u64,
    /// Of them, those that were sent before.
    pub resent: u64,
    /// Sub-packets of parity.
    pub parity: u64,
    /// Bytes of payload of new sub-packets and of those that were sent again.
    pub payload: u64,
    pub first_ns: Option<u64>,
    pub last_ns: Option<u64>,
    #[serde(skip)]
    numbers: Numbers,
}

impl Flow {
    /// Of which nothing was captured yet.
    pub fn new(lane: u8, from: SocketAddr, to: SocketAddr) -> Self {
        Flow {
            lane,
            from: from.to_string(),
            to: to.to_string(),
            ..Flow::default()
        }
    }

    /// Takes the header of a frame.
    pub fn take(&mut self, header: &FrameHeader, time_ns: Option<u64>) -> Place {
        self.frames += 1;
        self.asks += u64::from(header.kind == Kind::Ask);
        self.reports += u64::from(header.kind == Kind::Report);
        self.first_ns = self.first_ns.or(time_ns);
        self.last_ns = time_ns.or(self.last_ns);
        let place = self.numbers.take(header.seq);
        self.late += u64::from(place == Place::Late);
        self.again += u64::from(place == Place::Again);
        self.missing = self.numbers.missing.len() as u64;
        place
    }

    /// Takes the sub-packets of a frame.
    pub fn take_subs(&mut self, subs: &[Sub]) {
        for sub in subs {
            match sub {
                Sub::Data(it) => {
                    self.sub_packets += 1;
                    self.resent += u64::from(it.round > 0);
                    self.payload += u64::from(it.length);
                }
                Sub::Parity(_) => self.parity += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_lane() {
        let mut numbers = Numbers::default();
        let mut place = |seq| numbers.take(FrameSeq::new(seq));
        // It wraps in the gap.
        assert_eq!(place(0xff_fffe), Place::Next);
        assert_eq!(place(2), Place::Behind(3));
        assert_eq!(place(0), Place::Late);
        assert_eq!(place(0), Place::Again);
        assert_eq!(place(3), Place::Next);
        assert_eq!(place(0xff_fffe), Place::Again);
        assert_eq!(numbers.missing.len(), 2);
    }
}
