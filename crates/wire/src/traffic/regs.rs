// SPDX-License-Identifier: Apache-2.0
//! Traffic registers: where they are and what their bits mean.
//!
//! Made by `tools/regs.py` from `cores/traffic/regs/traffic.rdl`: change that file.
//!
//! Bus: AXI4-Lite, 32 bits, 8 KB, byte addresses. Registers of 64 bits are two words, low word
//! first. In `observe` a read of the low word takes all 64 bits of that moment, a read of the high
//! word gives the rest of the same moment: so one reader at a time, low word first. An address
//! without a register and a write to a read-only one are answered with SLVERR; inside `observe`
//! such reads give zero and writes are ignored.
//!
//! Every write from `word` to `window` is an order: it goes to the clock of the streams, and orders
//! take effect there in the order of the writes. When `observe.orders` has reached `orders`, all of
//! them have. An order that the core does not carry out sets `refused`.
//!
//! A beat is written as the words of its bytes (`word`, as many as the stream is wide, rounded up),
//! then `cycles`, then `play_beat` or `expected`, which stores it. Beats are taken between `load`
//! and the next other action.
//!
//! `observe` belongs to the clock of the streams. While that clock stands still its words read as
//! all ones and `observe_lost` in `events` is set.

use crate::regs::{Access, Map, Register};

/// Bytes that the map takes up.
pub const SIZE: u32 = 0x2000;

/// Every register; of an array the first element.
pub const REGISTERS: &[Register] = &[
    MAGIC,
    VERSION,
    WIDTH,
    PLAY_DEPTH,
    CAPTURE_DEPTH,
    STATUS,
    ORDERS,
    EVENTS,
    EVENT_ENABLE,
    WORD,
    CYCLES,
    PLAY_BEAT,
    PLAY_RUNS,
    PLAY,
    EXPECTED,
    EXPECT_RUNS,
    CAPTURE,
    WINDOW,
    observe::STATE,
    observe::ORDERS,
    observe::NOW,
    observe::PLAY_LOADED,
    observe::PLAY_BEGAN,
    observe::PLAY_BEATS,
    observe::PLAY_PACKETS,
    observe::PLAY_STALLED,
    observe::PLAY_RUNS,
    observe::CAPTURE_STORED,
    observe::CAPTURE_BEGAN,
    observe::CAPTURE_BEATS,
    observe::CAPTURE_PACKETS,
    observe::CAPTURE_MISSED,
    observe::CAPTURE_DIFFERENCES,
    observe::CAPTURE_FIRST,
    observe::window::BEAT,
    observe::window::DATA,
];

/// The map as one value.
pub const MAP: Map = Map {
    name: "traffic",
    size: SIZE,
    registers: REGISTERS,
};

/// Magic. Tells that this is the register block of a player and a capture.
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
    /// The letters TRAF.
    pub const VALUE: Field = Field::new("value", 0, 32, 0x54524146, Write::Ignored);
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

/// Width. What the core was built with.
pub const WIDTH: Register = Register {
    name: "width",
    offset: 0x8,
    width: 32,
    access: Access::ReadOnly,
    fields: &[width::BYTES, width::COUNTERS],
    arrays: &[],
};
/// Fields of [`WIDTH`].
pub mod width {
    use crate::regs::{Field, Write};
    /// Bytes of a beat of both streams.
    pub const BYTES: Field = Field::new("bytes", 0, 12, 0x0, Write::Ignored);
    /// Bits of the counters; they wrap.
    pub const COUNTERS: Field = Field::new("counters", 16, 7, 0x0, Write::Ignored);
}

/// Depth of the player. What the core was built with.
pub const PLAY_DEPTH: Register = Register {
    name: "play_depth",
    offset: 0xc,
    width: 32,
    access: Access::ReadOnly,
    fields: &[play_depth::BEATS],
    arrays: &[],
};
/// Fields of [`PLAY_DEPTH`].
pub mod play_depth {
    use crate::regs::{Field, Write};
    /// Most beats in the memory of the player.
    pub const BEATS: Field = Field::new("beats", 0, 32, 0x0, Write::Ignored);
}

