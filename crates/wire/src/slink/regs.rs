// SPDX-License-Identifier: Apache-2.0
//! SLink registers: where they are and what their bits mean.
//!
//! Made by `tools/regs.py` from `cores/slink/regs/slink.rdl`: change that file.
//!
//! Bus: AXI4-Lite, 32 bits, 64 bytes, byte addresses, in the clock of the core. An address without
//! a register and a write to a read-only one are answered with SLVERR. What an operation is made of
//! cannot be written while it is busy: the write has no effect. Where several operations may be
//! under way, that is as long as there is no room for another one.

use crate::regs::{Access, Map, Register};

/// Bytes that the map takes up.
pub const SIZE: u32 = 0x38;

/// Every register; of an array the first element.
pub const REGISTERS: &[Register] = &[
    CONTROL,
    MODE,
    REMOTE_ADDRESS,
    LOCAL_ADDRESS,
    STATUS,
    WINDOW_FIRST,
    WINDOW_LAST,
    LANES,
    EVENTS,
    EVENT_ENABLE,
    MAGIC,
    VERSION,
    QUEUE,
    WANTED,
    LINE,
];

/// The map as one value.
pub const MAP: Map = Map {
    name: "slink",
    size: SIZE,
    registers: REGISTERS,
};

/// Values of `run`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    /// In reset: the lanes are silent, and an operation under way is given up.
    Off = 0,
    /// Runs at 2.5 Gb/s a lane.
    Slow = 1,
    /// Runs at 5 Gb/s a lane.
    Fast = 2,
}

impl Run {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[Self::Off, Self::Slow, Self::Fast];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[(0, "off"), (1, "slow"), (2, "fast")];
    /// The value that a field holds; none if the description does not name it.
    pub fn from_bits(bits: u64) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|value| *value as u64 == bits)
    }
    /// Name as in the description.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Slow => "slow",
            Self::Fast => "fast",
        }
    }
}

impl serde::Serialize for Run {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Values of `outcome`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Under way, or never begun.
    None = 0,
    /// Ended well.
    Done = 1,
    /// As in `status`.
    Refused = 2,
    /// Read data without CRC that arrived damaged.
    Damaged = 3,
    /// As in `status`.
    Silent = 4,
    /// As in `status`.
    Exhausted = 5,
    /// As in `status`.
    Reset = 6,
}

impl Outcome {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[
        Self::None,
        Self::Done,
        Self::Refused,
        Self::Damaged,
        Self::Silent,
        Self::Exhausted,
        Self::Reset,
    ];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[
        (0, "none"),
        (1, "done"),
        (2, "refused"),
        (3, "damaged"),
        (4, "silent"),
        (5, "exhausted"),
        (6, "reset"),
    ];
    /// The value that a field holds; none if the description does not name it.
    pub fn from_bits(bits: u64) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|value| *value as u64 == bits)
    }
    /// Name as in the description.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Damaged => "damaged",
            Self::Silent => "silent",
            Self::Exhausted => "exhausted",
            Self::Reset => "reset",
        }
    }
}

impl serde::Serialize for Outcome {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Values of `coding`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// 8b/10b.
    Code8b10b = 0,
    /// 64b/66b, where the physical layer has it.
    Code64b66b = 1,
}

impl Coding {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[Self::Code8b10b, Self::Code64b66b];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[(0, "code_8b10b"), (1, "code_64b66b")];
    /// The value that a field holds; none if the description does not name it.
    pub fn from_bits(bits: u64) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|value| *value as u64 == bits)
    }
    /// Name as in the description.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Code8b10b => "code_8b10b",
            Self::Code64b66b => "code_64b66b",
        }
    }
}

impl serde::Serialize for Coding {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Values of `change`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// None has ended since the reset.
    None = 0,
    /// The mode is the wanted one.
    Done = 1,
    /// One of both ends cannot: nothing has changed.
    Refused = 2,
    /// The other end has not answered: nothing has changed.
    Silent = 3,
    /// The wanted mode did not come up: back in the one before.
    FellBack = 4,
    /// The other end wanted another one at the same time, and its came first: see `line`.
    Overruled = 5,
    /// The link was lost in a mode that had been changed to: back in the one of the start.
    Lost = 6,
}

