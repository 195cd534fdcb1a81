// SPDX-License-Identifier: Apache-2.0
//! RIFL registers: where they are and what their bits mean.
//!
//! Made by `tools/regs.py` from `cores/rifl/regs/rifl.rdl`: change that file.
//!
//! Bus: AXI4-Lite, 32 bits, 4 KB, byte addresses. Registers of 64 bits are two words, low word
//! first: a read of the low word takes all 64 bits of that moment, a read of the high word gives
//! the rest of the same moment. So one reader at a time, low word first. An address without a
//! register and a write to a read-only one are answered with SLVERR; inside `observe` such reads
//! give zero and writes are ignored.
//!
//! `observe` belongs to the user clock. While that clock stands still its words read as all ones
//! and `observe_lost` in `events` is set.

use crate::regs::{Access, Map, Register};

/// Bytes that the map takes up.
pub const SIZE: u32 = 0x1000;

/// Every register; of an array the first element.
pub const REGISTERS: &[Register] = &[
    MAGIC,
    VERSION,
    PARAMETERS,
    USER,
    CONTROL,
    COMMAND,
    STATUS,
    EVENTS,
    EVENT_ENABLE,
    INJECT_MANTISSA,
    INJECT_SHIFT,
    INJECT_SEED,
    PRBS_LENGTH,
    PRBS_GAP,
    PRBS_SEED,
    observe::LINK,
    observe::SESSION,
    observe::PEER,
    observe::SESSIONS,
    observe::LINK_UPS,
    observe::CYCLES,
    observe::TX_PACKETS,
    observe::TX_BYTES,
    observe::TX_STALLED,
    observe::TX_ABORTS,
    observe::RX_PACKETS,
    observe::RX_BYTES,
    observe::RX_STALLED,
    observe::RX_ABORTS,
    observe::PRBS_BYTES,
    observe::PRBS_SKIPPED,
    observe::PRBS_BIT_ERRORS,
    observe::PRBS_LOSSES,
    observe::lane::STATUS,
    observe::lane::FRAMES,
    observe::lane::BAD_FRAMES,
    observe::lane::ERRORS,
    observe::lane::RESENDS,
    observe::lane::ALIGNMENT_LOSSES,
    observe::lane::USER_FRAMES_SENT,
    observe::lane::USER_FRAMES_RECEIVED,
    observe::lane::COMPENSATIONS,
    observe::lane::STOPPED_FRAMES,
    observe::lane::STOPPING_FRAMES,
    observe::lane::INJECTED_ERRORS,
];

/// The map as one value.
pub const MAP: Map = Map {
    name: "rifl",
    size: SIZE,
    registers: REGISTERS,
};

/// Values of `loopback`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loopback {
    /// Normal operation.
    None = 0,
    /// Near end, digital: the transmitter's words return at once.
    NearPcs = 1,
    /// Near end, serial.
    NearPma = 2,
    /// Far end, serial: what the peer sends goes back to it.
    FarPma = 4,
    /// Far end, digital.
    FarPcs = 6,
}

impl Loopback {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[
        Self::None,
        Self::NearPcs,
        Self::NearPma,
        Self::FarPma,
        Self::FarPcs,
    ];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[
        (0, "none"),
        (1, "near_pcs"),
        (2, "near_pma"),
        (4, "far_pma"),
        (6, "far_pcs"),
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
            Self::NearPcs => "near_pcs",
            Self::NearPma => "near_pma",
            Self::FarPma => "far_pma",
            Self::FarPcs => "far_pcs",
        }
    }
}

impl serde::Serialize for Loopback {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Values of `link_reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkReason {
    /// The link is up.
    Up = 0,
    /// The link is held in reset.
    InReset = 1,
    /// A lane finds no frames on its line: cable, peer, or transceiver.
    NoAlignment = 2,
    /// A lane is aligned, but not yet for long enough.
    Settling = 3,
    /// The peer's receiver is not up.
    PeerNotUp = 4,
    /// The first frames without user data are being sent.
    Starting = 5,
    /// The session is not up: see `session`.
    Session = 6,
}

impl LinkReason {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[
        Self::Up,
        Self::InReset,
        Self::NoAlignment,
        Self::Settling,
        Self::PeerNotUp,
        Self::Starting,
        Self::Session,
    ];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[
        (0, "up"),
        (1, "in_reset"),
        (2, "no_alignment"),
        (3, "settling"),
        (4, "peer_not_up"),
        (5, "starting"),
        (6, "session"),
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
            Self::Up => "up",
            Self::InReset => "in_reset",
            Self::NoAlignment => "no_alignment",
            Self::Settling => "settling",
            Self::PeerNotUp => "peer_not_up",
            Self::Starting => "starting",
            Self::Session => "session",
        }
    }
}

impl serde::Serialize for LinkReason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Values of `session_state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionState {
    /// Announces itself, has not found an agreement yet.
    Hello = 0,
    /// Both ends agree; waits for the peer to say so.
    Ready = 1,
    /// The session is up.
    Up = 2,
    /// The capabilities do not fit: see the reason.
    Refused = 3,
    /// The peer announces nothing: the published protocol runs.
    Compatible = 4,
    /// The core was built without extended mode, or it is not allowed.
    Absent = 7,
}

impl SessionState {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[
        Self::Hello,
        Self::Ready,
        Self::Up,
        Self::Refused,
        Self::Compatible,
        Self::Absent,
    ];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[
        (0, "hello"),
        (1, "ready"),
        (2, "up"),
        (3, "refused"),
        (4, "compatible"),
        (7, "absent"),
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
            Self::Hello => "hello",
            Self::Ready => "ready",
            Self::Up => "up",
            Self::Refused => "refused",
            Self::Compatible => "compatible",
            Self::Absent => "absent",
        }
    }
}

