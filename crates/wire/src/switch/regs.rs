// SPDX-License-Identifier: Apache-2.0
//! Switch registers: where they are and what their bits mean.
//!
//! Made by `tools/regs.py` from `cores/switch/regs/switch.rdl`: change that file.
//!
//! Bus: AXI4-Lite, 32 bits, 8 KB, byte addresses. Registers of 64 bits are two words, low word
//! first. In `observe` a read of the low word takes all 64 bits of that moment, a read of the high
//! word gives the rest of the same moment: so one reader at a time, low word first. An address
//! without a register and a write to a read-only one are answered with SLVERR; inside `observe`
//! such reads give zero and writes are ignored.
//!
//! The tables of routes are empty after a reset, of the bus or of the switch: wait for `cleared` in
//! `events`, write every entry (`ways`, then `route`), and compare `observe.tables.writes` with
//! what was written. `cleared` later on means that the switch was reset alone and wants its tables
//! again.
//!
//! `observe` belongs to the clock of the switch. While that clock stands still its words read as
//! all ones and `observe_lost` in `events` is set.

use crate::regs::{Access, Map, Register};

/// Bytes that the map takes up.
pub const SIZE: u32 = 0x2000;

/// Every register; of an array the first element.
pub const REGISTERS: &[Register] = &[
    MAGIC,
    VERSION,
    PARAMETERS,
    BUFFERS,
    DEAD_TIME,
    COMMAND,
    STATUS,
    EVENTS,
    EVENT_ENABLE,
    MARKS,
    WAYS,
    ROUTE,
    HASH,
    observe::PORTS,
    observe::TABLES,
    observe::CYCLES,
    observe::port::RX_WORDS,
    observe::port::RX_PACKETS,
    observe::port::RX_ABORTED,
    observe::port::RX_MALFORMED,
    observe::port::RX_OVERRUNS,
    observe::port::RX_GAPS,
    observe::port::RX_STALE,
    observe::port::DROPPED,
    observe::port::NOTICES,
    observe::port::UNTOLD,
    observe::port::TX_WORDS,
    observe::port::TX_PACKETS,
    observe::port::TX_CREDITS,
    observe::port::TX_STALLED,
    observe::port::OPENS,
    observe::port::DEATHS,
];

/// The map as one value.
pub const MAP: Map = Map {
    name: "switch",
    size: SIZE,
    registers: REGISTERS,
};

/// Magic. Tells that this is the register block of a switch.
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
    /// The letters SWCH.
    pub const VALUE: Field = Field::new("value", 0, 32, 0x53574348, Write::Ignored);
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
    pub const MAP_MINOR: Field = Field::new("map_minor", 16, 8, 0x0, Write::Ignored);
    /// Changes when registers are moved or change their meaning.
    pub const MAP_MAJOR: Field = Field::new("map_major", 24, 8, 0x1, Write::Ignored);
}

/// Parameters. What the core was built with.
pub const PARAMETERS: Register = Register {
    name: "parameters",
    offset: 0x8,
    width: 32,
    access: Access::ReadOnly,
    fields: &[parameters::PORTS, parameters::MAX_WORDS, parameters::NODES],
    arrays: &[],
};
/// Fields of [`PARAMETERS`].
pub mod parameters {
    use crate::regs::{Field, Write};
    /// Number of ports.
    pub const PORTS: Field = Field::new("ports", 0, 5, 0x0, Write::Ignored);
    /// Words of the longest packet.
    pub const MAX_WORDS: Field = Field::new("max_words", 8, 7, 0x0, Write::Ignored);
    /// Destinations of the tables.
    pub const NODES: Field = Field::new("nodes", 15, 17, 0x0, Write::Ignored);
}

/// Buffers. What the core was built with.
pub const BUFFERS: Register = Register {
    name: "buffers",
    offset: 0xc,
    width: 32,
    access: Access::ReadOnly,
    fields: &[buffers::VC_WORDS, buffers::NOTICES],
    arrays: &[],
};
/// Fields of [`BUFFERS`].
pub mod buffers {
    use crate::regs::{Field, Write};
    /// Words of memory of each class at each input.
    pub const VC_WORDS: Field = Field::new("vc_words", 0, 16, 0x0, Write::Ignored);
    /// Words of memory for notices at each input.
    pub const NOTICES: Field = Field::new("notices", 16, 7, 0x0, Write::Ignored);
}

