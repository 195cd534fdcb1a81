// SPDX-License-Identifier: Apache-2.0
//! RDMA registers: where they are and what their bits mean.
//!
//! Made by `tools/regs.py` from `cores/rdma/regs/rdma.rdl`: change that file.
//!
//! Bus: AXI4-Lite, 32 bits, 8 KB, byte addresses, in the clock of the engine. Registers of 64 bits
//! are two words, low word first. In `observe` a read of the low word takes all 64 bits of that
//! moment, a read of the high word gives the rest of the same moment: so one reader at a time, low
//! word first. An address without a register and a write to a read-only one are answered with
//! SLVERR; inside `observe` such reads give zero and writes are ignored.
//!
//! To begin: write `identity` and the limits, set `enable`, wait for `ready`, register windows. To
//! stop: clear `enable`, wait for `drained`.

use crate::regs::{Access, Map, Register};

/// Bytes that the map takes up.
pub const SIZE: u32 = 0x1200;

/// Every register; of an array the first element.
pub const REGISTERS: &[Register] = &[
    MAGIC,
    VERSION,
    PARAMETERS,
    CONTROL,
    COMMAND,
    STATUS,
    EVENTS,
    EVENT_ENABLE,
    IDENTITY,
    TIMEOUT,
    RETRIES,
    READ_TIMEOUT,
    WINDOW,
    WINDOW_FIRST,
    WINDOW_LAST,
    RATE,
    FORGET,
    SERVICE,
    CONGESTION,
    RECEIVE,
    PAGE_RATE,
    observe::DAMAGED,
    observe::CONTRADICTING,
    observe::DUPLICATES,
    observe::ANSWERED_AGAIN,
    observe::OLD,
    observe::OLD_EPOCH,
    observe::FOREIGN,
    observe::OUTSIDE,
    observe::EARLY,
    observe::REQUESTS_REFUSED,
    observe::MEMORY_ERRORS,
    observe::ANSWERS_LOST,
    observe::MALFORMED,
    observe::ANSWERS_DROPPED,
    observe::REPEATED,
    observe::GIVEN_UP,
    observe::COMPLETED,
    observe::FAILED,
    observe::READS_SERVED,
    observe::SOURCE_REFUSED,
    observe::PACKETS_SENT,
    observe::WORDS_SENT,
    observe::STALLED,
    observe::PACKETS_RECEIVED,
    observe::WORDS_RECEIVED,
    observe::PAUSING,
    observe::FAULTS,
    observe::STRAYS,
    observe::PACKETS_WITHIN,
    observe::MARKED,
    observe::ECHOES,
    observe::SLOWED,
    observe::REFUSED,
];

/// The map as one value.
pub const MAP: Map = Map {
    name: "rdma",
    size: SIZE,
    registers: REGISTERS,
};

/// Magic. Tells that this is the register block of an RDMA engine.
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
    /// The letters RDMA.
    pub const VALUE: Field = Field::new("value", 0, 32, 0x52444d41, Write::Ignored);
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
    pub const MAP_MINOR: Field = Field::new("map_minor", 16, 8, 0x7, Write::Ignored);
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
        parameters::PAGES,
        parameters::PRIORITIES,
        parameters::SENDERS,
        parameters::WINDOWS,
        parameters::PACKED_FRAMING,
        parameters::CUT_THROUGH,
    ],
    arrays: &[],
};
/// Fields of [`PARAMETERS`].
pub mod parameters {
    use crate::regs::{Field, Write};
    /// Pages, which are the protection domains.
    pub const PAGES: Field = Field::new("pages", 0, 5, 0x0, Write::Ignored);
    /// Priorities of a class.
    pub const PRIORITIES: Field = Field::new("priorities", 8, 5, 0x0, Write::Ignored);
    /// Nodes that may send to this one: those with the numbers below.
    pub const SENDERS: Field = Field::new("senders", 16, 7, 0x0, Write::Ignored);
    /// Windows of a domain.
    pub const WINDOWS: Field = Field::new("windows", 24, 5, 0x0, Write::Ignored);
    /// Packets are packed, without gaps between them. Both ends of a link have the same.
    pub const PACKED_FRAMING: Field = Field::new("packed_framing", 29, 1, 0x0, Write::Ignored);
    /// Payload can be written as it arrives, see `receive`.
    pub const CUT_THROUGH: Field = Field::new("cut_through", 30, 1, 0x0, Write::Ignored);
}