impl serde::Serialize for SessionState {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Values of `session_reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionReason {
    /// Nothing: the session is up.
    None = 0,
    /// A lane's receiver is not up.
    NoSignal = 1,
    /// Announcements of the peer are still missing.
    NoPeer = 2,
    /// The frame widths differ.
    FrameWidth = 3,
    /// The frame-id widths differ.
    IdWidth = 4,
    /// The numbers of lanes differ.
    Lanes = 5,
    /// A lane is connected to a lane of another number.
    LaneOrder = 6,
    /// The numbers of lane groups differ.
    UserWidth = 7,
    /// Both ends tell a line rate, and not the same.
    Rate = 8,
    /// The round trip is longer than the retransmission buffer covers.
    RoundTrip = 9,
    /// The lanes lead to different peers.
    Peers = 10,
    /// The peer refuses: see its reason.
    PeerRefuses = 11,
    /// The published protocol runs: the peer announces nothing, or this end may not.
    Published = 12,
    /// One end has the stronger code, the peer has not, or one may not use the extended mode.
    StrongCode = 13,
}

impl SessionReason {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[
        Self::None,
        Self::NoSignal,
        Self::NoPeer,
        Self::FrameWidth,
        Self::IdWidth,
        Self::Lanes,
        Self::LaneOrder,
        Self::UserWidth,
        Self::Rate,
        Self::RoundTrip,
        Self::Peers,
        Self::PeerRefuses,
        Self::Published,
        Self::StrongCode,
    ];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[
        (0, "none"),
        (1, "no_signal"),
        (2, "no_peer"),
        (3, "frame_width"),
        (4, "id_width"),
        (5, "lanes"),
        (6, "lane_order"),
        (7, "user_width"),
        (8, "rate"),
        (9, "round_trip"),
        (10, "peers"),
        (11, "peer_refuses"),
        (12, "published"),
        (13, "strong_code"),
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
            Self::NoSignal => "no_signal",
            Self::NoPeer => "no_peer",
            Self::FrameWidth => "frame_width",
            Self::IdWidth => "id_width",
            Self::Lanes => "lanes",
            Self::LaneOrder => "lane_order",
            Self::UserWidth => "user_width",
            Self::Rate => "rate",
            Self::RoundTrip => "round_trip",
            Self::Peers => "peers",
            Self::PeerRefuses => "peer_refuses",
            Self::Published => "published",
            Self::StrongCode => "strong_code",
        }
    }
}

impl serde::Serialize for SessionReason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Values of `tx_state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TxState {
    /// The retransmission buffer is being cleared.
    Init = 0,
    /// The own receiver is not up: Pause requests.
    SendPause = 1,
    /// The peer asks for a pause.
    Pause = 2,
    /// Sends again what the peer has asked for.
    Retrans = 3,
    /// The own receiver has an error: Retransmit requests.
    SendRetrans = 4,
    /// User data.
    Normal = 5,
}

impl TxState {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[
        Self::Init,
        Self::SendPause,
        Self::Pause,
        Self::Retrans,
        Self::SendRetrans,
        Self::Normal,
    ];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[
        (0, "init"),
        (1, "send_pause"),
        (2, "pause"),
        (3, "retrans"),
        (4, "send_retrans"),
        (5, "normal"),
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
            Self::Init => "init",
            Self::SendPause => "send_pause",
            Self::Pause => "pause",
            Self::Retrans => "retrans",
            Self::SendRetrans => "send_retrans",
            Self::Normal => "normal",
        }
    }
}

impl serde::Serialize for TxState {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Magic. Tells that this is the register block of a RIFL core.
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
    /// The letters RIFL.
    pub const VALUE: Field = Field::new("value", 0, 32, 0x5249464c, Write::Ignored);
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
    pub const MAP_MINOR: Field = Field::new("map_minor", 16, 8, 0x2, Write::Ignored);
    /// Changes when registers are moved or change their meaning.
    pub const MAP_MAJOR: Field = Field::new("map_major", 24, 8, 0x2, Write::Ignored);
}

