// SPDX-License-Identifier: Apache-2.0
//! PCS registers: where they are and what their bits mean.
//!
//! Made by `tools/regs.py` from `cores/pcs/regs/pcs.rdl`: change that file.
//!
//! Bus: AXI4-Lite, 32 bits, 8 KB, byte addresses. Registers of 64 bits are two words, low word
//! first. In `observe` a read of the low word takes all 64 bits of that moment, a read of the high
//! word gives the rest of the same moment: so one reader at a time, low word first. An address
//! without a register and a write to a read-only one are answered with SLVERR; inside `observe`
//! such reads give zero and writes are ignored.
//!
//! `observe` belongs to the clock of the receiver, which comes from the line. While it stands still
//! its words read as all ones and `observe_lost` in `events` is set. A reset of the receiver takes
//! the lanes, not the counters.

use crate::regs::{Access, Map, Register};

/// Bytes that the map takes up.
pub const SIZE: u32 = 0x1400;

/// Every register; of an array the first element.
pub const REGISTERS: &[Register] = &[
    MAGIC,
    VERSION,
    BUILD,
    CONTROL,
    EVENTS,
    EVENT_ENABLE,
    observe::STATE,
    observe::NOW,
    observe::DOWNS,
    observe::LANE,
    observe::CORRECTED,
    observe::UNCORRECTABLE,
    observe::BLOCK_ERRORS,
    observe::SYMBOLS,
    observe::PARITY_ERRORS,
];

/// The map as one value.
pub const MAP: Map = Map {
    name: "pcs",
    size: SIZE,
    registers: REGISTERS,
};

/// Values of `fec`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fec {
    /// 20 PCS lanes on four physical ones.
    Absent = 0,
    /// Four FEC lanes.
    Present = 1,
    /// Either, as `control.fec` says.
    Selectable = 2,
}

impl Fec {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[Self::Absent, Self::Present, Self::Selectable];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[(0, "absent"), (1, "present"), (2, "selectable")];
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
            Self::Absent => "absent",
            Self::Present => "present",
            Self::Selectable => "selectable",
        }
    }
}

impl serde::Serialize for Fec {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Values of `mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Codewords are corrected; those that cannot be are marked.
    Correct = 0,
    /// Codewords are corrected and nothing is marked, with less latency.
    BypassIndication = 1,
    /// Nothing is corrected; codewords with errors are marked.
    BypassCorrection = 2,
}

impl Mode {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[
        Self::Correct,
        Self::BypassIndication,
        Self::BypassCorrection,
    ];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[
        (0, "correct"),
        (1, "bypass_indication"),
        (2, "bypass_correction"),
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
            Self::Correct => "correct",
            Self::BypassIndication => "bypass_indication",
            Self::BypassCorrection => "bypass_correction",
        }
    }
}

impl serde::Serialize for Mode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Values of `setting`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Without FEC.
    Off = 0,
    /// With FEC.
    On = 1,
    /// As the peer; begins with FEC.
    Auto = 2,
}

impl Setting {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[Self::Off, Self::On, Self::Auto];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[(0, "off"), (1, "on"), (2, "auto")];
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
            Self::On => "on",
            Self::Auto => "auto",
        }
    }
}

impl serde::Serialize for Setting {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Values of `state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The lane has no signal.
    NoSignal = 0,
    /// The lane has a signal and no border of blocks. Not with FEC.
    NoBlockLock = 1,
    /// The lane has no markers at their distance.
    NoMarker = 2,
    /// The lane has the number of one before it.
    SameNumber = 3,
    /// All lanes are there; their markers have to meet.
    Aligning = 4,
    /// All lanes are there, and their markers do not meet.
    SkewExceeded = 5,
    /// Three codewords in a row could not be corrected, and none since: another code, or too many
    /// errors. With FEC only.
    NoCodeword = 6,
    /// Too many wrong symbols, in mode `bypass_indication`. With FEC only.
    HighSer = 7,
    /// Too many illegal headers.
    HighBer = 8,
    /// Blocks are received.
    Up = 9,
    /// The peer has FEC and this end has none, or the other way round; or this end has just
    /// changed.
    PeerMode = 10,
    /// Blocks are received, and the peer says that it has a fault: it receives none. Where a MAC
    /// stands above.
    RemoteFault = 11,
}

