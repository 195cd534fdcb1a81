// SPDX-License-Identifier: Apache-2.0
//! The operations of the other end on this end's memory.

use super::super::frame::{BLOCK, Packet};
use super::super::header::{Header, Kind, Notice, Request, SEQUENCES};
use super::{Memory, Settings, short};
use alloc::collections::VecDeque;
use core::ops::Range;

/// Answers that wait, at most: a request whose answer finds no room comes again.
const ANSWERS: usize = 16;

/// A write whose packet is arriving.
#[derive(Debug, Clone)]
struct Open {
    header: Header,
    address: u32,
    /// Inside the window.
    allowed: bool,
    /// Blocks of this packet so far.
    seen: usize,
}

/// What is kept of the other end.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    window: Range<u64>,
    /// Outcomes of writes that are kept: one that comes again is answered as before.
    kept: usize,
    outcomes: VecDeque<Packet>,
    /// Number of the next write with CRC, and how many of its blocks are in memory.
    expected: u8,
    part: usize,
    open: Option<Open>,
    /// In the order of the requests.
    answers: VecDeque<Packet>,
    pub repeated: u64,
    pub refused: u64,
}

impl Peer {
    pub fn new(settings: Settings) -> Self {
        let kept = usize::from(settings.outstanding.kept());
        Self {
            window: settings.window,
            kept,
            outcomes: VecDeque::new(),
            expected: 0,
            part: 0,
            open: None,
            answers: VecDeque::new(),
            repeated: 0,
            refused: 0,
        }
    }

    /// The next answer.
    pub fn next(&mut self, data_may_begin: bool) -> Option<Packet> {
        let is_due = |answer: &Packet| data_may_begin || !answer.header.has_data();
        self.answers.front().filter(|answer| is_due(answer))?;
        self.answers.pop_front()
    }

    /// No packet is arriving.
    pub fn close(&mut self) {
        self.open = None;
    }

    /// A new session.
    pub fn forget(&mut self) {
        self.close();
        self.outcomes.clear();
        self.answers.clear();
        (self.expected, self.part) = (0, 0);
    }

    fn inside(&self, header: Header, address: u32) -> bool {
        let begin = u64::from(address);
        let end = begin + 8 * u64::from(header.words);
        self.window.start <= begin && end <= self.window.end
    }

    fn answer(&mut self, answer: Packet) {
        if self.answers.len() < ANSWERS {
            self.answers.push_back(answer);
        }
    }

    pub fn requested(&mut self, header: Header, address: u32, memory: &mut dyn Memory) {
        let allowed = self.inside(header, address);
        // Of a single operation: the answer to the one before is no longer wanted.
        if self.kept == 1 {
            self.answers.clear();
        }
        let Header {
            request,
            lanes,
            sequence,
            ..
        } = header;
        if request == Request::Write && header.crc {
            let known = self
                .outcomes
                .iter()
                .find(|it| it.header.sequence == sequence);
            if let Some(answer) = known.cloned() {
                self.repeated += 1;
                return self.answer(answer);
            }
            // Ahead of one that was lost.
            if sequence != self.expected {
                return;
            }
        }
        self.refused += u64::from(!allowed);
        match request {
            Request::Read if allowed => {
                let data = memory.read(address, 8 * header.words as usize);
                let kind = Kind::Data { address };
                let header = Header { kind, ..header };
                self.answer(Packet { header, data });
            }
            Request::Read => {
                let notice = Kind::Notice(Notice::Window);
                self.answer(short(notice, request, lanes, sequence));
            }
            Request::Write => {
                self.open = Some(Open {
                    header,
                    address,
                    allowed,
                    seen: 0,
                });
            }
        }
    }

    /// Whether a block is of a write.
    pub fn block(&mut self, data: &[u8], memory: &mut dyn Memory) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        // A second try goes on behind the blocks that are in memory.
        let skip = if open.header.crc { self.part } else { 0 };
        if open.allowed && open.seen >= skip {
            memory.write(open.address + (open.seen * BLOCK) as u32, data);
            self.part += usize::from(open.header.crc);
        }
        open.seen += 1;
        true
    }

    /// Whether a write has arrived, which its codes have found good.
    pub fn ended(&mut self) -> bool {
        let Some(Open {
            header, allowed, ..
        }) = self.open.take()
        else {
            return false;
        };
        if header.crc {
            let kind = if allowed {
                Kind::Done
            } else {
                Kind::Notice(Notice::Window)
            };
            let answer = short(kind, header.request, header.lanes, header.sequence);
            if self.outcomes.len() == self.kept {
                self.outcomes.pop_front();
            }
            self.outcomes.push_back(answer.clone());
            self.expected = (self.expected + 1) % SEQUENCES;
            self.part = 0;
            self.answer(answer);
        }
        true
    }

    /// What is arriving is damaged. Of what is not answered a timer of the other end takes care.
    pub fn damaged(&mut self) {
        let open = self.open.take().filter(|open| open.header.crc);
        if let Some(Open { header, .. }) = open {
            let notice = Kind::Notice(Notice::Damaged);
            self.answer(short(notice, header.request, header.lanes, header.sequence));
        }
    }
}