/// Control. Settings.
pub const CONTROL: Register = Register {
    name: "control",
    offset: 0x10,
    width: 32,
    access: Access::ReadWrite,
    fields: &[control::ENABLE],
    arrays: &[],
};
/// Fields of [`CONTROL`].
pub mod control {
    use crate::regs::{Field, Write};
    /// Lets the engine begin. 0 drains it and resets it then: it begins nothing more, what it has
    /// begun at memory, at the descriptor port and at the network comes to its end, then everything
    /// but these registers is reset, and `status.drained` reads 1. That needs a memory that
    /// answers. Set it again when `drained` reads 1, with the next `epoch`. The reset of the core
    /// does not drain: memory, users and network side are reset with it.
    pub const ENABLE: Field = Field::new("enable", 0, 1, 0x0, Write::Kept);
}

/// Command. Written ones act once and read as zero.
pub const COMMAND: Register = Register {
    name: "command",
    offset: 0x14,
    width: 32,
    access: Access::ReadWrite,
    fields: &[command::CLEAR, command::WINDOW, command::RATE],
    arrays: &[],
};
/// Fields of [`COMMAND`].
pub mod command {
    use crate::regs::{Field, Write};
    /// Clears every counter in `observe`, within 200 cycles.
    pub const CLEAR: Field = Field::new("clear", 0, 1, 0x0, Write::Acts);
    /// Hands over what `window`, `window_first` and `window_last` say. Has no effect unless
    /// `ready`.
    pub const WINDOW: Field = Field::new("window", 1, 1, 0x0, Write::Acts);
    /// Hands over what `rate` says. Has no effect unless `ready`.
    pub const RATE: Field = Field::new("rate", 2, 1, 0x0, Write::Acts);
}

/// Status. What the engine is doing.
pub const STATUS: Register = Register {
    name: "status",
    offset: 0x18,
    width: 32,
    access: Access::ReadOnly,
    fields: &[status::READY, status::DRAINED],
    arrays: &[],
};
/// Fields of [`STATUS`].
pub mod status {
    use crate::regs::{Field, Write};
    /// Enabled, and its memories are cleared: descriptors, windows and packets are taken.
    pub const READY: Field = Field::new("ready", 0, 1, 0x0, Write::Ignored);
    /// Not enabled, and nothing is under way at memory, descriptor port and network: the engine is
    /// reset.
    pub const DRAINED: Field = Field::new("drained", 1, 1, 0x0, Write::Ignored);
}

/// Events. Sticky: an event sets its bit, writing one clears it. While a bit is set that
/// `event_enable` enables, the interrupt is active.
pub const EVENTS: Register = Register {
    name: "events",
    offset: 0x20,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        events::COMPLETED,
        events::FAILED,
        events::REFUSED,
        events::OUTSIDE,
        events::MEMORY_ERROR,
        events::FAULT,
    ],
    arrays: &[],
};
/// Fields of [`EVENTS`].
pub mod events {
    use crate::regs::{Field, Write};
    /// A transfer of this node ended well.
    pub const COMPLETED: Field = Field::new("completed", 0, 1, 0x0, Write::Clears);
    /// A transfer of this node ended with an error.
    pub const FAILED: Field = Field::new("failed", 1, 1, 0x0, Write::Clears);
    /// The port refused a word.
    pub const REFUSED: Field = Field::new("refused", 2, 1, 0x0, Write::Clears);
    /// A packet or a source outside the windows was refused.
    pub const OUTSIDE: Field = Field::new("outside", 3, 1, 0x0, Write::Clears);
    /// Memory refused a write.
    pub const MEMORY_ERROR: Field = Field::new("memory_error", 4, 1, 0x0, Write::Clears);
    /// The engine has accounted for something twice. Never.
    pub const FAULT: Field = Field::new("fault", 5, 1, 0x0, Write::Clears);
}

