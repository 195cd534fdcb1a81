// SPDX-License-Identifier: Apache-2.0
//! The operations of this end.

use super::super::frame::{Packet, length};
use super::super::header::{Header, Kind, MAX_WORDS, Request, SEQUENCES};
use super::{Failure, Operation, Settings, StartError};
use crate::line::Lanes;
use alloc::collections::VecDeque;

/// An operation has failed after all retries: the session ends.
pub(super) struct Ends;

/// An operation, from its start on.
#[derive(Debug, Clone)]
struct Own {
    id: u64,
    packet: Packet,
    /// It was sent, so that it has a number, and the other end may know of it.
    tried: bool,
    /// Of a read: blocks of one reading that were found good, and whether it is arriving.
    data: Vec<u8>,
    arriving: bool,
    retries: u8,
    /// When to send it again; none while it is to be sent.
    deadline: Option<u64>,
    /// Until when a session may take to come, while it is to be sent and there is none.
    alone_until: Option<u64>,
    /// It waits for those before it, to make room.
    ended: bool,
    /// It has not begun: the line changes its mode.
    kept: bool,
}

impl Own {
    const fn is_waiting(&self) -> bool {
        !self.ended && self.deadline.is_some()
    }
}

/// Those that are under way, in the order of their starts.
#[derive(Debug, Clone)]
pub(super) struct Issue {
    most: usize,
    retries: u8,
    timeout: u64,
    started: u64,
    /// Of the next write and of the next read.
    sequence: [u8; 2],
    all: VecDeque<Own>,
    pub outcomes: VecDeque<(u64, Result<Vec<u8>, Failure>)>,
    /// Requests that were sent again.
    pub tries: u64,
}

impl Issue {
    pub fn new(settings: &Settings) -> Self {
        Self {
            most: settings.outstanding as usize,
            retries: settings.retries,
            timeout: settings.timeout,
            started: 0,
            sequence: [0; 2],
            all: VecDeque::new(),
            outcomes: VecDeque::new(),
            tries: 0,
        }
    }

    pub fn is_busy(&self) -> bool {
        self.all.iter().any(|own| !own.ended)
    }

    /// Whether any is under way that was not kept.
    pub fn is_operating(&self) -> bool {
        self.all.iter().any(|own| !own.ended && !own.kept)
    }

    /// Those that were kept begin, on a line of this number of lanes.
    pub fn release(&mut self, lanes: Lanes) {
        for index in 0..self.all.len() {
            let own = &mut self.all[index];
            if core::mem::take(&mut own.kept) && own.packet.header.lanes > lanes {
                self.finish(index, Err(Failure::Lanes));
            }
        }
        self.make_room();
    }

    /// One that is kept.
    pub fn start(
        &mut self,
        operation: Operation,
        crc: bool,
        lanes: Lanes,
        up: bool,
    ) -> Result<u64, StartError> {
        let (request, address, data, words) = match operation {
            Operation::Write { address, data } => {
                let words = u32::try_from(data.len() / 8).unwrap_or(u32::MAX);
                if data.len() % 8 != 0 || words == 0 || words > MAX_WORDS {
                    return Err(StartError::Length(data.len()));
                }
                (Request::Write, address, data, words)
            }
            Operation::Read { address, words } => {
                if words == 0 || words > MAX_WORDS {
                    return Err(StartError::Length(8 * words as usize));
                }
                (Request::Read, address, Vec::new(), words)
            }
        };
        if address % 8 != 0 {
            return Err(StartError::Address(address));
        }
        if self.all.len() == self.most {
            return Err(StartError::Busy);
        }
        if !up {
            return Err(StartError::Down);
        }
        let header = Header {
            request,
            kind: Kind::Request { address },
            crc,
            lanes,
            words,
            sequence: 0,
        };
        let id = self.started;
        self.started += 1;
        self.all.push_back(Own {
            id,
            packet: Packet { header, data },
            tried: false,
            data: Vec::new(),
            arriving: false,
            retries: 0,
            deadline: None,
            alone_until: None,
            ended: false,
            kept: true,
        });
        Ok(id)
    }

    /// The request of the oldest one that is to be sent.
    pub fn next(&mut self, now: u64, data_may_begin: bool) -> Option<Packet> {
        let is_due = |own: &Own| !own.ended && !own.kept && own.deadline.is_none();
        let index = self.all.iter().position(is_due)?;
        let own = &mut self.all[index];
        let mut header = own.packet.header;
        if header.has_data() && !data_may_begin {
            return None;
        }
        if !own.tried {
            let next = &mut self.sequence[header.request as usize];
            header.sequence = *next;
            *next = (*next + u8::from(header.is_numbered())) % SEQUENCES;
        }
        (own.tried, own.packet.header) = (true, header);
        let packet = own.packet.clone();
        let mut takes = length(header);
        if header.request == Request::Read {
            takes += length(Header {
                kind: Kind::Data { address: 0 },
                ..header
            });
        }
        own.deadline = Some(now + takes + self.timeout);
        if !header.is_numbered() {
            self.finish(index, Ok(Vec::new()));
            self.make_room();
        }
        Some(packet)
    }

