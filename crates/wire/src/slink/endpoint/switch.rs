// SPDX-License-Identifier: Apache-2.0
//! Both ends change the mode of the line together: the twin of `slink_switch`.
//!
//! ```text
//!  end that asks                                   other end
//!    Ending    own operations come to their end      Rest
//!    Asking    ─── ask, each period ───────────►     Waiting   own operations come to their end
//!              ◄── wait, to each question ──────
//!              ◄── agree ───────────────────────     Agreed
//!    Silent    ─── nothing, for GAP ───────────►     Silent    its receiver has lost the lanes
//!    Proving   ◄── new session, new mode ───────►    Proving
//!    Rest      `tries` periods without one: Silent, in the mode before, Proving again
//! ```
//!
//! The word that says "now" cannot be known to have arrived: silence is that word. Whoever was
//! mistaken finds no session in the new mode, and goes back. Source: `cores/slink/README.md`,
//! "Change of the line's mode".

use super::super::frame::Packet;
use super::super::header::{Kind, Matter, Message, Notice, Request};
use super::super::mode::{LineMode, Rate};
use super::super::regs::{Change, Coding};
use super::short;
use crate::line::Lanes;
use alloc::collections::VecDeque;

/// Words for which an end that changes sends nothing: the receiver of the other end loses its
/// lanes, also if they begin again in the same mode where they would have gone on. In 64b/66b that
/// takes 16 wrong headers in a window of 64 blocks, half of which noise gets right.
pub const GAP: u64 = 512;
/// Periods for each of `tries` for which data may keep messages waiting: not for ever, where an end
/// that knows no changes never stops sending.
const HELD: u32 = 32;
/// Numbers of questions are below this.
const NUMBERS: u8 = 16;

/// What an end needs for changes of the line's mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switch {
    /// The mode behind a reset, the same at both ends, with all lanes that are wired.
    pub start: LineMode,
    /// The transceivers can do 5 Gb/s.
    pub fast: bool,
    /// The physical layer has 64b/66b.
    pub blocks: bool,
    /// Periods of [`super::Settings::timeout`], 2 to 64, in which a mode has to come up. Twice as
    /// many without an answer end a change, and twice as many without a session lead back to the
    /// mode of the start.
    pub tries: u32,
}

impl Switch {
    /// The mode of these bits, if this end has it.
    fn able(&self, line: u8) -> Option<LineMode> {
        let mode = LineMode::from_bits(line)?;
        let fast = mode.rate == Rate::Slow || self.fast;
        let code = mode.coding == Coding::Code8b10b || self.blocks;
        (fast && code && mode.lanes <= self.start.lanes).then_some(mode)
    }
}

/// What whoever carries the words of an end has to do with its lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineStatus {
    /// The mode of the transceivers, in both directions.
    pub mode: LineMode,
    /// Nothing is sent, and the receiver is in reset: no word of the old mode is read in the new
    /// one.
    pub silent: bool,
    /// A change is under way.
    pub busy: bool,
}

/// Why a change of the line's mode does not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// Another one is under way.
    #[error("a change of the line's mode is under way")]
    Busy,
    /// The end was made without changes.
    #[error("the end has no changes of the line's mode")]
    Fixed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Rest,
    /// Operations of this end, which wants a change, are under way.
    Ending,
    Asking,
    /// Operations of this end, which was asked, are under way.
    Waiting,
    Agreed,
    Silent,
    /// It waits for a session.
    Proving,
}

/// The sessions of both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sessions {
    pub own: u16,
    pub peer: u16,
}

/// What is so around the state machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around {
    /// An operation that was begun before the change is under way.
    pub operating: bool,
    pub up: bool,
}