impl Change {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[
        Self::None,
        Self::Done,
        Self::Refused,
        Self::Silent,
        Self::FellBack,
        Self::Overruled,
        Self::Lost,
    ];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[
        (0, "none"),
        (1, "done"),
        (2, "refused"),
        (3, "silent"),
        (4, "fell_back"),
        (5, "overruled"),
        (6, "lost"),
    ];
    /// The value that a field holds; none if the description does not name it.
    pub fn from_bits(bits: u64) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|value| *value as u64 == bits)
    }
    /// Name as in the description.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Silent => "silent",
            Self::FellBack => "fell_back",
            Self::Overruled => "overruled",
            Self::Lost => "lost",
        }
    }
}

impl serde::Serialize for Change {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Control. The published program writes the sum of `gtps`, 1 and 1 << 4.
pub const CONTROL: Register = Register {
    name: "control",
    offset: 0x0,
    width: 32,
    access: Access::ReadWrite,
    fields: &[control::RUN, control::START],
    arrays: &[],
};
/// Fields of [`CONTROL`].
pub mod control {
    use crate::regs::{Field, Write};
    /// Speed, or reset; 3 is the same as 0. Both ends have to be given the same one. Where the core
    /// changes it by `wanted`, a speed counts that is written behind a reset, and another one
    /// behind it has no effect. See [`Run`](crate::slink::regs::Run).
    pub const RUN: Field =
        Field::new("run", 0, 2, 0x0, Write::Kept).named(crate::slink::regs::Run::NAMES);
    /// Starts an operation; clears itself. Has no effect while there is no room for one, or in
    /// reset.
    pub const START: Field = Field::new("start", 4, 1, 0x0, Write::Acts);
}

/// Mode. What the operation is, as in the header of its packet.
pub const MODE: Register = Register {
    name: "mode",
    offset: 0x4,
    width: 32,
    access: Access::ReadWrite,
    fields: &[mode::READ, mode::CRC, mode::LANES, mode::LENGTH],
    arrays: &[],
};
/// Fields of [`MODE`].
pub mod mode {
    use crate::regs::{Field, Write};
    /// 0: write to the other end; 1: read from it.
    pub const READ: Field = Field::new("read", 0, 1, 0x0, Write::Kept);
    /// Check codes, and packets that arrive damaged are sent again.
    pub const CRC: Field = Field::new("crc", 4, 1, 0x0, Write::Kept);
    /// Lanes, as a power of two: 0, 1 or 2. Others are refused.
    pub const LANES: Field = Field::new("lanes", 5, 3, 0x0, Write::Kept);
    /// Words of 8 bytes; 0 is 65 536.
    pub const LENGTH: Field = Field::new("length", 8, 16, 0x0, Write::Kept);
}

/// Remote address. In the memory of the other end.
pub const REMOTE_ADDRESS: Register = Register {
    name: "remote_address",
    offset: 0x8,
    width: 32,
    access: Access::ReadWrite,
    fields: &[remote_address::ADDRESS],
    arrays: &[],
};
/// Fields of [`REMOTE_ADDRESS`].
pub mod remote_address {
    use crate::regs::{Field, Write};
    /// In bytes; refused if it is not a multiple of 8.
    pub const ADDRESS: Field = Field::new("address", 0, 32, 0x0, Write::Kept);
}

/// Local address. In the memory of this end.
pub const LOCAL_ADDRESS: Register = Register {
    name: "local_address",
    offset: 0xc,
    width: 32,
    access: Access::ReadWrite,
    fields: &[local_address::ADDRESS],
    arrays: &[],
};
/// Fields of [`LOCAL_ADDRESS`].
pub mod local_address {
    use crate::regs::{Field, Write};
    /// In bytes; refused if it is not a multiple of 8.
    pub const ADDRESS: Field = Field::new("address", 0, 32, 0x0, Write::Kept);
}

/// Status. Of the operation under way, or the last one; where several are, of the one that was
/// started last, and only `queue` tells of each.
pub const STATUS: Register = Register {
    name: "status",
    offset: 0x10,
    width: 32,
    access: Access::ReadOnly,
    fields: &[
        status::BUSY,
        status::DONE,
        status::DAMAGED,
        status::EXHAUSTED,
        status::SILENT,
        status::REFUSED,
        status::RESET,
        status::UP,
        status::RETRIES,
        status::PROGRESS,
    ],
    arrays: &[],
};
/// Fields of [`STATUS`].
pub mod status {
    use crate::regs::{Field, Write};
    /// Under way, from the cycle in which the start is accepted.
    pub const BUSY: Field = Field::new("busy", 0, 1, 0x0, Write::Ignored);
    /// Ended well: of a write in CRC mode and of a read this is certain, other writes have been
    /// sent.
    pub const DONE: Field = Field::new("done", 1, 1, 0x0, Write::Ignored);
    /// Packets of it arrived damaged.
    pub const DAMAGED: Field = Field::new("damaged", 2, 1, 0x0, Write::Ignored);
    /// Failed: damaged after all retries.
    pub const EXHAUSTED: Field = Field::new("exhausted", 3, 1, 0x0, Write::Ignored);
    /// Failed: no answer after all retries.
    pub const SILENT: Field = Field::new("silent", 4, 1, 0x0, Write::Ignored);
    /// Failed: mode or address are none, the other end refuses the address, or a memory has
    /// answered with an error.
    pub const REFUSED: Field = Field::new("refused", 5, 1, 0x0, Write::Ignored);
    /// Failed: the link was reset. Whether the operation was executed, wholly or in part, is not
    /// known.
    pub const RESET: Field = Field::new("reset", 6, 1, 0x0, Write::Ignored);
    /// Both ends have agreed on a session.
    pub const UP: Field = Field::new("up", 7, 1, 0x0, Write::Ignored);
    /// How often it was sent again.
    pub const RETRIES: Field = Field::new("retries", 8, 8, 0x0, Write::Ignored);
    /// Words of 8 bytes of this try, modulo 65 536.
    pub const PROGRESS: Field = Field::new("progress", 16, 16, 0x0, Write::Ignored);
}

/// Window: first. The other end may use the pages of 4 KB from here to `window_last`. Change it
/// while the other end is idle.
pub const WINDOW_FIRST: Register = Register {
    name: "window_first",
    offset: 0x14,
    width: 32,
    access: Access::ReadWrite,
    fields: &[window_first::PAGE],
    arrays: &[],
};
/// Fields of [`WINDOW_FIRST`].
pub mod window_first {
    use crate::regs::{Field, Write};
    /// First page.
    pub const PAGE: Field = Field::new("page", 12, 20, 0x0, Write::Kept);
}

/// Window: last. See `window_first`.
pub const WINDOW_LAST: Register = Register {
    name: "window_last",
    offset: 0x18,
    width: 32,
    access: Access::ReadWrite,
    fields: &[window_last::PAGE],
    arrays: &[],
};
/// Fields of [`WINDOW_LAST`].
pub mod window_last {
    use crate::regs::{Field, Write};
    /// Last page, included.
    pub const PAGE: Field = Field::new("page", 12, 20, 0xfffff, Write::Kept);
}

/// Lanes. Change it in reset.
pub const LANES: Register = Register {
    name: "lanes",
    offset: 0x1c,
    width: 32,
    access: Access::ReadWrite,
    fields: &[lanes::WIRED],
    arrays: &[],
};
/// Fields of [`LANES`].
pub mod lanes {
    use crate::regs::{Field, Write};
    /// Lanes that are wired, bit i for lane i; they begin with lane 0. The others are not waited
    /// for.
    pub const WIRED: Field = Field::new("wired", 0, 4, 0xf, Write::Kept);
}

/// Events. Sticky: an event sets its bit, writing one clears it. While a bit is set that
/// `event_enable` enables, the interrupt is active.
pub const EVENTS: Register = Register {
    name: "events",
    offset: 0x20,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        events::ENDED,
        events::SERVED,
        events::DAMAGED,
        events::UP,
        events::DOWN,
        events::CHANGED,
    ],
    arrays: &[],
};
/// Fields of [`EVENTS`].
pub mod events {
    use crate::regs::{Field, Write};
    /// An operation of this end has ended.
    pub const ENDED: Field = Field::new("ended", 0, 1, 0x0, Write::Clears);
    /// An operation of the other end was answered.
    pub const SERVED: Field = Field::new("served", 1, 1, 0x0, Write::Clears);
    /// A packet arrived damaged, or did not fit.
    pub const DAMAGED: Field = Field::new("damaged", 2, 1, 0x0, Write::Clears);
    /// The session has come up.
    pub const UP: Field = Field::new("up", 3, 1, 0x0, Write::Clears);
    /// The session has gone down.
    pub const DOWN: Field = Field::new("down", 4, 1, 0x0, Write::Clears);
    /// A change of the line's mode has ended, whichever end wanted it: see `line`.
    pub const CHANGED: Field = Field::new("changed", 5, 1, 0x0, Write::Clears);
}