/// Depth of the capture. What the core was built with.
pub const CAPTURE_DEPTH: Register = Register {
    name: "capture_depth",
    offset: 0x10,
    width: 32,
    access: Access::ReadOnly,
    fields: &[capture_depth::BEATS],
    arrays: &[],
};
/// Fields of [`CAPTURE_DEPTH`].
pub mod capture_depth {
    use crate::regs::{Field, Write};
    /// Most beats in the memory of the capture; of expected ones, one less.
    pub const BEATS: Field = Field::new("beats", 0, 32, 0x0, Write::Ignored);
}

/// Status. Readable while the clock of the streams stands still.
pub const STATUS: Register = Register {
    name: "status",
    offset: 0x14,
    width: 32,
    access: Access::ReadOnly,
    fields: &[status::ORDER_READY],
    arrays: &[],
};
/// Fields of [`STATUS`].
pub mod status {
    use crate::regs::{Field, Write};
    /// An order will be taken.
    pub const ORDER_READY: Field = Field::new("order_ready", 0, 1, 0x0, Write::Ignored);
}

/// Orders given. Orders that were taken since the reset of the bus, modulo 2^32.
pub const ORDERS: Register = Register {
    name: "orders",
    offset: 0x18,
    width: 32,
    access: Access::ReadOnly,
    fields: &[orders::COUNT],
    arrays: &[],
};
/// Fields of [`ORDERS`].
pub mod orders {
    use crate::regs::{Field, Write};
    /// The number.
    pub const COUNT: Field = Field::new("count", 0, 32, 0x0, Write::Ignored);
}

/// Events. Sticky: an event sets its bit, writing one clears it. While a bit is set that
/// `event_enable` enables, the interrupt is active.
pub const EVENTS: Register = Register {
    name: "events",
    offset: 0x20,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        events::PLAY_DONE,
        events::CAPTURE_FULL,
        events::DIFFERENCE,
        events::REFUSED,
        events::CLEARED,
        events::ORDER_LOST,
        events::OBSERVE_LOST,
    ],
    arrays: &[],
};
/// Fields of [`EVENTS`].
pub mod events {
    use crate::regs::{Field, Write};
    /// The player has come to its end, or to the end of a packet behind `stop`: the last beat was
    /// taken.
    pub const PLAY_DONE: Field = Field::new("play_done", 0, 1, 0x0, Write::Clears);
    /// The capture has recorded as many beats as its memory holds.
    pub const CAPTURE_FULL: Field = Field::new("capture_full", 1, 1, 0x0, Write::Clears);
    /// The first difference since `compare`.
    pub const DIFFERENCE: Field = Field::new("difference", 2, 1, 0x0, Write::Clears);
    /// An order was not carried out: see there when that is.
    pub const REFUSED: Field = Field::new("refused", 3, 1, 0x0, Write::Clears);
    /// The streams were in reset: memories are empty, nothing plays, times are 0.
    pub const CLEARED: Field = Field::new("cleared", 4, 1, 0x0, Write::Clears);
    /// An order was not taken: `order_ready` was zero.
    pub const ORDER_LOST: Field = Field::new("order_lost", 5, 1, 0x0, Write::Clears);
    /// A read of `observe` was not answered: the clock of the streams stands still.
    pub const OBSERVE_LOST: Field = Field::new("observe_lost", 6, 1, 0x0, Write::Clears);
}

/// Event enable. Which events raise the interrupt.
pub const EVENT_ENABLE: Register = Register {
    name: "event_enable",
    offset: 0x24,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        event_enable::PLAY_DONE,
        event_enable::CAPTURE_FULL,
        event_enable::DIFFERENCE,
        event_enable::REFUSED,
        event_enable::CLEARED,
        event_enable::ORDER_LOST,
        event_enable::OBSERVE_LOST,
    ],
    arrays: &[],
};
/// Fields of [`EVENT_ENABLE`].
pub mod event_enable {
    use crate::regs::{Field, Write};
    /// `play_done`
    pub const PLAY_DONE: Field = Field::new("play_done", 0, 1, 0x0, Write::Kept);
    /// `capture_full`
    pub const CAPTURE_FULL: Field = Field::new("capture_full", 1, 1, 0x0, Write::Kept);
    /// `difference`
    pub const DIFFERENCE: Field = Field::new("difference", 2, 1, 0x0, Write::Kept);
    /// `refused`
    pub const REFUSED: Field = Field::new("refused", 3, 1, 0x0, Write::Kept);
    /// `cleared`
    pub const CLEARED: Field = Field::new("cleared", 4, 1, 0x0, Write::Kept);
    /// `order_lost`
    pub const ORDER_LOST: Field = Field::new("order_lost", 5, 1, 0x0, Write::Kept);
    /// `observe_lost`
    pub const OBSERVE_LOST: Field = Field::new("observe_lost", 6, 1, 0x0, Write::Kept);
}