impl State {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[
        Self::NoSignal,
        Self::NoBlockLock,
        Self::NoMarker,
        Self::SameNumber,
        Self::Aligning,
        Self::SkewExceeded,
        Self::NoCodeword,
        Self::HighSer,
        Self::HighBer,
        Self::Up,
        Self::PeerMode,
        Self::RemoteFault,
    ];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[
        (0, "no_signal"),
        (1, "no_block_lock"),
        (2, "no_marker"),
        (3, "same_number"),
        (4, "aligning"),
        (5, "skew_exceeded"),
        (6, "no_codeword"),
        (7, "high_ser"),
        (8, "high_ber"),
        (9, "up"),
        (10, "peer_mode"),
        (11, "remote_fault"),
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
            Self::NoSignal => "no_signal",
            Self::NoBlockLock => "no_block_lock",
            Self::NoMarker => "no_marker",
            Self::SameNumber => "same_number",
            Self::Aligning => "aligning",
            Self::SkewExceeded => "skew_exceeded",
            Self::NoCodeword => "no_codeword",
            Self::HighSer => "high_ser",
            Self::HighBer => "high_ber",
            Self::Up => "up",
            Self::PeerMode => "peer_mode",
            Self::RemoteFault => "remote_fault",
        }
    }
}

impl serde::Serialize for State {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Magic. Tells that this is the register block of a PCS.
pub const MAGIC: Register = Register {
    name: "magic",
    offset: 0x0,
    width: 32,
    access: Access::ReadOnly,
    fields: &[magic::VALUE],
    arrays: &[],
};
/// Fields of [`MAGIC`].
pub mod magic {
    use crate::regs::{Field, Write};
    /// The letters PCSR.
    pub const VALUE: Field = Field::new("value", 0, 32, 0x50435352, Write::Ignored);
}

/// Version. Version of the core, and of this map. A host may rely on a map whose major number it
/// knows.
pub const VERSION: Register = Register {
    name: "version",
    offset: 0x4,
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
    /// Changes when registers or fields are added.
    pub const MAP_MINOR: Field = Field::new("map_minor", 16, 8, 0x1, Write::Ignored);
    /// Changes when registers are moved or change their meaning.
    pub const MAP_MAJOR: Field = Field::new("map_major", 24, 8, 0x1, Write::Ignored);
}

/// Build. What the core was built with.
pub const BUILD: Register = Register {
    name: "build",
    offset: 0x8,
    width: 32,
    access: Access::ReadOnly,
    fields: &[build::FEC, build::LANES, build::PERIOD],
    arrays: &[],
};
/// Fields of [`BUILD`].
pub mod build {
    use crate::regs::{Field, Write};
    /// RS-FEC. See [`Fec`](crate::pcs::regs::Fec).
    pub const FEC: Field =
        Field::new("fec", 0, 2, 0x0, Write::Ignored).named(crate::pcs::regs::Fec::NAMES);
    /// Lanes that are looked at, at most.
    pub const LANES: Field = Field::new("lanes", 8, 5, 0x0, Write::Ignored);
    /// Rows of blocks from markers to markers; the standard has 16384.
    pub const PERIOD: Field = Field::new("period", 16, 16, 0x0, Write::Ignored);
}

/// Control. Settings, and an action.
pub const CONTROL: Register = Register {
    name: "control",
    offset: 0x10,
    width: 32,
    access: Access::ReadWrite,
    fields: &[control::MODE, control::FEC, control::CLEAR],
    arrays: &[],
};
/// Fields of [`CONTROL`].
pub mod control {
    use crate::regs::{Field, Write};
    /// What the FEC does, from the next time on that the lanes are not in step. See
    /// [`Mode`](crate::pcs::regs::Mode).
    pub const MODE: Field =
        Field::new("mode", 0, 2, 0x0, Write::Kept).named(crate::pcs::regs::Mode::NAMES);
    /// With FEC or without, if the core was built with both; a change takes the link down for a
    /// moment. See [`Setting`](crate::pcs::regs::Setting).
    pub const FEC: Field =
        Field::new("fec", 4, 2, 0x2, Write::Kept).named(crate::pcs::regs::Setting::NAMES);
    /// Sets the counters of `observe` to zero, but for `now` and `downs`.
    pub const CLEAR: Field = Field::new("clear", 8, 1, 0x0, Write::Acts);
}

/// Events. Sticky: an event sets its bit, writing one clears it. While a bit is set that
/// `event_enable` enables, the interrupt is active.
pub const EVENTS: Register = Register {
    name: "events",
    offset: 0x20,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        events::UP,
        events::DOWN,
        events::UNCORRECTABLE,
        events::OBSERVE_LOST,
    ],
    arrays: &[],
};
/// Fields of [`EVENTS`].
pub mod events {
    use crate::regs::{Field, Write};
    /// The receiver is up.
    pub const UP: Field = Field::new("up", 0, 1, 0x0, Write::Clears);
    /// The receiver has gone down: `observe.state` says why.
    pub const DOWN: Field = Field::new("down", 1, 1, 0x0, Write::Clears);
    /// A codeword could not be corrected.
    pub const UNCORRECTABLE: Field = Field::new("uncorrectable", 2, 1, 0x0, Write::Clears);
    /// A read of `observe` was not answered: the clock of the receiver stands still.
    pub const OBSERVE_LOST: Field = Field::new("observe_lost", 3, 1, 0x0, Write::Clears);
}

