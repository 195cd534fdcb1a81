// SPDX-License-Identifier: Apache-2.0
//! What is known of the channels of a page: which are free, what the others use, how they ended.
//!
//! A read of states makes idle exactly the channels that it returns as over, so it must be used for
//! all of them, whoever asked. A channel is free again only when its end was seen *and* its handle
//! has heard of it, or is gone. What a transfer uses stays here until its end was seen, whether its
//! handle lives or not.
//!
//! ```text
//! free ── post ──► under way ── seen ──► over ── handle takes it, or is dropped ──► free
//!                      │  handle dropped, then seen ──────────────────────────────► free
//!                      └── idle though no end was seen ──► lost ── page closed, all idle ──► free
//! ```

use crate::Buffer;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Channels that a user of a page can write to.
pub const CHANNELS: u8 = 64;

/// Even channels.
const EVEN: u64 = 0x5555_5555_5555_5555;

/// What a transfer uses.
#[derive(Debug)]
pub enum Hold {
    /// Nothing: the data are in the descriptor.
    Nothing,
    /// What is sent.
    Source(Arc<Buffer>),
    /// What is written.
    Target(Buffer),
}

/// The two bits of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Idle,
    Ongoing,
    Done,
    Error,
}

impl State {
    pub(crate) fn of(bits: u64) -> Self {
        [Self::Idle, Self::Ongoing, Self::Done, Self::Error][(bits & 3) as usize]
    }
}

/// How a transfer ended.
#[derive(Debug)]
pub(crate) enum End {
    Done(Hold),
    Failed,
    Lost,
}

#[derive(Debug, Default)]
enum Slot {
    #[default]
    Free,
    Under {
        hold: Hold,
        long: bool,
        abandoned: bool,
        /// It was seen under way.
        seen: bool,
        /// Since when it was idle, before that.
        idle: Option<Instant>,
    },
    Over {
        end: End,
        long: bool,
    },
    /// Not used again: whether its transfer ended is not known.
    Retired,
}

/// The channels of a page.
#[derive(Debug)]
pub(crate) struct Table {
    /// A page that has an owner.
    pub(crate) open: bool,
    slots: [Slot; CHANNELS as usize],
    /// Channels that are in use, with those of second lines.
    taken: u64,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            open: false,
            slots: [(); CHANNELS as usize].map(|()| Slot::Free),
            taken: 0,
        }
    }
}

impl Table {
    /// A free channel, for two lines an even one whose neighbour is free. Pairs are broken only if
    /// nothing else is left.
    pub(crate) fn pick(&self, long: bool) -> Option<u8> {
        let free = !self.taken;
        let pairs = free & free >> 1 & EVEN;
        let singles = free & !(pairs | pairs << 1);
        let choice = if long || singles == 0 { pairs } else { singles };
        (choice != 0).then(|| choice.trailing_zeros() as u8)
    }

    fn mask(channel: u8, long: bool) -> u64 {
        (if long { 3 } else { 1 }) << channel
    }

    fn slot(&mut self, channel: u8) -> &mut Slot {
        &mut self.slots[usize::from(channel)]
    }

    /// The transfer of a channel has begun.
    pub(crate) fn start(&mut self, channel: u8, long: bool, hold: Hold) {
        self.taken |= Self::mask(channel, long);
        *self.slot(channel) = Slot::Under {
            hold,
            long,
            abandoned: false,
            seen: false,
            idle: None,
        };
    }

    /// Whether a transfer has begun is not known: its channel is not used again.
    pub(crate) fn retire(&mut self, channel: u8, long: bool, hold: Hold) {
        self.taken |= Self::mask(channel, long);
        *self.slot(channel) = Slot::Retired;
        hold.lose();
    }

    /// A state that was read. A channel may be idle for as long as `patience` before it is seen
    /// under way: its descriptor may be on its way to the engine still.
    pub(crate) fn saw(&mut self, channel: u8, state: State, patience: Duration) {
        let slot = self.slot(channel);
        let Slot::Under {
            long,
            abandoned,
            seen,
            idle,
            ..
        } = slot
        else {
            return;
        };
        let (long, abandoned) = (*long, *abandoned);
        match state {
            State::Ongoing => {
                *seen = true;
                return;
            }
            State::Idle if !*seen && idle.get_or_insert_with(Instant::now).elapsed() < patience => {
                return;
            }
            _ => {}
        }
        let Slot::Under { hold, .. } = std::mem::replace(slot, Slot::Retired) else {
            return;
        };
        let end = match state {
            State::Done => End::Done(hold),
            State::Error => {
                // The other node of a failed read may still be writing. What was to be sent is not
                // used any more.
                hold.lose_target();
                End::Failed
            }
            _ => {
                hold.lose();
                End::Lost
            }
        };
        *self.slot(channel) = Slot::Over { end, long };
        if abandoned {
            self.take(channel);
        }
    }

