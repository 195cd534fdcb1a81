// SPDX-License-Identifier: Apache-2.0
//! A MAC of 100G Ethernet: words of a stream to slots of CGMII and back, with preamble, check
//! sequence, gap and link faults.

use std::collections::VecDeque;

use crc_fast::{CrcAlgorithm, Digest};
use ropewalk_wire::pcs::Slot;

use super::super::end::{Beat, WORD};

const START: Slot = Slot {
    control: 0x01,
    data: [0xfb, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xd5],
};
const REMOTE_FAULT: Slot = Slot {
    control: 0x01,
    data: [0x9c, 0, 0, 2, 0, 0, 0, 0],
};
const TERMINATE: u8 = 0xfd;
const IDLE: u8 = 0x07;
/// Bytes of the check sequence.
const FCS: usize = 4;
/// Bytes between two frames, on average.
const GAP: usize = 12;
/// Slots for which a fault is remembered (clause 81.3.4).
const FAULT_SLOTS: u32 = 128;
/// Words that wait before a frame begins that has not ended: a frame has no gap.
const AHEAD: usize = 2 * WORD;

/// CRC-32 of IEEE 802.3.
#[derive(Debug, Clone, Copy)]
struct Crc(Digest);

impl Crc {
    /// What a frame with its own check sequence leaves.
    const GOOD: u32 = 0x2144_df1c;

    fn new() -> Self {
        Self(Digest::new(CrcAlgorithm::Crc32IsoHdlc))
    }

    fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn value(self) -> u32 {
        self.0.finalize() as u32
    }
}

/// What a receiver knows of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Fault {
    None,
    /// It has no signal.
    Local,
    /// The peer has none.
    Remote,
}

/// Words of a stream in, slots out.
#[derive(Debug)]
pub(super) struct Transmitter {
    /// Of frames that were not sent yet.
    bytes: VecDeque<u8>,
    /// Bytes of each frame that is there as a whole, less what was sent of the first one.
    frames: VecDeque<usize>,
    /// Bytes of the frame that is being taken.
    part: usize,
    /// The rest of that one is thrown away.
    skip: bool,
    /// In a frame: its check sequence.
    crc: Option<Crc>,
    /// The rest of the end of a frame.
    tail: VecDeque<Slot>,
    /// Bytes of gap that are due; seven may stay so.
    owed: usize,
}

impl Transmitter {
    pub(super) fn new() -> Self {
        Self {
            bytes: VecDeque::new(),
            frames: VecDeque::new(),
            part: 0,
            skip: false,
            crc: None,
            tail: VecDeque::new(),
            owed: 0,
        }
    }

    /// Whether it takes a word.
    pub(super) fn ready(&self) -> bool {
        self.bytes.len() < 2 * AHEAD
    }

    pub(super) fn push(&mut self, beat: &Beat) {
        if self.skip {
            self.skip = !beat.last;
            return;
        }
        self.bytes.extend(beat.content());
        self.part += beat.content().len();
        if beat.last {
            self.frames.push_back(std::mem::take(&mut self.part));
        }
    }

    /// The next slot; `fault` is what the receiver of this end knows.
    pub(super) fn slot(&mut self, fault: Fault) -> Slot {
        if let Some(slot) = self.tail.pop_front() {
            return slot;
        }
        match self.crc {
            // A fault comes, or the source is late.
            Some(_) if fault != Fault::None || self.is_late() => self.abort(),
            Some(crc) => self.body(crc),
            None => self.between(fault),
        }
    }

    fn is_late(&self) -> bool {
        self.frames.is_empty() && self.bytes.len() < 8
    }

    /// Ends the frame as a bad one; what is left of it is thrown away.
    fn abort(&mut self) -> Slot {
        self.crc = None;
        self.owed = GAP;
        if let Some(left) = self.frames.pop_front() {
            self.bytes.drain(..left);
        } else {
            self.bytes.clear();
            self.part = 0;
            self.skip = true;
        }
        Slot::ERROR
    }

    fn between(&mut self, fault: Fault) -> Slot {
        let whole = !self.frames.is_empty() || self.bytes.len() >= AHEAD;
        if fault == Fault::None && whole && self.owed < 8 {
            self.crc = Some(Crc::new());
            return START;
        }
        self.owed = self.owed.saturating_sub(8);
        if fault == Fault::Local {
            REMOTE_FAULT
        } else {
            Slot::IDLE
        }
    }

    fn body(&mut self, mut crc: Crc) -> Slot {
        let left = self.frames.front().copied();
        let count = left.unwrap_or(8).min(8);
        let bytes: Vec<u8> = self.bytes.drain(..count).collect();
        crc.add(&bytes);
        self.crc = Some(crc);
        match self.frames.front_mut() {
            Some(left) => *left -= count,
            None => self.part -= count,
        }
        if let Ok(data) = bytes.as_slice().try_into() {
            return Slot { control: 0, data };
        }
        // Fewer than eight are left: they, the check sequence and the end are two slots at most.
        self.frames.pop_front();
        self.crc = None;
        let mut tail = bytes;
        tail.extend(crc.value().to_le_bytes());
        let frame = tail.len();
        tail.push(TERMINATE);
        tail.resize(tail.len().next_multiple_of(8), IDLE);
        self.owed = (self.owed + GAP).saturating_sub(tail.len() - frame);
        let (slots, _) = tail.as_chunks();
        self.tail
            .extend(slots.iter().enumerate().map(|(i, &data)| Slot {
                control: (0xff_u16 << frame.saturating_sub(8 * i).min(8)) as u8,
                data,
            }));
        self.tail.pop_front().unwrap_or(Slot::IDLE)
    }
}

