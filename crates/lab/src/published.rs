// SPDX-License-Identifier: Apache-2.0
//! Figures of the published RIFL core, to print beside ours.
//!
//! "Published core, simulated": two complete endpoints of the authors' public core, run in
//! Verilator with the transceivers replaced by a plain word pipe, at 28 Gb/s, K = 64 frames unless
//! said otherwise. GT cycles.

use serde::Serialize;

/// How the figures are cited.
pub const SOURCE: &str = "published core, simulated";

/// A link of the published core; K = 64 unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Lanes.
    pub lanes: u8,
    /// User width in bits.
    pub user_width: u16,
    /// Frame width in bits.
    pub frame_width: u16,
}

const fn link(lanes: u8, user_width: u16, frame_width: u16) -> Link {
    Link {
        lanes,
        user_width,
        frame_width,
    }
}

/// Packet latency, first beat accepted to first beat delivered, no wire delay.
#[derive(Debug, Clone, Copy)]
pub struct Latency {
    /// The link.
    pub link: Link,
    /// Packets that fit one segment: smallest and largest.
    pub one_segment: [u64; 2],
    /// Longer packets.
    pub longer: [u64; 2],
}

/// Packet latency.
pub const LATENCY: [Latency; 6] = [
    Latency {
        link: link(1, 256, 256),
        one_segment: [24, 24],
        longer: [28, 28],
    },
    Latency {
        link: link(1, 512, 512),
        one_segment: [40, 40],
        longer: [48, 48],
    },
    Latency {
        link: link(4, 256, 256),
        one_segment: [23, 26],
        longer: [25, 27],
    },
    Latency {
        link: link(4, 512, 256),
        one_segment: [26, 28],
        longer: [28, 30],
    },
    Latency {
        link: link(4, 1024, 256),
        one_segment: [24, 24],
        longer: [28, 28],
    },
    Latency {
        link: link(4, 512, 512),
        one_segment: [38, 44],
        longer: [42, 46],
    },
];

/// The links of [`EFFICIENCY`].
pub const EFFICIENCY_LINKS: [Link; 6] = [
    link(1, 256, 256),
    link(1, 512, 512),
    link(4, 256, 256),
    link(4, 512, 256),
    link(4, 1024, 256),
    link(4, 512, 512),
];

/// Payload bits over line bits, saturated, no errors: bytes of a packet, and a figure for each
/// link.
pub const EFFICIENCY: [(u32, [f64; 6]); 15] = [
    (1, [0.0313, 0.0156, 0.0312, 0.0156, 0.0078, 0.0156]),
    (8, [0.2502, 0.1251, 0.2498, 0.1250, 0.0625, 0.1250]),
    (16, [0.5003, 0.2502, 0.4997, 0.2500, 0.1251, 0.2500]),
    (30, [0.9381, 0.4691, 0.9369, 0.4688, 0.2345, 0.4688]),
    (32, [0.5003, 0.5003, 0.5000, 0.5000, 0.2502, 0.5000]),
    (33, [0.5158, 0.5160, 0.5155, 0.5156, 0.2580, 0.5156]),
    (64, [0.6670, 0.5003, 0.6667, 0.5003, 0.5003, 0.5002]),
    (65, [0.6772, 0.5080, 0.6769, 0.5080, 0.5082, 0.5078]),
    (128, [0.8002, 0.6670, 0.8000, 0.6670, 0.5003, 0.6668]),
    (256, [0.8892, 0.8005, 0.8889, 0.8005, 0.6674, 0.8003]),
    (512, [0.8891, 0.8892, 0.8889, 0.8892, 0.8005, 0.8891]),
    (1024, [0.9144, 0.9414, 0.9143, 0.8891, 0.8892, 0.9413]),
    (1500, [0.9376, 0.9380, 0.9374, 0.9378, 0.9024, 0.9378]),
    (4096, [0.9344, 0.9554, 0.9343, 0.9277, 0.9146, 0.9553]),
    (8192, [0.9344, 0.9625, 0.9343, 0.9344, 0.9277, 0.9625]),
];

/// The figures above exceed the true value by up to so much: end effects of finite runs.
pub const EFFICIENCY_SLACK: f64 = 1.0e-3;

/// Gaps after one damaged frame from A to B, on one lane.
#[derive(Debug, Clone, Copy)]
pub struct Stall {
    /// The link.
    pub link: Link,
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
pub const STALL: [Stall; 5] = [
    Stall {
        link: link(1, 256, 256),
        delay_cycles: 0,
        sink: 448,
        source: 648,
        opposite: Some(692),
    },
    Stall {
        link: link(1, 256, 256),
        delay_cycles: 35,
        sink: 380,
        source: 648,
        opposite: Some(620),
    },
    Stall {
        link: link(1, 512, 512),
        delay_cycles: 0,
        sink: 912,
        source: 1296,
        opposite: None,
    },
    Stall {
        link: link(4, 256, 256),
        delay_cycles: 0,
        sink: 443,
        source: 643,
        opposite: None,
    },
    Stall {
        link: link(4, 1024, 256),
        delay_cycles: 35,
        sink: 380,
        source: 648,
        opposite: None,
    },
];

/// Goodput with bit errors over goodput without, packets of 1 to 8192 bytes both ways, wire delay
/// 35 cycles.
#[derive(Debug, Clone, Copy)]
pub struct Goodput {
    /// The link.
    pub link: Link,
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
pub const GOODPUT: [Goodput; 4] = [
    Goodput {
        link: link(1, 256, 256),
        id_width: 6,
        ratio: [
            Some("1.000"),
            Some("0.993"),
            Some("0.90"),
            Some("0.34..0.38"),
        ],
    },
    Goodput {
        link: link(1, 512, 512),
        id_width: 6,
        ratio: [Some("1.000"), Some("0.981"), Some("0.80"), Some("0.13")],
    },
    Goodput {
        link: link(1, 256, 256),
        id_width: 9,
        ratio: [Some("1.000"), Some("0.920"), Some("0.43"), None],
    },
    Goodput {
        link: link(4, 256, 256),
        id_width: 6,
        ratio: [Some("1.000"), Some("0.966"), Some("0.73"), Some("0.03")],
    },
];

/// The paper's own goodput ratios (figure 9a) at bit error rates: the one that its text names, and
/// the one that the last row of its table 5 implies.
pub const PAPER_GOODPUT: [(f64, f64); 2] = [(1e-7, 0.963), (1e-5, 0.0286)];

/// The middle of a ratio that is given as one number or as a range.
pub fn middle(ratio: &str) -> f64 {
    let (low, high) = ratio.split_once("..").unwrap_or((ratio, ratio));
    match (low.parse::<f64>(), high.parse::<f64>()) {
        (Ok(low), Ok(high)) => (low + high) / 2.0,
        _ => f64::NAN,
    }
}

/// Release of reset to the first accepted beat: with the counter of the hardware, and with its fast
/// simulation mode.
pub const LINK_UP: (&str, &str) = ("1 051 358", "5 500..7 500 with fast counters");

/// GT cycles per second of wall clock, two endpoints, frame width 256, an idle machine of two
/// cores: links of one lane and of four.
pub const CYCLES_PER_SECOND: [f64; 2] = [0.65e6, 0.20e6];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ratio_is_a_number_or_a_range() {
        assert!((middle("0.34..0.38") - 0.36).abs() < 1e-12);
        for ratio in GOODPUT.iter().flat_map(|row| row.ratio).flatten() {
            assert!((0.0..=1.0).contains(&middle(ratio)), "{ratio}");
        }
    }
}
