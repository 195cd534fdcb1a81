// SPDX-License-Identifier: Apache-2.0
//! What SLink costs on the lanes, in symbols: the formulas that `bench slink` holds the RTL against
//! and `plan slink` calculates with.

use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::frame::BLOCK;
use ropewalk_wire::slink::regs::Coding;

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

/// Everything but the symbols in 8b/10b, in cycles of two symbols: both ends, the transceiver
/// ports' way of eight cycles between them, and the memory that is written. Measured by `bench
/// slink`; a read has it twice, once for its request.
pub const CONSTANT: f64 = 21.0;
/// The same in 64b/66b, of a write and of a read. Encoder and decoder take a block each, and a
/// read's time begins behind the encoder.
pub const CONSTANT_BLOCKS: [f64; 2] = [33.25, 57.75];

/// An operation on a line.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// It reads; else it writes.
    pub read: bool,
    /// With check codes.
    pub crc: bool,
    /// Lanes in use.
    pub lanes: Lanes,
    /// Line code.
    pub coding: Coding,
    /// Of data.
    pub bytes: u64,
}

impl Line {
    /// Cycles of a word of two symbols of each lane: in 64b/66b one of 33 sends none.
    #[must_use]
    pub fn stretch(self) -> f64 {
        match self.coding {
            Coding::Code8b10b => 1.0,
            Coding::Code64b66b => 33.0 / 32.0,
        }
    }

    /// Cycles of the line for the symbols until the first word can be written.
    #[must_use]
    pub fn first(self) -> f64 {
        let symbols = first(self.read, self.crc, self.lanes, self.bytes);
        symbols as f64 / 2.0 * self.stretch()
    }

    /// Cycles for the symbols until the last word can be written, on a bus that takes a word a
    /// cycle. In CRC mode a block waits for its code, and the words of a block for those of the
    /// one before.
    #[must_use]
    pub fn last(self) -> f64 {
        let piece = self.lanes.piece() as u64;
        let words = |bytes: u64| bytes.div_ceil(piece);
        let request = if self.read {
            SHORT.div_ceil(self.lanes.count() as u64)
        } else {
            0
        };
        let around = request as f64 / 2.0;
        // The start has a word of its own, and so has a code.
        let mut sent = 1 + words(HEADER);
        if !self.crc {
            return (around + (sent + words(self.bytes)) as f64) * self.stretch();
        }
        let (mut left, mut free) = (self.bytes, 0.0f64);
        while left > 0 {
            let block = left.min(BLOCK as u64);
            sent += words(block) + 1;
            free = free.max((around + sent as f64) * self.stretch()) + (block / WORD) as f64;
            left -= block;
        }
        free - 1.0
    }

    /// Cycles of the line for the packet with the data, and the idle word in front of it.
    #[must_use]
    pub fn packet(self) -> f64 {
        let symbols = packet(self.crc, self.bytes).div_ceil(self.lanes.count() as u64);
        (1 + symbols.div_ceil(2)) as f64 * self.stretch()
    }

    /// Cycles of everything but the symbols.
    #[must_use]
    pub fn constant(self) -> f64 {
        match (self.coding, self.read) {
            (Coding::Code8b10b, false) => CONSTANT,
            (Coding::Code8b10b, true) => 2.0 * CONSTANT,
            (Coding::Code64b66b, read) => CONSTANT_BLOCKS[usize::from(read)],
        }
    }
}

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

/// Data over the bytes of their packet.
#[must_use]
pub fn efficiency(crc: bool, bytes: u64) -> f64 {
    bytes as f64 / packet(crc, bytes) as f64
}

/// PCI Express 2.0, by its framing alone: 8b/10b lanes, and a packet of up to 128 bytes between
/// start, number, header, check code and end.
pub mod pcie {
    /// Share of the line that is left for symbols of 8 bits.
    pub const SHARE: f64 = 0.8;
    /// Bits of a symbol on the line.
    pub const SYMBOL_BITS: f64 = 10.0;
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
        for (lanes, whole) in [(Lanes::X1, 1044), (Lanes::X2, 524), (Lanes::X4, 264)] {
            let line = Line {
                read: false,
                crc: false,
                lanes,
                coding: Coding::Code8b10b,
                bytes: 512,
            };
            // STP has a word of its own; two symbols of each lane take 4 ns.
            assert_eq!(4.0 * line.last(), f64::from(whole));
            let blocks = Line {
                coding: Coding::Code64b66b,
                ..line
            };
            assert_eq!(blocks.last(), line.last() * 33.0 / 32.0);
            // A beat a cycle behind the code.
            let crc = Line { crc: true, ..line };
            assert_eq!(crc.last(), line.last() + 1.0 + 63.0);
        }
        assert_eq!(packet(true, 4096), 4110);
        assert!((efficiency(false, 4096) - 0.9976).abs() < 1e-4);
        assert!((pcie::efficiency(512) - 0.8649).abs() < 1e-4);
    }
}