    /// Nothing is late before that time.
    pub fn wait(&mut self, time: u64) {
        for deadline in self.all.iter_mut().filter_map(|own| own.deadline.as_mut()) {
            *deadline = (*deadline).max(time);
        }
    }

    /// Each timeout without an answer, or without a session to send it in, is a retry.
    pub fn tick(&mut self, now: u64, up: bool) -> Result<(), Ends> {
        for index in 0..self.all.len() {
            let own = &mut self.all[index];
            if own.ended || own.kept {
                continue;
            }
            if up || own.deadline.is_some() {
                own.alone_until = None;
            } else {
                own.alone_until.get_or_insert(now + self.timeout);
            }
            if (own.deadline.or(own.alone_until)).is_some_and(|deadline| now >= deadline) {
                self.again(index, Failure::TimedOut)?;
            }
        }
        self.make_room();
        Ok(())
    }

    /// No data are arriving.
    pub fn close(&mut self) {
        for own in &mut self.all {
            own.arriving = false;
        }
    }

    /// A new session. What was not sent yet begins in it.
    pub fn forget(&mut self) {
        for index in 0..self.all.len() {
            if self.all[index].tried && !self.all[index].ended {
                self.finish(index, Err(Failure::Reset));
            }
        }
        self.make_room();
        self.sequence = [0; 2];
    }

    /// The one that an answer is to.
    fn find(&self, header: Header) -> Option<usize> {
        let is_it = |own: &Own| {
            let sent = own.packet.header;
            own.is_waiting() && (sent.sequence, sent.request) == (header.sequence, header.request)
        };
        self.all.iter().position(is_it)
    }

    fn finish(&mut self, index: usize, outcome: Result<Vec<u8>, Failure>) {
        self.all[index].ended = true;
        self.outcomes.push_back((self.all[index].id, outcome));
    }

    /// A place is free when all that began before have ended: so numbers are never far apart.
    fn make_room(&mut self) {
        while self.all.front().is_some_and(|own| own.ended) {
            self.all.pop_front();
        }
    }

    fn again(&mut self, index: usize, failure: Failure) -> Result<(), Ends> {
        let own = &mut self.all[index];
        own.arriving = false;
        if own.retries == self.retries {
            self.finish(index, Err(failure));
            return Err(Ends);
        }
        own.retries += 1;
        (own.deadline, own.alone_until) = (None, None);
        self.tries += u64::from(own.tried);
        Ok(())
    }

    pub fn done(&mut self, header: Header) {
        if header.request == Request::Write
            && let Some(index) = self.find(header)
        {
            self.finish(index, Ok(Vec::new()));
            self.make_room();
        }
    }

    pub fn refused(&mut self, header: Header) {
        if let Some(index) = self.find(header) {
            self.finish(index, Err(Failure::Refused));
            self.make_room();
        }
    }

    /// A write has arrived damaged. It comes again, and those behind it, which were not taken.
    pub fn damaged(&mut self, header: Header) -> Result<(), Ends> {
        if header.request == Request::Read {
            return Ok(());
        }
        for index in 0..self.all.len() {
            let own = &self.all[index];
            let sent = own.packet.header;
            let behind = sent.sequence.wrapping_sub(header.sequence) % SEQUENCES;
            let is_write = sent.request == Request::Write && sent.crc;
            if own.is_waiting() && is_write && behind < SEQUENCES / 2 {
                self.again(index, Failure::RetriesExhausted)?;
            }
        }
        Ok(())
    }

    pub fn data_begins(&mut self, header: Header) {
        if let Some(index) = self.find(header) {
            let own = &mut self.all[index];
            let sent = own.packet.header;
            own.arriving = sent.words == header.words && sent.crc == header.crc;
            own.data.clear();
        }
    }

    fn arriving(&self) -> Option<usize> {
        self.all.iter().position(|own| own.arriving)
    }

    pub fn block(&mut self, data: &[u8]) {
        if let Some(index) = self.arriving() {
            self.all[index].data.extend_from_slice(data);
        }
    }

    pub fn ended(&mut self, clean: bool) {
        let Some(index) = self.arriving() else { return };
        self.all[index].arriving = false;
        let data = core::mem::take(&mut self.all[index].data);
        let outcome = if clean {
            Ok(data)
        } else {
            Err(Failure::Damaged)
        };
        self.finish(index, outcome);
        self.make_room();
    }

    /// What is arriving is damaged, if anything is.
    pub fn data_damaged(&mut self) -> Result<(), Ends> {
        match self.arriving() {
            Some(index) => self.again(index, Failure::RetriesExhausted),
            None => Ok(()),
        }
    }
}