/// Event enable. Which events raise the interrupt.
pub const EVENT_ENABLE: Register = Register {
    name: "event_enable",
    offset: 0x24,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        event_enable::ENDED,
        event_enable::SERVED,
        event_enable::DAMAGED,
        event_enable::UP,
        event_enable::DOWN,
        event_enable::CHANGED,
    ],
    arrays: &[],
};
/// Fields of [`EVENT_ENABLE`].
pub mod event_enable {
    use crate::regs::{Field, Write};
    /// `ended`
    pub const ENDED: Field = Field::new("ended", 0, 1, 0x0, Write::Kept);
    /// `served`
    pub const SERVED: Field = Field::new("served", 1, 1, 0x0, Write::Kept);
    /// `damaged`
    pub const DAMAGED: Field = Field::new("damaged", 2, 1, 0x0, Write::Kept);
    /// `up`
    pub const UP: Field = Field::new("up", 3, 1, 0x0, Write::Kept);
    /// `down`
    pub const DOWN: Field = Field::new("down", 4, 1, 0x0, Write::Kept);
    /// `changed`
    pub const CHANGED: Field = Field::new("changed", 5, 1, 0x0, Write::Kept);
}

/// Magic. Tells that this is the register block of an SLink core.
pub const MAGIC: Register = Register {
    name: "magic",
    offset: 0x28,
    width: 32,
    access: Access::ReadOnly,
    fields: &[magic::VALUE],
    arrays: &[],
};
/// Fields of [`MAGIC`].
pub mod magic {
    use crate::regs::{Field, Write};
    /// The letters SLNK.
    pub const VALUE: Field = Field::new("value", 0, 32, 0x534c4e4b, Write::Ignored);
}