/// Word. The next four bytes of the beat that is being written, the first one in the lowest bits.
pub const WORD: Register = Register {
    name: "word",
    offset: 0x30,
    width: 32,
    access: Access::ReadWrite,
    fields: &[word::DATA],
    arrays: &[],
};
/// Fields of [`WORD`].
pub mod word {
    use crate::regs::{Field, Write};
    /// The bytes.
    pub const DATA: Field = Field::new("data", 0, 32, 0x0, Write::Kept);
}

/// Cycles. When the beat is due that is stored next.
pub const CYCLES: Register = Register {
    name: "cycles",
    offset: 0x34,
    width: 32,
    access: Access::ReadWrite,
    fields: &[cycles::CYCLES],
    arrays: &[],
};
/// Fields of [`CYCLES`].
pub mod cycles {
    use crate::regs::{Field, Write};
    /// Cycles without a beat in front of it; with `play_beat.at` the first cycle of the run in
    /// which it may be offered.
    pub const CYCLES: Field = Field::new("cycles", 0, 32, 0x0, Write::Kept);
}

/// Beat to play. A write stores the beat behind the others in the memory of the player. Refused:
/// outside of a load, beyond the depth, more bytes than the stream has, fewer without `last`.
pub const PLAY_BEAT: Register = Register {
    name: "play_beat",
    offset: 0x38,
    width: 32,
    access: Access::ReadWrite,
    fields: &[play_beat::BYTES, play_beat::LAST, play_beat::AT],
    arrays: &[],
};
/// Fields of [`PLAY_BEAT`].
pub mod play_beat {
    use crate::regs::{Field, Write};
    /// Bytes of the beat, from byte 0 on (TKEEP).
    pub const BYTES: Field = Field::new("bytes", 0, 12, 0x0, Write::Kept);
    /// The packet ends with this beat (TLAST).
    pub const LAST: Field = Field::new("last", 12, 1, 0x0, Write::Kept);
    /// `cycles` is a cycle of the run and not a wait.
    pub const AT: Field = Field::new("at", 13, 1, 0x0, Write::Kept);
}

/// Runs to play. How many times the memory is played, from the next `start` on.
pub const PLAY_RUNS: Register = Register {
    name: "play_runs",
    offset: 0x3c,
    width: 32,
    access: Access::ReadWrite,
    fields: &[play_runs::N],
    arrays: &[],
};
/// Fields of [`PLAY_RUNS`].
pub mod play_runs {
    use crate::regs::{Field, Write};
    /// Runs; 0: until `stop`.
    pub const N: Field = Field::new("n", 0, 32, 0x0, Write::Kept);
}

/// Player. Actions, one in a write: several are refused.
pub const PLAY: Register = Register {
    name: "play",
    offset: 0x40,
    width: 32,
    access: Access::ReadWrite,
    fields: &[play::LOAD, play::START, play::STOP],
    arrays: &[],
};
/// Fields of [`PLAY`].
pub mod play {
    use crate::regs::{Field, Write};
    /// Empties the memory and takes beats. Refused while the player plays.
    pub const LOAD: Field = Field::new("load", 0, 1, 0x0, Write::Acts);
    /// Begins to play. Refused while it plays, with an empty memory, and if the last beat loaded
    /// ends no packet.
    pub const START: Field = Field::new("start", 1, 1, 0x0, Write::Acts);
    /// Stops behind the packet that was begun.
    pub const STOP: Field = Field::new("stop", 2, 1, 0x0, Write::Acts);
}

