// SPDX-License-Identifier: Apache-2.0
//! The transaction layer of one end: an operation of its own at a time, and those of the other end
//! on its memory.
//!
//! ```text
//!            start()                        Done, all data          ┌──────┐
//!  ┌──────┐  request sent   ┌─────────┐ ───────────────────────────►│ idle │
//!  │ idle │ ───────────────►│ waiting │  Window: refused            └──────┘
//!  └──────┘                 └─────────┘ ──────────────────► as above, with a failure
//!  write without CRC:         │     ▲   Damaged, or time-out: again, the same number
//!  done when sent             └─────┘   more than `retries` times: failure, and a new session
//! ```
//!
//! * Every operation that is answered has a number of four bits, writes and reads each on their
//!   own. A repeated request has the number of the first one. A write is not executed twice: it is
//!   answered again, and blocks that are in memory are not written again. A read may be: the memory
//!   is read again, and the requester takes all of the new data, so that they are of one reading.
//! * Numbers are only worth something between ends that agree on where they begin. So an end begins
//!   with a session: both say hello with a number of their own, and nothing else counts until each
//!   has seen its number come back. A new number of the other end (it was reset, or gave up) ends
//!   what is under way, and both users are told.
//! * Without CRC a write has no number and no answer. A read has both: its request may get lost.

use super::frame::{BLOCK, HOLD_WORDS, Item, Packet, length};
use super::header::{Header, Kind, MAX_WORDS, Notice, Request, SEQUENCES, SESSIONS};
use crate::line::Lanes;
use alloc::collections::VecDeque;
use core::ops::Range;

/// What an end works on.
pub trait Memory {
    /// `bytes` bytes from an address inside the window.
    fn read(&mut self, address: u32, bytes: usize) -> Vec<u8>;
    /// Data to an address inside the window.
    fn write(&mut self, address: u32, data: &[u8]);
}

/// What does not change while an end runs. Times are in words of a lane (two symbols).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Addresses that the other end may read and write.
    pub window: Range<u64>,
    /// How often an operation is repeated, at most.
    pub retries: u8,
    /// Without an answer for so long behind the time that its own packets take, an operation is
    /// repeated. More than the round trip and the longest packet of the other end, which may be in
    /// front of the answer.
    pub timeout: u64,
    /// The number of the first session, below 4096. Another one after each reset: time, a counter,
    /// or chance.
    pub session: u16,
}

/// What the user wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// These bytes to the remote address.
    Write {
        /// Where to, a multiple of 8.
        address: u32,
        /// A multiple of 8 bytes, at most 524 288.
        data: Vec<u8>,
    },
    /// `words` words of 8 bytes from the remote address.
    Read {
        /// Where from, a multiple of 8.
        address: u32,
        /// 1 to 65 536.
        words: u32,
    },
}

/// Why an operation does not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// One at a time.
    #[error("an operation is under way")]
    Busy,
    /// The ends have not agreed on a session.
    #[error("the link is down")]
    Down,
    /// Addresses are those of words.
    #[error("address {0:#x} is not a multiple of 8")]
    Address(u32),
    /// Whole words, at least one.
    #[error("{0} bytes: must be a multiple of 8 from 8 to 524288")]
    Length(usize),
}

/// Why an operation ended otherwise than well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Failure {
    /// The other end does not allow that address.
    #[error("the other end refuses this address")]
    Refused,
    /// The last answer was that the packet had arrived damaged.
    #[error("still damaged after all retries")]
    RetriesExhausted,
    /// There was no answer.
    #[error("no answer after all retries")]
    TimedOut,
    /// The data of a read without CRC arrived with impossible symbols.
    #[error("the data arrived damaged, and without CRC nobody sends them again")]
    Damaged,
    /// A new session began. Whether the operation was executed, wholly or in part, is not known.
    #[error("the link was reset")]
    Reset,
}

/// What an end counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Requests of this end that were sent again.
    pub retries: u64,
    /// Packets that arrived damaged.
    pub damaged: u64,
    /// Requests of the other end that were there already.
    pub repeated: u64,
    /// Requests of the other end outside the window.
    pub refused: u64,
    /// Sessions that began.
    pub sessions: u64,
}

/// An operation of this end.
#[derive(Debug, Clone)]
struct Own {
    packet: Packet,
    /// Of a read: what has arrived and was found good.
    data: Vec<u8>,
    /// Blocks seen of the data that are arriving, if they are.
    arriving: Option<usize>,
    retries: u8,
    /// When to send it again; none while it is to be sent.
    deadline: Option<u64>,
}