/// Slots in, words of a stream out.
#[derive(Debug)]
pub(super) struct Receiver {
    /// In a frame: what has come of it and did not go out.
    frame: Option<Vec<u8>>,
    crc: Crc,
    /// Words that wait to go out, one a cycle.
    words: VecDeque<Beat>,
    fault: Fault,
    /// Slots since a fault was said.
    since: u32,
    /// Frames that came whole, and that did not.
    pub good: u64,
    pub damaged: u64,
}

impl Receiver {
    pub(super) fn new() -> Self {
        Self {
            frame: None,
            crc: Crc::new(),
            words: VecDeque::new(),
            fault: Fault::Local,
            since: 0,
            good: 0,
            damaged: 0,
        }
    }

    pub(super) fn fault(&self) -> Fault {
        self.fault
    }

    /// The next word of the stream.
    pub(super) fn pop(&mut self) -> Option<Beat> {
        self.words.pop_front()
    }

    pub(super) fn slot(&mut self, slot: Slot) {
        self.since += 1;
        if slot == Slot::LOCAL_FAULT || slot == REMOTE_FAULT {
            self.since = 0;
            self.fault = if slot == REMOTE_FAULT {
                Fault::Remote
            } else {
                Fault::Local
            };
        } else if self.since >= FAULT_SLOTS {
            self.fault = Fault::None;
        }
        if slot == START {
            self.end(false);
            self.frame = Some(Vec::with_capacity(2 * WORD));
            self.crc = Crc::new();
            return;
        }
        if self.frame.is_none() {
            return;
        }
        let count = slot.control.trailing_zeros().min(8) as usize;
        self.crc.add(&slot.data[..count]);
        if let Some(frame) = &mut self.frame {
            frame.extend(&slot.data[..count]);
            // A word is not the last one if more than the check sequence follows.
            while frame.len() > WORD + FCS {
                let rest = frame.split_off(WORD);
                self.words.push_back(word(frame, false, false));
                *frame = rest;
            }
        }
        if count < 8 {
            self.end(slot.data[count] == TERMINATE && self.crc.value() == Crc::GOOD);
        }
    }

    fn end(&mut self, good: bool) {
        let Some(frame) = self.frame.take() else {
            return;
        };
        self.good += u64::from(good);
        self.damaged += u64::from(!good);
        let size = frame.len().saturating_sub(FCS).max(1);
        self.words
            .push_back(word(frame.get(..size).unwrap_or(&[0]), true, !good));
    }
}

fn word(bytes: &[u8], last: bool, error: bool) -> Beat {
    let mut data = [0; WORD];
    let bytes = &bytes[..bytes.len().min(WORD)];
    data[..bytes.len()].copy_from_slice(bytes);
    Beat {
        data,
        bytes: bytes.len() as u8,
        last,
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(frame: &[u8]) -> Vec<Beat> {
        let count = frame.chunks(WORD).count();
        let parts = frame.chunks(WORD).enumerate();
        parts
            .map(|(i, part)| word(part, i + 1 == count, false))
            .collect()
    }

    impl Transmitter {
        fn busy(&self) -> bool {
            self.crc.is_some() || !self.bytes.is_empty() || !self.tail.is_empty()
        }
    }

    /// Frames of any length come back, with twelve bytes between them on average.
    #[test]
    fn frames_come_back() {
        let (mut transmitter, mut receiver) = (Transmitter::new(), Receiver::new());
        let (mut slots, mut bytes) = (0_usize, 0_usize);
        for _ in 0..2 * FAULT_SLOTS {
            receiver.slot(Slot::IDLE);
        }
        assert_eq!(receiver.fault(), Fault::None);
        for size in 60..400_usize {
            let frame: Vec<u8> = (0..size).map(|i| (i * 7 + size) as u8).collect();
            let sent = words(&frame);
            for beat in &sent {
                transmitter.push(beat);
            }
            bytes += 8 + size + FCS + GAP;
            while transmitter.busy() {
                receiver.slot(transmitter.slot(Fault::None));
                slots += 1;
            }
            let came: Vec<Beat> = std::iter::from_fn(|| receiver.pop()).collect();
            assert_eq!(came, sent, "{size} bytes");
        }
        assert_eq!((receiver.good, receiver.damaged), (340, 0));
        assert!(
            (8 * slots).abs_diff(bytes) <= 16,
            "{slots} slots, {bytes} bytes"
        );
    }

    /// A wrong bit, a missing end, a fault in the middle: an error mark each, and the next frame is
    /// whole.
    #[test]
    fn bad_frames_are_marked() {
        for fault in 0..3 {
            let (mut transmitter, mut receiver) = (Transmitter::new(), Receiver::new());
            for number in 0..2 {
                for beat in words(&[number; 300]) {
                    transmitter.push(&beat);
                }
            }
            for at in 0..100 {
                let bad = at == 20;
                let said = if bad && fault == 0 {
                    Fault::Remote
                } else {
                    Fault::None
                };
                let mut slot = transmitter.slot(said);
                match fault {
                    1 if bad => slot.data[3] ^= 1,
                    2 if bad => slot = Slot::IDLE,
                    _ => (),
                }
                receiver.slot(slot);
            }
            let came: Vec<Beat> = std::iter::from_fn(|| receiver.pop()).collect();
            let ends: Vec<bool> = came.iter().filter(|b| b.last).map(|b| b.error).collect();
            assert_eq!(ends, [true, false], "{fault}");
            assert_eq!((receiver.good, receiver.damaged), (1, 1));
        }
    }
}