/// Dead time. What the core was built with.
pub const DEAD_TIME: Register = Register {
    name: "dead_time",
    offset: 0x10,
    width: 32,
    access: Access::ReadOnly,
    fields: &[dead_time::CYCLES],
    arrays: &[],
};
/// Fields of [`DEAD_TIME`].
pub mod dead_time {
    use crate::regs::{Field, Write};
    /// Cycles of the switch after which a port that is not open is dead.
    pub const CYCLES: Field = Field::new("cycles", 0, 32, 0x0, Write::Ignored);
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
    /// Clears every counter in `observe`.
    pub const CLEAR: Field = Field::new("clear", 0, 1, 0x0, Write::Acts);
}

/// Status. Readable while the clock of the switch stands still.
pub const STATUS: Register = Register {
    name: "status",
    offset: 0x18,
    width: 32,
    access: Access::ReadOnly,
    fields: &[status::ROUTE_READY],
    arrays: &[],
};
/// Fields of [`STATUS`].
pub mod status {
    use crate::regs::{Field, Write};
    /// A write of `route` will be taken.
    pub const ROUTE_READY: Field = Field::new("route_ready", 0, 1, 0x0, Write::Ignored);
}

/// Events. Sticky: an event sets its bit, writing one clears it. While a bit is set that
/// `event_enable` enables, the interrupt is active.
pub const EVENTS: Register = Register {
    name: "events",
    offset: 0x20,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        events::OPENED,
        events::CLOSED,
        events::DEAD,
        events::LOSS,
        events::FAULT,
        events::CLEARED,
        events::ROUTE_LOST,
        events::OBSERVE_LOST,
    ],
    arrays: &[],
};
/// Fields of [`EVENTS`].
pub mod events {
    use crate::regs::{Field, Write};
    /// A port has opened.
    pub const OPENED: Field = Field::new("opened", 0, 1, 0x0, Write::Clears);
    /// A port that was open is not any more.
    pub const CLOSED: Field = Field::new("closed", 1, 1, 0x0, Write::Clears);
    /// A port is given up: the tables should lead around it.
    pub const DEAD: Field = Field::new("dead", 2, 1, 0x0, Write::Clears);
    /// A packet was lost: it had no way, or a link died under it.
    pub const LOSS: Field = Field::new("loss", 3, 1, 0x0, Write::Clears);
    /// A peer broke the rules of the link: malformed, beyond its credits, or with a gap.
    pub const FAULT: Field = Field::new("fault", 4, 1, 0x0, Write::Clears);
    /// The tables have been cleared and take writes.
    pub const CLEARED: Field = Field::new("cleared", 5, 1, 0x0, Write::Clears);
    /// A write of `route` was not taken: `route_ready` was zero.
    pub const ROUTE_LOST: Field = Field::new("route_lost", 6, 1, 0x0, Write::Clears);
    /// A read of `observe` was not answered: the clock of the switch stands still.
    pub const OBSERVE_LOST: Field = Field::new("observe_lost", 7, 1, 0x0, Write::Clears);
}

/// Event enable. Which events raise the interrupt.
pub const EVENT_ENABLE: Register = Register {
    name: "event_enable",
    offset: 0x24,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        event_enable::OPENED,
        event_enable::CLOSED,
        event_enable::DEAD,
        event_enable::LOSS,
        event_enable::FAULT,
        event_enable::CLEARED,
        event_enable::ROUTE_LOST,
        event_enable::OBSERVE_LOST,
    ],
    arrays: &[],
};
/// Fields of [`EVENT_ENABLE`].
pub mod event_enable {
    use crate::regs::{Field, Write};
    /// `opened`
    pub const OPENED: Field = Field::new("opened", 0, 1, 0x0, Write::Kept);
    /// `closed`
    pub const CLOSED: Field = Field::new("closed", 1, 1, 0x0, Write::Kept);
    /// `dead`
    pub const DEAD: Field = Field::new("dead", 2, 1, 0x0, Write::Kept);
    /// `loss`
    pub const LOSS: Field = Field::new("loss", 3, 1, 0x0, Write::Kept);
    /// `fault`
    pub const FAULT: Field = Field::new("fault", 4, 1, 0x0, Write::Kept);
    /// `cleared`
    pub const CLEARED: Field = Field::new("cleared", 5, 1, 0x0, Write::Kept);
    /// `route_lost`
    pub const ROUTE_LOST: Field = Field::new("route_lost", 6, 1, 0x0, Write::Kept);
    /// `observe_lost`
    pub const OBSERVE_LOST: Field = Field::new("observe_lost", 7, 1, 0x0, Write::Kept);
}