/// Beat to expect. A write stores the beat behind the others in the memory of the capture. Refused:
/// outside of a load, beyond the depth less one, more bytes than the stream has, fewer without
/// `last`.
pub const EXPECTED: Register = Register {
    name: "expected",
    offset: 0x44,
    width: 32,
    access: Access::ReadWrite,
    fields: &[expected::BYTES, expected::LAST, expected::MARK],
    arrays: &[],
};
/// Fields of [`EXPECTED`].
pub mod expected {
    use crate::regs::{Field, Write};
    /// Bytes of the beat, from byte 0 on (TKEEP).
    pub const BYTES: Field = Field::new("bytes", 0, 12, 0x0, Write::Kept);
    /// The packet ends with this beat (TLAST).
    pub const LAST: Field = Field::new("last", 12, 1, 0x0, Write::Kept);
    /// The packet is aborted (TUSER with TLAST).
    pub const MARK: Field = Field::new("mark", 13, 1, 0x0, Write::Kept);
}

/// Runs to expect. How many times the memory is expected, from the next `compare` on.
pub const EXPECT_RUNS: Register = Register {
    name: "expect_runs",
    offset: 0x48,
    width: 32,
    access: Access::ReadWrite,
    fields: &[expect_runs::N],
    arrays: &[],
};
/// Fields of [`EXPECT_RUNS`].
pub mod expect_runs {
    use crate::regs::{Field, Write};
    /// Runs; 0: without end.
    pub const N: Field = Field::new("n", 0, 32, 0x0, Write::Kept);
}

/// Capture. Actions, one in a write: several are refused. Without one that runs, the capture takes
/// what arrives and throws it away.
pub const CAPTURE: Register = Register {
    name: "capture",
    offset: 0x4c,
    width: 32,
    access: Access::ReadWrite,
    fields: &[
        capture::LOAD,
        capture::RECORD,
        capture::COMPARE,
        capture::STOP,
        capture::BLOCK,
    ],
    arrays: &[],
};
/// Fields of [`CAPTURE`].
pub mod capture {
    use crate::regs::{Field, Write};
    /// Empties the memory and takes beats to expect. Refused while the capture records or compares.
    pub const LOAD: Field = Field::new("load", 0, 1, 0x0, Write::Acts);
    /// Empties the memory and records what arrives. Refused while the capture records or compares.
    pub const RECORD: Field = Field::new("record", 1, 1, 0x0, Write::Acts);
    /// Compares what arrives with the memory, loaded or recorded. Refused while the capture records
    /// or compares, and with an empty or full memory.
    pub const COMPARE: Field = Field::new("compare", 2, 1, 0x0, Write::Acts);
    /// Ends recording or comparing.
    pub const STOP: Field = Field::new("stop", 3, 1, 0x0, Write::Acts);
    /// With `record`: a full memory stops the stream (TREADY). Without: it takes and counts what it
    /// misses.
    pub const BLOCK: Field = Field::new("block", 4, 1, 0x0, Write::Kept);
}

/// Window. Which beat of the memory of the capture `observe.window` shows.
pub const WINDOW: Register = Register {
    name: "window",
    offset: 0x50,
    width: 32,
    access: Access::ReadWrite,
    fields: &[window::INDEX],
    arrays: &[],
};
/// Fields of [`WINDOW`].
pub mod window {
    use crate::regs::{Field, Write};
    /// The beat, from 0 on. After a difference the last one of the memory, `capture_depth` less
    /// one, is the beat that came first instead of what was expected.
    pub const INDEX: Field = Field::new("index", 0, 32, 0x0, Write::Kept);
}

/// Observation. What the core knows and counts, in the clock of the streams. Read only.
pub mod observe {
    use crate::regs::{Access, Register};
    /// State. All bits of one moment.
    pub const STATE: Register = Register {
        name: "observe.state",
        offset: 0x1000,
        width: 64,
        access: Access::ReadOnly,
        fields: &[
            state::PLAYING,
            state::STOPPING,
            state::RECORDING,
            state::COMPARING,
            state::FULL,
            state::DIFFERS,
        ],
        arrays: &[],
    };
    /// Fields of [`STATE`].
    pub mod state {
        use crate::regs::{Field, Write};
        /// The player plays.
        pub const PLAYING: Field = Field::new("playing", 0, 1, 0x0, Write::Ignored);
        /// The player finishes the packet that it has begun, and then stops.
        pub const STOPPING: Field = Field::new("stopping", 1, 1, 0x0, Write::Ignored);
        /// The capture records.
        pub const RECORDING: Field = Field::new("recording", 2, 1, 0x0, Write::Ignored);
        /// The capture compares.
        pub const COMPARING: Field = Field::new("comparing", 3, 1, 0x0, Write::Ignored);
        /// The memory of the capture is full.
        pub const FULL: Field = Field::new("full", 4, 1, 0x0, Write::Ignored);
        /// A beat differed since `compare`.
        pub const DIFFERS: Field = Field::new("differs", 5, 1, 0x0, Write::Ignored);
    }

