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

/// Share of the words that is payload, header and footer in a word each: 16 of 18.
#[must_use]
pub fn word_share() -> f64 {
    let (words, payload) = PACKET_WORDS;
    f64::from(payload) / f64::from(words)
}

/// The same if header and footer take only their 16 bytes each: 1024 of 1056.
#[must_use]
pub fn packed_share() -> f64 {
    let payload = f64::from(PACKET_WORDS.1) * 64.0;
    payload / (payload + 32.0)
}

/// Payload of a full line in Gb/s: 16 of 18 words of 512 bits.
#[must_use]
pub fn line_gbps(clock_mhz: f64) -> f64 {
    512.0 * clock_mhz / 1e3 * word_share()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_thesis() {
        assert!((line_gbps(CLOCK_MHZ) - 68.27).abs() < 5e-3);
        assert!((packed_share() - 0.9697).abs() < 5e-5);
    }
}