/// Marks. When a packet is marked (congestion).
pub const MARKS: Register = Register {
    name: "marks",
    offset: 0x30,
    width: 32,
    access: Access::ReadWrite,
    fields: &[marks::WORDS],
    arrays: &[],
};
/// Fields of [`MARKS`].
pub mod marks {
    use crate::regs::{Field, Write};
    /// Level of a queue, in words, from which on a packet that leaves it is marked. The value after
    /// a reset marks none.
    pub const WORDS: Field = Field::new("words", 0, 16, 0xffff, Write::Kept);
}

/// Ways. What the next write of `route` puts into the tables.
pub const WAYS: Register = Register {
    name: "ways",
    offset: 0x34,
    width: 32,
    access: Access::ReadWrite,
    fields: &[ways::OUTPUTS, ways::INPUTS],
    arrays: &[],
};
/// Fields of [`WAYS`].
pub mod ways {
    use crate::regs::{Field, Write};
    /// The ports by which a packet may go on, bit p for port p; none: no route.
    pub const OUTPUTS: Field = Field::new("outputs", 0, 16, 0x0, Write::Kept);
    /// At which inputs: the table of port p takes the write if bit p is set.
    pub const INPUTS: Field = Field::new("inputs", 16, 16, 0x0, Write::Kept);
}

/// Route. A write puts `ways` into the tables, for this destination.
pub const ROUTE: Register = Register {
    name: "route",
    offset: 0x38,
    width: 32,
    access: Access::ReadWrite,
    fields: &[route::NODE],
    arrays: &[],
};
/// Fields of [`ROUTE`].
pub mod route {
    use crate::regs::{Field, Write};
    /// The node. One that the tables do not have is ignored.
    pub const NODE: Field = Field::new("node", 0, 16, 0x0, Write::Kept);
}

/// Hash. How flows are shared out among ways.
pub const HASH: Register = Register {
    name: "hash",
    offset: 0x3c,
    width: 32,
    access: Access::ReadWrite,
    fields: &[hash::SALT],
    arrays: &[],
};
/// Fields of [`HASH`].
pub mod hash {
    use crate::regs::{Field, Write};
    /// Which hash: the switches of a network have a salt each, its number for instance, so that
    /// those that a packet meets one after the other do not choose alike. Changed while nothing is
    /// sent: flows change their ways.
    pub const SALT: Field = Field::new("salt", 0, 16, 0x0, Write::Kept);
}

/// Observation. What the switch knows and counts, in its own clock. Read only.
pub mod observe {
    use crate::regs::{Access, Register};
    /// Ports. All bits of one moment, bit p for port p.
    pub const PORTS: Register = Register {
        name: "observe.ports",
        offset: 0x1000,
        width: 64,
        access: Access::ReadOnly,
        fields: &[ports::OPEN, ports::LINK_UP, ports::DEAD],
        arrays: &[],
    };
    /// Fields of [`PORTS`].
    pub mod ports {
        use crate::regs::{Field, Write};
        /// The link has a session, and both ends have heard each other's hello: packets flow.
        pub const OPEN: Field = Field::new("open", 0, 16, 0x0, Write::Ignored);
        /// The link has a session.
        pub const LINK_UP: Field = Field::new("link_up", 16, 16, 0x0, Write::Ignored);
        /// The port is given up: what waits for it is dropped with a notice, what comes takes
        /// another way.
        pub const DEAD: Field = Field::new("dead", 32, 16, 0x0, Write::Ignored);
    }

    /// Tables. What the tables have become.
    pub const TABLES: Register = Register {
        name: "observe.tables",
        offset: 0x1008,
        width: 64,
        access: Access::ReadOnly,
        fields: &[tables::WRITES, tables::READY],
        arrays: &[],
    };
    /// Fields of [`TABLES`].
    pub mod tables {
        use crate::regs::{Field, Write};
        /// Writes of `route` that were taken since the tables were cleared.
        pub const WRITES: Field = Field::new("writes", 0, 32, 0x0, Write::Ignored);
        /// The tables take writes.
        pub const READY: Field = Field::new("ready", 32, 1, 0x0, Write::Ignored);
    }