/// Event enable. Which events raise the interrupt.
pub const EVENT_ENABLE: Register = Register {
    name: "event_enable",
    offset: 0x24,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        event_enable::UP,
        event_enable::DOWN,
        event_enable::UNCORRECTABLE,
        event_enable::OBSERVE_LOST,
    ],
    arrays: &[],
};
/// Fields of [`EVENT_ENABLE`].
pub mod event_enable {
    use crate::regs::{Field, Write};
    /// `up`
    pub const UP: Field = Field::new("up", 0, 1, 0x0, Write::Kept);
    /// `down`
    pub const DOWN: Field = Field::new("down", 1, 1, 0x0, Write::Kept);
    /// `uncorrectable`
    pub const UNCORRECTABLE: Field = Field::new("uncorrectable", 2, 1, 0x0, Write::Kept);
    /// `observe_lost`
    pub const OBSERVE_LOST: Field = Field::new("observe_lost", 3, 1, 0x0, Write::Kept);
}

/// Observation. What the receiver knows and counts, in its own clock. Read only.
pub mod observe {
    use crate::regs::{Access, Register};
    /// State. All bits of one moment.
    pub const STATE: Register = Register {
        name: "observe.state",
        offset: 0x1000,
        width: 64,
        access: Access::ReadOnly,
        fields: &[
            state::STATE,
            state::LANE,
            state::HAS_BEEN_DOWN,
            state::DOWN_STATE,
            state::DOWN_LANE,
            state::CODED,
        ],
        arrays: &[],
    };
    /// Fields of [`STATE`].
    pub mod state {
        use crate::regs::{Field, Write};
        /// How far the receiver is, or why it is not up: the first of these that applies. See
        /// [`State`](crate::pcs::regs::State).
        pub const STATE: Field =
            Field::new("state", 0, 4, 0x0, Write::Ignored).named(crate::pcs::regs::State::NAMES);
        /// The first physical lane that this is true of.
        pub const LANE: Field = Field::new("lane", 8, 5, 0x0, Write::Ignored);
        /// The receiver has been up since the reset, and has gone down.
        pub const HAS_BEEN_DOWN: Field = Field::new("has_been_down", 16, 1, 0x0, Write::Ignored);
        /// Why it went down the last time: the first of the states that it had within 64 cycles
        /// from then on. See [`State`](crate::pcs::regs::State).
        pub const DOWN_STATE: Field = Field::new("down_state", 24, 4, 0x0, Write::Ignored)
            .named(crate::pcs::regs::State::NAMES);
        /// The first physical lane that `down_state` was true of.
        pub const DOWN_LANE: Field = Field::new("down_lane", 32, 5, 0x0, Write::Ignored);
        /// Codewords are sent and expected, now.
        pub const CODED: Field = Field::new("coded", 40, 1, 0x0, Write::Ignored);
    }