    fn free(&mut self, channel: u8, long: bool) {
        *self.slot(channel) = Slot::Free;
        self.taken &= !Self::mask(channel, long);
    }

    /// The end of a transfer, if it is known, for its handle.
    pub(crate) fn take(&mut self, channel: u8) -> Option<End> {
        let slot = self.slot(channel);
        if !matches!(slot, Slot::Over { .. }) {
            return None;
        }
        let Slot::Over { end, long } = std::mem::replace(slot, Slot::Retired) else {
            return None;
        };
        if !matches!(end, End::Lost) {
            self.free(channel, long);
        }
        Some(end)
    }

    /// The handle of a transfer is gone.
    pub(crate) fn abandon(&mut self, channel: u8) {
        if let Slot::Under { abandoned, .. } = self.slot(channel) {
            *abandoned = true;
        } else {
            self.take(channel);
        }
    }

    /// Channels that are over, and whose handles have not heard of it.
    pub(crate) fn over(&self) -> u64 {
        self.which(|slot| matches!(slot, Slot::Over { .. }))
    }

    /// Channels whose end has not been seen.
    pub(crate) fn under_way(&self) -> u64 {
        self.which(|slot| matches!(slot, Slot::Under { .. }))
    }

    /// Whether transfers have handles.
    pub(crate) fn handles(&self) -> bool {
        self.slots.iter().any(|slot| match slot {
            Slot::Under { abandoned, .. } => !abandoned,
            Slot::Over { .. } => true,
            _ => false,
        })
    }

    /// All channels are idle, and nobody has a handle: those that were lost are as good as the
    /// others.
    pub(crate) fn recover(&mut self) {
        for channel in 0..CHANNELS {
            if matches!(self.slot(channel), Slot::Retired) {
                *self.slot(channel) = Slot::Free;
            }
        }
        self.taken = 0;
    }

    fn which(&self, is: impl Fn(&Slot) -> bool) -> u64 {
        let bit = |(channel, slot): (usize, &Slot)| u64::from(is(slot)) << channel;
        self.slots.iter().enumerate().map(bit).sum()
    }
}

impl Hold {
    /// The engine may use it still.
    fn lose(self) {
        match self {
            Self::Nothing => {}
            // One owner of it is never dropped, so its memory is never used for something else, nor
            // written.
            Self::Source(buffer) => std::mem::forget(buffer),
            Self::Target(buffer) => buffer.lose(),
        }
    }

    fn lose_target(self) {
        if let Self::Target(buffer) = self {
            buffer.lose();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn pairs_are_kept_together() {
        let mut table = Table::default();
        assert_eq!(table.pick(false), Some(0));
        table.start(0, false, Hold::Nothing);
        assert_eq!(table.pick(false), Some(1));
        assert_eq!(table.pick(true), Some(2));
        table.start(2, true, Hold::Nothing);
        assert_eq!((table.pick(false), table.pick(true)), (Some(1), Some(4)));
        table.start(1, false, Hold::Nothing);
        assert_eq!(table.pick(false), Some(4));
        for channel in 4..64 {
            assert_eq!(table.pick(false), Some(channel));
            table.start(channel, false, Hold::Nothing);
        }
        assert_eq!((table.pick(false), table.pick(true)), (None, None));
        table.saw(3, State::Done, LONG);
        table.saw(2, State::Done, LONG);
        assert_eq!((table.over(), table.pick(false)), (1 << 2, None));
        assert!(matches!(table.take(2), Some(End::Done(_))));
        assert!(table.take(2).is_none());
        assert_eq!((table.pick(false), table.pick(true)), (Some(2), Some(2)));
    }

    #[test]
    fn a_channel_that_nobody_asks_for() {
        let mut table = Table::default();
        table.start(7, false, Hold::Nothing);
        table.abandon(7);
        assert!(!table.handles());
        assert_eq!((table.under_way(), table.taken), (1 << 7, 1 << 7));
        table.saw(7, State::Ongoing, LONG);
        table.saw(7, State::Error, LONG);
        assert_eq!((table.under_way(), table.taken), (0, 0));
    }

    #[test]
    fn idle_without_an_end() {
        let mut table = Table::default();
        for _ in 0..2 {
            table.start(0, true, Hold::Nothing);
            table.saw(0, State::Idle, LONG);
            table.saw(0, State::Idle, LONG);
            assert_eq!(table.over(), 0);
            table.saw(0, State::Idle, Duration::ZERO);
            assert!(matches!(table.take(0), Some(End::Lost)));
            assert_eq!(table.taken, 3, "not used again");
            table.recover();
            assert_eq!(table.pick(true), Some(0));
        }
        table.start(5, false, Hold::Nothing);
        table.saw(5, State::Ongoing, LONG);
        table.saw(5, State::Idle, LONG);
        assert!(matches!(table.take(5), Some(End::Lost)), "at once");
    }
}