/// The state machine.
#[derive(Debug, Clone)]
pub(super) struct Changer {
    settings: Switch,
    period: u64,
    state: State,
    /// In use; the one to go back to.
    mode: LineMode,
    last: LineMode,
    /// Under way; what is to be used then.
    matter: Matter,
    next: LineMode,
    /// What this end does not have: the answer is due.
    refused: Option<Matter>,
    due: bool,
    /// Wanted by this end, which did not get it; this is the way back.
    mine: bool,
    overruled: bool,
    back: bool,
    result: Change,
    pub results: VecDeque<Change>,
    /// When the period ends; none: it begins with the next look at the time.
    tick_at: Option<u64>,
    /// Periods behind it, and those in which data may renew them.
    left: u32,
    held: u32,
    /// The receiver has all its lanes.
    pub aligned: bool,
}

impl Changer {
    pub fn new(settings: Switch, timeout: u64) -> Self {
        let tries = settings.tries.clamp(2, 64);
        Self {
            settings: Switch { tries, ..settings },
            period: timeout.max(GAP),
            state: State::Rest,
            mode: settings.start,
            last: settings.start,
            matter: Matter { number: 0, line: 0 },
            next: settings.start,
            refused: None,
            due: false,
            mine: false,
            overruled: false,
            back: false,
            result: Change::None,
            results: VecDeque::new(),
            tick_at: None,
            left: 2 * tries - 1,
            held: HELD * tries - 1,
            aligned: false,
        }
    }

    pub fn status(&self) -> LineStatus {
        LineStatus {
            mode: self.mode,
            silent: self.state == State::Silent,
            busy: self.is_busy(),
        }
    }

    pub fn is_busy(&self) -> bool {
        self.state != State::Rest
    }

    pub const fn lanes(&self) -> Lanes {
        self.mode.lanes
    }

    /// Another state, with a period that begins now.
    fn enter(&mut self, state: State) {
        self.state = state;
        self.tick_at = None;
        self.renew_patience();
        match state {
            State::Asking | State::Agreed => self.due = true,
            State::Silent => (self.mode, self.due) = (self.next, false),
            State::Rest => {
                (self.due, self.mine) = (false, false);
                (self.overruled, self.back) = (false, false);
            }
            _ => {}
        }
    }

    fn renew_patience(&mut self) {
        self.held = HELD * self.settings.tries - 1;
        self.renew_left();
    }

    fn renew_left(&mut self) {
        let tries = self.settings.tries;
        self.left = match self.state {
            State::Proving => tries,
            _ => 2 * tries,
        } - 1;
    }

    /// The change has ended.
    fn end(&mut self, result: Change) {
        self.results.push_back(result);
        self.enter(State::Rest);
    }

    /// The result for a user who may have wanted another mode.
    const fn unless_overruled(&self, result: Change) -> Change {
        if self.overruled {
            Change::Overruled
        } else {
            result
        }
    }

    /// The line falls silent, and is in this mode then.
    fn fall_silent(&mut self, next: LineMode, result: Change) {
        (self.next, self.result) = (next, result);
        self.enter(State::Silent);
    }

    // ---- what the user wants, and what is heard -------------------------------------------------

    pub fn ask(&mut self, wanted: LineMode) -> Result<(), AskError> {
        if self.is_busy() {
            return Err(AskError::Busy);
        }
        let line = wanted.bits();
        self.matter = Matter {
            number: (self.matter.number + 1) % NUMBERS,
            line,
        };
        if self.settings.able(line).is_none() {
            self.results.push_back(Change::Refused);
        } else if wanted == self.mode {
            self.results.push_back(Change::Done);
        } else {
            (self.next, self.mine) = (wanted, true);
            self.enter(State::Ending);
        }
        Ok(())
    }

    /// Data arrive or are held back: questions and answers may be late.
    pub fn alive(&mut self) {
        if self.state != State::Proving && self.held != 0 {
            self.renew_left();
        }
    }

    /// A message of the session of both ends.
    pub fn heard(&mut self, message: Message, matter: Matter, sessions: Sessions) {
        if matches!(self.state, State::Silent | State::Proving) {
            return;
        }
        match message {
            Message::Ask => match self.settings.able(matter.line) {
                Some(mode) => self.asked(matter, mode, sessions),
                None => self.refused = Some(matter),
            },
            _ if self.state != State::Asking || matter != self.matter => {}
            Message::Wait => self.renew_patience(),
            Message::Agree => self.fall_silent(self.next, Change::Done),
            Message::Refuse => self.end(Change::Refused),
        }
    }