/// Version. Version of the core, and of this map. A host may rely on a map whose major number it
/// knows.
pub const VERSION: Register = Register {
    name: "version",
    offset: 0x2c,
    width: 32,
    access: Access::ReadOnly,
    fields: &[
        version::CORE_PATCH,
        version::CORE_MINOR,
        version::CORE_MAJOR,
        version::MAP_MINOR,
        version::MAP_MAJOR,
    ],
    arrays: &[],
};
/// Fields of [`VERSION`].
pub mod version {
    use crate::regs::{Field, Write};
    /// Version of the core: patch.
    pub const CORE_PATCH: Field = Field::new("core_patch", 0, 4, 0x0, Write::Ignored);
    /// Version of the core: minor.
    pub const CORE_MINOR: Field = Field::new("core_minor", 4, 8, 0x1, Write::Ignored);
    /// Version of the core: major.
    pub const CORE_MAJOR: Field = Field::new("core_major", 12, 4, 0x0, Write::Ignored);
    /// Changes when registers are added.
    pub const MAP_MINOR: Field = Field::new("map_minor", 16, 8, 0x2, Write::Ignored);
    /// Changes when registers are moved or change their meaning.
    pub const MAP_MAJOR: Field = Field::new("map_major", 24, 8, 0x1, Write::Ignored);
}

