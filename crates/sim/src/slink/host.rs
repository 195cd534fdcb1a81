// SPDX-License-Identifier: Apache-2.0
//! What the chip around an end does beside its program: it sets the registers when it starts, and
//! asks for changes of the line's mode.

use std::collections::VecDeque;

use ropewalk_wire::regs::Field;
use ropewalk_wire::slink::mode::LineMode;
use ropewalk_wire::slink::regs::{self, Change};

use super::pair::Switched;

/// Femtoseconds between two looks at a change that is under way.
const LOOK: u64 = 400_000_000;

/// An access to a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Errand {
    /// Address and value.
    Write(u32, u32),
    /// At the register `line`.
    Look,
}

/// The chip around an end.
#[derive(Debug)]
pub(super) struct Host {
    start: LineMode,
    /// Values of the registers of the address window.
    pub window: Option<[u32; 2]>,
    /// Resets of the end by its pin.
    pub resets: u64,
    /// Not before this time.
    errands: VecDeque<(u64, Errand)>,
    running: Option<Errand>,
    /// Changes that were asked for, the oldest under way.
    asked: VecDeque<Switched>,
}

impl Host {
    pub(super) fn new(start: LineMode) -> Self {
        Self {
            start,
            window: None,
            resets: 0,
            errands: VecDeque::new(),
            running: None,
            asked: VecDeque::new(),
        }
    }

    /// Registers and values behind a reset.
    pub(super) fn settings(&self) -> Vec<(u32, u32)> {
        let wired = (1 << self.start.lanes.count()) - 1;
        let mut settings = vec![(regs::LANES.offset, wired)];
        if let Some([first, last]) = self.window {
            settings.push((regs::WINDOW_FIRST.offset, first));
            settings.push((regs::WINDOW_LAST.offset, last));
        }
        settings.push((regs::CONTROL.offset, self.start.rate.run() as u32));
        settings
    }

    /// The end is reset: what it was about is over. Gives the changes that it had asked for.
    pub(super) fn reset(&mut self, time_fs: u64) -> impl Iterator<Item = Switched> + use<> {
        self.resets += 1;
        self.running = None;
        self.errands.clear();
        let asked = std::mem::take(&mut self.asked);
        asked.into_iter().map(move |switched| Switched {
            ended_fs: time_fs,
            result: Change::None,
            ..switched
        })
    }

    /// The end has left its reset.
    pub(super) fn boot(&mut self) {
        for (address, value) in self.settings() {
            self.errands.push_back((0, Errand::Write(address, value)));
        }
    }

    /// The end is to ask for this mode.
    pub(super) fn ask(&mut self, wanted: LineMode) {
        self.asked.push_back(Switched {
            end: 0,
            wanted,
            begun_fs: 0,
            ended_fs: 0,
            result: Change::None,
        });
        if self.asked.len() == 1 {
            self.errands.push_back((0, Errand::Look));
        }
    }

    pub(super) fn has_errands(&self) -> bool {
        self.running.is_some() || !self.errands.is_empty()
    }

    /// A change of the line's mode is under way.
    pub(super) fn switching(&self) -> bool {
        !self.asked.is_empty()
    }

    /// An access is under way.
    pub(super) fn running(&self) -> bool {
        self.running.is_some()
    }

    /// One is to be made now.
    pub(super) fn due(&self, time_fs: u64) -> bool {
        self.errands.front().is_some_and(|next| next.0 <= time_fs)
    }

    /// The next access, which begins now.
    pub(super) fn next(&mut self, time_fs: u64) -> Option<Errand> {
        if self.due(time_fs) {
            self.running = self.errands.pop_front().map(|next| next.1);
        }
        self.running
    }

    /// The access has given this; the change that has ended with it.
    pub(super) fn finished(&mut self, time_fs: u64, value: u32) -> Option<Switched> {
        match self.running.take()? {
            Errand::Write(address, _) if address == regs::WANTED.offset => {
                if let Some(asked) = self.asked.front_mut() {
                    asked.begun_fs = time_fs;
                }
                self.errands.push_back((time_fs + LOOK, Errand::Look));
                None
            }
            Errand::Write(..) => None,
            Errand::Look => self.looked(time_fs, value),
        }
    }

    /// What the register `line` says; the change that has ended.
    fn looked(&mut self, time_fs: u64, line: u32) -> Option<Switched> {
        let field = |field: Field| field.get(line.into());
        if field(regs::line::BUSY) != 0 {
            self.errands.push_back((time_fs + LOOK, Errand::Look));
            return None;
        }
        let asked = self.asked.front()?;
        let result = Change::from_bits(field(regs::line::RESULT)).unwrap_or(Change::None);
        // While a change of the other end is under way a question has no effect: then this is how
        // that one went.
        let unheard = result == Change::Done && LineMode::of_register(line) != Some(asked.wanted);
        if asked.begun_fs == 0 || unheard {
            let question = Errand::Write(regs::WANTED.offset, asked.wanted.wanted());
            self.errands.push_back((0, question));
            return None;
        }
        let over = self.asked.pop_front();
        if !self.asked.is_empty() {
            self.errands.push_back((0, Errand::Look));
        }
        over.map(|switched| Switched {
            ended_fs: time_fs,
            result,
            ..switched
        })
    }
}