/// Event enable. Which events raise the interrupt.
pub const EVENT_ENABLE: Register = Register {
    name: "event_enable",
    offset: 0x24,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        event_enable::COMPLETED,
        event_enable::FAILED,
        event_enable::REFUSED,
        event_enable::OUTSIDE,
        event_enable::MEMORY_ERROR,
        event_enable::FAULT,
    ],
    arrays: &[],
};
/// Fields of [`EVENT_ENABLE`].
pub mod event_enable {
    use crate::regs::{Field, Write};
    /// `completed`
    pub const COMPLETED: Field = Field::new("completed", 0, 1, 0x0, Write::Kept);
    /// `failed`
    pub const FAILED: Field = Field::new("failed", 1, 1, 0x0, Write::Kept);
    /// `refused`
    pub const REFUSED: Field = Field::new("refused", 2, 1, 0x0, Write::Kept);
    /// `outside`
    pub const OUTSIDE: Field = Field::new("outside", 3, 1, 0x0, Write::Kept);
    /// `memory_error`
    pub const MEMORY_ERROR: Field = Field::new("memory_error", 4, 1, 0x0, Write::Kept);
    /// `fault`
    pub const FAULT: Field = Field::new("fault", 5, 1, 0x0, Write::Kept);
}

/// Identity. Write it before `enable`.
pub const IDENTITY: Register = Register {
    name: "identity",
    offset: 0x30,
    width: 32,
    access: Access::ReadWrite,
    fields: &[identity::NODE, identity::EPOCH],
    arrays: &[],
};
/// Fields of [`IDENTITY`].
pub mod identity {
    use crate::regs::{Field, Write};
    /// Number of this node.
    pub const NODE: Field = Field::new("node", 0, 16, 0x0, Write::Kept);
    /// Which life of this node: one more than before its last reset, modulo 16.
    pub const EPOCH: Field = Field::new("epoch", 16, 4, 0x0, Write::Kept);
}

/// Time-out. From the last word of a block to its answer; then the block is sent again. Longer than
/// a round trip and what may wait in the network. The value after a reset is 333 us at 300 MHz.
pub const TIMEOUT: Register = Register {
    name: "timeout",
    offset: 0x34,
    width: 32,
    access: Access::ReadWrite,
    fields: &[timeout::CYCLES],
    arrays: &[],
};
/// Fields of [`TIMEOUT`].
pub mod timeout {
    use crate::regs::{Field, Write};
    /// Cycles.
    pub const CYCLES: Field = Field::new("cycles", 0, 32, 0x186a0, Write::Kept);
}

/// Retries. How often a block is sent again before its transfer ends with an error.
pub const RETRIES: Register = Register {
    name: "retries",
    offset: 0x38,
    width: 32,
    access: Access::ReadWrite,
    fields: &[retries::COUNT],
    arrays: &[],
};
/// Fields of [`RETRIES`].
pub mod retries {
    use crate::regs::{Field, Write};
    /// Number.
    pub const COUNT: Field = Field::new("count", 0, 4, 0x7, Write::Kept);
}

/// Read time-out. From the answer to a read request to the end of the read; then the read ends with
/// an error. The value after a reset is 1 s at 300 MHz.
pub const READ_TIMEOUT: Register = Register {
    name: "read_timeout",
    offset: 0x3c,
    width: 32,
    access: Access::ReadWrite,
    fields: &[read_timeout::TICKS],
    arrays: &[],
};
/// Fields of [`READ_TIMEOUT`].
pub mod read_timeout {
    use crate::regs::{Field, Write};
    /// Units of 16384 cycles; below 2, reads may be given up at once.
    pub const TICKS: Field = Field::new("ticks", 0, 18, 0x4787, Write::Kept);
}

