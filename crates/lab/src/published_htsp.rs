// SPDX-License-Identifier: Apache-2.0
//! Figures of the published HTSP core, to print beside ours.
//!
//! "Paper": measured by its authors on a board, with a vendor's Ethernet MAC and FEC. "Published
//! core, simulated": two of the authors' public cores over wires, without a MAC. Cycles are those
//! of 512 bits, 195.66 MHz.

/// How the simulated figures are cited.
pub const SOURCE: &str = "published core, simulated";
/// Payload of a burst, bytes.
pub const BURST: u32 = 8192;
/// Frame size in bytes and efficiency over wires: 3 cycles beyond each burst.
pub const EFFICIENCY: [(u32, f64); 4] = [(64, 0.25), (256, 0.571), (1024, 0.842), (8192, 0.977)];
/// Latency over wires in cycles, any size.
pub const LATENCY: u64 = 14;
/// Latency of 8192 bytes through a FIFO that stores the frame, and a line that paces it, without
/// MAC and FEC, in cycles.
pub const LATENCY_STORED: u64 = 163;
/// Latency from 8192 bytes on, paper, in ns: with the FIFO, MAC and FEC.
pub const PAPER_LATENCY_NS: f64 = 1176.0;
/// Frame rates that the paper gives as numbers: bytes and frames per second.
pub const PAPER_FRAME_RATE: [(u32, f64); 2] = [(256, 28.0e6), (1 << 20, 11.6e3)];
/// Classes of detectors and their data in Gb/s, paper, table 1. Its bits of a pixel are 6 in some
/// rows and 18 in others.
pub const DETECTORS: [(&str, f64); 5] = [
    ("ePixHR 10K single", 10.2),
    ("ePixHR 10K TXI", 202.8),
    ("ePixHR 2.5D TXI", 1014.0),
    ("ePixHR UHR", 4056.0),
    ("SparkPix", 204.0),
];
/// Cycles from the first header to a link at both ends.
pub const LINK_UP: u64 = 137;
/// Channels and simulated cycles per second, two ends.
pub const CYCLES_PER_SECOND: [(u8, f64); 2] = [(1, 3000.0), (16, 550.0)];

/// Bandwidth in Gb/s as the paper calculates it: 3 words of overhead for each burst up to 768
/// bytes, 4 beyond, which is what it measured (section 3.1).
#[must_use]
pub fn paper_bandwidth(bytes: u32) -> f64 {
    let words = if bytes <= 768 { 3 } else { 4 };
    let overhead = f64::from(bytes.div_ceil(BURST) * words * 64);
    100.0 * f64::from(bytes) / (f64::from(bytes) + overhead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_gives_what_the_paper_measured() {
        for (bytes, rate) in PAPER_FRAME_RATE {
            let formula = paper_bandwidth(bytes) * 1e9 / 8.0 / f64::from(bytes);
            assert!((formula / rate - 1.0).abs() < 5e-3, "{bytes}: {formula}");
        }
    }
}
