// SPDX-License-Identifier: Apache-2.0
//! The check codes: CRC-8 of a header, CRC-16 of a block. Most significant bit first, no
//! reflection, no final XOR.

/// x^8 + x^2 + x + 1. Finds any three wrong bits among the 64 of a header.
const POLY_8: u8 = 0x07;
/// x^16 + x^12 + x^5 + 1, a multiple of x + 1. Finds any two wrong bits, and any odd number, up to
/// 32 767 bits.
const POLY_16: u16 = 0x1021;

/// CRC-8 of the bytes, from all ones.
#[must_use]
pub fn crc8(bytes: impl IntoIterator<Item = u8>) -> u8 {
    bytes.into_iter().fold(u8::MAX, |crc, byte| {
        (0..8).fold(crc ^ byte, |crc, _| {
            (crc << 1) ^ if crc & 0x80 == 0 { 0 } else { POLY_8 }
        })
    })
}

/// CRC-16 of what was taken so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crc16(u16);

impl Default for Crc16 {
    fn default() -> Self {
        Crc16(u16::MAX)
    }
}

impl Crc16 {
    /// Takes a byte.
    pub fn push(&mut self, byte: u8) {
        self.0 = (0..8).fold(self.0 ^ u16::from(byte) << 8, |crc, _| {
            (crc << 1) ^ if crc & 0x8000 == 0 { 0 } else { POLY_16 }
        });
    }

    /// The code as it is sent, high byte first: behind it the register is zero.
    #[must_use]
    pub const fn bytes(self) -> [u8; 2] {
        self.0.to_be_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_values_of_the_catalogues() {
        // CRC-16/IBM-3740; of CRC-8 the first steps, by hand.
        let mut crc = Crc16::default();
        b"123456789".iter().for_each(|&byte| crc.push(byte));
        assert_eq!(crc.bytes(), [0x29, 0xb1]);
        assert_eq!(crc8([0xff]), 0x00);
        assert_eq!(crc8(*b"\x00"), 0xf3);
    }

    #[test]
    fn two_wrong_bits_of_a_block_are_never_missed() {
        // The order of x: two bits that far apart and no less would pass.
        let mut residue = 1u16;
        let order = (1..=u32::from(u16::MAX)).find(|_| {
            residue = (residue << 1) ^ if residue & 0x8000 == 0 { 0 } else { POLY_16 };
            residue == 1
        });
        assert_eq!(order, Some(32_767));
        // A header, a block and its code.
        const { assert!((8 + super::super::frame::BLOCK + 2) * 8 <= 32_767) };
    }
}