    /// Clock of the switch. Cycles: the time base of rates.
    pub const CYCLES: Register = Register {
        name: "observe.cycles",
        offset: 0x1010,
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

    /// Port. One block a port. Ports that the core was not built with read as zero.
    pub mod port {
        use crate::regs::{Access, Register};
        /// Number of elements.
        pub const COUNT: usize = 16;
        /// Bytes from one element to the next.
        pub const STRIDE: u32 = 0x80;
        /// Words received. Words that came from the link, credits included.
        pub const RX_WORDS: Register = Register {
            name: "observe.port.rx_words",
            offset: 0x1800,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_words::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_WORDS`].
        pub mod rx_words {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Packets received. Packets that came whole.
        pub const RX_PACKETS: Register = Register {
            name: "observe.port.rx_packets",
            offset: 0x1808,
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

        /// Packets aborted. Packets that ended too early or too late, or with the session.
        pub const RX_ABORTED: Register = Register {
            name: "observe.port.rx_aborted",
            offset: 0x1810,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_aborted::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_ABORTED`].
        pub mod rx_aborted {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Malformed packets. Packets whose kind, class or length is none, or whose first word is
        /// not full.
        pub const RX_MALFORMED: Register = Register {
            name: "observe.port.rx_malformed",
            offset: 0x1818,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_malformed::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_MALFORMED`].
        pub mod rx_malformed {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Overruns. Packets that were dropped because the peer had no credits for them. Never, if
        /// the peer keeps to them.
        pub const RX_OVERRUNS: Register = Register {
            name: "observe.port.rx_overruns",
            offset: 0x1820,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_overruns::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_OVERRUNS`].
        pub mod rx_overruns {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Gaps. Packets whose number does not follow the one before. Never, on a link that loses
        /// nothing in a session.
        pub const RX_GAPS: Register = Register {
            name: "observe.port.rx_gaps",
            offset: 0x1828,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_gaps::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_GAPS`].
        pub mod rx_gaps {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Stale packets. Packets that came before a hello of this session; thrown away.
        pub const RX_STALE: Register = Register {
            name: "observe.port.rx_stale",
            offset: 0x1830,
            width: 64,
            access: Access::ReadOnly,
            fields: &[rx_stale::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`RX_STALE`].
        pub mod rx_stale {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Packets without a way. Packets that came in here and have no route, no port that is not
        /// dead, or no hops left.
        pub const DROPPED: Register = Register {
            name: "observe.port.dropped",
            offset: 0x1838,
            width: 64,
            access: Access::ReadOnly,
            fields: &[dropped::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`DROPPED`].
        pub mod dropped {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Notices. Notices made here for sources of what was lost.
        pub const NOTICES: Register = Register {
            name: "observe.port.notices",
            offset: 0x1840,
            width: 64,
            access: Access::ReadOnly,
            fields: &[notices::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`NOTICES`].
        pub mod notices {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Losses without a notice. Something was lost here and there was no memory for a notice,
        /// or it was a notice.
        pub const UNTOLD: Register = Register {
            name: "observe.port.untold",
            offset: 0x1848,
            width: 64,
            access: Access::ReadOnly,
            fields: &[untold::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`UNTOLD`].
        pub mod untold {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Words sent. Words that the link has taken, credits included.
        pub const TX_WORDS: Register = Register {
            name: "observe.port.tx_words",
            offset: 0x1850,
            width: 64,
            access: Access::ReadOnly,
            fields: &[tx_words::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`TX_WORDS`].
        pub mod tx_words {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Packets sent. Packets that were begun.
        pub const TX_PACKETS: Register = Register {
            name: "observe.port.tx_packets",
            offset: 0x1858,
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

        /// Words of credits sent. Words that carry credits alone, hellos among them.
        pub const TX_CREDITS: Register = Register {
            name: "observe.port.tx_credits",
            offset: 0x1860,
            width: 64,
            access: Access::ReadOnly,
            fields: &[tx_credits::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`TX_CREDITS`].
        pub mod tx_credits {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Cycles the port waited. Cycles with a word offered that the link did not take.
        pub const TX_STALLED: Register = Register {
            name: "observe.port.tx_stalled",
            offset: 0x1868,
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

        /// Times opened. Times the port has opened: a session with hellos of both ends.
        pub const OPENS: Register = Register {
            name: "observe.port.opens",
            offset: 0x1870,
            width: 64,
            access: Access::ReadOnly,
            fields: &[opens::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`OPENS`].
        pub mod opens {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }

        /// Times dead. Times the port was given up because it had not been open for too long.
        pub const DEATHS: Register = Register {
            name: "observe.port.deaths",
            offset: 0x1878,
            width: 64,
            access: Access::ReadOnly,
            fields: &[deaths::COUNT],
            arrays: &[crate::regs::Array {
                part: 1,
                count: 16,
                stride: 0x80,
            }],
        };
        /// Fields of [`DEATHS`].
        pub mod deaths {
            use crate::regs::{Field, Write};
            /// Number since the last `clear`.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }
    }
}