/// Window: which. See `command.window`. A window without rights is taken away.
pub const WINDOW: Register = Register {
    name: "window",
    offset: 0x40,
    width: 32,
    access: Access::ReadWrite,
    fields: &[window::DOMAIN, window::SLOT, window::READ, window::WRITE],
    arrays: &[],
};
/// Fields of [`WINDOW`].
pub mod window {
    use crate::regs::{Field, Write};
    /// Domain.
    pub const DOMAIN: Field = Field::new("domain", 0, 4, 0x0, Write::Kept);
    /// Window of the domain.
    pub const SLOT: Field = Field::new("slot", 8, 4, 0x0, Write::Kept);
    /// Other nodes may read it.
    pub const READ: Field = Field::new("read", 16, 1, 0x0, Write::Kept);
    /// Other nodes may write to it.
    pub const WRITE: Field = Field::new("write", 17, 1, 0x0, Write::Kept);
}

/// Window: first byte. See `command.window`.
pub const WINDOW_FIRST: Register = Register {
    name: "window_first",
    offset: 0x48,
    width: 64,
    access: Access::ReadWrite,
    fields: &[window_first::LOW, window_first::HIGH],
    arrays: &[],
};
/// Fields of [`WINDOW_FIRST`].
pub mod window_first {
    use crate::regs::{Field, Write};
    /// Address, low half.
    pub const LOW: Field = Field::new("low", 0, 32, 0x0, Write::Kept);
    /// Address, the rest.
    pub const HIGH: Field = Field::new("high", 32, 16, 0x0, Write::Kept);
}

/// Window: last byte. See `command.window`.
pub const WINDOW_LAST: Register = Register {
    name: "window_last",
    offset: 0x50,
    width: 64,
    access: Access::ReadWrite,
    fields: &[window_last::LOW, window_last::HIGH],
    arrays: &[],
};
/// Fields of [`WINDOW_LAST`].
pub mod window_last {
    use crate::regs::{Field, Write};
    /// Address, low half.
    pub const LOW: Field = Field::new("low", 0, 32, 0x0, Write::Kept);
    /// Address, the rest.
    pub const HIGH: Field = Field::new("high", 32, 16, 0x0, Write::Kept);
}

/// Rate. See `command.rate`. A flow rests for `interval` / 16 cycles for each 64 bytes that it has
/// sent.
pub const RATE: Register = Register {
    name: "rate",
    offset: 0x58,
    width: 32,
    access: Access::ReadWrite,
    fields: &[rate::FLOW, rate::INTERVAL],
    arrays: &[],
};
/// Fields of [`RATE`].
pub mod rate {
    use crate::regs::{Field, Write};
    /// Flow 128 and up, without 128.
    pub const FLOW: Field = Field::new("flow", 0, 7, 0x0, Write::Kept);
    /// 0 is no limit.
    pub const INTERVAL: Field = Field::new("interval", 16, 16, 0x0, Write::Kept);
}

/// Forget. When nothing has come of a transaction of another node for this long, up to twice as
/// long, it is forgotten. Longer than the senders go on with a block, (`retries` + 1) times
/// `timeout` and what the scan takes to come round, 2112 to 3700 cycles, and a packet lives in the
/// network; shorter than half of 8192 uses of a transaction. The value after a reset is 3.5 ms at
/// 300 MHz.
pub const FORGET: Register = Register {
    name: "forget",
    offset: 0x5c,
    width: 32,
    access: Access::ReadWrite,
    fields: &[forget::TICKS],
    arrays: &[],
};
/// Fields of [`FORGET`].
pub mod forget {
    use crate::regs::{Field, Write};
    /// Units of 65536 cycles; 0: never.
    pub const TICKS: Field = Field::new("ticks", 0, 16, 0x10, Write::Kept);
}