/// Parameters. What the core was built with.
pub const PARAMETERS: Register = Register {
    name: "parameters",
    offset: 0x8,
    width: 32,
    access: Access::ReadOnly,
    fields: &[
        parameters::LANES,
        parameters::ID_WIDTH,
        parameters::FRAME_WIDTH,
        parameters::STRONG_CODE,
        parameters::OFFSET_WINDOW,
        parameters::DELAYED_RELEASE,
        parameters::TEST_TRAFFIC,
        parameters::EXTENDED,
    ],
    arrays: &[],
};
/// Fields of [`PARAMETERS`].
pub mod parameters {
    use crate::regs::{Field, Write};
    /// Number of lanes.
    pub const LANES: Field = Field::new("lanes", 0, 4, 0x0, Write::Ignored);
    /// Frame-id width in bits.
    pub const ID_WIDTH: Field = Field::new("id_width", 4, 4, 0x0, Write::Ignored);
    /// Frame width in bits.
    pub const FRAME_WIDTH: Field = Field::new("frame_width", 8, 12, 0x0, Write::Ignored);
    /// Frames have the stronger code.
    pub const STRONG_CODE: Field = Field::new("strong_code", 20, 1, 0x0, Write::Ignored);
    /// Logarithm to base 2 of the window of `clock_offset`, in frames.
    pub const OFFSET_WINDOW: Field = Field::new("offset_window", 24, 5, 0x0, Write::Ignored);
    /// `control.delayed_release` is built in.
    pub const DELAYED_RELEASE: Field = Field::new("delayed_release", 29, 1, 0x0, Write::Ignored);
    /// Test traffic (`prbs_source`, `prbs_check`) is built in.
    pub const TEST_TRAFFIC: Field = Field::new("test_traffic", 30, 1, 0x0, Write::Ignored);
    /// The extended mode is built in.
    pub const EXTENDED: Field = Field::new("extended", 31, 1, 0x0, Write::Ignored);
}

/// User stream. What the core was built with.
pub const USER: Register = Register {
    name: "user",
    offset: 0xc,
    width: 32,
    access: Access::ReadOnly,
    fields: &[user::WIDTH],
    arrays: &[],
};
/// Fields of [`USER`].
pub mod user {
    use crate::regs::{Field, Write};
    /// User width in bits.
    pub const WIDTH: Field = Field::new("width", 0, 16, 0x0, Write::Ignored);
}

/// Control. Settings. All but `extended` are off after a reset.
pub const CONTROL: Register = Register {
    name: "control",
    offset: 0x10,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        control::RESET,
        control::EXTENDED,
        control::DELAYED_RELEASE,
        control::PRBS_SOURCE,
        control::PRBS_CHECK,
        control::INJECT,
        control::LOOPBACK,
    ],
    arrays: &[],
};
/// Fields of [`CONTROL`].
pub mod control {
    use crate::regs::{Field, Write};
    /// Holds the link in reset. However short it is set, the link is reset for long enough (1024
    /// cycles of the bus clock, see `reset_active`). Reset both ends of a link of the published
    /// protocol together.
    pub const RESET: Field = Field::new("reset", 0, 1, 0x0, Write::Kept);
    /// The extended mode may be used; with a peer that cannot, the published protocol runs all the
    /// same. A change starts a new session. Change it while `reset` is set: the published protocol
    /// cannot tell frames of the session before from new ones. Towards a published core the round
    /// trip is at most 2^(id_width-1) - 2 frames.
    pub const EXTENDED: Field = Field::new("extended", 1, 1, 0x1, Write::Kept);
    /// Extended mode, where it is built in: a frame is delivered only when the one behind it on its
    /// lane is undamaged, too. For lines with bursts of garbage. Costs a frame of latency. May be
    /// changed at any time.
    pub const DELAYED_RELEASE: Field = Field::new("delayed_release", 2, 1, 0x0, Write::Kept);
    /// The test source takes the place of the user's stream, from the next packet on.
    pub const PRBS_SOURCE: Field = Field::new("prbs_source", 4, 1, 0x0, Write::Kept);
    /// What arrives goes to the checker instead of the user, from the next packet on.
    pub const PRBS_CHECK: Field = Field::new("prbs_check", 5, 1, 0x0, Write::Kept);
    /// Error injection: flips bits that are sent. Off: the words pass untouched. Turning it on
    /// starts the random sequence anew from the seed.
    pub const INJECT: Field = Field::new("inject", 6, 1, 0x0, Write::Kept);
    /// To the transceiver, as it is. See [`Loopback`](crate::rifl::regs::Loopback).
    pub const LOOPBACK: Field =
        Field::new("loopback", 8, 3, 0x0, Write::Kept).named(crate::rifl::regs::Loopback::NAMES);
}

/// Command. Written ones act once and read as zero.
pub const COMMAND: Register = Register {
    name: "command",
    offset: 0x14,
    width: 32,
    access: Access::ReadWrite,
    fields: &[command::CLEAR],
    arrays: &[],
};
/// Fields of [`COMMAND`].
pub mod command {
    use crate::regs::{Field, Write};
    /// Clears every counter in `observe`. Counters that are being read later than 1000 cycles of
    /// the user clock after the write have started anew.
    pub const CLEAR: Field = Field::new("clear", 0, 1, 0x0, Write::Acts);
}

/// Status. Readable while the link's clocks stand still.
pub const STATUS: Register = Register {
    name: "status",
    offset: 0x18,
    width: 32,
    access: Access::ReadOnly,
    fields: &[status::LINK_UP, status::RESET_ACTIVE],
    arrays: &[],
};
/// Fields of [`STATUS`].
pub mod status {
    use crate::regs::{Field, Write};
    /// User data flow.
    pub const LINK_UP: Field = Field::new("link_up", 0, 1, 0x0, Write::Ignored);
    /// The link is in reset, by the pin or by `reset`.
    pub const RESET_ACTIVE: Field = Field::new("reset_active", 1, 1, 0x0, Write::Ignored);
}