    /// Orders carried out. As many as `orders` says: everything written before has had its effect.
    /// Modulo 2^32.
    pub const ORDERS: Register = Register {
        name: "observe.orders",
        offset: 0x1008,
        width: 64,
        access: Access::ReadOnly,
        fields: &[orders::COUNT],
        arrays: &[],
    };
    /// Fields of [`ORDERS`].
    pub mod orders {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Clock of the streams. Cycles since the reset of the streams.
    pub const NOW: Register = Register {
        name: "observe.now",
        offset: 0x1010,
        width: 64,
        access: Access::ReadOnly,
        fields: &[now::COUNT],
        arrays: &[],
    };
    /// Fields of [`NOW`].
    pub mod now {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Beats loaded. Beats in the memory of the player.
    pub const PLAY_LOADED: Register = Register {
        name: "observe.play_loaded",
        offset: 0x1100,
        width: 64,
        access: Access::ReadOnly,
        fields: &[play_loaded::COUNT],
        arrays: &[],
    };
    /// Fields of [`PLAY_LOADED`].
    pub mod play_loaded {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Begin of playing. `now` in cycle 0 of the first run.
    pub const PLAY_BEGAN: Register = Register {
        name: "observe.play_began",
        offset: 0x1108,
        width: 64,
        access: Access::ReadOnly,
        fields: &[play_began::COUNT],
        arrays: &[],
    };
    /// Fields of [`PLAY_BEGAN`].
    pub mod play_began {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Beats played. Beats that the sink has taken since `start`.
    pub const PLAY_BEATS: Register = Register {
        name: "observe.play_beats",
        offset: 0x1110,
        width: 64,
        access: Access::ReadOnly,
        fields: &[play_beats::COUNT],
        arrays: &[],
    };
    /// Fields of [`PLAY_BEATS`].
    pub mod play_beats {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Packets played. Packets whose last beat the sink has taken since `start`.
    pub const PLAY_PACKETS: Register = Register {
        name: "observe.play_packets",
        offset: 0x1118,
        width: 64,
        access: Access::ReadOnly,
        fields: &[play_packets::COUNT],
        arrays: &[],
    };
    /// Fields of [`PLAY_PACKETS`].
    pub mod play_packets {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Cycles of back-pressure. Cycles since `start` in which a beat was offered and not taken.
    pub const PLAY_STALLED: Register = Register {
        name: "observe.play_stalled",
        offset: 0x1120,
        width: 64,
        access: Access::ReadOnly,
        fields: &[play_stalled::COUNT],
        arrays: &[],
    };
    /// Fields of [`PLAY_STALLED`].
    pub mod play_stalled {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Runs played. Times that the whole memory was played since `start`.
    pub const PLAY_RUNS: Register = Register {
        name: "observe.play_runs",
        offset: 0x1128,
        width: 64,
        access: Access::ReadOnly,
        fields: &[play_runs::COUNT],
        arrays: &[],
    };
    /// Fields of [`PLAY_RUNS`].
    pub mod play_runs {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Beats stored. Beats in the memory of the capture: recorded ones, or expected ones.
    pub const CAPTURE_STORED: Register = Register {
        name: "observe.capture_stored",
        offset: 0x1200,
        width: 64,
        access: Access::ReadOnly,
        fields: &[capture_stored::COUNT],
        arrays: &[],
    };
    /// Fields of [`CAPTURE_STORED`].
    pub mod capture_stored {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Begin of the capture. `now` in the cycle in which the capture began to record or to compare.
    pub const CAPTURE_BEGAN: Register = Register {
        name: "observe.capture_began",
        offset: 0x1208,
        width: 64,
        access: Access::ReadOnly,
        fields: &[capture_began::COUNT],
        arrays: &[],
    };
    /// Fields of [`CAPTURE_BEGAN`].
    pub mod capture_began {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Beats arrived. Beats taken since then, missed ones among them.
    pub const CAPTURE_BEATS: Register = Register {
        name: "observe.capture_beats",
        offset: 0x1210,
        width: 64,
        access: Access::ReadOnly,
        fields: &[capture_beats::COUNT],
        arrays: &[],
    };
    /// Fields of [`CAPTURE_BEATS`].
    pub mod capture_beats {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Packets arrived. Beats with TLAST among them.
    pub const CAPTURE_PACKETS: Register = Register {
        name: "observe.capture_packets",
        offset: 0x1218,
        width: 64,
        access: Access::ReadOnly,
        fields: &[capture_packets::COUNT],
        arrays: &[],
    };
    /// Fields of [`CAPTURE_PACKETS`].
    pub mod capture_packets {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Beats missed. Beats that were taken while the memory was full, and are not recorded.
    pub const CAPTURE_MISSED: Register = Register {
        name: "observe.capture_missed",
        offset: 0x1220,
        width: 64,
        access: Access::ReadOnly,
        fields: &[capture_missed::COUNT],
        arrays: &[],
    };
    /// Fields of [`CAPTURE_MISSED`].
    pub mod capture_missed {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Differences. Beats that are not the expected ones: in their bytes, TKEEP, TLAST or the mark;
    /// those behind the last run, too.
    pub const CAPTURE_DIFFERENCES: Register = Register {
        name: "observe.capture_differences",
        offset: 0x1228,
        width: 64,
        access: Access::ReadOnly,
        fields: &[capture_differences::COUNT],
        arrays: &[],
    };
    /// Fields of [`CAPTURE_DIFFERENCES`].
    pub mod capture_differences {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// First difference. The first beat that differed, counted from 0 in all beats since `compare`.
    /// Means something while `state.differs` is set.
    pub const CAPTURE_FIRST: Register = Register {
        name: "observe.capture_first",
        offset: 0x1230,
        width: 64,
        access: Access::ReadOnly,
        fields: &[capture_first::COUNT],
        arrays: &[],
    };
    /// Fields of [`CAPTURE_FIRST`].
    pub mod capture_first {
        use crate::regs::{Field, Write};
        /// The number.
        pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
    }