/// Service. Which class is served when several have something to send. Messages, control packets
/// and read requests go first in any case.
pub const SERVICE: Register = Register {
    name: "service",
    offset: 0x60,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        service::WEIGHTED,
        service::WEIGHT_SMALL,
        service::WEIGHT_ONE_PATH,
        service::WEIGHT_FOUR_PATHS,
    ],
    arrays: &[],
};
/// Fields of [`SERVICE`].
pub mod service {
    use crate::regs::{Field, Write};
    /// 0: a class only while those in front of it have nothing: small, one path, four paths. 1: by
    /// the weights. Of classes that have something to send all the time each sends its weight over
    /// the sum of theirs, in bytes.
    pub const WEIGHTED: Field = Field::new("weighted", 0, 1, 0x0, Write::Kept);
    /// Weight of class small; 0 is 16.
    pub const WEIGHT_SMALL: Field = Field::new("weight_small", 4, 4, 0x1, Write::Kept);
    /// Weight of class one path; 0 is 16.
    pub const WEIGHT_ONE_PATH: Field = Field::new("weight_one_path", 8, 4, 0x1, Write::Kept);
    /// Weight of class four paths; 0 is 16.
    pub const WEIGHT_FOUR_PATHS: Field = Field::new("weight_four_paths", 12, 4, 0x1, Write::Kept);
}

/// Congestion. How marks of the network act on the rate to the node where it has marked packets. A
/// rate counts in 1/32768 word of 64 bytes of payload a cycle; 32768 is full, no limit, as all have
/// after a reset; none falls below 128. Blocks of class small have no rate.
pub const CONGESTION: Register = Register {
    name: "congestion",
    offset: 0x64,
    width: 32,
    access: Access::ReadWrite,
    fields: &[congestion::FALL, congestion::FIRST, congestion::INCREASE],
    arrays: &[],
};
/// Fields of [`CONGESTION`].
pub mod congestion {
    use crate::regs::{Field, Write};
    /// An answer with a mark lowers a rate by 1/2^`fall` of it, once in a round trip. 0: marks do
    /// nothing, and all rates are full.
    pub const FALL: Field = Field::new("fall", 0, 3, 0x4, Write::Kept);
    /// A rate that is full falls to 1/2^`first` of it; 0: it does not fall.
    pub const FIRST: Field = Field::new("first", 4, 3, 0x3, Write::Kept);
    /// In 1024 cycles a rate rises by so much; not while the last answer of its node has told of a
    /// mark, for up to 15 times 1024 cycles. 0: never.
    pub const INCREASE: Field = Field::new("increase", 16, 16, 0x80, Write::Kept);
}

/// Receive. How payload of other nodes gets to memory.
pub const RECEIVE: Register = Register {
    name: "receive",
    offset: 0x68,
    width: 32,
    access: Access::ReadWrite,
    fields: &[receive::CUT_THROUGH],
    arrays: &[],
};
/// Fields of [`RECEIVE`].
pub mod receive {
    use crate::regs::{Field, Write};
    /// 1: as it arrives, once the header of its packet is checked, if `parameters.cut_through`. A
    /// reader of the window may then see damaged bytes until the block is complete. 0: when all of
    /// its packet is checked. May be changed at any time: it counts for the packets that begin
    /// behind it.
    pub const CUT_THROUGH: Field = Field::new("cut_through", 0, 1, 0x1, Write::Kept);
}

/// Rate of a page. Blocks of the page in this class, all flows together, rest for `interval` / 16
/// cycles for each 64 bytes that were sent. Class small has no flows and no limit.
pub const PAGE_RATE: Register = Register {
    name: "page_rate",
    offset: 0x80,
    width: 32,
    access: Access::ReadWrite,
    fields: &[page_rate::ONE_PATH, page_rate::FOUR_PATHS],
    arrays: &[crate::regs::Array {
        part: 0,
        count: 16,
        stride: 0x4,
    }],
};
/// Fields of [`PAGE_RATE`].
pub mod page_rate {
    use crate::regs::{Field, Write};
    /// Interval of class one path; 0 is no limit.
    pub const ONE_PATH: Field = Field::new("one_path", 0, 16, 0x0, Write::Kept);
    /// Interval of class four paths; 0 is no limit.
    pub const FOUR_PATHS: Field = Field::new("four_paths", 16, 16, 0x0, Write::Kept);
}