    /// Clock of the receiver. Cycles: what the other counters are related to. 322.265625 MHz at 100
    /// Gb/s.
    pub const NOW: Register = Register {
        name: "observe.now",
        offset: 0x1008,
        width: 64,
        access: Access::ReadOnly,
        fields: &[now::COUNT],
        arrays: &[],
    };
    /// Fields of [`NOW`].
    pub mod now {
        use crate::regs::{Field, Write};
        /// Number since the last `clear` and the reset of the bus.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Times down. How many times the receiver has gone from up to another state.
    pub const DOWNS: Register = Register {
        name: "observe.downs",
        offset: 0x1010,
        width: 64,
        access: Access::ReadOnly,
        fields: &[downs::COUNT],
        arrays: &[],
    };
    /// Fields of [`DOWNS`].
    pub mod downs {
        use crate::regs::{Field, Write};
        /// Number since the last `clear` and the reset of the bus.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Physical lane. What arrives at it: right from the state `aligning` on. With FEC, now, there
    /// are four, and the others read as zero.
    pub const LANE: Register = Register {
        name: "observe.lane",
        offset: 0x1100,
        width: 64,
        access: Access::ReadOnly,
        fields: &[lane::LANE_NUMBER, lane::INVERTED, lane::HAS_SIGNAL],
        arrays: &[crate::regs::Array {
            part: 1,
            count: 20,
            stride: 0x8,
        }],
    };
    /// Fields of [`LANE`].
    pub mod lane {
        use crate::regs::{Field, Write};
        /// Number of the PCS lane that arrives here, with FEC of the FEC lane.
        pub const LANE_NUMBER: Field = Field::new("lane_number", 0, 5, 0x0, Write::Ignored);
        /// It arrives with 0 and 1 exchanged, and is turned over.
        pub const INVERTED: Field = Field::new("inverted", 8, 1, 0x0, Write::Ignored);
        /// The transceiver says that it has a signal.
        pub const HAS_SIGNAL: Field = Field::new("has_signal", 16, 1, 0x0, Write::Ignored);
    }

    /// Codewords corrected. With FEC only, as the next one.
    pub const CORRECTED: Register = Register {
        name: "observe.corrected",
        offset: 0x1300,
        width: 64,
        access: Access::ReadOnly,
        fields: &[corrected::COUNT],
        arrays: &[],
    };
    /// Fields of [`CORRECTED`].
    pub mod corrected {
        use crate::regs::{Field, Write};
        /// Number since the last `clear` and the reset of the bus.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Codewords uncorrectable. Their blocks are marked; with mode `bypass_correction` those that
    /// had errors.
    pub const UNCORRECTABLE: Register = Register {
        name: "observe.uncorrectable",
        offset: 0x1308,
        width: 64,
        access: Access::ReadOnly,
        fields: &[uncorrectable::COUNT],
        arrays: &[],
    };
    /// Fields of [`UNCORRECTABLE`].
    pub mod uncorrectable {
        use crate::regs::{Field, Write};
        /// Number since the last `clear` and the reset of the bus.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Words with errors. Words of CGMII in which a block was replaced by error characters.
    pub const BLOCK_ERRORS: Register = Register {
        name: "observe.block_errors",
        offset: 0x1310,
        width: 64,
        access: Access::ReadOnly,
        fields: &[block_errors::COUNT],
        arrays: &[],
    };
    /// Fields of [`BLOCK_ERRORS`].
    pub mod block_errors {
        use crate::regs::{Field, Write};
        /// Number since the last `clear` and the reset of the bus.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Symbols corrected. Of each FEC lane, by its number.
    pub const SYMBOLS: Register = Register {
        name: "observe.symbols",
        offset: 0x1340,
        width: 64,
        access: Access::ReadOnly,
        fields: &[symbols::COUNT],
        arrays: &[crate::regs::Array {
            part: 1,
            count: 4,
            stride: 0x8,
        }],
    };
    /// Fields of [`SYMBOLS`].
    pub mod symbols {
        use crate::regs::{Field, Write};
        /// Number since the last `clear` and the reset of the bus.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Parity errors. Markers of each PCS lane, by its number, whose parity (BIP-8) was not that of
    /// the blocks before.
    pub const PARITY_ERRORS: Register = Register {
        name: "observe.parity_errors",
        offset: 0x1360,
        width: 64,
        access: Access::ReadOnly,
        fields: &[parity_errors::COUNT],
        arrays: &[crate::regs::Array {
            part: 1,
            count: 20,
            stride: 0x8,
        }],
    };
    /// Fields of [`PARITY_ERRORS`].
    pub mod parity_errors {
        use crate::regs::{Field, Write};
        /// Number since the last `clear` and the reset of the bus.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }
}