/// What the last write of the other end was answered: a repeated one gets the same.
#[derive(Debug, Clone)]
struct Answered {
    sequence: u8,
    answer: Packet,
}

/// A write of the other end that is arriving, or has arrived in part.
#[derive(Debug, Clone)]
struct Incoming {
    header: Header,
    address: u32,
    /// Blocks in memory.
    written: usize,
    /// Blocks of the present packet.
    seen: usize,
    /// A packet of it is arriving.
    open: bool,
}

/// One end.
#[derive(Debug, Clone)]
pub struct Endpoint {
    settings: Settings,
    session: u16,
    peer: Option<u16>,
    /// The other end was heard in this session.
    fresh: bool,
    up: bool,
    hello_at: u64,
    hello_due: bool,
    /// Of the next write and of the next read.
    sequence: [u8; 2],
    own: Option<Own>,
    outcome: Option<Result<Vec<u8>, Failure>>,
    answers: VecDeque<Packet>,
    data: Option<Packet>,
    answered: Option<Answered>,
    incoming: Option<Incoming>,
    /// The other end's memory is behind: since now, and until when no data begin.
    held: bool,
    hold_until: u64,
    counters: Counters,
}

impl Endpoint {
    /// An end behind its reset: it says hello.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let session = settings.session % SESSIONS;
        Endpoint {
            settings,
            session,
            peer: None,
            fresh: false,
            up: false,
            hello_at: 0,
            hello_due: true,
            sequence: [0; 2],
            own: None,
            outcome: None,
            answers: VecDeque::new(),
            data: None,
            answered: None,
            incoming: None,
            held: false,
            hold_until: 0,
            counters: Counters::default(),
        }
    }

    /// Whether operations can begin.
    #[must_use]
    pub const fn is_up(&self) -> bool {
        self.up
    }

    /// Whether an operation of this end is under way.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.own.is_some()
    }

    /// What this end has counted.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// How the last operation ended, once: the data of a read, nothing for a write.
    pub fn outcome(&mut self) -> Option<Result<Vec<u8>, Failure>> {
        self.outcome.take()
    }

    /// Begins an operation.
    ///
    /// # Errors
    /// If it is none, or another one is under way, or the link is down.
    pub fn start(
        &mut self,
        operation: Operation,
        crc: bool,
        lanes: Lanes,
    ) -> Result<(), StartError> {
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
        if self.own.is_some() {
            return Err(StartError::Busy);
        }
        if !self.up {
            return Err(StartError::Down);
        }
        let header = Header {
            request,
            kind: Kind::Request { address },
            crc,
            lanes,
            words,
            sequence: self.sequence[request as usize],
        };
        self.outcome = None;
        self.own = Some(Own {
            packet: Packet { header, data },
            data: Vec::new(),
            arriving: None,
            retries: 0,
            deadline: None,
        });
        Ok(())
    }

    /// The next packet to send, if there is one: answers first, then data, then this end's request.
    /// To be asked when the packet before has left.
    pub fn transmit(&mut self, now: u64) -> Option<Packet> {
        self.obey(now);
        let data_may_begin = now >= self.hold_until;
        if self.hello_due || (!self.up && now >= self.hello_at) {
            self.hello_due = false;
            self.hello_at = now + self.settings.timeout;
            return Some(self.hello());
        }
        if let Some(answer) = self.answers.pop_front() {
            return Some(answer);
        }
        if data_may_begin && let Some(data) = self.data.take() {
            return Some(data);
        }
        let own = self.own.as_mut()?;
        if own.deadline.is_some() {
            return None;
        }
        let header = own.packet.header;
        if header.has_data() && !data_may_begin {
            return None;
        }
        let packet = own.packet.clone();
        if !header.is_numbered() {
            self.finish(Ok(Vec::new()));
            return Some(packet);
        }
        let mut takes = length(header);
        if header.request == Request::Read {
            takes += length(Header {
                kind: Kind::Data { address: 0 },
                ..header
            });
        }
        own.deadline = Some(now + takes + self.settings.timeout);
        Some(packet)
    }

    /// Lets time pass.
    pub fn tick(&mut self, now: u64) {
        self.obey(now);
        let due = |own: &Own| own.deadline.is_some_and(|deadline| now >= deadline);
        if self.own.as_ref().is_some_and(due) {
            self.again(Failure::TimedOut);
        }
    }

    /// A HLD that has arrived counts from now on.
    fn obey(&mut self, now: u64) {
        if core::mem::take(&mut self.held) {
            self.hold_until = now + HOLD_WORDS;
            if let Some(deadline) = self.own.as_mut().and_then(|own| own.deadline.as_mut()) {
                *deadline = (*deadline).max(now + self.settings.timeout);
            }
        }
    }

    /// Takes what the receiver has found.
    pub fn receive(&mut self, item: Item, memory: &mut dyn Memory) {
        match item {
            Item::Header(header) => {
                self.close();
                match header.kind {
                    Kind::Notice(Notice::Hello { own, echo, up }) => self.greeted(own, echo, up),
                    // Of another session, or of none.
                    _ if !self.up => {}
                    Kind::Request { address } => self.requested(header, address, memory),
                    Kind::Data { .. } => self.data_begins(header),
                    Kind::Done => self.done(header),
                    Kind::Notice(notice) => self.noticed(header, notice),
                }
            }
            Item::Hold => self.held = true,
            Item::Block(data) => self.block(&data, memory),
            Item::End { clean } => self.ended(clean),
            Item::Damaged(header, _) => self.damaged(header),
        }
    }

    /// No packet is arriving.
    fn close(&mut self) {
        if let Some(incoming) = &mut self.incoming {
            incoming.open = false;
        }
        if let Some(own) = &mut self.own {
            own.arriving = None;
        }
    }

    // ---- sessions -----------------------------------------------------------------------------------

    fn hello(&self) -> Packet {
        let hello = Notice::Hello {
            own: self.session,
            // Not that of before a new session: it would be taken for a proof that it is heard.
            echo: self.peer.filter(|_| self.fresh),
            up: self.up,
        };
        short(Kind::Notice(hello), Request::Write, Lanes::X1, 0)
    }

    fn greeted(&mut self, own: u16, echo: Option<u16>, up: bool) {
        // An end that was heard and has not heard was reset, whatever number it took.
        if self.peer != Some(own) || (self.up && echo.is_none()) {
            self.forget(Failure::Reset);
            self.peer = Some(own);
            self.up = false;
            self.hello_due = true;
        }
        self.fresh = true;
        let heard = echo == Some(self.session);
        if heard && !self.up {
            self.up = true;
            self.counters.sessions += 1;
        }
        // It has not seen its own number yet.
        self.hello_due |= !up || !heard;
    }

    /// Nothing of what was counts any more.
    fn forget(&mut self, failure: Failure) {
        if self.own.is_some() {
            self.finish(Err(failure));
        }
        self.sequence = [0; 2];
        self.answers.clear();
        self.data = None;
        self.answered = None;
        self.incoming = None;
    }

    // ---- operations of this end ---------------------------------------------------------------------

    fn finish(&mut self, outcome: Result<Vec<u8>, Failure>) {
        if let Some(own) = self.own.take() {
            let header = own.packet.header;
            if header.is_numbered() {
                let next = &mut self.sequence[header.request as usize];
                *next = (*next + 1) % SEQUENCES;
            }
            self.outcome = Some(outcome);
        }
    }

    fn again(&mut self, failure: Failure) {
        let Some(own) = &mut self.own else { return };
        own.arriving = None;
        own.data.clear();
        if own.retries == self.settings.retries {
            // Whether the other end has executed it, nobody knows: numbers have to begin anew.
            self.finish(Err(failure));
            self.session = (self.session + 1) % SESSIONS;
            self.forget(Failure::Reset);
            self.up = false;
            self.fresh = false;
            self.hello_due = true;
            return;
        }
        own.retries += 1;
        own.deadline = None;
        self.counters.retries += 1;
    }

    /// Whether an answer is one to the operation under way.
    fn mine(&self, header: Header) -> bool {
        self.own.as_ref().is_some_and(|own| {
            let sent = own.packet.header;
            own.deadline.is_some()
                && (sent.sequence, sent.request) == (header.sequence, header.request)
        })
    }

    fn done(&mut self, header: Header) {
        if header.request == Request::Write && self.mine(header) {
            self.finish(Ok(Vec::new()));
        }
    }

    fn noticed(&mut self, header: Header, notice: Notice) {
        match notice {
            Notice::Window if self.mine(header) => self.finish(Err(Failure::Refused)),
            Notice::Damaged if header.request == Request::Write && self.mine(header) => {
                self.again(Failure::RetriesExhausted);
            }
            _ => {}
        }
    }

    fn data_begins(&mut self, header: Header) {
        let mine = self.mine(header);
        if let Some(own) = &mut self.own {
            let sent = own.packet.header;
            own.arriving =
                (mine && sent.words == header.words && sent.crc == header.crc).then_some(0);
        }
    }

    // ---- operations of the other end ------------------------------------------------------------------

    fn inside(&self, header: Header, address: u32) -> bool {
        let begin = u64::from(address);
        let end = begin + 8 * u64::from(header.words);
        self.settings.window.start <= begin && end <= self.settings.window.end
    }

    /// Sends the last answer to a write again if the request is that one once more.
    fn answer_again(&mut self, header: Header) -> bool {
        let Some(last) = &self.answered else {
            return false;
        };
        if header.request == Request::Read || !header.crc || last.sequence != header.sequence {
            return false;
        }
        self.answers.push_back(last.answer.clone());
        true
    }

    fn answer(&mut self, header: Header, answer: Packet) {
        if header.has_data() && header.crc {
            self.answered = Some(Answered {
                sequence: header.sequence,
                answer: answer.clone(),
            });
        }
        self.answers.push_back(answer);
    }

    fn requested(&mut self, header: Header, address: u32, memory: &mut dyn Memory) {
        if self.answer_again(header) {
            self.counters.repeated += 1;
            return;
        }
        if !self.inside(header, address) {
            self.counters.refused += 1;
            let notice = Kind::Notice(Notice::Window);
            self.answer(
                header,
                short(notice, header.request, header.lanes, header.sequence),
            );
            return;
        }
        match header.request {
            Request::Read => {
                let data = memory.read(address, 8 * header.words as usize);
                let header = Header {
                    kind: Kind::Data { address },
                    ..header
                };
                self.data = Some(Packet { header, data });
            }
            Request::Write => {
                // A second try goes on behind the blocks that are in memory.
                let written = match &self.incoming {
                    Some(before) if before.header == header && header.crc => before.written,
                    _ => 0,
                };
                self.incoming = Some(Incoming {
                    header,
                    address,
                    written,
                    seen: 0,
                    open: true,
                });
            }
        }
    }

    fn block(&mut self, data: &[u8], memory: &mut dyn Memory) {
        if let Some(incoming) = self.incoming.as_mut().filter(|incoming| incoming.open) {
            if incoming.seen == incoming.written {
                let offset = (incoming.written * BLOCK) as u32;
                memory.write(incoming.address + offset, data);
                incoming.written += 1;
            }
            incoming.seen += 1;
        } else if let Some(own) = &mut self.own
            && let Some(seen) = &mut own.arriving
        {
            if *seen * BLOCK == own.data.len() {
                own.data.extend_from_slice(data);
            }
            *seen += 1;
        }
    }

    fn ended(&mut self, clean: bool) {
        self.counters.damaged += u64::from(!clean);
        if let Some(incoming) = self.incoming.take_if(|incoming| incoming.open) {
            let header = incoming.header;
            if header.crc {
                let done = short(Kind::Done, Request::Write, header.lanes, header.sequence);
                self.answer(header, done);
            }
        } else if let Some(own) = &mut self.own
            && own.arriving.take().is_some()
        {
            let data = core::mem::take(&mut own.data);
            self.finish(if clean {
                Ok(data)
            } else {
                Err(Failure::Damaged)
            });
        }
    }

    fn damaged(&mut self, header: Option<Header>) {
        self.counters.damaged += 1;
        self.close();
        // Of what is not answered, or whose header is unknown, a timer takes care.
        let Some(header) = header.filter(|header| header.has_data() && self.up) else {
            return;
        };
        if header.request == Request::Read {
            if self.mine(header) {
                self.again(Failure::RetriesExhausted);
            }
        } else if header.crc {
            let notice = Kind::Notice(Notice::Damaged);
            self.answers
                .push_back(short(notice, header.request, header.lanes, header.sequence));
        }
    }
}

/// A packet without data.
const fn short(kind: Kind, request: Request, lanes: Lanes, sequence: u8) -> Packet {
    Packet {
        header: Header {
            request,
            kind,
            crc: true,
            lanes,
            words: 1,
            sequence,
        },
        data: Vec::new(),
    }
}