/// Observation. What the engine counts. Read only.
pub mod observe {
    use crate::regs::{Access, Register};
    /// Damaged packets. Packets that arrived with a wrong CRC or length.
    pub const DAMAGED: Register = Register {
        name: "observe.damaged",
        offset: 0x1000,
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

    /// Contradicting packets. Packets that contradict the block they belong to, control packets and
    /// read requests that break their format.
    pub const CONTRADICTING: Register = Register {
        name: "observe.contradicting",
        offset: 0x1008,
        width: 64,
        access: Access::ReadOnly,
        fields: &[contradicting::COUNT],
        arrays: &[],
    };
    /// Fields of [`CONTRADICTING`].
    pub mod contradicting {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Duplicate packets. Packets of an open block that were there already.
    pub const DUPLICATES: Register = Register {
        name: "observe.duplicates",
        offset: 0x1010,
        width: 64,
        access: Access::ReadOnly,
        fields: &[duplicates::COUNT],
        arrays: &[],
    };
    /// Fields of [`DUPLICATES`].
    pub mod duplicates {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Answered again. Packets of blocks that are complete.
    pub const ANSWERED_AGAIN: Register = Register {
        name: "observe.answered_again",
        offset: 0x1018,
        width: 64,
        access: Access::ReadOnly,
        fields: &[answered_again::COUNT],
        arrays: &[],
    };
    /// Fields of [`ANSWERED_AGAIN`].
    pub mod answered_again {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Old packets. Packets with an older sequence number.
    pub const OLD: Register = Register {
        name: "observe.old",
        offset: 0x1020,
        width: 64,
        access: Access::ReadOnly,
        fields: &[old::COUNT],
        arrays: &[],
    };
    /// Fields of [`OLD`].
    pub mod old {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Packets of an old epoch. Packets of an earlier life of their sender, and what an earlier
    /// life of this node has asked for.
    pub const OLD_EPOCH: Register = Register {
        name: "observe.old_epoch",
        offset: 0x1028,
        width: 64,
        access: Access::ReadOnly,
        fields: &[old_epoch::COUNT],
        arrays: &[],
    };
    /// Fields of [`OLD_EPOCH`].
    pub mod old_epoch {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Foreign packets. Packets for another node, of a node that has no number here, or from the
    /// network as if this node had sent them.
    pub const FOREIGN: Register = Register {
        name: "observe.foreign",
        offset: 0x1030,
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

    /// Outside the windows. Packets for memory that their domain may not reach.
    pub const OUTSIDE: Register = Register {
        name: "observe.outside",
        offset: 0x1038,
        width: 64,
        access: Access::ReadOnly,
        fields: &[outside::COUNT],
        arrays: &[],
    };
    /// Fields of [`OUTSIDE`].
    pub mod outside {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Early control packets. Control packets that came before the block they wait for, or as the
    /// end of a read before the answer to its request.
    pub const EARLY: Register = Register {
        name: "observe.early",
        offset: 0x1040,
        width: 64,
        access: Access::ReadOnly,
        fields: &[early::COUNT],
        arrays: &[],
    };
    /// Fields of [`EARLY`].
    pub mod early {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Read requests refused. Read requests for which no read channel was free, or with a bad
    /// descriptor. They are not answered, and come again.
    pub const REQUESTS_REFUSED: Register = Register {
        name: "observe.requests_refused",
        offset: 0x1048,
        width: 64,
        access: Access::ReadOnly,
        fields: &[requests_refused::COUNT],
        arrays: &[],
    };
    /// Fields of [`REQUESTS_REFUSED`].
    pub mod requests_refused {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Memory errors. Writes that memory refused.
    pub const MEMORY_ERRORS: Register = Register {
        name: "observe.memory_errors",
        offset: 0x1050,
        width: 64,
        access: Access::ReadOnly,
        fields: &[memory_errors::COUNT],
        arrays: &[],
    };
    /// Fields of [`MEMORY_ERRORS`].
    pub mod memory_errors {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Answers lost. ACKs and NACKs that had no room; the sender asks again.
    pub const ANSWERS_LOST: Register = Register {
        name: "observe.answers_lost",
        offset: 0x1058,
        width: 64,
        access: Access::ReadOnly,
        fields: &[answers_lost::COUNT],
        arrays: &[],
    };
    /// Fields of [`ANSWERS_LOST`].
    pub mod answers_lost {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Malformed packets. Packets with the right CRC that are not of the format.
    pub const MALFORMED: Register = Register {
        name: "observe.malformed",
        offset: 0x1060,
        width: 64,
        access: Access::ReadOnly,
        fields: &[malformed::COUNT],
        arrays: &[],
    };
    /// Fields of [`MALFORMED`].
    pub mod malformed {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Answers dropped. Answers that fit nothing under way.
    pub const ANSWERS_DROPPED: Register = Register {
        name: "observe.answers_dropped",
        offset: 0x1068,
        width: 64,
        access: Access::ReadOnly,
        fields: &[answers_dropped::COUNT],
        arrays: &[],
    };
    /// Fields of [`ANSWERS_DROPPED`].
    pub mod answers_dropped {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Sent again. Blocks and packets sent again after a NACK, a time-out or a failed read of
    /// memory.
    pub const REPEATED: Register = Register {
        name: "observe.repeated",
        offset: 0x1070,
        width: 64,
        access: Access::ReadOnly,
        fields: &[repeated::COUNT],
        arrays: &[],
    };
    /// Fields of [`REPEATED`].
    pub mod repeated {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Given up. Blocks and packets that were sent as often as `retries` allows.
    pub const GIVEN_UP: Register = Register {
        name: "observe.given_up",
        offset: 0x1078,
        width: 64,
        access: Access::ReadOnly,
        fields: &[given_up::COUNT],
        arrays: &[],
    };
    /// Fields of [`GIVEN_UP`].
    pub mod given_up {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Transfers completed. Transfers of this node that ended well.
    pub const COMPLETED: Register = Register {
        name: "observe.completed",
        offset: 0x1080,
        width: 64,
        access: Access::ReadOnly,
        fields: &[completed::COUNT],
        arrays: &[],
    };
    /// Fields of [`COMPLETED`].
    pub mod completed {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Transfers failed. Transfers of this node that ended with an error.
    pub const FAILED: Register = Register {
        name: "observe.failed",
        offset: 0x1088,
        width: 64,
        access: Access::ReadOnly,
        fields: &[failed::COUNT],
        arrays: &[],
    };
    /// Fields of [`FAILED`].
    pub mod failed {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Reads served. Reads of other nodes that ended here, well or not.
    pub const READS_SERVED: Register = Register {
        name: "observe.reads_served",
        offset: 0x1090,
        width: 64,
        access: Access::ReadOnly,
        fields: &[reads_served::COUNT],
        arrays: &[],
    };
    /// Fields of [`READS_SERVED`].
    pub mod reads_served {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Sources refused. Blocks whose source lies in no window of their domain.
    pub const SOURCE_REFUSED: Register = Register {
        name: "observe.source_refused",
        offset: 0x1098,
        width: 64,
        access: Access::ReadOnly,
        fields: &[source_refused::COUNT],
        arrays: &[],
    };
    /// Fields of [`SOURCE_REFUSED`].
    pub mod source_refused {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Packets sent. Packets of all kinds, to the network.
    pub const PACKETS_SENT: Register = Register {
        name: "observe.packets_sent",
        offset: 0x10a0,
        width: 64,
        access: Access::ReadOnly,
        fields: &[packets_sent::COUNT],
        arrays: &[],
    };
    /// Fields of [`PACKETS_SENT`].
    pub mod packets_sent {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Words sent. Words of 64 bytes, headers and footers among them.
    pub const WORDS_SENT: Register = Register {
        name: "observe.words_sent",
        offset: 0x10a8,
        width: 64,
        access: Access::ReadOnly,
        fields: &[words_sent::COUNT],
        arrays: &[],
    };
    /// Fields of [`WORDS_SENT`].
    pub mod words_sent {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Cycles the network waited. Cycles with a word offered to the network that it did not take.
    pub const STALLED: Register = Register {
        name: "observe.stalled",
        offset: 0x10b0,
        width: 64,
        access: Access::ReadOnly,
        fields: &[stalled::COUNT],
        arrays: &[],
    };
    /// Fields of [`STALLED`].
    pub mod stalled {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Packets received. Packets of all kinds, from the network, before any check.
    pub const PACKETS_RECEIVED: Register = Register {
        name: "observe.packets_received",
        offset: 0x10b8,
        width: 64,
        access: Access::ReadOnly,
        fields: &[packets_received::COUNT],
        arrays: &[],
    };
    /// Fields of [`PACKETS_RECEIVED`].
    pub mod packets_received {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Words received. Words of 64 bytes, headers and footers among them.
    pub const WORDS_RECEIVED: Register = Register {
        name: "observe.words_received",
        offset: 0x10c0,
        width: 64,
        access: Access::ReadOnly,
        fields: &[words_received::COUNT],
        arrays: &[],
    };
    /// Fields of [`WORDS_RECEIVED`].
    pub mod words_received {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Cycles the network was held up. Cycles with a word offered by the network that was not
    /// taken.
    pub const PAUSING: Register = Register {
        name: "observe.pausing",
        offset: 0x10c8,
        width: 64,
        access: Access::ReadOnly,
        fields: &[pausing::COUNT],
        arrays: &[],
    };
    /// Fields of [`PAUSING`].
    pub mod pausing {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Faults. Times the engine has accounted for something twice: always 0.
    pub const FAULTS: Register = Register {
        name: "observe.faults",
        offset: 0x10d0,
        width: 64,
        access: Access::ReadOnly,
        fields: &[faults::COUNT],
        arrays: &[],
    };
    /// Fields of [`FAULTS`].
    pub mod faults {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Words of the other framing. Times words came in which no packet begins, and all up to TLAST
    /// was dropped: the other end has another setting of `packed_framing`, or a length was damaged.
    pub const STRAYS: Register = Register {
        name: "observe.strays",
        offset: 0x10d8,
        width: 64,
        access: Access::ReadOnly,
        fields: &[strays::COUNT],
        arrays: &[],
    };
    /// Fields of [`STRAYS`].
    pub mod strays {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Packets within this node. Packets of all kinds that this node has sent to itself, past the
    /// network.
    pub const PACKETS_WITHIN: Register = Register {
        name: "observe.packets_within",
        offset: 0x10e0,
        width: 64,
        access: Access::ReadOnly,
        fields: &[packets_within::COUNT],
        arrays: &[],
    };
    /// Fields of [`PACKETS_WITHIN`].
    pub mod packets_within {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Packets marked. Packets that arrived with a mark of the network: they had to wait in front
    /// of this node.
    pub const MARKED: Register = Register {
        name: "observe.marked",
        offset: 0x10e8,
        width: 64,
        access: Access::ReadOnly,
        fields: &[marked::COUNT],
        arrays: &[],
    };
    /// Fields of [`MARKED`].
    pub mod marked {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Answers with a mark. Answers to blocks with a flow that tell of a mark.
    pub const ECHOES: Register = Register {
        name: "observe.echoes",
        offset: 0x10f0,
        width: 64,
        access: Access::ReadOnly,
        fields: &[echoes::COUNT],
        arrays: &[],
    };
    /// Fields of [`ECHOES`].
    pub mod echoes {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Rates lowered. Times the rate to a node has fallen.
    pub const SLOWED: Register = Register {
        name: "observe.slowed",
        offset: 0x10f8,
        width: 64,
        access: Access::ReadOnly,
        fields: &[slowed::COUNT],
        arrays: &[],
    };
    /// Fields of [`SLOWED`].
    pub mod slowed {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Descriptors refused. Words that the port refused, for each page. Pages that the engine was
    /// not built with read as zero.
    pub const REFUSED: Register = Register {
        name: "observe.refused",
        offset: 0x1180,
        width: 64,
        access: Access::ReadOnly,
        fields: &[refused::COUNT],
        arrays: &[crate::regs::Array {
            part: 1,
            count: 16,
            stride: 0x8,
        }],
    };
    /// Fields of [`REFUSED`].
    pub mod refused {
        use crate::regs::{Field, Write};
        /// Number since the last `clear`.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }
}
