// SPDX-License-Identifier: Apache-2.0
//! HTSP registers: where they are and what their bits mean.
//!
//! Made by `tools/regs.py` from `cores/htsp/regs/htsp.rdl`: change that file.
//!
//! Bus: AXI4-Lite, 32 bits, 8 KB, byte addresses. Registers of 64 bits are two words, low word
//! first. In `observe` a read of the low word takes all 64 bits of that moment, a read of the high
//! word gives the rest of the same moment: so one reader at a time, low word first. An address
//! without a register and a write to a read-only one are answered with SLVERR; inside `observe`
//! such reads give zero and writes are ignored.
//!
//! Settings go to the link's clock together, within some cycles of both clocks; the last written
//! ones hold. `observe` belongs to the link's clock. While that clock stands still its words read
//! as all ones and `observe_lost` in `events` is set.

use crate::regs::{Access, Map, Register};

/// Bytes that the map takes up.
pub const SIZE: u32 = 0x2000;

/// Every register; of an array the first element.
pub const REGISTERS: &[Register] = &[
    MAGIC,
    VERSION,
    PARAMETERS,
    BUFFERS,
    CONTROL,
    COMMAND,
    STATUS,
    EVENTS,
    EVENT_ENABLE,
    NULL_INTERVAL,
    ALIVE,
    BURST,
    LEVELS,
    LOCAL_MAC,
    BROADCAST_MAC,
    ETHERTYPE,
    TEST_CHANNEL,
    PRBS_LENGTH,
    PRBS_GAP,
    PRBS_SEED,
    USER_DATA_0,
    USER_DATA_1,
    USER_DATA_2,
    USER_DATA_3,
    OP_CODE_0,
    OP_CODE_1,
    OP_CODE_2,
    OP_CODE_3,
    LANE_0,
    LANE_1,
    LANE_2,
    LANE_3,
    observe::LINK,
    observe::REMOTE_MAC,
    observe::REMOTE_DATA_LOW,
    observe::REMOTE_DATA_HIGH,
    observe::RX_OP_CODE_LOW,
    observe::RX_OP_CODE_HIGH,
    observe::TX_OP_CODE_LOW,
    observe::TX_OP_CODE_HIGH,
    observe::TX_SIZE,
    observe::RX_SIZE,
    observe::LATENCY,
    observe::CYCLES,
    observe::UP_CYCLES,
    observe::LINK_UPS,
    observe::DOWNS_SILENT,
    observe::DOWNS_PHY,
    observe::DOWNS_RESET,
    observe::REMOTE_READIES,
    observe::PHY_TX_READIES,
    observe::PHY_RX_READIES,
    observe::TX_FRAMES,
    observe::TX_HEADERS,
    observe::TX_BYTES,
    observe::TX_OP_CODES,
    observe::RX_FRAMES,
    observe::RX_HEADERS,
    observe::RX_BYTES,
    observe::RX_OP_CODES,
    observe::FOREIGN,
    observe::VERSION,
    observe::CHECKSUM,
    observe::DAMAGED,
    observe::FOOTER_BAD,
    observe::UNKNOWN_CHANNEL,
    observe::ORPHANS,
    observe::STALE,
    observe::LOST,
    observe::FEC_CORRECTED,
    observe::FEC_UNCORRECTED,
    observe::PRBS_BYTES,
    observe::PRBS_SKIPPED,
    observe::PRBS_BIT_ERRORS,
    observe::PRBS_LOSSES,
    observe::channel::TX_PACKETS,
    observe::channel::TX_BYTES,
    observe::channel::TX_STALLED,
    observe::channel::TX_PAUSED,
    observe::channel::TX_PAUSES,
    observe::channel::TX_ERRORS,
    observe::channel::TX_CUTS,
    observe::channel::TX_BAD_WORDS,
    observe::channel::RX_PACKETS,
    observe::channel::RX_BYTES,
    observe::channel::RX_STALLED,
    observe::channel::RX_PAUSING,
    observe::channel::RX_PAUSES,
    observe::channel::RX_OVERFLOWS,
    observe::channel::RX_ERRORS,
];

/// The map as one value.
pub const MAP: Map = Map {
    name: "htsp",
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

/// Values of `down_reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DownReason {
    /// It has not gone down yet.
    None = 0,
    /// No good header came for the alive time.
    Silent = 1,
    /// The receiving line was not ready.
    Phy = 2,
    /// It was reset, by the pin or by `reset`.
    Reset = 3,
}

impl DownReason {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[Self::None, Self::Silent, Self::Phy, Self::Reset];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[(0, "none"), (1, "silent"), (2, "phy"), (3, "reset")];
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
            Self::Silent => "silent",
            Self::Phy => "phy",
            Self::Reset => "reset",
        }
    }
}