/// Events. Sticky: an event sets its bit, writing one clears it. While a bit is set that
/// `event_enable` enables, the interrupt is active.
pub const EVENTS: Register = Register {
    name: "events",
    offset: 0x20,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        events::LINK_UP,
        events::LINK_DOWN,
        events::ERROR,
        events::ALIGNMENT_LOST,
        events::OVERFLOW,
        events::SESSION,
        events::ABORT,
        events::PRBS,
        events::OBSERVE_LOST,
    ],
    arrays: &[],
};
/// Fields of [`EVENTS`].
pub mod events {
    use crate::regs::{Field, Write};
    /// The link came up.
    pub const LINK_UP: Field = Field::new("link_up", 0, 1, 0x0, Write::Clears);
    /// The link went down.
    pub const LINK_DOWN: Field = Field::new("link_down", 1, 1, 0x0, Write::Clears);
    /// A receiver went into error.
    pub const ERROR: Field = Field::new("error", 2, 1, 0x0, Write::Clears);
    /// A lane lost its alignment.
    pub const ALIGNMENT_LOST: Field = Field::new("alignment_lost", 3, 1, 0x0, Write::Clears);
    /// A received frame found no room and was requested again. Never while the clocks run.
    pub const OVERFLOW: Field = Field::new("overflow", 4, 1, 0x0, Write::Clears);
    /// The state of the session changed.
    pub const SESSION: Field = Field::new("session", 5, 1, 0x0, Write::Clears);
    /// A packet was cut, at either side.
    pub const ABORT: Field = Field::new("abort", 6, 1, 0x0, Write::Clears);
    /// The checker found a wrong bit or lost the sequence.
    pub const PRBS: Field = Field::new("prbs", 7, 1, 0x0, Write::Clears);
    /// A read of `observe` was not answered: the user clock stands still.
    pub const OBSERVE_LOST: Field = Field::new("observe_lost", 8, 1, 0x0, Write::Clears);
}

/// Event enable. Which events raise the interrupt.
pub const EVENT_ENABLE: Register = Register {
    name: "event_enable",
    offset: 0x24,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        event_enable::LINK_UP,
        event_enable::LINK_DOWN,
        event_enable::ERROR,
        event_enable::ALIGNMENT_LOST,
        event_enable::OVERFLOW,
        event_enable::SESSION,
        event_enable::ABORT,
        event_enable::PRBS,
        event_enable::OBSERVE_LOST,
    ],
    arrays: &[],
};
/// Fields of [`EVENT_ENABLE`].
pub mod event_enable {
    use crate::regs::{Field, Write};
    /// `link_up`
    pub const LINK_UP: Field = Field::new("link_up", 0, 1, 0x0, Write::Kept);
    /// `link_down`
    pub const LINK_DOWN: Field = Field::new("link_down", 1, 1, 0x0, Write::Kept);
    /// `error`
    pub const ERROR: Field = Field::new("error", 2, 1, 0x0, Write::Kept);
    /// `alignment_lost`
    pub const ALIGNMENT_LOST: Field = Field::new("alignment_lost", 3, 1, 0x0, Write::Kept);
    /// `overflow`
    pub const OVERFLOW: Field = Field::new("overflow", 4, 1, 0x0, Write::Kept);
    /// `session`
    pub const SESSION: Field = Field::new("session", 5, 1, 0x0, Write::Kept);
    /// `abort`
    pub const ABORT: Field = Field::new("abort", 6, 1, 0x0, Write::Kept);
    /// `prbs`
    pub const PRBS: Field = Field::new("prbs", 7, 1, 0x0, Write::Kept);
    /// `observe_lost`
    pub const OBSERVE_LOST: Field = Field::new("observe_lost", 8, 1, 0x0, Write::Kept);
}

/// Error injection: rate. Each bit sent is flipped with the probability mantissa * 2^-(38 + shift).
/// Change it while `inject` is off.
pub const INJECT_MANTISSA: Register = Register {
    name: "inject_mantissa",
    offset: 0x30,
    width: 32,
    access: Access::ReadWrite,
    fields: &[inject_mantissa::MANTISSA],
    arrays: &[],
};
/// Fields of [`INJECT_MANTISSA`].
pub mod inject_mantissa {
    use crate::regs::{Field, Write};
    /// Mantissa.
    pub const MANTISSA: Field = Field::new("mantissa", 0, 32, 0x0, Write::Kept);
}

/// Error injection: scale. See `inject_mantissa`.
pub const INJECT_SHIFT: Register = Register {
    name: "inject_shift",
    offset: 0x34,
    width: 32,
    access: Access::ReadWrite,
    fields: &[inject_shift::SHIFT],
    arrays: &[],
};
/// Fields of [`INJECT_SHIFT`].
pub mod inject_shift {
    use crate::regs::{Field, Write};
    /// Shift, 0 to 26; more counts as 26.
    pub const SHIFT: Field = Field::new("shift", 0, 5, 0x0, Write::Kept);
}

/// Error injection: seed. Where the random sequence starts; the lanes derive their own from it. Two
/// ends of a link want different ones.
pub const INJECT_SEED: Register = Register {
    name: "inject_seed",
    offset: 0x38,
    width: 32,
    access: Access::ReadWrite,
    fields: &[inject_seed::SEED],
    arrays: &[],
};
/// Fields of [`INJECT_SEED`].
pub mod inject_seed {
    use crate::regs::{Field, Write};
    /// Seed.
    pub const SEED: Field = Field::new("seed", 0, 32, 0x1, Write::Kept);
}

