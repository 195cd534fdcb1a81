// SPDX-License-Identifier: Apache-2.0
//! The transaction layer of one end: its own operations, and those of the other end on its memory.
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
//! * Several may be under way. Their requests go out in the order of their starts, and so do the
//!   answers. Writes with CRC are executed in the order of their numbers: one that is ahead of
//!   another one, which was lost, is not taken and comes again behind it. Reads, and writes without
//!   CRC, keep no order with others. One that fails after all retries ends the session, and with it
//!   all that were sent. Each timeout without a session counts as a retry, too.
//! * With [`Switch`] both ends change the mode of the line together. No operation is cut: those
//!   that are under way end before, and what is started meanwhile is kept until it has ended.

mod own;
mod peer;
mod switch;

use super::frame::{HOLD_WORDS, Item, Packet};
use super::header::{Greeting, Header, Kind, Notice, Request, SESSIONS};
use super::mode::LineMode;
use super::regs::Change;
use crate::line::Lanes;
use core::ops::Range;
use own::Issue;
use peer::Peer;
use switch::{Around, Changer, Sessions};
pub use switch::{AskError, GAP, LineStatus, Switch};

/// What an end works on.
pub trait Memory {
    /// `bytes` bytes from an address inside the window.
    fn read(&mut self, address: u32, bytes: usize) -> Vec<u8>;
    /// Data to an address inside the window.
    fn write(&mut self, address: u32, data: &[u8]);
}

/// Operations of an end that may be under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outstanding {
    /// One at a time.
    #[default]
    One = 1,
    /// Two.
    Two = 2,
    /// Four.
    Four = 4,
}

impl Outstanding {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::One, Self::Two, Self::Four];

    /// Outcomes of writes that the other end keeps, by their numbers.
    const fn kept(self) -> u8 {
        match self {
            Self::One => 1,
            _ => 2 * self as u8,
        }
    }
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
    /// front of the answer. Each block that arrives begins it anew.
    pub timeout: u64,
    /// Operations of each end that may be under way, the same number at both.
    pub outstanding: Outstanding,
    /// The number of the first session, below 4096. Another one after each reset: time, a counter,
    /// or chance.
    pub session: u16,
    /// Changes of the line's mode; none: the end does not know them. Then `timeout` is no less than
    /// [`GAP`], and the same at both ends: it is the time from one question to the next.
    pub switch: Option<Switch>,
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
    /// As many are under way as may be, counted from the oldest one that has not ended.
    #[error("as many operations are under way as both ends allow")]
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
    /// There was no answer, or no session in which to ask.
    #[error("no answer after all retries")]
    TimedOut,
    /// The data of a read without CRC arrived with impossible symbols.
    #[error("the data arrived damaged, and without CRC nobody sends them again")]
    Damaged,
    /// The line has fewer lanes in its mode. Nothing was sent.
    #[error("the line has fewer lanes in its mode")]
    Lanes,
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

/// One end.
#[derive(Debug, Clone)]
pub struct Endpoint {
    timeout: u64,
    session: u16,
    peer: Option<u16>,
    /// The other end was heard in this session.
    fresh: bool,
    up: bool,
    hello_at: u64,
    hello_due: bool,
    /// Operations of this end, and those of the other end.
    own: Issue,
    others: Peer,
    changer: Option<Changer>,
    /// A block was heard since the last look at the time.
    heard: bool,
    /// The other end's memory is behind: since now, and until when no data begin.
    held: bool,
    hold_until: u64,
    damaged: u64,
    sessions: u64,
}

