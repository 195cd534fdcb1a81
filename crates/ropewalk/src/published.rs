// SPDX-License-Identifier: Apache-2.0
//! Figures of the published RIFL core, to print beside ours.
//!
//! "Published core, simulated": two complete endpoints of the authors' public core, run in Verilator with the
//! transceivers replaced by a plain word pipe, at 28 Gb/s, K = 64 frames unless said otherwise. GT cycles.

/// How the figures are cited.
pub const SOURCE: &str = "published core, simulated";

/// Packet latency, first beat accepted to first beat delivered, no wire delay.
#[derive(Debug, Clone, Copy)]
pub struct Latency {
    /// Frame width in bits, one lane.
    pub frame_width: u16,
    /// Packets that fit one frame.
    pub one_frame: u64,
    /// Longer packets.
    pub longer: u64,
}

/// Packet latency.
pub const LATENCY: [Latency; 2] = [
    Latency {
        frame_width: 256,
        one_frame: 24,
        longer: 28,
    },
    Latency {
        frame_width: 512,
        one_frame: 40,
        longer: 48,
    },
];

/// Payload bits over line bits, saturated, no errors: (bytes of a packet, frame width 256, frame width 512).
pub const EFFICIENCY: [(u32, f64, f64); 15] = [
    (1, 0.0313, 0.0156),
    (8, 0.2502, 0.1251),
    (16, 0.5003, 0.2502),
    (30, 0.9381, 0.4691),
    (32, 0.5003, 0.5003),
    (33, 0.5158, 0.5160),
    (64, 0.6670, 0.5003),
    (65, 0.6772, 0.5080),
    (128, 0.8002, 0.6670),
    (256, 0.8892, 0.8005),
    (512, 0.8891, 0.8892),
    (1024, 0.9144, 0.9414),
    (1500, 0.9376, 0.9380),
    (4096, 0.9344, 0.9554),
    (8192, 0.9344, 0.9625),
];

/// The figures above exceed the true value by up to so much: end effects of finite runs.
pub const EFFICIENCY_SLACK: f64 = 1.0e-3;

/// Gaps after one damaged frame from A to B.
#[derive(Debug, Clone, Copy)]
pub struct Stall {
    /// Frame width in bits, one lane.
    pub frame_width: u16,
    /// Delay of the wire in GT cycles.
    pub delay_cycles: u64,
    /// Between two beats delivered at B.
    pub sink: u64,
    /// Between two beats accepted at A.
    pub source: u64,
    /// Between two beats delivered at A, with traffic both ways.
    pub opposite: Option<u64>,
}

/// Gaps after one damaged frame.
pub const STALL: [Stall; 3] = [
    Stall {
        frame_width: 256,
        delay_cycles: 0,
        sink: 448,
        source: 648,
        opposite: Some(692),
    },
    Stall {
        frame_width: 256,
        delay_cycles: 35,
        sink: 380,
        source: 648,
        opposite: Some(620),
    },
    Stall {
        frame_width: 512,
        delay_cycles: 0,
        sink: 912,
        source: 1296,
        opposite: None,
    },
];

/// Goodput with bit errors over goodput without, packets of 1 to 8192 bytes both ways, wire delay 35 cycles.
#[derive(Debug, Clone, Copy)]
pub struct Goodput {
    /// Frame width in bits, one lane.
    pub frame_width: u16,
    /// Frame id width; K = 2^id_width.
    pub id_width: u8,
    /// At bit error rates of [`BIT_ERROR_RATES`]; none: the run did not come to an end.
    pub ratio: [Option<&'static str>; 4],
}

/// Bit error rates of [`GOODPUT`].
pub const BIT_ERROR_RATES: [f64; 4] = [1e-8, 1e-7, 1e-6, 1e-5];

/// Delay of the wire for [`GOODPUT`], in GT cycles.
pub const GOODPUT_DELAY_CYCLES: u64 = 35;

/// Goodput with bit errors.
pub const GOODPUT: [Goodput; 3] = [
    Goodput {
        frame_width: 256,
        id_width: 6,
        ratio: [
            Some("1.000"),
            Some("0.993"),
            Some("0.90"),
            Some("0.34..0.38"),
        ],
    },
    Goodput {
        frame_width: 512,
        id_width: 6,
        ratio: [Some("1.000"), Some("0.981"), Some("0.80"), Some("0.13")],
    },
    Goodput {
        frame_width: 256,
        id_width: 9,
        ratio: [Some("1.000"), Some("0.920"), Some("0.43"), None],
    },
];

/// Release of reset to the first accepted beat: with the counter of the hardware, and with its fast simulation mode.
pub const LINK_UP: (&str, &str) = ("1 051 358", "5 500..7 500 with fast counters");

/// GT cycles per second of wall clock, two endpoints, frame width 256, an idle machine of two cores.
pub const CYCLES_PER_SECOND: f64 = 0.65e6;