/// Test packets: length. Lengths are drawn uniformly between these, both included. Change them
/// while `prbs_source` is off.
pub const PRBS_LENGTH: Register = Register {
    name: "prbs_length",
    offset: 0x40,
    width: 32,
    access: Access::ReadWrite,
    fields: &[prbs_length::SHORTEST, prbs_length::LONGEST],
    arrays: &[],
};
/// Fields of [`PRBS_LENGTH`].
pub mod prbs_length {
    use crate::regs::{Field, Write};
    /// Smallest length in bytes.
    pub const SHORTEST: Field = Field::new("shortest", 0, 16, 0x40, Write::Kept);
    /// Largest length in bytes; less than `shortest` counts as that.
    pub const LONGEST: Field = Field::new("longest", 16, 16, 0x5dc, Write::Kept);
}

/// Test packets: gap. Change it while `prbs_source` is off.
pub const PRBS_GAP: Register = Register {
    name: "prbs_gap",
    offset: 0x44,
    width: 32,
    access: Access::ReadWrite,
    fields: &[prbs_gap::GAP],
    arrays: &[],
};
/// Fields of [`PRBS_GAP`].
pub mod prbs_gap {
    use crate::regs::{Field, Write};
    /// Cycles of the user clock without data after each packet.
    pub const GAP: Field = Field::new("gap", 0, 16, 0x0, Write::Kept);
}

/// Test packets: seed. Change it while `prbs_source` is off: turning it on starts the sequence from
/// the seed.
pub const PRBS_SEED: Register = Register {
    name: "prbs_seed",
    offset: 0x48,
    width: 32,
    access: Access::ReadWrite,
    fields: &[prbs_seed::SEED],
    arrays: &[],
};
/// Fields of [`PRBS_SEED`].
pub mod prbs_seed {
    use crate::regs::{Field, Write};
    /// Seed.
    pub const SEED: Field = Field::new("seed", 0, 31, 0x1, Write::Kept);
}

/// Observation. What the link knows and counts, in the user clock. Read only.
pub mod observe {
    use crate::regs::{Access, Register};
    /// Link. All bits of one moment, as the user's clock sees them.
    pub const LINK: Register = Register {
        name: "observe.link",
        offset: 0x800,
        width: 64,
        access: Access::ReadOnly,
        fields: &[link::UP, link::REASON, link::PRBS_SYNC],
        arrays: &[],
    };
    /// Fields of [`LINK`].
    pub mod link {
        use crate::regs::{Field, Write};
        /// User data flow: every receiver of this end is up, and the session or the published
        /// protocol has started. In extended mode a peer that alone receives nothing does not end
        /// that: it shows in `retrans_req`.
        pub const UP: Field = Field::new("up", 0, 1, 0x0, Write::Ignored);
        /// What keeps the link from being up: the first of these that applies. See
        /// [`LinkReason`](crate::rifl::regs::LinkReason).
        pub const REASON: Field = Field::new("reason", 4, 4, 0x0, Write::Ignored)
            .named(crate::rifl::regs::LinkReason::NAMES);
        /// The checker follows the test sequence.
        pub const PRBS_SYNC: Field = Field::new("prbs_sync", 8, 1, 0x0, Write::Ignored);
    }

    /// Session. Session of the extended mode.
    pub const SESSION: Register = Register {
        name: "observe.session",
        offset: 0x808,
        width: 64,
        access: Access::ReadOnly,
        fields: &[
            session::STATE,
            session::REASON,
            session::PEER_REASON,
            session::OWN_NUMBER,
            session::PEER_NUMBER,
        ],
        arrays: &[],
    };
    /// Fields of [`SESSION`].
    pub mod session {
        use crate::regs::{Field, Write};
        /// State of the session. See [`SessionState`](crate::rifl::regs::SessionState).
        pub const STATE: Field = Field::new("state", 0, 3, 0x0, Write::Ignored)
            .named(crate::rifl::regs::SessionState::NAMES);
        /// Why the session is not up. See [`SessionReason`](crate::rifl::regs::SessionReason).
        pub const REASON: Field = Field::new("reason", 4, 4, 0x0, Write::Ignored)
            .named(crate::rifl::regs::SessionReason::NAMES);
        /// The same as the peer has announced it; none while the session is up. See
        /// [`SessionReason`](crate::rifl::regs::SessionReason).
        pub const PEER_REASON: Field = Field::new("peer_reason", 8, 4, 0x0, Write::Ignored)
            .named(crate::rifl::regs::SessionReason::NAMES);
        /// Number of the own session.
        pub const OWN_NUMBER: Field = Field::new("own_number", 16, 16, 0x0, Write::Ignored);
        /// Number of the peer's session, 0 for none.
        pub const PEER_NUMBER: Field = Field::new("peer_number", 32, 16, 0x0, Write::Ignored);
    }