impl Endpoint {
    /// An end behind its reset: it says hello.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Endpoint {
            timeout: settings.timeout,
            session: settings.session % SESSIONS,
            peer: None,
            fresh: false,
            up: false,
            hello_at: 0,
            hello_due: true,
            own: Issue::new(&settings),
            changer: settings
                .switch
                .map(|switch| Changer::new(switch, settings.timeout)),
            others: Peer::new(settings),
            heard: false,
            held: false,
            hold_until: 0,
            damaged: 0,
            sessions: 0,
        }
    }

    /// Whether operations can begin.
    #[must_use]
    pub const fn is_up(&self) -> bool {
        self.up
    }

    /// Whether any operation of this end is under way.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.own.is_busy()
    }

    /// What this end has counted.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        Counters {
            retries: self.own.tries,
            damaged: self.damaged,
            repeated: self.others.repeated,
            refused: self.others.refused,
            sessions: self.sessions,
        }
    }

    /// How an operation ended, each once and as they end: the number that [`Self::start`] gave, and
    /// the data of a read, nothing for a write.
    pub fn outcome(&mut self) -> Option<(u64, Result<Vec<u8>, Failure>)> {
        self.own.outcomes.pop_front()
    }

    /// Asks for another mode of the line. The result is one of [`Self::changed`].
    ///
    /// # Errors
    /// If a change is under way, or the end has none.
    pub fn ask(&mut self, wanted: LineMode) -> Result<(), AskError> {
        let changer = self.changer.as_mut().ok_or(AskError::Fixed)?;
        changer.ask(wanted)
    }

    /// How a change of the line's mode ended, each once and as they end; those that the other end
    /// wanted, too.
    pub fn changed(&mut self) -> Option<Change> {
        self.changer.as_mut()?.results.pop_front()
    }

    /// In which mode the lanes have to be, and whether they are silent; none without [`Switch`].
    /// To be looked at behind each call that lets time pass or takes what has arrived.
    #[must_use]
    pub fn line(&self) -> Option<LineStatus> {
        self.changer.as_ref().map(Changer::status)
    }

    /// Whether the receiver has all lanes of the mode, to be said when it changes. It has not
    /// behind a reset and while the line is silent.
    pub fn set_aligned(&mut self, aligned: bool) {
        if let Some(changer) = &mut self.changer {
            changer.aligned = aligned;
        }
    }

    /// Begins an operation, and numbers it from 0 on. While the line changes its mode it is kept,
    /// and begins when that has ended. One over more lanes than the line has then ends with
    /// [`Failure::Lanes`].
    ///
    /// # Errors
    /// If it is none, or too many others are under way, or the link is down.
    pub fn start(
        &mut self,
        operation: Operation,
        crc: bool,
        lanes: Lanes,
    ) -> Result<u64, StartError> {
        let changing = self.is_changing();
        let id = (self.own).start(operation, crc, lanes, self.up || changing)?;
        self.release();
        Ok(id)
    }

    /// The next packet to send, if there is one: answers first, then this end's requests. To be
    /// asked when the packet before has left.
    pub fn transmit(&mut self, now: u64) -> Option<Packet> {
        self.obey(now);
        if self.line().is_some_and(|line| line.silent) {
            return None;
        }
        let data_may_begin = now >= self.hold_until;
        if self.hello_due || (!self.up && now >= self.hello_at) {
            self.hello_due = false;
            self.hello_at = now + self.timeout;
            return Some(self.hello());
        }
        let sessions = self.sessions();
        let message = self.changer.as_mut().and_then(|it| it.next(sessions));
        if message.is_some() || !self.up {
            return message;
        }
        let answer = self.others.next(data_may_begin);
        answer.or_else(|| self.own.next(now, data_may_begin))
    }

    /// Lets time pass: to be called at least once in each timeout, with [`Switch`] once in each
    /// [`GAP`].
    pub fn tick(&mut self, now: u64) {
        self.obey(now);
        if self.own.tick(now, self.up).is_err() {
            self.renew();
        }
        let around = Around {
            operating: self.own.is_operating(),
            up: self.up,
        };
        if let Some(changer) = &mut self.changer
            && changer.tick(now, around)
        {
            self.renew();
        }
        self.release();
    }

    fn is_changing(&self) -> bool {
        self.changer.as_ref().is_some_and(Changer::is_busy)
    }

    /// What was kept begins, unless the line changes its mode.
    fn release(&mut self) {
        if !self.is_changing() {
            let lanes = self.changer.as_ref().map_or(Lanes::X4, Changer::lanes);
            self.own.release(lanes);
        }
    }

    /// A HLD, or a block, that has arrived counts from now on.
    fn obey(&mut self, now: u64) {
        let held = core::mem::take(&mut self.held);
        if held {
            self.hold_until = now + HOLD_WORDS;
        }
        let heard = core::mem::take(&mut self.heard);
        if heard || held {
            self.own.wait(now + self.timeout);
        }
        if let Some(changer) = &mut self.changer
            && (heard || now < self.hold_until)
        {
            changer.alive();
        }
    }

    /// Takes what the receiver has found.
    pub fn receive(&mut self, item: Item, memory: &mut dyn Memory) {
        match item {
            Item::Header(header) => {
                self.own.close();
                self.others.close();
                match header.kind {
                    Kind::Notice(Notice::Hello {
                        own,
                        echo,
                        greeting,
                    }) => self.greeted(own, echo, greeting),
                    // Of another session, or of none.
                    _ if !self.up => {}
                    Kind::Notice(Notice::Change {
                        own,
                        echo,
                        message,
                        matter,
                    }) => {
                        let sessions = self.sessions();
                        if let Some(changer) = &mut self.changer
                            && (sessions.own, sessions.peer) == (echo, own)
                        {
                            changer.heard(message, matter, sessions);
                        }
                    }
                    Kind::Request { address } => self.others.requested(header, address, memory),
                    Kind::Data { .. } => self.own.data_begins(header),
                    Kind::Done => self.own.done(header),
                    Kind::Notice(Notice::Window) => self.own.refused(header),
                    Kind::Notice(Notice::Damaged) => {
                        if self.own.damaged(header).is_err() {
                            self.renew();
                        }
                    }
                }
            }
            Item::Hold => self.held = true,
            Item::Block(data) => {
                self.heard = true;
                if !self.others.block(&data, memory) {
                    self.own.block(&data);
                }
            }
            Item::End { clean } => {
                self.damaged += u64::from(!clean);
                if !self.others.ended() {
                    self.own.ended(clean);
                }
            }
            Item::Damaged(..) => {
                self.damaged += 1;
                self.others.damaged();
                if self.own.data_damaged().is_err() {
                    self.renew();
                }
            }
        }
    }

    // ---- sessions -----------------------------------------------------------------------------------

    /// The numbers of both ends, as far as they are known.
    fn sessions(&self) -> Sessions {
        Sessions {
            own: self.session,
            peer: self.peer.unwrap_or(0),
        }
    }

    fn hello(&self) -> Packet {
        let Sessions { own, peer } = self.sessions();
        let hello = Notice::Hello {
            own,
            echo: peer,
            greeting: match (self.fresh, self.up) {
                // That of before a new session: it must not be taken for a proof that it is heard.
                (false, _) => Greeting::First,
                (true, false) => Greeting::Heard,
                (true, true) => Greeting::Up,
            },
        };
        short(Kind::Notice(hello), Request::Write, Lanes::X1, 0)
    }

    fn greeted(&mut self, own: u16, echo: u16, greeting: Greeting) {
        // An end that was heard and has not heard was reset, whatever number it took.
        if self.peer != Some(own) || (self.up && greeting == Greeting::First) {
            self.forget();
            self.peer = Some(own);
            self.up = false;
            self.hello_due = true;
        }
        self.fresh = true;
        let heard = greeting != Greeting::First && echo == self.session;
        if heard && !self.up {
            self.up = true;
            self.sessions += 1;
        }
        // It has not seen its own number yet.
        self.hello_due |= greeting != Greeting::Up || !heard;
    }

    /// Nothing of what was counts any more.
    fn forget(&mut self) {
        self.own.forget();
        self.others.forget();
    }

    /// Whether the other end has executed an operation nobody knows: numbers have to begin anew.
    fn renew(&mut self) {
        self.session = (self.session + 1) % SESSIONS;
        self.forget();
        self.up = false;
        self.fresh = false;
        self.hello_due = true;
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
