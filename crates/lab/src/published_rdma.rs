// SPDX-License-Identifier: Apache-2.0
//! Figures of the thesis on an RDMA engine with quality of service, to print beside ours.
//!
//! Measured by its author on an MPSoC at 150 MHz, within one node and memory on the chip, by a
//! program on a processor whose round trip to the engine takes 120 to 150 ns; the message rate in
//! simulation.

/// How the figures are cited.
pub const SOURCE: &str = "thesis, measured on a board";
/// Clock in MHz.
pub const CLOCK_MHZ: f64 = 150.0;
/// Cycles from one message of 8 bytes to the next, port of 128 bits (figure 4.3).
pub const MESSAGE_CYCLES: f64 = 2.0;
/// Bytes, and the time of a single transfer of up to that length, in ns (figure 4.4).
pub const SINGLE: (u32, f64) = (512, 360.0);
/// Bytes, and the payload of many transfers of that length, in Gb/s (figure 4.6).
pub const OUTSTANDING: (u32, f64) = (128, 21.6);
/// Words of a packet on the datapath, and those of them that are payload.
pub const PACKET_WORDS: (u32, u32) = (18, 16);
/// Size of the transfers from which on the line is full, bytes (figure 4.5).
pub const LINE_RATE_FROM: u32 = 16 << 10;

/// Share of the words that is payload, in packets of up to 1024 bytes: header and footer take a
/// word each, or, packed, 16 bytes each, and the payload whole words or whole 16 bytes.
#[must_use]
pub fn share(packed: bool, bytes: u32) -> f64 {
    let most = PACKET_WORDS.1 * 64;
    let unit = if packed { 16 } else { 64 };
    let taken = |bytes: u32| bytes.next_multiple_of(unit) + 2 * unit;
    let rest = Some(bytes % most).filter(|&rest| rest > 0).map_or(0, taken);
    f64::from(bytes) / f64::from(bytes / most * taken(most) + rest)
}

/// Payload of a full line in Gb/s: 16 of 18 words of 512 bits.
#[must_use]
pub fn line_gbps(clock_mhz: f64) -> f64 {
    512.0 * clock_mhz / 1e3 * share(false, PACKET_WORDS.1 * 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_thesis() {
        assert!((line_gbps(CLOCK_MHZ) - 68.27).abs() < 5e-3);
        assert!((share(true, 1024) - 0.9697).abs() < 5e-5);
        assert!((share(true, 128) - 128.0 / 160.0).abs() < 1e-9);
        assert!((share(false, 1152) - 1152.0 / (18.0 + 4.0) / 64.0).abs() < 1e-9);
    }
}