    /// Peer. Capabilities that the peer has announced; 0 as long as it has not.
    pub const PEER: Register = Register {
        name: "observe.peer",
        offset: 0x810,
        width: 64,
        access: Access::ReadOnly,
        fields: &[
            peer::VERSION,
            peer::LANES,
            peer::FRAME_WIDTH,
            peer::GROUPS,
            peer::ID_WIDTH,
            peer::STRONG_CODE,
            peer::RATE,
        ],
        arrays: &[],
    };
    /// Fields of [`PEER`].
    pub mod peer {
        use crate::regs::{Field, Write};
        /// Version of the extended mode, 0 for none.
        pub const VERSION: Field = Field::new("version", 0, 4, 0x0, Write::Ignored);
        /// Logarithm to base 2 of the number of lanes.
        pub const LANES: Field = Field::new("lanes", 4, 2, 0x0, Write::Ignored);
        /// Logarithm to base 2 of frame width / 128.
        pub const FRAME_WIDTH: Field = Field::new("frame_width", 8, 3, 0x0, Write::Ignored);
        /// Logarithm to base 2 of frame width * lanes / user width.
        pub const GROUPS: Field = Field::new("groups", 12, 2, 0x0, Write::Ignored);
        /// Frame-id width in bits.
        pub const ID_WIDTH: Field = Field::new("id_width", 16, 4, 0x0, Write::Ignored);
        /// Frames have the stronger code.
        pub const STRONG_CODE: Field = Field::new("strong_code", 20, 1, 0x0, Write::Ignored);
        /// Line rate of a lane in units of 10 Mb/s, 0 if it was not told.
        pub const RATE: Field = Field::new("rate", 32, 16, 0x0, Write::Ignored);
    }