    /// Both ask at once: the greater one is first, and both know which that is, also if both want
    /// the same: who hears the other end does not know whether its own question has left, or
    /// arrived. Only with equal sessions there is no greater one.
    fn asked(&mut self, matter: Matter, mode: LineMode, sessions: Sessions) {
        if self.state == State::Asking {
            let (own, peer) = (
                (sessions.own, self.matter.line),
                (sessions.peer, matter.line),
            );
            if peer == own {
                self.fall_silent(self.next, Change::Done);
                return;
            } else if peer < own {
                return;
            }
        }
        self.overruled |= self.mine && matter.line != self.matter.line;
        (self.matter, self.next) = (matter, mode);
        self.due = true;
        match self.state {
            State::Rest | State::Ending => self.enter(State::Waiting),
            State::Asking => self.enter(State::Agreed),
            _ => self.renew_patience(),
        }
    }

    // ---- time -----------------------------------------------------------------------------------

    /// Lets time pass; whether a new session begins.
    pub fn tick(&mut self, now: u64, around: Around) -> bool {
        match self.state {
            State::Ending if !around.operating => self.enter(State::Asking),
            State::Waiting if !around.operating => self.enter(State::Agreed),
            State::Agreed if !self.aligned => {
                self.fall_silent(self.next, self.unless_overruled(Change::Done));
            }
            State::Proving if around.up => {
                self.last = self.mode;
                self.end(self.result);
            }
            State::Rest | State::Ending
                if (self.aligned && around.up) || self.mode == self.settings.start =>
            {
                self.renew_patience();
            }
            _ => {}
        }
        if now < self.tick_at(now) {
            return false;
        }
        self.tick_at = None;
        self.held = self.held.saturating_sub(1);
        let renew = self.state == State::Silent;
        match (self.state, self.left) {
            (State::Silent, _) => self.enter(State::Proving),
            (_, 0) => self.give_up(),
            _ => {
                self.left -= 1;
                self.due |= self.state == State::Asking;
            }
        }
        self.tick_at(now);
        renew
    }

    /// When the period ends; if it begins now it has its end from now on.
    fn tick_at(&mut self, now: u64) -> u64 {
        let length = match self.state {
            State::Silent => GAP,
            _ => self.period,
        };
        *self.tick_at.get_or_insert(now + length)
    }

    /// The last period of a state has passed.
    fn give_up(&mut self) {
        match self.state {
            State::Asking => self.end(Change::Silent),
            State::Waiting | State::Agreed if self.overruled => self.end(Change::Overruled),
            State::Waiting | State::Agreed if self.mine => self.end(Change::Silent),
            State::Waiting | State::Agreed => self.enter(State::Rest),
            State::Proving if self.back => self.end(self.result),
            State::Proving => {
                self.back = true;
                self.fall_silent(self.last, self.unless_overruled(Change::FellBack));
            }
            State::Rest | State::Ending => {
                (self.back, self.last) = (true, self.settings.start);
                self.fall_silent(self.settings.start, Change::Lost);
            }
            State::Silent => {}
        }
    }

    // ---- what is said ---------------------------------------------------------------------------

    /// The next message.
    pub fn next(&mut self, sessions: Sessions) -> Option<Packet> {
        let (message, matter) = if let Some(refused) = self.refused.take() {
            (Message::Refuse, refused)
        } else if core::mem::take(&mut self.due) {
            let message = match self.state {
                State::Asking => Message::Ask,
                State::Agreed => Message::Agree,
                _ => Message::Wait,
            };
            (message, self.matter)
        } else {
            return None;
        };
        let notice = Notice::Change {
            own: sessions.own,
            echo: sessions.peer,
            message,
            matter,
        };
        Some(short(Kind::Notice(notice), Request::Write, Lanes::X1, 0))
    }
}