/// Queue. Operations under way, and how the last ones have ended. A host that starts several of
/// them polls `full` instead of `busy`; operation n since the reset is told of in outcome n modulo
/// `most`, until another one takes its place.
pub const QUEUE: Register = Register {
    name: "queue",
    offset: 0x30,
    width: 32,
    access: Access::ReadOnly,
    fields: &[
        queue::FULL,
        queue::MOST,
        queue::STARTED,
        queue::OUTCOME_0,
        queue::OUTCOME_1,
        queue::OUTCOME_2,
        queue::OUTCOME_3,
    ],
    arrays: &[],
};
/// Fields of [`QUEUE`].
pub mod queue {
    use crate::regs::{Field, Write};
    /// No room for another one: a start has no effect, and what an operation is made of cannot be
    /// written.
    pub const FULL: Field = Field::new("full", 0, 1, 0x0, Write::Ignored);
    /// How many there may be, as the core was built.
    pub const MOST: Field = Field::new("most", 4, 3, 0x0, Write::Ignored);
    /// How many were started, modulo 16.
    pub const STARTED: Field = Field::new("started", 8, 4, 0x0, Write::Ignored);
    /// How it ended: of operation 0, `most`, 2 `most` ... See
    /// [`Outcome`](crate::slink::regs::Outcome).
    pub const OUTCOME_0: Field = Field::new("outcome_0", 16, 3, 0x0, Write::Ignored)
        .named(crate::slink::regs::Outcome::NAMES);
    /// Of operation 1, ..., if `most` is greater than 1. See
    /// [`Outcome`](crate::slink::regs::Outcome).
    pub const OUTCOME_1: Field = Field::new("outcome_1", 20, 3, 0x0, Write::Ignored)
        .named(crate::slink::regs::Outcome::NAMES);
    /// Of operation 2, ..., if `most` is 4. See [`Outcome`](crate::slink::regs::Outcome).
    pub const OUTCOME_2: Field = Field::new("outcome_2", 24, 3, 0x0, Write::Ignored)
        .named(crate::slink::regs::Outcome::NAMES);
    /// Of operation 3, ..., if `most` is 4. See [`Outcome`](crate::slink::regs::Outcome).
    pub const OUTCOME_3: Field = Field::new("outcome_3", 28, 3, 0x0, Write::Ignored)
        .named(crate::slink::regs::Outcome::NAMES);
}

/// Wanted line mode. Writing it makes both ends change together, between operations: those under
/// way end before, those that are started meanwhile wait. Has no effect while `line.busy`, in
/// reset, or if the core was built without this. Reading gives `line`.
pub const WANTED: Register = Register {
    name: "wanted",
    offset: 0x34,
    width: 32,
    access: Access::WriteOnly,
    fields: &[wanted::SPEED, wanted::CODING, wanted::LANES],
    arrays: &[],
};
/// Fields of [`WANTED`].
pub mod wanted {
    use crate::regs::{Field, Write};
    /// Speed; 1 or 2. See [`Run`](crate::slink::regs::Run).
    pub const SPEED: Field =
        Field::new("speed", 0, 2, 0x0, Write::Kept).named(crate::slink::regs::Run::NAMES);
    /// Line code. See [`Coding`](crate::slink::regs::Coding).
    pub const CODING: Field =
        Field::new("coding", 2, 1, 0x0, Write::Kept).named(crate::slink::regs::Coding::NAMES);
    /// Lanes, as a power of two: 0, 1 or 2. Operations over more lanes are refused.
    pub const LANES: Field = Field::new("lanes", 4, 3, 0x0, Write::Kept);
}

/// Line mode. The one that is in use, and how the last change of it went. Zero if the core was
/// built without changes.
pub const LINE: Register = Register {
    name: "line",
    offset: 0x34,
    width: 32,
    access: Access::ReadOnly,
    fields: &[
        line::SPEED,
        line::CODING,
        line::LANES,
        line::BUSY,
        line::RESULT,
    ],
    arrays: &[],
};
/// Fields of [`LINE`].
pub mod line {
    use crate::regs::{Field, Write};
    /// Speed. See [`Run`](crate::slink::regs::Run).
    pub const SPEED: Field =
        Field::new("speed", 0, 2, 0x0, Write::Ignored).named(crate::slink::regs::Run::NAMES);
    /// Line code. See [`Coding`](crate::slink::regs::Coding).
    pub const CODING: Field =
        Field::new("coding", 2, 1, 0x0, Write::Ignored).named(crate::slink::regs::Coding::NAMES);
    /// Lanes, as a power of two.
    pub const LANES: Field = Field::new("lanes", 4, 3, 0x0, Write::Ignored);
    /// A change is under way.
    pub const BUSY: Field = Field::new("busy", 7, 1, 0x0, Write::Ignored);
    /// Of the last one; none while one is under way. See [`Change`](crate::slink::regs::Change).
    pub const RESULT: Field =
        Field::new("result", 8, 3, 0x0, Write::Ignored).named(crate::slink::regs::Change::NAMES);
}