    /// Sessions. Sessions that have got up.
    pub const SESSIONS: Register = Register {
        name: "observe.sessions",
        offset: 0x818,
        width: 64,
        access: Access::ReadOnly,
        fields: &[sessions::COUNT],
        arrays: &[],
    };
    /// Fields of [`SESSIONS`].
    pub mod sessions {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Link-ups. Times the link has come up.
    pub const LINK_UPS: Register = Register {
        name: "observe.link_ups",
        offset: 0x820,
        width: 64,
        access: Access::ReadOnly,
        fields: &[link_ups::COUNT],
        arrays: &[],
    };
    /// Fields of [`LINK_UPS`].
    pub mod link_ups {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// User clock. Cycles of the user clock: the time base of rates.
    pub const CYCLES: Register = Register {
        name: "observe.cycles",
        offset: 0x828,
        width: 64,
        access: Access::ReadOnly,
        fields: &[cycles::COUNT],
        arrays: &[],
    };
    /// Fields of [`CYCLES`].
    pub mod cycles {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Packets sent. Packets that the link has taken from the user, or from the test source.
    pub const TX_PACKETS: Register = Register {
        name: "observe.tx_packets",
        offset: 0x830,
        width: 64,
        access: Access::ReadOnly,
        fields: &[tx_packets::COUNT],
        arrays: &[],
    };
    /// Fields of [`TX_PACKETS`].
    pub mod tx_packets {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Bytes sent. Bytes of these packets.
    pub const TX_BYTES: Register = Register {
        name: "observe.tx_bytes",
        offset: 0x838,
        width: 64,
        access: Access::ReadOnly,
        fields: &[tx_bytes::COUNT],
        arrays: &[],
    };
    /// Fields of [`TX_BYTES`].
    pub mod tx_bytes {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Cycles the user waited. Cycles with data offered that the link did not take.
    pub const TX_STALLED: Register = Register {
        name: "observe.tx_stalled",
        offset: 0x840,
        width: 64,
        access: Access::ReadOnly,
        fields: &[tx_stalled::COUNT],
        arrays: &[],
    };
    /// Fields of [`TX_STALLED`].
    pub mod tx_stalled {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Packets cut, sending. Packets of which a part had been taken when a session ended; the rest
    /// was thrown away.
    pub const TX_ABORTS: Register = Register {
        name: "observe.tx_aborts",
        offset: 0x848,
        width: 64,
        access: Access::ReadOnly,
        fields: &[tx_aborts::COUNT],
        arrays: &[],
    };
    /// Fields of [`TX_ABORTS`].
    pub mod tx_aborts {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Packets received. Packets that the link has handed to the user, or to the checker.
    pub const RX_PACKETS: Register = Register {
        name: "observe.rx_packets",
        offset: 0x850,
        width: 64,
        access: Access::ReadOnly,
        fields: &[rx_packets::COUNT],
        arrays: &[],
    };
    /// Fields of [`RX_PACKETS`].
    pub mod rx_packets {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Bytes received. Bytes of these packets.
    pub const RX_BYTES: Register = Register {
        name: "observe.rx_bytes",
        offset: 0x858,
        width: 64,
        access: Access::ReadOnly,
        fields: &[rx_bytes::COUNT],
        arrays: &[],
    };
    /// Fields of [`RX_BYTES`].
    pub mod rx_bytes {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Cycles the link waited. Cycles with data offered that the user did not take.
    pub const RX_STALLED: Register = Register {
        name: "observe.rx_stalled",
        offset: 0x860,
        width: 64,
        access: Access::ReadOnly,
        fields: &[rx_stalled::COUNT],
        arrays: &[],
    };
    /// Fields of [`RX_STALLED`].
    pub mod rx_stalled {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Packets cut, receiving. Packets that ended with an error mark because a session ended.
    pub const RX_ABORTS: Register = Register {
        name: "observe.rx_aborts",
        offset: 0x868,
        width: 64,
        access: Access::ReadOnly,
        fields: &[rx_aborts::COUNT],
        arrays: &[],
    };
    /// Fields of [`RX_ABORTS`].
    pub mod rx_aborts {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Test bytes. Bytes that the checker has seen.
    pub const PRBS_BYTES: Register = Register {
        name: "observe.prbs_bytes",
        offset: 0x870,
        width: 64,
        access: Access::ReadOnly,
        fields: &[prbs_bytes::COUNT],
        arrays: &[],
    };
    /// Fields of [`PRBS_BYTES`].
    pub mod prbs_bytes {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Test bytes skipped. Bytes that the checker has seen while it was not synchronised.
    pub const PRBS_SKIPPED: Register = Register {
        name: "observe.prbs_skipped",
        offset: 0x878,
        width: 64,
        access: Access::ReadOnly,
        fields: &[prbs_skipped::COUNT],
        arrays: &[],
    };
    /// Fields of [`PRBS_SKIPPED`].
    pub mod prbs_skipped {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Test bit errors. Wrong bits in the bytes compared.
    pub const PRBS_BIT_ERRORS: Register = Register {
        name: "observe.prbs_bit_errors",
        offset: 0x880,
        width: 64,
        access: Access::ReadOnly,
        fields: &[prbs_bit_errors::COUNT],
        arrays: &[],
    };
    /// Fields of [`PRBS_BIT_ERRORS`].
    pub mod prbs_bit_errors {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Test synchronisation losses. Times the checker has lost the sequence: a byte was lost,
    /// doubled or exchanged.
    pub const PRBS_LOSSES: Register = Register {
        name: "observe.prbs_losses",
        offset: 0x888,
        width: 64,
        access: Access::ReadOnly,
        fields: &[prbs_losses::COUNT],
        arrays: &[],
    };
    /// Fields of [`PRBS_LOSSES`].
    pub mod prbs_losses {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Lane. One block a lane. Lanes that the core was not built with read as zero.
    pub mod lane {
        use crate::regs::{Access, Register};
        /// Number of elements.
        pub const COUNT: usize = 8;
        /// Bytes from one element to the next.
        pub const STRIDE: u32 = 0x80;
        /// Lane status. All bits of one moment.
        pub const STATUS: Register = Register {
            name: "observe.lane.status",
            offset: 0xc00,
            width: 64,
            access: Access::ReadOnly,
            fields: &[
                status::ALIGNED,
                status::UP,
                status::ERROR,
                status::PAUSE_REQ,
                status::RETRANS_REQ,
                status::LOCAL_FC,
                status::REMOTE_FC,
                status::OVERFLOW,
                status::TX_STATE,
                status::SLIP,
                status::ROUND_TRIP,
                status::CLOCK_OFFSET,
            ],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 8,
                stride: 0x80,
            }],
        };
        /// Fields of [`STATUS`].
        pub mod status {
            use crate::regs::{Field, Write};
            /// The aligner has found the frames.
            pub const ALIGNED: Field = Field::new("aligned", 0, 1, 0x0, Write::Ignored);
            /// Aligned for long enough: the receiver is used.
            pub const UP: Field = Field::new("up", 1, 1, 0x0, Write::Ignored);
            /// The receiver waits for frames to be sent again.
            pub const ERROR: Field = Field::new("error", 2, 1, 0x0, Write::Ignored);
            /// The peer asks for a pause.
            pub const PAUSE_REQ: Field = Field::new("pause_req", 3, 1, 0x0, Write::Ignored);
            /// The peer asks for a retransmission.
            pub const RETRANS_REQ: Field = Field::new("retrans_req", 4, 1, 0x0, Write::Ignored);
            /// The own receive buffer is filling up: the peer is told to stop.
            pub const LOCAL_FC: Field = Field::new("local_fc", 5, 1, 0x0, Write::Ignored);
            /// The peer has said stop.
            pub const REMOTE_FC: Field = Field::new("remote_fc", 6, 1, 0x0, Write::Ignored);
            /// Sticky until reset: a received frame found no room and was requested again. Never
            /// set while the clocks run.
            pub const OVERFLOW: Field = Field::new("overflow", 7, 1, 0x0, Write::Ignored);
            /// State of the transmitter. See [`TxState`](crate::rifl::regs::TxState).
            pub const TX_STATE: Field = Field::new("tx_state", 8, 3, 0x0, Write::Ignored)
                .named(crate::rifl::regs::TxState::NAMES);
            /// Where in the words of the line the aligner cuts, in bits; means something while
            /// aligned.
            pub const SLIP: Field = Field::new("slip", 16, 6, 0x0, Write::Ignored);
            /// Round trip in frames as measured by the extended mode, with the nine frames that it
            /// adds for the peer's asking period, for clock crossings and for `delayed_release`;
            /// the last result, 0 outside of the extended mode.
            pub const ROUND_TRIP: Field = Field::new("round_trip", 32, 16, 0x0, Write::Ignored);
            /// Frequency of the peer's clock against the own, two's complement, in units of
            /// 2^-`offset_window` (0.95 ppm for 20). Positive: the peer is faster. The largest and
            /// smallest value mean that or more.
            pub const CLOCK_OFFSET: Field = Field::new("clock_offset", 48, 16, 0x0, Write::Ignored);
        }