    /// Window. One beat of the memory of the capture: that of the register `window`. Reads as zero
    /// while the capture compares.
    pub mod window {
        use crate::regs::{Access, Register};
        /// Beat. All of a beat but its bytes.
        pub const BEAT: Register = Register {
            name: "observe.window.beat",
            offset: 0x1800,
            width: 64,
            access: Access::ReadOnly,
            fields: &[beat::CYCLES, beat::BYTES, beat::LAST, beat::MARK],
            arrays: &[],
        };
        /// Fields of [`BEAT`].
        pub mod beat {
            use crate::regs::{Field, Write};
            /// Of a beat that arrived: the low half of `observe.now` in the cycle in which it was
            /// taken. Of an expected one: as loaded.
            pub const CYCLES: Field = Field::new("cycles", 0, 32, 0x0, Write::Ignored);
            /// Bytes of the beat, from byte 0 on (TKEEP).
            pub const BYTES: Field = Field::new("bytes", 32, 12, 0x0, Write::Ignored);
            /// The packet ends with this beat (TLAST).
            pub const LAST: Field = Field::new("last", 44, 1, 0x0, Write::Ignored);
            /// The packet was aborted (TUSER with TLAST).
            pub const MARK: Field = Field::new("mark", 45, 1, 0x0, Write::Ignored);
        }

        /// Data. Eight bytes of the beat each, byte 0 first in the lowest bits. Those beyond the
        /// width of the stream are zero.
        pub const DATA: Register = Register {
            name: "observe.window.data",
            offset: 0x1c00,
            width: 64,
            access: Access::ReadOnly,
            fields: &[data::COUNT],
            arrays: &[crate::regs::Array {
                part: 2,
                count: 128,
                stride: 0x8,
            }],
        };
        /// Fields of [`DATA`].
        pub mod data {
            use crate::regs::{Field, Write};
            /// The number.
            pub const COUNT: Field = Field::new("count", 0, 64, 0x0, Write::Ignored);
        }
    }
}