impl serde::Serialize for DownReason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Values of `latency_state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LatencyState {
    /// No measurement was asked for.
    Idle = 0,
    /// Waits for a packet to be sent.
    Armed = 1,
    /// Waits for a packet to arrive.
    Running = 2,
    /// Measured.
    Done = 3,
}

impl LatencyState {
    /// All values, smallest first.
    pub const ALL: &[Self] = &[Self::Idle, Self::Armed, Self::Running, Self::Done];
    /// Each value and its name.
    pub const NAMES: &[(u64, &str)] = &[(0, "idle"), (1, "armed"), (2, "running"), (3, "done")];
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
            Self::Idle => "idle",
            Self::Armed => "armed",
            Self::Running => "running",
            Self::Done => "done",
        }
    }
}

impl serde::Serialize for LatencyState {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Magic. Tells that this is the register block of an HTSP core.
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
    /// The letters HTSP.
    pub const VALUE: Field = Field::new("value", 0, 32, 0x48545350, Write::Ignored);
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
    /// Changes when registers are added.
    pub const MAP_MINOR: Field = Field::new("map_minor", 16, 8, 0x1, Write::Ignored);
    /// Changes when registers are moved or change their meaning.
    pub const MAP_MAJOR: Field = Field::new("map_major", 24, 8, 0x1, Write::Ignored);
}

/// Parameters. What the core was built with.
pub const PARAMETERS: Register = Register {
    name: "parameters",
    offset: 0x8,
    width: 32,
    access: Access::ReadOnly,
    fields: &[
        parameters::CHANNELS,
        parameters::WIDTH,
        parameters::TUSER,
        parameters::TEST_TRAFFIC,
    ],
    arrays: &[],
};
/// Fields of [`PARAMETERS`].
pub mod parameters {
    use crate::regs::{Field, Write};
    /// Number of channels.
    pub const CHANNELS: Field = Field::new("channels", 0, 5, 0x0, Write::Ignored);
    /// Bytes of a word of the streams.
    pub const WIDTH: Field = Field::new("width", 8, 7, 0x0, Write::Ignored);
    /// TUSER of the first and of the last beat of a packet is carried.
    pub const TUSER: Field = Field::new("tuser", 30, 1, 0x0, Write::Ignored);
    /// Test traffic (`prbs_source`, `prbs_check`) is built in.
    pub const TEST_TRAFFIC: Field = Field::new("test_traffic", 31, 1, 0x0, Write::Ignored);
}

/// Buffers. What the core was built with.
pub const BUFFERS: Register = Register {
    name: "buffers",
    offset: 0xc,
    width: 32,
    access: Access::ReadOnly,
    fields: &[buffers::TX_DEPTH, buffers::RX_DEPTH],
    arrays: &[],
};
/// Fields of [`BUFFERS`].
pub mod buffers {
    use crate::regs::{Field, Write};
    /// Words that wait in front of the transmitter, for each channel.
    pub const TX_DEPTH: Field = Field::new("tx_depth", 0, 16, 0x0, Write::Ignored);
    /// Words of the receive buffer of each channel.
    pub const RX_DEPTH: Field = Field::new("rx_depth", 16, 16, 0x0, Write::Ignored);
}

/// Control. Settings.
pub const CONTROL: Register = Register {
    name: "control",
    offset: 0x10,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        control::RESET,
        control::TX_DISABLE,
        control::IGNORE_REMOTE,
        control::RESET_RX,
        control::PRBS_SOURCE,
        control::PRBS_CHECK,
        control::LOOPBACK,
        control::RX_POLARITY,
        control::TX_POLARITY,
    ],
    arrays: &[],
};
/// Fields of [`CONTROL`].
pub mod control {
    use crate::regs::{Field, Write};
    /// Holds the link down: nothing is begun, what arrives is not looked at. Packets under way end
    /// as they do when the line is lost, in error, at both ends. However short it is set, it lasts
    /// for 256 cycles of the bus clock. Change addresses and the EtherType meanwhile.
    pub const RESET: Field = Field::new("reset", 0, 1, 0x0, Write::Kept);
    /// Sends no payload.
    pub const TX_DISABLE: Field = Field::new("tx_disable", 1, 1, 0x0, Write::Kept);
    /// Sends whether the peer is ready and pauses or not. Loses data if it is not: for tests.
    pub const IGNORE_REMOTE: Field = Field::new("ignore_remote", 2, 1, 0x0, Write::Kept);
    /// Resets the receiver of the transceiver: to it, as it is.
    pub const RESET_RX: Field = Field::new("reset_rx", 3, 1, 0x0, Write::Kept);
    /// The test source takes the place of the user's stream of the test channel, from the next
    /// packet on.
    pub const PRBS_SOURCE: Field = Field::new("prbs_source", 4, 1, 0x0, Write::Kept);
    /// What arrives on the test channel goes to the checker instead of the user, from the next
    /// packet on.
    pub const PRBS_CHECK: Field = Field::new("prbs_check", 5, 1, 0x0, Write::Kept);
    /// To the transceiver, as it is. See [`Loopback`](crate::htsp::regs::Loopback).
    pub const LOOPBACK: Field =
        Field::new("loopback", 8, 3, 0x0, Write::Kept).named(crate::htsp::regs::Loopback::NAMES);
    /// Inverts what a lane receives, bit i for lane i: to the transceiver.
    pub const RX_POLARITY: Field = Field::new("rx_polarity", 16, 4, 0x0, Write::Kept);
    /// Inverts what a lane sends, bit i for lane i: to the transceiver.
    pub const TX_POLARITY: Field = Field::new("tx_polarity", 20, 4, 0x0, Write::Kept);
}

/// Command. Written ones act once and read as zero.
pub const COMMAND: Register = Register {
    name: "command",
    offset: 0x14,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        command::CLEAR,
        command::OP_CODE,
        command::USER_DATA,
        command::LATENCY,
    ],
    arrays: &[],
};
/// Fields of [`COMMAND`].
pub mod command {
    use crate::regs::{Field, Write};
    /// Clears every counter in `observe`, and the sizes. Counters that are being read later than
    /// 1500 cycles of the link's clock after the write have started anew.
    pub const CLEAR: Field = Field::new("clear", 0, 1, 0x0, Write::Acts);
    /// Sends the op-code in `op_code_0` to `op_code_3`. Has no effect unless `op_code_ready`.
    pub const OP_CODE: Field = Field::new("op_code", 1, 1, 0x0, Write::Acts);
    /// Hands `user_data_0` to `user_data_3` to the headers, all of it at once.
    pub const USER_DATA: Field = Field::new("user_data", 2, 1, 0x0, Write::Acts);
    /// Measures the latency of the next packet of the test channel.
    pub const LATENCY: Field = Field::new("latency", 3, 1, 0x0, Write::Acts);
}

/// Status. Readable while the link's clock stands still.
pub const STATUS: Register = Register {
    name: "status",
    offset: 0x18,
    width: 32,
    access: Access::ReadOnly,
    fields: &[
        status::LINK_UP,
        status::RESET_ACTIVE,
        status::REMOTE_READY,
        status::OP_CODE_READY,
        status::REMOTE_TUSER,
    ],
    arrays: &[],
};
/// Fields of [`STATUS`].
pub mod status {
    use crate::regs::{Field, Write};
    /// Good headers arrive.
    pub const LINK_UP: Field = Field::new("link_up", 0, 1, 0x0, Write::Ignored);
    /// The link is in reset, by the pin or by `reset`.
    pub const RESET_ACTIVE: Field = Field::new("reset_active", 1, 1, 0x0, Write::Ignored);
    /// The peer is ready: user data flow towards it.
    pub const REMOTE_READY: Field = Field::new("remote_ready", 2, 1, 0x0, Write::Ignored);
    /// `op_code` can be given. Up to five op-codes wait for the peer to be ready.
    pub const OP_CODE_READY: Field = Field::new("op_code_ready", 3, 1, 0x0, Write::Ignored);
    /// The peer takes TUSER of the last beat.
    pub const REMOTE_TUSER: Field = Field::new("remote_tuser", 4, 1, 0x0, Write::Ignored);
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
        events::LOSS,
        events::OVERFLOW,
        events::CUT,
        events::OP_CODE,
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
    /// A frame was lost, damaged, stale, or an orphan, or had a wrong checksum or footer.
    pub const LOSS: Field = Field::new("loss", 2, 1, 0x0, Write::Clears);
    /// A receive buffer overflowed. Never within the limits.
    pub const OVERFLOW: Field = Field::new("overflow", 3, 1, 0x0, Write::Clears);
    /// A packet that was being sent was cut.
    pub const CUT: Field = Field::new("cut", 4, 1, 0x0, Write::Clears);
    /// An op-code has arrived.
    pub const OP_CODE: Field = Field::new("op_code", 5, 1, 0x0, Write::Clears);
    /// The checker found a wrong bit or lost the sequence.
    pub const PRBS: Field = Field::new("prbs", 6, 1, 0x0, Write::Clears);
    /// A read of `observe` was not answered: the link's clock stands still.
    pub const OBSERVE_LOST: Field = Field::new("observe_lost", 7, 1, 0x0, Write::Clears);
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
        event_enable::LOSS,
        event_enable::OVERFLOW,
        event_enable::CUT,
        event_enable::OP_CODE,
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
    /// `loss`
    pub const LOSS: Field = Field::new("loss", 2, 1, 0x0, Write::Kept);
    /// `overflow`
    pub const OVERFLOW: Field = Field::new("overflow", 3, 1, 0x0, Write::Kept);
    /// `cut`
    pub const CUT: Field = Field::new("cut", 4, 1, 0x0, Write::Kept);
    /// `op_code`
    pub const OP_CODE: Field = Field::new("op_code", 5, 1, 0x0, Write::Kept);
    /// `prbs`
    pub const PRBS: Field = Field::new("prbs", 6, 1, 0x0, Write::Kept);
    /// `observe_lost`
    pub const OBSERVE_LOST: Field = Field::new("observe_lost", 7, 1, 0x0, Write::Kept);
}

/// Header interval. A header alone is sent when this many cycles of the link's clock have gone
/// without a frame.
pub const NULL_INTERVAL: Register = Register {
    name: "null_interval",
    offset: 0x30,
    width: 32,
    access: Access::ReadWrite,
    fields: &[null_interval::CYCLES],
    arrays: &[],
};
/// Fields of [`NULL_INTERVAL`].
pub mod null_interval {
    use crate::regs::{Field, Write};
    /// Cycles.
    pub const CYCLES: Field = Field::new("cycles", 0, 32, 0x7f, Write::Kept);
}

/// Alive time. The link goes down when no good header comes for this many cycles of the link's
/// clock; 0 counts as 1. Longer than the peer's header interval and longest burst. Exactly 256
/// frames lost in a row show in nothing else: see the page on the wire format for how short this
/// must be to rule that out, and how long for a published core or a host as the peer. The value
/// after a reset is 149 us at 322 MHz.
pub const ALIVE: Register = Register {
    name: "alive",
    offset: 0x34,
    width: 32,
    access: Access::ReadWrite,
    fields: &[alive::CYCLES],
    arrays: &[],
};
/// Fields of [`ALIVE`].
pub mod alive {
    use crate::regs::{Field, Write};
    /// Cycles.
    pub const CYCLES: Field = Field::new("cycles", 0, 32, 0xbb80, Write::Kept);
}

/// Burst. How payload is cut into frames.
pub const BURST: Register = Register {
    name: "burst",
    offset: 0x38,
    width: 32,
    access: Access::ReadWrite,
    fields: &[burst::WORDS, burst::STALL_LIMIT],
    arrays: &[],
};
/// Fields of [`BURST`].
pub mod burst {
    use crate::regs::{Field, Write};
    /// Words of 64 bytes in a burst, at most; 0 counts as 1, more than 128 as 128.
    pub const WORDS: Field = Field::new("words", 0, 8, 0x80, Write::Kept);
    /// Cycles for which a burst waits for a source that has stalled, before it is closed. Not 0
    /// leaves gaps in frames, which an Ethernet line does not bear.
    pub const STALL_LIMIT: Field = Field::new("stall_limit", 8, 8, 0x0, Write::Kept);
}

/// Pause levels. Words of 64 bytes in a receive buffer. After a reset as the core was built, by
/// default a quarter and an eighth of the buffer.
pub const LEVELS: Register = Register {
    name: "levels",
    offset: 0x3c,
    width: 32,
    access: Access::ReadWrite,
    fields: &[levels::PAUSE, levels::RESUME],
    arrays: &[],
};
/// Fields of [`LEVELS`].
pub mod levels {
    use crate::regs::{Field, Write};
    /// From here on the peer is asked to pause; more than the buffer counts as the buffer.
    pub const PAUSE: Field = Field::new("pause", 0, 16, 0x0, Write::Kept);
    /// Below this the pause ends; more than `pause` counts as that.
    pub const RESUME: Field = Field::new("resume", 16, 16, 0x0, Write::Kept);
}

/// Local address. Source of all headers. After a reset as the core was built. Change it while
/// `reset` is set.
pub const LOCAL_MAC: Register = Register {
    name: "local_mac",
    offset: 0x40,
    width: 64,
    access: Access::ReadWrite,
    fields: &[local_mac::LOW, local_mac::HIGH],
    arrays: &[],
};
/// Fields of [`LOCAL_MAC`].
pub mod local_mac {
    use crate::regs::{Field, Write};
    /// The first four bytes; bits 7 to 0 are the first one on the wire.
    pub const LOW: Field = Field::new("low", 0, 32, 0x0, Write::Kept);
    /// The last two bytes.
    pub const HIGH: Field = Field::new("high", 32, 16, 0x0, Write::Kept);
}

/// Broadcast address. Where headers go while the peer's address is not known, and taken like the
/// own address. Change it while `reset` is set.
pub const BROADCAST_MAC: Register = Register {
    name: "broadcast_mac",
    offset: 0x48,
    width: 64,
    access: Access::ReadWrite,
    fields: &[broadcast_mac::LOW, broadcast_mac::HIGH],
    arrays: &[],
};
/// Fields of [`BROADCAST_MAC`].
pub mod broadcast_mac {
    use crate::regs::{Field, Write};
    /// The first four bytes; bits 7 to 0 are the first one on the wire.
    pub const LOW: Field = Field::new("low", 0, 32, 0xffffffff, Write::Kept);
    /// The last two bytes.
    pub const HIGH: Field = Field::new("high", 32, 16, 0xffff, Write::Kept);
}

/// EtherType. Of all frames. Change it while `reset` is set.
pub const ETHERTYPE: Register = Register {
    name: "ethertype",
    offset: 0x50,
    width: 32,
    access: Access::ReadWrite,
    fields: &[ethertype::VALUE],
    arrays: &[],
};
/// Fields of [`ETHERTYPE`].
pub mod ethertype {
    use crate::regs::{Field, Write};
    /// Bits 7 to 0 are the first byte on the wire: after a reset `01 11`, as the published core has
    /// it.
    pub const VALUE: Field = Field::new("value", 0, 16, 0x1101, Write::Kept);
}

/// Test channel. Channel of the test traffic and of the latency measurement. Takes effect while
/// `prbs_source` and `prbs_check` are off; one that the core does not have counts as 0.
pub const TEST_CHANNEL: Register = Register {
    name: "test_channel",
    offset: 0x54,
    width: 32,
    access: Access::ReadWrite,
    fields: &[test_channel::CHANNEL],
    arrays: &[],
};
/// Fields of [`TEST_CHANNEL`].
pub mod test_channel {
    use crate::regs::{Field, Write};
    /// Number.
    pub const CHANNEL: Field = Field::new("channel", 0, 4, 0x0, Write::Kept);
}

/// Test packets: length. Lengths are drawn uniformly between these, both included. Change them
/// while `prbs_source` is off.
pub const PRBS_LENGTH: Register = Register {
    name: "prbs_length",
    offset: 0x58,
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
    offset: 0x5c,
    width: 32,
    access: Access::ReadWrite,
    fields: &[prbs_gap::GAP],
    arrays: &[],
};
/// Fields of [`PRBS_GAP`].
pub mod prbs_gap {
    use crate::regs::{Field, Write};
    /// Cycles of the link's clock without data after each packet.
    pub const GAP: Field = Field::new("gap", 0, 16, 0x0, Write::Kept);
}

/// Test packets: seed. Change it while `prbs_source` is off: turning it on starts the sequence from
/// the seed.
pub const PRBS_SEED: Register = Register {
    name: "prbs_seed",
    offset: 0x60,
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

/// User data, bytes 0 to 3. Of all headers, from `command.user_data` on.
pub const USER_DATA_0: Register = Register {
    name: "user_data_0",
    offset: 0x70,
    width: 32,
    access: Access::ReadWrite,
    fields: &[user_data_0::BYTES],
    arrays: &[],
};
/// Fields of [`USER_DATA_0`].
pub mod user_data_0 {
    use crate::regs::{Field, Write};
    /// Four bytes, the low one first on the wire.
    pub const BYTES: Field = Field::new("bytes", 0, 32, 0x0, Write::Kept);
}

/// User data, bytes 4 to 7. See `user_data_0`.
pub const USER_DATA_1: Register = Register {
    name: "user_data_1",
    offset: 0x74,
    width: 32,
    access: Access::ReadWrite,
    fields: &[user_data_1::BYTES],
    arrays: &[],
};
/// Fields of [`USER_DATA_1`].
pub mod user_data_1 {
    use crate::regs::{Field, Write};
    /// Four bytes, the low one first on the wire.
    pub const BYTES: Field = Field::new("bytes", 0, 32, 0x0, Write::Kept);
}

/// User data, bytes 8 to 11. See `user_data_0`.
pub const USER_DATA_2: Register = Register {
    name: "user_data_2",
    offset: 0x78,
    width: 32,
    access: Access::ReadWrite,
    fields: &[user_data_2::BYTES],
    arrays: &[],
};
/// Fields of [`USER_DATA_2`].
pub mod user_data_2 {
    use crate::regs::{Field, Write};
    /// Four bytes, the low one first on the wire.
    pub const BYTES: Field = Field::new("bytes", 0, 32, 0x0, Write::Kept);
}

/// User data, bytes 12 to 15. See `user_data_0`.
pub const USER_DATA_3: Register = Register {
    name: "user_data_3",
    offset: 0x7c,
    width: 32,
    access: Access::ReadWrite,
    fields: &[user_data_3::BYTES],
    arrays: &[],
};
/// Fields of [`USER_DATA_3`].
pub mod user_data_3 {
    use crate::regs::{Field, Write};
    /// Four bytes, the low one first on the wire.
    pub const BYTES: Field = Field::new("bytes", 0, 32, 0x0, Write::Kept);
}

/// Op-code, bytes 0 to 3. Sent once with `command.op_code`, beside those of the user's stream, and
/// before them.
pub const OP_CODE_0: Register = Register {
    name: "op_code_0",
    offset: 0x80,
    width: 32,
    access: Access::ReadWrite,
    fields: &[op_code_0::BYTES],
    arrays: &[],
};
/// Fields of [`OP_CODE_0`].
pub mod op_code_0 {
    use crate::regs::{Field, Write};
    /// Four bytes, the low one first on the wire.
    pub const BYTES: Field = Field::new("bytes", 0, 32, 0x0, Write::Kept);
}

/// Op-code, bytes 4 to 7. See `op_code_0`.
pub const OP_CODE_1: Register = Register {
    name: "op_code_1",
    offset: 0x84,
    width: 32,
    access: Access::ReadWrite,
    fields: &[op_code_1::BYTES],
    arrays: &[],
};
/// Fields of [`OP_CODE_1`].
pub mod op_code_1 {
    use crate::regs::{Field, Write};
    /// Four bytes, the low one first on the wire.
    pub const BYTES: Field = Field::new("bytes", 0, 32, 0x0, Write::Kept);
}

/// Op-code, bytes 8 to 11. See `op_code_0`.
pub const OP_CODE_2: Register = Register {
    name: "op_code_2",
    offset: 0x88,
    width: 32,
    access: Access::ReadWrite,
    fields: &[op_code_2::BYTES],
    arrays: &[],
};
/// Fields of [`OP_CODE_2`].
pub mod op_code_2 {
    use crate::regs::{Field, Write};
    /// Four bytes, the low one first on the wire.
    pub const BYTES: Field = Field::new("bytes", 0, 32, 0x0, Write::Kept);
}

/// Op-code, bytes 12 to 15. See `op_code_0`.
pub const OP_CODE_3: Register = Register {
    name: "op_code_3",
    offset: 0x8c,
    width: 32,
    access: Access::ReadWrite,
    fields: &[op_code_3::BYTES],
    arrays: &[],
};
/// Fields of [`OP_CODE_3`].
pub mod op_code_3 {
    use crate::regs::{Field, Write};
    /// Four bytes, the low one first on the wire.
    pub const BYTES: Field = Field::new("bytes", 0, 32, 0x0, Write::Kept);
}

/// Lane 0. Settings of the transceiver's driver: to it, as they are.
pub const LANE_0: Register = Register {
    name: "lane_0",
    offset: 0x90,
    width: 32,
    access: Access::ReadWrite,
    fields: &[lane_0::DIFF, lane_0::PRE, lane_0::POST],
    arrays: &[],
};
/// Fields of [`LANE_0`].
pub mod lane_0 {
    use crate::regs::{Field, Write};
    /// Differential swing.
    pub const DIFF: Field = Field::new("diff", 0, 5, 0x0, Write::Kept);
    /// Pre-cursor.
    pub const PRE: Field = Field::new("pre", 8, 5, 0x0, Write::Kept);
    /// Post-cursor.
    pub const POST: Field = Field::new("post", 16, 5, 0x0, Write::Kept);
}

/// Lane 1. See `lane_0`.
pub const LANE_1: Register = Register {
    name: "lane_1",
    offset: 0x94,
    width: 32,
    access: Access::ReadWrite,
    fields: &[lane_1::DIFF, lane_1::PRE, lane_1::POST],
    arrays: &[],
};
/// Fields of [`LANE_1`].
pub mod lane_1 {
    use crate::regs::{Field, Write};
    /// Differential swing.
    pub const DIFF: Field = Field::new("diff", 0, 5, 0x0, Write::Kept);
    /// Pre-cursor.
    pub const PRE: Field = Field::new("pre", 8, 5, 0x0, Write::Kept);
    /// Post-cursor.
    pub const POST: Field = Field::new("post", 16, 5, 0x0, Write::Kept);
}

/// Lane 2. See `lane_0`.
pub const LANE_2: Register = Register {
    name: "lane_2",
    offset: 0x98,
    width: 32,
    access: Access::ReadWrite,
    fields: &[lane_2::DIFF, lane_2::PRE, lane_2::POST],
    arrays: &[],
};
/// Fields of [`LANE_2`].
pub mod lane_2 {
    use crate::regs::{Field, Write};
    /// Differential swing.
    pub const DIFF: Field = Field::new("diff", 0, 5, 0x0, Write::Kept);
    /// Pre-cursor.
    pub const PRE: Field = Field::new("pre", 8, 5, 0x0, Write::Kept);
    /// Post-cursor.
    pub const POST: Field = Field::new("post", 16, 5, 0x0, Write::Kept);
}

/// Lane 3. See `lane_0`.
pub const LANE_3: Register = Register {
    name: "lane_3",
    offset: 0x9c,
    width: 32,
    access: Access::ReadWrite,
    fields: &[lane_3::DIFF, lane_3::PRE, lane_3::POST],
    arrays: &[],
};
/// Fields of [`LANE_3`].
pub mod lane_3 {
    use crate::regs::{Field, Write};
    /// Differential swing.
    pub const DIFF: Field = Field::new("diff", 0, 5, 0x0, Write::Kept);
    /// Pre-cursor.
    pub const PRE: Field = Field::new("pre", 8, 5, 0x0, Write::Kept);
    /// Post-cursor.
    pub const POST: Field = Field::new("post", 16, 5, 0x0, Write::Kept);
}

/// Observation. What the link knows and counts, in its own clock. Read only.
pub mod observe {
    use crate::regs::{Access, Register};
    /// Link. All bits of one moment, as the link's clock sees them.
    pub const LINK: Register = Register {
        name: "observe.link",
        offset: 0x1000,
        width: 64,
        access: Access::ReadOnly,
        fields: &[
            link::UP,
            link::REMOTE_READY,
            link::PHY_TX_READY,
            link::PHY_RX_READY,
            link::DOWN_REASON,
            link::PRBS_SYNC,
            link::LOCAL_PAUSE,
            link::REMOTE_PAUSE,
        ],
        arrays: &[],
    };
    /// Fields of [`LINK`].
    pub mod link {
        use crate::regs::{Field, Write};
        /// Good headers arrive.
        pub const UP: Field = Field::new("up", 0, 1, 0x0, Write::Ignored);
        /// The peer's receiver has a link, too: user data flow towards it.
        pub const REMOTE_READY: Field = Field::new("remote_ready", 1, 1, 0x0, Write::Ignored);
        /// The transmitting line is ready.
        pub const PHY_TX_READY: Field = Field::new("phy_tx_ready", 2, 1, 0x0, Write::Ignored);
        /// The receiving line is ready.
        pub const PHY_RX_READY: Field = Field::new("phy_rx_ready", 3, 1, 0x0, Write::Ignored);
        /// Why the link went down the last time. See [`DownReason`](crate::htsp::regs::DownReason).
        pub const DOWN_REASON: Field = Field::new("down_reason", 4, 2, 0x0, Write::Ignored)
            .named(crate::htsp::regs::DownReason::NAMES);
        /// The checker follows the test sequence.
        pub const PRBS_SYNC: Field = Field::new("prbs_sync", 8, 1, 0x0, Write::Ignored);
        /// Pauses that this end asks for, bit v for channel v.
        pub const LOCAL_PAUSE: Field = Field::new("local_pause", 16, 16, 0x0, Write::Ignored);
        /// Pauses that the peer asks for; all ones while the link is down.
        pub const REMOTE_PAUSE: Field = Field::new("remote_pause", 32, 16, 0x0, Write::Ignored);
    }

    /// Remote address. Address of the peer, from its headers; the last one known while the link is
    /// down.
    pub const REMOTE_MAC: Register = Register {
        name: "observe.remote_mac",
        offset: 0x1008,
        width: 64,
        access: Access::ReadOnly,
        fields: &[remote_mac::ADDRESS],
        arrays: &[],
    };
    /// Fields of [`REMOTE_MAC`].
    pub mod remote_mac {
        use crate::regs::{Field, Write};
        /// Bits 7 to 0 are the first byte on the wire.
        pub const ADDRESS: Field = Field::new("address", 0, 48, 0x0, Write::Ignored);
    }

    /// User data of the peer, first half. As the last good frame carried it.
    pub const REMOTE_DATA_LOW: Register = Register {
        name: "observe.remote_data_low",
        offset: 0x1010,
        width: 64,
        access: Access::ReadOnly,
        fields: &[remote_data_low::BYTES],
        arrays: &[],
    };
    /// Fields of [`REMOTE_DATA_LOW`].
    pub mod remote_data_low {
        use crate::regs::{Field, Write};
        /// Byte 0 is the first one on the wire.
        pub const BYTES: Field = Field::new("bytes", 0, 64, 0x0, Write::Ignored);
    }

    /// User data of the peer, second half. See `remote_data_low`. The two halves may come from two
    /// frames.
    pub const REMOTE_DATA_HIGH: Register = Register {
        name: "observe.remote_data_high",
        offset: 0x1018,
        width: 64,
        access: Access::ReadOnly,
        fields: &[remote_data_high::BYTES],
        arrays: &[],
    };
    /// Fields of [`REMOTE_DATA_HIGH`].
    pub mod remote_data_high {
        use crate::regs::{Field, Write};
        /// Byte 0 is the first one on the wire.
        pub const BYTES: Field = Field::new("bytes", 0, 64, 0x0, Write::Ignored);
    }

    /// Op-code received, first half. The last one.
    pub const RX_OP_CODE_LOW: Register = Register {
        name: "observe.rx_op_code_low",
        offset: 0x1020,
        width: 64,
        access: Access::ReadOnly,
        fields: &[rx_op_code_low::BYTES],
        arrays: &[],
    };
    /// Fields of [`RX_OP_CODE_LOW`].
    pub mod rx_op_code_low {
        use crate::regs::{Field, Write};
        /// Byte 0 is the first one on the wire.
        pub const BYTES: Field = Field::new("bytes", 0, 64, 0x0, Write::Ignored);
    }

    /// Op-code received, second half. See `rx_op_code_low`. Halves belong together if `rx_op_codes`
    /// is the same before and after.
    pub const RX_OP_CODE_HIGH: Register = Register {
        name: "observe.rx_op_code_high",
        offset: 0x1028,
        width: 64,
        access: Access::ReadOnly,
        fields: &[rx_op_code_high::BYTES],
        arrays: &[],
    };
    /// Fields of [`RX_OP_CODE_HIGH`].
    pub mod rx_op_code_high {
        use crate::regs::{Field, Write};
        /// Byte 0 is the first one on the wire.
        pub const BYTES: Field = Field::new("bytes", 0, 64, 0x0, Write::Ignored);
    }

    /// Op-code sent, first half. The last one that a frame carried.
    pub const TX_OP_CODE_LOW: Register = Register {
        name: "observe.tx_op_code_low",
        offset: 0x1030,
        width: 64,
        access: Access::ReadOnly,
        fields: &[tx_op_code_low::BYTES],
        arrays: &[],
    };
    /// Fields of [`TX_OP_CODE_LOW`].
    pub mod tx_op_code_low {
        use crate::regs::{Field, Write};
        /// Byte 0 is the first one on the wire.
        pub const BYTES: Field = Field::new("bytes", 0, 64, 0x0, Write::Ignored);
    }

    /// Op-code sent, second half. See `tx_op_code_low`.
    pub const TX_OP_CODE_HIGH: Register = Register {
        name: "observe.tx_op_code_high",
        offset: 0x1038,
        width: 64,
        access: Access::ReadOnly,
        fields: &[tx_op_code_high::BYTES],
        arrays: &[],
    };
    /// Fields of [`TX_OP_CODE_HIGH`].
    pub mod tx_op_code_high {
        use crate::regs::{Field, Write};
        /// Byte 0 is the first one on the wire.
        pub const BYTES: Field = Field::new("bytes", 0, 64, 0x0, Write::Ignored);
    }

    /// Sizes sent. Payload of the frames sent since the last `clear`, in bytes; both 0 if there was
    /// none.
    pub const TX_SIZE: Register = Register {
        name: "observe.tx_size",
        offset: 0x1040,
        width: 64,
        access: Access::ReadOnly,
        fields: &[tx_size::SMALLEST, tx_size::LARGEST],
        arrays: &[],
    };
    /// Fields of [`TX_SIZE`].
    pub mod tx_size {
        use crate::regs::{Field, Write};
        /// Of the smallest.
        pub const SMALLEST: Field = Field::new("smallest", 0, 16, 0x0, Write::Ignored);
        /// Of the largest.
        pub const LARGEST: Field = Field::new("largest", 16, 16, 0x0, Write::Ignored);
    }

    /// Sizes received. Payload of the good frames received since the last `clear`, in bytes; both 0
    /// if there was none.
    pub const RX_SIZE: Register = Register {
        name: "observe.rx_size",
        offset: 0x1048,
        width: 64,
        access: Access::ReadOnly,
        fields: &[rx_size::SMALLEST, rx_size::LARGEST],
        arrays: &[],
    };
    /// Fields of [`RX_SIZE`].
    pub mod rx_size {
        use crate::regs::{Field, Write};
        /// Of the smallest.
        pub const SMALLEST: Field = Field::new("smallest", 0, 16, 0x0, Write::Ignored);
        /// Of the largest.
        pub const LARGEST: Field = Field::new("largest", 16, 16, 0x0, Write::Ignored);
    }

    /// Latency. From the first word of a packet that the test channel takes to the first word of a
    /// packet that it hands over. Means something if that is the same packet: over a loopback, or a
    /// peer that sends back, on an otherwise quiet channel.
    pub const LATENCY: Register = Register {
        name: "observe.latency",
        offset: 0x1050,
        width: 64,
        access: Access::ReadOnly,
        fields: &[latency::CYCLES, latency::STATE],
        arrays: &[],
    };
    /// Fields of [`LATENCY`].
    pub mod latency {
        use crate::regs::{Field, Write};
        /// Cycles of the link's clock; the largest value means that or more.
        pub const CYCLES: Field = Field::new("cycles", 0, 32, 0x0, Write::Ignored);
        /// State of the measurement. See [`LatencyState`](crate::htsp::regs::LatencyState).
        pub const STATE: Field = Field::new("state", 32, 2, 0x0, Write::Ignored)
            .named(crate::htsp::regs::LatencyState::NAMES);
    }

    /// Link clock. Cycles of the link's clock: the time base of rates.
    pub const CYCLES: Register = Register {
        name: "observe.cycles",
        offset: 0x1058,
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

    /// Up time. Cycles for which the link was up.
    pub const UP_CYCLES: Register = Register {
        name: "observe.up_cycles",
        offset: 0x1060,
        width: 64,
        access: Access::ReadOnly,
        fields: &[up_cycles::COUNT],
        arrays: &[],
    };
    /// Fields of [`UP_CYCLES`].
    pub mod up_cycles {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Link-ups. Times the link has come up.
    pub const LINK_UPS: Register = Register {
        name: "observe.link_ups",
        offset: 0x1068,
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

    /// Downs: silent. Times the link went down because no good header came for the alive time.
    pub const DOWNS_SILENT: Register = Register {
        name: "observe.downs_silent",
        offset: 0x1070,
        width: 64,
        access: Access::ReadOnly,
        fields: &[downs_silent::COUNT],
        arrays: &[],
    };
    /// Fields of [`DOWNS_SILENT`].
    pub mod downs_silent {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Downs: line. Times the link went down because the receiving line was not ready.
    pub const DOWNS_PHY: Register = Register {
        name: "observe.downs_phy",
        offset: 0x1078,
        width: 64,
        access: Access::ReadOnly,
        fields: &[downs_phy::COUNT],
        arrays: &[],
    };
    /// Fields of [`DOWNS_PHY`].
    pub mod downs_phy {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Downs: reset. Times the link went down because it was reset.
    pub const DOWNS_RESET: Register = Register {
        name: "observe.downs_reset",
        offset: 0x1080,
        width: 64,
        access: Access::ReadOnly,
        fields: &[downs_reset::COUNT],
        arrays: &[],
    };
    /// Fields of [`DOWNS_RESET`].
    pub mod downs_reset {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Peer ready. Times the peer has become ready.
    pub const REMOTE_READIES: Register = Register {
        name: "observe.remote_readies",
        offset: 0x1088,
        width: 64,
        access: Access::ReadOnly,
        fields: &[remote_readies::COUNT],
        arrays: &[],
    };
    /// Fields of [`REMOTE_READIES`].
    pub mod remote_readies {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Transmitting line ready. Times the transmitting line has become ready.
    pub const PHY_TX_READIES: Register = Register {
        name: "observe.phy_tx_readies",
        offset: 0x1090,
        width: 64,
        access: Access::ReadOnly,
        fields: &[phy_tx_readies::COUNT],
        arrays: &[],
    };
    /// Fields of [`PHY_TX_READIES`].
    pub mod phy_tx_readies {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Receiving line ready. Times the receiving line has become ready.
    pub const PHY_RX_READIES: Register = Register {
        name: "observe.phy_rx_readies",
        offset: 0x1098,
        width: 64,
        access: Access::ReadOnly,
        fields: &[phy_rx_readies::COUNT],
        arrays: &[],
    };
    /// Fields of [`PHY_RX_READIES`].
    pub mod phy_rx_readies {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Frames sent. Frames with payload.
    pub const TX_FRAMES: Register = Register {
        name: "observe.tx_frames",
        offset: 0x10a0,
        width: 64,
        access: Access::ReadOnly,
        fields: &[tx_frames::COUNT],
        arrays: &[],
    };
    /// Fields of [`TX_FRAMES`].
    pub mod tx_frames {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Headers sent. Frames of a header alone.
    pub const TX_HEADERS: Register = Register {
        name: "observe.tx_headers",
        offset: 0x10a8,
        width: 64,
        access: Access::ReadOnly,
        fields: &[tx_headers::COUNT],
        arrays: &[],
    };
    /// Fields of [`TX_HEADERS`].
    pub mod tx_headers {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Payload sent. Bytes of payload of all frames sent.
    pub const TX_BYTES: Register = Register {
        name: "observe.tx_bytes",
        offset: 0x10b0,
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

    /// Op-codes sent. Op-codes that a frame has carried.
    pub const TX_OP_CODES: Register = Register {
        name: "observe.tx_op_codes",
        offset: 0x10b8,
        width: 64,
        access: Access::ReadOnly,
        fields: &[tx_op_codes::COUNT],
        arrays: &[],
    };
    /// Fields of [`TX_OP_CODES`].
    pub mod tx_op_codes {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Frames received. Good frames with payload.
    pub const RX_FRAMES: Register = Register {
        name: "observe.rx_frames",
        offset: 0x10c0,
        width: 64,
        access: Access::ReadOnly,
        fields: &[rx_frames::COUNT],
        arrays: &[],
    };
    /// Fields of [`RX_FRAMES`].
    pub mod rx_frames {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Headers received. Good frames of a header alone.
    pub const RX_HEADERS: Register = Register {
        name: "observe.rx_headers",
        offset: 0x10c8,
        width: 64,
        access: Access::ReadOnly,
        fields: &[rx_headers::COUNT],
        arrays: &[],
    };
    /// Fields of [`RX_HEADERS`].
    pub mod rx_headers {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Payload received. Bytes of payload of all good frames.
    pub const RX_BYTES: Register = Register {
        name: "observe.rx_bytes",
        offset: 0x10d0,
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

    /// Op-codes received. Op-codes of good frames.
    pub const RX_OP_CODES: Register = Register {
        name: "observe.rx_op_codes",
        offset: 0x10d8,
        width: 64,
        access: Access::ReadOnly,
        fields: &[rx_op_codes::COUNT],
        arrays: &[],
    };
    /// Fields of [`RX_OP_CODES`].
    pub mod rx_op_codes {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Foreign frames. Frames that are not for this end: address, EtherType, or shorter than a
    /// header.
    pub const FOREIGN: Register = Register {
        name: "observe.foreign",
        offset: 0x10e0,
        width: 64,
        access: Access::ReadOnly,
        fields: &[foreign::COUNT],
        arrays: &[],
    };
    /// Fields of [`FOREIGN`].
    pub mod foreign {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Other version. Frames of another version.
    pub const VERSION: Register = Register {
        name: "observe.version",
        offset: 0x10e8,
        width: 64,
        access: Access::ReadOnly,
        fields: &[version::COUNT],
        arrays: &[],
    };
    /// Fields of [`VERSION`].
    pub mod version {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Wrong checksum. Frames whose header has a wrong checksum.
    pub const CHECKSUM: Register = Register {
        name: "observe.checksum",
        offset: 0x10f0,
        width: 64,
        access: Access::ReadOnly,
        fields: &[checksum::COUNT],
        arrays: &[],
    };
    /// Fields of [`CHECKSUM`].
    pub mod checksum {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Damaged frames. Frames that the MAC has called damaged.
    pub const DAMAGED: Register = Register {
        name: "observe.damaged",
        offset: 0x10f8,
        width: 64,
        access: Access::ReadOnly,
        fields: &[damaged::COUNT],
        arrays: &[],
    };
    /// Fields of [`DAMAGED`].
    pub mod damaged {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Wrong footer. Frames whose footer and payload do not fit.
    pub const FOOTER_BAD: Register = Register {
        name: "observe.footer_bad",
        offset: 0x1100,
        width: 64,
        access: Access::ReadOnly,
        fields: &[footer_bad::COUNT],
        arrays: &[],
    };
    /// Fields of [`FOOTER_BAD`].
    pub mod footer_bad {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Unknown channel. Frames for a channel that this end does not have.
    pub const UNKNOWN_CHANNEL: Register = Register {
        name: "observe.unknown_channel",
        offset: 0x1108,
        width: 64,
        access: Access::ReadOnly,
        fields: &[unknown_channel::COUNT],
        arrays: &[],
    };
    /// Fields of [`UNKNOWN_CHANNEL`].
    pub mod unknown_channel {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Orphans. Frames that go on with a packet that is not open; thrown away.
    pub const ORPHANS: Register = Register {
        name: "observe.orphans",
        offset: 0x1110,
        width: 64,
        access: Access::ReadOnly,
        fields: &[orphans::COUNT],
        arrays: &[],
    };
    /// Fields of [`ORPHANS`].
    pub mod orphans {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Stale frames. Frames that came before, by their number.
    pub const STALE: Register = Register {
        name: "observe.stale",
        offset: 0x1118,
        width: 64,
        access: Access::ReadOnly,
        fields: &[stale::COUNT],
        arrays: &[],
    };
    /// Fields of [`STALE`].
    pub mod stale {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Lost frames. Frames that are missing, by their numbers. Damaged frames are among them.
    pub const LOST: Register = Register {
        name: "observe.lost",
        offset: 0x1120,
        width: 64,
        access: Access::ReadOnly,
        fields: &[lost::COUNT],
        arrays: &[],
    };
    /// Fields of [`LOST`].
    pub mod lost {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// FEC: corrected. Cycles with `fec_corrected_i`: code words that the line has corrected.
    pub const FEC_CORRECTED: Register = Register {
        name: "observe.fec_corrected",
        offset: 0x1128,
        width: 64,
        access: Access::ReadOnly,
        fields: &[fec_corrected::COUNT],
        arrays: &[],
    };
    /// Fields of [`FEC_CORRECTED`].
    pub mod fec_corrected {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// FEC: not corrected. Cycles with `fec_uncorrected_i`: code words that could not be corrected.
    pub const FEC_UNCORRECTED: Register = Register {
        name: "observe.fec_uncorrected",
        offset: 0x1130,
        width: 64,
        access: Access::ReadOnly,
        fields: &[fec_uncorrected::COUNT],
        arrays: &[],
    };
    /// Fields of [`FEC_UNCORRECTED`].
    pub mod fec_uncorrected {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Test bytes. Bytes that the checker has seen. The checker's four also start anew with another
    /// `test_channel`.
    pub const PRBS_BYTES: Register = Register {
        name: "observe.prbs_bytes",
        offset: 0x1138,
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
        offset: 0x1140,
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
        offset: 0x1148,
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
        offset: 0x1150,
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

    /// Channel. One block a channel. Channels that the core was not built with read as zero.
    pub mod channel {
        use crate::regs::{Access, Register};
        /// Number of elements.
        pub const COUNT: usize = 16;
        /// Bytes from one element to the next.
        pub const STRIDE: u32 = 0x80;
        /// Packets sent. Packets that the channel has taken from the user, or from the test source.
        pub const TX_PACKETS: Register = Register {
            name: "observe.channel.tx_packets",
            offset: 0x1800,
            width: 64,
            access: Access::ReadOnly,
            fields: &[tx_packets::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`TX_PACKETS`].
        pub mod tx_packets {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Bytes sent. Bytes of these packets.
        pub const TX_BYTES: Register = Register {
            name: "observe.channel.tx_bytes",
            offset: 0x1808,
            width: 64,
            access: Access::ReadOnly,
            fields: &[tx_bytes::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`TX_BYTES`].
        pub mod tx_bytes {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Cycles the user waited. Cycles with data offered that the channel did not take.
        pub const TX_STALLED: Register = Register {
            name: "observe.channel.tx_stalled",
            offset: 0x1810,
            width: 64,
            access: Access::ReadOnly,
            fields: &[tx_stalled::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`TX_STALLED`].
        pub mod tx_stalled {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Cycles paused by the peer. Cycles for which the peer has said pause, while the link is
        /// up.
        pub const TX_PAUSED: Register = Register {
            name: "observe.channel.tx_paused",
            offset: 0x1818,
            width: 64,
            access: Access::ReadOnly,
            fields: &[tx_paused::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`TX_PAUSED`].
        pub mod tx_paused {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Pauses of the peer. Times the peer has said pause, while the link is up.
        pub const TX_PAUSES: Register = Register {
            name: "observe.channel.tx_pauses",
            offset: 0x1820,
            width: 64,
            access: Access::ReadOnly,
            fields: &[tx_pauses::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`TX_PAUSES`].
        pub mod tx_pauses {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Packets handed over in error. Packets that the user has ended with TUSER.
        pub const TX_ERRORS: Register = Register {
            name: "observe.channel.tx_errors",
            offset: 0x1828,
            width: 64,
            access: Access::ReadOnly,
            fields: &[tx_errors::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`TX_ERRORS`].
        pub mod tx_errors {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Packets cut. Packets of which a part had been sent when the peer was lost; the rest was
        /// thrown away.
        pub const TX_CUTS: Register = Register {
            name: "observe.channel.tx_cuts",
            offset: 0x1830,
            width: 64,
            access: Access::ReadOnly,
            fields: &[tx_cuts::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`TX_CUTS`].
        pub mod tx_cuts {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Bad words. Words of the user that broke the rules of TKEEP; their packets are sent with
        /// an error mark.
        pub const TX_BAD_WORDS: Register = Register {
            name: "observe.channel.tx_bad_words",
            offset: 0x1838,
            width: 64,
            access: Access::ReadOnly,
            fields: &[tx_bad_words::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`TX_BAD_WORDS`].
        pub mod tx_bad_words {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Packets received. Packets that the channel has handed to the user, or to the checker,
        /// end marks included.
        pub const RX_PACKETS: Register = Register {
            name: "observe.channel.rx_packets",
            offset: 0x1840,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_packets::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_PACKETS`].
        pub mod rx_packets {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Bytes received. Bytes of these packets.
        pub const RX_BYTES: Register = Register {
            name: "observe.channel.rx_bytes",
            offset: 0x1848,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_bytes::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_BYTES`].
        pub mod rx_bytes {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Cycles the channel waited. Cycles with data offered that the user did not take.
        pub const RX_STALLED: Register = Register {
            name: "observe.channel.rx_stalled",
            offset: 0x1850,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_stalled::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_STALLED`].
        pub mod rx_stalled {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Cycles pausing the peer. Cycles for which the own buffer wanted the peer to pause.
        pub const RX_PAUSING: Register = Register {
            name: "observe.channel.rx_pausing",
            offset: 0x1858,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_pausing::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_PAUSING`].
        pub mod rx_pausing {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Own pauses. Times the own buffer has asked for a pause.
        pub const RX_PAUSES: Register = Register {
            name: "observe.channel.rx_pauses",
            offset: 0x1860,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_pauses::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_PAUSES`].
        pub mod rx_pauses {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Overflowed words. Words for which the buffer had no room. Never within the limits.
        pub const RX_OVERFLOWS: Register = Register {
            name: "observe.channel.rx_overflows",
            offset: 0x1868,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_overflows::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_OVERFLOWS`].
        pub mod rx_overflows {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Packets ended in error. Packets that were handed over with an error mark.
        pub const RX_ERRORS: Register = Register {
            name: "observe.channel.rx_errors",
            offset: 0x1870,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_errors::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_ERRORS`].
        pub mod rx_errors {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }
    }
}