        /// Frames received. Frames of any kind that arrived while the receiver was up. With
        /// `bad_frames` an estimate of the bit error rate: bad_frames / (frames * frame_width), as
        /// long as errors are rare.
        pub const FRAMES: Register = Register {
            name: "observe.lane.frames",
            offset: 0xc08,
            width: 64,
            access: Access::ReadOnly,
            fields: &[frames::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 8,
                stride: 0x80,
            }],
        };
        /// Fields of [`FRAMES`].
        pub mod frames {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Frames damaged. Frames that arrived while the receiver was up and whose sync header or
        /// verification code fits no frame at all. One in 2^(12 - id_width) damaged frames carries
        /// the code of another frame and is not counted here; with an id width of 12 only damaged
        /// sync headers are.
        pub const BAD_FRAMES: Register = Register {
            name: "observe.lane.bad_frames",
            offset: 0xc10,
            width: 64,
            access: Access::ReadOnly,
            fields: &[bad_frames::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 8,
                stride: 0x80,
            }],
        };
        /// Fields of [`BAD_FRAMES`].
        pub mod bad_frames {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Errors. Retransmissions asked for: times the receiver has gone into error. More damage
        /// until the answer has arrived belongs to the same error. In extended mode an ask that
        /// stays without an answer is made, and counted, again.
        pub const ERRORS: Register = Register {
            name: "observe.lane.errors",
            offset: 0xc18,
            width: 64,
            access: Access::ReadOnly,
            fields: &[errors::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 8,
                stride: 0x80,
            }],
        };
        /// Fields of [`ERRORS`].
        pub mod errors {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Resends. Retransmissions served: times the transmitter has begun to send again. In
        /// extended mode every ask that is answered counts, also if nothing had to be sent again.
        pub const RESENDS: Register = Register {
            name: "observe.lane.resends",
            offset: 0xc20,
            width: 64,
            access: Access::ReadOnly,
            fields: &[resends::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 8,
                stride: 0x80,
            }],
        };
        /// Fields of [`RESENDS`].
        pub mod resends {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Alignment losses. Times the aligner has lost the frames.
        pub const ALIGNMENT_LOSSES: Register = Register {
            name: "observe.lane.alignment_losses",
            offset: 0xc28,
            width: 64,
            access: Access::ReadOnly,
            fields: &[alignment_losses::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 8,
                stride: 0x80,
            }],
        };
        /// Fields of [`ALIGNMENT_LOSSES`].
        pub mod alignment_losses {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// User frames sent. New frames with user data that this lane has sent; resends do not
        /// count.
        pub const USER_FRAMES_SENT: Register = Register {
            name: "observe.lane.user_frames_sent",
            offset: 0xc30,
            width: 64,
            access: Access::ReadOnly,
            fields: &[user_frames_sent::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 8,
                stride: 0x80,
            }],
        };
        /// Fields of [`USER_FRAMES_SENT`].
        pub mod user_frames_sent {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// User frames received. Frames with user data that have left the lane towards the user.
        pub const USER_FRAMES_RECEIVED: Register = Register {
            name: "observe.lane.user_frames_received",
            offset: 0xc38,
            width: 64,
            access: Access::ReadOnly,
            fields: &[user_frames_received::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 8,
                stride: 0x80,
            }],
        };
        /// Fields of [`USER_FRAMES_RECEIVED`].
        pub mod user_frames_received {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Clock compensations. Times the transmitter made room because its clock is faster than
        /// the peer's.
        pub const COMPENSATIONS: Register = Register {
            name: "observe.lane.compensations",
            offset: 0xc40,
            width: 64,
            access: Access::ReadOnly,
            fields: &[compensations::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 8,
                stride: 0x80,
            }],
        };
        /// Fields of [`COMPENSATIONS`].
        pub mod compensations {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Stopped by the peer. Frame times for which the peer has said stop.
        pub const STOPPED_FRAMES: Register = Register {
            name: "observe.lane.stopped_frames",
            offset: 0xc48,
            width: 64,
            access: Access::ReadOnly,
            fields: &[stopped_frames::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 8,
                stride: 0x80,
            }],
        };
        /// Fields of [`STOPPED_FRAMES`].
        pub mod stopped_frames {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Stopping the peer. Frame times for which the own receive buffer wanted the peer to stop.
        pub const STOPPING_FRAMES: Register = Register {
            name: "observe.lane.stopping_frames",
            offset: 0xc50,
            width: 64,
            access: Access::ReadOnly,
            fields: &[stopping_frames::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 8,
                stride: 0x80,
            }],
        };
        /// Fields of [`STOPPING_FRAMES`].
        pub mod stopping_frames {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Injected bit errors. Bits that error injection has flipped on this lane.
        pub const INJECTED_ERRORS: Register = Register {
            name: "observe.lane.injected_errors",
            offset: 0xc58,
            width: 64,
            access: Access::ReadOnly,
            fields: &[injected_errors::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 8,
                stride: 0x80,
            }],
        };
        /// Fields of [`INJECTED_ERRORS`].
        pub mod injected_errors {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }
    }
}
