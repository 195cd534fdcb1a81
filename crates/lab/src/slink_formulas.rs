// SPDX-License-Identifier: Apache-2.0
//! What SLink costs on the lanes, in symbols: the formulas that `bench slink` holds the RTL against
//! and `plan slink` calculates with.

use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::frame::BLOCK;

/// What 8b/10b leaves of the line.
pub const CODING: f64 = 0.8;
/// Start, header and end of a packet.
const START: u64 = 1;
const HEADER: u64 = 8;
const END: u64 = 1;
/// A check code.
const CODE: u64 = 2;
/// A word of a memory.
const WORD: u64 = 8;
/// A request of a read, or an answer.
const SHORT: u64 = START + HEADER + END;

/// Everything but the symbols, in cycles of two symbols: both ends, the transceiver ports' way of
/// eight cycles between them, and the memory that is written. Measured by `bench slink`; a read has
/// it twice, once for its request.
pub const CONSTANT: f64 = 21.0;

/// Bytes of a packet with data.
#[must_use]
pub fn packet(crc: bool, bytes: u64) -> u64 {
    let codes = if crc { bytes.div_ceil(BLOCK as u64) } else { 0 };
    START + HEADER + bytes + CODE * codes + END
}

/// Symbols of a lane until the first word can be written: it is there, or its block has been found
/// good; of a read behind the request.
#[must_use]
pub fn first(read: bool, crc: bool, lanes: Lanes, bytes: u64) -> u64 {
    let needed = if crc {
        bytes.min(BLOCK as u64) + CODE
    } else {
        WORD
    };
    let count = lanes.count() as u64;
    let request = if read { SHORT.div_ceil(count) } else { 0 };
    (START + HEADER + needed).div_ceil(count) + request
}

/// Symbols of a lane until the last word can be written.
#[must_use]
pub fn last(read: bool, crc: bool, lanes: Lanes, bytes: u64) -> u64 {
    let count = lanes.count() as u64;
    let request = if read { SHORT.div_ceil(count) } else { 0 };
    packet(crc, bytes).div_ceil(count) + request
}

/// Data over the bytes of their packet.
#[must_use]
pub fn efficiency(crc: bool, bytes: u64) -> f64 {
    bytes as f64 / packet(crc, bytes) as f64
}

/// Cycles of everything but the symbols.
#[must_use]
pub fn constant(read: bool) -> f64 {
    if read { 2.0 * CONSTANT } else { CONSTANT }
}

/// PCI Express 2.0, by its framing alone: 8b/10b lanes, and a packet of up to 128 bytes between
/// start, number, header, check code and end.
pub mod pcie {
    /// Bytes of data in a packet.
    pub const PAYLOAD: u64 = 128;
    /// Bytes around them: two framing symbols, number (2), header with a 32-bit address (12), check
    /// code (4).
    pub const AROUND: u64 = 20;

    /// Data over what is sent.
    #[must_use]
    pub fn efficiency(bytes: u64) -> f64 {
        bytes as f64 / (bytes + AROUND * bytes.div_ceil(PAYLOAD)) as f64
    }

    /// Symbols of a lane until the first packet may be passed on: as a whole, behind its check
    /// code.
    #[must_use]
    pub fn first(lanes: u64, bytes: u64) -> u64 {
        (bytes.min(PAYLOAD) + AROUND).div_ceil(lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floors_of_512_bytes() {
        // In ns at 5 Gb/s, two a symbol.
        let ns = |symbols: u64| 2 * symbols;
        for (lanes, write, read) in [
            (Lanes::X1, 34, 54),
            (Lanes::X2, 18, 28),
            (Lanes::X4, 10, 16),
        ] {
            assert_eq!(ns(first(false, false, lanes, 512)), write);
            assert_eq!(ns(first(true, false, lanes, 512)), read);
        }
        for (lanes, whole) in [(Lanes::X1, 1044), (Lanes::X2, 522), (Lanes::X4, 262)] {
            assert_eq!(ns(last(false, false, lanes, 512)), whole);
        }
        assert_eq!(packet(true, 4096), 4110);
        assert!((efficiency(false, 4096) - 0.9976).abs() < 1e-4);
        assert!((pcie::efficiency(512) - 0.8649).abs() < 1e-4);
    }
}
